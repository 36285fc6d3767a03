"""Overlaps of bodies whose hinges end: such pairs are ignored from then on.

Bodies of one mechanism are not tested for contact with each other, so that they may overlap: bars
on a pin, a folded leg in the trunk. When the hinges between them end, contact would have to throw
them apart. Their pair is ignored instead, by an edit like any other.
"""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.overlaps import overlapping
from articulata.domains.dynamic.mechanism import FREE, Mechanism, poses_of
from articulata.domains.protocols import InterferenceModel
from articulata.errors import NameNotFound, WorldError
from articulata.geometry.arrays import BoolArray
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.records.state import State
from articulata.world.collision_pairs import meeting_pairs
from articulata.world.edits.figure_edits import RemoveFigure
from articulata.world.edits.force_edits import Ignore
from articulata.world.edits.structure_edits import BreakHinge, RemoveBody
from articulata.world.edits.transaction import Edit, Transaction
from articulata.world.edits.value_edits import puts
from articulata.world.model import World

DEPTH = 1e-9
"""Bodies that lie deeper than this in each other (m) are left out."""


def parted(
    parts: Mechanism,
    contact: Contact | None,
    interference: InterferenceModel | None,
    edit: Edit,
    state: State,
) -> tuple[Edit, ...]:
    """Return the pairs to be ignored that the hinges which ``edit`` ends leave in each other."""
    edits = edit.edits if isinstance(edit, Transaction) else (edit,)
    if contact is None or not any(
        isinstance(each, BreakHinge | RemoveBody | RemoveFigure) for each in edits
    ):
        return ()
    try:
        after = edit.apply(parts.world)
    except (WorldError, NameNotFound):
        return ()  # the edits themselves say what cannot be done
    if all(name in after.hinges for name in parts.world.hinges):
        return ()
    moved = {name for name, put in puts(after, edit).items() if put.pose is not None}
    pairs = np.argwhere(np.triu(_released(parts, after, moved, contact.within)))
    shapes = [body.shape for body in parts.world.bodies.values()]
    source = piece_table(shapes) if interference is None else interference.pieces
    lying = pairs[overlapping(source, poses_of(parts, state.arrays), pairs, DEPTH)]
    return tuple(Ignore(*sorted((parts.bodies[a], parts.bodies[b]))) for a, b in lying.tolist())


def _released(parts: Mechanism, after: World, moved: set[str], within: bool) -> BoolArray:
    """Tell which bodies (n, n) only hinges kept from being tested, and are tested ``after``.

    Not those that are ``moved`` or have another shape: what these run into is the edits' doing.
    """
    before = parts.world
    kept = np.array(
        [
            name in after.bodies
            and name not in moved
            and after.bodies[name].shape == before.bodies[name].shape
            for name in parts.bodies
        ]
    )
    free = parts.kind == FREE
    held = _tested(before, parts, neighbours=True, within=True)
    held &= ~_tested(before, parts, neighbours=False, within=within)
    now = _tested(after, parts, neighbours=False, within=within)
    return np.asarray(held & now & kept & kept[:, None] & (free | free[:, None]))


def _tested(world: World, parts: Mechanism, *, neighbours: bool, within: bool) -> BoolArray:
    """Tell which bodies of ``parts`` (n, n) are tested against each other in ``world``."""
    pairs = meeting_pairs(world, neighbours=neighbours, within=within)
    number = np.array([parts.index.get(name, -1) for name in world.bodies], np.int64)[pairs]
    a, b = number[np.all(number >= 0, axis=1)].T
    found = np.zeros((len(parts.bodies), len(parts.bodies)), bool)
    found[a, b] = found[b, a] = True
    return found
