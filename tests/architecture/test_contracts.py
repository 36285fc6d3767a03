"""Who may import whom; and proof that the contracts notice when a room breaks them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .sources import PACKAGE, ROOT

LINT = """
import sys
from importlinter.cli import lint_imports
sys.exit(lint_imports(config_filename=sys.argv[1], no_cache=True))
"""


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT, str(ROOT / "pyproject.toml")],
        env=os.environ | {"PYTHONPATH": str(source), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_contracts_are_kept() -> None:
    result = lint(PACKAGE.parent)
    assert result.returncode == 0, result.stdout + result.stderr


PLANTED = {
    "a lower room imports a higher one": ("geometry", "import articulata.world"),
    "kernels import the errors": ("kernels", "import articulata.errors"),
    "a format imports the domains": ("formats", "import articulata.domains"),
    "an analysis reads a foreign file": ("analyses", "import articulata.formats"),
    "the inverse imports the chain": ("kinematics.inverse", "import articulata.kinematics.chain"),
    "the report asks the domains": ("report", "import articulata.domains"),
    "the network imports a device": ("network", "import articulata.devices"),
    "a device imports the domains": ("devices", "import articulata.domains"),
    "an inner room looks at the clock": ("kinematics", "import time"),
    "an inner room opens a port": ("records", "import socket"),
    "an inner room draws": ("analyses", "import matplotlib"),
    "surroundings know the points that are searched": (
        "analyses.reach.surroundings",
        "import articulata.analyses.reach.points",
    ),
    "a room imports the public face": ("geometry", "from articulata import app"),
    "an analysis imports another": ("analyses.one", "import articulata.analyses.other"),
    "a domain imports another": ("domains.one", "import articulata.domains.other"),
}
NEW = ("cellar", "analyses.one", "analyses.other", "domains.one", "domains.other")


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a copy in which all is broken at once: one look at all modules takes long."""
    folder = tmp_path_factory.mktemp("broken")
    copy = folder / "articulata"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for room in NEW:
        made = copy / room.replace(".", "/")
        made.mkdir()
        (made / "__init__.py").write_text('"""A room that nobody planned."""\n')
    for room, line in PLANTED.values():
        with (copy / room.replace(".", "/") / "__init__.py").open("a") as file:
            file.write(f"\n{line}\n")
    result = lint(folder)
    assert result.returncode == 1, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("planted", PLANTED)
def test_a_broken_contract_is_noticed(planted: str, broken: str) -> None:
    room, line = PLANTED[planted]
    imported = line.replace("from articulata import ", "articulata.").removeprefix("import ")
    assert f"articulata.{room} is not allowed to import {imported}:" in broken


def test_a_room_outside_the_plan_is_noticed(broken: str) -> None:
    assert "- articulata.cellar" in broken
