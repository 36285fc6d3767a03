"""Which way through time a world with contact takes: from event to event, or in steps.

Event mode is exact and costs by the event. Where more events happen than a run wants to locate one
by one, or where following them exactly hardly gets on, steps take over until it is quiet again.
Both changes are events of kind ``mode``.
"""

from __future__ import annotations

from articulata.records.events import Event

WINDOW = 0.1
"""Time (s) over which events are counted."""

LONGEST = 0.8
"""The longest (s) that the time without events, after which steps hand back, is made.

It doubles where following exactly gets nowhere.
"""


class Choice:
    """Counts the instants at which something happens; more than ``crowd`` (1/s) are a crowd.

    Steps hand back where nothing has happened for ``quiet`` (s).
    """

    def __init__(self, crowd: float, quiet: float) -> None:
        self.crowd = crowd
        self.stepping = False
        self._instants: list[float] = []
        self._quiet = quiet

    def seen(self, events: tuple[Event, ...], time: float) -> tuple[Event, ...]:
        """Take note of what a leg that ended at ``time`` led to; return what it changes."""
        if self._instants and time < self._instants[-1]:
            self._instants = []  # another run, or one that goes on from an earlier state
        if events:
            self._instants.append(time)
        if self.stepping:
            return ()
        self._instants = [at for at in self._instants if at > time - WINDOW]
        rate = len(self._instants) / WINDOW
        if rate <= self.crowd:
            return ()
        self.stepping = True
        story = (
            f"Something happened at {len(self._instants)} instants within {WINDOW:g} s, more than "
            f"{self.crowd:g} a second: from here the motion goes on in steps."
        )
        return (Event(time, "mode", values={"mode": "stepping", "rate": rate}, story=story),)

    def nowhere(self, time: float) -> tuple[Event, ...]:
        """Return what is told where following the motion exactly hardly gets on at ``time``."""
        self.stepping = True
        self._instants = [time]
        self._quiet = max(self._quiet, min(LONGEST, 2.0 * self._quiet))
        story = (
            "Following the contacts exactly hardly gets on: from here the motion goes on in steps, "
            f"until nothing has happened for {self._quiet:g} s."
        )
        return (Event(time, "mode", values={"mode": "stepping"}, story=story),)

    def overlapping(self, time: float) -> tuple[Event, ...]:
        """Return what is told where a run goes on from a state in steps, at ``time``."""
        self.stepping = True
        self._instants = [time]
        story = (
            "Bodies overlap as they do within steps: from here the motion goes on in steps, until "
            f"nothing has happened for {self._quiet:g} s."
        )
        return (Event(time, "mode", values={"mode": "stepping"}, story=story),)

    def quiet(self, time: float) -> tuple[Event, ...]:
        """Return what is told where steps hand back at ``time``; none where it is not quiet."""
        if not self.stepping or (self._instants and time - self._instants[-1] < self._quiet):
            return ()
        self.stepping = False
        self._instants = []
        story = (
            f"Nothing has happened for {self._quiet:g} s: from here the motion is followed exactly."
        )
        return (Event(time, "mode", values={"mode": "events"}, story=story),)
