"""The documentation's tables are those of the grammar."""

from __future__ import annotations

from pathlib import Path

from articulata.world.language.tables import markdown

PAGE = Path(__file__).parents[4] / "docs" / "language.md"


def test_the_documentation_holds_the_grammars_tables() -> None:
    assert PAGE.read_text(encoding="utf-8").endswith(markdown())
