"""Figures that stand in worlds: derived bodies and hinges, upright, placed, posed."""

import numpy as np
import pytest

import articulata as art
from articulata.geometry.poses import inverse_pose
from articulata.kinematics.assembly.hinge_rows import hinge_rows
from articulata.world.collision_pairs import meeting_pairs
from articulata.world.edits.figure_edits import AddFigure, RemoveFigure
from articulata.world.edits.transaction import inverse_of
from articulata.world.plain_data import from_data, to_data
from articulata.world.world_files import LIBRARY
from articulata.world.writing.worlds import art_text

FIGURES = sorted(art.figures())
C, S = float(np.cos(0.35)), float(np.sin(0.35))
TURN = f"quaternion({C!r}, {0.6 * S!r}, 0, {0.8 * S!r})"


def world_of(name, *, gravity="(0, -9.81, 0)", place="", more="", components="", head=""):
    return art.parse(
        f"{head}\nworld room {{\ngravity: {gravity}\ncomponents {{ one: {name} {components} }}\n"
        f"structure {{ {place}\n{more} }}\n}}",
    ).world("room")


def body_matrix(body):
    return body.pose.matrix()


@pytest.mark.parametrize("name", FIGURES)
def test_links_of_a_standing_figure_are_where_its_tree_says(name):
    alone = art.figure(name)
    rng = np.random.default_rng(5)
    low, high = np.maximum(alone.lower, -4.0), np.minimum(alone.upper, 4.0)
    q = low + rng.random(alone.dof) * (high - low)
    said = [f'"{j}" = {v!r}' for j, v in zip(alone.names, q.tolist(), strict=True)]
    place = f"place one by {', '.join([f'pose = ((1, 2, 3), {TURN})', *said])}"
    world = world_of(name, place=place)
    figure = art.figure(world, "one")
    node = world.figures["one"]
    start = figure.vector(node.values)
    np.testing.assert_allclose(start, q, atol=1e-15)
    X_WL = dict(zip((j.name for j in figure.joints), figure.poses(start), strict=True))
    assert node.carriers
    for id, joint in node.carriers.items():
        expected = X_WL[joint] if joint else figure.base
        np.testing.assert_allclose(body_matrix(world.bodies[id]), expected, atol=1e-12)
    # every row of every derived hinge is met: an independent statement of the same joint
    index = {id: k for k, id in enumerate(world.bodies)}
    rows = hinge_rows(list(world.hinges.values()), index, np.zeros((len(index) + 1, 3)))
    assert bool(len(rows.owner)) == bool(world.hinges)
    for hinge in world.hinges.values():
        X_WA = body_matrix(world.bodies[hinge.body_a]) @ hinge.frame_a.matrix()
        X_WB = body_matrix(world.bodies[hinge.body_b]) @ hinge.frame_b.matrix()
        X_BA = inverse_pose(X_WB) @ X_WA
        for row in hinge.kind.rows:
            p = X_BA[:3, :3] @ row.point + X_BA[:3, 3]
            gap = (p - row.surface.point) @ np.array(row.surface.normal)
            assert abs(gap) < 1e-9, (hinge.id, row)


@pytest.mark.parametrize(
    ("name", "gravity"),
    [(name, "(0, -9.81, 0)") for name in FIGURES]
    + [(name, way) for name in ("jack", "hexapod") for way in ("(0, 0, -1.62)", "(0, 0, 0)")],
)
def test_a_figure_stands_upright(name, gravity):
    world = world_of(name, gravity=gravity, place="place one by one.base at (3, 2, 1)"
                     if "base" in world_of(name).bodies else "")  # fmt: skip
    up = {"(0, 0, -1.62)": (0, 0, 1)}.get(gravity, (0, 1, 0))
    R = world.figures["one"].stand.matrix()[:3, :3]
    np.testing.assert_allclose(R @ art.figure(name).up, up, atol=1e-15)


def test_a_landmark_is_placed_and_turned():
    world = world_of(
        "human_upper_body",
        place='place one by one."right hand" at (1, 0, 2) turned 90 deg about y,'
        " r_elbow_flexion = 30 deg",
    )
    figure = art.figure(world, "one")
    q = figure.vector(world.figures["one"].values)
    at = figure.place_pose(q, "right hand") if hasattr(figure, "place_pose") else None
    ref = world.bodies["one.r_hand"]
    X = ref.pose.matrix() @ ref.features["right hand"].pose.matrix()
    np.testing.assert_allclose(X[:3, 3], (1, 0, 2), atol=1e-12)
    if at is not None:
        np.testing.assert_allclose(X, at, atol=1e-12)
    np.testing.assert_allclose(
        world.figures["one"].stand.matrix()[:3, :3], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-12
    )


def test_postures_and_later_values():
    world = world_of("manutec_r3", place='place one by posture = "reference start", r2 = 10 deg')
    values = {name: round(np.degrees(v), 9) for name, v in world.figures["one"].values.items()}
    assert values == {"r1": -60, "r2": 10, "r3": 90, "r4": 0, "r5": -110, "r6": 0}


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("place one by r9 = 3 deg", "no joint 'r9'"),
        ("place one by posture = walking", "no posture 'walking'"),
        ("place one by load = 3 deg", "'load' of figure 'manutec_r3' is fixed"),
        ("place one by r1 = 3 m", "angle"),
        ("place one by one.elbow at (0, 0, 0)", "no component 'elbow'"),
    ],
)
def test_what_is_wrong_with_a_placed_figure(place, words):
    with pytest.raises(art.WorldError, match=words):
        world_of("manutec_r3", place=place)


