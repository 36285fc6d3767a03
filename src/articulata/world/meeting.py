"""Which bodies of a world are tested against each other: the one place that says so.

Never tested: pairs the world ignores, pairs of bodies that are both fixed, bodies without a shape
and bodies that say ``interference: none``. Left out unless they are asked for: neighbours in a
hinge, and bodies of one mechanism, which hinges join to one another or hang on a body at rest.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from articulata.geometry.arrays import BoolArray, IntArray
from articulata.world.model import World


def meeting_pairs(
    world: World, without: Iterable[int] = (), *, neighbours: bool = False, within: bool = True
) -> IntArray:
    """Return the pairs (k, 2) of numbers of bodies that are tested, in the world's order.

    ``without`` are bodies left out; ``neighbours``: those that a hinge joins are tested as well;
    ``within``: so are bodies of one mechanism.
    """
    bodies = tuple(world.bodies.values())
    left_out = set(without)
    shaped = np.array(
        [
            k
            for k, b in enumerate(bodies)
            if b.shape is not None and b.levels is not None and k not in left_out
        ],
        np.int64,
    )
    if len(shaped) < 2:
        return np.zeros((0, 2), np.int64)
    fixed = np.array([b.motion == "fixed" for b in bodies])
    number = {name: k for k, name in enumerate(world.bodies)}
    joined = [(number[h.body_a], number[h.body_b]) for h in world.hinges.values()]
    if not within and not joined and bool(np.all(fixed[shaped])):
        return np.zeros((0, 2), np.int64)
    harmless = [tuple(number[name] for name in pair) for pair in world.ignored]
    if not neighbours:
        harmless += joined
    first, second = np.triu_indices(len(shaped), 1)
    pairs = np.stack([shaped[first], shaped[second]], axis=1)
    keep = ~(fixed[pairs[:, 0]] & fixed[pairs[:, 1]])
    keep &= ~_among(pairs, harmless, len(bodies))
    if not within:
        keep &= ~_of_one_mechanism(pairs, joined, _at_rest(world))
    return np.ascontiguousarray(pairs[keep])


def _among(pairs: IntArray, listed: Iterable[tuple[int, ...]], count: int) -> BoolArray:
    """Tell which pairs are listed, in either order."""
    codes = [min(pair) * count + max(pair) for pair in listed if len(pair) == 2]
    return np.isin(pairs[:, 0] * count + pairs[:, 1], np.array(codes, np.int64))


def _at_rest(world: World) -> BoolArray:
    """Tell which bodies stay where they are: neither forces nor a control move them."""
    driven = {drive.target for drive in world.drives.values() if drive.kind == "acceleration"}
    return np.array(
        [
            b.id not in driven
            and b.motion != "prescribed"
            and (b.motion == "fixed" or not b.dynamic)
            for b in world.bodies.values()
        ]
    )


def _of_one_mechanism(
    pairs: IntArray, joined: Iterable[tuple[int, int]], fixed: BoolArray
) -> BoolArray:
    """Tell which pairs hinges join, directly or by others, or of which one hangs on the other.

    Bodies that never move join nothing, and what hangs on a wall does not strike it.
    """
    group = np.arange(len(fixed))

    def root(k: int) -> int:
        while group[k] != k:
            k = int(group[k])
        return k

    for a, b in joined:
        if not fixed[a] and not fixed[b]:
            group[root(a)] = root(b)
    group = np.array([root(k) for k in range(len(fixed))], np.int64)
    hung = [(a, int(group[b])) for a, b in joined if fixed[a]]
    hung += [(b, int(group[a])) for a, b in joined if fixed[b]]
    own = group[pairs[:, 0]] == group[pairs[:, 1]]
    for at_rest, other in ((0, 1), (1, 0)):
        codes = pairs[:, at_rest] * len(fixed) + group[pairs[:, other]]
        own |= np.isin(codes, np.array([a * len(fixed) + g for a, g in hung], np.int64))
    return np.asarray(own)
