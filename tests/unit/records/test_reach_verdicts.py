"""Verdicts on objects, said in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from articulata.records.reach_shares import ACCESSIBLE, PROVED
from articulata.records.reach_verdicts import ReachReason, Remedy, Verdict
from articulata.records.uses import Sighting


@pytest.mark.parametrize(
    ("lean", "words"),
    [
        (3.0, "reached with the left hand"),
        (40.0, "reached with the left hand, trunk 40 deg forward"),
        (92.0, "reached with the left hand, only with strong bending: trunk 92 deg forward"),
    ],
)
def test_who_is_bent_far_is_said_to_be(lean: float, words: str) -> None:
    verdict = Verdict(
        "shelf.front", "on foot", ACCESSIBLE, ReachReason.REACHED, np.zeros(3), "left",
        lean=np.radians(lean),
    )  # fmt: skip
    assert verdict.words == words
    assert verdict.strained == (lean > 60.0)
    assert verdict.accessible


@pytest.mark.parametrize(
    ("remedy", "words"),
    [
        (Remedy("lower", "shelf", 0.15), "lower 'shelf' by 15 cm"),
        (Remedy("forward", "shelf", 0.2, "-x"), "bring 'shelf' by 20 cm along -x"),
        (Remedy("push", "chest", 0.3, "z"), "push 'chest' by 30 cm along z"),
        (Remedy("remove", "chest"), "move 'chest' away"),
        (Remedy("remove", "kerb", 0.06, note="no room"), "move 'kerb' away: no room"),
        (Remedy("ramp", "kerb", 0.06), "lay a ramp over 'kerb', 6 cm high, or take it away"),
        (Remedy("open", "leaf", 1.0), "open 'leaf'"),
        (Remedy("open", "leaf", 0.75), "open 'leaf' by 75% of its way"),
        (Remedy("carry", "", 1.5), "carry 1.5 kg at most"),
    ],
)
def test_remedies_tell_which_way(remedy: Remedy, words: str) -> None:
    assert str(remedy) == words


def test_what_a_bound_misses_is_the_least() -> None:
    verdict = Verdict(
        "saw.front", "on foot", PROVED, ReachReason.TOO_HIGH, np.zeros(3), short=0.014
    )
    assert verdict.words == "out of reach: too high; every hand ends 14 mm below it at least"
    far = replace(verdict, reason=ReachReason.TOO_FAR, short=0.002)
    assert far.words.endswith("every hand ends 2 mm before it at least, measured level")
    assert replace(far, short=1e-5).words.endswith(
        "less than 1 mm before it at least, measured level"
    )


@pytest.mark.parametrize(
    ("seen", "told"), [(1, "less than 1%"), (6, "1%"), (994, "99%"), (999, "more than 99%")]
)
def test_what_some_places_see_is_not_rounded_to_none_or_all(seen: int, told: str) -> None:
    p, eye = np.zeros(3), np.array([0.0, 0.0, 0.5])
    sighting = Sighting("clock", "on foot", ACCESSIBLE, 1000, seen, p, eye=eye)
    assert sighting.words == f"seen from {told} of the places, from 0.50 m at best"
