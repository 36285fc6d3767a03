"""Edits of the tree of components: a composite enters before its parts and leaves after them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from articulata.errors import NameNotFound, WorldError
from articulata.world.edits.transaction import Edit, changed, require_new, show
from articulata.world.mappings import inserted, position_of, without
from articulata.world.model import Component, World
from articulata.world.paths import hint


@dataclass(frozen=True, slots=True)
class AddComponent:
    """Add ``component`` without parts, at ``index`` among the components (None: last).

    Bodies and components added afterwards enter it by their ids; ``child_index`` is its own place
    within the component that holds it.
    """

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
        owner = component.id.rpartition(".")[0]
        components = world.components
        if owner:
            if owner not in components:
                raise WorldError(
                    f"component '{component.id}': there is no component '{owner}'"
                    f"{hint(owner, components)}"
                )
            children = list(components[owner].children)
            at = len(children) if self.child_index is None else self.child_index
            children.insert(at, component.id)
            grown = replace(components[owner], children=tuple(children))
            components = inserted({**components, owner: grown})
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

    path: str

    def apply(self, world: World) -> World:
        """Return the world without the component."""
        component = self._component(world)
        if component.children:
            raise WorldError(
                f"component '{component.id}' still has {', '.join(component.children)}; "
                "remove its parts first"
            )
        owner = component.id.rpartition(".")[0]
        components = world.components
        if owner in components:
            left = tuple(each for each in components[owner].children if each != component.id)
            components = inserted({**components, owner: replace(components[owner], children=left)})
        return changed(world, components=without(components, [component.id]))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that adds it again at its place."""
        component = self._component(world)
        owner = component.id.rpartition(".")[0]
        child = None
        if owner in world.components:
            child = world.components[owner].children.index(component.id)
        return (AddComponent(component, position_of(world.components, component.id), child),)

    def subject(self, world: World) -> str:
        """Return the component's id."""
        return self._component(world).id

    def _component(self, world: World) -> Component:
        if self.path not in world.components:
            raise NameNotFound(
                f"there is no component '{self.path}'{hint(self.path, world.components)}"
            )
        return world.components[self.path]


@show.register
def _show_component(edit: AddComponent) -> str:
    return f"component {edit.component.id} enters"


@show.register
def _show_no_component(edit: RemoveComponent) -> str:
    return f"component {edit.path} leaves"
