"""A room as a plan: what its text says as plain data for a page, and texts from what is drawn.

The plan is W seen from above, x to the right and z down; y is up. Walls stand outside of the floor,
in the order of its corners, with the floor to their z.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.study import Study
from articulata.errors import ArticulataError, WorldError
from articulata.world.document import Document, read
from articulata.world.language.diagnostics import Notes
from articulata.world.language.syntax import tree as t
from articulata.world.model import Body, World
from articulata.world.requests.reach import Person, Population, ReachQuestion, path_of
from articulata.world.requests.ways_to_move import POWER_SEAT, Walker, Wheelchair
from articulata.world.single_frames import moved
from articulata.world.values import ZERO
from articulata.world.world_files import LIBRARY
from articulata.world.writing.room_texts import Written

FLOOR: Final = "room_floor"
WALL, DOOR_WALL, DOORWAY = "wall", "wall_with_door", "doorway"
BUILT: Final = (WALL, DOOR_WALL, DOORWAY)
MOUNTS: Final = ("foot", "wall")
"""Features by which things are placed where the text does not say it."""

CORNERS: Final = 100
FAR: Final = 100.0
"""m that a corner is from the origin at most."""
SHORTEST: Final = 0.1
"""m of the shortest wall."""
SMALLEST: Final = 0.5
"""m2 of the smallest room."""
NARROW: Final = 0.2
"""m, how wide furniture is that has no width."""
DOORS: Final = (0.5, 2.0)
"""m, how wide a door is."""
JAMB: Final = 0.02
"""m of wall at least on either side of a door."""

NEW: Final = """# A room. Change it with: articulata draw {file}
# Who reaches what in it: articulata reach {file}
import "furniture.art"

primitive room_floor {{ }}

world {name} {{
  gravity: (0, -9.81, 0)
  components
    floor: room_floor
  structure {{
    place floor by floor.origin at (0, -5 cm, 0)
  }}
}}

reach {name} {{
  person: person(1.70 m, woman) on foot
  points: grid 10 cm in floor
  report: map, table, document
}}
"""

MEASURES: Final = (
    "shoulder_height", "elbow_height", "forearm_hand", "arm_reach", "knee_height",
    "sitting_height", "shoulder_width", "hip_width",
)  # fmt: skip
"""What is measured with a tape, m, beside stature and mass."""
_ORDER: Final = ("height", "weight", "sex", "percentile", "age", "child", *MEASURES)
_DEVICES: Final = {"walker": ("radius",), "wheelchair": ("width", "length", "seat")}


@dataclass(frozen=True, slots=True)
class Door:
    """A door in the wall from corner ``edge`` on: ``at`` m from that corner, ``wide`` m."""

    edge: int
    at: float
    wide: float


# ---- texts


def length(metres: float) -> str:
    """Return a length to a tenth of a millimetre as people write it.

    >>> length(0.855), length(2.4), length(-0.0)
    ('85.5 cm', '2.4 m', '0 m')
    """
    if 0.0 < abs(metres) < 1.0:
        return f"{round(100.0 * metres, 2) + 0.0:g} cm"
    return f"{round(metres, 4) + 0.0:g} m"


def at(x: float, z: float, turn: float, y: float = 0.0) -> str:
    """Return a place in the plan, ``turn`` deg about y, as a clause says it."""
    point = ", ".join("0" if abs(each) < 5e-5 else length(each) for each in (x, y, z))
    turn = round((turn + 180.0) % 360.0 - 180.0, 3)
    return f"at ({point})" + (f" turned {turn + 0.0:g} deg about y" if turn else "")


def floor_text(corners: Sequence[tuple[float, float]]) -> str:
    """Return the primitive of a floor."""
    told = " ".join(f"({length(x)} {length(z)})" for x, z in corners)
    return (
        f"primitive {FLOOR} {{\n  properties: (fixed, color: gray)\n"
        f"  geometry: extruded(({told}), 10 cm) turned 90 deg about x\n}}"
    )


def checked_corners(corners: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of a room in the order of its walls; WorldError where it is none."""
    if not 3 <= len(corners) <= CORNERS:
        raise WorldError(f"a room has 3 to {CORNERS} corners, not {len(corners)}")
    if not all(abs(each) < FAR for corner in corners for each in corner):
        raise WorldError(f"corners lie within {FAR:g} m of the origin")
    sides = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    for number, (a, b) in enumerate(sides):
        if math.dist(a, b) < SHORTEST:
            raise WorldError(
                f"wall {number + 1} would be {100 * math.dist(a, b):.0f} cm long; a wall is "
                f"{100 * SHORTEST:g} cm long at least"
            )
    outline = shapely.Polygon(corners)
    if not outline.is_valid:
        raise WorldError("walls would cross each other; move the corner elsewhere")
    if outline.area < SMALLEST:
        raise WorldError(f"a room of {outline.area:.2f} m2 is too small; {SMALLEST} m2 at least")
    turns = sum(a[0] * b[1] - a[1] * b[0] for a, b in sides)
    return list(corners) if turns > 0.0 else [corners[0], *reversed(corners[1:])]


