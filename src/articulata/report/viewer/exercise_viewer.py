"""The viewer of an exercise: figures that come, move and leave, and the panel of the network.

The panel says who takes part, how well each is heard, and what passes the network.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.kinematics.figure import Figure
from articulata.records.networked import NetworkedLook, Reception
from articulata.report.viewer.figures.figure_stage import FigureStage
from articulata.report.viewer.lights import front_of, ground, lights
from articulata.report.viewer.panels.script_panel import add_signal_keys, signals_first
from articulata.report.viewer.serving import PageServer, at_once, look_from
from articulata.report.viewer.track_viewer import EYES_PERIOD, FREE, MARK, TINTS, see_with_eyes

Wish = Callable[[str, object], None]

SHOWN = 40
"""Figures that have a line in the panel; more are counted."""


@dataclass(frozen=True, slots=True)
class TakingPart:
    """A figure in an exercise: how it looks, where it comes from; None: it is ours."""

    look: NetworkedLook
    sender: str
    reception: Reception | None


@dataclass(frozen=True, slots=True)
class ExerciseNews:
    """What the panel tells at an instant.

    ``where`` is the exercise in words, ``out`` and ``come`` packets and bytes a second, ``left
    out`` and damaged packets in words, ``notice`` a line in large letters.
    """

    where: str
    figures: Sequence[TakingPart]
    out: tuple[float, float]
    come: tuple[float, float]
    troubles: Sequence[str] = ()
    notice: str = ""


class ExercisePanel:
    """Stands beside the picture; wishes are handed on by name: "perform" with a motion.

    ``motions`` are what figures of ours can be asked to perform.
    """

    def __init__(self, gui: Any, wish: Wish, motions: Sequence[str] = ()) -> None:
        self._notice = gui.add_markdown("")
        with gui.add_folder("Exercise"):
            self._where = gui.add_markdown("")
        if motions:
            with gui.add_folder("Our figures"):
                names = signals_first(motions)
                chosen = gui.add_dropdown("Motion", names)
                button = gui.add_button(
                    "Perform",
                    hint="All scripted figures of ours do this. Ctrl-K lists keys for signals.",
                )
                add_signal_keys(gui, names, lambda name: wish("perform", name))
                button.on_click(
                    lambda event: wish("perform", chosen.value) if event.client else None
                )
        with gui.add_folder("Figures"):
            self._figures = gui.add_markdown("")
        with gui.add_folder("Network"):
            self._network = gui.add_markdown("")

    def update(self, news: ExerciseNews) -> None:
        """Show ``news``."""
        for handle, text in (
            (self._notice, f"## {news.notice}" if news.notice else ""),
            (self._where, news.where),
            (self._figures, _table(news.figures)),
            (self._network, _network(news)),
        ):
            if handle.content != text:
                handle.content = text


def _table(figures: Sequence[TakingPart]) -> str:
    lines = ["| figure | /s | lost | ms | off |", "|---|--:|--:|--:|--:|"]
    for each in figures[:SHOWN]:
        name = each.look.name or "?"
        doing = "" if each.look.stance == "standing" else f", {each.look.stance}"
        lines.append(f"| {_plain(name)}{doing} | {_heard(each.reception)} |")
    if len(figures) > SHOWN:
        lines.append(f"| and {len(figures) - SHOWN} more | | | | |")
    if not figures:
        return "Nobody yet."
    senders = {each.sender for each in figures if each.reception is not None}
    note = (
        f"Others from {', '.join(sorted(senders)) or 'nowhere yet'} (site:application). /s: packets"
        " a second; ms: age of what is shown; off: how far the newest packet moved the figure, cm"
        " and degrees."
    )
    return "\n".join((*lines, "", note))


def _heard(reception: Reception | None) -> str:
    if reception is None:
        return "ours | | | "
    if reception.age > 1.0 and not reception.rate:
        return f"**silent {reception.age:.0f} s** | | | "
    loss = "" if math.isnan(reception.loss) else f"{100.0 * reception.loss:.0f} %"
    latency = 1e3 * (reception.age if math.isnan(reception.latency) else reception.latency)
    place, joint = reception.jump
    off = f"{100.0 * place:.0f}, {math.degrees(joint):.0f}"
    return f"{reception.rate:.0f} | {loss} | {latency:.0f} | {off}"


def _network(news: ExerciseNews) -> str:
    lines = [
        f"out: {news.out[0]:.0f} packets/s, {_rate(news.out[1])}",
        f"in: {news.come[0]:.0f} packets/s, {_rate(news.come[1])}",
        *(f"**{each}**" for each in news.troubles),
    ]
    return "\n\n".join(lines)


def _rate(bytes_per_second: float) -> str:
    if bytes_per_second < 1e4:
        return f"{bytes_per_second:.0f} bytes/s"
    return f"{1e-3 * bytes_per_second:.0f} kB/s"


def _plain(text: str) -> str:
    """Return a name that others chose, without what would change the table."""
    return "".join(letter for letter in text if letter.isalnum() or letter in " .-_")


GROUND = 6.0
"""m to each side of the origin from which the ground's grid is made."""

