"""Shapes where Transform nodes put them, with their colours; triangles where no primitive says it.

Normals, colours of single faces and texture coordinates are left out. Extrusion: ISO/IEC 14772-1,
6.18.3, the spine-aligned cross-section plane.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np

from articulata.errors import GeometryError
from articulata.formats.scenes.foreign_scene import Scene, stretched, triangles_of
from articulata.formats.vrml.graph import Node
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.joint_frames import translation
from articulata.geometry.shapes import SHAPES, Cone, Cuboid, Cylinder, Placed, Shape, Sphere
from articulata.geometry.tessellation import polygon_triangles
from articulata.world.values import Vector3

Z_TO_Y: Final = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
"""Turns z, along which our cylinders lie, to y, along which theirs do."""
MOST_CORNERS: Final = 20_000_000
"""Corners of a surface beyond which none is made."""

SEGMENTS: Final = 64
"""Straight pieces of a circle's rim."""

Triangles = tuple[Array, IntArray]


def shape_of(node: Node, lost: Counter[str]) -> Shape | Triangles | None:
    """Return what a geometry node is; None, counted, for lines, points and letters."""
    node = drawn(node)
    try:
        match node.type:
            case "Box":
                return Cuboid(*node.get("size"))
            case "Sphere":
                return Sphere(_one(node, "radius"))
            case "Cylinder" | "Cone":
                _whole(node, lost)
                length = _one(node, "height")
                if node.type == "Cylinder":
                    return Placed(Cylinder(_one(node, "radius"), length), Z_TO_Y)
                return Placed(Cone(_one(node, "bottomRadius"), length), Z_TO_Y)
    except GeometryError as error:
        raise node.error(f"{node}: {error}") from error
    if node.unread and node.type.endswith("Set") and not node.children("coord"):
        lost[f"{node.type} without points that are read"] += 1
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    made = _MAKERS.get(node.type)
    if made is None:
        lost[f"{node.type} (lines, points and letters are no surface)"] += 1
        return None
    if "color" in node.spec and node.get("color") is not None:
        lost["colours of single faces or corners"] += 1
    vertices, faces = made(node)
    if node.get("ccw") is False:
        faces = faces[:, ::-1]
    return vertices, faces


def drawn(node: Node) -> Node:
    """Return the node that an instance of a prototype is drawn as."""
    for _ in range(100):
        if node.body is None:
            break
        node = node.body
    return node


def _one(node: Node, name: str) -> float:
    return float(node.get(name)[0])


def _whole(node: Node, lost: Counter[str]) -> None:
    if not all(node.get(each) for each in ("side", "bottom", "top") if each in node.spec):
        lost[f"open {node.type.lower()} (taken as closed)"] += 1


def _points(node: Node) -> Array:
    found = node.children("coord")
    return np.asarray(drawn(found[0]).get("point")) if found else np.zeros((0, 3))


def _indices(node: Node, name: str, count: int) -> IntArray:
    index = node.get(name).reshape(-1)
    if np.any(index != np.round(index)) or np.any(index < -1) or np.any(index >= count):
        bad = next(each for each in index if each != round(each) or not -1 <= each < count)
        raise node.error(f"{name} holds {bad:g}; the points are numbered 0 to {count - 1}")
    return np.asarray(index.astype(np.int64))


def _faces(node: Node) -> Triangles:
    points = _points(node)
    index = _indices(node, "coordIndex", len(points))
    starts, sizes = _runs(index)
    return points, filled(points, index, starts, sizes, concave=not node.get("convex"))


def _runs(index: IntArray) -> tuple[IntArray, IntArray]:
    """Return where runs of indices begin that -1 sets apart, and how many are in each."""
    ends = np.flatnonzero(index < 0)
    if len(index) and index[-1] >= 0:
        ends = np.append(ends, len(index))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else np.zeros(0, np.int64)
    return starts, ends - starts


def filled(
    points: Array, index: IntArray, starts: IntArray, sizes: IntArray, *, concave: bool
) -> IntArray:
    """Return the triangles (m, 3) of polygons whose corners begin at ``starts`` in ``index``.

    ``concave`` ones may have dents.
    """
    found = [np.zeros((0, 3), np.int64)]
    for size in np.unique(sizes):
        if size < 3:
            continue
        corners = index[starts[sizes == size][:, None] + np.arange(size)]
        if size > 3 and concave:
            dented = _dented(points[corners])
            found += [_concave(points, each) for each in corners[dented]]
            corners = corners[~dented]
        fan = [corners[:, [0, k, k + 1]] for k in range(1, size - 1)]
        found.append(np.stack(fan, axis=1).reshape(-1, 3))
    return np.vstack(found)


