"""The program of section 6 (Purdue CSD-TR-635) against an independent integration."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from section_6 import INSTANT, OMEGA, PRINTED, THETA, section_6

MASS, ARM, INERTIA, G = 6.0, 1.6, 5.0, 9.81


def driver(time: float, sensed: object) -> tuple[float, float, float]:
    return (-(np.pi**2) * float(np.sin(np.pi * time)), 0.0, 0.0)


def minimal_coordinates(times: np.ndarray) -> np.ndarray:
    """Centres of the three rods (times, 3, 2): Lagrange's equations in the rods' angles."""
    reach = np.array([[ARM, 0, 0], [2 * ARM, ARM, 0], [2 * ARM, 2 * ARM, ARM]])

    def slope(time: float, y: np.ndarray) -> np.ndarray:
        angle, rate = y[:3], y[3:]
        between = angle[:, None] - angle
        coupling = MASS * reach.T @ reach
        M = coupling * np.cos(between) + INERTIA * np.eye(3)
        a = -(np.pi**2) * np.sin(np.pi * time)
        push = -(coupling * np.sin(between)) @ rate**2
        push -= MASS * reach.sum(0) * (G * np.sin(angle) + a * np.cos(angle))
        return np.concatenate([rate, np.linalg.solve(M, push)])

    found = solve_ivp(
        slope, (0, times[-1]), np.zeros(6), "DOP853", times, rtol=1e-13, atol=1e-14
    )  # fmt: skip
    angle = found.y[:3].T
    pivot = np.stack([2 + (3.14 - np.pi) * times + np.sin(np.pi * times), np.ones_like(times)], 1)
    along = np.stack([np.sin(angle), -np.cos(angle)], axis=2)
    return pivot[:, None] + np.einsum("ki,tic->tkc", reach, along)


def test_the_motion_agrees_with_an_independent_integration() -> None:
    recording = art.simulate(section_6(), until=2.0, step=0.05, controllers={"driver": driver})
    centres = recording.array("geometric.pose")[:, 1:, :2]
    assert np.max(np.abs(centres - minimal_coordinates(recording.times))) <= 1e-8


@pytest.mark.material
def test_the_printed_program_runs_as_printed(material: Path) -> None:
    sys.path.insert(0, str(material / "reference"))
    try:
        from printed_program import printed_program
    finally:
        sys.path.pop(0)
    request = art.parse(printed_program()).requests[0]
    recording = art.simulate(request, controllers={"acceleration_for_linkage_driver": driver})
    assert recording.times[-1] == 60.0
    assert len(recording.times) == 1201
    within = recording.times <= 2.0
    centres = recording.array("geometric.pose")[within][:, 1:, :2]
    assert np.max(np.abs(centres - minimal_coordinates(recording.times[within]))) <= 1e-8
    top = recording.series("links.rod3.top_hingepoint")
    bottom = recording.series("links.rod2.bottom_hingepoint")
    assert np.max(np.abs(top - bottom)) <= 1e-10


@pytest.fixture(scope="module")
def replayed() -> art.Recording:
    """The 1986 run as its figure implies it: arms of 1.5, inertia without the density."""
    world = section_6(inertia=(2.5, 0.5, 2.5), arm=1.5, speed=float(np.pi))
    return art.simulate(
        world, until=1.52, step=0.01, method=art.Euler1986(), controllers={"driver": driver}
    )


def test_the_history_of_figure_4_2_is_regenerated(replayed: art.Recording) -> None:
    state = replayed.state(INSTANT)
    assert state.time == INSTANT
    q = state.arrays["dynamic.orientation"][1:]
    assert 2 * np.arctan2(q[:, 3], q[:, 0]) == pytest.approx(THETA, abs=1e-5)
    assert state.arrays["dynamic.rate"][1:, 2] == pytest.approx(OMEGA, abs=1e-5)
    equations = art.equations(replayed.world, state, {"driver": driver})
    assert equations.shape == (33, 33)
    assert (equations.rank, equations.nonzeros) == (33, 103)
    for name, value in PRINTED.items():
        tolerance = 2.5e-4 if name.startswith("f") else 2e-5
        assert equations.solution[name] == pytest.approx(value, abs=tolerance)


def test_recorded_accelerations_and_forces_are_those_of_the_equations(
    replayed: art.Recording,
) -> None:
    state = replayed.state(INSTANT)
    equations = art.equations(replayed.world, state, {"driver": driver})
    x = equations.x[:24].reshape(4, 6)
    assert state.arrays["dynamic.acceleration"] == pytest.approx(x[:, :3], abs=1e-9)
    assert state.arrays["dynamic.angular_acceleration"] == pytest.approx(x[:, 3:], abs=1e-9)
    # The figure prints the force on the upper link, the recording that on body A, the lower.
    force = state.arrays["dynamic.hinge_force"][:, :3]
    assert force == pytest.approx(-equations.x[24:].reshape(3, 3), abs=1e-9)


def test_an_accurate_run_ends_elsewhere() -> None:
    world = section_6(inertia=(2.5, 0.5, 2.5), arm=1.5, speed=float(np.pi))
    exact = art.simulate(world, until=INSTANT, step=INSTANT, controllers={"driver": driver})
    rates = exact.state(INSTANT).arrays["dynamic.rate"][1:, 2]
    assert rates[1] == pytest.approx(0.6822, abs=5e-5)
    assert np.abs(rates - OMEGA) == pytest.approx([0.06, 0.135, 0.004], abs=6e-3)
