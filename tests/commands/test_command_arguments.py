"""Signatures as arguments of commands."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest

from articulata.app.command_arguments import WRONG_USE, Commands
from articulata.sessions.command_fields import Argument, Option


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


Told = dict[str, object]


def program(told: Told) -> Commands:
    commands = Commands("paint", "Paints things.", lambda: "paint 3")

    @commands.command
    def wall(
        files: Annotated[list[Path], Argument(metavar="FILE", help="What to paint.")],
        colour: Annotated[Colour, Option(help="In 100 % of it.")] = Colour.RED,
        coats: Annotated[int, Option(help="How many.")] = 2,
        litres: Annotated[float | None, Option(help="How much.")] = None,
        not_here: Annotated[list[str] | None, Option(help="Places to leave out.")] = None,
        dry: Annotated[bool, Option("--dry/--wet", help="Whether to wait.")] = True,
        quick: Annotated[bool, Option("--quick", help="Be quick.")] = False,
    ) -> None:
        """Paint a wall.

        With a brush.
        """
        told.update(locals())

    @commands.command
    def wash(things: Annotated[list[str] | None, Argument(help="What.")] = None) -> None:
        """Wash up."""
        told.update(locals())

    return commands


def asked(*words: str) -> Told:
    told: Told = {}
    program(told).run(words)
    return {name: value for name, value in told.items() if name != "told"}


def test_words_become_values_of_the_types_of_the_signature() -> None:
    assert asked("wall", "a", "b") == {
        "files": [Path("a"), Path("b")], "colour": Colour.RED, "coats": 2, "litres": None,
        "not_here": None, "dry": True, "quick": False,
    }  # fmt: skip
    found = asked(
        "wall", "--quick", "a", "--colour", "blue", "--coats=3", "--litres", "-1.5", "--wet",
        "--not-here", "x", "--not-here", "y",
    )  # fmt: skip
    assert found == {
        "files": [Path("a")], "colour": Colour.BLUE, "coats": 3, "litres": -1.5,
        "not_here": ["x", "y"], "dry": False, "quick": True,
    }  # fmt: skip
    assert found["colour"] is Colour.BLUE


def test_options_may_stand_between_words() -> None:
    assert asked("wall", "a", "--coats", "1", "b")["files"] == [Path("a"), Path("b")]


def test_a_list_of_words_may_be_empty_where_it_has_a_default() -> None:
    assert asked("wash")["things"] in (None, [])
    assert asked("wash", "cup")["things"] == ["cup"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["wal"], "there is no command 'wal'; did you mean 'wall'?"),
        (["zzz"], "there is no command 'zzz', see paint --help"),
        (["wall"], "the following arguments are required: FILE"),
        (["wall", "a", "--colour", "green"], "'green' is none of red, blue"),
        (["wall", "a", "--coats", "many"], "'many'"),
        (["wall", "a", "--coat", "1"], "--coat"),
        (["wall", "a", "--dry", "--wet"], "not allowed with"),
        (["--nothing"], "--nothing"),
    ],
)
def test_wrong_use_is_said_and_ends_with_status_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        asked(*words)
    assert end.value.code == WRONG_USE
    assert said in capsys.readouterr().err


def test_help_shows_commands_options_and_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--help"], ["wall", "--help"]):
        with pytest.raises(SystemExit):
            asked(*words)
    text = capsys.readouterr().out
    for shown in (
        "Paint a wall.",
        "Wash up.",
        "With a brush.",
        "red|blue",
        "In 100 % of it. [red]",
    ):
        assert shown in text
    assert "How many. [2]" in text


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    asked("--version")
    assert capsys.readouterr().out == "paint 3\n"
