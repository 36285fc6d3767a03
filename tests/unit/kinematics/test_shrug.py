"""Leonardo's arm by its shrug: every branch, whole families, cut by limits into intervals."""

import math

import numpy as np
import pytest
from tests.unit.kinematics.arms import keeps_limits

from articulata.errors import KinematicsError
from articulata.kinematics.chain import Chain
from articulata.kinematics.inverse.closed_form import Degenerate
from articulata.kinematics.inverse.nearest_branch import Shrug
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.shrug import ShrugForm, Solved, solve, solve_slots
from articulata.kinematics.joint import PRISMATIC, Joint, about
from articulata.kinematics.library import figure

EXACT = 1e-12
"""1e-9 mm, in m."""


def leonardo(side: str = "right") -> Chain:
    return figure("leonardo").chain(f"{side} arm")


def skewed() -> Chain:
    """The same structure with axes in no particular directions and other offsets."""
    rng = np.random.default_rng(11)

    def axis() -> np.ndarray:
        X = about(rng.normal(size=3))
        X[:3, 3] = 0.0
        return X

    def moved(*p: float) -> np.ndarray:
        X = np.eye(4)
        X[:3, 3] = p
        return X

    return Chain(
        [
            Joint("rail", PRISMATIC, axis() @ moved(0.1, 0.2, 0.3), limits=(-0.2, 0.3)),
            Joint("a", X_PJ=moved(0.0, 0.1, 0.2) @ axis()),
            Joint("b", X_PJ=moved(0.0, 0.0, 0.07) @ axis() @ moved(0.0, 0.0, 0.05)),
            Joint("c", X_PJ=moved(0.3, 0.1, 0.2) @ axis()),
            Joint("d", X_PJ=axis()),
            Joint("e", X_PJ=axis() @ moved(0.0, 0.0, 0.25)),
            Joint("f", X_PJ=moved(0.05, 0.0, 0.0) @ axis()),
        ],
        end=moved(0.1, 0.2, 0.0) @ axis(),
    )


def form_of(chain: Chain) -> ShrugForm:
    form = ShrugForm.recognise(chain)
    assert form is not None
    return form


