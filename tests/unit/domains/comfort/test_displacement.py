"""Discomfort by displacement: known values, gradients, walls at the limits."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.domains.comfort.displacement import FORMS, Discomfort, ranges
from articulata.errors import KinematicsError, NameNotFound
from articulata.kinematics.joint import PRISMATIC, Joint
from articulata.kinematics.joint_tree import Tree
from articulata.kinematics.library import figure


def test_the_sum_ranks_the_two_postures_of_the_planar_example() -> None:
    # Thomann (2005), figure 8-1: both postures meet the target; the sums are 1.5371 and 1.7701
    arm = figure("planar_4_2_1")
    q = [[0.768561, -0.346329, -0.422232], [0.538711, 0.346329, -0.885040]]
    np.testing.assert_allclose(Discomfort("sum").of(arm, q), [1.5371, 1.7701], atol=1e-4)


def two() -> Tree:
    return Tree(
        [
            Joint("turn", limits=(-1.0, 3.0), neutral=0.5),
            Joint("slide", PRISMATIC, limits=(0.0, 0.5), neutral=0.25),
            Joint("free"),
        ],
        [-1, 0, 1],
    )


def test_forms_by_hand() -> None:
    q = [1.5, 0.35, -np.pi]
    weights = {"turn": 2.0, "free": 0.5}
    found = {form: Discomfort(form, weights).by_joint(two(), q) for form in FORMS}
    np.testing.assert_allclose(found["sum"], [2.0, 0.1, 0.5 * np.pi])
    np.testing.assert_allclose(found["square"], [2.0, 0.01, 0.5 * np.pi**2])
    np.testing.assert_allclose(found["range"], [2.0 / 16.0, 0.04, 0.125])
    np.testing.assert_allclose(found["motion"], [2.0 / 25.0, 0.04, 0.125])
    wall = np.array([2.0 * (4.0 / (2.5 * 1.5) - 1.0), 0.0625 / (0.35 * 0.15) - 1.0, 0.0])
    np.testing.assert_allclose(found["barrier"], found["range"] + 0.01 * wall)
    np.testing.assert_allclose(ranges(two()), [4.0, 0.5, 2.0 * np.pi])


def test_each_motion_counts_a_quarter_at_its_own_end() -> None:
    person = figure("person")
    ends = {"vl3_flexion": (-12.5, 40.0), "r_shoulder_flexion": (-60.0, 180.0)}
    for name, angles in ends.items():
        for angle in angles:
            half = Discomfort("motion").of(person, person.vector({name: np.radians(0.5 * angle)}))
            whole = Discomfort("motion").of(person, person.vector({name: np.radians(angle)}))
            assert (half, whole) == (pytest.approx(1.0 / 16.0), pytest.approx(0.25))
    # what stands at a limit has a side of a twentieth of the range there
    edge = Tree([Joint("turn", limits=(-0.001, 1.999), neutral=0.0)], [-1])
    assert Discomfort("motion").of(edge, [-0.001]) == pytest.approx((0.001 / 0.2) ** 2)


@pytest.mark.parametrize("form", FORMS)
def test_gradients_are_the_limits_of_differences(form: str) -> None:
    tree, one = two(), Discomfort(form, {"slide": 3.0})  # type: ignore[arg-type] # a literal
    rng = np.random.default_rng(2)
    q = rng.uniform([-0.9, 0.02, -2.0], [2.9, 0.48, 2.0], (50, 3))
    h = 1e-6
    slope = [(one.of(tree, q + h * e) - one.of(tree, q - h * e)) / (2.0 * h) for e in np.eye(3)]
    np.testing.assert_allclose(one.gradient(tree, q), np.stack(slope, -1), rtol=1e-5, atol=1e-6)


def test_the_wall_stands_at_the_limits() -> None:
    one = Discomfort("barrier")
    at = one.of(
        two(), [[0.5, 0.25, 0.0], [2.999999, 0.25, 0.0], [3.0, 0.25, 0.0], [9.0, 0.25, 0.0]]
    )
    assert at[0] < at[1] < np.inf
    assert np.isinf(at[2:]).all()
    # a joint that does not count builds no wall
    assert np.isfinite(Discomfort("barrier", {"turn": 0.0}).of(two(), [3.0, 0.25, 0.0]))


def test_bad_questions_are_answered_in_words() -> None:
    with pytest.raises(KinematicsError, match="there is no 'cube'"):
        Discomfort("cube")  # type: ignore[arg-type] # what a user may write
    with pytest.raises(KinematicsError, match="weight of 'turn' is -1"):
        Discomfort(weights={"turn": -1.0})
    with pytest.raises(NameNotFound, match="did you mean 'turn'"):
        Discomfort(weights={"trun": 1.0}).of(two(), [0, 0, 0])
    with pytest.raises(KinematicsError, match="holds NaN or inf"):
        Discomfort().of(two(), [0.0, np.nan, 0.0])
    with pytest.raises(KinematicsError, match="has 3 values"):
        Discomfort().of(two(), [0.0, 0.0])
