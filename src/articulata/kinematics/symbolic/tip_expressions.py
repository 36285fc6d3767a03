"""A chain's tip and Jacobian as expressions: parallel axes joined, the rest nested.

Consecutive parallel revolute axes form one group: the positions of its links need only cosines and
sines of sums of coordinates (``c23``), as in a textbook's closed form. From group to group the
form is nested from the tip to the base, ``c1 (...) - s1 (...)``.
All fixed turns about a group's axis go into its constants, so that no angle has an offset.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.joint import PRISMATIC, REVOLUTE
from articulata.kinematics.symbolic.trigonometric_sums import (
    ZERO,
    Atom,
    Linear,
    Pool,
    Product,
    Vector,
    constant,
    plus,
    times,
)

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

NOTHING: Vector = (ZERO, ZERO, ZERO)


@dataclass(slots=True)
class Link:
    """What follows one revolute joint: turned by ``angle`` (dof,), moved by ``shift`` and slides.

    ``joint`` is None for the part of the base before the first revolute joint; ``sign`` is -1
    where the joint's axis points against that of its group. ``slides`` are prismatic joints:
    index and direction (3,). All in axes of the group, turned by ``angle``.
    """

    joint: int | None
    sign: float
    angle: Array
    shift: Array = field(default_factory=lambda: np.zeros(3))
    slides: list[tuple[int, Array]] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """Links about parallel axes; ``C`` (3, 3) are the axes of the next group in turned axes."""

    links: list[Link]
    C: Array = field(default_factory=lambda: np.eye(3))


Rows: TypeAlias = tuple[tuple[Linear, ...], ...]


def derive(chain: Serial, pool: Pool, *, tolerance: float) -> tuple[Rows, Rows]:
    """Return ``X_WT`` without its last row, and the Jacobian: rows v then w, in W.

    Entries of fixed turns within ``tolerance`` of 0, 1 and -1 are taken for these.
    """
    M, offset = chain.mapping
    groups = _groups(chain, M, offset, tolerance)
    tails = _tails(groups, pool, M)
    position = tails[0][0]
    rotation: list[Vector] = []
    for axis in np.eye(3):
        v = _constants(axis)
        for group in reversed(groups):
            v = _along(group, v, pool)
        rotation.append(v)
    linear = [NOTHING] * len(chain.joints)
    angular = [NOTHING] * len(chain.joints)
    for number, group in enumerate(groups):
        for place, link in enumerate(group.links):
            if link.joint is not None:
                x, y, _ = tails[number][place]
                v = times(link.sign, (_negative(y), x, ZERO))
                w = _constants(np.array([0.0, 0.0, link.sign]))
                linear[link.joint] = _to_world(groups[:number], v, pool)
                angular[link.joint] = _to_world(groups[:number], w, pool)
            for joint, direction in link.slides:
                v = pool.turn(link.angle.tolist(), _constants(direction))
                linear[joint] = _to_world(groups[:number], v, pool)
    columns = [(_mixed(linear, M[:, k]), _mixed(angular, M[:, k])) for k in range(chain.dof)]
    return (
        tuple((rotation[0][r], rotation[1][r], rotation[2][r], position[r]) for r in range(3)),
        tuple(tuple(column[part][r] for column in columns) for part in (0, 1) for r in range(3)),
    )


def _groups(chain: Serial, M: Array, offset: Array, tolerance: float) -> list[Group]:
    """Return the chain as groups, all in the canonical form of the module."""
    still = np.zeros(chain.dof)
    first = Link(None, 1.0, still)
    groups = [Group([first])]
    # R: axes of the current frame in turned axes of the current group.
    R = np.eye(3)
    X = chain.base
    for index, joint in enumerate(chain.joints):
        X = X @ joint.X_PJ
        link = groups[-1].links[-1]
        link.shift = link.shift + R @ X[:3, 3]
        R = _clean(R @ X[:3, :3], tolerance)
        if joint.kind == REVOLUTE:
            axis, value = R[:, 2], offset[index]
            if not _is_base(groups) and abs(axis[2]) == 1.0:
                sign = float(axis[2])
                groups[-1].links.append(Link(index, sign, link.angle + sign * M[index]))
            else:
                groups[-1].C = R
                groups.append(Group([Link(index, 1.0, still + M[index])]))
                R, sign = np.eye(3), 1.0
            # A mimic's fixed part turns about the group's axis.
            R = _clean(_turn(sign * value) @ R, tolerance) if value else R
        elif joint.kind == PRISMATIC:
            link.shift = link.shift + offset[index] * R[:, 2]
            link.slides.append((index, R[:, 2].copy()))
        X = joint.X_JL
    X = X @ chain.end
    link = groups[-1].links[-1]
    link.shift = link.shift + R @ X[:3, 3]
    groups[-1].C = _clean(R @ X[:3, :3], tolerance)
    return groups


def _is_base(groups: list[Group]) -> bool:
    return len(groups) == 1


def _turn(angle: float) -> Array:
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _clean(R: Array, tolerance: float) -> Array:
    """Return ``R`` with entries near 0, 1 and -1 made so."""
    whole = np.round(R)
    return np.where(np.abs(R - whole) <= tolerance, whole, R) + 0.0


def _constants(v: Array) -> Vector:
    x, y, z = (constant(part) for part in v.tolist())
    return x, y, z


def _negative(a: Linear) -> Linear:
    return {product: -factor for product, factor in a.items()}


def _tails(groups: list[Group], pool: Pool, M: Array) -> list[list[Vector]]:
    """Return, by group and link, the way from that link's axis to the tip, in the group's axes."""
    onward = NOTHING
    found: list[list[Vector]] = []
    for group in reversed(groups):
        last = group.links[-1]
        way = pool.turn(last.angle.tolist(), plus(_step(last, M), pool.mapped(group.C, onward)))
        ways = [way]
        for link in reversed(group.links[:-1]):
            way = plus(pool.turn(link.angle.tolist(), _step(link, M)), way)
            ways.append(way)
        onward = way
        found.append(ways[::-1])
    return found[::-1]


def _step(link: Link, M: Array) -> Vector:
    """Return the link's shift with what its prismatic joints add to it."""
    step = _constants(link.shift)
    for joint, direction in link.slides:
        for coordinate in np.flatnonzero(M[joint]).tolist():
            atom = Product((Atom("value", ((coordinate, 1.0),)),))
            x, y, z = (
                {atom: float(M[joint, coordinate] * part)} if part else ZERO for part in direction
            )
            step = plus(step, (x, y, z))
    return step


def _along(group: Group, v: Vector, pool: Pool) -> Vector:
    """Return a direction in the next group's axes, in those of ``group`` before its turn."""
    return pool.turn(group.links[-1].angle.tolist(), pool.mapped(group.C, v))


def _to_world(before: list[Group], v: Vector, pool: Pool) -> Vector:
    for group in reversed(before):
        v = _along(group, v, pool)
    return v


def _mixed(columns: list[Vector], factors: Array) -> Vector:
    """Return the column of a coordinate: its joint's, and those of the joints that mimic it."""
    total = NOTHING
    for column, factor in zip(columns, factors.tolist(), strict=True):
        if factor:
            total = plus(total, times(factor, column))
    return total
