"""Cases and their timing.

A case holds one question ("steps per second of a three-link pendulum") and everyone who answers
it. All answers are timed in turns: one round times each of them once, then the next round begins,
so that a machine that slows down slows everyone. The median over the rounds is reported, its
spread beside it, and the ratio of ours to each peer's: above 1 we are better, whichever way the
unit points.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

ROUNDS = 7
LEAST_SECONDS = 0.15  # one timing lasts at least this long, so that the clock's grain is nothing


@dataclass(frozen=True, slots=True)
class Answer:
    """What one contestant gave: the value in the case's unit and its relative spread."""

    who: str
    value: float
    spread: float
    ours: bool
    note: str


@dataclass
class Case:
    """One question. ``target`` is the figure to reach in ``unit``, ``better`` its good side."""

    name: str
    unit: str
    better: Literal["higher", "lower"]
    target: float | None = None
    note: str = ""
    answers: list[Answer] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)
    _timed: list[tuple[str, Callable[[], object], float, bool, str]] = field(default_factory=list)

    def time(
        self,
        who: str,
        function: Callable[[], object],
        *,
        count: float = 1.0,
        ours: bool = False,
        note: str = "",
    ) -> None:
        """Enter a contestant: a call of ``function`` does ``count`` units of the work.

        The value is units per second where higher is better and the unit ends in "/s", otherwise
        seconds per unit.
        """
        self._timed.append((who, function, count, ours, note))

    def number(self, who: str, value: float, *, ours: bool = False, note: str = "") -> None:
        """Enter a value that was measured otherwise, as of a child process."""
        self.answers.append(Answer(who, value, 0.0, ours, note))

    def missing(self, who: str, why: str) -> None:
        """Name a peer that could not take part, and why."""
        self.absent[who] = why

    def settle(self) -> None:
        """Time everyone who was entered, in turns."""
        loops = {}
        for who, function, _, _, _ in self._timed:
            function()  # compiles, fills caches
            start = time.perf_counter()
            function()
            once = max(time.perf_counter() - start, 1e-9)
            loops[who] = max(1, round(LEAST_SECONDS / once))
        seconds: dict[str, list[float]] = {who: [] for who in loops}
        for _ in range(ROUNDS):
            for who, function, count, _, _ in self._timed:
                gc.collect()
                start = time.perf_counter()
                for _ in range(loops[who]):
                    function()
                seconds[who].append((time.perf_counter() - start) / loops[who] / count)
        for who, _, _, ours, note in self._timed:
            median = statistics.median(seconds[who])
            spread = (max(seconds[who]) - min(seconds[who])) / median
            value = 1.0 / median if self.unit.endswith("/s") else median
            self.answers.append(Answer(who, value, spread, ours, note))
        self._timed.clear()

    def ratio(self, answer: Answer) -> float | None:
        """Return how many times better we are than this answer; None for ours."""
        ours = next((a for a in self.answers if a.ours), None)
        if ours is None or answer.ours or not ours.value or not answer.value:
            return None
        if self.better == "higher":
            return ours.value / answer.value
        return answer.value / ours.value

    def reached(self) -> bool | None:
        """Return whether our value is on the good side of the target; None without a target."""
        ours = next((a for a in self.answers if a.ours), None)
        if self.target is None or ours is None:
            return None
        if self.better == "higher":
            return ours.value >= self.target
        return ours.value <= self.target


@dataclass
class Report:
    """Every case of one run."""

    cases: list[Case] = field(default_factory=list)

    @contextmanager
    def case(
        self,
        name: str,
        *,
        unit: str,
        better: Literal["higher", "lower"],
        target: float | None = None,
        note: str = "",
    ) -> Iterator[Case]:
        """Open a case; those entered inside are timed when it closes."""
        case = Case(name, unit, better, target, note)
        yield case
        case.settle()
        self.cases.append(case)
