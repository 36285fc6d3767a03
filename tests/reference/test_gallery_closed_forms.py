"""Worlds of the gallery whose number is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, fsolve, minimize
from scipy.special import ellipk

import articulata as art
from articulata.world.world_files import LIBRARY
from gallery_runs import run
from reference.test_section_6_motion import minimal_coordinates


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


def test_a_geneva_wheel_turns_as_its_slot_says() -> None:
    """The pin at (cos, sin) of the crank's angle, the wheel's axle at (sqrt 2, 0) crank lengths."""
    recording = run("geneva", until=1.7)
    assert [each.time for each in recording.events if each.kind == "edit"] == pytest.approx(
        [0.375, 0.625, 1.375, 1.625], abs=1e-12
    )
    crank = recording.series("crank.angle")
    near = np.abs((crank + np.pi) % (2 * np.pi) - np.pi) < np.pi / 4
    x, y = np.cos(crank) - np.sqrt(2), np.sin(crank)
    ratio = np.where(near, (x * np.cos(crank) + y * np.sin(crank)) / (x * x + y * y), 0.0)
    assert recording.series("axle.rate") / (2 * np.pi) == pytest.approx(ratio, abs=1e-10)
    assert ratio.min() == pytest.approx(-np.sin(np.pi / 4) / (1 - np.sin(np.pi / 4)))
    turned = recording.series("axle.angle")
    assert turned[[0, 130, -1]] == pytest.approx(np.radians([45, -45, -135]), abs=1e-10)


def test_a_toggle_stands_still_in_line_and_holds_beyond() -> None:
    """Lengths of 4, 10, 8 and 12 cm: in line the handle and the link are one side of a triangle."""
    recording = run("toggle")
    handle = recording.series("grip.angle")
    knee = 0.04 * np.stack([np.cos(handle), np.sin(handle)], -1)
    axle = np.broadcast_to([0.12, 0.0], knee.shape)
    elbow = meeting(knee, 0.10, axle, 0.08, 1)
    jaw = np.arctan2(*(elbow - axle).T[::-1])
    assert recording.series("bite.angle") == pytest.approx(jaw - np.pi / 2, abs=1e-9)
    link = np.arctan2(*(elbow - knee).T[::-1])
    gain = 8 * np.sin(jaw - link) / (4 * np.sin(handle - link))
    rates = recording.series("grip.rate"), recording.series("bite.rate")
    moving = recording.times < 0.78
    assert rates[1][moving] * gain[moving] == pytest.approx(rates[0][moving], abs=1e-8)
    # 14 cm in one piece, 8 and 12 cm: the law of cosines
    line = np.arccos((14**2 + 12**2 - 8**2) / (2 * 14 * 12))
    assert np.degrees(line) == pytest.approx(34.772, abs=5e-4)
    assert np.array_equal(np.sign(rates[1][moving])[1:], np.sign(line - handle[moving])[1:])
    # let go, with what the rubber gives to the pad divided by the gain
    turned = jaw[-1] - np.pi / 2
    pad = 0.1 * np.array([np.cos(turned), np.sin(turned)])
    way = pad - [0.1, -0.114]
    far = np.hypot(*way)
    moment = 100e3 * (0.1217 - far) * (pad[0] * way[1] - pad[1] * way[0]) / far
    assert handle[-1] == pytest.approx(np.radians(32), abs=1e-9)
    assert recording.series("grip.moment.z")[-1] == pytest.approx(-moment / gain[-1], abs=1e-6)
    assert -moment / gain[-1] == pytest.approx(0.544, abs=5e-4)


def test_a_coasting_crank_rests_where_friction_has_taken_all_its_energy() -> None:
    """The piston's whole way is the energy at the start over its friction of 20 N."""
    rate = 200 * 2 * np.pi / 60
    wheel = 7850 * np.pi * 0.14**2 * 0.02
    sliding = 7850 * (0.32 * 0.02 * 0.01 + 0.08 * 0.06 * 0.03)
    energy = 0.5 * (0.5 * wheel * 0.14**2 + sliding * 0.1**2) * rate**2
    assert energy / 20 == pytest.approx(1.2180, abs=5e-5)

    def place(angle: float) -> float:
        return float(0.1 * np.cos(angle) + np.sqrt(0.3**2 - (0.1 * np.sin(angle)) ** 2))

    turns, left = divmod(energy / 20 + 0.4 - place(np.pi / 2), 0.4)
    angle = brentq(lambda angle: place(angle) - (0.4 - left), 0, np.pi, xtol=1e-14)
    recording = run("coasting")
    assert recording.series("bore.travel")[-1] == pytest.approx(0.4 - left, abs=1e-9)
    assert recording.series("main.angle")[-1] == pytest.approx(2 * np.pi * turns + angle, abs=1e-8)
    assert [each.kind for each in recording.events if each.kind in ("stick", "slip")] == ["stick"]


