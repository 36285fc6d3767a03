"""Building codes as tables: the rows of a file, or of a set that ships. Metres and newtons."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np

from articulata.errors import FormatError, NameNotFound
from articulata.world.paths import hint

NEEDED = ("section", "reach", "depth_m", "low_m", "high_m", "obstruction_m", "what")
"""Columns of a table; ``width_m``, ``length_m``, ``things``, ``room_with``, ``feature``,
``from`` and ``force_n`` are there where rows ask for them."""

ALCOVE_AHEAD, ALCOVE_BESIDE = "alcove ahead", "alcove beside"
"""Words of rows about alcoves: from more than ``depth_m`` on that it is deep, an alcove into which
clear floor goes with an object ahead, or beside it, is ``width_m`` wide."""

TURNING, DOOR, CLEAR_FLOOR = "turning", "door", "clear floor"
"""Words in the column ``reach`` of rows that ask for room, clear up to ``high_m``: a circle
``width_m`` wide, or a T in such a square with arms ``length_m`` wide, ``depth_m`` of them at most
below what hangs (of a T at one end alone; what hangs higher than ``high_m`` is not asked for where
``depth_m`` is 0); a circle that comes in by the door; a rectangle before each object, ``depth_m``
from it at most, and as much of it below what hangs."""

HEIGHT, ASIDE, CORNER, KNEES, AHEAD = "height", "aside", "corner", "knees", "ahead"
"""Words of rows about things that ``things`` calls by name, measured at their ``feature``.

Its height, ``low_m`` to ``high_m``; how far the wall beside it is, the same; clear floor
``width_m`` from that wall by ``length_m`` from the wall behind; room below it from ``low_m`` to
``high_m``, ``width_m`` wide, ``depth_m`` deep at its lower end and ``length_m`` at its upper end;
clear floor ahead, ``width_m`` (or as wide as the thing, where that is empty) by ``length_m``, up to
``high_m``, of which as much as is clear to toes lies below it, ``depth_m`` at most: where the
lowest of the section's rows of knees asks."""

BEFORE, BESIDE, BOTH_SIDES = "before", "beside", "both sides"
"""Words of rows about clear floor about a thing, up to ``high_m``: ``width_m`` by ``length_m``
ahead of it, which may lie to one side as far as the feature is before it; ``width_m`` beside it, at
one side or at both, by ``length_m`` back from the feature, of which ``depth_m`` at most lies ahead
of it where there is a wall behind."""

BEHIND, ACROSS, DEEP, GAP, END, FAR_END = "behind", "across", "deep", "gap", "end", "far end"
"""Words of rows about lengths of a thing that faces somewhere, ``low_m`` to ``high_m``.

How far the wall behind is from the feature; how long the thing is from side to side, and from back
to front; how far the wall behind is from the piece that has the feature; how far the wall at its
nearer end is from that end, and from the other one."""

TOP, BOTTOM, THICK = "top", "bottom", "thick"
"""The same of things that may face anywhere: how high their highest and lowest points are, and how
thick the piece that has the feature is, both ways across its length."""

ABOVE, BEYOND, OFF, SHORTER, LONGER, APART = (
    "above", "beyond", "off", "shorter side", "longer side", "apart",
)  # fmt: skip
"""The same of things seen from the nearest one of ``from``, such as ``toilet.rim``.

How much higher the feature is than that one, how far ahead of it, how far to its side; how far the
thing goes to both sides of it, the shorter way and the longer one; how far two such things are from
each other, one at each side."""

RAMP_WIDTH, LANDING = "ramp width", "landing"
"""The same of each slope of a thing: how wide it is, and how far floor as wide goes on level and
clear at both its ends."""

WITH: Final = "with"
"""The word before ``room_with`` in the column ``things`` of tables without such a column."""

FORCE = "force"
"""The word of rows about what is operated: with ``force_n`` newtons at most."""

RAMP = "ramp"
"""The word of rows about ramps: one that rises ``high_m`` at most is as steep as one that rises so
much within ``length_m``."""

SMALLEST = 0.01
"""m. Room that a rule asks for is no smaller."""

_LENGTHS: Final = {
    TURNING: ("width_m",),
    DOOR: ("width_m",),
    CLEAR_FLOOR: ("width_m", "length_m"),
    ALCOVE_AHEAD: ("depth_m", "width_m"),
    ALCOVE_BESIDE: ("depth_m", "width_m"),
    CORNER: ("width_m", "length_m"),
    KNEES: ("width_m", "length_m", "depth_m"),
    AHEAD: ("length_m",),
    BEFORE: ("width_m", "length_m"),
    BESIDE: ("width_m", "length_m"),
    BOTH_SIDES: ("width_m", "length_m"),
    RAMP: ("length_m",),
}
"""Columns that rows cannot do without."""

