"""The panel of scripts: motions that are run, and changed key frame by key frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure
from articulata.records.tracking import ADDED, CHANGED, PACE, REMOVED, KeyedMotion, ScriptEdit
from articulata.report.viewer.panels.track_panel import shortened

Wish = Callable[[str, object], None]

SIGNAL = "signal_"
KEYS = "ABCDEFGHIJKLMNOPQRS"
"""Letters that start the first motions, with Alt; the command palette (Ctrl-K) lists them."""

SAME = 0.05
"""Degrees: a joint that was moved by less was not."""


def add_signal_keys(gui: Any, names: Sequence[str], perform: Callable[[str], None]) -> None:
    """Let Alt and a letter perform a signal among the first of ``names``."""
    for letter, name in zip(KEYS, names, strict=False):
        if name.startswith(SIGNAL):
            label = name.removeprefix(SIGNAL).replace("_", " ")
            command = gui.add_command(f"Signal: {label}", hotkey=letter, modifier="alt")
            command.on_trigger(lambda _, name=name: perform(name))


class ScriptPanel:
    """Runs and changes ``motions`` of a figure whose arms have ``joints``, arm by arm.

    Wishes: "perform" (a name and a pace), "show" (joint values (dof,) rad, None to follow again)
    and "edit" (a ScriptEdit), the last where the motions are ``writable``.
    """

    def __init__(
        self,
        gui: Any,
        wish: Wish,
        figure: Figure,
        motions: Mapping[str, KeyedMotion],
        joints: Sequence[Sequence[str]],
        *,
        writable: bool,
    ) -> None:
        self._wish, self._figure, self._motions = wish, figure, motions
        self._sliders: dict[str, Any] = {}
        self._setting = False
        names = signals_first(motions)
        with gui.add_folder("Scripts"):
            self._chosen = gui.add_dropdown("Motion", names)
            self._pace = gui.add_slider("Speed", 0.25, 4.0, 0.05, 1.0)
            execute = gui.add_button(
                "Execute",
                hint="The arms do what the motion says. Ctrl-K lists keys for signals.",
            )
            self._said = gui.add_markdown("")
            if writable:
                self._build_edit(gui, joints)
        execute.on_click(self._by_hand(lambda _: self._perform(str(self._chosen.value))))
        add_signal_keys(gui, names, self._perform)

    def update(self, motions: Mapping[str, KeyedMotion], said: str) -> None:
        """Show the motions as they are now, and what there is to say."""
        self._motions = motions
        self._said.content = said
        names = signals_first(motions)
        if tuple(self._chosen.options) != names:
            self._chosen.options = names
        if self._sliders:
            self._list(keep=True)

    # ---- inside

    def _build_edit(self, gui: Any, joints: Sequence[Sequence[str]]) -> None:
        figure = self._figure
        with gui.add_folder("Edit", expand_by_default=False):
            self._show = gui.add_checkbox(
                "Show the key frame", False, hint="The arms hold it; off: they follow again."
            )
            self._key = gui.add_dropdown("Key frame", ("1: 0 s",))
            self._time = gui.add_number("Time [s]", 0.0, min=0.0, max=600.0, step=0.05)
            save = gui.add_button("Save the key frame")
            more = gui.add_button("Add one after it")
            less = gui.add_button("Remove it")
            quicker = gui.add_number("Times as fast", 1.0, min=0.1, max=10.0, step=0.05)
            pace = gui.add_button("Change the timing", hint="All times of the motion, in the text.")
            for number, arm in enumerate(joints):
                side = "Right arm" if arm[0].startswith(("r", "R")) else "Left arm"
                with gui.add_folder(f"{side} [deg]", expand_by_default=number == 0):
                    for name in arm:
                        at = figure.coordinate(name)
                        low, high = np.degrees((figure.lower[at], figure.upper[at]))
                        low, high = max(float(low), -180.0), min(float(high), 180.0)
                        slider = gui.add_slider(
                            shortened(name), low, high, 0.5, min(max(0.0, low), high)
                        )
                        slider.on_update(self._by_hand(lambda _: self._preview()))
                        self._sliders[name] = slider
        self._chosen.on_update(self._by_hand(lambda _: self._list()))
        self._key.on_update(self._by_hand(lambda _: self._load()))
        self._show.on_update(self._by_hand(lambda _: self._preview()))
        save.on_click(self._by_hand(lambda _: self._save()))
        more.on_click(self._by_hand(lambda _: self._edit(ADDED)))
        less.on_click(self._by_hand(lambda _: self._edit(REMOVED)))
        pace.on_click(self._by_hand(lambda _: self._edit(PACE, float(quicker.value))))
        self._list()

    def _by_hand(self, do: Callable[[Any], None]) -> Callable[[Any], None]:
        def done(event: Any) -> None:
            # what a program sets is no wish of a person
            if event.client is not None and not self._setting:
                do(event)

        return done

    def _perform(self, name: str) -> None:
        self._wish("perform", (name, float(self._pace.value)))

    @property
    def _motion(self) -> KeyedMotion:
        return self._motions[str(self._chosen.value)]

    @property
    def _number(self) -> int:
        return int(str(self._key.value).partition(":")[0]) - 1

    def _list(self, *, keep: bool = False) -> None:
        """Offer the key frames of the motion that is chosen."""
        number = min(self._number, len(self._motion.times) - 1) if keep else 0
        labels = tuple(f"{k + 1}: {time:g} s" for k, time in enumerate(self._motion.times))
        self._setting = True
        try:
            if tuple(self._key.options) != labels:
                self._key.options = labels
            if self._key.value != labels[number]:
                self._key.value = labels[number]
        finally:
            self._setting = False
        self._load()

    def _load(self) -> None:
        """Set time and sliders to the key frame that is chosen."""
        q = self._motion.q[self._number]
        self._setting = True
        try:
            self._time.value = round(float(self._motion.times[self._number]), 3)
            for name, slider in self._sliders.items():
                angle = math.degrees(q[self._figure.coordinate(name)])
                slider.value = min(max(round(2.0 * angle) / 2.0, slider.min), slider.max)
        finally:
            self._setting = False
        self._preview()

    def _posture(self) -> Array:
        """Return the key frame as the sliders have it, (dof,) rad."""
        q = np.array(self._motion.q[self._number])
        for name, value in self._moved().items():
            q[self._figure.coordinate(name)] = math.radians(value)
        return q

    def _moved(self) -> dict[str, float]:
        """Return the joints that sliders have elsewhere than the text, deg."""
        q = self._motion.q[self._number]
        return {
            name: float(slider.value)
            for name, slider in self._sliders.items()
            if abs(slider.value - math.degrees(q[self._figure.coordinate(name)])) > 0.25 + SAME
        }

    def _preview(self) -> None:
        self._wish("show", self._posture() if self._show.value else None)

    def _save(self) -> None:
        edit = ScriptEdit(
            str(self._chosen.value), CHANGED, self._number, float(self._time.value), self._moved()
        )
        self._wish("edit", edit)

    def _edit(self, what: str, value: float = 0.0) -> None:
        self._wish("edit", ScriptEdit(str(self._chosen.value), what, self._number, value))


def signals_first(motions: Iterable[str]) -> tuple[str, ...]:
    """Return names of motions, those of signals before others."""
    return tuple(sorted(motions, key=lambda name: (not name.startswith(SIGNAL), name)))
