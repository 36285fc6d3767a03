"""One pose of an arm whose closed form has a kernel for it: microseconds from Python."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, Int64, IntArray
from articulata.kernels.chains.closed_forms.single_pose_layout import FLAGS, POSE, SLOTS
from articulata.kinematics.inverse.reason import Reason

if TYPE_CHECKING:
    from articulata.kernels.chains.closed_forms.single_pose import PoseSolver
    from articulata.kinematics.serial import Serial

_FLAGS = np.arange(256)
WITHIN = (_FLAGS & 17) == 1
"""By the flags of a branch in ``pose_blocks``: whether it exists and keeps the limits."""

DEGENERATE = np.where(_FLAGS & 1, (_FLAGS >> 1) & 7, 0)
"""By the flags of a branch in ``pose_blocks``: those of ``Degenerate``."""


class PoseBranches:
    """The branches of one pose, as the kernel left them in ``room``; read when asked for.

    Reading costs less than remembering would.
    """

    __slots__ = ("_count", "_room")
    intervals = None
    counts = None

    def __init__(self, room: Array, count: int) -> None:
        self._room = room
        self._count = count

    @property
    def X_WT(self) -> Float64[Array, "4 4"]:
        """The pose."""
        return self._room[POSE : POSE + 16].reshape(4, 4)

    @property
    def q(self) -> Float64[Array, "branches 6"]:
        """Postures of the branches that exist."""
        return self._room[: 6 * self._count].reshape(-1, 6)

    @property
    def branch(self) -> Int64[IntArray, "branches"]:
        """Their numbers."""
        return self._room[SLOTS : SLOTS + self._count].astype(np.int64)

    @property
    def within(self) -> Bool[BoolArray, "branches"]:
        """Which keep all limits."""
        return np.asarray(WITHIN[self._flags])

    @property
    def degenerate(self) -> Int64[IntArray, "branches"]:
        """Flags of ``Degenerate``."""
        return DEGENERATE[self._flags]

    @property
    def reason(self) -> Int64[IntArray, ""]:
        """Met: some branch keeps the limits."""
        return np.array(int(Reason.MET))

    @property
    def _flags(self) -> IntArray:
        return self._room[FLAGS : FLAGS + self._count].astype(np.int64)


class OnePose:
    """The part of a closed form that solves one pose at the least cost."""

    chain: Serial

    @property
    @abstractmethod
    def at_once(self) -> PoseSolver:
        """What solves one pose."""

    def one(self, X_WT: Float64[Array, "4 4"]) -> PoseBranches | None:
        """Return the branches of one pose where some branch keeps the limits."""
        room, count = self.at_once(X_WT)
        return PoseBranches(room, count) if count > 0 else None

    def nearest(
        self, X_WT: Float64[Array, "4 4"], q: Float64[Array, "6"]
    ) -> tuple[Array, int] | None:
        """Return the posture within limits nearest to ``q`` and its branch, by the quickest way."""
        posture, branch = self._chosen(X_WT, q)
        return (posture, branch) if branch >= 0 else None

    @cached_property
    def _chosen(self) -> Callable[[Array, Array], tuple[Array, int]]:
        from articulata.kernels.chains.closed_forms.single_pose import branch_chooser

        return branch_chooser(self.at_once, self.chain.lower, self.chain.upper)
