"""Where samples come from: what a text or a command names, opened as devices.

"emulator", a serial port ("/dev/ttyUSB0", "COM3") or "fastrak PORT", "udp PORT", a device of an
installed package, a take or a table. Units count their stations on: the first has 1 to 4, the
second 5 to 8. Of several people, the second one's count on from 101, the third one's from 201.

Sensors in recordings of other programs have names. Those that name a part of the body sit there;
others are told of, or are said to sit somewhere by ``--stations``, by name or by their place in the
file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from articulata.analyses.track.calibration import Calibration, calibration_of
from articulata.devices.driver import Device, Meant
from articulata.devices.fastrak.port import BAUD
from articulata.devices.fastrak.protocol import STATIONS as PER_UNIT
from articulata.devices.known_devices import makers
from articulata.devices.orientation.sensor_readings import read_table
from articulata.devices.recorded import SAMPLES, RecordedSamples, samples_of
from articulata.errors import ArticulataError, NameNotFound, RecordingError
from articulata.formats.landmark_files import is_landmark_file, read_landmarks
from articulata.formats.sensor_orientations import is_sensor_file, read_orientations
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_multiply
from articulata.records.recording import load
from articulata.records.samples import COLUMNS, Convention, Sample, Samples
from articulata.records.tracking import STATIONS
from articulata.sessions.track.tracked_takes import PEOPLE
from articulata.sessions.track.wish import BONES, DRIFT, LONGEST, PER_PERSON
from articulata.world.requests.choices import DeviceChoice
from articulata.world.requests.track import STATIONS_OF

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
        # from the earth, z up, to T, z down: turned half round about x
        tables.append(
            _rows(station, found.times, q_multiply(np.array((0.0, 1.0, 0.0, 0.0)), found.q[:, k]))
        )
    return WornFile(paths[0].name, _joined(paths[0], tables), stations, "; ".join(notices))


def _rows(station: int, times: Array, q: Array) -> Array:
    """Return samples of a station as rows; times whose turn (w first) is NaN tell nothing."""
    told = np.isfinite(q[:, 0])
    table = np.full((int(told.sum()), COLUMNS), np.nan)
    table[:, 0], table[:, 10:] = station, 0.0
    table[:, 1] = table[:, 2] = times[told]
    table[:, 3:7] = q[told]
    return table


def _joined(path: Path, tables: Sequence[Array]) -> Samples:
    """Return rows of all stations in the order of their times."""
    rows = np.concatenate([np.empty((0, COLUMNS)), *tables])
    if not len(rows):
        raise ArticulataError(f"{path} holds no orientation of a sensor that is worn")
    return Samples(rows[np.argsort(rows[:, 1], kind="stable")])


def seen_in(path: Path, person: int) -> WornFile:
    """Return what a camera's landmarks tell of the ``person``-th: bones, at zero in T."""
    found = read_landmarks(path)
    tables = [
        _rows(person * PER_PERSON + station, found.times, found.turns[role])
        for station, role in STATIONS.items()
        if role in found.turns
    ]
    return WornFile(path.name, _joined(path, tables), {}, "")


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


MOST_PEOPLE = 9
"""What is computed of arms has stations from 1000 on."""

NAMED = ("slimevr",)
"""Devices whose sensors have names of their own; they have no magnetometers."""

WITHOUT_NORTH = "game_rotation_vector"
"""A phone's sensor that has no magnetometer."""

AVATARS = ("vmc", "mvn", "rokoko")
"""Devices that tell bones of an avatar, which are 0 in the T posture."""

