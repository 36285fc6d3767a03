"""Things that ask for a hand in a direction: postures that touch them with the hand held so.

The hand's axes are those of its grip (``r_grip``, ``l_grip``): x along the fingers, z out of the
palm; to the thumb it is y of the left hand and -y of the right one. A direction takes postures away
and adds none: whoever is proved not to touch a thing does not touch it with the hand held so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.spatial.transform import Rotation

from articulata.analyses.reach.one_person.bare_reach import COARSE, FINE
from articulata.analyses.reach.one_person.body import Body
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.points.search import Case
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.directions import frame_along, least_turns
from articulata.geometry.joint_frames import axis_frame
from articulata.world.requests.reach import Aligned

TRIED = 192
"""Postures that touch the thing anyhow, from places all about it, that are turned."""

MANY = 768
"""So many where none of those can be turned: more places, about things that little is free at."""

FEW = 48
"""So many where remedies are tried, one after the other."""

STARTS = 6
"""Starts from each place where none of them can be turned."""

SHARE = 0.9
"""Postures are turned until they are off by this share of what is allowed."""

GRIPS: Final = {"right": "r_grip", "left": "l_grip"}
"""Landmarks whose axes are those of a hand."""

_AXES: Final = {
    "right": {"finger": (1.0, 0.0, 0.0), "palm": (0.0, 0.0, 1.0), "thumb": (0.0, -1.0, 0.0)},
    "left": {"finger": (1.0, 0.0, 0.0), "palm": (0.0, 0.0, 1.0), "thumb": (0.0, 1.0, 0.0)},
}


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """How a thing is touched with the hand held so: posture ``q`` (dof,), ``hand``, ``cost``.

    ``q`` is None where none was found. ``off`` (rad) is how far the hand is off, or was at least;
    None where no posture was found that is free. ``obstacle`` is what most postures strike that
    hold the hand so.
    """

    q: Array | None
    hand: str = ""
    cost: float = float("nan")
    off: float | None = None
    obstacle: str = ""


def check_aligned(body: Body, asked: Aligned) -> None:
    """Raise KinematicsError where a figure does not say which way its hands are."""
    figure = body.figure
    for hand in body.arms:
        grip = figure.landmarks.get(GRIPS[hand])
        if grip is None or grip.joint != figure.chains[hand].last:
            raise KinematicsError(
                f"'{asked.path}' asks for the {asked}, and figure '{figure.name}' does not say "
                f"where its palms are; give it a landmark {GRIPS[hand]} on its {hand} hand (x "
                "along the fingers, z out of the palm), or ask for no direction"
            )


def held(case: Case, p: Array, asked: Aligned, *, quick: bool = False) -> Held:
    """Return a posture that touches ``p`` (3,) of G with the hand held as ``asked``.

    Postures that touch it anyhow are taken as they are, then turned; at last others are started
    from at the same places. Where all fail, more places are tried. ``quick``: a few are turned, and
    nothing more.
    """
    check_aligned(case.body, asked)
    found = Held(None)
    for count, density in ((FEW, COARSE),) if quick else ((TRIED, FINE), (MANY, FINE)):
        bases, rows = case.bases_about(p, count, density)
        q = case.envelope.postures[rows].copy()
        q[:, :3] = bases
        more = held_from(case, p, asked, q, case.envelope.hand_of[rows], quick=quick)
        found = more if more.q is not None else _either(found, more)
        if found.q is not None or len(rows) < count:
            break
    return found


def held_from(
    case: Case, p: Array, asked: Aligned, q: Array, hands: IntArray, *, quick: bool = False
) -> Held:
    """Return the same from the places of postures ``q`` (n, dof), which touch ``p`` anyhow."""
    if not len(q):
        return Held(None)
    search = _Search(case, p, asked)
    found = search.best(q, hands)
    for starts, share in ((1, SHARE), (STARTS, 0.0))[: 1 if quick else 2]:
        if found.q is not None:
            break
        more = search.best(*search.turned(q, hands, starts, share * asked.within))
        found = more if more.q is not None else _either(found, more)
    return found


def _either(found: Held, more: Held) -> Held:
    """Return what two searches in vain tell together."""
    least = min((each.off for each in (found, more) if each.off is not None), default=None)
    return replace(more, off=least, obstacle=more.obstacle or found.obstacle)


class _Search:
    """A thing at ``p`` (3,) of G that asks for a direction, and who is to touch it."""

    def __init__(self, case: Case, p: Array, asked: Aligned) -> None:
        self._case, self._p, self._within = case, p, asked.within
        ways = np.stack(list(asked.axes.values()), axis=1)
        self._ways = case.room.X_WG[:3, :3].T @ ways
        self._axes = {
            hand: np.stack([_AXES[hand][name] for name in asked.axes], axis=1)
            for hand in case.body.arms
        }

    def best(self, q: Array, hands: IntArray) -> Held:
        """Return the most comfortable of postures (n, dof) that hold the hand so, and are free."""
        case = self._case
        off = np.linalg.norm(self._missing(q, hands), axis=1)
        own = case.envelope.free(q, hands)
        free = own.copy()
        free[own] = case.free(q[own], hands[own])
        met = off <= self._within
        good = np.flatnonzero(met & free)
        least = float(off[free].min()) if free.any() else None
        if not len(good):
            tried = met & own
            return Held(None, off=least, obstacle=most_struck(case, q[tried], hands[tried]))
        cost = case.envelope.bare.costs(q[good], self._offsets(q[good]), hands[good])
        k = good[int(np.argmin(cost))]
        return Held(q[k], case.envelope.hands[hands[k]], float(cost.min()), float(off[k]))

    def turned(self, q: Array, hands: IntArray, starts: int, left: float) -> tuple[Array, IntArray]:
        """Return postures that touch the thing, begun from ``q`` (n, dof), and their hands.

        Their hands are turned until they are ``left`` rad off what is asked for.
        """
        missing = self._missing(q, hands)
        size = np.linalg.norm(missing, axis=1, keepdims=True)
        share = np.clip(1.0 - left / np.maximum(size, 1e-12), 0.0, 1.0)
        R = Rotation.from_rotvec(share * missing).as_matrix() @ self._grips(q, hands)
        c, s, zero = np.cos(q[:, 2]), np.sin(q[:, 2]), np.zeros(len(q))
        to_base = np.stack([c, s, zero, -s, c, zero, zero, zero, zero + 1.0], axis=1)
        goals = np.empty((len(q), 1, 3, 4))
        goals[:, 0, :, :3] = to_base.reshape(-1, 3, 3) @ R
        goals[:, 0, :, 3] = self._offsets(q)
        found, whose = [np.empty((0, q.shape[1]))], [np.empty(0, np.int64)]
        for number, hand in enumerate(self._case.envelope.hands):
            mine = np.flatnonzero(hands == number)
            if not len(mine):
                continue
            values, met = self._solved(hand, q[mine], goals[mine], starts, self._within - left)
            found.append(self._case.body.postures(hand, q[mine[met], :3], values[met]))
            whose.append(hands[mine[met]])
        return np.concatenate(found), np.concatenate(whose)

    def _solved(
        self, hand: str, q: Array, goals: Array, starts: int, near: float
    ) -> tuple[Array, BoolArray]:
        """Return an arm's values (n, k) for goals (n, 1, 3, 4) of its grip, and which are met."""
        # Imported here: few ask for a direction, and it takes a tenth of a second.
        from articulata.kernels.chains.iterative_solvers.tree_solver import (
            POINTING,
            POSE,
            STEPS,
            solve_tree,
        )

        body = self._case.body
        chain = body.arms[hand]
        ready = chain.prepared
        values = q[:, body.columns[hand]]
        at = body.postures(hand, np.zeros((1, 3)), values[:1])
        turn = chain.tip(values[0])[:3, :3].T @ self._landmark(at, hand)[0]
        axes = self._axes[hand]
        # of one direction alone the frame's z is told, whatever the hand's axis is
        as_asked = np.eye(3) if axes.shape[1] > 1 else axis_frame(axes[:, 0])[:3, :3]
        tip = ready.tip.copy()
        tip[:, :3] = tip[:, :3] @ turn @ as_asked
        goals = goals.copy()
        goals[..., :3] = goals[..., :3] @ as_asked
        found = solve_tree(
            ready.tree,
            np.array([len(chain.joints) - 1]),
            tip[None],
            np.array([POSE if axes.shape[1] > 1 else POINTING]),
            goals,
            TOLERANCE,
            near,
            unit=ready.reach,
            start=values,
            starts=starts,
            steps=STEPS,
        )
        return found.u, (found.distance[:, 0] <= TOLERANCE) & (found.angle[:, 0] <= near)

    def _missing(self, q: Array, hands: IntArray) -> Array:
        """Return the least turns (n, 3) rad in G that bring hands to what is asked for."""
        R = self._grips(q, hands)
        found = np.zeros((len(q), 3))
        for number, hand in enumerate(self._case.envelope.hands):
            mine, axes = hands == number, self._axes[hand]
            if axes.shape[1] > 1:
                wanted = frame_along(self._ways) @ frame_along(axes).T
                turn = wanted @ np.swapaxes(R[mine], 1, 2)
                found[mine] = Rotation.from_matrix(turn).as_rotvec()
            else:
                found[mine] = least_turns(R[mine] @ axes[:, 0], self._ways[:, 0])
        return found

    def _grips(self, q: Array, hands: IntArray) -> Array:
        """Return the axes (n, 3, 3) of the hands in G."""
        found = np.empty((len(q), 3, 3))
        for number, hand in enumerate(self._case.envelope.hands):
            mine = hands == number
            found[mine] = self._landmark(q[mine], hand)
        return found

    def _landmark(self, q: Array, hand: str) -> Array:
        return np.asarray(self._case.body.figure.landmark(q, GRIPS[hand])[:, :3, :3])

    def _offsets(self, q: Array) -> Array:
        """Return where the thing is (n, 3) in the base frames of postures, m."""
        away = self._p - np.column_stack([q[:, :2], np.full(len(q), self._case.room.level)])
        c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
        return np.column_stack(
            [c * away[:, 0] + s * away[:, 1], c * away[:, 1] - s * away[:, 0], away[:, 2]]
        )


def most_struck(case: Case, q: Array, hands: IntArray) -> str:
    """Return what most of postures (n, dof) strike in the room, "" where it is nothing."""
    struck: Counter[str] = Counter()
    for number, hand in enumerate(case.envelope.hands):
        mine = q[hands == number]
        if not len(mine):
            continue
        near = case.clash[hand].clearances(mine, enough=0.0)
        pairs = (near.names(k) for k in range(len(mine)))
        struck.update(pair[1] for pair in pairs if pair is not None)
    return struck.most_common(1)[0][0] if struck else ""
