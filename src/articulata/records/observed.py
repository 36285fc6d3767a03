"""What readers of quantities need: frames of observations and their rows, whoever holds them.

A recording holds what was observed during a run, a snapshot of a running simulation one frame of
it. Readers take either, so that a path means the same to both, and know neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array
from articulata.records.events import Event
from articulata.records.state import Channel, Frame, State
from articulata.world.edits.transaction import Edit
from articulata.world.model import World


class Stretch(Protocol):
    """Consecutive frames whose arrays have the same names, shapes and labels."""

    @property
    def times(self) -> Array:
        """Times of the frames, (n,) s."""
        ...

    @property
    def version(self) -> int:
        """The version of the world they belong to."""
        ...

    @property
    def channels(self) -> Mapping[str, Channel]:
        """What the arrays hold, by name."""
        ...

    def row(self, channel: str, label: str) -> int | None:
        """Return the row of ``label`` in ``channel``, None where there is none."""
        ...

    def array(self, name: str) -> npt.NDArray[Any]:
        """Return channel ``name``, (n, ...)."""
        ...

    def of_row(self, name: str, number: int) -> npt.NDArray[Any]:
        """Return row ``number`` of channel ``name``, (n, ...)."""
        ...


class Observed(Protocol):
    """Frames of one run, stretch by stretch, and the worlds they belong to."""

    @property
    def world(self) -> World:
        """The world at the start."""
        ...

    @property
    def worlds(self) -> Mapping[int, World]:
        """The world after each edit, by version."""
        ...

    @property
    def edits(self) -> Sequence[tuple[float, Edit | Any]]:
        """Times (s) and edits in the order they were made."""
        ...

    @property
    def times(self) -> Array:
        """Times of all frames, (n,) s."""
        ...

    @property
    def channels(self) -> Mapping[str, Channel]:
        """Every channel of any frame, by name."""
        ...

    @property
    def segments(self) -> Sequence[Stretch]:
        """The stretches in order of time."""
        ...

    def array(self, name: str) -> npt.NDArray[Any]:
        """Return channel ``name`` for all frames, (n, ...)."""
        ...


class Told(Observed, Protocol):
    """The same with what happened meanwhile."""

    @property
    def events(self) -> Sequence[Event]:
        """What happened, in order of time."""
        ...

    def series(self, path: str) -> Array:
        """Return what ``path`` names at each time."""
        ...

    def frame(self, index: int) -> Frame:
        """Return frame ``index``."""
        ...

    def state_of(self, index: int) -> State:
        """Return the state of frame ``index``, with what the run remembered there."""
        ...


XYZ = ("x", "y", "z")

POSE = "geometric.pose"
JOINT = "kinematic.coordinate"
BASE = "kinematic.base"
VIEW = "film.camera"
VIEW_ANGLES = "film.angles"
POSITION = "dynamic.position"
ORIENTATION = "dynamic.orientation"
VELOCITY = "dynamic.velocity"
RATE = "dynamic.rate"


class AbsentError(Exception):
    """A segment does not hold what is asked."""


def row(segment: Stretch, channel: str, label: str) -> Array:
    """Return the row ``label`` of ``channel``, (n, columns) or (n,)."""
    number = segment.row(channel, label)
    if number is None:
        raise AbsentError(
            f"channel {channel} has no row {label}"
            if channel in segment.channels
            else f"there is no channel {channel}"
        )
    return np.asarray(segment.of_row(channel, number), np.float64)
