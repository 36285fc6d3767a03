"""Reach ranges of ADA 2010, 308: the numbers of the standard, objects laid against them."""

from __future__ import annotations

from pathlib import Path

import pytest

import articulata as art
from articulata.analyses.reach.room import Room, room_of
from articulata.analyses.reach.rule_tables import rules_of
from articulata.analyses.reach.rules import checked, findings_of
from rooms import document


def room_with(depth: float, height: float, on: float = 0.8, thick: float = 0.0) -> art.World:
    """A counter ``depth`` m deep and a switch on the wall behind it at ``height`` m.

    It stands on the floor, or is a top ``thick`` m thick.
    """
    thick = thick or on
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d) where {{ knob: (0, 0, 0.5*d) }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block(3 m, 10 cm, 3 m); counter: block(3 m, {thick} m, {depth} m)
    switch: block(5 cm, 5 cm, 1 mm) }}
  structure {{
    place floor by floor.center at (0, -5 cm, 1.5 m)
    place counter by counter.center at (0, {on - thick / 2} m, {depth / 2} m)
    place switch by switch.knob at (0, {height} m, 1 mm)
  }}
}}"""
    return art.parse(text).world()


@pytest.mark.parametrize(
    ("depth", "height", "on", "met"),
    [
        (0.25, 1.21, 0.8, True),  # 308.3.1: side, 255 mm
        (0.50, 1.21, 0.8, True),  # 308.2.2: forward, 510 mm
        (0.60, 1.16, 0.8, True),  # 308.3.2: side, 610 mm and 865 mm high
        (0.60, 1.16, 0.9, False),  # too high an obstruction for the side, 1120 mm forward
        (0.60, 1.11, 0.9, True),  # 308.2.2: forward, 635 mm
        (0.50, 1.23, 0.8, False),
        (0.50, 0.85, 0.8, True),
        (0.70, 1.00, 0.8, False),  # deeper than any rule allows
    ],
)
def test_reach_ranges(depth: float, height: float, on: float, met: bool) -> None:
    found = checked(room_of(room_with(depth, height, on)), "ada_2010", "switch.knob")
    assert found.met == met, str(found)
    assert found.depth == pytest.approx(depth - 1e-3, abs=2e-3)
    assert found.height == pytest.approx(height)


@pytest.mark.parametrize(("depth", "met"), [(0.50, True), (0.80, False)])
def test_a_table_with_knee_room_is_an_obstruction_too(depth: float, met: bool) -> None:
    found = checked(room_of(room_with(depth, 1.1, 0.74, 0.04)), "ada_2010", "switch.knob")
    assert found.met == met, str(found)
    assert found.depth == pytest.approx(depth - 1e-3, abs=2e-3)


def bare_room(door: float, gap: float, lane: float) -> Room:
    """A floor of 2.4 m by 2.6 m between walls, a switch on one, a door in the opposite one.

    Boxes leave ``gap`` m free along the wall of the switch, and a lane to the door.
    """
    wide, deep = 2.4, 2.6
    side, left = 0.5 * (wide - door), 0.5 * (wide - lane)
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d) where {{ knob: (0, 0, 0.5*d) }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block({wide} m, 10 cm, {deep} m); left, right: block(10 cm, 2.4 m, {deep} m)
    back: block({wide} m, 2.4 m, 10 cm); one, two: block({side} m, 2.4 m, 10 cm)
    box, chest: block({left} m, 60 cm, {deep - gap} m)
    switch: block(5 cm, 5 cm, 1 mm); door: fixed_point }}
  structure {{
    place floor by floor.center at (0, -5 cm, {0.5 * deep} m)
    place back by back.center at (0, 1.2 m, -5 cm)
    place left by left.center at ({-0.5 * wide - 0.05} m, 1.2 m, {0.5 * deep} m)
    place right by right.center at ({0.5 * wide + 0.05} m, 1.2 m, {0.5 * deep} m)
    place one by one.center at ({-0.5 * (door + side)} m, 1.2 m, {deep + 0.05} m)
    place two by two.center at ({0.5 * (door + side)} m, 1.2 m, {deep + 0.05} m)
    place box by box.center at ({-0.5 * (lane + left)} m, 30 cm, {0.5 * (deep + gap)} m)
    place chest by chest.center at ({0.5 * (lane + left)} m, 30 cm, {0.5 * (deep + gap)} m)
    place switch by switch.knob at (0, 1 m, 1 mm)
    place door by door.center at (0, 0, {deep} m)
  }}
}}"""
    return room_of(art.parse(text).world(), door="door")


