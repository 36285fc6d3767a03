"""Modules that import each other in a circle are few, wherever in a module the import stands."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .sources import imports_in, modules

MOST = 5
"""Modules of one circle: a world, its edits and its paths know each other."""


def imports(path: Path, known: Mapping[str, Path]) -> set[str]:
    """Return our modules that a module imports, wherever in it."""
    found = set()
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif node.level == 0 and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in known else node.module)
    return found & set(known)


def circles(found: Mapping[str, Path]) -> list[set[str]]:
    """Return the modules that import each other, circle by circle."""
    names = list(found)
    number = {name: k for k, name in enumerate(names)}
    ways = [(number[a], number[b]) for a in names for b in imports(found[a], found)]
    graph = coo_array(
        (np.ones(len(ways)), tuple(zip(*ways, strict=True))), shape=(len(names), len(names))
    )
    count, part = connected_components(graph, connection="strong")
    groups = [{names[k] for k in np.flatnonzero(part == each)} for each in range(count)]
    return [each for each in groups if len(each) > 1]


def test_no_circle_of_imports_is_large() -> None:
    found = {name: path for name, path in modules().items() if name != "articulata"}
    assert [sorted(each) for each in circles(found) if len(each) > MOST] == []


def test_a_circle_is_seen_wherever_its_imports_stand(tmp_path: Path) -> None:
    texts = {
        "articulata.a": "def f():\n    from articulata.b import x",
        "articulata.b": "if TYPE_CHECKING:\n    from articulata import c",
        "articulata.c": "import articulata.a",
        "articulata.d": "import articulata.a",
    }
    found = {}
    for name, text in texts.items():
        found[name] = tmp_path / name
        found[name].write_text(text)
    assert circles(found) == [{"articulata.a", "articulata.b", "articulata.c"}]
