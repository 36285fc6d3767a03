"""Habits of newcomers are told on their line, with what to write, and nothing that follows."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    "plants",
    [
        pytest.param(NEWCOMERS, marks=pytest.mark.slow),
        pytest.param(NEWCOMERS_AFRESH, marks=pytest.mark.slow),
        NEWCOMERS_THIRD,
        pytest.param(NEWCOMERS_FOURTH, marks=pytest.mark.slow),
        NEWCOMERS_FIFTH,
        pytest.param(NEWCOMERS_SIXTH, marks=pytest.mark.slow),
        STRANGERS,
    ],
    ids=["first", "afresh", "third", "fourth", "fifth", "sixth", "strangers"],
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
