"""From a file to a folder, and the flight that a page steers, without a page."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.film.film_question import Setting
from articulata.domains.protocols import POSE
from articulata.errors import ArticulataError
from articulata.formats import csv as csv_format
from articulata.formats.gltf.cameras import camera_track
from articulata.formats.gltf.gltf_document import read_gltf
from articulata.formats.gltf.gltf_writer import write_animation
from articulata.geometry.camera_motion import moved
from articulata.geometry.quaternion import q_from_matrix
from articulata.records.carried_moves import Replayed
from articulata.records.files import claimed
from articulata.records.samples import DeviceReports
from articulata.report.viewer.theatre import Theatre
from articulata.sessions.command_fields import FilmAsked
from articulata.sessions.film.film_files import (
    PREPARING,
    film_file,
    move_in,
    open_film,
    setting_in,
)
from articulata.sessions.film.flying import Flight
from articulata.sessions.film.moves import read_move, read_reports, report_columns
from articulata.sessions.film.results import (
    Filmed,
    animated,
    camera_columns,
    filmed,
    recorded,
    write_film,
)
from articulata.sessions.film.robot_loop import (
    CarriedMotion,
    motion_for,
    rehearse,
    serve_robot,
)

TEXT = """
units: metre, degree
primitive block { properties: (fixed); geometry: cuboid(0.2, 0.2, 0.2) }
world studio {
  gravity: (0, -9.81, 0)
  components { block: block; robot: camera_robot }
  structure {
    place block by block.center at (0, 1, -3)
    place robot by robot.base at (0, 0, 0), u2 = 31, u3 = 74, u5 = 59
    place robot by properties: (fixed)
  }
}
film shot {
  world: studio
  camera: lens(35 mm) on robot.flange at (-20 cm, 0, 0) turned 90 deg about y
  proposed: limits(speed: 2 rad/s, acceleration: 10 rad/s^2)
  limits: robot
  report: verdict, animation, table
  FROM
}
"""


class Said:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


def studio(folder: Path, source: str = "") -> Path:
    file = folder / "studio.art"
    file.write_text(TEXT.replace("FROM", f'from: "{source}"' if source else ""))
    return file


def test_a_recorded_move_becomes_a_folder(tmp_path: Path) -> None:
    file = studio(tmp_path, "move.json")
    setting = setting_in(file)
    twists = np.tile((0.1, 0.05, -0.2, 0.1, 0.2, 0.0), (26, 1))
    art.CameraMove(moved(setting.X_WC, twists, 0.04), Fraction(47, 2)).save(tmp_path / "move.json")
    said = Said()
    paths = film_file(FilmAsked(file, out=tmp_path / "out"), said)
    names = {path.name for path in paths}
    assert names == {
        "move.json", "camera.csv", "verdict.json", "verdict.txt", "verdict.csv", "joints.csv",
        "trajectory.json", "camera.gltf", "run.artrun", "replay.html", "provenance.json",
    }  # fmt: skip
    verdict = art.load_verdict(tmp_path / "out" / "verdict.json")
    with (tmp_path / "out" / "verdict.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == len(verdict.state) == 26
    trajectory = json.loads((tmp_path / "out" / "trajectory.json").read_text())
    assert trajectory["joint_names"] == ["u1", "u2", "u3", "u4", "u5", "u6"]
    last = trajectory["points"][-1]
    carrier = setting.carrier
    assert carrier is not None
    np.testing.assert_allclose(carrier.view(last["positions"]), verdict.move.X_WC[-1], atol=1e-9)
    run = art.load(tmp_path / "out" / "run.artrun")
    stamp = last["time_from_start"]
    assert run.times[-1] == pytest.approx(stamp["sec"] + 1e-9 * stamp["nanosec"])
    posture = carrier.posture(np.array(last["positions"]), setting.rest)
    due = carrier.figure.landmark(posture, "flange")[:3, 3]
    np.testing.assert_allclose(run.series("robot.flange")[-1][:3], due, atol=1e-9)
    assert np.abs(last["velocities"]).max() < 1e-12
    # the animation covers the whole move, whatever its length is
    shown = camera_track(read_gltf((tmp_path / "out" / "camera.gltf").read_bytes()), "camera")
    assert shown.times[-1] == pytest.approx(run.times[-1], abs=1e-6)
    assert len(run.times) % 10 != 1
    np.testing.assert_allclose(shown.poses(shown.times[-1:])[0], verdict.move.X_WC[-1], atol=1e-6)
    told = (tmp_path / "out" / "verdict.txt").read_text()
    for scheme in ("cubic", "quintic"):
        assert f"{scheme} interpolation keeps all limits" in told
    assert "linear interpolation keeps no limit of acceleration" in told
    assert [each.scheme for each in verdict.replays] == ["linear", "cubic", "quintic"]
    again = film_file(FilmAsked(file, out=tmp_path / "again"), said)
    for path in again:
        if path.name != "provenance.json":
            assert path.read_bytes() == (tmp_path / "out" / path.name).read_bytes(), path.name


def test_moves_come_in_from_tables_and_gltf(tmp_path: Path) -> None:
    file = studio(tmp_path, "move.json")
    setting = setting_in(file)
    twists = np.tile((0.1, 0.05, -0.2, 0.1, 0.2, 0.0), (26, 1))
    move = art.CameraMove(moved(setting.X_WC, twists, 0.04), Fraction(25), 3)
    (tmp_path / "move.csv").write_text(csv_format.write(camera_columns(move)))
    table = read_move(tmp_path / "move.csv", 25)
    lines = csv_format.write(camera_columns(move)).split("\r\n")
    (tmp_path / "other.csv").write_text("\r\n".join([lines[0], *lines[2:]]))  # no line of units
    np.testing.assert_array_equal(read_move(tmp_path / "other.csv", 25).X_WC, table.X_WC)
    np.testing.assert_allclose(table.X_WC, move.X_WC, atol=1e-12)
    assert (table.rate, table.first) == (25, 3)
    made = Filmed(move, None, None)
    # what no robot can carry is recorded too, the robot as it stands
    standing = recorded(setting, made).segments[0].array("kinematic.coordinate")
    np.testing.assert_allclose(standing[-1], np.radians([0.0, 31.0, 74.0, 0.0, 59.0, 0.0]))
    # who looks at the recording sees the camera go its way, and what it looks at
    run = recorded(setting, made)
    there = run.segments[0].array(POSE)[:, list(run.world.bodies).index("camera")]
    np.testing.assert_allclose(there[:, :3], move.X_WC[:, :3, 3], atol=1e-12)
    np.testing.assert_allclose(there[:, 3:], q_from_matrix(move.X_WC[:, :3, :3]))
    seen = run.world.bodies["camera"].shape
    low = np.min([setting.camera.project(p, np.eye(4)) for p in seen.parts[0].vertices], axis=0)
    np.testing.assert_allclose(low, -1.0)
    (tmp_path / "move.gltf").write_text(animated(setting, made))
    gltf = read_move(tmp_path / "move.gltf", 25)
    np.testing.assert_allclose(gltf.X_WC, move.X_WC, atol=1e-5)
    (tmp_path / "bad.csv").write_text("a,b\r\nm,m\r\n1,2\r\n")
    with pytest.raises(ArticulataError, match="no column 't'"):
        read_move(tmp_path / "bad.csv", 25)
    with pytest.raises(ArticulataError, match="cannot be read"):
        read_move(tmp_path / "none.glb", 25)


HEAD = "t,x,y,z,qw,qx,qy,qz,remark"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["0,0,0,0,1,0,0", "1,0,0,0,1,0,0,0,"], "row 2: 7 fields, but 9 columns are named"),
        (["0,,0,0,1,0,0,0,", "1,0,0,0,1,0,0,0,"], "row 2: column 'x' holds no number"),
        (["0, ,0,0,1,0,0,0,", "1,0,0,0,1,0,0,0,"], "row 2: column 'x' holds no number"),
        (["s,m,m,m,1,1,1,1,", "0,,0,0,1,0,0,0,"], "row 3: column 'x' holds no number"),
        (["1,0,0,0,1,0,0,0,", "0,0,0,0,1,0,0,0,"], "row 3: times rise"),
        (["0,0,0,0,1,0,0,0,", "1,0,0,0,0,0,0,0,"], "row 3: a quaternion is not zero"),
        (["0,0,0,0,1,0,0,0,"], "two rows or more, not 1"),
        (["0,0,0,0,1,0,0,0,", "1,0,0,0,1,0,0,0,", "1e12,0,0,0,1,0,0,0,"], "row 4: a time so late"),
        (["0,0,0,0,1,0,0,0,", "1e12,0,0,0,1,0,0,0,"], "row 3: a time so late"),
    ],
)
def test_rows_of_a_move_that_cannot_be_meant_are_named(
    tmp_path: Path, rows: list[str], message: str
) -> None:
    (tmp_path / "move.csv").write_text("\r\n".join([HEAD, *rows]))
    with pytest.raises(ArticulataError, match=f"move.csv.*{message}"):
        read_move(tmp_path / "move.csv", 25)


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_cell_that_nobody_reads_loses_no_row(tmp_path: Path, empty: str) -> None:
    rows = [f"{each},0,0,1,0,0,0,{empty}" for each in ("0,0", "1,2", "2,3")]
    (tmp_path / "move.csv").write_text("\r\n".join([HEAD, *rows]))
    assert read_move(tmp_path / "move.csv", 25).X_WC[:, 0, 3].tolist() == [0.0, 2.0, 3.0]


ROWS = ("0,0,0,0,1,0,0,0", "1,2,0,0,1,0,0,0", "2,3,0,0,1,0,0,0")


@pytest.mark.parametrize(
    ("name", "cells", "message"),
    [
        ("focal", (0.05, 0.05, 0), "row 4: 'focal' must be more than 0"),
        ("focal", (0.05, -0.05, 0.05), "row 3: 'focal' must be more than 0"),
        ("iris", (0, 2, 2), "row 2: 'iris' must be more than 0"),
        ("focus", (1, "inf", 1), "row 3: column 'focus' holds no number"),
        ("frame", (2.5, 3, 4), "the first frame's number is whole"),
        ("frame", ("", 3, 4), "the first frame's number is whole"),
        ("frame", ("1e300", 3, 4), "the first frame's number is whole"),
    ],
)
def test_optics_and_frames_that_cannot_be_are_refused(
    tmp_path: Path, name: str, cells: tuple[object, ...], message: str
) -> None:
    head = HEAD.replace("remark", name)
    rows = [f"{row},{cell}" for row, cell in zip(ROWS, cells, strict=True)]
    (tmp_path / "move.csv").write_text("\r\n".join([head, *rows]))
    with pytest.raises(ArticulataError, match=f"move.csv.*{message}"):
        read_move(tmp_path / "move.csv", 25)


def test_only_the_first_frame_s_number_is_read(tmp_path: Path) -> None:
    rows = [f"{row},{cell}" for row, cell in zip(ROWS, (7, "", 2.5), strict=True)]
    (tmp_path / "move.csv").write_text("\r\n".join([HEAD.replace("remark", "frame"), *rows]))
    assert read_move(tmp_path / "move.csv", 25).numbers.tolist() == [7, 8, 9]


@pytest.mark.parametrize("units", ["s,m,m,m,1,1,1,1,", ",,,,1,1,1,1,", ",,,,,,,,", " , ,,,,,,, "])
def test_a_line_of_units_may_be_empty_but_for_ones(tmp_path: Path, units: str) -> None:
    rows = [f"{row}," for row in ROWS]
    (tmp_path / "move.csv").write_text("\r\n".join([HEAD, units, *rows]))
    assert read_move(tmp_path / "move.csv", 25).X_WC[:, 0, 3].tolist() == [0.0, 2.0, 3.0]


def test_tables_of_spreadsheets_begin_with_a_mark(tmp_path: Path) -> None:
    text = "\r\n".join([HEAD, *(f"{row}," for row in ROWS)])
    (tmp_path / "move.csv").write_text(text, "utf-8-sig")
    assert len(read_move(tmp_path / "move.csv", 25).X_WC) == 3


def test_quaternions_of_any_length_turn_alike(tmp_path: Path) -> None:
    rows = ("0,0,0,0,1e200,0,0,1e200,", "1,2,0,0,1,0,0,1,")
    (tmp_path / "move.csv").write_text("\r\n".join([HEAD, *rows]))
    X = read_move(tmp_path / "move.csv", 25).X_WC
    np.testing.assert_allclose(X[0, :3, :3], X[1, :3, :3], atol=1e-12)


REPORT = ("0,0,0,0,0,0,0", "1,0,0,0,0,0,0.5")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((*REPORT, "2,0,,0,0,0,0"), "row 4: column 'up' holds no number"),
        (("0,,0,0,0,0,0", *REPORT), "row 2: column 'right' holds no number"),
        ((*REPORT, "0.5,0,0,0,0,0,0"), "row 4: times rise"),
        (("-1,0,0,0,0,0,0",), "row 2: times rise, from 0 s on"),
        (("s,1,1,1,1,1,1", *REPORT, "2,0,0,0,0,0,1.5"), "row 5: 'roll' must be -1 to 1"),
        (("s,1,1,1,1,1,1",), "one time or more"),
    ],
)
def test_rows_of_reports_that_cannot_be_meant_are_named(
    tmp_path: Path, rows: tuple[str, ...], message: str
) -> None:
    (tmp_path / "mouse.csv").write_text("\r\n".join(["t,right,up,back,pitch,yaw,roll", *rows]))
    with pytest.raises(ArticulataError, match=f"mouse.csv.*{message}"):
        read_reports(tmp_path / "mouse.csv")


@pytest.mark.parametrize("units", ["s,1,1,1,1,1,1", ",1,1,1,1,1,1"])
def test_reports_begin_after_the_units(tmp_path: Path, units: str) -> None:
    lines = ["t,right,up,back,pitch,yaw,roll", units, *REPORT]
    (tmp_path / "mouse.csv").write_text("\r\n".join(lines), "utf-8-sig")
    assert read_reports(tmp_path / "mouse.csv").times.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('from: "none.json"', "studio.art:19:9: .*none.json"),
        ('from: recording "none.csv"', "studio.art:19:9: .*none.csv"),
        ('motion: "none.artrun"', "studio.art:13:1: .*none.artrun"),
    ],
)
def test_a_file_that_is_missing_is_told_with_the_line_that_names_it(
    tmp_path: Path, source: str, message: str
) -> None:
    file = tmp_path / "studio.art"
    file.write_text(TEXT.replace("FROM", source))
    with pytest.raises(ArticulataError, match=message):
        film_file(FilmAsked(file, out=tmp_path / "out"), Said())


@pytest.mark.slow
def test_a_room_of_the_library_is_filmed_by_its_name(tmp_path: Path) -> None:
    paths = film_file(FilmAsked(Path("museum"), out=tmp_path / "out"), Said())
    verdict = art.load_verdict(tmp_path / "out" / "verdict.json")
    assert (verdict.state < 2).all()
    assert tmp_path / "out" / "trajectory.json" in paths


def test_a_camera_that_nobody_carries_has_a_verdict_that_says_so(tmp_path: Path) -> None:
    file = studio(tmp_path, "move.json")
    free = file.read_text().replace(" on robot.flange at (-20 cm, 0, 0)", " at (0, 1, 0)")
    file.write_text(free.replace("limits: robot", "").replace("proposed:", "# "))
    setting = setting_in(file)
    art.CameraMove(np.stack([setting.X_WC] * 2), Fraction(25)).save(tmp_path / "move.json")
    written = film_file(FilmAsked(file, out=tmp_path / "out"), Said())
    assert tmp_path / "out" / "verdict.txt" in written
    told = (tmp_path / "out" / "verdict.txt").read_text()
    assert told.startswith("no verdict: no robot carries the camera, so that it can be anywhere")
    file.write_text(file.read_text().replace("report: verdict,", "report:"))
    film_file(FilmAsked(file, out=tmp_path / "out"), Said())
    assert not (tmp_path / "out" / "verdict.txt").exists()


def test_a_replay_says_which_limits_are_known(tmp_path: Path) -> None:
    known = Replayed("cubic", 0.25, 0.5, ("a", "b"))
    assert str(known).endswith("at most 0.25 of those of speed and 0.5 of those of acceleration")
    half = Replayed("cubic", 0.25, 0.0, ("a", ""))
    due = "keeps all limits: at most 0.25 of those of speed; no limit of acceleration is known"
    assert str(half) == f"cubic interpolation {due}"
    file = studio(tmp_path, "move.json")
    bare = file.read_text().replace(
        "proposed: limits(speed: 2 rad/s, acceleration: 10 rad/s^2)", ""
    )
    file.write_text(bare)
    setting = setting_in(file)
    art.CameraMove(np.stack([setting.X_WC] * 3), Fraction(25)).save(tmp_path / "move.json")
    film_file(FilmAsked(file, out=tmp_path / "out"), Said())
    told = (tmp_path / "out" / "verdict.txt").read_text()
    assert "interpolation keeps all limits; no limit of speed or acceleration is known" in told


def test_what_takes_longer_as_it_is_carried_says_how_long_and_what_to_write(
    tmp_path: Path,
) -> None:
    file = studio(tmp_path, "keys.csv")
    text = file.read_text().replace("camera_robot", "manutec_r3")
    stand = ", ".join(f"r{k} = {x}" for k, x in enumerate((-20, -20, 70, 20, -60, 10), 1))
    file.write_text(text.replace("u2 = 31, u3 = 74, u5 = 59", stand))
    (tmp_path / "keys.csv").write_text("t,x,y,z,look_x,look_y,look_z\n0,0,0,0,0,0,1\n1,0,0,0,0,0,1")
    setting = setting_in(file)
    assert setting.carrier is not None
    limited = replace(setting.carrier, efforts=600.0)
    bare = replace(limited, accelerations=np.inf)
    frames = moved(setting.X_WC, np.tile((0.1, 0.05, -0.2, 0.1, 0.2, 0.0), (10, 1)), 0.04)
    move = art.CameraMove(frames, 25)  # type: ignore[arg-type]
    at_once = filmed(replace(setting, carrier=bare), move)
    assert at_once.verdict is not None
    assert at_once.carried is not None
    assert at_once.verdict.follows
    long = float(at_once.carried.times[-1])
    cures = 'proposed: limits(acceleration: ...) or from: "keys.csv" eased'
    files = "joints.csv, trajectory.json, camera.gltf and run.artrun hold it slowed to"
    told = (
        f"as it is carried: {files} {long:.3g} s, {long / 0.36:.3g} times the 0.36 s of the move; "
        f"camera.csv has it as it was asked; write {cures}"
    )
    assert told in str(at_once.verdict)
    quick = filmed(replace(setting, carrier=replace(limited, speeds=0.1)), move)
    assert quick.verdict is not None
    assert quick.verdict.kinds.count("speed") > 0
    assert files in str(quick.verdict).splitlines()[1]
    gentle = filmed(replace(setting, carrier=limited), move)
    assert gentle.carried is not None
    assert gentle.carried.times[-1] < 0.5 * long


def test_without_a_move_and_a_viewer_there_is_nothing_to_do(tmp_path: Path) -> None:
    with pytest.raises(ArticulataError, match="--play FILE"):
        film_file(FilmAsked(studio(tmp_path), out=tmp_path / "out"), Said())
    assert not (tmp_path / "out").exists()


def test_a_folder_that_another_run_writes_is_left_as_it_is(tmp_path: Path) -> None:
    setting = setting_in(studio(tmp_path))
    move = art.CameraMove(np.stack([setting.X_WC] * 2), Fraction(25))
    out = tmp_path / "out"
    out.mkdir()
    with claimed(out), pytest.raises(ArticulataError, match="being written by another run"):
        write_film(setting, Filmed(move, None, None), out, [], Said())
    assert not list(out.iterdir())


def test_a_film_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    setting = setting_in(studio(tmp_path))
    move = art.CameraMove(np.stack([setting.X_WC] * 2), Fraction(25))
    out = tmp_path / "out"
    out.mkdir()
    results = {"joints.csv": "", "trajectory.json": "", "reports.csv": ""}
    (out / "provenance.json").write_text(json.dumps({"results": results}))
    for name in (*results, "robot.txt", "notes.txt"):
        (out / name).touch()
    written = write_film(setting, Filmed(move, None, None), out, [out / "reports.csv"], Said())
    assert {path.name for path in out.iterdir()} == {
        *(path.name for path in written), "reports.csv", "notes.txt",
    }  # fmt: skip
    assert not {"joints.csv", "trajectory.json", "robot.txt"} & {path.name for path in written}


def test_a_recorded_device_flies_and_is_flown_again(tmp_path: Path) -> None:
    t = np.arange(0.0, 0.6, 0.02)
    axes = np.column_stack([0.5 * np.sin(5 * t + k) for k in range(6)])
    reports = report_columns(DeviceReports(t, axes))
    (tmp_path / "mouse.csv").write_text(csv_format.write(reports))
    file = studio(tmp_path)
    first = film_file(FilmAsked(file, out=tmp_path / "out", play=tmp_path / "mouse.csv"), Said())
    names = {path.name for path in first}
    assert {"flight.csv", "reports.csv", "verdict.csv", "trajectory.json"} <= names
    with (tmp_path / "out" / "flight.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    carrier = setting_in(file).carrier
    assert carrier is not None
    # what was flown within the limits is judged so
    assert art.load_verdict(tmp_path / "out" / "verdict.json").follows
    row = rows[100]
    q = [float(row[f"q{k} [rad]"]) for k in range(1, 7)]
    place = [float(row[f"{a} [m]"]) for a in "xyz"]
    np.testing.assert_allclose(carrier.view(q)[:3, 3], place, atol=1e-9)
    again = film_file(
        FilmAsked(file, out=tmp_path / "again", play=tmp_path / "out" / "reports.csv"), Said()
    )
    for path in again:
        if path.name != "provenance.json":
            assert path.read_bytes() == (tmp_path / "out" / path.name).read_bytes(), path.name
    (tmp_path / "bad.csv").write_text("t,right\r\ns,1\r\n0,1\r\n")
    with pytest.raises(ArticulataError, match="no column 'up'"):
        film_file(FilmAsked(file, out=tmp_path / "bad", play=tmp_path / "bad.csv"), Said())


def test_key_frames_keep_their_optics_and_numbers(tmp_path: Path) -> None:
    X = np.tile(np.eye(4), (3, 1, 1))
    optics = {"focal": np.array([0.02, 0.03, 0.05]), "iris": np.array([2.0, 2.0, 4.0])}
    table = camera_columns(art.CameraMove(X, Fraction(1), 7, optics))
    table.values[:, 1] = 0.0, 1.0, 3.0
    (tmp_path / "keys.csv").write_text(csv_format.write(table))
    move = read_move(tmp_path / "keys.csv", 30)
    assert (move.first, sorted(move.optics)) == (7, ["focal", "iris"])
    focal, iris = move.optics["focal"], move.optics["iris"]
    np.testing.assert_allclose(focal[[0, 45, -1]], (0.02, 0.035, 0.05))
    np.testing.assert_allclose(iris, np.interp(focal, optics["focal"], optics["iris"]))


@pytest.mark.parametrize(
    ("source", "second"),
    [('"keys.csv"', 0.041664), ('"keys.csv" eased', 0.0005),
     ('"keys.gltf" animation "there"', 0.04),
     ('"keys.gltf" camera "camera" animation "back"', -0.04)],
)  # fmt: skip
def test_a_text_says_how_a_move_is_read(tmp_path: Path, source: str, second: float) -> None:
    """The first frame after the start, at 25 frames/s, of 1 m in the first second.

    The natural cubic spline through 0, 1 and 2.5 m begins as (1 + 0.25 / 6) t - 0.25 / 6 t^3.
    """
    lines = ["t,x,y,z,qw,qx,qy,qz", "0,0,0,0,1,0,0,0", "1,1,0,0,1,0,0,0", "3,2.5,0,0,1,0,0,0"]
    (tmp_path / "keys.csv").write_text("\r\n".join(lines))
    X = np.tile(np.eye(4), (3, 1, 1))
    X[:, 0, 3] = 0.0, 1.0, 2.5
    t = np.array([0.0, 1.0, 3.0])
    tree, back = (
        json.loads(write_animation(t, {"camera": each}, {"camera": (0.7, 1.5)}))
        for each in (X, X * [[[1, 1, 1, -1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]])
    )
    for name, each in (("there", tree), ("back", back)):
        each["animations"][0]["name"] = name
    for each in back["bufferViews"]:
        each["buffer"] = 1
    for each in back["accessors"]:
        each["bufferView"] += len(tree["bufferViews"])
    for each in back["animations"][0]["samplers"]:
        for end in ("input", "output"):
            each[end] += len(tree["accessors"])
    for part in ("buffers", "bufferViews", "accessors", "animations"):
        tree[part] += back[part]
    (tmp_path / "keys.gltf").write_text(json.dumps(tree))
    file = studio(tmp_path, "move")
    file.write_text(file.read_text().replace('"move"', source))
    move, inputs = move_in(setting_in(file), file)
    assert move is not None
    assert inputs[0].suffix in source
    assert len(move.X_WC) == 76
    assert move.X_WC[1, 0, 3] == pytest.approx(second, abs=5e-4)


def test_a_simulated_controller_carries_the_move_a_thousand_times_a_second(tmp_path: Path) -> None:
    setting = setting_in(studio(tmp_path))
    twists = np.tile((0.1, 0.05, -0.2, 0.1, 0.2, 0.0), (5, 1))
    move = art.CameraMove(moved(setting.X_WC, twists, 0.04), Fraction(25))
    motion, carrier = motion_for(setting, move), setting.carrier
    assert carrier is not None
    made = rehearse(carrier, motion, paced=False)
    assert made.fault == ""
    assert len(made.q) == round(motion.carried.times[-1] / 0.001) + 1
    np.testing.assert_allclose(made.q, motion.carried.q, atol=1e-12)
    assert "no limit of a joint was passed" in str(made)
    # a motion that is twice as fast is one that a controller stops at
    q = motion.carried.q
    fast = replace(motion.carried, q=q[0] + 3.0 * (q - q[0]))
    tripped = rehearse(carrier, CarriedMotion(fast), paced=False)
    assert "times its limit" in tripped.fault
    assert len(tripped.q) < len(made.q)
    with pytest.raises(ArticulataError, match="give a port"):
        serve_robot(carrier, motion, "nowhere", print)


def until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def links_stand_where_the_robot_is(theatre: Theatre, setting: Setting) -> None:
    """Twice one posture, with the camera elsewhere: links that stand are not sent again."""
    carrier, stage, lens = setting.carrier, theatre.stage, setting.camera.lens
    assert carrier is not None
    sent = theatre.server._websock_server.get_message_buffer()
    for k, q in enumerate(
        (setting.q - 0.1, setting.q - 0.1, setting.q - (0.1, 0.1, 0.1, 0.1, 0.1, 0))
    ):
        X_WC = carrier.view(q)
        X_WC[:3, 3] += 1e-3 * k
        posture = carrier.posture(q, setting.rest)
        before = sent.message_counter
        assert stage.draw(posture, X_WC, (1, 2, 3), lens, (X_WC, lens))
        assert sent.message_counter - before <= (99, 0, 4)[k]
        poses = carrier.figure.poses(posture)
        for joint, handle in stage._links:
            X = carrier.figure.base if joint < 0 else poses[joint]
            np.testing.assert_allclose(handle.position, X[:3, 3], atol=1e-9)
    assert not stage.draw(posture, X_WC, (1, 2, 3), lens, (X_WC, lens))


def test_a_camera_sees_through_the_bone_that_it_stands_in(tmp_path: Path) -> None:
    file = studio(tmp_path)
    setting = setting_in(file)
    with Theatre(setting.question.camera.lens) as theatre:
        flight = Flight(setting, theatre)
        flight.start()
        flight.close()
        sides = {handle.side for _, handle in theatre.stage._links}
    assert sides == {"front"}


def test_a_flight_begins_where_the_move_that_it_is_given_begins(tmp_path: Path) -> None:
    setting = setting_in(studio(tmp_path))
    assert setting.carrier is not None
    other = setting.carrier.view(setting.q + np.radians([5, -4, 3, 6, -5, 4]))
    move = art.CameraMove(np.array([other, setting.X_WC]), 25)
    with Theatre(setting.question.camera.lens) as theatre:
        flight = Flight(setting, theatre, move=move)
        assert np.allclose(flight.pilot.X_WC, other, atol=1e-9)
        far = other.copy()
        far[:3, 3] += 1e3
        flight = Flight(setting, theatre, move=art.CameraMove(np.array([far, far]), 25))
        assert np.allclose(flight.pilot.X_WC, setting.X_WC, atol=1e-9)


def test_a_flight_is_recorded_judged_carried_and_exported(tmp_path: Path) -> None:
    setting = setting_in(studio(tmp_path))
    kept: list[object] = []

    def keep(made: object, take: object) -> list[Path]:
        kept.append(made)
        return [tmp_path / "out" / "move.json"]

    with Theatre(setting.question.camera.lens) as theatre:
        flight = Flight(setting, theatre, keep=keep)
        flight.start()
        try:
            wish = theatre.wishes.put
            wish("do:record", None)
            until(lambda: flight.doing == "recording")
            start = setting.X_WC[:3, 3]
            until(lambda: wish("report", (0, 0, -0.8, 0, 0.3, 0)) or flight.time > 0.6)  # type: ignore[func-returns-value]
            assert np.linalg.norm(flight.pilot.X_WC[:3, 3] - start) > 0.01
            wish("do:record", None)
            until(lambda: flight.move is not None)
            assert flight.move is not None
            assert flight.move.duration > 0.4
            wish("set:mode", "helicopter")
            wish("set:roll", "nonsense")
            wish("set:focal", 0.05)
            wish("set:eye", 1)
            wish("set:speed", 0.5)
            wish("set:share", 0.5)
            wish("do:judge", None)
            until(lambda: flight.made is not None)
            assert flight.made is not None
            assert flight.made.verdict is not None
            assert "frames follow" in flight.message
            assert flight.pilot.steering.mode == "helicopter"
            assert flight.eye == 1
            assert flight.pilot.shaping.speed == 0.5 * setting.shaping.speed
            begun = time.monotonic()
            assert flight.move.optics["focal"][0] == 0.035
            wish("do:carry", None)
            until(lambda: flight.doing == "carrying")
            until(lambda: flight.doing == "standing")
            assert flight.made.carried is not None
            # twice as long at half the speed; less says that it went on at the whole speed
            assert time.monotonic() - begun > 1.5 * flight.made.carried.times[-1]
            wish("do:seek", 0.1)
            until(lambda: abs(flight.time - 0.1) < 1e-9)
            wish("do:fly", None)
            until(lambda: flight.doing == "flying")
            wish("do:export", None)
            until(lambda: bool(kept))
            wish("do:home", None)
            until(lambda: np.allclose(flight.pilot.X_WC, setting.X_WC, atol=1e-9))
            # nobody looks on: a main view that is not there is not followed
            wish("set:follow_view", True)
            until(lambda: flight.follow_view)
            goal = setting.X_WC.copy()
            goal[:3, 3] += (0.0, 0.05, 0.0)
            theatre.stage.main_view = lambda: goal  # type: ignore[method-assign] # a browser's
            until(lambda: np.allclose(flight.pilot.X_WC, goal, atol=1e-3))
            assert flight.failure is None
        finally:
            flight.close()
        links_stand_where_the_robot_is(theatre, setting)


def test_the_page_says_that_the_flight_is_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    addresses: list[str] = []

    class Begun:
        def __init__(self, setting: Setting, theatre: Theatre, **_: object) -> None:
            assert addresses == [theatre.address]  # before anything is compiled
            seen.append(theatre._state)

        def start(self) -> None:
            pass

        wait = close = tell = start

    monkeypatch.setattr("articulata.sessions.film.flying.Flight", Begun)
    open_film(FilmAsked(studio(tmp_path)), Said(), addresses.append)
    (state,) = seen
    assert state == {"preparing": PREPARING}
    assert "compiled" in PREPARING
