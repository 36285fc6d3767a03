"""What the editor answers to its page: findings, words, what is saved; and what is shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from articulata.errors import WorldError
from articulata.report.viewer.conversation import Mailbox
from articulata.report.viewer.motion_sources import Motion
from articulata.sessions import newest_text
from articulata.sessions.editing import NEW, Editing, edit_file
from articulata.world.document import parse

FALL = """primitive ball {
  properties: (density: 1000)
  geometry: sphere(10 cm)
  dynamics
}

world fall {
  gravity: (0, -9.81, 0)
  components b: ball
  structure { place b by b.center at (0, HEIGHT m, 0) }
}

simulate fall { time: (TIMES) }
"""


def fall(height: float, times: str = "10 ms, 0.5 s") -> str:
    return FALL.replace("HEIGHT", str(height)).replace("TIMES", times)


class Pages:
    """A server and its viewer: keeps what they are told, asks as a page does."""

    def __init__(self) -> None:
        self.wishes: Mailbox[tuple[int, Any]] = Mailbox()
        self.viewer = self
        self.state: Mapping[str, Any] = {}
        self.shown: list[Motion] = []
        self.worker: Callable[[], int | None] = lambda: None
        self._number = 0

    def say(self, state: Mapping[str, Any]) -> None:
        self.state = state

    def show(self, motion: Motion, *, stay: bool) -> None:
        assert stay
        self.shown.append(motion)

    def grow(self, motion: Motion, *, growing: bool) -> None:
        self.shown.append(motion)

    def ask(self, what: str, to: object) -> int:
        self._number += 1
        self.wishes.put(what, (self._number, to))
        return self._number


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 120.0
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Pages, Path]]:
    """An editor whose process has begun: that takes most of the time."""
    file = tmp_path_factory.mktemp("edited") / "fall.art"
    file.write_text(fall(1.0))
    pages = Pages()
    editing = Editing(file, pages)  # type: ignore[arg-type] # it answers as a server does
    pages.worker = lambda: editing._newest._process.pid
    yield pages, file
    editing.close()


def ended(pages: Pages, number: int) -> bool:
    return pages.state["number"] == number and pages.state["run"].startswith("Simulated")


def test_a_text_is_shown_as_it_stands_and_then_as_it_falls(opened: tuple[Pages, Path]) -> None:
    pages, _ = opened
    pages.shown.clear()
    number = pages.ask("text", fall(3.0))
    until(lambda: ended(pages, number))
    assert pages.state["findings"] == []
    first, last = pages.shown[0], pages.shown[-1]
    assert len(first.times) == 1
    assert first.poses[0, 0, 1] == pytest.approx(3.0)
    assert last.times[-1] == pytest.approx(0.5)
    assert last.poses[-1, 0, 1] == pytest.approx(3.0 - 9.81 * 0.5**2 / 2, abs=1e-9)


def test_what_the_text_monitors_is_plotted_first(opened: tuple[Pages, Path]) -> None:
    pages, _ = opened
    number = pages.ask("text", fall(3.0))
    until(lambda: ended(pages, number))
    assert "energy.total" in pages.shown[-1].shown_first
    asked = fall(3.0).replace("0.5 s) }", "0.5 s); report: monitor b.v.y }")
    number = pages.ask("text", asked)
    until(lambda: ended(pages, number))
    assert pages.shown[-1].shown_first == ("b.v.y",)


def test_a_mistake_is_told_and_the_picture_stays(opened: tuple[Pages, Path]) -> None:
    pages, _ = opened
    before = len(pages.shown)
    number = pages.ask("text", fall(2.0).replace("b: ball", "b: bal"))
    until(lambda: pages.state["number"] == number)
    (found,) = pages.state["findings"]
    assert (found["line"], found["column"], found["end_column"]) == (9, 17, 20)
    assert (found["file"], found["severity"]) == ("", "error")
    assert "ball" in found["message"] + found["suggestion"]
    assert len(pages.shown) == before


def test_words_that_may_stand_at_the_cursor_are_offered(opened: tuple[Pages, Path]) -> None:
    pages, _ = opened
    text = fall(2.0)
    number = pages.ask("complete", {"text": text, "offset": text.index("ball\n  structure")})
    until(lambda: pages.state["offers"].get("number") == number)
    assert "ball" in [each["label"] for each in pages.state["offers"]["items"]]


def test_a_run_without_end_gives_way_to_the_next_text(opened: tuple[Pages, Path]) -> None:
    pages, _ = opened
    pages.ask("text", fall(5.0, "1 ms, 5000 s"))
    until(lambda: pages.state["run"].startswith("Simulating") and pages.shown[-1].times[-1] > 0)
    assert pages.shown[-1].poses[0, 0, 1] == pytest.approx(5.0)
    number = pages.ask("text", fall(7.0))
    until(lambda: ended(pages, number))
    assert pages.shown[-1].poses[0, 0, 1] == pytest.approx(7.0)


def test_a_step_without_end_is_cut_off_by_the_next_text(
    opened: tuple[Pages, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest_text, "GRACE", 0.1)
    pages, _ = opened
    endless = NEW.replace("10 ms, 5 s", "90000 s, 180000 s")  # a day in one step
    pages.ask("text", endless)
    until(lambda: pages.state["run"] == "Simulating: 0 s.")
    before = pages.worker()
    number = pages.ask("text", fall(6.0))
    until(lambda: ended(pages, number))
    assert pages.shown[-1].poses[0, 0, 1] == pytest.approx(6.0)
    assert pages.worker() != before


def test_a_text_is_saved_over_the_version_that_it_is_made_of_alone(
    opened: tuple[Pages, Path],
) -> None:
    pages, file = opened

    def save(text: str, version: str) -> Mapping[str, Any]:
        number = pages.ask("save", {"text": text, "version": version})
        until(lambda: pages.state["saved"].get("number") == number)
        return pages.state["saved"]

    file.write_bytes(b"# theirs\r\n")
    old = pages.state["version"]
    assert save("# mine\n", old)["version"] == ""
    assert file.read_bytes() == b"# theirs\r\n"
    assert pages.state["text"] == "# theirs\n"
    kept = save("# mine\n", pages.state["version"])["version"]
    assert kept == pages.state["version"] != ""
    assert file.read_bytes() == b"# mine\r\n"
    assert "surrogates" in save("\ud800", kept)["problem"]
    file.unlink()
    assert save("# again\n", kept)["version"] == ""
    assert not file.exists()
    assert save("# again\n", "")["version"]
    assert file.read_text() == "# again\n"


def test_where_a_link_points_to_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target.art", tmp_path / "link.art"
    target.write_text("# old\n")
    target.chmod(0o600)
    link.symlink_to(target)
    pages = Pages()
    editing = Editing(link, pages)  # type: ignore[arg-type] # it answers as a server does
    try:
        pages.ask("save", {"text": "# new\n", "version": pages.state["version"]})
        until(lambda: pages.state["saved"])
    finally:
        editing.close()
    assert link.is_symlink()
    assert target.read_text() == "# new\n"
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.art", "target.art"]


def test_what_a_new_file_begins_with_has_no_finding() -> None:
    assert parse(NEW).check() == ()
    assert parse(NEW).text == NEW


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("run.artrun", b"", "no world's text"),
        ("no/where.art", b"", "no folder"),
        ("latin.art", "# Größe".encode("latin-1"), "UTF-8"),
        ("long.art", b"# " + b"x" * 200_000, "longer than 200000"),
    ],
)
def test_what_cannot_be_edited_is_refused(name: str, data: bytes, why: str, tmp_path: Path) -> None:
    file = tmp_path / name
    if data:
        file.write_bytes(data)
    with pytest.raises(WorldError, match=why):
        edit_file(file, "", None, pytest.fail, pytest.fail)