@pytest.mark.parametrize(
    ("gap", "lane", "door", "turning", "widest"),
    [
        (1.54, 0.96, 0.90, "304.3.1", 0.90),
        (1.20, 0.90, 0.90, "", 0.90),  # too narrow for the circle, the lane for a stem
        (0.93, 0.93, 0.93, "304.3.2", 0.93),  # the T fits, with the stem in the lane
        (0.90, 0.93, 0.93, "", 0.93),  # its bar does not
        (1.54, 0.96, 0.80, "304.3.1", 0.80),  # room to turn, but nothing comes in
    ],
)
def test_room_to_turn_and_to_come_in(
    gap: float, lane: float, door: float, turning: str, widest: float
) -> None:
    room = bare_room(door, gap, lane)
    _, turn, way, before = findings_of(room, "ada_2010", ["switch.knob"], "door")
    assert (turn.section if turn.met else "") == turning, str(turn)
    assert way.met == (widest >= 0.815), str(way)
    if not way.met:
        told = float(str(way).partition("by the door is ")[2].partition(" m")[0])
        assert told == pytest.approx(widest, abs=0.011)
    assert before.met
    assert before.section == "305.3"


def hung_room(x: tuple[float, float], y: tuple[float, float], low: float = 0.7) -> Room:
    """A floor of 1.55 m by 1.55 m with a slab over a part of it, its underside at ``low`` m."""
    wide, deep = x[1] - x[0], y[1] - y[0]
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d) where {{ knob: (0, 0, 0.5*d) }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block(1.55 m, 10 cm, 1.55 m); slab: block({wide} m, 5 cm, {deep} m) }}
  structure {{
    place floor by floor.center at (0, -5 cm, 0)
    place slab by slab.center at ({0.5 * (x[0] + x[1])} m, {low + 0.025} m, {0.5 * (y[0] + y[1])} m)
  }}
}}"""
    return room_of(art.parse(text).world())


@pytest.mark.parametrize(
    ("x", "y", "low", "section"),
    [
        # along one side: 635 mm of the circle may lie below the slab (306.3.2)
        ((-0.8, 0.8), (0.16, 0.8), 0.7, "304.3.1"),
        ((-0.8, 0.8), (0.05, 0.8), 0.7, ""),
        ((-0.8, 0.8), (-0.8, 0.8), 0.7, ""),  # over the whole floor
        ((-0.8, 0.8), (-0.8, 0.8), 2.04, "304.3.1"),  # above everybody's head
    ],
)
def test_knee_room_of_a_circle_ends(
    x: tuple[float, float], y: tuple[float, float], low: float, section: str
) -> None:
    turn, before = findings_of(hung_room(x, y, low), "ada_2010", ["slab.knob"])[1:]
    assert (turn.section if turn.met else "") == section, str(turn)
    assert before.section == "305.3"
    assert before.met == (y[0] > -0.8 or low > 2.0), str(before)


@pytest.mark.parametrize(
    ("hung", "met"),
    [
        (("base",), True),  # 304.3.2: at the end of the base
        (("right",), True),  # or of one arm
        (("right", "left"), False),
        (("right", "base"), False),
        (("bar",), False),
    ],
)
def test_knee_room_of_a_t_lies_at_one_end(hung: tuple[str, ...], met: bool) -> None:
    # posts at the corners leave a T of 1.55 m clear, its stem along y, and no circle
    over = {
        "base": ("1 m, 5 cm, 58 cm", "0, 72.5 cm, -49 cm"),
        "right": ("27 cm, 5 cm, 1 m", "64 cm, 72.5 cm, 30 cm"),
        "left": ("27 cm, 5 cm, 1 m", "-64 cm, 72.5 cm, 30 cm"),
        "bar": ("1.6 m, 5 cm, 20 cm", "0, 72.5 cm, 30 cm"),
    }
    names = "; ".join(f"{name}: block({over[name][0]})" for name in hung)
    places = "\n".join(f"place {name} by {name}.center at ({over[name][1]})" for name in hung)
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d)
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block(1.55 m, 10 cm, 1.55 m); one, two: block(30 cm, 60 cm, 60 cm)
    {names} }}
  structure {{
    place floor by floor.center at (0, -5 cm, 0)
    place one by one.center at (-62.5 cm, 30 cm, -47.5 cm)
    place two by two.center at (62.5 cm, 30 cm, -47.5 cm)
    {places}
  }}
}}"""
    (turn,) = findings_of(room_of(art.parse(text).world()), "ada_2010", [])
    assert (turn.section if turn.met else "") == ("304.3.2" if met else ""), str(turn)


