"""What of the hand comes to a thing, and what it carries there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.one_person.body import Body, Capability, body_of
from articulata.analyses.reach.points.arm_paths import ArmSpace, arm_path
from articulata.analyses.reach.study import Reacher, Study
from articulata.analyses.reach.ways.footprints import footprint_of
from articulata.domains.comfort.measured_strength import HOLDS, published_strength
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.statics import STANDARD_GRAVITY
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_verdicts import ReachReason, Verdict
from rooms import TEXT, document

WAYS = {"on foot": art.OnFoot(), "manual wheelchair": art.Wheelchair()}


def asked(able: Capability, shelf: float = 1.4, way: str = "on foot") -> ReachMap:
    return art.reach(
        document(shelf).world("room"),
        person="human_upper_body",
        mobility=WAYS[way],
        capability=able,
        objects=["counter.front", "shelf.front"],
        grid=None,
        remedies=False,
    )


def body(able: Capability, way: str = "on foot") -> Body:
    return body_of(art.figure("human_upper_body"), footprint_of(WAYS[way]), able)


@pytest.mark.parametrize(
    ("touch", "mark"),
    [("grip", "grip"), ("thumb", "thumb_tip"), ("fingertip", "middle_distal_tip")],
)
def test_what_touches_comes_to_the_thing(touch: str, mark: str) -> None:
    able = Capability(touch=touch)
    reached = asked(able)
    figure = body(able).figure
    for verdict in reached.verdicts:
        assert verdict.q is not None
        place = figure.landmark(verdict.q, f"{verdict.hand[0]}_{mark}")[:3, 3]
        goal = np.linalg.inv(reached.X_WG) @ [*verdict.point, 1.0]
        assert np.linalg.norm(place - goal[:3]) < 1e-3
    assert reached.settings["touch"] == {"on foot": touch}


def test_a_grip_reaches_less_high_than_a_fingertip() -> None:
    def high(touch: str) -> bool:
        able = Capability(touch=touch)
        return (
            asked(able, 1.54, "manual wheelchair")
            .verdict("shelf.front", "manual wheelchair")
            .accessible
        )

    assert high("fingertip")
    assert not high("grip")


def test_no_joint_holds_more_than_people_do() -> None:
    """Torques of shoulder and elbow, summed by hand over what each of them carries."""
    load = 14.0
    able = Capability(load=load)
    figure = body(able).figure
    reached = asked(able)
    for verdict in reached.verdicts:
        q = verdict.q
        assert q is not None
        X = figure.poses(q)
        hand = np.linalg.inv(reached.X_WG) @ [*verdict.point, 1.0]
        for name in ("shoulder_flexion", "elbow_flexion"):
            joint = figure.index(f"{verdict.hand[0]}_{name}")
            at = X[joint, :3, 3]
            axis = (X[joint] @ np.linalg.inv(figure.joints[joint].X_JL))[:3, 2]
            moment = np.cross(hand[:3] - at, [0.0, 0.0, load * STANDARD_GRAVITY])
            for k, part in enumerate(figure.joints):
                link = figure.links.get(part.name)
                if link is not None and _carries(figure, joint, k):
                    center = (X[k] @ [*link.center, 1.0])[:3] - at
                    moment += np.cross(center, [0.0, 0.0, link.mass * STANDARD_GRAVITY])
            up, down = HOLDS[name]
            assert np.linalg.norm(moment) > 5.0
            assert -down - 0.2 <= axis @ moment <= up + 0.2  # the hand is within 1 mm


def _carries(figure: art.Figure, joint: int, link: int) -> bool:
    while link > joint:
        link = figure.parents[link]
    return link == joint


def test_the_arm_goes_around_postures_that_drop_the_load() -> None:
    load, hand = 14.0, "left"
    person = Reacher(art.figure("human_upper_body"), art.OnFoot(), Capability(load=load))
    case = Study(document(1.4).world("room"), [person]).case("on foot")
    space = ArmSpace(case, hand, np.array([0.0, 0.3, 0.0]))
    bearing, rest = case.body.bearings[hand], space.at_rest()
    assert bearing is not None

    def over(q: Array) -> float:
        """Return by how much a joint needs more than people hold, N m."""
        tau = bearing.statics.torques(q)[:, bearing.columns]
        return float(max((tau - bearing.up).max(), (-tau - bearing.down).max()))

    rng = np.random.default_rng(2)
    goals = rng.uniform(space.lower, space.upper, (600, len(rest)))
    goals = rest + (goals - rest) * rng.uniform(0.0, 1.0, (600, 1))
    around = 0
    for goal in goals[space.distance(goals) > 0.0]:
        straight = space.whole(rest + np.linspace(0.0, 1.0, 60)[:, None] * (goal - rest))
        free = min(each.clash[hand].distance(straight).min() for each in (case, case.envelope))
        if free <= 0.0 or over(straight) < 8.0:
            continue
        # the straight way touches nothing, and drops the load
        path = arm_path(case, hand, space.whole(goal[None])[0])
        assert len(path) > 2
        q = np.concatenate([np.linspace(a, b, 100) for a, b in pairwise(path)])
        # between two postures that are asked the load moves by 3 cm
        assert over(q) <= load * STANDARD_GRAVITY * 0.03
        around += 1
        if around == 3:
            break
    assert around == 3


def test_a_load_takes_things_away_and_says_so() -> None:
    light, heavy = asked(Capability(load=2.0)), asked(Capability(load=60.2))
    assert all(each.accessible for each in light.verdicts)
    shelf = heavy.verdict("shelf.front", "on foot")
    assert not shelf.accessible
    assert not shelf.proved
    assert shelf.reason == ReachReason.TOO_HEAVY
    assert "the load is too heavy" in shelf.words
    counter = [each.verdict("counter.front", "on foot").scores["reba"] for each in (light, heavy)]
    assert counter[0] < counter[1]


def heaviest(load: float, remedies: bool = True) -> Verdict:
    able = Capability(load=load)
    return art.reach(
        document(1.4).world("room"),
        person="human_upper_body",
        mobility=art.OnFoot(),
        capability=able,
        objects=["shelf.front"],
        grid=None,
        remedies=remedies,
    ).verdicts[0]


@pytest.mark.slow
def test_what_is_too_heavy_is_made_lighter_by_as_little_as_needed() -> None:
    verdict = heaviest(60.2)
    assert verdict.reason == ReachReason.TOO_HEAVY
    remedy = verdict.remedy
    assert remedy is not None
    assert (remedy.kind, remedy.what) == ("carry", "")
    assert 14.0 < remedy.by < 60.0
    assert remedy.by % 0.5 == 0.0
    assert verdict.words.endswith(f" tried); carry {remedy.by:g} kg at most")
    assert heaviest(remedy.by).accessible
    assert not heaviest(remedy.by + 0.5, remedies=False).accessible


def test_nothing_lighter_is_named_for_arms_that_hold_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "articulata.analyses.reach.one_person.body.published_strength",
        lambda figure: (known := published_strength(figure))._replace(best=0.001 * known.best),
    )
    verdict = heaviest(1.5)
    assert verdict.reason == ReachReason.TOO_HEAVY
    assert verdict.remedy is None or verdict.remedy.kind != "carry"


@pytest.mark.parametrize(
    ("figure", "able", "message"),
    [
        ("human_upper_body", Capability(touch="toe"), "fingertip, thumb, grip, not 'toe'"),
        ("otmani_2009", Capability(touch="grip", hands=("right",)), "landmark called 'r_grip'"),
        ("human_upper_body", Capability(load=float("nan")), "load in a hand is nan kg"),
        ("human_upper_body", Capability(load=-1.0), "load in a hand is -1.0 kg"),
        ("human_upper_body", Capability(load="2 kg"), "load in a hand is '2 kg'"),  # type: ignore[arg-type] # as somebody may write it
        ("human_upper_body", Capability(limits={"r_elbow_flexion": (0.0, 90.0)}), "than a turn"),
        ("otmani_2009", Capability(load=1.0, hands=("right",)), "known strength"),
    ],
)
def test_what_makes_no_sense_is_refused(figure: str, able: Capability, message: str) -> None:
    with pytest.raises(KinematicsError, match=message):
        body_of(art.figure(figure), footprint_of(art.OnFoot()), able)


def test_a_text_says_what_touches_and_what_is_carried() -> None:
    text = TEXT.format(shelf=1.4).replace(
        "points: grid 30 cm in floor", "touch: grip; load: 1500 g"
    )
    reached = art.reach(art.parse(text).requests[0])
    assert reached.settings["touch"]["on foot"] == "grip"
    assert reached.settings["load"]["on foot"] == pytest.approx(1.5)
    with pytest.raises(art.ArticulataError, match="a load is greater than 0"):
        art.reach(art.parse(text.replace("load: 1500 g", "load: 0 kg")).requests[0])
