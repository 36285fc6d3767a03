"""Postures that are taken: fronts of a hand's pose, what is chosen, what cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np

import articulata as art
from articulata.analyses.pose.dominance import hypervolume

from .store import Answer, Question, flat

ASKED = 60


@cache
def _figure() -> art.Figure:
    return art.figure("human_upper_body")


def questions() -> Iterator[Question]:
    """Yield the questions of this room."""
    for seed in range(ASKED):
        yield f"hand {seed}", partial(_posed, seed)


def _posed(seed: int) -> Answer:
    figure = _figure()
    rng = np.random.default_rng([seed, 5])
    q = figure.neutral.copy()
    for name in ("r_shoulder_flexion", "r_shoulder_abduction", "r_elbow_flexion"):
        q[figure.names.index(name)] = rng.uniform(0.1, 1.3)
    X = figure.landmark(q, "right hand")
    if seed % 6 == 5:
        X[:3, 3] *= 3.0  # out of reach
    aims = [art.Objective("discomfort"), art.Objective("dexterity")][: 1 + seed % 2]
    target = X[:3, 3] if seed % 3 == 0 else X
    front = art.pose(figure, {"right hand": target}, objectives=aims, points=12).final()
    if not front.found:
        return Answer([False])
    values = np.sort(front.values, axis=0)
    worst = values.max(axis=0) + 1.0
    volume = float(hypervolume(front.values, worst)) if front.values.shape[1] > 1 else 0.0
    near = {"best": flat(front.values.min(axis=0)), "volume": [volume / float(np.prod(worst))]}
    return Answer([True], near, 1e-4)
