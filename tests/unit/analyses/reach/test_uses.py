"""Things that are operated and seen: proofs rechecked by what was written anew, reasons named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.mapping import mapped
from articulata.analyses.reach.objects import operating
from articulata.analyses.reach.objects.operating import Way
from articulata.analyses.reach.points.search import Case
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study
from articulata.errors import ArticulataError
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED
from articulata.records.uses import Operation, Stop

TEXT = """
primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{
    front: (0, 0, 0.5*d + 1 cm); pin: (1 m, 65 cm, -1.2 m)
  }}
}}
primitive panel {{
  properties: (fixed)
  geometry: cuboid(50 cm, 20 cm, 2 cm) where {{
    edge: (0, -10 cm, 0); handle: (0, 11 cm, 1 cm); middle: (0, 0, 1 mm)
  }}
}}
world room {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block(3 m, 10 cm, 3 m)
    cupboard: block(60 cm, 40 cm, 50 cm)
    box: block(40 cm, {box} cm, 20 cm)
    board: block(60 cm, 1.9 m, 2 cm)
    drawer, lid, loose: panel
  }}
  structure {{
    place floor by floor.center at (0, -5 cm, 0)
    place cupboard by cupboard.center at (0, {height} cm, -1.25 m)
    place box by box.center at (0, {box} cm / 2, -60 cm)
    place board by board.center at (-1.1 m, 95 cm, -1.2 m)
    place drawer by drawer.center at (0, {height} cm, -99 cm)
    join drawer to cupboard with slider(axis: z) as rail matching (center, front)
      limits (0, 40 cm)
    place lid by lid.edge at (1 m, 60 cm, -1.2 m)
    join lid to floor with pin(axis: x) as lid_pin matching (edge, {pin}){limits}
    place loose by loose.center at (-1.1 m, 1 m, -1.3 m)
  }}
}}
reach room {{
  person: {person}
  operate: drawer.handle
}}
"""
ON_FOOT, SEATED = "human_upper_body on foot", "human_upper_body on wheelchair(seat: 48 cm)"


def asked(
    box: int = 5,
    height: int = 70,
    limits: str = " limits (0, 90 deg)",
    person: str = SEATED,
    pin: str = "pin",
) -> art.Request:
    text = TEXT.format(box=box, height=height, limits=limits, person=person, pin=pin)
    return art.parse(text).requests[0]


def study(**given: int | str) -> Study:
    return study_of(asked(**given))[0]  # type: ignore[arg-type] # as the names say


@pytest.fixture(scope="module")
def seated() -> Study:
    return study()


def test_a_drawer_is_pulled_open_by_a_hand_at_its_handle(seated: Study, tmp_path: Path) -> None:
    reached = mapped(seated, np.empty((0, 3)), 0.0, (), operate=["drawer.handle"])
    found = reached.operations[0]
    assert (found.label, found.opened) == (ACCESSIBLE, 1.0)
    assert found.values is not None
    assert found.q is not None
    assert found.poses is not None
    assert found.values[[0, -1]] == pytest.approx([0.0, 0.40])
    figure = seated.bodies["manual wheelchair"].figure
    tips = figure.landmark(found.q, f"{found.hand[0]}_middle_distal_tip")[:, :3, 3]
    # G's x is W's, its y the opposite of W's z, its z W's y
    handle = np.array([[0.0, 0.98 - value, 0.81] for value in found.values])
    assert np.abs(tips - handle).max() < 1.1e-3
    assert found.poses[:, 0, 2] == pytest.approx(found.values - 0.99)
    assert (found.q >= figure.lower - 1e-9).all()
    assert (found.q <= figure.upper + 1e-9).all()
    assert np.abs(np.diff(found.q[:, 3:], axis=0)).max() < 0.5
    assert (np.abs(found.q[:, :2]) <= 1.5).all()
    assert "operated" in str(found)
    # the answer comes back from its file, and says the same again
    reached.save(tmp_path / "room.artreach")
    again = art.ReachMap.load(tmp_path / "room.artreach")
    assert again.bytes() == reached.bytes()
    assert str(again.operations[0]) == str(found)


def test_a_box_stops_the_drawer_and_is_named() -> None:
    found = study(box=90, person=ON_FOOT).operations(["drawer.handle"])[0]
    assert found.label == PROVED
    assert (found.stop, found.obstacle) == (Stop.LEAF, "box")
    # the box's face is 28 cm before the drawer's
    assert 0.40 * found.opened == pytest.approx(0.28, abs=5.5e-4)
    assert "it goes 28 of 40 cm" in found.words
    assert "'drawer' strikes 'box'" in found.words


def test_a_handle_too_high_is_no_handle() -> None:
    found = study(height=260, person=ON_FOOT).operations(["drawer.handle"])[0]
    assert (found.label, found.stop) == (PROVED, Stop.HANDLE)
    assert "too high" in found.words


def test_what_cannot_be_operated_is_said(seated: Study) -> None:
    for path, given, said in (
        ("loose.handle", {}, "on no hinge"),
        ("lid.handle", {"pin": "center"}, "'lid_pin' does not hold .*; place one of them"),
        ("lid.handle", {"limits": ""}, "has no limits"),
        ("drawer.knob", {}, "knob"),
    ):
        with pytest.raises(ArticulataError, match=said):
            (study(**given) if given else seated).operations([path])


def test_what_hangs_on_two_hinges_stands_where_both_hold_it() -> None:
    # sides of 3, 4 and 5: the bar's end stands 3 to the right and 4 up, however it was begun
    text = TEXT.format(box=5, height=70, limits="", person=ON_FOOT, pin="pin")
    text = text.replace(
        "world room",
        """primitive bar(long: length) {
  dynamics: (mass: 1 kg)
  geometry: cuboid(long, 2 cm, 2 cm) where { one: (-0.5*long, 0, 0); other: (0.5*long, 0, 0) }
}
world room""",
    ).replace("loose: panel", "loose: panel\n near: bar(50 cm)\n far: bar(40 cm)")
    text = text.replace(
        "  structure {",
        """  structure {
    join near to board with pin(axis: z) as low matching (one, front)
    join far to board with pin(axis: z) as high matching (one, aside)
    join near to far with pin(axis: z) as tip matching (other, other)
""",
    ).replace("front: (0", "aside: (30 cm, 0, 0.5*d + 1 cm); front: (0", 1)
    asked = study_of(art.parse(text).requests[0])[0]
    board, tip = asked.room.point("board.front"), asked.room.point("near.other")
    assert asked.room.point("far.other") == pytest.approx(tip, abs=1e-6)
    assert np.linalg.norm(tip - board) == pytest.approx(0.5)
    assert np.linalg.norm(tip - asked.room.point("board.aside")) == pytest.approx(0.4)


def test_a_stop_says_what_strikes() -> None:
    usual = Operation(
        "lid.handle", "manual wheelchair", "pin", NOT_FOUND, 0.5, 0.0, np.pi / 2, True
    )
    for stop, obstacle, said in (
        (Stop.DEVICE, "table", "the manual wheelchair has no room beside 'table'"),
        (Stop.DEVICE, "lid", "'lid' strikes the manual wheelchair"),
        (Stop.ARM, "shelf", "the arm strikes 'shelf'"),
        (Stop.REACH, "", "the arm does not follow"),
    ):
        found = Operation(
            usual.object, usual.mobility, usual.hinge, usual.label, usual.opened, usual.start,
            usual.end, usual.turns, stop, obstacle, bodies=("lid",),
        )  # fmt: skip
        assert said in found.words
        assert "45 of 90 deg" in found.words


def test_how_far_a_thing_goes_is_not_rounded_up_to_the_end() -> None:
    for opened, end, turns, said in (
        (0.999, 0.40, False, "it goes 39.9 of 40 cm"),
        (0.998, np.pi / 2, True, "it goes 89.8 of 90 deg"),
        (0.5, 0.125, False, "it goes 6 of 12.5 cm"),
    ):
        found = Operation(
            "drawer.handle", "on foot", "rail", PROVED, opened, 0.0, end, turns, Stop.LEAF, "box"
        )
        assert said in found.words


def no_posture(case: Case, *_: object) -> Way:
    none = np.zeros(0, int)
    return Way(np.zeros((0, case.body.figure.dof)), none, none, np.zeros(0))


def test_a_drawer_that_strikes_is_shut_for_who_finds_no_posture_at_its_handle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = study(box=90, person=ON_FOOT)
    monkeypatch.setattr(operating, "_start", no_posture)
    monkeypatch.setattr(operating, "_reached", no_posture)
    found = asked.operations(["drawer.handle"])[0]
    assert (found.label, found.stop, found.obstacle) == (PROVED, Stop.LEAF, "box")
    assert found.q is None
    assert "it goes 28 of 40 cm, then 'drawer' strikes 'box'" in found.words


def test_a_handle_that_is_reached_is_begun_at_where_no_other_posture_is_found(
    monkeypatch: pytest.MonkeyPatch, seated: Study
) -> None:
    monkeypatch.setattr(operating, "_start", no_posture)
    found = seated.operations(["drawer.handle"])[0]
    assert (found.label, found.opened) == (ACCESSIBLE, 1.0)


def test_what_is_seen_and_what_hides_it() -> None:
    looking = study(person=ON_FOOT)
    watch = [art.Watched("drawer.handle"), art.Watched("drawer.handle", 0.5)]
    watch += [art.Watched("loose.middle"), art.Watched("cupboard.center")]
    handle, near, behind, whole = looking.sightings(watch)
    assert handle.label == ACCESSIBLE
    # who stands at the counter's edge does not see below it
    assert handle.places > handle.seen > 0.95 * handle.places > 100
    assert handle.eye is not None
    assert 1.3 < handle.eye[1] < 1.7
    assert (near.label, near.obstacle) == (NOT_FOUND, "")
    # between the board and the wall-less edge of the floor some see it, nobody through the board
    assert behind.places > behind.seen
    # a body named by its middle is looked at from outside
    assert whole.label == ACCESSIBLE
    with pytest.raises(ArticulataError, match="eyes"):
        study(person="jack on foot").sightings(watch[:1])