def test_a_value_beyond_a_limit():
    with pytest.raises(art.WorldError, match=r"from 0 deg to 150 deg; 170 deg lies beyond"):
        world_of("human_upper_body", place="place one by r_elbow_flexion = 170 deg")


def test_a_cup_is_welded_to_a_hand():
    text = (LIBRARY / "figures" / "manutec_r3.art").read_text(encoding="utf-8")
    text += """
    primitive cup {
      geometry: cylinder(4 cm, 10 cm) where { frame handle: (0.1, 0, 0) turned 30 about x }
      dynamics: (mass: 1) }
    world room { components { one: manutec_r3; cup: cup }
      structure { place one by posture = "reference end"
        join cup.handle to one.flange with weld as held } }
    """
    world = art.parse(text).world("room")
    figure = art.figure(world, "one")
    q = figure.vector(world.figures["one"].values)
    X_WF = figure.poses(q)[figure.index("r6")]
    cup = world.bodies["cup"]
    np.testing.assert_allclose(
        cup.pose.matrix() @ cup.features["handle"].pose.matrix(), X_WF, atol=1e-12
    )


@pytest.mark.parametrize("name", FIGURES)
def test_a_world_with_a_figure_is_written_and_read_back(name):
    world = world_of(name, place=f"place one by pose = ((1, 2, 3), {TURN})")
    again = art.parse(art_text(world)).world("room")
    assert again == world
    assert again.figures["one"] == world.figures["one"]
    assert "_link" not in art_text(world)


def carrying():
    """Return a world in which a person holds a mug that is pulled at and ignored."""
    return world_of(
        "human_upper_body",
        place='place one by one."right hand" at (1, 0, 2), r_elbow_flexion = 0.5,'
        " velocity = ((1, 0, 0) (0, 0, 1)), properties: (fixed)",
        more="place one.skull by properties: (color: green)\n"
        "ignore one with cup\n"
        'join cup to one."right hand" with weld as held\n'
        "force pull between cup.center and one.skull_tip = 3 N",
        components="; cup: mug",
        head="primitive mug { geometry: cylinder(4 cm, 9 cm)\ndynamics: (mass: 0.3) }",
    )


def test_what_is_said_of_links_is_written_too():
    world = carrying()
    assert world.bodies["one.skull"].color == "green"
    assert world.bodies["one.pelvis"].motion == "fixed"
    assert world.bodies["one.thorax"].motion == "free"
    assert art.parse(art_text(world)).world("room") == world


def test_a_figure_leaves_and_comes_back_bit_for_bit():
    world = carrying()
    edits = (RemoveFigure("one"),)
    without = world.edit(edits)
    assert set(without.bodies) == {"cup"}
    assert not without.hinges
    assert not without.forces
    assert not without.figures
    assert not without.ignored
    back = inverse_of(world, edits)
    again = without.edit(back)
    assert again == world
    assert list(again.bodies) == list(world.bodies)
    assert from_data(to_data(edits)) == edits
    assert again.edit(inverse_of(without, back)) == without


def test_a_figure_enters_as_a_whole():
    node = world_of("manutec_r3", place="place one by r2 = 0.3").figures["one"]
    empty = art.parse("world room { gravity: (0, -9.81, 0) }").world()
    world = empty.edit([AddFigure(node)])
    assert world == world_of("manutec_r3", place="place one by r2 = 0.3")
    assert world.edit(inverse_of(empty, [AddFigure(node)])) == empty
    with pytest.raises(art.WorldError, match="already has 'one'"):
        world.edit([AddFigure(node)])


def test_a_name_that_is_a_joint_or_a_link_is_found_by_one_resolver():
    world = carrying()
    assert str(world.find("one.r_elbow_flexion.angle")) == "one.r_elbow_flexion.angle"
    assert world.find("one.right hand").kind == "feature"
    assert world.find("one.right hand.x").axis == "x"
    assert world.body("r_forearm").id == "one.r_forearm"


def test_links_of_a_figure_may_strike_each_other_and_what_they_are_joined_to():
    world = world_of(
        "human_upper_body",
        place="place one by properties: (fixed)",
        more="join one.pelvis to table with weld matching (origin, center)",
        components="; table: slab",
        head="primitive slab { geometry: cuboid(1, 0.1, 1)\ndynamics: (mass: 9) }",
    )
    names = list(world.bodies)
    pairs = {frozenset((names[a], names[b])) for a, b in meeting_pairs(world, within=False)}
    hand, arm = "one.r_hand", "one.r_forearm"
    assert frozenset((hand, "one.thorax")) in pairs
    assert frozenset((hand, arm)) not in pairs  # neighbours
    assert frozenset((arm, "table")) in pairs  # not the body that the join names
    assert frozenset(("one.pelvis", "table")) not in pairs
    # a body without a shape stands between them, and they overlap where they rest
    upper = "one.r_upper_arm"
    assert frozenset((upper, "one.thorax")) not in pairs
