"""The emulator obeys the commands of the real one and errs as it is asked to."""

from __future__ import annotations

import math

import numpy as np
import pytest

from articulata.devices.fastrak.decoder import FastrakDecoder
from articulata.devices.fastrak.emulated_unit import EmulatedUnit, Field
from articulata.devices.fastrak.protocol import FACTORY_FORMAT, Format, commands
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation


def still(station: int, time: float) -> Array:
    X = np.eye(4)
    X[0, 3] = 0.2 * station
    return X


def turning(station: int, time: float) -> Array:
    X = still(station, time)
    X[:3, :3] = Rotation.from_rotation_vector((0.0, 0.0, time)).to_matrix()
    return X


def made(source: object = still, **more: object) -> EmulatedUnit:
    return EmulatedUnit(source, np.random.default_rng(0), **more)  # type: ignore[arg-type] # what a test chooses


def sent(unit: EmulatedUnit, until: float) -> bytes:
    """What a unit sends before ``until`` (s) to who always reads."""
    return b"".join(unit.due(time) for time in np.arange(0.0, until - 1e-9, 0.01)) + unit.due(
        until - 1e-9
    )


def test_after_power_up_it_sends_ascii_in_inches_when_polled() -> None:
    unit = made()
    assert unit.due(1.0) == b""
    data = unit.receive(b"P", 1.0)
    assert len(data) == 4 * 47
    assert data.startswith(b"01    7.87")
    assert len(FastrakDecoder(FACTORY_FORMAT).feed(data, 0.0)) == 4


def test_stations_share_the_rate_and_are_skewed() -> None:
    form = Format()
    for active, per_station in (((1, 2, 3, 4), 15), ((2, 3), 30), ((4,), 60)):
        unit = made(turning, rate=60.0)
        unit.receive(commands(form, active=active) + b"C", 0.0)
        samples = FastrakDecoder(form).feed(sent(unit, 1.0), 0.0)
        counts = {s: [x.station for x in samples].count(s) for s in active}
        assert counts == dict.fromkeys(active, per_station)
        for number, sample in enumerate(samples):
            angle = 2.0 * math.atan2(sample.q[3], sample.q[0])
            assert angle == pytest.approx(number / 60.0, abs=1e-6)
    together = made(turning, rate=60.0, skewed=False)
    together.receive(commands(form) + b"C", 0.0)
    samples = FastrakDecoder(form).feed(sent(together, 0.99), 0.0)
    assert samples[4].q == samples[7].q != samples[8].q


def test_c_stops_and_w_forgets() -> None:
    unit = made()
    unit.receive(b"C", 0.0)
    assert unit.continuous
    unit.receive(b"c", 0.1)
    assert unit.due(9.0) == b""
    unit.receive(b"fuO1,11\r", 0.1)
    assert unit.receive(b"O1\r", 0.1) == b"21O11\r\n"
    unit.receive(b"W", 0.1)
    assert unit.receive(b"O1\r", 0.1) == b"21O2,4,1\r\n"


def test_commands_may_come_in_pieces_and_nonsense_is_ignored() -> None:
    unit = made()
    unit.receive(b"O1,", 0.0)
    unit.receive(b"11,1\rl2", 0.0)
    unit.receive(b",0\rO1,99\rO9,2\r%%%\r", 0.0)
    assert unit.receive(b"O1\r", 0.0) == b"21O11,1\r\n"
    assert unit.receive(b"l2\r", 0.0) == b"22l1011\r\n"


def test_alignment_hemisphere_and_boresight() -> None:
    form = Format()
    unit = made(turning)
    unit.receive(commands(form, hemisphere=(-1.0, 0.0, 0.0)), 0.0)
    sample = FastrakDecoder(form).feed(unit.receive(b"P", 0.5), 0.0)[0]
    assert sample.p[0] == pytest.approx(-0.2)
    unit.receive(b"B1\r", 0.5)
    sample = FastrakDecoder(form).feed(unit.receive(b"P", 0.5), 0.0)[0]
    np.testing.assert_allclose(sample.q, (1.0, 0.0, 0.0, 0.0), atol=1e-7)
    unit.receive(b"b1\r", 0.5)
    # A: origin, a point on x, a point towards y (cm): the frame is turned by a quarter
    unit.receive(b"H1,1,0,0\rA1,0,0,0,0,10,0,-10,0,0\r", 0.5)
    sample = FastrakDecoder(form).feed(unit.receive(b"P", 0.5), 0.0)[0]
    angle = 2.0 * math.atan2(sample.q[3], sample.q[0])
    assert angle == pytest.approx(0.5 - 0.5 * math.pi, abs=1e-6)


def test_noise_grows_with_range_and_metal_bends() -> None:
    rng, field = np.random.default_rng(2), Field(noise=0.01, reach=0.5)

    def spread(distance: float) -> float:
        X = np.eye(4)
        X[0, 3] = distance
        turns = [Rotation.from_quaternion(field.measured(X, rng)[0]).log() for _ in range(400)]
        return float(np.std(turns))

    near, far = spread(0.3), spread(1.0)
    assert near == pytest.approx(0.01, rel=0.1)
    assert far == pytest.approx(0.16, rel=0.15)
    bent = Field(metal=(((0.2, 0.0, 0.0), 0.05),))
    X = np.eye(4)
    X[0, 3] = 0.3
    q, _ = bent.measured(X, rng)
    X[0, 3] = 2.0
    far_q, _ = bent.measured(X, rng)
    near_q, still_q = Rotation.from_quaternion(q), Rotation.identity()
    assert still_q.distance(near_q) > 0.2
    assert still_q.distance(Rotation.from_quaternion(far_q)) < 0.01


def test_nobody_reads_for_long() -> None:
    unit = made(rate=60.0)
    unit.receive(commands(Format()) + b"C", 0.0)
    assert len(unit.due(100.0)) <= 33 * 31
    assert unit.lost > 5000


def test_a_rate_is_above_0() -> None:
    with pytest.raises(ModelError, match="more than 0"):
        made(rate=0.0)
