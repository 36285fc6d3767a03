"""Motions that are written anew: key frames come, go and change; the rest stays as it was."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from articulata.errors import WorldError
from articulata.world.document import parse
from articulata.world.writing.rewritten_texts import WrittenKey, with_keys

TEXT = """
units: degree

figure arm {
  chain a: plain table {
    turn: revolute(axis: z, limits: (-90, 90))
    bend: revolute(axis: y) at (0, 0, 1)
  }
  posture up { turn: 10 }
  # a wave
  motion wave {
    0 s: up, (bend: 2*10)   # as he stands
    1 s: (turn: 20, bend: 30)
    2.5 s: up
    ease: linear
  }
  motion nod { 0 s: up; 1 s: (bend: 5) }
}
"""
DOCUMENT = parse(TEXT)


def test_what_is_not_changed_stays_as_it_was() -> None:
    same = [WrittenKey(0.0, 0), WrittenKey(1.0, 1), WrittenKey(2.5, 2)]
    text = with_keys(DOCUMENT, "arm", "wave", same)
    assert text == TEXT
    changed = [
        WrittenKey(0.25, 0, MappingProxyType({"turn": -12.5})),
        WrittenKey(1.0, 1, MappingProxyType({"bend": 45.0})),
        WrittenKey(2.0),
        WrittenKey(2.5, 2),
    ]
    text = with_keys(DOCUMENT, "arm", "wave", changed)
    for line in (
        "    0.25 s: up, (bend: 2*10, turn: -12.5 deg)   # as he stands\n",
        "    1 s: (turn: 20, bend: 45 deg)\n",
        "    2 s: ()\n",
        "    2.5 s: up\n    ease: linear\n",
        "  # a wave\n",
        "  motion nod { 0 s: up; 1 s: (bend: 5) }\n",
    ):
        assert line in text
    assert not [each for each in parse(text).check() if each.severity == "error"]


def test_a_motion_on_one_line_stays_there() -> None:
    keys = [WrittenKey(0.0, 0), WrittenKey(0.5, 1), WrittenKey(2.0, 0)]
    text = with_keys(DOCUMENT, "arm", "nod", keys)
    assert "motion nod { 0 s: up; 0.5 s: (bend: 5); 2 s: up }" in text


def test_what_does_not_stand_in_the_text_is_told() -> None:
    with pytest.raises(WorldError, match="no motion 'bow'"):
        with_keys(DOCUMENT, "arm", "bow", [])
    with pytest.raises(WorldError, match="figure 'leg' does not stand"):
        with_keys(DOCUMENT, "leg", "bow", [])
