"""What is comfortable to a person chooses her posture, and verdicts tell it by several criteria."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.one_person.body import LEAN, Capability, body_of
from articulata.analyses.reach.one_person.envelope import Envelope
from articulata.analyses.reach.one_person.posture_costs import R_GF, joints_at_limits, scores_of
from articulata.analyses.reach.ways.footprints import footprint_of
from articulata.domains.comfort.figure_angles import body_angles
from articulata.errors import ArticulataError, KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import plain
from articulata.records.reach_verdicts import verdict_from
from articulata.world.requests.ways_to_move import Means
from rooms import TEXT, document

ELBOWS = {"r_elbow_flexion": 40.0, "l_elbow_flexion": 40.0}


class UprightHips:
    """A reader's own criterion: the hips do not lean."""

    def of(self, tree: Figure, q: Array, /) -> Array:
        return np.abs(q[..., tree.names.index(LEAN)])


class Unsure:
    """One that knows no answer."""

    def of(self, tree: Figure, q: Array, /) -> Array:
        return np.full(q.shape[:-1], np.nan)


def verdict(comfort: object, means: Means | None = None) -> art.ReachMap:
    return art.reach(
        document().world("room"),
        person="human_upper_body",
        mobility=means or art.OnFoot(),
        objects=["counter.front"],
        capability=Capability(comfort=comfort),  # type: ignore[arg-type] # one is no criterion
        grid=None,
        remedies=False,
    )


def elbow(reached: ReachMap) -> float:
    (found,) = reached.verdicts
    assert found.q is not None
    name = f"{found.hand[0]}_elbow_flexion"
    return float(abs(found.q[reached.joints.index(name)]))


def test_a_joint_that_weighs_more_is_spared() -> None:
    usual, spared = verdict(None), verdict(art.Discomfort("range", ELBOWS))
    assert elbow(spared) < 0.7 * elbow(usual)
    assert spared.settings["comfort"] == {
        "on foot": "range weighing l_elbow_flexion 40, r_elbow_flexion 40"
    }


def test_a_criterion_of_ones_own_chooses() -> None:
    seated = art.Wheelchair()
    (own,), (usual,) = (verdict(each, seated).verdicts for each in (UprightHips(), None))
    assert own.q is not None
    assert usual.q is not None
    assert own.q[3] <= usual.q[3]
    assert own.q[3] < 0.02
    with pytest.raises(KinematicsError, match=r"no NaN; Unsure returned shape .* with NaN"):
        verdict(Unsure())
    with pytest.raises(KinematicsError, match=r"art.Discomfort\('sum'\).* not by 'sum'"):
        verdict("sum")


def test_sides_that_weigh_unlike_are_not_mirrored() -> None:
    def mirrored(weights: dict[str, float]) -> bool:
        able = Capability(comfort=art.Discomfort("sum", weights))
        body = body_of(art.figure("human_upper_body"), footprint_of(art.OnFoot()), able)
        return Envelope(body).bare.mirror is not None

    assert mirrored(ELBOWS)
    assert not mirrored({"r_elbow_flexion": 40.0})


@pytest.mark.parametrize("side", ["left", "right"])
def test_scores_read_a_body_on_its_base_as_the_person_alone(side: str) -> None:
    person = art.figure("person")
    body = body_of(person, footprint_of(art.OnFoot()), Capability())
    rng = np.random.default_rng(3)
    q = rng.uniform(np.maximum(person.lower, -0.5), np.minimum(person.upper, 0.5))
    whole = np.concatenate([[3.0, -2.0, 1.3, 0.0], q])
    here = np.concatenate([np.zeros(4), q])
    alone, moved = (
        body_angles(*each) for each in ((person, q, side), (body.figure, here, side, R_GF[:, 1]))
    )
    for name in alone.__dataclass_fields__:
        np.testing.assert_allclose(getattr(moved, name), getattr(alone, name), atol=1e-9)
    arm = body.columns[side].tolist()
    scores = scores_of(body.figure, body.comfort, arm, side, whole, seated=False)
    assert scores["rula"] == art.rula(alone).score
    assert scores["reba"] == art.reba(alone).score
    leaning = whole + 0.3 * (np.arange(len(whole)) == 3)
    more = scores_of(body.figure, body.comfort, arm, side, leaning, seated=False)
    assert more["sum"] == pytest.approx(scores["sum"] + 3.0 * 0.3)


def test_texts_weigh_joints_and_records_keep_the_scores(tmp_path: Path) -> None:
    text = TEXT.format(shelf=1.4).replace(", human_upper_body on wheelchair", "")
    text = text.replace(
        "points: grid 30 cm in floor",
        "comfort: best of 6 by barrier; weigh: l_elbow_flexion by 40, r_elbow_flexion by 40",
    )
    reached = art.reach(art.parse(text).requests[0])
    first = reached.verdicts[0]
    assert set(first.scores) == {"sum", "range", "barrier", "rula", "reba"}
    assert 1 <= first.scores["rula"] <= 7
    reached.save(tmp_path / "room.artreach")
    again = ReachMap.load(tmp_path / "room.artreach")
    assert [each.scores for each in again.verdicts] == [each.scores for each in reached.verdicts]
    assert again.rows()[0]["rula"] == f"{first.scores['rula']:g}"
    wrong = text.replace("l_elbow_flexion by", "l_elbow_flexoin by")
    with pytest.raises(ArticulataError, match=r"no joint 'l_elbow_flexoin'.*l_elbow_flexion"):
        art.reach(art.parse(wrong).requests[0])


def test_a_joint_at_its_limit_is_named_in_place_of_a_penalty() -> None:
    whole = body_of(art.figure("human_upper_body"), footprint_of(art.OnFoot()), Capability())
    figure, arm = whole.figure, whole.columns["right"].tolist()
    q = 0.5 * (figure.lower + figure.upper)
    elbow, other = figure.names.index("r_elbow_flexion"), figure.names.index("l_elbow_flexion")
    q[elbow], q[other] = figure.upper[elbow] - 1e-6, figure.upper[other]
    assert joints_at_limits(figure, arm, q) == ("r_elbow_flexion",)
    reached = art.reach(
        document(1.4).world("room"), person="human_upper_body", mobility=art.OnFoot(),
        objects=["shelf.front"], grid=None,
    )  # fmt: skip
    (verdict,) = reached.verdicts
    for names, cell in (((), "7.969e+05"), (("r_elbow_flexion",), "at limit of r_elbow_flexion")):
        told = replace(verdict, at_limit=names, scores={**verdict.scores, "barrier": 7.969e5})
        (row,) = replace(reached, verdicts=(told,)).rows()
        assert row["barrier"] == cell
        assert verdict_from(json.loads(json.dumps(plain(told)))).at_limit == names
