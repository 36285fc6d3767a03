"""Contacts that are closed: their rows in the equations of motion.

A closed contact is a pressure-only hinge: a row of the equations of motion for as long as its
force presses. Forces in N, impulses in N s; normals point from body B to body A.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from articulata.domains.dynamic.contact.coulomb import coulomb
from articulata.domains.dynamic.contact.friction_rules import Coulomb, Iterated, Lagged
from articulata.domains.dynamic.contact.laws import (
    Contact,
)
from articulata.domains.dynamic.contact.resistance import stiffnesses
from articulata.domains.dynamic.contact.touches import Neighbours, Touch
from articulata.domains.dynamic.engine import PLANS, Engine
from articulata.domains.dynamic.mechanism import PRESCRIBED
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array
from articulata.kernels.multibody import system
from articulata.kernels.multibody.contact import contact_solution as kernels
from articulata.kernels.multibody.contact import holding
from articulata.kernels.multibody.contact.memory import (
    FRICTIONLESS,
    SLIP,
    Contacts,
    ContactSystem,
    Surroundings,
    make_contacts,
    surroundings,
)
from articulata.kernels.multibody.contact.rows import (
    SPEED_N,
    TABLE_WIDTH,
    TANGENT_1,
    TANGENT_2,
)
from articulata.records.state import array

# ---- friction as a given force: the 1986 report's lagged rule and its iterated refinement
#
# Time goes in steps of the rule. At the beginning of each step the equations are solved without
# friction; from the sliding that would result over the step, the force that counteracts it is
# determined, cut to mu N, with N spread evenly over the contact points of two bodies. ``Lagged``
# applies it one step later. ``Iterated`` begins with the force of the step before, solves with it,
# takes the new normal forces and what sliding is left, and refines, within the same step.
# Forces are held in world axes across the normals while a step lasts (N).
# Reference: Hoffmann & Hopcroft 1986, section 4.5.


Key: TypeAlias = tuple[int, ...]
"""What tells a contact point from others: its pair and its features."""

Problem: TypeAlias = Callable[[Sequence[Touch]], tuple[Contacts, Array, Array]]
"""Gives the rows of touches, their Delassus matrix and accelerations without any force there."""

EARLY = 1e-9
"""Share of a step within which its end is reached."""


@dataclass(frozen=True, slots=True)
class Held:
    """Forces of friction (3,) in W by contact, N: those of ``now``, ``until`` (s), and the next."""

    now: Mapping[Key, Array] = field(default_factory=dict)
    next: Mapping[Key, Array] = field(default_factory=dict)
    until: float = -math.inf

    def plain(self) -> dict[str, Any]:
        """Return what a recording holds of it."""
        forces = {
            name: [[list(key), of] for key, of in each.items()]
            for name, each in (("now", self.now), ("next", self.next))
        }
        return {**forces, "until": self.until}

    @staticmethod
    def recalled(plain: Mapping[str, Any]) -> Held:
        """Return what ``plain`` has written."""
        now, following = (
            {tuple(map(int, key)): array(force, "f", 3) for key, force in plain[name]}
            for name in ("now", "next")
        )
        return Held(now, following, float(plain["until"]))


class HeldFriction:
    """Decides which forces of friction are ``held`` while a step of the rule lasts."""

    def __init__(self, rule: Lagged | Iterated) -> None:
        self.rule = rule
        self.held = Held()

    def end(self, end: float) -> float:
        """Return ``end`` (s), or the end of the step under way where that comes first."""
        return min(end, self.held.until) if self.held.until > -math.inf else end

    def due(self, time: float) -> bool:
        """Tell whether a new step begins at ``time`` (s)."""
        return time >= self.held.until - EARLY * self.rule.step

    def world(self, touches: Sequence[Touch]) -> Array:
        """Return the forces (k, 3) in W that touches hold now, on their bodies A."""
        none = np.zeros(3)
        return np.array([self.held.now.get(touch.key, none) for touch in touches]).reshape(-1, 3)

    def given(self, touches: Sequence[Touch], rows: Contacts) -> Array:
        """Return the same forces (k, 3) along the rows: normal (zero), tangent 1, tangent 2."""
        return _along(rows, self.world(touches))

    def ended(self, touches: Sequence[Touch], closed: Sequence[Touch]) -> bool:
        """Forget what touches hold that are not ``closed``; return whether there was any."""
        gone = {touch.key for touch in touches} - {touch.key for touch in closed}
        kept = {key: force for key, force in self.held.now.items() if key not in gone}
        any_gone = len(kept) < len(self.held.now)
        self.held = replace(self.held, now=kept)
        return any_gone

    def step(self, touches: Sequence[Touch], problem: Problem, time: float) -> None:
        """Begin the step at ``time`` (s): decide which forces hold while it lasts."""
        until = self.rule.step * (math.floor(time / self.rule.step + 1e-6) + 1)
        rough = [touch for touch in touches if touch.surface.rough]
        if not rough:
            self.held = Held(until=until)
            return
        rows, W, b = problem(rough)
        sliding = _Sliding(rough, rows, W, b, self.rule.step)
        if isinstance(self.rule, Lagged):
            following = _named(rough, rows, sliding.refined(np.zeros((len(rough), 3))))
            self.held = Held(self.held.next, following, until)
            return
        force = self.given(rough, rows)
        for _ in range(self.rule.rounds):
            force = sliding.refined(force)
        self.held = Held(_named(rough, rows, force), self.held.next, until)


class _Sliding:
    """How contact points would slide over one step, and the forces against that."""

    def __init__(
        self, touches: Sequence[Touch], rows: Contacts, W: Array, b: Array, h: float
    ) -> None:
        k = len(touches)
        self.W, self.b, self.h, self.k = W, b, h, k
        self.u = rows.place[:, SPEED_N : SPEED_N + 3].copy()
        normal = 3 * np.arange(k)
        self.across = np.delete(np.arange(3 * k), normal)
        W_nn, W_nt = W[np.ix_(normal, normal)], W[np.ix_(normal, self.across)]
        # what a force across does while the normals stay closed
        keep = np.linalg.lstsq(W_nn, W_nt, rcond=1e-11)[0]
        self.S = W[np.ix_(self.across, self.across)] - W_nt.T @ keep
        speed = np.hypot(self.u[:, 1], self.u[:, 2])
        self.mu = np.array(
            [t.surface.resistance(v) for t, v in zip(touches, speed.tolist(), strict=True)]
        )
        self.group = np.unique([touch.pair for touch in touches], return_inverse=True)[1]

    def refined(self, force: Array) -> Array:
        """Return ``force`` (k, 3) with what counteracts the sliding that it leaves, up to mu N.

        Pair by pair of bodies, each with what the pairs before it have left.
        """
        pressed = self._pressed(force)
        a = self.b + (self.W @ (pressed + force).ravel()).reshape(-1, 3)
        left = (self.u / self.h + a).ravel()[self.across]
        most = self.mu * self._spread(pressed[:, 0])
        out = force.copy()
        for pair in range(int(self.group.max()) + 1):
            mine = np.flatnonzero(self.group == pair)
            rows = (2 * mine[:, None] + np.arange(2)).ravel()
            change = np.linalg.lstsq(self.S[np.ix_(rows, rows)], -left[rows], rcond=1e-9)[0]
            wanted = out[mine, 1:] + change.reshape(-1, 2)
            size = np.hypot(wanted[:, 0], wanted[:, 1])
            over = size > most[mine]
            share = np.where(over, most[mine] / np.maximum(size, 1e-300), 1.0)
            wanted *= share[:, None]
            left = left + self.S[:, rows] @ (wanted - out[mine, 1:]).ravel()
            out[mine, 1:] = wanted
        return out

    def _pressed(self, force: Array) -> Array:
        """Return the normal forces (k, 3) that hold the contacts closed, none of which pulls."""
        b = self.b + (self.W @ force.ravel()).reshape(-1, 3)
        return coulomb(self.W, b, np.zeros(self.k))

    def _spread(self, normal: Array) -> Array:
        """Return each pair's normal force spread evenly over its points."""
        total = np.bincount(self.group, normal)
        return np.asarray((total / np.bincount(self.group))[self.group])


