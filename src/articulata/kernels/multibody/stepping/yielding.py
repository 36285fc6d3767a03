"""Steps of mechanisms whose joints are driven by programs, as by servos.

A servo gives back within a step what is taken from its joint's rate: with c its slope over it,
h (D + h K / 2), velocities answer impulses by (M + A^T c A)^-1 in place of M^-1, A being the rates
of the joints (Acary and Brogliato 2008, chapter 10). Without that a stiff joint turns a light link,
as a foot, to its target in a step of free motion, and what stands on it is held by nothing. Where
joints are too stiff for Runge-Kutta free motion is such an implicit step as well. World axes, SI.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import cholesky, cholesky_solve, copy
from articulata.kernels.multibody.forces import angle_between, remembered
from articulata.kernels.multibody.measures import energy
from articulata.kernels.multibody.motion import accelerations, solve
from articulata.kernels.multibody.programs import run_program
from articulata.kernels.multibody.project import project_near, turn
from articulata.kernels.multibody.rows import turned
from articulata.kernels.multibody.stepping.step_scene import (
    BODY_A,
    COUNT,
    GIVES,
    GIVING_AXIS,
    Contacts,
    Scene,
)
from articulata.kernels.multibody.system import (
    FORCE,
    FORCE_AXIS,
    INFO_BOOKED,
    LOAD,
    OK,
    RHS,
    SOLUTION,
    Integrated,
    System,
    Workspace,
)
from articulata.kernels.multibody.tree.solve import solve_along

LITTLE = 0.05
"""Slope times mobility up to which a mechanism answers by its masses alone."""

STIFF = 1.0
"""The same beyond which free motion is an implicit step: Runge-Kutta's would grow beyond 2.8."""

NEAR = 0.1
"""Share of a piece's radius within which it may be a contact before it touches."""

ROUNDS, ALIKE = 12, 0.01
"""Most rounds in which slopes are found where servos come to limits, and the share by which they
may still change."""

LEAST = 1e-6
"""Change of rate (rad/s) over which a slope is taken at least."""


class At(NamedTuple):
    """When a step's programs are asked, how long (s) it is, and what signals they read."""

    t: float
    h: float
    signal: Array


@kernel(counted=False)
def clear(work: Workspace) -> None:
    """Set loads, forces and the rows' right-hand sides to zero."""
    for i in range(work.body.shape[0]):
        for k in range(6):
            work.body[i, FORCE + k] = work.body[i, LOAD + k] = 0.0
    for row in range(work.row.shape[0]):
        work.row[row, RHS] = 0.0


@kernel(counted=False)
def driven_ways(scene: Scene, contacts: Contacts, h: float) -> float:
    """Fill how far free motion's change of velocity takes each piece of a mechanism with servos.

    Returns the farthest. What is nearer than that to another piece is a contact, which keeps it
    from being driven in.
    """
    start, flown, farthest = contacts.start, contacts.flown, 0.0
    for p in range(contacts.way.shape[0]):
        contacts.way[p] = 0.0
        body = scene.pieces.body[p]
        group = scene.group[body]
        if group < 0 or scene.giving_start[group] == scene.giving_start[group + 1]:
            continue
        speed = turning = 0.0
        for k in range(3):
            speed += (flown[body, 7 + k] - start[body, 7 + k]) ** 2
            turning += (flown[body, 10 + k] - start[body, 10 + k]) ** 2
        way = h * (math.sqrt(speed) + math.sqrt(turning) * scene.reach[p])
        contacts.way[p] = min(way, NEAR * scene.pieces.ball[p, 3])
        farthest = max(farthest, contacts.way[p])
    return farthest


@kernel(counted=False)
def solve_group(system: System, work: Workspace, scene: Scene, group: int) -> None:
    """Solve a mechanism for its loads, into SOLUTION."""
    if scene.group_loops[group] == 1:
        solve(system, work)
    else:
        first, last = scene.group_start[group], scene.group_start[group + 1]
        solve_along(
            scene.group_tree, first, last, system.tree, system.tree_row, work.body, work.row
        )


@kernel(counted=False)
def unload(system: System, work: Workspace, scene: Scene, group: int) -> int:
    """Set the loads of a mechanism to zero; return the column they begin at."""
    load = FORCE if scene.group_loops[group] == 1 else LOAD
    for at in range(scene.group_start[group], scene.group_start[group + 1]):
        body = system.tree[scene.group_tree[at], 0]
        for k in range(6):
            work.body[body, load + k] = 0.0
    return load


@kernel(counted=False)
def spin(system: System, scene: Scene, contacts: Contacts, e: int, of: Array, first: int) -> float:
    """Return the rate of joint ``e`` of six numbers a body from column ``first`` on."""
    f, rate = scene.giving[e], 0.0
    for side in range(2):
        body = system.force_body[f, side]
        if body >= 0 and scene.group[body] >= 0:
            for k in range(3):
                x = contacts.giving[e, GIVING_AXIS + k] * of[body, first + 3 + k]
                rate += x if side == 0 else -x
    return rate


