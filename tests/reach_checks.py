"""Checks of what a person reaches in a room that share no code with the search, and a search that
shares nothing with it but the solver: places to stand drawn by chance, many starts from each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import shapely

import articulata as art
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.ways.device_parts import CLEAR
from articulata.analyses.reach.ways.footprints import ChairFootprint, WalkerFootprint
from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, Named, Placed, Union
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.link import Part

Array = np.ndarray

HALL = 1.5
"""m. The floor beyond the door reaches so far from it."""


@dataclass(frozen=True)
class Block:
    """A box of a room: ``X`` (4, 4) its pose in the ground frame, ``half`` (3,) its half edges."""

    body: str
    X: Array
    half: Array

    def inside(self, points: Array) -> Array:
        """Return how deep points (n, 3) of the ground frame lie in it, m; negative outside."""
        own = (points - self.X[:3, 3]) @ self.X[:3, :3]
        return np.asarray((self.half - np.abs(own)).min(axis=1))

    def outline(self) -> shapely.Polygon:
        """Return what it covers, seen from above."""
        return shapely.MultiPoint(self.corners()[:, :2]).convex_hull

    def corners(self) -> Array:
        """Return its corners (8, 3) in the ground frame."""
        unit = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        return np.asarray((unit * self.half) @ self.X[:3, :3].T + self.X[:3, 3])


def blocks_of(world: art.World) -> list[Block]:
    """Return the boxes of a world of cuboids and upright cylinders (a square within each)."""
    up = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])  # y up
    found = []
    for body in world.bodies.values():
        if body.shape is not None:
            X = up @ body.pose.matrix()
            found += [Block(body.id, X @ own, half) for own, half in _boxes(body.shape)]
    return found


def _boxes(shape: object) -> list[tuple[Array, Array]]:
    if isinstance(shape, Union):
        return [pair for each in shape.parts for pair in _boxes(each)]
    if isinstance(shape, Named):
        return _boxes(shape.shape)
    if isinstance(shape, Placed):
        return [(shape.X_PS @ X, half) for X, half in _boxes(shape.shape)]
    if isinstance(shape, Cylinder):
        side = shape.radius / np.sqrt(2.0)
        return [(np.eye(4), np.array([side, side, shape.length / 2]))]
    assert isinstance(shape, Cuboid)
    return [(np.eye(4), np.array([shape.x, shape.y, shape.z]) / 2)]


def poses_of(figure: art.Figure, q: Array) -> Array:
    """Return the poses (n, joints, 4, 4) of all links for postures (n, dof): the definition."""
    M, offset = figure.mapping
    values = q @ M.T + offset
    poses = np.empty((len(q), len(figure.joints), 4, 4))
    for number, joint in enumerate(figure.joints):
        parent = figure.parents[number]
        before = figure.base if parent < 0 else poses[:, parent]
        motion = np.tile(np.eye(4), (len(q), 1, 1))
        if joint.kind == "prismatic":
            motion[:, 2, 3] = values[:, number]
        elif joint.kind == "revolute":
            c, s = np.cos(values[:, number]), np.sin(values[:, number])
            motion[:, 0, 0], motion[:, 0, 1], motion[:, 1, 0], motion[:, 1, 1] = c, -s, s, c
        poses[:, number] = before @ joint.X_PJ @ motion @ joint.X_JL
    return poses


def check_postures(case: Case, points: Array, q: Array, hands: Array) -> dict[str, float]:
    """Return the worst of postures (n, dof) that reach points (n, 3) of the ground frame.

    ``miss``, ``deep`` (in the room), ``drawn`` (the same of what is seen of palm and thumb) and
    ``pressed`` (forearm and hand in the device) in m,
    ``sunk`` in m (forearm and hand in the pelvis, less what they overlap it by at rest),
    ``beyond`` (limits) in rad; ``shut`` counts bases not free.
    """
    figure = case.body.figure
    blocks = [b for b in blocks_of(case.room.world) if b.body != case.room.floor_body]
    miss = deep = drawn = pressed = sunk = -1.0
    device = [_block(part) for part in figure.links["base turn"].collisions]
    turn, hips = figure.index("base turn"), figure.index("sacroiliac")
    pelvis = [_block(part) for part in figure.links["sacroiliac"].collisions]
    at_rest = _at_rest(case, hips, pelvis)
    for number, hand in enumerate(case.envelope.hands):
        mine = np.flatnonzero(hands == number)
        joint, X_LP = figure.place(f"{hand[0]}_middle_distal_tip")
        hidden = {*case.body.idle[hand], *case.body.covered, "base turn"}
        for begin in range(0, len(mine), SOME):
            some = mine[begin : begin + SOME]
            poses = poses_of(figure, q[some])
            tips = poses[:, joint] @ X_LP
            for piece in _drawn(figure, joint):
                drawn = max(drawn, _deepest(poses[:, joint] @ piece.X_LS, piece.shape, blocks))
            miss = max(miss, float(np.linalg.norm(tips[:, :3, 3] - points[some], axis=1).max()))
            for place, each in enumerate(figure.joints):
                if each.name not in hidden:
                    for part in figure.links[each.name].collisions:
                        X = poses[:, place] @ part.X_LS
                        deep = max(deep, _deepest(X, part.shape, blocks))
                        if each.name in case.body.striking(hand):
                            X_DS = np.linalg.inv(poses[:, turn]) @ X
                            pressed = max(pressed, _deepest(X_DS, part.shape, device))
                            X_HS = np.linalg.inv(poses[:, hips]) @ X
                            sunk = max(sunk, _deepest(X_HS, part.shape, pelvis) - at_rest)
    beyond = float(np.maximum(figure.lower - q, q - figure.upper).max())
    shut = int(sum(~stand(case, q[:, :3])))
    return {
        "miss": miss, "deep": deep, "drawn": drawn, "pressed": pressed, "sunk": sunk,
        "beyond": beyond, "shut": shut,
    }  # fmt: skip


def _drawn(figure: art.Figure, joint: int) -> list[Part]:
    """Return what is seen of palm and thumb."""
    found = []
    for part in figure.links[figure.joints[joint].name].visuals:
        assert isinstance(part.shape, Union)
        for each in part.shape.parts:
            assert isinstance(each, Named)
            if each.name in ("heel", "edge", "middle", "side", "thumb"):
                assert isinstance(each.shape, Placed)
                found.append(Part(each.shape.shape, part.X_LS @ np.array(each.shape.X)))
    return found


def _at_rest(case: Case, hips: int, pelvis: list[Block]) -> float:
    """Return by how much (m) forearms and hands overlap the pelvis as the person stands or sits.

    A bar that crosses an edge of the box overlaps it by more than its surface is deep in it.
    """
    figure, found = case.body.figure, 0.0
    X = poses_of(figure, case.body.resting[None])
    for hand in case.body.arms:
        for place, each in enumerate(figure.joints):
            if each.name in case.body.striking(hand):
                for part in figure.links[each.name].collisions:
                    X_HS = np.linalg.inv(X[:, hips]) @ X[:, place] @ part.X_LS
                    found = max(found, _overlap(X_HS[0], part.shape, pelvis))
    return found


def _overlap(X: Array, shape: object, blocks: list[Block]) -> float:
    """Return by how much a bar at a pose (4, 4) overlaps any block, m; of a box its depth."""
    if not isinstance(shape, Capsule):
        return _deepest(X[None], shape, blocks)
    along = np.linspace(-0.5, 0.5, 101)[:, None] * [0.0, 0.0, shape.length]
    axis = along @ X[:3, :3].T + X[:3, 3]
    found = -1.0
    for block in blocks:
        own = np.abs((axis - block.X[:3, 3]) @ block.X[:3, :3])
        away = np.linalg.norm(np.maximum(own - block.half, 0.0), axis=1)
        within = np.maximum(block.inside(axis), 0.0)
        found = max(found, float((shape.radius - away + within).max()))
    return found


def _block(part: Part) -> Block:
    """Return a box of a device in the device's frame; of a cylinder or a bar the box within it."""
    shape = part.shape
    if isinstance(shape, Cuboid):
        return Block("", part.X_LS, np.array([shape.x, shape.y, shape.z]) / 2)
    assert isinstance(shape, Cylinder | Capsule)
    side = shape.radius / np.sqrt(2.0)
    return Block("", part.X_LS, np.array([side, side, shape.length / 2]))


