"""Foreign worlds that mean harm: a message, within bounds; nothing is executed."""

from __future__ import annotations

import base64
import gzip
import json
import random
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import trimesh

import articulata as art
from articulata.errors import FormatError
from articulata.formats.scenes.scene_files import component, scene_of, world
from shares import shares

SHARE = 1280
"""Mutated files of each kind in a usual run; ``test_many_mutated_files`` has more."""

VRML = """#VRML V2.0 utf8
PROTO Ball [ field SFFloat r 1 field MFNode kids [] ] { Transform { children [
  Shape { geometry Sphere { radius IS r } } Group { children IS kids } ] } }
DEF A Transform { translation 1 2 3 rotation 0 1 0 .5 scale 1 2 1 children [
  DEF S Shape { geometry IndexedFaceSet { coord Coordinate { point [0 0 0, 1 0 0, 0 1 0] }
    coordIndex [0 1 2 -1] } }
  Ball { r 2 kids [ USE S ] } ] }
Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [0 1 2 3] } }
Shape { geometry Extrusion { spine [0 0 0, 0 1 0, 1 1 0] } }
Inline { url "part.wrl" }
ROUTE A.translation TO A.translation
DEF C TimeSensor { loop TRUE cycleInterval 2 startTime 1 }
DEF P PositionInterpolator { key [0 .5 1] keyValue [0 0 0, 1 0 0, 0 0 1] }
DEF O OrientationInterpolator { key [0 1] keyValue [0 1 0 0, 0 1 0 1] }
DEF V Viewpoint {}
ROUTE C.fraction_changed TO P.set_fraction
ROUTE C.fraction_changed TO O.set_fraction
ROUTE P.value_changed TO A.translation
ROUTE O.value_changed TO A.rotation
ROUTE P.value_changed TO V.position
"""
X3D = """<X3D version='3.3'><Scene><Transform DEF='A' translation='1 2 3'>
<Shape><IndexedFaceSet coordIndex='0 1 2 -1'><Coordinate point='0 0 0 1 0 0 0 1 0'/>
</IndexedFaceSet></Shape></Transform><HAnimHumanoid name='p'>
<HAnimJoint name='a' containerField='skeleton'><HAnimJoint name='b' center='0 1 0'>
<HAnimSegment mass='2'/></HAnimJoint></HAnimJoint></HAnimHumanoid>
<Shape><Box size='1 2 3'/></Shape><TimeSensor DEF='C' loop='true' cycleInterval='2'/>
<PositionInterpolator DEF='P' key='0 1' keyValue='0 0 0 1 0 0'/>
<ROUTE fromNode='C' fromField='fraction_changed' toNode='P' toField='set_fraction'/>
<ROUTE fromNode='P' fromField='value_changed' toNode='A' toField='translation'/></Scene></X3D>
"""
BOX = trimesh.creation.box((1, 2, 3))
KINDS = {
    "wrl": VRML.encode(),
    "x3d": X3D.encode(),
    "x3dj": b"""{"X3D": {"Scene": {"-children": [{"Transform": {"@DEF": "A",
      "-children": [{"Shape": {
      "-geometry": {"Box": {"@size": [1, 2, 3]}}}}]}}, {"TimeSensor": {"@DEF": "C", "@loop": true}},
      {"Group": {"@DEF": "G", "-children": {"Transform": {"@USE": "A"}}}}]}}}""",
    "glb": trimesh.Scene([BOX]).export(file_type="glb"),
    "gltf": json.dumps(
        {
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0, "children": [1]}, {"camera": 0, "scale": [1, 2, 1]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
            "cameras": [{"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}}],
            "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "buffers": [{"byteLength": 36, "uri": "data:;base64," + base64.b64encode(
                np.eye(3, dtype="<f4").tobytes()).decode()}],
        }
    ).encode(),
}  # fmt: skip

PIECES = (
    b"[", b"]", b"{", b"}", b'"', b"#", b"USE A", b"DEF A", b"NULL", b"-1", b"1e308", b"nan",
    b"999999999999", b"IS", b"PROTO Q [] {}", b"\x00", b"\xff", b"<!--", b"<!ENTITY a 'b'>", b"&a;",
    b"ROUTE A.x TO A.y", b"-5", b"null", b"[0]", b"{}", b"4294967296", b'"nodes":[0]',
    b'Inline { url "../../../etc/passwd" }', b"0x7fffffff", b"Ball {}",
)  # fmt: skip


