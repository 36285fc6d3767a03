"""Joints of UsdPhysics as hinges of a scene: their freedoms, limits and drives.

A joint's coordinate is that of body 1 against body 0; a scene's counts from where they stand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from articulata.formats.scenes.foreign_scene import (
    LIGHT,
    TURNED,
    Scene,
    SceneJoint,
    SceneLaw,
    ScenePart,
    SceneTie,
)
from articulata.formats.scenes.scene_motion import rigid
from articulata.formats.sdf.hinges import BEYOND
from articulata.formats.usd.usd_shapes import ALONG
from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.described_figure import identifier

APART: Final = 1e-4
"""m and parts of one by which the frames of a joint may be apart at the start."""
ALONG_OF: Final = {
    "PhysicsFixedJoint": (), "PhysicsRevoluteJoint": ("rot",), "PhysicsPrismaticJoint": ("trans",),
    "PhysicsSphericalJoint": ("rotX", "rotY", "rotZ"),
    "PhysicsJoint": ("transX", "transY", "transZ", "rotY", "rotZ", "rotX"),
}  # fmt: skip
"""Freedoms of each kind of joint from body 0 on, the twist about x last, as PhysX has it.

What has no letter has that of its ``axis``.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """A freedom: a turn about or a slide along an axis of the joint's frame, rad or m.

    ``limits`` count from the start, and so does what ``law`` is at rest at.
    """

    turns: bool
    letter: str
    limits: tuple[float, float] | None = None
    law: SceneLaw | None = None
    rotor: float = 0.0

    @property
    def acted_on(self) -> bool:
        """Whether anything ends or opposes its motion."""
        return self.limits is not None or self.law is not None or self.rotor > 0.0


@dataclass(frozen=True, slots=True, eq=False)
class UsdJoint:
    """A joint between the bodies ``first`` and ``second`` ("": the world), its frame ``X_WJ``."""

    name: str
    first: str
    second: str
    X_WJ: Array
    ways: tuple[Way, ...]

    @property
    def kind(self) -> str:
        """The hinge that has these freedoms alone; "" for none."""
        turns = [each.letter for each in self.ways if each.turns]
        slides = [each.letter for each in self.ways if not each.turns]
        acted = len(self.ways) > 1 and any(each.acted_on for each in self.ways)
        match len(turns), len(slides):
            case 0, 0:
                return "weld"
            case 1, 0:
                return "pin"
            case 0, 1:
                return "slider"
            case _ if acted:
                return ""
            case 3, 0:
                return "ball"
            case 2, 0:
                return "universal"
            case 1, 1:
                return "cylindrical" if turns == slides else ""
            case 1, 2:
                return "" if turns[0] in slides else "planar"
        return ""


