"""Event mode or stepping mode: which of them a world with contact takes, and when it changes.

Event mode is exact. It costs by the event, and an event costs the more, the more contacts are
closed: the active set is decided anew. Where events come faster than a run wants to locate them, or
where event mode hardly advances, steps take over until no event has happened for a while. Both
changes are events of kind ``mode``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from articulata.records.events import Event

WINDOW = 0.1
"""Time (s) over which events are counted."""

LONGEST = 0.8
"""The longest (s) that the time without events, after which steps hand back, is made.

It doubles where following exactly gets nowhere, and where it ends in a crowd again at once.
"""

Chosen = tuple["Choice", tuple[Event, ...]]
"""A choice and the events that tell what it has changed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Counts the instants at which something happens; more than ``crowd`` (1/s) are a crowd.

    An instant counts as often as there are contacts closed at it, at least once: ``instants`` (s)
    and ``counts``. Steps hand back where nothing has happened for ``quiet`` (s), ``usual`` where
    nothing has made it longer; they did so last at ``back`` (s).
    """

    crowd: float
    usual: float
    quiet: float
    stepping: bool = False
    instants: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()
    back: float = -math.inf

    def plain(self) -> dict[str, Any]:
        """Return what a recording holds of it."""
        return asdict(self)

    @staticmethod
    def recalled(plain: Mapping[str, Any]) -> Choice:
        """Return the choice that ``plain`` has written; ValueError for another."""
        numbers = {name: float(plain[name]) for name in ("crowd", "usual", "quiet", "back")}
        instants, counts = tuple(map(float, plain["instants"])), tuple(map(int, plain["counts"]))
        if len(instants) != len(counts):
            raise ValueError("instants have other counts")
        return Choice(stepping=bool(plain["stepping"]), instants=instants, counts=counts, **numbers)

    def seen(self, events: tuple[Event, ...], time: float, closed: int = 0) -> Chosen:
        """Take note of what an interval that ended at ``time`` led to.

        ``closed`` is the number of contacts closed there.
        """
        instants, counts = self.instants, self.counts
        if events:
            instants, counts = (*instants, time), (*counts, max(1, closed))
        if self.stepping:
            return replace(self, instants=instants, counts=counts) if events else self, ()
        if not events and not (instants and instants[0] <= time - WINDOW):
            return self, ()
        past = sum(at <= time - WINDOW for at in instants)
        instants, counts = instants[past:], counts[past:]
        count = sum(counts)
        rate = count / WINDOW
        if rate <= self.crowd:
            return replace(self, instants=instants, counts=counts), ()
        soon = time - self.back < WINDOW
        quiet = min(LONGEST, 2.0 * self.quiet) if soon else self.usual
        often, pressed = len(instants), count / len(instants)
        story = (
            f"Something happened at {often} instants within {WINDOW:g} s, with {pressed:.3g} "
            f"contacts to decide about at each, together more than {self.crowd:g} a second: from "
            f"here the motion goes on in steps, until nothing has happened for {quiet:g} s."
        )
        made = replace(self, stepping=True, quiet=quiet, instants=instants, counts=counts)
        return made, (Event(time, "mode", values={"mode": "stepping", "rate": rate}, story=story),)

    def nowhere(self, time: float) -> Chosen:
        """Take to steps where following the motion exactly hardly gets on at ``time``."""
        quiet = max(self.quiet, min(LONGEST, 2.0 * self.quiet))
        return replace(self, quiet=quiet)._stepped(
            time,
            "Following the contacts exactly hardly gets on: from here the motion goes on in steps, "
            f"until nothing has happened for {quiet:g} s.",
        )

    def many(self, time: float) -> Chosen:
        """Take to steps where too much touches at ``time`` to decide about at once."""
        return self._stepped(
            time,
            "Two bodies touch at too many points to decide about each: from here the motion goes "
            "on in steps, as long as they do.",
        )

    def overlapping(self, time: float) -> Chosen:
        """Take to steps where a run goes on from a state in steps, at ``time``."""
        return self._stepped(
            time,
            "Bodies overlap or hinges stand beyond their limits, as they may within steps: from "
            f"here the motion goes on in steps, until nothing has happened for {self.quiet:g} s.",
        )

    def _stepped(self, time: float, story: str) -> Chosen:
        made = replace(self, stepping=True, instants=(time,), counts=(1,))
        return made, (Event(time, "mode", values={"mode": "stepping"}, story=story),)

    def handed_back(self, time: float) -> Chosen:
        """Let steps hand back at ``time``; no event where it is not quiet."""
        if not self.stepping or (self.instants and time - self.instants[-1] < self.quiet):
            return self, ()
        story = (
            f"Nothing has happened for {self.quiet:g} s: from here the motion is followed exactly."
        )
        made = replace(self, stepping=False, instants=(), counts=(), back=time)
        return made, (Event(time, "mode", values={"mode": "events"}, story=story),)
