"""JointTrajectory messages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import articulata as art
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


def test_columns_of_a_chain_have_their_own_units(tmp_path: Path) -> None:
    text = "figure arm { chain a: plain table { turn: revolute(); lift: prismatic() } }"
    chain = art.figure(art.parse(text), "arm").chain("a")
    way = art.trajectory([[0.0, 0.0], [1.0, 0.5]], speeds=1.0, accelerations=2.0)
    art.export(way, tmp_path / "way.csv", chain, every=0.1)
    names, units = (tmp_path / "way.csv").read_text().splitlines()[:2]
    assert names == "time,turn,lift,turn rate,lift rate"
    assert units == "s,rad,m,rad/s,m/s"
    art.export(way, tmp_path / "named.csv", ["turn", "lift"])
    assert 's,"rad, m","rad, m","rad/s, m/s"' in (tmp_path / "named.csv").read_text()
