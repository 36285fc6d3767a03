"""What a posture is judged in: the figure, what it carries, its room, and how it stands now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.analyses.pose.body_bounds import BodyBounds, carriers, idle_arms
from articulata.analyses.pose.support_torques import Bearing
from articulata.domains.comfort.figure_angles import CHEST
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.figure_places import tips_of
from articulata.kinematics.floating_base import BASE, has_floating_base, with_floating_base
from articulata.kinematics.inverse.chain_question import check_rigid
from articulata.kinematics.inverse.targets import (
    POSE,
    At,
    Gaze,
    Target,
    frames,
    kind,
    place_of,
    target,
)
from articulata.kinematics.leonardo_base import BaseDrive, driven
from articulata.kinematics.link import Part
from articulata.kinematics.prepared import tree_table
from articulata.kinematics.skeleton import bones
from articulata.kinematics.statics import Load, Push, Statics

if TYPE_CHECKING:
    from articulata.kernels.chains.iterative_solvers.target_equations import Aim
    from articulata.kernels.chains.iterative_solvers.tree_solver import Tree

FLESH: Final = 0.03
"""m: how far soft parts of a person press into each other, as thighs and belly of who squats do: a
proposal. 0 keeps people from squatting, whose shapes are rigid here."""

SOFT: Final = re.compile(r"([lr]_)?(pelvis|abdomen|thorax|thigh|calf|upper_arm)")
"""Links of people that give."""

ROWS = (3, 6, 5, 2)
"""Equations of each kind of target."""


class Equations(NamedTuple):
    """The targets as the kernels take them, over what moves, and their number of ``rows``."""

    aim: Aim
    rows: int


@dataclass(frozen=True, eq=False)
class Scene:
    """A figure, the ``targets`` of its places, and all that counts besides.

    ``start`` (dof,) is the present posture: joints that do not move stay as in it. ``moving`` names
    joints and chains that may move; () are those that carry a target or a support. ``loads`` and
    ``pushes`` enter torques and balance. ``supports`` are places that rest on the floor.
    ``standing`` keeps the centre of mass over them. With a floating base the figure's supports stay
    where they were: they are targets too, and they bear its weight. ``margin`` (m) is the least
    distance from ``room``, None where neither room nor self counts. ``lean`` (rad) is the most that
    the trunk leans from upright, None where nothing is said. ``at_ease``: people bend back no
    farther than they stand, and idle arms hang.
    """

    figure: Figure
    targets: Mapping[str, Target]
    start: Float64[Array, "dof"]
    moving: tuple[str, ...] = ()
    loads: tuple[Load, ...] = ()
    pushes: tuple[Push, ...] = ()
    gravity: tuple[float, float, float] | None = None
    room: tuple[Obstacle, ...] = ()
    supports: tuple[str, ...] = ()
    standing: bool = False
    margin: float | None = None
    exempt: tuple[tuple[str, str], ...] = ()
    lean: float | None = None
    at_ease: bool = True

    @cached_property
    def columns(self) -> IntArray:
        """The places in ``q`` of the coordinates that may move, (moving,)."""
        figure = self.figure
        if not self.moving:
            carrying = carriers(figure, self.targets)
            carried = np.array([joint.name in carrying for joint in figure.joints])
            return np.flatnonzero(figure.mapping[0][carried].any(axis=0))
        found: set[int] = set()
        for name in self.moving:
            if name in figure.chains:
                found.update(figure.chain_coordinates(name).tolist())
            else:
                found.add(figure.coordinate(name))
        return np.array(sorted(found), np.int64)

    @cached_property
    def moves_all(self) -> bool:
        """Whether nothing is held, so that what moves is a whole posture."""
        return len(self.columns) == len(self.start)

    @cached_property
    def floating(self) -> bool:
        """Whether the base moves, so that the supports bear the weight."""
        return bool(self.supports) and has_floating_base(self.figure)

    @property
    def place(self) -> str:
        """The place that is asked for first: dexterity is that of this one."""
        return next(iter(self.targets))

    @cached_property
    def idle(self) -> tuple[IntArray, IntArray]:
        """Shoulders of arms that hang idly, and the joints of the trunk that they follow."""
        return idle_arms(self) if self.at_ease else (np.empty(0, np.int64),) * 2

    @property
    def eases(self) -> bool:
        """Whether being at ease binds this figure: its back, or arms that hang idly."""
        return self.at_ease and bool(len(self.idle[0]) or (self.body and self.body.eases))

    @cached_property
    def up(self) -> Float64[Array, "3"]:
        """Against gravity, a unit vector."""
        g = None if self.gravity is None else np.array(self.gravity)
        up = self.figure.up if g is None or not g.any() else -g
        return np.asarray(up / np.linalg.norm(up))

    @cached_property
    def lower(self) -> Array:
        """Lower limits of what moves, (moving,)."""
        return self.figure.lower[self.columns]

    @cached_property
    def upper(self) -> Array:
        """Upper limits of what moves, (moving,)."""
        return self.figure.upper[self.columns]

    @cached_property
    def tree(self) -> Tree:
        """The figure as the kernels take it, over what moves; the rest is as in ``start``."""
        table, columns = tree_table(self.figure), self.columns
        number = np.full(self.figure.dof, -1)
        number[columns] = np.arange(len(columns))
        source = np.where(table.source >= 0, number[table.source], -1)
        held = (table.source >= 0) & (source < 0)
        offset = table.offset + np.where(held, table.ratio * self.start[table.source], 0.0)
        return table._replace(source=source, offset=offset, lower=self.lower, upper=self.upper)

    @cached_property
    def asked(self) -> Equations:
        """The targets as equations over what moves."""
        from articulata.kernels.chains.iterative_solvers.target_equations import Aim

        kinds = [kind(wanted) for wanted in self.targets.values()]
        goals = np.stack([frames(wanted) for wanted in self.targets.values()])
        tips = tips_of(self.figure, self.targets, kinds, self.unit)
        return Equations(Aim(self.tree, tips, goals), sum(ROWS[each] for each in kinds))

    @cached_property
    def unit(self) -> float:
        """The length that weighs as much as a radian: about the reach of the figure, m."""
        return float(np.linalg.norm(self.figure.arrays[0][:, :, 3], axis=1).sum()) or 1.0

    @cached_property
    def statics(self) -> Statics:
        """The figure with what it carries; KinematicsError where nothing has a mass."""
        return Statics(self.figure, loads=self.loads, pushes=self.pushes, gravity=self.gravity)

    @cached_property
    def bearing(self) -> Bearing:
        """What holds the figure: its joints, and the floor under its supports."""
        return Bearing(self)

    @cached_property
    def around(self) -> Clash | None:
        """The figure against its room, None without one; an error for a figure without shapes."""
        if not self.room:
            return None
        return Clash(self.figure, self.room, exempt=self.exempt, own=False, shapes=self._shapes)

    @cached_property
    def drive(self) -> BaseDrive | None:
        """What drives Leonardo's plate where it moves, None for others."""
        found = driven(self.figure)
        return found if found and np.isin(found.columns, self.columns).all() else None

    @cached_property
    def body(self) -> BodyBounds | None:
        """What a body does not do although its joints could, None where nothing binds it so."""
        found = BodyBounds(self)
        return found if found.words else None

    @cached_property
    def itself(self) -> Clash:
        """The figure against itself; KinematicsError where the figure has no shapes."""
        return Clash(self.figure, exempt=self._own_exempt, shapes=self._shapes)

    @cached_property
    def _own_exempt(self) -> list[tuple[str, str]]:
        """The exempt pairs of the figure's own parts."""
        inside = {link.name for link in self.figure.links.values()}
        inside |= {*self.figure.names, self.figure.root.name}
        return [pair for pair in self.exempt if set(pair) <= inside]

    @cached_property
    def _shapes(self) -> Mapping[str, Sequence[Part]] | None:
        """Bones, for a figure none of whose links has a shape."""
        links = (*self.figure.links.values(), self.figure.root)
        return (
            None if any(each.collisions or each.visuals for each in links) else bones(self.figure)
        )

    @cached_property
    def clashes(self) -> tuple[tuple[Clash, float], ...]:
        """What has to stay apart, and how far, m: the room ``margin``, the figure from itself."""
        if self.margin is None:
            return ()
        own: tuple[tuple[Clash, float], ...] = ((self.itself, 0.0),)
        if CHEST in self.figure.names:
            links = (*self.figure.links.values(), self.figure.root)
            named = sorted({each.name for each in links if each.collisions or each.visuals})
            pairs = list(combinations(named, 2))
            soft = [pair for pair in pairs if all(SOFT.fullmatch(name) for name in pair)]
            firm = [pair for pair in pairs if pair not in soft]
            if soft:
                own = tuple(
                    (
                        Clash(self.figure, exempt=[*self._own_exempt, *left], shapes=self._shapes),
                        gap,
                    )
                    for left, gap in ((soft, 0.0), (firm, -FLESH))
                )
        return own if self.around is None else ((self.around, self.margin), *own)

    def whole(self, moved: npt.ArrayLike) -> Float64[Array, "m dof"]:
        """Return whole postures of what moves (m, moving): the rest is as in ``start``."""
        given = np.asarray(moved, float)
        if self.moves_all:
            return np.array(given)
        q = np.empty((len(given), len(self.start)))
        q[...] = self.start
        q[:, self.columns] = given
        shoulders, leaning = self.idle
        if len(shoulders):
            lean = (q[:, leaning] - self.start[leaning]).sum(axis=1, keepdims=True)
            low, high = self.figure.lower[shoulders], self.figure.upper[shoulders]
            q[:, shoulders] = np.clip(self.start[shoulders] + lean, low, high)
        return q

    def by_moving(self, slopes: Array) -> Array:
        """Return slopes (*batch, dof) by what moves (*batch, moving): idle shoulders follow."""
        found = slopes[..., self.columns]
        shoulders, leaning = self.idle
        if len(shoulders):
            at = np.searchsorted(self.columns, leaning)
            found[..., at] += slopes[..., shoulders].sum(axis=-1, keepdims=True)
        return found

    def at(self, targets: Mapping[str, Target]) -> Scene:
        """Return the scene with other targets of the same places; what was made of it is kept.

        The targets stay in their order, and the start is a copy: a scene may serve many questions.
        """
        made = object.__new__(Scene)
        held = made.__dict__
        held.update(self.__dict__)
        goals = {name: targets[name] for name in self.targets}
        held["targets"] = MappingProxyType(goals)
        held["start"] = self.start.copy()
        asked: Equations | None = held.pop("asked", None)
        alike = (kind(goals[name]) == kind(given) for name, given in self.targets.items())
        if asked is not None and all(alike):
            now = np.stack([frames(X) for X in goals.values()])
            held["asked"] = asked._replace(aim=asked.aim._replace(goals=now))
        return made


