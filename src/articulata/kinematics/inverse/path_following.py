"""Postures along a path: continuous where the arm allows it, with what it had to jump over.

With a closed form the next posture is the one nearest to the last. A branch is left only when it
ends or when another is nearer by more than the *hysteresis*: where two branches meet (a wrist in
line), rounding would otherwise make the answer flip between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.chain_question import as_numbers, as_start, check_rigid
from articulata.kinematics.inverse.closed_form import ClosedForm
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.inverse.jacobians import JacobianMethod
from articulata.kinematics.inverse.measuring import tip_errors
from articulata.kinematics.inverse.method import Answer, Method, Progress, Question, searched
from articulata.kinematics.inverse.nearest_branch import Exact, refusals
from articulata.kinematics.inverse.postures import Postures
from articulata.kinematics.inverse.reason import NO_BRANCH, Reason
from articulata.kinematics.inverse.recognition import closed_form

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

JUMP = 0.5
"""Most that a joint moves from one sample to the next, rad or m, before it counts as a jump."""


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """Postures along a path of k targets: ``answers`` has the batch (k,)."""

    answers: Postures

    @property
    def q(self) -> Float64[Array, "k dof"]:
        """The postures."""
        return self.answers.q

    @property
    def found(self) -> Bool[BoolArray, "k"]:
        """Where the path is met."""
        return self.answers.found

    @property
    def branch(self) -> Int64[IntArray, "k"]:
        """The branch of each posture, -1 where it came from a search."""
        return self.answers.branch

    @property
    def switches(self) -> Int64[IntArray, "n"]:
        """Places in the path where the branch is another than just before."""
        return np.flatnonzero(np.diff(self.branch)) + 1

    @property
    def motion(self) -> Float64[Array, "k"]:
        """The most that a joint moves from the sample before, rad or m; 0 for the first."""
        moved = np.abs(np.diff(self.q, axis=0)).max(axis=1, initial=0.0)
        return np.concatenate([np.zeros(min(len(self.q), 1)), moved])

    @property
    def travel(self) -> float:
        """What all joints move along the path, together, rad and m."""
        return float(np.abs(np.diff(self.q, axis=0)).sum())

    def jumps(self, limit: float = JUMP) -> Int64[IntArray, "n"]:
        """Return the places in the path where a joint moves by more than ``limit`` rad or m."""
        return np.flatnonzero(self.motion > limit)

    def explain(self, place: int) -> str:
        """Say in words how the target at a place of the path is met or what stops it."""
        return self.answers.explain(place)


def follow(
    chain: Serial,
    path: npt.ArrayLike,
    start: npt.ArrayLike | None,
    tolerance: float,
    angle_tolerance: float | None,
    method: Method | None,
    hysteresis: float,
    progress: Progress | None,
) -> Followed:
    """Answer ``Chain.follow``."""
    targets = as_numbers(path, "a path")
    pose = targets.ndim == 3 and targets.shape[1:] == (4, 4)
    if not pose and (targets.ndim != 2 or targets.shape[1] != 3):
        raise KinematicsError(
            "a path is rows of places (k, 3) or poses X_WT (k, 4, 4), m; the array given has "
            f"shape {targets.shape}"
        )
    bad = np.flatnonzero(~np.isfinite(targets).all(axis=(1, 2) if pose else 1))
    if len(bad):
        raise KinematicsError(f"the path holds NaN or infinite numbers, first at {bad[0]}")
    if pose:
        check_rigid(targets)
    if not hysteresis >= 0.0:
        raise KinematicsError(f"hysteresis is 0 or more, rad, not {hysteresis}")
    first = None if start is None else as_start(chain, start, ())
    angle = tolerance if angle_tolerance is None else angle_tolerance
    question = Question(chain, targets, pose, None, first, tolerance, angle, progress)
    answer = _answer(question, method, hysteresis)
    return Followed(
        Postures(
            chain,
            targets,
            answer.q,
            answer.error,
            answer.angle,
            answer.reason == Reason.MET,
            answer.reason,
            answer.branch,
            tolerance,
            angle,
            None,
            answer.labels,
            answer.counts,
        )
    )


def _answer(question: Question, method: Method | None, hysteresis: float) -> Answer:
    if isinstance(method, JacobianMethod):
        method.check(question)
        first = question.start if question.start is not None else question.chain.neutral
        q = method.track(question, np.array(first))
        return searched(question, q, *tip_errors(question.chain, q, question.targets), {})
    form: ClosedForm | None = None
    if isinstance(method, Exact):
        form = method.form(question)
    elif method is None and question.pose:
        form = closed_form(question.chain)
    if form is not None:
        return _by_form(question, form, hysteresis)
    return _one_by_one(question, Descent() if method is None else method)


def _one_by_one(question: Question, method: Method) -> Answer:
    """Solve each target from the posture before."""
    chain, m = question.chain, len(question.targets)
    q, error, angle = np.empty((m, chain.dof)), np.empty(m), np.empty(m)
    reason, branch = np.empty(m, np.int64), np.empty(m, np.int64)
    labels: tuple[str, ...] = ()
    start = question.start
    for k in range(m):
        one = question._replace(targets=question.targets[k : k + 1], start=start, progress=None)
        found = method.solve(one)
        q[k], error[k], angle[k] = found.q[0], found.error[0], found.angle[0]
        reason[k], branch[k], labels = found.reason[0], found.branch[0], found.labels
        start = found.q[0]
        if question.progress is not None:
            question.progress(k + 1, m)
    return Answer(q, error, angle, reason, branch, labels, {})


def _by_form(question: Question, form: ClosedForm, hysteresis: float) -> Answer:
    """Follow from each branch of the first pose and keep the best; with a start, the nearest."""
    chain, targets = question.chain, question.targets
    m = len(targets)
    if not m:
        return searched(question, np.empty((0, chain.dof)), np.empty(0), np.empty(0), {})
    near = question.start if question.start is not None else chain.neutral
    firsts = form.near(targets[:1], near[None])[0]
    there = np.flatnonzero(~np.isnan(firsts[:, 0]))
    if question.start is not None and len(there):
        there = there[[np.abs(firsts[there] - near).max(axis=1).argmin()]]
    runs = [_run(question, form, int(slot), firsts[slot], hysteresis) for slot in there]
    if not runs:
        runs = [_run(question, form, NO_BRANCH, near, hysteresis)]
    q, branch = min(runs, key=_worth)
    error, angle = tip_errors(chain, q, targets)
    met = (error <= question.tolerance) & (angle <= question.angle_tolerance)
    reason = np.where(met, int(Reason.MET), int(Reason.GAVE_UP))
    away = np.flatnonzero(~met)
    if len(away):
        reason[away] = refusals(form, targets[away])
    if question.progress is not None:
        question.progress(m, m)
    return Answer(q, error, angle, reason, branch, form.labels, {})


def _worth(run: tuple[Array, IntArray]) -> tuple[int, int, float]:
    """Return what makes a run worse: targets missed, jumps, travel."""
    q, branch = run
    moved = np.abs(np.diff(q, axis=0))
    jumps = int((moved.max(axis=1, initial=0.0) > JUMP).sum())
    return int((branch == NO_BRANCH).sum()), jumps, float(moved.sum())


def _run(
    question: Question, form: ClosedForm, slot: int, first: Array, hysteresis: float
) -> tuple[Array, IntArray]:
    """Return postures and branches of the path, from one branch on."""
    m = len(question.targets)
    q, branch = np.empty((m, question.chain.dof)), np.full(m, NO_BRANCH)
    last = first
    for k in range(m):
        X_WT = question.targets[k : k + 1]
        found = form.near(X_WT, last[None])[0]
        off = np.abs(found - last).max(axis=1)
        off = np.where(np.isnan(off), np.inf, off)
        best = int(off.argmin())
        if np.isinf(off[best]):
            one = question._replace(targets=X_WT, start=last, progress=None)
            last = Descent(starts=1).solve(one).q[0]
        else:
            # slots that are numbers only: what stays near stays in its branch
            leaves = off[best] > JUMP if not form.lasting else off[best] < off[slot] - hysteresis
            if slot < 0 or leaves:
                slot = best
            last, branch[k] = found[slot if form.lasting else best], slot
        q[k] = last
    return q, branch
