"""A rope that is slack for a while is told to be taut at the instant of its own equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from articulata.geometry.arrays import Array

HUNG = """
primitive ball {
  properties: (density: 7850 kg/m^3)
  geometry: sphere(3 cm)
  dynamics
}
world w {
  gravity: (0, -9.81 m/s^2, 0)
  components { hook: fixed_point; b: ball }
  structure {
    force rope between hook.center and b.center =
      max(20000 N/m * (distance - 1 m) + 20 N*s/m * speed, 0 N)
    place hook by hook.center at (0, 0, 0)
    place b by b.center at (0.5 m, 0.5 m, 0)
  }
}
simulate w {
  time: (10 ms, 1 s)
  on rope.force > LEVEL N: set b.color = red
  on rope.force < 0.1 N: set b.color = gray
}
"""

MASS = 7850.0 * 4.0 / 3.0 * np.pi * 0.03**3


def tension(y: Array, level: float = 0.0) -> float:
    """Return the tension (N) of a rope that could push, less ``level``."""
    length = float(np.hypot(y[0], y[1]))
    return 2e4 * (length - 1.0) + 20.0 * float(y[0] * y[2] + y[1] * y[3]) / length - level


@pytest.mark.parametrize("level", [0.0, 0.1])
def test_a_rope_is_taut_and_slack_at_the_instants_of_its_own_equations(level: float) -> None:
    def rates(_: float, y: Array) -> list[float]:
        pull = max(tension(y), 0.0) / np.hypot(y[0], y[1]) / MASS
        return [y[2], y[3], -pull * y[0], -pull * y[1] - 9.81]

    def taut(_: float, y: Array) -> float:
        return tension(y, level)

    def slack(_: float, y: Array) -> float:
        return tension(y, 0.1)

    known = solve_ivp(
        rates, (0.0, 1.0), [0.5, 0.5, 0.0, 0.0], "DOP853", events=[taut, slack], rtol=1e-12,
        atol=1e-13, max_step=5e-3,
    )  # fmt: skip
    run = art.simulate(art.parse(HUNG.replace("LEVEL", str(level))).requests[0])
    told = [(each.values["clause"], each.time) for each in run.events if each.kind == "condition"]
    first = [t for clause, t in told if ">" in str(clause)]
    later = [t for clause, t in told if "<" in str(clause)]
    # what is zero for a while is no news again
    rising = known.t_events[0][::2] if level else known.t_events[0][:1]
    assert first == pytest.approx(rising.tolist(), abs=1e-8)
    assert later == pytest.approx(known.t_events[1][1::2].tolist(), abs=1e-8)
    assert run.series("b.center")[-1][:2] == pytest.approx(known.y[:2, -1], abs=1e-8)
