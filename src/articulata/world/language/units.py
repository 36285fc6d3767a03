"""Units and dimensions: what a unit is worth in SI, and which quantities fit together.

A dimension holds the exponents of metre, kilogram, second, radian and ampere. In the SI brochure
(9th edition, section 2.3.3) the radian is the number one; here an angle has its own dimension, so
that a number is not taken for degrees. It is given up with a metre or a kilogram: an angle times
a radius is the length of an arc, a moment times an angle an energy. Factors of inch, foot, yard,
mile and pound are exact by the international yard and pound agreement of 1959.

>>> parse_unit("kg/m^3")
Unit(factor=1.0, dimension=(-3, 1, 0, 0, 0))
>>> describe((1, 0, -2, 0, 0))
'an acceleration (m/s^2)'
>>> alike((1, 0, 0, 1, 0), (1, 0, 0, 0, 0)), alike((0, 0, 0, 1, 0), (0, 0, 0, 0, 0))
(True, False)
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

Dimension = tuple[int, int, int, int, int]
"""Exponents of metre, kilogram, second, radian, ampere."""

NONE: Dimension = (0, 0, 0, 0, 0)
ANGLE: Dimension = (0, 0, 0, 1, 0)

METRES_PER_INCH = 0.0254
KILOGRAMS_PER_POUND = 0.45359237
HIGHEST_EXPONENT = 9
"""No quantity of mechanics needs a higher power of a unit; more is a slip of the pen."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its value in SI and its dimension."""

    factor: float
    dimension: Dimension


_LENGTH: Dimension = (1, 0, 0, 0, 0)
_MASS: Dimension = (0, 1, 0, 0, 0)
_TIME: Dimension = (0, 0, 1, 0, 0)
_FORCE: Dimension = (1, 1, -2, 0, 0)
_ENERGY: Dimension = (2, 1, -2, 0, 0)
_POWER: Dimension = (2, 1, -3, 0, 0)
_PRESSURE: Dimension = (-1, 1, -2, 0, 0)
_PER_TIME: Dimension = (0, 0, -1, 0, 0)
_RATE: Dimension = (0, 0, -1, 1, 0)
_CURRENT: Dimension = (0, 0, 0, 0, 1)
_VOLTAGE: Dimension = (2, 1, -3, 0, -1)
_RESISTANCE: Dimension = (2, 1, -3, 0, -2)


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
    "rad": Unit(1.0, ANGLE),
    "mrad": Unit(1e-3, ANGLE),
    "deg": Unit(math.pi / 180.0, ANGLE),
    **_prefixed("N", 1.0, _FORCE, "kmM"),
    **_prefixed("J", 1.0, _ENERGY, "kmM"),
    **_prefixed("W", 1.0, _POWER, "kmM"),
    **_prefixed("Pa", 1.0, _PRESSURE, "kMG"),
    **_prefixed("Hz", 1.0, _PER_TIME, "kM"),
    **_prefixed("V", 1.0, _VOLTAGE, "km"),
    **_prefixed("A", 1.0, _CURRENT, "m"),
    **_prefixed("ohm", 1.0, _RESISTANCE, "mk"),
    "t": Unit(1000.0, _MASS),
    "min": Unit(60.0, _TIME),
    "h": Unit(3600.0, _TIME),
    "rpm": Unit(2.0 * math.pi / 60.0, _RATE),
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
    "volt": "V",
    "ampere": "A",
    "ohm": "ohm",
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
    "angle": ANGLE,
    "length": _LENGTH,
    "area": (2, 0, 0, 0, 0),
    "volume": (3, 0, 0, 0, 0),
    "mass": _MASS,
    "time": _TIME,
    "speed": (1, 0, -1, 0, 0),
    "acceleration": (1, 0, -2, 0, 0),
    "rate": _RATE,
    "angular_acceleration": (0, 0, -2, 1, 0),
    "angular_jerk": (0, 0, -3, 1, 0),
    "density": (-3, 1, 0, 0, 0),
    "inertia": (2, 1, 0, 0, 0),
    "force": _FORCE,
    "impulse": (1, 1, -1, 0, 0),
    "angular_impulse": (2, 1, -1, 0, 0),
    "torque": _ENERGY,
    "energy": _ENERGY,
    "power": _POWER,
    "pressure": _PRESSURE,
    "stiffness": (0, 1, -2, 0, 0),
    "damping": (0, 1, -1, 0, 0),
    "frequency": _PER_TIME,
    "voltage": _VOLTAGE,
    "current": _CURRENT,
    "resistance": _RESISTANCE,
    "torque_constant": (2, 1, -2, 0, -1),
    "force_constant": (1, 1, -2, 0, -1),
}
"""Scalar quantities by the names a parameter may be declared with."""

PARAMETER_KINDS = (*QUANTITIES, "point", "direction", "rotation", "shape", "material", "color",
                   "text")  # fmt: skip
"""Kinds of value that a parameter may be of."""

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
    "angular_jerk": "rad/s^3",
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
    "voltage": "V",
    "current": "A",
    "resistance": "ohm",
    "torque_constant": "N*m/A",
    "force_constant": "N/A",
}

