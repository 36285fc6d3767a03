"""Components, definitions and clauses of a text written anew; all else stays as it was."""

import pytest

import articulata as art
from articulata.errors import WorldError
from articulata.world.writing.room_texts import (
    Written,
    items_of,
    with_clause,
    with_components,
    with_primitive,
)

TEXT = """# my room
import "furniture.art"

primitive ground_slab { properties: (fixed); geometry: cuboid(3 m, 10 cm, 3 m) }

world room {
  gravity: (0, -9.81, 0)
  components
    floor: ground_slab
    # beside the door
    a, b: basin   # a pair
    seat[1..2]: shower_seat
    toilet: toilet  # the last
  structure {
    place floor by floor.center at (0, -5 cm, 0)
    place a by a.foot at (0, 0, 1 m), properties: (color: red)
    place b by b.foot at (1 m, 0, 1 m)
    for i in 1..2 { place seat[i] by seat[i].foot at (i * 1 m, 0, -1 m) }
    place toilet by toilet.foot at (2 m, 0, 1 m)  # here
  }
}

reach room {
  person: person(1.70 m, woman) on foot # she
  objects: a.lever, toilet.flush finger pointing y
}
"""


def test_one_of_a_pair_gets_an_entry_of_its_own_and_comments_stay() -> None:
    text = with_components(art.parse(TEXT), "room", {"a": Written("basin(wide: 60 cm)")})
    assert text == TEXT.replace(
        "    a, b: basin   # a pair", "    a: basin(wide: 60 cm)\n    b: basin   # a pair"
    )
    bodies = art.parse(text).world("room").bodies
    assert {name: bodies[name].shape.parts[0].shape.shape.x for name in "ab"} == {
        "a": 0.6,
        "b": 0.55,
    }


def test_one_goes_and_another_comes() -> None:
    said = {
        "toilet": None,
        "rail": Written("rail(1 m)", "place rail by rail.foot at (0, 0, 0)"),
    }
    document = art.parse(TEXT)
    text = with_components(document, "room", said)
    assert "toilet: toilet" not in text
    assert "place toilet" not in text
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index("seat[1..2]: shower_seat") + 1] == "rail: rail(1 m)"
    assert lines[lines.index("place rail by rail.foot at (0, 0, 0)") + 1] == "}"
    text = with_clause(art.parse(text), document.module.requests[0], "objects", [])
    assert "# my room" in text
    assert "# beside the door" in text


def test_what_joins_a_component_comes_and_goes_with_it() -> None:
    said = {
        "lid": Written(
            "shelf",
            "place lid by lid.foot at (0, 0, 0)",
            "join lid to toilet with pin(axis: y) as lid_pin matching (foot, rim)",
        )
    }
    text = with_components(art.parse(TEXT), "room", said)
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index(said["lid"].place) + 1] == said["lid"].join
    other = {"lid": Written(join="join lid to a with pin(axis: x) as lid_pin matching (foot, rim)")}
    changed = with_components(art.parse(text), "room", other)
    assert changed == text.replace(said["lid"].join, other["lid"].join)
    assert with_components(art.parse(changed), "room", {"lid": None}) == TEXT
    # what is joined to something that goes is joined no more
    gone = with_components(art.parse(text), "room", {"toilet": None})
    assert "join" not in gone
    assert "place lid" in gone


def test_clauses_are_changed_added_and_taken_away() -> None:
    document = art.parse(TEXT)
    request = document.module.requests[0]
    assert items_of(document, request, "objects") == ["a.lever", "toilet.flush finger pointing y"]
    text = with_clause(document, request, "objects", ["b.rim"])
    assert text == TEXT.replace("a.lever, toilet.flush finger pointing y", "b.rim")
    text = with_clause(document, request, "objects", [])
    assert text == TEXT.replace("  objects: a.lever, toilet.flush finger pointing y\n", "")
    text = with_clause(document, request, "approach", ["from a"])
    assert text == TEXT.replace("pointing y\n", "pointing y\n  approach: from a\n")


def test_a_primitive_is_written_anew_where_it_stands() -> None:
    text = with_primitive(art.parse(TEXT), "ground_slab", "primitive ground_slab { x }")
    assert text.splitlines()[3] == "primitive ground_slab { x }"
    with pytest.raises(WorldError, match="there is no primitive 'basin' in"):
        with_primitive(art.parse(TEXT), "basin", "")


def test_what_is_one_of_several_is_left_to_its_writer() -> None:
    with pytest.raises(WorldError, match="'seat' is one of several; change it in the text"):
        with_components(art.parse(TEXT), "room", {"seat": None})
