"""How controllers replay a trajectory: linear, cubic or quintic between its points.

The controllers of the Robot Operating System interpolate linearly where points have positions
alone, by cubics where they have velocities too and by quintics where they have accelerations as
well (joint_trajectory_controller, "Trajectory Representation").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.analyses.film.judged_move import ENDS
from articulata.geometry.arrays import Array
from articulata.records.carried_moves import CarriedMove, Replayed

_LOOKS: Final = 16
"""Parts of the way from one point to the next, at whose ends all is looked at."""

Course = tuple[Array, Array, Array]
"""Positions, speeds and accelerations, (m, looks, dof) each."""


def replays(carried: CarriedMove, carrier: Carrier) -> tuple[Replayed, ...]:
    """Return what each way to interpolate asks of the joints of ``carrier``."""
    return tuple(replayed(carried, carrier, scheme) for scheme in SCHEMES)


def replayed(carried: CarriedMove, carrier: Carrier, scheme: str) -> Replayed:
    """Return what one way to interpolate asks: it begins and ends at rest."""
    arm, names = carrier.arm, carried.joints
    q, rates, accelerations = carried.q, carried.rates, carried.accelerations
    steps = np.diff(carried.times)[:, None, None]
    s = np.linspace(0.0, 1.0, _LOOKS + 1)[None, :, None]
    place, speed, push = SCHEMES[scheme](q, rates, accelerations, steps, s)
    beyond = float(np.maximum(arm.lower - place, place - arm.upper).max(initial=0.0))
    fast = _most(np.abs(speed) / arm.speeds)
    hard = _most(np.abs(push) / arm.accelerations)
    share, jump = float(hard.max()), 0.0
    if scheme == "linear":
        # before the first point and after the last the joints rest
        at_rest = np.zeros((1, q.shape[1]))
        even = np.vstack([at_rest, np.diff(q, axis=0) / steps[:, 0], at_rest])
        hard = np.abs(np.diff(even, axis=0)).max(axis=0) / (steps.min() * arm.accelerations)
        jump = float(hard.max())
        share = math.inf if jump > 0.0 else 0.0
    joints = (
        names[int(fast.argmax())] if np.isfinite(arm.speeds).any() else "",
        names[int(hard.argmax())] if np.isfinite(arm.accelerations).any() else "",
    )
    return Replayed(scheme, float(fast.max()), share, joints, beyond * (beyond > ENDS), jump)


def _most(shares: Array) -> Array:
    return np.asarray(np.nan_to_num(shares, posinf=math.inf).max(axis=(0, 1), initial=0.0))


def _linear(q: Array, _v: Array, _a: Array, h: Array, s: Array) -> Course:
    change = np.diff(q, axis=0)[:, None, :]
    place = q[:-1, None, :] + s * change
    return place, np.broadcast_to(change / h, place.shape), np.zeros_like(place)


def _cubic(q: Array, v: Array, _a: Array, h: Array, s: Array) -> Course:
    change = np.diff(q, axis=0)[:, None, :]
    v0, v1 = h * v[:-1, None, :], h * v[1:, None, :]
    return _polynomial(q, (v0, 3.0 * change - 2.0 * v0 - v1, v0 + v1 - 2.0 * change), h, s)


def _quintic(q: Array, v: Array, a: Array, h: Array, s: Array) -> Course:
    change = np.diff(q, axis=0)[:, None, :]
    v0, v1 = h * v[:-1, None, :], h * v[1:, None, :]
    a0, a1 = h * h * a[:-1, None, :], h * h * a[1:, None, :]
    third = 10.0 * change - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
    fourth = -15.0 * change + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
    fifth = 6.0 * change - 3.0 * v0 - 3.0 * v1 - 0.5 * a0 + 0.5 * a1
    return _polynomial(q, (v0, 0.5 * a0, third, fourth, fifth), h, s)


def _polynomial(q: Array, parts: tuple[Array, ...], h: Array, s: Array) -> Course:
    """Return polynomials in the share ``s`` of the time ``h``, whose first part is that of s."""
    place = q[:-1, None, :] + sum(c * s ** (k + 1) for k, c in enumerate(parts))
    speed = sum((k + 1) * c * s**k for k, c in enumerate(parts)) / h
    push = sum(k * (k + 1) * c * s ** (k - 1) for k, c in enumerate(parts) if k) / (h * h)
    return np.asarray(place), np.asarray(speed), np.asarray(push)


SCHEMES: Final[dict[str, Callable[[Array, Array, Array, Array, Array], Course]]] = {
    "linear": _linear,
    "cubic": _cubic,
    "quintic": _quintic,
}
"""Ways to interpolate by their names."""
