"""A world in motion looked at in one instant: of what it tells only what is asked is computed.

What a condition reads is found once for each world, not at each of the many instants between the
steps at which the condition is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

import numpy as np

from articulata.analyses.simulate.clearance import Pair, overlaps
from articulata.analyses.simulate.crossings import ready
from articulata.analyses.simulate.sensing import Snapshot
from articulata.domains.protocols import POSE, Control, Motion
from articulata.geometry.arrays import Array
from articulata.records.bodies import halves
from articulata.records.observed import RATE, VELOCITY, AbsentError
from articulata.records.quantities import reader
from articulata.records.state import Channel, Frame, State
from articulata.world.model import World
from articulata.world.paths import resolve
from articulata.world.requests.request import OptionValue

HINGE_FORCE = "dynamic.hinge_force"

_OWN = {"v": VELOCITY, "w": RATE}
"""What of a body stands in the state itself."""

_AXES = "xyz"


class Looked(Mapping[str, Array]):
    """The arrays of a frame at ``state``, computed when they are asked for.

    Without a ``cycle``, before controls have said anything, nothing is solved.
    """

    def __init__(self, view: View, state: State, cycle: Control | None) -> None:
        self._view, self._mover, self._state, self._cycle = view, view.mover, state, cycle
        then, known = view.seen
        self._own = known if then is state and known is not None else state.arrays

    @cached_property
    def _placed(self) -> Mapping[str, Array]:
        return self._mover.placed(self._state)

    @cached_property
    def _seen(self) -> Mapping[str, Array]:
        return self._mover.observe(self._state)

    @cached_property
    def _solved(self) -> Mapping[str, Array]:
        return {} if self._cycle is None else self._mover.solve(self._state, self._cycle)

    @cached_property
    def forces(self) -> Array:
        """What the hinges bear, (hinges, 6), as in the channel of that name."""
        assert self._cycle is not None
        if HINGE_FORCE in self._own:
            return self._own[HINGE_FORCE]
        if "_solved" in vars(self):
            return self._solved[HINGE_FORCE]
        return self._mover.borne(self._state, self._cycle)

    def __getitem__(self, name: str) -> Array:
        # what moves bodies says where they are; the state may have where they were placed
        if name in self._own and name != POSE:
            return self._own[name]
        if name == HINGE_FORCE and self._cycle is not None:
            return self.forces
        if name in self._placed:
            return self._placed[name]
        if name in self._seen:
            return self._seen[name]
        return self._solved[name]

    def __contains__(self, name: object) -> bool:
        if name in self._own:
            return True
        derived = self._view.derived
        known = derived.get(self._cycle is None)
        if known is None:  # the same for all that are looked at so
            known = derived[self._cycle is None] = frozenset((*self._seen, *self._solved))
        return name in known

    def __iter__(self) -> Iterator[str]:
        return iter({**self._own, **self._seen, **self._solved})

    def __len__(self) -> int:
        return len(list(iter(self)))


class Instant:
    """What readers of recordings need to read a look: a ``Stretch`` of one frame."""

    def __init__(self, view: View, state: State, arrays: Looked) -> None:
        self._view, self._state, self._arrays = view, state, arrays
        self.version = state.version

    @property
    def times(self) -> Array:
        """Its time, (1,) s."""
        return np.array([self._state.time])

    @property
    def channels(self) -> Mapping[str, Channel]:
        """Every channel it has, by name."""
        return {name: each for name, each in self._view.alone.items() if name in self._arrays}

    def array(self, name: str) -> Array:
        """Return a channel's array with one row of time before it."""
        return np.asarray(self._arrays[name], np.float64)[None]

    def of_row(self, name: str, number: int) -> Array:
        """Return row ``number`` of a channel with one row of time before it."""
        return np.asarray(self._arrays[name][number])[None]

    def row(self, name: str, label: str) -> int | None:
        """Return the row of ``label`` in a channel, or None where it has none."""
        return self._view.row(name, label) if name in self._arrays else None


