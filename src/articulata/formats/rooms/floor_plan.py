"""Walls, doors, windows and furniture of a drawing, as polygons in m.

A wall is what lies between two lines less than ``THICK`` apart. Areas that lines enclose are found
by shapely (``polygonize``); ends of lines that all but meet are joined before.

What layers and blocks are called is known in several languages: after the AIA CAD Layer Guidelines
(A-WALL, A-DOOR, A-GLAZ, I-FURN, P-FIXT) and common words of English, German, French, Spanish,
Italian, Dutch and Russian.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import shapely
from shapely import LineString, MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from articulata.errors import FormatError
from articulata.formats.rooms.dxf_drawing import Drawing, Stroke
from articulata.formats.rooms.raised_outlines import polygons
from articulata.geometry.arrays import Array

WORDS: Final[dict[str, str]] = {
    "": (
        "text txt note notes anno dim dims dimension bema masse cota cotas cote cotes maße hatch "
        "schraff pattern texture grid axis axes achs axe eje title frame defpoint viewport symbol "
        "name landscap topograph contour plant tree arbre arbol roof dach toit techo ceil header "
        "beam footer footing foundation fundament stem projection light elec level nivel site "
        "section elev revcloud stair treppe escalera scala trap graphics detail north"
    ),
    "door": (
        "door doors tür türe türen tuer tueren porte portes porta puerta deur deuren двер opening"
    ),
    "window": (
        "window windows glaz glas glass verglas fenster fenêtre fenetre ventana finestr raam окн"
    ),
    "furniture": (
        "furn möbel moebel mobil meuble mueble arred inricht equip fixt fixture fitting sanit "
        "plumb kitch küche kueche cuisine cocina cucina keuken case cabinet casework table tisch "
        "desk shelv shelf regal couch sofa bench chair stuhl bed bett lit cama appliance storage "
        "closet wardrobe schrank toilet wc bath bad sink basin lavabo waschb shower dusche douche "
        "ducha tub fridge refrig stove cooktop ckt range oven washer dryer dish мебел сантех"
    ),
    "wall": (
        "wall walls wand wände waende mauer mur murs muro muros muri pared parete tabique cloison "
        "muur muren partition стен column columns stütze pillar pilar poteau"
    ),
}  # fmt: skip
"""Words by what they name; longer than three letters they also begin a word. What is left out goes
first, then the first word of a name counts: "murs porteurs" are walls."""
HEIGHTS: Final[dict[str, float]] = {
    "table tisch desk mesa": 0.74, "chair stuhl stool": 0.45, "sofa couch bench": 0.43,
    "bed bett": 0.5, "toilet wc": 0.42, "bath tub bad": 0.57,
    "shower dusche douche ducha": 0.03, "sink basin lavabo waschb kit": 0.87,
    "ckt cooktop stove range oven dish kitch küche kueche counter": 0.91,
    "washer dryer": 0.87, "fridge refrig sngref": 1.75,
    "shelv shelf regal closet wardrobe schrank storage": 1.9,
}  # fmt: skip
"""m, usual heights of furniture by its words."""
USUAL: Final = 0.75
"""m, the height of furniture whose words say nothing."""


def kind_of(layer: str, blocks: tuple[str, ...] = ()) -> str | None:
    """Return what a stroke draws: a key of ``WORDS``, "" for what is left out, None: unknown.

    The innermost block that says something decides, else the layer.

    >>> kind_of("xref-house$0$A-WALL"), kind_of("A-ANNO-DIMS"), kind_of("0", ("P-Toilet",))
    ('wall', '', 'furniture')
    """
    for name in (*blocks[::-1], layer):
        words = words_of(name)
        if any(_says(word, _KNOWN[""]) for word in words):
            return ""
        for word in words:
            for kind, known in _KNOWN.items():
                if _says(word, known):
                    return kind
    return None


def height_of(layer: str, blocks: tuple[str, ...]) -> float | None:
    """Return how high (m) furniture called so usually is, None where nothing tells."""
    for name in (*blocks[::-1], layer):
        words = words_of(name)
        for known, height in _HEIGHTS:
            if any(_says(word, known) for word in words):
                return height
    return None


def words_of(name: str) -> list[str]:
    """Return the words of a layer or block without the drawing that it comes from."""
    own = re.split(r"\$\d+\$|\|", name)[-1]
    apart = re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])", " ", own).lower()
    return re.findall(r"[^\W\d_]+", apart)


def _says(word: str, known: frozenset[str]) -> bool:
    return word in known or any(len(each) > 3 and word.startswith(each) for each in known)


_KNOWN: Final = {kind: frozenset(words.split()) for kind, words in WORDS.items()}
_HEIGHTS: Final = [(frozenset(words.split()), height) for words, height in HEIGHTS.items()]


UNITS: Final = {1.0: "m", 1e-3: "mm", 1e-2: "cm", 0.0254: "inch", 0.3048: "foot", 0.1: "dm"}
LEAF: Final = (0.5, 1.4)
"""m, how wide leaves of doors are."""
SWING: Final = (np.radians(25.0), np.radians(125.0))
"""How far the arc of a door goes."""
BUILT: Final = (2.0, 200.0)
"""m, how wide plans of rooms are where no door tells the unit."""
GRID: Final = 1e-3
"""m to which ends of lines are rounded, so that they meet."""
MEETS: Final = 0.03
"""m within which the end of a line is joined to another line."""
THICK: Final = 0.6
"""m, the thickest wall."""
SINGLE: Final = 0.1
"""m, how thick a wall is taken that is drawn as one line."""
MOST_ROOMS: Final = 200
"""Rooms that lines of all kinds make, beyond which they are no walls."""
SHORTEST: Final = 0.15
"""m of a single line that counts as a wall."""
BESIDE: Final = 0.05
"""m from a door's leaf within which lines belong to the door."""
WIDEST: Final = 2.5
"""m, how wide furniture is at most; more is the outline of a room."""
LEAST: Final = 0.1
"""m, the smallest width of furniture; less is a detail of its drawing."""