@pytest.mark.parametrize(
    ("gap", "met"),
    [
        (0.77, True),  # along the wall
        (0.74, False),  # neither there, nor ahead in the lane
    ],
)
def test_clear_floor_before_an_object(gap: float, met: bool) -> None:
    before = findings_of(bare_room(0.9, gap, 0.7), "ada_2010", ["switch.knob"])[-1]
    assert before.met == met, str(before)


@pytest.mark.parametrize(("high", "met"), [(2.4, False), (0.8, True)])
def test_floor_behind_a_wall_is_not_before_an_object(high: float, met: bool) -> None:
    # the switch is on a wall above a heap; behind the wall there is room
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d) where {{ knob: (0, 0, 0.5*d) }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block(3 m, 10 cm, 3 m); wall: block(3 m, {high} m, 10 cm)
    heap: block(3 m, 60 cm, 80 cm); switch: block(5 cm, 5 cm, 1 mm) }}
  structure {{
    place floor by floor.center at (0, -5 cm, 0)
    place wall by wall.center at (0, {0.5 * high} m, 60 cm)
    place heap by heap.center at (0, 30 cm, 1.1 m)
    place switch by switch.knob at (0, 1 m, 69 cm)
  }}
}}"""
    room = room_of(art.parse(text).world())
    assert findings_of(room, "ada_2010", ["switch.knob"])[-1].met == met


def test_rules_of_rooms_alone_and_rows_that_lack_a_length(tmp_path: Path) -> None:
    head = "section,reach,depth_m,low_m,high_m,obstruction_m,width_m,length_m,what"
    file = tmp_path / "own.csv"
    file.write_text(f"{head}\n9,turning,0,0,0.7,,1.2,,room to turn\n")
    found = findings_of(bare_room(0.9, 1.54, 0.96), str(file), ["switch.knob"])
    assert [(each.section, each.met) for each in found] == [("9", True)]
    for row, column in (
        ("9,turning,0,0,0.7,,,,x", "width_m is 0"),
        ("9,clear floor,0,0,0.7,,0.8,,x", "length_m is 0"),
        ("9,door,0,0,0.7,,nan,,x", "width_m is nan"),
        ("9,side,-1,0,0.7,,,,x", "depth_m is -1"),
    ):
        file.write_text(f"{head}\n{row}\n")
        with pytest.raises(art.FormatError, match=f"row 2: {column}"):
            rules_of(str(file))


def test_rules_come_with_an_answer_and_its_record(tmp_path: Path) -> None:
    world = document().world("room")
    reached = art.reach(
        world, person="human_upper_body", mobility=art.OnFoot(), objects=["shelf.front"],
        grid=None, rules=["ada_2010"],
    )  # fmt: skip
    assert [(each.section[:3], each.met) for each in reached.findings] == [
        ("308", False), ("304", True), ("404", True), ("305", True),
    ]  # fmt: skip
    reached.save(tmp_path / "a.artreach")
    assert art.ReachMap.load(tmp_path / "a.artreach").findings == reached.findings


def test_rules_that_are_not_there_or_no_table(tmp_path: Path) -> None:
    with pytest.raises(art.NameNotFound, match="did you mean 'ada_2010'"):
        rules_of("ada_2011")
    with pytest.raises(art.FormatError, match=r"cannot be read: .*; put the file beside the text"):
        rules_of(str(tmp_path / "none.csv"))
    file = tmp_path / "own.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(art.FormatError, match="columns section"):
        rules_of(str(file))
