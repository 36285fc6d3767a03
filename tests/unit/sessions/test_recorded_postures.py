"""Recordings are calibrated by postures that lie in them; turns are made here, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from articulata import figure, tracked_body
from articulata.errors import ArticulataError
from articulata.records.recording import load
from articulata.sessions.track.calibrating import posture_held
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_request import track_asked

from .test_tracking import Notes

STATIONS = ("1 r_upper_arm, 2 r_forearm, 3 r_hand",)


def table(path: Path, heading: float = 35.0) -> Path:
    """Write a right arm: N for 1 s, T from 2 to 3 s, then hanging with the elbow bent by 70 deg.

    The wearer's x is ahead, y left, z up: from N to T all parts turn by -90 deg about x, and the
    elbow turns forearm and hand by -70 deg about y.
    """
    still, raised = Turn.identity(), Turn.from_euler("x", -90.0, degrees=True)
    bent = Turn.from_euler("y", -70.0, degrees=True)
    ahead = Turn.from_euler("z", heading, degrees=True)
    mounts = Turn.random(3, random_state=5)
    lines = []
    for time in np.arange(0.0, 4.0, 0.02):
        for k in range(3):
            turn = still if time <= 1.5 else raised
            if time > 3.2:
                turn = bent if k else still
            x, y, z, w = (ahead * turn * mounts[k]).as_quat()
            lines.append(f"{k + 1},{time:.3f},{w:.9f},{x:.9f},{y:.9f},{z:.9f}")
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_a_recording_is_calibrated_where_its_postures_lie(tmp_path: Path) -> None:
    asked = Asked(
        table(tmp_path / "arm.csv"), stations=STATIONS, postures=("n_pose@0:1", "t_pose@2:3"),
        speed=float("inf"), out=tmp_path / "out", headless=True,
    )  # fmt: skip
    take = load(track_asked(asked, Notes()).files[0])
    names = take.channels["kinematic.coordinate"].labels
    q = np.degrees(np.asarray(take.array("kinematic.coordinate"))[-1]).ravel()
    values = {name.rpartition(".")[2]: value for name, value in zip(names, q, strict=True)}
    arm = {name: values[name] for name in tracked_body(figure("person")).arms.each[0].joints}
    assert len(arm) == 7
    assert arm.pop("r_elbow_flexion") == pytest.approx(70.0, abs=0.2)
    np.testing.assert_allclose(list(arm.values()), 0.0, atol=0.2)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("n_pose@3",), "give a posture"),
        (("n_pose@2:1",), "give a posture"),
        (("swing@0:1",), "give a posture"),
        (("n_pose@0:9",), "ends after arm.csv does, which is 3.98 s long"),
        (("n_pose@0.5:2.5",), "turned by .* while the posture was held"),
    ],
)
def test_wrong_postures_are_told(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    asked = Asked(table(tmp_path / "arm.csv"), stations=STATIONS, postures=words, headless=True)
    with pytest.raises(ArticulataError, match=told):
        track_asked(asked, Notes())


def test_postures_are_those_of_recordings() -> None:
    assert posture_held("n_pose@3:4.5") == ("n_pose", 3.0, 4.5)
    with pytest.raises(ArticulataError, match="where postures lie in a recording"):
        track_asked(Asked(sources=("emulator",), postures=("n_pose@0:1",), headless=True), Notes())
    with pytest.raises(ArticulataError, match="--calibrate and --posture"):
        track_asked(
            Asked(sources=("emulator",), postures=("n_pose@0:1",), calibrate="n_pose"), Notes()
        )