def read_joint(
    told: Mapping[str, Any], unit: float, mass_unit: float, scene: Scene
) -> UsdJoint | None:
    """Return a joint; None, counted, for what is none here or leaves its bodies free."""
    kind = told["kind"]
    if kind not in ALONG_OF:
        what = {"PhysicsDistanceJoint": "joint of a distance"}.get(kind, f"joint of kind {kind}")
        scene.lost[f"{what} (its ends are free)"] += 1
        return None
    for name in ("breakForce", "breakTorque"):
        if math.isfinite(told.get(name, math.inf)):
            scene.lost["strength of a joint"] += 1
    if told.get("collisionEnabled"):
        scene.lost["contact of bodies that a joint joins"] += 1
    if told["more"].get("jointFriction"):
        scene.lost["friction of a joint (a coefficient of PhysX)"] += 1
    if max(told.get("coneAngle0Limit", -1.0), told.get("coneAngle1Limit", -1.0)) >= 0.0:
        scene.lost["cone that limits a ball"] += 1
    X0, X1 = (_frame(told, number, unit) for number in (0, 1))
    X = np.linalg.inv(X0) @ X1
    ways = []
    for each in ALONG_OF[kind]:
        single = each in ("rot", "trans")
        turns, letter = each[:3] == "rot", str(told["axis"]) if single else each[-1]
        if single:
            limits = told.get("lowerLimit", -math.inf), told.get("upperLimit", math.inf)
        else:
            limits = tuple(
                told["limits"].get(each, {}).get(end, usual)
                for end, usual in (("low", -math.inf), ("high", math.inf))
            )
        if limits[0] > limits[1]:
            continue  # it is locked
        drive = told["drives"].get({"rot": "angular", "trans": "linear"}.get(each, each))
        way = _way(turns, letter, X, limits, drive, (unit, mass_unit), scene)
        if single and (armature := told["more"].get("armature", 0.0)) > 0.0:
            way = replace(way, rotor=armature * mass_unit * (unit**2 if turns else 1.0))
        ways.append(way)
    if len(ways) == 6 and not any(each.acted_on for each in ways):
        return None
    if _apart(X, ways) > APART:
        scene.lost["gap of a joint's frames at the start (it stays)"] += 1
    name = scene.unique(identifier(told["name"]))
    first, second = (each["body"] for each in told["ends"])
    return UsdJoint(name, first, second, X1, tuple(ways))


def _frame(told: Mapping[str, Any], number: int, unit: float) -> Array:
    """Return the frame of a joint on one of its bodies, a pose in W, in m."""
    M = np.array(told["ends"][number]["M"], float)
    p = M @ [*told.get(f"localPos{number}", (0.0,) * 3), 1.0]
    q = np.array(told.get(f"localRot{number}", (1.0, 0.0, 0.0, 0.0)), float)
    size = float(np.linalg.norm(q))
    if not (size > 0.0 and np.isfinite(p).all() and np.isfinite(M).all()):
        raise ValueError("the frames of a joint are numbers, and its turns are not 0")
    return make_pose(rigid(M)[0][:3, :3] @ q_to_matrix(q / size), unit * p[:3])


def _way(
    turns: bool, letter: str, X: Array, limits: tuple[Any, ...], drive: Mapping[str, Any] | None,
    units: tuple[float, float], scene: Scene,
) -> Way:  # fmt: skip
    """Return a freedom that stands where X (4, 4), frame 1 in frame 0, says."""
    unit, kg = units
    A = ALONG[letter]
    Y = A.T @ X @ A
    now = math.atan2(Y[1, 0], Y[0, 0]) if turns else float(Y[2, 3])
    size = math.pi / 180.0 if turns else unit
    low, high = (size * float(each) - now for each in limits)
    found = None
    if math.isfinite(low) or math.isfinite(high):
        found = (min(max(low, -BEYOND), 0.0), max(min(high, BEYOND), 0.0))
        if low > 1e-6 or high < -1e-6:
            scene.lost["limit of a joint, widened to where the joint stands at first"] += 1
    if drive is None:
        return Way(turns, letter, found)
    k, c = (float(drive.get(each, 0.0)) for each in ("stiffness", "damping"))
    if not (k or c):
        return Way(turns, letter, found)
    if drive.get("type") == "acceleration":
        scene.lost["drive that gives an acceleration"] += 1
        return Way(turns, letter, found)
    per = kg * (unit * unit / size if turns else 1.0)
    k, c = k * per, c * per
    rest = size * float(drive.get("targetPosition", 0.0)) - now
    constant = c * size * float(drive.get("targetVelocity", 0.0))
    most = float(drive.get("maxForce", math.inf)) * kg * (unit * unit if turns else unit)
    bounds = (-most, most) if math.isfinite(most) else None
    if not all(map(math.isfinite, (k, c, rest, constant))) or min(k, c, most) < 0.0:
        raise ValueError("what drives a joint is finite, and not less than 0")
    return Way(turns, letter, found, SceneLaw("drive", k, c, rest, constant, bounds))


