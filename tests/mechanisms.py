"""Worlds built by hand for tests: bodies, hinges between points, and a few usual mechanisms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from articulata.geometry.shapes import Cuboid
from articulata.world.hinges import BALL, REVOLUTE, HingeKind
from articulata.world.model import (
    Body,
    Drive,
    Feature,
    FeatureRef,
    Force,
    Hinge,
    Motion,
    Placement,
    PropertyValue,
    World,
    frozen,
)
from articulata.world.values import ZERO, Pose, Quaternion, Vector3

DOWN = (0.0, -9.81, 0.0)


def turn(axis: Sequence[float], angle: float) -> Quaternion:
    """The quaternion of a turn by ``angle`` about ``axis``."""
    n = np.asarray(axis, float) / np.linalg.norm(axis)
    w, (x, y, z) = np.cos(angle / 2), np.sin(angle / 2) * n
    return (float(w), float(x), float(y), float(z))


@dataclass
class Mechanism:
    """Collects the parts of a world."""

    name: str = "mechanism"
    gravity: Vector3 = ZERO
    bodies: dict[str, Body] = field(default_factory=dict)
    hinges: dict[str, Hinge] = field(default_factory=dict)
    drives: dict[str, Drive] = field(default_factory=dict)
    forces: dict[str, Force] = field(default_factory=dict)
    placements: list[Placement] = field(default_factory=list)

    def body(
        self,
        name: str,
        position: Sequence[float] = ZERO,
        orientation: Quaternion = (1.0, 0.0, 0.0, 0.0),
        *,
        size: Vector3 | None = (0.1, 1.0, 0.1),
        mass: float | None = 1.0,
        inertia: Sequence[float] | None = None,
        velocity: Vector3 = ZERO,
        rate: Vector3 = ZERO,
        motion: Motion = "free",
        placed: bool = False,
        points: Mapping[str, Vector3] | None = None,
    ) -> str:
        properties: dict[str, PropertyValue] = {}
        if mass is not None:
            properties["mass"] = mass
        if inertia is not None:
            properties["inertia"] = tuple(inertia)
        x, y, z = (float(p) for p in position)
        self.bodies[name] = Body(
            id=name,
            type="part",
            shape=Cuboid(*size) if size else None,
            features=MappingProxyType(
                {
                    k: Feature(k, "point", Pose(p))
                    for k, p in {"mid": ZERO, **(points or {})}.items()
                }
            ),
            properties=MappingProxyType(properties),
            pose=Pose((x, y, z), orientation),
            velocity=velocity,
            rate=rate,
            motion=motion,
            placed=placed,
        )
        return name

    def ground(self, name: str = "ground") -> str:
        return self.body(name, size=None, mass=None, motion="fixed", placed=True)

    def join(
        self,
        name: str,
        a: str,
        b: str,
        at_a: Vector3 = ZERO,
        at_b: Vector3 = ZERO,
        kind: HingeKind = BALL,
        turned_a: Quaternion = (1.0, 0.0, 0.0, 0.0),
        turned_b: Quaternion = (1.0, 0.0, 0.0, 0.0),
    ) -> str:
        match = (FeatureRef(a, "center"), FeatureRef(b, "center"))
        self.hinges[name] = Hinge(
            name, kind, a, b, (match,), Pose(at_a, turned_a), Pose(at_b, turned_b)
        )
        return name

    def drive(self, name: str, kind: str, target: str, controller: str) -> None:
        self.drives[name] = Drive(name, kind, target, controller)  # type: ignore[arg-type] # a test's word

    def world(self) -> World:
        return World(
            self.name,
            frozen(self.bodies),  # type: ignore[arg-type] # frozen() is typed for any value
            frozen(self.hinges),  # type: ignore[arg-type] # frozen() is typed for any value
            frozen(self.forces),  # type: ignore[arg-type] # frozen() is typed for any value
            frozen(self.drives),  # type: ignore[arg-type] # frozen() is typed for any value
            frozen({}),  # type: ignore[arg-type] # frozen() is typed for any value
            tuple(self.placements),
            self.gravity,
        )


def out_of_place(world: World, seed: int, turn_by: float, shift: float) -> World:
    """The same world with every free body moved at random."""
    random = np.random.default_rng(seed)
    moved = {}
    for name, body in world.bodies.items():
        if not body.placed and body.motion != "fixed":
            position = np.array(body.pose.position) + random.uniform(-shift, shift, 3)
            w, x, y, z = body.pose.orientation
            a, b, c, d = turn(random.normal(size=3), random.uniform(-turn_by, turn_by))
            product = (
                a * w - b * x - c * y - d * z,
                a * x + b * w + c * z - d * y,
                a * y - b * z + c * w + d * x,
                a * z + b * y - c * x + d * w,
            )
            body = replace(body, pose=Pose(tuple(position.tolist()), product))
        moved[name] = body
    return replace(world, bodies=MappingProxyType(moved))


def chain(
    links: int, kind: HingeKind = BALL, *, length: float = 1.0, gravity: Vector3 = DOWN
) -> Mechanism:
    """Links hung from the ground, straight down along -y."""
    made = Mechanism("chain", gravity)
    before, at = made.ground(), ZERO
    for n in range(1, links + 1):
        made.body(f"link{n}", (0.0, -(n - 0.5) * length, 0.0), size=(0.1, length, 0.1))
        made.join(f"h{n}", f"link{n}", before, (0.0, length / 2, 0.0), at, kind)
        before, at = f"link{n}", (0.0, -length / 2, 0.0)
    return made


def four_bar(angle: float = np.pi / 2, kind: HingeKind = REVOLUTE) -> Mechanism:
    """Three uniform bars of 1 m and 1 kg on a ground of 1 m; the bars lie along their own x."""
    made = Mechanism("four-bar", DOWN)
    thin = 1.0 / 12.0
    c, s = np.cos(angle), np.sin(angle)
    along = turn((0, 0, 1), angle)
    for name, middle, orientation in (
        ("bar1", (c / 2, s / 2, 0.0), along),
        ("bar2", (c + 0.5, s, 0.0), (1.0, 0.0, 0.0, 0.0)),
        ("bar3", (1.0 + c / 2, s / 2, 0.0), along),
    ):
        made.body(name, middle, orientation, size=(1.0, 0.01, 0.01), inertia=(1e-6, thin, thin))
    ground = made.ground()
    left, right = (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)
    made.join("h1", "bar1", ground, left, ZERO, kind)
    made.join("h2", "bar2", "bar1", left, right, kind)
    made.join("h3", "bar3", "bar2", right, right, kind)
    made.join("h4", "bar3", ground, left, (1.0, 0.0, 0.0), kind)
    return made
