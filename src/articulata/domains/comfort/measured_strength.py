"""How much torque people's joints can hold, and for how long, by published measurements.

Hips, knees and ankles by their angle, with stature and weight: men of 18 to 25 years, at rest
(Anderson, Madigan and Nussbaum 2007, table 3). The others, and all of a figure whose stature is not
known, are means of men in manual work (Stobbe 1982, in Chaffin and Andersson, Occupational
Biomechanics), each at one angle of its joint, as Robert et al. (2013) lift with. What bends the
back aside, abducts and turns the shoulder is a proposal of the usual size, not compared with the
print.

Times are means of healthy people of 18 to 50 years who held a share of their strength until they
failed: 194 studies, gathered by Frey Law and Avin (Ergonomics 53, 2010, table 2). Who holds once
is 29 to 47 % off them (Frey-Law, Looft and Heitsman 2012).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array, BoolArray, Float64
from articulata.kinematics.figure import Figure

SOURCE: Final = "men, Stobbe 1982 in Chaffin and Andersson; Robert et al. 2013"

BY_ANGLE_SOURCE: Final = "legs by their angle, men of 18 to 25 years, Anderson et al. 2007"

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

BY_ANGLE: Final[Mapping[str, tuple[tuple[float, float, float], tuple[float, float, float]]]] = (
    MappingProxyType({
        "hip_flexion": ((0.113, 0.738, -0.214), (0.161, 0.958, 0.932)),
        "knee_flexion": ((0.087, 0.869, 0.522), (0.163, 1.258, 1.133)),
        "talocrural_flexion": ((0.033, 1.510, -0.187), (0.095, 1.391, 0.408)),
    })
)  # fmt: skip
"""Toward larger and toward smaller values: c1, the share of weight times stature; c2, c3 rad.

The torque is c1 times weight times stature times cos(c2 (angle - c3)) where the muscles are
shorter than at c3. Where they are longer it stays what it is at c3, as tissue that is stretched
holds what they lose: a proposal."""

LEAST: Final = 0.2
"""Share of the best angle's strength that is left at any: a proposal."""

ENDURANCE: Final[Mapping[str, tuple[float, float]]] = MappingProxyType({
    "shoulder": (14.86, -1.83),
    "elbow": (17.98, -2.21),
    "grip": (33.55, -1.61),
    "trunk": (22.69, -2.27),
    "knee": (19.38, -1.88),
    "ankle": (34.71, -2.06),
    "general": (21.92, -1.98),
})  # fmt: skip
"""For how long all of the strength is held, s, and the power of the share that is held instead."""

EASY: Final = 0.1
"""Share of the strength from which on these laws were fitted."""

SHIFT: Final = 8.0 * 3600.0
"""s: what is held for longer counts as this."""

_REGIONS: Final = {
    "shoulder": "shoulder", "elbow": "elbow", "vl3": "trunk", "vt6": "trunk", "hip": "general",
    "knee": "knee", "talocrural": "ankle",
}  # fmt: skip
"""Regions of ``ENDURANCE`` by the first word of joints; hips have no law of their own."""

_SIDE = re.compile(r"^(l|r|left|right)[_ ]")

_G = 9.80665


class Holds(NamedTuple):
    """What joints hold toward larger values (row 0) and smaller ones (row 1), (2, dof) each.

    ``best`` N m at the best angle, infinity where nothing is known; ``rate`` and ``angle`` (rad) of
    the cosine that tells the share of it at other angles, rate 0 where it is the same at all.
    """

    best: Array
    rate: Array
    angle: Array

    def at(self, q: Float64[Array, "m dof"], larger: BoolArray) -> tuple[Array, Array]:
        """Return what joints hold in postures (m, dof), N m, and its change with their angles.

        ``larger`` (m, dof) says which way each pulls.
        """
        best, rate, angle = (np.where(larger, each[0], each[1]) for each in self)
        beyond = q - angle
        turn = rate * np.where(larger, np.maximum(beyond, 0.0), np.minimum(beyond, 0.0))
        share = np.where(np.abs(turn) < np.pi, np.cos(turn), 0.0)
        steady = (share < LEAST) | (turn == 0.0)
        with np.errstate(invalid="ignore"):
            change = np.where(steady, 0.0, -best * rate * np.sin(turn))
        return best * np.maximum(share, LEAST), change


