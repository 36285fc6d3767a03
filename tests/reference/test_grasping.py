"""Robot programs that grasp with friction alone: a hinge plate is carried, a block is turned."""

from __future__ import annotations

import numpy as np
import pytest
from tests.gallery_runs import run

import articulata as art

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def grasp() -> art.Recording:
    return run("grasp")


def test_the_plate_is_pushed_into_its_place_before_it_is_held(grasp: art.Recording) -> None:
    strikes = [e for e in grasp.events if e.kind == "impact" and "plate" in e.who]
    first = next(e for e in strikes if "robot.right" in e.who)
    other = next(e for e in strikes if "robot.left" in e.who)
    assert 1.5 < first.time < other.time < 1.9
    # between the two the plate slides over the table, by the 12 mm that it lay beside its place
    slid = [e.kind for e in grasp.events if set(e.who) == {"plate", "table"}]
    assert slid[:2] == ["contact", "slip"]
    held = grasp.series("plate.center")[grasp.nearest(2.0)]
    assert held[0] == pytest.approx(-0.003, abs=0.001)


def test_the_plate_is_lifted_and_carried_without_slipping(grasp: art.Recording) -> None:
    lifted = next(e for e in grasp.events if e.kind == "separation" and "table" in e.who)
    assert 2.1 < lifted.time < 2.2
    end = grasp.series("plate.center")[-1]
    # 10 cm up and 20 cm along
    assert end[1] - 0.006 == pytest.approx(0.1, abs=1e-3)
    assert end[0] == pytest.approx(0.2 - 0.003, abs=1e-3)
    after = grasp.times > lifted.time
    for finger in ("robot.left", "robot.right"):
        late = [e for e in grasp.events if e.time > lifted.time and finger in e.who]
        assert late == []
        assert np.all(grasp.series(f"plate touches {finger}")[after] == 1.0)
        # what a pad does not slip on the plate: their places to each other stay
        apart = grasp.series(f"plate.center to {finger}.root")[after]
        assert np.ptp(apart) < 1e-9
        push = grasp.series(f"plate from {finger}")[after]
        # within the cone of sqrt(0.3 2.5)
        side = np.hypot(push[:, 1], push[:, 2])
        assert np.all(side < np.sqrt(0.75) * np.abs(push[:, 0]))


def test_the_jaws_bear_the_grip_and_the_plates_weight(grasp: art.Recording) -> None:
    still = grasp.nearest(3.55)
    forces = [grasp.series(f"plate from robot.{side}")[still] for side in ("left", "right")]
    assert abs(forces[1][0]) == pytest.approx(25.0, abs=0.1)
    assert sum(forces)[1] == pytest.approx(0.3 * 9.81, abs=0.02)


def test_a_grasped_block_is_turned_by_the_angle_that_is_asked() -> None:
    recording = run("turning")
    q = recording.series("block.orientation")
    yaw = np.degrees(2.0 * np.arctan2(q[:, 2], q[:, 0]))
    assert yaw[recording.nearest(1.5)] == pytest.approx(0.0, abs=0.05)
    assert yaw[-1] == pytest.approx(90.0, abs=0.5)
    # upright, on the table again, and let go
    assert np.max(np.abs(q[-1, [1, 3]])) < 1e-6
    assert recording.series("block.center.y")[-1] == pytest.approx(0.025, abs=1e-9)
    for jaw in ("left", "right"):
        assert recording.series(f"block touches robot.{jaw}")[-1] == 0.0
    held = (recording.times > 1.3) & (recording.times < 2.5)
    for jaw in ("left", "right"):
        apart = recording.series(f"block.center to robot.{jaw}.root")[held]
        assert np.ptp(apart) < 1e-9
    assert np.max(np.abs(recording.series("robot.motor.saturation"))) <= 1.0
