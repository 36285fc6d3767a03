"""A viewer with a run behind it: what is seen before the run has its first frame."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import articulata.sessions.showing as showing_runs
from articulata.sessions.retouching import Retouching
from articulata.sessions.showing import Showing
from articulata.sessions.simulation import Wish
from articulata.world.values import Pose

TEXT = """
primitive box { geometry: cuboid(0.1, 0.2, 0.1); dynamics }
world shelf {
  components { a, b: box }
  structure { place b by b.center at (1, 2, 3) }
}
simulate shelf { time: (10 ms, 1 s) }
"""


def test_the_world_stands_there_before_its_run(tmp_path: Path) -> None:
    file = tmp_path / "shelf.art"
    with Showing() as showing:
        file.write_text("world shelf { components { a: nothing } }", encoding="utf-8")
        showing.begin(Wish(file, tmp_path / "out"))  # who simulates it will say what is wrong
        assert showing.viewer.end_shown is None
        file.write_text(TEXT, encoding="utf-8")
        showing.begin(Wish(file, tmp_path / "out"))
        motion = showing.viewer._motion
        assert motion is not None
        assert [look.id for look in motion.looks] == ["a", "b"]
        assert np.array_equal(motion.poses[0, 1, :3], (1.0, 2.0, 3.0))
        assert motion.world is None  # nothing is posed while a run is about to begin
        showing.viewer.check()


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
    slept: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(slept), sleep=slept.append)
    with Showing() as showing:
        monkeypatch.setattr(showing_runs, "time", clock)
        monkeypatch.setattr(showing_runs.os, "cpu_count", lambda: cores)
        monkeypatch.setattr(type(showing.viewer), "clients", clients)
        showing.begin(Wish(file, tmp_path / "out"))
    assert sum(slept) == pytest.approx(waited, abs=0.03)


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
