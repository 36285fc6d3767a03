"""Marks show where joints are: a pin through both bodies, a guide along a slide, a ball."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_rotate
from articulata.geometry.shapes import Cylinder, Sphere
from articulata.report.bones import JointMark, drawn_bodies, joint_marks
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.stage import poses_of

SLIDER_CRANK = Path(str(files("articulata.world.library") / "gallery" / "slider_crank.art"))

HANGING = """
primitive rod {
  properties: (density: 1000)
  geometry: cuboid(4 cm, 50 cm, 4 cm) where { top: (0, 25 cm, 0); bottom: (0, -25 cm, 0) }
  dynamics
}
world w {
  gravity: (0, -9.81, 0)
  components { a: fixed_point; one, two, three: rod; anna: person; floor: ground }
  structure {
    join one to a with pin(axis: z) as hook matching (top, center)
    join two to one with ball as socket matching (top, bottom)
    join three to two with weld matching (top, bottom)
    place a by a.center at (0, 3, 0)
    place anna by anna.l_heel at (2, 0, 0)
  }
}
simulate w { time: (10 ms, 0.1 s); on time 50 ms: break socket }
"""


def placed(world: art.World) -> dict[str, tuple[JointMark, Array, Array]]:
    """Return marks by their hinges and shapes, with their middles and axes in W."""
    found = {}
    for mark in joint_marks(world, drawn_bodies(world)):
        pose = world.bodies[mark.body].pose
        X_WB = np.array([[*pose.position, *pose.orientation]])
        X_BM = np.array([[*mark.X_BM.position, *mark.X_BM.orientation]])
        (X_WM,) = poses_of(X_WB, X_BM)
        axis = q_rotate(X_WM[3:], np.array([0.0, 0.0, 1.0]))
        found[mark.hinge] = mark, X_WM[:3], axis
    return found


def test_pins_go_through_both_bodies_and_a_guide_lies_along_the_slide() -> None:
    world = art.assemble(art.read(SLIDER_CRANK).world("running"))
    found = placed(world)
    assert sorted(found) == ["e.big_end", "e.bore", "e.main", "e.small_end"]
    # a crank of 10 cm and a rod of 30 cm in line, at angle 0; the piston is 6 cm thick
    for name, x, thick in (
        ("e.main", 0, 0.02),
        ("e.big_end", 0.1, 0.02),
        ("e.small_end", 0.4, 0.06),
    ):
        mark, middle, axis = found[name]
        assert middle == pytest.approx([x, 0.0, 0.0], abs=1e-9)
        assert np.abs(axis) == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
        assert isinstance(mark.shape, Cylinder)
        assert thick < mark.shape.length < thick + 0.02
        assert 0.002 < mark.shape.radius < 0.01
    mark, middle, axis = found["e.bore"]
    assert isinstance(mark.shape, Cylinder)
    assert np.abs(axis) == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
    ends = middle[0] + np.array([-0.5, 0.5]) * mark.shape.length
    assert ends[0] < 0.0 < 0.44 < ends[1]


def test_a_wheel_turns_on_an_axle_of_its_thickness() -> None:
    gallery = SLIDER_CRANK.parent
    for name, hinge, thick in (("geneva", "axle", 0.01), ("toggle", "bite", 0.008)):
        document = art.read(gallery / f"{name}.art")
        mark, _, _ = placed(art.assemble(document.world(document.requests[0])))[hinge]
        assert isinstance(mark.shape, Cylinder)
        assert 0.1 * thick < mark.shape.radius < 0.5 * thick
        assert mark.shape.length > thick
    top = art.read(gallery / "heavy_top.art")
    ((ball, _, _),) = placed(art.assemble(top.world(top.requests[0]))).values()
    assert isinstance(ball.shape, Sphere)
    assert ball.shape.radius < 0.1  # its cone of 50 cm begins 25 cm away


def test_welds_and_limbs_have_no_mark_and_a_broken_joint_loses_its_own() -> None:
    document = art.parse(HANGING)
    world = art.assemble(document.world("w"))
    found = placed(world)
    assert sorted(found) == ["hook", "socket"]
    assert isinstance(found["socket"][0].shape, Sphere)
    assert found["socket"][1] == pytest.approx([0.0, 2.5, 0.0], abs=1e-9)
    still = motion_of(world)
    assert all(each.stands(0) for each in still.marks)
    run = motion_of(art.simulate(document.requests[0]))
    stands = {each.mark.hinge: each for each in run.marks}
    before, after = run.frame_at(0.03), run.frame_at(0.09)
    assert (stands["socket"].stands(before), stands["socket"].stands(after)) == (True, False)
    assert stands["hook"].stands(before)
    assert stands["hook"].stands(after)
