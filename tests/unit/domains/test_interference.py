"""The interference model: pairs, contacts with their features, gaps, levels, edits, errors."""

from __future__ import annotations

from dataclasses import replace

import coal
import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.interference.interference_domain import (
    InterferenceModel,
    interference_model,
)
from articulata.domains.protocols import POSE, Contact, Domain, Gap
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.convex_pieces.hulls import hulls
from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import (
    Cuboid,
    Cylinder,
    Difference,
    ExtrudedPolygon,
    Intersection,
    Named,
    Placed,
    Shape,
    Sphere,
)
from articulata.geometry.solids import mass_properties
from articulata.records.state import State
from articulata.world.edits.force_edits import Heed, Ignore
from articulata.world.model import World
from articulata.world.writing.worlds import art_text
from placing import random_poses

TEXT = """
primitive part(x = 1, y = 1, z = 1) {{
  properties: (density: 1000)
  geometry: cuboid(x, y, z) where {{ left_end: (-x/2, 0, 0); right_end: (x/2, 0, 0) }}
  dynamics
}}
primitive ball {{ properties: (density: 1000); geometry: sphere(0.5); dynamics }}
primitive can {{ properties: (density: 1000); geometry: cylinder(0.5, 1); dynamics }}
primitive pill {{ properties: (density: 1000); geometry: capsule(0.3, 1); dynamics }}
primitive ground {{ geometry: half_space }}
world test {{
  components
{components}
  structure {{
{structure}
  }}
}}
"""


def world(components: str, structure: str) -> World:
    return art.parse(TEXT.format(components=components, structure=structure)).world("test")


def model_and_poses(components: str, structure: str) -> tuple[InterferenceModel, Array]:
    w = world(components, structure)
    models = build(w, ("geometric", "interference"))
    model = models["interference"]
    assert isinstance(model, InterferenceModel)
    return model, models.start()[POSE]


def names(contact: Contact) -> tuple[str, str]:
    return (f"{contact.body_A}.{contact.feature_A}", f"{contact.body_B}.{contact.feature_B}")


def test_a_stack_touches_face_on_face() -> None:
    model, poses = model_and_poses(
        "floor: ground; one, two: part",
        "place one by one.center at (0, 0.5, 0); place two by two.center at (0.25, 1.5, 0.5)",
    )
    on_floor, on_one = model.contacts(poses)
    assert names(on_floor) == ("floor.top", "one.bottom")
    assert names(on_one) == ("one.top", "two.bottom")
    np.testing.assert_array_equal(on_one.normal, [0, -1, 0])
    assert on_one.polygon is not None
    want = {(-0.25, 1, 0), (0.5, 1, 0), (0.5, 1, 0.5), (-0.25, 1, 0.5)}
    assert {tuple(p) for p in on_one.polygon.round(12)} == want
    # counterclockwise about the normal
    a, b, c = on_one.polygon[:3]
    assert np.cross(b - a, c - b) @ on_one.normal > 0
    np.testing.assert_allclose(on_one.gaps, 0, atol=1e-15)


def test_features_by_what_faces_what() -> None:
    model, poses = model_and_poses(
        "floor: ground; b: ball; c: can; p: pill; box: part(4, 1, 4)",
        """
        place box by box.center at (0, -0.5, 0)
        place b by b.center at (0, 0.5, 0)
        place c by c.center at (0, 1.5, 0)
        place p by p.center at (-1.5, 0.3, 0)
        ignore floor with box
        """,
    )
    known = {names(c): c for c in model.contacts(poses)}
    # the can lies on its side, along z, on the ball and over it
    assert ("b.surface", "box.top") in known
    assert ("b.surface", "c.wall") in known
    lying = known[("p.wall", "box.top")]
    assert lying.points.shape == (2, 3)
    assert lying.polygon is None
    np.testing.assert_allclose(np.sort(lying.points[:, 2]), [-0.5, 0.5])
    assert all(abs(c.gap) < 1e-12 for c in known.values() if c.body_A != "floor")


def test_a_cap_that_lies_flat_is_a_polygon() -> None:
    turned = make_pose(Rotation.from_axis_angle((1, 0, 0), np.pi / 2), (0, 0.5, 0))
    model, poses = model_and_poses("floor: ground; c: can", "place c by c.center at (0, 0.5, 0)")
    (row,) = [np.append(turned[:3, 3], Rotation.from_matrix(turned[:3, :3]).to_quaternion())]
    poses[1] = row
    (contact,) = model.contacts(poses)
    assert names(contact) == ("floor.top", "c.front")
    assert contact.polygon is not None
    np.testing.assert_allclose(np.hypot(contact.points[:, 0], contact.points[:, 2]), 0.5)