def walls(
    corners: Sequence[tuple[float, float]], doors: Sequence[Door], before: Sequence[str]
) -> dict[str, Written | None]:
    """Return how walls and doors are written; those of ``before`` that are no more are None."""
    said: dict[str, Written | None] = dict.fromkeys(before)
    count = 0
    for number, (a, b) in enumerate(zip(corners, [*corners[1:], corners[0]], strict=True)):
        name, long = f"wall_{number + 1}", math.dist(a, b)
        turn = math.degrees(math.atan2(a[1] - b[1], b[0] - a[0]))
        made = f"{WALL}({length(long)})"
        for door in (each for each in doors if each.edge == number):
            start, wide = door.at, door.wide
            if not DOORS[0] - 1e-9 <= wide <= DOORS[1] + 1e-9:
                raise WorldError(
                    f"a door is {100 * DOORS[0]:g} to {100 * DOORS[1]:g} cm wide, not "
                    f"{100 * wide:.0f} cm"
                )
            if wide + 2 * JAMB > long + 1e-9:
                raise WorldError(
                    f"a door of {100 * wide:.0f} cm does not go into a wall of {length(long)}"
                )
            if made != f"{WALL}({length(long)})":
                raise WorldError("a wall has one door; put the other into another wall")
            start = min(max(start, JAMB), long - wide - JAMB)
            made = (
                f"{DOOR_WALL}({length(long)}, door_at: {length(start)}, door_wide: {length(wide)})"
            )
            count += 1
            called = "door" if count == 1 else f"door_{count}"
            share = (start + 0.5 * wide) / long
            x, z = (p + share * (q - p) for p, q in zip(a, b, strict=True))
            said[called] = Written(DOORWAY, f"place {called} by {called}.center {at(x, z, turn)}")
        said[name] = Written(made, f"place {name} by {name}.foot {at(*a, turn)}")
    return said


def person_text(form: Mapping[str, Any]) -> str:
    """Return what a request says of a person who is chosen in a form; lengths in m, mass in kg."""
    said = []
    units = {"weight": "kg"}
    for name in ("height", "weight"):
        if form.get(name):
            value = f"{float(form[name]):g} {units[name]}" if name in units else length(form[name])
            said.append(value if name == "height" or form.get("height") else f"{name}: {value}")
    if form.get("child"):
        said.append("child")
    said.append("woman" if form.get("sex") == "woman" else "man")
    said += [f"{each}: {float(form[each]):g}" for each in ("age", "percentile") if form.get(each)]
    said += [f"{each}: {length(form[each])}" for each in MEASURES if form.get(each)]
    way = str(form.get("way", "foot"))
    sizes = [
        f"{each}: {length(form[each])}"
        for each in _DEVICES["walker" if way == "walker" else "wheelchair"]
        if form.get(each) and way != "foot"
    ]
    device = f"{way}({', '.join(sizes)})" if sizes else way
    return f"person({', '.join(said)}) {'with' if way == 'walker' else 'on'} {device}"


