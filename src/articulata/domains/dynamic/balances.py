"""What every event of a mechanism tells: energy, momentum and equations before and after it.

All kinds of events use the same names; ``docs/events.md`` lists them with their units.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from articulata.geometry.arrays import Array
from articulata.records.events import Event, Value


@dataclass(frozen=True, slots=True)
class Balance:
    """Kinetic and whole energy (J), momentum and moment of momentum (6,) (N s, N m s)."""

    kinetic: float
    energy: float
    momentum: tuple[float, ...]

    @property
    def values(self) -> dict[str, Value]:
        """The balance by the names that events use."""
        return {"kinetic": self.kinetic, "energy": self.energy, "momentum": self.momentum}


def balance_of(observed: Mapping[str, Array]) -> Balance:
    """Return the balance of what a model observes at a state."""
    kinetic, _, _, energy = observed["dynamic.energy"][:4].tolist()
    return Balance(kinetic, energy, tuple(observed["dynamic.momentum"].tolist()))


@dataclass(frozen=True, slots=True)
class Count:
    """The size of ``A x = b``: rows of hinges and of contacts, and how many of all rows count.

    ``motions`` are the accelerations of the bodies that can move, as many rows of their own.
    """

    motions: int
    hinge_rows: int
    hinge_rank: int
    contact_rows: int = 0
    contact_rank: int = 0

    @property
    def unknowns(self) -> int:
        """Accelerations and forces."""
        return self.motions + self.hinge_rows + self.contact_rows

    @property
    def rank(self) -> int:
        """Rows that do not depend on each other."""
        return self.motions + self.hinge_rank + self.contact_rank

    @property
    def values(self) -> dict[str, Value]:
        """The count by the names that events use."""
        return {
            "hinge_rows": float(self.hinge_rows),
            "contact_rows": float(self.contact_rows),
            "unknowns": float(self.unknowns),
            "rank": float(self.rank),
        }


def before_and_after(before: Mapping[str, Value], after: Mapping[str, Value]) -> dict[str, Value]:
    """Return values by the names that they have before and after an event."""
    found: dict[str, Value] = {}
    for name, value in before.items():
        found[f"{name}_before"] = value
        found[f"{name}_after"] = after[name]
    return found


def balanced(events: Iterable[Event], before: Balance, after: Balance) -> tuple[Event, ...]:
    """Return ``events`` with energy and momentum before and after them.

    Where an event says how its own kinetic energy changed, in one instant, the rest of the energy
    is that of ``after``.
    """
    return tuple(_balanced(event, before, after) for event in events)


def _balanced(event: Event, before: Balance, after: Balance) -> Event:
    if "energy_before" in event.values:
        return event
    found: dict[str, Value] = dict(event.values)
    if "kinetic_before" not in found:
        return with_values(event, before_and_after(before.values, after.values))
    rest = after.energy - after.kinetic
    for end in ("before", "after"):
        kinetic = found[f"kinetic_{end}"]
        assert isinstance(kinetic, float)
        found[f"energy_{end}"] = kinetic + rest
    return replace(event, values=MappingProxyType(found))


def with_values(event: Event, values: Mapping[str, Value]) -> Event:
    """Return ``event`` with more ``values``; those that it has stay."""
    return replace(event, values=MappingProxyType({**event.values, **_fresh(event, values)}))


def _fresh(event: Event, values: Mapping[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in values.items() if name not in event.values}


def told_at(events: Sequence[Event], here: Balance, size: Mapping[str, Value]) -> tuple[Event, ...]:
    """Return ``events`` that change nothing by themselves with what is so where they are."""
    values = before_and_after(size, size)
    return tuple(
        each if "energy_before" in each.values else with_values(one, values)
        for each, one in zip(events, balanced(events, here, here), strict=True)
    )
