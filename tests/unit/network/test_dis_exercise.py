"""Figures in an exercise: what is sent of ours, and how others' are carried on and shown."""

from __future__ import annotations

import math
import socket

import numpy as np
import pytest

from articulata.kernels.heard_figures import GLIDE
from articulata.network.dis.exercise import ARM_JOINTS, DisExercise, Thresholds
from articulata.network.dis.human_parts import COLUMNS, PARTS, Appearance, appearance_of
from articulata.network.dis.packets import (
    ENTITY_STATE,
    ENTITY_STATE_UPDATE,
    EntityId,
    EntityKind,
    Parameter,
    State,
    read,
    stamp,
)
from articulata.network.exercise_port import ExerciseAddress, ExercisePort, Heard
from articulata.network.heard_figures import HeardFigures
from articulata.network.pose_exercise import PoseExercise
from articulata.records.networked import NetworkedLook, NetworkedPosture
from mutations import COUNTS, mutated

LOOK = NetworkedLook("anna", "person(1.75 m)", "standing")


def _posture(time: float, joints: dict[str, float], p: float = 0.0) -> NetworkedPosture:
    return NetworkedPosture(
        time, np.array((6.4e6, p, 0.0)), np.eye(3), tuple(joints), np.array([*joints.values()])
    )


def _swing(t: float) -> dict[str, float]:
    return {name: math.sin(2.0 * t + k) for k, name in enumerate(ARM_JOINTS)}


def _heard(packets: list[bytes], arrival: float) -> list[Heard]:
    return [Heard(each, "somebody", arrival) for each in packets]


def _pair() -> tuple[DisExercise, DisExercise]:
    return DisExercise(1, 10, 20, thresholds=Thresholds(rate=60.0)), DisExercise(1, 11, 21)


def test_a_figure_is_sent_when_it_moves_or_a_heartbeat_is_due() -> None:
    ours, _ = _pair()
    still = dict.fromkeys(ARM_JOINTS, 0.25)
    kinds = [
        (k / 30.0, read([packet]).found[0].kind)
        for k in range(240)
        for packet in ours.announce(1, LOOK, _posture(k / 30.0, still), k / 30.0)
    ]
    assert kinds == [(0.0, ENTITY_STATE), (5.0, ENTITY_STATE)]
    moved = still | {"r_elbow_flexion": 0.25 + math.radians(0.6)}
    (packet,) = ours.announce(1, LOOK, _posture(9.0, moved), 9.0)
    found = read([packet]).found[0]
    assert found.kind == ENTITY_STATE_UPDATE
    changes = dict(zip(found.parameters["part"][0], found.parameters["change"][0], strict=True))
    number = PARTS[COLUMNS["r_elbow_flexion"]].number
    assert {part: count for part, count in changes.items() if count} == {number: 1}


def test_who_comes_later_is_told_of_whole_at_once() -> None:
    ours, theirs = _pair()
    still = dict.fromkeys(ARM_JOINTS, 0.25)
    ours.announce(1, LOOK, _posture(0.0, still), 0.0)
    assert not ours.announce(1, LOOK, _posture(2.0, still), 2.0)
    ours.hear(_heard(theirs.announce(1, LOOK, _posture(2.0, still), 2.0), 2.0))
    (packet,) = ours.announce(1, LOOK, _posture(2.1, still), 2.1)
    theirs.hear(_heard([packet], 2.1))
    assert theirs.looks[EntityId(10, 20, 1)].name == LOOK.name
    # once for each who comes, and no more than once a second
    assert not ours.announce(1, LOOK, _posture(3.2, still), 3.2)


def test_what_others_carry_on_by_themselves_is_not_sent() -> None:
    ours, _ = _pair()
    still = dict.fromkeys(ARM_JOINTS, 0.0)
    sent = [
        bool(ours.announce(1, LOOK, _posture(k / 30.0, still, 1.5 * k / 30.0), k / 30.0))
        for k in range(120)
    ]
    # even speed is known from the second packet on
    assert sum(sent) <= 3


