"""How far a thing moves on its hinge before it strikes what stands about it.

It advances by no more than what parts it from the nearest piece of another body (conservative
advancement: Mirtich 1996), so that nothing is passed over that is thicker than ``GRAIN``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

import numpy as np

from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.surroundings.sinking import ROUNDING, depths, pieces_of
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.contacts.pieces import HALF_SPACE, MEETS, Pieces, Standing
from articulata.kinematics.clash import stand_at

TOUCHING: Final = 1e-3
"""m. What is as near to a thing where it stands at first touches it, and may come so much deeper: a
leaf that turns in its frame, drawn without play, does."""

GRAIN: Final = 5e-4
"""m. No step is shorter: so exactly a way is told."""

AHEAD: Final = 0.05
"""m. What is farther away is not looked at again before the thing has come so near."""


def free_share(
    room: Room,
    bodies: Collection[str],
    carriers: Collection[str],
    moved: Callable[[float], Array],
    far: float,
) -> tuple[float, str]:
    """Return what share of its way a thing goes before it strikes something, and the body's name.

    ``moved`` gives how ``bodies`` are displaced at a share of the way, (4, 4) in G; none of their
    points goes farther than ``far`` m on the whole of it. Those of ``carriers`` that touch them at
    first may be gone into; what else touches or overlaps at first is struck where it comes deeper.
    "" where the way is free.
    """
    pieces, first, names = pieces_of(room)
    mine = np.flatnonzero(np.isin(names, list(bodies)))
    rest = np.flatnonzero(~np.isin(names, list(bodies)))
    i, j = (each.ravel() for each in np.meshgrid(mine, rest, indexing="ij"))
    pairs = np.column_stack([i, j])[MEETS[pieces.kind[i], pieces.kind[j]]]
    gaps = _gaps(pieces, first, pairs, TOUCHING)
    other = names[pairs[:, 1]]
    carrying = np.isin(other, list({*carriers} & {*other[gaps <= TOUCHING]}))
    met = ~carrying & (gaps <= far)
    pairs, gaps, other = pairs[met], gaps[met], other[met]
    least = np.where(gaps <= TOUCHING, np.minimum(gaps, 0.0) - TOUCHING, -ROUNDING)
    poses = {each.name: each.X_WS for each in room.obstacles}
    now = Standing(*(part.copy() for part in first))
    share, left = 0.0, gaps - least
    while share < 1.0 and len(pairs):
        # a long step ends before what it may strike, so that only a short one strikes
        step = min(max(float(left.min()) - GRAIN, GRAIN) / far, 1.0 - share)
        left -= step * far
        due = np.flatnonzero(left < AHEAD)
        X = moved(share + step)
        for k in np.unique(pairs[due, 0]):
            stand_at(pieces, int(k), X @ poses[names[k]], now)
        left[due] = _gaps(pieces, now, pairs[due], AHEAD) - least[due]
        nearest = int(np.argmin(left))
        if left[nearest] < 0.0:
            return share, str(other[nearest])
        share = 1.0 if step >= 1.0 - share else share + step
    return 1.0, ""


def _gaps(pieces: Pieces, now: Standing, pairs: IntArray, enough: float) -> Array:
    """Return how far pairs (n, 2) of pieces are apart, m, negative where they overlap.

    Of those farther apart than ``enough`` it is what parts the balls about them.
    """
    i, j = pairs.T
    found: Array = np.linalg.norm(now.ball[i] - now.ball[j], axis=1)
    found -= pieces.ball[i, 3] + pieces.ball[j, 3]
    found[(pieces.kind[i] == HALF_SPACE) | (pieces.kind[j] == HALF_SPACE)] = -np.inf
    near = found <= enough
    found[near] = -depths(pieces, now, pairs[near])
    return found
