"""Reading whole texts: the 1986 listing as printed, the modern writing, and their equivalence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from articulata.world.language.syntax import tree
from articulata.world.language.syntax.parse import parse
from articulata.world.language.syntax.printer import print_file

EVERY_CONSTRUCT = (Path(__file__).parent / "every_construct.art").read_text(encoding="utf-8")


def read(text: str) -> tree.File:
    file, found = parse(text)
    assert found == ()
    return file


@pytest.fixture(scope="module")
def listing(material: Path) -> str:
    """Section 6 of the 1986 report, as printed."""
    program = material / "reference" / "printed_program.py"
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.material
def test_the_1986_listing_is_read_as_printed(listing: str) -> None:
    file = read(listing)
    assert [(type(item).__name__, item.name) for item in file.items] == [  # type: ignore[union-attr] # all items here are named
        ("Primitive", "rod"),
        ("Primitive", "driver"),
        ("Composite", "linkage"),
        ("World", "example"),
        ("Request", "example"),
    ]
    linkage = file.items[2]
    assert isinstance(linkage, tree.Composite)
    assert [join.hinge.text for join in linkage.structure if isinstance(join, tree.Join)] == [
        "ball.and.socket"
    ] * 3
    world = file.items[3]
    assert isinstance(world, tree.World)
    (placing,) = world.structure
    assert isinstance(placing, tree.Place)
    assert [type(clause) for clause in placing.clauses] == [
        tree.PlaceAt,
        tree.PlaceSet,
        tree.Properties,
    ]


@pytest.mark.material
def test_printing_the_listing_is_a_fixed_point(listing: str) -> None:
    file = read(listing)
    text = print_file(file)
    assert read(text) == file
    assert print_file(read(text)) == text


def test_printing_every_construct_is_a_fixed_point() -> None:
    file = read(EVERY_CONSTRUCT)
    text = print_file(file)
    assert read(text) == file
    assert print_file(read(text)) == text


def test_begin_end_is_braces() -> None:
    modern = EVERY_CONSTRUCT.replace("{", "begin").replace("}", "end")
    assert read(modern) == read(EVERY_CONSTRUCT)


def test_spans_lead_back_to_the_text() -> None:
    file = read(EVERY_CONSTRUCT)
    for node in tree.walk(file):
        if isinstance(node, tree.Path):
            start, end = node.span
            assert EVERY_CONSTRUCT[start:end].replace(" ", "").startswith(node.parts[0].name)
        if isinstance(node, tree.Join):
            assert EVERY_CONSTRUCT[node.span[0] :].startswith("join")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", "1 + 2 * 3"),
        ("(1 + 2) * 3", "(1 + 2) * 3"),
        ("2 ^ 3 ^ 2", "2^3^2"),
        ("(2 ^ 3) ^ 2", "(2^3)^2"),
        ("-2 ^ 2", "-2^2"),
        ("(-2) ^ 2", "(-2)^2"),
        ("2 ^ -1", "2^-1"),
        ("1 - (2 - 3)", "1 - (2 - 3)"),
        ("1 - 2 - 3", "1 - 2 - 3"),
        ("- - 1", "-(-1)"),
        ("a - -b", "a - -b"),
        ("1.50 m", "1.5 m"),
        ("90deg", "90 deg"),
        ("2 kg/m^3", "2 kg/m^3"),
        ("3 m / s", "3 m / s"),
        ("1e-3", "0.001"),
        ("(1 2 3)", "(1, 2, 3)"),
        ("(0 -1 0)", "(0, -1, 0)"),
        ("(a - 1, b -1, 0)", "(a - 1, b - 1, 0)"),
        ("((1 2) (3 4))", "((1, 2), (3, 4))"),
        ("f (1, x)", "f(1, x)"),
        ("rod[i-1].top.x", "rod[i - 1].top.x"),
        ("not a and b or c > 1", "not a and b or c > 1"),
        ("not (a and b)", "not (a and b)"),
        ("(a or b) and c", "(a or b) and c"),
        ('"a text"', '"a text"'),
    ],
)
def test_expressions_are_printed_with_the_parentheses_they_need(text: str, expected: str) -> None:
    file, found = parse(f"let a = {text}")
    assert [each for each in found if each.severity == "error"] == []
    printed = print_file(file)
    assert printed == f"let a = {expected}\n"
    assert read(printed) == file


def test_a_line_ends_an_expression_unless_an_operator_ends_the_line() -> None:
    file = read("let a = 1\nlet b = a +\n  2\n")
    assert len(file.items) == 2
    _, found = parse("let a = 1\n  - 2\n")
    assert len(found) == 1


def test_a_unit_belongs_to_the_number_before_it() -> None:
    file = read("let a = (1 m 2 m)\nlet b = 5 s\nlet c = 9 m*s")
    assert [each.value for each in file.items if isinstance(each, tree.Let)] == [
        tree.Tuple((tree.Number(1.0, "m"), tree.Number(2.0, "m"))),
        tree.Number(5.0, "s"),
        tree.Number(9.0, "m*s"),
    ]


COMMENTED = """\
-- about the file

# about the rod
primitive rod {  -- opened
  -- its size
  geometry: cuboid(1, 2, 3) where {  # three edges
    -- its end
    top: (0, 1, 0)  -- up
    -- no more features
  }  -- of the shape
  dynamics  # derived
  -- no more sections
}  -- of the rod

-- a name
let a = (  -- why
  1, 2, 3)

world w {
  gravity: (0, -9.81, 0)  -- down
  -- what is there
  components {
    r: rod  -- one
  }
}
-- the end
"""


KEPT_IN_PLACE = (
    "    top: (0, 1, 0)  -- up",
    "    -- no more features",
    "  }  -- of the shape",
    "}  -- of the rod",
    "  gravity: (0, -9.81, 0)  -- down",
    "-- the end",
)


def test_comments_survive_printing() -> None:
    file = read(COMMENTED)
    text = print_file(file)
    again = read(text)
    assert sorted(each.text for each in again.comments) == sorted(
        each.text for each in file.comments
    )
    assert print_file(again) == text
    for line in KEPT_IN_PLACE:
        assert line in text.splitlines()


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_mean_the_same(end: str) -> None:
    assert read(EVERY_CONSTRUCT.replace("\n", end)) == read(EVERY_CONSTRUCT)


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read("\ufeff" + EVERY_CONSTRUCT) == read(EVERY_CONSTRUCT)


@pytest.mark.parametrize("value", ["(2 m)^2", "2 m ^ 2", "(7850 kg)^1000 / 1 m", "2 m^2", "2^2"])
def test_a_power_of_a_quantity_is_printed_as_it_was_meant(value: str) -> None:
    file, _ = parse(f"let a = {value}\n")
    printed = print_file(file)
    again, findings = parse(printed)
    assert findings == ()
    assert again == file, printed


def test_a_section_after_components_without_braces_may_share_their_line() -> None:
    text = "world w { components a, b: ball; c: rod; structure { ignore a with b } }\n"
    file, findings = parse(text)
    assert findings == ()
    assert file == parse(text.replace("; structure", "\nstructure"))[0]


def test_what_is_known_of_a_text_is_not_read_again() -> None:
    known, _ = parse("let a = 1\nlet b = 2\n")
    text = "let a = 1\nlet b = = 2\nlet c = = 3\nlet d = 4\n"
    file, found = parse(text, kept=known.items[:1], enough=lambda findings: True)
    assert file.items[0] is known.items[0]
    assert [each.line for each in found] == [2]
    assert [each.line for each in parse(text)[1]] == [2, 3]