def test_neighbours_in_a_hinge_and_ignored_pairs_are_not_tested() -> None:
    model, _ = model_and_poses(
        "a, b, c, d: part",
        """
        place a by a.center at (0, 0, 0)
        join b to a with pin(axis: z) matching (left_end, right_end)
        place c by c.center at (0, 5, 0); place d by d.center at (0, 9, 0)
        ignore c with d
        """,
    )
    assert model.pairs == (("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"))
    again = Heed("c", "d")
    after = again.apply(model.world)
    state = State(0.0, {})
    heeding, _ = model.transfer(again, state, after, {})
    assert ("c", "d") in heeding.pairs
    assert heeding.pieces is model.pieces
    assert ("c", "d") not in model.pairs
    ignoring = Ignore("a", "c")
    assert ("a", "c") not in heeding.transfer(ignoring, state, ignoring.apply(after), {})[0].pairs


def test_levels_count_their_tests() -> None:
    model, poses = model_and_poses(
        "a, b, c: part",
        "place b by b.center at (1.2, 1.2, 0); place c by c.center at (50, 0, 0)",
    )
    assert model.contacts(poses) == ()
    tally = model.tally
    assert (tally["spheres"].tests, tally["spheres"].hits) == (3, 1)
    assert (tally["boxes"].tests, tally["boxes"].hits) == (1, 0)
    assert tally["pieces"].tests == 0


LEVELS = """
primitive frame {
  properties: (density: 1000)
  geometry: difference(cuboid(1, 1, 1), cylinder(0.3, 2))
  dynamics
  interference: LEVELS
}
primitive peg { properties: (density: 1000); geometry: cylinder(0.2, 3); dynamics }
primitive ghost { properties: (density: 1000); geometry: sphere(1); interference: none; dynamics }
world test {
  components f: frame; p: peg; g: ghost
  structure { place p by p.center at (0, 0, 0); place f by f.center at (0, 0, 0) }
}
"""


def test_levels_that_a_text_gives_are_tested_first() -> None:
    w = art.parse(LEVELS.replace("LEVELS", "sphere(1), cuboid(1, 1, 1)")).world("test")
    assert art.parse(art_text(w)).world("test") == w
    model = interference_model(w)
    assert model.pairs == (("f", "p"),)
    poses = np.array([[0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0], [9, 9, 9, 1, 0, 0, 0.0]])
    assert model.contacts(poses) == ()
    # past the sphere, past the cuboid
    for x, given in ((3.0, [(2, 1), (1, 1)]), (0.8, [(3, 2), (2, 1)])):
        poses[1, 0] = x
        assert model.contacts(poses) == ()
        tally = model.tally
        assert [(tally[f"given {k}"].tests, tally[f"given {k}"].hits) for k in (1, 2)] == given
    poses[1, 0] = 0.1
    found = model.contacts(poses)
    # the peg is longer than the bore: its ends meet the peg's wall
    assert {c.feature_A for c in found} == {"part1.back/part2.wall", "part1.front/part2.wall"}
    assert interference_model(art.parse(LEVELS.replace("LEVELS", "levels")).world("test")).pairs


def test_a_level_must_hold_its_body() -> None:
    w = art.parse(LEVELS.replace("LEVELS", "sphere(0.8)")).world("test")
    with pytest.raises(ModelError, match=r"'f': level 1 of its interference does not hold"):
        interference_model(w)


def test_near_pairs_are_those_of_coals_tree() -> None:
    n = 60
    w = world("b[1..60]: part", "")
    model = interference_model(w)
    rng = np.random.default_rng(0)
    poses = random_poses(rng, n, 2.0)
    manager = coal.DynamicAABBTreeCollisionManager()
    items = []
    for row in poses:
        R = Rotation.from_quaternion(row[3:]).to_matrix()
        items.append(coal.CollisionObject(coal.Box(1, 1, 1), coal.Transform3s(R, row[:3])))
        items[-1].computeAABB()
        manager.registerObject(items[-1])
    manager.setup()
    count = coal.CollisionCallBackCollect(10_000)
    manager.collide(count)
    near = model.near(poses, 0.0)
    assert len(near) == count.numCollisionPairs() > 50
    touching = {(c.body_A, c.body_B) for c in model.contacts(poses)}
    assert touching <= set(near)


GAPS = {
    "corner over a face": ("one, two: part", np.pi / 5),
    "edge over an edge": ("one, two: part", np.pi / 4),
    "ball over a face": ("one: part; two: ball", 0.4),
    "can over a face": ("one: part; two: can", 0.4),
    "pill over a face": ("one: part; two: pill", 0.4),
}


