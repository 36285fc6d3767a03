"""Figures in the viewer without a screen: what is drawn, what a drag does, what is said."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from articulata.formats.urdf.urdf_figure import parse_urdf, read_urdf
from articulata.geometry.shapes import Cuboid
from articulata.kinematics.conventions import DH, standard_joints, translation
from articulata.kinematics.figure import Figure, Run
from articulata.kinematics.joint import Joint
from articulata.kinematics.link import Link, MeshFile, Part
from articulata.report.viewer.figures.link_surfaces import BONE, surfaces
from articulata.report.viewer.figures.posing import (
    branches_of,
    drag,
    glide,
    gliding,
    hold,
    reach_of,
    scene_of,
    slide,
    take,
    usual_targets,
)

DESK = Path(__file__).parents[3] / "data" / "urdf" / "desk" / "desk_arm.urdf"
QUARTER = math.pi / 2


def puma() -> Figure:
    """A six-joint arm with a spherical wrist; lengths as in Paul and Zhang 1986."""
    rows = [
        DH(name="waist", d=0.67, alpha=-QUARTER, limits=(-2.8, 2.8)),
        DH(name="shoulder", a=0.4318, d=0.1491, limits=(-3.9, 0.8)),
        DH(name="elbow", a=-0.0203, alpha=QUARTER, limits=(-0.8, 3.9)),
        DH(name="roll", d=0.4331, alpha=-QUARTER, limits=(-1.9, 3.0)),
        DH(name="pitch", alpha=QUARTER, limits=(-1.7, 1.7)),
        DH(name="yaw", d=0.0563, limits=(-4.6, 4.6)),
    ]
    ready = {"shoulder": -0.4, "elbow": 0.3, "pitch": 0.5}
    return Figure(
        standard_joints(rows),
        range(-1, 5),
        name="puma",
        chains={"hand": Run("waist", "yaw")},
        postures={"ready": ready},
    )


def test_a_dragged_hand_is_followed_and_its_orientation_on_demand() -> None:
    figure = puma()
    scene = take(scene_of(figure), figure.posture("ready"))
    assert list(scene.targets) == ["hand"]
    X = scene.targets["hand"] @ translation(0.05, 0.05, 0.0)
    followed = drag(scene, "hand", X)
    tolerance = 1e-3 * reach_of(figure)
    assert followed.met
    tip = figure.landmark(followed.q, "hand")
    np.testing.assert_allclose(tip[:3, 3], X[:3, 3], atol=tolerance)
    whole = drag(replace(scene, turned=True), "hand", X)
    assert whole.met
    np.testing.assert_allclose(figure.landmark(whole.q, "hand"), X, atol=2e-3)


def test_what_cannot_be_reached_is_said_in_words_with_the_nearest_posture() -> None:
    figure = puma()
    scene = take(scene_of(figure), figure.posture("ready"))
    far = scene.targets["hand"].copy()
    far[:3, 3] = 3.0, 0.0, 0.67
    after = drag(scene, "hand", far)
    assert not after.met
    assert "too far" in after.text
    tip = figure.landmark(after.q, "hand")[:3, 3]
    assert after.missed["hand"] == pytest.approx(np.linalg.norm(tip - far[:3, 3]), abs=1e-6)
    # The nearest posture is stretched towards the target.
    reach = 0.4318 + math.hypot(0.0203, 0.4331) + 0.0563
    assert after.missed["hand"] == pytest.approx(3.0 - math.hypot(reach, 0.1491), abs=0.02)
    assert hold(after, ("hand",)).met


def test_a_family_is_gone_through_with_the_hand_in_place() -> None:
    d = (0.34, 0.0, 0.4, 0.0, 0.4, 0.0, 0.126)
    alpha = (-QUARTER, QUARTER, QUARTER, -QUARTER, -QUARTER, QUARTER, 0.0)
    rows = [
        DH(name=f"A{i + 1}", d=d[i], alpha=alpha[i], limits=(-2.0, 2.0), neutral=0.1 * i - 0.2)
        for i in range(7)
    ]
    figure = Figure(
        standard_joints(rows), range(-1, 6), name="seven", chains={"hand": Run("A1", "A7")}
    )
    scene = scene_of(figure)
    scene = drag(scene, "hand", scene.targets["hand"], branches=True)
    family = gliding(scene)
    assert family is not None
    hand = figure.landmark(scene.branches[0].q, "hand")
    postures = [glide(scene, share).q for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    for q in postures:
        np.testing.assert_allclose(figure.landmark(q, "hand"), hand, rtol=0, atol=1e-9)
        assert ((q >= figure.lower - 1e-9) & (q <= figure.upper + 1e-9)).all()
    assert np.ptp(postures, axis=0).max() > 0.1
    # six joints have no freedom left
    six = scene_of(puma())
    six = drag(six, "hand", six.targets["hand"], branches=True)
    assert gliding(six) is None
    np.testing.assert_array_equal(glide(six, 0.3).q, six.q)


def test_branches_are_all_postures_of_one_hand() -> None:
    figure = puma()
    scene = take(scene_of(figure), figure.posture("ready"))
    X = scene.targets["hand"]
    found = branches_of(scene, "hand")
    assert len(found) == 8
    assert len({each.label for each in found}) == 8
    for each in found:
        np.testing.assert_allclose(figure.landmark(each.q, "hand"), X, atol=1e-9)
        kept = (each.q >= figure.lower - 1e-9).all() and (each.q <= figure.upper + 1e-9).all()
        assert each.within == kept
    dragged = drag(scene, "hand", X, branches=True)
    assert len(dragged.branches) == 8
    assert branches_of(scene_of(read_urdf(DESK)), "hand") == ()


def test_a_slider_moves_one_joint_and_the_targets_with_it() -> None:
    figure = read_urdf(DESK)
    scene = slide(scene_of(figure), "shoulder", 0.7)
    assert figure.named(scene.q)["shoulder"] == 0.7
    np.testing.assert_array_equal(scene.targets["hand"], figure.landmark(scene.q, "hand"))


def test_two_hands_are_held_at_once() -> None:
    text = """<robot name="two"><link name="hip"/><link name="chest"/>{}</robot>"""
    joint = (
        '<joint name="{n}" type="revolute"><parent link="{p}"/><child link="{c}"/>'
        '<origin xyz="{o}"/><axis xyz="{a}"/>'
        '<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
    )
    body = joint.format(n="spine", p="hip", c="chest", o="0 0 1", a="0 0 1")
    for side, y in (("left", 0.2), ("right", -0.2)):
        above = "chest"
        axes = ("0 1 0", "0 0 1", "0 1 0", "0 0 1", "1 0 0", "0 1 0")
        for number, axis in enumerate(axes):
            name = f"{side} {number}"
            offset = f"0 {y} 0" if number == 0 else "0.2 0 0"
            body += f'<link name="{name}"/>'
            body += joint.format(n=name, p=above, c=name, o=offset, a=axis)
            above = name
    figure = parse_urdf(text.format(body))
    assert sorted(usual_targets(figure)) == ["left 5", "right 5"]
    bent = {f"{side} 0": -0.6 for side in ("left", "right")}
    bent |= {f"{side} 2": 1.2 for side in ("left", "right")}
    scene = take(scene_of(figure), figure.vector(bent))
    X = scene.targets["left 5"].copy()
    X[:3, 3] += 0.03, 0.0, -0.05
    after = drag(scene, "left 5", X)
    assert after.met
    other = figure.landmark(after.q, "right 5")[:3, 3]
    np.testing.assert_allclose(other, scene.targets["right 5"][:3, 3], atol=3e-3)


def test_fingers_give_way_to_their_hand() -> None:
    assert usual_targets(read_urdf(DESK)) == ("hand",)


def test_links_show_their_shapes_or_bones() -> None:
    found, notes = surfaces(read_urdf(DESK))
    assert notes == []
    by_joint = {surface.joint: surface for surface in found}
    assert by_joint[-1].color == (51, 56, 64)
    assert by_joint[0].vertices[:, 2].max() == pytest.approx(0.12)
    wedge = by_joint[2]
    assert np.ptp(wedge.vertices[:, 0]) == pytest.approx(0.2, abs=1e-6)
    bones, _ = surfaces(puma())
    reaches = [s.vertices for s in bones if s.color == BONE]
    assert max(np.ptp(v, axis=0).max() for v in reaches) > 0.43


def test_a_mesh_that_cannot_be_read_gives_way_to_what_can(tmp_path: Path) -> None:
    broken = tmp_path / "broken.stl"
    broken.write_bytes(b"nothing")
    mesh = Part(MeshFile("broken.stl", path=str(broken)))
    gone = Part(MeshFile("gone.stl"))
    link = Link("arm", visuals=(mesh, gone), collisions=(Part(Cuboid(1, 1, 1)),))
    found, notes = surfaces(Figure([Joint("j")], (-1,), links={"j": link}))
    assert [note.partition(":")[0] for note in notes] == ["broken.stl", "gone.stl"]
    assert any(len(s.triangles) == 12 for s in found)


def test_a_mirrored_mesh_keeps_its_outside_out() -> None:
    import trimesh

    path = DESK.parent / "meshes" / "wedge.stl"
    volumes = []
    for x in (0.001, -0.001):
        part = Part(MeshFile("wedge.stl", (x, 0.001, 0.001), str(path)))
        figure = Figure([Joint("j")], (-1,), links={"j": Link("l", visuals=(part,))})
        surface = next(s for s in surfaces(figure)[0] if s.name == "l")
        volumes.append(trimesh.Trimesh(surface.vertices, surface.triangles).volume)
    assert volumes[0] == pytest.approx(volumes[1])
    assert volumes[0] > 0


def test_a_mesh_with_coordinates_of_a_texture_is_drawn_in_its_material(tmp_path: Path) -> None:
    (tmp_path / "red.mtl").write_text("newmtl red\nKd 1 0 0\n")
    path = tmp_path / "sail.obj"
    path.write_text(
        "mtllib red.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"
        "vt 0 0\nvt 1 0\nvt 0 1\nusemtl red\nf 1/1 2/2 3/3\n"
    )
    link = Link("l", visuals=(Part(MeshFile("sail.obj", path=str(path))),))
    found, notes = surfaces(Figure([Joint("j")], (-1,), links={"j": link}))
    assert notes == []
    assert next(each for each in found if each.name == "l").color == (255, 0, 0)
