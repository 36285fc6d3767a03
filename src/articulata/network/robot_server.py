"""Servers of a robot's controller, each with a thread: the robot's controller leads.

``RsiServer`` corrects axes by KUKA's Robot Sensor Interface, packets over UDP: each state that it
sends is answered with where the motion is at its time. Who misses answers stops by itself; a
controller that stalls or leaps is told of.

``JointServer`` gives joint values cycle by cycle over the socket of controllers: the robot's
controller is the one that asks. It connects, greets, and puts one question a cycle
(``network.controller_process``). Its clock leads; what is late, or stalls, makes the motion wait
and is told.
"""

from __future__ import annotations

import contextlib
import math
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, Self
from xml.etree import ElementTree

from articulata.errors import ControllerError
from articulata.network.controller_process import LONGEST, answer, asked, refusal, sensing, wanted

CYCLE: Final = 0.001
"""s: the cycle of the loop, a thousand a second."""

STALL: Final = 0.5
"""s without a question after which a robot that is at work counts as stalled."""

LEAP: Final = 0.1
"""s that one question may be after the last: a robot asks cycle by cycle."""

LOOK: Final = 0.05
"""s between two looks whether the server is to be closed."""


class JointMotion(Protocol):
    """What is to be carried: joint values and rates at a time."""

    def __call__(self, t: float, /) -> tuple[Sequence[float], Sequence[float]]:
        """Return values and rates of all joints at ``t`` s."""
        ...


@dataclass(slots=True)
class Served:
    """What was served: ``cycles`` answered, and the greatest time (s) that an answer took.

    ``late`` of them took longer than ``CYCLE``.
    """

    cycles: int = 0
    slowest: float = 0.0
    late: int = 0
    stalls: int = 0
    farewell: bool = False
    messages: list[str] = field(default_factory=list)

    def answered(self, seconds: float) -> None:
        """Count an answer that took ``seconds``."""
        self.cycles += 1
        self.slowest = max(self.slowest, seconds)
        self.late += seconds > CYCLE

    def __str__(self) -> str:
        return (
            f"{self.cycles} cycles; {self.late} answers took longer than {1e3 * CYCLE:g} ms, the "
            f"slowest {1e6 * self.slowest:.0f} us"
        )


class RobotServer(ABC):
    """Listens at ``door`` in a thread called ``name``, as a context manager; ``address`` is where.

    ``say`` is told what is the matter; ``stall`` s without a question are.
    """

    def __init__(
        self, door: socket.socket, name: str, stall: float, say: Callable[[str], None]
    ) -> None:
        self.served = Served()
        self._door, self._stall, self._say = door, stall, say
        self._closing = threading.Event()
        door.settimeout(LOOK)
        host, port = door.getsockname()[:2]
        self.address = f"{host}:{port}"
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        self._door.close()

    def _tell(self, text: str) -> None:
        self.served.messages.append(text)
        self._say(text)

    @abstractmethod
    def _serve(self) -> None:
        """Answer until the server is closed."""


# ---- messages of KUKA's Robot Sensor Interface, by which a robot's controller takes corrections


AXES: Final = ("A1", "A2", "A3", "A4", "A5", "A6")
LONGEST_STATE: Final = 4096
"""Bytes of the longest packet that is read; a state has some hundred."""


@dataclass(frozen=True, slots=True)
class RsiState:
    """What the controller says: ``axes`` (6,) rad as they are, ``ipoc`` ms, packets it missed."""

    axes: tuple[float, ...]
    ipoc: int
    late: int = 0


def state_of(packet: bytes) -> RsiState:
    """Return the state in a packet; ControllerError says what is amiss."""
    if len(packet) > LONGEST_STATE or b"<!" in packet:
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
                packet, where = self._door.recvfrom(LONGEST_STATE + 1)
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


