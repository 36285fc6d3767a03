"""Closure rows: what the hinge tree leaves over, through its Schur complement.

With the tree solved, the closure rows C see the mechanism through S = C K^-1 C^T, symmetric and
positive semidefinite, the inverse of the effective inertia along each row (contact problems call
it the Delassus matrix). S is factored by Cholesky with diagonal pivoting, component by
component; rows whose pivot falls are dependent: they carry no force in the basic solution and
must agree with the others, or the system is inconsistent.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.system import (
    BODY_A,
    FREE,
    INERTIA,
    INFO_ROW,
    INFO_SHARE,
    INFO_VALUE,
    INVERSE_MASS,
    KIND,
    LOAD,
    MULTIPLIER,
    NEXT,
    RHS,
    SOLUTION,
    TURN,
    System,
    Workspace,
)
from articulata.kernels.multibody.tree.solve import solve_along

DEPENDENT = 1e-11
"""A closure row is dependent when its pivot is below this share of the mobility along it that
the two bodies would have alone. S is quadratic in the Jacobian: 1e-11 sees angles of 3e-6 rad
between a row and the others; much less drowns in rounding (1e-16 times the tree's condition)."""

CONTRADICTION = 1e-6
"""A dependent row contradicts the others when its residual exceeds this share of the largest
right-hand side term of its component; a row that is only almost dependent is allowed a hundred
times the angle (square root of the pivot's share) between it and the others besides: gaps of
1e-12 leave the velocities that uncertain."""

ALWAYS_DEPENDENT = 1e-14
"""Pivot shares below this are rounding: the row depends on the others at every position."""


@kernel(counted=False)
def add_row(table: IntArray, row: int, factor: float, scratch: Array, work: Array) -> None:
    """Add factor times a row, transposed, to the loads of its bodies."""
    while row >= 0:
        for side in range(2):
            body = table[row, BODY_A + side]
            if body >= 0:
                for j in range(6):
                    scratch[body, LOAD + j] += factor * work[row, 6 * side + j]
        row = table[row, NEXT]


@kernel(counted=False)
def along_row(table: IntArray, row: int, scratch: Array, work: Array) -> float:
    """Return J x of a row at the present SOLUTION."""
    x = 0.0
    while row >= 0:
        for side in range(2):
            body = table[row, BODY_A + side]
            if body >= 0:
                for j in range(6):
                    x += work[row, 6 * side + j] * scratch[body, SOLUTION + j]
        row = table[row, NEXT]
    return x


@kernel(counted=False)
def lone_mobility(body: Array, kind: IntArray, table: IntArray, row: int, work: Array) -> float:
    """Return the mobility along a row that its two bodies would have without hinges."""
    total = 0.0
    while row >= 0:
        for side in range(2):
            i = table[row, BODY_A + side]
            if i >= 0 and kind[i] == FREE:
                trace = body[i, INERTIA] + body[i, INERTIA + 4] + body[i, INERTIA + 8]
                for j in range(6):
                    x = work[row, 6 * side + j]
                    total += x * x * (body[i, INVERSE_MASS] if j < 3 else 3.0 / trace)
        row = table[row, NEXT]
    return total


@kernel(counted=False, apart=True)
def factor_closures(system: System, work: Workspace) -> None:
    """Factor what the closures see of the mechanism, the tree's factor at hand."""
    form_schur(system, work)
    factor_schur(system, work)


@kernel(counted=False)
def form_schur(system: System, workspace: Workspace) -> None:
    """Fill ``schur``, touching only the bodies between each component and its root."""
    tree, tree_row, path, table = system.tree, system.tree_row, system.path, system.row
    scratch, work, schur = workspace.body, workspace.row, workspace.schur
    closure_row = system.closure_row
    for row in range(work.shape[0]):
        work[row, RHS] = 0.0
    for comp in range(system.closure_start.shape[0] - 1):
        first, last = system.closure_start[comp], system.closure_start[comp + 1]
        begin, end = system.path_start[comp], system.path_start[comp + 1]
        for c in range(first, last):
            for at in range(begin, end):
                body = tree[path[at], 0]
                for j in range(6):
                    scratch[body, LOAD + j] = 0.0
            add_row(table, closure_row[c], 1.0, scratch, work)
            solve_along(path, begin, end, tree, tree_row, scratch, work)
            for other in range(first, last):
                schur[other, c] = along_row(table, closure_row[other], scratch, work)


@kernel(counted=False)
def factor_schur(system: System, workspace: Workspace) -> None:
    """Factor each component's block by pivoted Cholesky; set order and rank."""
    L, order, schur = workspace.schur_factor, workspace.schur_order, workspace.schur
    closure, work, info = workspace.closure, workspace.row, workspace.info
    info[INFO_SHARE] = 1.0
    for comp in range(system.closure_start.shape[0] - 1):
        first, last = system.closure_start[comp], system.closure_start[comp + 1]
        for c in range(first, last):
            order[c] = c
            closure[0, c] = lone_mobility(
                system.body, system.body_kind, system.row, system.closure_row[c], work
            )
            closure[1, c] = schur[c, c]
            coupling = system.row[system.closure_row[c], KIND] >= TURN
            if coupling and schur[c, c] > DEPENDENT * closure[0, c]:
                # a light wheel may move a heavy mechanism: that makes no row nearly dependent
                closure[0, c] = schur[c, c]
        rank, limit = last - first, workspace.rank_limit[comp]
        for k in range(first, last):
            if k - first == limit:
                rank = limit
                break
            # the row with the largest remaining share of its own mobility comes next
            best, share, most = -1, DEPENDENT, 0.0
            for i in range(k, last):
                c = order[i]
                lone = closure[0, c]
                if lone > 0.0:
                    most = max(most, closure[1, c] / lone)
                    if closure[1, c] > share * lone:
                        best, share = i, closure[1, c] / lone
            if most > ALWAYS_DEPENDENT or limit >= 0:
                info[INFO_SHARE] = min(info[INFO_SHARE], most)
            if best < 0:
                rank = k - first
                break
            order[k], order[best] = order[best], order[k]
            for j in range(first, k):
                L[k, j], L[best, j] = L[best, j], L[k, j]
            chosen = order[k]
            diagonal = math.sqrt(closure[1, chosen])
            L[k, k] = diagonal
            for i in range(k + 1, last):
                c = order[i]
                x = 0.5 * (schur[c, chosen] + schur[chosen, c])
                for j in range(first, k):
                    x -= L[i, j] * L[k, j]
                x /= diagonal
                L[i, k] = x
                closure[1, c] -= x * x
        workspace.schur_rank[comp] = rank


@kernel(counted=False)
def solve_closures(system: System, workspace: Workspace) -> bool:
    """Set the closure rows' MULTIPLIER so that C x = RHS on top of the tree's SOLUTION.

    Returns False where a dependent row contradicts the others; ``info`` then names the worst row
    and its residual.
    """
    good = True
    table, closure_row, info = system.row, system.closure_row, workspace.info
    scratch, work, closure = workspace.body, workspace.row, workspace.closure
    L, order = workspace.schur_factor, workspace.schur_order
    worst = 0.0
    for comp in range(system.closure_start.shape[0] - 1):
        first, last = system.closure_start[comp], system.closure_start[comp + 1]
        middle = first + workspace.schur_rank[comp]
        scale = 0.0
        for i in range(first, last):
            row = closure_row[order[i]]
            wanted, found = work[row, RHS], along_row(table, row, scratch, work)
            scale = max(scale, abs(wanted), abs(found))
            x = wanted - found
            for j in range(first, min(i, middle)):
                x -= L[i, j] * closure[2, j]
            if i < middle:
                x /= L[i, i]
            else:
                work[row, MULTIPLIER] = 0.0
            closure[2, i] = x
        for i in range(middle, last):
            residual = abs(closure[2, i])
            share = closure[1, order[i]] / max(closure[0, order[i]], 1e-300)
            allowed = CONTRADICTION + 1e2 * math.sqrt(max(share, 0.0))
            if residual > allowed * scale + 1e-9 and residual > worst:
                good = False
                worst = residual
                info[INFO_ROW] = closure_row[order[i]]
                info[INFO_VALUE] = residual
        for i in range(middle - 1, first - 1, -1):
            x = closure[2, i]
            for j in range(i + 1, middle):
                x -= L[j, i] * closure[2, j]
            x /= L[i, i]
            closure[2, i] = x
            work[closure_row[order[i]], MULTIPLIER] = x
    return good
