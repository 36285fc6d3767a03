"""Buildings of many pieces: answers stay right, and work grows as the pieces do."""

from __future__ import annotations

import cProfile
import pstats

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.surroundings.furniture import movable, stands, together
from articulata.analyses.reach.surroundings.room import Room, room_of
from articulata.geometry.shapes import Cuboid
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND
from articulata.records.reach_verdicts import ReachReason
from buildings import building
from reach_checks import check_postures


def room(rooms: int, things: int) -> Room:
    world = art.parse(building(rooms, things)).world("building")
    return room_of(world, floor="floor", door="door")


def boxes(whole: Room) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return least and greatest corners of all bodies, as the text places them."""
    found = {}
    for name, body in whole.world.bodies.items():
        shape = body.shape
        while not isinstance(shape, Cuboid):
            shape = shape.shape
        half, middle = 0.5 * np.array([shape.x, shape.y, shape.z]), np.array(body.pose.position)
        found[name] = middle - half, middle + half
    return found


def test_what_stands_on_a_desk_of_a_building_goes_along_with_it() -> None:
    whole = room(4, 12)
    box = boxes(whole)
    for number in range(4):
        low, high = box[f"top_{number}"]
        on = set()
        for name, (least, most) in box.items():
            over = np.minimum(most, high)[[0, 2]] - np.maximum(least, low)[[0, 2]]
            share = np.prod(np.maximum(over, 0.0)) / np.prod((most - least)[[0, 2]])
            if abs(least[1] - high[1]) < 1e-6 and share > 0.5:
                on.add(name)
        assert len(on) >= 3
        assert set(together(whole, f"top_{number}")) == {f"top_{number}", *on}
        assert set(together(whole, f"leg0_{number}")) == {f"leg0_{number}"}
        assert all(stands(whole, name) for name in (*on, f"chest_{number}"))
        assert not stands(whole, f"board3_{number}")


def test_what_stands_before_a_shelf_of_a_building_may_be_moved() -> None:
    whole = room(4, 12)
    p = whole.point("board0_2")
    near = movable(whole, "", "board0_2", p)
    assert near
    assert all(name.endswith("_2") for name in near)
    assert not any(name.startswith(("wall", "partition", "front")) for name in near)


def calls(rooms: int) -> int:
    """Return how many functions are called to find what may be moved before a shelf."""
    whole = room(rooms, 20)
    with cProfile.Profile() as profile:
        movable(whole, "", "board0_2", whole.point("board0_2"))
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined] # it is there


def test_work_about_furniture_grows_as_the_pieces_do() -> None:
    few = calls(4)
    assert calls(16) < 1.3 * 4 * few


@pytest.mark.slow
def test_of_two_thousand_pieces_all_is_answered() -> None:
    study, objects, _ = study_of(art.parse(building(20, 82, objects=12)).requests[0])
    assert len(study.room.solids) > 1900
    case = study.case(study.names[0])
    found = study.verdicts(objects)
    assert sum(each.label == ACCESSIBLE for each in found) >= 6
    for each in found:
        if each.q is not None:
            hand = np.array([case.envelope.hands.index(each.hand)])
            worst = check_postures(case, case.room.into(each.point)[None], each.q[None], hand)
            assert worst["miss"] <= 1.1e-3
            assert worst["deep"] < 2e-3
        elif each.object.startswith("tin") and each.reason != ReachReason.INSIDE:
            assert each.reason == ReachReason.TOO_HIGH  # 1.88 m, from a wheelchair
            assert each.remedy is None or each.remedy.kind == "lower"
        assert each.label != NOT_FOUND or each.tried > 0
