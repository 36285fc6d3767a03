"""``A x = b`` with a name for every row and unknown, as Figure 4.2 of the 1986 report prints it.

Unknowns are the accelerations of every body that can move and one force or moment for every
hinge row: ``M a - J^T f = F`` for free bodies, ``a`` as given for prescribed ones, and the
hinges' rows ``J a = c``. As in the report a row takes body B (joined to) minus body A (the one
joined), and its force acts with ``+f`` on B and ``-f`` on A. World axes, SI units, radians.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from articulata.domains.dynamic.body_wrenches import wrenches
from articulata.domains.dynamic.elements import Element
from articulata.domains.dynamic.mechanism import FIXED, PRESCRIBED, Mechanism, Motion
from articulata.domains.protocols import Inputs
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.assembly.hinge_rows import bias, evaluate
from articulata.kinematics.assembly.scalar_rows import DIRECTION, PLANE, POINT, TURN

BODY_UNKNOWNS = ("x", "y", "z", "wx", "wy", "w")
BODY_ROWS = ("force x", "force y", "force z", "moment x", "moment y", "moment z")
GIVEN_ROWS = ("given x", "given y", "given z", "given wx", "given wy", "given w")

DENSE = 3000
"""Unknowns up to which x is found with dense algebra, which also copes with dependent rows."""


@dataclass(frozen=True)
class Equations:
    """The equations of motion at one instant: ``A x = b``.

    ``row_names`` and ``names`` say what each row and each unknown is; ``entries`` holds the
    coefficients that are not zero as (row, column, value) arrays. ``time`` in s. Where rows
    depend on each other, accelerations are unique and forces those of least norm.
    """

    time: float
    row_names: tuple[str, ...]
    names: tuple[str, ...]
    entries: tuple[IntArray, IntArray, Array]
    b: Array
    units: tuple[str, ...] = field(default=(), repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and unknowns."""
        return len(self.row_names), len(self.names)

    @cached_property
    def A(self) -> Array:
        """The matrix (rows, unknowns), dense."""
        matrix = np.zeros(self.shape)
        row, column, value = self.entries
        np.add.at(matrix, (row, column), value)
        return matrix

    def sparse(self) -> Any:
        """Return the matrix as a SciPy CSR array."""
        from scipy.sparse import csr_array

        row, column, value = self.entries
        return csr_array((value, (row, column)), shape=self.shape)

    @property
    def nonzeros(self) -> int:
        """How many coefficients are not zero."""
        return len(self.entries[0])

    @cached_property
    def rank(self) -> int:
        """The matrix's rank."""
        return int(np.linalg.matrix_rank(self.A))

    @cached_property
    def x(self) -> Array:
        """The solution (unknowns,)."""
        if max(self.shape) <= DENSE:
            return np.asarray(np.linalg.lstsq(self.A, self.b, rcond=None)[0])
        from scipy.sparse.linalg import splu

        return np.asarray(splu(self.sparse().tocsc()).solve(self.b))

    @property
    def residual(self) -> float:
        """Largest entry of ``A x - b``; rounding unless the rows contradict each other."""
        return float(np.max(np.abs(self.sparse() @ self.x - self.b), initial=0.0))

    @property
    def solution(self) -> dict[str, float]:
        """Every unknown's value by name."""
        return dict(zip(self.names, self.x.tolist(), strict=True))

    def row_text(self, row: int, digits: int = 8) -> str:
        """Return one row: "1.0 x2 + 1.3945346 w2 + ... = 1.7311553"."""
        terms = [f"{_number(a, digits)} {self.names[c]}" for c, a in self._terms(row)]
        return f"{' + '.join(terms) or '0.0'} = {_number(float(self.b[row]), digits)}"

    def text(self, digits: int = 8) -> str:
        """Return all rows, one a line."""
        return "\n".join(self.row_text(row, digits) for row in range(self.shape[0]))

    def __str__(self) -> str:
        return self.text()

    def latex(self, digits: int = 8) -> str:
        """Return all rows as a LaTeX ``aligned`` block."""
        lines = []
        for row in range(self.shape[0]):
            written = ""
            for column, value in self._terms(row):
                sign = "-" if value < 0 else "+" if written else ""
                written += f" {sign} {_number(abs(value), digits)}\\,{_symbol(self.names[column])}"
            lines.append(f"{written.strip() or '0'} &= {_number(float(self.b[row]), digits)}")
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    @cached_property
    def _by_row(self) -> list[list[tuple[int, float]]]:
        terms: list[list[tuple[int, float]]] = [[] for _ in self.row_names]
        row, column, value = self.entries
        order = np.lexsort((column, row))
        for k in order.tolist():
            terms[int(row[k])].append((int(column[k]), float(value[k])))
        return terms

    def _terms(self, row: int) -> list[tuple[int, float]]:
        return self._by_row[row]


