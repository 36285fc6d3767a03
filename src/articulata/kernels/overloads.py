"""The compiled forms of a kernel, and their files.

A kernel that Python calls is an *entry*: machine code with everything it uses inside, and a
wrapper that takes Python's arguments apart. A kernel that kernels call is an *inner* one:
intermediate code, to be merged into its callers and optimised there. Numba makes both, and a third
wrapper, of every function; each form alone takes about half the time.

A large kernel that many entries use has its inner form *apart*: machine code of its own, which its
callers reach by its address, so that it is compiled once and not in each of them. Files tell which
kernels their code calls so; these are read, or compiled, before.

The files are named by all that their content depends on, so that there is no index to look up or
to race for. Where an entry is read from its file, nothing is prepared for compiling: Numba's own
cache would import SciPy's linear algebra and install some thousand declarations first.

This module knows more of Numba than Numba promises; ``pyproject.toml`` bounds its version.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import os
import pickle
import sys
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from numba.core import compiler, serialize, types
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys

from articulata.kernels import compile as compiling
from articulata.kernels.announcing import announce
from articulata.kernels.sources import PACKAGE, logic, module_hash

ENTRY, INNER, APART = ".entry", ".inner", ".apart"
"""Endings of the files."""

CHECK = hashlib.sha256().digest_size
"""Bytes at the start of a file: the hash of the rest."""


def entry_of(function: Callable[..., Any], options: Mapping[str, Any], folder: Path | None) -> Any:
    """Return the dispatcher by which Python calls ``function``; kept in ``folder`` if there."""
    jit: Any = numba.njit  # its published types leave some options out
    dispatcher = jit(**options, no_cfunc_wrapper=True)(function)
    if folder is not None:
        dispatcher._cache = KeptEntries(function, folder)
    return dispatcher


def entry_to(kernel: Any, function: Callable[..., Any], options: Any, folder: Path | None) -> Any:
    """Return the dispatcher by which Python calls a ``kernel`` that stands apart: it calls that."""
    names = ", ".join(inspect.signature(function).parameters)
    made: dict[str, Any] = {"kernel": kernel, "__name__": function.__module__}
    exec(f"def {function.__name__}({names}):\n    return kernel({names})", made)  # as Numba asks
    dispatcher = entry_of(made[function.__name__], options, None)
    if folder is not None:
        dispatcher._cache = KeptEntries(function, folder)
    return dispatcher


def inner_of(function: Callable[..., Any], options: Mapping[str, Any], folder: Path | None) -> Any:
    """Return the dispatcher by which kernels call ``function``; kept in ``folder`` if there."""
    without = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = InnerDispatcher(
        function, targetoptions={**options, **without}, pipeline_class=InnerCompiler
    )
    if folder is not None:
        dispatcher._cache = KeptInners(function, folder)
    return dispatcher


def apart_of(function: Callable[..., Any], options: Mapping[str, Any], folder: Path | None) -> Any:
    """Return the dispatcher by which kernels call ``function`` where it stands apart."""
    without = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = InnerDispatcher(
        function, targetoptions={**options, **without}, pipeline_class=ApartCompiler
    )
    if folder is not None:
        dispatcher._cache = KeptAparts(function, folder)
    return dispatcher


class Apart(NamedTuple):
    """A kernel apart that code calls: where it is from, and the symbol the code knows it by."""

    symbol: str
    module: str
    name: str
    arguments: tuple[Any, ...]

    def provide(self) -> None:
        """Let the symbol stand for the kernel's machine code, read or compiled where it is not."""
        if self.symbol in _provided:
            return
        dispatcher = getattr(importlib.import_module(self.module), self.name).inner
        dispatcher.compile(self.arguments)
        self.provide_as(dispatcher.overloads[self.arguments])

    def provide_as(self, made: Any) -> None:
        """Let the symbol stand for a compiled overload."""
        llvm.add_symbol(self.symbol, made.library.address(made.fndesc.llvm_func_name))
        _provided.add(self.symbol)


_provided: set[str] = set()


def calls_of(library: Any) -> tuple[Apart, ...]:
    """Return the kernels apart that the code of a library calls."""
    if isinstance(library, ApartLibrary):
        assert library.itself is not None
        return (library.itself,)
    if isinstance(library, InnerLibrary) and library.calls is not None:
        return library.calls
    return calls_below(library)


def calls_below(library: Any) -> tuple[Apart, ...]:
    """Return the kernels apart that the code linked into a library calls."""
    found = {each: None for linked in library._linking_libraries for each in calls_of(linked)}
    return tuple(found)


class Unaddressed:
    """Stands for the address of an inner overload, which has none."""


