"""``articulata join``: figures in an exercise over a network."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

from articulata.app import console
from articulata.app.command_arguments import Option
from articulata.app.options import Headless, Port, explained

# the exercise
Exercise = Annotated[int, Option(help="Number of the exercise, 1 to 255.")]
At = Annotated[
    str,
    Option(
        metavar="ADDRESS:PORT",
        help="Group, broadcast address or machines of the exercise; 239.255.68.73:3000.",
    ),
]
Interface = Annotated[
    str, Option(help="Our address by which others are reached; 127.0.0.1 is this machine alone.")
]
Origin = Annotated[
    str, Option(metavar="LAT,LON,HEIGHT", help="Where the world lies on the earth, deg and m.")
]
Version = Annotated[int, Option(help="Version of DIS: 5, 6 or 7.")]
Joints = Annotated[str, Option(help="Which joints are sent: arms (and neck), or all.")]
Rate = Annotated[float, Option(help="Packets a second of a figure at most.")]
Utc = Annotated[
    bool, Option("--utc", help="Stamp packets by the time of day; clocks are kept alike.")
]
Site = Annotated[int | None, Option(help="Our site in the exercise; of this machine's name.")]
Seconds = Annotated[float | None, Option(help="Take part for so many seconds.")]

Protocol = Annotated[
    str, Option(help="dis, the standard, or poses: an eighth of the bytes, between ours alone.")
]
Bound = Annotated[float, Option(help="How far an angle of poses may be beside the truth, deg.")]
Budget = Annotated[float | None, Option(help="Bytes a second of a figure at most, of poses.")]
Key = Annotated[
    Path | None, Option(help="File with a secret, the same for all: poses are sealed by it.")
]

# our figures
Name = Annotated[str, Option(help="How our figure is called; 11 letters are sent.")]
Figure = Annotated[str, Option(help='Our figure, as "person(1.75 m)".')]
Perform = Annotated[
    str | None, Option(help="Motions that it performs again and again, with commas.")
]
Count = Annotated[int, Option(help="How many figures; 0 only watches.")]
Formation = Annotated[str, Option(help="line, column, wedge, vee, echelon_left or echelon_right.")]
Spacing = Annotated[float, Option(help="m from one figure to the next.")]
Place = Annotated[
    str | None,
    Option(metavar="AHEAD,LEFT", help="Where they stand, m from the origin; where it is free."),
]
Heading = Annotated[float, Option(help="Where they face: degrees to the left.")]

# a live person
Source = Annotated[
    str,
    Option(
        "--from",
        metavar="SOURCE",
        help="The first is a live person: emulator, fastrak:PORT, udp:PORT or a take.",
    ),
]
Calibrate = Annotated[
    str | None, Option(help="What a live person is calibrated by: n_pose,t_pose; none.")
]
Stations = Annotated[
    list[str] | None, Option(help='Which sensor sits where, as "1 skull, 2 r_upper_arm".')
]
Stance = Annotated[
    str | None, Option(help="What trunk and legs of a live person do: standing, seated ...")
]
Out = Annotated[Path, Option(help="Folder for the take of a live person.")]


def join(
    exercise: Exercise = 1,
    name: Name = "",
    figure: Figure = "person(1.75 m)",
    perform: Perform = None,
    count: Count = 1,
    formation: Formation = "line",
    spacing: Spacing = 2.0,
    place: Place = None,
    heading: Heading = 0.0,
    source: Source = "",
    calibrate: Calibrate = None,
    stations: Stations = None,
    body: Stance = None,
    at: At = "",
    interface: Interface = "127.0.0.1",
    origin: Origin = "0,0,0",
    version: Version = 7,
    joints: Joints = "arms",
    rate: Rate = 30.0,
    utc: Utc = False,
    site: Site = None,
    protocol: Protocol = "dis",
    bound: Bound = 0.25,
    budget: Budget = None,
    key: Key = None,
    out: Out = Path("out/join"),
    seconds: Seconds = None,
    headless: Headless = False,
    port: Port = None,
) -> None:
    """Join an exercise over the network: send our figures, show those of others."""
    with explained():
        from articulata.network.exercise_port import GROUP, ExerciseAddress
        from articulata.network.pose_exercise import POSES_PORT
        from articulata.sessions.join import join_request
        from articulata.sessions.join.join_session import POSES, JoinWish

        ahead, left = join_request.numbers_of(place or "0,0", "--place", "2, -1.5", (2,))
        usual = f"{GROUP}:{POSES_PORT}" if protocol == POSES else ""
        address = ExerciseAddress.of(at or usual, interface)
        wish = JoinWish(
            exercise, address, join_request.origin_of(origin), version,
            joints, rate, absolute=utc, seconds=seconds, headless=headless, port=port, site=site,
            aside=place is None, protocol=protocol, bound=math.radians(bound),
            budget=math.inf if budget is None else budget, key=key,
        )  # fmt: skip
        asked = join_request.JoinAsked(
            wish, name, figure,
            tuple(word.strip() for word in (perform or "").split(",") if word.strip()),
            count, formation, spacing, (ahead, left), math.radians(heading),
            source, calibrate, tuple(stations or ()), body, out,
        )  # fmt: skip
        found = join_request.join_asked(asked, console.Terminal())
        others = ", ".join(found.others) or "nobody"
        console.result(f"sent {found.sent} packets, heard {found.heard}; met {others}")