def _number(value: float, digits: int) -> str:
    text = f"{value + 0.0:.{digits}g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"


def _symbol(name: str) -> str:
    """Return an unknown's name in LaTeX: "wx2" as an angular acceleration's component."""
    match = re.fullmatch(r"(w|[xyzfmn])([xyzuvw]?)(\d*)_?(.*)", name)
    if match is None:
        return f"\\mathrm{{{name}}}"
    letter, axis, number, rest = match.groups()
    where = number or (f"\\mathrm{{{rest}}}".replace("_", "\\_") if rest else "")
    index = ",".join(part for part in (axis, where) if part)
    symbol = {"w": "\\dot\\omega", "x": "\\ddot x", "y": "\\ddot y", "z": "\\ddot z"}
    return f"{symbol.get(letter, letter)}_{{{index}}}" if index else symbol.get(letter, letter)


def body_suffixes(ids: Sequence[str]) -> dict[str, str]:
    """Return what each body's unknowns end in: its number where unique, else "_" and its name."""
    numbers = {name: _trailing_number(name) for name in ids}
    short = _shortest_endings(ids)
    suffixes = {}
    for name in ids:
        number = numbers[name]
        unique = number is not None and list(numbers.values()).count(number) == 1
        suffixes[name] = str(number) if unique else f"_{short[name]}"
    return suffixes


def _trailing_number(name: str) -> str | None:
    match = re.search(r"(\d+)\]?$", name)
    return match.group(1) if match else None


def _shortest_endings(ids: Sequence[str]) -> dict[str, str]:
    """Return the shortest ending of every dotted id that no other id shares."""
    count: dict[str, int] = {}
    endings = {
        name: [name.split(".", k)[-1] for k in range(name.count("."), -1, -1)] for name in ids
    }
    for listed in endings.values():
        for ending in set(listed):
            count[ending] = count.get(ending, 0) + 1
    return {
        name: next((ending for ending in listed if count[ending] == 1), name)
        for name, listed in endings.items()
    }


def hinge_suffixes(parts: Mechanism) -> list[str]:
    """Return what each hinge's unknowns end in: i for the one between bodies i and i + 1."""
    bodies = body_suffixes(parts.bodies)
    short = _shortest_endings([hinge.id for hinge in parts.hinges])
    proposed = []
    for hinge in parts.hinges:
        above, below = bodies[hinge.body_b], bodies[hinge.body_a]
        follows = above.isdigit() and below.isdigit() and int(below) == int(above) + 1
        proposed.append(above if follows else "")
    return [
        number if number and proposed.count(number) == 1 else f"_{short[hinge.id]}"
        for number, hinge in zip(proposed, parts.hinges, strict=True)
    ]


def force_names(parts: Mechanism) -> tuple[list[str], list[str]]:
    """Return the name of every row's force or moment, and of the row itself.

    ``fx``, ``fy``, ``fz`` are a held point's force in W; ``fu``, ``fv``, ``fw`` forces and
    ``mu``, ``mv``, ``mw`` moments along the hinge's own x, y, z; ``n`` counts others.
    """
    suffixes = hinge_suffixes(parts)
    names: list[str] = []
    titles: list[str] = []
    for row in range(len(parts.rows)):
        owner = int(parts.rows.owner[row])
        letter = _letter(parts, row)
        stem, k = letter, 2
        while f"{stem}{suffixes[owner]}" in names:
            stem, k = f"{letter}{'abcdefghijklmnopqrstuvwxyz'[k - 1]}", k + 1
        names.append(f"{stem}{suffixes[owner]}")
        titles.append(f"{parts.hinges[owner].id} {stem}")
    return names, titles


def hinge_rows_named(parts: Mechanism, hinges: Sequence[int]) -> tuple[str, ...]:
    """Return the rows of some hinges by hinge and force: "h4 fx", "h4 mu"."""
    found: list[str] = []
    for number in hinges:
        first, last = np.searchsorted(parts.rows.owner, (number, number + 1))
        seen: dict[str, int] = {}
        for row in range(int(first), int(last)):
            letter = _letter(parts, row)
            seen[letter] = seen.get(letter, 0) + 1
            more = "" if seen[letter] == 1 else "abcdefghijklmnopqrstuvwxyz"[seen[letter] - 1]
            found.append(f"{parts.hinges[number].id} {letter}{more}")
    return tuple(found)


