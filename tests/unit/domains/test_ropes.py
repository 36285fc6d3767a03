"""Ropes through several features against equations of their own, taut and slack; their books."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.geometry.arrays import Array
from articulata.world.edits.force_edits import AddForce
from articulata.world.writing.worlds import art_text
from driven_hinges import leg

TEXT = """
primitive ball(mass: mass = 1 kg) {
  geometry: sphere(1 cm)
  dynamics: (mass: mass)
}
world swinging {
  gravity: (0, -9.81 m/s^2, 0)
  components { left, right: fixed_point; bob: ball(1 kg); weight: ball(1.5 kg) }
  structure {
    place left by left.center at (0, 0, 0)
    place right by right.center at (50 cm, 10 cm, 0)
    place bob by bob.center at (-40 cm, -30 cm, 0)
    place weight by weight.center at (60 cm, -40 cm, 0)
    force rope between bob.center and left.center and right.center and weight.center
      = max(2 kN/m * (distance - LENGTH) + DAMPING * speed, 0 N)
  }
}
"""
STOP = """
simulate swinging {
  time: (20 ms, 2 s)
  on rope.distance < LENGTH: stop
}
"""
LEFT, RIGHT = np.array([0.0, 0.0]), np.array([0.5, 0.1])
PARTS = float(np.hypot(0.4, 0.3) + np.hypot(0.5, 0.1) + np.hypot(0.1, 0.5))
"""The rope's way at the start."""


def text_of(length: float, damping: float = 0.0) -> str:
    return (TEXT + STOP).replace("LENGTH", f"{length!r} m").replace("DAMPING", f"{damping} N*s/m")


def made(length: float, damping: float = 0.0) -> art.World:
    return art.parse(text_of(length, damping)).world()


def stretch(y: Array) -> tuple[float, float, Array, Array]:
    """Return length, its rate, and directions from the pulleys to bob and weight."""
    a, b = y[:2] - LEFT, y[2:4] - RIGHT
    u, v = a / np.linalg.norm(a), b / np.linalg.norm(b)
    length = np.linalg.norm(a) + np.linalg.norm(b) + np.linalg.norm(RIGHT - LEFT)
    return float(length), float(u @ y[4:6] + v @ y[6:8]), u, v


def motion(length: float, damping: float) -> Any:
    """Return the equations of motion, and the tension were it no rope."""

    def pull(y: Array) -> float:
        now, rate, _, _ = stretch(y)
        return 2e3 * (now - length) + damping * rate

    def rates(t: float, y: Array) -> Array:
        _, _, u, v = stretch(y)
        tension, down = max(pull(y), 0.0), np.array([0.0, -9.81])
        return np.concatenate([y[4:], down - tension * u, down - tension * v / 1.5])

    return rates, pull


@pytest.mark.parametrize(("slack", "damping"), [(-0.01, 0.0), (0.05, 0.0), (0.05, 15.0)])
def test_a_rope_moves_two_weights_as_its_own_equations_say(slack: float, damping: float) -> None:
    length, until = PARTS + slack, 0.8
    run = art.simulate(made(length, damping), until=until, step=0.02)
    rates, pull = motion(length, damping)
    y, t, ends = np.array([-0.4, -0.3, 0.6, -0.4, 0, 0, 0, 0], float), 0.0, 0
    while t < until:  # each corner of the law ends a leg
        part = leg(rates, t, until, y, lambda t, y: pull(y))
        t, y, ends = part.t[-1], part.y[:, -1], ends + 1
        y, t = (y, t) if t >= until else (y + 1e-9 * rates(t, y), t + 1e-9)
    assert ends > 1
    found = np.concatenate([run.series("bob.center")[-1][:2], run.series("weight.center")[-1][:2]])
    assert found == pytest.approx(y[:4], abs=1e-8)
    assert run.series("rope.distance")[-1] == pytest.approx(stretch(y)[0], abs=1e-8)
    assert run.series("rope.speed")[-1] == pytest.approx(stretch(y)[1], abs=1e-7)
    assert run.series("rope.force")[-1] == pytest.approx(max(pull(y), 0.0), abs=1e-4)
    whole = run.series("energy.total") + run.series("energy.dissipated") - run.series("energy.work")
    assert np.abs(whole - whole[0]).max() < 1e-7


def test_a_clause_hears_where_a_rope_goes_slack() -> None:
    length = PARTS - 0.01
    run = art.simulate(art.parse(text_of(length)).requests[0])
    rates, pull = motion(length, 0.0)
    known = leg(
        rates, 0.0, 2.0, np.array([-0.4, -0.3, 0.6, -0.4, 0, 0, 0, 0]), lambda t, y: pull(y)
    )
    assert run.times[-1] == pytest.approx(known.t[-1], abs=1e-8)


def test_a_tackle_halves_the_weight_and_its_guides_may_lie_on_one_body() -> None:
    text = """
primitive ball(mass: mass) {
  geometry: sphere(1 cm); dynamics: (mass: mass)
}
primitive beam { properties: (fixed); geometry: cuboid(2 m, 2 cm, 2 cm) where {
  hook: (-50 cm, 0, 0); one: (-30 cm, 0, 0); other: (60 cm, 0, 0) } }
world tackle {
  gravity: (0, -9.81 m/s^2, 0)
  components { beam: beam; load: ball(2 kg); weight: ball(1 kg) }
  structure {
    place beam by beam.center at (0, 0, 0)
    place load by load.center at (-40 cm, -1 m, 0)
    place weight by weight.center at (60 cm, -1 m, 0)
    force rope between beam.hook and load.center and beam.one and beam.other and weight.center
      = max(5 kN/m * (distance - LONG), 0 N)
  }
}
"""
    slope = 1.0 / np.hypot(1.0, 0.1)
    long = float(2.0 * np.hypot(1.0, 0.1) + 0.9 + 1.0 - 9.81 / 5e3)
    world = art.parse(text.replace("LONG", f"{long!r} m")).world()
    run = art.simulate(world, until=1e-3, step=1e-3)
    assert run.series("rope.force")[0] == pytest.approx(9.81, abs=1e-9)
    assert abs(run.series("weight.center.v")[-1]).max() < 2e-4
    # both parts at the load are inclined: it is held by 2 T slope, a little less than its weight
    fall = 9.81 * (1.0 - slope)
    assert run.series("load.center.v")[-1][1] == pytest.approx(-fall * 1e-3, rel=1e-2)


def test_a_rope_is_written_as_it_is_read_and_can_be_edited() -> None:
    world = made(PARTS)
    again = art.parse(art_text(world)).world()
    assert dict(again.forces) == dict(world.forces)
    edit = AddForce(world.forces["rope"])
    bare = world.edit(edit.inverse(world))
    assert not bare.forces
    assert dict(bare.edit([edit]).forces) == dict(world.forces)
    with pytest.raises(art.WorldError, match="between 'bob' and itself"):
        art.parse(
            TEXT.replace("left.center and right.center and weight.center", "bob.center")
            .replace("LENGTH", "1 m")
            .replace("DAMPING", "0 N*s/m")
        ).world()


@pytest.mark.parametrize("method", [art.RK4(step=2e-4), art.Stepping(step=2e-4)])
def test_other_methods_know_ropes(method: Any) -> None:
    exact = art.simulate(made(PARTS + 0.05, 15.0), until=0.3, step=0.05)
    run = art.simulate(made(PARTS + 0.05, 15.0), until=0.3, step=0.05, method=method)
    for path in ("bob.center", "weight.center"):
        assert np.abs(run.series(path) - exact.series(path)).max() < 2e-3
