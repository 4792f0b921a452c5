"""Many starts at once, on threads."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from unimds._runtime.watch import Watch
from unimds.placecenter.descent.plan import Plan
from unimds.starts import search
from unimds.starts.search import Search


@pytest.mark.parametrize("at", [0, 1, 3])
def test_after_an_interruption_every_start_has_a_result(monkeypatch, at):
    class Pool(ThreadPoolExecutor):
        count = 0

        def submit(self, *given):
            Pool.count += 1
            if Pool.count == at + 1:
                raise KeyboardInterrupt
            return super().submit(*given)

    monkeypatch.setattr(search, "ThreadPoolExecutor", Pool)
    several = Search(Plan(), Watch(None, 0, 0.0), n_jobs=2)
    assert several.each(lambda start: 10 * start, range(4)) == [0, 10, 20, 30]
    assert several.watch.interrupted.is_set()
