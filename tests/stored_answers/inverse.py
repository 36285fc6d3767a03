"""All postures of arms by closed form, and postures by the iterative engine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np
from tests.unit.kinematics.arms import camera, drawn, industrial, puma, seven

import articulata as art

from .store import Answer, Question, flat

ARMS = {
    "camera": camera, "industrial": industrial, "puma": puma, "seven": seven,
}  # fmt: skip
POSES = 60
"""Poses of each arm with all its postures."""

RANDOM = 100
"""Random arms of six joints, a pose each."""

ASKED = 100
"""Questions to the iterative engine."""


@cache
def _arm(name: str) -> art.Chain:
    return ARMS[name]()


def questions() -> Iterator[Question]:
    """Yield the questions of this room."""
    for name in ARMS:
        for seed in range(POSES):
            yield f"{name} {seed}: all postures", partial(_all, name, seed)
    for seed in range(RANDOM):
        yield f"random arm {seed}: all postures", partial(_random, seed)
    for seed in range(ASKED):
        yield f"person {seed}: a hand's pose", partial(_person, seed)


def _all(name: str, seed: int) -> Answer:
    chain = _arm(name)
    (q,) = drawn(chain, np.random.default_rng([seed, *name.encode()]), 1)
    return _branches(chain.all_inverse(chain.tip(q)))


def _random(seed: int) -> Answer:
    rng = np.random.default_rng([seed, 66])
    rows = [
        art.DH(
            a=float(rng.choice((0.0, rng.uniform(0.1, 0.5)))),
            d=float(rng.choice((0.0, rng.uniform(0.1, 0.5)))),
            alpha=float(rng.choice((0.5 * np.pi, -0.5 * np.pi, rng.uniform(0.3, 2.8)))),
        )
        for _ in range(6)
    ]
    chain = art.Chain.standard_dh(rows)
    return _branches(chain.all_inverse(chain.tip(rng.uniform(-3.0, 3.0, 6))))


def _branches(found: art.Branches) -> Answer:
    # branches are numbered by the form that found them: rows in order of their values
    q = np.atleast_2d(found.q) if len(found) else np.zeros((0, 1))
    order = np.lexsort(np.round(q, 6).T[::-1]) if len(q) else []
    families = len(found.families)
    # a posture of a family is one of many
    near = {} if families else {"q": flat(q[order])}
    same = [len(found), sorted(found.labels), families, bool(np.any(found.within))]
    return Answer(same, near, 1e-9)


@cache
def _figure() -> art.Figure:
    return art.figure("person")


def _person(seed: int) -> Answer:
    figure = _figure()
    rng = np.random.default_rng([seed, 9])
    span = np.where(np.isfinite(figure.upper - figure.lower), figure.upper - figure.lower, 1.0)
    low = np.where(np.isfinite(figure.lower), figure.lower, -0.5)
    q = low + rng.uniform(0.2, 0.8, figure.dof) * span
    target = figure.landmark(q, "right hand")
    if seed % 4 == 0:
        target[:3, 3] += (0.0, 3.0, 0.0)  # out of reach
    found = figure.inverse({"right hand": target[:3, 3] if seed % 2 else target})
    return Answer([[int(each) for each in found.reasons.reshape(-1)]])
