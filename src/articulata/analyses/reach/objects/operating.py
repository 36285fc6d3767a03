"""Whether a person operates a thing: a hand at its handle while it moves from shut to open.

A thing goes from station to station of its hinge; postures follow its handle by inverse kinematics,
each begun at the one before, about a base that stays, or else about one that moves along. At each
station body, device, thing and room stay apart. A way through all stations is the proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely

from articulata.analyses.reach.objects.verdicts import verdict_of
from articulata.analyses.reach.one_person.bare_reach import COARSE, seeds
from articulata.analyses.reach.points.neighbour_postures import bend
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.surroundings.mechanisms import Mechanism
from articulata.analyses.reach.ways.base_areas import blocks_of, joined, outline_between
from articulata.analyses.reach.ways.device_parts import DevicePart, Member, placed
from articulata.analyses.reach.ways.standing_places import HALL, HALL_CORNERS
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.rotation import Rotation
from articulata.kinematics.clash import Clash
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED
from articulata.records.reach_verdicts import Verdict
from articulata.records.uses import Operation, Stop

COMFORTABLE = 64
"""Base places of the envelope that are tried for the handle where it stands at first."""

DRAWN = 80
"""Base places that are drawn about each of three places of the handle."""

SEEDS = 3
"""Postures to begin from at each place and hand."""

KEPT = 64
"""Postures that are followed from one station to the next; half as many where the base moves."""

BESIDE = 4
"""Small steps to the side that a base tries, beside staying and going along with the handle."""

SIDEWAYS = (0.06, 0.15)
"""m and rad. How far such a step goes at most."""

MOVES = 2
"""How many times a way is looked for along which the base moves, by other chances."""

SMOOTH = 0.5
"""rad. No joint of arm and trunk turns farther from one station to the next."""

APART = (0.10, 0.35)
"""m and rad. Bases farther apart than this are unlike."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Postures (m, dof) at one station, their hands, which of the last station they follow.

    ``walked`` (m,) is how far their bases moved, m.
    """

    q: Array
    hand: IntArray
    before: IntArray
    walked: Array

    def some(self, which: IntArray) -> Way:
        """Return those of numbers ``which``."""
        return Way(self.q[which], self.hand[which], self.before[which], self.walked[which])

    def beside(self, other: Way) -> Way:
        """Return these and those of another."""
        return Way(
            np.concatenate([self.q, other.q]),
            np.concatenate([self.hand, other.hand]),
            np.concatenate([self.before, other.before]),
            np.concatenate([self.walked, other.walked]),
        )


class Ground:
    """Where a device has room to stand while a thing moves through the room."""

    def __init__(self, case: Case, thing: Mechanism) -> None:
        room = case.room
        footprint, hips = case.body.footprint, case.body.hips
        whole = Member(footprint.parts(hips))
        self._limbs = footprint.limbs(hips) or (((whole,),),)
        still = replace(room, solids=tuple(s for s in room.solids if s.body not in thing.bodies))
        self._moving = [solid for solid in room.solids if solid.body in thing.bodies]
        self._level, self._moves = room.level, thing.moves
        parts = {part for limb in self._limbs for way in limb for m in way for part in m.parts}
        self._blocks = {
            part: joined(
                [
                    shapely.Polygon(each)
                    for each in blocks_of(still, part.low, part.high, outer=True)
                ]
            )
            for part in parts
        }
        ground = room.floor
        self.hall = shapely.Point()
        if room.door is not None:
            self.hall = shapely.Point(*room.door).buffer(HALL, quad_segs=HALL_CORNERS)
            ground = ground.union(self.hall)
            self.hall = self.hall.difference(room.floor)
        self._ground = ground
        for shape in (*self._blocks.values(), self._ground, self.hall):
            shapely.prepare(shape)
        self._slices: dict[int, dict[DevicePart, Any]] = {}
        self._case, self._thing = case, thing
        self._clash: dict[tuple[str, int], Clash] = {}

    def clash(self, hand: str, station: int) -> Clash:
        """Return the test for what a hand's postures strike while the thing is at a station."""
        found = self._clash.get((hand, station))
        if found is None:
            found = self._case.clash[hand].moved(self._thing.poses(self._case.room, station))
            self._clash[hand, station] = found
        return found

    def stands(
        self, base: Array, station: int, *, stayed: bool = False
    ) -> tuple[BoolArray, BoolArray]:
        """Return which bases (m, 3) have room beside what stands still, and beside the thing.

        Those that ``stayed`` where they stood are tested against the thing alone.
        """
        if station not in self._slices:
            found = ((part, self._slice(part, station)) for part in self._blocks)
            self._slices[station] = {part: leaf for part, leaf in found if leaf is not None}
        leaves = self._slices[station]
        still, apart = np.ones(len(base), bool), np.ones(len(base), bool)
        if stayed and not leaves:
            return still, apart
        for limb in self._limbs:
            here, there = (np.zeros(len(base), bool) for _ in range(2))
            for way in limb:
                some = np.flatnonzero(still & ~there)  # not where another limb has no room
                if not len(some):
                    break
                # who stayed without setting the feet anew stands where she stood
                fits, clear = self._fits(way, base[some], leaves, stayed and len(limb) == 1)
                here[some] |= fits
                there[some] = fits & clear
            still, apart = still & here, apart & there
        return still, apart

    def _fits(
        self, way: Sequence[Member], base: Array, leaves: dict[DevicePart, Any], stayed: bool
    ) -> tuple[BoolArray, BoolArray]:
        """Return at which bases (m, 3) members have room beside what stands, and leaves too."""
        some = np.arange(len(base))  # each test leaves fewer for the next
        parts = [(part, placed(part, member)) for member in way for part in member.parts]
        for part, corners in () if stayed else parts:
            struck = shapely.intersects(self._blocks[part], _outlines(corners, base[some]))
            some = some[~struck]
        for member in () if stayed else way:
            corners = np.concatenate([placed(part, member) for part in member.parts])
            hull = np.asarray(shapely.multipoints(corners).convex_hull.exterior.coords)[:-1]
            some = some[shapely.covers(self._ground, _outlines(hull, base[some]))]
        still, apart = np.zeros(len(base), bool), np.zeros(len(base), bool)
        still[some] = True
        for part, corners in parts:
            if part in leaves:
                struck = shapely.intersects(leaves[part], _outlines(corners, base[some]))
                some = some[~struck]
        apart[some] = True
        return still, apart

    def _slice(self, part: DevicePart, station: int) -> Any:
        """Return what a thing takes between the heights of a part of the device, None: nothing."""
        X = self._moves[station]
        found = []
        for solid in self._moving:
            outer = solid.outer @ X[:3, :3].T + X[:3, 3]
            now = replace(solid, outer=outer)
            low, high = self._level + part.low, self._level + part.high
            outline = outline_between(now, low, high, outer=True)
            if outline is not None:
                found.append(shapely.Polygon(outline))
        if not found:
            return None
        whole = shapely.union_all(found)
        shapely.prepare(whole)
        return whole


