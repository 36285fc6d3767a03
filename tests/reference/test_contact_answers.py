"""Motions with contact whose course is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art

G = 9.81


def world(body: str, where: str, gravity: tuple[float, float] = (0.0, -G), more: str = ""):
    x, y = gravity
    return art.parse(f"""
primitive thing {{ {body}; dynamics }}
world w {{
  gravity: ({x!r}, {y!r}, 0)
  components {{ b: thing; floor: ground }}
  structure {{ place b by b.center at {where} {more} }}
}}""").world("w")


def kinds(recording):
    return [event.kind for event in recording.events]


def ball(restitution: float):
    return world(
        f"properties: (density: 1000, restitution: {restitution}); geometry: sphere(0.1)",
        "(0, 1.1, 0)",
    )


def test_bouncing_ball_strikes_at_the_instants_of_its_geometric_series():
    recording = art.simulate(ball(0.8), until=4.2, step=0.02)
    impacts = [event for event in recording.events if event.kind == "impact"]
    t, v = math.sqrt(2.0 / G), math.sqrt(2.0 * G)
    for event in impacts[:20]:
        assert event.time == pytest.approx(t, abs=1e-12)
        assert event.values["approach_speed"] == pytest.approx(v, rel=1e-11)
        assert event.values["kinetic_after"] == pytest.approx(
            0.64 * event.values["kinetic_before"], rel=1e-12
        )
        assert event.who == ("b", "floor")
        assert event.where == ("b.surface", "floor.top")
        v *= 0.8
        t += 2.0 * v / G
    (settled,) = (event for event in recording.events if event.kind == "settled")
    # design notes: t1 (1 + e) / (1 - e)
    assert settled.time == pytest.approx(4.063712768871578, abs=1e-12)
    assert recording.series("b.center")[-1].tolist() == pytest.approx([0, 0.1, 0], abs=1e-12)
    assert np.all(recording.series("b.v")[-1] == 0.0)


@pytest.mark.parametrize("bounces", [25, pytest.param(100, marks=pytest.mark.slow)])
def test_elastic_ball_keeps_its_height(bounces: int):
    first = math.sqrt(2.0 / G)
    flight, until = 2.0 * first, math.ceil((bounces + 0.5) * 2.0 * first)
    recording = art.simulate(ball(1.0), until=until, step=0.05)
    impacts = [event for event in recording.events if event.kind == "impact"]
    assert len(impacts) == 1 + int((until - first) / flight) > bounces
    speeds = np.array([event.values["separation_speed"] for event in impacts])
    # heights, relative: rounding of all flights and impacts
    assert np.max(np.abs(speeds**2 / (2 * G) - 1.0)) < 3e-12
    expected = first * (2 * np.arange(len(impacts)) + 1)
    assert np.max(np.abs([event.time for event in impacts] - expected)) < 1e-11
    assert np.min(recording.series("b.center")[:, 1]) >= 0.1 - 1e-9


def incline(degrees: float, mu: float, shape: str, height: float):
    a = math.radians(degrees)
    body = f"properties: (density: 1000, friction: {mu}); geometry: {shape}"
    return world(body, f"(0, {height}, 0)", (G * math.sin(a), -G * math.cos(a)))


BOX = ("cuboid(0.2, 0.1, 0.2)", 0.05)
SPHERE = ("sphere(0.1)", 0.1)


def test_block_sticks_below_the_angle_of_friction_without_any_creep():
    recording = art.simulate(incline(26.565, 0.5, *BOX), until=1.0, step=0.1)
    place = recording.series("b.center")
    assert np.all(place == place[0])
    assert kinds(recording) == ["contact"]


@pytest.mark.parametrize("degrees", [26.6, pytest.param(26.5660, marks=pytest.mark.slow)])
def test_block_slips_above_the_angle_of_friction(degrees):
    angle = math.radians(degrees)
    recording = art.simulate(incline(degrees, 0.5, *BOX), until=1.0, step=0.1)
    expected = G * (math.sin(angle) - 0.5 * math.cos(angle))
    assert recording.series("b.v")[-1, 0] == pytest.approx(expected, rel=1e-9)


def test_sliding_block_has_the_acceleration_of_coulombs_law():
    recording = art.simulate(incline(30.0, 0.3, *BOX), until=1.0, step=0.1)
    assert recording.series("b.v")[-1, 0] == pytest.approx(2.356287236662397, abs=1e-12)
    assert recording.series("b.center")[-1, 0] == pytest.approx(2.356287236662397 / 2, abs=1e-12)


def test_sphere_rolls_where_friction_is_enough_and_slides_where_it_is_not():
    rolling = art.simulate(incline(30.0, 0.165, *SPHERE), until=1.0, step=0.1)
    assert rolling.series("b.v")[-1, 0] == pytest.approx(3.503571428571429, abs=1e-12)
    assert rolling.series("b.w")[-1, 2] == pytest.approx(-35.03571428571429, abs=1e-11)
    sliding = art.simulate(incline(30.0, 0.1649, *SPHERE), until=1.0, step=0.1)
    a = math.radians(30.0)
    expected = G * (math.sin(a) - 0.1649 * math.cos(a))
    assert sliding.series("b.v")[-1, 0] == pytest.approx(expected, abs=1e-11)


def test_sliding_ball_begins_to_roll_at_the_known_instant():
    made = world(
        "properties: (density: 1000, friction: 0.2); geometry: sphere(0.1)",
        "(0, 0.1, 0)",
        more="velocity = ((5, 0, 0) (0, 0, 0))",
    )
    recording = art.simulate(made, until=1.0, step=0.1)
    assert kinds(recording) == ["contact", "stick"]
    assert recording.events[1].time == pytest.approx(0.72811999417504, abs=1e-12)
    assert recording.series("b.v")[-1, 0] == pytest.approx(25 / 7, abs=1e-12)


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(step=2e-3)])
def test_fixed_steps_find_the_same_impacts(method):
    recording = art.simulate(ball(0.5), until=1.3, step=0.1, method=method)
    impacts = [event.time for event in recording.events if event.kind == "impact"]
    t = math.sqrt(2.0 / G)
    assert impacts[:2] == pytest.approx([t, 2 * t], abs=1e-9)


@pytest.mark.parametrize(
    "shape",
    ["sphere(0.2)", "capsule(0.1, 0.3)", "cuboid(0.2, 0.1, 0.3)", "cylinder(0.1, 0.3)"],
)
def test_what_is_thrown_on_the_ground_comes_to_rest_or_rolls_and_gains_no_energy(shape):
    made = world(
        f"properties: (density: 1000, restitution: 0.4, friction: 0.4); geometry: {shape}",
        "(0, 0.6, 0)",
        more="velocity = ((0.5, 0, 0.3) (1, 2, 3))",
    )
    recording = art.simulate(made, until=1.5, step=0.02)
    energy = recording.series("energy.total")
    assert np.max(np.diff(energy)) < 1e-11
    assert recording.events[-1].time < 1.2
    spin = recording.series("b.w")
    if shape.startswith("cuboid"):
        assert np.all(np.abs(spin[-1]) < 1e-9)
    for event in recording.events:
        if event.kind == "impact":
            assert event.values["energy_after"] <= event.values["energy_before"] + 1e-12
