"""Units and dimensions: what a unit is worth in SI, and which quantities fit together.

A dimension is the triple of exponents of metre, kilogram and second. Angles have none: a
radian is 1 and a degree a factor, as in the SI brochure (9th edition, table 4). Factors of inch,
foot, yard, mile and pound are exact by the international yard and pound agreement of 1959.

>>> parse_unit("kg/m^3")
Unit(factor=1.0, dimension=(-3, 1, 0))
>>> describe((1, 0, -2))
'an acceleration (m/s^2)'
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

Dimension = tuple[int, int, int]
"""Exponents of metre, kilogram, second."""

NONE: Dimension = (0, 0, 0)

METRES_PER_INCH = 0.0254
KILOGRAMS_PER_POUND = 0.45359237
HIGHEST_EXPONENT = 9
"""No quantity of mechanics needs a higher power of a unit; more is a slip of the pen."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its value in SI and its dimension."""

    factor: float
    dimension: Dimension


_LENGTH: Dimension = (1, 0, 0)
_MASS: Dimension = (0, 1, 0)
_TIME: Dimension = (0, 0, 1)
_FORCE: Dimension = (1, 1, -2)
_ENERGY: Dimension = (2, 1, -2)
_POWER: Dimension = (2, 1, -3)
_PRESSURE: Dimension = (-1, 1, -2)
_PER_TIME: Dimension = (0, 0, -1)


def _prefixed(symbol: str, factor: float, dimension: Dimension, prefixes: str) -> dict[str, Unit]:
    sizes = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "k": 1e3, "M": 1e6, "G": 1e9}
    units = {symbol: Unit(factor, dimension)}
    for prefix in prefixes:
        units[prefix + symbol] = Unit(factor * sizes[prefix], dimension)
    return units


UNITS: dict[str, Unit] = {
    **_prefixed("m", 1.0, _LENGTH, "kdcmun"),
    "kg": Unit(1.0, _MASS),
    "g": Unit(1e-3, _MASS),
    "mg": Unit(1e-6, _MASS),
    "ug": Unit(1e-9, _MASS),
    **_prefixed("s", 1.0, _TIME, "mun"),
    "rad": Unit(1.0, NONE),
    "mrad": Unit(1e-3, NONE),
    "deg": Unit(math.pi / 180.0, NONE),
    **_prefixed("N", 1.0, _FORCE, "kmM"),
    **_prefixed("J", 1.0, _ENERGY, "kmM"),
    **_prefixed("W", 1.0, _POWER, "kmM"),
    **_prefixed("Pa", 1.0, _PRESSURE, "kMG"),
    **_prefixed("Hz", 1.0, _PER_TIME, "kM"),
    "t": Unit(1000.0, _MASS),
    "min": Unit(60.0, _TIME),
    "h": Unit(3600.0, _TIME),
    "rpm": Unit(2.0 * math.pi / 60.0, _PER_TIME),
    "inch": Unit(METRES_PER_INCH, _LENGTH),
    "ft": Unit(12 * METRES_PER_INCH, _LENGTH),
    "yd": Unit(36 * METRES_PER_INCH, _LENGTH),
    "mi": Unit(63360 * METRES_PER_INCH, _LENGTH),
    "lb": Unit(KILOGRAMS_PER_POUND, _MASS),
}
"""Unit symbols that may follow a number."""

UNIT_NAMES: dict[str, str] = {
    "metre": "m",
    "meter": "m",
    "decimetre": "dm",
    "decimeter": "dm",
    "centimetre": "cm",
    "centimeter": "cm",
    "millimetre": "mm",
    "millimeter": "mm",
    "micrometre": "um",
    "micrometer": "um",
    "kilometre": "km",
    "kilometer": "km",
    "inch": "inch",
    "foot": "ft",
    "yard": "yd",
    "mile": "mi",
    "kilogram": "kg",
    "gram": "g",
    "milligram": "mg",
    "tonne": "t",
    "pound": "lb",
    "second": "s",
    "millisecond": "ms",
    "microsecond": "us",
    "minute": "min",
    "hour": "h",
    "radian": "rad",
    "milliradian": "mrad",
    "degree": "deg",
    "newton": "N",
    "kilonewton": "kN",
    "joule": "J",
    "watt": "W",
    "pascal": "Pa",
    "hertz": "Hz",
}
"""Names for the ``units:`` line, with the symbol each stands for."""

