"""Whether there is a CUDA device to work on, and when it is worth using.

The device runs the scalar twins of the kernels, in float64: the same sources, so the same
answers to rounding. It is chosen only for large batches, when the extra is installed and a
device answers that is made for float64; what fails on the way is said once and done on the
processor.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

VARIABLE = "ARTICULATA_CUDA"
"""Environment variable: ``0`` keeps everything on the processor, ``1`` uses any device always."""

FEWEST = 20_000
"""Targets from which the device is used; below, starting it costs more than it saves."""

THREADS = 128
"""Threads in one block: a multiple of the warp, few enough for many registers each."""

SLOWEST_DOUBLE = 4
"""Times that float64 may be slower than float32; on most cards for games it is 32 or 64."""

SIZES = (8, 24, 64)
"""Joints that a compiled kernel has room for; scratch of a thread is of fixed size."""

Result = TypeVar("Result")


@cache
def present() -> bool:
    """Return whether the extra is installed and a device answers."""
    if os.environ.get(VARIABLE) == "0" or importlib.util.find_spec("numba_cuda") is None:
        return False
    import numba.cuda

    cuda: Any = numba.cuda  # its functions are made at run time
    return bool(cuda.is_available())


@cache
def made_for_double() -> bool:
    """Return whether the device that is there computes in float64 at a fair share of its rate."""
    import numba.cuda

    cuda: Any = numba.cuda
    slower = getattr(cuda.get_current_device(), "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO", 0)
    return 0 < int(slower) <= SLOWEST_DOUBLE


def wanted(targets: int, joints: int) -> bool:
    """Return whether a batch goes to the device."""
    if joints > SIZES[-1]:
        return False
    if os.environ.get(VARIABLE) == "1":
        return present()
    return targets >= FEWEST and present() and made_for_double()


def room_for(joints: int) -> int:
    """Return the smallest of ``SIZES`` that holds so many joints."""
    return next(size for size in SIZES if size >= joints)


@cache
def _failures() -> tuple[type[Exception], ...]:
    """Return the exceptions by which a device says that it cannot go on."""
    import numba.cuda
    from numba.core.errors import NumbaError

    drivers: Any = numba.cuda.cudadrv
    known = drivers.error
    # Numba raises NotImplementedError for what its target cannot be made to do
    compiling = (NumbaError, NotImplementedError, known.NvvmError)
    running = (known.CudaDriverError, known.CudaSupportError, drivers.driver.CudaAPIError)
    return (*compiling, *running, MemoryError)


def attempt(work: Callable[[], Result]) -> Result | None:
    """Return what ``work`` returns, or None (and say so once) where the device fails."""
    try:
        return work()
    except _failures() as failure:
        _say_failed(f"{type(failure).__name__}: {failure}")
        return None


@cache
def _say_failed(reason: str) -> None:
    print(  # noqa: T201 # nobody else is there to say it
        f"articulata: the CUDA device failed ({reason}); the processor does the work. "
        f"Set {VARIABLE}=0 to keep it there.",
        file=sys.stderr,
    )


def launch(kernel: Any, threads: int, *arguments: Any) -> None:
    """Run a kernel on so many threads."""
    with warnings.catch_warnings():
        # The last rounds have few targets left; Numba would advise users of ours to have more.
        warnings.filterwarnings("ignore", message=".*Grid size .* low occupancy")
        configured = kernel[(threads + THREADS - 1) // THREADS, THREADS]
    configured(*arguments)
