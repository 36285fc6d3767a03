"""A foreign world as its reader gives it: parts, joints, views, figures, and what was lost.

W is the world. Metres, radians, kg. Poses are (4, 4).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, TypeVar

import numpy as np

from articulata.errors import FormatError, GeometryError
from articulata.formats.scenes.scene_motion import SceneGrowth, SceneMotion, SceneZoom
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.convex import convex_hull
from articulata.geometry.shapes import (
    Cuboid,
    HalfSpace,
    Mesh,
    Named,
    Placed,
    Shape,
    Sphere,
    Union,
    scaled,
)
from articulata.geometry.solids import kernel_for
from articulata.kinematics.described_figure import identifier
from articulata.kinematics.figure import Figure
from articulata.world.language.syntax.grammar import SECTIONS
from articulata.world.language.vocabulary import SHAPE_FEATURES
from articulata.world.values import Vector3

MOST_PARTS: Final = 10_000
"""Bodies of a world beyond which nobody waits for it."""
STRAIGHT: Final = 1e-9
"""How far a turn or a stretch may be off and count as none."""

GROUND: Final = 10.0
"""m, half the side of the square that endless ground is drawn as elsewhere."""
TAKEN: Final = frozenset(("frame", "person", "break", *SECTIONS["primitive"]))
"""Names that the text of a scene needs itself."""
LIGHT: Final = 1e-10
"""What a link or a wheel that only stands for a freedom weighs, of what it moves."""
OWN_FEATURES: Final = frozenset(("center", "uppermost", *chain(*SHAPE_FEATURES.values())))
"""Features that parts may have without being told."""
TURNED: Final = np.diag([1.0, -1.0, -1.0, 1.0])
"""Half a turn about x: the same coordinates of a joint seen from the other body."""
HULL: Final = "#hull"
"""After the name of a file or a body: its convex hull is meant."""
MOST_CORNERS: Final = 256
"""Corners of such a hull; more make contact slow."""
GROWS: Final = "scale that changes (it stays as at the start)"
"""What of a world is lost where things grow, and is not in formats that can say so."""
STARTS: Final = "motion of a body at the start"
"""Likewise where things move at first."""
LIGHTS: Final = "light"
DISTORTION: Final = "distortion of a lens"
"""What worlds have no words for; glTF keeps it."""
HALF: Final = 3.1
"""rad that a joint may have turned at the start so that it is known how far."""
LENS_TERMS: Final = ("k1", "k2", "k3", "p1", "p2")
"""What the distortion of a lens is told by (D. C. Brown, A. E. Conrady)."""
ROTOR: Final = ("rotor", "shaft", "gear")
"""Ends of the names of a joint's rotor, of the pin that it turns on and of what drives it."""

J = TypeVar("J")


@dataclass(frozen=True, slots=True, eq=False)
class SceneLaw:
    """What acts along a joint: ``constant - stiffness (x - rest) - damping x'``, within ``bounds``.

    N m, rad or N, m; x counts from the start, at a ball it is the rotation vector. Of an actuator
    ``gain command`` is in the constant, and it takes commands within ``span``; where ``command``
    is None that is its target or, without stiffness, what it gives.
    """

    name: str
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    constant: float = 0.0
    bounds: tuple[float, float] | None = None
    gain: float = 0.0
    command: float | None = None
    span: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SceneJoint:
    """On what a part moves: the part ``parent`` ("": the world), and how.

    ``kind`` is a hinge of the language. ``X_WJ`` is the joint's frame at the start, its z the axis,
    its x the second axis of a universal joint. A hinge with one coordinate may have ``limits`` (rad
    or m), ``laws`` that act along it, dry ``friction`` (N m or N), the inertia of a ``rotor`` that
    turns with it (kg m^2 or kg), and at the start a ``rate`` (rad/s or m/s) and a value ``ref``.
    ``effort`` (N m or N) is the most that drives it, where that is told.
    """

    name: str
    kind: str
    X_WJ: Array
    parent: str = ""
    limits: tuple[float, float] | None = None
    laws: tuple[SceneLaw, ...] = ()
    friction: float = 0.0
    rotor: float = 0.0
    rate: float = 0.0
    ref: float = 0.0
    effort: float = 0.0

    @property
    def zero(self) -> float:
        """Its value at the start where a text can say that; else it counts from there."""
        return self.ref if self.kind == "slider" or abs(self.ref) < HALF else 0.0

    @property
    def acting(self) -> tuple[SceneLaw, ...]:
        """The laws that give something, as a motor without a command does not."""
        return tuple(e for e in self.laws if e.stiffness or e.damping or e.constant)