@dataclass(frozen=True, slots=True, eq=False)
class Door:
    """Where its hinge is (2,) m, how wide its leaf is (m), and the quarter that it swings over.

    ``leaves`` are its leaf closed and open; which is which a drawing does not tell.
    """

    hinge: Array
    width: float
    swing: Polygon
    leaves: tuple[LineString, LineString]


@dataclass(frozen=True, slots=True, eq=False)
class Furniture:
    """A thing that stands on the floor; ``guessed`` where its words do not tell its height."""

    name: str
    outline: Polygon
    height: float
    guessed: bool


@dataclass(slots=True, eq=False)
class FloorPlan:
    """What a drawing shows, in m; ``told`` counts in words what was guessed or left out."""

    walls: list[Polygon] = field(default_factory=list)
    doors: list[Door] = field(default_factory=list)
    windows: list[Polygon] = field(default_factory=list)
    furniture: list[Furniture] = field(default_factory=list)
    floor: list[Polygon] = field(default_factory=list)
    rooms: list[tuple[str, Polygon]] = field(default_factory=list)
    height: float | None = None
    told: Counter[str] = field(default_factory=Counter)


def floor_plan(
    drawing: Drawing, unit: float | None = None, walls: Collection[str] = ()
) -> FloorPlan:
    """Return the plan of a drawing whose ``unit`` (m) is told by it, or by the size of doors.

    ``walls`` are the layers of its walls; where none is given, names tell. Raises FormatError where
    no wall is found, or where lines of all kinds were taken for walls and part it into ever so many
    rooms.
    """
    plan = FloorPlan(told=Counter(drawing.lost))
    kinds = [kind_of(each.layer, each.blocks) for each in drawing.strokes]
    guessed = Counter[str]()
    if walls or "wall" not in kinds:  # a drawing without a layer that is called so
        for k, each in enumerate(drawing.strokes):
            if each.layer in walls or (not walls and kinds[k] is None):
                kinds[k] = "wall" if each.arc is None else "door"
                guessed[each.layer] += not walls
            elif kinds[k] == "wall":
                kinds[k] = None
        if +guessed:
            told = f"line that may be no wall: no layer is called so {_layers(guessed)}"
            plan.told[told] = guessed.total()
    scale = unit or _unit(drawing, kinds, plan.told)
    if drawing.thickness:
        plan.height = float(np.median(drawing.thickness)) * scale
    sorts: dict[str | None, list[tuple[Stroke, Array]]] = {}
    for kind, each in zip(kinds, drawing.strokes, strict=True):
        sorts.setdefault(kind, []).append((each, each.points * scale))
    for layer, count in Counter(each.layer for each, _ in sorts.get(None, [])).most_common(5):
        plan.told[f"line on layer '{layer}' (its name says neither wall nor furniture)"] += count
    openings = [*sorts.get("door", []), *sorts.get("window", [])]
    plan.doors = _doors(openings, scale)
    plan.walls = _walls([points for _, points in sorts.get("wall", [])], plan)
    if not plan.walls:
        raise FormatError(
            "no wall was found; call a layer 'walls', and draw there each wall by the two lines "
            f"of its faces, at most {THICK * 100:.0f} cm apart"
        )
    plan.windows = _windows(openings, plan)
    plan.furniture = _furniture(sorts.get("furniture", []), plan)
    plan.floor = _floor(plan)
    plan.rooms = _rooms(plan, [(x * scale, y * scale, said) for x, y, said in drawing.texts])
    if +guessed and len(plan.rooms) > MOST_ROOMS:
        raise FormatError(
            f"no layer of this drawing is called after walls, and all of its lines together make "
            f"{len(plan.rooms):,} rooms {_layers(guessed)}"
        )
    return plan


