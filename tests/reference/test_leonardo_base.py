"""Leonardo's base linkage: Thomann, Design of Human-Like Posture Prediction, MIT, 2005, appendix B.

Check values are those of the linkage's own equations with the printed lengths, in mm and degrees.
"""

import math

import numpy as np
import pytest

import articulata as art
from articulata.errors import KinematicsError
from articulata.kinematics.leonardo_base import WITHIN, BaseLinkage, driven

BASE = BaseLinkage()


def test_check_values_at_motors_zero() -> None:
    found = BASE.forward([0.0, 0.0, 0.0])
    assert pytest.approx([135.726, 81.011], abs=5e-4) == found.P1 * 1e3
    assert pytest.approx([358.024, 81.744], abs=5e-4) == found.P2 * 1e3
    assert pytest.approx([444.10, -71.77], abs=5e-3) == found.C * 1e3
    assert math.dist(found.P1, found.P2) == pytest.approx(0.2223, abs=1e-15)
    assert float(found.theta1) == pytest.approx(2.087190, abs=5e-7)
    assert float(found.theta2) == pytest.approx(-1.059805, abs=5e-7)
    # Theta3 is printed with the wrong sign.
    degrees = np.degrees([found.theta1, found.theta2, found.theta3, found.pi1, found.pi2])
    assert degrees == pytest.approx([119.59, -60.72, 9.37, -119.40, 60.91], abs=5e-3)


