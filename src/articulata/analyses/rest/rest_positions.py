"""Where a world rests: every balance of its forces that a scatter of starts leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from articulata.domains.dynamic.couplings import strict
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.elements import Twist
from articulata.domains.dynamic.mechanism import COORDINATE, ORIENTATION, RATE, VELOCITY
from articulata.domains.dynamic.tangent import Tangent
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_conjugate, q_log, q_multiply
from articulata.records.state import State
from articulata.world.model import World

SEARCHES = 300
"""Searches for balances at most, where nothing is said."""

SEARCH = 80
"""Steps of a search for one balance at most."""

LONGEST = 0.5
"""Longest step of a search, rad or lengths of the mechanism."""

ASIDE = 0.02
"""Step (rad, lengths) off a saddle from which energy is followed downhill."""

NEAR = 1e-3
"""Newton step (rad, lengths) from which on a way downhill is left to the search."""

STRIDE = 0.4
"""Step (rad, lengths) by which a start is walked to, its hinges closed after each."""

PASSES = 8
"""Steps at least of half a turn, and from one stable position to another by way of a pass."""

ALIKE = 1e-6
"""Rest positions nearer to each other than this (rad, lengths) are one."""

NEIGHBOURS = 4
"""Stable positions found before to which ways from a new one lead."""

MOST = 256
"""Rest positions from which the search goes on at most."""


@dataclass(frozen=True, slots=True)
class RestPosition:
    """A place where forces balance.

    ``coordinates`` are those of all hinges (rad, m; angles within half a turn, whole turns kept
    where a moment or a gear goes by them), ``energy`` (J) the potential energy of weights and
    springs, ``stability`` "stable", "unstable" or "neutral", ``beyond`` the coordinates that pass
    a limit there. ``linear`` are the small motions about it,
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
    the search does not know. ``once`` are the positions that one search alone has led to: about
    ``once / led`` is the chance that one more search finds a new one (I. J. Good, Biometrika 40,
    1953).
    """

    positions: tuple[RestPosition, ...]
    starts: int
    led: int
    left_out: tuple[str, ...]
    once: int


def rest(
    world: World,
    starts: int = 20,
    seed: int = 0,
    *,
    searches: int = SEARCHES,
    progress: Callable[[int, int], None] | None = None,
) -> Rest:
    """Return the positions where ``world`` rests, stable or not.

    ``starts`` places are scattered by ``seed`` over the ways that the hinges leave, without taking
    one apart; from each balance that is new the search goes on with every turning hinge half a turn
    on, from a saddle downhill both ways, and between two that are stable from the top of a way,
    where a pass is. A search is Newton's with Levenberg and Marquardt's damping on the forces that
    do not balance, which finds saddles as well as valleys; where it finds none it goes on downhill.
    Of a whole family of neutral positions with one energy one is kept. It ends after ``searches``
    at most, which ``left_out`` tells; ``progress(done, total)`` counts them. SimulationError where
    ``starts`` or ``searches`` is below 1, ModelError where a motor keeps turning.
    """
    for name, count in (("starts", starts), ("searches", searches)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise SimulationError(f"{name} is {count!r}; give a whole number, 1 or more")
    model = dynamic_model(world)
    begin = standing(model)
    turning, rng = model.parts.coordinates.turning, np.random.default_rng(seed)
    widest, loose = np.where(turning, np.pi, begin.length), np.full(begin.basis.shape[1], np.pi)
    waiting = [begin]
    waiting += [
        _followed(begin, rng.uniform(-widest, widest), rng.uniform(-loose, loose))[-1]
        for _ in range(starts - 1)
    ]
    found: list[tuple[Tangent, LinearModel]] = []
    seen: list[int] = []
    tried = led = 0
    while waiting and tried < searches:
        if progress is not None:
            progress(tried, min(tried + len(waiting), searches))
        tried += 1
        balanced = balance(waiting.pop(0))
        if balanced is None:
            continue
        led += 1
        known, linear = _known(model, balanced, found)
        if known is not None:
            seen[known] += 1
            continue
        linear = linear or linear_model(model, balanced)
        if len(found) < MOST and balanced.basis.shape[1]:
            waiting += _turned(balanced)
            if linear.stability == "unstable":
                waiting += _fallen(balanced)
            else:
                stable = [each for each, of in found if of.stability != "unstable"]
                waiting += [_passed(balanced, each) for each in stable[-NEIGHBOURS:]]
        found.append((balanced, linear))
        seen.append(1)
    positions = [_position(model, *each) for each in found]
    positions.sort(key=lambda each: each.energy)
    said = left_out(model)
    if waiting:
        more = "more of them may find other positions"
        said = (*said, f"{len(waiting)} places after {searches} searches: {more}")
    return Rest(tuple(positions), tried, led, said, seen.count(1))


def _turned(at: Tangent) -> list[Tangent]:
    """Return where each turning coordinate by itself has made half a turn.

    Those with a moment that goes by their angle turn both ways, since these differ. Bodies that
    move in ways that no coordinate tells, as on balls, turn about each axis of W.
    """
    of, none = at.parts.coordinates, np.zeros(at.basis.shape[1])
    names = independent(at)[0]
    free = np.array([label in names for label in of.labels], bool)
    loose = {name.rpartition(".")[0] for name in names} & set(at.parts.bodies)
    halves = np.pi * np.eye(len(of))
    wound = np.isin(np.arange(len(of)), _wound(at))
    ways = [*halves[of.turning & free], *-halves[wound & free]]
    return [_followed(at, half, none)[-1] for half in ways] + [
        _spun(at, at.parts.index[body], axis) for body in sorted(loose) for axis in np.eye(3)
    ]


def _spun(at: Tangent, body: int, axis: Array) -> Tangent:
    """Return where a body has made half a turn about an axis, the others moved as little as can be.

    It ends early where hinges cannot close.
    """
    for _ in range(PASSES):
        told = at.basis[6 * body + 3 : 6 * body + 6]
        way = np.linalg.pinv(told, rcond=1e-6) @ (np.pi / PASSES * axis)
        then = at.moved(at.basis @ way).closed()
        if then is None:
            break
        at = then
    return at


def _fallen(at: Tangent) -> list[Tangent]:
    """Return where energy is low on both sides of a saddle, along the way that falls most."""
    curvatures, ways = _curvatures(at)
    if not len(curvatures) or curvatures[0] >= 0.0:
        return []
    aside = [at.moved(at.basis @ (by * ways[:, 0])).closed() for by in (ASIDE, -ASIDE)]
    return [_descended(each) for each in aside if each is not None]


def _wound(at: Tangent) -> list[int]:
    """Return the coordinates whose whole turns count."""
    return [
        each.coordinate
        for each in at.elements
        if isinstance(each, Twist) and any(word == "angle" for word, _ in each.force.program)
    ]


def _passed(one: Tangent, other: Tangent) -> Tangent:
    """Return the place of the most energy on a way from one place to another."""
    turn = q_multiply(other.arrays[ORIENTATION], q_conjugate(one.arrays[ORIENTATION]))
    way = (other.motion.positions - one.motion.positions)[: len(turn)] / one.length
    whole = np.hstack([way, q_log(turn)]).ravel() * (one.scales > 0)
    wished = other.arrays[COORDINATE] - one.arrays[COORDINATE]
    turning = one.parts.coordinates.turning.copy()
    turning[_wound(one)] = False
    wished = np.where(turning, (wished + np.pi) % (2 * np.pi) - np.pi, wished)
    return max(_followed(one, wished, one.basis.T @ whole, PASSES), key=lambda each: each.energy)


def _followed(at: Tangent, wished: Array, way: Array, least: int = 1) -> list[Tangent]:
    """Return places on the way on which independent hinge coordinates change by ``wished``.

    ``wished`` is (coordinates,), ``way`` (dof,) leads on along what no hinge coordinate tells. It
    has ``least`` steps or more, and ends early where hinges cannot close.
    """
    names = independent(at)[0]
    free = [k for k, label in enumerate(at.parts.coordinates.labels) if label in names]
    largest = float(np.max(np.abs(np.concatenate([wished, way])), initial=0.0))
    count = max(int(np.ceil(largest / STRIDE)), least)
    share = at.basis @ way / count
    places = [at]
    for _ in range(count):
        told = at.coordinate_rows()[free] @ at.basis
        loose = at.basis.T @ share
        change = wished[free] / count - told @ loose
        then = at.moved(at.basis @ (loose + np.linalg.pinv(told, rcond=1e-6) @ change)).closed()
        if then is None:
            break
        at = then
        places.append(at)
    return places


def balance(at: Tangent) -> Tangent | None:
    """Return the balance that a search from ``at`` ends in; None where it ends in none.

    Where forces have a least sum that is not zero the search goes on where energy falls.
    """
    at = searched(at)
    if not rests(at):
        at = searched(_descended(at))
    return at if rests(at) else None


def _descended(at: Tangent) -> Tangent:
    """Return where energy is low, by Newton steps with curvatures made positive."""
    for _ in range(SEARCH // 2):
        curvatures, ways = _curvatures(at)
        least = 1e-6 * np.max(np.abs(curvatures), initial=0.0)
        least = max(least, 0.1 * float(np.linalg.norm(at.unbalanced)), 1e-300)
        stiff = np.maximum(np.abs(curvatures), least)
        step = ways @ (ways.T @ at.unbalanced / stiff)
        if np.linalg.norm(step) < NEAR:
            break
        step *= min(1.0, LONGEST / max(float(np.linalg.norm(step)), 1e-300))
        for _ in range(8):
            then = at.moved(at.basis @ step).closed()
            if then is not None and then.energy < at.energy:
                break
            step = 0.25 * step
        else:
            break
        at = then
    return at


def _curvatures(at: Tangent) -> tuple[Array, Array]:
    """Return the curvatures of energy along ways at right angles, the lowest first."""
    K = at.basis.T @ at.stiffness(at.basis, rough=True)[0]
    curvatures, ways = np.linalg.eigh(0.5 * (K + K.T))
    return curvatures, ways


def searched(at: Tangent) -> Tangent:
    """Return where the sum of the squares of what does not balance is least, near ``at``."""
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
    return at


def apart(at: Tangent, other: Tangent) -> float:
    """Return how far apart two places are: lengths of the mechanism, or entries of axes."""
    ways = np.abs(at.motion.positions - other.motion.positions).max(initial=0.0) / at.length
    return max(float(ways), float(np.abs(at.motion.R - other.motion.R).max(initial=0.0)))


def _known(
    model: DynamicModel, at: Tangent, found: Sequence[tuple[Tangent, LinearModel]]
) -> tuple[int | None, LinearModel | None]:
    """Return which of ``found`` a balance is, or is of one family of neutral positions with.

    With it stand the small motions, where they had to be looked at.
    """
    linear, energy = None, at.energy
    for number, (other, _) in enumerate(found):
        if apart(at, other) < ALIKE:
            return number, None
    for number, (other, known) in enumerate(found):
        if _neutral(known) and np.isclose(energy, other.energy, rtol=1e-7, atol=1e-12):
            linear = linear or linear_model(model, at)
            if _neutral(linear):
                return number, linear
    return None, linear


def _neutral(linear: LinearModel) -> bool:
    return any(mode.eigenvalue == 0 for mode in linear.modes())


def _position(model: DynamicModel, at: Tangent, linear: LinearModel) -> RestPosition:
    of = at.parts.coordinates
    values = of.values(at.motion.positions, at.motion.R)
    turned = at.arrays[COORDINATE]
    wound = _wound(at)
    tied = {label for each in strict(model.world) for label, _ in each.terms}
    wound += [k for k, label in enumerate(of.labels) if label in tied]
    values[wound] = turned[wound]
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
