"""Joint values for a robot's controller, cycle by cycle, over the socket of controllers.

The robot's controller is the one that asks: it connects, greets, and puts one question a cycle
(``network.messages``). Its clock leads; what is late, or stalls, makes the motion wait and is told.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from articulata.errors import ControllerError
from articulata.network.messages import LONGEST, answer, asked, refusal, sensing, wanted
from articulata.network.robot_server import LEAP, LOOK, STALL, JointMotion, RobotServer


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
