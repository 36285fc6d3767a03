"""Random worlds in stepping mode: no exception, no energy from nowhere, the same bytes twice."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from random_worlds import random_world


def check(seed: int, until: float) -> None:
    world = random_world(seed)
    recording = art.simulate(world, until=until, step=0.05, method=art.Stepping())
    energy = recording.series("energy.total")
    scale = max(abs(float(energy[0])), float(np.max(recording.series("energy.kinetic"))))
    assert np.max(energy) - energy[0] <= 1e-6 * scale
    again = art.simulate(world, until=until, step=0.05, method=art.Stepping())
    assert again.to_bytes() == recording.to_bytes()


@pytest.mark.parametrize("seed", [3, 8])
def test_drawn_world_gains_no_energy(seed: int):
    check(seed, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_hundred_drawn_worlds_gain_no_energy(seed: int):
    check(seed, 5.0)
