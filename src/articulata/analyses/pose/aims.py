"""Objectives in a scene, with their unit, their source and their gradient.

An aim's numbers are kept low: what is to be high has its sign turned. ``q`` (m, dof) are whole
postures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from articulata.analyses.pose import agility, objective_measures
from articulata.analyses.pose.objective_measures import Measure
from articulata.analyses.pose.objectives import KINDS, Objective, Values
from articulata.analyses.pose.pose_scene import Scene
from articulata.geometry.arrays import Array, Float64

MEASURES: Final[Mapping[str, Callable[[Objective, Scene], Measure]]] = {
    "discomfort": objective_measures.discomfort,
    "displacement": objective_measures.displacement,
    "torque": objective_measures.torque,
    "torque change": objective_measures.torque_change,
    "strength": objective_measures.strength,
    "endurance": objective_measures.endurance,
    "lumbar load": objective_measures.lumbar_load,
    "energy": objective_measures.energy,
    "energy change": objective_measures.energy_change,
    "dexterity": agility.dexterity,
    "force": agility.force,
    "isotropy": agility.isotropy,
    "singularity": agility.singularity,
    "clearance": objective_measures.clearance,
    "rula": objective_measures.rula,
    "reba": objective_measures.reba,
    "arm relation": objective_measures.arm_relation,
    "balance": objective_measures.balance,
}
"""What measures each of ``KINDS``."""


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


def bound(objective: Objective, scene: Scene) -> Aim:
    """Return what an objective is in a scene; errors say what the scene lacks for it."""
    if objective.of is not None:
        measure = objective_measures.own(objective, scene)
        high, source = False, "the user's own"
    else:
        kind = KINDS[objective.kind]
        measure = MEASURES[objective.kind](objective, scene)
        high, source = kind.high, kind.source
        if measure.source:
            source = f"{source}; {measure.source}"
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
    columns = np.concatenate([scene.columns, scene.idle[0]])

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
