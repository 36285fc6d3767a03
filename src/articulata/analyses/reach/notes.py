"""What else is to be known of people and a room before their reach is read: sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import shapely

from articulata.analyses.reach.one_person.body import Body
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.surroundings.mechanisms import mechanism_of
from articulata.analyses.reach.surroundings.room import ROOM_HIGH, THIN_WALL, Room
from articulata.analyses.reach.surroundings.standing_floor import CHANGE
from articulata.analyses.reach.ways.doorways import MARGIN, clear_width, least_width
from articulata.analyses.reach.ways.standing_places import HALL, walls_at, within_floor
from articulata.domains.comfort.measured_strength import stature_of
from articulata.geometry.convex_pieces.open_surfaces import pieces_with_surfaces
from articulata.geometry.parts import parts_of
from articulata.geometry.shapes import Mesh
from articulata.kinematics.figure import Figure
from articulata.records.uses import how_far

BESIDE = 0.5
"""m. What lies farther beyond the floor is outside the room."""

STEP = 1.0
"""m. What hangs lower over the door than this is a threshold, and no lintel."""

PARTS = 3
"""So many parts of a floor that nobody comes to are told, the largest first."""

HUGE = 100.0
"""m. A mesh that is longer than this may be in other units than metres."""

MEASURED = {"m": (1.409, 1.993), "kg": (35.8, 144.2)}
"""Statures and weights of the people of ANSUR II, men and women, from the least to the greatest."""

UNMEASURED = (
    "heights of the shoulder and the neck",
    "depths of the trunk",
    "palm and grip",
    "girth above the knee",
    "hollow of the knee",
    "ball and heel of the foot",
)
"""What nobody measured on the children of Snyder, of what a person is made of."""

CROWNS = ("skull_tip", "vertex")
"""Landmarks at the top of the head."""


def notes_of(room: Room, name: str, body: Body) -> Iterator[str]:
    """Yield what is to be known of one of the people in the room."""
    lintel = _lintel(room)
    figure = body.figure
    crown = next((each for each in CROWNS if each in figure.landmarks), None)
    if crown is not None:
        tall = float(figure.landmark(body.resting, crown)[2, 3])
        if tall > lintel:
            yield (
                f"{name}: the head is at {tall:.2f} m and the door is {lintel:.2f} m high; that "
                "they stoop is taken for granted"
            )
    yield from _extrapolated(name, figure)
    rest = np.concatenate([figure.neutral[:4], body.rest.q])
    told: set[int] = set()
    for posture, q in {body.rest.name: rest, "neutral": figure.neutral}.items():
        beyond = np.flatnonzero((q < figure.lower - 1e-9) | (q > figure.upper + 1e-9))
        if not told.issuperset(beyond.tolist()):
            told.update(beyond.tolist())
            listed = ", ".join(f"'{figure.names[k]}'" for k in beyond)
            yield (
                f"{name}: the limits of {listed} leave out the {posture} posture; the nearest that "
                "they allow is taken in its place"
            )


def _extrapolated(name: str, figure: Figure) -> Iterator[str]:
    """Yield that nobody was measured who is so tall, or weighs so much, as a whole person."""
    if figure.measures.get("child", 0.0) > 0.5:
        yield f"{name}: {child_told(figure)}"
        return
    tall = stature_of(figure)
    for value, (unit, (low, high)) in zip((tall, figure.mass), MEASURED.items(), strict=True):
        if tall > 0.0 and not low - 1e-3 <= value <= high + 1e-3:
            yield (
                f"{name}: nobody of {value:.3g} {unit} was measured (ANSUR II: adults of {low:g} "
                f"to {high:g} {unit}); measures that are not given are extrapolated from adults "
                "and are not a child's"
            )


def child_told(figure: Figure) -> str:
    """Return how old a child is taken to be, and what stands behind its measures."""
    years, tall = figure.measures["years"], figure.measures["stature"]
    return (
        f"a child of {years:.3g} years, {tall:.3g} m and {figure.mass:.3g} kg: lengths, breadths "
        "and girths by stature and mass (Snyder 1977, 3,900 children of the US), stature and mass "
        "by age (CDC 2000), shares of the mass by age (Jensen, boys of 6 to 18 years); not "
        f"measured on children, and taken in an adult's proportion: {', '.join(UNMEASURED)}, "
        "centres and radii of mass; limits and strength of joints are an adult's"
    )


def without_room(case: Case, door: str) -> Iterator[str]:
    """Yield why one of the people stands nowhere, or nearly, and what would mend it."""
    room, name, body, places = case.room, case.name, case.body, case.places
    for names, way in (
        (places.parted, "they are taken to open it"),
        (places.stuck, "there is no way through even so"),
    ):
        if names:
            leaves = ", ".join(_leaf(room, each) for each in names)
            yield (
                f"{name}: the way through the room is shut by {leaves}; {way} (to know whether "
                "they open it, ask to operate its handle)"
            )
    if places.opened:
        leaves = ", ".join(_leaf(room, each) for each in places.opened)
        way = (
            "there is no way in even so"
            if places.cut.area > places.all_free.area
            else "they are taken to open it"
        )
        yield (
            f"{name}: the door is shut by {leaves}; {way} (to know whether they open it, ask "
            "to operate its handle)"
        )
        if not places.all_free.is_empty or places.cut.area > 0.0:
            return
    parts = body.footprint.parts(body.hips)
    length, width = np.ptp(np.concatenate([part.corners for part in parts]), axis=0)
    size = f"{width:.2g} m by {length:.2g} m"
    gap, needed = (
        clear_width(room, walls_at(room, parts)),
        least_width([part.corners for part in parts]),
    )
    if gap < needed - MARGIN and places.cut.area > 0.0:
        yield (
            f"{name}: the door '{door}' is {100 * gap:.3g} cm wide, and what takes {size} needs "
            f"{100 * needed:.3g} cm; make the door wider, or take a narrower way to move"
        )
    elif places.cut.area > places.all_free.area:
        how = "; make the door or the way from it wider, or take a narrower way to move"
        for sill in case.sills[:1]:
            how = (
                f": '{sill.body}', {sill.high * 100:.3g} cm high, shuts the way to "
                f"{sill.opened.area:.1f} m² of it; lay a ramp over it, or take it away"
            )
        yield (
            f"{name}: what takes {size} finds no way from the door to {places.cut.area:.1f} m² of "
            f"floor with room for it{how}"
        )
    elif places.all_free.is_empty:
        x0, y0, x1, y1 = room.floor.bounds
        yield (
            f"{name}: what takes {size} has room nowhere on the floor, {x1 - x0:.2f} m by "
            f"{y1 - y0:.2f} m; move furniture away, or take a smaller way to move"
        )


def _leaf(room: Room, body: str) -> str:
    """Return the name of a leaf in the door, and where it stops if it strikes something."""
    thing = mechanism_of(room, body)
    if not thing.struck:
        return f"'{body}'"
    far = how_far(thing.free, float(thing.values[-1] - thing.values[0]), thing.turns)
    return f"'{body}', which opens {far}, then strikes '{thing.struck}'"


def other_floor(room: Room) -> Iterator[str]:
    """Yield that something else than what is called floor is taken for one."""
    called = [b.id for b in room.world.bodies.values() if b.id.rpartition(".")[2] == "floor"]
    if called and room.floor_body not in called:
        yield (
            f"'{room.floor_body}' is taken for the floor, because the grid lies in it; write "
            f"points: grid 5 cm in {called[0]} to stand on '{called[0]}'"
        )


def uneven_floor(room: Room) -> Iterator[str]:
    """Yield where the floor is higher or lower than where people stand."""
    if room.rise > CHANGE:
        yield (
            f"the floor '{room.floor_body}' rises by {100.0 * room.rise:.1f} cm from its lowest "
            "place to its highest; it is taken to be level at its middle height"
        )
    if room.apart:
        parts = ", ".join(
            f"{area:.1f} m² {100.0 * abs(by):.{0 if abs(by) >= 0.1 else 1}f} cm "
            f"{'higher' if by > 0.0 else 'lower'}"
            for by, area in room.apart[:PARTS]
        )
        yield (
            f"of the floor '{room.floor_body}' nobody comes to what is not level with where people "
            f"stand: {parts}; to stand there, make it a body of its own and name that: "
            "points: grid 5 cm in BODY"
        )


def door_within(room: Room) -> Iterator[str]:
    """Yield where the way begins if the door is no door at the edge of the floor."""
    if within_floor(room):
        yield (
            "the door is within the floor, not at its edge: the way begins at both sides of it; "
            "name the outer door after 'approach: from' to begin there"
        )
    elif room.door is not None:
        away = float(room.floor.distance(shapely.Point(*room.door)))
        if away > HALL:
            yield (
                f"the door is {away:.2f} m beyond the floor, and the way in begins at the door: "
                "place it at the floor's edge"
            )


def walls_on_the_floor(room: Room) -> Iterator[str]:
    """Yield what is taken for a wall by its size alone."""
    found = ", ".join(f"'{each}'" for each in room.standing_walls())
    if found:
        yield (
            f"taken for walls, {ROOM_HIGH:g} m high at least and {THIN_WALL:g} m thick at most: "
            f"{found}; rules measure to them, and they are not pushed aside"
        )


def open_surfaces(room: Room) -> Iterator[str]:
    """Yield which bodies are meshes with holes."""
    found = [
        f"'{each.name}'"
        for each in room.obstacles
        if each.name != room.floor_body
        and any(isinstance(p.shape, Mesh) and not p.shape.closed for p in parts_of(each.shape))
    ]
    if found:
        yield (
            f"meshes with holes: {', '.join(found)}; they stand in the way from both sides, and no "
            "point is said to lie within them: close those that are solids"
        )


def joined_triangles(room: Room) -> Iterator[str]:
    """Yield which meshes are so dense that their triangles are joined, and how exact that is."""
    for each in room.obstacles:
        pieces = pieces_with_surfaces(each.shape) or ()
        beyond = max((hull.deviation for hull in pieces if hull.core is not None), default=0.0)
        if beyond > 0.0:
            count = sum(
                len(p.shape.faces) for p in parts_of(each.shape) if isinstance(p.shape, Mesh)
            )
            yield (
                f"the {count:,} triangles of '{each.name}' are held by {len(pieces):,} flat "
                f"pieces, which stand out of it by {1e3 * beyond:.1f} mm at most; so much is "
                "struck too early"
            )


def in_other_units(room: Room) -> Iterator[str]:
    """Yield which meshes are too large to be in metres."""
    for each in room.obstacles:
        for part in parts_of(each.shape):
            if not isinstance(part.shape, Mesh):
                continue
            long = float(np.ptp(part.shape.vertices, axis=0).max())
            if long > HUGE:
                yield (
                    f"'{each.name}' is {long:.0f} m long; a mesh is read in metres: if the file "
                    f'is in mm, write mesh("{part.shape.file or "FILE"}", 0.001)'
                )


def outside(room: Room, objects: Sequence[str]) -> Iterator[str]:
    """Yield which objects lie outside the room."""
    for path in objects:
        p = room.point(path)
        away = float(room.floor.distance(shapely.Point(*p[:2])))
        if away > BESIDE:
            yield f"'{path}' lies outside the room, {away:.2f} m beyond its floor"


def _lintel(room: Room) -> float:
    """Return how high the door is, m: up to what hangs over it; infinite where nothing does."""
    if room.door is None:
        return float("inf")
    door = shapely.Point(*room.door)
    over = [
        float(solid.outer[:, 2].min()) - room.level
        for solid in room.solids
        if solid.outline.distance(door) < 0.05
    ]
    return min((each for each in over if each > STEP), default=float("inf"))
