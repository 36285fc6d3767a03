"""Answers of inverse kinematics: never a bare array, always with error, verdict and reason.

``q`` is the posture that meets its target or, where ``found`` is False, the one that comes
nearest. A reason is either *proved* (no posture can meet the target) or says that a search ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, Int64, IntArray

if TYPE_CHECKING:
    from articulata.kinematics.chain import Chain
    from articulata.kinematics.inverse.areas import Area

NO_BRANCH = -1
"""Branch of a posture that came from a search."""


class Reason(IntEnum):
    """Why a target is not met. Arrays of reasons hold the numbers; ``Reason(number)`` names one."""

    MET = 0
    """It is met."""
    TOO_FAR = 1
    """Proved: beyond what the links span, whatever the limits of the joints that turn."""
    TOO_NEAR = 2
    """Proved: the links cannot fold so near."""
    LIMITS = 3
    """Proved: the links would reach, the joints' limits do not allow it."""
    ORIENTATION = 4
    """Proved: the place can be reached, not with this orientation."""
    GAVE_UP = 5
    """Not proved: the search ended without meeting the target."""
    COLLISION = 6
    """A posture meets the target and strikes something."""
    NOT_A_NUMBER = 7
    """The target holds NaN or an infinite number."""

    @property
    def proved(self) -> bool:
        """Whether no posture of the chain can meet the target."""
        return self in (Reason.TOO_FAR, Reason.TOO_NEAR, Reason.LIMITS, Reason.ORIENTATION)


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

    chain: Chain
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
        from articulata.kinematics.inverse.explaining import explain

        if index == (0,) and not self.batch:
            index = ()
        if len(index) != len(self.batch):
            raise KinematicsError(
                f"the answers have a batch of shape {self.batch}; explain needs "
                f"{len(self.batch)} whole numbers to pick one, not {len(index)}"
            )
        self._at(self.error, index)
        place = int(np.ravel_multi_index(index, self.batch, mode="wrap")) if index else 0
        return explain(self, place)

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
