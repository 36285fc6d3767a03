"""What makes a posture good: objectives with their unit, their source and their gradient.

``Objective`` is what a person says; ``bound`` makes of it an ``Aim`` of one scene. An aim's numbers
are kept low: what is to be high has its sign turned. ``q`` (m, dof) are whole postures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from articulata.analyses.pose import agility, measures
from articulata.analyses.pose.scene import Scene
from articulata.errors import KinematicsError, NameNotFound
from articulata.geometry.arrays import Array, Float64

Values = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Objective:
    """One thing that a posture keeps low or high.

    ``kind`` is a word of ``KINDS``, or the name of a function of one's own, ``of``: postures
    (m, dof) to numbers (m,), with its ``unit``. ``maximise`` None takes what is usual for the kind.
    ``weight`` counts when one posture is chosen. ``toward`` (3,) is a direction in W for
    dexterity, ``place`` whose; None takes the first place that is asked for. ``form`` and
    ``by_joint`` (weights) belong to discomfort, torque and strength (N m, N).
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


@dataclass(frozen=True, slots=True, eq=False)
class Aim:
    """An objective of one scene: ``values`` to be kept low, in ``unit``, and their ``slopes``.

    ``bends`` (m, moving, moving) is the change of the slopes, None where it is not known.
    ``tell`` says more about postures. ``sign`` is -1 where what a person reads is to be high: read
    is ``sign * values``.
    """

    name: str
    unit: str
    source: str
    weight: float
    sign: float
    values: Values
    slopes: Values
    bends: Values | None = None
    tell: Callable[[Array], list[str]] | None = None


class Kind(NamedTuple):
    """A kind of objective: unit, whether it is to be high, source, and what measures it."""

    unit: str
    high: bool
    source: str
    make: Callable[[Objective, Scene], measures.Measure]


KINDS: Final[Mapping[str, Kind]] = {
    "discomfort": Kind(
        "", False, "Thomann 2005, 4.1.1; forms in docs/comfort", measures.discomfort
    ),
    "displacement": Kind(
        "rad", False, "root of the squared change from the present posture", measures.displacement
    ),
    "torque": Kind("N m", False, "Thomann 2005, 4.1.4; holding, by statics", measures.torque),
    "torque change": Kind(
        "N m/s", False, "Thomann 2005, 4.1.4; Uno, Kawato and Suzuki 1989", measures.torque_change
    ),
    "strength": Kind(
        "1", False, "largest share of a joint's strength that holding takes", measures.strength
    ),
    "energy": Kind("J", False, "potential energy above that of the start", measures.energy),
    "energy change": Kind(
        "J", False, "Thomann 2005, 4.1.3: size of the change of potential energy",
        measures.energy_change,
    ),
    "dexterity": Kind(
        "m/rad", True, "Thomann 2005, 4.1.2; velocity manipulability, Chiu 1988",
        agility.dexterity,
    ),
    "force": Kind(
        "rad/m", True, "force manipulability along a direction, Chiu 1988", agility.force
    ),
    "isotropy": Kind("1", True, "Kim and Khosla 1991", agility.isotropy),
    "singularity": Kind(
        "m/rad", True, "smallest singular value of the place's Jacobian; Klein and Blaho 1987",
        agility.singularity,
    ),
    "clearance": Kind(
        "m", True, "distance to the room, or to itself without one", measures.clearance
    ),
    "rula": Kind("score", False, "McAtamney and Corlett 1993", measures.rula),
    "reba": Kind("score", False, "Hignett and McAtamney 2000", measures.reba),
    "arm relation": Kind("rad", False, "Soechting and Flanders 1989", measures.arm_relation),
    "balance": Kind("m", True, "centre of mass inside its supports", measures.balance),
}  # fmt: skip
"""Kinds by the words of the language."""


def bound(objective: Objective, scene: Scene) -> Aim:
    """Return what an objective is in a scene; errors say what the scene lacks for it."""
    if objective.of is not None:
        measure = measures.own(objective.of, objective.kind, objective.unit)
        high, source = False, "the user's own"
    else:
        kind = KINDS[objective.kind]
        measure = kind.make(objective, scene)
        high, source = kind.high, kind.source
    high = high if objective.maximise is None else objective.maximise
    sign = -1.0 if high else 1.0
    values, slopes = measure.values, measure.slopes or _differences(measure.values, scene)
    bends = measure.bends
    said = (measure.name, measure.unit, source, objective.weight, sign)
    if high:
        turned = None if bends is None else (lambda q: -bends(q))
        return Aim(*said, lambda q: -values(q), lambda q: -slopes(q), turned, measure.tell)
    return Aim(*said, values, slopes, bends, measure.tell)


STEP: Final = 1e-6
"""rad, m: half the distance of differences that stand for a slope nobody has written down."""


def _differences(values: Values, scene: Scene) -> Values:
    columns = scene.columns

    def slopes(q: Float64[Array, "m dof"]) -> Float64[Array, "m dof"]:
        m, dof = q.shape
        moved = np.repeat(q[:, None], 2 * len(columns), axis=1)
        for k, column in enumerate(columns):
            moved[:, 2 * k, column] += STEP
            moved[:, 2 * k + 1, column] -= STEP
        found = values(moved.reshape(-1, dof)).reshape(m, len(columns), 2)
        out = np.zeros((m, dof))
        with np.errstate(invalid="ignore"):
            change = (found[:, :, 0] - found[:, :, 1]) / (2.0 * STEP)
        # beside what is excluded the slope is not known
        out[:, columns] = np.where(np.isfinite(change), change, 0.0)
        return out

    return slopes
