"""Steps of fixed length with many contacts, after Moreau and Jean.

Bodies and mechanisms first move as if nothing touched (parabolas, Runge-Kutta through the hinges).
Contacts are looked for where they stand halfway. Impulses then change the velocities so that at the
step's end Coulomb's law and Newton's law of impact hold; positions follow the mean velocity, so
that gravity's work is exact and contacts only take energy. What overlaps is moved apart, paid for
by the energy that the contacts took. World axes, SI.
Reference: Jean, Comput. Methods Appl. Mech. Eng. 177 (1999) 235; Acary and Brogliato, Numerical
Methods for Nonsmooth Dynamical Systems (2008), chapter 10.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import copy
from articulata.kernels.multibody.integrators.steps import rk4
from articulata.kernels.multibody.motion import factorise
from articulata.kernels.multibody.programs import run_program
from articulata.kernels.multibody.project import project_near, turn
from articulata.kernels.multibody.stepping.answers import along, answer, push
from articulata.kernels.multibody.stepping.books import book_contacts, book_sliding
from articulata.kernels.multibody.stepping.flight import fly, stand_halfway
from articulata.kernels.multibody.stepping.meeting import meet, put_back, reach_limits
from articulata.kernels.multibody.stepping.near import list_near
from articulata.kernels.multibody.stepping.pairs import AT_REST, follow_pairs, strikes
from articulata.kernels.multibody.stepping.restitution import compress_and_give_back
from articulata.kernels.multibody.stepping.sequence import collide_in_sequence
from articulata.kernels.multibody.stepping.solving import move_freely, solve_impulses
from articulata.kernels.multibody.stepping.step_scene import (
    AFTER,
    AHEAD,
    ALONE,
    BEFORE,
    BODY_A,
    BODY_B,
    BOUND,
    CHANGED,
    COUNT,
    DISTANCE,
    EVENLY,
    FLOWN,
    FORCE,
    FRICTION,
    GUARDED,
    IMPULSE,
    LAW,
    LEAST,
    LENGTH,
    LIVE,
    MARGIN,
    MOVING,
    MU,
    NEWTON,
    NO_ROOM,
    NORMAL,
    OVERLAP,
    PAIR,
    POISSON,
    RESTITUTION,
    RUBBED,
    SEQUENTIAL,
    SHORTER,
    SLACK,
    SLOW,
    STATIC,
    STEPS,
    STRIKE,
    SWEPT,
    TAKEN,
    TANGENT_1,
    TANGENT_2,
    TOUCHING,
    UNSWEPT,
    Contacts,
    E,
    Scene,
)
from articulata.kernels.multibody.stepping.sweeping import even_length, safe_length
from articulata.kernels.multibody.stepping.sweeps import part
from articulata.kernels.multibody.stepping.yielding import At, drive, driven_ways
from articulata.kernels.multibody.system import (
    INFO_REACH,
    NOT_FINITE,
    OK,
    SOLUTION,
    STRAYED,
    Inputs,
    Integrated,
    System,
    Workspace,
)

LESS = 4
"""Times the bounce of contacts that would give energy is halved, the last time to none."""

TURN, MOST_PARTS = 0.03, 64
"""Angle (rad) that a body of a mechanism turns by in one part of a step at most, and most parts.

