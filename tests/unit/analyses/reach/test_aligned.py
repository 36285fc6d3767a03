"""Things touched with the hand in a direction: proofs checked afresh, labels, words and records."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.one_person.body import Capability
from articulata.analyses.reach.points.aligning import held_from
from articulata.analyses.reach.points.surface_shares import reached_from
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Reacher, Study
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED, plain
from articulata.records.reach_verdicts import ReachReason, verdict_from
from articulata.report.reach_document import document as page
from articulata.world.requests.reach import Aligned, ReachQuestion
from reach_checks import check_postures, poses_of
from rooms import TEXT, document

Way = tuple[float, float, float]


@pytest.fixture(scope="module")
def study() -> Study:
    return study_in(1.4)


def study_in(shelf: float) -> Study:
    figure = art.figure("human_upper_body")
    people = [Reacher(figure, way, Capability()) for way in (art.OnFoot(), art.Wheelchair())]
    return Study(document(shelf).world("room"), people)


def hand_ways(study: Study, verdict: art.Verdict) -> dict[str, np.ndarray]:
    """Return where a verdict's hand points in W, by forward kinematics written afresh.

    In the link of the hand the fingers go along -y; the palm faces x of the right hand and -x of
    the left one, the thumb is towards z.
    """
    case = study.case(verdict.mobility)
    figure = case.body.figure
    assert verdict.q is not None
    side = verdict.hand[0]
    number = [j.name for j in figure.joints].index(f"{side}_radiocarpal_deviation")
    R = case.room.X_WG[:3, :3] @ poses_of(figure, verdict.q[None])[0, number, :3, :3]
    inward = 1.0 if side == "r" else -1.0
    return {"finger": -R[:, 1], "palm": inward * R[:, 0], "thumb": R[:, 2]}


@pytest.mark.parametrize(
    "ways",
    [
        {"palm": (0, -1, 0)},
        {"palm": (0, 2, 0)},
        {"finger": (0, 0, -1)},
        {"finger": (0, -1, 0)},
        {"thumb": (0, 1, 0)},
        {"finger": (0, 0, -1), "palm": (0, -1, 0)},
        {"finger": (0, -1, 0), "thumb": (0, 0, -1)},
    ],
)
def test_a_posture_proves_that_the_hand_is_held_so(study: Study, ways: dict[str, Way]) -> None:
    asked = Aligned("counter.front", **ways)
    verdicts = study.verdicts([asked], remedies=False)
    assert verdicts[0].label == ACCESSIBLE
    for verdict in verdicts:
        if verdict.label != ACCESSIBLE:
            assert (verdict.label, verdict.reason) == (NOT_FOUND, ReachReason.NOT_HELD)
            continue
        check_held(study, verdict, asked)


def test_a_whole_person_holds_the_hand_so_too() -> None:
    people = [Reacher(art.figure("person"), art.OnFoot(), Capability())]
    whole = Study(document().world("room"), people)
    asked = Aligned("counter.front", finger=(0, 0, -1), palm=(0, -1, 0))
    (verdict,) = whole.verdicts([asked], remedies=False)
    assert verdict.label == ACCESSIBLE
    check_held(whole, verdict, asked)


def check_held(study: Study, verdict: art.Verdict, asked: Aligned) -> None:
    """Check that a verdict's posture holds the hand as asked, touches the thing and is free."""
    assert verdict.q is not None
    points = hand_ways(study, verdict)
    for name, way in asked.axes.items():
        cosine = points[name] @ np.array(way)
        assert np.arccos(min(cosine, 1.0)) <= asked.within + 1e-9, str(verdict)
    case = study.case(verdict.mobility)
    hands = np.array([case.envelope.hands.index(verdict.hand)])
    point = case.room.into(verdict.point)[None]
    worst = check_postures(case, point, verdict.q[None], hands)
    assert worst["miss"] <= 1e-3 + 1e-9
    assert worst["beyond"] <= 1e-9
    assert worst["deep"] <= 1e-6
    assert worst["shut"] == 0
    assert case.envelope.free(verdict.q[None], hands).all()


def test_only_the_direction_fails_and_that_is_said(study: Study) -> None:
    plain, up = (
        study.verdicts([each], who=["on foot"], remedies=False)[0]
        for each in ("shelf.front", Aligned("shelf.front", finger=(0, 1, 0)))
    )
    assert plain.accessible
    assert (up.label, up.reason, up.q) == (NOT_FOUND, ReachReason.NOT_HELD, None)
    assert up.words.startswith("not found: touched, but ")
    assert "finger pointing y" in up.words
    # what is allowed to be off as much as the best was is reached
    assert up.off is not None
    wide = Aligned("shelf.front", finger=(0, 1, 0), within=up.off + 0.01)
    assert study.verdicts([wide], who=["on foot"], remedies=False)[0].accessible


