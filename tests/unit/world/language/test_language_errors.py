"""Every planted error is found where a person would point, with what to do, and alone."""

from __future__ import annotations

import json
import math

import pytest

from articulata.errors import Diagnostic, WorldError
from articulata.world.document import parse
from articulata.world.language.checking.check import diagnose
from articulata.world.language.diagnostics import CODES, as_json, render, summary
from articulata.world.language.meant_words import closest, distance
from articulata.world.language.source import Source

from .planted import BASE, PLANTS, planted


def errors(text: str) -> list[Diagnostic]:
    return [each for each in diagnose(text)[1] if each.severity == "error"]


def test_the_text_without_mistakes_has_none() -> None:
    assert diagnose(BASE)[1] == ()


@pytest.mark.parametrize(
    ("old", "new", "hint"), [each[1:] for each in PLANTS], ids=[each[0] for each in PLANTS]
)
def test_a_planted_error_is_found_where_it_is(old: str, new: str, hint: str) -> None:
    text, line, column = planted(old, new)
    found = errors(text)
    assert [(each.line, each.column) for each in found] == [(line, column)]
    assert hint in found[0].suggestion
    assert found[0].code in CODES


def test_many_errors_in_one_text_are_all_found_in_one_pass() -> None:
    """One plant in every definition: each is found, and nothing else."""
    names = ("let-unknown", "shape", "dynamics-field", "join-hinge-dotted", "hinge-surface",
             "figure-joint", "place-name", "report-every", "pose-figure")  # fmt: skip
    plants = {each[0]: each for each in PLANTS}
    marked = BASE
    for name in names:
        _, old, new, _ = plants[name]
        marked = marked.replace(old, new)
    places = []
    for number, line in enumerate(marked.splitlines(), 1):
        if "¦" in line:
            places.append((number, line.index("¦") + 1))
    assert len(places) == len(names)
    assert [(each.line, each.column) for each in errors(marked.replace("¦", ""))] == places


def test_a_finding_is_shown_with_its_line_and_a_caret() -> None:
    text = 'import "a.art" as a\nprimitive p {\n\tgeometry: cubiod(1, 2, 3)\n}\n'
    _, found = diagnose(text, "p.art")
    assert render(found, Source(text, "p.art")).splitlines() == [
        "p.art:3:12: error: there is no function 'cubiod' [unknown-function]",
        "  3 | \tgeometry: cubiod(1, 2, 3)",
        "    | \t          ^^^^^^",
        "    = did you mean 'cuboid'?",
    ]


def test_findings_as_json_have_the_documented_fields() -> None:
    _, found = diagnose("let a = b", "a.art")
    (row,) = json.loads(as_json(found))
    assert row == {
        "file": "a.art",
        "line": 1,
        "column": 9,
        "severity": "error",
        "code": "unknown-name",
        "message": "'b' is not defined",
        "suggestion": row["suggestion"],
    }
    assert json.loads(as_json(())) == []


def test_the_summary_counts_in_words() -> None:
    assert summary(()) == "no errors"
    assert summary(diagnose("let a = b")[1]) == "1 error"


def test_a_text_beyond_help_does_not_flood() -> None:
    _, found = diagnose("\n".join(f"let a{i} = b{i}" for i in range(1000)))
    assert len(found) == 201
    assert found[-1].code == "too-many"


@pytest.mark.parametrize(
    ("word", "candidates", "expected"),
    [
        ("cubiod", ("cuboid", "sphere"), "cuboid"),
        ("top_hingpoint", ("bottom_hingepoint", "top_hingepoint"), "top_hingepoint"),
        ("xyzzy", ("cuboid", "sphere"), ""),
        ("Cuboid", ("cuboid",), "cuboid"),
        ("anim", ("animation", "events"), "animation"),
        ("", ("a",), ""),
        ("washbasin", ("tiles", "wall", "basin"), "basin"),
        ("wall_cupboard", ("wall", "cupboard", "basin"), "cupboard"),
        ("knee_angle_r", ("sacroiliac", "r_knee_flexion", "l_knee_flexion"), "r_knee_flexion"),
        ("L5S1_compression", ("discomfort", "torque", "lumbar_load"), "lumbar_load"),
    ],
)
def test_the_closest_word_is_suggested(
    word: str, candidates: tuple[str, ...], expected: str
) -> None:
    assert closest(word, candidates) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("kitten", "sitting", 3), ("ab", "ba", 1), ("", "abc", 3), ("same", "same", 0), ("a", "b", 1)],
)
def test_distance_counts_letters(a: str, b: str, expected: int) -> None:
    assert distance(a, b, 5) == expected
    assert distance(b, a, 5) == expected


def test_a_turn_a_second_may_be_an_angle_over_a_time() -> None:
    text = """primitive b { geometry: sphere(1); dynamics: (mass: 1, inertia: (1, 1, 1)) }
    world w { components b: b
    structure { place b by b.center at (0, 0, 0), velocity = ((0, 0, 0) (0, 0, 2*pi)) } }"""
    with pytest.raises(WorldError, match="an angle over a time, as in 2") as caught:
        parse(text).world("w")
    assert caught.value.diagnostics[0].code == "wrong-dimension"
    world = parse(text.replace("2*pi", "2*pi / 1 s")).world("w")
    assert world.bodies["b"].rate == pytest.approx((0, 0, 2 * math.pi))


def test_a_point_mass_is_told_what_to_write() -> None:
    text = "primitive b { geometry: sphere(1); dynamics: (mass: 1, inertia: (1, 0, 1)) }"
    with pytest.raises(WorldError, match="such as 1e-6 of the others"):
        parse(text + "\nworld w { components b: b }").world("w")


def test_a_hinge_is_no_feature_to_place_things_by() -> None:
    text = """
    primitive rod {
      geometry: cuboid(1 m, 10 cm, 10 cm) where { a: (-50 cm, 0, 0); b: (50 cm, 0, 0) }
    }
    composite leg {
      components { upper, lower: rod }
      structure { join upper to lower with pin(axis: z) as knee matching (b, a) }
    }
    world w { components { f: leg }; structure { place f by f.knee at (0, 1 m, 0) } }
    """
    found = parse(text).check()
    assert [(each.code, each.message) for each in found] == [
        ("wrong-kind", "'f.knee' is a hinge, where a feature is due")
    ]


@pytest.mark.parametrize(
    ("given", "meant"),
    [("Ns/m", "N*s/m"), ("kNs/m", "kN*s/m"), ("Nm", "N*m"), ("Nm/rad", "N*m/rad"),
     ("Nms/rad", "N*m*s/rad"), ("Ns", "N*s")],
)  # fmt: skip
def test_a_unit_without_signs_is_written_whole(given: str, meant: str) -> None:
    text = f"let c = 50 {given}\nlet d = 3 {given}\n"
    found = parse(text).check()
    assert [each.suggestion for each in found] == [f"write '{meant}'"] * 2
    assert (found[0].column, found[0].end_column) == (12, 12 + len(given))
    assert parse(text.replace(given, meant)).check() == ()
