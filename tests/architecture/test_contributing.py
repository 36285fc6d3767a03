"""CONTRIBUTING names files and tables that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
PATHS = re.findall(r"`([\w/.]+\.(?:py|md|toml))`|\]\(([\w/.]+)\)", TEXT)


def test_files_that_contributors_are_sent_to_exist() -> None:
    named = [one or other for one, other in PATHS]
    missing = [
        each
        for each in named
        if not (ROOT / each).exists()
        and not (ROOT / "src/articulata/world/requests" / each).exists()
    ]
    assert len(named) > 30
    assert missing == []


def test_tables_that_contributors_are_sent_to_exist() -> None:
    # "`TABLE` in `FILE`", "rows of `TABLE` ... in `FILE`": the file assigns the table
    found = re.findall(r"`(_?[A-Z_]{4,})` (?:in|of) `(src/[\w/.]+)`", TEXT)
    assert len(found) >= 8
    for table, file in found:
        assert re.search(rf"^{table}\b.*=", (ROOT / file).read_text(), re.MULTILINE), (table, file)


def test_versions_agree() -> None:
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None
    assert f'version = "{cited[1]}"' in (ROOT / "pyproject.toml").read_text()
