"""The best design of a world by its request to vary: known numbers, and the same bytes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

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

LAMP = """
primitive arm {
  geometry: cuboid(80 cm, 2 cm, 2 cm) where { near: (-40 cm, 0, 0); eye: (-20 cm, 0, 0) }
  dynamics: (mass: 2 kg)
}
primitive post(aside: length) {
  geometry: cuboid(2 cm, 60 cm, 2 cm) where { foot: (0, 0, 0); hook: (aside, 25 cm, 0) }
}
world lamp(k: stiffness = 100 N/m, aside: length = 0 cm) {
  gravity: (0, -9.81 m/s^2, 0)
  components { post: post(aside); arm: arm }
  structure {
    join arm to post with pin(axis: z) as pivot matching (near, foot) driven by motor(speed: 5 rpm)
    join arm to post with spring(stiffness: k, length: 0 cm) as coil matching (eye, hook)
    ignore arm with post
    place post by post.foot at (0, 0, 0)
    place arm by pivot.angle = -60 deg
  }
}
simulate lamp { time: (0.25 s, 4 s) }
vary lamp {
  parameters: k from 20 N/m to 400 N/m, aside from -10 cm to 10 cm
  samples: 4
  measure: rms pivot.motor.torque
}
"""


def shaking(counter: float) -> float:
    """Return the root of the mean square of the main bearing's force, N."""
    turn = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    return float(np.sqrt(np.mean(bearing(counter, turn) ** 2)))


def peak(counter: float) -> float:
    """Return the greatest force of the main bearing in the frames of the run, N."""
    return float(bearing(counter, np.arange(40) * np.pi / 20).max())


def bearing(counter: float, turn: np.ndarray) -> np.ndarray:
    """Return the main bearing's force at angles (n,) of the crank by Newton and Euler, (n,) N.

    Rod and piston are followed by their angles; the forces of the rod's ends and of the bore are
    solved from its own equations.
    """
    rate, r, span = 2 * np.pi, 0.1, 0.3
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
    return np.asarray(np.hypot(*force))


def test_a_counterweight_balances_a_slider_crank_as_its_equations_say(tmp_path: Path) -> None:
    known = minimize_scalar(shaking, bounds=(0.1, 3.0), method="bounded", options={"xatol": 1e-10})
    aim = aim_of(task_of(written(tmp_path, CRANK)), "rms  main.force", starts=1)
    best = optimised(aim, workers=1)
    assert best.parameters["counter"] == pytest.approx(known.x, rel=1e-4)
    assert best.value == pytest.approx(known.fun, rel=1e-6)


def test_a_counterweight_that_keeps_the_greatest_force_is_where_the_equations_have_it(
    tmp_path: Path,
) -> None:
    # the force's peak falls with more counterweight from where the mean square is least
    known = brentq(lambda counter: peak(counter) - 4.2, 0.907, 1.08)
    text = CRANK.replace("samples: 4", "samples: 4; keep: max main.force below 4.2 N")
    best = optimised(aim_of(task_of(written(tmp_path, text)), "rms main.force", starts=1), 1)
    assert best.parameters["counter"] == pytest.approx(known, rel=1e-6)
    assert best.value == pytest.approx(shaking(known), rel=1e-6)
    assert best.margins == pytest.approx((0.0,), abs=1e-6)


def check_lamp(folder: Path, starts: int, workers: int) -> None:
    """An arm on a spring without free length rests anywhere with k = m g l / (a h).

    M. J. French and M. B. Widden, The spring-and-lever balancing mechanism, George Carwardine and
    the Anglepoise lamp (Proceedings IMechE C 214, 2000).
    """
    best = optimised(aim_of(task_of(written(folder, LAMP)), starts=starts), workers)
    assert best.parameters["k"] == pytest.approx(2 * 9.81 * 0.4 / (0.2 * 0.25), rel=1e-6)
    assert best.parameters["aside"] == pytest.approx(0.0, abs=1e-7)
    assert best.value == pytest.approx(0.0, abs=1e-6)
    assert all(each.value < 1e-5 for each in best.searches)


def test_a_spring_balances_an_arm_as_carwardine_s_lamp(tmp_path: Path) -> None:
    check_lamp(tmp_path, starts=1, workers=1)


@pytest.mark.slow
def test_it_does_from_twenty_starts(tmp_path: Path) -> None:
    check_lamp(tmp_path, starts=20, workers=2)


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
    assert " m: thrown(up: " in said
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


def test_a_throw_keeps_its_height_and_the_bound_that_decides_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "units: centimetre, degree\n" + THROWN.replace(
        ", back from -1 m/s to 1 m/s", ""
    ).replace("vary thrown", "vary thrown(back: 0 m/s)")
    kept = "measure: final b.center.x\n  keep: final b.center.y above 40 cm, max b.v below 9 m/s"
    file = written(tmp_path, text.replace("measure: final b.center", kept))
    out = tmp_path / "out"
    words = ["articulata", "optimise", str(file), "--maximise", "--starts", "1", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    main()
    told = capsys.readouterr().out.splitlines()
    # height 4 sin(up) t - g t^2 / 2 = 0.4 m at 0.2 s: sin(up) = 3/4, and x = 0.8 cos(up)
    assert told[0].startswith(f"final b.center.x = {80.0 * np.sqrt(7 / 16):.4f}"[:-1])
    assert " cm: thrown(back: 0 m/s, up: " in told[0]
    up = float(told[0].partition("up: ")[2].partition(" deg")[0])
    assert np.sin(np.radians(up)) == pytest.approx(0.75, abs=1e-6)
    assert told[1] == "final b.center.y above 40 cm: it is 40 cm, this bound decides"
    assert told[2] == "max b.v below 900 cm/s: it is 400 cm/s, 500 cm/s from it"
    rows = (out / "searches.csv").read_text().splitlines()
    assert rows[0] == "run,up,final b.center.x,runs,final b.center.y,max b.v,failed"
    assert rows[1] == ",deg,cm,,cm,cm/s,"
    assert float(rows[2].split(",")[1]) == pytest.approx(up, rel=1e-9)
    # at most 0.8 sin(80 deg) - 0.2 m are reached
    high = written(tmp_path, text.replace("measure: final b.center", kept).replace("40 cm", "1 m"))
    best = 80.0 * np.sin(np.radians(80.0)) - 20.0
    said = (
        rf"no design keeps final b\.center\.y above 100 cm: at best it is {best:.2f}.* cm, at "
        r"thrown\(back: 0 m/s, up: (79\.\d*|80) deg\)"
    )
    with pytest.raises(ArticulataError, match=said):
        optimised(aim_of(task_of(high), starts=1), 1)
    wrong = written(tmp_path, text.replace("measure: final b.center", kept).replace("40 cm", "4 N"))
    with pytest.raises(WorldError, match="above 4 N' does not compare: b"):
        optimised(aim_of(task_of(wrong), starts=1), 1)
