"""Why ``A x = b`` has no solution, or no unique forces: dependent rows traced to their hinges.

Rows of the hinges are independent as far as the bodies that forces can move are concerned, or a
combination of them moves none: its coefficients name the rows that depend on each other. Where
the right-hand sides do not fit the same combination, the constraints contradict each other.

The event that tells of dependent hinge rows: which, what stays open, what would cure it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from articulata.domains.dynamic.couplings import BACK, GEAR, MOTOR, rows_with_couplings, strict
from articulata.domains.dynamic.equations import force_names
from articulata.domains.dynamic.mechanism import FREE, PRESCRIBED, Mechanism, Motion
from articulata.domains.dynamic.plain_solution import spread
from articulata.errors import InconsistentSystem
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.assembly.hinge_rows import RowValues, evaluate
from articulata.records.events import Event
from articulata.world.hinges import (
    BALL,
    CYLINDRICAL,
    POINT_ON_SURFACE,
    PRISMATIC,
    REVOLUTE,
    UNIVERSAL,
    WELD,
    WORDS,
    HingeKind,
)

Blocks = tuple[tuple[Array, IntArray, IntArray], ...]
"""What ``Rows.blocks`` returns."""

RANK = 1e-9
"""Singular values below this part of the largest count as zero."""


@dataclass(frozen=True, slots=True)
class Component:
    """Hinges that share bodies which can move: ``rows`` numbers theirs, ``rank`` how many count.

    ``hinges`` and ``bodies`` are numbers; ``dependent`` the row left out at each fall of rank,
    ``groups`` for each of them all rows of its combination, ``undetermined`` the rows whose force
    the equations leave open.
    """

    hinges: tuple[int, ...]
    bodies: tuple[int, ...]
    rows: tuple[int, ...]
    rank: int
    dependent: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    undetermined: tuple[int, ...]

    @property
    def redundant(self) -> int:
        """Rows more than the rank."""
        return len(self.rows) - self.rank

    @property
    def freedom(self) -> int:
        """Degrees of freedom: velocities less the rank."""
        return 6 * len(self.bodies) - self.rank


def components(parts: Mechanism, motion: Motion) -> tuple[Component, ...]:
    """Return the connected parts of a mechanism with the rank of each, by QR with pivoting."""
    values = evaluate(parts.rows, motion.positions, motion.R)
    return tuple(_component(parts, values, hinges, bodies) for hinges, bodies in _connected(parts))


def _connected(parts: Mechanism) -> list[tuple[list[int], list[int]]]:
    """Return (hinges, bodies) of every group that hangs together through bodies that can move."""
    leader = list(range(len(parts.kind)))

    def find(k: int) -> int:
        while leader[k] != k:
            leader[k] = leader[leader[k]]
            k = leader[k]
        return k

    free = parts.kind == FREE
    ends = [(parts.index[h.body_a], parts.index[h.body_b]) for h in parts.hinges]
    for a, b in ends:
        if free[a] and free[b]:
            leader[find(a)] = find(b)
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for number in np.flatnonzero(free).tolist():
        groups.setdefault(find(number), ([], []))[1].append(number)
    for number, (a, b) in enumerate(ends):
        if free[a] or free[b]:
            groups[find(a if free[a] else b)][0].append(number)
        else:
            groups[-1 - number] = ([number], [])
    return [group for group in groups.values() if group[0]]


def _component(
    parts: Mechanism, values: RowValues, hinges: list[int], bodies: list[int]
) -> Component:
    """Return the rank of one part; only what lies on loops is looked at closely."""
    first = np.searchsorted(parts.rows.owner, np.arange(len(parts.hinges) + 1))
    owned = {number: np.arange(first[number], first[number + 1]) for number in hinges}
    blocks = parts.rows.blocks(values)
    core_hinges, core_bodies = _on_loops(parts, blocks, owned, bodies)
    core = [int(row) for number in core_hinges for row in owned[number]]
    every = [int(row) for number in hinges for row in owned[number]]
    rank, dependent, groups = _dependent(parts, blocks, np.array(core, dtype=np.int64), core_bodies)
    return Component(
        tuple(hinges),
        tuple(bodies),
        tuple(every),
        len(every) - len(core) + rank,
        tuple(sorted(dependent)),
        tuple(groups),
        tuple(sorted({row for group in groups for row in group})),
    )


def _on_loops(
    parts: Mechanism, blocks: Blocks, owned: dict[int, IntArray], bodies: list[int]
) -> tuple[list[int], list[int]]:
    """Return hinges and bodies left when bodies that hang by one sound hinge are taken away.

    Such a hinge's rows depend on no others, because nothing else holds its body.
    """
    around: dict[int, set[int]] = {body: set() for body in bodies}
    ends: dict[int, list[int]] = {}
    for number in owned:
        hinge = parts.hinges[number]
        ends[number] = [parts.index[b] for b in (hinge.body_a, hinge.body_b)]
        for body in ends[number]:
            if body in around:
                around[body].add(number)
    loose = [body for body in bodies if len(around[body]) == 1]
    while loose:
        body = loose.pop()
        if body not in around or len(around[body]) != 1:
            continue
        (number,) = around[body]
        own = blocks[0 if ends[number][0] == body else 1][0][owned[number]]
        if np.linalg.matrix_rank(own, tol=RANK) < len(own):
            continue
        del around[body]
        for other in ends[number]:
            if other in around:
                around[other].discard(number)
                if len(around[other]) == 1:
                    loose.append(other)
    left = sorted({number for numbers in around.values() for number in numbers})
    left += [number for number in owned if not any(end in bodies for end in ends[number])]
    return left, [body for body in around if around[body]]


def _dependent(
    parts: Mechanism, blocks: Blocks, rows: IntArray, bodies: list[int]
) -> tuple[int, list[int], list[tuple[int, ...]]]:
    """Return the rank of ``rows``, those left over, and the combination each belongs to."""
    place = {body: number for number, body in enumerate(bodies)}
    J = np.zeros((len(rows), len(bodies), 6))
    number = {row: k for k, row in enumerate(rows.tolist())}
    for block, owners, sides in blocks:
        for each, row, side in zip(block, owners.tolist(), sides.tolist(), strict=True):
            if row in number and side in place:
                J[number[row], place[side]] += each
    part = J.reshape(len(rows), 6 * len(bodies))
    if not part.size:
        return 0, rows.tolist(), [(int(row),) for row in rows]
    # Rows of any size are about one long: the square of a lead of 1e306 m overflows.
    _, exponent = np.frexp(np.abs(part).max(axis=1, keepdims=True))
    R, order = pivoted_triangle(np.ldexp(part, -exponent).T)
    size = np.abs(np.diag(R))
    rank = int(np.sum(size > RANK * max(size[0], 1e-300)))
    groups: list[tuple[int, ...]] = []
    for k, row in enumerate(order[rank:]):
        shares = np.linalg.solve(R[:rank, :rank], R[:rank, rank + k]) if rank else np.zeros(0)
        others = order[:rank][np.abs(shares) > 1e-8]
        groups.append(tuple(sorted([int(rows[row]), *rows[others].tolist()])))
    return rank, rows[order[rank:]].tolist(), groups


def row_titles(parts: Mechanism, rows: Sequence[int]) -> tuple[str, ...]:
    """Return rows by hinge and force: "h4 mu"."""
    _, titles = force_names(parts)
    return tuple(titles[row] for row in rows)


LADDER: dict[str, tuple[HingeKind, ...]] = {
    REVOLUTE.name: (UNIVERSAL, BALL, CYLINDRICAL, POINT_ON_SURFACE),
    WELD.name: (REVOLUTE, PRISMATIC, UNIVERSAL, BALL),
    PRISMATIC.name: (CYLINDRICAL,),
    UNIVERSAL.name: (BALL,),
    CYLINDRICAL.name: (),
    BALL.name: (POINT_ON_SURFACE,),
}
"""Looser kinds that may take a kind's place, the nearest first."""


