"""Camera moves and devices' reports from files, and as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from articulata.errors import FormatError
from articulata.formats import csv
from articulata.formats.gltf.animation import read_camera
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix
from articulata.records.device_reports import AXES, DeviceReports
from articulata.records.film import OPTICS, CameraMove, frame_rate, load_move, sampled_move

_EVEN: Final = 1e-3
"""Share of a frame by which the times of frames may differ from even ones."""


def read_move(path: Path, frames: float) -> CameraMove:
    """Return the move in a file: JSON of ours, a table, or glTF sampled at ``frames`` a second."""
    kind = path.suffix.lower()
    if kind not in (".gltf", ".glb", ".csv"):
        return load_move(path)
    if kind == ".csv":
        return move_of_table(_table(path), str(path), frames)
    times, X = read_camera(_bytes(path), str(path))
    return sampled_move(times - times[0], X, frames)


def move_of_table(table: csv.Columns, name: str, frames: float) -> CameraMove:
    """Return the move in a table as ``camera_columns`` makes one.

    Rows of even times are frames; others are key frames, and the move goes through them from rest
    to rest, at ``frames`` a second.
    """
    t, *rest = _columns(
        table, ("t", "x", "y", "z", "qw", "qx", "qy", "qz"), name, "a camera's move"
    )
    if len(t) < 2 or not np.isfinite(table.values).all() or not (np.diff(t) > 0.0).all():
        raise FormatError(f"{name}: a move has two rows or more, of rising times and of numbers")
    q = np.column_stack(rest[3:])
    length = np.linalg.norm(q, axis=1, keepdims=True)
    if (length < 1e-6).any():
        raise FormatError(f"{name}, row {3 + int(np.argmin(length))}: a quaternion is not zero")
    X = np.tile(np.eye(4), (len(t), 1, 1))
    X[:, :3, 3] = np.column_stack(rest[:3])
    X[:, :3, :3] = q_to_matrix(q / length)
    steps = np.diff(t)
    if np.ptp(steps) > _EVEN * steps[0]:
        return sampled_move(t - t[0], X, frames, ease=True)
    first = int(table.values[0, table.names.index("frame")]) if "frame" in table.names else 0
    optics = {
        each: table.values[:, table.names.index(each)] for each in OPTICS if each in table.names
    }
    rate = (len(t) - 1) / float(t[-1] - t[0])
    return CameraMove(X, frame_rate(round(rate, 4)), first, optics)


def read_reports(path: Path) -> DeviceReports:
    """Return what a device has said, from a table as ``report_columns`` makes one."""
    columns = _columns(_table(path), ("t", *AXES), str(path), "a recorded device")
    return DeviceReports(columns[0], np.column_stack(columns[1:]))


def report_columns(reports: DeviceReports) -> csv.Columns:
    """Return reports as a table: the time and the six numbers."""
    units = ("s", *("1" for _ in AXES))
    return csv.Columns(("t", *AXES), units, np.column_stack([reports.times, reports.axes]))


def _columns(table: csv.Columns, wanted: tuple[str, ...], name: str, what: str) -> list[Array]:
    missing = [each for each in wanted if each not in table.names]
    if missing:
        raise FormatError(f"{name} has no column '{missing[0]}'; {what} has {', '.join(wanted)}")
    return [table.values[:, table.names.index(each)] for each in wanted]


def _table(path: Path) -> csv.Columns:
    return csv.read(_bytes(path).decode("utf-8", "replace"), str(path))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path} cannot be read ({error.strerror})") from error
