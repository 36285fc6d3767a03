"""All methods of inverse kinematics on the same targets: the table of docs/inverse-methods.md.

``python -m benchmarks.compare_inverse`` prints it; ``--page docs/inverse-methods.md`` writes it
between the page's marks. Success, errors, travel, drift and counts are the same on every
machine; times are given as a multiple of the engine's in the same run, in steps of 1, 3, 10.
"""

from __future__ import annotations

import argparse
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.unit.kinematics.arms import drawn, person, seven

from articulata.kinematics.chain import Chain
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.inverse.jacobians import (
    DampedLeastSquares,
    ExtendedJacobian,
    JacobianTranspose,
    Pseudoinverse,
    Pull,
    ResolvedMotion,
)
from articulata.kinematics.inverse.method import Method
from articulata.kinematics.inverse.nearest_branch import Swivel
from articulata.kinematics.inverse.quasi_newton import BFGS
from benchmarks.published.sweeping_methods import (
    CoordinateDescent,
    Increment,
    Triangulation,
)

PLACES, POSES, SAMPLES, CYCLES = 300, 200, 120, 4
"""Targets of each comparison; samples of the closed path and how often it is run through."""

TOLERANCE = 0.5e-3  # m, and rad for poses
NEAR = 5e-3  # m: what the increments of 2009 were asked for

NAMED: list[tuple[str, Method, bool]] = [
    ("`Descent()`, the engine", Descent(), True),
    ("`Descent(starts=1)`", Descent(starts=1), True),
    ('`Increment("A")`', Increment("A"), False),
    ('`Increment("B")`', Increment("B"), False),
    ('`Increment("C")`', Increment("C"), False),
    ('`Increment("D")`', Increment("D"), False),
    ('`Increment("E")`', Increment("E"), False),
    ('`Increment("E", starts=5)`', Increment("E", starts=5), False),
    ("`CoordinateDescent()`", CoordinateDescent(), False),
    ("`CoordinateDescent(cap=0.1)`", CoordinateDescent(cap=0.1), False),
    ("`Triangulation()`", Triangulation(), False),
    ("`JacobianTranspose()`", JacobianTranspose(), True),
    ("`Pseudoinverse()`", Pseudoinverse(), True),
    ("`DampedLeastSquares()`", DampedLeastSquares(), True),
    ("`ExtendedJacobian()`", ExtendedJacobian(), True),
    ("`ResolvedMotion()`", ResolvedMotion(), True),
    ("`ResolvedMotion(feedback=1.0)`", ResolvedMotion(feedback=1.0), True),
    ("`BFGS()`", BFGS(), True),
]
"""What is compared: words, method, whether it knows poses."""


@dataclass(frozen=True, slots=True)
class Row:
    """One method's figures: shares met and near, what the missed are off (median, mm), the rest."""

    name: str
    met: float
    near: float
    missed: float
    work: str
    travel: float
    seconds: float


def on_targets(
    chain: Chain,
    targets: Any,
    start: Any,
    methods: Sequence[tuple[str, Method]],
    clock: Callable[[], float],
) -> list[Row]:
    """Ask every method for the same targets from the same posture."""
    rows = []
    for name, method in methods:
        chain.inverse(targets[:2], start, TOLERANCE, method)
        seconds = math.inf
        for _ in range(5):
            began = clock()
            answers = chain.inverse(targets, start, TOLERANCE, method)
            seconds = min(seconds, clock() - began)
            if seconds > 0.05:
                break
        missed = answers.error[~answers.found]
        counts = answers.counts
        work = [f"{np.median(counts[key]):.0f} {key}" for key in _WORK if key in counts][:1]
        if "products" in counts:
            work.append(f"{np.median(counts['products']):.0f} products")
        rows.append(
            Row(
                name,
                float(answers.found.mean()),
                float((answers.error <= NEAR).mean()),
                float(np.median(missed)) * 1e3 if len(missed) else 0.0,
                ", ".join(work),
                float(np.median(np.abs(answers.q - start).sum(axis=1))),
                seconds,
            )
        )
    return rows


_WORK = ("iterations", "starts")


@dataclass(frozen=True, slots=True)
class Closed:
    """One method on a closed path: worst error (mm), largest jump, drift of a cycle (rad)."""

    name: str
    worst: float
    jump: float
    travel: float
    drift: float


def on_a_closed_path(
    chain: Chain, start: Any, radius: float, methods: Sequence[tuple[str, Method]]
) -> list[Closed]:
    """Lead the hand round a circle several times; compare postures at its beginning."""
    turn = np.linspace(0.0, CYCLES * math.tau, CYCLES * SAMPLES + 1)
    place = chain.tip(start)[:3, 3]
    path = np.tile(place, (len(turn), 1))
    path[:, 0] += radius * (np.cos(turn) - 1.0)
    path[:, 1] += radius * np.sin(turn)
    rows = []
    for name, method in methods:
        followed = chain.follow(path, start=start, tolerance=TOLERANCE, method=method)
        at_start = followed.q[::SAMPLES]
        rows.append(
            Closed(
                name,
                float(followed.answers.error.max()) * 1e3,
                float(followed.motion.max()),
                followed.travel / CYCLES,
                float(np.abs(at_start[-1] - at_start[1]).max()) / (CYCLES - 1),
            )
        )
    return rows