def test_a_change_of_stance_is_told_whole() -> None:
    ours, theirs = _pair()
    theirs.hear(_heard(ours.announce(1, LOOK, _posture(0.0, {}), 0.0), 0.0))
    kneeling = NetworkedLook("anna", "", "kneeling", "deployed")
    (packet,) = ours.announce(1, kneeling, _posture(0.1, {}), 0.1)
    theirs.hear(_heard([packet], 0.1))
    look = theirs.looks[EntityId(10, 20, 1)]
    assert (look.name, look.stance, look.weapon) == ("anna", "kneeling", "deployed")


@pytest.mark.parametrize("stance", ["standing", "walking", "prone", "dead", "seated", "crawling"])
def test_appearance_is_read_as_it_is_written(stance: str) -> None:
    for weapon in ("", "slung", "deployed"):
        assert appearance_of(Appearance(stance, weapon).bits) == Appearance(stance, weapon)


@pytest.mark.parametrize("loss", [0.0, 0.3, 0.5])
def test_arms_are_shown_close_to_where_they_are(loss: float) -> None:
    assert _shown_off(loss, 7) < (0.5 if loss < 0.4 else 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("loss", [0.3, 0.5])
def test_arms_are_shown_close_whichever_packets_are_lost(loss: float) -> None:
    assert max(_shown_off(loss, seed) for seed in range(20)) < (0.5 if loss < 0.4 else 1.0)


def _shown_off(loss: float, seed: int) -> float:
    """Return by how much arms are shown off in 10 s (deg rms): what comes late is no error."""
    ours, theirs = _pair()
    rng = np.random.default_rng(seed)
    errors = []
    columns = [COLUMNS[name] for name in ARM_JOINTS]
    waiting: list[tuple[float, list[bytes]]] = []
    for k in range(600):
        t = k / 60.0
        packets = ours.announce(1, LOOK, _posture(t, _swing(t)), t + 100.0)
        if k < 3 or rng.random() >= loss:
            waiting.append((t + 0.02 + 0.03 * rng.random(), packets))
        for due, data in [each for each in waiting if each[0] <= t]:
            theirs.hear(_heard(data, due))
        waiting = [each for each in waiting if each[0] > t]
        if t > 2.0:
            shown = theirs.figures.at(t)
            _, _, _, delay = theirs.figures.reception(EntityId(10, 20, 1), t)
            there = np.array([*_swing(t - delay - 0.02).values()])
            errors.append(shown.q[0, columns] - there)
    return math.degrees(np.sqrt(np.mean(np.square(errors))))


def test_older_packets_and_repeated_ones_correct_nothing() -> None:
    ours, theirs = _pair()
    packets = [
        ours.announce(1, LOOK, _posture(k / 10.0, _swing(k / 10.0)), 1.0 + k / 10.0)[0]
        for k in range(8)
    ]
    for number in (0, 1, 2, 5, 3, 4, 5, 5, 6, 7, 2, 0):
        theirs.hear(_heard([packets[number]], 0.7))
    shown = theirs.figures.at(5.0)
    there = [_swing(0.7)[name] for name in ARM_JOINTS]
    seen = shown.q[0, [COLUMNS[name] for name in ARM_JOINTS]]
    assert np.abs(seen - there).max() < 0.5  # carried on for a moment from the newest, then held
    assert np.allclose(theirs.figures.at(9.0).q, shown.q, equal_nan=True)


def test_a_correction_glides_and_is_measured() -> None:
    theirs = DisExercise(1, 11, 21)

    def state(t: float, y: float) -> bytes:
        return State(
            EntityId(1, 2, 3), (6.4e6, y, 0.0), (0.0, 0.0, 0.0), timestamp=stamp(t + 1)
        ).encode()

    theirs.hear(_heard([state(0.0, 0.0)], 0.0))
    theirs.hear(_heard([state(1.0, 0.5)], 1.0))
    key = EntityId(1, 2, 3)
    assert theirs.figures.jump(key)[0] == pytest.approx(0.5, abs=1e-6)
    # it fades exponentially, by 95 % in GLIDE s, whatever comes meanwhile
    for k, t in enumerate(np.linspace(0.0, 2.0 * GLIDE, 21)):
        there = 0.5 * (1.0 - math.exp(-3.0 * t / GLIDE))
        assert theirs.figures.at(1.0 + t).p_EB[0, 1] == pytest.approx(there, abs=1e-6)
        if k % 2:
            theirs.hear(_heard([state(1.0 + t, 0.5)], 1.0 + t))


@pytest.mark.parametrize("told", ["dis", "poses"])
@pytest.mark.parametrize("period", [1 / 60, 1 / 6])
def test_place_and_joints_are_those_of_one_instant(told: str, period: float) -> None:
    """A figure that goes to and fro, and turns, as its elbow bends: 2 m and half a radian to one.

    At 6 packets a second it is shown 0.25 s late: 0.4 m at its fastest.
    """

    def bent(t: float) -> float:
        return 0.4 * math.sin(2.0 * t)

    ours: DisExercise | PoseExercise = DisExercise(
        1, 10, 20, thresholds=Thresholds(0.0, 0.0, 0.0, rate=60.0)
    )
    theirs: DisExercise | PoseExercise = DisExercise(1, 11, 21)
    if told == "poses":
        ours, theirs = (
            PoseExercise(1, site, 20, joints=ARM_JOINTS, rate=60.0, bound=math.radians(0.02))
            for site in (10, 11)
        )
    key, beside = EntityId(10, 20, 1), []
    for k in range(round(6.0 / period)):
        sent = k * period
        c, s = math.cos(0.5 * bent(sent)), math.sin(0.5 * bent(sent))
        posture = _posture(sent, {"r_elbow_flexion": bent(sent)}, 2.0 * bent(sent))
        posture = posture._replace(R_EB=np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
        theirs.hear(_heard(ours.announce(1, LOOK, posture, 70.0 + sent), sent))
        for now in sent + np.array([0.1, 0.5, 0.9]) * period:
            shown, there = theirs.figures.at(now), bent(theirs.figures.clock(key, now) - 70.0)
            R, joint = shown.R_EB[0], shown.q[0, COLUMNS["r_elbow_flexion"]]
            found = joint, shown.p_EB[0, 1] / 2.0, math.atan2(R[1, 0], R[0, 0]) / 0.5
            if now > 1.0:
                beside.append([np.ptp(found), *(np.array(found) - there)])
    # each packet bends the cubic a little: joints follow at once, the place glides
    together, *off = np.abs(beside).max(axis=0)
    assert together < 3e-3
    assert max(off) < 4e-3


def test_figures_leave_by_a_packet_or_by_silence() -> None:
    ours, theirs = _pair()
    for number in (1, 2):
        theirs.hear(_heard(ours.announce(number, LOOK, _posture(0.0, {}), 0.0), 0.0))
    assert len(theirs.looks) == 2
    theirs.drop(EntityId(10, 20, 2))
    theirs.hear(_heard(ours.leave(1.0), 1.0))
    assert not theirs.looks
    theirs.hear(_heard([State(EntityId(5, 5, 5), (1, 2, 3), (0, 0, 0)).encode()], 2.0))
    assert theirs.looks
    theirs.hear(_heard([b"noise"], 13.9))
    assert theirs.looks
    theirs.hear(_heard([b"noise"], 14.1))
    assert not theirs.looks
    assert theirs.damaged


def test_our_own_packets_and_entities_that_are_no_humans_are_not_shown() -> None:
    ours, _ = _pair()
    ours.hear(_heard(ours.announce(1, LOOK, _posture(0.0, {}), 0.0), 0.0))
    tank = bytearray(State(EntityId(5, 5, 5), (1, 2, 3), (0, 0, 0)).encode())
    tank[20] = 1
    ours.hear(_heard([bytes(tank)], 0.0))
    assert not ours.looks
    assert ours.others == 1


def test_parts_of_others_are_left_out() -> None:
    theirs = DisExercise(1, 11, 21)
    turret = Parameter(4096 + 11, 0.5)
    ours = Parameter(PARTS[3].number, 0.25)
    state = State(EntityId(5, 5, 5), (1, 2, 3), (0, 0, 0), parameters=(turret, ours), timestamp=4)
    theirs.hear(_heard([state.encode()], 0.0))
    q = theirs.figures.at(0.0).q[0]
    assert q[3] == 0.25
    assert np.isfinite(q).sum() == 1


@pytest.mark.parametrize("count", COUNTS)
def test_any_packets_leave_a_session_whole(count: int) -> None:
    ours, theirs = _pair()
    packets = [
        ours.announce(1, LOOK, _posture(k / 10.0, _swing(k / 10.0)), k / 10.0)[0] for k in range(9)
    ]
    seeds = [*packets, *ours.leave(1.0), b"".join(packets[:3])]
    for number, data in enumerate(mutated(seeds, count)):
        now = number / 1000.0
        theirs.hear(_heard([data], now))
        if number % 50 == 0:
            shown = theirs.figures.at(now)
            assert np.isfinite(shown.p_EB).all()
            assert np.isfinite(shown.R_EB).all()
    assert sum(theirs.damaged.values()) > 0.1 * count
    assert len(theirs.damaged) < 300


def test_the_table_refuses_what_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("articulata.network.heard_figures.MOST_FIGURES", 40)
    figures = HeardFigures()
    rows = [figures.row(k, 0.0) for k in range(50)]
    assert len({row for row in rows if row is not None}) == 40
    assert figures.refused == 10


def test_two_ports_of_one_machine_hear_each_other() -> None:
    where = ExerciseAddress.of("127.255.255.255:3997")
    with ExercisePort(where) as one, ExercisePort(where) as other:
        one.send(b"hello")
        assert [each.data for each in other.hear(2.0)] == [b"hello"]


def test_who_floods_is_left_out_and_others_are_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 30,000 datagrams in 0.1 s those of 5,000 at once and 25,000/s are read."""
    now = 100.0
    monkeypatch.setattr("articulata.network.exercise_port.time.monotonic", lambda: now)
    where = ExerciseAddress.of("127.0.0.1:3998")
    with (
        ExercisePort(where) as port,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flood,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as quiet,
    ):
        found = []
        for _ in range(100):
            for _ in range(300):
                flood.sendto(b"x", ("127.0.0.1", 3998))
            quiet.sendto(b"y", ("127.0.0.1", 3998))
            now += 0.001
            found += port.hear(0.2)
    kinds = [each.data for each in found]
    assert kinds.count(b"y") == 100
    assert kinds.count(b"x") == pytest.approx(5000 + 25_000 * 0.1, abs=50)
    assert sum(port.traffic.left_out.values()) == 30_000 - kinds.count(b"x")


def test_what_waits_after_a_stall_is_read_whole() -> None:
    """0.13 s of 160 figures and 100 vehicles at 60 Hz."""
    where = ExerciseAddress.of("127.0.0.1:3998")
    with (
        ExercisePort(where) as port,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as honest,
    ):
        for _ in range(2028):
            honest.sendto(b"x", ("127.0.0.1", 3998))
        found = port.hear(0.2)
    assert len(found) == 2028


@pytest.mark.parametrize(
    ("text", "interface", "why"),
    [
        ("10.0.0.2", "127.0.0.1", "another machine"),
        ("example", "127.0.0.1", "in numbers"),
        ("239.1.1.1:x", "127.0.0.1", "write it as"),
        ("239.1.1.1:0", "127.0.0.1", "1 to 65535"),
        ("239.1.1.1", "::1", "one kind"),
        ("239.1.1.1:1, 239.1.1.2:2", "127.0.0.1", "several ports"),
    ],
)
def test_addresses_that_cannot_be_are_refused(text: str, interface: str, why: str) -> None:
    from articulata.errors import ArticulataError

    with pytest.raises(ArticulataError, match=why):
        ExerciseAddress.of(text, interface)


def test_updates_of_who_was_never_told_of_whole_hold_no_row() -> None:
    ours, theirs = _pair()
    still = dict.fromkeys(ARM_JOINTS, 0.25)
    whole = ours.announce(1, LOOK, _posture(0.0, still), 0.0)
    (update,) = ours.announce(1, LOOK, _posture(0.1, still | {"r_elbow_flexion": 0.5}), 0.1)
    theirs.hear(_heard([update], 0.1))
    assert theirs.heard == 1
    assert not theirs.figures.keys
    assert not theirs.looks
    theirs.hear(_heard([*whole, update], 0.2))
    assert list(theirs.figures.keys) == list(theirs.looks) == [EntityId(10, 20, 1)]


def test_vehicles_and_figures_in_one_batch_are_told_apart() -> None:
    """A datagram may hold several packets; appearance that stays is looked at once."""
    ours, theirs = _pair()
    people = [
        packet
        for number in range(1, 41)
        for packet in ours.announce(number, LOOK, _posture(0.0, _swing(0.01 * number)), 0.0)
    ]
    tank = EntityKind(kind=1)
    vehicles = [
        State(
            EntityId(5, 5, n), (6.4e6, 0.0, 0.0), (0.0, 0.0, 0.0), timestamp=2, kind=tank
        ).encode()
        for n in range(1, 31)
    ]
    batch = [b"".join(people[:3]), *people[3:], *vehicles, b"", vehicles[0][:40], people[0] + b"x"]
    theirs.hear(_heard(batch, 1.0))
    assert theirs.others == 30
    assert theirs.heard == 71
    assert set(theirs.looks) == {EntityId(10, 20, number) for number in range(1, 41)}
    assert dict(theirs.damaged) == {
        "an empty datagram": 1, "a length that does not fit": 1, "shorter than a header": 1,
    }  # fmt: skip
    shown = theirs.figures.at(1.0)
    assert len(shown.rows) == 40
    told = [_swing(0.01 * number)["r_elbow_flexion"] for number in range(1, 41)]
    np.testing.assert_allclose(shown.q[:, COLUMNS["r_elbow_flexion"]], told, atol=1e-6)


def test_angles_are_packed_in_few_records() -> None:
    """Seventeen angles in three records where the standard has seventeen, 0.044 deg beside."""
    sender = DisExercise(1, 10, 20, packed=True, thresholds=Thresholds(rate=60.0))
    standard, theirs = _pair()
    joints = _swing(0.4) | {"vc7_flexion": -3.1, "vc7_lateral": 0.0, "vc7_rotation": 3.1}
    (packet,) = sender.announce(1, LOOK, _posture(0.4, joints), 0.4)
    (usual,) = standard.announce(1, LOOK, _posture(0.4, joints), 0.4)
    assert len(usual) - len(packet) == 16 * (17 - 3)
    theirs.hear(_heard([packet], 0.4))
    shown = theirs.figures.at(0.4).q[0]
    told = shown[[COLUMNS[name] for name in joints]]
    assert np.abs(told - [*joints.values()]).max() <= math.pi / 4096 + 1e-12
    assert np.isfinite(shown).sum() == 17
    # bit by bit as the page tells it: 64 of joints, then twelve a joint from half a turn back on
    bits = "".join(f"{byte:08b}" for k in range(3) for byte in packet[144 + 16 * k :][1:16])
    first = next(k for k, part in enumerate(PARTS) if bits[k] == "1")
    expected = round((joints[PARTS[first].joint] + math.pi) * 4096 / (2 * math.pi))
    assert int(bits[64:76], 2) == expected
    # records that are cut off tell what they still hold, and others nothing
    cut = bytearray(packet[:-32])
    cut[8:10], cut[19] = len(cut).to_bytes(2, "big"), 1
    cut[16:18] = b"\0\7"
    theirs.hear(_heard([bytes(cut)], 0.5))
    assert np.isfinite(theirs.figures.at(0.5).q[1]).sum() == 4
    assert not sender.announce(1, LOOK, _posture(0.5, joints), 0.5)
