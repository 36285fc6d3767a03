"""The files of a run are the same from another process, and what goes wrong there is seen here."""

import os
import re
from pathlib import Path

import pytest

from articulata import load
from articulata.errors import RecordingError
from articulata.records.recording import Recording
from articulata.report.folder import Making, files_of, write
from articulata.sessions.reporting import Work, write_apart
from articulata.world.requests.request import Report

RUN = Path(__file__).parents[2] / "data" / "recordings" / "format_2.artrun"
REPORTS = (Report("peaks"), Report("animation", every=0.1))


def one(recording: Recording) -> list[Making]:
    return [("frames.txt", lambda: str(len(recording.times)).encode())]


def gone(recording: Recording) -> list[Making]:
    os._exit(3)


def wrong(recording: Recording) -> list[Making]:
    raise ZeroDivisionError("a mistake")


def test_another_process_writes_the_same_bytes_and_tells_how_far_it_is(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    recording = load(RUN)
    expected = write([*files_of(recording, REPORTS), *one(recording)], here, lambda *_: None)
    told: list[tuple[int, int]] = []
    paths = write_apart(Work(RUN, there, REPORTS, one), lambda *each: told.append(each))
    assert [path.name for path in paths] == [path.name for path in expected]
    assert {path.name for path in paths} >= {"events.txt", "peaks.csv", "replay.html", "frames.txt"}
    assert all((there / path.name).read_bytes() == path.read_bytes() for path in expected)
    assert told == [(number, len(paths)) for number in range(len(paths))]


def test_errors_of_the_other_process_are_raised_here(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="a mistake") as caught:
        write_apart(Work(RUN, tmp_path, (), wrong), lambda *_: None)
    assert "in wrong" in caught.value.__notes__[0]
    with pytest.raises(RecordingError, match=r"ended early \(status 3\)"):
        write_apart(Work(RUN, tmp_path, (), gone), lambda *_: None)


def test_a_replay_opens_on_what_the_text_monitors() -> None:
    recording = load(RUN)
    body = next(id for id, each in recording.world.bodies.items() if each.motion != "fixed")

    def plots(*reports: Report) -> list[str]:
        page = dict(files_of(recording, reports))["replay.html"]().decode()
        names = page.partition('"series":[')[2].partition("]}")[0]
        return re.findall('"name":"([^"]*)","unit"', names)

    usual = plots(Report("animation"))
    asked = plots(Report("animation"), Report("monitor", path=f"{body}.w.y"))
    assert asked == [f"{body}.w.y", *usual]
    asked = plots(Report("monitor", path=usual[2]), Report("animation"))
    assert asked == [usual[2], *(each for each in usual if each != usual[2])]
