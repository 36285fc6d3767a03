"""A person walks through a door: who is touched, what is recorded, what an edit undoes."""

from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.simulate.replaying import replay
from articulata.world.edits.figure_edits import RemoveFigure
from articulata.world.edits.transaction import inverse_of

HALL = """
units: metre, degree
primitive jamb { geometry: cuboid(0.1, 2.1, 0.1) }
world hall(gap: length = 0.24 m) {
  gravity: (0, -9.81, 0)
  components { anna: person(1.68 m, sex: 1); left, right: jamb }
  structure {
    place left by left.center at (gap, 1.05, 0.9), properties: (fixed)
    place right by right.center at (-gap, 1.05, 0.9), properties: (fixed)
    place anna by anna.base at (0, 0.86, 0), posture = standing
    anna follows walk at (0, 0, 0)
  }
}
"""
DOMAINS = ("geometric", "interference", "kinematic")
FRAME = 1.0 / 60.0


def test_a_gait_goes_on_and_keeps_near_the_ground() -> None:
    world = art.parse(HALL).world()
    run = art.simulate(world, until=2.4, step=0.1, domains=("geometric", "kinematic"))
    way = run.series("anna.base")
    assert way[-1, 2] - way[13, 2] == pytest.approx(0.7 * 1.68 * 1.1 / 1.12, rel=0.05)
    feet = np.array([run.series(f"anna.{s}_{n}")[3:, 1] for s in "lr" for n in ("heel", "ball")])
    assert feet.min(axis=0).max() < 0.06  # one foot or the other is down
    assert feet.min() > -0.05


@pytest.mark.slow
def test_who_is_touched_on_the_way_through_a_door(tmp_path: Path) -> None:
    document = art.parse(HALL)
    file = tmp_path / "walk.artrun"
    run = art.simulate(document.world(), until=1.5, step=FRAME, domains=DOMAINS, record_to=file)
    touched = {e.who for e in run.events if e.kind == "contact"}
    assert touched
    assert {other for _, other in touched} == {"left", "right"}
    assert all(one.startswith("anna.") for one, _ in touched)
    wide = art.simulate(document.world("hall", 0.6), until=1.5, step=FRAME, domains=DOMAINS)
    assert not [e for e in wide.events if e.kind == "contact"]
    ignoring = HALL.replace(
        "anna follows", "ignore anna with left\n    ignore anna with right\n    anna follows"
    )
    quiet = art.simulate(art.parse(ignoring).world(), until=1.5, step=FRAME, domains=DOMAINS)
    assert not [e for e in quiet.events if e.kind == "contact"]
    again = tmp_path / "again.artrun"
    replay(run, record_to=again)
    assert again.read_bytes() == file.read_bytes()


def test_she_leaves_and_comes_back_by_an_edit() -> None:
    world = art.parse(HALL).world()
    edits = [RemoveFigure("anna")]
    without = world.edit(edits)
    assert not [name for name in without.bodies if name.startswith("anna")]
    assert without.edit(inverse_of(world, edits)) == world
