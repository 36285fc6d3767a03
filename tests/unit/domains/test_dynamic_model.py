from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.dynamic.contradiction import components, cure
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.mechanism import motion_of, start_arrays
from articulata.domains.dynamic.methods import DOP853
from articulata.domains.dynamic.plain_solution import solved
from articulata.domains.protocols import Inputs, Sensed
from articulata.kinematics.assembly.hinge_rows import evaluate, rates
from articulata.records.state import State
from articulata.world.hinges import (
    BALL,
    CYLINDRICAL,
    PLANAR,
    POINT_ON_SURFACE,
    PRISMATIC,
    REVOLUTE,
    UNIVERSAL,
    WELD,
    CylinderSurface,
    HingeKind,
    PointOnSurface,
    SphereSurface,
    screw,
)
from articulata.world.model import FeatureRef, Force, World
from mechanisms import DOWN, Mechanism, four_bar, turn

KINDS = {
    "ball": BALL,
    "revolute": REVOLUTE,
    "prismatic": PRISMATIC,
    "cylindrical": CYLINDRICAL,
    "universal": UNIVERSAL,
    "planar": PLANAR,
    "weld": WELD,
    "screw": screw(0.3),
    "point on plane": POINT_ON_SURFACE,
    "rod": HingeKind("rod", (PointOnSurface((0, 0, 0), SphereSurface(0.7)),)),
    "point on cylinder": HingeKind("tube", (PointOnSurface((0, 0, 0), CylinderSurface(0.4)),)),
}


def pair(kind: HingeKind) -> World:
    """Two bodies on the ground through two hinges of one kind, moving and spinning."""
    made = Mechanism("pair", DOWN)
    before = made.ground()
    for k in (1, 2):
        made.body(
            f"b{k}",
            (0.3 * k, 0.9 * k, -0.2),
            turn((1, k, 0), 0.2),
            inertia=(0.1, 0.2, 0.15),
            rate=(0.5, -1.0, 0.7 * k),
            velocity=(0.3, 0.2, -0.1),
        )
        made.join(
            f"h{k}",
            f"b{k}",
            before,
            (0.1, -0.4, 0.2),
            (0.2, 0.3, 0.1),
            kind,
            turn((0, 1, 1), 0.3),
            turn((1, 0, 1), -0.4),
        )
        before = f"b{k}"
    return art.assemble(made.world())


def model_of(world: World) -> DynamicModel:
    model = build(world)["dynamic"]
    assert isinstance(model, DynamicModel)
    return model


def still(model: DynamicModel) -> Inputs:
    n = len(model.parts.kind)
    return Inputs(
        np.zeros((n, 6)), np.zeros((n, 3)), np.zeros((0, 3)), np.zeros(len(model.parts.coordinates))
    )


@pytest.mark.parametrize("name", KINDS)
def test_kernels_equations_and_plain_solution_agree(name: str) -> None:
    model = model_of(pair(KINDS[name]))
    state = State(0.0, dict(model.start()))
    motion = motion_of(state.arrays)
    values = evaluate(model.parts.rows, motion.positions, motion.R)
    assert np.max(np.abs(rates(model.parts.rows, values, motion.v, motion.w))) <= 1e-12
    derived = model.moving(DOP853()).solve(state, lambda time: still(model))
    plain = solved(model.parts, model.elements, motion, still(model), 0.0)
    compiled = np.hstack([derived["dynamic.acceleration"], derived["dynamic.angular_acceleration"]])
    assert compiled == pytest.approx(plain.acceleration, abs=1e-8)
    assert derived["dynamic.multipliers"] == pytest.approx(plain.multipliers, abs=1e-7)
    equations = model.equations(state, still(model))
    assert equations.x[:12].reshape(2, 6) == pytest.approx(plain.acceleration[1:], abs=1e-8)
    assert equations.x[12:] == pytest.approx(-plain.multipliers, abs=1e-7)
    assert equations.residual <= 1e-9
    assert len(str(equations).splitlines()) == equations.shape[0]


@pytest.mark.parametrize("name", KINDS)
def test_hinges_stay_met_and_energy_is_kept(name: str) -> None:
    recording = art.simulate(pair(KINDS[name]), until=1.0, step=0.05)
    model = model_of(recording.world)
    for time in (0.5, 1.0):
        motion = motion_of(recording.state(time).arrays)
        values = evaluate(model.parts.rows, motion.positions, motion.R)
        assert np.max(np.abs(values.gap)) <= 1e-10
        assert np.max(np.abs(rates(model.parts.rows, values, motion.v, motion.w))) <= 1e-9
    energy = recording.array("dynamic.energy")
    assert np.ptp(energy[:, 3]) <= 1e-8 * max(1.0, float(np.max(energy[:, 0])))


