"""What a step with many contacts works on: who may touch, and the contacts of the step.

Bodies that no hinge holds answer an impulse alone; the others as mechanisms, through the hinges'
elimination tree. World axes, SI.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.contacts.patches import MOST
from articulata.kernels.contacts.pieces import Pieces, Standing, standing
from articulata.kernels.multibody.contact.approach import BOUND_WIDTH
from articulata.kernels.multibody.stepping.dense import Dense, new_dense

ALONE = -1
"""Group of a body that answers impulses by its own mass alone."""
STILL = -2
"""Group of a body that no impulse moves."""

PIECE_A, PIECE_B = 0, 1
"""Columns of ``Contacts.near``: two pieces, that of the body with the lower number first."""

FRICTION, RESTITUTION, STATIC, SOFTNESS = 0, 1, 2, 3
"""Columns of ``Scene.material``; softness along the normal and, after it, across."""

LOWER, UPPER, BOUNCE = 0, 1, 2
"""Columns of ``Scene.limit_data``."""


class Scene(NamedTuple):
    """What may touch in one mechanism, and how its bodies answer impulses."""

    pieces: Pieces
    about: Pieces
    """The same about the bodies' mass centres."""
    reach: Array
    """(p,): how far the points of a piece lie from the mass centre, m; 0 for endless ones."""
    thin: Array
    """(p,): thickness of a piece, m; inf for endless ones."""
    piece: IntArray
    piece_start: IntArray
    """(n + 1,): body b consists of piece[piece_start[b] : piece_start[b + 1]]."""
    extent: Array
    """(n,): how far a body reaches from its mass centre, m; inf for endless ones, -inf for none."""
    surface: IntArray
    """(n, n): number of what two bodies do to each other, -1 where they are not to touch."""
    material: Array
    """(s, 5): friction while sliding, restitution, friction at rest, where they are numbers; and
    softness along the normal and across, as shares of the greatest."""
    law: IntArray
    """(s, 4): where programs of friction and restitution start and end; equal where none are."""
    code: IntArray
    """(m, 2): programs of friction and restitution, see ``programs``."""
    constants: Array
    """(m,): their constants."""
    center: Array
    """(n, 3): mass centres in the bodies' own frames, m."""
    inverse: Array
    """(n, 9): inverse inertia about the mass centre, body axes; 0 for what does not move."""
    free: IntArray
    """(n,): 1 for bodies that fly by their own: no hinge, no force element, no control."""
    group: IntArray
    """(n,): number of the mechanism that a body belongs to, ALONE or STILL."""
    group_start: IntArray
    """(groups + 1,): mechanism g owns group_tree[group_start[g] : group_start[g + 1]]."""
    group_tree: IntArray
    """Positions in the tree, leaves first, of the bodies of each mechanism."""
    group_loops: IntArray
    """(groups,): 1 for a mechanism with loops."""
    giving: IntArray
    """(k,): force elements about joints by programs, mechanism by mechanism, see ``yielding``."""
    giving_start: IntArray
    """(groups + 1,): those of mechanism g are giving[giving_start[g] : giving_start[g + 1]]."""
    giving_column: IntArray
    """(k + 1,): their first rows in ``Contacts.joint_column``, one for each body."""
    limit: IntArray
    """(l, 2): coordinate, and number of its hinge's pair."""
    limit_data: Array
    """(l, 3): bounds of the coordinate, rad or m, and restitution there."""
    coordinate: IntArray
    """(c, 3): see ``frames``."""
    coordinate_data: Array
    """(c, 24): see ``frames``."""


PAIR, KIND_A, INDEX_A, KIND_B, INDEX_B, CORNER, BODY_A, BODY_B, WHO = range(9)
COLUMN_A, COLUMN_B, FRESH, HELD = range(9, 13)
"""Columns of ``Contacts.table``: pieces i and j of p as p i + j (of limits: -1 - row), features,
number of the point within the patch, bodies, the pair of bodies a and b of n as n a + b (limits
come after these), first rows in ``column``; 1 for a contact that the step before did not know; 1
for one that pressed in the step before. Rows are in the order of bodies, then of pieces."""
TABLE_WIDTH = 13

NORMAL, TANGENT_1, TANGENT_2, POINT = 0, 3, 6, 9
DISTANCE, MU, E, BOUND, BEFORE, FLOWN, AFTER, FORCE, BLOCK, IMPULSE, SHARE, STRIKE, LEAST = (
    12, 13, 14, 15, 16, 19, 22, 25, 28, 37, 40, 41, 44
)  # fmt: skip
"""Columns of ``Contacts.data``: axes (from B to A) and point in W; gap; friction; restitution; the
least speed of separation; velocities (3) at the step's start, after free motion, at its end;
impulse (3) along the axes; mobility (9); impulse in W (3); what takes overlap away; impulse (3) of
pairs that collided one after the other; the least impulse along the normal, above 0 where it is
given back."""
DATA_WIDTH = 45

