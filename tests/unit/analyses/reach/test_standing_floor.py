"""Where people stand on a floor of several heights, one that is not level, or a scanned one."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
import shapely

import articulata as art
from articulata.analyses.reach.notes import uneven_floor
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.surroundings.furniture import fits, movable
from articulata.analyses.reach.surroundings.room import Room, room_of
from articulata.errors import WorldError
from articulata.geometry.arrays import Array
from articulata.records.reach_shares import PROVED

TEXT = """
units: metre

primitive ground {{
  properties: (fixed); geometry: {floor} where {{ foot: (0, 0, 0) }}
}}
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d) where {{ knob: (0, 0, 0.5*d + 0.04) }}
}}

world room {{
  gravity: {gravity}
  components {{
    floor: ground; button: block(0.1, 0.1, 0.04); crate: block(0.4, 0.4, 0.4)
    low, high: fixed_point
  }}
  structure {{
    place floor by floor.foot at (0, 0, 0){turned}
    place button by button.center at (0.6, {button}, 0.02)
    place crate by crate.center at (1.25, 0.2, 1.5)
    place low by low.center at (0, 0, 1.5)
    place high by high.center at (4.5, {step}, 1.5)
  }}
}}

reach room {{ person: human_upper_body on wheelchair; objects: button.knob }}
"""

PARTS = (
    "union(a: cuboid(2.5, 0.1, 3) at (1.25, -0.05, 1.5), "
    "b: cuboid(2, 0.1, 3) at (3.5, {top} - 0.05, 1.5))"
)
SLAB = "cuboid(5, 0.1, 3) at (2.5, -0.05, 1.5)"


def text(floor: str = SLAB, *, turned: str = "", step: float = 0.8, button: float = 2.55,
         gravity: str = "(0, -9.81, 0)") -> str:  # fmt: skip
    return TEXT.format(floor=floor, turned=turned, gravity=gravity, step=step, button=button)


def parts(step: float, *, door: str = "") -> Room:
    return room_of(art.parse(text(PARTS.format(top=step), step=step)).world(), door=door)


def height(room: Room) -> float:
    """Return how high above W's origin people stand, m."""
    return float(room.X_WG[:3, 3] @ room.X_WG[:3, 2])


def bounds(room: Room) -> tuple[float, ...]:
    return tuple(np.round(room.floor.bounds, 6).tolist())


LOW, HIGH = (0.0, -3.0, 2.5, 0.0), (2.5, -3.0, 4.5, 0.0)


@pytest.mark.parametrize("step", [0.8, -0.8, 0.02])
def test_people_stand_on_one_height_of_a_floor(step: float) -> None:
    room = parts(step)
    assert (height(room), bounds(room)) == (0.0, LOW)
    # what is higher is in the way, and stays where it is
    assert [each.body for each in room.solids].count("floor") == (step > 0.0)
    assert "floor" not in movable(room, "", "button", np.array([2.6, -1.5, 1.0]))
    assert movable(room, "floor", "button", np.array([0.6, -0.1, 1.0])) == ()
    (note,) = uneven_floor(room)
    told = f"6.0 m² {'80' if abs(step) > 0.1 else '2.0'} cm {'higher' if step > 0.0 else 'lower'};"
    assert told in note
    assert bounds(parts(step, door="low")) == LOW
    other = parts(step, door="high")
    assert height(other) == pytest.approx(step)
    assert bounds(other) == HIGH


def test_a_threshold_that_is_part_of_the_floor_is_left_out_alone() -> None:
    # remedies ask whether a room without it would do
    ridge = f"union(a: {SLAB}, b: cuboid(0.06, 0.05, 3) at (1, 0.025, 1.5))"
    world = art.parse(text(ridge)).world()
    for without, count in ((), 1), (("floor",), 0):
        room = room_of(world, without=without)
        assert [each.body for each in room.solids].count("floor") == count
        assert room.floor.area == pytest.approx(15.0)


def test_a_change_in_level_without_a_ramp_is_the_same_floor() -> None:
    room = parts(0.01)
    assert bounds(room) == (*LOW[:2], *HIGH[2:])
    assert not [each for each in room.solids if each.body == "floor"]
    assert [*uneven_floor(room)] == []


def test_a_chair_does_not_roll_on_air() -> None:
    study, objects, _ = study_of(art.parse(text(PARTS.format(top=0.8))).requests[0])
    (verdict,) = study.verdicts([*objects], remedies=False)
    assert verdict.label == PROVED


@pytest.mark.parametrize(
    ("turned", "gravity", "slope"),
    [
        (" turned 6 deg about z", "(0, -9.81, 0)", "1:9.5"),
        ("", "(1, -9.75, 0)", "1:9.8"),
    ],
)
def test_a_floor_that_is_not_level_is_refused(turned: str, gravity: str, slope: str) -> None:
    world = art.parse(text(turned=turned, gravity=gravity)).world()
    with pytest.raises(WorldError, match=f"no level face .* slopes by {slope}, and 1:48 is the"):
        room_of(world)


