"""What a broken hinge leaves lying in each other: such bodies are not tested for contact.

Bars on a pin lie one in the other as they are drawn. Once the pin is broken nothing joins them any
more, and a contact would have to throw them apart; they are left out of the tests instead, which
is an edit like any other.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from articulata.analyses.simulate.clearance import model_of
from articulata.analyses.simulate.reacting import Decision
from articulata.domains.dynamic.mechanism import ORIENTATION, POSITION, Mechanism
from articulata.errors import NameNotFound
from articulata.kinematics.assembly.rows import rotations
from articulata.records.state import State
from articulata.world.edits.forces import Ignore
from articulata.world.edits.structure import BreakHinge
from articulata.world.model import Hinge, World
from articulata.world.paths import resolve_hinge

DEPTH = 1e-9
"""Bodies that lie deeper than this in each other (m) are left out."""


def with_overlaps_left_out(decision: Decision, parts: Mechanism, state: State) -> Decision:
    """Return ``decision`` with the pairs that its broken hinges leave in each other ignored."""
    world = parts.world
    try:
        broken = [
            world.hinges[resolve_hinge(world, edit.path)]
            for edit in decision.edits
            if isinstance(edit, BreakHinge)
        ]
    except NameNotFound:
        return decision  # the edit itself says what is missing
    pairs = {pair: None for hinge in broken for pair in _around(world, hinge)}
    said = {frozenset((e.first, e.second)) for e in decision.edits if isinstance(e, Ignore)}
    fresh = [pair for pair in pairs if pair not in said | set(world.ignored)]
    if not fresh:
        return decision
    R = rotations(state.arrays[ORIENTATION]).reshape(-1, 3, 3)
    origin = state.arrays[POSITION] - np.einsum("nij,nj->ni", R, parts.center[:-1])
    poses = np.concatenate([origin, state.arrays[ORIENTATION]], axis=1)
    shapes = model_of(world)
    found = [
        Ignore(a, b)
        for a, b in (sorted(pair) for pair in fresh)
        if shapes.separation(poses, a, b) < -DEPTH
    ]
    return replace(decision, edits=(*decision.edits, *found)) if found else decision


def _around(world: World, hinge: Hinge) -> list[frozenset[str]]:
    """Return the pairs of bodies with shapes on the two sides of a hinge, one more hinge away."""
    sides = []
    for own, other in ((hinge.body_a, hinge.body_b), (hinge.body_b, hinge.body_a)):
        near = {own: None}
        for each in world.hinges.values():
            if each.id != hinge.id and own in (each.body_a, each.body_b):
                near |= {name: None for name in (each.body_a, each.body_b) if name != other}
        sides.append([name for name in near if world.bodies[name].shape is not None])
    return [frozenset(pair) for pair in product(*sides) if pair[0] != pair[1]]
