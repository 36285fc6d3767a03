"""A scan of a room (glTF, USD, OBJ, PLY, STL, OFF) as a room: floor, walls, furniture in pieces.

z is up, the floor is at z = 0. A scan tells neither up nor its unit nor what is a wall: all of it
is guessed, and each guess is told where the text that is written holds it.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import shapely
from scipy import ndimage
from shapely import Polygon

from articulata.errors import FormatError, GeometryError
from articulata.formats.bounded_content import content_of
from articulata.formats.rooms.floor_plan import words_of
from articulata.formats.rooms.levelled_scan import BLOCK, SMALLEST, Scan, levelled
from articulata.formats.rooms.raised_outlines import (
    SLAB,
    THICK,
    box,
    empty_room,
    raise_outlines,
    simple_polygons,
    stand,
)
from articulata.formats.rooms.scan_pieces import Piece, area_of, pieces_of
from articulata.formats.rooms.scan_walls import Wall, ceiling_of, walls_of
from articulata.formats.scenes.foreign_scene import Scene, joined, threes, triangles_of
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.poses import make_pose
from articulata.geometry.shapes import ExtrudedPolygon, Mesh, Placed, Shape
from articulata.world.foreign_files import format_of

CELL: Final = 0.05
"""m, cells in which the floor is drawn."""
CLOSED: Final = 0.3
"""m, half the width of gaps at the floor's edge that are closed."""
FEW: Final = 2_000
"""Triangles of a scene below which it is no scan."""
COARSE: Final = 0.1
"""m2. Where surfaces are split, triangles that are larger on average were drawn, not scanned."""
OPEN: Final = 0.002
"""Share of edges at a hole from which a surface is open."""
ENOUGH: Final = 500_000
"""Triangles whose edges tell whether a surface is open."""
TEXTS: Final = ("obj", "off")
"""Formats of numbers in ASCII. What else is in them need not be understood, which takes long."""
NOTHING: Final = (np.zeros((0, 3)), np.zeros((0, 3), np.int64))
UPS: Final = ("x", "y", "z", "-x", "-y", "-z")
FURNITURE: Final = (
    "table desk chair armchair stool sofa couch bench bed nightstand wardrobe closet cupboard "
    "cabinet dresser storage shelf shelve bookshelf bookcase sideboard toilet wc bathtub tub basin "
    "washbasin sink shower stove oven fridge refrigerator dishwasher washer dryer television tv "
    "tisch schreibtisch stuhl sessel hocker bank bett schrank regal kommode toilette badewanne "
    "waschbecken dusche herd ofen canapé lit chaise armoire étagère fauteuil bureau mesa silla "
    "cama sofá armario tavolo sedia letto armadio tafel stoel kast"
)
"""Words of the names of meshes that are pieces; several are meant too."""
_WORDS: Final = frozenset(FURNITURE.split())


def read_scene(path: Path, up: str = "", unit: float | None = None) -> Scene:
    """Return the room of a scan; FormatError says why none is found.

    ``up`` is the file's axis that points up, ``unit`` (m) what 1 of its numbers is.
    """
    import trimesh

    known, content = format_of(path), content_of(path)
    kind = known.key if known is not None else path.suffix.lstrip(".")
    if kind in TEXTS:
        content = content.decode("utf-8", "replace").encode()
    objects: dict[str, Any] = {"split_objects": True} if kind == "obj" else {"force": "mesh"}
    try:
        loaded: Any = trimesh.load(
            BytesIO(content), file_type=kind, process=False, skip_materials=True, **objects
        )
        parts = {"": loaded} if kind != "obj" or hasattr(loaded, "faces") else loaded.geometry
        pieces = [
            (name, threes(each.vertices, float), threes(each.faces, np.int64))
            for name, each in parts.items()
        ]
    except Exception as error:  # whatever a reader of formats raises says the same here
        raise FormatError(f"{path}: it holds no surface: {error}") from error
    return _room(path, pieces, up, unit)