def _dented(P: Array) -> BoolArray:
    """Tell which polygons (m, n, 3) a fan may not fill: a triangle of theirs faces back."""
    across = np.cross(P[:, 1:-1] - P[:, :1], P[:, 2:] - P[:, :1])
    whole = across.sum(axis=1, keepdims=True)
    return np.asarray(((across * whole).sum(axis=2) <= 0.0).any(axis=1))


def _concave(points: Array, corners: IntArray) -> IntArray:
    """Return the triangles of a polygon that may have dents, a fan where it crosses itself."""
    P = points[corners]
    normal = np.cross(P, np.roll(P, -1, axis=0)).sum(axis=0)
    size = float(np.linalg.norm(normal))
    fan = np.array([[0, k, k + 1] for k in range(1, len(P) - 1)])
    if size == 0.0 or len(P) > 1000:
        return np.asarray(corners[fan])
    u = np.linalg.svd(normal[None])[2][1]
    v = np.cross(normal / size, u)
    try:
        return np.asarray(corners[polygon_triangles(np.column_stack([P @ u, P @ v]))])
    except (GeometryError, ValueError, IndexError):
        return np.asarray(corners[fan])


def _triangles(node: Node) -> Triangles:
    points, index = _listed(node)
    return points, index[: len(index) // 3 * 3].reshape(-1, 3)


def _quads(node: Node) -> Triangles:
    points, index = _listed(node)
    quads = index[: len(index) // 4 * 4].reshape(-1, 4)
    return points, np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def _listed(node: Node) -> tuple[Array, IntArray]:
    """Return points, and their numbers as they follow one another."""
    points = _points(node)
    if "index" not in node.spec:
        return points, np.arange(len(points), dtype=np.int64)
    index = _indices(node, "index", len(points))
    return points, index[index >= 0]


def _row(node: Node) -> Triangles:
    """Return the triangles of strips and fans (ISO/IEC 19775-1, 11.4)."""
    points = _points(node)
    if "index" in node.spec:
        index = _indices(node, "index", len(points))
        starts, sizes = _runs(index)
    else:
        name = "stripCount" if "stripCount" in node.spec else "fanCount"
        counts = node.get(name).reshape(-1)
        if np.any(counts != np.round(counts)) or np.any(counts < 3) or counts.sum() > len(points):
            raise node.error(
                f"{name} of {node} are whole numbers, 3 or more, together no more than its "
                f"{len(points)} points"
            )
        sizes, index = counts.astype(np.int64), np.arange(len(points))
        starts = np.cumsum(sizes) - sizes
    many = np.maximum(sizes - 2, 0)
    first = np.repeat(starts, many)
    k = np.arange(len(first)) - np.repeat(np.cumsum(many) - many, many)
    if "Fan" in node.type:
        return points, index[np.stack([first, first + k + 1, first + k + 2], axis=1)]
    odd = k % 2  # every second triangle of a strip runs the other way round
    corners = np.stack([first + k, first + k + 1 + odd, first + k + 2 - odd], axis=1)
    return points, index[corners]


def _flat(node: Node) -> Triangles:
    """Return the triangles of a filled figure in the plane z = 0 (ISO/IEC 19775-1, 14.3)."""
    if node.type == "TriangleSet2D":
        flat = node.get("vertices")
        faces = np.arange(len(flat) // 3 * 3, dtype=np.int64).reshape(-1, 3)
    elif node.type == "Rectangle2D":
        flat = 0.5 * node.get("size") * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        faces = np.array([[0, 1, 2], [0, 2, 3]])
    else:
        flat, faces = _round(node)
    return np.column_stack([flat, np.zeros(len(flat))]), faces


def _round(node: Node) -> Triangles:
    """Return points (n, 2) and triangles of a disk, or of a part of one."""
    begin, end = 0.0, 2.0 * np.pi
    inner, outer = 0.0, _one(node, "outerRadius" if node.type == "Disk2D" else "radius")
    if node.type == "Disk2D":
        inner, outer = sorted((_one(node, "innerRadius"), outer))
    elif (part := (_one(node, "endAngle") - (start := _one(node, "startAngle"))) % end) > 0.0:
        begin, end = start, start + part
    if inner < 0.0 or outer <= 0.0:
        raise node.error(f"{node}: give radii of more than 0")
    angles = np.linspace(begin, end, SEGMENTS + 1)
    arc = np.column_stack([np.cos(angles), np.sin(angles)])
    k = np.arange(SEGMENTS)
    if node.type == "ArcClose2D" and node.get("closureType") == "CHORD":
        fan = np.column_stack([np.zeros_like(k[1:]), k[1:], k[1:] + 1])
        return outer * arc, fan
    rim = k + SEGMENTS + 1
    faces = np.column_stack([k, rim, rim + 1])
    if inner > 0.0:
        faces = np.vstack([faces, np.column_stack([k, rim + 1, k + 1])])
    return np.vstack([inner * arc, outer * arc]), faces


def _grid(rows: int, columns: int) -> IntArray:
    """Return the triangles of a grid of points (rows, columns), row after row."""
    k = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    first = np.stack([k, k + columns, k + columns + 1], axis=1)
    return np.vstack([first, np.stack([k, k + columns + 1, k + 1], axis=1)])


def _elevation(node: Node) -> Triangles:
    columns, rows = (int(_one(node, f"{each}Dimension")) for each in "xz")
    height = node.get("height").reshape(-1)
    if min(rows, columns) < 0 or rows * columns > len(height):
        raise node.error(
            f"{node} has {len(height)} heights; xDimension times zDimension are {rows * columns}"
        )
    if min(rows, columns) < 2:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    x, z = np.meshgrid(
        np.arange(columns) * _one(node, "xSpacing"), np.arange(rows) * _one(node, "zSpacing")
    )
    height = height[: rows * columns]
    return np.column_stack([x.reshape(-1), height, z.reshape(-1)]), _grid(rows, columns)


def _extrusion(node: Node) -> Triangles:
    spine, section = node.get("spine"), node.get("crossSection")
    if len(spine) < 2 or len(section) < 2:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    if len(spine) * len(section) > MOST_CORNERS:
        raise node.error(f"{node} comes to more than {MOST_CORNERS} corners")
    scale, turns = (_each(node, name, len(spine)) for name in ("scale", "orientation"))
    planes = _planes(spine)
    flat = np.zeros((len(spine), len(section), 3))
    flat[..., 0] = section[:, 0] * scale[:, :1]
    flat[..., 2] = section[:, 1] * scale[:, 1:]
    R = planes @ np.array([rotation(each) for each in turns])
    vertices = (np.einsum("nij,nkj->nki", R, flat) + spine[:, None]).reshape(-1, 3)
    count = len(section)
    # a grid runs along its rows first; from outside that is the other way round
    faces = [_grid(len(spine), count)[:, ::-1]]
    loop = np.arange(count - 1 if np.array_equal(section[0], section[-1]) else count)
    fan = np.array([[loop[0], loop[k], loop[k + 1]] for k in range(1, len(loop) - 1)])
    if len(fan) and len(loop) > 3:
        flat = np.column_stack([section[:, 0], -section[:, 1], np.zeros(len(section))])
        fan = _concave(flat, loop)
    last = (len(spine) - 1) * count
    if not np.array_equal(spine[0], spine[-1]) and len(fan):
        faces += [fan[:, ::-1]] if node.get("beginCap") else []
        faces += [fan + last] if node.get("endCap") else []
    return vertices, np.vstack(faces)


def _each(node: Node, name: str, count: int) -> Array:
    """Return a value for each point of the spine: the last one goes on."""
    values = node.get(name)
    if not len(values):
        raise node.error(f"{node} has no {name}; give one")
    return np.asarray(values[np.minimum(np.arange(count), len(values) - 1)])


def _planes(spine: Array) -> Array:
    """Return the axes x, y, z of the plane of each cross-section, (n, 3, 3) in columns."""
    closed = np.array_equal(spine[0], spine[-1])
    before, after = np.roll(spine, 1, axis=0), np.roll(spine, -1, axis=0)
    if closed:
        before[0], after[-1] = spine[-2], spine[1]
    else:
        before[0], after[-1] = spine[0], spine[-1]
    y = after - before
    z = np.cross(after - spine, before - spine)
    for axes in (y, z):
        size = np.linalg.norm(axes, axis=1)
        good = np.flatnonzero(size > 1e-12 * max(1.0, float(size.max(initial=0.0))))
        if not len(good):
            if axes is z:
                return _straight(y)
            axes[:] = (0.0, 1.0, 0.0)
            continue
        axes[good] /= size[good, None]
        # where nothing is told the plane before goes on, at the start the one after
        last = np.searchsorted(good, np.arange(len(y)), "right") - 1
        axes[:] = axes[good[np.maximum(last, 0)]]
    for k in range(1, len(z)):
        if z[k] @ z[k - 1] < 0.0:
            z[k] *= -1.0
    x = np.cross(y, z)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _straight(y: Array) -> Array:
    """Return planes along a straight spine: x and z as the turn of y to the spine has them."""
    to = y[0]
    axis = np.cross((0.0, 1.0, 0.0), to)
    size = float(np.linalg.norm(axis))
    if size < 1e-12:
        axis, size = np.array([1.0, 0.0, 0.0]), 0.0
    R = rotation([*(axis / (size or 1.0)), np.arctan2(size, to[1])])
    return np.broadcast_to(R, (len(y), 3, 3))


def rotation(value: Array | list[float]) -> Array:
    """Return the matrix (3, 3) of an axis and an angle; no turn where the axis is nothing."""
    x, y, z, angle = (float(each) for each in value)
    size = float(np.sqrt(x * x + y * y + z * z))
    if size == 0.0:
        return np.eye(3)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) / size
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K))


