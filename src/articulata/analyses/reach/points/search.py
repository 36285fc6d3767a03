"""Labels of points: reached with a posture as proof, excluded by a bound, or not found."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import shapely

from articulata.analyses.reach.one_person.bare_reach import COARSE, FINE, Density
from articulata.analyses.reach.one_person.body import Body
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.one_person.envelope import Envelope, Level
from articulata.analyses.reach.one_person.hands import PULP
from articulata.analyses.reach.points.fingertips import near_thin, thin_pieces, through
from articulata.analyses.reach.points.hollows import hollows_of, thread_end
from articulata.analyses.reach.surroundings.moved_overlaps import depth
from articulata.analyses.reach.surroundings.room import Room
from articulata.analyses.reach.ways.sills import Sill, sill_before, sills_of
from articulata.analyses.reach.ways.standing_places import CELL, Places, places_of
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.chains.clearance.base_placement import FreeFloor, Offsets, base_places
from articulata.kernels.lanes.host import spread
from articulata.kinematics.clash import Clash
from articulata.kinematics.clash_field import ClashField, RoomField
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED
from articulata.records.reach_verdicts import ReachReason

Progress: TypeAlias = Callable[[int, int], None]

ROUNDS = (1, 2, 4)
"""Base places with postures that are tried in each round, while all before strike something."""

ALONE = (8, 16)
"""And of a few points, which have no neighbours to borrow from."""

PASSES = 4
"""Rounds over the orientations of every offset."""

NONE, FIRST = -1, -2
"""Rows of labels: of no posture; of the envelope's first, downward, until they are kept."""

MANY = 4000
"""For so many points it pays to make a field of the room's distances."""

ABOVE = 2.5
"""m above the floor up to which a field goes."""

