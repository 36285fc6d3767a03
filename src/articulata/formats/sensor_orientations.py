"""Orientations of worn sensors over time, as OpenSense, Xsens and APDM write them.

All three turn the sensor's frame into an earth whose z is up, right-handed. OpenSense (``.sto``,
OpenSim's STOFileAdapter): "endheader", a line of names, then a time and cells ``w,x,y,z``. Xsens
(``.txt``, a file a sensor; MTi and MTx User Manual, MT0100P, 4.3): comments ``//``, names, and a
matrix ``R_GS`` column by column, a quaternion, or roll, pitch and yaw in degrees, of which
``R_GS = Rz(yaw) Ry(pitch) Rx(roll)``; ``PacketCounter`` has 16 bits; columns are apart by tabs,
semicolons, commas or spaces; z is down where a comment says NED. APDM (``.csv``): names
``SENSOR/Orientation/Scalar``, or ``Format=7``, as OpenSim's APDMDataReader has them.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.quaternion import q_from_matrix, q_multiply
from articulata.geometry.rotation import Rotation

LONGEST = 1 << 20
"""Characters of a line at most: 64 sensors take some 10,000."""

MOST = 4_000_000
"""Orientations of a recording at most: eight sensors at 100 Hz for 83 minutes take 0.4 GB."""

UNIT = 0.02
"""How far a quaternion's length, or a matrix times its transpose, may be from 1: two digits."""

MICROSECONDS = 100.0
"""APDM's times that rise by more than this are counted in microseconds."""

_MATRIX = tuple(f"Mat[{row}][{column}]" for row in "123" for column in "123")
_QUATERNION = tuple(f"Quat_q{k}" for k in range(4))
_ANGLES = ("Roll", "Pitch", "Yaw")
_COUNTER = "PacketCounter"
_ROUND = 1 << 16
_DOWN = np.array((0.0, 1.0, 0.0, 0.0))
"""The turn, a quaternion, that brings an earth whose z is down to one whose z is up."""

_SCALAR = "/Orientation/Scalar"


@dataclass(frozen=True, slots=True, eq=False)
class Orientations:
    """What ``sensors`` told at ``times`` (n,) s: ``q`` (n, sensors, 4), w first, NaN for nothing.

    ``notice`` tells of gaps, "" where there are none.
    """

    sensors: tuple[str, ...]
    times: Array
    q: Array
    notice: str = ""


def is_sensor_file(path: Path) -> bool:
    """Return whether a file is of one of these formats, by its suffix and its first line."""
    if path.suffix.lower() != ".csv":
        return path.suffix.lower() in (".sto", ".txt")
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            head = file.readline(LONGEST)
    except OSError:
        return False
    return head.startswith(("Format=", "Test Name", "Sample Rate")) or _SCALAR in head


def read_orientations(paths: Sequence[Path], rate: float = math.nan) -> Orientations:
    """Return the orientations in a file, or in Xsens' files of one recording.

    ``rate`` (Hz) is that of Xsens' files that do not tell it, as those of MT Manager since 2019.
    Raises FormatError with file, line and column for what is malformed.
    """
    path = paths[0]
    if path.suffix.lower() == ".txt":
        return _xsens(paths, rate)
    return _opensense(path) if path.suffix.lower() == ".sto" else _apdm(path)


# ---- lines, cells, numbers


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that hold something, with their numbers."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            number = 0
            while line := file.readline(LONGEST):
                number += 1
                if len(line) == LONGEST:
                    raise FormatError(f"{path}:{number}: more than {LONGEST} characters in a line")
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as error:
        raise FormatError(f"{path} cannot be read ({error})") from error


def _number(cell: str) -> float:
    """Return a cell's number, NaN for an empty one; raise ValueError."""
    value = float(cell) if cell.strip() else math.nan
    if math.isinf(value) or "_" in cell:
        raise ValueError
    return value


