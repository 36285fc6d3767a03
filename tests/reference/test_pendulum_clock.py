"""The clock of the gallery: an escapement that nothing tells when to tick."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import articulata as art
from articulata.world.masses import body_mass
from gallery_runs import run as gallery_run

G = 9.81


@pytest.fixture(scope="module")
def run() -> art.Recording:
    return gallery_run("clock", until=4.0)


def ticks(run: art.Recording) -> list[float]:
    """The instants at which the pendulum passes its lowest point."""
    angle, times = run.series("pivot.angle"), run.times
    found = []
    for i in range(1, len(times)):
        if angle[i - 1] * angle[i] < 0:
            share = angle[i - 1] / (angle[i - 1] - angle[i])
            found.append(float(times[i - 1] + share * (times[i] - times[i - 1])))
    return found


def test_the_wheel_goes_on_by_half_a_tooth_a_tick(run: art.Recording) -> None:
    at = ticks(run)
    wheel = np.interp(at, run.times, run.series("arbor.angle"))
    assert len(at) == 8
    assert np.diff(wheel) == pytest.approx(-math.radians(15), abs=math.radians(2.5))
    assert wheel[-1] - wheel[1] == pytest.approx(-math.radians(90), abs=math.radians(1))


def test_a_tick_lasts_half_the_period_of_the_pendulum(run: art.Recording) -> None:
    # 2 pi sqrt(I / m g l) (1 + a^2 / 16), a compound pendulum's; G. B. Airy (Trans. Cambridge
    # Phil. Soc. 3 (1827) 105): pushes about the lowest point change it in the second order only
    mass = body_mass(run.world.bodies["pendulum"])
    assert mass is not None
    about = float(mass.inertia_about((0.0, 0.0, 0.0))[2, 2])
    arm = mass.mass * float(np.hypot(mass.center[0], mass.center[1]))
    swing = float(np.max(np.abs(run.series("pivot.angle"))))
    period = 2 * math.pi * math.sqrt(about / (G * arm)) * (1 + swing**2 / 16)
    assert 2 * np.mean(np.diff(ticks(run))) == pytest.approx(period, rel=3e-3)


def test_the_weight_keeps_the_pendulum_going_and_all_work_is_booked(run: art.Recording) -> None:
    angle, at = run.series("pivot.angle"), np.searchsorted(run.times, ticks(run))
    swings = [float(np.max(np.abs(angle[a:b]))) for a, b in itertools.pairwise(at)]
    assert all(later > earlier for earlier, later in itertools.pairwise(swings))
    assert math.degrees(swings[-1]) < 5.0
    total, work = run.series("energy.total"), run.series("energy.work")
    assert np.ptp(total - work + run.series("energy.dissipated")) < 1e-12
    # every push begins with a tooth at rest on a pallet and ends where it leaves its slanted end
    assert {event.kind for event in run.events} <= {"impact", "settled", "separation"}
    assert all(event.who == ("wheel", "pendulum") for event in run.events)
