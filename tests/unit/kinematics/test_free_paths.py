"""Ways that touch nothing: every one is walked again by coal, in small steps."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.errors import KinematicsError
from articulata.geometry.shapes import Cuboid
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.free_paths import find_path, free_between
from clashing import Peer, arm, walker


class Gap:
    """A point in the plane before a wall along x = 0 with a gap at y from 1.0 to 1.2."""

    lower, upper = np.array([-2.0, -2.0]), np.array([2.0, 2.0])
    reach = np.ones(2)

    def __init__(self, width: float = 0.2) -> None:
        self.width = width

    def distance(self, q: np.ndarray) -> np.ndarray:
        x, y = np.moveaxis(np.asarray(q, float), -1, 0)
        across = np.abs(x) - 0.1
        beside = np.stack([y - 1.0, 1.0 + self.width - y])
        away = np.hypot(np.maximum(across, 0.0), np.maximum(beside, 0.0))
        inside = np.maximum(across, beside)
        return np.where(away > 0.0, away, inside).min(0)


def test_a_way_leads_through_the_gap_and_the_same_seed_gives_it_again() -> None:
    for seed in range(2):
        way = find_path(Gap(), [-1.0, -1.0], [1.0, -1.0], seed=seed)
        assert way.found
        np.testing.assert_array_equal(way.q[[0, -1]], [[-1.0, -1.0], [1.0, -1.0]])
        walked = np.concatenate(
            [np.linspace(a, b, 500) for a, b in zip(way.q, way.q[1:], strict=False)]
        )
        assert Gap().distance(walked).min() > 0.0
        # the shortest way has two corners and is 4.4 m long
        assert np.linalg.norm(np.diff(way.q, axis=0), axis=1).sum() < 1.25 * 4.4
        again = find_path(Gap(), [-1.0, -1.0], [1.0, -1.0], seed=seed)
        assert again.q.tobytes() == way.q.tobytes()


def test_a_straight_way_is_straight_and_a_shut_one_is_none() -> None:
    straight = find_path(Gap(), [-1.0, -1.0], [-0.5, 1.5])
    assert straight.found
    assert len(straight.q) == 2
    none = find_path(Gap(-0.01), [-1.0, -1.0], [1.0, -1.0], effort=2000)
    assert not none.found
    assert none.q.shape == (0, 2)
    assert "no way was found among" in none.reason
    touching = find_path(Gap(), [0.0, 0.0], [1.0, 1.0])
    assert touching.reason == "the start touches something (-0.1 m); move it away"
    assert "the goal is 0.4 m off" in find_path(Gap(), [-1, 0], [0.5, 0], margin=0.5).reason


def test_a_thin_wall_between_two_postures_is_not_missed() -> None:
    class Thin(Gap):
        def distance(self, q: np.ndarray) -> np.ndarray:
            return np.abs(np.asarray(q, float)[..., 0] - 0.337) - 1e-4

    assert not free_between(Thin(), [-1.0, 0.0], [1.0, 0.0])
    assert free_between(Thin(), [-1.0, 0.0], [0.3, 0.0])


@pytest.mark.parametrize("count", [4, pytest.param(200, marks=pytest.mark.slow)])
def test_ways_about_a_table_are_free(count: int) -> None:
    rng = np.random.default_rng(12)
    one = walker(rng, 6)
    table = np.eye(4)
    table[:3, 3] = (0.35, 0.0, 0.3)
    room = [Obstacle("table", Cuboid(0.5, 0.05, 0.8), table)]
    clash = Clash(one, room)
    peer = Peer(clash, one, room)
    solved = 0
    for k in range(count):
        ends: list[np.ndarray] = []
        while len(ends) < 2:
            q = rng.uniform(one.lower, one.upper)
            if clash.distance(q) > 0.01:
                ends.append(q)
        way = find_path(clash, ends[0], ends[1], margin=0.002, effort=20_000, seed=k)
        solved += way.found
        if way.found:
            for a, b in zip(way.q, way.q[1:], strict=False):
                steps = max(int(np.abs(b - a) @ clash.reach / 0.02), 2)
                assert min(peer.distance(q) for q in np.linspace(a, b, steps)) > 0.0
    assert solved >= 0.98 * count


def test_bad_questions_are_answered_in_words() -> None:
    clash = Clash(arm(), [Obstacle("wall", Cuboid(0.1, 0.1, 0.1))], own=False)
    with pytest.raises(KinematicsError, match="beyond the limits: coordinate 1 is 5"):
        find_path(clash, [0.0, 0.0], [0.0, 5.0])
    with pytest.raises(KinematicsError, match="the start posture of a way is 2 finite numbers"):
        find_path(clash, [0.0, np.nan], [0.0, 1.0])
    with pytest.raises(KinematicsError, match="a margin is a distance"):
        find_path(clash, [0.0, 0.0], [0.0, 1.0], margin=-1.0)
