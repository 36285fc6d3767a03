"""What carries tracked arms: bodies of the text, and joints that override them one by one."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.analyses.track.carrying import BODIES, Carrying
from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix
from articulata.records.tracking import TrackedPosture
from articulata.report.viewer.figures.link_surfaces import Surface, surfaces
from articulata.sessions.track.performing import carried
from articulata.sessions.track.tracked_figures import choice_of, follower


@pytest.fixture(scope="module")
def person() -> Carrying:
    who = follower(choice_of("person"))
    return carried(who, tracked_body(who.figure))


def tracked(
    body: TrackedBody, time: float, *, arms: tuple[bool, bool] = (True, True)
) -> TrackedPosture:
    q = body.rest + 0.3
    solved = np.zeros((2, 11))
    solved[:, 9] = [0.0 if each else -1.0 for each in arms]
    base = np.array((1.0, 0, 0, 0, 0, 0, 0))
    joints = tuple(arm.joints for arm in body.arms.each)
    return TrackedPosture(time, q, base, solved, joints, headed=all(arms))


def lowest(drawn: list[Surface], body: TrackedBody, posture: TrackedPosture) -> float:
    """How high the lowest point of what is drawn is over the soles of a person who stands (m)."""

    def low(q: Array, R: Array, p: Array) -> float:
        X = body.figure.poses(q)
        frames = [body.figure.base if each.joint < 0 else X[each.joint] for each in drawn]
        return min(
            float(np.min((each.vertices @ F[:3, :3].T + F[:3, 3]) @ R.T[:, 1])) + float(p[1])
            for each, F in zip(drawn, frames, strict=True)
        )

    ground = low(body.rest, np.eye(3), np.zeros(3))
    return low(posture.q, q_to_matrix(posture.q_WF), posture.p_WF) - ground


def test_arms_and_neck_override_the_body(person: Carrying) -> None:
    body = person.body
    assert set(person.offered) == set(BODIES)
    columns = np.concatenate([arm.columns for arm in body.arms.each])
    assert body.neck is not None
    knee = body.figure.coordinate("r_knee_flexion")
    given = tracked(body, 12.0)
    assert person.under(given) is given  # nothing was asked for
    walking = person.begin("walking", 10.0)
    found = walking.under(given)
    np.testing.assert_array_equal(found.q[columns], given.q[columns])
    np.testing.assert_array_equal(found.q[body.neck.columns], given.q[body.neck.columns])
    steps = [walking.under(tracked(body, 12.0 + 0.1 * k)) for k in range(12)]
    assert np.ptp([each.q[knee] for each in steps]) > np.radians(30.0)
    # on the spot
    np.testing.assert_allclose([each.p_WF[[0, 2]] for each in steps], 0.0, atol=1e-9)
    # an arm without sensors swings as the motion has it
    half = walking.under(tracked(body, 12.0, arms=(True, False)))
    left = body.arms.each[1].columns
    assert np.abs(half.q[left] - given.q[left]).max() > 0.05


def test_no_body_sinks_into_the_ground_or_floats(person: Carrying) -> None:
    drawn, _ = surfaces(person.body.figure)
    for word in BODIES:
        going = person.begin(word, 0.0)
        heights = [
            lowest(drawn, person.body, going.under(tracked(person.body, t, arms=(False, False))))
            for t in np.arange(5.0, 6.2, 0.1)
        ]
        # soles roll, and hands give way; none goes deeper than a sole is thick
        assert min(heights) > -0.05, word
        assert min(heights) < 0.02, word


def test_one_goes_over_into_the_next_without_a_jump(person: Carrying) -> None:
    going = person.begin("walking", 0.0).begin("crawling", 2.0).begin("prone", 4.0)
    times = np.arange(0.0, 5.0, 0.02)
    found = [going.under(tracked(person.body, float(t))) for t in times]
    steps = np.abs(np.diff([each.q for each in found], axis=0)).max()
    assert steps < 0.5  # 25 rad/s
    ahead = [q_to_matrix(each.q_WF)[1, 1] for each in found]
    assert np.abs(np.diff(ahead)).max() < 0.2
    assert ahead[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_lying_body_turns_with_the_heading_alone(person: Carrying) -> None:
    going = person.begin("prone", 0.0)
    leaning = np.array((np.cos(0.2), np.sin(0.2), 0.0, 0.0))
    half = np.sqrt(0.5)
    turned = np.array((half, 0.0, half, 0.0))
    flat = going.under(tracked(person.body, 5.0))
    for q_WF, same in ((leaning, True), (turned, False)):
        given = tracked(person.body, 5.0)
        given.base[:4] = q_WF
        R = q_to_matrix(going.under(given).q_WF)
        assert R[1, 1] == pytest.approx(0.0, abs=1e-9)  # it lies
        assert np.allclose(R, q_to_matrix(flat.q_WF), atol=1e-9) is same


def test_a_body_that_is_not_in_the_text_is_explained() -> None:
    who = follower(choice_of("human_upper_body"))
    plain = carried(who, tracked_body(who.figure))
    with pytest.raises(NameNotFound, match="no motion 'walk' by which its body could be walking"):
        plain.begin("walking", 0.0)