@pytest.mark.parametrize("case", GAPS)
def test_gaps_go_on_smoothly_and_have_rates(case: str) -> None:
    components, tilt = GAPS[case]
    model, poses = model_and_poses(components, "place two by two.center at (0, 2, 0)")
    R = Rotation.from_axis_angle((0, 0, 1), tilt)
    if case == "edge over an edge":
        R = Rotation.from_axis_angle((0, 0, 1), tilt)
        poses[0, 3:] = Rotation.from_axis_angle((1, 0, 0), np.pi / 4).to_quaternion()
    else:
        R = R @ Rotation.from_axis_angle((1, 0.2, 0), 0.7)
    poses[1, 3:] = R.to_quaternion()
    poses[1, 1] -= model.separation(poses, "one", "two")
    (contact,) = model.contacts(poses, margin=1e-6)
    gap = model.gap(contact)
    assert isinstance(gap, Gap)
    assert gap.value(poses) == pytest.approx(contact.gap, abs=1e-14)
    velocities = np.random.default_rng(1).normal(size=(2, 6))

    def moved(t: float) -> Array:
        out = poses.copy()
        for row, v in zip(out, velocities, strict=True):
            row[:3] += t * v[:3]
            turn = Rotation.from_rotation_vector(t * v[3:])
            row[3:] = (turn @ Rotation.from_quaternion(row[3:])).to_quaternion()
        return out

    h = 1e-5
    numeric = (gap.value(moved(h)) - gap.value(moved(-h))) / (2 * h)
    assert gap.rate(poses, velocities) == pytest.approx(numeric, abs=1e-8)
    # signed: it goes on through touching
    assert gap.value(moved(1e-3)) * gap.value(moved(-1e-3)) < 0


BENT = ExtrudedPolygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], 1)
SLOT = Difference(
    Named("block", Cuboid(3, 1, 1)),
    Named("slot", Placed(Cuboid(1, 1, 2), make_pose(Rotation.identity(), (0, 0.5, 0)))),
)


SLAB = Intersection([Cuboid(1, 1, 1), Cuboid(2, 0.5, 2)])


@pytest.mark.parametrize("shape", [BENT, SLOT, SLAB], ids=["bent", "slot", "slab"])
def test_solids_of_flat_faces_are_cut_into_convex_pieces(shape: Shape) -> None:
    from scipy.spatial import ConvexHull

    pieces = hulls(shape)
    assert pieces is not None
    volume = sum(ConvexHull(piece.vertices).volume for piece in pieces)
    assert volume == pytest.approx(mass_properties(shape, 1.0).volume, rel=1e-12)
    for piece in pieces:
        assert len(piece.vertices) - len(piece.edges) + len(piece.normals) == 2
        for n, ring in zip(piece.normals, piece.rings, strict=True):
            a, b, c = piece.vertices[list(ring[:3])]
            assert np.cross(b - a, c - b) @ n > 0
            assert np.max((piece.vertices - a) @ n) < 1e-12


def test_a_block_in_a_slot_touches_the_slot() -> None:
    pieces = hulls(SLOT)
    assert pieces is not None
    floors = [piece for piece in pieces if "slot.bottom" in piece.face_names]
    assert len(floors) == 1
    # the posts beside the slot are cut off the floor
    assert any("inside" in piece.face_names for piece in pieces)


def test_a_round_hole_is_met_as_it_is_and_pieces_behind_it_say_how_far() -> None:
    drilled = Difference(Named("block", Cuboid(1, 1, 1)), Named("hole", Cylinder(0.2, 2)))
    pieces = hulls(drilled)
    assert pieces is not None
    off = max(piece.deviation for piece in pieces)
    # planes a thousandth behind the wall, at whose corners a circle's 48th part ends
    assert off == pytest.approx(0.2 * (1.001 / np.cos(np.pi / 48) - 1))
    assert {"hole.wall", "block.top"} <= {name for piece in pieces for name in piece.face_names}
    w = world("a: part; b: ball", "place b by b.center at (9, 0, 0)")
    body = w.bodies["a"]
    changed = replace(w, bodies={**w.bodies, "a": replace(body, shape=drilled)})
    model = interference_model(changed)
    assert model.approximate == {"a": off}
    # a small ball in the hole, almost as wide
    small = replace(w.bodies["b"], shape=Sphere(0.19))
    model = interference_model(replace(changed, bodies={**changed.bodies, "b": small}))
    poses = np.array([[0, 0, 0, 1, 0, 0, 0], [0, 0, 0.1, 1, 0, 0, 0.0]])
    assert model.separation(poses, "a", "b") == pytest.approx(0.01, abs=1e-15)
    poses[1, :3] = (0.0099 * np.cos(0.3), 0.0099 * np.sin(0.3), 0.1)
    contact = min(model.contacts(poses, margin=1e-3), key=lambda c: c.gap)
    assert (contact.feature_A, contact.feature_B) == ("hole.wall", "surface")
    assert contact.gap == pytest.approx(1e-4, abs=1e-15)
    out = np.array([np.cos(0.3), np.sin(0.3), 0])
    np.testing.assert_allclose(contact.normal, out, atol=1e-12)
    np.testing.assert_allclose(contact.points[0], (0.2 - 0.5e-4) * out + [0, 0, 0.1], atol=1e-12)
    gap = model.gap(contact)
    velocities = np.zeros((2, 6))
    velocities[1, 0] = 1.0
    assert gap.value(poses) == pytest.approx(1e-4, abs=1e-15)
    assert gap.rate(poses, velocities) == pytest.approx(-np.cos(0.3), abs=1e-12)


