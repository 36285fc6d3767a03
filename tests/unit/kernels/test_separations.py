"""Separations of convex pieces against GJK, coal, exact numbers and placements that are known."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import coal
import numpy as np
import pytest

from articulata.geometry.arrays import Array
from articulata.geometry.convex import gap_between, pieces_of
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.geometry.parts import parts_of
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    HalfSpace,
    Placed,
    Prism,
    Shape,
    Sphere,
)
from placing import all_separations, matrix, random_poses, random_turns, rows, separation_of

SHAPES: dict[str, Shape] = {
    "cuboid": Cuboid(1, 0.6, 0.8),
    "ball": Sphere(0.5),
    "capsule": Capsule(0.3, 0.7),
    "cylinder": Cylinder(0.4, 0.9),
    "frustum": Cone(0.5, 1, 0.2),
    "cone": Cone(0.5, 1),
    "prism": Prism(5, 0.5, 0.8),
}
COAL = {
    "cuboid": coal.Box(1, 0.6, 0.8),
    "ball": coal.Sphere(0.5),
    "capsule": coal.Capsule(0.3, 0.7),
    "cylinder": coal.Cylinder(0.4, 0.9),
    "cone": coal.Cone(0.5, 1),
}


def test_separations_are_distances() -> None:
    rng = np.random.default_rng(1)
    names = list(SHAPES)
    table = piece_table([*SHAPES.values(), *SHAPES.values()])
    n = len(names)
    pairs = np.array(list(product(range(n), range(n, 2 * n))))
    apart = 0
    for _ in range(12):
        poses = random_poses(rng, 2 * n, 0.6)
        poses[:n, :3] = 0
        found = all_separations(table, poses, pairs)[:, 0]
        for (i, j), gap in zip(pairs, found, strict=True):
            a, b = names[i], names[j - n]
            one, other = Placed(SHAPES[a], matrix(poses[i])), Placed(SHAPES[b], matrix(poses[j]))
            (p,), (q,) = pieces_of(parts_of(one)[0]), pieces_of(parts_of(other)[0])
            true = gap_between(p, q).distance
            if true < 1e-9:
                assert gap < 1e-12
                continue
            apart += 1
            assert gap == pytest.approx(true, abs=5e-12), (a, b)
    assert apart > 200


def test_overlaps_are_as_deep_as_coal_says() -> None:
    rng = np.random.default_rng(2)
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    compared = 0
    for a, b in product(COAL, COAL):
        for _ in range(20):
            poses = random_poses(rng, 2, 0.5)
            T = [coal.Transform3s(matrix(r)[:3, :3], r[:3]) for r in poses]
            result.clear()
            depth = coal.distance(COAL[a], T[0], COAL[b], T[1], request, result)
            if not -0.1 < depth < 0:
                continue
            compared += 1
            gap, _ = separation_of(SHAPES[a], SHAPES[b], poses)
            # GJK and EPA of round shapes stop at 1e-6
            assert gap == pytest.approx(depth, abs=3e-6), (a, b)
    assert compared > 40


def whole_rotation(rng: np.random.Generator) -> list[list[Fraction]]:
    """Return a rotation matrix of fractions, from a quaternion of whole numbers."""
    w, x, y, z = (Fraction(int(k)) for k in rng.integers(-9, 10, 4))
    n = w * w + x * x + y * y + z * z
    if n == 0:
        return whole_rotation(rng)
    return [
        [1 - 2 * (y * y + z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n],
        [2 * (x * y + w * z) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - w * x) / n],
        [2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, 1 - 2 * (x * x + y * y) / n],
    ]


def exact_separation(half: list[list[Fraction]], R: list, p: list) -> Decimal:
    """Return the largest separation of two boxes over all 15 axes, to 50 digits."""

    def column(A: list, k: int) -> list[Fraction]:
        return [row[k] for row in A]

    def reach(A: list, h: list[Fraction], n: list[Fraction]) -> Fraction:
        return sum(
            (h[k] * abs(sum(n[i] * A[i][k] for i in range(3))) for k in range(3)), Fraction(0)
        )

    axes = [column(A, k) for A in R for k in range(3)]
    for a, b in product(axes[:3], axes[3:]):
        axes.append(
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        )
    best = None
    with localcontext() as context:
        context.prec = 50
        for n in axes:
            square = sum(x * x for x in n)
            if square == 0:
                continue
            d = abs(sum(x * (u - v) for x, u, v in zip(n, *p, strict=True)))
            width = d - reach(R[0], half[0], n) - reach(R[1], half[1], n)
            length = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
            value = Decimal(width.numerator) / Decimal(width.denominator) / length
            best = value if best is None or value > best else best
    assert best is not None
    return best


def test_separations_of_boxes_against_exact_numbers() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        R = [whole_rotation(rng), whole_rotation(rng)]
        half = [[Fraction(int(k), 8) for k in rng.integers(2, 9, 3)] for _ in range(2)]
        p = [[Fraction(int(k), 16) for k in rng.integers(-24, 25, 3)] for _ in range(2)]
        shapes = [Cuboid(*(2 * float(x) for x in h)) for h in half]
        poses = []
        for A, at in zip(R, p, strict=True):
            X = np.eye(4)
            X[:3, :3] = np.array(A, dtype=float)
            X[:3, 3] = [float(x) for x in at]
            poses.append(X)
        gap, _ = separation_of(shapes[0], shapes[1], rows(*poses))
        exact = float(exact_separation(half, R, p))
        if exact < 0:
            assert gap == pytest.approx(exact, abs=3e-15)
        else:
            # corners may be nearest, along none of the 15 axes
            assert gap > exact - 3e-15


def placed_on(way: str, rng: np.random.Generator) -> tuple[Cuboid, Cuboid, Array, Array]:
    """Return two boxes that touch, their poses, and the normal from the first to the second.

    In W before both are turned at random, the normal is z and the touch at the origin.
    """
    sizes = rng.uniform(0.5, 2, (2, 3))
    low, high = -0.5 * sizes[1], 0.5 * sizes[0]
    z = np.array([0.0, 0.0, 1.0])
    X, Y = np.eye(4), np.eye(4)
    if way == "corner on face":
        c = 0.8 * high * rng.uniform(-1, 1, 3)
        X[:3, 3] = -np.array([c[0], c[1], high[2]])
        R = random_turns(rng, 1)[0]
        # the corner of the second that is lowest
        corner = np.where(R[2] > 0, low, -low)
        Y[:3, :3], Y[:3, 3] = R, -R @ corner
    elif way == "face on face":
        X[2, 3] = -high[2]
        yaw = rng.uniform(0, 2 * np.pi)
        c, s = np.cos(yaw), np.sin(yaw)
        Y[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        Y[:3, 3] = [*(0.1 * rng.uniform(-1, 1, 2)), -low[2]]
    else:
        # an edge of the first along x, one of the second along y, both tilted at random
        tilt = rng.uniform(0.2, 1.3, 2)
        c, s = np.cos(tilt[0]), np.sin(tilt[0])
        X[:3, :3] = [[1, 0, 0], [0, c, -s], [0, s, c]]
        edge = np.array([0.5 * sizes[0, 0] * rng.uniform(-1, 1), high[1], high[2]])
        X[:3, 3] = -X[:3, :3] @ edge
        c, s = np.cos(tilt[1]), np.sin(tilt[1])
        Y[:3, :3] = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
        # the edge where +x and -z of the second meet points down
        edge = np.array([-low[0], 0.5 * sizes[1, 1] * rng.uniform(-1, 1), low[2]])
        Y[:3, 3] = -Y[:3, :3] @ edge
        yaw = rng.uniform(-0.6, 0.6)
        c, s = np.cos(yaw), np.sin(yaw)
        Z = np.eye(4)
        Z[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        Y = Z @ Y
    W = np.eye(4)
    W[:3, :3], W[:3, 3] = random_turns(rng, 1)[0], rng.normal(size=3)
    return Cuboid(*sizes[0]), Cuboid(*sizes[1]), rows(W @ X, W @ Y), W[:3, :3] @ z


@pytest.mark.parametrize("way", ["corner on face", "face on face", "edge on edge"])
def test_normals_of_boxes_in_touch(way: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        a, b, poses, normal = placed_on(way, rng)
        gap, n = separation_of(b, a, poses[::-1])
        assert abs(gap) < 8e-15
        np.testing.assert_allclose(n, normal, atol=1e-14 if way != "edge on edge" else 1e-13)


@pytest.mark.parametrize("name", SHAPES)
def test_height_over_the_ground(name: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        poses = random_poses(rng, 2, 1.0)
        gap, n = separation_of(SHAPES[name], HalfSpace(), poses)
        X = matrix(poses[1])
        np.testing.assert_allclose(n, X[:3, 1], atol=1e-15)
        (piece,) = pieces_of(parts_of(Placed(SHAPES[name], matrix(poses[0])))[0])
        low = float(n @ (piece.support(-n) - X[:3, 3])) - piece.margin
        assert gap == pytest.approx(low, abs=1e-14)
        back, m = separation_of(HalfSpace(), SHAPES[name], poses[::-1])
        assert back == gap
        np.testing.assert_array_equal(m, -n)
