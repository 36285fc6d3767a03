"""All postures of six joints of which some slide, where elimination cannot tell them.

Arm and pose close a loop of six joints ``J(q1) G1 ... J(q6) G6 = 1`` that is read from any joint
on, forwards or backwards (see ``sliding_loops``):

- three hinges: they alone make the orientation, in two ways, and the slides follow from three
  linear equations;
- four hinges: one, the *driver*, is given; the three others make the orientation. The plane of
  both slides leaves one equation in the driver;
- five hinges of which three neighbours meet: two and the slide carry the common point. One
  of these hinges is the driver; height and distance of the point leave one equation.

Each equation is a sum of cosines and sines of the driver, known exactly from its values around the
circle. Its roots on the circle are angles of the driver; every posture is polished.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.chains.closed_forms.general_6r import Solved
from articulata.kernels.chains.closed_forms.general_6r_elimination import MET, SAME, SLOTS
from articulata.kinematics.inverse.sliding_loops import (
    Loop,
    both_orientations,
    carried_point,
    crossing_slides,
    linear_slides,
    read_loop,
)

GRAIN = 512
"""Poses that are worked on together."""

_SAMPLES = 40
_BEGIN = 0.0371
_ON_CIRCLE = 0.05
_TRIALS = 12
_ROUGH = 0.1
_POLISH = 40
_SINGULAR = 1e-6


@dataclass(frozen=True, slots=True)
class SlidingArm:
    """Six joints made ready.

    ``links`` (7, 3, 4): fixed transforms before joint 1, between joints and behind joint 6,
    lengths in ``unit`` m; ``slides`` (6,). ``loops``: how the loop is read, the best way first.
    """

    links: Array
    unit: float
    slides: BoolArray
    loops: tuple[Loop, ...]


def prepare_sliding(links: Array, unit: float, slides: BoolArray) -> SlidingArm | None:
    """Return the arm of links (7, 3, 4), lengths in ``unit`` m; None where no way leads on.

    Of one slide the arm needs three neighbouring turning joints whose axes meet.
    """
    count = int(slides.sum())
    if not 1 <= count <= 3:
        return None
    loops = [
        loop
        for backwards in (False, True)
        for first in range(6)
        if (loop := read_loop(links, slides, first, backwards=backwards)) is not None
    ]
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (_TRIALS, 6))
    q[:, ~slides] *= math.pi
    X = _tips(links, slides, q)
    ranked: list[tuple[int, int, int, Loop]] = []
    for loop in loops:
        found = _solve(SlidingArm(links, 1.0, slides, (loop,)), X)
        off = np.abs(_apart(found.q, q[:, None], slides)).max(axis=2)
        again = int((np.nan_to_num(off, nan=np.inf).min(axis=1) < SAME).sum())
        if again:
            ranked.append((-again, -int(found.count.sum()), len(ranked), loop))
    kept = tuple(entry[3] for entry in sorted(ranked)[: 1 if count == 3 else 2])
    return SlidingArm(links, unit, slides, kept) if kept else None


def solve_sliding(arm: SlidingArm, targets: Array) -> Solved:
    """Return every posture for each tip pose X_BT (m, 4, 4); NaN poses have none."""
    X = np.array(targets, np.float64)
    X[:, :3, 3] /= arm.unit
    parts = [_solve(arm, X[i : i + GRAIN]) for i in range(0, max(len(X), 1), GRAIN)]
    q, pivot, count, doubt = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("q", "pivot", "count", "doubt")
    )
    q[:, :, arm.slides] *= arm.unit
    return Solved(q, pivot, count, doubt)


def _solve(arm: SlidingArm, X: Array) -> Solved:
    """Return every posture of poses (m, 4, 4), lengths in the arm's unit."""
    m = len(X)
    good = np.flatnonzero(np.isfinite(X).all(axis=(1, 2)))
    poses, postures = [], []
    for loop in arm.loops:
        pose, q = _candidates(loop, X[good])
        poses.append(good[pose])
        postures.append(q)
    pose, q = np.concatenate(poses), np.concatenate(postures)
    near = _miss(arm, q, X[pose])[0] < _ROUGH
    pose, q = pose[near], q[near]
    met = _polish(arm, q, X[pose])
    pose, q = pose[met], q[met]
    q[:, ~arm.slides] = np.remainder(q[:, ~arm.slides] + math.pi, math.tau) - math.pi
    least = np.linalg.svd(_jacobians(arm, q)[1], compute_uv=False)[:, -1]
    out, pivot = np.full((m, SLOTS, 6), np.nan), np.full((m, SLOTS), np.nan)
    count = np.zeros(m, np.int64)
    order = np.lexsort((*q.round(6).T[::-1], pose))
    for k in order.tolist():
        p = int(pose[k])
        n = int(count[p])
        same = SAME if least[k] > _SINGULAR else 1e3 * SAME
        if n == SLOTS or (
            n and (np.abs(_apart(out[p, :n], q[k], arm.slides)).max(axis=1) < same).any()
        ):
            continue
        out[p, n], pivot[p, n], count[p] = q[k], least[k], n + 1
    return Solved(out, pivot, count, count % 2 == 1)


