"""No text ends in anything but diagnostics, and what is read is printed back the same.

Texts are made by tearing a correct one apart: characters, words and lines are dropped, doubled,
exchanged and replaced, brackets piled up, numbers blown up.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from articulata.world.language.checking.check import diagnose
from articulata.world.language.diagnostics import as_json, render
from articulata.world.language.syntax.grammar import FILE_ITEMS, ITEM_WORDS, RESERVED
from articulata.world.language.syntax.parse import parse
from articulata.world.language.syntax.printer import print_file
from articulata.world.language.vocabulary import FUNCTIONS, HINGES, SHAPES

SEED = (
    Path(__file__).parents[1] / "unit" / "world" / "language" / "every_construct.art"
).read_text(encoding="utf-8")

WORDS = (
    *RESERVED, *FILE_ITEMS, *ITEM_WORDS, *SHAPES, *HINGES, *FUNCTIONS, "turned", "about", "limits",
    "{", "}", "(", ")", "[", "]", ":", ";", ",", ".", "..", "=", "+", "-", "*", "/", "^", "<", "--",
    "#", '"', "1e999", "2^2^2^2^99", "0.5 m", "\x00", "\ud800", "\ufeff", "\r", "\n", "\t", "°",
    "9" * 400, "x" * 3000, "9" * 5000, "(" * 200, "{" * 200, "-" * 50, "[" * 100, ".a" * 300,
    "+1" * 300, "^2" * 300, "not " * 300, "1 ", "a.", "10 deg", "kg/m^3", "m^-99999999999",
)  # fmt: skip


def settle(text: str) -> None:
    """Read, check and show ``text``; whatever it is, this ends quietly and consistently."""
    file, found = diagnose(text)
    assert render(found, file.source) == render(found, file.source)
    as_json(found)
    lines = len(file.source.starts)
    for each in found:
        assert 1 <= each.line <= lines
        assert 1 <= each.column <= len(text) + 1
        assert each.message
        assert each.suggestion
    _, syntax = parse(text)
    if not syntax:
        printed = print_file(file)
        again, none = parse(printed)
        assert none == ()
        assert again == file
        assert print_file(again) == printed


def torn(chance: random.Random) -> str:
    """Return a correct text with some damage."""
    text = SEED
    if chance.random() < 0.5:
        start = chance.randrange(len(text))
        text = text[start : start + chance.randrange(20, 1500)]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8, 30))):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.choice((0, 1, 1, 2, 5, 20, 200)))
        match chance.randrange(5):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + chance.choice(WORDS) + text[end:]
            case 2:
                text = text[:end] + " " + chance.choice(WORDS) + " " + text[end:]
            case 3:
                text = text[:at] + text[at:end] * 2 + text[end:]
            case 4:
                other = chance.randrange(len(text) + 1)
                text = text[:at] + text[other : other + 40] + text[at:]
    return text


def tear_for(seconds: float, seed: int) -> int:
    chance = random.Random(seed)
    until = time.monotonic() + seconds
    count = 0
    while time.monotonic() < until:
        text = torn(chance)
        try:
            settle(text)
        except Exception as error:
            raise AssertionError(f"text number {count} of seed {seed}: {text!r}") from error
        count += 1
    return count


def test_torn_texts_end_in_diagnostics() -> None:
    assert tear_for(8.0, seed=1986) > 20


@pytest.mark.slow
def test_ten_minutes_of_torn_texts_end_in_diagnostics() -> None:
    assert tear_for(600.0, seed=random.SystemRandom().randrange(10**9)) > 1000


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=300))
def test_any_text_ends_in_diagnostics(text: str) -> None:
    settle(text)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_any_words_end_in_diagnostics(words: list[str]) -> None:
    settle(" ".join(words))


DEEP = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "let a = " + "(" * DEEP,
        "let a = " + "(" * DEEP + "1" + ")" * DEEP,
        "let a = " + "-" + " -" * DEEP + "1",
        "let a = " + "not " * DEEP + "1",
        "let a = 1" + "+1" * DEEP,
        "let a = 1" + "^1" * DEEP,
        "let a = 2^2^2^2^99",
        "let a = " + "f(" * DEEP,
        "let a = b" + "[1" * DEEP,
        "let a = b" + ".c" * DEEP,
        "composite c { structure " + "{ for i in 1..2 " * DEEP,
        "{" * DEEP,
        "}" * DEEP,
        "begin " * DEEP,
        "primitive p { geometry: union(" * DEEP,
        '"' * DEEP,
        "let a = 1e99999",
        "let a = " + "9" * DEEP,
        "let a = 1 m^999999999999999999999",
        "\x00" * DEEP,
        "let a = \ud800",
        "\ufeff" * 5,
        "let " * DEEP,
        "primitive " * DEEP,
        "let a = 1 let b = 2 " * 1000,
        "a" * 1_000_000,
        "composite a { components b: a; c: a }",
        "let a = a\nlet b = c\nlet c = b",
    ],
    ids=lambda text: text[:24],
)  # fmt: skip
def test_extreme_texts_end_in_diagnostics(text: str) -> None:
    settle(text)
    assert diagnose(text)[1]
