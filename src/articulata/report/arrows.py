"""Forces of a recording as arrows: where they act, in the world frame W, frame by frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_rotate
from articulata.records.observed import POSE
from articulata.records.quantities import HINGE_FORCE
from articulata.report.colors import Color
from articulata.world.model import World

if TYPE_CHECKING:
    from articulata.records.recording import Recording
    from articulata.records.segment import Segment

CONTACT_POINT: Final = "dynamic.contact_point"
CONTACT_FORCE: Final = "dynamic.contact_point_force"

COLORS: Final[dict[str, Color]] = {"contact": (217, 72, 15), "hinge": (112, 72, 232)}
"""Orange and violet: apart for every eye, and rare among bodies."""

LABELS: Final = {"contact": "Contact forces", "hinge": "Hinge forces"}

USUAL: Final = 0.95
"""Share of the frames whose strongest arrow is at most as long as the usual one: a single peak
must not make all other arrows invisible."""

LONGEST: Final = 2.0
"""Arrows longer than this many usual lengths are cut there."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrows:
    """Forces of one kind, "contact" or "hinge".

    ``values`` (frames, arrows, 6) are points of action (m) and forces (N), NaN where there is
    none in a frame. ``usual`` (N) is the force that an arrow of usual length stands for.
    """

    kind: str
    values: Array

    @property
    def label(self) -> str:
        """What a switch calls them."""
        return LABELS[self.kind]

    @property
    def color(self) -> Color:
        """Their colour, 0 to 255 each."""
        return COLORS[self.kind]

    @property
    def usual(self) -> float:
        """The strongest force of all but the most violent frames (N); zero where none acts."""
        size = np.linalg.norm(np.nan_to_num(self.values[:, :, 3:]), axis=2)
        strongest = np.max(size, axis=1, initial=0.0)
        acting = strongest[strongest > 0.0]
        return float(np.quantile(acting, USUAL)) if len(acting) else 0.0


def arrows_of(recording: Recording) -> tuple[Arrows, ...]:
    """Return the forces that ``recording`` holds."""
    found = (
        ("contact", _contacts(recording)),
        ("hinge", _hinges(recording)),
    )
    return tuple(Arrows(kind, values) for kind, values in found if values is not None)


def drawn(values: Array, length_per_newton: float, longest: float) -> tuple[Array, Array]:
    """Return starts and ends (k, 3) m of arrows; those without a force are left out.

    ``values`` (arrows, 6) are points and forces of one frame, ``longest`` (m) cuts arrows.
    """
    size = np.linalg.norm(values[:, 3:], axis=1)
    there = np.isfinite(size) & np.isfinite(values[:, 0]) & (size * length_per_newton > 0.0)
    start, force, size = values[there, :3], values[there, 3:], size[there]
    length = np.minimum(size * length_per_newton, longest)
    return start, start + force * (length / size)[:, None]


def _hinges(recording: Recording) -> Array | None:
    """Return points and forces of the hinges, on their bodies A."""
    parts = [segment for segment in recording.segments if HINGE_FORCE in segment.channels]
    names = list(dict.fromkeys(name for part in parts for name in _labels(part)))
    if not names:
        return None
    number = {name: k for k, name in enumerate(names)}
    whole = np.full((len(recording.times), len(names), 6), np.nan)
    start = 0
    for segment in recording.segments:
        stop = start + len(segment.times)
        for row, name in enumerate(_labels(segment)):
            world = _world(recording, segment)
            body = segment.row(POSE, world.hinges[name].body_a) if name in world.hinges else None
            if body is None:
                continue
            X_WA = np.asarray(segment.array(POSE)[:, body])
            p_AH = np.array(world.hinges[name].frame_a.position)
            out = whole[start:stop, number[name]]
            out[:, :3] = X_WA[:, :3] + q_rotate(X_WA[:, 3:], np.broadcast_to(p_AH, (len(X_WA), 3)))
            out[:, 3:] = segment.array(HINGE_FORCE)[:, row, :3]
        start = stop
    return whole


def _contacts(recording: Recording) -> Array | None:
    """Return points and forces of the contacts, each on the body that it carries."""
    parts = [segment for segment in recording.segments if CONTACT_POINT in segment.channels]
    width = max((part.array(CONTACT_POINT).shape[1] for part in parts), default=0)
    if not width:
        return None
    whole = np.full((len(recording.times), width, 6), np.nan)
    start = 0
    for segment in recording.segments:
        stop = start + len(segment.times)
        if CONTACT_POINT in segment.channels and CONTACT_FORCE in segment.channels:
            points = segment.array(CONTACT_POINT)
            whole[start:stop, : points.shape[1], :3] = points
            whole[start:stop, : points.shape[1], 3:] = segment.array(CONTACT_FORCE)
        start = stop
    # Both bodies feel the force; the one is shown that acts against gravity.
    pull = np.array(recording.world.gravity)
    sinking = whole[:, :, 3:] @ pull > 1e-9 * np.linalg.norm(pull)
    whole[sinking, 3:] *= -1.0
    used = ~np.isnan(whole[:, :, 0]).all(axis=0)
    return whole[:, used] if used.any() else None


def _labels(segment: Segment) -> tuple[str, ...]:
    channel = segment.channels.get(HINGE_FORCE)
    return () if channel is None else channel.labels


def _world(recording: Recording, segment: Segment) -> World:
    """Return the world of a segment; the first one where an edit is unknown to this version."""
    try:
        return recording.worlds.get(segment.version, recording.world)
    except ArticulataError:
        return recording.world
