"""Bytes a second of one human on a walk of the CMU database, by protocol, and what is shown.

Subject 02, clip 01, mocap.cs.cmu.edu, funded by NSF EIA-0196217: arms as a person's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from articulata.analyses.track.humanoid_bones import HumanoidBones
from articulata.analyses.track.tracked_person import tracked_body
from articulata.geometry.arrays import Array
from articulata.kinematics.library import figure
from articulata.network.dis.exercise import ARM_JOINTS, DisExercise, Thresholds
from articulata.network.dis.human_parts import COLUMNS
from articulata.network.dis.packets import EntityId
from articulata.network.exercise_port import Heard
from articulata.network.heard_figures import HeardFigures
from articulata.network.osc_sender import datagrams, vmc_messages
from articulata.network.pose_exercise import PoseExercise
from articulata.records.networked import NetworkedLook, NetworkedPosture
from articulata.records.tracking import TrackedPosture
from articulata.sessions.track.emulation import clip_of

pytestmark = [pytest.mark.material, pytest.mark.slow]

LOOK = NetworkedLook("walker", "person")
WHO = EntityId(10, 20, 1)
PERSON = tracked_body(figure("person"))
ARMS = [PERSON.figure.coordinate(name) for name in ARM_JOINTS]
COLUMN = [COLUMNS[name] for name in ARM_JOINTS]
LENGTH = 2.7
"""Seconds of it; then it goes over to its beginning."""

SECONDS = 16.2


@pytest.fixture(scope="module")
def arms(material: Path) -> Array:
    """The fourteen angles at 240 Hz, to and fro, so that it goes on without a leap."""
    posture = clip_of(material / "data" / "tracking" / "cmu_asfamc" / "02_01.amc", PERSON)
    q = np.array([posture(t)[ARMS] for t in np.arange(0.0, LENGTH, 1.0 / 240.0)])
    return np.concatenate([q, q[-2:0:-1]])


def at(arms: Array, t: float) -> Array:
    k, share = divmod(240.0 * t, 1.0)
    first = arms[int(k) % len(arms)]
    return np.asarray(first + share * (arms[(int(k) + 1) % len(arms)] - first))


def told(arms: Array, t: float) -> NetworkedPosture:
    return NetworkedPosture(t, np.array((6.4e6, 0.0, 1.0)), np.eye(3), ARM_JOINTS, at(arms, t))


def passed(
    arms: Array,
    sender: DisExercise | PoseExercise,
    loss: float = 0.0,
    draw: int = 0,
    delay: float | None = None,
) -> tuple[float, float, int]:
    """Return bytes a second that leave, by how much arms are shown off (deg rms), and packets."""
    receiver: DisExercise | PoseExercise = DisExercise(1, 11, 21)
    if isinstance(sender, PoseExercise):
        receiver = PoseExercise(1, 11, 21, joints=ARM_JOINTS)
    receiver.figures = HeardFigures(delay=delay)
    rng, errors, size, count = np.random.default_rng(draw), [], 0, 0
    for k in range(round(60 * SECONDS)):
        t = k / 60.0
        packets = sender.announce(1, LOOK, told(arms, t), t + 5.0)
        size, count = size + sum(map(len, packets)), count + len(packets)
        if packets and (k < 3 or rng.random() >= loss):
            receiver.hear([Heard(each, "there", t) for each in packets])
        if t > 3.0 and WHO in receiver.looks:
            late = receiver.figures.reception(WHO, t)[3]
            errors.append(receiver.figures.at(t).q[0, COLUMN] - at(arms, t - late))
    return size / SECONDS, math.degrees(np.sqrt(np.mean(np.square(errors)))), count


def mean_off(arms: Array, make: Callable[[], DisExercise | PoseExercise], **more: float) -> float:
    """Return by how much arms are shown off at 30 % loss, deg rms over six draws."""
    off = [passed(arms, make(), 0.3, draw, **more)[1] for draw in range(6)]
    return float(np.sqrt(np.mean(np.square(off))))


def few(rate: float, bound: float) -> PoseExercise:
    return PoseExercise(1, 10, 20, joints=ARM_JOINTS, rate=rate, bound=math.radians(bound))


def standard(rate: float, *, packed: bool = False, joint: float = 0.5) -> DisExercise:
    limits = Thresholds(rate=rate, joint=math.radians(joint))
    return DisExercise(1, 10, 20, joints=ARM_JOINTS, thresholds=limits, packed=packed)


def test_bytes_of_one_human_by_protocol(arms: Array) -> None:
    bones = HumanoidBones(PERSON)
    q = PERSON.rest.copy()
    q[ARMS] = at(arms, 1.0)
    base = np.array((1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    frame = bones.at(TrackedPosture(1.0, q, base, np.zeros((2, 11)), ()))
    vmc = 60 * sum(map(len, datagrams(vmc_messages(frame))))
    rows = {
        "VMC, 60 Hz": (float(vmc), math.nan, math.nan),
        "the standard, each posture whole, 60 Hz": ((144 + 16 * 14) * 60.0, math.nan, math.nan),
    }
    for words, make in {
        "DIS, 60 Hz, whenever it changes": lambda: standard(60.0, joint=0.0),
        "DIS, 30 Hz, 0.5 deg": lambda: standard(30.0),
        "DIS, 30 Hz, 0.5 deg, packed": lambda: standard(30.0, packed=True),
        "poses, 60 Hz, 0.044 deg": lambda: few(60.0, 0.044),
        "poses, 30 Hz, 0.25 deg": lambda: few(30.0, 0.25),
        "poses, 20 Hz, 0.25 deg": lambda: few(20.0, 0.25),
        "poses, 10 Hz, 0.5 deg": lambda: few(10.0, 0.5),
    }.items():
        rate, off, _ = passed(arms, make())
        rows[words] = rate, off, mean_off(arms, make)
    for words, row in rows.items():
        print(f"| {words} | {row[0]:.0f} | {row[1]:.2f} | {row[2]:.2f} |")
    whole = rows["the standard, each posture whole, 60 Hz"][0]
    assert whole == 22_080.0
    assert rows["poses, 60 Hz, 0.044 deg"][0] < 0.11 * whole
    assert rows["poses, 30 Hz, 0.25 deg"][0] < 0.05 * whole
    assert rows["DIS, 30 Hz, 0.5 deg, packed"][0] < 0.45 * rows["DIS, 30 Hz, 0.5 deg"][0]


def test_thirty_percent_lost_of_few_bytes(arms: Array) -> None:
    """Beside heads of 16 bytes 420 a second; shown 150 ms late 1.1 deg rms."""
    size, _, count = passed(arms, few(20.0, 0.25))
    assert size - 16 * count / SECONDS <= 420.0
    assert mean_off(arms, lambda: few(20.0, 0.25), delay=0.15) <= 1.1
