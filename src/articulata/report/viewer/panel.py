"""The viewer's controls: time line, events and why they happened, what to plot, what to draw.

Callbacks leave a wish in the mailbox and nothing else: "happening" with the number of an event.
``Playback`` is where in a motion the viewer stands, a value without a clock: whoever owns one says
how many seconds have passed.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.records.state import in_units
from articulata.report.accounts import Account
from articulata.report.viewer.conversation import Leaving, Mailbox
from articulata.report.viewer.motion_sources import Look, Motion

SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
"""Playing speeds offered, in seconds of motion for a second of the viewer's."""


@dataclass(frozen=True, slots=True)
class Playback:
    """A point ``time`` (s) between ``start`` and ``end``, and how it moves on."""

    start: float
    end: float
    time: float
    playing: bool = False
    speed: float = 1.0
    loop: bool = True

    def seek(self, time: float) -> Playback:
        """Return the playback at ``time``, held within the motion."""
        return replace(self, time=min(max(time, self.start), self.end))

    def toggle(self) -> Playback:
        """Return it playing if it stood and standing if it played; at the end, from the start."""
        if not self.playing and self.time >= self.end:
            return replace(self, playing=self.end > self.start, time=self.start)
        return replace(self, playing=not self.playing and self.end > self.start)

    def advance(self, seconds: float, *, growing: bool = False) -> Playback:
        """Return it ``seconds`` of the viewer's time later.

        ``growing``: more of the motion is to come, so that it waits at the end.
        """
        if not self.playing:
            return self
        time = self.time + seconds * self.speed
        if time < self.end:
            return replace(self, time=time)
        if growing:
            return replace(self, time=self.end)
        if not self.loop:
            return replace(self, time=self.end, playing=False)
        return replace(self, time=self.start + (time - self.start) % (self.end - self.start))

    def step(self, times: Sequence[float], count: int) -> Playback:
        """Return it paused at the frame ``count`` frames on (back when negative)."""
        # A time within a rounding error of a frame counts as that frame.
        slack = 1e-9 * max(1.0, abs(self.time))
        if count > 0:
            index = bisect_right(times, self.time + slack) - 1 + count
        else:
            index = bisect_left(times, self.time - slack) + count
        index = min(max(index, 0), len(times) - 1)
        return replace(self, time=float(times[index]), playing=False)


@dataclass(frozen=True, slots=True)
class Offers:
    """``orders``: a run is under way and takes orders, among them to start ``sequences``.

    ``undo``: an edit can be taken back and the run gone on with. ``runs`` are the names of the
    motions that can be chosen, ``run`` that of the one on show. ``folded``: panels are begun as
    bars, and what is shown may be another motion of the same bodies at any time.
    """

    orders: bool = False
    sequences: tuple[str, ...] = ()
    undo: bool = False
    runs: tuple[str, ...] = ()
    run: str = ""
    folded: bool = False


NO_OFFERS = Offers()

SHOWN = 7
"""Events listed at once, about the present one: more push the account off the screen."""

QUIET, CHOSEN = (92, 99, 108), (31, 111, 235)
"""Colours of the buttons: white writing can be read on both."""


