"""Many runs of a world: the same bytes whoever makes them, and what they say of its parameters."""

from __future__ import annotations

import csv
import math
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import psutil
import pytest

import articulata as art
from articulata.app.main import main
from articulata.errors import ArticulataError, WorldError
from articulata.records.recording import Recording
from articulata.sessions.vary import varying
from articulata.sessions.vary.single_run import run_once
from articulata.sessions.vary.varying import points_of, task_of

FALLING = """
units: metre, kilogram, second, degree
primitive ball(size: length) {{ properties: (density: 1000); geometry: sphere(size); dynamics }}
world thrown(v: speed, up: angle, size: length = 5 cm, weight = 2 * size) {{
  gravity: (0, -10, 0)
  components {{ b: ball(size) }}
  structure {{
    place b by b.center at (0, 0, 0)
    place b by velocity = ((v * cos(up), v * sin(up), 0) (0, 0, 0))
  }}
}}
simulate thrown(4 m/s, 30) {{ time: (20 ms, 0.4 s) }}
vary thrown{} {{
  {}
}}
"""
ALL = """parameters: v in (3 m/s, 5 m/s), up from 20 to 60 with 5 values
  measure: final b.center.x, b.center.y at 0.1 s, max b.v, min b.v.y, mean b.v.y, rms b.v.x,
    time at impact
  plot: b.center.y"""


def written(folder: Path, clauses: str = ALL, given: str = "") -> Path:
    path = folder / "thrown.art"
    path.write_text(FALLING.format(given, clauses))
    return path


def content(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir())}


class Interrupting:
    """Hears how far a study is, and interrupts it after ``until`` runs."""

    def __init__(self, until: int) -> None:
        self.until, self.heard = until, [(0, 0)]

    def working(self, done: int, total: int) -> None:
        self.heard.append((done, total))
        if done == self.until:
            raise KeyboardInterrupt


class Killing(Interrupting):
    """Kills a worker after the first runs."""

    def working(self, done: int, total: int) -> None:
        self.heard.append((done, total))
        if done == self.until:
            workers = psutil.Process().children(recursive=True)
            spawned = [each for each in workers if "--multiprocessing-fork" in each.cmdline()]
            os.kill(spawned[0].pid, signal.SIGKILL)


def test_measures_are_those_of_a_throw(tmp_path: Path) -> None:
    found = art.vary(written(tmp_path))
    assert found.parameters == ("v", "up")
    assert found.parameter_units == ("m/s", "rad")
    assert found.points.shape == (10, 2)
    assert found.measures[0] == "final b.center.x"
    assert found.measure_units == ("m", "m", "m/s", "m/s", "m/s", "m/s", "s")
    v, up = found.points.T
    np.testing.assert_allclose(sorted(set(up)), np.radians([20, 30, 40, 50, 60]))
    x, y = v * np.cos(up), v * np.sin(up)
    end = np.hypot(x, y - 4.0)
    known = [0.4 * x, 0.1 * y - 0.05, np.maximum(v, end), y - 4.0, y - 2.0, x]
    np.testing.assert_allclose(found.values[:, :6], np.transpose(known), atol=1e-9)
    assert np.isnan(found.column("time at impact")).all()
    times, heights = found.lines["b.center.y"][0] or ((), ())
    np.testing.assert_allclose(heights, y[0] * np.array(times) - 5.0 * np.array(times) ** 2,
                               atol=1e-9)  # fmt: skip
    assert not found.failures


def test_sensitivities_are_those_of_a_plane() -> None:
    points = np.array([(a, b, 7.0) for a in (0.0, 1.0, 3.0) for b in (0.0, 2.0)])
    values = 5.0 * points[:, :1] - 2.0 * points[:, 1:2] + 3.0
    found = art.Variations(("a", "b", "c"), ("m",) * 3, points, ("y",), ("N",), values, {}, {})
    fits = found.sensitivities()
    np.testing.assert_allclose([each.slope for each in fits], (5.0, -2.0, 0.0), atol=1e-12)
    shares = 5.0 * points[:, 0].std() / values.std(), -2.0 * points[:, 1].std() / values.std(), 0.0
    np.testing.assert_allclose([each.share for each in fits], shares, atol=1e-12)
    assert fits[0].explained == pytest.approx(1.0)
    few = art.Variations(("a",), ("",), points[:1, :1], ("y",), ("",), values[:1], {}, {})
    assert math.isnan(few.sensitivities()[0].slope)
    # the same in all runs but for rounding, as the greatest travel of what strikes its stop
    same = 0.43 * (1.0 + 1e-15 * points[:, :1])
    assert np.ptp(same) > 0.0
    still = art.Variations(("a", "b", "c"), ("m",) * 3, points, ("y",), ("m",), same, {}, {})
    assert [(each.slope, each.share) for each in still.sensitivities()] == [(0.0, 0.0)] * 3


