"""Controllers from Python files that lie beside a world, and those in other processes.

The one place where a file of a world is executed, and only on request: the file is named by the
text's ``import "controllers.py"`` or by the user, and lies in the world's own folder. Connections
to other processes are made, bound to names, and ended here.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from articulata.errors import ControllerError
from articulata.network.controller_process import TIMEOUT, ControllerProcess
from articulata.records.recording import Recording
from articulata.world.model import Drive


def beside(world_file: Path, name: str) -> Path:
    """Return the controllers file ``name`` of a world; refuse one that lies elsewhere."""
    folder = world_file.resolve().parent
    path = (folder / name).resolve()
    if path.parent != folder:
        raise ControllerError(
            f"controllers are taken from files beside {world_file.name} only, not from {name};"
            " move the file there"
        )
    if not path.is_file():
        raise ControllerError(
            f"{name} is not beside {world_file.name}; write it there, with one function"
            " f(t, sensed) for each controller the world names"
        )
    return path


def functions(path: Path) -> Mapping[str, Callable[..., Any]]:
    """Execute the file at ``path`` and return its public functions by name."""
    # A file of its own, without a cache beside the user's work.
    names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), names)
    except (Exception, SystemExit) as error:
        raise ControllerError(
            f"{path.name}{_line(error, path)}: {type(error).__name__}: {error}"
        ) from error
    return {
        name: value
        for name, value in names.items()
        if callable(value) and not name.startswith("_") and not isinstance(value, type)
    }


def _line(error: BaseException, path: Path) -> str:
    """Return where in the file an error came from, as words for a message."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    return f", line {lines[-1]}" if lines else ""


def check_found(
    wanted: Iterable[str],
    found: Mapping[str, object],
    files: Mapping[str, Mapping[str, object]],
    paths: Mapping[str, Path],
) -> None:
    """Raise ControllerError where the executed ``files`` lack a function that is ``wanted``."""
    for name in wanted:
        if name in found or not files:
            continue
        own = name.rpartition(".")[2]
        known = [each for file in files.values() for each in file]
        near = get_close_matches(own, known, 1)
        meant = f"; did you mean '{near[0]}'?" if near else ""
        has = "; ".join(
            f"{paths[file].name} has {', '.join(names) or 'no functions'}"
            for file, names in files.items()
        )
        raise ControllerError(
            f"the world names the controller '{name}', and no file has it: {has}{meant}"
        )


def bound(
    wanted: Iterable[str], files: Mapping[str, Mapping[str, Callable[..., Any]]]
) -> Mapping[str, Callable[..., Any]]:
    """Return functions for the names ``wanted``, from ``files`` by the names they go by.

    A text may say ``swing`` or, after ``import "linkage.py" as motion``, ``motion.swing``. Names
    that no file has are left out; the simulation says which they are.
    """
    found: dict[str, Callable[..., Any]] = {}
    for name in wanted:
        alias, _, own = name.rpartition(".")
        for file, known in files.items():
            if own in known and alias in ("", file):
                found.setdefault(name, known[own])
    return found


@contextlib.contextmanager
def connect(
    addresses: Mapping[str, str], *, timeout: float = TIMEOUT, anywhere: bool = False
) -> Iterator[Mapping[str, Callable[..., Any]]]:
    """Connect to controllers in other processes; give them to ``simulate`` as ``controllers``.

    ``addresses`` names for each controller where it listens: {"hip": "127.0.0.1:9000"}; those of
    one address share a connection. An answer may take ``timeout`` s. Addresses that are not this
    machine's are refused unless ``anywhere``. Raises ControllerError.
    """
    told = {name: f"controller '{name}'" for name in addresses}
    with _connected(addresses, told, timeout, anywhere) as found:
        yield found


@contextlib.contextmanager
def connect_controls(
    drives: Iterable[Drive], addresses: Mapping[str, str], timeout: float
) -> Iterator[Mapping[str, Callable[..., Any]]]:
    """Connect as ``connect`` does; an error begins with the line of a control of ``drives``."""
    told: dict[str, str] = {}
    for each in drives:
        whose = f"{each.span}: controller '{each.controller}' of '{each.id}'"
        told.setdefault(each.controller, whose)
    with _connected(addresses, told, timeout, anywhere=False) as found:
        yield found


@contextlib.contextmanager
def _connected(
    addresses: Mapping[str, str], told: Mapping[str, str], timeout: float, anywhere: bool
) -> Iterator[Mapping[str, Callable[..., Any]]]:
    """Connect; an error begins with what is ``told`` of the first controller it is about."""
    if not timeout > 0:
        raise ControllerError(f"timeout = {timeout!r} s cannot be; give seconds greater than 0")
    by_address: dict[str, list[str]] = {}
    for name, address in addresses.items():
        by_address.setdefault(address, []).append(name)
    with contextlib.ExitStack() as stack:
        found: dict[str, Callable[..., Any]] = {}
        for address, names in by_address.items():
            try:
                process = ControllerProcess(address, names, timeout=timeout, anywhere=anywhere)
            except ControllerError as error:
                raise ControllerError(f"{told[names[0]]}: {error}") from None
            stack.callback(process.close)
            found.update({name: process.controller(name) for name in names})
        yield found


def addresses_of(words: Sequence[str]) -> Mapping[str, str]:
    """Return the addresses that words "NAME=HOST:PORT" give."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, address = word.partition("=")
        if not equals or not name.strip():
            raise ControllerError(
                f"--controller {word!r}: give NAME=HOST:PORT, for instance hip=127.0.0.1:9000"
            )
        if name.strip() in found:
            raise ControllerError(f"--controller {word!r}: '{name.strip()}' is given twice")
        found[name.strip()] = address.strip()
    return found


def assigned(wanted: Iterable[str], addresses: Mapping[str, str]) -> Mapping[str, str]:
    """Return the address of each of the controllers ``wanted`` that has one.

    An address may be given to a whole name ("motor.torque") or to its last part ("torque").
    Raises ControllerError for an address whose name no control of the world uses.
    """
    wanted = tuple(wanted)
    for name in addresses:
        if not any(name in (each, each.rpartition(".")[2]) for each in wanted):
            known = ", ".join(wanted) or "none"
            raise ControllerError(
                f"--controller {name}=...: no control of the world names '{name}'; the world's"
                f" controllers: {known}"
            )
    found = {each: addresses.get(each, addresses.get(each.rpartition(".")[2])) for each in wanted}
    return {name: address for name, address in found.items() if address is not None}


def as_recorded(recording: Recording, name: str) -> Callable[..., Any]:
    """Return a function that gives what controller ``name`` gave in a recorded run at that time.

    Between two times it gives the earlier value, after the last one that.
    """
    drives = [drive.id for drive in recording.world.drives.values() if drive.controller == name]
    outputs = next((recording.controls[d] for d in drives if d in recording.controls), None)
    # An integrator's stages go to and fro; what was known at a time stands at its furthest advance.
    reached = np.zeros(0) if outputs is None else np.maximum.accumulate(outputs.times)

    def given(t: float, sensed: Any) -> Any:
        place = int(np.searchsorted(reached, t, side="right")) - 1
        if outputs is None or place < 0:
            raise ControllerError(
                f"controller '{name}' gave nothing at t = {t:g} s of the recording"
            )
        return outputs.values[place]

    return given
