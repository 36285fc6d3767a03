"""Several targets at once on a figure: hands, feet, eyes; places, poses, directions, gazes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.chain_question import as_start, check_rigid
from articulata.kinematics.inverse.measuring import rotation_vector
from articulata.kinematics.inverse.method import Progress
from articulata.kinematics.inverse.reason import Reason, degrees, length, stopped
from articulata.kinematics.inverse.targets import (
    GAZE,
    PLACE,
    POINTING,
    POSE,
    At,
    Target,
    frames,
    kind,
    place_of,
    target,
)
from articulata.kinematics.joint import PRISMATIC
from articulata.kinematics.prepared import tree_table

if TYPE_CHECKING:
    from articulata.kinematics.joint_tree import PlacedTree

PART = 1024
"""Sets of targets between two reports of progress."""


@dataclass(frozen=True, slots=True, eq=False)
class FigurePostures:
    """Answers of a figure asked for several targets at once; one set alone has an empty batch.

    ``q`` meets all targets or, where ``found`` is False, makes the squares of what is left
    least. ``errors`` (*batch, targets) m (0 for gazes) and ``angles`` rad (0 for places) are in
    the order of ``targets``; ``reasons`` (*batch, targets) say which target cannot be met,
    ``reason`` the worst of them.
    """

    figure: PlacedTree
    targets: Mapping[str, Array | Target]
    q: Float64[Array, "*batch dof"]
    errors: Float64[Array, "*batch targets"]
    angles: Float64[Array, "*batch targets"]
    reasons: Int64[IntArray, "*batch targets"]
    starts: Int64[IntArray, "*batch"]
    tolerance: float
    angle_tolerance: float

    @property
    def batch(self) -> tuple[int, ...]:
        """Shape of the batch, () for one set of targets alone."""
        return self.starts.shape

    @property
    def error(self) -> Float64[Array, "*batch"]:
        """The distance, m, of the target that is missed most."""
        return np.asarray(self.errors.max(axis=-1))

    @property
    def found(self) -> Bool[BoolArray, "*batch"]:
        """Where every target is met."""
        return np.asarray((self.reasons == Reason.MET).all(axis=-1))

    @property
    def reason(self) -> Int64[IntArray, "*batch"]:
        """Numbers of ``Reason``: a proved one where there is one, else GAVE_UP or MET."""
        reasons = self.reasons
        proved = (reasons >= Reason.TOO_FAR) & (reasons <= Reason.LIMITS)
        first = np.take_along_axis(reasons, proved.argmax(axis=-1)[..., None], -1)[..., 0]
        rest = reasons.max(axis=-1)
        return np.asarray(np.where(proved.any(axis=-1), first, rest))

    @property
    def nearest(self) -> Float64[Array, "*batch dof"]:
        """The postures that come nearest to the targets: ``q`` itself, found or not."""
        return self.q

    def __len__(self) -> int:
        if not self.batch:
            raise TypeError("the answer to one set of targets alone has no length")
        return self.batch[0]

    def __iter__(self) -> Iterator[FigurePostures]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> FigurePostures:
        """Return the answers of one place, a slice or a mask of the batch."""
        try:
            return FigurePostures(
                self.figure,
                MappingProxyType({name: X[index] for name, X in self.targets.items()}),
                self.q[index],
                self.errors[index],
                self.angles[index],
                self.reasons[index],
                np.asarray(self.starts[index]),
                self.tolerance,
                self.angle_tolerance,
            )
        except IndexError as problem:
            raise IndexError(f"the answers have a batch of shape {self.batch}: {problem}") from None

    def explain(self, *index: int) -> str:
        """Say in words what each target is off and which joints at limits stop the figure."""
        if index:
            return self[index].explain()
        if self.batch:
            raise KinematicsError(
                f"the answers have a batch of shape {self.batch}; explain needs "
                f"{len(self.batch)} whole numbers to pick one"
            )
        parts = []
        for k, (name, given) in enumerate(self.targets.items()):
            X = target(given, name)
            off = degrees(float(self.angles[k]))
            if kind(X) != GAZE:
                turned = "" if kind(X) == PLACE else f" and {off}"
                off = length(float(self.errors[k])) + turned
            parts.append(f"'{name}' {_WORDS[Reason(int(self.reasons[k]))].format(off=off)}")
        text = "; ".join(parts) + "."
        if self.found or (self.reasons == Reason.NOT_A_NUMBER).any():
            return text
        stops = stopped(self.figure, self.q, self._pull())
        return f"{text} Stopped by {stops}." if stops else text

    def _pull(self) -> Array:
        pull = np.zeros(self.figure.dof)
        for name, given in self.targets.items():
            X = target(given, name)
            J, here = (
                self.figure.landmark_jacobian(self.q, name),
                self.figure.landmark(self.q, name),
            )
            if kind(X) != GAZE:
                pull += J[:3].T @ (place_of(X) - here[:3, 3])
            if kind(X) == POSE:
                pull += J[3:].T @ rotation_vector(here[:3, :3], frames(X)[:, :3])
            elif kind(X) != PLACE:
                wanted = frames(X)[:, 2] if kind(X) == POINTING else place_of(X) - here[:3, 3]
                size = float(np.linalg.norm(wanted))
                if size > 0.0:
                    pull += J[3:].T @ np.cross(here[:3, 2], wanted / size)
        return pull


_WORDS = {
    Reason.MET: "is met ({off} off)",
    Reason.TOO_FAR: "is too far, out of the links' reach ({off} off)",
    Reason.TOO_NEAR: "is too near, the links cannot fold so far ({off} off)",
    Reason.LIMITS: "is beyond the joints' limits ({off} off)",
    Reason.GAVE_UP: "is not met ({off} off; nothing proves that it cannot be)",
    Reason.NOT_A_NUMBER: "holds NaN or infinite numbers",
}


class FigureQuestion(NamedTuple):
    """What ``Figure.inverse`` is asked."""

    targets: Mapping[str, npt.ArrayLike | Target]
    start: npt.ArrayLike | None
    tolerance: float
    angle_tolerance: float | None
    starts: int
    progress: Progress | None


def figure_inverse(figure: PlacedTree, asked: FigureQuestion) -> FigurePostures:
    """Answer ``Figure.inverse``."""
    targets, tolerance = asked.targets, asked.tolerance
    goals, batch = _goals(figure, targets)
    angle = tolerance if asked.angle_tolerance is None else asked.angle_tolerance
    if not (0.0 < tolerance < math.inf and 0.0 < angle < math.inf):
        raise KinematicsError(
            f"tolerances are positive numbers (m, rad), not {tolerance} and {angle}"
        )
    if asked.starts < 1:
        raise KinematicsError(f"a search takes at least one start, not {asked.starts}")
    kinds = np.array([kind(X) for X in goals.values()])
    wanted, good = _finite(goals, batch)
    within = np.array([X.within or tolerance for X in goals.values()])
    aside = np.array([X.angle or angle for X in goals.values()])
    places = [figure.place(name) for name in goals]
    first = figure.neutral if asked.start is None else as_start(figure, asked.start, batch)
    if first.ndim == 2:
        first = first[good]
    # a little inside, so that rounding cannot turn a met target into a missed one
    slack = (within * (1.0 - 1e-6), aside * (1.0 - 1e-6))
    q, error, turn, used = _solved(figure, places, kinds, wanted, slack, first, asked)
    met = (error <= within) & (turn <= aside)
    reasons = _explained(figure, places, kinds, wanted, met, within)
    return FigurePostures(
        figure,
        MappingProxyType(
            {
                name: X.X if isinstance(X, At) and not isinstance(targets[name], At) else X
                for name, X in goals.items()
            }
        ),
        _fill(q, good, math.nan).reshape(*batch, figure.dof),
        _fill(error, good, math.nan).reshape(*batch, len(places)),
        _fill(turn, good, math.nan).reshape(*batch, len(places)),
        _fill(reasons, good, int(Reason.NOT_A_NUMBER)).reshape(*batch, len(places)),
        _fill(used, good, 0).reshape(batch),
        tolerance,
        angle,
    )


def _finite(goals: Mapping[str, Target], batch: tuple[int, ...]) -> tuple[Array, BoolArray]:
    """Return frames (good ones, targets, 3, 4), and which of the batch (m,) are finite numbers."""
    m = math.prod(batch)
    wanted = np.stack([frames(X).reshape(m, 3, 4) for X in goals.values()], 1)
    good: BoolArray = np.asarray(np.isfinite(wanted).all(axis=(1, 2, 3)))
    if not batch and not good[0]:
        bad = next(name for k, name in enumerate(goals) if not np.isfinite(wanted[0, k]).all())
        raise KinematicsError(f"the target of '{bad}' holds NaN or infinite numbers")
    for name, X in goals.items():
        if kind(X) == POSE:
            X_WP = np.asarray(X.X).reshape(m, 4, 4)  # type: ignore[union-attr] # a pose is an At
            check_rigid(X_WP[good], np.flatnonzero(good) if batch else None, name)
    return np.ascontiguousarray(wanted[good]), good


def _solved(
    figure: PlacedTree,
    places: Sequence[tuple[int, Array]],
    kinds: IntArray,
    wanted: Array,
    slack: tuple[Array, Array],
    first: Array,
    asked: FigureQuestion,
) -> tuple[Array, Array, Array, IntArray]:
    """Return postures, distances (m), angles (rad) and starts used, part by part where told of.

    ``slack`` (m, rad) is what each target may be missed by.
    """
    from articulata.kernels.chains.iterative_solvers.tree_solver import STEPS, solve_tree

    links = np.array([number for number, _ in places], np.int64)
    tips = np.stack([(figure.joints[n].X_JL @ X)[:3] for n, X in places])
    unit = max(_reach(figure, n, X) for n, X in places)
    table, count = tree_table(figure), len(wanted)
    part = max(count, 1) if asked.progress is None else PART
    answers = []
    for begin in range(0, max(count, 1), part):
        end = min(begin + part, count)
        start = first if first.ndim == 1 else first[begin:end]
        found = solve_tree(
            table, links, tips, kinds, wanted[begin:end], *slack,
            unit=unit, start=start, starts=asked.starts, steps=STEPS,
        )  # fmt: skip
        answers.append((found.u, found.distance, found.angle, found.starts))
        if asked.progress is not None:
            asked.progress(end, count)
    q, distance, angle, used = (np.concatenate(each) for each in zip(*answers, strict=True))
    return q, distance, angle, used


def _explained(
    figure: PlacedTree,
    places: Sequence[tuple[int, Array]],
    kinds: IntArray,
    wanted: Array,
    met: BoolArray,
    within: Array,
) -> IntArray:
    """Return numbers of ``Reason`` (m, targets): what is proved of targets that are not met."""
    reasons: IntArray = np.where(met, int(Reason.MET), int(Reason.GAVE_UP))
    for k in np.flatnonzero(kinds != GAZE).tolist():
        late = np.flatnonzero(~met[:, k])
        if len(late):
            verdict = _proof(figure, *places[k], wanted[late, k, :, 3], float(within[k]))
            reasons[late, k] = np.where(verdict > 0, verdict, int(Reason.GAVE_UP))
    return reasons


def _fill(values: Any, good: BoolArray, nothing: float) -> Any:
    out = np.full((len(good), *values.shape[1:]), nothing, values.dtype)
    out[good] = values
    return out


def _goals(
    figure: PlacedTree, targets: Mapping[str, npt.ArrayLike | Target]
) -> tuple[dict[str, Target], tuple[int, ...]]:
    """Return the targets, all of one batch, and its shape."""
    if not isinstance(targets, Mapping) or not targets:
        raise KinematicsError(
            "a figure's targets are a mapping of names to places (*batch, 3) or poses "
            f"(*batch, 4, 4), such as {{'{figure.joints[-1].name}': X_WP}}"
        )
    goals, shapes = {}, {}
    for name, given in targets.items():
        number, _ = figure.place(name)
        if number < 0 or not figure.mapping[0][_path(figure, number)].any():
            raise KinematicsError(f"'{name}' of '{figure.name}' is carried by no joint that moves")
        goals[name] = target(given, name)
        shapes[name] = place_of(goals[name]).shape[:-1]
    if len(set(shapes.values())) > 1:
        said = ", ".join(f"'{name}' {shape}" for name, shape in shapes.items())
        raise KinematicsError(f"all targets of a figure have one batch shape, not {said}")
    return goals, next(iter(shapes.values()))


def _path(figure: PlacedTree, number: int) -> list[int]:
    path = [number]
    while figure.parents[path[-1]] >= 0:
        path.append(figure.parents[path[-1]])
    return path[::-1]


def _reach(figure: PlacedTree, number: int, X_LP: Array) -> float:
    """Return about how far a place can be from the first joint that carries it, m."""
    fixed = figure.arrays[0]
    path = _path(figure, number)
    spans = sum(float(np.linalg.norm(fixed[j, :, 3])) for j in path[1:])
    return spans + float(np.linalg.norm((figure.joints[number].X_JL @ X_LP)[:3, 3])) or 1.0


def _proof(figure: PlacedTree, number: int, X_LP: Array, places: Array, slack: float) -> IntArray:
    """Return what the bounds of the reach prove about places (m, 3) of one landmark.

    Joints that follow others are let free in the range that they can take: what is out of reach
    then is so all the more.
    """
    from articulata.kernels.chains.iterative_solvers.tip_targets import prepare, proofs

    path = _path(figure, number)
    fixed, kinds, _ = figure.arrays
    M, offset = figure.mapping
    M = M[path]
    with np.errstate(invalid="ignore"):
        ends = np.stack([M * figure.lower, M * figure.upper])
    ends = np.where(M == 0.0, 0.0, ends)
    lower = ends.min(axis=0).sum(axis=1) + offset[path]
    upper = ends.max(axis=0).sum(axis=1) + offset[path]
    slides = np.array([figure.joints[j].kind == PRISMATIC for j in path])
    if not (np.isfinite(lower[slides]).all() and np.isfinite(upper[slides]).all()):
        return np.zeros(len(places), np.int64)
    tip = np.ascontiguousarray((figure.joints[number].X_JL @ X_LP)[:3])
    return proofs(prepare(fixed[path], kinds[path], tip, lower, upper, (1, 0)), places, slack)
