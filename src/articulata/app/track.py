"""``articulata track``: a figure that follows a live person."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from articulata.app import console
from articulata.app.arguments import Argument, Option
from articulata.app.options import GivenSeed, Headless, Out, Port, World, explained


class Reading(StrEnum):
    """How sensors of different times are read at one."""

    LIVE = "live"
    SMOOTH = "smooth"
    HELD = "held"


class Start(StrEnum):
    """What a calibration starts by."""

    COUNTDOWN = "countdown"
    TAP = "tap"


def track(
    file: Annotated[
        Path | None,
        Argument(help="A world file (.art) with a request to track, or a take (.artrun)."),
    ] = None,
    source: Annotated[
        list[str] | None,
        Option(
            "--from",
            metavar="SOURCE",
            help="emulator, a serial port (fastrak:PORT) or a take; NAME=SOURCE of several people.",
        ),
    ] = None,
    world: World = "",
    figure: Annotated[
        list[str] | None,
        Option(
            help='Who follows, as "person(1.75 m)"; person where nothing else is said. NAME=FIGURE'
            " of one of several people."
        ),
    ] = None,
    stations: Annotated[
        list[str] | None,
        Option(
            help='Which sensor sits where, as "1 skull, 2 r_upper_arm, 3 r_forearm"; NAME=STATIONS'
            " of one of several people."
        ),
    ] = None,
    calibrate: Annotated[
        str | None,
        Option(help="What to calibrate by, in turn: n_pose,t_pose, or n_pose,swing; none."),
    ] = None,
    start: Annotated[
        Start, Option(help="Calibrate after a countdown, or after a tap on a sensor.")
    ] = Start.COUNTDOWN,
    reading: Annotated[
        Reading, Option(help="Carried on to now, one period late, or as last measured.")
    ] = Reading.LIVE,
    out: Out = None,
    seconds: Annotated[float | None, Option(help="Track for so many seconds.")] = None,
    speed: Annotated[float, Option(help="How fast a take is played; inf: at once.")] = 1.0,
    rate: Annotated[
        float, Option(help="Measurements a second of an emulated unit, shared by its stations.")
    ] = 120.0,
    perform: Annotated[
        str | None,
        Option(
            help="What the emulated wearer performs: motions, with commas, or a clip (.bvh, .amc)."
        ),
    ] = None,
    body: Annotated[
        str | None,
        Option(help="What trunk and legs do: standing, seated, kneeling, walking, crawling ..."),
    ] = None,
    weapon: Annotated[
        str | None, Option(help="How a weapon is carried: none, slung, deployed.")
    ] = None,
    scripts: Annotated[
        Path | None,
        Option(help="A text (.art) with the figure, whose motions are changed and read again."),
    ] = None,
    drift: Annotated[
        bool,
        Option(help="Sensors have no magnetometer: elbows and wrists correct their headings."),
    ] = False,
    noise: Annotated[float, Option(help="Noise of emulated sensors near by, deg rms.")] = 0.15,
    baud: Annotated[int | None, Option(help="Bits a second of serial ports; 115200.")] = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
) -> None:
    """Let a figure follow a live person, or a recorded one."""
    with explained():
        from articulata.sessions.track.asking import Asked, track_asked

        class Said:
            def say(self, text: str) -> None:
                # a tone is for who is at a terminal, not for a log
                console.note(text if sys.stderr.isatty() else text.replace("\a", ""))

        result = track_asked(
            Asked(
                file,
                tuple(source or ()),
                world,
                tuple(figure or ()),
                tuple(stations or ()),
                calibrate,
                start.value,
                reading.value,
                out,
                seconds,
                speed,
                rate,
                noise,
                baud,
                headless,
                seed or 0,
                port,
                perform,
                body,
                weapon,
                scripts,
                drift,
            ),
            Said(),
        )
        for path in result.files:
            console.result(str(path))
