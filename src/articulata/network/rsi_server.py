"""Corrections of a robot's axes by KUKA's Robot Sensor Interface: packets over UDP.

The robot's controller leads: each state that it sends is answered with where the motion is at its
time. Who misses answers stops by itself; a controller that stalls or leaps is told of.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence

from articulata.errors import ControllerError
from articulata.network.robot_server import LEAP, STALL, JointMotion, RobotServer
from articulata.network.rsi import LONGEST, RsiState, correction, state_of


class RsiServer(RobotServer):
    """Gives the first six joints of ``motion`` as corrections; use it as a context manager.

    It listens at ``host`` and ``port`` (0 for a free one): ``address``. The first state is the time
    0 of the motion, and the controller that sent it the only one that is answered.
    """

    def __init__(
        self,
        motion: JointMotion,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        stall: float = STALL,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._motion = motion
        self._start = tuple(motion(0.0)[0])[:6]
        self.late = 0
        door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            door.bind((host, port))
        except (OSError, OverflowError) as error:
            door.close()
            raise ControllerError(f"{host}:{port} cannot be listened at ({error})") from None
        super().__init__(door, "rsi", stall, say)

    def _serve(self) -> None:
        peer: tuple[str, int] | None = None
        first = last = 0
        heard, stalled, fault = time.monotonic(), False, ""
        while not self._closing.is_set():
            try:
                packet, where = self._door.recvfrom(LONGEST + 1)
            except TimeoutError:
                if peer is not None and not stalled and time.monotonic() - heard > self._stall:
                    stalled = True
                    self.served.stalls += 1
                    self._tell(f"no state of the robot for {self._stall:g} s; the motion waits")
                continue
            except OSError:
                return
            if peer is not None and where != peer:
                continue
            begun = time.perf_counter()
            try:
                state = state_of(packet)
                if peer is None:
                    first = last = state.ipoc
                self._in_turn(state, last)
            except ControllerError as error:
                if str(error) != fault:
                    fault = str(error)
                    self._tell(f"the robot at {where[0]}:{where[1]} {fault}")
                continue
            if stalled:
                waited = time.monotonic() - heard
                self._tell(f"the robot sends again after {waited:.1f} s")
            if state.late > self.late:
                self._tell(f"the robot has missed {state.late} answers: this machine is too slow")
            peer, last, stalled, heard = where, state.ipoc, False, time.monotonic()
            self.late = state.late
            q: Sequence[float] = self._motion(1e-3 * (state.ipoc - first))[0]
            moved = [value - start for value, start in zip(q, self._start, strict=False)]
            self._door.sendto(correction(moved, state.ipoc), where)
            self.served.answered(time.perf_counter() - begun)

    @staticmethod
    def _in_turn(state: RsiState, last: int) -> None:
        if not 0 <= state.ipoc - last <= 1e3 * LEAP:
            raise ControllerError(
                f"leapt from IPOC {last} to {state.ipoc}; start its program and the motion anew"
            )
