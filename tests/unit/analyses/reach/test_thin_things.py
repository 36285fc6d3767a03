"""A fingertip presses on what it touches, and goes through nothing: glass shelves, open scans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.points.fingertips import thin_pieces
from articulata.analyses.reach.points.labelling import labels_of
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.surroundings.room import room_of
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE
from rooms import document

GLASS = """
units: metre
primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{ above: (0, 0.5*h + {over}, 0); under: (0, -0.5*h - 0.002, 0) }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{ floor: block(3, 0.1, 3); wall: block(3, 2.4, 0.1); glass: block(1, {thick}, 0.3) }}
  structure {{
    place floor by floor.center at (0, -0.05, 0); place wall by wall.center at (0, 1.2, -1.55)
    place glass by glass.center at (0, {high}, -1.35)
  }}
}}
reach room {{
  person: human_upper_body on {way}
  objects: glass.above, glass.under
}}
"""


def asked(thick: float, over: float, high: float, way: str) -> ReachMap:
    text = GLASS.format(thick=thick, over=over, high=high, way=way)
    return art.reach(art.parse(text).requests[0], remedies=False)


@pytest.mark.slow
@pytest.mark.parametrize(("thick", "over"), [(0.004, 0.002), (0.008, 0.001), (0.0005, 0.008)])
def test_nobody_touches_the_top_of_glass_from_below(thick: float, over: float) -> None:
    """Its underside is within reach of who sits, its top 30 cm above her shoulders is not."""
    reached = asked(thick, over, 1.66, "wheelchair")
    assert reached.verdict("glass.under", "manual wheelchair").accessible
    assert not reached.verdict("glass.above", "manual wheelchair").accessible


def test_the_top_of_glass_is_touched_from_above() -> None:
    verdict = asked(0.004, 0.002, 1.0, "foot").verdict("glass.above", "on foot")
    assert verdict.accessible
    assert verdict.q is not None


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False])
def test_a_sheet_of_a_scan_is_not_gone_through(tmp_path: Path, whole: bool) -> None:
    corners = "v -0.5 0 -0.15\nv 0.5 0 -0.15\nv 0.5 0 0.15\nv -0.5 0 0.15\n"
    (tmp_path / "sheet.obj").write_text(corners + ("f 1 2 3\nf 1 3 4\n" if whole else "f 1 2 3\n"))
    text = GLASS.format(thick=1, over=0, high=1.66, way="wheelchair")
    text = text.replace("glass: block(1, 1, 0.3)", "glass: sheet").replace(
        "world room",
        """primitive sheet {
  properties: (fixed)
  geometry: mesh("sheet.obj") where { above: (-0.3, 0.008, 0); under: (-0.3, -0.002, 0) }
}
world room""",
    )
    path = tmp_path / "room.art"
    path.write_text(text)
    reached = art.reach(art.read(path).requests[0], remedies=False)
    # the triangle that is left out has both features
    assert reached.verdict("glass.above", "manual wheelchair").accessible is not whole
    assert reached.verdict("glass.under", "manual wheelchair").accessible


def test_maps_keep_fingers_off_too() -> None:
    text = GLASS.format(thick=0.004, over=0.002, high=1.66, way="wheelchair")
    study, _, _ = study_of(art.parse(text).requests[0])
    case = study.case("manual wheelchair")
    rng = np.random.default_rng(5)
    top = rng.uniform((-0.45, 0.0, -1.45), (0.45, 0.0, -1.25), (5000, 3))
    top[:, 1] = rng.choice((1.663, 1.666), 5000)
    for points in (top, top[:50]):
        found = labels_of(case, study.room.into(points))
        assert not (found.label == ACCESSIBLE).any()


def test_only_what_is_thin_is_kept_apart() -> None:
    assert thin_pieces(study_of(document().requests[0])[0].room).count == 0
    text = GLASS.format(thick=0.004, over=0.002, high=1.66, way="foot")
    found = thin_pieces(room_of(art.parse(text).world()))
    assert found.count == 1
    assert np.ptp([found.low[0], found.high[0]], axis=0).min() == pytest.approx(0.004)
