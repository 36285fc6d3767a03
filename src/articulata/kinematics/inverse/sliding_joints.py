"""Six joints of which two or three slide, or one beside three axes that meet: ``sliding_roots``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.inverse.chain_structure import regular
from articulata.kinematics.inverse.six_joints import SixJointsForm

if TYPE_CHECKING:
    from articulata.kernels.chains.closed_forms.general_6r import Solved
    from articulata.kinematics.inverse.sliding_roots import SlidingArm
    from articulata.kinematics.serial import Serial


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
