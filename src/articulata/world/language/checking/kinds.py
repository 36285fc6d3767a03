"""Static types of values: a length, a point, a shape ...

A scalar has a dimension, or None for a bare number, which fits wherever a number fits: the
``units`` line of the file then gives its unit. ``ANY`` is a value of unknown type.
"""

from __future__ import annotations

from dataclasses import dataclass

from articulata.world.language.syntax.grammar import LAW_VARIABLES
from articulata.world.language.units import (
    QUANTITIES,
    Dimension,
    alike,
    describe,
    gives_up,
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
