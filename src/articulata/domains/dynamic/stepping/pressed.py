"""What the contacts of a step do: the forces that its impulses make over its length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.domains.dynamic.contact.pressing import between
from articulata.domains.dynamic.contact.stops import about_hinges
from articulata.domains.dynamic.mechanism import Mechanism, motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.domains.dynamic.stepping.step_stage import Stage
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.stepping import scene as kernels


@dataclass(frozen=True, slots=True, eq=False)
class Pressed:
    """Forces of contacts in W: N, N m, m.

    ``wrenches`` (n, 6) act on the bodies about their mass centres, ``forces`` (k, 3) at ``points``
    (k, 3) on the first of the two bodies in ``pairs`` (k, 2). Of the wrenches ``limiting`` (n, 6)
    are those of hinges at limits, ``held`` (l, 6) what each of the ``hinges`` (l,) does so to its
    first body.
    """

    wrenches: Array
    points: Array
    forces: Array
    pairs: IntArray
    limiting: Array
    held: Array
    hinges: IntArray

    def channels(self, pairs: IntArray, room: int) -> tuple[Array, ...]:
        """Return wrenches, forces of ``pairs`` of bodies, and ``room`` points with their forces."""
        forces = between(pairs, self.pairs, self.forces)
        return (self.wrenches - self.limiting, forces, *self.strongest(room))

    def at_limits(self, parts: Mechanism, state: Array) -> Array:
        """Return (hinges, 6): what their limits do to bodies A about the hinges' points, in W."""
        arms = parts.hinge_arms(motion_of(unpack(state)))
        return about_hinges(self.hinges, self.held, arms)

    def strongest(self, room: int) -> tuple[Array, Array]:
        """Return where contacts press (room, 3) and the forces there; rows left over are NaN."""
        points, forces = np.full((room, 3), np.nan), np.full((room, 3), np.nan)
        chosen = np.arange(len(self.points))
        if len(chosen) > room:
            order = np.argsort(-np.linalg.norm(self.forces, axis=1), kind="stable")
            chosen = np.sort(order[:room])
        points[: len(chosen)], forces[: len(chosen)] = self.points[chosen], self.forces[chosen]
        return points, forces


def pressing(made: Stage, contacts: kernels.Contacts, h: float, bodies: int) -> Pressed:
    """Return the mean forces of the contacts' impulses over a step ``h``."""
    count = int(contacts.tally[kernels.COUNT])
    table, data = contacts.table[:count], contacts.data[:count]
    total = (
        data[:, kernels.FORCE : kernels.FORCE + 3] + data[:, kernels.STRIKE : kernels.STRIKE + 3]
    )
    total = total / h
    wrenches, limiting = np.zeros((bodies, 6)), np.zeros((bodies, 6))
    limits = np.flatnonzero(table[:, kernels.PAIR] < 0)
    held = np.zeros((len(limits), 6))
    for side, first in ((kernels.BODY_A, 0), (kernels.BODY_B, 6)):
        each = np.einsum("kr,krj->kj", total, contacts.J[:count, :, first : first + 6])
        np.add.at(wrenches, table[:, side], each)
        np.add.at(limiting, table[limits, side], each[limits])
        held = each[limits] if side == kernels.BODY_A else held
    hinges = [made.limits[-1 - pair][0].number for pair in table[limits, kernels.PAIR].tolist()]
    real = np.flatnonzero((table[:, kernels.PAIR] >= 0) & (total[:, 0] > 0.0))
    axes = data[real, :9].reshape(-1, 3, 3)
    forces = np.einsum("kr,krj->kj", total[real], axes)
    points = data[real, kernels.POINT : kernels.POINT + 3].copy()
    return Pressed(
        wrenches,
        points,
        forces,
        table[real, kernels.BODY_A : kernels.BODY_B + 1].copy(),
        limiting,
        held,
        np.array(hinges, np.int64),
    )
