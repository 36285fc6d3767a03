"""Controllers in another process, asked once a control cycle through a socket.

The simulation's own clock steps them: a cycle is computed when the answer is there, however long
that takes, and an answer that does not come within ``timeout`` ends the run.

Both say one JSON object a line. The simulation speaks first, then each answers the other:
``greeting`` and its answer, then one ``question`` and one answer a control cycle, at the end
``farewell``. ``docs/controllers.md`` describes every field.
"""

from __future__ import annotations

import ipaddress
import json
import math
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from articulata.errors import ArticulataError, ControllerError
from articulata.geometry.arrays import Array

VERSION = 1
"""Version of the protocol, the value of "articulata" in a greeting."""

LONGEST = 1 << 16
"""Bytes of the longest line that is read; an answer of a few numbers has some hundred."""

SHOWN = 60
"""Characters of a wrong answer that a message shows."""

Value = float | list[Any]
"""What a controller gives: a number, three, or two times three."""


def greeting(names: Sequence[str]) -> bytes:
    """Return the first line: the version of the protocol and the controllers that are wanted."""
    return _line({"articulata": VERSION, "controllers": list(names)})


def senses(line: bytes) -> tuple[str, ...]:
    """Return the quantities that the answer to a greeting asks for."""
    said = _read(line)
    wanted = said.get("sense", [])
    if not isinstance(wanted, list) or not all(isinstance(path, str) for path in wanted):
        raise ControllerError(
            f'asks to sense {_short(wanted)}; it answers the greeting with {{"sense": ["PATH", '
            "...]}"
        )
    return tuple(wanted)


def question(cycle: int, time: float, sensed: Mapping[str, Array | float]) -> bytes:
    """Return the line of one cycle, which begins at ``time`` (s)."""
    values = {path: _plain(value) for path, value in sensed.items()}
    return _line({"cycle": cycle, "time": time, "sensed": values})


def farewell() -> bytes:
    """Return the last line."""
    return _line({"end": True})