A whirling mechanism would gain some (w h)^5 of its energy a step.
"""

DIVISIONS = 5
"""Times a step of a mechanism is divided by four at most where its hinges are hard to follow."""

MOST_PARTING = 60
"""Sweeps that move overlapping bodies apart."""


@kernel(counted=False)
def run(
    made: Integrated,
    scene: Scene,
    contacts: Contacts,
    settings: Array,
    t: float,
    h: float,
    steps: int,
    state: Array,
) -> int:
    """Take up to ``steps`` steps in place; stop after one in which something happened to a pair.

    ``inputs`` are constant or have three entries a step. ``tally[STEPS]`` says how many were taken.
    SHORTER: the next step would go beyond a touch; ``books`` say how long it may be.
    """
    work = made.work
    contacts.tally[STEPS] = 0
    contacts.books[TAKEN] = contacts.books[RUBBED] = 0.0
    for i in range(state.shape[0]):
        if scene.free[i] == 1:
            for k in range(6):  # the tree that steps leaves these bodies out
                work.body[i, SOLUTION + k] = 0.0
    for number in range(steps):
        done, lost = work.books[0], work.books[1]
        at = t + number * h
        status = one_step(made, 2 * number, scene, contacts, settings, at, h, state)
        if status != OK:
            # the step is taken anew, with more room or another plan
            work.books[0], work.books[1] = done, lost
            return status
        contacts.tally[STEPS] += 1
        follow_pairs(contacts, settings[SLOW])
        if contacts.tally[CHANGED] > 0:
            break
    return OK


@kernel(counted=False)
def one_step(
    made: Integrated,
    entry: int,
    scene: Scene,
    contacts: Contacts,
    settings: Array,
    t: float,
    h: float,
    state: Array,
) -> int:
    """Take one step in place; the state stays as it is where it fails."""
    system, work, _, _ = made
    start, flown, tally = contacts.start, contacts.flown, contacts.tally
    copy(state, start)
    copy(state, flown)
    done, lost = work.books[0], work.books[1]
    if tally[LIVE] + contacts.table.shape[0] > contacts.pairs.shape[0]:
        return NO_ROOM
    if settings[SWEPT] != UNSWEPT:
        if not list_near(scene, contacts, h, settings[MARGIN]):
            return NO_ROOM
        fine = settings[SWEPT] == EVENLY
        length = even_length(scene, contacts, h, fine)
        if length < h:
            contacts.books[LENGTH], contacts.books[TOUCHING] = length, 1.0 if fine else 0.0
            return SHORTER
    driven = False
    if settings[MOVING] == 1.0:
        driven = scene.giving.shape[0] > 0 and drive(made, entry, scene, contacts, t, h)
        if not driven:
            status = free_motion(made, entry, t, h, scene.free, start, flown)
            if status != OK:
                return status
        for i in range(state.shape[0]):
            if scene.free[i] == 1:
                for k in range(13):
                    flown[i, k] = start[i, k]
    fly(system, scene, h, flown)
    if not list_near(scene, contacts, h, max(settings[MARGIN], driven_ways(scene, contacts, h))):
        return NO_ROOM
    if settings[SWEPT] == AHEAD:
        length, touching = safe_length(scene, contacts, settings, h)
        if length < h or touching:
            contacts.books[LENGTH], contacts.books[TOUCHING] = length, 1.0 if touching else 0.0
            return SHORTER
    stand_halfway(scene, contacts, h)
    found = meet(scene, contacts, settings[MARGIN], settings[SLACK])
    if not (found and reach_limits(scene, contacts, settings[MARGIN], h)):
        put_back(contacts)
        return NO_ROOM
    if tally[COUNT] == 0:
        copy(flown, state)
        return OK
    if work.info[INFO_REACH] > 0.0 and settings[MOVING] == 1.0:
        status = factorise(system, work, flown)
        if status != OK:
            put_back(contacts)
            return status
    signal = made.inputs.signal[min(entry + 2, made.inputs.signal.shape[0] - 1)]
    if not answer(system, work, scene, contacts, At(t + h, h, signal), driven):
        put_back(contacts)
        return NO_ROOM
    mark_touched(system, scene, contacts)
    bounds(contacts, h, settings[OVERLAP])
    materials(work, scene, contacts, t)
    if settings[LAW] == NEWTON:
        bounces(contacts, settings[SLOW])
    elif settings[LAW] == SEQUENTIAL:
        collide_in_sequence(system, scene, contacts, h, settings[SLOW])
    elif settings[LAW] == POISSON:
        compress_and_give_back(system, scene, contacts, settings, h, settings[SLOW])
    impulses(system, scene, contacts, settings)
    given = work.books[0] - done - work.books[1] + lost
    taken = contacts.books[TAKEN]
    for lift in (True, False):
        status = moved(system, work, scene, contacts, h, settings[OVERLAP], lift, state)
        if status != OK:
            copy(start, state)
            put_back(contacts)
            return status
        short = book_contacts(system, work, contacts, settings[GUARDED] == 1.0, given, state)
        if not short > 0.0:
            break
        if lift:  # what overlaps stays as it is where nothing pays for moving it apart
            contacts.books[TAKEN] = taken
    book_sliding(contacts, settings[SLOW])
    return OK


@kernel(counted=False)
def free_motion(
    made: Integrated, entry: int, t: float, h: float, free: IntArray, start: Array, flown: Array
) -> int:
    """Move mechanisms as if nothing touched, in as many parts as their turns and hinges ask for.

    What controls give is taken as in the step's middle where it is divided.
    """
    system, work, stages, inputs = made
    fastest = 0.0
    for i in range(start.shape[0]):
        if free[i] == 0:
            fastest = max(fastest, start[i, 10] ** 2 + start[i, 11] ** 2 + start[i, 12] ** 2)
    first = max(1, min(MOST_PARTS, math.ceil(h * math.sqrt(fastest) / TURN)))
    given = inputs
    if inputs.applied.shape[0] > 1:
        given = Inputs(
            inputs.applied[entry : entry + 3],
            inputs.prescribed[entry : entry + 3],
            inputs.drive,
            inputs.signal[entry : entry + 3],
        )
    status = STRAYED
    for finer in range(DIVISIONS):
        parts = first * 4**finer
        if parts > 1 and inputs.applied.shape[0] > 1:
            given = Inputs(
                inputs.applied[entry + 1 : entry + 2],
                inputs.prescribed[entry + 1 : entry + 2],
                inputs.drive,
                inputs.signal[entry + 1 : entry + 2],
            )
        divided = Integrated(system, work, stages, given)
        status = rk4(divided, t, h / parts, parts, flown)
        if status != STRAYED:
            break
        copy(start, flown)
    return status


@kernel(counted=False)
def bounds(contacts: Contacts, h: float, slack: float) -> None:
    """Set velocities before and after free motion, and the least speeds of separation.

    A gap that is still open by more than ``slack`` (m) halfway may close until half of the next
    step: positions follow mean velocities, so that a closing speed acts in two halves of steps.
    """
    data = contacts.data
    for i in range(contacts.tally[COUNT]):
        for row in range(3):
            data[i, BEFORE + row] = along(contacts, i, row, contacts.start, 7)
            data[i, FLOWN + row] = along(contacts, i, row, contacts.flown, 7)
            data[i, STRIKE + row] = 0.0
        data[i, LEAST] = 0.0
        gap = patch_gap(contacts, i, slack)
        # of the gap only what is beyond the slack: a contact that opens along a curve would else
        # close in jolts of slack / h, each of which takes energy
        data[i, BOUND] = -max(0.0, gap - slack) / h


@kernel(counted=False)
def patch_gap(contacts: Contacts, i: int, slack: float) -> float:
    """Return the gap of a contact, or the least of its patch if that is less by no more than slack.

    Gaps along a line or a face that differ by rounding are one: rigid bodies could not close them
    at speeds that differ, and one end would carry all of the load.
    """
    data, table = contacts.data, contacts.table
    gap = data[i, DISTANCE]
    least, pair = gap, table[i, PAIR]
    for step in (-1, 1):
        j = i + step
        while 0 <= j < contacts.tally[COUNT] and table[j, PAIR] == pair:
            least = min(least, data[j, DISTANCE])
            j += step
    return least if gap - least <= slack else gap


@kernel(counted=False)
def materials(work: Workspace, scene: Scene, contacts: Contacts, t: float) -> None:
    """Set friction and restitution at the speeds that contacts have at the step's start."""
    data, law = contacts.data, scene.law
    for i in range(contacts.tally[COUNT]):
        if contacts.table[i, PAIR] < 0:
            continue
        k = scene.surface[contacts.table[i, BODY_A], contacts.table[i, BODY_B]]
        speed = math.sqrt(data[i, BEFORE + 1] ** 2 + data[i, BEFORE + 2] ** 2)
        mu, e = scene.material[k, FRICTION], scene.material[k, RESTITUTION]
        if speed <= AT_REST:
            mu = scene.material[k, STATIC]
        elif law[k, 1] > law[k, 0]:
            mu = said(work, scene, law[k, 0], law[k, 1], t, speed)
        if law[k, 3] > law[k, 2]:
            e = min(1.0, said(work, scene, law[k, 2], law[k, 3], t, max(0.0, -data[i, BEFORE])))
        data[i, MU], data[i, E] = max(0.0, mu), max(0.0, e)


