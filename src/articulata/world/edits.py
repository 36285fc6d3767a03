"""Edits: changes of a world as values, each knowing its inverse.

The event handler, an undo button and a replay use one mechanism. ``apply`` returns a new world
that shares what did not change; ``inverse`` is asked of the world before the edit and returns
the edits that lead back to a world equal to it, order included. ``World.edit`` makes several as
one transaction: all or none. ``to_data`` and ``from_data`` turn an edit into plain data.

The edits of single properties stand in ``articulata.world.edits_of_values``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from articulata.errors import NameNotFound, WorldError
from articulata.world.mappings import inserted, position_of, without
from articulata.world.model import Body, Drive, Force, Hinge, Placement, World
from articulata.world.paths import hint, resolve_body, resolve_hinge


@runtime_checkable
class Edit(Protocol):
    """A change of a world."""

    def apply(self, world: World) -> World:
        """Return the world after this edit; raise WorldError where it cannot be made."""
        ...

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that undo this one, given the ``world`` before it."""
        ...

    def subject(self, world: World) -> str:
        """Return the id of what this edit changes, for the messages of a transaction."""
        ...


def changed(world: World, **fields: Any) -> World:
    """Return ``world`` with other ``fields``: a later version, which no text was written for."""
    return replace(world, version=world.version + 1, text="", arguments=(), **fields)


def edited(world: World, edits: Iterable[Edit]) -> World:
    """Return the world after all ``edits`` in order; raise WorldError and change nothing.

    Two edits that give one property two values, or an edit of what an earlier one has taken
    away, are refused by a message that names both.
    """
    now = world
    done: list[tuple[int, Edit, str]] = []
    for number, edit in enumerate(edits, 1):
        try:
            subject = edit.subject(now)
            for earlier, other, about in done:
                if about == subject and type(other) is type(edit) and other != edit:
                    raise WorldError(
                        f"edit {number} ({show(edit)}) contradicts edit {earlier} ({show(other)}): "
                        f"both change {subject}; keep one of them"
                    )
            now = edit.apply(now)
        except WorldError as error:
            raise _blamed(error, number, edit, done, world) from error
        except NameNotFound as error:
            raise _blamed(WorldError(str(error)), number, edit, done, world) from error
        done.append((number, edit, subject))
    return now


