"""Figures of ours in an exercise: scripted ones, which perform motions, and live persons."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from articulata.analyses.track.carrying import BODIES
from articulata.domains.kinematic.model import kinematic_model
from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix
from articulata.records.networked import STANDING, NetworkedLook
from articulata.records.tracking import TrackedPosture
from articulata.sessions.join.frames import Body
from articulata.world.figures.nodes import Performance
from articulata.world.paths import hint

_STANCE_OF = {motion: stance for stance, motion in BODIES.items()}

PAUSE = 1.0
"""Seconds between two motions of a script."""


class Scripted:
    """A figure that performs motions of its text in turn, from ``X_W0`` (4, 4) on.

    ``X_W0`` moves the figure from where a text stands it. ``perform`` changes what it does.
    """

    def __init__(
        self, name: str, figure: str, body: Body, X_W0: Array, motions: Sequence[str], now: float
    ) -> None:
        self.body, self.X_W0 = body, X_W0
        self.look = NetworkedLook(name, figure, STANDING)
        self._lock = threading.Lock()
        self._plan: tuple[tuple[str, float, float], ...] = ()
        performer = kinematic_model(body.follower.world).performers[body.follower.who]
        self._begin = replace(performer, node=replace(performer.node, follows=()), _kept={})
        self._performer = self._begin
        self._whole = 0.0
        self.perform(motions or ("stand",), now, repeated=bool(motions))

    @property
    def offered(self) -> tuple[str, ...]:
        """The motions that it knows."""
        return tuple(self._begin.node.motions)

    def perform(self, motions: Sequence[str], now: float, *, repeated: bool = False) -> None:
        """Do what motions say from ``now`` (s) on, one after the other, or again and again."""
        known = self._begin.node.motions
        plan, begin = [], now
        for motion in motions:
            if motion not in known:
                if motion == "stand":
                    continue
                name = self.body.figure.name
                raise NameNotFound(
                    f"figure '{name}' has no motion '{motion}'{hint(motion, list(known))}"
                )
            plan.append((motion, begin, known[motion].frames[-1].time))
            begin += known[motion].frames[-1].time + PAUSE
        follows = tuple(Performance(motion, start) for motion, start, _ in plan)
        with self._lock:
            self._plan, self._whole = tuple(plan), begin - now if repeated and plan else 0.0
            # what went on before is blended from
            node = self._performer.node
            kept = tuple(each for each in node.follows if each.start <= now)[-1:]
            self._performer = replace(
                self._begin, node=replace(node, follows=(*kept, *follows)), _kept={}
            )

    def at(self, now: float) -> tuple[Array, Array]:
        """Return joint values (dof,) and ``X_WF`` (4, 4) at ``now`` (s)."""
        with self._lock:
            performer, plan, whole = self._performer, self._plan, self._whole
        doing = [motion for motion, begin, _ in plan if begin <= now]
        if whole and plan and now >= plan[0][1] + whole and not self._cyclic(plan):
            begun = plan[0][1] + whole * ((now - plan[0][1]) // whole)
            self.perform([motion for motion, _, _ in plan], begun, repeated=True)
            return self.at(now)
        stance = _STANCE_OF.get(doing[-1], STANDING) if doing else STANDING
        if stance != self.look.stance:
            self.look = replace(self.look, stance=stance)
        q, X_WF = performer.at(now)
        return q, self.X_W0 @ X_WF

    def _cyclic(self, plan: Sequence[tuple[str, float, float]]) -> bool:
        """Return whether what it does goes on by itself: one motion that repeats or holds."""
        return len(plan) == 1 and plan[0][0] in _STANCE_OF


class Live:
    """A person who is tracked: the newest posture, from another thread."""

    def __init__(self, name: str, figure: str, body: Body, X_W0: Array) -> None:
        self.body, self.X_W0 = body, X_W0
        self.look = NetworkedLook(name, figure, STANDING)
        self._newest: TrackedPosture | None = None

    def follow(self, posture: TrackedPosture) -> None:
        """Take a posture up."""
        self._newest = posture

    def at(self, now: float) -> tuple[Array, Array]:
        """Return joint values (dof,) and ``X_WF`` (4, 4) as they are."""
        newest, X_WF = self._newest, np.eye(4)
        if newest is None:
            return self.body.tracked.rest, self.X_W0
        X_WF[:3, :3], X_WF[:3, 3] = q_to_matrix(newest.q_WF), newest.p_WF
        return newest.q, self.X_W0 @ X_WF
