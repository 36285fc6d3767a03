"""People move by their masses: accelerations beside Pinocchio, servos, what limp figures do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.formats.urdf.urdf_writer import write_urdf
from gallery_runs import run as gallery_run
from reference.test_standing_robots_in_pinocchio import accelerations

pinocchio = pytest.importorskip("pinocchio")


def loose(figure: Any, q: np.ndarray, v: np.ndarray) -> Any:
    """Return the world in which a limp person, held at the hips, has joint values and rates."""
    said = ", ".join(f"{j} = {x!r}" for j, x in zip(figure.names, q.tolist(), strict=True))
    rates = ", ".join(
        f"one.{j}.rate = {x!r}" for j, x in zip(figure.names, v.tolist(), strict=True)
    )
    return art.parse(
        "world w {\ngravity: (0, -9.81, 0)\ncomponents { one: person(1.75 m) }\nstructure {\n"
        f"place one by pose = ((0, 0, 0), quaternion(1, 0, 0, 0)), {said}\n"
        f"place one by {rates}, properties: (fixed, loose) }}\n}}"
    ).world()


def with_rings(model: Any, world: Any) -> int:
    """Give Pinocchio's massless links what rings have of their own, about the axis of a neighbour.

    The rest of a ring's weight is lent by what lies beside it, which must change nothing. Returns
    how many rings have a moment of their own.
    """
    found = 0
    rings = {hinge.body_a: hinge for hinge in world.hinges.values() if _bare(world, hinge.body_a)}
    for id, hinge in rings.items():
        (after,) = [each for each in world.hinges.values() if each.body_b == id]
        inner, outer = _bare(world, hinge.body_b), _bare(world, after.body_a)
        if not (inner or outer):
            continue
        # of three axes the first ring is lent nothing about the first, the second about the last
        frame = (after.frame_b if inner else hinge.frame_a).matrix()
        a = frame[:3, 2]
        xx, yy, zz, *rest = (*world.bodies[id].properties["inertia"], 0.0, 0.0, 0.0)
        xy, xz, yz = rest[:3]
        own = a @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ a
        joint = model.getJointId(hinge.id.partition(".")[2])
        model.inertias[joint] += pinocchio.Inertia(0.0, np.zeros(3), own * np.outer(a, a))
        found += 1
    return found


def _bare(world: Any, id: str) -> bool:
    return world.bodies[id].shape is None


def least_determinant(world: Any) -> float:
    """Return the least volume (area) that the axes of a joint of three (two) of them span."""
    joints: dict[str, list[np.ndarray]] = {}
    for hinge in world.hinges.values():
        X_WH = world.bodies[hinge.body_b].pose.matrix() @ hinge.frame_b.matrix()
        before = joints.pop(hinge.body_b) if _bare(world, hinge.body_b) else []
        joints[hinge.body_a] = [*before, X_WH[:3, 2]]
    axes = [np.array(each) for each in joints.values() if len(each) > 1]
    assert {len(each) for each in axes} == {2, 3}
    return min(float(np.sqrt(np.linalg.det(each @ each.T))) for each in axes)


@pytest.mark.parametrize("states", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_a_limp_person_accelerates_as_in_pinocchio(states: int, tmp_path: Path) -> None:
    """In postures at random within the limits, where the axes of each joint are regular."""
    figure = art.figure("person", height=1.75)
    rng = np.random.default_rng(5)
    bare = pinocchio.buildModelFromXML(write_urdf(figure, tmp_path).text)
    bare.gravity.linear = np.array([0.0, -9.81, 0.0])
    joints = [bare.joints[bare.getJointId(name)] for name in figure.names]
    worst = without = 0.0
    while states:
        q = rng.uniform(figure.lower, figure.upper)
        v = rng.uniform(-5, 5, figure.dof)
        world = loose(figure, q, v)
        regular = least_determinant(world)
        if regular < 0.05:
            continue
        states -= 1
        at, rate = np.zeros(bare.nq), np.zeros(bare.nv)
        for joint, value, speed in zip(joints, q, v, strict=True):
            at[joint.idx_q], rate[joint.idx_v] = value, speed
        found = accelerations(world, figure.names)
        for rings in (False, True):
            model = bare
            if rings:
                model = pinocchio.Model(bare)
                assert with_rings(model, world) == 14
            expected = pinocchio.aba(model, model.createData(), at, rate, np.zeros(model.nv))
            expected = np.array([expected[joint.idx_v] for joint in joints])
            off = np.abs(found - expected).max() / np.abs(expected).max()
            if rings:
                worst = max(worst, off)
            else:
                without = max(without, off * regular**2)
    assert worst < 1e-11
    assert 0.0 < without < 0.005  # what the rings' own moments change


TEXT = """
units: degree

