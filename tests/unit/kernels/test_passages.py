"""What is decided where a loop of hinges comes near a singular position."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.kernels.multibody import chain, four_bar, meet, random_mechanism

from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.integrators import passage
from articulata.kernels.multibody.motion import factorise


@pytest.mark.parametrize("angle", [0.004, -0.004])
def test_a_passage_is_found_on_either_side_where_it_is(angle: float) -> None:
    system, state = four_bar(angle, 2.0)
    work, beside = meet(system, state), np.zeros_like(state)
    assert factorise(system, work, state) == s.OK
    share = float(work.info[s.INFO_SHARE])
    assert passage.find_passage(system, work, beside, state, share)
    assert work.info[s.INFO_CENTRE] == pytest.approx(-angle / 2.0, rel=1e-3)


def test_what_is_well_conditioned_is_no_passage_however_it_turns() -> None:
    system, state = four_bar(0.004, 2.0)
    work, beside = meet(system, state), np.zeros_like(state)
    just_above = (passage.WIDE * 1.001) ** 2
    assert not passage.find_passage(system, work, beside, state, just_above)
    assert work.info[s.INFO_REACH] == 0.0


def test_what_rests_but_for_rounding_passes_nothing() -> None:
    system, state = four_bar(0.004, 1e-14)
    work, beside = meet(system, state), np.zeros_like(state)
    assert factorise(system, work, state) == s.OK
    share = float(work.info[s.INFO_SHARE])
    assert not passage.find_passage(system, work, beside, state, share)
    assert work.info[s.INFO_REACH] == 0.0


def test_only_given_motions_contradict_each_other_at_the_start_of_a_step() -> None:
    free, _ = chain(3)
    held, _ = random_mechanism(
        np.random.default_rng(0), 4, kinds=("rod",), floating=True, immovable=((2, s.PRESCRIBED),)
    )
    assert passage.judged(held, s.INCONSISTENT, True) == s.INCONSISTENT
    assert passage.judged(held, s.INCONSISTENT, False) == s.OK
    assert passage.judged(free, s.INCONSISTENT, True) == s.OK
    assert passage.judged(free, s.INCONSISTENT | s.NOT_FINITE, True) == s.NOT_FINITE
