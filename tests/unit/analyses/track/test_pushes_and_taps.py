"""A transmitter that is pushed, and sensors that are tapped: told from samples alone."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.analyses.track.calibration import Calibration
from articulata.analyses.track.seats import Seats
from articulata.analyses.track.taps import Taps
from articulata.analyses.track.transmitter import Push, Transmitter
from articulata.geometry.rotation import Rotation
from articulata.records.samples import Sample

NOISE = np.radians(0.15)


def sample(
    station: int, time: float, R: Rotation, p: tuple[float, ...] = (0.4, 0.1, 0.2)
) -> Sample:
    w, x, y, z = R.to_quaternion().tolist()
    return Sample(station, time, time, (w, x, y, z), (p[0], p[1], p[2]))


def pushed(R: Rotation, t: np.ndarray, *, alike: bool = True, placed: bool = True) -> Push | None:
    """Return what is seen of four sensors at rest when their tracker is pushed after 2 s."""
    rng, watch = np.random.default_rng(2), Transmitter()
    mounts = [Rotation.exp(rng.normal(size=3)) for _ in range(4)]
    places = rng.normal(0.0, 0.4, (4, 3)) if placed else np.full((4, 3), np.nan)
    found = None
    for k in range(160):
        time = k / 40.0
        now = time > 2.0
        for s in range(4):
            still = not now or (s > 0 and not alike)
            turn = Rotation.exp(rng.normal(0.0, NOISE, 3))
            turned = mounts[s] if still else R @ mounts[s]
            p = places[s] if still or not placed else R.apply(places[s]) + t
            found = watch.take([sample(s + 1, time, turned @ turn, tuple(p))]) or found
    return found


def test_a_push_is_found_and_followed() -> None:
    R, t = Rotation.exp((0.1, -0.05, 0.3)), np.array((0.1, 0.0, -0.05))
    push = pushed(R, t)
    assert push is not None
    assert float(push.R.distance(R)) < np.radians(0.2)
    assert push.tilt == pytest.approx(np.hypot(0.1, 0.05), abs=0.02)
    assert push.story == "all sensors turned by 18 deg and moved by 0.11 m at once"
    R_FT, origin = Rotation.exp((0.0, 0.2, 1.0)), np.array((0.0, 0.1, 0.9))
    before = Calibration(R_FT, {}, seats=Seats(origin, {}))
    after = push.followed(before)
    assert after.seats is not None
    # what is at p in the body's frame is there after the push as well
    p = np.array((0.3, -0.2, 0.1))
    there = after.R_FT.apply(R.apply(p) + t) + after.seats.origin
    np.testing.assert_allclose(there, R_FT.apply(p) + origin, atol=4e-3)


def test_sensors_without_places_have_no_transmitter_to_push() -> None:
    assert pushed(Rotation.exp((0.1, -0.05, 0.3)), np.zeros(3), placed=False) is None


def test_a_limb_that_moves_is_no_push() -> None:
    assert pushed(Rotation.exp((0.1, -0.05, 0.3)), np.zeros(3), alike=False) is None
    assert pushed(Rotation.exp((0.01, 0.0, 0.02)), np.zeros(3)) is None


@pytest.mark.parametrize("rate", [15.0, 60.0])
def test_a_tap_is_found(rate: float) -> None:
    rng, taps, found = np.random.default_rng(3), Taps(), []
    for k in range(int(4.0 * rate)):
        time = k / rate
        share = (time - 2.0) / 0.15
        aside = np.radians(8.0) * np.sin(np.pi * share) if 0.0 < share < 1.0 else 0.0
        R = Rotation.exp((aside, 0.0, 0.0)) @ Rotation.exp(rng.normal(0.0, NOISE, 3))
        if station := taps.take([sample(2, time, R)]):
            found.append((station, time))
    assert [station for station, _ in found] == [2]
    assert 2.0 < found[0][1] < 2.6


def test_an_arm_that_is_raised_taps_nothing_and_a_switch_does() -> None:
    taps = Taps()
    for k in range(240):
        time = k / 60.0
        R = Rotation.exp((0.8 * np.sin(1.5 * time), 0.0, 0.0))
        assert taps.take([sample(2, time, R)]) == 0
    assert taps.take([sample(3, 4.0, Rotation.identity())._replace(button=True)]) == 3
