"""A robot's controller that follows a flight while it is flown.

The robot leads: each of its questions brings the flight on to the robot's own time. What is between
two ticks is a quadratic spline of their joint values, so that ends, speeds and accelerations hold
at the robot's cycle as they do at the ticks; it is up to two ticks behind the newest.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.errors import ControllerError
from articulata.geometry.arrays import Array
from articulata.network.controller_process import ControllerProcess
from articulata.network.joint_server import JointServer
from articulata.network.robot_server import CYCLE
from articulata.network.rsi_server import RsiServer
from articulata.sessions.film.robot_loop import SIMULATED, Cycle, server_at, tripped

_KEPT: Final = 4
"""Ticks that a robot may still ask about."""


class FollowedFlight:
    """Joint values of a flight at a robot's times; ``tick`` makes its next ones, (dof,).

    ``step`` s is the time of a tick, ``start`` (dof,) where the joints are before the first.
    """

    def __init__(self, tick: Callable[[], Array], start: Array, step: float) -> None:
        self._tick, self._step = tick, step
        self._rows = [np.array(start, float)] * 2
        self._newest = 0

    def __call__(self, t: float, /) -> tuple[Sequence[float], Sequence[float]]:
        """Return joint values and rates at ``t`` s, which never falls by more than a tick."""
        place = max(t, 0.0) / self._step + 1e-9
        k = int(place)
        while self._newest < k + 1:
            self._rows = [*self._rows[1 - _KEPT :], np.asarray(self._tick(), float)]
            self._newest += 1
        after = self._newest - (k + 1)
        rows = self._rows[: len(self._rows) - after][-3:]
        while len(rows) < 3:
            rows = [rows[0], *rows]
        before, middle, end = rows
        u = max(place - 1e-9 - k, 0.0)
        q = 0.5 * (1.0 - u) ** 2 * before + (0.5 + u - u * u) * middle + 0.5 * u * u * end
        rates = ((1.0 - u) * (middle - before) + u * (end - middle)) / self._step
        return q.tolist(), rates.tolist()


class LiveRobot:
    """Lets the robot's controller ``where`` follow ``flight``; use it as a context manager.

    ``where`` is that of ``serve_robot``, or "simulated": a controller that asks each millisecond,
    and stops, as a real one does, where a command leaves the limits of ``carrier``. ``say`` is told
    what is the matter.
    """

    def __init__(
        self, carrier: Carrier, flight: FollowedFlight, where: str, say: Callable[[str], None]
    ) -> None:
        self._carrier, self._say = carrier, say
        self.server: JointServer | RsiServer
        self.simulated: SimulatedRobot | None = None
        if where == SIMULATED:
            self.server = JointServer(carrier.chain.names, flight, say=say)
            self.simulated = SimulatedRobot(carrier, self.server.address)
        else:
            self.server = server_at(carrier, flight, where, say)

    def __enter__(self) -> LiveRobot:
        self.server.__enter__()
        if self.simulated is None:
            self._say(f"waiting for the robot's controller at {self.server.address}")
        else:
            self.simulated.start(self._say)
        return self

    def __exit__(self, *_: object) -> None:
        if self.simulated is not None:
            self.simulated.close()
        self.server.close()
        if self.server.served.cycles:
            self._say(f"the robot has followed for {self.server.served}")


class SimulatedRobot:
    """A controller that asks ``address`` each ``CYCLE`` s until it is closed, or trips.

    ``cycles`` counts what it was answered, ``slowest`` (s) is the longest that took, ``fault`` why
    it has stopped, "" while it has not.
    """

    def __init__(self, carrier: Carrier, address: str) -> None:
        self._carrier, self._address = carrier, address
        self.cycles, self.slowest, self.fault = 0, 0.0, ""
        self._say: Callable[[str], None] = lambda _: None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulated robot", daemon=True)

    def start(self, say: Callable[[str], None]) -> None:
        """Begin to ask."""
        self._say = say
        self._thread.start()

    def close(self) -> None:
        """Say farewell."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _run(self) -> None:
        names = self._carrier.chain.names
        robot = ControllerProcess(self._address, names, anywhere=False)
        rows: list[Any] = []
        begun = time.perf_counter()
        try:
            asking = [robot.controller(name) for name in names]
            while not self._closing.is_set():
                wait = begun + self.cycles * CYCLE - time.perf_counter()
                if wait > 0.0:
                    time.sleep(wait)
                elif wait < -0.1:
                    begun -= wait  # a slow machine: the robot's time goes on more slowly
                asked, sensed = time.perf_counter(), Cycle(self.cycles * CYCLE)
                rows = [*rows[-2:], [float(ask(sensed.time, sensed)) for ask in asking]]
                self.slowest = max(self.slowest, time.perf_counter() - asked)
                self.fault = tripped(self._carrier, np.array(rows), self.cycles)
                self.cycles += 1
                if self.fault:
                    self._say(f"the simulated robot {self.fault}")
                    return
        except ControllerError as error:
            self.fault = f"the loop ended: {error}"
            if not self._closing.is_set():
                self._say(self.fault)
        finally:
            with contextlib.suppress(OSError, ControllerError):
                robot.close()
