"""Tables of what an instrument measured: a time and named columns, with units in their heads.

A head is ``angle [deg]`` or ``angle (deg)``, or units stand in a row of their own below the names,
as in our own tables. Columns are apart by commas, semicolons or tabs; where they are not apart by
commas, a comma may stand before the decimals. Lines before the names that begin with ``#`` are
comments. An empty field and ``nan`` are no number.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array

MOST_ROWS = 100_000
"""Rows at most: each is a frame of every run."""

LONGEST = 1 << 16
"""Characters of a line at most."""

TIMES = ("time", "t")
"""Names of a column of times, in letters of any size."""

_HEAD = re.compile(r"\s*(.*?)\s*(?:\[([^\[\]]*)\]|\(([^()]*)\))?\s*")


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredTable:
    """``names`` of columns with their ``units`` as written, None where none is, and their cells.

    ``name`` is what messages call the table; ``decimal`` stands before decimals.
    """

    name: str
    names: tuple[str, ...]
    units: tuple[str | None, ...]
    rows: Sequence[Sequence[str]]
    decimal: str = "."

    def time(self) -> int:
        """Return the number of the column of times; FormatError where there is none."""
        for number, name in enumerate(self.names):
            if name.lower() in TIMES:
                return number
        raise FormatError(
            f"{self.name} has no column of times; it has {listed(self.names)}: call one 'time [s]'"
        )

    def column(self, number: int) -> Array:
        """Return the numbers of a column, NaN for none; FormatError where a cell is another."""
        found = np.full(len(self.rows), np.nan)
        for row, cells in enumerate(self.rows):
            cell = cells[number].strip().replace(self.decimal, ".") if number < len(cells) else ""
            try:
                found[row] = float(cell) if cell else math.nan
            except ValueError:
                raise FormatError(
                    f"{self.name}, row {row + 1} of numbers: {cell[:40]!r} in column "
                    f"'{self.names[number]}' is no number; remove the row, or leave the field empty"
                ) from None
        return found


def listed(names: Sequence[str]) -> str:
    """Return the names of columns as messages tell them, some where they are many."""
    shown = ", ".join(f"'{each}'" for each in names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown


def read_measured(path: Path) -> MeasuredTable:
    """Return the table in a file; FormatError where it cannot be read or has too many rows."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            lines = _lines(path, iter(lambda: file.readline(LONGEST), ""))
            head = next(lines, "")
            apart = next((each for each in ";\t" if each in head), ",")
            # one more row may be that of units, and one tells that there are too many
            rows = list(itertools.islice(csv.reader(lines, delimiter=apart), MOST_ROWS + 2))
    except (OSError, csv.Error) as error:
        raise FormatError(f"{path} cannot be read ({error}); give a table of numbers") from error
    found = [_HEAD.fullmatch(each) for each in next(csv.reader([head], delimiter=apart), [])]
    names = [each[1] if each else "" for each in found]
    units = [each and (each[2] if each[2] is not None else each[3]) for each in found]
    decimal = "." if apart == "," else ","
    if rows and any(map(str.strip, rows[0])) and not any(_number(c, decimal) for c in rows[0]):
        below = [each.strip() or "1" for each in rows.pop(0)]
        both = itertools.zip_longest(units, below)
        units = [head if head is not None else each for head, each in both][: len(names)]
    if len(rows) > MOST_ROWS:
        raise FormatError(
            f"{path} has more than {MOST_ROWS:,} rows; keep a shorter time, or every tenth row"
        )
    return MeasuredTable(path.name, tuple(names), tuple(units), rows, decimal)


def _lines(path: Path, lines: Iterator[str]) -> Iterator[str]:
    """Yield lines that hold something, and no comments."""
    for line in lines:
        if len(line) >= LONGEST - 1:
            raise FormatError(f"{path} has a line of more than {LONGEST} characters; no table")
        if line.strip() and not line.startswith("#"):
            yield line


def _number(cell: str, decimal: str) -> bool:
    try:
        float(cell.strip().replace(decimal, ".") or "nan")
    except ValueError:
        return False
    return bool(cell.strip())
