"""Reach of people in a room: labels of a map, and a base that moves over areas.

Times are of the processor, on one thread: a core's work whatever else the machine does. Only what
more cores gain is told by the clock, one thread and all of them in turns.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from tests.unit.kinematics.moving_bases import FLOOR, moving_base

from articulata.analyses.reach.cohorts.shares import Crowd, share_maps_of
from articulata.analyses.reach.one_person.body import Capability
from articulata.analyses.reach.one_person.envelope import Envelope
from articulata.analyses.reach.points.labelling import labels_of
from articulata.analyses.reach.reach_question import grid_of, study_of
from articulata.kernels.lanes.host import THREADS_VARIABLE, processor_count
from articulata.kinematics.inverse.areas import StandingArea
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.inverse.postures import Postures
from articulata.kinematics.library import figure
from articulata.sessions.given_files import request_in
from articulata.world.document import read
from articulata.world.requests.reach import Population
from articulata.world.requests.ways_to_move import OnFoot
from articulata.world.world_files import shipped
from benchmarks.harness import Report

UNIT = 0.01
"""m. The paper's lengths are read as centimetres; it stops at half a unit."""

CROWD = 8
"""People whose maps are made on one core and on all; each map has every eighth point."""

TURNS = 9
"""How often each is timed, in turns; the least counts."""


def spent(*calls: Callable[[], object]) -> list[float]:
    """Return the least processor time, s, of each call."""
    least = [np.inf] * len(calls)
    for turn in range(TURNS + 1):
        for number, call in enumerate(calls):
            begun = time.process_time()
            call()
            if turn > 0:  # the first compiles
                least[number] = min(least[number], time.process_time() - begun)
    return least


def rooms(report: Report) -> None:
    """Maps of the kitchen, collisions checked: the envelope apart, which is made once."""
    study, _, step = study_of(request_in(read(shipped("kitchen")), "reach"))
    points = study.room.into(grid_of(study.room, step or 0.05))
    for who in ("on foot", "manual wheelchair"):
        case = study.case(who)
        labels_of(case, points[:100])  # compiles
        case.envelope = Envelope(case.body)
        title = f"kitchen at 5 cm, {who}"
        begun, used = time.perf_counter(), time.process_time()
        labels_of(case, points)
        took, used = time.perf_counter() - begun, time.process_time() - used
        with report.case(title, unit="s", better="lower", target=10.0) as entry:
            entry.number("articulata", took, ours=True, note="envelope and labels")
        with report.case(
            f"{title}, labels a core", unit="points/s", better="higher", target=30_000
        ) as entry:
            entry.number("articulata", len(points) / used, ours=True, note="collisions checked")


def room_of_areas(report: Report) -> None:
    """A room of points without collisions: 16 starts, a chair that turns on its floor."""
    chain = figure("otmani_2009").chain("seat to hand")
    axes = [np.arange(-2.5, 2.5, 0.05), np.arange(-1.5, 2.0, 0.05), np.arange(-2.0, 2.0, 0.05)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    corners = 0.5 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * FLOOR
    area = StandingArea(points, corners, 1.2, 0.7, (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    answers = chain.inverse(area, tolerance=0.5 * UNIT)
    begun = time.process_time()
    chain.inverse(area, tolerance=0.5 * UNIT)
    used = time.process_time() - begun
    with report.case(
        "room of areas, 16 starts, a core", unit="points/s", better="higher", target=150_000
    ) as entry:
        note = f"{answers.found.mean():.1%} reached, {answers.proved.mean():.1%} excluded"
        entry.number("articulata", len(points) / used, ours=True, note=note)


def scaling(report: Report) -> None:
    """Maps of eight people made to measure: each number of threads by the clock, in turns."""
    study, _, step = study_of(request_in(read(shipped("kitchen")), "reach"))
    points = study.room.into(grid_of(study.room, step or 0.05))[::CROWD]
    crowd = Crowd(Population(CROWD), OnFoot(), Capability())

    def ask() -> None:
        share_maps_of(study.room, [crowd], points, postures=study.postures, seed=0)

    ask()  # compiles
    least: dict[int, float] = {}
    kept = os.environ.get(THREADS_VARIABLE)
    for _ in range(3):
        for threads in range(1, processor_count() + 1):
            os.environ[THREADS_VARIABLE] = str(threads)
            begun = time.perf_counter()
            ask()
            took = time.perf_counter() - begun
            least[threads] = min(took, least.get(threads, took))
    os.environ.pop(THREADS_VARIABLE)
    if kept is not None:
        os.environ[THREADS_VARIABLE] = kept
    for threads, took in least.items():
        with report.case(
            f"people abreast, {threads} of the cores", unit="", better="higher"
        ) as entry:
            entry.number("articulata", least[1] / took, ours=True, note=f"{took:.2f} s")


def moving(report: Report) -> None:
    """Table 2 of Otmani and Pruski 2009: 10,000 places, one start, half a unit."""
    fixed, turning, places, areas = moving_base(10_000)
    one = Descent(starts=1)

    def ask(base: str) -> Postures:
        chain = fixed if base == "point" else turning
        return chain.inverse(areas[base], tolerance=0.5 * UNIT, method=one)

    seconds = spent(*(partial(ask, base) for base in areas))
    per = dict(zip(areas, seconds, strict=True))
    for base, most in (("point", 1.0), ("circle", 1.2), ("rectangle", 2.0)):
        answers = ask(base)
        error = float(np.mean(answers.error)) / UNIT
        note = f"met {answers.found.mean():.2%}, mean error of all {error:.3f} units"
        target = 1.0 if base == "point" else None
        with report.case(f"moving base, {base}", unit="us", better="lower", target=target) as entry:
            entry.number("articulata", per[base] / len(places) * 1e6, ours=True, note=note)
        if base != "point":
            with report.case(
                f"moving base, {base} to point", unit="", better="lower", target=most
            ) as entry:
                entry.number("articulata", per[base] / per["point"], ours=True)


def run(report: Report) -> None:
    moving(report)
    room_of_areas(report)
    rooms(report)
    scaling(report)
