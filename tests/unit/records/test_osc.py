"""OSC: what another implementation writes is read, what ours writes another one reads."""

from __future__ import annotations

import contextlib
import struct
import tracemalloc

import pytest

from articulata.records.osc import (
    MOST_ARGUMENTS,
    MOST_MESSAGES,
    NoOsc,
    OscMessage,
    osc_bundle,
    osc_message,
    read_osc,
)
from mutations import COUNTS, mutated
from osc_bytes import bundled, parsed, written

EVERY = written("/every/type", "ifsbTFdh", 7, 0.5, "hübsch", b"\x01\x02\x03", 0.1, -(1 << 40))


def test_the_message_of_the_specification_byte_by_byte() -> None:
    """The examples of OSC 1.0: /oscillator/4/frequency with 440.0, /foo with five arguments."""
    first = bytes.fromhex("2f6f7363696c6c61746f722f342f6672657175656e6379002c66000043dc0000")
    assert read_osc(first) == [OscMessage("/oscillator/4/frequency", (440.0,))]
    assert osc_message("/oscillator/4/frequency", 440.0) == first
    second = bytes.fromhex(
        "2f666f6f000000002c69697366660000000003e8ffffffff68656c6c6f0000003f9df3b640b5b22d"
    )
    ((address, (a, b, c, d, e)),) = read_osc(second)
    assert (address, a, b, c) == ("/foo", 1000, -1, "hello")
    assert (d, e) == struct.unpack(">ff", bytes.fromhex("3f9df3b640b5b22d"))
    assert osc_message("/foo", 1000, -1, "hello", d, e) == second


def test_every_type_is_read_as_another_implementation_writes_it() -> None:
    expected = (7, 0.5, "hübsch", b"\x01\x02\x03", True, False, 0.1, -(1 << 40))
    assert read_osc(EVERY) == [OscMessage("/every/type", expected)]
    data = bundled([EVERY, bundled([written("/a", "i", 1), written("/b", "")]), EVERY])
    assert [each.address for each in read_osc(data)] == ["/every/type", "/a", "/b", "/every/type"]


def test_what_is_written_another_implementation_reads() -> None:
    values = [7, -(1 << 40), 0.5, "hübsch", b"\x01\x02\x03\x04", True, False, ""]
    one = osc_message("/every", *values)
    assert parsed(one) == [("/every", values)]
    assert parsed(osc_bundle([one, osc_bundle([one])])) == [("/every", values)] * 2


@pytest.mark.parametrize(
    "data",
    [
        b"", b"/a", b"/a\x00\x00", b"/a\x00\x00i\x00\x00\x00", b"a\x00\x00\x00,\x00\x00\x00",
        written("/a", "i", 1)[:-1], written("/a", "s", "word")[:-4], b"#bundle\x00",
        written("/a", "b", b"12345678")[:-4], b"#bundle\x00" + bytes(9),
        b"#bundle\x00" + bytes(8) + struct.pack(">i", 0),
        b"#bundle\x00" + bytes(8) + struct.pack(">i", -4) + bytes(40),
        bundled([EVERY])[:-1], b"/a\x00\x00,q\x00\x00", b"/\xff\x00\x00,\x00\x00\x00",
        bundled([bundled([bundled([bundled([bundled([EVERY])])])])]),
        written("/a", "T" * (MOST_ARGUMENTS + 1)), bundled([written("/a", "")] * 1025),
    ],
)  # fmt: skip
def test_what_does_not_hold_what_it_says_is_refused(data: bytes) -> None:
    with pytest.raises(NoOsc):
        read_osc(data)


@pytest.mark.parametrize("count", COUNTS)
def test_mutated_packets_are_messages_or_refused(count: int) -> None:
    seeds = [EVERY, bundled([EVERY, written("/b", "f", 1.0)]), bundled([bundled([EVERY] * 3)] * 2)]
    sound = 0
    for data in mutated(seeds, count):
        try:
            found = read_osc(data)
        except NoOsc:
            continue
        sound += 1
        assert len(found) <= MOST_MESSAGES
    assert 0.02 * count < sound < 0.98 * count


@pytest.mark.parametrize(
    "data",
    [
        bundled([written("/a", "")] * MOST_MESSAGES),
        bundled([written("/a", "TTTTFFFF" * 8)] * 400),
        bundled([written("/a", "f" * 256, *([1.0] * 256))] * 50),
        written("/a", "s", "x" * 65000), written("/a", "b", bytes(65000)),
        b"#bundle\x00" + bytes(8) + b"\x7f\xff\xff\xff" + bytes(65000),
    ],
)  # fmt: skip
def test_a_packet_takes_a_mebibyte_at_most(data: bytes) -> None:
    assert len(data) <= 65507
    tracemalloc.start()
    with contextlib.suppress(NoOsc):
        read_osc(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most <= 1 << 20
