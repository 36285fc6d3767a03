"""Worlds built in Python: the same words as in the language, the same ``World``.

A ``Builder`` writes the definitions of a world one by one; ``world()`` reads them as a text is
read, so that names, defaults, checks and messages are those of the language, and the world
carries its text. SI units and radians.

>>> b = Builder("swing", gravity=(0, -9.81, 0))
>>> rod = b.primitive("rod", Cuboid(0.05, 1, 0.05), density=7850, features={"top": (0, 0.5, 0)})
>>> b.add("anchor", "fixed_point")
>>> b.add("bar", rod)
>>> b.join("bar", "anchor", "pin", ("top", "center"), axis="z")
>>> b.place("anchor", at={"anchor.center": (0, 2, 0)})
>>> b.world().hinges["bar_anchor"].kind.name
'revolute'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from articulata.errors import WorldError
from articulata.geometry.scalars import real
from articulata.geometry.shapes import Cuboid, Shape
from articulata.world import wording
from articulata.world.document import Document, parse
from articulata.world.hinges import Surface
from articulata.world.model import World
from articulata.world.values import Material, Pose, Quaternion, Vector3

__all__ = ["Builder", "Composite", "Cuboid", "Place"]

Place: TypeAlias = "Sequence[float] | Pose | tuple[Sequence[float], Sequence[float]]"
"""A point, a pose ``X_BF``, or a point and a direction."""
Pair: TypeAlias = tuple[str, str]


def _name(word: str) -> str:
    if not word.isidentifier():
        raise WorldError(f"'{word}' cannot be a name; use letters, digits and _")
    return word


def _path(word: str) -> str:
    if not word or any(each in word for each in ' ;{}()\n"'):
        raise WorldError(f"'{word}' is no path; write component.feature or rod[1].top")
    return word


@dataclass(slots=True)
class Composite:
    """A composite in the making: its components, joins, placements, forces."""

    name: str
    parts: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)

    def add(
        self,
        name: str,
        type: str | Composite,
        *,
        count: int | None = None,
        scale: float | None = None,
    ) -> None:
        """Add a component ``name`` of a type, or an array ``name[1..count]`` of them."""
        word = type.name if isinstance(type, Composite) else _path(type)
        array = "" if count is None else f"[1..{count}]"
        scaled = "" if scale is None else f" scaled {wording.number(scale)}"
        self.parts.append(f"{_name(name)}{array}: {word}{scaled}")

    def join(
        self,
        first: str,
        second: str,
        hinge: str,
        *matching: Pair,
        name: str | None = None,
        axis: str | Sequence[float] | None = None,
        second_axis: str | Sequence[float] | None = None,
        normal: str | Sequence[float] | None = None,
        lead: float | None = None,
        surface: Surface | None = None,
        stiffness: float | None = None,
        length: float | None = None,
        damping: float | None = None,
        limits: Sequence[float] | Sequence[Sequence[float]] | None = None,
        strength: float | tuple[float, float] | None = None,
        driven_by: str | None = None,
        restitution: float | None = None,
    ) -> None:
        """Join ``first``, which moves, to ``second`` by a hinge (or spring or damper).

        ``matching`` are pairs of features, of the first and of the second body. ``limits`` are
        (low, high) in rad or m, ``restitution`` is theirs, ``strength`` the force (N) or force and
        moment (N m) it bears, ``driven_by`` the name of a controller of its torque or force.
        """
        options = [
            f"{word}: {_direction(value)}"
            for word, value in (("axis", axis), ("second", second_axis), ("normal", normal))
            if value is not None
        ]
        if surface is not None:
            options.append(f"surface: {wording.surface(surface)}")
        options += [
            f"{word}: {wording.number(value)}"
            for word, value in (
                ("lead", lead),
                ("stiffness", stiffness),
                ("length", length),
                ("damping", damping),
            )
            if value is not None
        ]
        with_options = f"({', '.join(options)})" if options else ""
        pairs = ", ".join(f"({_path(a)}, {_path(b)})" for a, b in matching)
        text = f"join {_path(first)} to {_path(second)} with {_path(hinge)}{with_options}"
        if name is not None:
            text += f" as {_name(name)}"
        text += f" matching {pairs}"
        if limits is not None:
            text += f" limits {_pairs(limits)}"
        if restitution is not None:
            text += f" restitution {wording.number(restitution)}"
        if strength is not None:
            bears = wording.numbers(strength) if isinstance(strength, tuple) else None
            text += f" breaks at {bears or wording.number(strength)}"  # type: ignore[arg-type] # a tuple is taken care of
        if driven_by is not None:
            text += f" driven by {_path(driven_by)}"
        self.statements.append(text)

    def place(
        self,
        target: str,
        *,
        at: Mapping[str, Sequence[float]] | None = None,
        turned: Quaternion | None = None,
        coordinates: Mapping[str, float] | None = None,
        velocity: Sequence[float] | None = None,
        rate: Sequence[float] | None = None,
        gravity: bool | Sequence[float] = False,
        fixed: bool = False,
    ) -> None:
        """Say where a component is and how it moves at the start.

        ``at`` puts features (by path) at points in m, ``turned`` turns it (a quaternion),
        ``coordinates`` set hinge angles and travels ("p.rod[1].angle") in rad and m, ``velocity``
        (m/s) and ``rate`` (rad/s) give it a rigid motion.
        """
        clauses: list[str] = []
        for number, (path, point) in enumerate((at or {}).items()):
            turn = f" turned {wording.rotation(turned)}" if turned and not number else ""
            clauses.append(f"{_path(path)} at {wording.numbers(point)}{turn}")
        for path, value in (coordinates or {}).items():
            clauses.append(f"{_path(path)} = {wording.number(value)}")
        if velocity is not None or rate is not None:
            v, w = wording.numbers(velocity or (0, 0, 0)), wording.numbers(rate or (0, 0, 0))
            clauses.append(f"velocity = ({v}, {w})")
        if gravity is True:
            clauses.append("properties: (gravity)")
        elif gravity is not False:
            clauses.append(f"properties: (gravity: {wording.numbers(gravity)})")
        if fixed:
            clauses.append("properties: (fixed)")
        if not clauses:
            raise WorldError(f"nothing is said about '{target}'; give at, coordinates or velocity")
        self.statements.append(f"place {_path(target)} by {', '.join(clauses)}")

    def ignore(self, first: str, second: str) -> None:
        """Declare a pair harmless: it is never tested for interference."""
        self.statements.append(f"ignore {_path(first)} with {_path(second)}")

    def moment(self, name: str, hinge: str, moment: str) -> None:
        """Turn about a hinge's axis by ``moment``, an expression of the language.

        It may use ``angle``, ``rate`` and ``time``: "-20 N*m/rad * (angle - 30 deg)"; a positive
        one turns the hinge's first body towards greater angles.
        """
        self.statements.append(f"force {_name(name)} about {_path(hinge)} = {moment}")

    def force(self, name: str, first: str, second: str, tension: str) -> None:
        """Pull two features together by ``tension``, an expression of the language.

        It may use ``distance``, ``speed`` and ``time``: "20 N/m * (distance - 1 m)".
        """
        between = f"between {_path(first)} and {_path(second)}"
        self.statements.append(f"force {_name(name)} {between} = {tension}")

    def text(self, head: str, gravity: str = "") -> str:
        """Return the definition as text."""
        lines = [f"{head} {{"]
        if gravity:
            lines.append(f"  gravity: {gravity}")
        lines += ["  components {", *(f"    {part}" for part in self.parts), "  }"]
        lines += ["  structure {", *(f"    {each}" for each in self.statements), "  }"]
        return "\n".join([*lines, "}"])


def _direction(value: str | Sequence[float]) -> str:
    return value if isinstance(value, str) else wording.numbers(value)


def _pairs(limits: Sequence[float] | Sequence[Sequence[float]]) -> str:
    if all(real(each) is not None for each in limits):
        return wording.numbers(limits)  # type: ignore[arg-type] # numbers, as tested above
    return f"({', '.join(wording.numbers(pair) for pair in limits)})"  # type: ignore[arg-type] # pairs of numbers, as they are no numbers


class Builder(Composite):
    """A world in the making, with the definitions it needs."""

    __slots__ = ("_definitions", "_gravity", "_imports")

    def __init__(self, name: str, *, gravity: Sequence[float] | None = None) -> None:
        super().__init__(_name(name))
        self._gravity = "" if gravity is None else wording.numbers(gravity)
        self._definitions: list[str | Composite] = []
        self._imports: list[str] = []

    def controllers(self, file: str) -> None:
        """Name a Python file of controllers; it is not opened."""
        self._imports.append(f'import "{file}"')

    def material(
        self,
        name: str,
        *,
        density: float | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        color: str | None = None,
    ) -> str:
        """Define a material and return its name."""
        made = Material("", density, friction, restitution, color)
        self._definitions.append(f"let {_name(name)} = {wording.material(made)}")
        return name

    def contact(
        self,
        first: str,
        second: str,
        *,
        friction: float | str | None = None,
        static_friction: float | None = None,
        restitution: float | str | None = None,
        stiffness: float | None = None,
        shear_stiffness: float | None = None,
    ) -> None:
        """Say what two materials, or types, do where they touch.

        ``friction`` and ``restitution`` may be expressions of ``speed``: "0.3 + 0.1 s/m * speed".
        """
        given = [
            f"{word}: {value if isinstance(value, str) else wording.number(value)}"
            for word, value in (
                ("friction", friction),
                ("static_friction", static_friction),
                ("restitution", restitution),
                ("stiffness", stiffness),
                ("shear_stiffness", shear_stiffness),
            )
            if value is not None
        ]
        line = f"contact {_path(first)} with {_path(second)}: ({', '.join(given)})"
        self._definitions.append(line)

    def primitive(
        self,
        name: str,
        shape: Shape | None,
        *,
        features: Mapping[str, Place] | None = None,
        material: str | None = None,
        density: float | None = None,
        color: str | tuple[float, ...] | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        dynamic: bool = True,
        mass: float | None = None,
        center: Vector3 | None = None,
        inertia: Sequence[float] | None = None,
        controls: Mapping[str, str] | None = None,
    ) -> str:
        """Define a type of rigid body and return its name.

        ``features`` are points, poses or (point, direction) pairs; ``mass`` (kg), ``center`` (m)
        and ``inertia`` (kg m^2, about the centre) overrule what the shape gives; ``controls``
        bind "acceleration", "force" or "torque" to controllers. Without a shape and with
        ``dynamic`` False a body is a mere frame.
        """
        lines = [f"primitive {_name(name)} {{"]
        given: list[tuple[str, str]] = []
        if material is not None:
            given.append(("material", material))
        for word, value in (
            ("density", density),
            ("friction", friction),
            ("restitution", restitution),
        ):
            if value is not None:
                given.append((word, wording.number(value)))
        if color is not None:
            given.append(("color", wording.color(color)))
        if given:
            lines.append(f"  properties: ({', '.join(f'{k}: {v}' for k, v in given)})")
        lines.append(f"  geometry: {'none' if shape is None else wording.shape(shape)}")
        if features:
            lines[-1] += " where {"
            lines += [f"    {_feature(word, place)}" for word, place in features.items()]
            lines.append("  }")
        if dynamic:
            lines.append(f"  dynamics{_overruled(mass, center, inertia)}")
        if controls:
            bound = ", ".join(f"{_name(word)} = {_path(by)}" for word, by in controls.items())
            lines.append(f"  control: {bound}")
        self._definitions.append("\n".join([*lines, "}"]))
        return name

    def composite(self, name: str) -> Composite:
        """Begin a composite; fill it before the world is made, and add it like a type."""
        made = Composite(_name(name))
        self._definitions.append(made)
        return made

    def document(self) -> Document:
        """Return the document of what was built; raise WorldError when it is not right."""
        definitions = [
            each if isinstance(each, str) else each.text(f"composite {each.name}")
            for each in self._definitions
        ]
        whole = [*self._imports, *definitions, self.text(f"world {self.name}", self._gravity)]
        return parse("\n\n".join(whole) + "\n", "<python>")

    def world(self) -> World:
        """Return the world; raise WorldError with every finding when it is not right."""
        return self.document().world(self.name)


def _feature(name: str, place: Place) -> str:
    if isinstance(place, Pose):
        turned = f" turned {wording.rotation(place.orientation)}"
        return f"frame {_name(name)}: {wording.numbers(place.position)}{turned}"
    if len(place) == 2:
        point, way = place
        return f"axis {_name(name)}: ({wording.numbers(point)}, {wording.numbers(way)})"  # type: ignore[arg-type] # two triples
    return f"{_name(name)}: {wording.numbers(place)}"


def _overruled(mass: float | None, center: Vector3 | None, inertia: Sequence[float] | None) -> str:
    parts = []
    if mass is not None:
        parts.append(f"mass: {wording.number(mass)}")
    if center is not None:
        parts.append(f"center: {wording.numbers(center)}")
    if inertia is not None:
        parts.append(f"inertia: {wording.numbers(inertia)}")
    return f": ({', '.join(parts)})" if parts else ""
