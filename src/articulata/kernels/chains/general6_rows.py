"""Postures of a row of poses, those nearly there as well: where curves of postures are to begin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from articulata.kernels.chains.general6_kernels import (
    SAMPLES,
    circle_roots,
    coefficients,
    determinant,
    eliminate,
    loop_of,
    twelve,
)
from articulata.kernels.chains.general6_postures import completed
from articulata.kernels.compile import kernel

_NEAR_CIRCLE = 0.35


@kernel
def rows_of_postures(links: Any, split: int, table: Any, poses: Any, q: Any) -> None:
    """Write approximate postures ``q`` (m, 16, 6), NaN where none, of poses (m, 3, 4).

    See ``general6_kernels``; one split is taken and nothing is polished. A pair of complex roots
    not far from the circle gives the posture that all but meets its pose.
    """
    g = np.empty((6, 3, 4))
    scratch = np.empty((8, 3, 4))
    left = np.empty((3, 3, 3, 15))
    right = np.empty((9, 15))
    room = np.empty((12, 15))
    factor = np.empty((14, 36))
    rest = np.empty((6, 3, 3, 3))
    m = np.empty((12, 12))
    values = np.empty(SAMPLES)
    roots = np.empty(SAMPLES, np.complex128)
    coefficient = np.empty(SAMPLES, np.complex128)
    t = np.empty(6)
    for p in range(len(poses)):
        q[p] = np.nan
        loop_of(links, poses[p], split, g, scratch)
        coefficients(g, left, right, room)
        eliminate(left, right, rest, factor)
        for i in range(SAMPLES):
            twelve(rest, table[i].real, table[i].imag, m)
            values[i] = determinant(m)
        degree, _ = circle_roots(values, table, roots, coefficient)
        count = 0
        for k in range(degree):
            size = abs(roots[k])
            if not (size > 0.0 and abs(math.log(size)) < _NEAR_CIRCLE) or count == q.shape[1]:
                continue
            if size > 1.0 + 1e-6:
                continue  # its partner inside the circle gives the same
            completed(rest, factor, g, math.atan2(roots[k].imag, roots[k].real), 0.0, m, room, t)
            for i in range(6):
                j = (i + split) % 6
                if split < 6:
                    q[p, count, j] = t[i]
                else:
                    q[p, count, 5 - j] = -t[i]
            count += 1
