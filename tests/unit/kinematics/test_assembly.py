from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from articulata.errors import AssemblyError
from articulata.kinematics.assembly.assembling import assemble, gaps
from articulata.world.hinges import (
    BALL,
    CYLINDRICAL,
    PLANAR,
    POINT_ON_SURFACE,
    PRISMATIC,
    REVOLUTE,
    UNIVERSAL,
    WELD,
    HingeKind,
    PointOnSurface,
    SphereSurface,
    screw,
)
from articulata.world.model import FeatureRef, Placement, World
from articulata.world.values import Pose
from mechanisms import Mechanism, chain, four_bar, out_of_place, turn

ROD = HingeKind("rod", (PointOnSurface((0, 0, 0), SphereSurface(1.0)),))


def worst(world: World) -> float:
    return max(gaps(world).values())


def pair(kind: HingeKind) -> World:
    made = Mechanism("pair")
    ground = made.ground()
    made.body("arm", (0.2, -0.3, 0.1))
    made.join("h", "arm", ground, (0, 0.5, 0), (0, 0, 1), kind, turn((1, 2, 3), 0.4))
    return made.world()


def slider_crank() -> World:
    made = Mechanism("slider-crank")
    ground = made.ground()
    made.body("crank", (0.5, 0, 0))
    made.body("rod", (2.0, 0.3, 0))
    made.body("piston", (3.5, 0.2, 0.1))
    made.join("h1", "crank", ground, (-0.5, 0, 0), (0, 0, 0), REVOLUTE)
    made.join("h2", "rod", "crank", (-1.25, 0, 0), (0.5, 0, 0), REVOLUTE)
    made.join("h3", "piston", "rod", (0, 0, 0), (1.25, 0, 0), REVOLUTE)
    along = turn((0, 1, 0), np.pi / 2)
    made.join("h4", "piston", ground, (0, 0, 0), (0, 0, 0), PRISMATIC, along, along)
    return made.world()


def platform() -> World:
    """Six legs of fixed length between a base and a plate (a Stewart platform)."""
    made = Mechanism("platform")
    ground = made.ground()
    made.body("plate", (0.0, 1.0, 0.0))
    leg = HingeKind("leg", (PointOnSurface((0, 0, 0), SphereSurface(1.3)),))
    for k in range(6):
        a, b = np.pi / 3 * k + 0.3 * (-1) ** k, np.pi / 3 * k - 0.3 * (-1) ** k
        top = (0.6 * float(np.cos(a)), 0.0, 0.6 * float(np.sin(a)))
        foot = (float(np.cos(b)), 0.0, float(np.sin(b)))
        made.join(f"leg{k}", "plate", ground, top, foot, leg)
    return made.world()


def grid() -> World:
    """Nine links in a net of ball joints with four loops."""
    made = Mechanism("net")
    ground = made.ground()
    for i in range(3):
        for j in range(3):
            made.body(f"n{i}{j}", (float(i), -float(j), 0.0))
    for i in range(3):
        made.join(f"top{i}", f"n{i}0", ground, (0, 0.5, 0), (float(i), 0.5, 0))
        for j in range(2):
            made.join(f"v{i}{j}", f"n{i}{j + 1}", f"n{i}{j}", (0, 0.5, 0), (0, -0.5, 0))
            made.join(f"w{i}{j}", f"n{j + 1}{i}", f"n{j}{i}", (-0.5, 0, 0), (0.5, 0, 0))
    return made.world()


def ring(n: int, kind: HingeKind = BALL) -> World:
    made = Mechanism("ring")
    for k in range(n):
        a = 2 * np.pi * k / n
        made.body(f"r{k}", (float(np.cos(a)), float(np.sin(a)), 0), turn((0, 0, 1), a + np.pi / 2))
    half = float(np.sin(np.pi / n)) * 0.9
    for k in range(n):
        made.join(f"j{k}", f"r{(k + 1) % n}", f"r{k}", (-half, 0, 0), (half, 0, 0), kind)
    return made.world()


