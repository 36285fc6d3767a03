"""Fast bodies in steps: none passes through another, whatever its shape, speed and spin."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from fast_pairs import RATTLING, fast_pair, struck

BALL_AND_PLATE = """
primitive ball { properties: (density: 1000, restitution: 0.5); geometry: sphere(%g mm); dynamics }
primitive plate { properties: (fixed, restitution: 0.5); geometry: cuboid(%g mm, 1 m, 1 m) }
world fast(v: speed = 10) {
  components { plate: plate; ball: ball }
  structure {
    place plate by plate.center at (0.1, 0, 0)
    place ball by ball.center at (0, 0.013, 0.02), velocity = ((v, 0, 0), (0, 0, 0))
  }
}
"""

LATE = 1.5
"""Steps after which an impact is told at most: a slow one is found in the middle of a step."""


@pytest.mark.parametrize(
    ("radius", "thick", "speed"),
    [(5, 1, 10), (5, 10, 20), (5, 50, 40), (5, 50, 100), (10, 1, 100), (1, 1, 900), (5, 1, 1000)],
)
@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_a_ball_bounces_off_a_plate_at_any_speed(
    radius: float, thick: float, speed: float, step: float
) -> None:
    world = art.parse(BALL_AND_PLATE % (radius, thick)).world("fast", speed)
    until = 0.2 / speed
    run = art.simulate(world, until=until, step=until, method=art.Stepping(step=step))
    # Newton's law of impact, e = 1/2, against what stands still
    velocity = run.array("dynamic.velocity")[-1][
        run.channels["dynamic.velocity"].labels.index("ball")
    ]
    assert velocity[0] == pytest.approx(-0.5 * speed, rel=1e-9)
    (impact,) = [each for each in run.events if each.kind == "impact"]
    due = (0.1 - 0.0005 * thick - 0.001 * radius) / speed
    assert due <= impact.time <= due + LATE * step


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
