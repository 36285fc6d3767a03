"""Chains that the kernel tests use, in the canonical form of ``forward_kinematics``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.forward_kinematics import TreeArrays, poses, tips


def random_pose(rng: np.random.Generator, reach: float = 1.0) -> Any:
    """Return a random (3, 4) pose."""
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    rotation *= np.sign(np.linalg.det(rotation))
    return np.hstack([rotation, reach * rng.normal(size=(3, 1))])


def from_standard_dh(rows: Any, tip_x: float = 0.0) -> Any:
    """Return fixed poses and tip of rows (theta0, d, alpha, a): Rz(theta) Tz(d) Tx(a) Rx(alpha)."""
    before = np.eye(4)
    fixed = []
    for theta, d, alpha, a in rows:
        c, s = math.cos(theta), math.sin(theta)
        turn = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        fixed.append((before @ turn)[:3])
        c, s = math.cos(alpha), math.sin(alpha)
        before = np.array([[1, 0, 0, a], [0, c, -s, 0], [0, s, c, d], [0, 0, 0, 1.0]])
    tip = before.copy()
    tip[:3, 3] += before[:3, 0] * tip_x
    return np.array(fixed), tip[:3]


def _along_x(turn: float) -> Any:
    c, s = math.cos(turn), math.sin(turn)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def camera_robot() -> Any:
    """Return the six-joint camera robot of Li 2011, chapter 4, lengths in m, without limits.

    Her convention turns about x: B(u) = Rx(u1) C1 Rx(u2) C2 ... Rx(u6), with the angles of the
    program listing.
    """
    quarter = _along_x(0.5 * math.pi)[:3, :3]
    about_z = np.eye(4)
    about_z[:3, :3] = np.roll(quarter, (2, 2), (0, 1))
    about_y = np.eye(4)
    about_y[:3, :3] = np.roll(quarter, (1, 1), (0, 1))

    def place(x: float, y: float, z: float, turn: Any) -> Any:
        pose = turn.copy()
        pose[:3, 3] = x, y, z
        return pose

    between = [
        np.eye(4),
        place(1.012, 0.04943, 0.8048, about_z),
        place(0, -1.781, 0, np.eye(4)),
        place(-0.20543, 0, -0.3063, about_z),
        place(-1.456, 0, 0, about_y.T),
        about_y,
    ]
    # about_y maps z to x: Rx(u) = about_y Rz(u) about_y^-1
    before = np.eye(4)
    fixed = []
    for pose in between:
        fixed.append((before @ pose @ about_y)[:3])
        before = about_y.T
    free = np.full(6, np.inf)
    return np.array(fixed), np.zeros(6, np.int64), before[:3], -free, free


def torso_to_hand() -> Any:
    """Return the 21-joint chain of Otmani & Pruski 2009, Table 3, lengths in m.

    Limits from published ranges of motion, split over girdle and spine; the paper prints none.
    """
    p = 0.5 * math.pi
    rows = [(p, d, p, 0.0) for d in (0, 0, 0.1, 0, 0, 0.1, 0, 0, 0.1, 0, 0)]
    rows += [(-p, 0.05, p, 0.1), (0, 0, p, 0), (0, 0, -p, 0.1), (0, 0, p, 0), (p, 0, p, 0)]
    rows += [(0, 0.3, -p, 0), (0, 0, p, 0), (p, 0.3, p, 0), (p, 0, p, 0), (0, 0, 0, 0)]
    degrees = [(-10, 10), (-8, 20), (-3, 3), (-10, 10), (-8, 18), (-5, 5), (-6, 6), (-5, 10)]
    degrees += [(-15, 15), (-6, 6), (-4, 8), (-12, 12), (-5, 30), (-20, 20), (-100, 40)]
    degrees += [(-135, 45), (-90, 70), (-145, 0), (-80, 85), (-30, 20), (-70, 70)]
    fixed, tip = from_standard_dh(rows, tip_x=0.2)
    limits = np.radians(np.array(degrees, float))
    return fixed, np.zeros(21, np.int64), tip, limits[:, 0].copy(), limits[:, 1].copy()


def random_chain(rng: np.random.Generator, joints: int, prismatic: bool = True) -> Any:
    """Return a random serial chain with limits: general axes, some special ones, some slides."""
    fixed = np.stack([random_pose(rng, 0.3) for _ in range(joints)])
    for j in range(1, joints):
        if rng.random() < 0.3:  # parallel, or crossing at the origin
            fixed[j, :, :3] = np.eye(3) if rng.random() < 0.5 else fixed[j, :, :3]
            fixed[j, :, 3] = 0.0 if rng.random() < 0.3 else fixed[j, :, 3]
    kinds = np.zeros(joints, np.int64)
    middle = rng.uniform(-2, 2, joints)
    half = rng.uniform(0.2, 3.0, joints)
    if prismatic:
        kinds = (rng.random(joints) < 0.2).astype(np.int64)
        kinds[rng.random(joints) < 0.1] = 2
        half = np.where(kinds == 1, 0.3, half)
        middle = np.where(kinds == 1, 0.0, middle)
    return fixed, kinds, random_pose(rng, 0.2), middle - half, middle + half


def tip_poses(chain: Any, q: Any) -> Any:
    """Return the tip poses (m, 4, 4) of postures q (m, joints)."""
    fixed, kinds, tip, _, _ = chain
    joints = len(kinds)
    out = np.empty((len(q), 4, 4))
    parents = np.arange(-1, joints - 1)
    q = np.ascontiguousarray(q)
    tips(
        TreeArrays(fixed, kinds, parents), q, joints - 1, np.ascontiguousarray(tip), out, 0, len(q)
    )
    return out


def link_poses(chain: Any, q: Any) -> Any:
    """Return the poses (m, joints, 4, 4) of all links."""
    fixed, kinds, _, _, _ = chain
    out = np.empty((len(q), len(kinds), 4, 4))
    parents = np.arange(-1, len(kinds) - 1)
    poses(TreeArrays(fixed, kinds, parents), np.ascontiguousarray(q), out, 0, len(q))
    return out


def random_postures(chain: Any, rng: np.random.Generator, count: int) -> Any:
    """Return postures (count, joints) drawn within limits; fixed joints stay at 0."""
    _, kinds, _, low, high = chain
    return np.where(kinds == 2, 0.0, rng.uniform(low, high, (count, len(kinds))))