@kernel(counted=False)
def said(work: Workspace, scene: Scene, start: int, end: int, t: float, speed: float) -> float:
    """Return the value of a law at a speed (m/s)."""
    return run_program(
        scene.code, start, end, scene.constants, work.stack, t, 0.0, speed, scene.constants
    )


@kernel(counted=False)
def bounces(contacts: Contacts, slow: float) -> None:
    """Let contacts bounce that approach faster than what pulls them together in a step."""
    data = contacts.data
    for i in range(contacts.tally[COUNT]):
        if data[i, E] > 0.0 and strikes(contacts, i, slow):
            data[i, BOUND] = -data[i, E] * data[i, BEFORE]


@kernel(counted=False)
def impulses(system: System, scene: Scene, contacts: Contacts, settings: Array) -> None:
    """Find the impulses, from those of the step before on, and the velocities they lead to."""
    velocity, data = contacts.velocity, contacts.data
    move_freely(contacts)
    for i in range(contacts.tally[COUNT]):
        for row in range(3):
            if data[i, FORCE + row] != 0.0:
                push(system, scene, contacts, i, row, data[i, FORCE + row], velocity)
    for less in range(LESS + 1):
        solve_impulses(system, scene, contacts, settings)
        if not less_bounce(contacts, less + 1 == LESS):
            break
    for i in range(contacts.tally[COUNT]):
        for row in range(3):
            data[i, AFTER + row] = along(contacts, i, row, velocity, 0)
        for k in range(3):
            data[i, IMPULSE + k] = (
                data[i, NORMAL + k] * data[i, FORCE]
                + data[i, TANGENT_1 + k] * data[i, FORCE + 1]
                + data[i, TANGENT_2 + k] * data[i, FORCE + 2]
            )