def room_in(scene: Scene, path: Path, up: str, unit: float | None, rule: str) -> Scene:
    """Return the room that a scene is a scan of, the scene itself where it is none.

    It is one where that is told, and where open surfaces hold most triangles and have a floor and
    two walls; several do only where their triangles are small. ``rule`` is the axis that is up as
    the format says.
    """
    told = bool(up) or unit is not None
    surfaces = 1 if told else _open_surfaces(scene)
    if not surfaces:
        return scene
    pieces = []
    for each in scene.parts:
        V, F = triangles_of(each.shape) if each.shape is not None else NOTHING
        still = np.array_equal(each.X_WP, np.eye(4))  # most scans, which are large
        V = V if still else V @ each.X_WP[:3, :3].T + each.X_WP[:3, 3]
        pieces.append((scene.asked.get(each.name, each.name), V, F))
    try:
        room = _room(path, pieces, up, unit, rule, COARSE if surfaces > 1 else np.inf)
    except FormatError:
        if told:
            raise
        return scene
    if not told and sum(each.name.startswith("wall") for each in room.parts) < 2:
        return scene
    room.lost += scene.lost
    if scene.views:
        room.lost["camera"] += len(scene.views)
    return room


def _open_surfaces(scene: Scene) -> int:
    """Return how many surfaces, the largest first, hold most triangles; 0 where these are shut.

    Nothing of a scan moves or is moved.
    """
    if any(each.motion or each.joint or each.mass is not None for each in scene.parts):
        return 0
    meshes = [each.shape for each in scene.parts if isinstance(each.shape, Mesh)]
    half, held, shut = 0.5 * sum(len(each.faces) for each in meshes), 0, 0
    for number, each in enumerate(sorted(meshes, key=lambda each: -len(each.faces)), 1):
        if 2.0 * half < FEW or shut > half:
            break
        if open_share(each) > OPEN:
            held += len(each.faces)
        else:
            shut += len(each.faces)
        if held >= half:
            return number
    return 0


def open_share(mesh: Mesh) -> float:
    """Return the share of edges that one triangle alone has; corners in one place are one.

    Of many triangles the edges at each few-th place are looked at. Edges are numbers, which are
    sorted twenty times as fast as rows of them.
    """
    number, F, found = _places(mesh.vertices), mesh.faces, []
    some = 1 + len(F) // ENOUGH
    for k in range(3):
        for start in range(0, len(F), BLOCK):
            rows = slice(start, start + BLOCK)
            a, b = number[F[rows, k]], number[F[rows, k - 1]]
            low, high = np.minimum(a, b), np.maximum(a, b)
            if some > 1:
                chosen = low % some == 0
                low, high = low[chosen], high[chosen]
            found.append(low.astype(np.int64) << 32 | high)
    ends = np.sort(np.concatenate(found))
    new = np.concatenate([[True], ends[1:] != ends[:-1], [True]])
    return float(np.count_nonzero(new[1:] & new[:-1]) / np.count_nonzero(new[1:]))


def _places(V: Array) -> npt.NDArray[np.uint32]:
    """Return the number of the place of each vertex (n,), those nearer than 1e-6 of all as one."""
    places = np.round(V / (1e-6 * (np.ptp(V) or 1.0))).astype(np.int64)
    x, y, z = (places - places.min()).T  # up to 1e6, and what rounding adds: 20 bits
    key = x << 40 | y << 20 | z
    del places, x, y, z
    return np.asarray(np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.uint32))


