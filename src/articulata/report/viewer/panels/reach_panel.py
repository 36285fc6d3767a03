"""The panel of reach: who reaches what, the cloud of points, one point looked at, things moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, TypeVar, cast

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE, SurfaceReach
from articulata.records.reach_verdicts import Verdict
from articulata.records.uses import Operation, Sighting
from articulata.report.reach_document import FIRST
from articulata.report.viewer.layers import Points, Surface
from articulata.report.viewer.panels.board import Desk, wish_by_user
from articulata.report.viewer.panels.reach_cloud import (
    ALL,
    MISSED,
    NOTHING,
    REACHED,
    Skin,
    cloud_over,
    skins_of,
)
from articulata.report.viewer.panels.reach_moving import (
    NOBODY,
    Mover,
    ReachServices,
    base_pose,
)
from articulata.report.viewer.panels.reach_moving import PERSON as CHAIR
from articulata.report.viewer.panels.reach_words import (
    answers,
    cloud_of,
    legend,
    point_lines,
    searching,
    table,
)

CHOSEN, PERSON, DEVICE = "reach point", "reach person", "reach device"
SKIN: Final = (214, 158, 120)
STEEL: Final = (70, 92, 122)
PICKED: Final = (31, 111, 235)
EVERY: Final = "every height"
ALONE: Final = "one person"
SEEN: Final = "see "

Renewed: TypeAlias = Operation | Sighting | SurfaceReach
"""What is answered anew when a thing has been moved, beside verdicts and clouds."""

Kind = TypeVar("Kind", Operation, Sighting, SurfaceReach)


class ReachPanel:
    """Shows a map of reach: ``figures`` by way to move, whose postures the map holds.

    ``poses`` (bodies, 7) and ``bodies`` are what the scene shows; ``movable`` what can be dragged,
    ``walls`` what stands about the room and is hidden at first.
    """

    title = "Reach"
    _desk: Desk

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
        self._walls = tuple(walls)
        self._walled = not self._walls
        self._mover = None if services is None else Mover(self._poses, bodies, movable, services)
        self._who = next(iter(figures))
        self.cloud = cloud_over(reached)
        self._q: Array | None = None
        self._chosen: Array | None = None
        self._name = ""
        self._reaching: Verdict | None = None
        self._along = 1.0
        self._operated, self._opened = NOBODY, 0.0
        self._open: dict[str, Array] = {}
        self._again: Callable[[], None] = lambda: None
        self._coming: frozenset[str] = frozenset()
        self._pale = False
        self._level: Any = None
        self._look: Any = None
        self._use: Any = None

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
        self._desk, gui = desk, desk.gui
        who = gui.add_dropdown("Who", tuple(self.figures), initial_value=self._who)
        wish_by_user(who, desk.wish, "who")
        names: tuple[str, ...] = ()
        if self.reached.objects or self.reached.sightings:
            seen = dict.fromkeys(SEEN + each.object for each in self.reached.sightings)
            names = (*self.reached.objects, *seen)
            self._look = gui.add_dropdown("Look at", (NOBODY, *names))
            wish_by_user(self._look, desk.wish, "object")
            self._way = gui.add_slider("Arm's path", min=0, max=100, step=1, initial_value=100)
            wish_by_user(self._way, desk.wish, "along", int)
        if self.reached.operations:
            handles = dict.fromkeys(each.object for each in self.reached.operations)
            self._use = gui.add_dropdown("Operate", (NOBODY, *handles))
            wish_by_user(self._use, desk.wish, "operate")
            self._far = gui.add_slider("Opened", min=0, max=100, step=1, initial_value=0)
            wish_by_user(self._far, desk.wish, "opened", int)
        if self._mover is not None:
            # above what is told, which is long: it is found without scrolling
            self._mover.build(desk)
        self._search = gui.add_html("", visible=False)
        self._said = gui.add_markdown("")
        self._table = gui.add_html("")
        if len(self.reached.points):
            cloud = gui.add_dropdown("Points", (ALL, REACHED, MISSED, NOTHING))
            wish_by_user(cloud, desk.wish, "cloud")
            if self.reached.share_maps:
                crowds = (ALONE, *(each.people for each in self.reached.share_maps))
                wish_by_user(gui.add_dropdown("Cloud of", crowds), desk.wish, "crowd")
            self._level = gui.add_dropdown("At", (EVERY, *self.cloud.heights))
            wish_by_user(self._level, desk.wish, "height")
            self._legend = gui.add_html("")
            gui.add_markdown("Click a point of the cloud: who reaches it, how, and from where.")
        if self._walls:
            wish_by_user(gui.add_checkbox("Walls", False), desk.wish, "walls", bool)
        if self._mover is not None:
            self._mover.build_name(desk)

        def clicked(event: Any) -> None:
            ray = np.array([event.ray_origin, event.ray_direction], float)
            desk.wish("ray", ray)

        desk.scene.on_click()(clicked)
        self._cut(FIRST * self.reached.X_WG[:3, 2])
        self._tell()
        self._draw_cloud()
        self._object(names[0] if names else NOBODY)

    def grant(self, name: str, value: Any) -> None:
        """Do what was wished, by a control or by the session."""
        kind, _, what = name.partition(":")
        several: dict[str, Callable[..., None]] = {
            "named": self._named, "remedy": self._remedy, "stands": self._stands,
        }  # fmt: skip
        one: dict[str, Callable[[Any], None]] = {
            "ray": self._pick, "point": self._point, "object": self._object, "uses": self._uses,
            "hold": self._hold, "coming": self._await,
        }  # fmt: skip
        if kind in several:
            several[kind](*value)
        elif kind in one:
            one[kind](value)
        elif kind == "who":
            self._who = value
            self._tell()
            self._draw_cloud()
            self._again()
        elif kind == "cloud":
            self.cloud.what = value
            self._draw_cloud()
        elif kind == "crowd":
            named = {each.people: each for each in self.reached.share_maps}
            crowd = self.cloud.crowd = named.get(value)
            self._said.content = "" if crowd is None else str(crowd)
            self._draw_cloud()
        elif kind == "height":
            self.cloud.choose(value)
            self._draw_cloud()
        elif kind == "walls":
            self._walled = bool(value)
            self._place()
        elif kind == "name":
            self._name = value
        elif kind == "along":
            self._along = 0.01 * value
            if (reaching := self._reaching) is not None:
                self._person(reaching.posture(self._along), reaching)
        elif kind == "operate":
            self._operated = value
            self._choose(self._look, NOBODY)
            self._again = self._operate
            self._operate()
        elif kind == "opened":
            self._opened = 0.01 * value
            self._operate()
        elif kind == "drag":
            self._drag(what, value)
        elif self._mover is not None and kind in ("released", "undo", "save"):
            self._change(kind, self._mover)
        elif kind == "verdicts":
            self._verdicts(value)
            self._again()
        elif kind == "part":
            part = value
            self.reached = replace(self.reached, parts={**self.reached.parts, part.mobility: part})
            self._draw_cloud()
            self._again()

    # ---- what is drawn

    def _place(self) -> None:
        """Put the bodies where they are; walls that are hidden are not there."""
        poses = self._poses.copy()
        for name, pose in self._open.items():
            if name in self._numbers:
                poses[self._numbers[name]] = pose
        if not self._walled:
            hidden = set(self._walls) - set(self._open)
            poses[[self._numbers[name] for name in hidden]] = np.nan
        self._desk.move(poses)

    @property
    def _changed(self) -> bool:
        return self._mover is not None and self._mover.changed

    @property
    def _old(self) -> bool:
        """Whether the cloud is of before something was moved."""
        shares = self.cloud.crowd is not None
        return self._changed if shares else cloud_of(self._who) in self._coming

    def _draw_cloud(self) -> None:
        self._pale, shares = self._old, self.cloud.crowd is not None
        self._desk.layers.show(self.cloud.layer(self.reached, self._who, pale=self._pale))
        if self._level is not None:
            self._legend.content = legend(shares=shares, changed=self._changed)

    def _pick(self, ray: Array) -> None:
        """Look at the point of the cloud that a ray (2, 3) comes nearest to, front ones first.

        Where a name was typed it is given to what the ray meets.
        """
        if self._name and self._mover is not None:
            unseen = () if self._walled else self._walls
            self._mover.services.named(self._who, self._name, ray, unseen)
            return
        number = self.cloud.met(self.reached, self._who, ray)
        if number is not None:
            self._point(number)

    def _cut(self, p: Array) -> None:
        """Show the cloud at the height of a place alone, where the user chose none."""
        if self.cloud.chosen or self._level is None:
            return
        name = self.cloud.nearest(self.reached, p)
        if self.cloud.height != self.cloud.heights[name]:
            self.cloud.height, self._level.value = self.cloud.heights[name], name
            self._draw_cloud()

    def _choose(self, control: Any, value: str) -> None:
        """Set a control where there is one."""
        if control is not None:
            control.value = value

    def _point(self, number: int) -> None:
        self._again = lambda: self._point(number)
        self._choose(self._look, NOBODY)
        self._choose(self._use, NOBODY)
        self._shut()
        p = self._chosen = self.reached.points[number]
        self._cut(p)
        self._desk.layers.show(Points(CHOSEN, p[None], PICKED, min(1.2 * self.reached.step, 0.06)))
        lines = point_lines(self.reached, number, changed=self._changed)
        self._said.content = "\n".join(lines)
        part = self.reached.parts[self._who]
        self._person(part.posture(number) if part.label[number] == ACCESSIBLE else None)

    def _named(self, p: Array | None, q: Array | None, words: str) -> None:
        """Mark a place that has a name now, and draw who reaches it."""
        self._said.content = words
        if p is not None:
            self._again = lambda: None
            # the next click looks at a point again
            self._name = ""
            if self._mover is not None:
                self._mover.forget_name()
            self._cut(p)
            self._desk.layers.show(Points(CHOSEN, p[None], PICKED, 0.05))
            self._person(q)

    def _object(self, name: str) -> None:
        self._again = lambda: self._object(name)
        self._choose(self._look, name)
        self._choose(self._use, NOBODY)
        self._shut()
        if name == NOBODY:
            self._desk.layers.hide(CHOSEN)
            self._said.content = ""
            self._person(None)
            return
        watched = self._watched(name)
        seen = watched or self.reached.verdict(name, self._who)
        self._cut(seen.point)
        self._desk.layers.show(Points(CHOSEN, seen.point[None], PICKED, 0.05))
        scales = seen.scales if isinstance(seen, Verdict) else ""
        self._said.content = f"**{name}**: {seen.words}" + (f" ({scales})" if scales else "")
        if isinstance(seen, Sighting):
            self._person(seen.q)
        else:
            self._person(seen.posture(self._along), seen)

    def _shut(self) -> None:
        """Draw what was opened where it is placed."""
        self._operated, self._open = NOBODY, {}
        self._place()

    def _stands(self, q: Array | None, words: str) -> None:
        """Draw who was stood into the room, and tell what is reached from there."""
        self._said.content = words
        if q is not None and self._mover is not None:
            stood, base = self._mover.services.stood, q[:3].copy()
            self._again = lambda: stood(self._who, base)
            self._choose(self._look, NOBODY)
            self._choose(self._use, NOBODY)
            self._desk.layers.hide(CHOSEN)
            self._shut()
            self._person(q)

    def _operate(self) -> None:
        """Draw who operates a thing, and the thing as far open as the slider says."""
        for each in self.reached.operations:
            if (each.object, each.mobility) == (self._operated, self._who):
                self._said.content = f"**{each.object}**: {each.words}"
                q, self._open = each.at(self._opened)
                break
        else:
            q, self._open = None, {}
            self._said.content = ""
        self._place()
        self._person(q)

    def _person(self, q: Array | None, reaching: Verdict | None = None) -> None:
        """Draw a posture and the device; nothing for None. It may be of the arm's path."""
        self._q, self._reaching = q, reaching
        path = None if reaching is None else reaching.arm_path
        if self._look is not None:
            self._way.visible = path is not None and len(path) > 0
        if self._use is not None:
            self._far.visible = bool(self._open)
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
        if self._mover is not None and self._mover.holds_person:
            self._hold(CHAIR)

    # ---- what is moved

    def _hold(self, name: str) -> None:
        if self._mover is None:
            return
        X_WG = self.reached.X_WG
        self._mover.hold(name, None if self._q is None else X_WG @ base_pose(self._q))
        if name == CHAIR and self._q is None:
            # who is drawn then has a handle
            self._mover.services.stood(self._who, self._somewhere())

    def _drag(self, name: str, X: Array) -> None:
        if self._mover is None:
            return
        if name == CHAIR:
            X_GB = np.linalg.inv(self.reached.X_WG) @ X
            turn = float(np.arctan2(X_GB[1, 0], X_GB[0, 0]))
            self._mover.services.stood(self._who, np.array([X_GB[0, 3], X_GB[1, 3], turn]))
            return
        self._open = {}
        self._mover.drag(self._who, name, X[:3, 3])
        self._place()
        self._await(answers(self.reached))

    def _change(self, kind: str, mover: Mover) -> None:
        if kind == "released":
            mover.released()
        elif kind == "save":
            mover.save()
        elif mover.take_back(self._who):
            self._open = {}
            self._place()
            self._await(answers(self.reached))

    def _await(self, coming: frozenset[str]) -> None:
        """Tell what is still sought; what is of before is pale."""
        self._coming = coming
        self._search.content = searching(coming)
        self._search.visible = bool(coming)
        self._tell()
        if self._old != self._pale:
            self._draw_cloud()

    def _somewhere(self) -> Array:
        """Return a base (x, y, turn) from which somebody reaches something, or the middle."""
        for each in self.reached.verdicts:
            if each.mobility == self._who and each.base is not None:
                return each.base
        p = self.reached.points if len(self.reached.points) else self._poses[:, :3]
        return np.append(p.mean(axis=0) @ self.reached.X_WG[:3, :2], 0.0)

    def _watched(self, name: str) -> Sighting | None:
        """Return who sees what a choice of "Look at" names; None for what is reached."""
        wanted = (name.removeprefix(SEEN), self._who) if name.startswith(SEEN) else None
        for each in self.reached.sightings:
            if (each.object, each.mobility) == wanted:
                return each
        return None

    def _uses(self, uses: tuple[Renewed, ...]) -> None:
        old = self.reached
        self.reached = replace(
            old,
            operations=_renewed(old.operations, uses),
            sightings=_renewed(old.sightings, uses),
            surfaces=_renewed(old.surfaces, uses),
        )
        self._tell()
        self._again()

    def _verdicts(self, verdicts: tuple[Verdict, ...]) -> None:
        new = {(each.object, each.mobility): each for each in verdicts}
        old = self.reached.verdicts
        kept = tuple(new.get((each.object, each.mobility), each) for each in old)
        self.reached = replace(self.reached, verdicts=kept)
        self._tell()

    def _remedy(self, number: int, verdict: Verdict) -> None:
        """Tell what would mend a verdict, unless something was moved since."""
        if self._mover is None or not self._mover.last(number):
            return
        self._verdicts((verdict,))
        if self._look is not None and self._look.value == verdict.object:
            self._again()

    def _tell(self) -> None:
        self._table.content = table(self.reached, self._who, self._coming)


def _renewed(old: tuple[Kind, ...], new: Sequence[Renewed]) -> tuple[Kind, ...]:
    """Return old answers of one kind with those in their place that are new."""
    known = {(type(each), each.object, each.mobility): each for each in new}
    return tuple(cast(Kind, known.get((type(e), e.object, e.mobility), e)) for e in old)