_NUMBERS: Final = {
    "depth_m": "",
    "low_m": "",
    "high_m": "inf",
    "obstruction_m": "inf",
    "width_m": "0",
    "length_m": "0",
    "force_n": "0",
}
"""Columns that hold numbers, and what an empty field of each stands for."""

SEEN_FROM: Final = (ABOVE, BEYOND, OFF, SHORTER, LONGER, APART)
"""Words of rows that have ``from``."""

FACING: Final = (ASIDE, BEHIND, ACROSS, DEEP, GAP, END, FAR_END)
"""Words of lengths of things that face somewhere."""

LENGTHS: Final = (HEIGHT, *FACING, TOP, BOTTOM, THICK, RAMP_WIDTH, LANDING, *SEEN_FROM)
"""Words of rows that allow a length from ``low_m`` to ``high_m``, any more where that is empty."""

_OF_THINGS: Final = (CORNER, KNEES, AHEAD, BEFORE, BESIDE, BOTH_SIDES, *LENGTHS)

_FEATURELESS: Final = (TOP, BOTTOM, RAMP_WIDTH, LANDING)
"""Words of rows that do without a feature."""

_WORDS: Final = (
    TURNING, DOOR, CLEAR_FLOOR, ALCOVE_AHEAD, ALCOVE_BESIDE, *_OF_THINGS, FORCE,
    RAMP,
)  # fmt: skip
"""Words of ``reach`` that mean something; any other is about where an object may be."""

FORWARD, SIDE = "forward", "side"
"""Words of rows about where an object may be: ahead of clear floor, with room for knees below what
is reached over; beside it. Where the word is another one, it is either, and knees are not asked."""

_RANGES: Final = (FORWARD, SIDE)


@dataclass(frozen=True, slots=True)
class ReachRule:
    """One row: what may be reached from ``low`` to ``high`` over an obstruction of ``depth``.

    ``obstruction`` is how high that may be, infinite where nothing is said. ``width`` and
    ``length`` are of the room that a row asks for, ``things`` words of the names of what it is
    about in rooms that have one of ``room_with`` (in any room where that is empty), ``feature``
    where they are measured, ``origin`` the thing and its feature from which they are, ``force`` (N)
    the most that is allowed.
    """

    section: str
    reach: str
    depth: float
    low: float
    high: float
    obstruction: float
    what: str
    width: float = 0.0
    length: float = 0.0
    things: tuple[str, ...] = ()
    room_with: tuple[str, ...] = ()
    feature: str = ""
    origin: str = ""
    force: float = 0.0

    @property
    def ranges(self) -> bool:
        """Whether it is about where an object may be reached."""
        return self.reach not in _WORDS


def rules_of(name: str) -> tuple[ReachRule, ...]:
    """Return the rules of a set that ships, by its name, or of a file that ends in .csv."""
    if name.endswith(".csv"):
        try:
            text = Path(name).read_text("utf-8-sig")
        except OSError as error:
            raise FormatError(
                f"the rules in {name} cannot be read: {error.strerror}; put the file beside the "
                "text that names it, or give its whole path"
            ) from error
        except UnicodeError as error:
            raise FormatError(
                f"the rules in {name} are no text in UTF-8; save the table as CSV in UTF-8"
            ) from error
        return _read(text, name)
    return _shipped(name)


@cache
def _shipped(name: str) -> tuple[ReachRule, ...]:
    shelf = files("articulata.world.library") / "rules"
    known = sorted(each.name.removesuffix(".csv") for each in shelf.iterdir())
    if name not in known:
        raise NameNotFound(
            f"there are no rules '{name}'{hint(name, known)}; a file's name ends in .csv"
        )
    return _read((shelf / f"{name}.csv").read_text("utf-8"), name)


def _read(text: str, name: str) -> tuple[ReachRule, ...]:
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    reader.fieldnames = [each.strip() for each in reader.fieldnames or ()]
    rows = [(f"{name}, row {reader.line_num}", row) for row in reader]
    if not rows or any(each not in reader.fieldnames for each in NEEDED):
        raise FormatError(
            f"{name}: a table of rules has the columns {', '.join(NEEDED)}, separated by commas, "
            "and rows"
        )
    return tuple(_rule(row, where) for where, row in rows)


def _rule(row: Mapping[str | None, str | list[str] | None], where: str) -> ReachRule:
    """Return what a row says; refuse one that is too short, too long, or makes no sense."""
    told = {key: value.strip() for key, value in row.items() if key and isinstance(value, str)}
    missing = [each for each in NEEDED if each not in told]
    if missing:
        raise FormatError(f"{where}: it ends before {missing[0]}; separate fields by commas")
    if any(each.strip() for each in row.get(None) or ()):
        raise FormatError(f"{where}: it has more fields than columns; put quotes about a comma")
    numbers = {
        column: _number(told.get(column) or empty, column, where)
        for column, empty in _NUMBERS.items()
    }
    things, room_with = _things(told, where)
    rule = ReachRule(
        section=told["section"],
        reach=told["reach"],
        depth=numbers["depth_m"],
        low=numbers["low_m"],
        high=numbers["high_m"],
        obstruction=numbers["obstruction_m"],
        what=told["what"],
        width=numbers["width_m"],
        length=numbers["length_m"],
        things=things,
        room_with=room_with,
        feature=told.get("feature", ""),
        origin=told.get("from", ""),
        force=numbers["force_n"],
    )
    _check(rule, where)
    return rule