figure arm {
  up: z
  chain a: plain table {
    base: fixed(mass: 5 kg)
    swing: revolute(axis: x, limits: (-120, 120), effort: 40 N*m) at (0, 0, 2)
    lift: revolute(axis: y, effort: 40 N*m)
    twist: revolute(axis: z, effort: 10 N*m, mass: 3 kg, center: (0, 0, -0.3),
      inertia: (0.1, 0.1, 0.01))
  }
  posture out { swing: 60; lift: 20; twist: 30 }
}
world room {
  gravity: (0, 0, -9.81)
  components { one: arm }
  structure {
    place one by properties: (fixed), swing = 40 deg
    STATEMENT
  }
}
"""


def room(statement: str) -> Any:
    return art.parse(TEXT.replace("STATEMENT", statement)).world()


def test_servos_bring_joints_whose_axes_meet_to_a_posture() -> None:
    world = room("one follows out by servo(8*effort, 1 s*effort)")
    assert list(world.hinges) == ["one.swing", "one.lift", "one.twist"]
    run = art.simulate(world, until=6.0, step=0.5, method=art.RK4(2e-3))
    swing, lift, twist = (
        run.series(f"one.{name}.angle")[-1] for name in ("swing", "lift", "twist")
    )
    # what gravity bends them by: the weight's moment about each axis over the stiffness
    weight, far = 3 * 9.81, 0.3
    assert 8 * 40 * (np.pi / 3 - swing) == pytest.approx(
        weight * far * np.sin(swing) * np.cos(lift), abs=1e-4
    )
    assert 8 * 40 * (np.pi / 9 - lift) == pytest.approx(
        weight * far * np.cos(swing) * np.sin(lift), abs=1e-4
    )
    assert twist == pytest.approx(np.pi / 6, abs=1e-5)
    assert world == art.parse(art.art_text(world)).world()


def test_a_limp_figure_keeps_its_energy_and_its_limits() -> None:
    world = room("place one by properties: (loose)")
    run = art.simulate(world, until=2.0, step=0.1)
    energy = run.series("energy.total")
    assert np.abs(energy - energy[0]).max() < 1e-9 * np.abs(energy).max()
    assert np.ptp(run.series("one.swing.angle")) > 1.0
    held = room("")
    assert list(held.hinges) == ["one.swing_joint"]
    assert world.bodies["one.twist_link"].properties["mass"] < 3.0


def test_what_cannot_be_loose() -> None:
    box = "primitive box { geometry: sphere(1)\n dynamics: (mass: 1 kg) }\n"
    with pytest.raises(art.WorldError, match="loose are figures with a table of joints"):
        art.parse(
            box + "world w { components { b: box }\nstructure { place b by properties: (loose) } }"
        ).world()


def test_a_constant_force_pushes_in_steps() -> None:
    """8 N on a block of 8 kg on smooth ground, for half a second."""
    text = """
primitive box { properties: (density: 1000)
 geometry: cuboid(20 cm, 20 cm, 20 cm)
 dynamics }
world w {
  gravity: (0, -9.81, 0)
  components { floor: ground; box: box; wall: fixed_point }
  structure {
    place box by box.center at (0, 10 cm, 0)
    place wall by wall.center at (-3 m, 10 cm, 0)
    force push between box and wall.center = -8 N
  }
}
"""
    run = art.simulate(art.parse(text).world(), until=0.5, step=0.1, method=art.Stepping(1e-3))
    assert run.array("dynamic.velocity")[-1, 1, 0] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.slow
def test_somebody_who_faints_lies_at_the_foot_of_the_stairs() -> None:
    run = gallery_run("stairs")
    assert run.series("ben.skull.origin")[0, 1] > 2.3
    assert run.series("ben.skull.origin")[-1, 1] < 0.25  # m over the floor
    assert np.abs(run.array("dynamic.velocity")[-1]).max() < 0.1  # m/s
    energy = run.series("energy.kinetic")
    assert energy[-1] < 1e-3 * energy.max()


HELD = """
primitive slab { properties: (fixed, friction: 0.7)
  geometry: half_space where { face surface: top } }
