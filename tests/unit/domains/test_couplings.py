"""Motors and gears against closed forms and integrators of their own; what they may not do."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import articulata as art
from articulata.geometry.arrays import Array, Float64
from articulata.report.plots import default_paths
from articulata.world.edits.structure_edits import BreakHinge
from articulata.world.writing.worlds import art_text
from driven_hinges import RHO, WHEEL, check_told, leg, spin

GRIPPER = """<robot name="grip">
<link name="base"/>
<link name="left"><inertial><origin xyz="0.1 0 0"/><mass value="0.2"/>
  <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="right"><inertial><origin xyz="0.1 0 0"/><mass value="0.3"/>
  <inertia ixx="0.001" iyy="0.001" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="l" type="revolute"><parent link="base"/><child link="left"/><axis xyz="0 0 1"/>
  <limit lower="-9" upper="9" effort="9" velocity="9"/></joint>
<joint name="r" type="revolute"><parent link="base"/><child link="right"/><axis xyz="0 0 1"/>
  <limit lower="-9" upper="9" effort="9" velocity="9"/>
  <mimic joint="l" multiplier="-2" offset="0.3"/></joint>
</robot>
"""

PARTS = """
primitive bar(span: length = 30 cm) {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(span, 2 cm, 2 cm) where { near: (-span/2, 0, 0); far: (span/2, 0, 0) }
  dynamics
}
"""

ENGINE = """
composite engine {
  components { frame: fixed_point; crank: bar(10 cm); rod: bar(30 cm); head: bar(8 cm) }
  structure {
    join crank to frame with pin(axis: z) as main matching (near, center) MOTOR
    join rod to crank with pin(axis: z) as big_end matching (near, far)
    join head to rod with pin(axis: z) as small_end matching (center, far)
    join head to frame with slider(axis: x) as bore matching (center, center) BORE
  }
}
world w {
  components { e: engine }
  structure { place e by e.frame at (0, 0, 0), e.main.angle = 0 }
}
"""

PAIR = """
world w {
  components { base: fixed_point; a: wheel(4 cm); b: wheel(8 cm) }
  structure {
    join a to base with pin(axis: z) as ha matching (center, center) MOTOR
    join b to base with pin(axis: z) as hb matching (center, center) OTHER
    gear mesh between ha and hb = -1/2
    AGAIN
    ignore a with b
    place base by base.center at (0, 0, 0)
    place a by ha.angle = 0
    place b by hb.angle = 0
  }
}
"""

RACK = """
world w {
  components { base: fixed_point; a: wheel(4 cm); b: bar(20 cm) }
  structure {
    join a to base with pin(axis: z) as ha matching (center, center)
      driven by motor(speed: 100 rpm, torque: 0.5 N*m)
    join b to base with slider(axis: x) as hb matching (center, center) limits (-1 m, 1 m)
    gear mesh between ha and hb = 4 cm
    ignore a with b
    place base by base.center at (0, 0, 0)
    place a by ha.angle = 0
    place b by hb.travel = 0
  }
}
"""

PLANETS = """
world w {
  GRAVITY
  components { base: fixed_point; sun: wheel(4 cm); carrier: bar(6 cm); planet: wheel(2 cm) }
  structure {
    join sun to base with pin(axis: z) as s matching (center, center) MOTOR
    join carrier to base with pin(axis: z) as c matching (near, center)
    join planet to carrier with pin(axis: z) as p matching (center, far)
    gear inner between s - c and p = -2
    gear outer between c and p = -4
    ignore sun with carrier
    ignore planet with sun
    ignore planet with carrier
    place base by base.center at (0, 0, 0)
    place carrier by c.angle = 0
    place sun by s.angle = 0
    place planet by p.angle = 0
  }
}
"""


def made(text: str, **words: str) -> art.World:
    known = {"MOTOR": "", "BORE": "", "OTHER": "", "AGAIN": "", "GRAVITY": ""}
    for name, value in {**known, **words}.items():
        text = text.replace(name, value)
    return art.parse(WHEEL + PARTS + text).world("w")


def bar(span: float) -> tuple[float, float]:
    """Return mass and moment of inertia about z through the middle of a bar."""
    mass = RHO * span * 0.02 * 0.02
    return mass, mass * (span**2 + 0.02**2) / 12.0


def crank_inertia(q: Any) -> Any:
    """Return twice the kinetic energy of the slider-crank by the square of the crank's rate."""
    r, rod = 0.1, 0.3
    (m1, J1), (m2, J2), (m3, _) = bar(0.1), bar(0.3), bar(0.08)
    lean = -r / rod * np.cos(q) / np.sqrt(1.0 - (r / rod * np.sin(q)) ** 2)
    sine, cosine = -r / rod * np.sin(q), np.sqrt(1.0 - (r / rod * np.sin(q)) ** 2)
    x, y = -r * np.sin(q) - rod / 2 * sine * lean, r * np.cos(q) + rod / 2 * cosine * lean
    slide = -r * np.sin(q) - rod * sine * lean
    return m1 * (r / 2) ** 2 + J1 + m2 * (x * x + y * y) + J2 * lean**2 + m3 * slide**2


