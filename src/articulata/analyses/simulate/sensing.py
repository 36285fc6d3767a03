"""What may be read of a running simulation: by controllers, and by those who react to events.

A snapshot answers as a recording of one frame would, so that a path means the same to a
controller, to ``series`` and to a table's header.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from articulata.domains.protocols import POSE, Sensed
from articulata.geometry.arrays import Array
from articulata.records.bodies import halves
from articulata.records.events import Event
from articulata.records.quantities import quantity
from articulata.records.segment import told_by
from articulata.records.state import Channel, Frame, State
from articulata.world.model import World
from articulata.world.values import Pose


class Snapshot:
    """One frame, read through the paths that recordings know."""

    def __init__(self, world: World, channels: tuple[Channel, ...], frame: Frame) -> None:
        self.world = world
        self.frame = frame
        self.times = np.array([frame.time])
        here = [channel for channel in channels if channel.name in frame.arrays]
        self._pairs = {
            channel.name: told_by([frame.arrays[channel.name]], channel)
            for channel in here
            if channel.pairs
        }
        self.channels: Mapping[str, Channel] = {
            channel.name: self._pairs[channel.name].told() if channel.pairs else channel
            for channel in here
        }
        self.version = frame.version
        self.segments = (self,)
        self.worlds = {frame.version: world}
        self.edits: tuple[Any, ...] = ()
        self._read: dict[str, Array | float] = {}

    def array(self, name: str) -> Array:
        """Return a channel's array with one row of time before it."""
        if name in self._pairs:
            return self._pairs[name].whole()
        return np.asarray(self.frame.arrays[name], dtype=float)[None]

    def of_row(self, name: str, number: int) -> Array:
        """Return row ``number`` of a channel with one row of time before it."""
        return self.array(name)[:, number]

    def row(self, name: str, label: str) -> int | None:
        """Return the row of ``label`` in a channel, or None where it has none."""
        channel = self.channels.get(name)
        return channel.labels.index(label) if channel and label in channel.labels else None

    def value(self, path: str) -> Array | float:
        """Return the quantity ``path`` names: a number, or an array that must not be written."""
        known = self._read.get(path)
        if known is None:
            known = self._ask(path)
            self._read[path] = known
        return known

    def _ask(self, path: str) -> Array | float:
        parted = halves(path)
        if parted is not None and parted[1] == "to" and POSE in self.frame.arrays:
            # Imported here: most controllers never ask for it.
            from articulata.analyses.simulate.clearance import between

            apart = between(self.world, self.frame.arrays[POSE], parted[0], parted[2])
            if apart is not None:
                return apart
        found = np.array(quantity(self, path).values[0])
        found.flags.writeable = False
        return float(found) if found.ndim == 0 else found

    def sensed(self) -> Sensed:
        """Return what controllers are handed."""
        return Sensed(self.frame.time, self.value)


@dataclass(frozen=True, slots=True)
class Moment:
    """The instant ``time`` (s): the ``world`` and its ``state`` then, and what has happened.

    Nothing in it can be changed; what is to be changed is returned as edits.
    """

    time: float
    world: World
    state: State
    events: tuple[Event, ...]
    _look: Callable[[], Snapshot] = field(repr=False, compare=False)

    def value(self, path: str) -> Array | float:
        """Return the quantity ``path`` names at this instant, as a recording's ``series`` would.

        "ball.center", "rod2.w.z", "links.h23.angle", "links.h23.force", "energy.total" ...
        """
        return self._look().value(path)

    def pose(self, body: str) -> Pose:
        """Return ``X_WB``, where the body's own frame is at this instant."""
        x, y, z = np.asarray(self.value(f"{body}.origin")).tolist()
        qw, qx, qy, qz = np.asarray(self.value(f"{body}.orientation")).tolist()
        return Pose((x, y, z), (qw, qx, qy, qz))


def moment_of(
    world: World, state: State, events: Sequence[Event], look: Callable[[], Snapshot]
) -> Moment:
    """Return what may be read of ``state``, whose arrays nobody can write in it."""
    arrays = {name: _unwritable(array) for name, array in state.arrays.items()}
    held = replace(state, arrays=MappingProxyType(arrays))
    return Moment(state.time, world, held, tuple(events), look)


def _unwritable(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view
