"""Humanoid, Joint and Segment nodes as figures: H-Anim (ISO/IEC 19774) and OpenHRP's prototypes.

OpenHRP's Joint says its type, axis and limits; H-Anim's turns any way and is three joints, NAME_x,
NAME_y and NAME_z, about the axes of its ``limitOrientation``. What has limits of 0 and a stiffness
of 1 does not turn. Its rotation, where its limits allow that, is where it begins. A Site is a
landmark. A Segment says mass, centre of mass and moments of inertia about that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.errors import GeometryError, KinematicsError
from articulata.formats.scenes.foreign_scene import Scene, SceneFigure
from articulata.formats.scenes.scene_motion import rigid
from articulata.formats.vrml.graph import Node
from articulata.formats.vrml.shape_nodes import (
    color_of,
    drawn,
    placed_shape,
    rotation,
    shape_of,
    transform,
)
from articulata.formats.xml import UNBOUNDED
from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.geometry.shapes import Mesh, Placed
from articulata.kinematics.described_figure import identifier
from articulata.kinematics.figure import Figure, Landmark, Run, runs_to
from articulata.kinematics.joint import (
    FIXED,
    PRISMATIC,
    REVOLUTE,
    UNKNOWN_MOTOR,
    UNLIMITED,
    Joint,
    JointKind,
    Motor,
    about,
)
from articulata.kinematics.link import Link, MeshFile, Part
from articulata.world.figures.link_weights import Weight, together

PERSONS: Final = ("Humanoid", "HAnimHumanoid")
JOINTS: Final = ("Joint", "HAnimJoint")
MOST_VISITS: Final = 150_000
"""Nodes that a walk may come to, those that are used several times included."""
SEGMENTS: Final = ("Segment", "HAnimSegment")
SITES: Final = ("Site", "HAnimSite")
NOTHING: Final = Weight(0.0, np.zeros(3), np.zeros((3, 3)))
CLOSE: Final = 1e-9
"""rad by which a joint may begin beyond its limits."""
AXES: Final = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


@dataclass(slots=True, eq=False)
class _Body:
    """A link in the making; its frame is ``X_WL`` in the humanoid's rest posture."""

    X_WL: Array
    name: str = ""
    weights: list[Weight] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    def link(self) -> Link:
        whole = together(self.weights) if self.weights else NOTHING
        x, y, z = whole.center.tolist()
        return Link(self.name, whole.mass, (x, y, z), whole.inertia, tuple(self.parts))


