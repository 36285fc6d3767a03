"""Commands during a run: what somebody orders between two cycles.

Each becomes an event of kind "command" in the record, with its time, so that a replay does the
same at the same instant without anybody ordering it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from articulata.records.events import Event, Value
from articulata.world.edits.transaction import Edit
from articulata.world.model import World


@dataclass(frozen=True, slots=True)
class Command:
    """An order in the words it was given in, what it changes, and whether it ends the run.

    An order without edits changes nothing of the world: the controllers that obey it do.
    """

    text: str
    edits: tuple[Edit, ...] = ()
    stop: bool = False

    def event(self, time: float, number: int) -> Event:
        """Return the event of the command number ``number`` of a run, given at ``time`` (s)."""
        values: dict[str, Value] = {"command": self.text, "number": float(number)}
        story = f"Command: {self.text}."
        return Event(time, "command", (), (), MappingProxyType(values), story)

    @property
    def by(self) -> str:
        """What messages call it."""
        return f"the command '{self.text}'"


Commands: TypeAlias = Callable[[float, World], Sequence[Command]]
"""``f(t, world)``: the commands that take effect at ``t`` (s), the start of a cycle."""
