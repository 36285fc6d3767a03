"""Which sensor sits where, by a number or by a tracker's own name, as a command or a text says."""

from __future__ import annotations

import re
from collections.abc import Mapping

from articulata.errors import ArticulataError
from articulata.records.tracking import ROLES, STATIONS
from articulata.sessions.track.sample_sources import Opened
from articulata.sessions.track.wish import LONGEST, PER_PERSON
from articulata.world.requests.track import TrackQuestion

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
