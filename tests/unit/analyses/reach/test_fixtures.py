"""Rules about toilets, basins, work surfaces and forces: one room each that meets one and misses
it, and what is not told."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import articulata as art
from articulata.analyses.reach.building_codes.fixtures import things_of
from articulata.analyses.reach.building_codes.rule_tables import ReachRule, rules_of
from articulata.analyses.reach.building_codes.rules import findings_of, nothing_to_look_at
from articulata.analyses.reach.notes import walls_on_the_floor
from articulata.analyses.reach.surroundings.furniture import movable
from articulata.analyses.reach.surroundings.room import Room, room_of
from articulata.records.reach_verdicts import RuleFinding
from articulata.report.reach_document import document as page

ROOM = """
primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ knob: (0, 0, 0.5*d) {features} }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block(4 m, 10 cm, 3 m); back: block(4 m, 2.4 m, 10 cm)
    left: block(10 cm, 2.4 m, 3 m) {components} }}
  structure {{
    place floor by floor.center at (0, -5 cm, 1.5 m)
    place back by back.center at (0, 1.2 m, -5 cm)
    place left by left.center at (-2.05 m, 1.2 m, 1.5 m)
    {places}
  }}
}}"""


def room(components: str, places: str, features: str = "") -> Room:
    """A floor of 4 m by 3 m with walls behind (z = 0) and to the left (x = -2 m)."""
    text = ROOM.format(components=f"; {components}", places=places, features=features)
    return room_of(art.parse(text).world())


def toilet(x: float = 0.43, seat: float = 0.46, box: float = 1.7, name: str = "toilet") -> Room:
    """A toilet whose middle is ``x`` m from the wall, with a box so far from the wall."""
    return room(
        f"{name}: block(36 cm, {seat} m, 60 cm); box: block(40 cm, 60 cm, 40 cm)",
        f"place {name} by {name}.center at ({x - 2.0} m, {0.5 * seat} m, 30 cm)\n"
        f"place box by box.center at ({box - 1.8} m, 30 cm, 1.1 m)",
        "; seat: (0, 0.5*h, 0.15*d)",
    )


def basin(
    rim: float = 0.85, thick: float = 0.12, pipe: float = 0.08, box: float = 1.5,
    name: str = "basin",
) -> Room:  # fmt: skip
    """A basin 50 cm deep on the wall behind, a box of so many m from it ahead, and a pipe."""
    return room(
        f"{name}: block(60 cm, {thick} m, 50 cm); pipe: block(10 cm, 60 cm, {pipe} m); "
        "box: block(60 cm, 60 cm, 40 cm); hob: block(50 cm, 5 cm, 50 cm)",
        f"place {name} by {name}.center at (0, {rim - 0.5 * thick} m, 25 cm)\n"
        f"place pipe by pipe.center at (0, 35 cm, {0.5 * pipe} m)\n"
        f"place box by box.center at (0, 30 cm, {0.7 + box} m)\n"
        "place hob by hob.center at (1.7 m, 90 cm, 25 cm)",
        "; rim: (0, 0.5*h, 0.5*d)",
    )


def finding(room: Room, section: str, reach: str) -> RuleFinding:
    """Return the one finding on a section of a kind."""
    ends = tuple(
        rule.what for rule in rules_of("ada_2010") if (rule.section, rule.reach) == (section, reach)
    )
    (found,) = (f for f in findings_of(room, "ada_2010", []) if f.words.endswith(ends))
    assert (found.section, found.told) == (section, True)
    return found


@pytest.mark.parametrize(
    ("section", "reach", "good", "bad", "why"),
    [
        ("604.2", "aside", toilet(0.41), toilet(0.40), "0.4 m from the wall"),
        ("604.2", "aside", toilet(0.45), toilet(0.46), "0.46 m from the wall"),
        ("604.3.1", "corner", toilet(box=1.54), toilet(box=1.51), "'box' is in the way"),
        ("604.4", "height", toilet(seat=0.48), toilet(seat=0.49), "at 0.49 m"),
        ("604.4", "height", toilet(seat=0.43), toilet(seat=0.42), "at 0.42 m"),
        ("606.3", "height", basin(0.86), basin(0.87), "at 0.87 m"),
        (
            "606.2",
            "knees",
            basin(thick=0.16, pipe=0.06),
            basin(thick=0.17, pipe=0.06),
            "it is in the way",
        ),
        ("606.2", "knees", basin(pipe=0.06), basin(pipe=0.08), "'pipe' is in the way"),
        ("606.2", "ahead", basin(box=0.80), basin(box=0.78), "'box' is in the way"),
        ("606.2", "ahead", basin(box=0.80), basin(box=3.0), ""),
        ("804.2.1", "ahead", basin(box=1.02, name="sink"), basin(box=1.01, name="sink"), "'box'"),
        ("804.3.1", "knees", basin(pipe=0.06, name="worktop"), basin(name="worktop"), "'pipe'"),
        ("804.3.1", "ahead", basin(name="worktop"), basin(box=0.7, name="worktop"), "'box'"),
        ("804.3.2", "height", basin(name="worktop"), basin(0.9, name="worktop"), "at 0.9 m"),
    ],
)
def test_a_rule_is_met_and_missed(
    section: str, reach: str, good: Room, bad: Room, why: str
) -> None:
    met, missed = finding(good, section, reach), finding(bad, section, reach)
    assert met.met, str(met)
    assert missed.met == (not why), str(missed)
    assert missed.words.startswith(why)


@pytest.mark.parametrize(
    ("deep", "ahead", "met"),
    [
        (0.44, 0.79, True),  # of 1220 mm as much lies below as is clear there
        (0.44, 0.77, False),
        (0.60, 0.63, True),
        (0.60, 0.61, False),
        (0.70, 0.59, True),  # 635 mm at most (306.2.2)
        (0.70, 0.58, False),
        (0.30, 0.91, False),  # too little room for toes
    ],
)
def test_clear_floor_ahead_counts_what_is_clear_below(deep: float, ahead: float, met: bool) -> None:
    there = room(
        "basin: block(80 cm, 12 cm, 80 cm); plinth: block(80 cm, 20 cm, 10 cm)\n"
        "box: block(80 cm, 60 cm, 20 cm)",
        "place basin by basin.center at (0, 79 cm, 40 cm)\n"
        f"place plinth by plinth.center at (0, 10 cm, {0.75 - deep} m)\n"
        f"place box by box.center at (0, 30 cm, {0.9 + ahead} m)",
        "; rim: (0, 0.5*h, 0.5*d)",
    )
    found = finding(there, "606.2", "ahead")
    assert found.met == met, str(found)
    below = min(deep, 0.635)
    words = f"'box' is in the way, {1.22 - below:.3g} m ahead and {below:.3g} m below it; 606.2"
    assert met or found.words.startswith(words)


def test_nothing_is_said_to_lie_below_a_basin_that_is_solid_to_the_floor() -> None:
    there = room(
        "basin: block(80 cm, 84 cm, 80 cm); box: block(80 cm, 60 cm, 20 cm)",
        "place basin by basin.center at (0, 42 cm, 40 cm)\n"
        "place box by box.center at (0, 30 cm, 1.8 m)",
        "; rim: (0, 0.5*h, 0.5*d)",
    )
    found = finding(there, "606.2", "ahead")
    assert found.words.startswith("'box' is in the way; 606.2: clear floor")


def test_all_that_a_section_asks_for_is_told_where_it_is_met() -> None:
    found = finding(basin(pipe=0.06), "606.2", "knees")
    assert found.met
    assert "toe room below" in found.words
    assert "knee room below" in found.words


@pytest.mark.parametrize(
    ("x", "z", "met"),
    [
        (1.3, 0.96, False),  # 36 cm before the end of the counter
        (1.3, 1.62, False),
        (1.3, 1.64, True),
        (1.71, 0.96, True),  # beside it
    ],
)
def test_what_stands_opposite_any_part_of_a_counter(x: float, z: float, met: bool) -> None:
    there = room(
        "counter: block(3 m, 90 cm, 60 cm); cooker: block(40 cm, 90 cm, 60 cm)\n"
        "island: block(40 cm, 90 cm, 2 cm)",
        "place counter by counter.center at (0, 45 cm, 30 cm)\n"
        "place cooker by cooker.center at (1.75 m, 45 cm, 30 cm)\n"
        f"place island by island.center at ({x} m, 45 cm, {z} m)",
        "; rim: (0, 0.5*h, 0.5*d)",
    )
    found = finding(there, "804.2.1", "ahead")
    assert found.met == met, str(found)
    assert met or found.words.startswith("'island' is in the way")


def test_what_is_beyond_the_ends_of_a_counter_is_not_opposite() -> None:
    # it goes 10 cm into the wall to the left
    there = room(
        "counter: block(1 m, 90 cm, 60 cm); cooker: block(40 cm, 90 cm, 60 cm)",
        "place counter by counter.center at (-1.6 m, 45 cm, 30 cm)\n"
        "place cooker by cooker.center at (1.75 m, 45 cm, 30 cm)",
        "; rim: (0, 0.5*h, 0.5*d)",
    )
    found = finding(there, "804.2.1", "ahead")
    assert found.met, str(found)


@pytest.mark.parametrize(
    ("other", "asked"),
    # without a cooktop or range the standard asks for none (804.2), as about a counter of a shop
    [("tub", False), ("hob", True), ("oven", True), ("worktop", False), ("fridge", False)],
)
def test_only_rooms_with_a_cooktop_ask_for_room_between_counters(other: str, asked: bool) -> None:
    there = room(
        f"sink: block(60 cm, 12 cm, 50 cm); {other}: block(1 m, 50 cm, 50 cm)",
        "place sink by sink.center at (0, 79 cm, 25 cm)\n"
        f"place {other} by {other}.center at (0, 25 cm, 1.59 m)",
        "; rim: (0, 0.5*h, 0.5*d)",
    )
    found = [f.words for f in findings_of(there, "ada_2010", []) if f.section == "804.2.1"]
    words = "1015 mm to what stands opposite in a room with a cooktop or range"
    assert found[:1] == [f"'{other}' is in the way; 804.2.1: {words}"] * asked


def test_the_outlet_of_a_dispenser() -> None:
    for height, met in ((1.20, True), (0.39, True), (1.23, False), (0.37, False)):
        there = room(
            "paper: block(10 cm, 10 cm, 10 cm)",
            f"place paper by paper.center at (0, {height} m, 5 cm)", "; outlet: (0, 0, 0)",
        )  # fmt: skip
        assert finding(there, "604.7", "height").met == met


def test_no_wall_and_no_floor_are_no_pass() -> None:
    far = finding(toilet(3.5), "604.2", "aside")
    assert str(far).endswith(
        "not met: no wall beside it within 3 m (a wall lies beside the floor, or stands on it, "
        "0.25 m thick at most and 2.2 m high at least, or is called wall or partition, 1.8 m high "
        "and 1.2 m long at least); 604.2: "
        "the middle of a toilet is 405 to 455 mm from the wall at its side"
    )
    edge = room(
        "sink: block(60 cm, 10 cm, 50 cm)", "place sink by sink.center at (0, 80 cm, 2.3 m)",
        "; rim: (0, 0.5*h, 0.5*d)",
    )  # fmt: skip
    assert finding(edge, "606.2", "ahead").words.startswith("there is no floor for it")


def test_walls_that_stand_on_the_floor() -> None:
    text = ROOM.format(
        components="; toilet: block(36 cm, 46 cm, 60 cm); low: block(1 m, 1.7 m, 10 cm)\n"
        "post: block(20 cm, 2.4 m, 20 cm); cupboard: block(1 m, 2 m, 40 cm)\n"
        "leaf: block(90 cm, 2 m, 4 cm); shallow: block(1 m, 2 m, 20 cm)\n"
        "pier: block(30 cm, 2.4 m, 10 cm); partition[1..2]: block(10 cm, 1.9 m, 1.2 m)\n"
        "hung: block(1 m, 2 m, 10 cm); bookcase: block(24 cm, 1.9 m, 1.25 m)\n"
        "half_wall: block(10 cm, 1.7 m, 1.2 m)",
        places="place toilet by toilet.center at (-1.57 m, 23 cm, 30 cm)\n"
        "place low by low.center at (1 m, 85 cm, 2 m)\n"
        "place post by post.center at (1 m, 1.2 m, 1 m)\n"
        "place cupboard by cupboard.center at (1 m, 1 m, 25 cm)\n"
        "place leaf by leaf.center at (1.5 m, 1 m, 2.8 m)\n"
        "place shallow by shallow.center at (1.5 m, 1 m, 1.4 m)\n"
        "place pier by pier.center at (-1.5 m, 1.2 m, 2.8 m)\n"
        "place partition[1] by partition[1].center at (0, 95 cm, 2 m)\n"
        "place partition[2] by partition[2].center at (20 cm, 95 cm, 2 m)\n"
        "place bookcase by bookcase.center at (60 cm, 95 cm, 2 m)\n"
        "place half_wall by half_wall.center at (-30 cm, 85 cm, 2 m)\n"
        "place hung by hung.center at (1 m, 1.2 m, 2.5 m)",
        features="; seat: (0, 0.5*h, 0.15*d)",
    ).replace("floor: block(4 m, 10 cm, 3 m)", "floor: block(4.4 m, 10 cm, 3.4 m)")
    there = room_of(art.parse(text).world())
    assert set(there.walls()) == {"back", "left", "partition[1]", "partition[2]", "pier"}
    assert set(there.standing_walls()) == {"back", "left", "pier"}
    (note,) = walls_on_the_floor(there)
    assert note.startswith("taken for walls, 2.2 m high at least and 0.25 m thick at most: 'back'")
    for section, reach in (("604.2", "aside"), ("604.3.1", "corner")):
        met = finding(there, section, reach)
        assert met.met, str(met)


def test_a_bookcase_is_no_wall_beside_a_toilet() -> None:
    there = room(
        "toilet: block(36 cm, 46 cm, 60 cm); bookcase: block(24 cm, 1.9 m, 1.25 m)",
        "place toilet by toilet.center at (1.3 m, 23 cm, 30 cm)\n"
        "place bookcase by bookcase.center at (0.75 m, 95 cm, 63 cm)",
        "; seat: (0, 0.5*h, 0.15*d)",
    )
    found = finding(there, "604.2", "aside")
    assert not found.met, str(found)
    assert movable(there, "bookcase", "toilet", there.point("toilet.seat")) == ("bookcase",)


def beside_a_toilet(name: str, z: float, size: str) -> RuleFinding:
    """Return the finding on the clear floor of a toilet with something beside it."""
    there = room(
        f"toilet: block(36 cm, 46 cm, 60 cm); {name}: block({size})",
        "place toilet by toilet.center at (-1.57 m, 23 cm, 30 cm)\n"
        f"place {name} by {name}.center at (-0.9 m, {z} m, 25 cm)",
        "; seat: (0, 0.5*h, 0.15*d)",
    )
    return finding(there, "604.3.1", "corner")


@pytest.mark.parametrize(
    ("name", "z", "met"),
    [
        ("lavatory", 0.78, False),
        ("cupboard", 0.6, False),
        ("cupboard", 1.8, False),
        ("cupboard", 2.3, True),  # above 2030 mm
        ("grab_bar", 0.85, True),
        ("towel_hook_2", 1.2, True),
        ("shelf_cupboard", 1.2, False),
    ],
)
def test_what_hangs_beside_a_toilet(name: str, z: float, met: bool) -> None:
    found = beside_a_toilet(name, z, "50 cm, 30 cm, 45 cm")
    assert found.met == met, str(found)
    assert met or found.words.startswith(f"'{name}' is in the way")


@pytest.mark.parametrize(("up", "met"), [(0.0, False), (0.04, False), (0.06, True)])
def test_a_shelf_beside_a_toilet_has_to_hang(up: float, met: bool) -> None:
    found = beside_a_toilet("corner_shelf", 0.85 + up, "60 cm, 1.7 m, 50 cm")
    assert found.met == met, str(found)
    assert met or found.words.startswith("'corner_shelf' is in the way")


@pytest.mark.parametrize(
    ("name", "join", "met"),
    [
        ("cab", "weld", False),
        ("toilet_cab", "weld", False),
        ("tank", "weld", True),
        ("lid", "pin(axis: x)", True),
        ("shower_seat", "", False),
        ("toilet_tank", "", True),
        ("toilet_door", "", False),
    ],
)
def test_parts_of_a_toilet_are_its_own(name: str, join: str, met: bool) -> None:
    joined = f"join {name} to toilet with {join} matching (side, other)" if join else ""
    there = room(
        f"toilet: block(36 cm, 46 cm, 60 cm); {name}: block(30 cm, 60 cm, 30 cm)",
        "place toilet by toilet.center at (-1.57 m, 23 cm, 30 cm)\n"
        f"place {name} by {name}.center at (-1.24 m, 30 cm, 30 cm)\n{joined}",
        "; seat: (0, 0.5*h, 0.15*d); side: (-0.5*w, 0, 0); other: (0.5*w, 0.5*(60 cm - h), 0)",
    )
    found = finding(there, "604.3.1", "corner")
    assert found.met == met, str(found)


@pytest.mark.parametrize("z", [0.0, 0.01, -0.02, 0.09])
def test_a_seat_at_the_middle_of_its_toilet_faces_away_from_the_wall(z: float) -> None:
    there = room(
        "toilet: block(36 cm, 46 cm, 60 cm)",
        "place toilet by toilet.center at (-1.57 m, 23 cm, 30 cm)", f"; seat: (0, 0.5*h, {z})",
    )  # fmt: skip
    for section, reach in (("604.2", "aside"), ("604.3.1", "corner")):
        met = finding(there, section, reach)
        assert met.met, str(met)


def test_which_way_a_thing_faces_may_not_be_told() -> None:
    there = room(
        "toilet: block(36 cm, 46 cm, 60 cm)",
        "place toilet by toilet.center at (-1.57 m, 23 cm, 1.5 m)", "; seat: (0, 0.5*h, 0)",
    )  # fmt: skip
    found = {f.section: f for f in findings_of(there, "ada_2010", []) if f.object == "toilet"}
    assert {each: f.verdict for each, f in found.items()} == {
        "604.2": "not told", "604.3.1": "not told", "604.4": "met",
    }  # fmt: skip
    assert "604.2: which way it faces" in found["604.2"].words


@pytest.mark.parametrize(("ahead", "met"), [(-0.002, True), (0.002, False)])
@pytest.mark.parametrize("h", [0.25, 0.45, 0.66])
def test_knee_room_is_bounded_by_a_line(h: float, ahead: float, met: bool) -> None:
    # 306.3.3: 280 mm deep at 230 mm, 205 mm deep at 685 mm
    deep = 0.28 - (h - 0.23) / (0.685 - 0.23) * 0.075
    there = room(
        "basin: block(80 cm, 12 cm, 50 cm); pipe: block(10 cm, 2 cm, 10 cm)",
        "place basin by basin.center at (0, 79 cm, 25 cm)\n"
        f"place pipe by pipe.center at (0, {h + 0.01} m, {0.5 - deep + ahead - 0.05} m)",
        "; rim: (0, 0.5*h, 0.5*d)",
    )
    found = finding(there, "606.2", "knees")
    assert found.met == met, str(found)
    # the row that is missed is told, not the first one of its section
    assert met or "'pipe' is in the way; 606.2: knee room" in found.words


def test_a_slanting_pipe_behind_the_line_leaves_knee_room_clear() -> None:
    # its lower end is below 230 mm, behind the room for toes; it follows the line 1 cm behind it
    slope = 75.0 / 455.0
    there = room(
        "basin: block(80 cm, 12 cm, 50 cm); pipe: block(4 cm, 40 cm, 2 cm)",
        "place basin by basin.center at (0, 79 cm, 25 cm)\n"
        f"place pipe by pipe.center at (0, 47 cm, {0.5 - 0.28 + (0.47 - 0.23) * slope - 0.022} m) "
        f"turned {math.degrees(math.atan(slope))} deg about x",
        "; rim: (0, 0.5*h, 0.5*d)",
    )
    found = finding(there, "606.2", "knees")
    assert found.met, str(found)


def test_names_end_in_what_a_thing_is() -> None:
    names = ("toilet_paper", "sink_tap", "soap_dispenser", "toilet_paper_dispenser", "basin_2")
    there = room(
        "; ".join(f"{name}: block(10 cm, 10 cm, 10 cm)" for name in names),
        "\n".join(
            f"place {name} by {name}.center at ({0.5 * k - 1} m, 1 m, 5 cm)"
            for k, name in enumerate(names)
        ),
    )
    found = {(f.object, f.section) for f in findings_of(there, "ada_2010", []) if f.object in names}
    assert found == {
        ("toilet_paper", "604.7"), ("toilet_paper_dispenser", "604.7"),
        ("basin_2", "606.2"), ("basin_2", "606.3"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "sections"),
    [
        ("washbasin", {"606.2", "606.3"}),
        ("guest_handbasin", {"606.2", "606.3"}),
        ("countertop", {"804.2.1"}),
    ],
)
def test_other_words_for_basins_and_counters(name: str, sections: set[str]) -> None:
    found = findings_of(basin(name=name), "ada_2010", [])
    assert {each.section for each in found if each.object == name} == sections


def test_what_finds_nothing_to_look_at_is_told() -> None:
    there = toilet()
    (line,) = nothing_to_look_at(there, "ada_2010", ["box.knob"], [])
    assert line.startswith(
        "ada_2010: nothing to look at for 309.4 (nothing operated: write operate: HANDLE); "
        "604.7 (no paper, paper_dispenser, paper_holder); 606.3, 606.2, 603.3 (no basin, "
        "washbasin, handbasin, "
        "lavatory, sink); 804.3.1, 804.3.2 (no worktop); 804.2.1 (no cooker, cooktop, hob, oven, "
        "range, stove); 404.2.5 (no threshold, door_sill); "
    )
    assert "604.5.1, 604.5.2 (no side_bar" not in line
    assert "; 604.5.2 (no rear_bar, " in line
    (line,) = nothing_to_look_at(basin(), "ada_2010", [], ["box.knob"])
    assert line.startswith("ada_2010: nothing to look at for 308.2.1, 308.2.2, 308.3.1, 308.3.2, ")
    assert "305.3, 305.7.1, 305.7.2 (no objects: write objects: NAME.POINT)" in line
    assert line.endswith("; where the room has such a thing, call it so: toilet: TYPE")
    assert "804.2.1 (no counter, countertop, worktop, sink)" in line


@pytest.mark.parametrize(
    ("high", "name", "where"),
    [
        (2.0, "front_door", "front_door"),
        (2.0, "entrance_2", "entrance_2"),
        (0.5, "oven_door", "NAME, a body or feature there"),
        (2.0, "outdoor", "NAME, a body or feature there"),
    ],
)
def test_a_door_that_is_not_told(high: float, name: str, where: str) -> None:
    there = room(
        f"{name}: block(80 cm, {high} m, 4 cm)",
        f"place {name} by {name}.center at (0, {high / 2} m, 2.9 m)",
    )
    (found,) = (each for each in findings_of(there, "ada_2010", []) if each.section == "404.2.3")
    assert found.verdict == "not told"
    assert found.words == f"404.2.3: where the door is; write approach: from {where}"


def test_a_thing_in_another_direction_and_by_a_word_of_its_name() -> None:
    there = room(
        "guest_basin[1..2]: block(60 cm, 12 cm, 50 cm)",
        "place guest_basin[1] by guest_basin[1].center at (-1.75 m, 79 cm, 1.5 m) "
        "turned 90 deg about y\n"
        "place guest_basin[2] by guest_basin[2].center at (0, 79 cm, 25 cm)",
        "; rim: (0, 0.5*h, 0.5*d)",
    )
    found = [f for f in findings_of(there, "ada_2010", []) if f.section.startswith("606")]
    assert {each.object for each in found} == {"guest_basin[1]", "guest_basin[2]"}
    assert [each.met for each in found] == [True] * 6, [str(each) for each in found]


def test_what_is_not_told_is_no_pass() -> None:
    bare = room(
        "basin: block(60 cm, 12 cm, 50 cm)", "place basin by basin.center at (0, 79 cm, 25 cm)"
    )
    found = [f for f in findings_of(bare, "ada_2010", []) if f.object == "basin"]
    assert len(found) == 3
    for each in found:
        assert (each.met, each.told) == (False, False)
        assert "not told: 606." in str(each)
        assert "write rim: (x, y, z), the middle of its front edge, into where { } of 'block'" in (
            each.words
        )


@pytest.mark.parametrize(
    ("forces", "verdict", "words"),
    [
        ("", "not told", "309.4: how hard it moves; write forces: 12 N at drawer.knob"),
        ("forces: 22 N at drawer.knob", "met", "309.4: what is operated takes 22.2 N at most"),
        ("forces: 23 N at drawer.knob", "not met", "it takes 23 N; 309.4: "),
    ],
)
def test_forces_are_told_by_the_request(
    forces: str, verdict: str, words: str, tmp_path: Path
) -> None:
    text = ROOM.format(
        components="; drawer: block(40 cm, 10 cm, 30 cm)",
        places="place drawer by drawer.center at (0, 1.2 m, 15 cm)\n    "
        "join drawer to back with slider(axis: z) as rail matching (center, center) "
        "limits (0, 40 cm)",
        features="",
    ) + (
        "\nreach room { person: human_upper_body on foot; operate: drawer.knob; rules: ada_2010; "
        f"{forces} }}"
    )
    parsed = art.parse(text)
    assert art.parse(parsed.text).requests[0].question == parsed.requests[0].question
    reached = art.reach(parsed.requests[0])
    (found,) = (each for each in reached.findings if each.section == "309.4")
    assert found.verdict == verdict
    assert found.words.startswith(words)
    assert [each.verdict for each in reached.findings if each.section == "404.2.3"] == ["not told"]
    (note,) = (each for each in reached.notes if each.startswith("ada_2010: nothing to look at"))
    assert "604.2, 604.3.1, 604.4 (no toilet)" in note
    reached.save(tmp_path / "a.artreach")
    assert art.ReachMap.load(tmp_path / "a.artreach").findings == reached.findings
    assert f"<b>{verdict}</b>" in page(reached)


def test_forces_that_none_are() -> None:
    with pytest.raises(art.WorldError, match=r"'floor' is operated with more than 0 N, not -1 N"):
        art.reach(
            toilet().world, person="human_upper_body", grid=None, forces={"floor": -1.0},
            mobility=art.OnFoot(),
        )  # fmt: skip


def test_forces_of_what_is_not_operated() -> None:
    with pytest.raises(art.WorldError, match=r"'toilet.knob', which is not operated; add it to op"):
        art.reach(
            toilet().world, person="human_upper_body", grid=None, forces={"toilet.knob": 12.0},
            mobility=art.OnFoot(), rules=["ada_2010"],
        )  # fmt: skip


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("9,height,0,0.4,0.5,,,,toilet,,,x", "things and a feature"),
        ("9,side,0,0.4,0.5,,,,toilet,seat,,x", "and no others, have things"),
        ("9,knees,0.4,0,0.2,,0.7,,sink,rim,,x", "length_m is 0"),
        ("9,force,0,0,0,,,,,,0,x", "force_n is 0"),
        ("9,side,0,0.4,0.5,,,,,,9,x", "force_n is 9, and only rows of 'force'"),
        ("9,hieght,0,0.4,0.5,,,,,,,x", "reach is 'hieght'; did you mean 'height'"),
        ("9,side,0,nan,0.5,,,,,,,x", "low_m is nan"),
        ("9,side,0,0.4,inf,,,,,,,x", "high_m is inf"),
        ("9,side,0,0.5,0.4,,,,,,,x", "low_m is 0.5 and high_m 0.4"),
        ("9,knees,0.4,0.2,0.2,,0.7,0.4,sink,rim,,x", "low_m is 0.2 and high_m 0.2"),
        ("9,corner,0,0,0,,0.7,0.4,toilet,seat,,x", "low_m is 0 and high_m 0"),
        ("9,side,0,0.4,0.5,nan,,,,,,x", "obstruction_m is nan"),
        ("9,side,0,0.4,0.5,,,,,,,", "what is empty"),
    ],
)
def test_rows_that_lack_something(row: str, said: str, tmp_path: Path) -> None:
    head = (
        "section,reach,depth_m,low_m,high_m,obstruction_m,width_m,length_m,things,feature,force_n,"
        "what"
    )
    file = tmp_path / "own.csv"
    file.write_text(f"{head}\n{row}\n")
    with pytest.raises(art.FormatError, match=f"row 2: .*{said}"):
        rules_of(str(file))


HEAD = "section,reach,depth_m,low_m,high_m,obstruction_m,width_m,length_m,things,{}feature,what"


def own_rules(text: str, folder: Path) -> tuple[ReachRule, ...]:
    """Return the rules of a table of one's own."""
    file = folder / "own.csv"
    file.write_text(text)
    return rules_of(str(file))