def form_of(person: Person) -> dict[str, Any] | None:
    """Return the form of a person, None for whom no form can say, as a population."""
    choice = person.figure
    if isinstance(choice, Population) or choice.name != "person" or choice.component:
        return None
    given = {**dict(zip(_ORDER, choice.positional, strict=False)), **choice.named}
    if not set(given) <= set(_ORDER) or given.get("sex", "man") not in ("man", "woman", 0, 1):
        return None
    form: dict[str, Any] = {"sex": "woman" if given.pop("sex", 0) in ("woman", 1) else "man"}
    form["child"] = given.pop("child", 0) in ("child", 1)
    form |= given
    means = person.means
    if isinstance(means, Walker):
        form |= {"way": "walker", **_changed(means, Walker(), "walker")}
    elif isinstance(means, Wheelchair):
        usual = Wheelchair(seat=POWER_SEAT, power=True) if means.power else Wheelchair()
        way = "power_chair" if means.power else "wheelchair"
        form |= {"way": way, **_changed(means, usual, "wheelchair")}
    else:
        form["way"] = "foot"
    return form


def _changed(means: Walker | Wheelchair, usual: object, kind: str) -> dict[str, float]:
    return {
        each: getattr(means, each)
        for each in _DEVICES[kind]
        if getattr(means, each) != getattr(usual, each)
    }


# ---- what a text says


def entry_of(document: Document, world: str, name: str) -> t.Component | None:
    """Return the entry of a component that is written by itself, without an index."""
    item = document.module.worlds[world]
    for entry in item.components:
        if any(each.name == name and each.range is None for each in entry.names):
            return entry
    return None


def sizes_of(document: Document, entry: t.Component | None, kind: str) -> list[dict[str, Any]]:
    """Return the lengths that a thing is made with: their names, values (m), as written."""
    found = document.module.own_definition(kind)
    if found is None or not isinstance(found.definition, t.Primitive):
        return []
    parameters = found.definition.parameters
    given = _given(document, entry, parameters)
    notes, sizes = Notes(), []
    for each in parameters:
        if each.quantity != "length":
            continue
        scope = (document.module if each.name in given else found.module).scope(notes)
        value = given[each.name].value if each.name in given else each.default
        if value is not None:
            metres = scope.to_kind(scope.evaluate(value), "length", value)
            sizes.append({"name": each.name, "value": round(metres, 6)})
    return sizes


def resized(document: Document, world: str, name: str, sizes: Mapping[str, float]) -> str:
    """Return what a component is made of with other sizes, m."""
    entry = entry_of(document, world, name)
    if entry is None:
        raise WorldError(f"'{name}' is one of several; change it in the text")
    found = document.module.own_definition(entry.type.text)
    parameters = (
        found.definition.parameters if found and isinstance(found.definition, t.Primitive) else ()
    )
    text = document.tree.source.text
    said = {
        each: text[slice(*argument.value.span)]
        for each, argument in _given(document, entry, parameters).items()
    }
    known = {each.name for each in parameters if each.quantity == "length"}
    for size, value in sizes.items():
        if size not in known:
            raise WorldError(f"'{name}' has no size '{size}'")
        if not 0.0 < value <= FAR:
            raise WorldError(f"the {size.replace('_', ' ')} of '{name}' is more than 0 m")
        said[size] = length(value)
    order = [each.name for each in parameters if each.name in said]
    kind = entry.type.text
    return f"{kind}({', '.join(f'{each}: {said[each]}' for each in order)})" if order else kind


def _given(
    document: Document, entry: t.Component | None, parameters: Sequence[t.Parameter]
) -> dict[str, t.Argument]:
    if entry is None:
        return {}
    free = iter([each.name for each in parameters])
    return {each.name or next(free, ""): each for each in entry.arguments}


def palette() -> dict[str, float]:
    """Return the furniture that ships: the names of its primitives, and how wide (m) each is."""
    document = read(LIBRARY / "furniture.art")
    found = {}
    for name in document.module.definitions:
        if name not in BUILT:
            sizes = {each["name"]: each["value"] for each in sizes_of(document, None, name)}
            found[name] = sizes.get("wide", sizes.get("long" if name == "rail" else "", NARROW))
    return found


def mount_of(world: World, body: Body) -> str:
    """Return the feature that a text places a body by, else one that is there to place it by."""
    for each in world.placements:
        for ref, _ in (*each.points, *each.frames) if each.component == body.id else ():
            return ref.feature
    return next((each for each in MOUNTS if each in body.features), "center")