class Look:
    """One instant of a run: ``value`` reads what paths name."""

    def __init__(self, view: View, state: State, cycle: Control | None) -> None:
        self._view = view
        self.state = state
        self.cycle = cycle
        self.arrays = Looked(view, state, cycle)
        self._overlaps: dict[Pair, float] | None = None
        self._worth: dict[OptionValue, float] = {}

    @property
    def world(self) -> World:
        """The world that is looked at."""
        return self._view.mover.world

    def overlaps(self, pairs: tuple[Pair, ...]) -> dict[Pair, float]:
        """Return by how much bodies that nothing stops overlap, all pairs at once."""
        if self._overlaps is None:
            found = overlaps(self.world, self.arrays[POSE], pairs)
            self._overlaps = dict(zip(pairs, found, strict=True))
        return self._overlaps

    @cached_property
    def snapshot(self) -> Snapshot:
        """The same as a frame that recordings' readers read."""
        frame = Frame(self.state.time, self.arrays, self.state.version)
        return Snapshot(self.world, self._view.channels, frame)

    @cached_property
    def stretch(self) -> Instant:
        """The same without what bodies do to each other, and without its own paths."""
        return Instant(self._view, self.state, self.arrays)

    def value(self, path: str) -> Array | float:
        """Return the quantity ``path`` names: a number or an array, as ``Snapshot.value``."""
        return self._view.probe(path)(self)

    def worth(self, side: OptionValue) -> float:
        """Return what one side of a comparison is worth; several watches ask for the same one."""
        found = self._worth.get(side)
        if found is None:
            found = self._worth[side] = self._view.side(side)(self)
        return found


Probe: TypeAlias = Callable[[Look], Array | float]


class View:
    """What all looks at one mover have in common: how each path is read."""

    def __init__(self, mover: Motion, channels: tuple[Channel, ...]) -> None:
        self.mover = mover
        self.channels = channels
        self.alone = {channel.name: channel for channel in channels if not channel.pairs}
        self._rows: dict[tuple[str, str], int | None] = {}
        self._sides: dict[OptionValue, Callable[[Look], float]] = {}
        self.derived: dict[bool, frozenset[str]] = {}
        """Names of what looks without a cycle, True, and with one derive from their states."""
        self._probes: dict[str, Probe] = {}
        self.seen: tuple[State | None, Mapping[str, Array] | None] = None, None
        """A state that was recorded, and what was seen there."""

    def at(self, state: State, cycle: Control | None) -> Look:
        """Return a look at ``state``."""
        return Look(self, state, cycle)

    def probe(self, path: str) -> Probe:
        """Return what reads ``path`` from a look; NameNotFound where it names nothing."""
        found = self._probes.get(path)
        if found is None:
            found = self._probes[path] = self._made(path.strip())
        return found

    def side(self, item: OptionValue) -> Callable[[Look], float]:
        """Return what tells the worth of one side of a comparison."""
        found = self._sides.get(item)
        if found is None:
            found = self._sides[item] = ready(item, self.probe)
        return found

    def row(self, name: str, label: str) -> int | None:
        """Return the row of ``label`` in a channel, or None where it has none."""
        known = self._rows.get((name, label), -1)
        if known == -1:
            of = self.alone.get(name)
            known = of.labels.index(label) if of and label in of.labels else None
            self._rows[name, label] = known
        return known

    def _made(self, path: str) -> Probe:
        direct = any(path == c.name or path.startswith(f"{c.name}.") for c in self.channels)
        it = None if direct or halves(path) is not None else resolve(self.mover.world, path)
        if it is not None and it.kind == "world" and it.quantity == "time":
            return lambda look: look.state.time
        if it is None or it.kind in ("world", "drive"):
            return lambda look: look.snapshot.value(path)
        own = next((c for c in self.channels if c.name == _OWN.get(str(it.quantity))), None)
        if it.kind == "body" and own is not None:
            channel, row = own.name, own.labels.index(it.id)
            if it.axis is None:
                return lambda look: look.state.arrays[channel][row]
            column = _AXES.index(it.axis)
            return lambda look: float(look.state.arrays[channel][row, column])
        read, _, parts = reader(self.mover.world, path, it)
        place = None if it.axis is None else parts.index(it.axis)

        def of(look: Look) -> Array | float:
            try:
                found = np.asarray(read(look.stretch)[0], np.float64)
            except AbsentError:
                return look.snapshot.value(path)  # says what is missing
            if place is not None:
                found = found[place]
            return float(found) if found.ndim == 0 else found

        return of
