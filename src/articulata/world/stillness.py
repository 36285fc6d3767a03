"""Bodies that stay where they are only because a word lacks in their type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from articulata.world.language.elaboration.modules import Definition
from articulata.world.language.syntax import tree as t
from articulata.world.masses import lacks_dynamics
from articulata.world.model import World


@dataclass(frozen=True, slots=True)
class Still:
    """A type with a density and without ``dynamics``, and what a world has of it."""

    type: t.Primitive
    bodies: tuple[str, ...]

    @property
    def message(self) -> str:
        """What to say of them."""
        names = self.bodies[0]
        if len(self.bodies) > 1:
            names += f" and {len(self.bodies) - 1} more"
        return f"{names}: stays in place, for '{self.type.name}' has a density but no dynamics"

    @property
    def advice(self) -> str:
        """What to do about it."""
        return "write 'dynamics' in it, or 'fixed' among its properties where that is meant"


def still(world: World, definitions: Mapping[str, Definition]) -> Iterator[Still]:
    """Yield the types of ``definitions`` whose bodies stay in place without a word about it."""
    bodies = [body for body in world.bodies.values() if lacks_dynamics(body)]
    for kind in dict.fromkeys(body.type for body in bodies):
        item = definitions.get(kind)
        if not isinstance(item, t.Primitive) or item.properties is None:
            continue
        if not any(_is_fixed(each) for each in item.properties.fields):
            yield Still(item, tuple(body.id for body in bodies if body.type == kind))


def _is_fixed(said: t.Argument) -> bool:
    return isinstance(said.value, t.Path) and said.value.simple == "fixed"
