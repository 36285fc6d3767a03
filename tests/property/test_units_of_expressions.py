"""Random expressions against an evaluator of the test's own, which carries units.

The evaluator follows the page on numbers and units, on trees that never were text: a value is a
number in SI with the exponents of metre, kilogram, second and radian, or bare. The same trees are
read as definitions, as forces and as conditions.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from articulata.analyses.simulate import crossings
from articulata.errors import WorldError
from articulata.world.document import Document, parse
from articulata.world.model import Program
from articulata.world.requests.request import OptionValue

Exponents: TypeAlias = tuple[int, int, int, int]
Tree: TypeAlias = "tuple[str, tuple[Tree, ...]]"
"""A leaf's text or an operator's word, with the operands."""

NUMBER, ANGLE, LENGTH, TIME = (0, 0, 0, 0), (0, 0, 0, 1), (1, 0, 0, 0), (0, 0, 1, 0)
RATE, SPEED, FORCE, TORQUE = (0, 0, -1, 1), (1, 0, -1, 0), (1, 1, -2, 0), (2, 1, -2, 0)

LITERALS: dict[str, tuple[float, Exponents]] = {
    "m": (1.0, LENGTH), "mm": (1e-3, LENGTH), "inch": (0.0254, LENGTH), "s": (1.0, TIME),
    "ms": (1e-3, TIME), "rad": (1.0, ANGLE), "deg": (math.pi / 180, ANGLE), "N": (1.0, FORCE),
    "rpm": (math.pi / 30, RATE), "deg/s": (math.pi / 180, RATE), "mm/s": (1e-3, SPEED),
    "N*m": (1.0, TORQUE), "J": (1.0, TORQUE), "N*m/rad": (1.0, (2, 1, -2, -1)),
    "N*m/deg": (180 / math.pi, (2, 1, -2, -1)), "Hz": (1.0, (0, 0, -1, 0)),
}  # fmt: skip
FILES: dict[str, tuple[float, float, float, float]] = {
    "metre, kilogram, second, radian": (1.0, 1.0, 1.0, 1.0),
    "centimetre, gram, second, degree": (1e-2, 1e-3, 1.0, math.pi / 180),
    "millimetre, kilogram, minute, degree": (1e-3, 1.0, 60.0, math.pi / 180),
    "foot, pound, millisecond, milliradian": (0.3048, 0.45359237, 1e-3, 1e-3),
}
NAMED = {
    "metre, kilogram, second, radian": {"m", "kg", "s", "rad"},
    "centimetre, gram, second, degree": {"cm", "g", "s", "deg"},
    "millimetre, kilogram, minute, degree": {"mm", "kg", "min", "deg"},
    "foot, pound, millisecond, milliradian": {"ft", "lb", "ms", "mrad"},
}
VARIABLES = {"angle": (0.37, ANGLE), "rate": (-0.81, RATE), "time": (0.63, TIME)}


class RefusedError(Exception):
    """The page says that this is an error."""


@dataclass(frozen=True)
class Worth:
    """A value: in SI, its exponents (None: bare), and whether pi makes a number radians."""

    value: float
    unit: Exponents | None = None
    radians: bool = False


class Reader:
    """The rule of the page, for a file with these units."""

    def __init__(self, file: str) -> None:
        self.scales, self.named = FILES[file], NAMED[file]

    def worth(self, tree: Tree) -> Worth:
        """Return what a tree is worth."""
        word, parts = tree
        if not parts:
            return self._leaf(word)
        if word in ("sin", "cos"):
            return Worth(getattr(math, word)(self.due(self.worth(parts[0]), ANGLE).value))
        if word == "exp":
            return Worth(math.exp(self.due(self.worth(parts[0]), NUMBER).value))
        if word == "atan":
            return Worth(math.atan(self.due(self.worth(parts[0]), NUMBER).value), ANGLE)
        if word == "neg":
            inner = self.worth(parts[0])
            return Worth(-inner.value, inner.unit, inner.radians)
        if word in ("sqrt", "abs"):
            return self._of_one(word, self.worth(parts[0]))
        if word in ("+", "-") and not parts[0][1] and not parts[1][1]:
            self._both_with_units(parts[0][0], parts[1][0])
        left, right = (self.worth(each) for each in parts)
        if word == "*":
            return self._product(left, right, 1)
        if word == "/":
            return self._product(left, right, -1)
        if word == "^":
            return self._power(left, int(right.value))
        return self._of_alike(word, left, right)

    def _both_with_units(self, one: str, other: str) -> None:
        """Refuse 12 cm + 5 where the file does not count in centimetres."""
        units = [each.partition(" ")[2] for each in (one, other) if each[0].isdigit()]
        if len(units) == 2 and bool(units[0]) != bool(units[1]):
            written = set((units[0] or units[1]).replace("*", "/").split("/"))
            if written.isdisjoint(self.named):
                raise RefusedError

    def _leaf(self, word: str) -> Worth:
        if word == "pi":
            return Worth(math.pi, NUMBER, True)
        if word in VARIABLES:
            return Worth(*VARIABLES[word])
        number, _, unit = word.partition(" ")
        if not unit:
            return Worth(float(number))
        factor, exponents = LITERALS[unit]
        return Worth(float(number) * factor, exponents)

    def due(self, it: Worth, unit: Exponents) -> Worth:
        """Return a value where a quantity is due."""
        if it.unit is None:
            scale = 1.0
            for size, power in zip(self.scales[:3], unit, strict=False):
                scale *= size**power
            if unit[0] == unit[1] == 0:
                scale *= self.scales[3] ** unit[3]
            return Worth(it.value * scale, unit)
        if it.unit[:3] != unit[:3]:
            raise RefusedError
        if it.unit[3] != unit[3] and unit[0] == unit[1] == 0:
            if it.unit[3] != 0:
                raise RefusedError
            if not (it.radians or self.scales[3] == 1.0 or it.value == 0.0):
                raise RefusedError
        return Worth(it.value, unit, it.radians and it.unit == unit)

    def _of_alike(self, word: str, left: Worth, right: Worth) -> Worth:
        if left.unit is not None and right.unit is not None and left.unit != right.unit:
            plain = left.unit if right.unit[3] == 0 else right.unit
            if left.unit[0] or left.unit[1]:
                plain = (*left.unit[:3], 0)
            if 0 not in (left.unit[3], right.unit[3]) and not (left.unit[0] or left.unit[1]):
                raise RefusedError
            left, right = self.due(left, plain), self.due(right, plain)
        elif left.unit is None and right.unit is not None:
            left = self.due(left, right.unit)
        elif right.unit is None and left.unit is not None:
            right = self.due(right, left.unit)
        both = left.radians and right.radians
        if word == "atan2":
            return Worth(math.atan2(left.value, right.value), ANGLE)
        made = {
            "+": left.value + right.value,
            "-": left.value - right.value,
            "min": min(left.value, right.value),
            "max": max(left.value, right.value),
        }
        return Worth(made[word], left.unit, both)

    def _product(self, left: Worth, right: Worth, sign: int) -> Worth:
        value = left.value * right.value if sign > 0 else left.value / right.value
        if left.unit is None and right.unit is None:
            return Worth(value)
        one, other = left.unit or NUMBER, right.unit or NUMBER
        m, kg, s, rad = (a + sign * b for a, b in zip(one, other, strict=True))
        return Worth(value, (m, kg, s, rad), left.radians or (sign > 0 and right.radians))

    def _power(self, it: Worth, power: int) -> Worth:
        if it.unit is None:
            return Worth(it.value**power)
        m, kg, s, rad = (each * power for each in it.unit)
        return Worth(it.value**power, (m, kg, s, rad), it.radians)

    def _of_one(self, word: str, it: Worth) -> Worth:
        if word == "abs":
            return Worth(abs(it.value), it.unit, it.radians)
        if it.unit is None:
            return Worth(math.sqrt(it.value))
        m, kg, s, rad = it.unit
        return Worth(math.sqrt(it.value), (m // 2, kg // 2, s // 2, rad // 2), it.radians)


# ---- random trees


def leaf(word: str) -> Tree:
    return (word, ())


class Maker:
    """Makes trees of a kind; now and then of one that is refused."""

    def __init__(self, seed: int, *, moving: bool) -> None:
        self.random = random.Random(seed)
        self.moving = moving

    def number(self) -> str:
        return f"{self.random.uniform(0.2, 3.0):.3f}"

    def literal(self, *units: str) -> Tree:
        return leaf(f"{self.number()} {self.random.choice(units)}")

    def any_of(self, *choices: Callable[[], Tree]) -> Tree:
        return self.random.choice(choices)()

    def bare(self, depth: int) -> Tree:
        if depth <= 0:
            return leaf(self.number())
        down = depth - 1
        return self.any_of(
            lambda: leaf(self.number()),
            lambda: (self.random.choice("+-*/"), (self.bare(down), leaf(self.number()))),
            lambda: (self.random.choice(["sin", "cos"]), (self.angle(down),)),
            lambda: ("exp", (("neg", (self.ratio(down),)),)),
            lambda: (self.random.choice(["min", "max"]), (self.bare(down), self.bare(down))),
        )

    def ratio(self, depth: int) -> Tree:
        down = depth - 1
        if depth <= 0:
            return ("/", (self.literal("m", "mm"), self.literal("m", "inch")))
        return self.any_of(
            lambda: ("/", (self.length(down), self.length(0))),
            lambda: ("/", (self.angle(down), self.literal("rad", "deg"))),
            lambda: ("/", (self.time(down), self.literal("s"))),
            lambda: ("-", (self.ratio(down), self.bare(down))),
            lambda: ("+", (self.bare(down), self.ratio(down))),
            lambda: ("max", (self.ratio(down), self.bare(down))),
            lambda: ("sqrt", (("+", (leaf("1"), ("^", (self.ratio(down), leaf("2"))))),)),
            lambda: ("*", (self.bare(0), self.ratio(down))),
            lambda: ("*", (leaf("pi"), self.ratio(down))),
        )

    def time(self, depth: int) -> Tree:
        if self.moving and self.random.random() < 0.5:
            return leaf("time")
        return self.literal("s", "ms")

    def length(self, depth: int) -> Tree:
        down = depth - 1
        if depth <= 0:
            return self.literal("m", "mm", "inch")
        return self.any_of(
            lambda: self.literal("m", "mm", "inch"),
            lambda: ("+", (self.length(down), self.bare(down))),
            lambda: ("*", (self.angle(down), self.length(0))),
            lambda: ("*", (self.literal("mm/s"), self.time(0))),
            lambda: ("abs", (("-", (self.bare(0), self.length(down))),)),
            lambda: ("sqrt", (("^", (self.length(down), leaf("2"))),)),
        )

    def angle(self, depth: int) -> Tree:
        down = depth - 1
        if depth <= 0:
            return leaf("angle") if self.moving else self.literal("rad", "deg")
        return self.any_of(
            lambda: leaf("angle") if self.moving else self.literal("deg"),
            lambda: self.bare(down),
            lambda: ("/", (leaf("pi"), self.bare(0))),
            lambda: ("sqrt", (("/", (("^", (leaf("pi"), leaf("2"))), leaf("36"))),)),
            lambda: (self.random.choice("+-"), (self.angle(down), self.bare(down))),
            lambda: (self.random.choice("+-"), (self.angle(0), ("/", (leaf("pi"), leaf("2"))))),
            lambda: ("*", (self.rate(0), self.time(0))),
            lambda: ("/", (self.literal("N*m"), self.literal("N*m/rad", "N*m/deg"))),
            lambda: ("atan2", (self.bare(0), self.length(down))),
            lambda: ("atan", (self.ratio(down),)),
            lambda: (self.random.choice(["min", "max"]), (self.angle(0), self.bare(down))),
            lambda: ("/", (("*", (self.angle(0), self.length(0))), self.length(0))),
            lambda: self.ratio(down),
            lambda: self.ratio(down),
            lambda: self.ratio(down),
        )

    def rate(self, depth: int) -> Tree:
        if self.moving and self.random.random() < 0.5:
            return ("-", (leaf("rate"), self.bare(0)))
        return self.any_of(
            lambda: self.literal("deg/s", "rpm"),
            lambda: ("/", (self.angle(0), self.time(0))),
            lambda: ("*", (("*", (leaf("2"), leaf("pi"))), self.literal("Hz"))),
        )

    def torque(self, depth: int) -> Tree:
        down = depth - 1
        if depth <= 0:
            return self.literal("N*m", "J")
        return self.any_of(
            lambda: ("*", (self.literal("N*m"), self.bare(down))),
            lambda: ("*", (self.literal("N*m"), self.ratio(down))),
            lambda: ("*", (self.literal("N*m/rad", "N*m/deg"), self.angle(down))),
            lambda: ("*", (self.literal("N"), self.length(down))),
            lambda: (self.random.choice("+-"), (self.torque(down), self.bare(down))),
            lambda: (self.random.choice("+-"), (self.torque(down), self.torque(down))),
            lambda: (self.random.choice(["min", "max"]), (self.torque(down), self.bare(down))),
            lambda: ("/", (("*", (self.literal("J"), self.angle(0))), self.literal("rad"))),
        )


def written(tree: Tree) -> str:
    """Return a tree as text, every operator in parentheses."""
    word, parts = tree
    shown = [written(each) for each in parts]
    if not parts:
        return f"({word})" if " " in word else word
    if word in "+-*/^":
        return f"({shown[0]} {word} {shown[1]})"
    return f"(-{shown[0]})" if word == "neg" else f"{word}({', '.join(shown)})"


# ---- the three readings of the product

WORLD = """units: {units}
primitive block {{ properties: (density: 1 kg/m^3); geometry: cuboid(1 m, 1 m, 1 m); dynamics }}
world w {{ components {{ g: fixed_point; b: block }} structure {{
  join b to g with pin(axis: z) as h matching (center, center)
  {body}
}} }}
simulate w {{ time: (1 ms, 1 s)
  {clause}
}}
"""
HOLD = "force f about h = 0 N*m"


def document(units: str, body: str = HOLD, clause: str = "") -> Document:
    return parse(WORLD.format(units=units, body=body, clause=clause))


def run(steps: Program, values: Mapping[str, float]) -> float:
    """Return what a postfix program gives."""
    stack: list[float] = []
    for name, value in steps:
        if name == "push":
            stack.append(value)
        elif name in values:
            stack.append(values[name])
        elif name in ("neg", "abs", "sin", "cos", "exp", "sqrt", "atan"):
            made = {"neg": lambda a: -a, "abs": abs}.get(name) or getattr(math, name)
            stack.append(made(stack.pop()))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append({
                "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
                "div": lambda a, b: a / b, "pow": lambda a, b: a**b, "min": min, "max": max,
                "atan2": math.atan2,
            }[name](left, right))  # fmt: skip
    (found,) = stack
    return found


def as_force(units: str, text: str) -> float:
    """Return the moment that a force's expression gives."""
    made = document(units, f"force f about h = {text}").world("w")
    return run(made.forces["f"].program, {name: value for name, (value, _) in VARIABLES.items()})


