"""The viewer's list of events, and why each of them happened.

Callbacks leave a wish in the mailbox and nothing else: "happening" with the number of an event.
"""

from __future__ import annotations

from typing import Any

from articulata.report.accounts import Account
from articulata.report.viewer.mailbox import Mailbox
from articulata.report.viewer.motion import Motion
from articulata.report.viewer.offers import NO_OFFERS, Offers

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
