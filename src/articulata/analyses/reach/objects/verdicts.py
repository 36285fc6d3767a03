"""Verdicts on objects: whether they are reached, what stops the person, what would mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import shapely

from articulata.analyses.reach.one_person.bare_reach import COARSE
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.points.aligning import held, most_struck
from articulata.analyses.reach.points.climbing import climb
from articulata.analyses.reach.points.labelling import labels_alone, labels_of
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.surroundings.furniture import (
    Mends,
    axis_name,
    between,
    fits,
    movable,
    moved,
    pushed_aside,
    stands,
    stays_hung,
    together,
)
from articulata.analyses.reach.surroundings.mechanisms import openable, opened
from articulata.analyses.reach.surroundings.moved_overlaps import depth
from articulata.analyses.reach.surroundings.room import Room, point_of, room_of
from articulata.geometry.arrays import Array
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED
from articulata.records.reach_verdicts import ReachReason, Remedy, Verdict
from articulata.world.model import World
from articulata.world.requests.reach import Aligned, Thing, path_of

STEP = 0.05
"""m. Remedies are whole numbers of it."""

MOST = 0.80
"""m. Farther than this nothing is moved to mend a verdict."""

TOGETHER = 4
"""So many steps are looked at together: heights made ready at once cost less."""

BARRIERS = 4
"""So many things that may shut the way are tried one by one."""

TRIED = 48
"""Base places that are looked at for what stands in the way."""

LIGHTER = 0.5
"""kg. What can be carried is a whole number of it."""

OPENED = (1.0, 0.75, 0.5, 0.25)
"""Shares of the way a thing goes freely, to which it is opened."""

HIDDEN = (ReachReason.BLOCKED, ReachReason.INSIDE, ReachReason.NOT_HELD, ReachReason.GAVE_UP)
"""Reasons that something to be opened may be behind."""

Recase = Callable[[Room], Case]
Heed = Callable[[], None]
"""Called before each change that is tried; what it raises ends the search."""


def verdict_of(case: Case, thing: Thing) -> Verdict:
    """Return the verdict on an object, without a remedy."""
    room, path = case.room, path_of(thing)
    body, p_W = point_of(room.world, path)
    del body
    p = room.into(p_W)
    found = labels_alone(case, p[None])
    label, reason = int(found.label[0]), ReachReason(int(found.reason[0]))
    said = Verdict(path, case.name, label, reason, p_W)
    if label == NOT_FOUND:
        said = replace(said, tried=int(found.tried[0]))
    if isinstance(thing, Aligned):
        said = replace(said, aligned=thing)
        if label == ACCESSIBLE:
            return _held(case, said, thing, p)
    if label == ACCESSIBLE:
        q = case.whole(found, np.array([0]))[0]
        return replace(
            said,
            hand=case.envelope.hands[int(found.hand[0])],
            base=found.base[0].copy(),
            q=q,
            cost=float(found.cost[0]),
            lean=float(case.body.bend(q)),
        )
    if label == PROVED and reason == ReachReason.INSIDE:
        return replace(said, obstacle=_around(room, p))
    if case.body.load and label == NOT_FOUND and _reached(case.carrying(0.0), thing):
        return replace(said, reason=ReachReason.TOO_HEAVY)
    far = reason in (ReachReason.GAVE_UP, ReachReason.TOO_FAR)
    if far and case.beyond_a_way(p) and _reached(case.without_door, thing):
        reason = ReachReason.NO_WAY
    if reason == ReachReason.NO_WAY:
        sill = case.sill_before(p)
        return replace(said, reason=reason, obstacle="" if sill is None else sill.body)
    if label == PROVED:
        return replace(said, short=_missing(case, p, reason))
    if reason == ReachReason.NO_PLACE:
        return said
    obstacle, reason = _in_the_way(case, p)
    return replace(said, obstacle=obstacle, reason=reason)


def _held(case: Case, said: Verdict, asked: Aligned, p: Array) -> Verdict:
    """Return the verdict on an object that is reached, if the hand may be held in any way."""
    found = held(case, p, asked)
    if found.q is None:
        return replace(
            said,
            label=NOT_FOUND,
            reason=ReachReason.NOT_HELD,
            off=found.off,
            obstacle=found.obstacle,
        )
    return replace(
        said,
        hand=found.hand,
        base=found.q[:3].copy(),
        q=found.q,
        cost=found.cost,
        lean=float(case.body.bend(found.q)),
        off=found.off,
    )


def _around(room: Room, p: Array) -> str:
    """Return the body that a point (3,) of G lies deepest in."""
    about = [s for s in room.solids if ((s.outer.min(0) <= p) & (s.outer.max(0) >= p)).all()]
    deep = ((depth(replace(room, solids=(each,)), p[None])[0], each.body) for each in about)
    return max(deep, default=(0.0, ""))[1]


def _missing(case: Case, p: Array, reason: ReachReason) -> float:
    """Return by how much a point is beyond what a bound allows, m."""
    z = float(p[2]) - case.room.level
    if reason == ReachReason.TOO_FAR:
        least = float(shapely.distance(case.places.anywhere, shapely.Point(*p[:2])))
        return max(least - max(float(case.envelope.farthest(np.array([z]))[0]), 0.0), 0.0)
    if reason not in (ReachReason.TOO_HIGH, ReachReason.TOO_LOW):
        return 0.0
    heights = np.arange(0.0, 3.0, 0.01)
    heights = heights[heights < z] if reason == ReachReason.TOO_HIGH else heights[heights > z][::-1]
    if not len(heights):
        return 0.0
    # what is reached lies together: its end is found by halving from where hips are
    inner = int(np.abs(heights - case.body.hips).argmin())
    outer = len(heights)
    while outer - inner > 1:
        middle = (inner + outer) // 2
        far = float(case.envelope.farthest(heights[middle : middle + 1])[0])
        inner, outer = (middle, outer) if far >= 0.0 else (inner, middle)
    return abs(z - float(heights[inner]))


def _in_the_way(case: Case, p: Array) -> tuple[str, ReachReason]:
    """Return what most postures that would reach a point strike, and why it was not found."""
    bases, rows = case.bases_about(p, TRIED, COARSE)
    if not len(rows):
        return "", ReachReason.GAVE_UP
    q = case.envelope.postures[rows].copy()
    q[:, :3] = bases
    return most_struck(case, q, case.envelope.hand_of[rows]), ReachReason.BLOCKED


def mended(case: Case, verdict: Verdict, recase: Recase, door: str, heed: Heed) -> Verdict:
    """Return a verdict with the smallest change that makes its object accessible, if one is found.

    Changes are tried in steps of ``STEP``: the object lower or higher, into the room, or what
    stands in the way, or shuts the way from the door, taken out of it; a ramp is as good as no
    sill. Before that what moves on a hinge is opened, and a load made lighter. What is said was
    tried: the room was made anew with it. ``heed`` may end the search.
    """
    if verdict.accessible:
        return verdict
    room = case.room
    body, p_W = point_of(room.world, verdict.object)
    if verdict.reason == ReachReason.INSIDE and verdict.obstacle == body:
        return verdict  # wherever the body is, the object is within it

    if verdict.reason == ReachReason.TOO_HEAVY:
        carried = _carried(case, verdict, heed)
        if carried is not None:
            return replace(verdict, remedy=carried)

    no_way = verdict.reason == ReachReason.NO_WAY

    def mends(again: Room) -> bool:
        heed()
        if no_way and not _comes_near(case, again, room.into(p_W), recase):
            return False
        return _reached(recase(again), verdict.asked)

    sill = case.sill_before(room.into(p_W)) if no_way else None
    if sill is not None and mends(_without(room, (sill.body,), door)):
        return replace(verdict, remedy=Remedy("ramp", sill.body, sill.high))
    if verdict.reason in HIDDEN:
        open_ = _opened(case, verdict, body, room.into(p_W), mends, door)
        if open_ is not None:
            return replace(verdict, remedy=open_)
    if no_way:
        others = _on_the_way(case, body, room.into(p_W), mends, door)
    elif verdict.reason in (ReachReason.TOO_HIGH, ReachReason.TOO_LOW):
        others = ()  # wherever one stands
    else:
        others = movable(room, verdict.obstacle, body, room.into(p_W))
    known = no_way or verdict.obstacle in others
    pushed = _freed(room, others, mends, door) if known else None
    brought = None
    # where there is no place to stand, no place of the object would mend it
    if verdict.reason != ReachReason.NO_PLACE and not case.places.shut and not (no_way and pushed):
        brought = _brought(case, verdict, body, p_W, recase, door, heed)
    if not known and brought is None:
        pushed = _freed(room, others, mends, door)
    if pushed is None or brought is None:
        remedy = pushed or brought
    else:
        remedy = pushed if pushed.kind == "push" and pushed.by <= brought.by else brought
    if remedy is None:
        return verdict
    return replace(verdict, remedy=remedy)


def _carried(case: Case, verdict: Verdict, heed: Heed) -> Remedy | None:
    """Return the greatest load with which an object is reached, in steps of ``LIGHTER``.

    It is reached with empty hands, and not with the whole load: between them it is halved. Each
    load is searched for as hard as the verdict was, so that none above is found again.
    """
    least, most = 0, int(np.ceil(case.body.load / LIGHTER - 1e-9))
    while most - least > 1:
        middle = (least + most) // 2
        heed()
        if _reached(case.carrying(middle * LIGHTER), verdict.asked, again=True):
            least = middle
        else:
            most = middle
    return Remedy("carry", "", least * LIGHTER) if least else None


def _opened(
    case: Case, verdict: Verdict, body: str, p: Array, mends: Mends, door: str
) -> Remedy | None:
    """Return what is to be opened for an object at ``p`` (3,) of G to be reached, and how far.

    As far as it goes is tried first. Opened is only that without which the object is reached.
    """
    room = case.room
    for thing in openable(room, verdict.obstacle, body, p):
        if not mends(_without(room, thing.bodies, door)):
            continue
        stations = dict.fromkeys(round(share * thing.last) for share in OPENED)
        for station in (each for each in stations if each):
            world = opened(room, thing, station)
            if world is not None and mends(_again(room, world, door)):
                return Remedy("open", thing.object, station / thing.last)
    return None


def _on_the_way(case: Case, body: str, p: Array, mends: Mends, door: str) -> tuple[str, ...]:
    """Return what may shut the way to the floor from which a point (3,) of G is reached.

    Nothing where the object would not be reached without all of it, as behind a narrow door.
    """
    room, places = case.room, case.places
    reach = float(case.envelope.farthest(p[2:] - room.level)[0])
    beyond = places.cut.intersection(shapely.Point(*p[:2]).buffer(max(reach, 0.0)))
    if beyond.is_empty or room.door is None:
        return ()
    begin = shapely.Point(*room.door) if places.all_free.is_empty else places.all_free
    names = between(room, body, begin, beyond)
    gone = {each for name in names for each in together(room, name)}
    if not names or not mends(_without(room, gone, door)):
        return ()
    return names[:BARRIERS]


def _comes_near(case: Case, again: Room, p: Array, recase: Recase) -> bool:
    """Return whether the base comes within reach of a point (3,) of G in a room made anew.

    What is free there is kept with the case: the same rooms are tried for each object.
    """
    key = tuple(solid.outer.tobytes() for solid in again.solids)
    free = case.opened.get(key)
    if free is None:
        free = case.opened[key] = recase(again).places.all_free
    reach = float(case.envelope.farthest(p[2:] - case.room.level)[0])
    return bool(shapely.dwithin(free, shapely.Point(*p[:2]), max(reach, 0.0)))


def _without(room: Room, gone: Iterable[str], door: str) -> Room:
    return room_of(room.world, floor=room.floor_body, door=door, without=gone)


def _freed(room: Room, names: Sequence[str], mends: Mends, door: str) -> Remedy | None:
    """Return the first push of one of several bodies that mends; else what is to be taken away.

    Pushed is only that without which the object is reached.
    """
    gone = None
    for name in names:
        if mends(_without(room, together(room, name), door)):
            pushed = pushed_aside(room, name, mends, door)
            if pushed is not None:
                return pushed
            gone = gone or Remedy("remove", name)
    return gone


def _brought(
    case: Case,
    verdict: Verdict,
    body: str,
    p_W: Array,
    recase: Recase,
    door: str,
    heed: Heed,
) -> Remedy | None:
    """Return the least move of an object's body that makes it accessible."""
    room = case.room
    if body == room.floor_body:
        return None
    up = room.X_WG[:3, 2]
    # what is set into a wall, or hangs on one, comes no farther into the room
    into = None if body in room.walls() else _into_the_room(case, room.into(p_W))
    if into is not None and not stays_hung(room, body, STEP * into):
        into = None
    # what stands would be in the air
    higher = None if stands(room, body) else up
    ways = (("lower", -up), ("raise", higher), ("forward", into))
    counts = range(1, round(MOST / STEP) + 1)
    for count in counts:
        if count % TOGETHER == 1:
            ahead = range(count, min(count + TOGETHER, counts.stop))
            places = [room.into(p_W + k * STEP * way) for k in ahead for _, way in ways
                      if way is not None]  # fmt: skip
            heights = [round(float(p[2] - room.level), 4) for p in places if _possible(case, p)]
            case.envelope.levels(heights, COARSE)
        for kind, direction in ways:
            heed()
            by = count * STEP
            if direction is None or not _hopeful(case, room.into(p_W + by * direction)):
                continue
            if not fits(room, body, by * direction):
                continue
            world = moved(room, body, by * direction)
            again = None if world is None else _again(room, world, door)
            if again is None or (kind == "lower" and not _above_floor(again, body)):
                continue
            quick = Case(again, case.body, case.envelope, case.places, case.name, case)
            if not _reached(quick, verdict.asked, quick=True):
                continue
            if _reached(recase(again), verdict.asked, quick=True):
                least = _least(case, verdict, body, direction, count, recase, door, heed)
                axis = axis_name(direction) if kind == "forward" else ""
                return Remedy(kind, body, least * STEP, axis)
    return None


