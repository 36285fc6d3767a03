"""Bodies far beyond the size of all others, as a length becomes that is written in another unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass

from articulata.geometry.shapes import Placed
from articulata.world.language.elaboration.modules import Definition
from articulata.world.language.syntax import tree as t
from articulata.world.model import World

LARGE = 50.0
"""Metres from which a body is looked at."""
BESIDE = 300.0
"""How many times as long as the longest of all others it is."""
SLENDER = 3000.0
"""How many times as long as it is thin, where it stands alone."""


@dataclass(frozen=True, slots=True)
class OutOfScale:
    """A type of which a body is ``length`` m long, and the size (m) that stands against it."""

    type: t.Primitive
    body: str
    length: float
    other: float

    @property
    def message(self) -> str:
        """What to say of it."""
        return f"{self.body} is {self.length:g} m long, beside {self.other:.3g} m"

    @property
    def advice(self) -> str:
        """What to do about it."""
        return f"write the unit where millimetres are meant: {self.length:g} mm"


def out_of_scale(world: World, definitions: Mapping[str, Definition]) -> Iterator[OutOfScale]:
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
        if beside and longest > BESIDE * beside:
            yield OutOfScale(item, name, longest, beside)
        elif longest > SLENDER * min(lengths):
            yield OutOfScale(item, name, longest, min(lengths))
        else:
            continue
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
