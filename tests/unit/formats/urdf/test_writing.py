"""Figures written as descriptions and read again."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

from articulata.errors import FormatError, FormatWarning
from articulata.formats.urdf.urdf_figure import parse_urdf, read_urdf
from articulata.formats.urdf.urdf_writer import write_urdf
from articulata.formats.xml import roll_pitch_yaw
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Capsule, Cone, Cuboid, HalfSpace
from articulata.kinematics.conventions import (
    DH,
    rotation_x,
    rotation_y,
    rotation_z,
    standard_joints,
    translation,
)
from articulata.kinematics.figure import Figure, Run
from articulata.kinematics.joint import Joint, Mimic, Motor
from articulata.kinematics.library import figure as library_figure
from articulata.kinematics.library import figures
from articulata.kinematics.link import Link, Part
from articulata.report.export import export
from unit.formats.urdf.pinocchio_twin import compare, drawn

DATA = Path(__file__).parents[3] / "data" / "urdf"
FILES = [DATA / "desk" / "desk_arm.urdf", DATA / "cart.urdf"]


def same_places(figure: Figure, again: Figure, seed: int = 0) -> None:
    """All links of ``figure`` are in ``again`` at the same poses, and as heavy."""
    rng = np.random.default_rng(seed)
    assert again.names == figure.names
    np.testing.assert_array_equal(again.lower, figure.lower)
    np.testing.assert_array_equal(again.upper, figure.upper)
    q = drawn(figure, rng, 20)
    for link in (figure.root, *figure.links.values()):
        found = again.landmark(q, link.name)
        np.testing.assert_allclose(found, figure.landmark(q, link.name), atol=1e-12)
    if figure.mass:
        assert again.mass == pytest.approx(figure.mass, rel=1e-15)
        np.testing.assert_allclose(again.center_of_mass(q), figure.center_of_mass(q), atol=1e-12)


@pytest.mark.parametrize("name", sorted(figures()))
def test_library_figures_keep_their_poses(name: str, tmp_path: Path) -> None:
    figure = library_figure(name)
    export(figure, tmp_path / "figure.urdf")
    again = read_urdf(tmp_path / "figure.urdf")
    rng = np.random.default_rng(4)
    q = drawn(figure, rng, 10)
    order = [figure.names.index(each) for each in again.names]
    for joint in figure.joints:
        found, wanted = again.link_pose(q[:, order], joint.name), figure.link_pose(q, joint.name)
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    assert again.mass == pytest.approx(figure.mass, rel=1e-12)


def test_only_urdf_holds_a_figure(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a figure cannot be written as '\.csv'"):
        export(library_figure("planar_4_2_1"), tmp_path / "arm.csv")


@pytest.mark.parametrize("file", FILES, ids=["desk", "cart"])
def test_a_description_read_and_written_says_the_same(file: Path) -> None:
    figure = read_urdf(file)
    text = write_urdf(figure, file.parent).text
    again = parse_urdf(text, folder=file.parent)
    same_places(figure, again)
    assert [j.name for j in again.joints] == [j.name for j in figure.joints]
    for ours, other in zip(figure.joints, again.joints, strict=True):
        assert ours.motor == other.motor
        assert ours.mimic == other.mimic
    for name, link in figure.links.items():
        np.testing.assert_allclose(again.links[name].inertia, link.inertia, atol=1e-18)
        assert [p.shape for p in again.links[name].collisions] == [p.shape for p in link.collisions]
    assert compare(figure, text, np.random.default_rng(2)) < 1e-12
    assert write_urdf(again, file.parent).text == write_urdf(again, file.parent).text


def test_a_link_is_written_with_the_inertia_of_its_shape_where_it_gives_none() -> None:
    tilted = translation(0.1, 0.0, 0.0) @ rotation_z(math.pi / 2)
    touching, drawn_alone = Part(Cuboid(1.0, 2.0, 3.0), tilted), Part(Capsule(1.0, 2.0), np.eye(4))
    solid = Link("solid", 12.0, (0.3, 0.0, 0.0), visuals=(drawn_alone,), collisions=(touching,))
    joints = [Joint(name, "revolute", np.eye(4), np.eye(4)) for name in ("a", "b", "c")]
    given = Link("given", 1.0, inertia=np.diag([1.0, 2.0, 2.5]), collisions=(touching,))
    links = {"a": solid, "b": given, "c": Link("point", 1.0)}
    with pytest.warns(FormatWarning, match="c has mass, and neither inertia nor a solid shape"):
        text = write_urdf(Figure(joints, (-1, 0, 1), links=links)).text
    again = parse_urdf(text)
    # a twelfth of the mass by the squares of the edges, of which x and y have changed places
    np.testing.assert_allclose(again.links["a"].inertia, np.diag([10.0, 13.0, 5.0]), rtol=1e-12)
    assert again.links["a"].center == (0.3, 0.0, 0.0)
    np.testing.assert_array_equal(again.links["b"].inertia, given.inertia)
    assert not again.links["c"].inertia.any()


def test_masses_apart_that_move_as_one_turn_without_an_inertia_of_their_own() -> None:
    joints = [Joint("hip", "revolute", np.eye(4), np.eye(4))]
    joints.append(Joint("load", "fixed", translation(0.1, 0.25, 0.1), np.eye(4)))
    links = {"hip": Link("hip", 0.5), "load": Link("load", 15.0)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_urdf(Figure(joints, (-1, 0), links=links))


def random_pose(rng: np.random.Generator) -> Array:
    turns = rng.uniform(-3, 3, 3) if rng.random() < 0.5 else rng.integers(-2, 3, 3) * math.pi / 2
    R = rotation_z(turns[0]) @ rotation_y(turns[1]) @ rotation_x(turns[2])
    return translation(*rng.uniform(-1, 1, 3)) @ R


@pytest.mark.parametrize("seed", range(40))
def test_any_tree_keeps_its_poses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    joints: list[Joint] = []
    parents: list[int] = []
    for number in range(int(rng.integers(1, 9))):
        kind = ("revolute", "prismatic", "fixed")[int(rng.integers(3))]
        mimic = None
        leaders = [j.name for j in joints if j.kind != "fixed"]
        if leaders and kind != "fixed" and rng.random() < 0.3:
            mimic = Mimic(leaders[0], rng.uniform(-2, 2), rng.uniform(-1, 1))
        limits = (-1.0, 2.0) if rng.random() < 0.5 else (-math.inf, math.inf)
        joints.append(
            Joint(
                f"joint <{number}> & co",
                kind,  # type: ignore[arg-type]  # one of the three
                random_pose(rng),
                random_pose(rng),
                limits if kind != "fixed" else (-math.inf, math.inf),
                mimic=mimic,
                link=f"link {number}",
                motor=Motor(speed=2.0, damping=0.1),
            )
        )
        parents.append(int(rng.integers(-1, number)) if number else -1)
    masses = {j.name: Link(j.link, 1.5, tuple(rng.uniform(-1, 1, 3)), np.eye(3)) for j in joints}
    base = random_pose(rng) if rng.random() < 0.5 else None
    figure = Figure(joints, parents, base=base, name='a "name"', links=masses)
    text = write_urdf(figure).text
    order = [figure.names.index(name) for name in parse_urdf(text).names]
    again = parse_urdf(text)
    q = rng.uniform(-1, 2, (10, figure.dof))
    for joint in joints:
        found, wanted = again.landmark(q[:, order], joint.link), figure.landmark(q, joint.link)
        np.testing.assert_allclose(found, wanted, atol=1e-12)
    mine, other = figure.center_of_mass(q), again.center_of_mass(q[:, order])
    np.testing.assert_allclose(mine, other, atol=1e-12)


def test_a_table_of_denavit_and_hartenberg_keeps_its_frames_and_its_tip() -> None:
    rows = [DH(name=f"j{i}", a=0.3, d=0.1, alpha=0.4 * i, limits=(-2, 2)) for i in range(4)]
    end = translation(0.1, 0.2, 0.3)
    figure = Figure(
        standard_joints(rows), (-1, 0, 1, 2), name="arm", chains={"hand": Run("j0", "j3", end)}
    )
    again = parse_urdf(write_urdf(figure).text)
    same_places(figure, again)
    q = np.linspace(-1, 1, 4)
    np.testing.assert_allclose(again.poses(q)[:4], figure.poses(q), atol=1e-12)
    assert [j.name for j in again.joints] == ["j0", "j1", "j2", "j3", "hand end"]
    np.testing.assert_allclose(again.chain("hand").tip(q), figure.chain("hand").tip(q), atol=1e-12)
    np.testing.assert_allclose(
        again.chain("hand").jacobian(q), figure.chain("hand").jacobian(q), atol=1e-12
    )


def test_shapes_that_the_format_lacks_become_meshes(tmp_path: Path) -> None:
    cone = Cone(0.1, 0.3)
    parts = (
        Part(cone),
        Part(cone, translation(1, 0, 0)),
        Part(Capsule(0.1, 1.0), color="#ff0000"),
        Part(Cuboid(1, 2, 3), color=(0.1, 0.2, 0.3)),
    )
    figure = Figure([Joint("j")], (-1,), name="a b", links={"j": Link("an arm", visuals=parts)})
    made = write_urdf(figure, tmp_path, stem="cone")
    assert list(made.meshes) == ["cone_meshes/an_arm_1.stl"]
    assert made.text.count("cone_meshes/an_arm_1.stl") == 2
    assert made.text.count("<sphere") == 2
    assert 'rgba="1 0 0 1"' in made.text
    for name, content in made.meshes.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    again = parse_urdf(made.text, folder=tmp_path)
    assert len(again.links["j"].visuals) == 6
    import trimesh

    surface = trimesh.load(tmp_path / "cone_meshes" / "an_arm_1.stl")
    assert surface.volume == pytest.approx(math.pi * 0.01 * 0.3 / 3, rel=0.01)
    endless = Figure([Joint("j")], (-1,), links={"j": Link("l", visuals=(Part(HalfSpace()),))})
    with pytest.raises(FormatError, match="endless shape"):
        write_urdf(endless)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9, 1.0, 0.0])
def test_angles_give_the_rotation_back_where_roll_and_yaw_are_one(pitch: float) -> None:
    rng = np.random.default_rng(3)
    for roll, yaw in rng.uniform(-math.pi, math.pi, (50, 2)).tolist():
        R = rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)
        r, p, y = roll_pitch_yaw(R)
        np.testing.assert_allclose(rotation_z(y) @ rotation_y(p) @ rotation_x(r), R, atol=1e-15)