RECORDED = (".artrun", ".csv", *FOREIGN)
"""Files that samples are read from: takes, and what is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """Devices, and what is known with them: stations and a calibration that a take holds.

    ``bones`` says that they tell bones of an avatar.
    """

    devices: tuple[Device, ...]
    emulated: bool = False
    recorded: bool = False
    stations: Mapping[int, str] | None = None
    calibration: Calibration | None = None
    drift: bool = False
    bones: bool = False


@dataclass(frozen=True, slots=True)
class Opening:
    """How devices are opened: ``speed`` of recordings, bits a second of serial ports (``baud``).

    ``rate`` (Hz) is that of recordings that do not tell theirs.
    """

    speed: float = 1.0
    baud: int = BAUD
    rate: float = math.nan


def source_of(text: str) -> DeviceChoice:
    """Return the source that a word of the command line means."""
    name, colon, rest = text.partition(":")
    if text == "emulator":
        return DeviceChoice("emulator")
    if colon and name in makers():
        return DeviceChoice(name, rest)
    if Path(text).suffix in RECORDED:
        return DeviceChoice("file", text)
    if text.startswith("/dev/") or text.upper().startswith("COM") or Path(text).is_char_device():
        return DeviceChoice("fastrak", text)
    if text in makers():
        return DeviceChoice(text)
    raise ArticulataError(
        f"--from {text!r} is no source of samples; give emulator, a serial port (fastrak:PORT, or"
        f" /dev/ttyUSB0, COM3), udp:PORT, vmc, a take (.artrun), a table (.csv) or a"
        f" recording of OpenSense (.sto), Xsens (.txt) or APDM (.csv); devices are"
        f" {', '.join(sorted(makers()))}"
    )


def named_sources(words: Sequence[str]) -> Mapping[str, tuple[DeviceChoice, ...]]:
    """Return each person's sources, as "anna=emulator" says; "" where nobody is named."""
    found: dict[str, list[DeviceChoice]] = {}
    for word in words:
        name, equals, rest = word.partition("=")
        named = bool(equals) and name.isidentifier()
        found.setdefault(name if named else "", []).append(source_of(rest if named else word))
    if "" in found and len(found) > 1:
        names = ", ".join(name for name in found if name)
        raise ArticulataError(
            f"--from says for {names} whose sensors they are, and not for all; give each source"
            " a name, as in --from anna=emulator --from ben=/dev/ttyUSB0"
        )
    if len(found) > MOST_PEOPLE:
        raise ArticulataError(f"{MOST_PEOPLE} people are tracked at most, not {len(found)}")
    return {name: tuple(sources) for name, sources in found.items()}


def foreign_files(sources: Sequence[DeviceChoice]) -> tuple[Path, ...]:
    """Return the files among sources that hold sensors of other programs."""
    return tuple(path for path in files_among(sources) if is_foreign(path))


def files_among(sources: Sequence[DeviceChoice]) -> list[Path]:
    """Return the files among sources."""
    return [Path(str(each.port)) for each in sources if each.name in ("file", "recording")]


def people_of(path: Path) -> tuple[str, ...]:
    """Return the people whom a take holds, none where it holds one alone."""
    if path.suffix != ".artrun":
        return ()
    names = load(path).header.settings.get(PEOPLE)
    return tuple(names.split(", ")) if isinstance(names, str) and names else ()


def opened(
    sources: Sequence[DeviceChoice],
    how: Opening = Opening(),
    *,
    number: int = 0,
    who: str = "",
    named: Mapping[str, int] = MappingProxyType({}),
    convention: Convention = Convention(),  # noqa: B008 - a frozen value
) -> Opened:
    """Return devices for sources; an emulator is made by the session, which knows the figure.

    They are those of person ``number``, counted from 0; of a take that holds several people,
    ``who`` of them. ``named`` are stations of trackers that are called by their names.
    """
    devices: list[Device] = []
    stations: dict[int, str] = {}
    calibration: Calibration | None = None
    emulated, recorded, drift, first = False, False, False, 1 + number * PER_PERSON
    for name, samples, worn, notice in _tables(sources, number, named, how.rate):
        stations |= worn
        devices.append(RecordedSamples(samples, speed=how.speed, name=name, notice=notice))
    landmarks = any(map(is_landmark_file, files_among(sources)))
    bones = landmarks or any(source.name in AVATARS for source in sources)
    if bones and len(sources) > 1:
        raise ArticulataError(
            f"{', '.join(AVATARS)} and landmarks tell a whole person: name one alone, or people, as"
            " in --from anna=vmc --from ben=udp:9000"
        )
    for source in sources:
        if source.name in ("file", "recording") and Path(str(source.port)).suffix not in RECORDED:
            source = source_of(str(source.port))
        port = None if source.port is None else str(source.port)
        if source.name == "emulator":
            emulated = True
        elif source.name in ("file", "recording"):
            path, recorded = Path(str(port)), True
            if path.suffix != ".artrun":
                continue
            kept = _kept(path, who, number)
            devices.append(RecordedSamples(kept.samples, speed=how.speed, name=path.name))
            stations |= kept.stations
            calibration = kept.calibration or calibration
            drift, bones = drift or kept.drift, bones or kept.bones
        elif source.name in makers():
            more: dict[str, object] = {"baud": how.baud} if source.name == "fastrak" else {}
            if source.name in NAMED:
                more, drift = {"stations": named}, True
            devices.append(makers()[source.name](port, first=first, **more))
            drift = drift or (source.name == "phone" and str(port).endswith(WITHOUT_NORTH))
            first += STATIONS_OF.get(source.name, len(PER_UNIT))
        else:
            raise ArticulataError(
                f"nobody is tracked with a {source.name}; devices are emulator,"
                f" {', '.join(sorted(makers()))}, and files are takes and tables"
            )
    if emulated and devices:
        raise ArticulataError("an emulator stands for all devices; name it alone")
    told = meant(devices, convention)
    return Opened(told, emulated, recorded, stations or None, calibration, drift, bones)


