"""What a figure looks like: the surfaces of its links, or bones where a link has no shape.

In the scene its links are a tree of frames: what does not turn is not sent. Each frame stands in
that of the nearest link before it that is drawn. So an arm that moves is three messages a picture,
however many surfaces and fingers hang on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array, Float64, Int64, IntArray
from articulata.geometry.constructed import tessellate
from articulata.geometry.shapes import Cylinder, HalfSpace, Shape
from articulata.kernels.chains.limb_frames import PLACED, TURNED
from articulata.kinematics.conventions import translation
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import FIXED, PRISMATIC
from articulata.kinematics.link import Color, Link, MeshFile, Part
from articulata.kinematics.link_frames import LinkFrames
from articulata.kinematics.skeleton import capsules, segments
from articulata.report import colors
from articulata.report.viewer.figures.posing import reach_of
from articulata.report.viewer.wire import Wire

BONE = (150, 163, 178)
MARK = (96, 106, 120)
MEETING = 1e-9
"""m: joints nearer than this meet in a point."""

SHARE = 0.02
"""Radius of a bone as a share of the figure's size."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles in the frame of a link: that of joint number ``joint``, -1 for the root."""

    joint: int
    vertices: Float64[Array, "n 3"]
    triangles: Int64[IntArray, "m 3"]
    color: colors.Color
    name: str = ""

    @property
    def is_bone(self) -> bool:
        """Whether it stands in for a shape: a closed surface whose triangles face outwards."""
        return self.name == "bone" or self.color == MARK


def surfaces(figure: Figure) -> tuple[list[Surface], list[str]]:
    """Return the surfaces of all links, and for each mesh that cannot be read the reason.

    A link shows its visual shapes, without them its collision shapes, without these bones: from
    its joint to the joints that it carries. Between joints that meet, links without mass show
    nothing where others have shapes.
    """
    found: list[Surface] = []
    notes: list[str] = []
    radius = _bone_radius(figure)
    shaped = any(link.visuals or link.collisions for link in figure.links.values())
    for number in range(-1, len(figure.joints)):
        link = figure.root if number < 0 else figure.links[figure.joints[number].name]
        own = _parts(link, number, notes)
        if not own and not (shaped and link.mass == 0.0 and _is_between(figure, number)):
            own = _bones(figure, number, radius)
        found += own
    return _merged(figure, found), notes


def _is_between(figure: Figure, number: int) -> bool:
    """Return whether all that a link carries is a joint that meets its own."""
    steps = [
        float(np.linalg.norm((figure.joints[k].X_PJ)[:3, 3]))
        for k, parent in enumerate(figure.parents)
        if parent == number
    ]
    return bool(steps) and max(steps) < MEETING


def _merged(figure: Figure, found: list[Surface]) -> list[Surface]:
    """Return surfaces that move together and look alike as one: each is a message a picture."""
    X_ML = [(-1, np.eye(4))]  # by link: the moving joint that carries it, its pose in that link
    for joint, parent in zip(figure.joints, figure.parents, strict=True):
        carrier, X_MP = X_ML[parent + 1]
        X_PL = X_MP @ joint.X_PJ @ joint.X_JL
        X_ML.append((carrier, X_PL) if joint.kind == FIXED else (len(X_ML) - 1, np.eye(4)))
    groups: dict[tuple[int, colors.Color], list[Surface]] = {}
    for surface in found:
        carrier, X = X_ML[surface.joint + 1]
        moved = surface.vertices @ X[:3, :3].T + X[:3, 3]
        whole = replace(surface, joint=carrier, vertices=moved)
        groups.setdefault((carrier, surface.color), []).append(whole)
    return [_joined(group) for group in groups.values()]


def _joined(group: list[Surface]) -> Surface:
    if len(group) == 1:
        return group[0]
    starts = np.cumsum([0, *(len(surface.vertices) for surface in group)])
    triangles = [s.triangles + start for s, start in zip(group, starts[:-1], strict=True)]
    vertices = np.concatenate([surface.vertices for surface in group])
    return replace(group[0], vertices=vertices, triangles=np.concatenate(triangles))


def _parts(link: Link, number: int, notes: list[str]) -> list[Surface]:
    for parts in (link.visuals, link.collisions):
        found = [each for part in parts if (each := _drawn(part, number, link.name, notes))]
        if found:
            return found
    return []


def _drawn(part: Part, number: int, link: str, notes: list[str]) -> Surface | None:
    color = as_color(part.color)
    if isinstance(part.shape, MeshFile):
        try:
            vertices, triangles, own = _loaded(part.shape)
        except Exception as error:  # whatever a mesh reader raises, the rest is drawn
            notes.append(f"{part.shape.file}: {error}")
            return None
        color = color or own
    elif isinstance(part.shape, HalfSpace):
        return None
    else:
        vertices, triangles = _tessellated(part.shape)
    moved = vertices @ part.X_LS[:3, :3].T + part.X_LS[:3, 3]
    return Surface(number, moved, triangles, color or BONE, link)


def _loaded(mesh: MeshFile) -> tuple[Array, IntArray, colors.Color | None]:
    import trimesh

    if not mesh.path:
        raise FileNotFoundError("not found; name the folder that holds it (--root, roots=)")
    loaded: Any = trimesh.load(mesh.path, force="mesh")
    if not len(getattr(loaded, "faces", ())):
        raise ValueError("it holds no triangles")
    color = None
    if loaded.visual.defined:
        # with coordinates of a texture it is the material that has a colour
        own = getattr(loaded.visual, "material", loaded.visual).main_color
        color = int(own[0]), int(own[1]), int(own[2])
    vertices = np.array(loaded.vertices, float) * np.array(mesh.scale)
    triangles = np.asarray(loaded.faces, np.int64)
    if np.prod(mesh.scale) < 0.0:  # a mirrored mesh has its inside out
        triangles = triangles[:, ::-1]
    return vertices, triangles, color


