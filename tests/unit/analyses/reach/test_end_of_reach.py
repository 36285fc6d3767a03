"""Objects at the very end of reach: found from the closest places to stand, not by chance."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
import rooms
from articulata.analyses.reach.objects.verdicts import verdict_of
from articulata.analyses.reach.reach_question import study_of
from reach_checks import check_postures


@pytest.mark.parametrize(
    ("way", "highest"), [("manual wheelchair", 1.45), ("on foot", 1.87)], ids=["seated", "on foot"]
)
def test_all_shelves_up_to_the_highest_that_is_reached_are_found(way: str, highest: float) -> None:
    study, _, _ = study_of(rooms.document(1.3).requests[0])
    pose = study.world.bodies["shelf"].pose
    x, _, z = pose.position
    for high in highest - 0.015 * np.arange(5):
        place = art.Place("shelf", art.Pose((x, float(high), z), pose.orientation))
        study.moved(study.world.edit([place]))
        case = study.case(way)
        verdict = verdict_of(case, "shelf.front")
        assert verdict.accessible, high
        assert verdict.q is not None
        hand = np.array([case.envelope.hands.index(verdict.hand)])
        worst = check_postures(case, case.room.into(verdict.point)[None], verdict.q[None], hand)
        assert worst["shut"] == 0
        assert worst["miss"] < 1e-3
        assert worst["beyond"] < 1e-6
        assert worst["deep"] < 2e-3
