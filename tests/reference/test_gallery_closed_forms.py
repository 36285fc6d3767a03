"""Worlds of the gallery whose number is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import articulata as art
from articulata.world.world_files import LIBRARY
from gallery_runs import run


def test_a_block_turns_over_when_the_elliptic_integral_says() -> None:
    """Landau and Lifshitz, Mechanics, section 37, for M^2 < 2 E B."""
    x, y, z = 0.3, 0.2, 0.06
    A, B, C = (
        2700 * x * y * z / 12 * each for each in (y * y + z * z, x * x + z * z, x * x + y * y)
    )
    energy, square = A * 0.01**2 + B * 36.0, A * A * 0.01**2 + B * B * 36.0
    assert square < energy * B
    m = (C - B) * (square - energy * A) / ((B - A) * (energy * C - square))
    p = np.sqrt((B - A) * (energy * C - square) / (A * B * C))
    recording = run("flip")
    # of the turn from the block's axes the element (y, y) changes its sign as it turns over
    w, i, j, k = recording.array("dynamic.orientation")[:, 0].T
    rate = recording.array("dynamic.rate")[:, 0]
    axis = np.stack([2 * (i * j - w * k), w * w - i * i + j * j - k * k, 2 * (j * k + w * i)], 1)
    spin = np.einsum("ti,ti->t", axis, rate)
    turned = np.flatnonzero(spin[:-1] * spin[1:] < 0)
    assert len(turned) == 2
    at = recording.times[turned] + 0.02 * spin[turned] / (spin[turned] - spin[turned + 1])
    assert np.diff(at)[0] == pytest.approx(2 * ellipk(m) / p, abs=2e-5)
    assert at[0] == pytest.approx(ellipk(m) / p, abs=2e-5)


def test_a_ball_runs_on_a_turntable_with_two_sevenths_of_its_rate() -> None:
    recording = run("turntable")
    turn = 2 / 7 * np.pi * recording.times
    radius = 0.2 / (2 / 7 * np.pi)
    place = recording.series("ball.center")
    assert place[:, 0] == pytest.approx(0.5 + radius * (1 - np.cos(turn)), abs=1e-8)
    assert place[:, 2] == pytest.approx(radius * np.sin(turn), abs=1e-8)


@pytest.mark.parametrize("rpm", [90, 120])
def test_a_governor_opens_until_its_weight_balances(rpm: float) -> None:
    world = art.read(LIBRARY / "gallery" / "governor.art").world("governor", 2 * np.pi * rpm / 60)
    recording = art.simulate(world, until=10.0, step=0.5)
    rate = 2 * np.pi * rpm / 60
    for arm in ("right_arm", "left_arm"):
        angle = recording.series(f"{arm}.angle")[-1]
        assert np.cos(angle) == pytest.approx(9.81 / (0.25 * rate**2), abs=1e-4)


def meeting(a: np.ndarray, from_a: float, b: np.ndarray, from_b: float, side: float) -> np.ndarray:
    """Return where circles about points (..., 2) meet, left of the way from a to b for side 1."""
    way = b - a
    far = np.hypot(way[..., :1], way[..., 1:])
    along = (from_a**2 - from_b**2 + far**2) / (2 * far)
    across = side * np.sqrt(from_a**2 - along**2)
    return a + (along * way + across * np.stack([-way[..., 1], way[..., 0]], -1)) / far


def test_the_foot_of_jansens_leg_is_where_circles_meet() -> None:
    """Two links meet where circles about their other ends do: five times for the foot."""
    recording = run("jansen", until=2.0)
    turn = np.pi * recording.times
    pivot = np.broadcast_to([-38.0, -7.8], (len(turn), 2))
    pin = 15.0 * np.stack([np.cos(turn), np.sin(turn)], -1)
    shoulder, knee = meeting(pivot, 41.5, pin, 50.0, 1), meeting(pivot, 39.3, pin, 61.9, -1)
    heel = meeting(pivot, 40.1, shoulder, 55.8, 1)
    foot = meeting(knee, 49.0, meeting(heel, 39.4, knee, 36.7, -1), 65.7, 1)
    path = 100 * recording.series("foot.tip")[:, :2]
    assert path == pytest.approx(foot, abs=1e-8)
    assert np.ptp(path, axis=0) == pytest.approx((67.9, 22.5), abs=0.06)
    assert np.mean(path[1:, 1] < path[:, 1].min() + 1) == pytest.approx(0.43, abs=0.01)
