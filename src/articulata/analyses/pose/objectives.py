"""What makes a posture good, as a person says it: ``aims.bound`` lays it against a scene."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from articulata.domains.comfort.body_angles import NO_WORK, WorkConditions
from articulata.errors import KinematicsError, NameNotFound
from articulata.geometry.arrays import Array

Values = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Objective:
    """One thing that a posture keeps low or high.

    ``kind`` is a word of ``KINDS``, or the name of a function of one's own, ``of``: postures
    (m, dof) to numbers (m,), with its ``unit``. ``maximise`` None takes what is usual for the kind.
    ``weight`` counts when one posture is chosen. ``toward`` (3,) is a direction in W for
    dexterity, ``place`` whose; None takes the first place that is asked for. ``form`` and
    ``by_joint`` (weights) belong to discomfort, torque, strength and endurance (N m, N). ``side``
    and ``work`` belong to rula and reba; a load of 0 in it stands for what is carried.
    """

    kind: str
    weight: float = 1.0
    maximise: bool | None = None
    toward: tuple[float, float, float] | None = None
    place: str | None = None
    form: str = ""
    by_joint: Mapping[str, float] | None = None
    side: str = "right"
    of: Values | None = None
    unit: str = ""
    work: WorkConditions = NO_WORK

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight >= 0.0):
            raise KinematicsError(
                f"the weight of objective '{self.kind}' is {self.weight}; give 0 or more"
            )
        if self.of is None and self.kind not in KINDS:
            raise NameNotFound(
                f"there is no objective '{self.kind}'; there are {', '.join(KINDS)}, or give a "
                "function of postures as 'of'"
            )
        if self.toward is not None:
            d = np.asarray(self.toward, float)
            if d.shape != (3,) or not np.isfinite(d).all() or not d.any():
                raise KinematicsError(
                    f"'toward' of '{self.kind}' is a direction, three numbers, not {self.toward!r}"
                )
            object.__setattr__(self, "toward", tuple(d.tolist()))


class Kind(NamedTuple):
    """A kind of objective: whether it is to be high, and its source."""

    high: bool
    source: str


KINDS: Final[Mapping[str, Kind]] = {
    "discomfort": Kind(False, "Thomann 2005, 4.1.1"),
    "displacement": Kind(False, "root of the squared change from the present posture"),
    "torque": Kind(False, "Thomann 2005, 4.1.4; holding, by statics"),
    "torque change": Kind(False, "Thomann 2005, 4.1.4; Uno, Kawato and Suzuki 1989"),
    "strength": Kind(False, "largest share of a joint's strength that holding takes"),
    "endurance": Kind(True, "until the first joint tires; Frey Law and Avin 2010"),
    "lumbar load": Kind(False, "compression at L5/S1; Chaffin and Andersson"),
    "energy": Kind(False, "potential energy above that of the start"),
    "energy change": Kind(False, "Thomann 2005, 4.1.3: size of the change of potential energy"),
    "dexterity": Kind(True, "Thomann 2005, 4.1.2; velocity manipulability, Chiu 1988"),
    "force": Kind(True, "force manipulability along a direction, Chiu 1988"),
    "isotropy": Kind(True, "Kim and Khosla 1991"),
    "singularity": Kind(
        True, "smallest singular value of the place's Jacobian; Klein and Blaho 1987"
    ),
    "clearance": Kind(True, "distance to the room, or to itself without one"),
    "rula": Kind(False, "McAtamney and Corlett 1993"),
    "reba": Kind(False, "Hignett and McAtamney 2000"),
    "arm relation": Kind(False, "Soechting and Flanders 1989"),
    "balance": Kind(True, "centre of mass inside its supports"),
}
"""Kinds by the words of the language."""
