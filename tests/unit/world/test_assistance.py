"""What an editor is offered in a text, what it is told of a word, and where a name is from."""

from __future__ import annotations

import pytest

from articulata.world.assistance import meaning, offers, origin, uses
from articulata.world.document import parse
from articulata.world.world_files import LIBRARY

TEXT = (LIBRARY / "gallery" / "wrecking.art").read_text("utf-8")
DOCUMENT = parse(TEXT)


def offered(marker: str, added: str = "") -> list[str]:
    """Return what is offered after the first ``marker``, while ``added`` is being typed."""
    text = TEXT[: TEXT.index(marker) + len(marker)] + added
    return [each.label for each in offers(DOCUMENT, text, len(text))]


@pytest.mark.parametrize(
    ("marker", "some", "none"),
    [
        ("world site {\n  ", {"gravity", "components", "structure"}, {"join", "cuboid"}),
        ("    crane: ", {"boom", "masonry", "ground", "person"}, {"join", "crane"}),
        ("  geometry: ", {"cuboid", "sphere", "difference"}, {"join", "pin"}),
        ("    join arm to ", {"crane", "ball", "wall"}, {"boom", "join"}),
        ("join arm to crane with ", {"pin", "weld", "slider"}, {"crane"}),
        ("as hook matching (", {"near", "far", "center"}, {"crane", "lower"}),
        ("place wall by wall.", {"course", "mortar"}, {"arm"}),
        ("place wall by wall.course[1].", {"upper", "lower", "center"}, {"far"}),
        ("simulate site {\n  ", {"time", "report", "method"}, {"gravity"}),
        ("  properties: (", {"material", "color", "density"}, {"join"}),
        ("# A wrecking ball", set(), {"primitive"}),
    ],
)
def test_words_that_fit(marker: str, some: set[str], none: set[str]) -> None:
    found = set(offered(marker))
    assert some <= found
    assert not none & found
    assert bool(found) == bool(some)


@pytest.mark.parametrize(
    ("said", "some"),
    [
        ("join planet3 to carrier with pin as p matching (center, arm3) driven by ", {"motor"}),
        ("ge", {"gear"}),
        ("gear more between ", {"s", "c", "p1"}),
        ("place sun by s.", {"angle", "rate", "motor"}),
        ("force f about s = s.motor.", {"torque", "power"}),
        ("force f about s = inner1.", {"torque", "power"}),
    ],
)
def test_motors_and_gears_are_offered(said: str, some: set[str]) -> None:
    text = (LIBRARY / "gallery" / "planetary_gear.art").read_text("utf-8")
    place = text.index("    gear outer")
    text = f"{text[:place]}    {said}\n{text[place:]}"
    found = [each.label for each in offers(parse(text), text, place + 4 + len(said))]
    assert some <= set(found)
    assert "cuboid" not in found


def test_a_word_that_is_begun_changes_nothing() -> None:
    assert offered("    join arm to ", "cr") == offered("    join arm to ")


def test_an_empty_text_begins_with_an_item() -> None:
    assert "primitive" in [each.label for each in offers(parse(""), "", 0)]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("cuboid", "a box by its edges along x, y, z"),
        ("hook matching", "join arm to crane with pin(axis: z) as hook"),
        ("masonry", "composite masonry"),
        ("course[2] to", "course[1..2]: brick"),
        ("structure", "how they are joined"),
    ],
)
def test_what_a_word_means(word: str, said: str) -> None:
    found = meaning(DOCUMENT, TEXT, TEXT.index(word) + 1)
    assert found is not None
    assert said in found[0]


def test_a_thing_of_the_library_tells_its_comment_and_points() -> None:
    text = 'import "furniture.art"\nworld one { components { c: cabinet } }'
    found = meaning(parse(text), text, text.index("cabinet"))
    assert found is not None
    assert "high: length = 1.3 m" in found[0]
    assert found[0].endswith("\n\nits lower edge is so high\n\npoints: `foot`, `front`")


def test_where_names_are_from() -> None:
    found = origin(DOCUMENT, TEXT, TEXT.index("ball: weight") + len("ball: w"))
    assert found is not None
    source, (start, end) = found
    assert source.text[start:end] == "weight"
    assert source.text[:start].endswith("primitive ")
    assert origin(DOCUMENT, TEXT, TEXT.index("cuboid")) is None


def test_a_name_is_renamed_where_it_stands_for_one_thing() -> None:
    text = """# a rod
primitive rod { geometry: sphere(1) where { tip: (0, 0, 0) } }
primitive ball { geometry: sphere(1) where { tip: (0, 0, 0) } }
world w { components { a: rod; b: rod } }
"""
    document = parse(text)
    places = uses(document, text, text.index("a: rod") + 4)
    assert [text[:start].count("\n") for start, _ in places] == [1, 3, 3]
    assert uses(document, text, text.index("tip")) == []  # of the rod or of the ball
    assert uses(document, text, text.index("sphere")) == []
