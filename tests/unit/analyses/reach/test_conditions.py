"""What conditions leave of joints, of their strength and of hands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.one_person.body import Body, Capability, body_of
from articulata.analyses.reach.one_person.conditions import rows_of
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.ways.footprints import footprint_of
from articulata.world.requests.reach import CONDITIONS

HEAD = "condition,joint,low_deg,high_deg,strength,source"


def body(*conditions: str, load: float = 0.0) -> Body:
    able = Capability(conditions=conditions, load=load)
    return body_of(art.figure("human_upper_body"), footprint_of(art.OnFoot()), able)


def limits(there: Body, joint: str) -> list[float]:
    (found,) = (each for each in there.figure.joints if each.name == joint)
    return np.degrees(found.limits).round(6).tolist()


def holds(there: Body, hand: str, joint: str) -> tuple[float, float]:
    """Return what a joint of an arm holds toward larger and smaller values, N m."""
    bearing = there.bearings[hand]
    assert bearing is not None
    k = [there.figure.names[c] for c in there.columns[hand]].index(joint)
    return float(bearing.up[k]), float(bearing.down[k])


def test_shoulders_with_arthritis_go_less_far_and_hold_less() -> None:
    """103 women of 47 years: 164.3 deg beside 180 (AAOS), 3.67 kg beside 5.59 kg."""
    there = body("rheumatoid_arthritis", load=1.0)
    for side in "rl":
        assert limits(there, f"{side}_shoulder_abduction") == [-30.0, 164.3]
    assert holds(there, "right", "r_shoulder_flexion") == pytest.approx(
        (92.0 * 3.67 / 5.59, 67.0 * 3.67 / 5.59), rel=1e-3
    )
    assert holds(there, "right", "r_elbow_flexion") == (77.0, 46.0)


def test_a_stroke_weakens_one_side() -> None:
    there = body("stroke left", load=1.0)
    assert holds(there, "left", "l_elbow_flexion") == pytest.approx((77.0 * 0.73, 46.0 * 0.73))
    assert holds(there, "right", "r_elbow_flexion") == (77.0, 46.0)
    heavier = there.carrying(2.0)
    assert holds(heavier, "left", "l_elbow_flexion") == holds(there, "left", "l_elbow_flexion")


def test_a_hand_that_is_lost_reaches_nothing() -> None:
    assert list(body("arm_amputation right").arms) == ["left"]
    with pytest.raises(art.KinematicsError, match="leaves none of the hands right, left; write"):
        body("arm_amputation")


def test_a_text_names_a_table_of_one_s_own(tmp_path: Path) -> None:
    (tmp_path / "ben.csv").write_text(
        f"{HEAD}\nhurt,elbow_flexion,20,,0.5,measured\nhurt,r_elbow_flexion,,100,,measured\n"
    )
    file = tmp_path / "room.art"
    file.write_text(REQUEST)
    study, _, _ = study_of(art.parse(REQUEST, str(file)).requests[0])
    (there,) = study.bodies.values()
    assert limits(there, "r_elbow_flexion") == [20.0, 100.0]
    assert limits(there, "l_elbow_flexion") == [20.0, 150.0]
    assert holds(there, "right", "r_elbow_flexion") == (38.5, 23.0)
    told = " ".join(study.notes())
    assert "elbow_flexion from 20 deg with 0.5 of the strength (measured)" in told
    assert "something is held" not in told
    unloaded = art.parse(REQUEST.replace("  load: 1 kg\n", ""), str(file)).requests[0]
    told = " ".join(study_of(unloaded)[0].notes())
    assert "(measured); its strength counts where something is held" in told
    assert "shoulder_abduction" in told


REQUEST = """
primitive block(w: length, h: length, d: length) {
  properties: (fixed); geometry: cuboid(w, h, d) where { front: (0, 0, 0.5*d) }
}
world room {
  gravity: (0, -9.81, 0)
  components { floor: block(2 m, 10 cm, 2 m); shelf: block(60 cm, 2 cm, 20 cm) }
  structure {
    place floor by floor.center at (0, -5 cm, 0)
    place shelf by shelf.center at (0, 1.2 m, -90 cm)
  }
}
reach room {
  person: human_upper_body
  condition: "ben.csv", rheumatoid_arthritis
  load: 1 kg
  objects: shelf.front
}
"""


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("x,elbow,0,10,,y", "no joint 'elbow'"),
        ("x,elbow_flexion,9,1,,y", "row 2: a joint, angles with the lesser one first"),
        ("x,elbow_flexion,,,1.5,y", "a strength from 0 to 1 are told, not .* 1.5"),
        ("x,elbow_flexion,some,,,y", "row 2: low_deg is 'some'; write a number"),
        ("x,elbow_flexion,160,,,y", "nothing is left of 'l_elbow_flexion', which moves from 0 to"),
    ],
)
def test_rows_that_make_no_sense_are_told(row: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(f"{HEAD}\n{row}\n")
    with pytest.raises(art.ArticulataError, match=said):
        body(str(file))


def test_names_that_are_none_and_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(art.NameNotFound, match="no condition 'strike'; did you mean 'stroke'"):
        rows_of("strike")
    with pytest.raises(art.NameNotFound, match="no condition 'stroke up'"):
        rows_of("stroke up")
    with pytest.raises(art.FormatError, match=r"cannot be read: .*; put the file beside the text"):
        rows_of(str(tmp_path / "none.csv"))
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(art.FormatError, match="has the columns condition, joint, low_deg"):
        rows_of(str(tmp_path / "a.csv"))


def test_every_condition_that_ships_has_a_source() -> None:
    for name in CONDITIONS:
        assert all(row.source for row in rows_of(name))
