from __future__ import annotations

import numpy as np
import pytest

from articulata.geometry.shapes import HalfSpace
from articulata.report.viewer.motion_sources import Look, Motion, bounds


def turning(count: int = 11) -> Motion:
    """One body that turns about z at 1 rad/s and travels along x at 1 m/s for 1 s."""
    times = np.linspace(0.0, 1.0, count)
    poses = np.zeros((count, 1, 7))
    poses[:, 0, 0] = times
    poses[:, 0, 3], poses[:, 0, 6] = np.cos(times / 2), np.sin(times / 2)
    return Motion("turning", (Look("body", None, (0, 0, 0)),), times, poses, (0.0, 0.0, 1.0))


def test_poses_at_a_frame_are_the_stored_ones() -> None:
    motion = turning()
    np.testing.assert_array_equal(motion.at(motion.times[3]), motion.poses[3])


def test_poses_between_frames_are_interpolated() -> None:
    pose = turning().at(0.55)[0]
    assert pose[0] == pytest.approx(0.55)
    assert 2 * np.arctan2(pose[6], pose[3]) == pytest.approx(0.55, abs=1e-5)


def test_opposite_quaternions_of_one_rotation_do_not_spin_between_frames() -> None:
    motion = turning()
    motion.poses[6, :, 3:] *= -1
    pose = motion.at(0.55)[0]
    assert abs(2 * np.arctan2(pose[6], pose[3])) == pytest.approx(0.55, abs=1e-5)


def test_a_body_that_does_not_exist_yet_stays_away() -> None:
    motion = turning()
    motion.poses[:5] = np.nan
    assert np.isnan(motion.at(0.2)).all()
    assert not np.isnan(motion.at(0.9)).any()


def test_the_later_of_two_frames_at_one_instant_is_shown() -> None:
    motion = turning(3)
    motion.times[:] = (0.0, 0.5, 0.5)
    np.testing.assert_array_equal(motion.at(0.5), motion.poses[2])


def test_bounds_hold_every_frame() -> None:
    low, high = bounds(turning(), np.array([[(-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)]]))
    # the last of its frames has turned by one radian
    wide = 0.1 * (np.cos(np.pi / 4) + np.sin(np.pi / 4))
    np.testing.assert_allclose(low, (-0.1, -wide, -0.1), rtol=1e-2)
    np.testing.assert_allclose(high, (1 + 0.1 * (np.cos(1) + np.sin(1)), wide, 0.1), rtol=1e-2)


def test_bounds_lie_close_about_a_body_whose_frame_is_at_its_end() -> None:
    motion = turning()
    motion.poses[:] = (0, 0, 0, 1, 0, 0, 0)
    low, high = bounds(motion, np.array([[(-0.1, -2.0, -0.1), (0.1, 0.0, 0.1)]]))
    np.testing.assert_allclose(low, (-0.1, -2.0, -0.1))
    np.testing.assert_allclose(high, (0.1, 0.0, 0.1), atol=1e-15)


def beside(shape: HalfSpace | None, far: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of three cubes of 20 cm in a row of 1 m, one of which flies ``far`` m."""
    looks = tuple(Look(str(k), shape if k == 2 else None, (0, 0, 0)) for k in range(3))
    poses = np.zeros((11, 3, 7))
    poses[..., 3] = 1.0
    poses[:, 1, 0] = 0.8
    poses[:, 2, 1] = np.linspace(0.0, far, 11)
    motion = Motion("flight", looks, np.linspace(0.0, 1.0, 11), poses, (0.0, 0.0, 1.0))
    return bounds(motion, np.tile([(-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)], (3, 1, 1)))


def test_what_flies_away_leaves_the_view_and_what_rolls_over_a_ground_stays_in_it() -> None:
    low, high = beside(None, 30.0)
    np.testing.assert_allclose(low, (-0.1, -0.1, -0.1))
    # half the diagonal of what stays, a box of 1 by 0.2 by 0.2, is seen of the way
    np.testing.assert_allclose(high, (0.9, 0.1 + 0.5 * np.sqrt(1.08), 0.1))
    np.testing.assert_allclose(beside(None, 1.5)[1], (0.9, 1.6, 0.1))
    np.testing.assert_allclose(beside(HalfSpace(), 30.0)[1], (0.9, 30.1, 0.1))


def test_bodies_that_swing_about_a_small_hook_are_all_in_view() -> None:
    motion = turning()
    poses = np.repeat(motion.poses, 2, axis=1)
    poses[:, 0] = (0, 0, 0, 1, 0, 0, 0)
    angle = np.linspace(0.0, 2 * np.pi, 11)
    poses[:, 1, :3] = np.stack([np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    poses[:, 1, 3:] = (1, 0, 0, 0)
    swing = Motion("swing", motion.looks * 2, motion.times, poses, motion.up)
    low, high = bounds(swing, np.full((2, 2, 3), [[-0.01], [0.01]]))
    np.testing.assert_allclose([low[1], high[1]], (-1.01, 1.01))
