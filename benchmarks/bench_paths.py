"""Ways about a table: share solved and time beside OMPL's RRT-Connect, on the same questions.

Both ask the same distances, posture by posture or in batches as each can. OMPL's paths count as
free where their postures are, at its resolution; ours by proof. All ways are walked again by coal.
"""

from __future__ import annotations

import itertools
import statistics
import time
from typing import Any

import numpy as np
from tests.clashing import Peer, walker

from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Cuboid
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.free_paths import find_path
from articulata.kinematics.posture_probes import ClashProbe
from benchmarks.harness import Report

PAIRS = 200
LIMIT = 2.0
"""s of search that OMPL has for a pair."""

EFFORT = 20_000
"""Postures that ours examines for a pair at most."""

MARGIN = 0.002
RESOLUTION = 0.01
"""Share of the space's extent between two postures that OMPL examines on its way; 1% is its own."""


def questions() -> tuple[Clash, Peer, list[tuple[Array, Array]]]:
    rng = np.random.default_rng(12)
    one = walker(rng, 6)
    table = np.eye(4)
    table[:3, 3] = (0.35, 0.0, 0.3)
    room = [Obstacle("table", Cuboid(0.5, 0.05, 0.8), table)]
    clash = Clash(one, room)
    pairs = []
    for _ in range(PAIRS):
        ends: list[Array] = []
        while len(ends) < 2:
            q = rng.uniform(one.lower, one.upper)
            if clash.distance(q) > 0.01:
                ends.append(q)
        pairs.append((ends[0], ends[1]))
    return clash, Peer(clash, one, room), pairs


def touches(clash: Clash, peer: Peer, way: Array) -> bool:
    """Tell whether a way touches anything, walked in steps of at most 2 cm by coal."""
    for a, b in itertools.pairwise(way):
        steps = max(int(np.abs(b - a) @ clash.reach / 0.02), 2)
        if min(peer.distance(q) for q in np.linspace(a, b, steps)) <= 0.0:
            return True
    return False


class Ompl:
    """RRT-Connect of OMPL with its shortcuts, over our distances."""

    def __init__(self, clash: Clash) -> None:
        from ompl import base, geometric, util

        util.setLogLevel(util.LogLevel.LOG_NONE)
        self.base, self.geometric = base, geometric
        one: Figure = clash.figure
        self.space = base.RealVectorStateSpace(one.dof)
        bounds = base.RealVectorBounds(one.dof)
        for k in range(one.dof):
            bounds.setLow(k, float(one.lower[k]))
            bounds.setHigh(k, float(one.upper[k]))
        self.space.setBounds(bounds)
        self.dof = one.dof
        self.probe = ClashProbe(clash, np.arange(one.dof), one.neutral)
        self.q = np.empty(one.dof)

    def valid(self, state: Any) -> bool:
        for k in range(self.dof):
            self.q[k] = state[k]
        return self.probe.distance(self.q, 2.0 * MARGIN) > MARGIN

    def way(self, a: Array, b: Array) -> Array | None:
        setup = self.geometric.SimpleSetup(self.space)
        setup.setStateValidityChecker(self.valid)
        setup.getSpaceInformation().setStateValidityCheckingResolution(RESOLUTION)
        ends = [self.space.allocState() for _ in range(2)]
        for state, q in zip(ends, (a, b), strict=True):
            for k in range(self.dof):
                state[k] = float(q[k])
        setup.setStartAndGoalStates(*ends)
        setup.setPlanner(self.geometric.RRTConnect(setup.getSpaceInformation()))
        setup.solve(LIMIT)
        if not setup.haveExactSolutionPath():
            return None
        setup.simplifySolution()
        found = setup.getSolutionPath()
        return np.array(
            [[found.getState(i)[k] for k in range(self.dof)] for i in range(found.getStateCount())]
        )


def run(report: Report) -> None:
    clash, peer, pairs = questions()

    def ours(a: Array, b: Array, seed: int) -> Array | None:
        way = find_path(clash, a, b, margin=MARGIN, effort=EFFORT, seed=seed)
        return way.q if way.found else None

    contestants: dict[str, Any] = {"articulata": ours}
    absent = ""
    try:
        ompl = Ompl(clash)
        contestants["OMPL"] = lambda a, b, seed: ompl.way(a, b)
    except ImportError as error:
        absent = str(error)
    found: dict[str, list[Array | None]] = {who: [] for who in contestants}
    seconds: dict[str, list[float]] = {who: [] for who in contestants}
    ours(*pairs[0], 0)
    for k, (a, b) in enumerate(pairs):
        for who, ask in contestants.items():
            start = time.thread_time()
            found[who].append(ask(a, b, k))
            seconds[who].append(time.thread_time() - start)
    questions_ = {
        f"ways about a table, {PAIRS} pairs: solved": lambda who: sum(
            way is not None for way in found[who]
        ),
        "ways that coal finds to touch": lambda who: sum(
            way is not None and touches(clash, peer, way) for way in found[who]
        ),
        "time of a pair, median": lambda who: statistics.median(seconds[who]),
        "time of a pair that both solved, mean": lambda who: statistics.mean(
            took
            for took, *ways in zip(seconds[who], *found.values(), strict=True)
            if all(way is not None for way in ways)
        ),
    }
    units = ("pairs", "ways", "s of the thread", "s of the thread")
    better = ("higher", "lower", "lower", "lower")
    for (name, value), unit, side in zip(questions_.items(), units, better, strict=True):
        with report.case(name, unit=unit, better=side, note="RRT-Connect, one thread") as case:
            for who in contestants:
                case.number(who, float(value(who)), ours=who == "articulata")
            if absent:
                case.missing("OMPL", absent)