SOME = 2000
"""Postures that are checked at a time."""


def _deepest(X: Array, shape: object, blocks: list[Block]) -> float:
    """Return how deep points on a shape at poses (n, 4, 4) lie in any block, m."""
    p = surface(shape)
    middle, deep = 0.5 * (p.min(axis=0) + p.max(axis=0)), -1.0
    radius = float(np.linalg.norm(p - middle, axis=1).max())
    centres = X[:, :3, :3] @ middle + X[:, :3, 3]
    for block in blocks:
        # only balls about the shape that touch the block's can hold a point in it
        near = np.flatnonzero(block.inside(centres) >= -radius)
        if len(near):
            there = np.einsum("nij,kj->nki", X[near, :3, :3], p) + X[near, None, :3, 3]
            deep = max(deep, float(block.inside(there.reshape(-1, 3)).max()))
    return deep


def surface(shape: object) -> Array:
    """Return points (n, 3) on a shape."""
    turns = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    ring = np.column_stack([np.cos(turns), np.sin(turns), 0 * turns])
    if isinstance(shape, Capsule):
        along = np.linspace(-0.5, 0.5, 5) * shape.length
        ends = [[0, 0, shape.length / 2 + shape.radius], [0, 0, -shape.length / 2 - shape.radius]]
        return np.concatenate([*(shape.radius * ring + [0, 0, z] for z in along), ends])
    if isinstance(shape, Cuboid):
        grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 4)] * 3), -1).reshape(-1, 3)
        return np.asarray(grid * [shape.x, shape.y, shape.z])
    assert isinstance(shape, Cylinder)
    along = np.linspace(-0.5, 0.5, 5) * shape.length
    return np.concatenate([shape.radius * ring + [0, 0, z] for z in along])


