"""Random worlds through time, event by event and in steps.

No exception, no energy from nowhere, no overlap, the same bytes twice and on replay, and before
every edit the state as it was. ``ARTICULATA_WORLDS=100`` with ``-m slow`` runs the whole hundred.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.records.recording import Recording
from articulata.world.collision_pairs import meeting_pairs
from random_worlds import random_request

WORLDS = range(int(os.environ.get("ARTICULATA_WORLDS", "0"))) or (11, 27, 30, 42)
"""Seeds of the worlds that the slow tests run for five seconds; those named have few bodies."""

DEEPEST = 1e-9
"""How far bodies may overlap in event mode, m (design notes: figures to reach)."""

GAIN = 1e-6
"""Share of the energy that may come from nowhere."""

METHODS = {"events": None, "stepping": art.Stepping()}


def check_energy(recording: Recording) -> None:
    """Energy less the work done never rises, and what is lost is booked."""
    energy = recording.array("dynamic.energy")
    bound = GAIN * np.max(np.abs(energy[:, :4]))
    left = energy[:, 3] - energy[:, 4]
    assert np.max(left - np.minimum.accumulate(left)) <= bound
    assert np.ptp(left + energy[:, 5]) <= bound


def check_edits(recording: Recording, mode: str) -> None:
    """Every edit can be undone: world and state before it come back bit for bit."""
    for event in recording.events:
        if event.kind != "edit":
            continue
        before = recording.undo(event)
        assert before.world == recording.worlds[before.world.version]
        assert before.time == event.time
        until, method = before.time + 1e-4, METHODS[mode]
        on = art.simulate(before.world, start=before.state, until=until, step=1e-4, method=method)
        first = on.frame(0).arrays
        assert on.times[0] == before.time
        for name in ("geometric.pose", "dynamic.position", "dynamic.velocity"):
            assert first[name].tobytes() == before.state.arrays[name].tobytes(), (name, event)


def check_replay(recording: Recording) -> None:
    """A replay is the same bytes."""
    assert art.replay(recording).to_bytes() == recording.to_bytes()


def overlap(recording: Recording) -> float:
    """Return how far bodies overlap at most (m) in the frames of a run without edits."""
    world = recording.worlds[0]
    interference = build(world)["interference"]
    names = tuple(world.bodies)
    tested = {(names[a], names[b]) for a, b in meeting_pairs(world, within=False).tolist()}
    deepest = 0.0
    for frame in recording.array("geometric.pose"):
        for contact in interference.contacts(frame):
            if (contact.body_A, contact.body_B) in tested:
                deepest = max(deepest, -contact.gap)
    return deepest


@pytest.mark.parametrize("seed", [0, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", METHODS)
def test_a_few_bodies_fall(mode: str, seed: int):
    request = random_request(seed, most=5)
    recording = art.simulate(request, until=1.5, step=0.02, method=METHODS[mode])
    check_energy(recording)
    check_edits(recording, mode)
    check_replay(recording)
    if mode == "events" and not recording.edits:
        assert overlap(recording) <= DEEPEST


@pytest.mark.slow
@pytest.mark.parametrize("seed", WORLDS)
@pytest.mark.parametrize("mode", METHODS)
def test_worlds_of_up_to_thirty_bodies_last_five_seconds(mode: str, seed: int):
    request = random_request(seed)
    recording = art.simulate(request, method=METHODS[mode])
    assert recording.times[-1] == pytest.approx(5.0)
    check_energy(recording)
    check_edits(recording, mode)
    check_replay(recording)
    again = art.simulate(request, method=METHODS[mode])
    assert again.to_bytes() == recording.to_bytes()
