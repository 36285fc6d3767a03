"""The interference model of a world, and the domain that builds it.

Every body is a union of convex pieces with named features. A pair of pieces is tested in stages of
growing cost: bounding spheres, bounding cuboids, then the pieces themselves in closed form.
Poses (n, 7) are rows of the channel ``geometric.pose``. World axes, metres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from articulata.domains.interference.advance import Advance, Motion
from articulata.domains.interference.gaps import HeightGap, LineGap, PieceGap
from articulata.domains.interference.levels import GivenLevels, given_levels, piece_pairs
from articulata.domains.protocols import Contact, FirstContact, Gap, Model
from articulata.errors import ModelError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex_pieces.hull import Hull
from articulata.geometry.convex_pieces.piece_table import PieceTable, piece_table
from articulata.kernels.contacts import patches as kernels
from articulata.kernels.contacts.broad import sweep
from articulata.kernels.contacts.patches import CORNER, EDGE, FACE
from articulata.kernels.contacts.pieces import HALF_SPACE, POLYTOPE, Standing, stand, standing
from articulata.records.state import State
from articulata.world.collision_pairs import meeting_pairs
from articulata.world.edits.transaction import Edit
from articulata.world.model import World
from articulata.world.paths import hint

LEVELS = ("spheres", "boxes", "pieces")
"""Levels of the tests, coarse to fine."""

ROOM = 64
"""Contacts for which there is room at first."""


@dataclass(frozen=True, slots=True)
class LevelTally:
    """How often a level was tested, and how often pairs were too near to be let go there."""

    tests: int
    hits: int


@dataclass(slots=True)
class _Workplace:
    """Arrays that queries write to, one query at a time; ``owners`` are the pieces' bodies."""

    now: Standing
    room: kernels.Room
    owners: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class InterferenceModel(Model):
    """Which bodies of ``world`` may touch, how far apart they are, and where they touch.

    Pieces are made when somebody first asks for them, once for all models whose bodies have the
    same shapes: ``alike`` is the first of these, None for itself.
    """

    world: World
    alike: InterferenceModel | None = field(default=None, repr=False)

    @cached_property
    def pieces(self) -> PieceTable:
        """The convex pieces of all bodies."""
        if self.alike is not None:
            return self.alike.pieces
        return piece_table([body.shape for body in self.world.bodies.values()])

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of bodies that are tested."""
        names = tuple(self.world.bodies)
        return tuple((names[a], names[b]) for a, b in self._numbers.tolist())

    @cached_property
    def _number(self) -> Mapping[str, int]:
        return {name: k for k, name in enumerate(self.world.bodies)}

    @cached_property
    def _numbers(self) -> IntArray:
        return meeting_pairs(self.world, self.pieces.untested)

    @cached_property
    def _chosen(self) -> tuple[IntArray, IntArray]:
        each = [piece_pairs(self.pieces, [two]) for two in map(tuple, self._numbers.tolist())]
        chosen = np.concatenate([np.zeros((0, 2), np.int64), *each])
        return chosen, np.repeat(np.arange(len(each)), [len(rows) for rows in each])

    @property
    def _piece_pairs(self) -> IntArray:
        return self._chosen[0]

    @property
    def _owner(self) -> IntArray:
        return self._chosen[1]

    @cached_property
    def _given(self) -> GivenLevels | None:
        return given_levels(self.world, self.pieces, list(map(tuple, self._numbers.tolist())))

    @cached_property
    def _place(self) -> _Workplace:
        names, arrays = tuple(self.world.bodies), self.pieces.arrays
        owners = tuple(names[b] for b in arrays.body)
        return _Workplace(standing(arrays), kernels.new_room(ROOM), owners)

    def transfer(
        self, edit: Edit, state: State, world: World, reads: Mapping[str, Model]
    ) -> tuple[InterferenceModel, Mapping[str, Array]]:
        """Return the model of ``world``; the pieces are shared where no shape changed."""
        before, after = self.world.bodies, world.bodies
        same = tuple(before) == tuple(after) and all(
            one is other or one.shape == other.shape
            for one, other in zip(before.values(), after.values(), strict=True)
        )
        return interference_model(world, (self.alike or self) if same else None), {}

    @property
    def untested(self) -> tuple[str, ...]:
        """Bodies whose shape would need too many convex pieces."""
        names = tuple(self.world.bodies)
        return tuple(names[b] for b in self.pieces.untested)

    @property
    def approximate(self) -> Mapping[str, float]:
        """Bodies with round faces cut away, and how far (m) their facets lie off these faces."""
        hulls, names = self.pieces.hulls, tuple(self.world.bodies)
        worst = {
            names[b]: max(hulls[i].deviation for i in own)
            for b, own in enumerate(self.pieces.of_body)
            if own
        }
        return {name: off for name, off in worst.items() if off > 0.0}

    @property
    def tally(self) -> Mapping[str, LevelTally]:
        """What each level has been asked since the model was built."""
        given = self._given.tally if self._given is not None else np.zeros((0, 2), np.int64)
        names = [f"given {k + 1}" for k in range(len(given))] + list(LEVELS)
        counts = np.concatenate([given, self._place.room.tally])
        return {
            name: LevelTally(int(tests), int(hits))
            for name, (tests, hits) in zip(names, counts, strict=True)
        }

    def near(self, poses: Array, margin: float) -> tuple[tuple[str, str], ...]:
        """Return the tested pairs whose boxes are at most ``margin`` (m) apart."""
        self._stand(poses)
        close = near_bodies(self.pieces, self._place.now, margin)
        number = self._number
        return tuple(pair for pair in self.pairs if (number[pair[0]], number[pair[1]]) in close)

    def separation(self, poses: Array, body_A: str, body_B: str) -> float:
        """Return the distance (m); negative: the depth of the overlap."""
        pairs = piece_pairs(self.pieces, [(self._body(body_A), self._body(body_B))])
        if not len(pairs):
            return float("inf")
        self._stand(poses)
        out = np.zeros((len(pairs), 4))
        kernels.separations(self.pieces.arrays, self._place.now, pairs, out)
        return float(np.min(out[:, 0]))

    def separations(
        self, poses: Array, pairs: Sequence[tuple[str, str]], enough: float = float("inf")
    ) -> Array:
        """Return the distances (n,) of pairs of bodies (m), overlaps negative.

        Of those that are farther apart than ``enough`` a lower bound is told, above ``enough``.
        """
        rows, owner = self._pieces_of(tuple(pairs))
        self._stand(poses)
        arrays, now = self.pieces.arrays, self._place.now
        i, j = rows[:, 0], rows[:, 1]
        gap = np.linalg.norm(now.ball[i] - now.ball[j], axis=1)
        gap -= arrays.ball[i, 3] + arrays.ball[j, 3]
        endless = (arrays.kind[i] == HALF_SPACE) | (arrays.kind[j] == HALF_SPACE)
        near = np.flatnonzero(endless | (gap <= enough))
        exact = np.zeros((len(near), 4))
        kernels.separations(arrays, now, rows[near], exact)
        gap[near] = exact[:, 0]
        found = np.full(len(pairs), np.inf)
        np.minimum.at(found, owner, gap)
        return found

    def _pieces_of(self, pairs: tuple[tuple[str, str], ...]) -> tuple[IntArray, IntArray]:
        """Return pairs of pieces (k, 2) of pairs of bodies, and to which pair each belongs (k,)."""
        kept: dict[object, tuple[IntArray, IntArray]] = vars(self).setdefault("_wanted", {})
        if pairs not in kept:
            numbers = [(self._body(a), self._body(b)) for a, b in pairs]
            each = [piece_pairs(self.pieces, [two]) for two in numbers]
            rows = np.concatenate([np.zeros((0, 2), np.int64), *each])
            kept.clear()
            kept[pairs] = rows, np.repeat(np.arange(len(each)), [len(one) for one in each])
        return kept[pairs]

    def contacts(
        self, poses: Array, margin: float = 1e-9, pair: tuple[str, str] | None = None
    ) -> tuple[Contact, ...]:
        """Return where bodies (or the bodies of one pair) are at most ``margin`` (m) apart."""
        pairs = self._piece_pairs
        if pair is not None:
            pairs = piece_pairs(self.pieces, [(self._body(pair[0]), self._body(pair[1]))])
        self._stand(poses)
        if pair is None and self._given is not None:
            left = self._given.near(np.asarray(poses, np.float64), margin, len(self.pairs))
            pairs = np.ascontiguousarray(pairs[left[self._owner]])
        place, slack = self._place, max(margin, 1e-9)
        while True:
            count = kernels.patches(self.pieces.arrays, place.now, pairs, margin, slack, place.room)
            if count >= 0:
                break
            tally = place.room.tally
            place.room = kernels.new_room(2 * len(place.room.table))._replace(tally=tally)
        return self._contacts(count, pairs)

    def gap(self, contact: Contact) -> Gap:
        """Return the distance of a contact's features as a function of poses."""
        i, j, kind_a, index_a, kind_b, index_b, side = contact.key
        pieces = self.pieces
        a, b = self._body(contact.body_A), self._body(contact.body_B)
        hull_a, hull_b = pieces.hulls[i], pieces.hulls[j]
        if kind_a == CORNER and kind_b == FACE and hull_a.kind == POLYTOPE:
            corner = hull_a.vertices[index_a]
            return HeightGap((a, b), corner, hull_a.radius, *_plane(hull_b, index_b))
        if kind_a == FACE and kind_b == CORNER and hull_b.kind == POLYTOPE:
            corner = hull_b.vertices[index_b]
            return HeightGap((b, a), corner, hull_b.radius, *_plane(hull_a, index_a))
        if side:
            lines = (
                hull_a.vertices[hull_a.edges[index_a, :2]],
                hull_b.vertices[hull_b.edges[index_b, :2]],
            )
            return LineGap((a, b), lines, hull_a.radius + hull_b.radius, float(side))
        return PieceGap((a, b), pieces, (i, j))

    def first_contact(
        self,
        motion: Motion,
        span: tuple[float, float],
        bounds: Array,
        pairs: Sequence[tuple[str, str]] | None = None,
    ) -> FirstContact | None:
        """Return the first instant in ``span`` (s) at which two bodies touch, or None."""
        limits = np.asarray(bounds, dtype=np.float64)
        if limits.shape != (len(self.world.bodies), 2) or not np.all(limits >= 0):
            raise ModelError(
                f"bounds of speed need a row (m/s, rad/s) of numbers >= 0 for each of the "
                f"{len(self.world.bodies)} bodies; the shape given is {limits.shape}"
            )
        chosen = self._piece_pairs
        if pairs is not None:
            numbers = [(self._body(a), self._body(b)) for a, b in pairs]
            chosen = piece_pairs(self.pieces, numbers)
        found = Advance(self.pieces, chosen, motion).first(span, limits)
        if found is None:
            return None
        time, k, gap = found
        names = tuple(self.world.bodies)
        a, b = (names[self.pieces.arrays.body[i]] for i in chosen[k])
        return FirstContact(time, a, b, gap)

    def _body(self, name: str) -> int:
        number = self._number.get(name)
        if number is None:
            raise ModelError(f"there is no body '{name}'{hint(name, self._number)}")
        return number

    def _stand(self, poses: Array) -> None:
        rows = np.ascontiguousarray(poses, dtype=np.float64)
        if rows.shape != (len(self._number), 7):
            raise ModelError(
                f"poses need a row (x, y, z, qw, qx, qy, qz) for each of the {len(self._number)} "
                f"bodies; the shape given is {rows.shape}"
            )
        if not np.isfinite(rows).all():
            bad = tuple(self._number)[int(np.argmin(np.isfinite(rows).all(axis=1)))]
            raise ModelError(f"the pose of body '{bad}' holds NaN or infinity")
        stand(self.pieces.arrays, rows, self._place.now)

    def _contacts(self, count: int, pairs: IntArray) -> tuple[Contact, ...]:
        """Return the first ``count`` rows of the room's tables as values."""
        room, pieces, owners = self._place.room, self.pieces, self._place.owners
        table = room.table[:count]
        ends = pairs[table[:, kernels.PAIR]].tolist()
        found = room.found[:count].copy()
        points, gaps = room.points[:count].copy(), room.gaps[:count].copy()
        least = found[:, 0].tolist()
        out: list[Contact] = []
        for k, (_, kind_a, index_a, kind_b, index_b, corners, flat) in enumerate(table.tolist()):
            i, j = ends[k]
            normal, mine = found[k, 1:], points[k, :corners]
            side = 0
            if kind_a == kind_b == EDGE and corners == 1:
                side = self._side(i, j, index_a, index_b, normal)
            out.append(
                Contact(
                    owners[i],
                    owners[j],
                    pieces.name(i, kind_a, index_a),
                    pieces.name(j, kind_b, index_b),
                    mine,
                    normal,
                    least[k],
                    gaps[k, :corners],
                    mine if flat else None,
                    (i, j, kind_a, index_a, kind_b, index_b, side),
                )
            )
        return tuple(out)

    def _side(self, i: int, j: int, index_a: int, index_b: int, normal: Array) -> int:
        """Return on which side two crossing straight edges pass each other; 0 for round walls."""
        arrays, now = self.pieces.arrays, self._place.now
        if arrays.kind[i] != POLYTOPE or arrays.kind[j] != POLYTOPE:
            return 0
        ways = []
        for piece, index in ((i, index_a), (j, index_b)):
            start = arrays.vertex_start[piece]
            a, b = arrays.edges[arrays.edge_start[piece] + index, :2]
            ways.append(now.vertices[start + b] - now.vertices[start + a])
        return 1 if float(np.cross(*ways) @ normal) > 0 else -1


