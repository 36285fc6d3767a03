"""A sill across the way from the door: who walks steps over it, wheels do not; it is named."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

import articulata as art
from articulata.analyses.reach.building_codes.ramps import ramp_of, sides_of
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.surroundings.room import room_of
from articulata.analyses.reach.ways.footprints import (
    ChairFootprint,
    Footprint,
    StandingFootprint,
    WalkerFootprint,
)
from articulata.analyses.reach.ways.sills import sills_of
from articulata.analyses.reach.ways.standing_places import Places, places_of
from reach_checks import stand

TEXT = """
units: metre

primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ front: (0, 0.5*h + 0.01, 0.5*d - 0.02) }}
}}

world room {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block(2, 0.1, 4); left, right: block(0.1, 2.4, 4); back: block(2.2, 2.4, 0.1)
    cabinet: block(2, 0.9, 0.5); sill: block(2, {high}, 0.1); door: fixed_point
  }}
  structure {{
    place floor by floor.center at (0, -0.05, 2)
    place left by left.center at (-1.05, 1.2, 2)
    place right by right.center at (1.05, 1.2, 2)
    place back by back.center at (0, 1.2, -0.05)
    place cabinet by cabinet.center at (0, 0.45, 0.25)
    place sill by sill.center at (0, {high}/2, {z})
    place door by door.center at (0, 0, 4)
  }}
}}