OUR_EYES = "our first figure's eyes"
"""The view from there."""

TALL = 2.0
"""m that a figure is high with its name."""


class Placed(NamedTuple):
    """A figure's joint values (dof,) rad and ``X_WF`` (4, 4)."""

    q: Array
    X_WF: Array


class ExerciseViewer(PageServer):
    """Shows figures by keys; ``wish`` is told what the user wants, in another thread.

    ``up`` (3,) is what is up. Who opens the page sees all figures that are there then, and may see
    with the eyes of the one whose key is ``ours``. Use it as a context manager, or ``close`` it;
    ``failure`` is what ended the picture, if anything did.
    """

    def __init__(
        self,
        up: Array,
        wish: Wish,
        *,
        motions: Sequence[str] = (),
        ours: Hashable = None,
        host: str = "127.0.0.1",
        port: int | None = None,
    ) -> None:
        super().__init__(host, port)
        self.title = "Exercise"
        self._listen()
        self._up = np.asarray(up, float)
        self._stages: dict[Hashable, tuple[FigureStage, Figure]] = {}
        self._count = 0
        self.drawn = 0
        self._low, self._high = np.full(3, np.inf), np.full(3, -np.inf)
        low, high = np.full(3, -GROUND), np.full(3, GROUND)
        low, high = low - (low @ self._up) * self._up, high - (high @ self._up) * self._up
        with self._server.atomic():
            scene = self._server.scene
            scene.set_up_direction(self._up)
            x, y, z = self._up.tolist()
            ground(scene, (x, y, z), low, high)
            lights(scene, (x, y, z), front_of((x, y, z)))
            self._panel = ExercisePanel(self._server.gui, wish, motions)
            self._ours, self._moved = ours, -EYES_PERIOD
            # a camera that belongs to nobody here stays free
            gui = self._server.gui
            self._view = None if ours is None else gui.add_dropdown("View", (FREE, OUR_EYES))
        self._look(np.zeros(3))
        self._server.on_client_connect(self._meet)

    def _look(self, place: Array) -> None:
        """Let who opens the page see a place beside all that he sees already."""
        self._low, self._high = np.minimum(self._low, place), np.maximum(self._high, place)
        middle = 0.5 * (self._low + self._high) + 0.5 * TALL * self._up
        span = max(float(np.linalg.norm(self._high - self._low)), TALL)
        front = np.array((0.0, 0.0, 1.0)) if abs(self._up[1]) > 0.9 else np.array((1.0, 0.0, 0.0))
        away = front + 0.35 * self._up + 0.45 * np.cross(self._up, front)
        from_there = middle + (1.1 * span + 1.5) * away / np.linalg.norm(away)
        look_from(self._server, from_there, middle, self._up.tolist(), now=False)

    def show(
        self, key: Hashable, figure: Figure, placed: Placed, *, name: str = "", tint: int = 0
    ) -> None:
        """Show a figure that has come; ``tint`` numbers its colour."""
        self.drop(key)
        self._count += 1
        with at_once(self._server):
            stage = FigureStage(self._server, beside=self._count, tint=TINTS[tint % len(TINTS)])
            stage.show(figure, placed.q, self._up, branching=False, named=False)
            if name:
                stage.call(name, self._up)
            self._stages[key] = stage, figure
            self._pose(key, placed)
            floor = placed.X_WF[:3, 3]
            self._look(floor - (floor @ self._up) * self._up)

    def drop(self, key: Hashable) -> None:
        """Take a figure away that has left."""
        known = self._stages.pop(key, None)
        if known is not None:
            with at_once(self._server):
                known[0].clear()

    def draw(self, figures: Mapping[Hashable, Placed]) -> None:
        """Move figures that are shown, all in one picture."""
        if self.failure is not None:
            return
        try:
            with at_once(self._server):
                for key, placed in figures.items():
                    self._pose(key, placed)
            if self._ours in figures:
                self._see(figures[self._ours])
        except Exception as failure:
            # a picture that cannot be sent must not end the exercise
            self._fail(failure)
        self.drawn += 1

    def tell(self, news: ExerciseNews) -> None:
        """Show what there is to tell beside it."""
        with at_once(self._server):
            self._panel.update(news)

    @property
    def watched(self) -> bool:
        """Whether anybody has opened the page."""
        return bool(self.clients)

    def _see(self, placed: Placed) -> None:
        """Let who looks on see the exercise with the eyes of our figure, where that is chosen."""
        figure, now = self._stages[self._ours][1], time.monotonic()
        chosen = self._view is not None and self._view.value == OUR_EYES
        if chosen and MARK in figure.landmarks and now - self._moved >= EYES_PERIOD:
            self._moved = now
            see_with_eyes(self._server, placed.X_WF @ figure.landmark(placed.q, MARK))

    def _pose(self, key: Hashable, placed: Placed) -> None:
        stage, figure = self._stages[key]
        stage.pose(figure, placed.q)
        stage.move(q_from_matrix(placed.X_WF[:3, :3]), placed.X_WF[:3, 3])
