"""Every length that ADA 2010 asks for is met at its limit and missed 0.1 mm beyond it.

The lengths are those of the 2010 ADA Standards for Accessible Design, in the millimetres of its
text. Rooms are made of boxes, told by where they begin and end along x, y (up) and z.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import articulata as art
from articulata.analyses.reach.building_codes.rules import findings_of
from articulata.analyses.reach.surroundings.room import room_of

Box = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]

CIRCLE = 0.2
"""mm. A circle is a polygon within it: narrower by no more than 0.1 mm, as the page says."""


def met(
    section: str, boxes: dict[str, Box], p: tuple[float, float, float] | None = None,
    thing: str = "", feature: str = "", door: tuple[float, float] | None = None,
) -> bool:  # fmt: skip
    """Return whether the rules of a section are met in a room of boxes.

    They are those about a point ``p``, about a ``thing`` whose ``feature`` it is, or about the room
    with a ``door`` at (x, z).
    """
    kinds, parts, places = [], [], []
    for name, sides in boxes.items():
        size = [b - a for a, b in sides]
        middle = [0.5 * (a + b) for a, b in sides]
        at = ""
        if p is not None and name == (thing or "floor"):
            own = ", ".join(f"{there - here!r} m" for there, here in zip(p, middle, strict=True))
            at = f" where {{ {feature or 'there'}: ({own}) }}"
        kinds.append(
            f"primitive kind_of_{name} {{ properties: (fixed); geometry: cuboid("
            + ", ".join(f"{each!r} m" for each in size)
            + f"){at} }}"
        )
        parts.append(f"{name}: kind_of_{name}")
        places.append(
            f"place {name} by {name}.center at ("
            + ", ".join(f"{each!r} m" for each in middle)
            + ")"
        )
    if door is not None:
        parts.append("door: fixed_point")
        places.append(f"place door by door.center at ({door[0]!r} m, 0, {door[1]!r} m)")
    newline = "\n"
    text = f"""
{newline.join(kinds)}
world room {{
  gravity: (0, -9.81, 0)
  components {{ {newline.join(parts)} }}
  structure {{ {newline.join(places)} }}
}}"""
    room = room_of(art.parse(text).world(), door="" if door is None else "door")
    paths = ["floor.there"] if p is not None and not thing else []
    told = findings_of(room, "ada_2010", paths, "" if door is None else "door")
    found = [each for each in told if each.section.startswith(section) and each.told]
    assert found
    return all(each.met for each in found)


def floor(x: tuple[float, float] = (-3.0, 3.0), z: tuple[float, float] = (0.0, 5.0)) -> Box:
    return (x, (-0.1, 0.0), z)


def wall(x: tuple[float, float], z: tuple[float, float]) -> Box:
    return (x, (0.0, 2.4), z)


BACK = wall((-3.0, 3.0), (-0.1, 0.0))


def over(depth: float, high: float, top: float, under: float) -> bool:
    """Reach over something ``depth`` m deep from ``under`` to ``top`` above the floor."""
    counter = ((-3.0, 3.0), (under, top), (0.0, depth))
    return met("308", {"floor": floor(), "back": BACK, "counter": counter}, (0.0, high, 0.0))


def aside_over(depth: float, high: float, top: float = 0.8) -> bool:
    return over(depth, high, top, 0.0)


def ahead_over(depth: float, high: float, top: float = 0.9) -> bool:
    return over(depth, high, top, top - 0.05)


def bare(high: float) -> bool:
    return met("308", {"floor": floor(), "back": BACK}, (0.0, high, 0.0))


def lane(section: str, wide: float = 0.92, long: float = 5.0, lintel: float = 2.4) -> bool:
    """A point at the end of a lane between two walls, which is so long, or so high."""
    boxes = {
        "floor": floor((-0.5 * wide, 0.5 * wide), (0.0, long)),
        "hung": ((-3.0, 3.0), (lintel, lintel + 0.1), (0.0, 5.0)),
    }
    return met(section, boxes, (0.0, 1.0, 0.0))


def below(
    section: str, deep: float, low: float = 0.7, wide: float = 3.0, long: float = 5.0
) -> bool:
    """A slab that hangs over the first ``deep`` m of a floor."""
    boxes = {
        "floor": floor((-0.5 * wide, 0.5 * wide), (0.0, long)),
        "slab": ((-3.0, 3.0), (low, low + 0.05), (0.0, deep)),
    }
    return met(section, boxes, (0.0, 1.0, 0.0))


def t_room(wide: float = 1.6, arm: float = 0.93) -> bool:
    """Room for a T in a square ``wide`` m wide, its bar along x and its stem ``arm`` m wide."""
    corner = 0.5 * (wide - arm)
    boxes = {
        "floor": floor((-0.5 * wide, 0.5 * wide), (0.0, wide)),
        "left": wall((-0.5 * wide, -0.5 * wide + corner), (arm, wide)),
        "right": wall((0.5 * wide - corner, 0.5 * wide), (arm, wide)),
    }
    return met("304", boxes)


def doorway(wide: float = 0.9, high: float = 2.1) -> bool:
    boxes = {
        "floor": floor((-3.0, 3.0), (0.0, 3.0)),
        "one": wall((-3.0, -0.5 * wide), (-0.1, 0.0)),
        "two": wall((0.5 * wide, 3.0), (-0.1, 0.0)),
        "above": ((-3.0, 3.0), (high, 2.5), (-0.1, 0.0)),
    }
    return met("404", boxes, door=(0.0, 0.0))


def doorway_within(wide: float = 0.9, high: float = 2.1) -> bool:
    """The same between two rooms of one floor."""
    boxes = {
        "floor": floor((-3.0, 3.0), (-3.0, 3.0)),
        "one": wall((-3.0, -0.5 * wide), (-0.05, 0.05)),
        "two": wall((0.5 * wide, 3.0), (-0.05, 0.05)),
        "above": ((-3.0, 3.0), (high, 2.5), (-0.05, 0.05)),
    }
    return met("404", boxes, door=(0.0, 0.0))


def alcove(wide: float, deep: float, across: float, off: float = 0.0, stand: float = 0.0) -> bool:
    """An alcove that opens into a lane ``across`` m wide, a point on its end wall.

    Or the point is ``off`` m before that wall, or over a base ``stand`` m deep.
    """
    boxes = {
        "floor": floor((-3.0, 3.0), (0.0, deep + across)),
        "back": BACK,
        "one": wall((-3.0, -0.5 * wide), (0.0, deep)),
        "two": wall((0.5 * wide, 3.0), (0.0, deep)),
    }
    if stand:
        boxes["base"] = ((-3.0, 3.0), (0.0, 0.8), (0.0, stand))
    return met("305", boxes, (0.0, 1.0, off))


def toilet(
    beside: float = 0.43, seat: float = 0.46, clear: float = 1.6, ahead: float = 1.5,
    low: float = 0.0,
) -> Callable[[str], bool]:  # fmt: skip
    """A toilet between two walls, with boxes so far from the one beside it and behind it."""
    boxes = {
        "floor": floor((0.0, 4.0), (0.0, 4.0)),
        "back": wall((0.0, 4.0), (-0.1, 0.0)),
        "left": wall((-0.1, 0.0), (0.0, 4.0)),
        "toilet": ((beside - 0.18, beside + 0.18), (0.0, seat), (0.0, 0.6)),
        "box": ((clear, clear + 0.4), (low, low + 0.6), (0.9, 1.3)),
        "chest": ((0.5, 0.9), (0.0, 0.6), (ahead, ahead + 0.4)),
    }
    return lambda section: met(section, boxes, (beside, seat, 0.45), "toilet", "seat")


def basin(
    name: str, rim: float = 0.85, under: float = 0.7, pipe: Box | None = None, ahead: float = 2.0,
    wide: float = 1.0,
) -> Callable[[str], bool]:  # fmt: skip
    """A basin 80 cm deep, with a ``pipe`` below it, and something so far ahead of its rim."""
    boxes = {
        "floor": floor(),
        "back": BACK,
        name: ((-0.5, 0.5), (under, rim), (0.0, 0.8)),
        "hob": ((2.0, 2.5), (0.8, 0.9), (0.0, 0.5)),
        "box": ((-0.5, 0.5), (0.0, 0.6), (0.8 + ahead, 1.2 + ahead)),
        "one": ((-0.5 * wide - 0.05, -0.5 * wide), (0.0, 0.6), (0.0, 0.8)),
        "two": ((0.5 * wide, 0.5 * wide + 0.05), (0.0, 0.6), (0.0, 0.8)),
    }
    if pipe is not None:
        boxes["pipe"] = pipe
    return lambda section: met(section, boxes, (0.0, rim, 0.8), name, "rim")


def pipe(deep: float, low: float, high: float) -> Box:
    """Something below a basin, ``deep`` m behind its rim."""
    return ((-0.1, 0.1), (low, high), (0.0, 0.8 - deep))


def outlet(high: float) -> bool:
    boxes = {"floor": floor(), "back": BACK, "paper": ((-0.1, 0.1), (high - 0.1, high), (0.0, 0.1))}
    return met("604.7", boxes, (0.0, high, 0.1), "paper", "outlet")


# what is measured, its limit (m), whether more of it is good, and the room by its length
LIMITS: list[tuple[str, float, int, Callable[[float], bool]]] = [
    ("308.2.1 low", 0.380, 1, bare),
    ("308.2.1 high", 1.220, -1, bare),
    ("308.2.2 high over 510 mm", 1.220, -1, lambda x: ahead_over(0.5, x)),
    ("308.2.2 deep at 1220 mm", 0.510, -1, lambda x: ahead_over(x, 1.2)),
    ("308.2.2 high over 635 mm", 1.120, -1, lambda x: ahead_over(0.6, x)),
    ("308.2.2 deep at 1120 mm", 0.635, -1, lambda x: ahead_over(x, 1.1)),
    ("308.2.2 knees", 0.685, 1, lambda x: over(0.5, 1.2, 0.9, x)),
    ("308.3.1 high over 255 mm", 1.220, -1, lambda x: aside_over(0.2, x, 0.9)),
    ("308.3.1 deep", 0.255, -1, lambda x: aside_over(x, 1.2)),
    ("308.3.2 high over 610 mm", 1.170, -1, lambda x: aside_over(0.6, x)),
    ("308.3.2 deep", 0.610, -1, lambda x: aside_over(x, 1.1)),
    ("308.3.2 obstruction", 0.865, -1, lambda x: aside_over(0.6, 1.1, x)),
    ("308 floor wide", 0.760, 1, lambda x: lane("308", x)),
    ("308 floor long", 1.220, 1, lambda x: lane("308", 0.92, x)),
    ("304.3.1 knees deep", 0.635, -1, lambda x: below("304", x, 0.7, 1.53, 0.89 + 0.635)),
    ("304.3.1 knees high", 0.685, 1, lambda x: below("304", 0.6, x, 1.53, 1.53)),
    ("304.3.2 wide", 1.525, 1, lambda x: t_room(wide=x)),
    ("304.3.2 arm", 0.915, 1, lambda x: t_room(arm=x)),
    ("404.2.3 high", 2.030, 1, lambda x: doorway(high=x)),
    ("404.2.3 high within", 2.030, 1, lambda x: doorway_within(high=x)),
    ("305.3 wide", 0.760, 1, lambda x: alcove(x, 0.6, 0.62)),
    ("305.3 long", 1.220, 1, lambda x: lane("305", 0.92, x)),
    ("305.3 knees deep", 0.635, -1, lambda x: below("305", x, 0.7, 0.92, 1.22)),
    ("305.3 knees high", 0.685, 1, lambda x: below("305", 0.6, x, 0.92, 1.25)),
    ("305.3 head", 2.030, 1, lambda x: below("305", 5.0, x)),
    ("305.7.1 wide", 0.915, 1, lambda x: alcove(x, 1.22, 1.5)),
    ("305.7.1 deep", 0.610, -1, lambda x: alcove(0.914, x, 1.5)),
    ("305.7.1 deep, narrow", 0.610, -1, lambda x: alcove(0.8, x, 1.5)),
    ("305.7.1 wide, off the wall", 0.915, 1, lambda x: alcove(x, 0.7, 1.5, off=0.05)),
    ("305.7.1 deep, off the wall", 0.610, -1, lambda x: alcove(0.8, x, 1.5, off=0.05)),
    ("305.7.1 deep with a base", 0.610, -1, lambda x: alcove(0.8, x, 1.5, stand=0.25)),
    ("305.7.2 wide", 1.525, 1, lambda x: alcove(x, 0.5, 0.6)),
    ("305.7.2 wide, lane of 1 m", 1.525, 1, lambda x: alcove(x, 0.5, 0.7)),
    ("305.7.2 deep", 0.380, -1, lambda x: alcove(1.3, x, 0.7)),
    ("305.7.2 deep, wider", 0.380, -1, lambda x: alcove(1.5, x, 0.7)),
    ("305.7.2 deep with a base", 0.380, -1, lambda x: alcove(1.3, x, 0.75, stand=0.07)),
    ("604.2 from", 0.405, 1, lambda x: toilet(x)("604.2")),
    ("604.2 to", 0.455, -1, lambda x: toilet(x)("604.2")),
    ("604.3.1 wide", 1.525, 1, lambda x: toilet(clear=x)("604.3.1")),
    ("604.3.1 long", 1.420, 1, lambda x: toilet(ahead=x)("604.3.1")),
    ("604.3.1 high", 2.030, 1, lambda x: toilet(clear=1.0, low=x)("604.3.1")),
    ("604.4 from", 0.430, 1, lambda x: toilet(seat=x)("604.4")),
    ("604.4 to", 0.485, -1, lambda x: toilet(seat=x)("604.4")),
    ("604.7 from", 0.380, 1, outlet),
    ("604.7 to", 1.220, -1, outlet),
    ("606.3", 0.865, -1, lambda x: basin("basin", rim=x)("606.3")),
    ("804.3.2", 0.865, -1, lambda x: basin("worktop", rim=x)("804.3.2")),
    ("607.2", 0.760, 1, lambda x: basin("bathtub", ahead=x)("607.2")),
    ("804.2.1", 1.015, 1, lambda x: basin("counter", ahead=x)("804.2.1")),
]  # fmt: skip
for _name, _section in (("basin", "606.2"), ("worktop", "804.3.1"), ("table", "902.2")):
    LIMITS += [
        (f"{_section} {what}", limit, good, lambda x, f=made, n=_name, s=_section: f(n, x)(s))
        for what, limit, good, made in [
            ("knees high", 0.685, 1, lambda n, x: basin(n, under=x)),
            ("toes deep", 0.430, 1, lambda n, x: basin(n, pipe=pipe(x, 0.0, 0.2))),
            ("toes high", 0.230, 1, lambda n, x: basin(n, pipe=pipe(0.29, x, 0.4))),
            ("knees deep below", 0.280, 1, lambda n, x: basin(n, pipe=pipe(x, 0.230, 0.25))),
            ("knees deep above", 0.205, 1, lambda n, x: basin(n, pipe=pipe(x, 0.684997, 0.69))),
            ("wide", 0.760, 1, lambda n, x: basin(n, wide=x)),
            ("ahead", 0.585, 1, lambda n, x: basin(n, ahead=x)),
            ("ahead and below", 0.500, 1,
             lambda n, x: basin(n, ahead=0.72, pipe=pipe(x, 0.0, 0.2))),
        ]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "good", "holds"), [case[1:] for case in LIMITS], ids=[case[0] for case in LIMITS]
)
def test_a_length_is_met_at_its_limit_and_missed_beyond(
    limit: float, good: int, holds: Callable[[float], bool]
) -> None:
    asked = {mm: holds(limit + 1e-3 * good * mm) for mm in (1.0, 0.0, -0.1, -1.0)}
    assert asked == {1.0: True, 0.0: True, -0.1: False, -1.0: False}


@pytest.mark.parametrize(
    ("limit", "holds"),
    [
        (0.815, lambda x: doorway(wide=x)),
        (0.815, lambda x: doorway_within(wide=x)),
        (1.525, lambda x: met("304", {"floor": floor((0.0, x), (0.0, 3.0))})),
    ],
)
def test_a_circle_is_as_wide_as_asked_for(limit: float, holds: Callable[[float], bool]) -> None:
    asked = {mm: holds(limit + 1e-3 * mm) for mm in (1.0, 0.0, -CIRCLE, -1.0)}
    assert asked == {1.0: True, 0.0: True, -CIRCLE: False, -1.0: False}


def test_floor_whose_side_is_in_line_with_a_point_is_in_no_alcove() -> None:
    boxes = {
        "floor": floor(),
        "back": BACK,
        "low": ((-3.0, 0.0), (0.0, 0.6), (0.0, 0.60)),  # 635 mm before the point at most
        "deep": ((0.0, 3.0), (0.0, 0.6), (0.0, 0.70)),
    }
    assert met("305", boxes, (0.0, 1.0, 0.0))
