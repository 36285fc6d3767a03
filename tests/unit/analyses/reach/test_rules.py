"""Reach ranges of ADA 2010, 308: the numbers of the standard, objects laid against them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import articulata as art
from articulata.analyses.reach.building_codes.reach_ranges import checked
from articulata.analyses.reach.building_codes.rule_tables import rules_of
from articulata.analyses.reach.building_codes.rules import findings_of
from articulata.analyses.reach.surroundings.room import Room, room_of
from articulata.records.reach_verdicts import RuleFinding
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
    ("depth", "height", "on", "section"),
    [
        # a base that is solid down to the floor leaves no room for knees: to the side alone
        (0.25, 1.21, 0.8, "308.3.1"),  # 255 mm
        (0.25, 1.23, 0.8, ""),
        (0.26, 1.21, 0.8, ""),
        (0.50, 1.21, 0.8, ""),  # 510 mm ahead asks for clear floor below
        (0.60, 1.16, 0.8, "308.3.2"),  # 610 mm and 865 mm high
        (0.60, 1.18, 0.8, ""),
        (0.60, 1.16, 0.87, ""),
        (0.60, 1.11, 0.9, ""),
        (0.50, 0.85, 0.8, "308.3.2"),
        (0.62, 1.00, 0.8, ""),
    ],
)
def test_reach_over_a_base(depth: float, height: float, on: float, section: str) -> None:
    found = checked(room_of(room_with(depth, height, on)), "ada_2010", "switch.knob")
    assert (found.section if found.met else "") == section, str(found)
    assert found.depth == pytest.approx(depth - 1e-3, abs=2e-3)
    assert found.height == pytest.approx(height)


@pytest.mark.parametrize(
    ("depth", "height", "on", "section"),
    [
        (0.50, 1.21, 0.8, "308.2.2"),  # 510 mm
        (0.50, 1.23, 0.8, ""),
        (0.52, 1.21, 0.9, ""),
        (0.63, 1.11, 0.9, "308.2.2"),  # 635 mm
        (0.63, 1.13, 0.9, ""),
        (0.65, 1.11, 0.9, ""),
        (0.50, 1.20, 0.71, ""),  # its underside is at 670 mm, below the knees
    ],
)
def test_reach_over_a_top(depth: float, height: float, on: float, section: str) -> None:
    found = checked(room_of(room_with(depth, height, on, 0.04)), "ada_2010", "switch.knob")
    assert (found.section if found.met else "") == section, str(found)


def at_the_end(
    wide: float, components: str = "", places: str = "", height: float = 1.0, turn: float = 0.0,
    door: str = "",
) -> Room:  # fmt: skip
    """A lane ``wide`` m wide between two walls, a switch at its end; all turned by ``turn`` deg."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))

    def put(name: str, x: float, y: float, z: float) -> str:
        at = f"({c * x + s * z} m, {y} m, {c * z - s * x} m)"
        return f"place {name} by {name}.center at {at} turned {turn} deg about y"

    lines = [put("left", -0.5 * wide - 0.05, 1.2, 1.5), put("right", 0.5 * wide + 0.05, 1.2, 1.5),
             put("back", 0.0, 1.2, -0.05), put("switch", 0.0, height, 5e-3)]  # fmt: skip
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d)
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block(8 m, 10 cm, 8 m); left, right: block(10 cm, 2.4 m, 3 m)
    back: block({wide} m, 2.4 m, 10 cm); switch: block(5 cm, 5 cm, 1 cm){components} }}
  structure {{
    place floor by floor.center at (0, -5 cm, 0)
    {"; ".join(lines)}
    {places}
  }}
}}"""
    return room_of(art.parse(text).world(), door=door)


@pytest.mark.parametrize(("wide", "met"), [(0.914, False), (0.915, True), (0.925, True)])
@pytest.mark.parametrize("turn", [0.0, 7.5, 15.0, 33.3])
def test_a_lane_is_wide_enough_however_it_is_turned(wide: float, turn: float, met: bool) -> None:
    found = findings_of(at_the_end(wide, turn=turn), "ada_2010", ["switch"])
    (told,) = (each for each in found if each.section.startswith("305"))
    assert told.met == met, str(told)


@pytest.mark.parametrize(("wide", "met"), [(0.759, False), (0.760, True), (0.770, True)])
def test_a_lane_lets_a_switch_be_reached_however_it_is_turned(wide: float, met: bool) -> None:
    for turn in (0.0, 7.5, 15.0, 33.3):
        assert checked(at_the_end(wide, turn=turn), "ada_2010", "switch").met == met


@pytest.mark.parametrize(
    ("height", "met"), [(0.37, False), (0.39, True), (1.21, True), (1.23, False)]
)
def test_heights_of_a_switch_with_nothing_before_it(height: float, met: bool) -> None:
    found = checked(at_the_end(0.9, height=height), "ada_2010", "switch")
    assert (found.met, found.section) == (met, "308.2.1"), str(found)


@pytest.mark.parametrize(("length", "met"), [(1.21, False), (1.23, True)])
def test_clear_floor_is_long_enough(length: float, met: bool) -> None:
    room = at_the_end(
        0.92, "; box: block(80 cm, 90 cm, 40 cm)",
        f"place box by box.center at (0, 45 cm, {length + 0.2} m)",
    )  # fmt: skip
    found = findings_of(room, "ada_2010", ["switch"])
    for section in ("308", "305"):
        (told,) = (each for each in found if each.section.startswith(section))
        assert told.met == met, str(told)


def test_a_lane_has_its_switch_ahead_alone() -> None:
    # 10 cm of a plinth before it: to the side it would be near enough, ahead knees have no room
    room = at_the_end(
        0.8, "; plinth: block(80 cm, 60 cm, 10 cm)",
        "place plinth by plinth.center at (0, 30 cm, 5 cm)",
    )  # fmt: skip
    found = checked(room, "ada_2010", "switch")
    assert not found.met, str(found)
    assert "308.2.2 asks for knee room below it" in found.words


@pytest.mark.parametrize("top", [0.86, 0.9])
def test_a_gap_behind_a_cabinet_is_no_clear_floor(top: float) -> None:
    # 2 cm of floor between a cabinet and the wall; the cabinet is 55 cm deep
    room = at_the_end(
        2.4, f"; cabinet: block(2.4 m, {top} m, 55 cm)",
        f"place cabinet by cabinet.center at (0, {0.5 * top} m, 29.5 cm)", 1.15,
    )  # fmt: skip
    found = checked(room, "ada_2010", "switch")
    assert found.depth == pytest.approx(0.565, abs=1e-3)
    # it is as high an obstruction as one that stands against the wall
    assert found.met == (top < 0.865), str(found)


def test_floor_behind_the_wall_of_a_switch_is_not_before_it() -> None:
    # 10 cm behind the switch, beyond the wall it is on, there is clear floor; a cabinet before it
    room = at_the_end(
        2.4, "; cabinet: block(2.4 m, 1.1 m, 70 cm)",
        "place cabinet by cabinet.center at (0, 55 cm, 36 cm)", 1.15,
    )  # fmt: skip
    assert not checked(room, "ada_2010", "switch").met


@pytest.mark.parametrize(("front", "met"), [(0.15, True), (0.16, False)])
def test_toes_have_more_room_than_knees_below_a_top(front: float, met: bool) -> None:
    # a top 50 cm deep; behind knees a box ends their room, 230 mm above the floor (306.2.4)
    room = at_the_end(
        2.4, "; top: block(2.4 m, 4 cm, 50 cm); box: block(2.4 m, 1 cm, 10 cm)",
        "place top by top.center at (0, 78 cm, 25 cm)\n"
        f"place box by box.center at (0, 236 mm, {front - 0.05} m)", 1.2,
    )  # fmt: skip
    found = checked(room, "ada_2010", "switch")
    assert found.met == met, str(found)


@pytest.mark.parametrize(("depth", "met"), [(0.50, True), (0.80, False)])
def test_a_table_with_knee_room_is_an_obstruction_too(depth: float, met: bool) -> None:
    found = checked(room_of(room_with(depth, 1.1, 0.74, 0.04)), "ada_2010", "switch.knob")
    assert found.met == met, str(found)
    assert found.depth == pytest.approx(depth - 1e-3, abs=2e-3)


def bare_room(door: float, gap: float, lane: float, lintel: float = 2.2) -> Room:
    """A floor of 2.4 m by 2.6 m between walls, a switch on one, a door in the opposite one.

    Boxes leave ``gap`` m free along the wall of the switch, and a lane to the door, which is
    ``lintel`` m high.
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
    switch: block(5 cm, 5 cm, 1 mm); door: fixed_point; above: block({door} m, 10 cm, 10 cm) }}
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
    place above by above.center at (0, {lintel + 0.05} m, {deep + 0.05} m)
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
        # no more than is asked for, beside a switch of 1 mm, and a little less
        (0.916, 0.915, 0.915, "304.3.2", 0.915),
        (0.916, 0.914, 0.914, "", 0.914),
        (0.915, 0.915, 0.915, "", 0.915),
        (1.20, 0.90, 0.815, "", 0.815),
        (1.20, 0.90, 0.814, "", 0.814),
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


