"""Recordings of OpenSense, Xsens and APDM are followed; what is in them is written by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import worn_files
from articulata.errors import ArticulataError, FormatError
from articulata.formats.sensor_orientations import read_orientations
from articulata.records.recording import load
from articulata.sessions.track.exported_takes import export_angles
from articulata.sessions.track.sample_sources import role_of
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_request import track_asked

from .test_tracking import Notes

POSTURES = ("n_pose@0.1:1.4", "t_pose@1.7:3.1")
WRITERS: dict[str, Callable[[Path], Path]] = {
    "opensense": lambda folder: worn_files.opensense(folder / "walk.sto"),
    "xsens matrices": lambda folder: worn_files.xsens(folder, "matrix"),
    "xsens quaternions": lambda folder: worn_files.xsens(folder, "quaternion"),
    "xsens angles": lambda folder: worn_files.xsens(folder, "angles"),
    "apdm": lambda folder: worn_files.apdm(folder / "arm.csv"),
    "apdm 7": lambda folder: worn_files.apdm_7(folder / "arm7.csv"),
}


def tracked(file: Path, *, notes: Notes | None = None, **more: object) -> dict[str, np.ndarray]:
    """Follow a file; return times and joint angles, deg, of its first take."""
    given: dict[str, object] = {
        "postures": POSTURES, "speed": float("inf"), "headless": True,
        "out": file.parent / "out", "reading": "held",
    }  # fmt: skip
    asked = Asked(file, **(given | more))  # type: ignore[arg-type] # as the command gives them
    take = load(track_asked(asked, notes or Notes()).files[0])
    labels = take.channels["kinematic.coordinate"].labels
    q = np.degrees(np.asarray(take.array("kinematic.coordinate")))
    found = {name.rpartition(".")[2]: q[:, k] for k, name in enumerate(labels)}
    return {"time": np.asarray(take.times), **found}


@pytest.mark.parametrize("kind", WRITERS)
def test_angles_are_those_that_were_written(tmp_path: Path, kind: str) -> None:
    found = tracked(WRITERS[kind](tmp_path))
    # filtered a little, so a posture that is nearly still tells
    for time, off in ((1.3, 0.1), (3.1, 0.3), (3.2 + np.pi / 2, 1.5)):
        at = int(np.argmin(np.abs(found["time"] - time)))
        told = worn_files.angles(time)
        for joint in worn_files.angles(4.0):
            value = found[f"r_{joint}"][at]
            assert value == pytest.approx(told.get(joint, 0.0), abs=off), (joint, time)
    moving = [found[f"l_{joint}"] for joint in worn_files.angles(4.0)]
    assert np.ptp(moving, axis=1).max() == 0.0  # nothing is known of the left arm


@pytest.mark.parametrize(
    ("kind", "between", "frame"),
    [("matrix", ",", "ENU"), ("quaternion", ";", "NED"), ("angles", " ", "NED")],
)
def test_files_of_todays_mt_manager_are_read(
    tmp_path: Path, kind: str, between: str, frame: str
) -> None:
    """They tell no rate, and columns are apart by what was chosen."""
    file = worn_files.xsens(tmp_path, kind, between=between, frame=frame)
    with pytest.raises(FormatError, match=r"no comment tells the rate.*; give it, as in --rat"):
        tracked(file)
    files = sorted(tmp_path.glob("*.txt"))
    found = read_orientations(files, worn_files.RATE)
    np.testing.assert_allclose(found.times, worn_files.TIMES, atol=1e-9)
    for name, q in zip(found.sensors, np.moveaxis(found.q, 1, 0), strict=True):
        body = name.partition("001_")[2]
        told = np.roll(worn_files.told()[body].as_quat(), 1, axis=1)
        off = np.abs(np.sum(q * told, axis=1))[np.isfinite(q[:, 0])]
        assert np.abs(off - 1.0).max() < 1e-8


def test_a_rate_is_taken_where_none_is_told(tmp_path: Path) -> None:
    found = tracked(worn_files.xsens(tmp_path, "matrix", between=";", frame="NED"), rate=50.0)
    assert found["r_elbow_flexion"].max() == pytest.approx(75.0, abs=1.5)
    assert found["time"][-1] == pytest.approx(5.98, abs=0.03)


def test_what_sensors_told_is_read_to_its_digits(tmp_path: Path) -> None:
    told = worn_files.told()
    for write in WRITERS.values():
        folder = tmp_path / "a"
        folder.mkdir(exist_ok=True)
        file = write(folder)
        files = sorted(folder.glob("*.txt")) if file.suffix == ".txt" else [file]
        found = read_orientations(files)
        assert len(found.times) == len(worn_files.TIMES)
        np.testing.assert_allclose(found.times - found.times[0], worn_files.TIMES, atol=1e-6)
        by_name = dict(zip(found.sensors, np.moveaxis(found.q, 1, 0), strict=True))
        for body, label in worn_files.LABELS.items():
            name = next(n for n in by_name if label == n or body in n)
            q = by_name[name]
            heard = np.isfinite(q[:, 0])
            off = np.abs(np.sum(q * np.roll(told[body].as_quat(), 1, axis=1), axis=1)[heard] - 1.0)
            assert np.minimum(off, np.abs(off - 2.0)).max() < 1e-8
        for each in folder.iterdir():
            each.unlink()


def test_packets_that_are_lost_are_told(tmp_path: Path) -> None:
    notes = Notes()
    drop = {"hand_r": range(200, 225)}
    found = tracked(worn_files.xsens(tmp_path, "quaternion", drop=drop), notes=notes)
    (line,) = [each for each in notes.lines if " lacks " in each]
    # the hand's file begins 3 packets late
    assert "hand_r lacks 28 of 300 packets, 0.50 s at most, from 4.00 s on" in line
    moving = found["r_elbow_flexion"][found["time"] > 3.4]
    assert np.abs(np.diff(moving)).max() < 6.0


def test_sensors_are_worn_where_it_is_said(tmp_path: Path) -> None:
    file = worn_files.xsens(tmp_path, "matrix")
    numbers = ("00B42268", "00342279", "00B421ED", "00B4227C")
    for body, number in zip(worn_files.BODIES, numbers, strict=True):
        (tmp_path / f"MT_0120-001_{body}.txt").rename(tmp_path / f"MT_0120-001_{number}.txt")
    file = tmp_path / "MT_0120-001_00B42268.txt"
    with pytest.raises(ArticulataError, match="names of its sensors tell of no arm: 00342279, 00B"):
        tracked(file)
    with pytest.raises(ArticulataError, match=r"has no sensor 00B9; it has 00342279, 00B421ED"):
        tracked(file, stations=("00B9 r_hand",))
    with pytest.raises(ArticulataError, match="has no sensor 7; it has 00342279"):
        tracked(file, stations=("7 r_hand",))
    by_name = "00B42268 sternum, 00342279 r_upper_arm, 00B421ED r_forearm, 00B4227C r_hand"
    by_place = "4 r_hand, 3 sternum, 1 r_upper_arm, 2 r_forearm"
    for words in (by_name, by_place):
        found = tracked(file, stations=(words,))
        assert found["r_elbow_flexion"].max() == pytest.approx(75.0, abs=1.5)


def test_sensors_that_sit_nowhere_are_told(tmp_path: Path) -> None:
    notes = Notes()
    tracked(worn_files.opensense(tmp_path / "walk.sto"), notes=notes)
    assert any(
        "left out, since nothing is said to sit there: femur_r_imu" in s for s in notes.lines
    )


def test_another_frame_is_noticed_and_mended(tmp_path: Path) -> None:
    """As OpenSense's readers leave it the frame has z up; turned for OpenSim it has y up."""
    file = worn_files.opensense(tmp_path / "walk.sto")
    lines = file.read_text("utf-8").splitlines()
    turn = worn_files.Turn.from_euler("x", -90.0, degrees=True)
    for k, line in enumerate(lines[6:], 6):
        time, *cells = line.split("\t")
        turned = []
        for cell in cells:
            w, x, y, z = map(float, cell.split(","))
            x, y, z, w = (turn * worn_files.Turn.from_quat((x, y, z, w))).as_quat()
            turned.append(f"{w:.9f},{x:.9f},{y:.9f},{z:.9f}")
        lines[k] = "\t".join((time, *turned))
    file.write_text("\n".join(lines), "utf-8")
    with pytest.raises(ArticulataError, match="y up"):
        tracked(file)
    found = tracked(file, up="y")
    assert found["r_elbow_flexion"].max() == pytest.approx(75.0, abs=1.5)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("torso_imu", "sternum"), ("humerus_r_imu", "r_upper_arm"), ("ulna_l_imu", "l_forearm"),
        ("Right Wrist", "r_forearm"), ("Left Upper Arm", "l_upper_arm"), ("Lumbar", "pelvis"),
        ("r_hand", "r_hand"), ("RightHand", "r_hand"), ("head", "skull"), ("Forehead", "skull"),
        ("femur_r_imu", ""), ("humerus_imu", ""), ("rhandl", ""), ("r_torso", ""), ("", ""),
    ],
)  # fmt: skip
def test_names_tell_parts_of_the_body(name: str, role: str) -> None:
    assert role_of(name) == role


