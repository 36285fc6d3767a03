"""A camera flown by two robots: joints tick by tick, what stops them; moves judged."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import articulata as art
from camera_arms import R3_START, START_2011, arm_2011, r3

from .store import Answer, Question, flat

FLIGHTS = 100


def questions() -> Iterator[Question]:
    """Yield the questions of this room."""
    for seed in range(FLIGHTS):
        yield f"flight {seed}", partial(_flown, seed)


def _flown(seed: int) -> Answer:
    rng = np.random.default_rng([seed, 11])
    carrier, start = (r3(), R3_START) if seed % 2 else (arm_2011(), START_2011)
    pilot = art.Pilot(carrier, start)
    states: list[int] = []
    told: list[float] = []
    twist = np.zeros(6)
    for _ in range(4):
        goal = rng.normal(size=6) * 0.6
        for k in range(60):
            twist = twist + (goal - twist) * 0.1
            tick = pilot.go(twist)
            states.append(int(tick.state))
            if k % 20 == 19:
                told += [*flat(tick.q), *flat(tick.X_WC)]
    return Answer(states, {"q, X_WC": told}, 1e-9)
