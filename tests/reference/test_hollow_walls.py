"""Motions in bowls, half pipes and bores whose course is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipk

import articulata as art

G = 9.81
BOWL = "difference(cylinder(0.6, 0.6) at (0, 0, -0.3), sphere(0.5)) turned -90 deg about x"
PIPE = "difference(cuboid(1.2, 0.6, 2) at (0, -0.3, 0), cylinder(0.5, 3))"


def world(vessel: str, thing: str, where: str, friction: float = 0.0, more: str = "") -> art.World:
    """Return a thing that is in, or on, something fixed at the origin."""
    return art.parse(f"""
primitive vessel {{
  properties: (fixed, friction: {friction}); geometry: {vessel} where {{ o: (0, 0, 0) }}
}}
primitive thing {{
  properties: (density: 1000, friction: {friction}); geometry: {thing} where {{ o: (0, 0, 0) }}
  dynamics
}}
world w {{
  gravity: (0, {-G!r}, 0)
  components {{ v: vessel; b: thing }}
  structure {{ place v by v.o at (0, 0, 0); place b by b.o at {where} {more} }}
}}""").world("w")


def hanging(a: float, length: float) -> str:
    return f"({length * math.sin(a)!r}, {-length * math.cos(a)!r}, 0)"


def period(a: float, length: float) -> float:
    """Return the period of a pendulum of this length that swings to the angle a."""
    return float(4.0 * math.sqrt(length / G) * ellipk(math.sin(0.5 * a) ** 2))


def swings(w: art.World, a: float, arm: float, length: float, tolerance: float) -> art.Recording:
    """Check that a body at ``arm`` swings as a pendulum of ``length``: three quarters, and back."""
    T = period(a, length)
    recording = art.simulate(w, until=T, step=T / 4)
    at = recording.series("b.o")
    expected = [arm * math.sin(b) for b in (a, 0, -a, 0, a)]
    np.testing.assert_allclose(at[:, 0], expected, atol=tolerance)
    np.testing.assert_allclose(np.hypot(at[:, 0], at[:, 1]), arm, atol=1e-9)
    books = recording.series("energy.total") + recording.series("energy.dissipated")
    assert np.ptp(books) < 1e-10 * max(1.0, abs(books[0]))
    assert not [event for event in recording.events if event.kind in ("impact", "separation")]
    return recording


@pytest.mark.parametrize("vessel", [BOWL, PIPE])
@pytest.mark.parametrize(("friction", "factor"), [(0.0, 1.0), (2.0, 1.4)])
def test_a_ball_swings_as_a_pendulum(vessel: str, friction: float, factor: float) -> None:
    """Sliding as one of length R - r; rolling, 7/5 of it: inertia 2/5 m r^2 turns with it."""
    w = world(vessel, "sphere(0.05)", hanging(1.2, 0.45), friction)
    recording = swings(w, 1.2, 0.45, factor * 0.45, 1e-8)
    (began,) = recording.events
    wall = "surface" if vessel is BOWL else "wall"
    assert began.kind == "contact"
    assert began.where == ("b.surface", f"v.part2.{wall}")


def test_a_ball_goes_round_in_a_bowl_at_constant_height() -> None:
    """Conical pendulum: w^2 = g / ((R - r) cos a)."""
    a = 0.8
    w = math.sqrt(G / (0.45 * math.cos(a)))
    v = w * 0.45 * math.sin(a)
    made = world(
        BOWL, "sphere(0.05)", hanging(a, 0.45), more=f"velocity = ((0, 0, {v!r}) (0, 0, 0))"
    )
    T = 2 * math.pi / w
    at = art.simulate(made, until=2 * T, step=T / 4).series("b.o")
    x, y = 0.45 * math.sin(a), -0.45 * math.cos(a)
    expected = [[x, y, 0], [0, y, x], [-x, y, 0], [0, y, -x]] * 2 + [[x, y, 0]]
    np.testing.assert_allclose(at, expected, atol=1e-8)


def test_a_cylinder_rolls_in_a_half_pipe() -> None:
    """As a pendulum of 3/2 (R - r): inertia 1/2 m r^2 turns with it; both rims touch."""
    w = world(PIPE, "cylinder(0.05, 0.4)", hanging(0.9, 0.45), 2.0)
    (began,) = swings(w, 0.9, 0.45, 1.5 * 0.45, 1e-8).events
    assert set(began.where) == {"b.back_rim", "b.front_rim", "v.part2.wall"}


def test_a_capsule_slides_along_its_line_in_a_half_pipe() -> None:
    swings(world(PIPE, "capsule(0.05, 0.4)", hanging(0.9, 0.45)), 0.9, 0.45, 0.45, 1e-8)


def test_a_box_slides_in_a_half_pipe_on_two_edges() -> None:
    """A physical pendulum: it turns with the wall, length (L^2 + (a^2 + b^2) / 12) / L."""
    L = math.sqrt(0.25 - 0.06**2) - 0.05
    length = (L * L + (0.12**2 + 0.1**2) / 12) / L
    w = world(PIPE, "cuboid(0.12, 0.1, 0.2)", hanging(0.7, L), more="turned 0.7 about z")
    swings(w, 0.7, L, length, 1e-8)


@pytest.mark.parametrize("radius", [0.001, 0.01, 0.098])
def test_a_ring_hangs_on_a_peg(radius: float) -> None:
    """Rolling: a pendulum of (R - r) (1 + k^2 / R^2); on a thin peg, a ring on a nail."""
    d, k2 = 0.1 - radius, (0.1**2 + 0.12**2) / 2
    ring = "difference(cylinder(0.12, 0.02), cylinder(0.1, 0.1))"
    w = world(f"cylinder({radius}, 0.3)", ring, hanging(0.5, d), 2.0)
    recording = swings(w, 0.5, d, d * (1 + k2 / 0.01), 1e-8)
    assert "v.wall" in recording.events[0].where


@pytest.mark.parametrize("length", [0.1, 0.5])
def test_a_pin_rolls_in_a_bore_with_clearance(length: float) -> None:
    """Shorter than the bore its rims touch, longer than it those of the bore."""
    bore = "difference(cuboid(0.4, 0.4, 0.2), cylinder(0.1, 0.3))"
    w = world(bore, f"cylinder(0.098, {length})", hanging(0.3, 0.002), 2.0)
    swings(w, 0.3, 0.002, 1.5 * 0.002, 1e-9)


def test_a_ball_falls_into_a_bowl_at_the_instant_of_its_fall() -> None:
    w = world(BOWL, "sphere(0.05)", "(0.2, 0.3, 0)")
    recording = art.simulate(w, until=0.5, step=0.1)
    fall = 0.3 + math.sqrt(0.45**2 - 0.2**2)
    assert recording.events[0].kind == "impact"
    assert recording.events[0].time == pytest.approx(math.sqrt(2 * fall / G), abs=1e-12)
    np.testing.assert_allclose(
        recording.events[0].values["approach_speed"],
        math.sqrt(2 * G * fall) * math.sqrt(0.45**2 - 0.2**2) / 0.45,
        rtol=1e-11,
    )


def test_a_ball_swings_in_steps_with_an_error_of_the_step() -> None:
    """Stepping mode: first order in place, second in the gap (measured 6.2e-5 m and 2.0e-7 m)."""
    a = 0.3
    w = world(BOWL, "sphere(0.05)", hanging(a, 0.45), 2.0)
    T = period(a, 1.4 * 0.45)
    at = []
    for steps in (1000, 2000):
        recording = art.simulate(w, until=T, step=T / 4, method=art.Stepping(T / steps))
        at.append(recording.series("b.o"))
        away = np.abs(np.linalg.norm(at[-1], axis=1) - 0.45)
        assert np.max(away) < 1e-6
    expected = [0.45 * math.sin(b) for b in (a, 0, -a, 0, a)]
    errors = [float(np.max(np.abs(x[:, 0] - expected))) for x in at]
    assert errors[0] < 1e-4
    assert errors[1] < 0.6 * errors[0]
