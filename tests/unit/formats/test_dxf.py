"""Floor plans in DXF, drawn here by ezdxf, stand as rooms; broken files get a message."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.formats.rooms import dxf_drawing
from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_files import scene_of
from articulata.geometry.arrays import Array
from articulata.sessions.command_fields import ReachAsked
from articulata.sessions.converting import convert
from articulata.sessions.reach.answering import request_of
from articulata.world.requests.reach import ReachQuestion

ezdxf = pytest.importorskip("ezdxf")

INNER, OUTER = (4.0, 3.0), 0.3
"""m: the room's size, and how thick its walls are."""
DOOR = (1.0, 1.9)
"""m along the lower wall: where the door's opening lies."""


def plan(*, unit: float = 1e-3, header: int | None = 4, layer: str = "A-WALL") -> Any:
    """A room with a door in its lower wall, a window in its right one, a table and a basin."""
    document = ezdxf.new("R2010")
    document.header["$INSUNITS"] = header or 0
    space = document.modelspace()

    def at(x: float, y: float) -> tuple[float, float]:
        return x / unit, y / unit

    def line(a: tuple[float, float], b: tuple[float, float], on: str = layer) -> None:
        space.add_line(at(*a), at(*b), dxfattribs={"layer": on})

    (w, d), t = INNER, OUTER
    # walls by their faces, open at the door's jambs (no line across) and closed at the window's
    for y, x0, x1 in ((0.0, 0.0, w), (-t, -t, w + t)):
        line((x0, y), (DOOR[0], y))
        line((DOOR[1], y), (x1, y))
    line((0.0, 0.0), (0.0, d))
    line((0.0, d), (w, d))
    line((-t, -t), (-t, d + t))
    line((-t, d + t), (w + t, d + t))
    for x, y0, y1 in ((w, 0.0, d), (w + t, -t, d + t)):
        line((x, y0), (x, 1.0))
        line((x, 2.2), (x, y1))
    for y in (1.0, 2.2):
        line((w, y), (w + t, y))
    space.add_lwpolyline(
        [at(w, 1.0), at(w + t, 1.0), at(w + t, 2.2), at(w, 2.2)],
        close=True, dxfattribs={"layer": "A-GLAZ"},
    )  # fmt: skip
    block = document.blocks.new("DOOR_90")
    block.add_line((0, 0), (0, 0.9 / unit))
    block.add_arc((0, 0), 0.9 / unit, 0, 90)
    space.add_blockref("DOOR_90", at(DOOR[0], 0.0), dxfattribs={"layer": "A-DOOR"})
    table = document.blocks.new("TABLE_160x80")
    table.add_lwpolyline([at(0, 0), at(1.6, 0), at(1.6, 0.8), at(0, 0.8)], close=True)
    table.add_line(at(0, 0), at(1.6, 0.8))
    space.add_blockref("TABLE_160x80", at(1.0, 1.8), dxfattribs={"layer": "I-FURN"})
    space.add_circle(at(0.3, 2.6), 0.2 / unit, dxfattribs={"layer": "P-FIXT-BASIN"})
    space.add_text("Kitchen", dxfattribs={"layer": "A-ANNO-TEXT"})
    return document


def read(document: Any, folder: Path) -> Scene:
    file = folder / "plan.dxf"
    document.saveas(file)
    return scene_of(file)


def box(scene: Scene, name: str) -> tuple[Array, Array]:
    (part,) = [each for each in scene.parts if each.name == name]
    assert part.shape is not None
    points = triangles_of(part.shape)[0] + part.X_WP[:3, 3]
    return points.min(axis=0), points.max(axis=0)


def area(scene: Scene, name: str) -> float:
    """The area (m2) of the faces of a part that look up."""
    (part,) = [each for each in scene.parts if each.name == name]
    assert part.shape is not None
    vertices, faces = triangles_of(part.shape)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.maximum(0.5 * np.cross(b - a, c - a)[:, 2], 0.0).sum())


