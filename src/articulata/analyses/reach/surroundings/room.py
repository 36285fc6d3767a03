"""A world as a room: its floor, what stands in it, and where its door is.

G is the room's ground frame: z up, 0 where people stand, its z axis through W's origin, x along W's
first axis that is not up.
Lengths in m.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.surroundings.outlines import corners_of
from articulata.analyses.reach.surroundings.standing_floor import (
    CHANGE,
    StandingFloor,
    faces_of,
    standing_floor,
)
from articulata.errors import WorldError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.convex_pieces.piece_table import PieceTable, piece_table
from articulata.geometry.shapes import HalfSpace
from articulata.kernels.contacts.pieces import HALF_SPACE, HOLLOW, POLYTOPE, ROUND, Pieces
from articulata.kinematics.clash import Obstacle
from articulata.world.body_features import feature_of
from articulata.world.figures.nodes import upward
from articulata.world.model import Body, World
from articulata.world.paths import hint, resolve
from articulata.world.values import Vector3

WALLS: Final = ("wall", "partition")
"""Last words of what is called a wall."""

HIGH_WALL = 1.8
"""m. What stands on the floor and is lower than this is no wall, whatever it is called."""

THIN_WALL = 0.25
"""m. Nor is what is thicker than this anywhere."""

LONG_WALL = 2.0
"""So many times as long as it is thick, at least, is a wall: a post is none."""

LEAST_WALL = 1.2
"""m. Nor is what is shorter than this, as a door's leaf, a mirror or a shelf are, unless it is as
high as a room."""

ROOM_HIGH = 2.2
"""m. What is as high as a room is a wall whatever it is called, and however short it is, as a pier
beside a door; what is lower may be a bookcase."""

FOOT = 0.05
"""m. What begins lower than this above the floor stands on it."""


@dataclass(frozen=True, eq=False)
class Solid:
    """One convex piece of a body in G: ``outer`` (k, 3) corners about it, ``inner`` within it."""

    body: str
    outer: Array
    inner: Array

    @cached_property
    def outline(self) -> Any:
        """What it covers, seen from above: a shape in G's plane."""
        return shapely.multipoints(self.outer[:, :2]).convex_hull


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """A world seen by somebody who moves on its floor.

    ``X_WG`` (4, 4); ``floor`` a polygon in G's plane; ``door`` a point of G's plane or None;
    ``obstacles`` are what a body may strike, in G. ``rise`` is between the
    lowest and the highest of the floor; ``apart`` are how much higher other floor is, and its area,
    m2.
    """

    world: World
    X_WG: Array
    floor: Any
    floor_body: str
    door: Array | None
    obstacles: tuple[Obstacle, ...]
    solids: tuple[Solid, ...]
    rise: float = 0.0
    apart: tuple[tuple[float, float], ...] = ()

    @property
    def level(self) -> float:
        """Height of the floor in G: figures stand at its zero."""
        return 0.0

    def into(self, points: Float64[Array, "*batch 3"]) -> Float64[Array, "*batch 3"]:
        """Return points of W in G."""
        return np.asarray((points - self.X_WG[:3, 3]) @ self.X_WG[:3, :3])

    def out(self, points: Float64[Array, "*batch 3"]) -> Float64[Array, "*batch 3"]:
        """Return points of G in W."""
        return np.asarray(points @ self.X_WG[:3, :3].T + self.X_WG[:3, 3])

    def walls(self) -> tuple[str, ...]:
        """Return the bodies that stand beside the floor, or on it, thin and high."""
        return _walls(self)

    def standing_walls(self) -> Iterator[str]:
        """Yield the walls that stand on the floor and are not called so."""
        for body in self.walls():
            solids = [each for each in self.solids if each.body == body]
            if not self._beside(outline_of(solids)) and not called(body, WALLS):
                yield body

    def _beside(self, outline: Any) -> bool:
        """Return whether less than half of an outline is over the floor."""
        return bool(outline.intersection(self.floor).area < 0.5 * outline.area)

    def _wall(self, solids: list[Solid]) -> bool:
        """Return whether the solids of a body make a wall."""
        whole = outline_of(solids)
        if self._beside(whole):
            return True
        low = min(float(each.outer[:, 2].min()) for each in solids) - self.level
        high = max(float(each.outer[:, 2].max()) for each in solids) - self.level
        highest = HIGH_WALL if called(solids[0].body, WALLS) else ROOM_HIGH
        if low > FOOT or high < highest - 1e-6 or not whole.buffer(-0.5 * THIN_WALL).is_empty:
            return False
        # the sides of the rectangle that has the same area and the same outline
        half = 0.5 * float(whole.length)
        thick = 0.5 * (half - np.sqrt(max(half * half - 4.0 * float(whole.area), 0.0)))
        least = 0.0 if high >= ROOM_HIGH else LEAST_WALL - 1e-6
        return bool(half - thick >= max(LONG_WALL * thick, least))

    def point(self, path: str) -> Array:
        """Return where a feature (or the centre of a body) is, in G."""
        return self.into(point_of(self.world, path)[1])


