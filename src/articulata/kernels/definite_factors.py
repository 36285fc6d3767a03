"""Factors of the inverse of a bend that is made definite: upward in every direction.

``H`` (p, p) is symmetric; of arrays that are larger the first rows and columns count.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, BoolArray
from articulata.kernels.compile import kernel

FLAT = 1e-5
"""Least bend in any direction, as a share of the largest: the model is made to bend so much."""


@kernel(counted=False)
def bent_upward(H: Array, p: int, M: Array, K: Array, used: BoolArray) -> None:
    """Write ``K`` (p, p) with ``K' K`` the inverse of H (p, p), made to bend upward everywhere.

    Symmetric elimination by one or two coordinates at a time, the largest first (Bunch and Parlett
    1971), of which the blocks' eigenvalues get their sizes (Cheng and Higham 1998). H is used up;
    ``used`` (p,) is scratch.
    """
    scale = 1e-300
    for i in range(p):
        used[i] = False
        for j in range(p):
            M[i, j] = 1.0 if i == j else 0.0
            scale = max(scale, abs(H[i, j]))
    done = 0
    while done < p:
        one, two, best, most = -1, -1, -1.0, -1.0
        first = -1
        for i in range(p):
            if used[i]:
                continue
            if abs(H[i, i]) > best:
                best, first = abs(H[i, i]), i
            for j in range(i):
                if not used[j] and abs(H[i, j]) > most:
                    most, one, two = abs(H[i, j]), i, j
        if best >= 0.64 * most:
            one, two = first, -1
        # the block, its eigenvalues and the turn to its axes
        cosine, sine = 1.0, 0.0
        a, b, c = H[one, one], 0.0, 1.0
        if two >= 0:
            b, c = H[one, two], H[two, two]
            angle = 0.5 * math.atan2(2.0 * b, a - c)
            cosine, sine = math.cos(angle), math.sin(angle)
        low = a * cosine * cosine + 2.0 * b * cosine * sine + c * sine * sine
        if two < 0:
            low = a
        high = a * sine * sine - 2.0 * b * cosine * sine + c * cosine * cosine
        used[one] = True
        if two >= 0:
            used[two] = True
        flat = abs(low) <= 1e-14 * scale
        for i in range(p):
            if used[i] or flat:
                continue
            u = cosine * H[one, i]
            if two >= 0:
                u += sine * H[two, i]
            u /= low
            v = 0.0
            if two >= 0:
                v = (cosine * H[two, i] - sine * H[one, i]) / high
            x, y = cosine * u - sine * v, sine * u + cosine * v
            for j in range(p):
                H[i, j] -= x * H[one, j]
                M[i, j] -= x * M[one, j]
            if two >= 0:
                for j in range(p):
                    H[i, j] -= y * H[two, j]
                    M[i, j] -= y * M[two, j]
        root = 1.0 / math.sqrt(max(abs(low), FLAT * scale))
        other = 1.0 / math.sqrt(max(abs(high), FLAT * scale))
        for j in range(p):
            u = cosine * M[one, j]
            if two >= 0:
                u += sine * M[two, j]
                K[done + 1, j] = other * (cosine * M[two, j] - sine * M[one, j])
            K[done, j] = root * u
        done += 1 if two < 0 else 2


@kernel(counted=False)
def bent_already(H: Array, p: int, L: Array, K: Array, column: Array) -> bool:
    """Write ``K`` (p, p) with ``K' K`` the inverse of H (p, p), by Cholesky's factors in ``L``.

    Return False where H bends downward somewhere, or less than ``FLAT`` of its most. ``column``
    (p,) is scratch.
    """
    scale = 1e-300
    for i in range(p):
        scale = max(scale, abs(H[i, i]))
        for j in range(i + 1):
            L[i, j] = H[i, j]
    for k in range(p):
        if not L[k, k] > FLAT * scale:
            return False
        root = math.sqrt(L[k, k])
        for i in range(k, p):
            column[i] = L[i, k] / root
            L[i, k] = column[i]
        for i in range(k + 1, p):
            part = column[i]
            for j in range(k + 1, i + 1):
                L[i, j] -= part * column[j]
    for i in range(p):
        for j in range(p):
            K[i, j] = 1.0 if i == j else 0.0
        for k in range(i):
            part = L[i, k]
            for j in range(k + 1):
                K[i, j] -= part * K[k, j]
        for j in range(i + 1):
            K[i, j] /= L[i, i]
    return True
