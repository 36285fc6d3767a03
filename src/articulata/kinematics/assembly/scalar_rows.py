"""A hinge kind's rows in the form that is solved: well conditioned scalar constraints.

A hinge kind lists point-on-surface rows. Three planes through one point hold the point itself;
two rows on planes with one normal hold the point of the first and, by their difference, a
direction. The forms are equivalent, but a direction's multiplier is a pure moment, and the three
rows of a held point are written in world axes, so that their multipliers are the hinge's force.

All quantities are in the hinge's frame H: on A for points, on B for surfaces. Metres.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from articulata.world.hinges import (
    CylinderSurface,
    Helicoid,
    Plane,
    PointOnSurface,
    SphereSurface,
)
from articulata.world.values import ZERO, Vector3

POINT: Final = 0
"""``point`` of A and ``origin`` of B coincide, the component along world axis ``size``."""
PLANE: Final = 1
"""``point`` of A lies on the plane of B through ``origin`` with normal ``axis``."""
SPHERE: Final = 2
"""``point`` of A is ``size`` away from ``origin``."""
CYLINDER: Final = 3
"""``point`` of A is ``size`` away from the line through ``origin`` along ``axis``."""
HELICOID: Final = 4
"""``point`` of A lies on the helicoid about z that rises ``size`` metres a radian."""
DIRECTION: Final = 5
"""Direction ``point`` of A makes ``axis . point = size`` with direction ``axis`` of B."""

TURN: Final = 6
"""Term of a coupling: the rate of A from B about ``axis``, whose length is its factor."""
SLIDE: Final = 7
"""Term of a coupling: the speed of ``point`` of A along ``axis`` of B; factor as of ``TURN``."""
CAM: Final = 8
"""Term of a coupling: the rate of A from B about ``axis`` times the slope of a law of the angle,
that of direction ``point`` of A from direction ``origin`` of B."""

Law = Callable[[float], tuple[float, float]]
"""Slope and slope of the slope of what a cam gives at an angle (rad)."""

_SAME = 1e-12


@dataclass(frozen=True, slots=True)
class ScalarRow:
    """One scalar constraint of a hinge; what the fields mean depends on ``kind``."""

    kind: int
    point: Vector3
    origin: Vector3
    axis: Vector3
    size: float
    law: Law | None = None


@functools.lru_cache(maxsize=256)
def scalar_rows(rows: tuple[PointOnSurface, ...]) -> tuple[ScalarRow, ...]:
    """Return the scalar constraints equivalent to ``rows``, as many, a held point first."""
    held = _held_point(rows)
    first_on: list[tuple[Plane, Vector3]] = []
    result: list[ScalarRow] = []
    for axis, number in enumerate(held):
        surface = rows[number].surface
        assert isinstance(surface, Plane)
        result.append(ScalarRow(POINT, rows[number].point, surface.point, ZERO, float(axis)))
        first_on.append((surface, rows[number].point))
    for number, row in enumerate(rows):
        if number in held:
            continue
        match row.surface:
            case Plane(normal, origin):
                before = next((entry for entry in first_on if _same(entry[0].normal, normal)), None)
                if before is None:
                    result.append(ScalarRow(PLANE, row.point, origin, normal, 0.0))
                    first_on.append((row.surface, row.point))
                else:
                    result.append(_difference(row, before[0], before[1]))
            case SphereSurface(radius, center):
                result.append(ScalarRow(SPHERE, row.point, center, (0.0, 0.0, 1.0), radius))
            case CylinderSurface(radius, axis_B, origin):
                result.append(ScalarRow(CYLINDER, row.point, origin, axis_B, radius))
            case Helicoid(lead):
                rise = lead / (2.0 * np.pi)
                result.append(ScalarRow(HELICOID, row.point, ZERO, (0.0, 0.0, 1.0), rise))
    return tuple(result)


def _same(a: Vector3, b: Vector3) -> bool:
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) < _SAME


def _held_point(rows: tuple[PointOnSurface, ...]) -> tuple[int, ...]:
    """Return the numbers of three rows that hold one point at one place, or nothing."""
    groups: dict[tuple[Vector3, Vector3], list[int]] = {}
    for number, row in enumerate(rows):
        if isinstance(row.surface, Plane):
            groups.setdefault((row.point, row.surface.point), []).append(number)
    for numbers in groups.values():
        normals = [rows[n].surface for n in numbers]
        if len(numbers) == 3:
            matrix = np.array([plane.normal for plane in normals if isinstance(plane, Plane)])
            if abs(np.linalg.det(matrix)) > 1e-3:
                return tuple(numbers)
    return ()


def _difference(row: PointOnSurface, plane: Plane, point: Vector3) -> ScalarRow:
    """Return the direction row left when an earlier row on a parallel plane is subtracted."""
    assert isinstance(row.surface, Plane)
    leads = np.subtract(row.point, point)
    length = float(np.linalg.norm(leads))
    if length < _SAME:  # the same point twice: keep the row, redundancy will name it
        return ScalarRow(PLANE, row.point, row.surface.point, row.surface.normal, 0.0)
    x, y, z = (leads / length).tolist()
    offset = float(np.dot(row.surface.normal, np.subtract(row.surface.point, plane.point)))
    return ScalarRow(DIRECTION, (x, y, z), ZERO, row.surface.normal, offset / length)