def _layers(counts: Counter[str]) -> str:
    """Return how the layer of walls is chosen among those of a drawing."""
    names = [f"'{name}' ({count} lines)" for name, count in counts.most_common(8)]
    if len(names) == 1:
        return f"(all lie on {names[0]}; draw walls on a layer of their own, called 'walls')"
    return f"(reach and convert take --walls LAYER; its layers are {', '.join(names)})"


def _is_quarter(stroke: Stroke) -> bool:
    return stroke.arc is not None and SWING[0] <= stroke.turn <= SWING[1]


def _unit(drawing: Drawing, kinds: list[str | None], told: Counter[str]) -> float:
    """Return how long a unit is (m): by the leaves of doors, else as the file says, else by size.

    Headers are often wrong; leaves of 0.5 to 1.4 m leave one unit.
    """
    quarters = [
        each.arc[2]
        for kind, each in zip(kinds, drawing.strokes, strict=True)
        if each.arc is not None and _is_quarter(each) and kind in ("door", "wall", "window")
    ]
    candidates = list(UNITS)
    if drawing.unit:
        candidates = [drawing.unit, *(each for each in candidates if each != drawing.unit)]
    elif not drawing.metric:
        candidates = [0.0254, 0.3048, *candidates]
    walls = [p.points for k, p in zip(kinds, drawing.strokes, strict=True) if k == "wall"]
    size = float(np.ptp(np.concatenate(walls), axis=0).max()) if walls else 0.0

    def fits(unit: float) -> bool:
        if quarters:
            return LEAF[0] <= float(np.median(quarters)) * unit <= LEAF[1]
        return BUILT[0] <= size * unit <= BUILT[1]

    found = next((each for each in candidates if fits(each)), drawing.unit or 1.0)
    if found != drawing.unit:
        why = "leaves of doors" if quarters else "its size"
        said = "does not tell" if not drawing.unit else f"tells {UNITS.get(drawing.unit, '?')}"
        told[f"unit of length (the file {said}; by {why} 1 is 1 {UNITS.get(found, '?')})"] += 1
    return found


def _doors(openings: list[tuple[Stroke, Array]], scale: float) -> list[Door]:
    """Return the doors: quarters of circles as wide as a leaf, one for each hinge."""
    found: list[Door] = []
    for stroke, points in openings:
        if stroke.arc is None or not _is_quarter(stroke):
            continue
        hinge, width = np.array(stroke.arc[:2]) * scale, stroke.arc[2] * scale
        known = any(np.linalg.norm(each.hinge - hinge) < 0.2 * width for each in found)
        if LEAF[0] <= width <= LEAF[1] and not known:
            leaves = LineString([hinge, points[0]]), LineString([hinge, points[-1]])
            found.append(Door(hinge, width, Polygon([hinge, *points]), leaves))
    return found


