"""Rooms that are alike, or have more room, are never proved to be out of reach where others are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from articulata.analyses.reach.points.labelling import labels_of
from articulata.analyses.reach.points.search import Labels
from articulata.records.reach_shares import ACCESSIBLE, PROVED
from rooms_by_chance import Ability, Plan, placed, study

BOTH = Ability("human_upper_body on foot, human_upper_body on wheelchair")


def plan(seed: int) -> Plan:
    """Return a room with three things in it: on the floor, in the air, and at a wall."""
    rng = np.random.default_rng(seed)
    width, deep = rng.uniform(2.4, 3.2, 2)
    boxes = []
    for high, middle in ((0.9, 0.45), (0.04, rng.uniform(0.6, 0.8)), (0.3, rng.uniform(1.2, 1.6))):
        w, d = rng.uniform(0.4, 1.2), rng.uniform(0.3, 0.7)
        x, z = rng.uniform(0.5 * w, width - 0.5 * w) - 0.5 * width, rng.uniform(0.5 * d, 1.2)
        boxes.append((w, high, d, x, middle, z, rng.choice([0.0, rng.uniform(-60, 60)])))
    return Plan(width, deep, rng.uniform(0.8, 1.0), tuple(boxes), np.empty((0, 3)))


def labels(
    plan: Plan, points: np.ndarray, mirrored: bool = False, turn: float = 0.0
) -> list[Labels]:
    """Return the labels of points (n, 3) of a plan, by way to move."""
    asked = study(plan, BOTH, mirrored, turn)
    there = placed(points, -1.0 if mirrored else 1.0, turn)
    cases = [asked.case(name) for name in asked.bodies]
    return [labels_of(case, case.room.into(there)) for case in cases]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_no_proof_speaks_against_a_posture_in_a_room_that_is_alike_or_has_more_room(
    seed: int,
) -> None:
    own = plan(seed)
    rng = np.random.default_rng(seed)
    ground = rng.uniform((-0.5 * own.width, 0.0), (0.5 * own.width, own.deep), (120, 2))
    heights = rng.choice([0.2, 0.7, 1.2, 1.7], 120)
    points = np.column_stack([ground[:, 0], heights, ground[:, 1]])
    first = labels(own, points)
    alike = [labels(own, points, mirrored=True), labels(own, points, turn=37.0)]
    freer = labels(replace(own, boxes=own.boxes[1:]), points)
    for number, here in enumerate(first):
        met, proved = here.label == ACCESSIBLE, here.label == PROVED
        assert met.any()
        for other in (each[number].label for each in alike):
            assert not (met & (other == PROVED)).any()
            assert not (proved & (other == ACCESSIBLE)).any()
        assert not (met & (freer[number].label == PROVED)).any()
