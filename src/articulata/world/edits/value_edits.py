"""Edits of single values: properties of bodies, hinges and the world, and where a body stands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from articulata.errors import NameNotFound, WorldError
from articulata.geometry.scalars import real
from articulata.world.edits.force_edits import SetPlacements, placements_without
from articulata.world.edits.transaction import (
    Edit,
    changed,
    in_words,
    inserted,
    leaves,
    position_of,
    replaced,
    show,
    without,
)
from articulata.world.model import Body, Hinge, Placement, PropertyValue, World
from articulata.world.paths import hint, resolve_body, resolve_hinge
from articulata.world.values import Material, Pose, Vector3

SetValue: TypeAlias = PropertyValue | tuple[object, ...] | None

BODY_FIELDS = ("gravity", "material", "velocity", "rate")
HINGE_FIELDS = ("limits", "strength")
KNOWN_PROPERTIES = (
    "color",
    "density",
    "fixed",
    "friction",
    "inertia",
    "mass",
    "mass_center",
    "restitution",
)
POSITIVE = frozenset({"density", "mass"})
NOT_NEGATIVE = frozenset({"friction", "restitution"})


@dataclass(frozen=True, slots=True)
class SetProperty:
    """Set what ``path`` names to ``value``: ``SetProperty("links.rod2.density", 7850.0)``.

    The last name is a property of a body (any), ``limits``, ``strength`` or ``restitution`` of a
    hinge, or ``gravity`` of the world, which stands alone. ``value`` None takes a body's property
    away; ``index`` is the place of a new one among the others (None: last).
    """

    path: str
    value: SetValue
    index: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _plain(self.value))

    def apply(self, world: World) -> World:
        """Return the world with the new value."""
        kind, id, name = self._target(world)
        check_value(self.path, name, self.value)
        if kind == "world":
            return changed(world, gravity=_vector(self.path, self.value))
        if kind == "hinge":
            hinge = _with_hinge_value(world.hinges[id], name, self.value, self.path)
            return changed(world, hinges=replaced(world.hinges, id, hinge))
        body = self._body(world.bodies[id], name)
        return changed(world, bodies=replaced(world.bodies, id, body))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that sets today's value again."""
        kind, id, name = self._target(world)
        if kind == "world":
            return (SetProperty("gravity", world.gravity),)
        if kind == "hinge":
            old: SetValue = getattr(world.hinges[id], name)
            return (SetProperty(f"{id}.{name}", old),)
        body = world.bodies[id]
        if name in BODY_FIELDS:
            return (SetProperty(f"{id}.{name}", getattr(body, name)),)
        if name not in body.properties:
            return (SetProperty(f"{id}.{name}", None),)
        place = position_of(body.properties, name) if self.value is None else None
        return (SetProperty(f"{id}.{name}", body.properties[name], place),)

    def subject(self, world: World) -> str:
        """Return the full path of what is set."""
        kind, id, name = self._target(world)
        return name if kind == "world" else f"{id}.{name}"

    def _target(self, world: World) -> tuple[str, str, str]:
        owner, _, name = self.path.rpartition(".")
        if not owner:
            if name == "gravity":
                return "world", "", name
            raise WorldError(
                f"'{self.path}' names no property of world '{world.name}'; write gravity, or "
                "the path of a body or hinge and its property: rod2.density"
            )
        if name in HINGE_FIELDS:
            return "hinge", resolve_hinge(world, owner), name
        try:
            return "body", resolve_body(world, owner), name
        except NameNotFound as error:
            try:
                id = resolve_hinge(world, owner)
            except NameNotFound:
                raise error from None
            if name == "restitution":
                return "hinge", id, name
            raise WorldError(
                f"hinge '{id}' has no property '{name}'{hint(name, (*HINGE_FIELDS, 'restitution'))}"
            ) from None

    def _body(self, body: Body, name: str) -> Body:
        value = self.value
        if name == "gravity":
            return replace(body, gravity=None if value is None else _vector(self.path, value))
        if name == "material":
            if value is not None and not isinstance(value, Material):
                raise WorldError(f"'{self.path}' takes a Material, not {value!r}")
            return replace(body, material=value)
        if name == "velocity":
            return replace(body, velocity=_vector(self.path, value))
        if name == "rate":
            return replace(body, rate=_vector(self.path, value))
        if value is None:
            if name not in body.properties:
                raise WorldError(
                    f"body '{body.id}' has no property '{name}'{hint(name, body.properties)}"
                )
            return replace(body, properties=without(body.properties, [name]))
        if name not in body.properties and name not in KNOWN_PROPERTIES:
            raise WorldError(
                f"body '{body.id}' has no property '{name}'"
                f"{hint(name, (*body.properties, *KNOWN_PROPERTIES, *BODY_FIELDS))}"
            )
        properties = (
            replaced(body.properties, name, value)
            if name in body.properties
            else inserted(body.properties, name, value, self.index)
        )
        return replace(body, properties=properties)  # type: ignore[arg-type] # checked above


