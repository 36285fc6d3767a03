"""Motion over singular positions, where rows of a closed loop depend on each other for an instant.

A linkage that passes a stretched position stands where two branches of its configurations cross:
its rows leave one motion more open there, and next to it accelerations come out with few digits.
The motion itself is smooth along the branch on which it arrives. So nothing is solved within
``REACH`` of such a position: accelerations there are interpolated between states on both sides,
which are reached by moving on (and back) with the present velocities and are then put on the
hinges. Those lie next to the branch that the velocities are tangent to, so the motion keeps to it.

Further out, stages of a step are put on the hinges before they are evaluated, because a stage lies
off them by its own error, and that is amplified by the inverse of the loop's smallest pivot.
"""

from __future__ import annotations

import math

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import copy
from articulata.kernels.multibody.motion import (
    accelerations_factored,
    factorise,
)
from articulata.kernels.multibody.project import normalise, project, project_near, turn
from articulata.kernels.multibody.rows import fill_rows
from articulata.kernels.multibody.system import (
    FIXED,
    INCONSISTENT,
    INFO_CENTRE,
    INFO_FIRM,
    INFO_JUMP,
    INFO_MOTION,
    INFO_NOISE,
    INFO_REACH,
    INFO_SHARE,
    INFO_SHIFT,
    MASS,
    NEAR,
    OK,
    PRESCRIBED,
    TOO_NEAR,
    Integrated,
    System,
    Workspace,
)

REACH = 0.03
"""Turn of the loops' fastest body, rad, on either side of a singular position within which
accelerations are interpolated. Rounding grows like the inverse cube of the distance, the
interpolation's error with its fourteenth power."""

ATTEMPTS = 3
"""Where the interpolation errs by more than AGREEMENT the reach is halved, so many times less one;
a state that is then outside is solved as it is."""

PROBE = 0.01
"""Turn, rad, over which the approach to a singular position is measured."""

SLOPE = 0.1
"""Change of the angle between the rows per turn, both rad, below which a loop is badly
conditioned but not about to pass a singular position."""

RESTING = 1e-9
"""Angular speed (rad/s) below which a loop passes nothing: its direction is one of rounding."""

WIDE = 0.1
"""Angle (rad) between the rows above which accelerations are solved for wherever the motion leads:
rounding is amplified by a thousand at most."""

_SIDE = np.linspace(1.0, 5.0, 7)
NODES = np.concatenate([-_SIDE[::-1], _SIDE])
"""Where accelerations are interpolated from, in units of the reach from the singular position.
The weights' sizes add up to 8; rounding comes from the nearest nodes mostly."""

CLEAR = 4e-6
"""Share of the smallest pivot that a node needs, so that another singular position does not spoil
it (``REACH * SLOPE / 2``, squared, less a little)."""

FEWEST = 6
"""Nodes without which nothing is interpolated."""

AGREEMENT = 1e-9
"""Relative difference between interpolations from all nodes and from the inner ones, which errs
at least ten times as much, that is good enough."""

ONE_BRANCH = 1e-4
"""The same, above which the nodes do not lie on one branch."""

BESIDE, NODE = 19, 20
"""Layers of ``stages``: a state beside the present one; the nodes' accelerations."""

NUMBERS = NODE + len(NODES)
"""First of four layers whose first rows hold the nodes' times, marks and two sets of weights."""

ROUNDING = 5e-16
"""Relative error of accelerations where loops are well conditioned. Near a singular position it
grows with the inverse cube of the angle between the rows: once for the place, once for the
velocity, once for the acceleration."""

STRAY = 1e-3
"""Share of a step's own way, or of the velocity, that a projection may change: a step that needs
more is too long, and its projection would change the energy."""

STILL = 1e-9
"""Displacements (m) and velocities (m/s) below this are rounding whatever the step's way."""


