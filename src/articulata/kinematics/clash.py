"""Clash: how far a figure is from a room and from itself, for batches of postures.

Distances are signed: the least way that parts the two where they overlap, negative. W is the world;
metres.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.geometry.shapes import Shape
from articulata.kernels.chains.forward_kinematics import TreeArrays
from articulata.kernels.contacts.pieces import MEETS, Pieces, Standing, stand_turned, standing
from articulata.kinematics.clash_links import ROOT, carried_by, movers_of, shape_of
from articulata.kinematics.figure import Figure
from articulata.kinematics.link import Part

TOO_MANY: Final = (
    "'{}' has too many dents or triangles to be cut into convex pieces; give a simpler shape"
)
"""What is said of a thing whose pieces would be too many."""

_TOUCHING = 1e-9
"""m. Links this near in the neutral posture touch there and are left out."""

_ROUNDED = 1e-9 + 1e-5 * np.eye(3)
"""So far the turn of a pose may be off."""

_GRAIN = 256
"""Postures a thread takes at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Obstacle:
    """A thing of a room that stands still: ``shape`` at ``X_WS`` (4, 4)."""

    name: str
    shape: Shape
    X_WS: Array = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        X = np.array(self.X_WS, float)
        turned = X.shape == (4, 4) and bool(
            (np.abs(X[:3, :3] @ X[:3, :3].T - np.eye(3)) <= _ROUNDED).all()
        )
        if not turned or not np.isfinite(X).all():
            raise KinematicsError(f"X_WS of obstacle '{self.name}' is no pose (4, 4)")
        if not isinstance(self.shape, Shape):
            raise KinematicsError(
                f"the shape of obstacle '{self.name}' is {repr(self.shape)[:60]}; give one such as "
                "art.Cuboid(1.0, 1.0, 0.5)"
            )
        object.__setattr__(self, "X_WS", X)


@dataclass(frozen=True, slots=True, eq=False)
class Clearances:
    """The nearest pair of each posture, all of one batch.

    ``distance`` (*batch,) m; ``pair`` (*batch,) numbers into ``pairs``, the names of the two, -1
    where nothing is as near as was asked; ``normal`` (*batch, 3) from the second to the first;
    ``points`` (*batch, 2, 3) in W on the first and on the second. ``gradient`` (*batch, dof) is
    the change of the distance with the posture, where it was asked for.
    """

    distance: Array
    pair: IntArray
    normal: Array
    points: Array
    pairs: tuple[tuple[str, str], ...] = field(repr=False)
    gradient: Array | None = None

    def names(self, index: int | tuple[int, ...] = ()) -> tuple[str, str] | None:
        """Return the names of the nearest pair of one posture, None where nothing is near."""
        number = int(self.pair[index])
        return None if number < 0 else self.pairs[number]


class Tested(NamedTuple):
    """What kernels are asked with, by those who ask otherwise than in batches of postures.

    ``tree`` of the joints ``kept`` (n,), which move what is tested; ``pieces``, of which the first
    ``moving`` belong to links (``body`` numbers the tree's joints) and the others ``still`` stand;
    ``numbers`` (pieces, moving) of pairs, -1 where two are not tested.
    """

    tree: TreeArrays
    pieces: Pieces
    kept: IntArray
    moving: int
    still: Standing
    numbers: IntArray


