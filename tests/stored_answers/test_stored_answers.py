"""Today's answers are the stored ones: a share of the questions, and all of them (slow)."""

from __future__ import annotations

import pytest

from stored_answers.__main__ import ROOMS, compare
from stored_answers.store import kept

EVERY = {
    "language": 16,
    "inverse": 12,
    "simulate": 23,
    "reach": 162,
    "pose": 15,
    "track": 20,
    "film": 20,
}
"""Of how many questions of a room one is asked where the tests are quick."""


def test_enough_questions_have_answers() -> None:
    answers = [answer for room in ROOMS for answer in kept(room).values()]
    assert len(answers) >= 2000
    assert sum("error" in each for each in answers) < 30


@pytest.mark.parametrize("room", ROOMS)
def test_a_share_is_answered_as_before(room: str) -> None:
    share = set(sorted(kept(room))[:: EVERY[room]])
    asked = ((name, ask) for name, ask in ROOMS[room]() if name in share)
    assert compare(room, asked, share) == []


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_all_are_answered_as_before(room: str) -> None:
    assert compare(room, ROOMS[room]()) == []
