"""Controllers in another process: asked once a cycle, and every way in which they can fail."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from docs.blocks import ROOT, blocks

PAGE = ROOT / "docs" / "controllers.md"
PATIENCE = 0.4
"""Time-out (s) of the processes that never answer."""

SLEDGE = """
primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics
  control: acceleration = push }
world track { components s: ball }
"""


def program() -> str:
    """The client that the page shows."""
    (found,) = [b.text for b in blocks(PAGE.read_text()) if "create_server" in b.text]
    return found


def world_of_page() -> art.Document:
    (found,) = [b.text for b in blocks(PAGE.read_text()) if b.language == "art"]
    return art.parse(found)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Starts the page's program in a process of its own; gives the address."""
    file = tmp_path / "brake.py"
    file.write_text(program())
    started: list[subprocess.Popen[bytes]] = []

    def start() -> str:
        port = free_port()
        started.append(subprocess.Popen([sys.executable, str(file), str(port)]))
        return f"127.0.0.1:{port}"

    yield start
    for each in started:
        each.kill()
        each.wait()


Answer = Callable[[dict[str, Any]], bytes | None]


@pytest.fixture
def serving() -> Iterator[Callable[..., str]]:
    """Starts a server that answers questions with what a function says; gives the address."""
    threads: list[threading.Thread] = []

    def start(
        answer: Answer, sense: bytes = b'{"sense": []}\n', heard: list[Any] | None = None
    ) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        port = server.getsockname()[1]

        def serve() -> None:
            connection, _ = server.accept()
            server.close()
            with connection, connection.makefile("rb") as lines:
                for line in lines:
                    said = json.loads(line)
                    if heard is not None:
                        heard.append(said)
                    if "end" in said:
                        return
                    reply = sense if "articulata" in said else answer(said)
                    if reply is None:
                        return
                    try:
                        connection.sendall(reply)
                    except OSError:
                        return

        thread = threading.Thread(target=serve)
        thread.start()
        threads.append(thread)
        return f"127.0.0.1:{port}"

    yield start
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def giving(value: object, **more: object) -> Answer:
    return lambda asked: (
        json.dumps({"cycle": asked["cycle"], "values": {"push": value}, **more}) + "\n"
    ).encode()


def heard_out(heard: list[Any]) -> list[Any]:
    """All that a server heard; its thread may still be reading the last line."""
    deadline = time.monotonic() + 20.0
    while "end" not in heard[-1] and time.monotonic() < deadline:
        time.sleep(0.01)
    return heard


def pushed(address: str, timeout: float = 2.0, until: float = 0.1) -> art.Recording:
    with art.connect({"push": address}, timeout=timeout) as controllers:
        world = art.parse(SLEDGE).world("track")
        return art.simulate(world, until=until, step=0.01, controllers=controllers)


def test_the_page_s_program_brakes_as_a_function_would(process: Callable[[], str]) -> None:
    request = world_of_page().requests[0]

    def brake(t: float, sensed: Any) -> float:
        return -0.5 * float(sensed.value("arm.w.z"))

    expected = art.simulate(request, until=0.5, controllers={"brake": brake})
    with art.connect({"brake": process()}, timeout=20.0) as controllers:
        recording = art.simulate(request, until=0.5, controllers=controllers)
    assert recording.to_bytes() == expected.to_bytes()
    assert np.ptp(recording.series("arm.w.z")) > 0.5
    assert art.replay(recording).to_bytes() == recording.to_bytes()


def test_one_question_a_cycle_with_what_was_asked_for(serving: Callable[..., str]) -> None:
    heard: list[Any] = []
    sense = b'{"sense": ["s.center", "time"]}\n'
    recording = pushed(serving(giving([1.0, 0, 0]), sense, heard))
    greeting, *questions, farewell = heard_out(heard)
    assert greeting == {"articulata": 1, "controllers": ["push"]}
    assert farewell == {"end": True}
    assert [each["cycle"] for each in questions] == list(range(1, 12))
    times = [0.0, *recording.times[:-1].tolist()]
    assert [each["time"] for each in questions] == times
    assert questions[-1]["sensed"]["s.center"] == recording.series("s.center")[-2].tolist()