def mutated(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(made) + 1)
        match chance.randrange(4):
            case 0:
                made[at:at] = chance.choice(PIECES)
            case 1:
                del made[at : at + chance.randint(1, 40)]
            case 2:
                made[at : at + 1] = bytes([chance.randrange(256)])
            case _:
                piece = made[at : at + chance.randint(1, 60)]
                made[at:at] = piece * chance.randint(1, 3)
    return bytes(made)


def tried(file: Path, data: bytes) -> None:
    """Read a file; what cannot be read says so in words."""
    file.write_bytes(data)
    refused = None
    try:
        component(file)
    except FormatError as error:
        refused = str(error)
    assert refused is None or file.stem in refused, refused


@pytest.mark.filterwarnings("ignore:.*not taken over")
@pytest.mark.parametrize("kind", KINDS)
def test_mutated_files_are_read_or_refused(kind: str, tmp_path: Path) -> None:
    chance = random.Random(f"worlds {kind}")
    for number in range(SHARE):
        tried(tmp_path / f"hostile{number}.{kind}", mutated(KINDS[kind], chance))


@pytest.mark.filterwarnings("ignore:.*not taken over")
@pytest.mark.parametrize("share", shares([("", 2_000), ("a", 20_000), ("b", 20_000)], slow=1))
@pytest.mark.parametrize("kind", KINDS)
def test_many_mutated_files(kind: str, share: tuple[str, int], tmp_path: Path) -> None:
    seed, count = share
    chance = random.Random(f"many worlds {kind}{seed}")
    for number in range(count):
        tried(tmp_path / f"hostile{number % 50}.{kind}", mutated(KINDS[kind], chance))


def bombs() -> Iterator[tuple[str, str, str]]:
    head = "#VRML V2.0 utf8\n"
    doubled = "".join(
        f"DEF G{k + 1} Group {{ children [{f' USE G{k}' * 10}] }}\n" for k in range(12)
    )
    yield "wrl", f"{head}DEF G0 Shape {{ geometry Box {{}} }}\n{doubled}", "a world with fewer"
    protos = "".join(f"PROTO P{k + 1} [] {{ Group {{ children [{f' P{k} {{}}' * 10}] }} }}\n"
                     for k in range(12))  # fmt: skip
    yield "wrl", f"{head}PROTO P0 [] {{ Box {{}} }}\n{protos}P12 {{}}", "100000 nodes"
    person = "".join(
        f"PROTO {kind} [ field MFNode {inside} [] ] {{ Group {{}} }}\n"
        for kind, inside in (
            ("Humanoid", "humanoidBody"),
            ("Joint", "children"),
            ("Segment", "children"),
        )
    )
    empty = "".join(f"DEF G{k + 1} Group {{ children [{f' USE G{k}' * 10}] }}\n" for k in range(12))
    held = "Humanoid { humanoidBody Joint { children Segment { children USE G12 } } }"
    yield "wrl", f"{head}{person}\nDEF G0 Group {{}}\n{empty}{held}", "too much of it"
    yield "wrl", f"{head}{'Group { children ' * 5000}", "deep"
    yield "wrl", f"{head}{'PROTO P [] { ' * 5000}", "deep"
    yield "wrl", f'{head}Inline {{ url "bomb.wrl" }}', "takes in itself"
    yield "wrl", f"{head}Shape {{ geometry IndexedFaceSet {{ coordIndex [ 1e18 ] }} }}", "numbered"
    yield "wrl", f"{head}PixelTexture {{ image 100000 100000 4 0 }}", "pixels"
    yield "x3d", f"<X3D><Scene>{'<Group>' * 5000}", "200 others"
    lol = "".join(f"<!ENTITY l{k + 1} '{f'&l{k};' * 10}'>" for k in range(10))
    entities = f"<!DOCTYPE X3D [<!ENTITY l0 'ha'>{lol}]><X3D><Scene>&l9;</Scene></X3D>"
    yield "x3d", entities, "document type"
    outside = "<!DOCTYPE X3D [<!ENTITY e SYSTEM 'secret.txt'>]><X3D>&e;</X3D>"
    yield "x3d", outside, "document type"