def test_a_crank_at_constant_speed_moves_as_the_closed_form_and_takes_lagranges_torque() -> None:
    world = made(ENGINE, MOTOR="driven by motor(speed: 60 rpm)")
    run = art.simulate(world, until=1.0, step=0.05)
    rate, t = 2.0 * np.pi, np.array(run.times)
    q = rate * t
    bore = 0.1 * np.cos(q) + np.sqrt(0.3**2 - (0.1 * np.sin(q)) ** 2)
    assert np.abs(run.series("e.main.angle") - q).max() < 1e-10
    assert np.abs(np.abs(run.series("e.bore.travel")) - bore).max() < 1e-10
    # T = I(q) rate^2 / 2 with a constant rate: the torque is I'(q) rate^2 / 2
    slope = np.imag([crank_inertia(complex(each, 1e-30)) for each in q]) / 1e-30
    torque = 0.5 * slope * rate**2
    assert np.abs(torque).max() > 0.1
    assert np.abs(run.series("e.main.motor.torque") - torque).max() < 1e-8
    assert np.abs(run.series("e.main.motor.power") - torque * rate).max() < 1e-7
    kinetic, work = run.series("energy.kinetic"), run.series("energy.work")
    assert np.abs(kinetic - 0.5 * crank_inertia(q) * rate**2).max() < 1e-10
    assert np.abs(kinetic - kinetic[0] - work).max() < 1e-9


@pytest.mark.parametrize(("rpm", "most"), [(60.0, 0.2), (90.0, 0.3), (40.0, 0.09)])
def test_a_crank_whose_motor_has_a_limit_gives_way_as_its_own_equation(
    rpm: float, most: float
) -> None:
    """Lagrange's equation of the crank: J q'' + J' q'^2 / 2 = torque; J' by a complex step."""
    pace = rpm * np.pi / 30.0

    def lack(q: Any, rate: Any) -> Any:
        return 0.5 * np.imag(crank_inertia(q + 1e-30j)) / 1e-30 * rate**2

    def until(torque: float, end: Any, t: float, y: Array) -> Any:
        return leg(
            lambda _, y: [y[1], (torque - lack(*y)) / crank_inertia(y[0])], t, 2.0, y, end
        )  # fmt: skip

    t, y, known, way = 0.0, np.zeros(2), [], 1.0
    while t < 2.0:
        part = until(way * most, lambda _, y: y[1] - pace, t, y)
        t, y = part.t[-1], np.array([part.y[0, -1], pace])
        if part.status == 0:
            y[1] = part.y[1, -1]
            break
        if abs(lack(*y)) > most:
            way = float(np.sign(lack(*y)))
        else:
            known.append(("regulation", t))
            steps = np.linspace(y[0], y[0] + (2.0 - t) * pace, 4001)
            over = np.flatnonzero(np.abs(lack(steps, pace)) > most)
            if not len(over):
                y[0] += (2.0 - t) * pace
                break
            begin = steps[over[0] - 1 : over[0] + 1]
            there = brentq(lambda q: abs(lack(q, pace)) - most, *begin, xtol=1e-15)
            t, y[0] = t + (there - y[0]) / pace, there
            known.append(("saturation", t))
            way = float(np.sign(lack(*y)))
        y[1] -= 1e-14 * way * pace
    world = made(ENGINE, MOTOR=f"driven by motor(speed: {rpm} rpm, limit: {most} N*m)")
    run = art.simulate(world, until=2.0, step=0.1)
    assert len(known) > 4
    check_told(run, known, "saturation", "regulation")
    assert run.series("e.main.angle")[-1] == pytest.approx(y[0], abs=1e-8)


