"""Work dealt to this process and others of this machine, or to the workers of a Dask scheduler.

Workers are told their work through pipes and listen to no port. Where one dies all are replaced,
and what was at work is done again; whoever asks keeps what comes back.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, Final, TypeVar

from articulata.errors import ArticulataError, MissingExtra
from articulata.kernels.announcing import QUIET_VARIABLE
from articulata.kernels.lanes.host import THREADS_VARIABLE, thread_count

Item = TypeVar("Item")
Made = TypeVar("Made")

DEATHS: Final = 4
"""So many times in a row workers may die before one brings something back."""

AHEAD: Final = 3
"""So many items each worker has, in work or next, that none is idle while this process works."""


def beside(
    workers: int, work: Callable[[Item], Made], items: Iterable[Item], told: str
) -> Iterator[tuple[Item, Made]]:
    """Yield each item with what ``work`` makes of it on ``workers`` processes, as they end.

    This process is one of them: it works while the others begin. What a worker died of is not
    tried here. ``work`` is a function of a module. Raise ArticulataError, in the words ``told``,
    where workers die again and again.
    """
    undone, deaths = dict.fromkeys(items), 0
    threads = max(1, thread_count() // workers)
    while undone:
        here = not deaths
        waiting = deque(undone)
        others = min(workers, len(waiting)) - here
        pool = ProcessPoolExecutor(max(1, others), get_context("spawn"), begin, (threads, True))
        jobs: dict[Future[Made], Item] = {}
        try:
            while waiting or jobs:
                while len(waiting) > here and len(jobs) < AHEAD * others:
                    item = waiting.popleft()
                    jobs[pool.submit(work, item)] = item
                busy = here and bool(waiting)
                if busy:
                    item = waiting.pop()
                    made = work(item)
                    del undone[item]
                    yield item, made
                for job in wait(jobs, 0 if busy else None, FIRST_COMPLETED).done:
                    made = job.result()
                    del undone[jobs[job]]
                    deaths = 0
                    yield jobs.pop(job), made
        except BrokenProcessPool as error:
            deaths += 1
            if deaths == DEATHS:
                raise ArticulataError(told) from error
        finally:
            pool.shutdown(cancel_futures=True)


def begin(threads: int, quiet: bool = False) -> None:
    """Begin a worker: it ends with whoever began it, and at Ctrl-C without a word.

    ``quiet``: whoever began it compiles the same kernels, and says so.
    """
    os.environ[THREADS_VARIABLE] = str(threads)
    if quiet:
        os.environ[QUIET_VARIABLE] = "1"
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    Thread(target=follow, daemon=True).start()


def dealt(
    client: Any, work: Callable[[Item], Made], items: Iterable[Item], told: str
) -> Iterator[tuple[Item, Made]]:
    """Yield the same of a Dask ``client``'s workers; one that is lost is replaced."""
    from distributed import KilledWorker
    from distributed import as_completed as as_they_end

    jobs = {client.submit(work, each, pure=False, retries=0): each for each in items}
    try:
        for job in as_they_end(list(jobs)):  # type: ignore[no-untyped-call] # typed in part
            yield jobs[job], job.result()
    except KilledWorker as error:
        raise ArticulataError(told) from error
    finally:
        client.cancel(list(jobs))


def spread(
    workers: int,
    work: Callable[[Item], Made],
    items: Iterable[Item],
    told: str,
    scheduler: str = "",
) -> Iterator[tuple[Item, Made]]:
    """Yield the same of ``workers`` processes, or of a Dask ``scheduler``'s where one is given."""
    if not scheduler:
        yield from beside(workers, work, items, told)
        return
    if workers > 1:
        raise ArticulataError("give --workers or --scheduler: a scheduler has workers of its own")
    with client_of(scheduler) as client:
        yield from dealt(client, work, items, told)


@contextmanager
def client_of(scheduler: str) -> Iterator[Any]:
    """Give the workers of a Dask ``scheduler`` at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra(
            "a scheduler needs the package distributed; install it with: pip install "
            "'articulata[study]'"
        ) from None
    try:
        client = Client(scheduler, timeout="10s")  # type: ignore[no-untyped-call] # typed in part
    except (OSError, ValueError) as error:
        raise ArticulataError(
            f"no Dask scheduler answers at {scheduler} ({error}); start one with "
            "'dask scheduler', or give --workers"
        ) from error
    with client:
        yield client
