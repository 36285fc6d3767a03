"""A room drawn in the browser: each edit is a change of its text, verdicts follow while dragging.

The text is the model. An edit that cannot be meant leaves it as it is and tells why; one that can
is written to the file at once, whole. What somebody else wrote to the file meanwhile is taken.
"""

from __future__ import annotations

import json
import re
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely

from articulata.analyses.reach.study import Study
from articulata.analyses.reach.ways.device_parts import DevicePart
from articulata.errors import ArticulataError, WorldError
from articulata.geometry.arrays import Array
from articulata.records.files import folder_of, mark, write_whole
from articulata.records.reach_verdicts import Verdict
from articulata.report.reach_document import KINDS
from articulata.report.viewer.conversation import REPORT, Mailbox, PlanServer
from articulata.report.viewer.panels.reach_cloud import Skin, skins_of
from articulata.sessions.command_fields import ReachAsked
from articulata.sessions.reach.answering import reach_file
from articulata.sessions.reach.drawn_room import flat, palette, plan_of
from articulata.sessions.reach.plan_texts import form_of
from articulata.sessions.reach.room_edits import EDITS, DrawnRoom, elsewhere, with_walls
from articulata.world.requests.reach import path_of
from articulata.world.writing.room_texts import (
    items_of,
)

CODES_SAID: Final = {
    "ada_2010": "ADA 2010 (USA)",
    "din_18040_1_2010": "DIN 18040-1, public buildings (Germany)",
    "din_18040_2_2011_r": "DIN 18040-2 R, flats for wheelchairs (Germany)",
    "france_housing_2015": "Arrêté of 2015, housing (France)",
    "france_public_2017": "Arrêté of 2017, open to the public (France)",
    "part_m_2015": "Part M, 2015 (England)",
}
"""Building codes that ship, as the page calls them."""

CONDITIONS_SAID: Final = {
    "rheumatoid_arthritis": "rheumatoid arthritis, its first years",
    "stroke left": "a stroke, the left arm",
    "stroke right": "a stroke, the right arm",
    "arm_amputation left": "no left hand",
    "arm_amputation right": "no right hand",
}
"""Conditions that ship, as the page calls them."""

CORNERS: Final = ".corners.json"
"""The end of the name of the file that keeps corners until the walls are closed."""

REST: Final = 0.5
"""s. Remedies are sought when nothing has changed for so long."""
UNDONE: Final = 200
"""So many changes can be undone."""


def as_drawn(message: str) -> str:
    """Return a message as who draws sees things: without places in the text, lengths in cm.

    >>> as_drawn("room.art:30:11: 'height' of 'person' lies from 0.75 to 2.3 m; give 1.7 m")
    "'height' of 'person' lies from 75 to 230 cm; give 170 cm"
    """
    lines = [re.sub(r"^\S+\.art:\d+:\d+: (error: )?", "", each) for each in message.splitlines()]
    kept = (each for each in lines if not re.match(r"\s*(\d+ \||\||\^)", each))

    def told(found: re.Match[str]) -> str:
        return re.sub(r"-?\d+(\.\d+)?", lambda one: f"{100 * float(one[0]):g}", found[1]) + " cm"

    return re.sub(r"(-?[\d.]+(?: to [\d.]+)?) m\b(?!²)", told, "\n".join(kept))


class Interrupted(Exception):
    """Something else is asked; what is being sought waits."""


