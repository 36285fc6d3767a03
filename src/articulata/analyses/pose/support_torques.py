"""Torques of a figure that stands: its supports bear the weight, the joints what is between.

The supports press upward with shares of the weight that add up to 1 and balance it; of all such
shares those with the least squares. Torques are then what the joints exert against weights and
pushes of the floor.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.figure_places import Places
from articulata.kinematics.statics import Statics

if TYPE_CHECKING:
    from articulata.analyses.pose.pose_scene import Scene


_STEP = 1e-6
"""rad, m: the distance of differences of bends."""


_OPEN = 1e-9
"""Added to what the shares solve: supports in a line leave a direction open."""


class Held(NamedTuple):
    """What holds postures ``q``: ``torques`` (m, dof), and how the supports share the weight.

    ``shares`` (m, supports) with their ``change`` (m, supports, dof); ``levers`` (m, supports, dof)
    are the torques against 1 N upward at each support. ``A`` (m, 3, supports) and ``y`` (m, 3) are
    the system that the shares solve.
    """

    q: Array
    torques: Array
    shares: Array
    change: Array
    levers: Array
    A: Array
    y: Array


class Bearing:
    """What holds a scene's figure: torques (m, dof) and their gradient (m, dof, dof).

    What was asked last is kept, each with its posture: several threads may ask.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.statics = scene.statics
        self._held: Held | None = None
        self._bent: tuple[Array, Array] | None = None
        self._weighed: tuple[Array, Array] | None = None

    def torques(self, q: Array) -> Array:
        """Return the torques with which the joints hold postures (m, dof)."""
        return self._at(q).torques

    def gradient(self, q: Array) -> Array:
        """Return the change of the torques with the posture."""
        # slopes and bends ask for the same postures one after the other
        bent = self._bent
        if bent is not None and np.array_equal(bent[0], q):
            return bent[1]
        H = self._weighing(q)
        if self.scene.floating:
            held = self._at(q)
            lift = held.shares[:, :, None] * (-self._weight * self._up)
            H = H + self._feet.bends(q, lift)
            H += self._weight * (held.levers.transpose(0, 2, 1) @ held.change)
        self._bent = (q.copy(), H)
        return H

    def bends(self, q: Array, weights: Array) -> Array:
        """Return the second derivatives (m, dof, dof) of the torques, summed by ``weights``.

        At rest torques are the slope of an energy, so that a difference of its bends along the
        weights gives them. The supports stand still: how shares bend where they move is left out.
        """
        size = np.maximum(np.abs(weights).max(axis=1), 1e-300)[:, None]
        moved, rate = q + _STEP * weights / size, (size / _STEP)[:, :, None]
        change = self.statics.torque_gradient(moved) - self._weighing(q)
        if not self.scene.floating:
            return np.asarray(change * rate)
        held = self._at(q)
        lift = held.shares[:, :, None] * (-self._weight * self._up)
        levers = -(self._up @ self._feet.found(moved)[1])
        across = self._weight * (held.change.transpose(0, 2, 1) @ (levers - held.levers))
        change += across + across.transpose(0, 2, 1) + self._feet.bends(moved, lift)
        out = change * rate
        by_center, by_place = self._leaning(held, weights)
        out += self._feet.bends(q, by_place - lift * rate)
        for axis, each in enumerate(self._sideways):
            out += by_center[:, axis, None, None] * each.torque_gradient(q)
        return np.asarray(out)

    def shares(self, q: Array) -> Array:
        """Return the share (m, supports) of the weight that each support bears."""
        return self._at(q).shares

    # ---- inside

    def _at(self, q: Array) -> Held:
        known = self._held
        if known is not None and np.array_equal(known.q, q):
            return known
        tau, none = self.statics.torques(q), np.zeros((len(q), 0))
        held = Held(q.copy(), tau, none, none, none, none, none)
        if self.scene.floating:
            held = self._shared(held)
            tau += self._weight * (held.shares[:, None] @ held.levers)[:, 0]
        self._held = held
        return held

    def _weighing(self, q: Array) -> Array:
        """Return the change of the torques against weights and pushes alone."""
        known = self._weighed
        if known is None or not np.array_equal(known[0], q):
            known = self._weighed = (q.copy(), self.statics.torque_gradient(q))
        return known[1]

    def _leaning(self, held: Held, weights: Array) -> tuple[Array, Array]:
        """Return how the shares change what their levers do to ``weights``.

        By the centre of mass across the weight (m, 2), and by the supports (m, supports, 3).
        """
        by_share = self._weight * (held.levers @ weights[:, :, None])[:, :, 0]
        M = held.A @ held.A.transpose(0, 2, 1) + _OPEN * np.eye(3)
        s = np.asarray(np.linalg.solve(M, held.A @ by_share[:, :, None])[:, :, 0], float)
        by_place = (by_share - (s[:, None] @ held.A)[:, 0])[:, :, None] * held.y[:, None, 1:]
        by_place -= held.shares[:, :, None] * s[:, None, 1:]
        return s[:, 1:], by_place @ self._level

    @cached_property
    def _sideways(self) -> tuple[Statics, ...]:
        """The figure in fields whose torques are how its centre goes across the weight."""
        mass = self.statics.mass
        return tuple(
            Statics(self.scene.figure, loads=self.scene.loads, gravity=-axis / mass)
            for axis in self._level
        )

    @cached_property
    def _level(self) -> Array:
        return np.asarray(np.linalg.svd(self._up[None])[2][1:])

    @cached_property
    def _feet(self) -> Places:
        return Places(self.scene.figure, self.scene.supports)

    @cached_property
    def _up(self) -> Array:
        g = self.statics.gravity
        return np.asarray(-g / np.linalg.norm(g))

    @cached_property
    def _weight(self) -> float:
        return float(self.statics.mass * np.linalg.norm(self.statics.gravity))

    def _shared(self, held: Held) -> Held:
        """Return what holds postures with what the supports take.

        Least squares with A w = b: ones and places against 1 and the place of the centre of mass,
        seen along gravity.
        """
        q, level = held.q, self._level
        p, J = self._feet.found(q)
        m, k, _, n = J.shape
        center, moving = self.statics.centered(q)
        b = np.ones((m, 3))
        b[:, 1:] = center @ level.T
        missing = np.zeros((m, 3, n))
        missing[:, 1:] = level @ moving
        A = np.ones((m, 3, k))
        A[:, 1:] = (p @ level.T).transpose(0, 2, 1)
        M = A @ A.transpose(0, 2, 1) + _OPEN * np.eye(3)
        y = np.asarray(np.linalg.solve(M, b[:, :, None])[:, :, 0], float)
        w = (y[:, None] @ A)[:, 0]
        first = ((y[:, 1:] @ level)[:, None, None] @ J)[:, :, 0]
        missing -= A @ first
        missing[:, 1:] -= level @ (w[:, None] @ J.reshape(m, k, 3 * n)).reshape(m, 3, n)
        change = np.asarray(first + A.transpose(0, 2, 1) @ np.linalg.solve(M, missing))
        levers = -(self._up @ J)
        return held._replace(shares=w, change=change, levers=levers, A=A, y=y)
