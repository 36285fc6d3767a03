"""The measures behind objectives: numbers of postures (m, dof), with slopes where known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from articulata.analyses.pose.objectives import Objective, Values
from articulata.analyses.pose.pose_scene import Scene
from articulata.analyses.pose.torque_change import on_the_way
from articulata.domains.comfort.arm_relation import arm_relation as relation
from articulata.domains.comfort.body_angles import BodyAngles, PostureScore, WorkConditions
from articulata.domains.comfort.displacement import FORMS, Discomfort
from articulata.domains.comfort.figure_angles import Side, body_angles
from articulata.domains.comfort.lumbar import ACTION_LIMIT, LEVER, LumbarDisc
from articulata.domains.comfort.measured_strength import (
    BY_ANGLE_SOURCE,
    SHIFT,
    Holds,
    published_endurance,
    published_strength,
)
from articulata.domains.comfort.measured_strength import SOURCE as PUBLISHED
from articulata.domains.comfort.reba import reba as score_reba
from articulata.domains.comfort.rula import rula as score_rula
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.figure import Figure
from articulata.kinematics.floating_base import BASE, has_floating_base

SHOULDER_AND_ELBOW = 2.0
"""Weight in discomfort of shoulder and elbow, which matter most (Thomann 2005, 4.1.1); the source
gives no number: a proposal. 1 would weigh all joints alike."""

_GIVEN = "; weights given by joint"

_OF_A_SIDE = re.compile(r"(l|r|left|right)[_ ](shoulder|elbow)")
"""Shoulders and elbows of people, by their names."""

_SHARP = 8
"""Power of the mean that stands for a maximum where a slope is asked for."""

SIDES: tuple[Side, ...] = ("left", "right")

_STEP = 1e-5
"""rad, m: the distance of differences of slopes."""

_SMOOTH = 1e-6
"""rad, m: the kink of a sum of distances is rounded within this when its slope is asked for."""


class Measure(NamedTuple):
    """A name, a unit, ``values`` (m,) of postures (m, dof), and ``slopes`` (m, dof) where known.

    ``bends`` (m, moving, moving) is how the slopes change with what moves, as far as known;
    ``tell`` says more about each posture, ``source`` where its weights or strengths are from.
    """

    name: str
    unit: str
    values: Values
    slopes: Values | None = None
    bends: Values | None = None
    tell: Callable[[Array], list[str]] | None = None
    source: str = ""


def discomfort(objective: Objective, scene: Scene) -> Measure:
    """Return the displacement from the neutral posture, in one of its forms."""
    form = objective.form or "motion"
    weights = objective.by_joint
    figure = scene.figure
    source = f"form {form}{_GIVEN if weights else ''}"
    if weights is None:
        names = [name for name in figure.names if _OF_A_SIDE.match(name)]
        weights = dict.fromkeys(names, SHOULDER_AND_ELBOW)
        if names:
            source += f"; shoulder and elbow weigh {SHOULDER_AND_ELBOW:g}, a proposal"
    if has_floating_base(figure):
        weights = {**dict.fromkeys(BASE, 0.0), **weights}
    _check_any(np.array([weights.get(figure.names[i], 1.0) for i in scene.columns]), "discomfort")
    # an arm that hangs is at rest, wherever the trunk leans
    weights = {**weights, **dict.fromkeys([figure.names[i] for i in scene.idle[0]], 0.0)}
    known = next((each for each in FORMS if each == form), None)
    if known is None:
        raise KinematicsError(f"discomfort comes as {', '.join(FORMS)}; there is no '{form}'")
    if form == "barrier":
        # a joint that rests at its limit and does not move would make every posture endless
        moving = {figure.names[column] for column in scene.columns}
        weights = {name: weights.get(name, 1.0) * (name in moving) for name in figure.names}
    made = Discomfort(known, dict(weights))
    unit = {"sum": "rad", "square": "rad^2"}.get(form, "1")

    def slopes(q: Array) -> Array:
        if form != "sum":
            return made.gradient(figure, q)
        w = np.ones(figure.dof)
        for name, weight in made.weights.items():
            w[figure.names.index(name)] = weight
        away = q - figure.neutral
        return np.asarray(w * away / np.sqrt(away * away + _SMOOTH * _SMOOTH))

    def bends(q: Array) -> Array:
        # each joint's part depends on that joint alone; a sum of sizes has kinks and no bend
        n = len(scene.columns)
        found = np.zeros((len(q), n * n))
        if form != "sum":
            inward = np.where(q + _STEP > figure.upper, -_STEP, _STEP)
            with np.errstate(invalid="ignore"):
                change = ((slopes(q + inward) - slopes(q)) / inward)[:, scene.columns]
            found[:, :: n + 1] = np.where(np.isfinite(change), change, 0.0)
        return found.reshape(len(q), n, n)

    return Measure("discomfort", unit, made.measuring(figure), slopes, bends, source=source)


def displacement(objective: Objective, scene: Scene) -> Measure:
    """Return how far a posture is from the present one."""
    start = scene.start

    def values(q: Array) -> Array:
        return np.asarray(np.linalg.norm(q - start, axis=1))

    def slopes(q: Array) -> Array:
        away = q - start
        size = np.linalg.norm(away, axis=1, keepdims=True)
        return np.asarray(away / np.maximum(size, _SMOOTH))

    def bends(q: Array) -> Array:
        size = np.maximum(np.linalg.norm(q - start, axis=1), _SMOOTH)[:, None, None]
        u = slopes(q)[:, scene.columns]
        return np.asarray((np.eye(u.shape[1]) - u[:, :, None] * u[:, None]) / size)

    return Measure("displacement", "rad", values, slopes, bends)


def _weights(objective: Objective, scene: Scene) -> Array:
    w = np.ones(scene.figure.dof)
    if has_floating_base(scene.figure):
        w[: len(BASE)] = 0.0
    for name, weight in (objective.by_joint or {}).items():
        if not (np.isfinite(weight) and weight >= 0.0):
            raise KinematicsError(f"the weight of '{name}' is {weight}; give 0 or more")
        w[scene.figure.coordinate(name)] = weight
    _check_any(w, objective.kind)
    return w


def _check_any(weights: Array, name: str) -> None:
    """Refuse weights by joint that are all zero: every posture would be as good as any other."""
    if not weights.any():
        raise KinematicsError(
            f"the weights of {name} are 0 for all joints; give one of them more than 0"
        )


def torque(objective: Objective, scene: Scene) -> Measure:
    """Return the root of the squared torques that hold the posture."""
    bearing, w = scene.bearing, _weights(objective, scene)

    def values(q: Array) -> Array:
        tau = bearing.torques(q)
        return np.asarray(np.sqrt((w * tau * tau).sum(axis=1)))

    def slopes(q: Array) -> Array:
        tau, H = bearing.torques(q), bearing.gradient(q)
        size = np.sqrt((w * tau * tau).sum(axis=1))[:, None]
        return np.asarray(((w * tau)[:, None] @ H)[:, 0] / np.maximum(size, 1e-12))

    def bends(q: Array) -> Array:
        columns = scene.columns
        tau, H = bearing.torques(q), bearing.gradient(q)[:, :, columns]
        size = np.maximum(np.sqrt((w * tau * tau).sum(axis=1)), 1e-12)[:, None, None]
        g = ((w * tau)[:, None] @ H)[:, 0] / size[:, 0]
        square = H.transpose(0, 2, 1) @ (w[:, None] * H)
        square += bearing.bends(q, w * tau)[:, columns[:, None], columns]
        square -= g[:, :, None] * g[:, None]
        square /= size
        return np.asarray(square)

    source = _GIVEN[2:] if objective.by_joint else ""
    return Measure("torque", "N m", values, slopes, bends, source=source)


def strengths(given: Mapping[str, float] | None, scene: Scene) -> Holds:
    """Return the torque that each joint can hold: given, that of its motor, or published."""
    figure = scene.figure
    best, rate, angle = published_strength(figure)
    motors = _motors(figure, best)
    rate = np.where(np.isfinite(motors), 0.0, rate)
    best = np.minimum(motors, best)
    for name, value in (given or {}).items():
        if not value > 0.0:
            raise KinematicsError(f"the strength of '{name}' is {value}; give N m (N), more than 0")
        number = figure.coordinate(name)
        best[:, number], rate[:, number] = value, 0.0
    if not np.isfinite(best[0, scene.columns]).any():
        raise KinematicsError(
            f"no joint of '{figure.name}' has a known strength; give them by joint in N m, as "
            f"{{'{figure.names[int(scene.columns[-1])]}': 10.0}}"
        )
    return Holds(best, rate, angle)


def _motors(figure: Figure, published: Array) -> Array:
    """Return the effort of each joint's motor (N m); people are as strong as is published."""
    if np.isfinite(published).any():
        return np.full(len(figure.free), np.inf)
    return figure.efforts


