"""What is known of a way to rest: nothing on it is nearer than what was looked up before allows."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

import numpy as np
import pytest

import articulata as art
from articulata.analyses.film.film_question import Setting
from articulata.analyses.film.rigging import Rig
from articulata.geometry.arrays import Array
from articulata.kernels.chains.camera_control.braking_distances import PLACES, clear_ahead, run_on
from articulata.kinematics.posture_probes import ClashProbe

MARGIN, STEP = 0.005, 0.004


@cache
def inspection_cell() -> Setting:
    room = files("articulata.world.library") / "rooms" / "inspection_cell.art"
    return art.setting_of(art.parse(room.read_text("utf-8")).requests[0])


def stopped(rate: float, change: float, slow: float, jerk: float) -> float:
    """How far a joint goes on that after one step brakes tick by tick, each as hard as it may."""
    dt, gone, acceleration = 1e-4, rate * STEP, change / STEP
    while rate > 0.0:
        # the least acceleration from which the jerk still brings it back to none in time
        due = -min(slow, np.sqrt(2.0 * jerk * rate))
        acceleration = max(acceleration - jerk * dt, min(due, acceleration + jerk * dt))
        rate += acceleration * dt
        gone += max(rate, 0.0) * dt
    return gone


@pytest.mark.parametrize("rate", [0.1, 0.7, 2.0])
@pytest.mark.parametrize("slow", [4.0, 15.0])
def test_a_joint_goes_on_as_far_as_it_takes_to_brake(rate: float, slow: float) -> None:
    assert run_on(rate, 0.0, slow, np.inf, STEP) == pytest.approx(rate**2 / slow / 2 + rate * STEP)
    due = stopped(rate, 0.0, slow, 300.0)
    assert run_on(rate, 0.0, slow, 300.0, STEP) == pytest.approx(due, rel=0.01, abs=1e-4)
    assert run_on(-rate, 0.0, slow, 300.0, STEP) == -run_on(rate, 0.0, slow, 300.0, STEP)


@pytest.mark.parametrize("jerks", [np.inf, 300.0])
def test_what_is_told_to_be_clear_is_clear_by_the_shapes(jerks: float) -> None:
    cell = inspection_cell()
    assert cell.carrier is not None
    carrier = replace(cell.carrier, jerks=jerks)
    clash = carrier.clash
    assert clash is not None
    rng = np.random.default_rng(5)
    rig = Rig(carrier, cell.q, step=STEP, grace=0.05, margin=MARGIN)
    ways = rig.flight.ways
    probe = ClashProbe(clash, carrier.coordinates, carrier.figure.neutral)
    told = near = 0
    while told < 20:
        at = cell.q + rng.normal(size=6) * rng.uniform(0.0, 0.5)
        for k in range(PLACES):
            ways.places[k] = at + rng.normal(size=6) * 0.05
            ways.distances[k] = probe.distance(ways.places[k], 9.0)
            ways.stood[k] = probe.links
        q = at + rng.normal(size=6) * rng.uniform(0.0, 0.1)
        rates, changes = rng.normal(size=6) * 0.6, rng.normal(size=6) * 2e-3
        if not clear_ahead(q, rates, changes, STEP, MARGIN, ways):
            near += 1
            continue
        told += 1
        found: Array = clash.clearances(carrier.posture(ways.postures)).distance
        assert (found > MARGIN).all()
        assert (found >= ways.left - 1e-12).all()
        # postures lie on the way, from where it begins to where each joint rests
        ends = [run_on(rates[j], changes[j] / STEP, ways.slows[j], jerks, STEP) for j in range(6)]
        np.testing.assert_allclose(ways.postures[-1], q + ends, atol=1e-12)
    assert near > 3


@pytest.mark.parametrize("braking", [False, True], ids=["stands", "runs on"])
def test_an_arm_that_swings_at_a_wall_comes_as_near_as_it_is_told(braking: bool) -> None:
    """The arm is stretched and the wall right before it: no bound may be less than the way."""
    cell = inspection_cell()
    assert cell.carrier is not None
    assert cell.carrier.clash is not None
    upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    wall = np.eye(4)
    wall[:3, :3], wall[:3, 3] = upright, (0.0, 3.6, 0.36)  # 1.6 m above the floor and higher
    clash = cell.carrier.clash.moved({"ground": wall})
    carrier = replace(cell.carrier, clash=clash)
    rig = Rig(carrier, np.zeros(6), step=STEP, grace=0.05, margin=MARGIN)
    ways = rig.flight.ways
    probe = ClashProbe(clash, carrier.coordinates, carrier.figure.neutral)
    gap = probe.distance(np.zeros(6), 9.0)
    assert probe.names is not None
    assert "ground" in probe.names
    ways.places[:], ways.distances[:], ways.stood[:] = 0.0, gap, probe.links
    clear, near = [], []
    for turned in np.linspace(0.1, 1.3, 25) * gap / ways.reach[1]:
        q, rates = np.zeros(6), np.zeros(6)
        if braking:
            rates[1] = np.sqrt(2.0 * ways.slows[1] * turned)
        else:
            q[1] = turned
        told = clear_ahead(q, rates, np.zeros(6), STEP, MARGIN, ways)
        found: Array = clash.clearances(carrier.posture(ways.postures)).distance
        assert (found >= ways.left - 1e-12).all()
        (clear if told else near).append(found.min())
    assert min(clear) > MARGIN
    assert min(near) < MARGIN
    assert len(clear) > 12