@kernel(counted=False)
def slope(
    system: System,
    work: Workspace,
    scene: Scene,
    contacts: Contacts,
    e: int,
    at: At,
    state: Array,
) -> float:
    """Return what a servo gives less in a step for each rad/s more at its end, kg m^2; not below 0.

    Between the rates at ``state`` and at the step's start, so that a limit in between counts.
    """
    f = scene.giving[e]
    data = system.force_data
    n = turned(
        work.body,
        system.force_body[f, 1],
        data[f, FORCE_AXIS],
        data[f, FORCE_AXIS + 1],
        data[f, FORCE_AXIS + 2],
    )
    for k in range(3):
        contacts.giving[e, GIVING_AXIS + k] = n[k]
    rate = spin(system, scene, contacts, e, state, 7)
    before = spin(system, scene, contacts, e, contacts.start, 7)
    change = rate - before
    if abs(change) < LEAST:
        change, rate = LEAST, before + LEAST
    angle = angle_between(system, work, f)
    remembered(system, work, f, state)
    first, last = system.force_code[f], system.force_code[f + 1]
    there = run_program(
        system.code, first, last, system.constants, work.stack, at.t, angle, before, at.signal
    )
    angle += 0.5 * at.h * change
    here = run_program(
        system.code, first, last, system.constants, work.stack, at.t, angle, rate, at.signal
    )
    return max(0.0, at.h * (there - here) / change)


@kernel(counted=False)
def turn_joints(system: System, work: Workspace, scene: Scene, contacts: Contacts) -> None:
    """Find how the joints of the mechanisms marked in ``stiff`` answer moments about each other.

    Loads and right sides are zero, the factor and the axes are at hand.
    """
    for group in range(scene.group_loops.shape[0]):
        if contacts.stiff[group] == 1:
            for e in range(scene.giving_start[group], scene.giving_start[group + 1]):
                turn_joint(system, work, scene, contacts, group, e)


@kernel(counted=False)
def yielding(scene: Scene, contacts: Contacts) -> float:
    """Factor how the joints of the mechanisms marked in ``stiff`` give way by their slopes.

    Returns how many times over the stiffest would come to rest in the step. A mechanism whose
    joints hardly give way is marked by 0.
    """
    stiffest = 0.0
    for group in range(scene.group_loops.shape[0]):
        if contacts.stiff[group] == 0:
            continue
        first, most = scene.giving_start[group], 0.0
        m = scene.giving_start[group + 1] - first
        G, mobile = contacts.given[group], contacts.mobile[group]
        for i in range(m):
            size = 0.0
            for j in range(m):
                x = mobile[max(i, j), min(i, j)]
                x *= contacts.giving[first + i, GIVES] * contacts.giving[first + j, GIVES]
                size += abs(x)
                G[i, j] = x + 1.0 if i == j else x
            most = max(most, size)
        if not (most > LITTLE and cholesky(G, m)):
            contacts.stiff[group] = 0
        stiffest = max(stiffest, most)
    return stiffest


@kernel(counted=False)
def give_slopes(
    system: System, work: Workspace, scene: Scene, contacts: Contacts, at: At, state: Array
) -> float:
    """Set the joints' slopes and axes at ``state``; return the largest change, of a slope of 1."""
    most = 0.0
    for e in range(scene.giving.shape[0]):
        c, old = slope(system, work, scene, contacts, e, at, state), contacts.giving[e, GIVES] ** 2
        most = max(most, abs(c - old) / max(c, old, 1e-300))
        contacts.giving[e, GIVES] = math.sqrt(c)
    return most


@kernel(counted=False)
def touched_groups(scene: Scene, contacts: Contacts) -> None:
    """Mark the mechanisms that contacts of the step act on."""
    for group in range(contacts.stiff.shape[0]):
        contacts.stiff[group] = 0
    for i in range(contacts.tally[COUNT]):
        for side in range(2):
            group = scene.group[contacts.table[i, BODY_A + side]]
            if group >= 0:
                contacts.stiff[group] = 1


@kernel(counted=False)
def turn_joint(
    system: System, work: Workspace, scene: Scene, contacts: Contacts, group: int, e: int
) -> None:
    """Fill the answer to a moment about one joint."""
    f, first = scene.giving[e], scene.giving_start[group]
    load = unload(system, work, scene, group)
    for side in range(2):
        body = system.force_body[f, side]
        if body >= 0 and scene.group[body] == group:
            for k in range(3):
                x = contacts.giving[e, GIVING_AXIS + k]
                work.body[body, load + 3 + k] += x if side == 0 else -x
    solve_group(system, work, scene, group)
    row = scene.giving_column[e]
    for at in range(scene.group_start[group], scene.group_start[group + 1]):
        body = system.tree[scene.group_tree[at], 0]
        for k in range(6):
            contacts.joint_column[row, k] = work.body[body, SOLUTION + k]
        row += 1
    for i in range(first, e + 1):
        rate = spin(system, scene, contacts, i, work.body, SOLUTION)
        contacts.mobile[group, e - first, i - first] = rate
    unload(system, work, scene, group)


