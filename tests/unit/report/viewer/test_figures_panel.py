"""Figures of a world that is looked at: moved by joints, dragged by tips, saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest

from articulata.analyses.simulate.run import simulate
from articulata.kinematics.assembly.assembling import assemble
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.panels.standing_world import FiguresPanel
from articulata.report.viewer.server import Viewer
from articulata.world.document import parse
from articulata.world.values import Pose

ROOM = """
world room {
  gravity: (0, -9.81, 0)
  components { one: planar_4_2_1; two: planar_4_2_1 }
  structure { place two by two.base at (0, 0, 3) }
}
"""
WALK = """
figure walker {
  chain body: plain table {
    trunk: fixed(link: trunk, shape: cuboid(0.3, 0.6, 0.2))
    hip: revolute(axis: x, link: leg, shape: capsule(0.05, 0.4) at (0, -0.3, 0))
  }
  posture standing { hip: 0 }
  motion walk {
    0 s: standing, base at (0, 0.6, 0)
    1 s: (hip: 1), base at (0, 0.6, 1)
  }
}
world path {
  components { anna: walker }
  structure {
    place anna by anna.base at (0, 0.6, 0)
    anna follows walk from 0 s
  }
}
simulate path { time: (0.1 s, 1 s); domains: (geometric, kinematic) }
"""
SAVED: list[tuple[str, Mapping[str, float]]] = []


def _save(id: str, values: Mapping[str, float]) -> str:
    SAVED.append((id, values))
    return f"{id} is saved"


PUT: list[tuple[str, Pose]] = []


def _put(id: str, pose: Pose) -> str:
    PUT.append((id, pose))
    return f"{id} is saved"


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    with Viewer(save=_save, put=_put) as opened:
        opened.show(motion_of(assemble(parse(ROOM).world("room"))))
        _until(lambda: FiguresPanel.title in opened._board.panels, opened)
        yield opened


def _until(true: Callable[[], bool], viewer: Viewer) -> None:
    end = time.monotonic() + 20.0
    while not true():
        viewer.check()
        assert time.monotonic() < end
        time.sleep(0.01)


def _panel(viewer: Viewer) -> FiguresPanel:
    panel = viewer._board.panels[FiguresPanel.title]
    assert isinstance(panel, FiguresPanel)
    return panel


def test_a_slider_moves_the_bodies_of_the_figure_that_is_chosen(viewer: Viewer) -> None:
    panel = _panel(viewer)
    assert panel.figures == ("one", "two")
    before = panel._poses.copy()
    viewer.wish("Figures", "joint:elbow", 1.0)
    _until(lambda: viewer._moved is not None, viewer)
    assert viewer._moved is not None
    moved = np.abs(viewer._moved - before).max(axis=1) > 1e-6
    numbers = [n for id, n in panel._numbers.items() if id.startswith("one.") and moved[n]]
    assert numbers
    assert moved.sum() == len(numbers)
    viewer.wish("Figures", "posture:two", np.array([0.3, 0.2, 0.1]))
    _until(lambda: panel._scenes["two"].q[0] == 0.3, viewer)
    assert panel._scenes["one"].q[1] == 1.0


def test_a_tip_is_dragged_and_the_figure_follows(viewer: Viewer) -> None:
    panel = _panel(viewer)
    scene = panel._scenes["one"]
    tip = next(iter(scene.targets))
    X = scene.targets[tip].copy()
    X[:3, 3] = 0.8 * X[:3, 3] + (0.0, 0.05, 0.0)
    viewer.wish("Figures", f"target:{tip}", X)
    _until(lambda: panel._scenes["one"].dragged == tip, viewer)
    after = panel._scenes["one"]
    assert after.met, after.text
    found = after.figure.landmark(after.q, tip)[:3, 3]
    assert found == pytest.approx(X[:3, 3], abs=0.01)


def test_moves_are_taken_back_one_after_another(viewer: Viewer) -> None:
    panel = _panel(viewer)
    first = panel._scenes["one"].q.copy()
    tip = next(iter(panel._scenes["one"].targets))
    X, base = panel._scenes["one"].targets[tip].copy(), panel._scenes["one"].figure.base.copy()
    X[:3, 3] *= 0.8
    for name, value in (("joint:elbow", 0.5), ("joint:elbow", 0.7), (f"target:{tip}", X)):
        viewer.wish("Figures", name, value)
        _until(lambda: viewer._wishes.empty, viewer)
    base[:3, 3] += 0.5
    for name, value in (("carry", True), ("base", base), ("released", "base")):
        viewer.wish("Figures", name, value)
    _until(lambda: np.allclose(panel._scenes["one"].figure.base, base), viewer)

    viewer._wishes.put("back", True)
    _until(lambda: not np.allclose(panel._scenes["one"].figure.base, base), viewer)
    assert panel._scenes["one"].dragged == tip
    viewer._wishes.put("back", True)
    _until(lambda: panel._scenes["one"].q[1] == 0.7, viewer)
    viewer._wishes.put("back", True)  # both moves of the slider are one
    _until(lambda: bool((panel._scenes["one"].q == first).all()), viewer)
    assert viewer._moved is not None
    np.testing.assert_allclose(viewer._moved, viewer._motion.poses[0], atol=1e-12)
    viewer._wishes.put("back", True)  # nothing is left
    _until(lambda: viewer._wishes.empty, viewer)
    viewer.check()


def test_a_dragged_body_goes_back_to_where_it_was() -> None:
    text = """
    primitive crate { properties: (density: 100); geometry: cuboid(0.4, 0.4, 0.4); dynamics }
    world store { components one: crate; structure { place one by one.center at (1, 0, 0) } }
    """
    with Viewer() as viewer:
        viewer.show(motion_of(assemble(parse(text).world("store"))))
        _until(lambda: "Bodies" in viewer._board.panels, viewer)
        for k in (1.0, 2.0):
            X = np.eye(4)
            X[:3, 3] = (1.0, 0.0, k)
            viewer.wish("Bodies", "put:one", X)
            _until(lambda k=k: _z(viewer) == k, viewer)  # type: ignore[misc]
            viewer.wish("Bodies", "released", True)
            _until(lambda: viewer._wishes.empty, viewer)
        for k in (1.0, 0.0):
            viewer._wishes.put("back", True)
            _until(lambda k=k: _z(viewer) == k, viewer)  # type: ignore[misc]


def _z(viewer: Viewer) -> float:
    return 0.0 if viewer._moved is None else float(viewer._moved[0, 2])


def test_a_posture_is_handed_over_to_be_saved(viewer: Viewer) -> None:
    SAVED.clear()
    viewer.wish("Figures", "who", "two")
    viewer.wish("Figures", "joint:elbow", 0.5)
    viewer.wish("Figures", "save", True)
    _until(lambda: bool(SAVED), viewer)
    assert SAVED == [("two", {"shoulder": 0.0, "elbow": 0.5, "wrist": 0.0})]
    viewer.show(motion_of(assemble(parse("world w { components a: fixed_point }").world("w"))))
    _until(lambda: FiguresPanel.title not in viewer._board.panels, viewer)


def test_a_figure_is_moved_by_its_base_and_its_place_is_handed_over(viewer: Viewer) -> None:
    panel = _panel(viewer)
    before = panel._poses.copy()
    base = panel._scenes["one"].figure.base
    X = base.copy()
    X[:3, 3] += (0.5, 0.0, 0.25)
    PUT.clear()
    viewer.wish("Figures", "carry", True)
    viewer.wish("Figures", "base", X)
    viewer.wish("Figures", "put", True)
    _until(lambda: bool(PUT), viewer)
    assert PUT[0][0] == "one"
    assert PUT[0][1].position == pytest.approx(X[:3, 3])
    number = [n for id, n in panel._numbers.items() if id.startswith("one.")]
    others = [n for id, n in panel._numbers.items() if not id.startswith("one.")]
    away = panel._poses[:, :3] - before[:, :3]
    assert away[number] == pytest.approx(np.tile((0.5, 0.0, 0.25), (len(number), 1)), abs=1e-6)
    assert np.abs(away[others]).max() == 0.0
    # a tip is dragged from the new place
    scene = panel._scenes["one"]
    tip = next(iter(scene.targets))
    assert scene.targets[tip][:3, 3] == pytest.approx(
        scene.figure.landmark(scene.q, tip)[:3, 3], abs=1e-12
    )


def test_a_figure_of_a_run_is_posed_where_it_is_paused() -> None:
    run = simulate(parse(WALK).requests[0])
    with Viewer() as viewer:
        viewer.show_first(motion_of(run), within=20.0)
        viewer._wishes.put("seek", 0.6)
        viewer._wishes.put("pose", True)
        _until(lambda: FiguresPanel.title in viewer._board.panels, viewer)
        panel = _panel(viewer)
        assert panel._standing["anna"].start == pytest.approx(run.array("kinematic.coordinate")[6])
        motion = viewer._motion
        assert motion is not None
        viewer.wish("Figures", "joint:hip", -0.5)
        _until(lambda: viewer._moved is not None, viewer)
        assert viewer._moved is not None
        trunk, leg = panel._numbers["anna.trunk"], panel._numbers["anna.leg"]
        np.testing.assert_allclose(viewer._moved[trunk], motion.poses[6, trunk], atol=1e-12)
        assert np.abs(viewer._moved[leg] - motion.poses[6, leg]).max() > 0.1
        viewer._wishes.put("seek", 0.8)  # the run goes on as it was
        _until(lambda: FiguresPanel.title not in viewer._board.panels, viewer)
        _until(lambda: viewer._moved is None, viewer)
