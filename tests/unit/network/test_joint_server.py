"""Joint values for robots' controllers: cycles, stalls, leaps, nonsense; KUKA's packets."""

from __future__ import annotations

import contextlib
import json
import math
import socket
import time
from collections.abc import Callable, Sequence

import pytest

from articulata.errors import ControllerError
from articulata.network.robot_server import JointServer, RsiServer, Served, correction, state_of
from mutations import COUNTS, mutated

GREETING = {"articulata": 1, "controllers": ["a"]}


def motion(t: float) -> tuple[Sequence[float], Sequence[float]]:
    return [t, 2.0 * t, -t, 0.0, 0.5, 1.0 + t], [1.0, 2.0, -1.0, 0.0, 0.0, 1.0]


def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


class Robot:
    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), 10)
        self.lines = self.socket.makefile("rb")

    def send(self, message: object) -> dict[str, object]:
        raw = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.socket.sendall(raw)
        return dict(json.loads(self.lines.readline()))

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


def test_a_robot_is_answered_cycle_by_cycle_and_a_stall_is_told() -> None:
    said: list[str] = []
    with JointServer(("a", "b"), motion, stall=0.5, say=said.append) as server:
        robot = Robot(server.address)
        assert robot.send({"articulata": 1, "controllers": ["b", "a"]}) == {"sense": []}
        assert robot.send({"cycle": 1, "time": 0.0, "sensed": {}})["values"] == {"b": 0.0, "a": 0.0}
        until(lambda: bool(said))
        assert "has not asked for 0.5 s; the motion waits" in said[0]
        answer = robot.send({"cycle": 2, "time": 0.004, "sensed": {}})
        assert answer == {
            "cycle": 2,
            "values": {"b": 0.008, "a": 0.004},
            "rates": {"b": 2.0, "a": 1.0},
        }
        assert "asks again after" in said[1]
        robot.socket.sendall(b'{"end":true}\n')
        assert server.wait(10)
        assert (server.served.cycles, server.served.stalls) == (2, 1)
        robot.close()


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([b"nonsense\n"], "no JSON"),
        ([{"articulata": 2, "controllers": []}], "a greeting is"),
        ([{"articulata": 1, "controllers": ["z"]}], "wants 'z'; the joints are a, b"),
        ([GREETING, {"cycle": "x"}], "a question is"),
        ([GREETING, {"cycle": 1, "time": 0}, {"cycle": 2, "time": 3}],
         "asked for 3 s after 0 s"),
    ],
)  # fmt: skip
def test_what_is_no_question_is_told_at_both_ends(lines: list[object], says: str) -> None:
    said: list[str] = []
    with JointServer(("a", "b"), motion, say=said.append) as server:
        robot = Robot(server.address)
        answers = [robot.send(line) for line in lines]
        assert says in str(answers[-1]["error"])
        until(lambda: bool(said))
        assert says in said[0]
        robot.close()
        # the next robot is served all the same
        other = Robot(server.address)
        assert other.send({"articulata": 1, "controllers": ["a"]}) == {"sense": []}
        other.close()
        until(lambda: len(said) > 1)
        assert "left without a farewell" in said[1]


def test_a_port_that_is_taken_is_named() -> None:
    with JointServer(("a",), motion) as server:
        port = int(server.address.rpartition(":")[2])
        with pytest.raises(ControllerError, match=str(port)):
            JointServer(("a",), motion, port=port)


def state(ipoc: int, late: int = 0) -> bytes:
    axes = " ".join(f'A{k + 1}="{10.0 * k}"' for k in range(6))
    return (
        f'<Rob Type="KUKA"><RIst X="1.0"/><AIPos {axes}/><Delay D="{late}"/>'
        f"<IPOC>{ipoc}</IPOC></Rob>"
    ).encode()


def test_packets_of_the_sensor_interface() -> None:
    found = state_of(state(123456789, 3))
    assert found.axes[1] == pytest.approx(math.radians(10))
    assert (found.ipoc, found.late) == (123456789, 3)
    assert correction([math.pi, 0, 0, 0, 0, -0.1], 7) == (
        b'<Sen Type="ImFree"><AK A1="180.000000" A2="0.000000" A3="0.000000" A4="0.000000" '
        b'A5="0.000000" A6="-5.729578"/><IPOC>7</IPOC></Sen>'
    )
    for packet in (b"", b"<Rob>", b"<Rob/>", b"<!DOCTYPE x>", state(1).replace(b"10.0", b"nan"),
                   b"x" * 5000, state(1).replace(b"Rob", b"Sen")):  # fmt: skip
        with pytest.raises(ControllerError):
            state_of(packet)


@pytest.mark.parametrize("count", COUNTS)
def test_mutated_packets_of_the_sensor_interface_are_states_or_refused(count: int) -> None:
    sound = 0
    for data in mutated([state(123456789, 3)], count):
        with contextlib.suppress(ControllerError):
            sound += all(map(math.isfinite, state_of(data).axes))
    assert 0 < sound < 0.5 * count


def test_a_controller_of_the_sensor_interface_is_answered_and_its_stalls_told() -> None:
    said: list[str] = []
    with (
        RsiServer(motion, stall=0.5, say=said.append) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as robot,
    ):
        robot.settimeout(10)
        robot.connect(("127.0.0.1", int(server.address.rpartition(":")[2])))
        for ipoc in (1000, 1004, 1008):
            robot.send(state(ipoc))
            answer = robot.recv(4096)
        assert answer == correction([0.008, 0.016, -0.008, 0, 0, 0.008], 1008)
        robot.send(b"nonsense")
        until(lambda: any("no state" in line for line in said))
        until(lambda: any("the motion waits" in line for line in said))
        robot.send(state(1012, 2))
        assert b"1012" in robot.recv(4096)
        until(lambda: any("missed 2 answers" in line for line in said))
        assert any("sends again" in line for line in said)
        robot.send(state(9999))
        until(lambda: any("leapt" in line for line in said))
    assert server.served.cycles == 4


def test_answers_that_take_longer_than_a_cycle_are_counted_as_late() -> None:
    served = Served()
    for seconds in (0.0002, 0.0021, 0.0009):
        served.answered(seconds)
    assert (served.cycles, served.late) == (3, 1)
    assert str(served) == "3 cycles; 1 answers took longer than 1 ms, the slowest 2100 us"
