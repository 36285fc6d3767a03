"""The abstract domain: what bodies are called and made of, and how they are related.

Section 3.1 of the 1986 report: a body is a name with a property list, a composite a graph whose
edges are relations such as hinged and rigidly connected. Other domains may ask it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from articulata.domains.protocols import Model
from articulata.geometry.arrays import Array
from articulata.records.state import State
from articulata.world.edits.transaction import Edit
from articulata.world.model import PropertyValue, World


@dataclass(frozen=True, slots=True)
class AbstractModel(Model):
    """Names, properties and relations of the bodies of ``world``."""

    world: World

    def transfer(
        self, edit: Edit, state: State, world: World, reads: Mapping[str, Model]
    ) -> tuple[AbstractModel, Mapping[str, Array]]:
        """Return the model of ``world``; there is no state."""
        return replace(self, world=world), {}

    def properties(self, body: str) -> Mapping[str, PropertyValue]:
        """Return the property list of a body."""
        return self.world.bodies[body].properties

    def joined(self, body: str) -> Mapping[str, tuple[str, ...]]:
        """Return the bodies joined to ``body``, each with the kinds of hinges between them."""
        found: dict[str, tuple[str, ...]] = {}
        for hinge in self.world.hinges.values():
            if body in (hinge.body_a, hinge.body_b):
                other = hinge.body_b if body == hinge.body_a else hinge.body_a
                found[other] = (*found.get(other, ()), hinge.kind.name)
        return found


@dataclass(frozen=True, slots=True)
class AbstractDomain:
    """Builds abstract models; needs no other domain."""

    name: str = "abstract"
    requires: tuple[str, ...] = ()

    def build(self, world: World, reads: Mapping[str, Model]) -> AbstractModel:
        """Return the abstract model of ``world``."""
        return AbstractModel(world)
