"""Distances of a figure in a room beside coal: nothing missed, the nearest pair, its gradient."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from articulata.errors import KinematicsError
from articulata.geometry.convex_pieces.open_surfaces import is_closed
from articulata.geometry.shapes import (
    Cuboid,
    Cylinder,
    HalfSpace,
    Mesh,
    Placed,
    Sphere,
    Union,
)
from articulata.kinematics.clash import Clash, Clearances, Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import Joint
from articulata.kinematics.library import figure
from clashing import WEDGE, Peer, arm, capsules, kitchen, walker


def drawn(one: Figure, rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.uniform(one.lower, one.upper, (count, one.dof))


@pytest.mark.parametrize("count", [30, pytest.param(20_000, marks=pytest.mark.slow)])
def test_coal_finds_the_same_distances(count: int) -> None:
    rng = np.random.default_rng(7)
    one, room = walker(rng), kitchen(rng)
    clash = Clash(one, room)
    check_by_coal(clash, Peer(clash, one, room), drawn(one, rng, count))


@pytest.mark.parametrize(
    ("own", "count"),
    [
        (False, 20),
        (True, 10),
        pytest.param(False, 20_000, marks=pytest.mark.slow),
        pytest.param(True, 20_000, marks=pytest.mark.slow),
    ],
)
def test_coal_finds_the_same_distances_of_a_person(own: bool, count: int) -> None:
    rng = np.random.default_rng(10)
    one = figure("person")
    shapes, room = capsules(one), kitchen(rng, spread=1.2, free=0.65)
    clash = Clash(one, room, shapes=shapes, own=own)
    q = drawn(one, rng, count)
    if own:
        # a third of the ranges: with all of them a body nearly always touches itself
        q = one.neutral + (q - one.neutral) / 3.0
    check_by_coal(clash, Peer(clash, one, room, shapes), q)


def check_by_coal(clash: Clash, peer: Peer, q: np.ndarray) -> None:
    found = clash.clearances(q)
    theirs = np.array([peer.distance(each) for each in q])
    np.testing.assert_allclose(found.distance, theirs, rtol=0, atol=1e-6)
    assert ((found.distance < 0) == (theirs < 0)).all()
    assert 0.02 < (theirs < 0).mean() < 0.98


def test_batches_and_bounds_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    one, room = walker(rng), kitchen(rng, 20)
    clash = Clash(one, room)
    q = drawn(one, rng, 600)
    whole = clash.clearances(q, gradient=True)
    monkeypatch.setenv("ARTICULATA_THREADS", "1")
    again = clash.clearances(q, gradient=True)
    for name in ("distance", "pair", "normal", "points", "gradient"):
        assert getattr(whole, name).tobytes() == getattr(again, name).tobytes()
    each = np.array([float(clash.distance(row)) for row in q[:20]])
    assert each.tobytes() == whole.distance[:20].tobytes()
    near = clash.clearances(q, enough=0.05)
    np.testing.assert_array_equal(near.distance, np.minimum(whole.distance, 0.05))
    assert ((near.pair == -1) == (whole.distance >= 0.05)).all()
    np.testing.assert_array_equal(clash.free(q, 0.02), whole.distance > 0.02)
    # the points are as far apart as is said, along the normal
    gap = whole.points[:, 0] - whole.points[:, 1]
    np.testing.assert_allclose(gap, whole.distance[:, None] * whole.normal, atol=1e-9)


def test_gradients_are_the_limits_of_differences() -> None:
    rng = np.random.default_rng(5)
    one, room = walker(rng), kitchen(rng, 30)
    clash = Clash(one, room)
    q = drawn(one, rng, 150)
    found = clash.clearances(q, gradient=True)
    h = 1e-6
    checked = 0
    for k, row in enumerate(q):
        steps = np.concatenate([row + h * np.eye(one.dof), row - h * np.eye(one.dof)])
        beside = clash.clearances(steps)
        # away from ties: the same pair on both sides, and a slope that is one
        smooth = (beside.pair == found.pair[k]).all() and (
            np.abs(beside.normal - found.normal[k]).max() < 1e-3
        )
        if smooth:
            slope = (beside.distance[: one.dof] - beside.distance[one.dof :]) / (2.0 * h)
            np.testing.assert_allclose(found.gradient[k], slope, atol=1e-6)
            checked += 1
    assert checked > 120


def test_reach_bounds_how_far_points_move() -> None:
    rng = np.random.default_rng(6)
    one = walker(rng, 12)
    clash = Clash(one, kitchen(rng, 10), own=False)
    a, b = drawn(one, rng, 400), drawn(one, rng, 400)
    b = a + 0.05 * (b - a)
    change = np.abs(clash.distance(a) - clash.distance(b))
    assert (change <= np.abs(b - a) @ clash.reach + 1e-12).all()


def clearance(one: Figure, q: object, room: Sequence[Obstacle] = ()) -> Clearances:
    return Clash(one, room).clearances(q)


def test_known_distances_and_who_is_left_out() -> None:
    wall = np.eye(4)
    wall[:3, 3] = (0.5, 0.65, 0.0)
    room = [Obstacle("wall", Cuboid(1.0, 1.0, 1.0), wall)]
    found = clearance(arm(), [[0.0, 0.0], [0.0, np.pi / 2]], room)
    np.testing.assert_allclose(found.distance, [0.1, -0.05], atol=1e-12)
    assert found.names(0) == ("Upper", "wall")
    assert found.names(1) == ("Lower", "wall")
    np.testing.assert_allclose(found.normal[0], [0, -1, 0], atol=1e-12)
    # neighbours are never tested, declared pairs neither
    assert clearance(arm(), [0.0, 2.9]).names() is None
    assert np.isinf(clearance(arm(), [0.0, 2.9]).distance)
    spared = Clash(arm(), room, exempt=[("lower", "wall")]).clearances([0.0, np.pi / 2])
    assert spared.names() == ("Upper", "wall")
    ground = np.eye(4)
    ground[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    floor = clearance(arm(), [0.3, 0.2], [Obstacle("floor", HalfSpace(), ground)])
    assert floor.distance == pytest.approx(-0.05)


def test_a_round_obstacle_and_a_hollow_one() -> None:
    post = np.eye(4)
    post[:3, 3] = (1.5, 0.5, 0.0)
    found = clearance(arm(), [0.0, 0.0], [Obstacle("post", Cylinder(0.2, 3.0), post)])
    assert found.distance == pytest.approx(0.5 - 0.2 - 0.05, abs=1e-12)


SHEET = Mesh(
    [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0), (2, 2, 0)],
    [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)],
)


def test_a_surface_without_an_inside_is_an_obstacle() -> None:
    # the limbs lie along x from 0 to 2 with a radius of 0.05
    for place, turn, wanted in (
        ((0.5, -1.0, -0.3), np.eye(3), 0.25),  # beneath, both sides count
        ((0.5, -1.0, 0.3), np.eye(3), 0.25),
        ((0.5, 0.2, 0.0), np.eye(3), 0.15),  # beside its edge, in its plane
        ((0.5, -1.0, 0.0), np.eye(3), -0.05),  # in its plane, within
        # upright across the upper limb, 0.4 m before its end; the lower limb goes on behind
        ((0.6, -2.0, -0.8), np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]), -0.45),
    ):
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = turn, place
        for shape in (SHEET, Union((Placed(SHEET, np.eye(4)), Sphere(1e-9)))):
            room = [Obstacle("sheet", shape, X)]
            found = clearance(arm(), [0.0, 0.0], room)
            assert found.distance == pytest.approx(wanted, abs=1e-7)
            named = found.names()
            assert named is not None
            assert named[1] == "sheet"
    assert not is_closed(SHEET)
    assert is_closed(WEDGE)
    many = np.random.default_rng(0).normal(size=(3 * 5000, 3))
    cloud = Obstacle("cloud", Mesh(many, np.arange(15_000).reshape(-1, 3)))
    with pytest.raises(KinematicsError, match="'cloud' has too many dents or triangles"):
        Clash(arm(), [cloud])


def test_links_that_overlap_in_the_neutral_posture_are_left_out() -> None:
    one = figure("human_upper_body")
    clash = Clash(one)
    assert clash.clearances(one.neutral).distance > 0.0


def test_bad_questions_are_answered_in_words() -> None:
    with pytest.raises(KinematicsError, match="has no shapes to touch with"):
        Clash(Figure([Joint("a")], [-1], name="bare"))
    with pytest.raises(KinematicsError, match="'wal' of an exempt pair is no link"):
        Clash(arm(), exempt=[("upper", "wal")])
    with pytest.raises(KinematicsError, match="is no pose"):
        Obstacle("wall", Cuboid(1, 1, 1), np.zeros((4, 4)))
    with pytest.raises(KinematicsError, match="holds NaN or inf"):
        clearance(arm(), [0.0, np.nan])
    with pytest.raises(KinematicsError, match="has 2 values"):
        clearance(arm(), [0.0])
    # in an empty room the figure itself is asked about, if anything is
    assert np.isinf(Clash(arm()).distance([0.0, 1.0]))
    with pytest.raises(KinematicsError, match="the room is empty"):
        Clash(arm(), own=False)
    with pytest.raises(KinematicsError, match="a room is a list of Obstacle"):
        Clash(arm(), [Cuboid(1, 1, 1)])  # type: ignore[list-item] # on purpose
    with pytest.raises(KinematicsError, match="shape of obstacle 'wall' is 'box'"):
        Obstacle("wall", "box")  # type: ignore[arg-type] # on purpose
    with pytest.raises(KinematicsError, match="a margin is a finite distance"):
        Clash(arm()).free([0.0, 1.0], np.nan)
    with pytest.raises(KinematicsError, match="not NaN"):
        Clash(arm()).clearances([0.0, 1.0], enough=np.nan)


def test_distances_far_from_the_origin_are_as_exact() -> None:
    rng = np.random.default_rng(12)
    one, room = walker(rng), kitchen(rng, 20)
    q = drawn(one, rng, 40)
    near = Clash(one, room).clearances(q)
    far = np.eye(4)
    far[:3, 3] = 3e4, -2e4, 1e4
    there = [Obstacle(each.name, each.shape, far @ each.X_WS) for each in room]
    found = Clash(one.with_base(far @ one.base), there).clearances(q)
    np.testing.assert_allclose(found.distance, near.distance, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found.pair, near.pair)
