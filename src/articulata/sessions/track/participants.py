"""Who takes part in a session, by what a command, a take and a text say.

Figure, body and weapon; which sensor sits where, by a number or by a tracker's own name. Which
trackers are there is found out by listening for some seconds; they are named with how they
turned.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from articulata.analyses.track.weapon import STATES
from articulata.devices.known_devices import slimevr
from articulata.errors import ArticulataError, WorldError
from articulata.records.recording import load
from articulata.records.tracking import ROLES, STATIONS
from articulata.sessions.track.sample_sources import Opened
from articulata.sessions.track.tracked_figures import choice_of
from articulata.sessions.track.wish import LONGEST, PER_PERSON
from articulata.world.figures.shelf import shelf
from articulata.world.requests.choices import DeviceChoice, FigureChoice
from articulata.world.requests.track import TrackQuestion

NONE = "none"
"""The word for no weapon, and for no calibration."""


@dataclass(frozen=True, slots=True)
class Participant:
    """What is asked for of one person.

    ``body`` is what trunk and legs do, ``weapon`` how one is carried, "" for none; ``released``
    are the sides of hands that let it go.
    """

    figure: FigureChoice
    body: str
    weapon: str
    released: str = ""


def participants(
    sources: Mapping[str, Sequence[DeviceChoice]],
    question: TrackQuestion,
    *,
    figures: Sequence[str] = (),
    body: str | None = None,
    weapon: str | None = None,
    by_takes: Collection[str] = (),
) -> dict[str, Participant]:
    """Return what is asked for of each person whose sources these are.

    What a command says goes before the takes of those who are named in ``by_takes``, and these
    before the text's question. ``figures`` are everybody's, or one person's where they begin with
    NAME=. Raises ArticulataError for what cannot be understood.
    """
    of_figures = of_each(figures, tuple(sources), "--figure")
    found = {}
    for who, chosen in sources.items():
        text = of_figures[who]
        taken = _of_take(chosen, who) if who in by_takes else _Taken()
        if text is not None:
            figure = choice_of(text)
        else:
            figure = _known(taken) if taken.figure else question.figure
        found[who] = Participant(
            figure,
            body or taken.body or question.body,
            _weapon(weapon or taken.weapon or question.weapon),
            "" if weapon else taken.released,
        )
    return found


def _weapon(word: str) -> str:
    """Return how a weapon is carried; "" for none."""
    if word not in (*STATES, NONE):
        raise ArticulataError(f"--weapon {word!r}: a weapon is {', '.join(STATES)}, or {NONE}")
    return "" if word == NONE else word


def of_each(words: Sequence[str], names: Sequence[str], option: str) -> dict[str, str | None]:
    """Return what an option says of each person: NAME=... of one, else what it says of all."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, rest = word.partition("=")
        name = name.strip() if equals and name.strip().isidentifier() else ""
        if name and name not in names:
            known = (
                f"give one of {', '.join(names)}"
                if any(names)
                else f"give the sources names, as in --from {name}=emulator"
            )
            raise ArticulataError(f"{option} {word!r}: nobody is called {name}; {known}")
        if name in found:
            raise ArticulataError(
                f"{option} is given twice{f' for {name}' if name else ''}; give it once, or once"
                f" for each person, as in {option} NAME=..."
            )
        found[name] = rest if name else word
    return {name: found.get(name, found.get("")) for name in names}


@dataclass(frozen=True, slots=True)
class _Taken:
    """What a take tells: its figure, what the body did and how a weapon was carried at first."""

    take: str = ""
    figure: str = ""
    body: str = ""
    weapon: str = ""
    released: str = ""


def _of_take(sources: Sequence[DeviceChoice], who: str) -> _Taken:
    """Return what somebody's take tells of him."""
    for source in sources:
        if source.name == "file" and Path(str(source.port)).suffix == ".artrun":
            settings = load(Path(str(source.port))).header.settings
            told = (
                str(settings.get(f"{who} {key}", settings.get(key)) or "")
                for key in ("figure", "body", "weapon", "released")
            )
            return _Taken(str(source.port), *told)
    return _Taken()


def _known(taken: _Taken) -> FigureChoice:
    """Return the figure of the library that a take was made with."""
    text, take = taken.figure, taken.take
    try:
        return choice_of(text)
    except WorldError as error:
        known = text.partition("(")[0].strip() in shelf()
        why = f"which cannot be made: {error}" if known else "which the library does not have"
        raise ArticulataError(
            f"{take} was made with figure {text}, {why}. Play it with the text of that figure, as"
            f" in articulata track me.art --from {take}, or as another one by --figure"
        ) from error


