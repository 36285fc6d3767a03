"""The five measures of a tracker, of samples whose rates, noise and gaps are known."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.analyses.track.tracker_measures import Heard, measures
from articulata.geometry.rotation import Rotation


def heard(rng: np.random.Generator, *, noise: float, rate: float, gap: bool = False) -> Heard:
    times = np.arange(0.0, 4.0, 1.0 / rate)
    if gap:
        times = times[(times < 1.0) | (times > 1.8)]
    # it turns fast, and for a second steadily and slowly
    angle = np.where(
        times < 3.0, 2.0 * np.sin(5.0 * times), 2.0 * np.sin(15.0) + 0.2 * (times - 3.0)
    )
    steps = rng.normal(0.0, np.radians(noise), (len(times), 3))
    R = [Rotation.exp((a, 0.0, 0.0)) @ Rotation.exp(s) for a, s in zip(angle, steps, strict=True)]
    q = np.array([each.to_quaternion() for each in R])
    p = np.stack([0.5 + 0.3 * np.cos(times), 0.1 * times, 0.0 * times], axis=1)
    return Heard(times, times + 0.004, q, p, 2 if gap else 0)


def test_every_measure_is_found() -> None:
    rng = np.random.default_rng(0)
    left = np.full((50, 1, 2), np.radians((3.0, np.nan)))
    found = measures(
        {"2 r_upper_arm": heard(rng, noise=0.15, rate=60.0),
         "3 r_forearm": heard(rng, noise=0.15, rate=30.0, gap=True)},
        left,
        np.array([[1.0], [0.0]]).repeat(25, axis=0),
        {"unrest": np.radians(0.2), "doubt": np.radians(1.5)},
        latency=(0.002, 0.01),
        lost=1,
    )  # fmt: skip
    told = {each.what: each.value for each in found}
    assert told["samples of 2 r_upper_arm"] == pytest.approx(60.0)
    assert told["samples of 3 r_forearm"] < 30.0
    # the least of many stretches lies below the mean, never at half of it
    axes = np.sqrt(3.0)
    assert 0.5 * 0.15 * axes < told["noise of 2 r_upper_arm, calmest 0.3 s"] < 1.1 * 0.15 * axes
    assert told["left over at the elbow"] == pytest.approx(3.0)
    assert "left over at the wrist" not in told
    assert told["gaps of 3 r_forearm"] == 1.0
    assert told["gaps of 2 r_upper_arm"] == 0.0
    assert told["longest silence of 3 r_forearm"] == pytest.approx(0.84, abs=0.05)
    assert told["samples of 3 r_forearm that the device doubts"] == 2.0
    assert told["arms followed"] == pytest.approx(50.0)
    assert told["unrest while calibrated"] == pytest.approx(0.2)
    assert told["last byte to picture, half below"] == pytest.approx(2.0)
    assert told["farthest from the transmitter"] == pytest.approx(0.8, abs=0.01)
    assert told["room that was used along y"] == pytest.approx(0.4, abs=0.01)
    assert len({each.measure for each in found}) == 5


def test_a_take_without_samples_has_no_measures_of_them() -> None:
    found = measures({}, np.zeros((0, 2, 2)), np.zeros((0, 2)), {})
    assert {each.what for each in found} == {"troubles of devices", "stations"}