TAKEN, RUBBED = 0, 4
"""Entries of ``Contacts.books``: energy that contacts took in the last call, and what of it sliding
took; between them scratch."""

GIVES, GIVING_AXIS = 0, 1
"""Columns of ``Contacts.giving``: root of what a joint gives back within a step for a change of its
rate (kg m^2), and its axis in W (3)."""

LENGTH, TOUCHING = 8, 9
"""Further entries: how long (s) the step after SHORTER may be, and 1 where something touches in its
middle that is not to be looked for again."""

COUNT, OLD, ROWS, SWEEPS, CHANGED, UNSOLVED, STEPS, NEW, LIVE = range(9)
"""Entries of ``Contacts.tally``: contacts, contacts of the step before, rows used of ``column``,
sweeps of all steps, pairs to which something happened in the last step; steps that did not end
within the tolerance; steps of the last call; fresh contacts; rows of ``pairs``."""

HISTORY = 24
"""Rounds of sweeps that are combined at most."""

NO_ROOM = 1024
"""Status bit: more touches or is near than there is room for; the state is that before the step."""

SHORTER = 2048
"""Status bit: the next step has to be shorter, see LENGTH; the state is that before the step."""

MARGIN, SLACK, ITERATIONS, TOLERANCE, OVERLAP, LAW, GUARDED, MOVING, SLOW, SWEPT = range(10)
"""Entries of the settings of a run: features farther apart (m) are no contact; corners that differ
by less (m) are one face; most sweeps of a step, and the change (share of the largest impulse) that
ends them; overlap (m) that is left; law of impact; 1 where no step may
gain energy; 1 where bodies move otherwise than in free flight; speed (m/s) below which no
approach is an impact; how far ahead is looked."""

UNSWEPT, AHEAD, EVENLY = 0.0, 1.0, 2.0
"""Ways to look ahead: not at all, for the first touch of what is fast, by even and fine steps."""

NEWTON, SEQUENTIAL, POISSON = 0, 1, 2
"""Laws of impact."""


class Contacts(NamedTuple):
    """The contacts of a step, and scratch memory for them."""

    table: IntArray
    """(m, TABLE_WIDTH)."""
    data: Array
    """(m, DATA_WIDTH)."""
    J: Array
    """(m, 3, 12): rows along the axes, for the velocities of both bodies."""
    answer: Array
    """(m, 3, 12): what a unit impulse along each row does to both bodies' velocities."""
    column: Array
    """(r, 6): the same for all bodies of mechanisms."""
    giving: Array
    """(k, 4): the joints of ``Scene.giving``."""
    joint_column: Array
    """(r, 6): what moments about them do to all bodies of their mechanisms."""
    mobile: Array
    """(groups, most, most): rates of each other's joints by such moments."""
    given: Array
    """(groups, most, most): Cholesky's factor of 1 + that times the slopes."""
    share: Array
    """(2, most): scratch."""
    stiff: IntArray
    """(groups,): 1 for mechanisms whose joints give back so much that it counts."""
    way: Array
    """(p,): how far what joints give takes a piece in the step, m."""
    old_table: IntArray
    old_data: Array
    """The contacts of the step before."""
    velocity: Array
    """(n, 6): the velocities solved for."""
    shift: Array
    """(n, 6): displacements that take overlap away."""
    tally: IntArray
    """(9,)."""
    start: Array
    """(n, 13): the state at the step's start."""
    flown: Array
    """(n, 13): after free motion."""
    touched: IntArray
    """(n,): 1 for bodies that a contact of the step acts on."""
    before: Array
    """(3 m,): impulses before a round of sweeps."""
    reached: Array
    """(HISTORY, 3 m + 6 n): impulses and velocities after the last rounds."""
    change: Array
    """(HISTORY, 3 m): what these rounds changed."""
    normal: Array
    """(HISTORY, HISTORY): scratch."""
    weight: Array
    """(HISTORY,): scratch."""
    books: Array
    """(10,): energies, J; LENGTH and TOUCHING."""
    stood: Standing
    """Pieces where they are looked for along the step."""
    flight: Array
    """(7, n, 13): the motion from start to flown, see ``approach``."""
    bounds: Array
    """(n, BOUND_WIDTH): see ``approach``."""
    moved: Array
    """(n, 13): scratch."""
    near: IntArray
    """(k, 2): pieces that may meet, in the order of their bodies; ``listed`` says how many."""
    cleared: IntArray
    """(k,): 1 for rows of ``near`` that were found to stay apart along the whole step."""
    listed: IntArray
    """(2,): how many pieces may meet, -1 - k while that is unknown and k are known to need room;
    axis that bodies are sorted along."""
    boxes: Array
    """(n, 4): where the mass centres were then, and half the edges of cubes about them, m."""
    order: IntArray
    """(n,): bodies by their cubes' lower ends."""
    slot: IntArray
    """(n + 1,): scratch."""
    meeting: IntArray
    """(k, 2): scratch."""
    pairs: IntArray
    old_pairs: IntArray
    """(m, PAIR_WIDTH): pairs of bodies of which something is to be remembered, in order; those of
    the step before."""
    now: Standing
    """Pieces in the middle of the step."""
    poses: Array
    """(n, 7): the bodies' own frames there."""
    middle: Array
    """(n, 13): the state there, without velocities."""
    rotation: Array
    """(n, 9): body to world there."""
    turned: Array
    """(c,): hinge coordinates there, angles through whole turns."""
    corners: Array
    """(4, MOST, 3): scratch."""
    points: Array
    """(MOST, 3): the patch found last."""
    gaps: Array
    """(MOST,)."""
    found: IntArray
    """(7,): its features."""
    dense: Dense
    """The contacts of an island as dense arrays."""
    island: IntArray
    """(m,): the next contact of each one's island, -1 after the last."""
    first: IntArray
    """(n,): the first contact of the island that a body stands for, -1 for none."""
    label: IntArray
    place: IntArray
    """(n,): the body that stands for the island of each, and its place in its mechanism."""


