"""Figures over a network: what it takes to read, carry on and pose 160 of them at 60 Hz.

All packets are made before and handed over in memory, once a picture; sockets are left out.
"""

from __future__ import annotations

import time

import numpy as np

from articulata.network.dis.exercise import ARM_JOINTS, DisExercise, Thresholds
from articulata.network.dis.packets import EntityId, EntityKind, State, stamp
from articulata.network.exercise_port import Heard
from articulata.network.pose_codec import bundled
from articulata.network.pose_exercise import PoseExercise
from articulata.records.networked import NetworkedLook, NetworkedPosture
from benchmarks.harness import Report

FIGURES, VEHICLES, RATE = 160, 100, 60.0
PICTURES, BEGUN = 240, 60
"""Pictures, and those of them before it counts."""


def posture(t: float, number: int) -> NetworkedPosture:
    """Return two arms that swing, each figure in its own way, on a figure that moves."""
    angles = 0.3 * np.sin(2.0 * np.pi * 0.9 * t + np.arange(14) + number)
    return NetworkedPosture(t, np.array((6.4e6, 0.2 * t, 1.0)), np.eye(3), ARM_JOINTS, angles)


def vehicles(t: float) -> list[bytes]:
    """Return packets of vehicles, which are heard and not shown."""
    tank = EntityKind(kind=1)
    return [
        State(EntityId(9, 9, n), (6.4e6, t, 1.0), (0.0, 0.0, 0.0), timestamp=stamp(t), kind=tank)
        .encode()
        for n in range(1, VEHICLES + 1)
    ]  # fmt: skip


def share(sender: DisExercise | PoseExercise) -> float:
    """Return the processor time of hearing what a sender tells, in % of one core."""
    standard = DisExercise(1, 11, 21)
    few = PoseExercise(1, 11, 21, joints=ARM_JOINTS)
    poses = isinstance(sender, PoseExercise)
    look, spent = NetworkedLook("anna", "person(1.75 m)"), 0.0
    for picture in range(PICTURES):
        t = picture / RATE
        told = [
            packet
            for number in range(1, FIGURES + 1)
            for packet in sender.announce(number, look, posture(t, number), t)
        ]
        figures = [Heard(each, "there", t) for each in (bundled(told) if poses else told)]
        others = [Heard(each, "there", t) for each in vehicles(t)]
        begun = time.process_time()
        few.hear(figures if poses else [])
        standard.hear(others if poses else figures + others)
        (few if poses else standard).figures.at(t)
        spent += time.process_time() - begun if picture >= BEGUN else 0.0
    return 100.0 * spent / ((PICTURES - BEGUN) / RATE)


def run(report: Report) -> None:
    """Enter both protocols."""
    title = f"hear {FIGURES} figures of 14 angles at {RATE:g} Hz beside {VEHICLES} vehicles"
    senders = {
        "figures in few bytes": (PoseExercise(1, 10, 20, joints=ARM_JOINTS, rate=RATE), 8.0),
        "DIS": (DisExercise(1, 10, 20, thresholds=Thresholds(joint=0.0, rate=RATE)), 15.0),
    }
    for words, (sender, target) in senders.items():
        unit = "% of one core"
        with report.case(f"{title}, {words}", unit=unit, better="lower", target=target) as case:
            case.number("articulata", share(sender), ours=True)