@pytest.mark.parametrize(("unit", "header"), [(1e-3, 4), (1e-2, 5), (1.0, 6), (0.0254, 1)])
def test_a_room_stands_as_it_is_drawn(unit: float, header: int, tmp_path: Path) -> None:
    scene = read(plan(unit=unit, header=header), tmp_path)
    walls = [each.name for each in scene.parts if each.name.startswith("wall")]
    low, high = np.array([box(scene, each) for each in walls]).transpose(1, 0, 2)
    w, d, t = *INNER, OUTER
    assert low.min(axis=0) == pytest.approx([-t, -t, 0.0], abs=2e-3)
    assert high.max(axis=0) == pytest.approx([w + t, d + t, 2.5], abs=2e-3)
    # the ring of walls less the openings of door and window
    ring = (w + 2 * t) * (d + 2 * t) - w * d - t * (DOOR[1] - DOOR[0]) - t * 1.2
    assert sum(area(scene, each) for each in walls) == pytest.approx(ring, abs=5e-3)
    assert area(scene, "floor") == pytest.approx((w + 2 * t) * (d + 2 * t), rel=2e-3)
    assert box(scene, "floor")[1][2] == pytest.approx(0.0, abs=1e-9)
    assert np.array(box(scene, "table")) == pytest.approx(
        np.array([[1.0, 1.8, 0.0], [2.6, 2.6, 0.74]]), abs=2e-3
    )
    assert np.array(box(scene, "fixt_basin")) == pytest.approx(
        np.array([[0.1, 2.4, 0.0], [0.5, 2.8, 0.87]]), abs=2e-3
    )
    assert np.array(box(scene, "window")) == pytest.approx(
        np.array([[w, 1.0, 0.9], [w + t, 2.2, 2.1]]), abs=0.03
    )
    assert scene.floor == "floor"
    assert scene.wanted == ["table", "fixt_basin"]
    assert scene.lost["leaf of a door (it stands open; the leaf is 0.90 m wide)"] == 1


@pytest.mark.parametrize(("unit", "header"), [(0.0254, 4), (1e-3, None), (0.3048, 4), (1e-2, 6)])
def test_doors_tell_the_unit_where_the_header_is_wrong(
    unit: float, header: int | None, tmp_path: Path
) -> None:
    scene = read(plan(unit=unit, header=header), tmp_path)
    low, high = box(scene, "floor")
    assert (high - low)[:2] == pytest.approx([INNER[0] + 2 * OUTER, INNER[1] + 2 * OUTER], abs=0.01)
    assert any("unit of length" in each for each in scene.lost)


@pytest.mark.parametrize("layer", ["0", "Wände", "MUROS", "xref$0$A-WALL-FULL", "Murs porteurs"])
def test_walls_are_known_by_their_layer(layer: str, tmp_path: Path) -> None:
    scene = read(plan(layer=layer), tmp_path)
    walls = [each.name for each in scene.parts if each.name.startswith("wall")]
    w, d, t = *INNER, OUTER
    ring = (w + 2 * t) * (d + 2 * t) - w * d - t * (DOOR[1] - DOOR[0]) - t * 1.2
    assert sum(area(scene, each) for each in walls) == pytest.approx(ring, abs=5e-3)


def test_the_layer_of_walls_is_asked_for(tmp_path: Path) -> None:
    """A drawing whose layers nobody knows, one of them full of tiles 0.7 m wide: 15 by 15."""
    document = plan(layer="Shell 01")
    for k in range(16):
        for a, b in (((k, 0), (k, 15)), ((0, k), (15, k))):
            ends = [(700.0 * x, 700.0 * y + 5e4) for x, y in (a, b)]
            document.modelspace().add_line(*ends, dxfattribs={"layer": "Ground 02"})
    with pytest.raises(art.FormatError, match=r"22\d rooms .*--walls LAYER; .*'Ground 02' \(32"):
        read(document, tmp_path)
    file = tmp_path / "plan.dxf"
    scene = scene_of(file, walls="shell")
    low, high = box(scene, "floor")
    assert (high - low)[:2] == pytest.approx([INNER[0] + 2 * OUTER, INNER[1] + 2 * OUTER], abs=0.01)
    assert list(scene.rooms) == ["room 1"]
    with pytest.raises(art.FormatError, match="there is no layer 'Walls'; its layers are"):
        scene_of(file, walls="Walls")
    assert convert(file, tmp_path / "rooms.art", walls="Shell 01,ground")
    asked = ReachAsked(file, walls="shell", headless=True, out=tmp_path)
    with pytest.warns(art.FormatWarning, match="Ground 02"):
        assert request_of(asked)[1].objects == ("table.uppermost", "fixt_basin.uppermost")


def test_lines_that_may_be_no_walls_are_told(tmp_path: Path) -> None:
    document = plan(layer="Shell 01")
    document.modelspace().add_line((0, 0), (0, 900), dxfattribs={"layer": "Ground 02"})
    (told,) = [each for each in read(document, tmp_path).lost if "--walls" in each]
    assert told.startswith("line that may be no wall: no layer is called so (reach and convert")
    assert "'Ground 02' (1 lines)" in told


