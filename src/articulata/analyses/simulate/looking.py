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
from articulata.analyses.simulate.sensing import Snapshot
from articulata.domains.protocols import POSE, Control, Motion
from articulata.geometry.arrays import Array
from articulata.records.bodies import halves
from articulata.records.observed import RATE, VELOCITY, AbsentError
from articulata.records.quantities import reader
from articulata.records.state import Channel, Frame, State
from articulata.world.model import World
from articulata.world.paths import resolve

HINGE_FORCE = "dynamic.hinge_force"

_OWN = {"v": VELOCITY, "w": RATE}
"""What of a body stands in the state itself."""

_AXES = "xyz"


class Looked(Mapping[str, Array]):
    """The arrays of a frame at ``state``, computed when they are asked for.

    Without a ``cycle``, before controls have said anything, nothing is solved.
    """

    def __init__(
        self,
        mover: Motion,
        state: State,
        cycle: Control | None,
        known: Mapping[str, Array] | None = None,
    ) -> None:
        self._mover, self._state, self._cycle = mover, state, cycle
        self._own = state.arrays if known is None else known

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
        if name in self._seen:
            return self._seen[name]
        return self._solved[name]

    def __contains__(self, name: object) -> bool:
        if name in self._own:
            return True
        if name == HINGE_FORCE:
            return self._cycle is not None and self._mover.bears
        return name in self._seen or name in self._solved

    def __iter__(self) -> Iterator[str]:
        return iter({**self._own, **self._seen, **self._solved})

    def __len__(self) -> int:
        return len(list(iter(self)))


class Look:
    """One instant of a run: ``value`` reads what paths name."""

    def __init__(self, view: View, state: State, cycle: Control | None) -> None:
        self._view = view
        self.state = state
        self.cycle = cycle
        then, arrays = view.seen
        self.arrays = Looked(view.mover, state, cycle, arrays if then is state else None)
        self._overlaps: dict[Pair, float] | None = None

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

    def value(self, path: str) -> Array | float:
        """Return the quantity ``path`` names: a number or an array, as ``Snapshot.value``."""
        return self._view.probe(path)(self)


Probe: TypeAlias = Callable[[Look], Array | float]


class View:
    """What all looks at one mover have in common: how each path is read."""

    def __init__(self, mover: Motion, channels: tuple[Channel, ...]) -> None:
        self.mover = mover
        self.channels = channels
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

    def _made(self, path: str) -> Probe:
        direct = any(path == c.name or path.startswith(f"{c.name}.") for c in self.channels)
        if direct or halves(path) is not None:
            return lambda look: look.snapshot.value(path)
        it = resolve(self.mover.world, path)
        if it.kind == "world" and it.quantity == "time":
            return lambda look: look.state.time
        if it.kind in ("world", "drive"):
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
                found = np.asarray(read(look.snapshot)[0], np.float64)
            except AbsentError:
                return look.snapshot.value(path)  # says what is missing
            if place is not None:
                found = found[place]
            return float(found) if found.ndim == 0 else found

        return of
