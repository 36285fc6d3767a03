"""Contact candidates of a world, the materials of their pairs, and where they touch now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.pair_laws import Surface, Surfaces
from articulata.domains.dynamic.contact.stops import Limits, Stop, limits_of
from articulata.domains.dynamic.hinge_friction import rubs_of
from articulata.domains.dynamic.mechanism import FREE, Mechanism
from articulata.domains.protocols import InterferenceModel, Model
from articulata.domains.protocols import Pieces as PieceNames
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.contacts.patches import new_room
from articulata.kernels.contacts.pieces import (
    HALF_SPACE,
    MEETS,
    Pieces,
    Standing,
    stand,
    standing,
)
from articulata.kernels.multibody.contact.features import Found, touching
from articulata.kernels.multibody.contact.nearness import near_gaps
from articulata.kernels.multibody.contact.rows import (
    BODY_A,
    BODY_B,
    CONTACT_WIDTH,
    FEATURE_A,
    FEATURE_B,
    INDEX_A,
    INDEX_B,
    PIECE_A,
    PIECE_B,
    TABLE_WIDTH,
)
from articulata.world.collision_pairs import meeting_pairs
from articulata.world.model import Body, World

NEAR = 1e-9
"""Features nearer than this (m) touch."""

MANY = 64
"""Contacts for which there is room at first."""


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """Two features that touch, of pair number ``pair``, and what their surfaces do.

    ``row`` and ``data`` are as in ``kernels.multibody.contact.rows``; ``features`` are the names of
    what meets, of body ``a`` and of body ``b``. Where a hinge is at its limit, ``stop`` says which.
    """

    row: tuple[int, ...]
    data: Array
    pair: int
    surface: Surface
    pieces: PieceNames | None = None
    stop: Stop | None = None

    @property
    def a(self) -> int:
        """The number of body A."""
        return self.row[BODY_A]

    @property
    def b(self) -> int:
        """The number of body B."""
        return self.row[BODY_B]

    @property
    def key(self) -> tuple[int, ...]:
        """What tells one touch from another."""
        return (self.pair, *self.row)

    @property
    def features(self) -> tuple[str, str]:
        """The names of the two features."""
        if self.stop is not None:
            return self.stop.features
        assert self.pieces is not None
        row = self.row
        return (
            self.pieces.name(row[PIECE_A], row[FEATURE_A], row[INDEX_A]),
            self.pieces.name(row[PIECE_B], row[FEATURE_B], row[INDEX_B]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The pieces of a world about the bodies' reference points, and ``pairs`` (k, 2) of them.

    ``surfaces`` (k,) say what the materials of a pair do; ``hinged`` says which bodies a hinge
    joins, so that they may touch there all the time; ``reach`` (pieces,) is how far a piece's
    points lie from the reference point; ``untested`` are bodies of too many pieces; ``body_pairs``
    (p, 2) are the pairs of bodies, each once. The hinges' ``limits`` are numbered as pairs after
    those of pieces.
    """

    names: PieceNames | None
    pieces: Pieces = field(repr=False)
    now: Standing = field(repr=False)
    reach: Array
    pairs: IntArray
    surfaces: Sequence[Surface]
    hinged: BoolArray
    untested: tuple[str, ...]
    body_pairs: IntArray = field(repr=False)
    limits: Limits
    rubs: bool = False

    def __bool__(self) -> bool:
        """Tell whether anything may touch, or a hinge may stick."""
        return bool(len(self.pairs) or self.limits.stops or self.rubs)

    def is_hinged(self, touch: Touch) -> bool:
        """Tell whether a hinge joins two bodies that touch."""
        return touch.stop is None and bool(self.hinged[touch.pair])

    def bodies(self, pair: int) -> tuple[int, int]:
        """Return the numbers of a pair's bodies."""
        if pair >= len(self.pairs):
            return self.limits.bodies(pair - len(self.pairs))
        i, j = self.pairs[pair]
        return int(self.pieces.body[i]), int(self.pieces.body[j])

    def near_gaps(self, state: Array) -> Array:
        """Return the separations (k,) of all pairs at ``state`` (m), inf beyond ``NEAR``."""
        out = np.zeros(len(self.pairs))
        near_gaps(self.pieces, self.now, state, self.pairs, NEAR, out)
        return out

    def touches(self, state: Array, tolerance: float) -> list[Touch]:
        """Return where pairs touch at ``state``: gaps of at most ``tolerance`` (m)."""
        reached = [self._stopped(number) for number in self.limits.within(tolerance)]
        if not len(self.pairs):
            return reached
        stand(self.pieces, state, self.now)
        many = MANY
        while True:
            table, owner = np.zeros((many, TABLE_WIDTH), np.int64), np.zeros(many, np.int64)
            data = np.zeros((many, CONTACT_WIDTH))
            found = Found(self.pieces, self.now, state, table, data)
            count = touching(found, self.pairs, tolerance, new_room(1), owner)
            if count >= 0:
                break
            many *= 4
        return [
            Touch(
                tuple(row),
                data[k],
                pair,
                self.surfaces[pair],
                self.names,
            )
            for k, (row, pair) in enumerate(
                zip(table[:count].tolist(), owner[:count].tolist(), strict=True)
            )
        ] + reached

    def recalled(self, pair: int, row: tuple[int, ...], data: Array) -> Touch:
        """Return a touch that was recorded; ValueError where there is no such pair or feature."""
        if not 0 <= pair < len(self.pairs) + len(self.limits.stops):
            raise ValueError(f"there is no pair {pair}")
        if pair >= len(self.pairs):
            return self._stopped(pair - len(self.pairs))
        of = self.pieces
        for piece, body, index in ((PIECE_A, BODY_A, INDEX_A), (PIECE_B, BODY_B, INDEX_B)):
            number = row[piece]
            if number not in self.pairs[pair] or row[body] != of.body[number]:
                raise ValueError(f"pair {pair} has no piece {number}")
            starts = (of.vertex_start, of.edge_start, of.face_start)
            most = max(int(each[number + 1] - each[number]) for each in starts)
            if not 0 <= row[index] < max(most, 8):
                raise ValueError(f"piece {number} has no feature {row[index]}")
        return Touch(row, data, pair, self.surfaces[pair], self.names)

    def _stopped(self, number: int) -> Touch:
        """Return a hinge at its limit as a touch."""
        of = self.limits
        pair = len(self.pairs) + number
        stop = of.stops[number]
        return Touch(of.rows[number], of.data[number], pair, of.surfaces[number], None, stop)


