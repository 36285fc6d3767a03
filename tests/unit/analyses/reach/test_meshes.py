"""Rooms from meshes: a cupboard that is a surface without a front stands in the way."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.surroundings.pointing import pointed_at
from articulata.records.reach_verdicts import ReachReason
from articulata.world.edits.value_edits import Place

TEXT = """
primitive ground {{ properties: (fixed); geometry: cuboid(3 m, 10 cm, 3 m) }}
primitive wall {{ properties: (fixed); geometry: cuboid(3 m, 2.4 m, 2 cm) }}
primitive case {{
  properties: (fixed)
  geometry: mesh("case.obj") where {{ inside: (0, 0, -5 cm) }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; case: case{back} }}
  structure {{
    place floor by floor.center at (0, -5 cm, 0)
    {placed}
    place case by case.center at (0, 1.1 m, -1.3 m) turned {turn} deg about y
  }}
}}
reach room {{ person: human_upper_body on foot; objects: case.inside; watch: case.inside }}
"""


def room(folder: Path, turn: int) -> art.Request:
    corners = [*product((-0.3, 0.3), (-0.3, 0.3), (-0.2, 0.2))]
    # all sides but that toward z
    sides = ["1 3 7 5", "1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7"]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {each}" for each in sides]
    (folder / "case.obj").write_text("\n".join(lines) + "\n")
    # what is open to the back is open to a wall: nobody reaches around it
    wall = {"back": "", "placed": ""}
    if turn:
        wall = {
            "back": "; back: wall",
            "placed": "place back by back.center at (0, 1.2 m, -1.512 m)",
        }
    (folder / "room.art").write_text(TEXT.format(turn=turn, **wall))
    return art.read(folder / "room.art").requests[0]


@pytest.mark.parametrize(("turn", "open_"), [(0, True), (180, False)])
def test_a_surface_without_a_front_is_reached_into_from_there(
    tmp_path: Path, turn: int, open_: bool
) -> None:
    study, objects, _ = study_of(room(tmp_path, turn))
    (note,) = study.notes(objects)
    assert note.startswith("meshes with holes: 'case'; they stand in the way from both sides")
    (verdict,) = study.verdicts(objects, remedies=False)
    assert verdict.accessible == open_
    if not open_:
        assert (verdict.reason, verdict.obstacle) == (ReachReason.BLOCKED, "case")
    (sight,) = study.sightings([art.Watched("case.inside")])
    assert sight.accessible == open_
    assert open_ or sight.obstacle in ("case", "back")


def test_a_mesh_that_is_too_large_for_metres_is_told(tmp_path: Path) -> None:
    request = room(tmp_path, 0)
    text = (tmp_path / "room.art").read_text()
    (tmp_path / "room.art").write_text(text.replace('"case.obj"', '"case.obj", 1000'))
    large = art.read(tmp_path / "room.art").requests[0]
    told = [
        [note for note in study_of(each)[0].notes() if "in mm" in note] for each in (request, large)
    ]
    assert told[0] == []
    assert told[1] == [
        "'case' is 600 m long; a mesh is read in metres: if the file is in mm, write "
        'mesh("case.obj", 0.001)'
    ]


def test_a_sheet_of_two_triangles_stands_in_the_way(tmp_path: Path) -> None:
    request = room(tmp_path, 0)
    plain = study_of(request)[0].verdicts(["case.inside"], remedies=False)[0]
    # a pane across the open side, 2 m wide and high
    pane = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n"
    (tmp_path / "pane.obj").write_text(pane)
    text = (tmp_path / "room.art").read_text()
    text = text.replace(
        "world room",
        """primitive pane {
  properties: (fixed); geometry: mesh("pane.obj") where { middle: (0, 0, 0) }
}
world room""",
    ).replace("case: case }", "case: case; pane: pane }")
    text = text.replace(
        "place case", "place pane by pane.middle at (0, 1 m, -1.05 m)\n    place case"
    )
    (tmp_path / "room.art").write_text(text)
    study = study_of(art.read(tmp_path / "room.art").requests[0])[0]
    (verdict,) = study.verdicts(["case.inside"], remedies=False)
    assert plain.accessible
    assert (verdict.reason, verdict.obstacle) == (ReachReason.BLOCKED, "pane")


def test_a_ray_meets_the_surface_that_is_nearest(tmp_path: Path) -> None:
    world = room(tmp_path, 0).elaborate()
    # from the front through the open side onto the back, from behind onto the back, from above
    for eye, toward, body, point in (
        ((0.1, 1.2, 2.0), (0, 0, -1), "case", (0.1, 0.1, -0.2)),
        ((0.1, 1.2, -5.0), (0, 0, 2), "case", (0.1, 0.1, -0.2)),
        ((0.9, 2.0, 0.0), (0, -1, 0), "floor", (0.9, 0.05, 0.0)),
    ):
        met = pointed_at(world, np.array([eye, toward], float))
        assert met is not None
        assert met[0] == body
        np.testing.assert_allclose(met[1], point, atol=1e-9)
    assert pointed_at(world, np.array([(0.0, 1.2, 2.0), (0, 0, 1)], float)) is None
    through = pointed_at(world, np.array([(0.1, 1.2, 2.0), (0, -0.5, -1)], float), {"case"})
    assert through is not None
    assert through[0] == "floor"


def test_what_is_struck_is_made_ready_once_for_things_that_move(tmp_path: Path) -> None:
    study = study_of(room(tmp_path, 0))[0]
    first = study.case("on foot")
    place = replace(study.world.bodies["case"].pose, position=(0.2, 1.2, -1.0))
    study.moved(study.world.edit([Place("case", place)]))
    again = study.case("on foot")
    new = Case(again.room, again.body, again.envelope, again.places)
    arm = first.body.arms["right"].neutral[None]
    q = first.body.postures("right", np.array([[0.0, 0.5, 1.57]]), arm)
    moved, made = (case.clash["right"].distance(q) for case in (again, new))
    assert moved == made
    assert moved != first.clash["right"].distance(q)
