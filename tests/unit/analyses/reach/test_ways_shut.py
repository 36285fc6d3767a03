"""A way from the door that furniture shuts: what to push, or to take away, to open it."""

from __future__ import annotations

import pytest

import articulata as art
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study
from articulata.records.reach_verdicts import ReachReason, Verdict

TEXT = """
units: metre

primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ front: (0, 0.5*h + 0.01, 0.5*d - 0.02) }}
}}

world room {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block(3, 0.1, 6); left, right: block(0.1, 2.4, 6); back: block(3.2, 2.4, 0.1)
    cabinet: block(3, 0.9, 0.5); chest: block({wide}, 0.8, 0.5); door: fixed_point
    lamp: block(0.2, 0.3, 0.2)
  }}
  structure {{
    place floor by floor.center at (0, -0.05, 3)
    place left by left.center at (-1.55, 1.2, 3)
    place right by right.center at (1.55, 1.2, 3)
    place back by back.center at (0, 1.2, -0.05)
    place cabinet by cabinet.center at (0, 0.45, 0.25)
    place chest by chest.center at ({x}, 0.4, {z})
    place lamp by lamp.center at (1.3, 0.15, 0.7)
    place door by door.center at (0, 0, 6)
  }}
}}

reach room {{
  person: human_upper_body with walker(radius: 40 cm)
  objects: cabinet.front
  approach: from door
}}
"""


def asked(wide: float, x: float, z: float, remedies: bool = True) -> tuple[Study, Verdict]:
    text = TEXT.format(wide=wide, x=x, z=z)
    study, objects, _ = study_of(art.parse(text).requests[0])
    return study, study.verdicts(objects, remedies=remedies)[0]


@pytest.mark.parametrize("z", [2.4, 5.5])
def test_what_shuts_the_way_is_pushed_as_little_as_needed(z: float) -> None:
    # 0.7 m and 0.4 m are left beside the chest; the walker takes 0.8 m
    study, verdict = asked(1.9, 0.15, z)
    # z of W is -y of G: nobody stands beyond the chest
    assert study.case("with walker").places.all_free.bounds[3] < -z + 0.25
    assert not verdict.accessible
    assert verdict.reason is ReachReason.NO_WAY
    assert verdict.short == 0.0
    remedy = verdict.remedy
    assert remedy is not None
    assert (remedy.kind, remedy.what, remedy.axis, remedy.by) == ("push", "chest", "x", 0.2)
    assert str(verdict).endswith(
        "there is no way to it from the door; push 'chest' by 20 cm along x"
    )
    assert asked(1.9, 0.15 + remedy.by, z)[1].accessible
    assert not asked(1.9, 0.15 + remedy.by - 0.1, z, remedies=False)[1].accessible


@pytest.mark.slow
def test_what_shuts_the_way_wherever_it_is_pushed_is_to_be_taken_away() -> None:
    _, verdict = asked(2.8, 0.0, 3.0)
    remedy = verdict.remedy
    assert remedy is not None
    assert (verdict.reason, remedy.kind, remedy.what) == (ReachReason.NO_WAY, "remove", "chest")


def test_no_furniture_is_named_where_the_door_is_too_narrow() -> None:
    # two walls leave a door of 0.8 m, and the walker takes 0.9 m
    narrow = (
        TEXT.format(wide=0.4, x=0.0, z=3.0)
        .replace("radius: 40 cm", "radius: 45 cm")
        .replace("left, right:", "one, two: block(1.2, 2.4, 0.1); left, right:")
        .replace(
            "place door",
            "place one by one.center at (-1, 1.2, 6.05)\n"
            "    place two by two.center at (1, 1.2, 6.05)\n    place door",
        )
    )
    study, objects, _ = study_of(art.parse(narrow).requests[0])
    (verdict,) = study.verdicts(objects)
    assert verdict.reason is ReachReason.NO_WAY
    assert verdict.remedy is None


def test_a_small_thing_is_pushed_before_a_large_one_is_taken_away() -> None:
    # the chest leaves a lane of 1.15 m, and the lamp 0.75 m of it
    text = (
        TEXT.format(wide=1.85, x=-0.575, z=3.0)
        .replace("lamp: block(0.2, 0.3, 0.2)", "lamp: block(0.3, 0.3, 0.3)")
        .replace("lamp.center at (1.3, 0.15, 0.7)", "lamp.center at (1.25, 0.15, 3.0)")
        .replace("chest: block(1.85, 0.8, 0.5)", "chest: block(1.85, 0.5, 4.8)")
        .replace("chest.center at (-0.575, 0.4, 3.0)", "chest.center at (-0.575, 0.25, 3.0)")
    )
    study, objects, _ = study_of(art.parse(text).requests[0])
    (verdict,) = study.verdicts(objects)
    assert verdict.reason is ReachReason.NO_WAY
    remedy = verdict.remedy
    assert remedy is not None
    assert (remedy.kind, remedy.what, remedy.by, remedy.axis) == ("push", "lamp", 0.1, "x")


@pytest.mark.parametrize(("height", "way"), [(1.6, False), (0.9, True)])
def test_a_way_is_missing_only_where_it_would_help(height: float, way: bool) -> None:
    # the chest shuts off what is behind it; at 1.6 m the chair does not reach from there either
    text = (
        TEXT.format(wide=1.9, x=0.15, z=2.4)
        .replace("at (1.3, 0.15, 0.7)", f"at (1.4, {height}, 1.4)")
        .replace("objects: cabinet.front", "objects: lamp.front")
        .replace("with walker(radius: 40 cm)", "on wheelchair")
    )
    study, objects, _ = study_of(art.parse(text).requests[0])
    case = study.case("manual wheelchair")
    assert case.beyond_a_way(study.room.point("lamp.front"))
    (verdict,) = study.verdicts(objects, remedies=False)
    assert not verdict.accessible
    assert (verdict.reason is ReachReason.NO_WAY) == way