@kernel(counted=False)
def less_bounce(contacts: Contacts, none: bool) -> bool:
    """Halve the bounce of contacts that would give energy, or take it away; tell if there are any.

    Newton's law at several contacts at once may give more than it takes (Kane's paradox).
    """
    data, found = contacts.data, False
    for i in range(contacts.tally[COUNT]):
        if not data[i, BOUND] > 0.0:
            continue
        given = taken = 0.0
        for row in range(3):
            p = data[i, FORCE + row]
            given += p * (along(contacts, i, row, contacts.velocity, 0) + data[i, FLOWN + row])
            taken += abs(p * data[i, FLOWN + row])
        if given > 1e-12 * taken:
            data[i, BOUND] *= 0.0 if none else 0.5
            found = True
    return found


@kernel(counted=False)
def moved(
    system: System,
    work: Workspace,
    scene: Scene,
    contacts: Contacts,
    h: float,
    overlap: float,
    lift: bool,
    state: Array,
) -> int:
    """Put the state at the step's end: half a step by the change of velocity, hinges closed.

    ``lift``: what overlaps is moved apart.
    """
    flown, velocity, data = contacts.flown, contacts.velocity, contacts.data
    hinged, total = False, 0.0
    copy(flown, state)
    for i in range(state.shape[0]):
        for k in range(6):
            total += abs(velocity[i, k])
        if contacts.touched[i] == 0:
            continue
        hinged = hinged or scene.group[i] >= 0
        for k in range(3):
            state[i, k] += 0.5 * h * (velocity[i, k] - flown[i, 7 + k])
        turn(
            state,
            i,
            0.5 * h * (velocity[i, 3] - flown[i, 10]),
            0.5 * h * (velocity[i, 4] - flown[i, 11]),
            0.5 * h * (velocity[i, 5] - flown[i, 12]),
        )
        for k in range(6):
            state[i, 7 + k] = velocity[i, k]
    if not math.isfinite(total):
        return NOT_FINITE
    if not lift:
        return project_near(system, work, state) if hinged else OK
    # the gaps at the end, from those in the middle
    for i in range(contacts.tally[COUNT]):
        data[i, DISTANCE] += 0.5 * h * along(contacts, i, 0, velocity, 0)
    if part(system, scene, contacts, overlap, h, MOST_PARTING):
        for i in range(state.shape[0]):
            if scene.group[i] >= -1:
                for k in range(3):
                    state[i, k] += contacts.shift[i, k]
                turn(state, i, contacts.shift[i, 3], contacts.shift[i, 4], contacts.shift[i, 5])
    return project_near(system, work, state) if hinged else OK


@kernel(counted=False)
def mark_touched(system: System, scene: Scene, contacts: Contacts) -> None:
    """Mark the bodies that contacts act on, with all of their mechanisms."""
    touched = contacts.touched
    for i in range(touched.shape[0]):
        touched[i] = 0
    for i in range(contacts.tally[COUNT]):
        for side in range(2):
            body = contacts.table[i, BODY_A + side]
            group = scene.group[body]
            if group < ALONE or touched[body] == 1:
                continue
            touched[body] = 1
            if group >= 0:
                for at in range(scene.group_start[group], scene.group_start[group + 1]):
                    touched[system.tree[scene.group_tree[at], 0]] = 1