def test_a_wilberforce_pendulum_beats_as_its_two_modes_say() -> None:
    """Three strands from a ring to another one: their length goes by height and twist alone."""
    mass, inertia, r = 0.5, 0.5 * 0.5 * 0.075**2, 0.07

    def moved(t: float, y: np.ndarray) -> list[float]:
        height, twist = 0.5 - y[0], np.pi / 2 + y[1]
        length = np.sqrt(height**2 + 2 * r * r * (1 - np.cos(twist)))
        pull = 3 * 6.6 * (length - 0.257) / length
        wire = -0.0537 * (y[1] - np.radians(51.3))
        force, moment = pull * height - mass * 9.81, wire - pull * r * r * np.sin(twist)
        return [y[2], y[3], force / mass, moment / inertia]

    rest = fsolve(lambda q: moved(0.0, np.array([*q, 0.0, 0.0]))[2:], [0.0, 0.0], xtol=1e-13)
    step, at = 1e-5, np.append(rest, (0.0, 0.0))
    slopes = [
        np.subtract(moved(0.0, at + step * e)[2:], moved(0.0, at - step * e)[2:]) / (2 * step)
        for e in np.eye(4)[:2]
    ]
    rates = np.sqrt(np.linalg.eigvals(-np.array(slopes).T).real)
    recording = run("wilberforce", until=11.1)
    modes = art.rest(recording.world, starts=1).positions[0].linear.modes()
    assert [each.frequency for each in modes] == pytest.approx(
        sorted(rates / (2 * np.pi)), rel=1e-6
    )
    assert 2 * np.pi / np.ptp(rates) == pytest.approx(11.01, abs=5e-3)
    exact = solve_ivp(
        moved, (0, 11.1), [-0.03, 0, 0, 0], "DOP853", recording.times, rtol=1e-11, atol=1e-13
    )
    assert recording.series("guide.travel") == pytest.approx(exact.y[0], abs=1e-8)
    assert recording.series("guide.angle") == pytest.approx(exact.y[1], abs=1e-7)
    # half a beat on it turns and hardly bobs, after a whole one it is as it was
    bobs = [
        np.abs(exact.y[0][(recording.times >= t) & (recording.times <= t + 1)]).max()
        for t in (0.0, 5.0, 10.1)
    ]
    assert bobs[1] < 0.2 * bobs[0]
    assert bobs[2] > 0.98 * bobs[0]


def test_a_drilled_block_swings_as_the_elliptic_integral_says() -> None:
    """The hole about whose middle it swings takes mass and inertia there, and no moment."""
    block, hole = 700 * 3.0, 700 * np.pi * 0.2**2
    inertia = block * ((1 + 9) / 12 + 1) - hole * 0.2**2 / 2
    period = 4 * np.sqrt(inertia / (block * 9.81)) * ellipk(np.sin(np.radians(15)) ** 2)
    recording = run("drilled_block", until=2.2)
    angle = recording.series("plate.angle")
    crossed = CubicSpline(recording.times, angle).roots(extrapolate=False)
    assert 2 * np.diff(crossed)[0] == pytest.approx(period, abs=1e-8)
    assert period == pytest.approx(2.762882, abs=5e-7)


