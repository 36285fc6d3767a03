"""Figures as H-Anim humanoids (ISO/IEC 19774): joints with limits, segments with masses, sites.

In a humanoid all frames are its own in the posture without turns; a joint has a ``center`` there
and up to three turns about axes across each other, one after the other. ``limitOrientation`` turns
x, y and z to these axes. A ``stiffness`` of 1 means that a turn is held (with limits of 0). Joints
of ours that turn about one point, with nothing in between, are one joint there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from articulata.formats.scenes.foreign_scene import Scene, SceneFigure, triangles_of
from articulata.formats.vrml.graph import Node, Value
from articulata.formats.vrml.node_table import nodes
from articulata.formats.vrml.shape_nodes import Z_TO_Y
from articulata.formats.xml import UNBOUNDED
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose, make_pose
from articulata.geometry.quaternion import q_from_matrix
from articulata.geometry.shapes import Cone, Cuboid, Cylinder, Named, Placed, Shape, Sphere, Union
from articulata.kinematics.described_figure import identifier
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import FIXED, REVOLUTE, Joint
from articulata.kinematics.link import Link, MeshFile
from articulata.world.values import Vector3


def made(kind: str, name: str = "", /, **fields: Value) -> Node:
    """Return a node of a type with some of its fields; ``name`` is its DEF."""
    return Node(kind, nodes()[kind], "", fields, name)


def shapes(shape: Shape, color: Vector3 | None) -> list[Node]:
    """Return the nodes that are drawn as a shape, in its frame."""
    if isinstance(shape, Named):
        return shapes(shape.shape, color)
    if isinstance(shape, Union):
        return [node for part in shape.parts for node in shapes(part, color)]
    if isinstance(shape, Placed):
        inside = shapes(shape.shape, color)
        return [made("Transform", **place(shape.X_PS), children=inside)]
    looks: dict[str, Value] = {} if color is None else {"diffuseColor": np.array(color)}
    appearance = made("Appearance", material=made("Material", **looks))
    match shape:
        case Cuboid(x, y, z):
            geometry = made("Box", size=np.array([x, y, z]))
        case Sphere(radius):
            geometry = made("Sphere", radius=np.array([radius]))
        case Cylinder(radius, length):
            geometry = made("Cylinder", radius=np.array([radius]), height=np.array([length]))
        case Cone(radius, length, 0.0):
            geometry = made("Cone", bottomRadius=np.array([radius]), height=np.array([length]))
        case _:
            vertices, faces = triangles_of(shape)
            ends = np.column_stack([faces, np.full(len(faces), -1)])
            geometry = made(
                "IndexedFaceSet", coord=made("Coordinate", point=vertices),
                coordIndex=ends.reshape(-1, 1), solid=False,
            )  # fmt: skip
    node = made("Shape", appearance=appearance, geometry=geometry)
    if geometry.type in ("Cylinder", "Cone"):
        return [made("Transform", **place(Z_TO_Y.T), children=[node])]
    return [node]


def place(X: Array) -> dict[str, Value]:
    """Return the fields of a Transform that say a pose (4, 4)."""
    found: dict[str, Value] = {}
    if X[:3, 3].any():
        found["translation"] = X[:3, 3]
    if not np.array_equal(X[:3, :3], np.eye(3)):
        found["rotation"] = turn(X)
    return found


def turn(X: Array) -> Array:
    """Return a rotation as axis and angle (4,)."""
    w, *v = (float(each) for each in q_from_matrix(X[:3, :3]))
    size = math.hypot(*v)
    if size == 0.0:
        return np.array([0.0, 0.0, 1.0, 0.0])
    return np.array([*(each / size for each in v), 2.0 * math.atan2(size, w)])


TOGETHER: Final = 1e-9
"""m, and cosines of the angles between axes, by which turns may be apart in one joint."""
ROUNDING: Final = 1e-15
SIDED: Final = {
    "hip": "thigh", "knee": "calf", "talocrural": "talus", "ankle": "hindfoot",
    "sternoclavicular": "clavicle", "acromioclavicular": "scapula", "shoulder": "upperarm",
    "elbow": "forearm", "radiocarpal": "carpal", "wrist": "hand",
}  # fmt: skip
"""What joints of the standard carry, after ``l_`` or ``r_``."""
SEGMENTS: Final[Mapping[str, str]] = {
    "HumanoidRoot": "sacrum", "sacroiliac": "pelvis", "skullbase": "skull",
    **{f"{side}_{joint}": f"{side}_{body}" for side in "lr" for joint, body in SIDED.items()},
    **{f"v{kind}{n}": f"{kind}{n}" for kind, most in (("l", 5), ("t", 12), ("c", 7))
       for n in range(1, most + 1)},
}  # fmt: skip
"""Segments of the standard by the joint that carries them."""
VERSION: Final = "2.0"


def is_humanoid(figure: Figure) -> bool:
    """Return whether H-Anim can hold a figure: all joints turn by themselves or are fixed."""
    return all(each.kind in (REVOLUTE, FIXED) and each.mimic is None for each in figure.joints)


def is_person(figure: Figure) -> bool:
    """Return whether a figure is a humanoid with a joint that the standard names."""
    return is_humanoid(figure) and any(_called(each.name) in SEGMENTS for each in figure.joints)


def humanoid(each: SceneFigure, scene: Scene) -> Node:
    """Return the node of a figure as it stands."""
    return _Writer(each, scene).node()


@dataclass(slots=True, eq=False)
class _Writer:
    """Builds the nodes of one figure. H is the humanoid's frame."""

    given: SceneFigure
    scene: Scene
    joints: list[Node] = field(default_factory=list)
    segments: list[Node] = field(default_factory=list)
    sites: list[Node] = field(default_factory=list)

    def node(self) -> Node:
        figure, name = self.given.figure, self.given.name
        X_WH = self.given.X_WF @ figure.base
        X_HF = inverse_pose(figure.base)
        rest = X_HF @ figure.poses(np.zeros(figure.dof))
        rest[np.abs(rest) < ROUNDING] = 0.0
        # how far each link is turned from there, as it stands
        now = {
            k: inverse_pose(X_WH) @ self.given.seen[joint.name].X_WL @ inverse_pose(rest[k])
            for k, joint in enumerate(figure.joints) if joint.name in self.given.seen
        }  # fmt: skip
        root = self._joint("HumanoidRoot", figure.root, np.eye(4), -1, np.zeros(3))
        carriers: dict[int, tuple[Node, Array]] = {-1: (root, np.eye(3))}
        for group in _groups(figure, rest):
            parent, R_HP = carriers[figure.parents[group[0]]]
            last = group[-1]
            X_HJ = [self._frame(k, rest) for k in group]
            called = _called(figure.joints[group[0]].name)
            link = figure.links[figure.joints[last].name]
            node = self._joint(called, link, rest[last], last, X_HJ[-1][:3, 3])
            R_HL = now[last][:3, :3] if last in now else R_HP
            if np.abs(R_HP.T @ R_HL - np.eye(3)).max() > TOGETHER:
                node.fields["rotation"] = turn(make_pose(R_HP.T @ R_HL))
            _limit(node, [figure.joints[k] for k in group], [X[:3, 2] for X in X_HJ])
            parent.fields["children"].append(node)
            carriers[last] = (node, R_HL)
        node = made(
            "HAnimHumanoid", name, name=figure.name or name, version=VERSION, **place(X_WH),
            skeleton=[root], joints=self.joints, segments=self.segments,
        )  # fmt: skip
        if self.sites:
            node.fields["sites"] = self.sites
        return node

    def _frame(self, number: int, rest: Array) -> Array:
        """Return where a joint turns, without turns, in H."""
        figure = self.given.figure
        parent = figure.parents[number]
        X_HP: Array = rest[parent] if parent >= 0 else np.eye(4)
        found = np.array(X_HP @ figure.joints[number].X_PJ)
        found[np.abs(found) < ROUNDING] = 0.0
        return found

    def _joint(self, called: str, link: Link, X_HL: Array, number: int, center: Array) -> Node:
        """Return a joint with the segment that it carries, and keep both."""
        node = made("HAnimJoint", self._name(called), name=called, children=[])
        if center.any():
            node.fields["center"] = center
        self.joints.append(node)
        segment = self._segment(called, link, X_HL, number)
        if segment is not None:
            node.fields["children"].append(segment)
            self.segments.append(segment)
        return node

    def _segment(self, joint: str, link: Link, X_HL: Array, number: int) -> Node | None:
        figure = self.given.figure
        own = figure.joints[number].name if number >= 0 else ""
        children: list[Node] = []
        seen = self.given.seen.get(own)
        if seen is not None and seen.shape is not None:
            children = shapes(seen.shape, seen.color)
        elif seen is None:
            for part in link.visuals:
                if not isinstance(part.shape, MeshFile):
                    inside = shapes(part.shape, None)
                    children.append(made("Transform", **place(part.X_LS), children=inside))
        if children and not np.array_equal(X_HL, np.eye(4)):
            children = [made("Transform", **place(X_HL), children=children)]
        for name, mark in figure.landmarks.items():
            if mark.joint == own:
                children.append(self._site(name, X_HL @ mark.X_LP))
        if not children and not link.mass:
            return None
        called = SEGMENTS.get(joint, identifier(link.name or f"{joint}_segment"))
        node = made("HAnimSegment", self._name(called), name=called, children=children)
        if link.mass:
            R = X_HL[:3, :3]
            node.fields |= {
                "mass": np.array([link.mass]),
                "centerOfMass": R @ np.array(link.center) + X_HL[:3, 3],
                "momentsOfInertia": (R @ link.inertia @ R.T).reshape(-1, 1),
            }
        return node

    def _site(self, name: str, X_HP: Array) -> Node:
        ending = "" if re.search(r"_(tip|pt|view)$", name) else "_pt"
        called = f"{identifier(name)}{ending}"
        node = made("HAnimSite", self._name(called), name=called, **place(X_HP))
        self.sites.append(node)
        return node

    def _name(self, called: str) -> str:
        return self.scene.unique(f"{self.given.name}_{identifier(called)}")


