"""Changelog fragments: one line each, of a known kind, and the change list can be made of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FRAGMENTS = sorted(p for p in (ROOT / "changelog.d").iterdir() if p.name != ".template.md")


def test_fragments_are_one_line_of_a_known_kind() -> None:
    assert FRAGMENTS
    for path in FRAGMENTS:
        assert re.fullmatch(r"[\w-]+\.(added|changed|fixed)\.md", path.name), path.name
        lines = path.read_text().strip().splitlines()
        assert len(lines) == 1, path.name
        assert len(lines[0]) > 20, path.name


def test_the_list_of_changes_can_be_made() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "1.2.3"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert "## 1.2.3" in made
    for path in FRAGMENTS:
        assert path.read_text().strip()[:60] in made
