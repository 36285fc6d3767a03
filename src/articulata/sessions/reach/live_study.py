"""Reach in the viewer: a study behind the panel that answers again while things are moved."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, cast

import numpy as np

from articulata.analyses.reach.mapping import part_of
from articulata.analyses.reach.points.labelling import labels_of
from articulata.analyses.reach.points.surface_shares import reached_from, stands_free
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study
from articulata.analyses.reach.surroundings.furniture import together
from articulata.analyses.reach.surroundings.pointing import pointed_at
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.records.files import write_whole
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE, SAID
from articulata.records.reach_verdicts import Verdict
from articulata.report.viewer.conversation import Mailbox
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.panels.reach_moving import ReachServices
from articulata.report.viewer.panels.reach_panel import ReachPanel
from articulata.report.viewer.panels.reach_words import (
    OPERATED,
    REMEDIES,
    SEEN,
    SURFACES,
    cloud_of,
    verdicts_of,
)
from articulata.report.viewer.server import Viewer
from articulata.sessions.command_fields import Asked
from articulata.sessions.reach.answering import Answered
from articulata.world.document import Document, read
from articulata.world.edits.value_edits import Place
from articulata.world.model import World
from articulata.world.requests.reach import Aligned, Watched, path_of
from articulata.world.requests.request import Request
from articulata.world.text_changes import marked, replaced
from articulata.world.values import Vector3
from articulata.world.world_files import shipped

TITLE = ReachPanel.title
SAME = 1e-6
"""m. Nearer to each other two places are the same."""

REST = 0.5
"""s. Remedies are sought when nothing was moved for so long."""

REMEDY = "remedy:"
SLOW = ("part:", "uses:operated")
"""Answers that come after remedies."""


class Interrupted(Exception):
    """Something else is asked; what is being sought waits."""


class Reaching:
    """Answers what the panel asks, on a thread of its own; the newest question counts.

    What is saved goes into ``file``, or where ``copies`` is a folder into a new copy in it.
    """

    def __init__(
        self,
        study: Study,
        reached: ReachMap,
        file: Path | None,
        viewer: Viewer,
        copies: Path | None = None,
    ) -> None:
        self._study, self._reached, self._file, self._viewer = study, reached, file, viewer
        self._copies, self._called = copies, "" if file is None else file.name
        self._world: World = study.world
        self.panel: ReachPanel | None = None
        self._places = {
            name: np.array(body.pose.position) for name, body in self._world.bodies.items()
        }
        self._changed: set[str] = set()
        self._left: list[tuple[str, str, Callable[[], Any]]] = []
        self._asked = self._taken = 0
        self._rested = 0.0
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
        """The world as it is now, with what was moved, though nothing was found for it yet."""
        return self._placed()

    @property
    def services(self) -> ReachServices:
        """What the panel may ask."""
        return ReachServices(
            self._moved,
            lambda body: together(self._study.room, body),
            lambda who, base: self._box.put("stand", (who, base)),
            lambda *asked: self._box.put("name", asked),
            self._save,
        )

    def _run(self) -> None:
        while not self._closing.is_set():
            wishes = self._box.take(self._waiting)
            try:
                if "move" in wishes:
                    self._move(wishes["move"])
                if "stand" in wishes:
                    self._stand(*wishes["stand"])
                if "name" in wishes:
                    self._name(*wishes["name"])
                if self._left and self._box.empty and not self._waiting:
                    self._next()
            except ArticulataError as error:
                self._viewer.wish(TITLE, "stands", (None, f"**{error}**"))
            except Exception as error:  # a mistake of ours: the next question is answered anyhow
                traceback.print_exc()
                told = f"**This went wrong: {type(error).__name__}: {error}.** Move it again."
                self._viewer.wish(TITLE, "stands", (None, told))

    @property
    def _waiting(self) -> float:
        """How long (s) to wait for a question before what is left is sought."""
        if not self._left:
            return 0.3
        at_rest = self._left[0][0].startswith(REMEDY)
        return max(self._rested - time.monotonic(), 0.0) if at_rest else 0.0

    def _moved(self, who: str, bodies: tuple[str, ...], p_WB: Array) -> int:
        by = p_WB - self._places[bodies[0]]
        self._places |= {body: self._places[body] + by for body in bodies}
        self._changed.update(bodies)
        self._asked += 1
        self._rested = time.monotonic() + REST
        self._box.put("move", who)
        return self._asked

    def _placed(self) -> World:
        """Return the world with everything where it was moved to last."""
        edits = []
        for body in sorted(self._changed):
            x, y, z = self._places[body].tolist()
            edits.append(Place(body, replace(self._world.bodies[body].pose, position=(x, y, z))))
        return self._world.edit(edits)

    def _move(self, first: str) -> None:
        """Take up what was moved: what ``first`` reaches at once, the rest when there is time."""
        self._taken = self._asked
        self._world = self._placed()
        self._study.moved(self._world)
        self._left = list(self._work(first))
        self._next()

    def _work(self, first: str) -> Iterator[tuple[str, str, Callable[[], Any]]]:
        """Give what is to be found again: the wish it becomes, the name of the answer, and how."""
        study, reached = self._study, self._reached
        order = [first, *(name for name in study.names if name != first)]
        for name in order:
            find = partial(study.verdicts, reached.things, remedies=False, who=[name])
            yield f"verdicts:{name}", verdicts_of(name), find
        seen = dict.fromkeys(Watched(each.object, each.within) for each in reached.sightings)
        if seen:
            yield "uses:seen", SEEN, partial(study.sightings, list(seen))
        surfaces = dict.fromkeys(each.object for each in reached.surfaces)
        if surfaces:
            yield "uses:surfaces", SURFACES, partial(study.surfaces, list(surfaces))
        for name in order if len(reached.points) else ():
            yield (
                f"part:{name}",
                cloud_of(name),
                partial(part_of, study, name, reached.points, reached.step),
            )
        handles = dict.fromkeys(each.object for each in reached.operations)
        if handles:
            yield "uses:operated", OPERATED, partial(study.operations, list(handles))

    def _next(self) -> None:
        """Find the next of what is left to be found."""
        sought = wish, _, find = self._left.pop(0)
        try:
            found = find()
            self._viewer.wish(TITLE, wish, found)
            if wish.startswith("verdicts:"):
                self._left += self._remedies(found)
                self._left.sort(key=lambda each: each[0].startswith(SLOW))
        except Interrupted:
            self._left.insert(0, sought)
        finally:
            if self._taken == self._asked:  # else what is moved meanwhile asks for all anew
                self._viewer.wish(TITLE, "coming", frozenset(name for _, name, _ in self._left))

    def _remedies(
        self, verdicts: tuple[Verdict, ...]
    ) -> Iterator[tuple[str, str, Callable[[], Any]]]:
        """Give what would mend verdicts, as what is to be found."""
        for each in verdicts:
            if not each.accessible:
                wish = f"{REMEDY}{each.mobility}:{each.object}"
                yield wish, REMEDIES, partial(self._remedy, each)

    def _remedy(self, verdict: Verdict) -> tuple[int, Verdict]:
        return self._taken, self._study.mended(verdict, self._heed)

    def _heed(self) -> None:
        """Let go of what is being sought where something else is asked."""
        if not self._box.empty or self._closing.is_set():
            raise Interrupted

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
            found = labels_of(case, case.room.into(place)[None])
            lines.append(f"- {each}: {SAID[int(found.label[0])]}")
            if each == who and found.label[0] == ACCESSIBLE:
                q = case.whole(found, np.zeros(1, np.int64))[0]
        self._viewer.wish(TITLE, "named", (place, q, "\n".join(lines)))

    def _save(self) -> str:
        if self._file is None:
            return "**There is no text to save to.**"
        named: list[str] = []
        try:
            text = self._file.read_text("utf-8")
            document = read(self._file)
            world = self._placed()
            changed = self._elsewhere(document, world)
            if not changed and not self._names:
                return "Nothing was moved or named."
            if self._copies is not None:
                self._file, self._copies = _copied(self._file, self._copies), None
                self._called, document = str(self._file), read(self._file)
            for body in changed:
                text = replaced(document, text, self._study.world.name, body, world)
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
        names = ", ".join([*changed, *named])
        return f"Saved to {self._called}: {names}."

    def _elsewhere(self, document: Document, world: World) -> list[str]:
        """Return what was moved and is not where a text places it: some is moved back."""
        placed = document.world(world.name).bodies
        return [
            body
            for body in sorted(self._changed)
            if not np.allclose(
                placed[body].pose.position, world.bodies[body].pose.position, atol=SAME
            )
        ]


def _copied(file: Path, folder: Path) -> Path:
    """Copy a file into a folder, beside what is there already; return the copy."""
    names = (f"{file.stem}{end}{file.suffix}" for end in chain([""], (f"_{n}" for n in count(2))))
    copy = next(folder / name for name in names if not (folder / name).exists())
    write_whole(copy, file.read_bytes())
    return copy


def show(done: Answered, asked: Asked, *, told: Callable[[str], None]) -> None:
    """Show an answer in the browser until Ctrl-C; ``told`` hears its address.

    What is saved goes into the file, of a room that ships into a new copy in the result folder.
    """
    file = shipped(asked.file)
    copies = None if file == asked.file else done.folder
    with Viewer(port=asked.port) as viewer:
        reaching = attached(viewer, done.request, done.reached, file, copies)
        told(viewer.address)
        try:
            viewer.wait()
        finally:
            reaching.close()


def attached(
    viewer: Viewer,
    request: Request,
    reached: ReachMap,
    file: Path | None = None,
    copies: Path | None = None,
) -> Reaching:
    """Put an answer and its panel into a viewer."""
    study, _, _ = study_of(request)
    world = study.world
    # bodies are moved in this panel, whose verdicts follow: none beside it moves them too
    motion = replace(motion_of(world), world=None)
    viewer.show(motion)
    reaching = Reaching(study, reached, file, viewer, copies)
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
