"""Energy accounting of one leg with contact: work, and dissipation by cause, in joules."""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed
from articulata.domains.dynamic.engine import Engine
from articulata.geometry.arrays import Array


class Books:
    """Adds up what the kernels book of steps and what impacts take between them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._struck = self._rubbed = 0.0

    def begin(self, now: Closed) -> None:
        """Begin a leg with the contacts ``now`` closed."""
        self._engine.work.books[:] = now.rows.books[:] = 0.0
        self._struck = self._rubbed = 0.0

    def strike(self, work: float, lost: float) -> None:
        """Book an impact: the ``work`` of what moves prescribed bodies, and the energy ``lost``."""
        self._engine.work.books[:2] += (work, lost)
        self._struck += lost

    def leave(self, now: Closed) -> None:
        """Keep what sliding has taken with contacts that others follow upon."""
        self._rubbed += float(now.rows.books[1])
        now.rows.books[1] = 0.0

    def sums(self, now: Closed) -> tuple[float, Array]:
        """Return the leg's work and losses (4,) by ``readings.CAUSES``."""
        work, dissipated = self._engine.work.books[:2].tolist()
        rubbed = self._rubbed + float(now.rows.books[1])
        # without dampers impacts take all that sliding does not: no rounding is left to a damper
        struck = self._struck if self._engine.damped else dissipated - rubbed
        return work, np.array([struck, rubbed, dissipated - rubbed - struck, 0.0])
