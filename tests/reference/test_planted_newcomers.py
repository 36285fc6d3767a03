"""Habits of newcomers are told on their line, with what to write, and nothing that follows."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from reference.planted_errors import Plant
from reference.planted_newcomers import (
    NEWCOMERS,
    NEWCOMERS_AFRESH,
    NEWCOMERS_FIFTH,
    NEWCOMERS_FOURTH,
    NEWCOMERS_SIXTH,
    NEWCOMERS_THIRD,
)
from reference.planted_strangers import STRANGERS
from reference.test_planted_errors import measure, read

SETS = {
    "first": NEWCOMERS, "afresh": NEWCOMERS_AFRESH, "third": NEWCOMERS_THIRD,
    "fourth": NEWCOMERS_FOURTH, "fifth": NEWCOMERS_FIFTH, "sixth": NEWCOMERS_SIXTH,
    "strangers": STRANGERS,
}  # fmt: skip
SHARE = tuple(itertools.chain(*SETS.values()))[::12]


@pytest.mark.parametrize(
    "plants",
    [SHARE, *(pytest.param(each, marks=pytest.mark.slow) for each in SETS.values())],
    ids=["a share", *SETS],
)
def test_one_mistake_gives_one_finding(plants: tuple[Plant, ...], tmp_path: Path) -> None:
    assert len({(each.base, each.wrong) for each in plants}) == len(plants) >= 30
    outcomes = [read(each, tmp_path) for each in plants]
    figures = measure(outcomes)
    wrong = [
        str(each)
        for each in outcomes
        if each.spurious or not (each.line_right and each.advice_right)
    ]
    table = "\n".join([f"{len(plants)} plants: {figures}", *wrong])
    assert figures.line >= 0.98, table
    assert figures.advice >= 0.90, table
    assert figures.spurious <= 0.05, table
