"""Denavit-Hartenberg tables and the x-axis convention, made into canonical joints.

Standard: ``Rz(theta) Tz(d) Tx(a) Rx(alpha)``; modified (Craig, (3.6)):
``Rx(alpha_before) Tx(a_before) Rz(theta) Tz(d)``; about x: ``Rx(theta) Tx(d) Tz(a) Rz(alpha)``
(Li 2011, (4.8), after Gfrerrer), which is the standard table with the axes x and z exchanged. In
all, the joint's value adds to ``theta`` of a revolute and to ``d`` of a prismatic joint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.joint_frames import modified_frames, standard_frames
from articulata.geometry.joint_frames import rotation_x as rotation_x
from articulata.geometry.joint_frames import rotation_y as rotation_y
from articulata.geometry.joint_frames import rotation_z as rotation_z
from articulata.geometry.joint_frames import translation as translation
from articulata.kinematics.joint import (
    PRISMATIC,
    REVOLUTE,
    UNKNOWN_MOTOR,
    UNLIMITED,
    Joint,
    JointKind,
    Mimic,
    Motor,
    about,
)

# Half a turn about the line between x and z: it exchanges them and is its own inverse.
_EXCHANGE = np.array([[0.0, 0, 1, 0], [0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])


@dataclass(frozen=True, slots=True, kw_only=True)
class DH:
    """One row of a Denavit-Hartenberg table: ``theta`` and ``alpha`` in rad, ``d``, ``a`` in m.

    ``limits`` and ``neutral`` are those of the joint's value (rad or m), which adds to ``theta``
    (revolute) or ``d`` (prismatic).
    """

    theta: float = 0.0
    d: float = 0.0
    a: float = 0.0
    alpha: float = 0.0
    name: str = ""
    kind: JointKind = REVOLUTE
    limits: tuple[float, float] = UNLIMITED
    neutral: float = 0.0
    mimic: Mimic | None = None
    motor: Motor = UNKNOWN_MOTOR


def standard_joints(rows: Iterable[DH]) -> tuple[Joint, ...]:
    """Return the joints of a standard table; link frames stand at the end of each link."""
    return tuple(_joint(row, number, standard_frames) for number, row in enumerate(rows, 1))


def modified_joints(rows: Iterable[DH]) -> tuple[Joint, ...]:
    """Return the joints of a modified table (Craig): ``a`` and ``alpha`` of the link before."""
    return tuple(_joint(row, number, modified_frames) for number, row in enumerate(rows, 1))


def x_axis_table_joints(rows: Iterable[DH]) -> tuple[Joint, ...]:
    """Return the joints of a table about x: ``Rx(theta) Tx(d) Tz(a) Rz(alpha)`` a row."""
    C = _EXCHANGE
    return tuple(
        replace(joint, X_PJ=C @ joint.X_PJ, X_JL=joint.X_JL @ C) for joint in standard_joints(rows)
    )


def x_axis_joints(rows: Iterable[tuple[Joint, Array]]) -> tuple[Joint, ...]:
    """Return joints about the x axes of their frames, each followed by a fixed pose.

    ``rows`` pairs a joint, whose own ``X_PJ`` comes before its motion about x, with the pose
    ``X_JL`` after it (Li 2011, after Gfrerrer).
    """
    C = about((1.0, 0.0, 0.0))
    joints = []
    for joint, X_JL in rows:
        X_PJ, X_after = joint.X_PJ @ C, C.T @ np.asarray(X_JL, float)
        joints.append(replace(joint, X_PJ=X_PJ, X_JL=X_after))
    return tuple(joints)


def from_leading_one(X: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
    """Return poses (*batch, 4, 4) whose homogeneous vectors are [1, x, y, z] as ours, [x, y, z, 1].

    Matrices of Li 2011, such as (4.9), have the translation in the first column and the row
    1, 0, 0, 0 on top. ``to_leading_one`` is the way back.
    """
    return _reordered(X, (1, 2, 3, 0), "leading", 0)


def to_leading_one(X: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
    """Return poses (*batch, 4, 4) for homogeneous vectors [1, x, y, z]."""
    return _reordered(X, (3, 0, 1, 2), "trailing", 3)


def _reordered(X: npt.ArrayLike, order: tuple[int, ...], place: str, row: int) -> Array:
    given = np.asarray(X, float)
    if given.shape[-2:] != (4, 4):
        raise KinematicsError(f"a pose is a (4, 4) matrix; the array given has shape {given.shape}")
    if not np.array_equal(given[..., row, :], np.broadcast_to(np.eye(4)[row], given.shape[:-1])):
        raise KinematicsError(
            f"a pose with a {place} one has {np.eye(4)[row].astype(int).tolist()} as row "
            f"{row + 1}; this one has {given[..., row, :].tolist()}"
        )
    return np.ascontiguousarray(given[..., order, :][..., order])


def _joint(row: DH, number: int, frames: Callable[..., tuple[Array, Array]]) -> Joint:
    name = row.name or f"joint{number}"
    X_PJ, X_JL = frames(row.theta, row.d, row.a, row.alpha, slides=row.kind == PRISMATIC)
    return Joint(name, row.kind, X_PJ, X_JL, row.limits, row.neutral, row.mimic, motor=row.motor)
