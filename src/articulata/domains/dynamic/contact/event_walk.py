"""A leg in event mode: to the end of a cycle, to the first event, or to a watched condition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from articulata.domains.dynamic.balances import balanced
from articulata.domains.dynamic.channels import STEP, booked
from articulata.domains.dynamic.contact.event_driven import Passage
from articulata.domains.dynamic.contact.intervals import Active, Interval
from articulata.domains.dynamic.interval_memory import memory_of
from articulata.domains.dynamic.mechanism import COORDINATE
from articulata.domains.dynamic.methods import DOP853, RK4
from articulata.domains.dynamic.observer import Observer
from articulata.domains.dynamic.packing import pack, unpack
from articulata.domains.protocols import Control, Watch
from articulata.geometry.arrays import Array
from articulata.records.events import Event
from articulata.records.state import State


@dataclass(frozen=True, slots=True)
class EventWalk:
    """Takes a state from event to event; ``observer`` reads them.

    ``insist``: steps that hardly get on are taken all the same.
    """

    passage: Passage
    method: DOP853 | RK4
    observer: Observer
    insist: bool

    def leg(
        self, state: State, until: float, control: Control, watch: Watch | None
    ) -> tuple[Interval, State, tuple[Event, ...]]:
        """Return the interval to ``until`` (s), or to the first event, its state and events."""
        memory, passage = memory_of(state), self.passage
        h = float(state.arrays[STEP][0]) if STEP in state.arrays else 0.0
        active, packed = passage.take_up(memory.active), pack(state.arrays)
        seen = None
        if watch is not None:

            def seen(
                at: Callable[[float], tuple[Array, float]], last: float, active: Active
            ) -> float:
                return watch(lambda share: self._at(state, *at(share), active), last)

        way = Interval(
            self.method, packed, state.time, until, control, h, active, seen, self.insist
        )
        passage.advance(way)
        after = self._at(state, way.state, way.time, way.active)
        arrays = {**after.arrays, STEP: np.array([way.h])}
        arrays |= booked(state.arrays, *passage.books(way))
        after = State(way.time, arrays, state.version, after.memory)
        found = way.events
        return way, after, balanced(found, *[self.observer.balance(after)] * 2) if found else ()

    def _at(self, begin: State, packed: Array, time: float, active: Active) -> State:
        """Return a state on the way from ``begin``."""
        arrays = {**begin.arrays, **unpack(packed)}
        arrays[COORDINATE] = self.observer.followed(begin, arrays, time - begin.time)
        memory = memory_of(begin).by(self.passage.engine.elimination, active=active)
        return State(time, arrays, begin.version, memory)