def test_height_and_unit_can_be_given(tmp_path: Path) -> None:
    file = tmp_path / "plan.dxf"
    plan(unit=1e-3, header=4).saveas(file)
    told = convert(file, tmp_path / "room.art", height=3.1, unit=2e-3)
    assert "height of rooms" not in told
    world = art.assemble(art.read(tmp_path / "room.art").world())
    shape = next(each.shape for name, each in world.bodies.items() if name.startswith("wall"))
    assert shape is not None
    points = triangles_of(shape)[0]
    assert float(np.ptp(points[:, 2])) == pytest.approx(3.1)
    with pytest.raises(art.FormatError, match=r"height = 0.2 m; give 1.5 to 20 m"):
        scene_of(file, height=0.2)
    other = tmp_path / "hall.wrl"
    other.write_text("#VRML V2.0 utf8\nShape { geometry Box { } }")
    with pytest.raises(art.FormatError, match="a VRML scene tells its height itself"):
        scene_of(other, height=2.5)


def test_a_person_goes_through_the_door_to_the_basin(tmp_path: Path) -> None:
    from articulata.analyses.reach.reach_question import study_of

    file = tmp_path / "plan.dxf"
    plan().saveas(file)
    with pytest.warns(art.FormatWarning, match="stands open"):
        document = art.read(file)
    (request,) = [each for each in document.requests if each.kind == "reach"]
    study, things, _ = study_of(request)
    verdicts = study.verdicts(things, who=study.names[:1])
    assert [each.object for each in verdicts] == ["table.uppermost", "fixt_basin.uppermost"]
    assert all(each.q is not None for each in verdicts)


