"""Numbers with dimensions, and what a bare number means in a file.

A quantity holds its value in SI. A bare number has no dimension yet: where a length, an angle or
another quantity is due, and where it is added to one or compared with one, it is read in the units
of the file it was written in; everywhere else it is a number. Functions such as sine give bare
numbers, so that ``(sin(a), cos(a), 0)`` is a point.

What changes while a world moves has no value yet but a term: a name (``"angle"``), or an operator
with its operands, numbers or terms, as in ``("+", "angle", 0.5)``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from articulata.world.language.units import (
    ANGLE,
    QUANTITIES,
    UNIT_NAMES,
    UNITS,
    Dimension,
    gives_up,
)

_VARIANT = re.compile(r"__\d+$")


def type_name(name: str) -> str:
    """Return the name of the type that a definition makes: ``rod__2`` is a variant of ``rod``."""
    return _VARIANT.sub("", name) if "__" in name else name


@dataclass(frozen=True, slots=True)
class Scales:
    """What one of a file's units is worth in SI: metres, kilograms, seconds, radians.

    NaN stands for a unit that is not settled: numbers of files with other units were added.
    """

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    angle: float = 1.0

    def of(self, dimension: Dimension) -> float:
        """Return what one unit of ``dimension`` is worth in SI; an angle given up counts as 1."""
        if self is SI:
            return 1.0
        m, kg, s, rad = dimension
        if gives_up(dimension):
            rad = 0
        return float(
            self.length**m * self.mass**kg * self.time**s * self.angle**rad  # exact at 1
        )

    def added(self, other: Scales) -> Scales:
        """Return the units of a sum of two bare numbers: settled where both agree."""
        if self is other or self == other:
            return self
        return Scales(
            self.length if self.length == other.length else math.nan,
            self.mass if self.mass == other.mass else math.nan,
            self.time if self.time == other.time else math.nan,
            self.angle if self.angle == other.angle else math.nan,
        )


SI = Scales()

Term: TypeAlias = "float | str | tuple[Term, ...]"
"""A number, a name of what changes, or an operator with its operands."""


class Quantity(NamedTuple):
    """A number: ``value`` in SI and its ``dimension``, or a bare number (dimension None).

    ``unit`` says in which units a bare number is, where it comes from another file; None stands
    for those of the file that reads it. Of a number with a dimension it says that pi is a factor:
    where an angle is due it is in radians. ``argument`` is the place of the world's argument that
    a bare number came from, or -1. ``term`` is there where the value changes with time, and
    ``value`` is NaN.
    """

    value: float
    dimension: Dimension | None = None
    unit: Scales | None = None
    argument: int = -1
    term: Term | None = None

    @property
    def operand(self) -> Term:
        """What an operator works on: the term, or the value."""
        return self.value if self.term is None else self.term


def changing(term: Term, dimension: Dimension | None = None) -> Quantity:
    """Return what has a value only while a world moves."""
    return Quantity(math.nan, dimension, None, -1, term)


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
        if unit.dimension == QUANTITIES["length"]:
            length = unit.factor
        elif unit.dimension == QUANTITIES["mass"]:
            mass = unit.factor
        elif unit.dimension == QUANTITIES["time"]:
            time = unit.factor
        elif unit.dimension == ANGLE:
            angle = unit.factor
    scales = Scales(length, mass, time, angle)
    return SI if scales == SI else scales
