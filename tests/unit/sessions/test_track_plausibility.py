"""A recording that is taken wrongly: panel, terminal, take, measures and status say the same."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from articulata.analyses.track.calibration import held
from articulata.geometry.rotation import Rotation
from articulata.records.recording import load
from articulata.records.samples import Sample
from articulata.sessions.track.checking import Checking, calibrated
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_request import Answered, track_asked
from sensor_wearers import Errors, Told, about, quaternions, wearing
from tracked import body_of

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


def test_headings_of_their_own_are_no_mistake() -> None:
    """Sensors without a magnetometer, each with a heading of its own from the beginning."""
    rng = np.random.default_rng(4)
    told, body = wearing(rng, Errors()), body_of()
    worn = {2: "r_upper_arm", 3: "r_forearm", 4: "r_hand"}
    own = {s: about(2, np.array(angle)) for s, angle in zip(worn, (0.0, 2.0, -1.4), strict=True)}

    def samples(turned: dict[str, np.ndarray], begin: float) -> list[Sample]:
        found = []
        for k in range(len(turned["r_hand"])):
            for station, role in worn.items():
                R = own[station] @ Rotation.from_quaternion(turned[role][k]).to_matrix()
                w, x, y, z = quaternions(R)[0].tolist()
                found.append(Sample(station, begin + 0.1 * k, begin + 0.1 * k, (-x, w, -z, y)))
        return found

    postures = [
        held(body.posture(name), samples(told.held[name], 0.0)) for name in ("n_pose", "t_pose")
    ]
    checking = Checking(body, worn)
    checking.begin(calibrated(body, worn, postures, apart=True))
    heard = samples(told.moved, 10.0)
    new = [checking.take(heard[k : k + 3]) for k in range(0, len(heard), 3)]
    assert any(new)
    assert checking.verdict.story == ""
    assert checking.verdict.wrong < 15.0
