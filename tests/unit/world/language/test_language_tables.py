"""The documentation's tables are those of the grammar."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from articulata.world.language.diagnostics import ADVICE, CODES
from articulata.world.language.grammar_tables import markdown

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "language.md"
WORLD = ROOT / "src" / "articulata" / "world"
TAKE_CODES = ("add", "error", "error_before", "error_here", "fail", "lost_before", "lost_here",
              "warn", "warning")  # fmt: skip
CODE = re.compile(r"[a-z]+(-[a-z]+)+|[a-z]{5,}")


def used_codes(folder: Path) -> dict[str, str]:
    """Return the codes that sources give findings, each with a file that does."""
    found: dict[str, str] = {}
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            words = [each.value for each in node.args if isinstance(each, ast.Constant)]
            if node.func.attr in TAKE_CODES and len(node.args) > 1 and words:
                code = words[0]
                if isinstance(code, str) and CODE.fullmatch(code) and code != "warning":
                    found[code] = path.name
    return found


def test_the_documentation_holds_the_grammars_tables() -> None:
    assert PAGE.read_text(encoding="utf-8").endswith(markdown())


def test_every_code_of_a_finding_is_explained_and_every_code_explained_is_used() -> None:
    used = used_codes(WORLD)
    assert {code: file for code, file in used.items() if code not in CODES} == {}
    assert set(CODES) - set(used) <= {"too-many"}
    assert set(ADVICE) <= set(CODES)


def test_every_finding_of_an_elaboration_comes_with_advice() -> None:
    assert set(used_codes(WORLD / "language" / "elaboration")) <= set(ADVICE)
