"""How long ``import articulata`` takes, as a process."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from benchmarks.harness import Report

ROUNDS = 9


def seconds(code: str) -> float:
    """Return the median wall time of a Python process that runs the code."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def run(report: Report) -> None:
    bare = seconds("pass")
    with report.case(
        "import articulata",
        unit="s",
        better="lower",
        target=0.5,
        note=f"a process that imports and ends; Python alone takes {bare:.3f} s of it",
    ) as case:
        case.number("articulata", seconds("import articulata"), ours=True)
        for peer in ("numpy", "mujoco", "pinocchio", "roboticstoolbox", "pydrake.all"):
            if subprocess.run(
                [sys.executable, "-c", f"import {peer}"], capture_output=True, check=False
            ).returncode:
                case.missing(peer, "cannot be imported here")
            else:
                case.number(peer, seconds(f"import {peer}"))
