"""Arms in the convention of the International Society of Biomechanics, with its singularities.

Wu and others, ISB recommendation on definitions of joint coordinate systems, Part II, Journal of
Biomechanics 38 (2005) 981: thorax and humerus have x ahead, y up, z to the right, the shoulder
turns by Y X Y (2.4.7), elbow (3.4) and wrist (4.4) by Z X Y. Forearm and hand have z where the
thumb points, so a hanging arm with the thumb ahead is pronated by 90 deg. The left arm is mirrored,
so that equal numbers are mirrored postures.

Postures in the coordinates of OpenSim's full-body model.

Rajagopal and others, IEEE Transactions on Biomedical Engineering 63 (2016) 2068, as in its file
``Rajagopal2016.osim``: x ahead, y up, z to the right. Pelvis, lumbar joint and shoulders turn about
z, x, y in turn, left shoulders about z, -x, -y. At zero coordinates arms hang with palms ahead;
with thumbs ahead ``pro_sup`` is 90 deg. Elbow, forearm and wrist are mapped by name: the model's
elbow axis is oblique by 13 deg, its forearm axis by 3 deg, ours are straight.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from articulata.analyses.track.tracked_person import TrackedBody
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64
from articulata.geometry.rotation import Rotation

PRONATED = 0.5 * np.pi
"""By what a forearm is pronated, rad, whose thumb points ahead while the arm hangs."""


@dataclass(frozen=True, slots=True, eq=False)
class IsbShoulder:
    """A shoulder's three angles, rad, each ``(*batch,)``.

    ``plane`` of elevation: 0 to the side, pi/2 ahead; ``elevation``: negative, 0 hanging;
    ``axial`` rotation: positive inward. ``singular`` where the arm hangs or points straight up,
    so that only the sum or difference of plane and axial rotation is known: the plane is 0 then,
    and all of it is axial rotation.
    """

    plane: Float64[Array, "*batch"]
    elevation: Float64[Array, "*batch"]
    axial: Float64[Array, "*batch"]
    singular: Bool[BoolArray, "*batch"]


class ArmTurns(NamedTuple):
    """How an arm's parts have turned since it hung, (*batch, 3, 3), in x ahead, y up, z right.

    The upper arm against what the arm hangs on, the forearm against it, the hand against that.
    """

    shoulder: Array
    elbow: Array
    wrist: Array


def arm_turns(body: TrackedBody, q: Float64[Array, "*batch dof"]) -> dict[str, ArmTurns]:
    """Return how arms of postures ``q`` have turned since ``n_pose``, by side, left mirrored."""
    C = isb_axes(body)
    X = body.figure.poses(q)[..., :3, :3]
    hanging = body.figure.poses(body.posture("n_pose"))[:, :3, :3]
    found = {}
    for side, arm in zip(body.sides, body.arms.each, strict=True):
        links = [k for k in (arm.root, *arm.links) if k >= 0]
        parts = [C.T @ X[..., k, :, :] @ hanging[k].T @ C for k in links]
        parts = [np.broadcast_to(np.eye(3), parts[0].shape)] * (4 - len(parts)) + parts
        turns = [np.swapaxes(a, -1, -2) @ b for a, b in pairwise(parts)]
        if side == "l":
            mirror = np.diag((1.0, 1.0, -1.0))
            turns = [mirror @ R @ mirror for R in turns]
        found[side] = ArmTurns(*turns)
    return found


def isb_axes(body: TrackedBody) -> Array:
    """Return the ISB's axes in F as columns (3, 3): ahead, up, to the right."""
    right = np.cross(body.forward, body.up)
    return np.stack([body.forward, body.up, right], axis=1)


def isb_angles(body: TrackedBody, q: Float64[Array, "*batch dof"]) -> dict[str, Array]:
    """Return the angles (*batch,), rad, of both arms by names such as ``r_elbow_flexion``.

    Shoulders have ``plane``, ``elevation``, ``axial`` and ``singular`` (1 where it is so), elbows
    ``flexion``, ``carrying``, ``pronation`` (90 deg with the thumb ahead), wrists ``flexion``,
    ``deviation`` (ulnar positive) and ``rotation``. Arms hang in ``n_pose``, thumbs ahead.
    """
    found: dict[str, Array] = {}
    shoulders = isb_shoulders(body, q)
    for side, turns in arm_turns(body, q).items():
        shoulder = shoulders[side]
        R = Rotation.from_axis_angle((0.0, 1.0, 0.0), PRONATED).to_matrix()
        elbow, wrist = turns.elbow @ R, R.T @ turns.wrist @ R
        rows = {
            "shoulder": {
                "plane": shoulder.plane,
                "elevation": shoulder.elevation,
                "axial": shoulder.axial,
                "singular": shoulder.singular.astype(np.float64),
            },
            "elbow": zxy(elbow, ("flexion", "carrying", "pronation")),
            "wrist": zxy(wrist, ("flexion", "deviation", "rotation")),
        }
        for joint, angles in rows.items():
            found |= {f"{side}_{joint}_{name}": value for name, value in angles.items()}
    return found


