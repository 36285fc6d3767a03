"""Habits of other languages: one finding each, where it stands, with what to write instead."""

from __future__ import annotations

import time

import pytest

from articulata.world.document import parse
from articulata.world.language.meant_words import OTHER_WORDS, closest, other_word
from articulata.world.language.source import Source
from articulata.world.language.syntax.habits import decimal_comma, mended

SWING = """units: metre, kilogram, second, degree
let steel = material(density: 7850 kg/m^3)
primitive rod(length: length = 0.5 m, width: length = 5 cm) {
  properties: (material: steel, color: red)
  geometry: cuboid(width, length, width) where { top: (0, length/2, 0); bottom: (0, -length/2, 0) }
  dynamics
}
composite pendulum(n = 3) {
  components { anchor: fixed_point; rod[1..n]: rod }
  structure {
    join rod[1] to anchor with pin(axis: z) as hook matching (top, center) breaks at 9 kN
    for i in 2..n { join rod[i] to rod[i-1] with pin(axis: z) matching (top, bottom) }
  }
}
world swing(start = 90) {
  gravity: (0, -9.81, 0)
  components p: pendulum(3)
  structure { place p by p.anchor at (0, 2, 0), p.hook.angle = start }
}
simulate swing(60) { time: (1 ms, 10 s); report: monitor p.hook.angle }
"""


@pytest.mark.parametrize(
    ("right", "wrong", "column_of", "advice"),
    [
        ("color: red", "color: #ff0000", "#ff", "write (1, 0, 0)"),
        ("color: red", "colour: #ff0000", "colour", "write color: (1, 0, 0)"),
        ("7850 kg", "7_850 kg", "7_850", "write 7850"),
        ("7850 kg", "0x1eaa kg", "0x1eaa", "write 7850"),
        ("7850 kg", "0_7850 kg", "0_7850", "write 7850"),
        ("start = 90", "start = 90 if n > 1 else 0", "90 if", "write choose(n > 1, 90, 0)"),
        ("angle = start", "angle = lambda t: start", "lambda", "write the value itself"),
        ("color: red", "color: f'red'", "f'red'", "write red"),
        ("color: red", "color: #3f8", "#3f8", "write (0.2, 1, 0.533)"),
        ("length = 0.5 m", "length = 0,5 m", ",5 m", "write 0.5"),
        ("at (0, 2, 0)", "at (0, 2,5 m, 0)", ",5 m", "write 2.5"),
        ("kg/m^3", "kg/m**3", "kg/m**3", "write kg/m^3"),
        ("cuboid(width, length,", "cuboid(width, math.sqrt(2),", "math.", "did you mean 'sqrt'?"),
        ("angle = start", "angle == start", "== start", "write '='"),
        ("rod[1..n]: rod", "rod[1:n]: rod", ":n]", "write '..'"),
        ("let steel", "import numpy as np\nlet steel", "import", "remove this line"),
        ("let steel", "from math import pi\nlet steel", "from", "remove this line"),
        ("in 2..n", "in range(2, n)", "range", "write 2..n-1"),
        ("in 2..n", "in range(2, n + 1)", "range", "write 2..n"),
        ("in 2..n", "in range(n)", "range", "write 1..n"),
        ("in 2..n", "in range(2, n, 2)", "range", "write 0..(n - 2)/2 - 1, and 2 + 2*i"),
        ("breaks at 9 kN", "breaks at 9 kN driven by 5 N*m", "5 N*m", "write force drive about"),
        ("breaks at 9 kN", "breaks 9 kN", " 9 kN", "add 'at' here"),
        ("place p by p.anchor at", "place p at", "at (0, 2", "write place p by p.center at"),
        ("kg/m^3", "kg/m3", "m3", "write kg/m^3"),
        ("pin(axis: z) as", "pin(axis z) as", " z) as", "add ':' here"),
        ("rod[1..n]: rod", "rod rod[1..n]", "rod rod[", "write"),
        ("p: pendulum(3)", "pendulum p(3)", "pendulum p", "write p: pendulum"),
    ],
)
def test_one_habit_gives_one_finding(right: str, wrong: str, column_of: str, advice: str) -> None:
    assert parse(SWING).check() == ()
    text = SWING.replace(right, wrong, 1)
    at = text.index(column_of, text.index(wrong))
    (finding,) = (each for each in parse(text).check() if each.severity == "error")
    assert finding.line == text.count("\n", 0, at) + 1
    assert finding.column == at - text.rfind("\n", 0, at)
    assert finding.suggestion.startswith(advice)


