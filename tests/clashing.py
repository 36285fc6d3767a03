"""Figures of limbs in rooms of boxes, and every distance of them by coal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import coal
import numpy as np

from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Mesh,
    Named,
    Placed,
    Shape,
    Sphere,
    Union,
)
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import PRISMATIC, Joint
from articulata.kinematics.link import Link, Part


def pose(rng: np.random.Generator, spread: float) -> np.ndarray:
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    X = np.eye(4)
    X[:3, :3] = R * np.sign(np.linalg.det(R))
    X[:3, 3] = rng.uniform(-spread, spread, 3)
    return X


def walker(rng: np.random.Generator, links: int = 25) -> Figure:
    """A tree of limbs, most of them capsules, some balls and boxes."""
    joints, parents, made = [], [], {}
    for k in range(links):
        X = pose(rng, 0.1)
        X[2, 3] += 0.25
        kind = PRISMATIC if k % 9 == 8 else "revolute"
        joints.append(Joint(f"j{k}", kind, X_PJ=X, limits=(-0.2, 0.2) if k % 9 == 8 else (-2, 2)))
        parents.append(k - 1 if k % 6 else int(rng.integers(-1, max(k, 1))) if k else -1)
        shape: Shape = Capsule(float(rng.uniform(0.03, 0.08)), float(rng.uniform(0.1, 0.3)))
        if k % 7 == 5:
            shape = Sphere(0.07)
        if k % 7 == 6:
            shape = Cuboid(0.1, 0.2, 0.06)
        made[f"j{k}"] = Link(f"l{k}", collisions=(Part(shape, pose(rng, 0.1)),))
    return Figure(joints, parents, name="walker", links=made)


WEDGE = Mesh(
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
)


def hood() -> Mesh:
    """An open surface: four sides of a pyramid without its base or its top."""
    low = [(-0.5, -0.4, 0), (0.5, -0.4, 0), (0.5, 0.4, 0), (-0.5, 0.4, 0)]
    top = [(0.4 * x, 0.4 * y, 0.5) for x, y, _ in low]
    sides = [(k, (k + 1) % 4, 4 + (k + 1) % 4) for k in range(4)]
    return Mesh([*low, *top], [*sides, *((a, c, a + 4) for a, _, c in sides)])


def kitchen(
    rng: np.random.Generator, boxes: int = 60, spread: float = 3.0, free: float = 0.0
) -> list[Obstacle]:
    """Boxes and two meshes about the origin, their middles ``free`` (m) off the y axis."""

    def away(spread: float) -> np.ndarray:
        X = pose(rng, spread)
        across = X[[0, 2], 3]
        X[[0, 2], 3] = across * (1.0 + free / np.linalg.norm(across))
        return X

    room = [
        Obstacle(f"box {k}", Cuboid(*rng.uniform(0.05, 0.7, 3)), away(spread)) for k in range(boxes)
    ]
    return [
        *room,
        Obstacle("wedge", WEDGE, away(0.6 * spread)),
        Obstacle("hood", hood(), away(0.6 * spread)),
    ]


def capsules(one: Figure) -> dict[str, tuple[Part, ...]]:
    """The shapes of a figure's links by joint, with capsules for tapered limbs."""
    links = {"": one.root, **{joint.name: one.links[joint.name] for joint in one.joints}}
    return {
        name: tuple(
            Part(shape, part.X_LS @ X) for part in link.visuals for shape, X in _leaves(part.shape)
        )
        for name, link in links.items()
    }


def _leaves(shape: Shape) -> list[tuple[Shape, np.ndarray]]:
    match shape:
        case Placed():
            return [(leaf, shape.X_PS @ X) for leaf, X in _leaves(shape.shape)]
        case Named(_, inner):
            return _leaves(inner)
        case Union(parts):
            return [leaf for part in parts for leaf in _leaves(part)]
        case Cone(radius, length, top):
            return [(Capsule(0.5 * (radius + top), length), np.eye(4))]
    return [(shape, np.eye(4))]


