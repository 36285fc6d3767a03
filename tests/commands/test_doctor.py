"""What the machine has, and what shells and ``man`` are told of the commands."""

from __future__ import annotations

import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from articulata.app import doctor
from articulata.app.command_arguments import Shell, completion, manual, parser_of
from articulata.app.main import app

LOCK = Path(__file__).parents[2] / "locks" / "base.txt"


def test_all_that_commands_need_is_found() -> None:
    lines, whole = doctor.report()
    assert whole
    assert f"ok       numba {version('numba')}" in lines
    for subject in ("Python", "kernels:", "viewer:", "browser:", "extra mujoco"):
        assert any(subject in line for line in lines), subject


def test_what_is_missing_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def known(name: str) -> str:
        if name in ("shapely", "pyserial"):
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(doctor, "version", known)
    lines, whole = doctor.report()
    assert not whole
    assert any(each.startswith("MISSING  shapely: ") and "pip install" in each for each in lines)
    assert "note     extra devices: add it by  pip install 'articulata[devices]'" in lines


def test_every_locked_package_is_listed_with_a_licence() -> None:
    """Those of other systems and those that only build are not installed, or not needed."""
    listed = dict(each.split(" ", 1) for each in doctor.licences())
    assert "BSD" in listed["numpy"]
    assert not [each for each in listed.values() if each.endswith("not told")]
    locked = {line.split("==")[0] for line in LOCK.read_text().splitlines() if line[:1].isalpha()}
    same = {each.lower().replace("_", "-") for each in listed}
    assert locked - same <= {"setuptools", "colorama", "tzdata", "wheel"}
    assert len(same) > 25


def completed(*words: str) -> list[str]:
    """Return what bash completes the last of ``words`` to."""
    asked = f"{completion(app, Shell.BASH)}\nCOMP_WORDS=({' '.join(words)})\n"
    asked += f'COMP_CWORD={len(words) - 1}\n_articulata\necho "${{COMPREPLY[@]}}"\n'
    told = subprocess.run(
        ["bash", "-c", asked], capture_output=True, text=True, timeout=60, check=True
    )
    return told.stdout.split()


def test_bash_completes_commands_and_options() -> None:
    assert completed("articulata", "sim") == ["simulate"]
    assert completed("articulata", "simulate", "--unt") == ["--until"]
    assert completed("articulata", "doctor", "--lic") == ["--licences"]


def test_all_shells_and_the_manual_know_every_option() -> None:
    page = manual(app).replace("\\-", "-")
    fish, zsh = completion(app, Shell.FISH), completion(app, Shell.ZSH)
    for name, function in app.listed.items():
        assert f".SS {name}\n" in page
        assert f"-a {name} " in fish
        for action in parser_of(function, "")._actions:
            for word in action.option_strings:
                assert word in zsh
                assert word in page
                assert f"-l {word[2:]} " in fish or not word.startswith("--")


def test_the_manual_begins_no_line_by_what_roff_takes_for_a_request() -> None:
    known = (".TH", ".SH", ".SS", ".TP", ".PP", ".B ", ".I ")
    assert all(line.startswith(known) for line in manual(app).splitlines() if line[:1] in ".'")
