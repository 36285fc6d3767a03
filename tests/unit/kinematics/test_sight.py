"""Lines of sight beside the slabs of boxes, and what counts as hidden."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.errors import KinematicsError
from articulata.geometry.shapes import Cuboid, HalfSpace, Sphere
from articulata.kinematics.clash import Obstacle
from articulata.kinematics.sight import Sight, line_of_sight
from clashing import pose


def begins(box: Obstacle, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """At what share of the way lines enter a box, by its slabs; inf where they miss it."""
    R, p = box.X_WS[:3, :3], box.X_WS[:3, 3]
    half = 0.5 * np.array([box.shape.x, box.shape.y, box.shape.z])  # type: ignore[union-attr] # a box
    start, rate = (a - p) @ R, (b - a) @ R
    ends = np.sort(np.stack([(-half - start) / rate, (half - start) / rate]), axis=0)
    low, high = np.maximum(ends[0].max(-1), 0.0), np.minimum(ends[1].min(-1), 1.0)
    return np.where(low < high, low, np.inf)


def test_boxes_hide_what_their_slabs_say() -> None:
    rng = np.random.default_rng(9)
    room = [
        Obstacle(f"box {k}", Cuboid(*rng.uniform(0.05, 0.8, 3)), pose(rng, 2.0)) for k in range(30)
    ]
    a, b = rng.uniform(-2.5, 2.5, (2, 2000, 3))
    shares = np.stack([begins(box, a, b) for box in room], -1)
    wanted = np.where(np.isfinite(shares).any(-1), shares.argmin(-1), -1)
    found = Sight(room).hidden_by(a, b)
    assert 0.1 < (wanted < 0).mean() < 0.9
    # where two boxes overlap at the entry the order of cuboids is the order of boxes
    np.testing.assert_array_equal(found, wanted)


def test_a_line_that_touches_is_not_hidden() -> None:
    at = np.eye(4)
    at[1, 3] = 1.0
    room = [Obstacle("ball", Sphere(0.5), at), Obstacle("floor", HalfSpace())]
    assert line_of_sight((-2, 1, 0), (2, 1, 0), room) == "ball"
    assert line_of_sight((-2, 1.5, 0), (2, 1.5, 0), room) is None
    assert line_of_sight((-2, 0, 0), (2, 0, 0), room) is None
    assert line_of_sight((-2, 0.2, 0), (2, -0.2, 0), room) == "floor"
    sight = Sight(room)
    assert sight.sees((0, 3, 0), [(0, 2, 0), (0, 0.2, 0), (3, 0.1, 0)]).tolist() == [
        True, False, True,
    ]  # fmt: skip
    assert line_of_sight((0, 1, 0), (1, 1, 0), []) is None


def test_bad_questions_are_answered_in_words() -> None:
    with pytest.raises(KinematicsError, match=r"places \(\*batch, 3\) of finite numbers"):
        Sight([]).sees((0, 0, np.nan), (1, 1, 1))
    with pytest.raises(KinematicsError, match="takes one eye and one point"):
        line_of_sight((0, 0, 0), [(1, 1, 1), (2, 2, 2)], [])