def operated(case: Case, thing: Mechanism) -> Operation:
    """Return whether a person moves a thing by its handle, and what stops it."""
    path = thing.object
    said = Operation(
        path, case.name, thing.hinge, NOT_FOUND, 0.0, float(thing.values[0]),
        float(thing.values[-1]), thing.turns, bodies=thing.bodies,
    )  # fmt: skip
    first = verdict_of(case, path)
    if first.label == PROVED:
        return replace(said, label=PROVED, stop=Stop.HANDLE, words_before=first.words)
    ground = Ground(case, thing)
    last = thing.last
    bases = case.bases_about(thing.handle[0], COMFORTABLE, COARSE)[0]
    start = _start(case, thing, ground, bases)
    best: list[Way] = []
    why: Counter[tuple[Stop, str]] = Counter()
    for attempt in range(2 + MOVES):
        if attempt == 1:
            start = start.beside(_start(case, thing, ground, _drawn(case, thing, ground)))
            if not len(start.q) and first.label == ACCESSIBLE:
                start = _reached(case, first)
        if not len(start.q):
            continue
        ways, stops = _followed(case, thing, ground, start, last, max(attempt - 1, 0))
        if len(ways) > len(best):
            best, why = ways, stops
        if len(best) > last:
            break
    if not best:
        return _struck(thing, replace(said, stop=Stop.HANDLE, words_before=first.words))
    return _told(case, thing, said, best, why)