def _candidates(loop: Loop, X: Array) -> tuple[IntArray, Array]:
    """Return postures (n, 6) near all that meet poses (m, 4, 4), and the number of each's pose."""
    G = loop.links_of(X)
    if loop.kind == "three slides":
        found = linear_slides(loop, G)
        pose = np.repeat(np.arange(len(X)), 2)
    else:
        equation = crossing_slides if loop.kind == "two slides" else carried_point
        theta = _BEGIN + math.tau * np.arange(_SAMPLES) / _SAMPLES
        values = equation(loop, G[:, :, None], theta)
        pose, angle = _roots(values)
        found, pose = both_orientations(loop, G[:, pose], angle), np.tile(pose, loop.ways)
    q = np.empty_like(found)
    q[:, loop.order] = -found if loop.backwards else found
    kept = np.isfinite(q).all(axis=1)
    return pose[kept], q[kept]


def _roots(values: Array) -> tuple[IntArray, Array]:
    """Return the angles on the circle, and a little beside, where sums of cosines are zero.

    ``values`` (m, samples) of each sum around the circle; with each angle the number of its sum.
    """
    size = np.abs(values).max(axis=1, initial=0.0)
    values = values / np.where(size > 0.0, size, 1.0)[:, None]
    half = _SAMPLES // 2 - 1
    series = np.fft.fft(values, axis=1) / _SAMPLES
    series = np.concatenate([series[:, -half:], series[:, : half + 1]], axis=1)
    large = np.abs(series).max(axis=0, initial=0.0)
    some = np.flatnonzero(large > 1e-11)
    degree = int(np.abs(some - half).max(initial=0))
    if degree == 0:
        return np.zeros(0, np.int64), np.zeros(0)
    series = series[:, half - degree : half + degree + 1]
    # a leading coefficient that is nothing: its roots are far away
    lead = np.where(np.abs(series[:, -1:]) > 1e-13, series[:, -1:], 1e-13)
    n = 2 * degree
    companion = np.zeros((len(series), n, n), complex)
    companion[:, np.arange(1, n), np.arange(n - 1)] = 1.0
    companion[:, :, -1] = -series[:, :-1] / lead
    z = np.linalg.eigvals(companion)
    with np.errstate(divide="ignore"):
        number, k = np.nonzero(np.abs(np.log(np.abs(z))) < _ON_CIRCLE)
    return number, np.angle(z[number, k]) + _BEGIN


def _apart(a: Array, b: Array, slides: BoolArray) -> Array:
    away = a - b
    turned: Array = np.where(slides, away, away - math.tau * np.round(away / math.tau))
    return turned


def _tips(links: Array, slides: BoolArray, q: Array) -> Array:
    """Return the tip's poses (n, 4, 4) in postures (n, 6)."""
    X = np.tile(np.eye(4), (len(q), 1, 1))
    X[:, :3] = _frames(links, slides, q)[-1]
    return X


def _frames(links: Array, slides: BoolArray, q: Array) -> list[Array]:
    """Return the frames (n, 3, 4) before each joint and of the tip."""
    frames = [np.broadcast_to(links[0], (len(q), 3, 4))]
    for i in range(6):
        F = frames[-1].copy()
        if slides[i]:
            F[:, :, 3] += q[:, i, None] * F[:, :, 2]
        else:
            c, s = np.cos(q[:, i, None]), np.sin(q[:, i, None])
            x, y = F[:, :, 0].copy(), F[:, :, 1].copy()
            F[:, :, 0], F[:, :, 1] = c * x + s * y, c * y - s * x
        out = F[:, :, :3] @ links[i + 1]
        out[:, :, 3] += F[:, :, 3]
        frames.append(out)
    return frames


def _miss(arm: SlidingArm, q: Array, X: Array) -> tuple[Array, Array]:
    """Return how far postures (n, 6) are off their poses, and the steps to them (n, 6)."""
    tip = _frames(arm.links, arm.slides, q)[-1]
    off = np.abs(tip - X[:, :3]).max(axis=(1, 2), initial=0.0)
    turn = 0.5 * np.cross(tip[:, :, :3], X[:, :3, :3], axis=1).sum(axis=2)
    return off, np.concatenate([X[:, :3, 3] - tip[:, :, 3], turn], axis=1)


def _jacobians(arm: SlidingArm, q: Array) -> tuple[Array, Array]:
    """Return the tips (n, 3, 4) and the Jacobians (n, 6, 6), place then turn."""
    frames = _frames(arm.links, arm.slides, q)
    tip = frames[-1]
    J = np.zeros((len(q), 6, 6))
    for i in range(6):
        z = frames[i][:, :, 2]
        if arm.slides[i]:
            J[:, :3, i] = z
        else:
            J[:, :3, i] = np.cross(z, tip[:, :, 3] - frames[i][:, :, 3])
            J[:, 3:, i] = z
    return tip, J


def _polish(arm: SlidingArm, q: Array, X: Array) -> BoolArray:
    """Bring postures (n, 6) to their poses by Newton's method; return which came there."""
    active = np.arange(len(q))
    best = np.full(len(q), np.inf)
    for step in range(_POLISH):
        off, right = _miss(arm, q[active], X[active])
        going = (off > 1e-15) & ((off < 0.7 * best[active]) | (step < 6))
        best[active] = off
        active, right = active[going], right[going]
        if not len(active):
            break
        J = _jacobians(arm, q[active])[1]
        J[:, np.arange(6), np.arange(6)] += 1e-15
        try:
            move = np.linalg.solve(J, right[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            move = np.einsum("nij,nj->ni", np.linalg.pinv(J), right)
        q[active] += np.clip(move, -0.5, 0.5)
    return _miss(arm, q, X)[0] <= MET