def cure(parts: Mechanism, motion: Motion, component: Component) -> tuple[tuple[str, str], ...]:
    """Return (hinge, kind) replacements that leave no dependent row and the same freedom.

    One replacement is tried, then pairs; nothing is returned when none will do. What is driven,
    rubs or is limited keeps its kind: a looser one may have no such coordinate.
    """
    held = {name for each in parts.world.couplings.values() for name in each.hinges}
    options = [
        (number, kind)
        for number in component.hinges
        if parts.hinges[number].id not in held and not parts.hinges[number].limits
        for kind in LADDER.get(parts.hinges[number].kind.name, ())
        if len(parts.hinges[number].kind.rows) - len(kind.rows) <= component.redundant
    ]
    # Among hinges that would do, the last joined is the one that closed the loop.
    options.sort(key=lambda option: -option[0])
    for option in options:
        if _cures(parts, motion, component, (option,)):
            return _named(parts, (option,))
    for k, first in enumerate(options[:24]):
        for second in options[k + 1 : 24]:
            if first[0] != second[0] and _cures(parts, motion, component, (first, second)):
                return _named(parts, (first, second))
    return ()


def _named(
    parts: Mechanism, options: tuple[tuple[int, HingeKind], ...]
) -> tuple[tuple[str, str], ...]:
    return tuple((parts.hinges[number].id, kind.name) for number, kind in options)


