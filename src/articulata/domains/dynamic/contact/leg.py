"""When following contacts exactly leads no further."""

from __future__ import annotations

from dataclasses import dataclass

from articulata.errors import SimulationError

TRIES = 256
"""Steps after which is asked how far they have come."""

WORTH = 2.5e-7
"""Time (s) that a step of few contacts must be worth, on the average over so many."""

FEW = 10
"""Square of that number: a step costs as the square of the contacts, and is to be worth as much."""


class Unfollowed(SimulationError):
    """No exact answer was found to what touches at an instant; steps may lead on."""


@dataclass(slots=True)
class Patience:
    """Counts the steps taken from ``since`` (s) on."""

    since: float
    tries: int = 0

    def ends(self, time: float, closed: int) -> bool:
        """Tell whether the steps so far, one more than at the last call, have come nowhere.

        ``closed`` is the number of contacts that the step is taken with.
        """
        self.tries += 1
        if self.tries <= TRIES:
            return False
        nowhere = time - self.since < TRIES * WORTH * max(1.0, closed * closed / FEW)
        self.since, self.tries = time, 0
        return nowhere