def test_a_hinge_force_holds_the_weight() -> None:
    made = Mechanism("hung", DOWN)
    ground = made.ground()
    made.body("lamp", (0.5, 0, 0), mass=2.0)
    made.join("h", "lamp", ground, (-0.5, 0, 0), kind=WELD)
    recording = art.simulate(made.world(), until=0.1, step=0.1)
    force = recording.array("dynamic.hinge_force")[-1, 0]
    # On the lamp at the wall: its weight upwards, and the moment that keeps it from turning.
    assert force == pytest.approx([0, 19.62, 0, 0, 0, 9.81], abs=1e-9)
    assert recording.series("h.force")[-1] == pytest.approx([0, 19.62, 0], abs=1e-9)


def test_a_screw_advances_as_it_turns() -> None:
    made = Mechanism("screw", (0, 0, -9.81))
    ground = made.ground()
    made.body("nut", (0, 0, 0), size=None, mass=2.0, inertia=(0.1, 0.1, 0.3))
    made.join("h", "nut", ground, kind=screw(0.5))
    recording = art.simulate(made.world(), until=3.0, step=0.05)
    rise = 0.5 / (2 * np.pi)
    alpha = -2.0 * 9.81 * rise / (0.3 + 2.0 * rise**2)
    times = recording.times
    # Many turns: the angle is followed through all of them.
    assert recording.series("h.angle") == pytest.approx(0.5 * alpha * times**2, abs=1e-8)
    assert abs(recording.series("h.angle")[-1]) > 4 * np.pi
    assert recording.series("nut.center.z") == pytest.approx(
        0.5 * alpha * rise * times**2, abs=1e-9
    )
    assert recording.series("h.rate") == pytest.approx(alpha * times, abs=1e-8)


def test_a_slider_falls_freely_along_its_axis() -> None:
    made = Mechanism("slide", DOWN)
    ground = made.ground()
    axis = turn((1, 0, 0), -np.pi / 2 + 0.4)  # z of the hinge points up, tilted by 0.4
    made.body("block", (0, 0, 0), mass=3.0)
    made.join("h", "block", ground, kind=PRISMATIC, turned_a=axis, turned_b=axis)
    recording = art.simulate(made.world(), until=1.0, step=0.1)
    fall = -0.5 * 9.81 * np.cos(0.4) * recording.times**2
    assert recording.series("h.travel") == pytest.approx(fall, abs=1e-10)


def test_a_cylindrical_hinge_turns_and_slides_on_its_own() -> None:
    made = Mechanism("shaft", (0, 0, -2.0))
    ground = made.ground()
    made.body("disc", (0, 0, 0), rate=(0, 0, 3.0))
    made.join("h", "disc", ground, kind=CYLINDRICAL)
    recording = art.simulate(made.world(), until=2.0, step=0.1)
    assert recording.series("h.angle") == pytest.approx(3.0 * recording.times, abs=1e-9)
    assert recording.series("h.travel") == pytest.approx(-(recording.times**2), abs=1e-9)


def test_a_planar_hinge_leaves_the_plane_free() -> None:
    made = Mechanism("table", (1.0, -2.0, -9.81))
    ground = made.ground()
    made.body("puck", (0, 0, 0), rate=(0, 0, 1.0))
    made.join("h", "puck", ground, kind=PLANAR)
    recording = art.simulate(made.world(), until=1.0, step=0.1)
    t = recording.times[:, None]
    assert recording.series("puck.center") == pytest.approx(
        0.5 * t**2 * np.array([1.0, -2.0, 0.0]), abs=1e-10
    )


def test_a_universal_joint_turns_unevenly() -> None:
    made = Mechanism("cardan")
    ground = made.ground()
    bend = 0.5
    # z of A is one arm of the cross, x of B the other; both shafts turn in bearings.
    made.body("one", (0, 0, 0), inertia=(0.1, 0.1, 0.1), rate=(1.0, 0, 0))
    tilted = turn((0, 0, 1), bend)
    made.body("two", (0, 0, 0), tilted, inertia=(0.1, 0.1, 0.1))
    along = turn((0, 1, 0), np.pi / 2)
    made.join("b1", "one", ground, kind=REVOLUTE, turned_a=along, turned_b=along)
    # The bearing's axis on the ground is x turned by `bend` about z.
    w, x, y, z = tilted
    a, b, c, d = along
    bearing = (w * a - z * d, w * b - z * c, w * c + z * b, w * d + z * a)
    made.join("b2", "two", ground, kind=REVOLUTE, turned_a=along, turned_b=bearing)
    made.join("cross", "two", "one", kind=HingeKind("cross", UNIVERSAL.rows[3:]),
              turned_b=turn((0, 0, 1), np.pi / 2))  # fmt: skip
    recording = art.simulate(made.world(), until=2.0, step=0.05)
    first = recording.series("one.w.x")
    second = np.linalg.norm(recording.series("two.w"), axis=1)
    angle = recording.series("b1.angle")
    # Hooke's joint: w2 / w1 = cos b / (1 - sin^2 b cos^2 q), q from the cross of shaft one.
    ratio = np.cos(bend) / (1 - np.sin(bend) ** 2 * np.cos(angle) ** 2)
    other = np.cos(bend) / (1 - np.sin(bend) ** 2 * np.sin(angle) ** 2)
    error = min(np.abs(second / first - r).max() for r in (ratio, other))
    assert error <= 1e-9
    assert (y, x) == (0.0, 0.0)