@lru_cache(maxsize=16)
def _walls(room: Room) -> tuple[str, ...]:
    found: dict[str, list[Solid]] = {}
    for solid in room.solids:
        found.setdefault(solid.body, []).append(solid)
    return tuple(body for body, solids in found.items() if room._wall(solids))


def called(name: str, words: Sequence[str]) -> bool:
    """Return whether a name ends in one of the words, its number left out."""
    last = name.rpartition(".")[2].partition("[")[0].rstrip("0123456789_")
    return any(f"_{last}".endswith(f"_{each}") for each in words)


def outline_of(solids: Iterable[Solid]) -> Any:
    """Return the outline of solids in G's plane, m."""
    return shapely.union_all([each.outline for each in solids])


def ground_frame(up: Vector3) -> Array:
    """Return ``X_WG`` of a world whose ``up`` (3,) is G's z."""
    z = np.asarray(up, float)
    first = np.eye(3)[0] if abs(z[0]) < 0.9 else np.eye(3)[1]
    x = first - z * (first @ z)
    x /= np.linalg.norm(x)
    X = np.eye(4)
    X[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    return X


def point_of(world: World, path: str) -> tuple[str, Array]:
    """Return the body and the place in W, m, of a feature, or of a body's centre."""
    found = resolve(world, path)
    if found.kind not in ("feature", "body"):
        raise WorldError(
            f"'{path}' is a {found.kind}; to be reached it must be a body or a feature"
        )
    body = world.bodies[found.id]
    name = found.feature if found.kind == "feature" and found.feature else "center"
    feature = feature_of(body, name)
    pose = body.pose.matrix() @ feature.pose.matrix()
    return body.id, np.asarray(pose[:3, 3])


def room_of(world: World, *, floor: str = "", door: str = "", without: Iterable[str] = ()) -> Room:
    """Return a world as a room.

    ``floor`` is the body to move on, that called ``floor`` where none is named; ``door`` a body
    or feature at the door. People stand on level faces of the floor at one height, and what of it
    is higher is in the way. Figures of the world, and bodies ``without``, are no obstacles; of the
    floor that is what is higher. Raise WorldError where there is no floor, or none that is level.
    """
    X_WG = ground_frame(upward(world.gravity))
    ground = _floor_body(world, floor)
    gone = {*without}
    bodies = _bodies(world, ground, gone)
    X_GW = np.linalg.inv(X_WG)
    table = _pieces(bodies)
    poses = [X_GW @ body.pose.matrix() for body in bodies]
    solids = dict(_solids(table, [body.id for body in bodies], poses))
    place = None
    if door:
        place = (point_of(world, door)[1] - X_WG[:3, 3]) @ X_WG[:3, :3]
    stood = _stood_on(ground, table.arrays, solids, poses, place)
    # people stand at G's zero
    rise = np.array([0.0, 0.0, stood.level])
    X_WG[:3, 3] = X_WG[:3, :3] @ rise
    lowered = np.eye(4)
    lowered[:3, 3] = -rise
    return Room(
        world,
        X_WG,
        stood.outline,
        ground,
        None if place is None else place[:2],
        tuple(
            Obstacle(body.id, body.shape, lowered @ X)
            for body, X in zip(bodies, poses, strict=True)
            if body.shape is not None
        ),
        tuple(
            Solid(solid.body, solid.outer - rise, solid.inner - rise)
            for i, solid in solids.items()
            if solid.body != ground
            or (ground not in gone and _rises(table.arrays, i, solid, stood))
        ),
        stood.rise,
        stood.apart,
    )


def _bodies(world: World, ground: str, gone: set[str]) -> list[Body]:
    """Return what has a shape in a room: bodies but those ``gone`` and the figures'; the floor."""
    movers = tuple(f"{name}." for name in world.figures)
    bodies = [
        body
        for body in world.bodies.values()
        if body.shape is not None
        and (body.id not in gone or body.id == ground)
        and not (movers and body.id.startswith(movers))
    ]
    if any(isinstance(body.shape, HalfSpace) for body in bodies if body.id == ground):
        raise WorldError(
            f"the floor '{ground}' is a half-space without an edge; a room's floor is a body with "
            "an upper face, such as cuboid(4 m, 10 cm, 3 m)"
        )
    return bodies


def _pieces(bodies: Sequence[Body]) -> PieceTable:
    """Return the convex pieces of bodies; refuse one that is not cut into such."""
    table = piece_table([body.shape for body in bodies], surfaces=True)
    if table.untested:
        name = bodies[table.untested[0]].id
        raise WorldError(
            f"'{name}' has too many dents or triangles to be cut into convex pieces; give a "
            "simpler shape, a coarser mesh, or cut it into several files"
        )
    return table


@dataclass(frozen=True, slots=True)
class _Ground:
    """The floor's pieces as they lie, by ``corners``, and the door: rooms made anew ask again."""

    name: str
    numbers: tuple[int, ...]
    corners: bytes
    door: bytes
    arrays: Pieces = field(compare=False)
    X: Array = field(compare=False)
    inner: tuple[Array, ...] = field(compare=False)
    place: Array | None = field(compare=False)


def _stood_on(
    ground: str, arrays: Pieces, solids: dict[int, Solid], poses: list[Array], door: Array | None
) -> StandingFloor:
    """Return where people stand on the floor, whose pieces are among the solids."""
    own = {i: solid.inner for i, solid in solids.items() if solid.body == ground}
    own = {i: inner for i, inner in own.items() if len(inner)}
    X = next((poses[int(arrays.body[i])] for i in own), np.eye(4))
    corners = b"".join(inner.tobytes() for inner in own.values())
    at = b"" if door is None else door.tobytes()
    return _found(_Ground(ground, tuple(own), corners, at, arrays, X, tuple(own.values()), door))


@lru_cache(maxsize=8)
def _found(ground: _Ground) -> StandingFloor:
    faces, hulls = [], {}
    for i, inner in zip(ground.numbers, ground.inner, strict=True):
        hulls[i] = shapely.MultiPoint(inner[:, :2]).convex_hull
        faces += faces_of(ground.arrays, i, ground.X, inner)
    return standing_floor(ground.name, faces, hulls, ground.place)


def _rises(arrays: Pieces, i: int, solid: Solid, stood: StandingFloor) -> bool:
    """Return whether a piece of the floor is higher than where people stand on it."""
    high = float(solid.outer[:, 2].max()) > stood.level + CHANGE
    return high and i not in stood.outlines and arrays.kind[i] in (POLYTOPE, ROUND, HOLLOW)


def _floor_body(world: World, name: str) -> str:
    if name:
        found = resolve(world, name)
        if found.kind != "body":
            raise WorldError(f"the floor '{name}' is a {found.kind}; name a body")
        if world.bodies[found.id].shape is None:
            raise WorldError(f"the floor '{name}' has no shape; name a body with an upper face")
        return found.id
    for body in world.bodies.values():
        if body.id.rpartition(".")[2] == "floor" and body.shape is not None:
            return body.id
    known = [body.id for body in world.bodies.values() if body.shape is not None]
    raise WorldError(
        f"world '{world.name}' has no floor to stand on{hint('floor', known)}; call a body "
        "'floor', or name one: 'points: grid 5 cm in BODY' in a text, floor=BODY in Python"
    )


def _solids(table: PieceTable, names: list[str], poses: list[Array]) -> Iterable[tuple[int, Solid]]:
    """Yield solids by the numbers of their pieces."""
    arrays = table.arrays
    for i, kind in enumerate(arrays.kind):
        name, X = names[int(arrays.body[i])], poses[int(arrays.body[i])]
        if kind == HALF_SPACE:
            continue
        outer, inner = corners_of(arrays, i)
        core = table.hulls[i].core
        inner = inner if core is None else core
        yield i, Solid(name, outer @ X[:3, :3].T + X[:3, 3], inner @ X[:3, :3].T + X[:3, 3])
