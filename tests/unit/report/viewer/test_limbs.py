"""A figure's links as a tree of frames: they stand where links do; what stays is not sent."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.library import figure
from articulata.report.viewer.figures.link_surfaces import Limbs


class Scene:
    """Stands for viser's: keeps frames by their paths, and counts what is sent to them."""

    def __init__(self) -> None:
        self.frames: dict[str, Any] = {}
        self.sent: list[str] = []

    def add_frame(self, path: str, *, show_axes: bool) -> Any:
        def queue(message: Any) -> None:
            self.sent.append(f"{type(message).__name__} {message.name}")

        api = SimpleNamespace(_queue_scene_message=queue)
        self.frames[path] = SimpleNamespace(
            name=path, position=np.zeros(3), wxyz=np.array((1.0, 0.0, 0.0, 0.0)), api=api
        )
        return SimpleNamespace(_impl=self.frames[path])

    def pose(self, path: str) -> Array:
        """Where a frame is, through all that carry it."""
        X = np.eye(4)
        ends = [k for k, letter in enumerate(path) if letter == "/"][2:]
        for end in (*ends, len(path)):
            frame = self.frames[path[:end]]
            step = np.eye(4)
            step[:3, :3], step[:3, 3] = q_to_matrix(frame.wxyz), frame.position
            X = X @ step
        return X


@pytest.mark.parametrize("name", ["person", "manutec_r3"])
def test_frames_stand_where_links_do(name: str) -> None:
    made, scene, rng = figure(name), Scene(), np.random.default_rng(0)
    joints = [-1, *range(0, len(made.joints), 2)]
    limbs = Limbs(scene, "/figure", made, joints)
    for q in rng.uniform(-3.0, 3.0, (6, made.dof)):
        X = made.poses(q)
        np.testing.assert_allclose(limbs.draw(made, q), X, atol=1e-12)
        for joint in joints:
            expected = made.base if joint < 0 else X[joint]
            np.testing.assert_allclose(scene.pose(limbs.path(joint)), expected, atol=1e-7)


def test_frames_stand_where_those_of_another_figure_that_is_alike_do() -> None:
    usual, tall = (figure("person", height=height) for height in (1.7, 1.9))
    scene, rng = Scene(), np.random.default_rng(0)
    joints = [-1, *range(0, len(usual.joints), 2)]
    limbs = Limbs(scene, "/figure", usual, joints)
    for made in (usual, tall, usual):
        q = rng.uniform(-1.0, 1.0, made.dof)
        X = made.poses(q)
        np.testing.assert_allclose(limbs.draw(made, q), X, atol=1e-12)
        for joint in joints:
            expected = made.base if joint < 0 else X[joint]
            np.testing.assert_allclose(scene.pose(limbs.path(joint)), expected, atol=1e-7)


def test_an_arm_that_moves_is_three_messages() -> None:
    made, scene = figure("person"), Scene()
    links = [k for k, joint in enumerate(made.joints) if made.links[joint.name].mass > 0.0]
    limbs = Limbs(scene, "/figure", made, [-1, *links])
    q = made.neutral.copy()
    limbs.draw(made, q)
    scene.sent.clear()
    limbs.draw(made, q)
    assert scene.sent == []
    arm = [made.coordinate(f"r_{name}") for name in ("shoulder_flexion", "elbow_flexion")]
    q[arm] += 0.3
    q[made.coordinate("r_radiocarpal_flexion")] -= 0.2
    limbs.draw(made, q)
    assert [each.split()[0] for each in scene.sent] == ["SetOrientationMessage"] * 3
