"""Ramps that stand in rooms, at every figure of every code that ships and 1 mm on either side."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import articulata as art
from articulata.analyses.reach.building_codes.fixtures import fixture_findings
from articulata.analyses.reach.building_codes.ramps import ramp_findings
from articulata.analyses.reach.building_codes.rule_tables import ReachRule, rules_of
from articulata.analyses.reach.building_codes.rules import findings_of, nothing_to_look_at
from articulata.analyses.reach.surroundings.room import Room, room_of
from articulata.world.requests.reach import CODES

OTHERS = "ramp width", "landing"


def room(
    rise: float = 0.05, run: float = 1.0, wide: float = 1.6, top: float = 1.6, foot: float = 1.6,
    turn: float = 0.0, shape: str = "", size: float = 60.0,
) -> Room:  # fmt: skip
    """A ramp from a landing ``top`` m long at a wall down into a room, ``foot`` m of floor clear.

    It is ``turn`` degrees about the vertical, with the wall and the box at its foot.
    """
    far = top + run + foot
    x, z = far * math.sin(math.radians(turn)), far * math.cos(math.radians(turn))
    shape = shape or (
        f"extruded(((0 0) ({top + run!r} m 0) ({top!r} m {rise!r} m) (0 {rise!r} m)), {wide!r} m)"
        " turned -90 deg about y"
    )
    text = f"""
primitive ground {{ properties: (fixed); geometry: cuboid({size} m, 10 cm, {size} m) }}
primitive rise {{ properties: (fixed); geometry: {shape} where {{ foot: (0, 0, 0) }} }}
primitive back {{ properties: (fixed); geometry: cuboid(8 m, 2.5 m, 10 cm) where {{
  face: (0, -1.25 m, 5 cm) }} }}
primitive chest {{ properties: (fixed); geometry: cuboid(8 m, 1 m, 40 cm) where {{
  face: (0, -50 cm, -20 cm) }} }}
world hall {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; ramp: rise; wall: back; chest: chest }}
  structure {{
    place floor by floor.center at (0, -5 cm, 0)
    place ramp by ramp.foot at (0, 0, 0) turned {turn!r} deg about y
    place wall by wall.face at (0, 0, 0) turned {turn!r} deg about y
    place chest by chest.face at ({x!r} m, 0, {z!r} m) turned {turn!r} deg about y
  }}
}}"""
    return room_of(art.parse(text).world())


def met(code: str, rule: ReachRule, there: Room) -> bool:
    """Return whether the rows of a section about ramps are met."""
    told = ramp_findings(there, code)
    if rule.reach in OTHERS:
        told = fixture_findings(there, code, [rule], {})
    (found,) = told
    assert found.told, str(found)
    assert (found.section, rule.what in found.words) == (rule.section, True)
    return found.met


def ada(reach: str) -> ReachRule:
    (rule,) = [each for each in rules_of("ada_2010") if each.reach == reach]
    return rule


def figures(code: str, rule: ReachRule) -> list[tuple[str, float, int, Callable[[float], Room]]]:
    """Return the figures of a row: name, limit (m), the way that is good, its room."""
    if rule.reach == "ramp width":
        return [("wide", rule.low, 1, lambda v: room(wide=v))]
    if rule.reach == "landing":
        return [("top", rule.low, 1, lambda v: room(top=v)),
                ("foot", rule.low, 1, lambda v: room(foot=v))]  # fmt: skip
    return [
        ("long", rule.length, 1, lambda v: room(rise=rule.high, run=v)),
        ("high", rule.high, -1, lambda v: room(rise=v, run=rule.length)),
    ]


CASES = [
    pytest.param(code, rule, *figure, id=f"{code} {rule.section} {rule.reach} {figure[0]} {k}")
    for code in CODES
    for k, rule in enumerate(rules_of(code))
    if rule.reach in ("ramp", *OTHERS)
    for figure in figures(code, rule)
]


def test_every_code_has_figures_of_ramps() -> None:
    assert {case.values[0] for case in CASES} == set(CODES)
    assert len(CASES) == 40


@pytest.mark.parametrize(("code", "rule", "name", "limit", "good", "made"), CASES)
def test_a_length_is_met_at_its_limit_and_missed_beyond(
    code: str, rule: ReachRule, name: str, limit: float, good: int, made: Callable[[float], Room]
) -> None:
    asked = {mm: met(code, rule, made(limit + 1e-3 * good * mm)) for mm in (1.0, 0.0, -1.0)}
    assert asked == {1.0: True, 0.0: True, -1.0: False}


@pytest.mark.parametrize("turn", [30.0, 90.0, 200.0])
def test_a_ramp_is_the_same_however_it_stands(turn: float) -> None:
    there = room(rise=0.15, run=1.5, turn=turn)
    (slope,) = ramp_findings(there, "ada_2010")
    assert not slope.met
    assert slope.words.startswith("it rises 0.15 m in 1.5 m (1 in 10); 405.2: ")
    assert met("ada_2010", ada("landing"), there)
    assert not met("ada_2010", ada("landing"), room(foot=1.4, turn=turn))


def test_higher_than_one_ramp_may_rise() -> None:
    (found,) = ramp_findings(room(rise=0.80, run=12.0), "ada_2010")
    assert not found.met
    assert found.words.startswith("it rises 0.8 m in 12 m (1 in 15)")


def test_a_box_is_no_ramp_and_a_room_without_one_is_told() -> None:
    there = room(shape="cuboid(1 m, 10 cm, 1 m)", size=6.0)
    told = findings_of(there, "ada_2010", [])
    assert {f.section for f in told if not f.told} == {"404.2.3", "405.2", "405.5", "405.7.3"}
    empty = art.parse(
        "primitive ground { properties: (fixed); geometry: cuboid(3 m, 10 cm, 3 m) }\n"
        "world w { gravity: (0, -9.81, 0); components { floor: ground } }"
    )
    (line,) = nothing_to_look_at(room_of(empty.world()), "part_m_2015", [], [])
    assert "1.26 (no ramp)" in line
