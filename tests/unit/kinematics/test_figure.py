"""Figures: names for joints, chains, postures, limits and places of a tree."""

import math

import numpy as np
import pytest

from articulata.errors import KinematicsError, NameNotFound
from articulata.kinematics.conventions import rotation_z, translation
from articulata.kinematics.figure import Figure, Landmark, Run
from articulata.kinematics.joint import FIXED, PRISMATIC, Joint, Mimic
from articulata.kinematics.link import Link

QUARTER = math.pi / 2


def two_arms(**changed: object) -> Figure:
    """A trunk that turns at 1 m height, and two arms of 2 m to its left and right, in a plane."""
    side = translation(1.0, 0.0, 0.0)
    joints = [
        Joint("trunk", X_PJ=translation(0.0, 0.0, 1.0), neutral=0.25),
        Joint("left shoulder", X_PJ=side, limits=(-1.0, 1.0)),
        Joint("left elbow", X_PJ=side, limits=(0.0, 2.0)),
        Joint("left finger", PRISMATIC, X_PJ=side, mimic=Mimic("trunk", 0.5, 0.1)),
        Joint("right shoulder", X_PJ=rotation_z(math.pi) @ side),
        Joint("right wrist", FIXED, X_PJ=side, link="hand of the right arm"),
    ]
    given: dict[str, object] = {
        "name": "doll",
        "chains": {
            "left arm": Run("left shoulder", "left finger", translation(0.0, 0.0, 0.5)),
            "all": Run("trunk", "left elbow"),
        },
        "postures": {"bent": {"left elbow": QUARTER}},
        "limit_sets": {"narrow": {"left elbow": (0.0, 0.1)}},
        "landmarks": {
            "left hand": Landmark("left elbow", translation(1.0, 0.0, 0.0)),
            "floor": Landmark("", translation(0.0, 3.0, 0.0)),
        },
        "links": {"left elbow": Link("forearm", 2.0, (1.0, 0.0, 0.0)), "trunk": Link("", 6.0)},
    }
    return Figure(joints, [-1, 0, 1, 2, 0, 4], **(given | changed))  # type: ignore[arg-type] # a table of the constructor's own arguments


def test_values_by_name_and_back() -> None:
    figure = two_arms()
    q = figure.vector({"left elbow": 0.5, "right shoulder": -1.0})
    assert figure.named(q) == {
        "trunk": 0.25, "left shoulder": 0.0, "left elbow": 0.5, "right shoulder": -1.0,
    }  # fmt: skip
    again = figure.vector({"trunk": 0.0}, start=q)
    assert again.tolist() == [0.0, 0.0, 0.5, -1.0]
    assert figure.posture("bent").tolist() == [0.25, 0.0, QUARTER, 0.0]


def test_landmarks_follow_the_posture() -> None:
    figure = two_arms()
    q = figure.vector({"trunk": QUARTER, "left elbow": QUARTER})
    assert figure.landmark(q, "left hand")[:3, 3] == pytest.approx([-1.0, 2.0, 1.0], abs=1e-15)
    batch = np.stack([q, figure.neutral])
    assert figure.landmark(batch, "floor").shape == (2, 4, 4)
    assert figure.landmark(batch, "floor")[1, :3, 3].tolist() == [0.0, 3.0, 0.0]
    assert not figure.landmark_jacobian(batch, "floor").any()
    step = 1e-6
    J = figure.landmark_jacobian(q, "left hand")
    for column in range(figure.dof):
        moved = np.array([q, q])
        moved[:, column] += (-step, step)
        ends = figure.landmark(moved, "left hand")[:, :3, 3]
        assert (ends[1] - ends[0]) / (2 * step) == pytest.approx(J[:3, column], abs=1e-8)


def test_places_are_landmarks_tips_joints_and_links() -> None:
    figure = two_arms()
    q = figure.vector({"trunk": 0.3, "left shoulder": 0.2})
    poses = figure.poses(q)
    np.testing.assert_array_equal(figure.landmark(q, "right wrist"), poses[5])
    np.testing.assert_array_equal(figure.landmark(q, "hand of the right arm"), poses[5])
    tip = figure.landmark(q, "left arm")
    np.testing.assert_allclose(tip, poses[3] @ translation(0.0, 0.0, 0.5), atol=1e-15)


def test_a_chain_stands_where_the_rest_of_the_figure_is() -> None:
    figure = two_arms()
    arm = figure.chain("left arm")
    assert arm.names == ("left shoulder", "left elbow")
    assert arm.lower.tolist() == [-1.0, 0.0]
    q = figure.neutral
    own = q[figure.chain_coordinates("left arm")]
    np.testing.assert_allclose(arm.tip(own), figure.landmark(q, "left arm"), atol=1e-15)
    turned = figure.vector({"trunk": -1.0, "left shoulder": 0.7, "left elbow": 0.4})
    there = figure.chain("left arm", at=turned)
    np.testing.assert_allclose(
        there.tip(turned[figure.chain_coordinates("left arm")]),
        figure.landmark(turned, "left arm"),
        atol=1e-15,
    )
    assert figure.chain("all").names == ("trunk", "left shoulder", "left elbow")


