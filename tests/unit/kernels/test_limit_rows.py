"""Rows of hinges' limits against the coordinates of the hinge and central differences of them."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.dynamic.contact.stops import limits_of
from articulata.domains.dynamic.mechanism import motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.geometry.arrays import Array
from articulata.kernels.multibody.contact.limits import follow_limit
from articulata.kernels.multibody.contact.rows import (
    GAMMA_N,
    GAP,
    PLACE_WIDTH,
    ROW_N,
    ROW_T1,
    SPEED_N,
)
from articulata.kernels.multibody.project import turn
from articulata.kernels.multibody.rows import rotations

TEXT = """
primitive block {
  properties: (density: 1000)
  geometry: cuboid(20 cm, 30 cm, 10 cm) where { side: (10 cm, 3 cm, 0); top: (1 cm, 15 cm, 2 cm) }
  dynamics
}
world pair {
  components { a, b: block }
  structure {
    join a to b with cylindrical(axis: (1, 2, 3)) as c matching (side, top)
      limits ((-40 deg, 500 deg) (-1 m, 0.5 m))
  }
}
"""
LIMITS = [*np.radians([-40.0, 500.0]).tolist(), -1.0, 0.5]
SIGNS = (1.0, -1.0, 1.0, -1.0)


def thrown(rng: np.random.Generator) -> Array:
    """Return two bodies anywhere, moving anyhow (2, 13): rows do not ask whether hinges are met."""
    state = rng.normal(size=(2, 13))
    state[:, 3:7] /= np.linalg.norm(state[:, 3:7], axis=1)[:, None]
    return state


def moved(state: Array, a: Array, dt: float) -> Array:
    """Return ``state`` after ``dt`` (s) of constant accelerations ``a`` (2, 6)."""
    after = state.copy()
    after[:, :3] += dt * state[:, 7:10] + 0.5 * dt * dt * a[:, :3]
    for body in range(2):
        x, y, z = (dt * state[body, 10:] + 0.5 * dt * dt * a[body, 3:]).tolist()
        turn(after, body, x, y, z)
    after[:, 7:] += dt * a
    return after


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_derivatives_of_the_coordinates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = build(art.parse(TEXT).world("pair"), ("geometric", "dynamic")).get("dynamic").parts
    limits = limits_of(parts)
    table = np.array(limits.rows, np.int64)

    def places(state: Array) -> Array:
        scratch, out = np.zeros((2, 9)), np.zeros((4, PLACE_WIDTH))
        rotations(state, scratch)
        for k in range(4):
            follow_limit(table, limits.data, k, state, scratch, out)
        return out

    state, a, h = thrown(rng), rng.normal(size=(2, 6)), 1e-5
    here = places(state)
    motion = motion_of(unpack(state))
    values = parts.coordinates.values(motion.positions, motion.R)
    rates = parts.coordinates.rates(motion.positions, motion.R, motion.v, motion.w)
    v = state[[0, 1], 7:].ravel()
    for k, (sign, limit) in enumerate(zip(SIGNS, LIMITS, strict=True)):
        gap = sign * (values[k // 2] - limit)
        whole = 2.0 * np.pi if k < 2 else np.inf
        off = here[k, GAP] - gap
        off -= whole * np.round(off / whole) if k < 2 else 0.0
        assert off == pytest.approx(0.0, abs=1e-14)
        assert here[k, SPEED_N] == pytest.approx(sign * rates[k // 2], abs=1e-13)
        row = here[k, ROW_N : ROW_N + 12]
        assert row @ v == pytest.approx(here[k, SPEED_N], abs=1e-13)
        assert not np.any(here[k, ROW_T1:GAMMA_N])
    ahead, behind = places(moved(state, a, h)), places(moved(state, a, -h))
    speeding = (ahead[:, SPEED_N] - behind[:, SPEED_N]) / (2.0 * h)
    due = here[:, ROW_N : ROW_N + 12] @ a.ravel() - here[:, GAMMA_N]
    assert speeding == pytest.approx(due, abs=1e-7)
    opening = (ahead[2:, GAP] - behind[2:, GAP]) / (2.0 * h)
    assert opening == pytest.approx(here[2:, SPEED_N], abs=1e-8)