def placed(body: Body, mount: str) -> tuple[float, float, float, float]:
    """Return where a body's mount is (x, y, z) m, and how it is turned about y, deg."""
    feature = body.features.get(mount)
    x, y, z = moved(body.pose, ZERO if feature is None else feature.pose.position)
    w, _, turn, _ = body.pose.orientation
    return x, y, z, math.degrees(2.0 * math.atan2(turn, w))


def built_of(document: Document, world: World) -> list[str]:
    """Return the walls and doors that were drawn, by their names."""
    item = document.module.worlds[world.name]
    return [
        each.name
        for entry in item.components
        for each in entry.names
        if entry.type.text in BUILT and each.range is None
    ]


def drawn_walls(
    document: Document, world: World
) -> tuple[list[tuple[float, float]], list[dict[str, Any]]]:
    """Return the corners of a room that was drawn, and the doors in its walls."""
    corners: list[tuple[float, float]] = []
    doors: list[dict[str, Any]] = []
    for name in built_of(document, world):
        entry = entry_of(document, world.name, name)
        kind = world.bodies[name].type
        if kind == DOORWAY:
            continue
        x, _, z, _ = placed(world.bodies[name], "foot")
        sizes = {each["name"]: each["value"] for each in sizes_of(document, entry, kind)}
        if kind == DOOR_WALL:
            doors.append({"edge": len(corners), "at": sizes["door_at"], "wide": sizes["door_wide"]})
        corners.append((round(x, 4), round(z, 4)))
    return corners, doors


def plan_of(
    document: Document, world: World, study: Study, question: ReachQuestion
) -> dict[str, Any]:
    """Return what a page draws of a room, as plain data."""
    room = study.room
    corners, doors = drawn_walls(document, world)
    outlines: dict[str, list[Any]] = {}
    for solid in room.solids:
        shape = solid.outline
        if shape.geom_type == "Polygon":
            low = float(solid.outer[:, 2].min())
            outlines.setdefault(solid.body, []).append([low, flat(study, shape)])
    fixed = {*room.walls(), room.floor_body, *built_of(document, world)}
    asked = [path_of(each) for each in question.objects]
    return {
        "corners": corners or flat(study, room.floor),
        "drawn": bool(corners),
        "doors": doors,
        "walls": [
            ring for name in room.walls() for low, ring in outlines.get(name, ()) if low < 1.9
        ],
        "things": [
            _thing(document, world, body, outlines.get(body.id, []), asked)
            for body in world.bodies.values()
            if body.shape is not None and body.id not in fixed
        ],
        "objects": asked,
    }


def _thing(
    document: Document, world: World, body: Body, outlines: list[Any], asked: Sequence[str]
) -> dict[str, Any]:
    x, y, z, turn = placed(body, mount_of(world, body))
    entry = entry_of(document, world.name, body.id)
    points = []
    for name, feature in body.features.items():
        path = f"{body.id}.{name}"
        if name not in MOUNTS or path in asked:
            p = moved(body.pose, feature.pose.position)
            points.append({"name": name, "path": path, "at": [round(each, 4) for each in p]})
    try:
        sizes = [] if entry is None else sizes_of(document, entry, entry.type.text)
    except ArticulataError:
        sizes = []
    return {
        "name": body.id, "kind": body.type, "x": round(x, 4), "z": round(z, 4), "y": round(y, 4),
        "turn": round(turn, 3), "sizes": sizes, "points": points, "own": entry is not None,
        "outlines": [ring for _, ring in sorted(outlines, key=lambda each: each[0])],
    }  # fmt: skip


def flat(study: Study, shape: Any) -> list[Any]:
    """Return the outline of a shape of the ground's plane as points (x, z) of the plan."""
    ring = [(*each[:2], 0.0) for each in list(shape.exterior.coords)[:-1]]
    return [
        [round(x, 4), round(z, 4)] for x, _, z in study.room.out(np.array(ring, float)).tolist()
    ]


def free_name(world: World | None, kind: str) -> str:
    """Return a name for one more thing of a kind: its own, else with a number."""
    taken = set() if world is None else {each.partition(".")[0] for each in world.bodies}

    def names() -> Iterator[str]:
        yield kind
        for number in range(2, 10_000):
            yield f"{kind}_{number}"

    return next(each for each in names() if each not in taken)
