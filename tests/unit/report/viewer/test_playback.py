from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from articulata.report.viewer.panel import Playback

TIMES = [0.0, 0.1, 0.2, 0.4, 1.0]


def at(time: float, **changes: object) -> Playback:
    return Playback(0.0, 1.0, time, **changes)  # type: ignore[arg-type]  # a test's shorthand


def test_playing_moves_on_at_its_speed() -> None:
    assert at(0.2, playing=True, speed=0.5).advance(0.4).time == pytest.approx(0.4)


def test_a_standing_playback_does_not_move() -> None:
    assert at(0.2).advance(5.0) == at(0.2)


def test_a_loop_goes_on_from_the_start() -> None:
    assert at(0.9, playing=True).advance(2.3).time == pytest.approx(0.2)


def test_without_loop_it_stops_at_the_end() -> None:
    stopped = at(0.9, playing=True, loop=False).advance(2.3)
    assert (stopped.time, stopped.playing) == (1.0, False)


def test_play_at_the_end_starts_again() -> None:
    assert at(1.0).toggle() == at(0.0, playing=True)


@pytest.mark.parametrize(
    ("time", "count", "expected"),
    [(0.0, 1, 0.1), (0.15, 1, 0.2), (0.15, -1, 0.1), (0.2, -1, 0.1), (0.2, 1, 0.4), (0.3, 99, 1.0)],
)
def test_a_step_lands_on_a_frame_and_pauses(time: float, count: int, expected: float) -> None:
    stepped = at(time, playing=True).step(TIMES, count)
    assert (stepped.time, stepped.playing) == (expected, False)


def test_a_step_from_a_rounded_frame_time_is_one_frame() -> None:
    times = list(np.arange(0.0, 1.0, 0.05))
    assert at(0.15).step(times, 1).time == pytest.approx(0.2)
    assert at(0.15).step(times, -1).time == pytest.approx(0.1)


def test_seeking_stays_within_the_motion() -> None:
    assert at(0.5).seek(-3.0).time == 0.0
    assert at(0.5).seek(7.0).time == 1.0


def test_what_grows_is_waited_for_at_its_end() -> None:
    playing = Playback(0.0, 1.0, 0.9, playing=True)
    waiting = playing.advance(0.5, growing=True)
    assert (waiting.time, waiting.playing) == (1.0, True)
    more = replace(waiting, end=2.0)
    assert more.advance(0.25, growing=True).time == 1.25
    assert more.advance(1.5).time == 0.5  # whole: it begins anew
