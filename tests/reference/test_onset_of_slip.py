"""Blocks that begin to slide while the direction of what pulls at them turns.

Beside the equations of a point under Coulomb's friction, which at rest opposes the acceleration
that results; integrated by SciPy at a relative tolerance of 1e-11.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from articulata.analyses.simulate.run import simulate
from articulata.domains.dynamic.methods import DOP853, RK4
from articulata.world.document import parse

G, MU, ALONG, TURNING = 9.81, 0.3, 2.0, 4.0

FLOOR = """
primitive floor_plate {{
  properties: (friction: 0.3)
  geometry: cuboid(60, 1, 60)
  control: acceleration = go
}}
primitive block {{ properties: (friction: 0.3, density: 1000); geometry: {block}; dynamics }}
world w {{
  gravity: (0, -9.81, 0)
  components {{ f: floor_plate; b: block }}
  structure {{
    place f by f.center at (0, -0.5, 0)
    place b by b.center at (0, {high}, 0)
  }}
}}
"""

TABLE = """
primitive table {
  properties: (friction: 0.3)
  geometry: cylinder(5, 0.2) turned 90 deg about x
  control: acceleration = go
}
primitive puck {
  properties: (friction: 0.3)
  geometry: sphere(0.05)
  dynamics: (mass: 1 kg, inertia: (1000000, 1000000, 1000000))
}
world w {
  gravity: (0, -9.81, 0)
  components { t: table; b: puck }
  structure { place t by t.center at (0, -0.1, 0); place b by b.center at (0.5, 0.05, 0) }
}
"""


def on_turning_floor(end: float) -> np.ndarray:
    """Where a block is on a floor of acceleration (ALONG, 0, TURNING t), relative to it."""
    begin = math.sqrt((MU * G) ** 2 - ALONG**2) / TURNING

    def rates(t: float, y: np.ndarray) -> list[float]:
        speed = math.hypot(y[2], y[3])
        pull = math.hypot(ALONG, TURNING * t)
        x, z = (y[2] / speed, y[3] / speed) if speed else (-ALONG / pull, -TURNING * t / pull)
        return [y[2], y[3], -MU * G * x - ALONG, -MU * G * z - TURNING * t]

    return solve_ivp(rates, (begin, end), np.zeros(4), "DOP853", rtol=1e-11, atol=1e-14).y[:2, -1]


def slid(block: str, high: float, method: DOP853 | RK4, step: float, end: float) -> np.ndarray:
    made = parse(FLOOR.format(block=block, high=high)).world("w")
    go = {"go": lambda t, s: (ALONG, 0.0, TURNING * t)}
    record = simulate(made, until=end, step=step, method=method, controllers=go)
    floor = np.array((ALONG * end**2 / 2.0, TURNING * end**3 / 6.0))
    books = record.series("energy.total") - record.series("energy.work")
    books = books + record.series("energy.dissipated")
    assert np.abs(books - books[0]).max() < 1e-9
    return np.asarray(record.series("b.center")[-1])[[0, 2]] - floor


LOW, TALL = ("cuboid(0.2, 0.02, 0.2)", 0.01), ("cuboid(0.2, 0.3, 0.2)", 0.15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("block", "high", "step"),
    [
        (*LOW, 0.1),
        (*LOW, 0.005),
        (*TALL, 0.1),
        (*TALL, 0.005),
    ],
)
def test_a_block_on_a_floor_whose_acceleration_turns(block: str, high: float, step: float) -> None:
    # frozen directions were wrong by 2.5e-5 to 1e-4, by the length of the frames
    found = slid(block, high, DOP853(), step, 1.0)
    np.testing.assert_allclose(found, on_turning_floor(1.0), rtol=0.0, atol=1e-8)


@pytest.mark.slow
def test_a_classical_step_longer_than_friction_needs_to_turn_the_slip() -> None:
    # frozen directions were wrong by 5e-4
    found = slid("cuboid(0.2, 0.02, 0.2)", 0.01, RK4(step=1e-3), 0.1, 1.0)
    np.testing.assert_allclose(found, on_turning_floor(1.0), rtol=0.0, atol=1e-6)


def test_a_puck_on_a_turntable_that_speeds_up() -> None:
    turn, away, end = 2.0, 0.5, 1.5
    begin = ((MU * G / away) ** 2 - turn**2) ** 0.25 / turn

    def rates(t: float, y: np.ndarray) -> list[float]:
        w = turn * t
        x, z = y[2] - w * y[1], y[3] + w * y[0]
        if math.hypot(x, z) < 1e-14:
            # at rest on the table friction is along the table's acceleration there
            x, z = w * w * y[0] - turn * y[1], w * w * y[1] + turn * y[0]
        size = math.hypot(x, z)
        return [y[2], y[3], -MU * G * x / size, -MU * G * z / size]

    angle, w = turn * begin**2 / 2.0, turn * begin
    c, s = math.cos(angle), math.sin(angle)
    start = (away * c, -away * s, -away * w * s, -away * w * c)
    twin = solve_ivp(rates, (begin, end), start, "DOP853", rtol=1e-11, atol=1e-14).y[:2, -1]
    go = {"go": lambda t, s: ((0.0, 0.0, 0.0), (0.0, turn, 0.0))}
    record = simulate(parse(TABLE).world("w"), until=end, step=0.05, controllers=go)
    found = np.asarray(record.series("b.center")[-1])[[0, 2]]
    # the puck is a ball that hardly turns
    np.testing.assert_allclose(found, twin, rtol=0.0, atol=2e-6)
