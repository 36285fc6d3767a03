"""The Jacobian methods as published, for targets and for paths."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.rotation import Rotation
from articulata.kinematics.inverse.iterated import Iterated
from articulata.kinematics.inverse.method import Question

if TYPE_CHECKING:
    from articulata.kernels.chains.iterative_solvers.jacobian_methods import Law, Links

TRANSPOSE, PSEUDOINVERSE, DAMPED, EXTENDED = range(4)
"""Numbers of the methods, as in ``kernels.chains.iterative_solvers.jacobian_methods``."""


@dataclass(frozen=True, slots=True, eq=False)
class Pull:
    """A null-space task: draw the posture toward ``posture`` where that leaves the tip alone.

    ``gain`` is the share of the way in one step; ``posture`` (dof,) is the chain's neutral one
    where none is given.
    """

    gain: float = 0.1
    posture: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.gain <= 1.0:
            raise KinematicsError(
                f"the gain of Pull is the share of the way in one step, above 0 and up to 1, "
                f"not {self.gain}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class JacobianMethod(Iterated):
    """What the Jacobian methods share.

    ``largest`` bounds the tip's motion asked for in one step, m or rad; at most ``steps``.
    ``feedback`` is the share of the error made so far that is put right in each step of a path.
    """

    largest: float = 0.2
    steps: int = 200
    feedback: float = 0.0

    def __post_init__(self) -> None:
        Iterated.__post_init__(self)
        if not self.largest > 0.0 or self.steps < 1 or not 0.0 <= self.feedback <= 1.0:
            raise KinematicsError(
                f"{type(self).__name__} takes a positive largest step, at least one step, and a "
                f"feedback between 0 and 1, not largest={self.largest}, steps={self.steps}, "
                f"feedback={self.feedback}"
            )

    @property
    @abstractmethod
    def kind(self) -> tuple[int, float, Pull | None]:
        """The kernel's number of the method, the damping and the null-space task."""

    def improve(self, question: Question, q: Array) -> Mapping[str, IntArray]:
        """Improve ``q`` in place; return the steps."""
        from articulata.kernels.chains.iterative_solvers.jacobian_methods import (
            End,
            iterate,
        )

        ready = question.chain.prepared
        law, links = self._law(question)
        limits = ready.lower, ready.upper
        near = question.tolerance, question.angle_tolerance
        end = End(float(self.largest), *near, self.steps)
        used = np.empty(len(q), np.int64)
        for p, target in enumerate(_goals(question.targets)):
            rows = 6 if question.pose else 3
            _, _, used[p] = iterate(law, links, limits, target, rows, q[p], end)
        return {"iterations": used}

    def track(self, question: Question, q: Array) -> Array:
        """Follow the targets as a path by rates from posture ``q`` (dof,): resolved motion.

        Whitney 1969. One step for each place or pose, no limits; returns postures (m, dof).
        """
        from articulata.kernels.chains.iterative_solvers.jacobian_methods import follow

        ready = question.chain.prepared
        path = _goals(question.targets)
        out = np.empty((len(path), len(ready.kinds)))
        rows, start = 6 if question.pose else 3, np.array(ready.all_joints(q))
        follow(*self._law(question), path, rows, start, float(self.feedback), out)
        return ready.coordinates(out)

    def _law(self, question: Question) -> tuple[Law, Links]:
        """Return what the kernels take of the method and of the chain."""
        from articulata.kernels.chains.iterative_solvers.jacobian_methods import (
            Law,
            Links,
        )

        ready = question.chain.prepared
        number, damping, task = self.kind
        gain, neutral = _task(question, task)
        law = Law(number, float(damping), float(gain), neutral)
        return law, Links(ready.chain.arrays, ready.tip)


@dataclass(frozen=True, slots=True)
class JacobianTranspose(JacobianMethod):
    """Steps along ``J^T e``, scaled to the best length (Wolovich & Elliott 1984)."""

    @property
    def kind(self) -> tuple[int, float, Pull | None]:
        """The kernel's number of the method, the damping and the null-space task."""
        return TRANSPOSE, 0.0, None