def _plane(hull: Hull, face: int) -> tuple[Array, Array]:
    """Return a point and the outward normal of a flat face, in its body's axes."""
    if hull.kind == HALF_SPACE:
        return hull.vertices[0], np.array(hull.axis)
    if hull.kind == POLYTOPE:
        return hull.vertices[hull.rings[face][0]], hull.normals[face]
    out = np.array(hull.axis) * (1.0 if face == 1 else -1.0)
    return hull.vertices[0] + hull.size[2] * out, out


def interference_model(world: World, alike: InterferenceModel | None = None) -> InterferenceModel:
    """Return the interference model of a world; ``alike`` is one whose bodies have these shapes.

    Raises ModelError where a level that somebody gave does not hold its body.
    """
    model = InterferenceModel(world, alike)
    if any(body.levels for body in world.bodies.values()):
        _ = model._given
    return model


@dataclass(frozen=True, slots=True)
class InterferenceDomain:
    """Builds interference models; needs no other domain."""

    name: str = "interference"
    requires: tuple[str, ...] = ()

    def build(self, world: World, reads: Mapping[str, Model]) -> InterferenceModel:
        """Return the interference model of ``world``."""
        return interference_model(world)


# ---- which bodies are near each other: axis-aligned boxes, swept along the axis they spread along


