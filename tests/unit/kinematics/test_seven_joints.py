"""Seven turning joints of any geometry: families hold what made the pose, ends are exact."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.kinematics.arms import P, keeps_limits

from articulata.errors import KinematicsError
from articulata.kernels.chains.closed_forms.general_6r import moving_links
from articulata.kernels.chains.closed_forms.meeting_axes_6r import prepare_pieper, solve_pieper
from articulata.kernels.chains.self_motion.given_joint_7r import (
    GivenArm,
    keep_postures,
    prepare_given,
    solve_given,
)
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.inverse.nearest_branch import SevenJoints, Swivel
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.recognition import closed_form
from articulata.kinematics.inverse.seven_joints import RootsForm, SevenForm
from articulata.kinematics.inverse.turns import nearest_turn


def franka(*, limits: bool = True, miss: float = 0.0) -> Chain:
    """Franka Emika, robot and interface specifications of the Panda: DH parameters and limits.

    ``miss``: how far axes that meet pass each other, m.
    """
    a = (0.0, miss, miss, 0.0825, -0.0825, miss, 0.088)
    alpha = (0.0, -P, P, P, -P, P, P)
    d = (0.333, 0.0, 0.316, 0.0, 0.384, 0.0, 0.0)
    low = (-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973)
    high = (2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973)
    end = np.eye(4)
    end[2, 3] = 0.107
    ranges = zip(low, high, strict=True) if limits else [(-math.inf, math.inf)] * 7
    rows = [
        DH(a=a[i], alpha=alpha[i], d=d[i], limits=bound, name=f"joint{i + 1}")
        for i, bound in enumerate(ranges)
    ]
    return Chain.modified_dh(rows, end=end)


def sawyer() -> Chain:
    """Rethink Robotics' Sawyer: offsets at shoulder, elbow and wrist, no three axes meet."""
    a = (0.081, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    alpha = (-P, P, -P, P, -P, P, 0.0)
    d = (0.317, 0.1925, 0.4, 0.1685, 0.4, 0.1363, 0.13375)
    ends = (3.0503, 3.8095, 3.0426, 3.0439, 2.9761, 2.9761, 4.7124)
    low = (-3.0503, -3.8095, -3.0426, -3.0439, -2.9761, -2.9761, -4.7124)
    high = (*ends[:1], 2.2736, *ends[2:])
    return Chain.standard_dh(
        [DH(a=a[i], alpha=alpha[i], d=d[i], limits=(low[i], high[i])) for i in range(7)]
    )


def jaco() -> Chain:
    """Kinova's Jaco of seven joints: an elbow beside the line from shoulder to wrist."""
    alpha, d = (P, P, P, P, P, P, math.pi), (-0.2755, 0.0, -0.41, -0.0098, -0.3111, 0.0, -0.2638)
    return Chain.standard_dh([DH(alpha=alpha[i], d=d[i]) for i in range(7)])


def iiwa() -> Chain:
    """KUKA's LBR iiwa 7 R800."""
    alpha, d = (-P, P, P, -P, -P, P, 0.0), (0.34, 0.0, 0.4, 0.0, 0.4, 0.0, 0.126)
    ends = np.radians([170, 120, 170, 120, 170, 120, 175])
    return Chain.standard_dh(
        [DH(alpha=alpha[i], d=d[i], limits=(-ends[i], ends[i])) for i in range(7)]
    )


def gen3() -> Chain:
    """Kinova's Gen3 of seven joints: a shoulder with an offset, a spherical wrist."""
    d = (-0.2848, -0.0118, -0.4208, -0.0128, -0.3143, 0.0, -0.1674)
    alpha = (P, P, P, P, P, P, math.pi)
    return Chain.standard_dh([DH(alpha=alpha[i], d=d[i]) for i in range(7)])


def any_arm(seed: int) -> Chain:
    """Return an arm of no structure."""
    rng = np.random.default_rng(seed)
    rows = [(rng.uniform(0.1, 0.5), rng.uniform(-3, 3), rng.uniform(-0.3, 0.3)) for _ in range(7)]
    return Chain.standard_dh([DH(a=a, alpha=alpha, d=d) for a, alpha, d in rows])


def _drawn(chain: Chain, count: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    low = np.where(np.isfinite(chain.lower), chain.lower, -math.pi)
    high = np.where(np.isfinite(chain.upper), chain.upper, math.pi)
    q = rng.uniform(low, high, (count, 7))
    return q, chain.tip(q)


def _turn(angle: Any) -> Any:
    return angle - math.tau * np.round(angle / math.tau)


def _missed(chain: Chain, count: int, seed: int = 0) -> int:
    """Return how many postures lie on no family of their pose."""
    missed = 0
    q, X_WT = _drawn(chain, count, seed)
    for i in range(0, count, 50):
        some = slice(i, i + 50)
        found = chain.inverse(X_WT[some], start=q[some], method=_method(chain))
        missed += int((np.abs(_turn(found.q - q[some])).max(axis=1) > 1e-6).sum())
    return missed


def _method(chain: Chain) -> Any:
    swivels = chain.all_inverse(chain.tip(chain.neutral)).structure.startswith("spherical")
    return Swivel() if swivels else SevenJoints()


@pytest.mark.parametrize("make", [franka, sawyer, gen3, lambda: any_arm(1)])
def test_the_posture_that_made_the_pose_is_on_a_family(make: Any) -> None:
    assert _missed(make(), 40) == 0


def test_postures_of_a_family_meet_the_pose_within_limits() -> None:
    chain = franka()
    _, X_WT = _drawn(chain, 6, 3)
    for pose in X_WT:
        every = chain.all_inverse(pose)
        assert every.structure == "seven turning joints"
        assert every.reason == Reason.MET
        for family in every.families:
            assert family.parameter == "joint7"
            if not len(family.intervals):
                continue
            values = np.concatenate([np.linspace(*ends, 9) for ends in family.intervals])
            q = family.postures(values)
            assert keeps_limits(chain, q)
            np.testing.assert_allclose(
                chain.tip(q), np.broadcast_to(pose, (len(q), 4, 4)), rtol=0.0, atol=1e-10
            )
            np.testing.assert_allclose(q[:, 6], values, rtol=0.0, atol=1e-9)
            assert family.samples(5).shape == (5, 7)


def _swept(chain: Chain, X_WT: Any, values: Any) -> Any:
    """Return how many postures of the closed form for joint 7 keep all limits."""
    ready = chain.prepared
    links, unit = moving_links(ready.fixed, ready.kinds, ready.tip)
    arm = prepare_pieper(links, unit, 6)
    assert arm is not None
    q = solve_pieper(arm, np.broadcast_to(X_WT, (len(values), 4, 4)), values)
    middle = 0.5 * (chain.lower + chain.upper)
    off = np.abs(_turn(q - middle)) - 0.5 * (chain.upper - chain.lower)
    return (np.nan_to_num(off, nan=1.0).max(axis=2) <= 0.0).sum(axis=1)


def _check_ends(chain: Chain, X_WT: Any) -> int:
    """Compare how many families there are with a dense sweep and around each end; count ends."""
    families = chain.all_inverse(X_WT).families
    ends = np.concatenate([family.intervals for family in families])
    low, high = float(chain.lower[6]), float(chain.upper[6])

    def told(values: Any) -> Any:
        inside = (ends[:, :1] <= values) & (values <= ends[:, 1:])
        return inside.sum(axis=0)

    sweep = np.linspace(low, high, 2001)
    away = np.abs(sweep[:, None] - ends.reshape(-1)).min(axis=1) > 1e-9
    np.testing.assert_array_equal(_swept(chain, X_WT, sweep)[away], told(sweep)[away])
    edges = np.unique(ends.round(12))
    for step in (-1e-9, 1e-9):
        beside = edges + step
        beside = beside[(beside > low) & (beside < high)]
        # ends that lie closer together than the step tell nothing
        beside = beside[np.abs(beside[:, None] - edges).min(axis=1) > 0.5e-9]
        np.testing.assert_array_equal(_swept(chain, X_WT, beside), told(beside))
    return len(edges)


def test_ends_of_intervals_are_exact() -> None:
    chain = franka()
    _, X_WT = _drawn(chain, 4, 5)
    assert sum(_check_ends(chain, pose) for pose in X_WT) > 8


def test_paths_are_followed_on_the_families() -> None:
    chain = franka()
    ends = np.array([[0.1, 0.2, -0.3, -1.6, 0.2, 1.7, 0.5], [0.6, -0.1, 0.2, -2.0, 0.5, 2.1, 0.0]])
    share = np.linspace(0.0, 1.0, 12)[:, None]
    path = chain.tip((1.0 - share) * ends[0] + share * ends[1])
    followed = chain.follow(path, start=ends[0])
    assert followed.found.all()
    assert not len(followed.jumps())
    assert keeps_limits(chain, followed.q)


def test_the_nearest_of_each_branch_is_the_nearest_beside_a_straight_shoulder() -> None:
    chain = franka()
    q, _ = _drawn(chain, 40, 11)
    q[:, 1] *= 0.05  # axes 1 and 3 all but align: both turn fast with the driver
    X_WT = chain.tip(q)
    wanted = q + np.random.default_rng(5).normal(scale=0.05, size=q.shape)
    form = closed_form(chain)
    assert isinstance(form, RootsForm)
    nearest, families = form.near(X_WT, wanted), form.branches(X_WT)
    looked_at = 0
    for p, slot in np.argwhere(families.within):
        low, high = families.intervals[p, slot, : families.counts[p, slot]].T[:, :, None]
        share = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 2000))
        values = (low + share * (high - low)).ravel()
        slots = np.full(len(values), slot)
        every = form.at(np.repeat(X_WT[p : p + 1], len(values), 0), slots, values)
        least = np.nanmin(np.linalg.norm(_turn(every - wanted[p]), axis=1))
        assert np.linalg.norm(_turn(nearest[p, slot] - wanted[p])) < least + 1e-3
        looked_at += 1
    assert looked_at > 80


