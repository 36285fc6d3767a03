"""Demonstrations: where they begin and end, on one course of time, one motion for a new place."""

import numpy as np
import pytest

import articulata as art
from articulata.errors import KinematicsError
from articulata.kinematics.minimum_jerk import minimum_jerk
from posing import person

FIGURE, _ = person()
OBJECTS = np.array([[-0.25, 0.55, 0.42], [-0.05, 0.55, 0.45], [-0.15, 0.7, 0.42]])


def demonstration(number: int, duration: float, frames: int) -> np.ndarray:
    asked = {"right hand": OBJECTS[number]}
    front = art.pose(FIGURE, asked, moving="right arm", points=1).final()
    assert front.found
    motion = minimum_jerk(FIGURE.neutral, front.posture, duration=duration)
    return motion.at(np.linspace(0.0, duration, frames))[0]


@pytest.fixture(scope="module")
def shown() -> list[np.ndarray]:
    return [demonstration(*each) for each in ((0, 1.0, 101), (1, 1.3, 131), (2, 0.8, 81))]


def test_episodes_are_found_by_their_mean_squared_velocity(shown: list[np.ndarray]) -> None:
    parts, ends, n = [], [], 0
    for each in shown:
        rest, held = np.repeat(each[:1], 40, axis=0), np.repeat(each[-1:], 40, axis=0)
        for part, moves in ((rest, False), (each, True), (held, False), (each[::-1], True)):
            if moves:
                ends.append((n, n + len(part) - 1))
            parts.append(part)
            n += len(part)
    q = np.concatenate([*parts, rest])
    found = art.episodes(0.01 * np.arange(len(q)), q)
    assert len(found) == 6
    assert np.abs(np.array(found) - ends).max() <= 5  # 50 ms
    with pytest.raises(KinematicsError, match="rising times"):
        art.episodes([0.0, 0.0, 1.0], np.zeros((3, 2)))


def test_what_was_fast_and_slow_lies_on_one_course_of_time(shown: list[np.ndarray]) -> None:
    slow = shown[0]
    s = np.linspace(0.0, 1.0, 60)
    late = np.stack([np.interp(s**2, np.linspace(0, 1, len(slow)), c) for c in slow.T], axis=1)
    before = np.abs(late - slow[np.linspace(0, 100, 60).astype(int)]).max()
    one, other = art.aligned([slow, late])
    assert before > 0.2
    assert np.abs(one - other).max() < 0.05


def test_a_new_place_is_met_in_the_manner_of_the_old_ones(shown: list[np.ndarray]) -> None:
    goal = OBJECTS.mean(axis=0) + np.array([0.02, 0.0, 0.0])
    new = art.learnt(FIGURE, "right hand", shown, OBJECTS, goal, moving="right arm")
    assert new.met.all()
    hand = FIGURE.landmark(new.q, "right hand")[:, :3, 3]
    np.testing.assert_allclose(hand, new.hand, atol=1e-9)
    # the hand is precise at the object, where the quality of the motion alone is not
    assert np.linalg.norm(hand[-1] - goal) < 1e-6
    assert np.linalg.norm(new.quality[-1] - goal) > 2e-3
    assert new.precise[0] < 1e-6
    assert new.precise[-1] > 1.0 - 1e-6
    assert np.abs(np.diff(new.q, axis=0)).max() < 0.1
    assert (new.q >= FIGURE.lower - 1e-12).all()
    assert (new.q <= FIGURE.upper + 1e-12).all()
    # what was shown comes back as it was shown
    again = art.learnt(FIGURE, "right hand", shown, OBJECTS, OBJECTS[1], moving="right arm")
    np.testing.assert_allclose(again.q[-1], shown[1][-1], atol=1e-5)
    with pytest.raises(KinematicsError, match="as many objects"):
        art.learnt(FIGURE, "right hand", shown, OBJECTS[:2], goal)


def test_a_person_s_arms_are_carried_over_to_leonardo(shown: list[np.ndarray]) -> None:
    robot = art.figure("leonardo")
    q, off = art.carried_over(FIGURE, shown[0][20::8], robot)
    assert (q >= robot.lower).all()
    assert (q <= robot.upper).all()
    # the right arm points as hers does, but for what Leonardo's limits hold back
    assert np.degrees(off[:, 0]).max() < 16.0
    assert np.degrees(off[-1, 0, 0]) < 5.0
    assert np.abs(np.diff(q, axis=0)).max() < 0.5