def test_samples_are_one_in_every_part_of_each_range(tmp_path: Path) -> None:
    clauses = """parameters: v from 3 m/s to 5 m/s, size at 5 cm within 3 mm normal, up in (30, 45)
    samples: 200; seed: 3; measure: final b.center.x"""
    task = task_of(written(tmp_path, clauses))
    v, size, up = np.array(points_of(task)).T
    assert len(v) == 400
    for chosen in set(up):
        strata = np.floor((v[up == chosen] - 3.0) / 2.0 * 200)
        np.testing.assert_array_equal(np.sort(strata), np.arange(200))
    assert 0.047 <= size.min() < size.max() <= 0.053
    assert size.std() == pytest.approx(1e-3, rel=0.02)  # three of them to either bound
    assert size.mean() == pytest.approx(0.05, abs=1e-5)
    again = np.array(points_of(task_of(written(tmp_path, clauses), seed=4)))
    assert not np.array_equal(again[:, 0], v)


def test_bytes_are_the_same_interrupted_on_processes_and_with_a_worker_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path)
    art.vary(file, folder=tmp_path / "alone")
    whole = content(tmp_path / "alone")
    assert len(whole) == 4
    with pytest.raises(KeyboardInterrupt):
        art.vary(file, folder=tmp_path / "cut", listener=Interrupting(4))
    journal = next((tmp_path / "cut").glob("runs-*.jsonl"))
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 4
    journal.write_bytes(b"".join((*lines[:2], b"{}\n", lines[3], lines[4][:40])))
    going_on = Interrupting(-1)
    art.vary(file, folder=tmp_path / "cut", listener=going_on)
    assert [done for done, _ in going_on.heard[1:]] == list(range(3, 11))
    assert content(tmp_path / "cut") == whole
    monkeypatch.setattr(varying, "ALONE", 0.0)
    killing = Killing(1)
    art.vary(file, folder=tmp_path / "shot", workers=2, listener=killing)
    assert killing.heard[-1] == (10, 10)
    assert content(tmp_path / "shot") == whole


def test_a_text_that_changed_is_another_study(tmp_path: Path) -> None:
    art.vary(written(tmp_path), folder=tmp_path / "out")
    heard = Interrupting(-1)
    changed = ALL.replace("v in (3 m/s, 5 m/s)", "v in (3 m/s, 6 m/s)")
    found = art.vary(written(tmp_path, changed), folder=tmp_path / "out", listener=heard)
    assert len(heard.heard) == 1 + 10
    assert found.points[-1, 0] == 6.0
    assert len(list((tmp_path / "out").glob("runs-*.jsonl"))) == 2


