"""Shapes in expressions: calls such as ``cuboid(1, 3, 1)``, and things put elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulata.errors import FormatError, GeometryError
from articulata.geometry.polygon import LONGEST
from articulata.world.language.elaboration.actuation import bound
from articulata.world.language.elaboration.evaluate import Scope, Turned, Value, is_group
from articulata.world.language.elaboration.function_calls import positive
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import SHAPES
from articulata.world.single_frames import about, multiply
from articulata.world.values import NO_TURN, Pose, Quaternion, Vector3

if TYPE_CHECKING:
    from articulata.geometry.shapes import Mesh, Shape


@dataclass(frozen=True, slots=True)
class PutValue:
    """A value that is not a shape, put elsewhere: where (None: unsaid) and turned how."""

    value: Value
    at: Value | None
    turn: Quaternion


def turn_of(scope: Scope, turns: tuple[t.Turn, ...]) -> Quaternion:
    """Return the turns in the order written, about fixed axes."""
    q = NO_TURN
    for each in turns:
        value = scope.evaluate(each.angle)
        if isinstance(value, Turned):
            q = multiply(value.quaternion, q)
        elif each.axis is None:
            raise scope.unlike(each, "a rotation is", value, "write turned 90 deg about x")
        else:
            axis = scope.direction(each.axis)
            q = multiply(about(axis, scope.to_kind(value, "angle", each.angle)), q)
    return q


def placed_value(scope: Scope, item: t.Placed) -> Value:
    """Return a shape put elsewhere, or another value with its place beside it."""
    value = scope.evaluate(item.value)
    turn = turn_of(scope, item.turns)
    if not is_shape(value):
        at = None if item.at is None else scope.evaluate(item.at)
        return PutValue(value, at, turn)
    from articulata.geometry.shapes import Placed

    position: Vector3 = (0.0, 0.0, 0.0)
    if item.at is not None:
        position = near(scope, scope.vector(item.at, "length"), item.at)
    return Placed(value, Pose(position, turn).matrix())


def near(scope: Scope, point: Vector3, item: t.Expression) -> Vector3:
    """Return a point (m), refused where it is too far away to be computed with."""
    far = max(map(abs, point))
    if far > LONGEST:
        raise scope.fail(
            item,
            "too-large",
            f"a place {far:g} m away cannot be computed with",
            f"write a place within {LONGEST:g} m",
        )
    return point


def is_shape(value: Value) -> bool:
    """Return whether a value is a shape."""
    from articulata.geometry.shapes import SHAPES as KINDS

    return isinstance(value, KINDS)


def shape(scope: Scope, item: t.Expression) -> Shape:
    """Return the shape that an expression stands for."""
    if isinstance(item, t.Path) and item.simple == "half_space":
        from articulata.geometry.shapes import HalfSpace

        return HalfSpace()
    value = scope.evaluate(item)
    if is_shape(value):
        made: Shape = value
        return made
    raise scope.unlike(item, "a shape is", value, "write cuboid(1, 3, 1)")


def solid(scope: Scope, item: t.Expression) -> Shape:
    """Return the shape that an expression stands for; its meshes have an inside."""
    made = shape(scope, item)
    for mesh in meshes_in(made):
        if not mesh.closed:
            raise scope.fail(
                item,
                "bad-shape",
                f"the surface in '{mesh.file}' is open: it has no inside that could touch or weigh",
                "close it, draw it with look: and give a plain shape here, or say that it stands "
                "still: properties: (fixed)",
            )
    return made


def meshes_in(made: Shape) -> Iterator[Mesh]:
    """Yield the meshes that a shape is made of."""
    from articulata.geometry.shapes import Difference, Intersection, Mesh, Named, Placed, Union

    if isinstance(made, Mesh):
        yield made
    elif isinstance(made, Placed | Named):
        yield from meshes_in(made.shape)
    elif isinstance(made, Union | Intersection | Difference):
        for part in made.parts:
            yield from meshes_in(part)


def check_parts(made: Shape) -> None:
    """Raise GeometryError when two parts of a solid go by the same name."""
    from articulata.geometry.shapes import Difference, Intersection, Named, Placed, Union

    if isinstance(made, Difference | Intersection | Named | Placed | Union):
        from articulata.geometry.parts import parts_of

        parts_of(made)


def shape_of_call(scope: Scope, item: t.Call) -> Shape:
    """Return the shape of a call."""
    name = item.function.text
    try:
        if name in ("union", "difference", "intersection"):
            return _constructed(scope, item, name)
        made: Shape = _MAKERS[name](scope, bound(scope, item, SHAPES[name]))
        return made
    except GeometryError as error:
        raise scope.fail(item, "bad-shape", str(error)) from None


def _lengths(scope: Scope, given: Mapping[str, t.Expression], *names: str) -> list[float]:
    return [positive(scope, given[name], "length", f"{_article(name)}") for name in names]


def _article(name: str) -> str:
    return f"the {name} of a shape"


def _cuboid(scope: Scope, given: Mapping[str, t.Expression]) -> Shape:
    from articulata.geometry.shapes import Cuboid

    return Cuboid(*_lengths(scope, given, "x", "y", "z"))


def _sphere(scope: Scope, given: Mapping[str, t.Expression]) -> Shape:
    from articulata.geometry.shapes import Sphere

    return Sphere(*_lengths(scope, given, "radius"))


def _cylinder(scope: Scope, given: Mapping[str, t.Expression]) -> Shape:
    from articulata.geometry.shapes import Cylinder

    return Cylinder(*_lengths(scope, given, "radius", "length"))


def _capsule(scope: Scope, given: Mapping[str, t.Expression]) -> Shape:
    from articulata.geometry.shapes import Capsule

    return Capsule(*_lengths(scope, given, "radius", "length"))


def _cone(scope: Scope, given: Mapping[str, t.Expression]) -> Shape:
    from articulata.geometry.shapes import Cone

    top = scope.number(given["top_radius"], "length") if "top_radius" in given else 0.0
    radius, length = _lengths(scope, given, "radius", "length")
    return Cone(radius, length, top)


def _prism(scope: Scope, given: Mapping[str, t.Expression]) -> Shape:
    from articulata.geometry.shapes import Prism

    sides = scope.whole(given["sides"], "the number of sides")
    return Prism(sides, *_lengths(scope, given, "radius", "length"))


def _extruded(scope: Scope, given: Mapping[str, t.Expression]) -> Shape:
    from articulata.geometry.shapes import ExtrudedPolygon

    corners = scope.evaluate(given["points"])
    if not is_group(corners):
        raise scope.unlike(given["points"], "corners are", corners)
    points: list[tuple[float, float]] = []
    for corner in corners:
        if not is_group(corner, 2):
            raise scope.fail(given["points"], "wrong-kind", "a corner is a pair of lengths, (x, y)")
        x, y = (scope.to_kind(each, "length", given["points"]) for each in corner)
        points.append((x, y))
    return ExtrudedPolygon(points, *_lengths(scope, given, "length"))


def _mesh(scope: Scope, given: Mapping[str, t.Expression]) -> Shape:
    from articulata.world.named_meshes import mesh_at

    name = scope.evaluate(given["file"])
    if not isinstance(name, str):
        raise scope.unlike(given["file"], "the name of a file is", name, 'write mesh("cup.stl")')
    scale = (1.0, 1.0, 1.0)
    if "scale" in given:
        value = scope.evaluate(given["scale"])
        three = is_group(value)
        found = [scope.to_kind(each, "number", given["scale"]) for each in value] if three else []
        if three and len(found) != 3:
            raise scope.fail(given["scale"], "wrong-count", "a scale is one number, or three")
        x, y, z = found or 3 * [scope.to_kind(value, "number", given["scale"])]
        if 0.0 in (x, y, z):
            raise scope.fail(given["scale"], "out-of-range", "a scale is not 0")
        scale = (x, y, z)
    # what stands after "#" is one body of a foreign world
    found_at = scope.find(name.partition("#")[0]) if scope.find is not None else None
    if not isinstance(found_at, Path):
        code, words, advice = found_at or ("", f"there is no file '{name}' to be found here", "")
        if code == "outside":
            raise scope.fail(given["file"], "outside", words, advice)
        raise scope.fail(given["file"], "missing-file", words, advice)
    try:
        return mesh_at(found_at, str(name), scale)
    except FormatError as error:
        raise scope.fail(
            given["file"], "missing-file", str(error), 'give a mesh, such as "cup.stl"'
        ) from None


_MAKERS: dict[str, Callable[[Scope, Mapping[str, t.Expression]], Any]] = {
    "cuboid": _cuboid,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "cone": _cone,
    "prism": _prism,
    "extruded": _extruded,
    "mesh": _mesh,
}


def _constructed(scope: Scope, item: t.Call, name: str) -> Shape:
    from articulata.geometry.shapes import Difference, Intersection, Named, Union

    parts: list[Shape] = []
    names: set[str] = set()
    for argument in item.arguments:
        if argument.name is not None and argument.name in names:
            raise scope.fail(argument, "duplicate", f"a part is called '{argument.name}' already")
        names.add(argument.name or "")
        part = shape(scope, argument.value)
        parts.append(part if argument.name is None else Named(argument.name, part))
    if name == "difference":
        if len(parts) < 2:
            raise scope.fail(
                item, "wrong-count", "a difference takes a shape and what is cut from it"
            )
        return Difference(parts[0], parts[1:])
    if not parts:
        raise scope.fail(item, "wrong-count", f"{name} takes at least one shape")
    return Union(parts) if name == "union" else Intersection(parts)
