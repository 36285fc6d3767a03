"""What is dissipated, by its causes: closed forms, and parts that add up to the whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art
from articulata.records.quantities import quantity
from articulata.records.state import State

G = 9.81
CAUSES = ("impact", "friction", "damping", "joining")


def world(body: str, where: str, more: str = "", gravity: float = G) -> art.World:
    return art.parse(f"""
primitive thing {{ {body}; dynamics }}
world w {{
  gravity: (0, -{gravity}, 0)
  components {{ b: thing; floor: ground }}
  structure {{ place b by b.center at {where} {more} }}
}}""").world("w")


def causes(recording: art.Recording) -> dict[str, float]:
    """What each cause has taken at the end, J; in every frame the parts must be the whole."""
    parts = {cause: recording.series(f"energy.dissipated.{cause}") for cause in CAUSES}
    whole = recording.series("energy.dissipated")
    scale = max(1.0, float(np.max(np.abs(whole))))
    assert np.max(np.abs(sum(parts.values()) - whole)) <= 1e-13 * scale * len(whole)
    return {cause: float(values[-1]) for cause, values in parts.items()}


BALL = world(
    "properties: (density: 1000, restitution: 0.8, friction: 0.3); geometry: sphere(0.1)",
    "(0, 1.1, 0)",
)
BLOCK = world(
    "properties: (density: 1000, friction: 0.3); geometry: cuboid(0.2, 0.1, 0.2)",
    "(0, 0.05, 0)",
    "velocity = ((2, 0, 0) (0, 0, 0))",
)
METHODS = [art.DOP853(), art.RK4(step=1e-3)]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_bouncing_ball_loses_by_impacts_alone(method: art.RK4) -> None:
    """All of m g h in the end, (1 - e^2) of it at the first impact."""
    recording = art.simulate(BALL, until=4.2, step=0.02, method=method)
    weight = 1000 * 4 / 3 * math.pi * 1e-3 * G
    found = causes(recording)
    assert found["impact"] == pytest.approx(weight, rel=1e-11)
    assert found["friction"] == found["damping"] == found["joining"] == 0.0
    once = recording.series("energy.dissipated.impact")[30]
    assert once == pytest.approx(weight * (1 - 0.64), rel=1e-11)
    first = recording.events[0]
    assert first.values["energy_lost"] == pytest.approx(weight * (1 - 0.64), rel=1e-11)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_block_that_slides_to_rest_loses_by_friction_alone(method: art.RK4) -> None:
    """m v^2 / 2, and mu m g x on the way."""
    recording = art.simulate(BLOCK, until=1.0, step=0.02, method=method)
    found = causes(recording)
    assert found["friction"] == pytest.approx(0.5 * 4 * 2**2, rel=1e-9)
    assert found["impact"] == found["damping"] == found["joining"] == 0.0
    x = recording.series("b.center.x")
    by_way = 0.3 * 4 * G * (x - x[0])
    assert recording.series("energy.dissipated.friction") == pytest.approx(by_way, abs=1e-9)


def test_steps_tell_impacts_from_friction() -> None:
    """Steps of fixed length: the same causes, as exactly as the steps follow the motion."""
    slid = causes(art.simulate(BLOCK, until=1.0, step=0.02, method=art.Stepping()))
    assert slid["friction"] == pytest.approx(8.0, rel=1e-9)
    assert abs(slid["impact"]) < 1e-9
    fallen = causes(art.simulate(BALL, until=4.2, step=0.02, method=art.Stepping()))
    weight = 1000 * 4 / 3 * math.pi * 1e-3 * G
    assert fallen["impact"] == pytest.approx(weight, rel=2e-3)
    assert fallen["friction"] == pytest.approx(0.0, abs=1e-9)


DAMPED = """
primitive bob { geometry: sphere(5 cm); dynamics: (mass: 2, inertia: (0.002, 0.002, 0.002)) }
world oscillator {
  components { hook: fixed_point; b: bob; floor: ground }
  structure {
    place hook by hook.center at (0, 5, 0)
    place b by b.center at (1.5, 5, 0)
    force s between b.center and hook.center = 50 N/m * (distance - 1 m) + 3 N*s/m * speed
  }
}
"""


def test_a_damper_takes_its_part_beside_contact() -> None:
    """2 x'' + 3 x' + 50 x = 0 from x = 0.5 at rest, with a floor below that is not reached."""
    run = art.simulate(art.parse(DAMPED).world(), until=3.0, step=0.05)
    decay, turn, t = 0.75, math.sqrt(25.0 - 0.75**2), 3.0
    x = 0.5 * math.exp(-decay * t) * (math.cos(turn * t) + decay / turn * math.sin(turn * t))
    v = -0.5 * math.exp(-decay * t) * (turn + decay**2 / turn) * math.sin(turn * t)
    found = causes(run)
    assert found["damping"] == pytest.approx(6.25 - v**2 - 25.0 * x**2, abs=1e-8)
    assert found["impact"] == found["friction"] == found["joining"] == 0.0


def test_joining_bodies_in_motion_is_a_cause_of_its_own() -> None:
    """A body at v is welded to an equal one at rest: half of m v^2 / 2 is left."""
    text = """
primitive box { properties: (density: 1000); geometry: cuboid(0.1, 0.1, 0.1); dynamics }
world two {
  components { a, b: box }
  structure {
    place a by a.center at (0, 0, 0) velocity = ((1, 0, 0) (0, 0, 0))
    place b by b.center at (1, 0, 0)
  }
}
simulate two { time: (10 ms, 0.2 s); on time 0.1 s: join a to b with weld as w }
"""
    run = art.simulate(art.parse(text).requests[0])
    found = causes(run)
    assert found["joining"] == pytest.approx(0.25, abs=1e-12)
    assert found["impact"] == found["friction"] == found["damping"] == 0.0


def test_the_causes_are_quantities_with_units() -> None:
    recording = art.simulate(BLOCK, until=0.1, step=0.05)
    found = quantity(recording, "energy.dissipated.friction")
    assert (found.unit, found.names) == ("J", ("energy.dissipated.friction",))
    assert recording.series("energy.dissipated.friction")[-1] > 0.0
    with pytest.raises(art.NameNotFound, match=r"did you mean 'dissipated\.friction'"):
        recording.series("energy.dissipated.frictoin")


def test_a_run_goes_on_from_a_state_without_causes() -> None:
    """States of older recordings hold what was dissipated, not by what."""
    first = art.simulate(BLOCK, until=0.2, step=0.05)
    state = first.state(0.2)
    older = State(state.time, {n: a for n, a in state.arrays.items() if n != "dynamic.losses"})
    on = art.simulate(BLOCK, until=1.0, step=0.05, start=older)
    assert on.series("energy.dissipated")[-1] == pytest.approx(8.0, rel=1e-9)
    taken = first.series("energy.dissipated")[-1]
    assert on.series("energy.dissipated.friction")[-1] == pytest.approx(8.0 - taken, rel=1e-9)
