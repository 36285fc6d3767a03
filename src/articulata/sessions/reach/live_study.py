"""Reach in the viewer: a study behind the panel that answers again while things are moved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from articulata.analyses.reach.mapping import part_of
from articulata.analyses.reach.objects.pointing import pointed_at
from articulata.analyses.reach.one_person.bare_reach import COARSE
from articulata.analyses.reach.points.labelling import labels_of
from articulata.analyses.reach.points.standing import reached_from, stands_free
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.records.files import write_whole
from articulata.records.labels import ACCESSIBLE, LABELS
from articulata.records.reach import ReachMap
from articulata.report.viewer.mailbox import Mailbox
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.panels.reach import ReachPanel, ReachServices
from articulata.report.viewer.server import Viewer
from articulata.world.document import read
from articulata.world.edits.values import Place
from articulata.world.marking import marked
from articulata.world.model import World
from articulata.world.replacing import replaced
from articulata.world.requests.reach import Aligned, Watched, path_of
from articulata.world.requests.request import Request
from articulata.world.values import Vector3

TITLE = ReachPanel.title


class Reaching:
    """Answers what the panel asks, on a thread of its own; the newest question counts."""

    def __init__(self, study: Study, reached: ReachMap, file: Path | None, viewer: Viewer) -> None:
        self._study, self._reached, self._file, self._viewer = study, reached, file, viewer
        self._world: World = study.world
        self.panel: ReachPanel | None = None
        self._changed: dict[str, Array] = {}
        self._names: dict[tuple[str, str], Vector3] = {}
        self._box: Mailbox[Any] = Mailbox()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reaching", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer no more."""
        self._closing.set()
        self._thread.join(timeout=5)

    @property
    def world(self) -> World:
        """The world as it is now, with what was moved."""
        return self._world

    @property
    def services(self) -> ReachServices:
        """What the panel may ask."""
        return ReachServices(
            lambda who, body, X: self._box.put(f"move {body}", (who, body, X)),
            lambda who, base: self._box.put("stand", (who, base)),
            lambda *asked: self._box.put("name", asked),
            self._save,
        )

    def _run(self) -> None:
        while not self._closing.is_set():
            wishes = self._box.take(0.3)
            moves = [value for name, value in wishes.items() if name.startswith("move ")]
            try:
                if moves:
                    self._move(moves)
                if "stand" in wishes:
                    self._stand(*wishes["stand"])
                if "name" in wishes:
                    self._name(*wishes["name"])
            except ArticulataError as error:
                self._viewer.wish(TITLE, "stands", (None, f"**{error}**"))

    def _move(self, moves: Sequence[tuple[str, str, Array]]) -> None:
        edits = []
        for _, body, X in moves:
            pose = self._world.bodies[body].pose
            x, y, z = (float(each) for each in X[:3, 3])
            edits.append(Place(body, replace(pose, position=(x, y, z))))
            self._changed[body] = X
        self._world = self._world.edit(edits)
        self._study.moved(self._world)
        first = moves[-1][0]
        order = [first, *(name for name in self._study.names if name != first)]
        for name in order:
            if name != first and not self._box.empty:
                return  # it is moved on: what comes next answers for all
            verdicts = self._study.verdicts(self._reached.things, remedies=False, who=[name])
            self._viewer.wish(TITLE, f"verdicts:{name}", verdicts)
        seen = [Watched(each.object, each.within) for each in self._reached.sightings]
        if seen:
            self._viewer.wish(TITLE, "uses:seen", self._study.sightings(list(dict.fromkeys(seen))))
        for name in order if len(self._reached.points) else ():
            if not self._box.empty:
                return
            part = part_of(self._study, name, self._reached.points)
            self._viewer.wish(TITLE, f"part:{name}", part)
        handles = dict.fromkeys(each.object for each in self._reached.operations)
        if handles and self._box.empty:
            self._viewer.wish(TITLE, "uses:operated", self._study.operations(list(handles)))

    def _stand(self, who: str, base: Array) -> None:
        case = self._study.case(who)
        lines = ["**From here**"]
        if not stands_free(case, base):
            lines.append(f"{who}: there is no room to stand, or no way to it from the door.")
        shown = case.body.resting.copy()
        shown[:3] = base
        nothing = True
        for thing in self._reached.things:
            path, asked = path_of(thing), thing if isinstance(thing, Aligned) else None
            found = reached_from(case, base, case.room.point(path), asked)
            if found is not None and nothing:
                shown, nothing = found[0], False
            lines.append(f"- {'?' if found is None else '✓'} {path}")
        self._viewer.wish(TITLE, "stands", (shown, "\n".join(lines)))

    def _name(self, who: str, name: str, ray: Array, unseen: tuple[str, ...]) -> None:
        """Give a name to the place that a ray meets; say who reaches it."""
        met = pointed_at(self._world, ray, unseen)
        if met is None:
            self._viewer.wish(TITLE, "named", (None, None, "There is nothing; click on a thing."))
            return
        body, point = met
        X = self._world.bodies[body].pose.matrix()
        place = X[:3, :3] @ point + X[:3, 3]
        self._names[body, name] = (float(point[0]), float(point[1]), float(point[2]))
        lines, q = [f"**{body}.{name}** is not saved yet"], None
        for each in self._study.names:
            case = self._study.case(each)
            found = labels_of(case, case.room.into(place)[None], None, COARSE)
            lines.append(f"- {each}: {LABELS[int(found.label[0])]}")
            if each == who and found.label[0] == ACCESSIBLE:
                q = case.whole(found, np.zeros(1, np.int64))[0]
        self._viewer.wish(TITLE, "named", (place, q, "\n".join(lines)))

    def _save(self) -> str:
        if self._file is None:
            return "**There is no text to save to.**"
        if not self._changed and not self._names:
            return "Nothing was moved or named."
        named: list[str] = []
        try:
            text = self._file.read_text("utf-8")
            document = read(self._file)
            for body in self._changed:
                text = replaced(document, text, self._study.world.name, body, self._world)
                # spans move with the text: read it again for the next body
                write_whole(self._file, text.encode())
                document = read(self._file)
            while self._names:
                (body, name), point = self._names.popitem()
                named.append(f"{body}.{name}")
                text = marked(document, text, self._study.world.name, body, name, point)
                write_whole(self._file, text.encode())
                document = read(self._file)
        except (ArticulataError, OSError) as error:
            return f"**{error}**"
        names = ", ".join([*self._changed, *named])
        self._changed = {}
        return f"Saved to {self._file.name}: {names}."


def show(
    request: Request,
    reached: ReachMap,
    *,
    file: Path | None = None,
    port: int | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> None:
    """Show an answer in the browser until Ctrl-C."""
    with Viewer(port=port) as viewer:
        reaching = attached(viewer, request, reached, file)
        told(viewer.address)
        try:
            viewer.wait()
        finally:
            reaching.close()


def attached(
    viewer: Viewer, request: Request, reached: ReachMap, file: Path | None = None
) -> Reaching:
    """Put an answer and its panel into a viewer."""
    study, _, _ = study_of(request)
    world = study.world
    motion = motion_of(world)
    viewer.show(motion)
    reaching = Reaching(study, reached, file, viewer)
    movable = [
        body.id
        for body in world.bodies.values()
        if body.shape is not None and body.id != study.room.floor_body
    ]
    walls = study.room.walls()
    reaching.panel = ReachPanel(
        reached,
        {name: body.figure for name, body in study.bodies.items()},
        cast(Array, np.asarray(motion.poses[0])),
        [look.id for look in motion.looks],
        [name for name in movable if name not in walls],
        walls,
        reaching.services,
    )
    viewer.attach(reaching.panel)
    return reaching