@dataclass(frozen=True, slots=True, eq=False)
class SceneTie:
    """What holds two parts besides their joints, or two joints to each other.

    ``kind`` "ball", "weld", "pin" or "slider" holds the parts ``first`` and ``second`` at ``X_WJ``,
    the last two by its z; "gear" lets the joint ``second`` move ``ratio`` times as fast as
    ``first`` and, with their signs, ``others``.
    """

    name: str
    kind: str
    first: str
    second: str
    X_WJ: Array = field(default_factory=lambda: np.eye(4))
    ratio: float = 1.0
    others: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SceneSpring:
    """A spring and damper between points of two parts ("": the world), (3,) in W at the start.

    It pulls by ``stiffness (length - rest) + damping length'``, N/m, N s/m and m.
    """

    name: str
    first: str
    second: str
    p_first: Array
    p_second: Array
    stiffness: float
    damping: float
    rest: float


@dataclass(frozen=True, slots=True, eq=False)
class ScenePart:
    """A body. It is fixed where it has no ``joint`` and no ``mass``; with a mass alone it is free.

    ``shape`` and ``look`` are in its frame, ``X_WP`` is where that is at the start. ``center`` (m)
    and ``inertia`` (kg m^2 about the centre: xx, yy, zz, xy, xz, yz) are in its frame. What has a
    ``motion`` moves so, whatever it meets; a ``gravity`` of its own (m/s^2) pulls it in place of
    the world's. ``friction`` and ``restitution`` are Coulomb's and Newton's coefficients. What has
    a ``growth`` changes its size in files that can say so, about the origin of its frame.
    ``twist`` (6,) is how it moves at the start besides the rates of the joints it hangs on, in W:
    what turns it (rad/s), and how fast (m/s) its point at the origin of W moves.
    """

    name: str
    X_WP: Array
    shape: Shape | None = None
    look: Shape | None = None
    color: Vector3 | None = None
    joint: SceneJoint | None = None
    mass: float | None = None
    center: Vector3 = (0.0, 0.0, 0.0)
    inertia: tuple[float, ...] = ()
    motion: SceneMotion | None = None
    gravity: Vector3 | None = None
    friction: float | None = None
    restitution: float | None = None
    growth: SceneGrowth | None = None
    twist: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SceneView:
    """A camera that looks along -z of its frame, y up; ``upwards`` is its angle of view (rad).

    ``zoom`` is how that changes, ``distortion`` its lens's ``LENS_TERMS``.
    """

    name: str
    X_WC: Array
    upwards: float
    motion: SceneMotion | None = None
    zoom: SceneZoom | None = None
    distortion: tuple[float, ...] = ()

    @property
    def ends(self) -> tuple[float, ...]:
        """Until when (s) it moves, and until when it zooms."""
        return tuple(float(e.times[-1]) for e in (self.motion, self.zoom) if e is not None)


@dataclass(frozen=True, slots=True, eq=False)
class SceneLight:
    """A light that shines along -z of its frame: "point", "spot" or "directional".

    ``intensity`` is in cd, of a directional one in lx, of each colour (linear) its share. A spot is
    as bright as that within the angle ``inner`` (rad) about its axis, and dark beyond ``outer``; no
    light goes farther than ``reach`` (m).
    """

    name: str
    X_WL: Array
    kind: str
    color: Vector3 = (1.0, 1.0, 1.0)
    intensity: float = 1.0
    reach: float = math.inf
    inner: float = 0.0
    outer: float = math.pi / 4.0
    motion: SceneMotion | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SeenLink:
    """Where a link of a figure stands now, and what is seen of it, in its frame L."""

    X_WL: Array
    shape: Shape | None
    color: Vector3 | None


@dataclass(frozen=True, slots=True, eq=False)
class SceneFigure:
    """A figure and where its own frame stands; ``seen`` are links of its joints, by name."""

    name: str
    figure: Figure
    X_WF: Array
    seen: Mapping[str, SeenLink] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class SceneRoom:
    """A room of a building: its ``outline``, a shape of shapely in the plane of W, z up.

    Its floor is at the height ``low``, m. ``things`` are all the building's parts that are
    furniture.
    """

    outline: Any
    low: float
    things: frozenset[str]


def written_name(id: str) -> str:
    """Return what a body, hinge, force or coupling of a world is called elsewhere."""
    parts = id.split(".")
    own = [a for a, b in zip(parts, [*parts[1:], ""], strict=True) if not b.startswith(f"{a}_")]
    return identifier(".".join(own).replace("[", "_").replace("]", ""))


