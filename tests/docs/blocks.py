"""Fenced code blocks of a Markdown page, with the lines they stand on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, what stands beside it, its text and its first line."""

    language: str
    note: str
    text: str
    line: int


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page in order; lines count from 1."""
    found: list[Block] = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        number += 1
        if opening is None:
            continue
        start = number
        while number < len(lines) and not lines[number].strip().startswith(opening["fence"]):
            number += 1
        indent = len(opening["indent"])
        body = "\n".join(line[indent:] for line in lines[start:number])
        language, _, note = opening["info"].strip().partition(" ")
        found.append(Block(language, note.strip(), body + "\n", start + 1))
        number += 1
    return found


def pages() -> list[Path]:
    """Return every page whose blocks a reader may try."""
    return sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