class InnerLibrary(JITCodeLibrary):
    """Code that is linked into others, but not turned into machine code.

    Each function was cleaned by itself. What inlines functions into others runs once, in the entry
    that holds them all: here it would run again at every level of calls, on ever larger code.
    """

    calls: tuple[Apart, ...] | None = None
    """The kernels apart that it calls, where that was read from its file."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class InnerCompiler(compiler.Compiler):
    """Numba's compiler up to intermediate code."""

    def __init__(
        self,
        typingctx: Any,
        targetctx: Any,
        library: Any,
        args: Any,
        return_type: Any,
        flags: Any,
        locals: Any,
    ) -> None:
        flags.no_compile = True
        library = InnerLibrary(targetctx.codegen(), "inner")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)

    def compile_extra(self, func: Any) -> Any:
        """Compile ``func`` and let its callers find the result."""
        made = super().compile_extra(func)._replace(entry_point=Unaddressed())
        made.target_context.insert_user_function(made.entry_point, made.fndesc, [made.library])
        return made


class ApartLibrary(JITCodeLibrary):
    """Machine code that others call by its address: nothing of it is linked into them."""

    itself: Apart | None = None

    def _get_module_for_linking(self) -> Any:
        return llvm.parse_assembly(str(self._codegen._create_empty_module(self.name)))

    def address(self, symbol: str) -> int:
        """Return where the function of that name starts."""
        address: int = self._codegen._engine.get_function_address(symbol)
        assert address
        return address

    @classmethod
    def read(cls, codegen: Any, name: str, machine: bytes) -> ApartLibrary:
        """Return the library again whose machine code was kept."""
        library: ApartLibrary = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(machine)
        library._finalize_final_module()
        return library


class ApartCompiler(compiler.Compiler):
    """Numba's compiler up to machine code, without an object that Python could call."""

    def __init__(
        self,
        typingctx: Any,
        targetctx: Any,
        library: Any,
        args: Any,
        return_type: Any,
        flags: Any,
        locals: Any,
    ) -> None:
        flags.no_compile = True
        library = ApartLibrary(targetctx.codegen(), "apart")
        library.enable_object_caching()
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)

    def compile_extra(self, func: Any) -> Any:
        """Compile ``func`` and let its callers find the result."""
        made = super().compile_extra(func)._replace(entry_point=Unaddressed())
        made.library._ensure_finalized()
        for environment in made._find_referenced_environments():
            made.library.codegen.set_env(environment.env_name, environment)
        made.library.itself = _itself(func, made)
        made.library.itself.provide_as(made)
        made.target_context.insert_user_function(made.entry_point, made.fndesc, [made.library])
        return made


def _itself(function: Any, made: Any) -> Apart:
    symbol = made.fndesc.llvm_func_name
    return Apart(symbol, function.__module__, function.__name__, tuple(made.signature.args))


def _plain(kind: Any) -> Any:
    """Return a type without the values that it tells."""
    if isinstance(kind, types.BaseTuple) and not isinstance(kind, types.BaseNamedTuple):
        parts: Any = kind
        return types.Tuple([_plain(each) for each in parts.types])
    return types.unliteral(kind)


class InnerDispatcher(CPUDispatcher):
    """A dispatcher that only compiled code asks.

    Numba takes a number that stands in a call for a type of its own, and would compile a kernel for
    each such number: up to twice the kernels, for nothing.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how to call the kernel with arguments of these types."""
        named = {name: _plain(each) for name, each in kws.items()}
        return super().get_call_template(tuple(map(_plain, args)), named)

    def add_overload(self, cres: Any) -> None:
        """Remember a result; there is no address that Python could call."""
        self.overloads[tuple(cres.signature.args)] = cres


class Kept(_Cache):
    """The overloads of one kernel, in files of ``folder`` whose names stand for the sources.

    What cannot be read is compiled again; what cannot be written is not kept.
    """

    ending = ""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function = function
        self._folder = folder
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def enable(self) -> None:
        """Read and write files from here on."""
        self._enabled = True

    def disable(self) -> None:
        """Neither read nor write files from here on."""
        self._enabled = False

    def flush(self) -> None:
        """Delete the files of this kernel."""
        for path in self._folder.glob(f"{self._stem}-*{self.ending}"):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what compiling for ``sig`` gave, None where that is not kept."""
        if not self._enabled:
            return None
        target = target_context.codegen().magic_tuple()
        data = _checked(self._folder / self._name(sig, target))
        if data is None and (known := compiling.level()) is not None and compiling.SHIPPED.is_dir():
            data = _checked(compiling.SHIPPED / known / self._name(sig, (target[0], known, "")))
        return None if data is None else self._revived(pickle.loads(data), target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what compiling for ``sig`` gave."""
        kept = self._enabled and self._folder.is_dir()
        if not kept or data.library.has_dynamic_globals or data.lifted:
            return
        content = serialize.dumps(self._reduced(data))
        path = self._folder / self._name(sig, data.codegen.magic_tuple())
        fresh = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        try:
            fresh.write_bytes(hashlib.sha256(content).digest() + content)
            fresh.replace(path)
        except OSError:
            fresh.unlink(missing_ok=True)

    @abstractmethod
    def _reduced(self, made: Any) -> Any:
        """Return a compiled overload as plain values."""

    @abstractmethod
    def _revived(self, payload: Any, target_context: Any) -> Any:
        """Return the compiled overload again."""

    @property
    def _stem(self) -> str:
        name = self._function.__module__
        module = name.removeprefix(f"{PACKAGE}.")
        return f"{module}.{self._function.__name__}-{module_hash(name)}"

    def _name(self, sig: Any, target: Any) -> str:
        """Return the file's name; ``target``: triple, processor and features compiled for."""
        code = self._function.__code__
        source = _source_digest(code.co_filename)
        what = sig, target, sys.version_info[:2], source, code.co_code
        key = repr((*what, *_tuples(getattr(sig, "args", sig))))
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        return f"{self._stem}-{digest}{self.ending}"


