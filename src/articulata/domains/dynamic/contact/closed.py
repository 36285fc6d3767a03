"""Contacts that are closed: their rows in the equations of motion.

A closed contact is a pressure-only hinge: a row of the equations of motion for as long as its
force presses. Forces in N, impulses in N s; normals point from body B to body A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from articulata.domains.dynamic.contact.given import GivenFriction
from articulata.domains.dynamic.contact.laws import (
    Contact,
)
from articulata.domains.dynamic.contact.resistance import stiffnesses
from articulata.domains.dynamic.contact.rules import Coulomb
from articulata.domains.dynamic.contact.touches import Neighbours, Touch
from articulata.domains.dynamic.engine import PLANS, Engine
from articulata.domains.dynamic.mechanism import PRESCRIBED
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array
from articulata.kernels.multibody import system
from articulata.kernels.multibody.contact import holding
from articulata.kernels.multibody.contact import solve as kernels
from articulata.kernels.multibody.contact.memory import (
    FRICTIONLESS,
    SLIP,
    Contacts,
    Surroundings,
    make_contacts,
    surroundings,
)
from articulata.kernels.multibody.contact.rows import (
    GAMMA_N,
    ROW_N,
    TABLE_WIDTH,
)

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


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """Closed contacts: the touches and their rows in the kernels' arrays, in the same order."""

    touches: tuple[Touch, ...]
    rows: Contacts

    @property
    def keys(self) -> frozenset[tuple[object, ...]]:
        """What tells the feature pairs apart."""
        return frozenset(touch.key for touch in self.touches)

    def copied(self) -> Closed:
        """Return the same contacts, whose forces can be solved for without a trace in these."""
        names = (*KEPT, "known", "picked", "listed")
        copies = {name: getattr(self.rows, name).copy() for name in names}
        return Closed(self.touches, self.rows._replace(**copies))


class Forces:
    """Solves the equations of motion with contacts for one engine."""

    def __init__(self, engine: Engine, contact: Contact, around: Neighbours) -> None:
        self.engine = engine
        self.contact = contact
        self.around = around
        rule = contact.friction_rule
        self.friction = None if isinstance(rule, Coulomb) else GivenFriction(rule)
        outside = any(drive.kind == "acceleration" for drive in engine.parts.drives)
        self.prescribed = outside or bool(np.any(engine.parts.kind == PRESCRIBED))
        """Whether motions are given, which may contradict the hinges."""
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
        if touches:
            rows.stiffness[:] = stiffnesses(touches)
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
        if status == system.INCONSISTENT and not self.prescribed:
            status = system.OK  # a loop passes a position where some of its rows are one
        if status != system.OK:
            raise self.engine.failure(status, state, inputs[0], time)
        multipliers = self.engine.work.multiplier.copy()
        return out, multipliers * self.engine.scale

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
        """Return the same where no contact has any force."""
        out, _ = self.accelerations(self.none_closed(), state, time, control)
        rows = self.only_looked_at(touches).rows
        W = np.zeros((3 * len(touches), 3 * len(touches)))
        kernels.all_rows(self.engine.arrays, self.engine.work, rows, state, W)
        return rows, W, along_rows(rows, out) - rows.place[:, GAMMA_N : GAMMA_N + 3]

    def movable(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> Sequence[Touch]:
        """Return the touches that can open or close: where a hinge pins two features none does."""
        if not any(self.around.is_hinged(touch) for touch in touches):
            return touches
        _, W, _ = self.problem(touches, state, time, control)
        give = np.diagonal(W)[::3]
        least = PINNED * float(np.max(give))
        return [
            touch
            for touch, gives in zip(touches, give, strict=True)
            if gives > least or not self.around.is_hinged(touch)
        ]


def along_rows(rows: Contacts, out: Array) -> Array:
    """Return the relative motion (k, 3) of the contacts along their rows under ``out`` (n, 6)."""
    padded = np.concatenate([out, np.zeros((1, 6))])
    both = np.concatenate([padded[rows.table[:, 1]], padded[rows.table[:, 2]]], axis=1)
    J = rows.place[:, ROW_N : ROW_N + 36].reshape(-1, 3, 12)
    return np.asarray(np.einsum("ktj,kj->kt", J, both))
