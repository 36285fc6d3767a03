"""Edits of the tree of components: a composite enters before its parts and leaves after them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from articulata.errors import NameNotFound, WorldError
from articulata.world.edits.transaction import (
    Edit,
    changed,
    child_place,
    inserted,
    position_of,
    require_new,
    with_child,
    without,
    without_child,
)
from articulata.world.model import Component, World
from articulata.world.paths import hint


@dataclass(frozen=True, slots=True)
class AddComponent:
    """Add ``component`` without parts, at ``index`` among the components (None: last).

    Bodies and components added afterwards enter it by their ids; ``child_index`` is its own place
    within the component that holds it.
    """

    WORDS: ClassVar = "component {0.component.id} enters"
    component: Component
    index: int | None = None
    child_index: int | None = None

    def apply(self, world: World) -> World:
        """Return the world with the component."""
        component = self.component
        require_new(world, component.id)
        if component.children:
            raise WorldError(
                f"component '{component.id}' is added without parts; add these one by one"
            )
        components = with_child(world, component.id, self.child_index, "component")
        return changed(world, components=inserted(components, component.id, component, self.index))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that removes it again."""
        return (RemoveComponent(self.component.id),)

    def subject(self, world: World) -> str:
        """Return the component's id."""
        return self.component.id


@dataclass(frozen=True, slots=True)
class RemoveComponent:
    """Take a component away that has no parts any more."""

    WORDS: ClassVar = "component {0.path} leaves"
    path: str

    def apply(self, world: World) -> World:
        """Return the world without the component."""
        component = self._component(world)
        if component.children:
            raise WorldError(
                f"component '{component.id}' still has {', '.join(component.children)}; "
                "remove its parts first"
            )
        left = without_child(world, component.id)
        return changed(world, components=without(left, [component.id]))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that adds it again at its place."""
        component = self._component(world)
        place = position_of(world.components, component.id), child_place(world, component.id)
        return (AddComponent(component, *place),)

    def subject(self, world: World) -> str:
        """Return the component's id."""
        return self._component(world).id

    def _component(self, world: World) -> Component:
        if self.path not in world.components:
            raise NameNotFound(
                f"there is no component '{self.path}'{hint(self.path, world.components)}"
            )
        return world.components[self.path]
