"""Sphinx: Markdown pages, built strictly (every warning is an error), nothing from the network."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

_project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]

project = "Articulata"
author = "The Articulata authors"
copyright = "The Articulata authors, Apache-2.0"
release = version = _project["version"]

extensions = [
    "myst_parser",
    "public_names",
    "art_lexer",
    "library_portraits",
    "furniture_pieces",
    "notebook_pages",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True

myst_enable_extensions = ["deflist", "colon_fence", "smartquotes"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"Articulata {release}"
html_static_path = ["_static"]
html_css_files = ["cards.css"]
html_copy_source = False


def setup(app: Any) -> None:
    """Let pages be read by keys and aloud, after the theme has made its parts of them."""
    app.connect("html-page-context", _readable, priority=900)


def _readable(app: Any, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Let long code break and what scrolls take the focus; say the sidebar's headings' level."""
    body, sidebar = context.get("body", ""), context.get("furo_navigation_tree", "")
    body = re.sub(r'(?<=<span class="pre">)[^<]+', _breakable, body)
    body = body.replace("<pre>", '<pre tabindex="0">')
    context["body"] = body.replace(
        '<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'
    )
    context["furo_navigation_tree"] = sidebar.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )


def _breakable(code: re.Match[str]) -> str:
    """Return inline code that may break after a slash, a dot or an underscore."""
    return re.sub(r"(?<=[/._])(?=\w)", "<wbr>", code[0])
