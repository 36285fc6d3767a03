"""Rules beside bodies: reach ranges of a building code, read from a table, laid on objects.

A row says how high an object may be behind an obstruction of some depth. The obstruction is what
stands on the floor or lies lower than the object, with knee room (308.2.2 asks for that) or not:
its depth is how far the object is from floor that is clear of it. Metres.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import shapely

from articulata.analyses.reach.room import Room
from articulata.errors import FormatError, NameNotFound
from articulata.records.reach import RuleFinding
from articulata.world.paths import hint

NEEDED = ("section", "reach", "depth_m", "low_m", "high_m", "obstruction_m", "what")

FEET = 0.25
"""m. What lies lower altogether is no obstruction to an arm."""


@dataclass(frozen=True, slots=True)
class ReachRule:
    """One row: what may be reached from ``low`` to ``high`` over an obstruction of ``depth``.

    ``obstruction`` is how high that may be, infinite where nothing is said.
    """

    section: str
    reach: str
    depth: float
    low: float
    high: float
    obstruction: float
    what: str


def rules_of(name: str) -> tuple[ReachRule, ...]:
    """Return the rules of a set that ships, by its name, or of a file that ends in .csv."""
    if name.endswith(".csv"):
        try:
            text = Path(name).read_text("utf-8")
        except OSError as error:
            raise FormatError(f"the rules in {name} cannot be read: {error.strerror}") from error
        return _read(text, name)
    shelf = files("articulata.world.library") / "rules"
    known = sorted(each.name.removesuffix(".csv") for each in shelf.iterdir())
    if name not in known:
        raise NameNotFound(
            f"there are no rules '{name}'{hint(name, known)}; a file's name ends in .csv"
        )
    return _read((shelf / f"{name}.csv").read_text("utf-8"), name)


def _read(text: str, name: str) -> tuple[ReachRule, ...]:
    rows = list(csv.DictReader(text.splitlines()))
    if not rows or any(each not in rows[0] for each in NEEDED):
        raise FormatError(f"{name}: a table of rules has the columns {', '.join(NEEDED)}, and rows")
    try:
        return tuple(
            ReachRule(
                row["section"],
                row["reach"],
                float(row["depth_m"]),
                float(row["low_m"]),
                float(row["high_m"]),
                float(row["obstruction_m"] or "inf"),
                row["what"],
            )
            for row in rows
        )
    except ValueError as error:
        raise FormatError(f"{name}: a depth or a height is no number of metres: {error}") from error


def checked(room: Room, name: str, path: str) -> RuleFinding:
    """Return whether any row of the rules ``name`` lets an object be where it is."""
    p = room.point(path)
    height = float(p[2]) - room.level
    below = [
        (shapely.MultiPoint(s.outer[:, :2]).convex_hull, float(s.outer[:, 2].max()) - room.level)
        for s in room.solids
        for low, high in [(float(s.outer[:, 2].min()), float(s.outer[:, 2].max()))]
        if (low - room.level < FEET or high <= p[2] + 1e-6) and high - room.level > FEET
    ]
    clear = room.floor.difference(shapely.union_all([outline for outline, _ in below]))
    point = shapely.Point(*p[:2])
    depth = float(clear.distance(point)) if not clear.is_empty else np.inf
    over = max((high for outline, high in below if outline.distance(point) < 1e-6), default=0.0)
    fitting = [
        rule
        for rule in rules_of(name)
        if depth <= rule.depth + 1e-6
        and rule.low - 1e-6 <= height <= rule.high + 1e-6
        and over <= rule.obstruction + 1e-6
    ]
    if fitting:
        rule = fitting[0]
        words = f"{rule.section}: {rule.what}, {rule.low:g} to {rule.high:g} m"
        return RuleFinding(path, name, True, rule.section, height, depth, words)
    near = [rule for rule in rules_of(name) if depth <= rule.depth + 1e-6]
    if not near:
        most = max(rule.depth for rule in rules_of(name))
        words = f"{depth:.2f} m behind what stands on the floor; the most allowed is {most:g} m"
    else:
        low, high = min(r.low for r in near), max(r.high for r in near)
        words = f"at {height:.2f} m, {depth:.2f} m deep; allowed there is {low:g} to {high:g} m"
    return RuleFinding(path, name, False, near[0].section if near else "", height, depth, words)
