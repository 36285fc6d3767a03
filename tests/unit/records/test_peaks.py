"""Greatest loads of hinges, against a pendulum's closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art
from articulata.report.recording_tables import peaks_table, peaks_text

TEXT = """
primitive bob {
  properties: (color: red)
  geometry: sphere(1 cm) where { eye: (0, 1 m, 0) }
  dynamics: (mass: 2 kg, inertia: (1e-9, 1e-9, 1e-9))
}
world swing {
  gravity: (0, -9.81, 0)
  components { nail: fixed_point; bob: bob }
  structure {
    join bob to nail with pin(axis: z) as pivot matching (eye, center) breaks at (100, 5)
    force motor about pivot = 0.25 N*m * sin(time / (1 s))
    place nail by nail.center at (0, 2, 0)
    place bob by bob.angle = 90 deg
  }
}
simulate swing { time: (1 ms, 1 s); report: peaks }
"""


@pytest.fixture(scope="module")
def driven() -> art.Recording:
    return art.simulate(art.parse(TEXT).requests[0])


def test_a_pendulum_pulls_three_times_its_weight_at_the_bottom() -> None:
    text = TEXT.replace("0.25 N*m * sin(time / (1 s))", "0 N*m").replace("ms, 1 s", "ms, 0.65 s")
    (peak,) = art.simulate(art.parse(text).requests[0]).peaks()
    # from the horizontal: 3 m g at the lowest point, after a quarter of the period
    assert peak.force.value == pytest.approx(3 * 2 * 9.81, rel=1e-5)
    assert peak.force.time == pytest.approx(2.3678419475762374 / 4, abs=1e-3)
    assert peak.used == pytest.approx(3 * 2 * 9.81 / 100, rel=1e-5)
    assert peak.impulse.value == 0.0
    assert math.isnan(peak.impulse.time)


def test_the_effort_of_a_motor_is_told_apart_from_the_hinges_force(
    driven: art.Recording,
) -> None:
    (peak,) = driven.peaks()
    assert peak.effort.value == pytest.approx(0.25 * math.sin(1.0))
    assert peak.effort.time == 1.0
    force = np.linalg.norm(driven.series("pivot.force"), axis=1)
    assert peak.force.value == np.max(force)


def test_a_motor_that_gives_a_speed_tells_its_greatest_torque() -> None:
    text = TEXT.replace("breaks at (100, 5)", "driven by motor(speed: 60 rpm)")
    text = text.replace("    force motor about pivot = 0.25 N*m * sin(time / (1 s))\n", "")
    (peak,) = art.simulate(art.parse(text).requests[0]).peaks()
    # at a constant rate the motor holds the weight: m g r, when the rod is level
    assert peak.effort.value == pytest.approx(2 * 9.81 * 1.0, rel=1e-6)


def test_the_table_and_the_text_hold_the_same(driven: art.Recording) -> None:
    (peak,) = peaks = driven.peaks()
    names, units, row = (line.split(",") for line in peaks_table(peaks).splitlines()[:3])
    assert names[:3] == ["hinge", "force", "at"]
    assert units[1] == "N"
    assert float(row[1]) == peak.force.value
    assert row[0] == "pivot"
    assert "59%" in peaks_text(peaks)
    assert peaks_text(()) == "no hinges\n"


def test_a_run_without_forces_has_no_peaks() -> None:
    world = art.parse(TEXT).world("swing")
    recording = art.simulate(world, until=0.1, domains=("geometric", "control"))
    with pytest.raises(art.RecordingError, match="domain dynamic"):
        recording.peaks()
