"""An edit of a recorded run taken back: the run goes on from that instant without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.analyses.simulate.reacting import Command
from articulata.sessions.undone_edits import run_on
from articulata.world.model import World

TEXT = """
primitive bar {
  properties: (density: 1000)
  geometry: cuboid(0.1, 1, 0.1) where { top: (0, 0.5, 0) }
  dynamics
}
world swing {
  gravity: (0, -10, 0)
  components { post: fixed_point; arm: bar }
  structure {
    join arm to post with pin(axis: z) as hip matching (top, center)
    place post by post at (0, 0, 0), arm.angle = 1
  }
}
"""


def released(world: World, **more: Any) -> art.Recording:
    def commands(time: float, now: World) -> list[Command]:
        return [Command("let go", (art.BreakHinge("hip"),))] if time == 0.25 else []

    return art.simulate(world, until=1.0, step=0.05, commands=commands, **more)


def test_without_the_edit_it_goes_on_as_if_nothing_had_happened() -> None:
    world = art.parse(TEXT).world("swing")
    recording = released(world)
    (number,) = [k for k, event in enumerate(recording.events) if event.kind == "edit"]
    undone = run_on(recording, number)
    whole = art.simulate(world, until=1.0, step=0.05)
    assert undone.times[0] == 0.25
    assert undone.times[-1] == 1.0
    np.testing.assert_allclose(
        undone.series("arm.center"), whole.series("arm.center")[5:], rtol=0, atol=1e-12
    )
    assert art.replay(undone).to_bytes() == undone.to_bytes()


def test_a_hinge_that_gave_way_holds() -> None:
    world = art.parse(TEXT).world("swing").edit([art.SetProperty("hip.strength", (150.0, None))])
    recording = art.simulate(world, until=1.0, step=0.05)
    kinds = [event.kind for event in recording.events]
    assert kinds == ["break", "edit"]
    undone = run_on(recording, 1)
    assert undone.events == ()
    assert np.linalg.norm(undone.series("hip.force"), axis=1).max() > 150.0


def test_controllers_repeat_what_they_gave() -> None:
    text = TEXT.replace("matching (top, center)", "matching (top, center) driven by push")
    text = text.replace("components { ", "components { spare: bar; ")
    text = text.replace("structure {", "structure { place spare by spare.center at (3, 0, 0)\n")
    world = art.parse(text).world("swing")

    def commands(time: float, now: World) -> list[Command]:
        gone = (art.RemoveBody("spare"),)
        return [Command("take away", gone)] if time == 0.25 else []

    given = {"push": lambda t, sensed: 5.0 * t}
    recording = art.simulate(world, until=0.5, step=0.05, controllers=given, commands=commands)
    number = [event.kind for event in recording.events].index("edit")
    undone = run_on(recording, number)
    again = run_on(recording, number, controllers=given)
    np.testing.assert_allclose(
        undone.series("arm.center"), again.series("arm.center"), rtol=0, atol=2e-3
    )
    assert "spare" in undone.world.bodies


def test_only_edits_can_be_undone() -> None:
    recording = released(art.parse(TEXT).world("swing"))
    with pytest.raises(art.RecordingError, match=r"'command' at t = .* is no edit"):
        run_on(recording, 0)
