from __future__ import annotations

from dataclasses import replace

import numpy as np

from articulata.report.viewer.motion_sources import motion_of, up_of
from recorded import chain, swing


def test_a_recording_becomes_a_motion() -> None:
    recording = swing()
    motion = motion_of(recording)
    np.testing.assert_array_equal(motion.times, recording.times)
    assert [look.id for look in motion.looks][:2] == ["p.anchor", "p.rod[1]"]
    assert motion.series is not None
    values, unit = motion.series("p.rod[1].center")
    np.testing.assert_allclose(values, recording.series("p.rod[1].center"))
    assert unit == "m"


def test_everything_offered_for_plotting_can_be_plotted() -> None:
    motion = motion_of(swing())
    assert motion.plottable
    assert motion.series is not None
    for thing, quantities in motion.plottable.items():
        for quantity in quantities:
            path = quantity if thing == "world" else f"{thing}.{quantity}"
            values, _ = motion.series(path)
            assert len(values) == len(motion.times), path


def test_a_world_stands_still() -> None:
    motion = motion_of(chain())
    assert motion.poses.shape == (1, 4, 7)
    np.testing.assert_allclose(motion.poses[0, 1, :3], (0.0, 1.5, 0.0))


def test_up_is_against_gravity() -> None:
    assert up_of(replace(chain(), gravity=(0.0, 0.0, -1.62))) == (0.0, 0.0, 1.0)
    assert up_of(replace(chain(), gravity=(0.0, 0.0, 0.0))) == (0.0, 1.0, 0.0)
