"""Joints of SDFormat as hinges of a scene; they begin at 0, where the file puts their links."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

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
from articulata.formats.sdf.pose_graph import MODEL, Scope, is_true, said, simple
from articulata.formats.xml import Element, number, numbers
from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import axis_frame
from articulata.geometry.poses import make_pose
from articulata.kinematics.described_figure import identifier

KINDS: Final = {
    "revolute": "pin", "continuous": "pin", "prismatic": "slider", "fixed": "weld", "ball": "ball",
    "universal": "universal", "revolute2": "universal",
}  # fmt: skip
REFUSED: Final = ("screw", "gearbox")
AXES: Final = {"pin": 1, "slider": 1, "universal": 2}
UNBOUNDED: Final = 1e15
"""A limit as large is none; files say 1e16."""
BEYOND: Final = 1e9
"""rad or m. The other limit of a joint with one limit alone: nothing comes there."""
ACROSS: Final = 1e-9
"""Cosine of the angle between axes that count as across each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """A freedom of a joint: about or along ``axis`` (3,) in W, rad or m, and what acts along it."""

    axis: Array
    limits: tuple[float, float] | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    friction: float = 0.0

    @property
    def acted_on(self) -> bool:
        """Whether anything ends or opposes its motion."""
        return self.limits is not None or any((self.stiffness, self.damping, self.friction))


@dataclass(frozen=True, slots=True, eq=False)
class SdfJoint:
    """A joint between two links of the scene ("": the world), its frame at ``X_WJ``.

    ``follows`` is the joint that it mimics, and how much faster than that it moves.
    """

    name: str
    kind: str
    parent: str
    child: str
    X_WJ: Array
    ways: tuple[Way, ...]
    follows: tuple[str, float] | None = None


def read_joint(
    element: Element, scope: Scope, X_WM: Array, ends: tuple[str, str], scene: Scene
) -> SdfJoint:
    """Return the joint of ``element`` between the links ``ends``, parent and child, of a model."""
    name, kind = element.text("name"), element.text("type")
    if kind in REFUSED:
        raise element.error(
            f"joint '{name}' is a {kind}, which is not read: without it the links would move "
            "otherwise. Take it out, or give a revolute or prismatic joint"
        )
    if kind not in KINDS:
        raise element.error(f"joint '{name}' has type '{kind[:30]}'; a joint is {', '.join(KINDS)}")
    X_WJ = X_WM @ scope.pose(name, element)
    hinge = KINDS[kind]
    ways, follows = [], None
    for tag in ("axis", "axis2")[: AXES.get(hinge, 0)]:
        axis = element.one(tag)
        axis = (
            Element(tag, {}, element.line, element.column, element.file) if axis is None else axis
        )
        ways.append(_way(axis, scope, X_WM, X_WJ, scene, kind))
        if follows is None:
            follows = _mimicked(axis, scene)
    for child in element.children:
        if child.tag not in ("pose", "parent", "child", "axis", "axis2"):
            scene.lost[f"{child.tag[:30]} of a joint"] += 1
    return SdfJoint(name, hinge, *ends, X_WJ, tuple(ways), follows)


def _way(
    axis: Element, scope: Scope, X_WM: Array, X_WJ: Array, scene: Scene, kind: str
) -> Way:  # fmt: skip
    direction = numbers(simple(axis), "xyz", 3, "0 0 1")
    told = axis.one("xyz")
    frame = "" if told is None else told.attributes.get("expressed_in", "").strip()
    # In 1.4 axes are those of the model; later files may say so (SDFormat, changes of 1.5 and 1.7).
    of_model = scope.version < (1, 5) or is_true(axis, "use_parent_model_frame")
    if of_model and scope.version < (1, 7):
        frame = MODEL
    R = X_WJ[:3, :3] if not frame else (X_WM @ scope.pose(frame, axis))[:3, :3]
    z = R @ np.array(direction)
    size = float(np.linalg.norm(z))
    if not 0.0 < size < math.inf:
        raise axis.error(f"{axis}: the axis of a joint is three numbers, not all of them 0")
    limit, dynamics = axis.one("limit"), axis.one("dynamics")
    limits = None
    if limit is not None:
        for each in limit.children:
            if each.tag not in ("lower", "upper"):
                scene.lost[f"{each.tag[:30]} of a joint's limit"] += 1
        low, high = (number(simple(limit), e, d) for e, d in (("lower", -1e16), ("upper", 1e16)))
        if low > high:
            raise limit.error(f"lower limit {low:g} is above upper limit {high:g}; exchange them")
        bounded = min(abs(low), abs(high)) < UNBOUNDED
        low, high = (min(max(each, -BEYOND), BEYOND) for each in (low, high))
        if kind != "continuous" and bounded:
            limits = (min(low, 0.0), max(high, 0.0))
            if limits != (low, high):
                scene.lost["limit of a joint, widened to where the joint stands at first"] += 1
    found = Way(z / size, limits)
    if dynamics is None:
        return found
    given = simple(dynamics)
    damping, friction, stiffness = (
        number(given, each, 0.0) for each in ("damping", "friction", "spring_stiffness")
    )
    if min(damping, friction, stiffness) < 0.0:
        raise dynamics.error("damping, friction and spring_stiffness are 0 or more")
    rest = number(given, "spring_reference", 0.0)
    return replace(found, stiffness=stiffness, damping=damping, rest=rest, friction=friction)


