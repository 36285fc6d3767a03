"""Rooms: what is reached, from where not and why, point by point."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np

import articulata as art
from articulata.world.world_files import LIBRARY

from .store import Answer, Question

ROOMS = ("bathroom", "kitchen", "lift", "office")
POINTS = 80
"""Points of each room."""


@cache
def _reached(room: str) -> art.ReachMap:
    path = LIBRARY / "rooms" / f"{room}.art"
    coarser = path.read_text("utf-8").replace("grid 5 cm", "grid 15 cm")
    document = art.parse(coarser, str(path))
    request = next(each for each in document.requests if each.kind == "reach")
    return art.reach(request, remedies=True)


def questions() -> Iterator[Question]:
    """Yield the questions of this room."""
    for room in ROOMS:
        yield f"{room}: verdicts", partial(_verdicts, room)
        for number in range(POINTS):
            yield f"{room}: point {number}", partial(_point, room, number)


def _verdicts(room: str) -> Answer:
    return Answer(
        [
            [
                each.object, each.mobility, each.accessible,
                None if each.remedy is None else [each.remedy.kind, each.remedy.what],
            ]
            for each in _reached(room).verdicts
        ]
    )  # fmt: skip


def _point(room: str, number: int) -> Answer:
    found = _reached(room)
    rng = np.random.default_rng([number, *room.encode()])
    k = int(rng.integers(len(found.points)))
    labels = [
        [name, int(part.label[k]), int(part.reason[k])]
        for name, part in sorted(found.parts.items())
    ]
    return Answer(labels, {"point": [float(x) for x in found.points[k]]})
