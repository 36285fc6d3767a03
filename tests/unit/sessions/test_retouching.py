"""What is moved in the viewer is saved to the text: one statement changes, the rest stays."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.standing_figures import standing
from articulata.report.viewer.panels.standing_world import movable, pose_at
from articulata.sessions.watch import Retouching
from articulata.world.document import parse, read
from articulata.world.values import Pose

TEXT = """\
units: degree
-- a room

primitive box {
  properties: (density: 500); geometry: cuboid(0.2, 0.4, 0.2) where { lid: (0, 0.2, 0) }; dynamics
}
primitive step { geometry: union(low: cuboid(1, 0.2, 1),
  high: cuboid(0.5, 0.2, 1) at (0.2, 0.2, 0)) }

world room {
  gravity: (0, -9.81, 0)   -- as usual
  components {
    anna, ben: planar_4_2_1
    box, crate: box
    step: step
    many[1..2]: box
  }
  structure {
    place anna by anna.base at (1, 0.9, 2), elbow = 50, properties: (fixed)   -- she waits
    place box by box.lid at (0, 1, 0) turned 45 about y, properties: (fixed)
    for i in 1..2 { place many[i] by many[i].center at (i, 0, 0) }
    join crate to box with weld matching (center, lid)
  }
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "room.art"
    path.write_text(TEXT, encoding="utf-8")
    return path


def _lines(file: Path) -> list[str]:
    """Return the lines of the file that are not those it began with."""
    before = TEXT.splitlines()
    return [line for line in file.read_text("utf-8").splitlines() if line not in before]


def test_a_posture_is_saved_in_the_statement_that_places_the_figure(file: Path) -> None:
    said = Retouching(file).posture("anna", {"shoulder": 0.0, "elbow": math.pi / 6, "wrist": -0.5})
    assert said == "'anna' is saved in room.art."
    assert _lines(file) == [
        "    place anna by anna.base at (1, 0.9, 2), elbow = 30 deg, wrist = -28.6479 deg, "
        "properties: (fixed)   -- she waits"
    ]
    anna, _ = standing(assemble(read(file).world("room")))
    assert anna.start == pytest.approx((0.0, math.pi / 6, -0.5), abs=1e-6)


def test_a_figure_that_was_not_placed_gets_a_statement(file: Path) -> None:
    Retouching(file, "room").posture("ben", {"shoulder": 0.5, "elbow": 0.0, "wrist": 0.0})
    assert _lines(file) == ["    place ben by shoulder = 28.6479 deg"]
    _, ben = standing(assemble(read(file).world("room")))
    assert ben.start == pytest.approx((0.5, 0.0, 0.0), abs=1e-6)


@pytest.mark.parametrize("body", ["box", "step"])
def test_a_place_is_saved_by_the_centre(file: Path, body: str) -> None:
    half = math.radians(20)
    turn = (math.cos(half), math.sin(half) * 0.6, 0.0, math.sin(half) * 0.8)
    said = Retouching(file).place(body, Pose((0.25, 1.5, -2.0), turn))
    assert said == f"'{body}' is saved in room.art."
    properties = ", properties: (fixed)" if body == "box" else ""
    assert _lines(file) == [
        f"    place {body} by {body}.center at (0.25 m, 1.5 m, -2 m) turned 40 deg about "
        f"(0.6, 0, 0.8){properties}"
    ]
    found = assemble(read(file).world("room")).bodies[body]
    assert np.abs(np.array(found.pose.orientation) - turn).max() < 1e-9
    if body == "box":
        assert found.pose.position == pytest.approx((0.25, 1.5, -2.0), abs=1e-9)


def test_a_turn_about_an_axis_is_written_by_its_letter(file: Path) -> None:
    half = math.radians(-15)
    turn = Pose((0, 0, 0), (math.cos(half), 0.0, math.sin(half), 0.0))
    Retouching(file).place("step", turn)
    assert _lines(file) == [
        "    place step by step.center at (0 m, 0 m, 0 m) turned -30 deg about y"
    ]


def test_only_bodies_that_nothing_holds_can_be_dragged(file: Path) -> None:
    assert movable(read(file).world("room")) == ("step",)


def test_what_cannot_be_saved_is_said_and_changes_nothing(file: Path) -> None:
    assert Retouching(file, "hall").place("box", Pose()).startswith("**'box' is not saved:**")
    assert Retouching(file).posture("nobody", {}).startswith("**'nobody' is not saved:**")
    file.write_text("world room { components { a: nothing } }", encoding="utf-8")
    assert Retouching(file).place("a", Pose()).startswith("**'a' is not saved:**")
    assert file.read_text("utf-8") == "world room { components { a: nothing } }"


def test_a_figure_is_saved_where_its_base_stands(file: Path) -> None:
    anna, ben = standing(assemble(read(file).world("room")))
    assert (anna.held, ben.held) == ("", "")
    half = math.radians(35)
    turn = np.array(Pose((0, 0, 0), (math.cos(half), 0.0, math.sin(half), 0.0)).matrix())
    X_WB = turn @ anna.figure.base
    X_WB[:3, 3] = (0.3, 0.8, -1.5)
    said = Retouching(file).place("anna", pose_at(X_WB))
    assert said == "'anna' is saved in room.art."
    found = standing(assemble(read(file).world("room")))[0]
    assert np.abs(found.figure.base - X_WB).max() < 1e-9
    assert np.abs(found.start - anna.start).max() < 1e-12
    assert _lines(file) == [
        "    place anna by anna.base at (0.3 m, 0.8 m, -1.5 m) turned 70 deg about y, "
        "elbow = 50, properties: (fixed)   -- she waits"
    ]


def test_what_a_figure_is_joined_to_keeps_it_in_place(file: Path) -> None:
    join = "join anna.base to step with weld"
    bolted = TEXT.replace("(center, lid)", f"(center, lid)\n    {join}", 1)
    anna, ben = standing(parse(bolted).world("room"))
    assert anna.held == "it is joined to 'step'"
    assert ben.held == ""
