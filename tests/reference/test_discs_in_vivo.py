"""The load of the lowest lumbar disc beside pressures measured within a disc of a living man.

Wilke, Neef, Caimi, Hoogland and Claes (Spine 24, 1999, table 1): a man of 70 kg and 1.68 m, disc
L4/L5 of 1800 mm2. A disc bears its pressure times its area over 1.5 (Nachemson). They tell what he
did and not how far he bent: angles and places here are chosen, not fitted.
"""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.domains.comfort.lumbar import LumbarDisc

AREA, SHARE = 1.8e-3, 1.0 / 1.5
"""m2 of the disc, and the force by its pressure times its area."""


def pressing(
    load: float, pelvis: float = 0.0, spine: float = 0.0, shoulder: float = 0.0, elbow: float = 0.0
) -> tuple[float, float]:
    """Return the compression (N), and how far ahead of the hips (m) the hands are.

    ``load`` (kg) is in both hands; angles (deg) are how far the pelvis leans ahead, and the spine
    beyond it, how far the upper arm is raised from the trunk, and the elbow bent.
    """
    lean = np.radians(pelvis)
    X = np.eye(4)
    X[1:3, 1:3] = [[np.cos(lean), -np.sin(lean)], [np.sin(lean), np.cos(lean)]]
    man = art.figure("person", height=1.68, weight=70)
    man = man.with_base(X @ man.base)
    angles = {"vl3_flexion": spine / 2, "vt6_flexion": spine / 2}
    for side in "lr":
        angles |= {f"{side}_shoulder_flexion": shoulder, f"{side}_elbow_flexion": elbow}
    q = man.vector({name: np.radians(angle) for name, angle in angles.items()})
    loads = [art.Load(f"{side}_grip", load / 2) for side in "lr"] if load else []
    found = LumbarDisc(man, loads=loads).loads(q[None])
    return float(found.compression[0]), float(man.landmark(q, "l_grip")[2, 3])


CASES = {
    # pressure (MPa), posture, the model's difference (%)
    "standing relaxed": (0.50, {"load": 0.0}, -53),
    # 60 deg, half by the hips
    "standing bent forward": (1.10, {"load": 0.0, "pelvis": 30, "spine": 30, "shoulder": 60}, 36),
    "20 kg close to the body": (1.10, {"load": 20.0, "shoulder": -8, "elbow": 73}, 11),
    # arms all but straight
    "20 kg 60 cm from the chest": (1.80, {"load": 20.0, "shoulder": 66}, 34),
    "20 kg lifted, back round": (
        2.30, {"load": 20.0, "pelvis": 45, "spine": 45, "shoulder": 90}, 26,
    ),
    "20 kg lifted, knees bent": (
        1.70, {"load": 20.0, "pelvis": 30, "spine": 15, "shoulder": 45}, 24,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_disc_in_vivo(case: str) -> None:
    pressure, posture, difference = CASES[case]
    measured = pressure * 1e6 * AREA * SHARE
    found, ahead = pressing(**posture)
    assert 100.0 * (found / measured - 1.0) == pytest.approx(difference, abs=1.0), (found, measured)
    if case == "20 kg close to the body":
        assert ahead == pytest.approx(0.25, abs=0.01)


def test_tasks_are_as_hard_as_they_were_measured_one_after_the_other() -> None:
    """Of what tells how far the load is, the order is that of the pressures."""
    found = {case: pressing(**posture)[0] for case, (_, posture, _) in CASES.items()}
    carried = [case for case, (_, posture, _) in CASES.items() if posture["load"]]
    assert sorted(carried, key=found.__getitem__) == sorted(carried, key=lambda c: CASES[c][0])
