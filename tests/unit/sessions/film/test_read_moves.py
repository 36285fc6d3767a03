"""Camera moves from files keep their samples, their key frames and their times."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import film_moves
from articulata.analyses.film.judged_move import judge
from articulata.errors import ArticulataError, FormatError
from articulata.formats.gltf.cameras import camera_track
from articulata.formats.gltf.gltf_document import read_gltf
from articulata.sessions.film.film_files import move_in, setting_in
from articulata.sessions.film.moves import read_move, times_told
from articulata.world.world_files import shipped

EXACT = 1e-9


def agrees(made: film_moves.MadeMove) -> None:
    move = read_move(made.path, 25, animation=made.animation)
    assert len(move.X_WC) == made.frames
    t = made.file_times
    if made.rate is None:
        assert np.ptp(t - t[0] - move.times) <= made.last * (1.0 + 1e-6)
    else:
        assert move.rate == made.rate
    if made.pose is not None:
        at = t if len(t) == made.frames else np.minimum(t[0] + move.times, t[-1])
        np.testing.assert_allclose(move.X_WC, made.pose(at), rtol=0.0, atol=EXACT)
        track = camera_track(read_gltf(made.path.read_bytes()), animation=made.animation)
        np.testing.assert_array_equal(track.times, t)
        np.testing.assert_allclose(track.poses(t), made.pose(t), rtol=0.0, atol=EXACT)
    if made.rows is not None:
        frame = (t - t[0]) * float(move.rate)
        held = np.abs(frame - np.round(frame)) < 1e-9
        if made.place is None:  # frames: whatever their times were rounded to
            frame, held = np.arange(len(t)), np.ones(len(t), bool)
        assert held.sum() >= 3
        at = np.round(frame[held]).astype(int)
        np.testing.assert_allclose(move.X_WC[at], made.rows[held], rtol=0.0, atol=EXACT)
    if made.place is not None:
        due = made.place(move.times)
        np.testing.assert_allclose(move.X_WC[:, :3, 3], due, rtol=0.0, atol=EXACT)


@pytest.mark.parametrize("number", range(40))
def test_random_moves_agree_with_an_evaluator_written_apart(tmp_path: Path, number: int) -> None:
    agrees(film_moves.random_move(number, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("tens", range(4, 50))
def test_five_hundred_random_moves_agree(tmp_path: Path, tens: int) -> None:
    for number in range(10 * tens, 10 * tens + 10):
        agrees(film_moves.random_move(number, tmp_path))


def table(folder: Path, times: list[str], places: list[float]) -> Path:
    rows = [f"{t},{x!r},0,0,1,0,0,0" for t, x in zip(times, places, strict=True)]
    file = folder / "move.csv"
    file.write_text("\r\n".join(["t,x,y,z,qw,qx,qy,qz", *rows]))
    return file


@pytest.mark.parametrize("rate", [24.0, 30000 / 1001])
def test_frames_at_times_in_milliseconds_stay_frames(tmp_path: Path, rate: float) -> None:
    """24 frames/s, written as 0, 0.042, 0.083 s: at frame 1 the camera has gone 3.6 mm."""
    x = [0.0036 * k**1.5 for k in range(97)]
    move = read_move(table(tmp_path, [f"{k / rate:.3f}" for k in range(97)], x), 25)
    assert len(move.X_WC) == 97
    assert float(move.rate) == pytest.approx(rate, rel=1e-12)
    np.testing.assert_allclose(move.X_WC[:, 0, 3], x, rtol=0.0, atol=1e-15)


def test_frames_that_were_left_out_are_filled(tmp_path: Path) -> None:
    kept = [0, 1, 2, 3, 5, 6, 7, 8, 9, 12, 13]
    file = table(tmp_path, [f"{k / 24:.3f}" for k in kept], [0.01 * k for k in kept])
    move = read_move(file, 25)
    assert (move.rate, len(move.X_WC)) == (24, 14)
    np.testing.assert_allclose(move.X_WC[:, 0, 3], 0.01 * np.arange(14), atol=1e-12)


def test_a_rate_that_cannot_be_told_is_asked_for(tmp_path: Path) -> None:
    times = [f"{k / 57.3194:.3f}" for k in range(60)]
    file = table(tmp_path, times, [0.0] * 60)
    with pytest.raises(ArticulataError, match=r"rounding to 0.001 s, at about 57.3\d* frames/s"):
        read_move(file, 25)
    assert read_move(file, 57.3194).rate == pytest.approx(57.3194, rel=1e-5)


def test_key_frames_hold_at_their_times_and_are_not_eased(tmp_path: Path) -> None:
    keys = [0.0, 0.2, 0.3, 1.0]
    file = table(tmp_path, ["0", "1", "1.5", "4"], keys)
    move = read_move(file, 50)
    x = move.X_WC[:, 0, 3]
    np.testing.assert_allclose(x[[0, 50, 75, 200]], keys, rtol=0.0, atol=1e-12)
    assert x[1] > 0.003  # nothing waits at the start
    eased = read_move(file, 50, eased=True).X_WC[:, 0, 3]
    np.testing.assert_allclose(eased[[0, 50, 75, 200]], keys, rtol=0.0, atol=1e-12)
    assert abs(eased[1] - eased[0]) < 1e-4
    assert abs(eased[-1] - eased[-2]) < 1e-4
    # smooth where easing ends: the second difference has no step
    assert np.abs(np.diff(eased, 3)).max() < 3e-4


def test_the_last_key_frame_between_two_frames_is_reached(tmp_path: Path) -> None:
    move = read_move(table(tmp_path, ["0", "1", "2.03"], [0.0, 0.5, 1.25]), 25)
    assert len(move.X_WC) == 52
    assert move.X_WC[-1, 0, 3] == 1.25


def gltf(folder: Path, *animations: tuple[str, int, str, str, list[float], list[list[float]]],
         nodes: list[dict[str, object]] | None = None) -> Path:  # fmt: skip
    file = film_moves.GltfFile()
    file.tree["nodes"] = nodes or [{"camera": 0, "name": "first"}, {"camera": 0, "name": "second"}]
    file.tree["cameras"] = [{"type": "perspective", "perspective": {"yfov": 0.7}}]
    made: dict[str, dict[str, object]] = {}
    for name, node, path, interpolation, times, values in animations:
        given = made.setdefault(name, {"name": name, "channels": [], "samplers": []})
        track = film_moves.Track(
            np.array(times, np.float32), np.array(values, np.float32), interpolation,
            path == "rotation",
        )  # fmt: skip
        file.channel(given, node, path, track)
    file.tree["animations"] = list(made.values())
    file.write(folder / "move.gltf")
    return folder / "move.gltf"


FLAT = ([0.0, 1.0, 2.0, 3.0], [[0.0, 0, 0], [0.3, 0, 0], [0.3, 0, 0], [0.0, 0, 0]])


def test_linear_key_frames_do_not_overshoot(tmp_path: Path) -> None:
    x = read_move(gltf(tmp_path, ("a", 0, "translation", "LINEAR", *FLAT)), 25).X_WC[:, 0, 3]
    assert len(x) == 76
    np.testing.assert_allclose(x[25:51], 0.3, atol=1e-7)
    np.testing.assert_allclose(x[[10, 60]], (0.12, 0.18), atol=1e-7)


def test_steps_stay_steps(tmp_path: Path) -> None:
    x = read_move(gltf(tmp_path, ("a", 0, "translation", "STEP", *FLAT)), 25).X_WC[:, 0, 3]
    np.testing.assert_allclose(x[[0, 24, 25, 74, 75]], (0, 0, 0.3, 0.3, 0), atol=1e-7)


def test_a_linear_turn_has_a_constant_rate_whatever_the_times_of_places_are(tmp_path: Path) -> None:
    """From -10 to 66.4 deg about y in 1 s: the rate stays while places have keys of their own."""
    ends = [Rotation.from_euler("y", a, degrees=True).as_quat().tolist() for a in (0.0, 150.0)]
    place = ("a", 0, "translation", "LINEAR", [0.0, 0.3, 0.7, 1.0], [[0.0, 0, 0]] * 4)
    file = gltf(tmp_path, ("a", 0, "rotation", "LINEAR", [0.0, 1.0], ends), place)
    X = read_move(file, 25).X_WC
    angle = np.degrees(np.arctan2(X[:, 0, 2], X[:, 2, 2]))
    np.testing.assert_allclose(angle, 150.0 * np.arange(26) / 25, atol=1e-4)


def test_which_camera_and_animation_is_meant_is_asked_for(tmp_path: Path) -> None:
    one = ("one", 1, "translation", "LINEAR", *FLAT)
    assert read_move(gltf(tmp_path, one), 25).X_WC[30, 0, 3] == pytest.approx(0.3)  # the second
    two = ("two", 1, "translation", "LINEAR", FLAT[0], [[-3.0 * x for x in v] for v in FLAT[1]])
    file = gltf(tmp_path, one, two)
    with pytest.raises(ArticulataError, match='animations "one", "two" move its camera'):
        read_move(file, 25)
    for name, due in (("one", 0.3), ("two", -0.9)):
        move = read_move(file, 25, animation=name)
        assert move.X_WC[30, 0, 3] == pytest.approx(due)
    both = gltf(tmp_path, one, ("one", 0, "translation", "LINEAR", two[4], two[5]))
    with pytest.raises(ArticulataError, match='cameras "first", "second" move'):
        read_move(both, 25)
    assert read_move(both, 25, camera="first").X_WC[30, 0, 3] == pytest.approx(-0.9)
    for wrong in ({"camera": "third"}, {"animation": "three"}):
        with pytest.raises(ArticulataError, match=f"'{next(iter(wrong.values()))}'; "):
            read_move(both, 25, **wrong)  # type: ignore[arg-type]


def test_a_camera_below_a_parent_that_turns_goes_round_it(tmp_path: Path) -> None:
    turned = [Rotation.from_euler("y", a, degrees=True).as_quat().tolist() for a in (0.0, 90.0)]
    nodes: list[dict[str, object]] = [
        {"camera": 0, "translation": [0, 0, 2]}, {"children": [0], "translation": [1, 0, 0]}
    ]  # fmt: skip
    file = gltf(tmp_path, ("a", 1, "rotation", "LINEAR", [0.0, 1.0], turned), nodes=nodes)
    X = read_move(file, 25).X_WC
    angle = np.radians(90.0 * np.arange(26) / 25)
    due = np.stack([1 + 2 * np.sin(angle), 0 * angle, 2 * np.cos(angle)], axis=1)
    np.testing.assert_allclose(X[:, :3, 3], due, atol=1e-6)
    np.testing.assert_allclose(X[:, :3, 2], due / 2 - (0.5, 0, 0), atol=1e-6)


def test_a_zoom_is_read_between_its_key_frames_as_an_angle(tmp_path: Path) -> None:
    file = film_moves.GltfFile()
    file.tree["nodes"] = [{"camera": 0}]
    file.tree["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1.0}}]
    sampler = {"input": file.put(np.array([0.0, 1.0]), "SCALAR"),
               "output": file.put(np.array([1.0, 0.5]), "SCALAR")}  # fmt: skip
    pointer = {"KHR_animation_pointer": {"pointer": "/cameras/0/perspective/yfov"}}
    target = {"path": "pointer", "extensions": pointer}
    file.tree["animations"] = [
        {"samplers": [sampler], "channels": [{"sampler": 0, "target": target}]}
    ]
    file.write(tmp_path / "zoom.glb")
    move = read_move(tmp_path / "zoom.glb", 25, height=0.024)
    assert move.rate == Fraction(25)
    # half way the angle is 0.75 rad, whatever the focal length then is
    assert move.optics["focal"][13] == pytest.approx(0.012 / np.tan(0.5 * 0.74), rel=1e-6)


@pytest.mark.parametrize(
    ("name", "wishes", "message"),
    [
        ("a.csv", {"camera": "x"}, "named of .gltf and .glb alone"),
        ("a.json", {"animation": "x"}, "named of .gltf and .glb alone"),
        ("a.glb", {"eased": True}, "leave 'eased' out"),
    ],
)
def test_wishes_that_a_file_cannot_meet_are_refused(
    tmp_path: Path, name: str, wishes: dict[str, str], message: str
) -> None:
    with pytest.raises(ArticulataError, match=message):
        read_move(tmp_path / name, 25, **wishes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tree: tree["animations"][0]["samplers"][0].pop("output"), "KeyError"),
        (lambda tree: tree["accessors"][1].update(count=400), "reaches beyond"),
        (lambda tree: tree["nodes"][0].update(children=[0]), "hangs on itself"),
        (
            lambda tree: tree["bufferViews"][0].update(extensions={"EXT_meshopt_compression": {}}),
            "packed by EXT_meshopt_compression",
        ),
        (lambda tree: tree["nodes"][0].update(scale=[0, 0, 0]), "scaled to nothing"),
        (lambda tree: tree["nodes"][0].update(matrix=[1.0] * 16), "has a matrix"),
        (lambda tree: tree["nodes"][0].pop("camera"), "holds no camera"),
        (lambda tree: tree["asset"].update(version="1.0"), "glTF 1.0"),
        (
            lambda tree: tree["animations"][0]["samplers"][0].update(interpolation="BEZIER"),
            "BEZIER",
        ),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, change: object, message: str) -> None:
    nodes: list[dict[str, object]] = [{"camera": 0}]
    file = gltf(tmp_path, ("a", 0, "translation", "LINEAR", *FLAT), nodes=nodes)
    tree = json.loads(file.read_text())
    change(tree)  # type: ignore[operator]
    file.write_text(json.dumps(tree))
    with pytest.raises(ArticulataError, match=f"move.gltf.*{message}"):
        read_move(file, 25)


def test_of_postures_alike_the_one_that_strikes_nothing_is_taken() -> None:
    """Elbow up and elbow down both carry the tour; down, the camera strikes the forearm."""
    file = shipped(Path("inspection_cell"))
    setting = setting_in(file)
    move, _ = move_in(setting, file)
    assert move is not None
    assert setting.carrier is not None
    assert judge(move.resampled(5), setting.carrier).follows


def test_rows_of_a_person_are_key_frames_that_look_at_a_point(tmp_path: Path) -> None:
    file = tmp_path / "keys.csv"
    rows = ["time,x,y,z,look_x,look_y,look_z", "0,0,1,2,0,1,0", "1,2,1,0,0,1,0", "2,0,1,-2,0,1,0"]
    file.write_text("\n".join(rows))
    move = read_move(file, 25)
    assert (len(move.X_WC), move.rate) == (51, 25)
    np.testing.assert_allclose(move.X_WC[25, :3, 2], (1, 0, 0), atol=1e-12)  # back, from the point
    np.testing.assert_allclose(move.X_WC[[0, 25, 50], 1, 1], 1.0)  # upright
    np.testing.assert_allclose(read_move(file, 25, up=(0, -1, 0)).X_WC[0, 1, 1], -1.0)
    file.write_text("\n".join([*rows, "3,0,1,0,0,1,0"]))
    with pytest.raises(FormatError, match="row 5: a camera looks at another point than its own"):
        read_move(file, 25)
    file.write_text("time,x\n0,0\n1,1")
    with pytest.raises(
        FormatError, match="qz, or look_x, look_y, look_z in place of the last four"
    ):
        read_move(file, 25)


KEYED = "51 frames at 25 frames/s, 2 s through 3 key frames"


@pytest.mark.parametrize(
    ("head", "first", "told"),
    [
        ("time", (0, 1, 2), f"{KEYED} (times in s); times "
         "are seconds: for frame numbers call the column 'frame', not 'time'"),
        ("frame", (0, 10, 50), f"{KEYED} (frame numbers)"),
        ("time", (0, 0.01, 2), f"{KEYED} (times in s); "
         "rows 2 and 3 are 0.01 s apart, less than a frame (0.04 s)"),
        ("frame", (7, 8, 9), "3 frames at 25 frames/s, 0.08 s"),
    ],
)  # fmt: skip
def test_how_the_times_of_a_table_were_read_is_told(
    tmp_path: Path, head: str, first: tuple[float, ...], told: str
) -> None:
    rows = [f"{t},{k},0,3,{k},0,0" for k, t in enumerate(first)]
    file = tmp_path / "keys.csv"
    file.write_text("\n".join([f"{head},x,y,z,look_x,look_y,look_z", *rows]))
    move = read_move(file, 25)
    assert times_told(file, move) == f"keys.csv: {told}"
    if head == "frame":
        places = move.X_WC[[int(each - first[0]) for each in first], 0, 3]
        assert places == pytest.approx([0, 1, 2])
        assert move.numbers[0] == first[0]
