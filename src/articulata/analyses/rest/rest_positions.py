"""Where a world rests: every balance of its forces that a scatter of starts leads to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from articulata.analyses.rest.linear_model import (
    LinearModel,
    dynamic_model,
    independent,
    left_out,
    linear_model,
    rests,
    standing,
)
from articulata.domains.dynamic.mechanism import COORDINATE, RATE, VELOCITY
from articulata.domains.dynamic.model import DynamicModel
from articulata.domains.dynamic.tangent import Tangent
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.records.state import State
from articulata.world.model import World

SEARCH = 80
"""Steps of a search for one balance at most."""

LONGEST = 0.5
"""Longest step of a search, rad or lengths of the mechanism."""

STRIDE = 0.4
"""Step (rad, lengths) by which a start is walked to, its hinges closed after each."""

ALIKE = 1e-6
"""Rest positions nearer to each other than this (rad, lengths) are one."""

MOST = 256
"""Rest positions from which the search goes on at most."""


@dataclass(frozen=True, slots=True)
class RestPosition:
    """A place where forces balance.

    ``coordinates`` are those of all hinges (rad, m; angles within half a turn), ``energy`` (J) the
    potential energy of weights and springs, ``stability`` "stable", "unstable" or "neutral",
    ``beyond`` the coordinates that pass a limit there. ``linear`` are the small motions about it,
    ``state`` is what ``linearise`` takes.
    """

    coordinates: Mapping[str, float]
    energy: float
    stability: str
    beyond: tuple[str, ...]
    linear: LinearModel
    state: State


@dataclass(frozen=True, slots=True)
class Rest:
    """All rest positions that were found, the lowest energy first.

    ``starts`` were searched from, ``led`` of them to a balance. ``left_out`` says in words what
    the search does not know.
    """

    positions: tuple[RestPosition, ...]
    starts: int
    led: int
    left_out: tuple[str, ...]


def rest(world: World, starts: int = 20, seed: int = 0) -> Rest:
    """Return the positions where ``world`` rests, stable or not.

    ``starts`` places are scattered by ``seed`` over the ways that the hinges leave, without taking
    one apart; from each balance that is new the search goes on with every turning hinge half a turn
    on. A search is Newton's with Levenberg and Marquardt's damping on the forces that do not
    balance, which finds saddles as well as valleys. Of a whole family of neutral positions with one
    energy one is kept. SimulationError where ``starts`` is below 1, ModelError where a motor keeps
    turning.
    """
    if isinstance(starts, bool) or not isinstance(starts, int) or starts < 1:
        raise SimulationError(f"starts is {starts!r}; give a whole number, 1 or more")
    model = dynamic_model(world)
    begin = standing(model)
    turning, rng = model.parts.coordinates.turning, np.random.default_rng(seed)
    widest, loose = np.where(turning, np.pi, begin.length), np.full(begin.basis.shape[1], np.pi)
    waiting = [begin]
    waiting += [
        _followed(begin, rng.uniform(-widest, widest), rng.uniform(-loose, loose))
        for _ in range(starts - 1)
    ]
    found: list[tuple[Tangent, LinearModel]] = []
    tried = led = 0
    while waiting:
        tried += 1
        balance = _balance(waiting.pop(0))
        if balance is None:
            continue
        led += 1
        linear = linear_model(model, balance)
        if any(_same(balance, linear, *other) for other in found):
            continue
        found.append((balance, linear))
        if len(found) <= MOST and balance.basis.shape[1]:
            waiting += _turned(balance)
    positions = [_position(model, *each) for each in found]
    positions.sort(key=lambda each: each.energy)
    return Rest(tuple(positions), tried, led, left_out(model))


def _turned(at: Tangent) -> list[Tangent]:
    """Return where each turning coordinate by itself has made half a turn."""
    of, none = at.parts.coordinates, np.zeros(at.basis.shape[1])
    names, T, _ = independent(at)
    free = np.array([label in names for label in of.labels], bool)
    halves = np.pi * np.eye(len(of))[of.turning & free]
    loose = [at.basis.T @ T[:, k] for k, name in enumerate(names) if ".w" in name[-3:]]
    return [_followed(at, half, none) for half in halves] + [
        _followed(at, np.zeros(len(of)), np.asarray(np.pi * way)) for way in loose
    ]


def _followed(at: Tangent, wished: Array, way: Array) -> Tangent:
    """Return where independent hinge coordinates have changed by ``wished``, if they can.

    ``wished`` is (coordinates,), ``way`` (dof,) leads on along what no hinge coordinate tells.
    """
    names = independent(at)[0]
    free = [k for k, label in enumerate(at.parts.coordinates.labels) if label in names]
    count = int(np.ceil(np.max(np.abs(np.concatenate([wished, way])), initial=STRIDE) / STRIDE))
    share = at.basis @ way / count
    for _ in range(count):
        told = at.coordinate_rows()[free] @ at.basis
        loose = at.basis.T @ share
        change = wished[free] / count - told @ loose
        then = at.moved(at.basis @ (loose + np.linalg.pinv(told, rcond=1e-6) @ change)).closed()
        if then is None:
            break
        at = then
    return at


def _balance(at: Tangent) -> Tangent | None:
    """Return the balance that a search from ``at`` ends in; None where it ends in none."""
    damped, size = 1e-3, float(np.linalg.norm(at.unbalanced))
    for _ in range(SEARCH):
        if size == 0.0:
            return at
        K = at.basis.T @ at.stiffness(at.basis, rough=True)[0]
        left, square = K.T @ at.unbalanced, K.T @ K
        scale = max(float(np.trace(square)), 1e-300)
        better = None
        for _ in range(8):
            hold = damped * scale * min(1.0, size * size / scale)
            step = np.linalg.lstsq(square + hold * np.eye(len(square)), left, rcond=1e-14)[0]
            step *= min(1.0, LONGEST / max(float(np.linalg.norm(step)), 1e-300))
            then = at.moved(at.basis @ step).closed()
            if then is not None and np.linalg.norm(then.unbalanced) < size:
                better = then
                break
            damped = max(damped, 1e-6) * 10.0
        if better is None:
            break
        at, before = better, size
        size, damped = float(np.linalg.norm(at.unbalanced)), damped / 10.0
        if size > 0.999 * before and not rests(at):
            break
    return at if rests(at) else None


def _same(at: Tangent, linear: LinearModel, other: Tangent, known: LinearModel) -> bool:
    """Tell whether two balances are one, or of one family of neutral positions."""
    apart = np.abs(at.motion.positions - other.motion.positions).max(initial=0.0) / at.length
    if max(apart, np.abs(at.motion.R - other.motion.R).max(initial=0.0)) < ALIKE:
        return True
    if not all(any(mode.eigenvalue == 0 for mode in each.modes()) for each in (linear, known)):
        return False
    return bool(np.isclose(at.energy, other.energy, rtol=1e-7, atol=1e-12))


def _position(model: DynamicModel, at: Tangent, linear: LinearModel) -> RestPosition:
    of = at.parts.coordinates
    values = of.values(at.motion.positions, at.motion.R)
    turned = at.arrays[COORDINATE]
    beyond = []
    for k, label in enumerate(of.labels):
        hinge = at.parts.hinges[int(of.hinge[k])]
        place = list(hinge.kind.coordinates).index(label.rpartition(".")[2])
        if place < len(hinge.limits):
            low, high = hinge.limits[place]
            if not low - 1e-9 <= turned[k] <= high + 1e-9:
                beyond.append(label)
    still = np.zeros_like(at.arrays[VELOCITY])
    arrays = {**model.start(), **at.arrays, VELOCITY: still, RATE: still}
    return RestPosition(
        dict(zip(of.labels, values.tolist(), strict=True)),
        at.energy,
        linear.stability,
        tuple(beyond),
        linear,
        State(0.0, arrays, model.world.version),
    )
