"""The three outputs of a 3D mouse."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.analyses.film.shaping import Shaping, device_outputs
from articulata.errors import KinematicsError
from articulata.records.samples import DeviceReports

SHAPING = Shaping(speed=1.0, turn=1.0, dead_band=0.0, exponent=1.0, smoothing=0.0, silence=9.0)


def test_speeds_are_integrated_to_a_position_and_a_viewpoint() -> None:
    reports = DeviceReports(
        np.array([0.0, 1.0, 2.0]),
        np.array([[0, 0, -0.5, 0, 0, 0], [0, 0, 0, 0, np.pi / 4, 0], [0, 0, 0, 0.0, 0, 0]]),
    )
    found = device_outputs(reports, shaping=SHAPING, step=0.25)
    assert found.speed[3].tolist() == [0, 0, -0.5, 0, 0, 0]
    assert found.speed[5] == pytest.approx([0, 0, 0, 0, np.pi / 4, 0])
    # half a metre ahead in 1 s, then 45 degrees to the left in 1 s
    np.testing.assert_allclose(found.position[4], [0, 0, -0.5, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found.position[8], [0, 0, -0.5, 0, np.pi / 4, 0], atol=1e-12)
    np.testing.assert_allclose(found.viewpoint[8], [0, 0, -0.5, 0, 1, 0, np.pi / 4], atol=1e-12)
    np.testing.assert_allclose(found.viewpoint[0], [0, 0, 0, 0, 0, 1, 0])
    with pytest.raises(KinematicsError, match="more than 0"):
        device_outputs(reports, step=0.0)