class Drawing:
    """Does what a page asks, on a thread of its own, and says to it what the room is then."""

    def __init__(self, file: Path, server: PlanServer) -> None:
        self.file, self._server = file, server
        self._room: DrawnRoom | None = None
        self._undone: list[str] = []
        self._again: list[str] = []
        self._message = ""
        self._done = 0
        self._shown = 0
        self._looked = ""
        self._dragging = False
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        self._left: list[tuple[str, Verdict | None]] = []
        self._rested = 0.0
        self._skins: dict[str, tuple[Skin, Skin]] = {}
        self._plan: dict[str, Any] = {}
        self._report: dict[str, Any] = {"state": ""}
        self._reporting: threading.Thread | None = None
        self._reported_text = ""
        self._took = 0.0
        self._palette = palette()
        self._corners = file.with_suffix(CORNERS)
        if file.exists():
            self._take(DrawnRoom(file.read_text("utf-8"), file))
        self._closing = threading.Event()
        warming()
        self._say()
        self._thread = threading.Thread(target=self._run, name="drawing", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Do no more."""
        self._closing.set()
        self._thread.join(timeout=5)

    # ---- the thread

    @property
    def _box(self) -> Mailbox[Any]:
        return self._server.wishes

    def _run(self) -> None:
        while not self._closing.is_set():
            for name, (number, wish) in self._box.take(self._waiting).items():
                self._guarded(partial(self._grant, name, wish))
                self._done = max(self._done, number)
                self._say()
            if self._left and self._box.empty and not self._waiting:
                self._guarded(self._next)
                self._say()

    def _guarded(self, do: Callable[[], None]) -> None:
        try:
            do()
        except (ArticulataError, OSError) as error:
            self._message = as_drawn(str(error))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            traceback.print_exc()
            self._message = f"this was not understood: {error}"
        except Exception as error:  # a mistake of ours: what is asked next is done anyhow
            traceback.print_exc()
            self._left = []
            self._message = f"this went wrong ({type(error).__name__}: {error}); nothing is lost"

    @property
    def _waiting(self) -> float:
        """How long (s) to wait for a wish before what is left is sought."""
        if not self._left:
            return 0.3
        if warming().is_alive():
            return 0.05
        remedy = self._left[0][1] is not None
        return max(self._rested - time.monotonic(), 0.0) if remedy else 0.0

    def _grant(self, name: str, to: Any) -> None:
        kind = name.partition(":")[0]
        if kind in ("drag", "look", "show", "draft"):
            moved = {
                "drag": self._drag,
                "look": self._look,
                "show": self._show,
                "draft": self._keep,
            }
            moved[kind](to)
            return
        self._message, self._dragging = "", False
        self._fresh()
        if kind == "undo" or kind == "redo":
            self._back(self._undone, self._again, kind)
        elif kind == "report":
            self._make_report()
        else:
            if kind == "walls":
                text = with_walls(self.file, self._room, to)
            else:
                text = EDITS[kind](self._known(), to)
            self._change(text)

    def _fresh(self) -> None:
        """Take what the file holds where somebody else has written to it."""
        if self._room is None or not self.file.exists():
            return
        text = self.file.read_text("utf-8")
        if text != self._room.text:
            self._undone.append(self._room.text)
            self._take(DrawnRoom(text, self.file, self._room))

    def _change(self, text: str) -> None:
        """Take another text, and write it to the file; nothing where it is wrong."""
        before = self._room
        if before is not None and text == before.text:
            before.study.moved(before.world)
            self._seek()
            return
        try:
            room = DrawnRoom(text, self.file, before)
        except ArticulataError:
            if before is not None:
                before.study.moved(before.world)
            raise
        write_whole(self.file, text.encode())
        self._corners.unlink(missing_ok=True)
        self._undone = [*self._undone[-UNDONE:], "" if before is None else before.text]
        self._again = []
        self._take(room)

    def _back(self, stack: list[str], other: list[str], kind: str) -> None:
        if kind == "redo":
            stack, other = other, stack
        if not stack:
            return
        text, now = stack.pop(), "" if self._room is None else self._room.text
        other.append(now)
        if text:
            write_whole(self.file, text.encode())
            self._take(DrawnRoom(text, self.file, self._room))
        else:  # before its first walls there was no room
            self.file.unlink(missing_ok=True)
            self._room, self._plan, self._left = None, {}, []
            self._skins, self._verdicts = {}, {}

    def _take(self, room: DrawnRoom) -> None:
        if self._room is None or room.study is not self._room.study:
            self._skins, self._verdicts = {}, {}
        self._room = room
        self._shown = min(self._shown, len(room.study.names) - 1)
        self._plan = plan_of(room.document, room.world, room.study, room.question)
        self._seek()

    def _seek(self) -> None:
        """Ask for all verdicts anew, those of who is shown first."""
        assert self._room is not None
        names = self._room.study.names
        first = names[self._shown]
        self._left = [(name, None) for name in (first, *(n for n in names if n != first))]
        self._rested = time.monotonic() + REST

    def _next(self) -> None:
        """Find the next of what is left to be found."""
        room = self._room
        if room is None or not self._left:
            return
        who, verdict = self._left.pop(0)
        begun = time.monotonic()
        if verdict is None:
            paths = not self._dragging
            found = room.study.verdicts(room.objects, remedies=False, who=[who], paths=paths)
            asked = {path_of(each) for each in room.objects}
            self._verdicts = {k: v for k, v in self._verdicts.items() if k[1] in asked}
            self._verdicts |= {(who, each.object): each for each in found}
            self._left += [(who, each) for each in found if not each.accessible]
            self._left.sort(key=lambda each: each[1] is not None)
            self._took = time.monotonic() - begun
            return
        try:
            self._verdicts[who, verdict.object] = room.study.mended(verdict, self._heed)
        except Interrupted:
            self._left.insert(0, (who, verdict))

    def _heed(self) -> None:
        if not self._box.empty or self._closing.is_set():
            raise Interrupted

    # ---- what is looked at

    def _show(self, number: Any) -> None:
        if self._room is not None:
            self._shown = max(0, min(int(number), len(self._room.study.names) - 1))

    def _look(self, path: Any) -> None:
        self._looked = str(path)

    def _keep(self, corners: Any) -> None:
        """Keep the corners of walls that are not closed yet beside the text; none: no more."""
        if corners and self._room is None:
            write_whole(self._corners, json.dumps(corners).encode())
        else:
            self._corners.unlink(missing_ok=True)

    def _draft(self) -> list[Any]:
        """Return the corners that are kept, none where there is a room or they cannot be read."""
        if self._room is not None:
            return []
        try:
            kept = np.array(json.loads(self._corners.read_bytes()), float)
        except (OSError, ValueError, TypeError):
            return []
        good = kept.ndim == 2 and kept.shape[1] == 2 and np.isfinite(kept).all()
        return kept.tolist() if good else []

    def _drag(self, to: Any) -> None:
        """Put a thing elsewhere for the time being; the text follows when it is let go."""
        room = self._room
        if room is not None:
            room.study.moved(elsewhere(room, to)[0])
            self._dragging = True
            self._seek()
            if not warming().is_alive():
                self._next()

    def _known(self) -> DrawnRoom:
        if self._room is None:
            raise WorldError("draw walls first; then furniture has a room to stand in")
        return self._room

    # ---- the report

    def _make_report(self) -> None:
        room = self._known()
        if self._reporting is None or not self._reporting.is_alive():
            self._report = {"state": "working", "share": 0.0}
            self._reported_text = room.text
            self._reporting = threading.Thread(target=self._reported, daemon=True)
            self._reporting.start()

    def working(self, done: int, total: int) -> None:
        """Hear how far a report is."""
        self._report = {"state": "working", "share": done / max(total, 1)}
        self._say()

    def _reported(self) -> None:
        try:
            out = folder_of(self.file, self.file.parent / "out")
            mark(out, self.file)
            asked = ReachAsked(self.file, out=out)
            done = reach_file(asked, self)
            page = next((each for each in done.files if each.name == "reach.html"), None)
            if page is None:
                raise WorldError("this text asks for no document; write report: document")
            self._server.pages[REPORT] = page.read_bytes()
            self._report = {"state": "ready", "file": str(page)}
        except Exception as error:
            if not isinstance(error, ArticulataError | OSError):
                traceback.print_exc()
            self._report = {"state": "failed", "why": str(error)}
        self._say()

    # ---- what the page is told

    def _say(self) -> None:
        room = self._room
        state: dict[str, Any] = {
            "file": self.file.name, "done": self._done, "message": self._message,
            "palette": self._palette, "undo": len(self._undone), "redo": len(self._again),
            "report": self._report, "took": round(self._took, 3), "plan": self._plan,
            "people": [], "verdicts": [], "shown": self._shown, "looked": self._looked,
            "seeking": bool(self._left), "stale": False, "codes": CODES_SAID, "rules": [],
            "hands": "both", "conditions": CONDITIONS_SAID, "condition": "", "draft": self._draft(),
        }  # fmt: skip
        if room is not None:
            texts = items_of(room.document, room.item, "person")
            names = room.study.names
            state["stale"] = (names[self._shown], None) in self._left
            forms = [form_of(each) for each in room.question.people]
            state["people"] = [
                {"text": text, "form": form, "name": names[min(k, len(names) - 1)]}
                for k, (text, form) in enumerate(zip(texts, forms, strict=True))
            ]
            state["verdicts"] = [
                {
                    "who": names.index(who), "object": each.object, "words": each.words,
                    "kind": KINDS.get(each.label, "unfound"),
                    "remedy": "" if each.remedy is None else str(each.remedy),
                }
                for (who, _), each in self._verdicts.items() if who in names
            ]  # fmt: skip
            state["rules"] = list(room.question.rules)
            used = set(room.question.hands)
            state["hands"] = "both" if len(used) > 1 else used.pop()
            state["condition"] = ", ".join(items_of(room.document, room.item, "condition"))
            state["report"] = self._report | {"old": room.text != self._reported_text}
            state["person"] = self._silhouette(room, names[self._shown])
        self._server.say(state)

    def _silhouette(self, room: DrawnRoom, who: str) -> dict[str, Any] | None:
        """Return who is shown, and the device, seen from above, reaching what is looked at."""
        mine = [v for (name, _), v in self._verdicts.items() if name == who and v.q is not None]
        chosen = next((each for each in mine if each.object == self._looked), None)
        if chosen is None and not any(v.object == self._looked for v in self._verdicts.values()):
            chosen = next(iter(mine), None)
        if chosen is None or chosen.q is None:
            return None
        own = room.study.bodies[who]
        figure = own.figure
        if who not in self._skins:
            self._skins[who] = skins_of(figure)
        poses = figure.poses(chosen.q)
        body, device = (_seen(skin, poses) for skin in self._skins[who])
        if own.footprint.seat is not None:  # the hand strikes wheels alone, a chair takes more room
            device = covered(own.footprint.parts(own.hips), chosen.q[:3])
        skull = [n for n, j in enumerate(figure.joints) if figure.links[j.name].name == "skull"]
        head = _seen(self._skins[who][0], poses, skull)
        return {
            "object": chosen.object,
            "head": [_ring(room.study, each) for each in head],
            "body": [_ring(room.study, each) for each in body],
            "device": [_ring(room.study, each) for each in device],
        }


@cache
def warming() -> threading.Thread:
    """Return the thread that asks a room of its own, so that kernels are compiled meanwhile."""

    def ask() -> None:
        file = Path("room.art")
        text = with_walls(file, None, {"corners": [[0, 0], [3, 0], [3, 3], [0, 3]]})
        users = [{"sex": "woman", "height": 1.6, "way": way} for way in ("foot", "wheelchair")]
        for kind, to in (
            ("put", {"kind": "shelf", "x": 1.5, "z": 0, "turn": 0}),
            ("people", users),
        ):
            text = EDITS[kind](DrawnRoom(text, file), to)
        room = DrawnRoom(text, file)
        room.study.verdicts(room.objects, remedies=False)

    made = threading.Thread(target=ask, name="warming", daemon=True)
    made.start()
    return made


def _seen(skin: Skin, poses: Array, links: list[int] | None = None) -> list[Any]:
    """Return the outlines of a skin from above, in the ground's plane; of some links alone."""
    points = skin.at(poses, np.eye(4))[:, :2]
    shown = np.unique(skin.link) if links is None else links
    hulls = [shapely.multipoints(points[skin.link == link]).convex_hull for link in shown]
    whole = shapely.union_all([each for each in hulls if each.geom_type == "Polygon"])
    return [each for each in shapely.get_parts(whole) if each.geom_type == "Polygon"]


def covered(parts: Iterable[DevicePart], base: Array) -> list[Any]:
    """Return the outlines of what a device at ``base`` (x, y, turn) covers of the floor."""
    c, s = np.cos(base[2]), np.sin(base[2])
    turned = np.array([[c, s], [-s, c]])
    whole = shapely.union_all([shapely.Polygon(p.corners @ turned + base[:2]) for p in parts])
    return list(shapely.get_parts(whole))


def _ring(study: Study, shape: Any) -> list[Any]:
    return flat(study, shape.simplify(0.004))


def draw_file(file: Path, port: int | None, told: Callable[[str], None]) -> None:
    """Let the room of a file be drawn in the browser until Ctrl-C; ``told`` hears the address."""
    if not file.suffix:
        file = file.with_suffix(".art")
    if file.suffix != ".art":
        raise WorldError(f"{file} is no text of a room; name one that ends in .art, as room.art")
    if not file.resolve().parent.is_dir():
        raise WorldError(f"there is no folder {file.resolve().parent}; make it first")
    with PlanServer(port=port) as server:
        drawing = Drawing(file, server)
        told(server.address)
        try:
            server.wait()
        finally:
            drawing.close()
