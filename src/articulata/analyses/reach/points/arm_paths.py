"""The arm's path to a posture that reaches: from rest, beside room, device and body.

It is searched for where the person stands, with the base at rest: trunk and arm move.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.analyses.reach.one_person.bare_reach import COARSE
from articulata.analyses.reach.points.search import Case
from articulata.geometry.arrays import Array
from articulata.kinematics.free_paths import find_path, free_between
from articulata.kinematics.posture_probes import ClashProbe
from articulata.records.reach_verdicts import Verdict

EFFORT: Final = 20_000
"""Postures that are examined for one path at most."""

EASED: Final = 0.8
"""rad. So far each joint is moved at most from rest to where nothing is touched."""

DRAWN: Final = 400
"""So many postures about rest are looked at, nearer ones first."""

BENT: Final = 0.97
"""Of its range, an elbow that is bent."""

SHORTCUTS: Final = 3
"""Tries to make a path shorter."""

OTHERS: Final = 6
"""So many other postures at an object are tried where no path to the first was found."""

TRIED: Final = 48
"""Of so many of the envelope's."""

BETWEEN: Final = 0.06
"""m. So little do points of a loaded arm move between postures in which its joints are asked."""


class ArmSpace:
    """What a path of trunk and one arm has to be free in, at a base (3,) that rests.

    Coordinates are those of ``body.arms[hand]``.
    """

    def __init__(self, case: Case, hand: str, base: Array) -> None:
        self.case, self.hand, self.base = case, hand, base
        body = case.body
        self.columns = body.columns[hand]
        self.moving = np.array([*self.columns, *body.thighs])
        self.lower = body.figure.lower[self.columns]
        self.upper = body.figure.upper[self.columns]
        reach = np.maximum(case.clash[hand].reach, case.envelope.clash[hand].reach)
        self.reach = reach[self.columns]
        # each thigh turns back by what the hips lean
        self.reach[0] += reach[list(body.thighs)].max(initial=0.0)
        rest = body.postures(hand, base, self.lower[None])[0]
        clashes = case.envelope.clash[hand], case.clash[hand]
        self.probes = [ClashProbe(clash, self.moving, rest) for clash in clashes]

    def at_rest(self) -> Array:
        """Return values (k,) of trunk and arm at rest, or the nearest drawn that touch nothing."""
        rest = np.clip(self.case.body.resting[self.columns], self.lower, self.upper)
        if float(self.distance(rest)) > 0.0:
            return rest
        rng = np.random.default_rng(self.case.envelope.seed)
        size = np.linspace(0.0, EASED, DRAWN)[:, None]
        way = rng.uniform(-1.0, 1.0, (DRAWN, len(rest)))
        way[:, 0] = np.abs(way[:, 0])
        near = np.clip(rest + size * way, self.lower, self.upper)
        free = np.flatnonzero(self.distance(near) > 0.0)
        return np.asarray(near[free[0]] if len(free) else rest)

    def bent(self, x: Array) -> Array:
        """Return values (k,) of trunk and arm with the elbow bent as far as it goes, nearly."""
        chain = self.case.body.arms[self.hand]
        elbow = next((k for k, n in enumerate(chain.free) if "elbow" in chain.joints[n].name), None)
        bent = x.copy()
        if elbow is not None:
            bent[elbow] = BENT * max(self.lower[elbow], self.upper[elbow], key=abs)
            bent = np.clip(bent, self.lower, self.upper)
        return bent

    def whole(self, x: Array) -> Array:
        """Return the figure's postures (n, dof) for values (n, k) of trunk and arm."""
        return self.case.body.postures(self.hand, self.base, x)

    def distance(self, q: npt.ArrayLike) -> Array:
        """Return how far postures (*batch, k) are from touching anything, m.

        Those that the shoulder does not bear, or that do not hold the load, count as touching.
        """
        x = np.asarray(q, float)
        whole = self.whole(x.reshape(-1, len(self.columns)))
        apart = np.full(len(whole), -1.0)
        # with a load a proof from posture to posture is no longer than this
        most = np.inf if self.case.body.bearings[self.hand] is None else 0.5 * BETWEEN
        for k in np.flatnonzero(self.case.body.bearable(self.hand, whole)):
            apart[k] = most
            for probe in self.probes:
                apart[k] = probe.distance(whole[k, self.moving], float(apart[k]))
        return apart.reshape(x.shape[:-1])


def arm_path(case: Case, hand: str, q: Array) -> Array:
    """Return a free path (n, dof) from rest, or near it, to a posture ``q`` (dof,), at its base.

    Trunk and arm go straight in their joints between them. (0, dof) where none was found.
    People bend the elbow, turn, and stretch the arm out: that is tried before any search.
    """
    space = ArmSpace(case, hand, q[:3])
    rest, goal = space.at_rest(), q[space.columns]
    for stops in ((rest, goal), (rest, space.bent(rest), space.bent(goal), goal)):
        if all(free_between(space, a, b) for a, b in itertools.pairwise(stops)):
            x = np.stack(stops)
            break
    else:
        x = find_path(space, rest, goal, effort=EFFORT, shortcuts=SHORTCUTS).q
    whole = space.whole(x)
    whole[-1:] = q
    return whole


def with_arm_path(case: Case, verdict: Verdict) -> Verdict:
    """Return a verdict on an object that is reached with the arm's path to it.

    Where none was found to its posture, others are tried, unless a direction of the hand is asked
    for; the verdict then takes one of those.
    """
    if verdict.q is None:
        return verdict
    path = arm_path(case, verdict.hand, verdict.q)
    if len(path) or verdict.aligned is not None:
        return replace(verdict, arm_path=path)
    bases, rows = case.bases_about(case.room.into(verdict.point), TRIED, COARSE)
    whole = case.envelope.postures[rows].copy()
    whole[:, :3] = bases
    hands = case.envelope.hand_of[rows]
    new = ~np.isclose(whole, verdict.q).all(axis=1) & case.free(whole, hands)
    for k in np.flatnonzero(new)[:OTHERS]:
        hand = case.envelope.hands[int(hands[k])]
        other = arm_path(case, hand, whole[k])
        if len(other):
            return replace(
                verdict,
                hand=hand,
                base=bases[k].copy(),
                q=whole[k].copy(),
                cost=float(case.envelope.costs[rows[k]]),
                lean=float(case.body.bend(whole[k])),
                arm_path=other,
            )
    return replace(verdict, arm_path=path)
