"""Doors and devices: how wide the one is, and how wide the other must have it."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import articulata as art
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.surroundings.room import Room, room_of
from articulata.analyses.reach.ways import standing_places
from articulata.analyses.reach.ways.doorways import clear_width, least_width, narrowest
from articulata.analyses.reach.ways.footprints import (
    ChairFootprint,
    StandingFootprint,
    WalkerFootprint,
)
from articulata.analyses.reach.ways.standing_places import places_of, walls_at
from articulata.records.reach_shares import NOT_FOUND
from articulata.records.reach_verdicts import ReachReason

TEXT = """
units: metre

primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ front: (0, 0.5*h + 0.01, 0) }}
}}

world room {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block(4, 0.1, 3); left, right: block(0.1, 2.4, 3.2); back: block(4, 2.4, 0.1)
    one: block(2 - 0.5*{wide}, {high}, 0.1); two: block(2 - 0.5*{wide}, 2.4, 0.1)
    chest: block(0.6, 0.8, 0.5); door: fixed_point
  }}
  structure {{
    place floor by floor.center at (0, -0.05, 1.5)
    place left by left.center at (-2.05, 1.2, 1.5)
    place right by right.center at (2.05, 1.2, 1.5)
    place back by back.center at (0, 1.2, -0.05)
    place one by one.center at (-1 - 0.25*{wide}, 0.5*{high}, 3.05)
    place two by two.center at (1 + 0.25*{wide}, 1.2, 3.05)
    place chest by chest.center at (0, 0.4, 0.3)
    place door by door.center at (0, 0, 3)
  }}
}}