def tables(clock: Callable[[], float], *, few: bool = False) -> str:
    """Return the tables as Markdown; ``few`` takes few targets, to try the program."""
    rng = np.random.default_rng(1995)
    count = (8, 6) if few else (PLACES, POSES)
    chain = person()
    places = chain.tip(drawn(chain, rng, count[0]))[:, :3, 3]
    first = on_targets(
        chain,
        places,
        0.5 * (chain.lower + chain.upper),
        [(name, method) for name, method, _ in NAMED],
        clock,
    )
    arm = seven()
    bent = np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.8, 0.1])
    poses = arm.tip(drawn(arm, rng, count[1]))
    methods = [(name, method) for name, method, knows in NAMED if knows]
    second = on_targets(arm, poses, bent, [*methods, ("`Swivel()`, closed form", Swivel())], clock)
    paths: list[tuple[str, Method]] = [
        ("`Descent()`, each place from the last", Descent()),
        ('`Increment("E")`, each place from the last', Increment("E")),
        ("`CoordinateDescent()`, each place from the last", CoordinateDescent()),
        ("`CoordinateDescent(cap=0.1)`, each place from the last", CoordinateDescent(cap=0.1)),
        ("`Triangulation()`, each place from the last", Triangulation()),
        ("`BFGS()`, each place from the last", BFGS()),
        ("`JacobianTranspose(feedback=1.0)`, by rates", JacobianTranspose(feedback=1.0)),
        ("`ResolvedMotion()`, by rates without feedback", ResolvedMotion()),
        ("`Pseudoinverse(feedback=1.0)`, by rates", Pseudoinverse(feedback=1.0)),
        (
            "`Pseudoinverse(feedback=1.0, task=Pull(0.1, start))`, by rates",
            Pseudoinverse(feedback=1.0, task=Pull(0.1, bent)),
        ),
        (
            "`DampedLeastSquares(damping=0.05, feedback=1.0)`, by rates",
            DampedLeastSquares(damping=0.05, feedback=1.0),
        ),
        (
            "`ExtendedJacobian(feedback=1.0, task=Pull(1.0, start))`, by rates",
            ExtendedJacobian(feedback=1.0, task=Pull(1.0, bent)),
        ),
    ]
    third = on_a_closed_path(arm, bent, 0.1, paths)
    return "\n".join(
        [
            f"## {len(places)} places, 21 joints, to 0.5 mm",
            "",
            *_table(first),
            "",
            f"## {len(poses)} poses, seven joints, to 0.5 mm and 0.5 mrad",
            "",
            *_table(second),
            "",
            f"## A closed path: a circle of 0.1 m in {SAMPLES} places, run through {CYCLES} times",
            "",
            "| method | worst error, mm | largest step of a joint, rad | travel of a cycle, rad "
            "| drift of a cycle, rad |",
            "|---|---:|---:|---:|---:|",
            *(
                f"| {row.name} | {_two(row.worst)} | {row.jump:.2g} | {row.travel:.3g} | "
                f"{_small(row.drift)} |"
                for row in third
            ),
            "",
        ]
    )


def _table(rows: list[Row]) -> list[str]:
    engine = rows[0].seconds
    return [
        "| method | met | place within 5 mm | missed by (median), mm | work (median) "
        "| joint travel (median), rad | time, the engine's = 1 |",
        "|---|---:|---:|---:|---|---:|---:|",
        *(
            f"| {row.name} | {row.met:.1%} | {row.near:.1%} | {_missed(row)} | {row.work} | "
            f"{row.travel:.3g} | {_order(row.seconds / engine)} |"
            for row in rows
        ),
    ]


def _missed(row: Row) -> str:
    return "" if row.met == 1.0 else _two(row.missed)


def _two(value: float) -> str:
    """Return two digits, without an exponent."""
    return f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"


def _small(value: float) -> str:
    return "below 1e-4" if value < 1e-4 else f"{value:.1g}"


def _order(value: float) -> str:
    """Return a ratio as 1, 3, 10, 30 ...: finer steps are the machine's, not the method's."""
    if value <= 0.0:
        return "0"
    half = round(2.0 * math.log10(value))
    shown = (1.0 if half % 2 == 0 else 3.0) * 10.0 ** (half // 2)
    return f"{shown:g}" if shown < 1e5 else f"{shown:.0f}"


MARKS = re.compile(r"(<!-- tables -->\n).*(<!-- end of tables -->)", re.S)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, help="the page whose tables to write anew")
    given = parser.parse_args()
    text = tables(time.perf_counter)
    print(text)
    if given.page is not None:
        page = given.page.read_text()
        given.page.write_text(MARKS.sub(lambda m: f"{m[1]}\n{text}\n{m[2]}", page))


if __name__ == "__main__":
    main()
