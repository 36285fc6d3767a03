"""Published methods that move one joint after the other: increments, descent, triangulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.chains.iterative_solvers.target_areas import NO_AREA
from articulata.kinematics.inverse.iterated import Iterated, finite_limits
from articulata.kinematics.inverse.method import Question, refuse_followers
from benchmarks.published.increment_method import Limbs, Variant, increments_batch
from benchmarks.published.joint_sweeps import coordinate_descent, triangulation

_VARIANTS = {"A": (False, False), "B": (False, True), "C": (True, False), "D": (True, True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places(Iterated):
    """A published method for places alone, not for areas."""

    def check(self, question: Question) -> None:
        """Raise where the method cannot answer the question."""
        refuse_poses(question, type(self).__name__)
        Iterated.check(self, question)


@dataclass(frozen=True, slots=True)
class Increment(Iterated):
    """The increments of Otmani & Pruski (2009, section 5), variants "A" to "E".

    Each joint in turn tries to move by ``rate`` of its range, either way, and keeps what brings
    the tip nearer. A: all matrices multiplied anew; B: the direction remembered; C: three
    products for each trial, eq. (7); D: both; E: D with a rate divided by ``divisor``
    when an iteration gains less than ``least_change`` m, eq. (2). Stops when met, when nothing
    is gained (E: when the rate is below ``least_rate``) or after ``iterations``. Rates None:
    as printed, 0.015 for A to D and 0.5 for E. Counts: iterations, products, and ``stop``: 0
    met, 1 unchanged, 2 exhausted.
    """

    variant: Literal["A", "B", "C", "D", "E"] = "E"
    rate: float | None = None
    divisor: float = 3.0
    least_change: float = 1e-3
    least_rate: float = 1e-8
    iterations: int = 400

    def __post_init__(self) -> None:
        Iterated.__post_init__(self)
        if self.variant not in (*_VARIANTS, "E"):
            raise KinematicsError(
                f"the variants of Increment are 'A' to 'E', not {self.variant!r} "
                "(Otmani & Pruski 2009, section 5)"
            )
        if (self.rate is not None and not 0.0 < self.rate <= 1.0) or not self.divisor > 1.0:
            raise KinematicsError(
                "Increment takes a rate above 0 and up to 1 and a divisor above 1, not "
                f"rate={self.rate}, divisor={self.divisor}"
            )

    def check(self, question: Question) -> None:
        """Raise where the method cannot answer the question."""
        refuse_poses(question, type(self).__name__)
        refuse_followers(question, type(self).__name__)

    def improve(self, question: Question, q: Array) -> Mapping[str, IntArray]:
        """Improve ``q`` in place; return iterations, products and why each search stopped."""
        ready = question.chain.prepared
        low, high = (ready.all_joints(limit) for limit in finite_limits(question.chain))
        shrinking = self.variant == "E"
        incremental, memory = _VARIANTS.get(self.variant, (True, True))
        area = question.area
        base = ready.base_turn
        shape = NO_AREA if area is None else area.table(base)
        rate = self.rate if self.rate is not None else (0.5 if shrinking else 0.015)
        distance = np.empty(len(q))
        counts = np.empty((len(q), 3), np.int64)
        turning = 0 if base is None else base.joint
        variant = Variant(
            incremental,
            memory,
            rate,
            self.divisor if shrinking else 1.0,
            self.least_change if shrinking else 0.0,
            self.least_rate,
            question.tolerance,
            self.iterations,
        )
        limbs = Limbs(ready.fixed, ready.kinds, ready.tip, low, high, shape, turning)
        increments_batch(limbs, question.targets, q, variant, distance, counts)
        return {
            "iterations": counts[:, 0].copy(),
            "products": counts[:, 1].copy(),
            "stop": counts[:, 2].copy(),
        }


@dataclass(frozen=True, slots=True)
class CoordinateDescent(_Places):
    """Cyclic coordinate descent, tip to base (Wang & Chen 1991); ``cap`` rad bounds each turn.

    Without a cap a joint turns as far as brings the tip nearest; with one, the motion spreads
    over the chain. At most ``sweeps`` over all joints.
    """

    cap: float = math.inf
    sweeps: int = 200

    def __post_init__(self) -> None:
        Iterated.__post_init__(self)
        if not self.cap > 0.0 or self.sweeps < 1:
            raise KinematicsError(
                "CoordinateDescent takes a positive cap, rad, and at least one sweep, not "
                f"cap={self.cap}, sweeps={self.sweeps}"
            )

    def improve(self, question: Question, q: Array) -> Mapping[str, IntArray]:
        """Improve ``q`` in place; return the sweeps."""
        settings = float(self.cap), question.tolerance, self.sweeps
        return _one_by_one(coordinate_descent, question, q, settings)


@dataclass(frozen=True, slots=True)
class Triangulation(_Places):
    """Triangulation, base to tip (Mueller-Cajar & Mukundan 2007), repeated up to ``passes``.

    Each joint turns so that its link, the rest taken straight and the line to the target make
    a triangle, in the plane across its axis. Joints that slide stay.
    """

    passes: int = 200

    def __post_init__(self) -> None:
        Iterated.__post_init__(self)
        if self.passes < 1:
            raise KinematicsError(f"Triangulation takes at least one pass, not {self.passes}")

    def improve(self, question: Question, q: Array) -> Mapping[str, IntArray]:
        """Improve ``q`` in place; return the passes."""
        settings = question.tolerance, self.passes
        return _one_by_one(triangulation, question, q, settings)


def refuse_poses(question: Question, method: str) -> None:
    """Raise for a method that knows places only."""
    if question.pose:
        raise KinematicsError(
            f"{method} brings the tip to places (*batch, 3), as published; for poses "
            "(*batch, 4, 4) take Descent(), a Jacobian method or a closed form"
        )


def _one_by_one(
    kernel: Callable[..., tuple[float, int]],
    question: Question,
    q: Array,
    settings: tuple[float, ...],
) -> Mapping[str, IntArray]:
    """Improve each row of ``q`` in place by the kernel; return its rounds over the joints."""
    ready = question.chain.prepared
    fixed = ready.fixed, ready.kinds, ready.tip, ready.lower, ready.upper
    rounds = np.empty(len(q), np.int64)
    for p, target in enumerate(question.targets):
        _, rounds[p] = kernel(*fixed, target, q[p], *settings)
    return {"iterations": rounds}