def test_each_of_three_supports_carries_a_third() -> None:
    recording = run("three_supports", until=0.1)
    loads = [recording.series(f"A from B{k}")[-1, 1] for k in (1, 2, 3)]
    assert loads == pytest.approx([500 * 2.2 * 0.2 * 0.4 * 9.81 / 3] * 3, rel=1e-9)


def test_the_crank_of_a_torque_and_a_brake_has_its_mean_rate() -> None:
    """What 0.5 N m less 0.05 N m s gives in a turn is what the energy has grown by."""
    recording = run("slider_crank", until=1.2)
    angle = recording.series("e.main.angle")
    rate = CubicSpline(angle, recording.series("e.main.rate")).antiderivative()
    grown = CubicSpline(angle, recording.series("energy"))
    turn = np.array([angle[-1] - 2 * np.pi, angle[-1]])
    mean = np.diff(rate(turn))[0] / (2 * np.pi)
    # the torque is that of the rate up to a millisecond ago
    assert mean == pytest.approx(10 - np.diff(grown(turn))[0] / (0.05 * 2 * np.pi), rel=3e-4)


def test_a_universal_joint_runs_between_the_cosine_and_its_inverse() -> None:
    """Of a driving shaft at an angle u from its fork's plane: cos b/(1 - sin^2 b sin^2 u)."""
    recording = run("universal_shaft", until=1.0)
    rates = recording.series("c.output.rate") / recording.series("c.input.rate")
    sine = np.sin(recording.series("c.input.angle"))
    assert np.abs(rates) == pytest.approx(np.sqrt(0.75) / (1 - 0.25 * sine**2), abs=1e-9)
    assert np.ptp(np.abs(rates)) == pytest.approx(1 / np.sqrt(0.75) - np.sqrt(0.75), rel=1e-3)


def rolling_rattleback(until: float, times: np.ndarray) -> np.ndarray:
    """Return the spin (rad/s) of a rod with two weights that rolls on a ball, without slip.

    Moments about the point of contact, at -rho from the mass centre: I w' + w x I w =
    m rho x (v' - g) with v = rho x w. The rod's axis is e.
    """
    ball, rod, far, skew, g = 0.06, 0.01, 0.079, np.radians(20), np.array([0.0, -9.81, 0.0])
    one, two = 7850 * np.pi * rod**2 * 0.12, 7850 * 4 / 3 * np.pi * 0.02**3
    low = (one * rod + 2 * two * 0.002) / (one + 2 * two)
    mass, unit = one + 2 * two, np.eye(3)
    own = np.diag([one * (3 * rod**2 + 0.12**2) / 12] * 2 + [one * rod**2 / 2])
    parts = [(one, np.array([0, rod - low, 0]), own)]
    for side in (1, -1):
        off = np.array([-side * far * np.sin(skew), 0.002 - low, side * far * np.cos(skew)])
        parts.append((two, off, 0.4 * two * 0.02**2 * unit))
    inertia = sum(i + m * (d @ d * unit - np.outer(d, d)) for m, d, i in parts)
    middle, axis, above = (
        np.array([0, -ball, 0]),
        np.array([0, 0, 1.0]),
        np.array([0, rod - low, 0]),
    )

    def moved(t: float, y: np.ndarray) -> np.ndarray:
        Q, x, w = y[:9].reshape(3, 3), y[9:12], y[12:]
        e, c = Q @ axis, x + Q @ above
        s = e @ (middle - c)
        apart = c + s * e - middle
        length = np.linalg.norm(apart)
        n = apart / length
        rho = middle + ball * n - x
        v = np.cross(rho, w)
        turned, lifted = np.cross(w, e), v + np.cross(w, c - x)
        shifted = lifted + (turned @ (middle - c) - e @ lifted) * e + s * turned
        rolled = ball * (shifted - n * (n @ shifted)) / length - v  # how rho changes
        J = Q @ inertia @ Q.T
        about = J + mass * (rho @ rho * unit - np.outer(rho, rho))
        moment = mass * np.cross(rho, np.cross(rolled, w) - g) - np.cross(w, J @ w)
        skewed = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([(skewed @ Q).ravel(), v, np.linalg.solve(about, moment)])

    begin = np.concatenate([unit.ravel(), [0, low, 0], [0.1, 4.0, 0.1]])
    found = solve_ivp(moved, (0, until), begin, "DOP853", times, rtol=1e-11, atol=1e-13)
    return np.asarray(found.y[13])