@pytest.mark.parametrize(
    ("lintel", "met"), [(1.9, False), (2.02, False), (2.0299, False), (2.03, True)]
)
def test_a_door_is_high_enough(lintel: float, met: bool) -> None:
    (way,) = (
        each
        for each in findings_of(bare_room(0.82, 1.2, 0.9, lintel), "ada_2010", [], "door")
        if each.section == "404.2.3"
    )
    assert way.met == met, str(way)
    if not met:
        told, _, asked = str(way).partition("comes in by the door is ")[2].partition(" m high")
        assert float(told) == pytest.approx(lintel, abs=0.011)
        assert "asks for 2.03 m" in asked


def test_how_wide_a_door_is_that_is_too_low_and_too_narrow() -> None:
    (way,) = (
        each
        for each in findings_of(bare_room(0.6, 1.2, 0.9, 1.9), "ada_2010", [], "door")
        if each.section == "404.2.3"
    )
    words, _, asked = way.words.partition("; ")
    numbers = [float(each) for each in words.split() if each[0].isdigit()]
    assert numbers == pytest.approx([0.6, 1.9], abs=0.011)
    assert words.startswith("the widest circle that comes in by the door is ")
    assert asked == "404.2.3 asks for 0.815 m and 2.03 m"


@pytest.mark.parametrize(("wide", "met"), [(1.525, True), (1.524, False)])
def test_a_floor_as_wide_as_a_circle(wide: float, met: bool) -> None:
    text = f"""
primitive slab {{ properties: (fixed); geometry: cuboid({wide} m, 10 cm, {wide} m) }}
world room {{ components {{ floor: slab }} }}"""
    turn, _ = findings_of(room_of(art.parse(text).world()), "ada_2010", [])
    assert turn.met == met, str(turn)


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
    turn, before = findings_of(hung_room(x, y, low), "ada_2010", ["slab.knob"])[1:3]
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
    turn, _ = findings_of(room_of(art.parse(text).world()), "ada_2010", [])
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
    assert findings_of(room, "ada_2010", ["switch.knob"])[-2].met == met


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