_TRACKER = re.compile(r"[0-9a-z]+([:.][0-9a-z]+)+(/[0-9]+)?", re.IGNORECASE)
"""A tracker's hardware or network address, and the number of its sensor."""


def stations_said(
    text: str | None, question: TrackQuestion, *, files: bool = False
) -> dict[int, str]:
    """Return what sits on each station of a person; trackers have numbers by ``named_stations``.

    In ``files`` of other programs a sensor may have any name.
    """
    items = _items(text, question, files)
    named = _numbers(items)
    return {each if isinstance(each, int) else named[each]: role for each, role in items.items()}


def named_stations(
    text: str | None, question: TrackQuestion, person: int, *, files: bool = False
) -> dict[str, int]:
    """Return the stations of trackers that are called by their names, of the ``person``-th.

    In ``files`` sensors may be called by their places as well, "1" for the first.
    """
    items = _items(text, question, files)
    named = _numbers(items)
    if files:
        named |= {str(number): number for number in items if isinstance(number, int)}
    return {name: person * PER_PERSON + number for name, number in named.items()}


def worn(said: Mapping[int, str], sourced: Opened, number: int) -> Mapping[int, str] | None:
    """Return which stations the ``number``-th person wears where; None for the usual ones."""
    first = number * PER_PERSON
    if said:
        return {first + station: role for station, role in said.items()}
    if sourced.stations is None and number:
        return {first + station: role for station, role in STATIONS.items()}
    return sourced.stations or None


def _numbers(items: Mapping[int | str, str]) -> dict[str, int]:
    """Return numbers for names, in their order, that nobody else has."""
    free = (number for number in range(1, PER_PERSON) if number not in items)
    return {name: next(free) for name in items if isinstance(name, str)}


def _items(text: str | None, question: TrackQuestion, files: bool) -> dict[int | str, str]:
    if text is None:
        said = [(each.name or str(each.number), each.part) for each in question.stations]
    else:
        parts = [part.strip().rpartition(" ") for part in text.split(",")]
        said = [(word.strip(), role) for word, _, role in parts]
    found: dict[int | str, str] = {}
    for word, role in said:
        number = word.isdecimal() and len(word) <= LONGEST
        station = int(word) if number else word if files else tracker_name(word)
        if not station or role not in ROLES:
            raise ArticulataError(
                f"--stations {f'{word} {role}'.strip()!r}: give numbers, or names of trackers, and"
                f" what they sit on ({', '.join(ROLES)}), as in 1 skull, 3c:71:bf:12:34:56/0"
                " r_upper_arm"
            )
        if station in found:
            raise ArticulataError(
                f"--stations: station {word} sits on {found[station]} and on {role};"
                " each station has one sensor"
            )
        found[station] = role
    return found


def tracker_name(word: str) -> str:
    """Return a tracker's name as devices have it, its first sensor where none is said; "" else."""
    if not _TRACKER.fullmatch(word):
        return ""
    return word.lower() if "/" in word else f"{word.lower()}/0"


ASKING = 8.0
"""Seconds for which trackers are heard: they look for a server once a second."""


def which_trackers(
    port: str | None, say: Callable[[str], None], seconds: float | None = None
) -> ArticulataError:
    """Return what has to be said before trackers can be followed: where each of them sits.

    Whoever turns one meanwhile finds it by how far it turned.
    """
    lasting = min(seconds or ASKING, ASKING)
    with slimevr(port) as device:
        say(
            f"it is not said which tracker sits where: for {lasting:g} s trackers are heard, the"
            " one that turns farthest is told first"
        )
        end = time.monotonic() + lasting
        while (left := end - time.monotonic()) > 0.0:
            device.read(min(left, 0.2))
        heard = sorted(device.sensors.items(), key=lambda each: -each[1].turned)
        report = device.report()
    if not heard:
        return ArticulataError(f"{report.trouble} ({report.told})")
    lines = "; ".join(
        f"{name} ({each.rate:.0f} a second, turned by {math.degrees(each.turned):.0f} deg)"
        for name, each in heard
    )
    return ArticulataError(
        f"trackers that were heard: {lines}. Say where they sit, as in --stations"
        f' "{heard[0][0]} r_upper_arm, ..."'
    )
