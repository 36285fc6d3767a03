"""A way between two postures that touches nothing: straight where that is free, else searched for.

The search is RRT-Connect (Kuffner and LaValle, RRT-Connect: An Efficient Approach to Single-Query
Path Planning, 2000): two trees of postures grow towards each other; what they find is made shorter
by straight shortcuts. While trees grow, pieces are looked at here and there; each piece of what is
returned is free by proof: no point of the figure moves farther than its joints' turns times its
distance from their axes, so that the distance at some postures bounds it at all postures between
them. What cannot be proved free is cut off its tree, and the search goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64

RESOLUTION: Final = 1e-4
"""m. Where points of the figure move less than this between two postures and no proof was found,
the way between them grazes something and counts as not free."""

STRIDE: Final = 0.2
"""One step of a growing tree, at the most, as a share of the way across all joint ranges."""

LOOK: Final = 0.1
"""m. How far the points of a figure move, at the most, between postures at which a growing tree
looks before a proof is asked for."""

_SHORTCUT_EFFORT = 2_000
"""Postures that are examined for one shortcut at the most."""


class Space(Protocol):
    """What a path has to be free in: distances of postures, and how far joints move points."""

    @property
    def lower(self) -> Array:
        """Lower limits of the coordinates (dof,), rad or m."""

    @property
    def upper(self) -> Array:
        """Upper limits of the coordinates (dof,), rad or m."""

    @property
    def reach(self) -> Array:
        """(dof,) m for each rad, or 1 for each m: how far a coordinate moves a point, at most."""

    def distance(self, q: npt.ArrayLike) -> Float64[Array, "*batch"]:
        """Return how far postures (*batch, dof) are from touching anything, m, signed."""


@dataclass(frozen=True, slots=True, eq=False)
class JointPath:
    """What was found between two postures.

    ``q`` (n, dof): postures from the first to the last, straight between them; empty where
    ``found`` is false. ``examined`` counts the postures whose distance was asked for. ``reason``
    says why there is none, in words.
    """

    q: Array
    found: bool
    examined: int
    reason: str = ""


def find_path(
    space: Space,
    start: npt.ArrayLike,
    goal: npt.ArrayLike,
    *,
    margin: float = 0.0,
    effort: int = 50_000,
    shortcuts: int = 60,
    seed: int = 0,
) -> JointPath:
    """Return a way from posture ``start`` (dof,) to ``goal`` that stays ``margin`` (m) off things.

    ``effort`` bounds the postures that are examined: none found within it does not prove that
    there is none. ``shortcuts`` are tried to make what was found shorter. The same ``seed`` gives
    the same way. Raise KinematicsError for postures that are no postures of this space.
    """
    q_0, q_1 = (_posture(space, each, name) for each, name in ((start, "start"), (goal, "goal")))
    if not (np.isfinite(margin) and margin >= 0.0):
        raise KinematicsError(f"a margin is a distance in m, 0 or more; not {margin}")
    search = _Search(space, margin, effort, np.random.default_rng(seed))
    nothing = np.empty((0, len(q_0)))
    for q, name in ((q_0, "start"), (q_1, "goal")):
        here = float(search.distances(q[None])[0])
        if not here > margin:
            what = f"touches something ({here:.4g} m)" if margin == 0.0 else f"is {here:.4g} m off"
            return JointPath(nothing, False, search.examined, f"the {name} {what}; move it away")
    if search.free(q_0, q_1):
        return JointPath(np.stack([q_0, q_1]), True, search.examined)
    found = search.connect(q_0, q_1)
    if found is None:
        reason = (
            f"no way was found among {search.examined} postures; a larger effort or another seed "
            "may find one"
        )
        return JointPath(nothing, False, search.examined, reason)
    return JointPath(search.shortened(found, shortcuts), True, search.examined)


def free_between(space: Space, a: npt.ArrayLike, b: npt.ArrayLike, *, margin: float = 0.0) -> bool:
    """Return whether all postures straight between ``a`` (dof,) and ``b`` are free, by proof."""
    search = _Search(space, margin, 2**62, np.random.default_rng(0))
    return search.free(_posture(space, a, "first"), _posture(space, b, "second"))


class _Search:
    def __init__(self, space: Space, margin: float, effort: int, rng: np.random.Generator) -> None:
        self.space = space
        self.margin = margin
        self.effort = effort
        self.rng = rng
        self.reach: Array = np.asarray(space.reach, float)
        self.examined = 0
        self.low, self.high = _bounds(space)
        self.stride = STRIDE * float(self.moved(self.low, self.high))

    def distances(self, q: Array) -> Array:
        self.examined += len(q)
        return np.asarray(self.space.distance(q))

    def moved(self, a: Array, b: Array) -> Array:
        """Return how far points move at most between postures (..., dof)."""
        return np.asarray(np.abs(b - a) @ self.reach)

    def seems_free(self, a: Array, b: Array) -> bool:
        """Return whether postures here and there between are free: coarse ones are asked first."""
        count = 2
        last = max(float(self.moved(a, b)) / LOOK, 1.0)
        while True:
            t = (np.arange(count // 2) * 2 + 1) / count
            if not (self.distances(a + t[:, None] * (b - a)) > self.margin).all():
                return False
            if count >= last:
                return True
            count *= 2

    def free(self, a: Array, b: Array) -> bool:
        """Return whether all postures between are free: halves are asked until bounds prove it."""
        length = float(self.moved(a, b))
        t = np.array([0.0, 1.0])
        d = self.distances(np.stack([a, b]))
        while True:
            if not (d > self.margin).all():
                return False
            # between t[k] and t[k + 1] the distance is at least the mean less half the motion
            least = 0.5 * (d[1:] + d[:-1] - length * np.diff(t))
            open_ = np.flatnonzero(least <= self.margin)
            if len(open_) == 0:
                return True
            if length * np.diff(t).min() < RESOLUTION or self.examined > self.effort:
                return False
            middle = 0.5 * (t[open_] + t[open_ + 1])
            found = self.distances(a + middle[:, None] * (b - a))
            if not (found > self.margin).all():
                return False
            order = np.argsort(np.concatenate([t, middle]), kind="stable")
            t = np.concatenate([t, middle])[order]
            d = np.concatenate([d, found])[order]

    def connect(self, start: Array, goal: Array) -> Array | None:
        """Return a free way (n, dof) by two trees, None where the effort is spent."""
        trees = [_Grown(start), _Grown(goal)]
        side = 0
        while self.examined < self.effort:
            grown, other = trees[side], trees[1 - side]
            reached = self.step(grown, self.rng.uniform(self.low, self.high))
            if reached >= 0:
                target = grown.nodes[reached]
                met = self.near(other, target)
                while met >= 0 and not np.array_equal(other.nodes[met], target):
                    met = self.step(other, target, met)
                if met >= 0 and self.proved(grown, reached) and self.proved(other, met):
                    parts = [grown.path(reached), other.path(met)]
                    first, second = parts if side == 0 else parts[::-1]
                    return np.concatenate([first[::-1], second[1:]])
            side = 1 - side
        return None

    def proved(self, tree: _Grown, number: int) -> bool:
        """Return whether the way to the root is free; what hangs on a piece that is not is cut."""
        while tree.parents[number] >= 0:
            parent = tree.parents[number]
            if not tree.sure[number]:
                if not self.free(tree.nodes[parent], tree.nodes[number]):
                    tree.cut(number)
                    return False
                tree.sure[number] = True
            number = parent
        return True

    def near(self, tree: _Grown, q: Array) -> int:
        return int(np.argmin(self.moved(tree.all(), q) + tree.away()))

    def step(self, tree: _Grown, target: Array, parent: int = -1) -> int:
        """Grow ``tree`` by one step towards ``target``; return the new node, -1 where blocked."""
        if parent < 0:
            parent = self.near(tree, target)
        a = tree.nodes[parent]
        length = float(self.moved(a, target))
        b = target if length <= self.stride else a + self.stride / length * (target - a)
        here = self.distances(b[None])[0] > self.margin
        return tree.add(b, parent) if here and self.seems_free(a, b) else -1

    def shortened(self, way: Array, tries: int) -> Array:
        """Return the way with shortcuts: between its corners, else between places on it."""
        for _ in range(tries):
            if len(way) < 3:
                break
            # no shortcut is worth more postures than this
            self.effort = self.examined + _SHORTCUT_EFFORT
            lengths = np.append(0.0, np.cumsum(self.moved(way[:-1], way[1:])))
            places = np.sort(self.rng.uniform(0.0, lengths[-1], 2))
            i, j = np.clip(np.searchsorted(lengths, places) - 1, 0, len(way) - 2)
            if i == j:
                continue
            if self.shortcut(way[i], way[j + 1]):
                way = np.concatenate([way[: i + 1], way[j + 1 :]])
                continue
            a, b = (
                way[k]
                + (place - lengths[k]) / (lengths[k + 1] - lengths[k]) * (way[k + 1] - way[k])
                for place, k in zip(places, (i, j), strict=True)
            )
            if self.shortcut(a, b):
                way = np.concatenate([way[: i + 1], a[None], b[None], way[j + 1 :]])
        return way

    def shortcut(self, a: Array, b: Array) -> bool:
        """Return whether the way between two free postures is free."""
        return self.seems_free(a, b) and self.free(a, b)


class _Grown:
    """A tree of postures: each knows the one it grew from."""

    def __init__(self, root: Array) -> None:
        self._nodes = np.empty((256, len(root)))
        self._nodes[0] = root
        self._away = np.zeros(256)
        self.parents = [-1]
        self.sure = [True]

    @property
    def nodes(self) -> Array:
        return self._nodes

    def all(self) -> Array:
        return self._nodes[: len(self.parents)]

    def add(self, q: Array, parent: int) -> int:
        number = len(self.parents)
        if number == len(self._nodes):
            self._nodes = np.concatenate([self._nodes, np.empty_like(self._nodes)])
            self._away = np.concatenate([self._away, np.zeros(number)])
        self._nodes[number] = q
        self.parents.append(parent)
        self.sure.append(False)
        return number

    def away(self) -> Array:
        """Return 0 for postures that can be grown from, inf for those that were cut off."""
        return self._away[: len(self.parents)]

    def cut(self, number: int) -> None:
        """Cut off a posture and all that grew from it."""
        off = {number}
        for later in range(number + 1, len(self.parents)):
            if self.parents[later] in off:
                off.add(later)
        self._away[list(off)] = np.inf

    def path(self, number: int) -> Array:
        """Return the postures from a node back to the root."""
        found = []
        while number >= 0:
            found.append(self._nodes[number].copy())
            number = self.parents[number]
        return np.array(found)


def _bounds(space: Space) -> tuple[Array, Array]:
    """Return between which values postures are drawn: a turn where there is no limit."""
    low = np.where(np.isfinite(space.lower), space.lower, -np.pi)
    high = np.where(np.isfinite(space.upper), space.upper, np.pi)
    return low, high


def _posture(space: Space, given: npt.ArrayLike, name: str) -> Array:
    q = np.array(given, float)
    lower, upper = np.asarray(space.lower), np.asarray(space.upper)
    if q.shape != lower.shape or not np.isfinite(q).all():
        raise KinematicsError(
            f"the {name} posture of a way is {len(lower)} finite numbers, rad and m; not "
            f"{repr(given)[:60]}"
        )
    beyond = np.flatnonzero((q < lower - 1e-9) | (q > upper + 1e-9))
    if len(beyond):
        k = int(beyond[0])
        raise KinematicsError(
            f"the {name} posture of a way is beyond the limits: coordinate {k} is {q[k]:.6g}, "
            f"from {lower[k]:.6g} to {upper[k]:.6g} are allowed"
        )
    return q
