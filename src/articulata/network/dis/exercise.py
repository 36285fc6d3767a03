"""An exercise of DIS: our figures as packets for others, others' packets as figures for us.

A figure is sent when it has left what others carry on by themselves, by more than a threshold, at
most so many times a second, and at least once a heartbeat. Reference: IEEE 1278.1-2012, 5.3.3
(entity state, thresholds and heartbeat).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.heard_figures import WIDTH, Postures
from articulata.network.dis import packets
from articulata.network.dis.geocentric import euler_of, turn_of
from articulata.network.dis.human_parts import (
    COLUMNS,
    PARTS,
    Appearance,
    appearance_of,
    columns_of,
    parameters_of,
)
from articulata.network.dis.packed_angles import PACKED, angles_of, records_of
from articulata.network.dis.packets import (
    ENTITY_STATE,
    REMOVE_ENTITY,
    DeadReckoning,
    EntityId,
    Found,
    State,
    encode_removal,
    marking_of,
    seconds_of,
    stamp,
)
from articulata.network.exercise_port import Heard
from articulata.network.heard_figures import HeardFigures, LevelOfDetail
from articulata.records.networked import NetworkedLook, NetworkedPosture
from articulata.world.values import vector_of

HEARTBEAT, GREETING = 5.0, 1.0
"""Seconds after which a figure that does not move is sent again (IEEE 1278.1, HBT_ESPDU), and after
which it is told of whole again at the earliest where somebody new has come."""

ARM_JOINTS = tuple(
    f"{side}_{joint}"
    for side in ("r", "l")
    for joint in (
        "shoulder_flexion", "shoulder_abduction", "shoulder_rotation", "elbow_flexion",
        "elbow_pronation", "radiocarpal_flexion", "radiocarpal_deviation",
    )
)  # fmt: skip
"""What is followed of a person: two arms of seven joints each."""

NECK_JOINTS = ("vc7_flexion", "vc7_lateral", "vc7_rotation")

HUMAN = 3
"""The kind of an entity that is a life form (SISO-REF-010, UID 7)."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How far a figure may leave what others show of it before it is sent: m, rad, rad.

    ``rate`` is how often a figure is sent in a second at most, ``heartbeat`` (s) the least.
    """

    place: float = 0.02
    turn: float = math.radians(1.0)
    joint: float = math.radians(0.5)
    rate: float = 30.0
    heartbeat: float = HEARTBEAT


@dataclass(slots=True, eq=False)
class _Sent:
    """What others know of a figure of ours."""

    appearance: int
    posture: NetworkedPosture
    angles: dict[int, float]
    velocity: Array
    whole: float
    changes: list[int]
    state: State


class DisExercise:
    """Takes part in the exercise numbered ``exercise`` as an application of a site.

    ``joints`` are sent of each figure, as far as it has them: two arms and the neck. The figures
    of others are in ``figures`` by ``EntityId``, how they look in ``looks``; ``heard`` counts their
    packets. ``damaged`` counts packets that could not be read by their reason, ``strange`` kinds
    that are left out. With ``packed`` angles leave as ``packed_angles`` has them.
    """

    def __init__(
        self,
        exercise: int,
        site: int,
        application: int,
        *,
        version: int = 7,
        joints: Sequence[str] = (*ARM_JOINTS, *NECK_JOINTS),
        thresholds: Thresholds = Thresholds(),
        absolute: bool = False,
        packed: bool = False,
        near: float = math.inf,
    ) -> None:
        self.exercise, self.site, self.application = exercise, site, application
        self.figures = HeardFigures()
        self.looks: dict[EntityId, NetworkedLook] = {}
        self.damaged: Counter[str] = Counter()
        self.strange: Counter[int] = Counter()
        self.heard = self.others = 0
        self._version, self._joints, self._limits = version, tuple(joints), thresholds
        self._absolute, self._packed = absolute, packed
        self._detail = LevelOfDetail(near)
        self._sent: dict[int, _Sent] = {}
        self._unmet: set[int] = set()
        self._bits: dict[int, int] = {}

    # ---- what we send

    def announce(
        self, number: int, look: NetworkedLook, posture: NetworkedPosture, clock: float
    ) -> list[bytes]:
        """Return the packets by which others learn of figure ``number``; none if they know enough.

        ``clock`` (s) is UTC where time stamps are absolute, else any that rises.
        """
        before = self._sent.get(number)
        coarse = self._detail.coarseness(number, posture, self.figures)
        if before is not None and (
            posture.time - before.posture.time < (1.0 - 1e-3) * coarse / self._limits.rate
        ):
            return []
        columns, rows = self._columns(posture.joints)
        angles = posture.angles[rows]
        appearance = Appearance(look.stance, look.weapon).bits
        whole = (
            before is None
            or before.appearance != appearance
            or posture.time - before.whole >= self._limits.heartbeat
            or (number in self._unmet and posture.time - before.whole >= GREETING)
        )
        if before is not None and not whole and not self._left(before, posture, angles, coarse):
            return []
        velocity, changes = _since(before, posture, columns, angles)
        state = State(
            EntityId(self.site, self.application, number),
            vector_of(posture.p_EB),
            vector_of(euler_of(posture.R_EB)),
            vector_of(velocity),
            appearance,
            () if self._packed else parameters_of(columns, angles, changes),
            records_of(columns, angles) if self._packed else (),
            timestamp=stamp(clock, absolute=self._absolute),
            exercise=self.exercise,
            version=self._version,
            reckoning=DeadReckoning(2),
            marking=look.name,
        )
        if whole:
            self._unmet.discard(number)
        last_whole = posture.time if whole or before is None else before.whole
        told = dict(zip(columns, angles.astype(np.float32).tolist(), strict=True))
        self._sent[number] = _Sent(appearance, posture, told, velocity, last_whole, changes, state)
        return [state.encode() if whole else state.encode_update()]

    def _columns(self, joints: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return the columns of joints that are sent, and where they are in a posture."""
        places = {name: k for k, name in enumerate(joints)}
        chosen = sorted(COLUMNS[each] for each in self._joints if each in places)
        return chosen, [places[PARTS[column].joint] for column in chosen]

    def _left(self, before: _Sent, posture: NetworkedPosture, angles: Array, coarse: float) -> bool:
        """Return whether a figure has left what others show of it, ``coarse`` times as far."""
        elapsed = posture.time - before.posture.time
        place = before.posture.p_EB + elapsed * before.velocity
        known = np.array([*before.angles.values()])
        turn = 0.5 * (np.trace(before.posture.R_EB.T @ posture.R_EB) - 1.0)
        return bool(
            np.linalg.norm(posture.p_EB - place) > coarse * self._limits.place
            or math.acos(min(max(turn, -1.0), 1.0)) > coarse * self._limits.turn
            or np.abs(angles - known).max(initial=0.0) > coarse * self._limits.joint
        )

    def leave(self, clock: float) -> list[bytes]:
        """Return the packets by which our figures leave; they are announced no more."""
        found = []
        for number, sent in self._sent.items():
            time = stamp(clock, absolute=self._absolute)
            gone = replace(
                sent.state, timestamp=time,
                appearance=sent.state.appearance | Appearance(leaving=True).bits,
            )  # fmt: skip
            entity = EntityId(self.site, self.application, number)
            found.append(gone.encode())
            found.append(
                encode_removal(
                    entity, timestamp=time, exercise=self.exercise, version=self._version
                )
            )
        self._sent = {}
        return found

    # ---- what we hear

    def hear(self, heard: Sequence[Heard]) -> None:
        """Take in what has come: postures, looks, who leaves."""
        if not heard:
            return
        known = packets.read([each.data for each in heard], self.exercise)
        for damage in known.damaged:
            self.damaged[damage.why] += 1
        self.strange.update(known.strange)
        arrival = heard[-1].arrival
        for found in known.found:
            if found.kind == REMOVE_ENTITY:
                self._remove(found)
            else:
                self._take(found, arrival)
        for key in self.figures.gone(arrival):
            self.drop(key)

    def drop(self, key: EntityId) -> None:
        """Forget a figure."""
        self._bits.pop(self.figures.keys.get(key, -1), None)
        self.figures.drop(key)
        self.looks.pop(key, None)

    def _remove(self, found: Found) -> None:
        for receiver in found.rows["receiver"].tolist():
            key = EntityId(*receiver)
            if not self._ours(key):
                self.drop(key)

    def _ours(self, key: EntityId) -> bool:
        return key[:2] == (self.site, self.application)

    def _take(self, found: Found, arrival: float) -> None:
        """Take packets of one layout in."""
        rows, states = found.rows, found.kind == ENTITY_STATE
        entity = rows["entity"]
        chosen = (entity[:, 0] != self.site) | (entity[:, 1] != self.application)
        self.heard += int(chosen.sum())
        if states:
            human = rows["kind"][:, 0] == HUMAN
            self.others += int((chosen & ~human).sum())
            chosen &= human
        index, keys, known = np.flatnonzero(chosen), self.figures.keys, self._bits
        kept, places = [], []
        for k, who, bits in zip(
            index.tolist(), entity[index].tolist(), rows["appearance"][index].tolist(), strict=True
        ):
            place = keys.get(tuple(who))
            if states or place is None or known.get(place) != bits:
                marking = marking_of(rows["marking"][k]) if states else None
                place = self._meet(EntityId(*who), bits, marking, arrival)
            if place is not None:
                kept.append(k)
                places.append(place)
        if kept:
            self.figures.take(_postures(found, np.array(kept), np.array(places), arrival), arrival)

    def _meet(self, key: EntityId, bits: int, marking: str | None, arrival: float) -> int | None:
        """Take note of how a figure looks, by appearance and marking; return its row, if any.

        An update tells no marking: who has not been told of whole is nobody yet.
        """
        known, look = self.looks.get(key), appearance_of(bits)
        if known is None and marking is not None and not look.leaving:
            self._unmet.update(self._sent)  # somebody new knows none of ours
        if marking is None:
            if known is None:
                return None
            marking = known.name
        if look.leaving:
            self.drop(key)
            return None
        place = self.figures.row(key, arrival)
        if place is not None:
            self.looks[key] = NetworkedLook(marking, "", look.stance, look.weapon)
            self._bits[place] = bits
        return place


