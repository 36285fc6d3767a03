"""A viewer with a run behind it: what is seen before the run has its first frame."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import articulata as art
import articulata.sessions.showing as showing_runs
from articulata.kernels.lanes import host
from articulata.report.viewer.motion_sources import Motion
from articulata.sessions.command_fields import SimulateAsked
from articulata.sessions.showing import Showing
from articulata.sessions.steered_run import Steering
from articulata.sessions.watch import Retouching
from articulata.world.values import Pose

TEXT = """
primitive box { geometry: cuboid(0.1, 0.2, 0.1); dynamics }
world shelf {
  components { a, b: box }
  structure { place b by b.center at (1, 2, 3) }
}
simulate shelf { time: (10 ms, 1 s) }
"""


def test_the_world_stands_there_before_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "shelf.art"
    steering = Steering()
    with Showing() as showing:
        file.write_text("world shelf { components { a: nothing } }", encoding="utf-8")
        showing.begin(
            SimulateAsked(file, out=tmp_path / "out"), steering
        )  # who simulates it says what is wrong
        assert showing.viewer.end_shown is None
        file.write_text(TEXT, encoding="utf-8")
        showing.begin(SimulateAsked(file, out=tmp_path / "out"), steering)
        motion = showing.viewer._motion
        assert motion is not None
        assert [look.id for look in motion.looks] == ["a", "b"]
        assert np.array_equal(motion.poses[0, 1, :3], (1.0, 2.0, 3.0))
        assert motion.world is None  # nothing is posed while a run is about to begin
        showing.viewer.check()
        text = TEXT.replace("1 s)", "1 s); report: monitor b.center.y")
        text = text.replace("{ geometry", "{ properties: (density: 1 kg/m^3); geometry")
        file.write_text(text.replace("  components", "  gravity: (0, -9.81, 0)\n  components"))
        showing.begin(SimulateAsked(file, out=tmp_path / "out"), steering)
        record = tmp_path / "run.artrun"
        art.simulate(art.read(file).requests[0], until=0.1, record_to=record)
        shown: list[Motion] = []
        monkeypatch.setattr(showing.viewer, "follow", shown.append)
        monkeypatch.setattr(showing.viewer, "grow", lambda motion, growing: shown.append(motion))
        for playing in (True, False):
            showing._look(record, playing=playing)
        assert [each.shown_first for each in shown] == [("b.center.y",)] * 2


@pytest.mark.parametrize(
    ("cores", "clients", "waited"),
    [
        (2, {}, showing_runs.OPENED),
        (2, {1: object()}, showing_runs.DRAWN),
        (showing_runs.CORES, {1: object()}, 0.0),
    ],
    ids=["nobody looks", "a browser looks", "enough cores"],
)
def test_few_cores_draw_before_they_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cores: int,
    clients: dict[int, object],
    waited: float,
) -> None:
    file = tmp_path / "shelf.art"
    file.write_text(TEXT, encoding="utf-8")
    waits: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(waits))
    steering = Steering()
    with Showing() as showing:
        monkeypatch.setattr(showing_runs, "time", clock)
        monkeypatch.setattr(steering, "ended_within", waits.append)
        monkeypatch.setattr(host, "processor_count", lambda: cores)
        monkeypatch.setattr(type(showing.viewer), "clients", clients)
        showing.begin(SimulateAsked(file, out=tmp_path / "out"), steering)
    assert sum(waits) == pytest.approx(waited, abs=0.03)


@pytest.mark.parametrize("clients", [{}, {1: object()}], ids=["nobody looks", "a browser looks"])
def test_who_ends_a_run_does_not_wait_for_a_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clients: dict[int, object]
) -> None:
    file = tmp_path / "shelf.art"
    file.write_text(TEXT, encoding="utf-8")
    steering = Steering()
    with Showing() as showing:
        monkeypatch.setattr(host, "processor_count", lambda: 2)
        monkeypatch.setattr(showing_runs, "OPENED", 60.0)
        monkeypatch.setattr(showing_runs, "DRAWN", 60.0)
        monkeypatch.setattr(type(showing.viewer), "clients", clients)
        threading.Timer(0.1, steering.end).start()
        begun = time.monotonic()
        showing.begin(SimulateAsked(file, out=tmp_path / "out"), steering)
    assert time.monotonic() - begun < 30.0


def test_what_is_moved_is_saved_by_who_is_asked_at_each_saving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr("articulata.sessions.showing.Viewer", lambda **said: given.update(said))
    file = tmp_path / "shelf.art"
    Showing(retouching=lambda: Retouching(file))
    file.write_text(TEXT, encoding="utf-8")
    given["put"]("b", Pose((4.0, 5.0, 6.0)))
    assert "(4 m, 5 m, 6 m)" in file.read_text("utf-8")
    assert given["save"] is not None
    Showing()
    assert given["put"] is given["save"] is None
