"""Definitions of shapes: values, validity, scaling."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.errors import GeometryError
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
    scaled,
)
from articulata.geometry.solids import mass_properties

TETRAHEDRON = Mesh(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)
TILT = make_pose(Rotation.from_axis_angle((1, 2, 3), 0.4), (0.1, 0.2, 0.3))
EVERY: list[Shape] = [
    Cuboid(1, 2, 3), Sphere(1), Cylinder(1, 2), Capsule(1, 2), Cone(1, 2), Cone(1, 2, 0.5),
    Prism(6, 1, 2), ExtrudedPolygon([(0, 0), (1, 0), (0, 1)], 2), HalfSpace(), TETRAHEDRON,
    Placed(Sphere(1), TILT), Named("ball", Sphere(1)), Union([Sphere(1), Cuboid(1, 1, 3)]),
    Difference(Cuboid(2, 2, 2), [Named("hole", Placed(Cylinder(0.3, 5), TILT))]),
    Intersection([Cuboid(2, 2, 2), Sphere(1.2)]),
]  # fmt: skip


@pytest.mark.parametrize("shape", EVERY, ids=lambda s: type(s).__name__)
def test_shapes_are_values(shape: Shape) -> None:
    twin = scaled(shape, 1)
    assert twin == shape
    assert hash(twin) == hash(shape)
    assert {shape: "found"}[twin] == "found"
    if not isinstance(shape, HalfSpace):
        assert scaled(shape, 2) != shape
        assert scaled(scaled(shape, 2), 0.5) == shape
    with pytest.raises((AttributeError, TypeError)):
        shape.anything = 1  # type: ignore[union-attr] # a frozen value has no such field


@pytest.mark.parametrize(
    "shape", [s for s in EVERY if not isinstance(s, HalfSpace)], ids=lambda s: type(s).__name__
)
def test_a_scaled_shape_has_scaled_mass_properties(shape: Shape) -> None:
    factor = 1.7
    small, large = mass_properties(shape, 3.0), mass_properties(scaled(shape, factor), 3.0)
    expected = small.scaled(factor)
    assert large.mass == pytest.approx(small.mass * factor**3, rel=1e-11)
    np.testing.assert_allclose(large.center, factor * small.center, atol=1e-11)
    np.testing.assert_allclose(large.inertia, expected.inertia, atol=1e-11 * expected.inertia.max())


def test_numbers_of_any_kind_become_floats() -> None:
    assert Cuboid(1, np.float32(2), np.int64(3)) == Cuboid(1.0, 2.0, 3.0)
    assert isinstance(Sphere(1).radius, float)
    assert Prism(6.0, 1, 1).sides == 6  # type: ignore[arg-type] # a language has one number type


def test_a_polygon_is_stored_counterclockwise() -> None:
    square = [(0, 0), (0, 1), (1, 1), (1, 0)]
    assert ExtrudedPolygon(square, 1).points == tuple(
        reversed([(float(x), float(y)) for x, y in square])
    )
    closed = ExtrudedPolygon([*square, square[0]], 1)
    assert len(closed.points) == 4


def test_one_tool_may_be_given_without_a_list() -> None:
    assert Difference(Sphere(2), Sphere(1)) == Difference(Sphere(2), [Sphere(1)])


def test_a_mesh_keeps_its_own_read_only_arrays() -> None:
    V = np.array(TETRAHEDRON.vertices)
    mesh = Mesh(V, TETRAHEDRON.faces)
    V[0] = 9
    assert mesh == TETRAHEDRON
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0] = 1


def test_a_placed_shape_gives_its_pose_back() -> None:
    np.testing.assert_array_equal(Placed(Sphere(1), TILT).X_PS, TILT)


@pytest.mark.parametrize("edge", [1e-200, 1e-31, 1e31, 1e200])
def test_measures_beyond_the_range_of_moments_are_refused(edge: float) -> None:
    with pytest.raises(GeometryError, match="give a length from 1e-30 to 1e"):
        Cuboid(1.0, edge, 1.0)


@pytest.mark.parametrize("size", [1e-200, 1e-31, 1e31, 1e200])
def test_polygons_beyond_that_range_are_refused(size: float) -> None:
    with pytest.raises(GeometryError, match="cannot be computed with"):
        ExtrudedPolygon([(0.0, 0.0), (size, 0.0), (0.0, size)], 1.0)


def test_a_mesh_copies_what_can_be_written_to_and_only_that() -> None:
    V, F = np.eye(4, 3), np.array([[0, 1, 2], [0, 2, 3]])
    copied = Mesh(V, F)
    V[0, 0] = 7.0
    assert copied.vertices[0, 0] == 1.0
    hidden = V.view()
    hidden.setflags(write=False)  # V itself can still be written to
    assert not np.shares_memory(Mesh(hidden, F).vertices, V)
    V.setflags(write=False)
    assert Mesh(V, F).vertices is V