def bennett() -> World:
    """Bennett's linkage: four revolute axes, overconstrained in space and yet movable."""
    made = Mechanism("bennett")
    ground = made.ground()
    a, b, alpha = 1.0, 1.5, 0.5
    beta = float(np.arcsin(np.sin(alpha) * b / a))
    for k, length in enumerate((b, a, b)):
        made.body(f"b{k}", (0.5 * k, 0.6, 0.1 * k), size=(length, 0.1, 0.1))
    sides = [("ground", a, alpha), ("b0", b, beta), ("b1", a, alpha), ("b2", b, beta)]
    names = ["ground", "b0", "b1", "b2"]
    for k, (name, length, twist) in enumerate(sides):
        after = names[(k + 1) % 4]
        made.join(
            f"j{k}", after, name, (0, 0, 0), (length, 0, 0), REVOLUTE,
            (1, 0, 0, 0), turn((1, 0, 0), twist),
        )  # fmt: skip
    assert ground
    return made.world()


MECHANISMS = {
    "ball": pair(BALL),
    "revolute": pair(REVOLUTE),
    "prismatic": pair(PRISMATIC),
    "cylindrical": pair(CYLINDRICAL),
    "universal": pair(UNIVERSAL),
    "planar": pair(PLANAR),
    "weld": pair(WELD),
    "screw": pair(screw(0.2)),
    "point on surface": pair(POINT_ON_SURFACE),
    "rod": pair(ROD),
    "ball chain": chain(10).world(),
    "revolute chain": chain(30, REVOLUTE).world(),
    "universal chain": chain(8, UNIVERSAL).world(),
    "four-bar": four_bar(1.0).world(),
    "four-bar of balls": four_bar(1.0, BALL).world(),
    "slider-crank": slider_crank(),
    "platform": platform(),
    "net": grid(),
    "ring of balls": ring(7),
    "ring of pins": ring(6, REVOLUTE),
    "Bennett": bennett(),
    "screw chain": chain(5, screw(0.1)).world(),
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("seed", range(4))
def test_mechanisms_out_of_place_are_assembled(name: str, seed: int) -> None:
    world = out_of_place(MECHANISMS[name], seed, 0.6, 0.4)
    assert worst(world) > 1e-3
    assembled = assemble(world)
    assert worst(assembled) <= 1e-12
    for body, before in zip(assembled.bodies.values(), world.bodies.values(), strict=True):
        if before.placed:
            assert body.pose == before.pose


def test_axes_point_the_same_way_after_a_start_upside_down() -> None:
    made = Mechanism()
    ground = made.ground()
    made.body("arm", (0, 0, 0), turn((1, 0, 0), 3.0))
    made.join("h", "arm", ground, kind=REVOLUTE)
    assembled = assemble(made.world())
    assert assembled.bodies["arm"].pose.matrix()[2, 2] == pytest.approx(1.0, abs=1e-12)


def test_free_orientations_are_kept() -> None:
    made = Mechanism()
    ground = made.ground()
    q = turn((1, 1, 0), 0.7)
    made.body("arm", (5, 5, 5), q)
    made.join("h", "arm", ground, (0, 0.5, 0), (1, 2, 3), BALL)
    arm = assemble(made.world()).bodies["arm"]
    assert arm.pose.orientation == pytest.approx(q, abs=1e-15)


def test_several_groups_and_an_unplaced_one_stays() -> None:
    made = chain(2)
    made.body("lone1", (5, 0, 0))
    made.body("lone2", (9, 1, 0))
    made.join("k", "lone2", "lone1", (0, 0.5, 0), (0, -0.5, 0))
    assembled = assemble(made.world())
    assert assembled.bodies["lone1"].pose.position == (5, 0, 0)
    assert assembled.bodies["lone2"].pose.position == pytest.approx((5, -1, 0))


def test_placements_points_frames_and_coordinates_are_met() -> None:
    made = chain(3, REVOLUTE)
    made.bodies["ground"] = replace(made.bodies["ground"], placed=False)
    made.placements.append(
        Placement(
            "p",
            points=((FeatureRef("ground", "mid"), (1.0, 2.0, 3.0)),),
            coordinates=(("h1", np.pi / 2), ("h3.angle", -2.0)),
        )
    )
    world = assemble(made.world())
    assert worst(world) <= 1e-12
    assert world.bodies["ground"].pose.position == (1, 2, 3)
    assert world.bodies["link1"].pose.position == pytest.approx((1.5, 2, 3), abs=1e-12)
    angle = 2 * np.arctan2(
        world.bodies["link3"].pose.orientation[3], world.bodies["link3"].pose.orientation[0]
    )
    assert angle == pytest.approx(-2.0, abs=1e-12)  # link2 keeps its own orientation


def test_a_placed_end_pulls_the_chain_into_reach() -> None:
    made = chain(4)
    made.placements.append(Placement("p", points=((FeatureRef("link4", "mid"), (2.0, -1.0, 0.5)),)))
    world = assemble(made.world())
    assert worst(world) <= 1e-12
    assert world.bodies["link4"].pose.position == pytest.approx((2, -1, 0.5), abs=1e-12)


def test_a_frame_is_placed_with_its_orientation() -> None:
    made = chain(2)
    q = turn((0, 0, 1), 0.3)
    # The upper end of link2 comes to (0.6, -0.8, 0), as far from the ground as link1 is long.
    middle = (0.6 + 0.5 * float(np.sin(0.3)), -0.8 - 0.5 * float(np.cos(0.3)), 0.0)
    made.placements.append(Placement("p", frames=((FeatureRef("link2", "mid"), Pose(middle, q)),)))
    world = assemble(made.world())
    assert worst(world) <= 1e-12
    assert world.bodies["link2"].pose.position == pytest.approx(middle, abs=1e-12)
    assert world.bodies["link2"].pose.orientation == pytest.approx(q, abs=1e-12)


def test_a_conflict_names_exactly_its_joins() -> None:
    made = Mechanism("gantry")
    ground = made.ground()
    made.body("short1", (0, 0, 0))
    made.body("short2", (1, 0, 0))
    made.body("tail", (1, -1, 0))
    made.join("left", "short1", ground, (-0.5, 0, 0), (0, 0, 0))
    made.join("middle", "short2", "short1", (-0.5, 0, 0), (0.5, 0, 0))
    made.join("right", "short2", ground, (0.5, 0, 0), (3, 0, 0))
    made.join("hung", "tail", "short2", (0, 0.5, 0), (0, -0.5, 0))
    with pytest.raises(AssemblyError) as caught:
        assemble(made.world())
    assert set(caught.value.joins) == {"left", "middle", "right"}
    assert "gap of 0.333 m" in str(caught.value) or "gap of 1 m" in str(caught.value)


def test_two_placements_of_one_body_in_conflict_are_named() -> None:
    made = chain(1)
    made.placements.append(Placement("p", points=((FeatureRef("link1", "mid"), (3.0, 0.0, 0.0)),)))
    with pytest.raises(AssemblyError) as caught:
        assemble(made.world())
    assert set(caught.value.joins) == {"h1", "place link1.mid"}


def test_a_missing_feature_is_named_with_what_may_have_been_meant() -> None:
    made = chain(1)
    made.placements.append(Placement("p", points=((FeatureRef("link1", "tip"), (0, 0, 0)),)))
    with pytest.raises(AssemblyError, match="no feature 'tip'; did you mean 'top'"):
        assemble(made.world())


def test_a_thousand_bodies_assemble() -> None:
    world = out_of_place(chain(1000).world(), 1, 0.5, 0.5)
    assembled = assemble(world)
    assert worst(assembled) <= 1e-12


def test_a_long_chain_between_two_walls_closes() -> None:
    made = chain(200)
    made.placements.append(
        Placement("p", points=((FeatureRef("link200", "mid"), (90.0, -60.0, 0.0)),))
    )
    assert worst(assemble(made.world())) <= 1e-12
