"""Humanoid, Joint and Segment nodes become figures with masses and limits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.geometry.shapes import Placed, Sphere

PROTOS = """#VRML V2.0 utf8
PROTO Joint [ exposedField SFVec3f center 0 0 0 exposedField MFNode children []
  exposedField MFFloat llimit [] exposedField MFFloat ulimit []
  exposedField SFString name "" exposedField SFRotation rotation 0 0 1 0
  exposedField SFVec3f translation 0 0 0 exposedField SFString jointType ""
  exposedField SFVec3f jointAxis 0 0 1 exposedField MFFloat uvlimit [] ]
{ Transform { center IS center children IS children rotation IS rotation
    translation IS translation } }
PROTO Segment [ exposedField SFVec3f centerOfMass 0 0 0 exposedField MFNode children []
  exposedField SFFloat mass 0 exposedField MFFloat momentsOfInertia [0 0 0 0 0 0 0 0 0] ]
{ Group { children IS children } }
PROTO Humanoid [ exposedField MFNode humanoidBody [] exposedField SFString name "" ]
{ Transform { children IS humanoidBody } }
"""
ROBOT = """DEF SAMPLE Humanoid { name "sample" humanoidBody [
  DEF WAIST Joint { jointType "free" translation 0 0 0.7 children [
    DEF BASE Segment { mass 10 centerOfMass 0 0 0.1 momentsOfInertia [ .1 0 0 0 .1 0 0 0 .1 ]
      children Shape { geometry Box { size .2 .2 .2 } } }
    DEF ARM Joint { jointType "rotate" jointAxis 0 1 0 translation 0 0.2 0.1 llimit [-1.5]
      ulimit [1.5] uvlimit [2] children [
        DEF ARM_LINK Segment { mass 2 centerOfMass 0 0 -0.2
          momentsOfInertia [ .02 0 0 0 .02 0 0 0 .002 ] }
        DEF SLIDE Joint { jointType "slide" jointAxis 0 0 1 translation 0 0 -.4 llimit [-.1]
          ulimit [.1] children DEF HAND Segment { mass 1 momentsOfInertia [ 1 0 0 0 1 0 0 0 1 ] } }
    ] } ] } ] }
"""


@pytest.fixture
def robot(tmp_path: Path) -> art.World:
    (tmp_path / "robot.wrl").write_text(PROTOS + ROBOT)
    document = art.read(tmp_path / "robot.wrl")
    assert document.check() == ()
    return document.world()


def test_joints_have_axes_limits_and_speeds(robot: art.World) -> None:
    figure = art.figure(robot, "sample")
    assert figure.names == ("ARM", "SLIDE")
    assert (*figure.lower, *figure.upper) == (-1.5, -0.1, 1.5, 0.1)
    assert figure.joints[-2].motor.speed == 2.0
    # by hand: the hand hangs 0.4 - 0.05 m below the shoulder, swung forward by a quarter turn
    X = figure.poses([np.pi / 2, 0.05])[figure.index("SLIDE")]
    assert X[:3, 3] == pytest.approx([-0.35, 0.2, 0.8])


def test_links_have_masses(robot: art.World) -> None:
    arm = robot.bodies["sample.ARM_LINK"]
    assert arm.properties["mass"] == 2.0
    assert arm.properties["mass_center"] == (0, 0, -0.2)
    assert arm.properties["inertia"] == (0.02, 0.02, 0.002, 0, 0, 0)


def test_it_swings_as_a_pendulum_of_its_masses(robot: art.World) -> None:
    run = art.simulate(robot, until=0.002, step=0.001)
    assert len(run.times) == 3


def test_segments_take_in_files(tmp_path: Path) -> None:
    (tmp_path / "hand.wrl").write_text(
        "Transform { translation 0 0 1 children Shape { geometry Sphere { radius 0.1 } } }"
    )
    (tmp_path / "robot.wrl").write_text(
        PROTOS
        + ROBOT.replace(
            "DEF HAND Segment {", 'DEF HAND Segment { children Inline { url "hand.wrl" }'
        )
    )
    with pytest.warns(art.FormatWarning, match=r"first line of hand\.wrl"):
        hand = art.read(tmp_path / "robot.wrl").world().bodies["sample.HAND"]
    X = np.eye(4)
    X[2, 3] = 1.0
    assert hand.shape == Placed(Sphere(0.1), X)


def test_what_moves_nothing_is_a_thing_of_the_room(tmp_path: Path) -> None:
    floor = (
        'Humanoid { humanoidBody Joint { jointType "fixed" jointAxis 0 0 0 translation 0 0 -1 '
        "children Segment { mass 5 children Shape { geometry Box {} } } } }"
    )
    (tmp_path / "floor.wrl").write_text(PROTOS + floor)
    with pytest.warns(art.FormatWarning, match="mass of a thing without joints"):
        world = art.read(tmp_path / "floor.wrl").world()
    assert not world.figures
    (body,) = (each for each in world.bodies.values() if each.shape is not None)
    assert (body.motion, body.pose.position) == ("fixed", (0, 0, -1))


def test_h_anim_joints_turn_any_way(tmp_path: Path) -> None:
    (tmp_path / "person.x3d").write_text(
        "<X3D version='3.3'><Scene><HAnimHumanoid name='jo'>"
        "<HAnimJoint containerField='skeleton' name='humanoid_root' center='0 0.9 0'>"
        "<HAnimJoint name='l_hip' center='0.1 0.9 0' llimit='-1 -2 -3' ulimit='1 2 3'>"
        "<HAnimSegment name='l_thigh' mass='5'/></HAnimJoint></HAnimJoint>"
        "</HAnimHumanoid></Scene></X3D>"
    )
    figure = art.figure(art.read(tmp_path / "person.x3d").world(), "jo")
    assert figure.names == ("l_hip_x", "l_hip_y", "l_hip_z")
    assert tuple(figure.upper) == (1, 2, 3)
    assert figure.poses([0, 0, 0])[-1][:3, 3] == pytest.approx([0.1, 0.9, 0])
