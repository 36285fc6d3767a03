"""Files of other formats are named, whatever their names end in, and no world's text is one."""

from __future__ import annotations

import sys
import time
import zipfile
from pathlib import Path

import mujoco
import pytest
import trimesh
from matplotlib.figure import Figure as Drawing

import articulata as art
from articulata.formats.scenes.scene_files import scene_of
from articulata.world.foreign_files import (
    FORMATS,
    SURFACES,
    format_of,
    format_of_bytes,
    format_of_text,
)

# How files of these formats begin, by their specifications or as common programs write them.
BEGINNINGS = {
    "vrml": "#VRML V2.0 utf8\nDEF Box Transform { children Shape {} }\n",
    "webots": "#VRML_SIM R2023b utf8\nWorldInfo {\n}\n",
    "x3d": '<?xml version="1.0"?>\n<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D 3.0//EN"'
    ' "x3d-3.0.dtd">\n<X3D profile="Immersive">\n',
    "gltf": '{\n  "scene": 0,\n  "asset": {"generator": "a", "version": "2.0"}\n}',
    "usd": '#usda 1.0\n(\n    defaultPrim = "World"\n)\n',
    "collada": '<?xml version="1.0"?>\n<COLLADA version="1.4.1">\n',
    "blend": "BLENDER-v302REND",
    "fbx": "; FBX 7.3.0 project file\n; Copyright\n",
    "obj": "# a cube\n\nmtllib cube.mtl\no Cube\nv 1.000000 -1.0e-1 .5\n",
    "stl": "solid part\n  facet normal 0 0 1\n    outer loop\n",
    "ply": "ply\nformat ascii 1.0\nelement vertex 8\n",
    "off": "OFF\n8 6 0\n",
    "ifc": "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('a'),'2;1');\nFILE_SCHEMA (('IFC2X3'));\n",
    "step": "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\n",
    "dxf": "  0\r\nSECTION\r\n  2\r\nHEADER\r\n",
    "dwg": "AC1032\0\0\0\0\0",
    "urdf": '<?xml version="1.0"?>\n<!-- made by hand -->\n<robot name="arm">\n',
    "sdf": '<?xml version="1.0" ?>\n<sdf version="1.7">\n<world name="default">\n',
    "mjcf": '<!-- Copyright -->\n<mujoco model="humanoid">\n',
    "bvh": "HIERARCHY\r\nROOT Hips\r\n{\r\n",
    "asf": "# AST/ASF file generated using VICON BodyLanguage\n# ----\n:version 1.10\n",
    "amc": "#!OML:ASF F:\\VICON\n:FULLY-SPECIFIED\n:DEGREES\n1\n",
    "opensim": '<?xml version="1.0"?>\n<OpenSimDocument Version="30000">\n',
    "storage": "Coordinates\nversion=1\nnRows=3\nendheader\ntime\thip\n",
    "trc": "PathFileType\t4\t(X/Y/Z)\twalk.trc\n",
    "pdf": "%PDF-1.7\n",
    "web": "<!DOCTYPE html>\n<html>\n",
    "xml": "<gbXML temperatureUnit='C'>\n",
    "json": '{\n  "name": 3\n}',
}


@pytest.mark.parametrize("key", BEGINNINGS)
def test_a_format_is_told_by_how_a_file_begins(key: str, tmp_path: Path) -> None:
    text = BEGINNINGS[key]
    assert getattr(format_of_text(text), "key", None) == key
    for coding in ("utf-8", "utf-8-sig", "utf-16"):
        file = tmp_path / f"room_{coding}.art"
        file.write_bytes(text.encode(coding))
        if key == "ifc":  # its reader is an extra: below
            continue
        found = art.check(file)
        if key in (
            "dxf",
            "gltf",
            "mjcf",
            "sdf",
            "urdf",
            "usd",
            "vrml",
            "x3d",
            *SURFACES,
        ):  # they are read
            assert all(each.code == "unreadable" for each in found)
            continue
        (finding,) = found
        assert (finding.code, finding.line, finding.severity) == ("foreign-file", 1, "error")
        assert "not a text of the world language" in finding.message
        assert finding.suggestion


