"""Frames of links, posture after posture: where they stand, in what, and which have moved."""

from __future__ import annotations

import numpy as np

from articulata.geometry.quaternion import q_to_matrix
from articulata.geometry.rotation import Rotation
from articulata.kernels.chains.limb_frames import PLACED, TURNED
from articulata.kinematics.library import figure
from articulata.kinematics.link_frames import LinkFrames


def test_links_stand_where_the_figure_says_behind_a_pose_before_it() -> None:
    made, rng = figure("person"), np.random.default_rng(3)
    frames = LinkFrames(made, [*range(len(made.joints)), -1], [-1] * (len(made.joints) + 1))
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.exp((0.3, -2.0, 0.7)).to_matrix(), (0.4, 1.2, -0.3)
    for q in rng.uniform(-2.0, 2.0, (5, made.dof)):
        frames.place(q, X)
        expected = X @ np.concatenate((made.poses(q), made.base[None]))
        np.testing.assert_allclose(frames.poses, expected[:-1], atol=1e-14)
        np.testing.assert_allclose(frames.rows[:, :3], expected[:, :3, 3], atol=1e-14)
        np.testing.assert_allclose(q_to_matrix(frames.rows[:, 3:]), expected[:, :3, :3], atol=1e-14)


def test_what_stands_still_in_what_it_stands_in_has_not_moved() -> None:
    made = figure("person")
    elbow, hand = (made.index(f"r_{name}") for name in ("elbow_flexion", "radiocarpal_flexion"))
    frames = LinkFrames(made, [elbow, hand, -1], [-1, 0, -1], same=1e-9)
    q = made.neutral.copy()
    assert frames.place(q).tolist() == [PLACED | TURNED] * 3
    assert frames.place(q).tolist() == [0, 0, 0]
    q[made.coordinate("r_elbow_flexion")] += 0.2
    assert frames.place(q).tolist() == [TURNED, 0, 0]
    q[made.coordinate("r_shoulder_flexion")] += 0.2
    assert frames.place(q).tolist() == [PLACED | TURNED, 0, 0]