def new_contacts(scene: Scene, room: int, rows: int, near: int) -> Contacts:
    """Return memory for contacts, rows of mechanisms' answers, and pairs of pieces near by."""
    n, k, groups = len(scene.group), len(scene.giving), len(scene.group_loops)
    most = int(np.max(np.diff(scene.giving_start), initial=0))
    return Contacts(
        np.zeros((room, TABLE_WIDTH), np.int64),
        np.zeros((room, DATA_WIDTH)),
        np.zeros((room, 3, 12)),
        np.zeros((room, 3, 12)),
        np.zeros((rows, 6)),
        np.zeros((k, 4)),
        np.zeros((int(scene.giving_column[-1]), 6)),
        np.zeros((groups, most, most)),
        np.zeros((groups, most, most)),
        np.zeros((2, most)),
        np.zeros(groups, np.int64),
        np.zeros(len(scene.reach)),
        np.zeros((room, TABLE_WIDTH), np.int64),
        np.zeros((room, DATA_WIDTH)),
        np.zeros((n, 6)),
        np.zeros((n, 6)),
        np.zeros(9, np.int64),
        np.zeros((n, 13)),
        np.zeros((n, 13)),
        np.zeros(n, np.int64),
        np.zeros(3 * room),
        np.zeros((HISTORY, 3 * room + 6 * n)),
        np.zeros((HISTORY, 3 * room)),
        np.zeros((HISTORY, HISTORY)),
        np.zeros(HISTORY),
        np.zeros(10),
        standing(scene.about),
        np.zeros((7, n, 13)),
        np.zeros((n, BOUND_WIDTH)),
        np.zeros((n, 13)),
        np.zeros((near, 2), np.int64),
        np.zeros(near, np.int64),
        np.array([-1, 0]),
        np.zeros((n, 4)),
        np.arange(n),
        np.zeros(n + 1, np.int64),
        np.zeros((near, 2), np.int64),
        np.zeros((2 * room, PAIR_WIDTH), np.int64),
        np.zeros((2 * room, PAIR_WIDTH), np.int64),
        standing(scene.pieces),
        np.zeros((n, 7)),
        np.zeros((n, 13)),
        np.zeros((n, 9)),
        np.zeros(len(scene.coordinate)),
        np.zeros((4, MOST, 3)),
        np.zeros((MOST, 3)),
        np.zeros(MOST),
        np.zeros(7, np.int64),
        new_dense(),
        np.zeros(room, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
    )


OPEN, SLIDING, STICKING = 0, 1, 2
"""States of a pair of bodies."""

STRUCK, CLOSED, PARTED, STUCK, SLID, SETTLED = 1, 2, 4, 8, 16, 32
"""What happened to a pair in a step, as bits."""

NOW, AGO, BOUNCED, HAPPENED, NEXT, TURNED, FEATURE = range(7)
FEATURES, NUMBER = 5, 11
"""Columns of ``Contacts.pairs``: state, steps since it pressed, whether it bounced last, what
happened in the step; scratch; steps since it began to rub otherwise; the first FEATURES columns of
``Contacts.table`` when it last pressed; the pair's number, as in WHO there."""
PAIR_WIDTH = NUMBER + 1
