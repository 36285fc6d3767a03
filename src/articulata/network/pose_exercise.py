"""An exercise of figures in few bytes, between programs of ours: key frames and residuals.

Offers what ``dis.exercise`` does, in an eighth of the bytes. Each packet is numbered, so
that losses are known; what comes twice, late, or from another address than the figure's is counted
and left out. ``ExercisePort`` seals what leaves where there is a key.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_exp, q_from_matrix, q_log, q_multiply, q_to_matrix
from articulata.kernels.heard_figures import WIDTH, Postures
from articulata.network.dis.human_parts import COLUMNS, PARTS
from articulata.network.dis.packets import EntityId
from articulata.network.exercise_port import Heard
from articulata.network.heard_figures import HeardFigures
from articulata.network.pose_codec import (
    HEAD,
    KEY,
    LEAVING,
    RESIDUAL,
    Head,
    KeyFrame,
    NoPose,
    head,
    key_body,
    key_of_residual,
    newer,
    read_head,
    read_key,
    read_residual,
    residual_body,
    steps_of,
    unbundled,
)
from articulata.records.networked import NetworkedLook, NetworkedPosture

POSES_PORT = 3001
"""Where figures in few bytes are sent: beside DIS, which would count them as damaged."""

BOUND = math.radians(0.25)
"""How far an angle may be beside what was meant (rad) unless somebody says otherwise."""

KEY_PERIOD, HEARTBEAT = 1.0, 5.0
"""Seconds between key frames of a figure that moves, and of one that does not. A new one comes
again after half of the first."""

KEPT_KEYS = 4
"""Key frames of a figure that are held."""

WINDOW = 64
"""Packets behind the newest one that are told from those that come twice."""

NEAR_PLACE, NEAR_TURN = 1e-3, math.radians(0.05)
"""m and rad below which a figure stands still."""

NEAR_ONE = 1e-10
"""What a trace of 3 may lack of a turn that is told as none: 1e-5 rad, a tenth of a step."""


@dataclass(slots=True, eq=False)
class _Ours:
    """What was sent of a figure: its key frame, what is known since, bytes to spare.

    ``calm`` is how often the key frame has been sent since it was new, or since the figure moved.
    """

    key: KeyFrame | None = None
    R_EK: Array = field(default_factory=lambda: np.eye(3))
    keyed: float = -math.inf
    calm: int = 0
    sent: float = -math.inf
    number: int = 0
    steps: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    moved: Array = field(default_factory=lambda: np.zeros(6))
    spare: float = 0.0

    def begin(self, key: KeyFrame) -> KeyFrame:
        """Refer to a new key frame."""
        self.key, self.keyed, self.calm = key, -math.inf, 0
        self.R_EK = q_to_matrix(key.q)
        return key

    def due(self, time: float) -> bool:
        """Return whether the key frame is to be sent (again) at ``time`` (s)."""
        return time - self.keyed >= min(0.25 * KEY_PERIOD * 2.0 ** min(self.calm, 9), HEARTBEAT)


@dataclass(slots=True, eq=False)
class _Theirs:
    """What was heard of a figure: whose it is, what has come, its key frames."""

    sender: str
    newest: int
    seen: int = 1
    keys: dict[int, KeyFrame] = field(default_factory=dict)

    def keep(self, frame: KeyFrame) -> None:
        """Hold a key frame, and the newest ones alone."""
        self.keys.pop(frame.number, None)
        self.keys[frame.number] = frame
        while len(self.keys) > KEPT_KEYS:
            del self.keys[next(iter(self.keys))]

    def has(self, number: int) -> bool:
        """Return whether a packet has come before, or is too late to know."""
        behind = -newer(number, self.newest)
        return behind >= WINDOW or (behind >= 0 and bool(self.seen >> behind & 1))


class PoseExercise:
    """Takes part in the exercise numbered ``exercise`` as an application of a site.

    ``joints`` are sent of each figure to ``bound`` (rad), at most ``rate`` times a second and, with
    a ``budget``, so many bytes a second. ``late`` counts packets that came twice or late,
    ``strangers`` those of figures that are another sender's, ``waiting`` residuals whose key frame
    was lost; others as in ``DisExercise``.
    """

    def __init__(
        self,
        exercise: int,
        site: int,
        application: int,
        *,
        joints: Sequence[str],
        rate: float = 30.0,
        bound: float = BOUND,
        budget: float = math.inf,
    ) -> None:
        self.exercise, self.site, self.application = exercise, site, application
        self.figures = HeardFigures()
        self.looks: dict[EntityId, NetworkedLook] = {}
        self.damaged: Counter[str] = Counter()
        self.heard = self.others = self.late = self.strangers = self.waiting = 0
        self._joints, self._rate = tuple(joints), rate
        self._step = float(np.float32(2.0 * bound))
        self._budget = budget
        self._ours: dict[int, _Ours] = {}
        self._theirs: dict[EntityId, _Theirs] = {}

    # ---- what we send

    def announce(
        self, number: int, look: NetworkedLook, posture: NetworkedPosture, clock: float
    ) -> list[bytes]:
        """Return the packet that tells others of figure ``number``; none if they know enough."""
        ours = self._ours.setdefault(number, _Ours())
        elapsed = posture.time - ours.sent
        if elapsed < (1.0 - 1e-3) / self._rate:
            return []
        places = {name: k for k, name in enumerate(posture.joints)}
        columns = tuple(sorted(COLUMNS[each] for each in self._joints if each in places))
        angles = posture.angles[[places[PARTS[column].joint] for column in columns]]
        steps, key = steps_of(angles, self._step), ours.key
        if key is None or key.look != look or key.columns != columns:
            key = ours.begin(self._key(ours, look, columns, steps, posture))
        moved = _beside(key, ours.R_EK, posture)
        changed = not _alike(steps, ours.steps, moved - ours.moved)
        if changed:
            ours.calm = min(ours.calm, 2)
        elif not ours.due(posture.time):
            return []
        if self._budget < math.inf:
            ours.spare = min(ours.spare + self._budget * min(elapsed, 1.0), self._budget)
            if ours.spare < 0.0:
                ours.sent = posture.time
                return []
        try:
            residual_body(key, steps, moved)
        except OverflowError:  # too far from it
            key = ours.begin(self._key(ours, look, columns, steps, posture))
            moved = _beside(key, ours.R_EK, posture)
        kind, body = RESIDUAL, residual_body(key, steps, moved)
        if ours.due(posture.time):
            kind, body = KEY, key_body(key) + body
            ours.keyed, ours.calm = posture.time, ours.calm + (not changed or ours.calm < 2)
        ours.number = ours.number + 1 & 0xFFFF
        ours.sent, ours.steps, ours.moved = posture.time, steps, moved
        who = (self.site, self.application, number)
        data = head(kind, self.exercise, who, ours.number, round(1e3 * clock)) + body
        ours.spare -= len(data)
        return [data]

    def _key(
        self,
        ours: _Ours,
        look: NetworkedLook,
        columns: tuple[int, ...],
        steps: IntArray,
        posture: NetworkedPosture,
    ) -> KeyFrame:
        """Return a key frame, with numbers as others will hold them."""
        q = np.asarray(q_from_matrix(posture.R_EB), np.float32).astype(float)
        number = ours.number + 1 & 0xFFFF
        return KeyFrame(number, self._step, columns, steps, posture.p_EB, q, look)

    def leave(self, clock: float) -> list[bytes]:
        """Return the packets by which our figures leave; they are announced no more."""
        found = [
            head(
                LEAVING, self.exercise, (self.site, self.application, number),
                ours.number + 1, round(1e3 * clock),
            )
            for number, ours in self._ours.items()
        ]  # fmt: skip
        self._ours = {}
        return found

    # ---- what we hear

    def hear(self, heard: Sequence[Heard]) -> None:
        """Take in what has come: postures, looks, who leaves."""
        if not heard:
            return
        arrival = heard[-1].arrival
        rows: list[_Row] = []
        for each in heard:
            try:
                for data in unbundled(each.data):
                    said = read_head(data)
                    if said.exercise == self.exercise:
                        rows += self._take(each._replace(data=data), said)
            except NoPose as error:
                self.damaged[str(error)] += 1
        if rows:
            self.figures.take(_postures(rows), arrival)
        for key in self.figures.gone(arrival):
            self.drop(key)

    def drop(self, key: EntityId) -> None:
        """Forget a figure."""
        self.figures.drop(key)
        self.looks.pop(key, None)
        self._theirs.pop(key, None)

    def _take(self, heard: Heard, said: Head) -> list[_Row]:
        who = EntityId(*said.who)
        if who[:2] == (self.site, self.application):
            return []
        self.heard += 1
        theirs = self._theirs.get(who)
        if theirs is not None and theirs.sender != heard.sender:
            self.strangers += 1
            return []
        if said.kind == LEAVING:
            if theirs is not None:
                self.drop(who)
            return []
        if theirs is not None and theirs.has(said.number):
            self.late += 1
            return []
        at, key = HEAD.size, None
        if said.kind == KEY:
            key, at = read_key(heard.data)
        number = key_of_residual(heard.data, at)
        frame = key if key is not None or theirs is None else theirs.keys.get(number)
        if key is not None and key.number != number:
            raise NoPose("a key frame whose residual refers to another")
        if frame is None:
            self.waiting += 1
            if theirs is not None:
                self._fresh(who, theirs, said.number)
            return []
        steps, moved = read_residual(heard.data, frame, at)
        row = self.figures.row(who, heard.arrival)
        if row is None:
            return []
        if theirs is None:
            theirs = self._theirs[who] = _Theirs(heard.sender, said.number)
            ahead = 1
        else:
            ahead = self._fresh(who, theirs, said.number)
        if key is not None:
            theirs.keep(key)
        if ahead < 0:  # late, though its key frame may be new
            self.late += 1
            return []
        if key is not None:
            self.looks[who] = key.look
        return [_Row(row, 1e-3 * said.time, frame, steps, moved, len(heard.data))]

    def _fresh(self, who: EntityId, theirs: _Theirs, number: int) -> int:
        """Take note of a packet's number: 1 for a new one, -1 for one that comes late."""
        ahead, row = newer(number, theirs.newest), self.figures.keys[who]
        if ahead > 0:
            theirs.seen = (theirs.seen << min(ahead, WINDOW) | 1) & (1 << WINDOW) - 1
            theirs.newest = number
            self.figures.lost(row, ahead - 1)
            return 1
        theirs.seen |= 1 << -ahead
        self.figures.lost(row, -1)
        return -1


