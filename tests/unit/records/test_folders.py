"""Folders of results: whose they are, and where those of a namesake go."""

from __future__ import annotations

from pathlib import Path

import pytest

from articulata.errors import FormatWarning
from articulata.records.files import folder_of, mark
from articulata.sessions.command_fields import Asked


def file_in(folder: Path) -> Path:
    folder.mkdir()
    file = folder / "kitchen.art"
    file.write_text("")
    return file


def test_results_of_a_namesake_go_to_the_next_free_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one, two = file_in(tmp_path / "a"), file_in(tmp_path / "b")
    assert Asked(one).made_folder() == Path("out/kitchen")
    with pytest.warns(FormatWarning, match="out/kitchen holds results of another file"):
        assert Asked(two).made_folder() == Path("out/kitchen-2")
    assert Asked(one).folder == Path("out/kitchen")
    assert Asked(two).folder == Path("out/kitchen-2")
    with pytest.warns(FormatWarning, match="those of .*kitchen.art go to out/kitchen-3"):
        assert Asked(Path("kitchen")).made_folder() == Path("out/kitchen-3")
    assert Asked(two, out=Path("out/kitchen")).made_folder() == Path("out/kitchen")


def test_a_folder_whose_file_is_gone_is_taken_over(tmp_path: Path) -> None:
    one, two = file_in(tmp_path / "a"), file_in(tmp_path / "b")
    mark(tmp_path / "out" / "kitchen", one)
    assert folder_of(two, tmp_path / "out").name == "kitchen-2"
    one.unlink()
    assert folder_of(two, tmp_path / "out").name == "kitchen"
