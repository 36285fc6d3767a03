"""Equations of motion of a system: accelerations, impulses, reactions.

``factorise`` prepares everything that depends on the configuration; ``solve`` may then be
called for any loads and right-hand sides: accelerations, velocity jumps at an impact, the
displacements of a projection. World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.forces import body_forces, element_forces
from articulata.kernels.multibody.rows import fill_rows
from articulata.kernels.multibody.system import (
    BODY_A,
    DRIVEN,
    FIXED,
    FORCE,
    FREE,
    GAMMA,
    HINGE,
    INCONSISTENT,
    INFO_ROW,
    JAMMED,
    KIND,
    LOAD,
    LOST_PIVOT,
    MEMORY,
    MULTIPLIER,
    NEXT,
    NOT_FINITE,
    OK,
    PRESCRIBED,
    RHS,
    ROW_SIZE,
    SOLUTION,
    TURN,
    Inputs,
    System,
    Workspace,
)
from articulata.kernels.multibody.tree.loops import (
    add_row,
    factor_closures,
    solve_closures,
)
from articulata.kernels.multibody.tree.solve import factor_tree, solve_tree

LOADINGS = 200
"""Solves in which the loads of hinges that rub are found, else one of them jams."""

SETTLED, ROUNDED = 1e-13, 1e-15
"""Shares of a load, and of all forces on bodies, by which it may still change."""


@kernel(counted=False, inline=True)
def factorise(system: System, work: Workspace, state: Array) -> int:
    """Evaluate the rows at ``state`` and factor the equations of motion."""
    fill_rows(system, work, state)
    return factor_evaluated(system, work)


@kernel(counted=False, inline=True)
def factor_evaluated(system: System, work: Workspace) -> int:
    """Factor the equations of motion at the configuration evaluated last."""
    bad = factor_tree(system.tree, system.tree_row, system.body, work.body, work.row)
    if bad >= 0:
        work.info[INFO_ROW] = bad
        for j in range(12):
            if not math.isfinite(work.row[bad, j]):
                return NOT_FINITE
        return LOST_PIVOT
    if system.closure_row.shape[0] > 0:
        factor_closures(system, work)
    return OK


@kernel(counted=False, inline=True)
def solve(system: System, work: Workspace) -> int:
    """Solve ``M x = FORCE + J^T lambda, J x = RHS`` with the factor at hand.

    Takes columns of the workspace, leaves x in SOLUTION (zero for bodies that do not move
    freely) and lambda in MULTIPLIER. INCONSISTENT where dependent rows contradict each other.
    """
    scratch = work.body
    for i in range(scratch.shape[0]):
        for j in range(6):
            scratch[i, LOAD + j] = scratch[i, FORCE + j]
    solve_tree(system.tree, system.tree_row, scratch, work.row)
    if system.closure_row.shape[0] == 0:
        return OK
    return close_loops(system, work)


@kernel(counted=False, apart=True)
def close_loops(system: System, work: Workspace) -> int:
    """Find the closures' multipliers with the tree solved, and solve it with them once more."""
    scratch, rows = work.body, work.row
    good = solve_closures(system, work)
    for i in range(scratch.shape[0]):
        for j in range(6):
            scratch[i, LOAD + j] = scratch[i, FORCE + j]
    for row in system.closure_row:
        add_row(system.row, row, rows[row, MULTIPLIER], scratch, rows)
    solve_tree(system.tree, system.tree_row, scratch, rows)
    return OK if good else INCONSISTENT


@kernel(counted=False, inline=True)
def motion_rhs(
    table: IntArray, kind: IntArray, drive: Array, prescribed: Array, rows: Array
) -> None:
    """Set RHS to gamma plus drive, less what the prescribed bodies contribute to J dv."""
    given = False
    for i in range(kind.shape[0]):
        given = given or kind[i] == PRESCRIBED
    for row in range(table.shape[0]):
        rows[row, RHS] = rows[row, GAMMA] + drive[row]
        if given:
            rows[row, RHS] -= given_share(table, kind, row, prescribed, 0, rows)


@kernel(counted=False)
def given_share(
    table: IntArray, kind: IntArray, row: int, given: Array, column: int, rows: Array
) -> float:
    """Return what the prescribed bodies contribute to J x of a row, x from ``column`` on."""
    x = 0.0
    while row >= 0:
        for side in range(2):
            body = table[row, BODY_A + side]
            if body >= 0 and kind[body] == PRESCRIBED:
                for j in range(6):
                    x += rows[row, 6 * side + j] * given[body, column + j]
        row = table[row, NEXT]
    return x


