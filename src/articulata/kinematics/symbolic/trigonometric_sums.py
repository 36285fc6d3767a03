"""Sums of products of sines, cosines and lengths: just the algebra that chains need.

A value is a ``Linear``: coefficients by product. A product is some atoms (cosine or sine of a sum
of coordinates, or a coordinate itself) times at most one shared sum. Multiplying a sum by an atom
does not expand it but makes it shared, so that the size of a closed form grows with the square of
the number of joints and not with its power. Equal sums are one object: common subexpressions are
there from the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from articulata.geometry.arrays import Array

Angle: TypeAlias = tuple[tuple[int, float], ...]
"""A sum of coordinates: (number of the coordinate, factor) by number, the first factor > 0."""

NEGLIGIBLE = 1e-15
"""What is left of a cancelled sum, as a share of its larger part, counts as nothing."""


@dataclass(frozen=True, slots=True, order=True)
class Atom:
    """Cosine or sine of an angle, or ("value") the one coordinate named by the angle."""

    kind: Literal["cos", "sin", "value"]
    angle: Angle


class Sum:
    """A shared sum of products, two or more, the first with a positive coefficient.

    Sums are compared by identity: the pool makes each only once. ``number`` counts them in the
    order of making, so that a sum comes after all it is made of.
    """

    __slots__ = ("number", "terms")

    def __init__(self, terms: tuple[tuple[Product, float], ...], number: int) -> None:
        self.terms = terms
        self.number = number


@dataclass(frozen=True, slots=True)
class Product:
    """Atoms in order from base to tip, times a sum when there is one; without both it is 1."""

    atoms: tuple[Atom, ...] = ()
    rest: Sum | None = None

    @property
    def key(self) -> tuple[tuple[Atom, ...], int]:
        """What orders products."""
        return self.atoms, -1 if self.rest is None else self.rest.number


Linear: TypeAlias = Mapping[Product, float]
"""Coefficients by product; what is not there is 0."""
Vector: TypeAlias = tuple[Linear, Linear, Linear]

ONE = Product()
ZERO: Linear = {}


def constant(value: float) -> Linear:
    """Return a number as a value."""
    return {ONE: float(value)} if value else ZERO


def angle_of(factors: Sequence[float]) -> tuple[Angle, float]:
    """Return the angle of ``factors`` by coordinate and the sign (1 or -1) taken out of it."""
    parts = [(number, float(factor)) for number, factor in enumerate(factors) if factor]
    sign = -1.0 if parts and parts[0][1] < 0 else 1.0
    return tuple((number, sign * factor) for number, factor in parts), sign


class Pool:
    """Makes sums, each only once."""

    def __init__(self) -> None:
        self._sums: dict[tuple[tuple[tuple[tuple[Atom, ...], int], str], ...], Sum] = {}

    def times(self, atom: Atom, value: Linear) -> Linear:
        """Return ``atom * value``; a sum of several products is not expanded."""
        if not value:
            return ZERO
        product, factor = self.shared(value)
        return {Product((atom, *product.atoms), product.rest): factor}

    def shared(self, value: Linear) -> tuple[Product, float]:
        """Return ``value``, which is not 0, as one product and its coefficient."""
        if len(value) == 1:
            return next(iter(value.items()))
        # Rounding in the last digits must not keep equal sums apart; the sign is taken out.
        order = sorted(value, key=lambda product: product.key)
        sign = 1.0 if value[order[0]] > 0 else -1.0
        key = tuple((product.key, f"{sign * value[product]:.13g}") for product in order)
        found = self._sums.get(key)
        if found is None:
            # Shown as it was put together, which follows the arm from base to tip.
            terms = tuple((product, sign * factor) for product, factor in value.items())
            found = self._sums[key] = Sum(terms, len(self._sums))
        return Product((), found), sign

    def combine(self, factors: Sequence[float] | Array, values: Sequence[Linear]) -> Linear:
        """Return ``sum(factor * value)``; sums are shared where more than one value counts."""
        parts = [(f, v) for f, v in zip(factors, values, strict=True) if f and v]
        if len(parts) == 1:
            return scaled(float(parts[0][0]), parts[0][1])
        total: Linear = ZERO
        for factor, value in parts:
            product, own = self.shared(value)
            total = added(total, {product: float(factor) * own})
        return total

    def turn(self, factors: Sequence[float], v: Vector) -> Vector:
        """Return ``v`` turned about z by the sum of coordinates with these ``factors``."""
        angle, sign = angle_of(factors)
        if not angle:
            return v
        cos, sin = Atom("cos", angle), Atom("sin", angle)
        x = added(self.times(cos, v[0]), scaled(-sign, self.times(sin, v[1])))
        y = added(scaled(sign, self.times(sin, v[0])), self.times(cos, v[1]))
        return x, y, v[2]

    def mapped(self, C: Array, v: Vector) -> Vector:
        """Return ``C v`` for a constant matrix (3, 3)."""
        x, y, z = (self.combine(row, v) for row in C.tolist())
        return x, y, z


def added(a: Linear, b: Linear) -> Linear:
    """Return ``a + b``; what cancels is left out."""
    if not a or not b:
        return a or b
    total = dict(a)
    for product, factor in b.items():
        before = total.get(product, 0.0)
        after = before + factor
        if abs(after) <= NEGLIGIBLE * max(abs(before), abs(factor)):
            del total[product]
        else:
            total[product] = after
    return total


def scaled(factor: float, a: Linear) -> Linear:
    """Return ``factor * a``."""
    if factor == 1.0:
        return a
    return {product: factor * own for product, own in a.items()} if factor else ZERO


def plus(a: Vector, b: Vector) -> Vector:
    """Return ``a + b``."""
    return added(a[0], b[0]), added(a[1], b[1]), added(a[2], b[2])


def times(factor: float, a: Vector) -> Vector:
    """Return ``factor * a``."""
    return scaled(factor, a[0]), scaled(factor, a[1]), scaled(factor, a[2])