def test_how_far_off_is_not_told_where_nothing_is_free(study: Study) -> None:
    # every posture is begun where the base stands in the counter
    asked = Aligned("counter.front", palm=(0, -1, 0))
    case = study.case("on foot")
    middle, p = (case.room.point(each) for each in ("counter.center", "counter.front"))
    q = case.envelope.postures[:20].copy()
    q[:, :2] = middle[:2]
    found = held_from(case, p, asked, q, case.envelope.hand_of[:20])
    assert (found.q, found.off) == (None, None)
    (verdict,) = study.verdicts([asked], who=["on foot"], remedies=False)
    missed = replace(
        verdict, label=NOT_FOUND, reason=ReachReason.NOT_HELD, q=None, off=None, obstacle=""
    )
    assert missed.words == (
        "not found: touched, but nothing that is free was found with palm pointing -y"
    )
    assert verdict_from(plain(missed)).off is None


def test_a_proof_stays_one_and_a_remedy_keeps_the_direction(study: Study) -> None:
    world = study.world.edit([art.Place("shelf", art.Pose((-0.6, 3.2, 0.15)))])
    far = Aligned("shelf.front", palm=(0, -1, 0))
    (high,) = art.reach(
        world, person="human_upper_body", mobility=art.OnFoot(), objects=[far], grid=None,
        remedies=False,
    ).verdicts  # fmt: skip
    assert high.label == PROVED
    assert high.aligned == far
    asked = Aligned("shelf.front", palm=(0, -1, 0))
    study = study_in(1.5)
    (seated,) = study.verdicts([asked], who=["manual wheelchair"])
    assert seated.remedy is not None
    assert seated.remedy.kind == "lower"
    x, y, z = study.world.bodies["shelf"].pose.position
    lower = art.Place("shelf", art.Pose((x, y - seated.remedy.by, z)))
    (mended,) = art.reach(
        study.world.edit([lower]), person="human_upper_body", mobility=art.Wheelchair(),
        objects=[asked], grid=None, remedies=False,
    ).verdicts  # fmt: skip
    assert mended.accessible


def test_from_one_place_the_hand_is_held_so_too(study: Study) -> None:
    asked = Aligned("counter.front", palm=(0, -1, 0))
    (verdict,) = study.verdicts([asked], who=["on foot"], remedies=False)
    case = study.case("on foot")
    point = case.room.into(verdict.point)
    assert verdict.base is not None
    found = reached_from(case, verdict.base, point, asked)
    assert found is not None
    off = case.body.figure.landmark(found[0], f"{found[1][0]}_grip")[:3, 2] @ (0, 0, -1)
    assert np.arccos(off) <= asked.within + 1e-9
    behind = Aligned("counter.front", finger=(0, 1, 0), within=0.05)
    assert reached_from(case, verdict.base, point, behind) is None


def test_a_text_asks_for_directions_and_the_record_keeps_them(tmp_path: Path) -> None:
    said = "counter.front palm pointing -y within 20 deg, shelf.front finger pointing (0, 3, 0)"
    text = TEXT.format(shelf=1.4).replace("counter.front, shelf.front", said)
    parsed = art.parse(text.replace("points: grid 30 cm in floor", ""))
    question = parsed.requests[0].question
    assert isinstance(question, ReachQuestion)
    assert question.objects == (
        Aligned("counter.front", palm=(0.0, -1.0, 0.0), within=np.radians(20.0)),
        Aligned("shelf.front", finger=(0.0, 1.0, 0.0)),
    )
    assert art.parse(parsed.text).requests[0].question == question
    reached = art.reach(parsed.requests[0], remedies=False)
    assert reached.things == question.objects
    assert reached.objects == ("counter.front", "shelf.front")
    reached.save(tmp_path / "a.artreach")
    again = art.ReachMap.load(tmp_path / "a.artreach")
    assert again.bytes() == reached.bytes()
    assert [each.words for each in again.verdicts] == [each.words for each in reached.verdicts]
    assert [(row["held"], row["object"]) for row in reached.rows()][::2] == [
        ("palm pointing -y", "counter.front"),
        ("finger pointing y", "shelf.front"),
    ]
    shown = page(reached)
    assert "palm pointing -y within 20 deg" in shown
    assert "touched, but" in shown
    assert study_of(parsed.requests[0])[1] == question.objects


