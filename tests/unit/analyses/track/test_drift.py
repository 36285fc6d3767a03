"""Headings that drift about what is up come back by elbows and wrists."""

from __future__ import annotations

import numpy as np

from articulata.analyses.track.calibration import Calibration, level
from articulata.analyses.track.drift import Drifting
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample
from tracked import body_of

STATIONS = {2: "r_upper_arm", 3: "r_forearm", 4: "r_hand"}


def test_headings_that_drift_are_followed() -> None:
    body = body_of()
    rng = np.random.default_rng(3)
    mounts = {s: Rotation.exp(rng.normal(size=3)) for s in STATIONS}
    calibration = Calibration(level(body, 0.6), mounts, 0.6)
    drifting = Drifting(body, STATIONS, calibration)
    state = drifting.start()
    names = ("r_shoulder_flexion", "r_shoulder_abduction", "r_elbow_flexion", "r_elbow_pronation",
             "r_radiocarpal_flexion")  # fmt: skip
    middle = np.array((0.7, 0.4, 0.9, 0.0, 0.0))
    paces = np.array((1.9, 1.3, 2.7, 2.1, 3.1))
    rate = {2: 0.0, 3: 1.0, 4: -0.6}  # deg a second, more than any sensor that is sold
    begun = {2: 0.0, 3: 10.0, 4: -6.0}
    R_TF, errors = calibration.R_FT.inverse(), []
    for k in range(30 * 12):
        t = k / 30.0
        values = middle + 0.4 * np.sin(paces * t)
        q = body.figure.vector(dict(zip(names, values.tolist(), strict=True)), body.rest)
        seen = body.orientations(q)
        samples = []
        for s, role in STATIONS.items():
            turn = Rotation.from_axis_angle(body.up, np.radians(begun[s] + rate[s] * t))
            noise = Rotation.exp(rng.normal(0.0, np.radians(0.5), 3))
            R_FB = turn @ Rotation.from_matrix(seen[role], nearest=True) @ noise
            R_TS = R_TF @ R_FB @ mounts[s].inverse()
            samples.append(Sample(s, t, t, tuple(R_TS.q.tolist())))
        state, corrected = drifting.step(state, samples)
        assert corrected[0] is samples[0]  # nothing tells of the upper arm
        if t > 3.0:
            truth = [np.radians(begun[s] + rate[s] * t) for s in (3, 4)]
            errors.append(state.heading - truth)
            R_FB = calibration.R_FT @ Rotation.from_quaternion(np.array(corrected[1].q)) @ mounts[3]
            away = R_FB.distance(Rotation.from_matrix(seen["r_forearm"], nearest=True))
            assert away < np.radians(6.0)
    rms = np.degrees(np.sqrt(np.mean(np.square(errors), axis=0)))
    assert rms[0] < 2.0
    assert rms[1] < 2.5


def test_an_arm_that_hangs_still_keeps_its_headings() -> None:
    body = body_of()
    still = dict.fromkeys(STATIONS, Rotation.identity())
    drifting = Drifting(body, STATIONS, Calibration(level(body), still))
    state, R_TF = drifting.start(), level(body).inverse()
    seen = body.orientations(body.rest)
    for k in range(120):
        samples = [
            Sample(s, k / 60, k / 60, tuple((R_TF @ Rotation.from_matrix(seen[r])).q.tolist()))
            for s, r in STATIONS.items()
        ]
        state, corrected = drifting.step(state, samples)
    np.testing.assert_allclose(state.heading, 0.0, atol=1e-9)
    np.testing.assert_allclose(np.abs([c.q for c in corrected]), np.abs([s.q for s in samples]))
    # in whatever order samples of a step are given
    late = [s._replace(time=s.time + 0.001 * s.station) for s in samples]
    first, again = (drifting.step(drifting.start(), each) for each in (late, late[::-1]))
    assert first[1] == again[1]
    doubtful = samples[1]._replace(error="f")
    assert drifting.step(state, [doubtful])[1] == [doubtful]