def _held_by(objective: Objective, scene: Scene) -> str:
    """Return where the strengths of what moves are from."""
    figure = scene.figure
    moving = scene.columns
    known = published_strength(figure)
    motors = _motors(figure, known.best)[moving]
    published = np.isfinite(known.best[0, moving])
    by_angle = known.rate[0, moving] > 0.0
    of = {
        "given by joint": bool(objective.by_joint),
        "motors": bool(np.isfinite(motors).any()),
        PUBLISHED: bool((published & ~by_angle).any()),
        BY_ANGLE_SOURCE: bool(by_angle.any()),
    }
    return ", ".join(name for name, known in of.items() if known)


def _shares(objective: Objective, scene: Scene) -> Callable[[Array], tuple[Array, Array, Array]]:
    bearing = scene.bearing
    holds = strengths(objective.by_joint, scene)

    def shares(q: Array) -> tuple[Array, Array, Array]:
        # the shares, and how they change with each torque and with each joint's own angle
        tau = bearing.torques(q)
        most, change = holds.at(q, tau > 0.0)
        share = np.abs(tau) / most
        with np.errstate(invalid="ignore"):
            own = np.where(change != 0.0, -share * change / most, 0.0)
        return share, np.sign(tau) / most, own

    return shares


def strength(objective: Objective, scene: Scene) -> Measure:
    """Return the largest share of a joint's strength that holding still takes."""
    bearing, shares = scene.bearing, _shares(objective, scene)

    def values(q: Array) -> Array:
        return np.asarray(shares(q)[0].max(axis=1))

    def slopes(q: Array) -> Array:
        share, by_torque, own = shares(q)
        top = np.maximum(share.max(axis=1, keepdims=True), 1e-12)
        part = (share / top) ** (_SHARP - 1)
        part /= ((share / top) ** _SHARP).sum(axis=1, keepdims=True) ** (1.0 - 1.0 / _SHARP)
        found = np.einsum("mi,mij->mj", part * by_torque, bearing.gradient(q))
        return np.asarray(found + part * own)

    laws, names = published_endurance(scene.figure), scene.figure.names

    def tell(q: Array) -> list[str]:
        found = shares(q)[0]
        most = [f"{names[int(e.argmax())]} takes {e.max():.0%} of its strength" for e in found]
        if not np.isfinite(laws.first[scene.columns]).any():
            return most
        return [
            f"{each}; {tires}" for each, tires in zip(most, laws.tell(names, found), strict=True)
        ]

    return Measure("strength", "1", values, slopes, None, tell, _held_by(objective, scene))


