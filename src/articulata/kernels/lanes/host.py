"""What this machine's processor can do, and how a batch is spread over threads.

Lane counts follow the vector registers and were chosen by measurement: more registers for each
value hide latency, until the work space of a block leaves the first cache. Threads run kernels
that release the interpreter lock; results do not depend on how many there are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import llvmlite.binding as llvm

from articulata.kernels.compile import level

THREADS_VARIABLE = "ARTICULATA_THREADS"
"""Environment variable that bounds the threads of a batch; 1 keeps everything on the caller's."""


def vector_bits() -> int:
    """Return the width of the widest vector register that compiled kernels may use."""
    if (known := level()) is not None:
        return 512 if known == "x86-64-v4" else 256
    features = llvm.get_host_cpu_features()
    if features.get("avx512f") and features.get("avx512dq"):
        return 512
    return 256 if features.get("avx2") else 128


LANES_FLOAT64 = vector_bits() // 64 * 2
"""Points per value in float64 kernels: two registers' worth (16 with AVX-512)."""

LANES_FLOAT32 = vector_bits() // 32
"""Points per value in float32 kernels: one register's worth (16 with AVX-512); with two, the frames
of a chain no longer fit the registers."""


def processor_count() -> int:
    """Return how many processors this process may use; fewer than the machine's where bound."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count() -> int:
    """Return how many threads a batch may use: the processors given to us, or the variable."""
    given = os.environ.get(THREADS_VARIABLE, "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return processor_count()


_NAME = "articulata"

_POOLS: dict[int, ThreadPoolExecutor] = {}
"""Threads that batches are spread over, by their number."""


def _pool(threads: int) -> ThreadPoolExecutor:
    found = _POOLS.get(threads)
    return found or _POOLS.setdefault(
        threads, ThreadPoolExecutor(threads, thread_name_prefix=_NAME)
    )


def single_threaded() -> bool:
    """Return whether this process has one thread only, so that a copy of it is safe to go on.

    Idle threads of batches are ended for that; the next batch starts new ones. False where the
    system does not tell.
    """
    here = threading.current_thread()
    if all(each is here or each.name.startswith(_NAME) for each in threading.enumerate()):
        for pool in _POOLS.values():
            pool.shutdown()
        _POOLS.clear()
    tasks = Path("/proc/self/task")  # those that libraries started are in it too
    return tasks.is_dir() and len(list(tasks.iterdir())) == 1


def spread(
    work: Callable[[int, int], None], count: int, *, grain: int, threads: int | None = None
) -> None:
    """Call ``work(begin, end)`` over ``range(count)``, in pieces of ``grain`` on several threads.

    The pieces are the same for every number of threads, so that results are too. A batch of
    one piece runs on the caller's thread: nothing is handed over.
    """
    if count <= grain:
        if count > 0:
            work(0, count)
        return
    pieces = range(0, count, grain)
    workers = min(threads if threads is not None else thread_count(), len(pieces))
    if workers <= 1:
        for begin in pieces:
            work(begin, min(begin + grain, count))
        return
    jobs = [_pool(workers).submit(work, begin, min(begin + grain, count)) for begin in pieces]
    for job in jobs:
        job.result()