BASE_KINDS: dict[str, tuple[str, ...]] = {
    "length": tuple(n for n, s in UNIT_NAMES.items() if UNITS[s].dimension == _LENGTH),
    "mass": tuple(n for n, s in UNIT_NAMES.items() if UNITS[s].dimension == _MASS),
    "time": tuple(n for n, s in UNIT_NAMES.items() if UNITS[s].dimension == _TIME),
    "angle": ("radian", "milliradian", "degree"),
}
"""What a ``units:`` line may set, one name of each kind."""

QUANTITIES: dict[str, Dimension] = {
    "number": NONE,
    "count": NONE,
    "angle": NONE,
    "length": _LENGTH,
    "area": (2, 0, 0),
    "volume": (3, 0, 0),
    "mass": _MASS,
    "time": _TIME,
    "speed": (1, 0, -1),
    "acceleration": (1, 0, -2),
    "rate": _PER_TIME,
    "angular_acceleration": (0, 0, -2),
    "density": (-3, 1, 0),
    "inertia": (2, 1, 0),
    "force": _FORCE,
    "impulse": (1, 1, -1),
    "angular_impulse": (2, 1, -1),
    "torque": _ENERGY,
    "energy": _ENERGY,
    "power": _POWER,
    "pressure": _PRESSURE,
    "stiffness": (0, 1, -2),
    "damping": (0, 1, -1),
    "frequency": _PER_TIME,
}
"""Scalar quantities by the names a parameter may be declared with."""

_TYPICAL: dict[str, str] = {
    "angle": "deg",
    "length": "m",
    "area": "m^2",
    "volume": "m^3",
    "mass": "kg",
    "time": "s",
    "speed": "m/s",
    "acceleration": "m/s^2",
    "rate": "rad/s",
    "angular_acceleration": "rad/s^2",
    "density": "kg/m^3",
    "inertia": "kg*m^2",
    "force": "N",
    "impulse": "N*s",
    "angular_impulse": "N*m*s",
    "torque": "N*m",
    "energy": "J",
    "power": "W",
    "pressure": "Pa",
    "stiffness": "N/m",
    "damping": "N*s/m",
    "frequency": "Hz",
}

_STEP = re.compile(r"([*/]?)([^\W\d]\w*)(?:\^(-?[0-9]+))?")


def parse_unit(text: str) -> Unit:
    """Return the unit written as ``text``, such as ``kg/m^3``; ``KeyError`` names what is unknown.

    ``""`` is the number one.
    """
    factor, (m, kg, s) = 1.0, NONE
    for sign, symbol, power in _STEP.findall(text):
        unit = UNITS[symbol]
        exponent = int(power or 1) * (-1 if sign == "/" else 1)
        factor *= unit.factor**exponent
        m += unit.dimension[0] * exponent
        kg += unit.dimension[1] * exponent
        s += unit.dimension[2] * exponent
    return Unit(factor, (m, kg, s))


def typical_unit(quantity: str) -> str:
    """Return the unit one would write for ``quantity``, or ``""`` for plain numbers."""
    return _TYPICAL.get(quantity, "")


def symbol(dimension: Dimension) -> str:
    """Return ``dimension`` in SI symbols, ``m/s^2``; ``""`` when it has none."""
    for quantity, known in QUANTITIES.items():
        if known == dimension and known != NONE and quantity != "rate":
            return _TYPICAL[quantity]
    up = [
        f"{n}^{e}" if e > 1 else n
        for n, e in zip(("m", "kg", "s"), dimension, strict=True)
        if e > 0
    ]
    down = [
        f"{n}^{-e}" if e < -1 else n
        for n, e in zip(("m", "kg", "s"), dimension, strict=True)
        if e < 0
    ]
    return "*".join(up or (["1"] if down else [])) + "".join("/" + each for each in down)


def describe(dimension: Dimension) -> str:
    """Return ``dimension`` in words with its unit: ``a length (m)``."""
    if dimension == NONE:
        return "a plain number or angle"
    for quantity, known in QUANTITIES.items():
        if known == dimension:
            article = "an" if quantity[0] in "aeiou" else "a"
            return f"{article} {quantity.replace('_', ' ')} ({_TYPICAL[quantity]})"
    return f"a quantity in {symbol(dimension)}"


def multiply(left: Dimension, right: Dimension, sign: int = 1) -> Dimension:
    """Return the dimension of a product, or of a quotient with ``sign`` -1."""
    return (
        left[0] + sign * right[0],
        left[1] + sign * right[1],
        left[2] + sign * right[2],
    )