def check_value(path: str, name: str, value: object) -> None:
    """Raise WorldError for what no property can be: NaN, infinity, a density of zero."""
    for number in _numbers(value):
        if not math.isfinite(number) and name not in HINGE_FIELDS:
            raise WorldError(f"'{path}' cannot be {number}; give a finite number")
        if math.isnan(number):
            raise WorldError(f"'{path}' cannot hold NaN")
        if name in POSITIVE and number <= 0:
            raise WorldError(f"'{path}' must be greater than 0, not {number:g}")
        if name in NOT_NEGATIVE and number < 0:
            raise WorldError(f"'{path}' must not be negative, as {number:g} is")
        if name == "restitution" and number > 1:
            raise WorldError(f"'{path}' lies from 0 to 1, not at {number:g}")


def _plain(value: SetValue) -> SetValue:
    """Return a value with its numbers as Python has them: a recording keeps no others."""
    known = None if isinstance(value, int) else real(value)
    if known is not None:
        return known
    return tuple(_plain(each) for each in value) if isinstance(value, tuple) else value  # type: ignore[arg-type] # as it was, number by number


def _numbers(value: object) -> Iterator[float]:
    known = real(value)
    if known is not None:
        yield known
    elif isinstance(value, tuple):
        for item in value:
            yield from _numbers(item)


def _vector(path: str, value: object) -> Vector3:
    if isinstance(value, tuple | list) and len(value) == 3:
        x, y, z = (float(item) for item in value)
        return (x, y, z)
    raise WorldError(f"'{path}' takes three numbers (x, y, z), not {value!r}")


def _with_hinge_value(hinge: Hinge, name: str, value: SetValue, path: str) -> Hinge:
    if name == "restitution":
        share = _not_negative(path, value)
        if share > 1.0:
            raise WorldError(f"'{path}' must be a number from 0 to 1, not {share:g}")
        return replace(hinge, restitution=share)
    if not isinstance(value, tuple):
        raise WorldError(f"'{path}' takes a tuple, not {value!r}")
    if name == "strength":
        if len(value) != 2:
            raise WorldError(f"'{path}' takes (force, moment), each a number or None")
        force, moment = (None if each is None else _not_negative(path, each) for each in value)
        return replace(hinge, strength=(force, moment))
    limits = []
    for pair in value:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise WorldError(f"'{path}' takes ((low, high), ...), one pair for each coordinate")
        low, high = (_number(path, each) for each in pair)
        if low > high:
            raise WorldError(f"'{path}': the limits ({low:g}, {high:g}) are the wrong way round")
        limits.append((low, high))
    if limits and len(limits) != len(hinge.kind.coordinates):
        raise WorldError(
            f"'{path}': {hinge.kind.name} has {len(hinge.kind.coordinates)} coordinates, "
            f"{len(limits)} limits were given"
        )
    return replace(hinge, limits=tuple(limits))


def _number(path: str, value: object) -> float:
    known = real(value)
    if known is not None:
        return known
    raise WorldError(f"'{path}' takes numbers, not {value!r}")


def _not_negative(path: str, value: object) -> float:
    number = _number(path, value)
    if number < 0:
        raise WorldError(f"'{path}' must not be negative, as {number:g} is")
    return number