def test_shares_of_people_know_directions() -> None:
    ways = [None, (0.0, 1.0, 0.0)]
    shares = [
        art.reach(
            document().world("room"), person=art.Population(2), mobility=art.OnFoot(), grid=None,
            objects=["shelf.front" if way is None else Aligned("shelf.front", finger=way)],
            remedies=False,
        ).shares[0]
        for way in ways
    ]  # fmt: skip
    assert [each.reached for each in shares] == [2, 0]
    assert shares[1].excluded == 0


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        ({}, "not said where the hand points"),
        ({"palm": (0, 0, 0)}, "not all 0"),
        ({"palm": (0, float("nan"), 0)}, "not all 0"),
        ({"palm": (0, 1, 0), "finger": (0, 1, 1)}, "palm and finger of a hand are at right angles"),
        ({"palm": (1, 0, 0), "finger": (0, 1, 0), "thumb": (0, 0, 1)}, "remove one of the three"),
        ({"palm": (0, 1, 0), "within": 0.0}, "more than 0 and up to 180 deg"),
    ],
)
def test_directions_that_no_hand_has(ways: dict[str, Way], said: str) -> None:
    with pytest.raises(art.WorldError, match=said):
        Aligned("tap", **ways)  # type: ignore[arg-type] # within is a number


@pytest.mark.parametrize("way", [(0, 1), "-y", (0, 1, "a"), 3.0])
def test_directions_that_are_not_three_numbers(way: object) -> None:
    with pytest.raises(art.WorldError, match=r"'tap': the palm points along three numbers"):
        Aligned("tap", palm=way)  # type: ignore[arg-type] # what users write


def test_directions_of_any_numbers_are_kept_as_floats() -> None:
    asked = Aligned("tap", palm=np.array([0, -1, 0]))  # type: ignore[arg-type] # an array
    assert asked == Aligned("tap", palm=(0.0, -1.0, 0.0))
    assert [type(each) for each in asked.palm or ()] == [float] * 3
    assert json.loads(json.dumps(asdict(asked)))["palm"] == [0.0, -1.0, 0.0]


@pytest.mark.parametrize(
    ("said", "column", "message"),
    [
        ("tap plam pointing -y", 5, "'plam' is not known in 'objects:'"),
        ("tap palm pointing -y palm pointing y", 22, "'palm' is said twice in 'objects:'"),
        ("tap palm pointing -y finger pointing (0, 1, 1)", 19, "'door': palm and finger of a hand"),
        ("tap within 20 deg", 12, "'door': it is not said where the"),
        ("tap palm pointing -y within 200 deg", 29, "'door': a hand is off by more than 0"),
        ("tap palm pointing -y, tap", 23, "'objects:' says this twice"),
        ("tap palm pointing 3", 19, "a direction"),
    ],
)
def test_mistakes_in_a_text_have_their_place(said: str, column: int, message: str) -> None:
    text = TEXT.format(shelf=1.4).replace("counter.front, shelf.front", said.replace("tap", "door"))
    found = [each for each in art.parse(text).check() if each.severity == "error"]
    (line,) = [row for row in text.splitlines() if "objects:" in row]
    start = line.index("objects: ") + len("objects: ")
    assert [each.message.startswith(message) for each in found] == [True], found
    assert found[0].column == start + column + (1 if column > 4 else 0)
    assert found[0].suggestion


def test_a_figure_that_does_not_say_where_its_palms_are() -> None:
    with pytest.raises(art.ArticulataError, match="give it a landmark r_grip on its right hand"):
        art.reach(
            document().world("room"), person="jack_1995", mobility=art.OnFoot(), grid=None,
            objects=[Aligned("shelf.front", palm=(0, 1, 0))],
        )  # fmt: skip
    with pytest.raises(art.WorldError, match=r"'shelf.front' is asked about twice"):
        art.reach(
            document().world("room"), person="human_upper_body", mobility=art.OnFoot(),
            objects=["shelf.front", Aligned("shelf.front", palm=(0, 1, 0))], grid=None,
        )  # fmt: skip


HIGH_DESK = """
primitive block(w: length, h: length, d: length) {
  properties: (fixed); geometry: cuboid(w, h, d) where { pen: (0, 0.5*h + 1 cm, 0) }
}
world room {
  gravity: (0, -9.81, 0)
  components { floor: block(3 m, 10 cm, 3 m); desk: block(1.8 m, 1.12 m, 35 cm) }
  structure {
    place floor by floor.center at (0, -5 cm, 0)
    place desk by desk.center at (0, 56 cm, 0)
  }
}
"""


@pytest.mark.parametrize("tall", [1.55, 1.80])
def test_a_palm_lies_flat_on_a_high_desk_beside_a_chair(tall: float) -> None:
    # few places leave the forearm room above the desk's edge
    people = [Reacher(art.figure("person", "", height=tall), art.Wheelchair(), Capability())]
    seated = Study(art.parse(HIGH_DESK).world("room"), people)
    asked = Aligned("desk.pen", palm=(0, -1, 0))
    (verdict,) = seated.verdicts([asked], remedies=False)
    assert verdict.accessible, verdict.words
    check_held(seated, verdict, asked)
