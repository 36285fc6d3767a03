"""Hinge kinds, each composed from the primitive hinge of the 1986 report.

The primitive hinge keeps a point of body A on a surface of body B; the constraint force is
normal to the surface (Hoffmann & Hopcroft 1986, section 3.4). Points are written in the hinge's
frame on A, surfaces in its frame on B; the two frames coincide where all coordinates are zero.
The hinge axis is z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from articulata.world.values import ZERO, Vector3

X: Vector3 = (1.0, 0.0, 0.0)
Y: Vector3 = (0.0, 1.0, 0.0)
Z: Vector3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Plane:
    """The plane through ``point`` (m) with unit ``normal``."""

    normal: Vector3
    point: Vector3 = ZERO


@dataclass(frozen=True, slots=True)
class SphereSurface:
    """The sphere about ``center`` with ``radius`` (m)."""

    radius: float
    center: Vector3 = ZERO


@dataclass(frozen=True, slots=True)
class CylinderSurface:
    """The cylinder about the line through ``point`` along ``axis`` with ``radius`` (m)."""

    radius: float
    axis: Vector3 = Z
    point: Vector3 = ZERO


@dataclass(frozen=True, slots=True)
class Helicoid:
    """The helicoid about z that rises by ``lead`` (m) a turn."""

    lead: float


Surface: TypeAlias = Plane | SphereSurface | CylinderSurface | Helicoid


@dataclass(frozen=True, slots=True)
class PointOnSurface:
    """One scalar constraint: ``point`` (in H on A, m) stays on ``surface`` (in H on B)."""

    point: Vector3
    surface: Surface


@dataclass(frozen=True, slots=True)
class HingeKind:
    """A kind of hinge: its name, rows, and the coordinates it leaves free.

    ``coordinates`` names them in order: "angle" (about z, rad), "travel" (along z, m), or those
    of a user's hinge. ``parameters`` holds what the rows were made from (a screw's lead).
    """

    name: str
    rows: tuple[PointOnSurface, ...]
    coordinates: tuple[str, ...] = ()
    parameters: tuple[tuple[str, float], ...] = ()


def _on(point: Vector3, *normals: Vector3) -> tuple[PointOnSurface, ...]:
    return tuple(PointOnSurface(point, Plane(normal)) for normal in normals)


POINT_ON_SURFACE = HingeKind("point-on-surface", _on(ZERO, Z))
BALL = HingeKind("ball.and.socket", _on(ZERO, X, Y, Z))
REVOLUTE = HingeKind("revolute", _on(ZERO, X, Y, Z) + _on(Z, X, Y), ("angle",))
PRISMATIC = HingeKind("prismatic", _on(ZERO, X, Y) + _on(Z, X, Y) + _on(X, Y), ("travel",))
CYLINDRICAL = HingeKind("cylindrical", _on(ZERO, X, Y) + _on(Z, X, Y), ("angle", "travel"))
UNIVERSAL = HingeKind("universal", _on(ZERO, X, Y, Z) + _on(Z, X))
CONSTANT_VELOCITY = HingeKind("constant.velocity", BALL.rows)
"""A ball and, by a row of rates, both bodies turning alike about their own axes."""
PLANAR = HingeKind("planar", _on(ZERO, Z) + _on(X, Z) + _on(Y, Z))
WELD = HingeKind("weld", _on(ZERO, X, Y, Z) + _on(Z, X, Y) + _on(X, Y))


def screw(lead: float) -> HingeKind:
    """Return the screw that travels ``lead`` metres a turn: a cylindrical hinge on a helicoid."""
    on_helicoid = PointOnSurface(X, Helicoid(lead))
    return HingeKind(
        "screw", (*CYLINDRICAL.rows, on_helicoid), ("angle",), (("lead", float(lead)),)
    )


HINGE_KINDS: dict[str, HingeKind] = {
    "point-on-surface": POINT_ON_SURFACE,
    "ball.and.socket": BALL,
    "ball": BALL,
    "revolute": REVOLUTE,
    "pin": REVOLUTE,
    "prismatic": PRISMATIC,
    "slider": PRISMATIC,
    "cylindrical": CYLINDRICAL,
    "universal": UNIVERSAL,
    "constant.velocity": CONSTANT_VELOCITY,
    "planar": PLANAR,
    "weld": WELD,
}
"""Kinds without parameters by the names the language accepts; ``screw`` takes a lead."""
WORDS = {kind.name: name for name, kind in HINGE_KINDS.items()}
"""The word of texts for each of these kinds: ``pin`` of ``revolute``."""
