"""Dense systems of a few linear equations, solved in place by compiled loops.

Elimination with row pivots, Cholesky's factor, and complete pivoting where rows depend on each
other (Golub & Van Loan, Matrix Computations, 3.4 and 4.2).
"""

from __future__ import annotations

import math

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel

SHARE = 1e-10
"""Share of the largest pivot below which what is left of a row depends on the rows before it."""


@kernel(counted=False)
def overwrite(out: Array, values: Array) -> None:
    """Write ``values`` into an array of their shape.

    For ``out[:] = values`` Numba would compile, in every kernel anew, what words an error.
    """
    for i in np.ndindex(out.shape):
        out[i] = values[i]


@kernel(counted=False)
def copy(A: Array, out: Array) -> None:
    """Copy a table of numbers to one as large."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[i, j] = A[i, j]


@kernel(counted=False)
def lu_factor(A: Array, order: IntArray, m: int) -> bool:
    """Replace A (m, m) by its factors, found by elimination with row pivots; False for none."""
    for k in range(m):
        best, pivot = abs(A[k, k]), k
        for i in range(k + 1, m):
            if abs(A[i, k]) > best:
                best, pivot = abs(A[i, k]), i
        if not best > 0.0:
            return False
        order[k] = pivot
        if pivot != k:
            for j in range(m):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
        for i in range(k + 1, m):
            f = A[i, k] / A[k, k]
            A[i, k] = f
            if f != 0.0:
                for j in range(k + 1, m):
                    A[i, j] -= f * A[k, j]
    return True


@kernel(counted=False)
def lu_solve(A: Array, order: IntArray, x: Array, m: int) -> None:
    """Replace x by the solution with the factors of :func:`lu_factor`."""
    for k in range(m):
        pivot = order[k]
        x[k], x[pivot] = x[pivot], x[k]
    for i in range(m):
        s = x[i]
        for j in range(i):
            s -= A[i, j] * x[j]
        x[i] = s
    for i in range(m - 1, -1, -1):
        s = x[i]
        for j in range(i + 1, m):
            s -= A[i, j] * x[j]
        x[i] = s / A[i, i]


@kernel(counted=False)
def cholesky(A: Array, n: int) -> bool:
    """Replace the lower half of A (n, n) by Cholesky's factor; False where it has none."""
    for i in range(n):
        for j in range(i + 1):
            x = A[i, j]
            for k in range(j):
                x -= A[i, k] * A[j, k]
            if i > j:
                A[i, j] = x / A[j, j]
            else:
                if not x > 1e-3 * SHARE * A[i, i]:
                    return False
                A[i, i] = math.sqrt(x)
    return True


@kernel(counted=False)
def cholesky_solve(A: Array, n: int, b: Array, x: Array) -> None:
    """Solve with the factor of :func:`cholesky`."""
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= A[i, k] * x[k]
        x[i] = s / A[i, i]
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, n):
            s -= A[k, i] * x[k]
        x[i] = s / A[i, i]


@kernel(counted=False)
def solve_dependent(A: Array, n: int, b: Array, x: Array, order: IntArray) -> int:
    """Solve the leading n x n part of A x = b by complete pivoting; overwrites A and b.

    Unknowns of dependent rows are set to zero. Returns the rank.
    """
    for k in range(n):
        order[k] = k
    top, rank = 0.0, n
    for k in range(n):
        best, r, c = 0.0, k, k
        for i in range(k, n):
            for j in range(k, n):
                if abs(A[i, j]) > best:
                    best, r, c = abs(A[i, j]), i, j
        top = max(top, best)
        if best <= SHARE * top:
            rank = k
            break
        for j in range(n):
            A[k, j], A[r, j] = A[r, j], A[k, j]
        b[k], b[r] = b[r], b[k]
        for i in range(n):
            A[i, k], A[i, c] = A[i, c], A[i, k]
        order[k], order[c] = order[c], order[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
                b[i] -= f * b[k]
    for k in range(n):
        x[k] = 0.0
    for k in range(rank - 1, -1, -1):
        s = b[k]
        for j in range(k + 1, rank):
            s -= A[k, j] * x[order[j]]
        x[order[k]] = s / A[k, k]
    return rank


@kernel(counted=False)
def solve_columns(m: Array) -> float:
    """Solve n equations (n, n + k) in place, answers in the last k columns.

    Returned is the least pivot, small where the equations are nearly singular.
    """
    n = m.shape[0]
    width = m.shape[1]
    least = np.inf
    for k in range(n):
        best = k
        for r in range(k + 1, n):
            if abs(m[r, k]) > abs(m[best, k]):
                best = r
        if best != k:
            for j in range(k, width):
                other = m[best, j]
                m[best, j] = m[k, j]
                m[k, j] = other
        pivot = m[k, k]
        least = min(least, abs(pivot))
        if abs(pivot) < 1e-14:
            pivot = 1e-14
            m[k, k] = pivot
        inverse = 1.0 / pivot
        for r in range(k + 1, n):
            share = m[r, k] * inverse
            for j in range(k + 1, width):
                m[r, j] -= share * m[k, j]
    for back in range(n):
        k = n - 1 - back
        inverse = 1.0 / m[k, k]
        for right in range(n, width):
            for j in range(k + 1, n):
                m[k, right] -= m[k, j] * m[j, right]
            m[k, right] *= inverse
    return least
