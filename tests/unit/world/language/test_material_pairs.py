"""``contact A with B``: read, checked, printed, written, edited, built in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from articulata.errors import WorldError
from articulata.geometry.shapes import Cuboid
from articulata.world.builder import Builder
from articulata.world.contact_pairs import MaterialPair, pair_between
from articulata.world.document import parse, read
from articulata.world.edits.pair_edits import RemovePair, SetPair
from articulata.world.edits.transaction import inverse_of
from articulata.world.plain_data import from_data, to_data
from articulata.world.writing.worlds import art_text

MATERIALS = """
units: millimetre, kilogram, second, degree
let steel = material(density: 7850 kg/m^3)
let rubber = material(density: 1100 kg/m^3, friction: 0.9)
"""
WORLD = """
primitive block { properties: (material: steel); geometry: cuboid(200, 100, 200); dynamics }
world w {
  components { floor: ground; b: block }
  structure { place b by b.center at (0, 50, 0) }
}
"""
LONG = (
    "contact steel with rubber: (friction: 0.3 + 0.1 s/m * speed, static_friction: 0.5, "
    "restitution: exp(-speed / (2 m/s)), stiffness: 1e6 N/m, shear_stiffness: 2 N/mm)"
)


def written(*contacts: str) -> str:
    return "\n".join([MATERIALS, *contacts, WORLD])


def test_a_pair_holds_si_values_and_programs_of_speed():
    (pair,) = parse(written(LONG)).world("w").pairs
    assert (pair.first, pair.second) == ("steel", "rubber")
    assert pair.friction == (
        ("push", 0.3),
        ("push", 0.1),
        ("speed", 0.0),
        ("mul", 0.0),
        ("add", 0.0),
    )
    assert pair.restitution is not None
    assert (pair.static_friction, pair.stiffness, pair.shear_stiffness) == (0.5, 1e6, 2000.0)
    assert pair.span.line == 6


@pytest.mark.parametrize("contact", [LONG, "contact block with ground: (friction: 0.25)"])
def test_texts_of_a_pair_read_back_equal(contact):
    document = parse(written(contact))
    again = parse(document.text)
    assert again.text == document.text
    world = document.world("w")
    assert again.world("w") == world
    assert parse(art_text(world)).world("w") == world
    assert from_data(to_data(world.pairs[0])) == world.pairs[0]


@pytest.mark.parametrize(
    ("contact", "code", "column", "hint"),
    [
        ("contact steel with ruber: (friction: 0.3)", "unknown-name", 20, "'rubber'"),
        ("contact steel with rubber: (fricton: 0.3)", "unknown-option", 29, "'friction'"),
        ("contact steel with rubber: (friction: 2 kg)", "wrong-dimension", 39, ""),
        ("contact steel with rubber: (friction: distance)", "unknown-name", 39, "'speed'"),
        ("contact steel with rubber: (stiffness: speed * 1 kg/s)", "unknown-name", 40, ""),
        ("contact steel with rubber: (restitution: 1.5)", "out-of-range", 42, ""),
        ("contact steel with rubber: (friction: -1)", "negative", 39, ""),
        ("contact steel with rubber: (stiffness: 0 N/m)", "not-positive", 40, ""),
        ("contact steel with rubber: (friction: 5, static_friction: 4)", "wrong-order", 1, ""),
        ("contact steel with w: (friction: 1)", "wrong-kind", 20, ""),
        ("contact steel rubber: (friction: 1)", "missing-word", 14, "'with'"),
        ("contact steel with rubber (friction: 1)", "missing-sign", 26, "':'"),
        ("contact steel with rubber: ()", "empty", 1, ""),
        ("contact steel with rubber: (friction: 1, friction: 2)", "duplicate", 42, ""),
        ("contact steel with rubber:", "missing-value", 27, "friction"),
    ],
)
def test_errors_stand_where_they_are_and_say_what_to_write(contact, code, column, hint):
    (found,) = parse(written(contact)).check()
    assert (found.code, found.line, found.column) == (code, 6, column)
    assert hint in found.suggestion
    assert found.suggestion


def test_the_same_pair_twice_is_an_error():
    twice = ("contact steel with rubber: (friction: 1)", "contact rubber with steel: (friction: 2)")
    (found,) = parse(written(*twice)).check()
    assert (found.code, found.line) == ("duplicate", 7)


def test_imports_bring_their_pairs_and_the_file_itself_counts(tmp_path: Path):
    (tmp_path / "materials.art").write_text(
        "let steel = material(density: 7850)\nlet rubber = material(density: 1100)\n"
        "contact steel with rubber: (friction: 0.4)\ncontact steel with steel: (friction: 0.1)\n"
    )
    (tmp_path / "w.art").write_text(
        'import "materials.art" as m\ncontact m.rubber with m.steel: (friction: 0.7)\n'
        "primitive b { properties: (material: m.steel); geometry: sphere(1); dynamics }\n"
        "world w { components b: b }\n"
    )
    pairs = read(tmp_path / "w.art").world("w").pairs
    assert {pair.key: pair.friction for pair in pairs} == {
        frozenset(("steel", "rubber")): 0.7,
        frozenset(("steel",)): 0.1,
    }


def test_types_come_before_materials():
    pairs = (
        MaterialPair("rubber", "steel", friction=0.1),
        MaterialPair("shoe", "steel", friction=0.2),
        MaterialPair("plate", "shoe", friction=0.3),
    )
    plate, shoe = ("plate", "steel"), ("shoe", "rubber")
    for count, friction in ((1, 0.1), (2, 0.2), (3, 0.3)):
        found = pair_between(pairs[:count], shoe, plate)
        assert found is not None
        assert found.friction == friction
        assert pair_between(pairs[:count], plate, shoe) == found
    assert pair_between(pairs, ("ball", ""), ("floor", "")) is None


def test_edits_of_pairs_undo_exactly():
    world = parse(written(LONG, "contact block with ground: (friction: 0.25)")).world("w")
    edits = (
        SetPair(MaterialPair("rubber", "steel", friction=0.1)),
        SetPair(MaterialPair("rubber", "ground", restitution=0.5)),
        RemovePair("ground", "block"),
    )
    after = world.edit(edits)
    assert [sorted(pair.key) for pair in after.pairs] == [["rubber", "steel"], ["ground", "rubber"]]
    assert after.edit(inverse_of(world, edits)) == world
    assert all(from_data(to_data(edit)) == edit for edit in edits)
    with pytest.raises(WorldError, match=r"nothing is said of contact block with rubber"):
        world.edit([RemovePair("block", "rubber")])


@pytest.mark.parametrize(
    "values",
    [
        {"friction": float("nan")},
        {"friction": -0.1},
        {"restitution": 1.1},
        {"stiffness": 0.0},
        {"shear_stiffness": 0.0},
        {"static_friction": "rough"},
        {"friction": 0.5, "static_friction": 0.4},
    ],
)
def test_a_pair_that_cannot_be_is_refused(values):
    with pytest.raises(WorldError, match="steel with ice"):
        MaterialPair("steel", "ice", **values)


def test_the_builder_writes_the_same_pair():
    builder = Builder("w")
    steel = builder.material("steel", density=7850)
    builder.contact(steel, "ground", friction="0.3 + 0.1 s/m * speed", restitution=0.5)
    builder.add("b", builder.primitive("block", Cuboid(1, 1, 1), material=steel))
    (pair,) = builder.world().pairs
    assert pair.restitution == 0.5
    assert isinstance(pair.friction, tuple)


OILED = """
simulate w {
  time: (0.1 s, 1 s)
  on time 0.5 s {
    contact steel with ground: (friction: 0.05)
    stop
  }
  on time 0.2 s: contact block with ground: (friction: 0.1)
}
"""


def test_a_clause_may_say_anew_what_two_materials_do():
    document = parse(written(LONG) + OILED)
    assert parse(document.text).text == document.text
    (request,) = document.requests
    (first, _), (second,) = (rule.actions for rule in request.rules)
    assert first.edits == (SetPair(MaterialPair("steel", "ground", friction=0.05)),)
    assert second.edits == (SetPair(MaterialPair("block", "ground", friction=0.1)),)
    (found,) = parse(written(LONG) + OILED.replace("block with", "blok with")).check()
    assert (found.code, found.suggestion) == ("unknown-name", "did you mean 'block'?")
