"""The fixed frames of tables' rows: what each convention means, in one form.

A row's joint turns about z or slides along z of its frame J; ``X_PJ`` leads there from the link
before, ``X_JL`` from there to the row's own link. Metres, radians.
"""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import (
    axis_frame,
    modified_frames,
    standard_frames,
    translation,
)
from articulata.world.figures.nodes import JointRow, TableNode


def table_frames(table: TableNode) -> list[tuple[Array, Array]]:
    """Return ``X_PJ`` and ``X_JL`` of every row; the first stands on the table's base."""
    frames = [_row_frames(table.convention, row) for row in table.rows]
    if frames:
        X_PJ, X_JL = frames[0]
        frames[0] = table.place.matrix() @ X_PJ, X_JL
    return frames


def joint_motion(kind: str, value: float) -> Array:
    """Return the pose (4, 4) that a joint's value (rad, m) makes in its frame J."""
    if kind == "prismatic":
        return translation(0.0, 0.0, value)
    X = np.eye(4)
    c, s = np.cos(value), np.sin(value)
    X[:2, :2] = (c, -s), (s, c)
    return X


def _row_frames(convention: str, row: JointRow) -> tuple[Array, Array]:
    if convention in ("standard", "modified"):
        make = standard_frames if convention == "standard" else modified_frames
        return make(row.theta, row.d, row.a, row.alpha, slides=row.kind == "prismatic")
    place = row.place.matrix()
    if convention == "x-axis":
        C = axis_frame(np.array([1.0, 0.0, 0.0]))
        return C, C.T @ place
    C = axis_frame(np.array(row.axis))
    return place @ C, C.T
