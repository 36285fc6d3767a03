"""A carried move for a robot's controller: served cycle by cycle, or tried with a simulated one.

Where a robot follows a flight that is flown, the robot leads: each of its questions brings the
flight on to the robot's own time. What is between two ticks is a quadratic spline of their joint
values, so that ends, speeds and accelerations hold at the robot's cycle as they do at the ticks; it
is up to two ticks behind the newest.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.analyses.film.film_question import Setting
from articulata.analyses.film.slowing import slowed
from articulata.errors import ControllerError, WorldError
from articulata.geometry.arrays import Array
from articulata.network.controller_process import ControllerProcess
from articulata.network.robot_server import CYCLE, JointMotion, JointServer, RsiServer, Served
from articulata.records.camera_moves import CameraMove
from articulata.records.carried_moves import CarriedMove

SIMULATED: Final = "simulated"
"""The word for a robot's controller that is simulated at the other end of the socket."""


@dataclass(frozen=True, slots=True, eq=False)
class CarriedMotion:
    """A carried move as a robot asks for it: exact at its own times, even between two of them.

    Before its start and after its end the joints rest.
    """

    carried: CarriedMove

    def __call__(self, t: float, /) -> tuple[Sequence[float], Sequence[float]]:
        """Return joint values and rates at ``t`` s."""
        times, q = self.carried.times, self.carried.q
        if t >= times[-1] or len(times) < 2:
            return q[-1].tolist(), [0.0] * q.shape[1]
        step = float(times[1] - times[0])
        place = max(t, 0.0) / step
        k = min(int(place + 1e-6), len(times) - 2)
        part = max(place - k, 0.0)
        change = q[k + 1] - q[k]
        return (q[k] + part * change).tolist(), (change / step).tolist()


@dataclass(frozen=True, slots=True, eq=False)
class Rehearsal:
    """What a simulated controller has seen: ``q`` (n, dof) at cycles of ``CYCLE`` s.

    ``answers`` (n,) s is how long each answer took, ``fault`` why it stopped, "" where it did not.
    """

    q: Array
    answers: Array
    fault: str = ""

    def __str__(self) -> str:
        micro = 1e6 * self.answers
        median, most = np.median(micro), np.percentile(micro, 99)
        late = int((self.answers > CYCLE).sum())
        return (
            f"{len(self.q)} cycles of {1e3 * CYCLE:g} ms; an answer took {median:.0f} us, in 99 of "
            f"100 cycles at most {most:.0f} us, at most {micro.max():.0f} us; {late} came after "
            f"their cycle\n{self.fault or 'no limit of a joint was passed'}"
        )


def motion_for(setting: Setting, move: CameraMove, fraction: float = 1.0) -> CarriedMotion:
    """Return ``move`` as the setting's robot carries it at a thousand cycles a second.

    Never faster than ``fraction`` of its own speed.
    """
    if setting.carrier is None:
        raise WorldError("no robot carries this camera: there is no controller to give joints to")
    return CarriedMotion(slowed(move, setting.carrier, step=CYCLE, fraction=fraction))


def rehearse(carrier: Carrier, motion: CarriedMotion, *, paced: bool = True) -> Rehearsal:
    """Carry ``motion`` with a simulated controller at the other end of a socket.

    It asks each millisecond (``paced``; else as fast as it is answered) and trips, as a real one
    does, where a command leaves the ends, speeds or accelerations of a joint.
    """
    names = carrier.chain.names
    count = round(float(motion.carried.times[-1]) / CYCLE) + 1
    q, answers = np.empty((count, len(names))), np.empty(count)
    with JointServer(names, motion) as server:
        robot = ControllerProcess(server.address, names, anywhere=False)
        asking = [robot.controller(name) for name in names]
        begun = time.perf_counter()
        fault, last = "", count
        try:
            for k in range(count):
                if paced:
                    time.sleep(max(begun + k * CYCLE - time.perf_counter(), 0.0))
                asked = time.perf_counter()
                sensed = Cycle(k * CYCLE)
                q[k] = [float(ask(sensed.time, sensed)) for ask in asking]
                answers[k] = time.perf_counter() - asked
                fault = tripped(carrier, q[max(k - 2, 0) : k + 1], k)
                if fault:
                    last = k + 1
                    break
        except ControllerError as error:
            fault, last = f"the loop ended: {error}", k
        finally:
            robot.close()
        server.wait(1.0)
    return Rehearsal(q[:last], answers[:last], fault)


def serve_robot(
    carrier: Carrier, motion: CarriedMotion, where: str, say: Callable[[str], None]
) -> Served:
    """Give ``motion`` to the robot's controller that asks at ``where`` until it says farewell.

    Return what was served.

    ``where`` is a port of this machine, or rsi:PORT or rsi:HOST:PORT for KUKA's sensor interface.
    """
    with server_at(carrier, motion, where, say) as server:
        say(f"waiting for the robot's controller at {server.address} (Ctrl-C ends it)")
        _until_ended(lambda: server.served.farewell)
    return server.served


def server_at(
    carrier: Carrier, motion: JointMotion, where: str, say: Callable[[str], None]
) -> JointServer | RsiServer:
    """Return what gives ``motion`` to the controller that asks at ``where``, not yet begun."""
    kind, _, rest = where.rpartition("rsi:")
    host, _, number = rest.rpartition(":")
    if kind or not number.isdigit() or (host and "rsi:" not in where):
        raise ControllerError(
            f"'{where}' is no robot; give a port, rsi:PORT, rsi:HOST:PORT or '{SIMULATED}'"
        )
    if where.startswith("rsi:"):
        return RsiServer(motion, host=host or "127.0.0.1", port=int(number), say=say)
    return JointServer(carrier.chain.names, motion, port=int(number), say=say)


def _until_ended(ended: Callable[[], bool]) -> None:
    try:
        while not ended():
            time.sleep(0.05)
    except KeyboardInterrupt:
        return


class Cycle:
    """A cycle of a controller that senses nothing."""

    def __init__(self, t: float) -> None:
        self.time = t

    def value(self, path: str) -> Any:
        """Return nothing: no quantity is asked for."""
        raise AssertionError(path)


def tripped(carrier: Carrier, rows: Array, cycle: int) -> str:
    """Return what a controller would stop for at the last of its commands, "" for nothing."""
    arm, names = carrier.arm, carrier.chain.names
    q = rows[-1]
    over = np.maximum(arm.lower - q, q - arm.upper)
    j = int(np.argmax(over))
    if over[j] > 1e-9:
        return f"stopped in cycle {cycle}: {names[j]} left its ends"
    for order, most, what in ((1, arm.speeds, "speed"), (2, arm.accelerations, "acceleration")):
        if len(rows) > order:
            share = np.abs(np.diff(rows, order, axis=0)[-1]) / CYCLE**order / most
            j = int(np.argmax(share))
            if share[j] > 1.0 + 1e-6:
                over_by = f"{what} of {names[j]}, {share[j]:.2f} times its limit"
                return f"stopped in cycle {cycle}: {over_by}"
    return ""


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
