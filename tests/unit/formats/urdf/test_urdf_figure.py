"""Descriptions read: poses against Pinocchio, everything else against what the files say."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from articulata.errors import FormatError, FormatWarning, KinematicsError
from articulata.formats.urdf.urdf_figure import parse_urdf, read_node, read_urdf
from articulata.formats.xml import MOST_BYTES
from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, Sphere
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.joint import FIXED, PRISMATIC, REVOLUTE
from articulata.kinematics.link import MeshFile
from unit.formats.urdf.pinocchio_twin import compare

DATA = Path(__file__).parents[3] / "data" / "urdf"
DESK, CART = DATA / "desk" / "desk_arm.urdf", DATA / "cart.urdf"


@pytest.mark.parametrize("file", [DESK, CART], ids=["desk", "cart"])
def test_poses_and_jacobians_agree_with_pinocchio(file: Path) -> None:
    text = file.read_text()
    if file is DESK:  # Pinocchio moves a mimic joint freely unless told otherwise
        assert 'mimic joint="left finger"' in text
    assert compare(read_urdf(file), text, np.random.default_rng(1)) < 1e-12


def test_what_a_description_says_is_kept() -> None:
    figure = read_urdf(DESK)
    assert figure.name == "desk arm"
    assert figure.root.name == "plate"
    assert figure.names == ("turn", "shoulder", "elbow", "reach", "left finger")
    kinds = {joint.name: joint.kind for joint in figure.joints}
    assert kinds["turn"] == REVOLUTE
    assert kinds["reach"] == PRISMATIC
    assert kinds["flange"] == FIXED
    shoulder = figure.joints[figure.index("shoulder")]
    assert shoulder.limits == (-0.4, 2.6)
    assert (shoulder.motor.speed, shoulder.motor.effort) == (2.0, 30.0)
    assert (shoulder.motor.damping, shoulder.motor.friction) == (0.4, 0.05)
    assert (shoulder.motor.rising, shoulder.motor.falling) == (0.1, None)
    assert figure.limit_sets["soft"] == {"shoulder": (-0.3, 2.5)}
    turn = figure.joints[figure.index("turn")]
    assert turn.limits == (-math.inf, math.inf)
    assert turn.motor.effort == 20.0
    assert list(figure.chains) == ["hand", "left finger", "right finger"]
    assert figure.chain("hand").names == figure.names[:4]
    assert figure.chain("left finger").names == figure.names
    q = figure.vector({"left finger": 0.3})
    assert figure.values(q)[0][0][figure.index("right finger")] == pytest.approx(-0.25)


def test_shapes_and_masses_are_kept() -> None:
    figure = read_urdf(DESK)
    assert figure.root.visuals[0].shape == Cylinder(0.08, 0.04)
    assert figure.root.visuals[0].color == (0.2, 0.22, 0.25, 1.0)
    assert figure.root.collisions[0].X_LS[2, 3] == 0.02
    column = figure.links["turn"]
    assert column.visuals[0].shape == Cuboid(0.07, 0.06, 0.12)
    assert column.visuals[0].color == (0.9, 0.55, 0.1, 1.0)
    assert column.visuals[0].name == "housing"
    assert figure.links["shoulder"].visuals[0].shape == Capsule(0.025, 0.3)
    assert figure.links["flange"].visuals[0].shape == Sphere(0.03)
    mesh = figure.links["elbow"].visuals[0].shape
    assert isinstance(mesh, MeshFile)
    assert mesh.scale == (0.001, 0.001, 0.001)
    assert Path(mesh.path) == DATA / "desk" / "meshes" / "wedge.stl"
    assert figure.mass == pytest.approx(2.3)
    # The inertia is turned into the link's axes: its invariants stay.
    given = np.array(
        [[0.002, 0.0001, -0.0002], [0.0001, 0.0022, 0.00005], [-0.0002, 0.00005, 0.001]]
    )
    np.testing.assert_allclose(
        np.linalg.eigvalsh(column.inertia), np.linalg.eigvalsh(given), atol=1e-16
    )
    assert not np.allclose(column.inertia, given)


def robot(body: str) -> str:
    return f'<robot name="r">\n{body}\n</robot>'


LINKS = '<link name="a"/><link name="b"/><link name="c"/>\n'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def joint(name: str, parent: str, child: str, more: str = LIMIT, kind: str = "revolute") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{more}</joint>\n"
    )


ONE = joint("j", "a", "b")
TWO = ONE + joint("k", "b", "c")


def mesh(name: str) -> str:
    return (
        f'<link name="a"><visual><geometry><mesh filename="{name}"/></geometry></visual></link>'
        f'<link name="b"/>\n{ONE}'
    )


BOMB = (
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>\n<robot name="&b;"/>'
)
FILE_ENTITY = '<!DOCTYPE r [<!ENTITY a SYSTEM "/etc/hostname">]><robot name="&a;"/>'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (robot(mesh("meshes/arm.stl")), 2, r"'meshes/arm.stl' is not there.*arm.stl"),
        (robot(mesh("package://some/arm.stl")), 2, r"some/arm.stl"),
        (robot(mesh("http://example.org/arm.stl")), 2, "is an address"),
        (robot(LINKS + TWO + joint("l", "a", "c")), 5, "'c' is the child of joint 'l' and .*'k'"),
        (
            robot(LINKS + joint("j", "b", "c") + joint("k", "c", "b")),
            4,
            "in a loop: b -> c -> b",
        ),
        (robot(LINKS + ONE), 1, r"2 links are no joint's child: 'a' \(line 2\), 'c' \(line 2\)"),
        (robot(LINKS + joint("j", "a", "bb")), 3, "child link 'bb', which does not exist; did you"),
        (robot(LINKS + joint("j", "x", "b")), 3, "parent link 'x'"),
        (robot(LINKS + '\n<link name="a"/>'), 4, "a second link 'a'; the first is on line 2"),
        (robot(LINKS + ONE + joint("j", "b", "c")), 4, "second joint 'j'; the first is on line 3"),
        (
            robot(LINKS + TWO.replace('lower="-1"', 'lower="2"')),
            3,
            "'j' has lower limit 2 above upper limit 1",
        ),
        (robot(LINKS + TWO.replace('"-1"', '"nan"')), 3, 'lower="nan" must be a finite number'),
        (robot(LINKS + TWO.replace('"-1"', '"eins"')), 3, 'lower="eins" is not a number'),
        (robot(LINKS + joint("j", "a", "b", "")), 3, 'no <limit>.*type="continuous"'),
        (robot(LINKS + TWO.replace('effort="1"', 'effort="-1"')), 3, "effort=-1 is not allowed"),
        (
            robot(LINKS + joint("j", "a", "b", '<origin xyz="1 2"/>', "fixed")),
            3,
            "has 2 numbers; it takes 3",
        ),
        (robot(LINKS + joint("j", "a", "b", '<axis xyz="0 0 0"/>' + LIMIT)), 3, "is 0 0 0"),
        (robot(LINKS + joint("j", "a", "b", kind="ball")), 3, "type 'ball'; a joint is revolute"),
        (robot(LINKS + joint("j", "a", "b", LIMIT + '<mimic joint="q"/>')), 3, "mimics 'q'"),
        (
            robot(
                LINKS
                + joint("j", "a", "b", LIMIT + '<mimic joint="k"/>')
                + joint("k", "b", "c", LIMIT + '<mimic joint="j"/>')
            ),
            3,
            "in a circle: j -> k -> j",
        ),
        (robot('<link name="a"><inertial><mass value="-2"/></inertial></link>'), 2, "mass -2 kg"),
        (robot('<link name="a"><visual/></link>'), 2, "has no <geometry>"),
        (
            robot('<link name="a"><visual><geometry><cone/></geometry></visual></link>'),
            2,
            "this has <cone>",
        ),
        (
            robot(
                '<link name="a"><visual><geometry><sphere radius="-1"/></geometry></visual></link>'
            ),
            2,
            "radius = -1",
        ),
        (robot(""), 1, "no <link>"),
        (robot("<link/>"), 2, 'has no name="..."'),
        ("<sdf/>", 1, "begins with <robot>"),
        (robot("<xacro:macro name='arm'/>"), 2, "expand them with the program 'xacro'"),
        (robot("<link"), 3, "not well-formed"),
        ("", 1, "not well-formed"),
        (BOMB, 1, "entities"),
        (FILE_ENTITY, 1, "entities"),
        ("<a>" * 100, 1, "is inside 64 others"),
    ],
)
def test_what_cannot_be_read_is_explained(text: str, line: int, words: str) -> None:
    with pytest.raises(FormatError, match=rf"(?s)^arm.urdf:{line}:\d+: .*({words})"):
        parse_urdf(text, "arm.urdf")


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        ('  <link name="a">é<inertial>^<mass value="much"/></inertial></link>', "<mass"),
        ('<link name="a"/><link name="b"/>  <joint name="j" type="ball"/>', "<joint"),
        ('<link name="a"/> <link name="a"/>', '<link name="a"/>\n'),
        ("<link name='a'/> <link/", "\n</robot>"),
    ],
)
def test_an_error_tells_the_column_of_its_element(body: str, marked: str) -> None:
    text = robot(body)
    with pytest.raises(FormatError) as told:
        parse_urdf(text, "arm.urdf")
    before = text[: text.index(marked)]
    column = len(before) - before.rfind("\n")
    assert str(told.value).startswith(f"arm.urdf:2:{column}: ")


def test_a_file_that_is_too_large_or_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="65 MiB are more than the 64 MiB"):
        parse_urdf(b" " * (MOST_BYTES + 2**20), "huge.urdf")
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        read_urdf(tmp_path / "none.urdf")


@pytest.mark.filterwarnings("ignore::articulata.errors.FormatWarning")
def test_no_bytes_end_in_a_traceback_of_ours() -> None:
    content, rng = DESK.read_bytes(), np.random.default_rng(7)
    outcomes = {"read": 0, "refused": 0}
    for _ in range(300):
        damaged = bytearray(content)
        start = int(rng.integers(len(damaged)))
        if rng.random() < 0.5:
            del damaged[start : start + int(rng.integers(1, 40))]
        else:
            damaged[start] = int(rng.integers(256))
        try:
            parse_urdf(bytes(damaged), folder=DESK.parent)
            outcomes["read"] += 1
        except FormatError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 20


def test_meshes_are_found_by_root_folder_and_package(tmp_path: Path) -> None:
    (tmp_path / "deep" / "pack" / "meshes").mkdir(parents=True)
    file = tmp_path / "deep" / "pack" / "meshes" / "arm.stl"
    file.write_bytes(b"")

    def path_of(name: str, folder: Path, *roots: Path) -> Path:
        figure = parse_urdf(robot(mesh(name)), folder=folder, roots=roots)
        shape = figure.root.visuals[0].shape
        assert isinstance(shape, MeshFile)
        assert shape.file == name
        return Path(shape.path)

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert path_of("meshes/arm.stl", tmp_path / "deep" / "pack") == file
    assert path_of("meshes/arm.stl", elsewhere, tmp_path / "deep" / "pack") == file
    assert path_of("package://pack/meshes/arm.stl", elsewhere, tmp_path / "deep") == file
    assert path_of("package://pack/meshes/arm.stl", elsewhere, tmp_path / "deep" / "pack") == file
    assert path_of("package://pack/meshes/arm.stl", tmp_path / "deep" / "pack" / "meshes") == file
    assert path_of("package://data/robots/pack/meshes/arm.stl", file.parent) == file
    assert path_of(file.as_uri(), elsewhere) == file
    gone = parse_urdf(robot(mesh("gone.stl")), folder=elsewhere, allow_missing_meshes=True)
    shape = gone.root.visuals[0].shape
    assert shape == MeshFile("gone.stl")


def test_a_world_goes_on_without_meshes_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(robot(mesh("package://pack/gone.stl")))
    with pytest.warns(FormatWarning) as told:
        assert read_node(path).type == read_urdf(path, allow_missing_meshes=True).name
    (line,) = (words for each in told for words in str(each.message).splitlines())
    assert "1 of its meshes are not there, such as 'package://pack/gone.stl'; put" in line
    assert "pycollada" not in line


def test_a_robot_touches_by_the_hull_of_its_mesh(tmp_path: Path) -> None:
    corners = [(x, y, z) for x in (0, 400) for y in (-50, 50) for z in (-50, 50)]
    lines = [f"v {x} {y} {z}" for x, y, z in (*corners, (200, 0, 0))]  # the dent is filled
    lines += [f"f {a} {b} 9" for a in range(1, 9) for b in range(a + 1, 9)]
    (tmp_path / "limb.obj").write_text("\n".join(lines))
    part = '<geometry><mesh filename="limb.obj" scale="0.001 0.001 0.001"/></geometry>'
    (tmp_path / "arm.urdf").write_text(
        '<robot name="a"><link name="base"/><link name="limb"><collision><origin xyz="0.1 0 0"/>'
        f'{part}</collision></link><joint name="j" type="continuous"><parent link="base"/>'
        '<child link="limb"/><axis xyz="0 0 1"/></joint></robot>'
    )
    robot = read_urdf(tmp_path / "arm.urdf")
    X = np.eye(4)
    X[:3, 3] = (1.0, 0.0, 0.0)
    found = Clash(robot, [Obstacle("post", Cuboid(0.2, 0.2, 0.2), X)]).clearances([0.0])
    assert found.names() == ("limb", "post")
    assert found.distance == pytest.approx(0.4)
    (tmp_path / "limb.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(KinematicsError, match=r"'limb\.obj' of link 'limb' of 'a' bounds no room"):
        Clash(read_urdf(tmp_path / "arm.urdf"))


def test_planar_and_floating_joints_become_simple_ones() -> None:
    text = robot(
        LINKS
        + joint("base", "a", "b", '<origin xyz="1 0 0"/>', "floating")
        + joint("table", "b", "c", '<axis xyz="0 0 1"/>', "planar")
    )
    figure = parse_urdf(text)
    assert figure.names == (
        *(f"base.{part}" for part in ("x", "y", "z", "yaw", "pitch", "roll")),
        *(f"table.{part}" for part in ("x", "y", "turn")),
    )
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    c, s = np.cos(q[3:6]), np.sin(q[3:6])
    R = (
        np.array([[c[0], -s[0], 0], [s[0], c[0], 0], [0, 0, 1]])
        @ np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
        @ np.array([[1, 0, 0], [0, c[2], -s[2]], [0, s[2], c[2]]])
    )
    np.testing.assert_allclose(figure.landmark(q, "b")[:3, :3], R, atol=1e-14)
    np.testing.assert_allclose(figure.landmark(q, "b")[:3, 3], [1.1, 0.2, 0.3], atol=1e-14)
    p = [1.1, 0.2, 0.3] + R @ [0.7, 0.8, 0.0]
    np.testing.assert_allclose(figure.landmark(q, "c")[:3, 3], p, atol=1e-14)
    with pytest.raises(FormatError, match="planar and cannot mimic"):
        parse_urdf(robot(LINKS + joint("j", "a", "b", '<mimic joint="k"/>', "planar")))


def test_a_thing_of_one_link_is_an_object() -> None:
    figure = parse_urdf(
        robot(
            '<link name="box"><inertial><mass value="2"/></inertial><collision><geometry>'
            '<box size="0.1 0.2 0.3"/></geometry></collision></link>'
        )
    )
    assert figure.dof == 0
    assert figure.mass == 2.0
    assert list(figure.links["box"].collisions[0].shape.__slots__) == ["x", "y", "z"]


def test_the_world_is_a_parent_without_being_a_link() -> None:
    figure = parse_urdf(robot('<link name="a"/>' + joint("j", "world", "a")), "arm.urdf")
    assert figure.names == ("j",)
    assert figure.root.name == "world"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            robot('<link name="a"/><link name="b"/>\n' + joint(
                "j", "a", "b", LIMIT + '<axis xyz="0 0 1"/>\n<axis xyz="0 1 0"/>')),
            4,
            "a second <axis> is passed over; the first is on line 3",
        ),
        (
            robot('<link name="a"><visual>\n<geometry><sphere radius="0"/></geometry>'
                  "</visual></link>"),
            3,
            "a sphere of radius 0 is nothing and is passed over",
        ),
        (
            robot('<link name="a"><visual><origin rpy="0 0 1 0"/>\n'
                  '<geometry><sphere radius="1"/></geometry></visual></link>'),
            2,
            'rpy="0 0 1 0" has 4 numbers; the first 3 are taken',
        ),
        (
            robot('<link name="a"><visual><origin xyz="1, 2, 3"/>\n'
                  '<geometry><sphere radius="1"/></geometry></visual></link>'),
            2,
            "has commas, which are taken for spaces",
        ),
        (
            robot('<link name="a"><visual><origin xyz="$(optenv MAST 1 2 3)"/>\n'
                  '<geometry><sphere radius="1"/></geometry></visual></link>'),
            2,
            "is to be replaced; its default is taken",
        ),
        (
            robot('<link name="a"><inertial><mass value="1"/>\n'
                  '<inertia ixx="-1e-19" iyy="1" izz="1"/></inertial></link>'),
            2,
            "link 'a' has ixx = -1e-19 kg m^2, which is taken as 0",
        ),
        (
            robot('<link name="a"><collision><geometry>\n<plane normal="0 0 1"/></geometry>'
                  "</collision></link>"),
            3,
            "a shape <plane> is of one simulator alone and is passed over",
        ),
    ],
)  # fmt: skip
def test_what_others_pass_over_is_a_warning(text: str, line: int, words: str) -> None:
    with pytest.warns(FormatWarning) as told:
        figure = parse_urdf(text, "arm.urdf")
    assert str(told[0].message).startswith(f"arm.urdf:{line}:")
    assert words in str(told[0].message)
    assert figure.joints


def test_a_spherical_joint_turns_three_ways() -> None:
    text = robot('<link name="a"/><link name="b"/>' + joint("j", "a", "b", "", "spherical"))
    assert parse_urdf(text).names == ("j.yaw", "j.pitch", "j.roll")
