"""How kernels are compiled and where the compiled code is kept.

The only module that touches Numba's global cache setting: ``_config.CACHE_DIR`` is set
while one of our functions is being decorated and restored afterwards. Numba does not notice
edits in modules that a kernel imports, so the folder's name carries a hash of every kernel
source; an unwritable folder falls back to compiling anew in each process, with one message.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numba

_config: Any = numba.config  # its settings are attributes made at run time

Function = TypeVar("Function", bound=Callable[..., Any])

CACHE_VARIABLE = "ARTICULATA_CACHE"
"""Environment variable that names the cache folder; the user's cache folder otherwise."""


@functools.cache
def source_hash() -> str:
    """Return a short hash over the sources of every kernel module and Numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder of this version's compiled kernels, or None where none can be written."""
    base = os.environ.get(CACHE_VARIABLE)
    if base is None:
        base = os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "articulata")
    folder = Path(base).expanduser() / f"kernels-{source_hash()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        print(  # noqa: T201 # the only word an unwritable cache gets
            f"articulata: compiled kernels cannot be kept in {folder} ({error.strerror}); they are "
            f"compiled anew in each process. Set {CACHE_VARIABLE} to a folder that can be written.",
            file=sys.stderr,
        )
        return None
    return folder


def compiled_before() -> bool:
    """Return whether kernels of this version were compiled and kept by an earlier process."""
    folder = cache_folder()
    return folder is not None and next(folder.rglob("*.nbi"), None) is not None


@overload
def kernel(function: Function) -> Function: ...


@overload
def kernel(
    *, fastmath: bool | set[str] = False, inline: bool = False, counted: bool = True
) -> Callable[[Function], Function]: ...


def kernel(
    function: Function | None = None,
    *,
    fastmath: bool | set[str] = False,
    inline: bool = False,
    counted: bool = True,
) -> Any:
    """Compile a module-level function on its first call and keep the result across processes.

    Kernels release the interpreter lock and follow NumPy's floating-point error model.
    ``fastmath`` takes a set of LLVM flags; ``nnan`` and ``ninf`` are refused, because a NaN
    given by a user must come out as a NaN. ``inline`` forces a small function into its callers
    (values of many lanes are expensive to pass); it is then not kept on its own.
    ``counted=False`` leaves out the counting of references to arrays, which costs more than the
    work in kernels that hand many arrays to each other; such a kernel cannot create arrays.
    """
    if isinstance(fastmath, set) and fastmath & {"nnan", "ninf"}:
        raise ValueError("fastmath flags nnan and ninf would hide a NaN in the input")

    def decorate(target: Function) -> Any:
        folder = cache_folder()
        before = _config.CACHE_DIR
        try:
            if folder is not None:
                _config.CACHE_DIR = str(folder)
            compiler: Any = numba.njit  # its published types leave out _nrt
            return compiler(
                cache=folder is not None and not inline,
                nogil=True,
                error_model="numpy",
                fastmath=fastmath,
                forceinline=inline,
                _nrt=counted,
            )(target)
        finally:
            _config.CACHE_DIR = before

    return decorate if function is None else decorate(function)