_MAKERS = {
    "IndexedFaceSet": _faces,
    "IndexedTriangleSet": _triangles,
    "TriangleSet": _triangles,
    **dict.fromkeys(("IndexedQuadSet", "QuadSet"), _quads),
    **dict.fromkeys(("IndexedTriangleStripSet", "TriangleStripSet"), _row),
    **dict.fromkeys(("IndexedTriangleFanSet", "TriangleFanSet"), _row),
    **dict.fromkeys(("ArcClose2D", "Disk2D", "Rectangle2D", "TriangleSet2D"), _flat),
    "ElevationGrid": _elevation,
    "Extrusion": _extrusion,
}


def placed_shape(known: object, S: Array, name: str, scene: Scene) -> Shape | None:
    """Return a shape, or triangles, stretched by S (3, 3); None where nothing is left of it."""
    if isinstance(known, tuple):
        vertices, faces = known
    elif isinstance(known, SHAPES):
        shape = _primitive(known, S)
        if shape is not None:
            return shape
        vertices, faces = triangles_of(known)
    else:
        return None
    if np.linalg.det(S) == 0.0:
        scene.lost["a thing without thickness (scaled by 0)"] += 1
        return None
    if np.linalg.det(S) < 0.0:
        faces = faces[:, ::-1]
    return scene.surface(name, vertices @ S.T, faces)


