"""Joints from the tables of a text's figure: every convention becomes the canonical form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Placed
from articulata.kinematics.conventions import DH, modified_joints, standard_joints, x_axis_joints
from articulata.kinematics.joint import UNLIMITED, Joint, Mimic, Motor, about
from articulata.kinematics.link import Link, Part
from articulata.world.figures import JointRow, LinkData, TableNode


def table_joints(table: TableNode) -> tuple[Joint, ...]:
    """Return the joints of a table, in order; the first one stands on the table's base."""
    joints = _joints(table)
    first = joints[0]
    X_PJ = table.place.matrix() @ first.X_PJ
    return (replace(first, X_PJ=X_PJ), *joints[1:])


def row_link(row: JointRow) -> Link:
    """Return the link that a row's joint carries."""
    data = row.link
    parts = (_part(data),) if data.shape is not None else ()
    return Link(row.name, data.mass or 0.0, data.center, _inertia(data), parts, parts)


def _joints(table: TableNode) -> tuple[Joint, ...]:
    if table.convention in ("standard", "modified"):
        rows = [
            DH(
                theta=row.theta,
                d=row.d,
                a=row.a,
                alpha=row.alpha,
                name=row.name,
                kind=row.kind,
                limits=row.limits or UNLIMITED,
                neutral=row.neutral,
                mimic=_mimic(row),
                motor=Motor(**row.motor),
            )
            for row in table.rows
        ]
        return standard_joints(rows) if table.convention == "standard" else modified_joints(rows)
    bare = [_bare(row) for row in table.rows]
    places = [row.place.matrix() for row in table.rows]
    if table.convention == "x-axis":
        return x_axis_joints(zip(bare, places, strict=True))
    joints = []
    for row, joint, place in zip(table.rows, bare, places, strict=True):
        C = about(row.axis)
        joints.append(replace(joint, X_PJ=place @ C, X_JL=C.T))
    return tuple(joints)


def _bare(row: JointRow) -> Joint:
    return Joint(
        row.name,
        row.kind,
        limits=row.limits or UNLIMITED,
        neutral=row.neutral,
        mimic=_mimic(row),
        motor=Motor(**row.motor),
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


def _inertia(data: LinkData) -> Array:
    if not data.inertia:
        return np.zeros((3, 3))
    xx, yy, zz, xy, xz, yz = (*data.inertia, 0.0, 0.0, 0.0)[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