def _along(rows: Contacts, world: Array) -> Array:
    axes = (rows.place[:, t : t + 3] for t in (TANGENT_1, TANGENT_2))
    across = [np.einsum("ki,ki->k", axis, world) for axis in axes]
    return np.stack([np.zeros(len(world)), *across], axis=1)


def _named(touches: Sequence[Touch], rows: Contacts, force: Array) -> dict[Key, Array]:
    axes = [rows.place[:, t : t + 3] for t in (TANGENT_1, TANGENT_2)]
    world = force[:, 1, None] * axes[0] + force[:, 2, None] * axes[1]
    return {touch.key: each for touch, each in zip(touches, world, strict=True)}


AT_REST = 1e-9
"""Speed (m/s) below which features in touch do not part."""

SLIDING = 1e-7
"""Speed (m/s) from which features in touch slide; what is slower is about to, or stops now."""

BRIEF = 1e-7
"""Time (s) of a flight that is none: its height, pull BRIEF^2 / 8, is lost in rounding."""

UNDECIDED = 1e-9
"""Share of the largest acceleration (force) within which one counts as zero."""

PINNED = 1e-9
"""Share of the most movable contact below which a hinge holds two features together."""

STUCK = 1e-7
"""Share of the largest acceleration below which contacts that stick still do: the motion near the
limit of friction is found less exactly than elsewhere, and what sticks has no creep at all."""

