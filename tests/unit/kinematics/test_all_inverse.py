"""Chain.all_inverse: every branch, in words that are true, with what is singular."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.kinematics.arms import P, camera, drawn, industrial, person, puma, seven

from articulata.errors import KinematicsError
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.inverse.closed_form import Degenerate
from articulata.kinematics.inverse.nearest_branch import SphericalWrist, Swivel
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.recognition import closed_form
from articulata.kinematics.inverse.turns import nearest_turn
from articulata.kinematics.joint import FIXED, Joint

SIX = pytest.mark.parametrize("make", [camera, industrial, puma])


@SIX
def test_every_branch_meets_its_pose(make: Any) -> None:
    chain = make()
    for X_WT in chain.tip(drawn(chain, np.random.default_rng(0), 40)):
        found = chain.all_inverse(X_WT)
        assert found.q.shape == (len(found), 6)
        assert len(found.labels) == len(found) == len(set(found.labels))
        assert found.within.all()
        np.testing.assert_allclose(chain.tip(found.q), np.tile(X_WT, (len(found), 1, 1)), atol=1e-9)
        assert str(len(found)) in found.explain()
        assert found.explain(0).startswith(found.labels[0])
        assert found.families == ()


@SIX
def test_the_quick_way_for_one_pose_gives_what_the_careful_one_gives(make: Any) -> None:
    chain = make()
    X_WT = chain.tip(drawn(chain, np.random.default_rng(8), 30))
    for pose in X_WT:
        quick, careful = chain.all_inverse(pose), chain.all_inverse(pose.tolist())
        for name in ("branch", "within", "degenerate", "reason", "X_WT"):
            np.testing.assert_array_equal(getattr(quick, name), getattr(careful, name))
        np.testing.assert_allclose(quick.q, careful.q, rtol=0, atol=1e-12)
        assert quick.labels == careful.labels
        assert repr(quick) == repr(careful)
        kept = pose.copy()
        pose[:3, 3] += 1.0
        np.testing.assert_array_equal(quick.X_WT, kept)
    for spoiled in (math.nan, 2.0):
        pose = X_WT[0].copy()
        pose[0, 0] = spoiled
        with pytest.raises(KinematicsError):
            chain.all_inverse(pose)


def test_branches_have_words_where_a_fixed_tool_follows_the_wrist() -> None:
    bare = Chain(puma().joints)
    tool = Chain([*bare.joints, Joint("tool", FIXED)])
    X_WT = bare.tip([0.3, 0.4, 0.9, -0.4, 0.7, 0.2])
    assert tool.all_inverse(X_WT).labels == bare.all_inverse(X_WT).labels


def test_a_batch_has_a_place_for_every_branch() -> None:
    chain = industrial()
    X_WT = chain.tip(drawn(chain, np.random.default_rng(1), 12)).reshape(3, 4, 4, 4)
    X_WT[1, 2, 0, 0] = math.nan
    many = chain.all_inverse(X_WT)
    assert many.q.shape == (3, 4, 8, 6)
    assert many.reason[1, 2] == Reason.NOT_A_NUMBER
    one = chain.all_inverse(X_WT[2, 1])
    np.testing.assert_allclose(one.q, many.q[2, 1][one.branch], atol=1e-9)
    with pytest.raises(KinematicsError, match="one pose"):
        many.explain()


@SIX
def test_words_are_true_of_the_arm(make: Any) -> None:
    chain = make()
    ready = chain.prepared
    for q in drawn(chain, np.random.default_rng(2), 60):
        found = chain.all_inverse(chain.tip(q))
        for posture, label in zip(found.q, found.labels, strict=True):
            axis, foot = ready.fixed[0, :, 2], ready.fixed[0, :, 3]
            height = axis @ (_joint_frame(chain, posture, 1)[:3, 3] - chain.base[:3, 3])
            up = axis if height > -1e-9 else -axis
            elbow, wrist = _elbow(chain, posture), _wrist(chain, posture)
            away = wrist - foot
            away -= up * (up @ away)
            shoulder = _shoulder(chain, posture)
            # ahead as the arm's plane points: across axis 2 and across axis 1
            axis2 = _axis(chain, posture, 1)
            ahead = np.cross(axis2, up)
            ahead *= math.copysign(1.0, ahead @ _forward(chain, posture))
            level = wrist - shoulder
            if "front" in label:
                assert away @ ahead > 0.0
            if "back" in label:
                assert away @ ahead < 0.0
            if "left" in label or "right" in label:
                side = up @ np.cross(away, shoulder - foot)
                assert (side > 0.0) == ("left" in label)
            # the elbow's side of the line from shoulder to wrist: up where that line is level
            # and points the way the arm reaches
            out = ahead if away @ ahead > 0.0 else -ahead
            normal = up * (level @ out) - out * (level @ up)
            assert ((elbow - shoulder) @ normal > 0.0) == ("elbow up" in label)


def _axis(chain: Chain, q: Any, joint: int) -> Any:
    return _joint_frame(chain, q, joint)[:3, 2]


def _joint_frame(chain: Chain, q: Any, joint: int) -> Any:
    links = chain.poses(q)
    before = chain.base if joint == 0 else links[joint - 1]
    return before @ chain.joints[joint].X_PJ


def _forward(chain: Chain, q: Any) -> Any:
    """The direction in which link 1 points: x of its table frame, after angle 1."""
    table = closed_form(chain).arm.table  # type: ignore[union-attr] # these arms have one
    turn = q[0] + table.offset[0]
    return table.base[:3, 0] * math.cos(turn) + table.base[:3, 1] * math.sin(turn)


def _shoulder(chain: Chain, q: Any) -> Any:
    """A point of axis 2 in the plane of the wrist's motion."""
    X, wrist = _joint_frame(chain, q, 1), _wrist(chain, q)
    return X[:3, 3] + X[:3, 2] * (X[:3, 2] @ (wrist - X[:3, 3]))


