"""Worlds of other programs, damaged by chance: a FormatError or a scene, and nothing else."""

from __future__ import annotations

import base64
import json
import struct
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import trimesh
from tests.mutations import mutated
from tests.shares import shares

from articulata.errors import FormatError
from articulata.formats.gltf.gltf_writer import write_glb
from articulata.formats.mjcf.mjcf_writer import write_mjcf
from articulata.formats.scenes.foreign_scene import Scene
from articulata.formats.scenes.scene_files import scene_of
from articulata.formats.scenes.scene_text import world_text
from articulata.formats.usd.usd_writer import write_usd
from articulata.formats.vrml.vrml_writer import write_vrml, write_x3d, write_x3d_json

SHARES = 5
"""Seeds of 20,000 files of each kind in the sweep: with those of hostile worlds, over a million."""

SURFACES = ("ply", "obj", "stl", "off")
"""What takes some 20 ms a file, for 1 of other kinds: a tenth as many are damaged."""

WORLD_MOST, SURFACE_MOST = 16 << 20, 128 << 20
"""Bytes for one file: a surface may be a scan, which is spread over up to a million points."""

WORLD = """#VRML V2.0 utf8
DEF Door Transform { translation 0 1 0 center .5 0 0 children Shape {
  appearance Appearance { material Material { diffuseColor 1 .5 0 } }
  geometry Box { size 1 2 1 } } }
DEF Eye Viewpoint { position 0 1 10 }
DEF Slow TimeSensor { loop TRUE cycleInterval 4 }
DEF Turn OrientationInterpolator { key [0 .5 1] keyValue [0 1 0 0, 0 1 0 1.5, 0 1 0 0] }
ROUTE Slow.fraction_changed TO Turn.set_fraction
ROUTE Turn.value_changed TO Door.set_rotation
"""


def stacked(scene: Scene) -> str:
    """Return a model of MuJoCo with stacked joints and a tendon; the scene stands in none."""
    pytest.importorskip("mujoco")
    text, _ = write_mjcf(Scene("arm", "arm.xml"))
    body = (
        '<body name="a"><joint name="x" stiffness="1"/><joint name="y" axis="0 1 0"/>'
        '<geom size=".1"/>'
        '<body name="b"><joint name="z" damping="1"/><geom size=".1" pos="1 0 0"/></body></body>'
    )
    tendon = (
        '<tendon><fixed name="t" stiffness="2"><joint joint="x" coef="1"/>'
        '<joint joint="z" coef="-1"/></fixed></tendon>'
    )
    return text.replace("</mujoco>", f"<worldbody>{body}</worldbody>{tendon}</mujoco>")


def gazebo(_scene: Scene) -> str:
    """Return a robot of SDFormat with frames, a nested model and joints of several kinds."""
    heavy = "<inertial><mass>2</mass></inertial>"
    box = "<geometry><box><size>1 2 1</size></box></geometry>"
    link = f'{heavy}<visual name="v">{box}</visual><collision name="c">{box}</collision>'
    axis = "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis>"
    return (
        '<sdf version="1.9"><world name="w"><gravity>0 0 -9.8</gravity><model name="m">'
        f'<pose degrees="true">1 2 3 0 0 90</pose><link name="a">{link}</link>'
        '<frame name="f" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>'
        f'<model name="n"><pose relative_to="f">0 1 0 0 0 0</pose><link name="b">{link}</link>'
        f'</model><joint name="j" type="revolute"><parent>a</parent><child>n::b</child>{axis}'
        '</joint><joint name="k" type="fixed"><parent>world</parent><child>a</child></joint>'
        "</model><include><uri>model://n</uri></include></world></sdf>"
    )


def embedded(scene: Scene) -> str:
    """Return a scene as glTF in JSON, its data inside."""
    data = write_glb(scene)
    (length,) = struct.unpack_from("<I", data, 12)
    tree = json.loads(data[20 : 20 + length])
    packed = base64.b64encode(data[28 + length :]).decode()
    tree["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{packed}"
    return json.dumps(tree)


def box(ending: str) -> Callable[[Scene], bytes | str]:
    """Return what writes a box as a surface."""
    return lambda _scene: trimesh.creation.box((1, 2, 3)).export(file_type=ending)


def dense(_scene: Scene) -> str:
    """Return glTF with what exporters pack: sparse rows, shares, rows apart, strips, a step."""
    points = np.array([[0, 0, 0, 9], [1, 0, 0, 9], [0, 1, 0, 9], [1, 1, 0, 9]], "<f4")
    pieces = {
        "points": points.tobytes(),
        "index": np.array([0, 1, 2, 3], "<u2").tobytes(),
        "rows": np.array([3, 0], "<u2").tobytes(),
        "moved": np.array([[2, 2, 0]], "<f4").tobytes(),
        "times": np.array([0.0, 1.0, 2.0], "<f4").tobytes(),
        "turns": np.array([[0, 0, 0, 32767], [0, 32767, 0, 0], [0, 0, 0, 32767]], "<i2").tobytes(),
        "cubic": np.linspace(0.0, 1.0, 27, dtype="<f4").tobytes(),
    }
    data, views = b"", []
    for name, each in pieces.items():
        view = {"buffer": 0, "byteOffset": len(data), "byteLength": len(each)}
        views.append(view | ({"byteStride": 16} if name == "points" else {}))
        data += each
    sparse = {"count": 1, "indices": {"bufferView": 2, "componentType": 5123},
              "values": {"bufferView": 3}}  # fmt: skip
    rows = [(0, 5126, 4, "VEC3"), (1, 5123, 4, "SCALAR"), (4, 5126, 3, "SCALAR"),
            (5, 5122, 3, "VEC4"), (6, 5126, 9, "VEC3")]  # fmt: skip
    accessors = [
        {"bufferView": view, "componentType": kind, "count": count, "type": width}
        for view, kind, count, width in rows
    ]
    accessors[0]["sparse"] = sparse
    accessors[3]["normalized"] = True
    samplers = [
        {"input": 2, "output": 3, "interpolation": "STEP"},
        {"input": 2, "output": 4, "interpolation": "CUBICSPLINE"},
    ]
    channels = [
        {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
        {"sampler": 1, "target": {"node": 0, "path": "translation"}},
    ]
    primitive = {"attributes": {"POSITION": 0}, "indices": 1, "mode": 5, "material": 0}
    lens = {"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}
    packed = base64.b64encode(data).decode()
    uri = f"data:application/octet-stream;base64,{packed}"
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1, 2], "scale": [1, 2, 1]}, {"mesh": 0, "name": "sail"},
                  {"camera": 0, "matrix": np.eye(4).reshape(-1).tolist()}],
        "meshes": [{"primitives": [primitive, primitive | {"mode": 6}]}], "cameras": [lens],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}],
        "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": len(data), "uri": uri}],
        "animations": [{"samplers": samplers, "channels": channels}],
    })  # fmt: skip


