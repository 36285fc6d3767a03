"""What the viewer plays: looks and poses of bodies over time, with events and forces.

Made from a recording or from a world that stands still. Poses between two frames are
interpolated for the eye only; stepping and plots show stored frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_to_matrix
from articulata.geometry.shapes import Shape
from articulata.records.events import Event
from articulata.report.accounts import Account
from articulata.report.arrows import Arrows
from articulata.report.joint_marks import JointMark
from articulata.world.values import Vector3

if TYPE_CHECKING:
    from articulata.records.recording import Recording
    from articulata.world.model import World


@dataclass(frozen=True, slots=True)
class Look:
    """How a body looks: its id, shape (None where it has none) and colour, 0 to 255 each.

    ``shaded``: shadows fall on it. The round parts of a figure, which lie in each other, would be
    striped by their own.
    """

    id: str
    shape: Shape | None
    color: tuple[int, int, int]
    shaded: bool = True


@dataclass(frozen=True, slots=True)
class ShownMark:
    """A joint's mark and the frames (first, last) in which the joint is there; None: to the end."""

    mark: JointMark
    frames: tuple[tuple[int, int | None], ...] = ((0, None),)

    def stands(self, frame: int) -> bool:
        """Return whether the joint is there in a frame."""
        return any(a <= frame and (b is None or frame <= b) for a, b in self.frames)


@dataclass(frozen=True, slots=True)
class Motion:
    """Bodies over time.

    ``times`` (n,) s; ``poses`` (n, bodies, 7) origin and quaternion (w first) of each body's frame
    in W, NaN while a body does not exist; ``arrows`` are forces over the same frames. ``plottable``
    maps an object to the quantities that ``series`` knows of it; ``series`` returns values (n,) or
    (n, k) and a unit; ``shown_first`` names what is plotted unasked; ``explain`` gives the account
    of an event by its number; ``source`` is the recording it was made of, ``world`` the world
    that stands still here, whose figures can be posed. ``up`` is a unit vector in W. ``marks`` show
    where joints are.
    """

    title: str
    looks: tuple[Look, ...]
    times: Array
    poses: Array
    up: Vector3
    events: tuple[Event, ...] = ()
    arrows: tuple[Arrows, ...] = ()
    plottable: Mapping[str, tuple[str, ...]] | None = None
    series: Callable[[str], tuple[Array, str]] | None = None
    shown_first: tuple[str, ...] = ()
    explain: Callable[[int], Account] | None = None
    source: Recording | None = None
    world: World | None = None
    marks: tuple[ShownMark, ...] = ()

    def at(self, time: float) -> Array:
        """Return the poses (bodies, 7) at ``time`` s, interpolated between frames."""
        before, after, part = self._between(time)
        if part == 0.0:
            return np.asarray(self.poses[before])
        return interpolate(self.poses[before], self.poses[after], part)

    def frame_before(self, time: float) -> int:
        """Return the index of the frame at or before ``time`` s."""
        return self._between(time)[0]

    def frame_at(self, time: float) -> int:
        """Return the index of the frame nearest to ``time`` s."""
        before, after, part = self._between(time)
        return before if part < 0.5 else after

    def _between(self, time: float) -> tuple[int, int, float]:
        before = int(np.searchsorted(self.times, time, side="right")) - 1
        if before < 0:
            return 0, 0, 0.0
        if before >= len(self.times) - 1:
            return len(self.times) - 1, len(self.times) - 1, 0.0
        span = self.times[before + 1] - self.times[before]
        # Two frames at one instant are the two sides of an event: show the later one.
        part = float((time - self.times[before]) / span) if span > 0 else 0.0
        return before, before + 1, part


def interpolate(before: Array, after: Array, part: float) -> Array:
    """Return poses (bodies, 7) ``part`` of the way; quaternions along the shorter arc.

    A normalised linear blend: between frames a few degrees apart its error is far below a pixel.
    """
    sign = np.where(np.sum(before[:, 3:] * after[:, 3:], axis=1, keepdims=True) < 0, -1.0, 1.0)
    blend = np.empty_like(before)
    blend[:, :3] = (1 - part) * before[:, :3] + part * after[:, :3]
    q = (1 - part) * before[:, 3:] + part * sign * after[:, 3:]
    blend[:, 3:] = q / np.linalg.norm(q, axis=1, keepdims=True)
    return np.where(np.isnan(after), before, blend)


def bounds(motion: Motion, boxes: Array, samples: int = 200) -> tuple[Array, Array]:
    """Return the corners (3,), (3,) of a box in W about all bodies over all frames.

    ``boxes`` (bodies, 2, 3) m are the lowest and highest corner of each body in its own axes.
    """
    chosen: IntArray = np.unique(np.linspace(0, len(motion.times) - 1, samples).astype(np.int64))
    poses = motion.poses[chosen]
    seen = ~np.isnan(poses[:, :, :3]).any(axis=2)
    if not seen.any():
        return np.full(3, -1.0), np.full(3, 1.0)
    R = q_to_matrix(poses[seen][:, 3:])
    which = np.nonzero(seen)[1]
    middle, half = boxes.mean(axis=1)[which], np.ptp(boxes, axis=1)[which] / 2
    center = poses[seen][:, :3] + np.einsum("nij,nj->ni", R, middle)
    spread = np.einsum("nij,nj->ni", np.abs(R), half)
    return np.min(center - spread, axis=0), np.max(center + spread, axis=0)
