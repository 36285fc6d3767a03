"""``--world "swing(60)"``: a world and its arguments, read as the text reads those of a request."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from articulata.errors import WorldError
from articulata.sessions.simulation import asked, of_several
from articulata.world.document import call_of, parse
from articulata.world.world_files import shipped

TEXT = """units: metre, kilogram, second, degree
primitive rod {
  properties: (density: 1000)
  geometry: cuboid(0.1, 1, 0.1) where { top: (0, 0.5, 0) }
  dynamics
}
world swing(angle, size = 2 m, width = 30 cm) {
  components { anchor: fixed_point; rod: rod; plate: plate(size, width) }
  structure {
    place anchor by anchor at (0, 0, 0)
    place rod by rod.top at (0, 0, 0) turned angle about z
  }
}
primitive plate(size, width) { geometry: cuboid(size, width, 1) }
simulate swing(60) { time: (10 ms, 100 ms) }
simulate swing(10, width: 40 cm) { time: (10 ms, 100 ms) }
"""


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("swing(60)", (math.radians(60),)),
        ("swing(60 deg)", (math.radians(60),)),
        ("swing(2 * pi / 6)", (math.radians(60),)),
        ("swing(angle: 60)", (math.radians(60),)),
        (" swing ( -45 , 150 cm ) ", (math.radians(-45), 1.5)),
        ("swing(60, width: 5 mm)", (math.radians(60), 2.0, 0.005)),
        ("swing", (math.radians(60),)),
    ],
)
def test_arguments_mean_what_they_mean_in_the_text(said: str, arguments: tuple[float, ...]) -> None:
    assert asked(parse(TEXT), said).arguments == pytest.approx(arguments, abs=1e-15)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("swing((60)", r"--world:1:11: '\)' is missing"),
        ("swing(60))", r"--world:1:10: .* is due"),
        ("swing(60", r"--world:1:9: '\)' is missing"),
        ("swing(60) x", r"--world:1:11: .* is due"),
        ("(", r"--world:1:1: a name"),
        ("swing(nan)", r"a number is due for 'angle'"),
        ("swing(1e400)", r"larger than any number"),
        ("swing(60, 1, 2, 3)", r"'swing' takes 3 values"),
        ("swing(60, angle: 3)", r"'angle' is given twice"),
        ("swing(size: 3)", r"lacks a value for 'angle'"),
        ("swing(60 kg)", r"an angle is due here, not a mass"),
        ("swing(ancle: 60)", r"no parameter 'ancle'"),
        ("swin(60)", r"there is no world 'swin'; did you mean 'swing'"),
    ],
)
def test_what_cannot_be_read_is_refused(said: str, told: str) -> None:
    document = parse(TEXT)
    with pytest.raises(WorldError, match=told):
        document.world(asked(document, said))


def test_an_argument_after_one_left_out_is_kept() -> None:
    world = parse(TEXT).requests[1].elaborate()
    assert world.bodies["plate"].shape.y == pytest.approx(0.4)  # type: ignore[union-attr] # a box


def test_a_folder_of_its_name_does_not_hide_a_room_that_ships(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kitchen").mkdir()  # as --out kitchen leaves it
    assert shipped(Path("kitchen")).name == "kitchen.art"
    Path("office").write_text("a text of one's own")
    assert shipped(Path("office")) == Path("office")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((math.radians(60),), "swing(60 deg)"),
        ((math.radians(-45), 1.5), "swing(-45 deg, 1.5 m)"),
        ((math.radians(60), 2.0, 0.005), "swing(60 deg, 2 m, 0.005 m)"),
    ],
)
def test_a_title_has_the_arguments_as_one_writes_them(
    arguments: tuple[float, ...], words: str
) -> None:
    assert call_of(parse(TEXT).world("swing", *arguments)) == words


def test_a_title_of_a_world_without_arguments_or_text_is_its_name() -> None:
    bare = "world still { components { hook: fixed_point } }"
    world = parse(bare).world("still")
    assert call_of(world) == "still"
    assert call_of(replace(world, text="", arguments=(2.0,))) == "still(2)"


def test_the_first_of_several_worlds_is_named_with_the_others() -> None:
    text = TEXT + "world empty { components { hook: fixed_point } }\n"
    document = parse(text)
    (told,) = of_several(document, "", asked(document, ""))
    assert told.startswith("world swing(60 deg) is taken, the first that the text asks for")
    assert told.endswith('--world takes: "swing(10 deg, 2 m, 0.4 m)", empty')
    assert not of_several(document, "swing", asked(document, "swing"))
    alone = parse(text.split("world swing", maxsplit=1)[0] + "world a { components { b: rod } }")
    assert not of_several(alone, "", asked(alone, ""))