def test_pi_over_two_is_a_quarter_turn_and_lengths_beyond_sense_are_warned_of() -> None:
    quarter = parse(SWING.replace("swing(60)", "swing(pi/2)"))
    assert quarter.requests[0].arguments == (pytest.approx(1.5707963267948966),)
    assert quarter.check() == ()
    (finding,) = parse(SWING.replace("length = 0.5 m", "length = 500")).check()
    assert (finding.severity, finding.code, finding.line) == ("warning", "out-of-scale", 3)
    assert SWING.replace("0.5 m", "500").splitlines()[2][finding.column - 1 :].startswith("500")
    assert finding.suggestion.endswith("500 mm")
    assert parse(SWING.replace("length = 0.5 m", "length = 20 m")).check() == ()


@pytest.mark.parametrize(
    "text",
    [
        "# a person's arm, 2**3, #ff0000, import numpy\nlet a = 1 m\n",
        '-- color: #ff0000 is a comment\nlet a = "it\'s 2**3"\n',
        "let red_one = 2 -- it isn't '5'\n",
    ],
)
def test_comments_and_texts_are_left_alone(text: str) -> None:
    assert mended(Source(text), range(1, text.count("\n") + 2)) == (text, ())
    assert parse(text).check() == ()


def test_what_is_mended_keeps_its_length() -> None:
    text = "import numpy\nlet a = 2**3\nlet b = 'red'\n<body name='x'/>\n"
    changed, found = mended(Source(text), range(1, 5))
    assert len(changed) == len(text)
    assert [each.span for each in found] == [
        (0, 12), (text.index("2**3"), text.index("2**3") + 4),
        (text.index("'red'"), text.index("'red'") + 5),
        (text.index("<body"), len(text) - 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("(0, 2,5 m, 0)", "2.5"), ("0,5", "0.5"), ("(1, 2, 3)", ""), ("(0,2,0)", ""),
        ("a[1,2]", "1.2"), ("(0, 1..2,3)", ""),
    ],
)  # fmt: skip
def test_a_comma_for_a_point_differs_from_those_between_values(text: str, meant: str) -> None:
    found = decimal_comma(text, 0, len(text))
    assert (found.suggestion if found else "") == (f"write {meant}" if meant else "")


def test_words_of_other_programs_lead_to_ours_where_they_are_known() -> None:
    assert closest("box", ("cuboid", "sphere")) == "cuboid"
    assert closest("fps", ("frames", "from")) == "frames"
    assert closest("joints", ("components", "structure")) == "structure"
    assert other_word("box", ("sphere",)) == ""
    assert all(word == word.lower() and meant for word, meant in OTHER_WORDS.items())


def test_a_member_of_xml_among_components_hides_nothing() -> None:
    text = SWING.replace("rod[1..n]: rod }", 'rod[1..n]: rod\n<body name="bob"/>\n}')
    text = text.replace("breaks at 9 kN", "breaks at 9 kN\n    ignore bob with rod[1]")
    assert [each.message for each in parse(text).check()] == ["this is XML, and no statement"]


def test_long_texts_are_looked_through_at_once() -> None:
    began = time.process_time()
    for text in ("\n" * 50_000, "\n \t" * 20_000, f"import a{' ' * 50_000}x", "a**" * 20_000,
                 "'" * 50_000, "color " * 20_000, "from a import b\n" * 1_000):  # fmt: skip
        source = Source(text)
        mended(source, range(1, len(source.starts) + 1))
    assert time.process_time() - began < 5.0
