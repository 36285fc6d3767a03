"""Flying a camera on a robot: from a report of a device to joints, and verdicts of whole moves."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib.resources import files

import numpy as np
import numpy.typing as npt

import articulata as art
from articulata.geometry.camera_motion import moved
from benchmarks.harness import Report

START = np.radians([-20.0, -40.0, 100.0, 20.0, -60.0, 10.0])

EFFORTS = (308.0, 631.0, 439.0, 88.0, 153.0, 31.0)
"""N m: the most that such flights of the r3 ask for where nothing limits them."""

MOST = 300.0
"""us that 99 of 100 ticks may take."""


def _ticks(
    carrier: art.Carrier,
    steering: art.Steering,
    count: int = 6000,
    *,
    start: npt.ArrayLike = START,
    target: tuple[float, float, float] | None = (0.0, 1.0, 0.0),
) -> list[float]:
    """Return the thread's time of each tick, us, under reports that change."""
    pilot = art.Pilot(carrier, start, steering=steering)
    rng, report, took = np.random.default_rng(1), (0.0,) * 6, []
    for k in range(count):
        if k % 200 == 0:
            report = tuple(rng.uniform(-0.7, 0.7, 6).tolist())
        begun = time.thread_time()
        pilot.tick(report, target=target)
        took.append(1e6 * (time.thread_time() - begun))
    return took[500:]


def _asleep(count: int = 1500) -> list[float]:
    """Return what a loop that sleeps and adds a thousand numbers takes for these, us.

    What it takes beyond the median no program on this machine can help.
    """
    took = []
    for _ in range(count):
        time.sleep(0.002)
        begun = time.thread_time()
        sum(range(1000))
        took.append(1e6 * (time.thread_time() - begun))
    return took


def _tell(report: Report, name: str, took: list[float]) -> None:
    for value, words, unit in (
        (float(np.percentile(took, 50)), "median", "us"),
        (float(np.percentile(took, 99)), "99 of 100", "us"),
        (100.0 * float(np.mean(np.array(took) > MOST)), f"beyond {MOST:.0f} us", "%"),
    ):
        with report.case(f"{name}: {words}", unit=unit, better="lower") as case:
            case.number("articulata", value, ours=True)


def run(report: Report) -> None:
    carrier = art.Carrier(art.figure("manutec_r3"), "flange")
    whole = art.Carrier(art.figure("manutec_r3"), "flange", efforts=EFFORTS, jerks=300.0)
    for name, arm in (("r3", carrier), ("r3, torques and jerks too", whole)):
        for way, steering in (
            ("fly", art.Steering()),
            ("look at a point", art.Steering(look=True)),
        ):
            took = _ticks(arm, steering)
            _tell(report, f"a tick from device to joints, {name}, {way}", took)
    room = files("articulata.world.library") / "rooms" / "inspection_cell.art"
    cell = art.setting_of(art.parse(room.read_text("utf-8")).requests[0])
    assert cell.carrier is not None
    look = art.Steering(look=True)
    for name, arm in (
        ("", cell.carrier),
        (", torques and jerks too", replace(cell.carrier, efforts=EFFORTS, jerks=300.0)),
    ):
        took = _ticks(arm, look, start=cell.q, target=cell.target)
        title = f"a tick in the inspection cell, look at a point, nothing struck{name}"
        _tell(report, title, took)
    idle = _asleep()
    for share, words in ((50, "median"), (99, "99 of 100")):
        title = f"this machine: a loop that sleeps and adds a thousand numbers: {words}"
        with report.case(title, unit="us", better="lower") as case:
            case.number("Python", float(np.percentile(idle, share)))
    t = np.linspace(0.0, 1.0, 1501)[:, None]
    wave = np.hstack([np.sin(12.0 * np.pi * t + k) for k in range(6)]) * 0.05
    move = art.CameraMove(moved(carrier.view(START), wave, 0.04), 25)  # type: ignore[arg-type]
    with report.case("verdict of a minute at 25 frames/s, r3", unit="s", better="lower") as case:
        case.time("articulata", lambda: art.judge(move, carrier), ours=True)
    with report.case("a minute slowed along its path, r3", unit="s", better="lower") as case:
        case.time("articulata", lambda: art.slowed(move, carrier), ours=True)
