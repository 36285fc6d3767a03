"""Turns that directions tell, against scipy's rotations and their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from articulata.geometry.directions import frame_along, least_turns


def directions(count: int, seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, 3))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def test_least_turns_bring_directions_to_another_by_the_angle_between() -> None:
    a, b = directions(200, 0), directions(1, 1)[0]
    turns = least_turns(a, b)
    assert np.abs(Rotation.from_rotvec(turns).apply(a) - b).max() < 1e-14
    assert np.linalg.norm(turns, axis=1) == pytest.approx(np.arccos(a @ b), abs=1e-12)


@pytest.mark.parametrize("k", range(3))
def test_opposite_directions_are_half_a_turn_apart_and_equal_ones_none(k: int) -> None:
    b = np.eye(3)[k]
    opposite, none = least_turns(np.stack([-b, b]), b)
    assert np.linalg.norm(opposite) == pytest.approx(np.pi, abs=1e-15)
    assert opposite @ b == 0.0
    assert not none.any()


def test_two_directions_make_a_frame() -> None:
    a, b = directions(2, 2)
    R = frame_along(np.stack([a, b], axis=1))
    assert np.abs(R.T @ R - np.eye(3)).max() < 1e-15
    assert np.linalg.det(R) == pytest.approx(1.0)
    assert (R[:, 0] == a).all()
    assert R[:, 2] @ b == pytest.approx(0.0, abs=1e-15)
    assert R[:, 1] @ b > 0.0
