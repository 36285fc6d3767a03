"""Six turning joints of any geometry: the elimination ``general_6r`` behind the protocol."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, Float64, IntArray
from articulata.kinematics.inverse.chain_question import RIGID
from articulata.kinematics.inverse.chain_structure import regular
from articulata.kinematics.inverse.closed_form import EIGHT, BranchTable, Degenerate
from articulata.kinematics.inverse.one_pose import DEGENERATE, WITHIN, OnePose
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.turns import middles, nearest_turn
from articulata.kinematics.joint import PRISMATIC

if TYPE_CHECKING:
    from articulata.kernels.chains.closed_forms.general_6r import GeneralArm, Solved
    from articulata.kernels.chains.closed_forms.meeting_axes_6r import PieperArm
    from articulata.kernels.chains.closed_forms.parallel_axes_6r import ParallelArm
    from articulata.kernels.chains.closed_forms.single_pose import PoseSolver
    from articulata.kinematics.inverse.sliding_roots import SlidingArm
    from articulata.kinematics.serial import Serial


_BRANCHES = 16
_TRIALS = 24
_SLACK = 1e-10
"""A joint this little outside its limits, rad, stands at them."""


@dataclass(frozen=True, eq=False)
class SixJointsForm:
    """All postures of one arm, at most sixteen, in the order of their first angles.

    Branches have numbers only: in an arm without structure one may be led into another without
    passing a singular posture (Wenger, Cuspidal robots, 2007), so no words would stay with them.
    """

    chain: Serial

    structure: ClassVar[str] = "six turning joints"
    parameter: ClassVar[str] = ""
    lasting: ClassVar[bool] = False
    labels: ClassVar[tuple[str, ...]] = tuple(f"branch {k}" for k in range(1, _BRANCHES + 1))

    @staticmethod
    def recognise(chain: Serial) -> SixJointsForm | None:
        """Return the form of six joints, of which one may slide; None where all are singular."""
        slides = sum(joint.kind == PRISMATIC for joint in chain.joints)
        if chain.dof != 6 or slides > 1 or not regular(chain):
            return None
        if not slides:
            return SixJointsForm(chain)
        form = SlideForm(chain)
        return form if form.finds_again() else None

    def finds_again(self) -> bool:
        """Return whether postures drawn at random come back.

        With further axes parallel or meeting, equations may hold for every angle.
        """
        travel = np.minimum(0.5 * (self.chain.upper - self.chain.lower), self.chain.prepared.reach)
        span = np.where(self._slides, travel, math.pi)
        share = np.random.default_rng(0).uniform(-1.0, 1.0, (_TRIALS, 6))
        q = np.where(self._slides, self._middle, 0.0) + share * span
        found = self.branches(self.chain.tip(q)).q
        off = np.where(
            self._slides,
            found - q[:, None],
            np.remainder(found - q[:, None] + np.pi, 2.0 * np.pi) - np.pi,
        )
        off = np.nan_to_num(np.abs(off).max(axis=2), nan=np.inf)
        return bool((off.min(axis=1) < 1e-6).all())

    @cached_property
    def arm(self) -> GeneralArm | None:
        """The arm made ready; None where no elimination is regular."""
        from articulata.kernels.chains.closed_forms.general_6r import prepare_general

        ready, travel = self.chain.prepared, (-math.inf, math.inf)
        if self._slides.any():
            k = int(self._slides.argmax())
            travel = float(self.chain.lower[k]), float(self.chain.upper[k])
        return prepare_general(ready.fixed, ready.kinds, ready.tip, travel)

    def solved(self, X_WT: Float64[Array, "m 4 4"]) -> Solved | None:
        """Return every posture of each pose as the kernels give them; None where none can."""
        from articulata.kernels.chains.closed_forms.general_6r import solve_all

        return None if self.arm is None else solve_all(self.arm, X_WT)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return every posture of each pose."""
        from articulata.kernels.chains.closed_forms.general_6r_postures import SINGULAR

        m = len(X_WT)
        found = self.solved(X_WT)
        if found is None:
            q = np.full((m, _BRANCHES, 6), np.nan)
            nothing = np.zeros((m, _BRANCHES), np.int64)
            return BranchTable(q, np.asarray(nothing > 0), nothing, np.full(m, int(Reason.GAVE_UP)))
        singular = np.asarray(found.pivot < SINGULAR)
        # roots may be lost where branches meet: what is not found there is not proved away
        sure = (found.count > 0) & ~found.doubt & ~singular.any(axis=1)
        flags = np.where(singular, int(Degenerate.SINGULAR), 0)
        flags |= np.where(found.doubt, int(Degenerate.UNSURE), 0)[:, None]
        return self._told(found.q, np.where(np.isnan(found.q[:, :, 0]), 0, flags), sure)

    def _told(self, q: Array, degenerate: IntArray, sure: BoolArray) -> BranchTable:
        """Return what limits leave of postures; where not ``sure`` (m,), limits prove nothing."""
        from articulata.kernels.chains.whole_turns import stand_within

        q = self._turned(q, self._middle)
        within = np.empty(q.shape[:2], np.bool_)
        rows = q.reshape(-1, q.shape[2]), self.chain.lower, self.chain.upper
        stand_within(*rows, _SLACK, within.reshape(-1))
        unmet = np.where(sure, int(Reason.LIMITS), int(Reason.GAVE_UP))
        reason = np.where(within.any(axis=1), int(Reason.MET), unmet)
        return BranchTable(q, within, degenerate, reason)

    def near(
        self, X_WT: Float64[Array, "m 4 4"], q: Float64[Array, "m dof"]
    ) -> Float64[Array, "m slots dof"]:
        """Return each branch within limits, whole turns chosen near ``q``."""
        found = self.branches(X_WT)
        postures = np.where(found.within[:, :, None], found.q, np.nan)
        return self._turned(postures, q[:, None, :])

    def _turned(self, q: Array, wanted: Array) -> Array:
        """Return postures with whole turns within limits and near ``wanted``; slides stay."""
        turned = nearest_turn(q, wanted, self.chain.lower, self.chain.upper)
        return np.where(self._slides, q, turned) if self._slides.any() else turned

    @cached_property
    def _slides(self) -> BoolArray:
        """Which of the joints slide."""
        names = {joint.name for joint in self.chain.joints if joint.kind == PRISMATIC}
        return np.array([name in names for name in self.chain.names])

    @cached_property
    def _middle(self) -> Array:
        """The middle of each joint's range, 0 where there is none."""
        return middles(self.chain.lower, self.chain.upper)


