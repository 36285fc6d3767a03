"""The layer behind a hollow wall: distances against dense samples, circles against all angles."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.geometry.convex_pieces.hulls import hulls
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import (
    Cone,
    Cuboid,
    Cylinder,
    Difference,
    Named,
    Placed,
    Shape,
    Sphere,
)
from articulata.kernels.contacts.hollow import extreme, from_layer
from articulata.kernels.contacts.pieces import HOLLOW, PROBE, RIM, stand, standing

R = 0.5


def at(shape: Shape, x: float, y: float, z: float) -> Placed:
    return Placed(shape, make_pose(Rotation.identity(), (x, y, z)))


def block(h: float) -> Placed:
    """Return a block that ends at height y = h over the axis of a cylinder or a ball's centre."""
    return at(Cuboid(2, 1, 1), 0, h - 0.5, 0)


def turned(shape: Shape, angle: float) -> Placed:
    return Placed(shape, make_pose(Rotation.from_axis_angle((1, 0, 0), angle), (0, 0, 0)))


SHAPES = {
    "shallow pipe": Difference(block(-0.2), Cylinder(R, 3)),
    "deep pipe": Difference(at(Cuboid(2, 1.2, 1), 0, -0.3, 0), Cylinder(R, 3)),
    "bowl": Difference(at(Cuboid(2, 1, 2), 0, -0.4, 0), Sphere(R)),
    "bore": Difference(Cuboid(2, 2, 1), Cylinder(R, 3)),
    "blind": Difference(Cuboid(2, 2, 1), at(Cylinder(R, 3), 0, 0, 1.3)),
}


@pytest.mark.parametrize("name", list(SHAPES))
def test_distances_from_a_layer_are_those_of_its_points(name: str) -> None:
    table = piece_table([SHAPES[name], Sphere(0.1)])
    arrays = table.arrays
    (j,) = np.flatnonzero(arrays.kind == HOLLOW)
    now = standing(arrays)
    turn = Rotation.from_axis_angle((1, 2, 3), 0.7)
    stand(arrays, np.array([[0.1, 0.2, 0.3, *turn.to_quaternion()], [0, 0, 0, 1, 0, 0, 0.0]]), now)
    rng = np.random.default_rng(1)
    D = float(arrays.size[j, 1])
    P = rng.uniform(-1, 1, (400_000, 3))
    # points of the layer: as they are in the shape's own axes
    if name == "bowl":
        u = P / np.linalg.norm(P, axis=1)[:, None]
        V = u * (R + D * rng.uniform(0, 1, (len(u), 1)))
        V = V[V[:, 1] <= 0.1]
    else:
        u = P[:, :2] / np.linalg.norm(P[:, :2], axis=1)[:, None]
        rim = u * (R + D * rng.uniform(0, 1, (len(u), 1)))
        low = -0.2 - D if name == "blind" else -0.5
        V = np.c_[rim, rng.uniform(low, 0.5, len(u))]
        V = V[V[:, 1] <= {"shallow pipe": -0.2, "deep pipe": 0.3}.get(name, 9)]
    from scipy.spatial import cKDTree

    tree = cKDTree(V)
    Q = rng.uniform(-0.8, 0.8, (400, 3))
    for q in Q:
        world = turn.to_matrix() @ q + (0.1, 0.2, 0.3)
        d, n, _, _ = from_layer(arrays, now, int(j), tuple(world))
        assert np.linalg.norm(n) == pytest.approx(1, abs=1e-12)
        near = float(tree.query(q)[0])
        if d > 0:
            assert near == pytest.approx(d, abs=0.02)
            assert near >= d - 1e-9
            # along the gradient it grows as fast as one moves
            e, _, _, _ = from_layer(arrays, now, int(j), tuple(world + 1e-7 * np.array(n)))
            assert e - d == pytest.approx(1e-7, rel=1e-5)
        else:
            assert near < 0.02


def test_extremes_of_circles_are_those_of_all_angles() -> None:
    rng = np.random.default_rng(2)
    turns = np.linspace(0, 2 * np.pi, 20001)
    for k in range(200):
        e, f, v = rng.normal(size=(3, 3))
        if k % 4 == 0:
            v = np.zeros(3)
        if k % 4 == 1:  # a circle across the axis
            f = np.cross(e, (0, 0, 1))
            e = np.cross(f, (0, 0, 1))
        square = np.sum((v + np.cos(turns)[:, None] * e + np.sin(turns)[:, None] * f) ** 2, axis=1)
        for sign, best in ((1.0, np.max(square)), (-1.0, np.min(square))):
            c, s = extreme(tuple(e), tuple(f), tuple(v), sign)
            assert c * c + s * s == pytest.approx(1, abs=1e-14)
            assert np.sum((v + c * e + s * f) ** 2) == pytest.approx(best, abs=1e-6)


def test_what_meets_a_hollow_wall() -> None:
    bored = Difference(Named("plate", Cuboid(1, 1, 0.2)), Named("bore", Cylinder(0.2, 1)))
    pin, ball, box = Cylinder(0.19, 0.1), Sphere(0.1), Cuboid(0.1, 0.1, 0.1)
    table = piece_table([bored, pin, ball, box])
    kind, body = table.arrays.kind, table.arrays.body
    assert [int(np.sum(kind[body == b] == PROBE)) for b in range(4)] == [0, 2, 1, 8]
    assert int(np.sum(kind == HOLLOW)) == 1
    assert int(np.sum(kind == RIM)) == 2
    (wall,) = np.flatnonzero(kind == HOLLOW)
    assert table.name(int(wall), 1, 0) == "bore.wall"
    assert {table.name(int(wall), 0, k) for k in (1, 2)} == {
        "plate.front/bore.wall",
        "plate.back/bore.wall",
    }
    # without a hollow wall there are no probes
    assert np.all(piece_table([pin, ball, box]).arrays.kind <= 1)


@pytest.mark.parametrize(
    "shape",
    [
        # an oblique bore, two that cross, a thin shell, a cone: facets as before
        Difference(Cuboid(1, 1, 1), turned(Cylinder(0.2, 3), 0.4)),
        Difference(Cuboid(1, 1, 1), (Cylinder(0.2, 2), turned(Cylinder(0.1, 2), np.pi / 2))),
        Difference(Cylinder(0.1001, 1), Cylinder(0.1, 2)),
        Difference(Cuboid(1, 1, 1), Cone(0.3, 2, 0.1)),
    ],
)
def test_walls_that_end_otherwise_stay_facets(shape: Shape) -> None:
    made = hulls(shape)
    assert made is None or all(hull.kind < HOLLOW for hull in made)
