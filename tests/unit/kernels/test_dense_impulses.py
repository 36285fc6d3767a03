"""Impulses of a few contacts to rounding: against Lemke's method, enumeration and the laws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from articulata.kernels.multibody.stepping.dense import Dense, finish, new_dense, rest

WELL = 1e-13


def solved(W: np.ndarray, q: np.ndarray, mu: np.ndarray) -> tuple[np.ndarray, bool, Dense]:
    """Return the impulses found from none on, and whether the laws hold."""
    d, n = new_dense(), len(q)
    d.W[:n, :n], d.q[:n], d.soft[:n] = W, q, 1.0
    d.mu[: n // 3] = mu
    held = bool(finish(d, n // 3, WELL))
    return d.p[:n].copy(), held, d


def spread(normal: np.ndarray, tangent: np.ndarray | None = None) -> np.ndarray:
    """Return rows (3k,) from those of the normals and of the first tangents."""
    rows = np.zeros((len(normal), 3, *normal.shape[1:]))
    rows[:, 0] = normal
    if tangent is not None:
        rows[:, 1] = tangent
    return rows.reshape(-1, *normal.shape[1:])


def lemke(M: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return z >= 0 with w = M z + q >= 0 and z w = 0, by Lemke's complementary pivots."""
    n = len(q)
    if np.all(q >= 0):
        return np.zeros(n)
    # rows: w - M z - e z0 = q
    table = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None]])
    basis = list(range(n))
    row, enters = int(np.argmin(q)), 2 * n
    for _ in range(50 * n):
        table[row] /= table[row, enters]
        for i in range(n):
            if i != row:
                table[i] -= table[i, enters] * table[row]
        left, basis[row] = basis[row], enters
        if left == 2 * n:
            break
        enters = left + n if left < n else left - n
        column = table[:, enters]
        ratio = np.where(column > 1e-12, table[:, -1] / np.where(column > 1e-12, column, 1), np.inf)
        row = int(np.argmin(ratio))
        assert np.isfinite(ratio[row]), "a ray"
    z = np.zeros(2 * n + 1)
    z[basis] = table[:, -1]
    return z[n : 2 * n]


@pytest.mark.parametrize("seed", range(30))
def test_without_friction_lemkes_method_gives_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, dof = int(rng.integers(1, 12)), 14
    J = rng.normal(size=(k, dof)) * 10.0 ** rng.uniform(-1, 1, dof)
    v = J @ rng.normal(size=dof)
    W = spread(J) @ spread(J).T
    p, held, _ = solved(W, spread(v), np.zeros(k))
    known = lemke(J @ J.T, v)
    assert held
    assert np.max(np.abs(p[::3] - known)) <= 1e-9 * np.max(np.abs(known), initial=1.0)


def enumerated(M: np.ndarray, v: np.ndarray, mu: np.ndarray) -> list[np.ndarray]:
    """Return all impulses (2, k) of planar contacts that obey the laws, trying every state."""
    k, found = len(mu), []
    for states in product(("open", "stick", "+", "-"), repeat=k):
        A, b = np.zeros((2 * k, 2 * k)), np.zeros(2 * k)
        for i, state in enumerate(states):
            n, t = i, k + i
            if state == "open":
                A[n, n] = A[t, t] = 1.0
                continue
            A[n], b[n] = M[n], -v[n]
            if state == "stick":
                A[t], b[t] = M[t], -v[t]
            else:
                A[t, t], A[t, n] = 1.0, -mu[i] if state == "+" else mu[i]
        p = np.linalg.solve(A, b)
        u = M @ p + v
        good = np.all(p[:k] >= -1e-12) and np.all(u[:k] >= -1e-12)
        good &= np.all(np.abs(p[k:]) <= mu * p[:k] + 1e-12)
        for i, state in enumerate(states):
            if state in "+-":
                good &= u[k + i] * p[k + i] <= 1e-12
        if good:
            found.append(p.reshape(2, k))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_with_friction_in_a_plane_one_of_the_enumerated_answers_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, dof = int(rng.integers(1, 5)), 24
    mu = rng.uniform(0.05, 0.3, k)
    N, T = rng.normal(size=(2, k, dof))
    v = rng.normal(size=dof)
    F = np.vstack([N, T])
    known = enumerated(F @ F.T, F @ v, mu)
    J = spread(N, T)
    p, held, _ = solved(J @ J.T, J @ v, mu)
    assert held
    apart = [np.max(np.abs(np.stack([p[::3], p[1::3]]) - each)) for each in known]
    assert min(apart) <= 1e-12 * np.max(np.abs(p), initial=1.0)


def box_on_table(masses: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return mobility and free velocities of boxes of 0.2 m on each other, 1 ms under gravity."""
    size, n = 0.2, len(masses)
    inverse = np.zeros((6 * n, 6 * n))
    for k, mass in enumerate(masses):
        at = slice(6 * k, 6 * k + 6)
        inverse[at, at] = np.diag([1 / mass] * 3 + [6 / (mass * size**2)] * 3)
    rows = []
    for k, x, z in product(range(n), (-0.1, 0.1), (-0.1, 0.1)):
        for axis in np.eye(3)[[1, 0, 2]]:
            row = np.zeros((n, 6))
            for body, sign, up in ((k, 1.0, -0.1), (k - 1, -1.0, 0.1)):
                if body >= 0:
                    row[body] = sign * np.concatenate([axis, np.cross((x, up, z), axis)])
            rows.append(row.ravel())
    J = np.array(rows)
    v = np.tile([0.0, -9.81e-3, 0.0, 0.0, 0.0, 0.0], n)
    return J @ inverse @ J.T, J @ v


@pytest.mark.parametrize(
    "masses",
    [[8.0] * 10, [8.0, 8000.0] * 5, [8.0] * 9 + [8000.0], [8.0] * 16],
    ids=["equal", "1:1000 in turn", "1000 on top", "sixteen"],
)
def test_stacks_are_solved_to_rounding(masses: list[float]) -> None:
    W, q = box_on_table(masses)
    p, held, d = solved(W, q, np.full(len(q) // 3, 0.5))
    assert held
    assert rest(d, len(q) // 3, 0.0) <= 1e-15
    # every layer bears what is above it, shared evenly by four corners
    above = np.cumsum(masses[::-1])[::-1] * 9.81e-3
    assert p.reshape(-1, 4, 3)[:, :, 0] == pytest.approx(np.repeat(above / 4, 4).reshape(-1, 4))
    assert np.max(np.abs(p.reshape(-1, 3)[:, 1:])) <= 1e-7 * above[0]


def test_loads_left_open_are_the_least() -> None:
    rng = np.random.default_rng(5)
    places = rng.uniform(-1, 1, (9, 2))
    J = np.column_stack([np.ones(9), places])
    v = np.array([-1.0, 0.0, 0.0])
    p, held, _ = solved(spread(J) @ spread(J).T, spread(J @ v), np.zeros(9))
    least = np.linalg.lstsq(J @ J.T, -J @ v, rcond=1e-12)[0]
    assert np.min(least) > 0.0
    assert held
    assert np.max(np.abs(p[::3] - least)) <= 1e-9 * np.max(least)


def test_what_cannot_be_solved_is_left_alone() -> None:
    d = new_dense()
    d.p[:3] = 1.0, 2.0, 3.0
    assert not finish(d, 1, WELL)
    assert d.p[:3].tolist() == [1.0, 2.0, 3.0]
