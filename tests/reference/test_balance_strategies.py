"""Strategies of balance: an inverted pendulum on its ankle, with a flywheel, and people pushed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art

MASS, PULL, LOW, HEEL, TOE = 70.0, 9.81, 0.1, -0.1, 0.2
"""A point mass 1 m over an ankle; its sole lies LOW under that, from HEEL to TOE (m)."""

PENDULUM = """
figure man {
  chain a: plain table {
    base: fixed(mass: 1 kg, shape: cuboid(SIZE, 10 cm, 2 cm) at (MIDDLE, 0, -9 cm))
    ankle: revolute(axis: y, effort: 400 N*m, mass: 70 kg, center: (0, 0, 1),
      inertia: (1e-9, 1e-9, 1e-9))
  }
  posture up { ankle: 0 }
}
world w {
  gravity: (0, 0, -9.81)
  components { one: man }
  structure {
    place one by properties: (fixed), ankle = LEAN
    place one by one.ankle.rate = RATE rad/s
    one follows up by servo(5*effort, 1 s*effort), balance(ankle)
  }
}
"""

FLYWHEEL = """
figure man {
  chain a: plain table {
    base: fixed(mass: 1 kg, shape: cuboid(20 mm, 10 mm, 2 mm) at (0, 0, -1 mm))
    ankle: revolute(axis: y, effort: 400 N*m, mass: 1 g, center: (0, 0, 0.5),
      inertia: (1e-6, 1e-6, 1e-6))
    hip: revolute(axis: y, effort: 7 N*m, mass: 70 kg, inertia: (10, 10, 10)) at (0, 0, 1)
  }
  posture up { ankle: 0; hip: 0 }
}
world w {
  gravity: (0, 0, -9.81)
  components { one: man }
  structure {
    place one by properties: (fixed), ankle = 0
    place one by one.ankle.rate = RATE rad/s, one.hip.rate = -RATE rad/s
    one follows up by servo(20 N*m/rad, 20 N*m*s/rad), balance(ankle, hip)
  }
}
"""


def pendulum(lean: float, rate: float, scale: float = 1.0, **how: Any) -> Any:
    """Return a run of the pendulum whose foot is ``scale`` times as long."""
    text = PENDULUM.replace("SIZE", f"{scale * (TOE - HEEL)!r} m").replace("LEAN", f"{lean!r}")
    text = text.replace("MIDDLE", f"{scale * (TOE + HEEL) / 2!r} m").replace("RATE", f"{rate!r}")
    return art.simulate(art.parse(text).world(), step=0.05, **how)


def moment(lean: float, rate: float) -> float:
    """Return the moment (N m) of the law, written down anew for the pendulum in its plane."""
    x, z, v = math.sin(lean), math.cos(lean), rate * math.cos(lean)
    asked = 2 * (x + v * math.sqrt(z / PULL)) - (HEEL + TOE) / 2
    back, front = ((end + LOW / z * x) / (1 + LOW / z) for end in (HEEL, TOE))
    return -MASS * PULL * min(max(asked, back), front)


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(1e-3), art.Stepping(1e-3)])
def test_a_pendulum_moves_as_the_law_says(method: Any) -> None:
    """Beside an integrator with equations of its own, at the toe first."""
    run = pendulum(0.05, 0.4, until=2.0, method=method)

    def slope(_: float, y: Any) -> list[float]:
        return [y[1], PULL * math.sin(y[0]) + moment(*y) / MASS]

    times = np.asarray(run.times)
    own = solve_ivp(slope, (0, 2), [0.05, 0.4], rtol=1e-11, atol=1e-13, t_eval=times).y
    assert np.abs(run.series("one.ankle.angle") - own[0]).max() < 1e-7
    given = run.series("one_ankle_servo.moment")
    np.testing.assert_allclose(given, [moment(*y) for y in own.T], atol=1e-3)
    # never more than the foot's length ahead of the ankle allows, of this weight
    assert -MASS * PULL * TOE < given.min() < -0.9 * MASS * PULL * TOE


def test_a_small_sway_dies_away_as_a_critically_damped_one() -> None:
    """X' = w0 (X - u), u = X + (X - r): X - r falls as exp(-w0 t), x - r as (a + b w0 t) exp."""
    run = pendulum(3e-4, 1e-3, scale=0.03, until=2.0)
    t, w0, r = np.asarray(run.times), math.sqrt(PULL), 0.03 * (HEEL + TOE) / 2
    a, b = 3e-4 - r, 3e-4 + 1e-3 / w0 - r
    told = r + (a + b * w0 * t) * np.exp(-w0 * t)
    assert np.abs(np.sin(run.series("one.ankle.angle")) - told).max() < 1e-6 * abs(b) + 1e-7 * r


@pytest.mark.parametrize(("share", "falls"), [(0.99, False), (1.01, True)])
def test_a_pendulum_falls_when_its_extrapolated_centre_of_mass_is_beyond_the_toe(
    share: float, falls: bool
) -> None:
    """Hof 2005: x + v sqrt((l + LOW) / g) < toe, the height over the ground; here in the small."""
    rate = share * 0.1 * TOE * math.sqrt(PULL / (1 + LOW))
    lean = pendulum(0.0, rate, scale=0.1, until=6.0).series("one.ankle.angle")
    assert (lean[-1] > 0.05) == falls


