"""Intervals of integration: what goes in, what comes out, and when they lead no further."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed, Held
from articulata.domains.dynamic.contact.recorded_contacts import plain_contacts, plain_touches
from articulata.domains.dynamic.methods import DOP853, RK4
from articulata.domains.protocols import Control
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, BoolArray
from articulata.records.events import Event

TRIES = 256
"""Steps after which is asked how far they have come."""

WORTH = 2.5e-7
"""Time (s) that a step of few contacts must be worth, on the average over so many."""

FEW = 10
"""Square of that number: a step costs as the square of the contacts, and is to be worth as much."""


MOST_STALLS = 4
"""Changes of contacts without getting anywhere after which a step is taken in spite of them."""


class Unfollowed(SimulationError):
    """No exact answer was found to what touches at an instant; steps may lead on."""


@dataclass(slots=True)
class Patience:
    """Counts the steps taken from ``since`` (s) on."""

    since: float
    tries: int = 0

    def ends(self, time: float, closed: int) -> bool:
        """Tell whether the steps so far, one more than at the last call, have come nowhere.

        ``closed`` is the number of contacts that the step is taken with.
        """
        self.tries += 1
        if self.tries <= TRIES:
            return False
        nowhere = time - self.since < TRIES * WORTH * max(1.0, closed * closed / FEW)
        self.since, self.tries = time, 0
        return nowhere


@dataclass(slots=True, eq=False)
class Active:
    """The active contacts that an interval hands on to the next; copied before they are changed.

    ``others`` are features in touch beside the ``closed`` ones that do not press; ``strikes`` are
    when pairs struck of late (s), ``held`` is friction that is given. ``stalls`` counts changes
    that led nowhere, ``escapes`` the steps taken in spite of contacts. ``here`` is False where
    bodies have been moved otherwise since.
    """

    closed: Closed
    others: Closed
    strikes: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    held: Held = field(default_factory=Held)
    stalls: int = 0
    escapes: int = 0
    here: bool = False

    @property
    def stuck(self) -> bool:
        """Whether the next step is taken in spite of its contacts."""
        return self.stalls >= MOST_STALLS

    def plain(self) -> dict[str, Any]:
        """Return what a recording holds of them."""
        return {
            "closed": plain_contacts(self.closed),
            "others": plain_touches(self.others.touches),
            "strikes": [[pair, list(times)] for pair, times in self.strikes.items()],
            "held": self.held.plain(),
            "counts": [self.stalls, self.escapes],
            "here": self.here,
        }


Watch: TypeAlias = Callable[[Callable[[float], tuple[Array, float]], float, Active], float]
"""Says at which share of a step, up to a last one, the way is to end; above 1 for none. It is told
which contacts are active on the step."""


@dataclass(slots=True, eq=False)
class Interval:
    """One interval of integration: ``state`` (n, 13) at ``time`` (s), to go on to ``end``.

    ``h`` (s) is the next step. ``watch`` may end the interval earlier, at a share of a step that it
    names; so do steps that hardly get on, unless it is to ``insist``. ``events`` are those at
    ``time``; ``nowhere`` says that the interval ended because its steps hardly got on. ``ended``
    are the frictions of hinges that come to rest, or give way, where the step at hand ends.
    """

    method: DOP853 | RK4
    state: Array
    time: float
    end: float
    control: Control
    h: float
    active: Active
    watch: Watch | None = None
    insist: bool = True
    events: tuple[Event, ...] = ()
    over: bool = False
    nowhere: bool = False
    patience: Patience | None = None
    limit: float = np.inf
    plans: int = 0
    following: float = 0.0
    ended: BoolArray | None = None
    slip: Array = field(init=False)
    new: Array = field(init=False)
    dense: Array = field(init=False)

    def __post_init__(self) -> None:
        self.new, self.dense = np.empty_like(self.state), np.zeros((7, len(self.state), 13))

    def stop(self, h: float | None = None, nowhere: bool = False) -> None:
        """End here; ``h`` (s) is the step to go on with, where not the one at hand."""
        self.over, self.nowhere = True, nowhere
        self.h = self.h if h is None else h
