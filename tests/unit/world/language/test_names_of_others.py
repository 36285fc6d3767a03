"""A name, unit or clause that is not there: the advice names what there is instead."""

from __future__ import annotations

import pytest

from articulata.errors import Diagnostic
from articulata.world.language.checking.check import diagnose

TEXT = """units: metre, kilogram, second, degree
let radius = 20 cm
let tilt = 12 deg
primitive rod { geometry: cuboid(radius, 1, 1); dynamics: (mass: 1) }
figure arm {
  components { base: fixed_point; upper: rod }
  structure { join upper to base with pin(axis: z) as shoulder matching (bottom, center) }
  posture out { shoulder: 20 }
}
world throw(up: angle, v: speed = 6 m/s) {
  components { base: fixed_point; one, two: rod }
  structure {
    place base by base.center at (0, 0, 0)
    join one to base with pin(axis: z) as left matching (bottom, center)
    join two to one with pin(axis: z) as right matching (bottom, top)
    place one by left.angle = up
    place two by right.angle = 5
  }
}
simulate throw(30) { time: (20 ms, 1 s); report: monitor one.v }
vary throw { parameters: up from 20 deg to 60 deg with 9 values; measure: final one.center.x }
"""


def errors(text: str) -> list[Diagnostic]:
    return [each for each in diagnose(text)[1] if each.severity == "error"]


def test_the_text_is_right() -> None:
    assert errors(TEXT) == []


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        ("parameters: up", "parameters: angle", "use up or v"),
        ("out { shoulder: 20", "out { knee: 20", "use shoulder"),
        ("monitor one.v", "monitor one.acceleration", "did you mean 'a'?"),
        ("monitor one.v", "monitor one.height", "did you mean 'center.y'?"),
        ("cuboid(radius", "cuboid(outer_radius", "did you mean 'radius'?"),
        ("tilt = 12 deg", "tilt = 12 deg\nlet rise = sind(tilt)", "write sin(tilt)"),
        ("tilt = 12 deg", "tilt = 12 deg\nlet rise = sind(12)", "write sin(12 deg)"),
        ("6 m/s", "6 mps", "did you mean 'm/s'?"),
        ("(0, 0, 0)", "(0, 0, 0) rpy (0, -15, 0)", "write turned -15 deg about y"),
        ("(0, 0, 0)", "(0, 0, 0) rpy (3, -15, 0)", "write turned 90 deg about y, with"),
        ("measure:", "report:", "; 'report:' belongs to simulate"),
        ("as right", "as left", "such as 'right'"),
    ],
)
def test_the_advice_names_what_there_is(right: str, wrong: str, advice: str) -> None:
    assert right in TEXT
    first, *_ = errors(TEXT.replace(right, wrong, 1))
    assert advice in first.suggestion


def test_a_parameter_that_is_varied_by_a_wrong_name_is_told_once() -> None:
    assert len(errors(TEXT.replace("parameters: up", "parameters: angle"))) == 1


def test_a_decimal_comma_in_a_clause_is_told_as_elsewhere() -> None:
    text = "pose person { person: person(1.7 m); body: standing; load: 4,5 kg in r_grip }"
    assert any(
        each.suggestion == "write 4.5" and "decimal point" in each.message for each in errors(text)
    )
