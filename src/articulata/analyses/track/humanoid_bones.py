"""A figure as an avatar's skeleton: where its bones begin and how they turn since the T posture."""

from __future__ import annotations

import numpy as np

from articulata.analyses.track.tracked_person import TrackedBody
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.quaternion import q_to_matrix
from articulata.records.networked import PARENTS, HumanoidFrame
from articulata.records.tracking import TrackedPosture

_JOINTS = {
    "Spine": "vl3_rotation",
    "Chest": "vt6_rotation",
    **{
        f"{name}{bone}": f"{side}_{joint}"
        for name, side in (("Left", "l"), ("Right", "r"))
        for bone, joint in (
            ("UpperLeg", "hip_rotation"),
            ("LowerLeg", "knee_flexion"),
            ("Foot", "talocrural_inversion"),
        )
    },
}
"""Joints of the library's people whose links are bones; arms and neck are the tracked ones."""

_SOLES = ("l_sole", "r_sole")


class HumanoidBones:
    """The bones of a body; raises NameNotFound where its figure has no posture t_pose.

    The turn of a neck goes to the bone of the neck, which begins where ours does.
    """

    def __init__(self, body: TrackedBody) -> None:
        figure, known = body.figure, {joint.name: k for k, joint in enumerate(body.figure.joints)}
        links = {"Hips": -1} | {b: known[j] for b, j in _JOINTS.items() if j in known}
        if body.neck is not None:
            links["Neck"] = body.neck.head
        for side, arm in zip(body.sides, body.arms.each, strict=True):
            name = {"l": "Left", "r": "Right"}[side]
            if arm.root not in links.values():
                links[f"{name}Shoulder"] = arm.root
            parts = ("UpperArm", "LowerArm", "Hand")
            links |= {name + part: link for part, link in zip(parts, arm.links, strict=True)}
        self._body = body
        self.names = tuple(bone for bone in PARENTS if bone in links)
        self._links = np.array([links[bone] for bone in self.names])
        # to the right, up, ahead: Unity's axes
        right = np.cross(body.forward, body.up)
        self._C = np.stack([right, body.up, body.forward])
        q_T = body.posture("t_pose")
        X = self._poses(q_T)
        self._back = np.swapaxes(X[:, :3, :3], 1, 2)
        soles = [figure.landmark(q_T, each)[:3, 3] for each in _SOLES if each in figure.landmarks]
        lowest = min(float(body.up @ p) for p in (soles or X[:, :3, 3]))
        self._ground = -lowest * body.up

    def at(self, posture: TrackedPosture) -> HumanoidFrame:
        """Return the bones of a posture."""
        X, C = self._poses(posture.q), self._C
        R_WF = q_to_matrix(posture.q_WF)
        p = X[:, :3, 3] @ R_WF.T + posture.p_WF + self._ground
        R = C @ R_WF @ X[:, :3, :3] @ self._back @ C.T
        return HumanoidFrame(posture.time, self.names, p @ C.T, R)

    def _poses(self, q: Array) -> Float64[Array, "bones 4 4"]:
        figure = self._body.figure
        # the last is the root, which -1 means
        return np.asarray(np.concatenate([figure.poses(q), figure.base[None]])[self._links])