def endurance(objective: Objective, scene: Scene) -> Measure:
    """Return for how long the posture can be held, s: until the first joint tires."""
    bearing, shares = scene.bearing, _shares(objective, scene)
    laws = published_endurance(scene.figure)
    if not np.isfinite(laws.first[scene.columns]).any():
        raise KinematicsError(
            f"no joint of '{scene.figure.name}' that moves has a known endurance; it was measured "
            "of people, whose joints have H-Anim names"
        )

    def values(q: Array) -> Array:
        return np.asarray(np.minimum(laws.held(shares(q)[0]).min(axis=1), SHIFT))

    def slopes(q: Array) -> Array:
        share, by_torque, own = shares(q)
        with np.errstate(invalid="ignore", divide="ignore"):
            time = laws.first * share**laws.power
            change = np.where(time < SHIFT, laws.power * time / share, 0.0)
        part = (np.minimum(time.min(axis=1, keepdims=True), SHIFT) / time) ** _SHARP
        part *= change / part.sum(axis=1, keepdims=True)
        found = np.einsum("mi,mij->mj", part * by_torque, bearing.gradient(q))
        return np.asarray(found + part * own)

    def tell(q: Array) -> list[str]:
        return laws.tell(scene.figure.names, shares(q)[0])

    return Measure("endurance", "s", values, slopes, None, tell, _held_by(objective, scene))


def _lift(scene: Scene) -> tuple[Values, Values]:
    statics = scene.statics
    before = float(statics.energy(scene.start))
    weight = statics.mass * statics.gravity

    def values(q: Array) -> Array:
        return np.asarray(statics.energy(q) - before)

    def slopes(q: Array) -> Array:
        return np.asarray(-np.einsum("a,maj->mj", weight, statics.center_jacobian(q)))

    return values, slopes


def energy(objective: Objective, scene: Scene) -> Measure:
    """Return the potential energy above that of the present posture."""

    def bends(q: Array) -> Array:
        columns = scene.columns
        return np.asarray(scene.statics.torque_gradient(q)[:, columns[:, None], columns])

    return Measure("energy", "J", *_lift(scene), None if scene.pushes else bends)


def energy_change(objective: Objective, scene: Scene) -> Measure:
    """Return the size of the change of potential energy from the present posture."""
    values, slopes = _lift(scene)
    return Measure(
        "energy change",
        "J",
        lambda q: np.abs(values(q)),
        lambda q: np.sign(values(q))[:, None] * slopes(q),
    )


# ---- room and balance


def clearance(objective: Objective, scene: Scene) -> Measure:
    """Return the distance to the room, without a room that of the figure to itself."""
    clash = scene.itself if scene.around is None else scene.around

    def slopes(q: Array) -> Array:
        found = clash.clearances(q, gradient=True).gradient
        assert found is not None
        return found

    return Measure("clearance", "m", clash.distance, slopes)


