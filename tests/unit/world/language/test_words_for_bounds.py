"""Arguments of figures: bare numbers where a number is due, words for the bounds of a parameter."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.sessions.track.tracked_figures import choice_of
from articulata.world.requests.choices import FigureChoice

ROOM = """
world w {{ gravity: (0, 0, -9.81)
  components {{ floor: ground; anna: {inside} }}
  structure {{ place floor by floor.top at (0, 0, 0) turned 90 deg about x }}
}}
reach w {{ person: {asked}; points: grid 50 cm in floor }}
"""
UNITS = ("", "units: metre, kilogram, second, degree", "units: millimetre, gram, second, degree")
DOLL = "figure doll(size = 0.4, legs = 2 + 2) { components b: person }\n"


def choice(text: str) -> FigureChoice:
    (request,) = art.parse(text).requests
    return request.question.people[0].figure  # type: ignore[union-attr]


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize(
    ("asked", "arguments"),
    [
        ("person(1.62 m, sex: 1)", (("", 1.62), ("sex", 1.0))),
        ("person(1.62 m, woman)", (("", 1.62), ("sex", "woman"))),
        ('person(man, 1.62 m, 61 kg)', (("sex", "man"), ("", 1.62), ("", 61.0))),
        ("person(sex: woman, height: 1.7 m)", (("sex", "woman"), ("height", 1.7))),
    ],
)  # fmt: skip
def test_a_person_is_asked_for_in_every_file(
    units: str, asked: str, arguments: tuple[tuple[str, float | str], ...]
) -> None:
    text = units + ROOM.format(inside="person(1.62 m, woman)", asked=asked)
    assert art.parse(text).check(starts=False) == ()
    assert choice(text).arguments == arguments


def test_a_bare_number_is_what_its_parameter_is() -> None:
    text = UNITS[2] + ROOM.format(inside="person", asked="person(1620, sex: 0.5)")
    assert choice(text).arguments == (("", pytest.approx(1.62)), ("sex", 0.5))
    doll = f"{UNITS[2]}\n{DOLL}track t {{ figure: doll(3, 4); from: emulator }}"
    (request,) = art.parse(doll).requests
    assert request.question.figure.arguments == (("", 3.0), ("", 4.0))  # type: ignore[union-attr]


def test_a_word_is_the_number_that_it_stands_for() -> None:
    said = art.figure("person", height=1.62, sex="woman")
    numbers = art.figure("person", height=1.62, sex=1)
    other = art.figure("person", "", 1.62, "man")
    q = np.zeros(said.dof)
    assert np.array_equal(said.poses(q), numbers.poses(q))
    # both sexes differ by centimetres at one stature
    assert np.abs(said.poses(q) - other.poses(q)).max() > 0.01
    world = art.parse(ROOM.format(inside="person(1.62 m, woman)", asked="person")).world("w")
    same = art.parse(ROOM.format(inside="person(1.62 m, sex: 1)", asked="person")).world("w")
    assert world.figures["anna"] == same.figures["anna"]
    assert choice_of("person(1.62 m, woman)").named == {"sex": "woman"}


def test_a_name_of_the_text_goes_before_a_word() -> None:
    text = "let man = 1.9 m\n" + ROOM.format(inside="person(man, woman)", asked="person")
    tall = ROOM.format(inside="person(1.9 m, woman)", asked="person")
    assert art.parse(text).check(starts=False) == ()
    anna = art.parse(text).world("w").figures["anna"]
    assert anna == art.parse(tall).world("w").figures["anna"]


@pytest.mark.parametrize(
    ("inside", "code", "advice"),
    [
        ("person(1.62 m, female)", "unknown-word", "did you mean 'woman'?"),
        ("person(1.62 m, sex: wumman)", "unknown-word", "did you mean 'woman'?"),
        ("person(1.62 m, woman, man)", "duplicate", "remove one of them"),
        ("person(woman, 1.62 m, 60 m)", "wrong-dimension", "write a mass"),
    ],
)
def test_a_wrong_word_is_told_with_those_that_are_known(
    inside: str, code: str, advice: str
) -> None:
    for places in ({"inside": inside, "asked": "person"}, {"inside": "person", "asked": inside}):
        text = ROOM.format(**places)
        (finding,) = art.parse(text).check(starts=False)
        assert finding.code == code
        assert finding.suggestion.startswith(advice)
    with pytest.raises(art.WorldError, match="the words man, woman, not 'female'"):
        art.figure("person", sex="female")


def test_words_for_bounds_are_printed_and_missing_signs_are_told() -> None:
    text = "world w(hand: number within (0, 1) called (left, right) = 0) {\n}\n"
    text += "simulate w(right) { time: (1 s, 2 s) }\n"
    document = art.parse(text)
    assert document.requests[0].arguments == (1.0,)
    assert "within (0, 1) called (left, right) = 0" in document.text
    assert art.parse(document.text).text == document.text
    broken = art.parse(text.replace("(left, right)", "(left right)")).check(starts=False)
    assert [(each.line, each.code) for each in broken if each.severity == "error"] == [
        (1, "missing-sign")
    ]
