"""Edits: changes of a world as values, each knowing its inverse.

The event handler, an undo button and a replay use one mechanism. ``apply`` returns a new world
that shares what did not change; ``inverse`` is asked of the world before the edit and returns
the edits that lead back to a world equal to it, order included. ``World.edit`` makes several as
one transaction: all or none. ``articulata.world.plain_data`` turns edits into plain data.

Edits of forces and drives stand in ``forces``, those of single properties and places in
``values``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from articulata.errors import NameNotFound, WorldError
from articulata.world.edits.force_edits import (
    AddDrive,
    AddForce,
    Ignore,
    RemoveForce,
    SetCouplings,
    SetPlacements,
    couplings_without,
    placements_without,
)
from articulata.world.edits.transaction import (
    Edit,
    changed,
    child_place,
    inserted,
    overlap,
    position_of,
    require_body,
    require_new,
    with_child,
    without,
    without_child,
)
from articulata.world.model import Body, Component, Hinge, Placement, World
from articulata.world.paths import hint, known, resolve_body, resolve_hinge


@dataclass(frozen=True, slots=True)
class MakeHinge:
    """Join two bodies by ``hinge``, at ``index`` in the order of hinges (None: last).

    In a running simulation the features it matches must meet, or ``closing`` moves the bodies.
    """

    WORDS: ClassVar = "hinge {0.hinge.id} is made"
    hinge: Hinge
    index: int | None = None
    closing: bool = False

    def apply(self, world: World) -> World:
        """Return the world with the hinge."""
        hinge = self.hinge
        require_new(world, hinge.id)
        for body in (hinge.body_a, hinge.body_b):
            require_body(world, body, f"hinge '{hinge.id}'")
        if hinge.body_a == hinge.body_b:
            raise WorldError(f"hinge '{hinge.id}' joins '{hinge.body_a}' to itself")
        hinges = inserted(world.hinges, hinge.id, hinge, self.index)
        return changed(world, hinges=hinges)

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that breaks it again."""
        return (BreakHinge(self.hinge.id),)

    def subject(self, world: World) -> str:
        """Return the hinge's id."""
        return self.hinge.id


@dataclass(frozen=True, slots=True)
class BreakHinge:
    """Take a hinge away, named by its id or by a feature it matches.

    Torsion springs and drives on it go with it, and what a placement said of its coordinates.
    """

    WORDS: ClassVar = "hinge {0.path} ends"
    path: str

    def apply(self, world: World) -> World:
        """Return the world without the hinge."""
        id = resolve_hinge(world, self.path)
        forces, drives = _hanging_on(world, id)
        return changed(
            world,
            hinges=without(world.hinges, [id]),
            forces=without(world.forces, forces),
            drives=without(world.drives, drives),
            couplings=couplings_without(world, (id,)),
            placements=placements_without(world.placements, (), (id,)),
        )

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that make it again, with what hung on it."""
        id = resolve_hinge(world, self.path)
        forces, drives = _hanging_on(world, id)
        back: list[Edit] = [MakeHinge(world.hinges[id], position_of(world.hinges, id))]
        back += [AddForce(world.forces[f], position_of(world.forces, f)) for f in forces]
        back += [AddDrive(world.drives[d], position_of(world.drives, d)) for d in drives]
        back += _coupled_again(world, (id,))
        back += _restored(world, placements_without(world.placements, (), (id,)))
        return tuple(back)

    def subject(self, world: World) -> str:
        """Return the hinge's id."""
        return resolve_hinge(world, self.path)


def broken(world: World, path: str) -> BreakHinge | RemoveForce:
    """Return the edit that ends the hinge or the force at ``path``."""
    found = known(world, path)  # of what is nothing, the edit says what there is instead
    return RemoveForce(path) if found and found.kind == "force" else BreakHinge(path)