def near_bodies(table: PieceTable, now: Standing, margin: float) -> set[tuple[int, int]]:
    """Return the pairs of bodies, smaller number first, with boxes at most ``margin`` m apart.

    ``now`` are the pieces where they stand. Endless bodies are near every other.
    """
    arrays = table.arrays
    bodies = arrays.body
    endless = set(bodies[arrays.kind == HALF_SPACE].tolist())
    mine = np.nonzero(~np.isin(bodies, list(endless)))[0]
    axes = now.turn[mine].reshape(-1, 3, 3)
    reach = np.einsum("pkx,pk->px", np.abs(axes), arrays.box[mine, 3:]) + 0.5 * margin
    low, high = now.box[mine] - reach, now.box[mine] + reach
    found: set[tuple[int, int]] = set()
    if len(mine):
        axis = int(np.argmax(np.ptp(now.box[mine], axis=0)))
        order = np.argsort(low[:, axis], kind="stable")
        pairs = np.zeros((4 * len(mine), 2), np.int64)
        count = sweep(low, high, order, axis, pairs)
        if count > len(pairs):
            pairs = np.zeros((count, 2), np.int64)
            sweep(low, high, order, axis, pairs)
        ends = np.sort(bodies[mine][pairs[:count]], axis=1)
        found = {(a, b) for a, b in ends.tolist() if a != b}
    others = set(bodies.tolist())
    for b in endless:
        found |= {(min(b, other), max(b, other)) for other in others if other != b}
    return found
