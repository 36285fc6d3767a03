"""What carries tracked arms: a motion of the figure's text, on the spot.

As in 1995, the body stands, walks or lies as a motion says, and the joints that are tracked
override it one by one. The motion goes where the trunk faces; its way over the ground is left out,
since the wearer stays where his tracker is.

F is the figure's own frame upright, before anything has moved; F' after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from articulata.analyses.track.tracked_person import TrackedBody
from articulata.domains.kinematic.performed_motions import Performer
from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.geometry.quaternion import q_from_matrix, q_to_matrix
from articulata.records.tracking import TrackedPosture
from articulata.world.figures.nodes import Performance

BODIES: Mapping[str, str] = MappingProxyType(
    {
        "standing": "stand",
        "seated": "sit",
        "kneeling": "kneel",
        "prone": "lie_prone",
        "dead": "lie_dead",
        "walking": "walk",
        "running": "run",
        "crawling": "crawl",
    }
)
"""What a body does, in the words of requests, and the motion of the text that shows it."""

UPRIGHT = 0.7
"""Cosine of the lean from which on a body lies: its trunk follows the wearer's heading alone."""

REMEMBERED = 3
"""Motions that are blended from, each into the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Carrying:
    """The body below the arms; ``begin`` goes over to another motion, ``under`` puts it there.

    ``X_WF0`` (4, 4) is where the figure's frame is while it stands.
    """

    performer: Performer
    body: TrackedBody
    X_WF0: Array

    @property
    def offered(self) -> tuple[str, ...]:
        """What the body can do, in words: those whose motion the figure's text has."""
        return tuple(w for w, motion in BODIES.items() if motion in self.performer.node.motions)

    def begin(self, word: str, time: float) -> Carrying:
        """Return a body that goes over to what ``word`` says from ``time`` (s) on."""
        if word not in self.offered:
            raise NameNotFound(
                f"figure '{self.body.figure.name}' has no motion '{BODIES.get(word, word)}' by"
                f" which its body could be {word}; it can be"
                f" {', '.join(self.offered) or 'as it stands'}"
            )
        follows = (*self.performer.node.follows, Performance(BODIES[word], time))[-REMEMBERED:]
        node = replace(self.performer.node, follows=follows)
        return replace(self, performer=replace(self.performer, node=node, _kept={}))

    def under(self, posture: TrackedPosture) -> TrackedPosture:
        """Return the posture with this body: tracked joints as they are, others as it moves."""
        if not self.performer.node.follows:
            return posture
        values, X_WF = self.performer.at(posture.time)
        q = values.copy()
        for arm, tracked in zip(self.body.arms.each, posture.tracked, strict=True):
            if tracked:
                q[arm.columns] = posture.q[arm.columns]
        neck = self.body.neck
        if neck is not None and posture.headed:
            q[neck.columns] = posture.q[neck.columns]
        X_FM = inverse_pose(self.X_WF0) @ X_WF
        up = self.body.up
        X_FM[:3, 3] = up * (up @ X_FM[:3, 3])
        X_FT = np.eye(4)
        X_FT[:3, :3], X_FT[:3, 3] = q_to_matrix(posture.q_WF), posture.p_WF
        if up @ X_FM[:3, :3] @ up < UPRIGHT:
            X_FT = _heading(X_FT, self.body)
        X = X_FT @ X_FM
        base = np.concatenate([q_from_matrix(X[:3, :3]), X[:3, 3]])
        return posture._replace(q=q, base=base)


def carrying(performer: Performer, body: TrackedBody) -> Carrying:
    """Return the body of a figure as it is placed, which follows no motion yet."""
    performer = replace(performer, node=replace(performer.node, follows=()), _kept={})
    X_WF0 = performer.node.stand.matrix()
    if "stand" in performer.node.motions:
        follows = (Performance("stand", 0.0),)
        standing = replace(performer, node=replace(performer.node, follows=follows), _kept={})
        X_WF0 = standing.at(1.0)[1]
    return Carrying(performer, body, X_WF0)


def _heading(X_FT: Array, body: TrackedBody) -> Array:
    """Return the pose that turns about what is up alone, as far as the trunk has."""
    up, ahead = body.up, X_FT[:3, :3] @ body.forward
    ahead = ahead - up * (up @ ahead)
    length = float(np.linalg.norm(ahead))
    X = np.eye(4)
    if length > 1e-6:
        # columns of the same three directions before and after
        before = np.stack([body.forward, np.cross(up, body.forward), up])
        after = np.stack([ahead / length, np.cross(up, ahead / length), up])
        X[:3, :3] = after.T @ before
    place = X_FT[:3, 3] + X_FT[:3, :3] @ body.pivot - body.pivot
    X[:3, 3] = place + body.pivot - X[:3, :3] @ body.pivot
    return X
