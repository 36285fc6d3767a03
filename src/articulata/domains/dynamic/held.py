"""The energy that a force holds: the work done against it along its length or angle.

A law may have corners and jumps, as ``max(distance - 0.3 m, 0 N)`` has one. They are where a
minimum, a maximum, an absolute value, a sign or a whole number changes its side; between them the
law is smooth, and Gauss' rule is halved until it agrees with its halves.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise

import numpy as np

from articulata.domains.dynamic.programs import run
from articulata.geometry.arrays import Array
from articulata.world.model import Force

LOOKS = 32
"""Parts of the way in which corners are looked for; two within one of them may be missed."""

HALVINGS = 60
"""Halvings that find a corner to rounding."""

DEEPEST = 12
"""Times a smooth part is halved at most."""

CLOSE = 1e-14
"""Share of the work by which a part and its two halves may differ."""


@lru_cache(maxsize=256)
def work_against(force: Force, begin: float, end: float) -> float:
    """Return the integral of ``force`` from ``begin`` to ``end``, lengths (m) or angles (rad).

    The force is taken at rest at time zero. N m, that is J. Answers are kept for the next question.
    """
    places = [begin, *_corners(force, begin, end), end]
    total = 0.0
    for a, b in pairwise(places):
        whole = _gauss(force, a, b)
        total += _refined(force, a, b, whole, abs(total) + abs(whole), DEEPEST)
    return total


def _corners(force: Force, begin: float, end: float) -> list[float]:
    """Return where on the way the law has corners or jumps, in order."""
    if begin == end or not _sides(force, begin):
        return []
    found: list[float] = []
    places = np.linspace(begin, end, LOOKS + 1).tolist()
    for a, b in pairwise(places):
        low, high = a, b
        side, other = _sides(force, a), _sides(force, b)
        if side == other:
            continue
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if _sides(force, middle) == side:
                low = middle
            else:
                high = middle
        found.append(high)
    return found


def _sides(force: Force, length: float) -> tuple[float, ...]:
    """Return on which sides the law's corners a length lies."""
    sides: list[float] = []
    run(force, 0.0, length, 0.0, sides)
    return tuple(sides)


def _refined(force: Force, a: float, b: float, whole: float, size: float, halvings: int) -> float:
    """Return the integral from ``a`` to ``b``, which Gauss' rule says is ``whole``."""
    middle = 0.5 * (a + b)
    halves = _gauss(force, a, middle), _gauss(force, middle, b)
    both = sum(halves)
    if not halvings or not abs(both - whole) > CLOSE * max(size, abs(both)):
        return both
    return _refined(force, a, middle, halves[0], size, halvings - 1) + _refined(
        force, middle, b, halves[1], size, halvings - 1
    )


def _gauss(force: Force, a: float, b: float) -> float:
    """Return the integral from ``a`` to ``b`` by Gauss' rule."""
    nodes, weights = _rule()
    values = [run(force, 0.0, x, 0.0) for x in (0.5 * (b - a) * (nodes + 1.0) + a).tolist()]
    return 0.5 * (b - a) * float(weights @ values)


@cache
def _rule() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(20)
    return nodes, weights