_GRAIN = 512


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What became of points (n,).

    ``label`` and ``reason`` as in records, ``base`` (n, 3), ``hand`` and ``cost``; ``row``
    numbers ``postures`` (rows, dof), whose base counts for nothing, -1 where none reaches.
    ``tried`` counts the postures that were looked for or tested.
    """

    label: IntArray
    reason: IntArray
    base: Array
    row: IntArray
    hand: IntArray
    cost: Array
    kept: list[Array]
    tried: IntArray

    @property
    def postures(self) -> Array:
        """The postures (rows, dof) that ``row`` numbers."""
        if len(self.kept) > 1:
            self.kept[:] = [np.concatenate(self.kept)]
        return self.kept[0]

    def keep(self, postures: Array) -> IntArray:
        """Take more postures (k, dof); return their numbers."""
        start = sum(len(each) for each in self.kept)
        self.kept.append(postures)
        return np.arange(start, start + len(postures))

    def reach(
        self, there: IntArray, base: Array, hand: IntArray, cost: Array, row: IntArray
    ) -> None:
        """Note that points ``there`` (k,) are reached: bases (k, 3), hands, costs and rows (k,)."""
        self.label[there] = ACCESSIBLE
        self.reason[there] = int(ReachReason.REACHED)
        self.base[there], self.hand[there], self.cost[there] = base, hand, cost
        self.row[there] = row

    @staticmethod
    def unknown(count: int) -> Labels:
        """Return labels of points of which nothing is known."""
        return Labels(
            np.full(count, NOT_FOUND),
            np.full(count, int(ReachReason.GAVE_UP)),
            np.full((count, 3), np.nan),
            np.full(count, -1),
            np.full(count, -1),
            np.full(count, np.nan),
            [],
            np.zeros(count, np.int64),
        )


class Case:
    """A person with one way to move in one room."""

    def __init__(
        self,
        room: Room,
        body: Body,
        envelope: Envelope | None = None,
        places: Places | None = None,
        name: str = "",
        like: Case | None = None,
    ) -> None:
        """Take what ``like``, the same person in a room with the same things, has made ready."""
        self.name = name or body.footprint.name
        self.room = room
        self.body = body
        self.envelope = envelope or Envelope(body)
        self.places = places or places_of(room, body.footprint, body.hips)
        self.clash = _moved(like, room) or {
            hand: Clash(
                body.figure,
                room.obstacles,
                own=False,
                exempt=[(name, room.floor_body) for name in body.below(hand)],
                shapes={
                    **dict.fromkeys((*body.idle[hand], *body.covered), ()),
                    **body.drawn[hand],
                },
            )
            for hand in body.arms
        }
        self.opened: dict[Hashable, Any] = {}
        """The free floor of other rooms, in which a way was sought, by what stands in them."""
        self._fields: list[ClashField] = []
        self._carrying: dict[float, Case] = {}

    def bases_about(self, p: Array, count: int, density: Density = FINE) -> tuple[Array, IntArray]:
        """Return bases (n, 3), in m, m and rad, from which the envelope reaches ``p`` (3,) m.

        There are ``count`` at most. The rows (n,) are those of the postures at them in the
        envelope. What stands in the way is not looked at.
        """
        level = self.envelope.level(float(p[2] - self.room.level), density)
        chosen = np.full((1, count, 2), -1, np.int64)
        one = np.zeros(1, np.int64)
        self._candidates(p[None, :2], np.zeros(1), one, _Offsets.of([level]), one.copy(), chosen)
        some = chosen[0][chosen[0, :, 0] >= 0]
        turn, o = self.places.turns[some[:, 1]], level.offset[some[:, 0]]
        c, s = np.cos(turn), np.sin(turn)
        x, y = p[0] - c * o[:, 0] + s * o[:, 1], p[1] - s * o[:, 0] - c * o[:, 1]
        return np.column_stack([x, y, turn]), level.row[some[:, 0]]

    def search(self, points: Array, progress: Progress | None, depths: Array | None) -> Labels:
        """Return labels as ``labels_of`` does, by the envelope alone: no neighbour lends."""
        found = Labels.unknown(len(points))
        found.keep(np.empty((0, self.body.figure.dof)))
        within = depth(self.room, points) if depths is None else depths
        open_ = ~self._excluded(points, within, found)
        if len(points) >= MANY and not self._fields:
            self._fields = self._made_fields()
        self._search(points, found, np.flatnonzero(open_), progress)
        return found

    def whole(self, labels: Labels, index: IntArray) -> Array:
        """Return the figure's postures (n, dof) of reached points ``index`` (n,)."""
        q = labels.postures[labels.row[index]].copy()
        q[:, :3] = labels.base[index]
        return q

    def beyond_a_way(self, point: Array) -> bool:
        """Return whether floor to which there is no way is within reach of a point (3,) in G."""
        reach = float(self.envelope.farthest(point[2:] - self.room.level)[0])
        cut = self.places.cut
        return not cut.is_empty and float(cut.distance(shapely.Point(*point[:2]))) <= reach

    def sill_before(self, point: Array) -> Sill | None:
        """Return the sill that shuts the way to where a point (3,) in G would be reached from."""
        reach = float(self.envelope.farthest(point[2:] - self.room.level)[0])
        return sill_before(self.sills, point, max(reach, 0.0))

    @cached_property
    def sills(self) -> tuple[Sill, ...]:
        """The low things that shut a way from the door by themselves."""
        return sills_of(self.room, self.body.footprint, self.body.hips, self.places)

    @cached_property
    def without_door(self) -> Case:
        """The same person where no way is asked for: on all of the floor that has room."""
        room = replace(self.room, door=None)
        return Case(room, self.body, self.envelope, None, self.name, self)

    def carrying(self, load: float) -> Case:
        """Return the same person with a ``load`` in the hand, kg, 0 for empty hands."""
        found = self._carrying.get(load)
        if found is None:
            body = self.body.carrying(load)
            envelope = Envelope(body, self.envelope.starts, self.envelope.seed)
            found = Case(self.room, body, envelope, self.places, self.name, self)
            self._carrying[load] = found
        return found

    # ---- bounds

    def _excluded(self, points: Array, within: Array, found: Labels) -> BoolArray:
        """Label what is out of the question; return where."""
        proved = np.zeros(len(points), bool)

        def prove(where: BoolArray, reason: ReachReason) -> None:
            new = where & ~proved
            found.label[new] = PROVED
            found.reason[new] = int(reason)
            proved[new] = True

        prove(within > PULP + TOLERANCE, ReachReason.INSIDE)
        if self.places.empty:
            why = self.places.shut
            prove(~proved, ReachReason.NO_WAY if why else ReachReason.NO_PLACE)
            return proved
        heights, level = np.unique(points[:, 2], return_inverse=True)
        reach = self.envelope.farthest(heights - self.room.level)
        least = self._least(points, self.places.anywhere)
        never = (reach < 0.0)[level]
        below = points[:, 2] - self.room.level < self.body.hips  # about which hands always come
        prove(never & below, ReachReason.TOO_LOW)
        prove(never, ReachReason.TOO_HIGH)
        prove(least > reach[level] + TOLERANCE, ReachReason.TOO_FAR)
        if len(points) >= MANY:
            rest = np.flatnonzero(~proved)
            shut = np.zeros(len(points), bool)
            shut[rest] = self._shut_in(points[rest])
            prove(shut, ReachReason.SHUT_IN)
        return proved

    def _shut_in(self, points: Array) -> BoolArray:
        """Return which points (n, 3) in G lie in hollows that no hand gets into."""
        ends = [thread_end(self.body, hand) for hand in self.body.arms]
        shut = np.zeros(len(points), bool)
        if all(end is not None for end in ends):
            last = max(end for end in ends if end is not None)
            for each in hollows_of(self.room):
                shut |= each.closed(points, self.places, self.body.hips, last)
        return shut

    def _least(self, points: Array, area: object) -> Array:
        """Return how far points are from an area of the floor, m."""
        flat = points[:, :2]
        new = np.ones(len(flat), bool)
        new[1:] = (flat[1:] != flat[:-1]).any(axis=1)  # a grid goes up before it goes on
        shapely.prepare(area)
        return np.asarray(shapely.distance(area, shapely.points(flat[new]))[np.cumsum(new) - 1])

    # ---- search

    def _search(
        self,
        points: Array,
        found: Labels,
        pending: IntArray,
        progress: Progress | None,
    ) -> None:
        """Search about points ``pending``."""
        total = len(pending)
        if progress is not None:
            progress(0, total)
        if not (self.places.raster > 0).any():
            shut = self.places.shut
            found.reason[pending] = int(ReachReason.NO_WAY if shut else ReachReason.NO_PLACE)
            return
        if not total:
            return
        heights, of_level = np.unique(points[pending, 2], return_inverse=True)
        of = np.zeros(len(points), np.int64)
        of[pending] = of_level
        levels = self.envelope.levels((heights - self.room.level).tolist(), COARSE)
        postures = self.envelope.postures
        offsets = _Offsets.of(levels)
        tried = _Tried(self, offsets.row[:-1])
        least = np.zeros(len(points))
        least[pending] = self._least(points[pending], self.places.all_free) - 1e-9
        near = near_thin(thin_pieces(self.room), points)
        cursor = np.zeros(len(points), np.int64)
        for wanted in (*ROUNDS, *(ALONE if len(points) < MANY else ())):
            # a grid goes up before it goes on: what is known of a place serves those above it
            order = pending
            chosen = np.full((len(order), wanted, 2), -1, np.int64)
            at, level = cursor[order], of[order]
            self._candidates(points[order, :2], least[order], level, offsets, at, chosen)
            cursor[order] = at
            some = chosen[:, :, 0]
            number = np.where(some >= 0, some + offsets.first[level][:, None], -1)
            offset, row = offsets.place[number], np.where(number >= 0, offsets.row[number], -1)
            pending = self._try(points, near, found, order, chosen, offset, row, tried)
            if progress is not None:
                progress(total - len(pending), total)
            if not len(pending):
                break
        # of the envelope's postures those are kept that are used
        new = found.row < NONE
        used, row = np.unique(FIRST - found.row[new], return_inverse=True)
        found.row[new] = found.keep(postures[used])[row]

    def _candidates(
        self,
        places: Array,
        least: Array,
        level: IntArray,
        offsets: _Offsets,
        cursor: IntArray,
        chosen: IntArray,
    ) -> None:
        area = self.places
        flat = np.ascontiguousarray(places)
        liked = Offsets(offsets.first, offsets.place, offsets.same, offsets.distinct)
        floor = FreeFloor(
            area.raster, area.corner, CELL, area.sides, area.rows,
            len(area.turns), float(area.turns[0]),
        )  # fmt: skip

        def work(begin: int, end: int) -> None:
            base_places(flat, least, level, liked, floor, PASSES, cursor, chosen, begin, end)

        spread(work, len(flat), grain=_GRAIN)

    def _try(
        self,
        points: Array,
        near: BoolArray,
        found: Labels,
        order: IntArray,
        chosen: IntArray,
        offset: Array,
        row: IntArray,
        tried: _Tried,
    ) -> IntArray:
        """Take the first candidate of each point that strikes nothing; return who has none left."""
        who, which = np.nonzero(row >= 0)
        turn = self.places.turns[chosen[who, which, 1]]
        c, s = np.cos(turn), np.sin(turn)
        o = offset[who, which]
        at = points[order[who], :2]
        base = np.column_stack(
            [at[:, 0] - c * o[:, 0] + s * o[:, 1], at[:, 1] - s * o[:, 0] - c * o[:, 1], turn]
        )
        free = tried.free(row[who, which], base, near[order[who]])
        hand = tried.hands[row[who, which]]
        first = np.full(len(order), -1)
        good = np.flatnonzero(free)[::-1]
        first[who[good]] = good
        met = first >= 0
        found.tried[order] += (row >= 0).sum(axis=1)
        one = first[met]
        used = row[who[one], which[one]]
        found.reach(order[met], base[one], hand[one], tried.costs[used], FIRST - used)
        some = (row >= 0).any(1)
        found.reason[order[~met & some]] = int(ReachReason.BLOCKED)
        more = row[:, -1] >= 0
        return np.sort(order[~met & more])

    def free(self, q: Array, hand: IntArray) -> BoolArray:
        """Return which postures (n, dof), each of one hand, strike nothing of the room.

        Nor does a fingertip go through anything.
        """
        free = np.zeros(len(q), bool)
        for number, name in enumerate(self.envelope.hands):
            mine = np.flatnonzero(hand == number)
            if len(mine) and self._fields:
                field, own = self._fields[number], q[mine]
                there = own.copy()
                there[:, :3] = 0.0
                rows = np.arange(len(mine))
                free[mine] = field.free(field.frames(there), rows, own[:, :3], own.__getitem__)
            elif len(mine):
                free[mine] = self.clash[name].free(q[mine])
        self.turn_back(free, free, hand, q.__getitem__)
        return free

    def turn_back(
        self,
        free: BoolArray,
        asked: BoolArray,
        hand: IntArray,
        q_of: Callable[[IntArray], Array],
    ) -> None:
        """Take back which of the ``asked`` (n,) are ``free`` where a fingertip goes through.

        ``q_of`` gives postures by their numbers.
        """
        thin, which = thin_pieces(self.room), np.flatnonzero(asked)
        if thin.count and len(which):
            hands = self.envelope.hands
            free[which] &= ~through(thin, self.body, hands, q_of(which), hand[which])

    def _made_fields(self) -> list[ClashField]:
        """Return the fields by hand; none where a room has things without an end."""
        x0, y0, x1, y1 = self.room.floor.bounds
        level = self.room.level
        room = RoomField(np.array([x0, y0, level]), np.array([x1, y1, level + ABOVE]))
        found = [ClashField(self.clash[name], room) for name in self.envelope.hands]
        return found if all(each.useful for each in found) else []