def scene_of(
    figure: Figure,
    targets: Mapping[str, npt.ArrayLike | Target],
    *,
    start: npt.ArrayLike | Mapping[str, float] | None = None,
    moving: Iterable[str] | str = (),
    loads: Iterable[Load] = (),
    pushes: Iterable[Push] = (),
    gravity: npt.ArrayLike | None = None,
    room: Iterable[Obstacle] = (),
    supports: Iterable[str] = (),
    standing: bool = False,
    floating: bool = False,
    margin: float | None = None,
    exempt: Iterable[tuple[str, str]] = (),
    lean: float | None = None,
) -> Scene:
    """Return a scene, everything in it checked; ``floating`` lets the figure's base move."""
    goals = goals_of(figure, targets)
    if floating:
        if not supports:
            raise KinematicsError(
                "a figure whose base moves stands on supports; name the places that stay on the "
                "floor, such as its heels and balls of the feet"
            )
        if start is not None and not isinstance(start, Mapping):
            given = np.asarray(start, float)
            start = np.append(np.zeros(len(BASE)), given) if given.ndim == 1 else given
        figure = with_floating_base(figure)
    posture = start_of(figure, start)
    supports = tuple(supports)
    if floating:
        for name in supports:
            if name in goals:
                raise KinematicsError(f"'{name}' rests on the floor and is a target; give it once")
            goals[name] = At(figure.landmark(posture, name)[:3, 3])
    _check_measures(margin, lean)
    loads, pushes = tuple(loads), tuple(pushes)
    for name in (*(load.place for load in loads), *(push.place for push in pushes)):
        figure.place(name)
    pull = None if gravity is None else tuple(float(each) for each in np.asarray(gravity, float))
    if pull is not None and len(pull) != 3:
        raise KinematicsError(f"gravity is three numbers in m/s^2, not {gravity!r}")
    return Scene(
        figure,
        MappingProxyType(goals),
        posture,
        (moving,) if isinstance(moving, str) else tuple(moving),
        loads,
        pushes,
        None if pull is None else (pull[0], pull[1], pull[2]),
        tuple(room),
        supports,
        standing,
        margin,
        tuple(exempt),
        lean,
    )


