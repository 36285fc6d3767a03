"""What hides an object and moves on a hinge is opened before anything else is moved."""

from __future__ import annotations

import pytest

import articulata as art
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study
from articulata.analyses.reach.surroundings.mechanisms import (
    Mechanism,
    mechanism_of,
    openable,
    opened,
)
from articulata.analyses.reach.surroundings.room import Room, room_of
from articulata.records.reach_verdicts import Remedy, Verdict
from articulata.world.model import World

TEXT = """
units: metre

primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ front: (0, 0.5*h + 0.01, 0.3*d); jamb: (0, 0, 0.5*d + 0.02) }}
}}
primitive panel {{
  properties: (fixed)
  geometry: cuboid(0.6, 0.6, 0.02) where {{ edge: (-0.31, 0, 0) }}
}}

world room {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block(3, 0.1, 3); one, two: block(0.02, 0.6, 0.3); top, base: block(0.64, 0.02, 0.3)
    back: block(0.64, 0.6, 0.02); leaf: panel; bar: block(0.05, 0.05, 0.02)
    cup: block(0.1, 0.1, 0.1)
  }}
  structure {{
    place floor by floor.center at (0, -0.05, 1.5)
    place back by back.center at (0, 1.2, 0.01)
    place one by one.center at (-0.31, 1.2, 0.17)
    place two by two.center at (0.31, 1.2, 0.17)
    place base by base.center at (0, 0.89, 0.17)
    place top by top.center at (0, 1.51, 0.17)
    place cup by cup.center at (0, 1.05, 0.2)
    place leaf by leaf.edge at (-0.31, 1.2, 0.34)
    place bar by bar.center at {bar}
    join leaf to one with {hinge} as hinge matching (edge, jamb){limits}
  }}
}}

reach room {{
  person: human_upper_body on foot
  objects: cup.front
}}
"""
PIN = "revolute(axis: y)"
AWAY = "(1.2, 1.2, 0.41)"


def asked(hinge: str = PIN, limits: str = "(-90 deg, 0)", bar: str = AWAY) -> Study:
    limits = limits and f" limits {limits}"
    return study_of(art.parse(TEXT.format(hinge=hinge, limits=limits, bar=bar)).requests[0])[0]


def verdict_of(study: Study) -> Verdict:
    return study.verdicts(["cup.front"])[0]


@pytest.mark.parametrize(
    ("hinge", "limits"), [(PIN, "(-90 deg, 0)"), ("slider(axis: x)", "(-0.6, 0)")]
)
def test_what_hides_an_object_is_opened(hinge: str, limits: str) -> None:
    study = asked(hinge, limits)
    verdict = verdict_of(study)
    assert not verdict.accessible
    assert verdict.remedy == Remedy("open", "leaf", 1.0)
    assert verdict.words.endswith("; open 'leaf'")
    thing = mechanism_of(study.room, "leaf")
    world = opened(study.room, thing, thing.last)
    assert world is not None
    study.moved(world)
    assert verdict_of(study).accessible


def test_a_leaf_is_opened_less_where_all_the_way_does_not_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = asked()
    tried: list[int] = []

    def half(room: Room, thing: Mechanism, station: int) -> World | None:
        tried.append(station)
        return None if station > 0.8 * thing.last else opened(room, thing, station)

    monkeypatch.setattr("articulata.analyses.reach.objects.verdicts.opened", half)
    remedy = verdict_of(study).remedy
    assert remedy is not None
    last = mechanism_of(study.room, "leaf").last
    assert tried == sorted(tried, reverse=True)
    assert (tried[0], remedy.kind, remedy.by) == (last, "open", tried[-1] / last)
    assert 0.0 < remedy.by < 1.0


def test_a_leaf_that_is_held_shut_is_not_opened() -> None:
    # the bar is 1 cm before the leaf, near its free edge: it goes 1 cm there
    study = asked(bar="(0.25, 1.2, 0.37)")
    verdict = verdict_of(study)
    assert not verdict.accessible
    assert verdict.remedy is None or verdict.remedy.kind != "open"


def test_nothing_is_opened_without_limits_or_where_it_hides_nothing() -> None:
    study = asked(limits="")
    assert openable(study.room, "leaf", "cup", study.room.point("cup.front")) == ()
    study = asked()
    p = study.room.point("cup.front")
    assert [each.object for each in openable(study.room, "", "cup", p)] == ["leaf"]
    assert openable(study.room, "", "cup", p + 2.0) == ()
    # an object on the leaf goes along with it, and what stands on a leaf would fall
    assert openable(study.room, "leaf", "leaf", p) == ()
    study = asked(bar="(0, 1.525, 0.34)")
    assert openable(study.room, "leaf", "cup", p) == ()


def test_only_what_is_opened_moves() -> None:
    study = asked()
    thing = mechanism_of(study.room, "leaf")
    world = opened(study.room, thing, 3)
    assert world is not None
    again = mechanism_of(room_of(world), "leaf")
    assert again.values[0] == pytest.approx(thing.values[3])
    assert again.values[0] < 0.0
    assert world.bodies["one"].pose == study.world.bodies["one"].pose
