"""People drawn by chance: body measures of a population, from means and correlations or a file.

The stored figures are those of ANSUR II by sex. A person's measures are drawn together, from the
multivariate normal distribution of her sex; of a file whole rows are drawn. m and kg.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from statistics import NormalDist

import numpy as np

from articulata.analyses.reach.cohorts.people_files import PARAMETERS, people_of
from articulata.errors import FormatError, WorldError
from articulata.geometry.arrays import Array
from articulata.kinematics.library import ranges
from articulata.world.requests.reach import Population

SURVEY = "ansur_2012"
"""The survey whose figures ship."""

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
    bounds = ranges("person")
    return [_drawn(population, sexes[k % len(sexes)], bounds, rng) for k in range(population.count)]


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
