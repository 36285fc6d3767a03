"""Play behind a gear, as a hinge with narrow limits, against equations of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.geometry.arrays import Array
from driven_hinges import WHEEL, check_told, leg, spin

TRAIN = """
world w {
  components { base: fixed_point; pinion: wheel(4 cm); hub: wheel(3 cm); rim: wheel(8 cm) }
  structure {
    join pinion to base with pin(axis: z) as input matching (center, center)
    join hub to base with pin(axis: z) as shaft matching (center, center)
    join rim to hub with pin(axis: z) as play matching (center, center)
      limits (-1 deg, 1 deg) restitution BOUNCE
    gear mesh between input and shaft = -1/2
    force push about input = 0.5 N*m * sin(time * 9 rad/s)
    ignore pinion with hub
    ignore pinion with rim
    ignore hub with rim
    place base by base.center at (0, 0, 0)
    place pinion by input.angle = 0
    place hub by shaft.angle = 0
    place rim by play.angle = 0
  }
}
"""


SHAFT, RIM = 4.0 * spin(0.04) + spin(0.03), spin(0.08)
PLAY = np.radians(1.0)


def push(t: float) -> float:
    """Return the torque at the shaft: minus two of the pinion's."""
    return float(-2.0 * 0.5 * np.sin(9.0 * t))


def carried(bounce: float, until: float, most: int) -> tuple[list[tuple[str, float]], Array]:
    """Return what happens to shaft and rim, angles and rates (4,) at its end or at ``until``."""
    y, t, side, found = np.zeros(4), 0.0, 0, list[tuple[str, float]]()
    while t < until and len(found) < most:

        def rates(t: float, y: Array, side: int = side) -> Any:
            first = push(t) / (SHAFT + RIM if side else SHAFT)
            return [y[2], y[3], first, first if side else 0.0]

        def above(_: float, y: Array) -> float:
            return float(y[1] - y[0] - PLAY)

        def below(_: float, y: Array) -> float:
            return float(y[0] - y[1] - PLAY)

        def pressed(t: float, _: Array, side: int = side) -> float:
            return -side * push(t)

        part = (
            leg(rates, t, until, y, pressed, direction=-1.0) if side
            else leg(rates, t, until, y, above, below, direction=1.0)
        )  # fmt: skip
        t, y = part.t[-1], part.y[:, -1].copy()
        if part.status == 0:
            break
        if side:
            found.append(("separation", t))
            side = 0
            continue
        apart = 1 if len(part.t_events[0]) else -1
        parting = -bounce * (y[3] - y[2])
        middle = (SHAFT * y[2] + RIM * y[3]) / (SHAFT + RIM)
        y[2] = middle - RIM / (SHAFT + RIM) * parting
        y[3] = middle + SHAFT / (SHAFT + RIM) * parting
        y[1] = y[0] + apart * PLAY * (1.0 if not bounce else 1.0 - 1e-15)
        found.append(("limit", t))
        side = apart if not bounce else 0
    return found, y


@pytest.mark.parametrize(("bounce", "until"), [(0.0, 2.0), (0.9, 0.165)])
def test_a_gear_train_with_play_knocks_as_its_own_equations(bounce: float, until: float) -> None:
    world = art.parse(WHEEL + TRAIN.replace("BOUNCE", str(bounce))).world("w")
    run = art.simulate(world, until=until, step=0.05)
    known, end = carried(bounce, until, 1000)
    assert len(known) > 4
    check_told(run, known, "limit", "separation")
    found = [
        run.series(name)[-1] for name in ("shaft.angle", "play.angle", "shaft.rate", "play.rate")
    ]
    assert found == pytest.approx([end[0], end[1] - end[0], end[2], end[3] - end[2]], abs=1e-8)
    assert np.abs(run.series("input.angle") + 2.0 * run.series("shaft.angle")).max() < 1e-9
