"""The engine as a method: coordinate descent, then damped Gauss-Newton, from several starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kinematics.inverse.measuring import tip_errors
from articulata.kinematics.inverse.method import (
    Answer,
    Method,
    Question,
    in_parts,
    part_of,
    refuse_unmet_areas,
    searched,
)
from articulata.kinematics.inverse.reason import NO_BRANCH, Reason
from articulata.kinematics.inverse.recognition import closed_form

if TYPE_CHECKING:
    from articulata.kernels.chains.iterative_solvers.tip_targets import Solutions

PART = 65536
"""Targets between two reports of progress: a multiple of the kernels' pieces, so that answers
are the same with and without progress."""


@dataclass(frozen=True, slots=True)
class Descent(Method):
    """The engine: finds places, poses and areas within limits, and proves what is out of reach.

    From each start, ``sweeps`` of coordinate descent (places only), then at most ``steps`` of
    damped Gauss-Newton with active limits. ``starts`` for each target: the caller's posture or the
    middle of the ranges, then postures spread by ``seed``; None takes 16 for places and 40
    for poses, with 80 more for poses missed closely. Poses that the search misses are given
    to the chain's closed form, where it has one.

    A large batch may go to a CUDA ``device`` (see docs/inverse), which answers as well, but not
    with the same bytes; False keeps every batch on the processor.
    """

    starts: int | None = None
    seed: int = 0
    sweeps: int = 1
    steps: int = 60
    device: bool = True

    def __post_init__(self) -> None:
        counts = (1 if self.starts is None else self.starts, self.seed + 1, self.sweeps + 1)
        if min(*counts, self.steps) < 1:
            raise KinematicsError(
                "Descent takes at least one start and one step, and no negative seed or sweeps; "
                f"not starts={self.starts}, seed={self.seed}, sweeps={self.sweeps}, "
                f"steps={self.steps}"
            )

    @property
    def _threads(self) -> int | None:
        """Threads that the kernels are told: who names a number keeps off the device."""
        if self.device:
            return None
        from articulata.kernels.lanes.host import thread_count

        return thread_count()

    def solve(self, question: Question) -> Answer:
        """Return a posture for each target, met or nearest."""
        ready = question.chain.prepared
        if not ready.plain:
            return self._by_tree(question)
        parts = self._in_parts(question)
        if not parts:
            return searched(question, np.empty((0, question.chain.dof)), *_nothing(), {})
        q, error, angle, used, proof = (
            # of a single part nothing is copied: the fixed cost of a question of one target
            getattr(parts[0], name)
            if len(parts) == 1
            else np.concatenate([getattr(part, name) for part in parts])
            for name in ("q", "distance", "angle", "starts", "proof")
        )
        met = error <= question.tolerance
        if question.pose:
            met &= angle <= question.angle_tolerance
        answer = Answer(
            ready.coordinates(q),
            error,
            angle,
            _reasons(met, proof),
            np.full(len(q), NO_BRANCH),
            (),
            {"starts": used},
        )
        missed = answer.reason == Reason.GAVE_UP
        return _by_form(question, answer, missed) if question.pose and missed.any() else answer

    def _in_parts(self, question: Question) -> list[Solutions]:
        """Solve targets with their starts part by part, and report the progress."""
        from articulata.kernels.chains.iterative_solvers.tip_targets import (
            POSE_STARTS,
            STARTS,
            solve,
        )

        ready, start, m = question.chain.prepared, question.start, len(question.targets)
        starts = POSE_STARTS if question.pose else STARTS
        if self.starts is not None:
            starts = self.starts, 0
        # poses take two sets of starts
        solver = ready.solver(starts, self.seed * (1 + question.pose))
        area = None if question.area is None else question.area.table(ready.base_turn)
        if start is not None:
            start = ready.all_joints(start)
        parts = []
        for begin in in_parts(question, PART):
            end = min(begin + PART, m) if question.progress is not None else m
            parts.append(
                solve(
                    solver,
                    question.targets[begin:end],
                    question.tolerance,
                    question.angle_tolerance,
                    start=part_of(start, begin, end),
                    area=area,
                    sweeps=self.sweeps,
                    steps=self.steps,
                    threads=self._threads,
                )
            )
            if question.progress is not None:
                question.progress(end, m)
        return parts

    def _by_tree(self, question: Question) -> Answer:
        """Search a chain with joints that follow others or slides without end."""
        from articulata.kernels.chains.iterative_solvers.tree_solver import (
            STARTS,
            STEPS,
            solve_tree,
        )

        refuse_unmet_areas(question)
        chain, ready = question.chain, question.chain.prepared
        m = len(question.targets)
        goals = np.tile(np.eye(3, 4), (m, 1, 1, 1))
        if question.pose:
            goals[:, 0] = question.targets[:, :3]
        else:
            goals[:, 0, :, 3] = question.targets
        found = solve_tree(
            ready.tree,
            np.array([len(chain.joints) - 1]),
            ready.tip[None],
            np.array([question.pose]),
            goals,
            question.tolerance,
            question.angle_tolerance,
            unit=ready.reach,
            start=question.start,
            starts=self.starts or STARTS,
            steps=max(self.steps, STEPS),
        )
        if question.progress is not None:
            question.progress(m, m)
        return searched(
            question, found.u, found.distance[:, 0], found.angle[:, 0], {"starts": found.starts}
        )


def _nothing() -> tuple[Array, Array]:
    return np.empty(0), np.empty(0)


def _reasons(met: BoolArray, proof: IntArray) -> IntArray:
    """Return the reasons from what the bounds of the reach prove."""
    if met.all():
        return np.zeros(len(met), np.int64)
    return np.where(met, int(Reason.MET), np.where(proof > 0, proof, int(Reason.GAVE_UP)))


def _by_form(question: Question, answer: Answer, missed: BoolArray) -> Answer:
    """Ask the chain's closed form about the poses that the search missed."""
    form = closed_form(question.chain)
    if form is None:
        return answer
    targets = question.targets[missed]
    near = form.near(targets, answer.q[missed])
    off = np.abs(near - answer.q[missed][:, None]).max(axis=2)
    best = np.where(np.isnan(off), np.inf, off).argmin(axis=1)
    rows = np.arange(len(targets))
    q, reason = answer.q.copy(), answer.reason.copy()
    error, angle = answer.error.copy(), answer.angle.copy()
    exact = near[rows, best]
    there = ~np.isnan(exact).any(axis=1)
    places = np.flatnonzero(missed)
    if there.any():
        at = places[there]
        q[at] = exact[there]
        error[at], angle[at] = tip_errors(question.chain, q[at], question.targets[at])
        good = (error[at] <= question.tolerance) & (angle[at] <= question.angle_tolerance)
        reason[at] = np.where(good, int(Reason.MET), int(Reason.GAVE_UP))
    if not there.all():
        reason[places[~there]] = _refusals(form.branches(targets[~there]).reason)
    return answer._replace(q=q, error=error, angle=angle, reason=reason)


def _refusals(reason: IntArray) -> IntArray:
    # a form that finds a branch where ``near`` found none has proved nothing
    return np.where(reason == Reason.MET, int(Reason.GAVE_UP), reason)
