"""The published methods behind Chain.inverse: true answers, counts, limits, restarts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from benchmarks.published.sweeping_methods import (
    CoordinateDescent,
    Increment,
    Triangulation,
)
from tests.unit.kinematics.arms import drawn, person, planar, seven

from articulata.errors import KinematicsError
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.inverse.iterated import drawn as start_postures
from articulata.kinematics.inverse.jacobians import (
    DampedLeastSquares,
    ExtendedJacobian,
    JacobianTranspose,
    Pseudoinverse,
    Pull,
    ResolvedMotion,
)
from articulata.kinematics.inverse.measuring import tip_errors
from articulata.kinematics.inverse.postures import Postures
from articulata.kinematics.inverse.quasi_newton import BFGS
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.joint import Joint, Mimic

PLACES = [
    Increment("A", iterations=60),
    Increment("B", iterations=60),
    Increment("C", iterations=60),
    Increment("D", iterations=60),
    Increment("E"),
    CoordinateDescent(),
    CoordinateDescent(cap=0.1),
    Triangulation(),
]
SLOW = [pytest.param(method, marks=pytest.mark.slow) for method in PLACES]
"""Comparisons alone ask for these, so that nothing else compiles their kernels."""
POSES = [
    JacobianTranspose(steps=400),
    Pseudoinverse(),
    DampedLeastSquares(task=Pull(0.05)),
    ExtendedJacobian(steps=60),
    ResolvedMotion(steps=60, feedback=1.0),
    BFGS(),
]


def _true(answers: Postures) -> None:
    chain = answers.chain
    error, angle = tip_errors(chain, answers.q, answers.targets)
    np.testing.assert_allclose(answers.error, error, rtol=0, atol=1e-12)
    np.testing.assert_allclose(answers.angle, angle, rtol=0, atol=1e-9)
    met = (error <= answers.tolerance) & (angle <= answers.angle_tolerance)
    np.testing.assert_array_equal(answers.found, met)
    np.testing.assert_array_equal(answers.reason, np.where(met, 0, Reason.GAVE_UP))
    assert np.all(answers.q >= chain.lower - 1e-12)
    assert np.all(answers.q <= chain.upper + 1e-12)
    assert not answers.proved.any()


@pytest.mark.parametrize("method", [*SLOW, *POSES], ids=repr)
def test_places_are_answered_truly(method: Any) -> None:
    # resolved motion and the extended Jacobian know no limits on the way
    free = isinstance(method, ExtendedJacobian | ResolvedMotion)
    chain = seven() if free else person()
    rng = np.random.default_rng(0)
    q = (0.7 if free else 1.0) * drawn(chain, rng, 6 if free or isinstance(method, BFGS) else 30)
    near = np.clip(q + rng.uniform(-0.2, 0.2, q.shape), chain.lower, chain.upper)
    answers = chain.inverse(chain.tip(q)[:, :3, 3], start=near, tolerance=5e-3, method=method)
    _true(answers)
    assert answers.found.mean() >= 0.5
    assert np.all(answers.counts["iterations"] >= 0)
    np.testing.assert_array_equal(answers.counts["starts"], 1)


@pytest.mark.parametrize("method", POSES, ids=repr)
def test_poses_are_answered_truly(method: Any) -> None:
    chain = seven()
    rng = np.random.default_rng(1)
    q = 0.7 * drawn(chain, rng, 10)
    near = q + rng.uniform(-0.1, 0.1, q.shape)
    answers = chain.inverse(
        chain.tip(q), start=near, tolerance=2e-3, angle_tolerance=5e-3, method=method
    )
    _true(answers)
    assert answers.found.mean() >= 0.6


@pytest.mark.parametrize("method", PLACES, ids=repr)
def test_methods_of_places_refuse_poses(method: Any) -> None:
    with pytest.raises(KinematicsError, match="as published"):
        planar().inverse(np.eye(4), method=method)


@pytest.mark.slow
def test_restarts_find_more_and_are_counted() -> None:
    chain = person()
    places = chain.tip(drawn(chain, np.random.default_rng(2), 150))[:, :3, 3]
    once = chain.inverse(places, method=CoordinateDescent(sweeps=30))
    often = chain.inverse(places, method=CoordinateDescent(sweeps=30, starts=5))
    _true(often)
    assert often.found.sum() > once.found.sum()
    assert not (once.found & ~often.found).any()
    assert often.counts["starts"].max() == 5
    assert np.all(often.counts["starts"][once.found] == 1)
    assert np.all(often.counts["iterations"] >= once.counts["iterations"])


@pytest.mark.slow
def test_the_2009_method_has_local_minima() -> None:
    # "no local minimum" (section 5) does not hold: these points are all reachable
    chain = person()
    places = chain.tip(drawn(chain, np.random.default_rng(3), 400))[:, :3, 3]
    once = chain.inverse(places, tolerance=0.45e-3, method=Increment("E"))
    often = chain.inverse(places, tolerance=0.45e-3, method=Increment("E", starts=5))
    _true(often)
    assert 0.2 < once.found.mean() < 0.6 < often.found.mean() < 1.0
    assert np.all(np.isin(often.counts["stop"], [0, 1, 2]))
    np.testing.assert_array_equal(often.counts["stop"] == 0, often.found)


@pytest.mark.slow
def test_counts_of_products_are_the_variants_own() -> None:
    chain = person()
    places = chain.tip(drawn(chain, np.random.default_rng(4), 20))[:, :3, 3]
    products = {
        variant: chain.inverse(places, method=Increment(variant, iterations=1)).counts["products"]
        for variant in ("A", "C")
    }
    # n products to measure the start, then n^2 to 2 n^2 for A, at most 6 n + 1 for C
    n = 21
    moved = products["A"] > n
    assert np.all(products["A"][moved] <= n + 2 * n * n)
    assert np.all(products["C"][moved] <= n + 6 * n + 1)


def test_progress_and_chunks_change_nothing() -> None:
    chain = planar()
    places = chain.tip(drawn(chain, np.random.default_rng(5), 600))[:, :3, 3]
    told: list[tuple[int, int]] = []
    method = JacobianTranspose(starts=3, steps=20)
    chunked = chain.inverse(places, method=method, progress=lambda d, t: told.append((d, t)))
    assert told == [(256, 600), (512, 600), (600, 600)]
    np.testing.assert_array_equal(chunked.q, chain.inverse(places, method=method).q)
    assert chain.inverse(np.empty((0, 3)), method=method).q.shape == (0, 3)
    starts = drawn(chain, np.random.default_rng(6), 600)
    one = chain.inverse(places, start=starts, method=method, progress=lambda d, t: None)
    np.testing.assert_array_equal(one.q, chain.inverse(places, start=starts, method=method).q)


def test_what_a_method_cannot_take_is_named() -> None:
    leader, follower = Joint("a"), Joint("b", mimic=Mimic("a"))
    with pytest.raises(KinematicsError, match=r"follow others \(b\)"):
        Chain([leader, follower]).inverse([0, 0, 0], method=CoordinateDescent())
    endless = Chain.standard_dh([DH(a=1.0), DH(kind="prismatic", name="rail")])
    with pytest.raises(KinematicsError, match="'rail' slides without end"):
        endless.inverse([1.0, 0, 0], method=Increment())
    with pytest.raises(KinematicsError, match="posture of Pull has 3 numbers"):
        planar().inverse([5, 0, 0], method=Pseudoinverse(task=Pull(0.1, [0.0])))
    for build, words in (
        (lambda: Increment("F"), "'A' to 'E'"),  # type: ignore[arg-type] # what is tested
        (lambda: Increment("A", rate=0.0), "rate"),
        (lambda: CoordinateDescent(cap=-1.0), "cap"),
        (lambda: CoordinateDescent(starts=0), "at least one start"),
        (lambda: Triangulation(passes=0), "pass"),
        (lambda: Pseudoinverse(feedback=2.0), "feedback"),
        (lambda: DampedLeastSquares(damping=0.0), "damping"),
        (lambda: Pull(0.0), "gain"),
        (lambda: BFGS(iterations=0), "iteration"),
    ):
        with pytest.raises(KinematicsError, match=words):
            build()


def test_joints_without_limits_are_drawn_from_a_full_turn() -> None:
    chain = Chain.standard_dh(
        [DH(a=1.0), DH(a=1.0, limits=(0.5, math.inf)), DH(a=1.0, limits=(-math.inf, 0.5))]
    )
    q = start_postures(chain, 200, 0)
    assert np.all(np.abs(q[:, 0]) <= math.pi)
    assert np.all((q[:, 1] >= 0.5) & (q[:, 1] <= 0.5 + math.tau))
    assert np.all((q[:, 2] <= 0.5) & (q[:, 2] >= 0.5 - math.tau))
    _true(chain.inverse(chain.tip(q)[:, :3, 3], method=JacobianTranspose()))
