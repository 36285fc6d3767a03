"""The arm's path from rest to an object: it is there, it touches nothing, and it is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.one_person.body import Capability
from articulata.analyses.reach.points import arm_paths
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Reacher, Study
from articulata.records.reach_verdicts import Verdict
from articulata.world.requests.reach import Aligned
from reach_checks import check_postures
from rooms import document

OBJECTS = ("counter.front", "shelf.front")


@pytest.fixture(scope="module")
def study() -> Study:
    return study_of(document(1.15).requests[0])[0]


def reached(study: Study) -> list[Verdict]:
    return [each for each in study.verdicts(OBJECTS, remedies=False) if each.accessible]


def test_the_arm_comes_from_rest_and_touches_nothing(study: Study) -> None:
    found = reached(study)
    assert len(found) == 4
    for verdict in found:
        case, path = study.case(verdict.mobility), verdict.arm_path
        assert path is not None
        resting = case.body.resting.copy()
        resting[:3] = path[0, :3]
        # seated at rest the forearms touch the wheels, barely
        near = 0.02 if case.body.footprint.seat else 1e-12
        np.testing.assert_allclose(path[0], resting, atol=near)
        np.testing.assert_array_equal(path[-1], verdict.q)
        assert np.ptp(path[:, :3], axis=0).max() == 0.0
        q = np.stack([verdict.posture(share) for share in np.linspace(0.0, 1.0, 150)])  # type: ignore[misc] # each is reached
        hands = np.full(len(q), case.envelope.hands.index(verdict.hand))
        worst = check_postures(case, np.zeros((len(q), 3)), q, hands)
        assert worst["deep"] < 2e-3
        assert worst["beyond"] <= 1e-9
        assert case.envelope.free(q, hands).all()
        np.testing.assert_array_equal(q[-1], verdict.q)


def test_distances_of_a_path_are_those_of_room_and_body(study: Study) -> None:
    (verdict, *_) = reached(study)
    assert verdict.q is not None
    case, hand = study.case(verdict.mobility), verdict.hand
    space = arm_paths.ArmSpace(case, hand, verdict.q[:3])
    x = np.random.default_rng(0).uniform(space.lower, space.upper, (60, len(space.lower)))
    whole = space.whole(x)
    both = [clash[hand].distance(whole) for clash in (case.clash, case.envelope.clash)]
    borne = case.body.bearable(hand, whole)
    assert 5 < borne.sum() < 60
    np.testing.assert_array_equal(
        space.distance(x), np.where(borne, np.minimum(*both), -1.0), strict=True
    )


@pytest.mark.parametrize("way", [art.OnFoot(), art.Wheelchair()])
def test_a_whole_person_has_paths_too(way: art.OnFoot | art.Wheelchair) -> None:
    # seated at rest her forearms press on her body: the path begins where they do not
    person = Reacher(art.figure("person"), way, Capability())
    study = Study(document(1.15).requests[0].elaborate(), [person], door="door")
    (verdict,) = study.verdicts(OBJECTS[:1], remedies=False)
    path, case = verdict.arm_path, study.case(verdict.mobility)
    assert path is not None
    assert len(path)
    assert np.abs(path[0, 3:] - case.body.resting[3:]).max() < 0.8
    q = np.stack([verdict.posture(share) for share in np.linspace(0.0, 1.0, 100)])  # type: ignore[misc] # it is reached
    hands = np.full(len(q), case.envelope.hands.index(verdict.hand))
    assert (case.envelope.free(q, hands) & case.free(q, hands)).all()


def test_a_stiff_elbow_is_not_bent_on_the_way() -> None:
    stiff = Capability(limits={"r_elbow_flexion": (1.5, 1.5)}, hands=("right",))
    person = Reacher(art.figure("human_upper_body"), art.OnFoot(), stiff)
    study = Study(document(1.15).requests[0].elaborate(), [person], door="door")
    found = [each for each in study.verdicts(OBJECTS, remedies=False) if each.arm_path is not None]
    assert found
    elbow = study.bodies["on foot"].figure.coordinate("r_elbow_flexion")
    for each in found:
        assert each.arm_path is not None
        assert np.ptp(each.arm_path[:, elbow], axis=0) == 0.0


def test_what_is_in_the_way_of_the_arm_is_gone_around(study: Study) -> None:
    around = 0
    for verdict in reached(study):
        case, path = study.case(verdict.mobility), verdict.arm_path
        assert path is not None
        straight = path[0] + np.linspace(0.0, 1.0, 60)[:, None] * (path[-1] - path[0])
        hands = np.full(60, case.envelope.hands.index(verdict.hand))
        free = case.free(straight, hands) & case.envelope.free(straight, hands)
        assert free.all() or len(path) > 2
        around += not free.all()
    assert around


def test_another_posture_is_taken_where_no_path_leads_to_the_first(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdict = replace(reached(study)[0], arm_path=None)
    sought = arm_paths.arm_path
    first = verdict.q

    def all_but_one(case: object, hand: str, q: np.ndarray) -> np.ndarray:
        return np.empty((0, len(q))) if q is first else sought(case, hand, q)  # type: ignore[arg-type] # a case

    monkeypatch.setattr(arm_paths, "arm_path", all_but_one)
    case = study.case(verdict.mobility)
    other = arm_paths.with_arm_path(case, verdict)
    assert other.q is not None
    assert other.arm_path is not None
    assert not np.array_equal(other.q, first)
    p = case.room.into(verdict.point)
    hands = np.array([case.envelope.hands.index(other.hand)])
    worst = check_postures(case, p[None], other.q[None], hands)
    assert worst["miss"] < 1.1e-3
    assert worst["deep"] < 2e-3
    assert worst["shut"] == 0
    assert other.words.startswith("reached with the")
    assert "no path" not in other.words


def test_a_hand_that_is_held_as_asked_stays_so(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arm_paths, "arm_path", lambda case, hand, q: np.empty((0, len(q))))
    down = Aligned("counter.front", palm=(0.0, -1.0, 0.0))
    verdict = replace(reached(study)[0], arm_path=None, aligned=down)
    same = arm_paths.with_arm_path(study.case(verdict.mobility), verdict)
    assert same.q is verdict.q
    assert same.path_label == "not found"


def test_that_no_path_was_found_is_told_and_kept(
    study: Study, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(arm_paths, "arm_path", lambda case, hand, q: np.empty((0, len(q))))
    made = art.reach(
        study.world, person="human_upper_body", mobility=art.OnFoot(), objects=OBJECTS[:1],
        grid=None, door="door",
    )  # fmt: skip
    verdict = made.verdicts[0]
    assert verdict.accessible
    assert verdict.words.endswith("; no path of the arm from rest was found")
    assert made.rows()[0]["arm_path"] == "not found"
    assert np.array_equal(verdict.posture(0.5), verdict.q)
    made.save(tmp_path / "room.artreach")
    assert str(art.ReachMap.load(tmp_path / "room.artreach").verdicts[0]) == str(verdict)
