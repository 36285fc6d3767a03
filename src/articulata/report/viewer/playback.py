"""Where in a motion the viewer stands: playing, paused, stepping, looping.

A value without a clock: whoever owns one says how many seconds have passed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
