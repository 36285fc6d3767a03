"""What people are shown of a run is in the units of the text; arrays stay in SI."""

from __future__ import annotations

import io
import re
from csv import reader
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

import articulata as art
from articulata.formats import csv
from articulata.records.recording import Recording
from articulata.report.accounts import account
from articulata.report.beside import beside
from articulata.report.export import export
from articulata.report.folder import files_of
from articulata.report.page.recording_page import page
from articulata.report.plots import plot
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.panel import placed

# A wheel turns by 90 deg in a second; a block slides 200 mm/s and stops at 100 mm.
TEXT = """
units: millimetre, degree
primitive block {
  properties: (density: 1000 kg/m^3)
  geometry: cuboid(100, 100, 100)
  dynamics
}
world w {
  components { wall: fixed_point; wheel, sledge: block }
  structure {
    ignore wheel with sledge
    join wheel to wall with pin(axis: z) as turns matching (center, center)
    join sledge to wall with slider(axis: x) as slides matching (center, center)
      limits (-500, 100)
    place wheel by turns.angle = 0, turns.rate = 90
    place sledge by slides.travel = 0, slides.rate = 200
  }
}
"""


@pytest.fixture(scope="module")
def run() -> Recording:
    return art.simulate(art.parse(TEXT).world("w"), until=1.0, step=0.25)


def test_arrays_stay_in_si(run: Recording) -> None:
    assert (run.unit("turns.angle"), run.unit("slides.travel")) == ("rad", "m")
    assert run.series("turns.angle")[-1] == pytest.approx(np.pi / 2, rel=1e-9)
    assert run.series("slides.travel")[-1] == pytest.approx(0.1, rel=1e-9)


def test_tables_are_in_the_text_s_units(run: Recording, tmp_path: Path) -> None:
    paths = ["turns", "slides.travel", "slides.rate", "sledge.center", "energy.total"]
    export(run, tmp_path / "run.csv", paths)
    found = csv.read((tmp_path / "run.csv").read_text())
    told = dict(zip(found.names, found.units, strict=True))
    last = dict(zip(found.names, found.values[-1], strict=True))
    first = dict(zip(found.names, found.values[0], strict=True))
    assert (told["turns.angle"], last["turns.angle"]) == ("deg", pytest.approx(90.0))
    assert (told["turns.rate"], last["turns.rate"]) == ("deg/s", pytest.approx(90.0))
    assert (told["slides.rate"], first["slides.rate"]) == ("mm/s", pytest.approx(200.0))
    assert (told["sledge.center.x"], last["sledge.center.x"]) == ("mm", pytest.approx(100.0))
    assert (told["turns.force.x"], told["energy.total"]) == ("N", "J")
    export(run, tmp_path / "run.mat", ["turns.angle"])
    held = loadmat(tmp_path / "run.mat", squeeze_me=True)
    assert (held["units"], held["values"][-1]) == ("deg", pytest.approx(90.0))


def test_every_channel_says_one_unit_a_column(run: Recording, tmp_path: Path) -> None:
    export(run, tmp_path / "run.csv")
    found = csv.read((tmp_path / "run.csv").read_text())
    told = dict(zip(found.names, found.units, strict=True))
    assert told["dynamic.coordinate.turns.angle"] == "deg"
    assert told["dynamic.coordinate.slides.travel"] == "mm"
    assert told["geometric.pose.sledge.x"] == "mm"


def test_plots_pages_and_the_viewer_too(run: Recording, tmp_path: Path) -> None:
    figure = plot(run, ["turns.angle", "slides.travel"])
    assert [axis.get_ylabel() for axis in figure.axes] == ["deg", "mm"]
    assert figure.axes[0].lines[0].get_ydata()[-1] == pytest.approx(90.0)
    shown = page(run, ["turns.angle", "sledge.v"])
    assert re.findall(r'"unit":"([^"]*)"', shown) == ["deg", "mm/s"]
    motion = motion_of(run)
    assert motion.series is not None
    values, unit = motion.series("turns.rate")
    assert (values[-1], unit) == (pytest.approx(90.0), "deg/s")
    assert "x 100 mm, y 0 mm" in placed("sledge", np.array([0.1, 0, 0, 1, 0, 0, 0]), motion.units)


def test_events_are_told_in_them(run: Recording) -> None:
    made = dict(files_of(run, ()))
    text = made["events.txt"]().decode()
    assert "reaches its upper limit, 100 mm, at 200 mm/s" in " ".join(text.split())
    head, units, row, *_ = reader(io.StringIO(made["events.csv"]().decode()))
    at = head.index("approach_speed")
    assert (units[at], float(row[at])) == ("mm/s", pytest.approx(200.0))
    rows = dict(account(run, 0).rows)
    assert (rows["limit"], rows["approach speed"]) == ("100 mm", "200 mm/s")
    assert run.events[0].values["limit"] == 0.1


def test_two_runs_are_laid_beside_each_other_in_them(run: Recording) -> None:
    slower = art.parse(TEXT.replace("turns.rate = 90", "turns.rate = 80")).world("w")
    other = art.simulate(slower, until=1.0, step=0.25)
    compared = beside(run, other)
    assert "angle/deg" in str(compared)
    assert compared.columns().values[-1, -2] == pytest.approx(10.0)


def test_a_text_without_units_is_shown_in_si() -> None:
    text = TEXT.replace("units: millimetre, degree", "").replace("100, 100, 100", "0.1, 0.1, 0.1")
    world = art.parse(text.replace("(-500, 100)", "(-9, 9)").replace("= 200", "= 2")).world("w")
    found = art.simulate(world, until=0.5, step=0.5)
    assert [axis.get_ylabel() for axis in plot(found, ["turns.angle"]).axes] == ["rad"]
