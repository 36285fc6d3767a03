"""Motions to a posture: whose torques change the least, whose feet stay where they stand."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import articulata as art
from articulata.analyses.pose.aims import bound
from articulata.analyses.pose.moving import motion_to
from articulata.analyses.pose.pose_request import asked_of
from articulata.analyses.pose.pose_scene import scene_of
from articulata.analyses.pose.torque_change import torque_change
from articulata.domains.comfort.figure_angles import body_angles
from articulata.errors import KinematicsError
from articulata.geometry.shapes import Sphere
from articulata.sessions.pose_files import places_of
from articulata.world.world_files import shipped


def two_links() -> art.Figure:
    """Return an arm of two links of 1 kg that swings in a vertical plane."""
    along = np.eye(4)
    along[0, 3] = 0.3
    joints = [
        art.Joint("shoulder", limits=(-3.0, 3.0)),
        art.Joint("elbow", X_PJ=along, limits=(-0.2, 2.5)),
    ]
    links = {
        joint.name: art.Link(joint.name, 1.0, (0.15, 0.0, 0.0), 0.01 * np.eye(3))
        for joint in joints
    }
    hand = {"hand": art.Landmark("elbow", along)}
    return art.Figure(joints, [-1, 0], name="arm", links=links, landmarks=hand)


def test_torques_change_the_least_that_any_such_motion_can() -> None:
    arm = two_links()
    scene = scene_of(arm, {"hand": [0.3, 0.3, 0.0]}, start=[-1.2, 0.1], gravity=(0.0, -9.81, 0.0))
    goal = np.array([0.9, 1.4])
    _, calm = motion_to(scene, goal, "minimum_torque_change", 0.6)
    _, straight = motion_to(scene, goal, "straight", 0.6)
    np.testing.assert_allclose(calm[[0, -1]], [scene.start, goal], atol=1e-12)
    cost = torque_change(scene, calm, 0.6)
    assert cost < 0.9 * torque_change(scene, straight, 0.6)
    # bumps of one's own, by a method that knows no slopes
    s = np.linspace(0.0, 1.0, len(calm))
    bumps = [(s * (1.0 - s)) ** 3 * 64.0 * s**k for k in range(4)]

    def cost_of(weights: np.ndarray) -> float:
        return torque_change(scene, straight + np.array(bumps).T @ weights.reshape(4, 2), 0.6)

    found = minimize(cost_of, np.zeros(8), method="BFGS")
    assert cost < 1.02 * found.fun


def test_feet_stay_where_they_stand() -> None:
    person = art.figure("person")
    floor = float(person.landmark(person.neutral, "r_heel")[1, 3])
    grip = {"r_grip": [-0.2, floor + 0.6, 0.3]}
    feet = ("l_heel", "l_ball", "r_heel", "r_ball")
    search = art.pose(person, grip, supports=feet, floating=True, points=1)
    front, scene = search.final(), search.judging.scene
    for law in ("straight", "minimum_jerk"):
        _, q = motion_to(scene, front.posture, law, 1.0)
        for name in feet:
            places = scene.figure.landmark(q, name)[:, :3, 3]
            assert np.abs(places - places[0]).max() < 1e-6, law
        assert np.abs(q[-1] - front.posture).max() < 1e-6
        hand = scene.figure.landmark(q, "r_grip")[:, :3, 3]
        if law == "minimum_jerk":
            way = (hand[-1] - hand[0]) / np.linalg.norm(hand[-1] - hand[0])
            off = (hand - hand[0]) - ((hand - hand[0]) @ way)[:, None] * way
            assert np.abs(off).max() < 1e-6


def test_other_laws_are_refused() -> None:
    scene = scene_of(two_links(), {"hand": [0.3, 0.3, 0.0]})
    with pytest.raises(KinematicsError, match="minimum_torque_change"):
        motion_to(scene, scene.start, "by foot", 1.0)
    with pytest.raises(KinematicsError, match="more than 0 s"):
        motion_to(scene, scene.start, "straight", 0.0)


def test_torques_that_change_on_the_way_are_an_objective() -> None:
    arm = two_links()
    scene = scene_of(arm, {"hand": [0.3, 0.3, 0.0]}, start=[-1.2, 0.1], gravity=(0.0, -9.81, 0.0))
    aim = bound(art.Objective("torque change"), scene)
    goals = np.array([[0.9, 1.4], [-0.2, 0.3], [-1.2, 0.1]])
    found = aim.values(goals)
    t = np.linspace(0.0, 1.0, 4001)[:, None]
    shares = (t**3 * (10 - 15 * t + 6 * t * t), 30 * (t * (1 - t)) ** 2,
              60 * t * (1 - t) * (1 - 2 * t))  # fmt: skip
    for goal, value in zip(goals[:2], found[:2], strict=True):
        q, rates, accelerations = (share * (goal - scene.start) for share in shares)
        tau = scene.statics.inverse_dynamics(q + scene.start, rates, accelerations)
        slow = np.sqrt(((np.diff(tau, axis=0) * 4000) ** 2).sum(axis=1).mean())
        assert value == pytest.approx(slow, rel=0.02)
    assert found[2] == 0.0


def test_a_motion_goes_about_what_is_in_the_way() -> None:
    arm, ball = two_links(), np.eye(4)
    ball[0, 3] = 0.62
    room = [art.Obstacle("ball", Sphere(0.06), ball)]
    scene = scene_of(arm, {"hand": [0.3, 0.3, 0.0]}, start=[-0.7, 0.0], room=room, margin=0.01)
    goal = np.array([0.7, 0.0])
    _, q = motion_to(scene, goal, "straight", 1.0)
    np.testing.assert_allclose(q[[0, -1]], [scene.start, goal], atol=1e-9)
    for clash, margin in scene.clashes:
        assert clash.distance(q).min() >= 0.9 * margin - 1e-9
    assert np.abs(np.diff(q, axis=0)).max() < 0.2
    assert np.abs(q[:, 1]).max() > 0.1


# Mean and standard deviation, deg: trunk of experts at the greatest load of the back (Plamondon et
# al. 2010); range of hip and knee of twelve people who lift 13 kg (Reimeir et al. 2023)
PUBLISHED = {"trunk": (54.0, 11.0), "hip": (119.0, 9.0), "knee": (112.8, 27.1)}


@pytest.mark.slow
def test_with_torque_first_a_box_before_him_is_lifted_alike_on_both_sides() -> None:
    """The mirrored lift costs as much, so that nothing asks for a side; 76 degrees were chosen."""
    text = shipped(Path("warehouse")).read_text("utf-8")
    text = text.replace("3 discomfort, lumbar_load, strength", "3 torque, discomfort")
    front = art.pose(art.parse(text).requests[0], points=20).final()
    angles = {name: np.degrees(value) for name, value in front.named().items()}
    sides = [name.removeprefix("l_") for name in angles if name.startswith("l_")]
    assert max(abs(angles[f"l_{name}"] - angles[f"r_{name}"]) for name in sides) < 10.0
    assert all(abs(angles[f"vl3_{name}"]) < 2.0 for name in ("lateral", "rotation"))
    torque = front.values[:, 0]
    assert np.ptp(torque) < 0.1 * torque.min()  # all of them hold the box as well


def test_the_warehouse_s_box_is_lifted_as_people_lift_from_the_floor() -> None:
    request = art.read(shipped(Path("warehouse"))).requests[0]
    asked = asked_of(request)
    scene = asked.scene
    front = art.pose(request, points=20).final()
    assert front.found
    assert front.error.max() < 1e-9
    read = body_angles(scene.figure, front.q, "right", np.array([0.0, 1.0, 0.0]))
    lean = np.degrees(read.trunk_flexion)
    assert (lean < 60.0 + 1e-3).all()
    at = {"trunk": float(lean[front.chosen])}
    for joint in ("hip", "knee"):
        sides = [np.degrees(front.named()[f"{s}_{joint}_flexion"]) for s in "lr"]
        assert abs(sides[0] - sides[1]) < 3.0
        at[joint] = float(np.mean(sides))
    for name, (mean, spread) in PUBLISHED.items():
        assert abs(at[name] - mean) < spread, (name, at[name])
    bases = np.abs(np.degrees(front.q[:, 3:6]))
    assert (bases < 89.0).all()
    assert "L5/S1 is pressed by" in front.summary()
    assert "(NIOSH 1981: 3400 N at most)" in front.summary()
    assert "of its strength" in front.summary()
    # who opens the viewer sees the head from ahead, from above and from the left, behind no board
    assert set(places_of(asked)) == {"l_grip", "r_grip"}
    eyes = scene.figure.landmark(front.posture, "eyes")[:3, 3]
    ray = np.array([0.45, 0.35, 1.0])
    for name in ("low", "middle", "high"):
        board = asked.world.bodies[name]
        X_BW = np.linalg.inv(board.pose.matrix())
        start, along = (X_BW @ [*eyes, 1.0])[:3], X_BW[:3, :3] @ ray
        half = 0.5 * np.array([1.6, 0.03, 0.5])
        ends = (np.stack([-half, half]) - start) / along
        enters, leaves = ends.min(axis=0).max(), ends.max(axis=0).min()
        assert leaves < max(enters, 0.0), name
    over = scene.statics.balance(front.q, scene.supports)
    assert over.margin.min() >= -1e-6
    _, q = motion_to(scene, front.posture, "straight", 2.0)
    for clash, margin in scene.clashes:
        assert clash.distance(q[1:]).min() >= margin - 0.1 * abs(margin)
    for name in scene.supports:
        places = scene.figure.landmark(q, name)[:, :3, 3]
        assert np.abs(places - places[0]).max() < 1e-6
    assert np.abs(np.diff(q, axis=0)).max() < 0.15
