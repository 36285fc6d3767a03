"""All postures of seven turning joints that meet a pose: curves, cut into arcs of one joint.

One joint, the *driver*, is given a row of values; the six joints left are solved in closed form
(``meeting_axes_6r``) where three axes meet in one point, else by elimination (``general_6r``). From
there the curves of postures are followed (``self_motion_curves``) all the way around, so that a
posture that one of the rows lost is found from another. Between two places where the driver turns
back a curve is an *arc*: there, each value of the driver belongs to one posture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.closed_forms.general_6r import SPLITS, solve_links
from articulata.kernels.chains.closed_forms.general_6r_elimination import SLOTS
from articulata.kernels.chains.closed_forms.meeting_axes_6r import (
    PieperArm,
    prepare_pieper,
    solve_pieper,
)
from articulata.kernels.chains.self_motion.self_motion_curves import JOINTS, self_motions
from articulata.kernels.chains.self_motion.self_motion_cuts import (
    TURNS,
    cut_motion,
    kept_between,
    nearest_on,
    postures_at,
)

CURVES = 64
"""Most curves of one pose."""

_SAMPLES = 60_000
_ROWS_CLOSED, _ROWS_GENERAL = 64, 32
_TRIALS = 12

KEPT = 4
"""Splits of the elimination that are kept, best first."""

_NEARLY = 1e-5
"""Axes that miss each other by up to so much, in units of the arm and rad, all but meet."""
_NEAR = 0.2
"""Share by which a cosine may pass 1 in a row: a curve that passes by between two rows is seen."""


@dataclass(frozen=True, slots=True)
class SevenArm:
    """Seven turning joints made ready.

    ``links`` (8, 3, 4): fixed transforms before joint 1, between joints and behind joint 7,
    lengths in ``unit`` m. ``driver``: number of the joint that parts curves into arcs; its rows
    begin at ``first`` and are ``step`` apart. ``pieper``: the closed form for a given driver,
    ``exact`` or of axes that all but meet, else ``splits`` of the elimination. ``middle`` and
    ``half`` (7,) of the joints' ranges.
    """

    links: Array
    unit: float
    driver: int
    first: float
    step: float
    rows: int
    pieper: PieperArm | None
    exact: bool
    splits: IntArray
    middle: Array
    half: Array


@dataclass(frozen=True, slots=True)
class Arc:
    """Postures ``q`` (k, 7) in which the driver only rises, tangents ``t`` and pieces ``kept``.

    ``kept`` (k - 1,): the postures between two knots keep the limits. ``intervals`` (n, 2) of the
    driver that do; ``pivot``: the least pivot of the Jacobian, small where curves meet.
    """

    q: Array
    t: Array
    kept: npt.NDArray[np.bool_]
    intervals: Array
    pivot: float


def prepare_seven(links: Array, unit: float, low: Array, high: Array) -> SevenArm | None:
    """Return the arm of links (8, 3, 4) with limits (7,), None where every posture is singular.

    The driver is the joint that leaves the quickest form (square roots, a quartic, square roots of
    axes that all but meet, elimination) and, of these, turns most along self motions of trial
    postures.
    """
    half = 0.5 * (high - low)
    bounded = np.isfinite(half) & (half < math.pi - 1e-9)
    half = np.where(bounded, half, 4.0)
    middle = 0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0))
    rng = np.random.default_rng(0)
    trials = middle + np.minimum(half, math.pi) * rng.uniform(-1.0, 1.0, (_TRIALS * 4, JOINTS))
    jacobians = np.array([jacobian(links, q) for q in trials])
    _, sizes, across = np.linalg.svd(jacobians)
    if sizes[:, -1].max() < 1e-9:
        return None
    moved = np.abs(across[:, -1]).mean(axis=0)
    forms = [form_of(links, unit, given) for given in range(JOINTS)]
    ranks = [3 if form is None else int(form.quartic) if exact else 2 for form, exact in forms]
    driver = min(range(JOINTS), key=lambda j: (ranks[j] if moved[j] > 0.05 else 4, -moved[j]))
    pieper, exact = forms[driver]
    rows = _ROWS_GENERAL if pieper is None else _ROWS_CLOSED
    if bounded[driver]:
        first, step = float(low[driver]), float(high[driver] - low[driver]) / (rows - 1)
    else:
        first, step = -math.pi, math.tau / rows
    splits = np.arange(1)
    if pieper is None:
        splits = ranked_splits(links, driver, trials[:_TRIALS])
    return SevenArm(
        links,
        unit,
        driver,
        first,
        step,
        rows,
        pieper,
        exact,
        splits,
        middle,
        np.asarray(half, float),
    )


def form_of(links: Array, unit: float, given: int) -> tuple[PieperArm | None, bool]:
    """Return the closed form of an arm with a joint given, and whether it is exact.

    Files write right angles as 1.5708: axes that meet miss each other by micrometres.
    """
    exact = prepare_pieper(links, unit, given)
    if exact is not None:
        return exact, True
    near = prepare_pieper(links, unit, given, meet=_NEARLY)
    return (None if near is None or near.quartic else near), False


def arcs_of(arm: SevenArm, X: Array) -> list[Arc]:
    """Return the arcs of all postures of one tip pose X_BT (4, 4), from the first knots' order."""
    pose = _scaled(arm, X)
    seeds = _rows(arm, X)
    Q, T = np.empty((_SAMPLES, JOINTS)), np.empty((_SAMPLES, JOINTS))
    pivots = np.empty(_SAMPLES)
    ends, closed = np.zeros(CURVES, np.int64), np.zeros(CURVES, np.bool_)
    grid = arm.driver, arm.first, arm.step
    count = self_motions(arm.links, pose, seeds, grid, (Q, T, pivots), ends, closed)
    arcs: list[Arc] = []
    begin = 0
    for i in range(count):
        end = int(ends[i])
        arcs.extend(
            _arcs_of_curve(
                arm, pose, Q[begin:end], T[begin:end], pivots[begin:end], bool(closed[i])
            )
        )
        begin = end
    return sorted(arcs, key=lambda arc: -float(np.ptp(arc.intervals, axis=1).sum()))