def neighbours(
    mechanism: Mechanism,
    contact: Contact | None,
    interference: InterferenceModel | None,
    before: Before | None = None,
) -> Neighbours | None:
    """Return which pieces of a world may touch, and the limits of its hinges; None for nothing.

    One of the two bodies moves by forces. Without laws of ``contact`` only limits hold. ``before``
    is what an edit has changed: where the same bodies may touch as before, only what their surfaces
    do is looked up anew, and that only where materials are others.
    """
    limits, rubs = limits_of(mechanism), bool(rubs_of(mechanism))
    if contact is None or interference is None:
        return _alone(limits, rubs)
    world = mechanism.world
    if before is not None and _meet_alike(before, mechanism, interference):
        kept = before.around
        if kept is None or kept.names is None:
            return _alone(limits, rubs)
        same = np.array_equal(mechanism.center, before.mechanism.center)
        pieces = kept.pieces if same else about(kept.names.arrays, mechanism.center)
        known = kept.surfaces
        told = isinstance(known, Surfaces) and known.serve(world, contact)
        return replace(
            kept,
            pieces=pieces,
            now=standing(pieces),
            reach=kept.reach if same else reach(pieces),
            surfaces=known if told else Surfaces(world, contact, kept.pairs, pieces.body),
            limits=limits,
            rubs=rubs,
        )
    candidates = moving_pairs(world, mechanism, contact.within)
    if not len(candidates):
        return _alone(limits, rubs)
    source = interference.pieces
    pieces = about(source.arrays, mechanism.center)
    pairs = piece_pairs(source.of_body, candidates)
    met = MEETS[pieces.kind[pairs[:, 0]], pieces.kind[pairs[:, 1]]]
    pairs = np.ascontiguousarray(pairs[met])
    owners = pieces.body[pairs]
    return Neighbours(
        source,
        pieces,
        standing(pieces),
        reach(pieces),
        pairs,
        Surfaces(world, contact, pairs, pieces.body),
        _joined(world, mechanism, owners),
        _without_pieces(source.of_body, candidates, tuple(world.bodies)),
        _each_once(owners),
        limits,
        rubs,
    )


def _alone(limits: Limits, rubs: bool) -> Neighbours | None:
    """Return limits of hinges where no pieces may touch; None where no hinge rubs either."""
    if not limits.stops and not rubs:
        return None
    pieces = no_pieces()
    none = np.zeros(0)
    pairs = np.zeros((0, 2), np.int64)
    now = standing(pieces)
    return Neighbours(
        None, pieces, now, none, pairs, (), np.zeros(0, bool), (), pairs, limits, rubs
    )