def inverse_of(world: World, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits that undo ``edits`` made on ``world`` in order."""
    back: list[tuple[Edit, ...]] = []
    for edit in edits:
        back.append(edit.inverse(world))
        world = edit.apply(world)
    return tuple(edit for undone in reversed(back) for edit in undone)


def _blamed(
    error: WorldError,
    number: int,
    edit: Edit,
    done: list[tuple[int, Edit, str]],
    start: World,
) -> WorldError:
    """Name the earlier edit that makes this one impossible, when there is one."""
    if "contradicts" in str(error):
        return error
    try:
        subject = edit.subject(start)
    except (WorldError, NameNotFound):
        return WorldError(f"edit {number} ({show(edit)}): {error}", error.diagnostics)
    blocking = [(n, other) for n, other, about in done if _overlap(about, subject)]
    if not blocking:
        return WorldError(f"edit {number} ({show(edit)}): {error}", error.diagnostics)
    earlier, other = blocking[-1]
    return WorldError(
        f"edit {number} ({show(edit)}) contradicts edit {earlier} ({show(other)}): {error}",
        error.diagnostics,
    )


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def show(edit: Edit) -> str:
    """Return an edit in a few words: "BreakHinge links.h23"."""
    for name in ("path", "hinge", "body", "force", "drive", "first"):
        value = getattr(edit, name, None)
        if value is not None:
            return f"{type(edit).__name__} {getattr(value, 'id', value)}"
    return type(edit).__name__


def require_new(world: World, id: str) -> None:
    """Raise WorldError when ``id`` already names a node."""
    for kind in ("bodies", "hinges", "forces", "drives", "components"):
        if id in getattr(world, kind):
            raise WorldError(f"world '{world.name}' already has '{id}'; choose another id")


def require_body(world: World, id: str, what: str) -> None:
    """Raise WorldError when ``id`` is no body."""
    if id not in world.bodies:
        raise WorldError(f"{what}: there is no body '{id}'{hint(id, world.bodies)}")


@dataclass(frozen=True, slots=True)
class MakeHinge:
    """Join two bodies by ``hinge``, at ``index`` in the order of hinges (None: last)."""

    hinge: Hinge
    index: int | None = None

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
            placements=_placements_without(world.placements, (), (id,)),
        )

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that make it again, with what hung on it."""
        id = resolve_hinge(world, self.path)
        forces, drives = _hanging_on(world, id)
        back: list[Edit] = [MakeHinge(world.hinges[id], position_of(world.hinges, id))]
        back += [AddForce(world.forces[f], position_of(world.forces, f)) for f in forces]
        back += [AddDrive(world.drives[d], position_of(world.drives, d)) for d in drives]
        back += _restored(world, _placements_without(world.placements, (), (id,)))
        return tuple(back)

    def subject(self, world: World) -> str:
        """Return the hinge's id."""
        return resolve_hinge(world, self.path)


@dataclass(frozen=True, slots=True)
class AddBody:
    """Add ``body`` at ``index`` among the bodies and ``child_index`` within its component."""

    body: Body
    index: int | None = None
    child_index: int | None = None

    def apply(self, world: World) -> World:
        """Return the world with the body."""
        body = self.body
        require_new(world, body.id)
        owner = body.id.rpartition(".")[0]
        components = world.components
        if owner:
            if owner not in components:
                raise WorldError(
                    f"body '{body.id}': there is no component '{owner}'{hint(owner, components)}"
                )
            children = list(components[owner].children)
            at = len(children) if self.child_index is None else self.child_index
            children.insert(at, body.id)
            grown = replace(components[owner], children=tuple(children))
            components = {**components, owner: grown}
        return changed(
            world,
            bodies=inserted(world.bodies, body.id, body, self.index),
            components=inserted(components),
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

    path: str

    def apply(self, world: World) -> World:
        """Return the world without the body."""
        id = resolve_body(world, self.path)
        hinges, forces, drives = _around(world, id)
        owner = id.rpartition(".")[0]
        components = world.components
        if owner in components:
            left = tuple(child for child in components[owner].children if child != id)
            components = inserted({**components, owner: replace(components[owner], children=left)})
        return changed(
            world,
            bodies=without(world.bodies, [id]),
            hinges=without(world.hinges, hinges),
            forces=without(world.forces, forces),
            drives=without(world.drives, drives),
            components=components,
            placements=_placements_without(world.placements, (id,), hinges),
            ignored=frozenset(pair for pair in world.ignored if id not in pair),
        )

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that bring it back with everything that went with it."""
        id = resolve_body(world, self.path)
        hinges, forces, drives = _around(world, id)
        owner = id.rpartition(".")[0]
        child = None
        if owner in world.components:
            child = world.components[owner].children.index(id)
        back: list[Edit] = [AddBody(world.bodies[id], position_of(world.bodies, id), child)]
        back += [MakeHinge(world.hinges[h], position_of(world.hinges, h)) for h in hinges]
        back += [AddForce(world.forces[f], position_of(world.forces, f)) for f in forces]
        back += [AddDrive(world.drives[d], position_of(world.drives, d)) for d in drives]
        pairs = sorted(tuple(sorted(pair)) for pair in world.ignored if id in pair)
        back += [Ignore(first, second) for first, second in pairs]
        back += _restored(world, _placements_without(world.placements, (id,), hinges))
        return tuple(back)

    def subject(self, world: World) -> str:
        """Return the body's id."""
        return resolve_body(world, self.path)


@dataclass(frozen=True, slots=True)
class AddForce:
    """Add a force between features or about a hinge, at ``index`` among the forces."""

    force: Force
    index: int | None = None

    def apply(self, world: World) -> World:
        """Return the world with the force."""
        force = self.force
        require_new(world, force.id)
        for ref in force.features or ():
            require_body(world, ref.body, f"force '{force.id}'")
        if force.hinge is not None and force.hinge not in world.hinges:
            raise WorldError(
                f"force '{force.id}': there is no hinge '{force.hinge}'"
                f"{hint(force.hinge, world.hinges)}"
            )
        forces = inserted(world.forces, force.id, force, self.index)
        return changed(world, forces=forces)

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that removes it again."""
        return (RemoveForce(self.force.id),)

    def subject(self, world: World) -> str:
        """Return the force's id."""
        return self.force.id


@dataclass(frozen=True, slots=True)
class RemoveForce:
    """Take a force away."""

    path: str

    def apply(self, world: World) -> World:
        """Return the world without the force."""
        id = _resolve_in(world, self.path, "force")
        return changed(world, forces=without(world.forces, [id]))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that adds it again."""
        id = _resolve_in(world, self.path, "force")
        return (AddForce(world.forces[id], position_of(world.forces, id)),)

    def subject(self, world: World) -> str:
        """Return the force's id."""
        return _resolve_in(world, self.path, "force")


@dataclass(frozen=True, slots=True)
class AddDrive:
    """Bind a named controller to a body, feature or hinge, at ``index`` among the drives."""

    drive: Drive
    index: int | None = None

    def apply(self, world: World) -> World:
        """Return the world with the drive."""
        require_new(world, self.drive.id)
        drives = inserted(world.drives, self.drive.id, self.drive, self.index)
        return changed(world, drives=drives)

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that removes it again."""
        return (RemoveDrive(self.drive.id),)

    def subject(self, world: World) -> str:
        """Return the drive's id."""
        return self.drive.id


@dataclass(frozen=True, slots=True)
class RemoveDrive:
    """Take a drive away."""

    path: str

    def apply(self, world: World) -> World:
        """Return the world without the drive."""
        id = _resolve_in(world, self.path, "drive")
        return changed(world, drives=without(world.drives, [id]))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that adds it again."""
        id = _resolve_in(world, self.path, "drive")
        return (AddDrive(world.drives[id], position_of(world.drives, id)),)

    def subject(self, world: World) -> str:
        """Return the drive's id."""
        return _resolve_in(world, self.path, "drive")


@dataclass(frozen=True, slots=True)
class Ignore:
    """Declare a pair of bodies harmless: they are never tested for interference."""

    first: str
    second: str

    def apply(self, world: World) -> World:
        """Return the world that ignores the pair."""
        return changed(world, ignored=world.ignored | {self._pair(world)})

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that heeds the pair again, unless it was ignored before."""
        return () if self._pair(world) in world.ignored else (Heed(self.first, self.second),)

    def subject(self, world: World) -> str:
        """Return the pair."""
        return " with ".join(sorted(self._pair(world)))

    def _pair(self, world: World) -> frozenset[str]:
        pair = frozenset({resolve_body(world, self.first), resolve_body(world, self.second)})
        if len(pair) < 2:
            raise WorldError(f"'{self.first}' cannot be ignored with itself")
        return pair


@dataclass(frozen=True, slots=True)
class Heed:
    """Test a pair of bodies for interference again."""

    first: str
    second: str

    def apply(self, world: World) -> World:
        """Return the world that heeds the pair."""
        return changed(world, ignored=world.ignored - {self._pair(world)})

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that ignores the pair again, if it was ignored before."""
        return (Ignore(self.first, self.second),) if self._pair(world) in world.ignored else ()

    def subject(self, world: World) -> str:
        """Return the pair."""
        return " with ".join(sorted(self._pair(world)))

    def _pair(self, world: World) -> frozenset[str]:
        return frozenset({resolve_body(world, self.first), resolve_body(world, self.second)})


@dataclass(frozen=True, slots=True)
class SetPlacements:
    """Say anew what assembly has to meet: all placements of the world at once."""

    placements: tuple[Placement, ...]

    def apply(self, world: World) -> World:
        """Return the world with these placements."""
        return changed(world, placements=self.placements)

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that sets today's placements again."""
        return (SetPlacements(world.placements),)

    def subject(self, world: World) -> str:
        """Return what is changed."""
        return "placements"


def _hanging_on(world: World, hinge: str) -> tuple[list[str], list[str]]:
    """Return the forces and drives that act through a hinge, in order."""
    forces = [force.id for force in world.forces.values() if force.hinge == hinge]
    drives = [
        drive.id
        for drive in world.drives.values()
        if drive.kind == "hinge" and _overlap(drive.target, hinge)
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


def _placements_without(
    placements: tuple[Placement, ...], bodies: Iterable[str], hinges: Iterable[str]
) -> tuple[Placement, ...]:
    """Return placements that say nothing of ``bodies`` and ``hinges``; the same when none did."""
    gone_bodies, gone_hinges = set(bodies), set(hinges)
    kept: list[Placement] = []
    for placement in placements:
        points = tuple(each for each in placement.points if each[0].body not in gone_bodies)
        frames = tuple(each for each in placement.frames if each[0].body not in gone_bodies)
        coordinates = tuple(each for each in placement.coordinates if each[0] not in gone_hinges)
        if (points, frames, coordinates) == (
            placement.points,
            placement.frames,
            placement.coordinates,
        ):
            kept.append(placement)
        elif points or frames or coordinates:
            kept.append(replace(placement, points=points, frames=frames, coordinates=coordinates))
    return tuple(kept)


def _restored(world: World, after: tuple[Placement, ...]) -> list[Edit]:
    return [] if after == world.placements else [SetPlacements(world.placements)]


def _resolve_in(world: World, path: str, kind: str) -> str:
    mapping = world.forces if kind == "force" else world.drives
    if path in mapping:
        return path
    ends = [id for id in mapping if id.endswith(f".{path}")]
    if len(ends) == 1:
        return ends[0]
    if ends:
        raise NameNotFound(f"'{path}' names {len(ends)} {kind}s: {', '.join(ends)}")
    raise NameNotFound(f"there is no {kind} '{path}'{hint(path, mapping)}")