def test_a_rattleback_turns_back_from_one_side_alone() -> None:
    recording = run("rattleback")
    spin = recording.series("stone.w")[:, 1]
    exact = rolling_rattleback(10.0, recording.times)
    assert spin == pytest.approx(exact, abs=1e-8)
    assert exact[-1] < -3.8
    crossed = CubicSpline(recording.times, exact).roots(extrapolate=False)
    assert crossed[0] == pytest.approx(6.948, abs=5e-4)
    assert np.ptp(recording.series("energy.total")) < 1e-10
    world = art.read(LIBRARY / "gallery" / "rattleback.art").world("rattleback", -4.0)
    on = art.simulate(world, until=10.0, step=0.02).series("stone.w")[:, 1]
    assert on.max() < -3.9


def test_a_column_of_links_buckles_at_henckys_load_and_bows_to_its_least_energy() -> None:
    k, span, press = 50.0, 0.2, 75.0

    def energy(tilts: np.ndarray) -> float:
        links = np.concatenate([tilts, -tilts[::-1]])
        return float(0.5 * k * (np.diff(links) ** 2).sum() + press * span * np.cos(links).sum())

    bowed = span * np.sin(minimize(energy, [0.8, 0.5, 0.2], tol=1e-11).x).sum()
    assert bowed == pytest.approx(0.3314, abs=5e-5)
    recording = run("column")
    assert -recording.series("link[3].top")[-1, 0] == pytest.approx(bowed, abs=5e-4)
    column = art.read(LIBRARY / "gallery" / "column.art")
    found = art.buckling(column.world(), "press")
    assert found is not None
    assert found.factor * press == pytest.approx(4 * k / span * np.sin(np.pi / 12) ** 2, rel=1e-8)


def test_a_mass_on_a_damped_spring_swings_as_its_closed_form() -> None:
    recording = run("spring_mass", step=0.1)
    m, c, k = 2.0, 0.5, 200.0
    rest, decay = 0.5 + m * 9.81 / k, c / (2 * m)
    turn, t, x = np.sqrt(k / m - decay**2), recording.times, 0.7 - rest
    swing = x * np.exp(-decay * t) * (np.cos(turn * t) + decay / turn * np.sin(turn * t))
    speed = -x * np.exp(-decay * t) * (turn + decay**2 / turn) * np.sin(turn * t)
    assert recording.series("load.center.y") == pytest.approx(2 - rest - swing, abs=1e-9)
    taken = 0.5 * k * (x**2 - swing**2) - 0.5 * m * speed**2
    assert recording.series("energy.dissipated") == pytest.approx(taken, abs=1e-9)
    assert taken[-1] == pytest.approx(0.954, abs=5e-4)
    assert 2 * np.pi / turn == pytest.approx(0.628, abs=5e-4)


def test_a_nut_on_a_screw_falls_at_an_even_acceleration() -> None:
    """Of a hexagon of 3 cm from its middle to its corners J = 5/12 m r^2."""
    recording = run("screw", until=1.0)
    along = 0.04 / (2 * np.pi)
    fall = 0.5 * 9.81 * along**2 / (5 / 12 * 0.03**2 + along**2) * recording.times**2
    assert recording.series("ring.center.y") == pytest.approx(1 - fall, abs=1e-9)
    assert fall[-1] == pytest.approx(0.478, abs=5e-4)


