"""A CUDA device beside its host, on one thread and on all: answers and rates of the same batches.

``python -m benchmarks.graphics`` where the extra ``cuda`` is installed and a device answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.unit.kernels.chains import random_chain, random_postures, tip_poses, torso_to_hand

from articulata.kernels.chains.iterative_solvers import tip_targets
from articulata.kernels.chains.iterative_solvers.graphics import device
from articulata.kernels.lanes.host import processor_count

COUNT = 1_000_000
PART = 20_000
"""One thread is timed on a part of the batch."""

Solve = Callable[[Any, int | None], Any]
"""Targets and threads to answers; no number of threads lets the device take them."""


def rate(work: Callable[[], Any], count: int) -> tuple[Any, float]:
    """Return the answer and the seconds for each target, best of three after a first call."""
    answer = work()
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        answer = work()
        best = min(best, time.perf_counter() - start)
    return answer, best / count


def beside(what: str, solve: Solve, targets: Any) -> tuple[Any, Any]:
    """Print the rates of device and host; return the device's answers and those of a part."""
    threads = processor_count()
    there, on_device = rate(lambda: solve(targets, None), len(targets))
    _, on_all = rate(lambda: solve(targets, threads), len(targets))
    here, on_one = rate(lambda: solve(targets[:PART], 1), PART)
    print(
        f"{what:28s} device {1e9 * on_device:6.0f} ns; one thread {1e9 * on_one:6.0f} ns, "
        f"{on_one / on_device:.1f} times; {threads} threads {1e9 * on_all:6.0f} ns, "
        f"{on_all / on_device:.1f} times"
    )
    return there, here


def bench_positions(rng: np.random.Generator) -> None:
    chain = torso_to_hand()
    solver = tip_targets.prepare(*chain)

    def solve(targets: Any, threads: int | None) -> Any:
        return tip_targets.solve(solver, targets, 0.5e-3, threads=threads)

    targets = tip_poses(chain, random_postures(chain, rng, COUNT))[:, :3, 3]
    there, here = beside("21 joints, reachable points", solve, targets)
    own = np.linalg.norm(tip_poses(chain, there.q[:PART])[:, :3, 3] - targets[:PART], axis=1)
    print(
        f"  missed {np.sum(there.distance > 0.5e-3)} of {COUNT}, host "
        f"{np.sum(here.distance > 0.5e-3)} of {PART}; error off by "
        f"{np.abs(own - there.distance[:PART]).max():.1e} m"
    )
    there, here = beside("21 joints, a room", solve, rng.uniform(-1.2, 1.2, (COUNT, 3)))
    print(
        f"  found {np.mean(there.distance[:PART] <= 0.5e-3):.4f}, host "
        f"{np.mean(here.distance <= 0.5e-3):.4f}, proofs differ in "
        f"{np.sum(there.proof[:PART] != here.proof)}"
    )


def bench_poses(rng: np.random.Generator) -> None:
    chain = random_chain(np.random.default_rng(4), 7, prismatic=False)
    solver = tip_targets.prepare(*chain, tip_targets.POSE_STARTS)

    def solve(goals: Any, threads: int | None) -> Any:
        return tip_targets.solve(solver, goals, 1e-6, 1e-6, threads=threads)

    goals = np.tile(np.eye(4), (COUNT // 4, 1, 1))
    goals[:, :3] = tip_poses(chain, random_postures(chain, rng, len(goals)))[:, :3]
    answers = beside("7 joints, poses to 1e-6", solve, goals)
    there, here = (np.sum((of.distance > 1e-6) | (of.angle > 1e-6)) for of in answers)
    print(f"  missed {there} of {len(goals)}, host {here} of {PART}")


def main() -> None:
    if not device.present():
        raise SystemExit("no CUDA device: install the extra 'cuda' on a machine that has one")
    rng = np.random.default_rng(0)
    bench_positions(rng)
    bench_poses(rng)


if __name__ == "__main__":
    main()