@kernel(counted=False)
def shifted(system: System, state: Array, tau: float, out: Array) -> None:
    """Set ``out`` to ``state`` moved on for a time tau with its velocities."""
    copy(state, out)
    for i in range(state.shape[0]):
        if system.body_kind[i] != FIXED:
            for j in range(3):
                out[i, j] += tau * state[i, 7 + j]
            turn(out, i, tau * state[i, 10], tau * state[i, 11], tau * state[i, 12])


@kernel(counted=False)
def angle_beside(system: System, work: Workspace, beside: Array, state: Array, tau: float) -> float:
    """Return the smallest angle between the loops' rows after a time tau; -1 where unknown."""
    shifted(system, state, tau, beside)
    if factorise(system, work, beside) != OK:
        return -1.0
    return math.sqrt(max(work.info[INFO_SHARE], 0.0))


@kernel(counted=False)
def fastest_turn(system: System, state: Array) -> float:
    """Return the largest angular speed of a body in a loop, rad/s."""
    most = 0.0
    for at in system.path:
        i = system.tree[at, 0]
        s = state[i, 10] ** 2 + state[i, 11] ** 2 + state[i, 12] ** 2
        most = max(most, s)
    return math.sqrt(most)


@kernel(counted=False)
def driven(system: System, state: Array) -> bool:
    """Return whether a prescribed body moves.

    What it will do next is not known here, and the branch depends on that: the third derivative
    of its motion decides about accelerations in a singular position.
    """
    for i in range(state.shape[0]):
        if system.body_kind[i] == PRESCRIBED:
            for j in range(7, 13):
                if state[i, j] != 0.0:
                    return True
    return False


@kernel(counted=False)
def find_passage(
    system: System, work: Workspace, beside: Array, state: Array, share: float
) -> bool:
    """Return whether ``state`` is passing a singular position; set INFO_CENTRE and INFO_REACH.

    The angle between the rows goes to zero in proportion to the time left. Leaves another factor
    than that of ``state``.
    """
    info = work.info
    info[INFO_REACH] = 0.0
    speed = fastest_turn(system, state)
    if speed < RESTING or not math.isfinite(speed) or driven(system, state):
        return False
    tau = PROBE / speed
    now = math.sqrt(max(share, 0.0))
    if now > WIDE:
        return False
    then = angle_beside(system, work, beside, state, -tau)
    next = angle_beside(system, work, beside, state, tau)
    if then < 0.0 or next < 0.0:
        return False
    # the side away from the position shows the slope; across it the angle grows again
    slope = max(abs(then - now), abs(next - now)) / tau
    if slope < SLOPE * speed:
        return False
    ahead = now / slope if then > next else -now / slope
    if abs(ahead) >= REACH / speed:
        return False
    info[INFO_CENTRE] = ahead
    info[INFO_REACH] = REACH / speed
    return True


@kernel(counted=False)
def note_noise(system: System, work: Workspace, state: Array, share: float, out: Array) -> None:
    """Raise INFO_NOISE to what rounding does to accelerations at this share."""
    size = fastest_turn(system, state) ** 2
    for i in range(out.shape[0]):
        for c in range(6):
            size = max(size, abs(out[i, c]))
    noise = ROUNDING * size / max(share * math.sqrt(share), 1e-15)
    work.info[INFO_NOISE] = max(work.info[INFO_NOISE], noise)


@kernel(counted=False)
def weigh(times: Array, used: Array, first: int, last: int, out: Array) -> None:
    """Set ``out`` to the weights of Lagrange's interpolation to time zero from the used nodes."""
    for j in range(NODES.shape[0]):
        out[j] = 0.0
        if j < first or j >= last or used[j] == 0.0:
            continue
        x = 1.0
        for k in range(first, last):
            if k != j and used[k] != 0.0:
                x *= times[k] / (times[k] - times[j])
        out[j] = x


