"""Controllers in another process, asked once a control cycle through a socket.

The simulation's own clock steps them: a cycle is computed when the answer is there, however long
that takes, and an answer that does not come within ``timeout`` ends the run. The line protocol is
that of ``network.messages``.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from articulata.errors import ArticulataError, ControllerError
from articulata.geometry.arrays import Array
from articulata.network.messages import (
    LONGEST,
    Value,
    answers,
    farewell,
    greeting,
    question,
    senses,
)

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
