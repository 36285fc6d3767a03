"""The viewer itself: a server on the loopback address, and one thread that draws.

Nothing leaves the machine: page, scripts and data come from this server alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.report.viewer.conversation import Leaving, Mailbox
from articulata.report.viewer.keys import motion_keys
from articulata.report.viewer.layers import TURNED, Bytes, Layer
from articulata.report.viewer.motion_sources import Motion, standing_at
from articulata.report.viewer.panel import Offers, Panel, Playback
from articulata.report.viewer.panels.board import Board, QuestionPanel
from articulata.report.viewer.plot import Plot
from articulata.report.viewer.serving import PHONE, SHEET, Beside, PageServer, look_from, turn
from articulata.report.viewer.stage import Stage

if TYPE_CHECKING:
    from articulata.report.viewer.panels.standing_world import Put, Save

PICTURE, PANEL, WINDOW = 1.6, 0.68, 0.4
"""Widths in halves of a page's height: of one of 1280 by 800, and of what panels take of it."""

PERIOD = 1.0 / 60.0
"""Seconds between two pictures while something moves."""

MARK_PERIOD = 0.1
"""Seconds between two moves of the dots in the plots: each sends the whole chart."""

PLOT_PERIOD = 3.0
"""Seconds between two charts of a motion that grows: each is built anew."""

SNAP = 0.004
"""Share of the time line within which a hand on it means an event."""


