"""How a session of tracking ends: by a wish, by a device that breaks, under overload."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from articulata.analyses.track.calibration import Calibration, level
from articulata.devices.driver import Device
from articulata.devices.recorded import RecordedSamples, samples_of
from articulata.errors import ArticulataError, RecordingError
from articulata.geometry.rotation import Rotation
from articulata.records.recording import load
from articulata.records.samples import DeviceReport, Sample
from articulata.records.tracking import SILENT
from articulata.sessions.track.person import Person
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_request import track_asked
from articulata.sessions.track.track_session import TrackSession
from articulata.sessions.track.tracked_figures import choice_of, follower
from articulata.sessions.track.wish import TrackWish

from .test_tracking import Notes, NoViewer

WORN = {2: "r_upper_arm"}
TURNED = (1.0, 0.0, 0.0, 0.0)


class Scripted:
    """A device that reads what it is given, one after the other; an exception is raised."""

    name = "scripted"

    def __init__(self, reads: Iterator[Sequence[Sample] | BaseException]) -> None:
        self._reads = reads
        self.spent = threading.Event()

    def open(self) -> None:
        pass

    def close(self) -> None:
        pass

    def read(self, timeout: float) -> Sequence[Sample]:
        found = next(self._reads, None)
        if found is None:
            self.spent.set()
            time.sleep(0.02)
            return []
        if isinstance(found, BaseException):
            raise found
        return found

    def report(self) -> DeviceReport:
        return DeviceReport(self.name)


def session(
    out: Path,
    *devices: Device,
    calibrated: bool = True,
    viewer: Callable[..., Any] = NoViewer,
    **more: Any,
) -> TrackSession:
    who = follower(choice_of("human_upper_body"))
    body = Person(TrackWish(), who).body
    still = Calibration(level(body), {2: Rotation.identity()}) if calibrated else None
    wish = TrackWish(stations=WORN, calibration=still, out=out, **more)
    return TrackSession(wish, [Person(wish, who)], devices, Notes(), viewer=viewer)


def samples(*times: float) -> list[Sample]:
    return [Sample(2, time, time, TURNED) for time in times]


def recorded(made: TrackSession) -> list[float]:
    take = load(made.takes.files[0])
    assert take.complete
    return [round(each.time, 6) for each in samples_of(take)]


def test_a_device_that_breaks_during_a_calibration_is_told(tmp_path: Path) -> None:
    broken = Scripted(iter([samples(0.0), RuntimeError("the wire is cut")]))
    with pytest.raises(RuntimeError, match="the wire is cut"):
        session(tmp_path, broken, calibrated=False).run()


def test_a_device_that_breaks_in_its_last_read_is_told(tmp_path: Path) -> None:
    class Last(Scripted):
        def read(self, timeout: float) -> Sequence[Sample]:
            if self.spent.is_set():
                made.closing.wait(10.0)
                raise RuntimeError("the wire is cut")
            return super().read(timeout)

    device = Last(iter([samples(0.0), samples(0.1)]))
    made = session(tmp_path, device, headless=True, seconds=0.3)
    with pytest.raises(RuntimeError, match="the wire is cut"):
        made.run()
    assert recorded(made) == [0.0, 0.1]


def test_samples_behind_wishes_are_recorded(tmp_path: Path) -> None:
    device = Scripted(iter([samples(0.0)]))
    made = session(tmp_path, device, headless=True)

    def asking() -> None:
        device.spent.wait(10.0)
        with made._at_work:  # all of it waits at once
            made.ask("end")
            made.ask("mark")
            made._mail.put(samples(0.1))
            made.ask("mark")
            made._mail.put(samples(0.2, 0.3))

    threading.Thread(target=asking, daemon=True).start()
    assert made.run().samples == 4
    assert recorded(made) == [0.0, 0.1, 0.2, 0.3]


def test_a_take_is_closed_whatever_fails_at_the_end(tmp_path: Path) -> None:
    device = Scripted(iter([samples(0.0)]))
    made = session(tmp_path, device, headless=True)

    def failing() -> None:
        raise RuntimeError("nothing can be told")

    def asking() -> None:
        device.spent.wait(10.0)
        made._news.look = failing  # type: ignore[method-assign] # fails at the end, and not before
        made.ask("end")

    threading.Thread(target=asking, daemon=True).start()
    with pytest.raises(RuntimeError, match="nothing can be told"):
        made.run()
    assert recorded(made) == [0.0]


def test_what_fails_first_is_told(tmp_path: Path) -> None:
    made = session(tmp_path, Scripted(iter([samples(0.1 * k) for k in range(9)])), headless=True)
    add, left = made.takes.add, iter(range(3))

    def full(*given: Any) -> None:
        if next(left, None) is None:
            raise RecordingError("no room is left")
        add(*given)

    made.takes.add = full  # type: ignore[method-assign] # stands for a disk that stays full
    with pytest.raises(RecordingError, match="no room is left"):
        made.run()
    assert recorded(made) == [0.0, 0.1, 0.2]  # the take is closed


def test_a_take_that_cannot_be_written_is_closed(tmp_path: Path) -> None:
    made = session(tmp_path, Scripted(iter([samples(0.0)])), headless=True)
    takes = made.takes
    takes.begin({})
    recorder = takes._recorder
    assert recorder is not None

    def full(frame: object) -> None:
        raise RecordingError("no room is left")

    recorder.frame = full  # type: ignore[method-assign] # stands for a full disk
    takes._held_of.add("wearer")
    with pytest.raises(RecordingError, match="no room is left"):
        takes.close()
    assert takes.file is None
    assert load(takes.files[0]).complete


def test_seconds_are_kept_while_somebody_is_calibrated_again(tmp_path: Path) -> None:
    device = Scripted(iter([samples(0.0)]))
    made = session(tmp_path, device, headless=True, seconds=0.4)

    def asking() -> None:
        device.spent.wait(10.0)
        made.ask("calibrate")

    threading.Thread(target=asking, daemon=True).start()
    begun = time.monotonic()
    made.run()
    assert time.monotonic() - begun < 5.0


def test_a_folder_that_cannot_be_made_is_told_before_anybody_is_calibrated(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", "utf-8")
    device = Scripted(iter([samples(0.0)]))
    with pytest.raises(RecordingError, match=r"taken/out cannot be made .*; give another"):
        session(tmp_path / "taken" / "out", device, calibrated=False, headless=True).run()
    assert not device.spent.is_set()


def test_the_end_comes_under_overload(tmp_path: Path) -> None:
    class Slow(NoViewer):
        def follow(self, posture: Any, arrival: float, person: int = 0) -> None:
            time.sleep(0.05)

    def busy(first: float) -> Iterator[Sequence[Sample]]:
        begun = time.monotonic()
        for k in count():
            if time.monotonic() - begun > 10.0:
                return
            time.sleep(0.002)
            yield samples(first + 1e-3 * k)

    devices = Scripted(busy(0.0)), Scripted(busy(5e-4))
    made = session(tmp_path, *devices, viewer=Slow, seconds=0.5)
    result = made.run()
    assert not any(device.spent.is_set() for device in devices)
    assert len(recorded(made)) == result.samples


def test_a_picture_that_ends_is_told_once_and_the_take_goes_on(tmp_path: Path) -> None:
    class Ended(NoViewer):
        failure = OSError("the socket is gone")

    def slow() -> Iterator[Sequence[Sample]]:
        for k in range(15):
            time.sleep(0.05)
            yield samples(0.1 * k)
        made.ask("end")

    made = session(tmp_path, Scripted(slow()), viewer=Ended)
    made.run()
    notes = made._listener
    assert isinstance(notes, Notes)
    (told,) = (line for line in notes.lines if "the picture stands still" in line)
    assert "OSError: the socket is gone" in told
    assert "take go on" in told
    assert len(recorded(made)) == 15


@pytest.mark.parametrize("station", [2, 3])
def test_a_recording_that_is_over_before_a_calibration_is_an_error(
    tmp_path: Path, station: int
) -> None:
    told = [Sample(station, 0.01 * k, 0.01 * k, TURNED) for k in range(30)]
    made = session(tmp_path, RecordedSamples(told), calibrated=False, headless=True, seconds=60.0)
    begun = time.monotonic()
    with pytest.raises(ArticulataError, match="is over before the calibration") as told_so:
        made.run()
    assert time.monotonic() - begun < 30.0
    # the one that nothing was heard of is named, and no other
    assert ("2 (r_upper_arm)" in str(told_so.value)) == (station == 3)
    assert not made.takes.files


def test_seconds_count_from_the_start(tmp_path: Path) -> None:
    silent = Scripted(iter([]))
    made = session(tmp_path, silent, calibrated=False, headless=True, seconds=0.3)
    timer = threading.Timer(20.0, made.ask, ("end",))
    timer.start()
    begun = time.monotonic()
    made.run()
    timer.cancel()
    assert time.monotonic() - begun < 15.0


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_a_session_with_its_measures(tmp_path: Path, kind: signal.Signals) -> None:
    class Killing(Notes):
        def say(self, text: str) -> None:
            super().say(text)
            if text.startswith("take "):
                threading.Timer(0.5, os.kill, (os.getpid(), kind)).start()

    before = signal.getsignal(kind)
    asked = Asked(
        sources=("emulator",), calibrate="none", headless=True, out=tmp_path, seconds=60.0
    )
    answered = track_asked(asked, Killing())
    names = [path.name for path in answered.files]
    assert names == ["take-001.artrun", "take-001-measures.csv", "provenance.json"]
    assert all(path.is_file() for path in answered.files)
    assert load(answered.files[0]).complete
    assert signal.getsignal(kind) == before


def test_a_sensor_that_falls_silent_is_told_marked_and_noted(tmp_path: Path) -> None:
    """Two seconds of silence of a forearm, with the arm's others heard meanwhile."""
    who = follower(choice_of("human_upper_body"))
    stations = {2: "r_upper_arm", 3: "r_forearm", 4: "r_hand"}
    body = Person(TrackWish(), who).body
    still = Calibration(level(body), dict.fromkeys(stations, Rotation.identity()))
    turned = {
        s: level(body).inverse() @ Rotation.from_matrix(body.orientations(body.rest)[role])
        for s, role in stations.items()
    }

    begun, sent = [], []

    def heard() -> Iterator[Sequence[Sample]]:
        begun.append(time.monotonic())
        while (now := time.monotonic()) - begun[0] < 3.2:
            silent = 0.5 < now - begun[0] < 2.5
            if not silent:
                sent.append(now - begun[0])
            yield [
                Sample(s, now, now, tuple(R.q))  # type: ignore[arg-type] # four numbers
                for s, R in turned.items()
                if not (silent and s == 3)
            ]
            time.sleep(0.02)
        made.ask("end")

    wish = TrackWish(stations=stations, calibration=still, out=tmp_path, headless=True)
    notes = Notes()
    made = TrackSession(wish, [Person(wish, who)], [Scripted(heard())], notes, viewer=NoViewer)
    made.run()
    take = load(made.takes.files[0])
    told = [event.story for event in take.events if event.kind == "device"]
    assert [story.partition(";")[0] for story in told] == [
        "station 3 (r_forearm) is silent",
        "station 3 (r_forearm) is heard again",
    ]
    assert all(story in notes.lines for story in told)
    held = np.array(take.array("track.flags"))[:, 0, 2]
    times = np.array(take.times)
    # By when it was really heard: a busy machine reads late.
    before = max(each for each in sent if each < 1.5)
    after = min(each for each in sent if each > 1.5)
    assert times[held > 0.0].min() == pytest.approx(before + 0.1, abs=0.25)
    assert times[held > 0.0].max() == pytest.approx(after + 0.3, abs=0.35)


