"""Camera moves and verdicts as values and files."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from articulata.errors import RecordingError
from articulata.geometry.camera_motion import moved
from articulata.records.camera_moves import (
    CameraMove,
    CameraPath,
    FilmVerdict,
    load_move,
    load_verdict,
    sampled_move,
)
from articulata.records.frame_rates import frame_rate


def a_move(rate: float = 25.0) -> CameraMove:
    twists = np.random.default_rng(1).normal(size=(30, 6)) * 0.3
    X = moved(np.eye(4), twists, 0.04)
    return CameraMove(X, rate, 7, {"focal": np.linspace(0.02, 0.05, 30)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "exact"),
    [(24, Fraction(24)), (29.97, Fraction(30000, 1001)), (23.976, Fraction(24000, 1001)),
     (30, Fraction(30)), (59.94, Fraction(60000, 1001)), (12.5, Fraction(25, 2))],
)  # fmt: skip
def test_frame_rates_are_exact(given: float, exact: Fraction) -> None:
    assert frame_rate(given) == exact


def test_frames_have_numbers_and_times() -> None:
    move = a_move(29.97)
    assert move.numbers.tolist() == list(range(7, 37))
    assert move.times[-1] == pytest.approx(29 * 1001 / 30000)


def test_resampling_goes_through_the_frames() -> None:
    move = a_move()
    fine = move.resampled(100)
    np.testing.assert_allclose(fine.X_WC[::4], move.X_WC, atol=1e-12)
    np.testing.assert_allclose(fine.optics["focal"][::4], move.optics["focal"])
    assert fine.resampled(25).X_WC.shape == move.X_WC.shape
    slow = CameraMove(move.X_WC, Fraction(1, 1000))
    with pytest.raises(RecordingError, match=r"a move of 29000 s has more .* at 100 frames/s"):
        slow.resampled(100)


def test_a_path_is_smooth_in_place_and_turn() -> None:
    move = a_move()
    path = CameraPath.through(move.times, move.X_WC)
    t = np.arange(0.2, 0.4, 1e-4)
    p = path.at(t)[:, :3, 3]
    jump = np.abs(np.diff(p, n=3, axis=0)).max()
    assert jump < 1e-8
    single = CameraPath.through([0.0], move.X_WC[:1])
    np.testing.assert_allclose(single.at([0.0, 0.5])[1], move.X_WC[0], atol=1e-12)


def test_key_frames_become_a_move_with_and_without_ease() -> None:
    keys = a_move().X_WC[::7]
    t = np.arange(len(keys)) * 0.5
    move = sampled_move(t, keys, 24)
    np.testing.assert_allclose(move.X_WC[::12], keys, atol=1e-12)
    eased = sampled_move(t, keys, 24, ease=True)
    assert len(eased.X_WC) == len(move.X_WC)
    first = np.linalg.norm(np.diff(eased.X_WC[:, :3, 3], axis=0), axis=1)
    assert first[0] < 0.05 * first.max()
    assert first[-1] < 0.05 * first.max()
    np.testing.assert_allclose(eased.X_WC[-1], keys[-1], atol=1e-12)
    with pytest.raises(RecordingError, match="rising times"):
        sampled_move([0.0, 0.0], keys[:2], 24)


def test_a_move_is_the_same_from_its_file(tmp_path: Path) -> None:
    move = a_move(29.97)
    move.save(tmp_path / "m.json")
    again = load_move(tmp_path / "m.json")
    np.testing.assert_allclose(again.X_WC, move.X_WC, atol=1e-15)
    assert (again.rate, again.first) == (move.rate, move.first)
    assert again.optics["focal"].tolist() == move.optics["focal"].tolist()


def test_a_verdict_is_the_same_from_its_file(tmp_path: Path) -> None:
    move = a_move()
    n = len(move.X_WC)
    state = np.zeros(n, np.int64)
    state[3:5] = 2
    q = np.ones((n, 6))
    q[3:5] = np.nan
    why = tuple("far" if s else "" for s in state.tolist())
    ones = np.ones(n)
    verdict = FilmVerdict(
        move, tuple("abcdef"), state, why, why, q, ones, ones, ones, ones * np.inf, "front", ("x",)
    )
    verdict.save(tmp_path / "v.json")
    again = load_verdict(tmp_path / "v.json")
    assert str(again) == str(verdict)
    np.testing.assert_array_equal(again.q, q)
    assert np.isinf(again.clearance).all()
    assert verdict.spans() == [(0, 2, 0, ""), (3, 4, 2, "far"), (5, n - 1, 0, "")]
    assert "frames 10 to 11: not reached: far" in str(verdict)
    assert len(verdict.table()["frame"]) == n
    assert "a [rad, m]" in again.table()  # a file that is older than units
    rail = replace(verdict, units=("m", *["rad"] * 5))
    rail.save(tmp_path / "rail.json")
    assert {"a [m]", "b [rad]"} <= set(load_verdict(tmp_path / "rail.json").table())


def test_what_is_no_move_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"gone.json cannot be read \(No such file"):
        load_move(tmp_path / "gone.json")
    with pytest.raises(RecordingError, match="frame rate"):
        CameraMove(np.eye(4)[None], 0)  # type: ignore[arg-type]
    with pytest.raises(RecordingError, match="no rotation"):
        CameraMove(2.0 * np.eye(4)[None], 25)  # type: ignore[arg-type]
    with pytest.raises(RecordingError, match="poses"):
        CameraMove(np.eye(4), 25)  # type: ignore[arg-type]
    with pytest.raises(RecordingError, match="focal, focus, iris"):
        CameraMove(np.eye(4)[None], 25, 0, {"zoom": np.ones(1)})  # type: ignore[arg-type]
    file = tmp_path / "x.json"
    for text in ("{", "{}", "[]", json.dumps(a_move().plain() | {"position": [[1, 2]]})):
        file.write_text(text)
        with pytest.raises(RecordingError, match=r"x\.json"):
            load_move(file)
    file.write_text(json.dumps(a_move().plain() | {"format": 99}))
    with pytest.raises(RecordingError, match="newer"):
        load_move(file)
    with pytest.raises(RecordingError):
        load_verdict(file)


@pytest.mark.parametrize(
    ("name", "value"),
    [("focal", 0.0), ("focal", -0.05), ("focal", np.nan), ("focus", np.inf), ("iris", 0.0)],
)
def test_optics_that_no_lens_has_are_refused(tmp_path: Path, name: str, value: float) -> None:
    values = np.full(30, 2.0)
    CameraMove(a_move().X_WC, Fraction(25), 7, {name: values})
    values[4] = value
    message = f"frame 11: '{name}' is"
    with pytest.raises(RecordingError, match=message):
        CameraMove(a_move().X_WC, Fraction(25), 7, {name: values})
    (tmp_path / "x.json").write_text(
        json.dumps(a_move().plain() | {"optics": {name: values.tolist()}})
    )
    with pytest.raises(RecordingError, match=rf"x\.json: {message}"):
        load_move(tmp_path / "x.json")


@pytest.mark.parametrize("first", [2.5, np.nan, 1e300])
def test_a_first_frame_that_is_no_number_of_a_frame_is_refused(first: float) -> None:
    with pytest.raises(RecordingError, match="whole and of nine digits"):
        CameraMove(a_move().X_WC, Fraction(25), first)  # type: ignore[arg-type]


def test_quaternions_of_any_length_are_read_and_zero_is_refused(tmp_path: Path) -> None:
    plain, file = a_move().plain(), tmp_path / "x.json"
    for factor in (1e200, 1e-200):
        longer = (factor * np.array(plain["orientation"])).tolist()
        file.write_text(json.dumps(plain | {"orientation": longer}))
        np.testing.assert_allclose(load_move(file).X_WC, a_move().X_WC, atol=1e-12)
    file.write_text(json.dumps(plain | {"orientation": np.zeros((30, 4)).tolist()}))
    with pytest.raises(RecordingError, match=r"x\.json.*a quaternion is zero"):
        load_move(file)


def test_optics_of_key_frames_go_with_the_eased_time() -> None:
    keys, t = a_move().X_WC[[0, 9, 29]], [0.0, 0.5, 2.0]
    focal = np.array([0.02, 0.03, 0.06])  # 0.02 m more each second
    move = sampled_move(t, keys, 24, ease=True, first=9, optics={"focal": focal})
    at = np.interp(move.optics["focal"], focal, t)
    np.testing.assert_allclose(CameraPath.through(t, keys).at(at), move.X_WC, atol=1e-9)
    assert move.numbers[0] == 9
    with pytest.raises(RecordingError, match="'focal' of key frames"):
        sampled_move(t, keys, 24, optics={"focal": focal[:2]})


def test_a_mistyped_time_does_not_fill_the_memory() -> None:
    with pytest.raises(RecordingError, match=r"key frame 3 at 1e\+12 s"):
        sampled_move([0.0, 0.5, 1e12], a_move().X_WC[:3], 24)
