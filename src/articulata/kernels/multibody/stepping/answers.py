"""How bodies answer impulses at contacts: alone, or as mechanisms through their hinges.

World axes, SI. The factor of the mechanisms' equations must be at hand (``motion.factorise``).
"""

from __future__ import annotations

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.stepping.flight import times
from articulata.kernels.multibody.stepping.step_scene import (
    ALONE,
    BLOCK,
    BODY_A,
    BODY_B,
    COLUMN_A,
    COLUMN_B,
    COUNT,
    PAIR,
    ROWS,
    STILL,
    Contacts,
    Scene,
)
from articulata.kernels.multibody.stepping.yielding import (
    At,
    clear,
    give_way,
    meet_joints,
    solve_group,
    unload,
)
from articulata.kernels.multibody.system import (
    INVERSE_MASS,
    SOLUTION,
    System,
    Workspace,
)

NONE, SHARED = -1, -2
"""In place of a column's first row: the body answers alone or not; both bodies are of one
mechanism, whose column stands with body A."""


@kernel(counted=False)
def answer(
    system: System,
    work: Workspace,
    scene: Scene,
    contacts: Contacts,
    at: At,
    driven: bool,
) -> bool:
    """Fill the answers to unit impulses along all rows; False where room is short."""
    table, used = contacts.table, 0
    clear(work)
    meet_joints(system, work, scene, contacts, at, driven)
    for i in range(contacts.tally[COUNT]):
        a, b = table[i, BODY_A], table[i, BODY_B]
        table[i, COLUMN_A] = table[i, COLUMN_B] = NONE
        rows = 3 if table[i, PAIR] >= 0 else 1
        ga, gb = scene.group[a], scene.group[b]
        for row in range(3):
            for k in range(12):
                contacts.answer[i, row, k] = 0.0
        for side in range(2):
            body, group = (a, ga) if side == 0 else (b, gb)
            if group == ALONE:
                for row in range(rows):
                    alone(system, scene, contacts, i, row, side, body)
            elif group >= 0:
                if side == 1 and ga == gb:
                    table[i, COLUMN_B] = SHARED
                    continue
                size = scene.group_start[group + 1] - scene.group_start[group]
                if used + rows * size > contacts.column.shape[0]:
                    return False
                table[i, COLUMN_A if side == 0 else COLUMN_B] = used
                for row in range(rows):
                    through(system, work, scene, contacts, i, row, side, group, used)
                    used += size
        blocks(system, scene, contacts, i, rows)
    contacts.tally[ROWS] = used
    return True


@kernel(counted=False)
def alone(
    system: System, scene: Scene, contacts: Contacts, i: int, row: int, side: int, body: int
) -> None:
    """Fill the answer of a body by its own mass."""
    J, R, first = contacts.J, contacts.rotation, 6 * side
    for k in range(3):
        contacts.answer[i, row, first + k] = system.body[body, INVERSE_MASS] * J[i, row, first + k]
    x, y, z = J[i, row, first + 3], J[i, row, first + 4], J[i, row, first + 5]
    v = (
        R[body, 0] * x + R[body, 3] * y + R[body, 6] * z,
        R[body, 1] * x + R[body, 4] * y + R[body, 7] * z,
        R[body, 2] * x + R[body, 5] * y + R[body, 8] * z,
    )
    w = times(R, body, 0, times(scene.inverse, body, 0, v))
    for k in range(3):
        contacts.answer[i, row, first + 3 + k] = w[k]


@kernel(counted=False)
def through(
    system: System,
    work: Workspace,
    scene: Scene,
    contacts: Contacts,
    i: int,
    row: int,
    side: int,
    group: int,
    used: int,
) -> None:
    """Fill the column of a mechanism's answer, of both sides where it has both bodies."""
    tree, scratch, J = system.tree, work.body, contacts.J
    first, last = scene.group_start[group], scene.group_start[group + 1]
    load = unload(system, work, scene, group)
    for s in range(2):
        body = contacts.table[i, BODY_A + s]
        if scene.group[body] == group and (s == side or side == 0):
            for k in range(6):
                scratch[body, load + k] += J[i, row, 6 * s + k]
    solve_group(system, work, scene, group)
    give_way(system, work, scene, contacts, group)
    for at in range(first, last):
        body = tree[scene.group_tree[at], 0]
        for k in range(6):
            contacts.column[used + at - first, k] = scratch[body, SOLUTION + k]
        for s in range(2):
            if body == contacts.table[i, BODY_A + s]:
                for k in range(6):
                    contacts.answer[i, row, 6 * s + k] = scratch[body, SOLUTION + k]
    unload(system, work, scene, group)


@kernel(counted=False)
def blocks(system: System, scene: Scene, contacts: Contacts, i: int, rows: int) -> None:
    """Fill the mobility at a contact: J of its rows times its answers."""
    for row in range(3):
        for other in range(3):
            x = 0.0
            if row < rows and other < rows:
                for k in range(12):
                    x += contacts.J[i, row, k] * contacts.answer[i, other, k]
            contacts.data[i, BLOCK + 3 * row + other] = x


@kernel(counted=False)
def push(
    system: System, scene: Scene, contacts: Contacts, i: int, row: int, impulse: float, to: Array
) -> None:
    """Add the answer to an impulse along one row to velocities (n, 6)."""
    table = contacts.table
    for side in range(2):
        body = table[i, BODY_A + side]
        group = scene.group[body]
        if group == ALONE:
            for k in range(6):
                to[body, k] += impulse * contacts.answer[i, row, 6 * side + k]
        elif group != STILL:
            start = table[i, COLUMN_A + side]
            if start < 0:
                continue
            first, last = scene.group_start[group], scene.group_start[group + 1]
            start += row * (last - first)
            for at in range(first, last):
                moved = system.tree[scene.group_tree[at], 0]
                for k in range(6):
                    to[moved, k] += impulse * contacts.column[start + at - first, k]


@kernel(counted=False)
def along(contacts: Contacts, i: int, row: int, of: Array, first: int) -> float:
    """Return the relative velocity along a row, of six numbers a body from column ``first`` on."""
    a, b = contacts.table[i, BODY_A], contacts.table[i, BODY_B]
    x = 0.0
    for k in range(6):
        x += contacts.J[i, row, k] * of[a, first + k]
        x += contacts.J[i, row, 6 + k] * of[b, first + k]
    return x