@pytest.mark.parametrize(("share", "falls"), [(0.98, False), (1.02, True)])
def test_a_flywheel_adds_its_moment_over_the_weight_to_the_bound(share: float, falls: bool) -> None:
    """X < toe + T / (M g), T the most that the hip can give (Pratt et al. 2006, section III)."""
    toe, height = 0.01, 1.002
    bound = toe + height * 7.0 / (70.0 * PULL)
    rate = share * bound * math.sqrt(PULL / height)
    run = art.simulate(art.parse(FLYWHEEL.replace("RATE", repr(rate))).world(), until=4.0, step=0.1)
    assert (run.series("one.ankle.angle")[-1] > 0.1) == falls
    assert bound > 1.9 * toe
    given = np.abs(run.series("one_hip_servo.moment"))
    assert given.max() == pytest.approx(7.0)
    if not falls:
        turned = run.series("one.hip.angle")
        assert turned.max() > 0.5 * np.abs(turned).max()  # forward, against the fall


PUSHED = """
primitive slab { properties: (fixed, friction: 0.7)
  geometry: half_space where { face surface: top } }
world hall(push: force) {
  gravity: (0, -9.81, 0)
  components { one: person(1.75 m); floor: slab; behind: fixed_point }
  structure {
    place one by one.l_heel at (0, 0, 0)
    place behind by behind.center at (0, 1.3 m, -3 m)
    one follows standing by servo(6*effort, 0.5 s*effort)STRATEGIES
    force blow between one.thorax and behind.center =
      -push*(ramp(time, 2 s, 2.05 s) - ramp(time, 2.15 s, 2.2 s))
  }
}
"""
BACK, AHEAD, SOLE = -0.03144, 0.17074, 0.07253
"""From the ankle where the foot's balls touch the floor, farthest back and ahead, and below (m)."""

LEG = ("hip", "thigh", "calf", "talocrural", "foot")
"""What names of links from the hips down hold."""


def pushed(strategies: str, push: float, until: float) -> Any:
    text = PUSHED.replace("STRATEGIES", strategies and f", balance({strategies})")
    world = art.parse(text).world("hall", push)
    return art.simulate(world, until=until, step=0.02, method=art.Stepping())


def swaying(run: Any) -> tuple[np.ndarray, ...]:
    """Return weight, mass centre, its velocity and what turns about it, as point masses."""
    m = np.array([each.properties.get("mass", 0.0) for each in run.world.bodies.values()])
    p, v = run.array("dynamic.position"), run.array("dynamic.velocity")
    c, w = m @ p / m.sum(), m @ v / m.sum()
    L = np.einsum("b,fbi->fi", m, np.cross(p - c[:, None], v - w[:, None]))
    return m.sum() * PULL, c, w, L


def test_a_person_who_is_pushed_moves_ankles_and_hips_by_the_law() -> None:
    """Both written down anew in her plane, z ahead and y up."""
    run = pushed("ankle, hip", 175.0, 2.8)
    weight, c, v, L = swaying(run)
    ankle = (run.series("one.l_ankle") + run.series("one.r_ankle")) / 2
    x, high = (c - ankle)[:, 2], (c - ankle)[:, 1]
    w0, low, r = np.sqrt(PULL / high), SOLE / high, (BACK + AHEAD) / 2
    X = x + v[:, 2] / w0
    Y = X + w0 * L[:, 0] / weight
    back, ahead = (BACK + low * x) / (1 + low), (AHEAD + low * x) / (1 + low)
    beyond = 5 * (X - r + np.maximum(Y - X, 0.0) / 2 - 0.8 * (ahead - r))
    turned = np.maximum(beyond, 0.0) * low / (1 + low)  # what hips do moves u at the floor
    u = np.clip(X + Y - r, back - turned, ahead - turned)
    given = [run.series(f"one_{side}_talocrural_flexion_servo.moment") for side in "lr"]
    flat = run.series("one.l_heel")[:, 1] < 5e-3  # m; her heels leave the floor for a while
    found, told = np.abs(sum(given)), np.abs(weight * u)
    np.testing.assert_allclose(found[flat], told[flat], atol=0.02 * weight * AHEAD)
    assert (found <= told + 0.02 * weight * AHEAD).all()
    assert np.isclose(u, ahead - turned).any()
    assert np.abs(given).max() < 123.0  # N m, the ankle's effort
    m = np.array([each.properties.get("mass", 0.0) for each in run.world.bodies.values()])
    m *= [not any(word in id for word in LEG) for id in run.world.bodies]
    trunk = m @ run.array("dynamic.position") / m.sum()
    hips = (run.series("one.l_thigh.origin") + run.series("one.r_thigh.origin")) / 2
    held = m.sum() * PULL * (trunk - hips)[:, 2]
    turning = sum(run.series(f"one_{side}_hip_flexion_servo.moment") for side in "lr")
    at = (beyond > 0.0) & flat
    assert at.sum() > 2
    told = np.abs(weight * beyond - held)[at]
    np.testing.assert_allclose(np.abs(turning)[at], told, atol=0.01 * weight)
    assert run.series("one.l_hip_flexion.angle").max() > math.radians(15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategies", "push", "stands"),
    [
        ("", 150.0, False),
        ("ankle", 150.0, True),
        ("ankle", 175.0, False),
        ("ankle, hip", 175.0, True),
        ("ankle, hip", 300.0, False),
    ],
)
def test_strategies_of_balance_hold_a_person_whom_servos_do_not(
    strategies: str, push: float, stands: bool
) -> None:
    run = pushed(strategies, push, 6.0)
    assert (run.series("one.skull.origin")[-1, 1] > 1.4) == stands
    if stands:
        assert np.abs(run.array("dynamic.velocity")[-1]).max() < 0.2