def _groups(figure: Figure, rest: Array) -> list[list[int]]:
    """Return joints that are one joint there, each group from the body on; parents first."""
    children: dict[int, list[int]] = {}
    for k, parent in enumerate(figure.parents):
        children.setdefault(parent, []).append(k)
    found: list[list[int]] = []
    waiting = list(reversed(children.get(-1, [])))
    while waiting:
        group = [waiting.pop()]
        while (after := _after(figure, rest, group, children)) is not None:
            group.append(after)
        found.append(group)
        waiting += reversed(children.get(group[-1], []))
    return found


def _after(
    figure: Figure, rest: Array, group: list[int], children: Mapping[int, list[int]]
) -> int | None:
    """Return the joint that turns about the same point as a group, with nothing in between."""
    last = group[-1]
    below = children.get(last, [])
    joint = figure.joints[last]
    link = figure.links[joint.name]
    carries = link.mass or link.visuals or link.collisions
    marked = any(each.joint == joint.name for each in figure.landmarks.values())
    if joint.kind == FIXED or carries or marked or len(below) != 1 or len(group) == 3:
        return None
    after = figure.joints[below[0]]
    if after.kind == FIXED:
        return None
    frames = []
    for k in (*group, below[0]):
        parent = figure.parents[k]
        frames.append((rest[parent] if parent >= 0 else np.eye(4)) @ figure.joints[k].X_PJ)
    apart = np.abs(frames[-1][:3, 3] - frames[0][:3, 3]).max()
    slanted = max(abs(float(X[:3, 2] @ frames[-1][:3, 2])) for X in frames[:-1])
    return below[0] if apart <= TOGETHER and slanted <= TOGETHER else None


