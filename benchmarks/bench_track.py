"""Tracking: bytes of two units to the angles of both arms, and on to the viewer's socket."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from articulata.analyses.track.calibration import Calibration, level
from articulata.analyses.track.tracked_person import tracked_body
from articulata.analyses.track.tracker import Tracker, TrackState
from articulata.devices.driver import Device, UnitClock
from articulata.devices.fastrak.decoder import FastrakDecoder
from articulata.devices.fastrak.emulated_unit import EmulatedUnit
from articulata.devices.fastrak.port import FastrakPort
from articulata.devices.fastrak.protocol import Format, commands
from articulata.devices.recorded import samples_of
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.rotation import Rotation
from articulata.kinematics.library import figure
from articulata.records.recording import load
from articulata.records.samples import Sample
from articulata.records.tracking import STATIONS, TrackedPosture
from articulata.report.viewer.track_viewer import TrackViewer
from articulata.sessions.track.person import Person
from articulata.sessions.track.track_session import TrackSession
from articulata.sessions.track.tracked_figures import choice_of, follower
from articulata.sessions.track.wish import TrackWish
from benchmarks.harness import Report
from benchmarks.tracking_parties import STEP, Browser, Floor, Wearer

FRAMES = 400
MINUTE = 60.0
CALIBRATED = 4.0
"""Seconds for two countdowns and the postures that are held."""
RATE = 120.0
HELD_UP, AROUND = 1e-3, 0.02
"""s: the machine holds everybody up where it takes longer to relay a record, and as long about it
as the second."""
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
            samples = left.table(frame, now, right.table(frame, now))
            state[0], _ = tracker.step(state[0], samples)

    clocks = UnitClock(), UnitClock()

    def one_after_another() -> None:
        for frame in frames:
            now = 0.01 * next(clock)
            for unit, its in ((right, clocks[0]), (left, clocks[1])):
                state[0], _ = tracker.step(state[0], its.stamp(unit.table(frame, now)))

    with report.case(
        "bytes of two units (8 records) to 14 angles, neck and base",
        unit="s a frame",
        better="lower",
        target=20e-6,
        note="decoding, filter, de-skewing and solution of a whole person, in three compiled calls",
    ) as case:
        case.time("articulata", both_arms, count=FRAMES, ours=True)
    state[0] = tracker.start()
    with report.case(
        "the same as two ports bring it: a posture after each unit, 14 angles twice",
        unit="s a frame",
        better="lower",
        note="with the times at which stations were measured, one after another",
    ) as case:
        case.time("articulata", one_after_another, count=FRAMES, ours=True)


class _Quiet:
    def say(self, text: str) -> None:
        """Nobody listens."""


class _Noting:
    """A device that notes when samples came."""

    def __init__(self, device: Device) -> None:
        self._device, self.name = device, device.name
        self.open, self.close, self.report = device.open, device.close, device.report
        self.read_at: dict[float, Sample] = {}

    def read(self, timeout: float) -> list[Sample]:
        samples = self._device.read(timeout)
        if samples:
            self.read_at[samples[-1].arrival] = samples[-1]
        return samples


def socket(report: Report) -> None:
    """A minute at 120 records a second: from the tracker's last byte to a client of the viewer."""
    who = follower(choice_of("person"))
    given: list[tuple[float, float]] = []
    client: list[Browser] = []

    class Numbered(TrackViewer):
        """Tells by its figure's place which posture it shows."""

        def __enter__(self) -> TrackViewer:
            client.append(Browser(self.address))
            return super().__enter__()

        def follow(self, posture: TrackedPosture, arrival: float, person: int = 0) -> None:
            base = posture.base.copy()
            base[4] = STEP * len(given)
            given.append((arrival, time.monotonic()))
            super().follow(posture._replace(base=base), arrival, person)

    wearer = Wearer(UNIT, RATE)
    device = _Noting(FastrakPort(wearer.port, active=(1, 2, 3, 4), hemisphere=(-1.0, 0.0, 0.0)))
    with tempfile.TemporaryDirectory() as folder:
        wish = TrackWish(
            UNIT, out=Path(folder), seconds=CALIBRATED + MINUTE, ready=1.5, holding=0.5
        )
        worn = Person(wish, who, puppet=wearer)
        session = TrackSession(wish, [worn], [device], _Quiet(), viewer=Numbered)
        floor = Floor(RATE)
        result = session.run()
        bare = floor.end()
        pictures = client[0].end()
        written = wearer.end()
        lost, recorded = _lost(written, samples_of(load(result.takes[0])))
    sent = _sent_at(written)
    arrivals = [arrival for arrival, _ in given]
    seen = sorted(number for number in pictures if number < len(given))
    host = np.array([pictures[k][0] - arrivals[k] for k in seen])
    wire = np.array(
        [pictures[k][0] - sent[device.read_at[arrivals[k]].q] for k in seen
         if arrivals[k] in device.read_at]
    )  # fmt: skip
    # what the machine takes by itself to wake a process that waits for a byte
    woken = np.array([at - sent[sample.q] for at, sample in device.read_at.items()
                      if sample.q in sent])  # fmt: skip
    stepped = np.array([done - arrival for arrival, done in given])
    calm = _calm(bare, np.array([arrivals[k] for k in seen]))
    size = np.median([pictures[k][1] for k in seen])
    note = (
        f"a minute at 120 records/s; {len(given)} postures, {len(seen)} pictures of {size:.0f}"
        f" bytes; {recorded} records in the take, {lost} lost. This machine wakes who waits for a"
        f" byte in {_half_and_most(woken)}; a relay that does nothing but hand bytes on from a"
        f" terminal to a socket took {_half_and_most(bare[:, 1])} meanwhile. While it took less"
        f" than {1e3 * HELD_UP:g} ms, {100.0 * np.mean(calm):.0f} % of the minute, it was"
        f" {_half_and_most(host[calm])} from the byte's reading to the client"
    )
    for what, waits in (
        ("last byte written by the tracker to the viewer's client", wire),
        ("last byte read to the viewer's client", host),
        ("last byte read to the posture", stepped),
    ):
        for name, share, target in (("half", 0.5, 1e-3), ("99 of 100", 0.99, 3e-3)):
            with report.case(
                f"{what}, {name} below", unit="s", better="lower", target=target, note=note
            ) as case:
                case.number("articulata", float(np.quantile(waits, share)), ours=True)