_USUAL: dict[str, tuple[str, ...]] = {
    "length": ("m", "cm", "mm"),
    "mass": ("kg", "g"),
    "time": ("s", "ms"),
    "force": ("N", "kN"),
}
"""Units among which one is suggested, where a quantity is written in several."""

GRAVITY = 9.81
"""Weight of a mass where somebody wrote one for the other, m/s^2."""

_STEP = re.compile(r"([*/]?)([^\W\d]\w*)(?:\^(-?[0-9]+))?")


def parse_unit(text: str) -> Unit:
    """Return the unit written as ``text``, such as ``kg/m^3``; ``KeyError`` names what is unknown.

    ``""`` is the number one.
    """
    factor, dimension = 1.0, NONE
    for sign, symbol, power in _STEP.findall(text):
        unit = UNITS[symbol]
        exponent = int(power or 1) * (-1 if sign == "/" else 1)
        factor *= unit.factor**exponent
        dimension = multiply(dimension, unit.dimension, exponent)
    return Unit(factor, dimension)


def typical_unit(quantity: str) -> str:
    """Return the unit one would write for ``quantity``, or ``""`` for plain numbers."""
    return _TYPICAL.get(quantity, "")


def restated(text: str, quantity: str, usual: str = "") -> str:
    """Return a number that has the unit of another quantity as one of ``quantity``.

    Weight and mass become each other by gravity, a frequency and its period by the inverse. Else
    the number stays, per second or metre, with another power of one of its units, or in that unit
    of ``quantity`` which brings it nearest to the ``usual`` value.

    >>> restated("20 N", "mass"), restated("120 kg", "force"), restated("50 Hz", "time")
    ('2.04 kg', '1177 N', '20 ms')
    >>> restated("19.3 g/cm", "density"), restated("3 kg*cm", "inertia"), restated("9 deg", "rate")
    ('19.3 g/cm^3', '3 kg*cm^2', '9 deg/s')
    >>> restated("50 deg", "length", "35 mm"), restated("50 deg", "length"), restated("3 s", "time")
    ('50 mm', '50 cm', '3 s')
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return text
    given, due = parse_unit(found[2]), QUANTITIES[quantity]
    if not found[2] or alike(given.dimension, due):
        return text
    unit, value = _TYPICAL.get(quantity, ""), float(found[1])
    si = value * given.factor
    if {given.dimension, due} == {_MASS, _FORCE}:
        si *= GRAVITY if due == _FORCE else 1.0 / GRAVITY
        return f"{si:.0f} {unit}" if abs(si) >= 1000.0 else f"{si:.3g} {unit}"
    if {given.dimension, due} == {_TIME, _PER_TIME} and value:
        short = due == _TIME and abs(si) > 1.0
        return f"{1e3 / si:.4g} ms" if short else f"{1.0 / si:.4g} {unit}"
    if mended := mended_unit(found[2], due):
        return f"{found[1]} {mended}"
    like = _WRITTEN.fullmatch(usual)
    aim = float(like[1]) * parse_unit(like[2]).factor if like else 1.0
    units = {unit: None, **dict.fromkeys(_USUAL.get(quantity, ()))}
    if like and parse_unit(like[2]).dimension == due:
        units = {like[2]: None, **units}
    if value and aim:
        ratio = abs(value / aim)
        unit = min(units, key=lambda u: round(abs(math.log10(ratio * parse_unit(u).factor)), 1))
    return f"{found[1]} {unit}".rstrip()


def mended_unit(unit: str, due: Dimension) -> str:
    """Return a unit of a dimension, or "": one per second, with another power of a length ...

    >>> mended_unit("g/cm", QUANTITIES["density"]), mended_unit("mm", QUANTITIES["force"])
    ('g/cm^3', '')
    """
    pulls = parse_unit(unit).dimension == _FORCE
    behind = ("/s", "/s^2", *(("/m", "*m", "*s/m", "*m/rad") if pulls else ()))
    ways = [each for end in behind if alike(parse_unit(each := f"{unit}{end}").dimension, due)]
    if ways:
        return min(ways, key=lambda each: parse_unit(each).dimension != due)
    for found in _STEP.finditer(unit):
        sign, name, given = found.groups()
        if name[-1] not in "ms":  # no power of an hour, and one of a weight means something else
            continue
        for power in (1, 2, 3, 4):
            other = f"{sign}{name}{f'^{power}' if power > 1 else ''}"
            meant = f"{unit[: found.start()]}{other}{unit[found.end() :]}"
            if power != int(given or 1) and alike(parse_unit(meant).dimension, due):
                return meant
    return ""


_WRITTEN = re.compile(r"(-?[\d.]+(?:[eE][-+]?\d+)?)[ \t]*(.*)")


def symbol(dimension: Dimension) -> str:
    """Return ``dimension`` in SI symbols, ``m/s^2``; ``""`` when it has none."""
    if dimension == ANGLE:
        return "rad"
    for quantity, known in QUANTITIES.items():
        if known == dimension and known != NONE:
            return _TYPICAL[quantity]
    powers = tuple(zip(("m", "kg", "s", "rad", "A"), dimension, strict=True))
    if dimension[3] and gives_up(dimension):
        # N*m/rad rather than m^2*kg/s^2/rad
        plain = symbol(without_angle(dimension))
        return plain + _power("*rad" if dimension[3] > 0 else "/rad", abs(dimension[3]))
    up = [_power(name, power) for name, power in powers if power > 0]
    down = [_power(name, -power) for name, power in powers if power < 0]
    return "*".join(up or (["1"] if down else [])) + "".join("/" + each for each in down)


def _power(name: str, power: int) -> str:
    return f"{name}^{power}" if power > 1 else name


def describe(dimension: Dimension) -> str:
    """Return ``dimension`` in words with its unit: ``a length (m)``."""
    if dimension == NONE:
        return "a plain number"
    for quantity, known in QUANTITIES.items():
        if alike(known, dimension):
            article = "an" if quantity[0] in "aeiou" else "a"
            return f"{article} {quantity.replace('_', ' ')} ({_TYPICAL[quantity]})"
    return f"a quantity in {symbol(dimension)}"


def multiply(left: Dimension, right: Dimension, power: int = 1) -> Dimension:
    """Return the dimension of ``left`` times ``right`` to a power; -1 divides."""
    return (
        left[0] + power * right[0],
        left[1] + power * right[1],
        left[2] + power * right[2],
        left[3] + power * right[3],
        left[4] + power * right[4],
    )


def raised(dimension: Dimension, exponent: float) -> Dimension | None:
    """Return the dimension of a power, None where an exponent would not be whole.

    >>> raised((2, 0, -2, 0, 0), 0.5)
    (1, 0, -1, 0, 0)
    """
    m, kg, s, rad, A = (each * exponent for each in dimension)
    if gives_up(dimension) and rad != round(rad):
        rad = 0.0
    if any(each != round(each) for each in (m, kg, s, rad, A)):
        return None
    return (round(m), round(kg), round(s), round(rad), round(A))


def gives_up(dimension: Dimension) -> bool:
    """Return whether a quantity gives up its angle: whether a metre or a kilogram is in it."""
    return dimension[0] != 0 or dimension[1] != 0


def without_angle(dimension: Dimension) -> Dimension:
    """Return a dimension with its radians left out."""
    return (dimension[0], dimension[1], dimension[2], 0, dimension[4])


def alike(one: Dimension, other: Dimension) -> bool:
    """Return whether two dimensions are the same, an angle given up where it is."""
    return one == other or (gives_up(one) and without_angle(one) == without_angle(other))


_SUPERSCRIPT = str.maketrans("²³⁴⁵⁶", "23456")


def powered(word: str) -> str:
    """Return ``m^3`` for ``m3``: a unit whose power stands without its sign."""
    unit = word.rstrip("0123456789²³⁴⁵⁶")
    power = word[len(unit) :].translate(_SUPERSCRIPT)
    return f"{unit}^{power}" if unit in UNITS and power else ""


_QUOTIENTS = {
    "mps": "m/s", "fps": "ft/s", "kph": "km/h", "kmh": "km/h", "kmph": "km/h", "mph": "mi/h",
    "rps": "rad/s", "dps": "deg/s",
}  # fmt: skip
UNKNOWN_UNITS = frozenset(("kgf", "gf", "lbf", "psi", "ksi", "bar", "atm", "slug", "dyn", "cal"))
"""Units of other books, of which none here is a misspelling."""


def joined_units(word: str) -> str:
    """Return ``kg/m`` for ``kgm`` and ``N*m`` for ``Nm``: units that stand without a sign.

    >>> joined_units("Nsec"), joined_units("mps"), joined_units("furlong")
    ('N*s', 'm/s', '')
    """
    if word in _QUOTIENTS:
        return _QUOTIENTS[word]
    word = f"{word[:-3]}s" if word.endswith("sec") and len(word) > 3 else word
    for first, sign in (("kg", "/"), ("rad", "/"), ("N", "*"), ("kN", "*"), ("W", "*"), ("J", "/")):
        if word == f"{first}ms":
            return f"{first}*m*s"  # of damping; no thousandth of a second
        if word.startswith(first) and word[len(first) :] in UNITS:
            return f"{first}{sign}{word[len(first) :]}"
    return ""


def respelt(text: str) -> tuple[str, str]:
    """Return the unit at the start of ``text`` and how it is written here, "" for none of either.

    >>> respelt("Ns/m, 3)"), respelt("in"), respelt("Nm"), respelt("kg")
    (('Ns/m', 'N*s/m'), ('in', 'inch'), ('Nm', 'N*m'), ('', ''))
    """
    found = re.match(r"([^\W\d]+)((?:[/*](?:mm?|s|rad|deg)(?:\^\d)?\b)*)", text)
    if found is None:
        return "", ""
    word, rest = found[1], found[2]
    if word == "in":
        return word, "inch"
    if word[0] in "µμ" and f"u{word[1:]}" in UNITS:
        return word, f"u{word[1:]}"
    joined = joined_units(word) if word.startswith(("N", "kN", "W")) else ""
    return (word + rest, joined + rest) if "*" in joined else ("", "")
