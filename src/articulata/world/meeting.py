"""Which bodies of a world are tested against each other: the one place that says so.

Never tested: pairs the world ignores, pairs of bodies that are both fixed, bodies without a shape
and bodies that say ``interference: none``. Left out unless they are asked for: neighbours in a
hinge, and bodies of one mechanism, which hinges join to one another or hang on a body at rest.
Links of a figure are a rule of their own (``figures.touching_links``): a robot may strike itself
and the table it is bolted to.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from articulata.geometry.arrays import BoolArray, IntArray
from articulata.world.figures.touching_links import untested_links
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
    links = {id for node in world.figures.values() for id in node.carriers}
    joined = [(number[h.body_a], number[h.body_b]) for h in world.hinges.values()]
    if not within and not joined and bool(np.all(fixed[shaped])):
        return np.zeros((0, 2), np.int64)
    harmless = [tuple(number[name] for name in pair) for pair in world.ignored]
    if not neighbours:
        harmless += joined
    for node in world.figures.values():
        if node.carriers:
            pairs = untested_links(node, world.bodies, world.hinges)
            harmless += [(number[a], number[b]) for a, b in pairs]
    # squares of truth values are quicker than lists of all pairs
    tested = np.zeros(len(bodies), bool)
    tested[shaped] = True
    keep = np.triu(tested[:, None] & tested & ~(fixed[:, None] & fixed), 1)
    ends = np.array([pair for pair in harmless if len(pair) == 2], np.int64).reshape(-1, 2)
    keep[ends[:, 0], ends[:, 1]] = keep[ends[:, 1], ends[:, 0]] = False
    if not within:
        apart = [
            (number[h.body_a], number[h.body_b])
            for h in world.hinges.values()
            if h.body_a not in links and h.body_b not in links
        ]
        keep &= ~_of_one_mechanism(apart, _at_rest(world))
    return np.ascontiguousarray(np.argwhere(keep))


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


def _of_one_mechanism(joined: Iterable[tuple[int, int]], fixed: BoolArray) -> BoolArray:
    """Tell of any two bodies (n, n) whether hinges join them, directly or by others, or one hangs.

    Bodies that never move join nothing, and what hangs on a wall does not strike it.
    """
    group = np.arange(len(fixed)).tolist()
    rests = fixed.tolist()

    def root(k: int) -> int:
        while group[k] != k:
            k = group[k]
        return int(k)

    for a, b in joined:
        if not rests[a] and not rests[b]:
            group[root(a)] = root(b)
    group = [root(k) for k in range(len(group))]
    hung = np.zeros((len(group), len(group)), bool)
    for a, b in joined:
        if rests[a]:
            hung[a, group[b]] = True
        if rests[b]:
            hung[b, group[a]] = True
    of = np.array(group, np.int64)
    hangs = hung[:, of]
    return np.asarray((of[:, None] == of) | hangs | hangs.T)
