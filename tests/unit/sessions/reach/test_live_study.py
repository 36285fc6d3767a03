"""What the panel of reach asks of its session: a place on a scanned thing gets a name."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
import rooms
from articulata.analyses.reach.reach_question import study_of
from articulata.records.reach_verdicts import Verdict
from articulata.sessions.reach.live_study import Reaching


class Told:
    """A viewer that only hears what it is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []

    def wish(self, _: str, name: str, value: Any) -> None:
        """Keep what is told."""
        self.heard.append((name, value))

    def next(self) -> Any:
        """Return what is told next, within 20 s."""
        for _ in range(400):
            if self.heard:
                return self.heard.pop(0)
            time.sleep(0.05)
        raise AssertionError("nothing was told")


def test_a_click_on_a_scan_names_a_place_that_is_saved(tmp_path: Path) -> None:
    (tmp_path / "panel.obj").write_text(rooms.SCAN)
    file = tmp_path / "room.art"
    file.write_text(rooms.PANEL)
    request = art.read(file).requests[0]
    told = Told()
    reached = art.reach(request, remedies=False)
    reaching = Reaching(study_of(request)[0], reached, file, told)  # type: ignore[arg-type] # it hears
    try:
        ask, save = reaching.services.named, reaching.services.save
        ask("on foot", "dial", np.array([(0.1, 1.2, 2.0), (0.0, 0.0, 1.0)]), ())
        assert told.next() == ("named", (None, None, "There is nothing; click on a thing."))
        assert save() == "Nothing was moved or named."
        ask("on foot", "dial", np.array([(0.1, 1.2, 2.0), (0.0, 0.0, -1.0)]), ())
        name, (place, q, words) = told.next()
        assert name == "named"
        np.testing.assert_allclose(place, (0.1, 1.2, -1.3), atol=1e-9)
        assert "**panel.dial** is not saved yet\n- on foot: reached" in words
        figure = reaching._study.bodies["on foot"].figure
        tips = [figure.landmark(q, f"{side}_middle_distal_tip")[:3, 3] for side in "rl"]
        assert min(np.linalg.norm(tip - (0.1, 1.3, 1.2)) for tip in tips) < 1.1e-3
        assert save() == "Saved to room.art: panel.dial."
        # a name that is taken is refused, and not tried again
        ask("on foot", "dial", np.array([(0.2, 1.2, 2.0), (0.0, 0.0, -1.0)]), ())
        told.next()
        assert "has a feature 'dial' already" in save()
        assert save() == "Nothing was moved or named."
    finally:
        reaching.close()
    again = study_of(art.read(file).requests[0])
    assert again[1] == ("panel.dial",)
    np.testing.assert_allclose(again[0].room.point("panel.dial"), (0.1, 1.3, 1.2), atol=1e-6)


def test_what_is_moved_keeps_the_direction_of_the_hand() -> None:
    said = "objects: counter.front, shelf.front palm pointing -y"
    text = rooms.TEXT.format(shelf=1.4).replace("objects: counter.front, shelf.front", said)
    request = art.parse(text.replace("points: grid 30 cm in floor", "")).requests[0]
    reached = art.reach(request, remedies=False)
    study, told = study_of(request)[0], Told()
    reaching = Reaching(study, reached, None, told)  # type: ignore[arg-type] # it hears
    try:
        x, _, z = study.world.bodies["shelf"].pose.position
        reaching.services.moved("on foot", ("shelf",), np.array([x, 1.2, z]))
        name, (_, verdict) = told.next()
        assert (name, verdict.asked) == ("verdicts:on foot", reached.things[1])
        assert verdict.accessible
        assert told.next() == ("coming", frozenset({"verdicts of manual wheelchair"}))
        assert told.next()[0] == "verdicts:manual wheelchair"
        assert told.next() == ("coming", frozenset())
        reaching.services.stood("on foot", verdict.base)
        name, (_, words) = told.next()
        assert name == "stands"
        assert "✓ shelf.front" in words
    finally:
        reaching.close()