@pytest.mark.slow
def test_a_solid_of_too_many_pieces_is_said_to_be_untested() -> None:
    aside = make_pose(Rotation.identity(), (0.1, 0, 0))
    dents = Difference(Cuboid(1, 1, 1), (Sphere(0.2), Placed(Sphere(0.2), aside)))
    assert hulls(dents) is None


def test_a_kinematic_run_meets_what_the_dynamic_run_meets() -> None:
    text = TEXT.replace("dynamics }}", "dynamics }}", 1).replace(
        "primitive ball {{", "primitive pusher {{ geometry: cuboid(1, 1, 1); "
        "properties: (density: 1000); control: acceleration = push; dynamics }}\nprimitive ball {{"
    )  # fmt: skip
    w = art.parse(
        text.format(
            components="p: pusher; b: part; floor: ground",
            structure="place p by p.center at (-2, 0.5, 0); place b by b.center at (0, 0.5, 0)",
        )
    ).world("test")
    model = interference_model(w)

    def push(t: float, sensed: object) -> tuple[tuple[float, float, float], ...]:
        return ((8.0, 0.0, 0.0), (0.0, 0.0, 0.0))

    met = []
    for domains in (("geometric", "control", "interference"), None):
        recording = art.simulate(
            w, until=0.6, step=0.05, controllers={"push": push}, domains=domains
        )
        first = None
        for t in recording.times:
            poses = recording.state(t).arrays[POSE]
            for contact in model.contacts(poses, pair=("p", "b")):
                first = first or (round(float(t), 9), contact.feature_A, contact.feature_B)
        met.append(first)
    assert met[0] == met[1] == (0.5, "right", "left")


def test_first_contact_of_a_falling_ball() -> None:
    model, poses = model_and_poses("floor: ground; b: ball", "place b by b.center at (0, 1.5, 0)")

    def falling(t: float) -> Array:
        out = poses.copy()
        out[1, 1] = 1.5 - 0.5 * 9.81 * t * t
        return out

    bounds = np.array([[0, 0], [10, 0.0]])
    found = model.first_contact(falling, (0.0, 1.0), bounds)
    assert found is not None
    # h = 1 m: reference/newton, dynamics checks
    assert found.time == pytest.approx(0.4515236409857309, abs=1e-15)
    assert (found.body_A, found.body_B) == ("floor", "b")
    assert model.first_contact(falling, (0.0, 0.45), bounds) is None
    assert model.first_contact(falling, (0.0, 1.0), bounds, pairs=[]) is None


def test_a_touch_too_short_to_be_sampled_is_found() -> None:
    # balls pass each other, overlapping by 1e-7 m for some 0.1 ms
    model, poses = model_and_poses("a, b: ball", "place b by b.center at (3, 0, 0)")
    near = 1.0 - 1e-7

    def passing(t: float) -> Array:
        out = poses.copy()
        out[0, :3] = (3.0 + 10 * (t - 0.5), near, 0.0)
        return out

    found = model.first_contact(passing, (0.0, 1.0), np.array([[10.0, 0], [0, 0]]))
    assert found is not None
    # (10 (t - 1/2))^2 + near^2 = 1
    assert found.time == pytest.approx(0.5 - np.sqrt(1 - near * near) / 10, abs=1e-12)
    near = 1.0 + 1e-7
    assert model.first_contact(passing, (0.0, 1.0), np.array([[10.0, 0], [0, 0]])) is None


def test_what_cannot_be_answered_is_said() -> None:
    model, poses = model_and_poses("a, b: part", "place b by b.center at (3, 0, 0)")
    with pytest.raises(ModelError, match="no body 'c'"):
        model.separation(poses, "a", "c")
    bad = poses.copy()
    bad[1, 2] = np.nan
    with pytest.raises(ModelError, match="body 'b' holds NaN"):
        model.contacts(bad)
    with pytest.raises(ModelError, match="the shape given is"):
        model.contacts(poses[:1])
    with pytest.raises(ModelError, match="bounds of speed"):
        model.first_contact(lambda t: poses, (0, 1), np.zeros((1, 2)))


def test_the_domain_is_found_by_its_name() -> None:
    models = build(world("a: part", ""), ("interference",))
    assert isinstance(models.domains[0], Domain)
    assert models.channels == ()
