"""Closed forms as methods of ``Chain.inverse``: the branch nearest to the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.inverse.chain_structure import missing_structure, other_structure
from articulata.kinematics.inverse.closed_form import ClosedForm
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.inverse.measuring import tip_errors
from articulata.kinematics.inverse.method import Answer, Method, Question, refuse_areas
from articulata.kinematics.inverse.one_pose import OnePose
from articulata.kinematics.inverse.reason import NO_BRANCH, Reason
from articulata.kinematics.inverse.recognition import closed_form

# names of an enumeration cost more to look up than the numbers behind them
_MET, _GAVE_UP = int(Reason.MET), int(Reason.GAVE_UP)


@dataclass(frozen=True, slots=True)
class Exact(Method):
    """A closed form as a method, for poses.

    Of the branches within limits the posture nearest to the start (the neutral posture where
    none is given). Poses out of reach are answered with the proved reason and the nearest
    posture that ``Descent`` finds.
    """

    structure: ClassVar[str]
    """The structure of the arms that it solves, as their ``ClosedForm`` names it."""
    besides: ClassVar[tuple[str, ...]] = ()
    """Structures of further arms that it solves."""

    def form(self, question: Question) -> ClosedForm:
        """Return the chain's closed form, or raise where its structure or the question is other."""
        name = f"{type(self).__name__}()"
        refuse_areas(question, name)
        if not question.pose:
            raise KinematicsError(
                f"{name} meets poses X_WT (*batch, 4, 4); for places (*batch, 3) take Descent()"
            )
        form = closed_form(question.chain)
        if form is None or form.structure not in (self.structure, *self.besides):
            found = (
                missing_structure(question.chain)
                if form is None
                else other_structure(question.chain, form.structure)
            )
            raise KinematicsError(
                f"{name} solves arms of the structure '{self.structure}'. {found}"
            )
        return form

    def solve(self, question: Question) -> Answer:
        """Return a posture for each pose, met or nearest."""
        return solve_by_form(question, self.form(question))


@dataclass(frozen=True, slots=True)
class SphericalWrist(Exact):
    """The closed form of six turning joints with a spherical wrist."""

    structure: ClassVar[str] = "spherical wrist"


@dataclass(frozen=True, slots=True)
class ParallelAxes(Exact):
    """The closed form of six turning joints with axes 2 to 4 parallel."""

    structure: ClassVar[str] = "three parallel axes"


@dataclass(frozen=True, slots=True)
class MeetingAxes(Exact):
    """The closed form of six turning joints of which three neighbours meet in one point."""

    structure: ClassVar[str] = "three meeting axes"


@dataclass(frozen=True, slots=True)
class SixJoints(Exact):
    """All postures of six joints of any geometry, of which up to three may slide."""

    structure: ClassVar[str] = "six turning joints"
    besides: ClassVar[tuple[str, ...]] = (
        "five turning joints and a slide",
        "three meeting axes and a slide",
        "four turning joints and two slides",
        "three turning joints and three slides",
    )


@dataclass(frozen=True, slots=True)
class SevenJoints(Exact):
    """The families of seven turning joints of any geometry, by following their self motions."""

    structure: ClassVar[str] = "seven turning joints"


@dataclass(frozen=True, slots=True)
class Swivel(Exact):
    """The closed form of seven joints, spherical-revolute-spherical, by swivel angle."""

    structure: ClassVar[str] = "spherical-revolute-spherical"


@dataclass(frozen=True, slots=True)
class Shrug(Exact):
    """The closed form of a slide followed by six turning joints, as in Leonardo's arm."""

    structure: ClassVar[str] = "slide-universal-spherical-revolute"


def solve_by_form(question: Question, form: ClosedForm) -> Answer:
    """Return the branch of a closed form nearest to the start, for each pose."""
    chain, targets = question.chain, question.targets
    m = len(targets)
    start = question.start if question.start is not None else chain.neutral
    if m == 1 and isinstance(form, OnePose):
        alone = form.nearest(targets[0], np.ascontiguousarray(start, float).reshape(-1))
        if alone is not None:
            return _alone(question, form, *alone)
    near = np.ascontiguousarray(np.broadcast_to(start, (m, chain.dof)))
    found = form.near(targets, near)
    branch = nearest_slot(found, near)
    there = branch >= 0
    q = found[np.arange(m), np.maximum(branch, 0)]
    reason = np.zeros(m, np.int64)
    error, angle = np.empty(m), np.empty(m)
    error[there], angle[there] = tip_errors(chain, q[there], targets[there])
    good = (error <= question.tolerance) & (angle <= question.angle_tolerance)
    reason[there & ~good] = Reason.GAVE_UP
    if not there.all():
        away = ~there
        # the kernel says why; the search says how near one can come
        nearest = question._replace(targets=targets[away], start=near[away], progress=None)
        close = Descent(starts=4).solve(nearest)
        q[away], error[away], angle[away] = close.q, close.error, close.angle
        reason[away] = np.where(
            close.reason == Reason.MET, close.reason, refusals(form, targets[away])
        )
    if question.progress is not None:
        question.progress(m, m)
    return Answer(q, error, angle, reason, branch, form.labels, {})


def _alone(question: Question, form: ClosedForm, posture: Array, branch: int) -> Answer:
    q = posture.reshape(1, -1)
    error, angle = tip_errors(question.chain, q, question.targets)
    met = error[0] <= question.tolerance and angle[0] <= question.angle_tolerance
    if question.progress is not None:
        question.progress(1, 1)
    reason = np.array([_MET if met else _GAVE_UP])
    return Answer(q, error, angle, reason, np.array([branch]), form.labels, {})


def refusals(form: ClosedForm, X_WT: Array) -> IntArray:
    """Return why poses have no posture; GAVE_UP where the form has a branch after all."""
    reason = form.branches(X_WT).reason
    return np.where(reason == Reason.MET, int(Reason.GAVE_UP), reason)


def nearest_slot(found: Array, near: Array) -> IntArray:
    """Return for postures (m, slots, dof) the slot nearest to ``near`` (m, dof), -1 where none."""
    off = np.abs(found - near[:, None]).max(axis=2)
    off = np.where(np.isnan(off), np.inf, off)
    best = off.argmin(axis=1)
    return np.where(np.isfinite(off[np.arange(len(off)), best]), best, NO_BRANCH)
