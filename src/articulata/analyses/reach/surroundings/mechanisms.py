"""What moves on a hinge when somebody operates it: a drawer, the door of an oven, a tap's lever.

What may be opened for an object to be reached: a leaf, a lid, the front of a drawer.

How far a thing moves on its hinge before it strikes what stands about it.

It advances by no more than what parts it from the nearest piece of another body (conservative
advancement: Mirtich 1996), so that nothing is passed over that is thicker than ``GRAIN``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from articulata.analyses.reach.surroundings.furniture import standing_on
from articulata.analyses.reach.surroundings.moved_overlaps import ROUNDING, depths, pieces_of
from articulata.analyses.reach.surroundings.room import Room, point_of
from articulata.errors import ArticulataError, WorldError
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.contacts.pieces import HALF_SPACE, MEETS, Pieces, Standing
from articulata.kinematics.clash import stand_at
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import PRISMATIC, REVOLUTE, Joint
from articulata.world.edits.value_edits import Place
from articulata.world.figures.derivation import pose_of_matrix
from articulata.world.model import Hinge, World

STEP = 0.025
"""m. The handle moves no farther from one station to the next."""

LEAST = 6
"""Stations at least, beside the first."""

LOOSE = 1e-3
"""m and rad. How far things may stand from where their hinge would hold them."""


@dataclass(frozen=True, slots=True, eq=False)
class Mechanism:
    """A thing on a hinge, from where it stands to the limit that is farther away.

    ``values`` (n,) of the hinge, rad where it ``turns``, else m; ``handle`` (n, 3) and ``moves``
    (n, 4, 4), how ``bodies`` are displaced, in G. After ``free`` of its way, 0 to 1, the thing
    strikes ``struck`` of the room; "" where all of it is free.
    """

    object: str
    hinge: str
    bodies: tuple[str, ...]
    turns: bool
    values: Array
    handle: Array
    moves: Array
    free: float
    struck: str

    @property
    def last(self) -> int:
        """The last station before the thing strikes something."""
        return int(np.floor(self.free * (len(self.values) - 1) + 1e-9))

    def poses(self, room: Room, station: int) -> dict[str, Array]:
        """Return where the bodies with a shape are at a station, (4, 4) in G."""
        X = self.moves[station]
        return {each.name: X @ each.X_WS for each in room.obstacles if each.name in self.bodies}


@lru_cache(maxsize=16)
def mechanism_of(room: Room, path: str) -> Mechanism:
    """Return what moves where somebody takes the feature ``path`` and pulls.

    Raise WorldError where its body is on no hinge with one coordinate and two limits.
    """
    world = room.world
    body, p_W = point_of(world, path)
    hinge, bodies, forward = _hinge(world, path, body)
    if not hinge.limits or not np.isfinite(hinge.limits[0]).all():
        raise WorldError(
            f"'{path}' is operated by hinge '{hinge.id}', which has no limits; write how far it "
            "goes, for instance limits (0, 90 deg)"
        )
    X_GW = np.linalg.inv(room.X_WG)
    inner = hinge.body_b if forward else hinge.body_a
    frame = hinge.frame_b if forward else hinge.frame_a
    X_GH = X_GW @ world.bodies[inner].pose.matrix() @ frame.matrix()
    turns = hinge.kind.name == "revolute"
    now = _value(world, hinge)
    low, high = hinge.limits[0]
    end = high if high - now >= now - low else low
    if abs(end - now) < 1e-6:
        raise WorldError(f"hinge '{hinge.id}' of '{path}' has no room to move between its limits")
    sign = 1.0 if forward else -1.0
    joint = Joint(
        "hinge", REVOLUTE if turns else PRISMATIC, X_GH,
        np.linalg.inv(_moved(turns, sign * now)) @ np.linalg.inv(X_GH),
    )  # fmt: skip
    thing = Figure([joint], [-1], name=path)
    p = room.into(p_W)
    trial = thing.poses(sign * np.linspace(now, end, 65)[:, None])[:, 0]
    way = trial[:, :3, :3] @ p + trial[:, :3, 3]
    far = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
    if far < 0.01:
        raise WorldError(
            f"'{path}' hardly moves when hinge '{hinge.id}' does; name a feature farther from its "
            "axis"
        )
    count = max(LEAST, int(np.ceil(far / STEP)))
    values = np.linspace(now, end, count + 1)
    moves = thing.poses(sign * values[:, None])[:, 0]
    far = abs(end - now) * (_farthest(room, bodies, X_GH) if turns else 1.0)

    def moved(share: float) -> Array:
        return np.asarray(thing.poses([sign * (now + share * (end - now))])[0])

    free, struck = free_share(room, bodies, _carriers(world, hinge, forward), moved, far)
    return Mechanism(
        path,
        hinge.id,
        bodies,
        turns,
        values,
        moves[:, :3, :3] @ p + moves[:, :3, 3],
        moves,
        free,
        struck,
    )


def _moved(turns: bool, value: float) -> Array:
    X = np.eye(4)
    if turns:
        c, s = np.cos(value), np.sin(value)
        X[:2, :2] = [[c, -s], [s, c]]
    else:
        X[2, 3] = value
    return X


def _value(world: World, hinge: Hinge) -> float:
    """Return the hinge's coordinate where its bodies stand, rad or m."""
    X_WA, X_WB = (world.bodies[each].pose.matrix() for each in (hinge.body_a, hinge.body_b))
    X = np.linalg.inv(X_WB @ hinge.frame_b.matrix()) @ X_WA @ hinge.frame_a.matrix()
    turns = hinge.kind.name == "revolute"
    value = float(np.arctan2(X[1, 0], X[0, 0])) if turns else float(X[2, 3])
    if not np.allclose(X, _moved(turns, value), atol=LOOSE):
        raise WorldError(
            f"hinge '{hinge.id}' does not hold where '{hinge.body_a}' and '{hinge.body_b}' are "
            f"placed: they are {np.abs(X - _moved(turns, value)).max():.3f} (m, rad) apart there; "
            "place one of them by the other's feature"
        )
    return _within(value, hinge) if turns else value


