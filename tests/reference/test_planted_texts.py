"""Mistakes in texts of their own: told once, near their line, with what makes the text right.

Sixty texts of all kinds were written from the pages alone by somebody who had not seen the parser,
each with one mistake and what is meant. ``advice`` is what a person who does it literally needs; at
the first reading 46 of them were given. One "mistake" is none: a statement may follow a structure.
Of sixty more 47 were given; the thirteen others stand at the end.
"""

from __future__ import annotations

import json

import pytest

from articulata.world.document import parse
from reference.planted_errors import DATA

TEXTS = json.loads((DATA / "whole_texts.json").read_text("utf-8"))


def wrong(entry: dict[str, object]) -> str:
    lines = str(entry["right"]).splitlines()
    lines[entry["from"] : entry["to"]] = entry["wrong"]  # type: ignore[index, call-overload, misc] # numbers and lines, as the file has them
    return "\n".join(lines) + "\n"


@pytest.mark.slow
def test_advice_makes_texts_right() -> None:
    told = {k: parse(wrong(each)).check(starts=True) for k, each in enumerate(TEXTS)}
    found = {k: [e for e in each if e.severity == "error"] for k, each in told.items()}
    near = [k for k, each in found.items() if any(abs(e.line - TEXTS[k]["line"]) < 2 for e in each)]
    right = [k for k, each in found.items() if each and TEXTS[k]["advice"] in each[0].suggestion]
    follows = sum(len(each) - 1 for each in found.values() if each)
    table = "\n".join(f"{k}: {each}" for k, each in found.items() if k not in right)
    assert len(near) >= 72, table
    assert len(right) >= 70, table
    assert follows <= 3, table
