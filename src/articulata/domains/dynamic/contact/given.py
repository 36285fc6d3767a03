"""Friction as a given force: the 1986 report's lagged rule and its iterated refinement.

Time goes in steps of the rule. At the beginning of each step the equations are solved without
friction; from the sliding that would result over the step, the force that counteracts it is
determined, cut to mu N, with N spread evenly over the contact points of two bodies. ``Lagged``
applies it one step later. ``Iterated`` begins with the force of the step before, solves with it,
takes the new normal forces and what sliding is left, and refines, within the same step.
Forces are held in world axes across the normals while a step lasts (N).
Reference: Hoffmann & Hopcroft 1986, section 4.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from articulata.domains.dynamic.contact.coulomb import coulomb
from articulata.domains.dynamic.contact.rules import Iterated, Lagged
from articulata.domains.dynamic.contact.touches import Touch
from articulata.geometry.arrays import Array
from articulata.kernels.multibody.contact.memory import Contacts
from articulata.kernels.multibody.contact.rows import SPEED_N, TANGENT_1, TANGENT_2

Key: TypeAlias = tuple[int, ...]
"""What tells a contact point from others: its pair and its features."""

Problem: TypeAlias = Callable[[Sequence[Touch]], tuple[Contacts, Array, Array]]
"""Gives the rows of touches, their Delassus matrix and accelerations without any force there."""

EARLY = 1e-9
"""Share of a step within which its end is reached."""


class GivenFriction:
    """The forces of friction that one run holds now, and those it will hold next."""

    def __init__(self, rule: Lagged | Iterated) -> None:
        self.rule = rule
        self._now: dict[Key, Array] = {}
        self._next: dict[Key, Array] = {}
        self._until = -math.inf

    def end(self, end: float) -> float:
        """Return ``end`` (s), or the end of the step under way where that comes first."""
        return min(end, self._until) if self._until > -math.inf else end

    def due(self, time: float) -> bool:
        """Tell whether a new step begins at ``time`` (s)."""
        return time >= self._until - EARLY * self.rule.step

    def world(self, touches: Sequence[Touch]) -> Array:
        """Return the forces (k, 3) in W that touches hold now, on their bodies A."""
        none = np.zeros(3)
        return np.array([self._now.get(_key(touch), none) for touch in touches]).reshape(-1, 3)

    def given(self, touches: Sequence[Touch], rows: Contacts) -> Array:
        """Return the same forces (k, 3) along the rows: normal (zero), tangent 1, tangent 2."""
        return _along(rows, self.world(touches))

    def ended(self, touches: Sequence[Touch], closed: Sequence[Touch]) -> bool:
        """Forget what touches hold that are not ``closed``; return whether there was any."""
        kept = {_key(touch) for touch in closed}
        gone = [key for key in map(_key, touches) if key not in kept and key in self._now]
        for key in gone:
            del self._now[key]
        return bool(gone)

    def step(self, touches: Sequence[Touch], problem: Problem, time: float) -> None:
        """Begin the step at ``time`` (s): decide which forces hold while it lasts."""
        self._until = self.rule.step * (math.floor(time / self.rule.step + 1e-6) + 1)
        rough = [touch for touch in touches if touch.surface.rough]
        if not rough:
            self._now, self._next = {}, {}
            return
        rows, W, b = problem(rough)
        sliding = _Sliding(rough, rows, W, b, self.rule.step)
        if isinstance(self.rule, Lagged):
            self._now = self._next
            self._next = _named(rough, rows, sliding.refined(np.zeros((len(rough), 3))))
            return
        force = self.given(rough, rows)
        for _ in range(self.rule.rounds):
            force = sliding.refined(force)
        self._now = _named(rough, rows, force)


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


def _key(touch: Touch) -> Key:
    return touch.key


def _along(rows: Contacts, world: Array) -> Array:
    axes = (rows.place[:, t : t + 3] for t in (TANGENT_1, TANGENT_2))
    across = [np.einsum("ki,ki->k", axis, world) for axis in axes]
    return np.stack([np.zeros(len(world)), *across], axis=1)


def _named(touches: Sequence[Touch], rows: Contacts, force: Array) -> dict[Key, Array]:
    axes = [rows.place[:, t : t + 3] for t in (TANGENT_1, TANGENT_2)]
    world = force[:, 1, None] * axes[0] + force[:, 2, None] * axes[1]
    return {_key(touch): each for touch, each in zip(touches, world, strict=True)}