def _told(
    case: Case,
    thing: Mechanism,
    said: Operation,
    ways: list[Way],
    why: Counter[tuple[Stop, str]],
) -> Operation:
    """Return an operation with the way that was found and what ended it."""
    q, hand, walked = _one(case, ways)
    count = len(q)
    whole = len(thing.values) - 1
    X_WG = case.room.X_WG
    bodies = case.room.world.bodies
    poses = np.empty((count, len(thing.bodies), 7))
    for n, name in enumerate(thing.bodies):
        X = X_WG @ thing.moves[:count] @ np.linalg.inv(X_WG) @ bodies[name].pose.matrix()
        poses[:, n, :3], poses[:, n, 3:] = (
            X[:, :3, 3],
            Rotation.from_matrix(X[:, :3, :3]).to_quaternion(),
        )
    said = replace(
        said, opened=(count - 1) / whole, hand=case.envelope.hands[hand], walked=walked,
        values=thing.values[:count], q=q, poses=poses,
    )  # fmt: skip
    if count > whole:
        return replace(said, label=ACCESSIBLE)
    (stop, obstacle), _ = why.most_common(1)[0] if why else ((Stop.REACH, ""), 0)
    return _struck(thing, replace(said, stop=stop, obstacle=obstacle))


def _struck(thing: Mechanism, said: Operation) -> Operation:
    """Return an operation that ends early, by what the thing strikes if it strikes something."""
    if not thing.struck:
        return said
    return replace(said, label=PROVED, stop=Stop.LEAF, obstacle=thing.struck, opened=thing.free)


def _one(case: Case, ways: list[Way]) -> tuple[Array, int, float]:
    """Return the best way of those that came farthest: its postures, hand and base's way."""
    at = np.arange(len(ways[-1].q))
    cost = 10.0 * ways[-1].walked
    rows = [at]
    for way in reversed(ways):
        cost = cost + case.envelope.discomfort.of(case.body.figure, way.q[at]) / len(ways)
        at = way.before[at]
        rows.append(at)
    best = int(np.argmin(cost))
    numbers = [int(each[best]) for each in rows[-2::-1]]
    q = np.stack([way.q[n] for way, n in zip(ways, numbers, strict=True)])
    return q, int(ways[-1].hand[best]), float(ways[-1].walked[best])


def _start(case: Case, thing: Mechanism, ground: Ground, base: Array) -> Way:
    """Return postures from bases (m, 3) at the handle where it stands at first."""
    held = []
    for number, (name, chain) in enumerate(case.body.arms.items()):
        for seed in seeds(chain, SEEDS, case.envelope.seed):
            begin = case.body.postures(name, base, np.repeat(seed[None], len(base), axis=0))
            goal = np.repeat(thing.handle[:1], len(base), axis=0)
            hands = np.full(len(base), number)
            row, q = bend(case, goal, base, hands, begin)
            free = case.envelope.free(q, hands[row]) & case.free(q, hands[row])
            held.append((q[free], hands[row][free]))
    q, hand = (np.concatenate([each[k] for each in held]) for k in range(2))
    still, apart = ground.stands(q[:, :3], 0)
    some = np.flatnonzero(still & apart)
    way = Way(q[some], hand[some], np.full(len(some), -1), np.zeros(len(some)))
    rng = np.random.default_rng(case.envelope.seed)
    return way.some(_unlike(case, way, 2 * KEPT, rng))