class Viewer(PageServer):
    """Shows motions in the browser at ``address``; ``show`` may be called again at any time.

    ``frames_drawn`` counts pictures sent. Use as a context manager, or ``close`` it. Who gives
    ``order`` is handed what the user orders of a run under way, who gives ``undo`` the motion and
    the number of an edit to be taken back; both return at once. Who gives ``save`` writes postures
    of figures into the text, who gives ``put`` places of bodies. ``beside`` is served beside it.
    """

    # of what is shown, once anything is
    _motion: Motion
    _panel: Panel
    _plot: Plot

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        order: Callable[[str], None] | None = None,
        undo: Callable[[Motion, int], None] | None = None,
        save: Save | None = None,
        put: Put | None = None,
        beside: Beside | None = None,
    ) -> None:
        self._order, self._undo = order, undo
        # in a page of ours there is less room
        folded = beside is not None
        self._offers = Offers(orders=order is not None, undo=undo is not None, folded=folded)
        self._runs: dict[str, Motion] = {}
        super().__init__(host, port, beside)
        if folded:
            self._server.gui.main_panel.minimize()
        self.frames_drawn = 0
        self._marked = self._plotted = 0.0
        self._wishes: Mailbox[object] = Mailbox()
        self._stage = Stage(self._server, clicked=lambda body: self._wishes.put("pick", body))
        self._shown = False
        self._leaving = Leaving()
        self._board = Board(self._server, self._stage, self.wish, self._move, save, put)
        self._moved: Array | None = None
        self._posed_at: float | None = None
        self._growing = False
        self._playback = Playback(0.0, 0.0, 0.0)
        self._overlay = {"frames": False, "names": False}
        self._forces: dict[str, bool] = {}
        self._length = 1.0
        self._listen(*motion_keys(self._wishes.put))
        self._begin("viewer", self._run)

    def show(self, motion: Motion, *, playing: bool = True, stay: bool = False) -> None:
        """Show ``motion`` from its start, in place of what was shown; ``playing``: at once.

        ``stay``: it is another of the same bodies, and who looks on stays where they are.
        """
        self.title = motion.title  # a page may be asked for before the picture is drawn
        self._wishes.put("renew" if stay else "show", motion)
        self._wishes.put("play", playing)

    def show_first(self, motion: Motion, *, within: float = 2.0) -> None:
        """Show ``motion`` and return when its picture is sent, at the latest ``within`` s later."""
        sent = threading.Event()
        self.show(motion)
        self._wishes.put("sent", sent)
        sent.wait(within)

    def follow(self, motion: Motion) -> None:
        """Show ``motion``, which is what is shown and what has come since; stay at its end."""
        self._wishes.put("follow", motion)

    def grow(self, motion: Motion, *, growing: bool) -> None:
        """Play ``motion``, which is what is shown and what has come since.

        ``growing``: more is to come, so that the playing waits at the end instead of beginning
        anew.
        """
        self._wishes.put("grow", (motion, growing))

    def add(self, motion: Motion) -> None:
        """Show ``motion`` and offer those shown before beside it, by their titles."""
        self._wishes.put(f"add {motion.title}", motion)

    def offer(self, sequences: tuple[str, ...], *, orders: bool = True) -> None:
        """Offer control sequences to be started; without ``orders`` the run is over."""
        self._wishes.put("offer", replace(self._offers, sequences=sequences, orders=orders))

    def answer(self, text: str) -> None:
        """Show what became of an order."""
        self._wishes.put("answer", text)

    def attach(self, panel: QuestionPanel) -> None:
        """Build a question's panel beside the other controls; it stays whatever is shown."""
        self._wishes.put(f"attach {panel.title}", panel)

    def wish(self, title: str, name: str, value: object) -> None:
        """Leave a wish for the panel of that title; the newest of a name is granted."""
        self._wishes.put(f"ask {title}: {name}", (title, name, value))

    def layer(self, layer: Layer) -> None:
        """Draw a layer in place of that of its name."""
        self._wishes.put(f"layer {layer.name}", layer)

    def hide(self, name: str) -> None:
        """Take a layer away."""
        self._wishes.put(f"layer {name}", None)

    def picture(
        self, X_WC: Array, angle: float, size: tuple[int, int] = (480, 320), *, timeout: float = 5.0
    ) -> Bytes | None:
        """Return what a camera at ``X_WC`` (4, 4) sees: (rows, columns, 3), 0 to 255.

        The camera looks along -z with y up; ``angle`` (rad) is its field of view upwards, ``size``
        width and height in pixels. A browser that looks on draws it, layers included; None where
        none does within ``timeout`` s. Not to be called by what a panel does: that thread draws.
        """
        for client in self._server.get_clients().values():
            try:
                image = client.get_render(
                    size[1], size[0], wxyz=q_from_matrix(X_WC[:3, :3] @ TURNED),
                    position=X_WC[:3, 3], fov=angle, timeout=timeout,
                )  # fmt: skip
            except TimeoutError:
                continue
            return np.asarray(image, np.uint8)
        return None

    def say(self, text: str) -> None:
        """Show a message above the controls, for instance why a file cannot be read."""
        self._wishes.put("say", text)

    @property
    def end_shown(self) -> float | None:
        """The last instant (s) of what is shown; None where nothing is."""
        return float(self._motion.times[-1]) if self._shown else None

    def _run(self) -> None:
        before = time.monotonic()
        while not self._closing.is_set():
            due = before + PERIOD - time.monotonic() if self._playback.playing else 0.25
            wishes = self._wishes.take(max(due, 0.0))
            now = time.monotonic()
            if self._playback.playing and now < before + PERIOD and not wishes:
                continue
            for name, value in wishes.items():
                self._grant(name, value)
            if self._playback.playing:
                self._playback = self._playback.advance(now - before, growing=self._growing)
            if wishes or self._playback.playing:
                self._draw()
            before = now

    def _grant(self, name: str, value: object) -> None:
        kind, _, what = name.partition(" ")
        # what can be wished before anything is shown
        first: Mapping[str, Callable[[Any], None]] = {
            "show": self._show_first_run,
            "renew": self._renew,
            "grow": lambda v: self._grow(*v),
            "follow": self._go_on,
            "layer": lambda layer: self._draw_layer(what, layer),
            "attach": self._board.attach,
            "ask": lambda v: self._board.grant(*v),
            "offer": self._offer,
        }
        if kind in first:
            first[kind](value)
        elif self._shown:
            self._control(name, kind, value)

    def _control(self, name: str, kind: str, value: Any) -> None:
        """Do what the controls of what is shown have asked for."""
        wishes: Mapping[str, Callable[[Any], None]] = {
            "seek": self._seek,
            "play": lambda v: self._set(playing=v and self._playback.end > self._playback.start),
            "toggle": lambda _: self._toggle(),
            "step": self._step,
            "speed": lambda v: self._set(speed=v),
            "loop": lambda v: self._set(loop=v),
            "event": self._jump,
            "happening": self._happen,
            "fit": lambda _: self._look(),
            "view": self._look,
            "met": self._show_all,
            "flip": self._panel.flip,
            "back": lambda _: self._board.undo(),
            "pick": self._stage.pick,
            "stand": self._stand,
            "pose": self._pose,
            "sent": lambda sent: sent.set(),
            "plot": self._add_plot,
            "clear": lambda _: self._plot.clear(),
            "say": self._panel.say,
            "run": lambda title: self._replace(self._runs[title]),
            "add": self._add,
            "answer": lambda v: self._panel.helm.answer(v) if self._panel.helm else None,
            "undo": lambda v: self._undo(self._motion, v) if self._undo and v is not None else None,
        }
        if kind in wishes:
            wishes[kind](value)
        elif kind == "order" and self._order is not None:
            try:
                self._order(value)
            except ArticulataError as error:
                self._wishes.put("answer", str(error))
        else:
            if kind == "length":
                self._length = value
            elif kind in self._overlay:
                self._overlay[kind] = bool(value)
            else:
                self._forces[name.removesuffix(" forces")] = bool(value)
            self._draw_beside()

    def _show_first_run(self, motion: Motion) -> None:
        self._runs.clear()
        self._growing = False
        self._replace(motion)

    def _renew(self, motion: Motion, *, growing: bool = True) -> None:
        """Show ``motion``; controls stay where they fit it, for they are slow to build."""
        ids = [each.id for each in motion.looks]
        known = [each.id for each in self._motion.looks] if self._shown else []
        self._growing = False
        if ids != known or not self._panel.renew(motion, growing=growing):
            self._replace(motion, fit=set(ids).isdisjoint(known))
            return
        self._motion, self._moved = motion, None
        self._stage.show(motion)
        self._draw_beside()
        if len(motion.times) > 1:
            with self._panel.plots:
                self._plot.extend(motion)
        self._rewind(fit=False)

    def _offer(self, offers: Offers) -> None:
        self._offers = offers
        if self._shown:
            self._replace(self._motion)

    def _draw_layer(self, name: str, layer: Layer | None) -> None:
        with self._server.atomic():
            if layer is None:
                self._stage.layers.hide(name)
            else:
                self._stage.layers.show(layer)

    def _move(self, poses: Array) -> None:
        """Put the bodies to ``poses`` until the time line moves."""
        self._moved = poses

    def _add(self, motion: Motion) -> None:
        self._runs.setdefault(self._motion.title, self._motion)
        title, number = motion.title, 1
        while title in self._runs:
            number += 1
            title = f"{motion.title} ({number})"
        self._runs[title] = replace(motion, title=title)
        self._replace(self._runs[title])

    def _grow(self, motion: Motion, growing: bool) -> None:
        """Take up more frames while the playing goes on where it is."""
        # what was a single frame has no time line yet
        first = not self._shown or len(self._motion.times) < 2
        before = self._playback
        if first:
            # the user may have looked around already
            self._renew(motion, growing=growing)
        else:
            self._go_on(motion)
        if not growing and not first:
            if not self._panel.renew(motion, growing=False):
                self._replace(motion, fit=False)  # with the marks and the list of all events
            else:
                with self._panel.plots:
                    self._plot.extend(motion)
        start, end = float(motion.times[0]), float(motion.times[-1])
        time_now = start if first else min(before.time, end)
        playing = first or before.playing or before.end <= before.start
        self._growing = growing
        self._playback = replace(
            self._playback, start=start, end=end, time=time_now, playing=playing and end > start
        )

    def _go_on(self, motion: Motion) -> None:
        same = self._shown and [x.id for x in self._motion.looks] == [x.id for x in motion.looks]
        # what is a single frame has no time line yet
        if not same or len(self._motion.times) < 2 or not self._stage.extend(motion):
            self._replace(motion)
        else:
            self._motion = motion
            self._panel.extend(motion)
            if time.monotonic() - self._plotted > PLOT_PERIOD:
                with self._panel.plots:
                    self._plot.extend(motion)
                self._plotted = time.monotonic()
        at_end = self._playback.time >= self._playback.end - 1e-9 or not same
        end = float(motion.times[-1])
        time_now = end if at_end else self._playback.time
        self._playback = replace(
            self._playback, start=float(motion.times[0]), end=end, time=time_now
        )

    def _draw_beside(self) -> None:
        self._stage.overlay(**self._overlay, forces=self._forces, length=self._length)

    def _set(self, **changed: Any) -> None:
        self._playback = replace(self._playback, **changed)

    def _toggle(self) -> None:
        self._playback = self._playback.toggle()

    def _seek(self, time_wanted: float) -> None:
        # The slider echoes what we set while playing; only a real move stops the playing.
        if abs(time_wanted - self._playback.time) <= 1e-12:
            return
        self._playback = replace(self._playback.seek(time_wanted), playing=False)
        self._moved = None
        reach = SNAP * (self._playback.end - self._playback.start)
        near = self._motion.event_near(time_wanted, reach)
        if near is not None:
            self._happen(near)

    def _step(self, which: str) -> None:
        whole = len(self._motion.times)
        count = {"|<": -whole, "<<": -10, "<": -1, ">": 1, ">>": 10, ">|": whole}
        self._playback = self._playback.step(cast(Any, self._motion.times), count[which])

    def _jump(self, which: str) -> None:
        if self._panel.happenings is not None:
            number = self._panel.happenings.neighbour(self._playback.time, which)
            if number is not None:
                self._happen(number)

    def _happen(self, number: int) -> None:
        """Go to an event and tell why it happened."""
        event = self._motion.events[number]
        self._playback = replace(self._playback.seek(event.time), playing=False)
        self._panel.tell(number)

    def _add_plot(self, path: str) -> None:
        with self._panel.plots:
            wrong = self._plot.add(path)
        self._panel.complain(wrong)

    def _replace(self, motion: Motion, *, fit: bool = True) -> None:
        paths = self._plot.paths if self._shown else ()
        with self._server.atomic():
            if self._shown:
                self._panel.leave(self._leaving)
            self._motion, self._moved, self.title = motion, None, motion.title
            self._server.scene.set_up_direction(motion.up)
            self._stage.show(motion)
            self._draw_beside()
            offers = replace(self._offers, runs=tuple(self._runs), run=motion.title)
            self._panel = Panel(self._server.gui, motion, self._wishes, offers)
            self._plot = Plot(self._server.gui)
            with self._panel.plots:
                self._plot.show(motion, paths or motion.shown_first)
            self._shown = True
        # The picture goes out first, what poses its figures is made behind it.
        self._wishes.put("stand", motion)
        self._rewind(fit=fit)

    def _rewind(self, *, fit: bool) -> None:
        start, end = map(float, self._motion.times[[0, -1]])
        self._playback = replace(self._playback, start=start, end=end, time=start, playing=False)
        self._look(now=fit)

    def _stand(self, motion: Motion) -> None:
        if motion is self._motion:
            with self._server.atomic():
                self._board.stand(motion)

    def _pose(self, _: object) -> None:
        """Pause, and offer to pose the figures as they are at this instant."""
        self._playback = replace(self._playback, playing=False)
        self._posed_at = self._playback.time
        with self._server.atomic():
            self._board.stand(standing_at(self._motion, self._posed_at))

    def _camera(self, view: str, aspect: float = 0.0) -> tuple[Array, Array]:
        """Return where a camera stands and looks so that the whole motion is beside the panel.

        On a phone, whose width is ``aspect`` times its height, it is above the panel; where panels
        are folded it has all of the picture.
        """
        sides, covered = (PICTURE - WINDOW * self._panel.window, 1.0), (PANEL, 0.0)
        if self._offers.folded:
            sides, covered = (aspect or 1.0, 1.0), (0.0, 0.0)
        elif aspect:
            sides, covered = (aspect, SHEET), (0.0, SHEET - 1.0)
        return self._stage.camera(view, self._motion.up, sides, covered)

    def _look(self, view: str = "corner", *, now: bool = True) -> None:
        look_from(self._server, *self._camera(view), self._motion.up, now=now)
        for client in self.clients.values() if now else ():
            self._show_all(client, view)

    def _fit_view(self, client: Any) -> None:
        self._wishes.put(f"met {client.client_id}", client)

    def _show_all(self, client: Any, view: str = "corner") -> None:
        """Let a client on a phone, or whose panels are folded, see the whole motion too."""
        aspect = client.camera.aspect
        shape = aspect if aspect < PHONE or self._offers.folded else 0.0
        turn(client, *self._camera(view, shape), self._motion.up, fitted=True)

    def _draw(self) -> None:
        if not self._shown:
            self._server.flush()
            return
        playback = self._playback
        with self._server.atomic():
            if self._posed_at not in (None, playback.time):
                self._posed_at = self._moved = None
                self._board.stand(self._motion)
            if playback.playing:
                self._moved = None
            poses = self._motion.at(playback.time) if self._moved is None else self._moved
            self._stage.draw(poses, self._motion.frame_before(playback.time))
            frame = self._motion.frame_at(playback.time)
            self._panel.update(playback, frame)
            now = time.monotonic()
            if not playback.playing or now - self._marked > MARK_PERIOD:
                self._plot.mark(float(self._motion.times[frame]))
                self._panel.tell_place(self._motion.looks, poses, self._stage.picked)
                self._marked = now
        self._server.flush()
        self.frames_drawn += 1
