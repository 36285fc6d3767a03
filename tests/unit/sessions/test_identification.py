"""Parameters of worlds from measured curves: against closed forms and another integrator."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from articulata.app.main import main
from articulata.errors import ArticulataError, RecordingError, WorldError
from articulata.sessions.vary.best_design import aim_of, optimised
from articulata.sessions.vary.identification import aim_at, identify, lines_of
from articulata.sessions.vary.varying import task_of

PENDULUM = """
primitive rod(span: length) {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(2 cm, span, 2 cm) where { top: (0, span/2, 0) }
  dynamics
}
world swing(friction = 0.1 N*m*s, span: length = 1 m) {
  gravity: (0, -9.81 m/s^2, 0)
  components { stand: fixed_point; r: rod(span) }
  structure {
    join r to stand with pin(axis: z) as pin matching (top, center)
    force drag about pin = -friction * rate
    place stand by stand.center at (0, 0, 0), pin.angle = 40 deg
  }
}
simulate swing { time: (0.1 s, 2 s) }
vary swing {
  parameters: friction from 0.05 N*m*s to 1 N*m*s, span from 0.7 m to 1.4 m
  measure: difference of pin.angle to "swing.csv"
}
"""

OSCILLATOR = """
primitive weight(m: mass) { geometry: sphere(5 cm); dynamics: (mass: m) }
world bounce(m: mass, k: stiffness) {
  components { hook: fixed_point; load: weight(m) }
  structure {
    place hook by hook.center at (0, 0, 0)
    join load to hook with slider(axis: y) as guide matching (center, center)
    join load to hook with spring(stiffness: k, length: 0.5 m) as coil matching (center, center)
    place load by load.travel = -0.6 m
  }
}
simulate bounce(1 kg, 20 N/m) { time: (0.1 s, 1.2 s) }
vary bounce {
  parameters: m from 1 kg to 3 kg, k from 15 N/m to 50 N/m
  measure: difference of load.center.y to column "place" of "bounce.csv"
}
"""

THROWN = """
primitive ball { properties: (density: 1000 kg/m^3); geometry: sphere(5 cm); dynamics }
world thrown(g: acceleration, v: speed) {
  gravity: (0, -g, 0)
  components { b: ball }
  structure {
    place b by b.center at (0, 0, 0)
    place b by velocity = ((v, 0, 0) (0, 0, 0))
  }
}
simulate thrown(9 m/s^2, 1 m/s) { time: (0.1 s, 1 s) }
vary thrown {
  parameters: g from 5 m/s^2 to 15 m/s^2, v from 1 m/s to 5 m/s
  measure: difference of b.center.y to column "height" of "fall.csv",
    difference of b.center.x to column "across" of "fall.csv"
}
"""
FALL = np.arange(1, 21) / 20.0


def written(folder: Path, text: str, name: str = "", rows: str = "") -> Path:
    if name:
        (folder / name).write_text(rows)
    path = folder / "world.art"
    path.write_text(text)
    return path


def fall(seed: int = 0) -> str:
    """Return a throw with 2.5 m/s under 9.81 m/s^2, heights with 10 mm of noise, places with 1."""
    draws = np.random.default_rng(seed)
    heights = -9.81 * FALL**2 / 2.0 * 1000.0 + draws.normal(0.0, 10.0, len(FALL))
    across = 2.5 * FALL + draws.normal(0.0, 1e-3, len(FALL))
    columns = np.stack([FALL, heights, across], axis=1).tolist()
    rows = [",".join(map(repr, each)) for each in columns]
    return "\n".join(["time [s],height (mm),across [m]", *rows])


def test_a_damped_pendulum_is_found_in_another_integrator_s_angles(tmp_path: Path) -> None:
    span, friction = 1.0, 0.3
    mass = 7850.0 * 4e-4 * span
    inertia = mass * (span**2 + 4e-4) / 12.0 + mass * span**2 / 4.0

    def turned(_: float, y: np.ndarray) -> tuple[float, float]:
        moment = -mass * 9.81 * span / 2.0 * np.sin(y[0]) - friction * y[1]
        return y[1], moment / inertia

    times = np.sort(np.random.default_rng(3).uniform(0.0, 2.0, 30))
    angles = solve_ivp(turned, (0.0, 2.0), (np.radians(40.0), 0.0), t_eval=times, rtol=1e-10,
                       atol=1e-12).y[0]  # fmt: skip
    measured = np.degrees(angles) + np.random.default_rng(4).normal(0.0, 0.5, 30)
    rows = [f"{t:.9f},{a:.6f}" for t, a in zip(times, measured, strict=True)]
    text = "\n".join(["time,angle [deg]", *rows, "2.5,0", "1.5,nan"])
    found = identify(written(tmp_path, PENDULUM, "swing.csv", text), starts=1)
    for name, known in (("span", span), ("friction", friction)):
        assert abs(found.parameters[name] - known) < 3.0 * found.sigmas[name]
    assert found.sigmas["span"] < 0.01
    (fit,) = found.fits
    assert len(fit.residuals) == 30
    assert 0.3 < fit.rms < 0.7  # deg
    assert fit.explained > 0.99
    assert found.doubts == (
        'difference of pin.angle to "swing.csv": rows without a number, left out: 1',
        'difference of pin.angle to "swing.csv": rows outside the run, 0 to 2 s, left out: 1',
    )


def test_only_the_frequency_of_an_oscillator_is_told(tmp_path: Path) -> None:
    times = np.linspace(0.05, 1.2, 12)
    place = -0.5 - 0.1 * np.cos(np.sqrt(30.0 / 2.0) * times)
    rows = [f"{t:.9f},{y:.12f}" for t, y in zip(times, place, strict=True)]
    path = written(tmp_path, OSCILLATOR, "bounce.csv", "\n".join(["time,place [m]", *rows]))
    found = identify(path, starts=1)
    assert found.parameters["k"] / found.parameters["m"] == pytest.approx(15.0, rel=1e-5)
    assert found.precision.correlation[0, 1] == pytest.approx(1.0, abs=1e-6)
    assert found.doubts[0].startswith("m and k cannot be told apart: to change m by +1 %, k by")
    assert "m and k go together: correlation +1.000000" in found.doubts


def test_gravity_is_found_from_two_curves_and_the_command_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = written(tmp_path, THROWN, "fall.csv", fall()), tmp_path / "out"
    words = ["articulata", "identify", str(file), "--starts", "1", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    main()
    told = capsys.readouterr()
    gravity, speed, height, across, call, picture = told.out.splitlines()
    # least squares of straight lines through 0, by hand
    assert gravity.startswith("g = 9.8")
    assert gravity.endswith("m/s^2")
    assert speed.startswith("v = 2.50")
    assert height.startswith("b.center.y: rms ")
    assert " mm over 20 rows, R^2 0.999" in height
    assert " m over 20 rows, R^2 0.9999" in across
    assert call.startswith("thrown(g: 9.8")
    assert picture == str(out / "fits.png")
    assert "1 of 1 searches ended there" in told.err
    names = sorted(each.name for each in out.iterdir())
    assert names[:4] == [
        "fits.png", "identified.csv", "residuals-b.center.x.csv", "residuals-b.center.y.csv"
    ]  # fmt: skip
    rows = np.loadtxt(tmp_path / "fall.csv", delimiter=",", skiprows=1)
    basis = -(FALL**2) / 2.0 * 1000.0
    best = basis @ rows[:, 1] / (basis @ basis)
    left = rows[:, 1] - best * basis
    head, found = (out / "identified.csv").read_text().splitlines()[:2]
    assert head == "parameter,unit,value,sigma,correlation with g,correlation with v"
    sigma = np.sqrt(left @ left / 19.0 / (basis @ basis))
    assert [float(each) for each in found.split(",")[2:5]] == pytest.approx(
        [best, sigma, 1.0], rel=0.1
    )
    assert float(found.split(",")[2]) == pytest.approx(best, rel=1e-6)
    assert float(height.split()[2]) == pytest.approx(np.sqrt(np.mean(left**2)), rel=1e-3)
    table = (out / "residuals-b.center.y.csv").read_text().splitlines()
    assert table[:2] == ["time,measured,simulated,residual", "s,mm,mm,mm"]
    assert [float(each) for each in table[2].split(",")][:2] == rows[0, :2].tolist()


def test_own_recordings_and_tables_of_pandas_stand_in_place_of_files(tmp_path: Path) -> None:
    path = written(tmp_path, THROWN.replace('"height" of "fall.csv"', '"b.center.y" of "a.artrun"')
                   .replace('"across" of "fall.csv"', '"x" of "table"'))  # fmt: skip
    run = art.simulate(art.read(path).world("thrown", 8.0, 3.0), until=1.0, step=0.125)
    run.save(tmp_path / "a.artrun")

    class Frame:
        """What is used of a pandas.DataFrame, which the quick tests do without."""

        columns, attrs = ("time", "x"), {"units": {"time": "ms", "x": "cm"}}
        index = type("Index", (), {"name": None})

        def reset_index(self) -> Frame:
            raise AssertionError

        def astype(self, kind: type) -> Frame:
            assert kind is str
            return self

        def to_numpy(self) -> np.ndarray:
            return np.array([[str(t), str(0.3 * t)] for t in (100.0, 500.0, 900.0)])

    found = identify(path, tables={"table": Frame()}, starts=1)
    assert found.parameters == pytest.approx({"g": 8.0, "v": 3.0}, rel=1e-7)
    assert not found.doubts
    with pytest.raises(WorldError, match="'table' stands for a list; give a table of pandas"):
        identify(path, tables={"table": [1.0]})


def test_what_is_identified_is_told_in_the_text_s_units(tmp_path: Path) -> None:
    curves = THROWN.replace('"height" of "fall.csv"', '"b.center.y" of "a.artrun"').replace(
        '"across" of "fall.csv"', '"b.center.x" of "a.artrun"'
    )
    path = written(tmp_path, "units: millimetre, degree\n" + curves)
    run = art.simulate(art.read(path).world("thrown", 8.0, 3.0), until=1.0, step=0.125)
    run.save(tmp_path / "a.artrun")
    found = identify(path, starts=1, folder=tmp_path / "out")
    assert found.parameters == pytest.approx({"g": 8.0, "v": 3.0}, rel=1e-7)
    gravity, speed, height, _ = lines_of(found)
    assert gravity.startswith("g = 8000 +- ")
    assert gravity.endswith(" mm/s^2")
    assert speed.startswith("v = 3000 +- ")
    assert " mm over " in height
    rows = (tmp_path / "out" / "identified.csv").read_text().splitlines()
    assert rows[1].startswith("g,mm/s^2,")
    assert float(rows[1].split(",")[2]) == pytest.approx(8000.0, rel=1e-7)
    table = (tmp_path / "out" / "residuals-b.center.y.csv").read_text().splitlines()
    assert table[1] == "s,mm,mm,mm"
    assert float(table[-1].split(",")[1]) == pytest.approx(-4000.0, rel=1e-9)


def test_a_difference_is_a_measure_too(tmp_path: Path) -> None:
    text = THROWN.replace("measure:", "samples: 4\n  measure:")
    file = written(tmp_path, text, "fall.csv", fall())
    runs = art.vary(file)
    assert runs.measure_units == ("m", "m")
    g, _ = runs.points.T
    rows = np.loadtxt(tmp_path / "fall.csv", delimiter=",", skiprows=1)
    known = [np.sqrt(np.mean((-each * FALL**2 / 2.0 - rows[:, 1] / 1000.0) ** 2)) for each in g]
    np.testing.assert_allclose(runs.values[:, 0], known, rtol=1e-6)
    measure = runs.measures[1]
    assert measure == 'difference of b.center.x to column "across" of "fall.csv"'
    best = optimised(aim_of(task_of(file), measure, starts=1), 1)
    assert best.parameters["v"] == pytest.approx(2.5, abs=1e-3)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("time,heigth [mm]\n0,1\n.1,1\n.2,1", "no column 'height' but 'heigth'; write difference"),
        ("time,height\n0,1\n.1,1\n.2,1", r"no unit of column 'height'; call it 'height \[deg\]'"),
        ("time,height [furlong]\n0,1\n.1,1\n.2,1", "'furlong' is no unit that is known"),
        ("time,height [m]\n0,1\n.2,1\n.1,1\n.3,1", r"increase: 0.1 s follows 0.2 s; sort the rows"),
        ("time,height [m]\n7,1\n8,1\n9,1", "where the run is, and has 0; its times go"),
    ],
)
def test_what_cannot_be_compared_is_said(tmp_path: Path, rows: str, said: str) -> None:
    file = written(tmp_path, THROWN, "fall.csv", rows)
    with pytest.raises((WorldError, RecordingError), match=said):
        identify(file)


def test_a_curve_of_another_quantity_a_bound_and_a_missing_law_are_told(tmp_path: Path) -> None:
    file = written(tmp_path, THROWN, "fall.csv", fall().replace("(mm)", "(deg)"))
    with pytest.raises(WorldError, match=r"the column is in deg, and b\.center\.y is a length"):
        identify(file)
    file = written(tmp_path, THROWN.replace("to 15 m/s^2", "to 9 m/s^2"), "fall.csv", fall())
    found = identify(file, starts=1)
    assert "g is at its bound; a wider range may fit better" in found.doubts
    assert any(
        each.startswith("what is left of b.center.y is not white noise") for each in found.doubts
    )
    with pytest.raises(WorldError, match="compares runs with nothing; write"):
        aim_at(task_of(written(tmp_path, THROWN.replace("difference of", "final").replace(
            ' to column "height" of "fall.csv"', "").replace(
            ' to column "across" of "fall.csv"', "").replace("vary thrown {",
            "vary thrown { samples: 3;"))))  # fmt: skip
    with pytest.raises(ArticulataError, match="'samples' are lacking"):
        art.vary(written(tmp_path, THROWN, "fall.csv", fall()))
