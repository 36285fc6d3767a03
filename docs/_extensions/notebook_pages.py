"""Notebooks as pages: their cells are run, and shown with what they give.

A notebook is JSON (nbformat 4) and holds no outputs: here, in the tests and in the reader's Jupyter
they are made anew. Cells share a namespace and run in an empty folder. What a cell shows is what it
prints, the value of its last line, and the plots that it leaves open.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import html
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a notebook: its kind, "markdown" or "code", and its text."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Output:
    """What a cell of code gave: what it printed, and pieces of HTML."""

    printed: str
    shown: tuple[str, ...] = ()


def cells_of(notebook: str) -> list[Cell]:
    """Return the cells of a notebook's text."""
    return [Cell(c["cell_type"], "".join(c["source"])) for c in json.loads(notebook)["cells"]]


def run(cells: list[Cell], name: str) -> Iterator[Output]:
    """Run the cells of code in order; yield what each gives. An error says which cell it is in."""
    namespace: dict[str, Any] = {"__name__": "notebook"}
    for number, cell in enumerate(cells, 1):
        if cell.kind != "code":
            continue
        where = f"{name}, cell {number}"
        tree = ast.parse(cell.text, where)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        out = io.StringIO()
        value = None
        with contextlib.redirect_stdout(out):
            exec(compile(tree, where, "exec"), namespace)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), where, "eval"), namespace)
        if cell.text.rstrip().endswith(";"):
            value = None
        yield Output(out.getvalue(), tuple(_shown(value)))


def _shown(value: Any) -> Iterator[str]:
    if hasattr(value, "_repr_html_"):
        yield f'<div style="overflow-x:auto">{value._repr_html_()}</div>'
    elif value is not None:
        yield f"<pre>{html.escape(repr(value))}</pre>"
    plots = sys.modules.get("matplotlib.pyplot")
    for number in plots.get_fignums() if plots else ():
        data = io.BytesIO()
        plots.figure(number).savefig(data, format="png", dpi=90)
        plots.close(number)
        coded = base64.b64encode(data.getvalue()).decode()
        yield f'<p><img alt="" src="data:image/png;base64,{coded}"></p>'


def page(notebook: str, name: str) -> str:
    """Return a notebook as Markdown, its cells followed by what they give."""
    cells = cells_of(notebook)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            outputs = run(cells, name)
            return "\n\n".join(_told(cell, outputs) for cell in cells) + "\n"
        finally:
            os.chdir(here)


def _told(cell: Cell, outputs: Iterator[Output]) -> str:
    if cell.kind != "code":
        return cell.text
    found = next(outputs)
    parts = [f"```python\n{cell.text}\n```"]
    if found.printed:
        parts.append(f"```text\n{found.printed.rstrip()}\n```")
    parts += [f"``````{{raw}} html\n{each}\n``````" for each in found.shown]
    return "\n\n".join(parts)


class NotebookParser(MystParser):  # type: ignore[misc] # myst_parser is not typed here
    """Reads a notebook as the Markdown that ``page`` makes of it."""

    supported = ("ipynb",)

    def parse(self, inputstring: str, document: Any) -> None:
        """Parse the page into ``document``."""
        super().parse(page(inputstring, Path(document["source"]).name), document)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the parser, and ``.ipynb`` as what it reads."""
    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": False}
