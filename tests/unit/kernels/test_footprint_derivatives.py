"""What a footprint leaves of a floor: how the nearest place follows the turn and the place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from articulata.kernels.chains.iterative_solvers.target_areas import nearest_standing, standing

FLOORS = {
    "five": [[-1.5, -1.0], [1.4, -1.2], [1.7, 0.6], [0.2, 1.5], [-1.2, 1.1]],
    "a corner cut": [[-2.0, -1.5], [2.0, -1.5], [2.0, 1.45], [1.95, 1.5], [-2.0, 1.5]],
}


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_the_nearest_place_moves_as_its_derivatives_say(floor: str, sense: float) -> None:
    half = (0.6, 0.35)
    area = standing(np.array(FLOORS[floor]), half, np.eye(3)[0], np.eye(3)[1], sense)

    def nearest(turn: float, u: float, v: float) -> Any:
        return np.array(nearest_standing(area, math.cos(turn), math.sin(turn), u, v))

    rng, step = np.random.default_rng(4), 1e-6
    off = []
    for _ in range(300):
        turn, u, v = rng.uniform([-3.0, -3.0, -2.5], [3.0, 3.0, 2.5])
        told = nearest(turn, u, v)
        by_u, by_v, by_turn = (
            (nearest(turn + a, u + b, v + c) - nearest(turn - a, u - b, v - c))[:2] / (2.0 * step)
            for a, b, c in ((0, step, 0), (0, 0, step), (step, 0, 0))
        )
        expected = [*by_u, by_v[1], *by_turn]
        off.append(float(np.max(np.abs(told[2:] - expected))))
    # a few lie where another side becomes the nearest
    assert np.quantile(off, 0.98) < 1e-6