DOUBT = 0.1
"""Share of these bounds below which a contact is decided to be closed, or to stick: once decided it
may come nearer to the limit, so that nobody changes his mind in the same instant."""


KEPT = (
    *(
        "table",
        "data",
        "mode",
        "friction",
        "slip",
        "kept",
        "place",
        "force",
        "base",
        "books",
        "stiffness",
    ),
    *("held", "law", "code", "constants", "stack"),
)
"""What of closed contacts does not depend on the plan of elimination."""

CHOSEN = ("known", "picked", "listed", "pace", "ending")
"""What of them is found anew with another plan: independent rows, and the pace of the last step."""


LOOKS = 3
"""How many sets of features that are looked at by turns keep their rows."""


@dataclass(slots=True, eq=False)
class _Look:
    """Rows of features that are looked at, and their mobility ``W`` with the bodies ``at`` (n, 7).

    It does not depend on velocities: impacts in one instant share it.
    """

    touches: Sequence[Touch]
    rows: Contacts
    W: Array
    at: Array | None = None
    loose: Sequence[Touch] | None = None
    """Those that can open or close there."""


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """Closed contacts: the touches and their rows in the kernels' arrays, in the same order."""

    touches: tuple[Touch, ...]
    rows: Contacts

    @property
    def keys(self) -> frozenset[tuple[object, ...]]:
        """What tells the feature pairs apart."""
        return frozenset(touch.key for touch in self.touches)

    @property
    def modes(self) -> dict[tuple[int, ...], int]:
        """How each feature pair resists sliding, by its key."""
        modes = self.rows.mode.tolist()
        return {touch.key: mode for touch, mode in zip(self.touches, modes, strict=True)}

    def copied(self) -> Closed:
        """Return the same contacts, whose forces can be solved for without a trace in these."""
        copies = {name: getattr(self.rows, name).copy() for name in (*KEPT, *CHOSEN)}
        return Closed(self.touches, self.rows._replace(**copies))


