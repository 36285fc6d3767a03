"""Energy with contact: what impacts and sliding take is booked, and nothing else goes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art
from random_worlds import random_request

G = 9.81


def simulated(body: str, where: str, until: float, more: str = "", **options):
    text = f"""
primitive thing {{ {body}; dynamics }}
world w {{
  gravity: (0, -{G}, 0)
  components {{ b: thing; floor: ground }}
  structure {{ place b by b.center at {where} {more} }}
}}"""
    return art.simulate(art.parse(text).world("w"), until=until, step=0.02, **options)


def drift(recording) -> float:
    """How far total - work + dissipated moves, as a share of the largest of them."""
    energy = recording.array("dynamic.energy")
    return float(np.ptp(energy[:, 3] - energy[:, 4] + energy[:, 5]) / np.max(np.abs(energy)))


def test_impacts_take_what_restitution_says():
    ball = "properties: (density: 1000, restitution: 0.8); geometry: sphere(0.1)"
    recording = simulated(ball, "(0, 1.1, 0)", 4.2)
    mass = 1000 * 4 / 3 * math.pi * 1e-3
    assert recording.series("energy.dissipated")[-1] == pytest.approx(mass * G, rel=1e-11)
    first = recording.series("energy.dissipated")[30]  # between the first two impacts
    assert first == pytest.approx(mass * G * (1 - 0.64), rel=1e-11)
    assert drift(recording) < 1e-11


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(step=1e-3)], ids=str)
def test_sliding_takes_the_work_of_friction(method):
    box = "properties: (density: 1000, friction: 0.3); geometry: cuboid(0.2, 0.1, 0.2)"
    recording = simulated(
        box, "(0, 0.05, 0)", 1.0, "velocity = ((2, 0, 0) (0, 0, 0))", method=method
    )
    x = recording.series("b.center.x")[-1]
    assert x == pytest.approx(4 / (2 * 0.3 * G), rel=1e-9)
    assert recording.series("energy.dissipated")[-1] == pytest.approx(0.3 * 4 * G * x, rel=1e-9)
    assert drift(recording) < 1e-9


@pytest.mark.parametrize(
    "shape", ["cuboid(0.2, 0.1, 0.3)", "cylinder(0.1, 0.3)", "capsule(0.1, 0.3)"]
)
def test_what_tumbles_loses_only_what_is_booked(shape):
    body = f"properties: (density: 1000, restitution: 0.4, friction: 0.4); geometry: {shape}"
    turning = "velocity = ((0.5, 0, 0.3) (1, 2, 3))"
    assert drift(simulated(body, "(0, 0.6, 0)", 1.0, turning)) < 1e-9


def test_a_rim_at_the_end_of_a_wall_stops_no_motion_unseen():
    """There its normal jumps; closing the gaps of a step after it took 1.9 J of 4756 J."""
    recording = art.simulate(random_request(149, most=10), until=0.84, step=0.02)
    assert drift(recording) < 1e-9


def test_rounding_where_hinges_hold_a_contact_moves_nothing():
    """A rim comes to stick: 1e-12 m/s left along what its chain cannot do gave 0.7 J of 20 kJ."""
    recording = art.simulate(random_request(3), until=0.72, step=0.02)
    assert drift(recording) < 1e-9


def test_a_step_that_is_taken_anew_with_more_room_books_its_dampers_once():
    """Twenty-four boxes land at once: there are more contacts than there was room for."""
    boxes = [f"b{k}" for k in range(24)]
    listed = "; ".join(f"{name}: box" for name in [*boxes, "c", "d"])
    places = "; ".join(
        f"place {name} by {name}.center at ({k}, 0.3, 0)" for k, name in enumerate(boxes)
    )
    world = art.parse(f"""
        primitive box {{
          properties: (density: 1000)
          geometry: cuboid(0.2, 0.2, 0.2) where {{ up: (0, 0.1, 0) }}
          dynamics
        }}
        world landing {{
          gravity: (0, -{G}, 0)
          components {{ floor: ground; {listed} }}
          structure {{
            {places}
            place c by c.center at (-1, 2, 0) velocity = ((3, 0, 0) (0, 0, 0))
            place d by d.center at (-3, 2, 0)
            join c to d with damper(damping: 50) matching (up, up)
          }}
        }}
    """).world("landing")
    assert drift(art.simulate(world, until=0.3, step=0.01, method=art.Stepping())) < 1e-9
