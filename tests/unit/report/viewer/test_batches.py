"""Cuboids, balls and cylinders are each one mesh, stretched; other shapes have their own."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import articulata as art
from articulata.geometry.shapes import Capsule, Cone, Cuboid, Cylinder, Mesh, Shape, Sphere
from articulata.kinematics.assembly.assembling import assemble
from articulata.report.springs import PIECES
from articulata.report.viewer.batches import mesh_of, stretched
from articulata.report.viewer.motion_sources import Look, Motion, motion_of
from articulata.report.viewer.server import Viewer
from articulata.report.viewer.serving import serve, stop
from articulata.report.viewer.stage import Stage

SHAPES: tuple[Shape, ...] = (
    Cuboid(1.0, 2.0, 3.0), Cuboid(0.1, 0.2, 0.3), Sphere(0.5), Sphere(2.0),
    Cylinder(0.2, 3.0), Cylinder(2.0, 0.1), Capsule(0.2, 1.0), Capsule(0.3, 1.0),
)  # fmt: skip


HANGING = """
primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics }
world hanging {
  gravity: (0, -9.81, 0)
  components { hook: fixed_point; load: ball }
  structure {
    join load to hook with spring(stiffness: 20 N/m) as coil matching (center, center)
    place hook by hook.center at (0, 2, 0)
    place load by load.center at (0.2, 1.5, 0)
  }
}
simulate hanging { time: (10 ms, 0.2 s); on time 0.1 s: break coil }
"""


@pytest.mark.parametrize("shape", [*SHAPES, Cone(0.5, 1.0, 0.2)], ids=str)
def test_what_is_drawn_is_the_shape(shape: Shape) -> None:
    drawn, size = stretched(shape)
    vertices, triangles = mesh_of(drawn)
    own, own_triangles = mesh_of(shape)
    np.testing.assert_allclose(vertices * np.array(size), own, atol=1e-6)
    assert np.array_equal(triangles, own_triangles)


def sheet(n: int) -> Mesh:
    """Return a square of n times n points with 2 (n - 1)^2 triangles."""
    x, y = np.meshgrid(np.arange(n, dtype=float), np.arange(n, dtype=float))
    at = np.arange(n * n).reshape(n, n)
    a, b, c, d = (each.ravel() for each in (at[:-1, :-1], at[:-1, 1:], at[1:, :-1], at[1:, 1:]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([b, d, c], axis=1)])
    vertices = np.stack([x.ravel(), y.ravel(), np.sin(x * y).ravel()], axis=1)
    for each in (vertices, faces):
        each.setflags(write=False)
    return Mesh(vertices, faces)


def test_a_scan_is_drawn_as_it_is_and_soon() -> None:
    scan = sheet(520)
    spent = time.process_time()
    vertices, triangles = mesh_of(scan)
    assert time.process_time() - spent < 0.5
    assert len(scan.faces) == 2 * 519**2 > 500_000
    assert vertices is scan.vertices
    assert triangles is scan.faces


def test_an_update_of_people_is_one_message_a_batch() -> None:
    text = """
    primitive box { geometry: cuboid(8 cm, 8 cm, 8 cm) }
    world crowd {
      components { p[1..2]: person; b[1..3]: box }
      structure { place p[2] by p[2].base at (1, 1, 0); place b[2] by b[2].center at (0, 2, 0) }
    }
    """
    motion = motion_of(art.parse(text).world())
    poses = motion.poses[0].copy()
    server, _ = serve("127.0.0.1", None)
    buffer = server._websock_server.get_message_buffer()

    def messages_of_an_update() -> int:
        before = buffer.message_counter
        stage.draw(poses, 0)
        return int(buffer.message_counter - before)

    try:
        stage = Stage(server)
        stage.show(motion)
        stage.draw(poses, 0)
        assert messages_of_an_update() == 0  # nothing has moved
        poses[:, 0] += 0.1
        # two people of 18 links each share 14 shapes, three boxes are one more
        assert len(motion.looks) == 39
        assert messages_of_an_update() == len(stage._batches) == 15
        poses[[look.id == "b[2]" for look in motion.looks], 0] += 0.1
        assert messages_of_an_update() == 1
    finally:
        stop(server)


def test_a_spring_reaches_from_body_to_body_and_vanishes_when_it_breaks() -> None:
    recording = art.simulate(art.parse(HANGING).requests[0])
    motion = motion_of(recording)
    frame = {look.id: number for number, look in enumerate(motion.looks)}
    server, _ = serve("127.0.0.1", None)
    try:
        stage = Stage(server)
        stage.show(motion)
        batch = stage._springs._batch
        assert batch is not None
        stage.draw(motion.poses[0], 0)
        # The wire is thin: its pieces' far ends are the two points between which it acts.
        ends = batch.handle.batched_positions[[0, PIECES - 1]]
        points = motion.poses[0, [frame["load"], frame["hook"]], :3]
        half = 0.5 * batch.sizes[0, 2]
        np.testing.assert_allclose(np.linalg.norm(ends - points, axis=1), half, rtol=1e-4)
        assert (batch.handle.batched_scales > 0.0).all()
        stage.draw(motion.poses[-1], len(recording.times) - 1)
        assert not batch.handle.batched_scales.any()
    finally:
        stop(server)


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


ROOM = """
primitive wall(w: length, d: length) { properties: (fixed); geometry: cuboid(w, 2.4 m, d) }
primitive chest { properties: (fixed); geometry: cuboid(60 cm, 60 cm, 60 cm) }
world room {
  components { near: wall(3 m, 10 cm); left: wall(10 cm, 3 m); right: wall(10 cm, 3 m)
               a: chest; b: chest; c: chest; d: chest }
  structure {
    place near by near.center at (0, 1.2 m, 1.5 m)
    place left by left.center at (-1.5 m, 1.2 m, 0)
    place right by right.center at (1.5 m, 1.2 m, 0)
    place a by a.center at (-1 m, 0.3 m, 0)
    place b by b.center at (1 m, 0.3 m, 0)
    place c by c.center at (-1 m, 0.3 m, 1 m)
    place d by d.center at (1 m, 0.3 m, 1 m)
  }
}
"""


def test_the_first_view_of_a_room_is_from_where_it_has_no_wall() -> None:
    """The room is open towards -z; a chest without walls is seen from +z, as ever."""
    walled = motion_of(assemble(art.parse(ROOM).world()))
    kept = [k for k, look in enumerate(walled.looks) if look.id == "a"]
    bare = replace(walled, looks=tuple(walled.looks[k] for k in kept), poses=walled.poses[:, kept])
    server, _ = serve("127.0.0.1", None)
    try:
        stage = Stage(server)
        stage.show(walled)
        eye, target = stage.camera("corner", walled.up, (1.0, 1.0), (0.0, 0.0))
        assert eye[2] < target[2] - 1.0
        assert eye[1] > target[1] + 1.0
        assert stage.camera("front", walled.up, (1.0, 1.0), (0.0, 0.0))[0][2] > 1.5
        stage.show(bare)
        eye, target = stage.camera("corner", bare.up, (1.0, 1.0), (0.0, 0.0))
        away = (eye - target) / (eye - target)[2]
        np.testing.assert_allclose(away, (0.45, 0.35, 1.0))
    finally:
        stop(server)
