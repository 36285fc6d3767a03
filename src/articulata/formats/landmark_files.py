"""Tables of landmarks that a camera's program saw on a body, such as MediaPipe's pose.

A row is a frame: a time (``time`` or ``timestamp`` in s, ``timestamp_ms``), and of each landmark x,
y, z in m and perhaps how visible it is, in columns such as ``left_elbow_x`` or, by MediaPipe's
numbers, ``x13`` or ``13_x``. Axes are the camera's: x right in the picture, y down, z away from it
(MediaPipe, "pose_world_landmarks"). Parts of a body are turned as their landmarks lie.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.quaternion import q_from_matrix

NUMBERS: Mapping[str, int] = {
    "nose": 0, "left_ear": 7, "right_ear": 8, "left_shoulder": 11, "right_shoulder": 12,
    "left_elbow": 13, "right_elbow": 14, "left_wrist": 15, "right_wrist": 16, "left_pinky": 17,
    "right_pinky": 18, "left_index": 19, "right_index": 20, "left_hip": 23, "right_hip": 24,
}  # fmt: skip
"""Landmarks that are used, by MediaPipe's names and numbers."""

TIMES = {"time": 1.0, "timestamp": 1.0, "time_s": 1.0, "timestamp_ms": 1e-3, "time_ms": 1e-3}
"""Columns of times, and their units in s."""

VISIBLE = 0.5
"""A landmark that is less visible is not believed."""

STRAIGHT = 0.15
"""Sine of the bend below which an elbow does not tell how its upper arm is turned."""

_NAMES = {number: name for name, number in NUMBERS.items()}
_COLUMN = re.compile(r"(?P<a>[a-z_]+?|\d+)_(?P<b>x|y|z|v|visibility)|(?P<c>[xyzv])_?(?P<d>\d+)")
_TO_LEVEL = np.array(((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
"""From the camera's axes to those of who faces it: ahead, right, down."""


@dataclass(frozen=True, slots=True)
class Landmarks:
    """Turns since the T posture by part of the body, (n, 4), NaN where not seen, at ``times``."""

    times: Array
    turns: Mapping[str, Array]


def is_landmark_file(path: Path) -> bool:
    """Return whether a table holds landmarks."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return len(_columns(next(csv.reader(file), []))) >= 12
    except (OSError, UnicodeDecodeError, csv.Error):
        return False


def read_landmarks(path: Path) -> Landmarks:
    """Return how parts of a body are turned; raise FormatError with the line."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        head = next(rows, [])
        columns = _columns(head)
        lowered = [cell.strip().lower() for cell in head]
        clock = next((k for k, cell in enumerate(lowered) if cell in TIMES), None)
        if clock is None:
            raise FormatError(f"{path}:1: no column of times; give one of {', '.join(TIMES)}")
        times: list[float] = []
        table: list[list[float]] = []
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            try:
                time = float(row[clock]) * TIMES[lowered[clock]]
                numbers = [float(row[k] or "nan") for k in columns.values()]
            except (ValueError, IndexError):
                message = "a row whose cells are no numbers, or too few"
                raise FormatError(f"{path}:{rows.line_num}: {message}") from None
            if not np.isfinite(time) or (times and time < times[-1]):
                raise FormatError(f"{path}:{rows.line_num}: a time that does not rise")
            times.append(time)
            table.append(numbers)
    if not times:
        raise FormatError(f"{path} holds no frame of landmarks")
    places = dict(zip(columns, np.array(table).T, strict=True))
    return Landmarks(np.array(times), _turns(places, len(times)))


def _columns(head: list[str]) -> dict[tuple[str, str], int]:
    """Return the columns of landmarks that are used, by name and "x", "y", "z" or "v"."""
    found: dict[tuple[str, str], int] = {}
    for k, cell in enumerate(head):
        match = _COLUMN.fullmatch(cell.strip().lower())
        if match is None:
            continue
        name, axis = match["a"] or match["d"], (match["b"] or match["c"])[0]
        if name.isdecimal():
            name = _NAMES.get(int(name[:4]), "")
        if name in NUMBERS:
            found.setdefault((name, axis), k)
    return found


def _turns(places: Mapping[tuple[str, str], Array], count: int) -> dict[str, Array]:
    """Return how parts are turned since the T posture, in axes ahead, right and down."""
    unseen = np.full(count, np.nan)

    def at(name: str) -> Array:
        p = np.stack([places.get((name, axis), unseen) for axis in "xyz"], axis=1)
        hidden = places.get((name, "v"), np.ones(count)) < VISIBLE
        p[hidden] = np.nan
        return np.asarray(p @ _TO_LEVEL.T)

    shoulders = at("right_shoulder") - at("left_shoulder")
    hips = at("right_hip") + at("left_hip")
    down = 0.5 * (hips - at("right_shoulder") - at("left_shoulder"))
    ears = at("right_ear") - at("left_ear")
    nose = at("nose") - 0.5 * (at("right_ear") + at("left_ear"))
    trunk = _axes(shoulders, np.cross(shoulders, down))
    found = {"sternum": trunk, "skull": _axes(ears, nose)}
    for side, word, sign in (("r", "right", 1.0), ("l", "left", -1.0)):
        shoulder, elbow, wrist = at(f"{word}_shoulder"), at(f"{word}_elbow"), at(f"{word}_wrist")
        index, pinky = at(f"{word}_index"), at(f"{word}_pinky")
        upper, fore = sign * (elbow - shoulder), sign * (wrist - elbow)
        bend = np.cross(fore, upper)
        bent = np.linalg.norm(bend, axis=1) > STRAIGHT * np.linalg.norm(
            upper, axis=1
        ) * np.linalg.norm(fore, axis=1)
        below = _kept(sign * bend, bent, trunk[:, :, 2])
        arm = _axes(upper, np.cross(upper, below))
        across = index - pinky
        forearm = _axes(fore, across)
        # without fingers the forearm is turned as the elbow bends
        plain = _axes(fore, np.cross(fore, below))
        seen = np.isfinite(forearm[:, 0, 0])
        forearm[~seen] = plain[~seen]
        found |= {
            f"{side}_upper_arm": arm,
            f"{side}_forearm": forearm,
            f"{side}_hand": _axes(sign * (0.5 * (index + pinky) - wrist), across),
        }
    told = {}
    for part, R in found.items():
        good = np.isfinite(R).all(axis=(1, 2))
        q = np.full((count, 4), np.nan)
        if good.any():
            q[good] = q_from_matrix(R[good])
            told[part] = q
    return told


def _axes(right: Array, ahead: Array) -> Array:
    """Return turns (n, 3, 3) whose second axis is along ``right``, the first nearest ``ahead``."""
    with np.errstate(invalid="ignore", divide="ignore"):
        y = right / np.linalg.norm(right, axis=1)[:, None]
        z = np.cross(ahead, y)
        z /= np.linalg.norm(z, axis=1)[:, None]
    return np.stack([np.cross(y, z), y, z], axis=2)


def _kept(told: Array, good: BoolArray, first: Array) -> Array:
    """Return rows where they are good, else the last good one before, else ``first``'s."""
    last = np.maximum.accumulate(np.where(good, np.arange(len(told)), -1))
    return np.where(last[:, None] >= 0, told[np.maximum(last, 0)], first)