def _check_measures(margin: float | None, lean: float | None) -> None:
    if margin is not None and not (np.isfinite(margin) and margin >= 0.0):
        raise KinematicsError(f"the margin to the room is {margin}; give 0 m or more")
    if lean is not None and not 0.0 < lean <= np.pi:
        raise KinematicsError(f"the lean of the trunk is {lean} rad; give more than 0, at most pi")


def goals_of(figure: Figure, targets: Mapping[str, npt.ArrayLike | Target]) -> dict[str, Target]:
    """Return what is asked of each place of a figure; KinematicsError where it is none."""
    if not isinstance(targets, Mapping) or not targets:
        raise KinematicsError(
            "targets map places of the figure to where they are to be, such as "
            "{'right hand': (0.4, 1.1, 0.3)}; give at least one"
        )
    goals: dict[str, Target] = {}
    for name, given in targets.items():
        figure.place(name)
        goals[name] = checked_goal(name, target(given, name))
    return goals


def checked_goal(name: str, wanted: Target) -> Target:
    """Return what is asked of one place; KinematicsError where it is several, or no numbers."""
    X = wanted.X if isinstance(wanted, At) else place_of(wanted)
    pose = kind(wanted) == POSE
    if X.shape != ((4, 4) if pose else (3,)):
        raise KinematicsError(
            f"'{name}' is asked for {X.shape[0]} targets at once; a question of pose has one: a "
            "place (3,) or a pose (4, 4)"
        )
    # plain numbers do not warn of a sum that is too large
    if not sum(map(abs, X.ravel().tolist())) < _BEYOND:
        raise KinematicsError(
            f"the target of '{name}' holds NaN, infinite numbers or such beyond {_BEYOND:g}: "
            f"{X.tolist()}; give metres"
        )
    if pose:
        check_rigid(X[None], place=name)
    return wanted


