"""Figures of limbs in rooms of boxes, and every distance of them by coal."""

from __future__ import annotations

import coal
import numpy as np

from articulata.geometry.shapes import Capsule, Cuboid, Mesh, Shape, Sphere
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


def kitchen(rng: np.random.Generator, boxes: int = 60) -> list[Obstacle]:
    room = [
        Obstacle(f"box {k}", Cuboid(*rng.uniform(0.05, 0.7, 3)), pose(rng, 3.0))
        for k in range(boxes)
    ]
    return [
        *room,
        Obstacle("wedge", WEDGE, pose(rng, 2.0)),
        Obstacle("roof", WEDGE, pose(rng, 2.0)),
    ]


def geometry(shape: Shape) -> object:
    match shape:
        case Capsule(radius, length):
            return coal.Capsule(radius, length)
        case Sphere(radius):
            return coal.Sphere(radius)
        case Cuboid(x, y, z):
            return coal.Box(x, y, z)
        case Mesh():
            points = coal.StdVec_Vec3s()
            points.extend([np.array(v) for v in shape.vertices])
            return coal.Convex(points, _triangles(shape))
    raise AssertionError(shape)


def _triangles(mesh: Mesh) -> object:
    found = coal.StdVec_Triangle()
    found.extend([coal.Triangle(*map(int, face)) for face in mesh.faces])
    return found


def placed(X: np.ndarray) -> object:
    return coal.Transform3s(np.ascontiguousarray(X[:3, :3]), X[:3, 3])


class Peer:
    """Every pair by coal, one after the other."""

    def __init__(self, clash: Clash, one: Figure, room: list[Obstacle]) -> None:
        self.one = one
        still = {each.name: (geometry(each.shape), placed(each.X_WS)) for each in room}
        links = {one.links[j.name].name: (k, one.links[j.name].collisions[0]) for k, j in
                 enumerate(one.joints)}  # fmt: skip
        self.pairs = []
        for first, second in clash._names:
            k, part = links[first]
            if second in still:
                self.pairs.append((k, part.X_LS, geometry(part.shape), -1, *still[second]))
            else:
                m, other = links[second]
                self.pairs.append(
                    (k, part.X_LS, geometry(part.shape), m, geometry(other.shape), other.X_LS)
                )

    def distance(self, q: np.ndarray) -> float:
        X = self.one.poses(q)
        least = np.inf
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        request.enable_signed_distance = True
        for k, X_LS, shape, m, other, X_2 in self.pairs:
            at = X_2 if m < 0 else placed(X[m] @ X_2)
            result.clear()
            least = min(
                least, coal.distance(shape, placed(X[k] @ X_LS), other, at, request, result)
            )
        return float(least)


def arm(**more: object) -> Figure:
    """Two capsules of 1 m along x, turning about z."""
    X = np.eye(4)
    X[0, 3] = 1.0
    lying = np.array([[0, 0, 1, 0.5], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1.0]])
    limb = (Part(Capsule(0.05, 1.0), lying),)
    links = {name: Link(name.title(), collisions=limb) for name in ("upper", "lower")}
    joints = [Joint("upper", limits=(-3, 3)), Joint("lower", X_PJ=X, limits=(-3, 3))]
    return Figure(joints, [-1, 0], name="arm", links=links, **more)  # type: ignore[arg-type] # names