def test_a_rate_makes_the_value_change_within_the_cycle(serving: Callable[..., str]) -> None:
    address = serving(
        lambda asked: (
            json.dumps(
                {
                    "cycle": asked["cycle"],
                    "values": {"push": [asked["time"], 0, 0]},
                    "rates": {"push": [1, 0, 0]},
                }
            )
            + "\n"
        ).encode()
    )
    recording = pushed(address)  # x'' = t without a step, so x = t^3 / 6
    np.testing.assert_allclose(
        recording.series("s.center.x"), recording.times**3 / 6, rtol=0, atol=1e-15
    )


def test_controllers_of_one_address_share_its_questions(serving: Callable[..., str]) -> None:
    heard: list[Any] = []
    text = """
primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics
  control: acceleration = push }
primitive cube { properties: (density: 1000); geometry: cuboid(1, 1, 1); dynamics
  control: acceleration = pull }
world track { components { s: ball; c: cube } structure { place c by c.center at (9, 0, 0) } }
"""
    address = serving(
        lambda asked: (
            json.dumps({"cycle": asked["cycle"], "values": {"push": [1, 0, 0], "pull": [2, 0, 0]}})
            + "\n"
        ).encode(),
        heard=heard,
    )
    with art.connect({"push": address, "pull": address}) as controllers:
        recording = art.simulate(
            art.parse(text).world("track"), until=0.02, step=0.01, controllers=controllers
        )
    assert heard_out(heard)[0]["controllers"] == ["push", "pull"]
    assert len(heard) == 5
    assert recording.series("c.a.x")[-1] == 2.0
    assert recording.series("s.a.x")[-1] == 1.0


def after(cycles: int, then: Answer) -> Answer:
    """Answer some cycles well, then otherwise."""
    well = giving([1.0, 0.0, 0.0])
    return lambda asked: well(asked) if asked["cycle"] <= cycles else then(asked)


WRONG: dict[str, tuple[Answer, str]] = {
    "dies": (lambda _: None, "has ended without answering"),
    "says nonsense": (lambda _: b"hello?\n", "answered 'hello?', which is no JSON"),
    "says no text": (lambda _: b"\xff\xfe\x00\n", "which is no JSON"),
    "says no object": (lambda _: b"[1, 2]\n", "an answer is a JSON object"),
    "nests": (lambda _: b"[" * 60000 + b"\n", "which is no JSON"),
    "is not finite": (giving([float("nan"), 0, 0]), "returned [nan, 0.0, 0.0]"),
    "is infinite": (giving([float("inf"), 0, 0]), "all finite"),
    "gives text": (giving("far"), "gave 'far' for a value"),
    "gives too few": (giving([1.0]), "returned [1.0]"),
    "gives nothing": (
        lambda asked: (json.dumps({"cycle": asked["cycle"], "values": {}}) + "\n").encode(),
        "gave no value for 'push'",
    ),
    "forgets the cycle": (lambda _: b'{"values": {"push": [1, 0, 0]}}\n', "answered cycle 'null'"),
    "answers twice": (
        lambda asked: 2 * (giving([1, 0, 0])(asked) or b""),
        "bytes after its answer",
    ),
    "answers without end": (lambda _: b"1" * 200_000, "without the end of a line"),
    "is late": (lambda _: b"", f"did not answer within {PATIENCE:g} s (its time-out)"),
    "gives up": (lambda _: b'{"error": "no power"}\n', "gave up: 'no power'"),
}


@pytest.mark.parametrize("how", WRONG)
def test_a_process_that_fails_is_named_and_the_run_until_then_kept(
    how: str, serving: Callable[..., str]
) -> None:
    answer, said = WRONG[how]
    address = serving(after(4, answer))
    with pytest.raises(art.ControllerError) as caught:
        pushed(address, timeout=PATIENCE if how == "is late" else 20.0)
    message = str(caught.value)
    assert said in message
    assert "controller 'push' of 's.acceleration'" in message
    assert message.startswith("<text>:3:")
    recording = caught.value.recording  # type: ignore[attr-defined]
    assert recording.times.tolist() == pytest.approx([0.0, 0.01, 0.02, 0.03])
    assert art.replay(recording).times.tolist() == recording.times.tolist()


