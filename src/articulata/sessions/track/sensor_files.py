"""Recordings of worn sensors by other programs: which sensor of a file sits where.

Sensors of such files have names. Those that name a part of the body sit there; others are told of,
or are said to sit somewhere by ``--stations``, by name or by their place in the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from articulata.errors import ArticulataError
from articulata.formats.sensor_orientations import is_sensor_file, read_orientations
from articulata.geometry.quaternion import q_multiply
from articulata.records.samples import COLUMNS, Sample, Samples
from articulata.records.tracking import STATIONS
from articulata.sessions.track.wish import LONGEST, PER_PERSON

FOREIGN = (".sto", ".txt")
"""Suffixes of sensors' files beside ``.csv``, which may be a table of ours."""

PARTS = (
    ("upper_arm", "humerus|(upper)?arm"),
    ("forearm", "radius|ulna|(fore|lower)arm|wrist"),
    ("hand", "hand"),
    ("sternum", "torso|sternum|thorax|chest|trunk"),
    ("pelvis", "pelvis|lumbar|sacrum"),
    ("skull", "head|skull|forehead"),
)
"""What parts of the body are called in such files: by OpenSim's bodies, APDM's labels, ours."""

_SIDE = "left|right|l|r"
_NUMBERS: Mapping[str, int] = {**{role: s for s, role in STATIONS.items()}, "pelvis": 9}


class WornFile(NamedTuple):
    """What a file gives: samples by station, what sits there, and what there is to say of it."""

    name: str
    samples: Sequence[Sample]
    stations: Mapping[int, str]
    notice: str


def role_of(name: str) -> str:
    """Return the part of the body that a sensor is named after, as "humerus_r_imu"; "" for none."""
    word = re.sub("[^a-z]", "", name.lower())
    for part, pattern in PARTS:
        found = re.fullmatch(f"(?P<a>{_SIDE})?(?:{pattern})(?P<b>{_SIDE})?(?:imu)?", word)
        if found is not None:
            sides = {side[0] for side in (found["a"], found["b"]) if side}
            role = "_".join((*sides, part))
            return role if role in _NUMBERS else ""
    return ""


def _trial_and_sensor(path: Path) -> tuple[str, str]:
    """Return what one of Xsens' files is called after: a trial, and a sensor behind it.

    That is a part of the body, as in walk_upper_arm_r, or what is behind the last underscore.
    """
    words = path.stem.split("_")
    for k in range(len(words)):
        if role_of(sensor := "_".join(words[k:])):
            return "_".join(words[:k]), sensor
    trial, _, sensor = path.stem.rpartition("_")
    return trial or path.stem, sensor


def files_of(path: Path) -> list[Path]:
    """Return the files of a recording: of Xsens' those beside it that are of the same trial."""
    if path.suffix.lower() != ".txt" or not path.exists():
        return [path]
    trial, _ = _trial_and_sensor(path)
    return sorted(p for p in path.parent.glob("*.txt") if _trial_and_sensor(p)[0] == trial)


def recordings(paths: Sequence[Path]) -> list[Sequence[Path]]:
    """Return files by recording: one of Xsens' files stands for its trial, several for these."""
    texts = [path for path in paths if path.suffix.lower() == ".txt"]
    found: list[Sequence[Path]] = [[path] for path in paths if path not in texts]
    if texts:
        found.append(files_of(texts[0]) if len(texts) == 1 else texts)
    return found


def worn_in(paths: Sequence[Path], person: int, named: Mapping[str, int], rate: float) -> WornFile:
    """Return what the sensors in files of one recording told of the ``person``-th, from 0 on.

    ``named`` are stations of sensors by their names, or by their places among them; where nothing
    is said, names tell where they sit. ``rate`` (Hz) is that of files that tell none.
    """
    found = read_orientations(paths, rate)
    names = found.sensors
    called = tuple(_trial_and_sensor(path)[1] for path in paths)
    if paths[0].suffix.lower() == ".txt" and len(set(called)) == len(called):
        names = called
    stations: dict[int, str] = {}
    at = _said(paths[0], names, named)
    notices = [found.notice] if found.notice else []
    if not named:
        stations = _by_names(paths[0], names, person * PER_PERSON)
        at = {station: names.index(name) for station, name in stations.items()}
        stations = {station: role_of(name) for station, name in stations.items()}
        if left := [name for k, name in enumerate(names) if k not in at.values()]:
            notices.append(f"left out, since nothing is said to sit there: {', '.join(left)}")
    tables = []
    for station, k in at.items():
        told = np.isfinite(found.q[:, k, 0])
        table = np.full((int(told.sum()), COLUMNS), np.nan)
        table[:, 0], table[:, 10:] = station, 0.0
        table[:, 1] = table[:, 2] = found.times[told]
        # from the earth, z up, to T, z down: turned half round about x
        table[:, 3:7] = q_multiply(np.array((0.0, 1.0, 0.0, 0.0)), found.q[told, k])
        tables.append(table)
    rows = np.concatenate(tables)
    if not len(rows):
        raise ArticulataError(f"{paths[0]} holds no orientation of a sensor that is worn")
    rows = rows[np.argsort(rows[:, 1], kind="stable")]
    return WornFile(paths[0].name, Samples(rows), stations, "; ".join(notices))


def _said(path: Path, names: Sequence[str], named: Mapping[str, int]) -> dict[int, int]:
    """Return which of ``names`` is on a station, by what is said of names and of places."""
    at = {}
    for name, station in named.items():
        place = int(name) if name.isdecimal() and len(name) <= LONGEST else 0
        if name not in names and not 1 <= place <= len(names):
            raise ArticulataError(
                f"--stations: {path} has no sensor {name}; it has {', '.join(names)}"
            )
        at[station] = names.index(name) if name in names else place - 1
    return at


def _by_names(path: Path, names: Sequence[str], first: int) -> dict[int, str]:
    """Return the names of sensors that tell where they sit, by stations from ``first`` on."""
    stations: dict[int, str] = {}
    # the radius goes with the hand, the ulna stays behind
    for name in sorted(names, key=lambda each: "ulna" in each.lower()):
        if role := role_of(name):
            stations.setdefault(first + _NUMBERS[role], name)
    if not any(role_of(name).endswith(("arm", "hand")) for name in stations.values()):
        raise ArticulataError(
            f"{path}: names of its sensors tell of no arm: {', '.join(names)}. Say where they sit,"
            f' as in --stations "{names[0]} r_upper_arm, ..."'
        )
    return stations


def is_foreign(path: Path) -> bool:
    """Return whether a file holds sensors of other programs."""
    return path.suffix.lower() in (".csv", *FOREIGN) and is_sensor_file(path)
