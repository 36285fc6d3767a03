"""Work against precision: how long a second of motion takes when it is to be right to so much.

Everyone is given steps or tolerances, coarse to fine, and takes the coarsest that brings the last
rod's place after one second within the wanted error of an integration of order 8 with tolerances
of 1e-13. The time is that of the whole second; ours includes building and recording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import articulata as art
from articulata.geometry.arrays import Array
from benchmarks import peers_dynamics as peers
from benchmarks.bench_dynamics import chain
from benchmarks.harness import Case, Report

ERRORS = (1e-3, 1e-6, 1e-9)
STEPS = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5)
TOLERANCES = tuple(10.0**-k for k in range(3, 14))

Try = tuple[str, Callable[[], object], Callable[[], Array]]
"""What it was given, a function that runs the second, and one that gives the place reached."""


def ours(world: art.World, methods: list[tuple[str, art.Method]]) -> Iterator[Try]:
    """Return our tries with methods from coarse to fine."""
    for words, method in methods:

        def second(method: art.Method = method) -> art.Recording:
            return art.simulate(world, until=1.0, step=1.0, method=method)

        yield words, second, lambda run=second: run().array("dynamic.position")[-1, -1]


def stepped(make: Callable[[int, str, float], peers.Peer], links: int, joint: str) -> Iterator[Try]:
    """Return a peer's tries with fixed steps."""
    for step in STEPS:
        peer, count = make(links, joint, step), round(1.0 / step)

        def second(peer: peers.Peer = peer, count: int = count) -> None:
            peer.reset()
            peer.advance(count)

        def place(peer: peers.Peer = peer, second: Callable[[], None] = second) -> Array:
            second()
            return np.asarray(peer.place())

        yield f"step {step:g} s", second, place


def enter(case: Case, who: str, tries: Iterator[Try], exact: Array, error: float) -> None:
    """Enter the first try that is right to ``error`` (m)."""
    for words, second, place in tries:
        off = float(np.max(np.abs(place() - exact)))
        if off <= error:
            mine = who.startswith("articulata, DOP853")
            case.time(who, second, ours=mine, note=f"{words}, off by {off:.0e} m")
            return
    case.missing(who, f"not right to {error:g} m with any of its steps")


def run(report: Report) -> None:
    for title, links, hinge, joint in (
        ("pendulum of one rod", 1, "pin(axis: z)", "hinge"),
        ("chain of three rods", 3, "pin(axis: z)", "hinge"),
        ("chain of ten ball joints", 10, "ball", "ball"),
    ):
        world = chain(links, hinge)
        tight = art.DOP853(relative=1e-13, absolute=1e-13)
        reached = art.simulate(world, until=1.0, step=1.0, method=tight)
        exact = reached.array("dynamic.position")[-1, -1]
        loose = [(f"tolerance {t:g}", art.DOP853(relative=t, absolute=t)) for t in TOLERANCES]
        fixed = [(f"step {h:g} s", art.RK4(step=h)) for h in STEPS]
        for error in ERRORS:
            with report.case(
                f"a second of a {title}, right to {error:g} m",
                unit="s",
                better="lower",
            ) as case:
                enter(case, "articulata, DOP853", ours(world, loose), exact, error)
                enter(case, "articulata, RK4", ours(world, fixed), exact, error)
                enter(
                    case,
                    "MuJoCo RK4",
                    stepped(peers.mujoco_chain, links, joint),
                    exact,
                    error,
                )
                enter(
                    case,
                    "Pinocchio, RK4 in Python",
                    stepped(peers.pinocchio_chain, links, joint),
                    exact,
                    error,
                )