def test_pendulum_and_four_bar_have_the_energy_and_the_period_that_they_have() -> None:
    recording = run("pendulum", until=0.2)
    heights = 2 - 0.5 * (np.arange(3) + 0.5) * np.cos(np.pi / 3)
    known = 7850 * 0.05**2 * 0.5 * 9.81 * heights.sum()
    assert known == pytest.approx(469.27, abs=5e-3)
    assert recording.series("energy.total") == pytest.approx(known, abs=1e-9)
    # a third of m l^2 twice and m of the coupler; the period of the multibody benchmark
    recording = run("four_bar", until=1.923711817339)
    energy = 0.5 * (1 / 3 + 1 / 3 + 1) + 9.81 * (0.5 + 1 + 0.5)
    assert recording.series("energy.total") == pytest.approx(energy, abs=1e-9)
    assert energy == pytest.approx(20.5, abs=0.05)
    assert recording.series("m.coupler.center")[-1] == pytest.approx((0.5, 1, 0), abs=1e-8)


def test_the_linkage_beside_a_person_has_its_energy() -> None:
    recording = run("visit", until=1.0)
    spans, pins = np.array([0.3, 0.7, 0.5]), np.array([[0.2, 1.35], [1.0, 1.35]])
    knee = pins[0] + 0.3 * np.array([-np.sin(np.pi / 3), np.cos(np.pi / 3)])
    elbows = [meeting(knee, 0.7, pins[1], 0.5, side) for side in (1.0, -1.0)]
    heights = [
        np.array([pins[0] + knee, knee + elbow, pins[1] + elbow])[:, 1] / 2 for elbow in elbows
    ]
    energies = [2700 * 0.05 * 0.03 * 9.81 * spans @ each for each in heights]
    total = recording.series("energy.total")
    assert min(abs(total[0] - np.array(energies))) < 1e-8
    assert total[0] == pytest.approx(78.56, abs=5e-3)
    assert np.ptp(total) < 9e-3


@pytest.mark.slow
def test_a_chain_of_a_hundred_links_falls_as_rods_in_a_plane() -> None:
    """Angles of the links alone: M(a) a'' + C(a) a'^2 = -weights, of rods on rods (Lagrange)."""
    recording = run("chain", until=0.8)
    n, length, r = 100, 0.2, 0.02
    bar, ball = 1000 * np.pi * r * r * 0.16, 1000 * 4 / 3 * np.pi * r**3
    mass = bar + ball
    # a cylinder and two half balls about its ends
    J = bar * (0.16**2 / 12 + r * r / 4)
    J += ball * (0.4 * r * r + 0.08**2 + 0.08 * r * 3 / 4)
    arms = length * (np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n))
    A, pull = mass * arms.T @ arms, mass * 9.81 * arms.sum(0)

    def moves(_: float, y: np.ndarray) -> np.ndarray:
        a, w = y[:n], y[n:]
        apart = a[:, None] - a[None]
        M = A * np.cos(apart) + J * np.eye(n)
        given = -(A * np.sin(apart)) @ w**2 - pull * np.cos(a)
        return np.concatenate([w, np.linalg.solve(M, given)])

    found = solve_ivp(moves, (0, 0.8), np.zeros(2 * n), "DOP853", rtol=1e-9, atol=1e-10).y[:, -1]
    weight = n * mass * 9.81 * 3 + pull @ np.sin(found[:n])
    kinetic = recording.series("energy.kinetic")[-1]
    assert kinetic == pytest.approx(n * mass * 9.81 * 3 - weight, abs=1e-5)
    assert np.ptp(recording.series("energy.total")) < 5e-9


def test_the_driven_linkage_swings_as_its_own_coordinates_say() -> None:
    recording = run("linkage", until=2.0)
    centres = recording.array("geometric.pose")[:, 1:, :2]
    known = minimal_coordinates(recording.times)
    # there the driver sets off with 3.14 m/s
    known[..., 0] += (np.pi - 3.14) * recording.times[:, None]
    assert np.max(np.abs(centres - known)) <= 1e-8
