"""One step of the tree solve over any hinge, and at the root of a floating mechanism.

With m independent rows J_i x_i + J_p x_p = rhs the body follows its parent as

    x_i = X x_p + T rhs + S y,   J_i T = 1,   J_i S = 0,   X = -T J_p

T and S come from a Householder factorisation of J_i^T, so that any composition of rows on
surfaces is a hinge. ``point`` does the common hinges several times faster.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.system import (
    ARM,
    ARTICULATED,
    HINGE_SCRATCH,
    LOAD,
    MULTIPLIER,
    RHS,
    SOLUTION,
)
from articulata.kernels.multibody.tree.shift import hand_on

FRAME = HINGE_SCRATCH
"""(36) row k < m: column k of T; row k >= m: a column of S."""
FOLLOW = FRAME + 36
"""(36) X; for a floating root unused."""
UPPER = FOLLOW + 36
"""(36) row k >= m: M S_k."""
SPREAD = UPPER + 36
"""(36) (S^T M S)^-1, rows and columns m ... 5."""
REST = SPREAD + 36
"""(36) M, then what the parent feels: M - U D^-1 U^T."""
FREE_RATE = REST + 36
"""(6) D^-1 S^T p of the solve, entries m ... 5."""
TURNED = FREE_RATE + 6
"""(6) scratch: T rhs, later X x_p."""
FELT = TURNED + 6
"""(21) X^T REST X, laid out as ARTICULATED."""

SMALLEST_ROW = 1e-5
"""A row whose part independent of the rows before it is shorter counts as dependent."""


class Node(NamedTuple):
    """A body in the tree, its parent (-1: none), its side of the hinge, and the hinge's rows.

    These are ``tree_row[first : first + m]``.
    """

    i: int
    p: int
    side: int
    first: int
    m: int


@kernel(counted=False)
def frame_of_rows(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> int:
    """Fill FRAME with T and S for the body's rows; return -1 or the first dependent row."""
    i, _, side, first, m = node
    own = 6 * side
    # reflections H_k so that H_m-1 ... H_0 J^T is upper triangular; vectors kept in UPPER
    for k in range(m):
        row = tree_row[first + k]
        for j in range(6):
            scratch[i, TURNED + j] = work[row, own + j]
        for h in range(k):
            s = 0.0
            for j in range(h, 6):
                s += scratch[i, UPPER + 6 * h + j] * scratch[i, TURNED + j]
            for j in range(h, 6):
                scratch[i, TURNED + j] -= s * scratch[i, UPPER + 6 * h + j]
        s = 0.0
        for j in range(k, 6):
            s += scratch[i, TURNED + j] * scratch[i, TURNED + j]
        length = math.sqrt(s)
        if not length > SMALLEST_ROW:
            return row
        head = scratch[i, TURNED + k]
        alpha = -length if head >= 0.0 else length
        scale = 1.0 / math.sqrt(length * (length + abs(head)))  # |v|^2 = 2
        for j in range(6):
            scratch[i, UPPER + 6 * k + j] = scratch[i, TURNED + j] * scale if j >= k else 0.0
        scratch[i, UPPER + 7 * k] = (head - alpha) * scale
        # column k of the triangle, kept in SPREAD
        for j in range(k):
            scratch[i, SPREAD + 6 * j + k] = scratch[i, TURNED + j]
        scratch[i, SPREAD + 7 * k] = alpha
    for k in range(6):  # Q e_k = H_0 ... H_m-1 e_k
        for j in range(6):
            scratch[i, FRAME + 6 * k + j] = 1.0 if j == k else 0.0
        for h in range(m - 1, -1, -1):
            s = 0.0
            for j in range(h, 6):
                s += scratch[i, UPPER + 6 * h + j] * scratch[i, FRAME + 6 * k + j]
            for j in range(h, 6):
                scratch[i, FRAME + 6 * k + j] -= s * scratch[i, UPPER + 6 * h + j]
    # J = R^T Q_1^T, hence T = Q_1 R^-T: column k of T from the columns after it
    for k in range(m - 1, -1, -1):
        for j in range(6):
            x = scratch[i, FRAME + 6 * k + j]
            for h in range(k + 1, m):
                x -= scratch[i, SPREAD + 6 * k + h] * scratch[i, FRAME + 6 * h + j]
            scratch[i, FRAME + 6 * k + j] = x / scratch[i, SPREAD + 7 * k]
    return -1


@kernel(counted=False)
def place_of(r: int, c: int) -> int:
    """Return where entry (r, c) of a symmetric 6 x 6 matrix stands in ARTICULATED."""
    if r > c:
        r, c = c, r
    if r < 3 <= c:
        return ARTICULATED + 3 + 3 * r + c
    return ARTICULATED + c % 3 + (r % 3) * (5 - r % 3) // 2 + (15 if r >= 3 else 0)


