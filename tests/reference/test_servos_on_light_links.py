"""Stiff servos about light links that touch the ground, in steps: beside Lagrange's equation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art

STANDING = """
primitive sole { properties: (friction: 0.9)
  geometry: cuboid(10 cm, 3 cm, 26 cm) where {
    ankle: (0, 1.5 cm, -4 cm); toe: (0, -1.5 cm, 13 cm); heel: (0, -1.5 cm, -13 cm) }
  dynamics: (mass: 1 kg) }
primitive body { geometry: cuboid(30 cm, 1.8 m, 20 cm) where { ankle: (0, -90 cm, 0) }
  dynamics: (mass: 70 kg) }
world standing {
  gravity: (0, -9.81, 0)
  components { floor: ground; foot: sole; trunk: body }
  structure {
    ignore trunk with floor
    ignore trunk with foot
    join trunk to foot with pin(axis: x) as ankle matching (ankle, ankle)
    force hold about ankle = servo(0 deg, 1500 N*m, 120 N*m*s, limit: LIMIT)
    place foot by foot.bottom at (0, 0, 0)
    place trunk by ankle.angle = LEAN
  }
}
"""


def run(lean: str, limit: str = "400 N*m") -> art.Recording:
    world = art.parse(STANDING.replace("LEAN", lean).replace("LIMIT", limit)).world()
    return art.simulate(world, until=1.0, step=0.1, method=art.Stepping(1e-3))


@pytest.mark.parametrize("limit", [400.0, 75.0])
def test_who_leans_comes_back_by_the_ankle(limit: float) -> None:
    """The foot, a hundredth of the weight, would turn to the servo's target in 0.1 ms if free."""
    weight, height, inertia = 70.0 * 9.81, 0.9, 70.0 * ((1.8**2 + 0.2**2) / 12 + 0.9**2)
    lean = np.radians(4.0)

    def rates(_: float, y: np.ndarray) -> list[float]:
        moment = np.clip(-1500 * y[0] - 120 * y[1], -limit, limit)
        return [y[1], (weight * height * np.sin(y[0]) + moment) / inertia]

    recording = run("4 deg", f"{limit} N*m")
    own = solve_ivp(rates, (0, 1), [lean, 0], t_eval=recording.times, rtol=1e-10, atol=1e-12).y
    assert recording.series("ankle.angle") == pytest.approx(own[0], abs=1e-4)
    assert recording.series("ankle.rate") == pytest.approx(own[1], abs=4e-4)
    assert np.abs(recording.series("foot.toe")[:, 1]).max() < 1e-8


def test_who_leans_too_far_turns_over_the_toes() -> None:
    """The foot holds its weight times the 17 cm to the toe, less than what the servo gives."""
    recording = run("14 deg")
    assert recording.series("foot.heel")[-1, 1] > 0.03
    assert np.abs(recording.series("foot.toe")[:, 1]).max() < 1e-7
