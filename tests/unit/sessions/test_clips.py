"""Motion capture that an emulated wearer performs: arms of another skeleton as his own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from articulata.analyses.track.tracked_person import tracked_body
from articulata.errors import ArticulataError
from articulata.formats.bvh.bvh_figures import Clip, motion_of
from articulata.formats.bvh.text import write_bvh
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.kinematics.library import figure
from articulata.sessions.track.emulation import clip_of

FRAMES = 20


def places(text: str, bone: str) -> Array:
    """Where a bone begins, (n, 3), by a reader of its own: offsets, then turns as listed."""
    head, _, tail = text.partition("MOTION")
    stack: list[str] = []
    bones: list[tuple[str, str, list[float], list[str]]] = []
    lines = iter(head.split("\n"))
    for line in lines:
        words = line.split()
        if words[:1] in (["ROOT"], ["JOINT"]):
            bones.append((words[1], stack[-1] if stack else "", [], []))
        elif words[:1] == ["{"]:
            stack.append(bones[-1][0])
        elif words[:1] == ["}"]:
            stack.pop()
        elif words[:1] == ["End"]:
            for _ in range(3):
                next(lines)
        elif words[:1] == ["OFFSET"]:
            bones[-1][2].extend(map(float, words[1:]))
        elif words[:1] == ["CHANNELS"]:
            bones[-1][3].extend(words[2:])
    rows = [list(map(float, line.split())) for line in tail.strip().split("\n")[2:]]
    found = []
    for row in rows:
        numbers, X = iter(row), {"": np.eye(4)}
        for name, parent, offset, channels in bones:
            own = np.eye(4)
            own[:3, 3] = offset
            for channel in channels:
                value, axis = next(numbers), "XYZ".index(channel[0])
                if channel.endswith("position"):
                    own[axis, 3] += value
                else:
                    turn = np.zeros(3)
                    turn[axis] = np.radians(value)
                    own[:3, :3] = own[:3, :3] @ Rotation.exp(turn).to_matrix()
            X[name] = X[parent] @ own
        found.append(X[bone][:3, 3])
    return np.array(found)


def test_a_clip_of_the_same_body_is_the_same_motion(tmp_path: Path) -> None:
    body = tracked_body(figure("person"))
    times = 0.05 * np.arange(FRAMES)
    q = np.tile(body.rest, (FRAMES, 1))
    swing = np.sin(6.0 * times)[:, None]
    for side, columns in enumerate(body.columns):
        amount = np.array((0.5, 0.2, 0.1, 0.5, 0.3, 0.2, 0.1)) * (1.0 - 0.4 * side)
        q[:, columns] += (0.6, 0.3, 0.0, 0.8, 0.0, 0.0, 0.0) + swing * amount
    file = tmp_path / "me.bvh"
    X_WF = np.tile(np.eye(4), (FRAMES, 1, 1))
    written = write_bvh(motion_of(body.figure, Clip(times, q, X_WF), up=body.up))
    file.write_text(written, "utf-8")
    tips = places(written, "r_hand")
    R_FB = np.stack([body.forward, np.cross(body.up, body.forward), body.up], axis=1)
    hand = body.arms.each[0].links[2]
    first = body.figure.parents[hand]
    mine = 100.0 * body.figure.poses(q)[:, first, :3, 3] @ R_FB
    # y is up in the file, and lengths are in centimetres: places go apart as they do in the figure
    np.testing.assert_allclose(
        np.linalg.norm(tips - tips[0], axis=1), np.linalg.norm(mine - mine[0], axis=1), atol=0.01
    )
    np.testing.assert_allclose((tips - tips[0])[:, 1], (mine - mine[0])[:, 2], atol=0.01)
    posture = clip_of(file, body)
    found = np.array([posture(time) for time in times[:-1] + 1e-9])
    assert np.degrees(np.abs(found - q[:-1])).max() < 0.02
    # and again from its beginning
    np.testing.assert_allclose(posture(times[-1] + times[3]), q[3], atol=1e-3)
    file.write_text(written.replace("forearm", "part"), "utf-8")
    for bad, said in (
        (file, "no arm is found by the names of its bones"),
        (tmp_path / "absent.bvh", "cannot be read"),
        (tmp_path / "02_01.amc", "has no skeleton beside it"),
    ):
        with pytest.raises(ArticulataError, match=said):
            clip_of(bad, body)