@dataclass(slots=True, eq=False)
class _Builder:
    """Collects joints, parents first. ``person`` is the Humanoid."""

    person: Node
    scene: Scene
    taken_in: Callable[[Node, tuple[Path, ...]], tuple[list[Node], tuple[Path, ...]]]
    files: tuple[Path, ...]
    visits: int = 0
    joints: list[Joint] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    bodies: list[_Body] = field(default_factory=list)
    root: _Body = field(default_factory=lambda: _Body(np.eye(4), "base"))
    taken: set[str] = field(default_factory=set)
    landmarks: dict[str, Landmark] = field(default_factory=dict)
    rooted: bool = False

    def name(self, wanted: str) -> str:
        """Return a name that no other joint or link has."""
        made, number = wanted, 1
        while made in self.taken:
            number += 1
            made = f"{wanted}_{number}"
        self.taken.add(made)
        return made

    def walk(self, node: Node, M: Array, parent: int, depth: int = 0) -> None:
        """Take a node that hangs on joint ``parent`` (-1: the root), at ``M`` (4, 4)."""
        self._count(node)
        if depth > 150:
            raise node.error("joints are more than 150 deep inside each other")
        if node.type in JOINTS:
            M, parent = self._joint(node, M, parent)
        elif node.type in SEGMENTS:
            self._segment(node, M, parent)
            return
        else:
            node = drawn(node)
            if node.type == "Transform":
                M = M @ transform(node)
            elif node.type == "Shape":
                self._shape(node, M, parent)
                return
            elif node.type not in ("Group", "StaticGroup"):
                return
        for each in node.children("children") if "children" in node.spec else []:
            self.walk(each, M, parent, depth + 1)

    def _count(self, node: Node) -> None:
        self.visits += 1
        if self.visits > MOST_VISITS:
            raise node.error("USE and prototypes make too much of it; give a smaller world")

    def _body(self, number: int) -> _Body:
        return self.root if number < 0 else self.bodies[number]

    def _joint(self, node: Node, M: Array, parent: int) -> tuple[Array, int]:
        center = _of(node, "center", 3) if "center" in node.spec else np.zeros(3)
        name = str(node.get("name") or node.name or "joint")
        kind = str(node.get("jointType") or "ball") if "jointType" in node.spec else "ball"
        root = kind in ("free", "ball") and parent < 0 and not self.rooted
        turns = [] if root or kind not in ("free", "ball") else _turns(node)
        begun = _begun(node, turns) if turns else None
        if begun is not None:  # the rest is without its rotation
            fields = {name: each for name, each in node.fields.items() if name != "rotation"}
            node = replace(node, fields=fields)
        M = M @ (transform(node) if "translation" in node.spec else _turned(node))
        X_WL = rigid(M)[0]
        X_WL[:3, 3] = (M @ [*center, 1.0])[:3]
        if root:
            self.root = replace(self.root, X_WL=X_WL, name=name)
            self.rooted = True
            return M, parent
        X_PL = np.linalg.inv(self._body(parent).X_WL) @ X_WL
        if kind in ("free", "ball"):
            self._ball(name, parent, (X_PL, X_WL), turns, begun or (0.0,) * len(turns))
            return M, len(self.joints) - 1
        simple: dict[str, JointKind] = {
            "rotate": REVOLUTE,
            "slide": PRISMATIC,
            "fixed": FIXED,
            "crawler": FIXED,
        }
        if kind not in simple:
            self._ball(name, parent, (X_PL, X_WL), _turns(node), (0.0, 0.0, 0.0))
            return M, len(self.joints) - 1
        low, high = (_list(node, each) for each in ("llimit", "ulimit"))
        C = about(_axis(node).tolist()) if simple[kind] != FIXED else np.eye(4)
        X_PJ, X_JL = X_PL @ C, C.T
        limits = _limits(node, low, high, 0)
        self._add(
            Joint(
                self.name(name), simple[kind], X_PJ, X_JL, limits,
                min(max(0.0, limits[0]), limits[1]), motor=_motor(node),
            ),
            parent, X_WL,
        )  # fmt: skip
        return M, len(self.joints) - 1

    def _ball(
        self, name: str, parent: int, poses: tuple[Array, Array], turns: list[_Turn],
        begun: tuple[float, ...],
    ) -> None:  # fmt: skip
        """Add the turns of a joint, from ``begun`` (rad) on; ``poses`` are X_PL and X_WL."""
        before, X_WL = poses
        if not turns:
            self._add(Joint(self.name(name), FIXED, before), parent, X_WL)
        for turn, angle in zip(turns, begun, strict=True):
            C = about(turn.axis.tolist())
            low, high = turn.limits
            neutral = min(max(angle, low), high)
            joint = Joint(
                self.name(f"{name}_{turn.letter}"), REVOLUTE, before @ C, C.T, turn.limits, neutral
            )
            self._add(joint, parent, X_WL, bare=turn is not turns[-1])
            before, parent = np.eye(4), len(self.joints) - 1

    def _add(self, joint: Joint, parent: int, X_WL: Array, *, bare: bool = False) -> None:
        """Add a joint; what a ``bare`` one carries is no link, but the next joint alone."""
        link = "" if bare else self.name(f"{joint.name} link")
        self.joints.append(replace(joint, link=link))
        self.parents.append(parent)
        self.bodies.append(_Body(X_WL, link))

    def _segment(self, node: Node, M: Array, parent: int) -> None:
        body = self._body(parent)
        M = M @ (_turned(node) if "translation" in node.spec else np.eye(4))
        X_LS = np.linalg.inv(body.X_WL) @ rigid(M)[0]
        mass = float(_of(node, "mass", 1)[0])
        if mass < 0.0:
            raise node.error(f"{node} has a mass of {mass:g} kg; give 0 or more")
        if mass > 0.0:
            R = X_LS[:3, :3]
            c = R @ _of(node, "centerOfMass", 3) + X_LS[:3, 3]
            J = np.resize(np.append(_list(node, "momentsOfInertia"), np.zeros(9))[:9], (3, 3))
            body.weights.append(Weight(mass, c, R @ ((J + J.T) / 2.0) @ R.T))
        name = str(node.get("name") or node.name or "")
        if name and body.name.endswith(" link"):
            body.name = self.name(name)
        for each in node.children("children"):
            self._under(each, M, parent, 0, self.files)

    def _under(
        self, node: Node, M: Array, parent: int, depth: int, files: tuple[Path, ...]
    ) -> None:  # fmt: skip
        """Take what is drawn of a segment, and joints that hang in it; ``files`` are open."""
        self._count(node)
        if node.type in (*JOINTS, *SEGMENTS) or depth > 100:
            self.walk(node, M, parent)
            return
        if node.type in SITES:
            self._site(node, M, parent)
        node = drawn(node)
        if node.type == "Shape":
            self._shape(node, M, parent)
        elif node.type == "Inline":
            nodes, files = self.taken_in(node, files)
            for each in nodes:
                self._under(each, M, parent, depth + 1, files)
        elif node.type in ("Transform", "Group", "StaticGroup"):
            if node.type == "Transform":
                M = M @ transform(node)
            for each in node.children("children"):
                self._under(each, M, parent, depth + 1, files)

    def _site(self, node: Node, M: Array, parent: int) -> None:
        name = str(node.get("name") or node.name or "")
        if name and name not in self.landmarks:
            body = self._body(parent)
            X_LP = rigid(np.linalg.inv(body.X_WL) @ M @ _turned(node))[0]
            self.landmarks[name] = Landmark(self.joints[parent].name if parent >= 0 else "", X_LP)

    def _shape(self, node: Node, M: Array, parent: int) -> None:
        geometry = node.get("geometry")
        if geometry is None:
            return
        color = color_of(node, self.scene)
        body = self._body(parent)
        X, S = rigid(np.linalg.inv(body.X_WL) @ M)
        name = self.scene.unique(identifier(node.name or body.name))
        try:
            shape = placed_shape(shape_of(geometry, self.scene.lost), S, name, self.scene)
        except GeometryError as error:
            raise geometry.error(f"{geometry}: {error}") from error
        if isinstance(shape, Placed):
            X, shape = X @ shape.X_PS, shape.shape
        if shape is not None:
            drawn_as: Any = MeshFile(shape.file) if isinstance(shape, Mesh) else shape
            body.parts.append(Part(drawn_as, X, color, name))