def spring_world(program: tuple[tuple[str, float], ...], mass: float = 2.0) -> World:
    made = Mechanism("spring")
    ground = made.ground()
    made.body("bob", (1.5, 0, 0), mass=mass)
    features = (FeatureRef("bob", "mid"), FeatureRef(ground, "mid"))
    made.forces["s"] = Force("s", "between", features, None, program)
    return made.world()


HOOKE = (("distance", 0.0), ("push", 1.0), ("sub", 0.0), ("push", 50.0), ("mul", 0.0))


def test_a_spring_swings_as_the_closed_form() -> None:
    recording = art.simulate(spring_world(HOOKE), until=2.0, step=0.05)
    swing = 1.0 + 0.5 * np.cos(5.0 * recording.times)
    assert recording.series("bob.center.x") == pytest.approx(swing, abs=1e-8)
    assert np.ptp(recording.array("dynamic.energy")[:, 3]) <= 1e-8
    assert recording.array("dynamic.force")[0, 0] == pytest.approx(25.0)


def test_a_damped_spring_dies_out_as_the_closed_form() -> None:
    damper = (("speed", 0.0), ("push", 4.0), ("mul", 0.0), ("add", 0.0))
    recording = art.simulate(spring_world(HOOKE + damper), until=2.0, step=0.05)
    t, w = recording.times, np.sqrt(25.0 - 1.0)
    swing = 1.0 + 0.5 * np.exp(-t) * (np.cos(w * t) + np.sin(w * t) / w)
    assert recording.series("bob.center.x") == pytest.approx(swing, abs=1e-8)


def test_a_curved_law_keeps_its_energy() -> None:
    cubic = (*HOOKE[:3], ("push", 3.0), ("pow", 0.0), ("push", 40.0), ("mul", 0.0))
    recording = art.simulate(spring_world(cubic), until=3.0, step=0.1)
    energy = recording.array("dynamic.energy")
    assert np.ptp(energy[:, 3]) <= 1e-8
    assert np.ptp(energy[:, 2]) > 0.1


def test_a_torsion_spring_swings() -> None:
    made = Mechanism("torsion")
    ground = made.ground()
    made.body("disc", (0, 0, 0), inertia=(1, 1, 0.5), rate=(0, 0, 2.0))
    made.join("h", "disc", ground, kind=REVOLUTE)
    law = (("angle", 0.0), ("push", -8.0), ("mul", 0.0))
    made.forces["t"] = Force("t", "torsion", None, "h", law)
    recording = art.simulate(made.world(), until=2.0, step=0.05)
    assert recording.series("h.angle") == pytest.approx(0.5 * np.sin(4 * recording.times), abs=1e-8)
    assert np.ptp(recording.array("dynamic.energy")[:, 3]) <= 1e-9


@pytest.mark.parametrize(
    ("angle", "rank", "redundant", "freedom"),
    [(np.pi / 2, 17, 3, 1), (1.0, 17, 3, 1), (0, 16, 4, 2)],
)
def test_a_four_bar_is_redundant(angle: float, rank: int, redundant: int, freedom: int) -> None:
    model = model_of(four_bar(angle).world())
    motion = motion_of(start_arrays(model.parts))
    (found,) = components(model.parts, motion)
    assert 6 * len(found.bodies) == 18
    assert (len(found.rows), found.rank) == (20, rank)
    assert (found.redundant, found.freedom) == (redundant, freedom)


