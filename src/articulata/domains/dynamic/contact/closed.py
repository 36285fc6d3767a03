"""Contacts that are closed: their forces, their impacts, and whether they stay as they are.

A closed contact is a pressure-only hinge: a row of the equations of motion for as long as its
force presses. ``decide`` finds which of the features in touch stay closed and which of them stick,
by complementarity on the level of accelerations; ``other_forces`` says whether any forces would
hold them as they are. Forces in N, impulses in N s; normals point from body B to body A.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from articulata.domains.dynamic.contact.coulomb import coulomb
from articulata.domains.dynamic.contact.given import GivenFriction
from articulata.domains.dynamic.contact.laws import (
    APPROACH,
    Collision,
    Contact,
    impulses,
)
from articulata.domains.dynamic.contact.paradox import jam, yielding
from articulata.domains.dynamic.contact.resistance import (
    broken_loose,
    coefficients,
    roots_of_stiffness,
)
from articulata.domains.dynamic.contact.rules import Coulomb
from articulata.domains.dynamic.contact.settling import settling
from articulata.domains.dynamic.contact.touches import Neighbours, Touch
from articulata.domains.dynamic.engine import PLANS, Engine
from articulata.domains.protocols import Control
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, BoolArray
from articulata.kernels.multibody import system
from articulata.kernels.multibody.contact import holding
from articulata.kernels.multibody.contact import solve as kernels
from articulata.kernels.multibody.contact.memory import (
    FRICTIONLESS,
    HELD,
    SLIP,
    STICK,
    Contacts,
    Surroundings,
    make_contacts,
    surroundings,
)
from articulata.kernels.multibody.contact.rows import (
    GAMMA_N,
    ROW_N,
    SPEED_N,
    TABLE_WIDTH,
    TANGENT_1,
    TANGENT_2,
)

AT_REST = 1e-9
"""Speeds (m/s) below which features in touch neither part nor slide."""

UNDECIDED = 1e-9
"""Share of the largest acceleration (force) within which one counts as zero."""

PINNED = 1e-9
"""Share of the most movable contact below which a hinge holds two features together."""

UNSOLVED = 1e-6
"""Share of the largest acceleration by which bodies may still be drawn into each other."""

JAMMED = 1e-2
"""Share of a sliding contact's mobility below which its force is on the way to infinity."""

STUCK = 1e-7
"""Share of the largest acceleration below which contacts that might stick do: sweeps near the
limit of friction converge slowly, and a contact that sticks has no creep at all."""


KEPT = (
    *("table", "data", "mode", "friction", "slip", "kept", "place", "force", "base", "books"),
    *("held", "law", "code", "constants", "stack"),
)
"""What of closed contacts does not depend on the plan of elimination."""


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """Closed contacts: the touches and their rows in the kernels' arrays, in the same order."""

    touches: tuple[Touch, ...]
    rows: Contacts

    @property
    def keys(self) -> frozenset[tuple[object, ...]]:
        """What tells the feature pairs apart."""
        return frozenset(touch.key for touch in self.touches)


@dataclass(frozen=True, slots=True, eq=False)
class Impact:
    """What an impact did: touches, impulses (k, 3), speeds along normals before and after (k,).

    ``work`` (J) is what moves prescribed bodies did against the impulses.
    """

    touches: tuple[Touch, ...]
    place: Array
    impulse: Array
    before: Array
    after: Array
    restitution: Array
    multipliers: Array
    remaining: Array
    work: float