class Watched(NoViewer):
    """Keeps what every viewer of a session is told, in ``all_news``."""

    all_news: list[Any]

    def tell(self, news: Any) -> None:
        self.all_news.append(news)


def steady(stations: Sequence[int], until: Callable[[], bool]) -> Iterator[Sequence[Sample]]:
    """Tell of stations that lie still until something holds."""
    while not until():
        now = time.monotonic()
        yield [Sample(s, now, now, TURNED) for s in stations]
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("heard", "calibrated", "line"),
    [
        ((2,), False, "waiting for sensors that are not heard: 3 (r_forearm)"),
        ((), False, "waiting for sensors that are not heard: 2 (r_upper_arm), 3 (r_forearm)"),
        ((9, 2), False, "waiting for sensors that are not heard: 3 (r_forearm)"),
        (
            (2,),
            True,
            "station 3 (r_forearm) is silent; see that its sensor is plugged in, and that",
        ),
    ],
)
def test_a_station_that_never_speaks_is_told_and_the_session_can_be_ended(
    tmp_path: Path, heard: tuple[int, ...], calibrated: bool, line: str
) -> None:
    """Without --seconds; the end is asked for as soon as terminal and panel have told."""
    who = follower(choice_of("human_upper_body"))
    worn = {2: "r_upper_arm", 3: "r_forearm"}
    body = Person(TrackWish(), who).body
    still = Calibration(level(body), dict.fromkeys(worn, Rotation.identity()))
    wish = TrackWish(stations=worn, calibration=still if calibrated else None, out=tmp_path)
    notes, begun, seen = Notes(), time.monotonic(), type("Seen", (Watched,), {"all_news": []})

    def on_panel(news: Any) -> bool:
        silent = any(h.station == 3 and h.state == SILENT for h in news.sensors)
        return "3 (r_forearm)" in news.notice or silent

    def told() -> bool:
        heard_of = any(each.startswith(line) for each in notes.lines)
        both = heard_of and any(map(on_panel, seen.all_news))
        if both or time.monotonic() - begun > 60.0:
            made.ask("end")
            return True
        return False

    made = TrackSession(
        wish, [Person(wish, who)], [Scripted(steady(heard, told))], notes, viewer=seen
    )
    made.run()
    assert any(map(on_panel, seen.all_news))
    assert any(each.startswith(line) for each in notes.lines)
    assert len(made.takes.files) == int(calibrated)