class _Rows:
    """Numbers of chosen columns, row by row; a matrix at the end, and the line of each row."""

    def __init__(self, path: Path, names: Sequence[str], columns: Sequence[int]) -> None:
        self._path, self._names, self._columns = path, names, columns
        self._numbers, self._lines = array("d"), array("q")

    def add(self, line: int, cells: Sequence[str]) -> None:
        """Take the cells of a line."""
        named = len(self._names)
        if len(cells) <= max(self._columns) or any(map(str.strip, cells[named:])):
            raise FormatError(f"{self._path}:{line}: {len(cells)} columns, but {named} are named")
        for column in self._columns:
            try:
                self._numbers.append(_number(cells[column]))
            except ValueError:
                raise self._wrong(
                    line, column, f"{cells[column].strip()[:40]!r} is no finite number"
                ) from None
        self._lines.append(line)
        if len(self._numbers) > 9 * MOST:
            raise FormatError(
                f"{self._path}:{line}: more than {MOST} orientations; cut it into parts"
            )

    def _wrong(self, line: int, column: int, what: str) -> FormatError:
        name = self._names[column]
        return FormatError(f"{self._path}:{line}, column {column + 1} ({name}): {what}")

    def matrix(self) -> Array:
        """Return the numbers, a row a line."""
        if not self._lines:
            raise FormatError(f"{self._path} holds no line of numbers")
        return np.array(self._numbers).reshape(len(self._lines), len(self._columns))

    def require(self, good: BoolArray, place: int, what: str) -> None:
        """Raise FormatError for the first row that is not ``good``, in chosen column ``place``."""
        bad = np.flatnonzero(~good)
        if len(bad):
            raise self._wrong(self._lines[bad[0]], self._columns[place], what)

    def require_rising(self, times: Array) -> None:
        """Raise FormatError where a time in the first chosen column is none, or is not later."""
        told = np.isfinite(times)
        self.require(told, 0, "a row needs its time")
        self.require(np.diff(times, prepend=-np.inf) > 0.0, 0, "times have to rise")

    def quaternions(self, told: Array, first: int) -> Array:
        """Return unit quaternions of (n, 4) numbers that stand from chosen column ``first`` on."""
        length = np.linalg.norm(told, axis=1)
        self.require(
            ~(np.abs(length - 1.0) > UNIT), first, "the four numbers are no quaternion of length 1"
        )
        return np.asarray(told / length[:, None])


# ---- OpenSense


def _opensense(path: Path) -> Orientations:
    lines = _lines(path)
    kind = ""
    for _, line in lines:
        word, _, value = line.partition("=")
        if word.strip().lower() == "datatype":
            kind = value.strip()
        if line.strip().lower() == "endheader":
            break
    else:
        raise FormatError(f"{path} has no line 'endheader'; give a .sto that OpenSense reads")
    if kind.lower() != "quaternion":
        raise FormatError(
            f"{path} holds {kind or 'no orientations'}; give one whose header says"
            " DataType=Quaternion"
        )
    number, line = next(lines, (0, ""))
    names = [word.strip() for word in line.split("\t")]
    if names[0].lower() != "time" or len(names) < 2:
        raise FormatError(f"{path}:{number}: columns are time and sensors, separated by tabs")
    sensors = _distinct(path, number, names[1:])
    # of a cell four columns; messages name the cell
    wide = ["time", *(name for name in sensors for _ in range(4))]
    rows = _Rows(path, wide, range(len(wide)))
    for number, line in lines:
        time, *cells = line.split("\t")
        if len(cells) != len(sensors):
            raise FormatError(
                f"{path}:{number}: {len(cells) + 1} columns, but {len(names)} are named"
            )
        parts = [cell.split(",") if cell.strip() else [""] * 4 for cell in cells]
        for column, (name, each) in enumerate(zip(sensors, parts, strict=True), 2):
            if len(each) != 4:
                raise FormatError(
                    f"{path}:{number}, column {column} ({name}): a cell holds w,x,y,z, not"
                    f" {len(each)} numbers"
                )
        rows.add(number, [time, *(cell for each in parts for cell in each)])
    told = rows.matrix()
    rows.require_rising(told[:, 0])
    q = [rows.quaternions(told[:, k : k + 4], k) for k in range(1, told.shape[1], 4)]
    return Orientations(sensors, told[:, 0], np.stack(q, axis=1))


def _distinct(path: Path, line: int, names: Sequence[str]) -> tuple[str, ...]:
    """Return names of sensors, each of which stands once."""
    for column, name in enumerate(names):
        if not name or name in names[:column]:
            what = f"'{name}' is named twice" if name else "a sensor without a name"
            raise FormatError(f"{path}:{line}: {what}")
    return tuple(names)


# ---- Xsens