def test_the_crank_and_the_gear_of_the_gallery_have_their_numbers() -> None:
    gallery = Path(art.__file__).parent / "world" / "library" / "gallery"
    crank = art.read(gallery / "motor_crank.art")
    run = art.simulate(crank.world(crank.requests[0]), until=1.0, step=0.005)
    # as above, with the piston's mass: what it adds is that of a mass at the rod's end
    (m3, _), q = bar(0.08), 2.0 * np.pi * np.array(run.times)
    more = RHO * 0.08 * 0.06 * 0.06 - m3

    def inertia(q: Any) -> Any:
        root = np.sqrt(1.0 - (np.sin(q) / 3.0) ** 2)
        return crank_inertia(q) + more * (0.1 * np.sin(q) + np.sin(2.0 * q) / 60.0 / root) ** 2

    slope = np.imag([inertia(complex(each, 1e-30)) for each in q]) / 1e-30
    torque = run.series("main.motor.torque")
    assert np.abs(torque - 0.5 * slope * (2.0 * np.pi) ** 2).max() < 1e-8
    assert torque.max() == pytest.approx(0.774, abs=5e-4)
    assert "main.motor.torque" in default_paths(run)
    assert "main.motor.power" in default_paths(run)
    gear = art.read(gallery / "planetary_gear.art")
    run = art.simulate(gear.world(gear.requests[0]), until=0.2, step=0.1)
    assert np.allclose(run.series("c.rate"), 20.0 * 2.0 * np.pi / 60.0, atol=1e-12)
    assert {"inner3.torque", "outer.power"} <= set(default_paths(run))


def test_a_slider_at_constant_speed_turns_its_crank() -> None:
    text = made(ENGINE, BORE="driven by motor(speed: -0.1 m/s)").text
    text = text.replace("e.main.angle = 0", "e.main.angle = 1.5")
    run = art.simulate(art.parse(text).world(), until=0.5, step=0.05)
    travel = run.series("e.bore.travel")
    assert np.abs(travel - travel[0] + 0.1 * np.array(run.times)).max() < 1e-9
    assert np.abs(np.diff(run.series("e.main.angle"))).min() > 1e-2


@pytest.mark.parametrize("method", [None, art.Stepping(step=1e-3)])
def test_two_geared_wheels_share_a_torque(method: art.Stepping | None) -> None:
    world = made(PAIR, MOTOR="driven by motor(torque: 0.5 N*m)")
    how: Any = {} if method is None else {"method": method}
    run = art.simulate(world, until=0.5, step=0.05, **how)
    faster, t = 0.5 / (spin(0.04) + spin(0.08) / 4.0), np.array(run.times)
    near = 1e-8 if method is None else 1e-4
    assert np.abs(run.series("ha.angle") - 0.5 * faster * t * t).max() < near
    assert np.abs(run.series("hb.rate") + 0.5 * run.series("ha.rate")).max() < 1e-10
    assert np.abs(run.series("mesh.torque") + 0.5 * spin(0.08) * faster).max() < 1e-8
    assert np.abs(run.series("energy.kinetic") - run.series("energy.work")).max() < 1e-8


@pytest.mark.parametrize(
    "method", [None, art.Stepping(step=1e-3), art.RK4(1e-3), art.RealTime(1e-3)]
)
def test_a_motor_keeps_its_speed_by_every_method(method: object) -> None:
    world = made(PAIR, MOTOR="driven by motor(speed: -30 rpm)")
    how: Any = {} if method is None else {"method": method}
    run = art.simulate(world, until=0.5, step=0.1, **how)
    assert np.abs(run.series("ha.angle") + np.pi * np.array(run.times)).max() < 1e-9
    assert np.abs(run.series("hb.angle") - 0.5 * np.pi * np.array(run.times)).max() < 1e-9


def test_a_motor_with_a_torque_at_rest_runs_up_and_is_held_by_a_stop() -> None:
    run = art.simulate(made(RACK), until=3.0, step=0.1)
    idle, inertia = 100.0 * 2.0 * np.pi / 60.0, spin(0.04) + bar(0.2)[0] * 0.04**2
    pace = 0.5 / idle / inertia
    event = next(each for each in run.events if each.kind == "limit")

    def travel(t: float) -> float:
        return 0.04 * idle * (t + (np.exp(-pace * t) - 1.0) / pace)

    there = brentq(lambda t: travel(t) - 1.0, 0.1, 3.0, xtol=1e-14)
    assert abs(event.time - there) < 1e-8
    t = np.array(run.times)
    free = t < there
    assert np.abs(run.series("ha.rate")[free] - idle * (1.0 - np.exp(-pace * t[free]))).max() < 1e-8
    # the stalled motor gives its torque, the rack presses with torque / radius
    assert abs(run.series("ha.motor.torque")[-1] - 0.5) < 1e-12
    assert abs(run.series("mesh.force")[-1] - 0.5 / 0.04) < 1e-9
    lost = run.series("energy.work")[-1] - run.series("energy.dissipated")[-1]
    assert abs(lost - run.series("energy.kinetic")[-1]) < 1e-8


