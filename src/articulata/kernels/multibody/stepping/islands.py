"""Contacts that hang together, solved densely: the mobility between all of them.

Bodies that touch, directly or through others that move, are an island; each is solved by itself
where it is small. World axes, SI.
"""

from __future__ import annotations

from articulata.kernels.compile import kernel
from articulata.kernels.multibody.stepping.answers import along, push
from articulata.kernels.multibody.stepping.dense import MOST, finish, rest
from articulata.kernels.multibody.stepping.step_scene import (
    ALONE,
    BODY_A,
    BOUND,
    COLUMN_A,
    COUNT,
    FORCE,
    FRESH,
    LEAST,
    MU,
    PAIR,
    SOFTNESS,
    Contacts,
    Scene,
)
from articulata.kernels.multibody.system import System


@kernel(counted=False)
def finish_islands(
    system: System, scene: Scene, contacts: Contacts, most: int, fresh: bool, tolerance: float
) -> bool:
    """Solve the islands of up to ``most`` contacts densely; tell whether all laws hold now.

    ``fresh``: only islands with a contact that the step before did not know.
    """
    root(system, scene, contacts)
    number, done = contacts.dense.number, True
    for i in range(contacts.tally[COUNT]):
        if contacts.first[mine_of(scene, contacts, i)] != i:
            continue  # of an island that was seen
        j, size, new = i, 0, False
        while j >= 0:
            new = new or contacts.table[j, FRESH] == 1
            if size < MOST:
                number[size] = j
            size += 1
            j = contacts.island[j]
        if fresh and not new:
            continue
        if size > min(most, MOST):
            done = False
            continue
        gather(system, scene, contacts, size)
        if rest(contacts.dense, size, 0.0) <= tolerance and not new:
            continue
        if finish(contacts.dense, size, tolerance):
            give(system, scene, contacts, size)
        else:
            done = False
    return done


@kernel(counted=False)
def root(system: System, scene: Scene, contacts: Contacts) -> None:
    """Fill ``first`` and ``island`` with the contacts of each island."""
    label, place, table = contacts.label, contacts.place, contacts.table
    for b in range(label.shape[0]):
        label[b] = b
    for g in range(scene.group_start.shape[0] - 1):
        first, last = scene.group_start[g], scene.group_start[g + 1]
        for at in range(first, last):
            body = system.tree[scene.group_tree[at], 0]
            place[body] = at - first
            label[body] = system.tree[scene.group_tree[first], 0]
    for i in range(contacts.tally[COUNT]):
        a, b = table[i, BODY_A], table[i, BODY_A + 1]
        if scene.group[a] >= ALONE and scene.group[b] >= ALONE:
            a, b = top(contacts, a), top(contacts, b)
            label[max(a, b)] = min(a, b)
    for b in range(label.shape[0]):
        contacts.first[b] = -1
    for i in range(contacts.tally[COUNT] - 1, -1, -1):
        mine = mine_of(scene, contacts, i)
        contacts.island[i], contacts.first[mine] = contacts.first[mine], i


@kernel(counted=False)
def mine_of(scene: Scene, contacts: Contacts, i: int) -> int:
    """Return the body that stands for the island of a contact."""
    a = contacts.table[i, BODY_A]
    return top(contacts, a if scene.group[a] >= ALONE else contacts.table[i, BODY_A + 1])


@kernel(counted=False)
def top(contacts: Contacts, body: int) -> int:
    """Return the body that stands for the island of a body."""
    while contacts.label[body] != body:
        body = contacts.label[body]
    return body


@kernel(counted=False)
def gather(system: System, scene: Scene, contacts: Contacts, size: int) -> None:
    """Fill the dense arrays of an island: mobility, velocities without impulses, impulses."""
    d, data = contacts.dense, contacts.data
    for i in range(size):
        one = d.number[i]
        pair = contacts.table[one, PAIR]
        d.mu[i], d.least[i] = data[one, MU], data[one, LEAST]
        for row in range(3):
            d.p[3 * i + row] = data[one, FORCE + row]
            d.soft[3 * i + row] = 1.0
            if pair >= 0:
                a, b = contacts.table[one, BODY_A], contacts.table[one, BODY_A + 1]
                surface = scene.surface[a, b]
                d.soft[3 * i + row] = scene.material[surface, SOFTNESS + (1 if row > 0 else 0)]
        for j in range(i, size):
            between(system, scene, contacts, i, j)
    for i in range(size):
        for row in range(3):
            k = 3 * i + row
            u = along(contacts, d.number[i], row, contacts.velocity, 0)
            if row == 0:
                u -= data[d.number[i], BOUND]
            for j in range(3 * size):
                u -= d.W[k, j] * d.p[j]
            d.q[k] = u


@kernel(counted=False)
def between(system: System, scene: Scene, contacts: Contacts, i: int, j: int) -> None:
    """Fill the block of the mobility between two contacts of an island, and the one across."""
    d, table, J = contacts.dense, contacts.table, contacts.J
    one, other = d.number[i], d.number[j]
    rows = 3 if table[other, PAIR] >= 0 else 1
    for a in range(3):
        for b in range(3):
            d.W[3 * i + a, 3 * j + b] = 0.0
    for side in range(2):
        body = table[one, BODY_A + side]
        group = scene.group[body]
        for t in range(2):
            moved = table[other, BODY_A + t]
            if group == ALONE and moved == body:
                for a in range(3):
                    for b in range(rows):
                        x = 0.0
                        for k in range(6):
                            x += J[one, a, 6 * side + k] * contacts.answer[other, b, 6 * t + k]
                        d.W[3 * i + a, 3 * j + b] += x
            elif group >= 0 and scene.group[moved] == group:
                first = table[other, COLUMN_A + t]
                if first < 0:
                    continue
                length = scene.group_start[group + 1] - scene.group_start[group]
                for b in range(rows):
                    at = first + b * length + contacts.place[body]
                    for a in range(3):
                        x = 0.0
                        for k in range(6):
                            x += J[one, a, 6 * side + k] * contacts.column[at, k]
                        d.W[3 * i + a, 3 * j + b] += x
    for a in range(3):
        for b in range(3):
            d.W[3 * j + b, 3 * i + a] = d.W[3 * i + a, 3 * j + b]


@kernel(counted=False)
def give(system: System, scene: Scene, contacts: Contacts, size: int) -> None:
    """Hand the impulses found to the contacts, and what they change to the velocities."""
    d, data = contacts.dense, contacts.data
    for i in range(size):
        one = d.number[i]
        for row in range(3):
            change = d.p[3 * i + row] - data[one, FORCE + row]
            if change != 0.0:
                push(system, scene, contacts, one, row, change, contacts.velocity)
                data[one, FORCE + row] = d.p[3 * i + row]
