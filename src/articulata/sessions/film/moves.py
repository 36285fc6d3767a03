"""Camera moves and devices' reports from files, and as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from articulata.analyses.film.outputs import DeviceOutputs
from articulata.errors import FormatError
from articulata.formats import csv
from articulata.formats.gltf.animation import read_camera
from articulata.geometry.arrays import Array
from articulata.geometry.camera import FULL_FRAME
from articulata.geometry.quaternion import q_to_matrix
from articulata.records.device_reports import AXES, DeviceReports
from articulata.records.film import OPTICS, CameraMove, frame_rate, load_move, sampled_move

_EVEN: Final = 1e-3
"""Share of a frame by which the times of frames may differ from even ones."""

_POSES: Final = ("t", "x", "y", "z", "qw", "qx", "qy", "qz")


def read_move(path: Path, frames: float, height: float = FULL_FRAME[1]) -> CameraMove:
    """Return the move in a file: JSON of ours, a table, or glTF sampled at ``frames`` a second.

    glTF has angles of view: ``height`` (m) of the sensor makes focal lengths of them.
    """
    kind = path.suffix.lower()
    if kind not in (".gltf", ".glb", ".csv"):
        return load_move(path)
    if kind == ".csv":
        return _move_of(*_table(path), str(path), frames)
    times, X, upwards = read_camera(_bytes(path), str(path))
    move = sampled_move(times - times[0], X, frames)
    if upwards is None:
        return move
    # the sensor's height says what an angle of view is as a focal length
    seen = np.interp(move.times, times - times[0], 0.5 / np.tan(0.5 * upwards))
    return CameraMove(move.X_WC, move.rate, move.first, {"focal": height * seen})


def _move_of(table: csv.Columns, first_row: int, name: str, frames: float) -> CameraMove:
    """Return the move in a table as ``camera_columns`` makes one; numbers begin in ``first_row``.

    Rows of even times are frames; others are key frames, and the move goes through them from rest
    to rest, at ``frames`` a second.
    """
    t, *rest = _columns(table, _POSES, name, "a camera's move")
    for each in (*_POSES, *(word for word in ("frame", *OPTICS) if word in table.names)):
        lacking = ~np.isfinite(table.values[:, table.names.index(each)])
        if lacking.any():
            row = first_row + int(np.argmax(lacking))
            raise FormatError(f"{name}, row {row}: column '{each}' holds no number")
    if len(t) < 2:
        raise FormatError(f"{name}: a move has two rows or more, not {len(t)}")
    steps = np.diff(t)
    if not (steps > 0.0).all():
        row = first_row + 1 + int(np.argmin(steps))
        raise FormatError(f"{name}, row {row}: times rise from row to row")
    q = np.column_stack(rest[3:])
    length = np.linalg.norm(q, axis=1, keepdims=True)
    if (length < 1e-6).any():
        row = first_row + int(np.argmin(length))
        raise FormatError(f"{name}, row {row}: a quaternion is not zero")
    X = np.tile(np.eye(4), (len(t), 1, 1))
    X[:, :3, 3] = np.column_stack(rest[:3])
    X[:, :3, :3] = q_to_matrix(q / length)
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
    table, _ = _table(path)
    columns = _columns(table, ("t", *AXES), str(path), "a recorded device")
    return DeviceReports(columns[0], np.column_stack(columns[1:]))


def report_columns(reports: DeviceReports) -> csv.Columns:
    """Return reports as a table: the time and the six numbers."""
    units = ("s", *("1" for _ in AXES))
    return csv.Columns(("t", *AXES), units, np.column_stack([reports.times, reports.axes]))


def output_columns(outputs: DeviceOutputs) -> csv.Columns:
    """Return a device's outputs as a table: speeds, position with angles, axis and angle."""
    speeds = tuple(f"speed {axis}" for axis in AXES)
    names = (
        "t",
        *speeds,
        "x",
        "y",
        "z",
        "about x",
        "about y",
        "about z",
        "ax",
        "ay",
        "az",
        "angle",
    )
    units = ("s", *["m/s"] * 3, *["rad/s"] * 3, *["m"] * 3, *["rad"] * 3, *["1"] * 3, "rad")
    around = outputs.viewpoint[:, 3:]
    values = [outputs.times, outputs.speed, outputs.position, around]
    return csv.Columns(names, units, np.column_stack(values))


def _columns(table: csv.Columns, wanted: tuple[str, ...], name: str, what: str) -> list[Array]:
    missing = [each for each in wanted if each not in table.names]
    if missing:
        raise FormatError(f"{name} has no column '{missing[0]}'; {what} has {', '.join(wanted)}")
    return [table.values[:, table.names.index(each)] for each in wanted]


def _table(path: Path) -> tuple[csv.Columns, int]:
    """Return a table and the row in which its numbers begin.

    Other programs write no line of units: where that is due the first numbers stand.
    """
    table = csv.read(_bytes(path).decode("utf-8", "replace"), str(path))
    try:
        first = [float(cell) if cell else np.nan for cell in table.units]
    except ValueError:
        return table, 3
    if not any(table.units):
        return table, 3
    if len(first) != len(table.names):
        raise FormatError(
            f"{path}, row 2: {len(first)} fields, but {len(table.names)} columns are named"
        )
    return csv.Columns(table.names, ("",) * len(first), np.vstack([first, table.values])), 2


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path} cannot be read ({error.strerror})") from error
