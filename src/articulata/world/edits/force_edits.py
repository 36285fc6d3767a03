"""Edits of forces, drives, ignored pairs and placements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from articulata.errors import NameNotFound, WorldError
from articulata.world.edits.transaction import (
    COUPLINGS,
    PLACEMENTS,
    Edit,
    changed,
    inserted,
    position_of,
    require_body,
    require_new,
    without,
)
from articulata.world.model import Coupling, Drive, Force, Placement, World
from articulata.world.paths import hint, resolve_body


@dataclass(frozen=True, slots=True)
class AddForce:
    """Add a force between features or about a hinge, at ``index`` among the forces."""

    WORDS: ClassVar = "force {0.force.id} acts"
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

    WORDS: ClassVar = "force {0.path} ends"
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

    WORDS: ClassVar = "control {0.drive.id} acts"
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

    WORDS: ClassVar = "control {0.path} ends"
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

    WORDS: ClassVar = "{0.first} with {0.second} is not tested for contact from here on"
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

    WORDS: ClassVar = "{0.first} with {0.second} is tested for contact from here on"
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

    WORDS: ClassVar = "the places asked for are set anew"
    placements: tuple[Placement, ...]

    def apply(self, world: World) -> World:
        """Return the world with these placements."""
        return changed(world, placements=self.placements)

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that sets today's placements again."""
        return (SetPlacements(world.placements),)

    def subject(self, world: World) -> str:
        """Return what is changed."""
        return PLACEMENTS


@dataclass(frozen=True, slots=True)
class SetCouplings:
    """Say anew which motors and gears there are: all of the world at once."""

    WORDS: ClassVar = "motors and gears are set anew"
    couplings: tuple[Coupling, ...]

    def apply(self, world: World) -> World:
        """Return the world with these couplings."""
        for each in self.couplings:
            for hinge in each.hinges:
                if hinge not in world.hinges:
                    raise WorldError(
                        f"coupling '{each.id}': there is no hinge '{hinge}'"
                        f"{hint(hinge, world.hinges)}"
                    )
        return changed(world, couplings=MappingProxyType({c.id: c for c in self.couplings}))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that sets today's couplings again."""
        return (SetCouplings(tuple(world.couplings.values())),)

    def subject(self, world: World) -> str:
        """Return what is changed."""
        return COUPLINGS


def couplings_without(world: World, hinges: Iterable[str]) -> Mapping[str, Coupling]:
    """Return the world's couplings that act on none of ``hinges``; the same when all stay."""
    gone = set(hinges)
    return without(world.couplings, [c.id for c in world.couplings.values() if gone & {*c.hinges}])


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


def placements_without(
    placements: tuple[Placement, ...], bodies: Iterable[str], hinges: Iterable[str]
) -> tuple[Placement, ...]:
    """Return placements that say nothing of ``bodies`` and ``hinges``; the same when none did."""
    gone_bodies, gone_hinges = set(bodies), set(hinges)
    kept: list[Placement] = []
    for placement in placements:
        points = tuple(each for each in placement.points if each[0].body not in gone_bodies)
        frames = tuple(each for each in placement.frames if each[0].body not in gone_bodies)
        coordinates, rates = (
            tuple(
                (name, value)
                for name, value in said
                if name not in gone_hinges and name.rpartition(".")[0] not in gone_hinges
            )
            for said in (placement.coordinates, placement.rates)
        )
        left = replace(
            placement, points=points, frames=frames, coordinates=coordinates, rates=rates
        )
        if left == placement:
            kept.append(placement)
        elif points or frames or coordinates or rates:
            kept.append(left)
    return tuple(kept)