def rectangles_of(case: Case) -> list[tuple[float, ...]]:
    """Return what a device takes: rear, front, right, left, low and high, in the base frame."""
    footprint = case.body.footprint
    if isinstance(footprint, ChairFootprint):
        return [
            (rear, front, -0.5 * width, 0.5 * width, low, high)
            for rear, front, width, low, high in footprint._boxes()
        ]
    if not isinstance(footprint, WalkerFootprint):
        return []
    # a frame that is open behind: two sides and a bar
    r, high = footprint.radius, footprint.height
    sides = [(-0.25 * r, 0.6 * r, y - 0.015, y + 0.015, CLEAR, high) for y in (0.7 * r, -0.7 * r)]
    bar = (
        0.6 * r - 0.015,
        0.6 * r + 0.015,
        -0.7 * r,
        0.7 * r,
        0.6 * high - 0.01,
        0.6 * high + 0.01,
    )
    return [*sides, bar]


def stand(case: Case, bases: Array, feet: Feet | None = None) -> Array:
    """Return whether people at (x, y, turn), rows of ``bases``, stand on the floor, in nothing.

    Who is on foot sets each foot freely: in one of ``feet``, at ease where nothing is said.
    """
    ground = case.room.floor
    if case.room.door is not None:
        ground = ground.union(shapely.Point(*case.room.door).buffer(HALL + 0.1))
    shapely.prepare(ground)
    level = case.room.level
    blocks = [b for b in blocks_of(case.room.world) if b.body != case.room.floor_body]
    free = np.ones(len(bases), bool)
    for rear, front, right, left, low, high in rectangles_of(case):
        # a micrometre is given way
        x = np.array([rear, front, front, rear]) + np.array([1, -1, -1, 1]) * 1e-6
        y = np.array([right, right, left, left]) + np.array([1, 1, -1, -1]) * 1e-6
        own = shapely.polygons(_moved(np.column_stack([x, y]), bases))
        free &= shapely.covers(ground, own)
        for block in blocks:
            z = block.corners()[:, 2] - level
            if z.max() > low + 1e-9 and z.min() < high - 1e-9:
                outline = block.outline()
                shapely.prepare(outline)
                free &= ~shapely.intersects(outline, own)
    if case.body.footprint.seat is None:
        legs = Legs.of(case)
        for side in (1.0, -1.0):
            some = np.flatnonzero(free)
            free[some] = legs.stands(
                bases[some], side, feet or Feet.at_ease(), blocks, level, ground
            )
    return free


