"""A session from the bytes of an emulated tracker to a take, and back from the take."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from articulata.analyses.track.calibration import Calibration, level
from articulata.analyses.track.tracked_person import tracked_body
from articulata.devices.recorded import samples_of
from articulata.errors import ArticulataError, FormatError
from articulata.formats.bvh.text import parse_bvh
from articulata.geometry.rotation import Rotation
from articulata.records.recording import load
from articulata.records.samples import DeviceReport, Sample
from articulata.report.export import export
from articulata.sessions.track.emulation import EmulatedWearing, Emulation
from articulata.sessions.track.person import Person
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_request import track_asked
from articulata.sessions.track.track_session import TrackSession
from articulata.sessions.track.tracked_figures import choice_of, follower
from articulata.sessions.track.wish import TrackWish


class Notes:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


class NoViewer:
    """Stands for the browser: keeps what it is shown."""

    address = "nowhere"
    failure: BaseException | None = None

    def __init__(self, *_: Any, **__: Any) -> None:
        self.postures: list[Any] = []
        self.news: list[Any] = []

    def follow(self, posture: Any, arrival: float, person: int = 0) -> None:
        self.postures.append(posture)

    def tell(self, news: Any) -> None:
        self.news.append(news)

    def latency(self) -> None:
        return None

    def __enter__(self) -> NoViewer:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def session(tmp_path: Path, emulation: Emulation, who: Any, **more: Any) -> TrackSession:
    wish = TrackWish(out=tmp_path, ready=1.3, holding=0.3, **more)
    worn = Person(wish, who, puppet=emulation)
    return TrackSession(wish, [worn], emulation.devices, Notes(), viewer=NoViewer)


def emulation_of(who: Any, stations: dict[int, str], **more: Any) -> Emulation:
    body = tracked_body(who.figure)
    wearing = EmulatedWearing(**more)
    q = body.rest.copy()
    q[body.columns[0]] = BENT
    rng = np.random.default_rng(4)
    return Emulation(body, stations, rng, wearing, motion=lambda _: q, heading=0.4)


BENT = np.array((0.7, 0.3, -0.2, 1.1, 0.3, 0.2, 0.1))
"""What the wearer does with his right arm, rad."""

RIGHT = {1: "skull", 2: "r_upper_arm", 3: "r_forearm", 4: "r_hand"}


def test_from_bytes_to_a_take_and_back(tmp_path: Path) -> None:
    who = follower(choice_of("person(1.8 m)"))
    with emulation_of(who, RIGHT, rate=240.0) as emulation:
        made = session(tmp_path, emulation, who, stations=RIGHT, seconds=60.0)

        def until(enough: Callable[[], bool]) -> None:
            end = time.monotonic() + 30.0
            while time.monotonic() < end and not enough():
                time.sleep(0.02)

        def asking() -> None:
            until(lambda: made.takes.frames >= 100)
            made.ask("mark")
            made.ask("take")
            # the wearer has come to his posture by the time that so much of it is recorded
            until(lambda: len(made.takes.files) == 2 and made.takes.frames >= 200)
            made.ask("end")

        threading.Thread(target=asking, daemon=True).start()
        result = made.run()
        sent = emulation.units[0].records
    assert result.calibration is not None
    assert result.calibration.heading == pytest.approx(0.4, abs=1e-3)
    assert [path.name for path in result.takes] == ["take-001.artrun", "take-002.artrun"]
    # what was measured after the take began, and before the session ended, is in a take
    takes = [load(path) for path in result.takes]
    assert takes[0].complete
    (mark,) = (event for event in takes[0].events if event.kind == "mark")
    assert mark.who == ("person",)
    samples = [each for take in takes for each in samples_of(take)]
    assert len(samples) >= 100
    assert result.samples <= sent
    # the wearer's own posture, which he has come to by then, is what comes out
    assert made.viewer is not None
    right = made.people[0].body.columns[0]
    assert made.viewer.postures[-1].tracked == (True, False)
    np.testing.assert_allclose(made.viewer.postures[-1].q[right], BENT, atol=np.radians(1.0))
    assert {each.state for each in made.viewer.news[-1].sensors} <= {"good", "late"}
    # and the take, played again at once, gives the postures that were recorded
    notes = Notes()
    again = track_asked(
        Asked(result.takes[0], speed=float("inf"), out=tmp_path / "again", headless=True), notes
    )
    second = load(again.files[0])
    q = takes[0].array("kinematic.coordinate")
    assert len(second.times) == len(takes[0].times)
    np.testing.assert_allclose(second.array("kinematic.coordinate"), q, atol=1e-6)
    assert again.files[-1].name == "provenance.json"


class Broken:
    """A device that is silent, in trouble, then heard."""

    name = "broken"

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = list(samples)
        self.reads = 0

    def open(self) -> None:
        pass

    def close(self) -> None:
        pass

    def read(self, timeout: float) -> list[Sample]:
        self.reads += 1
        threading.Event().wait(0.02)
        return self._samples if self.reads > 20 else []

    def report(self) -> DeviceReport:
        gone = f"it is gone for {self.reads} s"
        return DeviceReport(self.name, trouble="" if self.reads > 20 else gone)


def test_what_happens_to_a_device_is_told(tmp_path: Path) -> None:
    who = follower(choice_of("human_upper_body"))
    notes = Notes()
    wish = TrackWish(stations=RIGHT, out=tmp_path, headless=True)
    made = TrackSession(wish, [Person(wish, who)], [Broken([])], notes)
    threading.Timer(1.2, lambda: made.ask("end")).start()
    result = made.run()
    # once, however long it lasts
    first, second = notes.lines[:2]
    assert first.startswith("it is gone")
    assert second == "broken: it is heard again"
    assert result.takes == ()


def test_what_comes_at_once_is_one_picture_and_what_breaks_is_raised(tmp_path: Path) -> None:
    class Full(NoViewer):
        def follow(self, posture: Any, arrival: float, person: int = 0) -> None:
            super().follow(posture, arrival, person)
            if posture.time >= 0.5:
                raise ArticulataError("no room is left")

    who = follower(choice_of("human_upper_body"))
    stations = {2: "r_upper_arm"}
    still = Calibration(level(tracked_body(who.figure)), {2: Rotation.identity()})
    wish = TrackWish(stations=stations, calibration=still, out=tmp_path)
    turned = (1.0, 0.0, 0.0, 0.0)
    # five samples of one sensor that were read together, then one that cannot be shown
    reads = [[Sample(2, 0.1 * k, 0.4, turned) for k in range(5)], [Sample(2, 0.5, 0.5, turned)]]

    class Brief(Broken):
        def read(self, timeout: float) -> list[Sample]:
            threading.Event().wait(0.02)
            return reads.pop(0) if reads else []

    made = TrackSession(wish, [Person(wish, who)], [Brief([])], Notes(), viewer=Full)
    with pytest.raises(ArticulataError, match="no room is left"):
        made.run()
    assert [posture.time for posture in made.viewer.postures] == [0.4, 0.5]
    take = load(made.takes.files[0])
    assert take.complete
    np.testing.assert_allclose([each.time for each in samples_of(take)], 0.1 * np.arange(6))


def test_wrong_questions_are_explained(tmp_path: Path) -> None:
    for asked, said in (
        (Asked(), "nobody is there to follow"),
        (Asked(sources=("nonsense",)), "no source of samples"),
        (Asked(sources=("ben=emulator", "emulator")), "give each source a name"),
        (Asked(sources=("emulator",), stations=("1 foot",)), "what they sit on"),
        (Asked(sources=("a=emulator",), stations=("b=1 skull",)), "called b; give one of a"),
        (
            Asked(sources=("emulator",), figures=("ben=person",)),
            "give the sources names, as in --from ben=emulator",
        ),
        (Asked(sources=("emulator",), figures=("person", "jack_1995")), "--figure is given twice"),
        (
            Asked(sources=("emulator",), stations=("2 skull, 2 r_hand",)),
            "station 2 sits on skull and",
        ),
        (Asked(sources=("emulator",), start="clap"), "by countdown or by tap"),
        (Asked(sources=("emulator",), noise=99.0), "--noise"),
        (Asked(sources=("emulator",), seconds=-1.0), "--seconds is a number above 0"),
        (Asked(sources=("emulator",), calibrate="swing"), "a swing comes after a posture"),
        (Asked(sources=("fastrak:/dev/nothing_here",), headless=True), "there is no port"),
        (
            Asked(sources=("fastrak:/dev/nothing_here",), stations=("1 skull, 99 sternum",)),
            "there is no station 99: fastrak has stations 1 to 4",
        ),
        (Asked(tmp_path / "absent.artrun"), "cannot be read"),
    ):
        with pytest.raises(ArticulataError, match=said):
            track_asked(asked, Notes())


@pytest.mark.slow
def test_a_request_says_what_the_body_does_and_who_gets_the_posture(tmp_path: Path) -> None:
    text = tmp_path / "me.art"
    target = tmp_path / "me.bvh"
    text.write_text(
        f'track me {{ figure: person; from: emulator; body: walking; to: file "{target}" }}',
        "utf-8",
    )
    made = track_asked(Asked(text, out=tmp_path / "out", seconds=9.0, noise=0.0), Notes())
    assert target in made.files
    motion = parse_bvh(target.read_text("utf-8"))
    names = [bone.name for bone in motion.bones]
    at = 3 + 3 * names.index("r_calf")
    assert np.ptp(motion.values[:, at : at + 3], axis=0).max() > 5.0  # deg: the knee moves


@pytest.mark.slow
def test_a_swing_calibrates_and_exchanged_sensors_are_told(tmp_path: Path) -> None:
    who = follower(choice_of("person"))
    with emulation_of(who, RIGHT, rate=240.0) as emulation:
        made = session(
            tmp_path, emulation, who, stations=RIGHT, calibrate=("n_pose", "swing"), seconds=12.0
        )
        result = made.run()
    assert result.calibration is not None
    assert result.calibration.heading == pytest.approx(0.4, abs=np.radians(3.0))
    wrong = {1: "skull", 2: "r_upper_arm", 3: "r_hand", 4: "r_forearm"}
    with emulation_of(who, RIGHT, rate=240.0) as emulation:
        made = session(tmp_path, emulation, who, stations=wrong)
        notes = made._listener
        assert isinstance(notes, Notes)

        def told() -> None:
            end = time.monotonic() + 60.0
            while time.monotonic() < end and not any("exchanged" in each for each in notes.lines):
                time.sleep(0.05)
            made.ask("end")

        threading.Thread(target=told, daemon=True).start()
        made.run()
    assert any(
        "3 (r_hand) and 4 (r_forearm) seem to be exchanged" in n
        or "4 (r_forearm) and 3 (r_hand) seem to be exchanged" in n
        for n in notes.lines
    )


def test_bodies_and_outlets_that_are_not_there_are_explained(tmp_path: Path) -> None:
    text = tmp_path / "me.art"
    for more, said in (
        ("to: dis", "'dis' is not known in 'to:'"),
        ('to: file "me.txt"', "of no kind that a take is written as"),
        ("figure: jack_1995; body: crawling", "figure 'jack_1995' can be standing"),
    ):
        figure = "" if "figure" in more else "figure: person; "
        text.write_text(f"track me {{ {figure}from: emulator; {more} }}", "utf-8")
        with pytest.raises(ArticulataError, match=said):
            track_asked(Asked(text), Notes())


@pytest.mark.slow
def test_several_people_are_in_one_take_and_come_back_from_it(tmp_path: Path) -> None:
    text = tmp_path / "us.art"
    text.write_text(
        "track us { figure: human_upper_body; stations: 1 r_upper_arm, 2 r_forearm, 3 r_hand;"
        f' from: emulator; calibrate: none; to: file "{tmp_path / "us.bvh"}" }}',
        "utf-8",
    )
    for name, turn in (("anna", 0.2), ("ben", -0.3)):
        rows = [
            f"{1 + k % 3},{0.01 * k + 0.003 * len(name)},{np.cos(turn)},0,{np.sin(turn)},0"
            for k in range(60)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows), "utf-8")
    words = tuple(f"{name}={tmp_path / name}.csv" for name in ("anna", "ben"))
    at_once = float("inf")
    both = track_asked(Asked(text, words, out=tmp_path / "both", speed=at_once), Notes())
    names = [path.name for path in both.files]
    assert names[:3] == ["take-001.artrun", "us-anna.bvh", "us-ben.bvh"]
    assert {"take-001-anna-measures.csv", "take-001-ben-measures.csv"} <= set(names)
    take = load(both.files[0])
    labels = take.channels["track.sample"].labels
    assert labels[:1] + labels[3:4] == ("1 r_upper_arm", "101 r_upper_arm")
    # what two people do at about one time is one frame, and no sample is lost by it
    assert len(take.times) <= 80
    assert len(samples_of(take)) == 120
    with pytest.raises(FormatError, match=r"these are anna, ben; name the one .*--of anna"):
        export(take, tmp_path / "one.bvh")
    q = np.array(take.array("kinematic.coordinate")[-1]).reshape(2, -1)
    assert np.abs(q[0] - q[1]).max() > 0.3
    # all of it again, and one of them, who stands where the first one does
    again = track_asked(
        Asked(both.files[0], out=tmp_path / "again", speed=at_once, headless=True), Notes()
    )
    second = load(again.files[0])
    np.testing.assert_array_equal(second.times, take.times)
    for channel in ("kinematic.coordinate", "kinematic.base", "geometric.pose"):
        np.testing.assert_allclose(second.array(channel), take.array(channel), atol=1e-9)
    one = f"ben={both.files[0]}"
    alone = track_asked(
        Asked(sources=(one,), out=tmp_path / "one", speed=at_once, headless=True), Notes()
    )
    np.testing.assert_allclose(load(alone.files[0]).array("kinematic.coordinate")[-1], q[1])
    for asked, said in (
        (Asked(sources=(f"eve={both.files[0]}",)), "holds anna, ben; play it as it is"),
        (Asked(both.files[0], ("ben=emulator",)), "is played beside others by a name"),
    ):
        with pytest.raises(ArticulataError, match=said):
            track_asked(asked, Notes())


@pytest.mark.slow
def test_each_of_several_has_a_figure_stations_and_a_weapon_of_his_own(tmp_path: Path) -> None:
    for name in ("anna", "ben"):
        rows = [f"{1 + k % 3},{0.01 * k},0.98,0,0.199,0" for k in range(60)]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows), "utf-8")
    made = track_asked(
        Asked(
            sources=tuple(f"{name}={tmp_path / name}.csv" for name in ("anna", "ben")),
            figures=("ben=person(1.9 m)", "person(1.6 m)"),
            stations=(
                "1 r_upper_arm, 2 r_forearm, 3 r_hand",
                "ben=1 l_upper_arm, 2 l_forearm, 3 l_hand",
            ),
            calibrate="none",
            weapon="slung",
            out=tmp_path / "out",
            speed=float("inf"),
            headless=True,
        ),
        Notes(),
    )
    take = load(made.files[0])
    assert set(take.channels["kinematic.base"].labels) == {
        "anna", "anna_rifle", "ben", "ben_rifle",
    }  # fmt: skip
    assert "101 l_upper_arm" in take.channels["track.sample"].labels
    labels = take.channels["geometric.pose"].labels
    poses = take.array("geometric.pose")[-1]
    heads = {}
    for name in ("anna", "ben"):
        rifle = poses[labels.index(f"{name}_rifle.base"), :3]
        head = next(k for k, each in enumerate(labels) if each.startswith(f"{name}.skull"))
        heads[name] = poses[head, :3]
        assert 0.1 < np.linalg.norm(rifle - poses[head, :3]) < 0.6
    # one is taller, which is seen from the pelvis upwards, and stands 1.4 m to the left
    left, up, _ = heads["ben"] - heads["anna"]
    assert up > 0.08
    assert left == pytest.approx(1.4, abs=0.1)
    tracked = take.array("track.flags")[-1, :, 0]
    arms = np.array(take.channels["track.flags"].labels)[tracked > 0.0]
    assert arms.tolist() == ["anna right arm", "ben left arm"]


@pytest.mark.slow
def test_a_table_whose_clock_was_set_back_is_played_whole(tmp_path: Path) -> None:
    rows = [f"{1 + k % 3},{0.01 * k - 5.0 * (k >= 60)},1,0,0,0" for k in range(120)]
    (tmp_path / "arm.csv").write_text("\n".join(rows), "utf-8")
    asked = Asked(
        tmp_path / "arm.csv",
        stations=("1 r_upper_arm, 2 r_forearm, 3 r_hand",),
        calibrate="none",
        out=tmp_path / "out",
        speed=float("inf"),
        headless=True,
    )
    notes = Notes()
    made = track_asked(asked, notes)
    assert any("was set back by 5.0 s" in line for line in notes.lines)
    assert made.samples == 120
    take = load(made.files[0])
    assert len(samples_of(take)) == 120
    assert np.all(np.diff(take.times) >= 0.0)
