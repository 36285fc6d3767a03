"""The best design of a world by its request to vary: known numbers, and the same bytes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from articulata.analyses.vary.optimising import Optimum
from articulata.app.main import main
from articulata.errors import ArticulataError, WorldError
from articulata.sessions.vary.best_design import aim_of, optimised
from articulata.sessions.vary.varying import task_of

CRANK = """
primitive wheel {
  properties: (density: 7850 kg/m^3)
  geometry: cylinder(12 cm, 1 cm) where { pin: (10 cm, 0, 0); seat: (-10 cm, 0, 0) }
  dynamics
}
primitive ball(mass: mass) { geometry: sphere(2 cm); dynamics: (mass: mass) }
primitive rod {
  geometry: cuboid(30 cm, 2 cm, 1 cm) where { near: (-15 cm, 0, 0); far: (15 cm, 0, 0) }
  dynamics: (mass: 0.4 kg)
}
primitive piston { geometry: cuboid(8 cm, 6 cm, 6 cm); dynamics: (mass: 1.2 kg) }
world engine(counter: mass = 0.5 kg) {
  components { frame: fixed_point; wheel: wheel; weight: ball(counter); rod: rod; head: piston }
  structure {
    join wheel to frame with pin(axis: z) as main matching (center, center)
      driven by motor(speed: 60 rpm)
    join weight to wheel with weld matching (center, seat)
    join rod to wheel with pin(axis: z) as big_end matching (near, pin)
    join head to rod with pin(axis: z) as small_end matching (center, far)
    join head to frame with slider(axis: x) as bore matching (center, center)
    place frame by frame.center at (0, 0, 0)
    place wheel by main.angle = 0
  }
}
simulate engine { time: (25 ms, 1 s) }
vary engine {
  parameters: counter from 0.1 kg to 3 kg
  samples: 4
  measure: max big_end.force, rms main.force
}
"""

THROWN = """
primitive ball { properties: (density: 1000 kg/m^3); geometry: sphere(5 cm); dynamics }
world thrown(up: angle, back: speed) {
  gravity: (0, -10 m/s^2, 0)
  components { b: ball }
  structure {
    place b by b.center at (0, 0, 0)
    place b by velocity = ((4 m/s * cos(up) - back, 4 m/s * sin(up), 0) (0, 0, 0))
  }
}
simulate thrown(1 rad, 0 m/s) { time: (0.1 s, 0.2 s) }
vary thrown {
  parameters: up from 10 deg to 80 deg, back from -1 m/s to 1 m/s
  samples: 4
  measure: final b.center
}
"""


def shaking(counter: float) -> float:
    """Return the root of the mean square of the main bearing's force by Newton and Euler, N.

    Rod and piston are followed by their angles; the forces of the rod's ends and of the bore are
    solved from its own equations.
    """
    rate, r, span = 2 * np.pi, 0.1, 0.3
    turn = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    sine, cosine = np.sin(turn), np.cos(turn)
    tilt = np.arcsin(-r / span * sine)  # of the rod against x
    tilting = -r * rate * cosine / (span * np.cos(tilt))
    tilted = (r * rate**2 * sine + span * tilting**2 * np.sin(tilt)) / (span * np.cos(tilt))
    pin = -r * rate**2 * np.stack([cosine, sine])
    across = np.stack([-np.sin(tilt), np.cos(tilt)])
    along = np.stack([np.cos(tilt), np.sin(tilt)])
    middle = pin + span / 2 * (tilted * across - tilting**2 * along)
    end = pin + span * (tilted * across - tilting**2 * along)
    inertia = 0.4 * (0.3**2 + 0.02**2) / 12
    # big end P and small end Q on the rod: P + Q = m a, moments about its middle
    small_x = -1.2 * end[0]
    big_x = 0.4 * middle[0] - small_x
    sum_y = 0.4 * middle[1]
    lever_x, lever_y = span / 2 * along
    moment = inertia * tilted - (lever_y * big_x - lever_y * small_x)
    small_y = (moment / lever_x + sum_y) / 2
    big_y = sum_y - small_y
    force = np.stack([big_x, big_y]) + counter * r * rate**2 * np.stack([cosine, sine])
    return float(np.sqrt(np.mean(np.sum(force**2, axis=0))))


def test_a_counterweight_balances_a_slider_crank_as_its_equations_say(tmp_path: Path) -> None:
    known = minimize_scalar(shaking, bounds=(0.1, 3.0), method="bounded", options={"xatol": 1e-10})
    aim = aim_of(task_of(written(tmp_path, CRANK)), "rms  main.force", starts=1)
    best = optimised(aim, workers=1)
    assert best.parameters["counter"] == pytest.approx(known.x, rel=1e-4)
    assert best.value == pytest.approx(known.fun, rel=1e-6)


class Interrupting:
    """Interrupts a search after ``until`` have ended."""

    def __init__(self, until: int) -> None:
        self.until = until

    def working(self, done: int, total: int) -> None:
        assert total == 3
        if done == self.until:
            raise KeyboardInterrupt


def written(folder: Path, text: str) -> Path:
    path = folder / "world.art"
    path.write_text(text)
    return path


def content(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir())}


def test_bytes_are_the_same_interrupted_and_on_processes(tmp_path: Path) -> None:
    aim = aim_of(task_of(written(tmp_path, THROWN)), maximise=True, starts=3)

    def found(name: str, **how: object) -> Optimum:
        return optimised(aim, folder=tmp_path / name, **how)  # type: ignore[arg-type] # of a test

    best = found("alone", workers=1)
    # (4 cos up - back, 4 sin up - g t/2) is longest where the ball is thrown straight ahead
    assert best.parameters["back"] == pytest.approx(-1.0)
    aside = minimize_scalar(
        lambda up: -np.hypot(4 * np.cos(up) + 1, 4 * np.sin(up) - 1),
        bounds=(np.radians(10), np.radians(80)), method="bounded", options={"xatol": 1e-9},
    )  # fmt: skip
    assert best.parameters["up"] == pytest.approx(aside.x, abs=1e-4)
    assert best.value == pytest.approx(-0.2 * aside.fun, rel=1e-8)
    whole = content(tmp_path / "alone")
    assert sorted(whole)[0] == "searches-" + sorted(whole)[0][9:]
    with pytest.raises(KeyboardInterrupt):
        found("cut", workers=1, listener=Interrupting(2))
    assert found("cut", workers=1, listener=Interrupting(-1)) == best
    assert content(tmp_path / "cut") == whole
    assert found("spread", workers=2) == best
    assert content(tmp_path / "spread") == whole


def test_the_command_says_the_best_and_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = written(tmp_path, THROWN), tmp_path / "out"
    words = ["articulata", "optimise", str(file), "--starts", "1", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    main()
    told = capsys.readouterr()
    said, table = told.out.splitlines()
    assert said.startswith("final b.center = 0.")
    assert ": thrown(up: " in said
    assert table == str(out / "searches.csv")
    rows = (out / "searches.csv").read_text().splitlines()
    assert rows[:2] == ["run,up,back,final b.center,runs,failed", ",rad,m/s,m,,"]
    assert len(rows) == 3
    assert "1 of 1 searches ended there" in told.err
    assert "back is at its bound; a wider range may hold a better design" in told.err
    task = task_of(file)
    with pytest.raises(WorldError, match=r"measures nothing called 'final b\.centre'; did you"):
        aim_of(task, "final b.centre")
    with pytest.raises(ArticulataError, match="1 start or more"):
        optimised(aim_of(task, starts=0))