def test_blocks_within_blocks_are_placed_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = plan()
    outer = document.blocks.new("GROUP")
    outer.add_blockref("TABLE_160x80", (0, 0))
    document.modelspace().add_blockref("GROUP", (200, 300), dxfattribs={"layer": "I-FURN"})
    scene = read(document, tmp_path)
    found = [
        box(scene, each.name) for each in scene.parts if each.name.startswith(("group", "tab"))
    ]
    assert sorted(round(float(low[0]), 3) for low, _ in found) == [0.2, 1.0]
    bomb = plan()
    bomb.blocks.new("B0").add_line((0, 0), (1, 1))
    for k in range(1, 12):
        block = bomb.blocks.new(f"B{k}")
        for _ in range(4):
            block.add_blockref(f"B{k - 1}", (0, 0))
    bomb.modelspace().add_blockref("B11", (0, 0))
    monkeypatch.setattr(dxf_drawing, "MOST_STROKES", 4_000)
    with pytest.raises(art.FormatError, match="more than 4,000 things are drawn"):
        read(bomb, tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[: len(text) // 2], "broken|no line is drawn|no wall"),
        (lambda text: re.sub(r"\nENTITIES\n", "\nENTITEES\n", text), "no line is drawn"),
        (lambda text: text.replace("A-WALL", "A-ANNO"), "no wall was found"),
        (lambda text: "  0\nSECTION\n  2\nHEADER\n\0\0", "broken|no line"),
    ],
)
def test_broken_files_get_a_message(change: Any, said: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.dxf"
    plan().saveas(file)
    file.write_text(change(file.read_text()))
    with pytest.raises(art.FormatError, match=said):
        scene_of(file)


def test_windows_of_no_length_are_left_out(tmp_path: Path) -> None:
    document = plan()
    at = 2000.0, 3000.0
    document.modelspace().add_line(at, at, dxfattribs={"layer": "A-GLAZ"})
    assert len(read(document, tmp_path).parts) == len(read(plan(), tmp_path).parts)


@pytest.mark.parametrize("seed", range(3))
def test_damaged_files_end_in_a_message(seed: int, tmp_path: Path) -> None:
    """Each of some damaged files is a room or a FormatError, and nothing else."""
    damaged(seed, 12, tmp_path)


@pytest.mark.slow
def test_many_damaged_files_end_in_a_message(tmp_path: Path) -> None:
    damaged(7, 1500, tmp_path)


def damaged(seed: int, count: int, folder: Path) -> None:
    file = folder / "plan.dxf"
    plan().saveas(file)
    lines = file.read_bytes().splitlines(keepends=True)
    begin = next(k for k, each in enumerate(lines) if each.strip() == b"BLOCKS")
    drawn = random.Random(seed)
    for number in range(count):
        mine = list(lines)
        for _ in range(drawn.randint(1, 8)):
            k = drawn.randrange(begin if drawn.random() < 0.8 else 0, len(mine))
            mine[k] = drawn.choice([b"nan\n", b"1e308\n", b"-1\n", b"\xff\xfe\n", b"", b"INSERT\n"])
        other = folder / f"damaged_{number}.dxf"
        other.write_bytes(b"".join(mine))
        try:
            said = "" if scene_of(other).parts else "nothing"
        except art.FormatError as error:
            said = str(error)
        assert not said or said.startswith(str(other))
        other.unlink()


def two_rooms() -> Any:
    """A bath 3 x 3 m and a hall 2 x 3 m, a door in the wall between, a basin in the bath."""
    document = ezdxf.new("R2010")
    document.header["$INSUNITS"] = 6
    space = document.modelspace()

    def wall(a: tuple[float, float], b: tuple[float, float]) -> None:
        space.add_lwpolyline(
            [a, (b[0], a[1]), b, (a[0], b[1])], close=True, dxfattribs={"layer": "A-WALL"}
        )

    wall((-0.2, -0.2), (5.3, 0.0))
    wall((-0.2, 3.0), (5.3, 3.2))
    wall((-0.2, 0.0), (0.0, 3.0))
    wall((5.1, 0.0), (5.3, 3.0))
    wall((3.0, 0.0), (3.1, 1.0))
    wall((3.0, 1.9), (3.1, 3.0))
    # the leaf is hinged at the upper jamb and stands open into the bath
    space.add_line((3.0, 1.9), (2.1, 1.9), dxfattribs={"layer": "A-DOOR"})
    space.add_arc((3.0, 1.9), 0.9, 180, 270, dxfattribs={"layer": "A-DOOR"})
    space.add_circle((0.4, 2.6), 0.2, dxfattribs={"layer": "P-FIXT-BASIN"})
    space.add_text("9.0 m2", dxfattribs={"layer": "T"}).set_placement((1.0, 0.8))
    space.add_text("%%uBath", dxfattribs={"layer": "T"}).set_placement((1.0, 1.0))
    space.add_mtext("{\\fArial|b0;Hall}", dxfattribs={"layer": "T", "insert": (3.6, 1.0)})
    return document


def test_one_room_of_a_plan_stands_alone(tmp_path: Path) -> None:
    two_rooms().saveas(file := tmp_path / "plan.dxf")
    whole = scene_of(file)
    assert {name: each.outline.area for name, each in whole.rooms.items()} == {
        "Bath": pytest.approx(9.0, abs=0.15), "Hall": pytest.approx(6.0, abs=0.15),
    }  # fmt: skip
    bath, hall = scene_of(file, room="bath"), scene_of(file, room="Hall")
    assert (bath.wanted, hall.wanted) == (["fixt_basin"], [])
    low, high = box(bath, bath.floor)
    assert np.array([low, high]) == pytest.approx(
        np.array([[0.0, 0.0, -0.1], [3.0, 3.0, 0.0]]), abs=0.08
    )
    # the doorway is the hall's
    assert box(hall, hall.floor)[0][0] == pytest.approx(3.0, abs=0.08)
    assert area(hall, hall.floor) == pytest.approx(6.0, abs=0.15)


def test_rooms_there_are_are_named_where_one_is_not_there(tmp_path: Path) -> None:
    two_rooms().saveas(file := tmp_path / "plan.dxf")
    with pytest.raises(art.FormatError, match="no room 'Kitchen'; its rooms are 'Bath', 'Hall'"):
        scene_of(file, room="Kitchen")
    plan().saveas(alone := tmp_path / "alone.dxf")  # its text lies on the wall
    assert scene_of(alone, room="room 1").wanted == ["table", "fixt_basin"]
    (tmp_path / "scan.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(art.FormatError, match="--room is for buildings"):
        scene_of(tmp_path / "scan.obj", room="Bath")


def test_one_room_is_converted_and_answered(tmp_path: Path) -> None:
    two_rooms().saveas(file := tmp_path / "plan.dxf")
    convert(file, tmp_path / "bath.art", room="Bath")
    (request,) = [r for r in art.read(tmp_path / "bath.art").requests if r.kind == "reach"]
    asked = ReachAsked(file, room="Bath", headless=True, out=tmp_path)
    with pytest.warns(art.FormatWarning, match="stands open"):
        found, question = request_of(asked)
    assert isinstance(request.question, ReachQuestion)
    assert question.objects == request.question.objects == ("fixt_basin.uppermost",)
    assert found.world == request.world == "plan_world"
