"""An antenna unfolds in zero gravity: latches close, momentum stays, energy is accounted for."""

from __future__ import annotations

import numpy as np
import pytest
from tests.gallery_runs import run

import articulata as art
from articulata.report.recording_tables import all_paths, table

LATCHES = ("left_latch", "right_latch", "left_lock", "right_lock")


@pytest.fixture(scope="module")
def recording() -> art.Recording:
    return run("antenna")


def test_all_four_latches_close_and_hold(recording: art.Recording) -> None:
    last = recording.worlds[max(recording.worlds)]
    assert set(last.hinges) == set(LATCHES)
    half, panel, out = 0.5, 1.2, -0.4
    hub = recording.series("a.hub.center")[-1]
    for side, sign in (("right", 1.0), ("left", -1.0)):
        tip = recording.series(f"a.{side}_wing.outer.far")[-1]
        turn = recording.series("a.hub.orientation")[-1]
        angle = 2.0 * np.arctan2(turn[3], turn[0])
        c, s = np.cos(angle), np.sin(angle)
        there = np.array([[c, s], [-s, c]]) @ (tip - hub)[:2]
        # straight out from the hub's edge: half the hub and two panels
        assert there == pytest.approx([sign * (half + 2 * panel), out], abs=1e-9)


def test_every_number_of_it_goes_into_a_table(recording: art.Recording) -> None:
    """Four edits change the hinges: a row keeps its name, and is empty where it is not there."""
    made = table(recording, all_paths(recording))
    assert {name.rpartition(".")[0] or name for name in made.names} >= {
        f"dynamic.multipliers.{hinge}"
        for world in recording.worlds.values()
        for hinge in world.hinges
    }
    assert len(set(made.names)) == len(made.names)
    place = {name: column for column, name in enumerate(made.names)}
    start = 0
    for segment in recording.segments:
        stop = start + len(segment.times)
        here = segment.channels["dynamic.multipliers"].labels
        for row, label in enumerate(here):
            column = made.values[start:stop, place[f"dynamic.multipliers.{label}"]]
            assert np.array_equal(column, segment.array("dynamic.multipliers")[:, row])
        there = [label for label in place if label.startswith("dynamic.multipliers.")]
        gone = [place[name] for name in there if name[len("dynamic.multipliers.") :] not in here]
        assert np.isnan(made.values[start:stop, gone]).all()
        start = stop


def test_nothing_from_outside_acts(recording: art.Recording) -> None:
    swing = np.max(np.abs(recording.series("a.left_wing.outer.w.z")))
    assert swing > 1.0
    # 47 kg of panels at 2 m would have some 100 N m s at this rate
    assert np.max(np.abs(recording.series("angular_momentum"))) < 1e-10
    assert np.max(np.abs(recording.series("momentum"))) < 1e-12
    assert np.max(np.abs(recording.series("a.hub.orientation")[:, 3])) > 0.01


def test_energy_goes_into_dampers_and_latches(recording: art.Recording) -> None:
    total = recording.series("energy.total")
    assert np.all(np.diff(total) < 1e-9)
    edits = [event for event in recording.events if event.kind == "edit"]
    assert len(edits) == 4


def test_peaks_name_hinges_that_ended_and_latches_that_came(recording: art.Recording) -> None:
    peaks = {peak.hinge: peak for peak in recording.peaks()}
    assert set(LATCHES) < set(peaks)
    assert "a.left_root" in peaks
    # the spring of the stronger wing, at the start: 9 N m at 88 degrees
    assert peaks["a.left_root"].effort.value == pytest.approx(9.0 * np.radians(88), rel=1e-9)
    assert peaks["a.left_root"].effort.time == 0.0
