"""Postures by sensors: arms in any posture, moving, both or one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from articulata.analyses.track.calibration import Calibration, level
from articulata.analyses.track.tracker import Tracker
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS
from tracked import body_of

from .store import Answer, Question, flat

RUNS = 200
"""Somebody moves his arms in each."""

RIGHT = {station: role for station, role in STATIONS.items() if station <= 4}


def questions() -> Iterator[Question]:
    """Yield the questions of this room."""
    for seed in range(RUNS):
        stations = RIGHT if seed % 5 == 0 else STATIONS
        yield f"arms {seed}", partial(_tracked, seed, stations)


def _tracked(seed: int, stations: Mapping[int, str]) -> Answer:
    body = body_of()
    rng = np.random.default_rng([seed, 3])
    worn = {s: role for s, role in stations.items() if role in body.orientations(body.rest)}
    mounts = {s: Rotation.exp(rng.normal(0.0, 1.0, 3)) for s in worn}
    R_TF = level(body, 0.3).inverse()
    calibration = Calibration(level(body, 0.3), mounts)
    tracker = Tracker(body, worn, calibration)
    state = tracker.start()
    columns = body.columns.reshape(-1)
    start = body.rest.copy()
    start[columns] += rng.uniform(-1.2, 1.2, len(columns))
    pace = rng.uniform(0.3, 2.0, len(columns))
    told = []
    posture = None
    for k in range(24):
        time = k / 60.0
        q = start.copy()
        q[columns] += 0.4 * np.sin(pace * time)
        seen = body.orientations(q)
        for station, role in worn.items():
            R_TS = R_TF @ Rotation.from_matrix(seen[role]) @ mounts[station].inverse()
            x, y, z, w = R_TS.to_quaternion()
            sample = Sample(station, time, time, (x, y, z, w), (0.0, 0.0, 0.0))
            state, posture = tracker.step(state, [sample])
        if k % 8 == 7 and posture is not None:
            told += flat(posture.q)
    assert posture is not None
    return Answer([list(posture.frozen), list(posture.outside)], {"q": told}, 1e-9)
