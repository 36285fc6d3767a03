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

A ``System`` is built by ``build.build_system``; it is plain arrays, so that
compiled code takes it as one argument. A body index of ``WORLD`` (-1) stands for the ground.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray

WORLD = -1
"""The body index of the ground in ``hinge_body`` and ``force_body``."""

POSITION = slice(0, 3)
QUATERNION = slice(3, 7)
VELOCITY = slice(7, 10)
RATE = slice(10, 13)

FREE = 0
"""Body kind: moved by forces; needs mass and inertia."""
FIXED = 1
"""Body kind: part of the ground, never moves (its velocity is ignored and must be zero)."""
PRESCRIBED = 2
"""Body kind: both accelerations are given from outside; needs no mass."""
MEMORY = 3
"""Body kind: no body, but what a force element remembers, the first entry of its velocity. Its
rate is what an element puts there as a force."""

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

TURN = 8
"""Row kind of a coupling: the rate of A from B about n_B, a vector of any length. Rows linked by
``NEXT`` are one row with one multiplier: their sum is ``size`` (of the first); there is no gap."""
SLIDE = 9
"""Row kind of a coupling, as ``TURN``: the speed of p_A along n_B of B."""
CAM = 10
"""Row kind of a coupling, as ``TURN`` times the slope of a law of the angle from B's direction p_B
to A's p_A. ``d`` numbers its programs in ``code``: where that of the slope starts, where it ends
and that of the slope's own slope starts, and where this ends."""

SPRING = 0
"""Force kind: linear spring and damper between p_A and p_B: constants stiffness, damping, rest."""
TWIST = 1
"""Force kind: torsional spring, damper and constant torque about an axis of B: stiffness,
damping, rest angle, torque. The angle is that of A's reference direction from B's."""
LINE = 2
"""Force kind: a program gives the tension-positive pull along the line between p_A and p_B."""
AXIS = 3
"""Force kind: a program gives the torque on A about an axis of B (the reaction acts on B)."""
THRUST = 4
"""Force kind: a program gives the force on A at p_A along an axis of B; the opposite acts on B at
the same place. Its program reads neither length nor speed."""
ROPE = 5
"""Force kind: the first part of a rope through several points. A program gives the tension of all
its parts from their whole length, the rest (in metres) included, and the rate of that."""
STRAND = 6
"""Force kind: a further part of the rope whose parts come before it."""
BUSHING = 7
"""Force kind: six springs and dampers between two frames. The constants of its program, which is
never run, are stiffness (3 along, 3 about axes), damping (6), and the axes of A's frame in A and of
B's in B, row by row (9 each)."""
BALANCE = 8
"""Force kind: no force, but signals that bound those after it. The constants of its program, which
is never run, are the table of a figure's balance (see ``balance_moments``)."""

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
TOO_NEAR = 64
"""Status bit, within a step: a stage came near a singular position and was not on its hinges."""
STRAYED = 32
"""Status bit: a step left the hinges so far that its projection would change the motion; the
state is the one before the step, ``info`` names the row with the widest gap."""

JAMMED = 256
"""Status bit: friction outgrows what drives it, as it grows with the reaction of its hinge;
``info`` names a row of that."""

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
"""Stiffness, damping, rest length or angle, constant torque. Of a ``LINE`` or ``AXIS`` whose
program reads INTEGRAL: the number of its MEMORY row plus 1; 1 where it gives the rate of that."""
FORCE_WIDTH = 13


KIND, BODY_A, BODY_B, HINGE, DRIVEN, NEXT = range(6)
"""Columns of ``System.row``."""
TREE_BODY, TREE_PARENT, TREE_HINGE, TREE_SIDE, TREE_START, TREE_END, TREE_POINT = range(7)
"""Columns of ``System.tree``."""