@dataclass(slots=True, eq=False)
class Scene:
    """A world in the making; ``surfaces`` are its meshes by name, ``file`` what texts call it.

    ``people`` are which part of a person hangs on which ("": none), by her name. ``floor`` is the
    part that people stand on, ``wanted`` those that they want, where told; ``rooms`` are a
    building's by name, ``marks`` frames of parts, ``commanded`` joints by what asks for their
    force. ``lost`` counts what is in the file and not in the scene; ``names`` how often a name was
    asked for, ``asked`` what things were to be called whose names were taken. ``notes`` on all and
    ``about`` parts stand in the written text, a line each. Ids of ours
    lose the ``prefix`` that all of them have ("robot.") before they are names of the scene.
    """

    name: str
    file: str
    parts: list[ScenePart] = field(default_factory=list)
    views: list[SceneView] = field(default_factory=list)
    lights: list[SceneLight] = field(default_factory=list)
    figures: list[SceneFigure] = field(default_factory=list)
    people: dict[str, dict[str, str]] = field(default_factory=dict)
    ties: list[SceneTie] = field(default_factory=list)
    springs: list[SceneSpring] = field(default_factory=list)
    surfaces: dict[str, Mesh] = field(default_factory=dict)
    gravity: Vector3 = (0.0, -9.81, 0.0)
    floor: str = ""
    wanted: list[str] = field(default_factory=list)
    ignored: list[tuple[str, str]] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    about: dict[str, str] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TAKEN, 1))
    asked: dict[str, str] = field(default_factory=dict)
    rooms: dict[str, SceneRoom] = field(default_factory=dict)
    commanded: dict[str, str] = field(default_factory=dict)
    marks: dict[str, dict[str, Array]] = field(default_factory=dict)
    prefix: str = ""

    def mark(self, owner: str, name: str, X_WM: Array) -> None:
        """Note a frame of a part ("": the world) that stands at ``X_WM`` (4, 4) at the start."""
        known = self.marks.setdefault(owner, {})
        taken = {*known, *OWN_FEATURES, *TAKEN, *(view.name for view in self.views if not owner)}
        called, number = name, 1
        while called in taken:
            number += 1
            called = f"{name}_{number}"
        known[called] = X_WM

    def called(self, id: str) -> str:
        """Return a name of its own for a body, hinge, force or coupling of a world of ours."""
        return self.unique(written_name(id.removeprefix(self.prefix)))

    def unique(self, name: str, instead: str = "") -> str:
        """Return ``name`` as no other part is called, ``instead`` where one is."""
        if len(self.names) > MOST_PARTS:
            raise FormatError(
                f"{self.file}: more than {MOST_PARTS} things stand in it; give a world with fewer"
            )
        count = self.names[name] = self.names.get(name, 0) + 1
        if count == 1:
            return name
        found = self.unique(instead or f"{name}_{count}")
        self.asked[found] = name
        return found

    def seen(self, part: ScenePart) -> Shape | None:
        """Return what is seen of a part; what else it has is counted as lost."""
        for what, there in (
            ("mass", part.mass is not None), ("hinge", part.joint is not None),
            ("shape that touches under a look", bool(part.look and part.shape)),
        ):  # fmt: skip
            if there:
                self.lost[what] += 1
        return part.look or part.shape

    def count_forces(self) -> None:
        """Count as lost what holds and pulls parts, for a format that only shows them."""
        laws = sum(len(part.joint.acting) for part in self.parts if part.joint is not None)
        gears = sum(tie.kind == "gear" for tie in self.ties)
        self.lost += Counter({
            "force": laws + len(self.springs), "gear or other coupling of hinges": gears,
            "hinge that closes a loop": len(self.ties) - gears,
            "gravity of a single body": sum(p.gravity is not None for p in self.parts),
        })  # fmt: skip
        self.count_starts()

    def count_starts(self) -> None:
        """Count as lost what moves at the start."""
        rated = (each.twist is not None or (each.joint and each.joint.rate) for each in self.parts)
        self.lost += Counter({STARTS: sum(map(bool, rated))})

    def surface(self, name: str, vertices: Array, faces: IntArray) -> Mesh | None:
        """Return a mesh of triangles that texts can name; None, counted, where it is none."""
        if not len(faces):
            self.lost["surface without a triangle"] += 1
            return None
        called = self.unique(f"{name}_surface") if name in self.surfaces else name
        try:
            made = Mesh(vertices, faces, f"{self.file}#{called}")
        except GeometryError as error:
            raise FormatError(f"{self.file}: {name}: {error}") from error
        self.surfaces[called] = made
        return made

    def hull(self, mesh: Mesh, X: Array) -> list[Shape]:
        """Return the convex hull of one of its surfaces at a pose, by which what moves touches.

        Nothing, counted, for what is flat.
        """
        try:
            return [placed(convex_hull(mesh, f"{mesh.file}{HULL}", MOST_CORNERS), X)]
        except GeometryError:
            self.lost["flat mesh that touches (it is only seen)"] += 1
            return []

    def ellipsoid(self, name: str, radii: Vector3) -> Mesh | None:
        """Return a surface with these half axes (m) along x, y and z."""
        vertices, triangles = triangles_of(Sphere(1.0))
        return self.surface(name, vertices * radii, triangles)