def _within(angle: float, hinge: Hinge) -> float:
    """Return an angle (rad) with the whole turns that bring it within a hinge's limits, or near."""
    low, high = hinge.limits[0]
    whole = 2.0 * np.pi
    turned = [angle + whole * round((each - angle) / whole) for each in (angle, low, high)]
    turned += [angle + whole * np.ceil((low - angle) / whole)]

    def beyond(value: float) -> float:
        return round(max(low - value, value - high, 0.0), 9)

    return float(min(turned, key=beyond))


def _hinge(world: World, path: str, body: str) -> tuple[Hinge, tuple[str, ...], bool]:
    """Return the hinge that a body moves on, what moves with it, and whether A moves on B."""
    group = _joined(world, [body], [h for h in world.hinges.values() if h.kind.name == "weld"])
    found = [
        (hinge, hinge.body_a in group)
        for hinge in world.hinges.values()
        if hinge.kind.name in ("revolute", "prismatic")
        and (hinge.body_a in group) != (hinge.body_b in group)
    ]
    # a thing that carries others moves on the hinge that joins it to what carries it
    found = [each for each in found if each[1]] or found
    if len(found) != 1:
        how = f"on several hinges: {', '.join(h.id for h, _ in found)}" if found else "on no hinge"
        raise WorldError(
            f"'{path}' cannot be operated: '{body}' is {how}; write --objects '{path}' where it is "
            "only touched, or join it to what stands still with one pin or slider, for instance "
            "join door to frame with pin(axis: y) matching (edge, edge) limits (0, 90 deg)"
        )
    hinge, forward = found[0]
    rest = [each for each in world.hinges.values() if each is not hinge]
    bodies = _joined(world, [body], rest)
    if (hinge.body_b if forward else hinge.body_a) in bodies:
        raise WorldError(
            f"'{path}' cannot be operated: hinge '{hinge.id}' is part of a loop of hinges"
        )
    return hinge, bodies, forward


