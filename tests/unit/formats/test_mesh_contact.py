"""What moves in a foreign world touches by the convex hulls of its meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.errors import FormatWarning
from articulata.geometry.convex import convex_hull
from articulata.geometry.shapes import Mesh
from articulata.geometry.solids import mass_properties
from articulata.world.writing.worlds import art_text

EDGE = 0.2
CORNERS = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (1, 5, 7, 3))
DENT = (0.0, 0.0, 0.0)
"""A box whose lower side is drawn in to its middle: only its hull is a box."""
FACES = [f for a, b, c, d in SIDES for f in ((a, b, c), (a, c, d))]
FACES += [(a, b, 8) for a, b in ((0, 2), (2, 6), (6, 4), (4, 0))]
OBJ = "\n".join(
    [f"v {x} {y} {z}" for x, y, z in (*CORNERS, DENT)]
    + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
)
LIFTED = EDGE / 3 * (EDGE / 2 - EDGE / 8) / (2 * EDGE - EDGE / 3)
"""m, how far the dent, a pyramid, lifts the centre of mass where the mesh weighs."""
URDF = """<robot name="box"><link name="box"><inertial><mass value="2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
<collision><geometry><mesh filename="box.obj"/></geometry></collision></link></robot>"""
MJCF = """<mujoco model="box"><asset><mesh name="box" file="box.obj"/></asset><worldbody>
<geom name="floor" type="plane" size="5 5 .1"/><body name="box" pos="0 0 0.5"><freejoint/>
<geom type="mesh" mesh="box" mass="2"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><world name="w"><model name="ground"><static>true</static>
<link name="l">
<collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link>
</model><model name="box"><pose>0 0 0.5 0 0 0</pose><link name="l"><inertial><mass>2</mass>
<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial><collision name="c">
<geometry><mesh><uri>box.obj</uri></mesh></geometry></collision></link></model></world></sdf>"""
USDA = f"""#usda 1.0
(
  upAxis = "Z"
  metersPerUnit = 1
)
def PhysicsScene "physics" {{ }}
def Cube "floor" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{{
  double size = 2
  double3 xformOp:translate = (0, 0, -1)
  uniform token[] xformOpOrder = ["xformOp:translate"]
}}
def Xform "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{{
  float physics:mass = 2
  double3 xformOp:translate = (0, 0, 0.5)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Mesh "shell" (prepend apiSchemas = ["PhysicsCollisionAPI"])
  {{
    point3f[] points = {[*CORNERS, DENT]}
    int[] faceVertexCounts = {[3] * len(FACES)}
    int[] faceVertexIndices = {[k for face in FACES for k in face]}
  }}
}}
"""


@pytest.mark.parametrize(
    ("file", "text", "center"),
    [
        ("box.urdf", URDF, 0.0),
        ("box.xml", MJCF, LIFTED),
        ("box.sdf", SDF, 0.0),
        ("box.usda", USDA, LIFTED),
    ],
)
def test_a_mesh_that_falls_comes_to_rest_on_the_floor(
    tmp_path: Path, file: str, text: str, center: float
) -> None:
    (tmp_path / "box.obj").write_text(OBJ)
    (tmp_path / file).write_text(text)
    document = art.read(tmp_path / file)
    world = document.world(document.requests[0].world)
    body = next(name for name, each in world.bodies.items() if "mass" in each.properties)
    assert mass_properties(world.bodies[body].shape, 1.0).mass == pytest.approx(EDGE**3)
    assert mass_properties(world.bodies[body].look, 1.0).mass < 0.9 * EDGE**3  # it looks dented
    again = art.parse(art_text(world), folder=tmp_path, allow=[tmp_path]).world()
    assert again.bodies[body].shape == world.bodies[body].shape
    run = art.simulate(world, until=1.0, step=0.1)
    assert run.series(f"{body}.mass_center")[-1][2] == pytest.approx(EDGE / 2 + center, abs=1e-6)
    assert any(event.kind == "impact" for event in run.events)


def test_links_whose_meshes_are_flat_are_named(tmp_path: Path) -> None:
    (tmp_path / "box.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "box.urdf").write_text(URDF)
    with pytest.warns(FormatWarning, match=r"touch nothing: box; write a <box>"):
        assert art.read(tmp_path / "box.urdf").world().bodies["thing.base"].shape is None


def test_a_hull_of_many_corners_keeps_those_that_stand_out() -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(4000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    spread = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 1.2
    mesh = Mesh(np.concatenate([points, spread]), [(0, 1, 2)], "ball.stl")
    made = convex_hull(mesh, "ball.stl#hull", 256)
    assert made.closed
    assert made.file == "ball.stl#hull"
    assert len(made.vertices) <= 256
    for corner in spread:
        assert (np.abs(made.vertices - corner).sum(axis=1) == 0).any()
    ball = convex_hull(Mesh(points, [(0, 1, 2)]), most=256)
    assert 4 / 3 * np.pi * 0.97 < mass_properties(ball, 1.0).mass < 4 / 3 * np.pi
