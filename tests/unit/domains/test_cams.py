"""Cams against Lagrange's equation of their own, with splines of SciPy's; what they may not be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import articulata as art
from articulata.domains.dynamic.cams import cam_of
from articulata.world.writing.worlds import art_text
from driven_hinges import RHO, WHEEL, leg, spin

TEXT = (
    WHEEL
    + """
primitive stem { properties: (density: 7850 kg/m^3); geometry: cuboid(1 cm, 1 cm, 10 cm); dynamics }
world w {
  gravity: (0, 0, -9.81 m/s^2)
  components { base: fixed_point; a: wheel(4 cm); b: wheel(3 cm); v: stem }
  structure {
    join a to base with pin(axis: z) as shaft matching (center, center)
    join b to base with pin(axis: z) as other matching (center, center)
    join v to base with slider(axis: z) as guide matching (center, center)
    force brake about shaft = -0.0002 N*m*s * rate
    cam lift between shaft and FOLLOWER = LAW
    ignore a with v
    ignore a with b
    ignore b with v
    place base by base.center at (0, 0, 0)
    place a by shaft.angle = 0.3 rad, shaft.rate = 9 rad/s
  }
}
"""
)
TABLE = ((0, 0.0), (60, 1.0), (110, 6.0), (180, 8.0), (270, 2.0), (360, 0.0))
SPLINE = "spline(angle, " + ", ".join(f"({x} deg, {y} mm)" for x, y in TABLE) + ")"


def table() -> CubicSpline:
    x, y = np.array(TABLE, float).T
    return CubicSpline(np.radians(x), 1e-3 * y, bc_type="periodic")


Slopes = Callable[[float], tuple[float, float]]


def harmonic(angle: float) -> tuple[float, float]:
    return 8e-3 * np.sin(2.0 * angle), 16e-3 * np.cos(2.0 * angle)


def through_points(angle: float) -> tuple[float, float]:
    return float(table()(angle, 1)), float(table()(angle, 2))


def eccentric(angle: float) -> tuple[float, float]:
    """Of asin(0.6 sin angle), as of a rod between two shafts."""
    root = np.sqrt(1.0 - 0.36 * np.sin(angle) ** 2)
    return 0.6 * np.cos(angle) / root, -0.6 * np.sin(angle) * (1.0 - 0.36) / root**3


def made(law: str, follower: str = "guide") -> art.World:
    return art.parse(TEXT.replace("LAW", law).replace("FOLLOWER", follower)).world()


@pytest.mark.parametrize(
    ("law", "follower", "slopes"),
    [
        ("4 mm * (1 - cos(2 * angle))", "guide", harmonic),
        (SPLINE, "guide", through_points),
        ("asin(0.6 * sin(angle))", "other", eccentric),
    ],
)
def test_a_cam_moves_by_lagranges_equation(law: str, follower: str, slopes: Slopes) -> None:
    """(J + m s'^2) a = -m s' s'' w^2 - m g s' - c w, s is the lift of a mass m."""
    J, m = spin(0.04), RHO * 0.01 * 0.01 * 0.1
    g = 9.81 if follower == "guide" else 0.0
    m = m if follower == "guide" else spin(0.03)

    def accelerated(angle: float, rate: float) -> float:
        one, two = slopes(angle)
        return float(-m * one * (two * rate**2 + g) - 2e-4 * rate) / (J + m * one**2)

    run = art.simulate(made(law, follower), until=0.6, step=0.02)
    known = leg(
        lambda t, y: (y[1], accelerated(*y)), 0.0, 0.6, np.array([0.3, run.series("shaft.rate")[0]])
    )
    angle, rate = run.series("shaft.angle"), run.series("shaft.rate")
    assert angle[-1] == pytest.approx(known.y[0, -1], abs=1e-8)
    assert rate[-1] == pytest.approx(known.y[1, -1], abs=1e-8)
    moved = run.series("guide.travel" if follower == "guide" else "other.angle")
    cam = next(iter(run.world.couplings.values()))
    assert cam.law is not None
    law_of = cam_of(cam.law).value
    lifts = np.array([law_of((x + np.pi) % (2.0 * np.pi) - np.pi) for x in angle])
    assert np.abs(moved - moved[0] - lifts + lifts[0]).max() < 1e-8
    # what the cam gives the follower is its mass times acceleration and weight
    effort = run.series("lift.force" if follower == "guide" else "lift.torque")
    for x, w, given in zip(angle, rate, effort, strict=True):
        one, two = slopes(float(x))
        needed = m * (one * accelerated(float(x), float(w)) + two * w**2 + g)
        assert given == pytest.approx(needed, abs=2e-8)
    whole = run.series("energy.total") + run.series("energy.dissipated") - run.series("energy.work")
    assert np.abs(whole - whole[0]).max() < 1e-10


def test_a_spline_is_that_of_scipy_also_where_it_starts_and_ends_level() -> None:
    for periodic, bc in ((True, "periodic"), (False, "clamped")):
        points = TABLE if periodic else TABLE[:-1]
        x, y = np.radians([p[0] for p in points]), 1e-3 * np.array([p[1] for p in points])
        known = CubicSpline(x, y, bc_type=bc)
        inner = ", ".join(f"({a} deg, {b} mm)" for a, b in points)
        cam = made(f"spline(angle, {inner})").couplings["lift"]
        assert cam.law is not None
        law = cam_of(cam.law)
        for at in np.linspace(0.01, x[-1] - 0.01, 37):
            assert law.value(float(at)) == pytest.approx(float(known(at)), abs=1e-14)
            assert law(float(at)) == pytest.approx(
                (float(known(at, 1)), float(known(at, 2))), abs=1e-12
            )
    assert law.value(-1.0) == 0.0
    assert law(-1.0) == (0.0, 0.0)
    assert law.value(6.0) == pytest.approx(2e-3, abs=1e-15)


LAWS: dict[str, Callable[[Any], Any]] = {
    "1 m * (sin(angle) * cos(angle) / (2 + tan(angle / 3)))": lambda x: (
        np.sin(x) * np.cos(x) / (2.0 + np.tan(x / 3.0))
    ),
    "1 m * sqrt(2 + sin(angle))^3": lambda x: np.sqrt(2.0 + np.sin(x)) ** 3,
    "1 m * exp(-sin(angle)) * log(3 + cos(angle))": lambda x: (
        np.exp(-np.sin(x)) * np.log(3.0 + np.cos(x))
    ),
    "1 m/rad * (asin(cos(angle) / 2) + acos(sin(angle) / 3) + atan(angle / (2 rad)))": lambda x: (
        np.arcsin(np.cos(x) / 2.0) + np.arccos(np.sin(x) / 3.0) + np.arctan(x / 2.0)
    ),
    "1 m * atan2(sin(angle), 2 + cos(angle)) / (1 rad)": lambda x: np.arctan2(
        np.sin(x), 2.0 + np.cos(x)
    ),
    "1 m * max(sin(angle), 0.2) * min(abs(cos(angle)), 2)": lambda x: (
        np.maximum(np.sin(x), 0.2) * np.minimum(np.abs(np.cos(x)), 2.0)
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_slopes_of_laws_are_their_derivatives(law: str) -> None:
    coupling, known, h = made(law).couplings["lift"], LAWS[law], 1e-3
    assert coupling.law is not None
    cam = cam_of(coupling.law)
    for x in (0.4, 0.9, 2.2, -1.3):
        at = x + h * np.arange(-3, 4)
        f = known(at)
        slope = f @ np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / (60.0 * h)
        bend = f @ np.array([2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0]) / (180.0 * h * h)
        assert cam.value(x) == pytest.approx(known(x), abs=1e-14)
        assert cam(x) == pytest.approx((slope, bend), abs=1e-8)


def test_a_cam_is_written_as_it_is_read() -> None:
    for law, follower in (("asin(0.6 * sin(angle))", "other"), (SPLINE, "guide")):
        world = made(law, follower)
        again = art.parse(art_text(world)).world()
        assert dict(again.couplings) == dict(world.couplings)


@pytest.mark.parametrize(
    ("method", "far"), [(art.RK4(step=1e-3), 1e-9), (art.Stepping(step=5e-4), 2e-5)]
)
def test_other_methods_know_cams(method: Any, far: float) -> None:
    run = art.simulate(made("4 mm * (1 - cos(2 * angle))"), until=0.5, step=0.05, method=method)
    angle, lift = run.series("shaft.angle"), run.series("guide.travel")
    assert angle[-1] > 2.0
    assert np.abs(lift + 4e-3 * (np.cos(2.0 * angle) - np.cos(0.6))).max() < far


WRONG = {
    "shaft and guide = 4 mm": "the same at each angle",
    "shaft and guide = angle": "length",
    "guide and shaft = 1 mm * sin(angle)": "slides",
    "shaft - other and guide = 1 mm * sin(angle)": "one hinge that turns",
    "shaft and shaft = 1 mm * sin(angle)": "geared to itself",
    "shaft and guide = 1 mm * sin(time / (1 s))": "time",
    "shaft and guide = spline(angle, (0 deg, 0 mm), (0 deg, 1 mm), (9 deg, 1 mm))": "comes after",
    "shaft and guide = spline(angle, (0 deg, 0 mm))": "spline takes",
}


@pytest.mark.parametrize("cam", WRONG)
def test_cams_that_cannot_be_are_refused(cam: str) -> None:
    text = TEXT.replace("shaft and FOLLOWER = LAW", cam)
    with pytest.raises(art.WorldError, match=WRONG[cam]):
        art.parse(text).world()


def test_mujoco_has_no_cams() -> None:
    pytest.importorskip("mujoco")
    with pytest.raises(art.ModelError, match="no cam 'lift'"):
        art.simulate(made("1 mm * sin(angle)"), until=0.1, method=art.MuJoCo())