def _moved(corners: Array, bases: Array) -> Array:
    """Return corners (k, 2) of the base frame at bases (n, 3): (n, k, 2)."""
    c, s = np.cos(bases[:, 2, None]), np.sin(bases[:, 2, None])
    x, y = corners.T
    return np.stack([bases[:, :1] + c * x - s * y, bases[:, 1:2] + s * x + c * y], axis=-1)


@dataclass(frozen=True)
class Feet:
    """How feet are set: how far ahead and aside of the hip joint (shares of its height), turned."""

    rows: Array

    @staticmethod
    def at_ease(count: int = 0, seed: int = 0) -> Feet:
        """Return feet as people stand at ease, the usual ways first; ``count`` more are drawn."""
        usual = [(0, 0, 0), (0, 0, 30), (-0.056, 0, 0), (-0.056, 0, 30), (0.067, 0, 0),
                 (0, 0.111, 0)]  # fmt: skip
        drawn = np.random.default_rng(seed).uniform((-0.056, 0, 0), (0.067, 0.111, 30), (count, 3))
        return Feet(np.concatenate([np.array(usual, float), drawn]))

    @staticmethod
    def anyhow(count: int, seed: int = 0) -> Feet:
        """Return feet anywhere within a step, turned anyhow."""
        rng = np.random.default_rng(seed)
        far, about = 0.22 * np.sqrt(rng.random(count)), rng.uniform(-np.pi, np.pi, count)
        drawn = [far * np.cos(about), far * np.sin(about), rng.uniform(-180.0, 180.0, count)]
        return Feet(np.concatenate([Feet.at_ease().rows, np.column_stack(drawn)]))


@dataclass(frozen=True)
class Legs:
    """Straight legs of a figure as it stands: heights and radii in m, foot ``sole`` (k, 2)."""

    hips: float
    knee: float
    ankle: float
    aside: float
    thigh: float
    shin: float
    sole: Array

    @staticmethod
    def of(case: Case) -> Legs:
        """Return the legs of who stands; those of the figure person where a figure has none."""
        figure, hips = case.body.figure, case.body.hips
        if "r_knee" in figure.landmarks:
            q, up, ahead, left, shift = case.body.resting, 2, 0, 1, 0.0
        else:
            figure = art.figure("person")
            q, up, ahead, left, shift = figure.posture("standing"), 1, 2, 0, 0.0
        marks = ("hip", "knee", "ankle", "heel", "ball", "ball_outer", "toe", "sole")
        p = {m: figure.landmark(q, f"l_{m}")[:3, 3] for m in marks}
        shift = p["sole"][up]
        scale = hips / (p["hip"][up] - shift)
        radii = [figure.links[f"l_{j}"].collisions or figure.links[f"l_{j}"].visuals
                 for j in ("hip_rotation", "knee_flexion")]  # fmt: skip
        thigh, shin = (scale * max(_radius(part.shape) for part in parts) for parts in radii)
        foot = {m: scale * (p[m] - p["ankle"])[[ahead, left]] for m in marks}
        wide = max(abs(foot["ball"][1]), abs(foot["ball_outer"][1]))
        rear, front = foot["heel"][0], foot["toe"][0]
        ball = max(foot["ball"][0], foot["ball_outer"][0])
        half = [(rear, 0.6 * wide), (0.0, wide), (ball, wide), (front, 0.4 * wide)]
        sole = np.array(half + [(x, -y) for x, y in half[::-1]])
        knee, ankle = (scale * (p[m][up] - shift) for m in ("knee", "ankle"))
        return Legs(hips, knee, ankle, scale * abs(p["hip"][left]), thigh, shin, sole)

    def stands(
        self,
        bases: Array,
        side: float,
        feet: Feet,
        blocks: list[Block],
        level: float,
        ground: object,
    ) -> Array:
        """Return at which bases (n, 3) a leg has room with some foot: the left for ``side`` 1."""
        met = np.zeros(len(bases), bool)
        for ahead, beside, turned in feet.rows:
            some = np.flatnonzero(~met)
            if not len(some):
                break
            met[some] = self._fits(
                bases[some], np.array([ahead, side * beside]) * self.hips, side,
                np.radians(side * turned), blocks, level, ground,
            )  # fmt: skip
        return met

    def _fits(
        self, bases: Array, away: Array, side: float, turned: float, blocks: list[Block],
        level: float, ground: object,
    ) -> Array:  # fmt: skip
        hip = np.array([0.0, side * self.aside])
        c, s = np.cos(turned), np.sin(turned)
        sole = self.sole @ np.array([[c, s], [-s, c]]) + hip + away
        own = shapely.polygons(_moved(sole, bases))
        free = shapely.covers(ground, own)
        for block in blocks:
            z = block.corners()[:, 2] - level
            outline = block.outline()
            shapely.prepare(outline)
            if z.max() > CLEAR + 1e-9 and z.min() < self.ankle - 1e-9:
                free &= ~shapely.intersects(outline, own)
            for low, high, radius in (
                (self.ankle, self.knee, self.shin), (self.knee, self.hips, self.thigh)
            ):  # fmt: skip
                first, last = max(z.min(), low), min(z.max(), high)
                if last <= first + 1e-9:
                    continue
                # the axis of the leg where the block is beside it, as a line seen from above
                share = (self.hips - np.array([first, last])) / (self.hips - self.ankle)
                axis = _moved(hip + share[:, None] * away, bases)
                free &= shapely.distance(shapely.linestrings(axis), outline) > radius - 1e-3
        return free


