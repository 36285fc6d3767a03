"""Landmarks of a body drawn by hand: parts are turned as the body that they were drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from articulata.errors import FormatError
from articulata.formats.landmark_files import NUMBERS, is_landmark_file, read_landmarks
from articulata.geometry.arrays import Array
from articulata.records.tracking import STATIONS
from articulata.sessions.track.sample_sources import opened, source_of

PARTS = tuple(STATIONS.values())


def drawn(turns: Mapping[str, Turn]) -> dict[str, Array]:
    """Landmarks (m, in axes ahead, right, down) of a body whose parts are turned since T."""
    trunk, skull = turns["sternum"], turns["skull"]
    neck = np.array((0.0, 0.0, -0.5))
    found = {
        "left_hip": trunk.apply((0.0, -0.1, 0.0)), "right_hip": trunk.apply((0.0, 0.1, 0.0)),
        "left_ear": skull.apply((0.0, -0.08, 0.0)) + trunk.apply(neck),
        "right_ear": skull.apply((0.0, 0.08, 0.0)) + trunk.apply(neck),
        "nose": skull.apply((0.1, 0.0, 0.0)) + trunk.apply(neck),
    }  # fmt: skip
    for side, word, sign in (("r", "right", 1.0), ("l", "left", -1.0)):
        upper, fore, hand = (turns[f"{side}_{p}"] for p in ("upper_arm", "forearm", "hand"))
        shoulder = trunk.apply((0.0, 0.2 * sign, -0.45))
        elbow = shoulder + upper.apply((0.0, 0.3 * sign, 0.0))
        wrist = elbow + fore.apply((0.0, 0.25 * sign, 0.0))
        knuckles = wrist + hand.apply((0.0, 0.09 * sign, 0.0))
        across = hand.apply((0.03, 0.0, 0.0))
        found |= {
            f"{word}_shoulder": shoulder, f"{word}_elbow": elbow, f"{word}_wrist": wrist,
            f"{word}_index": knuckles + across, f"{word}_pinky": knuckles - across,
        }  # fmt: skip
    return found


def by_chance(rng: np.random.Generator) -> dict[str, Turn]:
    """Elbows bend about the arm's own down, hands go on as forearms; all else is free."""
    turns = {part: Turn.from_rotvec(rng.uniform(-0.5, 0.5, 3)) for part in PARTS}
    for side, sign in (("r", 1.0), ("l", -1.0)):
        bend = Turn.from_rotvec((0.0, 0.0, -sign * rng.uniform(0.3, 2.0)))
        twist = Turn.from_rotvec((0.0, rng.uniform(-1.0, 1.0), 0.0))
        turns[f"{side}_forearm"] = turns[f"{side}_upper_arm"] * bend * twist
        turns[f"{side}_hand"] = turns[f"{side}_forearm"]
    return turns


def written(path: Path, frames: list[dict[str, Array]], form: str, time: str) -> None:
    """Write a table in the camera's axes: who faces it is ahead against z, his right against x."""
    names = list(frames[0])
    head = [form.format(name=name, n=NUMBERS[name], axis=axis) for name in names for axis in "xyz"]
    lines = [",".join((time, *head))]
    for k, frame in enumerate(frames):
        cells = []
        for name in names:
            ahead, right, down = frame[name]
            cells += [-right, down, -ahead]
        lines.append(
            ",".join((str(k * (20 if "ms" in time else 0.02)), *map(repr, map(float, cells))))
        )
    path.write_text("\n".join(lines), "utf-8")


@pytest.mark.parametrize(
    ("form", "time"),
    [("{name}_{axis}", "time"), ("{axis}{n}", "timestamp_ms"), ("{n}_{axis}", "timestamp")],
)
def test_parts_are_turned_as_their_landmarks_lie(tmp_path: Path, form: str, time: str) -> None:
    rng = np.random.default_rng(len(form))
    bodies = [by_chance(rng) for _ in range(20)]
    file = tmp_path / "pose.csv"
    written(file, [drawn(each) for each in bodies], form, time)
    assert is_landmark_file(file)
    found = read_landmarks(file)
    np.testing.assert_allclose(found.times, 0.02 * np.arange(20))
    for k, body in enumerate(bodies):
        for part in PARTS:
            w, x, y, z = found.turns[part][k]
            off = (Turn.from_quat((x, y, z, w)) * body[part].inv()).magnitude()
            assert np.degrees(off) < 1e-4, (k, part)


def test_a_table_of_landmarks_is_a_person(tmp_path: Path) -> None:
    file = tmp_path / "pose.csv"
    written(file, [drawn(dict.fromkeys(PARTS, Turn.identity()))] * 5, "{name}_{axis}", "time")
    found = opened((source_of(str(file)),))
    assert found.bones
    (device,) = found.devices
    samples = device.samples  # type: ignore[attr-defined] # a recording
    assert sorted({each.station for each in samples}) == sorted(STATIONS)
    assert all(abs(each.q[0]) == pytest.approx(1.0) for each in samples)


def test_what_is_hidden_or_not_seen_tells_nothing(tmp_path: Path) -> None:
    body = drawn(dict.fromkeys(PARTS, Turn.identity()))
    for name in list(body):
        if name.endswith(("index", "pinky")):
            del body[name]
    file = tmp_path / "coco.csv"
    written(file, [body, body], "{name}_{axis}", "time")
    lines = file.read_text("utf-8").splitlines()
    lines = [lines[0] + ",nose_visibility", lines[1] + ",0.1", lines[2] + ",0.9"]
    file.write_text("\n".join(lines), "utf-8")
    found = read_landmarks(file).turns
    assert set(found) == set(PARTS) - {"r_hand", "l_hand"}
    assert np.isnan(found["skull"][0]).all()
    assert np.isfinite(found["skull"][1]).all()
    assert np.isfinite(found["r_forearm"]).all()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text.replace("time,", "frame,", 1), ":1: no column of times"),
        (lambda text: text.replace("0.02,", "x,", 1), ":3: a row whose cells"),
        (lambda text: text + "\n0.0,1", ":4: a row whose cells are no numbers, or too few"),
        (lambda text: text.replace("0.02,", "-1.0,", 1), ":3: a time that does not rise"),
        (lambda text: text.splitlines()[0], "holds no frame"),
    ],
)
def test_damaged_tables_are_told_with_the_line(tmp_path: Path, change: object, why: str) -> None:
    file = tmp_path / "pose.csv"
    body = drawn(dict.fromkeys(PARTS, Turn.identity()))
    written(file, [body] * 2, "{name}_{axis}", "time")
    file.write_text(change(file.read_text("utf-8")), "utf-8")  # type: ignore[operator] # a lambda
    with pytest.raises(FormatError, match=why):
        read_landmarks(file)
