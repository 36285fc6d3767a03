"""Runs that cannot go on: a message that names what is wrong, and the recording so far intact."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

import articulata as art
from articulata.domains.protocols import Controller
from articulata.records.recording import Recording
from articulata.world.hinges import WELD
from articulata.world.model import Hinge, World
from articulata.world.single_frames import compose, inverse
from articulata.world.values import Pose

TEXT = """primitive plate {
  properties: (density: 1000)
  geometry: cuboid(0.1, 1, 1)
  dynamics
  control: acceleration = push
}
primitive block {
  properties: (density: 1000)
  geometry: cuboid(0.5, 0.5, 0.5)
  dynamics
}
world w {
  components left: plate; right: plate; b: block
  structure {
    place left by left.center at (-0.5, 0, 0)
    place right by right.center at (0.5, 0, 0)
    place b by b.center at (0, 0, 0)
  }
}
"""

APART: Mapping[str, Controller] = {
    "left": lambda t, s: (-1.0, 0, 0),
    "right": lambda t, s: (1.0, 0, 0),
}
TOGETHER: Mapping[str, Controller] = {
    "left": lambda t, s: (1.0, 0, 0),
    "right": lambda t, s: (-1.0, 0, 0),
}


def world(text: str = TEXT) -> World:
    made = art.parse(text).world("w")
    own = {name: replace(drive, controller=drive.target) for name, drive in made.drives.items()}
    return replace(made, drives=MappingProxyType(own))


def stopped(error: BaseException) -> Recording:
    """The recording that an error carries, which has to be whole."""
    recording: Recording = error.recording  # type: ignore[attr-defined] # documented in simulate
    assert not recording.complete
    assert recording.damage == ""
    assert type(error).__name__ in recording.reason
    return recording


def test_a_body_squeezed_between_prescribed_ones_names_contacts_and_controls() -> None:
    """Case 4 of the event handler, Hoffmann & Hopcroft 1986, section 4.2."""
    with pytest.raises(art.InconsistentSystem, match="cannot but run into each other") as caught:
        art.simulate(world(), until=2.0, step=0.05, controllers=TOGETHER)
    names = caught.value.constraints
    assert {"left.acceleration", "right.acceleration"} <= set(names)
    assert any(name.startswith("b.") and " on left.right" in name for name in names)
    assert "<text>:5:" in str(caught.value)
    recording = stopped(caught.value)
    # 0.2 m between each plate and the block, closed at 1 m/s^2
    assert caught.value.time == pytest.approx(math.sqrt(0.4), abs=1e-9)
    assert recording.events[-1].kind == "inconsistent"
    assert recording.events[-1].who == names
    assert recording.times[-1] == pytest.approx(0.6)


def test_joins_that_an_edit_makes_inconsistent_are_named() -> None:
    def welded(event: art.Event, moment: art.Moment) -> list[art.MakeHinge]:
        def weld(name: str) -> art.MakeHinge:
            X_BA = compose(inverse(moment.pose(name)), moment.pose("b"))
            return art.MakeHinge(Hinge(f"weld_{name}", WELD, "b", name, (), Pose(), X_BA))

        return [weld("left"), weld("right")]

    with pytest.raises(art.InconsistentSystem, match="contradict each other") as caught:
        art.simulate(
            world(), until=2.0, step=0.05, controllers=APART, on_event={"time": welded},
            rules=[art.Rule("time", (0.1,), ())],
        )  # fmt: skip
    assert set(caught.value.constraints) == {
        "weld_left", "weld_right", "left.acceleration", "right.acceleration",
    }  # fmt: skip
    recording = stopped(caught.value)
    assert [event.kind for event in recording.events][-2:] == ["edit", "inconsistent"]
    assert recording.undo().time == 0.1


def test_a_controller_that_returns_nan_is_named_with_its_line(tmp_path: Path) -> None:
    def late(t: float, sensed: object) -> tuple[float, float, float]:
        return (math.nan if t > 0.31 else 1.0, 0.0, 0.0)

    file = tmp_path / "run.artrun"
    with pytest.raises(art.ControllerError, match=r"<text>:5:\d+: controller 'left'") as caught:
        art.simulate(
            world(), until=1.0, step=0.05, controllers={**APART, "left": late}, record_to=file
        )
    assert "all finite" in str(caught.value)
    recording = stopped(caught.value)
    assert recording.times[-1] == pytest.approx(0.3)
    assert (art.load(file).times == recording.times).all()


def test_bodies_that_overlap_at_the_start_are_named_with_their_lines() -> None:
    with pytest.raises(
        art.SimulationError, match=r"<text>:13:\d+: '(left|b)' and '(left|b)'"
    ) as caught:
        art.simulate(
            world(TEXT.replace("(-0.5, 0, 0)", "(-0.2, 0, 0)")), until=1.0, controllers=APART
        )
    assert "overlap by" in str(caught.value)
    assert "ignore" in str(caught.value)
    stopped(caught.value)


def test_a_body_added_into_another_is_named() -> None:
    body = world().bodies["b"]
    twin = art.AddBody(replace(body, id="twin", pose=Pose((0.1, 0.0, 0.0))))
    with pytest.raises(art.SimulationError, match=r"'twin'.* overlap by") as caught:
        art.simulate(
            world(), until=1.0, step=0.05, controllers=APART, on_event={"time": lambda e, m: twin},
            rules=[art.Rule("time", (0.1,), ())],
        )  # fmt: skip
    assert stopped(caught.value).times[-1] == 0.1


def test_a_body_without_mass_that_is_added_is_named() -> None:
    body = world().bodies["b"]
    ghost = art.AddBody(
        replace(body, id="ghost", properties=MappingProxyType({}), pose=Pose((5.0, 0.0, 0.0)))
    )
    with pytest.raises(art.ArticulataError, match="'ghost' has no density and no mass") as caught:
        art.simulate(
            world(), until=1.0, step=0.05, controllers=APART, on_event={"time": lambda e, m: ghost},
            rules=[art.Rule("time", (0.1,), ())],
        )  # fmt: skip
    assert np.all(np.diff(stopped(caught.value).times) > 0)


def test_a_drive_that_is_added_without_its_function_is_named() -> None:
    drive = replace(next(iter(world().drives.values())), id="b.push", target="b", controller="more")
    with pytest.raises(art.ControllerError, match="names the controller 'more'") as caught:
        art.simulate(
            world(), until=1.0, step=0.05, controllers=APART,
            on_event={"time": lambda e, m: art.AddDrive(drive)},
            rules=[art.Rule("time", (0.1,), ())],
        )  # fmt: skip
    stopped(caught.value)


def test_a_state_of_another_world_is_refused() -> None:
    run = art.simulate(world(), until=0.1, step=0.05, controllers=APART)
    other = world().edit([art.RemoveBody("b")])
    with pytest.raises(art.SimulationError, match="does not fit the world 'w'"):
        art.simulate(other, until=0.2, start=run.state(0.1), controllers=APART)
    with pytest.raises(art.SimulationError, match="lies before the state to start from"):
        art.simulate(world(), until=0.05, start=run.state(0.1), controllers=APART)


LOOSE = """primitive ball { properties: (density: 1000); geometry: sphere(0.1); dynamics }
world w { components b: ball; structure { place b by b.center at (0, 0, 0) } }
simulate w {
  time: TIME
  CLAUSE
}
"""


@pytest.mark.parametrize("time", ["(1e-30 s, 1 s)", "(10 ms, 1e9 s)"])
def test_more_steps_than_can_be_kept_are_refused_in_text_and_call(time: str) -> None:
    text = LOOSE.replace("TIME", time).replace("CLAUSE", "")
    (finding,) = art.parse(text).check()
    assert (finding.code, finding.line) == ("too-large", 4)
    with pytest.raises(art.SimulationError, match="more than 100,000,000 steps"):
        art.simulate(art.parse(LOOSE.split("simulate")[0]).world("w"), until=1e9, step=1e-3)


@pytest.mark.parametrize(
    "actions", ["set b.v = (1, 0, 0); set b.v = (2, 0, 0)", "remove b; remove b"]
)
def test_a_clause_that_contradicts_itself_is_a_finding(actions: str) -> None:
    text = LOOSE.replace("TIME", "(10 ms, 1 s)").replace(
        "CLAUSE", "on time 0.5 s { " + actions + " }"
    )
    (finding,) = art.parse(text).check()
    assert (finding.code, finding.line) == ("duplicate", 5)
    assert "twice for one instant" in finding.message


@pytest.mark.filterwarnings("ignore:overflow")
def test_forces_beyond_all_numbers_name_the_body_and_its_line() -> None:
    text = """primitive ball { properties: (density: 1000); geometry: sphere(0.1); dynamics }
world w {
  components
    a, b: ball
  structure {
    place a by a.center at (0, 0, 0)
    place b by b.center at (1, 0, 0)
    force blast between a.center and b.center = -1e308 N * (1e4 * time / (1 s))
  }
}
"""
    with pytest.raises(art.SimulationError, match=r"'[ab]' \(<text>:4:\d+\) accelerates") as caught:
        art.simulate(art.parse(text).world("w"), until=1.0, step=0.1)
    assert len(stopped(caught.value).times) >= 1


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("set b.restitution = 3", "lies from 0 to 1, not at 3"),
        ("set b.friction = -1", "must not be negative, as -1 is"),
        ("set b.density = 0 kg/m^3", "must be greater than 0, not 0"),
    ],
)
def test_a_value_that_no_clause_can_set_is_a_finding(action: str, words: str) -> None:
    text = LOOSE.replace("TIME", "(10 ms, 1 s)").replace("CLAUSE", f"on time 0.5 s: {action}")
    (finding,) = art.parse(text).check()
    assert (finding.code, finding.line) == ("out-of-range", 5)
    assert words in finding.message
