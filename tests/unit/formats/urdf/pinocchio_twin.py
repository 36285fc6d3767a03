"""The same description in Pinocchio, and a comparison of every link's pose and Jacobian."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin

from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure


def configuration(model: pin.Model, figure: Figure, q: Array) -> Array:
    """Pinocchio's configuration for our posture: by joint name, (cos, sin) where it wants them."""
    values = dict(
        zip((j.name for j in figure.joints), figure.values(q)[0][0].tolist(), strict=True)
    )
    found = np.zeros(model.nq)
    for number in range(1, model.njoints):
        joint, value = model.joints[number], values[model.names[number]]
        parts = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        found[joint.idx_q : joint.idx_q + joint.nq] = parts
    return found


def drawn(figure: Figure, rng: np.random.Generator, count: int) -> Array:
    """Random postures (count, dof) within the limits, of three radians where there are none."""
    low = np.where(np.isfinite(figure.lower), figure.lower, np.minimum(-3.0, figure.upper - 1.0))
    high = np.where(np.isfinite(figure.upper), figure.upper, np.maximum(3.0, low + 1.0))
    return rng.uniform(low, high, (count, figure.dof))


def compare(figure: Figure, text: str, rng: np.random.Generator, *, postures: int = 5) -> float:
    """The largest difference of poses and Jacobians of all links over random postures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = pin.buildModelFromXML(text)
    data = model.createData()
    worst = 0.0
    M = figure.mapping[0]
    columns = {name: number for number, name in enumerate(j.name for j in figure.joints)}
    for q in drawn(figure, rng, postures):
        pin.framesForwardKinematics(model, data, configuration(model, figure, q))
        pin.computeJointJacobians(model, data)
        poses = figure.poses(q)
        for number, joint in enumerate(figure.joints):
            frame = model.getFrameId(figure.links[joint.name].name, pin.FrameType.BODY)
            assert frame < model.nframes, joint.name
            worst = max(worst, np.abs(poses[number] - data.oMf[frame].homogeneous).max())
            J = np.zeros((6, len(figure.joints)))
            by_model = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            for each in range(1, model.njoints):
                J[:, columns[model.names[each]]] = by_model[:, model.joints[each].idx_v]
            ours = figure.link_jacobian(q, joint.name)
            if ours.size:
                worst = max(worst, np.abs(ours - J @ M).max())
    return worst