def test_files_that_other_programs_write_are_told(tmp_path: Path) -> None:
    box = trimesh.creation.box()
    for ending in ("stl", "obj", "ply", "off", "glb"):
        box.export(tmp_path / f"part.{ending}")
        key = "gltf" if ending == "glb" else ending
        assert getattr(format_of(tmp_path / f"part.{ending}"), "key", None) == key, ending
    model = mujoco.MjSpec.from_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    model.compile()
    assert getattr(format_of_text(model.to_xml()), "key", None) == "mjcf"
    with zipfile.ZipFile(tmp_path / "scene.art", "w") as packed:
        packed.writestr("Scene.usdc", b"PXR-USDC")
    assert getattr(format_of(tmp_path / "scene.art"), "key", None) == "usd"
    with zipfile.ZipFile(tmp_path / "part.art", "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr("3D/3dmodel.model", "<model/>")
    assert getattr(format_of(tmp_path / "part.art"), "key", None) == "3mf"
    Drawing().savefig(tmp_path / "picture.txt", format="png")
    assert getattr(format_of(tmp_path / "picture.txt"), "key", None) == "picture"


def test_a_name_tells_what_the_bytes_leave_open(tmp_path: Path) -> None:
    for name, key in {"a.srdf": "srdf", "a.xacro": "xacro", "a.urdf": "urdf"}.items():
        assert getattr(format_of_bytes(b"<robot name='a'/>", name[2:]), "key", None) == key
    (tmp_path / "room.max").write_text("world a {}")
    assert format_of(tmp_path / "room.max") is None
    assert format_of(tmp_path / "nothere.wrl") is None


def test_no_text_of_the_library_is_foreign() -> None:
    texts = list((Path(art.__file__).parent / "world").rglob("*.art"))
    assert len(texts) > 20
    assert [each for each in texts if format_of(each) is not None] == []


def test_what_begins_endlessly_is_told_at_once() -> None:
    began = time.perf_counter()
    for text in (
        "\n" * 60_000,
        "# a\n" * 15_000,
        "<!-- a -->" * 6_000,
        " \n\t" * 20_000,
        "v " * 30_000,
    ):
        format_of_text(text)
    assert time.perf_counter() - began < 5.0


def test_formats_are_rows_of_their_own() -> None:
    endings = [ending for each in FORMATS for ending in each.endings]
    assert len(endings) == len(set(endings))
    assert len({each.key for each in FORMATS}) == len(FORMATS)
    for each in FORMATS:
        assert "{" not in each.advice("a.file"), each.key


def test_a_binary_file_is_named_and_not_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "scene.art"
    file.write_bytes(b"BLENDER-v300\x00\xff\xfe")
    with pytest.raises(art.WorldError, match="this is a file of Blender"):
        art.read(file).world()


def test_an_import_of_a_format_that_nobody_reads_is_named(tmp_path: Path) -> None:
    (tmp_path / "hall.step").write_text(BEGINNINGS["step"])
    room = tmp_path / "room.art"
    room.write_text('import "hall.step" as hall\nworld w { components a: hall }\n')
    (finding,) = art.check(room)
    assert (finding.line, finding.code) == (1, "foreign-file")
    assert "'hall.step' is a CAD model (STEP)" in finding.message
    assert "FreeCAD" in finding.suggestion


def test_a_building_without_its_reader_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    file = tmp_path / "hall.ifc"
    file.write_text(BEGINNINGS["ifc"])
    with pytest.raises(art.MissingExtra, match=r"pip install 'articulata\[ifc\]'"):
        scene_of(file)


def test_a_recording_is_asked_for_where_another_file_is_given(tmp_path: Path) -> None:
    file = tmp_path / "walk.artrun"
    file.write_text(BEGINNINGS["bvh"])
    with pytest.raises(art.RecordingError, match=r"this is a recorded motion \(BVH\)"):
        art.load(file)


def test_a_packed_file_is_what_its_name_says_where_no_format_begins_so(tmp_path: Path) -> None:
    for ending, name in (
        ("artreach", "a map of reach"),
        ("xlsx", "a spreadsheet"),
        ("zip", "a packed file"),
    ):
        file = tmp_path / f"reach.{ending}"
        with zipfile.ZipFile(file, "w") as packed:
            packed.writestr("about.json", "{}")
        (found,) = art.check(file)
        assert found.message.startswith(f"this is {name},")
        with pytest.raises(art.ArticulataError, match=f"this is {name}"):
            art.load(file)
    (found,) = art.check(tmp_path / "reach.artreach")
    assert "reach.html beside it, which a browser prints" in found.suggestion


def test_an_import_that_needs_an_extra_says_what_to_type_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    (tmp_path / "scene.xml").write_text("<mujoco><worldbody/></mujoco>")
    (tmp_path / "room.art").write_text('import "scene.xml" as scene\n')
    (finding,) = art.read(tmp_path / "room.art").check()
    assert (finding.line, finding.code) == (1, "missing-extra")
    assert finding.suggestion == "install it with: pip install 'articulata[mujoco]'"
    assert finding.message.endswith("the package mujoco, which is not installed")
