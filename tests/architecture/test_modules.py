"""Every module stands alone, stays short and carries a name of the field."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from .sources import modules

LONGEST = 500
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}

# Third-party libraries are loaded once; then every module of ours is imported in a forked
# process that has none of ours yet. A cycle that only works in one order shows up here.
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


def test_each_module_imports_alone() -> None:
    found = modules()
    outside = sorted(set().union(*(top_level_imports(path) for path in found.values())))
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", ALONE, " ".join(outside)],
        input="\n".join(found),
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
