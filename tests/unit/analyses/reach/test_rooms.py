"""Rooms that ship: each can be asked about, and people differ where they should."""

from __future__ import annotations

from pathlib import Path

import pytest

from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study
from articulata.analyses.reach.surroundings.room import room_of
from articulata.analyses.reach.ways.footprints import ChairFootprint
from articulata.analyses.reach.ways.standing_places import places_of
from articulata.records.reach_shares import PROVED
from articulata.sessions.given_files import request_in
from articulata.world.document import read
from articulata.world.requests.reach import ReachQuestion, Thing, path_of
from articulata.world.world_files import shipped

ROOMS = ("kitchen", "bathroom", "office", "lift")


def asked(name: str) -> tuple[Study, tuple[Thing, ...]]:
    study, objects, _ = study_of(request_in(read(shipped(Path(name))), "reach"))
    return study, objects


@pytest.mark.parametrize("name", ROOMS)
def test_every_object_is_there_and_everybody_comes_in(name: str) -> None:
    request = request_in(read(shipped(Path(name))), "reach")
    assert isinstance(request.question, ReachQuestion)
    room = room_of(request.elaborate(), door="door")
    for each in request.question.objects:
        assert 0.0 < room.point(path_of(each))[2] - room.level < 2.2
    places = places_of(room, ChairFootprint(), 0.56)
    assert places.reached
    assert sum(area.area for area in places.free) / len(places.free) > 0.5


@pytest.mark.slow
def test_people_differ_where_they_should() -> None:
    bathroom, _ = asked("bathroom")
    standing, seated = bathroom.verdicts(
        ["shower.head"], remedies=False, who=["on foot", "manual wheelchair"]
    )
    assert standing.accessible
    assert seated.label == PROVED
    office, _ = asked("office")
    behind_the_desk = ["window.handle", "desk.back"]
    who = ["on foot", "manual wheelchair"]
    found = office.verdicts(behind_the_desk, remedies=False, who=who)
    assert [each.accessible for each in found] == [True, False, True, True]
