"""A figure that is part of another: what is left of it without some of its chains.

With the joints of a table goes whatever names them: tables and routes that stand on them,
landmarks, sensors, limits, postures, and motions that move them or put them somewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from articulata.world.language.syntax.definitions import Entry, Excerpt, Figure, Motion, Table
from articulata.world.language.syntax.expressions import Expression, Path, Placed, Text


def part_of(whole: Figure, part: Excerpt) -> Figure:
    """Return the figure that ``part`` leaves of ``whole``; it keeps the parameters of the whole."""
    gone = {each.text for each in part.without}
    lost: set[str] = set()
    chains = []
    for chain in whole.chains:
        course = chain.course
        if isinstance(course, Table):
            stands = course.base is not None and course.base.text in lost
            if stands or chain.name in gone:
                lost |= {row.name for row in course.rows}
                continue
        elif {course.start.text, course.end.text} & lost or chain.name in gone:
            continue
        chains.append(chain)

    def kept(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return tuple(each for each in entries if each.path.text not in lost)

    def placed(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return tuple(each for each in entries if _owner(each.value) not in lost)

    postures = tuple(each for each in whole.postures if kept(each.entries) == each.entries)
    cut = {each.name for each in whole.postures} - {each.name for each in postures}
    landmarks, sensors = placed(whole.landmarks), placed(whole.sensors)
    marks = {each.path.text for each in (*whole.landmarks, *whole.sensors)}
    marks -= {each.path.text for each in (*landmarks, *sensors)}
    return replace(
        whole,
        name=part.name,
        chains=tuple(chains),
        postures=postures,
        limits=kept(whole.limits),
        sensors=sensors,
        landmarks=landmarks,
        limit_sets=tuple(replace(each, entries=kept(each.entries)) for each in whole.limit_sets),
        motions=tuple(each for each in whole.motions if not _named(each) & (lost | marks | cut)),
        span=part.span,
        name_span=part.name_span,
        excerpt=part,
    )


def _owner(value: Expression) -> str:
    inner = value.value if isinstance(value, Placed) else value
    if isinstance(inner, Path):
        return inner.text
    return str(inner.value) if isinstance(inner, Text) else ""


def _named(motion: Motion) -> set[str]:
    """Return the joints, postures and places that a motion speaks of."""
    return set(_names(motion))


def _names(motion: Motion) -> Iterable[str]:
    for key in motion.keys:
        yield from (each.path.text for each in key.joints)
        if key.posture is not None:
            yield key.posture
        if key.place is not None:
            yield key.place.path.text