reach room {{
  person: human_upper_body on wheelchair
  objects: chest.front
  approach: from door
}}
"""


def room(wide: float, high: float = 2.4) -> Room:
    return room_of(art.parse(TEXT.format(wide=wide, high=high)).world("room"), door="door")


def test_devices_need_what_they_are_wide() -> None:
    needed = {
        each.name: least_width([part.corners for part in each.parts(0.9)])
        for each in (StandingFootprint(), WalkerFootprint(), ChairFootprint(0.68, 1.2))
    }
    assert needed == pytest.approx(
        {"on foot": 0.5, "with walker": 0.8, "manual wheelchair": 0.68}, abs=1e-9
    )
    # its base is at one corner: a line through it may leave at once
    assert least_width([np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])]) == 0.0
    assert least_width([np.array([(1.0, 0.0), (2.0, 0.0), (2.0, 1.0)])]) == 0.0


@pytest.mark.parametrize("wide", [0.6, 0.9])
def test_a_door_is_as_wide_as_the_gap_between_walls(wide: float) -> None:
    own = room(wide)
    assert clear_width(own, walls_at(own, ChairFootprint().parts(0.5))) == pytest.approx(wide)


def test_what_is_wider_than_the_door_is_proved_to_come_in_nowhere() -> None:
    chair = ChairFootprint(width=0.7)
    assert places_of(room(0.68), chair, 0.5).empty
    # turned by half a step it is not ruled out
    assert not places_of(room(0.71), chair, 0.5).empty
    # over a wall of 40 cm the arms of the chair pass, and nothing is proved of its feet
    assert not places_of(room(0.68, high=0.4), chair, 0.5).empty


def test_verdict_and_note_tell_the_door() -> None:
    study, objects, _ = study_of(art.parse(TEXT.format(wide=0.6, high=2.4)).requests[0])
    (verdict,) = study.verdicts(objects)
    assert verdict.proved
    assert verdict.reason is ReachReason.NO_WAY
    assert study.notes() == (
        "manual wheelchair: the door 'door' is 60 cm wide, and what takes 0.7 m by 1.2 m needs "
        "70 cm; make the door wider, or take a narrower way to move",
    )


def test_who_asks_about_nothing_is_told_what_to_add() -> None:
    text = TEXT.format(wide=0.9, high=2.4).replace("  objects: chest.front\n", "")
    (note,) = art.reach(art.parse(text).requests[0]).notes
    assert note.startswith("nothing is asked about; add objects: ")
    asked = text.replace("approach:", "rules: ada_2010\n  approach:")
    assert not any(
        "nothing is asked" in each for each in art.reach(art.parse(asked).requests[0]).notes
    )


def test_a_door_far_beyond_the_floor_is_told() -> None:
    text = TEXT.format(wide=0.9, high=2.4).replace(
        "door.center at (0, 0, 3)", "door.center at (0, 0, 30)"
    )
    study, _, _ = study_of(art.parse(text).requests[0])
    assert study.notes()[0] == (
        "the door is 27.00 m beyond the floor, and the way in begins at the door: place it at the "
        "floor's edge"
    )


def shut_by_a_leaf(limits: str, wide: float = 0.9) -> str:
    return (
        TEXT.format(wide=wide, high=2.4)
        .replace(
            "world room",
            "primitive leaf { properties: (fixed)\n"
            f"  geometry: cuboid({wide - 0.04}, 2, 0.04) where {{\n"
            f"  edge: ({-0.5 * wide}, -1, 0) }}\n}}\n\nworld room",
        )
        .replace("chest: block", "pin: fixed_point; leaf: leaf; chest: block")
        .replace(
            "place door",
            f"place pin by pin.center at ({-0.5 * wide}, 0, 2.97)\n"
            f"    place leaf by leaf.edge at ({-0.5 * wide}, 0, 2.97)\n"
            "    join leaf to pin with pin(axis: y) as hinge matching (edge, center)"
            f" limits {limits}\n    place door",
        )
    )


def test_people_open_the_leaf_that_shuts_the_door() -> None:
    study, objects, _ = study_of(art.parse(shut_by_a_leaf("(0, 90 deg)")).requests[0])
    places = study.case("manual wheelchair").places
    assert places.opened == ("leaf",)
    assert study.verdicts(objects)[0].accessible
    assert study.notes() == (
        "manual wheelchair: the door is shut by 'leaf'; they are taken to open it "
        "(to know whether they open it, ask to operate its handle)",
    )
    # where it stands open there is no room for the chair
    assert not places.all_free.intersects(shapely.box(-0.47, -2.9, -0.43, -2.2))


def test_nothing_is_proved_by_a_leaf_that_hardly_opens() -> None:
    study, objects, _ = study_of(art.parse(shut_by_a_leaf("(0, 5 deg)")).requests[0])
    (verdict,) = study.verdicts(objects, remedies=False)
    assert verdict.label == NOT_FOUND
    assert verdict.reason is ReachReason.NO_WAY
    (note,) = study.notes()
    assert "shut by 'leaf'; there is no way in even so" in note


def test_what_a_leaf_strikes_is_told_and_that_there_is_no_room_even_so() -> None:
    text = shut_by_a_leaf("(0, 90 deg)").replace("block(0.6, 0.8, 0.5)", "block(3.9, 0.8, 2.4)")
    text = text.replace("chest.center at (0, 0.4, 0.3)", "chest.center at (0, 0.4, 1.25)")
    study, _, _ = study_of(art.parse(text).requests[0])
    leaf, room = study.notes()
    # its end, 88 cm from the hinge, comes 52 cm into the room: asin(0.52 / 0.88) less 1.3 deg
    assert "shut by 'leaf', which opens 35 of 90 deg, then strikes 'chest'; " in leaf
    assert "what takes 0.7 m by 1.2 m has room nowhere on the floor" in room


def parted_by_a_leaf(limits: str) -> str:
    """Return a room whose chest is behind a partition, in which a leaf shuts a gap of 90 cm."""
    return (
        shut_by_a_leaf(limits)
        .replace("chest: block", "near, far: block(1.55, 2.4, 0.1); chest: block")
        .replace(
            "place pin",
            "place near by near.center at (-1.225, 1.2, 1.9)\n"
            "    place far by far.center at (1.225, 1.2, 1.9)\n    place pin",
        )
        .replace("(-0.45, 0, 2.97)", "(-0.45, 0, 1.83)")
    )


def test_people_open_a_leaf_between_two_rooms() -> None:
    study, objects, _ = study_of(art.parse(parted_by_a_leaf("(0, 90 deg)")).requests[0])
    places = study.case("manual wheelchair").places
    assert (places.opened, places.parted) == ((), ("leaf",))
    assert study.verdicts(objects)[0].accessible
    walls, leaf = study.notes()
    assert "taken for walls" in walls
    assert leaf == (
        "manual wheelchair: the way through the room is shut by 'leaf'; they are taken to open it "
        "(to know whether they open it, ask to operate its handle)"
    )


def test_nothing_is_proved_by_a_leaf_between_two_rooms_that_hardly_opens() -> None:
    study, objects, _ = study_of(art.parse(parted_by_a_leaf("(0, 5 deg)")).requests[0])
    assert study.case("manual wheelchair").places.parted == ()
    (verdict,) = study.verdicts(objects, remedies=False)
    assert (verdict.label, verdict.reason) == (NOT_FOUND, ReachReason.NO_WAY)
    assert "shut by 'leaf'; there is no way through even so" in study.notes()[1]


def test_what_stops_a_leaf_between_two_rooms_is_told() -> None:
    text = parted_by_a_leaf("(0, 90 deg)").replace(
        "chest: block", "line: block(1, 0.02, 0.02); chest: block"
    )
    text = text.replace("place pin", "place line by line.center at (0, 1.7, 1.36)\n    place pin")
    study, _, _ = study_of(art.parse(text).requests[0])
    # its end, 88 cm from the hinge, is 46 cm before the line, less half of both thicknesses
    assert "'leaf', which opens 30 of 90 deg, then strikes 'line'; there is no" in study.notes()[1]


def test_a_leaf_is_not_blamed_for_a_door_that_is_too_narrow() -> None:
    study, objects, _ = study_of(art.parse(shut_by_a_leaf("(0, 90 deg)", 0.6)).requests[0])
    assert study.verdicts(objects, remedies=False)[0].proved
    (note,) = study.notes()
    assert "the door 'door' is 60 cm wide" in note


def test_ways_to_move_tell_their_size_in_words() -> None:
    assert [each.size for each in (StandingFootprint(), WalkerFootprint(), ChairFootprint())] == [
        "ways 50 cm wide, and room for legs and pelvis to stand",
        "a circle of radius 40 cm, its grips 85 cm high",
        "70 cm wide and 120 cm long, its seat 49.6 cm high, hips 40 cm from its rear",
    ]
    settings = art.reach(art.parse(TEXT.format(wide=0.9, high=2.4)).requests[0]).settings
    assert settings["mobility"]["manual wheelchair"].startswith("70 cm wide and 120 cm long")


HINGED = """
import "furniture.art"
primitive ground {{ properties: (fixed); geometry: cuboid(2 m, 10 cm, 2 m) }}
world w {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; left, right, back: wall(2 m); one, two: wall(50 cm)
    door: door(1 m); leaf: {leaf}(1 m) }}
  structure {{
    place floor by floor.center at (1 m, -5 cm, 1 m)
    place one by one.foot at (0, 0, 0)
    place door by door.foot at (1 m, 0, 0)
    place two by two.foot at (1.5 m, 0, 0)
    place right by right.foot at (2 m, 0, 0) turned -90 deg about y
    place back by back.foot at (2 m, 0, 2 m) turned 180 deg about y
    place left by left.foot at (0, 0, 2 m) turned 90 deg about y
    place leaf by leaf.hinge at {place}
    join leaf to door with pin(axis: y) as pin matching (hinge, {meets}) limits {limits}
  }}
}}
"""


@pytest.mark.parametrize(
    ("leaf", "place", "meets", "limits"),
    [
        ("left_leaf", "(50 cm, 0, 0)", "left", "(-90 deg, 0)"),
        ("right_leaf", "(50 cm, 0, -10 cm) turned 180 deg about y", "outer_left", "(0, 90 deg)"),
    ],
)
@pytest.mark.parametrize("footprint", [ChairFootprint(0.7, 1.2), StandingFootprint()])
def test_a_leaf_that_seals_a_room_is_told_as_places_tell_it(
    leaf: str,
    place: str,
    meets: str,
    limits: str,
    footprint: ChairFootprint | StandingFootprint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = HINGED.format(leaf=leaf, place=place, meets=meets, limits=limits)
    world = art.parse(text).world("w")
    own = room_of(world, door="door")
    assert standing_places._sealed(own, footprint, 0.5)
    assert not standing_places._sealed(
        room_of(world, door="door", without=["leaf"]), footprint, 0.5
    )
    # walls beside the door are not there
    assert not standing_places._sealed(
        room_of(world, door="door", without=["two", "right"]), footprint, 0.5
    )
    found = places_of(own, footprint, 0.5)
    assert found.opened == ("leaf",)
    monkeypatch.setattr(standing_places, "_sealed", lambda *_: False)
    again = places_of(own, footprint, 0.5)
    assert again.opened == found.opened
    assert again.all_free.equals(found.all_free)
    assert again.anywhere.equals(found.anywhere)


def test_the_narrowest_side_is_where_the_base_is_nearest_to_the_rim() -> None:
    chair = np.array([[-0.4, -0.35], [0.8, -0.35], [0.8, 0.35], [-0.4, 0.35]])
    assert narrowest([chair]) == pytest.approx(0.35, abs=1e-5)
    # what does not hold the base does not count
    assert narrowest([chair + 2.0]) == 0.0
