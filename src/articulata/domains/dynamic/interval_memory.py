"""What the integrators of the dynamic domain hand on from one interval to the next.

It goes in with a state and comes out with the next one: nothing else remembers. A state without it
is looked at anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from articulata.domains.dynamic.contact.event_driven import Passage
from articulata.domains.dynamic.contact.intervals import Active
from articulata.domains.dynamic.elimination import Elimination
from articulata.domains.dynamic.elimination import recalled as recalled_elimination
from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.stepping.choice import Choice, Chosen
from articulata.domains.dynamic.stepping.step_memory import StepMemory
from articulata.domains.dynamic.stepping.stepper import Stepper
from articulata.records.events import Event
from articulata.records.state import Part, State


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """The plan of ``elimination``, who goes on, and what following exactly and steps have left."""

    elimination: Elimination | None = None
    choice: Choice | None = None
    active: Active | None = None
    steps: StepMemory | None = None

    @property
    def parts(self) -> Mapping[str, Part]:
        """What of it is to be recorded, by name."""
        each = {field.name: getattr(self, field.name) for field in fields(self)}
        return {f"dynamic.{name}": part for name, part in each.items() if part is not None}

    def by(
        self,
        elimination: Elimination,
        active: Active | None = None,
        steps: StepMemory | None = None,
    ) -> Memory:
        """Return what is remembered where ``active`` contacts were followed, or ``steps`` taken.

        Without either bodies have been moved otherwise.
        """
        if active is None and self.active is not None:
            active = replace(self.active, here=False)
        if steps is None and self.steps is not None:
            steps = replace(self.steps, here=False)
        return replace(self, elimination=elimination, active=active, steps=steps)


NOTHING = Memory()


def memory_of(state: State) -> Memory:
    """Return what is remembered at a state, nothing where it is looked at anew."""
    return state.memory if isinstance(state.memory, Memory) else NOTHING


def recalled(
    parts: Mapping[str, Any], engine: Engine, passage: Passage | None, stepper: Stepper | None
) -> Memory:
    """Return what a recording remembers by ``Memory.parts``; ValueError for another's."""
    known = {name.removeprefix("dynamic."): part for name, part in parts.items()}
    if "told" in known.get("steps", {}):  # by an older version, which counted pairs otherwise
        del known["steps"]
    if "elimination" in known:  # contacts are made for it
        engine.take_up(recalled_elimination(engine.arrays, len(engine.rubs), known["elimination"]))
    return Memory(
        engine.elimination,
        Choice.recalled(known["choice"]) if "choice" in known else None,
        passage.recalled(known["active"]) if passage and "active" in known else None,
        stepper.recalled(known["steps"]) if stepper and "steps" in known else None,
    )


def chosen_by(state: State, chosen: Chosen) -> tuple[State, tuple[Event, ...]]:
    """Return ``state`` with who goes on from there, and the events that tell of it."""
    choice, events = chosen
    return replace(state, memory=replace(memory_of(state), choice=choice)), events
