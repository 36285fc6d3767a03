"""Wrenches on the bodies but for the hinges': weight, springs, programs, controls.

The readable statement beside the compiled kernels: force and moment about each body's reference
point, world axes, N and N m.
"""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.mechanism import FREE, Mechanism, Motion
from articulata.domains.dynamic.programs import run
from articulata.domains.protocols import Inputs
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly import feature_frame
from articulata.world.model import FeatureRef, Force


def feature_point(parts: Mechanism, ref: FeatureRef) -> tuple[int, Array]:
    """Return a feature's body number and its place from the reference point, body axes (m)."""
    number = parts.index[ref.body]
    frame = feature_frame(parts.world.bodies[ref.body], ref.feature)
    return number, np.array(frame.position) - parts.center[number]


def push_points(parts: Mechanism) -> list[tuple[int, Array]]:
    """Return where each control of kind "force" acts: body number and point, body axes (m)."""
    points = []
    for drive in parts.drives:
        if drive.kind == "force":
            body, _, feature = drive.target.rpartition(".")
            if drive.target in parts.index:
                body, feature = drive.target, "mass_center"
            points.append(feature_point(parts, FeatureRef(body, feature)))
    return points


def wrenches(parts: Mechanism, motion: Motion, inputs: Inputs, time: float) -> Array:
    """Return (n, 6) force and moment on every body, gyroscopic moments included."""
    n = len(parts.kind)
    total = np.zeros((n, 6))
    free = parts.kind == FREE
    total[:, :3] = parts.mass[:, None] * parts.gravity
    J = motion.R[:-1] @ parts.inertia @ np.swapaxes(motion.R[:-1], 1, 2)
    spin = np.einsum("nij,nj->ni", J, motion.w[:-1])
    total[:, 3:] = -np.cross(motion.w[:-1], spin)
    total[:, 3:] += inputs.torque
    total += parts.coordinates.wrenches(motion.positions, motion.R, inputs.hinge, n)
    for (number, point), force in zip(push_points(parts), inputs.push, strict=True):
        arm = motion.R[number] @ point
        total[number] += [*force, *np.cross(arm, force)]
    for force in parts.world.forces.values():
        if force.kind == "between":
            _pull(parts, motion, force, time, total)
        else:
            _twist(parts, motion, force, time, total)
    total[~free] = 0.0
    return total


def _pull(parts: Mechanism, motion: Motion, force: Force, time: float, total: Array) -> None:
    """Add a force along the line between two features."""
    assert force.features is not None
    (a, p_A), (b, p_B) = (feature_point(parts, ref) for ref in force.features)
    c_A, c_B = motion.R[a] @ p_A, motion.R[b] @ p_B
    between = motion.positions[a] + c_A - motion.positions[b] - c_B
    length = float(np.linalg.norm(between))
    direction = between / length if length else np.zeros(3)
    parting = motion.v[a] + np.cross(motion.w[a], c_A)
    parting = parting - motion.v[b] - np.cross(motion.w[b], c_B)
    pull = run(force, time, length, float(direction @ parting)) * direction
    total[a] -= [*pull, *np.cross(c_A, pull)]
    total[b] += [*pull, *np.cross(c_B, pull)]


def _twist(parts: Mechanism, motion: Motion, force: Force, time: float, total: Array) -> None:
    """Add a moment about a hinge's axis."""
    chosen = parts.coordinates.labels.index(f"{force.hinge}.angle")
    values = parts.coordinates.values(motion.positions, motion.R)
    rates = parts.coordinates.rates(motion.positions, motion.R, motion.v, motion.w)
    moments = np.zeros(len(values))
    moments[chosen] = run(force, time, float(values[chosen]), float(rates[chosen]))
    total += parts.coordinates.wrenches(motion.positions, motion.R, moments, len(total))
