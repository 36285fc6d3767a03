"""A motion that grows while it is played: it goes on where it is, and waits for what is to come."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from articulata.geometry.shapes import Cuboid
from articulata.records.events import Event
from articulata.report.viewer.motion_sources import Look, Motion
from articulata.report.viewer.server import Viewer


def _moving(end: float, *events: Event) -> Motion:
    times = np.linspace(0.0, end, 1 + round(100 * end))
    poses = np.zeros((len(times), 1, 7))
    poses[:, 0, 0], poses[:, 0, 3] = times, 1.0
    looks = (Look("box", Cuboid(1.0, 1.0, 1.0), (200, 80, 40)),)
    return Motion("moving", looks, times, poses, (0.0, 1.0, 0.0), events)


def _until(true: Callable[[], bool], viewer: Viewer) -> None:
    end = time.monotonic() + 20.0
    while not true():
        viewer.check()
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_run_is_played_while_it_is_computed() -> None:
    with Viewer() as viewer:
        viewer.grow(_moving(0.2), growing=True)
        _until(lambda: viewer._playback.playing, viewer)
        _until(lambda: viewer._playback.time == 0.2, viewer)
        time.sleep(0.1)
        assert (viewer._playback.time, viewer._playback.playing) == (0.2, True)
        viewer.grow(_moving(0.5), growing=True)
        _until(lambda: viewer._playback.time > 0.2, viewer)
        assert viewer.end_shown == 0.5
        struck = Event(0.4, "impact", ("box",), story="box strikes")
        viewer.grow(_moving(0.6, struck), growing=False)
        _until(lambda: viewer.end_shown == 0.6, viewer)
        # it begins anew
        _until(lambda: viewer._playback.playing and viewer._playback.time < 0.15, viewer)
        assert viewer._panel is not None
        assert viewer._panel.happenings is not None


def test_what_stands_before_the_run_stays_when_it_begins_to_move() -> None:
    still = _moving(0.0)
    with Viewer() as viewer:
        viewer.show_first(still)
        drawn = viewer._stage._batches
        assert len(drawn) == 1
        assert viewer.end_shown == 0.0
        viewer.grow(_moving(0.2), growing=True)
        _until(lambda: viewer._playback.playing, viewer)
        assert viewer._stage._batches is drawn
        assert viewer._stage.high[0] == pytest.approx(0.7)  # the room of the whole motion
        viewer.show(replace(still, looks=(replace(still.looks[0], color=(1, 2, 3)),)))
        _until(lambda: viewer._stage._batches is not drawn, viewer)


@pytest.mark.parametrize("way", ["grow", "follow"])
def test_a_run_of_one_frame_has_no_chart_and_gets_it_with_the_second(way: str) -> None:
    def charted(end: float) -> Motion:
        motion = _moving(end)
        return replace(motion, series=lambda _: (motion.times, "J"), shown_first=("energy.total",))

    with Viewer() as viewer:
        show = viewer.follow if way == "follow" else lambda m: viewer.grow(m, growing=True)
        show(charted(0.0))
        _until(lambda: viewer.end_shown == 0.0 and viewer._plot is not None, viewer)
        assert viewer._plot is not None
        assert viewer._plot._chart is None
        show(charted(0.2))
        _until(lambda: viewer.end_shown == 0.2 and viewer._plot._chart is not None, viewer)
        assert viewer._panel is not None
        assert viewer._panel.time_line is not None


def test_a_motion_plays_by_itself_beside_a_dock_that_is_folded_without_curves() -> None:
    def seen(motion: Motion) -> list[bool]:
        viewer.show(motion)
        end = float(motion.times[-1])
        _until(lambda: viewer._playback.end == end and viewer._playback.playing, viewer)
        return folded

    motion = replace(_moving(5.0), series=lambda _: (np.linspace(0.0, 5.0, 501), "J"))
    folded: list[bool] = []
    with Viewer() as viewer:
        add = viewer._server.gui.add_panel

        def watched(*given: Any, **named: Any) -> Any:
            window = add(*given, **named)
            minimize = window.minimize
            window.minimize = lambda: (folded.append(True), minimize())
            return window

        viewer._server.gui.add_panel = watched  # type: ignore[method-assign] # told of all docks
        assert seen(replace(motion, shown_first=("energy.total",))) == []
        assert seen(replace(motion, times=motion.times + 1.0)) == [True]