class JointServer(RobotServer):
    """Gives ``motion`` of ``joints`` to one robot at a time; use it as a context manager.

    It listens on 127.0.0.1 at ``port``, 0 for a free one: ``address``. ``say`` is told what is the
    matter; ``stall`` s without a question are.
    """

    def __init__(
        self,
        joints: Sequence[str],
        motion: JointMotion,
        *,
        port: int = 0,
        stall: float = STALL,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.joints, self._motion = tuple(joints), motion
        try:
            door = socket.create_server(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise ControllerError(
                f"port {port} is taken or not allowed ({error}); name another one, or 0 for any"
            ) from None
        super().__init__(door, "joints", stall, say)

    def wait(self, timeout: float | None = None) -> bool:
        """Return whether a robot has said farewell, after at most ``timeout`` s."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.served.farewell and self._thread.is_alive():
            if end is not None and time.monotonic() > end:
                break
            self._closing.wait(LOOK)
        return self.served.farewell

    # ---- inside

    def _serve(self) -> None:
        while not self._closing.is_set():
            try:
                robot, where = self._door.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            name = f"the robot at {where[0]}:{where[1]}"
            with robot:
                robot.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                robot.settimeout(LOOK)
                try:
                    self._talk(robot, name)
                except ControllerError as error:
                    self._tell(f"{name} {error}")
                    with contextlib.suppress(OSError):
                        robot.sendall(refusal(str(error)))
                except OSError as error:
                    self._tell(f"{name} is gone ({error.strerror or error})")

    def _talk(self, robot: Any, name: str) -> None:
        lines = _Lines(robot, self._closing)
        greeting = lines.next(None)
        if greeting is None:
            return
        names = wanted(greeting)
        missing = [each for each in names if each not in self.joints]
        if missing:
            raise ControllerError(f"wants '{missing[0]}'; the joints are {', '.join(self.joints)}")
        rows = [self.joints.index(each) for each in names]
        robot.sendall(sensing(()))
        last: float | None = None
        while not self._closing.is_set():
            line = lines.next(self._stall)
            if line is _STALLED:
                self.served.stalls += 1
                self._tell(f"{name} has not asked for {self._stall:g} s; the motion waits")
                began = time.monotonic()
                line = lines.next(None)
                if line is not None:
                    waited = time.monotonic() - began + self._stall
                    self._tell(f"{name} asks again after {waited:.1f} s")
            if line is None:
                if not self._closing.is_set():
                    self._tell(f"{name} has left without a farewell")
                return
            begun = time.perf_counter()
            question = asked(line)
            if question is None:
                self.served.farewell = True
                return
            cycle, t = question
            if last is not None and not last - 1e-9 <= t <= last + LEAP:
                raise ControllerError(
                    f"asked for {t:g} s after {last:g} s; a robot asks cycle by cycle, at most "
                    f"{LEAP:g} s on"
                )
            last = t
            q, rates = self._motion(t)
            robot.sendall(
                answer(
                    cycle,
                    {each: float(q[k]) for each, k in zip(names, rows, strict=True)},
                    {each: float(rates[k]) for each, k in zip(names, rows, strict=True)},
                )
            )
            self.served.answered(time.perf_counter() - begun)


_STALLED: Final = b"\x00"
"""What stands for a line that has not come in time."""


class _Lines:
    """Lines of a connection, in any portions."""

    def __init__(self, robot: Any, closing: threading.Event) -> None:
        self._robot, self._closing, self._rest = robot, closing, b""

    def next(self, timeout: float | None) -> bytes | None:
        """Return the next line, ``_STALLED`` after ``timeout`` s, None at the end."""
        end = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._rest:
            if self._closing.is_set():
                return None
            if len(self._rest) > LONGEST:
                raise ControllerError(f"sent more than {LONGEST} bytes without the end of a line")
            try:
                data = self._robot.recv(LONGEST)
            except TimeoutError:
                if end is not None and time.monotonic() > end:
                    return _STALLED
                continue
            if not data:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line