@dataclass(frozen=True, slots=True)
class AddBody:
    """Add ``body`` at ``index`` among the bodies and ``child_index`` within its component."""

    WORDS: ClassVar = "body {0.body.id} enters"
    body: Body
    index: int | None = None
    child_index: int | None = None

    def apply(self, world: World) -> World:
        """Return the world with the body."""
        body = self.body
        require_new(world, body.id)
        return changed(
            world,
            bodies=inserted(world.bodies, body.id, body, self.index),
            components=with_child(world, body.id, self.child_index, "body"),
        )

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that removes it again."""
        return (RemoveBody(self.body.id),)

    def subject(self, world: World) -> str:
        """Return the body's id."""
        return self.body.id


@dataclass(frozen=True, slots=True)
class RemoveBody:
    """Take a body away, with its hinges, forces, drives and what is said of its place."""

    WORDS: ClassVar = "body {0.path} leaves"
    path: str

    def apply(self, world: World) -> World:
        """Return the world without the body."""
        id = resolve_body(world, self.path)
        hinges, forces, drives = _around(world, id)
        return changed(
            world,
            bodies=without(world.bodies, [id]),
            hinges=without(world.hinges, hinges),
            forces=without(world.forces, forces),
            drives=without(world.drives, drives),
            couplings=couplings_without(world, hinges),
            components=without_child(world, id),
            placements=placements_without(world.placements, (id,), hinges),
            ignored=frozenset(pair for pair in world.ignored if id not in pair),
        )

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that bring it back with everything that went with it."""
        id = resolve_body(world, self.path)
        hinges, forces, drives = _around(world, id)
        place = position_of(world.bodies, id), child_place(world, id)
        back: list[Edit] = [AddBody(world.bodies[id], *place)]
        back += [MakeHinge(world.hinges[h], position_of(world.hinges, h)) for h in hinges]
        back += [AddForce(world.forces[f], position_of(world.forces, f)) for f in forces]
        back += [AddDrive(world.drives[d], position_of(world.drives, d)) for d in drives]
        pairs = sorted(tuple(sorted(pair)) for pair in world.ignored if id in pair)
        back += [Ignore(first, second) for first, second in pairs]
        back += _coupled_again(world, hinges)
        back += _restored(world, placements_without(world.placements, (id,), hinges))
        return tuple(back)

    def subject(self, world: World) -> str:
        """Return the body's id."""
        return resolve_body(world, self.path)


def _hanging_on(world: World, hinge: str) -> tuple[list[str], list[str]]:
    """Return the forces and drives that act through a hinge, in order."""
    forces = [force.id for force in world.forces.values() if force.hinge == hinge]
    drives = [
        drive.id
        for drive in world.drives.values()
        if drive.kind == "hinge" and overlap(drive.target, hinge)
    ]
    return forces, drives


def _around(world: World, body: str) -> tuple[list[str], list[str], list[str]]:
    """Return the hinges, forces and drives that cannot stay when ``body`` goes, in order."""
    hinges = [h.id for h in world.hinges.values() if body in (h.body_a, h.body_b)]
    gone = set(hinges)
    forces = [
        force.id
        for force in world.forces.values()
        if force.hinge in gone or any(ref.body == body for ref in force.features or ())
    ]
    drives = [
        drive.id
        for drive in world.drives.values()
        if drive.target in gone
        or drive.target == body
        or (drive.kind != "hinge" and drive.target.startswith(f"{body}."))
    ]
    return hinges, forces, drives


def _coupled_again(world: World, hinges: Iterable[str]) -> list[Edit]:
    """Return the edit that sets the couplings again that cannot stay without ``hinges``."""
    same = len(couplings_without(world, hinges)) == len(world.couplings)
    return [] if same else [SetCouplings(tuple(world.couplings.values()))]


def _restored(world: World, after: tuple[Placement, ...]) -> list[Edit]:
    return [] if after == world.placements else [SetPlacements(world.placements)]


# ---- the tree of components: a composite enters before its parts and leaves after them


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