def test_what_goes_along_is_saved_and_what_was_moved_back_is_not(tmp_path: Path) -> None:
    text = rooms.TEXT.format(shelf=0.97).replace("points: grid 30 cm in floor", "")
    text = text.replace("shelf: block(1.2, 0.02, 0.3)", "shelf: block(1.2, 0.14, 0.3)  # a box")
    text = text.replace(", human_upper_body on wheelchair", "")
    file = tmp_path / "room.art"
    file.write_text(text)
    request = art.read(file).requests[0]
    told = Told()
    reached = art.reach(request, remedies=False)
    reaching = Reaching(study_of(request)[0], reached, file, told)  # type: ignore[arg-type] # it hears
    services = reaching.services
    try:
        # the box stands on the counter
        assert services.along("counter") == ("counter", "shelf")
        services.moved("on foot", ("counter", "shelf"), np.array([-0.5, 0.45, 0.3]))
        # saved at once: before anything was found again
        assert reaching.world.bodies["counter"].pose.position == (-0.5, 0.45, 0.3)
        assert services.save() == "Saved to room.art: counter, shelf."
        wanted = text.replace("(-0.6, 0.45, 0.3)", "(-0.5 m, 0.45 m, 0.3 m)")
        wanted = wanted.replace("(-0.6, 0.97, 0.15)", "(-0.5 m, 0.97 m, 0.15 m)")
        assert file.read_text() == wanted
        services.moved("on foot", ("shelf",), np.array([0.2, 0.97, 0.15]))
        services.moved("on foot", ("shelf",), np.array([-0.5, 0.97, 0.15]))
        assert services.save() == "Nothing was moved or named."
        assert file.read_text() == wanted
    finally:
        reaching.close()


def test_a_room_that_ships_is_saved_to_a_copy(tmp_path: Path) -> None:
    text = rooms.TEXT.format(shelf=1.4).replace("points: grid 30 cm in floor", "")
    ships, copies = tmp_path / "room.art", tmp_path / "out"
    ships.write_text(text.replace(", human_upper_body on wheelchair", ""))
    copies.mkdir()
    (copies / "room.art").write_text("somebody's own")
    request = art.read(ships).requests[0]
    reached = art.reach(request, remedies=False)
    study = study_of(request)[0]
    before = ships.read_text()
    reaching = Reaching(study, reached, ships, Told(), copies)  # type: ignore[arg-type] # it hears
    try:
        for height in (1.3, 1.2):
            reaching.services.moved("on foot", ("shelf",), np.array([-0.6, height, 0.15]))
            assert reaching.services.save() == f"Saved to {copies / 'room_2.art'}: shelf."
    finally:
        reaching.close()
    assert ships.read_text() == before
    assert (copies / "room.art").read_text() == "somebody's own"
    wanted = before.replace("(-0.6, 1.4, 0.15)", "(-0.6 m, 1.2 m, 0.15 m)")
    assert (copies / "room_2.art").read_text() == wanted


def test_clouds_are_found_though_the_person_is_dragged_meanwhile() -> None:
    text = rooms.TEXT.format(shelf=1.4).replace("30 cm", "80 cm")
    request = art.parse(text.replace(", human_upper_body on wheelchair", "")).requests[0]
    reached = art.reach(request, remedies=False)
    told = Told()
    reaching = Reaching(study_of(request)[0], reached, None, told)  # type: ignore[arg-type] # it hears
    try:
        reaching.services.moved("on foot", ("shelf",), np.array([-0.6, 1.2, 0.15]))
        reaching.services.stood("on foot", np.array([0.0, -1.6, 0.0]))
        names = set()
        while (heard := told.next()) != ("coming", frozenset()):
            names.add(heard[0])
        assert names > {"stands", "part:on foot"}
    finally:
        reaching.close()


