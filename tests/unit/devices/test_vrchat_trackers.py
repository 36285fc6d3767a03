"""Trackers as VRChat hears them: what another program sends is read back to places and turns."""

from __future__ import annotations

import math
import socket
import time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as ScipyRotation

from articulata.devices.orientation.osc_trackers import VrchatTrackers
from articulata.records.samples import Sample
from mutations import COUNTS, mutated
from osc_bytes import bundled, written

LEVEL = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""Unity's directions (right, up, ahead) as ahead, right and down."""


def messages(tracker: str, euler: np.ndarray, p: tuple[float, float, float]) -> list[bytes]:
    address = f"/tracking/trackers/{tracker}"
    return [
        written(f"{address}/position", "fff", *p),
        written(f"{address}/rotation", "fff", *map(float, euler)),
    ]


def heard(device: VrchatTrackers, count: int) -> list[Sample]:
    found: list[Sample] = []
    end = time.monotonic() + 3.0
    while len(found) < count and time.monotonic() < end:
        found += device.read(0.05)
    return found


def test_places_and_turns_come_in_a_level_frame() -> None:
    rng = np.random.default_rng(36)
    with (
        VrchatTrackers(0, first=101) as device,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        for tracker, station in (("1", 101), ("8", 108), ("head", 109)):
            euler, p = rng.uniform(-179, 179, 3) * (0.5, 1.0, 1.0), (0.1, 1.5, -0.25)
            parts = messages(tracker, euler, p)
            sender.sendto(bundled(parts[::-1]), ("127.0.0.1", device.port))
            (sample,) = heard(device, 1)
            assert sample.station == station
            np.testing.assert_allclose(sample.p, LEVEL @ p, atol=1e-6)
            w, x, y, z = sample.q
            R = ScipyRotation.from_quat((x, y, z, w)).as_matrix()
            unity = ScipyRotation.from_euler("YXZ", euler[[1, 0, 2]], degrees=True).as_matrix()
            np.testing.assert_allclose(R, LEVEL @ unity @ LEVEL.T, atol=1e-6)
        sender.sendto(written("/avatar/change", "s", "avtr"), ("127.0.0.1", device.port))
        sender.sendto(written("/tracking/trackers/1/rotation", "ff", 1.0, 2.0),
                      ("127.0.0.1", device.port))  # fmt: skip
        assert device.read(0.1) == []
        assert dict(device.report().damaged) == {"a tracker without three finite numbers": 1}


@pytest.mark.parametrize("count", COUNTS)
def test_mutated_packets_end_in_samples_or_in_counts(count: int) -> None:
    parts = [each for n in range(1, 9) for each in messages(str(n), np.ones(3) * n, (1, 2, 3))]
    device, samples = VrchatTrackers(), 0
    for number, data in enumerate(mutated([bundled(parts), bundled(parts[:4]), *parts[:4]], count)):
        for sample in device.take(data, ("127.0.0.1", 50000), 0.01 * number):
            assert abs(math.hypot(*sample.q) - 1.0) < 1e-9
            samples += 1
    assert samples > 0.02 * count
    assert len(device._places) <= 9