def drawn(chain: Chain, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    low = np.where(np.isfinite(chain.lower), chain.lower, -3.0)
    high = np.where(np.isfinite(chain.upper), chain.upper, 3.0)
    q = rng.uniform(low, high, (count, 7))
    return q, chain.tip(q)


@pytest.mark.parametrize("make", [leonardo, lambda: leonardo("left"), skewed])
def test_every_branch_of_a_shrug_meets_the_pose(make: object) -> None:
    chain = make()  # type: ignore[operator] # one of the functions above
    q, X = drawn(chain, 5000)
    found = solve(form_of(chain).arm, X, q[:, 0]).q
    there = np.isfinite(found).all(axis=-1)
    tips = chain.tip(np.where(there[..., None], found, 0.0))
    off = np.abs(tips - X[:, None]).max(axis=(-1, -2))
    assert off[there].max() <= EXACT
    # The posture that made the pose is one of them: none is missed.
    turns = np.abs(np.angle(np.exp(1j * (found[..., 1:] - q[:, None, 1:])))).max(axis=-1)
    assert np.where(there, turns, np.inf).min(axis=1).max() < 1e-6
    assert there.sum(axis=1).max() == 8


@pytest.mark.parametrize("make", [leonardo, lambda: leonardo("left")])
def test_families_keep_the_limits_and_hold_what_made_the_pose(make: object) -> None:
    chain = make()  # type: ignore[operator] # one of the functions above
    q, X = drawn(chain, 150, seed=5)
    answers = chain.all_inverse(X)
    assert (answers.reason == Reason.MET).all()
    assert answers.intervals is not None
    low, high = answers.intervals[..., 0], answers.intervals[..., 1]
    own = (low <= q[:, 0, None, None] + 1e-12) & (q[:, 0, None, None] - 1e-12 <= high)
    assert own.any(axis=(1, 2)).all()
    for i in range(0, 150, 10):
        one = chain.all_inverse(X[i])
        assert one.families
        for family in one.families:
            if not len(family.intervals):
                continue
            postures = family.samples(20)
            assert keeps_limits(chain, postures)
            np.testing.assert_allclose(
                chain.tip(postures), np.broadcast_to(X[i], (20, 4, 4)), atol=EXACT
            )
            assert family.parameter == "shrug"


def margins(form: ShrugForm, solved: Solved) -> np.ndarray:
    """Return how far inside their limits the joints of branches are, negative where there is none.

    All joints of these arms have limits.
    """
    low, high = form.chain.lower[1:], form.chain.upper[1:]
    away = solved.q[..., 1:] - 0.5 * (low + high)
    away = np.abs(np.angle(np.exp(1j * away)))
    inside = np.min(0.5 * (high - low) - away, axis=-1)
    return np.where(solved.lack < 0.0, solved.lack, inside)


def margin(form: ShrugForm, X: np.ndarray, s: float) -> np.ndarray:
    return margins(form, solve(form.arm, X[None], np.array([s])))[0]


def test_one_branch_alone_is_the_same_as_among_all() -> None:
    chain = leonardo()
    form = form_of(chain)
    q, X = drawn(chain, 400, seed=17)
    every = solve(form.arm, X, q[:, 0])
    for slot in range(8):
        alone, lack = solve_slots(form.arm, X, q[:, 0], np.full(400, slot))
        np.testing.assert_array_equal(alone, every.q[:, slot])
        np.testing.assert_array_equal(lack, every.lack[:, slot])


def test_an_interval_ends_at_a_limit_or_where_the_branch_ends() -> None:
    chain = leonardo()
    form = form_of(chain)
    _, X = drawn(chain, 60, seed=9)
    answers = chain.all_inverse(X)
    assert answers.intervals is not None
    assert answers.counts is not None
    checked = 0
    for i, slot in zip(*np.nonzero(answers.counts), strict=True):
        for low, high in answers.intervals[i, slot, : answers.counts[i, slot]]:
            for end, out in ((low, -1e-7), (high, 1e-7)):
                assert margin(form, X[i], end)[slot] >= -1e-14
                beyond = end + out
                if chain.lower[0] <= beyond <= chain.upper[0]:
                    assert margin(form, X[i], beyond)[slot] < 0.0
                    checked += 1
    assert checked > 10


def test_the_interval_search_agrees_with_a_fine_scan() -> None:
    """4001 shrugs a pose see no interval and no gap that the search has missed."""
    chain = leonardo("left")
    form = form_of(chain)
    _, X = drawn(chain, 25, seed=13)
    answers = chain.all_inverse(X)
    assert answers.intervals is not None
    s = np.linspace(chain.lower[0], chain.upper[0], 4001)
    for i in range(25):
        solved = solve(form.arm, np.broadcast_to(X[i], (4001, 4, 4)), s)
        scan = margins(form, solved) >= 0.0
        low, high = answers.intervals[i, :, :, 0], answers.intervals[i, :, :, 1]
        said = ((low <= s[:, None, None]) & (s[:, None, None] <= high)).any(axis=-1)
        np.testing.assert_array_equal(scan, said)


def test_the_method_takes_the_posture_nearest_to_the_start() -> None:
    chain = leonardo()
    q, X = drawn(chain, 40, seed=2)
    answers = chain.inverse(X, start=q, method=Shrug())
    assert answers.found.all()
    np.testing.assert_allclose(answers.q, q, atol=1e-7)
    assert set(answers.branch.tolist()) <= set(range(8))


def test_poses_out_of_reach_are_refused_with_a_reason() -> None:
    chain = leonardo()
    far = chain.tip(chain.neutral)
    far[0, 3] += 1.0
    assert chain.all_inverse(far).reason == Reason.TOO_FAR
    near = np.eye(4)
    _, X = drawn(chain, 1, seed=3)
    arm = form_of(chain).arm
    # The elbow in the shoulder: no hand can be held so near.
    near[:3, :3] = X[0, :3, :3]
    middle = arm.S + 0.09 * arm.w[0]
    u = arm.E - arm.p7
    radius = np.linalg.norm(np.cross(arm.w[6], u))
    assert radius < np.linalg.norm(arm.E - arm.S)
    near[:3, 3] = middle + near[:3, :3] @ np.linalg.inv(arm.M)[:3, :3] @ (arm.M[:3, 3] - arm.p7)
    assert chain.all_inverse(near).reason == Reason.TOO_NEAR
    posture = np.array([0.09, -1.0, 4.5, 1.5, 1.5, 2.0, 1.5])
    outside = chain.all_inverse(chain.tip(posture))
    assert outside.reason == Reason.LIMITS
    assert len(outside) == 8
    assert not outside.within.any()


def test_a_straight_elbow_is_flagged() -> None:
    chain = leonardo()
    q = np.array([0.09, -1.0, 4.5, -0.4, 0.0, 0.3, 1.5])
    solved = solve(form_of(chain).arm, chain.tip(q)[None], q[:1])
    assert (solved.degenerate & int(Degenerate.WRIST)).any()


@pytest.mark.parametrize("off", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 0.0])
@pytest.mark.parametrize(("joint", "singular"), [(4, 0.0), (2, 1.5 * math.pi), (6, 0.5 * math.pi)])
def test_near_singular_postures_are_as_exact(joint: int, singular: float, off: float) -> None:
    """The elbow straight, the elbow on axis 2, the hand's two branches near each other."""
    chain = leonardo()
    q, _ = drawn(chain, 500, seed=joint)
    aside = math.atan2(107.2, 4.2) if joint == 2 else 0.0
    q[:, joint] = singular - aside - off
    X = chain.tip(q)
    found = solve(form_of(chain).arm, X, q[:, 0]).q
    there = np.isfinite(found).all(axis=-1)
    assert there.any(axis=1).all()
    tips = chain.tip(np.where(there[..., None], found, 0.0))
    assert np.abs(tips - X[:, None]).max(axis=(-1, -2))[there].max() <= EXACT


