"""Rooms measured by phones (RoomPlan), written here by hand, stand as rooms.

Stages are written by ``usd-core``, with the groups and names that RoomPlan gives them.
"""

from __future__ import annotations

import json
import math
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_files import scene_of
from articulata.geometry.arrays import Array
from articulata.sessions.converting import convert

FLOOR = -1.35
"""m: a phone's origin is where it was switched on, here 1.35 m above the floor."""


def thing(
    kind: str, size: list[float], at: list[float], turn: float = 0.0, **more: Any
) -> dict[str, Any]:
    """A thing whose middle is ``at`` (y up), turned about y by ``turn`` (degrees)."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return {
        "identifier": f"{kind}{at}",
        "category": {kind: {}},
        "confidence": {"high": {}},
        "dimensions": size,
        "transform": [c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, *at, 1],
        **more,
    }


def room() -> dict[str, Any]:
    """A room from x = 0 to 4 and z = -3 to 0, 2.5 m high, with a door in its wall at z = 0."""
    y = FLOOR + 1.25
    floor = thing("floor", [4, 3, 0], [2, FLOOR, -1.5])
    floor["transform"] = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 2, FLOOR, -1.5, 1]
    return {
        "coreModel": "AAAA",
        "version": 2,
        "walls": [
            thing("wall", [4, 2.5, 0], [2, y, 0], identifier="south"),
            thing("wall", [4, 2.5, 0], [2, y, -3], 180),
            thing("wall", [3, 2.5, 0], [0, y, -1.5], 90),
            thing("wall", [3, 2.5, 0], [4, y, -1.5], -90),
        ],
        "floors": [floor],
        # its lower edge was measured 4 cm above the floor
        "doors": [thing("door", [0.9, 2.0, 0], [1, FLOOR + 1.04, 0], parentIdentifier="south")],
        "windows": [thing("window", [1.2, 1.0, 0], [2, FLOOR + 1.5, -3])],
        "openings": [],
        "objects": [
            thing("storage", [0.8, 1.9, 0.4], [3.8, FLOOR + 0.95, -1], 90),
            thing("storage", [0.6, 0.9, 0.5], [2, FLOOR + 0.45, -2.75]),
            thing("table", [1.2, 0.74, 0.8], [1, FLOOR + 0.37, -2], confidence={"low": {}}),
        ],
    }


def read(tree: dict[str, Any], folder: Path) -> Scene:
    file = folder / "room.json"
    file.write_text(json.dumps(tree))
    return scene_of(file)


def points(scene: Scene, name: str) -> Array:
    (part,) = [each for each in scene.parts if each.name == name]
    assert part.shape is not None
    return triangles_of(part.shape)[0] @ part.X_WP[:3, :3].T + part.X_WP[:3, 3]


def box(scene: Scene, name: str) -> Array:
    found = points(scene, name)
    return np.array([found.min(axis=0), found.max(axis=0)])


def volume(scene: Scene, name: str) -> float:
    (part,) = [each for each in scene.parts if each.name == name]
    assert part.shape is not None
    vertices, faces = triangles_of(part.shape)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def test_a_room_stands_as_it_was_measured(tmp_path: Path) -> None:
    scene = read(room(), tmp_path)
    expected = {  # the faces of walls look into the room, their 10 cm lie outside
        "floor": [[0, 0, -0.1], [4, 3, 0]],
        "wall": [[0, -0.1, 0], [4, 0, 2.5]],
        "wall_2": [[0, 3, 0], [4, 3.1, 2.5]],
        "wall_3": [[-0.1, 0, 0], [0, 3, 2.5]],
        "wall_4": [[4, 0, 0], [4.1, 3, 2.5]],
        "window": [[1.4, 2.995, 1.0], [2.6, 3.005, 2.0]],
        "storage": [[3.6, 0.6, 0], [4.0, 1.4, 1.9]],
        "storage_2": [[1.7, 2.5, 0], [2.3, 3.0, 0.9]],
        "table": [[0.4, 1.6, 0], [1.6, 2.4, 0.74]],
    }
    for name, corners in expected.items():
        assert box(scene, name) == pytest.approx(np.array(corners, float), abs=1e-6), name
    assert volume(scene, "wall") == pytest.approx(0.1 * (4 * 2.5 - 0.9 * 2.04), abs=1e-6)
    assert volume(scene, "wall_2") == pytest.approx(0.1 * (4 * 2.5 - 1.2 * 1.0), abs=1e-6)
    assert scene.floor == "floor"
    assert scene.wanted == ["storage", "storage_2", "table"]
    assert dict(scene.lost) == {
        "height of the phone (moved by 1.35 m: the floor is at z = 0)": 1,
        "leaf of a door (it stands open, 0.90 m clear)": 1,
        "certainty of table (the phone has low confidence)": 1,
        "thickness of walls (taken as 0.1 m)": 4,
        "form of furniture (a box of its sizes, filled below)": 3,
    }


def test_a_room_without_a_floor_gets_what_its_walls_enclose(tmp_path: Path) -> None:
    tree = room()
    del tree["floors"]
    scene = read(tree, tmp_path)
    assert box(scene, "floor") == pytest.approx(np.array([[0, 0, -0.1], [4, 3, 0]]), abs=1e-6)
    assert box(scene, "wall_3") == pytest.approx(np.array([[-0.1, 0, 0], [0, 3, 2.5]]), abs=1e-6)
    assert scene.lost["floor (taken as what the walls enclose)"] == 1


def test_outlines_categories_and_thickness_as_other_releases_write_them(tmp_path: Path) -> None:
    tree = room()
    tree["walls"][2]["dimensions"][2] = 0.2
    tree["walls"][3]["polygonCorners"] = [[-1.5, -1.25, 0], [1.5, -1.25, 0], [1.5, 1.25, 0]]
    tree["objects"][0].update(category="bathtub", confidence="low")
    tree["doors"] += [thing("door", [1, 2, 0], [20, 0, 20], category={"door": {"isOpen": False}})]
    scene = read(tree, tmp_path)
    assert box(scene, "wall_3") == pytest.approx(np.array([[-0.1, 0, 0], [0.1, 3, 2.5]]), abs=1e-6)
    assert volume(scene, "wall_4") == pytest.approx(0.1 * 0.5 * 3 * 2.5, abs=1e-6)
    assert box(scene, "bathtub")[1][2] == pytest.approx(1.9)
    assert scene.lost["certainty of bathtub (the phone has low confidence)"] == 1
    assert scene.lost["door without a wall"] == 1


def test_a_person_goes_to_the_furniture_of_the_text_that_is_written(tmp_path: Path) -> None:
    from articulata.analyses.reach.reach_question import study_of

    file = tmp_path / "room.json"
    tree = room()
    del tree["objects"][0]
    file.write_text(json.dumps(tree))
    assert "0.90 m clear" in convert(file, tmp_path / "room.art")
    document = art.read(tmp_path / "room.art")
    (request,) = [each for each in document.requests if each.kind == "reach"]
    study, things, _ = study_of(request)
    verdicts = study.verdicts(things, who=study.names[:1])
    assert [each.object for each in verdicts] == ["storage.uppermost", "table.uppermost"]
    assert all(each.q is not None for each in verdicts)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dimensions": [4, 2.5]}, r"walls\[0\]: dimensions = \[4, 2.5\]; give 3 numbers"),
        ({"dimensions": [4, -1, 0]}, r"dimensions = .*; give 0 to 100 m each"),
        ({"dimensions": [4, 1e999, 0]}, "give 3 numbers"),
        ({"dimensions": None}, "give 3 numbers"),
        ({"dimensions": {"x": 1}}, "give 3 numbers"),
        ({"transform": [1] * 15}, "give 16 numbers"),
        ({"transform": [0.0] * 16}, "transform is no turn and shift"),
        ({"transform": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1e9, 0, 0, 1]}, "no turn and shift"),
        ({"polygonCorners": [[0, 0]] * 3}, "polygonCorners = .*; give 3 numbers"),
        ({"polygonCorners": [[0, 0, 0]] * 999}, "give a list of up to 200 points"),
    ],
)
def test_damaged_rooms_get_a_message(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    tree = room()
    tree["walls"][0].update(change)
    with pytest.raises(art.FormatError, match=said):
        read(tree, tmp_path)


def test_files_that_are_no_room_get_a_message(tmp_path: Path) -> None:
    file = tmp_path / "room.json"
    whole = json.dumps(room())
    for text, said in (
        (whole[:-20], "no whole JSON"),
        ('{"coreModel":' + "[" * 200_000, "nested too deep"),
        ('{"coreModel": "", "walls": 3}', "walls is no list"),
        ('{"coreModel": "", "walls": [3]}', r"walls\[0\] is no object"),
        ('{"coreModel": "", "walls": []}', "neither a wall nor a floor"),
        ('{"coreModel": "", "walls": [' + "{}," * 2000 + "{}]}", "more than 2,000 things"),
    ):
        file.write_text(text)
        with pytest.raises(art.FormatError, match=said) as raised:
            scene_of(file)
        assert str(raised.value).startswith(str(file))


def test_flat_rooms_get_a_message_and_full_ones_end(tmp_path: Path) -> None:
    tree = room()
    tree["floors"][0]["dimensions"] = [0, 0, 0]
    with pytest.raises(art.FormatError, match="its floor has no area"):
        read(tree, tmp_path)
    tree = room()
    tree["windows"][0]["dimensions"] = [1e-308, 1.0, 0]
    assert volume(read(tree, tmp_path), "wall_2") == pytest.approx(0.1 * 4 * 2.5)
    tree["windows"] = [
        thing("window", [0.02, 0.02, 0], [0.1 + 0.05 * (k % 75), 0.05 * (k // 75), -3])
        for k in range(900)
    ]
    scene = read(tree, tmp_path)
    assert len(scene.parts) == 1 + 4 + 900 + 3
    assert volume(scene, "wall_2") == pytest.approx(0.1 * (4 * 2.5 - 900 * 0.02**2), abs=1e-4)


QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def with_gaps(size: list[float], gaps: list[list[float]]) -> tuple[Any, list[list[int]]]:
    """A thin sheet about the middle, in rectangles beside its gaps (left, low, right, high)."""
    x = sorted({-0.5 * size[0], 0.5 * size[0], *(g[k] for g in gaps for k in (0, 2))})
    y = sorted({-0.5 * size[1], 0.5 * size[1], *(g[k] for g in gaps for k in (1, 3))})
    points: list[list[float]] = []
    faces = []
    for a, b in pairwise(x):
        for c, d in pairwise(y):
            at = (0.5 * (a + b), 0.5 * (c + d))
            if any(g[0] < at[0] < g[2] and g[1] < at[1] < g[3] for g in gaps):
                continue
            faces.append([len(points) + k for k in range(4)])
            points += [[a, c, 0], [b, c, 0], [b, d, 0], [a, d, 0]]
    return points, faces


def stage(tree: dict[str, Any], file: Path, export: str, **unit: Any) -> Path:
    """Write a measured room as RoomPlan exports it: ``Parametric`` or ``Mesh``."""
    from pxr import Gf, Usd, UsdGeom

    made = Usd.Stage.CreateNew(str(file))
    UsdGeom.SetStageUpAxis(made, unit.get("up", "Y"))
    per = unit.get("meters", 1.0)
    UsdGeom.SetStageMetersPerUnit(made, per)
    top = f"/Room/{export}_grp"
    UsdGeom.Xform.Define(made, "/Room/Section_grp/bathRoom0")

    def add(path: str, each: dict[str, Any], gaps: list[list[float]]) -> None:
        mesh = UsdGeom.Mesh.Define(made, f"{top}/{path}")
        mesh.GetPrim().SetCustomDataByKey("Category", path.rpartition("/")[2])
        size = np.maximum(each["dimensions"], 1e-4)
        points: Any = CUBE / per
        faces = QUADS
        if gaps and export == "Mesh":
            points, faces = with_gaps(each["dimensions"], gaps)
            points = np.array(points) / per
        elif export == "Mesh":
            points = CUBE * size / per
        mesh.CreatePointsAttr(np.array(points, np.float32))
        mesh.CreateFaceVertexCountsAttr([4] * len(faces))
        mesh.CreateFaceVertexIndicesAttr([k for face in faces for k in face])
        M = np.array(each["transform"], float).reshape(4, 4)
        M[3, :3] /= per
        if unit.get("up") == "Z":
            M = M @ [[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]]
        mesh.AddTransformOp().Set(Gf.Matrix4d(M.tolist()))
        if export == "Parametric":
            mesh.AddScaleOp().Set(Gf.Vec3f(*size.tolist()))

    hosts = {
        0: ("doors", [[-1.45, -1.25, -0.55, 0.79]]),
        1: ("windows", [[-0.6, -0.25, 0.6, 0.75]]),
    }
    for n, each in enumerate(tree["walls"]):
        kind, gaps = hosts.get(n, ("", []))
        add(f"Arch_grp/Wall_{n}_grp/Wall{n}", each, gaps)
        for k, cut in enumerate(tree.get(kind, [])):
            add(f"Arch_grp/Wall_{n}_grp/{kind[:-1].capitalize()}{k}", cut, [])
    for n, each in enumerate(tree["floors"]):
        add(f"Floor_grp/Floor{n}", each, [])
    for n, each in enumerate(tree["objects"]):
        kind = next(iter(each["category"])).capitalize()
        add(f"Object_grp/{kind}_grp/{kind}{n}", each, [])
    made.GetRootLayer().Save()
    return file


def same(found: Scene, wanted: Scene) -> None:
    assert sorted(each.name for each in found.parts) == sorted(each.name for each in wanted.parts)
    for each in wanted.parts:
        assert box(found, each.name) == pytest.approx(box(wanted, each.name), abs=2e-4), each.name
        if each.name != "floor":
            told = volume(wanted, each.name)
            assert volume(found, each.name) == pytest.approx(told, abs=2e-3), each.name
    assert found.floor == wanted.floor
    assert found.wanted == wanted.wanted


@pytest.mark.parametrize("export", ["Parametric", "Mesh"])
@pytest.mark.parametrize(
    "unit",
    [
        pytest.param({}, id="y"),
        pytest.param({"up": "Z"}, id="z", marks=pytest.mark.slow),
        pytest.param({"meters": 0.01}, id="cm", marks=pytest.mark.slow),
    ],
)
def test_a_stage_is_the_room_of_its_json(export: str, unit: dict[str, Any], tmp_path: Path) -> None:
    wanted = read(room(), tmp_path)
    found = scene_of(stage(room(), tmp_path / "room.usdc", export, **unit))
    same(found, wanted)
    assert found.lost["leaf of a door (it stands open, 0.90 m clear)"] == 1
    assert found.lost["form of furniture (a box of its sizes, filled below)"] == 3


def test_a_package_with_a_file_a_thing_is_read(tmp_path: Path) -> None:
    """As phones pack it: a wall and its door are references in one group."""
    from pxr import Usd

    whole = Usd.Stage.Open(str(stage(room(), tmp_path / "whole.usda", "Parametric")))
    root, files = ["#usda 1.0", '(\ndefaultPrim = "Room"\nupAxis = "Y"\nmetersPerUnit = 1\n)'], {}
    root += ['def Xform "Room"', "{", 'def Xform "Parametric_grp"', "{"]
    for group in ("Arch_grp", "", "Object_grp"):
        top = whole.GetPrimAtPath(f"/Room/Parametric_grp/{group}".rstrip("/"))
        root += [f'def Xform "{group}"', "{"] if group else []
        for each in top.GetChildren():
            if not group and each.GetName() != "Floor_grp":
                continue
            for part in each.GetChildren():
                name = part.GetName()
                files[f"assets/{name}.usda"] = _alone(whole, part)
            names = [f"@./assets/{part.GetName()}.usda@" for part in each.GetChildren()]
            root += [
                f'def Xform "{each.GetName()}" (prepend references = [{", ".join(names)}]) {{}}'
            ]
        root += ["}"] if group else []
    file = tmp_path / "room.usdz"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as packed:
        packed.writestr("room.usda", "\n".join([*root, "}", "}"]))
        for name, text in files.items():
            packed.writestr(name, text)
    same(scene_of(file), read(room(), tmp_path))


def _alone(whole: Any, prim: Any) -> str:
    """The text of a stage that holds one mesh below an Xform of its name."""
    from pxr import Sdf, Usd, UsdGeom

    made = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(made, "Y")
    UsdGeom.SetStageMetersPerUnit(made, 1.0)
    top = UsdGeom.Xform.Define(made, f"/{prim.GetName()}")
    made.SetDefaultPrim(top.GetPrim())
    path = Sdf.Path(f"/{prim.GetName()}/{prim.GetName()}")
    Sdf.CopySpec(whole.GetRootLayer(), prim.GetPath(), made.GetRootLayer(), path)
    return str(made.GetRootLayer().ExportToString())


def test_a_bent_wall_is_its_chord_and_a_gap_is_cut_without_a_door(tmp_path: Path) -> None:
    from pxr import Usd, UsdGeom

    tree = room()
    tree["doors"] = []
    file = stage(tree, tmp_path / "room.usda", "Mesh")
    made = Usd.Stage.Open(str(file))
    turn = np.linspace(0.0, np.pi, 9)
    arc = [[1.5 * np.cos(a), y, 1.5 * np.sin(a)] for a in turn for y in (-1.25, 1.25)]
    mesh = UsdGeom.Mesh(made.GetPrimAtPath("/Room/Mesh_grp/Arch_grp/Wall_3_grp/Wall3"))
    mesh.GetPointsAttr().Set(np.array(arc, np.float32))
    mesh.GetFaceVertexCountsAttr().Set([4] * 8)
    mesh.GetFaceVertexIndicesAttr().Set([2 * k + j for k in range(8) for j in (0, 1, 3, 2)])
    made.GetRootLayer().Save()
    scene = scene_of(file)
    assert scene.lost["curve of a wall (it is taken as straight)"] == 1
    assert box(scene, "wall_4") == pytest.approx(np.array([[4, 0, 0], [4.1, 3, 2.5]]), abs=0.05)
    # the gap of the door is 2.04 m high, from the floor on
    assert volume(scene, "wall") == pytest.approx(0.1 * (4 * 2.5 - 0.9 * 2.04), abs=1e-3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("points", [[0, np.nan, 0]] * 8), "a point is no number"),
        (("points", [[0, 0, 0]] * 7 + [[0, 1e7, 0]]), "is no surface within 100 m"),
        (("faceVertexIndices", [99] * 24), "beyond the 8 that are there"),
        (("faceVertexCounts", [24, 24]), "other corners than are listed"),
    ],
)
def test_damaged_stages_get_a_message(change: tuple[str, Any], said: str, tmp_path: Path) -> None:
    from pxr import Usd

    file = stage(room(), tmp_path / "room.usda", "Parametric")
    made = Usd.Stage.Open(str(file))
    prim = made.GetPrimAtPath("/Room/Parametric_grp/Arch_grp/Wall_0_grp/Wall0")
    name, value = change
    prim.GetAttribute(name).Set(np.array(value, np.float32 if name == "points" else np.int32))
    made.GetRootLayer().Save()
    with pytest.raises(art.FormatError, match=said):
        scene_of(file)