@pytest.mark.parametrize(("make", "count"), [(franka, 200), (sawyer, 20), (gen3, 50)])
def test_all_postures_with_one_joint_given(make: Any, count: int) -> None:
    chain = make()
    q, X_WT = _drawn(chain, count, 9)
    found = chain.all_inverse(X_WT, given={chain.names[6]: q[:, 6]})
    assert found.structure == "seven turning joints, one given"
    off = np.abs(_turn(found.q - q[:, None])).max(axis=2)
    assert np.nan_to_num(off, nan=np.inf).min(axis=1).max() < 1e-6
    assert (found.reason == Reason.MET).all()
    one = chain.all_inverse(X_WT[0], given={chain.names[6]: q[0, 6]})
    np.testing.assert_allclose(chain.tip(one.q), np.tile(X_WT[0], (len(one), 1, 1)), atol=1e-9)
    assert not one.families
    with pytest.raises(KinematicsError, match="one joint by its name"):
        chain.all_inverse(X_WT[0], given={"thumb": 0.0})
    with pytest.raises(KinematicsError, match="one for each pose"):
        chain.all_inverse(X_WT, given={chain.names[6]: [0.0, 0.1, 0.2]})


def test_axes_that_all_but_meet_lose_no_posture() -> None:
    chain = franka(miss=1e-6)
    q, X_WT = _drawn(chain, 60, 2)
    # beside a stretched elbow, and at a value where some branch just ends
    q[::6, 3], q[1::6, 5] = -0.0825 / 0.316 + 1e-6, 1e-7
    X_WT = chain.tip(q)
    ready = chain.prepared
    free = np.full(7, np.inf)
    links, unit = moving_links(ready.fixed, ready.kinds, ready.tip)
    arm = prepare_given(links, unit, 6, np.zeros(7), -free, free)
    assert arm.pieper is not None
    assert not arm.exact
    found, kept = solve_given(arm, X_WT, q[:, 6])
    wanted, _ = solve_given(replace(arm, pieper=None), X_WT, q[:, 6])
    np.testing.assert_array_equal(kept.within, ~np.isnan(found[:, :, 0]))
    np.testing.assert_array_equal(
        *((~np.isnan(some[:, :, 0])).sum(axis=1) for some in (found, wanted))
    )
    off = np.abs(_turn(found[:, :, None] - wanted[:, None])).max(axis=3)
    off = np.nan_to_num(off, nan=np.inf).min(axis=1)
    assert off[~np.isnan(wanted[:, :, 0])].max() < 1e-7
    assert _missed(chain, 10) == 0


