"""``articulata simulate --beside``: two runs, their comparison, and what cannot be compared."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

import articulata as art
from articulata.app.main import app

WORLD = """
import "push.py"
primitive rod {
  properties: (density: 1000)
  geometry: cuboid(0.1, 1, 0.1) where { top: (0, 0.5, 0) }
  dynamics
}
world swing {
  gravity: (0, -9.81, 0)
  components { anchor: fixed_point; r: rod }
  structure {
    join r to anchor with pin(axis: z) driven by push as h matching (top, center)
    place r by r.angle = 1
  }
}
simulate swing { time: (20 ms, 0.4 s) }
"""

PUSH = """
count = 0


def push(t, sensed):
    global count
    count += 1
    return 5.0 if count < 40 else 0.0
"""


def run(*arguments: object) -> tuple[int, str, str]:
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            app.run([str(each) for each in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "push.py").write_text(PUSH)
    file = tmp_path / "swing.art"
    file.write_text(WORLD)
    return file


def test_two_runs_leave_both_recordings_and_their_comparison(world: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, files, notes = run(
        "simulate", world, "--method", "rk4", "--beside", "rk4", "--headless", "--out", out
    )
    assert code == 0, notes
    for name in ("run.artrun", "beside.artrun", "beside.txt", "beside.csv"):
        assert f"{out / name}" in files
    # the controller's file is executed anew for the second run, so that both are the same
    first, second = art.load(out / "run.artrun"), art.load(out / "beside.artrun")
    assert not art.beside(first, second).distances.any()
    assert (out / "beside.txt").read_text().startswith("RK4 beside RK4, 21 instants")
    assert "RK4 beside RK4" in notes
    header = (out / "beside.csv").read_text().splitlines()[0]
    assert header == "time,r.distance,r.angle"


def test_controllers_elsewhere_cannot_run_twice(world: Path, tmp_path: Path) -> None:
    code, _, notes = run(
        *("simulate", world, "--beside", "rk4", "--headless", "--out", tmp_path / "out"),
        *("--controller", "push=127.0.0.1:9"),
    )
    assert code == 1
    assert "--beside simulates twice" in notes


def test_an_unknown_method_is_named_before_anything_runs(world: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, _, notes = run("simulate", world, "--beside", "bullet", "--headless", "--out", out)
    assert code == 1
    assert "bullet" in notes
    assert not (out / "run.artrun").exists()


def test_what_mujoco_cannot_hold_leaves_the_first_run(world: Path, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    text = world.read_text().replace("with pin(axis: z) driven by push", "with bead")
    hinge = "hinge bead { point (0, 0, 0) of first on plane((0, 0, 0), x) of second }\n"
    text = text.replace("world swing", hinge + "world swing").replace(
        "r.angle = 1", "properties: ()"
    )
    text = text.replace("place r by properties: ()", "place r by r.top at (0, 0, 0)")
    world.write_text(text)
    out = tmp_path / "out"
    code, _, notes = run("simulate", world, "--beside", "mujoco", "--headless", "--out", out)
    assert code == 1
    assert "MuJoCo has no joint for the hinge" in notes
    assert len(art.load(out / "run.artrun").times) == 21
    assert (out / "events.txt").exists()
