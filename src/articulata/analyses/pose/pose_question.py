"""``art.pose``: the question put together, and its answer at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.analyses.pose.aims import bound
from articulata.analyses.pose.constraints import lacking, residuals_and_jacobian
from articulata.analyses.pose.descending import BELOW, Norm
from articulata.analyses.pose.dominance import knee, undominated
from articulata.analyses.pose.evolving import StrengthPareto, evolve
from articulata.analyses.pose.families import Arm, arm_of
from articulata.analyses.pose.front_search import Found, Told, stages
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.objectives import Objective
from articulata.analyses.pose.pose_follower import PoseFollower
from articulata.analyses.pose.pose_scene import Scene, check_gazes, goals_of, scene_of, start_of
from articulata.analyses.pose.pose_wording import asked_words, binding, reason_for
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.clash import Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.inverse.targets import At, Target
from articulata.kinematics.statics import Load, Push
from articulata.records.posture_fronts import Details, Evolution, Front
from articulata.world.requests.request import Request
from articulata.world.writing.worlds import art_text

if TYPE_CHECKING:
    from articulata.analyses.pose.pose_request import Asked

DISCOMFORT = (Objective("discomfort"),)

Choice: TypeAlias = str | Mapping[str, float] | tuple[str, ...]
"""How one posture of a front is taken: "knee", "weights", weights by aim, aims in their order."""

POINTS = 300
"""Postures of a front where no other number is asked for."""


class Isolated(NamedTuple):
    """Every posture for a target: ``q`` (n, dof), the aims' ``values`` (n, k) to be kept low."""

    q: Array
    values: Array
    labels: tuple[str, ...]


class PoseSearch:
    """A question of pose under way. Iterate it for ever better fronts, or take ``final()``.

    ``best`` is the front so far; it asks for a first one where there is none yet.
    """

    def __init__(
        self,
        judging: Judging,
        points: int,
        choose: Choice = "knee",
        room: tuple[str, str] = ("", ""),
    ) -> None:
        check_gazes(judging.scene)
        self.judging = judging
        self._choose = choose
        self._room = room
        self._points = points
        self._stages = stages(judging, points)
        self._told: Told | None = None
        self._front: Front | None = None
        self._done = False

    def __iter__(self) -> Iterator[Front]:
        while self._step():
            yield self.best

    @property
    def done(self) -> bool:
        """Whether the search has come to its end."""
        return self._done

    @property
    def best(self) -> Front:
        """The front as it is known so far."""
        if self._told is None:
            self._step()
        if self._front is None:
            assert self._told is not None
            self._front = chosen(front_of(self.judging, self._told(), self._room), self._choose)
        return self._front

    def final(self) -> Front:
        """Return the front when the search has come to its end."""
        while self._step():
            pass
        return self.best

    def every(self, X_WP: npt.ArrayLike) -> Isolated:
        """Return every posture for another place or pose, where these are isolated.

        By the closed form and nothing else: for a planar arm it takes microseconds. KinematicsError
        where the figure has none, or is redundant.
        """
        scene = self.judging.scene
        arm = self._arm
        family = None if arm is None else arm.family_of(At(X_WP))
        if family is None or family.points is None:
            raise KinematicsError(
                f"the postures of '{scene.figure.name}' for this target are not isolated, or have "
                "no closed form; ask art.pose for their front"
            )
        if not len(family.points):
            return Isolated(
                np.empty((0, scene.figure.dof)), np.empty((0, len(self.judging.aims))), ()
            )
        return Isolated(
            scene.whole(family.points), self.judging.values(family.points), family.labels
        )

    @cached_property
    def _arm(self) -> Arm | None:
        return arm_of(self.judging.scene)

    def evolved(
        self,
        method: StrengthPareto | None = None,
        *,
        generations: int = 60,
        seed: int = 0,
        start: npt.ArrayLike | Evolution | None = None,
    ) -> Evolution:
        """Return what an evolution as that of 2005 makes of the same question.

        ``start`` (n, dof) are postures to begin with, the rest of the population is random; or
        another evolution, whose population is carried over, such as that of a target that moved.
        """
        begin = None
        if isinstance(start, Evolution):
            begin = start.variables
            if start.variables.shape[1] != len(self.judging.scene.columns):
                raise KinematicsError(
                    f"an evolution of {start.variables.shape[1]} joints cannot be carried over to "
                    f"{len(self.judging.scene.columns)}"
                )
        elif start is not None:
            begin = np.atleast_2d(np.asarray(start, float))[:, self.judging.scene.columns]
        return evolve(self.judging, method, generations=generations, seed=seed, start=begin)

    def follower(self, number: int | None = None) -> PoseFollower:
        """Return what follows the targets as they move, from a posture of the front on.

        ``number`` None takes the chosen one. It keeps to the weights that make this posture the
        best of its front.
        """
        front = self.final() if number is None else self.final().by_hand(number)
        if not front.found:
            raise KinematicsError(f"there is no posture to follow from. {front.reason}")
        costs = front.costs
        low, span = costs.min(axis=0), np.ptp(costs, axis=0)
        span = np.where(span > 1e-9 * np.abs(low), span, np.maximum(np.abs(low), 1e-9))
        # a power mean is least where its parts are alike
        weights = 1.0 / ((costs[front.chosen] - low) / span + BELOW)
        norm = Norm(low, span, (weights / weights.sum())[None])
        return PoseFollower(self.judging, front.posture, norm)

    def _step(self) -> bool:
        if self._done:
            return False
        told = next(self._stages, None)
        scene = self.judging.scene
        if told is None and scene.eases and self._told is not None and not len(self._told().x):
            # what cannot be reached at ease is reached as it can
            self.judging = replace(self.judging, scene=replace(scene, at_ease=False))
            self._stages = stages(self.judging, self._points)
            told = next(self._stages, None)
        if told is None:
            self._done = True
            return False
        self._told, self._front = told, None
        return True


