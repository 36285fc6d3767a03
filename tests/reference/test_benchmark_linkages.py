"""Problems of the multibody benchmark libraries, written as texts, against equations of their own.

The N four-bar, Bricard's mechanism and the stiff flyball governor are problems A02, A04 and A05 of
the library of rigid multibody systems (Gonzalez, Dopico, Lugris & Cuadrado, Multibody System
Dynamics 16 (2006) 179; iftomm-multibody.org/benchmark). Each answer is an equation of motion in
one to three coordinates, integrated apart from the product, or Pinocchio's equations of the tree.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import articulata as art
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.assembling import gaps, with_poses

G = 9.81

N_FOUR_BAR = """
primitive bar {
  geometry: cuboid(1 cm, 1, 1 cm) where { bottom: (0, -0.5, 0); top: (0, 0.5, 0) }
  dynamics: (mass: 1, inertia: (1/12, 1e-6, 1/12))
}
world n_four_bar(n: count = 2, fast: speed = 1) {
  gravity: (0, -9.81, 0)
  components { post[0..n]: fixed_point; crank[0..n]: bar; coupler[1..n]: bar }
  structure {
    for i in 0..n {
      place post[i] by post[i].center at (i, 0, 0)
      join crank[i] to post[i] with pin(axis: z) matching (bottom, center)
      place crank[i] by crank[i].bottom at (i, 0, 0), velocity = ((0, 0, 0) (0, 0, -fast / 1 m))
    }
    for i in 1..n {
      join coupler[i] to crank[i-1] with pin(axis: z) matching (bottom, top)
      join coupler[i] to crank[i] with pin(axis: z) matching (top, top)
      place coupler[i] by coupler[i].bottom at (i - 1, 1, 0), coupler[i].top at (i, 1, 0),
        velocity = ((fast, 0, 0) (0, 0, 0))
    }
  }
}
"""


def reduced(rates, start: list[float], until: float, times: Array | None = None) -> Array:
    """The solution of a reduced equation of motion, at the end or at ``times``."""
    found = solve_ivp(
        rates, (0.0, until), start, method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times
    )
    return np.asarray(found.y if times is not None else found.y[:, -1])


def widest_gap(run: art.Recording) -> float:
    """Largest gap of any hinge in a tenth of the frames (m)."""
    widest, ground = 0.0, np.zeros((1, 3))
    for frame in run.array("geometric.pose")[:: max(1, len(run.times) // 10)]:
        R = np.concatenate([q_to_matrix(frame[:, 3:]), np.eye(3)[None]])
        world = with_poses(run.world, np.concatenate([frame[:, :3], ground]), R)
        widest = max(widest, *gaps(world).values())
    return widest


@pytest.mark.parametrize(
    "windows",
    [1, 2, 5, *(pytest.param(n, marks=pytest.mark.slow) for n in (10, 20, 40))],
)
def test_a_row_of_four_bars_turns_as_one_crank(windows: int) -> None:
    # all cranks stay parallel: (n + 1) of 1/3 kg m^2, n couplers on a circle of 1 m
    world = art.parse(N_FOUR_BAR).world("n_four_bar", windows, 1.0)
    run = art.simulate(world, until=10.0, step=0.05)
    inertia = (windows + 1) / 3 + windows
    weight = G * ((windows + 1) / 2 + windows)
    angle, _ = reduced(lambda t, y: [y[1], -weight / inertia * np.cos(y[0])], [np.pi / 2, -1], 10.0)
    assert run.series("crank[0].top")[-1, :2] == pytest.approx(
        [np.cos(angle), np.sin(angle)], abs=1e-8
    )
    energy = run.series("energy.total")
    assert np.ptp(energy) <= 1e-9 * np.max(run.series("energy.kinetic"))
    assert widest_gap(run) <= 1e-10


BRICARD = """
primitive rod_x {
  properties: (density: 100)
  geometry: cuboid(1, 10 cm, 10 cm) where { a: (-0.5, 0, 0); b: (0.5, 0, 0) }
  dynamics
}
primitive rod_y {
  properties: (density: 100)
  geometry: cuboid(10 cm, 1, 10 cm) where { a: (0, -0.5, 0); b: (0, 0.5, 0) }
  dynamics
}
primitive rod_z {
  properties: (density: 100)
  geometry: cuboid(10 cm, 10 cm, 1) where { a: (0, 0, -0.5); b: (0, 0, 0.5) }
  dynamics
}
world bricard {
  gravity: (0, -9.81, 0)
  components { o, e: fixed_point; r1: rod_x; r2: rod_y; r3: rod_z; r4: rod_x; r5: rod_y }
  structure {
    place o by o.center at (0, 0, 0)
    place e by e.center at (0, 0, 1)
    place r1 by r1.a at (0, 0, 0)
    join r1 to o with pin(axis: y) matching (a, center)
    join r2 to r1 with pin(axis: z) matching (b, b)
    join r3 to r2 with pin(axis: x) matching (a, a)
    join r4 to r3 with pin(axis: y) matching (b, b)
    join r5 to r4 with pin(axis: z) matching (a, a)
    join r5 to e with pin(axis: x) matching (b, center)
  }
}
"""


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(1e-3)], ids=str)
def test_bricards_mechanism_keeps_its_energy_and_gaps(method: art.RK4) -> None:
    run = art.simulate(art.parse(BRICARD).world("bricard"), until=10.0, step=0.05, method=method)
    (event,) = (event for event in run.events if event.kind == "redundancy")
    assert {k: event.values[k] for k in ("velocities", "rows", "rank", "freedom")} == {
        "velocities": 30.0,
        "rows": 30.0,
        "rank": 29.0,
        "freedom": 1.0,
    }
    # the benchmark allows 1e-3 J
    assert np.ptp(run.series("energy.total")) <= 1e-9
    assert widest_gap(run) <= 1e-10


def bricard_in_pinocchio(times: Array) -> Array:
    """The far end of the second rod at ``times``: a tree of five pins, closed by its equations."""
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -G, 0.0])
    axes, ends = "yzxyz", [(1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0)]
    made = {
        "x": pin.JointModelRX,
        "y": pin.JointModelRY,
        "z": pin.JointModelRZ,
    }
    parent, place = 0, np.zeros(3)
    for k, (axis, end) in enumerate(zip(axes, ends, strict=True)):
        parent = model.addJoint(parent, made[axis](), pin.SE3(np.eye(3), place), f"j{k}")
        place = np.array(end, float)
        along = np.abs(place)
        inertia = np.diag(np.where(along > 0, 0.02 / 12, 1.01 / 12))
        body = pin.Inertia(1.0, np.zeros(3), inertia)
        model.appendBodyToJoint(parent, body, pin.SE3(np.eye(3), place / 2))
    data = model.createData()
    frame = model.addFrame(
        pin.Frame("end", parent, 0, pin.SE3(np.eye(3), place), pin.FrameType.OP_FRAME)
    )
    data = model.createData()
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    free = np.array([1.0, 0.0, 0.0])  # the last pin, on the ground, turns about x

    def rates(t: float, y: Array) -> Array:
        q, v = y[:5], y[5:]
        pin.forwardKinematics(model, data, q, v, np.zeros(5))
        J = pin.computeFrameJacobian(model, data, q, frame, world)
        pin.updateFramePlacements(model, data)
        drift = pin.getFrameClassicalAcceleration(model, data, frame, world)
        # the axis fixed to the rod stays along x: its velocity w x (R x) vanishes
        R, w = data.oMf[frame].rotation, pin.getFrameVelocity(model, data, frame, world).angular
        axis = R @ free
        hat = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        rows = np.vstack([J[:3], -hat @ J[3:]])
        bias = np.concatenate(
            [drift.linear, np.cross(drift.angular, axis) + np.cross(w, np.cross(w, axis))]
        )
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.nonLinearEffects(model, data, q, v)
        n, m = len(M), len(rows)
        whole = np.block([[M, rows.T], [rows, np.zeros((m, m))]])
        found = np.linalg.lstsq(whole, np.concatenate([-h, -bias]), rcond=1e-9)[0]
        return np.concatenate([v, found[:n]])

    start = np.zeros(10)
    found = solve_ivp(
        rates, (0, times[-1]), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times
    )
    points = []
    for y in found.y.T:
        pin.forwardKinematics(model, data, y[:5])
        points.append(data.oMi[3].translation.copy())
    return np.array(points)


def test_bricards_mechanism_moves_as_pinocchio_has_it() -> None:
    world = art.parse(BRICARD).world("bricard")
    run = art.simulate(world, until=2.0, step=0.1, method=art.DOP853(1e-12, 1e-14))
    assert run.series("r2.a") == pytest.approx(bricard_in_pinocchio(run.times), abs=1e-7)


GOVERNOR = """
let steel = 3000
primitive shaft {
  properties: (density: steel)
  geometry: cuboid(1 cm, 1, 1 cm) where {
    foot: (0, -0.5, 0); right: (5 cm, 0.5, 0); left: (-5 cm, 0.5, 0)
  }
  dynamics
}
primitive collar {
  properties: (density: steel)
  geometry: cuboid(10 cm, 10 cm, 10 cm) where { right: (5 cm, 0, 0); left: (-5 cm, 0, 0) }
  dynamics
}
primitive rod {
  properties: (density: steel)
  geometry: cuboid(1, 1 cm, 1 cm) where { near: (-0.5, 0, 0); far: (0.5, 0, 0) }
  dynamics
}
primitive ball { geometry: sphere(1 mm); dynamics: (mass: 5, inertia: (1e-12, 1e-12, 1e-12)) }
composite governor {
  components { base: fixed_point; s: shaft; c: collar; ac, bd: rod; m1, m2: ball }
  structure {
    join s to base with pin(axis: y) as spindle matching (foot, center)
    join c to s with slider(axis: y) as guide matching (center, foot)
    place c by c.travel = 0.5
    join ac to s with pin(axis: z) matching (near, right)
    join bd to s with pin(axis: z) matching (near, left)
    place ac by ac.angle = -30 deg
    place bd by bd.angle = 210 deg
    join m1 to ac with weld matching (center, far)
    join m2 to bd with weld matching (center, far)
    join ac to c with spring(stiffness: 8e5 N/m, length: 0.5 m, damping: 4e4 N*s/m)
      as k1 matching (center, right)
    join bd to c with spring(stiffness: 8e5 N/m, length: 0.5 m, damping: 4e4 N*s/m)
      as k2 matching (center, left)
  }
}
world watt {
  gravity: (0, -9.81, 0)
  components g: governor
  structure {
    place g by g.base.center at (0, 0, 0), velocity = ((0, 0, 0) (0, 2*pi / 1 s, 0))
  }
}
"""


def governor(times: Array) -> Array:
    """Height of the collar and rate of the shaft: Lagrange's equations; the turn is cyclic."""
    collar, rod, ball = 3.0, 0.3, 5.0
    own = 0.3 * 2e-4 / 12 + collar * 0.02 / 12
    along, across = rod * 2e-4 / 12, rod * (1 + 1e-4) / 12

    def inertia(a: float) -> float:
        middle, end = 0.05 + 0.5 * np.cos(a), 0.05 + np.cos(a)
        turned = across * np.cos(a) ** 2 + along * np.sin(a) ** 2
        return float(own + 2 * (rod * middle**2 + ball * end**2 + turned))

    def slope(a: float) -> float:
        middle, end = 0.05 + 0.5 * np.cos(a), 0.05 + np.cos(a)
        return float(
            -2 * np.sin(a) * (rod * middle + 2 * ball * end + 2 * (across - along) * np.cos(a))
        )

    momentum = inertia(np.pi / 6) * 2 * np.pi

    def rates(t: float, y: Array) -> list[float]:
        s, a, ds, da = y
        x, z = 0.5 * np.cos(a), 1 - 0.5 * np.sin(a) - s
        length = np.hypot(x, z)
        by_a = (-x * 0.5 * np.sin(a) - z * 0.5 * np.cos(a)) / length
        by_s = -z / length
        pull = 8e5 * (length - 0.5) + 4e4 * (by_a * da + by_s * ds)
        turning = 2 * G * np.cos(a) * (rod / 2 + ball) - 2 * pull * by_a
        turning += 0.5 * (momentum / inertia(a)) ** 2 * slope(a)
        heavy = 2 * (rod / 4 + across + ball)
        return [ds, da, -G - 2 * pull * by_s / collar, turning / heavy]

    found = solve_ivp(
        rates, (0, times[-1]), [0.5, np.pi / 6, 0, 0], method="Radau", rtol=1e-11, atol=1e-13,
        t_eval=times,
    )  # fmt: skip
    return np.array([found.y[0], [momentum / inertia(a) for a in found.y[1]]])


