"""Bodies that touch along lines: three cylinders fall apart in their plane, by its one equation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art

G, RADIUS, MASS, INERTIA, MU = 9.81, 0.1, 3.0, 0.015, 0.085

STACK = f"""
contact roller with roller: (friction: 0.5)
contact roller with ground: (friction: {MU})
primitive roller {{
  geometry: cylinder({RADIUS}, 0.5)
  dynamics: (mass: {MASS} kg, inertia: (0.1, 0.1, {INERTIA}))
}}
world stack {{
  gravity: (0, -{G}, 0)
  components {{ floor: ground; a, b, c: roller }}
  structure {{
    place a by a.center at (-{RADIUS}, {RADIUS}, 0)
    place b by b.center at ({RADIUS}, {RADIUS}, 0)
    place c by c.center at (0, {RADIUS + math.sqrt(3) * RADIUS!r}, 0)
  }}
}}
"""


def fall(t: float, y: np.ndarray) -> list[float]:
    """Return the rates of phi, by which the line from a to c leans, and of its rate.

    The upper roller does not turn, the lower ones roll on it and slide on the floor: Lagrange's
    equation of the second kind with q = phi, energies 4 m R^2 (c^2 + s^2 / 2) phi'^2 + 4 I phi'^2
    and the work of friction MU N, N = 3 m g / 2 + m y'' / 2 for y = R + 2 R c.
    """
    phi, rate = y
    s, c = math.sin(phi), math.cos(phi)
    inertia = MASS * RADIUS**2 * (8 * c * c + 4 * s * s) + 8 * INERTIA
    change = -8 * MASS * RADIUS**2 * c * s
    rubbed = 4 * MU * RADIUS * (1 + c)
    force = 2 * RADIUS * MASS * G * s - 0.5 * change * rate**2
    force -= rubbed * (1.5 * MASS * G - MASS * RADIUS * c * rate**2)
    return [rate, force / (inertia - rubbed * MASS * RADIUS * s)]


@pytest.mark.parametrize(
    ("step", "frame", "error"), [(1e-3, 0.05, 1e-7), (1e-3, 0.01, 1e-7), (2.5e-4, 0.05, 1e-8)]
)
def test_stack_of_cylinders_stays_in_its_plane(step: float, frame: float, error: float):
    recording = art.simulate(
        art.parse(STACK).world("stack"), until=0.5, step=frame, method=art.Stepping(step)
    )
    times = recording.times
    known = solve_ivp(
        fall, (0, 0.5), [math.pi / 6, 0], method="DOP853", t_eval=times, rtol=1e-12, atol=1e-14
    )
    height = RADIUS + 2 * RADIUS * np.cos(known.y[0])
    assert np.abs(recording.series("c.center.y") - height).max() < error
    # the loads at the ends of each line are the same, so that nothing turns the rollers aside
    for name in "abc":
        assert np.abs(recording.series(f"{name}.v.z")).max() < 1e-9
        assert np.abs(recording.series(f"{name}.w.y")).max() < 1e-9
