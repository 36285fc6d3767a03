"""What other languages write in place of a form is told once, on its line, with what to write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from articulata.errors import Diagnostic
from articulata.world.document import parse
from articulata.world.language.other_words import FORMS

TEXT = """units: metre, kilogram, second, degree
let steel = material(density: 7850 kg/m^3, friction: 0.2)
primitive link(span: length = 30 cm) {
  properties: (material: steel, color: silver)
  geometry: cuboid(span, 2 cm, 2 cm) where {
    near: (-span/2, 0, 0)
    far: (span/2, 0, 0)
  }
  dynamics
}
world running {
  gravity: (0, -9.81, 0)
  components {
    base: fixed_point
    crank: link(10 cm)
    rod: link(30 cm)
  }
  structure {
    join crank to base with pin(axis: z) as main matching (near, center)
    join rod to crank with pin(axis: z) as big_end matching (near, far) limits (-170, 170)
    place crank by main.angle = 30
  }
}
simulate running {
  time: (1 ms, 5 s)
  report: animation every 20 ms, monitor main.angle
}
reach running {
  person: person(1.7 m) on foot
  hands: right, left
}
"""

_PLACE = "place crank by main.angle = 30"


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        # numbers with signs of other people
        ("link(10 cm)", "link(0,1 m)", "0.1"),
        ("person(1.7 m)", "person(P5, woman)", "percentile: 5"),
        ("person(1.7 m)", "person(95th percentile, man)", "percentile: 95"),
        ("person(1.7 m)", "person(child, age: 8 years)", "8"),
        ("time: (1 ms, 5 s)", "time: (5 s, 1 ms)", "(1 ms, 5 s)"),
        ("cuboid(span, 2 cm, 2 cm)", "cuboid(span, 2 cm, 2 cm, pos: (0, 1, 0))", "at (0, 1, 0)"),
        # what stands elsewhere, or is called otherwise
        ("primitive link(", "primitive my link(", "write primitive my_link"),
        ("dynamics\n}", "dynamics: true\n}", "write dynamics"),
        (_PLACE, "motor on main: 60 rpm", "motor(speed: 60 rpm)"),
        (_PLACE, "drive main at 60 rpm", "motor(speed: 60 rpm)"),
        (_PLACE, "friction in main = 1 N*m", "write friction 1 N*m behind 'as main'"),
        (_PLACE, "main.friction: 1 N*m", "write friction 1 N*m behind 'as main'"),
        (_PLACE, "limit main = (0 deg, 90 deg)", "write limits (0 deg, 90 deg) behind 'as main'"),
        (_PLACE, "spring on main: 3 N*m/rad", "force spring about main = -(3 N*m/rad) * angle"),
        (_PLACE, "spring in slide = 3 N/m", "A.center and B.center = 3 N/m * (distance - 10 cm)"),
        (_PLACE, "damping in main = 3 N*m*s", "force damper about main = -(3 N*m*s) * rate"),
        ("time: (1 ms, 5 s)", "time: (1 ms, 5 s) monitor: main.rate", "report: monitor main.rate"),
        ("report: animation every 20 ms,", "", "write report: monitor main.angle"),
        (_PLACE, "gear g between a and b = 20:40", "write 20/40"),
        (_PLACE, "contact link with link: (friction: 1)", "outside"),
        # brackets of another kind
        ("cuboid(span, 2 cm, 2 cm)", "cuboid(size=[span, 2 cm, 2 cm])", "( )"),
        ("cuboid(span, 2 cm, 2 cm)", "cuboid([span, 2 cm, 2 cm])", "remove '['"),
        ("cuboid(span, 2 cm, 2 cm)", "cuboid[span, 2 cm, 2 cm]", "cuboid(span, 2 cm, 2 cm)"),
        ("cuboid(span, 2 cm, 2 cm)", "cuboid{span, 2 cm, 2 cm}", "cuboid(span, 2 cm, 2 cm)"),
        ("link(10 cm)", "link[10 cm]", "link(10 cm)"),
        ("(span: length = 30 cm)", "[span: length = 30 cm]", "'('"),
        ("hands: right, left", "hands: [right, left]", "hands: right, left"),
        ("hands: right, left", "hands: (right, left)", "hands: right, left"),
        ("hands: right, left", "hands:\n    - right\n    - left", "hands: right, left"),
        ("time: (1 ms, 5 s)", "time: {step: 1 ms, end: 5 s}", "time: (1 ms, 5 s)"),
        ("time: (1 ms, 5 s)", "time: (step: 1 ms, end: 5 s)", "(1 ms, 5 s)"),
        ("components {", "components (", "'{'"),
        ("components {", "components:", "components {"),
        ("structure {", "structure", "structure {"),
        # signs and words between values
        ("cuboid(span, 2 cm, 2 cm)", "cuboid(span x 2 cm x 2 cm)", "','"),
        ("cuboid(span, 2 cm, 2 cm)", "cuboid(span; 2 cm; 2 cm)", "','"),
        ("cuboid(span, 2 cm, 2 cm)", 'cuboid(span, 2 "cm", 2 cm)', "2 cm"),
        ("cuboid(span, 2 cm, 2 cm)", "cuboid(span, cm 2, 2 cm)", "2 cm"),
        ("cuboid(span, 2 cm, 2 cm)", 'cuboid(span, 2", 2 cm)', "inch"),
        ("cuboid(span, 2 cm, 2 cm)", "cuboid span, 2 cm, 2 cm", "cuboid(span, 2 cm, 2 cm)"),
        ("cuboid(span, 2 cm, 2 cm)", "cuboid(span, 2 cm, 2 cm) + sphere(1)", "union"),
        ("near: (-span/2, 0, 0)", "near: -span/2, 0, 0", "(-span/2, 0, 0)"),
        ("near: (-span/2, 0, 0)", '"near": (-span/2, 0, 0)', "near"),
        ("near: (-span/2, 0, 0)", "near: (-0.5span, 0, 0)", "0.5*span"),
        ("7850 kg/m^3", "7850 kg per m^3", "kg/m"),
        ("let steel = material", "let steel := material", "="),
        ("let steel = material", "material steel = material", "let steel"),
        ("material: steel, color: silver", "material: steel, fixed: true", "(fixed)"),
        ("material: steel, color: silver", 'material: "steel", color: silver', "steel without"),
        ("join crank to base", "join crank -> base", "to"),
        ("join crank to base", "join crank, base", "'to'"),
        ("as main matching", 'as "main" matching', "main"),
        ("with pin(axis: z) as main", "with pin axis: z as main", "pin(axis: ...)"),
        ("limits (-170, 170)", "limits -170 to 170", "(-170, 170)"),
        ("crank: link(10 cm)", "- crank: link(10 cm)", "remove '-'"),
        ("crank: link(10 cm)", "crank: the link(10 cm)", "remove 'the'"),
        ("primitive link(", "primitive: link(", "remove ':'"),
        # more than an entry takes, words of several, and signs that begin or join no value
        ("hands: right, left", 'load: 1 kg in "right hand"', "write 1 kg"),
        ("hands: right, left", "rules: DIN 18040-2 R", "din_18040_2_2011_r"),
        ("hands: right, left", "hands: right; left", "','"),
        ("base: fixed_point", 'base: "fixed_point"', "write fixed_point"),
        ("base: fixed_point", "base: fixed-point", "write fixed_point"),
        ("cuboid(span, 2 cm, 2 cm)", "cuboid(span, 2*cm, 2 cm)", "write 2 cm"),
        ("material: steel, color: silver", "mass: 12 kg", "dynamics: (mass: 12 kg)"),
        ("(material: steel, color: silver)", "fixed", "write properties: (fixed)"),
        (
            "cuboid(span, 2 cm, 2 cm)",
            "sphere(2 cm) at (0, 1 cm, 0) + sphere(2 cm) at (0, 0, 0)",
            "write union(sphere(2 cm) at (0, 1 cm, 0), sphere(2 cm) at (0, 0, 0))",
        ),
        ("near: (-span/2, 0, 0)", "near: -span/2, 0, 0; up: (0, 1, 0)", "write (-span/2, 0, 0)"),
        (
            "place crank by main.angle = 30",
            "force hold about main = servo(45, 60 N*m, max_effort: 20 N*m)",
            "limit",
        ),
        ("base: fixed_point", "base: fixed_point; low: basin", 'write import "furniture.art"'),
        ("person: person(1.7 m)", "person: 40 males of 1.6 m to 1.8 m", "write 40 men of 1.6 m"),
        (
            "place crank by main.angle = 30",
            "force hold about main = pid(45, 60 N*m)",
            "write servo(45, 60 N*m)",
        ),
        ("primitive link(", "link: primitive(", "primitive link"),
    ],
)
def test_a_foreign_form_is_told_once(right: str, wrong: str, advice: str) -> None:
    assert parse(TEXT).check(starts=False) == ()
    line = TEXT.count("\n", 0, TEXT.index(right)) + 1
    found = parse(TEXT.replace(right, wrong, 1)).check(starts=False)
    assert [each.line for each in found] == [line]
    assert advice in found[0].suggestion


SWING = (Path(__file__).parents[3] / "data" / "planted" / "swing.art").read_text("utf-8")


def pasted(text: str, found: Diagnostic) -> str:
    """Return the text with what is advised to write in the place of what was found."""
    starts = [0, *(i + 1 for i, letter in enumerate(text) if letter == "\n")]
    first = starts[found.line - 1] + found.column - 1
    last = starts[found.end_line - 1] + found.end_column - 1
    return text[:first] + found.suggestion.removeprefix("write ") + text[last:]


@pytest.mark.parametrize("example", [form.example for form in FORMS if form.example])
def test_what_a_row_advises_can_be_pasted(example: str) -> None:
    right, wrong = example.split(" <- ")
    text = SWING.replace(right, wrong, 1)
    assert text != SWING
    assert parse(SWING).check(starts=False) == ()
    found = parse(text).check(starts=False)
    assert [each.line for each in found] == [SWING[: SWING.index(right)].count("\n") + 1]
    if found[0].suggestion.startswith("remove '"):
        found = (replace(found[0], suggestion=""),)
    assert parse(pasted(text, found[0])).check(starts=False) == ()


@pytest.mark.parametrize(("first", "step"), [("1e999 cm", "1 cm"), ("1e999 cm", "1e999 cm")])
def test_steps_that_no_number_counts_end_in_a_finding(first: str, step: str) -> None:
    sweep = f"vary running {{\n  parameters: span from {first} to 90 cm step {step}\n}}\n"
    said = [each.message for each in parse(f"{TEXT}\n{sweep}").check()]
    assert "how many values there are stands behind both ends" in said


def test_parameters_of_a_world_that_is_not_there_end_in_that_finding() -> None:
    sweep = (
        "vary nothere {\n  parameters: span from 1 cm to 9 cm with 3 values\n  measure: energy\n}\n"
    )
    said = [each.message for each in parse(f"{TEXT}\n{sweep}").check(starts=True)]
    assert said[0] == "there is no world 'nothere'"


@pytest.mark.parametrize("between", [" and ", ", and ", " with ", " + ", " "])
def test_balance_stands_behind_a_comma(between: str) -> None:
    line = "one follows up by servo(5*effort, (1 s)*effort)"
    text = "world w {\n components { one: human_upper_body }\n structure {\n%s\n }\n}\n"
    wrong = f"{line}{between}balance(ankle)"
    (comma,) = (each for each in parse(text % wrong).check() if each.line == 4)
    put = comma.suggestion.removeprefix("write ")
    mended = wrong[: comma.column - 1].rstrip() + put + wrong[comma.end_column - 1 :]
    assert mended == f"{line}, balance(ankle)"
    assert "',' stands" not in str(parse(text % mended).check())


@pytest.mark.parametrize(
    ("said", "advice", "law"),
    [
        ("c: damping = 1 mN*m*s", "c: angular_impulse = 1 mN*m*s", "-c * rate"),
        ("c: damping within (0 N*m*s, 1 N*m*s) = 1 N*m*s/rad",
         "c: angular_impulse within (0 N*m*s, 1 N*m*s) = 1 N*m*s/rad", "-c * rate"),
        ("c: stiffness = 5 N*m/rad", "c: torque = 5 N*m/rad", "-c * angle"),
    ],
)  # fmt: skip
def test_damping_of_turning_is_advised_its_kind(said: str, advice: str, law: str) -> None:
    text = TEXT.replace("world running {", f"world running({said}) {{").replace(
        "    place crank", f"    force f about main = {law}\n    place crank"
    )
    (found,) = parse(text).check(starts=False)
    assert found.suggestion == f"write {advice}"
    assert text.splitlines()[found.line - 1][found.column - 1 : found.end_column - 1] == said
    assert not parse(text.replace(said, advice)).check(starts=False)
    along = said.replace("N*m*s/rad", "N*s/m").replace("N*m*s", "N*s/m").replace("N*m/rad", "N/m")
    assert "of turning" not in str(parse(text.replace(said, along)).check(starts=False))
