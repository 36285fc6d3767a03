"""A room is drawn by what a page asks; the text of each step is read back."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.ways.footprints import ChairFootprint
from articulata.errors import WorldError
from articulata.report.viewer.conversation import Mailbox
from articulata.sessions.reach import drawing
from articulata.sessions.reach.drawing import Drawing, as_drawn, covered, draw_file
from articulata.sessions.reach.drawn_room import levels_told, palette
from articulata.sessions.reach.drawn_walls import Opening, checked_corners, walls
from articulata.sessions.reach.plan_texts import form_of, length, person_text
from articulata.sessions.reach.room_edits import EDITS, DrawnRoom, with_walls
from articulata.world.requests.reach import CODES, CONDITIONS

SQUARE = [[0, 0], [2.4, 0], [2.4, 2.2], [0, 2.2]]
DOOR = {"kind": "door", "edge": 2, "at": 0.3, "wide": 0.9}


class Page:
    """Asks as the page does, without a browser."""

    def __init__(self, file: Path) -> None:
        self.wishes: Mailbox[Any] = Mailbox()
        self.pages: dict[str, bytes] = {}
        self.state: dict[str, Any] = {}
        self.states: list[dict[str, Any]] = []
        self.number = 0
        self.drawing = Drawing(file, self)  # type: ignore[arg-type] # it says and hears the same

    def say(self, state: dict[str, Any]) -> None:
        self.state = json.loads(json.dumps(state))
        self.states.append(self.state)

    def ask(self, what: str, to: Any = None) -> str:
        self.number += 1
        self.wishes.put(f"{what}:{self.number}", (self.number, to))
        end = time.monotonic() + 300
        while self.state["done"] < self.number or self.state["seeking"]:
            assert time.monotonic() < end
            time.sleep(0.01)
        return str(self.state["message"])


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = Page(tmp_path / "room.art")
    yield made
    made.drawing.close()


def test_a_room_is_drawn_saved_and_undone(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "room.art"
    assert page.ask("put", {"kind": "toilet", "x": 0, "z": 0, "turn": 0}).startswith("draw walls")
    assert not file.exists()
    assert page.ask("walls", {"corners": SQUARE, "openings": [DOOR]}) == ""
    assert page.ask("put", {"kind": "toilet", "x": 0.6, "z": 0, "turn": 0}) == ""
    assert page.ask("put", {"kind": "basin", "x": 2.4, "z": 1.0, "turn": -90}) == ""
    text = file.read_text()
    assert art.parse(text).check() == ()
    bodies = art.read(file).world("room").bodies
    assert bodies["basin"].pose.position == pytest.approx((2.4, 0.0, 1.0))
    # the door of 0.9 m begins 0.3 m from the corner (2.4, 2.2) on: its middle is at x = 1.65 m
    assert bodies["door"].pose.position == pytest.approx((1.65, 0.0, 2.2))
    plan = page.state["plan"]
    assert plan["corners"] == [[0, 0], [2.4, 0], [2.4, 2.2], [0, 2.2]]
    door = plan["openings"][0]
    assert DOOR.items() <= door.items()
    assert (door["name"], door["hinge"], plan["entry"]) == ("door", "", "door")
    assert plan["objects"] == ["toilet.flush", "basin.lever"]
    assert [each["kind"] for each in page.state["verdicts"]] == ["accessible"] * 2
    assert page.state["person"]["body"]
    assert page.state["person"]["head"]
    # the basin stands in the plan before its verdict is found, and the page tells that it waits
    (first, *_) = (each for each in page.states if each["done"] == page.number)
    assert "basin" in [each["name"] for each in first["plan"]["things"]]
    assert first["stale"]
    assert not page.state["stale"]
    # a person writes a comment meanwhile: it stays
    file.write_text(text.replace("    toilet: toilet\n", "    toilet: toilet  # old\n"))
    assert page.ask("size", {"name": "basin", "size": "high", "value": 0.8}) == ""
    assert page.ask("move", {"name": "toilet", "x": 0.8, "z": 0, "turn": 0}) == ""
    text = file.read_text()
    assert "toilet: toilet  # old" in text
    assert "basin: basin(high: 80 cm)" in text
    assert "place toilet by toilet.foot at (0.8 m, 0 m, 0 m)" in text
    lever = next(
        p for t in page.state["plan"]["things"] for p in t["points"] if p["path"] == "basin.lever"
    )
    assert lever["at"] == pytest.approx([2.32, 0.93, 1.0])
    assert page.ask("undo") == ""
    assert file.read_text() != text
    assert page.ask("redo") == ""
    assert file.read_text() == text
    assert page.ask("remove", "toilet") == ""
    assert "toilet" not in file.read_text().replace('import "furniture.art"', "")
    assert page.state["plan"]["objects"] == ["basin.lever"]


def test_the_first_walls_are_undone_and_made_again(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "room.art"
    assert page.ask("walls", {"corners": SQUARE}) == ""
    text = file.read_text()
    assert page.state["undo"] == 1
    assert page.ask("undo") == ""
    assert not file.exists()
    assert (page.state["plan"], page.state["undo"], page.state["redo"]) == ({}, 0, 1)
    assert page.ask("put", {"kind": "toilet", "x": 0, "z": 0, "turn": 0}).startswith("draw walls")
    assert page.ask("redo") == ""
    assert file.read_text() == text
    assert page.state["plan"]["corners"] == [[0, 0], [2.4, 0], [2.4, 2.2], [0, 2.2]]


def test_what_cannot_be_meant_is_told_and_changes_nothing(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "room.art"
    crossing = [[0, 0], [2, 2], [2, 0], [0, 2]]
    assert "cross each other" in page.ask("walls", {"corners": crossing})
    page.ask("walls", {"corners": SQUARE})
    page.ask("put", {"kind": "shelf", "x": 1.0, "z": 0, "turn": 0})
    text = file.read_text()
    for wrong, why in (
        ({"kind": "door", "wide": 3.0}, "50 to 200 cm wide"),
        ({"kind": "window", "wide": 2.45}, "does not go into a wall of 240 cm"),
        ({"kind": "window", "wide": 1, "sill": 1.6, "high": 0.9}, "lower than the wall of 250 cm"),
        ({"kind": "hatch", "wide": 1}, "not 'hatch'"),
        ({"kind": "door", "wide": 1, "hinge": "up"}, "hinged left or right"),
        ({"kind": "door", "wide": 1, "name": "a }"}, "no name"),
    ):
        asked = {"edge": 0, "at": 0.1} | wrong
        assert why in page.ask("walls", {"corners": SQUARE, "openings": [asked]})
    assert "more than 0 cm" in page.ask("size", {"name": "shelf", "size": "wide", "value": -1})
    assert "shelf" in page.ask("tick", {"path": "shelf.nothing", "on": True})
    assert page.ask("people", [{"sex": "man", "height": 9.0, "way": "foot"}]) != ""
    assert "one person at least" in page.ask("people", [])
    assert "not understood" in page.ask("move", {"name": "shelf"})
    assert file.read_text() == text
    # nothing hangs: the next edit is done
    assert page.ask("tick", {"path": "shelf.back", "on": True}) == ""
    assert "shelf.front, shelf.back" in file.read_text()


def test_doors_and_windows_are_written_read_and_undone(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "room.art"
    door = DOOR | {"hinge": "left", "swing": "out"}
    inner = {"kind": "door", "edge": 0, "at": 1.4, "wide": 0.8, "hinge": "right", "swing": "in"}
    window = {"kind": "window", "edge": 0, "at": 0.1, "wide": 1.0, "sill": 0.8, "high": 1.1}
    assert page.ask("walls", {"corners": SQUARE, "openings": [door, inner, window]}) == ""
    text = file.read_text()
    assert art.parse(text).check() == ()
    for line in (
        "wall_1: wall(10 cm)",
        "window: window(1 m, sill: 80 cm, high: 1.1 m)",
        "wall_1_2: wall(30 cm)",
        "door_2: door(80 cm)",
        "wall_1_3: wall(20 cm)",
        "place window by window.foot at (60 cm, 0, 0)",
        "join door_2_leaf to door_2 with pin(axis: y) as door_2_hinge "
        "matching (hinge, right) limits (0, 90 deg)",
        "approach: from door",
    ):
        assert f"  {line}\n" in text
    bodies = art.read(file).world("room").bodies
    # out of the wall at z = 2.2 m, which is 10 cm thick; left, seen from the room, is x = 2.1 m
    assert bodies["door_leaf"].pose.position == pytest.approx((2.1, 0.0, 2.3))
    assert bodies["door_2_leaf"].pose.position == pytest.approx((2.2, 0.0, 0.0))
    known = page.state["plan"]["openings"]
    assert [each["name"] for each in known] == ["window", "door_2", "door"]
    assert door.items() <= known[2].items()
    assert inner.items() <= known[1].items()
    assert window.items() <= known[0].items()
    # the window's handle: 5 cm from its right edge at x = 1.1 m, half way up
    assert known[0]["points"][0]["at"] == pytest.approx([1.05, 1.35, 0.03])
    for path in ("window.handle", "door_leaf.far_handle"):
        assert page.ask("tick", {"path": path, "on": True}) == ""
    assert page.ask("people", [{"sex": "woman", "height": 1.65, "way": "wheelchair"}]) == ""
    # the sill is 80 cm, the handle 1.35 m high: she reaches both, as she reaches a shelf there
    assert [each["kind"] for each in page.state["verdicts"]] == ["accessible"] * 2
    assert page.ask("enter", "door_2") == ""
    known[2] |= {"swing": "in", "at": 1.0}
    assert page.ask("walls", {"corners": SQUARE, "openings": known}) == ""
    text = file.read_text()
    assert "objects: window.handle, door_leaf.handle\n" in text
    assert "approach: from door_2\n" in text
    assert "join door_leaf to door with pin(axis: y) as door_hinge matching (hinge, left)" in text
    assert page.ask("walls", {"corners": SQUARE, "openings": known[2:]}) == ""
    text = file.read_text()
    assert "window" not in text
    assert "door_2" not in text
    assert "objects: door_leaf.handle\n" in text
    assert "approach: from door\n" in text
    assert page.ask("walls", {"corners": SQUARE, "openings": []}) == ""
    assert "door" not in file.read_text()
    assert page.ask("undo") == ""
    assert file.read_text() == text


def test_a_wall_with_one_door_as_it_was_written_before_is_read(tmp_path: Path) -> None:
    file = tmp_path / "room.art"
    page = Page(file)
    try:
        page.ask("walls", {"corners": SQUARE, "openings": []})
        text = file.read_text()
        old = "wall_with_door(2.4 m, door_at: 30 cm, door_wide: 90 cm)\n    old_door: doorway"
        place = (
            "    place old_door by old_door.center at (1.65 m, 0, 2.2 m) turned 180 deg about y\n"
        )
        text = text.replace("wall_3: wall(2.4 m)", f"wall_3: {old}")
        file.write_text(text.replace("  structure {\n", "  structure {\n" + place))
        page.ask("people", [{"sex": "man", "height": 1.8, "way": "foot"}])
        known = page.state["plan"]["openings"]
        assert [(each["name"], each["edge"], each["at"]) for each in known] == [
            ("old_door", 2, 0.3)
        ]
        assert page.ask("walls", {"corners": SQUARE, "openings": known}) == ""
        assert "    old_door: door(90 cm)\n" in file.read_text()
        assert "wall_3_2: wall(1.2 m)" in file.read_text()
    finally:
        page.drawing.close()


def test_openings_that_would_meet_are_moved_apart() -> None:
    doors = [Opening(f"d{k}", "door", 0, at, 0.9) for k, at in enumerate((1.0, 0.5, 2.9))]
    said = walls([(0, 0), (3.5, 0), (3.5, 2), (0, 2)], doors, [])
    # the last ends 2 cm before the wall's end, 2 cm are between each two
    assert said["d1"].place == "place d1 by d1.foot at (95 cm, 0, 0)"
    assert said["d0"].place == "place d0 by d0.foot at (1.87 m, 0, 0)"
    assert said["d2"].place == "place d2 by d2.foot at (3.03 m, 0, 0)"
    with pytest.raises(WorldError, match="do not go together into a wall of 2 m"):
        walls([(0, 0), (2, 0), (2, 2), (0, 2)], doors, [])


def test_a_drag_moves_verdicts_and_not_the_text(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "room.art"
    page.ask("walls", {"corners": [[0, 0], [3, 0], [3, 3], [0, 3]]})
    page.ask("put", {"kind": "shelf", "x": 1.5, "z": 0, "turn": 0})
    page.ask("people", [{"sex": "woman", "height": 1.6, "way": "wheelchair"}])
    text = file.read_text()
    assert page.state["verdicts"][0]["kind"] == "accessible"
    page.ask("drag", {"name": "shelf", "x": 1.5, "z": -3.0, "turn": 0})
    assert page.state["verdicts"][0]["kind"] != "accessible"
    assert file.read_text() == text
    page.ask("drag", {"name": "shelf", "x": 1.5, "z": 0.0, "turn": 0})
    assert page.state["verdicts"][0]["kind"] == "accessible"
    assert page.ask("move", {"name": "shelf", "x": 1.5, "z": 0.0, "turn": 0}) == ""


def test_changes_go_on_while_kernels_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = threading.Event()
    thread = threading.Thread(target=compiled.wait, args=(60,))
    thread.start()
    monkeypatch.setattr(drawing, "warming", lambda: thread)
    page = Page(tmp_path / "room.art")
    shelf = {"name": "shelf", "kind": "shelf", "x": 1.2, "z": 0, "turn": 0}
    walls = {"corners": SQUARE, "openings": [DOOR]}
    for what, to in (("walls", walls), ("put", shelf), ("drag", shelf), ("move", shelf)):
        page.number += 1
        page.wishes.put(f"{what}:{page.number}", (page.number, to))
        end = time.monotonic() + 30
        while page.state["done"] < page.number:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert page.state["seeking"]
        assert page.state["verdicts"] == []
    assert "shelf" in (tmp_path / "room.art").read_text()
    compiled.set()
    assert page.ask("look", "shelf") == ""
    assert page.state["verdicts"][0]["kind"] == "accessible"
    page.drawing.close()
    thread.join()


def test_a_room_that_ships_is_shown_but_its_walls_stay(tmp_path: Path) -> None:
    from articulata.world.world_files import shipped

    file = tmp_path / "bath.art"
    text = shipped("bathroom").read_text().replace("person(1.70 m, woman) with walker,", "")
    file.write_text(text)
    page = Page(file)
    try:
        assert not page.state["plan"]["drawn"]
        assert "were not drawn here" in page.ask("walls", {"corners": SQUARE})
        assert page.ask("move", {"name": "cabinet", "x": 0.1, "z": 0, "turn": 0}) == ""
        moved = "place cabinet by cabinet.wall at (0.1 m, 1.7 m, 0 m)"
        assert file.read_text() == text.replace(
            "place cabinet by cabinet.wall at (0, 1.7 m, 0)", moved
        )
    finally:
        page.drawing.close()


def test_a_patient_by_ten_measures_is_written_and_read_back() -> None:
    form = {
        "sex": "woman", "child": False, "height": 1.62, "weight": 60.0, "shoulder_height": 1.33,
        "elbow_height": 1.02, "forearm_hand": 0.43, "arm_reach": 0.74, "knee_height": 0.5,
        "sitting_height": 0.85, "shoulder_width": 0.43, "hip_width": 0.36, "way": "power_chair",
        "seat": 0.55,
    }  # fmt: skip
    said = person_text(form)
    assert said == (
        "person(1.62 m, 60 kg, woman, shoulder_height: 1.33 m, elbow_height: 1.02 m, forearm_hand: "
        "43 cm, arm_reach: 74 cm, knee_height: 50 cm, sitting_height: 85 cm, shoulder_width: 43 cm,"
        " hip_width: 36 cm) on power_chair(seat: 55 cm)"
    )
    text = (
        "primitive p { properties: (fixed); geometry: cuboid(1, 1, 1) }\n"
        "world w { gravity: (0, -9.81, 0); components { floor: p } }\n"
        f"reach w {{ person: {said}, 20 women on foot\n objects: floor }}"
    )
    people = art.parse(text).requests[0].question.people
    assert form_of(people[0]) == form
    assert form_of(people[1]) is None


def test_walls_stand_with_the_floor_to_their_z() -> None:
    # corners the other way round are taken in the order of walls
    corners = checked_corners([(0, 0), (0, 2.2), (2.4, 2.2), (2.4, 0)])
    assert corners == [(0, 0), (2.4, 0), (2.4, 2.2), (0, 2.2)]
    said = walls(corners, [Opening("door", "door", 0, 5.0, 0.9)], ["wall_9"])
    assert said["wall_9"] is None
    # a door beyond the wall's end is put before it, with 2 cm of wall beside it
    assert said["wall_1"].made == "wall(1.48 m)"
    assert said["door"].place == "place door by door.foot at (1.93 m, 0, 0)"
    assert said["wall_1_2"].made == "wall(2 cm)"
    assert said["wall_2"].place == (
        "place wall_2 by wall_2.foot at (2.4 m, 0, 0) turned -90 deg about y"
    )
    for wrong, why in (
        ([(0, 0), (1, 0)], "3 to 100 corners"),
        ([(0, 0), (0.05, 0), (1, 1)], "would be 5 cm long"),
        ([(0, 0), (0.5, 0), (0, 0.5)], "too small"),
        ([(0, 0), (math.inf, 0), (0, 2)], "within 100 m"),
    ):
        with pytest.raises(WorldError, match=why):
            checked_corners(wrong)
    assert length(0.855) == "85.5 cm"


def test_all_furniture_stands_in_a_room(tmp_path: Path) -> None:
    text = 'import "furniture.art"\nworld shop {\n  gravity: (0, -9.81, 0)\n  components {\n'
    text += "".join(f"    {each}: {each}\n" for each in palette()) + "  }\n}\n"
    bodies = art.parse(text).world("shop").bodies
    assert {"toilet", "basin", "counter", "bed", "ticket_machine"} <= set(bodies)
    groups = {each["group"] for each in palette().values()}
    assert groups == {
        "bathroom", "on walls", "kitchen", "living and sleeping", "office",
        "lifts and stations", "up and down",
    }  # fmt: skip
    for body in bodies.values():
        first, second = list(body.features.values())[:2]
        assert first.name == "foot"
        assert first.pose.position == (0.0, 0.0, 0.0)
        assert second.pose.position[1] > 0.0


def test_building_codes_are_ticked(page: Page, tmp_path: Path) -> None:
    page.ask("walls", {"corners": SQUARE, "openings": [DOOR]})
    assert list(page.state["codes"]) == list(CODES)
    for name in ("ada_2010", "part_m_2015"):
        assert page.ask("code", {"name": name, "on": True}) == ""
    assert page.state["rules"] == ["ada_2010", "part_m_2015"]
    assert "rules: ada_2010, part_m_2015" in (tmp_path / "room.art").read_text()
    assert page.ask("code", {"name": "ada_2010", "on": False}) == ""
    assert page.state["rules"] == ["part_m_2015"]
    assert "no building code" in page.ask("code", {"name": "elsewhere.csv", "on": True})
    page.ask("code", {"name": "part_m_2015", "on": False})
    assert "rules:" not in (tmp_path / "room.art").read_text()


def test_people_who_use_one_hand_are_asked_with_it_alone(page: Page, tmp_path: Path) -> None:
    page.ask("walls", {"corners": SQUARE, "openings": [DOOR]})
    page.ask("put", {"kind": "basin", "x": 1.0, "z": 0, "turn": 0})
    assert page.state["hands"] == "both"
    for hand in ("left", "right"):
        assert page.ask("hands", hand) == ""
        assert page.state["hands"] == hand
        assert f"hands: {hand}\n" in (tmp_path / "room.art").read_text()
    assert page.ask("hands", "third") != ""
    assert page.ask("hands", "both") == ""
    assert "hands:" not in (tmp_path / "room.art").read_text()


def test_a_condition_of_those_who_use_the_room_is_chosen(page: Page, tmp_path: Path) -> None:
    page.ask("walls", {"corners": SQUARE, "openings": [DOOR]})
    page.ask("put", {"kind": "basin", "x": 1.0, "z": 0, "turn": 0})
    assert page.state["condition"] == ""
    names = {each.partition(" ")[0] for each in page.state["conditions"]}
    assert names == set(CONDITIONS)
    for chosen in page.state["conditions"]:
        assert page.ask("condition", chosen) == ""
        assert page.state["condition"] == chosen
        assert f"condition: {chosen}\n" in (tmp_path / "room.art").read_text()
    assert page.ask("condition", "gout") != ""
    assert page.ask("condition", "") == ""
    assert "condition:" not in (tmp_path / "room.art").read_text()


def test_a_ramp_and_stairs_stand_where_they_are_drawn_and_are_told_of(
    page: Page, tmp_path: Path
) -> None:
    page.ask("walls", {"corners": [[0, 0], [6, 0], [6, 6], [0, 6]], "openings": []})
    assert page.ask("put", {"kind": "ramp", "x": 1.0, "z": 0, "turn": 0}) == ""
    assert page.ask("put", {"kind": "stairs", "x": 4.0, "z": 0, "turn": 0}) == ""
    assert page.state["plan"]["objects"] == []
    ramp, stairs = page.state["plan"]["things"]
    # 15 cm over 2.5 m; 17 and 29 cm
    assert ramp["told"].startswith(
        "It rises 1 in 16.7 (6 %): within ADA 2010, 405 (1 in 12) and within DIN 18040-1 (6 %)."
    )
    assert stairs["told"].startswith("Steps of 17 cm and 29 cm, within ADA 2010, 504.2. Nobody in")
    for thing in (ramp, stairs):
        assert "nobody goes up here" in thing["told"]
    # a landing of 1.5 m at the wall, then the run of 2.5 m; a landing of 1.2 m, then four treads
    for thing, x, deep in ((ramp, 1.0, 4.0), (stairs, 4.0, 1.2 + 4 * 0.29)):
        points = [p for ring in thing["outlines"] for p in ring]
        assert max(p[1] for p in points) == pytest.approx(deep, abs=1e-3)
        assert min(p[1] for p in points) == pytest.approx(0.0, abs=1e-3)
        assert {round(p[0] - x, 3) for p in points} == {-0.6, 0.6}
    assert "beyond ADA 2010, 405" in levels_told("ramp", {"rise": 0.3, "run": 2.5, "wide": 1.2})
    said = levels_told("ramp", {"rise": 0.2, "run": 2.5, "wide": 1.2})
    assert "within ADA 2010, 405 (1 in 12) and beyond DIN" in said
    assert "beyond ADA" in levels_told("stairs", {"rise": 0.2, "tread": 0.26})
    assert levels_told("toilet", {"wide": 0.4}) == ""


def test_only_a_text_in_a_folder_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"name one that ends in \.art"):
        draw_file(tmp_path / "room.pdf", None, print)
    with pytest.raises(WorldError, match="make it first"):
        draw_file(tmp_path / "none" / "room.art", None, print)


def test_corners_are_kept_until_the_walls_are_closed(tmp_path: Path) -> None:
    file, kept = tmp_path / "room.art", tmp_path / "room.corners.json"
    page = Page(file)
    page.ask("draft", SQUARE[:1])
    page.ask("draft", SQUARE[:3])
    page.drawing.close()  # and the page with it
    assert not file.exists()
    again = Page(file)
    assert again.state["draft"] == SQUARE[:3]
    again.ask("draft", [])
    assert again.state["draft"] == []
    assert not kept.exists()
    again.ask("draft", SQUARE[:2])
    assert again.ask("walls", {"corners": SQUARE, "openings": []}) == ""
    assert again.state["draft"] == []
    assert not kept.exists()
    again.drawing.close()
    file.unlink()
    for damaged in ("{", "[[1]]", '[[1, "a"]]', "[[1, NaN]]"):
        kept.write_text(damaged)
        last = Page(file)
        assert last.state["draft"] == []
        last.drawing.close()


def test_a_wheelchair_is_drawn_as_large_as_it_is() -> None:
    """A chair of 80 by 130 cm, hips 40 cm ahead of its rear end, turned to the left at (2, 1)."""
    chair = ChairFootprint(0.8, 1.3)
    (outline,) = covered(chair.parts(0.5), np.array([2.0, 1.0, np.pi / 2]))
    assert outline.bounds == pytest.approx((1.6, 0.6, 2.4, 1.9))
    # behind the footrests it is as wide as its wheels, ahead as the feet
    assert outline.area == pytest.approx(0.8 * 0.62 + 0.46 * (0.9 - 0.22))


def test_what_nobody_reaches_for_is_not_ticked_and_errors_speak_of_things_in_cm(
    tmp_path: Path,
) -> None:
    file = tmp_path / "room.art"
    text = with_walls(file, None, {"corners": [[0, 0], [4, 0], [4, 4], [0, 4]]})
    for kind, at in (("shower_tray", 0.6), ("bathtub", 2.2), ("mirror", 3.6)):
        put = {"kind": kind, "x": at, "z": 0.0, "turn": 0.0}
        text = EDITS["put"](DrawnRoom(text, file), put)
    assert [str(each) for each in DrawnRoom(text, file).objects] == ["bathtub.rim"]
    with pytest.raises(WorldError) as caught:
        DrawnRoom(text.replace("person(1.70 m", "person(0.2 m"), file)
    said = as_drawn(str(caught.value))
    assert said.startswith("'height' of 'person' lies from 75 to 230 cm; 20 cm is beyond")