HEAD = "section,reach,depth_m,low_m,high_m,obstruction_m,what"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{HEAD}\n9,side,0,0.4,0.5,\n", "row 2: it ends before what"),
        (f"{HEAD}\n\n9\n", "row 3: it ends before reach"),
        (f"{HEAD}\n9,side,0,0.4,0.5,,x,y\n", "row 2: it has more fields than columns"),
        (f"{HEAD}\n9,side,0,0.4,half,,x\n", "row 2: high_m is 'half'; it is a number of metres"),
        (f"{HEAD}\n9,side,,0.4,0.5,,x\n", "row 2: depth_m is ''"),
        (f"{HEAD}\n9,side,0,0.4,0.5,,x\n".replace(",", ";"), "separated by commas"),
        ("", "separated by commas"),
    ],
)
def test_tables_that_cannot_be_read(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(text)
    with pytest.raises(art.FormatError, match=said):
        rules_of(str(file))


def test_a_table_in_another_encoding(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_bytes(f"{HEAD}\n9,side,0,0.4,0.5,,gr\u00fc\u00df\n".encode("latin-1"))
    with pytest.raises(art.FormatError, match="no text in UTF-8; save the table as CSV in UTF-8"):
        rules_of(str(file))


@pytest.mark.parametrize("comma", [",", ", ", " , "])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_tables_as_spreadsheets_write_them(comma: str, encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(f"{HEAD}\n9,side,0,0.4,0.5,,x\n".replace(",", comma), encoding)
    (rule,) = rules_of(str(file))
    assert (rule.section, rule.reach, rule.high, rule.what) == ("9", "side", 0.5, "x")


def alcove(wide: float, deep: float, across: float) -> Room:
    """An alcove with a switch on its end wall, and a lane ``across`` m wide before it."""
    side = 0.5 * (3.0 - wide)
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d) where {{ knob: (0, 0, 0.5*d) }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block(3 m, 10 cm, {deep + across} m); one, two: block({side} m, 2.4 m, {deep} m)
    back: block(3 m, 2.4 m, 10 cm); switch: block(8 cm, 8 cm, 1 mm)
  }}
  structure {{
    place floor by floor.center at (0, -5 cm, {0.5 * (deep + across)} m)
    place back by back.center at (0, 1.2 m, -5 cm)
    place one by one.center at ({-0.5 * (wide + side)} m, 1.2 m, {0.5 * deep} m)
    place two by two.center at ({0.5 * (wide + side)} m, 1.2 m, {0.5 * deep} m)
    place switch by switch.center at (0, 1 m, 0.5 mm)
  }}
}}"""
    return room_of(art.parse(text).world())


@pytest.mark.parametrize(
    ("wide", "deep", "across", "met"),
    [
        # ahead: 915 mm wide where it is deeper than 610 mm (305.7.1)
        (0.80, 1.22, 1.5, False),
        (0.914, 1.22, 1.5, False),
        (0.915, 1.22, 1.5, True),
        (0.80, 0.60, 1.5, True),
        # beside: in a lane too narrow to come ahead, 1525 mm where deeper than 380 mm (305.7.2)
        (1.30, 0.50, 0.6, False),
        (1.525, 0.50, 0.6, True),
        (1.30, 0.38, 0.7, True),
    ],
)
def test_alcoves_are_as_wide_as_they_are_deep(
    wide: float, deep: float, across: float, met: bool
) -> None:
    room = alcove(wide, deep, across)
    (before,) = (
        each
        for each in findings_of(room, "ada_2010", ["switch.knob"])
        if each.object == "switch.knob" and each.section.startswith("305")
    )
    assert before.met == met, str(before)
    assert before.section == ("305.3" if met else "305.7.1")
    assert met or "305.7.2: an alcove" in before.words


@pytest.mark.parametrize("high", [1.221, 1.2205, 0.3795])
def test_heights_are_told_in_digits_that_show_the_difference(high: float) -> None:
    finding = counter_finding(high)
    told = float(finding.words.partition("at ")[2].partition(" m")[0])
    assert told == pytest.approx(high, abs=1e-6)


def counter_finding(high: float) -> RuleFinding:
    """Return what is said of a switch on a wall that nothing stands before."""
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d) where {{ knob: (0, 0, 0.5*d) }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block(3 m, 10 cm, 3 m); switch: block(8 cm, 8 cm, 1 mm) }}
  structure {{
    place floor by floor.center at (0, -5 cm, 1.5 m)
    place switch by switch.center at (0, {high} m, 0.5 mm)
  }}
}}"""
    return findings_of(room_of(art.parse(text).world()), "ada_2010", ["switch.knob"])[0]


def test_what_is_far_from_clear_floor_is_not_said_to_be_behind_something() -> None:
    # nothing stands in this room: the switch is 1.4 m beyond the floor's edge
    text = """
primitive block(w: length, h: length, d: length) { properties: (fixed); geometry: cuboid(w, h, d) }
world room {
  gravity: (0, -9.81, 0)
  components { floor: block(4 m, 10 cm, 4 m); switch: block(5 cm, 5 cm, 1 cm) }
  structure { place floor by floor.center at (0, -5 cm, 0)
    place switch by switch.center at (0, 1.1 m, -3.4 m) }
}"""
    found = findings_of(room_of(art.parse(text).world()), "ada_2010", ["switch"])[0]
    assert found.words == "1.40 m from clear floor; the most allowed is 0.635 m"
