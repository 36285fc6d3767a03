"""Coulomb's law at many contacts against itself: every condition, contact by contact."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from articulata.domains.dynamic.contact.coulomb import coulomb
from articulata.kernels.multibody.contact.cones import Coulomb
from articulata.kernels.multibody.contact.interior import interior_forces
from articulata.kernels.multibody.contact.memory import SLIP, STICK

SIDE, HEIGHT = 0.1, 0.05


def missed(W, b, mu, p, mode=None, along=None):
    """Return the largest share by which forces miss the law: pressure, gap, cone, direction."""
    a = b + (W @ p.ravel()).reshape(-1, 3)
    force, fast = max(1e-100, np.abs(p).max()), max(1e-100, np.abs(b).max())
    worst = 0.0
    for i in range(len(mu)):
        side, drift = np.hypot(*p[i, 1:]), np.hypot(*a[i, 1:])
        worst = max(worst, -p[i, 0] / force, -a[i, 0] / fast)
        worst = max(worst, min(p[i, 0] / force, a[i, 0] / fast))
        if mode is not None and mode[i] == SLIP:
            worst = max(worst, np.abs(p[i, 1:] + mu[i] * p[i, 0] * along[i]).max() / force)
            continue
        worst = max(worst, (side - mu[i] * p[i, 0]) / force)
        against = p[i, 1:] * drift + mu[i] * p[i, 0] * a[i, 1:]
        worst = max(worst, np.abs(against).max() / (force * fast))
    return worst


def block(corners, push, spin=0.0, mass=4.0):
    """Return W and b of a block on ``corners`` (k, 2) under a push (3,) N at its mass centre."""
    inertia = mass / 12 * np.array([0.05, 0.08, 0.05])
    M = np.diag(1.0 / np.array([mass] * 3 + inertia.tolist()))
    rows = []
    for x, z in corners:
        arm = np.array([x, -HEIGHT, z])
        rows += [np.concatenate([e, np.cross(arm, e)]) for e in np.eye(3)[[1, 2, 0]]]
    J = np.array(rows)
    force = np.array([0.0, -mass * 9.81, 0.0, 0.0, spin, 0.0])
    force[:3] += push
    return J @ M @ J.T, (J @ M @ force).reshape(-1, 3)


def four(side=SIDE):
    return [(side, side), (side, -side), (-side, side), (-side, -side)]


def test_what_sticks_on_many_corners_has_no_acceleration_at_all() -> None:
    W, b = block(four() + four(0.5 * SIDE), (10.0, 0.0, 5.0))
    mu = np.full(8, 0.5)
    p = coulomb(W, b, mu)
    assert np.abs(b + (W @ p.ravel()).reshape(-1, 3)).max() < 1e-13 * np.abs(b).max()
    assert missed(W, b, mu, p) < 1e-13


def test_forces_that_nothing_decides_lie_in_the_middle_of_their_cones() -> None:
    W, b = block(four(), (0.0, 0.0, 0.0))
    p = coulomb(W, b, np.full(4, 0.5))
    # the weight is shared evenly, and none of it is spent across
    assert p[:, 0] == pytest.approx(np.full(4, 9.81), rel=1e-6)
    assert np.abs(p[:, 1:]).max() < 1e-6


@pytest.mark.parametrize("share", [0.5, 0.999, 1.001, 2.0])
def test_a_push_is_held_up_to_friction_times_the_weight(share: float) -> None:
    mu, weight = 0.5, 4.0 * 9.81
    W, b = block(four(), (share * mu * weight, 0.0, 0.0))
    p = coulomb(W, b, np.full(4, mu))
    a = b + (W @ p.ravel()).reshape(-1, 3)
    drift = max(0.0, share - 1.0) * mu * weight / 4.0
    assert a[:, 2] == pytest.approx(np.full(4, drift), abs=1e-11)
    assert a[:, 1] == pytest.approx(np.zeros(4), abs=1e-11)
    assert missed(W, b, np.full(4, mu), p) < 1e-12


def test_mirrored_contacts_slide_alike() -> None:
    """A push along the mirror plane of six corners must not turn the block."""
    corners = [*four(), (0.0, 0.08), (0.0, -0.08)]
    W, b = block(corners, (30.0, 4.0, 0.0))
    p = coulomb(W, b, np.full(6, 0.5))
    a = b + (W @ p.ravel()).reshape(-1, 3)
    assert np.abs(a[:, 1]).max() < 1e-11
    assert a[:, 2] == pytest.approx(np.full(6, a[0, 2]), rel=1e-11)
    assert a[0, 2] > 0.0


def bodies_in_contact(rng, k):
    """Return W and b of two bodies that touch each other and the ground in k places."""
    J, M = np.zeros((3 * k, 12)), np.diag(np.repeat(rng.uniform(0.3, 3.0, 4), 3))
    for i in range(k):
        place, n = rng.uniform(-1.0, 1.0, 3), rng.normal(size=3)
        n /= np.linalg.norm(n)
        t = np.cross(n, rng.normal(size=3))
        t /= np.linalg.norm(t)
        body, other = [(0, 1), (0, 2), (1, 2)][int(rng.integers(0, 3))]
        for row, e in enumerate((n, t, np.cross(n, t))):
            for which, sign in ((body, 1.0), (other, -1.0)):
                if which < 2:
                    arm = place - which
                    wrench = np.concatenate([e, np.cross(arm, e)])
                    J[3 * i + row, 6 * which : 6 * which + 6] += sign * wrench
    return J @ M @ J.T, (J @ rng.normal(size=12)).reshape(-1, 3)


def test_random_bodies_with_dependent_contacts() -> None:
    """Up to 16 contacts in random places and directions: every condition of the law."""
    rng = np.random.default_rng(7)
    worst = []
    for _ in range(150):
        k = int(rng.integers(1, 17))
        W, b = bodies_in_contact(rng, k)
        mu = rng.uniform(0.1, 0.9, k)
        worst.append(missed(W, b, mu, coulomb(W, b, mu)))
    assert np.quantile(worst, 0.98) < 1e-10
    assert max(worst) < 1e-6


def test_what_does_not_move_each_other_is_solved_as_if_alone() -> None:
    """Contacts of four groups of bodies, mixed up: bit for bit what each group gives by itself."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        groups = [bodies_in_contact(rng, int(k)) for k in rng.integers(1, 8, 4)]
        first = np.cumsum([0, *(len(b) for _, b in groups)])
        mu, k = rng.uniform(0.1, 0.9, first[-1]), first[-1]
        whole, alone = np.zeros((3 * k, 3 * k)), []
        for (W, b), (begin, end) in zip(groups, pairwise(first), strict=True):
            whole[3 * begin : 3 * end, 3 * begin : 3 * end] = W
            alone.append(coulomb(W, b, mu[begin:end]))
        # mixed, but in the same order within each group
        order = np.argsort(rng.uniform(size=k) + np.repeat(np.arange(4) % 2, np.diff(first)) * 0.5)
        place = np.empty(k, int)
        for begin, end in pairwise(first):
            mine = np.flatnonzero((order >= begin) & (order < end))
            place[mine] = np.arange(begin, end)
        rows = (3 * place[:, None] + np.arange(3)).ravel()
        b = np.concatenate([b for _, b in groups])
        p = coulomb(whole[np.ix_(rows, rows)], b[place], mu[place])
        assert np.array_equal(p, np.concatenate(alone)[place])


