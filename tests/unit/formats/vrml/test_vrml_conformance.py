"""What public conformance folders of VRML97 and X3D ask of a reader, in files of our own.

Areas and volumes are by hand; places of errors are counted in the texts.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import trimesh

import articulata as art
from articulata.errors import FormatError
from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_files import scene_of

VRML = "#VRML V2.0 utf8\n"
X3D = "#X3D V3.3 utf8\nPROFILE Full\n"


def read(tmp_path: Path, text: str, name: str = "world.wrl") -> Scene:
    file = tmp_path / name
    file.write_bytes(text.encode())
    return scene_of(file)


def mesh(scene: Scene) -> trimesh.Trimesh:
    (part,) = scene.parts
    vertices, faces = triangles_of(part.shape or part.look)
    return trimesh.Trimesh(vertices @ part.X_WP[:3, :3].T + part.X_WP[:3, 3], faces, process=True)


CORNERS = "coord Coordinate { point [ 0 0 0, 2 0 0, 2 3 0, 0 3 0, 0 0 1, 2 0 1, 2 3 1, 0 3 1 ] }"
SURFACES = {
    "quads by index": (
        f"IndexedQuadSet {{ {CORNERS} index [ 3 2 1 0 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7 ] }}",
        22.0, 6.0,
    ),
    "quads in a row": (
        "QuadSet { coord Coordinate { point [ 0 0 0, 2 0 0, 2 3 0, 0 3 0 ] } }", 6.0, None
    ),
    "strip by index": (
        f"IndexedTriangleStripSet {{ {CORNERS} index [ 0 1 3 2 -1 4 5 7 ] }}", 6.0 + 3.0, None
    ),
    "strips": (
        "TriangleStripSet { stripCount [ 4 3 ] coord Coordinate { point "
        "[ 0 0 0, 1 0 0, 0 1 0, 1 1 0, 0 0 5, 2 0 5, 0 2 5 ] } }", 1.0 + 2.0, None
    ),
    "fan by index": (f"IndexedTriangleFanSet {{ {CORNERS} index [ 0 1 2 3 ] }}", 6.0, None),
    "fans": (
        "TriangleFanSet { fanCount [ 4 ] coord Coordinate { point "
        "[ 0 0 0, 2 0 0, 2 3 0, 0 3 0, 9 9 9 ] } }", 6.0, None
    ),
    "rectangle": ("Rectangle2D { size 2 3 }", 6.0, None),
    "triangles in the plane": ("TriangleSet2D { vertices [ 0 0, 1 0, 0 1, 2 2 ] }", 0.5, None),
}  # fmt: skip


@pytest.mark.parametrize("name", SURFACES)
def test_surfaces_of_x3d_have_their_areas(tmp_path: Path, name: str) -> None:
    node, area, volume = SURFACES[name]
    found = mesh(read(tmp_path, f"{X3D}Shape {{ geometry {node} }}", "world.x3dv"))
    assert found.area == pytest.approx(area)
    if volume is not None:
        assert (found.volume, found.is_watertight) == (pytest.approx(volume), True)
    elif name != "strip by index":
        assert found.face_normals == pytest.approx(np.tile([0, 0, 1.0], (len(found.faces), 1)))


@pytest.mark.parametrize(
    ("node", "area"),
    [
        ("Disk2D { outerRadius 2 innerRadius 1 }", math.pi * 3),
        ("Disk2D { outerRadius 2 }", math.pi * 4),
        ("ArcClose2D { radius 2 startAngle 1 endAngle 2.5 }", 0.5 * 4 * 1.5),
        ('ArcClose2D { closureType "CHORD" startAngle 6 endAngle 7 }', 0.5 * (1 - math.sin(1))),
        ("ArcClose2D { radius 2 startAngle 1 endAngle 1 }", math.pi * 4),
    ],
)
def test_round_figures_are_filled_to_a_share_of_the_circle(
    tmp_path: Path, node: str, area: float
) -> None:
    found = mesh(read(tmp_path, f"{X3D}Shape {{ geometry {node} }}", "world.x3dv"))
    assert found.area == pytest.approx(area, rel=2e-3)
    assert found.face_normals[found.area_faces > 1e-9][:, 2] == pytest.approx(1.0)


def test_assemblies_parts_and_layers_hold_things(tmp_path: Path) -> None:
    box = "<Shape DEF='{}'><Box size='1 1 1'/></Shape>"
    face = box.format("A' containerField='shape")
    scene = read(
        tmp_path,
        "<X3D version='3.3' profile='Full'><Scene><CADLayer visible='true false'>"
        f"<CADAssembly><CADPart DEF='Pin' translation='1 2 3'><CADFace>"
        f"{face}</CADFace></CADPart></CADAssembly>"
        f"<Group>{box.format('B')}</Group></CADLayer>"
        f"<LayerSet order='1 0'><Layer>{box.format('C')}</Layer></LayerSet>"
        f"<PickableGroup>{box.format('D')}</PickableGroup></Scene></X3D>",
        "world.x3d",
    )
    assert not scene.lost
    assert [part.name for part in scene.parts] == ["Pin", "C", "D"]
    assert scene.parts[0].X_WP[:3, 3] == pytest.approx([1, 2, 3])


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_lines_may_end_as_on_every_machine(tmp_path: Path, end: str) -> None:
    text = f"{VRML}# a remark\nShape {{ geometry Box {{}} }}\nShape {{ geometry Bax {{}} }}\n"
    good = text.replace("Bax", "Sphere").replace("\n", end)
    assert len(read(tmp_path, good).parts) == 2
    with pytest.raises(FormatError, match=r"bad\.wrl:4:18: there is no node 'Bax'"):
        read(tmp_path, text.replace("\n", end), "bad.wrl")


@pytest.mark.parametrize(
    "head",
    ["#VRML V2.0 utf8", "#VRML    V2.0 utf8", "#VRML V2.0 utf8 made by hand", "#X3D V3.0 utf8"],
)
def test_first_lines_that_are_right(tmp_path: Path, head: str) -> None:
    assert not read(tmp_path, head).parts


@pytest.mark.parametrize(
    "head",
    ["# VRML V2.0 utf8", "#VRML 2.0 utf8", "#\n#VRML V2.0 utf8", "#VRML V2.0", "#VRMLV2.0utf8"],
)
def test_first_lines_that_are_wrong(tmp_path: Path, head: str) -> None:
    with pytest.raises(FormatError, match=r"world\.wrl:1:1: VRML97 begins with '#VRML V2\.0 utf8'"):
        read(tmp_path, f"{head}\n")


PROTO = "PROTO Crate [ {} SFVec3f bounds {} ] {{\n Group {{ bboxSize IS bounds }} }}\n"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (VRML + PROTO.format("exposedField", "1 1 1"), "3:10", "no field, as 'bboxSize' is"),
        (VRML + PROTO.format("eventIn", ""), "3:10", "no field, as 'bboxSize' is"),
        (VRML + PROTO.format("field", "1 1 1").replace("SFVec3f", "SFVec3d"), "3:10", "no SFVec3f"),
        (VRML + "DEF I Inline {}\nIMPORT I.a AS b", "3:1", "no node 'IMPORT'"),
        (VRML + "Shape {\n set_geometry Box {} }", "3:2", "is an event"),
        (VRML + "Script {\n field SFInt32 count 0 0 0 }", "3:24", "no field '0'"),
        (VRML + "DEF G Group { children [\n USE G ] }", "3:2", "would contain itself"),
        (X3D + "PROTO P [] {\n Group {}\n EXPORT G AS h }", "5:2", "no node 'EXPORT'"),
        (X3D + "Shape { geometry IndexedFaceSet {\n set_coordIndex [ 0 1 2 ] } }", "4:2",
         "is an event"),
    ],
)  # fmt: skip
def test_what_the_standards_forbid_is_refused_at_its_line(
    tmp_path: Path, text: str, place: str, words: str
) -> None:
    (tmp_path / "bad.wrl").write_text(text)
    (finding,) = art.check(tmp_path / "bad.wrl")
    assert words in finding.message
    assert f"{finding.line}:{finding.column}" == place


def test_what_files_of_x3d_may_hold_besides(tmp_path: Path) -> None:
    grid = "ElevationGrid { xDimension 2 zDimension 2 height [ 0 0 0 0, 9 9 ] }"
    drag = "DEF P PlaneSensor {} DEF S Script { inputOnly SFBool over }"
    turns = "Script { inputOutput SFMatrix4d m 1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1 }"
    text = f"{X3D}Shape {{ geometry {grid} }} {drag} {turns} ROUTE P.isOver TO S.over"
    assert mesh(read(tmp_path, text, "world.x3dv")).area == pytest.approx(1.0)
    text = (
        "<X3D profile='Full'><Scene><Shape><IndexedTriangleSet index='0 1 2'><Coordinate>"
        "<fieldValue name='point'>0 0 0, 2 0 0, 0 1 0</fieldValue></Coordinate>"
        "</IndexedTriangleSet></Shape></Scene></X3D>"
    )
    assert mesh(read(tmp_path, text, "text.x3d")).area == pytest.approx(1.0)


ALLOWED = {
    "blanks about the point of a route": VRML
    + "DEF C TimeSensor {} DEF P PositionInterpolator {}\n"
    "ROUTE C . fraction_changed TO P. set_fraction\n",
    "blanks about the colon of a component": "#X3D V3.3 utf8\nPROFILE Full\n"
    "COMPONENT Geometry2D : 1\n"
    "COMPONENT Text: 1\nCOMPONENT Layering :1\n",
    "remarks on its making in VRML97": VRML + 'META "generator" "a program"\n',
    "remarks of several lines": X3D
    + "#/* Bax {}\n # Bax {} */# Group {} # a line #/* Bax {}\nShape { geometry IndexedFaceSet {\n"
    "coord Coordinate { point [ 0 0 0, #/* 5 5\n5 */# 1 0 0, 0 1 0 ] } coordIndex [ 0 1 2 ] } }\n"
    "#/* never closed\nGroup {}\n",
    "an import within a prototype": X3D
    + "PROTO A [] { DEF I Inline {} IMPORT I.T AS T DEF P PositionInterpolator {}\n"
    "ROUTE P.value_changed TO T.translation }\nA {}\n",
    "a Script that names itself": VRML
    + "DEF G Group { children DEF S Script { field SFNode me USE S field SFNode above USE G } }\n",
    "a prototype that uses an older one of its name": VRML
    + "PROTO A [] { Group {} }\nPROTO A [] { A {} }\nA {}\n",
    "an interpolator without keys": VRML
    + "DEF C TimeSensor { loop TRUE } DEF P PositionInterpolator { keyValue [ 1 1 1 ] }\n"
    "DEF T Transform {}\nROUTE C.fraction_changed TO P.set_fraction\n"
    "ROUTE P.value_changed TO T.translation\n",
    "metadata of an instance": X3D
    + "PROTO A [] { Group { metadata IS metadata } }\nA { metadata MetadataSet {} }\n",
    "solid from outside": X3D
    + "PROTO A [ inputOutput SFBool solid TRUE ] { Shape { geometry Box { solid IS solid } } }\n",
    "points of a node that is not read": X3D
    + "Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 ] coord GeoCoordinate {} } }\n",
    "radii the other way round": X3D
    + "Shape { geometry Disk2D { innerRadius 2 outerRadius 1 } }\n",
    "metadata without a field": "<X3D profile='Full'><Scene><WorldInfo><MetadataSet>"
    "<MetadataBoolean value='true'/><MetadataDouble value='1'/></MetadataSet></WorldInfo>"
    "</Scene></X3D>",
    "nodes in fields of Scripts and prototypes": "<X3D profile='Full'><Scene>"
    "<ProtoDeclare name='P'>"
    "<ProtoInterface><field accessType='inputOutput' type='SFNode' name='a'><WorldInfo DEF='W'/>"
    "</field><field accessType='inputOutput' type='SFNode' name='b'><WorldInfo USE='W'/></field>"
    "</ProtoInterface><ProtoBody><Group/></ProtoBody></ProtoDeclare><Script DEF='S'>"
    "<field accessType='initializeOnly' type='SFNode' name='t'><Transform DEF='T'/></field>"
    "<field accessType='initializeOnly' type='SFNode' name='s'><Script USE='S'/></field></Script>"
    "<Transform USE='T'/></Scene></X3D>",
    "a schema named in JSON": '{ "X3D": { "encoding": "UTF-8", "JSON schema": "x3d-4.0", '
    '"@profile": "Full", "Scene": { "-children": [] } } }',
}


@pytest.mark.parametrize("name", ALLOWED)
def test_what_the_standards_allow_is_read(tmp_path: Path, name: str) -> None:
    read(tmp_path, ALLOWED[name], "world.json" if "JSON" in name else "world.wrl")


def test_files_that_take_in_each_other_are_refused_where_they_do(tmp_path: Path) -> None:
    (tmp_path / "b.wrl").write_text(f'{VRML}Group {{}}\n Inline {{ url "a.wrl" }}')
    with pytest.raises(FormatError, match=r"b\.wrl:3:2: Inline: a\.wrl takes in itself"):
        read(tmp_path, f'{VRML}Inline {{ url "b.wrl" }}', "a.wrl")
    with pytest.raises(FormatError, match=r"c\.wrl:2:\d+: EXTERNPROTO C: c\.wrl takes in itself"):
        read(tmp_path, f'{VRML}EXTERNPROTO C [] "c.wrl#C"\nC {{}}', "c.wrl")
