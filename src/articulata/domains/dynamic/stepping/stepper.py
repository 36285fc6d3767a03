"""Time stepping with many contacts: steps of fixed length, and the events in them.

Steps are taken by compiled code until something happens to a pair of bodies; the leg ends there
with the events of that step, whose time is that of its middle, where contacts are looked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from articulata.domains.dynamic.contact.laws import Contact, ImpactLaw, Newton, Poisson, Sequential
from articulata.domains.dynamic.contact.overlaps import Stood, depths
from articulata.domains.dynamic.couplings import turning
from articulata.domains.dynamic.elements import by_program
from articulata.domains.dynamic.engine import PLANS, Engine
from articulata.domains.dynamic.hinge_friction import changes
from articulata.domains.dynamic.mechanism import FREE, PRESCRIBED, poses_of
from articulata.domains.dynamic.methods import Stepping
from articulata.domains.dynamic.packing import unpack
from articulata.domains.dynamic.stepping import rubbing_steps as rubbing
from articulata.domains.dynamic.stepping.body_pieces import PieceSource
from articulata.domains.dynamic.stepping.pressed import Pressed, check_way_out, pressing
from articulata.domains.dynamic.stepping.step_memory import StepMemory, recalled
from articulata.domains.dynamic.stepping.step_stage import Stage, stage
from articulata.domains.dynamic.stepping.stepping_events import Teller
from articulata.domains.protocols import Control
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.multibody import system
from articulata.kernels.multibody.project import project
from articulata.kernels.multibody.stepping import step as stepping
from articulata.kernels.multibody.stepping import step_scene as kernels
from articulata.kernels.multibody.stepping.near import list_near
from articulata.records.events import Event

SHARE = 1e-9
"""A step divides a cycle evenly; a remainder below this share of it is rounding."""

LAWS: dict[type[ImpactLaw], int] = {
    Newton: kernels.NEWTON,
    Poisson: kernels.POISSON,
    Sequential: kernels.SEQUENTIAL,
}
"""The kernels' numbers of the laws of impact."""

ROOM, ROWS, NEAR = 64, 1024, 256
"""Contacts, rows of mechanisms' answers, and pairs of pieces near each other, for which there is
room at first."""

OVERLAP = 1e-9
"""Overlap (m) that is left as it is."""

START, LATER = 1e-6, 1e-2
"""Overlap that is allowed at the start (m), and in any other state that a run goes on from (as a
share of the smallest piece), unless it was there before the edit that led to that state."""

REACH = 1.0
"""Gaps that gravity would close within this share of g h^2 count as contacts."""

HARD = 4.0
"""Contacts that change velocities by more than this times what gravity does in a step strike."""

SLOW = 1.0
"""An approach slower than this share of g h is no impact."""

CROWD = 8
"""Touches within one step after which fast pairs go on by even and fine steps."""

FLAT = 1e-3
"""Corners count as one face up to this share of the smallest piece."""


class Begin(NamedTuple):
    """Where steps begin: what the last one has left, and the state (n, 13) at ``time`` (s).

    ``turned`` (c,) are the hinges' coordinates there.
    """

    memory: StepMemory | None
    state: Array
    time: float
    control: Control
    turned: Array


