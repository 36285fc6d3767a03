"""VRML97 and X3D as worlds: what stands where, and what is refused at which line."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import trimesh

import articulata as art
from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_files import scene_of
from articulata.geometry.shapes import Sphere
from articulata.geometry.solids import kernel_for

HALL = """#VRML V2.0 utf8
PROTO Stand [ field SFColor tint 1 0 0  exposedField SFVec3f at 0 0 0 ] {
  Transform { translation IS at children Shape {
    appearance Appearance { material Material { diffuseColor IS tint } }
    geometry Cylinder { radius 0.2 height 1 } } }
}
DEF Hall Group { children [
  DEF Floor Transform { translation 0 -0.05 0 children Shape {
    geometry Box { size 6 .1, 6 } # a remark
    appearance DEF Grey Appearance { material Material { diffuseColor .5 .5 .5 } } } }
  DEF Roof Transform { translation 1 0 -2 rotation 0 1 0 0.5 scale 1 2 1 children DEF Top Shape {
    appearance USE Grey
    geometry IndexedFaceSet {
      coord Coordinate { point [ -1 0 -1, 1 0 -1, 1 0 1, -1 0 1, 0 1 0 ] }
      coordIndex [ 0 1 2 3 -1, 0 4 1 -1 1 4 2 -1 2 4 3 -1 3 4 0 ] } } }
  Transform { translation -2 0 0 children USE Top }
  DEF A Stand { at 2 .5 1 }
  DEF B Stand { tint 0 0 1 at -2 .5 1 }
  DEF Front Viewpoint { position 0 1.6 6 fieldOfView 0.8 }
] }
DEF Clock TimeSensor {}
DEF Way PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0, 1 0 0 ] }
ROUTE Clock.fraction_changed TO Way.set_fraction
Script { url "javascript: function go() {}" eventIn SFBool go }
Inline { url "http://example.org/a.wrl" }
"""

ROOM = """<?xml version="1.0"?>
<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D 3.3//EN" "x3d-3.3.dtd">
<X3D version='3.3'><Scene>
<ProtoDeclare name='Stand'><ProtoInterface>
<field name='tint' type='SFColor' accessType='initializeOnly' value='1 0 0'/></ProtoInterface>
<ProtoBody><Shape><Appearance><Material><IS>
<connect nodeField='diffuseColor' protoField='tint'/></IS></Material></Appearance>
<Cone height='1' bottomRadius='.3'/></Shape></ProtoBody></ProtoDeclare>
<Viewpoint DEF='Entry' position='0 1.6 5'/>
<Transform DEF='Floor' translation='0 -.05 0'><Shape><Box size='4 .1 4'/></Shape></Transform>
<Transform DEF='Tip' translation='0 .5 0'><ProtoInstance name='Stand'>
<fieldValue name='tint' value='0 1 0'/></ProtoInstance></Transform>
<Transform DEF='Hill'><Shape>
<ElevationGrid xDimension='3' zDimension='2' height='0 1 0 0 1 0'/></Shape></Transform>
</Scene></X3D>
"""


def read(tmp_path: Path, text: str | bytes, name: str = "hall.wrl") -> Scene:
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return scene_of(file)


def placed(scene: Scene) -> dict[str, trimesh.Trimesh]:
    """Return the surfaces of a scene where they stand, for trimesh to weigh."""
    found = {}
    for part in scene.parts:
        vertices, faces = triangles_of(part.shape or part.look)
        found[part.name] = trimesh.Trimesh(
            vertices @ part.X_WP[:3, :3].T + part.X_WP[:3, 3], faces, process=True
        )
    return found


def test_things_stand_where_their_transforms_put_them(tmp_path: Path) -> None:
    scene = read(tmp_path, HALL)
    things = placed(scene)
    assert list(things) == ["Floor", "Roof", "Top", "A", "B"]
    # a pyramid of 2 x 2 m, 1 m high, twice as high under the scale
    assert things["Roof"].volume == pytest.approx(8 / 3)
    assert things["Top"].volume == pytest.approx(4 / 3)
    assert things["Top"].center_mass == pytest.approx([-2, 0.25, 0])
    # Rodrigues by hand: a turn about y takes (x, z) to (x cos + z sin, z cos - x sin)
    c, s = np.cos(0.5), np.sin(0.5)
    corner = [1 + (c + s), 0, -2 + (c - s)]
    assert np.abs(things["Roof"].vertices - corner).sum(axis=1).min() < 1e-12
    assert things["A"].bounds.ravel() == pytest.approx([1.8, 0, 0.8, 2.2, 1, 1.2], abs=1e-12)
    assert [part.color for part in scene.parts][2:] == [(0.5, 0.5, 0.5), (1, 0, 0), (0, 0, 1)]
    (view,) = scene.views
    assert (view.name, view.upwards, *view.X_WC[:3, 3]) == ("Front", 0.8, 0, 1.6, 6)


def test_what_is_left_out_is_named(tmp_path: Path) -> None:
    scene = read(tmp_path, HALL)
    assert dict(scene.lost) == {
        "ROUTE": 1, "TimeSensor": 1, "PositionInterpolator": 1, "Script": 1,
        "Inline: 'http://example.org/a.wrl' is an address on the network, which is not opened": 1,
    }  # fmt: skip
    with pytest.warns(
        art.FormatWarning, match="not taken over: .*TimeSensor, PositionInterpolator, ROUTE"
    ):
        art.read(tmp_path / "hall.wrl")


@pytest.mark.filterwarnings("ignore:.*not taken over")
def test_a_world_is_opened_and_imported(tmp_path: Path) -> None:
    read(tmp_path, HALL)
    document = art.read(tmp_path / "hall.wrl")
    assert document.check() == ()
    assert [each.kind for each in document.requests] == ["simulate", "film", "reach"]
    world = document.world()
    assert world.bodies["Floor"].motion == "fixed"
    assert art.parse(world.text, folder=tmp_path).world() == world
    (tmp_path / "two.art").write_text(
        'import "hall.wrl" as hall\n'
        "world w { components { a: hall; b: hall }\n"
        "structure { place b by b.frame.center at (20, 0, 0) turned 90 deg about y } }\n"
        "film w { world: w; camera: lens(35 mm) on b.frame.Front }\n"
    )
    both = art.read(tmp_path / "two.art")
    assert both.check() == ()
    bodies = both.world().bodies
    assert bodies["a.A"].pose.position == (2, 0.5, 1)
    # a quarter turn about y takes (2, 0.5, 1) to (1, 0.5, -2)
    assert bodies["b.A"].pose.position == pytest.approx((21, 0.5, -2))


def test_one_surface_of_a_world_goes_into_a_text(tmp_path: Path) -> None:
    read(tmp_path, HALL)
    (tmp_path / "a.art").write_text(
        'primitive p { properties: (density: 100); geometry: mesh("hall.wrl#Roof", 0.5); dynamics }'
        "\nworld w { components { p: p } }\n"
    )
    body = art.read(tmp_path / "a.art").world().bodies["p"]
    assert kernel_for(body.shape).mass_properties(body.shape, 100.0).mass == pytest.approx(
        100 * 8 / 3 / 8
    )
    (tmp_path / "b.art").write_text('primitive p { geometry: mesh("hall.wrl#Rof") }')
    assert art.check(tmp_path / "b.art") == ()
    (tmp_path / "c.art").write_text(
        'primitive p { geometry: mesh("hall.wrl#Rof") }\nworld w { components { p: p } }\n'
    )
    (finding,) = art.check(tmp_path / "c.art")
    assert "no surface 'Rof'" in finding.message


def test_x3d_stands_on_the_same_nodes(tmp_path: Path) -> None:
    scene = read(tmp_path, ROOM, "room.x3d")
    things = placed(scene)
    assert list(things) == ["Floor", "Tip", "Hill"]
    assert scene.parts[1].color == (0.0, 1.0, 0.0)
    assert things["Tip"].bounds[:, 1] == pytest.approx([0, 1])
    # two slopes of 1 m, 45 degrees
    assert things["Hill"].area == pytest.approx(2 * np.sqrt(2))
    assert (things["Hill"].face_normals[:, 1] > 0).all()
    assert not scene.lost


def test_an_extrusion_is_a_closed_solid(tmp_path: Path) -> None:
    bend = "spine [0 0 0, 0 1 0, 1 1 0] crossSection [.1 .1, .1 -.1, -.1 -.1, -.1 .1, .1 .1]"
    straight = "spine [0 0 0, 0 0 3] scale [1 1, 2 2] crossSection [1 1, 1 -1, -1 -1, -1 1, 1 1]"
    for said, volume in (
        # its corner is not mitred: the square in the bisecting plane is as wide as the others
        (bend, 0.2 * 0.2 * (1 + np.cos(np.pi / 4)) / 2 * 2),
        (straight, 3 / 3 * (4 + 8 + 16)),
    ):
        scene = read(tmp_path, f"#VRML V2.0 utf8\nShape {{ geometry Extrusion {{ {said} }} }}")
        (solid,) = placed(scene).values()
        assert solid.is_watertight
        assert solid.volume == pytest.approx(volume)


def test_dents_are_kept_where_faces_are_not_convex(tmp_path: Path) -> None:
    arrow = (
        "coord Coordinate { point [0 0 0, 2 1 0, 0 2 0, 1 1 0] } coordIndex [0 1 2 3] solid FALSE"
    )
    for convex, area in (("FALSE", 1.0), ("TRUE", None)):
        text = f"#VRML V2.0 utf8\nShape {{ geometry IndexedFaceSet {{ {arrow} convex {convex} }} }}"
        (face,) = placed(read(tmp_path, text)).values()
        assert area is None or face.area == pytest.approx(area)


def test_packed_files_and_old_encodings_are_read(tmp_path: Path) -> None:
    for data in (gzip.compress(HALL.encode()), HALL.encode("utf-16"), HALL.encode("utf-8-sig")):
        assert read(tmp_path, data).parts[0].name == "Floor"
    named = "#VRML V2.0 utf8\nDEF Tür Transform { children Shape { geometry Box {} } }"
    (part,) = read(tmp_path, named.encode("latin-1")).parts
    assert part.name == "T_r"


def test_files_beside_are_taken_in(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/kit.wrl").write_text(
        "#VRML V2.0 utf8\nPROTO Ball [ field SFFloat r 1 ] "
        "{ Shape { geometry Sphere { radius IS r } } }\n"
        "DEF Inner Transform { translation 0 1 0 children Shape { geometry Box {} } }"
    )
    scene = read(
        tmp_path,
        '#VRML V2.0 utf8\nEXTERNPROTO Ball [ field SFFloat r ] "parts/kit.wrl#Ball"\n'
        "DEF One Transform { translation 5 0 0 children [ Ball { r 2 } "
        'Inline { url "parts/kit.wrl" } ] }',
    )
    assert [part.name for part in scene.parts] == ["One", "Inner"]
    assert scene.parts[0].shape == Sphere(2.0)
    assert tuple(scene.parts[1].X_WP[:3, 3]) == (5, 1, 0)


def test_files_taken_in_may_lack_their_first_line(tmp_path: Path) -> None:
    (tmp_path / "part.wrl").write_text("# a part\nShape { geometry Box {} }")
    scene = read(tmp_path, '#VRML V2.0 utf8\nInline { url "part.wrl" }')
    assert len(scene.parts) == 1
    assert "first line of part.wrl" in next(iter(scene.lost))
    with pytest.raises(art.FormatError, match="VRML97 begins with"):
        scene_of(tmp_path / "part.wrl")


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("Shape { geometry Bax {} }", "2:18", "there is no node 'Bax'; did you mean 'Box'?"),
        ("Shape {\n geometri Box {} }", "3:2", "no field 'geometri'; did you mean 'geometry'?"),
        ("Box { size 1 2 }", "2:16", "a number is due, not '}'"),
        ("Sphere { radius -1 }\nShape { geometry Sphere { radius -1 } }", "3:18", "radius = -1"),
        ("Coordinate { point [0 0 0, 1] }", "2:21", "4 numbers stand here; MFVec3f takes 3"),
        ("Coordinate { point [0 0 nan] }", "2:25", "a number is due, not 'nan'"),
        ("Coordinate { point [0 0 1e999] }", "2:21", "too large"),
        ("Group { children [ Box {} ", "2:27", "the file ends"),
        ('WorldInfo { title "a }', "2:19", "never closed"),
        ("USE Nobody", "2:1", "no node is called 'Nobody'"),
        ("DEF A Group { children USE A }", "2:24", "'A' would contain itself"),
        ("PROTO P [] { P {} }", "2:14", "PROTO P would contain itself"),
        ("DEF A Group {}\nROUTE A.x TO A.y", "3:1", "A' has no eventOut 'x'"),
        ("ROUTE A.x TO B.y", "2:1", "no node is called 'A'"),
        ("PROTO P [ field MFNode k [] ] { Sphere { radius IS k } }", "2:42", "no SFFloat"),
        ("Group { children IS kids }", "2:9", "no prototype around has a field 'kids'"),
        (
            "Shape { geometry IndexedFaceSet { coord Coordinate { point [0 0 0] }\n"
            "coordIndex [0 1 2 -1] } }", "2:18", "holds 1; the points are numbered 0 to 0",
        ),
        (
            "Shape { geometry ElevationGrid { xDimension 1000000000 zDimension 1000000000 } }",
            "2:18", "has 0 heights",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_at_its_place(
    tmp_path: Path, text: str, place: str, words: str
) -> None:
    file = tmp_path / "bad.wrl"
    file.write_text(f"#VRML V2.0 utf8\n{text}")
    (finding,) = art.check(file)
    assert f"{finding.line}:{finding.column}" == place
    assert words in finding.message
    with pytest.raises(art.WorldError, match=rf"bad\.wrl:{place}"):
        art.read(file).world()


def test_another_format_says_so(tmp_path: Path) -> None:
    (tmp_path / "old.wrl").write_text("#VRML V1.0 ascii\nSeparator {}")
    (finding,) = art.check(tmp_path / "old.wrl")
    assert "VRML 1.0 is another format" in finding.message


CLASSIC = """#X3D V3.3 utf8
PROFILE Immersive
COMPONENT EventUtilities:1
DEF Chair Inline { url "chair.gltf" }
IMPORT Chair.Leg AS Foot
DEF Keys KeySensor { enabled TRUE }
DEF Filter BooleanFilter { metadata MetadataString { value [ "a", "}" ] } }
ROUTE Keys.pose TO Foot.translation
Transform { translation 1 0 0 children [
  PROTO Held [ field SFFloat size 1 ] { Shape {} }
  NurbsSet { geometry DEF Inside NurbsPatchSurface { uDimension 2 uKnot [ 0 0 1 1 ] } }
  DEF Ball Shape {
    appearance Appearance {
      shaders [ ComposedShader { parts ShaderPart { type "VERTEX" } field SFVec3f at 0 0 1 } ]
      material DEF Red Material { diffuseColor 1 0 0 normalTexture USE Bumps shade 1.5e0, -2 }
      blendMode BlendMode { src "one" }
    }
    geometry Sphere { radius 0.5 }
  }
] }
DEF Bumps MultiTexture { texture [ ImageTexture { url "a.png" } ] }
USE Inside
ROUTE Keys.isActive TO Filter.set_boolean
ROUTE Ball.wobble TO Filter.set_boolean
"""


def test_nodes_and_fields_of_x3d_that_are_not_read_are_passed_over(tmp_path: Path) -> None:
    text = CLASSIC.replace("normalTexture USE Bumps", "normalTexture DEF Bumps PixelTexture {}")
    (tmp_path / "chair.gltf").write_text('{"asset": {"version": "2.0"}}')
    scene = read(tmp_path, text, "classic.x3dv")
    assert scene.lost["Inline: 'chair.gltf' is a glTF scene"] == 1
    (part,) = scene.parts
    assert (part.color, part.X_WP[:3, 3].tolist()) == ((1.0, 0.0, 0.0), [1.0, 0.0, 0.0])
    assert scene.lost["KeySensor (a node that is not read)"] == 1
    assert scene.lost["Material.shade (a field that is not read)"] == 1
    assert scene.lost["ROUTE (to what is not read)"] == 3
    # VRML97 has no such nodes
    with pytest.raises(art.FormatError, match=r":2:\d+: there is no node 'KeySensor'"):
        read(tmp_path, "#VRML V2.0 utf8\nDEF Keys KeySensor {}\n", "old.wrl")
    # what is wrong about them is wrong all the same
    with pytest.raises(art.FormatError, match=":4:1: USE: no node is called 'Nobody'"):
        read(tmp_path, "#X3D V3.3 utf8\nKeySensor {}\n\nUSE Nobody\n", "none.x3dv")
    with pytest.raises(art.FormatError, match="the file ends"):
        read(tmp_path, "#X3D V3.3 utf8\nKeySensor { a [ 1 2\n", "open.x3dv")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("#X3D V3.3 utf8\nTransform { translatoin 1 0 0 children Group {} }", "a.x3dv"),
        ("<X3D><Scene><Transform translatoin='1 0 0'><Group/></Transform></Scene></X3D>", "a.x3d"),
    ],
)  # fmt: skip
def test_a_field_of_x3d_that_is_misspelt_is_told_with_the_one_that_was_meant(
    text: str, name: str, tmp_path: Path
) -> None:
    (lost,) = read(tmp_path, text, name).lost
    told = "a field that is not read; did you mean 'translation'?"
    assert lost == f"Transform.translatoin ({told})"


def test_nodes_inside_what_is_passed_over_are_no_wrong_names(tmp_path: Path) -> None:
    scene = read(
        tmp_path,
        "<X3D><Scene><MultiTexture><ImageTexture DEF='Wood'/></MultiTexture><Shape><Appearance>"
        "<ImageTexture USE='Wood'/><ImageTexture DEF='Dents' containerField='normalMap'/>"
        "</Appearance><Sphere/></Shape></Scene></X3D>",
        "room.x3d",
    )
    assert len(scene.parts) == 1
    assert scene.lost["Appearance.normalMap (a field that is not read)"] == 1


def test_defaults_of_a_prototype_use_what_stands_before_it(tmp_path: Path) -> None:
    scene = read(
        tmp_path,
        "#VRML V2.0 utf8\nShape { geometry DEF Ball Sphere { radius 3 } }\n"
        "PROTO Thing [ field SFNode form USE Ball ] { Shape { geometry IS form } }\nThing {}\n",
        "defaults.wrl",
    )
    assert [each.shape for each in scene.parts] == [Sphere(3.0), Sphere(3.0)]


@pytest.mark.parametrize("ending", ["x3dv.gz", "x3dvz", "wrl.gz"])
def test_packed_worlds_are_told_by_what_is_in_them(tmp_path: Path, ending: str) -> None:
    head = "#VRML V2.0 utf8" if ending.startswith("wrl") else "#X3D V3.0 utf8"
    file = tmp_path / f"world.{ending}"
    file.write_bytes(gzip.compress(f"{head}\nShape {{ geometry Sphere {{}} }}\n".encode()))
    assert len(scene_of(file).parts) == 1