def geometries(shape: Shape) -> list[tuple[object, np.ndarray, float]]:
    """What coal measures, with a ball about each: centre and radius."""
    match shape:
        case Capsule(radius, length):
            return [(coal.Capsule(radius, length), np.zeros(3), 0.5 * length + radius)]
        case Sphere(radius):
            return [(coal.Sphere(radius), np.zeros(3), radius)]
        case Cuboid(x, y, z):
            return [(coal.Box(x, y, z), np.zeros(3), 0.5 * float(np.hypot(np.hypot(x, y), z)))]
        case Mesh() if shape is WEDGE:
            return [_convex(shape.vertices, shape.faces)]
        case Mesh():
            # each triangle from both sides
            both = np.array([(0, 1, 2), (0, 2, 1)])
            return [_convex(shape.vertices[face], both) for face in shape.faces]
    raise AssertionError(shape)


def _convex(V: np.ndarray, F: np.ndarray) -> tuple[object, np.ndarray, float]:
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend([np.array(v) for v in V])
    triangles.extend([coal.Triangle(*map(int, face)) for face in F])
    middle = V.mean(0)
    return coal.Convex(points, triangles), middle, float(np.linalg.norm(V - middle, axis=1).max())


def placed(X: np.ndarray) -> object:
    return coal.Transform3s(np.ascontiguousarray(X[:3, :3]), X[:3, 3])


class Peer:
    """The least distance by coal; pairs whose balls are farther apart than it are left out."""

    def __init__(
        self,
        clash: Clash,
        one: Figure,
        room: list[Obstacle],
        shapes: Mapping[str, Sequence[Part]] | None = None,
    ) -> None:
        self.one = one
        self.links: list[int] = []
        self.X: list[np.ndarray] = []
        self.balls: list[tuple[np.ndarray, float]] = []
        self.things: list[object] = []
        numbers: dict[str, list[int]] = {}
        for each in room:
            numbers[each.name] = self._add(-1, each.shape, each.X_WS)
        given = shapes or {}
        for k, joint in enumerate((None, *one.joints)):
            link = one.root if joint is None else one.links[joint.name]
            parts = given.get(joint.name if joint else "", link.collisions)
            own = numbers.setdefault(link.name, [])
            for part in parts:
                X = one.base @ part.X_LS if joint is None else part.X_LS
                own += self._add(k - 1, part.shape, X)
        pairs = [(i, j) for a, b in clash._names for i in numbers[a] for j in numbers[b]]
        self.pairs = np.array(pairs)
        self.middles = np.array([middle for middle, _ in self.balls])
        self.radii = np.array([radius for _, radius in self.balls])[self.pairs].sum(1)

    def _add(self, link: int, shape: Shape, X: np.ndarray) -> list[int]:
        first = len(self.things)
        for thing, middle, radius in geometries(shape):
            self.links.append(link)
            self.X.append(X)
            self.things.append(thing)
            self.balls.append((middle, radius))
        return list(range(first, len(self.things)))

    def distance(self, q: np.ndarray) -> float:
        X = np.concatenate([self.one.poses(q), np.eye(4)[None]])[self.links] @ np.array(self.X)
        middles = np.einsum("kij,kj->ki", X[:, :3, :3], self.middles) + X[:, :3, 3]
        i, j = self.pairs.T
        bounds = np.linalg.norm(middles[i] - middles[j], axis=1) - self.radii
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        request.enable_signed_distance = True
        standing: dict[int, object] = {}

        def measured(pair: int) -> float:
            for k in self.pairs[pair].tolist():
                if k not in standing:
                    standing[k] = placed(X[k])
            a, b = self.pairs[pair].tolist()
            result.clear()
            first, second = self.things[a], self.things[b]
            return float(coal.distance(first, standing[a], second, standing[b], request, result))

        # what seems nearest first: it rules most others out
        least = measured(int(np.argmin(bounds)))
        near = np.flatnonzero(bounds <= least)
        for pair in near[np.argsort(bounds[near])].tolist():
            if bounds[pair] > least:
                break
            least = min(least, measured(pair))
        return least


def arm(**more: object) -> Figure:
    """Two capsules of 1 m along x, turning about z."""
    X = np.eye(4)
    X[0, 3] = 1.0
    lying = np.array([[0, 0, 1, 0.5], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1.0]])
    limb = (Part(Capsule(0.05, 1.0), lying),)
    links = {name: Link(name.title(), collisions=limb) for name in ("upper", "lower")}
    joints = [Joint("upper", limits=(-3, 3)), Joint("lower", X_PJ=X, limits=(-3, 3))]
    return Figure(joints, [-1, 0], name="arm", links=links, **more)  # type: ignore[arg-type] # names