def test_redundancy_is_told_with_its_cure() -> None:
    world = four_bar(1.0).world()
    recording = art.simulate(world, until=0.02)
    (event,) = [event for event in recording.events if event.kind == "redundancy"]
    assert set(event.who) == {"h1", "h2", "h3", "h4"}
    assert event.values["redundant"] == 3.0
    assert len(event.values["dependent"]) == 3  # type: ignore[arg-type] # a tuple of names
    hinges = dict(world.hinges)
    for advice in event.values["cure"]:  # type: ignore[union-attr] # a tuple of sentences
        _, word, name, _, kind = str(advice).split()
        assert word == "pin"  # as the text has it
        assert kind in ("ball", "universal", "cylindrical")
        from articulata.world.hinges import HINGE_KINDS

        hinges[name] = replace(hinges[name], kind=HINGE_KINDS[kind])
    model = model_of(replace(world, hinges=hinges))
    (cured,) = components(model.parts, motion_of(start_arrays(model.parts)))
    assert (cured.redundant, cured.freedom) == (0, 1)
    assert cure(model.parts, motion_of(start_arrays(model.parts)), cured) == ()


def test_what_rubs_or_is_driven_keeps_its_kind_in_a_cure() -> None:
    """A slider-crank of which only two hinges are free to be replaced."""
    document = art.read("coasting")
    recording = art.simulate(document.requests[0], until=0.02)
    (event,) = [event for event in recording.events if event.kind == "redundancy"]
    replaced = {str(advice).split()[2] for advice in event.values["cure"]}  # type: ignore[union-attr] # a tuple of sentences
    assert replaced
    assert "bore" not in replaced  # friction 20 N, which a cylindrical hinge cannot have


def test_forces_of_least_norm_do_not_depend_on_the_order_of_joins() -> None:
    world = four_bar(1.0).world()
    turned = replace(world, hinges=dict(reversed(list(world.hinges.items()))))
    one, other = (art.simulate(w, until=0.0) for w in (world, turned))
    for name in world.hinges:
        assert one.series(f"{name}.force") == pytest.approx(other.series(f"{name}.force"), abs=1e-8)


def test_a_tree_of_hinges_is_never_redundant() -> None:
    model = model_of(pair(REVOLUTE))
    assert all(c.redundant == 0 for c in components(model.parts, motion_of(model.start())))


def test_prescriptions_in_conflict_stop_the_run_and_are_named() -> None:
    made = Mechanism("torn")
    made.body("left", (0, 0, 0), motion="prescribed")
    made.body("right", (2, 0, 0), motion="prescribed")
    made.body("rod", (1, 0, 0), turn((0, 0, 1), -np.pi / 2))
    made.body("bystander", (9, 0, 0))
    made.join("a", "rod", "left", (0, -1, 0))
    made.join("b", "rod", "right", (0, 1, 0))
    made.drive("left.a", "acceleration", "left", "rest")
    made.drive("right.a", "acceleration", "right", "flee")

    def flee(time: float, sensed: Sensed) -> tuple[float, float, float]:
        return (0.0 if time < 0.5 else 1.0, 0.0, 0.0)

    controllers = {"rest": lambda t, s: (0, 0, 0), "flee": flee}
    with pytest.raises(art.InconsistentSystem) as caught:
        art.simulate(made.world(), until=1.0, step=0.1, controllers=controllers)
    assert set(caught.value.constraints) == {"a", "b", "left.a", "right.a"}
    kept = caught.value.recording  # type: ignore[attr-defined] # documented in simulate()
    assert kept.times[-1] == pytest.approx(0.5, abs=0.11)
    assert not kept.complete


def test_initial_velocities_are_made_to_fit_and_this_is_told() -> None:
    made = Mechanism("shoved")
    ground = made.ground()
    made.body("arm", (0, -0.5, 0), inertia=(1 / 12, 1, 1 / 12), velocity=(1.0, 1.0, 0))
    made.join("h", "arm", ground, (0, 0.5, 0), kind=REVOLUTE)
    recording = art.simulate(made.world(), until=0.0)
    (event,) = recording.events
    assert event.kind == "start"
    assert event.who == ("arm",)
    # The nearest in the mass metric keeps the moment of momentum about the pin: 0.5 = w / 3.
    assert recording.series("arm.w.z")[0] == pytest.approx(1.5)
    assert recording.series("arm.v")[0] == pytest.approx([0.75, 0, 0], abs=1e-12)


def test_prescribed_bodies_keep_their_velocity() -> None:
    made = Mechanism("towed")
    made.body("tug", (0, 0, 0), size=None, mass=None, motion="prescribed", velocity=(2.0, 0, 0))
    made.body("barge", (0, -0.5, 0))
    made.join("h", "barge", "tug", (0, 0.5, 0))
    recording = art.simulate(made.world(), until=0.0)
    assert recording.series("tug.v")[0] == pytest.approx([2, 0, 0])
    assert np.abs(recording.series("barge.v")[0]).max() > 0.1
