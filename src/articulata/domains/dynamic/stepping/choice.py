"""Which way through time a world with contact takes: from event to event, or in steps.

Event mode is exact and costs by the event, an event the more, the more contacts are closed then:
each is decided about anew. Where more happens than a run wants to locate one by one, or where
following it exactly hardly gets on, steps take over until it is quiet again.
Both changes are events of kind ``mode``.
"""

from __future__ import annotations

import math

from articulata.records.events import Event

WINDOW = 0.1
"""Time (s) over which events are counted."""

LONGEST = 0.8
"""The longest (s) that the time without events, after which steps hand back, is made.

It doubles where following exactly gets nowhere, and where it ends in a crowd again at once.
"""


class Choice:
    """Counts the instants at which something happens; more than ``crowd`` (1/s) are a crowd.

    An instant counts as often as there are contacts closed at it, at least once.
    Steps hand back where nothing has happened for ``quiet`` (s).
    """

    def __init__(self, crowd: float, quiet: float) -> None:
        self.crowd = crowd
        self.stepping = False
        self._instants: list[float] = []
        self._counts: list[int] = []
        self._quiet = self._usual = quiet
        self._back = -math.inf
        """When steps have handed back last, s."""

    def seen(self, events: tuple[Event, ...], time: float, closed: int = 0) -> tuple[Event, ...]:
        """Take note of what a leg that ended at ``time`` led to; return what it changes.

        ``closed`` is the number of contacts closed there.
        """
        if self._instants and time < self._instants[-1]:
            self._forget()  # another run, or one that goes on from an earlier state
        if events:
            self._instants.append(time)
            self._counts.append(max(1, closed))
        if self.stepping:
            return ()
        past = sum(at <= time - WINDOW for at in self._instants)
        del self._instants[:past], self._counts[:past]
        count = sum(self._counts)
        rate = count / WINDOW
        if rate <= self.crowd:
            return ()
        self.stepping = True
        soon = time - self._back < WINDOW
        self._quiet = min(LONGEST, 2.0 * self._quiet) if soon else self._usual
        often, pressed = len(self._instants), count / len(self._instants)
        story = (
            f"Something happened at {often} instants within {WINDOW:g} s, with {pressed:.3g} "
            f"contacts to decide about at each, together more than {self.crowd:g} a second: from "
            f"here the motion goes on in steps, until nothing has happened for {self._quiet:g} s."
        )
        return (Event(time, "mode", values={"mode": "stepping", "rate": rate}, story=story),)

    def nowhere(self, time: float) -> tuple[Event, ...]:
        """Return what is told where following the motion exactly hardly gets on at ``time``."""
        self.stepping = True
        self._instants, self._counts = [time], [1]
        self._quiet = max(self._quiet, min(LONGEST, 2.0 * self._quiet))
        story = (
            "Following the contacts exactly hardly gets on: from here the motion goes on in steps, "
            f"until nothing has happened for {self._quiet:g} s."
        )
        return (Event(time, "mode", values={"mode": "stepping"}, story=story),)

    def many(self, time: float) -> tuple[Event, ...]:
        """Return what is told where too much touches at ``time`` to decide about at once."""
        self.stepping = True
        self._instants, self._counts = [time], [1]
        story = (
            "Two bodies touch at too many points to decide about each: from here the motion goes "
            "on in steps, as long as they do."
        )
        return (Event(time, "mode", values={"mode": "stepping"}, story=story),)

    def overlapping(self, time: float) -> tuple[Event, ...]:
        """Return what is told where a run goes on from a state in steps, at ``time``."""
        self.stepping = True
        self._instants, self._counts = [time], [1]
        story = (
            "Bodies overlap or hinges stand beyond their limits, as they may within steps: from "
            f"here the motion goes on in steps, until nothing has happened for {self._quiet:g} s."
        )
        return (Event(time, "mode", values={"mode": "stepping"}, story=story),)

    def quiet(self, time: float) -> tuple[Event, ...]:
        """Return what is told where steps hand back at ``time``; none where it is not quiet."""
        if not self.stepping or (self._instants and time - self._instants[-1] < self._quiet):
            return ()
        self.stepping = False
        self._back = time
        self._forget()
        story = (
            f"Nothing has happened for {self._quiet:g} s: from here the motion is followed exactly."
        )
        return (Event(time, "mode", values={"mode": "events"}, story=story),)

    def going_on(self) -> Choice:
        """Return a choice that has seen the same: of the world after an edit."""
        after = Choice(self.crowd, self._quiet)
        after.stepping = self.stepping
        after._usual, after._back = self._usual, self._back
        after._instants, after._counts = list(self._instants), list(self._counts)
        return after

    def _forget(self) -> None:
        """Begin to count anew."""
        self._instants, self._counts = [], []