def changed(old: str, new: str, count: int = 1) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, count)


def last_cut(text: str) -> str:
    return text.rstrip()[:-60]


@pytest.mark.parametrize(
    ("kind", "change", "told"),
    [
        ("opensense", changed("endheader", "end"), "has no line 'endheader'"),
        ("opensense", changed("Quaternion", "double"), "DataType=Quaternion"),
        ("opensense", changed("time\t", "t "), r"walk.sto:6: columns are time and sensors"),
        ("opensense", changed("humerus_r", "torso"), r"walk.sto:6: 'torso_imu' is named twice"),
        ("opensense", changed("0.0400\t", "0.02\t"), r":9, column 1 \(time\): times have to rise"),
        ("opensense", changed("0.0400\t", "x\t"), r":9, column 1 \(time\): 'x' is no finite numb"),
        ("opensense", changed("0.0400\t", "nan\t"), r":9, column 1 \(time\): a row needs its time"),
        ("opensense", last_cut, r"walk.sto:306"),
        ("xsens quaternions", changed("PacketCounter", "Packet"), "no line of names with PacketC"),
        ("xsens quaternions", changed("Update Rate", "Rate"), "no comment tells the rate"),
        ("xsens quaternions", changed("50.0Hz", "0Hz"), "no comment tells the rate"),
        ("xsens quaternions", changed("Quat_q2", "Quat"), r"humerus_r.txt:5: no orientation"),
        ("xsens quaternions", changed("65403\t", "65402\t"), r":8, column 1 \(PacketCounter\): a"),
        ("xsens quaternions", changed("65403\t", "65403.5\t"), r"no packet's number"),
        ("xsens quaternions", changed("65403\t", "1_0\t"), r"'1_0' is no finite number"),
        ("xsens matrices", changed("\t0.", "\t9."), r":6, column 4 \(Mat\[1\]\[1\]\): the nine"),
        ("xsens matrices", last_cut, r"humerus_r.txt:304: \d+ columns"),
        ("apdm", changed("Time,", "Zeit,"), "no line of names that begins with Time"),
        ("apdm", changed("Wrist/Orientation/Y", "Wrist/Orientation/V"), r"arm.csv:3, column 13"),
        ("apdm", changed("Scalar", "W", 4), "no column SENSOR/Orientation/Scalar"),
        ("apdm 7", changed("Format=7", "Format=8"), "Format=8 is not known; Format=7 is"),
        ("apdm 7", changed("S,X,Y,Z", "X,Y,Z,S"), r"arm7.csv:3, column 12 \(Sternum\): S, X, Y, Z"),
        ("apdm 7", changed("0.5,0.5,0.", "0.5,0.5,inf,0."), "column"),
        ("apdm 7", last_cut, "arm7.csv:303"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_told_with_its_place(
    tmp_path: Path, kind: str, change: Callable[[str], str], told: str
) -> None:
    file = WRITERS[kind](tmp_path)
    text = file.read_text("utf-8")
    assert change(text) != text
    file.write_text(change(text), "utf-8")
    with pytest.raises(FormatError, match=told):
        tracked(file)


@pytest.mark.parametrize("suffix", [".sto", ".txt", ".csv"])
@pytest.mark.parametrize("data", [b"", b"\x00\xff\xfe\x80" * 50, b"Format=7,\n", b"endheader\n"])
def test_what_is_no_such_file_is_no_traceback(tmp_path: Path, suffix: str, data: bytes) -> None:
    file = tmp_path / f"x{suffix}"
    file.write_bytes(data)
    with pytest.raises(ArticulataError):
        tracked(file)


def test_without_postures_it_is_said_at_once_what_to_do(tmp_path: Path) -> None:
    file = worn_files.opensense(tmp_path / "walk.sto")
    with pytest.raises(ArticulataError, match="calibrated by postures that lie in it: say where"):
        tracked(file, postures=())


def test_postures_may_lie_at_the_end(tmp_path: Path) -> None:
    """A part without its first postures, which are held again at its end."""
    file = worn_files.opensense(tmp_path / "walk.sto")
    lines = file.read_text("utf-8").splitlines()
    head, rows = lines[:6], [line.split("\t", 1)[1] for line in lines[6:]]
    rows = rows[165:] + rows[85:155] + rows[:75]
    timed = [f"{k / worn_files.RATE:.3f}\t{row}" for k, row in enumerate(rows)]
    file.write_text("\n".join((*head, *timed)), "utf-8")
    # 2.7 s of movement, T until 4.1 s, N until 5.58 s, which is rounded up
    for last in ("n_pose@4.2:", "n_pose@4.2:5.6"):
        found = tracked(file, postures=("t_pose@2.8:4", last))
        at = int(np.argmin(np.abs(found["time"] - (np.pi / 2 - 0.1))))
        assert found["r_elbow_flexion"][at] == pytest.approx(75.0, abs=1.5)
        assert found["r_shoulder_abduction"][-1] == pytest.approx(0.0, abs=0.3)


def test_postures_that_are_held_again_calibrate_anew(tmp_path: Path) -> None:
    """All sensors slip after 6 s; from when they are held again angles are right again."""
    file = worn_files.opensense(tmp_path / "walk.sto", slipped=True)
    out, notes = tmp_path / "out", Notes()
    tracked(file, postures=(*POSTURES, "t_pose@7.7:9.1", "n_pose@6.1:7.4"), notes=notes, out=out)
    assert "calibrated anew, by postures held again" in notes.lines
    first, second = (load(out / f"take-00{k}.artrun") for k in (1, 2))
    assert first.times[-1] == pytest.approx(6.08, abs=0.021)
    for take, begun in ((first, 0.0), (second, 6.1)):
        labels = take.channels["kinematic.coordinate"].labels
        q = np.degrees(np.asarray(take.array("kinematic.coordinate")))
        at = int(np.argmin(np.abs(np.asarray(take.times) + begun % 6.0 - 3.2 - np.pi / 2)))
        for joint, value in worn_files.angles(3.2 + np.pi / 2).items():
            column = labels.index(f"person.r_{joint}")
            assert q[at, column] == pytest.approx(value, abs=1.5), joint


def test_a_sensor_that_falls_silent_is_held_and_fades_in(tmp_path: Path) -> None:
    """The forearm's lacks 2 s while the arm moves; its elbow stays, nothing jumps."""
    file = worn_files.xsens(tmp_path, "quaternion", drop={"radius_r": range(180, 280)})
    notes = Notes()
    found = tracked(file, notes=notes)
    take = load(tmp_path / "out" / "take-001.artrun")
    # told and noted, though the recording is played at once
    events = [each for each in take.events if each.kind == "device" and "lacks" not in each.story]
    told = [each.story.partition(";")[0] for each in events]
    name = "station 3 (r_forearm)"
    assert told == [f"{name} is silent", f"{name} is heard again"]
    assert all(each.story in notes.lines for each in events)
    np.testing.assert_allclose([each.time for each in events], (4.6, 5.7), atol=0.35)
    marked = np.asarray(take.array("track.flags"))[:, 0, 2] > 0.0
    times = found["time"]
    # three intervals and 0.1 s at the least after its last sample, 0.3 s to fade in
    np.testing.assert_allclose(times[marked][[0, -1]], (3.7, 5.9), atol=0.05)
    elbow = found["r_elbow_flexion"]
    silent = (times > 3.75) & (times < 5.58)
    assert np.ptp(elbow[silent]) < 1e-6
    assert elbow[silent][0] == pytest.approx(worn_files.angles(3.6)["elbow_flexion"], abs=6.0)
    assert np.abs(np.diff(elbow[times > 3.4])).max() < 8.0
    assert found["r_shoulder_flexion"][silent].max() > 45.0  # the upper arm goes on
    last = worn_files.angles(float(times[-1]))
    assert elbow[-1] == pytest.approx(last["elbow_flexion"], abs=2.0)
    measures = (tmp_path / "out" / "take-001-measures.csv").read_text("utf-8")
    assert "longest silence of 3 r_forearm,2.02,s" in measures


def test_lines_without_end_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.sto"
    file.write_text("DataType=Quaternion\nendheader\ntime\ta_imu\n" + "1" * (1 << 21), "utf-8")
    with pytest.raises(FormatError, match=r"x.sto:4: more than 1048576 characters in a line"):
        tracked(file)


def storage(file: Path) -> dict[str, np.ndarray]:
    """Read a .mot or .sto: columns by their names."""
    head, _, body = file.read_text("utf-8").partition("endheader\n")
    assert f"inDegrees={'yes' if file.suffix == '.mot' else 'no'}\n" in head
    names, *rows = body.splitlines()
    numbers = np.array([[float(word) for word in row.split("\t")] for row in rows])
    return dict(zip(names.split("\t"), numbers.T, strict=True))


def test_a_recording_becomes_a_motion_of_others(tmp_path: Path) -> None:
    file = worn_files.opensense(tmp_path / "walk.sto")
    tracked(file)
    take = load(tmp_path / "out" / "take-001.artrun")
    export_angles(take, tmp_path / "a.mot", None, "opensim")
    export_angles(take, tmp_path / "a.sto", None, "opensim")
    export_angles(take, tmp_path / "isb.csv", None, "isb")
    found, radians = storage(tmp_path / "a.mot"), storage(tmp_path / "a.sto")
    assert found.keys() == radians.keys() >= {"time", "pelvis_tilt", "lumbar_bending", "arm_add_l"}
    np.testing.assert_allclose(np.radians(found["pro_sup_r"]), radians["pro_sup_r"], atol=1e-12)
    for time in (1.3, 3.1, 3.2 + np.pi / 2):
        at = int(np.argmin(np.abs(found["time"] - time)))
        q = {name: value[at] for name, value in found.items()}
        # the model's own kinematics: shoulder z, x, y, x ahead, y up, z right
        upper = worn_files.Turn.from_euler(
            "ZXY", [q["arm_flex_r"], q["arm_add_r"], q["arm_rot_r"]], degrees=True
        )
        fore = upper * worn_files.Turn.from_euler("ZY", [q["elbow_flex_r"], q["pro_sup_r"]], True)
        hand = fore * worn_files.Turn.from_euler("ZX", [q["wrist_flex_r"], q["wrist_dev_r"]], True)
        # the wearer's x is ahead too, but y left and z up; his thumbs are ahead, the model's palms
        axes = worn_files.Turn.from_euler("x", 90.0, degrees=True)
        thumbs = worn_files.Turn.from_euler("y", -90.0, degrees=True)
        body = worn_files.segments(time)
        trunk = body["torso"].inv()
        turns = {"humerus_r": upper, "radius_r": fore * thumbs, "hand_r": hand * thumbs}
        for name, turn in turns.items():
            off = (axes * turn * axes.inv()).inv() * (trunk * body[name])
            assert np.degrees(off.magnitude()) < 2.0, (name, time)
    rows = (tmp_path / "isb.csv").read_text("utf-8").splitlines()
    names, units = rows[0].split(","), rows[1].split(",")
    assert units[names.index("r_wrist_flexion")] == "deg"
    assert units[names.index("l_shoulder_singular")] == ""
    last = dict(zip(names, map(float, rows[-1].split(",")), strict=True))
    assert last["l_shoulder_singular"] == 1.0  # it hangs
    assert last["r_shoulder_singular"] == 0.0
    for to, names_of, told in (
        ("a.mot", "jack", "--angles is opensim or isb"),
        ("a.bvh", "isb", "are written as .mot, .sto or .csv"),
    ):
        with pytest.raises(FormatError, match=told):
            export_angles(take, tmp_path / to, None, names_of)
    with pytest.raises(FormatError, match="no figure 'otto'; its figures are"):
        export_angles(take, tmp_path / "a.mot", ("otto",), "isb")
