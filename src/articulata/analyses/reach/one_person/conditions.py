"""What a condition leaves of people's joints: rows of a table that ships, or of one's own.

A row has a joint, the least and the greatest angle that are left, how much of its strength is, and
a source. A joint without its side is that of both sides, or of the one that is named; ``hand`` with
a strength of 0 is a hand that reaches nothing. Degrees in the table, radians here.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np

from articulata.errors import FormatError, KinematicsError, NameNotFound
from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure
from articulata.world.paths import hint

COLUMNS: Final = ("condition", "joint", "low_deg", "high_deg", "strength", "source")
SIDES: Final = {"left": "l_", "right": "r_"}
HAND: Final = "hand"


@dataclass(frozen=True, slots=True)
class ConditionRow:
    """What is left of a joint: from ``low`` to ``high`` rad, a share ``strength`` of its own."""

    condition: str
    joint: str
    low: float
    high: float
    strength: float
    source: str

    def __str__(self) -> str:
        """Say it in words."""
        said = []
        if math.isfinite(self.low):
            said.append(f"from {math.degrees(self.low):.4g} deg")
        if math.isfinite(self.high):
            said.append(f"to {math.degrees(self.high):.4g} deg")
        if self.strength != 1.0:
            said.append(f"with {self.strength:.3g} of the strength")
        return f"{self.joint} {' '.join(said)} ({self.source})"


def rows_of(condition: str) -> tuple[ConditionRow, ...]:
    """Return the rows of a condition that ships, such as "stroke left", or of a file in .csv."""
    if condition.endswith(".csv"):
        try:
            text = Path(condition).read_text("utf-8-sig")
        except (OSError, UnicodeError) as error:
            raise FormatError(
                f"the conditions in {condition} cannot be read: {error}; put the file beside the "
                "text that names it, in UTF-8"
            ) from error
        return tuple(_read(text, condition))
    name, _, side = condition.partition(" ")
    rows = [each for each in _shipped() if each.condition == name]
    if not rows or (side and side not in SIDES):
        known = sorted({each.condition for each in _shipped()})
        raise NameNotFound(
            f"there is no condition '{condition}'{hint(name, known)}; write one of "
            f"{', '.join(known)}, left or right where one side has it, or a file that ends in .csv"
        )
    return tuple(
        ConditionRow(condition, f"{SIDES.get(side, '')}{each.joint}", each.low, each.high,
                     each.strength, each.source)
        for each in rows
    )  # fmt: skip


@cache
def _shipped() -> tuple[ConditionRow, ...]:
    shelf = files("articulata.world.library") / "people"
    return tuple(_read((shelf / "conditions.csv").read_text("utf-8"), "conditions.csv"))


def _read(text: str, name: str) -> Iterator[ConditionRow]:
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    if tuple(each.strip() for each in reader.fieldnames or ()) != COLUMNS:
        raise FormatError(f"{name}: a table of conditions has the columns {', '.join(COLUMNS)}")
    for row in reader:
        where = f"{name}, row {reader.line_num}"
        told = {key: (row[key] or "").strip() for key in COLUMNS}
        low, high, strength = (
            _number(told[key] or empty, key, where)
            for key, empty in (("low_deg", "-inf"), ("high_deg", "inf"), ("strength", "1"))
        )
        if not low <= high or not 0.0 <= strength <= 1.0 or not told["joint"]:
            raise FormatError(
                f"{where}: a joint, angles with the lesser one first, and a strength from 0 to 1 "
                f"are told, not {told['joint'] or 'no joint'}, {low:g}, {high:g} and {strength:g}"
            )
        yield ConditionRow(
            told["condition"], told["joint"], math.radians(low), math.radians(high), strength,
            told["source"],
        )  # fmt: skip


def _number(text: str, column: str, where: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise FormatError(f"{where}: {column} is '{text}'; write a number") from error


def limited(figure: Figure, conditions: Iterable[str]) -> Figure:
    """Return a figure whose joints go no farther than conditions leave them."""
    limits = {joint.name: joint.limits for joint in figure.joints}
    wanted: dict[str, tuple[float, float]] = {}
    for row in _all(conditions):
        for name in () if _is_hand(row) else _joints(row, figure.names):
            low, high = wanted.get(name, limits[name])
            wanted[name] = (max(low, row.low), min(high, row.high))
            if not wanted[name][0] <= wanted[name][1]:
                raise KinematicsError(
                    f"{row.condition}: nothing is left of '{name}', which moves from "
                    f"{np.degrees(low):.4g} to {np.degrees(high):.4g} deg; write angles within"
                )
    return figure.with_limits(wanted) if wanted else figure


def shares_of_strength(names: Sequence[str], conditions: Iterable[str]) -> Array:
    """Return which shares of the strength of joints ``names`` (n,) conditions leave, (n,)."""
    shares = np.ones(len(names))
    for row in _all(conditions):
        for name in () if _is_hand(row) else _joints(row, names):
            shares[list(names).index(name)] *= row.strength
    return shares


def usable(hands: Sequence[str], conditions: Sequence[str]) -> tuple[str, ...]:
    """Return those of ``hands`` that conditions leave."""
    lost = [row.joint for row in _all(conditions) if _is_hand(row) and row.strength == 0.0]
    left = tuple(each for each in hands if not {HAND, f"{SIDES[each]}{HAND}"} & set(lost))
    if hands and not left:
        raise KinematicsError(
            f"{', '.join(conditions)} leaves none of the hands {', '.join(hands)}; write the side "
            "of what is lost, such as arm_amputation left"
        )
    return left


def _all(conditions: Iterable[str]) -> Iterator[ConditionRow]:
    return (row for name in conditions for row in rows_of(name))


def _is_hand(row: ConditionRow) -> bool:
    return row.joint in (HAND, *(f"{side}{HAND}" for side in SIDES.values()))


def _joints(row: ConditionRow, names: Sequence[str]) -> list[str]:
    """Return the joints of a row: as it is called, or that of each side."""
    found = [row.joint] if row.joint in names else []
    found = found or [f"{side}{row.joint}" for side in SIDES.values()]
    found = [each for each in found if each in names]
    if not found:
        raise NameNotFound(
            f"{row.condition}: the figure has no joint '{row.joint}'{hint(row.joint, names)}"
        )
    return found