class _Row(NamedTuple):
    """A posture of one figure: its row, when it was sent (s), what it is beside a key frame."""

    row: int
    sent: float
    key: KeyFrame
    steps: IntArray
    moved: Array
    size: int


def _beside(key: KeyFrame, R_EK: Array, posture: NetworkedPosture) -> Array:
    """Return how far place (m) and turn (a rotation vector, rad) are from a key frame's, (6,)."""
    R = R_EK.T @ posture.R_EB
    still = R[0, 0] + R[1, 1] + R[2, 2] > 3.0 - NEAR_ONE
    turn = np.zeros(3) if still else q_log(q_from_matrix(R))
    return np.concatenate([posture.p_EB - key.p, turn])


_STILL = 1
"""The model of dead reckoning by which places stay where they are."""


def _postures(rows: Sequence[_Row]) -> Postures:
    count = len(rows)
    nothing = np.zeros((count, 3))
    moved = np.array([each.moved for each in rows])
    q_EK = np.array([each.key.q for each in rows])
    q = np.full((count, WIDTH), np.nan)
    for k, each in enumerate(rows):
        q[k, each.key.places] = each.steps * each.key.step
    return Postures(
        rows=np.array([each.row for each in rows]),
        sent=np.array([each.sent for each in rows]),
        p=np.array([each.key.p for each in rows]) + moved[:, :3],
        q_EB=q_multiply(q_EK, q_exp(moved[:, 3:])),
        velocity=nothing,
        q=q,
        size=np.array([float(each.size) for each in rows]),
        algorithm=np.full(count, _STILL),
        acceleration=nothing,
        rate=nothing,
        whole=np.full(count, True),
    )


def _alike(steps: IntArray, others: IntArray, apart: Array) -> bool:
    """Return whether two postures are the same, as far as packets can tell."""
    return (
        np.array_equal(steps, others)
        and float(np.abs(apart[:3]).max()) < NEAR_PLACE
        and float(np.abs(apart[3:]).max()) < NEAR_TURN
    )
