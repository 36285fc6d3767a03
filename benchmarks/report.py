"""The table and the file that a benchmark run leaves."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.harness import Case, Report

PACKAGES = (
    "articulata", "numpy", "scipy", "numba", "mujoco", "pin", "drake", "exudyn", "pybullet",
    "eaik", "ssik", "mink", "pytracik", "roboticstoolbox-python", "coal",
)  # fmt: skip


def machine() -> dict[str, Any]:
    """Return what the figures depend on: processor, cores, Python and package versions."""
    processor = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
                break
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "absent"
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "versions": versions,
    }


def as_json(report: Report, failed: list[str]) -> dict[str, Any]:
    """Return a run as plain values."""
    return {
        "machine": machine(),
        "failed": failed,
        "cases": [
            {
                "name": case.name,
                "unit": case.unit,
                "better": case.better,
                "target": case.target,
                "reached": case.reached(),
                "note": case.note,
                "absent": case.absent,
                "answers": [
                    {
                        "who": answer.who,
                        "ours": answer.ours,
                        "value": answer.value,
                        "spread": answer.spread,
                        "ratio": case.ratio(answer),
                        "note": answer.note,
                    }
                    for answer in case.answers
                ],
            }
            for case in report.cases
        ],
    }


def _lines(case: Case) -> list[str]:
    target = ""
    if case.target is not None:
        verdict = {True: "reached", False: "NOT reached", None: "no value of ours"}[case.reached()]
        target = f"   (to reach: {case.target:g} {case.unit}: {verdict})"
    lines = [f"{case.name}{target}"]
    if case.note:
        lines.append(f"  {case.note}")
    for answer in sorted(case.answers, key=lambda a: not a.ours):
        ratio = case.ratio(answer)
        beside = "" if ratio is None else f"ours is {ratio:.3g} x"
        spread = f"+-{answer.spread / 2:.0%}" if answer.spread else ""
        lines.append(
            f"  {answer.who:<28} {answer.value:>12.5g} {case.unit:<10} {spread:<7} "
            f"{beside:<16} {answer.note}".rstrip()
        )
    lines += [f"  {who:<28} absent: {why}" for who, why in case.absent.items()]
    return lines


def as_table(report: Report) -> str:
    """Return a run as text: each case with ours first and each peer's ratio beside it."""
    about = machine()
    head = (
        f"{about['processor']}, {about['cores']} cores, load {about['load']:.1f}, "
        f"Python {about['python']}; one thread; median of rounds in turns"
    )
    blocks = [head, *("\n".join(_lines(case)) for case in report.cases)]
    return "\n\n".join(blocks) + "\n"
