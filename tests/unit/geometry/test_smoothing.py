"""The One-Euro filter on rotations: steady at rest, without lag in motion, and the recordings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.geometry.smoothing import AS_MEASURED, OneEuro, smooth

NOISE = np.radians(0.15)
STEP = 0.01
"""s between two samples of the recordings."""


def noisy(true: Rotation, seed: int) -> Rotation:
    rng = np.random.default_rng(seed)
    return true @ Rotation.exp(rng.normal(0.0, NOISE, (*true.shape, 3)))


def test_rest_is_steady() -> None:
    for seed in range(6):
        measured = noisy(Rotation.identity((2000,)), seed)
        found = smooth(STEP * np.arange(2000), measured)[500:]
        jitter = np.sqrt(np.mean(found[:-1].distance(found[1:]) ** 2))
        assert np.degrees(jitter) < 0.03
    assert np.degrees(np.sqrt(np.mean(found.distance(Rotation.identity()) ** 2))) < 0.15


def test_no_filter_changes_nothing_and_a_silence_begins_anew() -> None:
    rng = np.random.default_rng(2)
    times = np.r_[STEP * np.arange(50), 10.0 + STEP * np.arange(50)]
    measured = Rotation.exp(rng.normal(size=(100, 3)))
    assert np.max(smooth(times, measured, AS_MEASURED).distance(measured)) < 1e-7
    again = smooth(times, measured)
    assert again[50].distance(measured[50]) < 1e-7
    assert again[51].distance(measured[51]) > 1e-3


def test_a_turn_at_an_even_rate_is_followed() -> None:
    times = STEP * np.arange(300)
    w = np.array((1.0, -2.0, 0.5))
    true = Rotation.exp(times[:, None] * w)
    found = smooth(times, true)[100:]
    lag = found.distance(true[100:]) / np.linalg.norm(w)
    assert np.max(lag) < 0.004


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(GeometryError, match="cutoff is above 0"):
        OneEuro(cutoff=0.0)
    with pytest.raises(GeometryError, match="beta"):
        OneEuro(beta=-1.0)
    with pytest.raises(GeometryError, match="rise"):
        smooth(np.array((0.0, 0.0)), Rotation.identity((2,)))
    with pytest.raises(GeometryError, match="do not belong"):
        smooth(np.zeros(3), Rotation.identity((2,)))


def recordings(material: Path) -> list[tuple[str, Array]]:
    """All records of all recordings: wrist poses (n, 4, 4) of a real Fastrak, 100 a second."""
    files = sorted((material / "data" / "tracking" / "fastrak_hand_cc0").glob("*/*.traj"))
    return [(file.name, np.loadtxt(file).reshape(-1, 4, 4)) for file in files]


@pytest.mark.material
def test_the_lag_on_every_real_recording_is_10_ms_at_most(material: Path) -> None:
    found = recordings(material)
    assert len(found) == 30
    for number, (name, X) in enumerate(found):
        true = Rotation.from_matrix(X[:, :3, :3], tolerance=1e-3, nearest=True)
        filtered = smooth(STEP * np.arange(len(true)), noisy(true, number))
        most = 12
        errors = [
            np.mean(filtered[most:].distance(true[most - lag : len(true) - lag]) ** 2)
            for lag in range(most)
        ]
        assert int(np.argmin(errors)) * STEP <= 0.010, name
