"""Joints from the tables of a text's figure: every convention becomes the canonical form."""

from __future__ import annotations

import numpy as np

from articulata.geometry.shapes import Placed
from articulata.kinematics.joint import UNLIMITED, Joint, Mimic, Motor
from articulata.kinematics.link import Link, Part
from articulata.world.figures.link_weights import moments_matrix
from articulata.world.figures.nodes import JointRow, LinkData, TableNode
from articulata.world.figures.trees import table_frames


def table_joints(table: TableNode) -> tuple[Joint, ...]:
    """Return the joints of a table, in order; the first one stands on the table's base."""
    return tuple(
        Joint(
            row.name,
            row.kind,
            X_PJ,
            X_JL,
            row.limits or UNLIMITED,
            row.neutral,
            _mimic(row),
            row.link.name,
            Motor(**row.motor),
        )
        for row, (X_PJ, X_JL) in zip(table.rows, table_frames(table), strict=True)
    )


def row_link(row: JointRow) -> Link:
    """Return the link that a row's joint carries."""
    data = row.link
    parts = (_part(data),) if data.shape is not None else ()
    return Link(
        data.name or row.name,
        data.mass or 0.0,
        data.center,
        moments_matrix(data.inertia),
        parts,
        parts,
    )


def _mimic(row: JointRow) -> Mimic | None:
    found = row.follows
    return None if found is None else Mimic(found.joint, found.factor, found.offset)


def _part(data: LinkData) -> Part:
    shape = data.shape
    assert shape is not None
    if isinstance(shape, Placed):
        return Part(shape.shape, shape.X_PS, data.color)
    return Part(shape, np.eye(4), data.color)
