"""The comparison of methods runs, and the page it writes holds every method."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.compare_inverse import MARKS, NAMED, tables

PAGE = Path(__file__).parents[2] / "docs" / "inverse-methods.md"


@pytest.mark.slow
def test_the_comparison_runs_on_few_targets() -> None:
    text = tables(iter(float(i) for i in range(10_000)).__next__, few=True)
    for name, _, _ in NAMED:
        assert name in text
    assert text.count("|---") >= 3
    engine = next(line for line in text.splitlines() if "the engine" in line and "100.0%" in line)
    assert engine.count("|") == 8


def test_the_page_holds_the_comparison_of_every_method() -> None:
    page = PAGE.read_text()
    found = MARKS.search(page)
    assert found is not None
    tables_of_page = found[0]
    for name, _, _ in NAMED:
        assert f"| {name} |" in tables_of_page
    assert "below 1e-4" in tables_of_page