def answers(
    line: bytes, cycle: int, names: Sequence[str]
) -> tuple[Mapping[str, Value], Mapping[str, Value]]:
    """Return the value of each of ``names`` and, where given, its change per second."""
    said = _read(line)
    if said.get("cycle") != cycle:
        raise ControllerError(
            f"answered cycle {_short(said.get('cycle'))} when cycle {cycle} was asked; it answers"
            " each question once, with the cycle's number"
        )
    values, rates = said.get("values"), said.get("rates", {})
    if not isinstance(values, dict) or not isinstance(rates, dict):
        raise ControllerError(
            f'answered {_short(said)}; an answer is {{"cycle": N, "values": {{"NAME": VALUE}}}}'
        )
    for name in names:
        if name not in values:
            known = ", ".join(values) or "nothing"
            raise ControllerError(f"gave no value for '{name}'; it gave {known}")
    # What else it offers is left alone: a program may serve more than one world needs.
    return (
        {name: _checked(values[name]) for name in names},
        {name: _checked(rates[name]) for name in names if name in rates},
    )


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _read(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise ControllerError(
            f"answered {_short(line.decode('utf-8', 'replace').strip())}, which is no JSON"
        ) from None
    if not isinstance(said, dict):
        raise ControllerError(f"answered {_short(said)}; an answer is a JSON object")
    if "error" in said:
        raise ControllerError(f"gave up: {_short(said['error'])}")
    return said


def _plain(value: Array | float) -> Any:
    """Return numbers as JSON has them; null for what is not there in this cycle."""
    if isinstance(value, np.ndarray):
        return [_plain(part) for part in value]
    return float(value) if math.isfinite(value) else None


def _checked(value: Any, depth: int = 2) -> Value:
    """Return a value of numbers; that they are finite and as many as needed is checked by use."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list) and depth and len(value) <= 6:
        return [_checked(part, depth - 1) for part in value]
    raise ControllerError(f"gave {_short(value)} for a value; give a number or a list of numbers")


def _short(what: object) -> str:
    text = what if isinstance(what, str) else json.dumps(what, default=str)
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")


# ---- the program's side: who is asked


def wanted(line: bytes) -> tuple[str, ...]:
    """Return the controllers that a greeting asks for."""
    said = _read(line)
    if said.get("articulata") != VERSION:
        raise ControllerError(
            f'sent {_short(said)}; a greeting is {{"articulata": {VERSION}, "controllers": '
            '["NAME", ...]}'
        )
    names = said.get("controllers")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ControllerError(f"wants {_short(names)}; controllers are a list of names")
    return tuple(names)


def sensing(paths: Sequence[str]) -> bytes:
    """Return the answer to a greeting: the quantities that are wanted each cycle."""
    return _line({"sense": list(paths)})


def asked(line: bytes) -> tuple[int, float] | None:
    """Return the cycle and the time (s) of a question, None for the farewell."""
    said = _read(line)
    if said.get("end") is True:
        return None
    cycle, time = said.get("cycle"), said.get("time")
    timed = isinstance(time, int | float) and not isinstance(time, bool) and math.isfinite(time)
    if type(cycle) is not int or not timed:
        raise ControllerError(
            f'sent {_short(said)}; a question is {{"cycle": N, "time": SECONDS, "sensed": {{}}}}'
        )
    assert time is not None
    return cycle, float(time)


def answer(cycle: int, values: Mapping[str, float], rates: Mapping[str, float]) -> bytes:
    """Return the answer to the question of a cycle: values, and their changes per second."""
    return _line({"cycle": cycle, "values": dict(values), "rates": dict(rates)})


def refusal(why: str) -> bytes:
    """Return the answer of a program that gives up."""
    return _line({"error": why})


TIMEOUT = 2.0
"""Seconds that an answer may take where nobody says otherwise."""

AGAIN = 0.05
"""Seconds between two attempts to connect: the other process may be about to start."""


class Sensed(Protocol):
    """What a simulation shows of the last completed cycle."""

    @property
    def time(self) -> float:
        """The end of that cycle, s."""
        ...

    @property
    def value(self) -> Callable[[str], Array | float]:
        """The quantity that a path names."""
        ...


class ControllerProcess:
    """The controllers ``names`` behind one address; call each as ``f(t, sensed)``.

    Raises ControllerError where the process cannot be reached, dies, is late, or answers what is
    no answer; after that every call raises. Close it when the run is over.
    """

    def __init__(
        self, address: str, names: Sequence[str], *, timeout: float = TIMEOUT, anywhere: bool
    ) -> None:
        self.address = address
        self.names = tuple(names)
        self._timeout = timeout
        self._rest = b""
        self._cycle = 0
        self._seen: Callable[[str], Array | float] | None = None
        self._start = 0.0
        self._values: Mapping[str, Value] = {}
        self._rates: Mapping[str, Value] = {}
        self._failure: str | None = None
        self._socket = _connected(address, timeout, anywhere)
        try:
            self._wanted = senses(self._exchange(greeting(self.names)))
        except ControllerError as error:
            self._socket.close()
            raise ControllerError(f"the controllers' process at {address} {error}") from None

    def controller(self, name: str) -> Callable[[float, Sensed], Any]:
        """Return the controller ``name`` as a function of the stage time (s)."""

        def ask(t: float, sensed: Sensed) -> Any:
            if self._seen != sensed.value:
                self._ask(sensed)
            value = self._values[name]
            if name in self._rates:
                # Prescribed motion need not be a staircase: the value may change evenly.
                return (np.array(value) + (t - self._start) * np.array(self._rates[name])).tolist()
            return value

        return ask

    def close(self) -> None:
        """Say farewell and end the connection."""
        try:
            self._socket.sendall(farewell())
        except OSError:
            pass  # who is gone need not be told
        finally:
            self._socket.close()

    def _ask(self, sensed: Sensed) -> None:
        """Ask for the values of the cycle that follows ``sensed``."""
        if self._failure is not None:
            raise ControllerError(self._failure)
        try:
            shown = {path: sensed.value(path) for path in self._wanted}
        except ArticulataError as error:
            raise self._failed(f"asks to sense what is not there: {error}") from None
        self._cycle += 1
        try:
            line = self._exchange(question(self._cycle, sensed.time, shown))
            self._values, self._rates = answers(line, self._cycle, self.names)
        except ControllerError as error:
            raise self._failed(str(error)) from None
        self._seen, self._start = sensed.value, sensed.time

    def _failed(self, what: str) -> ControllerError:
        self._failure = f"its process at {self.address} {what}"
        return ControllerError(self._failure)

    def _exchange(self, line: bytes) -> bytes:
        """Send a line and return the answer; ControllerError where none comes in time."""
        deadline = time.monotonic() + self._timeout
        try:
            self._socket.settimeout(self._timeout)
            self._socket.sendall(line)
            while b"\n" not in self._rest:
                if len(self._rest) > LONGEST:
                    raise ControllerError(
                        f"answered more than {LONGEST} bytes without the end of a line; an answer"
                        " is one short line"
                    )
                self._socket.settimeout(max(deadline - time.monotonic(), 1e-3))
                data = self._socket.recv(LONGEST)
                if not data:
                    raise ControllerError("has ended without answering")
                self._rest += data
        except TimeoutError:
            raise ControllerError(
                f"did not answer within {self._timeout:g} s (its time-out); make it faster or "
                "allow more"
            ) from None
        except OSError as error:
            raise ControllerError(
                f"has ended without answering ({error.strerror or error})"
            ) from None
        answer, _, self._rest = self._rest.partition(b"\n")
        if self._rest:
            raise ControllerError(
                f"sent {len(self._rest)} bytes after its answer; it answers each question with"
                " one line"
            )
        return answer


def _connected(address: str, timeout: float, anywhere: bool) -> socket.socket:
    """Return a connection to ``address``, tried again until ``timeout`` (s) has passed."""
    host, port = host_and_port(address)
    if not anywhere and not _loopback(host):
        raise ControllerError(
            f"'{address}' is not this machine; controllers are reached on 127.0.0.1 only, unless"
            " anywhere=True says that the network may be trusted"
        )
    deadline = time.monotonic() + timeout
    while True:
        try:
            made = socket.create_connection((host, port), timeout)
        except OSError as error:
            if time.monotonic() + AGAIN > deadline:
                raise ControllerError(
                    f"no controllers' process answers at {address} ({error.strerror or error});"
                    " start it first, listening there"
                ) from None
            time.sleep(AGAIN)
        else:
            # A cycle is one short line each way: waiting to fill a packet would cost 40 ms.
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made


def host_and_port(address: str) -> tuple[str, int]:
    """Return the parts of "HOST:PORT"; ControllerError where it is none."""
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise ControllerError(
            f"'{address}' is no address of a controllers' process; give HOST:PORT, for instance"
            " 127.0.0.1:9000"
        )
    return host.strip("[]"), int(port)


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