def _apart(X: Array, ways: list[Way]) -> float:
    """Return how far the frames are apart in what the joint holds, m or parts of one."""
    slides = {each.letter for each in ways if not each.turns}
    turns = [each.letter for each in ways if each.turns]
    gap = max([0.0, *(abs(X[k, 3]) for k, letter in enumerate("XYZ") if letter not in slides)])
    if len(turns) == 1:
        k = "XYZ".index(turns[0])
        gap = max(gap, float(np.linalg.norm(X[:3, k] - np.eye(3)[k])))
    if not turns:
        gap = max(gap, float(np.abs(X[:3, :3] - np.eye(3)).max()))
    return float(gap)


class Hinges:
    """Makes hinges of joints, with the links between that they need."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def hung(self, joint: UsdJoint, part: ScenePart, parent: str, turned: bool) -> ScenePart:
        """Return ``part`` on ``parent`` by a joint; ``turned``: it is the joint's body 0."""
        kind = joint.kind
        if kind:
            return replace(
                part, joint=self._joint(joint, kind, joint.ways, joint.name, parent, turned)
            )
        assert part.mass is not None
        ways = joint.ways[::-1] if turned else joint.ways
        J = LIGHT * max(sum(part.inertia[:3]) / 3.0, 1e-300)
        on = parent
        for number, way in enumerate(ways[:-1], 1):
            held = self._joint(
                joint, "pin" if way.turns else "slider", (way,),
                self.scene.unique(f"{joint.name}_{number}"), on, turned,
            )  # fmt: skip
            on = self.scene.unique(f"{joint.name}_link")
            self.scene.parts.append(ScenePart(
                on, part.X_WP, joint=held, mass=LIGHT * part.mass, center=part.center,
                inertia=(J, J, J, 0.0, 0.0, 0.0),
            ))  # fmt: skip
        if parent:  # neighbours never touch, and now they are none
            self.scene.ignored.append((part.name, parent))
        last = "pin" if ways[-1].turns else "slider"
        return replace(part, joint=self._joint(joint, last, ways[-1:], joint.name, on, turned))

    def _joint(
        self, joint: UsdJoint, kind: str, ways: tuple[Way, ...], name: str, parent: str,
        turned: bool,
    ) -> SceneJoint:  # fmt: skip
        X = self._frame(joint.X_WJ, kind, ways, turned)
        if kind not in ("pin", "slider"):
            return SceneJoint(name, kind, X, parent)
        (way,) = ways
        laws = () if way.law is None else (
            replace(way.law, name=self.scene.unique(f"{name}_drive")),)  # fmt: skip
        return SceneJoint(name, kind, X, parent, way.limits, laws, rotor=way.rotor)

    def _frame(self, X: Array, kind: str, ways: tuple[Way, ...], turned: bool) -> Array:
        """Return the frame of a hinge, its z the axis, its x the second one of a universal."""
        axes = [X[:3, "XYZ".index(each.letter)] for each in ways]
        if kind == "universal":
            x, z = axes[::-1] if turned else axes  # z is of the child
            return make_pose(np.column_stack([x, np.cross(z, x), z]), X[:3, 3])
        turns = [each.letter for each in ways if each.turns]
        if kind in ("pin", "slider", "cylindrical", "planar"):
            X = X @ ALONG[turns[0] if turns else ways[0].letter]
        return X @ TURNED if turned and kind in ("pin", "slider") else X

    def tie(self, joint: UsdJoint, first: str, second: str) -> None:
        """Take a joint that closes a loop."""
        if any(each.acted_on for each in joint.ways):
            self.scene.lost["limits and drives of a joint that closes a loop"] += 1
        kind = joint.kind
        if (len(joint.ways) > 1 and kind != "ball") or not kind:
            self.scene.lost["joint with several freedoms that closes a loop"] += 1
            return
        X = self._frame(joint.X_WJ, kind, joint.ways, False)
        self.scene.ties.append(SceneTie(joint.name, kind, second, first, X))