def figure_of(
    node: Node,
    scene: Scene,
    taken_in: Callable[[Node, tuple[Path, ...]], tuple[list[Node], tuple[Path, ...]]],
    files: tuple[Path, ...],
) -> Callable[[Array], SceneFigure] | None:
    """Return what puts the figure of a Humanoid at an affine map (4, 4); None where none moves.

    ``taken_in`` gives the nodes of the file that an Inline names, ``files`` are those around it.
    """
    builder = _Builder(node, scene, taken_in, files)
    names = [each for each in ("humanoidBody", "skeleton", "children") if each in node.spec]
    parts = next((found for each in names if (found := node.children(each))), [])
    for each in parts:
        builder.walk(each, np.eye(4), -1)
    if all(joint.kind == FIXED for joint in builder.joints):
        if any(body.weights for body in (builder.root, *builder.bodies)):
            scene.lost["mass of a thing without joints (it is fixed)"] += 1
        return None
    name = identifier(str(node.get("name") or node.name or "humanoid"))
    joints = [replace(j, link=b.name) for j, b in zip(builder.joints, builder.bodies, strict=True)]
    try:
        figure = Figure(
            joints,
            builder.parents,
            base=builder.root.X_WL,
            name=name,
            root=builder.root.link(),
            links={j.name: b.link() for j, b in zip(joints, builder.bodies, strict=True)},
            chains=_chains(joints, builder.parents),
            landmarks=builder.landmarks,
            up=(0.0, 1.0, 0.0),
        )
    except KinematicsError as error:
        raise node.error(f"{node}: {error}") from error
    place = _turned(node) if "translation" in node.spec else np.eye(4)

    def at(M: Array) -> SceneFigure:
        X, S = rigid(M @ place)
        if not np.allclose(S, np.eye(3), atol=1e-6):
            scene.lost["scale of a humanoid (it keeps its size)"] += 1
        return SceneFigure(scene.unique(name), figure, X)

    return at


