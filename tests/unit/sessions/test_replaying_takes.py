"""A take is replayed with the figures that it was made with."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.records.recording import load
from articulata.sessions.track import participants as saying
from articulata.sessions.track.participants import participants
from articulata.sessions.track.performing import Bearing
from articulata.sessions.track.person import Person
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_request import track_asked
from articulata.sessions.track.tracked_figures import armed, choice_of, follower
from articulata.sessions.track.wish import TrackWish
from articulata.world.figures.shelf import shelf
from articulata.world.requests.choices import DeviceChoice
from articulata.world.requests.track import TrackQuestion

from .test_tracking import Notes

AT_ONCE = float("inf")


class Held(NamedTuple):
    """A header's settings."""

    settings: dict[str, str]


def table(path: Path) -> Path:
    rows = [f"{1 + k % 3},{0.01 * k},0.98,0,0.199,0" for k in range(12)]
    path.write_text("\n".join(rows), "utf-8")
    return path


def tracked(out: Path, **more: object) -> Path:
    asked = {
        "stations": ("1 r_upper_arm, 2 r_forearm, 3 r_hand",),
        "calibrate": "none",
        "out": out,
        "speed": AT_ONCE,
        "headless": True,
        **more,
    }
    return track_asked(Asked(**asked), Notes()).files[0]  # type: ignore[arg-type] # as in each test


def replayed(take: Path, out: Path) -> Path:
    return track_asked(Asked(take, out=out, speed=AT_ONCE, headless=True), Notes()).files[0]


def hand(take: Path, who: str) -> Array:
    recording = load(take)
    (at,) = (
        k
        for k, label in enumerate(recording.channels["geometric.pose"].labels)
        if label == f"{who}.r_hand"
    )
    return np.array(recording.array("geometric.pose")[-1, at])


@pytest.mark.parametrize(
    "text", ["person", "person(1.9 m)", "person(height: 190 cm)", "human_upper_body(1.9 m)"]
)
def test_a_choice_of_a_figure_reads_back_from_its_text(text: str) -> None:
    choice = choice_of(text)
    assert choice_of(choice.text) == choice


def test_a_tall_figure_is_replayed_as_tall(tmp_path: Path) -> None:
    source = str(table(tmp_path / "arm.csv"))
    arms = "human_upper_body"
    first = tracked(
        tmp_path / "first", sources=(source,), figures=(f"{arms}(1.9 m)",), weapon="slung"
    )
    second = replayed(first, tmp_path / "second")
    # with the rifle that it had
    poses = (load(take).array("geometric.pose") for take in (second, first))
    np.testing.assert_allclose(*poses, atol=1e-9)
    usual = tracked(tmp_path / "usual", sources=(source,), figures=(arms,))
    assert np.linalg.norm(hand(usual, arms)[:3] - hand(first, arms)[:3]) > 0.05


def test_what_is_said_goes_before_the_take_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {"figure": "person(1.9 m)", "body": "seated", "weapon": "deployed", "released": "l"}
    monkeypatch.setattr(saying, "load", lambda path: SimpleNamespace(header=Held(held)))
    take = {"anna": (DeviceChoice("file", "take.artrun"),), "ben": (DeviceChoice("emulator"),)}
    question = TrackQuestion(choice_of("person"))

    def of(who: str, **more: object) -> saying.Participant:
        return participants(take, question, by_takes=["anna"], **more)[who]  # type: ignore[arg-type]

    asked = of("anna")
    assert asked.figure == choice_of("person(1.9 m)")
    assert (asked.body, asked.weapon, asked.released) == ("seated", "deployed", "l")
    shorter = of("anna", figures=("person(1.6 m)",))
    assert shorter.figure == choice_of("person(1.6 m)")
    assert (shorter.body, shorter.weapon) == ("seated", "deployed")
    assert of("anna", weapon="deployed").released == ""
    other = of("ben")
    assert (other.figure, other.weapon, other.released) == (question.figure, "", "")
    held["figure"] = "person(foo: 3)"
    with pytest.raises(ArticulataError, match=r"take.artrun was made with figure .*'foo'"):
        of("anna")
    held["figure"] = "goblin"
    with pytest.raises(ArticulataError, match="which the library does not have"):
        of("anna")


def test_a_released_hand_is_told_and_stays_so() -> None:
    who = armed(follower(choice_of("human_upper_body")), None)
    body = Person(TrackWish(), who).body
    bearing = Bearing(who, body, "deployed", "l")
    assert bearing.settings() == {"weapon": "deployed", "released": "l"}
    bearing.grant("hand l", True)
    assert bearing.settings() == {"weapon": "deployed"}


@pytest.mark.slow
def test_the_body_does_what_it_did_unless_told_otherwise(tmp_path: Path) -> None:
    source = str(table(tmp_path / "arm.csv"))
    first = tracked(tmp_path / "first", sources=(source,), body="kneeling", weapon="deployed")
    second, third = replayed(first, tmp_path / "second"), tmp_path / "third"
    for take in (first, second):
        recording = load(take)
        assert recording.header.settings["body"] == "kneeling"
        assert recording.header.settings["weapon"] == "deployed"
        knee = recording.channels["kinematic.coordinate"].labels.index("person.r_knee_flexion")
        assert recording.array("kinematic.coordinate")[-1, knee] > 0.01
    up = tracked(third, file=first, body="standing", weapon="none", stations=(), calibrate=None)
    assert not {"body", "weapon"} & set(load(up).header.settings)


@pytest.mark.slow
def test_each_of_several_is_replayed_with_his_own_figure(tmp_path: Path) -> None:
    words = tuple(f"{who}={table(tmp_path / f'{who}.csv')}" for who in ("anna", "ben"))
    figures = ("anna=person(1.6 m)", "ben=person(height: 1.9 m)")
    first = tracked(tmp_path / "first", sources=words, figures=figures)
    second = replayed(first, tmp_path / "second")
    for who in ("anna", "ben"):
        np.testing.assert_allclose(hand(second, who), hand(first, who), atol=1e-9)


@pytest.mark.slow
def test_a_take_of_a_figure_that_the_library_lacks_says_what_to_do(tmp_path: Path) -> None:
    arms = shelf()["human_upper_body"][0].read_text("utf-8")
    mine = tmp_path / "mine.art"
    source = table(tmp_path / "arm.csv")
    request = f'track me {{ figure: mine; from: "{source}"; calibrate: none }}\n'
    arms = arms.replace("figure human_upper_body", "figure mine")
    mine.write_text(f"{arms}\n{request}", "utf-8")
    take = tracked(tmp_path / "first", file=mine)
    with pytest.raises(
        ArticulataError, match=r"figure mine, which the library does not .*--figure"
    ):
        replayed(take, tmp_path / "again")
    again = tracked(tmp_path / "second", file=mine, sources=(str(take),))
    np.testing.assert_allclose(hand(again, "mine"), hand(take, "mine"), atol=1e-9)
