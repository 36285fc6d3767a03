"""How much torque people's joints can hold, by published measurements.

Means of men in manual work (Stobbe 1982, in Chaffin and Andersson, Occupational Biomechanics), each
at one angle of its joint, as Robert et al. (2013) lift with. What bends the back aside, abducts and
turns the shoulder is a proposal of the usual size, not compared with the print. Strength changes
with the angle: one number for a joint is a simplification.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure

SOURCE: Final = "men, Stobbe 1982 in Chaffin and Andersson; Robert et al. 2013"

HOLDS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType({
    "hip_flexion": (185.0, 190.0),
    "knee_flexion": (100.0, 168.0),
    "talocrural_flexion": (126.0, 126.0),
    "vl3_flexion": (143.0, 234.0),
    "vt6_flexion": (143.0, 234.0),
    "vl3_lateral": (159.0, 159.0),
    "vt6_lateral": (159.0, 159.0),
    "shoulder_flexion": (92.0, 67.0),
    "shoulder_abduction": (71.0, 67.0),
    "shoulder_rotation": (52.0, 33.0),
    "elbow_flexion": (77.0, 46.0),
})  # fmt: skip
"""N m toward larger and toward smaller values of a joint, by its H-Anim name without its side."""

_SIDE = re.compile(r"^(l|r|left|right)[_ ]")


def published_strength(figure: Figure) -> tuple[Array, Array]:
    """Return what joints hold toward larger and smaller values, N m, (dof,) each, or infinity."""
    found = np.full((2, figure.dof), np.inf)
    for number, name in enumerate(figure.names):
        held = HOLDS.get(_SIDE.sub("", name))
        if held is not None:
            found[:, number] = held
    return found[0], found[1]
