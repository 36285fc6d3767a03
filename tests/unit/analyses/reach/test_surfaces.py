"""How much of shelves and worktops is reached: areas by hand, labels point by point."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.points.labelling import labels_of, search_again
from articulata.analyses.reach.points.surface_shares import surface_of
from articulata.analyses.reach.reach_question import study_of
from articulata.errors import WorldError
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE
from articulata.sessions.command_fields import ReachAsked
from articulata.sessions.reach.answering import reach_file
from rooms import TEXT, document

THINGS = """
  components {
    table: block(1 m, 70 cm, 80 cm); vase: block(20 cm, 30 cm, 20 cm); ramp: block(1 m, 10 cm, 1 m)
    roof: block(1 m, 10 cm, 40 cm)
"""


def room(text: str) -> object:
    whole = TEXT.format(shelf=1.4).replace("  components {\n", THINGS.lstrip("\n"), 1)
    whole = whole.replace("  structure {\n", f"  structure {{\n{text}\n", 1)
    return study_of(art.parse(whole).requests[0])[0].room


STANDING = """
    place table by table.center at (0.5, 35 cm, 1.8)
    place vase by vase.center at (0.5, 85 cm, 1.8)
    place ramp by ramp.center at (-0.6, 20 cm, 2) turned 10 deg about z
    place roof by roof.center at (0.5, 80 cm, 2.0)
"""


def test_areas_are_what_is_free_of_what_faces_up() -> None:
    found = surface_of(room(STANDING), "table")  # type: ignore[arg-type]
    # the vase takes 0.04 m2, the roof 5 cm above 0.4 m2, and both a part of 0.2 m by 0.1 m
    assert found.area == pytest.approx(0.8 - 0.04 - 0.4 + 0.02, abs=0.02)
    assert np.abs(found.points[:, 2] - found.points[0, 2]).max() < 1e-9
    sloping = surface_of(room(STANDING), "ramp")  # type: ignore[arg-type]
    assert sloping.area == pytest.approx(1.0, abs=1e-6)
    rise = np.ptp(sloping.points[:, 2]) / np.ptp(sloping.points[:, 0])
    assert rise == pytest.approx(np.tan(np.radians(10.0)), rel=1e-6)
    steep = STANDING.replace("10 deg about z", "20 deg about z")
    with pytest.raises(WorldError, match="nothing of 'ramp' faces up"):
        surface_of(room(steep), "ramp")  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [20.0, 3.0, 0.5])
def test_a_narrow_edge_is_a_surface_too(width: float) -> None:
    text = STANDING.replace("vase.center at (0.5, 85 cm, 1.8)", "vase.center at (0.2, 20 cm, 1)")
    things = THINGS.replace(
        "vase: block(20 cm, 30 cm, 20 cm)", f"vase: block(1 m, 30 cm, {width} mm)"
    )
    whole = TEXT.format(shelf=1.4).replace("  components {\n", things.lstrip("\n"), 1)
    whole = whole.replace("  structure {\n", f"  structure {{\n{text}\n", 1)
    found = surface_of(study_of(art.parse(whole).requests[0])[0].room, "vase")
    assert len(found.points) >= 50
    assert found.area == pytest.approx(width * 1e-3, abs=1e-9)


@pytest.mark.parametrize("path", ["counter.front", "countre", "door"])
def test_what_has_no_surface_is_told(path: str) -> None:
    with pytest.raises(WorldError, match="no body with a surface"):
        art.reach(document().world("room"), surfaces=[path], grid=None)


def test_the_share_of_a_surface_is_that_of_its_points(tmp_path: Path) -> None:
    text = TEXT.format(shelf=1.4).replace(
        "  points: grid 30 cm in floor\n  objects: counter.front, shelf.front\n",
        "  surfaces: counter, shelf\n",
    )
    (tmp_path / "room.art").write_text(text)
    done = reach_file(ReachAsked(tmp_path / "room.art", out=tmp_path / "out"), Quiet())
    reached = done.reached
    study = study_of(done.request)[0]
    for found in reached.surfaces:
        points = surface_of(study.room, found.object).points
        case = study.case(found.mobility)
        labels = labels_of(case, points)
        assert found.points == len(points)
        # what is missed is searched for once more
        assert found.reached >= np.mean(labels.label == ACCESSIBLE)
        search_again(case, points, labels)
        assert found.reached == np.mean(labels.label == ACCESSIBLE)
    shares = {(each.object, each.mobility): each.reached for each in reached.surfaces}
    assert shares["counter", "on foot"] > 0.9
    assert shares["shelf", "on foot"] > 0.9
    assert shares["shelf", "on foot"] > shares["shelf", "manual wheelchair"]
    again = ReachMap.load(done.files[0])
    assert again.surfaces == reached.surfaces
    table = (tmp_path / "out" / "surfaces.csv").read_text().splitlines()
    assert table[0] == "surface,who,people,area_m2,reached,excluded,low_95,high_95"
    assert len(table) == 5
    assert (
        "<h2>How much of surfaces is reached</h2>" in (tmp_path / "out" / "reach.html").read_text()
    )


def test_people_reach_a_share_on_average() -> None:
    reached = art.reach(
        document().world("room"),
        person=art.Population(3),
        mobility=art.OnFoot(),
        surfaces=["shelf"],
        grid=None,
    )
    (share,) = reached.surface_shares
    assert share.count == 3
    assert 0.0 < share.low < share.reached < share.high <= 1.0
    assert "95 % interval" in str(share)


class Quiet:
    def working(self, done: int, total: int) -> None:
        pass
