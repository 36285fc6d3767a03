"""The viewer of a person who is tracked: a figure that follows, and the panel of tracking.

The person is looked at freely, from three sides, or with his own eyes.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_from_matrix, q_to_matrix
from articulata.kinematics.figure import Figure
from articulata.records.tracking import KeyedMotion, Latency, TrackedPosture
from articulata.report.viewer.conversation import Mailbox
from articulata.report.viewer.figures.figure_stage import FigureStage
from articulata.report.viewer.panels.script_panel import ScriptPanel
from articulata.report.viewer.panels.track_panel import TrackNews, TrackPanel
from articulata.report.viewer.serving import PageServer, at_once, look_from, turn
from articulata.report.viewer.wire import wire_of

FREE, FRONT, SIDE, ABOVE, EYES = "free", "front", "left side", "above", "the wearer's eyes"

MARK = "eyes"
"""The landmark of a figure's eyes: z along the gaze, y up the head."""

EYES_PERIOD = 1.0 / 60.0
"""Seconds between two places of a camera that goes with the eyes."""

WIDE = np.radians(75.0)
"""What eyes see of the scene, upwards."""


def ahead(up: Array) -> Array:
    """Return where a figure of the library looks, whose up is ``up`` (3,)."""
    return np.array((0.0, 0.0, 1.0)) if abs(up[1]) > 0.9 else np.array((1.0, 0.0, 0.0))


def see_with_eyes(server: Any, X_WE: Array) -> None:
    """Let all who look on see from a figure's eyes."""
    # a viser camera looks along z with y down
    R_EC = np.diag((-1.0, -1.0, 1.0))
    for client in server.get_clients().values():
        with client.atomic():
            client.camera.wxyz = q_from_matrix(X_WE[:3, :3] @ R_EC)
            client.camera.position = X_WE[:3, 3] + 0.03 * X_WE[:3, 2]


class ViewPanel:
    """Chooses the view of all who look on; ``follow`` moves a camera that goes with the eyes."""

    def __init__(self, server: Any, stage: FigureStage, figure: Figure) -> None:
        self._server, self._stage, self._figure = server, stage, figure
        self._up = np.asarray(figure.up)
        self._moved = -EYES_PERIOD
        self._usual: float | None = None
        names = [FREE, FRONT, SIDE, ABOVE]
        if MARK in figure.landmarks:
            names.append(EYES)
        self._chosen = server.gui.add_dropdown("View", tuple(names))
        self._chosen.on_update(lambda event: self._choose(event.target.value))

    def place(self) -> None:
        """Put the camera of who comes to a place from which all of the figure is seen."""
        front = self._front()
        direction = front + 0.25 * self._up + 0.35 * np.cross(self._up, front)
        look_from(self._server, *self._from(direction), self._up.tolist(), now=False)

    def follow(self, posture: TrackedPosture) -> None:
        """Move the camera with the eyes, where that is chosen."""
        now = time.monotonic()
        if self._chosen.value != EYES or now - self._moved < EYES_PERIOD:
            return
        self._moved = now
        X_WF = make_pose(q_to_matrix(posture.q_WF), posture.p_WF)
        see_with_eyes(self._server, X_WF @ self._figure.landmark(posture.q, MARK))

    def _choose(self, view: str) -> None:
        for client in self._server.get_clients().values():
            camera = client.camera
            if self._usual is None:
                self._usual = float(camera.fov)
            camera.fov = WIDE if view == EYES else self._usual
            if view == EYES:
                continue
            front = self._front()
            ways = {
                FREE: front + 0.25 * self._up + 0.35 * np.cross(self._up, front),
                FRONT: front,
                SIDE: np.cross(self._up, front),
                # straight down, the camera's up would be none
                ABOVE: self._up + 0.02 * front,
            }
            with client.atomic():
                turn(client, *self._from(ways[view]), self._up.tolist())

    def _from(self, direction: Array) -> tuple[Array, Array]:
        """Return where a camera stands that looks at the middle against ``direction``, and it."""
        stage = self._stage
        middle = 0.5 * (stage.low + stage.high)
        away = direction / np.linalg.norm(direction)
        return middle + away * 1.25 * stage.size, middle

    def _front(self) -> Array:
        return ahead(self._up)