def published_strength(figure: Figure) -> Holds:
    """Return what is published of the joints of a figure with H-Anim names."""
    best = np.full((2, figure.dof), np.inf)
    rate, angle = np.zeros((2, figure.dof)), np.zeros((2, figure.dof))
    size = figure.mass * _G * stature_of(figure)
    for number, name in enumerate(figure.names):
        plain = _SIDE.sub("", name)
        held, by_angle = HOLDS.get(plain), BY_ANGLE.get(plain)
        if by_angle is not None and size > 0.0:
            for way, (c1, c2, c3) in enumerate(by_angle):
                best[way, number], rate[way, number], angle[way, number] = c1 * size, c2, c3
        elif held is not None:
            best[:, number] = held
    return Holds(best, rate, angle)


class Endurance(NamedTuple):
    """Laws of holding time by joint: ``first`` s that all of the strength is held, and ``power``.

    Both of one shape, ``first`` infinity where nothing is known.
    """

    first: Array
    power: Array

    def held(self, share: Float64[Array, "*batch"]) -> Float64[Array, "*batch"]:
        """Return for how long shares of the strength are held, s; more than all of it for 0 s."""
        with np.errstate(divide="ignore"):
            return np.where(share > 1.0, 0.0, self.first * share**self.power)

    def tell(self, names: Sequence[str], share: Float64[Array, "m dof"]) -> list[str]:
        """Return in words which joint tires first and when, of each row of shares."""
        told = []
        measured = self.held(np.maximum(share, EASY))
        for row, times, least in zip(share, self.held(share), measured, strict=True):
            k = int(times.argmin())
            after = f"{least[k]:.0f} s" if least[k] < 120.0 else f"{least[k] / 60.0:.0f} min"
            if times[k] >= SHIFT:
                told.append("nothing tires within 8 hours")
            elif not times[k]:
                told.append(f"{names[k]} tires at once")
            else:
                more = "" if row[k] > EASY else "more than "
                told.append(f"{names[k]} tires first, after {more}{after}")
        return told


def published_endurance(figure: Figure) -> Endurance:
    """Return the laws of the joints of ``HOLDS`` of a figure, infinity and 0 for others."""
    plain = (_SIDE.sub("", name) for name in figure.names)
    laws = [
        ENDURANCE[_REGIONS[name.partition("_")[0]]] if name in HOLDS else (np.inf, 0.0)
        for name in plain
    ]
    return Endurance(*np.array(laws).reshape(-1, 2).T)


def holding_time(
    share: Float64[Array, "*batch"] | float, region: str = "general"
) -> Float64[Array, "*batch"]:
    """Return for how long people hold a share of their strength until they fail, s.

    ``region`` is a word of ``ENDURANCE``; NameNotFound for another. Below ``EASY`` the laws are
    drawn on beyond what was measured. More than all of the strength is held for 0 s.

    >>> [round(float(holding_time(0.5, region))) for region in ("shoulder", "ankle")]
    [53, 145]
    """
    if region not in ENDURANCE:
        raise NameNotFound(f"no endurance of '{region}'; there is {', '.join(ENDURANCE)}")
    first, power = ENDURANCE[region]
    return Endurance(np.array(first), np.array(power)).held(np.asarray(share, float))


def stature_of(figure: Figure) -> float:
    """Return how tall somebody stands, m, 0 where the crown or the soles are not known."""
    if not {"skull_tip", "l_sole"} <= set(figure.landmarks):
        return 0.0
    crown, sole = (figure.landmark(figure.neutral, name)[:3, 3] for name in ("skull_tip", "l_sole"))
    return float((crown - sole) @ figure.up)