@pytest.mark.parametrize(
    ("method", "until"),
    [
        (art.DOP853(), 1.0),
        (art.RK4(1e-4), 1.0),
        pytest.param(art.DOP853(), 10.0, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_stiff_flyball_governor_moves_as_lagrange_has_it(method: art.RK4, until: float) -> None:
    world = art.parse(GOVERNOR).world("watt")
    run = art.simulate(world, until=until, step=0.05, method=method)
    height, rate = governor(run.times)
    assert not run.events
    assert run.series("g.c.center.y") == pytest.approx(height, abs=1e-9)
    assert run.series("g.s.w.y") == pytest.approx(rate, abs=1e-8)
    books = run.series("energy.total") + run.series("energy.dissipated")
    assert np.ptp(books) <= 1e-6
    momentum = run.array("dynamic.momentum")[:, 4]
    assert np.ptp(momentum) <= 1e-9 * abs(momentum[0])


SPATIAL = """
primitive crank {
  geometry: cuboid(2 cm, 80 mm, 2 cm) where { hub: (0, -40 mm, 0); pin: (0, 40 mm, 0) }
  dynamics: (mass: 0.12, inertia: (1e-4, 1e-5, 1e-4))
}
primitive rod {
  geometry: cuboid(0.3, 1 cm, 1 cm) where { crank: (-0.15, 0, 0); block: (0.15, 0, 0) }
  dynamics: (mass: 0.5, inertia: (4e-5, 4e-3, 4e-3))
}
primitive block {
  geometry: cuboid(4 cm, 4 cm, 4 cm)
  dynamics: (mass: 2, inertia: (1e-4, 1e-4, 1e-4))
}
composite engine {
  components { bearing, rail: fixed_point; a: crank; b: rod; c: block }
  structure {
    join a to bearing with pin(axis: x) as shaft matching (hub, center)
    join b to a with ball matching (crank, pin)
    join c to rail with slider(axis: x) as guide matching (center, center)
    join b to c with universal(axis: y, second: z) matching (block, center)
  }
}
world spatial {
  gravity: (0, 0, -9.81)
  components e: engine
  structure {
    place e.bearing by e.bearing.center at (0, 0.1, 0.12)
    place e.rail by e.rail.center at (0, 0, 0)
    place e.a by e.a.hub at (0, 0.1, 0.12), velocity = ((0, 0, 0) (900, 0, 0))
    place e.b by e.b.crank at (0, 0.18, 0.12)
    place e.c by e.c.center at (sqrt(0.0432), 0, 0)
  }
}
"""


def test_a_spatial_slider_crank_turns_as_its_energy_says() -> None:
    # proportions of E. J. Haug, Computer Aided Kinematics and Dynamics (1989), section 10.2: a
    # crank of 80 mm at (0, 100, 120) mm, a rod of 300 mm; masses and inertias here are rounder
    world = art.parse(SPATIAL).world("spatial")
    run = art.simulate(world, until=2.0, step=0.02, method=art.DOP853(1e-12, 1e-14))
    assert widest_gap(run) <= 1e-10
    energy = run.series("energy.total")
    assert np.ptp(energy) <= 1e-10 * np.max(run.series("energy.kinetic"))
    angle = run.series("e.shaft.angle")
    assert np.ptp(angle) > 2 * np.pi
    pin = np.array([0 * angle, 0.1 + 0.08 * np.cos(angle), 0.12 + 0.08 * np.sin(angle)])
    slider = np.sqrt(0.3**2 - pin[1] ** 2 - pin[2] ** 2)
    assert run.series("e.c.center.x") == pytest.approx(slider, abs=1e-10)
    # the rate from the energy at the start: everything moves as the crank's angle says
    rod = np.array([slider, -pin[1], -pin[2]])
    dpin = np.array([0 * angle, -0.08 * np.sin(angle), 0.08 * np.cos(angle)])
    dslider = -(pin * dpin).sum(axis=0) / slider
    drod = np.array([dslider, -dpin[1], -dpin[2]])
    middle = dpin + drod / 2
    rate = run.series("e.shaft.rate")
    # the rod does not turn about itself relative to the universal joint's cross: its spin about
    # its own axis follows from the cross, whose other axis (z of the block) is at right angles
    # to the rod's y
    spin = run.series("e.b.w") - np.cross(rod.T, (drod * rate).T) / 0.09
    along = np.einsum("ij,ij->i", spin, rod.T) / 0.3
    kinetic = 0.5 * rate**2 * (1e-4 + 0.12 * 0.04**2 + 2.0 * dslider**2)
    kinetic += 0.5 * rate**2 * (0.5 * (middle**2).sum(axis=0))
    kinetic += 0.5 * (4e-3 * rate**2 * (drod**2).sum(axis=0) / 0.09 + 4e-5 * along**2)
    potential = G * (0.12 * (0.12 + 0.04 * np.sin(angle)) + 0.5 * pin[2] / 2)
    assert np.max(np.abs(spin - along[:, None] * rod.T / 0.3)) <= 1e-9
    assert np.ptp(kinetic + potential) <= 1e-9 * np.max(kinetic)


FURUTA = """
primitive arm {
  geometry: cuboid(0.6, 2 cm, 2 cm) where { hub: (-0.3, 0, 0); tip: (0.3, 0, 0) }
  dynamics: (mass: 0.8, inertia: (1e-4, 0.03, 0.03))
}
primitive bob {
  geometry: cuboid(2 cm, 0.5, 2 cm) where { top: (0, 0.25, 0) }
  dynamics: (mass: 0.4, inertia: (0.009, 2e-3, 0.008))
}
composite pendulum {
  components { post: fixed_point; a: arm; b: bob }
  structure {
    join a to post with pin(axis: y) as yaw matching (hub, center)
    join b to a with pin(axis: x) as swing matching (top, tip)
    place b by b.angle = 150 deg
  }
}
world furuta {
  gravity: (0, -9.81, 0)
  components f: pendulum
  structure {
    place f by f.post.center at (0, 0, 0), velocity = ((0, 0, 0) (0, 2, 0))
  }
}
"""


def test_a_furuta_pendulum_moves_as_lagrange_has_it() -> None:
    # yaw p about y, swing q about the arm: the bob hangs at l (0, -cos q, -sin q) from the tip
    m, r, half, hub = 0.4, 0.6, 0.25, 0.03 + 0.8 * 0.09
    Jx, Jy, Jz = 0.009, 2e-3, 0.008

    def rates(t: float, y: Array) -> Array:
        _, q, dp, dq = y
        s, c = np.sin(q), np.cos(q)
        about = Jy * c * c + Jz * s * s
        # T = dp^2/2 A(q) + dq^2/2 B + dp dq C(q)
        A = hub + m * (r * r + half**2 * s * s) + about
        B = Jx + m * half**2
        C = m * r * half * c
        dA = 2 * s * c * (m * half**2 + Jz - Jy)
        dC = -m * r * half * s
        M = np.array([[A, C], [C, B]])
        f = np.array([-dA * dq * dp - dC * dq * dq, 0.5 * dA * dp * dp - m * G * half * s])
        return np.concatenate([[dp, dq], np.linalg.solve(M, f)])

    world = art.parse(FURUTA).world("furuta")
    run = art.simulate(world, until=5.0, step=0.05, method=art.DOP853(1e-12, 1e-14))
    start = [
        run.series(path)[0]
        for path in ("f.yaw.angle", "f.swing.angle", "f.yaw.rate", "f.swing.rate")
    ]
    assert start == pytest.approx([0.0, np.radians(150), 2.0, 0.0], abs=1e-6)
    known = reduced(rates, start, 5.0, run.times)
    assert run.series("f.yaw.angle") == pytest.approx(known[0], abs=1e-8)
    assert run.series("f.swing.angle") == pytest.approx(known[1], abs=1e-8)


CHAIN = """
primitive link {{
  geometry: cuboid(20 cm, 1 cm, 1 cm) where {{ a: (-10 cm, 0, 0); b: (10 cm, 0, 0) }}
  dynamics: (mass: 0.3, inertia: (1e-5, 1e-3, 1e-3))
}}
world hanging {{
  gravity: (0, -9.81, 0)
  components {{ left, right: fixed_point; c[1..{links}]: link }}
  structure {{
    place left by left.center at (0, 0, 0)
    place right by right.center at ({span!r}, 0, 0)
    join c[1] to left with pin(axis: z) matching (a, center)
    for i in 2..{links} {{ join c[i] to c[i-1] with pin(axis: z) matching (a, b) }}
    join c[{links}] to right with pin(axis: z) matching (b, center)
{places}
  }}
}}
"""


@pytest.mark.parametrize("links", [4, 11, 20])
def test_a_hanging_chain_rests_on_its_catenary(links: int) -> None:
    # equilibrium of bars on pins: tan of each bar's slope is linear along the chain
    weight, length, span = 0.3 * G, 0.2, 0.12 * links
    k = np.arange(links) - (links - 1) / 2

    def reach(pull: float) -> float:
        return float(np.sum(length * np.cos(np.arctan(k * weight / pull)))) - span

    pull = brentq(reach, 1e-3, 1e3, xtol=1e-15)
    slope = np.arctan(k * weight / pull)
    ends = np.cumsum(np.array([np.cos(slope), np.sin(slope)]).T * length, axis=0)
    starts = np.vstack([[0.0, 0.0], ends[:-1]])
    places = "\n".join(
        f"    place c[{i + 1}] by c[{i + 1}].a at ({a[0]!r}, {a[1]!r}, 0),"
        f" c[{i + 1}].b at ({b[0]!r}, {b[1]!r}, 0)"
        for i, (a, b) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
    )
    text = CHAIN.format(links=links, span=span, places=places)
    run = art.simulate(art.parse(text).world("hanging"), until=1.0, step=0.1)
    ours = np.array([run.series(f"c[{i + 1}].b")[-1, :2] for i in range(links)])
    assert ours == pytest.approx(ends, abs=1e-9)
    force = run.series("c1_left.force")[0]
    assert np.abs(force[:2]) == pytest.approx([pull, weight * links / 2], rel=1e-9)


def test_bricards_mechanism_in_real_time_stays_together() -> None:
    # gaps are pulled shut as by springs: rows that depend on each other differ as the gaps do
    run = art.simulate(
        art.parse(BRICARD).world("bricard"), until=5.0, step=0.02, method=art.RealTime(1e-3)
    )
    assert run.complete
    assert widest_gap(run) <= 5e-5
    assert np.ptp(run.series("energy.total")) <= 1e-2


SCISSORS = """
primitive bar {
  geometry: cuboid(1, 2 cm, 2 cm) where { l: (-0.5, 0, 0); r: (0.5, 0, 0); m: (0, 0, 0) }
  dynamics: (mass: 1, inertia: (1e-6, 1/12, 1/12))
}
primitive foot { geometry: cuboid(5 cm, 5 cm, 5 cm); dynamics: (mass: 0.5) }
world lift {
  gravity: (0, -9.81, 0)
  components { o, rail: fixed_point; a1, b1, a2, b2: bar; f: foot }
  structure {
    place o by o.center at (0, 0, 0)
    place rail by rail.center at (0, 0, 0)
    join a1 to o with pin(axis: z) as base matching (l, center)
    join b1 to a1 with pin(axis: z) matching (m, m)
    join f to rail with slider(axis: x) matching (center, center)
    join b1 to f with pin(axis: z) matching (l, center)
    join a2 to b1 with pin(axis: z) matching (l, r)
    join b2 to a1 with pin(axis: z) matching (l, r)
    join b2 to a2 with pin(axis: z) matching (m, m)
    place a1 by a1.angle = 50 deg
    place f by f.center at (cos(50 deg) * 1 m, 0, 0)
    place a2 by a2.l at (0, sin(50 deg) * 1 m, 0),
      a2.r at (cos(50 deg) * 1 m, 2 * sin(50 deg) * 1 m, 0)
  }
}
"""


@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(1e-3)], ids=str)
def test_a_scissor_lift_comes_down_as_one_angle_says(method: art.RK4) -> None:
    # bars at x = cos/2; heights sin/2, 3 sin/2 in pairs; the foot at cos
    def rates(t: float, y: Array) -> list[float]:
        s, c, w = np.sin(y[0]), np.cos(y[0]), y[1]
        # T = w^2/2 (4/12 + 4 (s/2)^2 + 2 (c/2)^2 + 2 (3c/2)^2 + s^2/2)
        inertia = 1 / 3 + 1.5 * s * s + 5 * c * c
        slope = 2 * (1.5 - 5) * s * c
        return [w, (-4 * G * c - 0.5 * slope * w * w) / inertia]

    run = art.simulate(art.parse(SCISSORS).world("lift"), until=0.4, step=0.02, method=method)
    angle = reduced(rates, [np.radians(50), 0.0], 0.4, run.times)[0]
    assert run.series("base.angle") == pytest.approx(angle, abs=1e-9)
    assert widest_gap(run) <= 1e-10