def _walls(chains: list[Array], plan: FloorPlan) -> list[Polygon]:
    """Return the areas between lines that are close to each other, and single lines thickened."""
    if not chains:
        return []
    lines = shapely.union_all(MultiLineString(chains), grid_size=GRID)
    lines = shapely.union_all([lines, *_joints(lines)], grid_size=GRID)
    faces = shapely.get_parts(shapely.polygonize([lines]))
    thin = [each for each in faces if each.buffer(-0.5 * THICK).is_empty and each.area > 1e-3]
    thin = [each for each in thin if not any(_in_door(each, door) for door in plan.doors)]
    solid = shapely.union_all(thin, grid_size=GRID)
    leaves = [one.buffer(BESIDE) for each in plan.doors for one in each.leaves]
    rest = lines.difference(shapely.union_all([solid.buffer(2 * GRID), *leaves]))
    rest = shapely.line_merge(rest)
    single = [
        each.buffer(0.5 * SINGLE, cap_style="flat", join_style="mitre")
        for each in shapely.get_parts(rest)
        if isinstance(each, LineString) and each.length > SHORTEST
    ]
    if single:
        told = f"wall that is drawn as one line (taken as {SINGLE * 100:.0f} cm thick)"
        plan.told[told] += len(single)
    return _polygons(shapely.union_all([solid, *single], grid_size=GRID))


