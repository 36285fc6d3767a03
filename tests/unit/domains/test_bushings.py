"""Bushings against an integrator of their own and closed forms; their books."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import articulata as art
from articulata.domains.dynamic.bushings import rate_matrix
from articulata.geometry.arrays import Array
from articulata.world.writing.worlds import art_text

TEXT = """
primitive block { geometry: cuboid(20 cm, 10 cm, 6 cm) where {
    frame mount: (3 cm, 1 cm, 0) turned 20 deg about z }
  dynamics: (mass: 2 kg, inertia: (0.004, 0.007, 0.009)) }
world w {
  gravity: (0, 0, -9.81 m/s^2)
  components { base: block; a: block }
  structure {
    place base by properties: (fixed)
    place a by a.center at (1 cm, 2 cm, -1 cm),
      velocity = ((0, 0, 0), (3 rad/s, -2 rad/s, 4 rad/s))
    ignore a with base
    force rubber between a.mount and base.mount = VALUE
  }
}
"""
K, K_TURN = np.array([3e3, 2e3, 8e3]), np.array([30.0, 20.0, 12.0])
C, C_TURN = np.array([10.0, 20.0, 5.0]), np.array([0.02, 0.05, 0.01])
SPRINGS = "(3 kN/m, 2 kN/m, 8 kN/m), (30 N*m, 20 N*m/rad, 12 N*m)"
DAMPERS = ", (10 N*s/m, 20 N*s/m, 5 N*s/m), (0.02 N*m*s, 0.05 N*m*s/rad, 0.01 N*m*s)"
MOUNT, FRAME = np.array([0.03, 0.01, 0.0]), Rotation.from_euler("z", 20, degrees=True)
J = np.diag([0.004, 0.007, 0.009])


def made(value: str) -> art.World:
    return art.parse(TEXT.replace("VALUE", value)).world()


def potential(x: Array, turn: Rotation) -> Array:
    """Return the energies of springs and weight, of the block at each ``x`` and turned each way."""
    way = FRAME.inv().apply(x + turn.apply(MOUNT) - MOUNT)
    twist = (FRAME.inv() * turn * FRAME).as_rotvec()
    return np.asarray(0.5 * way**2 @ K + 0.5 * twist**2 @ K_TURN + 2.0 * 9.81 * x[..., 2])


def dissipation(x: Array, turn: Rotation, v: Array, w: Array) -> Array:
    """Return half of what the dampers take (Rayleigh's function), from differences in time."""
    h = 1e-5
    turned = [Rotation.from_rotvec(s * h * w) * turn for s in (1, -1)]
    place = [FRAME.inv().apply(s * h * v + R.apply(MOUNT))
             for s, R in zip((1, -1), turned, strict=True)]  # fmt: skip
    twist = [(FRAME.inv() * R * FRAME).as_rotvec() for R in turned]
    u, s = (place[0] - place[1]) / (2 * h), (twist[0] - twist[1]) / (2 * h)
    return np.asarray(0.5 * u**2 @ C + 0.5 * s**2 @ C_TURN)


def slope(of: Any, h: float) -> Array:
    """Return the gradient of a function of rows of three numbers at zero, of order 4."""
    steps = np.multiply.outer([-2.0, -1.0, 1.0, 2.0], h * np.eye(3))
    return np.array([1.0, -8.0, 8.0, -1.0]) @ of(steps.reshape(12, 3)).reshape(4, 3) / (12.0 * h)


def rates(t: float, y: Array, damped: bool) -> Array:
    """Newton and Euler with forces that are slopes of the energy alone."""
    x, turn, v, w = y[:3], Rotation.from_quat(y[3:7]), y[7:10], y[10:]
    force = -slope(lambda d: potential(x + d, turn), 1e-3)
    moment = -slope(lambda d: potential(x, Rotation.from_rotvec(d) * turn), 1e-3)
    if damped:
        force -= slope(lambda d: dissipation(x, turn, v + d, w), 1e-2)
        moment -= slope(lambda d: dissipation(x, turn, v, w + d), 1e-2)
    R = turn.as_matrix()
    J_W = R @ J @ R.T
    spin = 0.5 * np.array([*(y[6] * w + np.cross(w, y[3:6])), -w @ y[3:6]])
    return np.concatenate(
        [v, spin, force / 2.0, np.linalg.solve(J_W, moment - np.cross(w, J_W @ w))]
    )


@pytest.mark.parametrize("damped", [False, True])
def test_a_block_on_a_bushing_moves_by_the_slopes_of_its_energy(damped: bool) -> None:
    world = made(f"bushing({SPRINGS}{DAMPERS if damped else ''})")
    run = art.simulate(world, until=0.3, step=0.01)
    start = np.array([0.01, 0.02, -0.01, 0, 0, 0, 1, 0, 0, 0, 3, -2, 4], float)
    known = solve_ivp(rates, (0.0, 0.3), start, "DOP853", args=(damped,), rtol=1e-11, atol=1e-11)
    y, number = known.y[:, -1], list(world.bodies).index("a")
    assert run.series("a.center")[-1] == pytest.approx(y[:3], abs=1e-8)
    q = run.array("dynamic.orientation")[-1, number]
    same = abs(q @ np.array([y[6], *y[3:6]]) / np.linalg.norm(y[3:7]))
    assert same == pytest.approx(1.0, abs=1e-14)
    assert run.array("dynamic.rate")[-1, number] == pytest.approx(y[10:], abs=1e-6)
    whole = run.series("energy.total") - run.series("energy.work")
    whole = whole + run.series("energy.dissipated")
    assert np.abs(whole - whole[0]).max() < 1e-9
    assert (run.series("energy.dissipated")[-1] > 0.05) == damped
    way = FRAME.inv().apply(y[:3] + Rotation.from_quat(y[3:7]).apply(MOUNT) - MOUNT)
    if not damped:
        assert run.series("rubber.force")[-1] == pytest.approx(np.linalg.norm(K * way), abs=1e-5)
        assert run.series("rubber.distance")[-1] == pytest.approx(np.linalg.norm(way), abs=1e-8)


def test_small_motions_have_the_closed_forms_frequencies() -> None:
    """Three ways and three turns of a block held at its centre do not know of each other."""
    text = TEXT.replace("a.mount and base.mount", "a.center and base.center")
    placed = "at (1 cm, 2 cm, -1 cm),\n      velocity = ((0, 0, 0), (3 rad/s, -2 rad/s, 4 rad/s))"
    assert placed in text
    text = text.replace(placed, "at (0, 0, 0)").replace("-9.81", "0")
    world = art.parse(text.replace("VALUE", f"bushing({SPRINGS})")).world()
    (rest,) = art.rest(world, starts=1).positions
    known = np.sqrt([*(K / 2.0), *(K_TURN / np.diag(J))])
    found = sorted(2.0 * np.pi * mode.frequency for mode in rest.linear.modes())
    assert found == pytest.approx(sorted(known), rel=1e-6)


def test_the_rate_of_a_rotation_vector_is_its_derivative() -> None:
    for r in (np.array([0.3, -0.7, 1.1]), np.array([1e-3, 2e-3, -1e-3]), np.zeros(3)):
        w, h = np.array([0.4, 0.9, -0.5]), 1e-6
        two = [(Rotation.from_rotvec(s * h * w) * Rotation.from_rotvec(r)).as_rotvec()
               for s in (1, -1)]  # fmt: skip
        assert rate_matrix(r) @ w == pytest.approx((two[0] - two[1]) / (2 * h), abs=1e-8)


def test_a_bushing_is_written_as_it_is_read() -> None:
    for value in (f"bushing({SPRINGS}{DAMPERS})", "bushing(5 kN/m, 10 N*m)"):
        world = made(value)
        assert dict(art.parse(art_text(world)).world().forces) == dict(world.forces)


WRONG = {
    "bushing(5 kN/m)": "about",
    "bushing(5 kN/m, 10 N)": "torque",
    "bushing(-5 kN/m, 10 N*m)": "not negative",
    "2 * bushing(5 kN/m, 10 N*m)": "stands alone",
    "bushing(5 kN/m, distance)": "not defined",
}


@pytest.mark.parametrize("value", WRONG)
def test_bushings_that_cannot_be_are_refused(value: str) -> None:
    with pytest.raises(art.WorldError, match=WRONG[value]):
        made(value)


def test_steps_know_bushings() -> None:
    exact = art.simulate(made(f"bushing({SPRINGS}{DAMPERS})"), until=0.2, step=0.05)
    world = made(f"bushing({SPRINGS}{DAMPERS})")
    run = art.simulate(world, until=0.2, step=0.05, method=art.Stepping(step=1e-4))
    assert np.abs(run.series("a.center") - exact.series("a.center")).max() < 1e-3
