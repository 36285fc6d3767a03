"""What a value is, as far as it can be told without knowing it: a length, a point, a shape ...

A scalar has a dimension, or None for a bare number, which fits wherever a number fits: the
``units`` line of the file then says what it means. ``ANY`` is a value nothing is known about.
"""

from __future__ import annotations

from dataclasses import dataclass

from articulata.world.language.units import NONE, QUANTITIES, Dimension, describe


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
        return {"truth": "a condition", "any": "a value", "feature": "a feature"}.get(
            self.kind, f"a {self.kind}"
        )


ANY = Value("any")
BARE = Value("scalar")
PLAIN = Value("scalar", NONE)
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
