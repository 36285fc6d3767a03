"""Which closed form an arm has: told by its structure, once for each chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from articulata.kinematics.inverse.closed_form import ClosedForm
from articulata.kinematics.inverse.planar_form import PlanarForm
from articulata.kinematics.inverse.seven_joints import RootsForm, SevenForm
from articulata.kinematics.inverse.shrug import ShrugForm
from articulata.kinematics.inverse.six_joints import (
    MeetingForm,
    ParallelForm,
    SixJointsForm,
    SlidingForm,
)
from articulata.kinematics.inverse.spherical_wrist import WristForm
from articulata.kinematics.inverse.swivel import SwivelForm

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


def _seven_joints(chain: Serial) -> ClosedForm | None:
    """Return the form of seven turning joints, that of roots where square roots alone do."""
    form = SevenForm.recognise(chain)
    if form is None:
        return None
    pieper = form.arm.pieper
    if pieper is None or pieper.quartic or not form.arm.exact:
        return form
    return RootsForm(chain)


FORMS: tuple[Callable[[Serial], ClosedForm | None], ...] = (
    WristForm.recognise,
    ParallelForm.recognise,
    MeetingForm.recognise,
    SlidingForm.recognise,
    SixJointsForm.recognise,
    SwivelForm.recognise,
    ShrugForm.recognise,
    _seven_joints,
)
"""Each looks at a chain and returns its closed form, or None where the structure is another."""


def all_postures_form(chain: Serial) -> ClosedForm | None:
    """Return the form that knows all postures of a chain: its closed form, or that of a plane.

    An arm that moves in a plane meets few poses, so that paths and targets are searched for it.
    """
    found = closed_form(chain)
    return PlanarForm.recognise(chain) if found is None else found


def recognise(chain: Serial) -> ClosedForm | None:
    """Return the closed form of a chain by its structure, or None where none is known."""
    for form in FORMS:
        found = form(chain)
        if found is not None:
            return found
    return None