def test_a_run_that_fails_is_listed_and_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clauses = "parameters: size in (5 cm, -1 cm, 4 cm); measure: final b.center.x"
    file = written(tmp_path, clauses, "(4 m/s, up: 30)")
    out = tmp_path / "out"
    words = ["articulata", "vary", str(file), "--world", "thrown(3 m/s, 0)", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    main()
    told = capsys.readouterr()
    assert "run 2, thrown(3 m/s, 0, size: -0.01 m): " in told.err
    assert "1 of 3 runs failed" in told.err
    assert told.out.splitlines() == [str(out / "runs.csv"), str(out / "sensitivities.csv")]
    rows = (out / "runs.csv").read_text().splitlines()
    assert rows[0] == "run,size,final b.center.x,failed"
    assert rows[1] == ",m,m,"
    for row, size in ((rows[2], "0.05"), (rows[4], "0.04")):
        assert row.split(",")[1] == size
        assert float(row.split(",")[2]) == pytest.approx(1.2)
    assert rows[3].startswith("2,-0.01,,")
    assert len(rows[3]) > 20


def test_tables_plots_and_messages_are_in_the_text_s_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clauses = """parameters: up from 20 to 60 with 3 values, size in (40, -10)
    measure: final b.center.x, max b.v; plot: b.center.y"""
    file = written(tmp_path, clauses, "(4 m/s)")
    text = file.read_text().replace("units: metre", "units: millimetre")
    text = text.replace("density: 1000", "density: 1000 kg/m^3").replace("-10, 0)", "-10 m/s^2, 0)")
    file.write_text(text)
    out = tmp_path / "out"
    monkeypatch.setattr(sys, "argv", ["articulata", "vary", str(file), "--out", str(out)])
    main()
    assert "run 2, thrown(4 m/s, up: 20 deg, size: -10 mm): " in capsys.readouterr().err
    head, units, *rows = (each.split(",") for each in (out / "runs.csv").read_text().splitlines())
    assert head[:5] == ["run", "up", "size", "final b.center.x", "max b.v"]
    assert units[:5] == ["", "deg", "mm", "mm", "mm/s"]
    for row, up in zip(rows[::2], (20.0, 40.0, 60.0), strict=True):
        assert row[1:3] == [repr(up), "40.0"]
        assert float(row[3]) == pytest.approx(1600.0 * np.cos(np.radians(up)), rel=1e-9)
    found = art.vary(file)
    assert found.parameter_units == ("rad", "m")
    assert found.points[0, 0] == np.radians(20.0)
    # of a straight line through three points that lie evenly: the outer ones decide
    slope = next(csv.reader((out / "sensitivities.csv").read_text().splitlines()[1:]))
    assert [*slope[:2], slope[3]] == ["final b.center.x", "up", "mm per deg"]
    assert float(slope[2]) == pytest.approx(
        (np.cos(np.radians(60.0)) - np.cos(np.radians(20.0))) * 1600.0 / 40.0, rel=1e-9
    )
    axis, bar = art.plot_family(found, "b.center.y").axes
    assert (axis.get_ylabel(), bar.get_ylabel()) == ("b.center.y (mm)", "up (deg)")
    last = 1600.0 * np.sin(np.radians(20.0)) - 800.0
    assert axis.lines[0].get_ydata()[-1] == pytest.approx(last, rel=1e-9)


def mean_height(recording: Recording) -> float:
    return float(recording.series("b.center.y").mean())


def test_functions_measure_too_and_a_request_may_come_from_python(tmp_path: Path) -> None:
    document = art.read(written(tmp_path))
    asked = "vary thrown(v: 2 m/s) { parameters: up in (0, 90); measure: final b.v.x }"
    found = art.vary(document, asked, measures={"height": mean_height, "bad": lambda run: 1 / 0})
    assert found.failures.keys() == {0, 1}
    assert found.failures[0] == "ZeroDivisionError: division by zero"
    found = art.vary(document, asked, measures={"height": mean_height})
    np.testing.assert_allclose(found.column("final b.v.x"), (2.0, 0.0), atol=1e-12)
    t = np.arange(21) * 0.02
    np.testing.assert_allclose(
        found.column("height"), np.mean([-5 * t**2, 2 * t - 5 * t**2], axis=1), atol=1e-9
    )
    figure = art.plot_family(art.vary(document), "b.center.y", by="max b.v")
    assert len(figure.axes[0].lines) == 10
    with pytest.raises(art.NameNotFound, match=r"add plot: b\.v"):
        art.plot_family(found, "b.v")


def test_what_cannot_be_varied_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for clauses, told in (
        ("parameters: v in (3 m/s, 5 kg), up in (1, 2); measure: max b.v", "not a mass"),
        ("parameters: speed in (3, 5); measure: max b.v", "has no parameter 'speed'"),
        ("parameters: v in (3, 5); measure: max b.v", "lacks|up"),
        ("parameters: v from 5 to 3 with 3 values, up in (1, 2); measure: max b.v", "lesser"),
        ("parameters: v from 3 to 5, up in (1, 2); measure: max b.v", "write samples: 100"),
        ("parameters: v in (3, 5), up in (1, 2); measure: max c.v", "c"),
        ("parameters: v in (3, 5), up in (1, 2); measure: b.v at -1 s", "begins at 0 s"),
        ("parameters: v from 3 to 5 with 1000 values, up from 1 to 2 with 1001 values",
         "more than 1,000,000"),
        ("parameters: v in (3, 5), up in (1, 2)", "nothing is measured"),
    ):  # fmt: skip
        with pytest.raises(WorldError, match=told):
            art.vary(written(tmp_path, clauses))
    late = "parameters: v in (3, 5), up in (1, 2); measure: b.v at 1 s"
    assert "simulate longer" in art.vary(written(tmp_path, late)).failures[0]
    monkeypatch.setattr(varying, "ALONE", 0.0)
    with pytest.raises(ArticulataError, match="by 'def' in a module"):
        art.vary(written(tmp_path), measures={"one": lambda run: 1.0}, workers=2)


def test_a_run_can_be_made_again_by_its_words(tmp_path: Path) -> None:
    file = written(tmp_path)
    task = task_of(file)
    point = points_of(task)[7]
    recording = art.simulate(
        art.read(file).world("thrown", v=point[0], up=point[1]), until=0.4, step=0.02
    )
    assert run_once(task, point).values[0] == recording.series("b.center.x")[-1]


def test_a_worker_begins_without_what_draws_samples() -> None:
    asked = "import sys, articulata.sessions.vary.varying; print('scipy.stats' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True)
    assert told.stdout == b"False\n"


@pytest.mark.slow
def test_a_thousand_runs_have_the_same_bytes_on_one_and_two_workers_and_interrupted(
    tmp_path: Path,
) -> None:
    clauses = """parameters: v from 3 m/s to 5 m/s, up from 20 to 60
    samples: 1000; measure: final b.center.x, max b.v; plot: b.center.y"""
    file = written(tmp_path, clauses)
    art.vary(file, folder=tmp_path / "one", workers=1)
    art.vary(file, folder=tmp_path / "two", workers=2)
    for until in (120, 700):
        with pytest.raises(KeyboardInterrupt):
            art.vary(file, folder=tmp_path / "cut", workers=2, listener=Interrupting(until))
    art.vary(file, folder=tmp_path / "cut", workers=2)
    whole = content(tmp_path / "one")
    assert content(tmp_path / "two") == whole
    assert content(tmp_path / "cut") == whole
    assert len(whole["runs.csv"].splitlines()) == 2 + 1000


def test_the_workers_of_a_dask_cluster_make_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    distributed = pytest.importorskip("distributed")
    file = written(tmp_path)
    art.vary(file, folder=tmp_path / "alone")
    with pytest.raises(ArticulataError, match="give --workers or --scheduler"):
        art.vary(file, workers=2, scheduler="tcp://127.0.0.1:9")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1",
        dashboard_address=None,
    ) as cluster:  # fmt: skip
        words = ["vary", str(file), "--scheduler", cluster.scheduler_address]
        with pytest.raises(KeyboardInterrupt):
            art.vary(
                file, folder=tmp_path / "cut", listener=Interrupting(4),
                scheduler=cluster.scheduler_address,
            )  # fmt: skip
        assert len(next((tmp_path / "cut").glob("runs-*.jsonl")).read_bytes().splitlines()) == 5
        monkeypatch.setattr(sys, "argv", ["articulata", *words, "--out", str(tmp_path / "cut")])
        main()
    assert content(tmp_path / "cut") == content(tmp_path / "alone")


