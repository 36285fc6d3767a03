"""Bodies that a world can hardly mean: huge, tipped by a join, in place for want of a word."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass

from articulata.geometry.shapes import Placed, Sphere
from articulata.world.body_features import feature_of
from articulata.world.language.elaboration.modules import Definition
from articulata.world.language.syntax import tree as t
from articulata.world.masses import lacks_dynamics
from articulata.world.model import Hinge, World
from articulata.world.single_frames import conjugate, multiply
from articulata.world.values import Span

LARGE = 50.0
"""Metres from which a body is looked at."""
BESIDE = 300.0
"""How many times as long as the longest of all others it is."""
SLENDER = 3000.0
"""How many times as long as it is thin, where it stands alone."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is doubtful of the bodies of a type, and what to do about it.

    ``length`` (m) is the one that is beyond any sense, 0 where none is.
    """

    type: t.Primitive
    message: str
    advice: str
    length: float = 0.0


def out_of_scale(world: World, definitions: Mapping[str, Definition]) -> Iterator[Doubt]:
    """Yield types whose bodies move and are longer than any sense, each once."""
    sizes = {
        body.id: lengths
        for body in world.bodies.values()
        if body.dynamic and body.motion != "fixed" and (lengths := tuple(_lengths(body.shape)))
    }
    told: set[str] = set()
    for name, lengths in sizes.items():
        kind = world.bodies[name].type
        item = definitions.get(kind)
        longest = max(lengths)
        if longest < LARGE or kind in told or not isinstance(item, t.Primitive):
            continue
        others = [max(each) for other, each in sizes.items() if world.bodies[other].type != kind]
        beside = max(others, default=0.0)
        if not (beside and longest > BESIDE * beside):
            beside = min(lengths)
            if longest <= SLENDER * beside:
                continue
        message = f"{name} is {longest:g} m long, beside {beside:.3g} m"
        advice = f"write the unit where millimetres are meant: {longest:g} mm"
        yield Doubt(item, message, advice, longest)
        told.add(kind)


def written_number(item: object, length: float, unit: float) -> t.Number | None:
    """Return the only bare number of a tree that is ``length`` m in units of ``unit`` m."""
    found = [
        each
        for each in t.walk(item)
        if isinstance(each, t.Number) and not each.unit and abs(each.value * unit - length) < 1e-9
    ]
    return found[0] if len(found) == 1 else None


def _lengths(shape: object) -> Iterator[float]:
    """Yield the measures of a shape and of its parts, all lengths greater than nothing."""
    if isinstance(shape, Placed):
        yield from _lengths(shape.shape)
    elif isinstance(shape, float) and shape > 0.0:
        yield shape
    elif isinstance(shape, tuple):
        for each in shape:
            yield from _lengths(each)
    elif is_dataclass(shape):
        for each in fields(shape):
            yield from _lengths(getattr(shape, each.name))


def still(world: World, definitions: Mapping[str, Definition]) -> Iterator[Doubt]:
    """Yield the types of ``definitions`` whose bodies stay in place without a word about it."""
    bodies = [body for body in world.bodies.values() if lacks_dynamics(body)]
    for kind in dict.fromkeys(body.type for body in bodies):
        item = definitions.get(kind)
        if not isinstance(item, t.Primitive) or item.properties is None:
            continue
        if any(_is_fixed(each) for each in item.properties.fields):
            continue
        first, *others = (body.id for body in bodies if body.type == kind)
        names = f"{first} and {len(others)} more" if others else first
        yield Doubt(
            item,
            f"{names}: stays in place, for '{item.name}' has a density but no dynamics",
            "write 'dynamics' in it, or 'fixed' among its properties where that is meant",
        )


TIPPED = 10.0
"""Degrees by which a join may turn a body unasked."""


def tipped(world: World) -> Iterator[tuple[Hinge, str, str]]:
    """Yield joins of a point with a face that turn a body whose turn nobody asked for, each once.

    A point has its body's axes, a face its normal as z: where both are to coincide the body that
    is joined stands turned. A message and an advice come with each.
    """
    told: set[Span] = set()
    for hinge in world.hinges.values():
        if len(hinge.matching) != 1 or hinge.kind.name in _FREE or hinge.span in told:
            continue
        ((one, other),) = hinge.matching
        body, holder = world.bodies[one.body], world.bodies[other.body]
        away = multiply(hinge.frame_b.orientation, conjugate(hinge.frame_a.orientation))
        angle = math.degrees(2.0 * math.acos(min(1.0, abs(away[0]))))
        if angle < TIPPED or body.placed or isinstance(body.shape, Sphere):
            continue
        features = feature_of(body, one.feature), feature_of(holder, other.feature)
        if {each.kind for each in features} != {"point", "face"}:
            continue
        told.add(hinge.span)
        face, point = (one, other) if features[0].kind == "face" else (other, one)
        x, y, z = features[face is other].pose.position
        where = f"({x:.6g} m, {y:.6g} m, {z:.6g} m)"
        yield (
            hinge,
            f"this turns '{one.body}' by {angle:.0f} degrees against '{other.body}': '{face}' is a "
            f"face, whose normal is its z, and '{point}' a point, whose z is that of its body",
            f"where that is not meant, match a point of '{world.bodies[face.body].type}' there: "
            f"where {{ there: {where} }}",
        )


_FREE = ("ball", "ball.and.socket")
"""Hinges that leave every turn free."""


def _is_fixed(said: t.Argument) -> bool:
    return isinstance(said.value, t.Path) and said.value.simple == "fixed"
