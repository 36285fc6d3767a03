"""What moves on a hinge when somebody operates it: a drawer, the door of an oven, a tap's lever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from articulata.analyses.reach.surroundings.room import Room, point_of
from articulata.analyses.reach.surroundings.sweeping import free_share
from articulata.errors import WorldError
from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import PRISMATIC, REVOLUTE, Joint
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
            f"'{path}' cannot be operated: '{body}' is {how}; join it to what stands still with "
            "one pin or slider, for instance join door to frame with pin(axis: y) matching "
            "(edge, edge) limits (0, 90 deg)"
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