@dataclass(frozen=True, slots=True, eq=False)
class StepLeg:
    """A part of a cycle: ``state`` at ``time``, what happened in its last step, and the books.

    ``begin`` is the state that the last step began with at ``begun`` (s), until the next is taken.
    ``struck``: something struck in the last step, so that velocities are not smooth within it.
    ``work`` (J) is done by controls, ``losses`` (4,) were dissipated by ``readings.CAUSES``, J;
    ``memory`` is for the next.
    """

    state: Array
    time: float
    begin: Array
    begun: float
    struck: bool
    events: tuple[Event, ...]
    work: float
    losses: Array
    memory: StepMemory


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a step, s; ``touching``: with a touch in it that is not to be looked for again."""

    length: float
    touching: bool


class Stepper:
    """Carries one mechanism with many contacts through time."""

    def __init__(
        self,
        engine: Engine,
        contact: Contact | None,
        pieces: PieceSource,
        method: Stepping,
        stood: Stood | None = None,
    ) -> None:
        self.engine = engine
        self._stood = stood
        self.method = method
        self._law = Contact() if contact is None else contact
        self._contact = contact is not None
        self._pieces = pieces
        self._forced = _forced(engine)
        moved = bool(np.any(engine.parts.kind == PRESCRIBED))
        self._driven = moved or bool(turning(engine.parts.world))
        self._prepare()
        self._contacts = kernels.new_contacts(self.stage.scene, ROOM, ROWS, NEAR)
        self._teller = Teller(engine.parts, self.stage, pieces, self._law)
        self._h = method.step
        self._busy, self._often = -np.inf, 0
        self._at_work: StepMemory | None = None
        """What is in the arrays now; None while a step is taken."""

    def _prepare(self) -> None:
        self._plan = self.engine.arrays
        self.stage: Stage = stage(
            self.engine.parts,
            self.engine.arrays,
            self._forced,
            self._law if self._contact else None,
            self._pieces,
        )

    @property
    def pairs(self) -> IntArray:
        """The pairs of bodies (k, 2) that may touch."""
        return self.stage.pairs

    @property
    def untested(self) -> tuple[str, ...]:
        """Bodies whose shape is no union of convex pieces."""
        return tuple(self.engine.parts.bodies[body] for body in self._pieces.untested)

    @cached_property
    def _pull(self) -> float:
        """The strongest pull of gravity on anything that moves, m/s^2."""
        parts = self.engine.parts
        moving = parts.gravity[parts.kind == FREE]
        return float(np.max(np.linalg.norm(moving, axis=1), initial=0.0))

    def _slow(self, h: float) -> float:
        """Return the speed (m/s) below which no approach is an impact."""
        return max(SLOW * self._pull * h, 1e-9)

    def _settings(self, h: float, ahead: float) -> Array:
        """Return the settings of steps; ``h`` (s) is how long they are as a rule."""
        size = self.stage.size
        settings = np.zeros(10)
        settings[kernels.SWEPT] = ahead
        settings[kernels.MARGIN] = max(REACH * self._pull * h * h, 1e-7 * size)
        settings[kernels.SLOW] = self._slow(h)
        settings[kernels.SLACK] = FLAT * size
        settings[kernels.ITERATIONS] = self.method.iterations
        settings[kernels.TOLERANCE] = self.method.tolerance
        settings[kernels.OVERLAP] = OVERLAP
        settings[kernels.LAW] = LAWS[type(self._law.impact)]
        # what programs of forces hold is unknown to the kernels, so that no gain can be told by it
        guarded = not self._driven and not any(map(by_program, self.engine.elements))
        settings[kernels.GUARDED] = float(guarded)
        settings[kernels.MOVING] = float(self._driven or len(self.stage.system.tree) > 0)
        return settings

    def _enter(self, begin: Begin, checked: bool = True) -> None:
        """Take up what the last step has left; of other states nothing, ``checked`` to be apart."""
        memory, state, time, control, turned = begin
        self._take_up(memory)
        self._at_work = None
        if memory is not None and memory.here:
            return
        if memory is None or checked:
            self._check_apart(state, time)
        self._contacts.tally[:] = 0
        self._contacts.turned[:] = turned
        if len(self.stage.system.tree):
            # finds the loops' ranks and, where it must, another plan
            self.engine.accelerations(state, control(time), time)
            self._follow_plan()

    def _follow_plan(self) -> None:
        if self.engine.arrays is not self._plan:
            self._prepare()

    def _memory(self) -> StepMemory:
        """Return what the next step has to know of the last."""
        contacts, count = self._contacts, int(self._contacts.tally[kernels.COUNT])
        self._at_work = StepMemory(
            self._h,
            self._busy,
            self._often,
            contacts.pairs[: contacts.tally[kernels.LIVE]].copy(),
            contacts.tally.copy(),
            contacts.turned.copy(),
            contacts.table[:count].copy(),
            contacts.data[:count].copy(),
            contacts.J[:count].copy(),
        )
        return self._at_work

    def _take_up(self, memory: StepMemory | None) -> None:
        """Go back to what a step has left."""
        self._follow_plan()
        if memory is None:
            self._h, self._busy, self._often = self.method.step, -np.inf, 0
            return
        if memory is self._at_work:
            return
        while max(len(memory.table), len(memory.pairs)) > len(self._contacts.table):
            self._enlarge()
        contacts, count = self._contacts, len(memory.table)
        self._h, self._busy, self._often = memory.h, memory.busy, memory.often
        contacts.pairs[: len(memory.pairs)] = memory.pairs
        contacts.tally[:], contacts.turned[:] = memory.tally, memory.turned
        contacts.table[:count], contacts.data[:count] = memory.table, memory.data
        contacts.J[:count] = memory.J

    def recalled(self, plain: Mapping[str, Any]) -> StepMemory:
        """Return what ``StepMemory.plain`` has written; ValueError for another."""
        n = len(self.stage.moving)
        return recalled(plain, n * n + len(self.stage.limits), len(self._contacts.turned))

    def overlaps(self, state: Array) -> tuple[IntArray, Array]:
        """Return the pairs of pieces (k, 2) that are near each other, and how deep they overlap.

        Depths (k,) in m; 0 or less where they do not.
        """
        for each in (self._contacts.start, self._contacts.flown):
            each[:] = state
        while not list_near(self.stage.scene, self._contacts, 0.0, 0.0):
            self._enlarge()
            self._contacts.start[:] = self._contacts.flown[:] = state
        pairs = self._contacts.near[: self._contacts.listed[0]].copy()
        poses = poses_of(self.engine.parts, unpack(state))
        return pairs, depths(self.stage.scene.pieces, poses, pairs)

    def _check_apart(self, state: Array, time: float) -> None:
        """Raise where bodies overlap so far that no step could have led there.

        What steps had left as deep right before an edit is gone on from.
        """
        made, parts = self.stage.scene, self.engine.parts
        allowed = START
        if time > 0.0:
            # an edit may come while two bodies are about to strike: as far as a step carries them
            fastest = float(np.max(np.linalg.norm(state[:, 7:10], axis=1), initial=0.0))
            allowed = max(LATER * self.stage.size, 2.0 * fastest * self.method.step)
        pairs, depth = self.overlaps(state)
        pairs, depth, stood = pairs[depth > allowed], depth[depth > allowed], self._stood
        if len(depth) and stood is not None:
            before = depths(made.pieces, stood.poses(parts), pairs)
            a, b = made.pieces.body[pairs].T
            known = stood.tested(parts, self._law.within)[a, b]
            fresh = ~known | (depth > before + OVERLAP)
            pairs, depth = pairs[fresh], depth[fresh]
        for (a, b), deep in zip(made.pieces.body[pairs].tolist(), depth.tolist(), strict=True):
            a, b = self.stage.who(a * len(parts.kind) + b)
            one, other = parts.bodies[a], parts.bodies[b]
            bodies = parts.world.bodies
            raise SimulationError(
                f"{bodies[one].span}: '{one}' and '{other}' ({bodies[other].span}) overlap by "
                f"{deep:.3g} m at t = {time:.9g} s; move them apart, or say "
                f"ignore {one} with {other}"
            )

    def on_hinges(self, state: Array) -> Array:
        """Return the nearest state that meets the hinges, the same where none is found."""
        met = state.copy()
        if len(self.engine.parts.rows):
            self.engine.establish(state)
            status = project(self.engine.arrays, self.engine.work, met)
            return met if status == system.OK else state
        return met

    def go(self, begin: Begin, until: float, most: int | None = None) -> StepLeg:
        """Return the state at ``until``, or at the end of the first step that has events.

        ``most`` bounds the number of steps.
        """
        self._enter(begin)
        time, control = begin.time, begin.control
        state, books = begin.state.copy(), np.zeros(4)
        self.engine.work.books[:] = 0.0
        rubbed = self.engine.elimination.rubs
        start, count = time, max(1, int(np.ceil((until - time) / self.method.step - SHARE)))
        h, done, begun = (until - time) / count, 0, time
        alone = bool(self.engine.parts.drives) or self._driven
        while done < (count if most is None else min(count, most)):
            steps = 1 if alone else (count if most is None else min(count, most)) - done
            at, self._h = start + done * h, h
            taken, part = self._run(state, at, h, steps, control, books)
            done += taken
            time = until if done == count else start + done * h
            begun = time - h
            if part is not None:
                # a part of a step, up to a touch or with one; the rest is divided anew
                begun, time = time, self._take(state, time, part, until, control, books)
                start, count = time, max(1, int(np.ceil((until - time) / self.method.step - SHARE)))
                done, h = 0, (until - time) / count
                count = count if time < until else 0
                most = None if most is None else most - taken - 1
            if self._driven:
                check_way_out(self.engine.parts, self.stage, self._contacts, self._pieces, time)
            changed = not np.array_equal(self.engine.elimination.rubs, rubbed)
            if self._contacts.tally[kernels.CHANGED] or changed:
                break
        events = changes(self.engine, rubbed, time)
        if self._contacts.tally[kernels.CHANGED]:
            size = self.engine.count(state)
            middle = 0.5 * (begun + time)
            events += self._teller.events(self._contacts, middle, size)
        work, losses = float(books[0]), np.array([*books[1:], 0.0])
        struck = self._struck()
        return StepLeg(
            state, time, self._contacts.start, begun, struck, events, work, losses, self._memory()
        )

    def _struck(self) -> bool:
        """Tell whether contacts changed velocities in the last step by more than weights do."""
        contacts = self._contacts
        data = contacts.data[: int(contacts.tally[kernels.COUNT])]
        change = data[:, kernels.AFTER] - data[:, kernels.FLOWN]
        strike = bool(np.any(data[:, kernels.STRIKE] > 0.0))
        return strike or float(np.max(change, initial=0.0)) > HARD * self._slow(self._h)

    def _take(
        self, state: Array, time: float, part: Part, until: float, control: Control, books: Array
    ) -> float:
        """Take a part of a step in place; return the time (s) to which it leads."""
        rest = until - time
        h = rest if part.length > (1.0 - SHARE) * rest else part.length
        nominal, self._h = self._h, h
        if part.touching:
            if time - self._busy > nominal or time < self._busy:
                self._busy, self._often = time, 0
            self._often += 1
        ahead = kernels.UNSWEPT if part.touching else kernels.AHEAD
        while True:
            taken, shorter = self._run(state, time, h, 1, control, books, ahead, nominal)
            if taken:
                return until if h == rest else time + h
            # what was looked at along a longer step came out a little otherwise along this one
            assert shorter is not None
            h = self._h = min(shorter.length, 0.5 * h)
            ahead = kernels.UNSWEPT if shorter.touching else kernels.AHEAD

    def _ahead(self, time: float, h: float) -> float:
        """Return how steps look ahead: evenly where touches crowd within one step."""
        crowd = self._often > CROWD and 0.0 <= time - self._busy <= h
        return kernels.EVENLY if crowd else kernels.AHEAD

    def _run(
        self, state: Array, time: float, h: float, steps: int, control: Control, books: Array,
        ahead: float | None = None, usual: float | None = None,
    ) -> tuple[int, Part | None]:  # fmt: skip
        """Take steps as ``_taken``; where hinges rub one, with the modes that it bears out.

        Taken anew until what comes to rest within it holds and what holds too much slides.
        """
        engine = self.engine
        if not engine.rubs:
            return self._taken(state, time, h, steps, control, books, ahead, usual)
        before, kept, sums = state.copy(), self._memory(), books.copy()
        modes = rubbing.modes_before(engine, state)
        left = np.full(len(modes), rubbing.CHANGES)
        while True:
            engine.rub(modes, state)
            self._follow_plan()
            taken, part = self._taken(state, time, h, 1, control, books, ahead, usual)
            if not taken:
                return taken, part
            wrenches = pressing(self.stage, self._contacts, h, len(state)).wrenches
            change = rubbing.modes_after(engine, state, time + h, h, control, wrenches, left > 0)
            if np.array_equal(change, modes):
                return taken, part
            left -= change != modes
            before = rubbing.brought_to_rest(engine, change, before, sums)
            modes, state[:], books[:], self._at_work = change, before, sums, None
            self._take_up(kept)

    def _taken(
        self, state: Array, time: float, h: float, steps: int, control: Control, books: Array,
        ahead: float | None = None, usual: float | None = None,
    ) -> tuple[int, Part | None]:  # fmt: skip
        """Take up to ``steps`` steps in place; return how many, and what the next has to be.

        ``ahead`` says how they look ahead; ``usual`` (s) is how long steps are if not ``h``.
        Adds to ``books`` (4,) the work done, and what impacts, friction and dampers have taken, J.
        """
        engine, plans = self.engine, 0
        asked = [time, time + 0.5 * h, time + h] if engine.parts.drives else [time]
        inputs = [control(at) for at in asked]
        driven = engine.integrated(engine.table(inputs))._replace(system=self.stage.system)
        taken, look = 0, self._ahead(time, h) if ahead is None else ahead
        settings = self._settings(h if usual is None else usual, look)
        while True:
            status = stepping.run(
                driven,
                self.stage.scene,
                self._contacts,
                settings,
                time + taken * h,
                h,
                steps - taken,
                state,
            )
            taken += int(self._contacts.tally[kernels.STEPS])
            lost, rubbed = self._contacts.books[[kernels.TAKEN, kernels.RUBBED]].tolist()
            books += (engine.work.books[0], lost - rubbed, rubbed, engine.work.books[1])
            engine.work.books[:] = 0.0
            if status == system.OK:
                return taken, None
            if status == kernels.SHORTER:
                length, touching = self._contacts.books[kernels.LENGTH :].tolist()
                return taken, Part(length, touching == 1.0)
            if status == kernels.NO_ROOM:
                self._enlarge()
            elif status == system.LOST_PIVOT and plans < PLANS:
                plans += 1
                engine.plan_again(state)
                self._prepare()
            else:
                raise engine.failure(status, state, inputs[0], time + taken * h)

    def _enlarge(self) -> None:
        """Double the room for contacts, or for what is near where there is too little of that."""
        old = self._contacts
        near, needed = len(old.near), -1 - int(old.listed[0])
        more = 1 if needed > near else 2
        sizes = more * len(old.table), more * len(old.column), max(near, 2 * needed)
        fresh = kernels.new_contacts(self.stage.scene, *sizes)
        count, live = len(old.table), len(old.pairs)
        fresh.pairs[:live] = old.pairs
        fresh.table[:count], fresh.data[:count], fresh.J[:count] = old.table, old.data, old.J
        fresh.tally[:], fresh.turned[:] = old.tally, old.turned
        self._contacts = fresh

    def solve(self, begin: Begin) -> tuple[Array, Array, Pressed]:
        """Return accelerations (n, 6), hinge multipliers, and what contacts do at a state.

        Contact forces are the impulses of the last step over its length; at a state that no step
        led to, those of a step from there.
        """
        memory, state, time, control, _ = begin
        if memory is not None and memory.here and memory.solved:
            self._take_up(memory)
            h = self._h
        else:
            anew = None if memory is None else replace(memory, here=False)
            self._enter(begin._replace(memory=anew), checked=False)
            h = self.method.step
            self._run(state.copy(), time, h, 1, control, np.zeros(4), kernels.UNSWEPT)
        pressed = pressing(self.stage, self._contacts, h, len(state))
        out, multipliers = self.engine.accelerations(state, control(time), time, pressed.wrenches)
        return out, multipliers, pressed


def _forced(engine: Engine) -> BoolArray:
    """Return which bodies force elements or controls act on (n,)."""
    parts = engine.parts
    forced = np.zeros(len(parts.kind), bool)
    for a, b in engine.arrays.force_body.tolist():
        forced[[body for body in (a, b) if body >= 0]] = True
    for drive in parts.drives:
        name = drive.target.split(".")[0]
        if name in parts.index:
            forced[parts.index[name]] = True
    return forced
