"""Ten flights of a minute through the wrist in line, the dead zone's edge and the outer boundary.

Checked by the matrices and the closed form printed in Li 2011, and by differences of joint values.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.geometry.arrays import Array
from camera_arms import R3_START, START_2011, arm_2011, r3, tip_2011, twisted, wrist_2011

STEP = 0.004
FOLLOWS, SLOWED, PASSES, BRAKES, RESTS, STOPPED = range(6)


def seven(folder: Path) -> art.Carrier:
    """An arm of seven joints, written as URDF and read again."""
    rows = [(0.34, -1), (0.0, 1), (0.4, 1), (0.0, -1), (0.4, -1), (0.0, 1), (0.126, 0)]
    joints = art.Chain.standard_dh(
        [
            art.DH(name=f"a{k}", d=d, alpha=s * np.pi / 2, limits=(-2.9, 2.9))
            for k, (d, s) in enumerate(rows)
        ]
    ).joints
    figure = art.Figure(joints, range(-1, 6), name="seven", links={"a6": art.Link("tool")})
    art.export(figure, folder / "seven.urdf")
    found = art.read_urdf(folder / "seven.urdf")
    return art.Carrier(found, "tool", speeds=1.7, accelerations=8.0)


def wished(rng: np.random.Generator, k: int, X: Array, wrist: Array | None) -> Array:
    """Rates of a user who looks for the edges: out, in to the first axis, turning all the while."""
    turn = rng.normal(size=3) * 0.4
    if wrist is None or k % 4 == 3:
        return np.concatenate([rng.normal(size=3) * 0.25, turn])
    away = np.array([0.0, *wrist[1:]]) if k % 4 == 2 else wrist - (1.012, 0.0, 0.0)
    v = away / np.linalg.norm(away) * (0.4 if k % 4 == 0 else -0.4)
    return np.concatenate([X[:3, :3].T @ v, turn * (k % 4 != 0)])


@pytest.mark.slow
@pytest.mark.parametrize("number", range(10))
def test_a_minute_of_flight_keeps_all_limits_and_its_way(number: int, tmp_path: Path) -> None:
    old = number < 5
    carrier = arm_2011() if old else r3() if number < 8 else seven(tmp_path)
    q0 = START_2011 if old else R3_START
    if number >= 8:
        q0 = np.array([0.2, 0.7, 0.1, -1.2, 0.3, 0.9, 0.1])
    rng = np.random.default_rng(number)
    pilot = art.Pilot(carrier, q0)
    arm = carrier.arm
    tip = tip_2011 if old else carrier.chain.tip
    q_last, rate_last, X_last = pilot.q, np.zeros(len(q0)), pilot.X_WC
    goal = twist = np.zeros(6)
    told: set[str] = set()
    states = np.zeros(6, np.int64)
    for k in range(15_000):
        if k % 500 == 0:
            goal = wished(rng, k // 500, X_last, wrist_2011(q_last) if old else None)
        twist = twist + (goal - twist) * 0.1
        tick = pilot.go(twist)
        rate = (tick.q - q_last) / STEP
        assert (np.abs(rate) <= arm.speeds * (1 + 1e-9)).all()
        assert (np.abs(rate - rate_last) <= STEP * arm.accelerations * (1 + 1e-9)).all()
        assert (tick.q >= arm.lower - 1e-12).all()
        assert (tick.q <= arm.upper + 1e-12).all()
        if k % 5 == 0:
            reached = tip(tick.q)
            assert np.abs(reached[:3, 3] - tick.X_WC[:3, 3]).max() < 1e-6
            if tick.state == FOLLOWS:
                assert np.abs(reached - twisted(X_last, twist, STEP)).max() < 1e-6
        states[tick.state] += 1
        if tick.state == STOPPED:
            kind = pilot.kind(tick.code)
            told.add(kind)
            if old and kind in ("outer boundary", "dead zone", "inner boundary"):
                x, y, z = wrist_2011(tick.q)
                rho = np.hypot(y, z)
                depth = np.sqrt(max(rho**2 - 0.156**2, 0.0))
                reach = [np.hypot(s * depth - 0.8048, x - 1.012) for s in (1, -1)]
                gaps = {
                    "outer boundary": min(abs(3.2689 - r) for r in reach),
                    "inner boundary": min(abs(r - 0.2931) for r in reach),
                    "dead zone": rho - 0.156,
                }
                assert gaps[kind] < 0.3
        q_last, rate_last, X_last = tick.q, rate, tick.X_WC
    assert states[FOLLOWS] > 3000
    if old:
        assert "outer boundary" in told