def as_condition(units: str, text: str) -> float:
    """Return the left side less the right of ``on text > 0 N*m``."""
    named = text.replace("angle", "h.angle").replace("rate", "h.rate")
    (request,) = document(units, clause=f"on ({named}) > (0 N*m) * time / (1 s): stop").requests
    (rule,) = request.rules
    read = {"h.angle": 0.37, "h.rate": -0.81, "time": 0.63}
    condition: OptionValue = rule.operands

    def probe(path: str) -> Callable[[object], float]:
        return lambda _: read[path]

    return crossings.margin(condition, lambda side: crossings.ready(side, probe)(None))


def as_definition(units: str, text: str) -> float:
    """Return a torque by what a hinge bears: (force, torque), greater than 0."""
    body = f"join b to g with weld as k matching (top, center) breaks at (1 N, (100 N*m) + {text})"
    text = WORLD.format(units=units, body=body, clause="").replace(
        "join b to g with pin(axis: z) as h matching (center, center)", ""
    )
    strength = parse(text).world("w").hinges["k"].strength
    assert strength is not None
    assert strength[1] is not None
    return strength[1] - 100.0


@pytest.mark.parametrize("units", FILES)
def test_random_expressions_are_worth_what_their_units_say(units: str) -> None:
    reader, refused = Reader(units), 0
    for seed in range(90, 145):
        moving = seed % 2 == 1
        tree = Maker(seed, moving=moving).torque(4)
        text = written(tree)
        try:
            due = reader.due(reader.worth(tree), TORQUE).value
        except RefusedError:
            refused += 1
            for found in (as_force,) if moving else (as_force, as_definition):
                with pytest.raises(WorldError):
                    found(units, text)
            continue
        size = max(1.0, abs(due))
        assert as_force(units, text) == pytest.approx(due, abs=1e-12 * size), text
        if moving:
            assert as_condition(units, text) == pytest.approx(due, abs=1e-12 * size), text
        elif due > -99.0:
            assert as_definition(units, text) == pytest.approx(due, abs=1e-12 * max(size, 100))
    # Most of them mean something; where angles are not in radians some have two readings.
    assert refused < 30
    assert refused > 0 or FILES[units][3] == 1.0
