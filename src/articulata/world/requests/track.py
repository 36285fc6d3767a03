"""``track``: how a figure follows a live person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from articulata.world.requests.choices import (
    DEVICE_PATTERNS,
    DeviceChoice,
    FigureChoice,
    device,
    port,
)
from articulata.world.requests.clauses import Clause, Form, Said, Unfit, forms, positive, words


@dataclass(frozen=True, slots=True)
class Station:
    """Sensor ``number`` of a device sits on a ``part`` of the body, or the one called ``name``."""

    number: int
    part: str
    name: str = ""


STATIONS_OF = {"fastrak": 4, "phone": 1}
"""How many stations a device has, where that is known; those of a second one count on."""


def beyond_stations(number: int, sources: Sequence[DeviceChoice]) -> str:
    """Return what is said of a station that no source has; "" where one may have it."""
    if not sources or any(each.name not in STATIONS_OF for each in sources):
        return ""
    last = sum(STATIONS_OF[each.name] for each in sources)
    if 1 <= number <= last:
        return ""
    names = " and ".join(source.name for source in sources)
    return f"there is no station {number}: {names} has stations 1 to {last}"


@dataclass(frozen=True, slots=True)
class OneEuro:
    """Casiez, Roussel and Vogel's filter: ``cutoff`` (Hz) at rest, opened by ``beta`` in motion."""

    cutoff: float = 0.5
    beta: float = 25.0

    def __post_init__(self) -> None:
        positive("cutoff", self.cutoff, "the frequency of a filter", "Hz")


@dataclass(frozen=True, slots=True)
class Outlet:
    """Who gets the posture: "viewer", "file" (``to`` its name), or what is named by a network.

    That is "vmc", "vrchat" or "rosbridge"; ``to`` is its port, "HOST:PORT" or None for the
    usual one.
    """

    name: str
    to: str | int | None = None


@dataclass(frozen=True, slots=True)
class TrackQuestion:
    """How ``figure`` follows what ``sources`` tell.

    ``calibrate`` is "n_pose", "t_pose", "functional" or "none"; ``filter`` None means none.
    ``body`` is what the lower body does, ``weapon`` how one is carried: "none", "slung" on the
    back, or "deployed" in both hands.
    """

    figure: FigureChoice
    sources: tuple[DeviceChoice, ...] = ()
    stations: tuple[Station, ...] = ()
    calibrate: str = "n_pose"
    filter: OneEuro | None = OneEuro()
    body: str = "standing"
    outlets: tuple[Outlet, ...] = ()
    weapon: str = "none"


FILTERS: dict[str, Form] = forms(
    ("one_euro([cutoff frequency], [beta number])", "steady at rest, quick in motion",
     "one_euro(0.5 Hz, 25)", OneEuro),
    ("none", "samples as they come", "none", lambda: None),
)  # fmt: skip
"""Filters of samples."""


def _station(said: Said) -> Station:
    number, part = said.all()
    if isinstance(number, str):
        return Station(0, part, number)
    return Station(int(positive("", number, "the number of a station", "")), part)


_ADDRESS = re.compile(
    r"(?P<before>(\w+:/+)*)(?P<host>\[[\da-fA-F:]+\]|[\w-]+(\.[\w-]+)*)(:(?P<port>\d+))?"
    r"(\?\S*|(?P<after>/\S*))?"
)
"""A host, its port and what is asked of it; ``before`` and ``after``, parts of a URL."""


def _same_part(former: Station, station: Station) -> tuple[str, str] | None:
    told = f"two of 'stations:' sit on '{station.part}'"
    advice = "remove one of them, or name another part"
    return (told, advice) if former.part == station.part else None


def _outlet(said: Said) -> Outlet:
    name = said.words[0]
    if name == "file":
        return Outlet(name, said.get(name))
    to = port(said.get(name), name)
    found = _ADDRESS.fullmatch(to) if isinstance(to, str) else None
    if isinstance(to, str) and (
        found is None or found["before"] or found["after"] or not found["port"]
    ):
        told = f"{name} takes a port, or a host and its port"
        host, at = (found["host"], found["port"] or "PORT") if found else ("", "PORT")
        meant = host if host.isdigit() else f'"{host}:{at}"' if host else at
        raise Unfit(name, told, f"write {name} {meant}")
    return Outlet(name, to)


TRACK: dict[str, Clause] = {
    "figure": Clause(("<figure>",), "who follows", needed=True, field="figure"),
    "from": Clause(DEVICE_PATTERNS, "where samples come from", several=True, field="sources",
                   read=device),
    "stations": Clause(("<count> <part>", "<text> <part>"), "which sensor sits where", several=True,
                       field="stations", read=_station,
                       key=lambda station: station.name or station.number,
                       clash=_same_part),
    "calibrate": Clause(("n_pose", "t_pose", "functional", "none"),
                        "how sensors learn where they sit", field="calibrate", read=words,
                        together=(("n_pose, t_pose", "t_pose"), ("n_pose, swing", "functional"),
                                  ("n_pose, functional", "functional"))),
    "filter": Clause(("<filter>",), "how samples are smoothed", field="filter"),
    "body": Clause(
        ("standing", "seated", "kneeling", "prone", "dead", "walking", "running", "crawling"),
        "what the lower body does", field="body", read=words,
    ),
    "weapon": Clause(("none", "slung", "deployed"), "how a weapon is carried", field="weapon",
                     read=words),
    "to": Clause(("viewer", "file <text>", "vmc [<port>]", "vrchat [<port>]",
                  "rosbridge [<port>]"),
                 "who gets the posture", several=True, field="outlets", read=_outlet),
}  # fmt: skip
"""Clauses of ``track``."""