def test_a_planetary_gear_has_willis_ratio() -> None:
    """Ring of 8, sun of 4: the carrier turns by 1 / (1 + 8/4) of the sun (Willis 1841)."""
    run = art.simulate(made(PLANETS, MOTOR="driven by motor(speed: 60 rpm)"), until=0.5, step=0.1)
    assert np.abs(run.series("c.rate") - 2.0 * np.pi / 3.0).max() < 1e-10
    assert np.abs(run.series("p.rate") + 8.0 * np.pi / 3.0).max() < 1e-10


def test_a_planet_swings_as_its_own_equation() -> None:
    """One freedom: the carrier falls with the planet, both wheels turn with it."""
    run = art.simulate(made(PLANETS, GRAVITY="gravity: (0, -9.81, 0)"), until=1.0, step=0.05)
    (m1, J1), m2 = bar(0.06), RHO * np.pi * 0.02**2 * 0.02
    inertia = m1 * 0.03**2 + J1 + m2 * 0.06**2 + 9.0 * spin(0.02) + 9.0 * spin(0.04)
    pull = 9.81 * (m1 * 0.03 + m2 * 0.06) / inertia

    def moves(_: float, y: Float64[Array, 2]) -> list[float]:
        return [y[1], -pull * np.cos(y[0])]

    known = solve_ivp(moves, (0.0, 1.0), [0.0, 0.0], "DOP853", run.times, rtol=1e-13, atol=1e-13)
    assert np.abs(known.y[0]).max() > 1.0
    assert np.abs(run.series("c.angle") - known.y[0]).max() < 1e-8
    assert np.abs(run.series("s.angle") - 3.0 * known.y[0]).max() < 3e-8
    total = run.series("energy.total")
    assert np.abs(total - total[0]).max() < 1e-9


def told(world: art.World) -> list[tuple[str, str]]:
    return [(e.kind, e.story) for e in art.simulate(world, until=0.01, step=0.01).events]


def test_what_motors_and_gears_have_too_much_of_is_named() -> None:
    speeds = {"MOTOR": "driven by motor(speed: 60 rpm)"}
    twice = made(PAIR, **speeds, OTHER="driven by motor(speed: -30 rpm)")
    story = next(text for kind, text in told(twice) if kind == "redundancy")
    assert "say again what the others hold" in story
    assert "leave out motor hb.motor" in story
    twice = made(PAIR, AGAIN="gear again between hb and ha = -2")
    story = next(text for kind, text in told(twice) if kind == "redundancy")
    assert "leave out gear again" in story
    against = made(PAIR, **speeds, OTHER="driven by motor(speed: 30 rpm)")
    with pytest.raises(art.SimulationError, match=r"ha\.motor, hb\.motor .* contradict"):
        told(against)
    story = dict(told(made(PAIR, AGAIN="gear again between ha and hb = 1")))["jam"]
    assert "mesh, again" in story
    assert "jam" not in dict(told(made(PAIR)))


def test_a_motor_that_holds_its_speed_against_a_stop_is_told() -> None:
    world = made(ENGINE, MOTOR="limits (-1 rad, 1 rad) driven by motor(speed: 60 rpm)")
    with pytest.raises(art.InconsistentSystem, match=r"(?s)e\.main at its upper.*e\.main\.motor"):
        art.simulate(world, until=0.5, step=0.1)


WRONG = {
    "motor(speed: 60 m/s)": "a rate is due",
    "motor(force: 3 N)": "takes no 'force'",
    "motor(speed: 60 rpm, torque: -2 N*m)": "drives both the same way",
    "motor()": "needs a speed, a torque or a voltage",
    "motor(speed: 60 rpm) driven by motor(speed: 3 rpm)": "said twice",
}


@pytest.mark.parametrize("motor", WRONG)
def test_motors_that_cannot_be_are_refused(motor: str) -> None:
    with pytest.raises(art.WorldError, match=WRONG[motor]):
        made(PAIR, MOTOR=f"driven by {motor}")


