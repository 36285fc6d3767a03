"""Chain.inverse: answers are true, reasons are right, bad input is named."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from tests.unit.kinematics.arms import (
    P,
    camera,
    drawn,
    industrial,
    person,
    planar,
    puma,
    seven,
)

from articulata.errors import KinematicsError
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.inverse.areas import CircleArea, PolygonArea, RectangleArea
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.inverse.measuring import rotation_vector, tip_errors
from articulata.kinematics.inverse.nearest_branch import SphericalWrist, Swivel
from articulata.kinematics.inverse.postures import Posture, Postures
from articulata.kinematics.inverse.reason import NO_BRANCH, Reason
from articulata.kinematics.joint import Joint, Mimic


def _true(answers: Postures, atol: float = 1e-11) -> None:
    """Errors are those of forward kinematics, limits hold, found means met."""
    chain = answers.chain
    good = answers.reason != Reason.NOT_A_NUMBER
    q = answers.q[good]
    error, angle = tip_errors(chain, q, answers.targets[good])
    np.testing.assert_allclose(answers.error[good], error, rtol=0, atol=atol)
    np.testing.assert_allclose(answers.angle[good], angle, rtol=0, atol=1e-9)
    met = (error <= answers.tolerance) & (angle <= answers.angle_tolerance)
    np.testing.assert_array_equal(answers.found[good], met)
    np.testing.assert_array_equal(answers.found, answers.reason == Reason.MET)
    assert np.all(q >= chain.lower - 1e-12)
    assert np.all(q <= chain.upper + 1e-12)


def test_places_of_a_room_are_answered_truly() -> None:
    chain = person()
    targets = np.random.default_rng(0).uniform(-1.2, 1.2, (40, 50, 3))
    answers = chain.inverse(targets)
    assert answers.batch == (40, 50)
    assert answers.q.shape == (40, 50, 21)
    assert 0.2 < answers.found.mean() < 0.9
    _true(answers)
    assert set(np.unique(answers.branch)) == {NO_BRANCH}
    assert answers.proved.any()
    assert not (answers.proved & answers.found).any()


@pytest.mark.parametrize("make", [seven, camera, industrial])
def test_poses_are_met_and_true(make: Any) -> None:
    chain = make()
    X_WT = chain.tip(drawn(chain, np.random.default_rng(1), 300))
    answers = chain.inverse(X_WT, tolerance=1e-6)
    assert answers.found.all()
    _true(answers)


def test_one_target_alone_has_an_empty_batch() -> None:
    chain = person()
    answer = chain.inverse([-0.5, 0.3, 0.3])
    assert answer.batch == ()
    assert answer.q.shape == (21,)
    assert answer.found
    one = answer[()]
    assert isinstance(one, Posture)
    assert one.found is True
    assert one.reason is Reason.MET
    assert one.nearest is one.q
    assert one.explain() == answer.explain()
    with pytest.raises(TypeError, match="no length"):
        len(answer)


def test_answers_are_indexed_like_their_batch() -> None:
    chain = person()
    targets = np.random.default_rng(2).uniform(-1, 1, (6, 4, 3))
    answers = chain.inverse(targets)
    assert len(answers) == 6
    row = answers[3]
    assert isinstance(row, Postures)
    np.testing.assert_array_equal(row.q, answers.q[3])
    one = answers[3, 2]
    assert isinstance(one, Posture)
    np.testing.assert_array_equal(one.q, answers.q[3, 2])
    np.testing.assert_array_equal(answers[answers.found].q, answers.q[answers.found])
    assert [part.batch for part in answers] == [(4,)] * 6
    assert answers.explain(3, 2) == one.explain()
    with pytest.raises(IndexError, match=r"\(6, 4\)"):
        answers[6, 0]
    with pytest.raises(IndexError, match=r"\(6, 4\)"):
        answers.explain(9, 0)
    with pytest.raises(KinematicsError, match="needs 2 whole numbers"):
        answers.explain(3)


def test_progress_is_told_and_changes_nothing() -> None:
    chain = planar()
    targets = np.random.default_rng(3).uniform(-6, 6, (70000, 3)) * [1, 1, 0]
    told: list[tuple[int, int]] = []
    with_it = chain.inverse(targets, progress=lambda done, total: told.append((done, total)))
    assert told == [(65536, 70000), (70000, 70000)]
    np.testing.assert_array_equal(with_it.q, chain.inverse(targets).q)


def test_the_start_is_tried_first_and_more_starts_find_more() -> None:
    chain = person()
    rng = np.random.default_rng(4)
    q = drawn(chain, rng, 50)
    places = chain.tip(q)[:, :3, 3]
    answers = chain.inverse(places, start=q, method=Descent(sweeps=0))
    np.testing.assert_allclose(answers.q, q, atol=2e-6)
    np.testing.assert_array_equal(answers.counts["starts"], 1)
    hard = rng.uniform([-1.2, -1, -1.2], [1.2, 1.4, 1.2], (4000, 3))
    few = chain.inverse(hard, method=Descent(starts=1)).found
    many = chain.inverse(hard).found
    assert many.sum() > few.sum()
    other = chain.inverse(hard, method=Descent(seed=7))
    assert abs(int(other.found.sum()) - int(many.sum())) <= 8
    assert (other.q != chain.inverse(hard).q).any()


def test_reasons_say_too_far_too_near_and_limits() -> None:
    chain = planar()
    targets = np.array([[5.7, 3.6, 0], [8.0, 0, 0], [0.3, 0, 0], [-6.0, 0, 0], [5, 0, 0.4]])
    answers = chain.inverse(targets, tolerance=1e-6)
    _true(answers)
    reasons = [Reason(r) for r in answers.reason.tolist()]
    assert reasons[:4] == [Reason.MET, Reason.TOO_FAR, Reason.TOO_NEAR, Reason.LIMITS]
    assert reasons[4] is Reason.TOO_FAR  # out of the plane
    assert answers.error[1] == pytest.approx(1.0, abs=1e-6)
    assert list(answers.proved) == [False, True, True, True, True]
    assert Reason.LIMITS.proved
    assert not Reason.GAVE_UP.proved


def test_words_name_the_miss_and_the_joint_that_stops_it() -> None:
    chain = planar()
    assert chain.inverse([5.7, 3.6, 0]).explain().startswith("Met")
    far = chain.inverse([7.5, 0, 0]).explain()
    assert "Too far" in far
    assert "500 mm" in far
    behind = chain.inverse([0.0, 7.0, 0]).explain()
    assert "'q0' at its upper limit (60 deg)" in behind
    assert "limit" in chain.inverse([-6.0, 0, 0]).explain()
    near = chain.inverse([0.4, 0.1, 0]).explain()
    assert "Too near" in near


def test_words_tell_place_from_orientation() -> None:
    chain = planar()
    X = np.eye(4)
    X[:3, 3] = 5.7, 3.6, 0.0
    c = math.cos(2.9)
    X[:2, :2] = [[c, -math.sin(2.9)], [math.sin(2.9), c]]
    answer = chain.inverse(X)
    assert not answer.found
    assert answer.reason == Reason.GAVE_UP
    assert "orientation" in answer.explain()
    assert "Nothing proves" in answer.explain()


def test_a_closed_form_proves_what_the_search_misses() -> None:
    chain = industrial(limit=1.2)
    rng = np.random.default_rng(5)
    X_WT = chain.tip(rng.uniform(-3, 3, (400, 6)))
    answers = chain.inverse(X_WT, tolerance=1e-6)
    _true(answers)
    branches = chain.all_inverse(X_WT)
    np.testing.assert_array_equal(answers.found, branches.within.any(axis=1))
    assert not (answers.reason == Reason.GAVE_UP).any()
    assert (answers.reason == Reason.LIMITS).any()


@pytest.mark.parametrize("make", [camera, industrial, puma, seven])
def test_closed_forms_as_methods(make: Any) -> None:
    chain = make()
    method = Swivel() if chain.dof == 7 else SphericalWrist()
    rng = np.random.default_rng(6)
    q = drawn(chain, rng, 200)
    X_WT = chain.tip(q)
    answers = chain.inverse(X_WT, start=q, tolerance=1e-9, method=method)
    assert answers.found.all()
    _true(answers)
    np.testing.assert_allclose(answers.q, q, atol=1e-5)
    assert all(answers[i].label == answers.labels[answers.branch[i]] for i in range(5))
    X_WT[:5, :3, 3] *= 30.0
    away = chain.inverse(X_WT, tolerance=1e-9, method=method)
    _true(away)
    assert [Reason(r) for r in away.reason[:5]] == [Reason.TOO_FAR] * 5
    assert (away.branch[:5] == NO_BRANCH).all()
    assert "Too far" in away.explain(0)


def test_rows_that_are_no_numbers_are_answered_alone() -> None:
    chain = person()
    targets = np.random.default_rng(7).uniform(-0.8, 0.8, (30, 3))
    clean = chain.inverse(targets)
    targets[4, 1], targets[9, 0] = math.nan, math.inf
    answers = chain.inverse(targets)
    _true(answers)
    assert [Reason(answers.reason[i]) for i in (4, 9)] == [Reason.NOT_A_NUMBER] * 2
    assert np.isnan(answers.q[4]).all()
    assert not answers.found[4]
    assert "NaN" in answers.explain(4)
    others = np.delete(np.arange(30), [4, 9])
    np.testing.assert_array_equal(answers.found[others], clean.found[others])
    poses = seven().tip(np.zeros((3, 7)))
    poses[1, 0, 0] = math.nan
    assert list(seven().inverse(poses).reason) == [0, Reason.NOT_A_NUMBER, 0]


@pytest.mark.parametrize(
    ("targets", "more", "words"),
    [
        ([math.nan, 0, 0], {}, "NaN"),
        ([math.inf, 0, 0], {}, "NaN or infinite"),
        ([1.0, 2.0], {}, r"shape \(2,\)"),
        (1.0, {}, r"shape \(\)"),
        ([[1.0, 2, 3], [1.0, 2]], {}, "equal rows"),
        ("somewhere", {}, "somewhere"),
        (np.eye(4)[None] * 2.0, {}, "no pose"),
        (np.diag([1.0, 1, -1, 1]), {}, "right-handed"),
        (np.diag([1.0, 1, 1, 2]), {}, "last row"),
        ([0.1, 0, 0], {"start": [0.0, 0]}, "q0, q1, q2"),
        ([0.1, 0, 0], {"start": [0.0, 0, math.nan]}, "start posture"),
        ([0.1, 0, 0], {"tolerance": 0.0}, "positive"),
        ([0.1, 0, 0], {"tolerance": math.nan}, "positive"),
        ([0.1, 0, 0], {"method": "descent"}, "a value such as"),
        ([0.1, 0, 0], {"method": Swivel()}, "poses"),
        (np.eye(4), {"method": Swivel()}, "3 joints"),
        (CircleArea([0.0, 0, 0], 1.0), {"method": SphericalWrist()}, "areas"),
        (CircleArea(np.eye(4), 1.0), {}, "not poses"),
    ],
)
def test_bad_input_is_named(targets: Any, more: Any, words: str) -> None:
    with pytest.raises(KinematicsError, match=words):
        planar().inverse(targets, **more)


def test_a_pose_that_is_none_is_named_by_its_place_in_the_batch() -> None:
    X_WT = np.tile(np.eye(4), (5, 1, 1))
    X_WT[1] = math.nan
    X_WT[3, 0, 0] = 1.5
    for ask in (seven().inverse, seven().all_inverse):
        with pytest.raises(KinematicsError, match="pose 3 of the targets is no pose"):
            ask(X_WT)


def test_bad_methods_and_areas_are_named() -> None:
    for wrong in ({"starts": 0}, {"seed": -1}, {"steps": 0}, {"sweeps": -1}):
        with pytest.raises(KinematicsError, match="at least one start"):
            Descent(**wrong)
    with pytest.raises(KinematicsError, match="radius"):
        CircleArea([0, 0, 0], -1.0)
    with pytest.raises(KinematicsError, match="normal"):
        CircleArea([0, 0, 0], 1.0, normal=(0, 0, 0))
    with pytest.raises(KinematicsError, match="along 'normal'"):
        RectangleArea([0, 0, 0], 1.0, 1.0, ahead=(0, 0, 1))
    with pytest.raises(KinematicsError, match="width"):
        RectangleArea([0, 0, 0], 1.0, math.nan)
    with pytest.raises(KinematicsError, match="three rows"):
        PolygonArea([0, 0, 0], [[0, 0], [1, 1]])
    with pytest.raises(KinematicsError, match="the same"):
        PolygonArea([0, 0, 0], [[0, 0], [1, 1], [1, 1]])
    fixed = Chain([Joint("weld", "fixed")])
    with pytest.raises(KinematicsError, match="no joint that moves"):
        fixed.inverse([0, 0, 0])


@pytest.mark.parametrize(
    "make",
    [
        lambda centers: CircleArea(centers, 0.4, normal=(0, 1, 0)),
        lambda centers: RectangleArea(centers, 0.8, 0.3, ahead=(1, 0, 1), normal=(0, 1, 0)),
        lambda centers: PolygonArea(
            centers, [[-0.3, -0.2], [0.4, -0.2], [0.4, 0.5], [0.1, 0.0]], normal=(0, 1, 0)
        ),
    ],
)
def test_areas_are_met_anywhere_in_them(make: Any) -> None:
    chain = person()
    centers = np.random.default_rng(8).uniform(-1.4, 1.4, (300, 3))
    area = make(centers)
    answers = chain.inverse(area)
    assert answers.found.sum() > chain.inverse(centers).found.sum()
    away = chain.tip(answers.q)[:, :3, 3] - centers
    off = np.linalg.norm(away - area.nearest(away), axis=1)
    np.testing.assert_allclose(answers.error, off, atol=1e-9)
    missed = int(np.flatnonzero(~answers.found)[0])
    assert answers.explain(missed)
    assert chain.inverse(make(centers[0])).batch == ()


@pytest.mark.parametrize("joints", [2, 3, 5])
@pytest.mark.parametrize("mixed", [False, True])
def test_areas_that_a_tip_lies_in_are_found(joints: int, mixed: bool) -> None:
    rng = np.random.default_rng(joints)
    missed = 0
    for number in range(12):
        chain, area = _drawn_for_areas(rng, joints, mixed, number % 3)
        tips = chain.tip(drawn(chain, rng, 100))[:, :3, 3]
        # centers from which forward kinematics lies in the area, by the area's own nearest points
        area = dataclasses.replace(
            area, centers=tips - area.nearest(rng.uniform(-0.6, 0.6, (100, 3)))
        )
        answers = chain.inverse(area)
        _true_of_areas(answers, area)
        missed += int(np.sum(~answers.found))
    assert missed <= 1  # of 1200


@pytest.mark.slow
def test_one_area_in_a_thousand_is_missed_at_most() -> None:
    rng = np.random.default_rng(9)
    for joints in (2, 3, 4, 5):
        for mixed in (False, True):
            missed = 0
            for number in range(60):
                chain, area = _drawn_for_areas(rng, joints, mixed, number % 3)
                tips = chain.tip(drawn(chain, rng, 500))[:, :3, 3]
                off = area.nearest(rng.uniform(-0.6, 0.6, (500, 3)))
                missed += int(
                    np.sum(~chain.inverse(dataclasses.replace(area, centers=tips - off)).found)
                )
            assert missed <= 30, (joints, mixed, missed)  # of 30,000


def _drawn_for_areas(
    rng: np.random.Generator, joints: int, mixed: bool, kind: int
) -> tuple[Chain, Any]:
    rows = []
    for _ in range(joints):
        alpha = rng.choice([0.0, P, -P, rng.uniform(-3.0, 3.0)])
        a, half, middle = rng.uniform(0.1, 0.6), rng.uniform(0.5, 3.1), rng.uniform(-1.0, 1.0)
        limits = (middle - half, middle + half)
        if mixed and rng.random() < 0.3:
            slide = (0.2 * middle, 0.2 * middle + 0.3 * half)
            rows.append(DH(theta=middle, a=a, alpha=alpha, limits=slide, kind="prismatic"))
        else:
            rows.append(DH(a=a, d=rng.uniform(-0.2, 0.2), alpha=alpha, limits=limits))
    normal, ahead = rng.normal(size=(2, 3))
    place = np.zeros(3)
    if kind == 0:
        return Chain.standard_dh(rows), CircleArea(place, rng.uniform(0.05, 0.4), normal)
    if kind == 1:
        sides = rng.uniform(0.1, 0.7, 2)
        return Chain.standard_dh(rows), RectangleArea(place, *sides, ahead, normal)
    turns = np.sort(rng.uniform(0.0, math.tau, 5))
    corners = rng.uniform(0.1, 0.5, 5) * np.array([np.cos(turns), np.sin(turns)])
    return Chain.standard_dh(rows), PolygonArea(place, corners.T, ahead, normal)


def _true_of_areas(answers: Postures, area: Any) -> None:
    away = answers.chain.tip(answers.q)[:, :3, 3] - area.centers
    off = np.linalg.norm(away - area.nearest(away), axis=1)
    np.testing.assert_allclose(answers.error, off, atol=1e-9)


def test_joints_that_follow_others_and_endless_slides_are_searched() -> None:
    rows = [
        DH(a=1.0, limits=(-2.0, 2.0), name="a"),
        DH(a=1.0, name="b", mimic=Mimic("a", 0.5, 0.1)),
        DH(alpha=P, name="c", limits=(-2.0, 2.0)),
        DH(kind="prismatic", name="d"),
    ]
    chain = Chain.standard_dh(rows)
    q = np.random.default_rng(9).uniform(-1, 1, (40, 3))
    answers = chain.inverse(chain.tip(q)[:, :3, 3], tolerance=1e-6)
    assert answers.found.all()
    _true(answers)
    poses = chain.inverse(chain.tip(q), tolerance=1e-6)
    assert poses.found.all()
    _true(poses)
    with pytest.raises(KinematicsError, match=r"follow others \(b\)"):
        chain.all_inverse(np.eye(4))


def test_fixed_joints_between_are_passed_over() -> None:
    joints = [*industrial().joints]
    joints.insert(3, Joint("weld", "fixed"))
    chain = Chain(joints)
    q = drawn(chain, np.random.default_rng(10), 30)
    answers = chain.inverse(chain.tip(q), start=q, tolerance=1e-6)
    assert answers.found.all()
    _true(answers)
    np.testing.assert_allclose(answers.q, q, atol=1e-5)
    places = chain.inverse(chain.tip(q)[:, :3, 3])
    assert places.found.all()
    assert len(chain.all_inverse(chain.tip(q)[0])) > 0


def test_an_empty_batch_has_an_empty_answer() -> None:
    for targets in (np.empty((0, 3)), np.empty((0, 4, 4))):
        assert person().inverse(targets).q.shape == (0, 21)
    assert seven().inverse(np.empty((0, 4, 4)), method=Swivel()).q.shape == (0, 7)


def test_the_turn_left_is_a_rotation_vector() -> None:
    angle = np.array([0.3, -0.2, 0.5])
    from scipy.spatial.transform import Rotation

    R, more = Rotation.from_rotvec([0.1, 0.7, -0.4]), Rotation.from_rotvec(angle)
    np.testing.assert_allclose(
        rotation_vector(R.as_matrix(), (more * R).as_matrix()), angle, atol=1e-14
    )


@pytest.mark.parametrize("limit", [None, 2.9, 6.0])
def test_one_pose_gets_the_branch_that_a_batch_gets(limit: float | None) -> None:
    chain = industrial() if limit is None else industrial(limit=limit)
    rng = np.random.default_rng(11)
    X_WT = chain.tip(drawn(chain, rng, 60))
    start = rng.uniform(-5.0, 5.0, (60, 6)) if limit is None else drawn(chain, rng, 60)
    many = chain.inverse(X_WT, start, 1e-9, SphericalWrist())
    assert many.found.all()
    for i in range(60):
        one = chain.inverse(X_WT[i], start[i], 1e-9, SphericalWrist())
        assert one.found
        assert one.branch == many.branch[i]
        np.testing.assert_allclose(one.q, many.q[i], rtol=0, atol=1e-9)
