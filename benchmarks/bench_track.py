"""Tracking: bytes of two units to the angles of both arms, and on to the viewer's socket."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import numpy as np

from articulata.analyses.track.body import tracked_body
from articulata.analyses.track.calibration import Calibration, level
from articulata.analyses.track.tracker import Tracker, TrackState
from articulata.devices.emulator.unit import EmulatedUnit
from articulata.devices.fastrak.decoder import FastrakDecoder
from articulata.devices.fastrak.protocol import Format, commands
from articulata.devices.recorded import samples_of
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.kinematics.library import figure
from articulata.records.recording import load
from articulata.records.tracking import STATIONS
from articulata.report.viewer.following import TrackViewer
from articulata.sessions.track.emulation import EmulatedWearing, Emulation
from articulata.sessions.track.figures import choice_of, follower
from articulata.sessions.track.session import TrackSession, TrackWish
from benchmarks.harness import Report

FRAMES = 400
MINUTE = 60.0
UNIT = {station: STATIONS[station] for station in (1, 2, 3, 4)}


def turning(station: int, time: float) -> Array:
    X = np.eye(4)
    X[:3, :3] = Rotation.exp((0.1 * station, time, 0.2)).to_matrix()
    X[0, 3] = 0.3
    return X


def steps(report: Report) -> None:
    body = tracked_body(figure("person"))
    still = dict.fromkeys(STATIONS, Rotation.identity())
    tracker = Tracker(body, STATIONS, Calibration(level(body), still))
    unit = EmulatedUnit(turning, np.random.default_rng(0))
    unit.receive(commands(Format()), 0.0)
    frames = [unit.receive(b"P", 0.01 * k) for k in range(FRAMES)]
    right, left = FastrakDecoder(Format()), FastrakDecoder(Format(), first=5)
    clock = itertools.count()
    state: list[TrackState] = [tracker.start()]

    def both_arms() -> None:
        for frame in frames:
            now = 0.01 * next(clock)
            samples = right.feed(frame, now) + left.feed(frame, now)
            state[0], _ = tracker.step(state[0], samples)

    with report.case(
        "bytes of two units (8 records) to 14 angles, neck and base",
        unit="s a frame",
        better="lower",
        target=20e-6,
        note="decoding, filter, de-skewing and solution of a whole person, in Python and a kernel",
    ) as case:
        case.time("articulata", both_arms, count=FRAMES, ours=True)


class _Quiet:
    def say(self, text: str) -> None:
        """Nobody listens."""


def socket(report: Report) -> None:
    """A minute at 120 records a second: from the last byte until the picture is handed on."""
    who = follower(choice_of("person"))
    waits: list[float] = []

    class Timed(TrackViewer):
        def latency(self):  # type: ignore[no-untyped-def] # as its parent
            waits[:] = list(self._latencies)
            return super().latency()

    with tempfile.TemporaryDirectory() as folder:
        body = tracked_body(who.figure)
        rng = np.random.default_rng(0)
        with Emulation(body, UNIT, rng, EmulatedWearing(rate=120.0)) as emulation:
            wish = TrackWish(UNIT, out=Path(folder), seconds=MINUTE, ready=1.5, holding=0.5)
            session = TrackSession(
                wish, who, emulation.devices, _Quiet(), puppet=emulation, viewer=Timed
            )
            result = session.run()
        recorded = len(samples_of(load(result.takes[0])))
    for name, share, target in (("half", 0.5, 1e-3), ("99 of 100", 0.99, 3e-3)):
        with report.case(
            f"last byte to the viewer's socket, {name} of the pictures below",
            unit="s",
            better="lower",
            target=target,
            note=f"a minute at 120 records/s; {recorded} samples of it in the take",
        ) as case:
            case.number("articulata", float(np.quantile(waits, share)), ours=True)


def run(report: Report) -> None:
    steps(report)
    socket(report)
