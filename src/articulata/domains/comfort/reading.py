"""The angles that observational scales read, from postures of a figure with H-Anim names."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import numpy as np

from articulata.domains.comfort.body import BodyAngles
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.figure import Figure

Side: TypeAlias = Literal["left", "right"]

CHEST: Final = "vt6_rotation"
"""The joint that carries the chest."""


def body_angles(
    figure: Figure,
    q: Float64[Array, "*batch dof"],
    side: Side = "right",
    R_WF: Float64[Array, "3 3"] | None = None,
) -> BodyAngles:
    """Return the angles of postures, of the arm of one side; KinematicsError for other figures.

    The trunk is read against the vertical: the chest's lean forward and to the side in the frame F
    that the figure stands in (y up, z ahead; its base), its twist from the joints of the back. The
    upper arm is read against the chest. What the figure has no joint for is 0.
    """
    s = side[0]
    needed = (CHEST, f"{s}_shoulder_rotation", f"{s}_elbow_flexion")
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

    R_W = figure.link_pose(values, CHEST)[..., :3, :3]
    R = (figure.base[:3, :3] if R_WF is None else R_WF).T @ R_W
    arm = np.swapaxes(R_W, -1, -2) @ figure.link_pose(values, f"{s}_shoulder_rotation")[..., :3, :3]
    hanging = -arm[..., :, 1]
    out = hanging[..., 0] * (1.0 if s == "l" else -1.0)
    pronation = f"{s}_elbow_pronation"
    twist = joint(pronation)
    if pronation in figure.names:
        k = figure.names.index(pronation)
        middle, half = (
            0.5 * (figure.lower[k] + figure.upper[k]),
            0.5 * (figure.upper[k] - figure.lower[k]),
        )
        twist = np.clip(np.abs(twist - middle) / half, 0.0, 1.0)
    wrist = (
        np.swapaxes(R_W, -1, -2)
        @ (
            figure.link_pose(values, f"{s}_elbow_flexion")[..., :3, 3]
            - figure.link_pose(values, CHEST)[..., :3, 3]
        )[..., None]
    )
    return BodyAngles(
        trunk_flexion=np.arctan2(R[..., 2, 1], R[..., 1, 1]),
        trunk_side=np.arctan2(R[..., 0, 1], R[..., 1, 1]),
        trunk_twist=joint("vl3_rotation") + joint("vt6_rotation"),
        neck_flexion=joint("vc7_flexion"),
        neck_side=joint("vc7_lateral"),
        neck_twist=joint("vc7_rotation"),
        shoulder_flexion=np.arctan2(hanging[..., 2], -hanging[..., 1]),
        shoulder_abduction=np.arcsin(np.clip(out, -1.0, 1.0)),
        shoulder_rotation=joint(f"{s}_shoulder_rotation"),
        shoulder_raise=joint(f"{s}_sternoclavicular_elevation"),
        elbow_flexion=joint(f"{s}_elbow_flexion"),
        forearm_twist=twist,
        wrist_flexion=joint(f"{s}_radiocarpal_flexion"),
        wrist_deviation=joint(f"{s}_radiocarpal_deviation"),
        knee_flexion=np.maximum(joint("l_knee_flexion"), joint("r_knee_flexion")),
        across=wrist[..., 0, 0] * (1.0 if s == "l" else -1.0) < 0.0,
    )
