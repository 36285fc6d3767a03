"""The page on rules of friction quotes what its benchmark finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import friction

PAGE = Path(__file__).parents[2] / "docs" / "friction.md"
COARSE = [each for each in friction.RULES if "50 ms" in each[0] or each[0] == "Coulomb"]
FINE = [each for each in friction.RULES if each not in COARSE]


QUESTIONS = [name for name, _, _ in friction.QUESTIONS]
SLOW = [(COARSE, each) for each in QUESTIONS[1:]] + [(FINE, each) for each in QUESTIONS]


@pytest.mark.parametrize(
    ("rules", "question"),
    [(COARSE, QUESTIONS[0]), *(pytest.param(*each, marks=pytest.mark.slow) for each in SLOW)],
)
def test_the_page_holds_what_the_rules_answer(question, rules, monkeypatch):
    monkeypatch.setattr(friction, "RULES", rules)
    page = PAGE.read_text(encoding="utf-8")
    section = page.partition(f"## {question.capitalize()}\n")[2].partition("\n## ")[0]
    for line in friction.table(question).splitlines():
        assert line in section
