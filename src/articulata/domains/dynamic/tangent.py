"""Small displacements of a mechanism: the tangent space of its rows, and what forces do along it.

A displacement is (6 n,): three of the reference point and a small turn of each body, in W. With
``w`` the wrenches, ``J`` the rows and ``f`` their forces, rest is ``w + J^T f = 0``. Derivatives of
that sum with ``f`` held give the stiffness: the bent way of the rows enters by ``(dJ)^T f``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from articulata.domains.dynamic.body_wrenches import wrenches
from articulata.domains.dynamic.cams import cam_of
from articulata.domains.dynamic.couplings import BACK, strict
from articulata.domains.dynamic.elements import Element, acts_at_rest
from articulata.domains.dynamic.mechanism import (
    COORDINATE,
    FREE,
    ORIENTATION,
    POSITION,
    RATE,
    VELOCITY,
    Mechanism,
    Motion,
    motion_of,
)
from articulata.domains.dynamic.plain_solution import spread
from articulata.domains.dynamic.readings import energies
from articulata.domains.protocols import Inputs
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_exp, q_multiply, q_normalize, q_to_matrix
from articulata.kinematics.assembly.hinge_rows import RowValues, evaluate

STEP = 4e-3
"""Largest displacement of differences: rad, and shares of the mechanism's length."""

DEPENDENT = 1e-9
"""Share of the largest singular value below which rows depend on each other."""

CLOSINGS = 12
"""Newton steps that close the hinges at most."""


def derivative(of: Callable[[float], Array], *, rough: bool = False) -> tuple[Array, float]:
    """Return the derivative of ``of`` at zero and how far it may be wrong.

    Central differences at three steps, extrapolated twice (Richardson): the error is of order 6.
    ``rough`` takes one step alone, and does not tell the error.
    """
    if rough:
        return (of(STEP / 4) - of(-STEP / 4)) / (STEP / 2), 0.0
    one, two, three = ((of(h) - of(-h)) / (2 * h) for h in (STEP, STEP / 2, STEP / 4))
    wide, fine = (4 * two - one) / 3, (4 * three - two) / 3
    return (16 * fine - wide) / 15, float(np.max(np.abs(fine - wide), initial=0.0)) / 15


def kept_by_couplings(parts: Mechanism, arrays: dict[str, Array]) -> Array:
    """Return what each gear keeps (gears, 2), and by how much more its row changes.

    Of gears it is the sum of factors times coordinates. Of two shafts that turn alike it is the
    twist of A from B, which their row changes by 1 + cos(angle between them).
    """
    labels, at, values = parts.coordinates.labels, motion_of(arrays), arrays[COORDINATE]
    found = []
    for each in strict(parts.world):
        if each.terms[-1][0].endswith(BACK):
            hinge = parts.world.hinges[each.hinges[0]]
            R_A, R_B = (
                at.R[parts.index[body]] @ q_to_matrix(np.array(frame.orientation))
                for body, frame in ((hinge.body_a, hinge.frame_a), (hinge.body_b, hinge.frame_b))
            )
            R = R_B.T @ R_A
            found.append((np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]), 1.0 + R[2, 2]))
        elif each.law is not None:
            first, last = (values[labels.index(x)] for x, _ in each.terms)
            found.append((cam_of(each.law).value(float(first)) - last, 1.0))
        else:
            found.append((sum(by * values[labels.index(x)] for x, by in each.terms), 1.0))
    return np.array(found, float).reshape(-1, 2)