def _tables(
    sources: Sequence[DeviceChoice], number: int, named: Mapping[str, int], rate: float
) -> Iterator[WornFile]:
    """Yield what files among sources hold that are no takes."""
    foreign = foreign_files(sources)
    for files in recordings(foreign):
        yield worn_in(files, number, named, rate)
    for path in files_among(sources):
        if path not in foreign and is_landmark_file(path):
            yield seen_in(path, number)
        elif path not in foreign and path.suffix == ".csv":
            read, notice = read_table(path)
            moved = [_moved(sample, number * PER_PERSON) for sample in read]
            yield WornFile(path.name, moved, {}, notice)


def meant(devices: Sequence[Device], convention: Convention) -> tuple[Device, ...]:
    """Return devices whose samples mean what ``convention`` says."""
    if not convention:
        return tuple(devices)
    return tuple(
        each.meaning(convention) if isinstance(each, RecordedSamples) else Meant(each, convention)
        for each in devices
    )


def played_together(devices: Sequence[Device], speed: float) -> tuple[Device, ...]:
    """Return devices of which all that are recordings are played as one.

    Each begins at once. So samples come in one order, however fast they are played.
    """
    recorded = [each for each in devices if isinstance(each, RecordedSamples)]
    if len(recorded) < 2:
        return tuple(devices)
    begun = [
        [s._replace(time=s.time - since, arrival=s.arrival - since) for s in each.samples]
        for each in recorded
        for since in (each.samples[0].arrival,)
    ]
    samples = list(merge(*begun, key=lambda sample: sample.arrival))
    name = ", ".join(each.name for each in recorded)
    others = [each for each in devices if not isinstance(each, RecordedSamples)]
    notice = "; ".join(each.notice for each in recorded if each.notice)
    return (RecordedSamples(samples, speed=speed, name=name, notice=notice), *others)


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """What a take holds of one person, whose stations are those of another number."""

    samples: list[Sample]
    stations: Mapping[int, str]
    calibration: Calibration | None
    drift: bool
    bones: bool


def _kept(path: Path, who: str, number: int) -> _Kept:
    try:
        recording = load(path)
        samples = samples_of(recording)
    except (NameNotFound, RecordingError) as error:
        raise RecordingError(f"{path}: {error}") from error
    settings = recording.header.settings
    people = people_of(path)
    at = 0
    if people:
        if who not in people:
            raise ArticulataError(
                f"{path} holds {', '.join(people)}; play it as it is, or one of them, as in --from"
                f" {people[0]}={path}"
            )
        at = people.index(who)
    labels = [label.partition(" ") for label in recording.channels[SAMPLES].labels]
    by = (number - at) * PER_PERSON
    stations = {
        int(word) + by: role
        for word, _, role in labels
        if not people or (int(word) - 1) // PER_PERSON == at
    }
    own = {k.removeprefix(f"{who} "): v for k, v in settings.items() if k.startswith(f"{who} ")}
    found = calibration_of(own if people else settings)
    return _Kept(
        [moved for sample in samples if (moved := _moved(sample, by)).station in stations],
        stations,
        None if found is None else found.renumbered(by),
        bool(settings.get(DRIFT)),
        bool((own if people else settings).get(BONES)),
    )


def _moved(sample: Sample, by: int) -> Sample:
    """Return a sample whose station counts ``by`` more."""
    return sample._replace(station=sample.station + by) if by else sample
