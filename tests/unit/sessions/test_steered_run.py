"""Orders to a running simulation: understood, done in time, recorded, repeated."""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.sessions.showing import Showing
from articulata.sessions.steered_run import Steering, order_of

TEXT = """
primitive bar {
  properties: (density: 1000, friction: 0.5)
  geometry: cuboid(0.1, 1, 0.1) where { top: (0, 0.5, 0) }
  dynamics
}
world swing {
  components { post: fixed_point; arm, spare: bar }
  structure {
    join arm to post with pin(axis: z) as hip matching (top, center) driven by drive
    place post by post at (0, 0, 0)
    place spare by spare.center at (5, 0, 0)
  }
}
"""


def rest(t: float, sensed: Any) -> float:
    return 0.0


def push(t: float, sensed: Any) -> float:
    return 10.0 * t


def steered(steering: Steering, until: float = 0.5) -> art.Recording:
    controllers = steering.steered({"drive": rest}, {"push": push})
    world = art.parse(TEXT).world("swing")
    return art.simulate(
        world, until=until, step=0.05, controllers=controllers, commands=steering.commands
    )


def test_orders_are_understood() -> None:
    assert order_of("step 3").number == 3
    assert order_of("speed max").number == math.inf
    assert order_of("at 0.5 break hip").due == 0.5
    assert order_of("at 0.5 break hip").edits == (art.BreakHinge("hip"),)
    assert order_of("set arm.friction = 0.2").edits == (art.SetProperty("arm.friction", 0.2),)
    assert order_of("set gravity = (0, -1.6, 0)").edits == (
        art.SetProperty("gravity", (0.0, -1.6, 0.0)),
    )
    assert order_of("set arm.color = red").edits == (art.SetProperty("arm.color", "red"),)
    assert order_of("ignore arm with spare").edits == (art.Ignore("arm", "spare"),)
    order = order_of("start push for drive")
    assert (order.sequence, order.controller) == ("push", "drive")


@pytest.mark.parametrize(
    "text",
    [
        "", "at 0.5", "at noon stop", "step 0", "step 1.5", "speed 0", "speed fast", "set arm 3",
        "set arm.friction = nan", "break", "break a b", "ignore a b", "start a b", "stop now",
        "brake hip", "at nan stop",
    ],
)  # fmt: skip
def test_what_is_no_order_is_explained(text: str) -> None:
    with pytest.raises(art.ArticulataError, match=r"write: |there (is|are) no|there are"):
        order_of(text)


def test_a_sequence_starts_on_its_own_clock_and_a_replay_needs_nobody() -> None:
    said: list[str] = []
    steering = Steering(say=said.append)
    steering.steered({"drive": rest}, {"push": push})
    steering.order("at 0.2 start push")
    recording = steered(steering)
    torque = recording.array(_drive(recording))[:, 0]
    np.testing.assert_allclose(torque, np.maximum(0.0, 10.0 * (recording.times - 0.2)), atol=1e-12)
    assert [event.story for event in recording.events] == ["Command: start push."]
    assert said == ["t = 0.2 s: start push"]
    assert art.replay(recording).to_bytes() == recording.to_bytes()


def _drive(recording: art.Recording) -> str:
    (name,) = [name for name in recording.channels if name.startswith("control.")]
    return name


def test_a_sequence_may_serve_several_controllers() -> None:
    steering = Steering()
    made = steering.steered(
        {"a": rest, "b": rest}, {"both": lambda t, sensed: {"a": t + 1.0}, "one": push}
    )
    steering.order("start both")
    assert len(steering.commands(2.0, art.parse(TEXT).world("swing"))) == 1
    assert (made["a"](3.0, None), made["b"](3.0, None)) == (2.0, 0.0)
    steering.order("start one for b")
    steering.commands(4.0, art.parse(TEXT).world("swing"))
    assert (made["a"](5.0, None), made["b"](5.0, None)) == (4.0, 10.0)
    for wrong in ("start neither", "start one for c"):
        with pytest.raises(art.ControllerError, match="there is no"):
            steering.order(wrong)


def test_a_value_is_changed_and_a_mistyped_order_does_not_end_the_run() -> None:
    said: list[str] = []
    steering = Steering(say=said.append)
    for order in ("at 0.1 set gravity = (0, -10, 0)", "at 0.2 break knee", "at 0.3 stop"):
        steering.order(order)
    recording = steered(steering)
    assert recording.times[-1] == pytest.approx(0.3)
    assert recording.complete
    assert recording.series("spare.center.y")[-1] == pytest.approx(-5 * 0.2**2, abs=1e-12)
    assert "'break knee' at t = 0.2 s is refused" in said[1]
    assert art.replay(recording).to_bytes() == recording.to_bytes()


def test_an_order_breaks_a_spring() -> None:
    world = art.parse("""
    primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics }
    world hanging {
      gravity: (0, -9.81, 0)
      components { hook: fixed_point; load: ball }
      structure {
        join load to hook with spring(stiffness: 20 N/m) as coil matching (center, center)
        place hook by hook.center at (0, 2, 0)
        place load by load.center at (0, 2, 0)
      }
    }
    """).world()
    steering = Steering()
    steering.order("at 0 break coil")
    recording = art.simulate(world, until=0.5, step=0.05, commands=steering.commands)
    fallen = 2.0 - 9.81 * recording.times**2 / 2.0
    np.testing.assert_allclose(recording.series("load.center.y"), fallen, atol=1e-9)


def test_pausing_stepping_and_going_on() -> None:
    steering = Steering(paused=True)
    made: list[art.Recording] = []
    thread = threading.Thread(target=lambda: made.append(steered(steering)))
    thread.start()
    try:
        wait_for(lambda: steering._since is None and thread.is_alive())
        steering.order("step 3")
        wait_for(lambda: steering.time == pytest.approx(0.15))
        time.sleep(0.05)
        assert steering.time == pytest.approx(0.15)
        assert steering.paused
        steering.order("break hip")
    finally:
        steering.order("continue")
        thread.join(60)
    (recording,) = made
    assert not thread.is_alive()
    edits = [event.time for event in recording.events if event.kind == "edit"]
    assert edits == [pytest.approx(0.15)]
    assert recording.times[-1] == 0.5
    assert art.replay(recording).to_bytes() == recording.to_bytes()


def test_a_paused_run_can_be_stopped_and_a_slow_one_keeps_pace() -> None:
    steering = Steering(paused=True)
    steering.order("stop")
    assert steered(steering).times.tolist() == [0.0]
    steering = Steering(speed=1.0)
    world = art.parse(TEXT).world("swing")
    begun = time.monotonic()
    for number in range(6):
        steering.commands(0.05 * number, world)
    assert time.monotonic() - begun >= 0.25


def wait_for(holds: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_viewer_follows_a_run_to_its_end(tmp_path: Path) -> None:
    steering = Steering()
    steering.order("at 0.3 break hip")
    file = tmp_path / "run.artrun"
    world = art.parse(TEXT).world("swing")
    controllers = steering.steered({"drive": rest}, {"push": push})
    with Showing(steering=steering) as showing:
        thread = threading.Thread(
            target=lambda: art.simulate(
                world,
                until=2.5,
                step=0.02,
                controllers=controllers,
                commands=steering.commands,
                record_to=file,
            )
        )
        steering.order("speed 1")
        thread.start()
        showing.follow(file, steering, thread.is_alive)
        wait_for(lambda: showing.viewer.end_shown == 2.5)
        showing.viewer.check()
    assert [event.kind for event in art.load(file).events if event.kind != "contact"] == [
        "command",
        "edit",
    ]
