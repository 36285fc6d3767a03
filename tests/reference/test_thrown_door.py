"""The door of the gallery: thrown open to its stop, closed again, bolted where it has settled."""

from __future__ import annotations

import math

import numpy as np
import pytest

from articulata.analyses.simulate.run import simulate
from articulata.world.document import read
from articulata.world.world_files import LIBRARY


def test_a_thrown_door_knocks_at_its_stops_and_is_bolted() -> None:
    run = simulate(read(LIBRARY / "gallery" / "door.art").requests[0])
    kinds = [event.kind for event in run.events]
    assert kinds[:3] == ["contact", "impact", "separation"]
    assert kinds[-2:] == ["settled", "edit"]
    knocks = [event for event in run.events if event.kind == "limit"]
    assert [knock.values["limit"] for knock in knocks] == [-math.radians(110.0)] + [0.0] * 9
    # the leaf about its pin, and the ball that flies at its handle: e = 0.6 between them
    leaf, ball = 400.0 * 0.8 * 2.0 * 0.04, 900.0 * 4.0 / 3.0 * math.pi * 0.12**3
    about = leaf * ((0.8**2 + 0.04**2) / 12.0 + 0.4**2)
    turning = 1.6 * 12.0 * 0.6 / (1.0 / ball + 0.6**2 / about) / about
    blow = next(event for event in run.events if event.kind == "impact")
    assert blow.values["impulse"] == pytest.approx(turning * about / 0.6, rel=1e-9)
    for knock in knocks:
        speed = float(knock.values["approach_speed"])
        assert knock.values["impulse"] == pytest.approx(1.4 * about * speed, rel=1e-9)
    angle = run.series("pin.angle")
    assert -math.radians(110.0) - 1e-12 <= float(np.min(angle))
    assert float(np.max(angle)) <= 1e-12
    books = run.series("energy.total") - run.series("energy.work")
    assert np.ptp(books + run.series("energy.dissipated")) < 1e-9
    assert "bolt" in run.worlds[max(run.worlds)].hinges
