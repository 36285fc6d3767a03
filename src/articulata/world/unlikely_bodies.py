"""Bodies that a world can hardly mean: they are huge, or stay in place for want of a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass

from articulata.geometry.shapes import Placed
from articulata.world.language.elaboration.modules import Definition
from articulata.world.language.syntax import tree as t
from articulata.world.masses import lacks_dynamics
from articulata.world.model import World

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


def _is_fixed(said: t.Argument) -> bool:
    return isinstance(said.value, t.Path) and said.value.simple == "fixed"
