"""People at ease: backs that do not bend back, and idle arms that hang."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.pose.aims import bound
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.pose_request import asked_of
from articulata.analyses.pose.pose_scene import Scene, scene_of
from articulata.analyses.pose.starting import brought
from articulata.world.world_files import shipped

FEET = ("l_heel", "l_ball", "l_toe", "r_heel", "r_ball", "r_toe")


def hanging(figure: art.Figure, q: np.ndarray, side: str) -> np.ndarray:
    """Return how far upper arms are off the vertical in the plane ahead, deg, by joints alone."""
    shoulder, elbow = (
        figure.link_pose(q, f"{side}_{joint}")[..., :3, 3]
        for joint in ("shoulder_rotation", "elbow_flexion")
    )
    d = elbow - shoulder
    return np.degrees(np.arctan2(d[..., 2], -d[..., 1]))


@pytest.mark.parametrize("height", [1.2, 1.5, 1.75])
@pytest.mark.parametrize("aims", [("discomfort",), ("torque",), ("discomfort", "torque")])
def test_nobody_bends_back_who_reaches_ahead(aims: tuple[str, ...], height: float) -> None:
    person = art.figure("person")
    floor = person.landmark(person.neutral, "r_heel")[1, 3]
    front = art.pose(
        person, {"r_grip": [-0.2, floor + height, 0.35]}, moving="trunk and right arm",
        loads=[art.Load("r_grip", 2.0)], objectives=[art.Objective(aim) for aim in aims], points=9,
    ).final()  # fmt: skip
    assert front.found
    spine = person.link_pose(front.q, "vt6_rotation")[:, :3, 1]
    # 24 deg before by discomfort, 12 by torque
    most = 3.5 if aims == ("discomfort",) else 5.001
    assert np.degrees(np.arcsin(-spine[:, 2])).max() < most


def test_what_is_reached_bent_back_alone_is_found() -> None:
    person = art.figure("person")
    bent = person.vector({"vl3_flexion": -0.2, "vt6_flexion": -0.2})
    goal = {"skull_tip": person.landmark(bent, "skull_tip")[:3, 3]}
    front = art.pose(person, goal, moving=["vl3_flexion", "vt6_flexion"], points=5).final()
    assert front.found
    back = [front.named()[name] for name in ("vl3_flexion", "vt6_flexion")]
    np.testing.assert_allclose(back, -0.2, atol=1e-6)
    # who is bent back from the start stays so
    assert scene_of(person, goal, start=bent).body is not None
    leaning = art.pose(person, {"r_grip": person.landmark(bent, "r_grip")[:3, 3]}, start=bent,
                       moving="trunk and right arm", points=5).final()  # fmt: skip
    assert leaning.found


def low() -> Scene:
    """Return somebody on foot who takes something from a low place with the right hand."""
    person = art.figure("person")
    floor = person.landmark(person.neutral, "r_heel")[1, 3]
    return scene_of(person, {"r_grip": [-0.2, floor + 0.55, 0.45]}, supports=FEET, standing=True,
                    floating=True)  # fmt: skip


def test_the_idle_arm_of_who_stoops_hangs() -> None:
    person = art.figure("person")
    floor = person.landmark(person.neutral, "r_heel")[1, 3]
    goal = {"r_grip": [-0.2, floor + 0.55, 0.45]}
    front = art.pose(person, goal, supports=FEET, standing=True, floating=True, points=5).final()
    figure = low().figure
    spine = figure.link_pose(front.posture, "vt6_rotation")[:3, 1]
    assert np.degrees(np.arccos(spine[1])) > 30.0
    # it stuck out behind, along the back
    assert abs(hanging(figure, front.posture, "l")) < 3.0
    still = art.pose(person, goal, supports=FEET, standing=True, floating=True, points=5,
                     start={"l_shoulder_flexion": 1.0}).final()  # fmt: skip
    assert still.named()["l_shoulder_flexion"] == pytest.approx(1.0)
    named = art.pose(person, {"r_grip": goal["r_grip"] - np.array([0, -0.3, 0])},
                     moving=["trunk and right arm", "l_shoulder_flexion"], points=5)  # fmt: skip
    assert not len(named.judging.scene.idle[0])
    held = replace(low(), loads=(art.Load("l_grip", 2.0),))
    assert not len(held.idle[0])
    assert len(low().idle[0]) == 1


@pytest.mark.parametrize("kind", ["torque", "discomfort", "displacement", "clearance", "balance"])
def test_slopes_count_the_arm_that_follows(kind: str) -> None:
    scene = low()
    aim = bound(art.Objective(kind), scene)
    judging = Judging(scene, (aim,))
    x, there = brought(scene, scene.start[None, scene.columns] + 0.05)
    assert there.all()
    found, step = judging.slopes(x)[0, 0], 1e-6
    for name in ("base turn x", "vl3_flexion", "vt6_flexion", "r_elbow_flexion"):
        column = int(np.searchsorted(scene.columns, scene.figure.names.index(name)))
        move = step * np.eye(x.shape[1])[column]
        after, before = judging.values(x + move)[0, 0], judging.values(x - move)[0, 0]
        assert found[column] == pytest.approx((after - before) / (2.0 * step), rel=1e-4, abs=1e-5)


def test_leonardo_keeps_off_cup_button_and_table() -> None:
    asked = asked_of(art.read(shipped(Path("leonardo_at_table"))).requests[0])
    assert asked.scene.margin == pytest.approx(0.002)
    front = art.pose(art.read(shipped(Path("leonardo_at_table"))).requests[0], points=20).final()
    assert front.found
    assert asked.scene.around is not None
    assert asked.scene.around.distance(front.q).min() > 0.002 - 1e-9
