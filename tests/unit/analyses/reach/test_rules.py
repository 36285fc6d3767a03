"""Reach ranges of ADA 2010, 308: the numbers of the standard, objects laid against them."""

from __future__ import annotations

from pathlib import Path

import pytest

import articulata as art
from articulata.analyses.reach.room import room_of
from articulata.analyses.reach.rules import checked, rules_of
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


def test_rules_come_with_an_answer_and_its_record(tmp_path: Path) -> None:
    world = document().world("room")
    reached = art.reach(
        world, person="human_upper_body", mobility=art.OnFoot(), objects=["shelf.front"],
        grid=None, rules=["ada_2010"],
    )  # fmt: skip
    assert [each.met for each in reached.findings] == [False]
    reached.save(tmp_path / "a.artreach")
    assert art.ReachMap.load(tmp_path / "a.artreach").findings == reached.findings


def test_rules_that_are_not_there_or_no_table(tmp_path: Path) -> None:
    with pytest.raises(art.NameNotFound, match="did you mean 'ada_2010'"):
        rules_of("ada_2011")
    with pytest.raises(art.FormatError, match="cannot be read"):
        rules_of(str(tmp_path / "none.csv"))
    file = tmp_path / "own.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(art.FormatError, match="columns section"):
        rules_of(str(file))
