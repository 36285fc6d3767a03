"""Planted mistakes are found where a person would point, with the advice a person would give.

The mistakes and what is expected of them are in ``planted_errors.py``.
"""

from __future__ import annotations

import itertools
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from articulata.errors import Diagnostic
from articulata.world import document
from articulata.world.document import check
from reference.planted_afresh import REQUESTS_AFRESH, THIRTY
from reference.planted_errors import AFRESH, DATA, HELD_OUT, PLANTS, Plant, base_of
from reference.planted_requests import REQUESTS
from reference.planted_users import USERS

BASES = sorted(DATA.glob("*.art"))
SETS = {
    "improved": PLANTS, "held-out": HELD_OUT, "afresh": AFRESH, "requests": REQUESTS,
    "values": THIRTY, "requests-afresh": REQUESTS_AFRESH, "users": USERS,
}  # fmt: skip
SHARE = tuple(itertools.chain(*SETS.values()))[::6]


@dataclass(frozen=True)
class Outcome:
    """What was said about one plant; the finding nearest to the expected place is the answer."""

    plant: Plant
    line: int
    column: int
    found: tuple[Diagnostic, ...]

    @property
    def answer(self) -> Diagnostic | None:
        def far(each: Diagnostic) -> tuple[int, int]:
            return (abs(each.line - self.line), abs(each.column - self.column))

        return min(self.found, key=far, default=None)

    @property
    def line_right(self) -> bool:
        return self.answer is not None and self.answer.line == self.line

    @property
    def column_right(self) -> bool:
        return self.answer is not None and self.line_right and self.answer.column == self.column

    @property
    def advice_right(self) -> bool:
        answer = self.answer
        return answer is not None and any(each in answer.suggestion for each in self.plant.advice)

    @property
    def spurious(self) -> int:
        return max(0, len(self.found) - 1)

    def __str__(self) -> str:
        marks = "".join(
            letter if right else "-"
            for letter, right in (
                ("L", self.line_right),
                ("C", self.column_right),
                ("A", self.advice_right),
            )
        )
        said = "\n".join(
            f"        {each.line}:{each.column} {each.message} [{each.code}] {each.suggestion!r}"
            for each in self.found
        )
        return (
            f"{marks} {self.plant.base}:{self.line}:{self.column}: {self.plant.wrong!r}, "
            f"advice {self.plant.advice}\n{said or '        nothing was found'}"
        )


def read(plant: Plant, folder: Path) -> Outcome:
    for each in base_of(plant.base).parent.iterdir():
        if each.is_file():
            shutil.copy(each, folder)
    text, line, column = plant.planted()
    path = folder / f"{plant.base}.art"
    path.write_text(text, encoding="utf-8")
    return Outcome(plant, line, column, tuple(check(path)))


@dataclass(frozen=True)
class Figures:
    """Shares over a set of plants."""

    line: float
    column: float
    advice: float
    spurious: float


def measure(outcomes: list[Outcome]) -> Figures:
    n = len(outcomes)
    return Figures(
        sum(each.line_right for each in outcomes) / n,
        sum(each.column_right for each in outcomes) / n,
        sum(each.advice_right for each in outcomes) / n,
        sum(each.spurious for each in outcomes) / n,
    )


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.stem)
def test_the_texts_are_correct_before_anything_is_planted(base: Path) -> None:
    """As texts: some of their requests ask for what no figure or world of theirs can."""
    assert document.read(base).check(starts=False) == ()


@pytest.mark.parametrize(
    "plants",
    [SHARE, *(pytest.param(each, marks=pytest.mark.slow) for each in SETS.values())],
    ids=["a share", *SETS],
)
def test_mistakes_are_found_where_they_are(plants: tuple[Plant, ...], tmp_path: Path) -> None:
    assert len({(each.base, each.wrong) for each in plants}) == len(plants)
    outcomes = [read(each, tmp_path) for each in plants]
    figures = measure(outcomes)
    wrong = [
        str(each)
        for each in outcomes
        if each.spurious or not (each.line_right and each.column_right and each.advice_right)
    ]
    table = "\n".join([f"{len(plants)} plants: {figures}", *wrong])
    print(table)
    assert figures.line >= 0.95, table
    assert figures.column >= 0.90, table
    assert figures.advice >= 0.80, table
    assert figures.spurious <= 0.2, table


def test_there_are_enough_mistakes() -> None:
    assert len(PLANTS) >= 40
    assert len(HELD_OUT) >= 20
    assert len(REQUESTS) >= 60
    assert len(REQUESTS_AFRESH) >= 60
    assert len(USERS) >= 60