def test_postures_are_checked_and_take_the_turns_that_keep_limits() -> None:
    chain = franka(limits=False)
    q, X_WT = _drawn(chain, 21, 4)
    slots = np.repeat(q[:, None], 3, axis=1) + math.tau * np.array([0.0, 2.0, -1.0])[:, None]
    slots[:, 1, 3] += 1e-6  # meets its pose no longer
    slots[::2, 2] = np.nan
    low = np.array([-np.inf, -3.0, 2.0, -7.0, -np.inf, -1.0, -3.5])
    high = np.array([np.inf, 3.0, 9.0, 7.0, 1.0, 0.5, np.inf])
    # at its limit but for rounding
    high[5] = _turn(q[3, 5]) - 5e-10
    middle = np.array([0.0, 0.0, 5.5, 0.0, 0.0, 0.5 * (high[5] - 1.0), 0.0])
    ready = chain.prepared
    links, unit = moving_links(ready.fixed, ready.kinds, ready.tip)
    found = slots.copy()
    arm = GivenArm(links, unit, -1, None, True, np.arange(1), middle, low, high)
    kept = keep_postures(arm, X_WT, found, np.zeros(len(q), np.bool_), 1)
    wanted = middle + _turn(slots - middle)
    beyond = np.maximum(low - wanted, wanted - high)
    wanted = np.where((beyond > 0.0) & (beyond < 1e-9), np.clip(wanted, low, high), wanted)
    wanted = nearest_turn(wanted, middle, low, high)
    wanted[:, 1] = np.nan
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-14)
    inside = ((wanted >= low - 1e-10) & (wanted <= high + 1e-10)).all(axis=2)
    np.testing.assert_array_equal(kept.within, inside)
    np.testing.assert_array_equal(kept.state, 1 + np.any(inside, axis=1))
    assert 0 < kept.within.sum() < kept.within.size // 3