@kernel(counted=False)
def interpolate(made: Integrated, k: int, t: float, state: Array, out: Array) -> bool:
    """Fill ``out`` with accelerations from both sides of the position that was found.

    Returns False where the state is not within reach, where too few nodes can be reached, or
    where they lie on different branches.
    """
    work = made.work
    centre, widest = work.info[INFO_CENTRE], work.info[INFO_REACH]
    for attempt in range(ATTEMPTS):
        reach = widest / 2.0**attempt
        if abs(centre) >= reach:
            return False
        apart = from_both_sides(made, k, t, state, centre, reach, out)
        work.info[INFO_CENTRE], work.info[INFO_REACH] = centre, reach
        if apart <= AGREEMENT or (apart <= ONE_BRANCH and attempt == ATTEMPTS - 1):
            return True
    return False


@kernel(counted=False)
def from_both_sides(
    made: Integrated, k: int, t: float, state: Array, centre: float, reach: float, out: Array
) -> float:
    """Fill ``out`` with interpolated accelerations; return how far two interpolations differ.

    Relative to the accelerations; infinite where too few nodes can be reached.
    """
    system, work, stages, inputs = made
    beside, count = stages[BESIDE], NODES.shape[0]
    times, used = stages[NUMBERS, 0], stages[NUMBERS + 1, 0]
    weights, inner = stages[NUMBERS + 2, 0], stages[NUMBERS + 3, 0]
    good, least = 0, 1.0
    for j in range(count):
        times[j] = centre + NODES[j] * reach
        used[j] = 0.0
        shifted(system, state, times[j], beside)
        if project(system, work, beside) != OK or work.info[INFO_SHARE] < CLEAR:
            continue
        fill_rows(system, work, beside)
        least = min(least, work.info[INFO_SHARE])
        status = accelerations_factored(system, work, inputs, k, t, beside, out)
        if status & ~INCONSISTENT != OK:
            continue
        used[j] = 1.0
        good += 1
        for i in range(out.shape[0]):
            for c in range(6):
                stages[NODE + j, i, c] = out[i, c]
    if good < FEWEST:
        return math.inf
    weigh(times, used, 0, count, weights)
    weigh(times, used, 1, count - 1, inner)
    size = apart = 0.0
    for i in range(out.shape[0]):
        for c in range(6):
            x = y = 0.0
            for j in range(count):
                if used[j] != 0.0:
                    x += weights[j] * stages[NODE + j, i, c]
                    y += inner[j] * stages[NODE + j, i, c]
            out[i, c] = x
            size = max(size, abs(x))
            apart = max(apart, abs(x - y))
    speed = fastest_turn(system, state)
    note_noise(system, work, state, least, out)
    return apart / (size + speed * speed)


@kernel(counted=False)
def judged(system: System, status: int, start: bool) -> int:
    """Return ``status`` without INCONSISTENT where rows are not judged for contradictions.

    Stages may lie off the hinges; and where no motion is given, rows contradict each other only by
    what rounding makes of a loop near a singular position: the answer is of least squares.
    """
    if status & INCONSISTENT == 0:
        return status
    given = False
    for i in range(system.body_kind.shape[0]):
        given = given or system.body_kind[i] == PRESCRIBED
    return status if start and given else status & ~INCONSISTENT


