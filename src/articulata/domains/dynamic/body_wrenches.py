"""Wrenches on the bodies but for the hinges': weight, springs, programs, controls.

The readable statement beside the compiled kernels: force and moment about each body's reference
point, world axes, N and N m.
"""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.elements import Element, feature_point
from articulata.domains.dynamic.mechanism import FREE, Mechanism, Motion
from articulata.domains.dynamic.readings import spins
from articulata.domains.protocols import Inputs
from articulata.geometry.arrays import Array
from articulata.world.model import FeatureRef


def push_points(parts: Mechanism) -> tuple[tuple[int, Array], ...]:
    """Return where each control of kind "force" acts: body number and point, body axes (m)."""
    points = []
    for drive in parts.drives:
        if drive.kind == "force":
            body, _, feature = drive.target.rpartition(".")
            if drive.target in parts.index:
                body, feature = drive.target, "mass_center"
            points.append(feature_point(parts, FeatureRef(body, feature)))
    return tuple(points)


def wrenches(
    parts: Mechanism, elements: tuple[Element, ...], motion: Motion, inputs: Inputs, time: float
) -> Array:
    """Return (n, 6) force and moment on every body, gyroscopic moments included."""
    n = len(parts.kind)
    total = np.zeros((n, 6))
    total[:, :3] = parts.mass[:, None] * parts.gravity
    total[:, 3:] = -np.cross(motion.w[:-1], spins(parts, motion))
    total += control_wrenches(parts, motion, inputs)
    for element in elements:
        element.add(motion, time, total)
    total[parts.kind != FREE] = 0.0
    return total


def control_wrenches(parts: Mechanism, motion: Motion, inputs: Inputs) -> Array:
    """Return (n, 6) what the controls put on the bodies."""
    n = len(parts.kind)
    total = np.zeros((n, 6))
    if inputs.hinge.any():
        total = parts.coordinates.wrenches(motion.positions, motion.R, inputs.hinge, n)
    total[: len(inputs.torque), 3:] += inputs.torque
    for (number, point), force in zip(push_points(parts), inputs.push, strict=True):
        arm = motion.R[number] @ point
        total[number] += [*force, *np.cross(arm, force)]
    return total
