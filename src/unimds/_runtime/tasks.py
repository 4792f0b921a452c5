"""Tasks that do not depend on each other: done in turn or on threads, and ended by ^C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from joblib import effective_n_jobs

Task = TypeVar("Task")
Found = TypeVar("Found")


def each(
    work: Callable[[Task], Found],
    tasks: Iterable[Task],
    n_jobs: int | None,
    cut: Callable[[Found], bool],
) -> Iterator[tuple[Task, Found]]:
    """Do some tasks, on threads where asked for; yield each when it is done.

    `cut` says whether ^C has ended a task early, so that what it found does not count. After ^C the
    tasks that have begun on threads are yielded too.

    Examples
    --------
    >>> list(each(abs, [-1, 2], None, lambda found: False))
    [(-1, 1), (2, 2)]
    """
    tasks = list(tasks)
    threads = min(effective_n_jobs(n_jobs), len(tasks))
    if threads <= 1:
        for task in tasks:
            found = work(task)
            if cut(found):
                raise KeyboardInterrupt
            yield task, found
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: dict[Future[Found], Task] = {pool.submit(work, task): task for task in tasks}
        try:
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield waiting.pop(future), future.result()
        except KeyboardInterrupt:  # what has begun is done
            begun = [future for future in waiting if not future.cancel()]
            yield from ((waiting[one], one.result()) for one in begun if not one.exception())
            raise
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
