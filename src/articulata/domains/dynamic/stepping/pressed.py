"""Contact forces of a step: its impulses divided by its length.

Bodies that others squeeze however they move: no step can put them anywhere.

Hoffmann & Hopcroft 1986, section 4.2, case 4: the model is deficient and the run cannot go on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.domains.dynamic.contact.pressing import between
from articulata.domains.dynamic.contact.stops import about_hinges
from articulata.domains.dynamic.couplings import turning
from articulata.domains.dynamic.mechanism import PRESCRIBED, Mechanism, motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.domains.dynamic.stepping.body_pieces import PieceSource
from articulata.domains.dynamic.stepping.step_stage import Stage
from articulata.errors import InconsistentSystem
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.stepping import step_scene as kernels
from articulata.world.model import Coupling, Drive


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


DEEP = 0.02
"""Overlap, as a share of the smallest piece, that no step may leave between driven bodies."""


def check_way_out(
    parts: Mechanism, made: Stage, contacts: kernels.Contacts, pieces: PieceSource, time: float
) -> None:
    """Raise InconsistentSystem where what is driven has left no way out of an overlap."""
    count = int(contacts.tally[kernels.COUNT])
    table, data = contacts.table[:count], contacts.data[:count]
    left = data[:, kernels.DISTANCE].copy()
    for side in range(2):
        moved = contacts.shift[table[:, kernels.BODY_A + side]]
        left += np.einsum("kj,kj->k", contacts.J[:count, 0, 6 * side : 6 * side + 6], moved)
    stuck = (left < -DEEP * made.size) & (table[:, kernels.PAIR] >= 0)
    if not np.any(stuck):
        return
    # what the overlapping bodies touch besides takes part
    bodies = set(table[stuck][:, kernels.BODY_A : kernels.BODY_B + 1].ravel().tolist())
    near = [k for k in range(count) if table[k, kernels.PAIR] >= 0 and _among(table[k], bodies)]
    told: dict[str, str] = {}
    for k in near:
        i, j = divmod(int(table[k, kernels.PAIR]), len(pieces.arrays.body))
        names = []
        for piece, first in ((i, kernels.KIND_A), (j, kernels.KIND_B)):
            body = parts.bodies[int(pieces.arrays.body[piece])]
            kind, index = table[k, first : first + 2].tolist()
            names.append((body, f"{body}.{pieces.name(piece, kind, index)}"))
        spans = ", ".join(str(parts.world.bodies[body].span) for body, _ in names)
        told[" on ".join(feature for _, feature in names)] = spans
    touched = {int(b) for k in near for b in table[k, kernels.BODY_A : kernels.BODY_B + 1]}
    driven = {parts.bodies[b] for b in touched if parts.kind[b] == PRESCRIBED}
    given = [d for d in parts.drives if d.kind == "acceleration" and d.target in driven]
    controls: list[Drive | Coupling] = [*given, *turning(parts.world)]
    lines = [f"  {contact}  ({spans})" for contact, spans in told.items()]
    lines += [f"  {drive.id}  ({drive.span})" for drive in controls]
    raise InconsistentSystem(
        f"the bodies that touch at t = {time:.9g} s cannot but run into each other: these contacts "
        "and motions contradict each other\n"
        + "\n".join(lines)
        + "\nGive way on one side: change a control, give a motor a torque beside its speed, "
        "free a body, or ignore a pair.",
        (*told, *(drive.id for drive in controls)),
        time,
    )


def _among(row: IntArray, bodies: set[int]) -> bool:
    return bool(bodies & set(row[kernels.BODY_A : kernels.BODY_B + 1].tolist()))
