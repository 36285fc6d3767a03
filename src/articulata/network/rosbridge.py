"""Joint angles as ROS has them: ``sensor_msgs/JointState`` to a rosbridge server, by web socket.

A rosbridge server publishes JSON messages to ROS (rosbridge v2.0: ``advertise``, ``publish``,
``unadvertise``), so that nothing of ROS is needed here. A separate thread talks to the server: it
sends the newest posture only, and reconnects where the server is missing or gone.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

import msgspec

from articulata.records.samples import DeviceReport

ROSBRIDGE_PORT = 9090
"""Where rosbridge_server hears."""

TOPIC = "/joint_states"
TYPE = "sensor_msgs/msg/JointState"

RETRY, REACHED = 1.0, 3.0
"""Seconds between two attempts to reach a server, and for which one lasts."""


def joint_state(values: Mapping[str, float], time: float) -> dict[str, Any]:
    """Return a ``JointState`` of joint values (rad, m) at a time of day (s)."""
    second = math.floor(time)
    stamp = {"sec": second, "nanosec": min(round((time - second) * 1e9), 999_999_999)}
    return {
        "header": {"stamp": stamp, "frame_id": ""},
        "name": list(values), "position": list(values.values()), "velocity": [], "effort": [],
    }  # fmt: skip


class RosbridgePort:
    """Publishes joint values on ``topic``; use it as a context manager.

    ``rate`` is how many postures a second leave at most. ``clock`` gives the time of day (s).
    """

    def __init__(
        self,
        host: str,
        port: int = ROSBRIDGE_PORT,
        *,
        topic: str = TOPIC,
        rate: float = 60.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        where = f"[{host}]" if ":" in host else host
        self.name = f"rosbridge://{where}:{port}"
        self._url, self._topic, self._clock = f"ws://{where}:{port}", topic, clock
        self._period = 1.0 / rate
        self._waiting: Mapping[str, float] | None = None
        self._changed = threading.Condition()
        self._closing = False
        self._sent = self._bytes = 0
        self._matter = "not reached yet"
        self._thread = threading.Thread(target=self._talk, name=self.name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Take the topic back and hang up."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(REACHED + 1.0)

    def send(self, values: Mapping[str, float]) -> None:
        """Publish joint values as soon as they are due; those that wait are replaced."""
        with self._changed:
            self._waiting = values
            self._changed.notify()

    def report(self) -> DeviceReport:
        """Return how many postures have left, and whether somebody hears them."""
        told = f"{self._sent} postures sent to {self._topic}"
        notice = ""
        if self._matter:
            notice = (
                f"{self.name} is {self._matter}; start it, as by"
                " ros2 launch rosbridge_server rosbridge_websocket_launch.xml"
            )
        return DeviceReport(self.name, self._bytes, self._sent, told=told, notice=notice)

    # ---- the thread

    def _talk(self) -> None:
        from websockets.exceptions import WebSocketException
        from websockets.sync.client import connect

        while not self._closing:
            try:
                with connect(
                    self._url, open_timeout=REACHED, close_timeout=0.2, compression=None,
                    proxy=None, max_size=1 << 16,
                ) as server:  # fmt: skip
                    self._matter = ""
                    self._publish(server)
            except (OSError, WebSocketException, TimeoutError) as error:
                self._matter = f"not reached ({error or type(error).__name__})"
                with self._changed:
                    self._changed.wait_for(lambda: self._closing, RETRY)

    def _publish(self, server: Any) -> None:
        """Publish what comes until it is enough; raises what the connection raises."""

        def say(operation: str, **more: object) -> int:
            text = msgspec.json.encode({"op": operation, "topic": self._topic, **more}).decode()
            server.send(text)
            return len(text)

        say("advertise", type=TYPE)
        due = time.monotonic()
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self._waiting is not None)
                self._changed.wait_for(lambda: self._closing, max(due - time.monotonic(), 0.0))
                if self._closing:
                    break
                values, self._waiting = self._waiting, None
            assert values is not None
            due = max(due, time.monotonic() - self._period) + self._period
            self._bytes += say("publish", msg=joint_state(values, self._clock()))
            self._sent += 1
        say("unadvertise")