def no_pieces() -> Pieces:
    """Return arrays of pieces without any."""

    def starts() -> IntArray:
        return np.zeros(1, np.int64)

    def rows(width: int) -> Array:
        return np.zeros((0, width))

    none = np.zeros(0, np.int64)
    return Pieces(
        kind=none,
        body=none,
        ball=rows(4),
        box=rows(6),
        radius=np.zeros(0),
        axis=rows(3),
        size=rows(3),
        vertex_start=starts(),
        vertices=rows(3),
        edge_start=starts(),
        edges=np.zeros((0, 4), np.int64),
        face_start=starts(),
        normals=rows(3),
        ring_start=starts(),
        ring=none,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """What an edit has changed: a mechanism, and which of its parts might touch."""

    mechanism: Mechanism
    around: Neighbours | None


def _meet_alike(before: Before, now: Mechanism, interference: InterferenceModel) -> bool:
    """Tell whether the same pairs of bodies may touch as before, by the same pieces."""
    then = before.mechanism
    one, other = then.world, now.world
    known = None if before.around is None else before.around.names
    return (
        # pieces are not made where none have been needed
        (known is None or interference.pieces is known)
        and len(one.bodies) == len(other.bodies)
        and one.hinges is other.hinges
        and one.ignored == other.ignored
        and then.drives == now.drives
        and np.array_equal(then.kind, now.kind)
        and (
            one.bodies is other.bodies
            or all(
                a is b or _met_by(a) == _met_by(b)
                for a, b in zip(one.bodies.values(), other.bodies.values(), strict=True)
            )
        )
    )


def _met_by(body: Body) -> tuple[object, ...]:
    """Return what decides whether a body may be touched."""
    return body.id, body.shape is None, body.levels, body.motion, body.dynamic


def moving_pairs(world: World, mechanism: Mechanism, within: bool) -> IntArray:
    """Return the pairs (k, 2) of numbers of bodies that may touch: of which one moves by forces."""
    pairs = meeting_pairs(world, neighbours=within, within=within)
    free = mechanism.kind == FREE
    return np.asarray(pairs[free[pairs[:, 0]] | free[pairs[:, 1]]])


def body_pairs(world: World, mechanism: Mechanism, within: bool) -> list[tuple[int, int]]:
    """Return the pairs of bodies, by number, that may touch: of which one moves by forces."""
    return [(a, b) for a, b in moving_pairs(world, mechanism, within).tolist()]


def piece_pairs(of_body: Sequence[Sequence[int]], candidates: IntArray) -> IntArray:
    """Return every piece of the first with every piece of the second body of each pair."""
    count = np.array([len(own) for own in of_body], np.int64)
    start = np.cumsum(count) - count
    flat = np.array([piece for own in of_body for piece in own], np.int64)
    a, b = candidates[:, 0], candidates[:, 1]
    many = count[a] * count[b]
    pair = np.repeat(np.arange(len(candidates)), many)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(many) - many, many)
    i, j = np.divmod(within, count[b[pair]])
    return np.stack([flat[start[a[pair]] + i], flat[start[b[pair]] + j]], axis=1)


def _joined(world: World, mechanism: Mechanism, owners: IntArray) -> BoolArray:
    """Tell of each pair of bodies whether a hinge joins them."""
    n, index = len(mechanism.kind), mechanism.index
    ends = [(index[hinge.body_a], index[hinge.body_b]) for hinge in world.hinges.values()]
    one, other = np.array(ends, np.int64).reshape(-1, 2).T
    mark = np.zeros((n, n), bool)
    mark[one, other] = mark[other, one] = True
    return np.asarray(mark[owners[:, 0], owners[:, 1]])


def _without_pieces(
    of_body: Sequence[Sequence[int]], candidates: IntArray, names: tuple[str, ...]
) -> tuple[str, ...]:
    bare = np.array([not own for own in of_body], dtype=bool)
    if not bare.any():
        return ()
    met = candidates.ravel()
    return tuple(dict.fromkeys(names[k] for k in met[bare[met]].tolist()))


def _each_once(owners: IntArray) -> IntArray:
    """Return the pairs of bodies (k, 2), each once; the same ones follow one another."""
    fresh = np.ones(len(owners), bool)
    fresh[1:] = (owners[1:, 0] != owners[:-1, 0]) | (owners[1:, 1] != owners[:-1, 1])
    return owners[fresh]


def about(pieces: Pieces, center: Array) -> Pieces:
    """Return pieces with their places counted from the bodies' reference points."""
    shift = center[pieces.body]
    return pieces._replace(
        ball=np.concatenate([pieces.ball[:, :3] - shift, pieces.ball[:, 3:]], axis=1),
        box=np.concatenate([pieces.box[:, :3] - shift, pieces.box[:, 3:]], axis=1),
        vertices=pieces.vertices - np.repeat(shift, np.diff(pieces.vertex_start), axis=0),
    )


def reach(pieces: Pieces) -> Array:
    """Return how far points of pieces lie from the bodies' reference points (p,); 0 if endless."""
    far = np.linalg.norm(pieces.ball[:, :3], axis=1) + pieces.ball[:, 3]
    # how far an endless piece counts is decided by what comes to it
    return np.where(pieces.kind == HALF_SPACE, 0.0, far)


def interference_of(reads: Mapping[str, Model]) -> InterferenceModel | None:
    """Return the model that says which bodies may touch, None where a world leaves it out."""
    # not asked whether it is one: to look for what such a model has would compute its pairs
    return cast("InterferenceModel | None", reads.get("interference"))