def test_what_has_no_family_is_told() -> None:
    chain = franka()
    far = chain.tip(chain.neutral)
    far[0, 3] += 3.0
    assert not len(chain.all_inverse(far))
    assert chain.all_inverse(far).reason == Reason.GAVE_UP
    assert chain.inverse(far).reason == Reason.TOO_FAR
    some = chain.all_inverse(np.array([np.full((4, 4), np.nan), chain.tip(chain.neutral)]))
    assert some.reason[0] == Reason.NOT_A_NUMBER
    flat = Chain.standard_dh([DH(a=0.2) for _ in range(7)])
    with pytest.raises(KinematicsError, match="singular in every posture"):
        flat.all_inverse(np.eye(4))
    with pytest.raises(KinematicsError, match=r"seven turning joints.*miss it by"):
        chain.inverse(far, method=Swivel())
    form = SevenForm.recognise(chain)
    assert form is not None
    nothing = form.at(far[None], np.array([0]), np.array([0.3]))
    assert np.isnan(nothing).all()


def test_odd_arms_and_poses_are_answered_or_refused() -> None:
    rows = [(0.1, P, 0.2), (0.3, 0.4, 0.05), (0.0, 0.0, 0.1), (0.2, 1.0, 0.03), (0.1, P, 0.1)]
    rows += [(0.05, P, 0.1), (0.1, 0.7, 0.1)]

    def arm(table: Any) -> Chain:
        return Chain.standard_dh([DH(a=a, alpha=alpha, d=d) for a, alpha, d in table])

    # two axes that are one and the same: only the sum of their angles counts
    same = arm(rows)
    q = np.linspace(0.3, 0.9, 7)
    every = same.all_inverse(same.tip(q))
    tips = same.tip(every.families[0].samples(5))
    np.testing.assert_allclose(tips, np.tile(same.tip(q), (5, 1, 1)), atol=1e-9)
    # five parallel axes, lengths of zero: fewer than six freedoms
    flat = [(a, alpha if k in (0, 5) else 0.0, d) for k, (a, alpha, d) in enumerate(rows)]
    for refused in (arm(flat), arm([(0.0, P, 0.0)] * 7)):
        with pytest.raises(KinematicsError, match="singular in every posture"):
            refused.all_inverse(np.eye(4))
    # joints 1, 3, 5 and 7 in line, where curves of postures cross
    chain = franka()
    line = chain.tip([0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0])
    for family in chain.all_inverse(line).families:
        if len(family.intervals):
            np.testing.assert_allclose(
                chain.tip(family.samples(5)), np.tile(line, (5, 1, 1)), rtol=0.0, atol=1e-9
            )


@pytest.mark.slow
@pytest.mark.parametrize("make", [franka, sawyer, jaco, iiwa, gen3])
def test_five_thousand_postures_of_each_arm(make: Any) -> None:
    assert _missed(make(), 5000, 7) == 0


@pytest.mark.slow
def test_fifty_arms_of_no_structure() -> None:
    assert sum(_missed(any_arm(seed), 100, seed) for seed in range(50)) <= 1


@pytest.mark.slow
def test_ends_of_a_hundred_poses() -> None:
    chain = franka()
    _, X_WT = _drawn(chain, 100, 11)
    assert sum(_check_ends(chain, pose) for pose in X_WT) > 200
