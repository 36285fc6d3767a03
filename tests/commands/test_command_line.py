"""The commands, from arguments to files, messages and exit status."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import recorded
from articulata.app.main import app
from articulata.errors import RecordingError
from articulata.formats import csv
from articulata.records.files import claimed
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.recording import load

PENDULUM = """
primitive rod {
  properties: (density: 1000, color: blue)
  geometry: cuboid(0.1, 1, 0.1) where { top: (0, 0.5, 0); bottom: (0, -0.5, 0) }
  dynamics
}
world pendulum(start = 0.5) {
  gravity: (0, -9.81, 0)
  components
    anchor: fixed_point
    rod1, rod2: rod
  structure {
    join rod1 to anchor with pin(axis: z) matching (top, center)
    join rod2 to rod1 with pin(axis: z) matching (top, bottom)
    place rod1 by rod1.top at (0, 0, 0), rod1.angle = start
  }
}
simulate pendulum(0.5) {
  time: (20 ms, 0.4 s)
  report: animation every 40 ms, snapshots 3, impulses, events, monitor rod2.bottom,
    monitor energy, monitor rod1, forces of rod1.top, equations at 0.2 s
}
"""

DRIVEN = """
import "push.py"
primitive sledge {
  properties: (density: 1000)
  geometry: sphere(0.1)
  dynamics
  control: acceleration = push
}
world track { components s: sledge }
simulate track { time: (10 ms, 0.1 s) }
"""


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it wrote: both streams together are ``output``."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def run(*arguments: object) -> Result:
    """Run a command in this process."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            app.run([str(each) for each in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
    return Result(code, out.getvalue(), err.getvalue())


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """Let commands hear Ctrl-C: background jobs of a shell ignore it, and so do their children."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    file = tmp_path / "pendulum.art"
    file.write_text(PENDULUM)
    return file


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    file = tmp_path / "swing.artrun"
    recorded.swing(41).save(file)
    return file


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("ik", "'articulata pose FILE'"),
        ("fk", "figure.fk(q, 'hand')"),
        ("modes", "'articulata rest FILE'"),
        ("plot", "plot.png --of PATH"),
        ("run", "'articulata simulate FILE'"),
    ],
)
def test_words_that_are_no_command_point_to_what_does_that(word: str, said: str) -> None:
    result = run(word)
    assert result.exit_code == 2
    assert f"there is no command '{word}'; '" in result.stderr
    assert said in result.stderr


# ---- check


def test_check_says_what_is_wrong_and_where(tmp_path: Path) -> None:
    file = tmp_path / "wrong.art"
    file.write_text(PENDULUM.replace("(top, bottom)", "(top, botom)"))
    result = run("check", file)
    assert result.exit_code == 1
    assert "wrong.art:14:" in result.stdout
    assert "did you mean 'bottom'" in result.stdout
    assert "^" in result.stdout
    as_json = run("check", "--format", "json", file)
    (finding,) = [each for each in json.loads(as_json.stdout) if each["severity"] == "error"]
    assert set(finding) >= {
        "file", "line", "column", "severity", "code", "message", "suggestion",
    }  # fmt: skip
    assert finding["line"] == 14
    assert as_json.exit_code == 1


def test_check_is_content_with_what_is_right(pendulum: Path) -> None:
    assert run("check", pendulum).exit_code == 0
    result = run("check", "--format", "json", pendulum)
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])


def test_check_of_a_file_that_is_not_there_is_an_error_in_both_formats(tmp_path: Path) -> None:
    missing = tmp_path / "none.art"
    result = run("check", missing)
    assert result.exit_code == 1
    assert "cannot be read" in result.stdout
    assert "^" not in result.stdout  # no line of it is shown
    result = run("check", "--format", "json", missing)
    assert result.exit_code == 1
    assert "No such file" in json.loads(result.stdout)[0]["message"]


def test_check_reads_a_robots_description_too(tmp_path: Path) -> None:
    robot = tmp_path / "arm.urdf"
    robot.write_text('<robot name="arm">\n<link name="base"/>\n</robot>\n')
    assert run("check", robot).exit_code == 0
    robot.write_text('<robot name="arm">\n<link name="base">\n</robot>\n')
    result = run("check", robot)
    assert result.exit_code == 1
    assert "arm.urdf:3:3: error: not well-formed XML" in result.stdout


def test_check_never_executes_python(tmp_path: Path) -> None:
    (tmp_path / "push.py").write_text("raise SystemExit('executed')\n")
    (tmp_path / "driven.art").write_text(DRIVEN)
    assert run("check", tmp_path / "driven.art").exit_code == 0


# ---- simulate


def test_simulate_writes_everything_the_request_asks_for(pendulum: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    result = run("simulate", pendulum, "--headless", "--out", out)
    assert result.exit_code == 0, result.output
    names = {path.name for path in out.iterdir()}
    assert names == {
        "run.artrun", "events.txt", "events.csv", "provenance.json", "replay.html",
        "snapshots.png", "impulses.csv", "monitor-rod2.bottom.csv", "monitor-rod2.bottom.png",
        "monitor-energy.csv", "monitor-energy.png", "monitor-rod1.csv", "monitor-rod1.png",
        "forces-rod1.top.csv", "forces-rod1.top.png", "equations-at-0.2-s.txt",
    }  # fmt: skip
    assert {Path(line).name for line in result.stdout.split()} == names
    recording = load(out / "run.artrun")
    assert recording.complete
    assert len(recording.times) == 21
    monitored = csv.read((out / "monitor-rod2.bottom.csv").read_bytes().decode())
    assert monitored.names == ("time", *(f"rod2.bottom.{axis}" for axis in "xyz"))
    assert (monitored.values[:, 1:] == recording.series("rod2.bottom")).all()
    forces = csv.read((out / "forces-rod1.top.csv").read_bytes().decode())
    assert forces.units[1:] == ("N",) * 3 + ("N m",) * 3
    equations = (out / "equations-at-0.2-s.txt").read_text()
    assert "at t = 0.2 s" in equations
    assert "solution" in equations


def test_a_second_run_gives_the_same_bytes(pendulum: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert run("simulate", pendulum, "--headless", "--out", tmp_path / name).exit_code == 0
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_provenance_names_inputs_versions_seed_and_units(pendulum: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("simulate", pendulum, "--headless", "--out", out, "--seed", 7, "--until", 0.1)
    said = json.loads((out / "provenance.json").read_text())
    assert said["inputs"].keys() == {"pendulum.art"}
    assert said["seed"] == 7
    assert said["arguments"] == [0.5]
    assert said["until"] == 0.1
    assert said["units"]["length"] == "m"
    assert said["versions"].keys() >= {"articulata", "numpy"}
    assert str(tmp_path) not in (out / "provenance.json").read_text()
    assert str(tmp_path).encode() not in (out / "run.artrun").read_bytes()


def test_options_go_before_the_text(pendulum: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run(
        "simulate", pendulum, "--headless", "--out", out, "--world", "pendulum(1.0)",
        "--until", 0.1, "--step", 0.05, "--method", "rk4",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    recording = load(out / "run.artrun")
    assert recording.header.method == "RK4"
    assert recording.world.arguments == (1.0,)
    assert recording.times.tolist() == [0.0, 0.05, 0.1]


def test_controllers_beside_the_world_are_executed_and_named(tmp_path: Path) -> None:
    (tmp_path / "push.py").write_text("def push(t, sensed):\n    return (1.0, 0.0, 0.0)\n")
    (tmp_path / "driven.art").write_text(DRIVEN)
    out = tmp_path / "out"
    result = run("simulate", tmp_path / "driven.art", "--headless", "--out", out)
    assert result.exit_code == 0, result.output
    assert str(tmp_path / "push.py") in result.stderr
    recording = load(out / "run.artrun")
    assert recording.series("s.center.x")[-1] == pytest.approx(0.005, abs=1e-12)
    assert not (tmp_path / "__pycache__").exists()
    refused = run("simulate", tmp_path / "driven.art", "--headless", "--out", out, "--no-python")
    assert refused.exit_code == 1
    assert "--no-python forbids" in refused.stderr


@pytest.mark.parametrize(
    ("imported", "code", "message"),
    [
        ("push.py", None, "push.py is not beside driven.art"),
        ("../push.py", "", "beside driven.art only, not from ../push.py"),
        ("push.py", "def push(t, sensed)\n", "push.py, line 1: SyntaxError"),
        ("push.py", "x = 1\ny = x / 0\n", "push.py, line 2: ZeroDivisionError"),
        ("push.py", "def pull(t, sensed): return 0\n", "push"),
    ],
)
def test_controllers_that_cannot_be_used_are_explained(
    tmp_path: Path, imported: str, code: str | None, message: str
) -> None:
    folder = tmp_path / "worlds"
    folder.mkdir()
    (folder / "driven.art").write_text(DRIVEN.replace("push.py", imported))
    if code is not None:
        (folder / imported).write_text(code)
    result = run("simulate", folder / "driven.art", "--headless", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_a_controller_that_raises_leaves_what_was_computed(tmp_path: Path) -> None:
    (tmp_path / "push.py").write_text(
        "def push(t, sensed):\n"
        "    if t > 0.05:\n"
        "        raise ValueError('enough')\n"
        "    return (1.0, 0.0, 0.0)\n"
    )
    (tmp_path / "driven.art").write_text(DRIVEN)
    out = tmp_path / "out"
    result = run("simulate", tmp_path / "driven.art", "--headless", "--out", out)
    assert result.exit_code == 1
    assert "enough" in result.stderr
    assert str(out / "run.artrun") in result.stderr
    recording = load(out / "run.artrun")
    assert not recording.complete
    assert 0.03 < recording.times[-1] <= 0.05
    assert json.loads((out / "provenance.json").read_text())["complete"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--until", "-1"], "until"),
        (["--until", "nan"], "until"),
        (["--step", "-1"], "step"),
        (["--method", "euler2086"], "no method 'euler2086'"),
        (["--world", "pendulun"], "did you mean 'pendulum'"),
        (["--world", "pendulum(a)"], "a number is due for"),
        (["--world", "pendulum(1, 2, 3)"], "takes 1 values"),
    ],
)
def test_what_cannot_be_simulated_is_explained(
    pendulum: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = run("simulate", pendulum, "--headless", "--out", tmp_path / "out", *arguments)
    assert result.exit_code == 1, result.output
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_a_report_about_nothing_is_refused_before_the_run(pendulum: Path, tmp_path: Path) -> None:
    pendulum.write_text(PENDULUM.replace("monitor rod2.bottom", "monitor rod2.botom"))
    result = run("simulate", pendulum, "--headless", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "botom" in result.stderr
    assert not (tmp_path / "out" / "run.artrun").exists()


def test_what_an_older_run_left_does_not_stay_beside_a_newer_one(
    pendulum: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert run("simulate", pendulum, "--headless", "--out", out).exit_code == 0
    (out / "notes.txt").write_text("mine")
    said = json.loads((out / "provenance.json").read_text())
    said["results"] |= {"strip.png": "", "../pendulum.art": "", "run.artrun": ""}
    (out / "provenance.json").write_text(json.dumps(said))
    (out / "strip.png").write_bytes(b"of the older run")
    plain = tmp_path / "plain.art"
    text = PENDULUM[: PENDULUM.index("simulate pendulum")]
    plain.write_text(f"{text}simulate pendulum(0.5) {{ time: (20 ms, 0.1 s) }}\n")
    # what does not begin leaves the older run as it is
    assert run("simulate", plain, "--headless", "--out", out, "--method", "none").exit_code == 1
    assert (out / "replay.html").exists()
    assert run("simulate", plain, "--headless", "--out", out).exit_code == 0
    left = {path.name for path in out.iterdir()}
    assert left == {"run.artrun", "events.txt", "events.csv", "provenance.json", "notes.txt"}
    assert pendulum.exists()
    assert len(load(out / "run.artrun").times) == 6


def test_a_folder_has_one_writer(pendulum: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with Recorder(Header(recorded.chain()), out / "run.artrun") as recorder:
        recorded.record(recorder, recorded.chain(), 3)
        with pytest.raises(RecordingError, match="is being written by another run"):
            Recorder(Header(recorded.chain()), out / "run.artrun")
        assert len(load(out / "run.artrun").times) == 3
        assert "by another run" in run("simulate", pendulum, "--headless", "--out", out).stderr
    assert load(out / "run.artrun").complete
    with claimed(out):
        result = run("simulate", pendulum, "--headless", "--out", out)
    assert (result.exit_code, "Traceback" in result.stderr) == (1, False)
    assert f"the folder {out} is being written by another run" in result.stderr
    assert len(load(out / "run.artrun").times) == 3
    assert run("simulate", pendulum, "--headless", "--out", out).exit_code == 0


@pytest.mark.parametrize("every", ["-1", "0", "nan", "inf"])
def test_frames_that_are_no_time_apart_are_refused(
    recording: Path, tmp_path: Path, every: str
) -> None:
    for name in ("page.html", "table.csv"):
        result = run("export", recording, "--to", tmp_path / name, "--every", every)
        assert result.exit_code == 1
        assert "give more than 0 s" in result.stderr
        assert not (tmp_path / name).exists()


def test_a_run_that_was_killed_says_so(tmp_path: Path) -> None:
    file = tmp_path / "run.artrun"
    with Recorder(Header(recorded.chain()), tmp_path / "whole.artrun") as recorder:
        recorded.record(recorder, recorded.chain(), 5)
    blocks = recorded.payloads((tmp_path / "whole.artrun").read_bytes())
    file.write_bytes(recorded.rewritten(*blocks[:-1]))
    result = run("export", file, "--to", tmp_path / "run.html")
    assert result.exit_code == 0
    assert "the run has no end: it was killed after t = 0.2 s" in result.stderr
    assert "it was killed after t = 0.2 s" in (tmp_path / "run.html").read_text()
    assert "killed" in run("view", file, "--strip", "0:0.1:2").stderr
    assert run("export", tmp_path / "whole.artrun", "--to", tmp_path / "run.csv").stderr == ""


@pytest.mark.parametrize(
    "asked",
    [
        ("simulate", "pendulum", "--out"),
        ("reach", "office", "--out"),
        ("reach", "office", "--store"),
        ("pose", "leonardo_at_table", "--out"),
        ("film", "museum", "--out"),
    ],
    ids=" ".join,
)
def test_a_folder_that_cannot_be_made_is_said_before_anybody_waits(
    asked: tuple[str, str, str], pendulum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").write_text("in the way")
    folder = tmp_path / "out" / "deeper"
    command, world, option = asked
    for asks in ("reach.answering.reach", "film.film_files.filmed", "pose_files.PoseSearch.final"):
        monkeypatch.setattr(f"articulata.sessions.{asks}", None)  # nothing is answered
    file = pendulum if world == "pendulum" else world
    result = run(command, file, "--headless", option, folder)
    assert result.exit_code == 1
    assert f"the folder {folder} cannot be made (" in result.stderr
    assert "give another, that you may write to" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_body_that_passes_through_others_is_named(tmp_path: Path) -> None:
    file = tmp_path / "bowl.art"
    file.write_text("""
