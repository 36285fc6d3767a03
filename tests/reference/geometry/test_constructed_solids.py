"""Constructed solids to 1e-8 and far better, against computations that share no code with ours."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad_vec

from articulata.geometry.arrays import Array
from articulata.geometry.constructed import solid_mesh
from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    Difference,
    ExtrudedPolygon,
    HalfSpace,
    Intersection,
    Mesh,
    Named,
    Placed,
    Prism,
    Shape,
    Sphere,
    Union,
)
from articulata.geometry.solid_mass import constructed_mass, extrapolate, facet_moments
from articulata.geometry.solids import ClosedForm, ConstructedSolids, mass_properties

TIGHT = 1e-11


def placed(
    shape: Shape,
    p: tuple[float, float, float] = (0, 0, 0),
    axis: tuple[float, float, float] = (0, 0, 1),
    angle: float = 0.0,
) -> Placed:
    return Placed(shape, make_pose(Rotation.from_axis_angle(axis, angle), p))


def moments_of_drill_in_block(block: Cuboid, drill: Placed, radius: float, length: float) -> Array:
    """Return 1, x, y, z, xx, yy, zz, xy, yz, zx moments of a cylinder inside a cuboid.

    Lines along the drill's axis are cut off by the block's faces and the drill's ends; the length
    left is linear in pieces along a chord of the disc. Pieces are integrated by Gauss rules exact
    for them, chords by adaptive quadrature. No mesh and no divergence theorem.
    """
    X = drill.X_PS
    R, t = X[:3, :3], X[:3, 3]
    half = 0.5 * np.array([block.x, block.y, block.z])
    # planes n . (u, v, s) <= c in the drill's frame
    normals = np.concatenate([R, -R, [[0, 0, 1.0]], [[0, 0, -1.0]]])
    offsets = np.concatenate([half - t, half + t, [length / 2, length / 2]])
    nodes, weights = np.polynomial.legendre.leggauss(4)

    def along_chord(angle: float) -> Array:
        u, reach = radius * np.sin(angle), radius * np.cos(angle)
        a, b, c = normals[:, 1], normals[:, 2], offsets - normals[:, 0] * u
        # where two planes cut the same line off at the same height, a piece ends
        i, j = np.triu_indices(len(c), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            cuts = (c[i] * b[j] - c[j] * b[i]) / (a[i] * b[j] - a[j] * b[i])
            flat = c / a
        cuts = np.concatenate([cuts, flat])
        cuts = np.sort(cuts[np.isfinite(cuts) & (np.abs(cuts) < reach)])
        ends = np.concatenate([[-reach], cuts, [reach]])
        middle, width = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
        v = (middle[:, None] + width[:, None] * nodes).ravel()
        w = (width[:, None] * weights).ravel()
        with np.errstate(divide="ignore", invalid="ignore"):
            height = (c[:, None] - a[:, None] * v) / b[:, None]
        up, down, side = b > 1e-15, b < -1e-15, np.abs(b) <= 1e-15
        top, bottom = height[up].min(axis=0), height[down].max(axis=0)
        inside = np.all(a[side, None] * v <= c[side, None], axis=0) & (top > bottom)
        h = np.where(inside, (top - bottom) / 2, 0.0)
        s = (top + bottom)[None] / 2 + h * nodes[:, None]
        local = np.stack([np.full_like(s, u), np.broadcast_to(v, s.shape), s], axis=-1)
        x, y, z = np.moveaxis(local @ R.T + t, -1, 0)
        values = np.stack([np.ones_like(x), x, y, z, x * x, y * y, z * z, x * y, y * z, z * x])
        return np.einsum("kij,i,j->k", values, weights, w * h) * reach

    corners = np.linspace(-np.pi / 2, np.pi / 2, 65)
    out, error = quad_vec(
        along_chord, corners[0], corners[-1], points=corners, epsabs=1e-14, epsrel=1e-13, limit=4000
    )
    assert error < 1e-11
    return out


DRILLED = {
    "straight": ((0.0, 1.0, 0.0), (0, 0, 1), 0.0, 0.15),
    "tilted": ((0.0, 1.0, 0.0), (1.0, 0.3, 0.0), 0.4, 0.15),
    "through two faces that meet": ((0.1, 1.2, 0.2), (1.0, 0.2, 0.1), 0.9, 0.2),
    "breaking edges": ((0.3, 1.0, 0.4), (1.0, 0.7, 0.2), 0.9, 0.35),
    "off a corner": ((0.4, 1.4, 0.4), (1.0, -0.4, 0.3), 0.7, 0.3),
    "along an edge": ((0.5, 0.0, 0.5), (1.0, 0.0, 0.0), np.pi / 2, 0.2),
}


@pytest.mark.parametrize("case", DRILLED, ids=str)
def test_a_drilled_block_against_quadrature(case: str) -> None:
    p, axis, angle, radius = DRILLED[case]
    length = 6.0
    block, drill = Cuboid(1, 3, 1), placed(Cylinder(radius, length), p, axis, angle)
    found = mass_properties(Difference(Named("block", block), Named("hole", drill)), 2.0)

    whole = mass_properties(block, 1.0)
    m = -moments_of_drill_in_block(block, drill, radius, length)
    m[0] += whole.volume
    m[4:7] += np.trace(whole.inertia) / 2 - np.diag(whole.inertia)
    volume, center = m[0], m[1:4] / m[0]
    second = np.array([[m[4], m[7], m[9]], [m[7], m[5], m[8]], [m[9], m[8], m[6]]])
    second -= volume * np.outer(center, center)
    inertia = 2.0 * (np.trace(second) * np.eye(3) - second)

    assert found.volume == pytest.approx(volume, rel=TIGHT)
    assert found.mass == pytest.approx(2.0 * volume, rel=TIGHT)
    np.testing.assert_allclose(found.center, center, atol=TIGHT)
    np.testing.assert_allclose(found.inertia, inertia, atol=TIGHT * inertia.max())
    assert found.accuracy <= 1e-11


TURNED = [(0, 0, 1, 0.0), (0, 0, 1, 0.3), (1, 2, 3, 1.1)]


@pytest.mark.parametrize("turn", TURNED)
@pytest.mark.parametrize("spin", [0.0, 0.123, 0.7])
def test_two_crossing_cylinders_have_the_volume_archimedes_knew(
    turn: tuple[float, float, float, float], spin: float
) -> None:
    one = placed(Cylinder(1, 4), angle=spin)
    other = placed(Cylinder(1, 4), axis=(1, 0, 0), angle=np.pi / 2)
    both = placed(Intersection([one, other]), axis=turn[:3], angle=turn[3])
    found = mass_properties(both, 1.0)
    # common part of two cylinders of radius r: volume 16/3 r^3; a slice z = const is a square
    # of half width sqrt(r^2 - z^2)
    assert found.volume == pytest.approx(16 / 3, rel=TIGHT)
    # in a slice at height y along the axis that neither cylinder has, the square is full
    moments = np.sort(np.linalg.eigvalsh(found.inertia))
    # per slice area 4 w^2, second moment 4 w^4 / 3 about each middle line, w^2 = 1 - t^2
    t, w = np.polynomial.legendre.leggauss(8)
    width = 1 - t * t
    flat, tall = float(w @ (4 / 3 * width**2)), float(w @ (4 * width * t * t))
    expected = np.sort([2 * flat, flat + tall, flat + tall])
    np.testing.assert_allclose(moments, expected, rtol=TIGHT)


def test_a_bored_sphere_has_the_napkin_ring_volume() -> None:
    found = mass_properties(Difference(Sphere(1), Cylinder(0.6, 3)), 1.0)
    assert found.volume == pytest.approx(np.pi / 6 * 1.6**3, rel=TIGHT)


def test_two_overlapping_balls() -> None:
    r, s, d = 1.0, 0.7, 0.9
    lens = np.pi * (r + s - d) ** 2 * (d * d + 2 * d * (r + s) - 3 * (r - s) ** 2) / (12 * d)
    away = tuple(d * np.array([2, -1, 2]) / 3)
    found = mass_properties(Union([Sphere(r), placed(Sphere(s), away)]), 1.0)
    assert found.volume == pytest.approx(4 / 3 * np.pi * (r**3 + s**3) - lens, rel=TIGHT)


@pytest.mark.parametrize("cut", [-0.9, -0.2, 0.0, 0.3, 0.99])
def test_a_ball_cut_by_a_half_space(cut: float) -> None:
    half_space = placed(HalfSpace(), (0, cut, 0), (0, 1, 0), 0.4)
    found = mass_properties(Intersection([Sphere(1), half_space]), 1.0)
    depth = 1 + cut
    volume = np.pi * depth**2 * (3 - depth) / 3
    assert found.volume == pytest.approx(volume, rel=TIGHT)
    assert found.center[1] == pytest.approx(-np.pi * (1 - cut * cut) ** 2 / 4 / volume, rel=1e-10)


@pytest.mark.parametrize("turn", TURNED)
def test_a_bar_with_round_ends_and_eyes(turn: tuple[float, float, float, float]) -> None:
    # flush faces, cylinders that touch planes along lines: nothing crosses at an angle
    link = Difference(
        Union([
            Cuboid(1, 0.4, 0.2),
            placed(Cylinder(0.2, 0.2), (0.5, 0, 0)),
            placed(Cylinder(0.2, 0.2), (-0.5, 0, 0)),
        ]),
        [placed(Cylinder(0.1, 1), (0.5, 0, 0)), placed(Cylinder(0.1, 1), (-0.5, 0, 0))],
    )  # fmt: skip
    found = mass_properties(placed(link, axis=turn[:3], angle=turn[3]), 1.0)
    assert found.volume == pytest.approx(0.08 + np.pi * 0.008 - 2 * np.pi * 0.002, rel=TIGHT)
    np.testing.assert_allclose(found.center, 0, atol=TIGHT)


@pytest.mark.parametrize("turn", TURNED)
def test_a_capsule_made_of_a_cylinder_and_two_balls(
    turn: tuple[float, float, float, float],
) -> None:
    parts = [Cylinder(0.5, 1), placed(Sphere(0.5), (0, 0, 0.5)), placed(Sphere(0.5), (0, 0, -0.5))]
    made = mass_properties(placed(Union(parts), axis=turn[:3], angle=turn[3]), 3.0)
    exact = mass_properties(placed(Capsule(0.5, 1), axis=turn[:3], angle=turn[3]), 3.0)
    assert made.mass == pytest.approx(exact.mass, rel=TIGHT)
    np.testing.assert_allclose(made.inertia, exact.inertia, atol=TIGHT * exact.inertia.max())


def test_a_frustum_is_a_cone_without_its_tip() -> None:
    tip = placed(Cone(0.5, 1), (0, 0, 0.5))
    found = mass_properties(Difference(Cone(1, 2), tip), 1.0)
    exact = mass_properties(placed(Cone(1, 1, 0.5), (0, 0, -0.5)), 1.0)
    assert found.volume == pytest.approx(exact.volume, rel=TIGHT)
    np.testing.assert_allclose(found.center, exact.center, atol=TIGHT)


def test_a_mesh_with_a_hole() -> None:
    V = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    F = [[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6],
         [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip
    hole = placed(Cylinder(0.3, 5), (0.2, 0.1, 0), (1, 0, 0), 0.3)
    from_mesh = mass_properties(Difference(Mesh(V, F), hole), 1.0)
    from_block = mass_properties(Difference(Cuboid(2, 2, 2), hole), 1.0)
    assert from_mesh.volume == pytest.approx(from_block.volume, rel=TIGHT)
    np.testing.assert_allclose(from_mesh.inertia, from_block.inertia, atol=TIGHT)


PRIMITIVES = [
    Cuboid(1, 2, 3), Sphere(0.7), Cylinder(0.4, 1.1), Capsule(0.3, 0.8), Cone(0.6, 1),
    Cone(0.6, 1, 0.2), Prism(5, 0.6, 0.7),
    ExtrudedPolygon([(0, 0), (2, 0), (2, 2), (1, 1), (0, 2)], 0.5),
]  # fmt: skip


@pytest.mark.parametrize("shape", PRIMITIVES, ids=repr)
def test_the_backends_can_be_swapped(shape: Shape) -> None:
    where = placed(shape, (0.3, -0.2, 1.0), (1, 2, 3), 0.8)
    exact, through_mesh = ClosedForm(), ConstructedSolids()
    a, b = (kernel.mass_properties(where, 2.5) for kernel in (exact, through_mesh))
    assert b.volume == pytest.approx(a.volume, rel=1e-13)
    np.testing.assert_allclose(b.center, a.center, atol=1e-13)
    np.testing.assert_allclose(b.inertia, a.inertia, atol=1e-13 * a.inertia.max())
    for kernel in (exact, through_mesh):
        assert kernel.volume(where) == pytest.approx(a.volume, rel=1e-13)
        np.testing.assert_allclose(kernel.centroid(where), a.center, atol=1e-13)
        np.testing.assert_allclose(kernel.inertia(where, 2.5), a.inertia, atol=1e-12)
        assert set(kernel.features(where)) == set(exact.features(shape))
        assert set(kernel.tessellate(where).faces) <= set(exact.features(shape))
        moved = kernel.transformed(where, make_pose(None, (1, 0, 0)))
        np.testing.assert_allclose(
            kernel.centroid(moved), a.center + np.array([1, 0, 0]), atol=1e-13
        )


def test_facets_converge_with_order_two_and_their_limit_is_the_solid() -> None:
    member = Difference(Cuboid(1, 3, 1), placed(Cylinder(0.15, 2), (0, 1, 0), (1, 0, 0), 0.2))
    levels = [facet_moments(solid_mesh(member, n), np.zeros(3)) for n in (32, 64, 128)]
    limit = extrapolate(levels)
    exact = constructed_mass(member, 1.0).volume
    assert limit.order == pytest.approx(2, abs=0.02)
    assert limit.values[0] == pytest.approx(exact, rel=1e-9)
    assert abs(levels[2][0] / exact - 1) > 1e-6


@pytest.mark.parametrize("depth", [1e-2, 1e-3, 1e-4, 1e-5])
def test_a_cut_that_only_grazes_a_round_face(depth: float) -> None:
    beside = placed(Cuboid(4, 4, 4), (3 - depth, 0, 0))
    ball = mass_properties(placed(Difference(Sphere(1), beside), (1, 2, 3), (3, 1, 2), 0.8), 1.0)
    cap = np.pi * depth**2 * (1 - depth / 3)
    assert ball.volume == pytest.approx(4 / 3 * np.pi - cap, rel=1e-10)
    bar = mass_properties(placed(Difference(Cylinder(1, 2), beside), (1, 2, 3), (3, 1, 2), 0.8), 1)
    sliver = np.arccos(1 - depth) - (1 - depth) * np.sqrt(2 * depth - depth**2)
    assert bar.volume == pytest.approx(2 * np.pi - 2 * sliver, rel=TIGHT)
