"""Named features: where they are, that they survive operations, and which one is at a point."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from articulata.errors import GeometryError
from articulata.geometry.constructed import tessellate
from articulata.geometry.named_features import Feature, feature, features
from articulata.geometry.nearest import feature_at
from articulata.geometry.poses import make_pose, transform_points
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
from articulata.geometry.solids import mass_properties

PRIMITIVES: list[Shape] = [
    Cuboid(1, 2, 3), Sphere(1), Cylinder(1, 2), Capsule(1, 2), Cone(1, 2), Cone(1, 2, 0.5),
    Cone(1, 2, 1), Prism(5, 1, 2),
    ExtrudedPolygon([(0, 0), (2, 0), (2, 2), (1, 1), (0, 2)], 2),
]  # fmt: skip
TILT = make_pose(Rotation.from_axis_angle((1, 2, 3), 0.7), (0.1, -0.2, 0.3))
DRILLED = Difference(
    Named("block", Cuboid(1, 3, 1)),
    Named("pinhole", Placed(Cylinder(0.15, 1.2), make_pose(None, (0, 1, 0)))),
)


def test_a_cuboid_names_six_faces_twelve_edges_and_eight_corners_by_its_axes() -> None:
    known = features(Cuboid(1, 2, 3))
    for name, axis in (
        ("right", (1, 0, 0)), ("left", (-1, 0, 0)), ("top", (0, 1, 0)),
        ("bottom", (0, -1, 0)), ("front", (0, 0, 1)), ("back", (0, 0, -1)),
    ):  # fmt: skip
        face = known[name]
        assert (face.kind, face.form) == ("face", "plane")
        np.testing.assert_array_equal(face.direction, axis)
        np.testing.assert_array_equal(face.position, 0.5 * np.array(axis) * [1, 2, 3])
    kinds = Counter(f.kind for f in known.values())
    assert kinds == {"face": 6, "edge": 12, "point": 9, "frame": 1}
    np.testing.assert_array_equal(known["top_right_front"].position, [0.5, 1, 1.5])
    np.testing.assert_array_equal(known["bottom_back"].position, [0, -1, -1.5])
    assert known["bottom_back"].length == 1
    assert known["left_front"].length == 2
    np.testing.assert_array_equal(np.abs(known["left_front"].direction), [0, 1, 0])


@pytest.mark.parametrize("shape", PRIMITIVES, ids=repr)
def test_faces_have_outlines_on_their_planes_and_right_handed_frames(shape: Shape) -> None:
    known = features(shape)
    for one in known.values():
        R = one.X_SF[:3, :3]
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
        assert np.linalg.det(R) > 0
        if one.boundary is None:
            continue
        local = (one.boundary - one.position) @ R
        if one.kind == "face":
            np.testing.assert_allclose(local[:, 2], 0, atol=1e-15)
            ring = np.roll(local, -1, axis=0)
            area = 0.5 * np.sum(local[:, 0] * ring[:, 1] - local[:, 1] * ring[:, 0])
            assert area > 0, "an outline runs counterclockwise as seen from outside"
        else:
            np.testing.assert_allclose(local[:, :2], 0, atol=1e-15)
            np.testing.assert_allclose(local[:, 2], [-one.length / 2, one.length / 2], atol=1e-15)
    np.testing.assert_array_equal(known["center"].position, mass_properties(shape, 1.0).center)


@pytest.mark.parametrize("shape", PRIMITIVES, ids=repr)
def test_triangles_lie_on_the_face_they_name_and_look_outward(shape: Shape) -> None:
    mesh = tessellate(Placed(shape, TILT), 64)
    known = features(Placed(shape, TILT))
    assert set(mesh.face_names) == {n for n, f in known.items() if f.kind == "face"}
    for name in set(mesh.face_names):
        face = known[name]
        corners = mesh.vertices[mesh.triangles_of(name)]
        x, y, z = np.moveaxis((corners - face.position) @ face.X_SF[:3, :3], -1, 0)
        off = {
            "plane": z,
            "sphere": np.sqrt(x * x + y * y + z * z) - face.radius,
        }.get(face.form, np.hypot(x, y) - face.radius - face.slope * z)
        np.testing.assert_allclose(off, 0, atol=1e-14)
        out = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        middle = corners.mean(axis=1) - face.position
        away = {
            "plane": np.broadcast_to(face.direction, middle.shape),
            "sphere": middle,
        }.get(face.form, middle - (middle @ face.direction)[:, None] * face.direction)
        assert np.all(np.einsum("ij,ij->i", out, away) > 0)
    volume = mass_properties(shape, 1.0).volume
    a, b, c = (mesh.vertices[mesh.triangles[:, i]] for i in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(volume, rel=5e-3)


def test_names_survive_a_cut() -> None:
    mesh = tessellate(Placed(DRILLED, TILT))
    assert set(mesh.face_names) == {
        "block.top", "block.bottom", "block.left", "block.right", "block.front", "block.back",
        "pinhole.wall",
    }  # fmt: skip
    wall = transform_points(np.linalg.inv(TILT), mesh.vertices[mesh.triangles_of("pinhole.wall")])
    np.testing.assert_allclose(np.hypot(wall[..., 0], wall[..., 1] - 1), 0.15, atol=1e-12)
    assert mesh.triangles_of("nothing").shape == (0, 3)


def test_features_of_a_tool_look_into_it() -> None:
    pocket = Difference(Named("block", Cuboid(2, 2, 2)), Named("pocket", Cuboid(1, 1, 1)))
    top = feature(pocket, "pocket.top")
    np.testing.assert_array_equal(top.direction, [0, -1, 0])
    assert top.inward
    assert not feature(pocket, "block.top").inward
    wall = feature(DRILLED, "pinhole.wall")
    assert wall.inward
    assert wall.radius == 0.15
    np.testing.assert_array_equal(feature(DRILLED, "pinhole.axis").position, [0, 1, 0])
    island = Difference(
        Cuboid(3, 3, 3), Difference(Cuboid(2, 2, 2), Named("core", Cuboid(1, 1, 1)))
    )
    assert not feature(island, "core.top").inward


def test_parts_without_a_name_are_counted() -> None:
    both = Union([Cuboid(1, 1, 1), Named("ball", Sphere(1)), Difference(Sphere(2), Sphere(1))])
    faces = {n for n, f in features(both).items() if f.kind == "face"}
    assert {"part1.top", "ball.surface", "part3.surface", "part4.surface"} <= faces
    nested = Named("arm", Union([Sphere(1), Named("tip", Sphere(2))]))
    assert {"arm.part1.surface", "arm.tip.surface", "center"} <= set(features(nested))


def test_the_center_of_a_constructed_solid_is_its_own() -> None:
    np.testing.assert_allclose(
        feature(DRILLED, "center").position, mass_properties(DRILLED, 1.0).center
    )
    np.testing.assert_array_equal(feature(DRILLED, "block.center").position, 0)
    assert "center" not in features(HalfSpace())


def test_shared_features_cannot_be_written() -> None:
    top = feature(Cuboid(1, 2, 3), "top")
    assert isinstance(top, Feature)
    with pytest.raises(ValueError, match="read-only"):
        top.X_SF[0, 0] = 2
    with pytest.raises(TypeError):
        features(Cuboid(1, 2, 3))["mine"] = top  # type: ignore[index] # a read-only mapping


@pytest.mark.parametrize(
    ("shape", "p", "name", "distance"),
    [
        (Cuboid(1, 2, 3), (0.1, 1.3, 0.2), "top", 0.3),
        (Cuboid(1, 2, 3), (0.1, 0.9, 0.2), "top", -0.1),
        (Cuboid(1, 2, 3), (0.8, 1.4, 0.2), "top_right", 0.5),
        (Cuboid(1, 2, 3), (0.5, 1.0, 1.5), "top_right_front", 0.0),
        (Sphere(1), (0, 3, 4), "surface", 4.0),
        (Sphere(1), (0.1, 0.2, 0.2), "surface", -0.7),
        (Cylinder(1, 2), (3, 4, 0.3), "wall", 4.0),
        (Cylinder(1, 2), (0.1, 0.2, 1.7), "front", 0.7),
        (Cylinder(1, 2), (3, 4, 4), "front_rim", 5.0),
        (Capsule(1, 2), (0, 0.6, 3.8), "front", np.hypot(0.6, 2.8) - 1),
        (Capsule(1, 2), (1.2, 0, 0.1), "wall", 0.2),
        (Cone(1, 2), (0, 0, 1.5), "apex", 0.5),
        (Cone(1, 2), (0, 2, 0), "wall", 1.5 * 2 / np.sqrt(5)),
        (Prism(6, 1, 2), (0, 2, 0.1), "side2", 2 - np.sqrt(3) / 2),
        (Prism(6, 1, 2), (1, 0, 0.2), "side6_side1", 0.0),
        (DRILLED, (0, 1, 0.1), "pinhole.wall", 0.15),
        (DRILLED, (0.1, 1.49, 0), "block.top", -0.01),
        (HalfSpace(), (3, 0.5, 1), "top", 0.5),
        (Named("floor", HalfSpace()), (3, -0.5, 1), "floor.top", -0.5),
    ],
)
def test_the_feature_at_a_point(
    shape: Shape, p: tuple[float, float, float], name: str, distance: float
) -> None:
    hit = feature_at(shape, p)
    assert hit.name == name
    assert hit.distance == pytest.approx(distance, abs=1e-9)
    assert np.linalg.norm(hit.point - p) == pytest.approx(abs(distance), abs=1e-9)
    moved = feature_at(Placed(shape, TILT), transform_points(TILT, p))
    assert moved.name == name
    assert moved.distance == pytest.approx(distance, abs=1e-9)


def test_an_edge_between_two_parts_gives_both_faces() -> None:
    rim = feature_at(DRILLED, (0, 1.15, 0.5))
    assert set(rim.faces) == {"block.front", "pinhole.wall"}
    assert rim.name in rim.faces


def test_a_point_must_be_one() -> None:
    with pytest.raises(GeometryError, match="three finite numbers"):
        feature_at(Sphere(1), (0, 0))
    with pytest.raises(GeometryError, match="three finite numbers"):
        feature_at(Sphere(1), (0, 0, np.nan))


def test_a_mesh_has_one_face_and_a_center() -> None:
    V = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    mesh = Mesh(V, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    assert set(features(mesh)) == {"origin", "center", "surface"}
    np.testing.assert_allclose(features(mesh)["center"].position, 0.25, atol=1e-15)
    half = Intersection([Named("shell", mesh), Named("ball", Sphere(0.6))])
    assert set(tessellate(half).face_names) == {"shell.surface", "ball.surface"}
    assert feature_at(mesh, (0.2, 0.2, -0.1)).name == "surface"