def balance(objective: Objective, scene: Scene) -> Measure:
    """Return how far inside its supports the centre of mass stands."""
    if not scene.supports:
        raise KinematicsError(
            "balance needs supports: places that rest on the floor, such as the corners of the feet"
        )
    statics, supports = scene.statics, scene.supports
    return Measure(
        "balance",
        "m",
        lambda q: statics.balance(q, supports).margin,
        lambda q: statics.balance(q, supports).gradient,
    )


def lumbar_load(objective: Objective, scene: Scene) -> Measure:
    """Return the compression of the disc L5/S1, N, by one equivalent muscle."""
    disc = LumbarDisc(
        scene.figure,
        loads=scene.loads,
        pushes=scene.pushes,
        gravity=None if scene.gravity is None else np.array(scene.gravity),
    )

    def tell(q: Array) -> list[str]:
        found = disc.loads(q)
        return [
            f"L5/S1 is pressed by {round(press, -1):.0f} N (NIOSH 1981: {ACTION_LIMIT:.0f} N at "
            f"most), sheared by {round(shear, -1):.0f} N"
            for press, shear in zip(found.compression, found.shear, strict=True)
        ]

    return Measure(
        "lumbar load",
        "N",
        lambda q: disc.loads(q).compression,
        lambda q: disc.loads(q).slopes,
        None,
        tell,
        f"one muscle with a lever of {100.0 * LEVER:g} cm; NIOSH 1981 allows {ACTION_LIMIT:g} N",
    )


def rula(objective: Objective, scene: Scene) -> Measure:
    """Return the grand score of RULA, with what is carried as the load."""
    return _scored("rula", score_rula, objective, scene)


def reba(objective: Objective, scene: Scene) -> Measure:
    """Return the score of REBA, with what is carried as the load."""
    return _scored("reba", score_reba, objective, scene)


def arm_relation(objective: Objective, scene: Scene) -> Measure:
    """Return how far the arm of a side is off the relation of Soechting and Flanders, rad."""
    figure, side = scene.figure, _side(objective)
    relation(figure, scene.start, side)
    return Measure(_sided("arm relation", side), "rad", lambda q: relation(figure, q, side))


def torque_change(objective: Objective, scene: Scene) -> Measure:
    """Return how much torques change on the way from the present posture, N m/s."""
    return Measure("torque change", "N m/s", lambda q: on_the_way(scene, q))


def _side(objective: Objective) -> Side:
    side = next((each for each in SIDES if each == objective.side), None)
    if side is None:
        raise KinematicsError(f"a side is 'left' or 'right', not {objective.side!r}")
    return side


def _sided(name: str, side: Side) -> str:
    """Return what is said of the left beside what is said of the right."""
    return f"{name} left" if side == "left" else name


def _scored(
    name: str,
    scale: Callable[[BodyAngles, WorkConditions], PostureScore],
    objective: Objective,
    scene: Scene,
) -> Measure:
    figure, side = scene.figure, _side(objective)
    work = objective.work
    if not work.load:
        work = replace(work, load=sum(load.mass for load in scene.loads))
    pull = np.zeros(3) if scene.gravity is None else np.array(scene.gravity)
    up = -pull if pull.any() else None
    body_angles(figure, scene.start, side, up)

    def values(q: Array) -> Array:
        return np.asarray(scale(body_angles(figure, q, side, up), work).score, float)

    # a score is a staircase: it has no slope that would lead anywhere
    n = len(scene.columns)
    return Measure(
        _sided(name, side), "score", values, np.zeros_like, lambda q: np.zeros((len(q), n, n))
    )


def _numbers(given: object, name: str) -> Array:
    found = np.asarray(given)
    if found.dtype.kind not in "biuf":
        raise KinematicsError(
            f"objective '{name}' returns real numbers, one a posture; it returned {found.dtype}"
        )
    return found.astype(float)


def own(objective: Objective, scene: Scene) -> Measure:
    """Return a measure of the user's own; a number that is none is an error that says where."""
    of, name, figure = objective.of, objective.kind, scene.figure
    assert of is not None

    def values(q: Float64[Array, "m dof"]) -> Array:
        found = _numbers(of(q.copy()), name)  # what a function does to its postures stays there
        if found.shape != (len(q),):
            raise KinematicsError(
                f"objective '{name}' takes postures (m, dof) and returns m numbers; for {len(q)} "
                f"postures it returned shape {found.shape}"
            )
        if np.isnan(found).any():
            at = int(np.flatnonzero(np.isnan(found))[0])
            moved = {figure.names[i]: round(float(q[at, i]), 4) for i in scene.columns}
            raise KinematicsError(
                f"objective '{name}' is not a number (NaN) in the posture {moved}, the rest as at "
                "the start; let it return a finite number in every posture within the limits, or "
                "inf to exclude one"
            )
        return found

    return Measure(name, objective.unit, values)