@pytest.mark.parametrize(
    ("ending", "write"),
    [
        ("wrl", write_vrml),
        ("x3d", write_x3d),
        ("x3dj", write_x3d_json),
        ("glb", write_glb),
        ("gltf", embedded),
        pytest.param("gltf", dense, id="gltf-dense"),
        ("xml", stacked),
        ("sdf", gazebo),
        *((ending, box(ending)) for ending in SURFACES),
    ],
)
@pytest.mark.filterwarnings("ignore::articulata.errors.FormatWarning")  # read all the same
@pytest.mark.parametrize(
    "share", [(36, 450), *shares([(37, 2_000), *((k, 20_000) for k in range(SHARES))], slow=1)]
)
def test_no_damage_escapes(
    tmp_path: Path, ending: str, write: object, share: tuple[int, int]
) -> None:
    seed, count = share
    most = WORLD_MOST
    if ending in SURFACES:
        count, most = count // 10, SURFACE_MOST
    (tmp_path / "world.wrl").write_text(WORLD)
    scene = scene_of(tmp_path / "world.wrl")
    assert callable(write)
    made = write(scene)
    whole = made if isinstance(made, bytes) else made.encode()
    read = 0
    for number, data in enumerate(mutated([whole], count, seed, most, block=200)):
        file = tmp_path / f"damaged{number % 50}.{ending}"
        file.write_bytes(data)
        try:
            world_text(scene_of(file))
            read += 1
        except FormatError:
            continue
    assert read < count


def test_a_hole_that_meets_the_outline_of_a_floor_is_cut(tmp_path: Path) -> None:
    box = trimesh.creation.box((1, 2, 3)).export(file_type="stl")
    file = tmp_path / "room.stl"
    file.write_bytes(next(islice(mutated([box], 1600, 0), 1551, None)))
    assert "floor" in world_text(scene_of(file))


@pytest.mark.skipif(sys.platform != "linux", reason="its system tells how a process grows")
def test_a_process_that_grows_is_noticed_where_nothing_is_traced() -> None:
    packets = mutated([b"what"], 500, block=50)
    for _ in range(131):
        next(packets)
    np.ones((200, 1 << 16))
    with pytest.raises(AssertionError, match="bytes more for"):
        next(packets)


@pytest.mark.parametrize("ending", ["usda", "usdc", "usdz"])
@pytest.mark.parametrize("count", [6, *shares([100, 1000], slow=1)], ids=["some", "many", "most"])
def test_damaged_stages_end_their_own_process(tmp_path: Path, ending: str, count: int) -> None:
    (tmp_path / "world.sdf").write_text(gazebo(Scene("", "")))
    seed = write_usd(scene_of(tmp_path / "world.sdf"), f".{ending}")
    (tmp_path / f"whole.{ending}").write_bytes(seed)
    assert "hinge" not in world_text(scene_of(tmp_path / f"whole.{ending}"))
    told: Counter[str] = Counter()
    for number, data in enumerate(mutated([seed], count, most=4 << 20)):
        file = tmp_path / f"damaged{number % 50}.{ending}"
        file.write_bytes(data)
        begin = time.monotonic()
        try:
            world_text(scene_of(file))
        except FormatError as error:
            told["broke off" if "broke off" in str(error) else "refused"] += 1
        assert time.monotonic() - begin < 60.0
    assert told.total() > 0
    print(ending, dict(told), "of", count)


@pytest.mark.parametrize("encoding", ["UTFe8", "shift_jis", "base64", "idna", "undefined"])
def test_encodings_that_cannot_be_read_are_told(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "room.x3d"
    file.write_text(f'<?xml version="1.0" encoding="{encoding}"?><X3D><Scene/></X3D>')
    with pytest.raises(FormatError, match="write it in UTF-8"):
        scene_of(file)


def test_a_file_with_nothing_takes_no_memory(tmp_path: Path) -> None:
    file = tmp_path / "room.wrl"
    file.write_bytes(b"")
    tracemalloc.start()
    try:
        with pytest.raises(FormatError):
            scene_of(file)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
