"""When samples were measured, from when they arrived: bursts, gaps, a clock that is set back."""

from __future__ import annotations

import numpy as np

from articulata.devices.driver import UnitClock
from articulata.geometry.arrays import Array
from articulata.records.samples import Sample, Samples

SLOT = 1.0 / 120.0


def stamped(batches: list[tuple[float, int]]) -> Array:
    """Times of samples that arrive so many at a time."""
    clock, found = UnitClock(), []
    for arrival, several in batches:
        samples = [Sample(1 + k, arrival, arrival, (1.0, 0.0, 0.0, 0.0)) for k in range(several)]
        found += [sample.time for sample in clock.stamp(Samples.of(samples))]
    return np.array(found)


def test_what_arrives_one_by_one_was_measured_then() -> None:
    arrivals = 5.0 + SLOT * np.arange(50)
    np.testing.assert_array_equal(stamped([(each, 1) for each in arrivals]), arrivals)


def test_what_arrives_together_was_measured_one_after_another() -> None:
    true = SLOT * np.arange(200)
    batches = [(each, 1) for each in true[:100]] + [(true[119], 20)]
    batches += [(each, 1) for each in true[120:]]
    np.testing.assert_allclose(stamped(batches), true, atol=0.3 * SLOT)


def test_times_rise_whatever_comes() -> None:
    rng = np.random.default_rng(3)
    arrivals = np.cumsum(rng.exponential(0.01, 300))
    found = stamped([(each, int(rng.integers(1, 9))) for each in arrivals])
    assert np.all(np.diff(found) > 0.0)
    assert found[-1] <= arrivals[-1] + 1e-9


def test_after_a_silence_or_a_clock_set_back_it_begins_anew() -> None:
    true = SLOT * np.arange(50)
    for moved in (-1000.0, 60.0):
        found = stamped([(each, 1) for each in np.r_[true, true + moved]])
        np.testing.assert_array_equal(found[50:], true + moved)
    assert len(UnitClock().stamp(Samples.of([]))) == 0