def _half_and_most(waits: Array) -> str:
    half, most = 1e3 * np.quantile(waits, (0.5, 0.99)) if len(waits) else (np.nan, np.nan)
    return f"{half:.2f} ms, {most:.2f} ms for 99 of 100"


def _calm(bare: Array, times: Array) -> BoolArray:
    """Return at which ``times`` the machine held nobody up, as the bare relay's records tell."""
    held_up = bare[bare[:, 1] > HELD_UP]
    begun, over = held_up[:, 0] - AROUND, held_up.sum(axis=1) + AROUND
    calm: BoolArray = ~np.any((begun <= times[:, None]) & (times[:, None] <= over), axis=1)
    return calm


def _records(written: list[tuple[float, bytes]]) -> list[tuple[float, Sample]]:
    """Return every record that a tracker wrote whole, and when its last byte was."""
    decoder = FastrakDecoder(Format())
    return [(at, sample) for at, data in written for sample in decoder.feed(data, at)]


def _sent_at(written: list[tuple[float, bytes]]) -> dict[tuple[float, ...], float]:
    """Return when each record was written, by its quaternion: noise makes each its own."""
    return {sample.q: at for at, sample in _records(written)}


def _lost(written: list[tuple[float, bytes]], kept: list[Sample]) -> tuple[int, int]:
    """Return how many records between the first and the last of a take are not in it."""
    sent = [(sample.station, sample.q) for _, sample in _records(written)]
    held = [(sample.station, sample.q) for sample in kept]
    first, last = sent.index(held[0]), len(sent) - 1 - sent[::-1].index(held[-1])
    missing = sum((Counter(sent[first : last + 1]) - Counter(held)).values())
    return missing, len(held)


def run(report: Report) -> None:
    steps(report)
    socket(report)
