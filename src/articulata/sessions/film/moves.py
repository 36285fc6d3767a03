"""Camera moves and devices' reports from files, and as tables."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from articulata.analyses.film.outputs import DeviceOutputs
from articulata.errors import FormatError, RecordingError
from articulata.formats import csv
from articulata.formats.gltf.animation import read_camera
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.camera import FULL_FRAME
from articulata.geometry.quaternion import q_normalize, q_to_matrix
from articulata.records.device_reports import AXES, MOST, DeviceReports
from articulata.records.film import (
    MOST_FRAMES,
    OPTICS,
    CameraMove,
    frame_rate,
    load_move,
    sampled_move,
    unfit,
)

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
    try:
        if kind == ".csv":
            return _move_of(*_table(path, _POSES), str(path), frames)
        times, X, upwards = read_camera(_bytes(path), str(path))
        # the sensor's height says what an angle of view is as a focal length
        optics = {} if upwards is None else {"focal": height * 0.5 / np.tan(0.5 * upwards)}
        return sampled_move(times - times[0], X, frames, optics=optics)
    except RecordingError as error:
        raise FormatError(f"{path}: {error}") from error


def _move_of(table: csv.Columns, first_row: int, name: str, frames: float) -> CameraMove:
    """Return the move in a table as ``camera_columns`` makes one; numbers begin in ``first_row``.

    Rows of even times are frames; others are key frames, and the move goes through them from rest
    to rest, at ``frames`` a second.
    """
    refuse = partial(_refuse, name, first_row)
    t, *rest = _columns(table, _POSES, name, "a camera's move")
    optics = {
        each: table.values[:, table.names.index(each)] for each in OPTICS if each in table.names
    }
    for each, values in (*zip(_POSES, (t, *rest), strict=True), *optics.items()):
        refuse(~np.isfinite(values), f"column '{each}' holds no number")
    for each, values in optics.items():
        refuse(unfit(each, values), f"'{each}' must be more than 0")
    if len(t) < 2:
        raise FormatError(f"{name}: a move has two rows or more, not {len(t)}")
    steps = np.diff(t)
    refuse(np.append(False, ~(steps > 0.0)), "times rise from row to row")
    q = np.column_stack(rest[3:])
    refuse(np.abs(q).max(axis=1) < 1e-6, "a quaternion is not zero")
    X = np.tile(np.eye(4), (len(t), 1, 1))
    X[:, :3, 3] = np.column_stack(rest[:3])
    X[:, :3, :3] = q_to_matrix(q_normalize(q))
    first = table.values[0, table.names.index("frame")] if "frame" in table.names else 0
    if np.ptp(steps) > _EVEN * steps[0]:
        t = t - t[0]
        what = f"a time so late makes more than {MOST_FRAMES} frames; mend it or lower the rate"
        refuse(t * frames >= MOST_FRAMES, what)
        return sampled_move(t, X, frames, ease=True, first=first, optics=optics)
    rate = (len(t) - 1) / float(t[-1] - t[0])
    return CameraMove(X, frame_rate(round(rate, 4)), first, optics)


def read_reports(path: Path) -> DeviceReports:
    """Return what a device has said, from a table as ``report_columns`` makes one."""
    wanted = ("t", *AXES)
    table, first_row = _table(path, wanted)
    columns = _columns(table, wanted, str(path), "a recorded device")
    refuse = partial(_refuse, str(path), first_row)
    for each, values in zip(wanted, columns, strict=True):
        refuse(~np.isfinite(values), f"column '{each}' holds no number")
    refuse(np.diff(columns[0], prepend=0.0) < 0.0, "times rise, from 0 s on")
    for each, values in zip(AXES, columns[1:], strict=True):
        refuse(np.abs(values) > MOST, f"'{each}' must be -1 to 1")
    try:
        return DeviceReports(columns[0], np.column_stack(columns[1:]))
    except RecordingError as error:
        raise FormatError(f"{path}: {error}") from error


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


def _refuse(name: str, first_row: int, bad: BoolArray, what: str) -> None:
    """Name the first row that is ``bad`` (rows,), where there is one."""
    if bad.any():
        raise FormatError(f"{name}, row {first_row + int(np.argmax(bad))}: {what}")


def _columns(table: csv.Columns, wanted: tuple[str, ...], name: str, what: str) -> list[Array]:
    missing = [each for each in wanted if each not in table.names]
    if missing:
        raise FormatError(f"{name} has no column '{missing[0]}'; {what} has {', '.join(wanted)}")
    return [table.values[:, table.names.index(each)] for each in wanted]


def _table(path: Path, wanted: tuple[str, ...]) -> tuple[csv.Columns, int]:
    """Return a table and the row in which its numbers begin.

    Other programs write no line of units: where that is due the first numbers stand.
    """
    # utf-8-sig: spreadsheets write a mark of byte order before the first name
    table = csv.read(_bytes(path).decode("utf-8-sig", "replace"), str(path))
    units = [cell.strip() for cell in table.units]
    try:
        first = [float(cell) if cell else np.nan for cell in units]
    except ValueError:
        return table, 3
    cells = dict(zip(table.names, units, strict=False))
    # empty fields and 1 are units too; only where all that is wanted stands are they numbers
    if set(units) <= {"", "1"} and not all(cells.get(each) for each in wanted):
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