def test_remedies_are_told_when_nothing_has_moved_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rest = 3.0
    monkeypatch.setattr("articulata.sessions.reach.live_study.REST", rest)
    text = rooms.TEXT.format(shelf=1.4).replace(", human_upper_body on wheelchair", "")
    request = art.parse(text.replace("30 cm", "80 cm")).requests[0]
    told = Told()
    reached = art.reach(request, remedies=False)
    reaching = Reaching(study_of(request)[0], reached, None, told)  # type: ignore[arg-type] # it hears
    try:
        reaching.services.moved("on foot", ("shelf",), np.array([-0.6, 2.4, 0.15]))
        moved = time.monotonic()
        number = reaching.services.moved("on foot", ("shelf",), np.array([-0.6, 2.2, 0.15]))
        heard: list[tuple[str, Any]] = []
        while ("coming", frozenset()) not in heard:
            heard.append(told.next())
            if heard[-1][0].startswith("remedy:"):
                assert time.monotonic() - moved >= rest
    finally:
        reaching.close()
    names = [name for name, _ in heard if name != "coming"]
    # the cloud comes last
    assert names[-3:] == ["verdicts:on foot", "remedy:on foot:shelf.front", "part:on foot"]
    (told_number, verdict) = heard[[name for name, _ in heard].index(names[-2])][1]
    assert told_number == number
    assert verdict.remedy.kind == "lower"
    assert verdict.remedy.what == "shelf"
    lower = 2.2 - verdict.remedy.by
    again = art.parse(text.replace("(-0.6, 1.4, 0.15)", f"(-0.6, {lower}, 0.15)")).requests[0]
    assert art.reach(again, remedies=False).verdict("shelf.front", "on foot").accessible


def test_a_search_for_a_remedy_gives_way_to_what_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    text = rooms.TEXT.format(shelf=1.4).replace(", human_upper_body on wheelchair", "")
    request = art.parse(text.replace("points: grid 30 cm in floor", "")).requests[0]
    told = Told()
    reached = art.reach(request, remedies=False)
    study = study_of(request)[0]
    reaching = Reaching(study, reached, None, told)  # type: ignore[arg-type] # it hears
    begun: list[Verdict] = []

    def endless(verdict: Verdict, heed: Callable[[], None]) -> Verdict:
        begun.append(verdict)
        while len(begun) < 3:
            heed()
            time.sleep(0.001)
        return verdict

    monkeypatch.setattr(study, "mended", endless)

    def wait(count: int) -> None:
        end = time.monotonic() + 20.0
        while len(begun) < count:
            assert time.monotonic() < end
            time.sleep(0.01)

    try:
        reaching.services.moved("on foot", ("shelf",), np.array([-0.6, 2.4, 0.15]))
        wait(1)
        # where somebody stands is answered in between, and the search begun again
        reaching.services.stood("on foot", np.array([0.0, -1.6, 0.0]))
        wait(2)
        assert begun[1] is begun[0]
        number = reaching.services.moved("on foot", ("shelf",), np.array([-0.6, 2.3, 0.15]))
        wait(3)
        assert begun[2].point[1] == pytest.approx(begun[0].point[1] - 0.1)
        remedies = [
            each for each in iter(told.next, ("coming", frozenset())) if "remedy:" in each[0]
        ]
    finally:
        reaching.close()
    assert [each for _, (each, _) in remedies] == [number]


def test_surfaces_are_asked_again_and_a_mistake_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = rooms.TEXT.format(shelf=1.4).replace(", human_upper_body on wheelchair", "")
    text = text.replace("points: grid 30 cm in floor", "surfaces: shelf")
    request = art.parse(text).requests[0]
    told = Told()
    reached = art.reach(request, remedies=False)
    study = study_of(request)[0]
    reaching = Reaching(study, reached, None, told)  # type: ignore[arg-type] # it hears
    up = np.array([-0.6, 2.3, 0.15])
    try:
        with monkeypatch.context() as broken:
            broken.setattr(study, "verdicts", lambda *_, **__: 1 / 0)
            reaching.services.moved("on foot", ("shelf",), up)
            _, (_, words) = next(each for each in iter(told.next, None) if each[0] == "stands")
            assert words.startswith("**This went wrong: ZeroDivisionError")
        reaching.services.moved("on foot", ("shelf",), up)
        found = next(value for name, value in iter(told.next, None) if name == "uses:surfaces")
    finally:
        reaching.close()
    assert reached.surfaces[0].reached > 0.3
    assert found[0].reached == 0.0
    assert "ZeroDivisionError" in capsys.readouterr().err