def pose(
    asked: Figure | Request,
    targets: Mapping[str, npt.ArrayLike | Target] | None = None,
    *,
    objectives: Iterable[Objective] = DISCOMFORT,
    start: npt.ArrayLike | Mapping[str, float] | None = None,
    moving: Iterable[str] | str = (),
    loads: Iterable[Load] = (),
    pushes: Iterable[Push] = (),
    gravity: npt.ArrayLike | None = None,
    room: Iterable[Obstacle] = (),
    exempt: Iterable[tuple[str, str]] = (),
    clear: float | None = None,
    lean: float | None = None,
    supports: Iterable[str] = (),
    standing: bool = False,
    floating: bool = False,
    choose: Choice | None = None,
    points: int = POINTS,
) -> PoseSearch:
    """Ask which postures of a figure bring its places to ``targets`` and are best.

    ``targets`` are as those of ``Figure.inverse``, one set. ``start`` is the present posture: the
    joints that do not move stay so, changes count from it. ``moving`` names joints and chains that
    may move, those that carry a target where none is named. ``clear`` (m) keeps postures so far
    from ``room``, and the figure off itself; ``exempt`` leaves pairs out. ``lean`` (rad) is
    the most that the trunk leans from upright. ``supports`` are places
    that rest on the floor; ``standing`` keeps the centre of mass over them; with ``floating`` the
    base of the figure moves, the supports stay where they are and bear the weight. ``choose`` is
    "knee", "weights", weights by the names of aims, or a tuple of these names in their order of
    importance. The answer has at most ``points`` postures.

    A ``Request`` of a text says all of it; ``choose`` and ``points`` alone are taken from here.
    """
    if isinstance(asked, Request):
        from articulata.analyses.pose.pose_request import asked_of

        return search_of(asked_of(asked), choose=choose, points=points)
    if targets is None:
        raise KinematicsError(
            "art.pose takes a figure and its targets, such as {'right hand': (0.4, 1.1, 0.3)}, or "
            "a request of a text"
        )
    how = "knee" if choose is None else choose
    wanted = _objectives(objectives)
    count = checked_points(points)
    if room or exempt or supports or standing or floating or lean is not None or clear is not None:
        scene = scene_of(
            asked,
            targets,
            start=start,
            moving=moving,
            loads=loads,
            pushes=pushes,
            gravity=gravity,
            room=room,
            supports=supports,
            standing=standing,
            floating=floating,
            margin=clear,
            exempt=exempt,
            lean=lean,
        )
        return PoseSearch(judging_of(scene, wanted), count, how)
    goals = goals_of(asked, targets)
    given = (
        asked,
        tuple(goals),
        None if start is None else start_of(asked, start).tobytes(),
        (moving,) if isinstance(moving, str) else tuple(moving),
        tuple(loads),
        tuple(pushes),
        None if gravity is None else tuple(np.asarray(gravity, float).tolist()),
        wanted,
    )
    # weights by joint may be changed, and functions that say they are equal need not be
    own = any(each.of is not None or each.by_joint is not None for each in wanted)
    ready = (_made_ready if own else _ready)(*given)
    return PoseSearch(ready.at(goals), count, how)


