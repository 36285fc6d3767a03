"""Bodies that others squeeze however they move: no step can put them anywhere.

Hoffmann & Hopcroft 1986, section 4.2, case 4: the model is deficient and the run cannot go on.
"""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.couplings import turning
from articulata.domains.dynamic.mechanism import PRESCRIBED, Mechanism
from articulata.domains.dynamic.stepping.pieces import PieceSource
from articulata.domains.dynamic.stepping.step_stage import Stage
from articulata.errors import InconsistentSystem
from articulata.geometry.arrays import IntArray
from articulata.kernels.multibody.stepping import scene as kernels
from articulata.world.model import Coupling, Drive

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
        i, j, _ = made.scene.pairs[table[k, kernels.PAIR]].tolist()
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
