"""Turns of single frames: quaternions that give a rotation's matrix to the last bit."""

from __future__ import annotations

import math
import random

import pytest

from articulata.world.single_frames import about, from_axes, to_the_bit
from articulata.world.values import ZERO, Pose, Quaternion, Vector3


def made_again(q: Quaternion) -> bool:
    rows = Pose(ZERO, q).rows()
    x, y, z = zip(*rows, strict=True)
    return Pose(ZERO, to_the_bit(from_axes(x, y, z), rows)).rows() == rows


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
def test_turns_by_whole_degrees_come_back_to_the_bit(axis: Vector3) -> None:
    assert all(made_again(about(axis, math.radians(d))) for d in range(-360, 361))


def test_most_turns_come_back_to_the_bit() -> None:
    draw = random.Random(1)
    good = 0
    for _ in range(300):
        parts = [draw.gauss(0.0, 1.0) for _ in range(4)]
        size = math.hypot(*parts)
        w, x, y, z = (part / size for part in parts)
        good += made_again((w, x, y, z))
    assert good > 280
