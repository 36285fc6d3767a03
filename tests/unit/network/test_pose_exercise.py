"""Figures in few bytes: angles within their bound, few bytes, losses that are got over."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from articulata.geometry.arrays import Array
from articulata.network.dis.exercise import ARM_JOINTS, DisExercise, Thresholds
from articulata.network.dis.human_parts import COLUMNS
from articulata.network.dis.packets import EntityId
from articulata.network.exercise_port import Heard
from articulata.network.heard_figures import HeardFigures
from articulata.network.pose_codec import designation, designator, designator_of
from articulata.network.pose_exercise import PoseExercise
from articulata.records.networked import NetworkedLook, NetworkedPosture
from articulata.sessions.join import exercise_frames
from mutations import COUNTS, mutated

LOOK = NetworkedLook("anna", "person(1.75 m)", "standing", "slung")
WHO = EntityId(10, 20, 1)
COLUMN = [COLUMNS[name] for name in ARM_JOINTS]
BOUND = math.radians(0.25)


def swing(t: float) -> Array:
    """Two arms that swing as in a walk, each joint by 17 deg to both sides and in its own way."""
    return 0.3 * np.sin(2.0 * np.pi * 0.9 * t + np.arange(14))


def posture(t: float, angles: Array | None = None, p: float = 0.0) -> NetworkedPosture:
    c, s = math.cos(0.3 * p), math.sin(0.3 * p)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    q = swing(t) if angles is None else angles
    return NetworkedPosture(t, np.array((6.4e6, p, 1.0)), R, ARM_JOINTS, q)


def ours(**more: float) -> PoseExercise:
    return PoseExercise(1, 10, 20, joints=ARM_JOINTS, **more)


def theirs() -> PoseExercise:
    return PoseExercise(1, 11, 21, joints=ARM_JOINTS)


def heard(packets: list[bytes], arrival: float, sender: str = "somebody") -> list[Heard]:
    return [Heard(each, sender, arrival) for each in packets]


@pytest.mark.parametrize("bound", [0.044, 0.25, 2.0])
def test_each_packet_tells_angles_within_the_bound(bound: float) -> None:
    sender, receiver = ours(rate=25.0, bound=math.radians(bound)), theirs()
    receiver.figures = HeardFigures(delay=0.0)
    sizes = []
    for k in range(101):
        t = k / 25.0
        (packet,) = sender.announce(1, LOOK, posture(t, p=0.2 * t), t)
        sizes.append(len(packet))
        receiver.hear(heard([packet], t))
        shown = receiver.figures.at(t)
        off = np.degrees(np.abs(shown.q[0, COLUMN] - swing(t)).max())
        assert off <= bound * (1.0 + 1e-6)
    assert receiver.looks[WHO] == LOOK
    # the place glides; at rest it is where it was told to the millimetre
    last = receiver.figures.at(t + 1.0)
    np.testing.assert_allclose(last.p_EB[0], (6.4e6, 0.2 * t, 1.0), atol=6e-4)
    np.testing.assert_allclose(last.R_EB[0], posture(t, p=0.2 * t).R_EB, atol=1e-4)
    assert 5 <= sum(size > 100 for size in sizes) <= 7  # a key frame each second, at first more


def test_an_eighth_of_the_bytes_of_the_standard() -> None:
    """Fourteen angles of arms that swing, 20 times a second, for 20 s."""
    poses, standard = ours(rate=20.0), DisExercise(1, 10, 20, joints=ARM_JOINTS,
                                                   thresholds=Thresholds(rate=20.0))  # fmt: skip
    rates = []
    for sender in (poses, standard):
        told = [sender.announce(1, LOOK, posture(k / 20.0), k / 20.0) for k in range(400)]
        rates.append(sum(len(packet) for packets in told for packet in packets) / 20.0)
    assert rates[0] < 800.0
    assert rates[0] < 0.13 * rates[1]


def shown_off(loss: float, jitter: float, seed: int) -> tuple[float, PoseExercise]:
    """Return by how much arms are shown off, deg rms; some packets come twice."""
    sender, receiver = ours(rate=20.0), theirs()
    rng, errors = np.random.default_rng(seed), []
    waiting: list[tuple[float, bytes]] = []
    for k in range(900):
        t = k / 60.0
        for packet in sender.announce(1, LOOK, posture(t), t):
            if rng.random() >= loss:
                copies = 1 + (rng.random() < 0.1)
                waiting += [(t + 0.02 + jitter * rng.random(), packet) for _ in range(copies)]
        for due, data in sorted(each for each in waiting if each[0] <= t):
            receiver.hear(heard([data], due))
        waiting = [each for each in waiting if each[0] > t]
        if t > 3.0 and WHO in receiver.looks:
            shown = receiver.figures.at(t)
            delay = receiver.figures.reception(WHO, t)[3]
            errors.append(shown.q[0, COLUMN] - swing(t - delay - 0.02))
    return math.degrees(np.sqrt(np.mean(np.square(errors)))), receiver


@pytest.mark.parametrize(("loss", "limit"), [(0.0, 0.3), (0.3, 0.9), (0.5, 2.5)])
def test_lost_and_repeated_packets_hardly_show(loss: float, limit: float) -> None:
    off, receiver = shown_off(loss, 0.01, 7)
    assert off < limit
    share = receiver.figures.reception(WHO, 15.0)[1]
    assert share == pytest.approx(loss, abs=0.08)
    assert receiver.late > 5


def test_packets_that_overtake_each_other_do_not_break_a_figure() -> None:
    off, receiver = shown_off(0.1, 0.2, 3)
    assert off < 2.0
    assert not receiver.damaged


def test_a_lost_key_frame_is_got_over_within_the_next() -> None:
    """All that leaves between 3.5 and 6.6 s is lost, and another key frame with it."""
    sender, receiver = ours(rate=20.0), theirs()
    receiver.figures = HeardFigures(delay=0.0)
    right = []
    for k in range(200):
        t = k / 20.0
        look = LOOK if t < 5.0 else replace(LOOK, stance="kneeling")
        packets = sender.announce(1, look, posture(t), t)
        if not 3.5 <= t < 6.6:
            receiver.hear(heard(packets, t))
        if t > 7.6:
            right.append(np.abs(receiver.figures.at(t).q[0, COLUMN] - swing(t)).max() <= BOUND)
    assert all(right)
    assert 0 < receiver.waiting <= 20
    # who joins late waits for one key frame as well
    assert receiver.looks[WHO].stance == "kneeling"
    late = theirs()
    joined = []
    for k in range(200, 230):
        t = k / 20.0
        late.hear(heard(sender.announce(1, LOOK, posture(t), t), t))
        joined.append(WHO in late.looks)
    assert joined.index(True) <= 20


def test_a_figure_at_rest_is_hardly_sent_and_comes_to_rest_whatever_is_lost() -> None:
    sender, receiver = ours(), theirs()
    sent = 0
    for k in range(600):
        t = k / 30.0 - 10.0
        packets = sender.announce(1, LOOK, posture(t, np.ones(14)), t + 50.0)
        receiver.hear(heard(packets, t))
        sent += len(packets)
    assert sent <= 9
    moved = np.ones(14) * 1.1
    assert sender.announce(1, LOOK, posture(10.0, moved), 60.0)  # lost
    for k in range(1, 60):
        t = 10.0 + k / 30.0
        receiver.hear(heard(sender.announce(1, LOOK, posture(t, moved), t + 50.0), t))
    np.testing.assert_allclose(receiver.figures.at(12.0).q[0, COLUMN], 1.1, atol=BOUND)


def test_a_budget_of_bytes_is_kept() -> None:
    sender = ours(rate=60.0, budget=400.0)
    told = [sender.announce(1, LOOK, posture(k / 60.0), k / 60.0) for k in range(1200)]
    size = sum(len(packet) for packets in told for packet in packets)
    assert 300.0 * 20.0 < size <= 400.0 * 21.0 + 150.0


def test_what_comes_again_and_what_others_say_of_a_figure_is_left_out() -> None:
    sender, receiver = ours(rate=20.0), theirs()
    packets = [sender.announce(1, LOOK, posture(k / 20.0), k / 20.0)[0] for k in range(100)]
    receiver.hear(heard(packets, 5.0))
    receiver.hear(heard(packets, 5.1))  # all again
    assert receiver.late == 100
    assert receiver.figures.reception(WHO, 5.1)[1] == 0.0
    receiver.hear(heard(sender.leave(5.2), 5.2, sender="a stranger"))
    assert receiver.strangers == 1
    assert WHO in receiver.looks
    receiver.hear(heard(packets[:1], 18.0))  # silent for 12 s: another may have its place
    assert WHO not in receiver.looks


def test_leaving_and_other_exercises() -> None:
    sender, receiver, others = ours(), theirs(), PoseExercise(2, 12, 22, joints=ARM_JOINTS)
    packets = sender.announce(1, LOOK, posture(0.0), 0.0)
    for each in (receiver, others, sender):
        each.hear(heard(packets, 0.0))
    assert list(receiver.looks) == [WHO]
    assert not others.looks
    assert not sender.looks
    receiver.hear(heard(sender.leave(0.5), 0.5))
    assert not receiver.looks


@pytest.mark.parametrize("count", COUNTS)
def test_any_packets_leave_an_exercise_whole(count: int) -> None:
    sender, receiver = ours(rate=20.0), theirs()
    seeds = [
        sender.announce(1, LOOK, posture(k / 20.0, p=k / 20.0), k / 20.0)[0] for k in range(30)
    ]
    receiver.hear(heard(seeds[:1], 0.0))
    for number, data in enumerate(mutated(seeds, count)):
        now = number / 1000.0
        receiver.hear(heard([data], now))
        if number % 50 == 0:
            shown = receiver.figures.at(now)
            assert np.isfinite(shown.p_EB).all()
            assert np.isfinite(shown.R_EB).all()
    assert sum(receiver.damaged.values()) > 0.1 * count
    assert len(receiver.damaged) < 20


def doing(t: float, motion: str = "signal_halt", begun: float = 1.0) -> NetworkedPosture:
    return posture(t, swing(t))._replace(doing=(motion, t - begun))


def test_a_gesture_costs_four_bytes_and_ends_when_angles_are_told() -> None:
    sender, receiver = ours(rate=30.0), theirs()
    receiver.figures = HeardFigures(delay=0.0)
    for k in range(31):
        receiver.hear(heard(sender.announce(1, LOOK, posture(k / 30.0), k / 30.0 + 7.0), k / 30.0))
    assert receiver.doing(WHO, 1.0) is None
    told = [sender.announce(1, LOOK, doing(t), t + 7.0) for t in 1.0 + np.arange(1, 120) / 30.0]
    residual, designated = told[0]
    assert len(designated) == 16 + 4
    assert len(residual) <= 16 + 3 + 4
    # nothing more until the key frame of who is at rest
    assert sum(map(bool, told)) <= 3
    receiver.hear(heard(told[0], 1.05))
    for now in (1.5, 3.0):
        found = receiver.doing(WHO, now)
        assert found is not None
        assert found[0] == designator("signal_halt")
        assert found[1] == pytest.approx(now - 1.0, abs=2e-3)
        assert np.isnan(receiver.figures.at(now).q).all()
    receiver.hear(heard(sender.announce(1, LOOK, posture(5.1), 12.1), 5.1))
    np.testing.assert_allclose(receiver.figures.at(5.1).q[0, COLUMN], swing(5.1), atol=BOUND)
    # a designator that is cut short, or of somebody unknown, is counted
    receiver.hear(heard([designated[:-1]], 5.3))
    receiver.hear(heard([designated[:8] + b"\0\7" + designated[10:]], 5.3))
    assert receiver.waiting == 1


def test_angles_before_and_after_a_gesture_are_not_mixed_with_it() -> None:
    """The gesture lasts from 1 to 1.5 s; what is told beside it is a key frame's angles."""
    sender, receiver = ours(rate=30.0), theirs()
    gesture = []
    for k in range(75):
        t = k / 30.0
        told = doing(t) if 30 <= k < 45 else posture(t)
        receiver.hear(heard(sender.announce(1, LOOK, told, t + 7.0), t))
        for now in (t + 0.01, t + 0.03):
            instant = receiver.figures.clock(WHO, now) - 7.0
            angles = receiver.figures.at(now).q[0, COLUMN]
            if np.isnan(angles).all():
                gesture.append(instant)
            elif instant > 0.1:
                np.testing.assert_allclose(angles, swing(instant), atol=1.5 * BOUND)
    # from the angles before it to those after it
    assert 29 / 30 - 1e-3 < min(gesture) < 1.0
    assert 44 / 30 < max(gesture) < 1.5 + 1e-3


