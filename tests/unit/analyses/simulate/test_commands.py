"""Commands during a run: done at the start of a cycle, recorded, and the same in a replay."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.analyses.simulate.reacting import Command
from articulata.world.model import World

TEXT = """
primitive ball { properties: (density: 1000, restitution: 0.5); geometry: sphere(10 cm); dynamics
  %s }
world drop {
  gravity: (0, -10, 0)
  components { floor: ground; post: fixed_point; ball: ball }
  structure {
    place post by post at (0, 2, 0)
    join ball to post with weld as grip matching (center, center)
  }
}
"""


def ordering(*orders: tuple[float, Command]):
    waiting = list(orders)

    def commands(time: float, world: World) -> list[Command]:
        due = [command for at, command in waiting if at <= time]
        waiting[:] = [each for each in waiting if each[0] > time]
        return due

    return commands


def test_a_command_edits_the_world_at_its_cycle_and_a_replay_does_it_again() -> None:
    world = art.parse(TEXT % "").world("drop")
    commands = ordering((0.2, Command("let go", (art.BreakHinge("grip"),))))
    recording = art.simulate(world, until=0.5, step=0.05, commands=commands)
    kinds = [(event.kind, event.time) for event in recording.events][:2]
    assert kinds == [("command", pytest.approx(0.2)), ("edit", pytest.approx(0.2))]
    told = recording.events[1]
    assert told.values["by"] == ("the command 'let go'",)
    fallen = recording.times > 0.2
    expected = 2 - 5 * (recording.times[fallen] - 0.2) ** 2
    np.testing.assert_allclose(recording.series("ball.center.y")[fallen], expected, atol=1e-12)
    assert art.replay(recording).to_bytes() == recording.to_bytes()
    before = recording.undo()
    again = art.simulate(before.world, start=before.state, until=0.5, step=0.05)
    assert again.series("ball.center.y")[-1] == 2.0  # nobody let go


def test_a_command_ends_the_run_and_another_only_stands_in_the_record() -> None:
    world = art.parse(TEXT % "").world("drop")
    commands = ordering((0.1, Command("look")), (0.2, Command("enough", stop=True)))
    recording = art.simulate(world, until=1.0, step=0.05, commands=commands)
    assert [event.kind for event in recording.events] == ["command", "command", "stop"]
    assert recording.times[-1] == pytest.approx(0.2)
    assert recording.events[0].story == "Command: look."
    assert art.replay(recording).to_bytes() == recording.to_bytes()


def test_what_cannot_be_done_is_said_with_the_command_s_name() -> None:
    world = art.parse(TEXT % "").world("drop")
    commands = ordering((0.1, Command("let go twice", (art.BreakHinge("grap"),))))
    with pytest.raises(art.SimulationError, match="'let go twice' at t = ") as bad:
        art.simulate(world, until=1.0, step=0.05, commands=commands)
    assert bad.value.recording.times[-1] == pytest.approx(0.1)  # type: ignore[attr-defined]


def test_a_command_in_a_world_without_contact_or_rules() -> None:
    free = TEXT.replace("floor: ground; ", "")
    world = art.parse(free % "").world("drop")
    commands = ordering((0.0, Command("let go", (art.BreakHinge("grip"),))))
    recording = art.simulate(world, until=0.5, step=0.05, commands=commands)
    assert recording.series("ball.center.y")[-1] == pytest.approx(2 - 5 * 0.25, abs=1e-12)
    assert art.replay(recording).to_bytes() == recording.to_bytes()
