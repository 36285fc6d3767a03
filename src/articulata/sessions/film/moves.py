"""Camera moves and devices' reports from files, and as tables."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from articulata.analyses.film.shaping import DeviceOutputs
from articulata.errors import FormatError, RecordingError
from articulata.formats import csv
from articulata.formats.gltf.cameras import CameraTrack, camera_track
from articulata.formats.gltf.gltf_document import read_gltf
from articulata.formats.scenes.scene_files import scene_of
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.camera import FULL_FRAME, look_at
from articulata.geometry.quaternion import q_from_matrix, q_normalize, q_to_matrix
from articulata.records.camera_moves import (
    MOST_FRAMES,
    OPTICS,
    CameraMove,
    frames_until,
    load_move,
    sampled_move,
    unfit,
)
from articulata.records.frame_rates import SLOWEST, FrameTimes, frame_rate, frame_times
from articulata.records.samples import AXES, MOST, DeviceReports

GLTF: Final = (".gltf", ".glb")
WORLDS: Final = (".wrl", ".x3d", ".x3dv", ".wrz", ".x3dz", ".usd", ".usda", ".usdc", ".usdz")
TABLE: Final = ".csv"

_POSES: Final = ("t", "x", "y", "z", "qw", "qx", "qy", "qz")
_LOOKS: Final = ("t", "x", "y", "z", "look_x", "look_y", "look_z")


def read_move(
    path: Path,
    frames: float,
    height: float = FULL_FRAME[1],
    *,
    camera: str = "",
    animation: str = "",
    eased: bool = False,
    up: tuple[float, float, float] = (0.0, 1.0, 0.0),
) -> CameraMove:
    """Return the move in a file: JSON of ours, a table, glTF, USD, VRML97 or X3D.

    Frames at even times stay what they are. What has other times is sampled at ``frames`` a second;
    ``eased``, a table's rows are key frames from rest to rest; where it names points to look at,
    the camera stands upright, as ``up`` says. glTF has angles of view: ``height``
    (m) of the sensor makes focal lengths of them; ``camera`` and ``animation`` say which is meant.
    """
    kind = path.suffix.lower()
    if kind in WORLDS and not animation:
        return _viewed(path, frames, height, camera)
    if (camera or animation) and kind not in GLTF:
        raise FormatError(f"{path}: a camera or animation is named of .gltf and .glb alone")
    if eased and kind != TABLE:
        raise FormatError(f"{path}: eased are key frames of a table, .csv; leave 'eased' out")
    try:
        if kind == TABLE:
            return _move_of(*_posed(path, up, frames), str(path), frames, eased)
        if kind in GLTF:
            document = read_gltf(_bytes(path), str(path))
            return _filmed(camera_track(document, camera, animation), frames, height)
    except RecordingError as error:
        raise FormatError(f"{path}: {error}") from error
    return load_move(path)


def times_told(path: Path, move: CameraMove) -> str:
    """Return how the times of a file were read, how long its ``move`` lasts, and what is odd."""
    rate, count = float(move.rate), len(move.X_WC)
    told = f"{path.name}: {count} frames at {rate:.5g} frames/s, {move.duration:.4g} s"
    if path.suffix.lower() != TABLE:
        return told
    table, first_row = _table(path, None)
    by_frame = "t" not in table.names
    t = table.values[:, table.names.index("frame" if by_frame else "t")]
    t = t / rate if by_frame else t
    if len(t) < count:
        kind = "frame numbers" if by_frame else "times in s"
        told += f" through {len(t)} key frames ({kind})"
    near = int(np.argmin(np.diff(t)))
    apart = float(t[near + 1] - t[near])
    if apart < (1.0 - 1e-3) / rate:
        rows = f"rows {first_row + near} and {first_row + near + 1}"
        told += f"; {rows} are {apart:.3g} s apart, less than a frame ({1.0 / rate:.3g} s)"
    if not by_frame and len(t) > 2 and (t == np.round(t)).all():
        told += "; times are seconds: for frame numbers call the column 'frame', not 'time'"
    return told


def _posed(path: Path, up: tuple[float, float, float], frames: float) -> tuple[csv.Columns, int]:
    """Return a table of poses; points to look at become quaternions of a camera that is upright.

    Without times its frame numbers count, ``frames`` a second.
    """
    table, first_row = _table(path, None)
    if "t" not in table.names and "frame" in table.names:
        t = table.values[:, table.names.index("frame")] / float(frame_rate(frames))
        table = csv.Columns(
            (*table.names, "t"), (*table.units, "s"), np.column_stack([table.values, t])
        )
    if "look_x" not in table.names:
        return table, first_row
    _, *places = _columns(table, _LOOKS, str(path), "a camera's move")
    p = np.column_stack(places)
    _refuse(str(path), first_row, ~np.isfinite(np.linalg.norm(p, axis=1)), "a place has no number")
    same = np.linalg.norm(p[:, 3:] - p[:, :3], axis=1) == 0.0
    _refuse(str(path), first_row, same, "a camera looks at another point than its own")
    q = q_from_matrix(look_at(p[:, :3], p[:, 3:], up)[:, :3, :3])
    names, units = (*table.names, *_POSES[4:]), (*table.units, *["1"] * 4)
    return csv.Columns(names, units, np.hstack([table.values, q])), first_row


def _viewed(path: Path, frames: float, height: float, camera: str) -> CameraMove:
    """Return the move of a camera, the one that moves or zooms or the ``camera`` named."""
    views = scene_of(path).views
    moving = [each for each in views if each.ends]
    found = [each for each in moving if camera in ("", each.name)]
    if len(found) != 1:
        known = ", ".join(f"'{each.name}'" for each in moving) or "none"
        which = f"its camera '{camera}' does not move" if camera else "it is not clear which"
        raise FormatError(f'{path}: {which}; those that move are {known}: say camera "NAME"')
    (view,), rate = found, frame_rate(frames)
    end = max(view.ends)
    if end * float(rate) >= MOST_FRAMES:
        raise FormatError(f"{path}: its move of {end:g} s has too many frames; lower the rate")
    at = np.arange(int(end * float(rate) + 1e-9) + 1) / float(rate)
    still = np.tile(view.X_WC, (len(at), 1, 1))
    X_WC = still if view.motion is None else view.motion.at(at)
    upwards = np.full(len(at), view.upwards) if view.zoom is None else view.zoom.at(at)
    return CameraMove(X_WC, rate, optics={"focal": height * 0.5 / np.tan(0.5 * upwards)})


def _filmed(track: CameraTrack, frames: float, height: float) -> CameraMove:
    """Return the move of a camera in a glTF file.

    Its key frames are the frames where they are at even times of a usual rate, some left out or
    not; else it is looked at ``frames`` times a second. The first is at the first key frame.
    """
    keys = track.times
    known = frame_times(keys, frames) if len(keys) > 1 else None
    if known is not None and known.rate >= SLOWEST:
        rate = known.rate
        at = keys[0] + np.arange(known.numbers[-1] + 1) / float(rate)
        at[known.numbers] = keys
    else:
        rate = frame_rate(frames)
        if float(keys[-1] - keys[0]) * float(rate) >= MOST_FRAMES:
            raise RecordingError(
                f"key frames until {keys[-1]:g} s make more than {MOST_FRAMES} frames at "
                f"{float(rate):g} frames/s; lower the rate"
            )
        at = keys[0] + frames_until(float(keys[-1] - keys[0]), rate)
    upwards = track.upwards(at)
    optics = {} if upwards is None else {"focal": height * 0.5 / np.tan(0.5 * upwards)}
    return CameraMove(track.poses(at), rate, optics=optics)


def _move_of(
    table: csv.Columns, first_row: int, name: str, frames: float, eased: bool
) -> CameraMove:
    """Return the move in a table as ``camera_columns`` makes one; numbers begin in ``first_row``.

    Rows of even times are frames, also where times are rounded; others are key frames, each of
    which holds at its time, and the move is looked at ``frames`` times a second.
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
    known = None if eased else _numbered(table, t, frames) or frame_times(t, frames)
    if known is not None and known.rate < SLOWEST and "look_x" in table.names:
        known = None  # a person's key frames
    if known is not None and known.numbers[-1] == len(t) - 1:
        return CameraMove(X, known.rate, first, optics)
    if known is not None:  # some frames were left out
        t, frames = known.numbers / float(known.rate), float(known.rate)
    t = t - t[0]
    what = f"a time so late makes more than {MOST_FRAMES} frames; mend it or lower the rate"
    refuse(t * frames >= MOST_FRAMES, what)
    rate = frames if known is None else known.rate
    return sampled_move(t, X, rate, ease=eased, first=first, optics=optics)


