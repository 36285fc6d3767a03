"""Which parts of a world may touch, what their materials do, and where they touch now."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.manifold import FeaturePair, Placed, meeting
from articulata.domains.dynamic.contact.parts import (
    Part,
    convex_parts,
    kinds_meet,
    packed,
    pair_array,
)
from articulata.domains.dynamic.contact.surfaces import Surface, between
from articulata.domains.dynamic.mechanism import FIXED, FREE, Mechanism
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.multibody.contact import separation
from articulata.kernels.multibody.contact.separation import POLYHEDRON, Parts
from articulata.world.model import World

NEAR = 1e-9
"""Features nearer than this (m) touch."""


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """Two features that touch, of pair number ``pair``, and what their surfaces do."""

    features: FeaturePair
    pair: int
    surface: Surface


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The parts of a world, in the kernels' arrays, and the ``pairs`` (k, 2) that may touch.

    ``surfaces`` (k,) say what the materials of a pair do; ``hinged`` says which bodies a hinge
    joins, so that they may touch there all the time; ``untested`` are bodies whose shape
    is no union of convex primitives.
    """

    parts: tuple[Part, ...]
    arrays: Parts = field(repr=False)
    pairs: IntArray
    surfaces: tuple[Surface, ...]
    hinged: BoolArray
    untested: tuple[str, ...]

    def bodies(self, pair: int) -> tuple[int, int]:
        """Return the numbers of a pair's bodies."""
        i, j = self.pairs[pair]
        return self.parts[i].body, self.parts[j].body

    @property
    def body_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of bodies that may touch, each once."""
        return tuple(dict.fromkeys(self.bodies(k) for k in range(len(self.pairs))))

    def separations(self, state: Array, R: Array) -> Array:
        """Return the separations (k,) of all pairs at ``state`` (m)."""
        out = np.zeros(len(self.pairs))
        separation.pair_separations(self.arrays, self.pairs, state, R, out)
        return out

    def touches(self, pair: int, state: Array, R: Array, tolerance: float) -> list[Touch]:
        """Return where a pair touches at ``state``; ``R`` (n, >= 9) holds the rotations there."""
        i, j = (int(k) for k in self.pairs[pair])
        one, other = self.parts[i], self.parts[j]
        axis = None
        if one.kind == other.kind == POLYHEDRON:
            found = separation.best_axis(self.arrays, i, j, state, R)
            axis = np.array(found[1])
        met = meeting(_placed(one, state, R), _placed(other, state, R), axis, tolerance)
        return [Touch(each, pair, self.surfaces[pair]) for each in met]


def _placed(part: Part, state: Array, R: Array) -> Placed:
    return Placed(part, R[part.body, :9].reshape(3, 3), state[part.body, :3])


def neighbours(mechanism: Mechanism, contact: Contact) -> Neighbours:
    """Return which parts of a world may touch.

    Bodies that cannot move against each other are left out, so are pairs that the world ignores
    and bodies of one mechanism, which are joined by hinges, unless ``contact.within`` is true.
    """
    world = mechanism.world
    kinds = mechanism.kind
    candidates = list(body_pairs(world, mechanism, contact.within))
    wanted = {body for pair in candidates for body in pair}
    parts: list[Part] = []
    of_body: dict[int, list[int]] = {}
    untested: list[str] = []
    for number, body in enumerate(world.bodies.values()):
        if number not in wanted:
            continue
        made = convex_parts(body.shape, number, mechanism.center[number])
        if made is None:
            untested.append(body.id)
            continue
        of_body[number] = list(range(len(parts), len(parts) + len(made)))
        parts += made
    pairs, surfaces = [], []
    bodies = tuple(world.bodies.values())
    for a, b in candidates:
        surface = between(world, bodies[a], bodies[b], contact)
        for i in of_body.get(a, ()):
            for j in of_body.get(b, ()):
                if kinds_meet(parts[i], parts[j]):
                    pairs.append((i, j))
                    surfaces.append(surface)
    joins = {frozenset((hinge.body_a, hinge.body_b)) for hinge in world.hinges.values()}
    hinged = [
        frozenset((bodies[parts[i].body].id, bodies[parts[j].body].id)) in joins for i, j in pairs
    ]
    assert all(kinds[parts[i].body] == FREE or kinds[parts[j].body] == FREE for i, j in pairs)
    return Neighbours(
        tuple(parts),
        packed(parts),
        pair_array(pairs),
        tuple(surfaces),
        np.array(hinged, dtype=bool),
        tuple(untested),
    )


def body_pairs(world: World, mechanism: Mechanism, within: bool) -> list[tuple[int, int]]:
    """Return the pairs of bodies, by number, that may touch."""
    names = tuple(world.bodies)
    group, hung = _mechanisms(world, mechanism)
    shaped = [n for n, body in enumerate(world.bodies.values()) if body.shape is not None]
    found = []
    alone = len(set(group[shaped].tolist())) < 2 and not within
    for a, b in () if alone else combinations(shaped, 2):
        moving = FREE in (mechanism.kind[a], mechanism.kind[b])
        if not moving or frozenset((names[a], names[b])) in world.ignored:
            continue
        own = group[a] == group[b] or {(a, int(group[b])), (b, int(group[a]))} & hung
        if own and not within:
            continue
        found.append((a, b))
    return found


def _mechanisms(world: World, mechanism: Mechanism) -> tuple[IntArray, set[tuple[int, int]]]:
    """Return each body's mechanism (n,), and which bodies at rest each mechanism hangs on.

    A mechanism is what hinges join; bodies that never move join nothing, and what hangs on a wall
    does not strike it.
    """
    number = {name: k for k, name in enumerate(world.bodies)}
    group = np.arange(len(number))

    def root(k: int) -> int:
        while group[k] != k:
            k = int(group[k])
        return k

    ends = [(number[hinge.body_a], number[hinge.body_b]) for hinge in world.hinges.values()]
    still = mechanism.kind == FIXED
    for a, b in ends:
        if not still[a] and not still[b]:
            group[root(a)] = root(b)
    hung = {(a, root(b)) for a, b in ends if still[a]} | {(b, root(a)) for a, b in ends if still[b]}
    return np.array([root(k) for k in range(len(number))], np.int64), hung
