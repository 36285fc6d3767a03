"""Every length in the tables of building codes that ship, at its limit and 1 mm on either side.

Each row's room is made of boxes, told by where they begin and end along x, y (up) and z: a wall
behind (z = 0), one to the left (x = 0) and what the row is about. Rows of ADA 2010 about floor and
reach have rooms of their own in ``test_rule_limits``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from articulata.analyses.reach.building_codes.fixtures import things_of
from articulata.analyses.reach.building_codes.rule_tables import ReachRule, rules_of
from articulata.analyses.reach.building_codes.rules import findings_of
from articulata.analyses.reach.surroundings.room import Room
from articulata.world.requests.reach import CODES
from articulata.world.world_files import LIBRARY
from rooms import WALLS, Box, Part, Point, boxed_room

TOILET: Part = (
    [((0.32, 0.68), (0.0, 0.47), (0.0, 0.7))],
    {"seat": (0.5, 0.47, 0.45), "rim": (0.5, 0.4, 0.7)},
)


def bar(x: tuple[float, float], gap: float = 0.038, thick: float = 0.035) -> Box:
    """A bar along the wall behind, its top 0.85 m high."""
    return (x, (0.85 - thick, 0.85), (gap, gap + thick))


def at_the_top(box: Box) -> Point:
    (a, b), (_, high), (c, d) = box
    return (0.5 * (a + b), high, 0.5 * (c + d))


def on_the_wall(box: Box) -> Callable[[ReachRule], Part]:
    return lambda rule: ([box], {rule.feature: at_the_top(box)})


def length_of(word: str, v: float) -> Callable[[ReachRule], Part]:
    """Return what makes a thing of which a row's length is ``v`` m."""
    if word in ("top", "bottom"):
        high = (0.0, v) if word == "top" else (v, v + 0.5)
        return lambda rule: ([((1.0, 1.9), high, (0.0, 0.03))], {})
    upright = {
        "height": lambda: ((1.0, 1.3), (v - 0.1, v), (0.0, 0.3)),
        "thick": lambda: bar((0.3, 1.5), thick=v),
        "aside": lambda: ((v - 0.05, v + 0.05), (1.0, 1.1), (0.0, 0.05)),
        "across": lambda: bar((0.2, 0.2 + v)),
        "gap": lambda: bar((0.2, 1.5), gap=v),
        "end": lambda: bar((v, v + 1.1)),
        "far end": lambda: bar((0.2, v)),
        # seen from a toilet whose middle is at x = 0.5 m, its seat 0.47 m high, 0.7 m deep
        "above": lambda: ((0.85, 0.89), (v + 0.4, v + 0.47), (0.0, 0.7)),
        "shorter side": lambda: bar((0.5 - v, 1.3)),
        "longer side": lambda: bar((0.15, 0.5 + v)),
    }
    if word in upright:
        return on_the_wall(upright[word]())
    ends = {
        "behind": ((1.0, 1.3), (0.0, 0.4), (0.0, v)),
        "deep": ((1.0, 1.3), (0.4, 0.46), (0.0, v)),
        "beyond": ((0.85, 0.89), (0.6, 0.75), (0.0, 0.7 + v)),
    }
    if word in ends:
        (a, b), (_, high), (_, front) = box = ends[word]
        return lambda rule: ([box], {rule.feature: (0.5 * (a + b), high, front)})
    assert word == "apart"
    inner = 0.5 * v
    boxes: list[Box] = [
        ((0.46 - inner, 0.5 - inner), (0.7, 0.75), (0.0, 0.8)),
        ((0.5 + inner, 0.54 + inner), (0.7, 0.75), (0.0, 0.8)),
    ]
    return lambda rule: (boxes, {rule.feature: at_the_top(boxes[0])})


def with_a_length(rule: ReachRule, v: float) -> Room:
    parts = {**WALLS, rule.things[0]: length_of(rule.reach, v)(rule)}
    if rule.origin:
        parts[rule.origin.partition(".")[0]] = TOILET
    if rule.room_with:
        parts[rule.room_with[0]] = ([((3.0, 3.5), (0.7, 0.8), (0.0, 0.5))], {})
    return boxed_room(parts)


def box_at(x: tuple[float, float], z: tuple[float, float]) -> Part:
    return ([(x, (0.0, 0.6), z)], {})


