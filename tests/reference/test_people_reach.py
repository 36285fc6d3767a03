"""The reach of the people of ANSUR II, told from their segments without a fitted parameter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.people_reach import SEGMENTS, overhead_reach, segments, survey, thumb_reach

import articulata as art


@pytest.mark.material
def test_thumbs_reach_as_far_as_was_measured(material: Path) -> None:
    people = survey(material / "data" / "anthropometry")
    off = 1e3 * (thumb_reach(people) - people["thumbtipreach"])
    assert len(off) == 6068
    assert abs(off.mean()) <= 5.0
    assert off.std(ddof=1) <= 27.5
    for sex in (0, 1):
        assert abs(off[people["sex"] == sex].mean()) <= 5.0
    # fingertips overhead: the shoulder rises, and what is left the figure's collarbone does not do
    measured = people["overheadfingertipreachsitting"]
    rest, raised = (
        1e3 * (overhead_reach(people, raised=each) - measured).mean() for each in (False, True)
    )
    assert -30.0 < raised < 0.0
    assert rest < raised - 90.0


@pytest.mark.material
def test_figures_of_the_people_reach_as_far(material: Path) -> None:
    people = survey(material / "data" / "anthropometry")
    arm = segments(people)
    rng = np.random.default_rng(1)
    for k in rng.integers(len(people["sex"]), size=8):
        measures = {name: float(people[name][k]) for name in SEGMENTS}
        person = art.figure("person", sex=float(people["sex"][k]), **measures)
        shoulder = person.landmark(person.neutral, "r_shoulder")[:3, 3]
        arm_alone = {"r_shoulder", "r_elbow", "r_radiocarpal"}
        stiff = person.with_limits(
            {
                joint.name: (joint.neutral, joint.neutral)
                for joint in person.joints
                if joint.name.rsplit("_", 1)[0] not in arm_alone
            }
        )
        far = arm["upper"][k] + arm["fore"][k] + arm["thumb"][k]
        for share, found in ((0.998, True), (1.002, False)):
            goal = shoulder + share * far * np.array([0.0, 0.0, 1.0])
            assert stiff.inverse({"r_thumb_tip": goal}).found == found, (k, share)