@kernel(counted=False, apart=True)
def place_general(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> int:
    """Fill FRAME; the body's point is its mass centre. Return -1 or the first dependent row."""
    for k in range(3):
        scratch[node.i, ARM + k] = 0.0
    return frame_of_rows(node, tree_row, scratch, work)


@kernel(counted=False)
def invert_spread(scratch: Array, i: int, m: int) -> None:
    """Invert rows and columns m ... 5 of SPREAD, positive definite, by Gauss-Jordan."""
    for k in range(m, 6):
        inverse = 1.0 / scratch[i, SPREAD + 7 * k]
        scratch[i, SPREAD + 7 * k] = 1.0
        for j in range(m, 6):
            scratch[i, SPREAD + 6 * k + j] *= inverse
        for r in range(m, 6):
            if r != k:
                x = scratch[i, SPREAD + 6 * r + k]
                scratch[i, SPREAD + 6 * r + k] = 0.0
                for j in range(m, 6):
                    scratch[i, SPREAD + 6 * r + j] -= x * scratch[i, SPREAD + 6 * k + j]


@kernel(counted=False, apart=True)
def factor_general(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Eliminate a body over its rows (none for a floating root)."""
    i, p, side, first, m = node
    for r in range(6):
        for c in range(6):
            scratch[i, REST + 6 * r + c] = scratch[i, place_of(r, c)]
    for k in range(m, 6):
        for r in range(6):
            x = 0.0
            for j in range(6):
                x += scratch[i, REST + 6 * r + j] * scratch[i, FRAME + 6 * k + j]
            scratch[i, UPPER + 6 * k + r] = x
        for h in range(m, k + 1):
            x = 0.0
            for r in range(6):
                x += scratch[i, FRAME + 6 * h + r] * scratch[i, UPPER + 6 * k + r]
            scratch[i, SPREAD + 6 * k + h] = x
            scratch[i, SPREAD + 6 * h + k] = x
    invert_spread(scratch, i, m)
    if p < 0:
        return
    other = 6 - 6 * side
    for r in range(6):
        for c in range(6):
            x = 0.0
            for k in range(m):
                x -= scratch[i, FRAME + 6 * k + r] * work[tree_row[first + k], other + c]
            scratch[i, FOLLOW + 6 * r + c] = x
    for k in range(m, 6):
        for r in range(6):
            x = 0.0
            for h in range(m, 6):
                x += scratch[i, SPREAD + 6 * k + h] * scratch[i, UPPER + 6 * h + r]
            for c in range(6):
                scratch[i, REST + 6 * r + c] -= x * scratch[i, UPPER + 6 * k + c]
    # X^T REST X, column by column
    for c in range(6):
        for r in range(6):
            x = 0.0
            for j in range(6):
                x += scratch[i, REST + 6 * r + j] * scratch[i, FOLLOW + 6 * j + c]
            scratch[i, TURNED + r] = x
        for r in range(c + 1):
            x = 0.0
            for j in range(6):
                x += scratch[i, FOLLOW + 6 * j + r] * scratch[i, TURNED + j]
            scratch[i, FELT - ARTICULATED + place_of(r, c)] = x
    hand_on(scratch, i, FELT, p, 0.0, 0.0, 0.0)


@kernel(counted=False)
def times_inertia(scratch: Array, i: int, r: int, x: int) -> float:
    """Return row r of the articulated inertia times the six numbers at column x."""
    s = 0.0
    for c in range(6):
        s += scratch[i, place_of(r, c)] * scratch[i, x + c]
    return s


@kernel(counted=False, apart=True)
def condense_general(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Forward step of the solve: from LOAD and RHS to the parent's LOAD."""
    i, p, _, first, m = node
    for j in range(6):
        x = 0.0
        for k in range(m):
            x += scratch[i, FRAME + 6 * k + j] * work[tree_row[first + k], RHS]
        scratch[i, TURNED + j] = x
    for r in range(6):  # p = load - M T rhs, for the moment in SOLUTION
        scratch[i, SOLUTION + r] = scratch[i, LOAD + r] - times_inertia(scratch, i, r, TURNED)
    for k in range(m, 6):
        x = 0.0
        for h in range(m, 6):
            for j in range(6):
                x += (
                    scratch[i, SPREAD + 6 * k + h]
                    * scratch[i, FRAME + 6 * h + j]
                    * scratch[i, SOLUTION + j]
                )
        scratch[i, FREE_RATE + k] = x
    if p < 0:
        return
    for k in range(m, 6):
        for r in range(6):
            scratch[i, SOLUTION + r] -= scratch[i, UPPER + 6 * k + r] * scratch[i, FREE_RATE + k]
    for c in range(6):
        for r in range(6):
            scratch[p, LOAD + c] += scratch[i, FOLLOW + 6 * r + c] * scratch[i, SOLUTION + r]


@kernel(counted=False, apart=True)
def expand_general(node: Node, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Backward step: from the parent's SOLUTION to the body's, and the hinge's multipliers."""
    i, p, _, first, m = node
    for r in range(6):
        x = 0.0
        if p >= 0:
            for c in range(6):
                x += scratch[i, FOLLOW + 6 * r + c] * scratch[p, SOLUTION + c]
        scratch[i, SOLUTION + r] = x
    if p >= 0:
        for k in range(m, 6):
            x = 0.0
            for h in range(m, 6):
                for j in range(6):
                    x += (
                        scratch[i, SPREAD + 6 * k + h]
                        * scratch[i, UPPER + 6 * h + j]
                        * scratch[i, SOLUTION + j]
                    )
            scratch[i, FREE_RATE + k] -= x
    for r in range(6):
        x = scratch[i, TURNED + r]
        for k in range(m, 6):
            x += scratch[i, FRAME + 6 * k + r] * scratch[i, FREE_RATE + k]
        scratch[i, SOLUTION + r] += x
    if m == 0:
        return
    for r in range(6):  # what the hinge does to the body
        scratch[i, TURNED + r] = times_inertia(scratch, i, r, SOLUTION) - scratch[i, LOAD + r]
    for k in range(m):
        x = 0.0
        for j in range(6):
            x += scratch[i, FRAME + 6 * k + j] * scratch[i, TURNED + j]
        work[tree_row[first + k], MULTIPLIER] = x
