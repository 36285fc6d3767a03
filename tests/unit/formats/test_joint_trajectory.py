"""JointTrajectory messages."""

from __future__ import annotations

import json

import numpy as np
import pytest

from articulata.errors import FormatError
from articulata.formats.joint_motions import write_trajectory


def test_points_carry_values_and_times() -> None:
    t = np.array([0.0, 0.004, 1.2])
    q = np.arange(6.0).reshape(3, 2)
    text = write_trajectory(["a", "b"], t, q, 2 * q, 3 * q)
    message = json.loads(text)
    assert message["joint_names"] == ["a", "b"]
    assert message["points"][2]["positions"] == [4.0, 5.0]
    assert message["points"][2]["velocities"] == [8.0, 10.0]
    assert message["points"][1]["time_from_start"] == {"sec": 0, "nanosec": 4_000_000}
    assert message["points"][2]["time_from_start"] == {"sec": 1, "nanosec": 200_000_000}


def test_wrong_shapes_and_numbers_are_refused() -> None:
    t, q = np.zeros(2), np.zeros((2, 2))
    with pytest.raises(FormatError, match="2 joints"):
        write_trajectory(["a", "b"], t, q[:1], q, q)
    with pytest.raises(FormatError, match="finite"):
        write_trajectory(["a", "b"], t, q * np.nan, q, q)
