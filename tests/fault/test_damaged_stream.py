"""Minutes of a stream with one byte in a hundred flipped, dropped or doubled."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.devices.fastrak.decoder import FastrakDecoder
from articulata.devices.fastrak.emulated_unit import Damage, EmulatedUnit
from articulata.devices.fastrak.protocol import Format, commands
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from shares import shares


def source(station: int, time: float) -> Array:
    X = np.eye(4)
    X[:3, :3] = Rotation.exp((0.3 * station, time, 0.1)).to_matrix()
    X[:3, 3] = 0.4, 0.1 * station, 0.3 * np.sin(time)
    return X


@pytest.mark.parametrize("minutes", shares([2.0, 10.0], slow=1))
@pytest.mark.parametrize(("binary", "accepted"), [(True, 0.08), (False, 0.04)])
def test_minutes_of_damage(binary: bool, accepted: float, minutes: float) -> None:
    """No exception, every untouched record, and no more wrong ones than the format lets pass.

    Of 33 bytes (54 in ASCII) 28 % (42 %) of the records are hit. A flipped bit of a place, a low
    bit of an orientation, a digit for a digit cannot be seen: the format has no checksum.
    """
    form = Format(binary=binary)
    unit = EmulatedUnit(source, np.random.default_rng(1), rate=120.0)
    unit.receive(commands(form) + b"C", 0.0)
    rng, damage = np.random.default_rng(2), Damage(0.0034, 0.0033, 0.0033)
    decoder, length = FastrakDecoder(form), form.length(1)
    good, whole, found = set(), set(), set()
    for now in np.arange(0.0, 60.0 * minutes, 0.1):
        data, arrived = unit.due(now), b""
        for at in range(0, len(data), length):
            record = data[at : at + length]
            (sample,) = FastrakDecoder(form).feed(record, 0.0)
            hit = damage(record, rng)
            whole.add(sample)
            if hit == record:
                good.add(sample)
            arrived += hit
        # cut anywhere: the rest of a record comes with the next bytes
        cut = int(rng.integers(0, len(arrived) + 1))
        found.update(decoder.feed(arrived[:cut], 0.0))
        found.update(decoder.feed(arrived[cut:], 0.0))
    assert len(whole) > 7_000 * minutes
    assert len(good - found) == 0
    assert len(found - whole) < accepted * len(whole)