def _elbow(chain: Chain, q: Any) -> Any:
    X, wrist = _joint_frame(chain, q, 2), _wrist(chain, q)
    return X[:3, 3] + X[:3, 2] * (X[:3, 2] @ (wrist - X[:3, 3]))


def _wrist(chain: Chain, q: Any) -> Any:
    """Where axes 4 and 5 meet."""
    a, b = _joint_frame(chain, q, 3), _joint_frame(chain, q, 4)
    u, v, gap = a[:3, 2], b[:3, 2], b[:3, 3] - a[:3, 3]
    along = np.linalg.lstsq(np.stack([u, -v], axis=1), gap, rcond=None)[0]
    return a[:3, 3] + u * along[0]


def centred() -> Chain:
    """Six joints whose second axis meets the first, in the plane of the arm."""
    rows = [
        DH(d=0.4, alpha=P),
        DH(a=0.5),
        DH(a=0.06, alpha=-P),
        DH(d=0.45, alpha=P),
        DH(alpha=-P),
        DH(d=0.1),
    ]
    return Chain.standard_dh(rows)


@pytest.mark.parametrize("make", [camera, industrial, puma, centred])
@pytest.mark.parametrize("turned", range(3))
def test_words_of_shoulder_and_elbow_do_not_depend_on_the_sign_of_an_axis(
    make: Any, turned: int
) -> None:
    chain = make()
    over = np.diag([1.0, -1.0, -1.0, 1.0])
    joints = list(chain.joints)
    one = joints[turned]
    joints[turned] = replace(one, X_PJ=one.X_PJ @ over, X_JL=over @ one.X_JL)
    other = Chain(joints, base=chain.base, end=chain.end)
    sign = np.where(np.arange(6) == turned, -1.0, 1.0)
    for q in drawn(chain, np.random.default_rng(3), 10):
        X_WT = chain.tip(q)
        np.testing.assert_allclose(other.tip(q * sign), X_WT, atol=1e-12)
        here, there = chain.all_inverse(X_WT), other.all_inverse(X_WT)
        words = dict(zip(here.labels, here.q, strict=True))
        for label, posture in zip(there.labels, there.q * sign, strict=True):
            apart = posture - words[label]
            turns = apart - np.round(apart / math.tau) * math.tau
            assert np.abs(turns).max() < 1e-6, label


def test_a_stretched_arm_reaches_to_the_front() -> None:
    chain = centred()
    q = np.array([0.2, 0.1, 0.3 - P, 0.4, 0.5, 0.6])
    found = chain.all_inverse(chain.tip(q))
    near = int(np.argmin(np.abs(found.q - q).max(axis=1)))
    assert found.labels[near].startswith("shoulder front")


