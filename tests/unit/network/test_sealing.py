"""Sealed packets: nobody else reads, changes or repeats them; figures in one datagram."""

from __future__ import annotations

import hashlib
import math
import socket
import struct
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from articulata.errors import ArticulataError
from articulata.kernels.pose_packets import FULL, MOST_PARTS
from articulata.network.dis.packets import EntityId
from articulata.network.exercise_port import ExerciseAddress, ExercisePort, Heard
from articulata.network.pose_codec import bundled
from articulata.network.sealing import HEAD, OVERHEAD, SKEW, WINDOW, Sealing, key_of
from articulata.sessions.join.join_session import JoinWish
from mutations import COUNTS, mutated

from .test_pose_exercise import LOOK, heard, ours, posture, theirs

KEY = bytes(range(32))
PACKET = b"a packet of some figure"


class Clock:
    """A time of day that tests set."""

    def __init__(self, now: float = 1.8e9) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def two(clock: Clock | None = None) -> tuple[Sealing, Sealing]:
    clock = clock or Clock()
    return Sealing(KEY, clock=clock), Sealing(KEY, clock=clock)


def test_a_sealed_packet_is_what_rfc_8439_says() -> None:
    """Opened by the cipher itself, with key and nonce made of the head by hand."""
    sealed = Sealing(KEY, clock=Clock(1234.9)).sealed(PACKET)
    assert len(sealed) == len(PACKET) + OVERHEAD
    assert PACKET not in sealed
    head, body = sealed[:18], sealed[18:]
    assert head[:2] == b"AS"
    assert head[10:] == (1).to_bytes(4, "big") + (1234).to_bytes(4, "big")
    own = hashlib.blake2b(head[2:10], key=KEY, digest_size=32, person=b"articulata seal").digest()
    assert ChaCha20Poly1305(own).decrypt(bytes(4) + head[10:], body, head) == PACKET


def test_those_of_one_key_hear_each_other_and_not_themselves() -> None:
    one, other = two()
    assert other.opened(one.sealed(PACKET)) == PACKET
    assert one.opened(other.sealed(PACKET)) == PACKET
    assert one.opened(one.sealed(PACKET)) is None
    assert not one.refused
    assert not other.refused


def test_who_has_another_key_or_none_is_counted() -> None:
    one, other = two()
    stranger = Sealing(b"x" * 32, clock=Clock())
    assert other.opened(stranger.sealed(PACKET)) is None
    assert other.opened(PACKET) is None
    assert stranger.opened(one.sealed(PACKET)) is None
    assert sorted(other.refused.values()) == [1, 1]


def test_no_byte_can_be_changed() -> None:
    one, other = two()
    sealed = one.sealed(PACKET)
    for place in range(len(sealed)):
        for bit in (1, 0x80):
            changed = bytearray(sealed)
            changed[place] ^= bit
            assert other.opened(bytes(changed)) is None
    assert other.opened(sealed) == PACKET


def test_a_packet_counts_once_in_whatever_order_it_comes() -> None:
    one, other = two()
    packets = [one.sealed(b"%d" % k) for k in range(300)]
    order = np.random.default_rng(4).permutation(np.repeat(np.arange(300), 3))
    opened = [plain for k in order.tolist() if (plain := other.opened(packets[k])) is not None]
    assert sorted(opened, key=int) == [b"%d" % k for k in range(300)]
    assert other.refused["come twice, or too late"] == 600


def test_what_lies_behind_the_window_is_left_out() -> None:
    one, other = two()
    first = one.sealed(PACKET)
    for _ in range(WINDOW):
        last = one.sealed(PACKET)
    assert other.opened(last) == PACKET
    assert other.opened(first) is None


@pytest.mark.parametrize("later", [SKEW + 2.0, 3.0 * SKEW, 1e6])
def test_a_recorded_session_is_worth_nothing_later(later: float) -> None:
    clock = Clock()
    one, other = two(clock)
    packets = [one.sealed(PACKET) for _ in range(5)]
    assert other.opened(packets[0]) == PACKET
    clock.now += later
    newcomer = Sealing(KEY, clock=clock)
    third = Sealing(KEY, clock=clock)
    assert other.opened(third.sealed(PACKET)) == PACKET  # forgets who is silent
    assert [each.opened(data) for each in (other, newcomer) for data in packets] == [None] * 10


def test_clocks_may_differ_by_less() -> None:
    one = Sealing(KEY, clock=Clock(1000.0))
    for now in (1000.0 - SKEW, 1000.0 + SKEW):
        assert Sealing(KEY, clock=Clock(now)).opened(one.sealed(PACKET)) == PACKET


def test_two_sessions_never_use_one_key_and_number() -> None:
    one, other = two()
    a, b = one.sealed(PACKET), other.sealed(PACKET)
    assert a[10 : HEAD.size] == b[10 : HEAD.size]
    assert a[HEAD.size :] != b[HEAD.size :]


@pytest.mark.parametrize("total", COUNTS)
def test_mutated_packets_are_counted(total: int) -> None:
    one, other = two()
    samples = [one.sealed(bytes(n)) for n in (0, 1, 40, 400)]
    count = 0
    for data in mutated(samples, total, seed=3):
        plain = other.opened(data)
        count += plain is not None
    assert count <= len(samples)  # each as it was sent, once


def test_the_key_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "exercise.key"
    with pytest.raises(ArticulataError, match=r"cannot be read .*Write a secret of 16 characters"):
        key_of(file)
    file.write_text("too short\n", "ascii")
    file.chmod(0o600)
    with pytest.raises(ArticulataError, match="holds 9 characters; a secret has 16 or more"):
        key_of(file)
    file.write_text("correct horse battery staple\n", "ascii")
    told = hashlib.scrypt(
        b"correct horse battery staple", salt=b"articulata exercise", n=16384, r=8, p=1, dklen=32
    )
    assert key_of(file) == told
    file.chmod(0o644)
    with pytest.raises(ArticulataError, match=r"others on this machine can read .*chmod 600"):
        key_of(file)


