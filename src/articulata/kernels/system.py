"""What the multibody kernels work on: bodies, hinge rows, forces, an elimination plan.

Maximal coordinates, after Hoffmann & Hopcroft (Purdue CSD-TR-635, 1986): every body has a
position and an orientation of its own, hinges are scalar constraint rows between two bodies
``a`` and ``b``, and the equations of motion are

    M dv = f + J^T lambda,        J dv = gamma,

with one multiplier per row. **Sign**: ``+J_a^T lambda`` acts on body ``a`` and ``+J_b^T lambda``
on body ``b``; for coincident points (``POINT``) that is the force ``+lambda`` on ``a`` and
``-lambda`` on ``b`` at the point, in world axes. With ``a`` the link above and ``b`` the link
below this is the report's own ``fx_i, fy_i``.

SI units, radians, everything in the world frame W unless a name says otherwise.

**State**: one C-contiguous float64 array ``(n, 13)``, a row per body:
``POSITION`` (0:3) the mass centre r in W, ``QUATERNION`` (3:7) w first, body to world,
``VELOCITY`` (7:10) of the mass centre, ``RATE`` (10:13) the angular velocity w in world axes.
``RATES`` arrays (n, 6) hold linear then angular accelerations, ``WRENCHES`` (n, 6) force at the
mass centre then torque, all in world axes.

A ``System`` is built by ``articulata.kernels.build.build_system``; it is plain arrays, so that
compiled code takes it as one argument. A body index of ``WORLD`` (-1) stands for the ground.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

WORLD = -1
"""The body index of the ground in ``hinge_body`` and ``force_body``."""

POSITION = slice(0, 3)
QUATERNION = slice(3, 7)
VELOCITY = slice(7, 10)
RATE = slice(10, 13)
STATE_WIDTH = 13

FREE = 0
"""Body kind: moved by forces; needs mass and inertia."""
FIXED = 1
"""Body kind: part of the ground, never moves (its velocity is ignored and must be zero)."""
PRESCRIBED = 2
"""Body kind: both accelerations are given from outside; needs no mass."""

POINT = 0
"""Row kind, three rows at once: points p_A of A and p_B of B coincide (world axes x, y, z)."""
POINT_Y = 1
"""Second row of a ``POINT`` block; set by the builder."""
POINT_Z = 2
"""Third row of a ``POINT`` block; set by the builder."""
PLANE = 3
"""Row kind: p_A stays on the plane through p_B with normal n_B, at distance ``size``."""
SPHERE = 4
"""Row kind: p_A stays at distance ``size`` > 0 from p_B."""
CYLINDER = 5
"""Row kind: p_A stays at distance ``size`` > 0 from the line through p_B along n_B."""
HELICOID = 6
"""Row kind: p_A stays on the helicoid through p_B along n_B, zero direction d, ``size`` metres
per radian (right-handed positive). Best conditioned when p_A is about ``|size|`` off the axis."""
DIRECTION = 7
"""Row kind: n_B . d_A = ``size`` (d is a direction of A here), both unit vectors."""

SPRING = 0
"""Force kind: linear spring and damper between p_A and p_B: constants stiffness, damping, rest."""
TWIST = 1
"""Force kind: torsional spring, damper and constant torque about an axis of B: stiffness,
damping, rest angle, torque. The angle is that of A's reference direction from B's."""
LINE = 2
"""Force kind: a program gives the tension-positive pull along the line between p_A and p_B."""
AXIS = 3
"""Force kind: a program gives the torque on A about an axis of B (the reaction acts on B)."""

OK = 0
"""Status: all well."""
NOT_FINITE = 1
"""Status bit: a NaN or infinity in state or forces."""
INCONSISTENT = 2
"""Status bit: dependent rows contradict each other; ``info`` names row and residual."""
LOST_PIVOT = 4
"""Status bit: a row on which the plan relies has become dependent: plan again at this state."""
NOT_CONVERGED = 8
"""Status bit: projection could not close the gaps; ``info`` names the widest row."""
STEP_TOO_SMALL = 16
"""Status bit: the step control asked for a step below the resolution of time."""

MASS = 0
INVERSE_MASS = 1
GRAVITY = 2
"""Column of the first component of the gravity acceleration in ``System.body``."""
INERTIA = 5
"""Column of J[0, 0] in ``System.body``; row by row, about the mass centre, body axes."""
BODY_WIDTH = 14

ROW_P_A = 0
ROW_P_B = 3
ROW_N_B = 6
ROW_D = 9
ROW_SIZE = 12
ROW_WIDTH = 13

FORCE_P_A = 0
"""Point of A (``SPRING``, ``LINE``) or its reference direction (``TWIST``, ``AXIS``)."""
FORCE_P_B = 3
"""Point of B, or its reference direction."""
FORCE_AXIS = 6
"""Unit axis in B (``TWIST``, ``AXIS``)."""
FORCE_CONSTANTS = 9
"""Stiffness, damping, rest length or angle, constant torque."""
FORCE_WIDTH = 13


class System(NamedTuple):
    """Bodies, rows, forces and the elimination plan of one mechanism, as plain arrays."""

    body: Array
    """(n, BODY_WIDTH): mass, 1/mass, gravity acceleration (3), inertia in body axes (9)."""
    body_kind: IntArray
    """(n,): FREE, FIXED or PRESCRIBED."""
    hinge_body: IntArray
    """(hinges, 2): bodies a and b, or WORLD."""
    hinge_row: IntArray
    """(hinges + 1,): the rows of hinge h are hinge_row[h] : hinge_row[h + 1]."""
    row_kind: IntArray
    """(rows,)."""
    row_hinge: IntArray
    """(rows,): the hinge that a row belongs to."""
    row_data: Array
    """(rows, ROW_WIDTH): p_A, p_B, n_B, d in body axes from the mass centres, size."""
    row_driven: IntArray
    """(rows,): 1 where the second derivative is given from outside (projection leaves it)."""
    force_kind: IntArray
    """(forces,)."""
    force_body: IntArray
    """(forces, 2)."""
    force_data: Array
    """(forces, FORCE_WIDTH)."""
    force_code: IntArray
    """(forces + 1,): the program of force f is code[force_code[f] : force_code[f + 1]]."""
    code: IntArray
    """(operations, 2): opcode and operand, see ``articulata.kernels.programs``."""
    constants: Array
    """(k,): constants of all programs."""
    tree: IntArray
    """(free bodies, 5), leaves first: body, parent body or WORLD, hinge or -1 at a floating
    root, side of the body in the hinge (0: it is a), first entry in ``tree_row``."""
    tree_row: IntArray
    """Rows solved along the tree, hinge by hinge in the order of ``tree``; one end mark more in
    ``tree_end``."""
    tree_end: IntArray
    """(free bodies,): end of the body's rows in ``tree_row``."""
    closure_row: IntArray
    """(c,): rows solved through the Schur complement, component by component."""
    closure_start: IntArray
    """(components + 1,): component k owns closure_row[closure_start[k] : closure_start[k + 1]]."""
    path: IntArray
    """Positions in ``tree``, leaves first, of every body on the way from closure k's component to
    its root; component k owns path[path_start[k] : path_start[k + 1]]."""
    path_start: IntArray
    """(components + 1,)."""


