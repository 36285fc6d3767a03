"""How far two bodies are apart, as the interference domain measures it: by their shapes.

Distances in m; negative is the depth of an overlap.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from articulata.domains.interference.model import InterferenceModel, interference_model
from articulata.domains.protocols import POSE
from articulata.errors import NameNotFound, RecordingError
from articulata.geometry.arrays import Array
from articulata.records.recording import Recording
from articulata.world.model import World
from articulata.world.paths import resolve_body


def clearance(recording: Recording, one: str, other: str) -> Array:
    """Return the distance (n,) in m of two bodies in every frame; NaN where one is not there.

    For controllers ``sensed.value("hand to cup")`` is the same.
    """
    if not recording.segments:
        raise RecordingError("the recording has no frames, so nothing can be measured")
    parts: list[Array] = []
    missing: NameNotFound | None = None
    for segment in recording.segments:
        world = recording.worlds[segment.version]
        try:
            pair = resolve_body(world, one), resolve_body(world, other)
        except NameNotFound as error:
            parts.append(np.full(len(segment.times), np.nan))
            missing = error
            continue
        model = model_of(world)
        poses = np.asarray(segment.array(POSE), np.float64)
        parts.append(np.array([model.separation(each, *pair) for each in poses]))
    found = np.concatenate(parts)
    if missing is not None and np.all(np.isnan(found)):
        raise missing
    return found


def between(world: World, poses: Array, one: str, other: str) -> float | None:
    """Return the distance (m) of two bodies where ``poses`` (n, 7) are; None where one is none."""
    try:
        pair = resolve_body(world, one), resolve_body(world, other)
    except NameNotFound:
        return None
    return model_of(world).separation(poses, *pair)


def model_of(world: World) -> InterferenceModel:
    """Return the interference model of a world, kept for the next question."""
    return _model_of(_Same(world))


class _Same:
    """A world that equals itself alone: to compare two takes longer than to ask once more."""

    __slots__ = ("world",)

    def __init__(self, world: World) -> None:
        self.world = world

    def __hash__(self) -> int:
        return id(self.world)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.world is self.world


@lru_cache(maxsize=4)
def _model_of(same: _Same) -> InterferenceModel:
    return interference_model(same.world)