GEARS = {
    "ha and a = 2": "not a hinge",
    "ha and hb = 0": "must not be 0",
    "ha and ha = 2": "geared to itself",
    "ha and hb = 4 cm": "number is due",
    "ha and hc = 2": "hc",
}


@pytest.mark.parametrize("gear", GEARS)
def test_gears_that_cannot_be_are_refused(gear: str) -> None:
    with pytest.raises(art.WorldError, match=GEARS[gear]):
        made(PAIR, AGAIN=f"gear again between {gear}")
    with pytest.raises(art.WorldError, match="no one coordinate"):
        made(
            PAIR.replace("pin(axis: z) as hb", "ball as hb"), OTHER="driven by motor(speed: 1 rpm)"
        )


def test_what_is_written_is_the_same_world_and_edits_can_be_undone() -> None:
    for text, motor in ((RACK, ""), (PLANETS, "driven by motor(speed: 60 rpm)")):
        world = made(text, MOTOR=motor)
        assert world.couplings
        again = art.parse(art_text(world)).world()
        assert dict(again.couplings) == dict(world.couplings)
        edit = BreakHinge(next(iter(world.couplings.values())).hinges[0])
        after = world.edit([edit])
        assert not after.couplings if text is RACK else "outer" in after.couplings
        assert dict(after.edit(edit.inverse(world)).couplings) == dict(world.couplings)


@pytest.mark.parametrize("method", [art.DOP853(), art.Stepping(step=1e-3)])
def test_a_joint_of_a_robot_that_mimics_another_shares_its_moment(
    tmp_path: Path, method: Any
) -> None:
    (tmp_path / "grip.urdf").write_text(GRIPPER)
    (tmp_path / "w.art").write_text(
        'import "grip.urdf" as grip\nworld w { components { g: grip } structure {\n'
        "place g by properties: (fixed)\nforce push about g.l = 0.5 N*m } }\n"
    )
    run = art.simulate(art.read(tmp_path / "w.art").world(), until=0.2, step=0.02, method=method)
    # inertias about the axes: 0.001 + 0.2 * 0.1^2 and 0.002 + 0.3 * 0.1^2
    faster, t = 0.5 / (0.003 + 4.0 * 0.005), np.array(run.times)
    left, right = run.series("g.l.angle"), run.series("g.r.angle")
    near = 1e-9 if isinstance(method, art.DOP853) else 1e-6
    assert np.abs(left - 0.5 * faster * t * t).max() < near
    assert np.abs(right - (0.3 - 2.0 * left)).max() < 1e-9


def test_symplectic_steps_turn_geared_wheels_as_the_cayley_map_does() -> None:
    """They lag by a share (h w)^2 / 3: J W (1 + (h W/2)^2) = J w turns by 2 atan(h W/2) a step."""
    h, faster = 1e-3, 0.5 / (spin(0.04) + spin(0.08) / 4.0)
    world = made(PAIR, MOTOR="driven by motor(torque: 0.5 N*m)")
    run = art.simulate(world, until=1.0, step=0.1, method=art.Symplectic(h))
    for wheel, ratio, far in (("ha", 1.0, 0.327), ("hb", -0.5, 0.041)):
        middle = abs(ratio) * faster * h * (np.arange(1000) + 0.5)
        W = middle.copy()
        for _ in range(30):
            W -= (W + 0.25 * h * h * W**3 - middle) / (1.0 + 0.75 * h * h * W * W)
        lag = 0.5 * abs(ratio) * faster - np.sum(2.0 * np.arctan(0.5 * h * W))
        assert lag == pytest.approx(far, abs=1e-3)
        turned = run.series(f"{wheel}.angle")[-1] / np.sign(ratio)
        assert 0.5 * abs(ratio) * faster - turned == pytest.approx(lag, abs=1e-9)


@pytest.mark.parametrize("crank", [0.31, 0.4])
def test_a_motor_that_reaches_a_dead_point_is_told(crank: float) -> None:
    gallery = Path(art.__file__).parent / "world" / "library" / "gallery"
    text = (gallery / "motor_crank.art").read_text().replace("link(10 cm)", f"link({crank} m)")
    with pytest.raises(art.SimulationError, match=r"dead point .* motor 'main.motor'") as told:
        art.simulate(art.parse(text).world("turning"), until=1.0, step=0.01)
    (time,) = re.findall(r"at t = ([\d.]+) s", str(told.value))
    # the rod of 0.3 m stands across the bore: crank sin(angle) = 0.3 at 60 rpm
    assert float(time) == pytest.approx(math.asin(0.3 / crank) / (2 * math.pi), abs=1e-6)
