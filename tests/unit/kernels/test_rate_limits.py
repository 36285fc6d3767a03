"""Changes of a joint's rate with a limit of jerk: what is allowed always leaves a way on."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.kernels.chains.camera_control.rate_limits import (
    greatest_change,
    highest_change,
    way_to_rest,
)

DT = 0.004


def test_a_change_comes_to_nothing_where_the_rate_is_the_greatest() -> None:
    for left, turn in ((1.0, 0.05), (0.3, 0.5), (0.02, 0.0048), (2.0, 0.31)):
        change, grown = greatest_change(left, turn), 0.0
        while change > 0.0:
            grown += change
            change -= turn
        assert grown == pytest.approx(left, rel=1e-12)
    assert greatest_change(-0.2, 0.1) == -0.2
    assert greatest_change(0.4, np.inf) == 0.4
    assert greatest_change(np.inf, 0.1) == np.inf


@pytest.mark.parametrize(
    ("rate", "acceleration"), [(1.0, 0.0), (0.2, 3.0), (1.5, -6.0), (0.01, -4.0), (-0.01, 5.0)]
)
def test_the_way_to_rest_is_that_of_fine_steps(rate: float, acceleration: float) -> None:
    most, jerk, dt = 8.0, 100.0, 2e-6
    gone, v, a, farthest = 0.0, rate, acceleration, 0.0
    while v > 0.0 or a > 0.0:
        # the acceleration comes back as soon as that brings the joint to rest
        slows = a >= 0.0 or v > 0.5 * a * a / jerk
        a = max(a - jerk * dt, -most) if slows else a + jerk * dt
        v += a * dt
        gone += v * dt
        farthest = max(farthest, gone)
    assert way_to_rest(rate, acceleration, most, jerk) == pytest.approx(farthest, abs=2e-5)
    assert way_to_rest(-1.0, -2.0, most, jerk) == 0.0


def test_a_joint_that_is_pushed_anyhow_keeps_its_end_speed_and_jerk() -> None:
    rng = np.random.default_rng(3)
    turn, slow, fastest, end = 300.0 * DT * DT, 15.0 * DT, 1.5, 0.8
    q = rate = change = 0.0
    nearest = fastest_seen = 0.0
    part = 1.0
    for k in range(3000):
        most, _ = highest_change(rate, change, turn, slow, fastest, end - q, DT)
        least, _ = highest_change(-rate, -change, turn, slow, fastest, q + end, DT)
        if k % 60 == 0:
            part = float(rng.choice([0.0, 1.0, rng.random()]))
        after = -least + part * (most + least)
        assert abs(after - change) <= turn * (1.0 + 1e-9)
        assert abs(after) <= slow * (1.0 + 1e-9)
        change, rate = after, rate + after
        q += rate * DT
        assert abs(rate) <= fastest * (1.0 + 1e-9)
        assert abs(q) <= end
        nearest, fastest_seen = max(nearest, abs(q)), max(fastest_seen, abs(rate))
    assert nearest > 0.99 * end
    assert fastest_seen > 0.9 * fastest