@dataclass(frozen=True)
class Tangent:
    """The mechanism ``parts`` standing still where ``arrays`` say, its controls giving nothing.

    ``length`` (m) makes turns and ways comparable. Gears keep what they are ``tied`` by (gears,).
    ``held`` (coordinates,) are moments and forces that hinges give all the time; None for none.
    """

    parts: Mechanism
    elements: tuple[Element, ...]
    arrays: dict[str, Array]
    length: float
    tied: Array
    held: Array | None = None

    @cached_property
    def motion(self) -> Motion:
        """Reference points and axes, at rest."""
        still = np.zeros_like(self.arrays[VELOCITY])
        return motion_of({**self.arrays, VELOCITY: still, RATE: still})

    @cached_property
    def scales(self) -> Array:
        """(6 n,): ``length`` for ways, 1 for turns, 0 for what forces do not move."""
        each = np.array([self.length] * 3 + [1.0] * 3)
        return np.outer(self.parts.kind == FREE, each).ravel()

    @cached_property
    def _values(self) -> RowValues:
        return evaluate(self.parts.rows, self.motion.positions, self.motion.R)

    @cached_property
    def rows(self) -> Array:
        """J (rows, 6 n) of the hinges and gears, in scaled displacements."""
        return spread(self.parts, self._values) * self.scales

    @property
    def gap(self) -> Array:
        """How far the rows are from closed (rows,): m, cosines, and rad of gears."""
        gap = self._values.gap.copy()
        if len(self.tied):
            kept, by = kept_by_couplings(self.parts, self.arrays).T
            gap[-len(self.tied) :] = by * (kept - self.tied)
        return gap

    @cached_property
    def basis(self) -> Array:
        """Scaled displacements (6 n, dof) that the rows allow, at right angles to each other."""
        free = np.flatnonzero(self.scales)
        allowed = np.zeros((len(self.scales), len(free)))
        allowed[free, np.arange(len(free))] = 1.0
        if not len(self.rows) or not len(free):
            return allowed
        _, size, V = np.linalg.svd(self.rows[:, free])
        rank = int(np.sum(size > DEPENDENT * max(size[0], 1e-300)))
        return np.asarray(allowed @ V[rank:].T)

    @cached_property
    def wrench(self) -> Array:
        """Forces and moments (6 n,) without those of rows, scaled."""
        return self._wrench(self.motion)

    @cached_property
    def forces(self) -> Array:
        """Forces of the rows (rows,) that balance most of the wrench."""
        return np.asarray(np.linalg.lstsq(self.rows.T, -self.wrench, rcond=DEPENDENT)[0])

    @property
    def unbalanced(self) -> Array:
        """What is left of the wrench along ``basis`` (dof,)."""
        return np.asarray(self.basis.T @ self.wrench)

    @property
    def energy(self) -> float:
        """Potential energy (J), that of springs and of weights."""
        return float(np.sum(energies(self.parts, self.motion, self.elements)[1:3]))

    def _wrench(self, motion: Motion) -> Array:
        of, n = self.parts, len(self.parts.kind)
        none = Inputs(
            np.zeros((n, 6)),
            np.zeros((n, 3)),
            np.zeros((sum(drive.kind == "force" for drive in of.drives), 3)),
            np.zeros(len(of.coordinates)) if self.held is None else self.held,
        )
        return wrenches(of, self.elements, motion, none, 0.0).ravel() * self.scales

    def moved(self, displacement: Array) -> Tangent:
        """Return the mechanism after a scaled displacement (6 n,); hinges may part."""
        way = (displacement * self.scales).reshape(-1, 6)
        arrays = dict(self.arrays)
        arrays[POSITION] = arrays[POSITION] + way[:, :3]
        arrays[ORIENTATION] = q_normalize(q_multiply(q_exp(way[:, 3:]), arrays[ORIENTATION]))
        then = motion_of(arrays)
        arrays[COORDINATE] = self.parts.coordinates.values(then.positions, then.R, then.turned)
        return replace(self, arrays=arrays)

    def closed(self) -> Tangent | None:
        """Return the mechanism with its hinges closed again; None where they do not close."""
        at = self
        for _ in range(CLOSINGS):
            gap = at.gap
            if np.max(np.abs(gap), initial=0.0) <= 1e-13 * max(1.0, self.length):
                return at
            at = at.moved(np.asarray(-np.linalg.lstsq(at.rows, gap, rcond=DEPENDENT)[0]))
        return at if np.max(np.abs(at.gap), initial=0.0) <= 1e-9 * max(1.0, self.length) else None

    def stiffness(self, along: Array, *, rough: bool = False) -> tuple[Array, float]:
        """Return minus the derivative (6 n, k) of ``w + J^T f`` along (6 n, k), and its error."""
        if not along.shape[1]:
            return np.zeros_like(along), 0.0
        count, n = along.shape[1], len(self.parts.kind)
        rows = self.parts.rows.repeated(count, n)
        forces = np.tile(self.forces, count)
        acting = self.held is not None or any(map(acts_at_rest, self.elements))
        ways = (along.T * self.scales).reshape(count, n, 6)

        def sums(h: float) -> Array:
            places, R = self._displaced(h * ways)
            values = evaluate(rows, places, R)
            total = np.zeros((count * n + 1, 6))
            for block, row, body in rows.blocks(values):
                np.add.at(total, body, block * forces[row, None])
            total[:-1] *= np.tile(self.scales.reshape(n, 6), (count, 1))
            wrench = np.tile(self.wrench, (count, 1))
            for k in range(count if acting else 0):
                of = slice(k * n, k * n + n)
                wrench[k] = self._wrench(self._standing(places[of], R[of]))
            return -(wrench + total[:-1].reshape(count, -1)).T

        return derivative(sums, rough=rough)

    def _displaced(self, ways: Array) -> tuple[Array, Array]:
        """Return places and axes of all bodies after each of ``ways`` (k, n, 6); the world last."""
        turns = q_to_matrix(q_exp(ways[..., 3:].reshape(-1, 3))).reshape(*ways.shape[:2], 3, 3)
        places = (self.motion.positions[:-1] + ways[..., :3]).reshape(-1, 3)
        R = (turns @ self.motion.R[:-1]).reshape(-1, 3, 3)
        return np.vstack([places, np.zeros((1, 3))]), np.concatenate([R, np.eye(3)[None]])

    def _standing(self, places: Array, R: Array) -> Motion:
        """Return the bodies at rest at ``places`` (n, 3) with axes ``R`` (n, 3, 3)."""
        whole, axes = np.vstack([places, np.zeros((1, 3))]), np.concatenate([R, np.eye(3)[None]])
        turned = self.parts.coordinates.values(whole, axes, self.arrays[COORDINATE])
        still = np.zeros_like(whole)
        return Motion(whole, axes, still, still, turned)

    def damping(self, along: Array) -> tuple[Array, float]:
        """Return minus the derivative (6 n, k) of ``w`` by velocities along (6 n, k), its error."""
        if not along.shape[1]:
            return np.zeros_like(along), 0.0
        at = self.motion

        def at_speed(column: Array) -> Array:
            v = np.vstack([(column * self.scales).reshape(-1, 6), np.zeros((1, 6))])
            return -self._wrench(Motion(at.positions, at.R, v[:, :3], v[:, 3:], at.turned))

        return derivative(lambda h: np.stack([at_speed(h * each) for each in along.T], 1))

    def mass(self) -> Array:
        """Return the bodies' masses and moments of inertia (6 n, 6 n) in scaled displacements."""
        n = len(self.parts.kind)
        result = np.zeros((n, 6, n, 6))
        R = self.motion.R[:-1]
        turned = R @ self.parts.inertia @ np.swapaxes(R, 1, 2)
        for k in np.flatnonzero(self.parts.kind == FREE).tolist():
            result[k, :3, k, :3] = np.eye(3) * self.parts.mass[k]
            result[k, 3:, k, 3:] = turned[k]
        return result.reshape(6 * n, 6 * n) * np.outer(self.scales, self.scales)

    def coordinate_rows(self) -> Array:
        """Return how scaled displacements change hinge coordinates, (coordinates, 6 n)."""
        of, n = self.parts.coordinates, len(self.parts.kind)
        at = self.motion
        unit = [of.wrenches(at.positions, at.R, each, n).ravel() for each in np.eye(len(of))]
        return np.reshape(unit, (len(of), 6 * n)) * self.scales
