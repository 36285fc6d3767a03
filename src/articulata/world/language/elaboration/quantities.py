"""Numbers with dimensions, and what a bare number means in a file.

A quantity holds its value in SI. A bare number has no dimension yet: as a factor it is a plain
number, and where a length, an angle or another quantity is due it is read in the units of the
file. Trigonometry gives bare numbers, so that ``(sin(a), cos(a), 0)`` is a point.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from articulata.world.language.units import NONE, QUANTITIES, UNIT_NAMES, UNITS, Dimension

ANGLE_POWERS = {"angle": 1, "rate": 1, "angular_acceleration": 1}
"""Kinds that hold an angle, which has no dimension but a unit."""


_VARIANT = re.compile(r"__\d+$")


def type_name(name: str) -> str:
    """Return the name of the type that a definition makes: ``rod__2`` is a variant of ``rod``."""
    return _VARIANT.sub("", name) if "__" in name else name


RADIANS = -2
"""Marks a bare number that is in radians where an angle is due, whatever the file's units."""


class Quantity(NamedTuple):
    """A number: ``value`` in SI and its ``dimension``, or a bare number (dimension None).

    ``argument`` is the place of the world's argument that a bare number came from, or -1, or
    RADIANS for what was made of pi.
    """

    value: float
    dimension: Dimension | None = None
    argument: int = -1


def origin(first: int, second: int) -> int:
    """Return the mark of a number made of two bare numbers."""
    if first >= 0 or second >= 0:
        return max(first, second)
    return min(first, second)


@dataclass(frozen=True, slots=True)
class Scales:
    """What one of a file's units is worth in SI: metres, kilograms, seconds, radians."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    angle: float = 1.0

    def of(self, dimension: Dimension, angle_power: int = 0) -> float:
        """Return what one unit of ``dimension`` is worth in SI."""
        m, kg, s = dimension
        if self is SI:
            return 1.0
        return float(
            self.length**m * self.mass**kg * self.time**s * self.angle**angle_power  # exact at 1
        )

    def of_kind(self, kind: str) -> float:
        """Return what one unit of the quantity ``kind`` ("length", "rate" ...) is worth."""
        return self.of(QUANTITIES[kind], ANGLE_POWERS.get(kind, 0))


SI = Scales()


def scales_of(names: tuple[str, ...]) -> Scales:
    """Return the scales that a ``units:`` line with these unit names sets; unknown ones do nothing.

    >>> scales_of(("millimetre", "degree")).length
    0.001
    """
    length = mass = time = angle = 1.0
    for name in names:
        symbol = UNIT_NAMES.get(name, name)
        unit = UNITS.get(symbol)
        if unit is None:
            continue
        if unit.dimension == (1, 0, 0):
            length = unit.factor
        elif unit.dimension == (0, 1, 0):
            mass = unit.factor
        elif unit.dimension == (0, 0, 1):
            time = unit.factor
        elif unit.dimension == NONE:
            angle = unit.factor
    scales = Scales(length, mass, time, angle)
    return SI if scales == SI else scales