def test_other_structures_are_not_taken_for_it() -> None:
    chain = leonardo()
    parts = list(chain.joints)
    bent = parts[4].X_JL.copy()
    bent[0, 3] += 1e-3
    parts[4] = Joint("elbow", X_PJ=parts[4].X_PJ, X_JL=bent, limits=parts[4].limits)
    other = Chain(parts, base=chain.base, end=chain.end)
    assert ShrugForm.recognise(other) is None
    with pytest.raises(KinematicsError, match="no closed form"):
        other.all_inverse(np.eye(4))
    with pytest.raises(KinematicsError, match="slide-universal-spherical-revolute"):
        other.inverse(np.eye(4), method=Shrug())
    assert ShrugForm.recognise(figure("manutec_r3").chain("arm")) is None


def test_whole_turns_stay_within_the_limits() -> None:
    chain = leonardo()
    q, X = drawn(chain, 30, seed=21)
    postures = form_of(chain).near(X, q + np.array([0, math.tau, 0, 0, 0, 0, 0]))
    there = np.isfinite(postures).all(axis=-1)
    assert keeps_limits(chain, postures[there])


def test_families_that_end_where_their_branch_ends_are_found() -> None:
    chain = leonardo()
    q, _ = drawn(chain, 3000, seed=5)
    # of 3000 random postures those on families narrower than two samples of the shrug
    q = q[[371, 809, 912, 1088, 1106, 1392, 1512, 1579, 1799]]
    table = form_of(chain).branches(chain.tip(q))
    assert table.intervals is not None
    s = q[:, 0, None, None]
    low, high = table.intervals[..., 0] - 1e-9, table.intervals[..., 1] + 1e-9
    assert ((low <= s) & (s <= high)).any(axis=(1, 2)).all()