def _letter(parts: Mechanism, row: int) -> str:
    rows = parts.rows
    kind = int(rows.kind[row])
    if kind == POINT:
        return "f" + "xyz"[int(rows.size[row])]
    local = rows.frame[row].T @ rows.axis[row]
    if kind >= TURN:
        return ("m" if kind == TURN else "f") + "uvw"[int(np.argmax(np.abs(local)))]
    along = int(np.argmax(np.abs(local)))
    straight = abs(abs(local[along]) - 1.0) < 1e-12
    if kind == DIRECTION:
        # The moment of a direction row is at right angles to both directions.
        turned = rows.frame_a[row].T @ rows.point[row]
        across = np.cross(turned, local)
        along = int(np.argmax(np.abs(across)))
        return "m" + "uvw"[along] if abs(abs(across[along]) - 1.0) < 1e-12 else "m"
    return "f" + "uvw"[along] if straight and kind == PLANE else "n"


def equations_of(
    parts: Mechanism,
    elements: tuple[Element, ...],
    motion: Motion,
    inputs: Inputs,
    time: float,
) -> Equations:
    """Return the equations of motion of ``parts`` in ``motion``."""
    moving = np.flatnonzero(parts.kind != FIXED)
    column = np.full(len(parts.kind) + 1, -1, dtype=np.int64)
    column[moving] = 6 * np.arange(len(moving))
    m, first_force = len(parts.rows), 6 * len(moving)
    suffixes = body_suffixes(parts.bodies)
    names = [letter + suffixes[parts.bodies[k]] for k in moving for letter in BODY_UNKNOWNS]
    forces, row_names = force_names(parts)
    table = _Table()
    values = evaluate(parts.rows, motion.positions, motion.R)
    (A, on_a, a), (B, on_b, b), *further = parts.rows.blocks(values)
    # A row of the report is body B minus body A: the negative of the gap's.
    blocks = [(-J, number, side) for J, number, side in ((B, on_b, b), (A, on_a, a), *further)]
    for J, owners, side in blocks:
        known = column[side] >= 0
        columns = (column[side[known]][:, None] + np.arange(6)).ravel()
        table.add(np.repeat(owners[known], 6), columns, J[known].ravel())
    given = bias(parts.rows, values, motion.v, motion.w)
    right = np.concatenate([given, np.zeros(first_force)])
    applied = wrenches(parts, elements, motion, inputs, time)
    for number in moving.tolist():
        at, body = int(column[number]), parts.bodies[number]
        rows = m + at + np.arange(6)
        if parts.kind[number] == PRESCRIBED:
            row_names += [f"{body} {what}" for what in GIVEN_ROWS]
            table.add(rows, at + np.arange(6), np.ones(6))
            right[rows] = inputs.acceleration[number]
            continue
        row_names += [f"{body} {what}" for what in BODY_ROWS]
        table.add(rows[:3], at + np.arange(3), np.full(3, parts.mass[number]))
        J_W = motion.R[number] @ parts.inertia[number] @ motion.R[number].T
        turns = at + 3 + np.arange(3)
        table.add(np.repeat(rows[3:], 3), np.tile(turns, 3), J_W.ravel())
        right[rows] = applied[number]
        for J, owners, side in blocks:
            touching = np.flatnonzero(side == number)
            table.add(
                np.tile(rows, len(touching)),
                np.repeat(first_force + owners[touching], 6),
                -J[touching].ravel(),
            )
    return Equations(time, tuple(row_names), tuple(names + forces), table.entries(), right, ())


class _Table:
    """Collects coefficients; rounding dust is left out."""

    def __init__(self) -> None:
        self._parts: list[tuple[IntArray, IntArray, Array]] = []

    def add(self, rows: IntArray, columns: IntArray, values: Array) -> None:
        self._parts.append((rows, columns, values))

    def entries(self) -> tuple[IntArray, IntArray, Array]:
        row, column, value = (np.concatenate([part[k] for part in self._parts]) for k in range(3))
        # Products of rotations leave 1e-17 where the exact coefficient is zero.
        kept = np.abs(value) > 1e-14 * max(1.0, float(np.max(np.abs(value), initial=0.0)))
        return row[kept].astype(np.int64), column[kept].astype(np.int64), value[kept]
