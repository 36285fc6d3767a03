"""Floors on which a footprint turns with the base: answers are measured by other geometry."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from benchmarks.published.sweeping_methods import Increment
from shapely import Point, Polygon
from shapely.affinity import translate
from tests.unit.kernels.chains import random_pose
from tests.unit.kinematics.arms import P, drawn, person

from articulata.errors import KinematicsError
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.inverse.areas import CircleArea, StandingArea
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.joint import Joint, Mimic

FLOOR = [[-1.5, -1.0], [1.4, -1.2], [1.7, 0.6], [0.2, 1.5], [-1.2, 1.1]]
CUT = [[-2.0, -1.5], [2.0, -1.5], [2.0, 1.45], [1.95, 1.5], [-2.0, 1.5]]
"""A room of 4 m by 3 m, one corner cut by 5 cm: that side vanishes at most turns."""
ACUTE = [[-2.0, -1.4], [2.6, -1.3], [-1.9, 1.9]]
CORRIDOR = [[-2.0, -0.5], [2.0, -0.5], [2.0, 0.5], [-2.0, 0.5]]
METHODS = [Descent(), pytest.param(Increment(), marks=pytest.mark.slow)]
"""The second is asked for by comparisons alone: nothing else compiles its kernels."""


def _chain(base: Any = None, turn: tuple[float, float] = (-2.5, 2.8)) -> Chain:
    rows = [
        DH(theta=0.7, alpha=P, limits=turn),
        DH(theta=0.4, a=0.5, limits=(-1.0, 1.2)),
        DH(a=0.4, alpha=0.3, limits=(-2.0, 0.1)),
        DH(a=0.3, limits=(-1.0, 1.0)),
    ]
    return Chain.standard_dh(rows, base=np.eye(4) if base is None else base)


def _off(floor: Any, size: tuple[float, float], away: Any, turn: Any) -> Any:
    """Return how far bases at -``away`` are from where their footprints lie in the floor, m."""
    room, off = Polygon(floor), []
    for place, angle in zip(away, turn, strict=True):
        ahead = 0.5 * size[0] * np.array([math.cos(angle), math.sin(angle)])
        left = 0.5 * size[1] * np.array([-math.sin(angle), math.cos(angle)])
        # the floor less the footprint: where each of the footprint's corners stays in the floor
        free = room
        for along, aside in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            free = free.intersection(translate(room, *(along * ahead + aside * left)))
        off.append(free.distance(Point(*-place)))
    return np.array(off)


def _answers_are_true(chain: Chain, area: StandingArea, method: Any) -> Any:
    answers = chain.inverse(area, method=method)
    n = np.asarray(area.normal, float)
    u = np.asarray(area.ahead, float)
    v = np.cross(n, u)
    away: Any = chain.tip(answers.q)[..., :3, 3] - np.asarray(area.centers, float)
    turn = answers.q[:, 0] * np.sign(chain.prepared.base_turn.axis @ n)  # type: ignore[union-attr] # it turns
    flat = np.column_stack([away @ u, away @ v])
    error = np.hypot(_off(area.corners, (area.length, area.width), flat, turn), away @ n)
    np.testing.assert_allclose(answers.error, error, atol=1e-9)
    off = np.linalg.norm(away - area.nearest(away, turn), axis=1)
    np.testing.assert_allclose(off, error, atol=1e-9)
    return answers


@pytest.mark.parametrize("against", [False, True])
def test_a_footprint_turns_with_the_base(against: bool) -> None:
    # the base's first joint turns about the normal or against it; its zero is not the table's
    base = np.eye(4)
    base[:3, :3] = [[0, 1, 0], [1, 0, 0], [0, 0, -1]] if against else np.eye(3)
    chain = _chain(base)
    rng = np.random.default_rng(3)
    centers = rng.uniform([-2.6, -2.0, -0.9], [2.6, 2.0, 0.9], (200, 3))
    area = StandingArea(centers, FLOOR, 0.9, 0.5, ahead=(0.6, 0.8, 0.0))
    for method in (Descent(), Descent(starts=1)):
        answers = _answers_are_true(chain, area, method)
        assert 0.5 < answers.found.mean() < 0.95
        # what is missed is told as for any target
        assert answers.explain(int(np.flatnonzero(~answers.found)[0]))
    every = chain.inverse(area)
    for i in range(5):
        one = chain.inverse(dataclasses.replace(area, centers=centers[i]))
        assert one.found == every.found[i]
    # what a drawn base reaches is found
    q = drawn(chain, rng, 400)
    inside = area.nearest(rng.uniform(-2.0, 2.0, (400, 3)), (-1.0 if against else 1.0) * q[:, 0])
    reached = dataclasses.replace(area, centers=chain.tip(q)[:, :3, 3] - inside)
    assert chain.inverse(reached).found.mean() > 0.99


@pytest.mark.parametrize("floor", [FLOOR, CUT, ACUTE])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", METHODS)
def test_floors_and_bases_lie_anyhow(floor: Any, seed: int, method: Any) -> None:
    rng = np.random.default_rng(seed)
    base = np.eye(4)
    base[:3] = random_pose(rng)
    chain = _chain(base)
    sense = rng.choice([-1.0, 1.0])
    n = sense * base[:3, 2]
    u = base[:3, 0] * math.cos(seed) + base[:3, 1] * math.sin(seed)
    v = np.cross(n, u)
    away = rng.uniform([-2.6, -2.0, -0.9], [2.6, 2.0, 0.9], (150, 3))
    centers = base[:3, 3] + away @ np.array([u, v, n])
    area = StandingArea(centers, floor, 1.2, 0.7, tuple(u), tuple(n))
    found = _answers_are_true(chain, area, method).found.mean()
    assert 0.25 < found < 0.95
    q = drawn(chain, rng, 400)
    wide = rng.uniform(-2.0, 2.0, (400, 2)) @ np.array([u, v])
    inside = area.nearest(wide, sense * q[:, 0])
    reached = dataclasses.replace(area, centers=chain.tip(q)[:, :3, 3] - inside)
    assert chain.inverse(reached).found.mean() > 0.99


def test_a_corridor_takes_a_base_that_turns_as_far_as_it_fits() -> None:
    centers = np.random.default_rng(5).uniform([-2.6, -1.0, -0.9], [2.6, 1.0, 0.9], (200, 3))
    area = StandingArea(centers, CORRIDOR, 1.2, 0.7)
    answers = _answers_are_true(_chain(turn=(-0.2, 0.2)), area, Descent())
    assert 0.2 < answers.found.mean() < 0.9
    with pytest.raises(KinematicsError, match=r"does not fit in this floor.*16 deg.*limits"):
        _chain(turn=(-0.2, 0.3)).inverse(area)
    with pytest.raises(KinematicsError, match="does not fit in this floor"):
        _chain(turn=(-math.inf, math.inf)).inverse(area)
    # across the corridor nothing is left
    assert np.isnan(area.nearest(np.zeros((1, 3)), 0.5 * math.pi)).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_base_may_stand_on_fixed_joints(method: Any) -> None:
    chain = _chain()
    base = np.eye(4)
    base[:3] = random_pose(np.random.default_rng(8))
    fixed = [Joint("world", "fixed", np.eye(4), base), Joint("plate", "fixed")]
    carried = Chain([*fixed, *chain.joints], end=chain.end)
    n, u = base[:3, 2], base[:3, 0]
    rng = np.random.default_rng(9)
    centers = carried.tip(drawn(carried, rng, 50))[:, :3, 3] + rng.uniform(-0.4, 0.4, (50, 3))
    area = StandingArea(centers, FLOOR, 0.9, 0.5, tuple(u), tuple(n))
    assert _answers_are_true(carried, area, method).found.mean() > 0.7


def test_floors_that_no_footprint_turns_in_are_refused() -> None:
    place = np.zeros(3)
    with pytest.raises(KinematicsError, match="convex"):
        StandingArea(place, np.array([[0, 0], [2, 0], [2, 2], [1, 0.5]]), 0.2, 0.1)
    # a star bends left at every corner
    turn = 0.8 * math.pi * np.arange(5)
    with pytest.raises(KinematicsError, match="convex"):
        StandingArea(place, 2.0 * np.column_stack([np.cos(turn), np.sin(turn)]), 0.2, 0.1)
    with pytest.raises(KinematicsError, match="length of a footprint"):
        StandingArea(place, FLOOR, 0.0, 0.7)
    with pytest.raises(KinematicsError, match=r"length of a footprint.*'1'"):
        StandingArea(place, FLOOR, "1", 0.7)  # type: ignore[arg-type] # what is refused
    with pytest.raises(KinematicsError, match=r"length of a footprint.*True"):
        StandingArea(place, FLOOR, True, 0.7)
    ragged: Any = [[0, 0], [1, 0], [1]]
    with pytest.raises(KinematicsError, match="rows of two numbers"):
        StandingArea(place, ragged, 0.2, 0.1)
    with pytest.raises(KinematicsError, match="begins with a joint that turns"):
        person().inverse(StandingArea(place, FLOOR, 0.6, 0.4, normal=(0, 1, 0)))


@pytest.mark.parametrize("method", [Descent(), Increment()])
def test_a_chain_with_joints_that_follow_meets_no_area(method: Any) -> None:
    rows = [DH(a=1.0, name="a", limits=(-1, 1)), DH(a=1.0, name="b", mimic=Mimic("a", 0.5, 0.1))]
    chain = Chain.standard_dh(rows)
    with pytest.raises(KinematicsError, match=r"follow others \(b\); ask for places"):
        chain.inverse(CircleArea([1.5, 0.0, 0.0], 0.1), method=method)
