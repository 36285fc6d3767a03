"""Start angles and places that contradict each other are named, with what was asked and found."""

from __future__ import annotations

import re

import pytest

import articulata as art

TEXT = """
primitive bar {{
  properties: (density: 1000)
  geometry: cuboid(40 cm, 2 cm, 2 cm) where {{ a: (-20 cm, 0, 0); b: (20 cm, 0, 0) }}
  dynamics
}}
world w {{
  components {{ o: fixed_point; one: bar; two: bar }}
  structure {{
    place o by o at (0, 0, 0){asked}
    join one to o with {kind}(axis: z) as first matching (a, center)
    join two to one with {kind}(axis: z) as between matching (a, a)
    join two to o with {kind}(axis: z) as second matching (a, center)
    {placed}
  }}
}}
"""


def refused(asked: str = "", placed: str = "", kind: str = "pin") -> str:
    text = TEXT.format(asked=asked, placed=placed, kind=kind)
    with pytest.raises(art.AssemblyError) as error:
        art.assemble(art.parse(text).world("w"))
    return str(error.value)


def found(message: str, name: str, unit: str) -> tuple[float, float]:
    """Return what was asked of a coordinate and what is left."""
    told = re.search(
        rf"place {name} .*: (\S+) {unit} asked, (\S+) {unit} at the least gap", message
    )
    assert told, message
    return float(told[1]), float(told[2])


def test_angles_that_contradict_each_other_share_the_misfit() -> None:
    """30 + 20 is 10 too many for 40 deg: a third of it each, as nearly as the search goes."""
    message = refused(", first.angle = 30 deg, between.angle = 20 deg, second.angle = 40 deg")
    assert found(message, "first.angle", "deg") == pytest.approx((30, 30 - 10 / 3), abs=0.1)
    assert found(message, "between.angle", "deg") == pytest.approx((20, 20 - 10 / 3), abs=0.1)
    assert found(message, "second.angle", "deg") == pytest.approx((40, 40 + 10 / 3), abs=0.1)


def test_check_tells_what_was_asked_and_what_comes_nearest() -> None:
    text = TEXT.format(
        asked=", first.angle = 30 deg, between.angle = 20 deg, second.angle = 40 deg",
        placed="", kind="pin",
    )  # fmt: skip
    (finding,) = art.parse(text + "simulate w { time: (1 ms, 2 ms) }").check()
    for name, asked, left in (
        ("first", 30, 30 - 10 / 3),
        ("between", 20, 20 - 10 / 3),
        ("second", 40, 40 + 10 / 3),
    ):
        told = re.search(
            rf"{name}\.angle: {asked} deg asked, (\S+) deg at the least gap", finding.message
        )
        assert told, finding.message
        assert float(told[1]) == pytest.approx(left, abs=0.1)


def test_travels_that_contradict_each_other_share_the_misfit() -> None:
    asked = ", first.travel = 3 cm, between.travel = 2 cm, second.travel = 8 cm"
    message = refused(asked, kind="slider")
    assert found(message, "first.travel", "m") == pytest.approx((0.03, 0.04), abs=1e-6)
    assert found(message, "between.travel", "m") == pytest.approx((0.02, 0.03), abs=1e-6)
    assert found(message, "second.travel", "m") == pytest.approx((0.08, 0.07), abs=1e-6)


def test_places_that_a_body_cannot_have_at_once_are_told_beside_where_it_comes() -> None:
    """Ends 40 cm apart are asked 50 cm apart: 5 cm at either."""
    message = refused(placed="place one by one.a at (0, 0, 0), one.b at (0, 50 cm, 0)")
    assert "place one.b " in message
    told = re.findall(r"place one\.(\w) .*: \((.*)\) m asked, \((.*)\) m at the least gap", message)
    places = {name: [[float(x) for x in each.split(", ")] for each in two] for name, *two in told}
    assert places["b"][0] == [0, 0.5, 0]
    assert places["b"][1] == pytest.approx([0, 0.45, 0], abs=1e-6)


def test_a_body_placed_off_its_hinge_is_told_with_both_ends() -> None:
    """What stays in place keeps its end at 10 cm; a bar between takes half of the way."""
    message = refused(placed="place one by one.a at (10 cm, 0, 0) turned 30 deg about z")
    assert "between  (<text>:12:5): its ends stand at (0.05, 0, 0) m and (0.1, 0, 0) m" in message
    assert "second  (<text>:13:5): its ends stand at (0.05, 0, 0) m and (0, 0, 0) m" in message
