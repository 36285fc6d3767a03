"""Areas around a target: a tip that lies anywhere in the area has met the target.

A base that may stand anywhere in an area of the floor turns a point target into that area
(Otmani & Pruski 2009, 5.3.5 and 5.3.6, equations 9 and 10). An area is a float array: row 0 is
(kind, size 1, size 2), rows 1 to 3 are the unit vectors u, v, n of its plane, then for a
polygon one row (u, v, 0) for each corner in order. The area is centred on the target; kinds: 0
the point itself, 1 a disc of radius size 1, 2 a rectangle with half sides size 1 along u and
size 2 along v, 3 a simple polygon, not necessarily convex, 4 a floor less a footprint that turns
with the base (below). Lengths in the table's unit.

*Standing*, the target area is a floor less a footprint that turns with the base (Otmani & Pruski
2009, 5.3.6). A base with a rectangular footprint may stand where the footprint lies in the floor:
in the half planes of a convex floor's edges, each moved inward by the footprint's extent across it.
The extent follows from the base's turn, the chain's first joint, so that the area changes in every
step; a short edge may vanish at some turns. Rows of such an area: (4, half
length, half width), u, v, n, then (heading u, heading v, sense): where the length points while
the first joint's state is (1, 0), and 1 where that joint turns about n, -1 about -n. Then two
rows for each corner of the floor, counterclockwise: the corner, and the normal outward of the edge
that begins there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from articulata.kernels.array_types import Array
from articulata.kernels.chains.dh_table import ChainTable
from articulata.kernels.compile import kernel
from articulata.kernels.lanes.vectors import FASTMATH, absolute, maximum, minimum, sqrt, where

POINT, DISC, RECTANGLE, POLYGON, STANDING = 0.0, 1.0, 2.0, 3.0, 4.0

NO_AREA = np.zeros((4, 3))
"""The point itself."""


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def nearest_in_area(area: Any, dx: Any, dy: Any, dz: Any) -> Any:
    """Return the nearest point of an area that stays as it is."""
    zero = dx - dx
    if area[0, 0] == POINT:
        return zero, zero, zero
    u = dx * area[1, 0] + dy * area[1, 1] + dz * area[1, 2]
    v = dx * area[2, 0] + dy * area[2, 1] + dz * area[2, 2]
    if area[0, 0] == DISC:
        radius = area[0, 1]
        r2 = u * u + v * v
        shrink = where(r2 > radius * radius, radius / sqrt(r2 + 1e-30), 1.0)
        u = u * shrink
        v = v * shrink
    elif area[0, 0] == RECTANGLE:
        u = minimum(maximum(u, -area[0, 1]), area[0, 1])
        v = minimum(maximum(v, -area[0, 2]), area[0, 2])
    else:
        corners = area.shape[0] - 4
        best = zero + 1e30
        best_u = u
        best_v = v
        inside = zero - 1.0
        for i in range(corners):
            au = area[4 + i, 0]
            av = area[4 + i, 1]
            j = 4 + (i + 1) % corners
            eu = area[j, 0] - au
            ev = area[j, 1] - av
            share = ((u - au) * eu + (v - av) * ev) / (eu * eu + ev * ev)
            share = minimum(maximum(share, 0.0), 1.0)
            cu = au + share * eu
            cv = av + share * ev
            gap = (u - cu) * (u - cu) + (v - cv) * (v - cv)
            nearer = gap < best
            best = where(nearer, gap, best)
            best_u = where(nearer, cu, best_u)
            best_v = where(nearer, cv, best_v)
            if ev != 0.0:
                # even-odd rule: count the edges that a ray along +u crosses
                crosses = ((v < av) ^ (v < av + ev)) & (u < au + (v - av) * (eu / ev))
                inside = where(crosses, -inside, inside)
        u = where(inside > 0.0, u, best_u)
        v = where(inside > 0.0, v, best_v)
    return (
        u * area[1, 0] + v * area[2, 0],
        u * area[1, 1] + v * area[2, 1],
        u * area[1, 2] + v * area[2, 2],
    )


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def in_area(area: Any, c: Any, s: Any, dx: Any, dy: Any, dz: Any) -> Any:
    """Return the area's point nearest to (dx, dy, dz), both relative to the target, and more.

    ``c`` and ``s`` are the state of the first joint. For an area that turns with it follow uu, uv
    and vv (see ``freedom_in_area``), and how the nearest point moves by the turn, in the plane.
    """
    if area[0, 0] == STANDING:
        u = dx * area[1, 0] + dy * area[1, 1] + dz * area[1, 2]
        v = dx * area[2, 0] + dy * area[2, 1] + dz * area[2, 2]
        u, v, uu, uv, vv, du, dv = nearest_standing(area, c, s, u, v)
        return (
            u * area[1, 0] + v * area[2, 0],
            u * area[1, 1] + v * area[2, 1],
            u * area[1, 2] + v * area[2, 2],
            uu,
            uv,
            vv,
            du,
            dv,
        )
    zero = dx - dx
    ax, ay, az = nearest_in_area(area, dx, dy, dz)
    return ax, ay, az, zero, zero, zero, zero, zero


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def freedom_in_area(area: Any, dx: Any, dy: Any, dz: Any) -> Any:
    """Return how the nearest point follows (dx, dy, dz): entries uu, uv, vv in the area's plane.

    The derivative of ``nearest_in_area``. A step that moves the tip along it leaves the distance
    as it is: both directions over the inside, one along an edge, none at a corner.
    """
    zero = dx - dx
    one = zero + 1.0
    u = dx * area[1, 0] + dy * area[1, 1] + dz * area[1, 2]
    v = dx * area[2, 0] + dy * area[2, 1] + dz * area[2, 2]
    if area[0, 0] == DISC:
        radius = area[0, 1]
        r2 = u * u + v * v
        outside = r2 > radius * radius
        # around the rim, by the share of the turn that the nearest point makes
        share = radius / ((r2 + 1e-30) * sqrt(r2 + 1e-30))
        return (
            where(outside, share * v * v, one),
            where(outside, -share * u * v, zero),
            where(outside, share * u * u, one),
        )
    if area[0, 0] == RECTANGLE:
        return (
            where((u > area[0, 1]) | (u < -area[0, 1]), zero, one),
            zero,
            where((v > area[0, 2]) | (v < -area[0, 2]), zero, one),
        )
    corners = area.shape[0] - 4
    best = zero + 1e30
    uu = one
    uv = zero
    vv = one
    inside = zero - 1.0
    for i in range(corners):
        au = area[4 + i, 0]
        av = area[4 + i, 1]
        j = 4 + (i + 1) % corners
        eu = area[j, 0] - au
        ev = area[j, 1] - av
        square = eu * eu + ev * ev
        along = ((u - au) * eu + (v - av) * ev) / square
        share = minimum(maximum(along, 0.0), 1.0)
        cu = au + share * eu
        cv = av + share * ev
        gap = (u - cu) * (u - cu) + (v - cv) * (v - cv)
        nearer = gap < best
        best = where(nearer, gap, best)
        edge = where((along > 0.0) & (along < 1.0), one / square, zero)
        uu = where(nearer, edge * eu * eu, uu)
        uv = where(nearer, edge * eu * ev, uv)
        vv = where(nearer, edge * ev * ev, vv)
        if ev != 0.0:
            crosses = ((v < av) ^ (v < av + ev)) & (u < au + (v - av) * (eu / ev))
            inside = where(crosses, -inside, inside)
    return (
        where(inside > 0.0, one, uu),
        where(inside > 0.0, zero, uv),
        where(inside > 0.0, one, vv),
    )


HEADING, CORNERS, EACH = 4, 5, 2
"""The row of the heading, the first of the corners, and rows for each of these."""

PARALLEL = 1e-7
"""Sine of the angle between two edges below which neither ends the other."""

NOWHERE = 1e12
"""Where the nearest place is while nothing of the floor is left: no tip comes there."""


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _extent(area: Any, edge: int, hu: Any, hv: Any) -> Any:
    """Return how far the footprint extends across an edge, and the derivative by its turn."""
    nu = area[CORNERS + EACH * edge + 1, 0]
    nv = area[CORNERS + EACH * edge + 1, 1]
    along = nu * hu + nv * hv
    aside = nv * hu - nu * hv
    length = area[0, 1]
    width = area[0, 2]
    rate = where(along > 0.0, length, -length) * aside - where(aside > 0.0, width, -width) * along
    return length * absolute(along) + width * absolute(aside), rate * area[HEADING, 2]


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def _ends(area: Any, edge: int, extent: Any, rate: Any, hu: Any, hv: Any) -> Any:
    """Return where an edge moved inward begins and ends, and the derivatives by the turn.

    Lengths along the edge from its own corner, which moves inward with it. The edge has vanished
    where it ends before it begins.
    """
    own = CORNERS + EACH * edge
    nu = area[own + 1, 0]
    nv = area[own + 1, 1]
    begin = extent - extent - 1e30
    begin_rate = extent - extent
    end = extent - extent + 1e30
    end_rate = extent - extent
    for i in range((area.shape[0] - CORNERS) // EACH):
        other = CORNERS + EACH * i
        ou = area[other + 1, 0]
        ov = area[other + 1, 1]
        sine = nu * ov - nv * ou
        if i != edge and (sine > PARALLEL or sine < -PARALLEL):
            cosine = nu * ou + nv * ov
            apart = (area[other, 0] - area[own, 0]) * ou + (area[other, 1] - area[own, 1]) * ov
            share = 1.0 / sine
            other_extent, other_rate = _extent(area, i, hu, hv)
            cut = (apart - other_extent + extent * cosine) * share
            cut_rate = (rate * cosine - other_rate) * share
            if sine > 0.0:
                end_rate = where(cut < end, cut_rate, end_rate)
                end = minimum(end, cut)
            else:
                begin_rate = where(cut > begin, cut_rate, begin_rate)
                begin = maximum(begin, cut)
    return begin, begin_rate, end, end_rate


@kernel(fastmath=FASTMATH, inline=True, counted=False)
def nearest_standing(area: Any, c: Any, s: Any, u: Any, v: Any) -> Any:
    """Return what of the floor is nearest to (u, v) while the first joint's state is (c, s).

    Seven numbers: the nearest place; uu, uv, vv, how it follows (u, v) (see
    ``areas.freedom_in_area``); how it moves by the turn of the first joint.
    """
    zero = u - u
    one = zero + 1.0
    sense = area[HEADING, 2]
    hu = c * area[HEADING, 0] - sense * s * area[HEADING, 1]
    hv = c * area[HEADING, 1] + sense * s * area[HEADING, 0]
    best = zero + 1e30
    best_u = zero + NOWHERE
    best_v = zero
    uu = zero
    uv = zero
    vv = zero
    by_turn_u = zero
    by_turn_v = zero
    outside = zero - 1e30
    for edge in range((area.shape[0] - CORNERS) // EACH):
        row = CORNERS + EACH * edge
        nu = area[row + 1, 0]
        nv = area[row + 1, 1]
        extent, rate = _extent(area, edge, hu, hv)
        begin, begin_rate, end, end_rate = _ends(area, edge, extent, rate, hu, hv)
        corner_u = area[row, 0] - extent * nu
        corner_v = area[row, 1] - extent * nv
        outside = maximum(outside, nu * (u - corner_u) + nv * (v - corner_v))
        # along the edge, whose direction is (-nv, nu)
        along = nu * (v - corner_v) - nv * (u - corner_u)
        on = minimum(maximum(along, begin), end)
        place_u = corner_u - on * nv
        place_v = corner_v + on * nu
        gap = (u - place_u) * (u - place_u) + (v - place_v) * (v - place_v)
        nearer = (gap < best) & (begin <= end)
        best = where(nearer, gap, best)
        best_u = where(nearer, place_u, best_u)
        best_v = where(nearer, place_v, best_v)
        between = (along > begin) & (along < end)
        follows = where(between, one, zero)
        uu = where(nearer, follows * (nv * nv), uu)
        uv = where(nearer, follows * (-nu * nv), uv)
        vv = where(nearer, follows * (nu * nu), vv)
        slide = where(between, zero, where(along > begin, end_rate, begin_rate))
        by_turn_u = where(nearer, -rate * nu - slide * nv, by_turn_u)
        by_turn_v = where(nearer, -rate * nv + slide * nu, by_turn_v)
    free = outside <= 0.0
    return (
        where(free, u, best_u),
        where(free, v, best_v),
        where(free, one, uu),
        where(free, zero, uv),
        where(free, one, vv),
        where(free, zero, by_turn_u),
        where(free, zero, by_turn_v),
    )


def disc(radius: float, normal: Array) -> Array:
    """Return the area of a disc about the target; ``normal`` (3,) in the base frame."""
    return _stack([DISC, radius, 0.0], _plane(normal))


def rectangle(half_u: float, half_v: float, u: Array, v: Array) -> Array:
    """Return a rectangle about the target with half sides along unit vectors u and v (3,)."""
    return _stack([RECTANGLE, half_u, half_v], [u, v, np.cross(u, v)])


def polygon(corners: Array, u: Array, v: Array) -> Array:
    """Return a simple polygon; ``corners`` (k, 2) along unit vectors u and v, in order."""
    places = np.column_stack([corners, np.zeros(len(corners))])
    return _stack([POLYGON, 0.0, 0.0], [u, v, np.cross(u, v)], places)


def standing(corners: Array, half: tuple[float, float], u: Array, v: Array, sense: float) -> Array:
    """Return a convex floor less a footprint of ``half`` length and width that turns with the base.

    ``corners`` (k, 2) along unit vectors u and v, counterclockwise; the length points along u while
    the first joint is at 0, which turns about u x v (``sense`` 1) or against it (-1).
    """
    edges = np.roll(corners, -1, axis=0) - corners
    edges /= np.linalg.norm(edges, axis=1, keepdims=True)
    normals = np.column_stack([edges[:, 1], -edges[:, 0]])
    rows = np.zeros((len(corners), EACH, 3))
    rows[:, 0, :2] = corners
    rows[:, 1, :2] = normals
    plane, heading = [u, v, np.cross(u, v)], [1.0, 0.0, sense]
    return _stack([STANDING, *half], plane, heading, rows.reshape(-1, 3))


def _stack(*rows: npt.ArrayLike) -> Array:
    stacked: Array = np.concatenate([np.atleast_2d(np.asarray(row, np.float64)) for row in rows])
    return stacked


def _plane(normal: Array) -> Array:
    n = np.asarray(normal, float) / np.linalg.norm(normal)
    u = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    u /= np.linalg.norm(u)
    plane: Array = np.stack([u, np.cross(n, u), n])
    return plane


def scaled_area(table: ChainTable, area: Array | None) -> tuple[Array, float]:
    """Return the area in the table's frame and unit, and the radius of a ball around it."""
    if area is None:
        return NO_AREA, 0.0
    scaled = area.astype(np.float64)
    scaled[1:4] = scaled[1:4] @ table.base[:3, :3]
    scaled[0, 1:] /= table.unit
    if area[0, 0] == STANDING:
        # the state of the first joint counts from its table angle
        offset, sense = float(table.offset[0]), scaled[HEADING, 2]
        u, v = scaled[HEADING, :2]
        c, s = math.cos(offset), -sense * math.sin(offset)
        scaled[HEADING, :2] = c * u - s * v, c * v + s * u
        corners = scaled[CORNERS::EACH]
        corners /= table.unit
        return scaled, float(np.max(np.linalg.norm(corners, axis=1)))
    scaled[4:] /= table.unit
    if area[0, 0] == POLYGON:
        return scaled, float(np.max(np.linalg.norm(scaled[4:], axis=1)))
    return scaled, float(np.hypot(scaled[0, 1], scaled[0, 2]))
