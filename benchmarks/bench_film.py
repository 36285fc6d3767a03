"""Flying a camera on a robot: from a report of a device to joints, and verdicts of whole moves."""

from __future__ import annotations

import time
from importlib.resources import files

import numpy as np
import numpy.typing as npt

import articulata as art
from articulata.geometry.camera_motion import moved
from benchmarks.harness import Report

START = np.radians([-20.0, -40.0, 100.0, 20.0, -60.0, 10.0])


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


def run(report: Report) -> None:
    carrier = art.Carrier(art.figure("manutec_r3"), "flange")
    for name, steering in (
        ("fly", art.Steering()),
        ("look at a point", art.Steering(look=True)),
    ):
        took = _ticks(carrier, steering)
        for share, words in ((50, "median"), (99, "99 of 100")):
            title = f"a tick from device to joints, r3, {name}: {words}"
            with report.case(title, unit="us", better="lower") as case:
                case.number("articulata", float(np.percentile(took, share)), ours=True)
    room = files("articulata.world.library") / "rooms" / "inspection_cell.art"
    cell = art.setting_of(art.parse(room.read_text("utf-8")).requests[0])
    assert cell.carrier is not None
    took = _ticks(cell.carrier, art.Steering(look=True), start=cell.q, target=cell.target)
    for share, words in ((50, "median"), (99, "99 of 100")):
        title = f"a tick in the inspection cell, look at a point, nothing struck: {words}"
        with report.case(title, unit="us", better="lower") as case:
            case.number("articulata", float(np.percentile(took, share)), ours=True)
    t = np.linspace(0.0, 1.0, 1501)[:, None]
    wave = np.hstack([np.sin(12.0 * np.pi * t + k) for k in range(6)]) * 0.05
    move = art.CameraMove(moved(carrier.view(START), wave, 0.04), 25)  # type: ignore[arg-type]
    with report.case("verdict of a minute at 25 frames/s, r3", unit="s", better="lower") as case:
        case.time("articulata", lambda: art.judge(move, carrier), ours=True)
    with report.case("a minute slowed along its path, r3", unit="s", better="lower") as case:
        case.time("articulata", lambda: art.slowed(move, carrier), ours=True)
