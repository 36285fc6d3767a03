"""The small programs behind the Makefile: what they find, and what they say when they do not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from articulata.kernels.compile import SHIPPED

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder of programs with the few that any machine has."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "env", "id", "tail", "mktemp", "rm"):
        where = shutil.which(name)
        assert where is not None
        (folder / name).symlink_to(where)
    return folder


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!{shutil.which('sh')}\n{text}\n")
    (folder / name).chmod(0o755)


def become_root(folder: Path) -> None:
    (folder / "id").unlink()
    program(folder, "id", "echo 0")


def run(
    script: str, folder: Path, *arguments: str, **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / script, *arguments],
        env={"PATH": str(folder)} | more,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_new_enough_python_is_found(bare: Path) -> None:
    program(bare, "python3", "exit 1")  # an old one: its version check fails
    program(bare, "python3.12", f'exec {sys.executable} "$@"')
    result = run("find-python", bare)
    assert (result.returncode, result.stdout.strip()) == (0, str(bare / "python3.12")), (
        result.stderr
    )


def test_a_named_python_comes_first(bare: Path) -> None:
    program(bare, "python3.11", f'exec {sys.executable} "$@"')
    assert run("find-python", bare, PYTHON=sys.executable).stdout.strip() == sys.executable


def test_without_python_it_says_what_to_install(bare: Path) -> None:
    result = run("find-python", bare)
    assert result.returncode == 1
    assert "needs Python 3.11 or newer" in result.stderr
    assert "PYTHON=" in result.stderr


def test_a_python_without_venv_is_named(bare: Path) -> None:
    program(bare, "python3.11", 'case "$2" in *ensurepip*) exit 1;; *) exit 0;; esac')
    result = run("find-python", bare)
    assert result.returncode == 1
    assert "python3-venv" in result.stderr


def test_a_chromium_is_found(bare: Path) -> None:
    program(bare, "chromium", "exit 0")
    assert run("find-tool", bare, "chromium").stdout.strip() == str(bare / "chromium")


@pytest.mark.parametrize("tool", ["chromium", "tshark", "npm"])
def test_without_a_tool_it_says_what_to_install(bare: Path, tool: str) -> None:
    for arguments in ((), ("--install",)):
        result = run("find-tool", bare, tool, *arguments)
        assert result.returncode == 1
        assert f"apt-get install {tool}" in result.stderr


def test_slow_tests_install_what_their_lock_file_holds_and_no_address() -> None:
    make = (ROOT / "Makefile").read_text()
    assert "test-slow: $(ENV)/.slow $(ENV)/.browser $(ENV)/.others" in make
    for name in ("x_ite", "gltf_validator"):
        lock = (ROOT / "locks" / name / "package-lock.json").read_text()
        assert '"integrity": "sha512-' in lock
        assert "://" not in lock


def test_chromium_is_installed_where_that_is_possible(bare: Path) -> None:
    (bare / "chmod").symlink_to(str(shutil.which("chmod")))
    become_root(bare)
    program(
        bare,
        "apt-get",
        f'[ "$1" = update ] || {{ printf "#!/bin/sh\\n" > {bare}/chromium;'
        f" chmod +x {bare}/chromium; }}",
    )
    result = run("find-tool", bare, "chromium", "--install")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip().endswith("chromium")


def test_an_installation_that_fails_is_shown(bare: Path) -> None:
    program(bare, "apt-get", "echo E: no network; exit 100")
    become_root(bare)
    result = run("find-tool", bare, "chromium", "--install")
    assert result.returncode == 1
    assert "E: no network" in result.stderr
    assert "apt-get install chromium" in result.stderr


def test_make_lists_its_commands() -> None:
    make = shutil.which("make")
    assert make is not None
    shown = subprocess.run([make, "-C", ROOT, "help"], capture_output=True, text=True, check=True)
    for command in ("demo", "test", "test-slow", "bench", "lint", "docs", "lock"):
        assert f"make {command}" in shown.stdout


def test_the_readme_shows_both_commands_on_its_first_screen() -> None:
    first_screen = (ROOT / "README.md").read_text().splitlines()[:24]
    for command in ("make demo", "make test"):
        assert any(line.startswith(command) for line in first_screen)


def test_continuous_integration_runs_the_same_command() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-1] == "exec make test"


def test_a_wheel_takes_kernels_compiled_ahead_with_it() -> None:
    """Where `make dist` puts them, and where they are looked for."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    package = ROOT / "src" / "articulata"
    assert f"{SHIPPED.relative_to(package).as_posix()}/**/*" in told["package-data"]["articulata"]