def _radius(shape: object) -> float:
    if isinstance(shape, Named | Placed):
        return _radius(shape.shape)
    if isinstance(shape, Union):
        return max(_radius(each) for each in shape.parts)
    return float(getattr(shape, "radius", 0.0))


def searched(
    case: Case,
    points: Array,
    *,
    bases: int,
    starts: int,
    seed: int = 0,
    stands: Callable[[Array], Array] | None = None,
) -> tuple[Array, Array]:
    """Return which points (n, 3) a search by chance reaches, and postures (n, dof) that do.

    ``bases`` places to stand for each point are drawn within an arm's reach: from the free areas,
    or where a person ``stands``, in any direction. From each, ``starts`` postures of either hand
    are started from, drawn within limits.
    """
    rng = np.random.default_rng(seed)
    figure, places, envelope = case.body.figure, case.places, case.envelope
    met = np.zeros(len(points), bool)
    postures = np.full((len(points), figure.dof), np.nan)
    far = float(envelope.farthest(np.arange(0.0, 2.3, 0.1)).max())
    for k, point in enumerate(points):
        drawn = (60 if stands is None else 10) * bases
        turn = rng.integers(len(places.turns), size=drawn)
        away = far * np.sqrt(rng.random(drawn))
        about = rng.uniform(-np.pi, np.pi, drawn)
        place = point[:2] + np.column_stack([away * np.cos(about), away * np.sin(about)])
        angle = places.turns[turn]
        free = np.zeros(len(turn), bool)
        if stands is not None:
            angle = rng.uniform(-np.pi, np.pi, len(turn))
            free = stands(np.column_stack([place, angle]))
        for t in range(len(places.turns) if stands is None else 0):
            mine = turn == t
            area = places.free[t % len(places.free)]
            free[mine] = shapely.contains_xy(area, place[mine, 0], place[mine, 1])
        some = np.flatnonzero(free)[:bases]
        if not len(some):
            continue
        base = np.column_stack([place[some], angle[some]])
        c, s = np.cos(base[:, 2]), np.sin(base[:, 2])
        flat = point[:2] - base[:, :2]
        goal = np.column_stack(
            [c * flat[:, 0] + s * flat[:, 1], c * flat[:, 1] - s * flat[:, 0],
             np.full(len(base), point[2] - case.room.level)]
        )  # fmt: skip
        for number, (hand, chain) in enumerate(case.body.arms.items()):
            goals = np.repeat(goal, starts, axis=0)
            share = rng.beta(0.7, 0.7, (len(goals), chain.dof))
            begin = chain.lower + share * (chain.upper - chain.lower)
            near = rng.random((len(goals), 1)) < 0.5  # half of them near the neutral posture
            begin = np.where(near, chain.neutral + 0.3 * (begin - chain.neutral), begin)
            found = chain.inverse(goals, start=begin, tolerance=1e-3, method=Descent(starts=1))
            q = found.q[found.found]
            if not len(q):
                continue
            whole = case.body.postures(hand, np.repeat(base, starts, axis=0)[found.found], q)
            free = envelope.free(whole, np.full(len(q), number))
            free[free] = case.clash[hand].free(whole[free])
            if free.any():
                met[k] = True
                postures[k] = whole[free.argmax()]
                break
    return met, postures
