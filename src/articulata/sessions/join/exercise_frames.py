"""From a figure in a world to an entity on the earth, and back.

W is the world's frame, E the geocentric one, F a figure's own, B its axes as an entity (x ahead, y
right, z down, origin that of F).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from articulata.analyses.track.carrying import BODIES
from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.domains.kinematic.kinematic_domain import kinematic_model
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.geometry.poses import inverse_pose, make_pose
from articulata.network.dis.geocentric import GeodeticOrigin, body_axes, placed_world
from articulata.network.dis.human_parts import PARTS
from articulata.network.pose_codec import LONGEST, designator
from articulata.records.networked import NetworkedPosture
from articulata.sessions.track.tracked_figures import Follower, choice_of, follower
from articulata.world.figures.nodes import MotionNode, Performance

# ---- what trunk and legs do of somebody whose arms alone are told: as his stance has it


SAMPLED = 1.0 / 60.0
"""Seconds between two samples of a motion."""


class Stances:
    """Postures of a figure by what its body does, or by a motion of its text, sampled once each."""

    def __init__(self, who: Follower, body: TrackedBody) -> None:
        # a model of a world takes 10 ms to make
        self._performer = kinematic_model(who.world).performers[who.who]
        self._rest = body.rest
        self._known: dict[str, tuple[float, Array]] = {}

    def posture(self, stance: str, since: Float64[Array, "*batch"]) -> Float64[Array, "*batch dof"]:
        """Return joint values ``since`` s after a stance was taken up; a cycle goes round."""
        motion = BODIES.get(stance, stance)
        # what others say is held only where it means something
        if motion not in self.motions:
            motion = ""
        if motion not in self._known:
            self._known[motion] = self._sampled(motion)
        cycle, rows = self._known[motion]
        if cycle > 0.0:
            since = since % cycle
        last = len(rows) - 1
        place = np.clip(since / SAMPLED, 0.0, last)
        before = np.minimum(place.astype(np.int64), max(last - 1, 0))
        share = (place - before)[..., None]
        first = rows[before]
        return np.asarray(first + share * (rows[np.minimum(before + 1, last)] - first))

    def cycle(self, motion: str) -> float:
        """Return the length (s) of a cycle of a motion that was shown, 0 where it ends."""
        return self._known[motion][0]

    @property
    def motions(self) -> Mapping[str, MotionNode]:
        """The motions of the figure's text, by name."""
        return self._performer.node.motions

    def _sampled(self, name: str) -> tuple[float, Array]:
        """Return the length of a cycle (s), 0 for what ends, and its postures (n, dof)."""
        performer, motion = self._performer, self.motions.get(name)
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


USUAL = "person"
"""Who stands for a human of whom nothing else is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A world on the earth: ``X_EW`` (4, 4), its inverse and what is up in W."""

    X_EW: Array
    X_WE: Array
    up: Array

    @staticmethod
    def at(origin: GeodeticOrigin, up: Array) -> Ground:
        """Return the world at a place on the earth."""
        X_EW = placed_world(origin, up)
        return Ground(X_EW, inverse_pose(X_EW), up)


class Body:
    """A figure that stands for a human: its axes as an entity, its joints as columns of packets."""

    def __init__(self, who: Follower) -> None:
        self.follower, self.figure = who, who.figure
        self.tracked = tracked_body(who.figure)
        self.R_FB = body_axes(self.tracked.forward, self.tracked.up)
        self.stances = Stances(who, self.tracked)
        known = {name: k for k, name in enumerate(who.figure.names)}
        pairs = [(k, known[each.joint]) for k, each in enumerate(PARTS) if each.joint in known]
        self._told: IntArray = np.array([pair[0] for pair in pairs], np.int64)
        self._own: IntArray = np.array([pair[1] for pair in pairs], np.int64)
        self.motions = {designator(name): name for name in sorted(self.stances.motions)}

    def told(
        self, doing: tuple[str, float] | None, q: Array, bound: float
    ) -> tuple[str, float] | None:
        """Return a motion, so many s after it began, if that tells the joints to ``bound`` rad.

        Of one that has gone on for long whole cycles are left out.
        """
        if doing is None or self.motions.get(designator(doing[0])) != doing[0]:
            return None
        motion, since = doing
        shown = self.stances.posture(motion, np.asarray(since))
        if np.abs(shown - q)[self._own].max(initial=0.0) > bound:
            return None
        cycle = self.stances.cycle(motion)
        return motion, since % (cycle * (LONGEST // cycle)) if cycle else since

    def sent(self, ground: Ground, time: float, q: Array, X_WF: Array) -> NetworkedPosture:
        """Return a posture of the figure as it is sent."""
        X_EF = ground.X_EW @ X_WF
        return NetworkedPosture(
            time, X_EF[:3, 3], X_EF[:3, :3] @ self.R_FB, tuple(self.figure.names), q
        )

    def heard(
        self,
        ground: Ground,
        stance: str,
        since: Float64[Array, "*batch"],
        angles: Float64[Array, "*batch width"],
        p_EB: Float64[Array, "*batch 3"],
        R_EB: Float64[Array, "*batch 3 3"],
    ) -> tuple[Float64[Array, "*batch dof"], Float64[Array, "*batch 4 4"]]:
        """Return joint values and ``X_WF`` of what was heard of figures of one stance.

        Joints that were not told are as the ``stance`` has them, ``since`` s after it began.
        """
        q = self.stances.posture(stance, since)
        values = angles[..., self._told]
        q[..., self._own] = np.where(np.isfinite(values), values, q[..., self._own])
        return q, ground.X_WE @ make_pose(R_EB @ self.R_FB.T, p_EB)


def body_of(figure: str = USUAL, who: str = "") -> Body:
    """Return the body of a figure of the library, written as in a text."""
    return Body(follower(choice_of(figure), who=who))