def _checked(path: Path) -> bytes | None:
    """Return what a file holds after its hash; None where it cannot be read or is damaged."""
    try:
        kept = path.read_bytes()
    except OSError:
        return None
    check, data = kept[:CHECK], kept[CHECK:]
    return data if hashlib.sha256(data).digest() == check else None


def _tuples(kinds: Iterable[Any]) -> Iterator[str]:
    """Yield whose fields stand where, of the named tuples among types and in them.

    Numba's name of such a type tells neither: code for one would be taken for another's.
    """
    for kind in kinds:
        if isinstance(kind, types.BaseNamedTuple):
            named: Any = kind
            yield f"{named.instance_class.__module__}.{named.name}{named.fields}"
        if isinstance(kind, types.BaseTuple):
            parts: Any = kind
            yield from _tuples(parts.types)
        elif hasattr(kind, "inner"):  # a held one
            yield from _tuples((kind.inner,))


@functools.cache
def _source_digest(file: str) -> str:
    """Return a hash of a source: kernels outside the package have no folder for theirs."""
    return hashlib.sha256(logic(Path(file)).encode()).hexdigest()


class KeptEntries(Kept):
    """Machine code, without the intermediate code that only a caller would need."""

    ending = ENTRY

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what compiling for ``sig`` gave; None, and a word, where that is to come."""
        found = super().load_overload(sig, target_context)
        if found is None:
            announce()
        return found

    def _reduced(self, made: Any) -> Any:
        for environment in made._find_referenced_environments():
            # Those of the inner kernels, which Numba sets where it compiles them.
            made.library.codegen.set_env(environment.env_name, environment)
        (name, kind, (machine, _)), *rest = made._reduce()
        names = (made.fndesc.llvm_func_name, made.fndesc.llvm_cpython_wrapper_name)
        text = "".join(f'define void @"{each}"() {{ ret void }}\n' for each in names)
        defined = llvm.parse_assembly(text).as_bitcode()
        return calls_below(made.library), ((name, kind, (machine, defined)), *rest)

    def _revived(self, payload: Any, target_context: Any) -> Any:
        calls, result = payload
        rtsys.initialize(target_context)
        for each in calls:
            each.provide()
        return compiler.CompileResult._rebuild(target_context, *result)


class KeptAparts(Kept):
    """Machine code that other kernels call."""

    ending = APART

    def _reduced(self, made: Any) -> Any:
        made.fndesc.typemap = made.fndesc.calltypes = None
        library = made.library
        machine = library._get_compiled_object()
        environments = tuple(made._find_referenced_environments())
        return (
            calls_below(library),
            library.name,
            machine,
            made.fndesc,
            made.environment,
            environments,
            made.signature,
        )

    def _revived(self, payload: Any, target_context: Any) -> Any:
        calls, name, machine, description, environment, environments, signature = payload
        rtsys.initialize(target_context)
        for each in calls:
            each.provide()
        library = ApartLibrary.read(target_context.codegen(), name, machine)
        made = _result(target_context, library, description, environment, signature)
        library.itself = _itself(self._function, made)
        library.itself.provide_as(made)
        for each in environments:
            library.codegen.set_env(each.env_name, each)
        return made


class KeptInners(Kept):
    """Intermediate code."""

    ending = INNER

    def _reduced(self, made: Any) -> Any:
        made.fndesc.typemap = made.fndesc.calltypes = None
        name, _, code = made.library.serialize_using_bitcode()
        calls = calls_of(made.library)
        return calls, name, code, made.fndesc, made.environment, made.signature

    def _revived(self, payload: Any, target_context: Any) -> Any:
        calls, name, code, description, environment, signature = payload
        for each in calls:
            each.provide()
        library = InnerLibrary(target_context.codegen(), name)
        library.calls = calls
        library._final_module = llvm.parse_bitcode(code)
        library._finalize_final_module()
        return _result(target_context, library, description, environment, signature)


def _result(
    target_context: Any, library: Any, description: Any, environment: Any, signature: Any
) -> Any:
    """Return what was compiled for other kernels as Numba knows it."""
    return compiler.compile_result(
        typing_context=target_context.typing_context,
        target_context=target_context,
        library=library,
        environment=environment,
        entry_point=Unaddressed(),
        fndesc=description,
        signature=signature,
        objectmode=False,
        lifted=(),
        reload_init=(),
        referenced_envs=(),
    )