def _room(
    path: Path, pieces: list[tuple[str, Array, IntArray]], up: str, unit: float | None,
    rule: str = "", coarse: float = np.inf,
) -> Scene:  # fmt: skip
    """Return the room that named surfaces, vertices (n, 3) and triangles (m, 3), are a scan of.

    FormatError where triangles are larger than ``coarse`` (m2) on average.
    """
    if up not in ("", *UPS):
        raise FormatError(f"{path}: up = {up}; give {', '.join(UPS)}")
    scene = empty_room(path, unit=unit)
    as_it_is = f'mesh("{path.name}") takes it as it is'
    try:
        V, F = joined([(V, F) for _, V, F in pieces] or [NOTHING])
        scan = levelled(V, F, up, unit, rule)
        if coarse < np.inf and scan.grain > coarse:
            raise FormatError(f"its triangles are of {scan.grain:.2f} m2: it was drawn")
        scene.notes += scan.told
        _moved(scan, scene)
        called, things = _things(pieces, scan)
        shell = scan.of(things == 0) if called else scan
        ceiling = ceiling_of(shell)
        top = ceiling or float(np.quantile(shell.points[:, 2], 0.998))
        walls = walls_of(shell, top)
        inside, holes = _floor(shell, walls)
        found, small = pieces_of(scan, walls, top, inside.buffer(-0.02), things)
    except (FormatError, shapely.errors.ShapelyError) as error:
        raise FormatError(f"{path}: {error}; {as_it_is}") from None
    if not walls and not found:
        raise FormatError(f"{path}: nothing stands on its floor, so it is no room; {as_it_is}")
    scene.notes.append(
        f"ceiling (found at {ceiling:.2f} m and left out)" if ceiling
        else f"ceiling (not seen; walls end at {top:.2f} m, where the scan does)"
    )  # fmt: skip
    area = shapely.union_all([inside, *(each.outline() for each in walls)])
    area = area.buffer(CELL, join_style="mitre").buffer(-CELL, join_style="mitre").simplify(0.04)
    scene.floor = raise_outlines(scene, "floor", "floor", [area], [(-SLAB, 0.0)])
    note = f"{inside.area:.1f} m2, even to {100 * scan.noise:.1f} cm"
    note = f"floor ({note}; {holes:.1f} m2 of holes and below furniture closed)"
    scene.about[scene.floor] = note
    for wall in walls:
        _wall(scene, wall)
    try:
        for each in found:
            _piece(scene, each, called[each.thing - 1] if each.thing else "")
    except shapely.errors.ShapelyError as error:
        raise FormatError(f"{path}: a thing in it has no outline ({error}); {as_it_is}") from None
    if small:
        scene.notes.append(f"{small} things smaller than 15 cm (left out)")
    if found:
        said = ", ".join(
            scene.about[each].split(";")[0].replace(" (", " ") for each in scene.wanted
        )
        scene.lost[f"furniture ({said}; filled where nothing was seen below)"] += 1
    scene.lost = Counter([*scene.notes, note]) + scene.lost
    return scene


def _things(pieces: list[tuple[str, Array, IntArray]], scan: Scan) -> tuple[list[str], IntArray]:
    """Return what furniture is called, and which of it, from 1, each point of a scan is of (n,).

    It is none where no floor is left without it.
    """
    says = [
        bool(_WORDS & {word for each in words_of(name) for word in (each, each.rstrip("s"))})
        for name, _, _ in pieces
    ]
    called = sorted({name for (name, _, _), said in zip(pieces, says, strict=True) if said})
    number = {name: k for k, name in enumerate(called, 1)}
    kinds = np.array([number.get(name, 0) for name, _, _ in pieces], np.int64)
    ends = np.cumsum([len(F) for _, _, F in pieces])
    things = kinds[np.searchsorted(ends, scan.triangles, "right")]
    floor = np.count_nonzero(scan.floor & (things == 0)) * scan.spacing**2
    return called, things if floor > SMALLEST else np.zeros_like(things)


def _moved(scan: Scan, scene: Scene) -> None:
    middle = np.round(np.median(scan.points[:, :2], axis=0))
    if np.abs(middle).max() > 100.0:
        scan.points[:, :2] -= middle
        scene.notes.append(f"place in the file (moved by -({middle[0]:.0f}, {middle[1]:.0f}) m)")


