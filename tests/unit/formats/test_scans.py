"""Scans of rooms that are known exactly become these rooms: floor, walls, furniture, verdicts."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import trimesh

import articulata as art
from articulata.formats.gltf.gltf_writer import write_glb
from articulata.formats.rooms.levelled_scan import levelled
from articulata.formats.rooms.scan_scene import open_share
from articulata.formats.scenes.foreign_scene import Scene, ScenePart, triangles_of
from articulata.formats.scenes.scene_files import lost_words, scene_of
from articulata.formats.scenes.scene_text import world_text
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.poses import make_pose
from articulata.geometry.shapes import Cuboid, Mesh
from articulata.sessions.command_fields import ReachAsked
from articulata.sessions.converting import convert
from articulata.sessions.reach.answering import request_of
from unit.formats.scanned_rooms import Box, KnownRoom, scanned

TUB: Box = ((0.0, 0.3, 0.0), (0.7, 1.8, 0.56))
BASIN: Box = ((2.0, 0.9, 0.0), (2.4, 1.5, 0.85))
TOILET: Box = ((1.2, 1.4, 0.0), (1.6, 1.8, 0.8))
BATHROOM = KnownRoom((2.4, 1.8, 2.5), [TUB, BASIN, TOILET], door=(1.0, 1.85, 2.0))
"""Walls are larger than its floor, so the floor is not merely the largest level area."""
LEGS: list[Box] = [
    ((x, y, 0.0), (x + 0.06, y + 0.06, 0.71)) for x in (1.42, 2.52) for y in (1.22, 1.92)
]
STUDY = KnownRoom(
    (3.6, 3.0, 2.6),
    [
        ((0.0, 0.4, 0.0), (0.5, 1.6, 1.9)),
        ((1.4, 1.2, 0.70), (2.6, 2.0, 0.74)),
        ((3.15, 0.5, 0.0), (3.6, 2.5, 0.9)),
    ],
    ceiling=False,
    extra=LEGS,
)


def write(V: Array, F: IntArray, file: Path) -> Path:
    trimesh.Trimesh(V, F, process=False).export(file)
    return file


def corners(part: ScenePart) -> Array:
    assert part.shape is not None
    V = triangles_of(part.shape)[0] @ part.X_WP[:3, :3].T + part.X_WP[:3, 3]
    return np.array([V.min(axis=0), V.max(axis=0)])


def sizes(scene: Scene) -> list[list[float]]:
    """Lengths of the pieces along their own sides, the longer first, and how high they end."""
    found = []
    for each in scene.parts:
        if each.name.startswith("piece"):
            assert each.shape is not None
            V = triangles_of(each.shape)[0]
            x, y, z = np.ptp(V, axis=0).tolist()
            found.append([max(x, y), min(x, y), float(V[:, 2].max() + each.X_WP[2, 3]), z])
    return found


@pytest.mark.parametrize(
    ("up", "unit", "tilt", "noise", "ending"),
    [
        ("z", 0.3048, 0.0, 0.0, "ply"),
        ("y", 0.01, 3.0, 0.01, "obj"),
        ("-z", 0.001, 5.0, 0.01, "stl"),
    ],
)
def test_a_scanned_bathroom_is_the_room_that_was_scanned(
    up: str, unit: float, tilt: float, noise: float, ending: str, tmp_path: Path
) -> None:
    random = np.random.default_rng(7)
    holes = 40 if noise else 0
    V, F = scanned(BATHROOM, random, up=up, unit=unit, tilt=tilt, noise=noise, holes=holes)
    scene = scene_of(write(V, F, tmp_path / f"room.{ending}"))
    said = lost_words(scene)
    assert f"up (taken as {up} of the file" in said
    name = {0.01: "cm", 0.001: "mm", 0.3048: "feet"}[unit]
    assert f"unit (taken as {name};" in said
    assert not tilt or f"tilt (levelled by {tilt:.1f} deg)" in said
    assert "ceiling (found at 2.50 m" in said
    assert len(scene.wanted) == 3
    expected = [[1.5, 0.7, 0.56], [0.6, 0.4, 0.85], [0.4, 0.4, 0.8]]
    for found, exact in zip(sizes(scene), expected, strict=True):
        assert found[:3] == pytest.approx(exact, abs=0.03)
    # free width from the tub to the basin, and from the basin's side to the toilet's front
    tub, basin, toilet = (corners(each) for each in scene.parts if each.name.startswith("piece"))
    free = np.maximum(basin[0] - tub[1], tub[0] - basin[1])[:2].max()
    assert free == pytest.approx(1.3, abs=0.03)
    free = np.maximum(basin[0] - toilet[1], toilet[0] - basin[1])[:2].max()
    assert free == pytest.approx(0.4, abs=0.03)
    walls = [each for each in scene.parts if each.name.startswith("wall")]
    assert len(walls) == 4
    assert [key for key in scene.lost if key.startswith("opening")]
    floor = corners(next(each for each in scene.parts if each.name == "floor"))
    assert floor[1][2] == 0.0


@pytest.mark.parametrize("up", ["y", "-z"])
def test_the_floor_is_level_and_where_it_was_to_a_centimetre(up: str) -> None:
    V, F = scanned(STUDY, np.random.default_rng(3), up=up, tilt=4.0, noise=0.01, holes=40)
    scan = levelled(V, F)
    assert f"up (taken as {up} of the file" in scan.told[0]
    assert scan.noise == pytest.approx(0.01, abs=0.004)
    points = scan.points[np.abs(scan.points[:, 2]) < 0.04]
    sides = points[:, :2] > np.median(points[:, :2], axis=0)
    for quarter in ((False, False), (False, True), (True, False), (True, True)):
        z = points[(sides == quarter).all(axis=1), 2]
        assert len(z) > 1000
        assert abs(float(np.median(z))) < 0.01


def test_a_modelled_room_with_its_floor_whole_below_a_desk_stands_as_it_was_drawn() -> None:
    """Nothing is hidden in it, and its ceiling is larger than its floor: a desk is low."""
    room = trimesh.creation.box(bounds=[[0, 0, 0], [6, 5, 3]])
    room.update_faces(room.triangles_center[:, 2] > 0.01)
    floor = trimesh.creation.box(bounds=[[0, 0.35, -0.01], [6, 5, 0]])
    top = trimesh.creation.box(bounds=[[2, 2, 0.71], [5, 3, 0.75]])
    legs = [
        trimesh.creation.box(bounds=[[x, y, 0], [x + 0.05, y + 0.05, 0.71]])
        for x in (2, 4.95)
        for y in (2, 2.95)
    ]
    lamp = trimesh.creation.box(bounds=[[3, 2.4, 2.6], [3.2, 2.6, 2.9]])
    whole = trimesh.util.concatenate([room, floor, top, lamp, *legs])
    scan = levelled(np.asarray(whole.vertices), np.asarray(whole.faces))
    assert "up (taken as z of the file" in scan.told[0]


def test_below_a_table_is_room_and_hidden_backs_are_filled(tmp_path: Path) -> None:
    V, F = scanned(STUDY, np.random.default_rng(5), noise=0.005, holes=30)
    scene = scene_of(write(V, F, tmp_path / "study.ply"))
    board, shelf, table = sizes(scene)
    assert board[:3] == pytest.approx([1.2, 0.5, 1.9], abs=0.03)
    assert shelf[:3] == pytest.approx([2.0, 0.45, 0.9], abs=0.03)
    assert table[:3] == pytest.approx([1.2, 0.8, 0.74], abs=0.03)
    (part,) = [each for each in scene.parts if each.name == "piece_3"]
    assert part.shape is not None
    V, F = triangles_of(part.shape)
    T = V[F]
    volume = float(np.einsum("ij,ij->i", T[:, 0], np.cross(T[:, 1], T[:, 2])).sum() / 6.0)
    assert volume < 0.25 * 1.2 * 0.8 * 0.74
    assert "ceiling (not seen" in lost_words(scene)


def test_what_is_told_goes_before_what_is_guessed(tmp_path: Path) -> None:
    V, F = scanned(BATHROOM, np.random.default_rng(1), up="y", unit=0.01)
    file = write(V, F, tmp_path / "room.ply")
    text = tmp_path / "room.art"
    assert "taken as cm" in convert(file, text)
    said = convert(file, text, up="y", unit=0.02)
    assert "taken as" not in said.replace("thickness of walls (taken as 0.1 m)", "")
    assert max(sizes(scene_of(file, up="y", unit=0.02))[0]) == pytest.approx(3.0, abs=0.05)
    for given, words in (
        ({"up": "w"}, "up = w; give x, y, z, -x, -y, -z"),
        ({"unit": 0.0}, "unit = 0 m; give 1e-06 to 1000 m"),
        ({"unit": 100.0}, "more than 200 m long; say its unit"),
        ({"height": 2.5}, "tells its height itself"),
    ):
        with pytest.raises(art.FormatError, match=words):
            scene_of(file, **given)  # type: ignore[arg-type] # a dict of several kinds


def test_each_guess_stands_on_its_line_of_the_text(tmp_path: Path) -> None:
    V, F = scanned(BATHROOM, np.random.default_rng(1), noise=0.005)
    convert(write(V, F, tmp_path / "room.ply"), tmp_path / "room.art")
    lines = (tmp_path / "room.art").read_text().splitlines()
    for begins in ("up (", "unit (", "ceiling ("):
        assert sum(each.startswith(f"# {begins}") for each in lines) == 1
    for name in ("floor", "piece_1", "piece_2", "piece_3", "wall"):
        at = next(k for k, each in enumerate(lines) if each.startswith(f"# {name}"))
        assert lines[at + 1] == f"primitive room_{name} {{"
    assert not art.check(tmp_path / "room.art")


def test_verdicts_are_those_of_the_exact_room(tmp_path: Path) -> None:
    from articulata.analyses.reach.reach_question import study_of

    V, F = scanned(BATHROOM, np.random.default_rng(2), tilt=2.0, noise=0.01, holes=30)
    x, y, z = BATHROOM.size
    walls = [((0, -0.1, 0), (1, 0, z)), ((1.85, -0.1, 0), (x, 0, z)), ((1, -0.1, 2), (1.85, 0, z))]
    walls += [((0, y, 0), (x, y + 0.1, z)), ((-0.1, 0, 0), (0, y, z)), ((x, 0, 0), (x + 0.1, y, z))]
    boxes = {"floor": ((0, -0.8, -0.1), (x, y, 0.0))}
    boxes |= {f"wall_{k}": each for k, each in enumerate(walls)}
    boxes |= {"piece_1": TUB, "piece_2": BASIN, "piece_3": TOILET}
    exact = Scene("exact", "exact", gravity=(0.0, 0.0, -9.81), floor="floor")
    for name, (low, high) in boxes.items():
        size, middle = np.subtract(high, low), 0.5 * np.add(low, high)
        X = make_pose(np.eye(3), middle)
        exact.parts.append(ScenePart(name, X, Cuboid(*size.tolist())))
    exact.wanted = ["piece_1", "piece_2", "piece_3"]
    verdicts = []
    for text in (world_text(exact), world_text(scene_of(write(V, F, tmp_path / "room.ply")))):
        (request,) = [each for each in art.parse(text).requests if each.kind == "reach"]
        study, things, _ = study_of(request)
        found = study.verdicts(things, who=study.names[:1])
        verdicts.append([(each.object, each.accessible) for each in found])
    assert verdicts[0] == verdicts[1]
    assert len(verdicts[0]) == 3


def test_a_gltf_scan_is_a_room_and_a_gltf_scene_stays_one(tmp_path: Path) -> None:
    V, F = scanned(BATHROOM, np.random.default_rng(4), up="y", noise=0.005)
    lone = Scene("scan", "scan")
    lone.parts.append(ScenePart("mesh", np.eye(4), Mesh(V, F)))
    file = tmp_path / "scan.glb"
    file.write_bytes(write_glb(lone))
    scene = scene_of(file)
    assert scene.wanted == ["piece_1", "piece_2", "piece_3"]
    assert "up (taken as y of the file" in lost_words(scene)
    solid = trimesh.creation.icosphere(subdivisions=5, radius=1.0)
    lone.parts[0] = ScenePart("ball", np.eye(4), Mesh(solid.vertices, solid.faces))
    file.write_bytes(write_glb(lone))
    assert [each.name for each in scene_of(file).parts] == ["ball"]


def split(V: Array, F: IntArray, keys: IntArray, names: list[str]) -> Scene:
    """A scene with the triangles of each key as a mesh in a frame of its own; keys name it."""
    scene, random = Scene("scan", "scan"), np.random.default_rng(9)
    for key in np.unique(keys).tolist():
        used, corners = np.unique(F[keys == key], return_inverse=True)
        turn = trimesh.transformations.random_rotation_matrix(random.random(3))[:3, :3]
        X = make_pose(turn, random.uniform(-2.0, 2.0, 3))
        mesh = Mesh((V[used] - X[:3, 3]) @ turn, corners.reshape(-1, 3))
        scene.parts.append(ScenePart(scene.unique(names[key % len(names)]), X, mesh))
    return scene


def cells(V: Array, F: IntArray, size: float) -> IntArray:
    at = np.floor(V[F].mean(axis=1) / size).astype(np.int64)
    return np.unique(at, axis=0, return_inverse=True)[1].reshape(-1)


def objects(V: Array, F: IntArray, room: KnownRoom) -> IntArray:
    """What triangles are of, from 0: the boxes of a room, then its floor, ceiling and walls."""
    middle, keys = V[F].mean(axis=1), np.full(len(F), -1)
    for k, (low, high) in enumerate(room.boxes):
        inside = (middle > np.array(low) - 1e-6) & (middle < np.array(high) + 1e-6)
        keys[(keys < 0) & inside.all(axis=1)] = k
    away = np.abs(np.column_stack([middle, middle - room.size]))
    return np.where(keys < 0, len(room.boxes) + away.argmin(axis=1), keys)


def standing(scene: Scene) -> dict[str, Array]:
    """Where all of a room stands; its walls in order of their places, as some are as long."""
    found = {each.name: corners(each) for each in scene.parts}
    walls = [name for name in found if name.startswith("wall")]
    order = sorted((found[name] for name in walls), key=lambda each: each.round(1).tolist())
    return found | dict(zip(walls, order, strict=True))


def laid(V: Array) -> Array:
    """Points with y up in place of z."""
    return V[:, [1, 2, 0]]


def holed(seed: int) -> tuple[Array, IntArray]:
    random = np.random.default_rng(seed)
    V, F = BATHROOM.surface(0.08)
    F = F[random.random(len(F)) > 0.02]
    return V + random.normal(0.0, 0.004, V.shape), F


def test_a_scan_in_several_meshes_is_the_room_of_one(tmp_path: Path) -> None:
    V, F = holed(4)
    by_object = objects(BATHROOM.surface(0.08)[0], F, BATHROOM)
    ways = {
        "one": np.zeros(len(F), np.int64), "grid": cells(V, F, 0.7), "object": by_object,
        "chance": np.random.default_rng(1).integers(0, 50, len(F)),
    }  # fmt: skip
    rooms = {}
    for way, keys in ways.items():
        file = tmp_path / f"{way}.glb"
        file.write_bytes(write_glb(split(laid(V), F, keys, ["mesh"])))
        rooms[way] = standing(scene_of(file))
    names = ["floor", "wall", "wall_2", "wall_3", "wall_4", "piece_1", "piece_2", "piece_3"]
    for way, room in rooms.items():
        assert list(room) == names, way
        for name, exact in rooms["one"].items():
            within = 0.02 if way == "chance" else 0.01  # other points of triangles are looked at
            np.testing.assert_allclose(room[name], exact, atol=within, err_msg=f"{way}: {name}")
    file = tmp_path / "called.obj"
    called = ["Bath_Tub", "WashBasin.001", "toilet", "Bathroom", "walls", "desk_less"]
    text = [f"v {x} {y} {z}" for x, y, z in laid(V).tolist()]
    for key in np.unique(by_object).tolist():
        text.append(f"o {called[min(key, 3)]}_{key}")
        text += [f"f {a} {b} {c}" for a, b, c in (F[by_object == key] + 1).tolist()]
    file.write_text("\n".join(text))
    room = standing(scene_of(file))
    assert list(room) == [*names[:5], "Bath_Tub_0", "WashBasin_001_1", "toilet_2"]
    for one, other in zip(room.values(), rooms["one"].values(), strict=True):
        np.testing.assert_allclose(one, other, atol=0.01)


def test_things_that_touch_are_told_apart_by_the_names_of_their_meshes(tmp_path: Path) -> None:
    """A wardrobe nearly up to the ceiling is no wall, and two beds side by side are two."""
    beds: list[Box] = [((1.0, 0.0, 0.0), (1.9, 2.0, 0.5)), ((1.9, 0.0, 0.0), (2.8, 2.0, 0.5))]
    room = KnownRoom((4.0, 3.6, 2.5), [*beds, ((1.2, 3.0, 0.0), (2.7, 3.6, 2.3))])
    V, F = room.surface(0.09)
    keys = objects(V, F, room)
    V = laid(V + np.random.default_rng(2).normal(0.0, 0.003, V.shape))
    names = ["Bed", "Bed", "Wardrobe", *["mesh"] * 6]
    file = tmp_path / "bedroom.glb"
    file.write_bytes(write_glb(split(V, F, keys, names)))
    found = {each.name: np.ptp(corners(each), axis=0) for each in scene_of(file).parts}
    assert [each for each in found if each.startswith("wall")] == [
        "wall", "wall_2", "wall_3", "wall_4"
    ]  # fmt: skip
    for name, size in (("Bed", (0.9, 2.0)), ("Bed_2", (0.9, 2.0)), ("Wardrobe", (1.5, 0.6))):
        assert sorted(found[name][:2]) == pytest.approx(sorted(size), abs=0.03), name


def test_a_scan_on_a_stage_of_usd_is_a_room(tmp_path: Path) -> None:
    usd = pytest.importorskip("pxr.Usd")
    geometry = pytest.importorskip("pxr.UsdGeom")
    V, F = holed(5)
    keys = cells(V, F, 1.0)
    stage = usd.Stage.CreateNew(str(tmp_path / "scan.usdc"))
    geometry.SetStageUpAxis(stage, "Z")
    geometry.SetStageMetersPerUnit(stage, 0.01)
    for key in np.unique(keys).tolist():
        mesh = geometry.Mesh.Define(stage, f"/scan/chunk_{key}")
        mesh.CreatePointsAttr((100.0 * V).astype(np.float32))
        mesh.CreateFaceVertexIndicesAttr(F[keys == key].ravel().astype(np.int32))
        mesh.CreateFaceVertexCountsAttr(np.full((keys == key).sum(), 3, np.int32))
    stage.Save()
    scene = scene_of(tmp_path / "scan.usdc")
    assert scene.wanted == ["piece_1", "piece_2", "piece_3"]
    for found, exact in zip(sizes(scene), [[1.5, 0.7, 0.56], [0.6, 0.4, 0.85]], strict=False):
        assert found[:3] == pytest.approx(exact, abs=0.03)
    told = scene_of(tmp_path / "scan.usdc", up="z", unit=0.01)
    assert [each.name for each in told.parts] == [each.name for each in scene.parts]


def test_a_room_that_was_drawn_of_open_surfaces_stays_as_it_is(tmp_path: Path) -> None:
    drawn = Scene("drawn", "drawn")
    V, F = KnownRoom((4.0, 3.0, 2.6), [], door=(1.0, 1.9, 2.0)).surface(9.0)
    for k in range(len(F)):
        drawn.parts.append(ScenePart(drawn.unique("plane"), np.eye(4), Mesh(laid(V), F[k : k + 1])))
    leaf = trimesh.creation.icosphere(subdivisions=3, radius=0.3)
    for k in range(3):
        X = make_pose(np.eye(3), [1.0 + 0.7 * k, 0.3, 1.0])
        mesh = Mesh(leaf.vertices, leaf.faces[100:])
        drawn.parts.append(ScenePart(drawn.unique("pot"), X, mesh))
    file = tmp_path / "drawn.glb"
    file.write_bytes(write_glb(drawn))
    assert len(scene_of(file).parts) == len(F) + 3
    assert "pot" not in [each.name for each in scene_of(file, up="y").parts]


def test_hostile_scans_in_several_meshes_end_in_a_room_or_a_message(tmp_path: Path) -> None:
    V, F = holed(6)
    keys = cells(V, F, 0.15)
    tiny, tables = (split(laid(V), F, keys, [name]) for name in ("mesh", "table"))
    tiny.parts = tiny.parts[:50]
    cases = {"tiny": tiny, "tables": tables, "far": split(laid(V), F, cells(V, F, 0.8), ["mesh"])}
    far = [each for each in cases["far"].parts if each.shape is not None]
    X = make_pose(np.eye(3), [1e7, -1e9, 1e3])
    cases["far"].parts.append(ScenePart("far", X, far[0].shape))
    flat = Mesh(np.zeros((3, 3)) + 1.0, np.array([[0, 1, 2]] * 9))
    cases["far"].parts.append(ScenePart("flat", np.eye(4), flat))
    for name, scene in cases.items():
        (tmp_path / f"{name}.glb").write_bytes(write_glb(scene))
    for name in ("tables", "far"):
        wanted = ["piece_1", "piece_2", "piece_3"]
        assert scene_of(tmp_path / f"{name}.glb").wanted == wanted, name
    assert len(scene_of(tmp_path / "tiny.glb").parts) == 50
    with pytest.raises(art.FormatError):
        scene_of(tmp_path / "tiny.glb", up="y")


@pytest.mark.slow
def test_a_flat_floor_of_a_million_triangles_is_stood_on(tmp_path: Path) -> None:
    from articulata.analyses.reach.reach_question import study_of

    number = 708
    x, z = np.linspace(0.0, 4.0, number + 1), np.linspace(0.0, 3.0, number + 1)
    V = np.stack(np.meshgrid(x, [0.0], z, indexing="ij"), axis=-1).reshape(-1, 3)
    a = (np.arange(number)[:, None] * (number + 1) + np.arange(number)).ravel()
    b, c = a + number + 1, a + number + 2
    F = np.vstack([np.stack([a, a + 1, c], axis=1), np.stack([a, c, b], axis=1)])
    scene = Scene("flat", "flat")
    scene.parts.append(ScenePart("floor", np.eye(4), Mesh(V, F)))
    middle = np.array([2.0, 0.4, 0.2])
    scene.parts.append(ScenePart("shelf", make_pose(np.eye(3), middle), Cuboid(0.8, 0.8, 0.4)))
    (tmp_path / "flat.glb").write_bytes(write_glb(scene))
    assert len(F) == 1_002_528
    text = world_text(scene_of(tmp_path / "flat.glb"))
    asked = art.parse(text, folder=tmp_path).requests
    (request,) = [each for each in asked if each.kind == "reach"]
    study, things, _ = study_of(request)
    (found,) = study.verdicts(things, who=study.names[:1])
    assert found.accessible
    assert found.base is not None
    near = found.base[:2] - study.room.into(middle)[:2]
    assert 0.2 < np.hypot(*near) < 1.0  # beside the shelf, which is 40 cm deep


FLAT = (np.array([[0.0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]]), np.array([[0, 1, 2], [0, 2, 3]]))


def test_hostile_scans_end_in_a_message(tmp_path: Path) -> None:
    head = "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\n"
    head += (
        "property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.05)
    write(*FLAT, tmp_path / "sheet.ply")
    write(np.array(ball.vertices), np.array(ball.faces), tmp_path / "ball.ply")
    texts = {
        "empty.obj": "",
        "points.ply": head.format("ascii", 3, 0) + "0 0 0\n1 0 0\n0 1 0\n",
        "count.ply": head.format("binary_little_endian", 10**9, 10**9) + "\0" * 99,
        "ascii.ply": head.format("ascii", 10**9, 10**9) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "nan.ply": head.format("ascii", 3, 2) + "nan 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n3 2 1 0\n",
        "beyond.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 1000000000\n",
        "beyond.ply": head.format("ascii", 3, 1) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 -99\n",
        "lone.obj": "v 1\nv 2\nv 3\nf 1 2 3\n",
        "plane.obj": "v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n",
        "line.obj": "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 3 2 1\n",
        "huge.obj": "v 0 0 0\nv 1e300 0 0\nv 0 1e300 0\nf 1 2 3\nf 3 2 1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    for name in (*texts, "sheet.ply", "ball.ply"):
        with pytest.raises(art.FormatError) as raised:
            scene_of(tmp_path / name)
        assert str(raised.value).startswith(str(tmp_path / name)), name
        (finding,) = art.check(tmp_path / name)
        assert finding.severity == "error", name


def test_damage_to_a_scan_leaves_a_room_or_a_message(tmp_path: Path) -> None:
    random = np.random.default_rng(11)
    V, F = scanned(BATHROOM, random, noise=0.01, holes=20, edge=0.2)
    for k in range(3):
        W = V.copy()
        rows = random.integers(len(W), size=30)
        W[rows] = random.choice([np.nan, np.inf, 1e30, -1e8, 0.0], size=(30, 3))
        scene = scene_of(write(W, F, tmp_path / f"{k}.ply"))
        assert len(scene.wanted) >= 3
        assert "triangles without an area, without numbers or far away" in lost_words(scene)


def test_the_share_of_open_edges_counts_corners_in_one_place_as_one() -> None:
    solid = trimesh.creation.box()
    apart = Mesh(solid.triangles.reshape(-1, 3) + 1e3, np.arange(36).reshape(12, 3))
    assert open_share(apart) == 0.0
    # without one triangle three of its 18 edges have one triangle alone
    assert open_share(Mesh(apart.vertices, apart.faces[1:])) == pytest.approx(3 / 18)


def holed_sheet(number: int) -> tuple[Array, IntArray, float]:
    """A level square of 5 m of 2 x number^2 triangles without some, and its share of open edges.

    Every tenth row of squares lacks each second of them: four edges around each are open.
    """
    x = np.linspace(0.0, 5.0, number + 1)
    V = np.stack(np.meshgrid(x, x, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    row, column = np.divmod(np.arange(number**2), number)
    a = row * (number + 1) + column
    b, c = a + 1, a + number + 1
    hole = (row % 10 == 5) & (column % 2 == 1) & (column < number - 1)
    F = np.vstack([np.stack([a, c, b], axis=1)[~hole], np.stack([b, c, c + 1], axis=1)[~hole]])
    holes = int(hole.sum())
    edges = 2 * number * (number + 1) + number**2 - holes
    return V, F, (4 * number + 4 * holes) / edges


def test_the_share_of_open_edges_of_a_large_scan_is_found_from_some_of_them() -> None:
    V, F, exact = holed_sheet(720)
    assert len(F) > 1_000_000 * 0.95
    assert open_share(Mesh(V, F)) == pytest.approx(exact, rel=0.02)


def test_a_large_scan_is_levelled_without_copies_of_its_triangles() -> None:
    V, F, _ = holed_sheet(720)
    tracemalloc.start()
    scan = levelled(V, F, unit=1.0)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.abs(scan.points[:, 2]).max() < 1e-9
    assert held < 3 * (V.nbytes + F.nbytes)


def test_reach_says_how_a_scan_becomes_a_room_and_asks_for_no_walls(tmp_path: Path) -> None:
    sizes = {
        "floor": ((4, 0.1, 3), (0, -0.05, 0)), "wall_n": ((4, 2.5, 0.1), (0, 1.25, -1.55)),
        "wall 2": ((4, 2.5, 0.1), (0, 1.25, 1.55)),
        "wall_cupboard": ((1, 0.74, 0.6), (0.5, 0.37, -1)),
    }  # fmt: skip
    chance, boxes, scene = np.random.default_rng(1), [], trimesh.Scene()
    for name, (size, at) in sizes.items():
        made = trimesh.creation.box(size).subdivide().subdivide().subdivide()
        made.vertices += chance.normal(0, 0.004, made.vertices.shape) + np.array(at)
        boxes.append(made)
        scene.add_geometry(made, node_name=name, geom_name=name)
    scene.export(tmp_path / "named.glb")
    file = tmp_path / "one.glb"
    trimesh.util.concatenate(boxes).export(file)
    said = rf"scan of a room.*reach {file} --up y.*convert {file} --to room\.art --up y"
    with pytest.raises(art.WorldError, match=said):
        request_of(ReachAsked(file))
    with pytest.warns(art.FormatWarning, match="thickness of walls"):
        _, asked = request_of(ReachAsked(file, up="y", unit=1.0))
    assert [str(each) for each in asked.objects] == ["piece_1.uppermost"]
    _, named = request_of(ReachAsked(tmp_path / "named.glb"))
    assert [str(each) for each in named.objects] == ["wall_cupboard.uppermost"]
