"""What servers of a robot's controller share: the motion, what was served, and their thread."""

from __future__ import annotations

import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, Self

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
