"""Changes: fragments of one line, of a known kind; a list by version and by question."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import articulata

ROOT = Path(__file__).parents[2]
FRAGMENTS = sorted(p for p in (ROOT / "changelog.d").iterdir() if p.name != ".template.md")
CHANGES = (ROOT / "CHANGELOG.md").read_text()
QUESTIONS = (
    "Simulate", "Kinematics", "Reach", "Pose", "Track", "Film", "Language", "Formats",
    "Viewer and commands",
)  # fmt: skip


def test_fragments_are_one_line_of_a_known_kind() -> None:
    for path in FRAGMENTS:
        assert re.fullmatch(r"[\w-]+\.(added|changed|fixed)\.md", path.name), path.name
        lines = path.read_text().strip().splitlines()
        assert len(lines) == 1, path.name
        assert len(lines[0]) > 20, path.name


def test_the_list_of_what_is_not_released_can_be_made() -> None:
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


def test_released_changes_stand_by_version_and_by_question() -> None:
    releases = CHANGES.split("<!-- releases -->\n")[1].split("\n## ")[1:]
    versions = [tuple(map(int, each.split(" ", 1)[0].split("."))) for each in releases]
    assert versions == sorted(versions, reverse=True)
    for release in releases:
        groups = re.findall(r"^\*\*(.+)\*\*$", release, re.MULTILINE)
        assert groups == [each for each in QUESTIONS if each in groups]
        assert groups
        for line in filter(None, release.splitlines()[1:]):
            assert re.fullmatch(r"- .{20,260}|\*\*.+\*\*", line), line


def test_the_newest_version_is_the_packages() -> None:
    newest = re.search(r"^## (\d+\.\d+)", CHANGES, re.MULTILINE)
    assert newest is not None
    assert articulata.__version__.startswith(f"{newest[1]}.")
    assert f'version = "{articulata.__version__}"' in (ROOT / "pyproject.toml").read_text()
