"""Rooms that are alike, or have more room, are never proved to be out of reach where others are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.one_person.bare_reach import COARSE
from articulata.analyses.reach.points.labelling import labels_of
from articulata.analyses.reach.points.search import Labels
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study
from articulata.records.labels import ACCESSIBLE, PROVED


@dataclass(frozen=True)
class Plan:
    """Boxes in a room that is ``width`` by ``deep`` m: edges, middle, degrees about y."""

    width: float
    deep: float
    door: float
    boxes: tuple[tuple[float, ...], ...]


def plan(seed: int) -> Plan:
    """Return a room with three things in it: on the floor, in the air, and at a wall."""
    rng = np.random.default_rng(seed)
    width, deep = rng.uniform(2.4, 3.2, 2)
    boxes = []
    for high, middle in ((0.9, 0.45), (0.04, rng.uniform(0.6, 0.8)), (0.3, rng.uniform(1.2, 1.6))):
        w, d = rng.uniform(0.4, 1.2), rng.uniform(0.3, 0.7)
        x, z = rng.uniform(0.5 * w, width - 0.5 * w) - 0.5 * width, rng.uniform(0.5 * d, 1.2)
        boxes.append((w, high, d, x, middle, z, rng.choice([0.0, rng.uniform(-60, 60)])))
    return Plan(width, deep, rng.uniform(0.8, 1.0), tuple(boxes))


def study(plan: Plan, mirrored: bool = False, turn: float = 0.0) -> Study:
    """Return a room ready to be asked about; ``turn`` in degrees, with a shift, about y."""
    w, d, side = plan.width, plan.deep, -1.0 if mirrored else 1.0
    shut = d - plan.door
    walls = (
        (w, 2.4, 0.1, 0.0, 1.2, -0.05, 0.0),
        (w, 2.4, 0.1, 0.0, 1.2, d + 0.05, 0.0),
        (0.1, 2.4, d, -0.5 * w - 0.05, 1.2, 0.5 * d, 0.0),
        (0.1, 2.4, shut, 0.5 * w + 0.05, 1.2, 0.5 * shut, 0.0),
    )
    floor = (w, 0.1, d, 0.0, -0.05, 0.5 * d, 0.0)
    names, places = [], []
    for name, (a, b, c, x, y, z, about) in {
        "floor": floor, **{f"thing_{i}": each for i, each in enumerate((*walls, *plan.boxes))}
    }.items():  # fmt: skip
        names.append(f"{name}: block({a} m, {b} m, {c} m)")
        p = ", ".join(f"{v} m" for v in placed(np.array([[x, y, z]]), side, turn)[0])
        places.append(
            f"place {name} by {name}.center at ({p}) turned {side * about + turn} deg about y"
        )
    p = ", ".join(
        f"{v} m" for v in placed(np.array([[0.5 * w, 0.0, shut + 0.5 * plan.door]]), side, turn)[0]
    )
    text = f"""
primitive block(w: length, h: length, d: length) {{
  properties: (fixed); geometry: cuboid(w, h, d)
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ {"; ".join(names)}; door: fixed_point }}
  structure {{ {chr(10).join(places)}
    place door by door.center at ({p}) }}
}}
reach room {{
  person: human_upper_body on foot, human_upper_body on wheelchair
  approach: from door
  points: grid 1 m in floor
}}"""
    return study_of(art.parse(text).requests[0])[0]


def placed(points: np.ndarray, side: float, turn: float) -> np.ndarray:
    """Return where points (n, 3) of a plan are in the world."""
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    x, y, z = points.T * [[side], [1.0], [1.0]]
    moved = np.column_stack([c * x + s * z, y, c * z - s * x])
    return np.asarray(moved + ((100.0, 0.7, -40.0) if turn else (0.0, 0.0, 0.0)))


def labels(
    plan: Plan, points: np.ndarray, mirrored: bool = False, turn: float = 0.0
) -> list[Labels]:
    """Return the labels of points (n, 3) of a plan, by way to move."""
    asked = study(plan, mirrored, turn)
    there = placed(points, -1.0 if mirrored else 1.0, turn)
    cases = [asked.case(name) for name in asked.bodies]
    return [labels_of(case, case.room.into(there), None, COARSE) for case in cases]


@pytest.mark.parametrize("seed", [1, 2])
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