def _since(
    before: _Sent | None, posture: NetworkedPosture, columns: list[int], angles: Array
) -> tuple[Array, list[int]]:
    """Return a figure's velocity (3,) m/s and how often each joint was changed so far."""
    if before is None:
        return np.zeros(3), [0] * len(columns)
    elapsed = posture.time - before.posture.time
    moved = posture.p_EB - before.posture.p_EB
    changes = [
        count + int(before.angles.get(column) != np.float32(angle))
        for column, angle, count in zip(columns, angles, before.changes, strict=True)
    ]
    return moved / elapsed if elapsed < 1.0 else np.zeros(3), changes


def _postures(found: Found, kept: IntArray, places: IntArray, arrival: float) -> Postures:
    """Return what packets of one layout say of figures, in columns."""
    rows, parameters = found.rows[kept], found.parameters[kept]
    count, whole = len(kept), found.kind == ENTITY_STATE
    sent = seconds_of(rows["timestamp"])
    # some programs never stamp their packets
    sent = np.where(rows["timestamp"] == 0, arrival, sent)
    columns = columns_of(parameters)
    q = np.full((count, WIDTH), np.nan)
    which, record = np.nonzero(columns >= 0)
    q[which, columns[which, record]] = parameters["value"][which, record]
    if (parameters["type"] == PACKED).any():
        packed = angles_of(found.records[kept])
        q = np.where(np.isfinite(packed), packed, q)
    nothing: Any = np.zeros((count, 3))
    return Postures(
        rows=places,
        sent=sent,
        p=rows["location"].astype(float),
        q_EB=turn_of(rows["orientation"].astype(float)),
        velocity=rows["velocity"].astype(float),
        q=q,
        size=rows["length"].astype(float),
        algorithm=(rows["algorithm"] if whole else np.zeros(count)).astype(np.int64),
        acceleration=rows["acceleration"].astype(float) if whole else nothing,
        rate=rows["rate"].astype(float) if whole else nothing,
        whole=np.full(count, whole),
    )
