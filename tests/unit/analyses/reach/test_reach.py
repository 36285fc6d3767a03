"""What people reach in a small room: proofs rechecked, bounds, reasons, remedies, errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

import articulata as art
from articulata.analyses.reach.notes import notes_of
from articulata.analyses.reach.one_person.bare_reach import COARSE
from articulata.analyses.reach.one_person.body import Capability, body_of
from articulata.analyses.reach.one_person.bounds import reach_bound_of
from articulata.analyses.reach.one_person.envelope import Envelope
from articulata.analyses.reach.points.labelling import labels_of
from articulata.analyses.reach.reach_question import grid_of, study_of
from articulata.analyses.reach.study import Study
from articulata.analyses.reach.surroundings.room import room_of
from articulata.analyses.reach.ways.footprints import ChairFootprint, footprint_of
from articulata.analyses.reach.ways.standing_places import places_of
from articulata.kernels.chains.iterative_solvers.graphics import device
from articulata.kernels.lanes.host import THREADS_VARIABLE
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED
from articulata.records.reach_verdicts import ReachReason
from articulata.report.reach_document import document as document_of
from rooms import TEXT, document, stands


@pytest.fixture(scope="module")
def study() -> Study:
    return study_of(document().requests[0])[0]


@pytest.fixture(scope="module")
def reached() -> ReachMap:
    return art.reach(document().requests[0])


def test_no_graphics_card_is_asked(reached: ReachMap, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(targets: int, joints: int) -> bool:
        raise AssertionError(f"a device is asked for {targets} targets")

    monkeypatch.setattr(device, "wanted", asked)
    monkeypatch.setenv(THREADS_VARIABLE, "1")
    again = art.reach(document().requests[0])
    for name, part in reached.parts.items():
        np.testing.assert_array_equal(again.parts[name].label, part.label)


def test_no_posture_goes_beyond_the_bound() -> None:
    body = body_of(art.figure("human_upper_body"), footprint_of(art.OnFoot()), Capability())
    chain = body.arms["right"]
    bound = reach_bound_of(chain)
    rng = np.random.default_rng(2)
    q = rng.uniform(chain.lower, chain.upper, (800, chain.dof))
    ends = rng.random(q.shape)
    q = np.where(ends < 0.3, chain.lower, np.where(ends > 0.7, chain.upper, q))
    tips = chain.tip(q)[:, :3, 3]
    far = np.hypot(tips[:, 0], tips[:, 1])
    assert (far <= bound.farthest(tips[:, 2]) + 1e-9).all()
    # and it is no empty one: an arm stretched out ahead comes to within a centimetre of it
    tip = chain.tip(chain.inverse([30.0, 0.0, 1.3]).q)[:3, 3]
    assert -1e-9 < bound.slices(tip[2:])[:, 0, 0].max() - tip[0] < 0.01


def test_where_a_chair_stands_is_what_a_sweep_over_places_finds() -> None:
    world = document().world("room")
    room = room_of(world, door="door")
    chair = footprint_of(art.Wheelchair())
    places = places_of(room, chair, 0.56)
    assert places.reached
    rng = np.random.default_rng(0)
    own = [tuple(row) for row in ChairFootprint()._boxes()]
    for k in range(0, len(places.turns), 5):
        free = places.free[k]
        for x, y in rng.uniform((-1.2, -2.6), (1.2, 0.0), (60, 2)):
            base = np.array([x, y, places.turns[k]])
            if free.buffer(-1e-3).contains(shapely.Point(x, y)):
                assert stands(base, own)
            elif stands(base, own):
                # free but shut off from the door, or beside the polygon drawn about the hall
                possible = places.possible[k].buffer(1e-3).contains(shapely.Point(x, y))
                assert not free.buffer(1e-3).contains(shapely.Point(x, y)) or possible


def test_a_door_too_narrow_shuts_the_chair_out() -> None:
    world = document().world("room")
    pose = world.bodies["right"].pose
    narrow = world.edit([art.Place("right", art.Pose((1.25, 1.2, 1.31), pose.orientation))])
    reached = about(narrow, ["counter.front"], mobility=(art.OnFoot(), art.Wheelchair()))
    assert reached.verdict("counter.front", "on foot").accessible
    verdict = reached.verdict("counter.front", "manual wheelchair")
    assert (verdict.label, verdict.reason) == (PROVED, ReachReason.NO_WAY)
    assert "no way to it from the door" in str(verdict)


def seated(shelf: float, *, remedies: bool = False) -> art.Verdict:
    reached = art.reach(
        document(shelf).world("room"),
        person="human_upper_body",
        mobility=art.Wheelchair(),
        objects=["shelf.front"],
        grid=None,
        remedies=remedies,
    )
    return reached.verdict("shelf.front", "manual wheelchair")


def test_a_raised_shelf_flips_the_verdict_and_the_remedy_names_it() -> None:
    assert seated(1.1).accessible
    after = seated(1.7, remedies=True)
    assert not after.accessible
    assert after.remedy is not None
    assert (after.remedy.kind, after.remedy.what) == ("lower", "shelf")
    assert seated(1.7 - after.remedy.by).accessible


@pytest.mark.parametrize("height", [1.25, 1.31, 1.34])
def test_an_object_at_the_edge_of_reach_is_found(height: float) -> None:
    # one hand alone was found to reach it where two, which share the search's effort, were not
    assert seated(height).accessible


def test_one_point_too_low_is_told_so() -> None:
    # nothing but this point is asked about: no other height says where the reach begins
    text = TEXT.format(shelf=1.4).replace("approach:", "lean: 0 deg\n  approach:")
    case = study_of(art.parse(text).requests[0])[0].case("on foot")
    for height, reason in ((0.1, ReachReason.TOO_LOW), (2.6, ReachReason.TOO_HIGH)):
        found = labels_of(case, np.array([[0.8, -1.3, case.room.level + height]]))
        assert (found.label[0], found.reason[0]) == (PROVED, int(reason))


def test_what_a_person_is_able_to_is_said_in_a_text() -> None:
    able = "lean: 10 deg; limits: r_elbow_flexion from 10 deg to 60 deg; hands: right"
    text = TEXT.format(shelf=1.1).replace("approach:", f"{able}\n  approach:")
    request = art.parse(text).requests[0]
    study, objects, _ = study_of(request, Capability(lean=1.0, limits={"vl3_flexion": (0.0, 0.1)}))
    figure = study.bodies["on foot"].figure
    elbow, spine = (figure.coordinate(name) for name in ("r_elbow_flexion", "vl3_flexion"))
    np.testing.assert_allclose(figure.lower[[3, elbow]], np.radians([0.0, 10.0]))
    np.testing.assert_allclose(figure.upper[[3, elbow, spine]], [*np.radians([10.0, 60.0]), 0.1])
    for each in study.verdicts(objects, remedies=False):
        if each.q is not None:
            assert np.radians(10.0) <= each.q[elbow] <= np.radians(60.0)
            assert each.hand == "right"
    for wrong, said in (
        ("lean: 120 deg", "not 120 deg .write an angle between these"),
        ("lean: 15", "not 859.437 deg .write 15 deg"),
        ("limits: r_elbow_flexion from 60 deg to 10 deg", "write the lesser angle first"),
        ("limits: r_elbo_flexion from 0 deg to 10 deg", "did you mean 'r_elbow_flexion'"),
        ("limits: r_middle_distal_tip from 0 deg to 10 deg", "no joint 'r_middle_distal_tip'"),
        ("limits: r_elbow_flexion from 90 deg", "r_elbow_flexion from 90 deg to 90 deg"),
    ):
        with pytest.raises(art.WorldError, match=said):
            assert not art.parse(text.replace(able, wrong)).requests


def test_limits_without_end_are_refused() -> None:
    able = Capability(limits={"r_elbow_flexion": (-np.inf, np.inf)})
    with pytest.raises(art.KinematicsError, match="not -inf and inf"):
        body_of(art.figure("human_upper_body"), footprint_of(art.OnFoot()), able)


def limited(limits: str, person: str = "human_upper_body") -> art.Request:
    able = f"limits: {limits}\n  approach:"
    text = TEXT.format(shelf=1.1).replace("approach:", able)
    return art.parse(text.replace("human_upper_body", person)).requests[0]


def test_stiff_hips_keep_the_trunk_upright_and_the_feet_on_the_floor() -> None:
    stiff = "r_hip_flexion from 0 deg to 5 deg, l_hip_flexion from -30 deg to 40 deg"
    study, _, _ = study_of(limited(stiff, "person"))
    body = study.bodies["on foot"]
    assert body.lean == pytest.approx(np.radians(5.0))
    bent = np.zeros((1, len(body.columns["right"])))
    bent[0, 0] = body.lean  # an arm's chain begins with the lean
    upright = np.zeros_like(bent)
    soles = [
        body.figure.landmark(body.postures("right", np.zeros((1, 3)), q)[0], "r_sole")[:3, 3]
        for q in (upright, bent)
    ]
    np.testing.assert_allclose(soles[0], soles[1], atol=1e-12)
    # who sits has bent the hips as far as the stiff one allows: nothing is left to lean
    assert [each.lean for each in study.bodies.values() if each.footprint.seat] == [0.0]


def test_the_record_keeps_what_people_are_able_to() -> None:
    asked = limited("r_elbow_flexion from 10 deg to 60 deg")
    settings = art.reach(asked, grid=None, remedies=False).settings
    for name in settings["mobility"]:
        assert settings["limits"][name]["r_elbow_flexion"] == pytest.approx(
            np.radians([10.0, 60.0]).tolist()
        )
        assert settings["hands"][name] == ["right", "left"]


def test_lists_are_not_words() -> None:
    world = art.parse(TEXT.format(shelf=1.1)).world("room")
    for name in ("objects", "operate", "watch", "rules"):
        with pytest.raises(art.WorldError, match=rf"{name} are several; give {name}=\['a'\]"):
            art.reach(world, **{name: "a"})
    with pytest.raises(art.WorldError, match="a number of N, not '5'"):
        art.reach(world, objects=["shelf"], forces={"shelf": "5"})  # type: ignore[dict-item]
    with pytest.raises(art.WorldError, match="off by an angle, not 'x'"):
        art.Aligned("shelf", palm=(0, -1, 0), within="x")  # type: ignore[arg-type]


def test_a_stiff_joint_keeps_its_angle() -> None:
    study, objects, _ = study_of(limited("r_elbow_flexion from 90 deg to 90 deg"))
    elbow = study.bodies["on foot"].figure.coordinate("r_elbow_flexion")
    right = [each for each in study.verdicts(objects[:1], remedies=False) if each.q is not None]
    assert right
    for each in right:
        assert each.q is not None
        assert each.q[elbow] == pytest.approx(np.pi / 2)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("r_elbow_flexion from 0 deg to 1000 deg", "moves from 0 to 150 deg; write angles within"),
        ("r_elbow_flexion from 0 to 90", "0 to 150 deg; write from 0 deg to 90 deg"),
        ("r_elbow_flexion from -100 deg to -50 deg", "moves from 0 to 150 deg"),
        ("sacroiliac from 0 deg to 10 deg", r":\d+:\d+: .*no joint 'sacroiliac' that turns"),
    ],
)
def test_limits_of_a_text_lie_within_those_of_the_figure(limits: str, said: str) -> None:
    with pytest.raises(art.ArticulataError, match=said):
        study_of(limited(limits))


def test_limits_that_leave_out_how_a_person_sits_are_told() -> None:
    study, _, _ = study_of(limited("r_hip_flexion from 0 deg to 10 deg", "person"))
    (told,) = [each for each in study.notes(()) if "r_hip_flexion" in each]
    assert told.startswith("manual wheelchair: the limits of 'r_hip_flexion' leave out the seated")


def test_a_map_comes_back_from_its_file_with_the_same_bytes(
    reached: ReachMap, tmp_path: Path
) -> None:
    file = tmp_path / "room.artreach"
    reached.save(file)
    again = art.ReachMap.load(file)
    assert again.bytes() == reached.bytes() == file.read_bytes()
    assert [str(v) for v in again.verdicts] == [str(v) for v in reached.verdicts]
    point = int(np.flatnonzero(again.parts["on foot"].label == ACCESSIBLE)[0])
    assert (again.parts["on foot"].posture(point) == reached.parts["on foot"].posture(point)).all()
    file.write_bytes(b"no archive")
    with pytest.raises(art.RecordingError, match="no map of reach"):
        art.ReachMap.load(file)


def test_someone_who_walks_reaches_higher_than_someone_who_sits(reached: ReachMap) -> None:
    up = reached.points[:, 1]
    highest = {way: up[part.label == ACCESSIBLE].max() for way, part in reached.parts.items()}
    assert highest["on foot"] > highest["manual wheelchair"] + 0.2
    for part in reached.parts.values():
        assert part.share(NOT_FOUND) < 0.35
        assert part.share(ACCESSIBLE) > 0.3


def test_the_page_says_what_is_reached_in_all(reached: ReachMap) -> None:
    page = document_of(reached)
    for part in reached.parts.values():
        assert f"2 of 2 objects reached; of the points {part.share(ACCESSIBLE):.1%}" in page or (
            f"1 of 2 objects reached; of the points {part.share(ACCESSIBLE):.1%}" in page
        )
        assert f"{part.share(NOT_FOUND):.1%} not found" in page


def test_one_thread_gives_the_same_bytes_and_verdicts_come_first(
    reached: ReachMap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, "1")
    heard: list[str] = []
    again = art.reach(
        document().requests[0],
        told=lambda verdicts: heard.extend(map(str, verdicts)),
        progress=lambda done, total: heard.append("map") if done else None,
    )
    assert again.bytes() == reached.bytes()
    assert heard[: heard.index("map")] == [str(each) for each in reached.verdicts]


def test_postures_of_an_envelope_are_where_they_say() -> None:
    body = body_of(art.figure("human_upper_body"), footprint_of(art.Wheelchair()), Capability())
    envelope = Envelope(body)
    (level,) = envelope.levels([0.9], COARSE)
    assert (np.diff(level.cost) >= 0.0).all()
    tips = np.stack(
        [
            body.figure.landmark(envelope.postures[level.row], f"{side}_middle_distal_tip")
            for side in "rl"
        ]
    )[level.hand, np.arange(len(level.row)), :3, 3]
    wanted = np.column_stack([level.offset, np.full(len(level.row), 0.9)])
    assert np.linalg.norm(tips - wanted, axis=1).max() <= 1e-3


def test_what_a_person_reaches_is_shared_by_her_ways_to_move() -> None:
    figure = art.figure("human_upper_body")
    foot, walker = (
        body_of(figure, footprint_of(way), Capability()) for way in (art.OnFoot(), art.Walker())
    )
    first = Envelope(foot)
    first.levels([0.5], COARSE)
    shared, alone = Envelope(walker, like=first), Envelope(walker)
    assert shared.bare is first.bare
    (mine,), (own,) = (each.levels([0.5], COARSE) for each in (shared, alone))
    assert (mine.offset == own.offset).all()
    assert (shared.postures == alone.postures).all()
    # the bar of a walker is in the way of some
    assert len(mine.row) < len(first.level(0.5, COARSE).row)
    seated = body_of(figure, footprint_of(art.Wheelchair()), Capability())
    assert not first.bare.like(seated)


def test_sides_that_are_unlike_are_not_taken_for_pictures() -> None:
    figure, chair = art.figure("human_upper_body"), footprint_of(art.Wheelchair())
    alike = Envelope(body_of(figure, chair, Capability()))
    assert alike.bare.mirror is not None
    q = np.random.default_rng(0).uniform(-0.3, 0.3, (4, figure.dof + 4))
    q[:, :3] = 0.0
    tips = [
        alike.body.figure.landmark(each, f"{side}_middle_distal_tip")[:, :3, 3]
        for each, side in ((q, "r"), (alike.bare.mirror.of(q), "l"))
    ]
    np.testing.assert_allclose(tips[0] * (1, -1, 1), tips[1], atol=1e-9)
    stiff = Capability(limits={"l_elbow_flexion": (1.0, 1.5)})
    assert Envelope(body_of(figure, chair, stiff)).bare.mirror is None
    assert Envelope(body_of(figure, chair, Capability(hands=("left",)))).bare.mirror is None


@pytest.mark.parametrize(
    ("height", "weight", "told"),
    # the shortest and the lightest of ANSUR II: 1.409 m and 35.8 kg; the tallest 1.993 m
    [
        (1.30, 40.0, ["1.3 m"]),
        (1.40, 35.0, ["1.4 m", "35 kg"]),
        (1.41, 36.0, []),
        (1.99, 90.0, []),
        (2.05, 90.0, ["2.05 m"]),
    ],
)
def test_who_is_beyond_all_who_were_measured_is_extrapolated(
    height: float, weight: float, told: list[str]
) -> None:
    person = art.figure("person", height=height, weight=weight)
    body = body_of(person, footprint_of(art.OnFoot()), Capability())
    room = room_of(document().world("room"))
    found = [each for each in notes_of(room, "on foot", body) if "extrapolated" in each]
    assert [each.partition(" was")[0] for each in found] == [
        f"on foot: nobody of {t}" for t in told
    ]


def test_a_child_says_what_stands_behind_its_measures() -> None:
    body = body_of(art.figure("person", age=8), footprint_of(art.OnFoot()), Capability())
    (told,) = [
        each
        for each in notes_of(room_of(document().world("room")), "on foot", body)
        if "child" in each
    ]
    assert told.startswith("on foot: a child of 8 years, 1.28 m and 25.6 kg: ")
    for source in ("Snyder 1977", "CDC 2000", "Jensen", "not measured on children", "an adult's"):
        assert source in told


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"postures": 0}, "the best of 0 postures"),
        ({"postures": 2.5}, "the best of 2.5 postures"),
        ({"seed": -1}, "a seed is a whole number, 0 or more, not -1"),
        ({"mobility": "on foot"}, "nobody moves by 'on foot'; give mobility=art.OnFoot"),
        ({"objects": ["taps.lever"]}, "taps"),
        ({"grid": 0.001}, "at least 1 cm"),
        ({"grid": 9.0}, "no point of a grid of 9 m lies over the floor"),
        ({"mobility": ()}, "nobody reaches"),
        ({"person": "planar_4_2_1"}, "no right hand"),
        ({"floor": "door"}, "no shape"),
        ({"capability": Capability(lean=3.0)}, "0 to 90 deg"),
        ({"capability": Capability(hands=())}, "at least one hand"),
    ],
)
def test_what_cannot_be_asked_is_said(given: dict[str, object], said: str) -> None:
    world = document().world("room")
    asked: dict[str, object] = {"person": "human_upper_body", "grid": None, **given}
    with pytest.raises(art.ArticulataError, match=said):
        art.reach(world, **asked)  # type: ignore[arg-type] # wrong on purpose


def test_a_room_without_a_floor_is_refused() -> None:
    world = art.parse(
        "primitive box { geometry: cuboid(1 m, 1 m, 1 m) }\nworld void { components { a: box } }"
    ).world()
    with pytest.raises(art.WorldError, match="no floor to stand on"):
        art.reach(world, person="human_upper_body")


def test_a_grid_lies_within_the_floor(study: Study) -> None:
    points = grid_of(study.room, 0.3)
    assert points[:, 1].min() == pytest.approx(0.3)
    assert np.abs(points[:, 0]).max() < 1.2
    assert 0.0 < points[:, 2].min() < points[:, 2].max() < 2.6


@pytest.mark.parametrize(
    ("right", "wrong", "place", "said"),
    [
        ("on foot,", "on foot, person(170) on foot,", "29:37", "'height' of 'person' lies from"),
        ("grid 30 cm", "grid 5 mm", "30:16", "at least 1 cm apart, not 0.005 m"),
    ],
)  # fmt: skip
def test_what_people_and_grids_cannot_be_is_told_at_its_place(
    right: str, wrong: str, place: str, said: str
) -> None:
    text = TEXT.format(shelf=1.15).replace(right, wrong)
    with pytest.raises(art.WorldError, match=rf"(?s){place}.*{said}"):
        art.reach(art.parse(text).requests[0])


def test_who_reaches_is_due() -> None:
    text = "\n".join(line for line in TEXT.format(shelf=1).split("\n") if "person:" not in line)
    (finding,) = art.parse(text).check()
    assert finding.suggestion == "add person: person"


def test_points_by_name_are_objects_and_numbers_are_refused() -> None:
    text = TEXT.format(shelf=1.4)
    named = art.parse(text.replace("points: grid 30 cm in floor", "points: counter.top"))
    assert study_of(named.requests[0])[1] == ("counter.front", "shelf.front", "counter.top")
    numbers = art.parse(text.replace("points: grid 30 cm in floor", "points: (0, 1, 1)"))
    with pytest.raises(art.WorldError, match="a point in numbers"):
        study_of(numbers.requests[0])


def test_a_grid_in_furniture_is_no_grid_over_the_floor_and_that_is_said() -> None:
    text = TEXT.format(shelf=1.4)
    study, objects, _ = study_of(art.parse(text.replace("in floor", "in counter")).requests[0])
    assert study.notes(objects)[0] == (
        "'counter' is taken for the floor, because the grid lies in it; write points: grid 5 cm in "
        "floor to stand on 'floor'"
    )
    plain = study_of(art.parse(text).requests[0])[0]
    assert not any("taken for the floor" in each for each in plain.notes())


def about(world: art.World, objects: list[str], **more: object) -> ReachMap:
    asked: dict[str, object] = {"mobility": art.OnFoot(), **more}
    return art.reach(
        world, person="human_upper_body", objects=objects, grid=None, remedies=False, **asked
    )  # type: ignore[arg-type] # values of several kinds


def test_a_device_wider_than_the_door_finds_no_way_in() -> None:
    world = document().world("room")
    wide = about(world, ["counter.front"], mobility=art.Wheelchair(width=1.3))
    (verdict,) = wide.verdicts
    assert not verdict.accessible
    assert "no way to it from the door" in str(verdict)
    (note,) = wide.notes
    assert "what takes 1.3 m by 1.2 m finds no way from the door to" in note
    (note,) = about(world, ["counter.front"], mobility=art.Walker(1.4)).notes
    assert "what takes 2.8 m by 2.8 m has room nowhere on the floor, 2.40 m by 2.60 m" in note


def test_what_an_object_lies_within_is_named() -> None:
    world = document().world("room").edit([art.Place("shelf", art.Pose((-0.6, 0.5, 0.3)))])
    own, other = art.reach(
        world, person="human_upper_body", mobility=art.OnFoot(), objects=["back", "shelf.front"],
        grid=None,
    ).verdicts  # fmt: skip
    assert str(own).endswith("out of reach: it lies within 'back'; name a feature on its surface")
    assert str(other).endswith("it lies within 'counter'; bring 'shelf' by 20 cm along z")
    assert str(replace(other, remedy=None)).endswith("within 'counter'; move one of the two")


def test_what_else_is_to_be_known_is_said() -> None:
    world = art.parse(TEXT.format(shelf=1.4).replace(
        "place door by", "place near by near.center at (0, 1.2, 2.65)\n    place door by"
    ).replace("door: fixed_point", "door: fixed_point; lintel: block(0.1, 0.8, 1.1)").replace(
        "place door by", "place lintel by lintel.center at (1.25, 2.0, 2.05)\n    place door by"
    )).world("room")  # fmt: skip
    moved = world.edit([art.Place("shelf", art.Pose((5.0, 1.0, 0.0)))])
    bent = Capability(limits={"l_elbow_flexion": (1.0, 1.5)})
    reached = about(moved, ["shelf.front", "counter.front", "back"], capability=bent)
    taller, neutral, outside = reached.notes
    assert "the door is 1.60 m high" in taller
    assert "'l_elbow_flexion' leave out the neutral posture" in neutral
    assert "'shelf.front' lies outside the room, 3.80 m" in outside
    far, near, inside = reached.verdicts
    assert far.reason == ReachReason.TOO_FAR
    assert inside.reason == ReachReason.INSIDE
    # the idle arm keeps its limits too
    assert near.q is not None
    figure = study_of(document().requests[0])[0].bodies["on foot"].figure
    elbow = figure.coordinate("l_elbow_flexion")
    assert 1.0 - 1e-9 <= near.q[elbow] <= 1.5 + 1e-9


def test_people_with_a_tape_are_told_in_the_words_of_a_text() -> None:
    taped = "person(1.62 m, 60 kg, woman, shoulder_height: 1.33 m, arm_reach: 0.74 m)"
    young = "person(child, woman, age: 8)"
    text = TEXT.format(shelf=1.4)
    two = f"{taped} on foot, {young} on foot"
    text = text.replace("human_upper_body on foot, human_upper_body on wheelchair", two)
    assert study_of(art.parse(text).requests[0])[0].names == (
        f"{taped} on foot",
        f"{young} on foot",
    )


def test_people_of_one_figure_are_told_apart_by_its_parameters() -> None:
    two = "person(1.60 m) on foot, person(1.85 m) on foot, person(1.85 m) on wheelchair"
    text = TEXT.format(shelf=1.4)
    text = text.replace("human_upper_body on foot, human_upper_body on wheelchair", two)
    assert study_of(art.parse(text).requests[0])[0].names == (
        "person(1.6 m) on foot", "person(1.85 m) on foot", "person(1.85 m) manual wheelchair",
    )  # fmt: skip
    text = text.replace(two, "person(1.60 m) on foot, person(1.60 m) on wheelchair")
    assert study_of(art.parse(text).requests[0])[0].names == ("on foot", "manual wheelchair")