class Forces:
    """Solves the equations of motion with contacts for one engine."""

    def __init__(self, engine: Engine, contact: Contact, around: Neighbours) -> None:
        self.engine = engine
        self.contact = contact
        self.around = around
        rule = contact.friction_rule
        self.friction = None if isinstance(rule, Coulomb) else GivenFriction(rule)
        self._shared: Surroundings | None = None
        self._plan: object = None

    @property
    def shared(self) -> Surroundings:
        """What all contacts share; made anew with every plan of elimination."""
        if self._shared is None or self._plan is not self.engine.arrays:
            self._plan = self.engine.arrays
            self._shared = surroundings(self.engine.arrays, self.around.pieces, self.around.now)
        return self._shared

    def closed(self, touches: Sequence[Touch], modes: Sequence[int], slips: Array) -> Closed:
        """Return contacts in the kernels' arrays; ``slips`` (k, 3) are directions of slip in W."""
        table = np.array([touch.row for touch in touches], np.int64).reshape(-1, TABLE_WIDTH)
        laws = tuple(touch.surface.operations for touch in touches)
        rows = make_contacts(self.engine.arrays, self.shared, table, laws)
        for i, touch in enumerate(touches):
            rows.data[i] = touch.data
            resting = modes[i] != SLIP
            rows.friction[i] = touch.surface.static if resting else touch.surface.sliding(0.0)
        rows.mode[:] = modes
        rows.slip[:] = slips
        return Closed(tuple(touches), rows)

    def only_looked_at(self, touches: Sequence[Touch]) -> Closed:
        """Return rows of features that do not press."""
        return self.closed(touches, [FRICTIONLESS] * len(touches), np.zeros((len(touches), 3)))

    def none_closed(self) -> Closed:
        """Return no contacts."""
        return self.only_looked_at(())

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
            status, _, _ = holding.stays(
                self.engine.arrays, self.engine.work, rows, table, 0, time, state, out
            )
            if status != system.LOST_PIVOT:
                break
            self.engine.plan_again(state)
        if status != system.OK:
            raise self.engine.failure(status, state, inputs[0], time)
        multipliers = self.engine.work.multiplier.copy()
        return out, multipliers * self.engine.scale

    def _problem(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> tuple[Contacts, Array, Array]:
        """Return the touches' rows, Delassus matrix and accelerations (k, 3) without forces.

        Friction that is given counts as acting.
        """
        rows, W, b = self._free(touches, state, time, control)
        if self.friction is not None:
            given = self.friction.given(touches, rows)
            b = b + (W @ given.ravel()).reshape(-1, 3)
        return rows, W, b

    def begin_step(self, now: Closed, state: Array, time: float, control: Control) -> None:
        """Decide which friction is given for the step of the rule that begins here."""
        assert self.friction is not None

        def problem(touches: Sequence[Touch]) -> tuple[Contacts, Array, Array]:
            return self._free(touches, state, time, control)

        self.friction.step(now.touches, problem, time)

    def _free(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> tuple[Contacts, Array, Array]:
        """Return the same where no contact has any force."""
        out, _ = self.accelerations(self.none_closed(), state, time, control)
        rows = self.only_looked_at(touches).rows
        W = np.zeros((3 * len(touches), 3 * len(touches)))
        kernels.all_rows(self.engine.arrays, self.engine.work, rows, state, W)
        return rows, W, _along_rows(rows, out) - rows.place[:, GAMMA_N : GAMMA_N + 3]

    def _movable(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> Sequence[Touch]:
        """Return the touches that can open or close: where a hinge pins two features none does."""
        if not any(self.around.hinged[touch.pair] for touch in touches):
            return touches
        _, W, _ = self._problem(touches, state, time, control)
        give = np.diagonal(W)[::3]
        least = PINNED * float(np.max(give))
        return [
            touch
            for touch, gives in zip(touches, give, strict=True)
            if gives > least or not self.around.hinged[touch.pair]
        ]

    def collide(
        self,
        touches: Sequence[Touch],
        held: Closed,
        weary: AbstractSet[int],
        state: Array,
        time: float,
        control: Control,
    ) -> Impact | None:
        """Change the velocities of ``state`` by an impact; None where nothing approaches.

        ``held`` are the contacts closed until now, whose forces tell how the bodies are pulled
        together; ``weary`` are pairs that do not bounce any more.
        """
        touches = self._movable(touches, state, time, control)
        if not touches:
            return None
        rows, W, free = self._problem(touches, state, time, control)
        u = rows.place[:, SPEED_N : SPEED_N + 3].copy()
        if float(np.min(u[:, 0])) >= -APPROACH:
            return None
        given = np.array(
            [
                0.0 if touch.pair in weary else touch.surface.bounce(max(0.0, -speed))
                for touch, speed in zip(touches, u[:, 0].tolist(), strict=True)
            ]
        )
        slip = held.rows.slip.copy()
        out, _ = self.accelerations(held, state, time, control)
        held.rows.slip[:] = slip
        pull = _along_rows(rows, out) - rows.place[:, GAMMA_N : GAMMA_N + 3]
        mu = coefficients(touches, np.hypot(u[:, 1], u[:, 2]))
        if self.friction is not None:
            mu[:] = 0.0  # the report's collisions are without friction (section 4.3)
        remaining = settling(touches, -given * u[:, 0], -pull[:, 0], self.contact.settle)
        ends = (remaining > 0.0) | np.array([touch.pair in weary for touch in touches])
        bounce = tuple(
            _dead if end else touch.surface.bounce
            for touch, end in zip(touches, ends.tolist(), strict=True)
        )
        bodies = [self.around.bodies(touch.pair) for touch in touches]
        pair = np.array([bodies.index(each) for each in bodies], np.int64)
        p = impulses(self.contact.impact, Collision(W, u, bounce, mu, pair))
        tired = np.array([touch.pair in weary for touch in touches])
        p = self._stopped(W, u, p, np.minimum(pull, free)[:, 0], tired)
        # the factor at hand is that of this state
        done = kernels.apply_impulses(self.engine.arrays, self.engine.work, rows, p, state)
        multipliers = self.engine.work.multiplier.copy()
        after = u + (W @ p.ravel()).reshape(-1, 3)
        return Impact(
            tuple(touches),
            rows.place.copy(),
            p,
            u[:, 0].copy(),
            after[:, 0],
            given,
            multipliers * self.engine.scale,
            remaining,
            done,
        )

    def _stopped(self, W: Array, u: Array, p: Array, pull: Array, tired: BoolArray) -> Array:
        """Return impulses after which pairs that do not bounce any more stay together.

        Sharp features that strike by turns throw each other up by ever so little, without end;
        those that would be back within the time of a settling series stop at once. Velocities move
        the nearest way in the mass metric, so that energy is lost by it, never gained.
        """
        after = u[:, 0] + (W @ p.ravel()).reshape(-1, 3)[:, 0]
        back = tired & (after > 0.0) & (2.0 * after < -pull * self.contact.settle)
        if not np.any(back & (after > AT_REST)):
            return p
        held = 3 * np.flatnonzero(back | (np.abs(after) <= AT_REST))
        p = p.copy()
        stop = np.linalg.lstsq(W[np.ix_(held, held)], -after[held // 3], rcond=1e-11)[0]
        p[held // 3, 0] += stop
        return p

    def decide(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> Closed:
        """Return which of the touches stay closed, and how: by complementarity."""
        made = self._decided(touches, state, time, control)
        # friction that is given ends where nothing presses any more
        while self.friction is not None and self.friction.ended(touches, made.touches):
            made = self._decided(touches, state, time, control)
        return made

    def _decided(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> Closed:
        touches = self._movable(touches, state, time, control)
        if not touches:
            return self.none_closed()
        rows, W, b = self._problem(touches, state, time, control)
        u = rows.place[:, SPEED_N : SPEED_N + 3]
        stay = np.flatnonzero(u[:, 0] <= AT_REST)
        if not len(stay):
            return self.none_closed()
        keep = (3 * stay[:, None] + np.arange(3)).ravel()
        W, b, u = W[np.ix_(keep, keep)], b[stay], u[stay]
        there = [touches[k] for k in stay.tolist()]
        speed = np.hypot(u[:, 1], u[:, 2])
        mu = coefficients(there, speed)
        if self.friction is not None:
            mu[:] = 0.0
        mode = np.where((mu > 0) & (speed > AT_REST), SLIP, STICK).astype(np.int64)
        along = np.where((mode == SLIP)[:, None], u[:, 1:] / np.maximum(speed, 1e-300)[:, None], 0)
        scale = UNDECIDED * max(1.0, float(np.max(np.abs(b))))
        a, mu, p = broken_loose(W, b, mu, mode, along, there, scale * STUCK / UNDECIDED)
        if np.any(a[:, 0] < -UNSOLVED * max(1.0, float(np.max(np.abs(b))))):
            surfaces = [touch.surface for touch in there]
            share = yielding(W, mu, mode == SLIP, along, np.array([touch.pair for touch in there]))
            found = jam(share, mu, surfaces, time, 0.0)
            if found is not None:
                raise found
        modes, slips, held, forces = [], [], [], []
        for i, k in enumerate(stay.tolist()):
            if a[i, 0] > scale:
                continue
            state_of, direction = _mode(mu[i], mode[i], along[i], a[i], scale * STUCK / UNDECIDED)
            held.append(touches[k])
            modes.append(state_of)
            t1 = rows.place[k, TANGENT_1 : TANGENT_1 + 3]
            t2 = rows.place[k, TANGENT_2 : TANGENT_2 + 3]
            slips.append(direction[0] * t1 + direction[1] * t2)
            forces.append(p[i])
        made = self.closed(held, modes, np.array(slips).reshape(-1, 3))
        made.rows.base[:] = np.array(forces).reshape(-1, 3)
        if self.friction is not None:
            made.rows.friction[:] = 0.0
            rough = np.array([touch.surface.rough for touch in held], dtype=bool)
            made.rows.mode[:] = np.where(rough, HELD, FRICTIONLESS)
            made.rows.held[:] = self.friction.world(held)
        return made

    def jammed(
        self, now: Closed, state: Array, time: float, control: Control
    ) -> SimulationError | None:
        """Return the error of a sliding contact whose force grows without bound, None for none."""
        sliding = now.rows.mode == SLIP
        if self.friction is not None or not np.any(sliding):
            return None
        rows, W, _ = self._problem(now.touches, state, time, control)
        axes = [rows.place[:, t : t + 3] for t in (TANGENT_1, TANGENT_2)]
        along = np.stack([np.einsum("ki,ki->k", now.rows.slip, axis) for axis in axes], axis=1)
        surfaces = [touch.surface for touch in now.touches]
        share = yielding(
            W, now.rows.friction, sliding, along, np.array([touch.pair for touch in now.touches])
        )
        return jam(share, now.rows.friction, surfaces, time, JAMMED)

    def _with_given(self, now: Closed, force: Array) -> Array:
        """Return forces (k, 3) with the friction that is given."""
        if self.friction is None:
            return force
        return force + self.friction.given(now.touches, now.rows)

    def shortest(self, now: Closed, state: Array, time: float, control: Control) -> None:
        """Give the contacts the shortest forces of all that have their motion.

        They are those of contact areas that yield a little, in the limit of rigid bodies (restoring
        forces, section 4.4 of the 1986 report): springs share a load so that the energy they
        store, the sum of F^2 / 2k, is least; k is the stiffness of the two materials. Where these
        forces would pull, those that Coulomb's law finds stay.
        """
        from scipy.linalg import solve_triangular

        sticks = now.rows.mode == STICK
        if not len(now.touches) or np.any(now.rows.mode == SLIP):
            return
        _, W, b = self._problem(now.touches, state, time, control)
        held = np.stack([np.ones_like(sticks), sticks, sticks], axis=1).ravel()
        force = np.zeros(len(held))
        root = roots_of_stiffness(now.touches)[held]
        picked = now.rows.picked[: now.rows.known[0]] @ (3, 1)
        # the shortest solution of dependent rows is a combination of independent columns
        scaled = roots_of_stiffness(now.touches)[picked]
        Q, R = np.linalg.qr(root[:, None] * W[np.ix_(held, picked)] * scaled)
        force[held] = root * (Q @ solve_triangular(R, -scaled * b.ravel()[picked], trans="T"))
        shortest = force.reshape(-1, 3)
        if np.all(shortest[:, 0] >= 0.0):
            now.rows.force[:] = self._with_given(now, shortest)
        else:
            mode = np.zeros(len(sticks), np.int64)
            found = coulomb(W, b, now.rows.friction, mode)
            now.rows.force[:] = self._with_given(now, found)

    def _tangential(self, rows: Contacts) -> Array:
        """Return the tangential velocities (k, 3) in W of the contacts evaluated last."""
        one, two = rows.place[:, SPEED_N + 1, None], rows.place[:, SPEED_N + 2, None]
        return np.asarray(
            one * rows.place[:, TANGENT_1 : TANGENT_1 + 3]
            + two * rows.place[:, TANGENT_2 : TANGENT_2 + 3]
        )

    def other_forces(self, now: Closed, state: Array, time: float, control: Control) -> bool:
        """Tell whether some forces of the same motion obey the laws; they are then kept.

        Asked where those nearest to the forces of before do not.
        """
        speed = np.einsum("ki,ki->k", now.rows.slip, self._tangential(now.rows))
        if np.any((now.rows.mode == SLIP) & (speed < -1e-12)):
            return False
        rows, W, b = self._problem(now.touches, state, time, control)
        mode = np.where(now.rows.mode == SLIP, SLIP, STICK).astype(np.int64)
        along = np.stack(
            [
                np.einsum("ki,ki->k", now.rows.slip, rows.place[:, t : t + 3])
                for t in (TANGENT_1, TANGENT_2)
            ],
            axis=1,
        )
        p = coulomb(W, b, now.rows.friction, mode, along)
        a = b + (W @ p.ravel()).reshape(-1, 3)
        scale = UNDECIDED * max(1.0, float(np.max(np.abs(b))))
        resting = np.where((now.rows.mode == STICK)[:, None], np.abs(a[:, 1:]), 0.0)
        lifted, moved = float(np.max(np.abs(a[:, 0]))), float(np.max(resting))
        if max(lifted, moved) > scale * STUCK / UNDECIDED:
            return False
        now.rows.force[:] = self._with_given(now, p)
        now.rows.base[:] = p
        return True


def _dead(speed: float) -> float:
    """Return the restitution of surfaces that bounce no more."""
    return 0.0


def _mode(mu: float, mode: int, along: Array, a: Array, limit: float) -> tuple[int, Array]:
    """Return a contact's state from its acceleration (k, 3), and its slip direction."""
    if mu == 0.0:
        return FRICTIONLESS, np.zeros(2)
    if mode == SLIP:
        return SLIP, along
    drift = float(np.hypot(a[1], a[2]))
    if drift <= limit:
        return STICK, np.zeros(2)
    return SLIP, a[1:] / drift


def _along_rows(rows: Contacts, out: Array) -> Array:
    """Return the relative motion (k, 3) of the contacts along their rows under ``out`` (n, 6)."""
    padded = np.concatenate([out, np.zeros((1, 6))])
    both = np.concatenate([padded[rows.table[:, 1]], padded[rows.table[:, 2]]], axis=1)
    J = rows.place[:, ROW_N : ROW_N + 36].reshape(-1, 3, 12)
    return np.asarray(np.einsum("ktj,kj->kt", J, both))
