"""Closed forms: what an arm of known structure offers beside a search.

Arms are sorted by structure, not by name. To add one, write a class that keeps the protocol
``ClosedForm`` and enter its ``recognise`` in ``recognition.FORMS``.
"""

from __future__ import annotations

from enum import IntFlag
from typing import NamedTuple, Protocol

from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, Int64, IntArray

EIGHT = tuple(
    f"shoulder {'flipped' if slot & 4 else 'not flipped'}, "
    f"elbow {'-' if slot & 2 else '+'}, "
    f"wrist {'flipped' if slot & 1 else 'not flipped'}"
    for slot in range(8)
)
"""Words for eight slots: two ways each for shoulder, elbow and wrist."""


class Degenerate(IntFlag):
    """What is singular about a posture: there, branches meet or an angle is free."""

    NONE = 0
    WRIST = 1
    """Two joints of the wrist turn about one axis: only the sum of their angles is determined."""
    ELBOW = 2
    """The elbow is stretched or folded: its two branches meet."""
    SHOULDER = 4
    """The wrist lies where the two branches of the shoulder meet, or on the first axis."""
    SINGULAR = 8
    """Branches meet, in an arm of no special structure."""
    UNSURE = 16
    """As many branches as were found cannot be all: one more may be near another."""


class BranchTable(NamedTuple):
    """All branches of m poses, one slot for each branch that the structure can have.

    ``q`` (m, slots, dof), NaN where a branch does not exist; ``within`` whether it keeps all
    limits; ``degenerate`` flags of ``Degenerate``; ``reason`` (m,) numbers of ``Reason``, MET
    where some branch keeps the limits. A form with a free parameter also gives ``intervals`` (m,
    slots, most, 2) of it that keep the limits and how many there are, ``counts`` (m, slots); its
    ``q`` then is one posture of the widest interval.
    """

    q: Float64[Array, "m slots dof"]
    within: Bool[BoolArray, "m slots"]
    degenerate: Int64[IntArray, "m slots"]
    reason: Int64[IntArray, "m"]
    intervals: Array | None = None
    counts: IntArray | None = None


class Found(Protocol):
    """The branches of poses as ``Branches`` shows them, see there; made ready or on demand."""

    @property
    def X_WT(self) -> Float64[Array, "*batch 4 4"]:
        """The poses."""

    @property
    def branch(self) -> Int64[IntArray, "branches"]:
        """Numbers of the branches."""

    @property
    def q(self) -> Float64[Array, "*batch branches dof"]:
        """Postures."""

    @property
    def within(self) -> Bool[BoolArray, "*batch branches"]:
        """Which keep all limits."""

    @property
    def degenerate(self) -> Int64[IntArray, "*batch branches"]:
        """Flags of ``Degenerate``."""

    @property
    def reason(self) -> Int64[IntArray, "*batch"]:
        """Numbers of ``Reason``."""

    @property
    def intervals(self) -> Array | None:
        """Intervals of a family's parameter."""

    @property
    def counts(self) -> IntArray | None:
        """How many intervals each branch has."""


class ClosedForm(Protocol):
    """The closed form of one chain. Poses are X_WT; postures hold the chain's free coordinates."""

    @property
    def structure(self) -> str:
        """Name of the structure, such as "spherical wrist"."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Words for each slot, such as "shoulder left, elbow up, wrist flipped"."""

    @property
    def lasting(self) -> bool:
        """Whether a slot stays with its branch along a path; else slots are numbers only."""

    @property
    def parameter(self) -> str:
        """Name of the free parameter of a family ("swivel"), "" where branches are points."""

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return every branch of each pose."""

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return in each slot the posture nearest to ``q`` that keeps the limits, NaN where none.

        Where a posture is degenerate, free angles are taken from ``q``.
        """


class FamilyForm(ClosedForm, Protocol):
    """The closed form of a chain whose branches are families over a free parameter."""

    def at(
        self,
        X_WT: Float64[Array, "m 4 4"],
        slots: Int64[IntArray, "m"],
        values: Float64[Array, "m"],
    ) -> Float64[Array, "m dof"]:
        """Return the postures of given slots at given values of the free parameter."""