class System(NamedTuple):
    """Bodies, rows, forces and the elimination plan of one mechanism, as plain arrays."""

    body: Array
    """(n, BODY_WIDTH): mass, 1/mass, gravity acceleration (3), inertia in body axes (9)."""
    body_kind: IntArray
    """(n,): FREE, FIXED, PRESCRIBED or MEMORY."""
    hinge_body: IntArray
    """(hinges, 2): bodies a and b, or WORLD."""
    hinge_row: IntArray
    """(hinges + 1,): the rows of hinge h are hinge_row[h] : hinge_row[h + 1]."""
    row: IntArray
    """(rows, 6): kind, body a, body b, hinge, driven (1 where the second derivative of the gap is
    given from outside; projection leaves such a row alone), next row of a coupling or -1. Rows that
    another leads to come after those of all hinges and are no rows of their own."""
    row_data: Array
    """(rows, ROW_WIDTH): p_A, p_B, n_B, d in body axes from the mass centres, size."""
    force_kind: IntArray
    """(forces,)."""
    force_body: IntArray
    """(forces, 2)."""
    force_data: Array
    """(forces, FORCE_WIDTH)."""
    force_code: IntArray
    """(forces + 1,): the program of force f is code[force_code[f] : force_code[f + 1]]."""
    code: IntArray
    """(operations, 2): opcode and index into ``constants``, see ``kernels.multibody.programs``."""
    constants: Array
    """(operations,): constants of all programs."""
    load: IntArray
    """(loaded, 3) of hinges that rub by their reaction: the entry of the signals that takes it, the
    row along the coordinate, the hinge."""
    tree: IntArray
    """(free bodies, 7), leaves first: body, parent body or WORLD, hinge or -1 at a floating root,
    side of the body in the hinge (0: it is a), start and end of its rows in ``tree_row``, 1 when
    these are a POINT block and nothing but direction rows after it."""
    tree_row: IntArray
    """Rows solved along the tree."""
    closure_row: IntArray
    """(c,): rows solved through the Schur complement, component by component."""
    closure_start: IntArray
    """(components + 1,): component k owns closure_row[closure_start[k] : closure_start[k + 1]]."""
    path: IntArray
    """Positions in ``tree``, leaves first, of every body between component k's closures and its
    root; component k owns path[path_start[k] : path_start[k + 1]]."""
    path_start: IntArray
    """(components + 1,)."""

    @property
    def row_hinge(self) -> IntArray:
        """Hinge of every row."""
        return self.row[:, HINGE]


ROTATION, FORCE, LOAD, SOLUTION, ARTICULATED, ARM = 0, 9, 15, 21, 27, 48
HINGE_SCRATCH = 54
BODY_SCRATCH = 267
"""Columns of ``Workspace.body``.

ROTATION (9) body to world; FORCE (6) all wrenches but the hinges'; LOAD and SOLUTION (6 each)
of the solve; ARTICULATED (21) the articulated inertia as ``tree.shift`` has it, about the point
that ARM (3) leads to from the mass centre; ARM + 3 (3) where a common point is from the parent's;
from HINGE_SCRATCH on what ``tree.point`` or ``tree.general`` keep about the body's tree hinge."""

GAP, GAMMA, RHS, MULTIPLIER = 12, 13, 14, 15
"""Columns of ``Workspace.row`` after the 12 of the Jacobian."""


class Workspace(NamedTuple):
    """Scratch memory and last results of one ``System``; one per thread, never shared."""

    body: Array
    """(n, BODY_SCRATCH)."""
    row: Array
    """(rows, 16): Jacobian v_a, w_a, v_b, w_b (12), gap, gamma, rhs, multiplier."""
    schur: Array
    """(c, c): the closures' Schur complement (inverse effective inertia), block by component."""
    schur_factor: Array
    """(c, c): its pivoted Cholesky factor over the independent rows."""
    schur_order: IntArray
    """(c,): closures in pivot order within each component."""
    schur_rank: IntArray
    """(components,): number of independent closure rows."""
    rank_limit: IntArray
    """(components,): rank where the hinges are met, -1 while unknown (``passage.establish``). A
    stage of a step lies off the hinges by its own error, where rows that depend on others at every
    position would count as independent."""
    closure: Array
    """(3, c): lone mobility, remaining pivot, solution of the closures."""
    null: Array
    """(c + 1, rows) where hinges rub by their reaction: scratch memory of ``minimum_norm``."""
    turns: Array
    """(forces,): last unwound angle of each TWIST or AXIS force, rad."""
    stack: Array
    """(STACK + 1,): operand stack of the force programs, and what an element remembers."""
    role: IntArray
    """(forces,): STORED, CONTROL, DISSIPATIVE or DAMPED."""
    books: Array
    """(6,): work done and energy dissipated, J; of the step under way, and of its first stage."""
    given: Array
    """(forces, 2): what DISSIPATIVE elements have brought in in the step under way (J), and in its
    first stage."""
    info: Array
    """(16,): what the last status is about, see ``INFO_*``."""

    @property
    def jacobian(self) -> Array:
        """(rows, 12): columns v_a, w_a, v_b, w_b."""
        return self.row[:, :12]

    @property
    def gap(self) -> Array:
        """(rows,): g, metres or (for directions) the cosine's error."""
        return self.row[:, GAP]

    @property
    def gamma(self) -> Array:
        """(rows,): right-hand side of J dv = gamma without drive."""
        return self.row[:, GAMMA]

    @property
    def rhs(self) -> Array:
        """(rows,): right-hand side of the rows in the last solve."""
        return self.row[:, RHS]

    @property
    def multiplier(self) -> Array:
        """(rows,): lambda of the last solve."""
        return self.row[:, MULTIPLIER]

    @property
    def rotation(self) -> Array:
        """(n, 9): body to world, row by row."""
        return self.body[:, ROTATION : ROTATION + 9]

    @property
    def force(self) -> Array:
        """(n, 6): all wrenches but the hinges', gyroscopic torque included."""
        return self.body[:, FORCE : FORCE + 6]

    @property
    def solution(self) -> Array:
        """(n, 6): accelerations, velocity jumps or displacements of the last solve."""
        return self.body[:, SOLUTION : SOLUTION + 6]