primitive bowl {
  properties: (fixed)
  geometry: difference(cylinder(0.6, 0.4) at (0, 0, -0.2), sphere(0.5), sphere(0.3) at (0.2, 0, 0))
    where { o: (0, 0, 0) }
}
primitive ball { properties: (density: 1000); geometry: sphere(0.05); dynamics }
world w {
  gravity: (0, 0, -9.81)
  components { bowl: bowl; b: ball }
  structure { place bowl by bowl.o at (0, 0, 0); place b by b.center at (0, 0, -0.3) }
}
simulate w { time: (0.01, 0.05) }
""")
    result = run("simulate", file, "--headless", "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "bowl passes through others" in result.stderr


def test_ctrl_c_keeps_what_was_recorded_and_says_where(pendulum: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = subprocess.Popen(
        [
            sys.executable, "-m", "articulata", "simulate", pendulum, "--headless",
            "--out", out, "--until", "100000",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    file = out / "run.artrun"
    deadline = time.monotonic() + 120
    while not (file.exists() and file.stat().st_size > 60_000):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert f"is in {out}" in said
    assert "Traceback" not in said
    recording = load(file)
    assert recording.reason == "KeyboardInterrupt"
    assert len(recording.times) > 5
    assert (out / "provenance.json").exists()
    assert (out / "replay.html").exists()


def test_a_full_disk_ends_in_one_message_and_a_readable_file(
    pendulum: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))\n"
        "from articulata.app.main import main\n"
        "main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "simulate", pendulum, "--headless", "--out", out,
         "--until", "50"],
        capture_output=True, text=True, timeout=120, check=False,
        # Bytecode and compiled kernels are not what is to be too large here.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert result.returncode == 1, result.stderr
    assert "cannot be written any further" in result.stderr
    assert "Traceback" not in result.stderr
    assert [path.name for path in out.iterdir()] == ["run.artrun"]
    recording = load(out / "run.artrun")
    assert len(recording.times) > 5
    assert recording.damage == ""


@pytest.mark.parametrize("command", ["simulate", "film", "reach"])
def test_who_compiles_nothing_says_nothing_of_compiling(tmp_path: Path, command: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "articulata", command, tmp_path / "none.art", "--headless"],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "ARTICULATA_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    assert result.returncode == 1
    assert "cannot be read" in result.stderr
    assert "compiling" not in result.stderr


@pytest.mark.material
def test_the_printed_program_runs_from_the_command_line(tmp_path: Path, material: Path) -> None:
    printed = subprocess.run(
        [sys.executable, material / "reference" / "printed_program.py"],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    (tmp_path / "example.art").write_text(printed)
    (tmp_path / "motion.py").write_text(
        "import math\n"
        "def acceleration_for_linkage_driver(t, sensed):\n"
        "    return (-math.pi**2 * math.sin(math.pi * t), 0.0, 0.0)\n"
    )
    file, out = tmp_path / "example.art", tmp_path / "out"
    without = run("simulate", file, "--headless", "--out", out)
    assert without.exit_code == 1
    assert "acceleration_for_linkage_driver" in without.stderr
    assert "--controllers FILE" in without.stderr
    result = run(
        "simulate", file, "--headless", "--out", out, "--until", 1, "--controllers", "motion.py"
    )
    assert result.exit_code == 0, result.output
    recording = load(out / "run.artrun")
    assert len(recording.times) == 21
    # x'' = -pi^2 sin(pi t) from x = 2 with 3.14 m/s, as the program is printed
    expected = 2 + math.sin(math.pi) + (3.14 - math.pi) * 1.0
    assert recording.series("links.rod1.center.x")[-1] == pytest.approx(expected, abs=1e-9)
    assert (out / "replay.html").exists()


# ---- view and export


APART = """
primitive rod {
  properties: (density: 1); geometry: cuboid(1, 1, 1) where { t: (0, 3, 0) }; dynamics
}
world w {
  components { a, b: fixed_point; c: rod }
  structure {
    place a by a.center at (0, 0, 0); place b by b.center at (90, 0, 0)
    join c to a with ball matching (t, center); join c to b with ball matching (t, center)
  }
}
simulate w { time: (10 ms, 0.1 s) }
"""
WRONG = {
    "nothere.art": (None, "No such file"),
    "nothere.urdf": (None, "No such file"),
    "nothere.artrun": (None, "No such file"),
    "tall.art": ("world w { components { anna: person(9 m) } }\n", "lies from 0.75 to 2.3 m"),
    "typo.art": ("world w { components { a: grund } }\n", "did you mean 'ground'?"),
    "apart.art": (APART, "cannot all be met"),
    "model.xml": ("<COLLADA version='1.4.1'/>", "this is a COLLADA scene"),
    "robot.sdf": ("<sdf version='1.7'/>", "no <world> and no <model>"),
    "room.wrl": ("#VRML V2.0 utf8\nBax {}", "no node 'Bax'; did you mean 'Box'?"),
    "arm.urdf": ("<robot name='a'/>", "link"),
    "part.obj": ("mtllib a.mtl\n", "holds no mesh"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_file_ends_view_before_an_address(name: str, tmp_path: Path) -> None:
    text, told = WRONG[name]
    file = tmp_path / name
    if text is not None:
        file.write_text(text)
    result = run("view", file)
    assert result.exit_code == 1
    assert "open http" not in result.output
    assert told in result.stderr


@pytest.mark.parametrize("how", [(), ("--live",)])
@pytest.mark.parametrize("name", ["nothere.art", "tall.art", "typo.art", "model.xml", "driven.art"])
def test_what_is_wrong_with_a_file_ends_simulate_before_an_address(
    name: str, how: tuple[str, ...], tmp_path: Path
) -> None:
    text, told = {**WRONG, "driven.art": (DRIVEN, "push")}[name]
    file = tmp_path / name
    if text is not None:
        file.write_text(text)
    result = run("simulate", file, *how, "--until", 1, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "open http" not in result.output
    assert told in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["", "clock", "leonardo_arm"])
def test_view_serves_this_machine_until_ctrl_c(recording: Path, name: str) -> None:
    with subprocess.Popen(
        # a world and a figure that ship are meant by their names
        [sys.executable, "-m", "articulata", "view", name or recording],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert address, line
        with urllib.request.urlopen(address.group(), timeout=30) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in said


def test_a_strip_is_drawn_beside_the_recording(recording: Path, tmp_path: Path) -> None:
    result = run("view", recording, "--strip", "0:1:3")
    assert result.exit_code == 0, result.output
    first = (tmp_path / "swing-strip.png").read_bytes()
    assert first.startswith(b"\x89PNG")
    other = tmp_path / "other.png"
    assert run("view", recording, "--strip", "0:1:3", "--out", other).exit_code == 0
    assert other.read_bytes() == first


@pytest.mark.parametrize("text", ["0:1", "a:b:c", "0:1:3:4", "2:1:3", "0:1:0"])
def test_a_strip_that_cannot_be_drawn_is_explained(recording: Path, text: str) -> None:
    result = run("view", recording, "--strip", text)
    assert result.exit_code == 1
    assert "strip" in result.stderr


def test_export_by_suffix(recording: Path, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    result = run(
        "export", recording, "--to", table, "--of", "rod[3].center", "--of", "energy.kinetic"
    )
    assert (result.exit_code, result.stdout.strip()) == (0, str(table))
    assert csv.read(table.read_bytes().decode()).names[-1] == "energy.kinetic"
    page = tmp_path / "p.html"
    assert run("export", recording, "--to", page, "--every", 0.2).exit_code == 0
    assert len(page.read_bytes()) > 20_000
    wrong = run("export", recording, "--to", tmp_path / "t.doc")
    assert wrong.exit_code == 1
    assert ".html" in wrong.stderr
    missing = run("export", tmp_path / "none.artrun", "--to", page)
    assert missing.exit_code == 1
    assert "No such file" in missing.stderr


def test_a_figure_is_exported_as_urdf(tmp_path: Path) -> None:
    desk = Path(__file__).parents[1] / "data" / "urdf" / "desk" / "desk_arm.urdf"
    again = tmp_path / "again.urdf"
    result = run("export", desk, "--to", again)
    assert result.exit_code == 0, result.output
    assert 'name="desk arm"' in again.read_text()
    text = tmp_path / "arms.art"
    text.write_text(
        "figure one { chain arm: standard table { j: revolute(a: 1 m) } }\n"
        "figure two { chain arm: standard table { k: revolute(a: 2 m) } }\n"
    )
    result = run("export", text, "--to", again, "--figure", "two")
    assert result.exit_code == 0, result.output
    assert 'name="k"' in again.read_text()
    wrong = run("export", text, "--to", again, "--figure", "three")
    assert wrong.exit_code == 1
    assert "three" in wrong.output
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot>")
    wrong = run("export", broken, "--to", again)
    assert wrong.exit_code == 1
    assert "broken.urdf:1:8: not well-formed" in wrong.output


def test_why_says_how_the_latest_event_came_about(tmp_path: Path) -> None:
    text = tmp_path / "drop.art"
    text.write_text(BROKEN)
    folder = tmp_path / "out"
    done = run("simulate", text, "--headless", "--out", folder)
    assert done.exit_code == 0, done.output
    assert f"articulata why {folder} NAME" in done.output
    told = run("why", folder, "rope")
    assert told.exit_code == 0, told.output
    # a brick of 1 kg hangs on what bears 5 N
    first, second = told.stdout.splitlines()[:2]
    assert "a.rope gives way" in first
    assert "holds 5 N" in first
    assert second.startswith("t = 0 s: therefore, Hinge a.rope ends.")
    assert run("why", folder / "run.artrun", "nobody").exit_code == 1
    table = tmp_path / "run.csv"
    assert run("export", folder, table).exit_code == 0
    assert table.read_text().startswith("time,")


BROKEN = """
units: metre, degree
primitive brick { properties: (density: 1000 kg/m^3); geometry: cuboid(0.1, 0.1, 0.1); dynamics }
composite hung {
  components { nail: fixed_point; it: brick }
  structure { join it to nail with pin(axis: z) as rope matching (center, center) breaks at 5 N }
}
world drop {
  gravity: (0, -9.81, 0)
  components a: hung
}
simulate drop { time: (0.1 s, 0.2 s) }
"""


def test_a_damaged_recording_is_exported_as_far_as_it_goes(recording: Path, tmp_path: Path) -> None:
    recording.write_bytes(recording.read_bytes()[:-2000])
    result = run("export", recording, "--to", tmp_path / "t.csv", "--of", "energy.total")
    assert result.exit_code == 0
    assert "are lost" in result.stderr


# ---- use


def test_wrong_use_is_status_2_and_help_is_0() -> None:
    assert run("simulate").exit_code == 2
    assert run("no-such-command").exit_code == 2
    assert run("check", "x.art", "--format", "xml").exit_code == 2
    help_text = run("--help")
    assert help_text.exit_code == 0
    for name in ("check", "simulate", "view", "export", "warm", "demo"):
        assert name in help_text.stdout
        assert run(name, "--help").exit_code == 0
    assert run("--version").stdout.startswith("articulata 0.")


def test_help_and_check_load_nothing_heavy(pendulum: Path) -> None:
    heavy = {"numba", "scipy", "matplotlib", "viser", "coal", "manifold3d", "trimesh", "rich"}
    for arguments in (["--help"], ["check", str(pendulum)]):
        code = (
            "import sys; sys.argv[0] = 'articulata'\n"
            "from articulata.app.main import main\n"
            "try: main()\n"
            "except SystemExit: pass\n"
            "print(*sys.modules)"
        )
        result = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert heavy & set(result.stdout.split()) == set(), arguments


def test_a_reader_that_has_enough_ends_the_command_quietly(recording: Path) -> None:
    command = f"{sys.executable} -m articulata --help | head -c 1"
    result = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True
    )
    assert "Traceback" not in result.stderr


LATE = """
import "late.py"
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1, 0.05, 0.05) where { near: (-0.5, 0, 0) }
  dynamics
}
world w {
  components { hook: fixed_point; r: bar }
  structure { place r by r.near at (0, 0, 0) }
}
simulate w {
  time: (0.05 s, 0.2 s)
  on time 0.1 s:
    join r to hook with pin(axis: z) as h matching (near, center) driven by motor
}
"""


def test_a_clause_may_add_a_control_whose_controller_lies_beside_the_world(tmp_path: Path) -> None:
    file = tmp_path / "late.art"
    file.write_text(LATE)
    (tmp_path / "late.py").write_text("def motor(t, sensed):\n    return 3.0\n")
    result = run("simulate", file, "--headless", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    recording = load(tmp_path / "out" / "run.artrun")
    bar = 500 * 0.05**2
    inertia = bar * (1 + 0.05**2) / 12 + bar * 0.25
    assert recording.series("r.w.z")[-1] == pytest.approx(3.0 * 0.1 / inertia, rel=1e-9)


@pytest.mark.parametrize("words", ["demo --list", "--version"])
@pytest.mark.parametrize("held_back", ["", "1"], ids=["buffered", "unbuffered"])
def test_a_full_device_for_results_ends_in_one_message(words: str, held_back: str) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "articulata", *words.split()],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": held_back},
        )  # fmt: skip
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "standard output cannot be written: No space left on device" in result.stderr


@pytest.mark.parametrize("where", ["articulata.app.main", "articulata.sessions.simulation"])
def test_ctrl_c_while_a_command_is_loaded_ends_it_quietly(
    pendulum: Path, tmp_path: Path, where: str
) -> None:
    """The signal comes when a module begins to be imported, before and after the command begins."""
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {where!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from articulata.__main__ import main\n"
        "main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "simulate", pendulum, "--headless", "--out", tmp_path / "o"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert result.returncode == 130, result.stderr
    assert result.stderr in ("", "articulata: interrupted\n")
    assert result.stdout == ""


def test_orders_of_a_file_are_given_when_they_are_due_and_recorded(
    pendulum: Path, tmp_path: Path
) -> None:
    orders = tmp_path / "orders.txt"
    orders.write_text(
        "# let the lower rod go\nat 0.1 ignore rod1 with rod2\nat 0.1 break h12\nat 0.3 stop\n"
    )
    out = tmp_path / "out"
    result = run("simulate", pendulum, "--out", out, "--orders", orders, "--headless")
    assert result.exit_code == 0
    recording = load(out / "run.artrun")
    kinds = [event.kind for event in recording.events if event.kind in ("command", "edit", "stop")]
    assert kinds == ["command", "command", "edit", "command", "stop"]
    assert recording.times[-1] == pytest.approx(0.3)
    orders.write_text("at 0.1 brake rod2\n")
    result = run("simulate", pendulum, "--out", out, "--orders", orders, "--headless")
    assert result.exit_code == 1
    assert "orders.txt:1: there is no order 'brake'; did you mean 'break'?" in result.stderr


def test_a_live_run_takes_orders_from_the_terminal(pendulum: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with subprocess.Popen(
        [
            sys.executable, "-m", "articulata", "simulate", pendulum, "--live",
            "--out", out, "--until", "1000",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert "http://127.0.0.1:" in process.stdout.readline()
        process.stdin.write("brake\nat 0.2 set rod1.color = red\nat 0.4 stop\n")
        process.stdin.flush()
        deadline = time.monotonic() + 120
        while not (out / "provenance.json").exists():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    recording = load(out / "run.artrun")
    assert recording.times[-1] == pytest.approx(0.4)
    kinds = [event.kind for event in recording.events if event.kind != "redundancy"]
    assert kinds == ["command", "edit", "command", "stop"]
    assert "did you mean 'break'?" in errors
    assert "t = 0.2 s: set rod1.color = red" in errors
    assert "Traceback" not in errors


def test_demo_names_the_worlds_of_the_gallery_and_refuses_others(tmp_path: Path) -> None:
    listed = run("demo", "--list")
    assert listed.exit_code == 0
    lines = dict(line.split(maxsplit=1) for line in listed.stdout.splitlines())
    assert lines["rising"].startswith("A figure of cuboids with pins sits on a block and rises")
    assert len(lines) >= 15
    wrong = run("demo", "risin", "--out", tmp_path)
    assert wrong.exit_code == 1
    assert "did you mean 'rising'?" in wrong.stderr


def test_a_world_that_ships_is_simulated_with_its_controllers(tmp_path: Path) -> None:
    done = run("simulate", "linkage", "--until", "0.02", "--headless", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "out" / "run.artrun").is_file()
