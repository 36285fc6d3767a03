"""QR with column pivoting: which rows of a set are combinations of the others.

SciPy's does the same, faster for large matrices; its import takes longer than the whole start of
a simulation, so that small matrices are left to the few lines here.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.geometry.arrays import Array, IntArray

LARGE = 150
"""Columns from which SciPy is worth its import."""


def pivoted_triangle(matrix: Array) -> tuple[Array, IntArray]:
    """Return R (k, n) and the order (n,) of the columns of ``matrix`` (m, n), k the lesser.

    ``matrix[:, order] = Q R`` with orthonormal Q; at each step the largest column left is next,
    the first of equals, so that the diagonal of R falls (Householder's method).
    """
    if matrix.shape[1] > LARGE:
        from scipy.linalg import qr

        R, order = qr(matrix, mode="r", pivoting=True)
        return R[: min(matrix.shape)], np.asarray(order, np.int64)
    R = matrix.copy()
    order = np.arange(R.shape[1], dtype=np.int64)
    for k in range(min(R.shape)):
        left = R[k:, k:]
        best = k + int(np.argmax(np.einsum("ij,ij->j", left, left)))
        R[:, [k, best]] = R[:, [best, k]]
        order[[k, best]] = order[[best, k]]
        size = float(np.linalg.norm(R[k:, k]))
        if size == 0.0:
            break
        mirror = R[k:, k].copy()
        mirror[0] += math.copysign(size, mirror[0])
        mirror /= np.linalg.norm(mirror)
        R[k:, k:] -= np.outer(2.0 * mirror, mirror @ R[k:, k:])
        R[k + 1 :, k] = 0.0
    return R[: min(R.shape)], order