class Forces:
    """Solves the equations of motion with contacts for one engine."""

    def __init__(self, engine: Engine, contact: Contact, around: Neighbours) -> None:
        self.engine = engine
        self.contact = contact
        self.around = around
        rule = contact.friction_rule
        self.friction = None if isinstance(rule, Coulomb) else HeldFriction(rule)
        outside = any(drive.kind == "acceleration" for drive in engine.parts.drives)
        self.prescribed = outside or bool(np.any(engine.parts.kind == PRESCRIBED))
        """Whether motions are given, which may contradict the hinges."""
        self._shared: Surroundings | None = None
        self._plan: object = None
        self._none: Closed | None = None
        self._looks: list[_Look] = []

    @property
    def shared(self) -> Surroundings:
        """What all contacts share; made anew with every plan of elimination."""
        if self._shared is None or self._plan is not self.engine.arrays:
            self._plan = self.engine.arrays
            self._shared = surroundings(self.engine.arrays, self.around.pieces, self.around.now)
            self._none, self._looks = None, []
        return self._shared

    def closed(self, touches: Sequence[Touch], modes: Sequence[int], slips: Array) -> Closed:
        """Return contacts in the kernels' arrays; ``slips`` (k, 3) are directions of slip in W."""
        table = np.array([touch.row for touch in touches], np.int64).reshape(-1, TABLE_WIDTH)
        laws = tuple(touch.surface.operations for touch in touches)
        rows = make_contacts(self.engine.arrays, self.shared, table, laws)
        if touches:
            rows.data[:] = [touch.data for touch in touches]
            rows.friction[:] = [
                touch.surface.sliding(0.0) if mode == SLIP else touch.surface.static
                for touch, mode in zip(touches, modes, strict=True)
            ]
            rows.stiffness[:] = stiffnesses(touches)
        rows.mode[:] = modes
        rows.slip[:] = slips
        return Closed(tuple(touches), rows)

    def only_looked_at(self, touches: Sequence[Touch]) -> Closed:
        """Return rows of features that do not press."""
        if not touches:
            return self.none_closed()
        return self.closed(touches, [FRICTIONLESS] * len(touches), np.zeros((len(touches), 3)))

    def none_closed(self) -> Closed:
        """Return no contacts; the same ones for a plan of elimination, which hold nothing."""
        shared = self.shared
        if self._none is None or self._none.rows.root is not shared.root:
            self._none = self.closed((), (), np.zeros((0, 3)))
        return self._none

    def _look(self, touches: Sequence[Touch]) -> _Look:
        """Return rows of features that are looked at, made once for the same ones in a row."""
        shared = self.shared
        for look in self._looks:
            if look.touches is touches and look.rows.root is shared.root:
                return look
        k = len(touches)
        made = _Look(touches, self.only_looked_at(touches).rows, np.zeros((3 * k, 3 * k)))
        self._looks = [made, *self._looks[: LOOKS - 1]]
        return made

    def along(self, rows: Contacts, state: Array, out: Array) -> Array:
        """Return what accelerations ``out`` leave along the rows evaluated last (k, 3)."""
        left = np.empty((len(rows.table), 3))
        kernels.look_along(rows, state, self.engine.work.body, False, out, left)
        return left

    def approach(self, touches: Sequence[Touch], state: Array) -> float:
        """Return the speed (m/s) of the touches that approach fastest, as one below zero."""
        return float(kernels.look(self._look(touches).rows, state, self.engine.work.body))

    def current(self, now: Closed) -> Closed:
        """Return contacts as the plan of elimination at hand has them."""
        if now.rows.root is self.shared.root:
            return now
        fresh = make_contacts(self.engine.arrays, self.shared, now.rows.table)
        kept = {name: getattr(now.rows, name) for name in KEPT}
        return Closed(now.touches, fresh._replace(**kept))

    def accelerations(
        self, now: Closed, state: Array, time: float, control: Control
    ) -> tuple[Array, Array]:
        """Return accelerations (n, 6) and the hinges' multipliers; forces stay in ``now.rows``."""
        inputs = [control(time)]
        table = self.engine.table(inputs)
        out = np.zeros((len(state), 6))
        status = system.OK
        for _ in range(PLANS):
            rows = self.current(now).rows
            made = ContactSystem(self.engine.integrated(table), rows)
            status, _, _ = holding.stays(made, 0, time, state, out)
            if status != system.LOST_PIVOT:
                break
            self.engine.plan_again(state)
        if status == system.INCONSISTENT and not self.prescribed:
            status = system.OK  # a loop passes a position where some of its rows are one
        if status != system.OK:
            raise self.engine.failure(status, state, inputs[0], time)
        return out, self.engine.multipliers

    def problem(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> tuple[Contacts, Array, Array]:
        """Return the touches' rows, Delassus matrix and accelerations (k, 3) without forces.

        Friction that is given counts as acting.
        """
        rows, W, b = self.free(touches, state, time, control)
        if self.friction is not None:
            given = self.friction.given(touches, rows)
            b = b + (W @ given.ravel()).reshape(-1, 3)
        return rows, W, b

    def begin_step(self, now: Closed, state: Array, time: float, control: Control) -> None:
        """Decide which friction is given for the step of the rule that begins here."""
        assert self.friction is not None

        def problem(touches: Sequence[Touch]) -> tuple[Contacts, Array, Array]:
            return self.free(touches, state, time, control)

        self.friction.step(now.touches, problem, time)

    def free(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> tuple[Contacts, Array, Array]:
        """Return the same where no contact has any force.

        Rows and matrix are lent: until others are looked at, or the bodies are elsewhere.
        """
        out, _ = self.accelerations(self.none_closed(), state, time, control)
        look, b = self._look(touches), np.empty((len(touches), 3))
        arrays, work = self.engine.arrays, self.engine.work
        fresh = look.at is None or not np.array_equal(look.at, state[:, :7])
        if fresh:
            kernels.all_rows(arrays, work, look.rows, state, look.W)
            look.at, look.loose = state[:, :7].copy(), None
        kernels.look_along(look.rows, state, work.body, not fresh, out, b)
        return look.rows, look.W, b

    def movable(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> Sequence[Touch]:
        """Return the touches that can open or close: where a hinge pins two features none does."""
        hinged = [self.around.is_hinged(touch) for touch in touches]
        if not any(hinged):
            return touches
        look = self._look(touches)
        if look.at is None or look.loose is None or not np.array_equal(look.at, state[:, :7]):
            self.free(touches, state, time, control)
            give = np.diagonal(look.W)[::3]
            least = PINNED * float(np.max(give))
            look.loose = [
                touch
                for touch, gives, is_hinged in zip(touches, give.tolist(), hinged, strict=True)
                if gives > least or not is_hinged
            ]
        return look.loose