@dataclass(frozen=True, eq=False)
class SlideForm(SixJointsForm):
    """All postures of one arm of five turning joints and a slide anywhere among them."""

    structure: ClassVar[str] = "five turning joints and a slide"


@dataclass(frozen=True, eq=False)
class ParallelForm(OnePose, SixJointsForm):
    """The eight branches of one arm: shoulder, elbow and wrist, two ways each."""

    parallel: ParallelArm

    structure: ClassVar[str] = "three parallel axes"
    lasting: ClassVar[bool] = True
    labels: ClassVar[tuple[str, ...]] = EIGHT

    @staticmethod
    def recognise(chain: Serial) -> ParallelForm | None:
        """Return the form of six turning joints, axes 2 to 4 parallel, 5 and 6 meeting."""
        from articulata.kernels.chains.closed_forms.parallel_axes_6r import prepare_parallel

        if chain.dof != 6:
            return None
        ready = chain.prepared
        arm = prepare_parallel(ready.fixed, ready.kinds, ready.tip, ready.lower, ready.upper)
        return None if arm is None else ParallelForm(chain, arm)

    @cached_property
    def at_once(self) -> PoseSolver:
        """What solves one pose."""
        from articulata.kernels.chains.closed_forms.parallel_axes_6r import solve_pose
        from articulata.kernels.chains.closed_forms.single_pose import pose_solver

        return pose_solver(solve_pose, (self.parallel.constants,), RIGID)

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return the eight branches of each pose."""
        from articulata.kernels.chains.closed_forms.parallel_axes_6r import solve_parallel

        q, flags, reasons = solve_parallel(self.parallel, X_WT)
        reason = reasons.astype(np.int64)
        degenerate = DEGENERATE[flags]
        if np.count_nonzero(reason):
            # an angle that is free was chosen by rule: other choices may keep the limits
            unsure = (reason == Reason.LIMITS) & (degenerate != 0).any(axis=1)
            reason[unsure] = Reason.GAVE_UP
        return BranchTable(q, WITHIN[flags], degenerate, reason)


@dataclass(frozen=True, eq=False)
class MeetingForm(SixJointsForm):
    """All postures of one arm, at most eight, in the order of their first angles."""

    pieper: PieperArm
    links: Array

    structure: ClassVar[str] = "three meeting axes"

    @staticmethod
    def recognise(chain: Serial) -> MeetingForm | None:
        """Return the form of six turning joints, three neighbours' axes through one point."""
        from articulata.kernels.chains.closed_forms.general_6r import moving_links
        from articulata.kernels.chains.closed_forms.meeting_axes_6r import prepare_pieper

        ready = chain.prepared
        if chain.dof != 6 or bool((ready.kinds == 1).any()):
            return None
        links, unit = moving_links(ready.fixed, ready.kinds, ready.tip)
        arm = prepare_pieper(links, unit)
        if arm is None or not regular(chain):
            return None
        form = MeetingForm(chain, arm, links)
        return form if form.finds_again() else None

    def branches(self, X_WT: Float64[Array, "m 4 4"]) -> BranchTable:
        """Return every posture of each pose."""
        from articulata.kernels.chains.closed_forms.general_6r_postures import SINGULAR
        from articulata.kernels.chains.closed_forms.meeting_axes_6r import solve_and_polish

        q, pivot, count = solve_and_polish(self.pieper, self.links, X_WT)
        singular = np.asarray(pivot < SINGULAR)
        odd = count % 2 == 1
        flags = np.where(singular, int(Degenerate.SINGULAR), 0)
        flags |= np.where(odd, int(Degenerate.UNSURE), 0)[:, None]
        sure = (count > 0) & ~odd & ~singular.any(axis=1)
        return self._told(q, np.where(np.isnan(q[:, :, 0]), 0, flags), sure)


