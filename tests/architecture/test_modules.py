"""Every module stands alone, stays short and carries a name of the field."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .sources import modules

LONGEST = 500
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}

# Third-party libraries are loaded once; then each module is imported in a forked process that has
# none of ours yet. A circle that only works in one order shows up here.
ALONE = """
import importlib, os, sys, traceback
for name in sys.argv[1].split():
    importlib.import_module(name)
assert not [name for name in sys.modules if name.split(".")[0] == "articulata"]
failed = []
for name in sys.stdin.read().split():
    child = os.fork()
    if child == 0:
        status = 1
        try:
            importlib.import_module(name)
            status = 0
        except BaseException:
            print(name, traceback.format_exc(), sep="\\n", file=sys.stderr, flush=True)
        os._exit(status)
    if os.waitpid(child, 0)[1] != 0:
        failed.append(name)
print(" ".join(failed))
"""


def top_level_imports(path: Path) -> set[str]:
    """Return the third-party modules that are imported when the module is."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module)
    return {name for name in found if name.split(".")[0] not in ("articulata", "__future__")}


def imported(path: Path, known: Collection[str]) -> set[str]:
    """Return our modules that are imported when the module is, their packages included."""
    found = set()
    for node in at_import(ast.parse(path.read_text()).body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    parts = [name.split(".") for name in found if name.split(".")[0] == "articulata"]
    return {".".join(each[:n]) for each in parts for n in range(1, len(each) + 1)} & set(known)


def at_import(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run when a module is imported, those within others too."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield from at_import(node.orelse)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While | ast.ClassDef):
            for name in ("body", "orelse", "finalbody", "handlers"):
                parts = getattr(node, name, [])
                inner = [b for each in parts for b in getattr(each, "body", [each])]
                yield from at_import(inner if name == "handlers" else parts)


def in_circles(found: Mapping[str, Path]) -> set[str]:
    """Return the modules that import each other in a circle when they are imported."""
    names = list(found)
    number = {name: k for k, name in enumerate(names)}
    ways = [(number[a], number[b]) for a in names for b in imported(found[a], found) if a != b]
    graph = coo_array(
        (np.ones(len(ways)), tuple(zip(*ways, strict=True))), shape=(len(names), len(names))
    )
    _, part = connected_components(graph, connection="strong")
    together = np.bincount(part)[part] > 1
    return {name for name, circle in zip(names, together, strict=True) if circle}


def test_each_module_imports_alone() -> None:
    """What lies in no circle imports in any order, as all do in one process."""
    found = modules()
    for name in found:
        importlib.import_module(name)
    outside = sorted(set().union(*(top_level_imports(path) for path in found.values())))
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", ALONE, " ".join(outside)],
        input="\n".join(in_circles(found)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == [], result.stderr


def test_modules_are_short() -> None:
    lengths = {name: len(path.read_text().splitlines()) for name, path in modules().items()}
    assert {name: count for name, count in lengths.items() if count > LONGEST} == {}


def test_modules_are_named_for_something() -> None:
    assert [name for name in modules() if EMPTY_NAMES & set(name.split("."))] == []


def test_circles_are_seen(tmp_path: Path) -> None:
    texts = {
        "articulata.a": "from articulata.b import x",
        "articulata.b": "try:\n    import articulata.c\nexcept ImportError: pass",
        "articulata.c": "if True:\n    from articulata import a",
        "articulata.d": "if TYPE_CHECKING:\n    import articulata.e",
        "articulata.e": "import articulata.d, articulata.a\ndef f(): import articulata.e",
    }
    found = {}
    for name, text in texts.items():
        found[name] = tmp_path / name
        found[name].write_text(text)
    assert in_circles(found) == {"articulata.a", "articulata.b", "articulata.c"}
