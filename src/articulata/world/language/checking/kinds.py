"""Static types of values: a length, a point, a shape ...

A scalar has a dimension, or None for a bare number, which fits wherever a number fits: the
``units`` line of the file then gives its unit. ``ANY`` is a value of unknown type.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from articulata.world.language.syntax import tree
from articulata.world.language.syntax.grammar import LAW_VARIABLES
from articulata.world.language.units import (
    NONE,
    QUANTITIES,
    UNITS,
    Dimension,
    alike,
    describe,
    gives_up,
    parse_unit,
    restated,
    typical_unit,
    without_angle,
)


@dataclass(frozen=True, slots=True)
class Value:
    """The kind of a value: ``scalar``, ``tuple``, ``any``, or a word of ``vocabulary.KINDS``."""

    kind: str
    dimension: Dimension | None = None
    items: tuple[Value, ...] = ()

    def __str__(self) -> str:
        if self.kind == "scalar":
            return "a number" if self.dimension is None else describe(self.dimension)
        if self.kind == "tuple":
            return f"{len(self.items)} values"
        return {
            "truth": "a condition",
            "any": "a value",
            "feature": "a feature",
            "color": "a colour",
        }.get(self.kind, f"a {self.kind}")


ANY = Value("any")
BARE = Value("scalar")
TRUTH = Value("truth")
TEXT = Value("text")


def scalar(dimension: Dimension) -> Value:
    """Return a scalar of ``dimension``."""
    return Value("scalar", dimension)


def vector(dimension: Dimension | None) -> Value:
    """Return three scalars of ``dimension``."""
    return Value("tuple", None, (Value("scalar", dimension),) * 3)


def of_quantity(name: str) -> Value:
    """Return the kind of value that a quantity or kind by this name stands for."""
    if name in QUANTITIES:
        return scalar(QUANTITIES[name])
    if name == "point":
        return vector(QUANTITIES["length"])
    if name == "gravity":
        return vector(QUANTITIES["acceleration"])
    if name in ("shape", "material", "rotation", "text", "surface", "direction", "color"):
        return Value(name)
    return ANY


def fits(value: Value, due: Dimension) -> bool:
    """Return whether a scalar may stand where ``due`` is; a number may be an angle.

    In which unit it is one, or that it could be two, is told where its value is known.
    """
    found = value.dimension
    if found is None or alike(found, due):
        return True
    return not gives_up(due) and found == without_angle(due)


def summed(left: Dimension | None, right: Dimension | None) -> Dimension | None:
    """Return the dimension of a sum or of values compared, None where they cannot be."""
    if left is None or right is None:
        return left if right is None else right
    if alike(left, right):
        return left if left == right else without_angle(left)
    turned = not gives_up(left) and without_angle(left) == without_angle(right)
    if turned and 0 in (left[3], right[3]):
        return left if right[3] == 0 else right
    return None


LAW_SCOPES: dict[str, dict[str, Value]] = {
    kind: {name: of_quantity(each) for name, each in names.items()}
    for kind, names in LAW_VARIABLES.items()
}
"""What the expression of a force, a moment ("torque") or a pair's law ("number") may read."""

FILE_ENDS = frozenset(("stl", "obj", "ply", "gltf", "glb", "art", "py", "json", "csv", "artrun",
                       "bvh", "sto", "mot", "trc", "c3d", "urdf", "fmu", "txt", "png"))  # fmt: skip
"""How names of files end, which are texts."""


def unit_apart(node: tree.Expression) -> str:
    """Return ``N/m`` for ``180 N / m``, "" where something else is multiplied or divided."""
    if isinstance(node, tree.Number):
        return node.unit
    if not isinstance(node, tree.Binary) or node.operator not in "*/":
        return ""
    name = node.right.simple if isinstance(node.right, tree.Path) else ""
    before = unit_apart(node.left) if name in UNITS else ""
    return before and f"{before}{node.operator}{name}"


