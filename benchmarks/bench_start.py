"""How long it takes until something is there: a first frame, an answer of ``check``.

Processes are those of a user: kernels are compiled and bytecode is written before they are timed.
They run in turns, one round of everyone after the other, so that the ratios hold on a machine
whose speed changes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path

import articulata as art
from benchmarks.harness import Report

ROUNDS = 9

FIRST_FRAME = """
import os
from articulata.records import recorder

def stop(self, frame):
    os._exit(0)

recorder.Recorder.frame = stop
from articulata.app.main import main
main()
raise SystemExit("no frame was recorded")
"""
"""The command line up to its first frame: the process ends where it would be recorded."""

MUJOCO = """
import mujoco
from benchmarks import peers_dynamics
peers_dynamics.mujoco_chain(4, "hinge", 1e-3).advance(1)
"""

USER = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def medians(processes: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return the median wall time (s) of each process; those that fail are left out."""
    times: dict[str, list[float]] = {}
    for who, arguments in processes.items():
        # compiles, writes bytecode, fills the caches of the system
        ended = subprocess.run(arguments, env=USER, capture_output=True, check=False)
        if ended.returncode == 0:
            times[who] = []
    for _ in range(ROUNDS):
        for who, listed in times.items():
            start = time.perf_counter()
            subprocess.run(processes[who], env=USER, capture_output=True, check=True)
            listed.append(time.perf_counter() - start)
    return {who: statistics.median(listed) for who, listed in times.items()}


def enter(report: Report, title: str, target: float, processes: dict[str, list[str]]) -> None:
    """Enter a case about processes; the first is ours."""
    bare = {"Python alone": [sys.executable, "-c", "pass"]}
    found = medians(processes | bare)
    note = f"a process; Python alone takes {found.pop('Python alone'):.3f} s of it"
    with report.case(title, unit="s", better="lower", target=target, note=note) as case:
        for number, who in enumerate(processes):
            if who in found:
                case.number(who, found[who], ours=number == 0)
            else:
                case.missing(who, "the process failed")


def run(report: Report) -> None:
    with (
        as_file(files("articulata.world.library") / "gallery") as gallery,
        tempfile.TemporaryDirectory() as out,
    ):
        world = str(gallery / "linkage.art")
        simulate = ["simulate", world, "--headless", "--out", out]
        enter(
            report,
            "first frame of the gallery's linkage, as a process",
            2.0,
            {
                "articulata simulate": [sys.executable, "-c", FIRST_FRAME, *simulate],
                "import numba, scipy.linalg": [sys.executable, "-c", "import numba, scipy.linalg"],
                "MuJoCo, four links": [sys.executable, "-c", MUJOCO],
            },
        )
        enter(
            report,
            "check of the gallery's linkage, as a process",
            0.5,
            {
                "articulata check": [sys.executable, "-m", "articulata", "check", world],
                "import numpy": [sys.executable, "-c", "import numpy"],
            },
        )
        for name in ("linkage", "four_bar"):
            _within(report, gallery / f"{name}.art", name)


def _within(report: Report, file: Path, name: str) -> None:
    """Enter the time from a file to its first two frames in a process that runs already."""
    text = file.read_text()

    def first() -> object:
        document = art.parse(text)
        world = document.world(document.requests[0])
        drives = {drive.controller: _still for drive in world.drives.values()}
        return art.simulate(world, until=1e-3, step=1e-3, controllers=drives)

    with report.case(
        f"first frames of {name}, in a running process",
        unit="s",
        better="lower",
        target=0.05,
        note="from the text: parsing, building, assembling, two frames 1 ms apart",
    ) as case:
        case.time("articulata", first, ours=True)


def _still(time: float, sensed: object) -> tuple[float, float, float]:
    """Control nothing."""
    return (0.0, 0.0, 0.0)
