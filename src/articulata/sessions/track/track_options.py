"""What somebody asks of tracking: the options of ``articulata track``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from articulata.sessions.command_fields import Argument, Headless, Option, Out, Port, Seed, World

if TYPE_CHECKING:
    from articulata.records.samples import Convention


class Reading(StrEnum):
    """How sensors of different times are read at one."""

    LIVE = "live"
    SMOOTH = "smooth"
    HELD = "held"


class Start(StrEnum):
    """What a calibration starts by."""

    COUNTDOWN = "countdown"
    TAP = "tap"


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asks for; None takes what the text says, or what is usual.

    ``file`` is a world file with a request to track, or a take. ``sources`` are words as
    ``source_of`` reads them, ``stations`` and ``calibrate`` lists with commas. ``figures`` and
    ``stations`` are everybody's, or one person's where they begin with NAME=. ``postures`` say
    where in a recording they lie, as ``posture_held`` reads them; ``quaternion`` and ``up`` what
    sensors' numbers mean, as ``Convention`` has them; ``to`` names files and avatars beside
    those of a text.
    """

    file: Annotated[
        Path | None,
        Argument(
            help="A world file (.art) with a request to track, a take (.artrun), or a recording of"
            " OpenSense (.sto), Xsens (.txt) or APDM (.csv)."
        ),
    ] = None
    sources: Annotated[
        tuple[str, ...],
        Option(
            "--from",
            metavar="SOURCE",
            help="emulator, a serial port (fastrak:PORT), udp:PORT, slimevr, vmc, vrchat,"
            " mvn, phone:HOST:PORT, a take; NAME=SOURCE of several people.",
        ),
    ] = ()
    world: World = ""
    figures: Annotated[
        tuple[str, ...],
        Option(
            "--figure",
            help='Who follows, as "person(1.75 m)"; person where nothing else is said. NAME=FIGURE'
            " of one of several people.",
        ),
    ] = ()
    stations: Annotated[
        tuple[str, ...],
        Option(
            help='Which sensor sits where, as "1 skull, 2 r_upper_arm, 3 r_forearm", trackers by'
            " their names; NAME=STATIONS of one of several people."
        ),
    ] = ()
    calibrate: Annotated[
        str | None,
        Option(help="What to calibrate by, in turn: n_pose,t_pose, or n_pose,swing; none."),
    ] = None
    postures: Annotated[
        tuple[str, ...],
        Option(
            "--posture",
            help="Where in a recording a posture is held, in seconds: n_pose@3:4.5; several.",
        ),
    ] = ()
    start: Annotated[
        Start, Option(help="Calibrate after a countdown, or after a tap on a sensor.")
    ] = Start.COUNTDOWN
    reading: Annotated[
        Reading, Option(help="Carried on to now, one period late, or as last measured.")
    ] = Reading.LIVE
    out: Out = None
    seconds: Annotated[
        float | None, Option(help="End after so many seconds, calibration included.")
    ] = None
    speed: Annotated[float, Option(help="How fast a take is played; inf: at once.")] = 1.0
    rate: Annotated[
        float | None,
        Option(
            help="Measurements a second of an emulated unit, shared by its stations (120), or of a"
            " recording that does not tell."
        ),
    ] = None
    perform: Annotated[
        str | None,
        Option(
            help="What the emulated wearer performs: motions, with commas, or a clip (.bvh, .amc)."
        ),
    ] = None
    body: Annotated[
        str | None,
        Option(help="What trunk and legs do: standing, seated, kneeling, walking, crawling ..."),
    ] = None
    weapon: Annotated[
        str | None, Option(help="How a weapon is carried: none, slung, deployed.")
    ] = None
    scripts: Annotated[
        Path | None,
        Option(help="A text (.art) with the figure, whose motions are changed and read again."),
    ] = None
    drift: Annotated[
        bool, Option(help="Sensors have no magnetometer: elbows and wrists correct their headings.")
    ] = False
    quaternion: Annotated[
        str,
        Option(
            help="What four numbers mean: wxyz, xyzw, conjugate (earth to sensor), xyzw-conjugate."
        ),
    ] = "wxyz"
    up: Annotated[
        str, Option(help="Which axis of the sensors' frame is up: z, y, x, -z, -y, -x.")
    ] = "z"
    noise: Annotated[float, Option(help="Noise of emulated sensors near by, deg rms.")] = 0.15
    baud: Annotated[int | None, Option(help="Bits a second of serial ports; 115200.")] = None
    listen: Annotated[
        str,
        Option(metavar="ADDRESS", help="Where sensors are heard; 0.0.0.0: the network, 127.0.0.1."),
    ] = ""
    to: Annotated[
        tuple[str, ...],
        Option(
            "--to",
            metavar="OUTLET",
            help="Who gets it besides: vmc://HOST:PORT?rate=60, vrchat://HOST:PORT, rosbridge://HOST:PORT,"
            " a file (.bvh, .mot, .csv ...); NAME=OUTLET of one of several people.",
        ),
    ] = ()
    headless: Headless = False
    seed: Seed = 0
    port: Port = None

    @property
    def convention(self) -> Convention:
        """What sensors' numbers mean."""
        from articulata.records.samples import Convention

        return Convention(self.quaternion, self.up)
