"""What a figure does when somebody moves a slider or drags a hand: postures and words, no screen.

A ``Scene`` is a value; each wish gives the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.chain import Chain
from articulata.kinematics.figure import Figure
from articulata.kinematics.inverse.branches import Family
from articulata.kinematics.inverse.recognition import recognise
from articulata.kinematics.joint import FIXED, PRISMATIC

TOLERANCE = 1e-3
"""What counts as met, as a share of the figure's reach, and for orientations rad: a pixel."""

STARTS = 6
"""Searches for one drag: the posture at hand and a few more. A drag asks again at once."""

FINGER = 4
"""Freedoms of the longest finger: chains that part and are longer are arms."""

MOST_TARGETS = 6
"""Targets that are shown unasked."""


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One posture of a closed form: its whole-figure ``q``, its words, whether limits allow it.

    ``family`` is what it belongs to where the arm has a freedom left, such as the swivel of its
    elbow.
    """

    q: Array
    label: str
    within: bool
    family: Family | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A figure in a posture ``q`` (dof,), and what it is asked to reach.

    ``targets`` maps places to poses X_WP (4, 4); ``turned`` says whether their orientation
    counts. ``text`` says in words what cannot be met; ``missed`` maps the places that are off to
    the distance, m. ``branches`` are those of the place dragged last, ``chosen`` the number of the
    one taken last.
    """

    figure: Figure
    q: Array
    targets: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}))
    turned: bool = False
    text: str = ""
    missed: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    branches: tuple[Branch, ...] = ()
    dragged: str = ""
    chosen: int = 0

    @property
    def met(self) -> bool:
        """Whether every target is met."""
        return not self.text


def scene_of(figure: Figure) -> Scene:
    """Return the figure in its neutral posture, with its most useful targets."""
    q = np.clip(figure.neutral, figure.lower, figure.upper)
    return hold(Scene(figure, q), usual_targets(figure))


def usual_targets(figure: Figure) -> tuple[str, ...]:
    """Return the chains' tips that are worth dragging: hands and feet, most joints first.

    A hand is where short chains, the fingers, part; what lies between the base and a hand, and
    the fingers, are left out.
    """
    names: dict[tuple[int, ...], str] = {}
    for name in figure.chains:
        names.setdefault(_moving_path(figure, name), name)
    paths = [path for path in names if path]
    fingers: set[tuple[int, ...]] = set()
    for path in paths:
        longer = [other for other in paths if other[: len(path)] == path != other]
        parting = len({other[len(path)] for other in longer}) > 1
        if parting and all(_freedoms(figure, each[len(path) :]) <= FINGER for each in longer):
            fingers.update(longer)
    kept = [path for path in paths if path not in fingers]
    ends: dict[int, list[tuple[int, ...]]] = {}
    for path in kept:
        if not any(path[-1] in other[:-1] for other in kept):
            ends.setdefault(path[-1], []).append(path)
    # Of the chains with one tip the longest, but one that has branches to show comes first.
    last = [
        max(each, key=lambda path: (has_branches(figure, names[path]), len(path)))
        for each in ends.values()
    ]
    return tuple(names[path] for path in sorted(last, key=len, reverse=True))[:MOST_TARGETS]


def _freedoms(figure: Figure, path: tuple[int, ...]) -> int:
    return sum(figure.joints[number].mimic is None for number in path)


def _moving_path(figure: Figure, chain: str) -> tuple[int, ...]:
    return tuple(n for n in figure.path(chain) if figure.joints[n].kind != FIXED)


def carry(scene: Scene, figure: Figure) -> Scene:
    """Return the scene of the same figure with its base elsewhere; its targets come along."""
    return hold(replace(scene, figure=figure), tuple(scene.targets))


def hold(scene: Scene, places: tuple[str, ...]) -> Scene:
    """Return the scene with targets at ``places``, each where it now is."""
    targets = {name: scene.figure.landmark(scene.q, name) for name in places}
    return replace(
        scene,
        targets=MappingProxyType(targets),
        text="",
        missed=MappingProxyType({}),
        branches=(),
        dragged="",
    )


@lru_cache(maxsize=8)
def reach_of(figure: Figure) -> float:
    """Return how far apart, m, the figure's base and its farthest joint or tip can be at most."""
    reach: list[float] = []
    for joint, parent in zip(figure.joints, figure.parents, strict=True):
        before = 0.0 if parent < 0 else reach[parent]
        travel = max((abs(x) for x in joint.limits if np.isfinite(x)), default=0.0)
        step = float(np.linalg.norm(joint.X_PJ[:3, 3]) + np.linalg.norm(joint.X_JL[:3, 3]))
        reach.append(before + step + (travel if joint.kind == PRISMATIC else 0.0))
    for run in figure.chains.values():
        reach.append(reach[figure.index(run.last)] + float(np.linalg.norm(run.end[:3, 3])))
    return max(reach) or 1.0


