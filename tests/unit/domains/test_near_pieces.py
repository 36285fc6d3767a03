"""Which pieces a step looks at: all that may meet, in order, and few besides."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.dynamic.stepping.stepper import Stepper
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.kernels.multibody.stepping.near import list_near

COUNT, RADIUS, MARGIN = 60, 0.1, 1e-3


def stepper() -> Stepper:
    balls = "; ".join(f"b{k}: ball" for k in range(COUNT))
    world = art.assemble(
        art.parse(
            "primitive ball { properties: (density: 1000); geometry: sphere(0.1); dynamics } "
            f"world w {{ gravity: (0, -9.81, 0); components {{ floor: ground; {balls} }} }}"
        ).world("w")
    )
    found = build(world)["dynamic"].moving(art.Stepping(), art.Contact(), piece_table)._stepper
    assert isinstance(found, Stepper)
    return found


@pytest.mark.parametrize("stretched", [0, 1, 2])
def test_all_that_may_meet_is_looked_at_in_order(stretched: int) -> None:
    steps, chance = stepper(), np.random.default_rng(stretched)
    size = np.full(3, 0.8)
    size[stretched] = 4.0
    place = chance.uniform(-size, size, (COUNT, 3))
    speed = chance.uniform(-2.0, 2.0, (COUNT, 3))
    listed = 0
    for _ in range(40):
        contacts, h = steps._contacts, 1e-2
        contacts.start[1:, :3], contacts.start[1:, 7:10] = place, speed
        contacts.flown[:] = contacts.start
        while not list_near(steps.stage.scene, contacts, h, MARGIN):
            steps._enlarge()
            contacts = steps._contacts
            contacts.start[1:, :3], contacts.start[1:, 7:10] = place, speed
            contacts.flown[:] = contacts.start
        near = contacts.near[: contacts.listed[0]].tolist()
        assert near == sorted(near)
        assert [pair for pair in near if pair[0] == 0] == [[0, k] for k in range(1, COUNT + 1)]
        listed = len(near) - COUNT
        far = np.linalg.norm(place[:, None] - place, axis=2)
        way = h * np.linalg.norm(speed, axis=1)
        meet = np.argwhere(np.triu(far <= 2 * RADIUS + MARGIN + way[:, None] + way, 1))
        assert {tuple(pair) for pair in (meet + 1).tolist()} <= {tuple(pair) for pair in near}
        place = place + h * speed
    assert listed < COUNT * (COUNT - 1) / 2 / 2
