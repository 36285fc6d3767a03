"""Texts right and wrong: what is found in them, and how they are printed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import articulata as art
from articulata.world.world_files import LIBRARY

from .store import Answer, Question, digest

MUTATED = 20
"""Wrong texts made of each file of the library."""

WORDS = ("where", "with", "to", "5 m", "(", ")", "{", "}", ":", ",", "=", "angle", "3", "0,5", "kg")


def questions() -> Iterator[Question]:
    """Yield the questions of this room."""
    for path in sorted(LIBRARY.rglob("*.art")):
        name = str(path.relative_to(LIBRARY))
        text = path.read_text("utf-8")
        yield f"{name}: as it is", partial(_told, text, str(path))
        yield f"{name}: printed", partial(_printed, text, str(path))
        for seed in range(MUTATED):
            yield f"{name}: mistake {seed}", partial(_told, _mistaken(text, name, seed), str(path))


def _mistaken(text: str, name: str, seed: int) -> str:
    """Return a text with one mistake: a word away, twice, or another one in its place."""
    rng = np.random.default_rng([seed, *name.encode()])
    lines = text.splitlines(keepends=True)
    written = [k for k, line in enumerate(lines) if line.strip() and line.strip()[0] != "#"]
    k = int(rng.choice(written))
    words = lines[k].split(" ")
    at = int(rng.choice([i for i, word in enumerate(words) if word.strip()]))
    kind = seed % 4
    if kind == 0:
        del words[at]
    elif kind == 1:
        words.insert(at, words[at].rstrip("\n"))
    elif kind == 2:
        words[at] = str(rng.choice(WORDS)) + ("\n" if words[at].endswith("\n") else "")
    else:
        words[at] = words[at][1:]
    lines[k] = " ".join(words)
    return "".join(lines)


def _told(text: str, file: str) -> Answer:
    found = art.parse(text, file).check(starts=False)
    return Answer(
        [
            [
                each.severity,
                each.code,
                each.line,
                each.column,
                digest(each.message, each.suggestion),
            ]
            for each in found
        ]
    )


def _printed(text: str, file: str) -> Answer:
    return Answer(digest(art.parse(text, file).text))
