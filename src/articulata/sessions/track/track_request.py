"""From what a command or a text says to a session of tracking, and what it leaves."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from articulata.analyses.track.calibration import Calibration, drawn_in, level
from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.devices.driver import Device
from articulata.devices.fastrak.emulated_unit import Field
from articulata.devices.fastrak.port import BAUD
from articulata.devices.known_devices import HEARD
from articulata.devices.recorded import RecordedSamples
from articulata.errors import ArticulataError
from articulata.geometry.rotation import Rotation
from articulata.geometry.smoothing import OneEuro
from articulata.records.files import write_whole
from articulata.records.recording import load
from articulata.records.tracking import STATIONS
from articulata.report.viewer.panels.track_panel import STANDING
from articulata.report.viewer.track_viewer import TrackViewer
from articulata.sessions.given_files import request_in
from articulata.sessions.reporting import provenance
from articulata.sessions.track.calibrating import calibrations_in
from articulata.sessions.track.edited_scripts import text_for
from articulata.sessions.track.emulation import CLIPS, EmulatedWearing, Emulation, clip_of
from articulata.sessions.track.participants import (
    NONE,
    Participant,
    named_stations,
    of_each,
    participants,
    stations_said,
    which_trackers,
    worn,
)
from articulata.sessions.track.performing import carried, one_after_another
from articulata.sessions.track.person import Person
from articulata.sessions.track.posture_outlets import exported, opened_avatars, outlets_of
from articulata.sessions.track.sample_sources import (
    NAMED,
    RECORDED,
    Opened,
    Opening,
    foreign_files,
    meant,
    named_sources,
    opened,
    people_of,
    played_together,
)
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_session import TrackSession
from articulata.sessions.track.tracked_figures import Follower, armed, follower
from articulata.sessions.track.tracked_takes import write_measures
from articulata.sessions.track.wish import (
    COUNTDOWN,
    POSTURES,
    SWING,
    TAP,
    Listener,
    TrackWish,
    ended_by_signals,
)
from articulata.world.document import Document, read
from articulata.world.requests.choices import DeviceChoice, FigureChoice
from articulata.world.requests.request import Request
from articulata.world.requests.track import TrackQuestion, beyond_stations

PROVENANCE = "provenance.json"


@dataclass(frozen=True, slots=True)
class Answered:
    """The files that a session left, and how many samples and postures there were.

    ``doubts`` say why what was tracked can be no person's posture, of each of whom that is so.
    """

    files: tuple[Path, ...]
    samples: int
    postures: int
    doubts: tuple[str, ...] = ()


def track_asked(
    asked: Asked, listener: Listener, *, viewer: Callable[..., Any] = TrackViewer
) -> Answered:
    """Track as asked until the session ends; write takes and where they come from.

    ``viewer`` makes who is shown the postures.
    """
    if asked.seconds is not None and not asked.seconds > 0.0:
        raise ArticulataError(f"--seconds is a number above 0, not {asked.seconds:g}")
    said = _read(asked)
    sources, whole = _by_people(said.sources)
    sources = {
        who: tuple(_heard_at(s, asked.listen) for s in each) for who, each in sources.items()
    }
    sitting, opened_for = _opened(asked, said.question, sources, listener)
    names = tuple(sources)
    # a text tells itself who follows
    taken = [who for who, each in opened_for.items() if each.recorded and said.document is None]
    parts = participants(
        sources, said.question,
        figures=asked.figures, body=asked.body, weapon=asked.weapon, by_takes=taken,
    )  # fmt: skip
    scripts, own = _scripts(asked, said.document, parts[names[0]].figure, listener)
    outlets = outlets_of(said.question.outlets, asked.to, names)
    wish = replace(
        _wish(asked, said, opened_for.values()),
        headless=asked.headless or not outlets.viewer,
        scripts=scripts,
    )
    with ExitStack() as around:
        people: list[Person] = []
        devices: list[Device] = []
        for number, (who, sourced) in enumerate(opened_for.items()):
            part = parts[who]
            mine = follower(part.figure, own, who=who, number=number)
            if part.weapon:
                mine = armed(mine, said.document, shares=len(sources) > 1)
            wearer = _Wearer(who, number, part, sourced, mine, sitting[who])
            person, its = _joined(asked, said.question, wish, wearer, around)
            people.append(person)
            devices += its
        if whole is not None:
            played = RecordedSamples.from_file(whole, speed=asked.speed)
            devices = [*meant((played,), asked.convention)]
        wish = replace(wish, body=people[0].wish.body, weapon=people[0].wish.weapon)
        session = TrackSession(
            wish, people, played_together(devices, asked.speed), listener, viewer=viewer,
            avatars=opened_avatars(outlets.avatars, people, around),
        )  # fmt: skip
        around.enter_context(ended_by_signals(session.closing.is_set))
        several = names if len(names) > 1 else ()
        files = _left_by(session, asked, outlets.files, several)
    result = session.result
    if not files:
        listener.say("nobody was calibrated, so there is no take")
    listener.say(f"{result.samples} samples, {result.postures} postures")
    doubts = tuple(p.named(story) for p in people if (story := p.checking.verdict.story))
    return Answered(files, result.samples, result.postures, doubts)


def begun(request: Request) -> None:
    """Raise what a request to track is refused for before a device is opened."""
    question, document = request.question, request.document
    assert isinstance(question, TrackQuestion)
    assert document is None or isinstance(document, Document)
    sources = {"": question.sources}
    _opened(Asked(), question, sources, None)
    (part,) = participants(sources, question).values()
    outlets_of(question.outlets, (), tuple(sources))
    _body(part.body, follower(part.figure, document))


def _opened(
    asked: Asked,
    question: TrackQuestion,
    sources: Mapping[str, tuple[DeviceChoice, ...]],
    listener: Listener | None,
) -> tuple[Mapping[str, Mapping[int, str]], Mapping[str, Opened]]:
    """Return who wears which station where, and the sources that are opened, by people.

    Trackers of which nobody says where they sit are heard first, and told to a ``listener``.
    """
    named: dict[str, dict[str, int]] = {}
    sitting: dict[str, dict[int, str]] = {}
    for who, words in of_each(asked.stations, tuple(sources), "--stations").items():
        foreign = bool(foreign_files(sources[who]))
        named[who] = named_stations(words, question, len(named), files=foreign)
        sitting[who] = stations_said(words, question, files=foreign)
        unnamed = next((s for s in sources[who] if s.name in NAMED and not named[who]), None)
        if unnamed is not None and listener is not None:
            port = None if unnamed.port is None else str(unnamed.port)
            raise which_trackers(port, listener.say, asked.seconds)
        for station in sitting[who]:
            if told := beyond_stations(station, sources[who]):
                raise ArticulataError(f"--stations: {told}; give one of these, or a second unit")
    rate = math.nan if asked.rate is None else asked.rate
    how = Opening(asked.speed, asked.baud or BAUD, rate)
    return sitting, {
        who: opened(
            each, how, number=number, who=who, named=named[who], convention=asked.convention
        )
        for number, (who, each) in enumerate(sources.items())
    }  # fmt: skip


def _wish(asked: Asked, said: _Said, sources: Collection[Opened]) -> TrackWish:
    """Return what the session of all people is asked for."""
    smoothing = said.question.filter
    return TrackWish(
        calibrate=_postures(asked.calibrate, said.question, said.document is not None),
        start=_start(asked.start),
        filter=None if smoothing is None else OneEuro(smoothing.cutoff, smoothing.beta),
        reading=asked.reading,
        out=asked.out or Path("out") / said.name,
        seconds=asked.seconds,
        until_silent=all(each.recorded for each in sources),
        port=asked.port,
        drift=asked.drift or any(each.drift for each in sources),
    )


@dataclass(frozen=True, slots=True)
class _Wearer:
    """Somebody of a session by ``name`` and ``number``: what he wears where, and who follows."""

    name: str
    number: int
    part: Participant
    sourced: Opened
    follower: Follower
    sitting: Mapping[int, str]

    @property
    def body(self) -> TrackedBody:
        """The body of who follows."""
        return tracked_body(self.follower.figure)

    @property
    def worn(self) -> Mapping[int, str] | None:
        """What the wearer's stations are said to be; None where that is as usual."""
        return worn(self.sitting, self.sourced, self.number)