def zxy(turns: Array, names: tuple[str, str, str]) -> dict[str, Array]:
    """Return the angles (*batch,) rad of turns (*batch, 3, 3) by Z X Y, called ``names``."""
    angles = Rotation.from_matrix(turns, nearest=True).to_euler("ZXY").angles
    return {name: np.asarray(angles[..., k]) for k, name in enumerate(names)}


def isb_shoulders(body: TrackedBody, q: Float64[Array, "*batch dof"]) -> dict[str, IsbShoulder]:
    """Return the shoulders of postures ``q`` (*batch, dof) by side, "r" and "l".

    They count from arms that hang with the thumbs ahead, the posture ``n_pose``.
    """
    found = {}
    for side, turns in arm_turns(body, q).items():
        R = turns.shoulder
        euler = Rotation.from_matrix(R, nearest=True).to_euler("YXY")
        # the same rotation with the middle angle negative
        other = euler.angles * (1.0, -1.0, 1.0) + (np.pi, 0.0, np.pi)
        # where only the sum of the outer two is known (hanging), or their difference (straight up)
        hangs = euler.angles[..., 1] < 0.5 * np.pi
        sum_or_difference = other[..., 2] + np.where(hangs, 1.0, -1.0) * other[..., 0]
        flagged = np.asarray(euler.singular)
        other[..., 0] = np.where(flagged, 0.0, other[..., 0])
        other[..., 2] = np.where(flagged, sum_or_difference, other[..., 2])
        other = (other + np.pi) % (2.0 * np.pi) - np.pi
        plane, elevation, axial = (np.asarray(other[..., k]) for k in range(3))
        found[side] = IsbShoulder(plane, elevation, axial, np.asarray(euler.singular))
    return found


SHOULDER = ("arm_flex", "arm_add", "arm_rot")


def rajagopal_angles(
    body: TrackedBody,
    q: Float64[Array, "*batch dof"],
    q_SF: Float64[Array, "*batch 4"],
) -> dict[str, Array]:
    """Return coordinates (*batch,), rad, by their names in the model.

    ``q`` are postures, ``q_SF`` the turn of the whole figure since it stood. What no sensor
    tells, legs and places, is left out.
    """
    C = isb_axes(body)
    pelvis = C.T @ Rotation.from_quaternion(q_SF).to_matrix() @ C
    found = zxy(pelvis, ("pelvis_tilt", "pelvis_list", "pelvis_rotation"))
    trunk = body.arms.each[0].root if body.neck is None else body.neck.root
    if trunk >= 0:
        at_rest = body.figure.poses(body.posture("n_pose"))[trunk, :3, :3]
        torso = C.T @ body.figure.poses(q)[..., trunk, :3, :3] @ at_rest.T @ C
        found |= zxy(torso, ("lumbar_extension", "lumbar_bending", "lumbar_rotation"))
    isb = isb_angles(body, q)
    turns = arm_turns(body, q)
    for side, arm in zip(body.sides, body.arms.each, strict=True):
        found |= _shoulder(turns[side].shoulder, q[..., arm.columns[:3]], side)
        found[f"elbow_flex_{side}"] = isb[f"{side}_elbow_flexion"]
        found[f"pro_sup_{side}"] = isb[f"{side}_elbow_pronation"]
        found[f"wrist_flex_{side}"] = isb[f"{side}_wrist_flexion"]
        found[f"wrist_dev_{side}"] = isb[f"{side}_wrist_deviation"]
    return found


def _shoulder(turns: Array, own: Array, side: str) -> dict[str, Array]:
    """Return a shoulder's coordinates.

    Where the figure's own angles are flexion, abduction and rotation these are taken: they are
    continuous and within limits where others are not, with arms out to the sides.
    """
    names = [f"{name}_{side}" for name in SHOULDER]
    taken = own * (1.0, -1.0, 1.0)
    near = Rotation.from_euler("ZXY", taken).to_matrix()
    if np.abs(near - turns).max(initial=0.0) < 1e-9:
        return {name: np.asarray(taken[..., k]) for k, name in enumerate(names)}
    return zxy(turns, (names[0], names[1], names[2]))