def floor_before(rule: ReachRule, width: float, length: float) -> Room:
    """A thing on the wall behind, floor so wide and long before it, most of it to its right."""
    thing: Part = ([((0.8, 1.2), (0.3, 0.47), (0.0, 0.6))], {rule.feature: (1.0, 0.47, 0.6)})
    return boxed_room(
        {
            **WALLS, rule.things[0]: thing,
            "one": box_at((0.2, 0.8), (0.6, 3.0)),
            "two": box_at((0.8 + width, 3.9), (0.6, 3.0)),
            "three": box_at((0.2, 3.9), (0.6 + length, 3.5)),
        }
    )  # fmt: skip


def floor_beside(rule: ReachRule, width: float, length: float) -> Room:
    """A toilet as deep as the floor beside it is long, less what may lie ahead of the toilet.

    The floor is so wide to its right, and to its left where asked.
    """
    deep = length - rule.depth
    thing: Part = ([((1.32, 1.68), (0.0, 0.47), (0.0, deep))], {rule.feature: (1.5, 0.4, deep)})
    left = width if rule.reach == "both sides" else 0.1
    parts = {
        **WALLS, rule.things[0]: thing,
        "one": box_at((1.31 - left - 0.01, 1.32 - left), (0.0, 0.5)),
        "two": box_at((1.68 + width, 3.0), (0.0, 0.5)),
    }  # fmt: skip
    if rule.depth:
        parts["three"] = box_at((1.68, 3.0), (rule.length, 3.5))
    return boxed_room(parts)


def floor_ahead(rule: ReachRule, width: float, length: float) -> Room:
    """A thing 1.5 m wide and 0.5 m deep that hangs 0.75 m high; so much floor ahead and below."""
    front = 0.5 + length - rule.depth
    half = 0.5 * width or 0.75
    thing: Part = ([((1.0, 2.5), (0.75, 0.8), (0.0, 0.5))], {rule.feature: (1.75, 0.8, 0.5)})
    parts = {
        **WALLS, rule.things[0]: thing,
        "one": box_at((0.2, 1.75 - half), (0.5, 3.9)),
        "two": box_at((1.75 + half, 3.9), (0.5, 3.9)),
        "three": box_at((0.2, 3.9), (front, 3.95)),
    }  # fmt: skip
    if rule.room_with:
        parts[rule.room_with[0]] = ([((3.0, 3.5), (0.7, 0.8), (0.0, 0.5))], {})
    return boxed_room(parts)


def turning_room(rule: ReachRule, width: float, high: float) -> Room:
    """Floor so wide between two boxes, below a slab."""
    slab: Part = ([((0.0, 4.0), (high, high + 0.1), (0.0, 4.0))], {})
    one, two = box_at((0.0, 1.0), (0.0, 4.0)), box_at((1.0 + width, 4.0), (0.0, 4.0))
    return boxed_room({"floor": WALLS["floor"], "one": one, "two": two, "slab": slab})


def doorway(rule: ReachRule, width: float, high: float) -> Room:
    middle = 2.0
    parts = {
        "floor": WALLS["floor"],
        "one": ([((0.0, middle - 0.5 * width), (0.0, 2.4), (-0.1, 0.0))], {}),
        "two": ([((middle + 0.5 * width, 4.0), (0.0, 2.4), (-0.1, 0.0))], {}),
        "above": ([((0.0, 4.0), (high, 2.5), (-0.1, 0.0))], {}),
    }
    return boxed_room(parts, door=(middle, 0.0, 0.0))


def below(rule: ReachRule, width: float = 1.2, deep: float = 0.0, low: float = 0.0,
          high: float = 0.0, under: float = 0.75) -> Room:  # fmt: skip
    """A basin 0.8 m deep, and a pipe below it from ``low`` to ``high``, ``deep`` m behind it."""
    thing: Part = ([((0.9, 2.1), (under, 0.8), (0.0, 0.8))], {rule.feature: (1.5, 0.8, 0.8)})
    parts = {**WALLS, rule.things[0]: thing, "one": box_at((0.8, 1.5 - 0.5 * width), (0.0, 0.7))}
    if deep:
        parts["pipe"] = ([((1.4, 1.6), (low, high), (0.0, 0.8 - deep))], {})
    return boxed_room(parts)


SIZES: dict[str, Callable[[ReachRule, float, float], Room]] = {
    "before": floor_before,
    "beside": floor_beside,
    "both sides": floor_beside,
    "ahead": floor_ahead,
}


ROUND = {"door": doorway, "turning": turning_room}