@pytest.mark.parametrize(("ending", "text", "words"), list(bombs()))
def test_bombs_are_refused_within_bounds(
    tmp_path: Path, ending: str, text: str, words: str
) -> None:
    file = tmp_path / f"bomb.{ending}"
    file.write_text(text)
    began = time.perf_counter()
    tracemalloc.start()
    with pytest.raises(FormatError, match=words):
        component(file)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 512 * 2**20
    assert time.perf_counter() - began < 60.0


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("wrl", VRML.replace("scale 1 2 1", "scale 1e308 1e308 1e308")),
        ("wrl", VRML.replace("  DEF S Shape", "  Transform { scale 1e308 1 1 children Transform {"
         " scale 1e308 1 1 children Shape { geometry Box {} } } }\n  DEF S Shape")),
        ("x3d", X3D.replace("1 0 0 0 1 0'", "1 0 0 0 1e308 0'")),
        ("gltf", KINDS["gltf"].decode().replace("[1, 2, 1]", "[1e999, 0, 1]")),
        ("gltf", KINDS["gltf"].decode().replace('{"mesh": 0,', '{"mesh": 0, "scale": [1e308, 1e308,'
         ' 1e308], "translation": [1e308, 0, 0],').replace("[1, 2, 1]", "[1e308, 2, 1]")),
    ],
)  # fmt: skip
def test_numbers_that_overflow_are_refused(tmp_path: Path, ending: str, text: str) -> None:
    file = tmp_path / f"huge.{ending}"
    file.write_text(text)
    with pytest.raises(FormatError, match="huge"):
        component(file)


def test_a_packed_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("articulata.formats.bounded_content.LARGEST", 2**20)
    file = tmp_path / "bomb.wrl"
    file.write_bytes(gzip.compress(b"#VRML V2.0 utf8\n" + b" " * (16 * 2**20), 9))
    with pytest.raises(FormatError, match="larger than 1 MiB"):
        component(file)


def test_what_lies_outside_is_left_out(tmp_path: Path) -> None:
    secret = tmp_path / "secret.wrl"
    secret.write_text("#VRML V2.0 utf8\nShape { geometry Box {} }")
    (tmp_path / "inner").mkdir()
    file = tmp_path / "inner/room.wrl"
    link = tmp_path / "inner/link.wrl"
    link.symlink_to(secret)
    urls = ("../secret.wrl", str(secret), "link.wrl", "http://a.b/c.wrl", f"file://{secret}", "\\0")
    lines = [f'Inline {{ url "{each}" }}' for each in urls]
    file.write_text("#VRML V2.0 utf8\n" + "\n".join(lines))
    scene = scene_of(file)
    assert not scene.parts
    assert sum(scene.lost.values()) == len(urls)
    assert any("outside the folder" in each for each in scene.lost)


@pytest.mark.filterwarnings("ignore:.*not taken over")
def test_scripts_stay_text(tmp_path: Path) -> None:
    file = tmp_path / "run.wrl"
    target = tmp_path / "made"
    file.write_text(
        f"#VRML V2.0 utf8\nScript {{ url \"javascript: import os; os.mkdir('{target}')\" }}"
    )
    art.read(file).world()
    assert not target.exists()


@pytest.mark.filterwarnings("ignore::UserWarning")  # MuJoCo and we tell what is odd
@pytest.mark.parametrize(
    ("joint", "gear"),
    [('axis="1e200 1e200 0"', "1"), ('axis="1e160 1e-200 0"', "1"), ('axis="0 1 0"', "1e200")],
)
def test_a_model_of_mujoco_that_overflows_is_refused(tmp_path: Path, joint: str, gear: str) -> None:
    pytest.importorskip("mujoco")
    file = tmp_path / "arm.xml"
    file.write_text(
        f'<mujoco><worldbody><body name="a"><joint name="z" {joint}/><geom size=".1"/></body>'
        f'</worldbody><actuator><motor joint="z" gear="{gear}"/></actuator></mujoco>'
    )
    with pytest.raises(FormatError, match="its numbers are beyond"):
        world(file)
