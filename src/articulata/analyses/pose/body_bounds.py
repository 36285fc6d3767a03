"""What a body does not do although its joints could: bend stretched hamstrings, hold idle arms up.

Rooms (m, c) are how far a bound is kept, rad, or the difference of cosines for the trunk; negative
where it is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from articulata.domains.comfort.figure_angles import BACK, CHEST
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.figure import Figure
from articulata.kinematics.figure_places import Places

if TYPE_CHECKING:
    from articulata.analyses.pose.pose_scene import Scene

STRAIGHT: Final = np.radians(80.0)
"""rad: how far a hip bends with its knee straight, as hamstrings of normal length allow (Kendall,
Muscles: Testing and Function)."""

GAIN: Final = 4.0 / 9.0
"""rad of the hip for each of the knee: to 120 deg (AAOS) while the knee bends to 90: a proposal."""


UPRIGHT: Final = np.radians(5.0)
"""rad: who stands at ease bends back no farther. Of all motions of joints this is the one that
people feel the most (Kee and Karwowski 2001). The bound is a proposal: what RULA and REBA count as
straight here."""


LEANING: Final = ("base turn x", "vl3_flexion", "vt6_flexion")
"""Joints that lean a trunk forward; a shoulder that bends as far lets its arm hang."""

HANGING: Final[float] = np.cos(np.radians(20.0))
"""Cosine of the angle from the vertical up to which an upper arm hangs in the present posture."""


class BodyBounds:
    """The bounds of one scene, made ready for any number of postures.

    ``words`` name them, in the order of the columns of ``room``. ``eases``: a back is held from
    bending back.
    """

    def __init__(self, scene: Scene) -> None:
        self._figure, self._lean, self._up = scene.figure, scene.lean, scene.up
        names = scene.figure.names
        moving = {names[column] for column in scene.columns}
        pairs = [(f"{s}_hip_flexion", f"{s}_knee_flexion") for s in "lr"]
        pairs = [(hip, knee) for hip, knee in pairs if hip in moving and knee in names]
        self._hips = [names.index(hip) for hip, _ in pairs]
        self._knees = [names.index(knee) for _, knee in pairs]
        self.words = [f"hamstrings of {hip}" for hip, _ in pairs]
        known = {joint.name for joint in scene.figure.joints}
        self.eases = scene.at_ease and BACK in moving and CHEST in known
        if self.eases:
            ahead = self._ahead(*self._axes(scene.start[None]))[0]
            self._least = min(-np.sin(UPRIGHT), float(ahead[0]))
            self.words.append(f"trunk bent back by {np.degrees(np.arcsin(-self._least)):.3g} deg")
        if self._lean is not None:
            if CHEST not in known:
                raise KinematicsError(
                    f"figure '{scene.figure.name}' has no joint {CHEST}; the lean of a trunk is "
                    "read from figures with H-Anim names, such as 'person'"
                )
            self.words.append(f"trunk leaning by {np.degrees(self._lean):.3g} deg")

    def room(self, q: Array) -> tuple[Array, Array]:
        """Return how far each bound is kept in postures (m, c), and the slopes (m, c, dof)."""
        m, count = len(q), len(self._hips)
        room = np.empty((m, len(self.words)))
        slopes = np.zeros((*room.shape, q.shape[1]))
        room[:, :count] = STRAIGHT + GAIN * q[:, self._knees] - q[:, self._hips]
        for row, (hip, knee) in enumerate(zip(self._hips, self._knees, strict=True)):
            slopes[:, row, hip], slopes[:, row, knee] = -1.0, GAIN
        if self.eases or self._lean is not None:
            axes, J = self._axes(q)
        if self.eases:
            ahead, slopes[:, count] = self._ahead(axes, J)
            room[:, count] = ahead - self._least
        if self._lean is not None:
            room[:, -1] = axes[:, 0] @ self._up - np.cos(self._lean)
            slopes[:, -1] = self._up @ J[:, 0]
        return room, slopes

    def _axes(self, q: Array) -> tuple[Array, Array]:
        """Return the chest's axis up and the pelvis' ahead in W (m, 2, 3), and their Jacobians."""
        p, J = self._places.found(q)
        return p[:, 1::2] - p[:, ::2], J[:, 1::2] - J[:, ::2]

    @staticmethod
    def _ahead(axes: Array, J: Array) -> tuple[Array, Array]:
        """Return how far the chest's axis points ahead of the pelvis (m,), and its slopes."""
        chest, pelvis = axes[:, 0], axes[:, 1]
        change = np.einsum("md,mdj->mj", pelvis, J[:, 0]) + np.einsum("md,mdj->mj", chest, J[:, 1])
        return np.einsum("md,md->m", chest, pelvis), change

    @cached_property
    def _places(self) -> Places:
        numbers = [joint.name for joint in self._figure.joints]
        pelvis = self._figure.parents[numbers.index(BACK)] if BACK in numbers else -1
        ends = []
        for number, axis in ((numbers.index(CHEST), 1), (pelvis, 2)):
            X = np.eye(4)
            X[axis, 3] = 1.0
            ends += [(number, np.eye(4)), (number, X)]
        return Places(self._figure, ends)


def idle_arms(scene: Scene) -> tuple[IntArray, IntArray]:
    """Return places in ``q`` of shoulders whose arms hang idly, and of what leans the trunk.

    An arm is idle that hangs in the start, is not named among what moves and holds nothing: no
    target, load, push or support. None of figures without H-Anim names, nor below a trunk at rest.
    """
    figure, names = scene.figure, scene.figure.names
    moving = {names[column] for column in scene.columns}
    leaning = [names.index(name) for name in LEANING if name in moving]
    shoulders: list[int] = []
    if leaning:
        held = (*scene.targets, *scene.supports, *(each.place for each in scene.loads))
        busy = carriers(figure, (*held, *(each.place for each in scene.pushes)))
        for side in "lr":
            flexion, upper_arm = f"{side}_shoulder_flexion", f"{side}_shoulder_rotation"
            if not {flexion, upper_arm} <= set(names) or upper_arm in busy | moving:
                continue
            down = -figure.link_pose(scene.start, upper_arm)[:3, 1]
            if flexion not in moving and down @ -scene.up > HANGING:
                shoulders.append(names.index(flexion))
    return np.array(shoulders, np.int64), np.array(leaning, np.int64)


def carriers(figure: Figure, places: Iterable[str]) -> set[str]:
    """Return the joints that carry places of a figure."""
    found = set()
    for place in places:
        number = figure.place(place)[0]
        while number >= 0:
            found.add(figure.joints[number].name)
            number = figure.parents[number]
    return found
