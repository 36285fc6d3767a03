"""Postures in the coordinates of OpenSim's full-body model.

Rajagopal and others, IEEE Transactions on Biomedical Engineering 63 (2016) 2068, as in its file
``Rajagopal2016.osim``: x ahead, y up, z to the right. Pelvis, lumbar joint and shoulders turn about
z, x, y in turn, left shoulders about z, -x, -y. Arms hang with palms ahead where all coordinates
are 0, so that a thumb ahead is ``pro_sup`` 90 deg. Elbow, forearm and wrist are taken by their
names: the model's elbow stands 13 deg oblique, its forearm 3 deg, ours are straight.
"""

from __future__ import annotations

import numpy as np

from articulata.analyses.track.body import TrackedBody
from articulata.analyses.track.isb import arm_turns, isb_angles, isb_axes, zxy
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.rotation import Rotation

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
