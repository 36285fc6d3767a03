"""The energy that forces with corners hold: closed forms, and books that close."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art
from articulata.domains.dynamic.elements import work_against
from articulata.world.model import Force, Program

LENGTH = ("distance", 0.0)


def law(*program: tuple[str, float] | str) -> Force:
    steps: Program = tuple((each, 0.0) if isinstance(each, str) else each for each in program)
    return Force("f", "between", None, None, steps)


def push(value: float) -> tuple[str, float]:
    return ("push", value)


@pytest.mark.parametrize(
    ("force", "exact"),
    [
        # max(x - 0.3, 0), from 0.1 to 1
        (law(LENGTH, push(0.3), "sub", push(0.0), "max"), 0.7**2 / 2),
        # 5 |x - 0.777|
        (law(LENGTH, push(0.777), "sub", "abs", push(5.0), "mul"), 2.5 * (0.677**2 + 0.223**2)),
        # sign(x - 0.25): minus one, then one
        (law(LENGTH, push(0.25), "sub", "sign"), 0.75 - 0.15),
        # min(max(x, 0.4), 0.6): three pieces
        (
            law(LENGTH, push(0.4), "max", push(0.6), "min"),
            0.4 * 0.3 + (0.6**2 - 0.4**2) / 2 + 0.6 * 0.4,
        ),
        # floor(4 x)
        (law(LENGTH, push(4.0), "mul", "floor"), 0.25 * (1 + 2 + 3)),
        # 1 / x^2, no corner and a steep end
        (law(push(1.0), LENGTH, LENGTH, "mul", "div"), 10.0 - 1.0),
        # sin(100 x), many waves
        (
            law(LENGTH, push(100.0), "mul", "sin"),
            (math.cos(10.0) - math.cos(100.0)) / 100.0,
        ),
    ],
)
def test_the_work_against_a_force_is_its_integral(force: Force, exact: float) -> None:
    assert work_against(force, 0.1, 1.0) == pytest.approx(exact, abs=1e-13)
    assert work_against(force, 1.0, 0.1) == pytest.approx(-exact, abs=1e-13)


def test_the_books_close_with_a_spring_that_only_pulls() -> None:
    """A ball flies on a rubber band, slack below 0.3 m."""
    text = """
primitive ball { geometry: sphere(1 cm); dynamics: (mass: 1 kg, inertia: (1, 1, 1)) }
world w {
  components { k: ball; o: fixed_point }
  structure {
    place o by o.center at (0, 0, 0)
    place k by k.center at (0.5 m, 0.1 m, 0)
    force band between k.center and o.center = 200 N/m * max(distance - 0.3 m, 0 m)
  }
}
"""
    found = art.simulate(art.parse(text).world("w"), until=0.5, step=0.02)
    stretched = np.maximum(np.linalg.norm(found.series("k.center"), axis=1) - 0.3, 0.0)
    assert np.min(stretched) == 0.0
    # counted from the start, as a law has no length of its own to count from
    held = 100.0 * (stretched**2 - stretched[0] ** 2)
    assert found.series("energy.elastic") == pytest.approx(held.tolist(), abs=1e-12)
    total = found.series("energy.total")
    assert np.max(np.abs(total - total[0])) < 1e-8