def test_limits_by_set_and_by_name() -> None:
    figure = two_arms()
    narrow = figure.with_limits("narrow")
    assert narrow.upper[2] == 0.1
    assert narrow.with_limits("").upper[2] == 2.0
    assert figure.with_limits({"trunk": (-1.0, 2.0)}).lower[0] == -1.0
    assert figure.upper[2] == 2.0
    with pytest.raises(KinematicsError, match="give the lower one first"):
        figure.with_limits({"trunk": (2.0, -1.0)})


def test_masses() -> None:
    figure = two_arms(root=Link("floor", 8.0, (0.0, 0.0, -1.0)))
    assert figure.mass == 16.0
    # Trunk 6 kg at (0, 0, 1), forearm 2 kg at (3, 0, 1), root 8 kg at (0, 0, -1).
    center = figure.center_of_mass([0.0, 0.0, 0.0, 0.0])
    assert center == pytest.approx([6.0 / 16.0, 0.0, 0.0], abs=1e-15)
    with pytest.raises(KinematicsError, match="no masses"):
        two_arms(links={}).center_of_mass(np.zeros(4))


def test_unknown_names_come_with_what_there_is() -> None:
    figure = two_arms()
    with pytest.raises(NameNotFound, match="'doll' has no joint 'left elbo'; did you mean 'left e"):
        figure.vector({"left elbo": 1.0})
    with pytest.raises(NameNotFound, match="no chain 'right arm'"):
        figure.chain("right arm")
    with pytest.raises(NameNotFound, match="no posture 'rest'; it has bent"):
        figure.posture("rest")
    with pytest.raises(NameNotFound, match="no set of limits 'narow'; did you mean 'narrow'"):
        figure.with_limits("narow")
    with pytest.raises(NameNotFound, match="no place 'left hnd'; did you mean 'left hand'"):
        figure.landmark(figure.neutral, "left hnd")


def test_joints_without_a_value_of_their_own_say_why() -> None:
    figure = two_arms()
    with pytest.raises(KinematicsError, match="'right wrist' of 'doll' is fixed"):
        figure.vector({"right wrist": 1.0})
    with pytest.raises(KinematicsError, match="'left finger' of 'doll' follows 'trunk'"):
        figure.vector({"left finger": 1.0})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"chains": {"x": Run("right shoulder", "left elbow")}}, "does not carry"),
        ({"chains": {"x": Run("shoulder", "left elbow")}}, "no joint 'shoulder'"),
        ({"landmarks": {"x": Landmark("hip")}}, "no joint 'hip'"),
        ({"postures": {"x": {"hip": 1.0}}}, "no joint 'hip'"),
        ({"links": {"hip": Link("hip")}}, "no joint 'hip'"),
        ({"limit_sets": {"x": {"trunk": (1.0, -1.0)}}}, "give the lower one first"),
    ],
)
def test_names_must_exist(changed: dict[str, object], message: str) -> None:
    with pytest.raises((KinematicsError, NameNotFound), match=message):
        two_arms(**changed)


def test_a_figure_does_not_change() -> None:
    figure = two_arms()
    with pytest.raises(AttributeError, match="does not change"):
        figure.name = "other"
    with pytest.raises(TypeError):
        figure.postures["x"] = {}  # type: ignore[index] # that it is refused is the test
    with pytest.raises(ValueError, match="read-only"):
        figure.base[0, 3] = 1.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"mass": -1.0}, "has mass -1.0"),
        ({"center": (0.0, math.nan, 0.0)}, "three numbers"),
        ({"inertia": np.eye(2)}, r"\(3, 3\)"),
        ({"inertia": np.triu(np.ones((3, 3)))}, "not symmetric"),
    ],
)
def test_links_are_checked(values: dict[str, object], message: str) -> None:
    with pytest.raises(KinematicsError, match=message):
        Link("arm", **values)  # type: ignore[arg-type] # a table of the constructor's own arguments


def test_what_is_no_name_or_number_is_refused() -> None:
    figure = two_arms()
    for value in (math.nan, math.inf, "1", None, [1.0]):
        with pytest.raises(KinematicsError, match="'trunk' of 'doll' takes a finite number"):
            figure.vector({"trunk": value})  # type: ignore[dict-item] # wrong on purpose
    for ask in (figure.chain, figure.posture, figure.place, figure.coordinate):
        with pytest.raises(NameNotFound, match="is called by its name, a text, not 3"):
            ask(3)  # type: ignore[operator] # wrong on purpose
    for limits in (3, {"trunk": 1.0}, {"trunk": (1.0, 2.0, 3.0)}):
        with pytest.raises(KinematicsError, match=r"or \(low, high\) by the name of a joint"):
            figure.with_limits(limits)  # type: ignore[arg-type] # wrong on purpose
