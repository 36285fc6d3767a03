"""What the published methods share: one start or several, postures improved in place."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.inverse.measuring import question_errors
from articulata.kinematics.inverse.method import (
    Answer,
    Method,
    Question,
    in_parts,
    refuse_areas,
    refuse_followers,
    searched,
)
from articulata.kinematics.joint import PRISMATIC

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

PART = 256
"""Targets between two reports of progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Iterated(Method):
    """A method that improves a posture step by step, as published.

    ``starts``: the caller's posture (the neutral one where none is given), then postures drawn
    within limits by ``seed``, for the targets not met yet; the best posture is kept.
    """

    starts: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.starts < 1 or self.seed < 0:
            raise KinematicsError(
                f"a method takes at least one start and no negative seed, not starts={self.starts} "
                f"and seed={self.seed}"
            )

    @abstractmethod
    def improve(self, question: Question, q: Array) -> Mapping[str, IntArray]:
        """Improve ``q`` (m, joints), values of all joints, in place; return what it took."""

    def check(self, question: Question) -> None:
        """Raise where the method cannot answer the question."""
        refuse_followers(question, type(self).__name__)
        refuse_areas(question, type(self).__name__)

    def solve(self, question: Question) -> Answer:
        """Return a posture for each target, met or nearest."""
        self.check(question)
        m = len(question.targets)
        others = drawn(question.chain, self.starts - 1, self.seed)
        parts = []
        for begin in in_parts(question, PART):
            end = min(begin + PART, m) if question.progress is not None else m
            start = question.start
            if start is not None and start.ndim == 2:
                start = start[begin:end]
            part = question._replace(targets=question.targets[begin:end], start=start)
            parts.append(self._part(part, others))
            if question.progress is not None:
                question.progress(end, m)
        q, error, angle, counts = (
            parts[0] if len(parts) == 1 else _joined(parts, question.chain.dof)
        )
        return searched(question, q, error, angle, counts)

    def _part(
        self, question: Question, others: Array
    ) -> tuple[Array, Array, Array, dict[str, IntArray]]:
        chain, ready = question.chain, question.chain.prepared
        m = len(question.targets)
        first = question.start if question.start is not None else chain.neutral
        first = np.clip(np.broadcast_to(first, (m, chain.dof)), chain.lower, chain.upper)
        q = np.array(ready.all_joints(first))
        counts = dict(self.improve(question, q))
        q = ready.coordinates(q)
        error, angle = question_errors(question, q)
        counts["starts"] = np.ones(m, np.int64)
        for other in others:
            left = np.flatnonzero(
                ~((error <= question.tolerance) & (angle <= question.angle_tolerance))
            )
            if not len(left):
                break
            again = question._replace(targets=question.targets[left])
            trial = np.array(ready.all_joints(np.tile(other, (len(left), 1))))
            for name, count in self.improve(again, trial).items():
                counts[name][left] = count if name == "stop" else counts[name][left] + count
            counts["starts"][left] += 1
            trial = ready.coordinates(trial)
            miss, turn = question_errors(again, trial)
            reach = ready.reach
            better = miss / reach + turn < error[left] / reach + angle[left]
            at = left[better]
            q[at], error[at], angle[at] = trial[better], miss[better], turn[better]
        return q, error, angle, counts


def drawn(chain: Serial, count: int, seed: int) -> Array:
    """Return postures (count, dof) drawn within limits; a full turn where there are none."""
    low, high = finite_limits(chain)
    return np.random.default_rng(seed).uniform(low, high, (count, chain.dof))


def finite_limits(chain: Serial) -> tuple[Array, Array]:
    """Return limits (dof,) that are numbers: half a turn either way where there are none."""
    low, high = chain.lower.copy(), chain.upper.copy()
    for i, number in enumerate(chain.free):
        if math.isfinite(low[i]) and math.isfinite(high[i]):
            continue
        joint = chain.joints[number]
        if joint.kind == PRISMATIC:
            raise KinematicsError(
                f"joint '{joint.name}' slides without end; the published methods draw postures "
                "within limits: give it limits, m, or take method=Descent()"
            )
        if math.isfinite(low[i]):
            high[i] = low[i] + math.tau
        elif math.isfinite(high[i]):
            low[i] = high[i] - math.tau
        else:
            low[i], high[i] = -math.pi, math.pi
    return low, high


def _joined(
    parts: list[tuple[Array, Array, Array, dict[str, IntArray]]], dof: int
) -> tuple[Array, Array, Array, dict[str, IntArray]]:
    if not parts:
        return np.empty((0, dof)), np.empty(0), np.empty(0), {}
    q, error, angle, counts = zip(*parts, strict=True)
    joined = {name: np.concatenate([part[name] for part in counts]) for name in counts[0]}
    return np.concatenate(q), np.concatenate(error), np.concatenate(angle), joined
