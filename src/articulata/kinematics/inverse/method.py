"""What a method of inverse kinematics is: a frozen value that answers a question about a chain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.inverse.reason import NO_BRANCH, Reason

if TYPE_CHECKING:
    from articulata.kinematics.inverse.areas import Area
    from articulata.kinematics.serial import Serial

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many targets are done and how many there are."""


class Question(NamedTuple):
    """Targets that a chain is asked to meet: checked, flat, all numbers.

    ``targets`` (m, 3) places or (m, 4, 4) poses X_WT; ``area`` around places; ``start`` (dof,)
    or (m, dof); tolerances in m and rad.
    """

    chain: Serial
    targets: Array
    pose: bool
    area: Area | None
    start: Array | None
    tolerance: float
    angle_tolerance: float
    progress: Progress | None


class Answer(NamedTuple):
    """What a method found for m targets: see ``Postures`` for the fields."""

    q: Array
    error: Array
    angle: Array
    reason: IntArray
    branch: IntArray
    labels: tuple[str, ...]
    counts: Mapping[str, IntArray]


class Method(ABC):
    """A choice of method: the abstract base of the frozen values in this folder."""

    @abstractmethod
    def solve(self, question: Question) -> Answer:
        """Return a posture for each target, met or nearest."""


def searched(
    question: Question,
    q: Array,
    error: Array,
    angle: Array,
    counts: Mapping[str, IntArray],
) -> Answer:
    """Return the answer of a search that proves nothing: met, or given up."""
    met = (error <= question.tolerance) & (angle <= question.angle_tolerance)
    reason = np.where(met, int(Reason.MET), int(Reason.GAVE_UP))
    return Answer(q, error, angle, reason, np.full(len(q), NO_BRANCH), (), counts)


def _followers(question: Question) -> str:
    return ", ".join(joint.name for joint in question.chain.joints if joint.mimic is not None)


def refuse_unmet_areas(question: Question) -> None:
    """Raise for areas on a chain for which no method meets them."""
    ready = question.chain.prepared
    if question.area is None or ready.plain:
        return
    names = _followers(question)
    raise KinematicsError(
        f"areas are not met by chains with joints that follow others ({names}); ask for places"
        if names
        else "areas are not met by chains with joints that slide without end: give them limits, m"
    )


def refuse_areas(question: Question, method: str) -> None:
    """Raise for a method that knows points only."""
    refuse_unmet_areas(question)
    if question.area is not None:
        raise KinematicsError(
            f"{method} brings the tip to points and poses; areas are met by method=Descent()"
        )


def refuse_followers(question: Question, method: str) -> None:
    """Raise for a method that does not know joints that follow others."""
    refuse_unmet_areas(question)
    names = _followers(question)
    if names:
        raise KinematicsError(
            f"{method} moves each joint by itself; this chain has joints that follow others "
            f"({names}). Take method=Descent()"
        )


def in_parts(question: Question, size: int) -> range:
    """Return where the parts of a long question begin, the whole at once without progress."""
    m = len(question.targets)
    return range(0, m, size if question.progress is not None else max(m, 1))


def part_of(start: Array | None, begin: int, end: int) -> Array | None:
    """Return the starts of targets ``begin`` to ``end``."""
    return start[begin:end] if start is not None and start.ndim == 2 else start
