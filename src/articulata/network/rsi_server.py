"""Corrections of a robot's axes by KUKA's Robot Sensor Interface: packets over UDP.

The robot's controller leads: each state that it sends is answered with where the motion is at its
time. Who misses answers stops by itself; a controller that stalls or leaps is told of.
"""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree

from articulata.errors import ControllerError
from articulata.network.robot_server import LEAP, STALL, JointMotion, RobotServer

# ---- messages of KUKA's Robot Sensor Interface, by which a robot's controller takes corrections


AXES: Final = ("A1", "A2", "A3", "A4", "A5", "A6")
LONGEST: Final = 4096
"""Bytes of the longest packet that is read; a state has some hundred."""


@dataclass(frozen=True, slots=True)
class RsiState:
    """What the controller says: ``axes`` (6,) rad as they are, ``ipoc`` ms, packets it missed."""

    axes: tuple[float, ...]
    ipoc: int
    late: int = 0


def state_of(packet: bytes) -> RsiState:
    """Return the state in a packet; ControllerError says what is amiss."""
    if len(packet) > LONGEST or b"<!" in packet:
        raise ControllerError(f"sent {len(packet)} bytes that are no state of RSI")
    try:
        root = ElementTree.fromstring(packet)
        axes = root.find("AIPos")
        ipoc = root.findtext("IPOC")
        if root.tag != "Rob" or axes is None or ipoc is None:
            raise ValueError("a state is <Rob> with <AIPos> and <IPOC>")
        values = tuple(math.radians(float(axes.attrib[name])) for name in AXES)
        if not all(map(math.isfinite, values)):
            raise ValueError("an axis is no finite number")
        delay = root.find("Delay")
        late = 0 if delay is None else int(delay.attrib.get("D", "0"))
        return RsiState(values, int(ipoc), late)
    except (ElementTree.ParseError, ValueError, KeyError) as error:
        raise ControllerError(f"sent what is no state of RSI: {error}") from None


def correction(values: Sequence[float], ipoc: int) -> bytes:
    """Return the answer to a state: ``values`` (6,) rad from the start on, with its ``ipoc``."""
    axes = " ".join(
        f'{name}="{math.degrees(value):.6f}"' for name, value in zip(AXES, values, strict=True)
    )
    return f'<Sen Type="ImFree"><AK {axes}/><IPOC>{ipoc}</IPOC></Sen>'.encode()


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
