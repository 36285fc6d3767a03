"""Build a ``System`` from definitions: bodies, hinges as tuples of rows, forces.

Plain Python and NumPy: runs once per change of the mechanism. Points are given from the mass
centre in body axes (of the world: from its origin in world axes); SI units, radians.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.system import System
from articulata.kernels.multibody.tree.order import plan

Triple = tuple[float, float, float]
ZERO: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body: mass (kg), inertia (3, 3) about the mass centre in body axes (kg m^2)."""

    mass: float
    inertia: Array = field(repr=False)
    gravity: Triple = ZERO
    kind: int = s.FREE


@dataclass(frozen=True, slots=True)
class Row:
    """One constraint row (three for ``POINT``); see the row kinds in ``system``."""

    kind: int
    p_A: Triple = ZERO
    p_B: Triple = ZERO
    n_B: Triple = ZERO
    d: Triple = ZERO
    size: float = 0.0
    driven: bool = False


@dataclass(frozen=True, slots=True)
class Hinge:
    """Rows between bodies a and b; either may be ``WORLD``, not both the same body."""

    a: int
    b: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Force:
    """A force element between bodies a and b; see the force kinds in ``kernels.multibody.system``.

    ``p_A`` and ``p_B`` are points (``SPRING``, ``LINE``) or reference directions (``TWIST``,
    ``AXIS``); ``constants`` are stiffness, damping, rest, torque; ``program`` is a list of
    (opcode, value) made with ``programs``.
    """

    kind: int
    a: int
    b: int
    p_A: Triple = ZERO
    p_B: Triple = ZERO
    axis_B: Triple = ZERO
    constants: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    program: tuple[tuple[int, float], ...] = ()


def build_system(
    bodies: Sequence[Body], hinges: Sequence[Hinge], forces: Sequence[Force], state: Array
) -> System:
    """Return the arrays of the mechanism with an elimination plan made at ``state`` (n, 13).

    ``ValueError`` when a free body has no mass or an indefinite inertia, a hinge names no two
    different bodies, or a size is out of range; the message names the index.
    """
    body, kind = _bodies(bodies)
    _check_pairs([(h.a, h.b) for h in hinges], len(bodies), "hinge")
    _check_pairs([(f.a, f.b) for f in forces], len(bodies), "force")
    hinge_row = [0]
    table: list[tuple[int, int, int, int, int, int]] = []
    row_data: list[Array] = []
    for index, hinge in enumerate(hinges):
        for row in hinge.rows:
            data = _row_data(row, index)
            for k in (s.POINT, s.POINT_Y, s.POINT_Z) if row.kind == s.POINT else (row.kind,):
                table.append((k, hinge.a, hinge.b, index, int(row.driven), -1))
                row_data.append(data)
        hinge_row.append(len(table))
    force_code: list[int] = [0]
    code: list[tuple[int, int]] = []
    constants: list[float] = []
    force_data = np.zeros((len(forces), s.FORCE_WIDTH))
    for index, force in enumerate(forces):
        force_data[index] = [*force.p_A, *force.p_B, *force.axis_B, *force.constants]
        for opcode, value in force.program:
            code.append((opcode, len(constants)))
            constants.append(float(value))
        force_code.append(len(code))
    empty = np.zeros(0, np.int64)
    bare = System(
        body=body,
        body_kind=kind,
        hinge_body=_integers([(h.a, h.b) for h in hinges]).reshape(-1, 2),
        hinge_row=_integers(hinge_row),
        row=_integers(table).reshape(-1, 6),
        row_data=np.array(row_data, float).reshape(-1, s.ROW_WIDTH),
        force_kind=_integers([f.kind for f in forces]),
        force_body=_integers([(f.a, f.b) for f in forces]).reshape(-1, 2),
        force_data=force_data,
        force_code=_integers(force_code),
        code=_integers(code).reshape(-1, 2),
        constants=np.array(constants, float),
        load=np.zeros((0, 3), np.int64),
        tree=np.zeros((0, 7), np.int64),
        tree_row=empty,
        closure_row=empty,
        closure_start=empty,
        path=empty,
        path_start=empty,
    )
    return plan(bare, state)


def _integers(values: object) -> IntArray:
    return np.array(values, np.int64)


def _bodies(bodies: Sequence[Body]) -> tuple[Array, IntArray]:
    """Return the ``body`` and ``body_kind`` arrays."""
    table = np.zeros((len(bodies), s.BODY_WIDTH))
    for index, body in enumerate(bodies):
        J = np.asarray(body.inertia, float)
        if body.kind == s.FREE:
            if not (np.isfinite(body.mass) and body.mass > 0):
                raise ValueError(f"body {index} moves freely and needs a mass > 0, not {body.mass}")
            if J.shape != (3, 3) or not np.all(np.isfinite(J)) or np.linalg.eigvalsh(J)[0] <= 0:
                raise ValueError(f"body {index} needs a positive definite 3 x 3 inertia, not {J}")
        table[index, s.MASS] = body.mass
        table[index, s.INVERSE_MASS] = 1.0 / body.mass if body.mass > 0 else 0.0
        table[index, s.GRAVITY : s.GRAVITY + 3] = body.gravity
        table[index, s.INERTIA : s.INERTIA + 9] = (0.5 * (J + J.T)).ravel()
    return table, _integers([body.kind for body in bodies])


def _check_pairs(pairs: Sequence[tuple[int, int]], n: int, what: str) -> None:
    """Raise where a pair does not name two different bodies out of n (or the world)."""
    for index, (a, b) in enumerate(pairs):
        if a == b or not all(s.WORLD <= body < n for body in (a, b)):
            raise ValueError(f"{what} {index} needs two different bodies of {n}, not {a} and {b}")


def _row_data(row: Row, hinge: int) -> Array:
    """Return one line of ``row_data``, directions made unit vectors."""
    n_B, d = np.array(row.n_B, float), np.array(row.d, float)
    if row.kind in (s.PLANE, s.CYLINDER, s.HELICOID, s.DIRECTION):
        n_B = _unit(n_B, hinge)
    if row.kind in (s.HELICOID, s.DIRECTION):
        d = _unit(d, hinge)
    if row.kind in (s.SPHERE, s.CYLINDER) and not row.size > 0:
        raise ValueError(f"a row of hinge {hinge} needs a radius > 0, not {row.size}")
    if row.kind == s.HELICOID and row.size == 0:
        raise ValueError(f"a helicoid row of hinge {hinge} needs a pitch other than 0")
    return np.concatenate([row.p_A, row.p_B, n_B, d, [row.size]])


def _unit(vector: Array, hinge: int) -> Array:
    length = float(np.linalg.norm(vector))
    if not (np.isfinite(length) and length > 0):
        raise ValueError(f"a row of hinge {hinge} needs a direction, not {vector}")
    return vector / length