def as_printed(phi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return C, P1, P2 (n, 2) in m by the arc cosines of the listing."""
    D1, D2, D3, h, H = 0.120, 0.645, 0.724, 0.034, 0.159
    R1, R2, R3, R4, L, S, Lb = 0.276, 0.176, 0.100, 0.232, 0.152, 0.051, 0.2223
    a, b, c = phi.T
    B = np.column_stack([D2 - L * np.cos(b), -H - L * np.sin(b)])
    D = np.column_stack([D3 - S * np.cos(c), -h - S * np.sin(c)])
    BD = np.linalg.norm(B - D, axis=1)
    M2D = np.linalg.norm([D2, -H] - D, axis=1)
    alpha1 = np.arccos((L**2 + BD**2 - M2D**2) / (2 * L * BD))
    alpha2 = np.arccos((R3**2 + BD**2 - R4**2) / (2 * R3 * BD))
    t = b - np.pi + alpha1 + alpha2
    along = np.column_stack([np.cos(t), np.sin(t)])
    C, P2 = B - R3 * along, B - (R3 + R2) * along
    A = np.column_stack([D1 + L * np.cos(a), -H + L * np.sin(a)])
    AP = np.linalg.norm(A - P2, axis=1)
    M1P = np.linalg.norm([D1, -H] - P2, axis=1)
    beta1 = np.arccos((L**2 + AP**2 - M1P**2) / (2 * L * AP))
    beta2 = np.arccos((R1**2 + AP**2 - Lb**2) / (2 * R1 * AP))
    s = a + np.pi - (beta1 - beta2)
    return C, A + R1 * np.column_stack([np.cos(s), np.sin(s)]), P2


def test_the_listing_agrees_within_30_degrees() -> None:
    phi = np.random.default_rng(30).uniform(-np.pi / 6, np.pi / 6, (5000, 3))
    found = BASE.forward(phi)
    assert found.closes.all()
    for ours, printed in zip((found.C, found.P1, found.P2), as_printed(phi), strict=True):
        np.testing.assert_allclose(ours, printed, atol=1e-12)


def test_the_listing_loses_its_mode_beyond() -> None:
    phi = np.random.default_rng(45).uniform(-np.pi / 4, np.pi / 4, (5000, 3))
    found = BASE.forward(phi)
    off = np.max(np.abs(found.P1 - as_printed(phi)[1]), axis=1)
    assert 0.9 < np.mean(off < 1e-9) < 0.99


def test_rods_keep_their_lengths() -> None:
    phi = np.random.default_rng(1).uniform(-1.5, 1.5, (5000, 3))
    f = BASE.forward(phi)
    closed = f.closes
    assert 0.5 < closed.mean() < 1.0
    for one, two, length in (
        (f.A, f.P1, 0.276), (f.B, f.C, 0.100), (f.B, f.P2, 0.276), (f.D, f.C, 0.232),
        (f.P1, f.P2, 0.2223),
    ):  # fmt: skip
        apart = np.linalg.norm(one - two, axis=1)[closed]
        np.testing.assert_allclose(apart, length, rtol=1e-13)


def test_inverse_of_forward() -> None:
    """10,000 reachable motor triples come back within 1e-9 rad."""
    phi = np.random.default_rng(2005).uniform(-math.pi / 3, math.pi / 3, (12_000, 3))
    found = BASE.forward(phi)
    phi = phi[found.closes][:10_000]
    found = BASE.forward(phi)
    assert len(phi) == 10_000
    motors, same = BASE.inverse(found.P1, found.turn)
    off = np.abs(np.angle(np.exp(1j * (motors - phi[:, None])))).max(axis=-1)
    assert np.where(same, off, np.inf).min(axis=1).max() <= 1e-9
    # Every triple of the same mode leads back to the same plate.
    rows, slots = np.nonzero(same & np.isfinite(off))
    again = BASE.forward(motors[rows, slots])
    np.testing.assert_allclose(again.P1, found.P1[rows], atol=1e-9)
    np.testing.assert_allclose(again.turn, found.turn[rows], atol=1e-8)


def test_the_nearest_motors_follow_a_start() -> None:
    phi = np.random.default_rng(7).uniform(-0.5, 0.5, (500, 3))
    found = BASE.forward(phi)
    again = BASE.nearest(found.P1, found.turn, phi + 1e-4)
    np.testing.assert_allclose(again, phi, atol=1e-9)
    assert np.isnan(BASE.nearest([9.0, 9.0], 0.0)).all()


def test_the_plate_held_twice_over() -> None:
    """Both chains meet with the linkage's lengths and miss each other with those of the rows."""
    phi = np.random.default_rng(8).uniform(-0.5, 0.5, (500, 3))
    halves = {"right": 0.1136, "left": 0.1087}
    assert BASE.gap(phi, crank=0.152, rod=0.276, **halves).max() < 1e-14
    assert 0.5e-3 < BASE.gap(np.zeros(3), crank=0.1524, rod=0.28, **halves) < 1.5e-3


def test_what_cannot_close_says_so() -> None:
    assert not BASE.forward([3.0, 3.0, 3.0]).closes
    with pytest.raises(KinematicsError, match="cannot close at motor angles"):
        BASE.plate([3.0, 3.0, 3.0])
    with pytest.raises(KinematicsError, match=r"motor angles are \(\*batch, 3\)"):
        BASE.forward([0.0, 0.0])


def test_motors_of_a_posture_change_as_their_differences_tell() -> None:
    leonardo = art.figure("leonardo")
    drive = driven(leonardo)
    assert drive is not None
    assert driven(art.figure("leonardo_arm")) is None
    shares = np.random.default_rng(0).uniform(0.05, 0.95, (200, 3))
    q = np.tile(leonardo.neutral, (200, 1))
    q[:, drive.columns] = drive.spread(shares)
    motors = drive.motors(q)
    # the second left crank stands on either side of its rod; the angle nearer to 0 is taken
    same = np.abs(motors - WITHIN * (2.0 * shares - 1.0)).max(axis=1) < 1e-6
    assert same.mean() > 0.5
    room, slopes = drive.room(q)
    np.testing.assert_allclose(room[same], WITHIN - np.abs(motors[same]), atol=1e-12)
    step = 1e-7
    for number, column in enumerate(drive.columns):
        more, less = q.copy(), q.copy()
        more[:, column] += step
        less[:, column] -= step
        change = (drive.room(more)[0] - drive.room(less)[0]) / (2.0 * step)
        near = np.abs(change - slopes[:, :, number]) < 1e-4 * (1.0 + np.abs(change))
        assert near[same].mean() > 0.95
    q[0, drive.columns] = 1.0, 0.0, 0.0  # no crank reaches so far
    room, slopes = drive.room(q[:1])
    assert (room == -1.0).all()
    assert not slopes.any()
