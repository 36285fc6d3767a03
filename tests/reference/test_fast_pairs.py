"""Pairs drawn from a seed: slender, spinning, fast and slow, in steps beside event mode."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from fast_pairs import RATTLING, fast_pair, struck

LATE = 1.5
"""Steps after which an impact is told at most: a slow one is found in the middle of a step."""


@pytest.mark.parametrize("seed", [0, 6, 8, 9, 31, 32, 44, 49, 50, 55, 129])
def test_pairs_meet_in_steps_as_from_event_to_event(seed: int) -> None:
    _compare(seed)


@pytest.mark.slow
@pytest.mark.parametrize("hundred", range(20))
def test_two_thousand_pairs_meet_in_steps_as_from_event_to_event(hundred: int) -> None:
    for seed in range(100 * hundred, 100 * hundred + 100):
        _compare(seed)


def _compare(seed: int) -> None:
    pair = fast_pair(seed)
    world, options = pair.world(), {"until": pair.until, "step": pair.until}
    exact = struck(art.simulate(world, method=art.DOP853(), **options))
    stepped = struck(art.simulate(world, method=art.Stepping(step=pair.step), **options))
    assert bool(exact) == bool(stepped), f"pair {seed}"
    if exact:
        assert abs(stepped[0] - exact[0]) <= LATE * pair.step, f"pair {seed}"


@pytest.mark.parametrize("seed", [9, 50])
def test_what_rattles_elsewhere_hides_no_impact(seed: int) -> None:
    """The default method hands the whole run over to steps; the fast pair meets all the same."""
    pair = fast_pair(seed)
    exact = struck(art.simulate(pair.world(), until=pair.until, step=pair.until))
    world = pair.world(beside=RATTLING)
    found = struck(art.simulate(world, until=pair.until, step=pair.until))
    assert exact
    assert found
    assert abs(found[0] - exact[0]) <= 2e-3


def test_a_slender_body_keeps_its_energy_in_flight() -> None:
    """A rod of 2 mm and 24 cm tumbles: little of its momentum turns fast about its axis."""
    text = """
primitive rod { properties: (density: 1000); geometry: cylinder(2 mm, 24 cm); dynamics }
world tumbling {
  components { rod: rod }
  structure {
    place rod by rod.center at (0, 0, 0), velocity = ((0, 0, 0), (24, 10, -42))
  }
}
"""
    world = art.parse(text).world("tumbling")
    for step in (1e-3, 4e-3, 1e-2):
        run = art.simulate(world, until=1.0, step=0.1, method=art.Stepping(step=step))
        energy = run.array("dynamic.energy").sum(axis=1)
        assert np.ptp(energy) < 1e-6 * energy[0]
    exact = art.simulate(world, until=1.0, step=1.0, method=art.DOP853())
    turned = [each.array("dynamic.orientation")[-1][0] for each in (run, exact)]
    assert abs(abs(float(turned[0] @ turned[1])) - 1.0) < 1e-3
