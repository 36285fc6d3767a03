"""Collisions: no law of impact makes energy, whatever friction and coupling do to it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from articulata.domains.dynamic.contact.collisions import parted, without_gain
from articulata.domains.dynamic.contact.laws import (
    Collision,
    ImpactLaw,
    Newton,
    Poisson,
    Sequential,
    impulses,
)
from articulata.geometry.arrays import Array


def collision(coupling: float, along: float, friction: float, restitution: float) -> Collision:
    """One contact at 1 m/s whose normal and tangent move each other."""
    W = np.array([[1.0, coupling, 0.0], [coupling, 1.0, 0.0], [0.0, 0.0, 1.0]])
    u = np.array([[-1.0, along, 0.0]])
    return Collision(W, u, (lambda _: restitution,), np.array([friction]), np.zeros(1, np.int64))


def gain(hit: Collision, p: Array) -> float:
    """Kinetic energy after less that before: half the sum of impulse times both speeds."""
    return float(0.5 * np.sum(p.ravel() * (2.0 * hit.u.ravel() + hit.W @ p.ravel())))


@pytest.mark.parametrize("law", [Newton(), Poisson(), Sequential()], ids=lambda law: law.name)
def test_restitution_makes_no_energy(law: ImpactLaw) -> None:
    cured = 0
    for coupling, along, friction in product(
        (0.5, 0.9, -0.7), (-1.0, -0.5, 0.1, 0.5, 1.0), (0.0, 0.2, 1.0)
    ):
        hit = collision(coupling, along, friction, 0.95)
        plain = impulses(law, hit)
        p, kept = without_gain(law, hit)
        if gain(hit, plain) > 1e-9:
            # as much restitution as makes the energy stay, and not less
            assert 0.0 < kept < 1.0
            assert gain(hit, p) == pytest.approx(0.0, abs=1e-10)
            cured += 1
        else:
            assert kept == 1.0
            np.testing.assert_array_equal(p, plain)
    # at one contact Poisson's law takes energy in both phases, and needs no cure
    assert cured == 0 if law == Poisson() else cured > 5


def test_the_least_share_is_that_of_a_closed_form() -> None:
    # normal and tangent coupled by c; friction holds: W p = (1 + e, 0.5) for u = (-1, -0.5), so
    # that the energy stays where p . (u + u') = 0 with u' = (e, 0)
    c = 0.5
    p, kept = without_gain(Newton(), collision(c, -0.5, 1.0, 0.95))
    e = 0.95 * kept
    W = np.array([[1.0, c], [c, 1.0]])
    held = np.linalg.solve(W, [1.0 + e, 0.5])
    np.testing.assert_allclose(p[0, :2], held, atol=1e-9)
    assert held @ np.array([e - 1.0, -0.5]) == pytest.approx(0.0, abs=1e-10)


def test_an_impact_that_was_not_solved_ends_without_friction() -> None:
    # two coupled contacts at 1 m/s and no impulses: none may approach afterwards, none may gain
    W = np.eye(6)
    W[0, 3] = W[3, 0] = -0.5
    u = np.array([[-1.0, 0.3, 0.0], [-1.0, 0.0, 0.2]])
    p = parted(W, u, np.zeros((2, 3)))
    np.testing.assert_allclose(p[:, 0], [2.0, 2.0], atol=1e-9)
    assert np.all(p[:, 1:] == 0.0)
    after = u + (W @ p.ravel()).reshape(2, 3)
    assert np.all(after[:, 0] >= -1e-9)
    assert np.sum(p * (u + after)) < 0.0
    np.testing.assert_array_equal(parted(W, u, p), p)
