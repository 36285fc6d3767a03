"""The notebooks of the documentation run as they stand, and hold no outputs."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from .blocks import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(name="pages")
def _pages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The extension that runs notebooks, which is no part of the package."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "_extensions")
    return importlib.import_module("notebook_pages")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: ModuleType
) -> None:
    monkeypatch.chdir(tmp_path)
    page = pages.page(path.read_text("utf-8"), path.name)
    assert page.count("data:image/png;base64,") >= 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_one_of_jupyter_and_holds_no_outputs(path: Path) -> None:
    held = json.loads(path.read_text("utf-8"))
    assert (held["nbformat"], held["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in held["cells"]]
    assert len(set(ids)) == len(ids) > 5
    for cell in held["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


def test_a_cell_shows_what_it_prints_and_its_last_value(pages: ModuleType) -> None:
    cells = [pages.Cell("code", text) for text in ("x = 2\nprint('a')\nx + 1", "x;", "y = x")]
    made = list(pages.run(cells, "book"))
    assert [(each.printed, each.shown) for each in made] == [
        ("a\n", ("<pre>3</pre>",)),
        ("", ()),
        ("", ()),
    ]


def test_a_cell_that_fails_is_named(pages: ModuleType) -> None:
    cells = [pages.Cell("code", text) for text in ("x = 0", "1 / x")]
    with pytest.raises(ZeroDivisionError) as told:
        list(pages.run(cells, "book"))
    assert any("book, cell 2" in str(each.path) for each in told.traceback)
