"""Avatars in a session: a performer of VMC is followed, and his take plays again."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from articulata.errors import ArticulataError
from articulata.records.recording import load
from articulata.sessions.track.posture_outlets import AvatarChoice, Outlets, avatar_of, outlets_of
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_request import track_asked
from articulata.world.requests.track import Outlet
from avatar_bones import frame, turn
from osc_bytes import bundled, parsed


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


def test_a_person_who_is_tracked_moves_an_avatar(tmp_path: Path) -> None:
    """Bones that come in go out again, as a receiver of its own reads them."""
    bones = {"RightUpperArm": turn((0, 0, 1), -60), "RightLowerArm": turn((0, 1, 0), -70)}
    port = free_port()
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
        sending(port, [bundled(frame(bones))]),
    ):
        receiver.bind(("127.0.0.1", 0))
        to = f"vmc://127.0.0.1:{receiver.getsockname()[1]}?rate=20"
        asked = Asked(sources=(f"vmc:{port}",), out=tmp_path, seconds=1.5, headless=True, to=(to,))
        track_asked(asked, Notes())
        receiver.setblocking(False)
        times, found = [], {}
        try:
            while True:
                for address, values in parsed(receiver.recv(65536)):
                    if address == "/VMC/Ext/T":
                        times.append(values[0])
                    if address == "/VMC/Ext/Bone/Pos":
                        found[values[0]] = values[4:]
        except BlockingIOError:
            pass
    assert len(times) >= 5  # some 30 where the machine is idle
    # 20 a second at most, from the second frame on: the first leaves at once; a busy machine sends
    # up to 0.25 s after the time that a frame tells
    assert len(times[1:]) <= 20.0 * (times[-1] - times[1] + 0.25) + 1.5
    for name in ("RightUpperArm", "RightLowerArm", "LeftUpperArm", "Neck", "Chest"):
        expected = bones.get(name, np.array((0.0, 0.0, 0.0, 1.0)))
        along = abs(float(np.dot(found[name], expected)))
        assert np.degrees(2.0 * np.arccos(min(along, 1.0))) < 0.1, name


def test_outlets_are_read_from_texts_and_commands() -> None:
    here = "127.0.0.1"
    found = outlets_of((Outlet("viewer"), Outlet("vmc", 39540)), ("me.bvh", "vrchat"), ("",))
    expected = (AvatarChoice("", "vmc", here, 39540), AvatarChoice("", "vrchat", here, 9000))
    assert found == Outlets(True, (Path("me.bvh"),), expected)
    assert not outlets_of((Outlet("vmc", "10.0.0.7:39539"),), (), ("",)).viewer
    assert avatar_of("vmc:39541") == AvatarChoice("", "vmc", here, 39541)
    assert avatar_of("vmc://[::1]:7?rate=30") == AvatarChoice("", "vmc", "::1", 7, 30.0)
    (anna,) = outlets_of((), ("anna=vmc",), ("anna", "ben")).avatars
    assert anna.who == "anna"


@pytest.mark.parametrize(
    ("words", "names", "said"),
    [
        (("vmc://127.0.0.1:99999",), ("",), "is no address of an avatar; give vmc://HOST:PORT"),
        (("vmc://x:1?rate=0",), ("",), "1 to 240 frames a second"),
        (("vmc://x:1?speed=3",), ("",), "no address of an avatar"),
        (("vrchat://x:port",), ("",), "no address of an avatar"),
        (("me.txt",), ("",), "of no kind that a take is written as"),
        (("vmc",), ("anna", "ben"), "say which, as in --to anna=vmc://127.0.0.1:39539"),
        (("cleo=vmc",), ("anna", "ben"), "nobody is called cleo"),
    ],
)
def test_outlets_that_cannot_be_are_explained(
    words: tuple[str, ...], names: tuple[str, ...], said: str
) -> None:
    with pytest.raises(ArticulataError, match=said.replace("?", r"\?")):
        outlets_of((), words, names)
