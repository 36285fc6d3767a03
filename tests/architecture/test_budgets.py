"""No room grows beyond its budget (``[tool.articulata.budgets]`` in pyproject.toml)."""

from __future__ import annotations

import ast
import tomllib

from .house import code_lines, measured
from .sources import ROOT


def test_code_lines_are_neither_blank_nor_comments_nor_docstrings() -> None:
    doc, code = '"""What it is."""', "x = [1,  # one\n     2]"
    inside = 'def f():\n    "doc"\n    return """\n\n"""'
    text = "\n".join((doc, "", "# why", code, '"""What x is."""', "", "", inside, ""))
    assert code_lines(text, ast.walk(ast.parse(text))) == 2 + 1 + 3


def test_rooms_keep_their_budgets() -> None:
    """Who needs more takes it from somewhere, or raises the budget and says why in a decision."""
    budgets = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["articulata"]["budgets"]
    rooms = measured()
    assert budgets["code"].keys() == rooms.keys()
    over = {
        name: f"{room.code} code lines, {budgets['code'][name]} allowed"
        for name, room in rooms.items()
        if room.code > budgets["code"][name]
    }
    assert not over
    assert sum(room.modules for room in rooms.values()) <= budgets["modules"]
    assert sum(room.long for room in rooms.values()) <= budgets["long_functions"]
    assert sum(room.many for room in rooms.values()) <= budgets["many_parameters"]
