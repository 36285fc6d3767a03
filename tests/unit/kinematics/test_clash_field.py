"""Fields of a room's distances: they say what the exact test says, and mostly alone."""

from __future__ import annotations

import numpy as np

from articulata.geometry.shapes import Capsule, Cuboid, HalfSpace, Sphere
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.clash_field import ClashField, RoomField
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import Joint, about
from articulata.kinematics.link import Link, Part

Array = np.ndarray

LOW, HIGH = np.array([-2.0, -2.0, 0.0]), np.array([2.0, 2.0, 2.0])


def walker() -> Figure:
    """A cuboid that moves over a floor, with an arm."""
    along, aside = about((1.0, 0.0, 0.0)), about((0.0, 1.0, 0.0))
    joints = [
        Joint("x", "prismatic", along, along.T, limits=(-3.0, 3.0)),
        Joint("y", "prismatic", aside, aside.T, limits=(-3.0, 3.0)),
        Joint("turn", "revolute", limits=(-7.0, 7.0), link="trunk"),
        Joint("shoulder", "revolute", _at(0.1, 1.2) @ aside, limits=(-3.0, 3.0), link="arm"),
    ]
    links = {
        "turn": Link("trunk", collisions=(Part(Cuboid(0.3, 0.5, 1.2), _at(0.0, 0.8)),)),
        "shoulder": Link("arm", collisions=(Part(Capsule(0.05, 0.5), _at(0.25, 0.0)),)),
    }
    return Figure(joints, [-1, 0, 1, 2], name="walker", links=links)


def _at(x: float, z: float) -> Array:
    X = np.eye(4)
    X[:3, 3] = (x, 0.0, z)
    return X


def room() -> list[Obstacle]:
    turned = np.eye(4)
    turned[:2, :2] = [[0.8, -0.6], [0.6, 0.8]]
    turned[:3, 3] = (0.9, 0.2, 0.5)
    return [
        Obstacle("cupboard", Cuboid(0.6, 0.4, 1.0), turned),
        Obstacle("lamp", Capsule(0.1, 0.4), _at(-1.0, 1.5)),
    ]


def test_field_and_exact_test_agree_and_few_postures_stay_open() -> None:
    clash = Clash(walker(), room(), own=False)
    field = ClashField(clash, RoomField(LOW, HIGH))
    assert field.useful
    rng = np.random.default_rng(1)
    own = np.column_stack([np.zeros((40, 3)), rng.uniform(-3.0, 3.0, 40)])
    row = rng.integers(40, size=3000)
    # bases beyond the field's edge too
    base = rng.uniform((-2.5, -2.5, -3.0), (2.5, 2.5, 3.0), (3000, 3))
    asked: list[int] = []

    def whole(some: Array) -> Array:
        asked.append(len(some))
        return np.column_stack([base[some], own[row[some], 3:]])

    found = field.free(field.frames(own), row, base, whole)
    exact = clash.free(np.column_stack([base, own[row, 3:]]))
    assert 0.2 < exact.mean() < 0.95
    np.testing.assert_array_equal(found, exact)
    assert sum(asked) < 0.5 * len(row)


def test_a_field_says_where_it_is_of_no_use() -> None:
    endless = Clash(walker(), [Obstacle("ground", HalfSpace())], own=False)
    assert not ClashField(endless, RoomField(LOW, HIGH)).useful


def test_things_at_the_same_place_share_a_field() -> None:
    shared = RoomField(LOW, HIGH)
    first, second = (ClashField(Clash(walker(), room(), own=False), shared) for _ in range(2))
    assert first.useful
    assert second.useful
    assert len(shared._fields) == 1


def test_a_ball_shares_no_field_with_the_box_about_it() -> None:
    shared = RoomField(LOW, HIGH)
    for shape in (Cuboid(0.4, 0.4, 0.4), Sphere(0.2)):
        clash = Clash(walker(), [Obstacle("thing", shape, _at(0.8, 0.9))], own=False)
        field = ClashField(clash, shared)
        pieces = np.flatnonzero((clash.tested.numbers >= 0).any(axis=1))
        inside = shared.of(clash, pieces)[..., 1] < 0.0
        assert inside.any() == isinstance(shape, Cuboid)
        assert field.useful
