"""Balance over supports beside shapely, and what statics says to bad questions."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from articulata.errors import KinematicsError, NameNotFound
from articulata.kernels.chains.dynamics.static_torques import margins
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import PRISMATIC, Joint
from articulata.kinematics.library import figure
from articulata.kinematics.link import Link
from articulata.kinematics.statics import STANDARD_GRAVITY, Load, Push, Statics


def measured(centers: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    out, weights = np.empty(len(centers)), np.empty(points.shape[:2])
    normals = np.empty((len(centers), 2))
    margins(centers, np.ascontiguousarray(points), out, weights, normals)
    return out, weights, normals


def test_margins_are_distances_to_the_hull() -> None:
    rng = np.random.default_rng(3)
    for count in range(1, 9):
        points = rng.normal(size=(200, count, 2))
        points[::4] = points[::4].round(0)  # points on points, points on a line
        if count > 2:
            points[1::4, -1] = 0.5 * (points[1::4, 0] + points[1::4, 1])
        centers = rng.normal(size=(200, 2))
        centers[::8] = points[::8].mean(1)
        found, weights, normals = measured(centers, points)
        for k in range(200):
            hull = shapely.MultiPoint(points[k]).convex_hull
            here = shapely.Point(centers[k])
            away = hull.distance(here) if hull.area == 0.0 else hull.boundary.distance(here)
            inside = hull.area > 0.0 and hull.contains(here)
            assert found[k] == pytest.approx(away if inside else -away, abs=1e-12)
            # the nearest place of the edge, and the way out to it
            edge = weights[k] @ points[k]
            assert weights[k].sum() == pytest.approx(1.0, abs=1e-12)
            assert np.hypot(*(centers[k] - edge)) == pytest.approx(abs(found[k]), abs=1e-12)
            if abs(found[k]) > 1e-9:
                assert normals[k] @ (centers[k] - edge) == pytest.approx(found[k], abs=1e-12)


def crane() -> Figure:
    """A pillar that turns, and a trolley on its boom, over four feet 1 m from the middle."""
    X = np.eye(4)
    X[:3, :3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]  # z of the boom along x
    joints = [Joint("pillar"), Joint("trolley", PRISMATIC, X_PJ=X, limits=(0.0, 5.0))]
    from articulata.kinematics.figure import Landmark

    feet = {}
    for number, place in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        X_LP = np.eye(4)
        X_LP[:2, 3] = place
        feet[f"foot {number}"] = Landmark("", X_LP)
    return Figure(
        joints,
        [-1, 0],
        name="crane",
        root=Link("base", mass=300.0),
        links={"trolley": Link("trolley", mass=100.0, center=(0.0, 0.0, 0.0))},
        landmarks=feet,
    )


def test_a_crane_tips_where_its_moments_say() -> None:
    ours = Statics(crane(), loads=[Load("trolley", 100.0)])
    feet = ["foot 0", "foot 1", "foot 2", "foot 3"]
    # 500 kg, 200 of them at 2.5 m: the centre is 1 m out, over the edge of the feet
    balance = ours.balance([[0.0, 2.5], [np.pi / 4, 2.5], [0.0, 1.0]], feet)
    np.testing.assert_allclose(balance.margin, [0.0, 1.0 - np.sqrt(0.5), 0.6], atol=1e-12)
    np.testing.assert_allclose(balance.gradient[2], [0.0, -0.4], atol=1e-12)
    np.testing.assert_allclose(ours.center([0.0, 2.5]), [1.0, 0.0, 0.0], atol=1e-12)
    assert ours.mass == 500.0
    np.testing.assert_allclose(ours.torques([0.3, 2.0]), [0.0, 0.0], atol=1e-12)
    sideways = Statics(crane(), gravity=(0.0, STANDARD_GRAVITY, 0.0))
    np.testing.assert_allclose(
        sideways.torques([0.0, 2.0]), [-200.0 * STANDARD_GRAVITY, 0.0], atol=1e-9
    )


def test_a_push_moves_what_the_floor_bears() -> None:
    feet = ["foot 0", "foot 1", "foot 2", "foot 3"]
    q = [0.0, 1.0]
    # 400 kg, 100 of them 1 m out: the centre of mass is 0.25 m out, the edge of the feet 1 m
    assert Statics(crane()).balance(q, feet).margin == pytest.approx(0.75, abs=1e-12)
    down = Statics(crane(), pushes=[Push("trolley", (0.0, 0.0, -100.0 * STANDARD_GRAVITY))])
    assert down.balance(q, feet).margin == pytest.approx(1.0 - 200.0 / 500.0, abs=1e-12)
    # as high as the feet a push aside turns nothing over, below them it does
    aside = Push("trolley", (1000.0, 0.0, 0.0))
    assert Statics(crane(), pushes=[aside]).balance(q, feet).margin == pytest.approx(
        0.75, abs=1e-12
    )
    with pytest.raises(KinematicsError, match="nothing rests on the supports; push less"):
        Statics(crane(), pushes=[Push("trolley", (0.0, 0.0, 5000.0))]).balance(q, feet)


@pytest.mark.parametrize("pushed", [False, True])
def test_the_gradient_of_balance_is_the_limit_of_differences(pushed: bool) -> None:
    one = figure("jack")
    loads = [Load(name, 5.0) for name in one.chains]
    pushes = [Push(name, (30.0, 20.0, -10.0)) for name in one.chains] if pushed else []
    ours = Statics(one, loads=loads, pushes=pushes)
    supports = [*one.chains, one.joints[-1].name, one.joints[2].name]
    rng = np.random.default_rng(5)
    low, high = np.maximum(one.lower, -3.0), np.minimum(one.upper, 3.0)
    q = rng.uniform(low, high, (20, one.dof))
    found = ours.balance(q, supports).gradient
    h = 1e-6
    for j in range(one.dof):
        step = h * np.eye(one.dof)[j]
        up, down = ours.balance(q + step, supports), ours.balance(q - step, supports)
        slope = (up.margin - down.margin) / (2.0 * h)
        np.testing.assert_allclose(found[:, j], slope, atol=1e-7)


def test_bad_questions_are_answered_in_words() -> None:
    one = crane()
    with pytest.raises(NameNotFound, match="no place 'trolly'; did you mean 'trolley'"):
        Statics(one, loads=[Load("trolly", 1.0)])
    with pytest.raises(KinematicsError, match="load in 'trolley' is -1"):
        Load("trolley", -1.0)
    with pytest.raises(KinematicsError, match="load in 'trolley' is nan"):
        Load("trolley", float("nan"))
    with pytest.raises(KinematicsError, match="three numbers in N"):
        Push("trolley", (1.0, float("inf"), 0.0))
    with pytest.raises(KinematicsError, match="has no masses; give loads or pushes"):
        Statics(figure("jack"))
    with pytest.raises(KinematicsError, match="gravity is three numbers"):
        Statics(one, gravity=9.81)
    ours = Statics(one)
    with pytest.raises(KinematicsError, match="holds NaN or inf"):
        ours.torques([[0.0, 1.0], [float("nan"), 1.0]])
    with pytest.raises(KinematicsError, match="rates are finite numbers of the shape of q"):
        ours.inverse_dynamics([0.0, 1.0], [0.0], [0.0, 0.0])
    with pytest.raises(KinematicsError, match="needs a list of places"):
        ours.balance([0.0, 1.0], [])
    with pytest.raises(NameNotFound, match="foot 9"):
        ours.balance([0.0, 1.0], ["foot 9"])
    room = [(-0.5, -2, 0), (2, -2, 0), (2, 2, 0), (-0.5, 2, 0)]
    assert ours.balance([0.0, 1.0], ["foot 0", "foot 3"], floor=room).margin < 0.0
    with pytest.raises(KinematicsError, match="support 'foot 1' of 'crane' is not over the floor"):
        ours.balance([0.0, 1.0], ["foot 0", "foot 1"], floor=room)
    with pytest.raises(KinematicsError, match="three or more corners"):
        ours.balance([0.0, 1.0], ["foot 0"], floor=room[:2])
    with pytest.raises(KinematicsError, match="nothing needs support"):
        Statics(one, gravity=(0, 0, 0)).balance([0.0, 1.0], ["foot 1"])


def test_an_empty_batch_and_one_posture_keep_their_shapes() -> None:
    ours = Statics(crane())
    assert ours.torques(np.empty((0, 2))).shape == (0, 2)
    assert ours.torques([0.0, 1.0]).shape == (2,)
    assert ours.energy([0.0, 1.0]).shape == ()
    assert ours.torque_gradient(np.zeros((2, 3, 2))).shape == (2, 3, 2, 2)
    assert ours.balance(np.zeros((2, 3, 2)), ["foot 1"]).margin.shape == (2, 3)
