"""Hand and arm signals, recognised while somebody moves.

A signal is a motion that begins and ends with the arms hanging. What is compared are directions:
of upper arms, forearms and hands in the trunk's frame, so that size and convention of a figure do
not matter. Between leaving the rest and coming back to it each signal is warped in time onto what
is seen, up to twice as fast or any amount slower (dynamic time warping, Sakoe and Chiba, IEEE
Transactions on Acoustics, Speech and Signal Processing 26, 1978); the mean distance on the best way
decides, and how far behind the others are is the confidence.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from articulata.analyses.track.tracked_person import TrackedBody
from articulata.errors import ModelError
from articulata.geometry.arrays import Array, BoolArray, Float64
from articulata.records.tracking import Recognised

PERIOD = 0.05
"""Seconds between two looks; a signal's fastest part takes four of them."""

RESTING = math.radians(20.0)
"""Arms whose parts all point within this (rad) of hanging are at rest."""

QUIET = 0.3
"""Seconds of rest that end a signal."""

STRANGE = 0.55
"""Mean distance beyond which nothing known was shown: about 30 deg in every direction."""

SHARPNESS = 25.0
"""How quickly confidence goes to the nearest signal as others are farther, per unit distance."""

SHORTEST = 10
"""Looks; whoever leaves the rest for less shows nothing, he twitches."""

SMOOTHING = 0.4
"""Share of a new look in what is compared: steadier than each, 60 ms late."""

HAND_WEIGHT = 0.5
"""How much the hand's axes count beside the directions of the limbs, which are seen farther."""


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """Signals ready to be compared: features (n, f) of each by its name, ``PERIOD`` apart."""

    body: TrackedBody
    templates: Mapping[str, Array]
    rest: Array


@dataclass(frozen=True, slots=True, eq=False)
class Watching:
    """What a recogniser goes on from: distances along each template, and since when.

    It is ``ready`` once the arms have hung: what was half shown before is no signal.
    """

    columns: Mapping[str, Array] = field(default_factory=dict)
    count: int = 0
    next: float = -math.inf
    rested: int = 0
    smooth: Array | None = None
    ready: bool = False


def features(body: TrackedBody, q: Float64[Array, "*batch dof"]) -> Array:
    """Return directions of limbs and axes of hands for postures ``q``, (*batch, arms * 12)."""
    X = body.figure.poses(q)
    parts = []
    for arm in body.arms.each:
        places = [X[..., number, :3, 3] for number in (arm.upper, arm.forearm, arm.hand)]
        for before, after in itertools.pairwise(places):
            way = after - before
            parts.append(way / np.linalg.norm(way, axis=-1, keepdims=True))
        parts += [HAND_WEIGHT * X[..., arm.hand, :3, axis] for axis in (0, 1)]
    return np.concatenate(parts, axis=-1)


def signals(body: TrackedBody, motions: Mapping[str, Array]) -> Signals:
    """Return signals of motions: postures (n, dof), ``PERIOD`` s apart, by name."""
    rest = features(body, body.posture("n_pose"))
    found = {}
    for name, q in motions.items():
        seen = features(body, q)
        moving = np.flatnonzero(~_at_rest(seen, rest))
        if len(moving) == 0:
            raise ModelError(
                f"motion '{name}' moves no arm; a signal leaves the rest and comes back"
            )
        found[name] = seen[moving[0] : moving[-1] + 1]
    return Signals(body, found, rest)


def _at_rest(seen: Array, rest: Array) -> BoolArray:
    """Return whether the limbs of features (*batch, f) hang."""
    limbs = np.array([k for k in range(len(rest)) if k % 12 < 6]).reshape(-1, 3)
    cosines = np.sum(seen[..., limbs] * rest[limbs], axis=-1)
    return np.asarray(np.all(cosines > math.cos(RESTING), axis=-1))


def watch(
    known: Signals, state: Watching, q: Float64[Array, "dof"], time: float
) -> tuple[Watching, Recognised | None]:
    """Return the state after posture ``q`` (dof,) rad at ``time`` (s), and what is seen by then.

    Postures between two looks are left out. None while the arms rest.
    """
    if time < state.next:
        return state, None
    behind = time - state.next > 20.0 * PERIOD
    upcoming = time + PERIOD if behind else state.next + PERIOD
    seen = features(known.body, q)
    if state.smooth is not None and not behind:
        seen = state.smooth + SMOOTHING * (seen - state.smooth)
    if _at_rest(seen, known.rest):
        if state.count == 0:
            return replace(state, next=upcoming, smooth=seen, ready=True), None
        rested = state.rested + 1
        if rested * PERIOD < QUIET:
            return replace(state, next=upcoming, rested=rested, smooth=seen), None
        after = Watching(next=upcoming, smooth=seen, ready=True)
        if state.count < SHORTEST:
            return after, None
        return after, replace(_judged(state, ended=True), time=time)
    if not state.ready:
        return replace(state, next=upcoming, smooth=seen), None
    columns = {
        name: _advanced(state.columns.get(name), np.linalg.norm(template - seen, axis=1))
        for name, template in known.templates.items()
    }
    after = Watching(columns, state.count + 1, upcoming, smooth=seen, ready=True)
    return after, replace(_judged(after, ended=False), time=time)


def _advanced(before: Array | None, cost: Array) -> Array:
    """Return least sums of distances that end at each place of a template."""
    if before is None:
        # a signal may be noticed a little late
        return np.where(np.arange(len(cost)) < 3, cost, np.inf)
    best = before.copy()
    best[1:] = np.minimum(best[1:], before[:-1])
    best[2:] = np.minimum(best[2:], before[:-2])
    return np.asarray(best + cost)


def _judged(state: Watching, *, ended: bool) -> Recognised:
    """Return the nearest signal: where it ended the whole of each counts, before any part."""
    names = list(state.columns)
    distances = np.array(
        [
            (np.min(each[-3:]) if ended else np.min(each)) / state.count
            for each in state.columns.values()
        ]
    )
    nearest = int(np.argmin(distances))
    least = float(distances[nearest])
    if not math.isfinite(least) or least > STRANGE:
        return Recognised("", 0.0, least, ended)
    shares = np.exp(-SHARPNESS * (distances - least))
    return Recognised(names[nearest], float(1.0 / np.sum(shares)), least, ended)


def recognise(known: Signals, times: Array, postures: Sequence[Array] | Array) -> list[Recognised]:
    """Return every signal in postures (n, dof) rad at ``times`` (n,) s, in order of time."""
    state, found = Watching(), []
    for time, q in zip(times, postures, strict=True):
        state, seen = watch(known, state, np.asarray(q), float(time))
        if seen is not None and seen.ended:
            found.append(seen)
    return found
