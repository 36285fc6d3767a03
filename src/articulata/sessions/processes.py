"""Controllers of a run that live in other processes: connections made, bound to names, ended."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from articulata.errors import ControllerError
from articulata.network.controller_process import TIMEOUT, ControllerProcess
from articulata.records.recording import Recording
from articulata.world.model import Drive


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