@pytest.mark.slow
def test_a_worker_of_dask_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    """Its runs, done and undone, are made again by the other one: the same bytes."""
    distributed = pytest.importorskip("distributed")
    file = written(tmp_path, ALL.replace("with 5 values", "with 40 values"))
    art.vary(file, folder=tmp_path / "alone")
    with distributed.LocalCluster(
        n_workers=0, protocol="tcp", host="127.0.0.1", dashboard_address=None
    ) as cluster, ExitStack() as ending:  # fmt: skip
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        workers = [
            subprocess.Popen([*command, "--no-nanny", "--nthreads", "1", "--no-dashboard"])
            for _ in range(2)
        ]
        for each in workers:
            ending.callback(each.wait)
            ending.callback(each.kill)
        with distributed.Client(cluster.scheduler_address) as client:
            client.wait_for_workers(2, timeout=60)
        heard: list[tuple[int, int]] = []

        class Shooting:
            def working(self, done: int, total: int) -> None:
                heard.append((done, total))
                if done == 10:
                    workers[0].kill()

        art.vary(
            file, folder=tmp_path / "shot", scheduler=cluster.scheduler_address,
            listener=Shooting(),
        )  # fmt: skip
        assert workers[0].wait() == -signal.SIGKILL
        assert workers[1].poll() is None
    assert heard == [(done, 80) for done in range(1, 81)]
    assert content(tmp_path / "shot") == content(tmp_path / "alone")
