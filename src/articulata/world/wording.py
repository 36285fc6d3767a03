"""Values in the words of the language: numbers, vectors, shapes, materials as ``.art`` text.

All in SI units, each number in the shortest form that reads back as the same double.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from articulata.errors import WorldError
from articulata.geometry import shapes
from articulata.geometry.scalars import real
from articulata.world.hinges import (
    CylinderSurface,
    Helicoid,
    Plane,
    SphereSurface,
    Surface,
)
from articulata.world.single_frames import from_axes, to_the_bit
from articulata.world.values import NO_TURN, Material, Quaternion


def number(value: float) -> str:
    """Return a number; whole ones without a point.

    >>> number(0.1), number(-3.0)
    ('0.1', '-3')
    """
    known = real(value)
    if known is None:
        raise WorldError(f"a number is due here, not {value!r}")
    if not math.isfinite(known):
        raise WorldError(f"{value} cannot be written in a world; give a finite number")
    if known == math.floor(known) and abs(known) < 1e15:
        return str(int(known))
    return repr(known)


def numbers(values: Iterable[float]) -> str:
    """Return numbers in parentheses: ``(0, 1, 0)``."""
    return f"({', '.join(number(value) for value in values)})"


def rotation(q: Quaternion) -> str:
    """Return a quaternion, w first."""
    return f"quaternion{numbers(q)}"


def color(value: str | tuple[float, ...]) -> str:
    """Return a colour by its name or three numbers."""
    if isinstance(value, str):
        return value if value.isidentifier() else f'"{value}"'
    return numbers(value)


def material(value: Material) -> str:
    """Return a material by its parts; what is not known is left out."""
    parts = [
        f"{name}: {number(given)}"
        for name, given in (
            ("density", value.density),
            ("friction", value.friction),
            ("restitution", value.restitution),
        )
        if given is not None
    ]
    if value.color is not None:
        parts.append(f"color: {color(value.color)}")
    return f"material({', '.join(parts)})"


def surface(value: Surface) -> str:
    """Return a surface of a hinge row."""
    match value:
        case Plane(normal, point):
            return f"plane({numbers(point)}, {numbers(normal)})"
        case SphereSurface(radius, center):
            return f"sphere({numbers(center)}, {number(radius)})"
        case CylinderSurface(radius, axis, point):
            return f"cylinder({numbers(point)}, {numbers(axis)}, {number(radius)})"
        case Helicoid(lead):
            return f"helicoid({number(lead)})"


def shape(value: shapes.Shape) -> str:
    """Return a shape as the call that makes it."""
    match value:
        case shapes.Cuboid(x, y, z):
            return f"cuboid{numbers((x, y, z))}"
        case shapes.Sphere(radius):
            return f"sphere({number(radius)})"
        case shapes.Cylinder(radius, length):
            return f"cylinder{numbers((radius, length))}"
        case shapes.Capsule(radius, length):
            return f"capsule{numbers((radius, length))}"
        case shapes.Cone(radius, length, top):
            return f"cone{numbers((radius, length, top))}"
        case shapes.Prism(sides, radius, length):
            return f"prism{numbers((sides, radius, length))}"
        case shapes.ExtrudedPolygon():
            corners = ", ".join(numbers(corner) for corner in value.points)
            return f"extruded(({corners}), {number(value.length)})"
        case shapes.HalfSpace():
            return "half_space"
        case shapes.Mesh() if value.file:
            size = numbers(value.scale) if len({*value.scale}) > 1 else number(value.scale[0])
            return f'mesh("{value.file}"{"" if size == "1" else f", {size}"})'
        case shapes.Placed(shape=shapes.Placed() as inner):
            return shape(shapes.Placed(inner.shape, value.X_PS @ inner.X_PS))
        case shapes.Placed():
            return f"{shape(value.shape)}{_place(value)}"
        case shapes.Named():
            # A single named part is a union of one.
            return f"union({_part(value)})"
        case shapes.Difference():
            return f"difference({', '.join(map(_part, value.parts))})"
        case shapes.Union():
            return f"union({', '.join(map(_part, value.parts))})"
        case shapes.Intersection():
            return f"intersection({', '.join(map(_part, value.parts))})"
    raise WorldError(
        f"a {type(value).__name__.lower()} cannot be written in a world's text; "
        "use primitives, mesh files, unions, differences and intersections"
    )


def _part(value: shapes.Shape) -> str:
    if isinstance(value, shapes.Named):
        return f"{value.name}: {shape(value.shape)}"
    return shape(value)


def _place(value: shapes.Placed) -> str:
    X = value.X_PS
    x, y, z, p = ((float(c[0]), float(c[1]), float(c[2])) for c in X[:3].T)
    rows = tuple(tuple(float(each) for each in row[:3]) for row in X[:3])
    q = to_the_bit(from_axes(x, y, z), rows)
    turned = "" if q == NO_TURN else f" turned {rotation(q)}"
    return f" at {numbers(p)}{turned}"
