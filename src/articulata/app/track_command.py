"""``articulata track``: a figure that follows a live person."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from articulata.app import console
from articulata.app.command_arguments import Argument, Option
from articulata.app.options import GivenSeed, Headless, Out, Port, World, explained
from articulata.errors import ArticulataError


class Reading(StrEnum):
    """How sensors of different times are read at one."""

    LIVE = "live"
    SMOOTH = "smooth"
    HELD = "held"


class Start(StrEnum):
    """What a calibration starts by."""

    COUNTDOWN = "countdown"
    TAP = "tap"


# who is tracked, by what
Followed = Annotated[
    Path | None,
    Argument(
        help="A world file (.art) with a request to track, a take (.artrun), or a recording of"
        " OpenSense (.sto), Xsens (.txt) or APDM (.csv)."
    ),
]
Sources = Annotated[
    list[str] | None,
    Option(
        "--from",
        metavar="SOURCE",
        help="emulator, a serial port (fastrak:PORT), udp:PORT, slimevr, vmc, vrchat,"
        " mvn, phone:HOST:PORT, a take; NAME=SOURCE of several people.",
    ),
]
Figures = Annotated[
    list[str] | None,
    Option(
        help='Who follows, as "person(1.75 m)"; person where nothing else is said. NAME=FIGURE'
        " of one of several people."
    ),
]
Stations = Annotated[
    list[str] | None,
    Option(
        help='Which sensor sits where, as "1 skull, 2 r_upper_arm, 3 r_forearm", trackers by their'
        " names; NAME=STATIONS of one of several people."
    ),
]
Sinks = Annotated[
    list[str] | None,
    Option(
        "--to",
        metavar="OUTLET",
        help="Who gets it besides: vmc://HOST:PORT?rate=60, vrchat://HOST:PORT, rosbridge://HOST:PORT,"
        " a file (.bvh, .mot, .csv ...); NAME=OUTLET of one of several people.",
    ),
]
Listen = Annotated[
    str, Option(metavar="ADDRESS", help="Where sensors are heard; 0.0.0.0: the network, 127.0.0.1.")
]
Baud = Annotated[int | None, Option(help="Bits a second of serial ports; 115200.")]

# how sensors are calibrated and read
Calibrate = Annotated[
    str | None,
    Option(help="What to calibrate by, in turn: n_pose,t_pose, or n_pose,swing; none."),
]
Posture = Annotated[
    list[str] | None,
    Option(help="Where in a recording a posture is held, in seconds: n_pose@3:4.5; several."),
]
Starting = Annotated[Start, Option(help="Calibrate after a countdown, or after a tap on a sensor.")]
ReadBy = Annotated[Reading, Option(help="Carried on to now, one period late, or as last measured.")]
Drift = Annotated[
    bool, Option(help="Sensors have no magnetometer: elbows and wrists correct their headings.")
]

Quaternion = Annotated[
    str,
    Option(help="What four numbers mean: wxyz, xyzw, conjugate (earth to sensor), xyzw-conjugate."),
]
Up = Annotated[str, Option(help="Which axis of the sensors' frame is up: z, y, x, -z, -y, -x.")]

# what the figure does beside
Body = Annotated[
    str | None,
    Option(help="What trunk and legs do: standing, seated, kneeling, walking, crawling ..."),
]
Weapon = Annotated[str | None, Option(help="How a weapon is carried: none, slung, deployed.")]
Scripts = Annotated[
    Path | None,
    Option(help="A text (.art) with the figure, whose motions are changed and read again."),
]

# how long, and how fast a take is played
Seconds = Annotated[float | None, Option(help="End after so many seconds, calibration included.")]
Speed = Annotated[float, Option(help="How fast a take is played; inf: at once.")]

# an emulated wearer
Rate = Annotated[
    float | None,
    Option(
        help="Measurements a second of an emulated unit, shared by its stations (120), or of a"
        " recording that does not tell."
    ),
]
Perform = Annotated[
    str | None,
    Option(help="What the emulated wearer performs: motions, with commas, or a clip (.bvh, .amc)."),
]
Noise = Annotated[float, Option(help="Noise of emulated sensors near by, deg rms.")]


def track(
    file: Followed = None,
    source: Sources = None,
    world: World = "",
    figure: Figures = None,
    stations: Stations = None,
    calibrate: Calibrate = None,
    posture: Posture = None,
    start: Starting = Start.COUNTDOWN,
    reading: ReadBy = Reading.LIVE,
    out: Out = None,
    seconds: Seconds = None,
    speed: Speed = 1.0,
    rate: Rate = None,
    perform: Perform = None,
    body: Body = None,
    weapon: Weapon = None,
    scripts: Scripts = None,
    drift: Drift = False,
    quaternion: Quaternion = "wxyz",
    up: Up = "z",
    noise: Noise = 0.15,
    baud: Baud = None,
    listen: Listen = "",
    sinks: Sinks = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
) -> None:
    """Let a figure follow a live person, or a recorded one."""
    with explained():
        from articulata.sessions.track.track_request import Asked, track_asked

        asked = Asked(
            file=file,
            sources=tuple(source or ()),
            world=world,
            figures=tuple(figure or ()),
            stations=tuple(stations or ()),
            calibrate=calibrate,
            postures=tuple(posture or ()),
            start=start.value,
            reading=reading.value,
            out=out,
            seconds=seconds,
            speed=speed,
            rate=rate,
            noise=noise,
            baud=baud,
            listen=listen,
            headless=headless,
            seed=seed or 0,
            port=port,
            perform=perform,
            body=body,
            weapon=weapon,
            scripts=scripts,
            drift=drift,
            quaternion=quaternion,
            up=up,
            to=tuple(sinks or ()),
        )
        answered = track_asked(asked, console.Terminal())
        for path in answered.files:
            console.result(str(path))
        if answered.doubts:
            raise ArticulataError(f"the take is not to be trusted: {'; '.join(answered.doubts)}")
