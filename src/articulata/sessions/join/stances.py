"""What trunk and legs do of somebody whose arms alone are told: as his stance has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from articulata.analyses.track.body import TrackedBody
from articulata.analyses.track.carrying import BODIES
from articulata.domains.kinematic.model import kinematic_model
from articulata.geometry.arrays import Array, Float64
from articulata.sessions.track.tracked_figures import Follower
from articulata.world.figures.nodes import Performance

SAMPLED = 1.0 / 60.0
"""Seconds between two samples of a motion."""


class Stances:
    """Postures of a figure by what its body does, sampled once each."""

    def __init__(self, who: Follower, body: TrackedBody) -> None:
        self._who, self._rest = who, body.rest
        self._known: dict[str, tuple[float, Array]] = {}

    def posture(self, stance: str, since: float) -> Float64[Array, "dof"]:
        """Return joint values ``since`` s after a stance was taken up; a cycle goes round."""
        if stance not in self._known:
            self._known[stance] = self._sampled(stance)
        cycle, rows = self._known[stance]
        if cycle > 0.0:
            since %= cycle
        place = min(max(since / SAMPLED, 0.0), len(rows) - 1.0)
        k = min(int(place), max(len(rows) - 2, 0))
        share = place - k
        last = min(k + 1, len(rows) - 1)
        return np.asarray(rows[k] + share * (rows[last] - rows[k]))

    def _sampled(self, stance: str) -> tuple[float, Array]:
        """Return the length of a cycle (s), 0 for what ends, and its postures (n, dof)."""
        performer = kinematic_model(self._who.world).performers[self._who.who]
        motion = performer.node.motions.get(BODIES.get(stance, ""))
        if motion is None:
            return 0.0, self._rest[None]
        node = replace(performer.node, follows=(Performance(motion.name, 0.0),))
        performer = replace(performer, node=node, _kept={})
        first, last = motion.frames[0].time, motion.frames[-1].time
        cycle = last - first if motion.repeat > 1.0 else 0.0
        # past its blend a cycle is as it goes on to be
        begun = first + (np.ceil(motion.blend / cycle) * cycle if cycle else 0.0)
        count = max(round((cycle or last) / SAMPLED), 1)
        times = begun + np.arange(count + 1) * ((cycle or last) / count)
        return cycle, np.array([performer.at(float(time))[0] for time in times])