def postures_on(arm: SevenArm, X: Array, arc: Arc, values: Array) -> Array:
    """Return the postures (m, 7) of an arc at values (m,) of the driver, NaN beyond its ends."""
    out = np.empty((len(values), JOINTS))
    given = np.ascontiguousarray(values, np.float64)
    postures_at(arm.links, _scaled(arm, X), arc.q, arc.t, arm.driver, given, out)
    return out


def nearest_of(arm: SevenArm, X: Array, arc: Arc, q: Array) -> Array | None:
    """Return the posture (7,) of an arc within the limits nearest to ``q``, None where none."""
    out = np.empty(JOINTS)
    wanted = np.ascontiguousarray(q, np.float64)
    found = nearest_on(arm.links, _scaled(arm, X), arc.q, arc.t, arc.kept, wanted, out)
    return out if found else None


def jacobian(links: Array, q: Array) -> Array:
    """Return the Jacobian (6, n) of the tip at a posture, lengths in the arm's unit."""
    frames = []
    X = np.vstack([links[0], [0.0, 0.0, 0.0, 1.0]])
    for i, angle in enumerate(q):
        frames.append(X)
        c, s = math.cos(angle), math.sin(angle)
        turn = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]])
        X = X @ turn @ np.vstack([links[i + 1], [0.0, 0.0, 0.0, 1.0]])
    rows = [np.cross(F[:3, 2], X[:3, 3] - F[:3, 3]) for F in frames]
    return np.concatenate([np.array(rows).T, np.array([F[:3, 2] for F in frames]).T])


def _scaled(arm: SevenArm, X: Array) -> Array:
    pose = np.array(X[:3], np.float64, order="C")
    pose[:, 3] /= arm.unit
    return pose


def _rows(arm: SevenArm, X: Array) -> Array:
    """Return postures (rows, s, 7) at the values of the driver's rows, NaN where none."""
    values: Array = arm.first + arm.step * np.arange(arm.rows, dtype=np.float64)
    if arm.pieper is not None:
        poses = np.ascontiguousarray(np.broadcast_to(X, (arm.rows, 4, 4)))
        return solve_pieper(arm.pieper, poses, values, slack=_NEAR, threads=1)
    links, poses = six_behind(arm.links, arm.driver, X, arm.unit, values)
    out = np.full((arm.rows, SLOTS, JOINTS), np.nan)
    out[:, :, joints_behind(arm.driver)] = solve_links(links, arm.splits[:1], poses, rough=True).q
    out[:, :, arm.driver] = values[:, None]
    return out


def six_behind(
    links: Array, given: int, X: Array, unit: float, values: Array
) -> tuple[Array, Array]:
    """Return links (7, 3, 4) of the six joints behind a given one, around the loop, and poses.

    ``X`` (m, 4, 4) or one for all ``values`` (m,): they differ only where ``given`` is the first
    or the last joint.
    """
    A = np.tile(np.eye(4), (JOINTS + 1, 1, 1))
    A[:, :3] = links
    Y = np.array(X, float)
    Y[..., :3, 3] /= unit
    ring = [*A[1:JOINTS], A[JOINTS] @ _inverted(Y) @ A[0]]
    inner = [ring[(given + 1 + i) % JOINTS] for i in range(5)]
    inner = [link if link.ndim == 2 else link[0] for link in inner]
    six = np.array([np.eye(4), *inner, np.eye(4)])[:, :3].copy()
    turn = np.tile(np.eye(4), (len(values), 1, 1))
    turn[:, 0, 0] = turn[:, 1, 1] = np.cos(values)
    turn[:, 1, 0] = np.sin(values)
    turn[:, 0, 1] = -turn[:, 1, 0]
    closing = ring[(given - 1) % JOINTS] @ turn @ ring[given]
    return six, np.ascontiguousarray(_inverted(closing))


