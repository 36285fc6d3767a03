"""Arms from forearm and hand, or from the hand alone: what went in comes out."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.analyses.track.arms import tracked_arm
from articulata.analyses.track.fewer import (
    STRAIGHT,
    Limbs,
    arms_from_forearm,
    arms_from_hand,
    limbs_of,
)
from articulata.geometry.arrays import Array
from articulata.kinematics.library import figure


@pytest.fixture(scope="module", params=["person", "human_upper_body"])
def limbs(request: pytest.FixtureRequest) -> Limbs:
    made = figure(request.param)
    return limbs_of(made, tracked_arm(made, "right arm"))


def postures(limbs: Limbs, count: int, *, bend: float = 0.3) -> Array:
    """Random postures within limits, off the shoulder's cone and the straight elbow."""
    rng = np.random.default_rng(3)
    low, high = limbs.arm.limits[:, 0], limbs.arm.limits[:, 1]
    q = np.tile(limbs.figure.neutral, (count, 1))
    q[:, limbs.arm.columns] = rng.uniform(
        0.8 * low + 0.2 * high, 0.2 * low + 0.8 * high, (count, 7)
    )
    elbow = q[:, limbs.arm.columns[3]]
    q[:, limbs.arm.columns[3]] = np.where(np.abs(elbow) < bend, bend, elbow)
    return q


def poses(limbs: Limbs, q: Array) -> tuple[Array, Array, Array]:
    X = limbs.figure.poses(q)
    root = (
        np.broadcast_to(limbs.figure.base, (len(q), 4, 4))
        if limbs.arm.root < 0
        else X[:, limbs.arm.root]
    )
    return root, X[:, limbs.arm.forearm], X[:, limbs.arm.hand]


def test_limbs_are_as_long_as_the_figure_says(limbs: Limbs) -> None:
    q = postures(limbs, 5)
    X = limbs.figure.poses(q)
    U, F, H = (X[:, number] for number in limbs.arm.links)
    elbow = np.einsum("nij,j->ni", U[:, :3, :3], limbs.elbow[0]) + U[:, :3, 3]
    wrist = np.einsum("nij,j->ni", H[:, :3, :3], limbs.wrist[1]) + H[:, :3, 3]
    np.testing.assert_allclose(np.linalg.norm(wrist - elbow, axis=1), limbs.forearm_length)
    again = np.einsum("nij,j->ni", F[:, :3, :3], limbs.elbow[1]) + F[:, :3, 3]
    np.testing.assert_allclose(again, elbow, atol=1e-12)


def test_forearm_and_hand_give_the_whole_arm(limbs: Limbs) -> None:
    q = postures(limbs, 300)
    root, F, H = poses(limbs, q)
    found = arms_from_forearm(limbs, root, F, H[:, :3, :3])
    assert np.max(np.abs(found.stretch)) < 1e-12
    seen = found.bend > STRAIGHT
    assert np.mean(seen) > 0.9
    # orientations of all three parts, whatever the branch of the angles
    back = np.tile(limbs.figure.neutral, (len(q), 1))
    back[:, limbs.arm.columns] = found.angles.q
    X, Y = limbs.figure.poses(q), limbs.figure.poses(back)
    links = list(limbs.arm.links)
    off = np.abs(X[:, links, :3, :3] - Y[:, links, :3, :3]).max(axis=(1, 2, 3))
    # one in the singular cone is held within its tolerance
    assert np.quantile(off[seen], 0.9) < 1e-9
    assert np.abs(found.angles.left[seen]).max() < 1e-9


def test_a_straight_elbow_keeps_the_roll_that_was(limbs: Limbs) -> None:
    q = postures(limbs, 20)
    q[:, limbs.arm.columns[3]] = limbs.arm.rest[3] if abs(limbs.arm.rest[3]) < 0.05 else 0.0
    for row in q:
        root, F, H = poses(limbs, row[None])
        found = arms_from_forearm(limbs, root[0], F[0], H[0, :3, :3], before=row[limbs.arm.columns])
        back = row.copy()
        back[limbs.arm.columns] = found.angles.q
        X, Y = limbs.figure.poses(row), limbs.figure.poses(back)
        np.testing.assert_allclose(X[limbs.arm.hand], Y[limbs.arm.hand], atol=0.03)


def test_the_hand_alone_is_reached(limbs: Limbs) -> None:
    q = postures(limbs, 25)
    roots, _, H = poses(limbs, q)
    inside = 0
    for row, X_WR, X_WH in zip(q, roots, H, strict=True):
        found = arms_from_hand(limbs, X_WR, X_WH)
        back = row.copy()
        back[limbs.arm.columns] = found.angles.q
        reached = limbs.figure.poses(back)[limbs.arm.hand]
        np.testing.assert_allclose(reached[:3, :3], X_WH[:3, :3], atol=1e-8)
        np.testing.assert_allclose(reached[:3, 3], X_WH[:3, 3], atol=5e-3)
        low, high = limbs.arm.limits[:, 0], limbs.arm.limits[:, 1]
        arm = back[limbs.arm.columns]
        inside += bool(np.all((arm > low - 1e-6) & (arm < high + 1e-6)))
    assert inside >= 24


def test_the_elbow_stays_near_where_it_was(limbs: Limbs) -> None:
    q = postures(limbs, 1)[0]
    roots, _, H = poses(limbs, q[None])
    before = arms_from_hand(limbs, roots[0], H[0]).angles.q
    moved = H[0].copy()
    moved[:3, 3] += 0.002
    after = arms_from_hand(limbs, roots[0], moved, before=before).angles.q
    assert np.abs(after - before).max() < np.radians(12.0)


def test_a_hand_beyond_reach_is_told() -> None:
    made = figure("person")
    limbs = limbs_of(made, tracked_arm(made, "right arm"))
    X = made.poses(made.neutral)
    far = X[limbs.arm.hand].copy()
    far[:3, 3] += (-1.0, 0.0, 0.0)
    found = arms_from_hand(limbs, X[limbs.arm.root], far)
    assert found.stretch > 0.3
