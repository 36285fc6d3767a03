"""Time scaling: closed forms, an independent optimum by linear programming, limits everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import linprog

from articulata.errors import KinematicsError
from articulata.kinematics.trajectory import Trajectory, trajectory


def passed(made: Trajectory, v: np.ndarray, a: np.ndarray, samples: int = 100_000) -> float:
    """By how much the worst of many samples is beyond a limit, as a share of it."""
    _, rates, accelerations = made.at(np.linspace(0.0, made.duration, samples))
    return max((np.abs(rates) / v).max(), (np.abs(accelerations) / a).max()) - 1.0


def test_one_joint_takes_the_time_of_a_trapezoid() -> None:
    # from rest to rest over 2 rad: while it speeds up and slows down, for v/a each, it is at v/2
    long = trajectory([[0.0], [2.0]], speeds=1.0, accelerations=2.0)
    assert long.duration == pytest.approx(2.0 / 1.0 + 1.0 / 2.0, rel=1e-3)
    short = trajectory([[0.0], [2.0]], speeds=10.0, accelerations=2.0)
    assert short.duration == pytest.approx(2.0 * np.sqrt(2.0 / 2.0), rel=1e-3)
    q, rates, _ = short.at([-1.0, 0.0, short.duration / 2.0, short.duration, 99.0])
    np.testing.assert_allclose(q[:, 0], [0.0, 0.0, 1.0, 2.0, 2.0], atol=1e-9)
    np.testing.assert_allclose(rates[:, 0], [0.0, 0.0, 2.0, 0.0, 0.0], atol=2e-2)


def test_a_corner_is_a_rest() -> None:
    v, a = np.array([1.0, 0.5]), np.array([2.0, 4.0])
    corner = trajectory([[0, 0], [1, 0], [1, 1]], speeds=v, accelerations=a, smooth=False)
    legs = [trajectory([[0.0], [1.0]], speeds=v[i], accelerations=a[i]).duration for i in (0, 1)]
    assert corner.duration == pytest.approx(sum(legs), rel=1e-3)
    q, _, _ = corner.at(legs[0])
    np.testing.assert_allclose(q, [1.0, 0.0], atol=1e-4)
    assert passed(corner, v, a) <= 1e-9


def best(points: np.ndarray, v: np.ndarray, a: np.ndarray, count: int) -> float:
    """The least time by a linear programme: the greatest x at all places together is attainable."""
    knots = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    spline = CubicSpline(knots, points, bc_type="natural")
    s = np.linspace(0.0, knots[-1], count + 1)
    middle = 0.5 * (s[1:] + s[:-1])
    width = s[1] - s[0]
    rows, most = [], []
    first, second = spline(middle, 1), spline(middle, 2)
    for k in range(count):
        for i in range(points.shape[1]):
            row = np.zeros(count + 1)
            row[k] = -first[k, i] / (2.0 * width) + 0.5 * second[k, i]
            row[k + 1] = first[k, i] / (2.0 * width) + 0.5 * second[k, i]
            rows += [row, -row]
            most += [a[i], a[i]]
    slope = np.abs(spline(s, 1))
    cap = np.min((v / np.maximum(slope, 1e-12)) ** 2, axis=1)
    cap[[0, -1]] = 0.0
    found = linprog(
        -np.ones(count + 1),
        A_ub=np.array(rows),
        b_ub=np.array(most),
        bounds=list(zip(np.zeros(count + 1), cap, strict=True)),
        method="highs",
    )
    x = np.sqrt(np.maximum(found.x, 0.0))
    return float((2.0 * width / (x[1:] + x[:-1])).sum())


@pytest.mark.parametrize("count", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_durations_are_near_the_least(count: int) -> None:
    rng = np.random.default_rng(8)
    for _ in range(count):
        joints = int(rng.integers(1, 8))
        points = rng.uniform(-2.0, 2.0, (int(rng.integers(3, 8)), joints))
        v, a = rng.uniform(0.5, 3.0, joints), rng.uniform(1.0, 10.0, joints)
        made = trajectory(points, speeds=v, accelerations=a)
        assert passed(made, v, a) <= 1e-9
        least = best(points, v, a, 300)
        assert made.duration == pytest.approx(least, rel=0.02)


def test_limits_of_jerk_hold() -> None:
    rng = np.random.default_rng(4)
    points = rng.uniform(-1.0, 1.0, (5, 3))
    v, a, j = np.full(3, 2.0), np.full(3, 6.0), np.full(3, 40.0)
    fast = trajectory(points, speeds=v, accelerations=a)
    for smooth in (True, False):
        made = trajectory(points, speeds=v, accelerations=a, jerks=j, smooth=smooth)
        assert passed(made, v, a) <= 1e-9
        times = np.linspace(0.0, made.duration, 200_001)
        _, _, accelerations = made.at(times)
        assert (np.abs(np.diff(accelerations, axis=0)).max() / (times[1] * 40.0)) <= 1.0 + 1e-6
        np.testing.assert_allclose(made.at([0.0, made.duration])[2], 0.0, atol=1e-6)
    assert made.duration > fast.duration
    # rest to rest over 1 rad without other limits: no profile is faster than (32 d / j)^(1/3)
    one = trajectory([[0.0], [1.0]], speeds=100.0, accelerations=100.0, jerks=32.0)
    assert one.duration == pytest.approx(1.0, rel=1e-6)


def least_jerky(d: float, v: float, a: float, j: float, count: int) -> float:
    """The least time by bisection, each time asked by a linear programme over the jerk."""

    def reached(T: float) -> float:
        h = T / count
        # place, speed and acceleration at the ends of equal steps are linear in the jerks
        k = np.arange(count)
        steps = np.arange(1, count + 1)[:, None] - k[None]
        after = np.where(steps > 0, steps, 0)
        push = h * (after > 0)
        speed = h * h * (after - 0.5) * (after > 0)
        place = h**3 * (after**2 / 2.0 - after / 2.0 + 1.0 / 6.0) * (after > 0)
        found = linprog(
            -place[-1],
            A_ub=np.concatenate([push, -push, speed]),
            b_ub=np.concatenate([np.full(2 * count, a), np.full(count, v)]),
            A_eq=np.stack([push[-1], speed[-1]]),
            b_eq=[0.0, 0.0],
            bounds=(-j, j),
            method="highs",
        )
        return float(-found.fun)

    low, high = 0.0, 20.0
    for _ in range(22):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reached(middle) >= d else (middle, high)
    return high


@pytest.mark.parametrize("count", [1, pytest.param(50, marks=pytest.mark.slow)])
def test_straight_ways_with_limits_of_jerk_are_the_fastest(count: int) -> None:
    rng = np.random.default_rng(9)
    for _ in range(count):
        d, v, a, j = (rng.uniform(*bounds) for bounds in ((0.2, 3), (0.5, 3), (1, 10), (5, 100)))
        made = trajectory([[0.0, 0.0], [d, 0.5 * d]], speeds=v, accelerations=a, jerks=j)
        limits = np.full(2, v), np.full(2, a)
        assert passed(made, *limits) <= 1e-9
        assert np.abs(made.moved(np.linspace(0.0, made.duration, 9999))[3]).max() <= j * (1 + 1e-9)
        assert made.duration == pytest.approx(least_jerky(d, v, a, j, 60), rel=0.02)


def test_postures_are_met_and_rates_are_derivatives() -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.2], [1.5, -0.5], [0.5, 0.5]])
    made = trajectory(points, speeds=2.0, accelerations=8.0)
    times, q = made.sampled(1e-4)
    assert times[-1] == made.duration
    for point in points:
        assert np.linalg.norm(q - point, axis=1).min() < 1e-3
    _, rates, accelerations = made.at(times[1:-2])
    slope = (q[2:-1] - q[:-3]) / 2e-4
    np.testing.assert_allclose(rates, slope, atol=1e-2)
    assert np.median(np.abs(accelerations[1:-1] - (rates[2:] - rates[:-2]) / 2e-4)) < 1e-2


def test_bad_paths_and_limits_are_refused() -> None:
    with pytest.raises(KinematicsError, match="two postures that differ"):
        trajectory([[1.0, 2.0], [1.0, 2.0]], speeds=1.0, accelerations=1.0)
    with pytest.raises(KinematicsError, match=r"postures \(n, dof\) of finite numbers"):
        trajectory([[0.0], [np.nan]], speeds=1.0, accelerations=1.0)
    for wrong in (0.0, -1.0, np.nan, [1.0, 1.0]):
        with pytest.raises(KinematicsError, match="speeds are 1 numbers above 0"):
            trajectory([[0.0], [1.0]], speeds=wrong, accelerations=1.0)
    with pytest.raises(KinematicsError, match="needs a limit of acceleration"):
        trajectory([[0.0], [1.0]], speeds=1.0, accelerations=np.inf)
    made = trajectory([[0.0], [1.0]], speeds=np.inf, accelerations=1.0)
    with pytest.raises(KinematicsError, match="NaN or inf"):
        made.at(np.nan)
    with pytest.raises(KinematicsError, match="a step is a time"):
        made.sampled(0.0)


def test_a_way_beyond_the_ends_of_a_joint_is_refused() -> None:
    fast = {"speeds": 1.0, "accelerations": 1.0}
    with pytest.raises(KinematicsError, match=r"joint 2 goes to 1.5, beyond its ends -1 to 1;"):
        trajectory([[0.0, 0.0], [0.5, 1.5]], **fast, ends=[(-1.0, 1.0)] * 2)
    points = [[0.0], [1.0], [1.0 - 1e-6], [0.0]]  # a cubic through these swings beyond 1
    with pytest.raises(KinematicsError, match="move the points inwards"):
        trajectory(points, **fast, ends=[(0.0, 1.0)])
    trajectory(points, **fast, ends=[(0.0, 1.0)], smooth=False)
    with pytest.raises(KinematicsError, match="ends are 1 pairs"):
        trajectory(points, **fast, ends=[(1.0, 0.0)])
