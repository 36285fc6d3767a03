"""Tables, logs, plots and exports of a recording."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

import articulata as art
import recorded
from articulata.errors import FormatError, NameNotFound
from articulata.formats import csv
from articulata.records.events import Event
from articulata.records.recording import Recording
from articulata.report.export import export, exported
from articulata.report.folder import files_of
from articulata.report.plots import picture, plot
from articulata.report.recording_tables import (
    all_paths,
    events_table,
    events_text,
    table,
    unmoved,
)


@pytest.fixture(scope="module")
def swing() -> Recording:
    return recorded.swing(41)


def test_a_table_names_its_columns_and_units(swing: Recording) -> None:
    made = table(swing, ["rod[3].center", "rod[1].w.z"])
    assert made.names == (
        "time",
        "rod[3].center.x",
        "rod[3].center.y",
        "rod[3].center.z",
        "rod[1].w.z",
    )
    assert made.units == ("s", "m", "m", "m", "rad/s")
    back = csv.read(csv.write(made))
    assert np.array_equal(back.values[:, 4], swing.series("rod[1].w.z"))


def test_a_table_for_matlab_holds_the_same(swing: Recording, tmp_path: Path) -> None:
    export(swing, tmp_path / "swing.mat", ["rod[3].center", "rod[1].w.z"])
    found = loadmat(tmp_path / "swing.mat", squeeze_me=True)
    assert list(found["names"][-2:]) == ["rod[3].center.z", "rod[1].w.z"]
    assert list(found["units"]) == ["m", "m", "m", "rad/s"]
    assert np.array_equal(found["time"], swing.times)
    assert np.array_equal(found["values"][:, 3], swing.series("rod[1].w.z"))
    data = (tmp_path / "swing.mat").read_bytes()
    # the head: text, no subsystem, version 0x0100, written little-endian
    assert data[:10] == b"MATLAB 5.0"
    assert data[124:128] == b"\x00\x01IM"
    assert exported(swing, ".mat", ["rod[3].center", "rod[1].w.z"]) == data
    assert loadmat(io.BytesIO(exported(swing, ".mat", None)))["values"].shape[0] == 41


def test_every_channel_goes_into_one_table(swing: Recording) -> None:
    made = table(swing, all_paths(swing))
    bodies, hinges = 4, 3
    assert made.values.shape == (41, 1 + bodies * (3 + 4 + 3 + 3 + 7 + 3 + 3) + hinges * 8 + 4 + 6)
    assert len(set(made.names)) == len(made.names)


def test_the_log_as_text_and_as_a_table(swing: Recording) -> None:
    assert "1.000000 s  p.rod[3].bottom hit p.anchor  (impulse 2.5" in events_text(swing.events)
    lines = events_table(swing.events).split("\r\n")
    assert lines[0] == "time,kind,who,where,story,impulse,law,normal"
    assert lines[2].startswith("1.0,impact,p.rod[3] p.anchor,bottom surface,")
    assert events_text(()) == "no events\n"


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_plot_has_the_same_bytes_every_time(swing: Recording, suffix: str) -> None:
    paths = ["energy.kinetic", "rod[3].center", "h2_1.force"]
    first = picture(plot(swing, paths), suffix)
    assert first == picture(plot(swing, paths), suffix)
    assert not re.search(rb"20\d\d-\d\d-\d\d|CreationDate", first)


def test_panels_are_by_unit_and_events_are_marked(swing: Recording) -> None:
    figure = plot(swing, ["energy.kinetic", "energy.potential", "rod[3].center"])
    first, second = figure.axes
    assert [first.get_ylabel(), second.get_ylabel()] == ["J", "m"]
    curve = first.get_lines()[0]
    assert np.array_equal(curve.get_ydata(), swing.series("energy.kinetic"))
    marks = [line for line in second.get_lines() if len(line.get_xdata()) == 2]
    assert [line.get_xdata()[0] for line in marks] == [swing.events[0].time]


def test_export_by_suffix(swing: Recording, tmp_path: Path) -> None:
    for name in ("run.csv", "run.png", "run.html", "run.artrun"):
        export(swing, tmp_path / name)
    assert (tmp_path / "run.artrun").read_bytes() == swing.to_bytes()
    assert (tmp_path / "run.html").read_bytes() == exported(swing, ".html", None)
    assert len((tmp_path / "run.csv").read_bytes().splitlines()) == 43
    with pytest.raises(FormatError, match=r"'\.xyz'; give \.html"):
        export(swing, tmp_path / "run.xyz")
    with pytest.raises(NameNotFound, match="did you mean"):
        export(swing, tmp_path / "bad.csv", ["rod[3].botom"])
    assert not (tmp_path / "bad.csv").exists()


def test_the_log_leaves_long_values_to_the_table() -> None:
    values = {
        "impulse": 1.23456789012,
        "point": (0.1, 1e-17, 2.0),
        "momentum_before": (1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
        "impulse of arm.elbow": (1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
    }
    event = Event(0.5, "impact", ("a", "b"), ("top", "wall"), values, "a.top strikes b.wall.")
    text = events_text((event,))
    assert text == (
        "    0.500000 s  a.top strikes b.wall.  (impulse 1.23457 N s, point 0.1 1e-17 2 m)\n"
    )
    assert "1.0 2.0 3.0 4.0 5.0 6.0" in events_table((event,))
    long = Event(0.5, "impact", story="a word " * 40)
    assert max(len(line) for line in events_text((long,)).splitlines()) <= 110


def test_the_log_tells_what_changed_and_leaves_out_what_did_not() -> None:
    values: dict[str, float | str | tuple[str, ...]] = {
        "speed": 2.0, "energy_before": 7.0, "energy_after": 3.5, "rank_before": 12.0,
        "rank_after": 12.0, "rows_added": (), "only_before": 1.0,
    }  # fmt: skip
    event = Event(1.0, "impact", ("a", "b"), (), values, "a strikes b.")
    (line,) = events_text((event,)).splitlines()
    assert line.endswith("a strikes b.  (speed 2 m/s, energy 7 -> 3.5 J, only_before 1)")


@pytest.mark.parametrize("suffix", [".mp4", ".webm", ".gif"])
def test_who_wants_a_film_is_told_of_the_page_that_saves_one(swing: Recording, suffix: str) -> None:
    with pytest.raises(FormatError, match=r"export \.html, open it and press V$"):
        exported(swing, suffix, None)


def test_who_wants_gltf_is_told_of_the_file_that_holds_all(swing: Recording) -> None:
    with pytest.raises(FormatError, match=r"holds its buffers: give \.glb$"):
        exported(swing, ".gltf", None)


@pytest.mark.parametrize(
    ("gravity", "kind", "angle", "why"),
    [
        ("0", "dynamics", "0", "there is no gravity, no force and no speed; write gravity: (0, "),
        ("-9.81", "", "0", "all bodies are fixed; write 'dynamics' in the type"),
        ("-9.81", "dynamics", "0", "forces balance at the start, or hinges hold all; begin else"),
        ("-9.81", "dynamics", "30", ""),
    ],
)
def test_what_stands_still_is_told_with_the_likely_reason(
    gravity: str, kind: str, angle: str, why: str
) -> None:
    text = (
        "primitive rod { properties: (density: 1000 kg/m^3)\n"
        f"geometry: cuboid(1 cm, 1 m, 1 cm) where {{ top: (0, 0.5 m, 0) }}\n{kind} }}\n"
        f"world w {{ gravity: (0, {gravity}, 0)\ncomponents {{ a: fixed_point; rod: rod }}\n"
        "structure { join rod to a with pin(axis: z) as h matching (top, center)\n"
        f"place rod by h.angle = {angle} deg }} }}"
    )
    text = text if kind else f"{text.partition('structure')[0]} }}"
    run = art.simulate(art.parse(text).world(), until=0.02, step=0.01)
    log = dict(files_of(run, ()))["events.txt"]().decode()
    assert unmoved(run).startswith(f"nothing moves: {why}" if why else "")
    assert bool(unmoved(run)) == bool(why) == ("nothing moves" in log)