def _tessellated(shape: Shape) -> tuple[Array, IntArray]:
    surface = tessellate(shape, 24)
    return np.array(surface.vertices), np.array(surface.triangles)


def _bones(figure: Figure, number: int, radius: float) -> list[Surface]:
    """Return capsules from a link's joint to what it carries, and a mark of the joint's axis."""
    found: list[Surface] = []
    held, ends = segments(figure, number)
    if number >= 0 and figure.joints[number].kind != FIXED:
        X_LJ = np.asarray(np.linalg.inv(figure.joints[number].X_JL))
        mark = _placed(Cylinder(1.25 * radius, 2.7 * radius), X_LJ)
        found.append(Surface(number, *mark, MARK, figure.joints[number].name))
    for joint, parent in zip(figure.joints, figure.parents, strict=True):
        if parent == number and joint.kind == PRISMATIC:
            # A rail as long as the joint can slide, from where it is at zero.
            low, high = min(joint.limits[0], 0.0), max(joint.limits[1], 0.0)
            if np.isfinite(high - low) and high - low > radius:
                middle = translation(0.0, 0.0, (low + high) / 2)
                rail = _placed(Cylinder(0.45 * radius, high - low), joint.X_PJ @ middle)
                found.append(Surface(number, *rail, MARK, joint.name))
    found += [
        Surface(number, *_placed(bone, X), BONE, "bone")
        for bone, X in capsules(held, ends, radius, 0.5 * radius)
    ]
    return found


def _bone_radius(figure: Figure) -> float:
    """Return a radius that suits the figure as a whole and is slender beside its usual bone."""
    lengths = []
    for number in range(-1, len(figure.joints)):
        held, ends = segments(figure, number)
        lengths += [float(np.linalg.norm(end - held)) for end in ends]
    known = [length for length in lengths if length > 1e-9]
    return min([SHARE * reach_of(figure), *([0.12 * float(np.median(known))] if known else [])])


def _placed(shape: Shape, X: Array) -> tuple[Array, IntArray]:
    vertices, triangles = _tessellated(shape)
    return vertices @ X[:3, :3].T + X[:3, 3], triangles


def as_color(color: Color | None) -> colors.Color | None:
    """Return a part's colour as 0 to 255 each, None where it has none that a screen knows."""
    if isinstance(color, str):
        return colors.named(color)
    if color is None or len(color) < 3:
        return None
    red, green, blue = (round(255 * min(max(float(part), 0.0), 1.0)) for part in color[:3])
    return red, green, blue


SAME = 1e-9
"""Places (m) and turns nearer than this have not moved: rounding along a chain is less."""


class Limbs:
    """Frames below ``folder`` of the links that the ``joints`` (numbers, -1 the root) carry."""

    def __init__(self, scene: Any, folder: str, figure: Figure, joints: Iterable[int]) -> None:
        links = sorted(set(joints))
        rows = {joint: row for row, joint in enumerate(links)}
        stands = [-1] * len(rows)
        self._paths: dict[int, str] = {}
        self.handles: list[Any] = []
        for joint, row in rows.items():
            before = joint
            while before >= 0 and stands[row] < 0:
                before = figure.parents[before]
                stands[row] = rows.get(before, -1)
            stand = folder if stands[row] < 0 else self._paths[links[stands[row]]]
            self._paths[joint] = f"{stand}/{joint + 1}"
            self.handles.append(scene.add_frame(self._paths[joint], show_axes=False))
        self._frames = LinkFrames(figure, links, stands, same=SAME)
        self._figure = figure

    def path(self, joint: int) -> str:
        """Return where in the scene the frame of the link that ``joint`` carries is."""
        return self._paths[joint]

    def draw(self, figure: Figure, q: Array, wire: Wire | None = None) -> Array:
        """Move the links to posture ``q`` (dof,) of the figure, or of one that is alike.

        Returns their poses (joints, 4, 4), which hold until the next posture is drawn.
        """
        frames = self._frames
        if figure is not self._figure:
            frames = LinkFrames(figure, frames.links, frames.stands, same=SAME)
            frames.rows[:] = self._frames.rows
            self._figure, self._frames = figure, frames
        for row, moved in enumerate(frames.place(q).tolist()):
            if moved:
                frame = frames.rows[row].tolist()
                if moved & PLACED:
                    put(self.handles[row], frame[:3], wire)
                if moved & TURNED:
                    turn(self.handles[row], frame[3:], wire)
        return frames.poses


def put(handle: Any, position: list[float], wire: Wire | None = None) -> None:
    """Move a node of the scene, by ``wire`` where there is one.

    viser's own way compares by a function that costs more than the rest of a picture.
    """
    impl = handle._impl
    if wire is not None:
        wire.put(impl, position)
        return
    from viser import _messages

    x, y, z = impl.position[:] = position
    impl.api._queue_scene_message(_messages.SetPositionMessage(impl.name, (x, y, z)))


def turn(handle: Any, wxyz: list[float], wire: Wire | None = None) -> None:
    """Turn a node of the scene, by ``wire`` where there is one."""
    impl = handle._impl
    if wire is not None:
        wire.turn(impl, wxyz)
        return
    from viser import _messages

    w, x, y, z = impl.wxyz[:] = wxyz
    impl.api._queue_scene_message(_messages.SetOrientationMessage(impl.name, (w, x, y, z)))
