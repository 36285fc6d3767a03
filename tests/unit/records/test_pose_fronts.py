"""Fronts as files: what is saved comes back, what is damaged is told."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.errors import NameNotFound, RecordingError
from articulata.records.posture_fronts import AimLabel


def front() -> art.Front:
    arm = art.figure("planar_4_2_1")
    aims = [art.Objective("discomfort", form="sum"), art.Objective("dexterity")]
    return art.pose(arm, {"hand": [5.7, 3.6, 0.0]}, objectives=aims, points=40).final()


def test_a_front_comes_back_as_it_was(tmp_path: Path) -> None:
    first = front()
    path = first.save(tmp_path / "reach.artpose")
    again = art.Front.load(path)
    assert again.to_bytes() == first.to_bytes()
    assert str(again) == str(first)
    np.testing.assert_array_equal(again.q, first.q)
    assert again.aims == first.aims
    assert pickle.loads(pickle.dumps(first)).to_bytes() == first.to_bytes()


def test_rows_are_a_table_with_units() -> None:
    names, units, *rows = front().rows()
    assert {len(row) for row in (names, units, *rows)} == {len(names)}
    assert units[names.index("dexterity")] == "m/rad"
    assert [row[1] for row in rows].count("chosen") == 1


def test_damage_and_other_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read"):
        art.Front.load(tmp_path / "none.artpose")
    for data in (b"", b"hello", front().to_bytes()[:-50]):
        with pytest.raises(RecordingError):
            art.Front.from_bytes(data)


def test_what_nobody_feels_is_not_weighed_in_full() -> None:
    """Torques of a lift within 4 %: the first costs 1.6 times the discomfort to spare 1 %."""
    values = np.array([[257.4, 3.49], [259.9, 2.60], [265.9, 2.25]])
    aims = tuple(AimLabel(name, "", "", 1.0, False) for name in ("torque", "discomfort"))
    few = replace(
        front(), values=values, aims=aims, q=front().q[:3], dominated=np.zeros(3, np.bool_)
    )
    # 3 (0, 2.5, 8.5) / 25.74 + (1.24, 0.35, 0) / 1.24 = 1.000, 0.574, 0.991
    assert few.by_weights({"torque": 3.0, "discomfort": 1.0}).chosen == 1
    # apart by more than a tenth torque counts in full: 3 (0, 25, 85) / 85 + ... = 1.00, 1.16, 3.00
    apart = replace(few, values=values + np.array([[0, 0], [22.5, 0], [76.5, 0]]))
    assert apart.by_weights({"torque": 3.0, "discomfort": 1.0}).chosen == 0


def test_choices_that_are_none_are_errors() -> None:
    found = front()
    with pytest.raises(NameNotFound, match="discomfort"):
        found.by_weights({"beauty": 1.0})
    with pytest.raises(RecordingError, match="above 0"):
        found.by_weights({"discomfort": 0.0})
    with pytest.raises(NameNotFound):
        found.by_hand(len(found))
