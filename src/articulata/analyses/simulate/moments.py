"""One instant of a running simulation, as those see it who react to what happens there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from articulata.analyses.simulate.sensing import Snapshot
from articulata.geometry.arrays import Array
from articulata.records.events import Event
from articulata.records.state import State
from articulata.world.model import World
from articulata.world.values import Pose


@dataclass(frozen=True, slots=True)
class Moment:
    """The instant ``time`` (s): the ``world`` and its ``state`` then, and what has happened.

    Nothing in it can be changed; what is to be changed is returned as edits.
    """

    time: float
    world: World
    state: State
    events: tuple[Event, ...]
    _look: Callable[[], Snapshot] = field(repr=False, compare=False)

    def value(self, path: str) -> Array | float:
        """Return the quantity ``path`` names at this instant, as a recording's ``series`` would.

        "ball.center", "rod2.w.z", "links.h23.angle", "links.h23.force", "energy.total" ...
        """
        return self._look().value(path)

    def pose(self, body: str) -> Pose:
        """Return ``X_WB``, where the body's own frame is at this instant."""
        x, y, z = np.asarray(self.value(f"{body}.origin")).tolist()
        qw, qx, qy, qz = np.asarray(self.value(f"{body}.orientation")).tolist()
        return Pose((x, y, z), (qw, qx, qy, qz))