def _cures(
    parts: Mechanism,
    motion: Motion,
    component: Component,
    options: tuple[tuple[int, HingeKind], ...],
) -> bool:
    removed = sum(len(parts.hinges[n].kind.rows) - len(kind.rows) for n, kind in options)
    if removed != component.redundant:
        return False
    hinges = list(parts.hinges)
    for number, kind in options:
        hinges[number] = replace(hinges[number], kind=kind)
    changed = replace(
        parts,
        hinges=tuple(hinges),
        rows=rows_with_couplings(parts.world, hinges, parts.index, parts.center),
    )
    values = evaluate(changed.rows, motion.positions, motion.R)
    after = _component(changed, values, list(component.hinges), list(component.bodies))
    return after.redundant == 0 and after.freedom == component.freedom


def inconsistency(
    parts: Mechanism, motion: Motion, residual: Array, time: float, *, scale: float
) -> InconsistentSystem:
    """Return the error that names the constraints in conflict, from the rows' ``residual``."""
    worst = int(np.argmax(np.abs(residual)))
    conflicting: set[int] = set()
    for component in components(parts, motion):
        if worst in component.rows:
            for group in component.groups:
                if np.any(np.abs(residual[list(group)]) > 1e-6 * abs(residual[worst])):
                    conflicting |= set(group)
    owners = sorted({int(parts.rows.owner[row]) for row in conflicting | {worst}})
    names = [parts.hinges[number].id for number in owners]
    touched = {
        parts.index[body]
        for number in owners
        for body in (parts.hinges[number].body_a, parts.hinges[number].body_b)
    }
    given = {parts.bodies[k] for k in touched if parts.kind[k] == PRESCRIBED}
    controls = [d.id for d in parts.drives if d.kind == "acceleration" and d.target in given]
    lines = [
        f"  {parts.hinges[k].id} ({parts.hinges[k].kind.name})  {_at(parts.hinges[k])}"
        for k in owners
    ]
    lines += [f"  {d.id}  {_at(d)}" for d in parts.drives if d.id in controls]
    return InconsistentSystem(
        f"the equations of motion have no solution at t = {time:.9g} s: these constraints "
        f"contradict each other by {abs(float(residual[worst])):.3g} m/s^2 "
        f"(of {scale:.3g})\n" + "\n".join(lines) + "\nFree one of the hinges or change a control.",
        (*names, *controls),
        time,
    )


def _at(node: object) -> str:
    span = getattr(node, "span", None)
    return f"({span})" if getattr(span, "line", 0) else ""


# ---- qR with column pivoting: which rows of a set are combinations of the others
#
# SciPy's does the same, faster for large matrices; its import takes longer than the whole start of
# a simulation, so that small matrices are left to the few lines here.


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


SHOWN = 6
"""Names listed in a story before it says how many more there are."""


