"""Seven turning joints of any geometry: the curves of ``general_7r`` behind the protocol."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.kinematics.inverse.chain_question import as_numbers
from articulata.kinematics.inverse.chain_structure import regular
from articulata.kinematics.inverse.closed_form import BranchTable, Degenerate
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.turns import middles, nearest_turn, settled
from articulata.kinematics.joint import PRISMATIC

if TYPE_CHECKING:
    from articulata.kernels.chains.self_motion.general_7r import Arc, SevenArm
    from articulata.kernels.chains.self_motion.given_joint_7r import GivenArm
    from articulata.kernels.chains.self_motion.meeting_axes_7r import RootsArm
    from articulata.kinematics.serial import Serial


MOST = 256
"""Most families of one pose that are told, the widest first."""

_MEMORY = 64
_MIDDLE = "middle of joints' ranges"
_SINGULAR = 1e-6


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
        return nearest_turn(settled(turned, low, high), wanted, low, high)

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
            kept[_MIDDLE] = middles(self.chain.lower, self.chain.upper)
        middle: Array = kept[_MIDDLE]
        return middle


@dataclass(frozen=True, eq=False)
class RootsForm(SevenForm):
    """The families of one arm in closed form: eight branches over the angle of one joint."""

    labels: ClassVar[tuple[str, ...]] = tuple(f"branch {k}" for k in range(1, 9))

    @cached_property
    def roots(self) -> RootsArm:
        """The arm made ready."""
        from articulata.kernels.chains.self_motion.meeting_axes_7r import prepare_roots

        arm = self.arm
        assert arm.pieper is not None
        return prepare_roots(arm.pieper, arm.middle, arm.half)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the families of each pose; ``q`` is the middle of each widest interval."""
        from articulata.kernels.chains.self_motion.meeting_axes_7r import (
            CUT_SHORT,
            EXISTS,
            MEET,
            solve_roots,
        )

        found = solve_roots(self.roots, X_WT)
        within = found.counts > 0
        meet, short = found.state & MEET > 0, found.state & CUT_SHORT > 0
        flags = np.where(meet, int(Degenerate.SINGULAR), 0)
        flags |= np.where(short, int(Degenerate.UNSURE), 0)
        # a branch that is there and keeps no limits; where branches meet that proves nothing
        sure = (found.state & EXISTS > 0) & (flags == 0)
        reason = np.where(sure, int(Reason.LIMITS), int(Reason.GAVE_UP))
        reason = np.where(within.any(axis=1), int(Reason.MET), reason)
        most = max(1, int(found.counts.max(initial=1)))
        return BranchTable(
            self._turned(found.q, self._middle),
            within,
            np.where(within, flags[:, None], 0),
            reason,
            found.intervals[:, :, :most],
            found.counts,
        )

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return in each family the posture within limits that is nearest to ``q``."""
        from articulata.kernels.chains.self_motion.meeting_axes_7r import (
            nearest_of_roots,
            solve_roots,
        )

        found = nearest_of_roots(self.roots, X_WT, solve_roots(self.roots, X_WT), q)
        return self._turned(found, q[:, None])

    def at(
        self,
        X_WT: Float64[Array, "m 4 4"],
        slots: Int64[IntArray, "m"],
        values: Float64[Array, "m"],
    ) -> Float64[Array, "m dof"]:
        """Return the postures of branches at angles of the joint, NaN where they have none."""
        from articulata.kernels.chains.self_motion.meeting_axes_7r import postures_of

        return self._turned(postures_of(self.roots, X_WT, slots, values), self._middle)


_REASONS = np.array([int(Reason.GAVE_UP), int(Reason.LIMITS), int(Reason.MET)])
"""Of a pose without a posture, of one whose postures leave the limits, of one that is met."""


@dataclass(frozen=True, eq=False)
class GivenForm(SevenForm):
    """The postures of one arm with the joint ``given`` at ``values``, one for each pose."""

    given: int = 0
    values: npt.NDArray[np.float64] | None = None

    structure: ClassVar[str] = "seven turning joints, one given"

    @property
    def parameter(self) -> str:
        """Return "": postures are single where a joint is given."""
        return ""

    @staticmethod
    def of(chain: Serial, given: Mapping[str, npt.ArrayLike], batch: tuple[int, ...]) -> GivenForm:
        """Return the form of a chain with one joint given for each pose of a batch."""
        slides = any(joint.kind == PRISMATIC for joint in chain.joints)
        if chain.dof != 7 or slides or not chain.prepared.plain:
            raise KinematicsError(
                "a joint can be given in a chain of seven joints that turn; this one has "
                f"{chain.dof} joints that move"
            )
        if len(given) != 1 or next(iter(given)) not in chain.names:
            raise KinematicsError(
                f"given= takes one joint by its name, such as {{'{chain.names[-1]}': 0.3}}, not "
                f"{', '.join(map(repr, given)) or 'none'}; the joints are {', '.join(chain.names)}"
            )
        ((name, angle),) = cast(Mapping[str, Any], given).items()
        if batch == () and isinstance(angle, float) and math.isfinite(angle):
            # one angle must cost microseconds
            return GivenForm(chain, given=chain.names.index(name), values=np.array([angle]))
        values = as_numbers(angle, f"values of '{name}'")
        try:
            values = np.broadcast_to(values, batch).reshape(-1)
        except ValueError:
            raise KinematicsError(
                f"'{name}' is one angle or one for each pose {batch}, not shape {values.shape}"
            ) from None
        if not np.isfinite(values).all():
            raise KinematicsError(f"values of '{name}' are finite angles, rad")
        return GivenForm(chain, given=chain.names.index(name), values=np.ascontiguousarray(values))

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return every posture of each pose."""
        from articulata.kernels.chains.self_motion.given_joint_7r import solve_given

        assert self.values is not None
        q, kept = solve_given(self._given_arm, X_WT, self.values)
        return BranchTable(
            q, kept.within, np.zeros(kept.within.shape, np.int64), _REASONS[kept.state]
        )

    @property
    def _given_arm(self) -> GivenArm:
        """The arm made ready; kept with the chain, once for each joint that is given."""
        from articulata.kernels.chains.closed_forms.general_6r import moving_links
        from articulata.kernels.chains.self_motion.given_joint_7r import prepare_given

        ready, key = self.chain.prepared, f"joint {self.given} given"
        if key not in ready.kept:
            ready.kept[key] = prepare_given(
                *moving_links(ready.fixed, ready.kinds, ready.tip),
                self.given,
                self._middle,
                self.chain.lower,
                self.chain.upper,
            )
        arm: GivenArm = ready.kept[key]
        return arm