def _chains(joints: list[Joint], parents: list[int]) -> dict[str, Run]:
    """Return the chain from the root to each last link."""
    ends = {joints[k].link: k for k in sorted(set(range(len(joints))) - set(parents))}
    return runs_to(joints, parents, ends)


def _of(node: Node, name: str, width: int) -> Array:
    """Return a field of a prototype that need not be there."""
    value = node.get(name) if name in node.spec else None
    array = np.zeros(0) if value is None else np.asarray(value, float).reshape(-1)
    return np.append(array, np.zeros(width))[:width]


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """A turn of a ball joint about ``axis`` (3,), which ``letter`` names, within limits (rad)."""

    letter: str
    axis: Array
    limits: tuple[float, float]


def _turns(node: Node) -> list[_Turn]:
    """Return the turns of a ball joint, one after the other; those that are held are left out."""
    low, high, stiff = (_list(node, each) for each in ("llimit", "ulimit", "stiffness"))
    told = "limitOrientation" in node.spec
    L = rotation(_of(node, "limitOrientation", 4)) if told else np.eye(3)
    found = []
    for number, letter in enumerate("xyz"):
        given = number < min(len(low), len(high), len(stiff))
        if given and stiff[number] >= 1.0 and low[number] == high[number] == 0.0:
            continue
        found.append(_Turn(letter, L[:, number], _limits(node, low, high, number)))
    return found


def _begun(node: Node, turns: list[_Turn]) -> tuple[float, ...] | None:
    """Return the angles (rad) of the turns that make a joint's rotation; None for others."""
    if "rotation" not in node.spec:
        return None
    R = rotation(_of(node, "rotation", 4))
    told = "limitOrientation" in node.spec
    L = rotation(_of(node, "limitOrientation", 4)) if told else np.eye(3)
    T = L.T @ R @ L  # x, then y, then z, each carried by the one before
    angles = {
        "x": math.atan2(-T[1, 2], T[2, 2]),
        "y": math.asin(min(max(float(T[0, 2]), -1.0), 1.0)),
        "z": math.atan2(-T[0, 1], T[0, 0]),
    }
    moving = {each.letter: each.limits for each in turns}
    for letter, angle in angles.items():
        low, high = moving.get(letter, (0.0, 0.0))
        if not low - CLOSE <= angle <= high + CLOSE:
            return None
    return tuple(angles[each.letter] for each in turns)


def _list(node: Node, name: str) -> Array:
    value = node.get(name) if name in node.spec else None
    return np.zeros(0) if value is None else np.asarray(value, float).reshape(-1)


def _turned(node: Node) -> Array:
    X = make_pose(p=_of(node, "translation", 3))
    X[:3, :3] = rotation(_of(node, "rotation", 4)) if "rotation" in node.spec else np.eye(3)
    return X


def _axis(node: Node) -> Array:
    value = node.get("jointAxis") if "jointAxis" in node.spec else "Z"
    if isinstance(value, str):
        if value.strip().upper() not in AXES:
            raise node.error(f"{node} has the axis '{value[:20]}'; give X, Y, Z or three numbers")
        return np.array(AXES[value.strip().upper()])
    axis = np.asarray(value, float).reshape(-1)
    if axis.shape != (3,) or not axis.any():
        raise node.error(f"the axis of {node} is three numbers, not all of them 0")
    return axis


def _limits(node: Node, low: Array, high: Array, number: int) -> tuple[float, float]:
    if number >= min(len(low), len(high)) or low[number] == high[number] == 0.0:
        return UNLIMITED
    if min(-low[number], high[number]) >= UNBOUNDED:
        return UNLIMITED
    if low[number] > high[number]:
        raise node.error(f"{node} has its lower limit {low[number]:g} above {high[number]:g}")
    return float(low[number]), float(high[number])


def _motor(node: Node) -> Motor:
    speeds = [*np.abs(_list(node, "uvlimit")), *np.abs(_list(node, "lvlimit"))]
    gear = _of(node, "gearRatio", 1)[0] or 1.0
    fastest = min((float(each) for each in speeds if each > 0.0), default=np.inf)
    if fastest == np.inf and gear == 1.0:
        return UNKNOWN_MOTOR
    return Motor(speed=fastest, gear=float(gear))
