"""Texts that are almost worlds, for fuzzing: torn, disturbed, and soups of words.

Every maker takes a ``random.Random``, so that a seed makes the same texts again.
"""

from __future__ import annotations

import random
import re
import time
from contextlib import suppress
from pathlib import Path

from articulata.errors import WorldError
from articulata.world.document import parse as read
from articulata.world.language.checking.check import diagnose
from articulata.world.language.diagnostics import as_json, render
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import (
    ACTIONS,
    EVENTS,
    FEATURE_KINDS,
    FILE_ITEMS,
    ITEM_WORDS,
    REQUESTS,
    RESERVED,
    SECTIONS,
    STATEMENTS,
)
from articulata.world.language.syntax.parse import parse
from articulata.world.language.syntax.printer import print_file
from articulata.world.language.vocabulary import FUNCTIONS, HINGES, SHAPES
from articulata.world.world_files import LIBRARY

HERE = Path(__file__).parents[1]
EVERY_CONSTRUCT = (
    HERE / "unit" / "world" / "language" / "every_construct.art"
).read_text(encoding="utf-8")  # fmt: skip
WORLDS = [
    path.read_text(encoding="utf-8")
    for path in (*sorted((LIBRARY / "gallery").glob("*.art")),
                 *sorted((HERE / "data" / "planted").glob("*.art")))
]  # fmt: skip
LINES = sorted({line.strip() for text in WORLDS for line in text.split("\n") if line.strip()})
TOKENS = re.compile(r"\s+|[A-Za-z_]\w*|\d+(?:\.\d+)?|.", re.DOTALL)

WORDS = (
    *RESERVED, *FILE_ITEMS, *ITEM_WORDS, *SHAPES, *HINGES, *FUNCTIONS, "turned", "about", "limits",
    "{", "}", "(", ")", "[", "]", ":", ";", ",", ".", "..", "=", "+", "-", "*", "/", "^", "<", "--",
    "#", '"', "1e999", "2^2^2^2^99", "0.5 m", "\x00", "\ud800", "\ufeff", "\r", "\n", "\t", "°",
    "9" * 400, "x" * 3000, "9" * 5000, "(" * 200, "{" * 200, "-" * 50, "[" * 100, ".a" * 300,
    "+1" * 300, "^2" * 300, "not " * 300, "1 ", "a.", "10 deg", "kg/m^3", "m^-99999999999",
    "//", "/*", "*/",
)  # fmt: skip

VALUES = [
    *SHAPES, *FUNCTIONS, *HINGES, "0", "-1", "1e308", "1e-308", "(0, 0, 0)", "x", "pi", "n", "i",
    "center", "rod", "[1]", "[0]", "[1..3]", "none", "red", "/ 0", "^ 1000", "m", "deg", "fixed",
    "gravity", "velocity", "turned 90 deg about x", "at (0, 1, 0)", "scaled 2", "1..3", '"a"',
]  # fmt: skip

_SECTIONS = [word for each in SECTIONS.values() for word in each]
_CLAUSES = [word for each in REQUESTS.values() for word in each]
_SOUP = (
    *WORDS, *VALUES, *STATEMENTS, *_SECTIONS, *_CLAUSES, *ACTIONS, *EVENTS, *FEATURE_KINDS, *LINES,
    *"abn", "\n", "\n", "\n", " ", ":", ":", "=", ",", "{", "}", "(", ")", "begin", "end",
)  # fmt: skip


def torn(chance: random.Random) -> str:
    """Return the text of every construct, or a part of it, with some damage."""
    text = EVERY_CONSTRUCT
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


def disturbed(chance: random.Random) -> str:
    """Return a world with few words exchanged, so that many are still worlds."""
    tokens = TOKENS.findall(chance.choice(WORLDS))
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        at = chance.randrange(len(tokens))
        match chance.randrange(4):
            case 0:
                tokens[at] = chance.choice(VALUES)
            case 1:
                del tokens[at]
            case 2:
                tokens.insert(at, f" {chance.choice(VALUES)} ")
            case _:
                tokens[at] = chance.choice(tokens)
    return "".join(tokens)


def relined(chance: random.Random) -> str:
    """Return a world with whole lines moved, doubled, or taken from other worlds."""
    lines = chance.choice(WORLDS).split("\n")
    for _ in range(chance.choice([1, 1, 2, 3])):
        at = chance.randrange(len(lines))
        match chance.randrange(4):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, chance.choice(LINES))
            case 2:
                lines[at] = chance.choice(LINES)
            case _:
                lines.insert(chance.randrange(len(lines)), lines[at])
        lines = lines or [""]
    return "\n".join(lines)


def soup(chance: random.Random) -> str:
    """Return words of the language in no order."""
    return " ".join(chance.choice(_SOUP) for _ in range(chance.randrange(1, 200)))


MAKERS = (torn, disturbed, relined, soup)


def settle(text: str) -> None:
    """Parse, check, show and print ``text``; whatever it is, this ends quietly and consistently."""
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


def elaborate(text: str, chance: random.Random) -> None:
    """Elaborate every request and world of ``text``; nothing but findings may come of it."""
    document = read(text)
    for each in document.check(starts=False):
        assert each.line >= 1
        assert each.column >= 1
        assert each.message
        assert each.suggestion, each
    with suppress(WorldError):
        for request in document.requests:
            request.elaborate()
    for item in document.tree.items:
        if not isinstance(item, t.World):
            continue
        needed = [each for each in item.parameters if each.default is None]
        values = [chance.choice((0.0, 1.0, -1.0, 2.5, 1e9, 1e-9)) for _ in needed]
        with suppress(WorldError):
            document.world(item.name, **{p.name: v for p, v in zip(needed, values, strict=True)})


SLOWEST = 10.0
"""Processor seconds that one small text may take; one that takes more hangs."""


def try_texts(seconds: float, seed: int) -> int:
    """Read texts of every maker for a while, two at least; return how many.

    A failure names seed and text.
    """
    until = time.monotonic() + seconds
    count = 0
    while count < 2 or time.monotonic() < until:
        chance = random.Random(f"{seed} {count}")
        text = MAKERS[count % len(MAKERS)](chance)
        begun = time.process_time()
        try:
            settle(text)
            elaborate(text, chance)
            took = time.process_time() - begun
            assert took < SLOWEST, f"this took {took:.1f} s"
        except Exception as error:
            raise AssertionError(
                f"text {count} of seed {seed}: {error!r} from:\n{text!r}"
            ) from error
        count += 1
    return count