_BEYOND = 1e100
"""m: what is farther off has a square that is beyond all numbers, or nearly."""


SEEN = 1e-3
"""m: what is nearer to the eye than this cannot be looked at."""


def check_gazes(scene: Scene) -> None:
    """Refuse to look at what the present posture has at the eye itself: it has no direction."""
    for name, wanted in scene.targets.items():
        if not isinstance(wanted, Gaze):
            continue
        eye = scene.figure.landmark(scene.start, name)[:3, 3]
        if np.linalg.norm(place_of(wanted) - eye) < SEEN:
            raise KinematicsError(
                f"what '{name}' looks at is where '{name}' itself is; give a place ahead of it"
            )


def start_of(
    figure: Figure, start: npt.ArrayLike | Mapping[str, float] | None
) -> Float64[Array, "dof"]:
    """Return the present posture, within the limits: the neutral one where none is given."""
    if start is None:
        posture = figure.neutral.copy()
    elif isinstance(start, Mapping):
        posture = figure.vector(start)
    else:
        posture = np.array(start, float)
    if posture.shape != (figure.dof,) or not np.isfinite(posture).all():
        raise KinematicsError(
            f"the start of '{figure.name}' is {figure.dof} finite numbers, rad and m; this has "
            f"shape {posture.shape}"
        )
    return np.clip(posture, figure.lower, figure.upper)