def _joined(
    asked: Asked, question: TrackQuestion, wish: TrackWish, wearer: _Wearer, around: ExitStack
) -> tuple[Person, Sequence[Device]]:
    """Return somebody who takes part, and his devices; an emulated one is there ``around``."""
    part, sourced, mine = wearer.part, wearer.sourced, wearer.follower
    held = _held(asked, wearer)
    known = held[0][1] if held else _calibration(asked, question, wearer)
    pace = asked.speed if math.isfinite(asked.speed) else 1.0
    its = replace(
        wish,
        stations=wearer.worn,
        calibration=known,
        later=tuple((begin / pace, each) for begin, each in held[1:]),
        body=_body(part.body, mine),
        weapon=part.weapon,
        released=part.released,
        bones=sourced.bones,
    )
    if not sourced.emulated:
        return Person(its, mine, name=wearer.name), sourced.devices
    puppet = around.enter_context(_emulation(asked, its, wearer))
    told = meant(puppet.devices, asked.convention)
    return Person(its, mine, puppet=puppet, name=wearer.name), told


def _left_by(
    session: TrackSession, asked: Asked, outlets: Sequence[Path], names: tuple[str, ...]
) -> tuple[Path, ...]:
    """Run a session; return the files that it leaves, and leave them where it fails, too."""
    try:
        session.run()
    except BaseException:
        with suppress(ArticulataError, OSError):  # what came first is told
            _left(session, asked, outlets, names)
        raise
    return _left(session, asked, outlets, names)


