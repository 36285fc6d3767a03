"""Decisions: a page a subject, one screen each, and each dependency justified."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
PLAN = "0358-a-smaller-house.md"


def test_a_decision_fits_a_screen() -> None:
    assert len(PAGES) < 60
    for page in PAGES:
        if page.name != PLAN:
            assert len(page.read_text().splitlines()) <= 60, f"{page.name}: shorten it, or part it"


def test_every_dependency_is_justified() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pages = "\n".join(page.read_text().lower() for page in PAGES)
    table = (ROOT / "docs" / "decisions" / "0002-dependencies.md").read_text().lower()
    for each in project["dependencies"]:
        assert f"| {re.split('[><=~]', each)[0]} " in table, each
    for extra, packages in project["optional-dependencies"].items():
        assert f"`{extra}`" in pages, extra
        for each in packages:
            assert re.split(r"[><=~\[]", each)[0].lower() in pages, each
