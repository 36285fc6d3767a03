"""``articulata join``: figures in an exercise over a network."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated

from articulata.app import console
from articulata.app.command_arguments import Option
from articulata.app.options import Headless, Port, explained


def join(
    exercise: Annotated[int, Option(help="Number of the exercise, 1 to 255.")] = 1,
    name: Annotated[str, Option(help="How our figure is called; 11 letters are sent.")] = "",
    figure: Annotated[str, Option(help='Our figure, as "person(1.75 m)".')] = "person(1.75 m)",
    perform: Annotated[
        str | None, Option(help="Motions that it performs again and again, with commas.")
    ] = None,
    count: Annotated[int, Option(help="How many figures; 0 only watches.")] = 1,
    formation: Annotated[
        str, Option(help="line, column, wedge, vee, echelon_left or echelon_right.")
    ] = "line",
    spacing: Annotated[float, Option(help="m from one figure to the next.")] = 2.0,
    place: Annotated[
        str | None,
        Option(metavar="AHEAD,LEFT", help="Where they stand, m from the origin; where it is free."),
    ] = None,
    heading: Annotated[float, Option(help="Where they face: degrees to the left.")] = 0.0,
    source: Annotated[
        str,
        Option(
            "--from",
            metavar="SOURCE",
            help="The first is a live person: emulator, fastrak:PORT, udp:PORT or a take.",
        ),
    ] = "",
    calibrate: Annotated[
        str | None, Option(help="What a live person is calibrated by: n_pose,t_pose; none.")
    ] = None,
    stations: Annotated[
        list[str] | None, Option(help='Which sensor sits where, as "1 skull, 2 r_upper_arm".')
    ] = None,
    body: Annotated[
        str | None, Option(help="What trunk and legs of a live person do: standing, seated ...")
    ] = None,
    at: Annotated[
        str,
        Option(
            metavar="ADDRESS:PORT",
            help="Group, broadcast address or machines of the exercise; 239.255.68.73:3000.",
        ),
    ] = "",
    interface: Annotated[
        str,
        Option(help="Our address by which others are reached; 127.0.0.1 is this machine alone."),
    ] = "127.0.0.1",
    origin: Annotated[
        str,
        Option(metavar="LAT,LON,HEIGHT", help="Where the world lies on the earth, deg and m."),
    ] = "0,0,0",
    version: Annotated[int, Option(help="Version of DIS: 5, 6 or 7.")] = 7,
    joints: Annotated[str, Option(help="Which joints are sent: arms (and neck), or all.")] = "arms",
    rate: Annotated[float, Option(help="Packets a second of a figure at most.")] = 30.0,
    utc: Annotated[
        bool, Option("--utc", help="Stamp packets by the time of day; clocks are kept alike.")
    ] = False,
    site: Annotated[
        int | None, Option(help="Our site in the exercise; of this machine's name.")
    ] = None,
    out: Annotated[Path, Option(help="Folder for the take of a live person.")] = Path("out/join"),
    seconds: Annotated[float | None, Option(help="Take part for so many seconds.")] = None,
    headless: Headless = False,
    port: Port = None,
) -> None:
    """Join an exercise over the network: send our figures, show those of others."""
    with explained():
        from articulata.network.exercise_port import ExerciseAddress
        from articulata.sessions.join.join_request import (
            JoinAsked,
            join_asked,
            numbers_of,
            origin_of,
        )
        from articulata.sessions.join.session import JoinWish

        ahead, left = numbers_of(place or "0,0", "--place", "2, -1.5", (2,))
        wish = JoinWish(
            exercise,
            ExerciseAddress.of(at, interface),
            origin_of(origin),
            version,
            joints,
            rate,
            absolute=utc,
            seconds=seconds,
            headless=headless,
            port=port,
            site=site,
            aside=place is None,
        )
        asked = JoinAsked(
            wish, name, figure,
            tuple(word.strip() for word in (perform or "").split(",") if word.strip()),
            count, formation, spacing, (ahead, left), math.radians(heading),
            source, calibrate, tuple(stations or ()), body, out,
        )  # fmt: skip
        found = join_asked(asked, _Terminal())
        others = ", ".join(found.others) or "nobody"
        console.result(f"sent {found.sent} packets, heard {found.heard}; met {others}")


class _Terminal:
    """Tells how a session goes in a terminal."""

    def say(self, text: str) -> None:
        """Write a line; a tone is for who is at a terminal, not for a log."""
        console.note(text if sys.stderr.isatty() else text.replace("\a", ""))