reach room {{
  person: human_upper_body {means}
  objects: cabinet.front
  approach: from door
}}
"""


def places(footprint: Footprint, high: float, z: float = 4.05) -> Places:
    world = art.parse(TEXT.format(high=high, means="on foot", z=z)).world("room")
    return places_of(room_of(world, door="door"), footprint, 0.9)


@pytest.mark.parametrize("z", [2.5, 4.05])
@pytest.mark.parametrize("high", [0.021, 0.18])
def test_who_walks_steps_over_a_sill_and_stands_beside_it(high: float, z: float) -> None:
    found = places(StandingFootprint(), high, z)
    assert found.cut.is_empty
    assert found.reached
    area = found.all_free
    # z of W is -y of G: the floor on both sides of the sill, none of it on the sill
    assert area.intersects(shapely.box(-1.0, -4.0 if z < 4.0 else -3.7, 1.0, -3.5))
    assert area.intersects(shapely.box(-1.0, -2.0, 1.0, -1.0))


def test_no_foot_stands_on_a_sill() -> None:
    case = study_of(art.parse(TEXT.format(high=0.05, means="on foot", z=2.5)).requests[0])[0].case(
        "on foot"
    )
    x, y = np.meshgrid(np.arange(-0.9, 0.9, 0.11), np.arange(-2.9, -2.1, 0.013))
    for turn, area in zip(case.places.turns, case.places.free, strict=True):
        there = shapely.contains_xy(area, x, y)
        bases = np.column_stack([x[there], y[there], np.full(there.sum(), turn)])
        assert 0 < len(bases) < there.size
        assert stand(case, bases).all()


def test_who_steps_over_a_sill_reaches_what_is_behind_it() -> None:
    text = TEXT.format(high=0.05, means="on foot", z=4.05)
    (verdict,) = art.reach(art.parse(text).requests[0]).verdicts
    assert verdict.accessible


@pytest.mark.parametrize(
    ("high", "footprint"),
    [
        (0.181, StandingFootprint()),
        (0.021, WalkerFootprint()),
        (0.021, ChairFootprint()),
    ],
)
def test_no_way_leads_over_a_higher_sill_nor_on_wheels(high: float, footprint: Footprint) -> None:
    found = places(footprint, high)
    assert found.shut
    assert found.empty
    assert not found.reached
    assert not places(footprint, 0.019).shut


def test_the_sill_that_shuts_a_way_is_named_with_its_height() -> None:
    text = TEXT.format(high=0.021, means="with walker", z=4.05)
    reached = art.reach(art.parse(text).requests[0])
    (verdict,) = reached.verdicts
    assert str(verdict) == (
        "cabinet.front, with walker: out of reach: there is no way to it from the door past "
        "'sill'; lay a ramp over 'sill', 2.1 cm high, or take it away"
    )
    (note,) = [each for each in reached.notes if "no way" in each]
    assert "'sill', 2.1 cm high, shuts the way to" in note
    assert "wider" not in note


def sills(text: str) -> list[str]:
    room = room_of(art.parse(text).world("room"), door="door")
    found = places_of(room, WalkerFootprint(), 0.9)
    return [sill.body for sill in sills_of(room, WalkerFootprint(), 0.9, found)]


def sill_of(high: float, wide: float, room: float = 2.0) -> str:
    text = TEXT.format(high=high, means="on foot", z=2.5)
    text = text.replace("sill: block(2,", f"sill: block({wide},")
    return text.replace("floor: block(2,", f"floor: block({room},")


def test_no_sill_is_named_that_shuts_nothing_by_itself() -> None:
    assert sills(sill_of(0.05, wide=2)) == ["sill"]
    assert sills(sill_of(0.05, wide=0.2)) == []
    two = sill_of(0.05, wide=2).replace(
        "door: fixed_point", "kerb: block(2, 0.06, 0.1); door: fixed_point"
    )
    for z, named in ((2.0, []), (1.4, ["sill"])):  # the walker has no room between, or has
        kerb = f"place kerb by kerb.center at (0, 0.03, {z})"
        assert sills(two.replace("place door", f"{kerb}\n    place door")) == named


def test_a_box_is_no_sill() -> None:
    assert sills(sill_of(0.25, wide=2)) == ["sill"]
    assert sills(sill_of(0.26, wide=2)) == []
    assert sills(sill_of(0.19, wide=0.8, room=1.2)) == ["sill"]
    assert sills(sill_of(0.21, wide=0.8, room=1.2)) == []


@pytest.mark.parametrize(
    ("code", "rise", "run"),
    [
        # 1 in 12, 760 mm at most
        ("ada_2010", 0.060, 0.72), ("ada_2010", 0.760, 9.12), ("ada_2010", 0.761, None),
        # 6 %, 6 m at most
        ("din_18040_1_2010", 0.060, 1.0), ("din_18040_1_2010", 0.360, 6.0),
        ("din_18040_1_2010", 0.361, None), ("din_18040_2_2011_r", 0.360, 6.0),
        ("din_18040_2_2011_r", 0.361, None),
        # 10 % to 0.5 m, 8 % to 2 m, 5 % to a landing after 10 m
        ("france_public_2017", 0.050, 0.5), ("france_public_2017", 0.051, 0.6375),
        ("france_public_2017", 0.160, 2.0), ("france_public_2017", 0.161, 3.22),
        ("france_housing_2015", 0.500, 10.0), ("france_housing_2015", 0.501, None),
        # 1 in 12 to 2 m, 1 in 15 to 5 m, 1 in 20 to 10 m, told in millimetres
        ("part_m_2015", 0.166, 2.0), ("part_m_2015", 0.167, 2.5075), ("part_m_2015", 0.333, 5.0),
        ("part_m_2015", 0.334, 6.68), ("part_m_2015", 0.501, None),
    ],
)  # fmt: skip
def test_a_ramp_is_as_long_as_a_code_asks(code: str, rise: float, run: float | None) -> None:
    found = ramp_of([code], rise)
    assert (found and found.run) == (run and pytest.approx(run, abs=1e-3))


def test_the_longest_ramp_keeps_several_codes() -> None:
    found = ramp_of(["ada_2010", "din_18040_1_2010"], 0.06)
    assert found is not None
    assert found.section == "din_18040_1_2010 4.3.8.2"


def verdict_past(high: float, rules: str, z: float = 2.5) -> art.Verdict:
    text = TEXT.format(high=high, means="with walker", z=z).replace(
        "approach:", f"rules: {rules}\n  approach:"
    )
    (verdict,) = art.reach(art.parse(text).requests[0]).verdicts
    return verdict


@pytest.mark.parametrize("z", [2.5, 4.05])
def test_a_ramp_is_told_with_its_length_and_slope_and_mends_the_verdict(z: float) -> None:
    verdict = verdict_past(0.06, "ada_2010", z)
    assert str(verdict.remedy) == (
        "lay a ramp over 'sill', 6 cm high, 72 cm long on either side, 8.33% steep "
        "(ada_2010 405.2), or take it away"
    )
    # no sill, and beside the ramp there is level floor to stand on
    text = TEXT.format(high=0.06, means="with walker", z=z)
    room = room_of(art.parse(text).world("room"), door="door")
    sides = shapely.union_all(sides_of(room, "sill", 0.72))
    assert sides.area == pytest.approx(2 * 2.0 * 0.72)
    level = text.replace("; sill: block(2, 0.06, 0.1)", "")
    level = "\n".join(each for each in level.splitlines() if "place sill" not in each)
    (mended,) = art.reach(art.parse(level).requests[0]).verdicts
    assert mended.accessible
    assert mended.base is not None
    assert not sides.contains(shapely.Point(*mended.base[:2]))


@pytest.mark.parametrize(
    ("high", "rules", "why"),
    [
        (
            0.13, "din_18040_1_2010",
            "a ramp over it is 217 cm long on either side, 6.00% steep (din_18040_1_2010 4.3.8.2), "
            "and 'cabinet' is in its way",
        ),
        (0.17, "ada_2010, part_m_2015", "a ramp over it is 255 cm long on either side"),
    ],
)  # fmt: skip
def test_a_sill_is_removed_where_its_ramp_has_no_room(high: float, rules: str, why: str) -> None:
    remedy = verdict_past(high, rules).remedy
    assert remedy is not None
    assert str(remedy).startswith(f"move 'sill' away: {why}")