def _things(told: Mapping[str, str], where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what things are called, and of what a room has one where the row is about them.

    Tables without a column ``room_with`` tell both in ``things``, with ``WITH`` between them.
    """
    things, room_with = told.get("things", "").split(), told.get("room_with", "").split()
    if WITH in things:
        if "room_with" in told:
            raise FormatError(
                f"{where}: things has the word '{WITH}'; write what follows it into room_with"
            )
        mark = things.index(WITH)
        things, room_with = things[:mark], things[mark + 1 :]
        if not things or not room_with:
            raise FormatError(
                f"{where}: things has no name {'after' if things else 'before'} '{WITH}'; write "
                f"what the row is about, '{WITH}', and what the room must have as well"
            )
    if room_with and not things:
        raise FormatError(
            f"{where}: room_with is '{' '.join(room_with)}' and things is empty; only a row about "
            "things asks what else the room has"
        )
    return tuple(things), tuple(room_with)


def _number(text: str, column: str, where: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        unit = "newtons" if column == "force_n" else "metres"
        raise FormatError(f"{where}: {column} is '{text}'; it is a number of {unit}") from error


def _check(rule: ReachRule, where: str) -> None:
    """Refuse a row that lacks what it is about, or tells what no row of its kind has."""
    for column, text in (("section", rule.section), ("what", rule.what)):
        if not text.strip():
            raise FormatError(f"{where}: {column} is empty; write what a finding is to say")
    close = get_close_matches(rule.reach, _WORDS, 1, 0.8)
    if close and rule.reach not in (*_WORDS, *_RANGES):
        raise FormatError(
            f"{where}: reach is '{rule.reach}'; did you mean '{close[0]}'? A row about where an "
            f"object may be has another word, such as {' or '.join(_RANGES)}"
        )
    _check_heights(rule, where)
    lengths = {"width_m": rule.width, "length_m": rule.length, "depth_m": rule.depth}
    for column, value in lengths.items():
        least = 0.0 if column not in _LENGTHS.get(rule.reach, ()) else SMALLEST
        if not least <= value < np.inf:
            raise FormatError(
                f"{where}: {column} is {value:g}; a row of '{rule.reach}' needs a number of "
                f"metres, {least:g} or more"
            )
    if rule.reach == FORCE and not 0.0 < rule.force < np.inf:
        raise FormatError(
            f"{where}: force_n is {rule.force:g}; a row of 'force' needs a number of newtons, "
            "more than 0"
        )
    if rule.reach != FORCE and rule.force != 0.0:
        raise FormatError(
            f"{where}: force_n is {rule.force:g}, and only rows of 'force' have one; leave it "
            f"empty in a row of '{rule.reach}'"
        )
    asks = rule.reach in _OF_THINGS
    measured = asks and rule.reach not in _FEATURELESS
    if asks != bool(rule.things) or (rule.feature and not asks) or (measured and not rule.feature):
        raise FormatError(
            f"{where}: rows of {', '.join(_OF_THINGS)}, and no others, have things and a feature, "
            "such as toilet and seat"
        )
    thing, _, feature = rule.origin.partition(".")
    seen = rule.reach in SEEN_FROM
    if seen != bool(rule.origin) or (seen and not (thing and feature)):
        raise FormatError(
            f"{where}: from is '{rule.origin}'; rows of {', '.join(SEEN_FROM)}, and no others, "
            "have a thing and its feature there, such as toilet.rim"
        )


def _check_heights(rule: ReachRule, where: str) -> None:
    """Refuse heights that are no numbers, upside down, or those of room that is flat."""
    for column, value in (("low_m", rule.low), ("high_m", rule.high)):
        if not np.isfinite(value) and (value, rule.reach in LENGTHS) != (np.inf, True):
            raise FormatError(f"{where}: {column} is {value:g}; it is a number of metres")
    if not rule.obstruction >= 0.0:
        raise FormatError(
            f"{where}: obstruction_m is {rule.obstruction:g}; it is 0 or more, or empty"
        )
    least = SMALLEST if rule.reach in _LENGTHS else 0.0
    from_floor = rule.reach in _LENGTHS and rule.reach != KNEES
    if rule.high - (0.0 if from_floor else rule.low) < least:
        raise FormatError(
            f"{where}: low_m is {rule.low:g} and high_m {rule.high:g}; high_m is the greater one"
        )
