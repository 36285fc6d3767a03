"""What newcomers type first is done, or answered with what to type instead."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.app.command_arguments import parser_of
from articulata.app.main import app
from articulata.report.recording_tables import table
from small_records import ROD, swing


def run() -> art.Recording:
    return art.simulate(art.parse(ROD).world("swing"), until=0.04, step=0.02)


def test_one_quantity_is_given_as_a_word() -> None:
    made = swing()
    assert list(made.to_pandas("weather.wind.north")) == ["weather.wind.north"]
    assert table(made, "weather.wind.north").names == ("time", "weather.wind.north")
    lines = art.plot(made, "weather.wind.north").axes[0].get_lines()
    assert lines[0].get_ydata() == pytest.approx([0.0, 1.0, 2.0, 3.0])


def test_an_angle_alone_is_answered_with_the_hinges_that_have_one() -> None:
    with pytest.raises(art.NameNotFound) as told:
        run().series("angle")
    assert str(told.value) == "'angle' of which hinge? there are h1.angle, h2.angle"


def test_a_run_is_exported_without_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = run()
    file, to = tmp_path / "run.artrun", tmp_path / "angle.csv"
    recording.save(file)
    app.run(["export", str(file), str(to), "--of", "h1.angle"])
    rows = np.loadtxt(to, delimiter=",", skiprows=2)
    np.testing.assert_array_equal(rows[:, 1], recording.series("h1.angle"))
    with pytest.raises(SystemExit):
        app.run(["export", str(file)])
    assert "articulata export" in capsys.readouterr().err.replace("\n", " ")


def test_a_world_is_converted_without_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "swing.art"
    file.write_text(ROD)
    app.run(["convert", str(file), str(tmp_path / "one.wrl")])
    app.run(["convert", str(file), "--to", str(tmp_path / "two.wrl")])
    assert (tmp_path / "one.wrl").read_text() == (tmp_path / "two.wrl").read_text()
    both = ["convert", str(file), str(tmp_path / "a.wrl"), "--to", str(tmp_path / "b.wrl")]
    for wrong in (["convert", str(file)], both):
        with pytest.raises(SystemExit) as ended:
            app.run(wrong)
        assert ended.value.code == 1
        told = " ".join(capsys.readouterr().err.split())
        assert f"articulata convert {file} swing.glb" in told


def test_film_says_what_its_verdict_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = tmp_path / "verdict.txt"
    verdict.write_text("\n".join(f"line {k}" for k in range(9)) + "\n")
    monkeypatch.setattr(
        "articulata.sessions.film.film_files.film_file", lambda *_: [tmp_path / "m.json", verdict]
    )
    app.run(["film", "museum", "--headless"])
    told = capsys.readouterr().out.splitlines()
    assert told[:6] == [f"line {k}" for k in range(6)]
    assert told[6:] == [f"and 3 more lines in {verdict}", f"{tmp_path}/m.json", str(verdict)]


def test_a_mistyped_file_is_answered_with_the_one_beside_it(tmp_path: Path) -> None:
    (tmp_path / "pendulum_of_mine.art").write_text(ROD)
    with pytest.raises(art.WorldError, match=r"did you mean 'pendulum_of_mine\.art'"):
        art.read(tmp_path / "pendulum_of_mien.art")
    with pytest.raises(art.WorldError, match=r"did you mean 'pendulum_of_mine\.art'"):
        art.read(tmp_path / "pendulum_of_min")


def test_targets_of_a_figure_are_told_with_a_name_of_its_own() -> None:
    arm = art.figure("planar_4_2_1")
    with pytest.raises(art.KinematicsError, match=arm.joints[-1].name):
        arm.inverse([1.0, 2.0, 0.0])  # type: ignore[arg-type] # what newcomers give


def test_switches_that_are_opposites_say_so() -> None:
    from articulata.app.main import app as program

    told = parser_of(program.listed["simulate"], "articulata simulate").format_help()
    assert "The opposite of --python." in told


def test_a_trajectory_is_written_as_a_table_and_a_message(tmp_path: Path) -> None:
    """From rest to rest over 1 rad at 1 rad/s and 4 rad/s^2: a trapezoid of 1.25 s."""
    made = art.trajectory([[0.0, 0.0], [1.0, 0.5]], speeds=1.0, accelerations=4.0, smooth=False)
    assert repr(made) == "Trajectory: 1.25 s, 2 joints"
    art.export(made, tmp_path / "way.csv", ["a", "b"], every=0.125)
    lines = (tmp_path / "way.csv").read_text().splitlines()
    assert lines[0] == "time,a,b,a rate,b rate"
    rows = np.array([line.split(",") for line in lines[2:]], float)
    t = np.minimum(rows[:, 0], 1.25 - rows[:, 0])
    rate = np.minimum(4.0 * t, 1.0)
    np.testing.assert_allclose(rows[:, 3], rate, atol=0.02)  # its corners lie on a grid
    np.testing.assert_allclose(rows[:, 2], 0.5 * rows[:, 1], atol=1e-9)
    art.export(made, tmp_path / "way.json", every=0.125)
    said = json.loads((tmp_path / "way.json").read_text())
    assert said["joint_names"] == ["q1", "q2"]
    for given in ({"path": tmp_path / "way.bvh"}, {"path": tmp_path / "w.csv", "paths": ["a"]}):
        with pytest.raises(art.FormatError):
            art.export(made, **given)


def test_a_run_tells_what_happened_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ball.art").write_text(
        "primitive ball {\n"
        "  properties: (density: 1000, restitution: 0.5); geometry: sphere(10 cm); dynamics\n}\n"
        "world fall {\n  gravity: (0, -9.81, 0)\n  components { floor: ground; b: ball }\n"
        "  structure { place b by b.center at (0, 1, 0) }\n}\n"
        "simulate fall { time: (10 ms, 1 s) }\n"
    )
    app.run(["simulate", "ball.art", "--headless"])
    # falls for 0.428 s at first, rises and falls for as long again after the first bounce
    assert "events: 2 impact; events.txt tells of each" in capsys.readouterr().err
