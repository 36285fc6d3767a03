"""People in a file: a table with the columns of ANSUR II, one row a person.

Lengths are in mm there, ``weightkg`` in tenths of kg; m and kg here.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from articulata.errors import FormatError
from articulata.kinematics.library import ranges

PARAMETERS: Final = {"stature": "height", "weightkg": "weight"}
"""What the figure ``person`` calls measures that it does not call as the survey does."""

WEIGHT: Final = "weightkg"
"""The one measure that is no length."""

SEX: Final = ("gender", "sex")
"""Columns that may tell the sex, the first of them that does."""

MEN: Final = ("male", "man", "men", "m", "0")
WOMEN: Final = ("female", "woman", "women", "f", "w", "1")

LENGTHS: Final = {"m": 1000.0, "cm": 10.0, "inches": 25.4}
WEIGHTS: Final = {"kg": 10.0, "lb": 4.5359237}
"""What measures are given in by mistake, in mm and in tenths of kg."""

SHOWN: Final = 5
"""Cells that are told of; of more their number is."""


def people_of(name: str, measures: Sequence[str]) -> list[dict[str, float]]:
    """Return the people of a file, by parameters of the figure ``person``, m and kg.

    ``sex`` is 0 a man, 1 a woman, halfway where no column tells it. Of ``measures`` the table may
    lack all but the stature. Raise FormatError for a file that cannot be read or lacks it, and for
    cells that cannot be used, by row and column.
    """
    bad: list[str] = []
    found = []
    bounds = ranges("person")
    for number, row in _table(name, measures):
        where = f"row {number}"
        person = {"sex": _sex(row, where, bad)}
        for each in measures:
            if each in row:
                called = PARAMETERS.get(each, each)
                person[called] = _measure(each, row[each], bounds[called], where, bad)
        if row.get(""):
            bad.append(f"{where}: it has more cells than there are columns")
        found.append(person)
    if bad:
        more = f"; and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
        raise FormatError(
            f"{name}: {'; '.join(bad[:SHOWN])}{more}. Mend the file (lengths are in mm, "
            f"{WEIGHT} in tenths of kg), or leave these rows or columns out"
        )
    return found


def _table(name: str, measures: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield rows by lower names of columns, each with its line of the file; "" is the rest."""
    try:
        text = Path(name).read_text("latin-1")
    except OSError as error:
        raise FormatError(
            f"the people in {name} cannot be read: {error.strerror}; put the file beside the text "
            "that names it, or give its whole path"
        ) from error
    # the mark that spreadsheets put before UTF-8
    lines = text.removeprefix("\xef\xbb\xbf").splitlines()
    kept = [(number, line) for number, line in enumerate(lines, 1) if not line.startswith("#")]
    reader = csv.DictReader([line for _, line in kept], restkey="", restval="")
    try:
        columns = [each.strip().lower() for each in reader.fieldnames or ()]
        if "stature" not in columns:
            raise FormatError(
                f"{name} has no column 'stature'; its columns, between commas, are called as in "
                f"ANSUR II, lengths in mm: {', '.join((*measures, SEX[0]))}"
            )
        for row in reader:
            yield (
                kept[reader.line_num - 1][0],
                {
                    key.strip().lower(): value.strip() if isinstance(value, str) else "".join(value)
                    for key, value in row.items()
                },
            )
    except csv.Error as error:
        raise FormatError(f"{name} is no table of people: {error}") from error


def _sex(row: Mapping[str, str], where: str, bad: list[str]) -> float:
    """Return 0 for a man, 1 for a woman; say in ``bad`` what is neither."""
    column = next((each for each in SEX if row.get(each)), next((s for s in SEX if s in row), ""))
    if not column:
        return 0.5
    word = row[column].lower()
    if word not in (*MEN, *WOMEN):
        known = f"{', '.join(MEN)} or {', '.join(WOMEN)}"
        bad.append(f"{where}, {column}: {_said(row[column])}; known are {known}")
    return float(word in WOMEN)


def _measure(
    measure: str, cell: str, bounds: tuple[float, float], where: str, bad: list[str]
) -> float:
    """Return a measure in m or kg; say in ``bad`` what is none."""
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        bad.append(f"{where}, {measure}: {_said(cell)}")
        return number
    weight = measure == WEIGHT
    size, unit, others = (10.0, "tenths of kg", WEIGHTS) if weight else (1000.0, "mm", LENGTHS)
    low, high = bounds
    if not low <= number / size <= high:
        units = [name for name, per in others.items() if low <= number * per / size <= high]
        guess = f"; it looks like {' or '.join(units)}" if units else ""
        bad.append(
            f"{where}, {measure}: {cell} {unit} is beyond {low * size:g} to {high * size:g}{guess}"
        )
    return number / size


def _said(cell: str) -> str:
    """Return how a cell is told that is no number and no known word."""
    return f"'{cell}' is not known" if cell else "the cell is empty"