@dataclass(frozen=True, slots=True)
class Pseudoinverse(JacobianMethod):
    """Steps by ``J+ e``, the shortest that make the motion (Whitney 1969), plus a task."""

    task: Pull | None = None

    @property
    def kind(self) -> tuple[int, float, Pull | None]:
        """The kernel's number of the method, the damping and the null-space task."""
        return PSEUDOINVERSE, 0.0, self.task


@dataclass(frozen=True, slots=True)
class DampedLeastSquares(JacobianMethod):
    """Steps by ``J^T (J J^T + damping^2)^-1 e`` (Nakamura & Hanafusa, Wampler 1986), plus a task.

    ``damping`` in the Jacobian's units, m or rad for a radian.
    """

    damping: float = 0.05
    task: Pull | None = None

    def __post_init__(self) -> None:
        JacobianMethod.__post_init__(self)
        if not self.damping > 0.0:
            raise KinematicsError(
                f"DampedLeastSquares takes a positive damping, not {self.damping}"
            )

    @property
    def kind(self) -> tuple[int, float, Pull | None]:
        """The kernel's number of the method, the damping and the null-space task."""
        return DAMPED, self.damping, self.task


@dataclass(frozen=True, slots=True)
class ExtendedJacobian(JacobianMethod):
    """The Jacobian extended by a task's condition, so that closed paths close (Baillieul 1985)."""

    task: Pull = Pull(1.0)

    @property
    def kind(self) -> tuple[int, float, Pull | None]:
        """The kernel's number of the method, the damping and the null-space task."""
        return EXTENDED, 0.0, self.task


@dataclass(frozen=True, slots=True)
class ResolvedMotion(JacobianMethod):
    """Resolved motion rates: a straight way to the target in ``steps``, by rates (Whitney 1969).

    The joints move by ``J+`` times the tip's rate. Without feedback the error of each step stays.
    No limits on the way, as published; the posture reached is clamped.
    """

    task: Pull | None = None

    @property
    def kind(self) -> tuple[int, float, Pull | None]:
        """The kernel's number of the method, the damping and the null-space task."""
        return PSEUDOINVERSE, 0.0, self.task

    def improve(self, question: Question, q: Array) -> Mapping[str, IntArray]:
        """Improve ``q`` in place; return the steps."""
        ready = question.chain.prepared
        low, high = question.chain.lower, question.chain.upper
        share = np.linspace(0.0, 1.0, self.steps + 1)[:, None]
        for p, target in enumerate(question.targets):
            first = ready.coordinates(q[p])
            X = question.chain.tip(first)
            if question.pose:
                way = np.tile(np.eye(4), (len(share), 1, 1))
                way[:, :3, 3] = X[:3, 3] + share * (target[:3, 3] - X[:3, 3])
                way[:, :3, :3] = _turned(X[:3, :3], target[:3, :3], share[:, 0])
            else:
                way = X[:3, 3] + share * (target - X[:3, 3])
            end = self.track(question._replace(targets=way), first)[-1]
            q[p] = ready.all_joints(np.clip(end, low, high))
        return {"iterations": np.full(len(q), self.steps)}


def _task(question: Question, task: Pull | None) -> tuple[float, Array]:
    chain, ready = question.chain, question.chain.prepared
    posture = chain.neutral
    if task is not None and task.posture is not None:
        posture = np.asarray(task.posture, float)
        if posture.shape != (chain.dof,) or not np.isfinite(posture).all():
            raise KinematicsError(
                f"the posture of Pull has {chain.dof} numbers ({', '.join(chain.names)}), not "
                f"shape {posture.shape}"
            )
    return (0.0 if task is None else task.gain), np.array(ready.all_joints(posture))


def _goals(targets: Array) -> Array:
    """Return targets as (m, 3, 4), places without a turn."""
    if targets.ndim == 3:
        return np.ascontiguousarray(targets[:, :3])
    goals = np.tile(np.eye(3, 4), (len(targets), 1, 1))
    goals[:, :, 3] = targets
    return goals


def _turned(R: Array, wanted: Array, share: Array) -> Array:
    """Return rotations on the shortest way from ``R`` to ``wanted``."""
    first, last = (Rotation.from_matrix(each, nearest=True) for each in (R, wanted))
    return first.slerp(last, share).to_matrix()
