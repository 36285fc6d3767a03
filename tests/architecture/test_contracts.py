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
    "the inverse imports the chain": ("kinematics/inverse", "import articulata.kinematics.chain"),
    "the report asks the domains": ("report", "import articulata.domains"),
    "the network imports a device": ("network", "import articulata.devices"),
    "a device imports the domains": ("devices", "import articulata.domains"),
    "an inner room looks at the clock": ("kinematics", "import time"),
    "an inner room opens a port": ("records", "import socket"),
    "an inner room draws": ("analyses", "import matplotlib.pyplot"),
    "surroundings know the points that are searched": (
        "analyses/reach/surroundings",
        "import articulata.analyses.reach.points",
    ),
    "a room imports the public face": ("geometry", "from articulata import app"),
}


FIRST, *MORE = PLANTED


@pytest.mark.parametrize(
    "planted", [FIRST, *(pytest.param(each, marks=pytest.mark.slow) for each in MORE)]
)
def test_a_broken_contract_is_noticed(planted: str, tmp_path: Path) -> None:
    room, line = PLANTED[planted]
    copy = tmp_path / "articulata"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    with (copy / room / "__init__.py").open("a") as file:
        file.write(f"\n{line}\n")
    result = lint(tmp_path)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "BROKEN" in result.stdout


def test_a_room_outside_the_plan_is_noticed(tmp_path: Path) -> None:
    copy = tmp_path / "articulata"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "cellar").mkdir()
    (copy / "cellar" / "__init__.py").write_text('"""A room that nobody planned."""\n')
    result = lint(tmp_path)
    assert result.returncode == 1
    assert "cellar" in result.stdout


@pytest.mark.parametrize("container", ["analyses", "domains"])
def test_neighbours_that_import_each_other_are_noticed(container: str, tmp_path: Path) -> None:
    copy = tmp_path / "articulata"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name, line in (("one", f"import articulata.{container}.other"), ("other", "")):
        (copy / container / f"{name}.py").write_text(f'"""A neighbour."""\n{line}\n')
    result = lint(tmp_path)
    assert result.returncode == 1
    assert f"articulata.{container}.one" in result.stdout