primitive chair { properties: (fixed, friction: 0.6)
  geometry: cuboid(45 cm, 30 cm, 42 cm) where { seat: (0, 15 cm, -8 cm) } }
primitive box { geometry: cuboid(12 cm, 12 cm, 12 cm) where { handle: (0, 6 cm, 0) }
  dynamics: (mass: 3 kg) }
world sits {
  gravity: (0, -9.81, 0)
  components { one: person(1.75 m); floor: slab; chair: chair }
  structure {
    place one by one.l_heel at (9 cm, 0, 34 cm), posture = seated
    place chair by chair.seat at (0, 36.8 cm, 0)
    one follows seated by servo(6*effort, 0.5 s*effort)
  }
}
world carries {
  gravity: (0, -9.81, 0)
  components { one: person(1.75 m); floor: slab; load: box }
  structure {
    place one by one.l_heel at (0, 0, 0)
    join load to one.r_hand with weld matching (handle, r_grip)
    ignore load with one
    one follows standing by servo(6*effort, 0.5 s*effort)
  }
}
"""


@pytest.mark.parametrize(("name", "mass"), [("sits", 83.3425), ("carries", 86.3425)])
def test_a_person_who_sits_or_carries_rests_on_what_is_below(name: str, mass: float) -> None:
    """What floor and chair bear are the weight, about the mass centre of all (Varignon)."""
    run = art.simulate(art.parse(HELD).world(name), until=1.2, step=0.4, method=art.Stepping())
    bodies = run.channels["dynamic.position"].labels
    masses = np.array([run.world.bodies[id].properties.get("mass", 0.0) for id in bodies])
    assert masses.sum() == pytest.approx(mass)
    middle = masses @ run.array("dynamic.position")[-1] / mass
    point, force = (run.array(f"dynamic.contact_point{end}")[-1] for end in ("", "_force"))
    below = point[:, 1] < 0.5  # no arm that lies on a hip; NaN where no contact is
    point, force = point[below], force[below]
    assert force[:, 1].sum() == pytest.approx(mass * 9.81, rel=2e-3)
    turning = np.cross(point - middle, force).sum(axis=0)
    assert np.abs(turning[[0, 2]]).max() < 0.004 * mass * 9.81  # N m: 4 mm of its weight
    assert point[:, 1].min() > -1e-7


PUSHED = """
primitive slab { properties: (fixed, friction: 0.7)
  geometry: half_space where { face surface: top } }
world hall(push: force) {
  gravity: (0, -9.81, 0)
  components { one: person(1.75 m); floor: slab; behind: fixed_point }
  structure {
    place one by one.l_heel at (0, 0, 0)
    place behind by behind.center at (0, 1.3 m, -3 m)
    one follows standing by servo(6*effort, 0.5 s*effort)
    force blow between one.thorax and behind.center =
      -push*(ramp(time, 0.2 s, 0.25 s) - ramp(time, 0.35 s, 0.4 s))
  }
}
"""


@pytest.mark.parametrize(("push", "falls"), [(100.0, False), (350.0, True)])
def test_a_push_beyond_the_toes_throws_a_person(push: float, falls: bool) -> None:
    """The extrapolated centre of mass, x + v/sqrt(g/h), against the tip of the foot (Hof 2008)."""
    world = art.parse(PUSHED).world("hall", push)
    run = art.simulate(world, until=1.8, step=0.2, method=art.Stepping())
    masses = np.array([each.properties.get("mass", 0.0) for each in world.bodies.values()])
    place, speed = (
        masses @ run.array(f"dynamic.{name}") / masses.sum() for name in ("position", "velocity")
    )
    beyond = place[2, 2] + speed[2, 2] * np.sqrt(place[2, 1] / 9.81) - run.series("one.l_toe")[2, 2]
    assert (beyond > 0) == falls
    assert (run.series("one.skull.origin")[-1, 1] < 1.3) == falls
    assert speed[2, 2] == pytest.approx(push * 0.15 / masses.sum(), rel=0.15)