def _joints(lines: BaseGeometry) -> list[BaseGeometry]:
    """Return short lines that close gaps: ends that nearly meet, and open ends of walls."""
    parts = [each for each in shapely.get_parts(lines) if each.length > 0.0]
    ends = np.array([each.coords[k] for each in parts for k in (0, -1)])
    inner = np.array([each.coords[k] for each in parts for k in (1, -2)])
    _, place, count = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    open_ends = np.flatnonzero(count[place.ravel()] == 1)
    tree = shapely.STRtree(parts)
    made: list[BaseGeometry] = []
    left: list[int] = []
    for k in open_ends:
        point = shapely.Point(ends[k])
        near = [n for n in tree.query(point.buffer(MEETS)) if n != k // 2]
        gaps = [(parts[n].distance(point), n) for n in near]
        if gaps and min(gaps)[0] <= MEETS:
            made.append(shapely.shortest_line(point, parts[min(gaps)[1]]))
        else:
            left.append(int(k))
    return made + _caps(ends[left], (ends - inner)[left])


def _caps(ends: Array, ways: Array) -> list[BaseGeometry]:
    """Return the lines across open ends of walls: each joins two ends that face each other."""
    if len(ends) < 2:
        return []
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    across = ends[None] - ends[:, None]
    far = np.linalg.norm(across, axis=2)
    np.fill_diagonal(far, np.inf)
    alike = ways @ ways.T > 0.9
    along = np.abs(np.einsum("abk,ak->ab", across, ways)) < 0.35 * far
    far = np.where(alike & along & (far <= THICK), far, np.inf)
    nearest = far.argmin(axis=1)
    return [
        LineString([ends[a], ends[b]])
        for a, b in enumerate(nearest)
        if a < b and nearest[b] == a and np.isfinite(far[a, b])
    ]


def _in_door(face: Polygon, door: Door) -> bool:
    """Return whether an area is the opening that a door closes, and no wall."""
    long = _sides(face.minimum_rotated_rectangle)[0]
    return long < door.width + 2 * THICK and any(
        face.distance(each.interpolate(0.5, normalized=True)) < BESIDE for each in door.leaves
    )


def _windows(openings: list[tuple[Stroke, Array]], plan: FloorPlan) -> list[Polygon]:
    """Return the outlines of what is drawn on layers of openings and is no door."""
    doors = shapely.union_all([each.swing.buffer(0.02) for each in plan.doors])
    found = []
    for _, area in _groups([each for each in openings if each[0].arc is None]):
        box = area.minimum_rotated_rectangle
        if area.intersects(doors) or not isinstance(box, Polygon) or box.is_empty:
            continue
        long, wide = _sides(box)
        if wide <= THICK and long >= 0.3:
            found.append(box if wide > 0.02 else area.buffer(0.03, cap_style="flat"))
    return _polygons(shapely.union_all(found, grid_size=GRID)) if found else []


def _sides(box: Polygon) -> tuple[float, float]:
    a, b, c = (np.array(each) for each in box.exterior.coords[:3])
    sides = float(np.linalg.norm(b - a)), float(np.linalg.norm(c - b))
    return max(sides), min(sides)


def _groups(strokes: list[tuple[Stroke, Array]]) -> list[tuple[Stroke, BaseGeometry]]:
    """Return strokes that belong together as one: those of a block, else those that touch."""
    blocks: dict[int, list[tuple[Stroke, Array]]] = {}
    for each in strokes:
        blocks.setdefault(each[0].insert, []).append(each)
    loose = blocks.pop(0, [])
    found = [
        (members[0][0], shapely.union_all([LineString(each) for _, each in members]))
        for members in blocks.values()
    ]
    lines = [LineString(each) for _, each in loose]
    if lines:
        touching = shapely.union_all([each.buffer(0.5 * MEETS) for each in lines])
        tree = shapely.STRtree(lines)
        for area in shapely.get_parts(touching):
            inside = tree.query(area, predicate="intersects")
            found.append((loose[inside[0]][0], shapely.union_all([lines[k] for k in inside])))
    return found


def _furniture(strokes: list[tuple[Stroke, Array]], plan: FloorPlan) -> list[Furniture]:
    """Return the things that stand on the floor, with the outlines of their lines.

    Lines that enclose nothing by themselves may do so with the walls, as fronts of kitchens do.
    """
    walls = shapely.union_all(plan.walls)
    found = []
    for stroke, lines in _groups(strokes):
        closed = [shapely.node(lines)]
        areas = shapely.get_parts(shapely.polygonize(closed))
        if not len(areas):
            near = walls.boundary.intersection(lines.envelope.buffer(WIDEST))
            closed = [shapely.union_all([lines.buffer(MEETS).boundary, near], grid_size=GRID)]
            faces = shapely.get_parts(shapely.polygonize(closed))
            areas = [
                each
                for each in faces
                if each.area < 4.0 and not walls.contains(each.point_on_surface())
            ]
        outline = max(_polygons(shapely.union_all(areas)), key=lambda each: each.area, default=None)
        sides = _sides(outline.minimum_rotated_rectangle) if outline is not None else (0.0, 0.0)
        if outline is None or not LEAST <= sides[1] <= WIDEST:
            plan.told["line of furniture that encloses nothing, or a whole room"] += 1
            continue
        height = height_of(stroke.layer, stroke.blocks)
        words = words_of(stroke.blocks[0]) if stroke.blocks else words_of(stroke.layer)
        name = "_".join(each for each in words if len(each) > 1) or "furniture"
        outline = Polygon(outline.exterior).simplify(GRID)
        found.append(Furniture(name, outline, height or USUAL, height is None))
    return found


def _floor(plan: FloorPlan) -> list[Polygon]:
    """Return the area within the outermost walls, whose openings are closed for it."""
    solid = shapely.union_all([*plan.walls, *plan.windows, *(d.swing for d in plan.doors)])
    reach = 0.5 * LEAF[1] + 0.1
    closed = solid.buffer(reach, join_style="mitre").buffer(-reach, join_style="mitre")
    outer = shapely.union_all([Polygon(each.exterior) for each in _polygons(closed)])
    filled = shapely.union_all([outer, *(Polygon(each.exterior) for each in plan.walls)])
    return [Polygon(each.exterior) for each in _polygons(filled.simplify(0.01))]


def _rooms(plan: FloorPlan, texts: list[tuple[float, float, str]]) -> list[tuple[str, Polygon]]:
    """Return what walls and closed doors part the floor into, and how each room is called.

    It is called as the first text within it that has a word; rooms without one are numbered.
    """
    leaves = [
        LineString([p + BESIDE * (p - q) / np.linalg.norm(p - q) for p, q in (ends, ends[::-1])])
        for door in plan.doors
        for ends in (np.array(leaf.coords) for leaf in door.leaves)
    ]
    shut = shapely.union_all([each.buffer(GRID, cap_style="flat") for each in leaves])
    solid = shapely.union_all([*plan.walls, *plan.windows])
    parted = shapely.union_all(plan.floor).difference(shapely.union_all([solid, shut]))
    found: list[tuple[str, Polygon]] = []
    for each in sorted(_polygons(parted), key=lambda one: one.bounds):
        if each.buffer(-0.5 * LEAF[0]).is_empty:
            continue  # no room is as narrow as a doorway
        inside = (said for x, y, said in texts if each.contains(shapely.Point(x, y)))
        named = next((said for said in inside if re.search(r"[^\W\d_]{3}", said)), "")
        # an open leaf drawn into the room leaves a slit
        whole = each.buffer(2 * GRID, join_style="mitre").buffer(-2 * GRID, join_style="mitre")
        found.append((named or f"room {len(found) + 1}", max(_polygons(whole), key=_area)))
    return found


def _area(area: BaseGeometry) -> float:
    return float(area.area)


def _polygons(area: BaseGeometry) -> list[Polygon]:
    """Return the polygons of an area, those that are slivers left out."""
    parts = shapely.get_parts(shapely.make_valid(area))
    return [one for each in parts for one in polygons(each) if one.area > 1e-4]