class Workspace(NamedTuple):
    """Scratch memory and last results of one ``System``; one per thread, never shared."""

    rotation: Array
    """(n, 3, 3): body to world."""
    gap: Array
    """(rows,): g, metres or (for directions) the cosine's error."""
    jacobian: Array
    """(rows, 12): columns v_a, w_a, v_b, w_b."""
    gamma: Array
    """(rows,): right-hand side of J dv = gamma without drive."""
    force: Array
    """(n, 6): sum of all wrenches without hinge forces, gyroscopic torque included."""
    factor: Array
    """(n, 6, 6): articulated inertia, then its LDL^T factor."""
    gain: Array
    """(n, 6, 6): row k is M^-1 J_i^T of the body's k-th tree row."""
    transfer: Array
    """(n, 6, 6): row k is (D^-1 J_p)_k."""
    pivot: Array
    """(n, 6, 6): D^-1 of the body's tree hinge."""
    rho: Array
    """(n, 6): scratch of the solve."""
    load: Array
    """(n, 6): right-hand side wrenches of the solve."""
    solution: Array
    """(n, 6): accelerations, velocity jumps or displacements found by the solve."""
    rhs: Array
    """(rows,): right-hand side of the rows in the solve."""
    multiplier: Array
    """(rows,): lambda of the last solve."""
    schur: Array
    """(c, c): the closures' Schur complement (inverse effective inertia), block by component."""
    schur_factor: Array
    """(c, c): its factor over the independent rows."""
    schur_order: IntArray
    """(c,): pivot order within each component."""
    schur_rank: IntArray
    """(components,): number of independent closure rows."""
    closure: Array
    """(4, c): scratch vectors of the closure solve."""
    column: Array
    """(c, 12): effect of each closure row on its own two bodies, scratch."""
    turns: Array
    """(forces,): last unwound angle of each TWIST or AXIS force, rad."""
    stack: Array
    """(64,): operand stack of the force programs."""
    info: Array
    """(8,): what the last status is about, see ``INFO_*``."""


