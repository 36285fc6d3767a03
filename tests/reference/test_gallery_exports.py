"""Every run of the gallery goes into a table whole, whatever its edits change, and falls small."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gallery_runs import run

import articulata as art
from articulata.formats import csv
from articulata.report.export import export
from articulata.world.world_files import LIBRARY

GALLERY = sorted(path.stem for path in (LIBRARY / "gallery").glob("*.art"))

RAIN = """
primitive ball {
  properties: (density: 1000, restitution: 0.2)
  geometry: sphere(10 cm)
  dynamics
}
world rain(n: count = 2) {
  gravity: (0, -9.81, 0)
  components { floor: ground; ball[1..2 * n * n]: ball }
  structure {
    for i in 1..n { for j in 1..n { for k in 1..2 {
      place ball[(i - 1) * 2 * n + (j - 1) * 2 + k] by ball[1].center at (i, k - 0.5, j)
    } } }
  }
}
""".replace("by ball[1].center", "by ball[(i - 1) * 2 * n + (j - 1) * 2 + k].center")


@pytest.mark.slow
@pytest.mark.parametrize("name", GALLERY)
def test_all_channels_of_the_gallery_are_exported(name: str, tmp_path: Path) -> None:
    recording = run(name)
    export(recording, tmp_path / "all.csv")
    made = csv.read((tmp_path / "all.csv").read_text())
    assert len(made.values) == len(recording.times)
    for segment in recording.segments:
        for channel in segment.channels.values():
            assert recording.series(channel.name).shape[0] == len(recording.times)
    assert sum(name.startswith("dynamic.position") for name in made.names) >= 3


def rain(n: int, step: float) -> art.Recording:
    world = art.parse(RAIN).world("rain", n)
    return art.simulate(world, until=0.3, step=step, method=art.Stepping(step=5e-3))


def test_a_recording_grows_as_its_bodies_do() -> None:
    """Of 72 balls 2556 pairs might touch: they would fill three times what the bodies do."""
    few, many = (len(rain(n, 0.1).to_bytes()) for n in (3, 6))
    assert many < 4.2 * few


@pytest.mark.slow
def test_two_thousand_falling_balls_are_recorded_in_20_megabytes(tmp_path: Path) -> None:
    recording = rain(32, 0.01)
    assert recording.array("dynamic.position").shape == (31, 2049, 3)
    recording.save(tmp_path / "run.artrun")
    assert (tmp_path / "run.artrun").stat().st_size <= 20e6
    # the lower balls strike the floor, the upper ones have not met them yet
    assert len(recording.channels["dynamic.pair_force"].labels) == 32 * 32
