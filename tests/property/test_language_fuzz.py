"""No text ends in anything but diagnostics, and what is read is printed back the same."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from articulata.world.document import parse as read
from articulata.world.language.checking.check import diagnose
from property.torn_texts import WORDS, settle, torn, try_texts
from shares import shares


def test_torn_texts_end_in_diagnostics() -> None:
    chance = random.Random(1986)
    until = time.monotonic() + 1.5
    count = 0
    while time.monotonic() < until:
        text = torn(chance)
        try:
            settle(text)
        except Exception as error:
            raise AssertionError(f"text number {count}: {text!r}") from error
        count += 1
    assert count > 7


def test_texts_of_every_kind_end_in_diagnostics() -> None:
    assert try_texts(1.5, seed=1986) > 1


@pytest.mark.parametrize("minutes", shares([2, 10], slow=1))
def test_minutes_of_texts_end_in_diagnostics(minutes: int) -> None:
    assert try_texts(60.0 * minutes, random.SystemRandom().randrange(10**9)) > 50 * minutes


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=300))
def test_any_text_ends_in_diagnostics(text: str) -> None:
    settle(text)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
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


def large(size: int) -> dict[str, str]:
    """Return texts of about ``size`` characters that invite work growing with their square."""
    lines, definitions, names = size // 23, size // 42, size // 12
    return {
        "values that lead to each other": "".join(
            f"let a{i} = a{i - 1} + 1\n" if i else "let a0 = 1\n" for i in range(lines)
        ),
        "a circle of values": "".join(
            f"let a{i} = a{(i + 1) % lines} + 1\n" for i in range(lines)
        ),
        "types in types": "".join(
            f"composite c{i} {{ components b: c{i - 1} }}\n" if i
            else "primitive c0 { geometry: none }\n"
            for i in range(definitions)
        ),
        "a circle of types": "".join(
            f"composite c{i} {{ components b: c{(i + 1) % definitions} }}\n"
            for i in range(definitions)
        ),
        "types in types, ten of each": "".join(
            f"composite c{i} {{ components {{ {ten_of(i - 1)} }} }}\n"
            if i else "primitive c0 { geometry: none }\n"
            for i in range(8)
        ) + "composite z { components { a: c7 } structure { ignore a with nothing } }",
        "values without commas": f"let a = ({'1 -2 ' * (size // 5)})",
        "values in one list": f"let a = ({'1, ' * (size // 3)}1)",
        "components": "primitive r { geometry: none }\nworld w { components {\n"
        + "".join(f"c{i}: r\n" for i in range(names)) + "} }",
        "misspelt components": "primitive r { geometry: none }\nworld w { components {\n"
        + "".join(f"c{i}: r\n" for i in range(names // 2)) + "}\nstructure {\n"
        + "".join(f"ignore d{i} with c{i}\n" for i in range(names // 4)) + "} }",
        "features": "primitive r { geometry: sphere(1) where {\n"
        + "".join(f"f{i}: (0, {i}, 0)\n" for i in range(lines)) + "} }",
        "parts of a solid": "primitive r { geometry: union("
        + ", ".join(f"s{i}: sphere(1)" for i in range(lines)) + ") dynamics: (mass: 1) }",
        "foreign comments": "/* a */ // b\n" * (size // 13),
        "foreign comments, never closed": "/*" * (size // 2),
        "nothing but items that fail": "primitve p { }\n" * (size // 15),
        "requests": "world w { gravity: (0, 0, 0) }\n"
        + "simulate w { time: (1 s, 2 s) }\n" * (size // 32),
        "one path": f"let a = b{'.c' * (size // 2)}",
        "blocks never closed": "composit c {\n" * (size // 13),
        "begin": "begin\n" * (size // 6),
        "signs": "= " * (size // 2),
        "blanks": " " * size,
    }  # fmt: skip


def ten_of(i: int) -> str:
    return "; ".join(f"x{k}: c{i}" for k in range(10))


KINDS = tuple(large(1000))


@pytest.mark.parametrize("kind", KINDS)
def test_a_large_text_is_read_in_time_that_grows_with_its_length(kind: str) -> None:
    begun = time.process_time()
    read(large(100_000)[kind]).check(starts=False)
    assert time.process_time() - begun < 4.0  # below 0.5 s on a quiet machine


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_megabyte_is_read_in_seconds(kind: str) -> None:
    begun = time.process_time()
    read(large(1_000_000)[kind]).check(starts=False)
    assert time.process_time() - begun < 20.0  # below 4 s on a quiet machine
