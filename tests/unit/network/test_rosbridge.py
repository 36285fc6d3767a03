"""Joints go to a rosbridge server as its protocol says; a server of the test hears them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, serve

from articulata.network.rosbridge import RosbridgePort, joint_state
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_request import track_asked

PATIENCE = 20.0


class Listener:
    """What a server was told, in turn; ``told`` waits until enough has come."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.connections: list[ServerConnection] = []
        self._changed = threading.Condition()

    def take(self, connection: ServerConnection) -> None:
        self.connections.append(connection)
        for text in connection:
            with self._changed:
                self.heard.append(json.loads(text))
                self._changed.notify()

    def told(self, count: int) -> list[dict[str, Any]]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.heard) >= count, PATIENCE)
            return list(self.heard)


@contextmanager
def server(port: int = 0) -> Iterator[tuple[Listener, int]]:
    listener = Listener()
    with serve(listener.take, "127.0.0.1", port) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield listener, serving.socket.getsockname()[1]
        serving.shutdown()
        for each in listener.connections:
            each.close()
        thread.join()


def test_a_joint_state_is_what_ros_calls_one() -> None:
    told = joint_state({"r_elbow_flexion": 0.5, "r_wrist": -1e-3}, 1700000000.25)
    assert told == {
        "header": {"stamp": {"sec": 1700000000, "nanosec": 250000000}, "frame_id": ""},
        "name": ["r_elbow_flexion", "r_wrist"],
        "position": [0.5, -1e-3],
        "velocity": [],
        "effort": [],
    }


def test_a_topic_is_advertised_published_and_taken_back() -> None:
    with server() as (listener, port):
        with RosbridgePort("127.0.0.1", port, topic="/anna", rate=200.0, clock=lambda: 7.5) as ours:
            for k in range(1, 4):
                ours.send({"a": 0.1 * k, "b": 1.0 / 3.0})
                listener.told(1 + k)
            end = time.monotonic() + PATIENCE
            while not ours.report().told.startswith("3 ") and time.monotonic() < end:
                time.sleep(0.02)  # what is heard is counted a moment later
            report = ours.report()
        first, *published, last = listener.told(5)
    assert first == {"op": "advertise", "topic": "/anna", "type": "sensor_msgs/msg/JointState"}
    assert [each["op"] for each in published] == ["publish"] * 3
    assert [each["msg"]["position"] for each in published] == [[0.1 * k, 1 / 3] for k in (1, 2, 3)]
    assert published[0]["msg"]["header"]["stamp"] == {"sec": 7, "nanosec": 500000000}
    assert last == {"op": "unadvertise", "topic": "/anna"}
    assert report.notice == ""
    assert report.told == "3 postures sent to /anna"


def test_the_newest_posture_is_sent_at_a_steady_rate() -> None:
    with server() as (listener, port), RosbridgePort("127.0.0.1", port, rate=5.0) as ours:
        begun = time.monotonic()
        count = 0
        while time.monotonic() - begun < 1.0:
            count += 1
            ours.send({"a": float(count)})
            time.sleep(0.005)
        heard = [each["msg"]["position"][0] for each in listener.told(2)[1:]]
        lasted = time.monotonic() - begun
    assert 1 <= len(heard) <= 5.0 * lasted + 2.0
    assert heard == sorted(heard)


def test_a_server_that_comes_later_or_again_is_found() -> None:
    with server() as (_, port):
        pass  # a port that is free now
    with RosbridgePort("127.0.0.1", port) as ours:
        ours.send({"a": 1.0})
        end = time.monotonic() + PATIENCE
        while "refused" not in ours.report().notice and time.monotonic() < end:
            time.sleep(0.02)
        assert "start it, as by ros2 launch rosbridge_server" in ours.report().notice
        for _ in range(2):
            with server(port) as (listener, _):
                ours.send({"a": 2.0})
                while len(listener.heard) < 2 and time.monotonic() < end + PATIENCE:
                    ours.send({"a": 2.0})
                    time.sleep(0.02)
                assert listener.heard[0]["op"] == "advertise"
                assert listener.heard[1]["msg"]["position"] == [2.0]


def test_a_tracked_person_is_told_joint_by_joint(tmp_path: Path) -> None:
    class Quiet:
        def say(self, text: str) -> None: ...

        def progress(self, *_: object) -> None: ...

    with server() as (listener, port):
        to = f"rosbridge://127.0.0.1:{port}?topic=/anna/joints&rate=30"
        asked = Asked(
            sources=("emulator",), out=tmp_path, seconds=1.5, headless=True, to=(to,),
            calibrate="none",
        )  # fmt: skip
        track_asked(asked, Quiet())  # type: ignore[arg-type] # says nothing
        heard = listener.told(3)
    assert heard[0]["topic"] == "/anna/joints"
    message = heard[-2]["msg"]
    assert "r_elbow_flexion" in message["name"]
    assert len(message["name"]) == len(message["position"]) == len(set(message["name"]))


@pytest.mark.parametrize("to", ["rosbridge://x:9090?topic=anna", "rosbridge://x:1?speed=2"])
def test_an_address_that_is_none_is_explained(to: str) -> None:
    from articulata.errors import ArticulataError
    from articulata.sessions.track.posture_outlets import avatar_of

    with pytest.raises(ArticulataError, match="give rosbridge://HOST:PORT"):
        avatar_of(to)