def _left(
    session: TrackSession, asked: Asked, outlets: Sequence[Path], names: tuple[str, ...]
) -> tuple[Path, ...]:
    """Write what is made of takes: exports, measures, where they come from; return all files."""
    takes = session.result.takes
    files = list(takes)
    files += [each for file in outlets for each in exported(takes, file, names)]
    files += [each for take in takes for each in write_measures(take, names)]
    if takes:
        inputs = [path for path in (asked.file,) if path is not None]
        where = session.wish.out / PROVENANCE
        write_whole(where, provenance(load(takes[-1]), inputs, files))
        files.append(where)
    return tuple(files)


@dataclass(frozen=True, slots=True)
class _Said:
    """What command and text say: the question, its text if it has one, sources by people."""

    question: TrackQuestion
    document: Document | None
    sources: Mapping[str, tuple[DeviceChoice, ...]]
    name: str


def _read(asked: Asked) -> _Said:
    """Read the text, where there is one; what the command says goes before it."""
    document: Document | None = None
    question = TrackQuestion(FigureChoice("person"))
    sources = dict(named_sources(asked.sources))
    name = "track"
    if asked.file is not None and asked.file.suffix.lower() in RECORDED:
        if any(sources):
            raise ArticulataError(
                f"{asked.file} is played beside others by a name: give --from NAME={asked.file}"
            )
        played = DeviceChoice("file", str(asked.file))
        sources[""] = (played, *sources.get("", ()))
        name = f"{asked.file.stem}-again"
    elif asked.file is not None:
        document = read(asked.file)
        found = request_in(document, "track", asked.world)
        assert isinstance(found.question, TrackQuestion)
        question, name = found.question, asked.file.stem
        sources = sources or {"": question.sources}
    if not any(sources.values()):
        raise ArticulataError(
            "nobody is there to follow: give --from emulator, --from with a serial port, or a take"
            " (.artrun); a text says from: emulator"
        )
    return _Said(question, document, sources, name)


def _scripts(
    asked: Asked, document: Document | None, choice: FigureChoice, listener: Listener
) -> tuple[Path | None, Document | None]:
    """Return the file whose motions can be changed, and the text that the figure is taken from."""
    scripts = asked.scripts
    if scripts is not None:
        if text_for(scripts, choice.name):
            listener.say(
                f"the motions of '{choice.name}' are written to {scripts}; change them there"
            )
        return scripts, read(scripts)
    if asked.file is not None and document is not None and choice.name in document.module.figures:
        return asked.file, document
    return None, document


def _heard_at(source: DeviceChoice, listen: str) -> DeviceChoice:
    """Return a source that is heard at the address ``listen``, unless it says itself at which."""
    port = "" if source.port is None else str(source.port)
    if not listen or source.name not in HEARD or ":" in port:
        return source
    return replace(source, port=f"{listen}:{port}")


def _by_people(
    sources: Mapping[str, tuple[DeviceChoice, ...]],
) -> tuple[dict[str, tuple[DeviceChoice, ...]], Path | None]:
    """Return sources by people; a take that holds several is played as all of them, and returned.

    Its samples come in one order then, as they were taken up.
    """
    files = [Path(str(each.port)) for each in sources.get("", ()) if each.name == "file"]
    inside = [(file, names) for file in files if (names := people_of(file))]
    if not inside:
        return dict(sources), None
    if len(sources[""]) > 1:
        raise ArticulataError(
            f"{inside[0][0]} holds {', '.join(inside[0][1])} and is played alone; say whom else"
            f" you want beside them, as in --from {inside[0][1][0]}={inside[0][0]}"
        )
    return dict.fromkeys(inside[0][1], sources[""]), inside[0][0]


