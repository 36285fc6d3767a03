"""``articulata join``: figures in an exercise over a network."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from articulata.app import console
from articulata.app.console import explained
from articulata.sessions.command_fields import Headless, Option, Port


@dataclass(frozen=True, slots=True)
class Given:
    """What a command to join says."""

    exercise: Annotated[int, Option(help="Number of the exercise, 1 to 255.")] = 1
    name: Annotated[str, Option(help="How our figure is called; 11 letters are sent.")] = ""
    figure: Annotated[str, Option(help='Our figure, as "person(1.75 m)".')] = "person(1.75 m)"
    perform: Annotated[
        str | None, Option(help="Motions that it performs again and again, with commas.")
    ] = None
    count: Annotated[int, Option(help="How many figures; 0 only watches.")] = 1
    formation: Annotated[
        str, Option(help="line, column, wedge, vee, echelon_left or echelon_right.")
    ] = "line"
    spacing: Annotated[float, Option(help="m from one figure to the next.")] = 2.0
    place: Annotated[
        str | None,
        Option(metavar="AHEAD,LEFT", help="Where they stand, m from the origin; where it is free."),
    ] = None
    heading: Annotated[float, Option(help="Where they face: degrees to the left.")] = 0.0
    source: Annotated[
        str,
        Option(
            "--from",
            metavar="SOURCE",
            help="The first is a live person: emulator, fastrak:PORT, udp:PORT or a take.",
        ),
    ] = ""
    calibrate: Annotated[
        str | None, Option(help="What a live person is calibrated by: n_pose,t_pose; none.")
    ] = None
    stations: Annotated[
        tuple[str, ...], Option(help='Which sensor sits where, as "1 skull, 2 r_upper_arm".')
    ] = ()
    body: Annotated[
        str | None, Option(help="What trunk and legs of a live person do: standing, seated ...")
    ] = None
    at: Annotated[
        str,
        Option(
            metavar="ADDRESS:PORT",
            help="Group, broadcast address or machines of the exercise; 239.255.68.73:3000.",
        ),
    ] = ""
    interface: Annotated[
        str,
        Option(help="Our address by which others are reached; 127.0.0.1 is this machine alone."),
    ] = "127.0.0.1"
    origin: Annotated[
        str, Option(metavar="LAT,LON,HEIGHT", help="Where the world lies on the earth, deg and m.")
    ] = "0,0,0"
    version: Annotated[int, Option(help="Version of DIS: 5, 6 or 7.")] = 7
    joints: Annotated[str, Option(help="Which joints are sent: arms (and neck), or all.")] = "arms"
    rate: Annotated[float, Option(help="Packets a second of a figure at most.")] = 30.0
    utc: Annotated[
        bool, Option("--utc", help="Stamp packets by the time of day; clocks are kept alike.")
    ] = False
    site: Annotated[
        int | None, Option(help="Our site in the exercise; of this machine's name.")
    ] = None
    protocol: Annotated[
        str, Option(help="dis, the standard, or poses: an eighth of the bytes, between ours alone.")
    ] = "dis"
    bound: Annotated[
        float, Option(help="How far an angle of poses may be beside the truth, deg.")
    ] = 0.25
    budget: Annotated[
        float | None, Option(help="Bytes a second of a figure at most, of poses.")
    ] = None
    key: Annotated[
        Path | None, Option(help="File with a secret, the same for all: poses are sealed by it.")
    ] = None
    near: Annotated[
        float | None,
        Option(help="m from others, who look here, beyond which figures are told coarser."),
    ] = None
    packed: Annotated[
        bool, Option("--packed", help="Angles of DIS in 12 bits, which only ours can read.")
    ] = False
    out: Annotated[Path, Option(help="Folder for the take of a live person.")] = Path("out/join")
    seconds: Annotated[float | None, Option(help="Take part for so many seconds.")] = None
    headless: Headless = False
    port: Port = None


def join(given: Given) -> None:
    """Join an exercise over the network: send your figures, show those of others."""
    with explained():
        from articulata.network.exercise_port import GROUP, ExerciseAddress
        from articulata.network.pose_exercise import POSES_PORT
        from articulata.sessions.join import join_request
        from articulata.sessions.join.join_session import POSES, JoinWish

        place = given.place or "0,0"
        ahead, left = join_request.numbers_of(place, "--place", "2, -1.5", (2,))
        usual = f"{GROUP}:{POSES_PORT}" if given.protocol == POSES else ""
        address = ExerciseAddress.of(given.at or usual, given.interface)
        wish = JoinWish(
            given.exercise, address, join_request.origin_of(given.origin), given.version,
            given.joints, given.rate, given.utc, given.seconds, given.headless, given.port,
            given.site, given.place is None, given.protocol, math.radians(given.bound),
            math.inf if given.budget is None else given.budget, given.key,
            math.inf if given.near is None else given.near, given.packed,
        )  # fmt: skip
        asked = join_request.JoinAsked(
            wish, given.name, given.figure,
            tuple(word.strip() for word in (given.perform or "").split(",") if word.strip()),
            given.count, given.formation, given.spacing, (ahead, left), math.radians(given.heading),
            given.source, given.calibrate, given.stations, given.body, given.out,
        )  # fmt: skip
        found = join_request.join_asked(asked, console.Terminal())
        others = ", ".join(found.others) or "nobody"
        console.result(f"sent {found.sent} packets, heard {found.heard}; met {others}")
