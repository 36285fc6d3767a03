"""A CUDA device beside one thread of its host: answers and rates of the same batches.

``python -m benchmarks.graphics`` where the extra ``cuda`` is installed and a device answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.unit.kernels.chains import (
    camera_robot,
    random_chain,
    random_postures,
    tip_poses,
    torso_to_hand,
)

from articulata.kernels.chains import pose_targets, positions, wrist6
from articulata.kernels.chains.graphics import device

COUNT = 1_000_000
HOST_COUNT = 20_000
"""The host is timed on a part of the batch."""


def rate(work: Callable[[], Any], count: int) -> tuple[Any, float]:
    """Return the answer and the seconds for each target, best of three after a first call."""
    answer = work()
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        answer = work()
        best = min(best, time.perf_counter() - start)
    return answer, best / count


def report(what: str, there: float, here: float, agreement: str) -> None:
    print(
        f"{what:34s} device {1e9 * there:8.1f} ns  one thread {1e9 * here:8.1f} ns  "
        f"ratio {here / there:6.1f}  {agreement}"
    )


def bench_positions(rng: np.random.Generator) -> None:
    chain = torso_to_hand()
    targets = tip_poses(chain, random_postures(chain, rng, COUNT))[:, :3, 3]
    solver = positions.prepare(*chain)
    there, fast = rate(lambda: positions.solve(solver, targets, 0.5e-3), COUNT)
    part = targets[:HOST_COUNT]
    here, slow = rate(lambda: positions.solve(solver, part, 0.5e-3, threads=1), HOST_COUNT)
    own = np.linalg.norm(tip_poses(chain, there.q[:HOST_COUNT])[:, :3, 3] - part, axis=1)
    report(
        "21 joints, reachable points",
        fast,
        slow,
        f"missed {np.sum(there.error > 0.5e-3)} of {COUNT}, host {np.sum(here.error > 0.5e-3)} of "
        f"{HOST_COUNT}; error off by {np.abs(own - there.error[:HOST_COUNT]).max():.1e} m",
    )
    room = rng.uniform(-1.2, 1.2, (COUNT, 3))
    there, fast = rate(lambda: positions.solve(solver, room, 0.5e-3), COUNT)
    part = room[:HOST_COUNT]
    here, slow = rate(lambda: positions.solve(solver, part, 0.5e-3, threads=1), HOST_COUNT)
    found = there.error[:HOST_COUNT] <= 0.5e-3
    report(
        "21 joints, a room",
        fast,
        slow,
        f"found {found.mean():.4f}, host {np.mean(here.error <= 0.5e-3):.4f}, "
        f"proofs differ in {np.sum(there.proof[:HOST_COUNT] != here.proof)}",
    )


def bench_poses(rng: np.random.Generator) -> None:
    chain = random_chain(np.random.default_rng(4), 7, prismatic=False)
    goals = np.tile(np.eye(4), (COUNT // 4, 1, 1))
    goals[:, :3] = tip_poses(chain, random_postures(chain, rng, len(goals)))[:, :3]
    solver = pose_targets.prepare_poses(*chain)
    there, fast = rate(lambda: pose_targets.solve_poses(solver, goals, 1e-6, 1e-6), len(goals))
    part = goals[:HOST_COUNT]
    here, slow = rate(
        lambda: pose_targets.solve_poses(solver, part, 1e-6, 1e-6, threads=1), HOST_COUNT
    )
    missed = (there.distance > 1e-6) | (there.angle > 1e-6)
    missed_here = (here.distance > 1e-6) | (here.angle > 1e-6)
    agreement = f"missed {missed.sum()} of {len(goals)}, host {missed_here.sum()} of {HOST_COUNT}"
    report("7 joints, poses to 1e-6", fast, slow, agreement)


def bench_wrist(rng: np.random.Generator) -> None:
    chain = camera_robot()
    goals = np.tile(np.eye(4), (COUNT, 1, 1))
    goals[:, :3] = tip_poses(chain, rng.uniform(-np.pi, np.pi, (COUNT, 6)))[:, :3]
    arm = wrist6.prepare_wrist(*chain)
    assert arm is not None
    there, fast = rate(lambda: wrist6.solve_wrist(arm, goals), COUNT)
    part = goals[:HOST_COUNT]
    here, slow = rate(lambda: wrist6.solve_wrist(arm, part, threads=1), HOST_COUNT)
    exists = here.flags > 0
    turn = np.abs(np.exp(1j * (there.q[:HOST_COUNT] - here.q)[exists]) - 1.0)
    report(
        "six joints, all branches",
        fast,
        slow,
        f"angles differ by {np.median(turn):.1e} (median), {turn.max():.1e} (most); "
        f"flags differ in {np.sum(there.flags[:HOST_COUNT] != here.flags)}",
    )


def main() -> None:
    if not device.present():
        raise SystemExit("no CUDA device: install the extra 'cuda' on a machine that has one")
    rng = np.random.default_rng(0)
    bench_positions(rng)
    bench_poses(rng)
    bench_wrist(rng)


if __name__ == "__main__":
    main()
