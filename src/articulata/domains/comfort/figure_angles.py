"""The angles that observational scales read, from postures of a figure with H-Anim names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

import numpy as np

from articulata.domains.comfort.body_angles import NOTICED, BodyAngles
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, BoolArray, Float64
from articulata.kinematics.figure import Figure

Side: TypeAlias = Literal["left", "right"]

CHEST: Final = "vt6_rotation"
"""The joint that carries the chest."""

BACK: Final = "vl3_flexion"
"""The joint above the pelvis."""

_OVERHEAD = np.cos(np.radians(150.0))
"""An arm that is higher has no plane of elevation to tell its own turn from: none is read."""

_LEVEL = 1e-3
"""An axis of the pelvis that is nearer to upright than this, rad, has no heading."""


def body_angles(
    figure: Figure,
    q: Float64[Array, "*batch dof"],
    side: Side = "right",
    up: Float64[Array, "3"] | None = None,
) -> BodyAngles:
    """Return the angles of postures, of the arm of one side; KinematicsError for other figures.

    The trunk is the chest's lean against the vertical ``up`` in W (y of the figure's base where
    none is given), forward and to the side as the pelvis heads, and its twist against the pelvis.
    The upper arm is read against the chest, the hand's place by the chest's middle plane and
    its shoulder. What the figure has no joint for is 0.
    """
    s = side[0]
    upper_arm, forearm = f"{s}_shoulder_rotation", f"{s}_elbow_flexion"
    needed = (CHEST, upper_arm, forearm)
    known = {joint.name for joint in figure.joints}
    if not set(needed) <= known:
        raise KinematicsError(
            f"figure '{figure.name}' has no joints {', '.join(each for each in needed)}; RULA and "
            "REBA read figures with H-Anim names, such as 'person' and 'human_upper_body'"
        )
    values = np.asarray(q, float)

    def joint(name: str) -> Array:
        if name not in figure.names:
            return np.zeros(values.shape[:-1])
        return values[..., figure.names.index(name)]

    X_WC, X_WA = figure.link_pose(values, CHEST), figure.link_pose(values, upper_arm)
    R_WC = X_WC[..., :3, :3]
    R_WP = _pelvis(figure, values)
    R_PC = np.swapaxes(R_WP, -1, -2) @ R_WC
    vertical = figure.base[:3, 1] if up is None else np.asarray(up, float)
    vertical = vertical / np.linalg.norm(vertical)
    left, ahead = _heading(R_WP, vertical)
    spine = R_WC[..., :, 1]
    R_CA = np.swapaxes(R_WC, -1, -2) @ X_WA[..., :3, :3]
    outward = 1.0 if s == "l" else -1.0
    hanging = -R_CA[..., :, 1] * np.array([outward, 1.0, 1.0])
    hand = _hand(figure, values, s)
    sideways = outward * R_WC[..., :, 0]
    return BodyAngles(
        trunk_flexion=np.arctan2(_dot(spine, ahead), _dot(spine, vertical)),
        trunk_side=np.arcsin(np.clip(_dot(spine, left), -1.0, 1.0)),
        trunk_twist=_twist(R_PC),
        neck_flexion=joint("vc7_flexion"),
        neck_side=joint("vc7_lateral"),
        neck_twist=joint("vc7_rotation"),
        shoulder_flexion=np.arctan2(hanging[..., 2], -hanging[..., 1]),
        shoulder_abduction=np.arcsin(np.clip(hanging[..., 0], -1.0, 1.0)),
        shoulder_rotation=np.where(hanging[..., 1] > -_OVERHEAD, 0.0, _twist(R_CA)),
        shoulder_raise=joint(f"{s}_sternoclavicular_elevation"),
        elbow_flexion=joint(forearm),
        forearm_twist=_pronation(figure, joint, f"{s}_elbow_pronation"),
        wrist_flexion=joint(f"{s}_radiocarpal_flexion"),
        wrist_deviation=joint(f"{s}_radiocarpal_deviation"),
        knee_flexion=np.maximum(joint("l_knee_flexion"), joint("r_knee_flexion")),
        across=_across(hand - X_WC[..., :3, 3], hand - X_WA[..., :3, 3], sideways),
    )


def _pronation(figure: Figure, joint: Callable[[str], Array], name: str) -> Array:
    """Return how far a forearm is turned from its middle, as a share of its range."""
    twist = joint(name)
    if name not in figure.names:
        return twist
    k = figure.names.index(name)
    low, high = figure.lower[k], figure.upper[k]
    return np.asarray(np.clip(np.abs(twist - 0.5 * (low + high)) / (0.5 * (high - low)), 0.0, 1.0))


_ROUNDING = 1e-9
"""m: a hand this far over the middle is in it."""


def _across(from_chest: Array, reach: Array, sideways: Array) -> BoolArray:
    """Return whether a hand is over the middle of the chest, or out to its side."""
    aside = _dot(reach, sideways) > np.sin(NOTICED) * np.linalg.norm(reach, axis=-1)
    return np.asarray((_dot(from_chest, sideways) < -_ROUNDING) | aside)


def _dot(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(axis=-1))


def _twist(R: Array) -> Array:
    """Return the turn about y (rad) that is left of R (..., 3, 3) when y has been swung over."""
    return np.asarray(np.arctan2(R[..., 0, 2] - R[..., 2, 0], R[..., 0, 0] + R[..., 2, 2]))


def _pelvis(figure: Figure, q: Array) -> Array:
    """Return the pelvis' turn R_WP (..., 3, 3), that of the base where nothing is above it."""
    numbers = {each.name: number for number, each in enumerate(figure.joints)}
    parent = figure.parents[numbers[BACK]] if BACK in numbers else -1
    if parent < 0:
        return np.broadcast_to(figure.base[:3, :3], (*q.shape[:-1], 3, 3))
    return np.asarray(figure.link_pose(q, figure.joints[parent].name)[..., :3, :3])


def _heading(R_WP: Array, up: Array) -> tuple[Array, Array]:
    """Return the level directions (..., 3) left and ahead of a pelvis.

    By its own left; where that is upright, as of somebody who lies on the side, by its front.
    """
    left = R_WP[..., :, 0] - _dot(R_WP[..., :, 0], up)[..., None] * up
    front = R_WP[..., :, 2] - _dot(R_WP[..., :, 2], up)[..., None] * up
    size = np.linalg.norm(left, axis=-1, keepdims=True)
    left = np.where(size > _LEVEL, left, np.cross(up, front))
    left = left / np.linalg.norm(left, axis=-1, keepdims=True)
    return left, np.cross(left, up)


def _hand(figure: Figure, q: Array, s: str) -> Array:
    """Return where the hand is in W (..., 3): its middle, the wrist of a figure without one."""
    name = "left hand" if s == "l" else "right hand"
    if name in figure.landmarks:
        return np.asarray(figure.landmark(q, name)[..., :3, 3])
    known = {joint.name for joint in figure.joints}
    ends = ("radiocarpal_deviation", "radiocarpal_flexion", "elbow_pronation", "elbow_flexion")
    last = next(f"{s}_{end}" for end in ends if f"{s}_{end}" in known)
    return np.asarray(figure.link_pose(q, last)[..., :3, 3])
