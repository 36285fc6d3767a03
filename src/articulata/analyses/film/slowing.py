"""A camera move slowed along its own path until an arm can carry it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.analyses.film.carrier import Carrier
from articulata.analyses.film.controller_replay import replayed
from articulata.analyses.film.judged_move import ENDS, carried
from articulata.analyses.film.pilot import STEP
from articulata.analyses.film.reasons import reason, unmet
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.chains.camera_control.carried_frames import KIND, SINGULAR
from articulata.records.camera_moves import CameraMove, CameraPath
from articulata.records.carried_moves import CarriedMove

_ROUNDS: Final = 36
_GRID: Final = 6000
"""Places of the path at least, however short it is."""
_MARGIN: Final = 0.995
"""Share of the limits that the time law plans with: its grid sees accelerations at its points."""
_SMOOTH: Final = 3
"""Ticks over which the way along the path is averaged at least: accelerations change from one tick
to the next by a third of what they may, so that a curve through the ticks does not swing beyond."""
_LONGEST: Final = 0.4
"""s: beyond this a longer window would only make a move late; it is slowed instead."""


def slowed(
    move: CameraMove,
    carrier: Carrier,
    *,
    start: npt.ArrayLike | None = None,
    path: CameraPath | None = None,
    step: float = STEP,
    fraction: float = 1.0,
) -> CarriedMove:
    """Return ``move`` as ``carrier`` carries it: on the same path, slower where it must be.

    From rest to rest, never faster than ``fraction`` of the move's own speed (a rehearsal takes
    less than 1), at ``step`` s. ``path`` is the camera's where it was flown between the frames.
    The spline through the joint values (``CarriedMove.rates``) keeps all limits of speed and
    acceleration between ticks too, differences of the joint values those of jerk. The way along the
    path is averaged over a window of time, for jerk the shortest that is found to do. Raise
    KinematicsError where the path itself cannot be carried.
    """
    if not 0.0 < fraction <= 1.0:
        raise KinematicsError(f"a rehearsal's share of the speed is above 0, at most 1; {fraction}")
    path = CameraPath.through(move.times, move.X_WC) if path is None else path
    count = max(_GRID, math.ceil(move.duration / step) + 1)
    s = np.linspace(0.0, move.duration, count)
    found = carried(path, s, carrier, start=start)
    _whole(found.codes, found.q, found.X_BC, s, move, carrier)
    share, window = np.full(count, _MARGIN), _first_window(carrier, step)
    jerky = bool(np.isfinite(carrier.jerks).any())
    for _ in range(_ROUNDS):
        t_of = _law(s, found.q, carrier, share, fraction)
        times: Array = np.arange(math.ceil(float(t_of[0][-1]) / step - 1e-9) + 1.0) * step
        along = _averaged(_at(times, *t_of), window)
        times = np.arange(float(len(along))) * step
        made = carried(path, along, carrier, start=found.q[0])
        _whole(made.codes, made.q, made.X_BC, along, move, carrier)
        q = np.clip(made.q, carrier.arm.lower, carrier.arm.upper)
        result = CarriedMove(carrier.chain.names, times, q, along, carrier.view(q), carrier.units)
        local, over = _excess(result, carrier), _strain(result, carrier, path)
        rough = _roughness(result, carrier) if jerky else 0.0
        if max(float(local.max()), over, rough) <= 1.0:
            return result
        share = share / _spread(local, along, s, window)
        if over > 1.0 or window * step > _LONGEST:
            share = share * min(0.97, 1.0 / max(over, rough ** (1.0 / 3.0)))
        if rough > 1.0:
            window = math.ceil(window * min(max(rough, 1.1), 2.0))
    raise KinematicsError(
        "no slower way was found that keeps the limits; the path has a corner: smooth the move"
    )


def _law(
    s: Array, q: Array, carrier: Carrier, share: Array, fraction: float
) -> tuple[Array, Array, Array]:
    """Return the fastest times (n,) at places ``s`` (n,), and the rates there.

    Limits are kept to their ``share`` (n,) at each place. A joint of its own, which goes with
    ``s``, keeps the speed of the move.
    """
    from articulata.kernels.chains.dynamics.time_scaling import fastest

    arm, width = carrier.arm, float(s[1] - s[0])
    first, second = np.gradient(q, width, axis=0, edge_order=2), np.zeros_like(q)
    second[1:-1] = (q[2:] - 2.0 * q[1:-1] + q[:-2]) / width**2
    # what needs more of a limit may have less of it
    first, second = first / share[:, None], second / share[:, None]
    speeds = np.append(np.minimum(arm.speeds, 1e9), fraction)
    accelerations = np.append(np.minimum(arm.accelerations, 1e9), 1e9)
    x = np.zeros(len(s))
    one = np.ones((len(s), 1))
    stuck = fastest(
        s,
        np.ascontiguousarray(np.hstack([first, one])),
        np.ascontiguousarray(np.hstack([second, 0.0 * one])),
        speeds,
        accelerations,
        x,
    )
    if stuck >= 0 or (x[1:-1] <= 0.0).any():
        where = s[stuck] if stuck >= 0 else s[1 + int(np.argmin(x[1:-1]))]
        raise KinematicsError(
            f"the limits allow no motion along the path at {where:.4g} s of the move: a singular "
            "posture; lead the camera another way there"
        )
    rate = np.sqrt(x)
    took = 2.0 * np.diff(s) / (rate[1:] + rate[:-1])
    return np.append(0.0, np.cumsum(took)), s, rate


def _at(times: Array, t: Array, s: Array, rate: Array) -> Array:
    """Return the places (m,) at ``times``: the rate rises evenly between two places."""
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    since, width = np.minimum(times, t[-1]) - t[k], t[k + 1] - t[k]
    push = (rate[k + 1] - rate[k]) / width
    return np.asarray(np.clip(s[k] + since * (rate[k] + 0.5 * push * since), 0.0, s[-1]))


def _first_window(carrier: Carrier, step: float) -> int:
    """Return over how many ticks to average first.

    Within it an acceleration goes from its least to its greatest, at a limit of jerk.
    """
    limited = np.isfinite(carrier.jerks)
    if not limited.any():
        return _SMOOTH
    spans = 2.0 * np.minimum(carrier.arm.accelerations, 1e9)[limited] / carrier.jerks[limited]
    return max(_SMOOTH, math.ceil(min(float(spans.min()), _LONGEST) / step))


def _averaged(along: Array, window: int) -> Array:
    """Return places (m,) averaged over ``window`` ticks, from rest to rest."""
    first, last = np.full(window - 1, along[0]), np.full(window - 1, along[-1])
    ends = np.concatenate([first, along, last])
    total = np.concatenate([[0.0], np.cumsum(ends)])
    means = (total[window:] - total[:-window]) / window
    return np.asarray(np.clip(means, along[0], along[-1]))


def _roughness(made: CarriedMove, carrier: Carrier) -> float:
    """Return by what share differences of the accelerations pass the limits of jerk."""
    # before its first tick and after its last the arm rests
    q = np.concatenate([made.q[:1]] * 3 + [made.q] + [made.q[-1:]] * 3)
    third = np.diff(q, 3, axis=0) / float(made.times[1]) ** 3
    return float((np.abs(third) / carrier.jerks).max())


def _excess(made: CarriedMove, carrier: Carrier) -> Array:
    """Return by what share the spline through the joint values passes the limits at each tick (m,).

    Where it keeps them at all of them, the first is that of between.
    """
    arm = carrier.arm
    fast = (np.abs(made.rates) / arm.speeds).max(axis=1)
    out = np.maximum(fast, np.sqrt((np.abs(made.accelerations) / arm.accelerations).max(axis=1)))
    if out.max() <= 1.0:
        out[int(fast.argmax())] = replayed(made, carrier, "cubic").speed
    return np.asarray(out)


def _spread(excess: Array, along: Array, s: Array, window: int) -> Array:
    """Return by what to divide the shares at places ``s`` (n,) for the ``excess`` of ticks (m,).

    What is too much at a tick is taken off all that its average is made of.
    """
    from scipy.ndimage import maximum_filter1d

    much = np.where(excess > 1.0, np.maximum(excess, 1.0 / 0.97), 1.0)
    wide = maximum_filter1d(much, 2 * window + 1)
    k = np.clip(np.searchsorted(along, s), 1, len(along) - 1)
    return np.asarray(np.maximum(wide[k - 1], wide[k]))


def _strain(made: CarriedMove, carrier: Carrier, path: CameraPath) -> float:
    """Return by what share speeds pass what the joints' torques allow, 1 where they do not.

    What holds the arm against gravity does not grow with the speed; the rest does, with its square.
    Raise KinematicsError where an arm cannot hold itself at all.
    """
    if carrier.statics is None:
        return 1.0
    still = np.zeros_like(made.q)
    held = carrier.torques(made.q, still, still)
    k, j = np.unravel_index(int(np.argmax(np.abs(held) / carrier.efforts)), held.shape)
    if abs(held[k, j]) > 0.98 * carrier.efforts[j]:
        raise KinematicsError(
            f"no speed is slow enough: at {made.path_times[k]:.4g} s of the move {made.joints[j]} "
            f"would hold {abs(held[k, j]):.4g} of {carrier.efforts[j]:.4g} N m; lead the camera "
            "another way, or carry less"
        )
    needed = carrier.torques(made.q, made.rates, made.accelerations)
    if (np.abs(needed) <= carrier.efforts).all():
        return 1.0
    dynamic = np.abs(needed - held) / (carrier.efforts - np.abs(held))
    return math.sqrt(max(float(dynamic.max()), 1.0)) * 1.001


def _whole(
    codes: IntArray, q: Array, X_BC: Array, s: Array, move: CameraMove, carrier: Carrier
) -> None:
    """Raise KinematicsError where the path cannot be carried, at whatever speed."""
    arm = carrier.arm
    with np.errstate(invalid="ignore"):
        beyond = ((q < arm.lower - ENDS) | (q > arm.upper + ENDS)).any(axis=1)
    wrong = np.flatnonzero((codes != 0) | beyond)
    if not len(wrong):
        return
    k = int(wrong[0])
    if codes[k]:
        lost = unmet(carrier, X_BC[k : k + 1])[0] if codes[k] // KIND == SINGULAR else ("", "", 0.0)
        why = lost[1] or reason(carrier, int(codes[k]), X_BC[k])
    else:
        j = int(np.argmax(np.maximum(arm.lower - q[k], q[k] - arm.upper)))
        why = f"{carrier.chain.names[j]} would leave its ends"
    raise KinematicsError(
        f"no speed is slow enough: at {s[k]:.4g} s of the move (frame "
        f"{move.first + round(s[k] * float(move.rate))}) {why}; lead the camera another way"
    )
