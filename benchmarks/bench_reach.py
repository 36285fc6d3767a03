"""Reach of people in a room: labels of a map, a drag answered, and targets that are areas."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import numpy as np
from tests.unit.kernels.chains import random_postures, tip_poses, torso_to_hand
from tests.unit.kinematics.arms import chain_of

from articulata.analyses.reach.bare_reach import COARSE
from articulata.analyses.reach.envelope import Envelope
from articulata.analyses.reach.question import grid_of, study_of
from articulata.kinematics.inverse.areas import CircleArea, RectangleArea
from articulata.kinematics.inverse.descent import Descent
from articulata.sessions.requests import request_in, text_of
from articulata.world.document import read
from benchmarks.harness import Report

UNIT = 0.01
"""m. The paper's lengths are read as centimetres; it stops at half a unit."""

UP, AHEAD = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
"""Of the paper's base frame: x left, y up, z forward."""


def rooms(report: Report) -> None:
    study, _, step = study_of(request_in(read(text_of(Path("kitchen"))), "reach"))
    points = study.room.into(grid_of(study.room, step or 0.05))
    for who in ("on foot", "manual wheelchair"):
        case = study.case(who)
        case.label(points[:100], None, COARSE)  # compiles
        case.envelope = Envelope(case.body)
        title = f"kitchen at 5 cm, {who}"
        begun, spent = time.perf_counter(), time.process_time()
        case.label(points, None, COARSE)
        took, used = time.perf_counter() - begun, time.process_time() - spent
        with report.case(title, unit="s", better="lower", target=10.0) as entry:
            entry.number("articulata", took, ours=True, note="envelope and labels")
        with report.case(f"{title}, processor", unit="points/s", better="higher") as entry:
            entry.number("articulata", len(points) / used, ours=True)


def areas(report: Report) -> None:
    """The moving base of Otmani and Pruski 2009: 10,000 places, one start, half a unit."""
    table = torso_to_hand()
    chain = chain_of(table)
    places = tip_poses(table, random_postures(table, np.random.default_rng(0), 10_000))[:, :3, 3]
    asked = {
        "point": places,
        "circle": CircleArea(places, 40 * UNIT, normal=UP),
        "rectangle": RectangleArea(places, 80 * UNIT, 60 * UNIT, AHEAD, UP),
    }
    one = Descent(starts=1)
    for name, target in asked.items():
        answers = chain.inverse(target, tolerance=0.5 * UNIT, method=one)
        error = float(np.mean(answers.error[answers.found])) / UNIT
        with report.case(f"moving base, {name}", unit="s", better="lower") as entry:
            entry.time(
                "articulata",
                partial(chain.inverse, target, tolerance=0.5 * UNIT, method=one),
                count=len(places),
                ours=True,
                note=f"met {answers.found.mean():.1%}, mean error {error:.3f} units",
            )


def run(report: Report) -> None:
    areas(report)
    rooms(report)