def _floor(scan: Scan, walls: list[Wall]) -> tuple[Polygon, float]:
    """Return what people walk on, its holes closed, and how much (m2) was closed.

    What furniture covers is floor, as what walls enclose with it.
    """
    P = scan.points
    low = P[:, :2].min(axis=0) - 2 * CLOSED - 1e-6  # so that no rounding moves it by a cell
    cell = max(CELL, 2.0 * scan.spacing)
    shape = tuple(((P[:, :2].max(axis=0) - low + 2 * CLOSED) / cell).astype(int) + 2)
    seen, wall = np.zeros(shape, bool), np.zeros(shape, bool)
    seen[tuple(((P[scan.floor, :2] - low) / cell).astype(int).T)] = True
    for each in walls:
        s = np.arange(-0.2, each.length + 0.2, 0.5 * cell)  # past its corners
        line = each.start + s[:, None] * each.along + 0.5 * cell * each.out
        wall[tuple(((line - low) / cell).astype(int).T)] = True
    label, count = ndimage.label(ndimage.binary_closing(seen, iterations=1))
    sizes = ndimage.sum(seen, label, range(1, count + 1)) * cell**2
    seen &= np.isin(label, 1 + np.flatnonzero(sizes >= min(SMALLEST, sizes.max())))
    solid = ndimage.binary_fill_holes(wall | seen) & ~wall
    solid = ndimage.binary_closing(solid, iterations=int(CLOSED / cell)) | seen
    solid = ndimage.binary_fill_holes(solid)
    closed = float((solid & ~seen & ~wall).sum()) * cell**2
    area = area_of(solid, low, cell).simplify(0.6 * cell)
    # no floor lies behind the face of a wall that has none beyond it
    behind = [each for each in walls if each.beyond > 0.3]
    for each in behind:
        a, b = each.start, each.start + each.length * each.along
        strip = Polygon([a, b, b + 3 * cell * each.out, a + 3 * cell * each.out])
        area = area.difference(strip)
    parts = [each for each in shapely.get_parts(area) if each.area >= 0.1]
    return shapely.union_all(parts), closed


def _wall(scene: Scene, wall: Wall) -> None:
    """Add a wall as boxes: its full parts, and what is above its openings."""
    left = np.array([-wall.along[1], wall.along[0]])
    X_WP = make_pose(
        np.column_stack([np.append(wall.along, 0.0), np.append(left, 0.0), [0, 0, 1]]),
        np.append(wall.start + 0.5 * wall.length * wall.along, 0.0),
    )
    side = float(np.sign(left @ wall.out))
    spans, last = [], 0.0
    for a, b, head in sorted(wall.openings):
        spans += [(last, a, 0.0), (a, b, head)]
        last = b
    solids = []
    for a, b, low in [*spans, (last, wall.length, 0.0)]:
        if b - a > 0.01 and wall.height - low > 0.01:
            middle = [0.5 * (a + b - wall.length), 0.5 * side * THICK, 0.5 * (low + wall.height)]
            size = (round(b - a, 3), THICK, round(wall.height - low, 3))
            solids.append(box(size, np.round(middle, 4)))
    name = stand(scene, "wall", "wall", X_WP, solids)
    if not name:
        return
    scene.lost[f"thickness of walls (taken as {THICK:g} m)"] += 1
    ways = ", ".join(f"{b - a:.2f} m wide and {head:.2f} m high" for a, b, head in wall.openings)
    scene.about[name] = f"wall, {wall.length:.2f} m long, taken as {THICK:g} m thick" + (
        f"; open where the floor goes on: {ways}" if ways else ""
    )
    if ways:
        scene.lost[f"opening in {name} ({ways})"] += 1


def _piece(scene: Scene, piece: Piece, called: str) -> None:
    """Add a piece of furniture as it is ``called``; prisms that fill their box are boxes."""
    X_BW = np.linalg.inv(piece.X_WB)
    solids: list[Shape] = []
    for outline, low, high in piece.prisms:
        z, height = 0.5 * (low + high) - piece.X_WB[2, 3], round(high - low, 3)
        for each in simple_polygons(outline):
            corners = np.array(each.exterior.coords)[:-1] @ X_BW[:2, :2].T + X_BW[:2, 3]
            first, last = corners.min(axis=0), corners.max(axis=0)
            at = 0.5 * (first + last)
            place = np.round([*at, z], 4)
            with suppress(GeometryError):  # a sliver
                if each.area > 0.999 * float(np.prod(last - first)):
                    solids.append(box((*np.round(last - first, 3), height), place))
                else:
                    solid = ExtrudedPolygon(np.round(corners - at, 4), height)
                    solids.append(Placed(solid, make_pose(p=place)))
    X_WP = piece.X_WB.copy()
    X_WP[:3, 3] = np.round(X_WP[:3, 3], 4)
    called = called or f"piece_{len(scene.wanted) + 1}"
    name = stand(scene, "furniture", called, X_WP, solids)
    if not name:
        return
    scene.wanted.append(name)
    size = " x ".join(f"{each:.2f}" for each in piece.size)
    rise = f", {X_WP[2, 3]:.2f} m above the floor" if X_WP[2, 3] > 0.1 else ""
    scene.about[name] = f"{name} ({size} m{rise}; filled where nothing was seen below)"
