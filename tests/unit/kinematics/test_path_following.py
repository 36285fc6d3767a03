"""Chain.follow: continuous where the arm allows it, honest where it does not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.unit.kinematics.arms import camera, industrial, person, planar, puma, seven

from articulata.errors import KinematicsError
from articulata.kinematics.inverse.jacobians import ExtendedJacobian, Pseudoinverse, Pull
from articulata.kinematics.inverse.nearest_branch import Shrug, SphericalWrist, Swivel
from articulata.kinematics.inverse.quasi_newton import BFGS
from articulata.kinematics.inverse.reason import NO_BRANCH, Reason


def _way(a: Any, b: Any, count: int) -> Any:
    share = np.linspace(0.0, 1.0, count)[:, None]
    return np.asarray(a) + share * (np.asarray(b) - np.asarray(a))


@pytest.mark.parametrize("make", [camera, industrial, puma])
def test_a_motion_of_the_joints_is_followed_in_its_branch(make: Any) -> None:
    chain = make()
    rng = np.random.default_rng(0)
    done = 0
    while done < 6:
        a = rng.uniform(-2, 2, 6)
        q = _way(a, a + rng.uniform(-0.3, 0.3, 6), 60)
        # not through a singularity: there, more than one branch goes on
        off = np.abs(chain.all_inverse(chain.tip(q)).q - q[:, None]).max(axis=2)
        if len(np.unique(np.nanargmin(off, axis=1))) > 1:
            continue
        done += 1
        followed = chain.follow(chain.tip(q), start=a, tolerance=1e-9)
        assert followed.found.all()
        np.testing.assert_allclose(followed.q, q, atol=1e-6)
        assert not len(followed.jumps())


@pytest.mark.parametrize("make", [industrial, puma])
def test_the_wrist_passes_through_its_singularity_without_a_jump(make: Any) -> None:
    chain = make()
    a = np.array([0.3, -0.5, 0.6, 0.4, 0.5, -0.2])
    b = a.copy()
    b[4] = -0.5
    q = _way(a, b, 81)  # the middle one is singular
    followed = chain.follow(chain.tip(q), start=a, tolerance=1e-9)
    assert followed.found.all()
    np.testing.assert_allclose(followed.q, q, atol=1e-6)
    assert len(followed.switches) == 1
    assert 38 <= followed.switches[0] <= 42
    assert len(followed.jumps()) == 0


def test_hysteresis_keeps_rounding_from_switching_branches() -> None:
    chain = industrial()
    rng = np.random.default_rng(1)
    q = np.tile([0.3, -0.5, 0.6, 0.4, 0.0, -0.2], (60, 1))
    q[:, 4] = rng.uniform(-1e-6, 1e-6, 60)  # trembling about the singular wrist
    followed = chain.follow(chain.tip(q), start=q[0], tolerance=1e-9)
    assert followed.found.all()
    calm = chain.follow(chain.tip(q), start=q[0], tolerance=1e-9, hysteresis=4.0)
    assert len(calm.switches) == 0
    q[:, 4] = _way([0.2], [0.15], 60)[:, 0]
    assert len(chain.follow(chain.tip(q), start=q[0]).switches) == 0


def test_whole_turns_go_on() -> None:
    chain = industrial(limit=20.0)
    q = np.tile([0.0, -0.5, 0.6, 0.4, 0.7, -0.2], (300, 1))
    q[:, 0] = np.linspace(0.0, 4 * math.pi, 300)
    followed = chain.follow(chain.tip(q), start=q[0], tolerance=1e-9)
    np.testing.assert_allclose(followed.q, q, atol=1e-6)


def test_without_a_start_the_branch_that_goes_farthest_is_taken() -> None:
    chain = industrial(limit=1.6)
    q = _way([0.2, -0.9, 0.5, 0.3, 0.9, -0.4], [-0.6, -0.4, 0.8, -0.5, 1.2, 0.6], 50)
    X_WT = chain.tip(q)
    assert len(chain.all_inverse(X_WT[0])) > 1
    followed = chain.follow(X_WT, tolerance=1e-9)
    assert followed.found.all()
    assert len(followed.jumps()) == 0
    assert followed.travel <= np.abs(np.diff(q, axis=0)).sum() * 3.0


def test_what_the_path_asks_too_much_is_told() -> None:
    chain = industrial()
    X_WT = np.tile(chain.tip([0.3, -0.5, 0.6, 0.4, 0.5, -0.2]), (40, 1, 1))
    X_WT[:, 0, 3] += np.linspace(0.0, 2.0, 40)
    followed = chain.follow(X_WT)
    assert followed.found[0]
    assert not followed.found[-1]
    assert Reason(int(followed.answers.reason[-1])) is Reason.TOO_FAR
    assert followed.branch[-1] == NO_BRANCH
    assert "Too far" in followed.explain(39)
    # the nearest postures go on as well: no step beyond what the path's own asks
    assert followed.motion.max() < 1.0


def test_seven_joints_keep_their_swivel() -> None:
    chain = seven()
    a, b = (
        np.array([0.3, 0.5, -0.2, -1.1, 0.4, 0.9, 0.1]),
        np.array([0.6, 0.8, 0.1, -1.4, 0, 0.6, 0]),
    )
    q = _way(a, b, 80)
    for method in (None, Swivel()):
        followed = chain.follow(chain.tip(q), start=a, tolerance=1e-9, method=method)
        assert followed.found.all()
        assert len(followed.jumps(0.1)) == 0
        assert len(followed.switches) == 0
        assert np.all(followed.q >= chain.lower)
        assert np.all(followed.q <= chain.upper)
        np.testing.assert_allclose(followed.q[0], a, atol=1e-6)


def test_any_chain_follows_by_search() -> None:
    chain = person()
    q = _way(chain.neutral, 0.6 * chain.upper, 40)
    places = chain.tip(q)[:, :3, 3]
    told: list[tuple[int, int]] = []
    followed = chain.follow(places, start=q[0], progress=lambda d, t: told.append((d, t)))
    assert followed.found.all()
    assert len(followed.jumps(0.3)) == 0
    assert told[-1] == (40, 40)
    by_bfgs = chain.follow(places, start=q[0], method=BFGS())
    assert by_bfgs.found.mean() > 0.9


def _circle(chain: Any, q: Any, radius: float, count: int) -> Any:
    X = chain.tip(q)
    turn = np.linspace(0.0, math.tau, count + 1)
    path = np.tile(X[:3, 3], (count + 1, 1))
    path[:, 0] += radius * (np.cos(turn) - 1.0)
    path[:, 1] += radius * np.sin(turn)
    return path


def test_a_closed_path_drifts_with_the_pseudoinverse_and_not_with_the_extended_jacobian() -> None:
    chain = planar(limit=3.0)
    start = np.array([0.3, 0.5, 0.7])
    path = _circle(chain, start, 1.0, 400)
    drift = {}
    for method in (
        Pseudoinverse(feedback=0.5),
        ExtendedJacobian(feedback=0.5, task=Pull(1.0, start)),
    ):
        followed = chain.follow(path, start=start, tolerance=5e-3, method=method)
        assert followed.found.all()
        drift[type(method)] = np.linalg.norm(followed.q[-1] - followed.q[0])
    assert drift[Pseudoinverse] > 10 * drift[ExtendedJacobian]


def test_bad_paths_are_named() -> None:
    chain = industrial()
    X_WT = np.tile(chain.tip(np.zeros(6)), (4, 1, 1))
    broken = X_WT.copy()
    broken[2, 0, 3] = math.nan
    for path, more, words in (
        (X_WT[0], {}, r"shape \(4, 4\)"),
        (broken, {}, "first at 2"),
        (2.0 * X_WT, {}, "no pose"),
        (X_WT, {"start": np.zeros((4, 6))}, "one posture"),
        (X_WT, {"hysteresis": -1.0}, "hysteresis"),
        (X_WT[:, :3, 3], {"method": SphericalWrist()}, "poses"),
        (X_WT, {"method": Swivel()}, "structure"),
        (X_WT, {"method": Shrug()}, "structure"),
    ):
        with pytest.raises(KinematicsError, match=words):
            chain.follow(path, **more)
    assert chain.follow(np.empty((0, 4, 4))).q.shape == (0, 6)
    with pytest.raises(KinematicsError, match="spherical wrist"):
        person().follow(X_WT, method=SphericalWrist())
