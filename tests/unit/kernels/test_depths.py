"""Depths and distances that are known: by formula, by support functions, by GJK."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from articulata.geometry.arrays import Array
from articulata.geometry.convex import Piece, gap_between, pieces_of
from articulata.geometry.parts import parts_of
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    Placed,
    Prism,
    Shape,
    Sphere,
)
from placing import matrix, random_poses, separation_of
from supports import Pairs


def pose(p: tuple[float, float, float], turn: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)) -> Array:
    q = np.array(turn)
    return np.array([*p, *(q / np.linalg.norm(q))])


def about(axis: int, angle: float) -> tuple[float, ...]:
    """Return the quaternion of a turn about x, y or z (0, 1, 2)."""
    q = [np.cos(0.5 * angle), 0.0, 0.0, 0.0]
    q[1 + axis] = np.sin(0.5 * angle)
    return tuple(q)


def both_ways(a: Shape, b: Shape, poses: Array) -> tuple[float, Array]:
    """Return separation and normal, the same in both orders."""
    gap, n = separation_of(a, b, poses)
    back, m = separation_of(b, a, poses[::-1])
    assert back == gap
    np.testing.assert_array_equal(m, -n)
    return gap, n


def gjk(a: Shape, b: Shape, poses: Array) -> float:
    """Return the distance of two shapes of one piece by the algorithm of Gilbert et al."""
    one, other = (
        pieces_of(parts_of(Placed(each, matrix(row)))[0])[0]
        for each, row in zip((a, b), poses, strict=True)
    )
    assert isinstance(one, Piece)
    return gap_between(one, other).distance


@pytest.mark.parametrize("off", [0.0, 0.03, -0.05])
def test_capsule_whose_axis_is_inside_a_cube_parts_across_an_edge(off: float) -> None:
    # across the cube's edge along x and the capsule's axis, in the plane of y and z
    a = 0.6
    depth = 0.5 * (np.cos(a) + np.sin(a)) - 0.3 * np.cos(a) + 0.1
    poses = np.array([pose((off, 0.3, 0.0), about(0, a)), pose((0.0, 0.0, 0.0))])
    gap, n = both_ways(Capsule(0.1, 1.0), Cuboid(1, 1, 1), poses)
    assert gap == pytest.approx(-depth, abs=1e-15)
    np.testing.assert_allclose(n, [0.0, np.cos(a), np.sin(a)], atol=1e-15)


@pytest.mark.parametrize(("a", "b"), [(Cone(0.4, 0.6), Cone(0.3, 0.8)),
                                      (Cone(0.4, 0.6), Cylinder(0.3, 0.8)),
                                      (Cylinder(0.4, 0.6), Cylinder(0.3, 0.8))])  # fmt: skip
def test_round_pieces_pushed_into_each_other_a_little(a: Shape, b: Shape) -> None:
    rng = np.random.default_rng(8)
    for _ in range(12):
        poses = random_poses(rng, 2, 1.5)
        apart, n = both_ways(a, b, poses)
        if apart < 0.01:
            continue
        assert apart == pytest.approx(gjk(a, b, poses), abs=5e-12)
        poses[0, :3] -= (apart + 1e-5) * n
        gap, m = both_ways(a, b, poses)
        # along the way they came they are that deep; a sharp apex is less so, or still beside
        pairs = Pairs(a, b, poses[None])
        assert gap > -1e-5 - 1e-12
        assert max(gap, 0.0) == pytest.approx(gjk(a, b, poses), abs=5e-12)
        assert pairs.along(m[None, None])[0, 0] == pytest.approx(gap, abs=1e-14)
        assert pairs.largest(rng, n[None], 500, 60)[0] < gap + 1e-9


def test_cone_beside_a_prism() -> None:
    cone, prism = Cone(0.4, 0.6), Prism(3, 0.4, 0.3)
    turns = (0.5376, 0.4297, -0.1256, 0.7145), (0.8990, -0.3825, 0.1288, -0.1697)
    poses = np.array([pose((0, 0, 0), turns[0]), pose((-0.2924, -0.2154, 0.3278), turns[1])])
    gap, _ = both_ways(cone, prism, poses)
    assert gap == pytest.approx(0.0362, abs=1e-4)
    for z in np.linspace(-0.2, 0.2, 21):
        moved = poses.copy()
        moved[1, 2] += z
        there, _ = both_ways(cone, prism, moved)
        assert max(there, 0.0) == pytest.approx(gjk(cone, prism, moved), abs=5e-12)
        assert abs(there - gap) <= abs(z) + 1e-12


def test_round_pieces_with_one_centre() -> None:
    for turn in ((1.0, 0.0, 0.0, 0.0), (0.3, -0.5, 0.7, 0.2)):
        poses = np.array([pose((0.3, 0.2, 0.1), turn), pose((0.3, 0.2, 0.1), turn)])
        assert both_ways(Sphere(0.5), Sphere(0.35), poses)[0] == pytest.approx(-0.85, abs=1e-15)
        # across the axis of the one that has one
        z = matrix(poses[0])[:3, 2]
        for shape in (Capsule(0.2, 0.9), Cylinder(0.2, 0.9)):
            for other in (Sphere(0.35), Capsule(0.35, 0.4), Cylinder(0.35, 2.0)):
                gap, n = both_ways(other, shape, poses)
                assert gap == pytest.approx(-0.55, abs=1e-15), (shape, other)
                assert n @ z == pytest.approx(0.0, abs=1e-15)


def test_capsules_whose_axes_cross() -> None:
    along = {0: about(1, np.pi / 2), 1: about(0, np.pi / 2), 2: about(2, 0.0)}
    for one, other in permutations(range(3), 2):
        across = 3 - one - other
        for at in ((0.0, 0.0, 0.0), (0.1, 0.2, -0.1)):
            place = np.array(at)
            place[across] = 0.0
            poses = np.array([pose(tuple(place), along[one]), pose((0, 0, 0), along[other])])
            gap, n = both_ways(Capsule(0.1, 0.6), Capsule(0.1, 0.6), poses)
            assert gap == pytest.approx(-0.2, abs=1e-15)
            np.testing.assert_allclose(np.abs(n), np.eye(3)[across], atol=1e-14)


def test_ball_on_the_axis_of_a_capsule_and_of_a_cylinder() -> None:
    for z in (-0.3, 0.0, 0.2, 0.45):
        poses = np.array([pose((0, 0, z)), pose((0, 0, 0))])
        gap, n = both_ways(Sphere(0.2), Capsule(0.1, 0.9), poses)
        assert gap == pytest.approx(-0.3, abs=1e-15)
        assert n[2] == pytest.approx(0.0, abs=1e-15)
        gap, _ = both_ways(Sphere(0.2), Cylinder(0.3, 1.0), poses)
        assert gap == pytest.approx(-0.2 - min(0.3, 0.5 - abs(z)), abs=1e-15)


def test_rim_that_reaches_beyond_the_axis_of_a_thin_cylinder() -> None:
    # the wide cylinder parts from the thin one along a normal on the far side of its axis
    a, b = Cylinder(0.5995084280683176, 0.6407234137852945), Cylinder(0.1292005175, 0.58971676273)
    poses = np.array([
        pose((-0.06944408764, -0.06418958739, -0.00696498717),
             (0.7397428994, 0.0272115273, 0.6718204283, 0.0264062052)),
        pose((0.09423514383, 0.24806081528, 0.07084021753),
             (-0.1103454578, -0.7683641444, 0.3385446831, 0.5318156814)),
    ])  # fmt: skip
    gap, n = both_ways(a, b, poses)
    pairs = Pairs(a, b, poses[None])
    assert gap == pytest.approx(-0.42321, abs=1e-5)
    assert pairs.along(n[None, None])[0, 0] == pytest.approx(gap, abs=1e-14)
    # steps uphill end on a ridge a little below
    found = pairs.largest(np.random.default_rng(0), np.array([[0.0, 0.0, 1.0]]), 3000, 200)[0]
    assert gap - 1e-4 < found < gap + 1e-12
