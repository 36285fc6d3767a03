"""A weapon that a tracked person carries: slung on the back, or deployed in both hands or in one.

Any figure will do that says by its landmarks ``r_grip``, ``l_grip`` and ``sling`` where hands hold
it and where it lies on a back. What a motion of the person's text, ``weapon_deployed``, says of
some joints goes over what the body does, and tracked joints go over both. The weapon goes with the
hand that leads; the other hand, where it holds too, follows the weapon in closed form.

T is the weapon's frame, F the figure's, G a grip.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from articulata.analyses.track.completing import FAR, NEAR
from articulata.analyses.track.fewer import Limbs, arms_from_hand, limbs_of
from articulata.analyses.track.tracked_person import TrackedBody
from articulata.domains.kinematic.performed_motions import Performer
from articulata.errors import ArticulataError, KinematicsError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.easing import minimum_jerk
from articulata.geometry.poses import interpolate_poses, inverse_pose
from articulata.kinematics.figure import Figure
from articulata.records.tracking import TrackedPosture
from articulata.world.figures.nodes import Performance

DEPLOYED, SLUNG = "deployed", "slung"
STATES = (SLUNG, DEPLOYED)
"""How a weapon is carried."""

BOTH = frozenset({"r", "l"})

MOTION = "weapon_deployed"
"""The motion of the text by which arms hold a weapon; with ``_prone`` for a body that is prone."""

NEEDED = ("crawling", "dead")
"""Bodies that need their hands, or hold nothing: the weapon hangs on their backs."""

BACK = "back"
"""The landmark of a person on which a sling lies."""

TAKING = 0.4
"""Seconds in which a weapon is taken or let go. Shorter looks like a leap; longer, a hand that was
released lags."""


EVERY = 1.0 / 70.0
"""Seconds between two looks for the arm that follows: as often as pictures are drawn."""


class Wielded(NamedTuple):
    """What carrying goes on from.

    The weapon's pose ``X_FT`` and the posture ``q`` (dof,) rad as they were, and as they were at
    the last change, number ``change`` at ``since`` (s); ``elbow`` (7,) rad and ``swivel`` of the
    arm that follows, as they were at ``looked`` (s), ``short`` (m) by how much it is too short,
    ``arms`` which ones followed.
    """

    X_FT: Array
    q: Array
    X_before: Array
    q_before: Array
    change: int = 0
    since: float = -math.inf
    elbow: Array | None = None
    swivel: float | None = None
    short: float = 0.0
    looked: float = -math.inf
    arms: frozenset[str] = frozenset()
    followed: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Weapon:
    """A weapon and its carrier.

    ``grips`` are the poses ``X_TG`` by the side of the hand, ``hands`` the poses ``X_HG`` in the
    links of the hands; ``X_BT`` is the weapon's pose on the link of number ``back``. ``state`` is
    DEPLOYED or SLUNG, ``holding`` the sides that hold it where it is deployed, ``on`` what the
    body does.
    """

    body: TrackedBody
    performer: Performer
    figure: Figure
    limbs: Mapping[str, Limbs]
    grips: Mapping[str, Array]
    hands: Mapping[str, Array]
    back: int
    X_BT: Array
    state: str = SLUNG
    holding: frozenset[str] = BOTH
    on: str = ""
    change: int = 0

    @property
    def held(self) -> frozenset[str]:
        """The sides of the hands that hold it now."""
        deployed = self.state == DEPLOYED and self.on not in NEEDED
        return self.holding & frozenset(self.limbs) if deployed else frozenset()

    @property
    def carried(self) -> tuple[str, frozenset[str]]:
        """How it is carried, and the sides that were asked to hold it where it is deployed."""
        return self.state, self.holding if self.state == DEPLOYED else frozenset()

    def carry(self, state: str) -> Weapon:
        """Return the weapon deployed in both hands, or slung."""
        if state not in STATES:
            raise ArticulataError(f"a weapon is {' or '.join(STATES)}, not {state!r}")
        return replace(self, state=state, holding=BOTH, change=self.change + 1)

    def hold(self, side: str, holds: bool) -> Weapon:
        """Return the weapon held by the hand of a side ("r", "l"), or released by it."""
        holding = self.holding | {side} if holds else self.holding - {side}
        return replace(self, holding=holding, change=self.change + 1)

    def under(self, word: str) -> Weapon:
        """Return the weapon of a body that does what ``word`` says."""
        return replace(self, on=word, change=self.change + 1)

    def start(self) -> Wielded:
        """Return the state before the first posture."""
        q = self.body.rest
        X = self._slung(self.body.figure.poses(q))
        return Wielded(X, q, X, q, self.change)

    def step(self, was: Wielded, posture: TrackedPosture) -> tuple[Wielded, TrackedPosture]:
        """Return the state after ``posture``, and the posture with the weapon and its hands."""
        if was.change != self.change:
            was = was._replace(
                X_before=was.X_FT, q_before=was.q, change=self.change, since=posture.time,
                followed=was.arms,
            )  # fmt: skip
        q, free = posture.q, self._free(posture)
        held, (performer, spoken) = self.held, self._holds
        if held:
            q = np.where(spoken & free, performer.at(posture.time - was.since + TAKING)[0], q)
        X = self.body.figure.poses(q)
        sides = [side for side in self.body.sides if side in held]
        if not sides:
            X_FT = self._slung(X)
            after = was._replace(elbow=None, swivel=None, short=0.0, arms=frozenset())
            solved = posture.solved
        else:
            tracked = dict(zip(self.body.sides, posture.tracked, strict=True))
            lead = next((side for side in sides if tracked[side]), sides[0])
            hand = X[self.limbs[lead].arm.hand] @ self.hands[lead]
            X_FT = hand @ inverse_pose(self.grips[lead])
            arms = frozenset(sides) - {lead}
            after, solved = was._replace(arms=arms), posture.solved
            for side in arms:
                if not 0.0 <= posture.time - after.looked < EVERY or after.elbow is None:
                    after = self._followed(side, X, X_FT, q, after)
                    after = after._replace(looked=posture.time)
                columns = self.limbs[side].arm.columns
                q, solved = q.copy(), solved.copy()
                q[columns] = after.elbow
                solved[self.body.sides.index(side), : len(columns)] = after.elbow
        share = self._share(posture.time - was.since)
        if share < 1.0:
            moving = free & spoken | self._arms(was.followed | after.arms)
            q = np.where(moving, was.q_before + share * (q - was.q_before), q)
            X_FT = interpolate_poses(was.X_before, X_FT, share)
        after = after._replace(X_FT=X_FT, q=q)
        return after, posture._replace(q=q, solved=solved, X_FT=X_FT)

    def told(self, state: Wielded | None) -> tuple[str, ...]:
        """Return what a person should know: a hand that does not reach the weapon."""
        if state is None or state.short < FAR:
            return ()
        names = {"r": "right", "l": "left"}
        side = names[next(iter(state.arms), "r")]
        return (f"{side} hand: {100.0 * state.short:.0f} cm short of the weapon",)

    # ---- inside

    @staticmethod
    def _share(t: float) -> float:
        return minimum_jerk(max(t, 0.0) / TAKING) if t < TAKING else 1.0

    @cached_property
    def _holds(self) -> tuple[Performer, BoolArray]:
        """Who holds it as the motion says, and which joints the motion speaks of."""
        motions, name = self.performer.node.motions, f"{MOTION}_{self.on}"
        name = name if name in motions else MOTION
        node = replace(self.performer.node, follows=(Performance(name, 0.0),))
        named = {joint for frame in motions[name].frames for joint in frame.values}
        spoken = np.array([joint in named for joint in self.body.figure.names])
        return replace(self.performer, node=node, _kept={}), spoken

    def _arms(self, sides: frozenset[str]) -> BoolArray:
        """Return which joints are those of the arms of ``sides``."""
        found = np.zeros(self.body.figure.dof, bool)
        for side in sides:
            found[self.limbs[side].arm.columns] = True
        return found

    def _free(self, posture: TrackedPosture) -> BoolArray:
        """Return which joints no sensor tells."""
        free = np.ones(self.body.figure.dof, bool)
        for arm, tracked in zip(self.body.arms.each, posture.tracked, strict=True):
            free[arm.columns] = not tracked
        if self.body.neck is not None and posture.headed:
            free[self.body.neck.columns] = False
        return free

    def _slung(self, X: Array) -> Array:
        at = self.body.figure.base if self.back < 0 else X[self.back]
        return np.asarray(at @ self.X_BT)

    def _followed(self, side: str, X: Array, X_FT: Array, q: Array, was: Wielded) -> Wielded:
        """Return the state whose hand of ``side`` is where the weapon at ``X_FT`` is held."""
        limbs = self.limbs[side]
        columns: IntArray = limbs.arm.columns
        X_FH = X_FT @ self.grips[side] @ inverse_pose(self.hands[side])
        root = X[limbs.arm.root] if limbs.arm.root >= 0 else self.body.figure.base
        before = q[columns] if was.elbow is None else was.elbow
        near = None if was.swivel is None else was.swivel + NEAR
        found = arms_from_hand(limbs, root, X_FH, before=before, swivel=near)
        return was._replace(elbow=found.angles.q, swivel=found.swivel, short=float(found.stretch))


def weapon_of(performer: Performer, body: TrackedBody, thing: Figure) -> Weapon:
    """Return a weapon slung on the back of a person; raise where it cannot be carried."""
    marks = body.figure.landmarks
    needed = [BACK, *(f"{side}_grip" for side in body.sides)]
    missing = [name for name in needed if name not in marks]
    if missing or MOTION not in performer.node.motions:
        what = f"landmark '{missing[0]}'" if missing else f"motion '{MOTION}'"
        raise KinematicsError(
            f"figure '{body.figure.name}' has no {what}, which carrying a weapon needs; take a"
            " person, or write them into the figure's text"
        )
    z = np.zeros(thing.dof)
    absent = [name for name in ("r_grip", "l_grip", "sling") if name not in thing.landmarks]
    if absent:
        raise KinematicsError(
            f"figure '{thing.name}' has no landmark '{absent[0]}', so that nobody can carry it;"
            " r_grip, l_grip and sling say where it is held and where it hangs"
        )
    limbs, hands = {}, {}
    for side, arm in zip(body.sides, body.arms.each, strict=True):
        limbs[side] = limbs_of(body.figure, arm)
        mark = marks[f"{side}_grip"]
        if mark.joint != arm.joints[-1]:
            raise KinematicsError(
                f"landmark '{side}_grip' of '{body.figure.name}' is on '{mark.joint}'; the grip of"
                f" a tracked hand is on '{arm.joints[-1]}'"
            )
        hands[side] = mark.X_LP
    grips = {side: thing.landmark(z, f"{side}_grip") for side in ("r", "l")}
    on = marks[BACK]
    back = body.figure.index(on.joint) if on.joint else -1
    X_BT = on.X_LP @ inverse_pose(thing.landmark(z, "sling"))
    return Weapon(body, performer, thing, limbs, grips, hands, back, X_BT)
