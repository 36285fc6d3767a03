"""Cuboids, balls and cylinders are each one mesh, stretched; other shapes have their own."""

from __future__ import annotations

import time

import numpy as np
import pytest

from articulata.geometry.shapes import Capsule, Cone, Cuboid, Cylinder, Shape, Sphere
from articulata.report.viewer.batches import mesh_of, stretched
from articulata.report.viewer.motion import Look, Motion
from articulata.report.viewer.server import Viewer

SHAPES: tuple[Shape, ...] = (
    Cuboid(1.0, 2.0, 3.0), Cuboid(0.1, 0.2, 0.3), Sphere(0.5), Sphere(2.0),
    Cylinder(0.2, 3.0), Cylinder(2.0, 0.1), Capsule(0.2, 1.0), Capsule(0.3, 1.0),
)  # fmt: skip


@pytest.mark.parametrize("shape", [*SHAPES, Cone(0.5, 1.0, 0.2)], ids=str)
def test_what_is_drawn_is_the_shape(shape: Shape) -> None:
    drawn, size = stretched(shape)
    vertices, triangles = mesh_of(drawn)
    own, own_triangles = mesh_of(shape)
    np.testing.assert_allclose(vertices * np.array(size), own, atol=1e-6)
    assert np.array_equal(triangles, own_triangles)


def test_bodies_that_differ_in_size_alone_move_together_and_vanish_alone() -> None:
    count = len(SHAPES)
    poses = np.zeros((2, count, 7))
    poses[..., 0], poses[..., 3] = 5.0 * np.arange(count), 1.0
    poses[1, 1] = np.nan
    looks = tuple(Look(f"b{k}", shape, (9, 9, 9)) for k, shape in enumerate(SHAPES))
    with Viewer() as viewer:
        viewer.show_first(Motion("all", looks, np.arange(2.0), poses, (0.0, 1.0, 0.0)), within=20.0)
        stage = viewer._stage
        members = [batch.members.tolist() for batch in stage._batches]
        assert members == [[0, 1], [2, 3], [4, 5], [6], [7]]
        np.testing.assert_allclose(stage._batches[0].boxes[1, 1], (0.05, 0.1, 0.15), rtol=1e-6)
        np.testing.assert_allclose(stage.low, (-0.5, -2.0, -2.0), atol=1e-6)
        viewer._wishes.put("seek", 1.0)
        end = time.monotonic() + 20.0
        while stage._batches[0].handle.batched_scales[1].any() and time.monotonic() < end:
            time.sleep(0.01)
        np.testing.assert_allclose(
            stage._batches[0].handle.batched_scales, [(1.0, 2.0, 3.0), (0.0, 0.0, 0.0)]
        )
        viewer.check()