def test_motions_of_a_person_have_designators_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = exercise_frames.body_of("person(1.75 m)")
    names = [name for name in body.motions.values() if name.startswith("signal_")]
    assert len(names) == 19
    q = body.stances.posture("signal_halt", np.asarray(0.8))
    assert body.told(("signal_halt", 0.8), q, BOUND) == ("signal_halt", 0.8)
    assert body.told(("signal_halt", 0.9), body.tracked.rest, BOUND) is None
    # a walk of hours is told by the step that it is at, within what 20 bits of ms hold
    for since in (5.0, 1100.0, 12_345.678):
        walking = body.stances.posture("walk", np.asarray(since))
        found = body.told(("walk", since), walking, BOUND)
        assert found is not None
        _, again = designator_of(designation(*found))
        np.testing.assert_allclose(
            body.stances.posture("walk", np.asarray(again)), walking, atol=0.01
        )
    # what others call their stances is not kept, and takes no model of a world each
    monkeypatch.setattr(exercise_frames, "kinematic_model", None)
    for number in range(2000):
        body.stances.posture(f"stance {number}", np.asarray(0.0))
    assert len(body.stances._known) < 10


@pytest.mark.parametrize(("far", "ahead", "level"), [(8.0, 1, 0), (25.0, 1, 1), (200.0, 1, 3),
                                                     (8.0, -1, 1)])  # fmt: skip
def test_who_is_far_or_not_looked_at_is_told_coarser(far: float, ahead: int, level: int) -> None:
    """One who looks along x of E, and a figure so far before or behind him."""
    watcher = PoseExercise(1, 11, 21, joints=ARM_JOINTS)
    sender = ours(rate=25.0, near=10.0)
    near = posture(0.0)._replace(p_EB=np.array((6.4e6 - ahead * far, 0.0, 1.0)))
    sender.hear(heard(watcher.announce(1, LOOK, near, 0.0), 0.0))
    receiver = theirs()
    receiver.figures = HeardFigures(delay=0.0)
    count, worst = 0, 0.0
    for k in range(400):
        t = k / 25.0
        if packets := sender.announce(1, LOOK, posture(t), t):
            count += 1
            receiver.hear(heard(packets, t))
            worst = max(worst, float(np.abs(receiver.figures.at(t).q[0, COLUMN] - swing(t)).max()))
    assert count == pytest.approx(400 / 2**level, abs=2)
    assert 0.5 * BOUND * 2**level < worst <= BOUND * 2**level * (1.0 + 1e-6)