def test_a_killed_process_ends_the_run_with_a_message(
    process: Callable[[], str], tmp_path: Path
) -> None:
    program = tmp_path / "brake.py"
    stopping = 'asked["cycle"] == 9 and __import__("os").abort()\n            '
    address_of = process
    program.write_text(program.read_text().replace("torque =", f"{stopping}torque ="))
    request = world_of_page().requests[0]
    with (
        art.connect({"brake": address_of()}, timeout=20.0) as controllers,
        pytest.raises(art.ControllerError, match="has ended without answering") as caught,
    ):
        art.simulate(request, controllers=controllers)
    assert len(caught.value.recording.times) == 8  # type: ignore[attr-defined]


def test_it_wants_to_sense_what_is_not_there(serving: Callable[..., str]) -> None:
    address = serving(giving([1, 0, 0]), b'{"sense": ["s.centre.x"]}\n')
    with pytest.raises(art.ControllerError, match=r"asks to sense what is not there: .*'centre'"):
        pushed(address)
    with pytest.raises(art.ControllerError, match="answers the greeting with"):
        pushed(serving(giving([1, 0, 0]), b'{"sense": "s.center"}\n'))


def test_addresses_are_checked_before_anything_is_sent() -> None:
    port = free_port()
    begun = time.monotonic()
    with (
        pytest.raises(art.ControllerError, match=f"^controller 'push': .*at 127.0.0.1:{port}"),
        art.connect({"push": f"127.0.0.1:{port}"}, timeout=0.2),
    ):
        pass
    assert time.monotonic() - begun < 10
    for wrong in ("9000", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000", "127.0.0.1:http"):
        with pytest.raises(art.ControllerError, match="give HOST:PORT"), art.connect({"p": wrong}):
            pass
    for far in ("192.0.2.1:9000", "example.org:80"):
        with (
            pytest.raises(art.ControllerError, match="is not this machine"),
            art.connect({"p": far}),
        ):
            pass
    for timeout in (0.0, -1.0, float("nan")):
        with (
            pytest.raises(art.ControllerError, match="greater than 0"),
            art.connect({"p": "127.0.0.1:9000"}, timeout=timeout),
        ):
            pass


def test_the_command_connects_and_says_who_is_not_there(
    process: Callable[[], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from articulata.app.main import app

    (file := tmp_path / "swing.art").write_text(
        next(b.text for b in blocks(PAGE.read_text()) if b.language == "art")
    )
    more = ["--out", str(tmp_path / "out"), "--headless", "--until", "0.1", "--timeout", "20"]
    app.run(["simulate", str(file), "--controller", f"brake={process()}", *more])
    assert art.load(tmp_path / "out" / "run.artrun").complete
    for wrong, said in (("brake", "give NAME=HOST:PORT"), ("break=127.0.0.1:1", "names 'break'")):
        with pytest.raises(SystemExit):
            app.run(["simulate", str(file), "--controller", wrong, *more])
        assert said in capsys.readouterr().err


def test_the_command_names_the_control_whose_process_does_not_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from articulata.app.main import app

    text = next(b.text for b in blocks(PAGE.read_text()) if b.language == "art")
    (file := tmp_path / "swing.art").write_text(text)
    (drive,) = art.parse(text, str(file)).requests[0].elaborate().drives.values()
    address = f"127.0.0.1:{free_port()}"
    more = ["--out", str(tmp_path / "out"), "--headless", "--timeout", "0.2"]
    with pytest.raises(SystemExit):
        app.run(["simulate", str(file), "--controller", f"brake={address}", *more])
    said = f"{drive.span}: controller 'brake' of '{drive.id}': no controllers' process answers at"
    assert f"{said} {address}" in capsys.readouterr().err
