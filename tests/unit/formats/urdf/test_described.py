"""A robot's description as a figure of a world: ``import "arm.urdf" as arm``."""

import numpy as np
import pytest

import articulata as art
from articulata.errors import FormatWarning
from articulata.formats.urdf.urdf_figure import read_urdf
from articulata.sessions.converting import convert
from articulata.world.figures.readers import reader_of
from articulata.world.writing.worlds import art_text

ARM = """
<robot name="two arms 2.0">
  <link name="world"/>
  <link name="trunk"><inertial><mass value="4"/><origin xyz="0 0 0.2" rpy="0.1 0 0"/>
    <inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.2"/><geometry><box size="0.2 0.3 0.4"/></geometry></collision>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="left"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="grip"><visual><geometry><cylinder radius="0.02" length="0.1"/></geometry></visual>
  </link>
  <joint name="fix" type="fixed"><parent link="world"/><child link="trunk"/>
    <origin xyz="0 0 1"/></joint>
  <joint name="turn left" type="revolute"><parent link="trunk"/><child link="left"/>
    <origin xyz="0 0.2 0.3" rpy="0.3 -0.2 0.5"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-1" upper="2" effort="30" velocity="2"/>
    <dynamics damping="0.3" friction="0.1"/></joint>
  <joint name="turn_right" type="continuous"><parent link="trunk"/><child link="right"/>
    <origin xyz="0 -0.2 0.3"/><axis xyz="0 1 0"/><mimic joint="turn left" multiplier="-1"/></joint>
  <joint name="slide" type="prismatic"><parent link="left"/><child link="grip"/>
    <origin xyz="0.3 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.2" effort="9" velocity="1"/></joint>
</robot>
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "room.art").write_text(
        'import "arm.urdf" as arm\n'
        "world room { gravity: (0, 0, -9.81)\n"
        "components { robot: arm; other: arm.two_arms_2_0 }\n"
        'structure { place robot by "turn left" = 30 deg, slide = 5 cm, properties: (fixed) } }\n'
    )
    return tmp_path


def test_an_imported_robot_stands_where_its_description_says(folder):
    world = art.read(folder / "room.art").world()
    robot, given = art.figure(world, "robot"), read_urdf(folder / "arm.urdf")
    q = given.vector({"turn left": np.pi / 6, "slide": 0.05})
    assert robot.names == given.names
    np.testing.assert_allclose(robot.upper, given.upper)
    expected = dict(zip((j.name for j in given.joints), given.poses(q), strict=True))
    carriers = {joint: id for id, joint in world.figures["robot"].carriers.items()}
    for joint in ("turn left", "turn_right", "slide"):
        pose = world.bodies[carriers[joint]].pose.matrix()
        np.testing.assert_allclose(pose, expected[joint], atol=1e-14)
    motor = robot.joints[robot.index("turn left")].motor
    assert (motor.effort, motor.speed, motor.damping, motor.friction) == (30, 2, 0.3, 0.1)
    trunk = world.bodies["robot.world"]  # welded to the world link: one body
    assert trunk.properties["mass"] == 4
    np.testing.assert_allclose(trunk.properties["mass_center"], (0, 0, 1.2), atol=1e-15)
    assert world.bodies["robot.grip"].shape is not None


def test_a_world_with_an_imported_robot_is_written_without_the_file(folder):
    world = art.read(folder / "room.art").world()
    assert art.parse(art_text(world)).world() == world


def test_what_is_wrong_with_a_description_is_said_at_the_import(folder):
    (folder / "arm.urdf").write_text(ARM.replace('child link="left"', 'child link="lift"'))
    with pytest.raises(art.WorldError, match=r"room.art:1:8: .*arm.urdf.*child link 'lift'"):
        art.read(folder / "room.art").world()
    (folder / "arm.urdf").write_text(
        ARM.replace('<box size="0.2 0.3 0.4"/>', '<mesh filename="hand.stl"/>')
    )
    with pytest.warns(FormatWarning, match=r"not there, such as 'hand.stl'"):
        art.read(folder / "room.art").world()


def test_who_adds_to_an_imported_robot_is_told_to_make_it_a_text(folder):
    text = 'import "arm.urdf" as arm\nfigure mine: arm {\n  posture up { slide: 0.1 }\n}\n'
    (told,) = art.parse(text, folder=folder).check()
    assert (told.line, told.column) == (2, 14)
    assert told.message == "'arm' is imported, and stays as 'arm.urdf' has it"
    assert "articulata convert arm.urdf arm.art makes a text of it" in told.suggestion
    convert(folder / "arm.urdf", folder / "arm.art")
    made = (folder / "arm.art").read_text()
    at = made.index("figure two_arms_2_0 {") + len("figure two_arms_2_0 {")
    (folder / "arm.art").write_text(f"{made[:at]} posture up {{ slide: 0.1 }}{made[at:]}")
    (folder / "cell.art").write_text(
        'import "arm.art" as arm\nworld cell { components { robot: arm.two_arms_2_0 } }\n'
    )
    robot = art.figure(art.read(folder / "cell.art").world("cell"), "robot")
    assert robot.postures["up"]["slide"] == 0.1


def test_nobody_reads_an_unknown_ending():
    assert reader_of("arm.sdfx") is None


def test_a_description_alone_is_a_world_that_can_be_run(folder):
    document = art.read(folder / "arm.urdf")
    (request,) = document.requests
    world = document.world(request)
    assert world.gravity == (0, 0, -9.81)
    assert world.bodies["robot.world"].motion == "fixed"
    with pytest.raises(art.WorldError, match=r"0 figures; .*art\.figure\(document\.world\(\)"):
        art.figure(document)
    assert art.figure(world, "robot").names == read_urdf(folder / "arm.urdf").names
    with pytest.raises(art.ModelError, match=r"'robot.grip' is moved by joint 'slide' and has no"):
        art.simulate(request)
