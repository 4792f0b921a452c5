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


@pytest.mark.parametrize("at", [0, 1, 3])
def test_on_one_thread_starts_that_have_ended_are_not_lost(at):
    one, begun = Search(Plan(), Watch(None, 0, 0.0), n_jobs=1), []

    def task(start):
        begun.append(start)
        if len(begun) == at + 1:
            raise KeyboardInterrupt
        return 10 * start, one.watch.stopped

    if at == 0:  # there is nothing to keep: the caller may know something better
        with pytest.raises(KeyboardInterrupt):
            one.each(task, range(4))
        return
    assert one.each(task, range(4)) == [(10 * start, start >= at) for start in range(4)]
    assert begun == sorted([*range(4), at])