class Inputs(NamedTuple):
    """What acts from outside, given for each time at which the integrator asks.

    The first axis is time: length 1 means constant over the call, otherwise one entry per stage
    time of the method (``rk4``: t, t + h/2, t + h, ...: 2 * steps + 1 entries; ``dop853``: the
    nodes of ``articulata.kernels.tableau``; one-stage methods: one entry per step). A controller
    ``f(t, sensed)`` sees a constant snapshot during a cycle, so that the table can be made ahead.
    """

    applied: Array
    """(k, n, 6): wrenches on the bodies, force at the mass centre then torque, world axes."""
    prescribed: Array
    """(k, n, 6): accelerations of the PRESCRIBED bodies, linear then angular."""
    drive: Array
    """(k, rows): second derivative of g for driven rows, zero elsewhere."""
    signal: Array
    """(k, signals): what the operation SIGNAL of a force program reads."""


def no_inputs(system: System, signals: int = 0) -> Inputs:
    """Return inputs that are zero throughout; set entries for constant ones."""
    n, rows = len(system.body), len(system.row_kind)
    return Inputs(
        applied=np.zeros((1, n, 6)),
        prescribed=np.zeros((1, n, 6)),
        drive=np.zeros((1, rows)),
        signal=np.zeros((1, signals)),
    )


INFO_ROW = 0
"""Entry of ``Workspace.info``: the row concerned by the last non-zero status."""
INFO_VALUE = 1
"""Entry of ``Workspace.info``: its residual, pivot ratio or gap."""
INFO_TIME = 2
"""Entry of ``Workspace.info``: the time reached, s."""
INFO_STEPS = 3
"""Entry of ``Workspace.info``: accepted steps of the last integration."""
INFO_REJECTED = 4
"""Entry of ``Workspace.info``: rejected steps of the last integration."""
INFO_EVALUATIONS = 5
"""Entry of ``Workspace.info``: acceleration evaluations of the last integration."""


def make_workspace(system: System) -> Workspace:
    """Return scratch memory for one thread that works on ``system``."""
    n, rows = len(system.body), len(system.row_kind)
    c, forces = len(system.closure_row), len(system.force_kind)
    return Workspace(
        rotation=np.zeros((n, 3, 3)),
        gap=np.zeros(rows),
        jacobian=np.zeros((rows, 12)),
        gamma=np.zeros(rows),
        force=np.zeros((n, 6)),
        factor=np.zeros((n, 6, 6)),
        gain=np.zeros((n, 6, 6)),
        transfer=np.zeros((n, 6, 6)),
        pivot=np.zeros((n, 6, 6)),
        rho=np.zeros((n, 6)),
        load=np.zeros((n, 6)),
        solution=np.zeros((n, 6)),
        rhs=np.zeros(rows),
        multiplier=np.zeros(rows),
        schur=np.zeros((c, c)),
        schur_factor=np.zeros((c, c)),
        schur_order=np.zeros(c, np.int64),
        schur_rank=np.zeros(max(len(system.closure_start) - 1, 0), np.int64),
        closure=np.zeros((4, c)),
        column=np.zeros((c, 12)),
        turns=np.zeros(forces),
        stack=np.zeros(64),
        info=np.zeros(8),
    )