@kernel(counted=False)
def given_rate(system: System, row: int, state: Array, rows: Array) -> float:
    """Return the rate at which a row moves by what is given: prescribed bodies and motors."""
    x = -given_share(system.row, system.body_kind, row, state, 7, rows)
    if system.row[row, KIND] >= TURN:
        x += system.row_data[row, ROW_SIZE]
    return x


@kernel(counted=False, inline=True)
def row_rate(table: IntArray, row: int, state: Array, rows: Array) -> float:
    """Return J v of a row."""
    x = 0.0
    while row >= 0:
        for side in range(2):
            body = table[row, BODY_A + side]
            if body >= 0:
                for j in range(6):
                    x += rows[row, 6 * side + j] * state[body, 7 + j]
        row = table[row, NEXT]
    return x


@kernel(counted=False, inline=True)
def put_loads(
    system: System, work: Workspace, inputs: Inputs, k: int, t: float, state: Array
) -> None:
    """Fill FORCE and RHS at ``state`` and time t with entry k of the inputs; rows are at hand."""
    kind, scratch = system.body_kind, work.body
    prescribed = inputs.prescribed[min(k, inputs.prescribed.shape[0] - 1)]
    body_forces(
        system.body, kind, state, inputs.applied[min(k, inputs.applied.shape[0] - 1)], scratch
    )
    if system.force_kind.shape[0] > 0:
        element_forces(system, work, state, t, inputs.signal[min(k, inputs.signal.shape[0] - 1)])
    drive = inputs.drive[min(k, inputs.drive.shape[0] - 1)]
    motion_rhs(system.row, kind, drive, prescribed, work.row)


@kernel(counted=False)
def hinge_load(system: System, work: Workspace, k: int) -> float:
    """Return the part of a hinge's reaction across its coordinate, N, after a solve."""
    along, hinge = system.load[k, 1], system.load[k, 2]
    column = 3 if system.row[along, KIND] == TURN else 0
    square = lengthwise = 0.0
    for j in range(3):
        x = 0.0
        for row in range(system.hinge_row[hinge], system.hinge_row[hinge + 1]):
            x += work.row[row, MULTIPLIER] * work.row[row, j]
        square += x * x
        lengthwise += x * work.row[along, column + j]
    return math.sqrt(max(0.0, square - lengthwise * lengthwise))


@kernel(counted=False)
def unload(system: System, inputs: Inputs, k: int) -> None:
    """Let hinges rub as if they bore nothing: where loads are sought from."""
    signal = inputs.signal[min(k, inputs.signal.shape[0] - 1)]
    for load in range(system.load.shape[0]):
        signal[system.load[load, 0]] = 0.0


@kernel(counted=False)
def loads_changed(system: System, work: Workspace, inputs: Inputs, k: int) -> bool:
    """Let hinges rub by what they bear after a solve; return whether that changes it.

    Of dependent rows the multipliers of least norm count, and are left. Friction that changes its
    load by less than itself has one load, to which this leads.
    """
    if system.load.shape[0] == 0:
        return False
    signal, total = inputs.signal[min(k, inputs.signal.shape[0] - 1)], 0.0
    for i in range(work.body.shape[0]):
        for j in range(3):
            total += abs(work.body[i, FORCE + j])
    independent = 0
    for comp in range(work.schur_rank.shape[0]):
        independent += work.schur_rank[comp]
    if independent < system.closure_row.shape[0]:
        minimum_norm(system, work, work.null)
    changed = False
    for load in range(system.load.shape[0]):
        x, at = hinge_load(system, work, load), system.load[load, 0]
        if not abs(x - signal[at]) <= SETTLED * x + ROUNDED * total:
            changed = True
            work.info[INFO_ROW] = system.hinge_row[system.load[load, 2]]
        signal[at] = x
    return changed


@kernel(counted=False, inline=True)
def accelerations_factored(
    system: System, work: Workspace, inputs: Inputs, k: int, t: float, state: Array, out: Array
) -> int:
    """Return accelerations in ``out`` with rows and factor at ``state`` at hand; see below."""
    unload(system, inputs, k)
    for _ in range(LOADINGS):
        status = accelerations_loaded(system, work, inputs, k, t, state, out)
        if status & NOT_FINITE or not loads_changed(system, work, inputs, k):
            return status
    return JAMMED


