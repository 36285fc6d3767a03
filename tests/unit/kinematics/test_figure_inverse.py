"""Figure.inverse: several places and poses at once, by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.unit.kernels.chains import torso_to_hand
from tests.unit.kinematics.test_figure import two_arms

from articulata.errors import KinematicsError, NameNotFound
from articulata.kinematics.figure import Figure, Landmark, Run
from articulata.kinematics.inverse.measuring import turn_left
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.joint import Joint, Mimic


def person() -> Figure:
    """A torso of 12 joints with two arms of 9, mirrored, after the chain of 2009."""
    fixed, _, tip, low, high = torso_to_hand()

    def square(part: Any) -> Any:
        return np.vstack([part, [0.0, 0.0, 0.0, 1.0]])

    joints = [
        Joint(f"j{i + 1}", X_PJ=square(fixed[i]), limits=(low[i], high[i])) for i in range(21)
    ]
    for i in range(12, 21):
        part = fixed[i].copy()
        if i == 12:
            part[0, 3] = -part[0, 3]
        joints.append(Joint(f"l{i + 1}", X_PJ=square(part), limits=(low[i], high[i])))
    return Figure(
        joints,
        [*range(-1, 20), 11, *range(21, 29)],
        name="person",
        chains={"right arm": Run("j1", "j21", square(tip))},
        landmarks={
            "right hand": Landmark("j21", square(tip)),
            "left hand": Landmark("l21", square(tip)),
        },
    )


def _drawn(figure: Figure, rng: np.random.Generator, count: int) -> Any:
    return rng.uniform(figure.lower, figure.upper, (count, figure.dof))


def _true(answers: Any) -> None:
    """Errors are those of forward kinematics, limits hold, found means met."""
    figure = answers.figure
    for k, (name, X) in enumerate(answers.targets.items()):
        good = answers.reasons[..., k] != Reason.NOT_A_NUMBER
        here = figure.landmark(answers.q[good], name)
        pose = X.shape[-2:] == (4, 4) and X.ndim == len(answers.batch) + 2
        place = X[good][..., :3, 3] if pose else X[good]
        off = np.linalg.norm(here[..., :3, 3] - place, axis=-1)
        np.testing.assert_allclose(answers.errors[good][..., k], off, atol=1e-11)
        turn = turn_left(here[..., :3, :3], X[good][..., :3, :3]) if pose else np.zeros(off.shape)
        np.testing.assert_allclose(answers.angles[good][..., k], turn, atol=1e-9)
        met = (off <= answers.tolerance) & (turn <= answers.angle_tolerance)
        np.testing.assert_array_equal(answers.reasons[good][..., k] == Reason.MET, met)
    q = answers.q[answers.reason != Reason.NOT_A_NUMBER]
    assert np.all(q >= figure.lower - 1e-12)
    assert np.all(q <= figure.upper + 1e-12)


def test_two_hands_are_brought_to_a_place_and_a_pose() -> None:
    figure = person()
    q = _drawn(figure, np.random.default_rng(0), 60)
    answers = figure.inverse(
        {
            "right hand": figure.landmark(q, "right hand"),
            "left hand": figure.landmark(q, "left hand")[:, :3, 3],
        },
        tolerance=1e-6,
    )
    _true(answers)
    assert answers.found.mean() >= 0.95
    assert answers.errors.shape == (60, 2)
    assert answers.explain(3).startswith("'right hand' is met")
    assert len(answers) == 60
    assert answers[5].batch == ()


def test_the_start_is_tried_first() -> None:
    figure = person()
    q = _drawn(figure, np.random.default_rng(1), 20)
    targets = {name: figure.landmark(q, name) for name in ("right hand", "left hand")}
    told: list[tuple[int, int]] = []
    answers = figure.inverse(targets, start=q, progress=lambda d, t: told.append((d, t)))
    np.testing.assert_array_equal(answers.q, q)
    np.testing.assert_array_equal(answers.starts, 1)
    assert told == [(20, 20)]
    one = figure.inverse({"right hand": targets["right hand"][0]}, start=q[0])
    np.testing.assert_array_equal(one.q, q[0])


def test_what_cannot_be_met_is_told_for_each_target() -> None:
    figure = person()
    q = figure.neutral
    right = figure.landmark(q, "right hand")[:3, 3]
    answer = figure.inverse({"right hand": right, "left hand": [2.0, 0.5, 0.0]})
    _true(answer)
    assert not answer.found
    assert answer.reason == Reason.TOO_FAR
    assert list(answer.reasons) != [Reason.MET, Reason.MET]
    words = answer.explain()
    assert "'left hand' is too far" in words
    assert "Stopped by" in words


def test_targets_in_conflict_get_a_compromise() -> None:
    figure = two_arms()
    q = figure.vector({"trunk": 0.2, "left elbow": 2.0})
    place = 0.5 * (figure.landmark(q, "left hand") + figure.landmark(q, "left elbow"))[:3, 3]
    both = figure.inverse({"left hand": place, "left elbow": place})
    _true(both)
    assert not both.found
    assert set(both.reasons.tolist()) <= {Reason.GAVE_UP}
    # the tip and the joint it hangs on are 1 m apart: half of it is left for each
    np.testing.assert_allclose(both.errors, 0.5, atol=1e-3)
    assert "nothing proves" in both.explain()


def test_joints_that_follow_others_are_moved_with_their_leaders() -> None:
    figure = two_arms()
    rng = np.random.default_rng(2)
    q = rng.uniform(-0.5, 0.5, (30, figure.dof))
    q[:, 2] = np.abs(q[:, 2])
    answers = figure.inverse({"left finger": figure.landmark(q, "left finger")}, tolerance=1e-7)
    _true(answers)
    assert answers.found.all()
    far = figure.inverse({"left finger": [9.0, 0.0, 1.0]})
    assert far.reason in (Reason.GAVE_UP, Reason.TOO_FAR, Reason.LIMITS)


def test_rows_that_are_no_numbers_are_answered_alone() -> None:
    figure = person()
    places = figure.landmark(_drawn(figure, np.random.default_rng(3), 6), "right hand")[:, :3, 3]
    places[2, 1] = math.nan
    answers = figure.inverse({"right hand": places})
    _true(answers)
    assert answers.reason[2] == Reason.NOT_A_NUMBER
    assert answers.found.sum() == 5
    assert "NaN" in answers.explain(2)
    shaped = figure.inverse({"right hand": places.reshape(2, 3, 3)})
    assert shaped.batch == (2, 3)
    np.testing.assert_array_equal(shaped.found.ravel(), answers.found)


@pytest.mark.parametrize(
    ("targets", "more", "words"),
    [
        ({}, {}, "a mapping of names"),
        ([1.0, 2.0, 3.0], {}, "a mapping of names"),
        ({"left hand": [1.0, 2.0]}, {}, "'left hand' is places"),
        ({"left hand": [math.nan, 0, 0]}, {}, "'left hand' holds NaN"),
        ({"left hand": 2.0 * np.eye(4)}, {}, "no pose"),
        ({"floor": [0.0, 0, 0]}, {}, "no joint that moves"),
        ({"left hand": np.zeros((4, 3)), "trunk": np.zeros((2, 3))}, {}, "one batch shape"),
        ({"left hand": [1.0, 0, 0]}, {"tolerance": -1.0}, "positive"),
        ({"left hand": [1.0, 0, 0]}, {"starts": 0}, "at least one start"),
        ({"left hand": [1.0, 0, 0]}, {"start": [0.0]}, "start is one posture"),
    ],
)
def test_bad_input_is_named(targets: Any, more: Any, words: str) -> None:
    with pytest.raises(KinematicsError, match=words):
        two_arms().inverse(targets, **more)


def test_unknown_names_are_suggested() -> None:
    with pytest.raises(NameNotFound, match="did you mean 'left hand'"):
        two_arms().inverse({"left hnd": [0.0, 0, 0]})


def test_a_joint_that_only_follows_counts_as_moving() -> None:
    figure = Figure([Joint("a"), Joint("b", mimic=Mimic("a"))], [-1, -1], name="pair")
    X = figure.landmark([0.4], "b")
    assert figure.inverse({"b": X}, tolerance=1e-7).q == pytest.approx([0.4], abs=1e-6)


def test_a_named_chain_is_made_once() -> None:
    figure = person()
    assert figure.chain("right arm") is figure.chain("right arm")
    assert figure.chain("right arm", at=figure.neutral) is not figure.chain("right arm")
    with pytest.raises(ValueError, match="read-only"):
        figure.chain("right arm").base[0, 3] = 1.0
    place = figure.landmark(figure.neutral, "right hand")[:3, 3]
    assert figure.chain("right arm").inverse(place).found
