"""Flights of a minute through wrists in line, the dead zone's edge and the outer boundary."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.analyses.film.takes import Take, fly
from articulata.geometry.arrays import Array
from articulata.records.samples import DeviceReports
from camera_arms import R3_START, START_2011, arm_2011, r3, tip_2011

pytestmark = pytest.mark.slow

SECONDS = 60.0
STEP = 0.004

URDF = """
<robot name="arm">
  <link name="base"/>
  {joints}
</robot>
"""


def urdf_arm(folder: Path) -> art.Carrier:
    """An arm of six joints from URDF, without a spherical wrist's closed form being asked for."""
    rows = [
        ("0 0 0.4", "0 0 1"), ("0.1 0 0.1", "0 1 0"), ("0 0 0.6", "0 1 0"),
        ("0.2 0 0.1", "1 0 0"), ("0.4 0 0", "0 1 0"), ("0.1 0 0.02", "1 0 0"),
    ]  # fmt: skip
    parts = []
    for k, (place, axis) in enumerate(rows):
        parent = "base" if k == 0 else f"link{k}"
        parts.append(
            f'<link name="link{k + 1}"/><joint name="j{k + 1}" type="revolute">'
            f'<parent link="{parent}"/><child link="link{k + 1}"/><origin xyz="{place}"/>'
            f'<axis xyz="{axis}"/><limit lower="-2.8" upper="2.8" velocity="2" effort="9"/></joint>'
        )
    (folder / "arm.urdf").write_text(URDF.format(joints="".join(parts)))
    figure = art.read_urdf(folder / "arm.urdf")
    return art.Carrier(figure, "link6", speeds=2.0, accelerations=8.0)


def wandering(seed: int) -> DeviceReports:
    """Reports every 16 ms: pushes that change every second or so, now and then none."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, SECONDS, 0.016)
    axes, goal, now, left = np.zeros((len(t), 6)), np.zeros(6), np.zeros(6), 0
    for k in range(len(t)):
        if left == 0:
            left = int(rng.integers(40, 220))
            goal = np.clip(rng.normal(size=6) * 0.7, -1, 1) * (rng.random() > 0.1)
        left -= 1
        now = now + 0.15 * (goal - now)
        axes[k] = now
    return DeviceReports(t, axes)


def check(take: Take, carrier: art.Carrier, tip: object, start: Array) -> dict[str, int]:
    arm, q, X = carrier.arm, take.q, take.X_WC
    rates = np.diff(q, axis=0, prepend=start[None]) / STEP
    changes = np.diff(rates, axis=0) / STEP
    assert (np.abs(rates) <= arm.speeds * (1 + 1e-9)).all()
    assert (np.abs(changes) <= arm.accelerations * (1 + 1e-9)).all()
    assert (q >= arm.lower - 1e-12).all()
    assert (q <= arm.upper + 1e-12).all()
    changes = np.vstack([0.0 * rates[:1], rates[:1] / STEP, changes])
    hasty = (np.abs(np.diff(changes, axis=0)) / STEP > arm.jerks * (1 + 1e-6)).any(axis=1)
    if carrier.statics is None:
        assert not hasty.any()
    for k in np.flatnonzero(hasty).tolist():  # a torque that lacks comes before a jerk
        assert take.words[k][0] != "follows"
        assert take.words[k][1]
    assert hasty.mean() < 2e-3
    states = [word for word, _ in take.words]
    off = turned = 0.0
    for k in range(0, len(q), 5):
        reached: Array = tip(q[k])  # type: ignore[operator]
        if states[k] in ("follows", "slowed", "passes", "rests"):
            off = max(off, float(np.abs(reached[:3, 3] - X[k][:3, 3]).max()))
        if states[k] == "follows":
            turned = max(turned, float(np.abs(reached[:3, :3] - X[k][:3, :3]).max()))
    assert off < 1e-6
    assert turned < 1e-6
    for word, why in take.words:
        assert bool(why) == (word in ("slowed", "passes", "brakes", "stopped"))
    return {word: states.count(word) for word in set(states)}


@cache
def flown(seed: int, which: str, jerks: float) -> tuple[Take, art.Carrier]:
    carrier, start = (arm_2011(), START_2011) if which == "2011" else (r3(), R3_START)
    carrier = replace(carrier, jerks=jerks)
    pilot = art.Pilot(carrier, start, shaping=art.Shaping(speed=0.6, turn=0.8))
    return fly(pilot, wandering(seed)), carrier


JERKS = (np.inf, 300.0)


@pytest.mark.parametrize("jerks", JERKS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("which", ["2011", "r3"])
def test_a_minute_of_flying_keeps_limits_and_the_nodal_point(
    which: str, seed: int, jerks: float
) -> None:
    take, carrier = flown(seed, which, jerks)
    tip, start = (tip_2011, START_2011) if which == "2011" else (carrier.chain.tip, R3_START)
    seen = check(take, carrier, tip, start)
    assert seen["follows"] > 2000


@pytest.mark.parametrize("jerks", JERKS)
def test_the_flights_meet_every_end_of_the_arm(jerks: float) -> None:
    whys = {
        why.partition(":")[0] for which in ("2011", "r3") for seed in range(4)
        for _, why in flown(seed, which, jerks)[0].words
    }  # fmt: skip
    assert {"outer boundary", "dead zone"} <= whys
    assert any(why.startswith("wrist in line") for why in whys)


@pytest.mark.parametrize("jerks", JERKS)
@pytest.mark.parametrize("seed", [5, 6])
def test_a_minute_on_an_arm_from_urdf(tmp_path: Path, seed: int, jerks: float) -> None:
    carrier = replace(urdf_arm(tmp_path), jerks=jerks)
    start = np.array([0.1, 0.3, 0.8, 0.2, 0.7, 0.1])
    pilot = art.Pilot(carrier, start)
    check(fly(pilot, wandering(seed)), carrier, carrier.chain.tip, start)


@pytest.mark.parametrize(("share", "jerks"), [(1.0, np.inf), (0.7, np.inf), (1.0, 300.0)])
def test_a_minute_with_torques_that_do_not_hold_the_arm_everywhere(
    share: float, jerks: float
) -> None:
    efforts = share * np.array([308.0, 631.0, 439.0, 88.0, 153.0, 31.0])
    carrier = art.Carrier(
        art.figure("manutec_r3"), "flange", r3().camera, efforts=efforts, gravity=(0, -9.81, 0),
        jerks=jerks,
    )  # fmt: skip
    pilot = art.Pilot(carrier, R3_START, shaping=art.Shaping(speed=0.6, turn=0.8))
    take = fly(pilot, wandering(1))
    check(take, carrier, carrier.chain.tip, R3_START)
    rates = np.diff(take.q, axis=0, prepend=R3_START[None]) / STEP
    changes = np.diff(rates, axis=0, prepend=0.0 * rates[:1]) / STEP
    needed = carrier.torques(take.q, rates, changes)
    assert (np.abs(needed) <= efforts).all()
    assert any(why.startswith("torque") for _, why in take.words)
