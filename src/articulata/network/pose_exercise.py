"""An exercise of figures in few bytes, between programs of ours: key frames and residuals.

Offers what ``dis.exercise`` does, in an eighth of the bytes. Each packet is numbered, so
that losses are known; what comes twice, late, or from another address than the figure's is counted
and left out. ``ExercisePort`` seals what leaves where there is a key.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_from_matrix, q_log, q_to_matrix
from articulata.kernels.dead_reckoning import STILL
from articulata.kernels.heard_figures import WIDTH, Postures
from articulata.kernels.pose_packets import (
    APPLICATION,
    BEGIN,
    CUT,
    DOING,
    END,
    EXERCISE,
    FEW,
    FIGURE,
    KEPT_KEYS,
    KEY,
    KIND,
    LATE,
    LEAVING,
    MOST_OF_KEY,
    MOST_PARTS,
    NUMBER,
    PART_COLUMNS,
    REASONS,
    RESIDUAL,
    SITE,
    SOURCE,
    STRANGER,
    TAKEN,
    TIME,
    WAITING,
    Batch,
    Streams,
    follow,
    fresh,
    split,
    unpack,
)
from articulata.network.dis.human_parts import COLUMNS, PARTS
from articulata.network.dis.packets import EntityId
from articulata.network.exercise_port import Heard
from articulata.network.heard_figures import MOST_FIGURES, HeardFigures, LevelOfDetail
from articulata.network.pose_codec import (
    KeyFrame,
    NoPose,
    designation,
    designator_of,
    head,
    key_body,
    read_key,
    residual_body,
    steps_of,
)
from articulata.records.networked import NetworkedLook, NetworkedPosture

POSES_PORT = 3001
"""Where figures in few bytes are sent: beside DIS, which would count them as damaged."""

BOUND = math.radians(0.25)
"""How far an angle may be beside what was meant (rad) unless somebody says otherwise."""

KEY_PERIOD, HEARTBEAT = 1.0, 5.0
"""Seconds between key frames of a figure that moves, and of one that does not. A new one comes
again after half of the first."""

BATCH, ROOM = 256, 512
"""Datagrams that are split together at most, and postures that are taken in together."""

NEAR_PLACE, NEAR_TURN = 1e-3, math.radians(0.05)
"""m and rad below which a figure stands still."""

COARSEST = float(np.float32(math.radians(10.0)))
"""Step of angles (rad) at most, however far somebody is."""

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
    doing: tuple[str, float] | None = None

    def begin(self, key: KeyFrame) -> KeyFrame:
        """Refer to a new key frame."""
        self.key, self.keyed, self.calm = key, -math.inf, 0
        self.R_EK = q_to_matrix(key.q)
        return key

    def due(self, time: float) -> bool:
        """Return whether the key frame is to be sent (again) at ``time`` (s)."""
        return time - self.keyed >= min(0.25 * KEY_PERIOD * 2.0 ** min(self.calm, 9), HEARTBEAT)


class PoseExercise:
    """Takes part in the exercise numbered ``exercise`` as an application of a site.

    ``joints`` are sent of each figure to ``bound`` (rad), at most ``rate`` times a second and, with
    a ``budget``, so many bytes a second; coarser beyond ``near`` m from others. ``late`` counts
    packets that came twice or late, ``strangers`` those of figures that are another sender's,
    ``waiting`` residuals whose key frame was lost; others as in ``DisExercise``.
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
        near: float = math.inf,
    ) -> None:
        self.exercise, self.site, self.application = exercise, site, application
        self.figures = HeardFigures()
        self.looks: dict[EntityId, NetworkedLook] = {}
        self.damaged: Counter[str] = Counter()
        self.heard = self.others = self.late = self.strangers = self.waiting = 0
        self._joints, self._rate = tuple(joints), rate
        self._step = float(np.float32(2.0 * bound))
        self._budget, self._detail = budget, LevelOfDetail(near)
        self._doing: dict[EntityId, tuple[int, float]] = {}
        self._ours: dict[int, _Ours] = {}
        self._streams = Streams.of(MOST_FIGURES + 1)  # the last row is for key frames on trial
        self._given = _no_postures(ROOM)

    # ---- what we send

    def announce(
        self, number: int, look: NetworkedLook, posture: NetworkedPosture, clock: float
    ) -> list[bytes]:
        """Return the packet that tells others of figure ``number``; none if they know enough."""
        ours = self._ours.setdefault(number, _Ours())
        elapsed = posture.time - ours.sent
        coarse = self._detail.coarseness(number, posture, self.figures)
        if elapsed < (1.0 - 1e-3) * coarse / self._rate:
            return []
        step = min(coarse * self._step, max(self._step, COARSEST))
        places = {name: k for k, name in enumerate(posture.joints)}
        columns = tuple(sorted(COLUMNS[each] for each in self._joints if each in places))
        angles = posture.angles[[places[PARTS[column].joint] for column in columns]]
        steps, key = steps_of(angles, step), ours.key
        if key is None or key.look != look or key.columns != columns or key.step != step:
            key = ours.begin(self._key(ours, look, columns, steps, posture, step))
        begun = None
        if posture.doing is not None:  # the motion tells the angles; the least that can be said is
            steps, begun = key.steps, (posture.doing[0], posture.time - posture.doing[1])
        moved = _beside(key, ours.R_EK, posture)
        anew = _begins(begun, ours.doing)
        changed = anew or not _alike(steps, ours.steps, moved - ours.moved)
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
            key = ours.begin(self._key(ours, look, columns, steps, posture, step))
            moved = _beside(key, ours.R_EK, posture)
        kind, body = RESIDUAL, residual_body(key, steps, moved)
        if ours.due(posture.time):
            kind, body = KEY, key_body(key) + body
            ours.keyed, ours.calm = posture.time, ours.calm + (not changed or ours.calm < 2)
        ours.sent, ours.steps, ours.moved, ours.doing = posture.time, steps, moved, begun
        told = [(kind, body)]
        if posture.doing is not None:
            told.append((DOING, designation(*posture.doing)))
        who, found = (self.site, self.application, number), []
        for kind, body in told:
            ours.number = ours.number + 1 & 0xFFFF
            found.append(head(kind, self.exercise, who, ours.number, round(1e3 * clock)) + body)
        ours.spare -= sum(map(len, found))
        return found

    def _key(
        self,
        ours: _Ours,
        look: NetworkedLook,
        columns: tuple[int, ...],
        steps: IntArray,
        posture: NetworkedPosture,
        step: float,
    ) -> KeyFrame:
        """Return a key frame, with numbers as others will hold them."""
        q = np.asarray(q_from_matrix(posture.R_EB), np.float32).astype(float)
        number = ours.number + 1 & 0xFFFF
        return KeyFrame(number, step, columns, steps, posture.p_EB, q, look)

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
        for begin in range(0, len(heard), BATCH):
            self._hear(heard[begin : begin + BATCH])
        if heard:
            for key in self.figures.gone(heard[-1].arrival):
                self.drop(key)

    def drop(self, key: EntityId) -> None:
        """Forget a figure."""
        if key in self.figures.keys:
            self._streams.known[self.figures.keys[key]] = False
        self.figures.drop(key)
        self.looks.pop(key, None)
        self._doing.pop(key, None)

    def doing(self, key: EntityId, now: float) -> tuple[int, float] | None:
        """Return the designator of what a figure does at ``now`` (s) and since when (s before).

        None where it never did what has a name. Where angles are shown of it they are told.
        """
        if key not in self._doing:
            return None
        designator, begun = self._doing[key]
        return designator, self.figures.clock(key, now) - begun

    def _hear(self, heard: Sequence[Heard]) -> None:
        arrival, counts = heard[-1].arrival, np.zeros(FEW + 1, np.int64)
        batch = self._batch(heard, counts)
        at, s = 0, self._streams
        doing: list[tuple[int, float]] = []
        while True:
            at = follow(batch, at, s, self.figures.missed, self._given, counts)
            if at == len(batch.parts):
                break
            if counts[TAKEN] == ROOM:
                self._flush(counts, arrival)
            elif batch.parts[at, KIND] == LEAVING:
                self._flush(counts, arrival)
                self.drop(_who(batch, at))
                _know(batch, at, -1)
                at += 1
            elif batch.parts[at, KIND] == DOING:
                doing += self._take_doing(batch, at, counts)
                at += 1
            else:
                try:
                    self._take_key(batch, at, counts, arrival)
                except NoPose as error:
                    self.damaged[str(error)] += 1
                at += 1
        self._flush(counts, arrival)
        if doing:
            self.figures.untell(*zip(*doing, strict=True))
        self.late += int(counts[LATE])
        self.strangers += int(counts[STRANGER])
        self.waiting += int(counts[WAITING])
        self.damaged.update({why: int(counts[k]) for k, why in REASONS.items() if counts[k]})

    def _batch(self, heard: Sequence[Heard], counts: IntArray) -> Batch:
        """Return the packets of others in datagrams; count those that are none."""
        data = np.frombuffer(b"".join(each.data for each in heard) + b"\0", np.uint8)
        sizes = np.array([len(each.data) for each in heard])
        most = int(np.minimum(sizes // 7 + 1, MOST_PARTS).sum())
        parts = np.empty((most, PART_COLUMNS), np.int64)
        parts = parts[: split(data, np.cumsum(sizes), parts)]
        np.add.at(counts, -parts[parts[:, KIND] < 0, KIND], 1)
        site, application = parts[:, SITE], parts[:, APPLICATION]
        others = (site != self.site) | (application != self.application)
        wanted = (parts[:, KIND] > 0) & (parts[:, EXERCISE] == self.exercise) & others
        parts = parts[wanted]
        self.heard += len(parts)
        keys: Mapping[Any, int] = self.figures.keys
        rows = [keys.get(who, -1) for who in map(tuple, parts[:, SITE : FIGURE + 1].tolist())]
        # a number of an address that others cannot choose
        senders = np.array([hash(each.sender) for each in heard])
        return Batch(data, parts, np.array(rows, np.int64), senders)

    def _flush(self, counts: IntArray, arrival: float) -> None:
        """Take postures in that have been unpacked."""
        count, counts[TAKEN] = int(counts[TAKEN]), 0
        if count:
            columns: Any = [column[:count] for column in self._given]
            self.figures.take(Postures(*columns), arrival)

    def _take_doing(self, batch: Batch, at: int, counts: IntArray) -> list[tuple[int, float]]:
        """Take note of what a known figure does; return its row and when its angles are no such."""
        part, row = batch.parts[at], int(batch.rows[at])
        data = batch.data[part[BEGIN] : part[END]].tobytes()
        if len(data) != 4:
            counts[CUT] += 1
        elif fresh(self._streams, row, int(part[NUMBER]), self.figures.missed):
            sent = 1e-3 * float(part[TIME])
            designator, since = designator_of(data)
            self._doing[_who(batch, at)] = designator, sent - since
            return [(row, sent)]
        return []

    def _take_key(self, batch: Batch, at: int, counts: IntArray, arrival: float) -> None:
        """Take a key frame in and the posture that comes with it; raise NoPose."""
        if counts[TAKEN] == ROOM:
            self._flush(counts, arrival)
        s, part, trial = self._streams, batch.parts[at], len(self._streams.known) - 1
        begin, end, number = int(part[BEGIN]), int(part[END]), int(part[NUMBER])
        data = batch.data[begin:end]
        key, size = read_key(data.tobytes())
        _keep(s, trial, key)
        n = int(counts[TAKEN])
        outcome = unpack(batch, at, begin + size, s, trial, KEPT_KEYS - 1, self._given, n)
        if outcome != TAKEN:
            raise NoPose(REASONS[outcome])
        who = _who(batch, at)
        row = self.figures.row(who, arrival)
        if row is None:
            return
        if not s.known[row]:
            s.known[row], s.sender[row] = True, batch.senders[part[SOURCE]]
            s.newest[row], s.seen[row], s.numbers[row] = number - 1 & 0xFFFF, 0, -1
            _know(batch, at, row)
        _keep(s, row, key)
        if not fresh(s, row, number, self.figures.missed):  # late, though the key frame may be new
            self.late += 1
            return
        self.looks[who] = key.look
        if size <= MOST_OF_KEY:
            last = row, KEPT_KEYS - 1
            s.size[last], s.raw[last][:size] = size, data[:size]
        self._given.rows[n] = row
        counts[TAKEN] += 1


def _who(batch: Batch, at: int) -> EntityId:
    """Return whose packet that is."""
    return EntityId(*batch.parts[at, SITE : FIGURE + 1].tolist())


def _know(batch: Batch, at: int, row: int) -> None:
    """Let all packets of a figure be those of a row."""
    same = batch.parts[:, SITE : FIGURE + 1] == batch.parts[at, SITE : FIGURE + 1]
    batch.rows[same.all(axis=1)] = row


def _keep(s: Streams, row: int, key: KeyFrame) -> None:
    """Hold a key frame of a figure as the newest, in place of the same or of the oldest."""
    same = np.flatnonzero(s.numbers[row] == key.number)
    first = int(same[0]) if len(same) else 0
    frames = s.numbers, s.joints, s.columns, s.steps, s.step, s.p, s.q, s.size, s.raw
    for column in frames:
        column[row, first:-1] = column[row, first + 1 :].copy()
    count, last = len(key.columns), (row, KEPT_KEYS - 1)
    s.numbers[last], s.joints[last], s.step[last] = key.number, count, key.step
    s.columns[last][:count], s.steps[last][:count] = key.columns, key.steps
    s.p[last], s.q[last], s.size[last] = key.p, key.q, 0


def _begins(now: tuple[str, float] | None, before: tuple[str, float] | None) -> bool:
    """Return whether somebody does something else than before, or the same anew."""
    if now is None or before is None:
        return now is not before
    return now[0] != before[0] or abs(now[1] - before[1]) > 2e-3


def _beside(key: KeyFrame, R_EK: Array, posture: NetworkedPosture) -> Array:
    """Return how far place (m) and turn (a rotation vector, rad) are from a key frame's, (6,)."""
    R = R_EK.T @ posture.R_EB
    still = R[0, 0] + R[1, 1] + R[2, 2] > 3.0 - NEAR_ONE
    turn = np.zeros(3) if still else q_log(q_from_matrix(R))
    return np.concatenate([posture.p_EB - key.p, turn])


def _no_postures(n: int) -> Postures:
    """Return room for n postures of figures that nobody carries on."""
    nothing = np.zeros((n, 3))
    return Postures(
        np.zeros(n, np.int64), np.zeros(n), np.zeros((n, 3)), np.zeros((n, 4)), nothing,
        np.full((n, WIDTH), np.nan), np.zeros(n), np.full(n, STILL), nothing, nothing,
        np.full(n, True),
    )  # fmt: skip


def _alike(steps: IntArray, others: IntArray, apart: Array) -> bool:
    """Return whether two postures are the same, as far as packets can tell."""
    return (
        np.array_equal(steps, others)
        and float(np.abs(apart[:3]).max()) < NEAR_PLACE
        and float(np.abs(apart[3:]).max()) < NEAR_TURN
    )