def _farthest(room: Room, bodies: Sequence[str], X_GH: Array) -> float:
    """Return how far from the axis z of H the points of bodies are at most, m."""
    corners = [each.outer for each in room.solids if each.body in bodies]
    if not corners:
        return 0.0
    p_H = (np.concatenate(corners) - X_GH[:3, 3]) @ X_GH[:3, :3]
    return float(np.linalg.norm(p_H[:, :2], axis=1).max())


def _carriers(world: World, hinge: Hinge, forward: bool) -> tuple[str, ...]:
    """Return what carries a thing: the other body of its hinge, and what is welded to that."""
    welds = [each for each in world.hinges.values() if each.kind.name == "weld"]
    return _joined(world, [hinge.body_b if forward else hinge.body_a], welds)


def _joined(world: World, start: Sequence[str], hinges: Sequence[Hinge]) -> tuple[str, ...]:
    found = list(start)
    for at in found:
        for hinge in hinges:
            for one, other in (
                (hinge.body_a, hinge.body_b),
                (hinge.body_b, hinge.body_a),
            ):
                if one == at and other not in found:
                    found.append(other)
    return tuple(each for each in world.bodies if each in found)


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


NEAR: Final = 0.80
"""m. What is so near an object may hide it."""

MOST: Final = 3
"""So many things are tried, the nearest first."""


def openable(room: Room, obstacle: str, body: str, p: Array) -> tuple[Mechanism, ...]:
    """Return what could be opened for an object on ``body`` at ``p`` (3,) of G to be reached.

    It moves on a hinge with limits, is the ``obstacle`` or near the object, and the object does not
    go along with it. What something stands on is left shut, and so is what its hinge would bring
    nearer to zero.
    """
    away = {
        hinge.id: -1.0 if hinge.body_a == obstacle else _away(room, hinge.body_a, p)
        for hinge in room.world.hinges.values()
        if hinge.kind.name in ("revolute", "prismatic")
    }
    near = sorted((each for each in away if away[each] < NEAR), key=lambda each: away[each])
    found: list[Mechanism] = []
    for name in near[:MOST]:
        hinge = room.world.hinges[name]
        try:
            thing = mechanism_of(room, hinge.body_a)
        except WorldError:
            continue  # it has no limits, or is joined in another way: it stays where it is
        shuts = abs(thing.values[-1]) < abs(thing.values[0])
        if thing.hinge != name or body in thing.bodies or shuts or not thing.last:
            continue
        if not _carries(room, thing, hinge):
            found.append(thing)
    return tuple(found)


def opened(room: Room, thing: Mechanism, station: int) -> World | None:
    """Return the world with a thing moved on its hinge to a station; None where it is refused."""
    X_WG = room.X_WG
    move = X_WG @ thing.moves[station] @ np.linalg.inv(X_WG)
    edits = [
        Place(name, pose_of_matrix(move @ room.world.bodies[name].pose.matrix()))
        for name in thing.bodies
    ]
    try:
        return room.world.edit(edits)
    except ArticulataError:
        return None


def _carries(room: Room, thing: Mechanism, hinge: Hinge) -> bool:
    """Return whether anything but what it is joined to stands on a thing."""
    own = {*thing.bodies, hinge.body_b}
    return any(other not in own for name in thing.bodies for other in standing_on(room, name))


def _away(room: Room, body: str, p: Array) -> float:
    """Return how far ``p`` (3,) of G is from the boxes about a body's solids, m."""
    corners = [each.outer for each in room.solids if each.body == body]
    gaps = (np.maximum(np.maximum(c.min(axis=0) - p, p - c.max(axis=0)), 0.0) for c in corners)
    return min((float(np.linalg.norm(gap)) for gap in gaps), default=np.inf)
