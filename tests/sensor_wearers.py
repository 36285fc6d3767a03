"""People who wear orientation sensors, with kinematics of their own: x ahead, y to the left, z up.

A limb's orientation ``R_EB`` is the identity where arms hang with the thumbs ahead. Nothing here is
of the product but its classes of values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from articulata.geometry.arrays import Array

ROLES = (
    "skull", "sternum", "pelvis", "r_upper_arm", "r_forearm", "r_hand",
    "l_upper_arm", "l_forearm", "l_hand",
)  # fmt: skip

RANGES = {
    "flexion": (-25.0, 110.0), "abduction": (5.0, 80.0), "rotation": (-45.0, 40.0),
    "elbow": (8.0, 125.0), "pronation": (-60.0, 60.0), "wrist": (-45.0, 45.0),
    "deviation": (-22.0, 15.0),
}  # fmt: skip
"""Degrees within which arms move."""


def about(axis: int, angle: Array) -> Array:
    """Return rotations (n, 3, 3) about x, y or z by angles (n,), rad."""
    angle = np.asarray(angle, float)
    c, s = np.cos(angle), np.sin(angle)
    R = np.zeros((*angle.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[..., axis, axis] = 1.0
    R[..., i, i] = R[..., j, j] = c
    R[..., i, j], R[..., j, i] = -s, s
    return R


def limbs(angles: Mapping[str, Array], side: str, trunk: Array) -> list[Array]:
    """Return upper arm, forearm and hand (n, 3, 3) in E; ``angles`` (n,) rad by their names."""
    m = 1.0 if side == "r" else -1.0  # the left is the mirrored right
    upper = (
        trunk @ about(1, -angles["flexion"]) @ about(0, -m * angles["abduction"])
        @ about(2, m * angles["rotation"])
    )  # fmt: skip
    forearm = upper @ about(1, -angles["elbow"]) @ about(2, m * angles["pronation"])
    hand = forearm @ about(0, m * angles["wrist"]) @ about(1, -angles["deviation"])
    return [upper, forearm, hand]


def quaternions(R: Array) -> Array:
    """Return unit quaternions (n, 4), w first, of rotations (n, 3, 3)."""
    # the eigenvector of the largest eigenvalue of a matrix (Bar-Itzhack 2000)
    M = R.reshape(-1, 3, 3)
    xx, yy, zz = M[:, 0, 0], M[:, 1, 1], M[:, 2, 2]
    K = np.zeros((len(M), 4, 4))
    K[:, 0, 0], K[:, 1, 1], K[:, 2, 2] = xx - yy - zz, yy - xx - zz, zz - xx - yy
    K[:, 1, 0], K[:, 2, 0] = M[:, 1, 0] + M[:, 0, 1], M[:, 2, 0] + M[:, 0, 2]
    K[:, 2, 1], K[:, 3, 0] = M[:, 2, 1] + M[:, 1, 2], M[:, 2, 1] - M[:, 1, 2]
    K[:, 3, 1], K[:, 3, 2] = M[:, 0, 2] - M[:, 2, 0], M[:, 1, 0] - M[:, 0, 1]
    K[:, 3, 3] = xx + yy + zz
    return np.linalg.eigh(K / 3.0)[1][:, [3, 0, 1, 2], -1]


def turned_a_little(rng: np.random.Generator, count: int, size: float) -> Array:
    """Return small rotations (count, 3, 3), ``size`` deg rms about each axis."""
    w = np.radians(rng.normal(0.0, size, (3, count)))
    return np.asarray(about(0, w[0]) @ about(1, w[1]) @ about(2, w[2]))


@dataclass(frozen=True)
class Errors:
    """How a wearer and his sensors err, deg: in postures, noise, tissue that moves, metal, drift.

    ``drift`` is deg a second of headings, each sensor by its own; ``palms`` by how much palms are
    turned up in T.
    """

    posture: float = 3.0
    noise: float = 0.3
    tissue: float = 3.0
    metal: float = 0.0
    drift: float = 0.0
    trunk: float = 25.0
    palms: float = 0.0


@dataclass
class Told:
    """What sensors tell: ``held`` (n, 4) by posture and role, ``moved`` (n, 4) by role, in E."""

    held: dict[str, dict[str, Array]] = field(default_factory=dict)
    moved: dict[str, Array] = field(default_factory=dict)


def smooth(rng: np.random.Generator, times: Array, low: float, high: float) -> Array:
    """Return an angle (n,) rad that goes to and fro between two bounds in deg."""
    knots = rng.uniform(low, high, int(times[-1] / 0.9) + 3)
    at = times / 0.9
    k = at.astype(int)
    s = at - k
    s = s * s * (3.0 - 2.0 * s)
    return np.radians(knots[k] * (1.0 - s) + knots[k + 1] * s)


def wearing(
    rng: np.random.Generator,
    errors: Errors,
    *,
    seconds: float = 8.0,
    heading: float | None = None,
    postures: Sequence[str] = ("n_pose", "t_pose"),
    motion: Mapping[str, Array] | None = None,
) -> Told:
    """Return what sensors tell of somebody who holds N and T, then moves, 10 times a second.

    ``motion`` (n, 3, 3) is how parts turn by their roles; None for one that is made up.
    """
    heading = rng.uniform(-np.pi, np.pi) if heading is None else heading
    E = about(2, np.array(heading))
    mounts = {role: turned_a_little(rng, 1, 90.0)[0] for role in ROLES}
    rates = {role: np.radians(rng.uniform(-errors.drift, errors.drift)) for role in ROLES}
    soft = {role: rng.normal(size=3) for role in ROLES}
    told = Told()

    def tell(R: Mapping[str, Array], times: Array) -> dict[str, Array]:
        found = {}
        for role, each in R.items():
            n = len(each)
            bent = np.radians(errors.metal) * np.sin(0.7 * times + soft[role][0])
            # tissue moves with the limb: a turn that follows how far it is turned
            slip = np.radians(errors.tissue) * np.tanh(each[:, 0, 2] + each[:, 1, 2])
            R_ES = (
                about(2, rates[role] * times) @ about(1, bent) @ E @ each @ about(2, slip)
                @ mounts[role] @ turned_a_little(rng, n, errors.noise)
            )  # fmt: skip
            found[role] = quaternions(R_ES)
        return found

    n = 12
    still = np.zeros(n)
    for name in postures:
        R = {role: np.tile(np.eye(3), (n, 1, 1)) for role in ("skull", "sternum", "pelvis")}
        for side in "rl":
            off = {k: np.radians(rng.normal(0.0, errors.posture)) + still for k in RANGES}
            off["abduction"] = off["abduction"] + np.radians(90.0 if name == "t_pose" else 0.0)
            off["elbow"] = np.abs(off["elbow"])
            if name == "t_pose":
                off["pronation"] = off["pronation"] - np.radians(errors.palms)
            parts = zip(("upper_arm", "forearm", "hand"), limbs(off, side, np.eye(3)), strict=True)
            R |= {f"{side}_{part}": each for part, each in parts}
        told.held[name] = tell(R, still)
    if motion is not None:
        told.moved = tell(motion, 0.1 * np.arange(len(motion["sternum"])))
        return told
    times = np.arange(0.0, seconds, 0.1)
    trunk = (
        about(2, smooth(rng, times, -errors.trunk, errors.trunk))
        @ about(1, smooth(rng, times, -8.0, 18.0))
        @ about(0, smooth(rng, times, -8.0, 8.0))
    )
    R = {"sternum": trunk, "pelvis": trunk,
         "skull": trunk @ about(2, smooth(rng, times, -40.0, 40.0))}  # fmt: skip
    for side in "rl":
        angles = {name: smooth(rng, times, *bounds) for name, bounds in RANGES.items()}
        parts = zip(("upper_arm", "forearm", "hand"), limbs(angles, side, trunk), strict=True)
        R |= {f"{side}_{part}": each for part, each in parts}
    told.moved = tell(R, times)
    return told