@kernel(counted=False)
def give_way(system: System, work: Workspace, scene: Scene, contacts: Contacts, group: int) -> None:
    """Take from SOLUTION, an answer by masses alone, what the joints give back."""
    if contacts.stiff[group] == 0:
        return
    first, last = scene.giving_start[group], scene.giving_start[group + 1]
    for e in range(first, last):
        rate = spin(system, scene, contacts, e, work.body, SOLUTION)
        contacts.share[0, e - first] = contacts.giving[e, GIVES] * rate
    cholesky_solve(contacts.given[group], last - first, contacts.share[0], contacts.share[1])
    for e in range(first, last):
        x = contacts.share[1, e - first] * contacts.giving[e, GIVES]
        if x == 0.0:
            continue
        row = scene.giving_column[e]
        for at in range(scene.group_start[group], scene.group_start[group + 1]):
            body = system.tree[scene.group_tree[at], 0]
            for k in range(6):
                work.body[body, SOLUTION + k] -= x * contacts.joint_column[row, k]
            row += 1


@kernel(counted=False)
def drive(
    made: Integrated, entry: int, scene: Scene, contacts: Contacts, t: float, h: float
) -> bool:
    """Move all to ``flown`` by one implicit step; False where no joint asks for that.

    Forces are those halfway along the velocities at the start, which positions follow in the mean.
    """
    system, work, _, inputs = made
    start, flown, middle, out = contacts.start, contacts.flown, contacts.moved, contacts.velocity
    copy(start, middle)
    follow(middle, start, 0.5 * h)
    at = At(t + 0.5 * h, h, inputs.signal[min(entry + 1, inputs.signal.shape[0] - 1)])
    if accelerations(system, work, inputs, entry + 1, at.t, middle, out) != OK:
        return False
    for i in range(out.shape[0]):
        for k in range(6):
            middle[i, 7 + k] = start[i, 7 + k] + h * out[i, k]
    give_slopes(system, work, scene, contacts, at, middle)
    clear(work)
    for group in range(contacts.stiff.shape[0]):
        contacts.stiff[group] = 1
    turn_joints(system, work, scene, contacts)
    if yielding(scene, contacts) <= STIFF:
        return False
    for _ in range(ROUNDS):
        give_all(system, work, scene, contacts, h)
        for i in range(out.shape[0]):
            for k in range(6):
                middle[i, 7 + k] = start[i, 7 + k] + work.body[i, SOLUTION + k]
        if give_slopes(system, work, scene, contacts, at, middle) <= ALIKE:
            break
        for group in range(contacts.stiff.shape[0]):
            contacts.stiff[group] = 1
        yielding(scene, contacts)
    copy(start, flown)
    for i in range(out.shape[0]):
        for k in range(6):
            flown[i, 7 + k] = middle[i, 7 + k]
            middle[i, 7 + k] = 0.5 * (start[i, 7 + k] + flown[i, 7 + k])
            work.body[i, SOLUTION + k] = 0.0
    follow(flown, middle, h)
    if project_near(system, work, flown) != OK:
        copy(start, flown)
        return False
    book_driven(system, work, contacts)
    return True


@kernel(counted=False)
def give_all(system: System, work: Workspace, scene: Scene, contacts: Contacts, h: float) -> None:
    """Put the changes of velocity over a step into SOLUTION, joints giving way."""
    for i in range(contacts.velocity.shape[0]):
        for k in range(6):
            work.body[i, SOLUTION + k] = h * contacts.velocity[i, k]
    for group in range(contacts.stiff.shape[0]):
        give_way(system, work, scene, contacts, group)


@kernel(counted=False)
def meet_joints(
    system: System, work: Workspace, scene: Scene, contacts: Contacts, at: At, driven: bool
) -> None:
    """Make ready how the mechanisms that contacts act on give way, after free motion.

    ``driven``: that was by ``drive``, whose slopes stay. Runge-Kutta's has in the mean half of what
    a joint gives less at its end.
    """
    touched_groups(scene, contacts)
    for e in range(scene.giving.shape[0]):
        c = slope(system, work, scene, contacts, e, at, contacts.flown)  # sets the axis, too
        if not driven:
            contacts.giving[e, GIVES] = math.sqrt(0.5 * c)
    turn_joints(system, work, scene, contacts)
    yielding(scene, contacts)


@kernel(counted=False)
def follow(state: Array, by: Array, h: float) -> None:
    """Move the places in ``state`` by h (s) along the velocities in ``by``."""
    for i in range(state.shape[0]):
        for k in range(3):
            state[i, k] += h * by[i, 7 + k]
        turn(state, i, h * by[i, 10], h * by[i, 11], h * by[i, 12])


@kernel(counted=False)
def book_driven(system: System, work: Workspace, contacts: Contacts) -> None:
    """Book what all that is no store of energy brought or took from start to flown, J."""
    if work.info[INFO_BOOKED] == 0.0:
        return
    out = contacts.books[1:4]
    energy(system, work, contacts.start, out)
    before = out[0] + out[1] + out[2]
    energy(system, work, contacts.flown, out)
    gained = out[0] + out[1] + out[2] - before
    work.books[0 if gained > 0.0 else 1] += abs(gained)