class Inputs(NamedTuple):
    """What acts from outside, given for each time at which the integrator asks.

    The first axis is time: length 1 means constant over the call, otherwise one entry per stage
    time of the method (``rk4``: t, t + h/2, t + h, ...: 2 * steps + 1 entries; ``dop853``: the
    nodes of ``tableau``; one-stage methods: one entry per step). A controller
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


class Integrated(NamedTuple):
    """A mechanism whose motion is integrated: ``stages`` (STAGES, n, 13) is scratch memory."""

    system: System
    work: Workspace
    stages: Array
    inputs: Inputs


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
INFO_SHARE = 6
"""Entry of ``Workspace.info``: smallest pivot of a closure row (as a share of its own mobility)
since it was last set to 1, rows that depend on others at every position left out. Small values
mean that the mechanism passed near a singular position."""

INFO_SHIFT = 7
"""Entry of ``Workspace.info``: square of the last projection's displacement in the mass metric."""
INFO_JUMP = 8
"""Entry of ``Workspace.info``: square of its change of velocity, twice a kinetic energy, J."""
INFO_MOTION = 9
"""Entry of ``Workspace.info``: square of the velocity after it, twice the kinetic energy, J."""
INFO_CENTRE = 10
"""Entry of ``Workspace.info``: time from the last state evaluated to the singular position."""
INFO_REACH = 11
"""Entry of ``Workspace.info``: half the duration of the passage over it; 0 outside a passage."""
INFO_NOISE = 12
"""Entry of ``Workspace.info``: largest rounding error of accelerations since it was last set to 0,
m/s^2 or rad/s^2, as far as loops near a singular position cause it."""
INFO_FIRM = 13
"""Entry of ``Workspace.info``: 1 where the running step puts its stages on the hinges."""
INFO_BOOKED = 14
"""Entry of ``Workspace.info``: 1 where work is booked."""

STORED, CONTROL, DISSIPATIVE, DAMPED = 0, 1, 2, 3
"""Roles of force elements in the books: their energy is stored in the mechanism; they bring work
from outside; they take energy, or bring it; they store some and their damping takes some."""

NEAR = 5e-2
"""Value of INFO_SHARE (the square of an angle) below which loops are closed with all digits and
stages of a step are put on the hinges before they are evaluated: off them accelerations grow
with the inverse of the share."""


def make_workspace(system: System) -> Workspace:
    """Return scratch memory for one thread that works on ``system``."""
    c = len(system.closure_row)
    null = (c + 1, len(system.row)) if len(system.load) else (0, 0)
    info = np.zeros(16)
    info[INFO_SHARE] = 1.0
    return Workspace(
        body=np.zeros((len(system.body), BODY_SCRATCH)),
        row=np.zeros((len(system.row), 16)),
        schur=np.zeros((c, c)),
        schur_factor=np.zeros((c, c)),
        schur_order=np.zeros(c, np.int64),
        schur_rank=np.zeros(max(len(system.closure_start) - 1, 0), np.int64),
        rank_limit=np.full(max(len(system.closure_start) - 1, 0), -1, np.int64),
        closure=np.zeros((3, c)),
        null=np.zeros(null),
        turns=np.zeros(len(system.force_kind)),
        stack=np.zeros(65),
        role=np.zeros(len(system.force_kind), np.int64),
        books=np.zeros(6),
        given=np.zeros((len(system.force_kind), 2)),
        info=info,
    )
