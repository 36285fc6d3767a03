"""Seven turning joints of any geometry: the curves of ``general_7r`` behind the protocol."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.kinematics.inverse.chain_structure import regular
from articulata.kinematics.inverse.closed_form import BranchTable, Degenerate
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.turns import nearest_turn
from articulata.kinematics.joint import PRISMATIC

if TYPE_CHECKING:
    from articulata.kernels.chains.self_motion.general_7r import Arc, SevenArm
    from articulata.kinematics.serial import Serial

MOST = 256
"""Most families of one pose that are told, the widest first."""

_MEMORY = 64
_MIDDLE = "middle of joints' ranges"
_SINGULAR = 1e-6
_AT_LIMIT = 1e-9


@dataclass(frozen=True, eq=False)
class SevenForm:
    """The families of one arm: arcs of its self motions, over the angle of one joint.

    A family ends at limits, or where its joint turns back and another family begins.
    """

    chain: Serial
    _known: dict[bytes, list[Arc]] = field(default_factory=dict, repr=False)

    structure: ClassVar[str] = "seven turning joints"
    lasting: ClassVar[bool] = False
    labels: ClassVar[tuple[str, ...]] = tuple(f"branch {k}" for k in range(1, MOST + 1))

    @staticmethod
    def recognise(chain: Serial) -> SevenForm | None:
        """Return the form of seven joints that turn; None where every posture is singular."""
        if chain.dof != 7 or any(joint.kind == PRISMATIC for joint in chain.joints):
            return None
        return SevenForm(chain) if regular(chain) else None

    @cached_property
    def arm(self) -> SevenArm:
        """The arm made ready."""
        from articulata.kernels.chains.closed_forms.general_6r import moving_links
        from articulata.kernels.chains.self_motion.general_7r import prepare_seven

        ready = self.chain.prepared
        links, unit = moving_links(ready.fixed, ready.kinds, ready.tip)
        arm = prepare_seven(links, unit, self.chain.lower, self.chain.upper)
        if arm is None:
            raise KinematicsError("every posture of this chain is singular; use inverse()")
        return arm

    @property
    def parameter(self) -> str:
        """The joint whose angle tells a family's postures apart."""
        return self.chain.names[self.arm.driver]

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the families of each pose; ``q`` is the middle of each widest interval."""
        every = [self._arcs(X) for X in X_WT]
        m, slots = len(every), max(1, max(map(len, every), default=1))
        most = max(1, max((len(arc.intervals) for arcs in every for arc in arcs), default=1))
        q = np.full((m, slots, 7), np.nan)
        intervals, counts = np.full((m, slots, most, 2), np.nan), np.zeros((m, slots), np.int64)
        degenerate = np.zeros((m, slots), np.int64)
        for p, arcs in enumerate(every):
            for k, arc in enumerate(arcs):
                n = counts[p, k] = len(arc.intervals)
                intervals[p, k, :n] = arc.intervals
                if n:
                    low, high = arc.intervals[np.diff(arc.intervals)[:, 0].argmax()]
                    q[p, k] = self._on(X_WT[p], arc, np.array([0.5 * (low + high)]))[0]
                else:
                    q[p, k] = arc.q[len(arc.q) // 2]
                if arc.pivot < _SINGULAR:
                    degenerate[p, k] = int(Degenerate.SINGULAR)
        within = counts > 0
        some = np.array([bool(arcs) for arcs in every], bool)
        reason = np.where(some, int(Reason.LIMITS), int(Reason.GAVE_UP))
        reason = np.where(within.any(axis=1), int(Reason.MET), reason)
        q = self._turned(q, self._middle)
        return BranchTable(q, within, degenerate, reason, intervals, counts)

    def one(self, X_WT: Float64[Array, "4 4"]) -> None:
        """Return None: families are told by ``branches`` alone."""

    def nearest(self, X_WT: Float64[Array, "4 4"], q: Float64[Array, "7"]) -> None:
        """Return None: families are searched by ``near`` alone."""

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return in each family the posture within limits that is nearest to ``q``."""
        from articulata.kernels.chains.self_motion.general_7r import nearest_of

        every = [self._arcs(X) for X in X_WT]
        out = np.full((len(every), max(1, max(map(len, every), default=1)), 7), np.nan)
        for p, arcs in enumerate(every):
            for k, arc in enumerate(arcs):
                found = nearest_of(self.arm, X_WT[p], arc, q[p])
                if found is not None:
                    out[p, k] = found
        return self._turned(out, q[:, None])

    def at(
        self,
        X_WT: Float64[Array, "m 4 4"],
        slots: Int64[IntArray, "m"],
        values: Float64[Array, "m"],
    ) -> Float64[Array, "m dof"]:
        """Return the postures of families at angles of their joint, NaN where it has none."""
        q = np.full((len(X_WT), 7), np.nan)
        keys = [X.tobytes() for X in X_WT]
        asked: dict[tuple[bytes, int], list[int]] = {}
        for p, (key, slot) in enumerate(zip(keys, slots.tolist(), strict=True)):
            asked.setdefault((key, slot), []).append(p)
        for (_, slot), rows in asked.items():
            arcs = self._arcs(X_WT[rows[0]])
            if 0 <= slot < len(arcs):
                q[rows] = self._on(X_WT[rows[0]], arcs[slot], values[rows])
        return self._turned(q, self._middle)

    def _on(self, X_WT: Array, arc: Arc, values: Array) -> Array:
        from articulata.kernels.chains.self_motion.general_7r import postures_on

        return postures_on(self.arm, X_WT, arc, values)

    def _turned(self, q: Array, wanted: Array) -> Array:
        """Return postures with whole turns that bring joints within limits and near ``wanted``.

        At the end of an interval a joint stands at its limit, but for rounding.
        """
        low, high = self.chain.lower, self.chain.upper
        turned = q - math.tau * np.floor((q - self._middle) / math.tau + 0.5)
        off = np.maximum(low - turned, turned - high)
        turned = np.where((off > 0.0) & (off < _AT_LIMIT), np.clip(turned, low, high), turned)
        return nearest_turn(turned, wanted, low, high)

    def _arcs(self, X_WT: Array) -> list[Arc]:
        """Return the arcs of a pose; those of the last poses are remembered."""
        from articulata.kernels.chains.self_motion.general_7r import arcs_of

        key = X_WT.tobytes()
        found = self._known.get(key)
        if found is None:
            good = bool(np.isfinite(X_WT).all())
            found = arcs_of(self.arm, X_WT)[:MOST] if good else []
            while len(self._known) >= _MEMORY:
                self._known.pop(next(iter(self._known)), None)
            self._known[key] = found
        return found

    @property
    def _middle(self) -> Array:
        """The middle of each joint's range, 0 where there is none; kept with the chain."""
        kept = self.chain.prepared.kept
        if _MIDDLE not in kept:
            low, high = self.chain.lower, self.chain.upper
            bounded = np.isfinite(low) & np.isfinite(high)
            between = 0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0))
            kept[_MIDDLE] = np.where(high - low < 2.0 * math.tau, between, 0.0)
        middle: Array = kept[_MIDDLE]
        return middle