@dataclass(frozen=True, slots=True, eq=False)
class _Offsets:
    """Offsets of levels, one level after the other.

    Those of level k are ``first[k] : first[k + 1]``: ``place`` (m, 2) m, ``row`` (m,) into the
    envelope's postures, ``same`` (m,) a number below ``distinct`` that those at one place share. A
    spare one of NaN, row -1, ends them.
    """

    first: IntArray
    place: Array
    row: IntArray
    same: IntArray
    distinct: int

    @staticmethod
    def of(levels: Sequence[Level]) -> _Offsets:
        """Return the offsets of levels."""
        first = np.cumsum([0, *(len(each.row) for each in levels)])
        place = np.concatenate([*(each.offset for each in levels), np.full((1, 2), np.nan)])
        row = np.concatenate([*(each.row for each in levels), np.full(1, -1)])
        known, same = np.unique(place[:-1] @ (1.0, 1.0j), return_inverse=True)
        return _Offsets(first, place, row, same, len(known))


class _Tried:
    """The envelope's postures of ``rows`` (n,), ready to be tried at many places."""

    def __init__(self, case: Case, rows: IntArray) -> None:
        envelope = case.envelope
        self._case = case
        self._postures, self.costs, self.hands = envelope.postures, envelope.costs, envelope.hand_of
        self._number = np.full(len(self._postures), -1)
        self._frames: list[Array] = []
        for number, field in enumerate(case._fields):
            mine = np.unique(rows[self.hands[rows] == number])
            self._number[mine] = np.arange(len(mine))
            self._frames.append(field.frames(self._postures[mine]))

    def free(self, row: IntArray, base: Array, near: BoolArray) -> BoolArray:
        """Return which postures of ``row`` (n,), moved to ``base`` (n, 3), strike nothing.

        ``near`` (n,) says which of them touch a point near something thin.
        """
        hand = self.hands[row]
        if not self._frames:
            return self._case.free(self._at(row, base), hand)
        free = np.zeros(len(row), bool)
        for number, (field, frames) in enumerate(
            zip(self._case._fields, self._frames, strict=True)
        ):
            mine = np.flatnonzero(hand == number)
            rows, bases = row[mine], base[mine]
            free[mine] = field.free(
                frames, self._number[rows], bases, partial(self._some, rows, bases)
            )
        self._case.turn_back(free, free & near, hand, partial(self._some, row, base))
        return free

    def _some(self, row: IntArray, base: Array, of: IntArray) -> Array:
        return self._at(row[of], base[of])

    def _at(self, row: IntArray, base: Array) -> Array:
        q = self._postures[row]
        q[:, :3] = base
        return q


def _moved(like: Case | None, room: Room) -> dict[str, Clash] | None:
    """Return the tests for what is struck of another case, in a room with the same things."""
    if like is None or like.room.floor_body != room.floor_body:
        return None
    before, now = like.room.obstacles, room.obstacles
    if [each.name for each in before] != [each.name for each in now]:
        return None
    if any(a.shape is not b.shape for a, b in zip(before, now, strict=True)):
        return None
    poses = {
        b.name: b.X_WS
        for a, b in zip(before, now, strict=True)
        if not np.array_equal(a.X_WS, b.X_WS)
    }
    return {hand: clash.moved(poses) for hand, clash in like.clash.items()}