def too_large(node: tree.Binary) -> bool:
    """Say whether a power of numbers overflows; one with names in it is not known."""
    try:
        _constant(node)
    except OverflowError:
        return True
    return False


def _constant(node: tree.Expression) -> float | None:
    if isinstance(node, tree.Number):
        return node.value
    if isinstance(node, tree.Unary):
        inner = _constant(node.operand)
        return None if inner is None or node.operator == "not" else -inner
    if not isinstance(node, tree.Binary) or node.operator != "^":
        return None
    left, right = _constant(node.left), _constant(node.right)
    if left is None or right is None or left <= 0.0:
        return None
    return float(left**right)


def unit_missing(node: tree.Binary, units: Collection[str]) -> tuple[tree.Number, str] | None:
    """Return the 5 of ``12 cm + 5`` and the unit that it lacks, None where nothing is missing.

    ``units`` are those of the file's numbers: beside a number in one of them none is missing.
    """
    one, other = node.left, node.right
    if node.operator not in "+-" or not isinstance(one, tree.Number):
        return None
    if not isinstance(other, tree.Number) or bool(one.unit) == bool(other.unit):
        return None
    bare, unit = (other, one.unit) if one.unit else (one, other.unit)
    named = not units or set(re.split(r"[*/^]", unit)).isdisjoint(units)
    return (bare, unit) if bare.value and named else None


def factors(node: tree.Expression, power: int = 1) -> list[tuple[tree.Number, int]]:
    """Return the numbers of a product, each with 1, or -1 where it divides."""
    if isinstance(node, tree.Number):
        return [(node, power)]
    if isinstance(node, tree.Unary):
        return factors(node.operand, power)
    if not isinstance(node, tree.Binary) or node.operator not in "*/":
        return []
    right = -power if node.operator == "/" else power
    return factors(node.left, power) + factors(node.right, right)


def with_unit(kind: str) -> str:
    """Return ``, such as 1 m`` for a quantity, "" for a plain number."""
    unit = typical_unit(kind)
    return f", such as 1 {unit}" if unit else ""


def named(kind: str) -> str:
    """Return a quantity as a thing: ``a length``."""
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{article} {kind.replace('_', ' ')}"


_TURNING = {"damping": "angular_impulse", "stiffness": "torque"}
"""Kinds that have the units N*m*s and N*m of damping and stiffness of turning."""


def of_turning(kind: str | None, given: tree.Expression | None) -> str:
    """Return the kind of turning that a number has where one along a line is due, "" for none."""
    meant = _TURNING.get(kind or "", "")
    unit = given.unit if isinstance(given, tree.Number) else ""
    if not meant or not unit or without_angle(parse_unit(unit).dimension) != QUANTITIES[meant]:
        return ""
    return meant


def other_unit(node: tree.Expression, kind: str, found: Value, usual: str) -> str:
    """Suggest the unit that was meant."""
    unit = typical_unit(kind)
    turned = found.dimension or NONE
    if turned[3] and not gives_up(turned) and without_angle(turned) == QUANTITIES[kind]:
        return "divide it by 1 rad or by 1 deg"
    if isinstance(node, tree.Binary) and node.operator == "/":
        left, right = node.left, node.right
        if (
            isinstance(left, tree.Number)
            and isinstance(right, tree.Number)
            and not left.unit
            and right.unit
            and right.value
            and parse_unit(right.unit).dimension == QUANTITIES[kind]
        ):
            return f"write {left.value / right.value:.4g} {right.unit}"
    if isinstance(node, tree.Number):
        return f"write {named(kind)}: {restated(f'{node.value:g} {node.unit}', kind, usual)}"
    if kind == "angle" and found.dimension == QUANTITIES["time"]:
        of = node.text if isinstance(node, tree.Path) else "time"
        return f"multiply it by a rate: 360 deg/s * {of}"
    if kind == "rate":
        return f"write a value in {unit}, or an angle over a time, as in 2*pi / 1 s"
    return f"write a value in {unit}" if unit else "remove the unit"