def test_singular_postures_are_flagged_in_words() -> None:
    chain = industrial()
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.0, 0.2])
    found = chain.all_inverse(chain.tip(q))
    assert any(Degenerate(int(flags)) & Degenerate.WRIST for flags in found.degenerate)
    assert any("wrist in line" in found.explain(i) for i in range(len(found)))
    straight = np.array([0.3, -0.4, -math.atan2(0.45, 0.06), 0.6, 0.7, 0.2])
    found = chain.all_inverse(chain.tip(straight))
    assert any(Degenerate(int(flags)) & Degenerate.ELBOW for flags in found.degenerate)


def test_limits_are_told_branch_by_branch() -> None:
    chain = industrial(limit=2.0)
    q = np.random.default_rng(3).uniform(-2, 2, (100, 6))
    for posture in q:
        found = chain.all_inverse(chain.tip(posture))
        inside = np.all(np.abs(found.q) <= 2.0 + 1e-9, axis=1)
        np.testing.assert_array_equal(found.within, inside)
        assert found.within.any()
    refused = chain.all_inverse(chain.tip([2.9, 0.1, 0.2, 0.3, 0.4, 0.5]))
    if not refused.within.any():
        assert refused.reason == Reason.LIMITS
        assert "none within" in refused.explain()


def test_a_singular_wrist_shares_its_turn_to_keep_the_limits() -> None:
    # with angle 5 at zero only the sum of angles 4 and 6 counts
    chain = industrial(limit=1.5)
    q = np.array([0.1, 0.2, -0.3, -1.45, 0.0, -1.4])
    found = chain.all_inverse(chain.tip(q))
    assert found.reason == Reason.MET
    kept = found.q[found.within]
    assert np.all(np.abs(kept) <= 1.5 + 1e-12)
    np.testing.assert_allclose(chain.tip(kept), np.tile(chain.tip(q), (len(kept), 1, 1)), atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_a_wrist_on_the_first_axis_turns_until_the_limits_are_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    upper, back, side = 0.5, 0.08 * (seed % 2), 0.1 * (seed % 3 == 0)
    rows = [
        DH(d=0.4, alpha=-P, theta=rng.uniform(-1, 1)),
        DH(a=upper, d=side),
        DH(a=back, d=-side, alpha=P),
        DH(d=0.6, alpha=-P, theta=rng.uniform(-1, 1)),
        DH(alpha=P),
        DH(d=0.1),
    ]
    free = Chain.standard_dh(rows)
    for width in (0.0, 0.01, 0.3, 2.0):
        q = rng.uniform(-3.0, 3.0, 6)
        if seed % 4 == 3:
            q[4] = 0.0  # the wrist in line as well
        if seed % 4 == 2:
            q[2] = -math.atan2(back, 0.6)  # straight up
        # joint 2 brings the wrist's centre over the base
        along = upper + back * math.cos(q[2]) + 0.6 * math.sin(q[2])
        up = back * math.sin(q[2]) - 0.6 * math.cos(q[2])
        q[1] = math.atan2(along, up)
        below, above = width * rng.uniform(0.1, 1.0, (2, 6))
        below[rng.random(6) < 0.2] = above[rng.random(6) < 0.2] = math.inf
        limits = list(zip(q - below, q + above, strict=True))
        chain = Chain.standard_dh(
            [replace(row, limits=ends) for row, ends in zip(rows, limits, strict=True)]
        )
        X_WT = free.tip(q)
        found = chain.all_inverse(X_WT)
        assert found.reason == Reason.MET
        assert np.all(found.degenerate & Degenerate.SHOULDER)
        kept = found.q[found.within]
        assert np.all(kept >= chain.lower - 1e-12)
        assert np.all(kept <= chain.upper + 1e-12)
        np.testing.assert_allclose(chain.tip(kept), np.tile(X_WT, (len(kept), 1, 1)), atol=1e-9)
        assert chain.inverse(X_WT, method=SphericalWrist()).found


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 24))]
)
def test_no_posture_at_limits_or_singular_is_proved_out_of_reach(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.uniform(-3, 0, 7)
    high = low + rng.uniform(0.3, 5, 7)
    if seed % 2:
        d, alpha = (0.34, 0.0, 0.4, 0.0, 0.4, 0.0, 0.126), (-P, P, P, -P, -P, P, 0.0)
        a = (0.0,) * 7
    else:
        d, alpha = (0.4, 0.1, 0.0, 0.45, 0.0, 0.1), (P, 0.0, -P, P, -P, 0.0)
        a = (0.05, 0.5, 0.06, 0.0, 0.0, 0.0)
    n = len(d)
    low, high = low[:n], high[:n]
    chain = Chain.standard_dh(
        [DH(d=d[i], a=a[i], alpha=alpha[i], limits=(low[i], high[i])) for i in range(n)]
    )
    q = rng.uniform(low, high, (300, n))
    ends = np.where(rng.random(q.shape) < 0.5, low, high)
    q[:150] = np.where(rng.random((150, n)) < 0.3, ends[:150], q[:150])
    for joint in (1, 3, 4, 5):
        if low[joint] <= 0.0 <= high[joint] and rng.random() < 0.5:
            q[100:200, joint] = 0.0
    X_WT = chain.tip(q)
    found = chain.all_inverse(X_WT)
    # shoulder, elbow or wrist in line too: what two joints share there is shared out
    assert (found.reason == Reason.MET).all()
    pose, slot = np.nonzero(found.within)
    kept = found.q[pose, slot]
    assert np.all(kept >= low - 1e-12)
    assert np.all(kept <= high + 1e-12)
    np.testing.assert_allclose(chain.tip(kept), X_WT[pose], rtol=0, atol=1e-9)


def test_families_keep_every_limit_and_meet_the_pose() -> None:
    chain = seven()
    for q in drawn(chain, np.random.default_rng(4), 30):
        X_WT = chain.tip(q)
        found = chain.all_inverse(X_WT)
        assert len(found.families) == len(found)
        for family, middle in zip(found.families, found.q, strict=True):
            assert family.parameter == "swivel"
            postures = np.vstack([family.samples(40), middle])
            np.testing.assert_allclose(chain.tip(postures), np.tile(X_WT, (41, 1, 1)), atol=1e-10)
            assert np.all(postures >= chain.lower)
            assert np.all(postures <= chain.upper)
        ends = np.concatenate([family.postures(family.intervals) for family in found.families])
        assert np.all(ends >= chain.lower - 1e-9)
        assert np.all(ends <= chain.upper + 1e-9)


def test_the_swivel_of_a_posture_gives_the_posture_back() -> None:
    chain = seven()
    form = closed_form(chain)
    assert form is not None
    q = drawn(chain, np.random.default_rng(5), 300)
    near = form.near(chain.tip(q), q)
    off = np.nanmin(np.abs(near - q[:, None]).max(axis=2), axis=1)
    assert off.max() <= 1e-5


def test_a_stretched_arm_of_seven_is_flagged() -> None:
    found = seven().all_inverse(seven().tip([0.3, 0.4, 0.1, 0.0, 0.2, 0.5, 0.1]))
    assert all(Degenerate(int(flags)) & Degenerate.ELBOW for flags in found.degenerate)


def test_a_stretched_arm_of_seven_meets_its_pose_to_rounding() -> None:
    chain = seven()
    q = drawn(chain, np.random.default_rng(6), 200)
    q[:, 3] = 0.0
    q[100:, 1] = 0.0
    q[150:, 5] = 0.0
    X_WT = chain.tip(q)
    found = chain.all_inverse(X_WT)
    assert (found.reason == Reason.MET).all()
    pose, slot = np.nonzero(found.within)
    off = np.abs(chain.tip(found.q[pose, slot]) - X_WT[pose])
    assert off.max() <= 1e-10


def test_a_family_of_joints_in_line_is_an_interval_of_true_postures() -> None:
    # straight up, every joint about the same line but 4; its limits leave no swivel elsewhere
    d, alpha = (0.34, 0.0, 0.4, 0.0, 0.4, 0.0, 0.126), (-P, P, P, -P, -P, P, 0.0)
    low = np.array([0.0, -1.0, 0.0, -1.0, 0.0, -1.0, 0.0])
    high = np.array([0.5, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5])
    chain = Chain.standard_dh(
        [DH(d=d[i], alpha=alpha[i], limits=(low[i], high[i])) for i in range(7)]
    )
    q = np.array([0.4, 0.0, 0.1, 0.0, 0.3, 0.0, 0.2])
    found = chain.all_inverse(chain.tip(q))
    assert found.reason == Reason.MET
    wide = [f for f in found.families if np.ptp(f.intervals, axis=1).max() > 0.1]
    assert wide
    for family in wide:
        samples = family.samples(40)
        assert np.all((samples >= low) & (samples <= high))
        np.testing.assert_allclose(
            chain.tip(samples), np.tile(chain.tip(q), (40, 1, 1)), rtol=0, atol=1e-9
        )


@pytest.mark.parametrize(
    ("chain", "words"),
    [
        (person(), "21 joints that move"),
        (Chain.standard_dh([DH(kind="prismatic", name="rail", limits=(0, 1)), DH()]), "2 joints"),
        (Chain.standard_dh([DH(a=0.3) for _ in range(6)]), "singular in every posture"),
    ],
)
def test_a_chain_without_structure_says_what_is_missing(chain: Chain, words: str) -> None:
    with pytest.raises(KinematicsError, match=words) as caught:
        chain.all_inverse(np.eye(4))
    assert "inverse()" in str(caught.value)


def test_bad_poses_are_named() -> None:
    chain = industrial()
    for wrong, words in (
        ([0.0, 0, 0], "shape"),
        (np.full((4, 4), math.nan), "no pose"),
        (2.0 * np.eye(4), "no pose"),
    ):
        with pytest.raises(KinematicsError, match=words):
            chain.all_inverse(wrong)


def test_whole_turns_are_taken_toward_what_is_wanted() -> None:
    low, high = np.array([-7.0, -math.inf, -3.0]), np.array([7.0, math.inf, 3.0])
    q = np.array([0.5, 0.5, 0.5])
    near = nearest_turn(q, np.array([6.0, 100.0, 9.0]), low, high)
    np.testing.assert_allclose(near, [0.5 + math.tau, 0.5 + 16 * math.tau, 0.5])
    back = nearest_turn(q, np.array([-9.0, -100.0, -9.0]), low, high)
    np.testing.assert_allclose(back, [0.5 - math.tau, 0.5 - 16 * math.tau, 0.5])


def test_answers_print_as_a_reader_wants_them() -> None:
    arm = puma()
    X = arm.tip(np.full(6, 0.3))
    lines = repr(arm.all_inverse(X)).splitlines()
    assert lines[0].startswith("Branches (spherical wrist): 8 branches")
    assert len(lines) == 9
    assert "elbow" in lines[1]
    assert [arm.tip(q).tolist() for q in arm.all_inverse(X)] == [
        arm.tip(q).tolist() for q in arm.all_inverse(X).q
    ]
    with pytest.raises(KinematicsError, match="several poses"):
        iter(arm.all_inverse(np.array([X, X])))
    one, far = arm.inverse(X), arm.inverse([90.0, 0.0, 0.0])
    assert repr(one).startswith("Postures: Met")
    assert far.explain(0) == far.explain()
    assert repr(arm.inverse(np.array([X, X]))) == "Postures: 2 answers; 2 met"


def test_a_folded_arm_of_equal_halves_has_its_families() -> None:
    limited = seven()
    joints = [
        replace(joint, limits=(-math.pi, math.pi)) if i == 3 else joint
        for i, joint in enumerate(limited.joints)
    ]
    chain = Chain(joints, end=limited.end)
    rng = np.random.default_rng(12)
    q = drawn(chain, rng, 60)
    q[:, 3] = rng.choice([-math.pi, math.pi], 60)
    # folded but for less than rounding shows, and by as little as matters
    q[40:, 3] *= 1.0 - 10.0 ** rng.uniform(-16.0, -6.0, 20)
    X_WT = chain.tip(q)
    for i, pose in enumerate(X_WT):
        found = chain.all_inverse(pose)
        assert found.within.any()
        for family in found.families:
            np.testing.assert_allclose(
                chain.tip(family.samples(7)), np.tile(pose, (7, 1, 1)), atol=1e-9
            )
        if i < 40:
            assert (found.degenerate & Degenerate.ELBOW).all()
        answer = chain.inverse(pose, start=q[i], method=Swivel())
        assert answer.found
        np.testing.assert_allclose(chain.tip(answer.q), pose, atol=1e-9)
    # the shoulder, which is free, is taken from the start
    near = chain.inverse(X_WT[:40], start=q[:40], method=Swivel())
    np.testing.assert_allclose(near.q[:, :3], q[:40, :3], atol=1e-9)
    # limits that forbid the fold are the reason
    assert limited.all_inverse(X_WT[0]).reason == Reason.LIMITS