def figures(rule: ReachRule) -> list[tuple[str, float, int, Callable[[float], Room]]]:
    """Return the figures of a row: name, limit (m), the way that is good, its room."""
    made: list[tuple[str, float, int, Callable[[float], Room]]] = []
    if rule.reach in SIZES:
        size = SIZES[rule.reach]
        made = [
            ("width", rule.width, 1, lambda v: size(rule, v, rule.length + 0.05)),
            ("length", rule.length, 1, lambda v: size(rule, rule.width and rule.width + 0.05, v)),
        ]
        made = made if rule.width else made[1:]
    elif rule.reach in ROUND:
        round_room = ROUND[rule.reach]
        made = [
            ("width", rule.width, 1, lambda v: round_room(rule, v, rule.high + 0.05)),
            ("high", rule.high, 1, lambda v: round_room(rule, rule.width + 0.05, v)),
        ]
    elif rule.reach == "knees":
        deep = rule.depth
        upper = [r for r in rules_of(CODES[1]) if r.reach == "knees"][-1]
        top = (
            (lambda v: below(rule, under=v))
            if rule.low or rule.high != upper.low
            else (
                lambda v: below(rule, deep=0.5 * (deep + upper.depth), low=v, high=rule.high + 0.1)
            )
        )
        made = [
            ("width", rule.width, 1, lambda v: below(rule, width=v)),
            ("depth", deep, 1, lambda v: below(rule, deep=v, low=rule.low, high=rule.low + 0.1)),
            ("high", rule.high, 1, top),
        ]
    else:
        made = [
            (name, limit, good, lambda v: with_a_length(rule, v))
            for name, limit, good in (("low", rule.low, 1), ("high", rule.high, -1))
            if 0.0 < limit < float("inf")
        ]
    return made


UNLIKE = ("forward", "side", "clear floor", "alcove ahead", "alcove beside", "force", "corner")
"""Words of rows that ADA 2010 alone has."""

ELSEWHERE = (*UNLIKE, "turning", "ahead", "door", "knees")
"""Words of rows of ADA 2010 whose rooms are in ``test_rule_limits``."""

RAMPS = ("ramp", "ramp width", "landing")
"""Words of rows whose rooms are in ``test_room_ramps``."""

CASES = [
    pytest.param(code, rule, *figure, id=f"{code} {rule.section} {rule.reach} {figure[0]}")
    for code in CODES
    for rule in rules_of(code)
    if rule.reach not in RAMPS and (code != "ada_2010" or rule.reach not in ELSEWHERE)
    for figure in figures(rule)
]


def holds(code: str, rule: ReachRule, there: Room) -> bool:
    """Return whether the rows of a section and kind that a row is of are met in a room."""
    told = findings_of(there, code, [], "door" if rule.reach == "door" else "")
    named = {"door": "door", "turning": "floor"}.get(rule.reach)
    things = {named} if named else {body.id for body in things_of(there, rule)}
    alike = (rule.section, rule.reach, rule.things, rule.origin)
    words = [
        each.what
        for each in rules_of(code)
        if (each.section, each.reach, each.things, each.origin) == alike
    ]
    found = [
        each
        for each in told
        if each.section == rule.section and each.object in things
        if named or any(what in each.words for what in words)
    ]
    assert found
    assert all(each.told for each in found), [str(each) for each in told]
    return all(each.met for each in found)


@pytest.mark.parametrize(("code", "rule", "name", "limit", "good", "made"), CASES)
def test_a_length_is_met_at_its_limit_and_missed_beyond(
    code: str, rule: ReachRule, name: str, limit: float, good: int, made: Callable[[float], Room]
) -> None:
    exact = rule.low == rule.high
    asked = {mm: holds(code, rule, made(limit + 1e-3 * good * mm)) for mm in (1.0, 0.0, -1.0)}
    assert asked == {1.0: not exact, 0.0: True, -1.0: False}


@pytest.mark.parametrize("code", CODES)
def test_only_rows_of_ada_have_rooms_elsewhere(code: str) -> None:
    assert code == "ada_2010" or not {r.reach for r in rules_of(code)} & set(UNLIKE)


def test_texts_name_every_code_that_ships() -> None:
    assert sorted(CODES) == sorted(each.stem for each in (LIBRARY / "rules").iterdir())


def test_what_can_be_moved_is_told_before_a_wall() -> None:
    (rule,) = [each for each in rules_of("france_housing_2015") if each.reach == "beside"]
    thing: Part = ([((0.1, 0.46), (0.0, 0.47), (0.0, 0.6))], {rule.feature: (0.28, 0.4, 0.6)})
    there = boxed_room({**WALLS, "toilet": thing, "basin": box_at((0.7, 1.2), (0.0, 0.5))})
    (found,) = [f for f in findings_of(there, "france_housing_2015", []) if f.object == "toilet"]
    assert found.words.startswith("'basin' is in the way; Art. 13: ")
