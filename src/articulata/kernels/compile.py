"""How kernels are compiled and where the compiled code is kept.

A kernel is compiled when it is first called, and Numba is imported then. The compiled code is
kept in a folder, in files whose names carry a hash of every source that went into it. Without such
a folder kernels are compiled anew in each process, with one message. A wheel built by ``make dist``
brings the kernels that ``articulata warm`` asks for, compiled ahead.
"""

from __future__ import annotations

import functools
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")

CACHE_VARIABLE = "ARTICULATA_CACHE"
"""Environment variable that names the cache folder; the user's cache folder otherwise."""

NOWHERE = Path(os.devnull)
"""Stands for a folder that can neither be read nor written."""

SHIPPED = Path(__file__).parent / "compiled"
"""Folder of what a wheel brings, one folder within for each of ``LEVELS``. Its files are named
as if the processor were that level and no more."""

TARGET_VARIABLE = "NUMBA_CPU_NAME"
"""Numba's environment variable that names the processor to compile for; this one otherwise."""

LEVELS = {
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
}
"""Levels of processors that kernels are compiled for ahead, the highest first, and what each has
beyond the one below (x86-64 psABI, table 3.1, in LLVM's names)."""


@functools.cache
def level() -> str | None:
    """Return the highest of ``LEVELS`` that the processor to compile for has; None for none."""
    if TARGET_VARIABLE in os.environ:
        asked = os.environ[TARGET_VARIABLE]
        return asked if asked in LEVELS else None
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    found = None
    for name, needed in reversed(LEVELS.items()):
        if not all(features.get(each) for each in needed):
            break
        found = name
    return found


@functools.cache
def cache_base() -> Path:
    """Return the folder under which compiled kernels are kept; it need not exist."""
    base = os.environ.get(CACHE_VARIABLE)
    if base is None:
        base = os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "articulata")
    return Path(base).expanduser()


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder of compiled kernels, or None where none can be written."""
    folder = cache_base() / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        _say_once(
            f"articulata: compiled kernels cannot be kept in {cache_base()} ({error.strerror}); "
            f"they are compiled anew in each process. Set {CACHE_VARIABLE} to a folder that can "
            "be written."
        )
        return None
    return folder


@functools.cache
def _say_once(message: str) -> None:
    """Print to stderr: the only word an unwritable cache gets."""
    print(message, file=sys.stderr)  # noqa: T201 # nobody else is there to say it


class Kernel:
    """A function that is compiled when it is first called: by Python, or by another kernel."""

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any], *, keep: bool, apart: bool
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._options = options
        self._keep = keep
        self._apart = apart

    def __call__(self, *arguments: Any) -> Any:
        """Run the compiled function."""
        return self._entry(*arguments)

    @functools.cached_property
    def _entry(self) -> Any:
        from articulata.kernels.overloads import entry_of, entry_to

        if self._apart:
            return entry_to(self, self._function, self._options, self._folder)
        return entry_of(self._function, self._options, self._folder)

    @functools.cached_property
    def inner(self) -> Any:
        """The form that other kernels call."""
        from articulata.kernels.overloads import apart_of, inner_of

        form = apart_of if self._apart else inner_of
        return form(self._function, self._options, self._folder)

    @functools.cached_property
    def _on_device(self) -> Any:
        import numba.cuda

        cuda: Any = numba.cuda  # its functions are made at run time
        return cuda.jit(device=True)(self._function)

    @property
    def _numba_type_(self) -> Any:
        # Numba asks any value for this name to learn what it is for compiled code.
        from numba.core.target_extension import current_target

        target: Any = current_target  # without types
        return (self._on_device if target() == "cuda" else self.inner)._numba_type_

    @property
    def _folder(self) -> Path | None:
        return (cache_folder() or NOWHERE) if self._keep else None


def bind(function: Callable[..., Result], *arguments: Any) -> Callable[..., Result]:
    """Return the compiled form of a kernel for arguments of the types of these, and of no other.

    It takes each argument for what it was bound to, without a look: a third of the cost of
    calling a small kernel. Who calls it answers for types, orders and contiguity.
    """
    import numba

    assert isinstance(function, Kernel)
    typeof: Any = numba.typeof  # without types
    compiled: Callable[..., Result] = function._entry.compile(tuple(map(typeof, arguments)))
    return compiled


@overload
def kernel(function: Function) -> Function: ...


@overload
def kernel(
    *,
    fastmath: bool | set[str] = False,
    inline: bool = False,
    counted: bool = True,
    apart: bool = False,
) -> Callable[[Function], Function]: ...


def kernel(
    function: Function | None = None,
    *,
    fastmath: bool | set[str] = False,
    inline: bool = False,
    counted: bool = True,
    apart: bool = False,
) -> Any:
    """Compile a module-level function on its first call and keep the result across processes.

    Kernels release the interpreter lock and follow NumPy's floating-point error model.
    ``fastmath`` takes a set of LLVM flags; ``nnan`` and ``ninf`` are refused, because a NaN
    given by a user must come out as a NaN. ``inline`` forces a small function into its callers
    (values of many lanes are expensive to pass); it is then not kept on its own.
    ``counted=False`` leaves out the counting of references to arrays, which costs more than the
    work in kernels that hand many arrays to each other; such a kernel cannot create arrays.
    ``apart`` is for a large kernel that several entries use: it is compiled once, not within each.
    """
    if isinstance(fastmath, set) and fastmath & {"nnan", "ninf"}:
        raise ValueError("fastmath flags nnan and ninf would hide a NaN in the input")

    def decorate(target: Function) -> Any:
        options = {
            "nogil": True,
            "error_model": "numpy",
            "fastmath": fastmath,
            "forceinline": inline,
            "_nrt": counted,
        }
        # A function made by another one depends on more than its sources.
        keep = not inline and target.__closure__ is None
        return Kernel(target, options, keep=keep, apart=apart)

    return decorate if function is None else decorate(function)