def slide(scene: Scene, joint: str, value: float) -> Scene:
    """Return the scene with one joint at ``value`` (rad, m); the targets move along."""
    q = scene.q.copy()
    q[scene.figure.coordinate(joint)] = value
    return take(scene, q)


def take(scene: Scene, q: Array) -> Scene:
    """Return the scene in posture ``q`` (dof,); the targets move along."""
    return hold(replace(scene, q=np.array(q, float)), tuple(scene.targets))


def drag(scene: Scene, place: str, X_WP: Array, *, branches: bool = False) -> Scene:
    """Return the scene with the target of ``place`` at ``X_WP`` (4, 4): the figure follows.

    Where the targets cannot all be met the posture is the nearest one, and ``text`` says why.
    """
    targets = {**scene.targets, place: np.array(X_WP, float)}
    wanted = {name: X if scene.turned else X[:3, 3] for name, X in targets.items()}
    tolerance = TOLERANCE * reach_of(scene.figure)
    answer = scene.figure.inverse(
        wanted, scene.q, tolerance, angle_tolerance=TOLERANCE, starts=STARTS
    )
    found = bool(answer.found)
    missed = {
        name: float(error)
        for name, error in zip(wanted, answer.errors, strict=True)
        if error > tolerance
    }
    after = replace(
        scene,
        q=np.array(answer.q),
        targets=MappingProxyType(targets),
        text="" if found else answer.explain(),
        missed=MappingProxyType({} if found else missed),
        dragged=place,
        branches=(),
    )
    return replace(after, branches=branches_of(after, place)) if branches else after


def branches_of(scene: Scene, place: str) -> tuple[Branch, ...]:
    """Return every posture in which the chain ``place`` has its tip where its target is.

    Empty for chains without a closed form and for targets out of reach.
    """
    figure = scene.figure
    if place not in figure.chains:
        return ()
    X_WT = figure.landmark(scene.q, place)
    if place in scene.targets:
        # A place alone leaves the orientation free: take the one that the hand has now.
        own = scene.targets[place]
        X_WT = own if scene.turned else _moved(X_WT, own)
    try:
        found = _chain(scene, place).all_inverse(X_WT)
    except KinematicsError:
        return ()
    columns = figure.chain_coordinates(place)
    families: dict[int, Family] = {family.branch: family for family in found.families}
    branches = []
    for number, q, label, within in zip(
        found.branch.tolist(), found.q, found.labels, found.within, strict=True
    ):
        whole = scene.q.copy()
        whole[columns] = q
        branches.append(Branch(whole, label, bool(within), families.get(number)))
    return tuple(branches)


def gliding(scene: Scene) -> Family | None:
    """Return the family that the branch taken last belongs to, None where it has none."""
    if not scene.branches:
        return None
    return scene.branches[min(scene.chosen, len(scene.branches) - 1)].family


def glide(scene: Scene, share: float) -> Scene:
    """Return the scene with the arm at a share, 0 to 1, of its family: the hand stays in place."""
    family = gliding(scene)
    if family is None:
        return scene
    q = scene.q.copy()
    q[scene.figure.chain_coordinates(scene.dragged)] = family.postures(family.value(share))
    return replace(scene, q=q)


def has_branches(figure: Figure, chain: str) -> bool:
    """Return whether a closed form of the chain is known."""
    return recognise(figure.chain(chain)) is not None


def _moved(X: Array, other: Array) -> Array:
    """Return the pose ``X`` (4, 4) at the place of ``other`` (4, 4)."""
    Y = X.copy()
    Y[:3, 3] = other[:3, 3]
    return Y


def _chain(scene: Scene, place: str) -> Chain:
    """Return the chain as it stands; one on a base that never moves is made only once."""
    figure = scene.figure
    parent = figure.parents[figure.path(place)[0]]
    while parent >= 0 and figure.joints[parent].kind == FIXED:
        parent = figure.parents[parent]
    return _standing(figure, place) if parent < 0 else figure.chain(place, at=scene.q)


@lru_cache(maxsize=8)
def _standing(figure: Figure, place: str) -> Chain:
    return figure.chain(place)
