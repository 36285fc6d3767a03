"""Flights that are flown again from what a device has said, and lenses over time."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import articulata as art
from articulata.analyses.film.optics import Optics
from articulata.analyses.film.takes import Take, fly
from articulata.errors import ArticulataError, RecordingError
from articulata.records.samples import DeviceReports
from camera_arms import START_2011, arm_2011


def reports(seconds: float = 0.8) -> DeviceReports:
    t = np.arange(0.0, seconds, 0.02)
    wave = [0.6 * np.sin(4.0 * t + k) for k in range(6)]
    return DeviceReports(t, np.column_stack(wave))


def flown() -> Take:
    return fly(art.Pilot(arm_2011(), START_2011), reports())


def test_the_same_reports_fly_the_same_flight() -> None:
    first, second = flown(), flown()
    assert np.array_equal(first.q, second.q)
    assert np.array_equal(first.X_WC, second.X_WC)
    said = first.reports
    assert said is not None
    # the newest report of each tick is kept: flown again it is the same flight
    again = fly(art.Pilot(arm_2011(), START_2011), said)
    assert np.array_equal(first.q, again.q)
    assert first.words[-1][0] == "rests"


def test_a_take_shows_itself_in_a_notebook() -> None:
    take = flown()
    assert repr(take).startswith(f"Take: {take.duration:.4g} s, {len(take)} ticks (")
    shown = take._repr_html_()
    assert shown is not None
    assert repr(take) in shown
    assert "data:image/png;base64," in shown
    assert Take(0.004)._repr_html_() is None  # the line is shown in its place
    assert repr(Take(0.004)) == "Take: 0 s, 0 ticks"


@pytest.mark.parametrize(("rate", "exact"), [(24, False), (25, True), (29.97, False), (60, False)])
def test_a_take_becomes_frames_of_any_rate(rate: float, exact: bool) -> None:
    take = flown()
    move = take.move(rate)
    assert float(move.rate) == pytest.approx(rate, rel=1e-4)
    assert len(move.X_WC) == int(take.duration * float(move.rate) + 1e-6) + 1
    k = 10
    tick = k / float(move.rate) / take.step
    near = take.X_WC[round(tick)]
    np.testing.assert_allclose(move.X_WC[k], near, atol=1e-12 if exact else 5e-3)
    runs = take.spans(rate)
    assert runs[0][0] == 0
    assert runs[-1][1] == len(move.X_WC) - 1


def test_a_pass_of_the_wrist_says_how_far_the_view_was_off() -> None:
    q = np.radians([10.0, -30.0, 60.0, 20.0, 17.0, 10.0])
    pilot = art.Pilot(arm_2011(), q)
    J, X = arm_2011().chain.jacobian(q), pilot.X_WC
    across = np.cross(J[3:, 4], J[3:, 5])
    w = -0.5 * J[3:, 4] + 0.02 / np.radians(17) * 0.5 * across / np.linalg.norm(across)
    goal = np.concatenate([np.zeros(3), X[:3, :3].T @ w])
    take, twist, off = Take(pilot.step), np.zeros(6), 0.0
    for _ in range(300):
        twist = twist + (goal - twist) * 0.1
        tick = pilot.go(twist)
        take.note(pilot, tick)
        reached, wanted = arm_2011().view(tick.q)[:3, :3], tick.X_WC[:3, :3]
        cosine = 0.5 * (np.trace(reached.T @ wanted) - 1.0)
        if tick.state == 2:
            off = max(off, math.acos(min(cosine, 1.0)))
    passes = [why for _, _, word, why in take.spans(250) if word == "passes"]
    assert passes
    told = max(float(why.rpartition(", ")[2].removesuffix(" deg off")) for why in passes)
    assert told == pytest.approx(math.degrees(off), rel=0.06)


def test_reports_that_are_none_are_refused() -> None:
    with pytest.raises(RecordingError, match="rise"):
        DeviceReports(np.array([0.1, 0.0]), np.zeros((2, 6)))
    with pytest.raises(RecordingError, match="six numbers"):
        DeviceReports(np.zeros(1), np.zeros((1, 5)))
    with pytest.raises(RecordingError, match=r"at 0.1 s there is -1.5"):
        DeviceReports(np.array([0.0, 0.1]), np.array([np.zeros(6), [0, 0, -1.5, 0, 0, 0]]))


def test_a_lens_zooms_and_follows_what_is_looked_at() -> None:
    optics = Optics(art.Lens(0.035), away=2.0)
    assert optics.now == (0.035, 2.0, 4.0)
    optics.wish("focal", 0.07)
    optics.wish("iris", 8)
    values = [optics.step(0.02, 3.0) for _ in range(300)]
    assert values[-1] == (0.07, 3.0, 8.0)
    focal = [v[0] for v in values]
    assert max(b / a for a, b in pairwise(focal)) < 1.1
    optics.wish("focus", 5.0)
    assert not optics.follow
    for what, to in (("focal", 1.0), ("iris", 0.0), ("focus", math.nan)):
        with pytest.raises(ArticulataError, match=r"zooms from|f/1|finite"):
            optics.wish(what, to)
    take, pilot = Take(0.004), art.Pilot(arm_2011(), START_2011)
    for k in range(51):
        take.note(pilot, pilot.go(np.zeros(6)), optics=(0.03 + 1e-4 * k, 2.0, 4.0))
    move = take.move(25)
    np.testing.assert_allclose(move.optics["focal"], 0.03 + 1e-3 * np.arange(6))