def _made_ready(
    figure: Figure,
    places: tuple[str, ...],
    start: bytes | None,
    moving: tuple[str, ...],
    loads: tuple[Load, ...],
    pushes: tuple[Push, ...],
    gravity: tuple[float, ...] | None,
    objectives: tuple[Objective, ...],
) -> Judging:
    """Return a question without room and supports, its targets still to be put in."""
    scene = scene_of(
        figure,
        dict.fromkeys(places, At(np.zeros(3))),
        start=None if start is None else np.frombuffer(start),
        moving=moving,
        loads=loads,
        pushes=pushes,
        gravity=gravity,
    )
    found = judging_of(scene, objectives)
    _ = (
        scene.drive,
        scene.body,
        scene.moves_all,
        found.labels,
        found.units,
    )  # made once, for every answer
    for shared in (scene.columns, found.signs):
        shared.setflags(write=False)
    return found


_ready = lru_cache(maxsize=16)(_made_ready)


def search_of(asked: Asked, *, choose: Choice | None = None, points: int = POINTS) -> PoseSearch:
    """Return the search for what a request asks; its fronts know their world."""
    judging = judging_of(asked.scene, asked.objectives)
    how = asked.choose if choose is None else choose
    room = (art_text(asked.world), asked.component)
    return PoseSearch(judging, checked_points(points), how, room)


def begun(request: Request) -> None:
    """Raise what a request to pose is refused for before anything is searched."""
    from articulata.analyses.pose.pose_request import asked_of

    asked = asked_of(request)
    judging_of(asked.scene, asked.objectives)


def judging_of(scene: Scene, objectives: Iterable[Objective]) -> Judging:
    """Return the scene with its objectives bound; errors say what is missing."""
    wanted = _objectives(objectives)
    if not wanted:
        raise KinematicsError("a posture is chosen by objectives; give at least one")
    if not any(each.weight > 0.0 for each in wanted):
        raise KinematicsError("the weights of all objectives are 0; give one of them more than 0")
    aims = tuple(bound(each, scene) for each in wanted)
    names = [aim.name for aim in aims]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise KinematicsError(f"objective '{name}' is given twice; give it once")
    if not len(scene.columns):
        raise KinematicsError(
            f"nothing that moves carries '{scene.place}' of '{scene.figure.name}'; name a place "
            "on a joint's link, or joints to move"
        )
    return Judging(scene, aims)


def _objectives(given: Iterable[Objective]) -> tuple[Objective, ...]:
    found = tuple(given)
    for each in found:
        if not isinstance(each, Objective):
            raise KinematicsError(
                f"{each!r} is no objective; write art.Objective('discomfort') or art.Objective("
                "'mine', of=function)"
            )
    return found


def checked_points(points: int) -> int:
    """Return a number of postures; KinematicsError where it is none."""
    if not (1 <= points <= 100_000 and points == int(points)):
        raise KinematicsError(f"a front has 1 to 100000 postures, not {points}")
    return int(points)