def stretched(shape: Shape, S: Array) -> Shape | None:
    """Return a primitive stretched by S (3, 3); None where it is no primitive any more."""
    if np.allclose(S, np.eye(3), rtol=0.0, atol=STRAIGHT):
        return shape
    sizes = np.abs(np.diag(S))
    if not np.allclose(np.abs(S), np.diag(sizes), rtol=0.0, atol=STRAIGHT * sizes.max()):
        return None
    if isinstance(shape, Cuboid):
        return Cuboid(*(np.array([shape.x, shape.y, shape.z]) * sizes))
    even = np.allclose(sizes, sizes[0], rtol=STRAIGHT, atol=0.0)
    if even and (isinstance(shape, Sphere) or np.linalg.det(S) > 0.0):
        return scaled(shape, float(sizes[0]))
    return None


def triangles_of(shape: Shape) -> tuple[Array, IntArray]:
    """Return vertices (n, 3) m and triangles (m, 3) of a shape, those of a union as they are.

    They are the mesh's own where it is one, which nobody may write to.
    """
    if isinstance(shape, Mesh):
        return shape.vertices, shape.faces
    if isinstance(shape, Named):
        return triangles_of(shape.shape)
    if isinstance(shape, Placed):
        vertices, faces = triangles_of(shape.shape)
        X = shape.X_PS
        return vertices @ X[:3, :3].T + X[:3, 3], faces
    if isinstance(shape, Union):
        return joined([triangles_of(part) for part in shape.parts])
    if isinstance(shape, HalfSpace):
        corners = np.array([[-1.0, 0, -1], [-1, 0, 1], [1, 0, 1], [1, 0, -1]])
        return GROUND * corners, np.array([[0, 1, 2], [0, 2, 3]])
    made = kernel_for(shape).tessellate(shape)
    return np.array(made.vertices), np.array(made.triangles)


def threes(rows: Any, kind: type) -> Any:
    """Return rows of three numbers (n, 3); ValueError for others, as damaged surfaces have them."""
    made: Any = np.array(rows, kind)
    if made.size and made.shape[1:] != (3,):
        raise ValueError("a point or a triangle of it has not three numbers")
    return made.reshape(-1, 3)


def joined(pieces: list[tuple[Array, IntArray]]) -> tuple[Array, IntArray]:
    """Return the triangles of several surfaces as one."""
    if len(pieces) == 1:
        return pieces[0]
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in pieces)])
    faces = [each + start for (_, each), start in zip(pieces, starts[:-1], strict=True)]
    return np.vstack([vertices for vertices, _ in pieces]), np.vstack(faces)


def placed(shape: Shape, X: Array) -> Shape:
    """Return a shape at a pose."""
    still = np.allclose(X, np.eye(4), rtol=0.0, atol=1e-12)
    return shape if still else Placed(shape, X)


def united(shapes: list[Shape]) -> Shape | None:
    """Return several shapes as one; None for none."""
    if len(shapes) < 2:
        return shapes[0] if shapes else None
    return Union(Named(f"part{number}", each) for number, each in enumerate(shapes, 1))


def hang(
    joints: list[tuple[J, str, str]], bodies: Iterable[str], fixed: set[str]
) -> tuple[dict[str, tuple[J, str, bool]], list[J]]:
    """Return for each body the joint it hangs on, on which body ("": fixed), whether it is A.

    ``joints`` join bodies A and B; second come those that are left over, for they close loops.
    """
    hung: dict[str, tuple[J, str, bool]] = {}
    reached, waiting, left = set(fixed), joints, []
    for start in [None, *bodies]:
        if not waiting:
            break
        if start is not None and start not in reached:
            reached.add(start)  # it floats
        grown = True
        while grown:
            grown, later = False, []
            for joint, first, second in waiting:
                a, b = first in reached, second in reached
                if a and b:
                    if not {first, second} <= fixed:
                        left.append(joint)
                elif not a and not b:
                    later.append((joint, first, second))
                else:
                    child, parent = (second, first)[:: 1 if a else -1]
                    hung[child] = (joint, "" if parent in fixed else parent, not a)
                    reached.add(child)
                    grown = True
            waiting = later
    return hung, left