def test_one_contact_slides_against_its_motion() -> None:
    """Also where a push across moves it aside, as the end of a leaning rod: W is not round."""
    W = np.array([[3.6, -0.19, -0.13], [-0.19, 1.6, -1.36], [-0.13, -1.36, 2.7]])
    b, mu = np.array([[-0.41, -1.4, 2.1]]), np.array([0.7])
    p = coulomb(W, b, mu)
    assert missed(W, b, mu, p) < 1e-13
    assert np.hypot(*p[0, 1:]) == pytest.approx(0.7 * p[0, 0], rel=1e-13)


def test_contacts_that_slide_keep_their_direction() -> None:
    W, b = block(four(), (5.0, 0.0, 0.0), spin=0.3)
    mu, mode = np.array([0.5, 0.4, 0.3, 0.2]), np.full(4, SLIP)
    along = np.array([[0.6, 0.8], [0.0, 1.0], [-0.6, 0.8], [1.0, 0.0]])
    p = coulomb(W, b, mu, mode, along)
    assert missed(W, b, mu, p, mode, along) < 1e-13
    assert p[:, 0].sum() == pytest.approx(4.0 * 9.81, rel=1e-12)


def test_some_stick_where_others_slide() -> None:
    """A long rough foot that sticks beside a slippery one: pushes differ by what each can hold."""
    W, b = block(four(), (12.0, 0.0, 0.0))
    mu = np.array([0.9, 0.1, 0.9, 0.1])
    p = coulomb(W, b, mu)
    assert missed(W, b, mu, p) < 1e-12
    assert np.abs(b + (W @ p.ravel()).reshape(-1, 3)).max() < 1e-12


def test_the_path_alone_comes_near() -> None:
    W, b = block(four() + four(0.7 * SIDE), (25.0, 0.0, 3.0), spin=0.2)
    mu = np.full(8, 0.5)
    p = np.zeros((8, 3))
    mode, along = np.full(8, STICK), np.zeros((8, 2))
    law = Coulomb(W, b.ravel(), mu, mode, along)
    steps, left, drifts = interior_forces(law, p, True, 60, 1e-11)
    assert steps < 60
    assert drifts
    assert left < 1e-5
    assert missed(W, b, mu, p) < 1e-5


def test_nothing_to_hold_is_no_force() -> None:
    W, _ = block(four(), (0.0, 0.0, 0.0))
    p = coulomb(W, np.zeros((4, 3)), np.full(4, 0.5))
    assert np.all(p == 0.0)