def test_dis_is_not_sealed(tmp_path: Path) -> None:
    with pytest.raises(ArticulataError, match="add --protocol poses"):
        JoinWish(key=tmp_path / "exercise.key")


def test_figures_pass_between_ports_of_one_key_alone() -> None:
    address = ExerciseAddress(("127.0.0.1",), 39251)
    sealing = Sealing(KEY)
    sent = [Sealing(KEY).sealed(PACKET), PACKET, Sealing(b"y" * 32).sealed(PACKET)]
    found: list[Heard] = []
    with ExercisePort(address, sealing) as port, socket.socket(type=socket.SOCK_DGRAM) as stranger:
        for data in sent:
            stranger.sendto(data, ("127.0.0.1", address.port))
        while sealing.refused.total() < 2 or not found:
            found += port.hear(1.0)
    assert [each.data for each in found] == [PACKET]


# ---- several figures in one datagram


def unbundled(data: bytes) -> list[bytes]:
    """Return a bundle's packets with whole heads, read by hand."""
    if data[2] != 4:
        return [data]
    found, at = [], 12
    while at < len(data):
        kind, figure, number, size = struct.unpack_from(">BHHH", data, at)
        head = data[:2] + bytes([kind]) + data[3:8] + struct.pack(">HH", figure, number)
        found.append(head + data[8:12] + data[at + 7 : at + 7 + size])
        at += 7 + size
    return found


def test_eight_figures_leave_in_one_datagram() -> None:
    sender, receiver = ours(rate=30.0), theirs()
    for k in range(40):
        t = k / 30.0
        packets = [
            each for number in range(1, 9) for each in sender.announce(number, LOOK, posture(t), t)
        ]
        datagrams = bundled(packets)
        assert [each for data in datagrams for each in unbundled(data)] == packets
        assert all(len(data) <= FULL for data in datagrams)
        receiver.hear(heard(datagrams, t))
    assert len(datagrams) == 1
    assert len(datagrams[0]) < sum(map(len, packets)) - 50
    assert len(receiver.looks) == 8
    assert not receiver.damaged


def test_one_figure_is_sent_as_it_is() -> None:
    (packet,) = ours(rate=30.0).announce(1, LOOK, posture(0.0), 0.0)
    assert bundled([packet]) == [packet]
    assert bundled([]) == []


def test_a_bundle_is_not_believed() -> None:
    sender = ours(rate=30.0)
    packets = [sender.announce(k, LOOK, posture(0.0), 0.0)[0] for k in range(1, 4)]
    (whole,) = bundled(packets)
    assert unbundled(whole) == packets
    ends = [12]  # of whole packets
    for each in packets:
        ends.append(ends[-1] + 7 + len(each) - 16)
    for cut in range(12, len(whole)):
        receiver = theirs()
        receiver.hear(heard([whole[:cut]], math.pi))
        assert receiver.heard == (ends.index(cut) if cut in ends else 0)
        assert sum(receiver.damaged.values()) == (cut not in ends)
    for data, why in (
        (whole + bytes(FULL), "too long"),
        (whole[:12] + bytes(7) * (MOST_PARTS + 1), "too many"),
        (whole[:11], "whole head"),
        (b"", "whole head"),
    ):
        receiver = theirs()
        receiver.hear(heard([data], math.pi))
        assert [why in told for told in receiver.damaged] == [True]
    receiver = theirs()
    for data in mutated([whole], 3000, seed=5):
        receiver.hear(heard([data], math.pi))


def test_one_damaged_packet_takes_no_other_of_its_bundle() -> None:
    sender, receiver = ours(rate=30.0), theirs()
    receiver.hear(heard([sender.announce(k, LOOK, posture(0.0), 0.0)[0] for k in (1, 2, 3)], 0.0))
    packets = [sender.announce(k, LOOK, posture(0.1), 0.1)[0] for k in (1, 2, 3)]
    packets[1] = packets[1][:-3]
    receiver.hear(heard(bundled(packets), 0.1))
    assert list(receiver.damaged) == ["a packet whose angles are cut short"]
    rates = [receiver.figures.reception(EntityId(10, 20, k), 0.1)[0] for k in (1, 2, 3)]
    np.testing.assert_allclose(rates, (10.0, 0.0, 10.0), atol=0.1)


def test_all_that_comes_at_once_is_as_what_comes_one_after_the_other() -> None:
    """300 figures in 700 datagrams and more, with a figure that leaves and comes anew between."""
    sender, together, alone = ours(rate=30.0), theirs(), theirs()
    told = [
        each
        for t in (0.0, 0.1, 0.2)
        for k in range(300)
        for each in sender.announce(k, LOOK, posture(t + 0.001 * k), t)
    ]
    gone = struct.pack(">2sBBHHHHI", b"AP", 3, 1, 10, 20, 7, 9, 250)
    again = ours(rate=30.0).announce(7, LOOK, posture(1.0), 0.0)
    told = [*told[:650], gone, *told[650:], *again, told[3], b"AP"]
    together.hear(heard(told, 0.3))
    for each in told:
        alone.hear(heard([each], 0.3))
    assert together.damaged == alone.damaged
    assert together.late == alone.late == 1
    assert together.heard == alone.heard == 903
    one, other = together.figures.at(0.4), alone.figures.at(0.4)
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.q, other.q)
    np.testing.assert_array_equal(one.p_EB, other.p_EB)