class Clash:
    """A figure in a room, made ready for any number of postures.

    What touches are the links' ``collisions``, or ``visuals`` where a link has none; ``shapes``
    replaces them, by joint (the root's is ""). Left out are a link and the nearest one with a shape
    that carries it, links that overlap or touch in the neutral posture unless their pair is
    ``kept``, and ``exempt`` pairs of names: of links, joints and obstacles. ``own`` False leaves
    out the figure against itself. Raise KinematicsError for a figure without shapes, for names that
    are not there and for an empty room where the figure itself is left out.
    """

    def __init__(
        self,
        figure: Figure,
        room: Iterable[Obstacle] = (),
        *,
        exempt: Iterable[tuple[str, str]] = (),
        kept: Iterable[tuple[str, str]] = (),
        shapes: Mapping[str, Sequence[Part]] | None = None,
        own: bool = True,
    ) -> None:
        self.figure = figure
        self.room = tuple(room)
        for each in self.room:
            if not isinstance(each, Obstacle):
                raise KinematicsError(
                    f"a room is a list of Obstacle(name, shape, X_WS); {repr(each)[:60]} is none"
                )
        if not (own or self.room):
            raise KinematicsError(
                "nothing can be touched: the room is empty and the figure itself is left out; give "
                "obstacles, or own=True"
            )
        self._exempt = {frozenset(pair) for pair in exempt}
        self._kept = {frozenset(pair) for pair in kept}
        self._gather(shapes or {})
        self._pair_up(own)

    @property
    def lower(self) -> Array:
        """Lower limits of the figure's coordinates (dof,), rad or m."""
        return self.figure.lower

    @property
    def upper(self) -> Array:
        """Upper limits of the figure's coordinates (dof,), rad or m."""
        return self.figure.upper

    @property
    def tested(self) -> Tested:
        """What is tested against what; its arrays are not to be written to."""
        tree, pieces, kept = self._chosen
        return Tested(tree, pieces, kept, self._moving, self._still, self._matrix)

    def names_of(self, number: int) -> tuple[str, str] | None:
        """Return the names of a pair by its number, None for -1."""
        return None if number < 0 else self._names[int(self._named[number])]

    def moved(self, poses: Mapping[str, Array]) -> Clash:
        """Return the same figure in the room with obstacles, by name, at other poses (4, 4)."""
        unknown = poses.keys() - {each.name for each in self.room}
        if unknown:
            raise KinematicsError(f"there is no obstacle '{min(unknown)}' to be moved")
        again = copy(self)
        again.room = tuple(
            replace(each, X_WS=poses[each.name]) if each.name in poses else each
            for each in self.room
        )
        first = len(self.figure.joints) + 1
        again._still = Standing(*(part.copy() for part in self._still))
        for number, each in enumerate(again.room):
            if each.name in poses:
                for i in self._table.of_body[first + number]:
                    stand_at(self._table.arrays, int(i), each.X_WS, again._still)
        return again

    @cached_property
    def reach(self) -> Float64[Array, "dof"]:
        """How far each coordinate moves a point of the figure at most: m for each rad, or 1.

        From a joint's axis to the farthest piece it carries, were all joints between stretched out.
        """
        figure = self.figure
        far = np.zeros(len(figure.joints))
        ball = self._table.arrays.ball
        body = self._table.arrays.body
        for i in range(self._moving):
            number = int(body[i])
            beyond = float(np.linalg.norm(ball[i, :3]) + ball[i, 3])
            while number >= 0:
                joint = figure.joints[number]
                slides = joint.kind == "prismatic"
                far[number] = max(far[number], 1.0 if slides else beyond)
                if slides:
                    beyond += float(np.max(np.abs(np.nan_to_num(joint.limits, posinf=0, neginf=0))))
                parent = figure.parents[number]
                before = np.eye(4) if parent < 0 else figure.joints[parent].X_JL
                beyond += float(np.linalg.norm((before @ joint.X_PJ)[:3, 3]))
                number = parent
        return np.asarray(far @ np.abs(figure.mapping[0]))

    def distance(self, q: npt.ArrayLike) -> Float64[Array, "*batch"]:
        """Return how far postures (*batch, dof) are from touching anything, m, signed."""
        return self.clearances(q).distance

    def free(self, q: npt.ArrayLike, margin: float = 0.0) -> npt.NDArray[np.bool_]:
        """Return which postures (*batch, dof) stay farther than ``margin`` m off everything."""
        if not np.isfinite(margin):
            raise KinematicsError(f"a margin is a finite distance in m, not {margin}")
        enough = float(np.nextafter(margin, np.inf))
        return np.asarray(self._clearances(q, enough, stop=True).distance > margin)

    def clearances(
        self, q: npt.ArrayLike, *, enough: float = np.inf, gradient: bool = False
    ) -> Clearances:
        """Return the nearest pair of each posture (*batch, dof).

        Pairs farther apart than ``enough`` m are not told from each other: the distance is
        ``enough`` then. Batches are spread over threads; the answers do not depend on how many.
        """
        if np.isnan(enough):
            raise KinematicsError("'enough' is a distance in m or inf, not NaN")
        return self._clearances(q, enough, gradient=gradient)

    def _clearances(
        self, q: npt.ArrayLike, enough: float, *, gradient: bool = False, stop: bool = False
    ) -> Clearances:
        """Return the nearest pair of each posture, or with ``stop`` any that is near enough."""
        from articulata.kernels.chains.clearance.nearest_pairs import Nearest, Pairs, clearances
        from articulata.kernels.lanes.host import spread

        values, batch = self.figure.values(q)
        if not np.isfinite(values).all():
            raise KinematicsError(
                f"a posture of '{self.figure.name}' holds NaN or inf; give finite numbers"
            )
        tree, pieces, kept = self._chosen
        few = np.ascontiguousarray(values[:, kept])
        count = len(values)
        distance, pair = np.empty(count), np.empty(count, np.int64)
        normal, points = np.empty((count, 3)), np.empty((count, 2, 3))
        found = Nearest(distance, pair, normal, points)

        def work(begin: int, end: int) -> None:
            pairs = Pairs(tree, pieces, self._standing(), self._matrix)
            clearances(pairs, few, enough, stop, found, begin, end)

        spread(work, count, grain=_GRAIN)
        slope = self._gradient(values, pair, normal, points) if gradient else None
        return Clearances(
            distance.reshape(batch),
            self._named[pair].reshape(batch) if len(self._numbers) else pair.reshape(batch),
            normal.reshape(*batch, 3),
            points.reshape(*batch, 2, 3),
            self._names,
            None if slope is None else slope.reshape(*batch, self.figure.dof),
        )

    # ---- inside

    def _standing(self) -> Standing:
        """Where pieces stand, for one call to write to."""
        return Standing(*(part.copy() for part in self._still))

    @cached_property
    def _chosen(self) -> tuple[TreeArrays, Pieces, IntArray]:
        """The tree of the joints that move what is tested, its pieces, and the joints' numbers."""
        fixed, kinds, parents = self.figure.arrays
        arrays = self._table.arrays
        wanted = np.zeros(len(kinds), bool)
        tested = self._matrix >= 0
        mine = tested.any(axis=0) | tested[: self._moving].any(axis=1)
        for i in np.flatnonzero(mine) if mine.any() else range(self._moving):
            number = int(arrays.body[i])
            while number >= 0 and not wanted[number]:
                wanted[number] = True
                number = int(parents[number])
        kept = np.flatnonzero(wanted)
        place = np.cumsum(wanted) - 1
        # where nothing of a link is tested it may be anywhere
        body = arrays.body.copy()
        moved = body[: self._moving]
        body[: self._moving] = np.where(wanted[moved], place[moved], 0)
        above = parents[kept]
        tree = TreeArrays(fixed[kept], kinds[kept], np.where(above < 0, above, place[above]))
        return tree, arrays._replace(body=body), kept

    def _gather(self, shapes: Mapping[str, Sequence[Part]]) -> None:
        """Make the table of pieces: those of moving links first, then what stands still."""
        figure = self.figure
        for name in shapes:
            if name:
                figure.index(name)
        links = [figure.links[joint.name] for joint in figure.joints]
        found = []
        for joint, link in zip(figure.joints, links, strict=True):
            parts = shapes.get(joint.name, link.collisions or link.visuals)
            found.append(shape_of(parts, joint.X_JL, f"link '{link.name}' of '{figure.name}'"))
        root = shape_of(
            shapes.get("", figure.root.collisions or figure.root.visuals),
            np.eye(4),
            f"link '{figure.root.name}' of '{figure.name}'",
        )
        if root is None and all(shape is None for shape in found):
            raise KinematicsError(
                f"figure '{figure.name}' has no shapes to touch with; give its links collisions, "
                "or shapes by joint"
            )
        still: list[Shape | None] = [root, *(obstacle.shape for obstacle in self.room)]
        self._table = piece_table([*found, *still], surfaces=True)
        self._titles = (
            *(link.name for link in links),
            figure.root.name,
            *(obstacle.name for obstacle in self.room),
        )
        if self._table.untested:
            name = self._titles[self._table.untested[0]]
            raise KinematicsError(TOO_MANY.format(name))
        arrays = self._table.arrays
        self._moving = int(np.searchsorted(arrays.body, len(links)))
        self._still = standing(arrays)
        poses = [figure.base, *(obstacle.X_WS for obstacle in self.room)]
        for i in range(self._moving, len(arrays.kind)):
            stand_at(arrays, i, poses[int(arrays.body[i]) - len(links)], self._still)

    def _pair_up(self, own: bool) -> None:
        """Decide which pieces are tested against which."""
        figure, body = self.figure, self._table.arrays.body
        kind = self._table.arrays.kind
        joints = len(figure.joints)
        known = {*self._titles, *figure.names, *(joint.name for joint in figure.joints)}
        for said, pairs in (("an exempt", self._exempt), ("a kept", self._kept)):
            for name in chain.from_iterable(pairs):
                if name not in known:
                    raise KinematicsError(
                        f"'{name}' of {said} pair is no link, joint or obstacle; there are "
                        f"{', '.join(sorted(filter(None, known)))}"
                    )
        movers, exempt = movers_of(figure), self._by_number(self._exempt)
        bodies = [
            (a, b)
            for a in range(joints)
            for b in range(len(self._titles))
            if (b > a if b < joints else True)
            and (own or b > joints)
            and (a, b) not in exempt
            and not self._left_out(a, b, movers)
        ]
        allowed = set(bodies)
        rows = [
            (i, j)
            for i in range(self._moving)
            for j in range(len(body))
            if (int(body[i]), int(body[j])) in allowed and MEETS[kind[i], kind[j]]
        ]
        self._set_pairs(rows)
        if own and rows:
            neutral = figure.neutral
            overlapping = self._overlapping(neutral) - self._by_number(self._kept)
            self._set_pairs(
                [row for row in rows if (int(body[row[0]]), int(body[row[1]])) not in overlapping]
            )

    def _set_pairs(self, rows: list[tuple[int, int]]) -> None:
        body = self._table.arrays.body
        self._numbers = np.array(rows, np.int64).reshape(-1, 2)
        self._matrix = np.full((len(body), self._moving), -1, np.int64)
        self._matrix[self._numbers[:, 1], self._numbers[:, 0]] = np.arange(len(rows))
        titles = [(self._titles[body[i]], self._titles[body[j]]) for i, j in rows]
        self._names = tuple(dict.fromkeys(titles))
        number = {pair: k for k, pair in enumerate(self._names)}
        # the last entry answers for pair -1: nothing is near
        self._named = np.array([*(number[pair] for pair in titles), -1], np.int64)

    def _by_number(self, pairs: Iterable[frozenset[str]]) -> set[tuple[int, int]]:
        """Return pairs of links and obstacles by number, either way round."""
        numbers: dict[str, set[int]] = {}
        for number in range(len(self._titles)):
            for name in self._called(number):
                numbers.setdefault(name, set()).add(number)
        found = set()
        for pair in pairs:
            first, second = (numbers.get(name, set()) for name in (*pair, *pair)[:2])
            found |= {*product(first, second), *product(second, first)}
        return found

    def _left_out(self, a: int, b: int, movers: Sequence[int]) -> bool:
        """Tell whether a and b are left out without being named: one body, or neighbours."""
        joints = len(self.figure.joints)
        if b > joints:
            return False
        mine, its = movers[a], movers[b] if b < joints else ROOT
        if mine == its:
            return True
        return self._neighbour(mine, movers) == its or (
            its != ROOT and self._neighbour(its, movers) == mine
        )

    def _neighbour(self, mover: int, movers: Sequence[int]) -> int:
        """Return what moves the nearest link with a shape that carries the links of ``mover``."""
        parent = self.figure.parents[mover]
        while parent >= 0:
            above = movers[parent]
            if above == ROOT or any(
                self._table.of_body[k] for k, each in enumerate(movers) if each == above
            ):
                return above
            parent = self.figure.parents[above]
        return ROOT

    def _called(self, number: int) -> frozenset[str]:
        names = {self._titles[number]}
        if number < len(self.figure.joints):
            names.add(self.figure.joints[number].name)
        return frozenset(names)

    def _overlapping(self, q: Array) -> set[tuple[int, int]]:
        """Return the pairs of bodies of the figure that overlap in posture ``q``."""
        from articulata.kernels.chains.clearance.nearest_pairs import Nearest, Pairs, clearances

        body, joints = self._table.arrays.body, len(self.figure.joints)
        found = set()
        numbers = self._numbers
        bodies = {(int(body[i]), int(body[j])) for i, j in numbers if body[j] <= joints}
        values = self.figure.values(q)[0]
        nearest = Nearest(np.empty(1), np.empty(1, np.int64), np.empty((1, 3)), np.empty((1, 2, 3)))
        for a, b in bodies:
            mine = (body[numbers[:, 0]] == a) & (body[numbers[:, 1]] == b)
            matrix = np.full_like(self._matrix, -1)
            matrix[numbers[mine, 1], numbers[mine, 0]] = 0
            pairs = Pairs(self.figure.arrays, self._table.arrays, self._standing(), matrix)
            clearances(pairs, values, np.inf, False, nearest, 0, 1)
            if nearest.distances[0] <= _TOUCHING:
                found.add((a, b))
        return found

    def _gradient(self, values: Array, pair: IntArray, normal: Array, points: Array) -> Array:
        """Return n . (J_p - J_s) of the two points, row by row."""
        figure, body = self.figure, self._table.arrays.body
        joints = len(figure.joints)
        found = np.zeros((len(values), joints))
        seen = np.flatnonzero(pair >= 0)
        if len(seen):
            from articulata.kernels.chains.forward_kinematics import poses

            X = np.empty((len(seen), joints, 4, 4))
            poses(figure.arrays, np.ascontiguousarray(values[seen]), X, 0, len(seen))
            kinds = figure.arrays.kinds
            axes, origins = X[:, :, :3, 2], X[:, :, :3, 3]
            carried = carried_by(figure)
            rows = self._numbers[pair[seen]]
            for side, sign in ((0, 1.0), (1, -1.0)):
                link = body[rows[:, side]]
                moves = np.where((link < joints)[:, None], carried[np.minimum(link, joints - 1)], 0)
                arm = points[seen, side][:, None, :] - origins
                turn = np.einsum("bjx,bx->bj", np.cross(axes, arm), normal[seen])
                slide = np.einsum("bjx,bx->bj", axes, normal[seen])
                rate = np.where(kinds == 0, turn, np.where(kinds == 1, slide, 0.0))
                found[seen] += sign * moves * rate
        return np.asarray(found @ figure.mapping[0])


def stand_at(arrays: Pieces, i: int, X: Array, out: Standing) -> None:
    """Put piece ``i`` of a body that stands still at ``X`` (4, 4)."""
    origin = tuple(float(each) for each in X[:3, 3])
    turn = tuple(float(each) for each in X[:3, :3].T.ravel())
    stand_turned(arrays, i, origin, turn, out)  # type: ignore[arg-type] # lengths are known