def front_of(judging: Judging, found: Found, room: tuple[str, str] = ("", "")) -> Front:
    """Return what was found as a front with the knee chosen; nothing found is told with reasons.

    ``room`` is the text of the world and whose posture it is.
    """
    scene, signs = judging.scene, judging.signs
    x, values, words, reason = found.x, found.values, found.labels, ""
    if not len(x):
        near, reason = reason_for(judging, found.known)
        x, words = near[None], ("",)
        values = judging.values(x)
    if len(x) > 1:
        order = values[:, 0].argsort(kind="stable")
        x, values = x[order], values[order]
        words = tuple([words[i] for i in order.tolist()])
    dominated = ~undominated(values) if found.isolated else np.zeros(len(x), np.bool_)
    if dominated.any():
        good = (~dominated).nonzero()[0]
        middle = int(good[knee(values[good])])
    else:
        middle = knee(values)
    q, told = scene.whole(x), values * signs
    figure = scene.figure
    return Front(
        figure.name,
        figure.names,
        judging.units,
        q,
        judging.labels,
        told,
        middle,
        "the only one" if len(x) == 1 else "knee",
        middle,
        np.minimum.reduce(values) * signs,
        dominated,
        words,
        not reason,
        reason,
        found.method,
        found.image * signs,
        scene.start.copy(),
        _Later(partial(_details, judging, x, middle, found.isolated, bool(reason))),
        *room,
    )


class _Later:
    """Details that are worked out when they are first asked for, and kept."""

    __slots__ = ("_found", "_make")

    def __init__(self, make: Callable[[], Details]) -> None:
        self._make = make
        self._found: Details | None = None

    def __call__(self) -> Details:
        if self._found is None:
            self._found = self._make()
        return self._found


def _details(judging: Judging, x: Array, middle: int, isolated: bool, refused: bool) -> Details:
    """Return what is told of a front's postures x (n, moving) when it is asked for."""
    scene = judging.scene
    off, turn = lacking(scene, scene.whole(x))
    redundancy = 0 if isolated else _redundancy(scene, x[middle])
    settles = redundancy > 0 and not refused
    settled = _settled(judging, x[middle], redundancy) if settles else 0
    words = tuple(binding(judging, x))
    return Details(off, turn, words, redundancy, settled, asked_words(scene))


def chosen(front: Front, choose: Choice) -> Front:
    """Return the front with a posture chosen as asked."""
    if choose == "knee" or not front.found or len(front) == 1:
        return front  # a front is made with its knee chosen
    if isinstance(choose, Mapping):
        return front.by_weights(choose)
    if isinstance(choose, tuple):
        return front.by_order(choose)
    if choose == "weights":
        return front.by_weights()
    raise KinematicsError(
        f"a posture is chosen by 'knee', by 'weights', by weights {{aim: number}} or by a tuple "
        f"of aims in their order; not by {choose!r}"
    )


def _redundancy(scene: Scene, x: Array) -> int:
    """Return in how many directions joints can move from ``x`` with the targets met."""
    _, J = residuals_and_jacobian(scene, x[None])
    size = np.linalg.svd(J[0], compute_uv=False)
    rank = int((size > 1e-9 * max(float(size.max(initial=0.0)), 1e-300)).sum())
    return len(x) - rank


def _settled(judging: Judging, x: Array, redundancy: int) -> int:
    """Return how many of the free directions the aims decide: where their sum bends, or a limit.

    The bend of the weighted sum along the targets, by differences of its slopes.
    """
    scene = judging.scene
    _, J = residuals_and_jacobian(scene, x[None])
    free = np.linalg.svd(J[0])[2][len(x) - redundancy :]
    step = 1e-4
    moved = np.concatenate([x + step * free, x - step * free])
    slopes = np.einsum("k,mkn->mn", judging.weights, judging.slopes(moved))
    bend = (slopes[:redundancy] - slopes[redundancy:]) @ free.T / (2.0 * step)
    # two sides of a limit: a direction that a joint at its limit closes is settled too
    at = (x <= scene.lower + 1e-9) | (x >= scene.upper - 1e-9)
    closed = free[:, at] @ free[:, at].T * 1e3
    size = np.abs(np.linalg.eigvalsh(0.5 * (bend + bend.T) + closed))
    return int((size > 1e-7 * max(float(size.max(initial=0.0)), 1e-300)).sum())
