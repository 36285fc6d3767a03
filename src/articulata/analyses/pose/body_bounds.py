"""What a body does not do although each of its joints could: stretched hamstrings, a trunk too low.

Rooms (m, c) are how far a bound is kept, rad, or the difference of cosines for the trunk; negative
where it is not.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from articulata.domains.comfort.reading import CHEST
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.figure_places import Places

if TYPE_CHECKING:
    from articulata.analyses.pose.pose_scene import Scene

STRAIGHT: Final = np.radians(80.0)
"""rad: how far a hip bends with its knee straight, as hamstrings of normal length allow (Kendall,
Muscles: Testing and Function)."""

GAIN: Final = 4.0 / 9.0
"""rad of the hip for each of the knee: to 120 deg (AAOS) while the knee bends to 90: a proposal."""


class BodyBounds:
    """The bounds of one scene, made ready for any number of postures.

    ``words`` name them, in the order of the columns of ``room``.
    """

    def __init__(self, scene: Scene) -> None:
        self._figure, self._lean = scene.figure, scene.lean
        names = scene.figure.names
        moving = {names[column] for column in scene.columns}
        pairs = [(f"{s}_hip_flexion", f"{s}_knee_flexion") for s in "lr"]
        pairs = [(hip, knee) for hip, knee in pairs if hip in moving and knee in names]
        self._hips = [names.index(hip) for hip, _ in pairs]
        self._knees = [names.index(knee) for _, knee in pairs]
        self.words = [f"hamstrings of {hip}" for hip, _ in pairs]
        if self._lean is not None:
            if CHEST not in {joint.name for joint in scene.figure.joints}:
                raise KinematicsError(
                    f"figure '{scene.figure.name}' has no joint {CHEST}; the lean of a trunk is "
                    "read from figures with H-Anim names, such as 'person'"
                )
            g = None if scene.gravity is None else np.array(scene.gravity)
            up = scene.figure.up if g is None or not g.any() else -g
            self._up = up / np.linalg.norm(up)
            self.words.append(f"trunk leaning by {np.degrees(self._lean):.3g} deg")

    def room(self, q: Array) -> tuple[Array, Array]:
        """Return how far each bound is kept in postures (m, c), and the slopes (m, c, dof)."""
        m, count = len(q), len(self._hips)
        room = np.empty((m, len(self.words)))
        slopes = np.zeros((*room.shape, q.shape[1]))
        room[:, :count] = STRAIGHT + GAIN * q[:, self._knees] - q[:, self._hips]
        for row, (hip, knee) in enumerate(zip(self._hips, self._knees, strict=True)):
            slopes[:, row, hip], slopes[:, row, knee] = -1.0, GAIN
        if self._lean is not None:
            p, J = self._spine.found(q)
            room[:, -1] = (p[:, 1] - p[:, 0]) @ self._up - np.cos(self._lean)
            slopes[:, -1] = self._up @ (J[:, 1] - J[:, 0])
        return room, slopes

    @cached_property
    def _spine(self) -> Places:
        number = [joint.name for joint in self._figure.joints].index(CHEST)
        X = np.eye(4)
        X[1, 3] = 1.0
        return Places(self._figure, [(number, np.eye(4)), (number, X)])