def joints_behind(given: int) -> list[int]:
    """Return the joints in the order of the loop, from behind the given one on."""
    return [(given + 1 + i) % JOINTS for i in range(6)]


def _inverted(X: Array) -> Array:
    """Return the inverse of poses (*batch, 4, 4)."""
    out = np.array(X)
    R = X[..., :3, :3]
    out[..., :3, :3] = np.swapaxes(R, -1, -2)
    out[..., :3, 3] = -(X[..., None, :3, 3] @ R)[..., 0, :]
    return out


def ranked_splits(links: Array, driver: int, trials: Array) -> IntArray:
    """Return the splits that find the most postures of trial poses, best first."""
    found = np.zeros(SPLITS)
    for q in trials:
        X = _tip(links, q)
        six, poses = six_behind(links, driver, X, 1.0, q[driver : driver + 1])
        for split in range(SPLITS):
            found[split] += solve_links(six, np.array([split]), poses, looks=0).count[0]
    order = np.argsort(-found, kind="stable")[:KEPT]
    return order[found[order] > 0].astype(np.int64)


def _tip(links: Array, q: Array) -> Array:
    X = np.vstack([links[0], [0.0, 0.0, 0.0, 1.0]])
    for i, angle in enumerate(q):
        c, s = math.cos(angle), math.sin(angle)
        turn = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]])
        X = X @ turn @ np.vstack([links[i + 1], [0.0, 0.0, 0.0, 1.0]])
    return X


def _arcs_of_curve(
    arm: SevenArm, pose: Array, Q: Array, T: Array, pivots: Array, closed: bool
) -> list[Arc]:
    flags = np.zeros(len(Q), np.int64)
    for stage in range(3):
        room = 3 * len(Q) + 64
        some = np.empty((room, JOINTS)), np.empty((room, JOINTS)), np.empty(room, np.int64)
        samples = Q, T, flags
        n = cut_motion(arm.links, pose, samples, arm.driver, (arm.middle, arm.half), stage, some)
        Q, T, flags = some[0][:n], some[1][:n], some[2][:n]
    kept = np.empty(len(Q) - 1, np.bool_)
    kept_between(Q, T, len(Q), arm.middle, arm.half, kept)
    turns = np.flatnonzero(flags & TURNS)
    if closed and len(turns):
        # begin at a turning point: the curve's last sample is its first, whole turns further
        k = int(turns[0])
        lap = Q[-1] - Q[0]
        Q = np.concatenate([Q[k:-1], Q[: k + 1] + lap])
        T, kept = np.concatenate([T[k:-1], T[: k + 1]]), np.concatenate([kept[k:], kept[:k]])
        turns = np.append(turns - k, len(Q) - 1)
    else:
        turns = np.concatenate([[0], turns, [len(Q) - 1]])
    d = arm.driver
    if arm.half[d] < math.pi:
        # no limits are kept half a turn from the middle: there an arc goes on as another
        laps = np.round((0.5 * (Q[1:, d] + Q[:-1, d]) - arm.middle[d]) / math.tau)
        turns = np.union1d(turns, np.flatnonzero(np.diff(laps)) + 1)
    least = float(pivots.min())
    # where limits are kept from and to, each within one arc
    parted = np.zeros(len(Q), np.bool_)
    parted[turns] = True
    good = np.concatenate([[False], kept, [False]])
    starts = np.flatnonzero(good[1:] & (~good[:-1] | parted))
    stops = np.flatnonzero(good[:-1] & (~good[1:] | parted))
    arcs = []
    for i, j in pairwise(turns.tolist()):
        if j <= i:
            continue
        side = 1 if Q[j, d] >= Q[i, d] else -1
        lap = math.tau * np.round((0.5 * (Q[i, d] + Q[j, d]) - arm.middle[d]) / math.tau)
        q = np.array(Q[i : j + 1][::side])
        q[:, d] -= lap
        k, n = np.searchsorted(starts, [i, j])
        ends = np.array([Q[starts[k:n], d], Q[stops[k:n], d]]).T - lap
        intervals = ends[::side, ::side]
        arcs.append(
            Arc(
                q,
                np.ascontiguousarray(side * T[i : j + 1][::side]),
                np.ascontiguousarray(kept[i:j][::side]),
                intervals[intervals[:, 1] > intervals[:, 0]],
                least,
            )
        )
    return arcs
