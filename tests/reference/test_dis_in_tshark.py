"""Our packets of DIS as Wireshark's dissector reads them."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from articulata.network.dis.human_parts import PARTS, Appearance, parameters_of
from articulata.network.dis.packets import (
    DeadReckoning,
    EntityId,
    State,
    encode_removal,
    stamp,
)

pytestmark = pytest.mark.slow


def _captured(file: Path, packets: list[bytes]) -> None:
    """Write packets as a capture of UDP datagrams to port 3000."""
    records = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)]
    for number, data in enumerate(packets):
        udp = struct.pack(">HHHH", 3000, 3000, 8 + len(data), 0) + data
        where = bytes((127, 0, 0, 1)) * 2
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), number, 0, 64, 17, 0) + where + udp
        records.append(struct.pack("<IIII", number, 0, len(ip), len(ip)) + ip)
    file.write_bytes(b"".join(records))


@pytest.mark.parametrize("version", [5, 6, 7])
def test_every_packet_and_every_angle_is_read_alike(tmp_path: Path, version: int) -> None:
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.fail("tshark is not installed: `make test-slow` installs it (scripts/find-tool)")
    rng = np.random.default_rng(version)
    columns = list(range(len(PARTS)))
    packets, angles, markings = [], [], []
    for number in range(40):
        q = rng.uniform(-3.0, 3.0, len(columns))
        state = State(
            EntityId(3, 77, number + 1),
            tuple(rng.uniform(-6e6, 6e6, 3)),
            tuple(rng.uniform(-3.0, 3.0, 3)),
            tuple(rng.normal(size=3)),
            Appearance("kneeling", "deployed").bits,
            parameters_of(columns, q, [number] * len(columns)),
            (bytes((200,)) + bytes(15),) if number % 3 else (),
            stamp(0.1 * number),
            version=version,
            reckoning=DeadReckoning(number % 9 + 1),
            marking=f"figure {number}",
        )
        packets += [state.encode(), state.encode_update()]
        angles += [q, q]
        markings.append(f"figure {number}")
    packets.append(encode_removal(EntityId(3, 77, 1), version=version))
    _captured(tmp_path / "dis.pcap", packets)
    out = subprocess.run(
        [tshark, "-r", str(tmp_path / "dis.pcap"), "-T", "json", "-x", "--no-duplicate-keys"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "malformed" not in out
    frames = json.loads(out)
    assert len(frames) == len(packets)
    for frame, ours in zip(frames, angles, strict=False):
        raw = [*_raw(frame, "dis.vp.parameter_value_raw")]
        theirs = np.frombuffer(bytes.fromhex("".join(raw)), ">f4")
        np.testing.assert_array_equal(theirs, ours.astype(np.float32))
    assert [*_raw(frames[-1], "dis.pdu_type_raw")] == ["0c"]


def _raw(tree: object, name: str) -> Iterator[str]:
    """Yield the bytes, in hexadecimal digits, of all fields of a name, in order."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key == name:
                yield from ([value[0]] if isinstance(value[0], str) else (v[0] for v in value))
            else:
                yield from _raw(value, name)
    elif isinstance(tree, list):
        for each in tree:
            yield from _raw(each, name)