@dataclass(frozen=True, slots=True)
class Place:
    """Put a body at ``pose`` (``X_WB``) with ``velocity`` (m/s) and ``rate`` (rad/s), all in W.

    What is None stays as it is. ``placed`` says whether assembly leaves the body there.
    """

    path: str
    pose: Pose | None = None
    velocity: Vector3 | None = None
    rate: Vector3 | None = None
    placed: bool | None = None

    def apply(self, world: World) -> World:
        """Return the world with the body there."""
        id = resolve_body(world, self.path)
        body = world.bodies[id]
        check_value(self.path, "place", self._values())
        moves = any(self.velocity or ()) or any(self.rate or ())
        if body.motion == "fixed" and moves:
            raise WorldError(f"'{id}' is fixed and cannot be given a velocity")
        body = replace(
            body,
            pose=body.pose if self.pose is None else self.pose,
            velocity=body.velocity if self.velocity is None else self.velocity,
            rate=body.rate if self.rate is None else self.rate,
            placed=body.placed if self.placed is None else self.placed,
        )
        bodies = replaced(world.bodies, id, body)
        return changed(world, bodies=bodies, placements=self._left(world, id))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that put the body back, with what was said of its place."""
        id = resolve_body(world, self.path)
        body = world.bodies[id]
        back: list[Edit] = [Place(id, body.pose, body.velocity, body.rate, body.placed)]
        if self._left(world, id) != world.placements:
            back.append(SetPlacements(world.placements))
        return tuple(back)

    def _left(self, world: World, id: str) -> tuple[Placement, ...]:
        """Return the placements that a new pose does not overrule."""
        if self.pose is None:
            return world.placements
        if not world.placements:
            return ()
        hinges = [h.id for h in world.hinges.values() if id in (h.body_a, h.body_b)]
        return placements_without(world.placements, (id,), hinges)

    def subject(self, world: World) -> str:
        """Return the body's id."""
        return resolve_body(world, self.path)

    def _values(self) -> tuple[object, ...]:
        pose = () if self.pose is None else (self.pose.position, self.pose.orientation)
        return (pose, self.velocity or (), self.rate or ())


@show.register
def _show_property(edit: SetProperty) -> str:
    if edit.value is None:
        return f"{edit.path} is no longer given"
    return f"{edit.path} is set to {in_words(edit.value)}"


@show.register
def _show_place(edit: Place) -> str:
    said: list[str] = []
    if edit.pose is not None:
        said.append(f"{edit.path} is placed with its origin at {in_words(edit.pose.position)} m")
    if edit.velocity is not None:
        velocity = f"{in_words(edit.velocity)} m/s at its origin"
        said.append(f"the velocity of {edit.path} is set to {velocity}")
    if edit.rate is not None:
        said.append(f"the rate of {edit.path} is set to {in_words(edit.rate)} rad/s")
    return " and ".join(said) or f"{edit.path} stays where it is"


@dataclass(frozen=True, slots=True)
class Put:
    """Where edits put a body: ``pose``, ``velocity`` (m/s) and ``rate`` (rad/s), None as it was."""

    pose: Pose | None = None
    velocity: Vector3 | None = None
    rate: Vector3 | None = None


def puts(world: World, edit: Edit) -> dict[str, Put]:
    """Return where ``edit`` puts bodies of ``world``, which is the world after it."""
    found: dict[str, Put] = {}
    for each in leaves(edit):
        if isinstance(each, Place):
            path, put = each.path, Put(each.pose, each.velocity, each.rate)
        elif isinstance(each, SetProperty) and each.path.endswith((".velocity", ".rate")):
            path, _, name = each.path.rpartition(".")
            value = _vector(each.path, each.value)
            put = Put(velocity=value) if name == "velocity" else Put(rate=value)
        else:
            continue
        try:
            id = resolve_body(world, path)
        except NameNotFound:
            continue  # a later edit of the same transaction took it away
        old = found.get(id, Put())
        found[id] = Put(
            old.pose if put.pose is None else put.pose,
            old.velocity if put.velocity is None else put.velocity,
            old.rate if put.rate is None else put.rate,
        )
    return found
