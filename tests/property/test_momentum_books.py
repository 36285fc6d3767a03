"""Momentum of random worlds through whole runs: it changes by what acts from outside, and only so.

What acts from outside is read from the public channels: weights, and what the ground gives back of
what presses on it. Between events Simpson's rule sums it up; at events the told impulses do.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

import articulata as art
from articulata.geometry.arrays import Array
from articulata.records.events import Event
from articulata.records.state import Frame
from articulata.world.masses import body_mass
from random_worlds import random_request

STEP = 1e-3

EXACT = 1e-7
"""Share of the largest momentum by which Simpson's rule over two frames may miss."""

STRAYED = 2e-3
"""Share of the largest momentum that steps miss in a second: what would make energy is taken from
the speeds of all that touches, which no force tells (docs/stepping.md)."""


def free(body: art.Body) -> bool:
    return body.motion == "free" and body.dynamic


def given(world: art.World, frame: Frame) -> Array:
    """Force and moment about the origin (6,) that act on all free bodies from outside."""
    total = np.zeros(6)
    for k, body in enumerate(world.bodies.values()):
        if free(body):
            known = body_mass(body)
            assert known is not None
            force, moment = known.mass * np.asarray(world.gravity), np.zeros(3)
        else:
            force, moment = np.split(-frame.arrays["dynamic.contact_force"][k], 2)
        total[:3] += force
        total[3:] += moment + np.cross(frame.arrays["dynamic.position"][k], force)
    return total


def stands_alone(world: art.World) -> bool:
    """Whether nothing but the ground holds or pulls at the bodies from outside."""
    ends = [(each.body_a, each.body_b) for each in world.hinges.values()]
    return not world.forces and all(free(world.bodies[k]) for pair in ends for k in pair)


def struck(world: art.World, events: list[Event]) -> Array:
    """Impulse (3,) that free bodies get from others by the events of one impact."""
    total = np.zeros(3)
    for event in events:
        first, second = (free(world.bodies[name]) for name in event.who)
        total += (first - second) * np.asarray(event.values["impulse_vector"])
    for name, value in events[0].values.items():
        if name.startswith("impulse of ") and " on " in name:
            giver, getter = name.removeprefix("impulse of ").split(" on ")
            total += (free(world.bodies[getter]) - free(world.bodies[giver])) * np.asarray(value)
    return total


def check_instants(recording: art.Recording) -> int:
    """Check what the impacts tell; return how many they are."""
    hits = [each for each in recording.events if "impulse_vector" in each.values]
    largest = np.abs(recording.array("dynamic.momentum")).max()
    found = 0
    for before, group in groupby(hits, lambda each: each.values["momentum_before"]):
        events = list(group)
        after = np.asarray(events[0].values["momentum_after"])
        gained = (after - np.asarray(before))[:3]
        assert gained == pytest.approx(struck(recording.worlds[0], events), abs=1e-12 * largest)
        found += 1
    return found


def check_between(recording: art.Recording) -> int:
    """Check two frames after the other where nothing happens; return how often."""
    momentum = recording.array("dynamic.momentum")
    outside = np.array(
        [given(recording.worlds[0], recording.frame(k)) for k in range(len(recording.times))]
    )
    ends = [(e.time - float(e.values.get("series", 0.0)), e.time) for e in recording.events]
    times, bound, found = np.asarray(recording.times), EXACT * np.abs(momentum).max(), 0
    for k in range(len(times) - 2):
        a, b, c = times[k : k + 3]
        quiet = not any(begin <= c and end >= a for begin, end in ends)
        if not quiet or a == c or abs(a - 2.0 * b + c) > 1e-12:
            continue
        summed = (c - a) / 6.0 * (outside[k] + 4.0 * outside[k + 1] + outside[k + 2])
        assert momentum[k + 2] - momentum[k] == pytest.approx(summed, abs=bound)
        found += 1
    return found


def told_apart(seed: int) -> bool:
    """Whether a random world suits: nothing but the ground outside it, and no clause edits it."""
    request = random_request(seed, most=6)
    return not request.rules and stands_alone(request.elaborate())


SEEDS = [17, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (12, 24, 25, 27))]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_acts_from_outside_is_all_that_changes_the_momentum(seed: int):
    assert told_apart(seed)
    recording = art.simulate(random_request(seed, most=6), until=1.0, step=STEP)
    assert check_between(recording) > 100
    assert check_instants(recording) > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_in_steps_it_strays_only_where_energy_would_be_made(seed: int):
    request, method = random_request(seed, most=6), art.Stepping(step=STEP)
    recording = art.simulate(request, until=1.0, step=STEP, method=method)
    times, momentum = np.diff(recording.times), recording.array("dynamic.momentum")[:, :3]
    world = recording.worlds[0]
    outside = [given(world, recording.frame(k))[:3] for k in range(len(recording.times))]
    missed = np.abs(np.diff(momentum, axis=0) - times[:, None] * outside[1:]).max(axis=1)
    largest = np.abs(momentum).max()
    assert np.sum(missed) <= STRAYED * largest
    assert np.median(missed) <= 1e-12 * largest