def _mimicked(axis: Element, scene: Scene) -> tuple[str, float] | None:
    """Return what an axis mimics; None, counted, where that does not hold at the start."""
    mimic = axis.one("mimic")
    if mimic is None:
        return None
    given = simple(mimic)
    ratio, offset, reference = (
        number(given, each, usual)
        for each, usual in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
    )
    if offset != ratio * reference or ratio == 0.0:
        scene.lost["mimic that does not hold at the start"] += 1
        return None
    return mimic.text("joint"), ratio


class Hinges:
    """Makes hinges of joints, with the links between that they need."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.simple: set[str] = set()

    def hung(self, joint: SdfJoint, part: ScenePart, parent: str, turned: bool) -> ScenePart:
        """Return ``part`` on ``parent`` by a joint; ``turned``: it is the joint's parent."""
        ways = tuple(reversed(joint.ways)) if turned else joint.ways
        if joint.kind != "universal":
            return replace(part, joint=self._joint(joint, joint.name, ways, parent, turned))
        x, z = (each.axis for each in ways)  # the first axis is fixed in the parent
        if abs(z @ x) < ACROSS and not any(each.acted_on for each in ways):
            X = make_pose(np.column_stack([x, np.cross(z, x), z]), joint.X_WJ[:3, 3])
            return replace(part, joint=SceneJoint(joint.name, "universal", X, parent))
        # what acts along an axis needs a hinge of its own, on a link too light to be felt
        assert part.mass is not None
        between = self.scene.unique(f"{joint.name}_link")
        first = self._joint(joint, self.scene.unique(f"{joint.name}_1"), ways[:1], parent, turned)
        J = LIGHT * sum(part.inertia[:3]) / 3.0
        self.scene.parts.append(ScenePart(
            between, part.X_WP, joint=first, mass=LIGHT * part.mass, center=part.center,
            inertia=(J, J, J, 0.0, 0.0, 0.0),
        ))  # fmt: skip
        if parent:  # neighbours never touch, and now they are none
            self.scene.ignored.append((part.name, parent))
        last = self._joint(joint, joint.name, ways[1:], between, turned)
        return replace(part, joint=last)

    def _joint(
        self, joint: SdfJoint, name: str, ways: tuple[Way, ...], parent: str, turned: bool
    ) -> SceneJoint:
        kind = "pin" if joint.kind == "universal" else joint.kind
        if not ways:
            return SceneJoint(name, kind, joint.X_WJ, parent)
        (way,) = ways
        X = make_pose(axis_frame(way.axis)[:3, :3], joint.X_WJ[:3, 3])
        X = X @ TURNED if turned else X
        laws: tuple[SceneLaw, ...] = ()
        if way.stiffness or way.damping:
            called = self.scene.unique(f"{name}_spring")
            laws = (SceneLaw(called, way.stiffness, way.damping, way.rest),)
        self.simple.add(name)
        return SceneJoint(name, kind, X, parent, way.limits, laws, way.friction)

    def tie(self, joint: SdfJoint) -> None:
        """Take a joint that closes a loop."""
        if any(each.acted_on for each in joint.ways):
            self.scene.lost["limits, springs and friction of a joint that closes a loop"] += 1
        X = joint.X_WJ
        if joint.kind in ("pin", "slider"):
            X = make_pose(axis_frame(joint.ways[0].axis)[:3, :3], X[:3, 3])
        elif joint.kind == "universal":
            self.scene.lost["universal joint that closes a loop"] += 1
            return
        # a hinge's second body is the one that it hangs on
        self.scene.ties.append(SceneTie(joint.name, joint.kind, joint.child, joint.parent, X))

    def follow(self, joint: SdfJoint, leader: str) -> None:
        """Gear a joint to the one that it mimics."""
        assert joint.follows is not None
        if not {joint.name, leader} <= self.simple:
            self.scene.lost["mimic of a joint that has no one coordinate"] += 1
            return
        name = self.scene.unique(f"{joint.name}_gear")
        self.scene.ties.append(SceneTie(name, "gear", leader, joint.name, ratio=joint.follows[1]))


def ends_of(element: Element) -> tuple[str, str]:
    """Return the names of what a joint joins, parent and child."""
    names = tuple(said(element, each) for each in ("parent", "child"))
    if not all(names):
        raise element.error(f"{element} needs a <parent> and a <child>")
    if names[0] == names[1]:
        raise element.error(f"{element} joins '{names[0][:60]}' to itself")
    return names[0], names[1]


def called(element: Element, prefix: str) -> str:
    """Return what a joint of a model that is called ``prefix`` is called."""
    name = element.text("name")
    return identifier(f"{prefix}_{name}" if prefix else name)