@kernel(counted=False, inline=True)
def accelerations_loaded(
    system: System, work: Workspace, inputs: Inputs, k: int, t: float, state: Array, out: Array
) -> int:
    """Return accelerations in ``out`` where hinges rub by the loads in the signals."""
    kind, scratch = system.body_kind, work.body
    prescribed = inputs.prescribed[min(k, inputs.prescribed.shape[0] - 1)]
    put_loads(system, work, inputs, k, t, state)
    status = solve(system, work)
    total = 0.0
    for i in range(out.shape[0]):
        size = 0.0  # of each body alone: one long sum would wait for itself
        for j in range(6):
            x = 0.0
            if kind[i] == FREE:
                x = scratch[i, SOLUTION + j]
            elif kind[i] == MEMORY:
                x = scratch[i, FORCE + j]
            elif kind[i] != FIXED:
                x = prescribed[i, j]
            out[i, j] = x
            size += abs(x)
        total += size
    if not math.isfinite(total):
        return status | NOT_FINITE
    return status


@kernel(counted=False, apart=True)
def accelerations(
    system: System, work: Workspace, inputs: Inputs, k: int, t: float, state: Array, out: Array
) -> int:
    """Fill ``out`` (n, 6) with accelerations at ``state`` and time t with entry k of the inputs.

    ``work.multiplier`` holds one solution for the multipliers; where rows are redundant
    ``minimum_norm`` picks the shortest. Bodies that are prescribed get what was prescribed.
    """
    status = factorise(system, work, state)
    if status != OK:
        return status
    return accelerations_factored(system, work, inputs, k, t, state, out)


@kernel(counted=False)
def velocity_rhs(table: IntArray, data: Array, state: Array, rows: Array) -> float:
    """Set RHS to -J v (zero for driven rows), of couplings from their rate; return the largest."""
    largest = 0.0
    for row in range(table.shape[0]):
        x = 0.0
        if table[row, HINGE] >= 0 and table[row, DRIVEN] == 0:
            x = -row_rate(table, row, state, rows)
            if table[row, KIND] >= TURN:
                x += data[row, ROW_SIZE]
        rows[row, RHS] = x
        if not abs(x) <= largest:  # keeps a NaN
            largest = abs(x)
    return largest


@kernel(counted=False)
def minimum_norm(system: System, work: Workspace, null: Array) -> int:
    """Make ``work.multiplier`` the shortest vector that gives the same motion.

    Called after a solve at the same configuration; overwrites SOLUTION. ``null`` (closures + 1,
    rows) is scratch. Returns the number of dependent rows.
    """
    scratch, rows, closure_row = work.body, work.row, system.closure_row
    L, order = work.schur_factor, work.schur_order
    kept = null[null.shape[0] - 1]
    for row in range(rows.shape[0]):
        kept[row] = rows[row, MULTIPLIER]
    count = 0
    for comp in range(system.closure_start.shape[0] - 1):
        first, last = system.closure_start[comp], system.closure_start[comp + 1]
        middle = first + work.schur_rank[comp]
        for dependent in range(middle, last):
            z = null[count]
            for row in range(rows.shape[0]):
                z[row] = 0.0
            z[closure_row[order[dependent]]] = 1.0
            for i in range(middle - 1, first - 1, -1):
                x = -L[dependent, i]
                for j in range(i + 1, middle):
                    x -= L[j, i] * z[closure_row[order[j]]]
                z[closure_row[order[i]]] = x / L[i, i]
            for i in range(scratch.shape[0]):
                for j in range(6):
                    scratch[i, LOAD + j] = 0.0
            for c in range(first, last):
                add_row(system.row, closure_row[c], z[closure_row[c]], scratch, rows)
            for row in range(rows.shape[0]):
                rows[row, RHS] = 0.0
            solve_tree(system.tree, system.tree_row, scratch, rows)
            for row in system.tree_row:
                z[row] = rows[row, MULTIPLIER]
            count += 1
    for k in range(count):  # orthonormal basis of the null space, then take its share away
        for _ in range(2):
            for j in range(k):
                take_share(null[k], null[j])
        size = 0.0
        for row in range(rows.shape[0]):
            size += null[k, row] * null[k, row]
        size = math.sqrt(size)
        for row in range(rows.shape[0]):
            null[k, row] /= size
        take_share(kept, null[k])
    for row in range(rows.shape[0]):
        rows[row, MULTIPLIER] = kept[row]
    return count


@kernel(counted=False)
def take_share(x: Array, unit: Array) -> None:
    """Take from ``x`` its share along ``unit``, a vector of length 1."""
    share = 0.0
    for k in range(x.shape[0]):
        share += x[k] * unit[k]
    for k in range(x.shape[0]):
        x[k] -= share * unit[k]
