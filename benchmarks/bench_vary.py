"""Many runs of a small world: what a second worker gains.

By the clock; on a machine with other work that says too little, so the note tells what two idle
cores would gain by the processor's time: one worker's, by half of what both spend.
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path

import articulata as art
from articulata.world.world_files import LIBRARY
from benchmarks.harness import Report

RUNS, ROUNDS = 1000, 2

REQUEST = f"""vary swing(n: 1) {{
  time: (10 ms, 2 s)
  parameters: start from 10 deg to 80 deg
  samples: {RUNS}
  measure: max p.rod[1].v, final p.rod[1].center.x
}}"""


def spent() -> tuple[float, float]:
    """Return the processor's time (s) of this process, and of those that it had."""
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


def run(report: Report) -> None:
    clock: dict[int, float] = {}
    work: dict[int, float] = {}
    for _ in range(ROUNDS):
        for workers in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                begun, before = time.perf_counter(), spent()
                found = art.vary(
                    LIBRARY / "gallery" / "pendulum.art", REQUEST,
                    folder=Path(folder), workers=workers,
                )  # fmt: skip
                own, others = (b - a for a, b in zip(before, spent(), strict=True))
                took = time.perf_counter() - begun
            assert len(found.points) == RUNS
            assert not found.failures
            clock[workers] = min(took, clock.get(workers, took))
            each = (own + others) / workers
            work[workers] = min(each, work.get(workers, each))
    with report.case(
        f"{RUNS} runs of a small world, two workers to one", unit="", better="higher", target=1.7
    ) as case:
        case.number(
            "articulata",
            clock[1] / clock[2],
            ours=True,
            note=f"{clock[1]:.1f} s and {clock[2]:.1f} s; {work[1] / work[2]:.2f} by the "
            "processor's time",
        )
