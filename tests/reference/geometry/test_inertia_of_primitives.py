"""Inertia of every primitive to 1e-14, against exact rational numbers or 50-digit quadrature.

The references integrate over slices across z: the shape's formulas are not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    ExtrudedPolygon,
    Mesh,
    Placed,
    Primitive,
    Prism,
    Sphere,
)
from articulata.geometry.solids import MassProperties, mass_properties

DENSITY = 7850.0
TOLERANCE = 1e-14
Moments = tuple[mp.mpf, mp.mpf, mp.mpf, mp.mpf, mp.mpf]


def revolved(radius: Callable[[mp.mpf], mp.mpf], breaks: Iterable[float]) -> Moments:
    """Return volume, z, zz, xx and yy moments of a solid of revolution, by quadrature over z."""
    cuts = [mp.mpf(b) for b in breaks]
    area = lambda z: mp.pi * radius(z) ** 2  # noqa: E731 # read beside its uses
    quarter = lambda z: mp.pi * radius(z) ** 4 / 4  # noqa: E731 # as above
    volume, first, zz = (mp.quad(lambda z, k=k: area(z) * z**k, cuts) for k in range(3))
    xx = mp.quad(quarter, cuts)
    return volume, first, zz, xx, xx


def check_against(found: MassProperties, moments: Moments, density: float) -> None:
    volume, first, zz, xx, yy = moments
    rho, z = mp.mpf(density), first / volume
    zz -= volume * z * z
    expected = np.diag([float(rho * v) for v in (yy + zz, xx + zz, xx + yy)])
    assert abs(found.mass / float(rho * volume) - 1) < TOLERANCE
    assert abs(found.volume / float(volume) - 1) < TOLERANCE
    scale = float(mp.sqrt((xx + yy + zz) / volume))
    np.testing.assert_allclose(found.center, [0, 0, float(z)], atol=TOLERANCE * scale)
    np.testing.assert_allclose(found.inertia, expected, rtol=TOLERANCE, atol=0)


ROUND = [
    Sphere(0.7), Sphere(1e-3), Sphere(123.0),
    Cylinder(0.7, 1.3), Cylinder(1e-3, 10.0), Cylinder(5.0, 1e-3),
    Capsule(0.3, 1.1), Capsule(1e-3, 5.0), Capsule(2.0, 1e-3),
    Cone(0.7, 1.3), Cone(0.01, 2.0), Cone(3.0, 0.02),
    Cone(0.7, 1.3, 0.2), Cone(0.2, 1.3, 0.7), Cone(1.0, 2.0, 1.0), Cone(1.0, 2.0, 1.0 - 1e-9),
]  # fmt: skip


@pytest.mark.parametrize("shape", ROUND, ids=repr)
def test_round_primitives_against_fifty_digit_quadrature(shape: Primitive) -> None:
    with mp.workdps(50):
        match shape:
            case Sphere(r):
                R = mp.mpf(r)
                moments = revolved(lambda z: mp.sqrt(R * R - z * z), [-R, R])
            case Cylinder(r, h):
                half = mp.mpf(h) / 2
                moments = revolved(lambda z: mp.mpf(r), [-half, half])
            case Capsule(r, h):
                R, half = mp.mpf(r), mp.mpf(h) / 2

                def capsule(z: mp.mpf) -> mp.mpf:
                    off = max(abs(z) - half, mp.mpf(0))
                    return mp.sqrt(max(R * R - off * off, mp.mpf(0)))

                moments = revolved(capsule, [-half - R, -half, half, half + R])
            case Cone(a, h, b):
                A, B, H = mp.mpf(a), mp.mpf(b), mp.mpf(h)
                moments = revolved(lambda z: A + (B - A) * (z / H + mp.mpf(1) / 2), [-H / 2, H / 2])
            case _:
                raise AssertionError(shape)
        check_against(mass_properties(shape, DENSITY), moments, DENSITY)


@pytest.mark.parametrize("sides", [(1.0, 3.0, 1.0), (0.1, 0.2, 0.3), (1e-4, 10.0, 3.7)])
def test_cuboids_against_rational_numbers(sides: tuple[float, float, float]) -> None:
    x, y, z = (Fraction(s) for s in sides)
    rho = Fraction(DENSITY)
    mass = rho * x * y * z
    found = mass_properties(Cuboid(*sides), DENSITY)
    assert abs(Fraction(found.mass) / mass - 1) < TOLERANCE
    for i, (u, v) in enumerate(((y, z), (x, z), (x, y))):
        exact = mass * (u * u + v * v) / 12
        assert abs(Fraction(float(found.inertia[i, i])) / exact - 1) < TOLERANCE
    assert np.count_nonzero(found.inertia) == 3


def polygon_moments(corners: list[tuple[Fraction, Fraction]]) -> dict[str, Fraction]:
    """Return exact area moments, triangle by triangle, by the three-midpoint rule (degree 2)."""
    total = dict.fromkeys(("1", "x", "y", "xx", "yy", "xy"), Fraction(0))
    (ax, ay), rest = corners[0], corners[1:]
    for (bx, by), (cx, cy) in pairwise(rest):
        area = ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
        pairs = (((ax + bx) / 2, (ay + by) / 2), ((bx + cx) / 2, (by + cy) / 2),
                 ((cx + ax) / 2, (cy + ay) / 2))  # fmt: skip
        for px, py in pairs:
            for name, value in (("1", 1), ("x", px), ("y", py), ("xx", px * px), ("yy", py * py),
                                ("xy", px * py)):  # fmt: skip
                total[name] += area / 3 * value
    return total


POLYGONS = [
    [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 0.25), (0.0, 1.0)],
    [(0.0, 0.0), (0.0, 1.0), (1.0, 0.25), (2.0, 1.0), (2.0, 0.0)],  # clockwise
    [(10.0, 10.0), (10.5, 10.0), (10.25, 10.4)],
    [(0.1, 0.0), (3.0, 0.2), (2.5, 2.0), (1.4, 0.4), (1.2, 3.0), (-0.3, 1.0), (0.6, 0.5)],
]


@pytest.mark.parametrize("points", POLYGONS, ids=len)
def test_extruded_polygons_against_rational_numbers(points: list[tuple[float, float]]) -> None:
    length = 0.7
    corners = [(Fraction(x), Fraction(y)) for x, y in points]
    m = polygon_moments(corners)
    if m["1"] < 0:
        m = {name: -value for name, value in m.items()}
    h, rho, area = Fraction(length), Fraction(DENSITY), m["1"]
    cx, cy = m["x"] / area, m["y"] / area
    xx, yy, xy = m["xx"] - area * cx * cx, m["yy"] - area * cy * cy, m["xy"] - area * cx * cy
    zz = area * h * h / 12
    exact = [[yy + zz, -xy, 0], [-xy, xx + zz, 0], [0, 0, xx + yy]]
    expected = np.array([[float(rho * h * value) for value in row] for row in exact])
    found = mass_properties(ExtrudedPolygon(points, length), DENSITY)
    assert abs(Fraction(found.mass) / (rho * area * h) - 1) < TOLERANCE
    np.testing.assert_allclose(found.center, [float(cx), float(cy), 0], rtol=TOLERANCE, atol=0)
    np.testing.assert_allclose(found.inertia, expected, atol=TOLERANCE * np.abs(expected).max())


@pytest.mark.parametrize("sides", [3, 4, 5, 6, 7, 100, 10_000])
def test_prisms_against_fifty_digits(sides: int) -> None:
    shape = Prism(sides, 0.7, 1.3)
    with mp.workdps(50):
        r, h, half = mp.mpf(shape.radius), mp.mpf(shape.length), mp.pi / shape.sides
        # a wedge from the centre to one side: width 2 s tan(half) at distance s from the centre
        apothem = r * mp.cos(half)
        area = sides * mp.quad(lambda s: 2 * s * mp.tan(half), [0, apothem])
        along = mp.quad(lambda s: 2 * s**3 * mp.tan(half), [0, apothem])
        across = mp.quad(lambda s: (2 * s * mp.tan(half)) ** 3 / 12, [0, apothem])
        polar = sides * (along + across)
        moments = (area * h, mp.mpf(0), area * h**3 / 12, polar * h / 2, polar * h / 2)
        check_against(mass_properties(shape, DENSITY), moments, DENSITY)


def test_a_mesh_has_the_properties_of_the_solid_it_bounds() -> None:
    # a tetrahedron with corners at 0 and on the axes: the integral of x^a y^b z^c over it is
    # a! b! c! / (a + b + c + 3)! times the legs' powers (Dirichlet)
    V = np.array([[0.0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 5]])
    tetrahedron = Mesh(V, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    legs = [Fraction(2), Fraction(3), Fraction(5)]
    volume = legs[0] * legs[1] * legs[2] / 6
    center = [leg / 4 for leg in legs]
    second = [[volume * a * b / (10 if i == j else 20) for j, b in enumerate(legs)]
              for i, a in enumerate(legs)]  # fmt: skip
    central = [[second[i][j] - volume * center[i] * center[j] for j in range(3)] for i in range(3)]
    trace = sum(central[i][i] for i in range(3))
    exact = np.array([[float(trace * (i == j) - central[i][j]) for j in range(3)]
                      for i in range(3)])  # fmt: skip
    found = mass_properties(tetrahedron, 1.0)
    assert abs(found.volume - 5) < 5 * TOLERANCE
    np.testing.assert_allclose(found.center, [0.5, 0.75, 1.25], rtol=TOLERANCE)
    np.testing.assert_allclose(found.inertia, exact, atol=TOLERANCE * np.abs(exact).max())


def test_a_placed_primitive_is_the_primitive_turned_and_moved() -> None:
    R = Rotation.from_axis_angle((1, 2, 3), 0.7)
    p: Array = np.array([0.3, -2.0, 1.0])
    shape = Cone(0.7, 1.3, 0.2)
    own, placed = (mass_properties(s, DENSITY) for s in (shape, Placed(shape, make_pose(R, p))))
    M = R.to_matrix()
    np.testing.assert_allclose(placed.center, M @ own.center + p, atol=TOLERANCE)
    np.testing.assert_allclose(
        placed.inertia, M @ own.inertia @ M.T, atol=TOLERANCE * own.inertia.max()
    )


def test_the_rod_of_1986_with_its_density() -> None:
    # Hoffmann & Hopcroft, CSD-TR-635, section 6: cuboid(1, 3, 1), density 2; their inertia,
    # 2.5, left the density out
    rod = mass_properties(Cuboid(1, 3, 1), 2.0)
    assert rod.mass == 6.0
    np.testing.assert_array_equal(np.diag(rod.inertia), [5.0, 1.0, 5.0])
