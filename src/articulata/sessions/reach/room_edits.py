"""Edits of a room that is drawn: each makes another text of what a page asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study
from articulata.analyses.reach.surroundings.furniture import together
from articulata.errors import WorldError
from articulata.sessions.reach.drawn_room import NEW, free_name
from articulata.sessions.reach.drawn_walls import (
    BUILT,
    FLOOR,
    DrawnWalls,
    Opening,
    built_of,
    checked_corners,
    drawn_walls,
    floor_text,
    opening_of,
    walls,
)
from articulata.sessions.reach.plan_texts import (
    at,
    entry_of,
    mount_of,
    person_text,
    placed,
    resized,
)
from articulata.world.document import Document, parse
from articulata.world.edits.value_edits import Place
from articulata.world.language.syntax import tree as t
from articulata.world.model import World
from articulata.world.requests.reach import CODES, ReachQuestion, Thing, path_of
from articulata.world.requests.request import Request
from articulata.world.single_frames import compose
from articulata.world.values import Pose
from articulata.world.writing.rewritten_texts import with_place
from articulata.world.writing.room_texts import (
    Written,
    items_of,
    with_clause,
    with_components,
    with_primitive,
)

UNTOUCHED: Final = ("ramp", "stairs", "shower_tray", "mirror")
"""Furniture that is gone over or looked into, and not reached for."""


class DrawnRoom:
    """A text that asks what people reach in a room, read: world, question, and a study of it."""

    def __init__(self, text: str, file: Path, before: DrawnRoom | None = None) -> None:
        self.text, self.file = text, file
        self.groups: dict[str, tuple[str, ...]] = {}
        self.document = _parsed(file, text)
        self.request, self.item = _asked(self.document)
        question = self.request.question
        assert isinstance(question, ReachQuestion)
        self.question = question
        self.who = replace(
            question, objects=(), points=(), approach=None, rules=(), reports=(), operate=(),
            watch=(), forces=(), surfaces=(),
        )  # fmt: skip
        # the study's own world tells no more by which feature the text places a thing
        self.world = self.document.world(self.request.world)
        self.study: Study
        if before is not None and before.who == self.who:
            # the same people: what was found of them stays
            self.study = before.study
            self.study.door = question.approach or ("door" if "door" in self.world.bodies else "")
            self.study.moved(self.world)
            self.objects: tuple[Thing, ...] = question.objects
        else:
            self.study, self.objects, _ = study_of(self.request)
        if abs(self.study.room.X_WG[1, 2]) < 1.0 - 1e-9:
            raise WorldError("a plan shows rooms whose gravity goes along y; this one's does not")
        self.study.rules = question.rules
        for each in self.objects:
            self.study.room.point(path_of(each))


def _asked(document: Document) -> tuple[Request, t.Request]:
    """Return the first request to reach of a text, and its node."""
    for request, item in zip(document.requests, document.module.requests, strict=True):
        if request.kind == "reach":
            return request, item
    raise WorldError("this text asks nobody to reach anything; write reach NAME { ... }")


def _parsed(file: Path, text: str) -> Document:
    return parse(text, file.name, folder=file.parent)


def elsewhere(room: DrawnRoom, to: Mapping[str, Any]) -> tuple[World, tuple[str, ...]]:
    """Return the world with a thing, and what stands on it, at another place of the plan."""
    name = str(to["name"])
    if name not in room.world.bodies:
        raise WorldError(f"there is no '{name}' any more")
    if name not in room.groups:
        room.study.moved(room.world)  # nothing is dragged there
        room.groups[name] = together(room.study.room, name)
    group = room.groups[name]
    body = room.world.bodies[name]
    x, y, z, turn = placed(body, mount_of(room.world, body))
    new = _finite(to, "x", "z", "turn")
    by = compose(
        compose(_pose(new[0], y, new[1], new[2]), _pose(0.0, 0.0, 0.0, -turn)),
        Pose((-x, -y, -z)),
    )
    edits = [Place(each, compose(by, room.world.bodies[each].pose)) for each in group]
    return room.world.edit(edits), group


def with_walls(file: Path, room: DrawnRoom | None, to: Any) -> str:
    """Return the text of a room with other walls and openings, of a new one where there is none."""
    corners = checked_corners([(float(x), float(z)) for x, z in to["corners"]])
    openings = _openings(room, to.get("openings", ()))
    drawn, entry = DrawnWalls(), ""
    if room is None:
        name = file.stem if file.stem.isidentifier() else "room"
        text = NEW.format(file=file.name, name=name)
        text = text.replace(f"primitive {FLOOR} {{ }}", floor_text(corners))
        document, world, before = _parsed(file, text), name, []
    else:
        drawn = drawn_walls(room.document, room.world)
        if not drawn.corners:
            raise WorldError("the walls of this text were not drawn here; change them in the text")
        text = with_primitive(room.document, FLOOR, floor_text(corners))
        document, world = _parsed(file, text), room.world.name
        before, entry = built_of(room.document, room.world), room.study.door
    said = walls(corners, openings, before, drawn.high)
    document = _parsed(file, with_components(document, world, said))
    now = {each.name: each.handle for each in openings}
    for each in drawn.openings:
        if each.handle and now.get(each.name) != each.handle:
            change = _renamed(each.handle, now.get(each.name, ""))
            document = _parsed(file, _with_objects(document, change))
    for name in before:
        if said[name] is None:
            document = _parsed(file, _with_objects(document, _without(name)))
    item = next(each for each in document.module.requests if each.kind == "reach")
    doors = [each.name for each in openings if each.kind == "door"]
    if entry.partition(".")[0] in doors:
        return document.tree.source.text
    return with_clause(document, item, "approach", [f"from {each}" for each in doors[:1]])


def _openings(room: DrawnRoom | None, to: Any) -> list[Opening]:
    """Return the openings that a page speaks of; those without a name get one."""
    found: list[Opening] = []
    for each in to:
        name = str(each.get("name") or "")
        if not name:
            taken = [one.name for one in found] + [str(one.get("name") or "") for one in to]
            name = free_name(None if room is None else room.world, str(each["kind"]), taken)
        elif not name.isidentifier():
            raise WorldError(f"'{name}' is no name")
        found.append(opening_of(each, name))
    return found


def _enter(room: DrawnRoom, to: Any) -> str:
    return with_clause(room.document, room.item, "approach", [f"from {to}"])


def _put(room: DrawnRoom, to: Any) -> str:
    kind = str(to["kind"])
    if kind in BUILT or room.document.module.own_definition(kind) is None:
        raise WorldError(
            f"there is no '{kind}' in this text; write into it: import \"furniture.art\""
        )
    name = free_name(room.world, kind)
    x, z, turn = _finite(to, "x", "z", "turn")
    place = f"place {name} by {name}.foot {at(x, z, turn)}"
    text = with_components(room.document, room.world.name, {name: Written(kind, place)})
    document = _parsed(room.file, text)
    features = document.world(room.world.name).bodies[name].features
    path = next((f"{name}.{each}" for each in features if each not in ("foot", "drain")), "")
    if kind in UNTOUCHED or not path:
        return text
    return _with_objects(document, lambda items: [*items, path])


def _move(room: DrawnRoom, to: Any) -> str:
    world, group = elsewhere(room, to)
    document = room.document
    for name in group:
        body = world.bodies[name]
        mount = mount_of(room.world, body)  # as the text has it
        x, y, z, _ = placed(body, mount)
        text = with_place(
            document, world.name, name, f"{name}.{mount}", (x, y, z),
            body.pose.orientation,
        )  # fmt: skip
        document = _parsed(room.file, text)
    return document.tree.source.text


def _size(room: DrawnRoom, to: Any) -> str:
    name = str(to["name"])
    made = resized(room.document, room.world.name, name, {str(to["size"]): float(to["value"])})
    return with_components(room.document, room.world.name, {name: Written(made)})


def _remove(room: DrawnRoom, to: Any) -> str:
    name = str(to)
    if entry_of(room.document, room.world.name, name) is None:
        raise WorldError(f"'{name}' is one of several; take it away in the text")
    document = _parsed(room.file, _with_objects(room.document, _without(name)))
    return with_components(document, room.world.name, {name: None})


def _tick(room: DrawnRoom, to: Any) -> str:
    path = str(to["path"])
    kept = _without(path)

    def ticked(items: list[str]) -> list[str]:
        return [*kept(items), path] if to["on"] else kept(items)

    return _with_objects(room.document, ticked)


def _people(room: DrawnRoom, to: Any) -> str:
    said = [each["text"] if each.get("text") else person_text(each) for each in to]
    if not said:
        raise WorldError("nobody is left; a room is for one person at least")
    return with_clause(room.document, room.item, "person", list(dict.fromkeys(said)))


def _code(room: DrawnRoom, to: Any) -> str:
    name = str(to["name"])
    if name not in CODES:
        raise WorldError(f"there is no building code '{name}'")
    items = [each for each in items_of(room.document, room.item, "rules") if each != name]
    return with_clause(room.document, room.item, "rules", [*items, *[name] * bool(to["on"])])


def _hands(room: DrawnRoom, to: Any) -> str:
    # with both, which is usual, the text says nothing
    return with_clause(room.document, room.item, "hands", [] if to == "both" else [str(to)])


def _condition(room: DrawnRoom, to: Any) -> str:
    return with_clause(room.document, room.item, "condition", [str(to)] if to else [])


def _with_objects(document: Document, change: Callable[[list[str]], list[str]]) -> str:
    item = next(each for each in document.module.requests if each.kind == "reach")
    items = [each for each in change(items_of(document, item, "objects")) if each]
    return with_clause(document, item, "objects", items)


EDITS: Final[Mapping[str, Callable[[DrawnRoom, Any], str]]] = {
    "put": _put, "move": _move, "size": _size, "remove": _remove, "tick": _tick,
    "people": _people, "enter": _enter, "code": _code, "hands": _hands, "condition": _condition,
}  # fmt: skip
"""What a page may ask of a room that has walls: each returns another text."""


def _pose(x: float, y: float, z: float, turn: float) -> Pose:
    half = 0.5 * np.radians(turn)
    return Pose((x, y, z), (float(np.cos(half)), 0.0, float(np.sin(half)), 0.0))


def _finite(to: Mapping[str, Any], *names: str) -> list[float]:
    found = [float(to[each]) for each in names]
    if not all(abs(each) < 1e4 for each in found):
        raise WorldError("this place is too far away")
    return found


def _renamed(path: str, to: str) -> Callable[[list[str]], list[str]]:
    """Return what asks for another object in place of one; for none where it is ""."""

    def changed(items: list[str]) -> list[str]:
        words = [each.split(maxsplit=1) for each in items]
        return [
            " ".join([to, *each[1:]] if to else []) if each[0] == path else " ".join(each)
            for each in words
        ]

    return changed


def _without(name: str) -> Callable[[list[str]], list[str]]:
    """Return what leaves out objects of a thing, or one point of it."""

    def kept(items: list[str]) -> list[str]:
        paths = [each.split(maxsplit=1)[0] for each in items]
        return [
            item
            for item, path in zip(items, paths, strict=True)
            if path != name and not path.startswith(f"{name}.")
        ]

    return kept