@kernel(counted=False, apart=True)
def accelerations_along(
    made: Integrated, k: int, t: float, state: Array, start: bool, out: Array
) -> int:
    """Fill ``out`` (n, 6) with accelerations at ``state``, also in a singular position.

    ``start`` tells that the state is on its hinges, otherwise it is a stage of a step, which may
    lie off them. INFO_REACH is 0 unless interpolated.

    All stages of a step are put on the hinges (INFO_FIRM, set at the start) or none is, since the
    equations of motion differ off them: TOO_NEAR asks for the step's other stages once more.
    """
    system, work, stages, inputs = made
    info, at, loops = work.info, state, system.closure_row.shape[0] > 0
    status = factorise(system, work, state)
    if loops:
        info[INFO_REACH] = 0.0
    if status != OK:
        return status
    share = info[INFO_SHARE]
    if loops and start:
        info[INFO_FIRM] = 1.0 if share < 4.0 * NEAR else 0.0
    if loops and (share < NEAR or (not start and info[INFO_FIRM] != 0.0)):
        if not start and info[INFO_FIRM] == 0.0:
            info[INFO_FIRM] = 1.0
            return TOO_NEAR
        if share < NEAR and find_passage(system, work, stages[BESIDE], state, share):
            found = interpolate(made, k, t, state, out)
            info[INFO_SHARE] = share
            if found:
                return OK
            info[INFO_REACH] = 0.0
        status = factorise(system, work, state)
        if status != OK:
            return status
        if not start:
            at = stages[BESIDE]
            copy(state, at)
            status = project_near(system, work, at)
            if status != OK:
                return status
            fill_rows(system, work, at)
    status = accelerations_factored(system, work, inputs, k, t, at, out)
    if loops:
        note_noise(system, work, state, share, out)
    return judged(system, status, start)


@kernel(counted=False)
def settle(system: System, work: Workspace, stages: Array, state: Array) -> int:
    """Put a step's end on its hinges, with the factor of a state nearby at hand.

    Leaves its factor, or, while a singular position is passed, INFO_REACH above zero and the
    state as it came: there gaps do not tell the branches apart.
    """
    info = work.info
    info[INFO_REACH] = 0.0
    if system.closure_row.shape[0] == 0 or info[INFO_SHARE] >= 4.0 * NEAR:
        return project_near(system, work, state)
    status = normalise(state)
    if status != OK:
        return status
    status = factorise(system, work, state)
    if status != OK:
        return status
    share = info[INFO_SHARE]
    if share < NEAR:
        if find_passage(system, work, stages[BESIDE], state, share):
            info[INFO_SHARE] = share
            info[INFO_SHIFT] = info[INFO_JUMP] = 0.0
            return OK
        status = factorise(system, work, state)
        if status != OK:
            return status
    return project_near(system, work, state)


@kernel(counted=False)
def strayed(system: System, work: Workspace, h: float) -> bool:
    """Return whether the projection that ended a step of length h changed the motion."""
    info, mass = work.info, 0.0
    for i in range(system.body.shape[0]):
        mass += system.body[i, MASS]
    still = mass * STILL * STILL
    motion = STRAY * STRAY * info[INFO_MOTION]
    return info[INFO_JUMP] > motion + still or info[INFO_SHIFT] > h * h * motion + still


@kernel(counted=False)
def establish(system: System, work: Workspace, stages: Array, state: Array) -> int:
    """Find the rank of every component on the hinges, at ``state`` and beside it.

    A state that happens to be singular has a lower rank than the motion that leads out of it.
    """
    limit = work.rank_limit
    for comp in range(limit.shape[0]):
        limit[comp] = -1
    if limit.shape[0] == 0:
        return OK
    status = factorise(system, work, state)
    if status != OK:
        return status
    ranks = stages[NODE]
    for comp in range(limit.shape[0]):
        ranks[comp // 13, comp % 13] = work.schur_rank[comp]
    speed = fastest_turn(system, state)
    if speed > 0.0:
        for side in range(2):
            shifted(system, state, (4.0 * side - 2.0) * REACH / speed, stages[BESIDE])
            if project(system, work, stages[BESIDE]) == OK:
                for comp in range(limit.shape[0]):
                    rank = float(work.schur_rank[comp])
                    ranks[comp // 13, comp % 13] = max(ranks[comp // 13, comp % 13], rank)
            for comp in range(limit.shape[0]):
                limit[comp] = -1
    for comp in range(limit.shape[0]):
        limit[comp] = int(ranks[comp // 13, comp % 13])
    return factorise(system, work, state)