def _reached(case: Case, first: Verdict) -> Way:
    """Return the posture of the verdict on a handle that is reached, to begin at it alone."""
    hand = np.array([case.envelope.hands.index(first.hand)])
    return Way(np.asarray(first.q)[None], hand, np.array([-1]), np.zeros(1))


def _drawn(case: Case, thing: Mechanism, ground: Ground) -> Array:
    """Return bases (m, 3) drawn about the handle at first, halfway and at last."""
    rng = np.random.default_rng(case.envelope.seed)
    found = []
    areas = case.places.free
    for station in (0, len(thing.values) // 2, -1):
        p = thing.handle[station]
        far = max(float(case.envelope.farthest(p[2:] - case.room.level)[0]), 0.2)
        away, about = far * np.sqrt(rng.random(DRAWN)), rng.uniform(-np.pi, np.pi, DRAWN)
        place = p[:2] + away[:, None] * np.column_stack([np.cos(about), np.sin(about)])
        turn = rng.integers(len(case.places.turns), size=DRAWN)
        # where one comes in needs no way from the door
        free = shapely.contains_xy(ground.hall, place[:, 0], place[:, 1])
        for number, area in enumerate(areas):
            mine = np.flatnonzero(turn % len(areas) == number)
            free[mine] |= shapely.contains_xy(area, place[mine, 0], place[mine, 1])
        found.append(np.column_stack([place, case.places.turns[turn]])[free])
    return np.concatenate(found)


def _followed(
    case: Case, thing: Mechanism, ground: Ground, start: Way, last: int, moves: int
) -> tuple[list[Way], Counter[tuple[Stop, str]]]:
    """Return what comes from station to station, up to ``last``, and what ended the rest.

    Bases stay where ``moves`` is 0, and move along, by chance of that number, where it is not.
    """
    rng = np.random.default_rng([case.envelope.seed, moves])
    moving = moves > 0
    ways = [start.some(_unlike(case, start, KEPT // 2, rng)) if moving else start]
    why: Counter[tuple[Stop, str]] = Counter()
    for station in range(1, last + 1):
        way = ways[-1]
        before, base = _steps(way, thing, station, rng, moving=moving)
        begin, hand = way.q[before], way.hand[before]
        why = Counter()
        still, apart = ground.stands(base, station, stayed=not moving)
        why[Stop.DEVICE, thing.bodies[0]] += int((still & ~apart).sum())
        some = np.flatnonzero(still & apart)
        goal = np.repeat(thing.handle[station][None], len(some), axis=0)
        row, q = bend(case, goal, base[some], hand[some], begin[some])
        some_row = some[row]
        smooth = np.abs(q[:, 3:] - begin[some_row, 3:]).max(axis=1, initial=0.0) < SMOOTH
        smooth[smooth] = case.envelope.free(q[smooth], hand[some_row[smooth]])
        why[Stop.REACH, ""] += len(some) - int(smooth.sum())
        row, q = some_row[smooth], q[smooth]
        struck, free = (q, hand[row]), _apart(case, ground, station, q, hand[row])
        row, q = row[free], q[free]
        if not len(row):
            _count(case, ground, station, *struck, why)
            break
        far = np.linalg.norm(base[row, :2] - begin[row, :2], axis=1)
        turn = 0.2 * np.abs(base[row, 2] - begin[row, 2])
        new = Way(q, hand[row], before[row], way.walked[before[row]] + far + turn)
        ways.append(new.some(_unlike(case, new, KEPT // 2 if moving else KEPT, rng)))
    return ways, +why


def _steps(
    way: Way, thing: Mechanism, station: int, rng: np.random.Generator, *, moving: bool
) -> tuple[IntArray, Array]:
    """Return which posture goes on, and the bases (k, 3) that it tries."""
    stay = np.arange(len(way.q))
    base = way.q[:, :3]
    if not moving:
        return stay, base
    along = base.copy()
    along[:, :2] += thing.handle[station, :2] - thing.handle[station - 1, :2]
    rigid = base.copy()
    X = thing.moves[station] @ np.linalg.inv(thing.moves[station - 1])
    rigid[:, :2] = base[:, :2] @ X[:2, :2].T + X[:2, 3]
    rigid[:, 2] += np.arctan2(X[1, 0], X[0, 0])
    level = abs(X[2, 2]) > 0.999
    found = [base, along, *([rigid] if level else [])]
    for _ in range(BESIDE):
        aside = base.copy()
        aside[:, :2] += rng.uniform(-SIDEWAYS[0], SIDEWAYS[0], (len(base), 2))
        aside[:, 2] += rng.uniform(-SIDEWAYS[1], SIDEWAYS[1], len(base))
        found.append(aside)
    return np.tile(stay, len(found)), np.concatenate(found)


def _apart(case: Case, ground: Ground, station: int, q: Array, hand: IntArray) -> BoolArray:
    """Return which postures (n, dof) strike nothing at a station."""
    free = np.zeros(len(q), bool)
    for number, name in enumerate(case.envelope.hands):
        mine = np.flatnonzero(hand == number)
        if len(mine):
            free[mine] = ground.clash(name, station).free(q[mine])
    return free


def _count(
    case: Case,
    ground: Ground,
    station: int,
    q: Array,
    hand: IntArray,
    why: Counter[tuple[Stop, str]],
) -> None:
    """Count what postures (n, dof) strike at a station, of each hand's some."""
    for number, name in enumerate(case.envelope.hands):
        struck = np.flatnonzero(hand == number)[:64]
        if not len(struck):
            continue
        near = ground.clash(name, station).clearances(q[struck], enough=0.0)
        arm = {case.body.figure.joints[k].name for k in case.body.figure.path(name)}
        for k in range(len(struck)):
            pair = near.names(k)
            if pair is not None:
                why[_kind(case, pair[0], arm), pair[1]] += 1


def _kind(case: Case, link: str, arm: set[str]) -> Stop:
    """Return what a link of the person is."""
    if link == "device":
        return Stop.DEVICE
    joint = next((n for n, each in case.body.figure.links.items() if each.name == link), link)
    return Stop.ARM if joint in arm and joint[:2] in ("r_", "l_") else Stop.BODY


def _unlike(case: Case, way: Way, most: int, rng: np.random.Generator) -> IntArray:
    """Return numbers of postures to keep: of bases alike the most comfortable ones come first."""
    cost = case.envelope.discomfort.of(case.body.figure, way.q) + 2.0 * way.walked
    cell = np.floor(way.q[:, :3] / (APART[0], APART[0], APART[1])).astype(np.int64)
    order = np.lexsort((cost, way.hand, cell[:, 2], cell[:, 1], cell[:, 0]))
    columns = (*cell[order].T, way.hand[order])
    same = np.zeros(len(order), bool)
    same[1:] = np.all([c[1:] == c[:-1] for c in columns], axis=0)
    first = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    nth = np.arange(len(order)) - first
    # the best of each kind before the second best of any; which kinds is left to chance, for what
    # is comfortable now may be shut in later
    ranked = order[np.lexsort((rng.random(len(order)), nth))]
    return np.asarray(ranked[:most])


def _outlines(corners: Array, base: Array) -> Any:
    """Return polygons (m,) of an outline (k, 2) of the base frame at bases (m, 3)."""
    c, s = np.cos(base[:, 2])[:, None], np.sin(base[:, 2])[:, None]
    x = base[:, :1] + c * corners[:, 0] - s * corners[:, 1]
    y = base[:, 1:2] + s * corners[:, 0] + c * corners[:, 1]
    return shapely.polygons(np.stack([x, y], axis=-1))