@dataclass(frozen=True, eq=False)
class SlidingForm(SixJointsForm):
    """All postures of one arm, at most eight, in the order of their first values."""

    sliding: SlidingArm

    @staticmethod
    def recognise(chain: Serial) -> SlidingForm | None:
        """Return the form of six joints with one to three slides; None where another knows them.

        With one slide three neighbouring axes must meet in one point.
        """
        from articulata.kernels.chains.closed_forms.general_6r import moving_links
        from articulata.kinematics.inverse.sliding_roots import prepare_sliding

        ready = chain.prepared
        slides = ready.kinds[ready.kinds <= 1] == 1
        form = _FORMS.get(int(slides.sum())) if chain.dof == 6 else None
        if form is None or not regular(chain):
            return None
        links, unit = moving_links(ready.fixed, ready.kinds, ready.tip)
        arm = prepare_sliding(links, unit, slides)
        if arm is None:
            return None
        found = form(chain, arm)
        return found if found.finds_again() else None

    def solved(self, X_WT: Float64[Array, "m 4 4"]) -> Solved:
        """Return every posture of each pose, as the kernels give them."""
        from articulata.kinematics.inverse.sliding_roots import solve_sliding

        return solve_sliding(self.sliding, X_WT)


@dataclass(frozen=True, eq=False)
class MeetingSlideForm(SlidingForm):
    """All postures of one arm with a slide and three neighbouring axes through one point."""

    structure: ClassVar[str] = "three meeting axes and a slide"


@dataclass(frozen=True, eq=False)
class TwoSlidesForm(SlidingForm):
    """All postures of one arm of four turning joints and two slides anywhere among them."""

    structure: ClassVar[str] = "four turning joints and two slides"


@dataclass(frozen=True, eq=False)
class ThreeSlidesForm(SlidingForm):
    """All postures of one arm of three turning joints and three slides anywhere among them."""

    structure: ClassVar[str] = "three turning joints and three slides"


_FORMS = {1: MeetingSlideForm, 2: TwoSlidesForm, 3: ThreeSlidesForm}