def _least(
    case: Case,
    verdict: Verdict,
    body: str,
    direction: Array,
    count: int,
    recase: Recase,
    door: str,
    heed: Heed,
) -> int:
    """Return the least number of steps that mends, going down from ``count``, which does."""
    least = count
    for fewer in range(count - 1, 0, -1):
        heed()
        by = fewer * STEP * direction
        if not fits(case.room, body, by):
            continue
        world = moved(case.room, body, by)
        if world is None:
            break
        if not _reached(recase(_again(case.room, world, door)), verdict.asked):
            break
        least = fewer
    return least


def _possible(case: Case, p: Array) -> bool:
    """Return whether no bound says that a point is out of reach."""
    far = float(case.envelope.farthest(p[2:] - case.room.level)[0])
    return float(shapely.distance(case.places.anywhere, shapely.Point(*p[:2]))) <= far + TOLERANCE


def _hopeful(case: Case, p: Array) -> bool:
    """Return whether a point could be reached if nothing were in the way."""
    if not _possible(case, p):
        return False
    level = case.envelope.level(round(float(p[2] - case.room.level), 4), COARSE)
    if not len(level.offset):
        return False
    least = float(shapely.distance(case.places.anywhere, shapely.Point(*p[:2])))
    return least <= level.farthest


def _reached(case: Case, thing: Thing, *, quick: bool = False, again: bool = False) -> bool:
    """Return whether an object is reached; ``quick`` searches no further than maps do.

    Otherwise it is searched ``again``, by other chances.
    """
    p = case.room.point(path_of(thing))
    found = labels_of(case, p[None])
    if not quick:
        climb(case, p[None], found, again=again)
    if found.label[0] != ACCESSIBLE:
        return False
    return isinstance(thing, str) or held(case, p, thing, quick=quick).q is not None


def _again(room: Room, world: World, door: str) -> Room:
    return room_of(world, floor=room.floor_body, door=door)


def _above_floor(room: Room, body: str) -> bool:
    """Return whether a body is above the floor, all of it."""
    heights = [float(s.inner[:, 2].min()) for s in room.solids if s.body == body and len(s.inner)]
    return min(heights, default=room.level) >= room.level - 1e-6


def _into_the_room(case: Case, p: Array) -> Array | None:
    """Return the level direction (3,) in W from a point to the nearest free floor."""
    area = case.places.anywhere
    if area.is_empty:
        return None
    near = shapely.shortest_line(shapely.Point(*p[:2]), area)
    x0, y0, x1, y1 = (float(v) for xy in near.coords for v in xy)
    away = np.array([x1 - x0, y1 - y0, 0.0])
    size = float(np.linalg.norm(away))
    if size < 1e-6:
        return None
    k = int(np.argmax(np.abs(away)))
    along = np.zeros(3)
    along[k] = np.sign(away[k])
    return np.asarray(case.room.X_WG[:3, :3] @ along)
