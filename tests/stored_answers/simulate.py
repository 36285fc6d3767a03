"""The gallery and random worlds, from event to event and in steps: events, states, books."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import articulata as art
from articulata.world.world_files import LIBRARY
from gallery_runs import run
from random_worlds import random_request

from .store import EXACT, Answer, Question, flat

RANDOM = 90
"""Random worlds; each in both modes."""

UNTIL = 0.5
"""Seconds of a run."""

UNDETERMINED = {"rising": 0.002}
"""Seconds in steps of worlds whose forces the laws leave open: two feet and a seat hold a person,
and rounding decides after that which slips first."""

DECIDED = 1e-7
"""How near numbers are after an event: it is located, and what follows goes on from there."""

STEPS = art.Stepping()


def questions() -> Iterator[Question]:
    """Yield the questions of this room."""
    for path in sorted((LIBRARY / "gallery").glob("*.art")):
        yield f"{path.stem}: as its text says", partial(_of, partial(run, path.stem, until=UNTIL))
        until = UNDETERMINED.get(path.stem, UNTIL)
        stepped = partial(run, path.stem, until=until, method=STEPS)
        yield f"{path.stem}: in steps", partial(_of, stepped)
    for seed in range(RANDOM):
        yield f"random {seed}: from event to event", partial(_of, partial(_random, seed))
        yield f"random {seed}: in steps", partial(_of, partial(_random, seed, method=STEPS))


def _random(seed: int, **options: Any) -> art.Recording:
    return art.simulate(random_request(7000 + seed, 8), until=UNTIL, **options)


def _of(simulated: Any) -> Answer:
    recording: art.Recording = simulated()
    events = [[each.kind, *sorted(each.who)] for each in recording.events]
    times = [float(each.time) for each in recording.events]
    decided = bool(events)
    near: dict[str, list[float]] = {"times of events": times, "frames": flat(recording.times)}
    last = recording.segments[-1]
    for name in sorted(last.channels):
        if name.startswith(("geometric.pose", "dynamic.coordinate", "dynamic.energy")):
            near[f"last {name}"] = flat(last.array(name)[-1])
    first = recording.segments[0]
    for name in sorted(first.channels):
        if name == "geometric.pose":
            before = int(np.searchsorted(first.times, min(times, default=np.inf)))
            near["before events"] = flat(first.array(name)[max(before - 1, 0)])
    same = [len(recording.worlds), len(recording.segments), events]
    return Answer(same, near, DECIDED if decided else EXACT)
