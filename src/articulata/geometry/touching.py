"""Where a round surface may touch a face of another part: angles about its axis, rad.

Two cylinders of one radius whose axes meet touch at two points; facets that do not have corners
just there would join the wrong edges. The candidates are cheap to name, and a corner too many
does no harm.
"""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.parts import Part
from articulata.geometry.shapes import Capsule, Cone, Cuboid, Cylinder, Mesh, Sphere
from articulata.geometry.surfaces import surfaces_of

ROUND = (Cylinder, Cone, Capsule)

PARALLEL = 1e-9
"""Sine of the angle between directions that are taken as parallel."""

MOST_ANGLES = 64
"""More candidates than this are not followed: they come from prisms of many sides."""


def touching_angles(part: Part, parts: tuple[Part, ...]) -> tuple[float, ...]:
    """Return the angles about the axis of ``part`` at which it may touch the other parts."""
    if not isinstance(part.shape, ROUND):
        return ()
    directions: list[Array] = []
    for other in parts:
        if other is part or isinstance(other.shape, Mesh):
            continue
        X = np.linalg.inv(part.X_BS) @ other.X_BS
        if isinstance(other.shape, ROUND):
            common = np.cross((0.0, 0.0, 1.0), X[:3, 2])
            directions.append(common if np.hypot(*common[:2]) > PARALLEL else X[:3, 3])
        if isinstance(other.shape, Sphere | Capsule | Cuboid):
            directions.append(X[:3, 3])
        for surface in surfaces_of(other.shape):
            normal = (X @ surface.X_SF)[:3, 2]
            if surface.form == "plane" and abs(normal[2]) < PARALLEL:
                directions.append(normal)
    found = [float(np.arctan2(d[1], d[0])) for d in directions if np.hypot(d[0], d[1]) > PARALLEL]
    return tuple(a + turn for a in found[:MOST_ANGLES] for turn in (0.0, np.pi))
