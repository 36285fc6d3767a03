"""Overlaps and distances of all pairs of convex shapes, against support functions and coal."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import coal
import numpy as np
import pytest

from articulata.geometry.arrays import Array
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    ExtrudedPolygon,
    HalfSpace,
    Prism,
    Shape,
    Sphere,
)
from articulata.kernels.contacts.patches import separations
from articulata.kernels.contacts.pieces import stand, standing
from shares import shares
from supports import Pairs, reach

Length = Callable[[float, float], float]


def extrusion(u: Length) -> Shape:
    return ExtrudedPolygon(
        [(-0.3, -0.2), (0.4, -0.25), (0.35, u(0.1, 0.3)), (-0.2, u(0.1, 0.3))], u(0.1, 1)
    )


MAKERS: dict[str, Callable[[Length], Shape]] = {
    "cuboid": lambda u: Cuboid(u(0.1, 1), u(0.1, 1), u(0.1, 1)),
    "ball": lambda u: Sphere(u(0.1, 0.6)),
    "capsule": lambda u: Capsule(u(0.05, 0.4), u(0.1, 1.2)),
    "cylinder": lambda u: Cylinder(u(0.1, 0.6), u(0.1, 1.2)),
    "cone": lambda u: Cone(u(0.1, 0.6), u(0.1, 1.2)),
    "frustum": lambda u: Cone(u(0.3, 0.6), u(0.1, 1.2), 0.3 * u(0.1, 0.6)),
    "prism": lambda u: Prism(3 + int(20 * u(0.1, 0.35)) % 5, u(0.2, 0.6), u(0.1, 1)),
    "extrusion": extrusion,
}
PAIRS = list(itertools.combinations_with_replacement(MAKERS, 2))
SIZES = (0.2, 0.4, 0.5, 1.0)
PLACES = (0.0, 0.0, 0.0, 0.1, 0.2, 0.25, 0.5, -0.1, -0.25, -0.5)
RIGHT = [
    Rotation.from_matrix(M).to_quaternion()
    for p in itertools.permutations(range(3))
    for s in itertools.product((1.0, -1.0), repeat=3)
    if np.linalg.det(M := np.diag(s)[list(p)]) > 0
]


def random_pairs(rng: np.random.Generator, count: int) -> Array:
    """Return pairs of poses (count, 2, 7), from one centre to apart."""
    q = rng.normal(size=(count, 2, 4))
    spread = rng.choice([0.02, 0.1, 0.25, 0.5, 0.9], size=(count, 1, 1))
    places = spread * rng.normal(size=(count, 2, 3))
    return np.concatenate([places, q / np.linalg.norm(q, axis=-1, keepdims=True)], axis=-1)


def aligned_pairs(rng: np.random.Generator, count: int) -> Array:
    """Return pairs along common axes: as they are, hardly off, and all turned at random."""
    q = np.array(RIGHT)[rng.integers(0, len(RIGHT), (count, 2))]
    p = rng.choice(PLACES, size=(count, 2, 3))
    off = 10.0 ** rng.uniform(-16, -3, size=(count, 1, 1))
    off[rng.random(count) > 0.3] = 0.0
    q, p = q + off * rng.normal(size=q.shape), p + off * rng.normal(size=p.shape)
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    for k in np.nonzero(rng.random(count) < 0.3)[0]:
        R = Rotation.from_quaternion((b := rng.normal(size=4)) / np.linalg.norm(b))
        p[k] = p[k] @ R.to_matrix().T
        q[k] = [(R @ Rotation.from_quaternion(each)).to_quaternion() for each in q[k]]
    return np.concatenate([p, q], axis=-1)


def separations_at(a: Shape, b: Shape, poses: Array) -> Array:
    """Return separations and normals (m, 4) of two shapes at pairs of poses."""
    table, pair = piece_table([a, b]), np.array([[0, 1]])
    now, out = standing(table.arrays), np.zeros((len(poses), 4))
    for k, pose in enumerate(poses):
        stand(table.arrays, np.ascontiguousarray(pose), now)
        separations(table.arrays, now, pair, out[k : k + 1])
    return out


def check(a: Shape, b: Shape, poses: Array, rng: np.random.Generator, steps: int) -> int:
    """Check one pair of shapes; return how many of the poses overlap."""
    found, pairs = separations_at(a, b, poses), Pairs(a, b, poses)
    gaps, normals = found[:, 0], found[:, 1:]
    assert np.all(np.isfinite(found))
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-14)
    # the normal is one along which the pieces are as far apart, and along none are they farther
    np.testing.assert_allclose(pairs.along(normals[:, None])[:, 0], gaps, atol=1e-14)
    assert np.max(pairs.largest(rng, normals, 300, steps) - gaps) < 1e-8
    turned = separations_at(b, a, poses[:, ::-1])
    np.testing.assert_array_equal(turned[:, 0], gaps)
    told = 3 if isinstance(a, Sphere) else 7  # how a ball is turned does not tell it from another
    same = np.all(poses[:, 0, :told] == poses[:, 1, :told], axis=1) & (a == b)
    np.testing.assert_array_equal(turned[~same, 1:], -normals[~same])
    moved, way = poses.copy(), 1e-4 * rng.normal(size=(len(poses), 3))
    moved[:, 0, :3] += way
    change = separations_at(a, b, moved)[:, 0] - gaps
    assert np.all(np.abs(change) < np.linalg.norm(way, axis=1) + 1e-10)
    compare_to_coal(a, b, poses, gaps)
    return int(np.sum(gaps < 0))


def in_coal(shape: Shape) -> object | None:
    """Return a shape of coal, or None where it has none of that kind."""
    match shape:
        case Cuboid(x, y, z):
            return coal.Box(x, y, z)
        case Sphere(radius):
            return coal.Sphere(radius)
        case Capsule(radius, length):
            return coal.Capsule(radius, length)
        case Cylinder(radius, length):
            return coal.Cylinder(radius, length)
        case Cone(radius, length, top) if top == 0.0:
            return coal.Cone(radius, length)
        case _:
            return None


def compare_to_coal(a: Shape, b: Shape, poses: Array, gaps: Array) -> None:
    """Compare distances, and depths where both have flat faces: coal is not sure of others."""
    one, two = in_coal(a), in_coal(b)
    if one is None or two is None:
        return
    flat = isinstance(a, Cuboid) and isinstance(b, Cuboid)
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance = 1e-9  # by itself it stops within 1e-6 of the distance
    request.gjk_max_iterations = 1000
    for pose, gap in zip(poses, gaps, strict=True):
        if gap < 1e-3 and not (flat and gap < -1e-3):
            continue
        X = [coal.Transform3s(Rotation.from_quaternion(p[3:]).to_matrix(), p[:3]) for p in pose]
        result.clear()
        assert coal.distance(one, X[0], two, X[1], request, result) == pytest.approx(gap, abs=3e-6)


def sweep(kinds: tuple[str, str], rounds: int, count: int, special: int, steps: int) -> int:
    """Check shapes of two kinds; return how many poses overlap."""
    rng = np.random.default_rng([MAKERS.__len__(), *(list(MAKERS).index(kind) for kind in kinds)])

    def any_length(low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    def round_length(low: float, high: float) -> float:
        return float(rng.choice(SIZES))

    overlaps = 0
    for _ in range(rounds):
        a, b = (MAKERS[kind](any_length) for kind in kinds)
        overlaps += check(a, b, random_pairs(rng, count), rng, steps)
        a, b = (MAKERS[kind](round_length) for kind in kinds)
        overlaps += check(a, b, aligned_pairs(rng, special), rng, steps)
    return overlaps


def test_overlaps_and_distances_of_all_pairs_of_shapes() -> None:
    for kinds in PAIRS:
        assert sweep(kinds, 2, 20, 5, 40) > 12


@pytest.mark.parametrize("rounds", shares([15, 100], slow=1))
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_thousands_of_overlaps_and_distances(kinds: tuple[str, str], rounds: int) -> None:
    assert sweep(kinds, rounds, 200, 20, 50) > 50 * rounds


def test_the_least_depth_of_a_ball_whose_middle_is_on_a_capsules_axis() -> None:
    # what rounding left of the way between them lay along the axis: 0.75 m deep instead of 0.6
    half = math.sqrt(0.5)
    poses = np.array([[[0, 0.25, 0, half, 0, -half, 0], [0, 0.2, 0, 0.5, -0.5, -0.5, -0.5]]])
    ((gap, *n),) = separations_at(Sphere(0.2), Capsule(0.4, 0.4), poses)
    assert gap == pytest.approx(-0.6, abs=1e-15)
    assert abs(n[1]) < 1e-15


def test_heights_over_the_ground_at_all_poses() -> None:
    rng = np.random.default_rng(6)
    for make in MAKERS.values():
        shape = make(lambda low, high: 0.5 * (low + high))
        for poses in (random_pairs(rng, 50), aligned_pairs(rng, 50)):
            gaps, normals = np.split(separations_at(shape, HalfSpace(), poses), [1], axis=1)
            R = Rotation.from_quaternion(poses[:, 0, 3:]).to_matrix()
            n = Rotation.from_quaternion(poses[:, 1, 3:]).to_matrix()[:, :, 1]
            low = np.einsum("mi,mi->m", n, poses[:, 0, :3] - poses[:, 1, :3])
            low -= reach(shape, np.einsum("mi,mij->mj", -n, R))
            np.testing.assert_allclose(gaps[:, 0], low, atol=1e-14)
            np.testing.assert_allclose(normals, n, atol=1e-15)
