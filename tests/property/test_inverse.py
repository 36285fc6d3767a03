"""Inverse kinematics of chains nobody chose: true answers, no crash, nothing reachable missed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.published.sweeping_methods import (
    CoordinateDescent,
    Increment,
    Triangulation,
)
from tests.unit.kernels.chains import random_chain
from tests.unit.kinematics.arms import chain_of

from articulata.errors import KinematicsError
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import translation
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.inverse.jacobians import (
    DampedLeastSquares,
    ExtendedJacobian,
    JacobianTranspose,
    Pseudoinverse,
    ResolvedMotion,
)
from articulata.kinematics.inverse.measuring import tip_errors
from articulata.kinematics.inverse.quasi_newton import BFGS
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.joint import Joint

PLACES = [CoordinateDescent(sweeps=5), Increment(iterations=5), Triangulation(passes=3)]
POSES = [
    Descent(),
    DampedLeastSquares(steps=5),
    Pseudoinverse(steps=5),
    JacobianTranspose(steps=4),
]


def _true(answers: Any) -> None:
    chain = answers.chain
    error, angle = tip_errors(chain, answers.q, answers.targets)
    np.testing.assert_allclose(answers.error, error, rtol=0, atol=1e-10)
    np.testing.assert_allclose(answers.angle, angle, rtol=0, atol=1e-7)
    np.testing.assert_array_equal(
        answers.found,
        (answers.error <= answers.tolerance) & (answers.angle <= answers.angle_tolerance),
    )
    assert np.all(answers.q >= chain.lower - 1e-12)
    assert np.all(answers.q <= chain.upper + 1e-12)
    for i in range(0, len(answers), 7):
        assert answers.explain(i)


@pytest.mark.parametrize(
    "seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 25))]
)
def test_random_chains_with_slides_and_fixed_joints(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = random_chain(rng, int(rng.integers(1, 9)))
    if (parts[1] == 2).all():
        parts[1][0] = 0
    chain = chain_of(parts)
    X_WT = chain.tip(rng.uniform(chain.lower, chain.upper, (20, chain.dof)))
    beyond = chain.tip(rng.uniform(-9, 9, (10, chain.dof)))
    for targets in (X_WT[:, :3, 3], 3.0 * beyond[:, :3, 3]):
        # nothing but comparisons compiles the kernels of the others
        for method in (*POSES, *PLACES) if seed >= 10 else POSES:
            _true(chain.inverse(targets, tolerance=1e-6, method=method))
    for targets in (X_WT, beyond):
        for method in POSES:
            _true(chain.inverse(targets, tolerance=1e-6, method=method))
    reachable = chain.inverse(X_WT, tolerance=1e-6)
    assert reachable.found.all()
    assert chain.inverse(X_WT[:, :3, 3], tolerance=1e-6).found.all()
    chain.follow(X_WT[:3])


ODD = {
    "one joint without a length": Chain([Joint("a")]),
    "one slide": Chain([Joint("a", "prismatic", limits=(0.0, 1.0))]),
    "one axis twice": Chain([Joint("a"), Joint("b")]),
    "nothing left to move": Chain(
        [
            Joint("a", limits=(0.5, 0.5)),
            Joint("b", X_PJ=translation(1.0, 0.0, 0.0), limits=(0.2, 0.2)),
        ],
        end=translation(1.0, 0.0, 0.0),
    ),
    "one axis six times": Chain([Joint(f"j{i}") for i in range(6)]),
    "one axis seven times": Chain([Joint(f"j{i}") for i in range(7)]),
}


@pytest.mark.parametrize("published", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ODD)
def test_odd_chains_are_answered_with_numbers(name: str, published: bool) -> None:
    chain = ODD[name]
    own = [*POSES, BFGS(), ResolvedMotion(steps=5), ExtendedJacobian(steps=5)]
    methods = PLACES if published else own
    for target in ([0.0, 0, 0], [1.0, 0, 0], np.zeros((2, 3)), np.eye(4)):
        for method in methods:
            if np.ndim(target) == 2 and np.shape(target) == (4, 4) and method in PLACES:
                continue
            answers = chain.inverse(target, method=method)
            assert np.isfinite(answers.q).all()
            assert set(np.ravel(answers.reason)) <= set(Reason)
            assert answers.explain(*([0] * len(answers.batch)))
    if name == "nothing left to move":  # a planar arm whose only posture does not come there
        assert len(chain.all_inverse(np.eye(4))) == 0
        return
    with pytest.raises(KinematicsError, match="no closed form"):
        chain.all_inverse(np.eye(4))
