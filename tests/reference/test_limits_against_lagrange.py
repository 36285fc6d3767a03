"""A double pendulum between stops against Lagrange's equations in two angles.

The oracle knows nothing of bodies and hinges: M(q) q'' = Q(q, q') by hand, integrated by SciPy with
its own event location; at a stop M dq' = e_k P with q_k' turned round by the restitution.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art

TEXT = """
primitive bar(long: length) {
  properties: (density: 1000)
  geometry: cuboid(5 cm, long, 5 cm) where { top: (0, long / 2, 0); foot: (0, -long / 2, 0) }
  dynamics
}
world arm {
  gravity: (0, -9.81, 0)
  components { post: fixed_point; upper: bar(80 cm); lower: bar(60 cm) }
  structure {
    place post by post at (0, 0, 0)
    place upper by upper.top at (0, 0, 0) turned 70 deg about z
    join upper to post with pin(axis: z) as shoulder matching (top, center)
      limits (-30 deg, 100 deg) restitution 0.5
    join lower to upper with pin(axis: z) as elbow matching (top, foot)
      limits (-20 deg, 60 deg) restitution 0.7
  }
}
"""
G, L1, L2, SIDE = 9.81, 0.8, 0.6, 0.05
M1, M2 = 1000.0 * SIDE**2 * L1, 1000.0 * SIDE**2 * L2
J1, J2 = M1 * (L1**2 + SIDE**2) / 12.0, M2 * (L2**2 + SIDE**2) / 12.0
LIMITS = {
    0: (math.radians(-30.0), math.radians(100.0)),
    1: (math.radians(-20.0), math.radians(60.0)),
}
BOUNCE = {0: 0.5, 1: 0.7}


def inertia(q: np.ndarray) -> np.ndarray:
    own = J2 + M2 * L2**2 / 4.0
    both = 0.5 * M2 * L1 * L2 * math.cos(q[1])
    top = J1 + M1 * L1**2 / 4.0 + M2 * L1**2 + own + 2.0 * both
    return np.array([[top, own + both], [own + both, own]])


def rates(t: float, y: np.ndarray) -> np.ndarray:
    q, u = y[:2], y[2:]
    bend = 0.5 * M2 * L1 * L2 * math.sin(q[1])
    one = G * (0.5 * M1 + M2) * L1 * math.sin(q[0])
    two = 0.5 * G * M2 * L2 * math.sin(q[0] + q[1])
    Q = np.array([bend * (2.0 * u[0] * u[1] + u[1] ** 2) - one - two, -bend * u[0] ** 2 - two])
    return np.concatenate([u, np.linalg.solve(inertia(q), Q)])


def strikes(count: int) -> list[tuple[float, int, float, float]]:
    """Return instant, coordinate, limit and impulse of the first strikes."""
    gaps = []
    for k, pair in LIMITS.items():
        for side, limit in enumerate(pair):

            def gap(
                t: float, y: np.ndarray, k: int = k, limit: float = limit, side: int = side
            ) -> float:
                return y[k] - limit if side == 0 else limit - y[k]

            gap.terminal, gap.direction = True, -1.0  # type: ignore[attr-defined] # how SciPy is told
            gaps.append((gap, k, limit))
    t, y, found = 0.0, np.array([math.radians(70.0), 0.0, 0.0, 0.0]), []
    while len(found) < count:
        run = solve_ivp(
            rates, (t, t + 10.0), y, "DOP853", events=[gap for gap, _, _ in gaps],
            rtol=1e-13, atol=1e-14,
        )  # fmt: skip
        number = next(n for n, times in enumerate(run.t_events) if len(times))
        t, y = float(run.t_events[number][0]), run.y_events[number][0].copy()
        _, k, limit = gaps[number]
        M = np.linalg.inv(inertia(y[:2]))
        P = -(1.0 + BOUNCE[k]) * y[2 + k] / M[k, k]
        y[2:] += M[:, k] * P
        found.append((t, k, limit, abs(float(P))))
        # off the limit by rounding, so that leaving it is not reaching it
        y[k] = limit + math.copysign(1e-15, y[2 + k])
    return found


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(5e-4)], ids=["DOP853", "RK4"])
def test_a_double_pendulum_strikes_its_stops_as_lagranges_equations_say(
    method: art.DOP853 | art.RK4,
) -> None:
    expected = strikes(8)
    world = art.parse(TEXT).world("arm")
    run = art.simulate(world, until=expected[-1][0] + 1e-3, step=0.05, method=method)
    hits = [event for event in run.events if event.kind == "limit"]
    assert len(hits) == 8
    allowed = 1e-9 if isinstance(method, art.DOP853) else 1e-6
    for hit, (time, k, limit, impulse) in zip(hits, expected, strict=True):
        assert hit.who == (("shoulder", "elbow")[k],)
        assert hit.values["limit"] == pytest.approx(limit, abs=1e-15)
        assert hit.time == pytest.approx(time, abs=allowed)
        assert hit.values["impulse"] == pytest.approx(impulse, rel=10 * allowed)
    books = run.series("energy.total") + run.series("energy.dissipated")
    assert np.ptp(books) < (1e-9 if isinstance(method, art.DOP853) else 1e-7)
