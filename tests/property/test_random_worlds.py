"""Bodies of all shapes fall on a ground: no exception, no overlap, no energy from nowhere."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.world.meeting import meeting_pairs
from property.falling import falling

DEEPEST = 1e-9
"""How far bodies may overlap in event mode, m (design notes: figures to reach)."""

GAIN = 1e-6
"""Share of the energy that may come from nowhere."""


def check(seed: int, most: int, until: float) -> None:
    world = art.assemble(falling(seed, most))
    recording = art.simulate(world, until=until, step=0.02)
    energy = recording.array("dynamic.energy")
    scale = np.max(np.abs(energy))
    assert np.max(np.diff(energy[:, 3])) <= GAIN * scale
    assert np.ptp(energy[:, 3] - energy[:, 4] + energy[:, 5]) <= GAIN * scale
    poses = recording.array("geometric.pose")
    interference = build(world)["interference"]
    groups = meeting_pairs(world, within=False)
    names = tuple(world.bodies)
    tested = {(names[a], names[b]) for a, b in groups.tolist()}
    for frame in poses:
        for contact in interference.contacts(frame):
            if (contact.body_A, contact.body_B) in tested:
                assert contact.gap >= -DEEPEST, (seed, contact)


@pytest.mark.parametrize("seed", range(2))
def test_a_few_bodies_fall_on_the_ground(seed):
    check(seed, 5, 0.8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_many_bodies_fall_on_the_ground(seed):
    # Where contacts cannot be followed exactly, steps take over on the way.
    world = art.assemble(falling(seed))
    recording = art.simulate(world, until=5.0, step=0.02)
    energy = recording.array("dynamic.energy")
    assert recording.times[-1] == pytest.approx(5.0)
    assert np.max(np.diff(energy[:, 3])) <= GAIN * np.max(np.abs(energy))
