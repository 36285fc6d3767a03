"""Which closed form an arm has: told by its structure, once for each chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from articulata.kinematics.inverse.closed_form import ClosedForm

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_KEPT = "closed form"


def closed_form(chain: Serial) -> ClosedForm | None:
    """Return the closed form of a chain, None where its structure has none; kept with the chain."""
    kept = chain.prepared.kept
    if _KEPT not in kept:
        kept[_KEPT] = recognise(chain) if chain.prepared.plain else None
    found: ClosedForm | None = kept[_KEPT]
    return found


def _spherical_wrist(chain: Serial) -> ClosedForm | None:
    from articulata.kinematics.inverse.spherical_wrist import WristForm

    return WristForm.recognise(chain)


def _swivel(chain: Serial) -> ClosedForm | None:
    from articulata.kinematics.inverse.swivel import SwivelForm

    return SwivelForm.recognise(chain)


def _shrug(chain: Serial) -> ClosedForm | None:
    from articulata.kinematics.inverse.shrug import ShrugForm

    return ShrugForm.recognise(chain)


def _parallel_axes(chain: Serial) -> ClosedForm | None:
    from articulata.kinematics.inverse.parallel_axes import ParallelForm

    return ParallelForm.recognise(chain)


def _meeting_axes(chain: Serial) -> ClosedForm | None:
    from articulata.kinematics.inverse.meeting_axes import MeetingForm

    return MeetingForm.recognise(chain)


def _sliding_joints(chain: Serial) -> ClosedForm | None:
    from articulata.kinematics.inverse.sliding_joints import SlidingForm

    return SlidingForm.recognise(chain)


def _six_joints(chain: Serial) -> ClosedForm | None:
    from articulata.kinematics.inverse.six_joints import SixJointsForm

    return SixJointsForm.recognise(chain)


def _seven_joints(chain: Serial) -> ClosedForm | None:
    from articulata.kinematics.inverse.seven_by_roots import RootsForm
    from articulata.kinematics.inverse.seven_joints import SevenForm

    form = SevenForm.recognise(chain)
    if form is None:
        return None
    pieper = form.arm.pieper
    if pieper is None or pieper.quartic or not form.arm.exact:
        return form
    return RootsForm(chain)


FORMS: tuple[Callable[[Serial], ClosedForm | None], ...] = (
    _spherical_wrist,
    _parallel_axes,
    _meeting_axes,
    _sliding_joints,
    _six_joints,
    _swivel,
    _shrug,
    _seven_joints,
)
"""Each looks at a chain and returns its closed form, or None where the structure is another."""


def all_postures_form(chain: Serial) -> ClosedForm | None:
    """Return the form that knows all postures of a chain: its closed form, or that of a plane.

    An arm that moves in a plane meets few poses, so that paths and targets are searched for it.
    """
    found = closed_form(chain)
    if found is not None:
        return found
    from articulata.kinematics.inverse.planar_form import PlanarForm

    return PlanarForm.recognise(chain)


def recognise(chain: Serial) -> ClosedForm | None:
    """Return the closed form of a chain by its structure, or None where none is known."""
    for form in FORMS:
        found = form(chain)
        if found is not None:
            return found
    return None
