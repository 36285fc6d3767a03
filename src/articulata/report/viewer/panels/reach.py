"""The panel of reach: who reaches what, the cloud of points, one point looked at, things moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.figure import Figure
from articulata.records.labels import ACCESSIBLE, LABELS, NOT_FOUND, PROVED
from articulata.records.reach import ReachMap, ReachPart
from articulata.records.reach_shares import ShareMap
from articulata.records.reach_verdicts import Verdict
from articulata.records.uses import Operation, Sighting
from articulata.report.reach.layout import COLORS, share_colors
from articulata.report.reach.reach_document import WHY
from articulata.report.viewer.handles import Handles
from articulata.report.viewer.layers import Points, Surface
from articulata.report.viewer.panels.desk import Desk
from articulata.report.viewer.panels.skins import Skin, skins_of

NOTHING, REACHED, MISSED, ALL = "nothing", "what is reached", "what is not", "all points"
CLOUD, CHOSEN, PERSON, DEVICE = "reach cloud", "reach point", "reach person", "reach device"
SKIN: Final = (214, 158, 120)
STEEL: Final = (70, 92, 122)
PICKED: Final = (31, 111, 235)
NOBODY: Final = "nothing"
CHAIR: Final = "the person"
EVERY: Final = "every height"
ALONE: Final = "one person"
SEEN: Final = "see "


@dataclass(frozen=True, slots=True)
class ReachServices:
    """What a session does for the panel; each returns at once.

    ``moved(who, body, X_WB)`` takes a body to another pose and answers with wishes "verdicts" and
    "part", for ``who`` first; ``stood(who, base)`` asks what is reached from (x, y, turn) and
    answers with "stands".
    ``named(who, name, ray, unseen)`` gives a name to the place that a ray (2, 3) in W meets first,
    but for bodies ``unseen``, and answers with "named": the place (3,) in W or None, ``who`` in a
    posture that reaches it or None, and what is to be said. ``save()`` writes new places and names
    into the text and returns what is to be said.
    """

    moved: Callable[[str, str, Array], None]
    stood: Callable[[str, Array], None]
    named: Callable[[str, str, Array, tuple[str, ...]], None]
    save: Callable[[], str]


class ReachPanel:
    """Shows a map of reach: ``figures`` by way to move, whose postures the map holds.

    ``poses`` (bodies, 7) and ``bodies`` are what the scene shows; ``movable`` what can be dragged,
    ``walls`` what stands about the room and is hidden at first.
    """

    title = "Reach"

    def __init__(
        self,
        reached: ReachMap,
        figures: Mapping[str, Figure],
        poses: Array,
        bodies: Sequence[str],
        movable: Sequence[str] = (),
        walls: Sequence[str] = (),
        services: ReachServices | None = None,
    ) -> None:
        self.reached = reached
        self.figures = figures
        self._skins: dict[str, tuple[Skin, Skin]] = {}
        self._poses = np.array(poses)
        self._numbers = {name: number for number, name in enumerate(bodies)}
        self._movable, self._walls = tuple(movable), tuple(walls)
        self._walled = not self._walls
        self._services = services
        self._who = next(iter(figures))
        self._show = REACHED
        self._heights = _named_heights(np.unique(self._up().round(4)))
        self._height: float | None = None
        self._crowd: ShareMap | None = None
        self._q: Array | None = None
        self._chosen: Array | None = None
        self._held = NOBODY
        self._name = ""
        self._reaching: Verdict | None = None
        self._along = 1.0
        self._operated, self._opened = NOBODY, 0.0
        self._open: dict[str, Array] = {}
        self._desk: Desk | None = None
        self._level: Any = None
        self._handles: Handles | None = None

    @property
    def q(self) -> Array | None:
        """The posture (dof,) that is drawn, None where nobody is."""
        return self._q

    @property
    def chosen(self) -> Array | None:
        """The point (3,) of the cloud in W that was clicked last."""
        return self._chosen

    # ---- controls

    def build(self, desk: Desk) -> None:
        """Make the controls and draw the cloud."""
        self._desk = desk
        gui = desk.gui
        who = gui.add_dropdown("Who", tuple(self.figures), initial_value=self._who)
        who.on_update(lambda event: desk.wish("who", str(event.target.value)))
        self._table = gui.add_markdown("")
        if self.reached.objects or self.reached.sightings:
            seen = dict.fromkeys(SEEN + each.object for each in self.reached.sightings)
            names = (NOBODY, *self.reached.objects, *seen)
            look = gui.add_dropdown("Look at", names)
            look.on_update(lambda event: desk.wish("object", str(event.target.value)))
            way = gui.add_slider("Arm's path", min=0, max=100, step=1, initial_value=100)
            way.on_update(lambda event: desk.wish("along", int(event.target.value)))
        if self.reached.operations:
            handles = dict.fromkeys(each.object for each in self.reached.operations)
            use = gui.add_dropdown("Operate", (NOBODY, *handles))
            use.on_update(lambda event: desk.wish("operate", str(event.target.value)))
            far = gui.add_slider("Opened", min=0, max=100, step=1, initial_value=0)
            far.on_update(lambda event: desk.wish("opened", int(event.target.value)))
        if len(self.reached.points):
            cloud = gui.add_dropdown("Points", (REACHED, MISSED, ALL, NOTHING))
            cloud.on_update(lambda event: desk.wish("cloud", str(event.target.value)))
            if self.reached.share_maps:
                names = (ALONE, *(each.people for each in self.reached.share_maps))
                crowd = gui.add_dropdown("Cloud of", names)
                crowd.on_update(lambda event: desk.wish("crowd", str(event.target.value)))
            level = self._level = gui.add_dropdown("At", (EVERY, *self._heights))
            level.on_update(lambda event: desk.wish("height", str(event.target.value)))
            gui.add_markdown("Click a point of the cloud: who reaches it, how, and from where.")
        if self._walls:
            walls = gui.add_checkbox("Walls", False)
            walls.on_update(lambda event: desk.wish("walls", bool(event.target.value)))
        self._said = gui.add_markdown("")
        if self._services is not None:
            held = gui.add_dropdown("Move", (NOBODY, CHAIR, *self._movable))
            held.on_update(lambda event: desk.wish("hold", str(event.target.value)))
            name = gui.add_text("Name", "", hint="Type a name, then click the place on a thing")
            name.on_update(lambda event: desk.wish("name", str(event.target.value).strip()))
            self._told = gui.add_markdown("")
            save = gui.add_button("Save new places to the text")
            save.on_click(lambda _: desk.wish("save", True))
        self._handles = Handles(
            desk.scene,
            lambda name, X: desk.wish(f"drag:{name}", X),
            lambda name: desk.wish("released", name),
            folder="/reach handles",
        )

        def clicked(event: Any) -> None:
            ray = np.array([event.ray_origin, event.ray_direction], float)
            desk.wish("ray", ray)

        desk.scene.on_click()(clicked)
        self._tell()
        self._cloud()
        self._place()

    def grant(self, name: str, value: object) -> None:
        """Do what was wished, by a control or by the session."""
        kind, _, what = name.partition(":")
        if kind == "who":
            self._who = cast(str, value)
            self._tell()
            self._cloud()
            self._operate()
        elif kind == "cloud":
            self._show = cast(str, value)
            self._cloud()
        elif kind == "crowd":
            named = {each.people: each for each in self.reached.share_maps}
            self._crowd = named.get(cast(str, value))
            self._said.content = "" if self._crowd is None else str(self._crowd)
            self._cloud()
        elif kind == "height":
            self._height = self._heights.get(cast(str, value))
            self._cloud()
        elif kind == "walls":
            self._walled = bool(value)
            self._place()
        elif kind == "name":
            self._name = cast(str, value)
        elif kind == "ray":
            self._pick(cast(Array, value))
        elif kind == "named":
            self._named(*cast("tuple[Array | None, Array | None, str]", value))
        elif kind == "point":
            self._point(cast(int, value))
        elif kind == "object":
            self._object(cast(str, value))
        elif kind == "along":
            self._along = 0.01 * cast(int, value)
            if self._reaching is not None:
                self._person(self._reaching.posture(self._along), self._reaching)
        elif kind == "operate":
            self._operated = cast(str, value)
            self._operate()
        elif kind == "opened":
            self._opened = 0.01 * cast(int, value)
            self._operate()
        elif kind == "uses":
            self._uses(cast("tuple[Operation | Sighting, ...]", value))
        elif kind == "hold":
            self._hold(cast(str, value))
        elif kind == "drag":
            self._drag(what, cast(Array, value))
        elif kind == "verdicts":
            self._verdicts(cast("tuple[Verdict, ...]", value))
        elif kind == "part":
            part = cast(ReachPart, value)
            self.reached = replace(self.reached, parts={**self.reached.parts, part.mobility: part})
            self._cloud()
        elif kind == "stands":
            q, text = cast("tuple[Array | None, str]", value)
            self._said.content = text
            if q is not None:
                self._person(q)
        elif kind == "save" and self._services is not None:
            self._told.content = self._services.save()

    # ---- what is drawn

    def _place(self) -> None:
        """Put the bodies where they are; walls that are hidden are not there."""
        assert self._desk is not None
        poses = self._poses.copy()
        for name, pose in self._open.items():
            poses[self._numbers[name]] = pose
        if not self._walled:
            poses[[self._numbers[name] for name in self._walls]] = np.nan
        self._desk.move(poses)

    def _up(self) -> Array:
        return self.reached.points @ self.reached.X_WG[:3, 2]

    def _shown(self) -> IntArray:
        """Return the numbers of the points that are drawn."""
        part = self.reached.parts.get(self._who)
        if part is None or self._show == NOTHING:
            return np.empty(0, np.int64)
        wanted = np.ones(len(part.label), bool)
        # of a population: by half of its people
        reached = part.label == ACCESSIBLE if self._crowd is None else self._crowd.reached >= 0.5
        if self._show == REACHED:
            wanted = reached
        elif self._show == MISSED:
            wanted = ~reached
        if self._height is not None:
            wanted &= np.abs(self._up() - self._height) < 1e-3
        return np.flatnonzero(wanted)

    def _cloud(self) -> None:
        assert self._desk is not None
        shown = self._shown()
        part = self.reached.parts.get(self._who)
        colors = np.zeros((0, 3), np.uint8)
        if self._crowd is not None:
            colors = share_colors(self._crowd.reached[shown])
        elif part is not None:
            palette = np.zeros((3, 3), np.uint8)
            for label in (NOT_FOUND, ACCESSIBLE, PROVED):
                palette[label] = COLORS[label]
            colors = palette[part.label[shown]]
        size = (0.3 if self._height is None else 0.7) * (self.reached.step or 0.05)
        self._desk.layers.show(Points(CLOUD, self.reached.points[shown], colors, size))

    def _pick(self, ray: Array) -> None:
        """Look at the point of the cloud that a ray (2, 3) comes nearest to, front ones first.

        Where a name was typed it is given to what the ray meets.
        """
        if self._name and self._services is not None:
            unseen = () if self._walled else self._walls
            self._services.named(self._who, self._name, ray, unseen)
            return
        shown = self._shown()
        if not len(shown):
            return
        origin, direction = ray
        away = self.reached.points[shown] - origin
        along = away @ direction
        across = np.linalg.norm(away - along[:, None] * direction, axis=1)
        reach = 0.5 * self.reached.step
        near = np.flatnonzero((across < reach) & (along > 0.0))
        if not len(near):
            near = np.flatnonzero((across < 3.0 * reach) & (along > 0.0))
        if len(near):
            self._point(int(shown[near[np.argmin(along[near])]]))

    def _cut(self, p: Array) -> None:
        """Show the cloud at the height of a place (3,) in W alone: who is in it is seen then."""
        if self._height is not None or self._level is None:
            return
        z = float(p @ self.reached.X_WG[:3, 2])
        name = min(self._heights, key=lambda each: abs(self._heights[each] - z))
        self._height, self._level.value = self._heights[name], name
        self._cloud()

    def _point(self, number: int) -> None:
        assert self._desk is not None
        p = self._chosen = self.reached.points[number]
        self._cut(p)
        self._desk.layers.show(Points(CHOSEN, p[None], PICKED, 1.2 * self.reached.step))
        lines = [f"**Point** ({p[0]:.2f}, {p[1]:.2f}, {p[2]:.2f}) m"]
        for name, part in self.reached.parts.items():
            label = int(part.label[number])
            why = "" if label == ACCESSIBLE else f": {WHY[_reason(part, number)]}"
            if label == ACCESSIBLE:
                why = f", {self.reached.hands[int(part.hand[number])]} hand"
            lines.append(f"- {name}: {LABELS[label]}{why}")
        lines += [
            f"- {each.count} {each.people}: {each.reached[number]:.0%} reach it"
            for each in self.reached.share_maps
        ]
        self._said.content = "\n".join(lines)
        part = self.reached.parts[self._who]
        self._person(part.posture(number) if part.label[number] == ACCESSIBLE else None)

    def _named(self, p: Array | None, q: Array | None, words: str) -> None:
        """Mark a place that has a name now, and draw who reaches it."""
        assert self._desk is not None
        self._said.content = words
        if p is not None:
            self._cut(p)
            self._desk.layers.show(Points(CHOSEN, p[None], PICKED, 0.05))
            self._person(q)

    def _object(self, name: str) -> None:
        assert self._desk is not None
        if name == NOBODY:
            self._desk.layers.hide(CHOSEN)
            self._person(None)
            return
        watched = self._watched(name)
        self._cut((watched or self.reached.verdict(name, self._who)).point)
        if watched is not None:
            self._desk.layers.show(Points(CHOSEN, watched.point[None], PICKED, 0.05))
            self._said.content = f"**{name}**: {watched.words}"
            self._person(watched.q)
            return
        verdict = self.reached.verdict(name, self._who)
        self._desk.layers.show(Points(CHOSEN, verdict.point[None], PICKED, 0.05))
        self._said.content = f"**{name}**: {verdict.words}"
        self._person(verdict.posture(self._along), verdict)

    def _operate(self) -> None:
        """Draw who operates a thing, and the thing as far open as the slider says."""
        for each in self.reached.operations:
            if (each.object, each.mobility) == (self._operated, self._who):
                self._said.content = f"**{each.object}**: {each.words}"
                if each.q is None or each.poses is None:
                    self._open = {}
                    self._person(None)
                else:
                    at = round(self._opened * (len(each.q) - 1))
                    known = {n: k for k, n in enumerate(each.bodies) if n in self._numbers}
                    self._open = {name: each.poses[at, k] for name, k in known.items()}
                    self._person(each.q[at])
                break
        else:
            if not self._open:
                return
            self._open = {}
            self._person(None)
        self._place()

    def _person(self, q: Array | None, reaching: Verdict | None = None) -> None:
        """Draw a posture and the device; nothing for None. It may be of the arm's path."""
        assert self._desk is not None
        self._q, self._reaching = q, reaching
        if q is None:
            self._desk.layers.hide(PERSON)
            self._desk.layers.hide(DEVICE)
            return
        figure = self.figures[self._who]
        if self._who not in self._skins:
            self._skins[self._who] = skins_of(figure)
        X_WG = self.reached.X_WG
        poses = figure.poses(q)
        for layer, skin, color in zip(
            (PERSON, DEVICE), self._skins[self._who], (SKIN, STEEL), strict=True
        ):
            self._desk.layers.show(Surface(layer, skin.at(poses, X_WG), skin.triangles, color))
        if self._held == CHAIR:
            self._hold(CHAIR)

    # ---- what is moved

    def _hold(self, name: str) -> None:
        assert self._desk is not None
        assert self._handles is not None
        self._held = name
        if name in self._numbers:
            row = self._poses[self._numbers[name]]
            X = np.eye(4)
            X[:3, 3] = row[:3]
            self._handles.place({name: X}, self._desk.size())
        elif name == CHAIR and self._q is not None:
            self._handles.place({CHAIR: self.reached.X_WG @ _ground(self._q)}, self._desk.size())
        else:
            self._handles.place({}, 1.0)

    def _drag(self, name: str, X: Array) -> None:
        assert self._desk is not None
        if self._services is None:
            return
        if name == CHAIR:
            X_GB = np.linalg.inv(self.reached.X_WG) @ X
            turn = float(np.arctan2(X_GB[1, 0], X_GB[0, 0]))
            self._services.stood(self._who, np.array([X_GB[0, 3], X_GB[1, 3], turn]))
            return
        number = self._numbers[name]
        self._poses[number, :3] = X[:3, 3]
        self._place()
        self._services.moved(self._who, name, X)

    def _watched(self, name: str) -> Sighting | None:
        """Return who sees what a choice of "Look at" names; None for what is reached."""
        wanted = (name.removeprefix(SEEN), self._who) if name.startswith(SEEN) else None
        for each in self.reached.sightings:
            if (each.object, each.mobility) == wanted:
                return each
        return None

    def _uses(self, uses: tuple[Operation | Sighting, ...]) -> None:
        new = {(type(each), each.object, each.mobility): each for each in uses}
        operations, sightings = self.reached.operations, self.reached.sightings
        self.reached = replace(
            self.reached,
            operations=tuple(
                cast(Operation, new.get((Operation, each.object, each.mobility), each))
                for each in operations
            ),
            sightings=tuple(
                cast(Sighting, new.get((Sighting, each.object, each.mobility), each))
                for each in sightings
            ),
        )
        self._tell()

    def _verdicts(self, verdicts: tuple[Verdict, ...]) -> None:
        new = {(each.object, each.mobility): each for each in verdicts}
        old = self.reached.verdicts
        kept = tuple(new.get((each.object, each.mobility), each) for each in old)
        self.reached = replace(self.reached, verdicts=kept)
        self._tell()

    def _tell(self) -> None:
        mark = {ACCESSIBLE: "✓", PROVED: "✗", NOT_FOUND: "?"}
        lines = [
            f"- {mark[each.label]} **{each.object}** {each.words}"
            for each in self.reached.verdicts
            if each.mobility == self._who
        ]
        uses: tuple[Operation | Sighting, ...] = self.reached.operations
        uses += self.reached.sightings
        for use in uses:
            if use.mobility == self._who:
                what = "operate" if isinstance(use, Operation) else "see"
                lines.append(f"- {mark[use.label]} {what} **{use.object}** {use.words}")
        self._table.content = "\n".join(lines)


def _named_heights(heights: Array) -> dict[str, float]:
    """Return heights (n,), m, by name: in whole centimetres, or millimetres where they need it."""
    digits = 2 if (np.abs(heights - heights.round(2)) < 5e-4).all() else 3
    return {f"{z:.{digits}f} m": z for z in heights.tolist()}


def _reason(part: ReachPart, number: int) -> Any:
    from articulata.records.reach_verdicts import ReachReason

    return ReachReason(int(part.reason[number]))


def _ground(q: Array) -> Array:
    """Return the base's pose in the ground frame, of a posture."""
    X = np.eye(4)
    c, s = np.cos(q[2]), np.sin(q[2])
    X[:2, :2] = [[c, -s], [s, c]]
    X[:2, 3] = q[:2]
    return X