def _body(word: str, who: Follower) -> str:
    """Return what the body does; "" where it stands as it is placed."""
    offered = carried(who, tracked_body(who.figure)).offered
    if word == STANDING or word in offered:
        return "" if word == STANDING else word
    raise ArticulataError(
        f"body: {word}: figure '{who.figure.name}' can be {', '.join(offered) or STANDING}"
    )


def _emulation(asked: Asked, wish: TrackWish, wearer: _Wearer) -> Emulation:
    body, who = wearer.body, wearer.follower
    known = body.orientations(body.rest)
    stations = STATIONS if wish.stations is None else wish.stations
    worn = {s: role for s, role in stations.items() if role in known}
    if not 0.0 <= asked.noise <= 30.0:
        raise ArticulataError(f"--noise is from 0 to 30 deg, not {asked.noise}")
    field = Field(math.radians(asked.noise), 0.0008 if asked.noise else 0.0)
    wearing = EmulatedWearing(rate=120.0 if asked.rate is None else asked.rate, field=field)
    names = tuple(name.strip() for name in (asked.perform or "").split(",") if name.strip())
    clips = [name for name in names if Path(name).suffix.lower() in CLIPS]
    motion = one_after_another(who, names) if names and not clips else None
    if clips and len(names) > 1:
        raise ArticulataError("--perform takes motions of the figure, or one clip (.bvh, .amc)")
    if clips:
        motion = clip_of(Path(names[0]), body)
    rng = np.random.default_rng(asked.seed + wearer.number)
    return Emulation(body, worn, rng, wearing, motion=motion, heading=0.3, name=wearer.name)


def _postures(text: str | None, question: TrackQuestion, written: bool) -> tuple[str, ...]:
    if text is not None and text.strip() != NONE:
        words = tuple(word.strip() for word in text.split(",") if word.strip())
        strange = [word for word in words if word not in POSTURES]
        if strange or not words or words[0] == SWING:
            raise ArticulataError(
                f"--calibrate {text!r}: postures are {', '.join(POSTURES)}, one after the other;"
                f" a swing comes after a posture, as in n_pose,swing. {NONE} believes that sensors"
                " are turned as their limbs are"
            )
        return words
    if written and question.calibrate == "functional":
        return ("n_pose", SWING)
    if written and question.calibrate in ("n_pose", "t_pose"):
        return (question.calibrate,)
    return TrackWish().calibrate


def _start(word: str) -> str:
    if word not in (COUNTDOWN, TAP):
        raise ArticulataError(f"--start {word!r}: a calibration starts by {COUNTDOWN} or by {TAP}")
    return word


def _held(asked: Asked, wearer: _Wearer) -> list[tuple[float, Calibration]]:
    """Return calibrations by postures in a recording, and from when on they hold, s."""
    if asked.postures and asked.calibrate is not None:
        raise ArticulataError("--calibrate and --posture both say how to calibrate; give one")
    if not asked.postures:
        return []
    sourced = wearer.sourced
    devices = () if sourced.emulated else sourced.devices
    apart = asked.drift or sourced.drift
    return calibrations_in(devices, wearer.body, wearer.worn or STATIONS, asked.postures, apart)


def _calibration(asked: Asked, question: TrackQuestion, wearer: _Wearer) -> Calibration | None:
    """Return the calibration that is known: a take's, or that of sensors turned as the body is."""
    sourced = wearer.sourced
    written = asked.file is not None and asked.file.suffix.lower() not in RECORDED
    word = asked.calibrate if asked.calibrate is None else asked.calibrate.strip()
    if word not in (None, NONE):
        return None
    if word is None and sourced.bones and sourced.calibration is None:
        return drawn_in(wearer.body, wearer.worn or STATIONS, "t_pose")
    if word == NONE or (sourced.calibration is None and question.calibrate == NONE):
        stations = wearer.worn or STATIONS
        return Calibration(level(wearer.body), dict.fromkeys(stations, Rotation.identity()))
    if sourced.calibration is not None and asked.convention:
        raise ArticulataError(
            "a take is calibrated by what its samples meant when it was made; to read them"
            " otherwise (--quaternion, --up) say where postures lie, as in --posture n_pose@3:4.5"
        )
    if sourced.recorded and sourced.calibration is None and word is None and not written:
        raise ArticulataError(
            "a recording is calibrated by postures that lie in it: say where, as in --posture"
            " n_pose@0:1 --posture t_pose@3:4.5, or --calibrate none where sensors are turned as"
            " their limbs are"
        )
    return sourced.calibration
