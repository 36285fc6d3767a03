"""Looks and meshes: what is drawn in place of a shape, and surfaces in files."""

import struct

import numpy as np
import pytest

import articulata as art
from articulata.geometry.shapes import Sphere
from articulata.geometry.solids import mass_properties
from articulata.report.bones import drawn_bodies
from articulata.report.drawn_surfaces import surface_of
from articulata.world.language.syntax.parse import parse
from articulata.world.language.syntax.printer import print_file
from articulata.world.writing.worlds import art_text

CORNERS = np.array([(0, 0, 0), (30, 0, 0), (0, 40, 0), (0, 0, 50)])
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
TEXT = """
units: metre, kilogram
primitive wedge {
  properties: (density: 1000)
  geometry: mesh("wedge.stl", 0.001)
  dynamics
}
primitive cup {
  geometry: sphere(0.1)
  look: union(a: mesh("open.stl", (0.01, 0.01, -0.01)), b: sphere(0.1) at (1, 0, 0))
}
figure arm {
  chain a: plain table {
    foot: fixed(mass: 1, shape: cuboid(0.1, 0.1, 0.1))
    toe: fixed(shape: cuboid(0.1, 0.1, 0.1), look: mesh("wedge.stl", 0.002)) at (0, 0, 1)
    turn: revolute(axis: z, mass: 1, shape: capsule(0.02, 0.3))
  }
}
world room {
  components { w: wedge; c: cup; one: arm }
}
"""


def stl(faces):
    rows = b"".join(
        struct.pack("<12f", 0, 0, 0, *CORNERS[list(face)].ravel()) + b"\0\0" for face in faces
    )
    return b"\0" * 80 + struct.pack("<I", len(faces)) + rows


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "wedge.stl").write_bytes(stl(FACES))
    (tmp_path / "open.stl").write_bytes(stl([*FACES[1:], FACES[1]]))
    (tmp_path / "room.art").write_text(TEXT)
    return tmp_path


def test_looks_are_drawn_and_shapes_weigh(folder):
    world = art.read(folder / "room.art").world()
    wedge = world.bodies["w"]
    # a sixth of 3 cm by 4 cm by 5 cm
    assert mass_properties(wedge.shape, 1000).mass == pytest.approx(0.01, rel=1e-12)
    seen = drawn_bodies(world)
    assert seen["w"] is wedge
    assert world.bodies["c"].shape == Sphere(0.1)
    corners = surface_of(seen["c"].shape).vertices
    np.testing.assert_allclose(corners.min(axis=0), (0, -0.1, -0.5), atol=1e-3)
    np.testing.assert_allclose(corners.max(axis=0), (1.1, 0.4, 0.1), atol=1e-3)
    # of what moves together, links without a look show their shapes
    corners = surface_of(seen["one.base"].shape).vertices
    np.testing.assert_allclose(corners.min(axis=0), (-0.05, -0.05, -0.05), atol=1e-12)
    np.testing.assert_allclose(corners.max(axis=0), (0.06, 0.08, 1.1), atol=1e-12)
    assert seen["one.turn_link"].shape == world.bodies["one.turn_link"].shape


def test_what_is_written_is_read_back(folder):
    world = art.read(folder / "room.art").world()
    (folder / "again.art").write_text(art_text(world))
    assert art.read(folder / "again.art").world("room") == world
    tree, _ = parse((folder / "room.art").read_text())
    printed = print_file(tree)
    assert 'look: mesh("wedge.stl", 0.002)' in printed
    assert print_file(parse(printed)[0]) == printed


@pytest.mark.parametrize(
    ("said", "column", "words", "advice"),
    [
        ('geometry: mesh("wege.stl")', 32, "no file 'wege.stl' in", "did you mean 'wedge.stl'?"),
        ('geometry: mesh("open.stl")', 27, "'open.stl' is open", "draw it with look:"),
        ('look: mesh("room.art")', 28, "cannot be read as a mesh", 'such as "cup.stl"'),
        ('look: mesh("wedge.stl", 0)', 41, "a scale is not 0", ""),
        ('look: mesh("../wedge.stl")', 28, "no file '../wedge.stl'", ""),
        ("look: 3", 23, "a shape such as", ""),
    ],
)
def test_what_is_wrong_with_a_mesh(folder, said, column, words, advice):
    text = f"primitive cup {{ {said} }}\nworld room {{ components {{ c: cup }} }}\n"
    (folder / "wrong.art").write_text(text)
    (found,) = art.check(folder / "wrong.art")
    assert (found.line, found.column) == (1, column)
    assert words in found.message
    assert advice in found.suggestion


def test_what_is_fixed_may_be_a_surface(folder):
    text = 'primitive hood { properties: (fixed); geometry: mesh("open.stl") }\n'
    (folder / "hood.art").write_text(text + "world room { components { h: hood } }\n")
    assert art.check(folder / "hood.art") == ()
    shape = art.read(folder / "hood.art").world().bodies["h"].shape
    assert not shape.closed


def test_a_robot_looks_like_its_meshes(folder):
    (folder / "bot").mkdir()
    mesh = '<geometry><mesh filename="../wedge.stl" scale="0.001 0.001 0.001"/></geometry>'
    (folder / "bot" / "bot.urdf").write_text(
        f'<robot name="bot"><link name="base"><visual>{mesh}</visual></link>'
        '<link name="tip"><visual><geometry><mesh filename="arm.dxf"/></geometry></visual></link>'
        f'<link name="arm"><visual><geometry><mesh filename="arm.dxf"/></geometry></visual>'
        f"<collision>{mesh}</collision><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        '<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint>'
        '<joint name="end" type="fixed"><parent link="arm"/><child link="tip"/></joint>'
        "</robot>"
    )
    (folder / "bot" / "arm.dxf").write_text("lines")
    (folder / "bot" / "cell.art").write_text(
        'import "bot.urdf" as bot\nworld cell { components { one: bot } }\n'
    )
    with pytest.warns(art.FormatWarning, match="touch nothing: tip;"):
        world = art.read(folder / "bot" / "cell.art").world()
    for body in world.bodies.values():
        np.testing.assert_allclose(body.shape.vertices.max(axis=0), (0.03, 0.04, 0.05), atol=1e-9)
        corners = surface_of(drawn_bodies(world)[body.id].shape).vertices
        np.testing.assert_allclose(corners.max(axis=0), (0.03, 0.04, 0.05), atol=1e-9)


def test_a_text_in_no_file_is_told_where_its_meshes_are(folder):
    world = art.read(folder / "room.art").world()
    text = art_text(world)
    assert 'mesh("wedge.stl", 0.001)' in text
    again = art.parse(text, folder=folder).world()
    assert again.bodies["w"].shape == world.bodies["w"].shape
    with pytest.raises(art.WorldError, match=r"art\.parse\(text, folder=") as found:
        art.parse(text).world()
    assert "'wedge.stl' beside a text that is in no file" in str(found.value)
    with pytest.raises(art.WorldError, match="is no folder"):
        art.parse(text, folder=folder / "elsewhere")
    outside = text.replace("wedge.stl", f"../{folder.name}/wedge.stl")
    assert art.parse(outside, folder=folder).world().bodies["w"].shape == world.bodies["w"].shape
    (folder / "deeper").mkdir()
    with pytest.raises(art.WorldError, match="outside the folder"):
        art.parse(text.replace("wedge.stl", "../wedge.stl"), folder=folder / "deeper").world()