def test_a_sensor_that_falls_silent_in_a_countdown_is_told(tmp_path: Path) -> None:
    """Before the posture is held, not after."""
    who = follower(choice_of("human_upper_body"))
    worn = {2: "r_upper_arm", 3: "r_forearm"}
    wish = TrackWish(stations=worn, out=tmp_path, headless=True, ready=30.0)
    notes, begun = Notes(), time.monotonic()

    def heard() -> Iterator[Sequence[Sample]]:
        yield from steady((2, 3), lambda: any("hold n-pose" in each for each in notes.lines))
        yield from steady((2,), lambda: any("silent" in each for each in notes.lines))
        made.ask("end")

    made = TrackSession(wish, [Person(wish, who)], [Scripted(heard())], notes, viewer=NoViewer)
    timer = threading.Timer(25.0, made.ask, ("end",))
    timer.start()
    made.run()
    timer.cancel()
    line = "station 3 (r_forearm) is silent; see that its sensor is plugged in. The others go on"
    assert line in notes.lines
    assert time.monotonic() - begun < 25.0


def test_a_recording_that_ends_while_somebody_is_calibrated_again_keeps_its_take(
    tmp_path: Path,
) -> None:
    told = [Sample(2, 0.02 * k, 0.02 * k, TURNED) for k in range(50)]
    made = session(tmp_path, RecordedSamples(told), headless=True, until_silent=True)
    threading.Timer(0.3, made.ask, ("calibrate",)).start()
    made.run()
    assert "the recording is over before the calibration is" in made._listener.lines  # type: ignore[attr-defined] # these are Notes
    assert recorded(made)


def test_a_device_that_breaks_leaves_a_take_with_its_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(port: str | None, first: int = 1) -> Device:
        return Scripted(iter([samples(0.0), samples(0.1), RuntimeError("the wire is cut")]))

    monkeypatch.setattr(
        "articulata.sessions.track.sample_sources.makers", lambda: {"broken": broken}
    )
    asked = Asked(
        sources=("broken",), stations=("2 r_upper_arm",), calibrate="none", headless=True,
        out=tmp_path,
    )  # fmt: skip
    with pytest.raises(RuntimeError, match="the wire is cut"):
        track_asked(asked, Notes())
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == ["provenance.json", "take-001-measures.csv", "take-001.artrun"]


def test_a_take_without_a_sample_has_its_measures(tmp_path: Path) -> None:
    asked = Asked(
        sources=("udp:46999",), stations=("2 r_upper_arm",), calibrate="none", headless=True,
        out=tmp_path, seconds=0.3,
    )  # fmt: skip
    names = [path.name for path in track_asked(asked, Notes()).files]
    assert names == ["take-001.artrun", "take-001-measures.csv", "provenance.json"]
    assert "robustness,samples,0," in (tmp_path / names[1]).read_text("utf-8")