class Happenings:
    """A list of buttons in a viser panel, and the account of the event that was chosen."""

    def __init__(
        self, gui: Any, motion: Motion, wishes: Mailbox[object], offers: Offers = NO_OFFERS
    ) -> None:
        self._first = 0
        self.chosen: int | None = None
        self._buttons = []
        for row in range(SHOWN):
            button = gui.add_button("...", color=QUIET, hint="", visible=False)
            button.on_click(
                lambda _, row=row: wishes.put("happening", self._order[self._first + row])
            )
            self._buttons.append(button)
        self._undo: Any = None
        if offers.undo:
            self._undo = gui.add_button("Undo this edit and run on", visible=False)
            self._undo.on_click(lambda _: wishes.put("undo", self.chosen))
        self._why = gui.add_markdown("Choose an event to read why it happened.")
        self.extend(motion)

    def extend(self, motion: Motion) -> None:
        """List the events of ``motion``, which has those that were listed and perhaps more."""
        self._motion = motion
        # By time: a series of bounces is told when it begins and stands where it ends.
        self._order = sorted(
            range(len(motion.events)), key=lambda number: (motion.events[number].time, number)
        )
        self.list_about(self.chosen)

    def neighbour(self, time: float, which: str) -> int | None:
        """Return the number of the event after or before ``time`` (s), or of the chosen one."""
        events = self._motion.events
        if self.chosen is not None and abs(events[self.chosen].time - time) < 1e-9:
            place = self._order.index(self.chosen) + (1 if which == "next" else -1)
            return self._order[min(max(place, 0), len(self._order) - 1)]
        later = [k for k in self._order if events[k].time > time + 1e-12]
        earlier = [k for k in self._order if events[k].time < time - 1e-12]
        found = later[:1] if which == "next" else earlier[-1:]
        found = found or self._order[-1:]
        return found[0] if found else None

    def tell(self, number: int) -> None:
        """Show the account of event ``number``."""
        self.chosen = number
        self.list_about(number)
        if self._undo is not None:
            self._undo.visible = self._motion.events[number].kind == "edit"
        if self._motion.explain is None:
            event = self._motion.events[number]
            self._why.content = f"**{event.time:.6g} s, {event.kind}** {event.story}"
        else:
            self._why.content = written(self._motion.explain(number), self._motion)

    def list_about(self, number: int | None) -> None:
        """List the events about event ``number``, the first ones where None."""
        place = 0 if number is None else self._order.index(number)
        first = max(min(place - SHOWN // 2, len(self._order) - SHOWN), 0)
        for row, button in enumerate(self._buttons):
            there = first + row < len(self._order)
            if button.visible != there:
                button.visible = there
            if not there:
                continue
            which = self._order[first + row]
            event = self._motion.events[which]
            who = str(event.values.get("command", "")) or ", ".join(event.who[:2])
            label = f"{event.time:.6g} s \u00b7 {event.kind} {who}".rstrip()
            if len(label) > 44:
                label = f"{label[:43]}\u2026"
            if button.label != label:
                button.label = label
                button.hint = event.story or event.kind
            color = CHOSEN if which == self.chosen else QUIET
            if button.color != color:
                button.color = color
        self._first = first


def written(account: Account, motion: Motion) -> str:
    """Return an account as Markdown."""
    event = account.event
    lines = [f"**Why: {event.kind}**", "", event.story, "", "| | |", "|---|---|"]
    lines += [f"| {name} | {_cell(text)} |" for name, text in account.rows]
    if account.chain:
        lines += ["", "**What led to it**", ""]
        for number in account.chain:
            before = motion.events[number]
            lines.append(f"- {before.time:.6g} s: {before.story or before.kind}")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# ---- the viewer's controls of a run that is under way: pause, go on, one cycle, orders


BUTTONS = {"Pause": "pause", "Go on": "continue", "One cycle": "step", "End": "stop"}
"""What the buttons say, and the orders they give."""


class Helm:
    """Buttons, a line for orders and a list of control sequences; ``kept`` are their handles."""

    def __init__(self, gui: Any, wishes: Mailbox[object], sequences: tuple[str, ...]) -> None:
        self.kept: list[Any] = []
        folder = gui.add_folder("Run")
        self.kept.append(folder)
        with folder:
            buttons = gui.add_button_group("Run", tuple(BUTTONS))
            buttons.on_click(lambda event: _put(wishes, BUTTONS[event.target.value]))
            line = gui.add_text("Order", "", hint="break HINGE, set BODY.PROPERTY = VALUE, ...")
            give = gui.add_button("Give the order")
            give.on_click(lambda _: _typed(line, wishes))
            if sequences:
                which = gui.add_dropdown("Sequence", sequences)
                start = gui.add_button("Start the sequence")
                start.on_click(lambda _: _put(wishes, f"start {which.value}"))
            self._answer = gui.add_markdown("")

    def answer(self, text: str) -> None:
        """Show what became of an order."""
        self._answer.content = text


def _typed(line: Any, wishes: Mailbox[object]) -> None:
    text = line.value.strip()
    if text:
        line.value = ""
        _put(wishes, text)


def _put(wishes: Mailbox[object], text: str) -> None:
    # Orders are all to be done, so each has a place of its own in the mailbox.
    wishes.put(f"order {text}", text)


def placed(name: str, pose: Array, units: Sequence[str] = ()) -> str:
    """Return where the frame of a body at ``pose`` (7,), m and a quaternion, is, as Markdown.

    It is told in the unit of a text whose ``units:`` line has these names.
    """
    if np.isnan(pose).any():
        return f"**{name}** is not there at this time."
    unit, size = in_units(units, "m")
    x, y, z = (f"{value / size + 0.0:.4g}" for value in np.round(pose[:3], 6))
    w, axis = pose[3], pose[4:]
    turned = np.degrees(2.0 * np.arctan2(np.linalg.norm(axis), abs(w)))
    text = f"**{name}**\\\nx {x} {unit}, y {y} {unit}, z {z} {unit}"
    if turned < 0.05:
        return f"{text}\\\nnot turned"
    about = np.round(np.copysign(1.0, w) * axis / np.linalg.norm(axis), 3) + 0.0
    return f"{text}\\\nturned {turned:.1f}\u00b0 about ({', '.join(f'{a:.3g}' for a in about)})"


BELOW = 1e8
"""Order of what stands below the panels of questions."""

MOST_MARKS = 24
"""Event marks on the time line; with more, evenly chosen ones are marked and all are listed."""


class Panel:
    """The controls of one motion. ``wishes`` receives what the user asks for, by name."""

    def __init__(
        self, gui: Any, motion: Motion, wishes: Mailbox[object], offers: Offers = NO_OFFERS
    ) -> None:
        self._gui, self._motion, self._wishes = gui, motion, wishes
        self._plottable, self._folded = motion.plottable, offers.folded
        self._quiet = False
        moves = len(motion.times) > 1 or offers.orders
        self.time_line: Any = None
        self._nodes: list[Any] = []
        self._boxes: dict[str, Any] = {}
        self._status = self._keep(gui.add_markdown(""))
        self._status.visible = False
        self._place = self._keep(gui.add_markdown(""))
        self._place.visible = False
        self.happenings: Happenings | None = None
        self.helm: Helm | None = None
        if len(offers.runs) > 1:
            runs = self._keep(gui.add_dropdown("Run", offers.runs, initial_value=offers.run))
            runs.on_update(lambda event: self._wish("run", event.target.value))
        if offers.orders:
            self.helm = Helm(gui, wishes, offers.sequences)
            self._nodes += self.helm.kept
        if moves:
            self._build_time(offers)
        with self._keep(gui.add_folder("Draw", order=BELOW)):
            self._build_draw()
        self.plots: Any = contextlib.nullcontext()
        plots = motion.series is not None and moves
        eventful = bool(motion.events) or offers.orders
        self.window = plots or (moves and eventful)
        if self.window:
            window = self._keep(gui.add_panel())
            if plots:
                self.plots = window.add_tab("Plot")
                with self.plots:
                    self._build_plot_choice()
            if eventful:
                count = "" if offers.orders or offers.folded else f" ({len(motion.events)})"
                with window.add_tab(f"Events{count}"):
                    self.happenings = Happenings(gui, motion, wishes, offers)
            window.dock_left()
            window.set_width(310)
            # a dock without curves and events is a bar
            if offers.folded or not (motion.shown_first or eventful):
                window.minimize()

    def leave(self, leaving: Leaving) -> None:
        """Take all controls away."""
        leaving.put(self._nodes)
        self._nodes = []

    def update(self, playback: Playback, frame: int) -> None:
        """Show where ``playback`` stands."""
        if self.time_line is None:
            return
        self._quiet = True
        self.time_line.value = playback.time
        self._quiet = False
        label = "Pause" if playback.playing else "Play"
        if self._play.label != label:
            self._play.label = label
        text = self._standing(playback.time, frame)
        if self._where.content != text:
            self._where.content = text

    def tell_place(self, looks: Sequence[Look], poses: Array, picked: int | None) -> None:
        """Say what the body ``picked`` is called, and where it is among ``poses`` (bodies, 7)."""
        text = "" if picked is None else placed(looks[picked].id, poses[picked], self._motion.units)
        if self._place.content != text:
            self._place.content = text
            self._place.visible = bool(text)

    def extend(self, motion: Motion) -> None:
        """Take up what has been added to the motion at its end."""
        self._motion = motion
        if self.time_line is not None:
            self._quiet = True
            self.time_line.max = float(max(motion.times[-1], motion.times[0] + 1e-3))
            self.time_line.step = max(float(motion.times[-1] - motion.times[0]) / 2000, 1e-9)
            self._quiet = False
        if self.happenings is not None:
            self.happenings.extend(motion)

    def renew(self, motion: Motion, *, growing: bool) -> bool:
        """Take up another motion of the same bodies; False where it needs controls of its own."""
        if len(motion.times) > 1 and (
            self.time_line is None or self._plottable != motion.plottable
        ):
            return False
        # what is marked on a time line stays there
        if motion.events and not growing and not (self._folded and self.happenings is not None):
            return False
        if self.happenings is not None:
            self.happenings.chosen = None
        self.extend(motion)
        return True

    def flip(self, name: str) -> None:
        """Switch the box of a name on or off, where there is one; a wish follows as by hand."""
        box = self._boxes.get(name)
        if box is not None:
            box.value = not box.value

    def say(self, text: str) -> None:
        """Show ``text`` above the controls; nothing when it is empty."""
        self._status.visible = bool(text)
        self._status.content = text

    def tell(self, number: int) -> None:
        """Show the story of event ``number``, and why it happened."""
        event = self._motion.events[number]
        self._story.content = f"**{event.time:.6g} s, {event.kind}** {event.story}"
        if self.happenings is not None:
            self.happenings.tell(number)

    def complain(self, text: str) -> None:
        """Show what is wrong with the quantity asked for."""
        self._complaint.visible = bool(text)
        self._complaint.content = f"**{text}**"

    def _standing(self, time: float, frame: int) -> str:
        return f"t = {time:.4g} s &nbsp; frame {frame + 1} of {len(self._motion.times)}"

    def _keep(self, node: Any) -> Any:
        self._nodes.append(node)
        return node

    def _wish(self, name: str, value: object) -> None:
        if not self._quiet:
            self._wishes.put(name, value)

    def _build_time(self, offers: Offers) -> None:
        gui, times = self._gui, self._motion.times
        start, end = float(times[0]), max(float(times[-1]), float(times[0]) + 1e-3)
        step = max((end - start) / 2000, 1e-9)
        # the page compiles texts side by side: an empty one may come after what replaces it
        self._where = self._keep(gui.add_markdown(self._standing(start, 0)))
        self.time_line = self._keep(
            gui.add_slider("Time", start, end, step, start, marks=self._marks())
        )
        self.time_line.on_update(lambda event: self._wish("seek", float(event.target.value)))
        self._play = self._keep(gui.add_button("Play", icon=None))
        self._play.on_click(lambda _: self._wish("toggle", True))
        step_buttons = self._keep(gui.add_button_group("Step", ("|<", "<", ">", ">|")))
        step_buttons.on_click(lambda event: self._wish("step", event.target.value))
        speed = self._keep(
            gui.add_dropdown("Speed", tuple(f"{s:g} x" for s in SPEEDS), initial_value="1 x")
        )
        speed.on_update(lambda event: self._wish("speed", float(event.target.value.split()[0])))
        loop = self._boxes["loop"] = self._keep(gui.add_checkbox("Loop", True))
        loop.on_update(lambda event: self._wish("loop", bool(event.target.value)))
        if self._motion.events or offers.orders:
            jump = self._keep(gui.add_button_group("Event", ("previous", "next")))
            jump.on_click(lambda event: self._wish("event", event.target.value))
            self._story = self._keep(gui.add_markdown(""))

    def _marks(self) -> tuple[tuple[float, str], ...] | None:
        events = self._motion.events
        if not events or self._folded:
            return None
        chosen = np.unique(np.linspace(0, len(events) - 1, MOST_MARKS).astype(int))
        return tuple((float(events[i].time), "") for i in chosen)

    def _build_draw(self) -> None:
        for arrows in self._motion.arrows:
            red, green, blue = arrows.color
            self._gui.add_html(
                f'<div style="height:3px;margin:8px 16px 5px;border-radius:2px;'
                f'background:rgb({red},{green},{blue})"></div>'
            )
            box = self._gui.add_checkbox(
                arrows.label, False, hint=f"An arrow of usual length: {arrows.usual:.4g} N"
            )
            box.on_update(
                lambda event, kind=arrows.kind: self._wish(f"{kind} forces", event.target.value)
            )
        if self._motion.arrows:
            length = self._gui.add_slider("Arrows", 0.1, 5.0, 0.1, 1.0)
            length.on_update(lambda event: self._wish("length", float(event.target.value)))
        for name, label in (("frames", "Frames"), ("names", "Names")):
            if name == "names" and len(self._motion.looks) > 60:
                continue
            box = self._boxes[name] = self._gui.add_checkbox(label, False)
            box.on_update(lambda event, n=name: self._wish(n, bool(event.target.value)))
        if self._motion.source is not None and self._motion.source.world.figures:
            pose = self._gui.add_button(
                "Pose the figures here", hint="The run goes on from where it was when it is played"
            )
            pose.on_click(lambda _: self._wish("pose", True))
        fit = self._gui.add_button("Fit the scene into view")
        fit.on_click(lambda _: self._wish("fit", True))

    def _build_plot_choice(self) -> None:
        gui, plottable = self._gui, self._motion.plottable or {}
        objects = tuple(plottable)
        if objects:
            what = gui.add_dropdown("Object", objects, initial_value=objects[0])
            quantity = gui.add_dropdown("Quantity", plottable[objects[0]])

            def offer(event: Any) -> None:
                quantity.options = plottable[event.target.value]

            what.on_update(offer)
            add = gui.add_button("Plot it")

            def chosen(_: Any) -> None:
                quantity_of = f"{what.value}.{quantity.value}" if what.value != "world" else ""
                self._wish("plot", quantity_of or str(quantity.value))

            add.on_click(chosen)
        named = gui.add_text("By name", "", hint="Any path, for instance links.rod2.center.y")

        def typed(event: Any) -> None:
            if event.target.value.strip():
                self._wish("plot", event.target.value.strip())

        named.on_update(typed)
        self._complaint = gui.add_markdown("")
        self._complaint.visible = False
        clear = gui.add_button("Clear the plot")
        clear.on_click(lambda _: self._wish("clear", True))
