"""Where a posture ends another may go on: the arm is led there, or it is said why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import articulata as art
from articulata.analyses.film.pilot import CHANGES, FOLLOWS, SLOWED, STOPPED
from articulata.analyses.film.posture_changes import other_postures
from articulata.errors import KinematicsError
from articulata.geometry.shapes import Cuboid
from articulata.kinematics.skeleton import bones
from camera_arms import START_2011, arm_2011, r3, tip_2011, wrist_2011


@pytest.mark.parametrize("jerks", [np.inf, 300.0])
def test_a_joint_s_end_is_passed_by_another_posture_to_which_the_arm_is_led(jerks: float) -> None:
    carrier = replace(arm_2011(), jerks=jerks)
    start = START_2011.copy()
    start[5] = np.radians(110)
    pilot = art.Pilot(carrier, start)
    wish = np.zeros(6)
    for _ in range(1200):
        X, J = pilot.X_WC, carrier.chain.jacobian(pilot.q)
        w = 0.8 * J[3:, 5]
        v = np.cross(w, X[:3, 3] - wrist_2011(pilot.q))
        wish = np.concatenate([X[:3, :3].T @ v, X[:3, :3].T @ w])
        tick = pilot.go(wish)
        if tick.state == STOPPED and not pilot.rates.any():
            break
    assert "u6 at its upper end" in pilot.reason(tick.code)
    offered = pilot.other_postures()
    assert offered
    for each in offered:
        np.testing.assert_allclose(tip_2011(each.q), tip_2011(pilot.q), atol=1e-9)
    # with nothing wished all of them hold the view; of a wish into the end none but those go on
    assert len(other_postures(carrier, pilot.q)) >= len(offered)
    before, rows = pilot.X_WC, [pilot.q, pilot.q]
    pilot.change(offered[0].q)
    for _ in range(1500):
        tick = pilot.go(wish)
        if tick.state != CHANGES:
            break
        rows.append(tick.q)
        assert "led there" in pilot.reason(tick.code)
    np.testing.assert_allclose(rows[-1], offered[0].q, atol=1e-9)
    np.testing.assert_allclose(tip_2011(rows[-1]), before, atol=1e-9)
    rates = np.diff(np.array(rows), axis=0) / pilot.step
    turns = np.diff(rates, 2, axis=0, prepend=0.0 * rates[:1]) / pilot.step**2
    assert (np.abs(turns) <= jerks * (1 + 1e-6)).all()
    assert (np.abs(rates) <= carrier.speeds * (1 + 1e-9)).all()
    changes = np.diff(rates, axis=0) / pilot.step
    assert (np.abs(changes) <= carrier.accelerations * (1 + 1e-9)).all()
    for _ in range(100):
        tick = pilot.go(wish)
    assert tick.state in (FOLLOWS, SLOWED)


def test_an_arm_that_moves_or_would_strike_is_not_led() -> None:
    figure = art.figure("manutec_r3")
    start = np.radians([0.0, 30.0, 60.0, 20.0, -60.0, 10.0])
    carrier = art.Carrier(figure, "flange", r3().camera)
    free = other_postures(carrier, start)
    assert free
    middle = np.eye(4)
    middle[:3, 3] = carrier.chain.tip(0.5 * (start + free[-1].q))[:3, 3]
    lamp = art.Obstacle("lamp", Cuboid(0.3, 0.3, 0.3), middle)
    clash = art.Clash(figure, [lamp], shapes=bones(figure))
    walled = art.Carrier(figure, "flange", r3().camera, clash=clash)
    pilot = art.Pilot(walled, start)
    with pytest.raises(KinematicsError, match="would strike"):
        pilot.change(free[-1].q)
    pilot = art.Pilot(carrier, start)
    for _ in range(20):
        pilot.go(np.array([0.1, 0, 0, 0, 0, 0]))
    with pytest.raises(KinematicsError, match="come to rest"):
        pilot.change(free[0].q)
    with pytest.raises(KinematicsError, match="6 finite values"):
        pilot.change(np.zeros(3))