PERIOD = 1.0 / 250.0
"""Mean seconds from one picture to the next at least: two units of 120 records a second are not
held up."""

BURST = 4
"""Pictures that may follow each other sooner: what a machine held up for a moment comes at once."""


TINTS = ((88, 134, 190), (214, 133, 60), (98, 160, 104), (168, 104, 160), (200, 170, 60))
"""Colours of people who are tracked together, in turn."""

APART = 1.4
"""m from one of them to the next, to the left."""


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """Somebody who is tracked beside the first: name, figure, posture (dof,) at rest, weapon."""

    name: str
    figure: Figure
    q: Array
    weapon: Figure | None = None


class TrackViewer(PageServer):
    """Shows ``figure`` as it follows; ``wish`` is told what the user wants, in another thread.

    ``scripts`` are motions that ``arms``, joints by name, can be asked to perform, ``writable``
    says whether they can be changed; ``bodies`` is what the rest of the body can do, ``body`` what
    it does at first; ``weapon`` is what it may carry, ``armed`` how it does at first. Where others
    stand ``beside`` it, each has a colour and a name, the first one ``name``.

    ``drawn`` counts pictures; ``failure`` is what ended them, if anything did. Use as a context
    manager, or ``close`` it.
    """

    def __init__(
        self,
        figure: Figure,
        q: Array,
        wish: Callable[[str, object], None],
        *,
        reading: str = "live",
        scripts: Mapping[str, KeyedMotion] = MappingProxyType({}),
        arms: Sequence[Sequence[str]] = (),
        writable: bool = False,
        bodies: tuple[str, ...] = (),
        body: str = "",
        weapon: Figure | None = None,
        armed: str = "",
        name: str = "",
        beside: Sequence[Beside] = (),
        host: str = "127.0.0.1",
        port: int | None = None,
    ) -> None:
        super().__init__(host, port)
        self.title = f"{name or 'A person'} followed"
        self._listen()
        self.drawn = 0
        everybody = (Beside(name, figure, q, weapon), *beside)
        self._figures = tuple(each.figure for each in everybody)
        self._stages = tuple(
            FigureStage(self._server, beside=k, tint=TINTS[k % len(TINTS)] if beside else None)
            for k in range(len(everybody))
        )
        self._places = np.zeros((len(everybody), 3))
        self._mail: Mailbox[object] = Mailbox()
        self._latencies: deque[float] = deque(maxlen=512)
        self._delay = 0.0
        self._drawing = threading.Lock()
        self._given = 0
        self._shown = [0] * len(everybody)
        self._begun = deque([-BURST * PERIOD] * BURST, maxlen=BURST)
        up = np.asarray(figure.up)
        with self._server.atomic():
            self._server.scene.set_up_direction(up)
            self._stand(everybody, up)
            self._scripts: ScriptPanel | None = None

            def offered() -> None:
                if scripts:
                    self._scripts = ScriptPanel(
                        self._server.gui, wish, figure, scripts, arms, writable=writable
                    )

            self._views = ViewPanel(self._server, self._stages[0], figure)
            self._panel = TrackPanel(
                self._server.gui, wish, reading=reading, bodies=bodies, body=body,
                armed=armed if weapon is not None else "", scripts=offered,
                people=tuple(each.name for each in everybody) if beside else (),
            )  # fmt: skip
        self._views.place()
        self._wire = wire_of(self._server)
        for stage in self._stages:
            stage.wire = self._wire
        self._begin("track viewer", self._run)

    def _stand(self, everybody: Sequence[Beside], up: Array) -> None:
        """Let everybody stand side by side, so that views show them all."""
        left = np.cross(up, ahead(up))
        for k, (stage, each) in enumerate(zip(self._stages, everybody, strict=True)):
            stage.show(each.figure, each.q, up, branching=False)
            stage.overlay(frames=False, names=False)
            stage.pose(each.figure, each.q)
            self._places[k] = APART * k * left
            stage.move(np.array((1.0, 0.0, 0.0, 0.0)), self._places[k])
            if len(everybody) > 1:
                stage.call(each.name, up)
            if each.weapon is not None:
                stage.carry(each.weapon)
        first, spans = self._stages[0], list(zip(self._stages, self._places, strict=True))
        low, high = [s.low + p for s, p in spans], [s.high + p for s, p in spans]
        first.low, first.high = np.min(low, axis=0), np.max(high, axis=0)

    def follow(self, posture: TrackedPosture, arrival: float, person: int = 0) -> None:
        """Show a posture whose last byte came at ``arrival`` (s, of ``time.monotonic``).

        It is that of the first person, or of one beside (1, 2 ...).

        It is drawn in the caller's thread, which saves two changes of thread; what comes too soon
        after a picture waits in another one, and the newest of it is shown.
        """
        self._given += 1
        if time.monotonic() >= self._due and self._drawing.acquire(blocking=False):
            try:
                self._draw(self._given, posture, arrival, person)
            finally:
                self._drawing.release()
        else:
            self._mail.put(f"posture {person}", (self._given, posture, arrival, person))

    def tell(self, news: TrackNews) -> None:
        """Show what there is to tell beside it; in the caller's thread, who knows when it is free.

        What has moved is told to the server's queue along with it, which wakes its thread once.
        """
        try:
            with self._drawing, at_once(self._server):
                if self._wire is not None and self._wire.due:
                    self._wire.keep()
                self._panel.update(news)
        except Exception as failure:
            self._fail(failure)

    def scripts(self, motions: Mapping[str, KeyedMotion], said: str) -> None:
        """Show motions as they are now, and what there is to say of them."""
        self._mail.put("scripts", (motions, said))

    def latency(self) -> Latency | None:
        """Return how long pictures took from the last byte on; None before the first."""
        if not self._latencies:
            return None
        waited = np.sort(list(self._latencies))
        return Latency(
            float(waited[len(waited) // 2]) + self._delay,
            float(waited[int(0.99 * (len(waited) - 1))]) + self._delay,
            self._delay,
        )

    def _run(self) -> None:
        while not self._closing.is_set():
            mail = self._mail.take(0.25)
            for word, shown in mail.items():
                if not word.startswith("posture"):
                    continue
                self._closing.wait(max(self._due - time.monotonic(), 0.0))
                with self._drawing:
                    self._draw(*cast(tuple[int, TrackedPosture, float, int], shown))
            if self._wire is not None and self._wire.overdue:
                with self._drawing:
                    self._wire.keep()
            if "scripts" in mail and self._scripts is not None:
                changed = cast(tuple[Mapping[str, KeyedMotion], str], mail["scripts"])
                self._scripts.update(*changed)

    @property
    def _due(self) -> float:
        """When the next picture may be drawn, s."""
        return self._begun[0] + BURST * PERIOD

    def _draw(self, number: int, posture: TrackedPosture, arrival: float, person: int) -> None:
        """Draw a posture, the ``number``-th that was given, unless a later one is shown already."""
        if number <= self._shown[person] or self.failure is not None:
            return
        self._begun.append(time.monotonic())
        stage = self._stages[person]
        try:
            with nullcontext() if self._wire is not None else at_once(self._server):
                stage.pose(self._figures[person], posture.q)
                stage.move(posture.q_WF, posture.p_WF + self._places[person])
                stage.carried(posture.X_FT)
            if self._wire is not None:
                self._wire.send()
            if person == 0:
                self._views.follow(posture)
        except Exception as failure:
            # a picture that cannot be sent must not end what is recorded
            self._fail(failure)
            return
        self._shown[person] = number
        self.drawn += 1
        self._delay = posture.delay
        self._latencies.append(time.monotonic() - arrival)
