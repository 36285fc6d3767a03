"""A recording that is taken wrongly: panel, terminal, take, measures and status say the same."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from articulata.records.recording import load
from articulata.sessions.track.track_request import Answered, Asked, track_asked
from sensor_wearers import Errors, Told, wearing

from .test_tracking import Notes

WORN = {2: "r_upper_arm", 3: "r_forearm", 4: "r_hand", 5: "sternum"}


def written(path: Path, told: Told) -> Path:
    """Write a table of N from 0 s, T from 3 s and movement from 6 s on, of a frame upside down."""
    lines = []
    for turned, begin in ((told.held["n_pose"], 0), (told.held["t_pose"], 3), (told.moved, 6)):
        for k in range(len(turned["sternum"])):
            for station, role in WORN.items():
                w, x, y, z = turned[role][k].tolist()
                lines.append(f"{station},{begin + 0.1 * k:.2f},{-x},{w},{-z},{y}")
    path.write_text("\n".join(lines), "utf-8")
    return path


def tracked(table: Path, out: Path, up: str) -> tuple[Answered, list[str]]:
    notes = Notes()
    asked = Asked(
        file=table,
        stations=(", ".join(f"{s} {role}" for s, role in WORN.items()),),
        postures=("n_pose@0:1.1", "t_pose@3:4.1"),
        headless=True,
        out=out,
        speed=math.inf,
        up=up,
    )
    return track_asked(asked, notes), notes.lines


def test_a_frame_upside_down_is_told_everywhere_and_mended(tmp_path: Path) -> None:
    table = written(tmp_path / "arm.csv", wearing(np.random.default_rng(3), Errors()))
    for up, good in (("z", False), ("-z", True)):
        answered, lines = tracked(table, tmp_path / up, up)
        (event,) = (e for e in load(answered.files[0]).events if e.kind == "plausibility")
        measures = answered.files[1].read_text("utf-8")
        assert event.values["plausible"] == float(good)
        assert f"can be a person's posture (1) or not (0),{int(good)}," in measures
        assert (answered.doubts == ()) == good
        if not good:
            (doubt,) = answered.doubts
            assert "--up -z" in doubt
            assert event.story == doubt
            assert lines.count(doubt) == 1