@pytest.mark.parametrize("shape", ["sphere(1)", "cone(1, 1)"])
def test_a_floor_without_a_flat_face_is_refused(shape: str) -> None:
    upright = " turned -90 deg about x"  # the tip of a cone is at its front, along z
    with pytest.raises(WorldError, match="no flat upper face"):
        room_of(art.parse(text(shape, turned=upright)).world())


def test_a_round_floor_is_floor() -> None:
    room = room_of(art.parse(text("cylinder(2, 0.1)", turned=" turned -90 deg about x")).world())
    assert room.floor.area == pytest.approx(4.0 * np.pi, rel=0.03)
    assert room.rise == pytest.approx(0.0, abs=1e-9)


def test_a_floor_that_all_but_is_level_is_taken_at_its_middle_height() -> None:
    room = room_of(art.parse(text(turned=" turned 1 deg about z")).world())
    assert height(room) == pytest.approx(2.5 * np.sin(np.radians(1.0)), abs=1e-3)
    assert room.floor.area == pytest.approx(15.0, rel=1e-3)
    (note,) = uneven_floor(room)
    assert "rises by 8.7 cm" in note


def scanned(folder: Path, V: Array, faces: list[list[int]]) -> Room:
    """A room whose floor is a surface with these corners (n, 3) and triangles, y up."""
    lines = [f"v {x} {y} {z}" for x, y, z in V.tolist()]
    lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces]
    (folder / "scan.obj").write_text("\n".join(lines) + "\n")
    (folder / "room.art").write_text(text('mesh("scan.obj")'))
    return room_of(art.read(folder / "room.art").world())


@pytest.mark.parametrize("ceiling", [False, True])
def test_walls_and_counters_of_a_scanned_room_are_in_the_way(tmp_path: Path, ceiling: bool) -> None:
    corners = [
        *product((0.0, 5.0), (0.0, 2.4), (0.0, 3.0)), *product((2.0, 4.0), (0.0, 0.9), (1.0, 3.0)),
    ]  # fmt: skip
    # floor and a wall; top and a side of a counter; the ceiling is as large as the floor
    sides = [[0, 1, 5], [0, 5, 4], [0, 2, 6], [0, 6, 4], [10, 11, 15], [10, 15, 14], [8, 9, 11]]
    sides += [[8, 11, 10], *([[2, 3, 7], [2, 7, 6]] if ceiling else [])]
    room = scanned(tmp_path, np.array(corners), sides)
    assert height(room) == pytest.approx(0.0, abs=1e-6)
    assert room.floor.area == pytest.approx(15.0, rel=1e-6)
    tops = [round(float(each.outer[:, 2].max()), 3) for each in room.solids if each.body == "floor"]
    assert sorted(tops) == [*[0.9] * 4, *[2.4] * (4 if ceiling else 2)]
    # a crate has room beside the counter, and none in it
    assert fits(room, "crate", np.array([-0.3, 0.0, 0.0]))
    assert not fits(room, "crate", np.array([0.7, 0.0, 0.0]))


def test_a_scanned_floor_that_falls_to_a_drain_is_floor_all_over(tmp_path: Path) -> None:
    x, z = np.meshgrid(np.linspace(0.0, 4.0, 21), np.linspace(0.0, 3.0, 16), indexing="ij")
    rough = np.random.default_rng(1).uniform(-2e-3, 2e-3, x.shape)
    V = np.stack([x, -x / 60.0 + rough, z], axis=-1).reshape(-1, 3)
    at = np.arange(len(V)).reshape(x.shape)
    squares = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], axis=-1).reshape(-1, 4)
    faces = np.concatenate([squares[:, :3], squares[:, [0, 2, 3]]]).tolist()
    room = scanned(tmp_path, V, faces)
    assert shapely.get_num_geometries(room.floor) == 1
    assert shapely.get_num_interior_rings(room.floor) == 0
    assert room.floor.area == pytest.approx(12.0, rel=1e-4)
    assert height(room) == pytest.approx(-2.0 / 60.0, abs=3e-3)
    # a ramp of 1:12 is none
    V[:, 1] = -V[:, 0] / 12.0
    V[V[:, 0] < 2.0, 1] = -2.0 / 12.0
    again = scanned(tmp_path, V, faces)
    assert bounds(again) == pytest.approx((0.0, -3.0, 2.0, 0.0), abs=0.21)


@pytest.mark.parametrize("turn", [0.0, 20.0, 49.6, 130.1])
def test_seams_of_a_floor_in_pieces_are_no_edges_of_it(turn: float) -> None:
    shape = "difference(cuboid(2, 0.2, 2), cuboid(0.6, 1, 0.7) at (-0.25, 0, -0.35))"
    room = room_of(art.parse(text(shape, turned=f" turned {turn} deg about y")).world())
    assert room.floor.is_valid
    assert room.floor.length == pytest.approx(4 * 2.0 + 2 * (0.6 + 0.7), rel=1e-6)
    assert room.floor.area == pytest.approx(2.0 * 2.0 - 0.6 * 0.7, rel=1e-6)