def test_what_a_room_must_have_is_a_column_and_was_a_word(tmp_path: Path) -> None:
    row = "9,ahead,0,0,2,,,1,counter sink{}hob oven,rim,x"
    now = own_rules(f"{HEAD.format('room_with,')}\n{row.format(',')}\n", tmp_path)
    former = own_rules(f"{HEAD.format('')}\n{row.format(' with ')}\n", tmp_path)
    assert now == former
    assert (now[0].things, now[0].room_with) == (("counter", "sink"), ("hob", "oven"))


@pytest.mark.parametrize(
    ("column", "things", "said"),
    [
        ("", "with hob", "things has no name before 'with'"),
        ("", "sink with", "things has no name after 'with'"),
        ("room_with,", "sink with hob,", "'with'; write what follows it into room_with"),
        ("room_with,", ",hob", "room_with is 'hob' and things is empty"),
    ],
)
def test_rows_that_do_not_say_what_they_are_about(
    column: str, things: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(art.FormatError, match=f"row 2: .*{said}"):
        own_rules(f"{HEAD.format(column)}\n9,ahead,0,0,2,,,1,{things},rim,x\n", tmp_path)


@pytest.mark.parametrize(("other", "asked"), [("call", True), ("lamp", False)])
def test_only_panels_of_lifts_have_an_emergency_button(other: str, asked: bool) -> None:
    there = room(
        f"panel: block(20 cm, 60 cm, 2 cm); {other}: block(8 cm, 8 cm, 2 cm)",
        f"place panel by panel.center at (0, 1.2 m, 1 cm)\n"
        f"place {other} by {other}.center at (1 m, 1.1 m, 1 cm)",
        "; alarm: (0, -0.3 m, 0.5*d)",
    )
    found = [each for each in findings_of(there, "ada_2010", []) if each.object == "panel"]
    assert [(each.section, each.met) for each in found] == [("407.4.6.4.1", True)] * asked


@pytest.mark.parametrize("name", ["basin", "wash"])
def test_a_piece_of_the_library_is_known_by_its_kind(name: str) -> None:
    text = f"""import "furniture.art"
primitive slab {{ properties: (fixed); geometry: cuboid(4 m, 10 cm, 3 m) }}
world room {{ gravity: (0, -9.81, 0); components {{ floor: slab; {name}: basin }}
  structure {{ place floor by floor.center at (0, -5 cm, 0)
    place {name} by {name}.foot at (0, 0, 0) }} }}"""
    found = room_of(art.parse(text).world())
    rules = [each for each in rules_of("ada_2010") if "basin" in each.things]
    assert rules
    assert all([b.id for b in things_of(found, each)] == [name] for each in rules)
