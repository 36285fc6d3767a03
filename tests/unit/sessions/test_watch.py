"""A file that is watched is read when it has been written, not while it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from articulata.sessions import watch as watching


class Shown:
    """A viewer that keeps what it is shown."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def show(self, source: str, /) -> None:
        self.texts.append(source)

    def say(self, text: str, /) -> None:
        assert not text


def test_a_file_that_is_emptied_and_then_written_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, viewer = tmp_path / "world.art", Shown()
    path.write_text("first")
    between_looks = iter(["first", "first", "", "half of", "the whole", "the whole", "the whole"])
    ended: list[bool] = []

    def write_meanwhile(_: float) -> None:
        text = next(between_looks, None)
        if text is None:
            ended.append(True)
        elif text != path.read_text():
            path.write_text(text)

    monkeypatch.setattr(watching.time, "sleep", write_meanwhile)
    watching.watch(viewer, path, Path.read_text, ended=lambda: bool(ended))
    assert viewer.texts == ["first", "the whole"]


def test_what_was_made_already_is_shown_and_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, viewer = tmp_path / "world.art", Shown()
    path.write_text("first")
    asked: list[Path] = []
    looks = iter([False, False, False, True])
    monkeypatch.setattr(watching.time, "sleep", lambda _: None)

    def anew(file: Path) -> str:
        asked.append(file)
        return "anew"

    first = watching.stamp(path), "made"
    watching.watch(viewer, path, anew, ended=lambda: next(looks), first=first)
    assert viewer.texts == ["made"]
    assert not asked
