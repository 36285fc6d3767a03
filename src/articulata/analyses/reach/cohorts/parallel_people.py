"""Several people answered at a time: in processes of their own, or on threads.

Python lets one thread at a time go on, and between kernels there is much of it: a second thread
gains a fifth, a second process two thirds. A process starts as a copy of this one (``fork``), so
that nothing is read or built twice, and brings its answers back; whatever else it finds is lost
with it. Only a process of a single thread can be copied safely. Elsewhere, and where what is found
is kept for later questions, people are answered on threads. The answers are the same bytes.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from mmap import mmap
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as ready
from typing import Any, TypeAlias, TypeVar

import numpy as np

from articulata.kernels.lanes.host import THREADS_VARIABLE, single_threaded, thread_count

S = TypeVar("S")
T = TypeVar("T")

Works: TypeAlias = Sequence[Callable[[Any], Any]]
Heard: TypeAlias = Sequence[Callable[[list[Any]], object]]

PAUSE = 0.1
"""s. So often at least the caller is told how far the work is."""

_DIE_WITH_PARENT = 1, 9
"""``PR_SET_PDEATHSIG`` and ``SIGKILL`` of Linux, see ``man 2 prctl``."""


class Tally:
    """How much is done of each of several items, whichever thread or process does it.

    ``told`` hears the sum, on the thread that made the tally.
    """

    def __init__(self, count: int, told: Callable[[int], None] | None = None) -> None:
        self._done = np.frombuffer(mmap(-1, 8 * max(count, 1)), np.int64)  # shared by processes
        self._told = told
        self._home = os.getpid(), threading.get_ident()

    def count(self, item: int, done: int) -> None:
        """Note that of an item so much is done by now."""
        self._done[item] = done
        if self._home == (os.getpid(), threading.get_ident()):
            self.tell()

    def tell(self) -> None:
        """Tell the sum."""
        if self._told is not None:
            self._told(int(self._done.sum()))


def abreast(
    work: Callable[[S], T], items: Sequence[S], tally: Tally | None = None, *, apart: bool = False
) -> list[T]:
    """Return what ``work`` makes of each item, several at a time; see ``in_turn``."""
    found: list[T] = []
    in_turn([work], items, [found.extend], tally, apart=apart)
    return found


def in_turn(
    works: Works, items: Sequence[Any], heard: Heard, tally: Tally | None = None, *,
    apart: bool = False,
) -> None:  # fmt: skip
    """Do all ``works`` for each item, one after the other; as many items at a time as processors.

    Each of ``heard`` is told what the work of its number made of all items, on the caller's thread;
    meanwhile the next works go on, and ``tally`` tells how far they are. ``apart`` allows processes
    of their own: what works make is brought back, what else they change is not.
    """
    tally = tally or Tally(0)
    workers = min(thread_count(), len(items))
    if workers <= 1:
        _made_here(works, items, [{} for _ in works], heard)
    elif apart and may_part():
        _in_processes(works, items, heard, tally, workers)
    else:
        _on_threads(works, items, heard, tally, workers)
    tally.tell()


def may_part() -> bool:
    """Return whether works that are allowed processes of their own get them."""
    return thread_count() > 1 and single_threaded()


def _on_threads(
    works: Works, items: Sequence[Any], heard: Heard, tally: Tally, workers: int
) -> None:
    made: list[list[Future[Any]]] = [[Future() for _ in items] for _ in works]
    stopped = threading.Event()

    def go_on(number: int, item: int) -> None:
        try:
            made[number][item].set_result(works[number](items[item]))
        except BaseException as error:  # the caller's thread raises it
            for each in made[number:]:
                each[item].set_exception(error)
            return
        if number + 1 < len(works) and not stopped.is_set():
            pool.submit(go_on, number + 1, item)

    # threads of their own: those that kernels are spread over wait for nobody
    with ThreadPoolExecutor(workers, thread_name_prefix="people") as pool:
        try:
            for item in range(len(items)):
                pool.submit(go_on, 0, item)
            for hear, answers in zip(heard, made, strict=True):
                while wait(answers, PAUSE).not_done:
                    tally.tell()
                hear([each.result() for each in answers])
        finally:
            stopped.set()


def _made_here(
    works: Works, items: Sequence[Any], made: Sequence[dict[int, Any]], heard: Heard
) -> None:
    """Make here what is not made yet, and tell it."""
    for work, found, hear in zip(works, made, heard, strict=True):
        hear([found[n] if n in found else work(item) for n, item in enumerate(items)])


# ---- processes


def _in_processes(
    works: Works, items: Sequence[Any], heard: Heard, tally: Tally, workers: int
) -> None:
    made: list[dict[int, Any]] = [{} for _ in works]
    context = multiprocessing.get_context("fork")
    processes = []
    ends: list[Connection] = []
    told = 0
    try:
        for mine in _dealt(len(items), workers):
            end, theirs = context.Pipe(duplex=False)
            process = context.Process(
                target=_answer, args=(works, items, mine, theirs, workers), daemon=True
            )
            process.start()
            theirs.close()
            processes.append(process)
            ends.append(end)
        while told < len(works):
            while told < len(works) and len(made[told]) == len(items):
                heard[told]([made[told][item] for item in range(len(items))])
                told += 1
            if not _took(ends, made):
                break
            tally.tell()
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
    # One that was killed, or met an error, leaves its answers to this process, which raises it.
    _made_here(works[told:], items, made[told:], heard[told:])


def _dealt(count: int, workers: int) -> list[list[int]]:
    """Deal items to workers, to and fro: who has the first of one round has the last of the next.

    How long they take is not known; people who are named beside each other are often alike.
    """
    hands: list[list[int]] = [[] for _ in range(workers)]
    for item in range(count):
        turn, place = divmod(item, workers)
        hands[workers - 1 - place if turn % 2 else place].append(item)
    return hands


def _took(ends: list[Connection], made: list[dict[int, Any]]) -> bool:
    """Take the answers that are there; False once one of the processes brings no more."""
    for end in ready(ends, PAUSE):
        assert isinstance(end, Connection)
        try:
            number, item, answer = end.recv()
        except (EOFError, OSError):
            return False
        made[number][item] = answer
    return True


def _answer(
    works: Works, items: Sequence[Any], mine: list[int], end: Connection, workers: int
) -> None:
    """Do the works for the items that are ``mine``, in a process apart."""
    ctypes.CDLL(None).prctl(*_DIE_WITH_PARENT)
    os.environ[THREADS_VARIABLE] = str(max(1, thread_count() // workers))
    try:
        for number, work in enumerate(works):
            for item in mine:
                end.send((number, item, work(items[item])))
        # an end that closes says that something is missing: wait to be ended
        threading.Event().wait()
    except BaseException:  # an interruption, or what the process that asked meets again
        return