def _xsens(paths: Sequence[Path], rate: float) -> Orientations:
    """Return one recording of several files, whose rows belong together by their counters."""
    rates: list[float] = []
    counters: list[IntArray] = []
    told: list[Array] = []
    for path in paths:
        of_file, counter, q = _xsens_file(path, rate)
        if rates and of_file != rates[0]:
            raise FormatError(
                f"{path} has {of_file:g} rows a second and {paths[0]} {rates[0]:g}; give files of"
                " one recording"
            )
        rates.append(of_file)
        if counters:  # within half a round of the first file's
            apart = counter[0] - counters[0][0]
            counter = counter - round(apart / _ROUND) * _ROUND
        counters.append(counter)
        told.append(q)
    first, last = min(c[0] for c in counters), max(c[-1] for c in counters)
    if last - first >= MOST:
        raise FormatError(f"{paths[0]}: packets {first} to {last} belong to no one recording")
    q = np.full((last - first + 1, len(paths), 4), np.nan)
    for k, (counter, each) in enumerate(zip(counters, told, strict=True)):
        q[counter - first, k] = each
    heard = np.flatnonzero(np.isfinite(q[:, :, 0]).any(axis=1))
    sensors = tuple(path.stem for path in paths)
    notice = "; ".join(
        gap
        for name, counter in zip(sensors, counters, strict=True)
        if (gap := _gaps(name, counter - first, rates[0], last - first + 1))
    )
    return Orientations(sensors, heard / rates[0], q[heard], notice)


def _gaps(name: str, counter: IntArray, rate: float, several: int) -> str:
    """Return what there is to say of packets that a sensor lacks of ``several``."""
    lacks = several - len(counter)
    if not lacks:
        return ""
    edges = np.concatenate(([-1], counter, [several]))
    steps = np.diff(edges)
    at = int(np.argmax(steps))
    return (
        f"{name} lacks {lacks} of {several} packets, {(steps[at] - 1) / rate:.2f} s at most, from"
        f" {(edges[at] + 1) / rate:.2f} s on"
    )


def _xsens_file(path: Path, rate: float) -> tuple[float, IntArray, Array]:
    """Return the rate of a file (Hz), its counters (n,) without rounds, quaternions (n, 4)."""
    lines = _lines(path)
    told, down, number, line = "", False, 0, ""
    for number, line in lines:  # noqa: B007 - told of below
        if not line.lstrip().startswith("//"):
            break
        key, _, value = line.lstrip("/ ").partition(":")
        told = value if key == "Update Rate" else told
        down = down or (key == "Coordinate system" and value.strip() == "NED")
    between = next((mark for mark in "\t;, " if mark in line), "\t")
    names = [word.strip() for word in line.split(between)]
    if _COUNTER not in names:
        raise FormatError(
            f"{path}:{number}: no line of names with {_COUNTER}; export the sensors' packets as"
            " text"
        )
    if found := re.match(r"\s*([0-9]+\.?[0-9]*)\s*Hz", told):
        rate = float(found[1])
    if not rate > 0.0:
        raise FormatError(
            f"{path}: no comment tells the rate, as in // Update Rate: 100.0Hz; give it, as in"
            " --rate 100"
        )
    kinds = (_MATRIX, _QUATERNION, _ANGLES)
    kind = next((each for each in kinds if all(name in names for name in each)), None)
    if kind is None:
        raise FormatError(
            f"{path}:{number}: no orientation; export a matrix (Mat[1][1] ...), a quaternion"
            " (Quat_q0 ...) or Roll, Pitch and Yaw"
        )
    rows = _Rows(path, names, [names.index(_COUNTER), *(names.index(name) for name in kind)])
    for number, line in lines:
        rows.add(number, line.split(between))
    table = rows.matrix()
    counter, q = _counted(rows, table[:, 0]), _turned(rows, table[:, 1:])
    good = np.isfinite(q[:, 0])
    if not good.any():
        raise FormatError(f"{path} holds no orientation")
    q = q[good]
    return rate, counter[good], q_multiply(_DOWN, q) if down else q


