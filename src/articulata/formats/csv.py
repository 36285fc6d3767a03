"""Comma-separated values as RFC 4180 describes them: a line of names, a line of units, numbers.

Lines end in CR LF; a field with a comma, a quote or a line break is quoted. A number is written
with the fewest digits that give the same double back; a NaN is an empty field, an infinity
``inf``. Spreadsheets read the units as a first row; ``pandas.read_csv(file, skiprows=[1])``
leaves it out.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Named columns with units: ``values`` is (rows, columns)."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array


def write_rows(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of text as RFC 4180 has them."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


EMPTY = '""'


def write(columns: Columns) -> str:
    """Return ``columns`` as text."""
    head = write_rows((columns.names, columns.units))
    rows = columns.values.tolist()
    lines = [",".join("" if cell != cell else repr(cell) for cell in row) for row in rows]
    # A lone empty field is quoted: a blank line would read as a row without fields.
    return head + "".join(f"{line or EMPTY}\r\n" for line in lines)


def read(text: str, name: str = "the table") -> Columns:
    """Return the columns in ``text``; ``name`` is what messages call it."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if len(rows) < 2:
        raise FormatError(f"{name} has {len(rows)} lines; a table has a line of names and of units")
    names, units = rows[0], rows[1]
    values = np.empty((len(rows) - 2, len(names)))
    for number, row in enumerate(rows[2:]):
        if len(row) != len(names):
            raise FormatError(
                f"{name}, row {number + 3}: {len(row)} fields, but {len(names)} columns are named"
            )
        for place, cell in enumerate(row):
            try:
                values[number, place] = float(cell) if cell.strip() else np.nan
            except ValueError:
                raise FormatError(
                    f"{name}, row {number + 3}, column '{names[place]}': {cell!r} is not a number"
                ) from None
    return Columns(tuple(names), tuple(units), values)