def _called(name: str) -> str:
    """Return the standard's name of a joint whose turn is called ``name``, else that."""
    words = name.split("_")
    known = ("_".join(words[:count]) for count in range(len(words), 0, -1))
    return next((each for each in known if each in SEGMENTS), identifier(name))


def _limit(node: Node, joints: list[Joint], axes: list[Array]) -> None:
    """Write the limits of turns about ``axes`` (3,) in H, one after the other."""
    low, high, held = np.zeros(3), np.zeros(3), np.ones(3)
    slots, signs, L = _slots([] if joints[0].kind == FIXED else axes)
    for joint, slot, sign in zip(joints, slots, signs, strict=False):
        ends = [sign * min(max(each, -UNBOUNDED), UNBOUNDED) for each in joint.limits]
        low[slot], high[slot], held[slot] = min(ends), max(ends), 0.0
    if not np.array_equal(L, np.eye(3)):
        node.fields["limitOrientation"] = turn(make_pose(L))
    node.fields |= {"llimit": low.reshape(-1, 1), "ulimit": high.reshape(-1, 1)}
    if held.any():
        node.fields["stiffness"] = held.reshape(-1, 1)


def _slots(axes: list[Array]) -> tuple[list[int], list[float], Array]:
    """Return for each axis its column of a rotation (3, 3), its sign there, and the rotation.

    It is the identity where the axes are x, y and z in this order, some of them left out.
    """
    slots = [int(np.argmax(np.abs(axis))) for axis in axes]
    along = all(abs(abs(axis[k]) - 1.0) <= TOGETHER for axis, k in zip(axes, slots, strict=True))
    if along and slots == sorted(slots):
        return (
            slots,
            [math.copysign(1.0, a[k]) for a, k in zip(axes, slots, strict=True)],
            np.eye(3),
        )
    first = axes[0]
    if len(axes) == 1:
        across = np.eye(3)[int(np.argmin(np.abs(first)))]
        second = np.cross(first, across)
        second /= np.linalg.norm(second)
    else:
        second = axes[1]
    third = np.cross(first, second)
    signs = [1.0, 1.0, 1.0 if len(axes) < 3 or float(third @ axes[2]) > 0.0 else -1.0]
    return [0, 1, 2][: len(axes)], signs[: len(axes)], np.column_stack([first, second, third])