def _counted(rows: _Rows, count: Array) -> IntArray:
    """Return the numbers of packets (n,), counted on where 16 bits begin anew."""
    whole = (count >= 0.0) & (count < _ROUND) & (np.floor(count) == count)
    rows.require(np.asarray(whole), 0, "no packet's number")
    packets = count.astype(np.int64)
    steps = np.zeros_like(packets)
    steps[1:] = (packets[1:] - packets[:-1]) % _ROUND
    follows = np.asarray((steps > 0) & (steps < _ROUND // 2))
    follows[0] = True
    rows.require(follows, 0, "a packet that came before, or twice")
    return np.asarray(packets[0] + np.cumsum(steps))


def _turned(rows: _Rows, told: Array) -> Array:
    """Return quaternions (n, 4) of nine, four or three columns; NaN where these are empty."""
    good = np.isfinite(told).all(axis=1)
    none = np.asarray(np.isnan(told).all(axis=1))
    rows.require(np.asarray(good | none), 1, "a part of an orientation is missing")
    if told.shape[1] == len(_QUATERNION):
        return rows.quaternions(told, 1)
    q = np.full((len(told), 4), np.nan)
    if told.shape[1] == len(_ANGLES):
        euler = np.radians(told[good][:, ::-1])
        q[good] = Rotation.from_euler("ZYX", euler).to_quaternion()
        return q
    R = told.reshape(-1, 3, 3)
    off = np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2))
    right = np.linalg.det(np.nan_to_num(R)) > 0.0
    rows.require(np.asarray(none | ((off < UNIT) & right)), 1, "the nine numbers are no rotation")
    q[good] = q_from_matrix(R[good])
    return q


# ---- APDM


def _apdm(path: Path) -> Orientations:
    lines = _lines(path)
    head: list[tuple[int, list[str]]] = []
    for number, line in lines:
        head.append((number, [word.strip() for word in line.split(",")]))
        first = head[0][1][0]
        if len(head) == 3 and first.startswith("Format="):
            found = _blocks(path, head)
            break
        if head[-1][1][0] == "Time" and not first.startswith("Format="):
            found = _labels(path, *head[-1])
            next(lines, None)  # units
            break
        if len(head) == 8:
            raise FormatError(f"{path}:{number}: no line of names that begins with Time")
    else:
        raise FormatError(f"{path} ends within its header")
    wide = max(len(cells) for _, cells in head)
    names = ["Time", *(f"column {k + 1}" for k in range(1, wide))]
    for name, column in found.items():
        names[column : column + 4] = [name] * 4
    columns = [column + k for column in found.values() for k in range(4)]
    rows = _Rows(path, names, [0, *columns])
    for number, line in lines:
        rows.add(number, line.split(","))
    told = rows.matrix()
    times = told[:, 0]
    rows.require_rising(times)
    if len(times) > 1 and np.median(np.diff(times)) > MICROSECONDS:
        times = 1e-6 * (times - times[0])
    q = [rows.quaternions(told[:, k : k + 4], k) for k in range(1, told.shape[1], 4)]
    return Orientations(tuple(found), times, np.stack(q, axis=1))


def _labels(path: Path, number: int, cells: Sequence[str]) -> dict[str, int]:
    """Return the columns in which quaternions begin, by sensors, of the older format."""
    found = {}
    for column, cell in enumerate(cells):
        if cell.endswith(_SCALAR):
            name = cell.removesuffix(_SCALAR)
            if list(cells[column + 1 : column + 4]) != [f"{name}/Orientation/{e}" for e in "XYZ"]:
                raise FormatError(
                    f"{path}:{number}, column {column + 1} ({cell}): X, Y and Z do not follow"
                )
            found[name] = column
    if not found:
        raise FormatError(f"{path}:{number}: no column SENSOR{_SCALAR}; export orientations, too")
    return found


def _blocks(path: Path, head: Sequence[tuple[int, list[str]]]) -> dict[str, int]:
    """Return the same of ``Format=7``: a sensor's name is 3 columns after its block begins.

    Its orientation is 10 columns after that, as the lines below it say.
    """
    (number, names), (_, kinds), (_, axes) = head
    if names[0] != "Format=7":
        raise FormatError(f"{path}:{number}: {names[0]} is not known; Format=7 is")
    found = {}
    for column, name in enumerate(names):
        at = column - 3 + 10
        if name and column > 3 and kinds[at : at + 1] == ["Orientation"]:
            if axes[at : at + 4] != ["S", "X", "Y", "Z"]:
                raise FormatError(
                    f"{path}:{head[2][0]}, column {at + 1} ({name}): S, X, Y, Z are expected"
                )
            found[name] = at
    if not found:
        raise FormatError(f"{path}:{number}: no sensor with an orientation")
    return found