def _primitive(shape: Shape, S: Array) -> Shape | None:
    if not isinstance(shape, Placed):
        return stretched(shape, S)
    R = shape.X_PS[:3, :3]
    inside = stretched(shape.shape, R.T @ S @ R)
    return None if inside is None else Placed(inside, shape.X_PS)


def transform(node: Node) -> Array:
    """Return the map (4, 4) of a Transform: T C R SR S -SR -C (ISO/IEC 14772-1, 6.52)."""

    def turned(value: Array) -> Array:
        X = np.eye(4)
        X[:3, :3] = rotation(value)
        return X

    center = node.get("center") if "center" in node.spec else np.zeros(3)
    M = translation(*node.get("translation")) @ translation(*center) @ turned(node.get("rotation"))
    if "scale" in node.spec:
        axes = np.eye(4)
        if "scaleOrientation" in node.spec:
            axes = turned(node.get("scaleOrientation"))
        M = M @ axes @ np.diag([*node.get("scale"), 1.0]) @ axes.T
    return M @ translation(*-center)


def color_of(node: Node, scene: Scene) -> Vector3 | None:
    """Return the colour of a Shape, what is lost of its looks counted."""
    appearance = node.get("appearance")
    if appearance is None:
        return None
    appearance = drawn(appearance)
    if appearance.get("texture") is not None:
        scene.lost["pictures on surfaces (textures)"] += 1
    material = appearance.get("material")
    if material is None:
        return None
    material = drawn(material)
    if material.get("transparency") is not None and material.get("transparency")[0] > 0.0:
        scene.lost["transparency"] += 1
    for name in ("diffuseColor", "baseColor", "emissiveColor"):
        if name in material.spec:
            value = np.clip(material.get(name), 0.0, 1.0)
            if value.any() or name == "emissiveColor":
                r, g, b = (float(each) for each in value)
                return (r, g, b)
    return None
