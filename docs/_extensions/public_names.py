"""A directive that lists the public names: how each is called, and its docstring.

Docstrings of this project are plain text with shapes such as ``(*batch, 4)``: paragraphs, items
after dashes and code in double backticks are shown as such, nothing else is read as markup.
"""

from __future__ import annotations

import inspect
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import articulata

WIDTH = 88


def _written(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def called(name: str, value: object) -> str:
    """Return how a name is used: ``read(path: Path) -> Document``, or the name alone."""
    if not callable(value) or (isinstance(value, type) and issubclass(value, BaseException)):
        return name
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    parts = []
    star = False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        star = star or parameter.kind is parameter.VAR_POSITIONAL
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        text = prefix.get(parameter.kind, "") + parameter.name
        if parameter.annotation is not parameter.empty:
            text += f": {_written(parameter.annotation)}"
        if parameter.default is not parameter.empty:
            text += f" = {parameter.default!r}"
        parts.append(text)
    result = ""
    if not isinstance(value, type) and signature.return_annotation is not signature.empty:
        result = f" -> {_written(signature.return_annotation)}"
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def paragraph(text: str) -> nodes.paragraph:
    """Return a paragraph; what stands in double backticks is code."""
    parts = " ".join(text.split()).split("``")
    shown = [
        nodes.literal("", part) if at % 2 else nodes.Text(part) for at, part in enumerate(parts)
    ]
    return nodes.paragraph("", "", *shown)


def told(text: str) -> list[nodes.Node]:
    """Return a docstring's paragraphs and lists."""
    found: list[nodes.Node] = []
    for part in re.split(r"\n\s*\n", text):
        if part.startswith("- "):
            items = (nodes.list_item("", paragraph(each)) for each in part[2:].split("\n- "))
            found.append(nodes.bullet_list("", *items))
        else:
            found.append(paragraph(part))
    return found


class PublicNames(SphinxDirective):
    """``{public-names}``: one section per public name, in alphabetical order."""

    def run(self) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        for name in articulata.__all__:
            value = getattr(articulata, name)
            section = nodes.section(ids=[nodes.make_id(f"art-{name}")], names=[name])
            section["support_smartquotes"] = False  # "" is a value here
            section += nodes.title("", name)
            section += nodes.literal_block("", called(name, value), language="python")
            section += told(inspect.getdoc(value) or "")
            home = getattr(value, "__module__", articulata._HOMES[name])
            section += paragraph(f"from ``{home}``")
            found.append(section)
        return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True}
