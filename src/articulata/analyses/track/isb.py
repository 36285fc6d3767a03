"""Shoulders in the convention of the International Society of Biomechanics, and where it fails.

Wu and others, ISB recommendation on definitions of joint coordinate systems, Part II, Journal of
Biomechanics 38 (2005) 981, section 2.4.7: thorax and humerus have x ahead, y up, z to the right;
the humerus turns by Y X Y. The left arm is mirrored, so that equal numbers are mirrored postures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.analyses.track.body import TrackedBody
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64
from articulata.geometry.rotation import Rotation


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


def isb_shoulders(body: TrackedBody, q: Float64[Array, "*batch dof"]) -> dict[str, IsbShoulder]:
    """Return the shoulders of postures ``q`` (*batch, dof) by side, "r" and "l".

    They count from arms that hang with the thumbs ahead, the posture ``n_pose``.
    """
    # the ISB's axes in F, as columns
    right = np.cross(body.forward, body.up)
    C = np.stack([body.forward, body.up, right], axis=1)
    X = body.figure.poses(q)[..., :3, :3]
    hanging = body.figure.poses(body.posture("n_pose"))[:, :3, :3]
    found = {}
    for side, arm in zip(body.sides, body.arms.each, strict=True):
        base = body.figure.base[:3, :3]
        root = X[..., arm.root, :, :] if arm.root >= 0 else base
        at_rest = hanging[arm.root] if arm.root >= 0 else base
        # how the upper arm has turned against the trunk since it hung, both in the trunk's axes
        back = np.swapaxes(root @ at_rest.T, -1, -2)
        R = C.T @ back @ X[..., arm.upper, :, :] @ hanging[arm.upper].T @ C
        if side == "l":
            mirror = np.diag((1.0, 1.0, -1.0))
            R = mirror @ R @ mirror
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
