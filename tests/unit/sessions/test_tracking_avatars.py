"""Avatars in a session: a performer of VMC is followed, and his take plays again."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from articulata.records.recording import load
from articulata.sessions.track.track_request import Asked, track_asked
from avatar_bones import frame, turn
from osc_bytes import bundled


class Notes:
    def say(self, text: str) -> None:
        pass


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def sending(port: int, datagrams: Sequence[bytes]) -> Iterator[None]:
    """A sender of the same datagrams, a hundred times a second."""
    over = threading.Event()

    def send() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            while not over.is_set():
                for each in datagrams:
                    sender.sendto(each, ("127.0.0.1", port))
                time.sleep(0.01)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def elbow(path: Path) -> np.ndarray:
    return np.degrees(load(path).series("person.r_elbow_flexion.angle"))


def test_a_performer_is_followed_without_a_countdown_and_played_again(tmp_path: Path) -> None:
    """The elbow of an avatar bent by 70 deg; palm and trunk are turned as well."""
    bones = {
        "Chest": turn((0, 1, 0), 25), "RightUpperArm": turn((0, 0, 1), -60),
        "RightLowerArm": turn((0, 1, 0), -70), "RightHand": turn((1, 0, 0), 40),
    }  # fmt: skip
    port = free_port()
    with sending(port, [bundled(frame(bones))]):
        asked = Asked(sources=(f"vmc:{port}",), out=tmp_path / "one", seconds=1.0, headless=True)
        take = track_asked(asked, Notes()).files[0]
    first = load(take)
    np.testing.assert_allclose(elbow(take)[-1], 70.0, atol=0.01)
    again = Asked(take, out=tmp_path / "two", speed=float("inf"), headless=True)
    second = load(track_asked(again, Notes()).files[0])
    for name in ("kinematic.coordinate", "kinematic.base"):
        before, after = (each.segments[0].array(name)[-1] for each in (first, second))
        np.testing.assert_array_equal(before, after)
