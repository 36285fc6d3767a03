"""Bytes of SlimeVR's trackers as their firmware writes them, written here by hand."""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence

Xyzw = Sequence[float]


def packet(kind: int, number: int, body: bytes = b"") -> bytes:
    return struct.pack(">IQ", kind, number) + body


def handshake(mac: bytes, firmware: bytes = b"0.6.0") -> bytes:
    numbers = struct.pack(">7I", 2, 9, 1, 0, 0, 0, 21)  # board, IMU, MCU, three unused, protocol
    vendor = b"\x07SlimeVR"
    return packet(3, 0, numbers + bytes([len(firmware)]) + firmware + mac + b"\x00" + vendor)


def rotation_body(sensor: int, q: Xyzw, use: int = 1) -> bytes:
    return struct.pack(">BB4fB", sensor, use, *q, 3)


def short_body(sensor: int, q: Xyzw) -> bytes:
    values = [max(-32768, min(32767, round(32768 * each))) for each in q]
    return struct.pack(">B7h", sensor, *values, 12, -130, 1250)  # the last three accelerate


def bundle(number: int, inside: Sequence[tuple[int, bytes]]) -> bytes:
    return packet(
        100,
        number,
        b"".join(struct.pack(">HI", 4 + len(body), kind) + body for kind, body in inside),
    )


def compact(number: int, inside: Sequence[tuple[int, bytes]]) -> bytes:
    return packet(
        101, number, b"".join(bytes([1 + len(body), kind]) + body for kind, body in inside)
    )


class Sender:
    """A tracker: a socket of its own, an address, packets that are numbered."""

    def __init__(self, mac: bytes, to: tuple[str, int]) -> None:
        self.mac, self.to, self.number = mac, to, 0
        self.name = mac.hex(":")
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(2.0)

    def greet(self) -> None:
        self.socket.sendto(handshake(self.mac), self.to)

    def turn(self, sensor: int, q: Xyzw) -> None:
        self.number += 1
        self.socket.sendto(packet(17, self.number, rotation_body(sensor, q)), self.to)

    def send(self, data: bytes) -> None:
        self.socket.sendto(data, self.to)

    def heard(self) -> bytes:
        return self.socket.recv(2048)