def _numbered(table: csv.Columns, t: Array, frames: float) -> FrameTimes | None:
    """Return the frames that a table says itself, where they are those of its times (n,) s."""
    if "frame" not in table.names:
        return None
    rate, said = frame_rate(frames), table.values[:, table.names.index("frame")]
    numbers = np.round(said - said[0])
    if not (np.abs([said - said[0] - numbers, (t - t[0]) * float(rate) - numbers]) < 1e-6).all():
        return None
    return FrameTimes(rate, numbers.astype(np.int64))


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
        more = f", or {', '.join(_LOOKS[4:])} in place of the last four" if wanted is _POSES else ""
        wish = f"{what} has {', '.join(wanted)}{more}"
        raise FormatError(f"{name} has no column '{missing[0]}'; {wish}")
    return [table.values[:, table.names.index(each)] for each in wanted]


def _table(path: Path, wanted: tuple[str, ...] | None) -> tuple[csv.Columns, int]:
    """Return a table and the row in which its numbers begin; ``wanted`` None is a camera's move.

    Other programs write no line of units: where that is due the first numbers stand.
    """
    # utf-8-sig: spreadsheets write a mark of byte order before the first name
    table = csv.read(_bytes(path).decode("utf-8-sig", "replace"), str(path))
    table = replace(table, names=tuple("t" if each == "time" else each for each in table.names))
    if wanted is None:
        wanted = _LOOKS if "look_x" in table.names else _POSES
        wanted = wanted if "t" in table.names else wanted[1:]
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
