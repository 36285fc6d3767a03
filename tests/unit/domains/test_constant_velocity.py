"""Constant-velocity joints: shafts that turn alike, and Lagrange's equations of their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import articulata as art
from articulata.geometry.arrays import Array
from articulata.world.writing.worlds import art_text

SHAFTS = """
primitive shaft {
  geometry: cuboid(4 cm, 4 cm, 30 cm) where { low: (0, 0, -15 cm); high: (0, 0, 15 cm) }
  dynamics: (mass: 3 kg, inertia: (0.03, 0.032, 0.005))
}
world w {
  gravity: (GRAVITY)
  components { o: fixed_point; p: fixed_point; a: shaft; b: shaft }
  structure {
    join a to o with pin(axis: z) as ha matching (low, center) MOTOR
    join b to a with JOINT as j matching (low, high)
    SUPPORT
    ignore a with b
    place o by o.center at (0, 0, 0)
    place a by ha.angle = 0
    place b by b.low at (0, 0, 30 cm) turned BENT about x
  }
}
"""


def shafts(
    joint: str, bent: str, motor: str = "", support: str = "", gravity: str = "0, 0, 0"
) -> art.World:
    text = SHAFTS.replace("JOINT", joint).replace("BENT", bent).replace("MOTOR", motor)
    return art.parse(text.replace("SUPPORT", support).replace("GRAVITY", gravity)).world()


BEARING = """join b to p with cylindrical(axis: z) as hb matching (high, center)
    place p by p.center at (0, -19.283628290596 cm, 52.981333293569 cm) turned 40 deg about x"""


@pytest.mark.parametrize(
    ("joint", "alike"), [("constant.velocity", True), ("universal(axis: y, second: x)", False)]
)
def test_a_bent_shaft_turns_as_the_one_that_drives_it(joint: str, alike: bool) -> None:
    """Both turn as one wheel does: T = (I_a + I_b) times the angular acceleration."""
    world = shafts(joint, "40 deg", "driven by motor(torque: 2 N*m)", BEARING)
    run = art.simulate(world, until=0.25, step=0.01)
    a, b = run.series("ha.rate"), run.series("hb.rate")
    assert (np.abs(a - b).max() < 1e-9) == alike
    wheel = 0.5 * 2.0 / (0.005 + 0.005) * run.times**2
    assert (np.abs(run.series("ha.angle") - wheel).max() < 1e-8) == alike


def test_a_shaft_that_hangs_on_a_joint_moves_by_lagranges_equations() -> None:
    inertia, mass, g, h = np.array([0.03, 0.032, 0.005]), 3.0, np.array([4.0, 1.0, -9.81]), 0.15
    tiny = 1e-30

    def turn(v: Array) -> Array:
        K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
        angle = np.sqrt(v @ v)
        return np.asarray(
            np.eye(3) + np.sin(angle) / angle * K + (1 - np.cos(angle)) / angle**2 * K @ K
        )

    def placed(q: Array) -> tuple[Array, Array]:
        c, s = np.cos(q[0]), np.sin(q[0])
        first = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        R = first @ turn(np.array([q[1], q[2], 0 * q[1]]))
        return R, np.array([0, 0, 2 * h]) + R @ np.array([0, 0, h])

    def ways(q: Array) -> tuple[Array, Array]:
        R = placed(q)[0]
        rows = []
        for e in np.eye(3):
            dR, dp = (np.imag(each) / tiny for each in placed(q + 1j * tiny * e))
            w = R.T @ dR
            rows.append([*dp, w[2, 1], w[0, 2], w[1, 0]])
        J = np.array(rows)
        M = J * np.array([mass] * 3 + inertia.tolist()) @ J.T
        M[0, 0] += 0.005
        return M, mass * J[:, :3] @ g

    def rates(_: float, y: Array) -> Array:
        q, v = y[:3], y[3:]
        step = 2e-3
        dM = np.array(
            [
                (8 * (ways(q + step * e)[0] - ways(q - step * e)[0])
                 - ways(q + 2 * step * e)[0] + ways(q - 2 * step * e)[0]) / (12 * step)
                for e in np.eye(3)
            ]
        )  # fmt: skip
        M, pull = ways(q)
        turning = np.einsum("kij,k,j->i", dM, v, v) - 0.5 * np.einsum("kij,i,j->k", dM, v, v)
        return np.concatenate([v, np.linalg.solve(M, pull - turning)])

    world = shafts("constant.velocity", "50 deg", gravity="4, 1, -9.81")
    run = art.simulate(world, until=0.3, step=0.05)
    start = np.array([0, np.radians(50), 0, 0, 0, 0])
    known = solve_ivp(rates, (0, 0.3), start, "DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    assert run.series("ha.angle")[-1] == pytest.approx(known[0], abs=1e-8)
    R, center = placed(known[:3])
    assert run.series("b.position")[-1] == pytest.approx(center, abs=1e-8)
    own = Rotation.from_quat(run.series("b.orientation")[-1], scalar_first=True).as_matrix()
    assert np.abs(own - R).max() < 1e-8
    assert art.parse(art_text(world)).world().hinges["j"].kind == world.hinges["j"].kind


def test_mujoco_has_no_such_joint() -> None:
    with pytest.raises(art.ModelError, match=r"MuJoCo has no joint .*constant\.velocity"):
        art.simulate(shafts("constant.velocity", "50 deg"), until=0.1, method=art.MuJoCo())
