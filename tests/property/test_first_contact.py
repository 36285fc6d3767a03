"""First touches on random ways: none is missed, none comes late, none comes early."""

from __future__ import annotations

import math

import numpy as np
import pytest

from articulata.domains.interference.advance import Advance, Motion
from articulata.geometry.arrays import Array
from articulata.geometry.convex_pieces.piece_table import PieceTable, piece_table
from articulata.geometry.shapes import Capsule, Cone, Cuboid, Cylinder, Prism, Shape, Sphere
from shares import shares

SHAPES: list[Shape] = [
    Cuboid(0.1, 1, 0.1), Cuboid(1, 0.6, 0.8), Cuboid(0.02, 2, 2), Sphere(0.4), Capsule(0.2, 0.8),
    Cylinder(0.4, 0.9), Cone(0.5, 1), Prism(5, 0.5, 0.8),
]  # fmt: skip
TABLES: dict[tuple[int, int], PieceTable] = {}
PAIR, ONLY = np.array([[0, 1]]), np.array([0])


def sweep(rng: np.random.Generator) -> tuple[PieceTable, Motion, Array]:
    """Return two shapes, a motion from 0 to 1 s past each other, and bounds of their speeds."""
    i, j = (int(k) for k in rng.integers(0, len(SHAPES), 2))
    table = TABLES.setdefault((i, j), piece_table([SHAPES[i], SHAPES[j]]))
    p = np.array([[-3.0, *rng.uniform(-0.8, 0.8, 2)], [0.0, 0.0, 0.0]])
    v = np.array([[6.0, *rng.uniform(-0.5, 0.5, 2)], rng.normal(size=3) * 0.3])
    w = rng.normal(size=(2, 3)) * 3
    q0 = rng.normal(size=(2, 4))
    q0 /= np.linalg.norm(q0, axis=1, keepdims=True)
    speed = np.linalg.norm(w, axis=1)
    axis = w / speed[:, None]

    def motion(t: float) -> Array:
        out = np.empty((2, 7))
        out[:, :3] = p + t * v
        for k in (0, 1):
            # the turn exp(t w) times the first orientation, as quaternions
            c, (x, y, z) = math.cos(0.5 * t * speed[k]), math.sin(0.5 * t * speed[k]) * axis[k]
            a, b, d, e = q0[k]
            out[k, 3:] = (
                c * a - x * b - y * d - z * e,
                c * b + x * a + y * e - z * d,
                c * d - x * e + y * a + z * b,
                c * e + x * d - y * b + z * a,
            )
        return out

    bounds = np.stack([np.linalg.norm(v, axis=1), np.linalg.norm(w, axis=1)], axis=1)
    return table, motion, bounds


def check(rng: np.random.Generator, samples: int) -> bool:
    """Check one sweep against samples of the separation; tell whether there was a touch."""
    table, motion, bounds = sweep(rng)
    advance = Advance(table, PAIR, motion)
    found = advance.first((0.0, 1.0), bounds)
    end = 1.0 if found is None else found[0]
    times = np.linspace(0.0, end, samples)
    gaps = [float(advance.gaps(float(t), ONLY)[0]) for t in times]
    # nothing overlaps before the touch, but for less than what is followed in small steps
    assert min(gaps) > -1e-9
    if found is None:
        return False
    time, _, gap = found
    # at the touch they do touch, and just before they did not
    assert abs(gap) < 1e-9
    assert time == 0.0 or float(advance.gaps(time * (1 - 1e-12), ONLY)[0]) > 0
    return True


def test_first_touches_on_random_ways() -> None:
    rng = np.random.default_rng(0)
    touched = sum(check(rng, 60) for _ in range(60))
    assert 20 < touched < 60


@pytest.mark.parametrize("seed", shares(range(10), slow=2))
def test_no_touch_is_missed_in_a_thousand_sweeps(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    touched = sum(check(rng, 300) for _ in range(1000))
    assert 300 < touched < 1000
