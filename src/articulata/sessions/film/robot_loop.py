"""A carried move for a robot's controller: served cycle by cycle, or tried with a simulated one."""

from __future__ import annotations

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
from articulata.network.joint_server import JointServer
from articulata.network.robot_server import CYCLE, JointMotion, Served
from articulata.network.rsi_server import RsiServer
from articulata.records.film import CameraMove, CarriedMove

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
