"""People drawn by chance: body measures of a population, from means and correlations or a file.

The stored figures are those of ANSUR II by sex. A person's measures are drawn together, from the
multivariate normal distribution of her sex; of a file whole rows are drawn. m and kg.

People in a file: a table with the columns of ANSUR II, one row a person.

Lengths are in mm there, ``weightkg`` in tenths of kg; m and kg here.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from statistics import NormalDist
from typing import Final

import numpy as np

from articulata.errors import FormatError, WorldError
from articulata.geometry.arrays import Array
from articulata.kinematics.library import ranges
from articulata.world.requests.reach import Population

SURVEY = "ansur_2012"
"""The survey whose figures ship."""

ADULTS: Final = {"height": (1.2, 2.3), "weight": (30.0, 250.0)}
"""m and kg. Within what an adult's stature and weight lie."""

SEXES = {"men": ("man",), "women": ("woman",), "people": ("man", "woman")}


def measures_of(population: Population, seed: int) -> list[dict[str, float]]:
    """Return the parameters of the figure ``person`` of each one drawn; ``seed`` spreads them.

    Who has a measure that no person has, as a weight below 30 kg, is drawn anew. Raise WorldError
    where nobody is as tall as asked, FormatError for a file that does not have so many people.
    """
    rng = np.random.default_rng(seed)
    if population.file is not None:
        return _from_file(population, rng)
    sexes = SEXES[population.sex]
    bounds = _bounds()
    return [_drawn(population, sexes[k % len(sexes)], bounds, rng) for k in range(population.count)]


def _bounds() -> dict[str, tuple[float, float]]:
    """Return within what the measures of an adult lie."""
    return {**ranges("person"), **ADULTS}


def _drawn(
    population: Population,
    sex: str,
    bounds: Mapping[str, tuple[float, float]],
    rng: np.random.Generator,
) -> dict[str, float]:
    """Return one of a sex whose measures all lie within ``bounds``."""
    names, mean, deviation, root = _figures(sex)
    while True:  # of those whose stature is not refused nine of ten do
        z = rng.standard_normal(len(names))
        z[0] = _within(population, mean[0], deviation[0], float(rng.random()))
        drawn = mean + deviation * (root @ z)
        found = _named(dict(zip(names, drawn.tolist(), strict=True)), sex)
        if all(bounds[each][0] <= value <= bounds[each][1] for each, value in found.items()):
            return found


def means_of(population: Population) -> dict[str, float]:
    """Return the mean measures of those who may be drawn, between the sexes where both are."""
    drawn = measures_of(population, 0) if population.file is not None else []
    if not drawn:
        for sex in SEXES[population.sex]:
            names, mean, deviation, root = _figures(sex)
            z = np.zeros(len(names))
            z[0] = _within(population, mean[0], deviation[0], 0.5)
            values = mean + deviation * (root @ z)
            drawn.append(_named(dict(zip(names, values.tolist(), strict=True)), sex))
    return {name: math.fsum(each[name] for each in drawn) / len(drawn) for name in drawn[0]}


def _within(population: Population, mean: float, deviation: float, share: float) -> float:
    """Return the stature, in deviations from the mean, below which ``share`` of those asked are."""
    usual = NormalDist()
    low = usual.cdf((population.shortest - mean) / deviation)
    high = usual.cdf((population.tallest - mean) / deviation)
    if high - low < 1e-6:
        raise WorldError(
            f"nobody is left of the {population.sex} between {population.shortest:g} and "
            f"{population.tallest:g} m: the mean is {mean:.3f} m, one deviation {deviation:.3f} m; "
            "take statures nearer to it"
        )
    return usual.inv_cdf(min(max(low + share * (high - low), 1e-12), 1.0 - 1e-12))


def _named(measures: Mapping[str, float], sex: str) -> dict[str, float]:
    named = {PARAMETERS.get(name, name): value for name, value in measures.items()}
    return {**named, "sex": 0.0 if sex == "man" else 1.0}


@cache
def _figures(sex: str) -> tuple[tuple[str, ...], Array, Array, Array]:
    """Return names, means, deviations and the lower root of the correlations of one sex."""
    text = (files("articulata.world.library") / "people" / f"{SURVEY}.csv").read_text("utf-8")
    rows = [row for row in csv.DictReader(_lines(text)) if row["sex"] == sex]
    names = tuple(row["measure"] for row in rows)
    correlation = np.array([[float(row[name]) for name in names] for row in rows])
    mean, deviation = (np.array([float(row[k]) for row in rows]) for k in ("mean", "deviation"))
    return names, mean, deviation, np.linalg.cholesky(correlation)


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def _from_file(population: Population, rng: np.random.Generator) -> list[dict[str, float]]:
    people = people_of(str(population.file), _figures("man")[0])
    fitting = [
        each
        for each in people
        if population.shortest <= each["height"] <= population.tallest
        and (population.sex == "people" or each["sex"] == float(population.sex == "women"))
    ]
    if not fitting:
        untold = population.sex != "people" and any(each["sex"] == 0.5 for each in people)
        raise FormatError(
            f"{population.file} has no {population.sex} that are asked for, of {len(people)} in "
            f"all; {'add a column gender, ' if untold else ''}take another file, or other statures"
        )
    # nobody twice: the interval of a share counts each as another
    if population.count > len(fitting):
        raise FormatError(
            f"{population.count} {population.sex} are asked for, but {population.file} has "
            f"{len(fitting)} of them; ask for {len(fitting)} at most, or add rows"
        )
    drawn = rng.choice(len(fitting), population.count, replace=False)
    return [fitting[k] for k in drawn.tolist()]


def provenance_of(population: Population) -> str:
    """Return where the measures come from, a sentence."""
    if population.file is not None:
        return f"{population.count} {population.who}, rows of {population.file}"
    return (
        f"{population.count} {population.who}, drawn from means and correlations of 14 "
        "measures by sex (ANSUR II 2012: able-bodied soldiers of 17 to 58 years; seated on a "
        "wheelchair they are an upper bound for its users)"
    )


def interval(reached: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    z = NormalDist().inv_cdf(0.975)
    share = reached / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    half *= z / (1 + z * z / count)
    # exactly 0 and 1 where nobody or everybody is
    low = 0.0 if reached == 0 else middle - half
    high = 1.0 if reached == count else middle + half
    return low, high


def names_of(populations: Sequence[tuple[Population, str]]) -> list[str]:
    """Return what populations with a way to move are called, each name once."""
    found: list[str] = []
    for population, way in populations:
        first = name = f"{population.who}, {way}"
        number = 1
        while name in found:
            number += 1
            name = f"{first} {number}"
        found.append(name)
    return found


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
    bounds = _bounds()
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
