"""Motions of minimum jerk between two postures or two poses, and blends of one motion into another.

The motion of least squared jerk between given ends is a polynomial of the fifth degree in time
(Flash and Hogan, The Coordination of Arm Movements, Journal of Neuroscience 5, 1985).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.poses import check_pose, interpolate_poses
from articulata.geometry.rotation import Rotation
from articulata.kinematics.trajectory import limits_of, sample_times

PEAK_SPEED: Final = 15.0 / 8.0
"""Greatest speed from rest to rest, of the way divided by the time."""

PEAK_ACCELERATION: Final = 10.0 / math.sqrt(3.0)
"""Greatest acceleration, of the way divided by the time squared."""

PEAK_JERK: Final = 60.0
"""Greatest jerk, at both ends, of the way divided by the time cubed."""


class Motion(Protocol):
    """Anything that tells postures, rates and accelerations at times from 0 to ``duration`` s."""

    @property
    def duration(self) -> float:
        """How long it takes, s."""

    def at(self, t: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """Return q, rates and accelerations (*batch, dof) each, at times (*batch,) in s."""


@dataclass(frozen=True, slots=True, eq=False)
class MinimumJerk:
    """Postures by polynomials of the fifth degree: ``powers`` (6, dof) of the share of the time.

    ``duration`` in s. Before the beginning and after the end it rests there.
    """

    powers: Array
    duration: float

    def at(self, t: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """Return q, rates and accelerations (*batch, dof) each, at times (*batch,) in s."""
        times = _times(t)
        s = np.clip(times / self.duration, 0.0, 1.0)[..., None]
        moving = ((times >= 0.0) & (times <= self.duration))[..., None]
        c, T = self.powers, self.duration
        q = _polynomial(c, s)
        rates = _polynomial(c[1:] * np.arange(1.0, 6.0)[:, None], s) / T
        pushes = _polynomial(c[2:] * np.array([2.0, 6.0, 12.0, 20.0])[:, None], s) / T**2
        return q, rates * moving, pushes * moving

    def sampled(self, step: float) -> tuple[Float64[Array, "n"], Float64[Array, "n dof"]]:
        """Return times every ``step`` s, the end included, and postures at them."""
        times = sample_times(self.duration, step)
        return times, self.at(times)[0]


@dataclass(frozen=True, slots=True, eq=False)
class MinimumJerkPose:
    """A frame T from one pose to another: its origin goes straight, it turns about one axis.

    ``X_0`` and ``X_1`` (4, 4) are ``X_WT`` at the ends, ``duration`` in s.
    """

    X_0: Array
    X_1: Array
    duration: float

    def at(self, t: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """Return ``X_WT`` (*batch, 4, 4), velocity and angular velocity (*batch, 3) each, in W.

        Velocities of T's origin in m/s and rad/s. Before the beginning and after the end it rests.
        """
        times = _times(t)
        s = np.clip(times / self.duration, 0.0, 1.0)
        share = s * s * s * (10.0 + s * (6.0 * s - 15.0))
        rate = 30.0 * (s * (1.0 - s)) ** 2 / self.duration
        X = interpolate_poses(self.X_0, self.X_1, share)
        p_W, turn_W = _apart(self.X_0, self.X_1)
        return X, rate[..., None] * p_W, rate[..., None] * turn_W


@dataclass(frozen=True, slots=True, eq=False)
class Blend:
    """``first`` until ``begin`` (s), then ``second``, which begins there, within ``length`` s.

    What both say is weighted by the curve of minimum jerk: postures, rates and accelerations go on
    without a step where those of both do.
    """

    first: Motion
    second: Motion
    begin: float
    length: float

    @property
    def duration(self) -> float:
        """How long it takes, s."""
        return self.begin + max(self.second.duration, self.length)

    def at(self, t: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """Return q, rates and accelerations (*batch, dof) each, at times (*batch,) in s."""
        times = _times(t)
        q, rates, pushes = self.first.at(times)
        gap, gap_1, gap_2 = (
            after - before
            for before, after in zip(
                (q, rates, pushes), self.second.at(times - self.begin), strict=True
            )
        )
        s = np.clip((times - self.begin) / self.length, 0.0, 1.0)[..., None]
        w = s * s * s * (10.0 + s * (6.0 * s - 15.0))
        w_1 = 30.0 * (s * (1.0 - s)) ** 2 / self.length
        w_2 = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / self.length**2
        return (
            q + w * gap,
            rates + w * gap_1 + w_1 * gap,
            pushes + w * gap_2 + 2.0 * w_1 * gap_1 + w_2 * gap,
        )

    def sampled(self, step: float) -> tuple[Float64[Array, "n"], Float64[Array, "n dof"]]:
        """Return times every ``step`` s, the end included, and postures at them."""
        times = sample_times(self.duration, step)
        return times, self.at(times)[0]


def minimum_jerk(
    start: npt.ArrayLike,
    goal: npt.ArrayLike,
    duration: float | None = None,
    *,
    speeds: npt.ArrayLike | None = None,
    accelerations: npt.ArrayLike | None = None,
    end_rates: tuple[npt.ArrayLike, npt.ArrayLike] = (0.0, 0.0),
    end_accelerations: tuple[npt.ArrayLike, npt.ArrayLike] = (0.0, 0.0),
) -> MinimumJerk:
    """Return the motion of least squared jerk from posture ``start`` (dof,) to ``goal`` (dof,).

    It takes ``duration`` s, or as little as the greatest ``speeds`` and ``accelerations`` allow
    from rest to rest: (dof,) each, rad/s and rad/s^2, metres for sliding joints, one number for all
    joints or inf for no limit. ``end_rates`` and ``end_accelerations`` are those at the start and
    at the goal, (dof,) each or one number for all joints. Raise KinematicsError for ends that are
    no postures of one figure and for a time that is none.
    """
    q_0, q_1 = np.array(start, float), np.array(goal, float)
    if q_0.ndim != 1 or q_0.shape != q_1.shape or not np.isfinite([q_0, q_1]).all():
        raise KinematicsError(
            "a motion goes between two postures (dof,) of finite numbers, rad and m; not of shapes "
            f"{q_0.shape} and {q_1.shape}"
        )
    ends = [_end(each, len(q_0), "rates") for each in end_rates]
    ends += [_end(each, len(q_0), "accelerations") for each in end_accelerations]
    if speeds is not None or accelerations is not None:
        if duration is not None or any(end.any() for end in ends):
            raise KinematicsError(
                "greatest speeds and accelerations give the time of a motion from rest to rest; "
                "leave them out, or its duration and what it is at the ends"
            )
        v = limits_of(math.inf if speeds is None else speeds, len(q_0), "speeds")
        a = limits_of(
            math.inf if accelerations is None else accelerations, len(q_0), "accelerations"
        )
        way = np.abs(q_1 - q_0)
        least = np.maximum(PEAK_SPEED * way / v, np.sqrt(PEAK_ACCELERATION * way / a))
        duration = float(least.max(initial=0.0))
    T = _duration(duration)
    v_0, v_1, a_0, a_1 = ends
    # the fifth degree that meets place, rate and acceleration at both ends, in the share of T
    c_1, c_2 = T * v_0, 0.5 * T * T * a_0
    d = q_1 - q_0 - c_1 - c_2
    e, f = T * v_1 - c_1 - 2.0 * c_2, T * T * a_1 - 2.0 * c_2
    c_3 = 10.0 * d - 4.0 * e + 0.5 * f
    c_4 = -15.0 * d + 7.0 * e - f
    c_5 = 6.0 * d - 3.0 * e + 0.5 * f
    return MinimumJerk(np.stack([q_0, c_1, c_2, c_3, c_4, c_5]), T)


def minimum_jerk_pose(
    X_0: npt.ArrayLike,
    X_1: npt.ArrayLike,
    duration: float | None = None,
    *,
    speed: float = math.inf,
    turning: float = math.inf,
) -> MinimumJerkPose:
    """Return the motion from rest at pose ``X_0`` (4, 4) to rest at ``X_1`` (4, 4), ``X_WT`` each.

    The origin goes straight and the frame turns about one axis, both by the time of minimum jerk.
    It takes ``duration`` s, or as little as the greatest ``speed`` (m/s) of the origin and the
    greatest angular speed ``turning`` (rad/s) allow. Raise GeometryError for what is no pose,
    KinematicsError for a time that is none.
    """
    X, Y = check_pose(X_0), check_pose(X_1)
    if X.shape != (4, 4) or Y.shape != (4, 4):
        raise KinematicsError(f"a motion goes between two poses (4, 4), not {X.shape}, {Y.shape}")
    if math.isfinite(speed) or math.isfinite(turning):
        if duration is not None:
            raise KinematicsError("give a motion its duration or its greatest speeds, not both")
        limits = limits_of((speed, turning), 2, "speed and turning")
        ways = np.array([np.linalg.norm(each) for each in _apart(X, Y)])
        duration = float(PEAK_SPEED * (ways / limits).max())
    return MinimumJerkPose(X, Y, _duration(duration))


def blended(first: Motion, second: Motion, begin: float, length: float) -> Blend:
    """Return ``first`` that goes over into ``second`` from ``begin`` s on, within ``length`` s.

    ``second`` begins at ``begin``; both are motions of the same joints. Raise KinematicsError for
    times that are none and motions of other joints.
    """
    if not (math.isfinite(begin) and begin >= 0.0):
        raise KinematicsError(f"a blend begins at a time in s, 0 or more; not {begin}")
    if not (math.isfinite(length) and length > 0.0):
        raise KinematicsError(f"a blend lasts a time in s, more than 0; not {length}")
    sizes = [each.at(0.0)[0].shape for each in (first, second)]
    if sizes[0] != sizes[1]:
        raise KinematicsError(
            f"two motions blend that have the same joints; these have {sizes[0][0]} and "
            f"{sizes[1][0]}"
        )
    return Blend(first, second, begin, length)


def _apart(X_0: Array, X_1: Array) -> tuple[Array, Array]:
    """Return the way of the origin (m) and the turn about one axis (rad), (3,) each in W."""
    turn_T = Rotation.from_matrix(X_0[:3, :3].T @ X_1[:3, :3]).log()
    return X_1[:3, 3] - X_0[:3, 3], np.asarray(X_0[:3, :3] @ turn_T)


def _polynomial(c: Array, s: Array) -> Array:
    found = np.zeros(np.broadcast_shapes(s.shape, c[0].shape))
    for power in c[::-1]:
        found = found * s + power
    return found


def _times(t: npt.ArrayLike) -> Array:
    times = np.asarray(t, float)
    if not np.isfinite(times).all():
        raise KinematicsError("a time at which a motion is asked for is NaN or inf")
    return times


def _end(given: npt.ArrayLike, dof: int, what: str) -> Array:
    values = np.asarray(given, float)
    if values.shape not in ((), (dof,)) or not np.isfinite(values).all():
        raise KinematicsError(
            f"{what} at an end are {dof} finite numbers or one for all joints, not {given!r}"
        )
    return np.broadcast_to(values, (dof,))


def _duration(given: float | None) -> float:
    if given is None or not (math.isfinite(given) and given > 0.0):
        raise KinematicsError(
            "a motion takes a duration in s, more than 0, or between ends that differ a greatest "
            f"speed; not {given}"
        )
    return float(given)
