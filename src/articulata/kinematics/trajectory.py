"""How fast a path of postures can be followed: joint values over time within limits.

A path is a list of postures (n, dof), rad and m, met in their order: on a smooth curve through them
or straight from one to the next. Limits are those of each joint. ``s`` is the place along the
path.

On the fastest way along a line, from rest to rest within limits of speed, acceleration and jerk,
acceleration rises and falls at the greatest jerk and is held between: the double S of Biagiotti and
Melchiorri, Trajectory Planning for Automatic Machines and Robots (2008), section 3.4.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, IntArray


def s_curve(
    length: float, v: float, a: float, j: float
) -> tuple[Array, Array, Array, Array, Array]:
    """Return times, places, speeds, accelerations and jerks (n,), each from its time on.

    ``length`` of the way; ``v``, ``a``, ``j`` greatest speed, acceleration and jerk, above 0, of
    which ``v`` may be inf. The last time is the end, at rest.
    """
    rise, up = _rise_and_up(length, v, a, j)
    reached = j * rise * (up - rise)
    cruise = max(length / reached - up, 0.0)
    spans = np.array([rise, up - 2.0 * rise, rise, cruise, rise, up - 2.0 * rise, rise])
    jerks = np.array([j, 0.0, -j, 0.0, -j, 0.0, j])
    kept = spans > 0.0
    spans, jerks = spans[kept], jerks[kept]
    state = np.zeros((len(spans) + 1, 3))
    for k, (span, jerk) in enumerate(zip(spans, jerks, strict=True)):
        s, speed, push = state[k]
        state[k + 1] = (
            s + span * (speed + span * (0.5 * push + span * jerk / 6.0)),
            speed + span * (push + 0.5 * span * jerk),
            push + span * jerk,
        )
    state[-1] = length, 0.0, 0.0
    times = np.append(0.0, np.cumsum(spans))
    return times, state[:, 0], state[:, 1], state[:, 2], np.append(jerks, 0.0)


def _rise_and_up(length: float, v: float, a: float, j: float) -> tuple[float, float]:
    """Return how long acceleration rises, and how long speed does."""
    rise, up = (
        (a / j, a / j + v / a) if v * j >= a * a else (math.sqrt(v / j), 2 * math.sqrt(v / j))
    )
    if length >= v * up:
        return rise, up
    # the greatest speed is not reached
    if length >= 2.0 * a**3 / j**2:
        rise = a / j
        return rise, 0.5 * rise + math.sqrt(0.25 * rise * rise + length / a)
    rise = math.cbrt(0.5 * length / j)
    return rise, 2.0 * rise


_GRID = 1500
"""Intervals of the grid of a smooth path. Eight times as many change its duration by 0.3 % at most
(measured on 20 random paths)."""

_STRAIGHT_GRID = 100
"""Intervals of the grid of a straight piece, on which nothing but the phase changes."""

_SAMPLES = 20000
"""Times at which the limits are measured in the end."""

_PAST = 1e-9
"""How far (rad, m) a joint may pass an end by rounding."""

_REFINEMENTS = 3
_PEAKS = 200
_NEAR = 1e-3
"""How often the peaks are looked at closer, how many, and what share below the greatest."""

_MARGIN = 1e-9
"""What is taken off all limits, so that rounding passes none."""

_WINDOWS = 12
"""Windows of rounding that are tried for a limit of jerk."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The way along a path over time: cubic between ``times`` (n,), s.

    ``s``, ``speed`` and ``push`` (n,) are its place and first two derivatives at the beginning of
    each interval, ``jerk`` (n,) the third within it; the last of each is the end, at rest.
    """

    times: Array
    s: Array
    speed: Array
    push: Array
    jerk: Array

    @property
    def duration(self) -> float:
        """Its length in s."""
        return float(self.times[-1])

    def at(self, t: Array) -> tuple[Array, Array, Array, Array]:
        """Return place, speed, acceleration and jerk along the path at times ``t`` (n,)."""
        inside = np.clip(t, 0.0, self.duration)
        last = max(len(self.times) - 2, 0)
        k = np.clip(np.searchsorted(self.times, inside, side="right") - 1, 0, last)
        dt = inside - self.times[k]
        jerk = self.jerk[k]
        push = self.push[k] + dt * jerk
        speed = self.speed[k] + dt * (self.push[k] + 0.5 * dt * jerk)
        s = self.s[k] + dt * (self.speed[k] + dt * (0.5 * self.push[k] + dt * jerk / 6.0))
        moving = inside == t
        return s, speed * moving, push * moving, jerk * moving

    def stretched(self, factor: float) -> Profile:
        """Return the same way, ``factor`` times as slow."""
        return Profile(
            self.times * factor,
            self.s,
            self.speed / factor,
            self.push / factor**2,
            self.jerk / factor**3,
        )

    def rounded(self, window: float) -> Profile:
        """Return the mean over the last ``window`` s: its acceleration changes without a step."""
        ends = np.append(self.times, self.times + window)
        times = np.unique(ends)
        # what rounding tells apart is one instant
        times = times[np.append(True, np.diff(times) > 1e-12 * times[-1])]
        now, before = self.at(times), self.at(times - window)
        inside = 0.5 * (times[1:] + times[:-1])
        jerk = (self.at(inside)[2] - self.at(inside - window)[2]) / window
        return Profile(
            times,
            (self._summed(times) - self._summed(times - window)) / window,
            (now[0] - before[0]) / window,
            (now[1] - before[1]) / window,
            np.append(jerk, 0.0),
        )

    def _summed(self, t: Array) -> Array:
        """Return the integral of the place from time 0 to ``t`` (n,), on either side of the way."""
        dt = np.diff(self.times)
        s, v, a, j = (each[:-1] for each in (self.s, self.speed, self.push, self.jerk))
        whole = dt * (s + dt * (v / 2.0 + dt * (a / 6.0 + dt * j / 24.0)))
        sums = np.append(0.0, np.cumsum(whole))
        inside = np.clip(t, 0.0, self.duration)
        k = np.clip(np.searchsorted(self.times, inside, side="right") - 1, 0, len(dt) - 1)
        since = inside - self.times[k]
        part = since * (s[k] + since * (v[k] / 2.0 + since * (a[k] / 6.0 + since * j[k] / 24.0)))
        beyond = np.maximum(t - self.duration, 0.0) * self.s[-1] + np.minimum(t, 0.0) * self.s[0]
        return np.asarray(sums[k] + part + beyond)


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """A path with its times: ``at(t)`` gives postures, rates and accelerations.

    ``duration`` in s. It starts and ends at rest.
    """

    profile: Profile
    curve: Callable[[Array], Sequence[Array]]

    def __repr__(self) -> str:
        return f"Trajectory: {self.duration:.4g} s, {len(self.at(0.0)[0])} joints"

    @property
    def duration(self) -> float:
        """How long it takes, s."""
        return self.profile.duration

    def at(self, t: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """Return q, rates and accelerations (*batch, dof) each, at times (*batch,) in s.

        Before the beginning and after the end it rests there.
        """
        times = np.asarray(t, float)
        if not np.isfinite(times).all():
            raise KinematicsError("a time at which a path is asked for is NaN or inf")
        q, rates, accelerations, _ = self.moved(times.ravel())
        shape = (*times.shape, q.shape[1])
        return q.reshape(shape), rates.reshape(shape), accelerations.reshape(shape)

    def sampled(self, step: float) -> tuple[Float64[Array, "n"], Float64[Array, "n dof"]]:
        """Return times every ``step`` s, the end included, and postures at them."""
        times = sample_times(self.duration, step)
        return times, self.at(times)[0]

    def moved(self, t: Array) -> tuple[Array, Array, Array, Array]:
        """Return q, rates, accelerations and jerks (n, dof) each, at times ``t`` (n,)."""
        s, *along = self.profile.at(t)
        speed, push, jerk = (each[:, None] for each in along)
        q, first, second, third = self.curve(s)
        rates = first * speed
        accelerations = first * push + second * speed**2
        jerks = first * jerk + 3.0 * second * speed * push + third * speed**3
        return q, rates, accelerations, jerks

    def excess(self, v: Array, a: Array, j: Array | None) -> float:
        """Return the factor by which time must be stretched so that no limit is passed."""
        ends = self.profile.times
        times = np.linspace(0.0, self.duration, _SAMPLES)
        times = np.unique(np.concatenate([times, ends, np.nextafter(ends, 0.0)]))

        def shares(t: Array) -> Array:
            _, rates, accelerations, jerks = self.moved(t)
            found = [_most(rates, v), np.sqrt(_most(accelerations, a))]
            if j is not None:
                found.append(np.cbrt(_most(jerks, j)))
            return np.asarray(np.max(found, axis=0))

        values = shares(times)
        for _ in range(_REFINEMENTS):
            peaks = _peaks(values)
            around = [
                np.linspace(times[max(k - 1, 0)], times[min(k + 1, len(times) - 1)], 50)
                for k in peaks
            ]
            times = np.unique(np.concatenate([times[peaks], *around]))
            values = shares(times)
        return max(1.0, float(values.max()))


def trajectory(
    points: npt.ArrayLike,
    *,
    speeds: npt.ArrayLike,
    accelerations: npt.ArrayLike,
    jerks: npt.ArrayLike | None = None,
    smooth: bool = True,
    ends: npt.ArrayLike | None = None,
) -> Trajectory:
    """Return the fastest way along ``points`` (n, dof) from rest to rest.

    ``speeds`` (dof,), ``accelerations`` and ``jerks`` are the greatest values of each joint, rad/s
    and m/s and so on, one number for all of them or inf for one without a limit. ``smooth`` goes on
    a cubic spline through the points without a stop; otherwise the path is straight between them
    and rests at each corner. With ``jerks`` straight ways are the fastest; on a smooth one
    accelerations are rounded off in time, which lasts longer than the fastest way would.
    ``ends`` (dof, 2) are the least and greatest value of each joint, rad or m; a way past one
    between its points is refused as well. Without them only ``points`` say where joints may go.
    Raise KinematicsError for points that are no path and limits that allow no motion.
    """
    path = _points(points)
    v = limits_of(speeds, path.shape[1], "speeds")
    a = limits_of(accelerations, path.shape[1], "accelerations")
    j = None if jerks is None else limits_of(jerks, path.shape[1], "jerks")
    moving = np.ptp(path, axis=0) > 0.0
    if not np.isfinite(a[moving]).all():
        raise KinematicsError("a joint that moves needs a limit of acceleration, a finite number")
    chords = np.linalg.norm(np.diff(path, axis=0), axis=1)
    knots = np.append(0.0, np.cumsum(chords))
    curve = _spline(knots, path) if smooth and len(path) > 2 else _straight(knots, path)
    if ends is not None:
        _check_ends(curve(np.union1d(knots, np.linspace(0.0, knots[-1], _SAMPLES)))[0], ends)
    spans = [(knots[0], knots[-1])]
    if not smooth:
        spans = list(itertools.pairwise(knots))
    pieces = []
    straight = not smooth or len(path) == 2
    for begin, end in spans:
        eased = _eased(curve, float(begin), float(end), v, a, j) if straight else None
        if eased is not None:
            pieces.append(_slowed(Trajectory(eased, curve), v, a, j).profile)
            continue
        made = Trajectory(_fastest(curve, float(begin), float(end), v, a, smooth), curve)
        pieces.append(_within(made, v, a, j).profile)
    return Trajectory(_joined(pieces), curve)


def _within(made: Trajectory, v: Array, a: Array, j: Array | None) -> Trajectory:
    """Return the way rounded off for the limits of jerk, and slowed by what passes a limit."""

    def slowed(profile: Profile) -> Trajectory:
        return _slowed(Trajectory(profile, made.curve), v, a, j)

    if j is None or not np.isfinite(j).any():
        return slowed(made.profile)
    windows = made.duration * np.geomspace(0.01, 1.0, _WINDOWS)
    tried = [slowed(made.profile.rounded(float(window))) for window in windows]
    best = min(range(len(tried)), key=lambda k: tried[k].duration)
    near = windows[[max(best - 1, 0), min(best + 1, len(tried) - 1)]]
    finer = [
        slowed(made.profile.rounded(float(window)))
        for window in np.geomspace(near[0], near[1], _WINDOWS)
    ]
    return min([tried[best], *finer], key=lambda one: one.duration)


def _slowed(made: Trajectory, v: Array, a: Array, j: Array | None) -> Trajectory:
    """Return the way, slowed by what passes a limit."""
    factor = made.excess(v, a, j)
    if factor <= 1.0:
        return made
    return Trajectory(made.profile.stretched(factor * (1.0 + _MARGIN)), made.curve)


def _eased(
    curve: Callable[[Array], Sequence[Array]],
    begin: float,
    end: float,
    v: Array,
    a: Array,
    j: Array | None,
) -> Profile | None:
    """Return the fastest way along a straight piece, None where no jerk on it is limited."""
    slope = np.abs(curve(np.array([0.5 * (begin + end)]))[1][0])
    moving = slope > 0.0
    if j is None or not np.isfinite(j[moving]).any():
        return None
    least = [float(np.min(each[moving] / slope[moving])) * (1.0 - _MARGIN) for each in (v, a, j)]
    times, s, speed, push, jerk = s_curve(end - begin, *least)
    return Profile(times, begin + s, speed, push, jerk)


def _fastest(
    curve: Callable[[Array], Sequence[Array]],
    begin: float,
    end: float,
    v: Array,
    a: Array,
    smooth: bool,
) -> Profile:
    from articulata.kernels.chains.dynamics.time_scaling import fastest

    s = np.linspace(begin, end, (_GRID if smooth else _STRAIGHT_GRID) + 1)
    # at a corner the piece that is asked for counts, not the one after it
    inside = np.clip(s, np.nextafter(begin, end), np.nextafter(end, begin))
    _, first, second, _ = curve(inside)
    x = np.zeros(len(s))
    stuck = fastest(
        s,
        np.ascontiguousarray(first),
        np.ascontiguousarray(second),
        v * (1.0 - _MARGIN),
        a * (1.0 - _MARGIN),
        x,
    )
    if stuck >= 0 or (x[1:-1] <= 0.0).any():
        where = s[stuck] if stuck >= 0 else s[1 + int(np.argmin(x[1:-1]))]
        raise KinematicsError(
            f"the limits allow no motion at {where:.4g} of the path's {s[-1]:.4g} (rad, m); give "
            "limits above 0 to every joint that moves"
        )
    speed = np.sqrt(x)
    push = np.diff(x) / (2.0 * np.diff(s))
    took = 2.0 * np.diff(s) / (speed[1:] + speed[:-1])
    return Profile(
        np.append(0.0, np.cumsum(took)), s, speed, np.append(push, 0.0), np.zeros(len(s))
    )


def _joined(pieces: Sequence[Profile]) -> Profile:
    """Return pieces one after the other; each starts and ends at rest."""
    if len(pieces) == 1:
        return pieces[0]
    begins = np.append(0.0, np.cumsum([piece.duration for piece in pieces]))
    parts = [
        (piece.times[:-1] + begin, piece.s[:-1], piece.speed[:-1], piece.push[:-1], piece.jerk[:-1])
        for piece, begin in zip(pieces, begins[:-1], strict=True)
    ]
    last = (begins[-1:], pieces[-1].s[-1:], np.zeros(1), np.zeros(1), np.zeros(1))
    return Profile(*(np.concatenate(each) for each in zip(*parts, last, strict=True)))


def _spline(knots: Array, points: Array) -> Callable[[Array], Sequence[Array]]:
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(knots, points, bc_type="natural")
    return lambda s: [np.asarray(spline(s, order)) for order in range(4)]


def _straight(knots: Array, points: Array) -> Callable[[Array], Sequence[Array]]:
    slope = np.diff(points, axis=0) / np.diff(knots)[:, None]

    def curve(s: Array) -> Sequence[Array]:
        k = np.clip(np.searchsorted(knots, s, side="right") - 1, 0, len(slope) - 1)
        q = points[k] + slope[k] * (s - knots[k])[:, None]
        return q, slope[k], np.zeros_like(q), np.zeros_like(q)

    return curve


def _points(points: npt.ArrayLike) -> Array:
    given = np.asarray(points, float)
    if given.ndim != 2 or not np.isfinite(given).all():
        what = f"shape {given.shape}" if given.ndim != 2 else "NaN or inf"
        raise KinematicsError(f"a path is postures (n, dof) of finite numbers, not {what}")
    apart = np.append(True, np.any(np.diff(given, axis=0) != 0.0, axis=1))
    path: Array = given[apart]
    if len(path) < 2:
        raise KinematicsError("a path needs two postures that differ")
    return path


def _check_ends(q: Array, ends: npt.ArrayLike) -> None:
    """Raise KinematicsError where a way ``q`` (n, dof) leaves the ``ends`` (dof, 2) of joints."""
    bounds = np.asarray(ends, float)
    if bounds.shape != (q.shape[1], 2) or not (bounds[:, 0] <= bounds[:, 1]).all():
        raise KinematicsError(
            f"ends are {q.shape[1]} pairs of numbers, the lower one first; not {ends!r}"
        )
    past = np.maximum(bounds[:, 0] - q, q - bounds[:, 1])
    row, joint = np.unravel_index(np.argmax(past), past.shape)
    if past[row, joint] > _PAST:
        low, high = bounds[joint]
        raise KinematicsError(
            f"joint {joint + 1} goes to {q[row, joint]:.6g}, beyond its ends {low:.6g} to "
            f"{high:.6g}; move the points inwards, or give smooth=False where they lie within"
        )


def sample_times(duration: float, step: float) -> Float64[Array, "n"]:
    """Return times every ``step`` s from 0 on, and ``duration`` itself."""
    if not (math.isfinite(step) and step > 0.0):
        raise KinematicsError(f"a step is a time in s, more than 0; not {step}")
    count = math.ceil(duration / step - 1e-9)
    return np.append(np.arange(count) * step, duration)


def limits_of(given: npt.ArrayLike, dof: int, what: str) -> Array:
    """Return what is the greatest of each joint (dof,), from one number or one for each."""
    limits = np.asarray(given, float)
    if limits.ndim == 0:
        limits = np.full(dof, float(limits))
    if limits.shape != (dof,) or not (limits > 0.0).all():
        raise KinematicsError(
            f"{what} are {dof} numbers above 0, one for each joint, or one for all of them; not "
            f"{given!r}"
        )
    return limits


def _most(values: Array, limits: Array) -> Array:
    """Return the greatest share (n,) of the limits that ``values`` (n, dof) take."""
    return np.asarray(np.max(np.abs(values) / limits, axis=1))


def _peaks(values: Array) -> IntArray:
    """Return which of ``values`` (n,) are peaks that come near the greatest one."""
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peak = (values >= padded[:-2]) & (values >= padded[2:])
    near = np.flatnonzero(peak & (values >= (1.0 - _NEAR) * values.max()))
    return np.asarray(near[np.argsort(-values[near], kind="stable")[:_PEAKS]])