def redundancies(parts: Mechanism, motion: Motion, time: float) -> tuple[Event, ...]:
    """Return one event for every connected part of the mechanism that has dependent rows."""
    return tuple(
        _event(parts, motion, component, time)
        for component in components(parts, motion)
        if component.redundant
    )


MOST = 400
"""Bodies of a mechanism up to which its gears are looked at for jams."""

STILL = 1e-9
"""Rate of a hinge in a motion of unit size that counts as none."""


def jams(parts: Mechanism, motion: Motion) -> tuple[Event, ...]:
    """Return the event of gears that let none of their hinges move, motors left out of account."""
    gears = [each for each in strict(parts.world) if len(each.terms) > 1]
    gears = [each for each in gears if not each.terms[-1][0].endswith(BACK)]
    if not gears or len(parts.kind) > MOST:
        return ()
    free = np.repeat(parts.kind == FREE, 6)
    held = [hinge.kind.name != MOTOR for hinge in parts.hinges]
    values = evaluate(parts.rows, motion.positions, motion.R)
    J = spread(parts, values)[np.array(held)[parts.rows.owner]][:, free]
    _, size, rows = np.linalg.svd(J)
    ways = rows[int(np.sum(size > STILL * np.max(size, initial=1.0))) :]
    pace = np.zeros((len(ways), len(parts.coordinates)))
    for k, way in enumerate(ways):
        twist = np.zeros(len(free) + 6)
        twist[: len(free)][free] = way
        v, w = twist.reshape(-1, 2, 3)[:, 0], twist.reshape(-1, 2, 3)[:, 1]
        pace[k] = parts.coordinates.rates(motion.positions, motion.R, v, w)
    fixed = dict(zip(parts.coordinates.labels, np.abs(pace).max(axis=0, initial=0.0), strict=True))
    stuck = [g for g in gears if all(fixed[label] < STILL for label, _ in g.terms)]
    if not stuck:
        return ()
    who = tuple(each.id for each in stuck)
    story = (
        f"These gears jam, so that none of their hinges can move: {_some(who)}. Leave one out, or "
        "change a ratio or its sign: a ring of an odd number of wheels that mesh cannot turn."
    )
    return (Event(0.0, "jam", who, story=story, span=stuck[-1].span),)


def _event(parts: Mechanism, motion: Motion, component: Component, time: float) -> Event:
    dependent = row_titles(parts, component.dependent)
    undetermined = row_titles(parts, component.undetermined)
    owners = sorted({int(parts.rows.owner[row]) for row in component.undetermined})
    who = tuple(parts.hinges[owner].id for owner in owners)
    coupled = [parts.hinges[number] for number in owners]
    spare = [hinge for kind in (GEAR, MOTOR) for hinge in coupled if hinge.kind.name == kind]
    advice = tuple(f"leave out {h.kind.name} {h.id}" for h in spare[-component.redundant :])
    if not advice:
        replacements = cure(parts, motion, component)
        advice = tuple(f"replace {_kind(parts, n)} {n} by {WORDS[k]}" for n, k in replacements)
    values: dict[str, float | str | tuple[float, ...] | tuple[str, ...]] = {
        "velocities": float(6 * len(component.bodies)),
        "rows": float(len(component.rows)),
        "rank": float(component.rank),
        "redundant": float(component.redundant),
        "freedom": float(component.freedom),
        "dependent": dependent,
        "undetermined": undetermined,
        "cure": advice,
    }
    remedy = f" To cure it, {' and '.join(advice)}." if advice else ""
    story = (
        f"{component.redundant} of {len(component.rows)} conditions of hinges say again what the "
        f"others hold: {_some(dependent)}. The motion is right and has {component.freedom} degrees "
        f"of freedom. How rigid bodies share these loads is not determined; the least are given: "
        f"{_some(undetermined)}.{remedy}"
    )
    span = parts.hinges[owners[0]].span
    return Event(time, "redundancy", who, (), MappingProxyType(values), story, span)


def _kind(parts: Mechanism, name: str) -> str:
    return next(WORDS[hinge.kind.name] for hinge in parts.hinges if hinge.id == name)


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
