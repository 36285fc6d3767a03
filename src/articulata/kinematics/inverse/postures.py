"""Answers of inverse kinematics: never a bare array, always with error, verdict and reason.

``q`` is the posture that meets its target or, where ``found`` is False, the one that comes
nearest. A reason is either *proved* (no posture can meet the target) or says that a search ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.areas import Area
from articulata.kinematics.inverse.measuring import off_areas, rotation_vector
from articulata.kinematics.inverse.reason import Reason, degrees, length, stopped
from articulata.kinematics.serial import Serial


@dataclass(frozen=True, slots=True, eq=False)
class Posture:
    """One answer: a posture ``q`` (dof,) rad or m, what its tip is off, and why.

    ``error`` is the tip's distance from the target, m; ``angle`` the turn that is left, rad (0
    for targets without an orientation). ``branch`` numbers the branch of a closed form, -1 for
    a search; ``label`` says it in words. ``answers`` and ``place`` are where it came from.
    """

    q: Array
    error: float
    angle: float
    found: bool
    reason: Reason
    branch: int
    label: str
    answers: Postures = field(repr=False)
    place: tuple[int, ...] = field(repr=False)

    @property
    def nearest(self) -> Float64[Array, "dof"]:
        """The posture that comes nearest to the target: ``q`` itself, found or not."""
        return self.q

    def explain(self) -> str:
        """Say in words whether the target is met and, if not, what stops it and by how much."""
        return self.answers.explain(*self.place)


@dataclass(frozen=True, slots=True, eq=False)
class Postures:
    """Answers for targets (*batch, 3) or (*batch, 4, 4); one target alone has an empty batch.

    ``answers[i]`` is a ``Posture``, ``answers[2:5]`` again Postures. ``targets`` as they were
    asked, ``area`` around them. ``reason`` holds numbers of ``Reason``, ``branch`` -1 for
    searches and ``labels`` the words of branches. ``counts`` tells what the method spent, by name.
    """

    chain: Serial
    targets: Array
    q: Float64[Array, "*batch dof"]
    error: Float64[Array, "*batch"]
    angle: Float64[Array, "*batch"]
    found: Bool[BoolArray, "*batch"]
    reason: Int64[IntArray, "*batch"]
    branch: Int64[IntArray, "*batch"]
    tolerance: float
    angle_tolerance: float
    area: Area | None = None
    labels: tuple[str, ...] = ()
    counts: Mapping[str, IntArray] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    """More about single answers, by their place in the flattened batch: what a posture strikes."""

    @property
    def batch(self) -> tuple[int, ...]:
        """Shape of the batch, () for one target alone."""
        return self.error.shape

    @property
    def nearest(self) -> Float64[Array, "*batch dof"]:
        """The postures that come nearest to the targets: ``q`` itself, found or not."""
        return self.q

    @property
    def proved(self) -> Bool[BoolArray, "*batch"]:
        """Where it is certain that no posture meets the target."""
        return np.asarray((self.reason >= Reason.TOO_FAR) & (self.reason <= Reason.ORIENTATION))

    def __repr__(self) -> str:
        if not self.batch:
            with np.printoptions(precision=6, suppress=True, linewidth=200):
                return f"Postures: {self.explain()} q = {self.q}"
        numbers, how_many = np.unique(self.reason, return_counts=True)
        counted = zip(numbers.tolist(), how_many.tolist(), strict=True)
        words = ", ".join(f"{k} {Reason(n).name.lower().replace('_', ' ')}" for n, k in counted)
        return f"Postures: {self.error.size} answers; {words or 'none'}"

    def __len__(self) -> int:
        if not self.batch:
            raise TypeError("the answer to one target alone has no length")
        return self.batch[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        """Return one ``Posture``, or the ``Postures`` of a slice or mask of the batch."""
        error = self._at(self.error, index)
        if error.ndim:
            return self._part(index)
        branch = int(self._at(self.branch, index))
        return Posture(
            np.array(self._at(self.q, index)),
            float(error),
            float(self._at(self.angle, index)),
            bool(self._at(self.found, index)),
            Reason(int(self._at(self.reason, index))),
            branch,
            self.labels[branch] if branch >= 0 else "",
            self,
            index if isinstance(index, tuple) else (index,),
        )

    def explain(self, *index: int) -> str:
        """Say in words whether a target is met and, if not, what stops it and by how much.

        ``index`` is the target's place in the batch; none (or 0) for a target asked alone.
        """
        if index == (0,) and not self.batch:
            index = ()
        if len(index) != len(self.batch):
            raise KinematicsError(
                f"the answers have a batch of shape {self.batch}; explain needs "
                f"{len(self.batch)} whole numbers to pick one, not {len(index)}"
            )
        self._at(self.error, index)
        place = int(np.ravel_multi_index(index, self.batch, mode="wrap")) if index else 0
        return _explain(self, place)

    def _at(self, values: Any, index: Any) -> Any:
        try:
            return np.asarray(values[index])
        except IndexError as problem:
            raise IndexError(f"the answers have a batch of shape {self.batch}: {problem}") from None

    def _part(self, index: Any) -> Postures:
        places = np.arange(self.error.size).reshape(self.batch)[index].ravel()
        return Postures(
            self.chain,
            self.targets[index],
            self.q[index],
            self.error[index],
            self.angle[index],
            self.found[index],
            self.reason[index],
            self.branch[index],
            self.tolerance,
            self.angle_tolerance,
            self.area,
            self.labels,
            {name: values[index] for name, values in self.counts.items()},
            {k: self.notes[int(p)] for k, p in enumerate(places) if int(p) in self.notes},
        )


def _explain(answers: Postures, place: int) -> str:
    """Return the words for one answer, by its place in the flattened batch."""
    reason = Reason(int(answers.reason.reshape(-1)[place]))
    if reason is Reason.NOT_A_NUMBER:
        return "The target holds NaN or infinite numbers; there is nothing to reach."
    error = float(answers.error.reshape(-1)[place])
    angle = float(answers.angle.reshape(-1)[place])
    pose = answers.targets.shape[len(answers.batch) :] == (4, 4)
    short = length(error)
    off = short + (f" and {degrees(angle)}" if pose else "")
    note = answers.notes.get(place, "")
    if reason is Reason.MET:
        return f"Met: the tip is {off} off."
    if reason is Reason.COLLISION:
        return f"Met to {off}, but the posture strikes {note or 'something'}."
    q = answers.q.reshape(-1, answers.chain.dof)[place]
    pull = _pull(answers, place, q, pose)
    stops = stopped(answers.chain, q, pull)
    because = f" Stopped by {stops}." if stops else ""
    if reason is Reason.TOO_FAR:
        return f"Too far: out of the links' reach. The nearest posture is {off} off.{because}"
    if reason is Reason.TOO_NEAR:
        return f"Too near: the links cannot fold so far. The nearest posture is {off} off.{because}"
    if reason is Reason.LIMITS:
        return f"Beyond the joints' limits: the nearest posture is {off} off.{because}"
    if reason is Reason.ORIENTATION:
        return f"The place can be reached, this orientation there cannot: {off} off.{because}"
    return _gave_up(answers, place, error, angle, pose, off, because)


def _gave_up(
    answers: Postures, place: int, error: float, angle: float, pose: bool, off: str, because: str
) -> str:
    unproved = "Nothing proves that it cannot be met; more starts or another start may."
    if pose and error <= answers.tolerance:
        return (
            f"Not found: the place is met to {length(error)}, the orientation is {degrees(angle)} "
            f"off.{because} {unproved}"
        )
    if pose and answers.chain.prepared.plain:
        target = answers.targets.reshape(-1, 4, 4)[place, :3, 3]
        if _reached(answers.chain, target, answers.tolerance):
            return (
                f"Not found: the search came to {off}. The place alone can be reached, not with "
                f"this orientation as far as the search tells.{because} {unproved}"
            )
    return f"Not found: the search came to {off}.{because} {unproved}"


def _pull(answers: Postures, place: int, q: Array, pose: bool) -> Array:
    """Return what each coordinate gains, per rad or m, by going on: the error's gradient."""
    chain = answers.chain
    X, J = chain.tip(q), chain.jacobian(q)
    if pose:
        target = answers.targets.reshape(-1, 4, 4)[place]
        away = (target[:3, 3] - X[:3, 3]) / chain.prepared.reach
        turn = rotation_vector(X[:3, :3], target[:3, :3])
        rows = np.vstack([J[:3] / chain.prepared.reach, J[3:]])
        return np.asarray(rows.T @ np.concatenate([away, turn]))
    target = answers.targets.reshape(-1, 3)[place]
    away = target - X[:3, 3]
    if answers.area is not None:
        away = -off_areas(chain, q, answers.area, -away)
    return np.asarray(J[:3].T @ away)


def _reached(chain: Serial, place: Array, tolerance: float) -> bool:
    """Return whether the engine brings the tip to a place, whatever its orientation."""
    from articulata.kernels.chains.iterative_solvers.tip_targets import STARTS, solve

    found = solve(chain.prepared.solver(STARTS), place[None], tolerance)
    return bool(found.distance[0] <= tolerance)
