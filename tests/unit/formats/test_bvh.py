"""BVH: what is written comes back, links stand where the figure's do, and texts that are none."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.errors import FormatError
from articulata.formats.bvh.bvh_figures import Clip, figure_of_bvh, motion_of
from articulata.formats.bvh.text import Motion, parse_bvh, write_bvh
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose

SMALL = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT chest
  {
    OFFSET 0 20 1
    CHANNELS 3 Yrotation Xrotation Zrotation
    End Site
    {
      OFFSET 0 10 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.25
1 90 3 10 20 30 40 50 60
2 91 4 11 21 31 41 51 61
"""


def turned(axis: str, degrees: float) -> Array:
    """A turn about one axis, written out."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array(
        {
            "x": ((1, 0, 0), (0, c, -s), (0, s, c)),
            "y": ((c, 0, s), (0, 1, 0), (-s, 0, c)),
            "z": ((c, -s, 0), (s, c, 0), (0, 0, 1)),
        }[axis]
    )


def test_a_text_is_read_and_written_again() -> None:
    motion = parse_bvh(SMALL)
    assert [bone.name for bone in motion.bones] == ["hips", "chest"]
    again = parse_bvh(write_bvh(motion))
    assert again.bones == motion.bones
    np.testing.assert_array_equal(again.values, motion.values)
    assert again.period == 0.25


def test_bones_turn_in_the_order_of_their_channels() -> None:
    figure, clip = figure_of_bvh(parse_bvh(SMALL))
    X_WF = clip.X_WF[0]
    np.testing.assert_allclose(X_WF[:3, 3], (0.01, 0.9, 0.03))
    hips = turned("z", 10) @ turned("x", 20) @ turned("y", 30)
    np.testing.assert_allclose(X_WF[:3, :3], hips, atol=1e-12)
    X = X_WF @ figure.landmark(clip.q[0], "chest end")
    chest = hips @ turned("y", 40) @ turned("x", 50) @ turned("z", 60)
    np.testing.assert_allclose(X[:3, :3], chest, atol=1e-12)
    place = X_WF[:3, 3] + hips @ (0, 0.2, 0.01) + chest @ (0, 0.1, 0)
    np.testing.assert_allclose(X[:3, 3], place, atol=1e-12)
    assert clip.times.tolist() == [0.0, 0.25]


def places_of(motion: Motion) -> dict[str, Array]:
    """Where bones are (m), by a reader of this test's own."""
    found: dict[str, Array] = {}
    numbers: list[Array] = []
    at = 0
    for bone in motion.bones:
        width = len(bone.channels)
        X = np.tile(np.eye(4), (len(motion.values), 1, 1))
        X[:, :3, 3] = bone.offset
        for channel, column in zip(bone.channels, motion.values[:, at : at + width].T, strict=True):
            for n, value in enumerate(column):
                step = np.eye(4)
                if channel.endswith("position"):
                    step["XYZ".index(channel[0]), 3] = value
                else:
                    step[:3, :3] = turned(channel[0].lower(), value)
                X[n] = X[n] @ step
        at += width
        numbers.append(X if bone.parent < 0 else numbers[bone.parent] @ X)
        found[bone.name] = 0.01 * numbers[-1][:, :3, 3]
    return found


@pytest.mark.parametrize("name", ["person", "jack_1995", "human_upper_body"])
def test_links_of_a_figure_are_where_its_bones_are(name: str) -> None:
    figure = art.figure(name)
    rng = np.random.default_rng(5)
    q = rng.normal(scale=0.5, size=(4, figure.dof))
    X_WF = np.tile(np.eye(4), (4, 1, 1))
    X_WF[:, :3, :3] = [art.Rotation.exp(v).to_matrix() for v in rng.normal(size=(4, 3))]
    X_WF[:, :3, 3] = rng.normal(size=(4, 3))
    clip = Clip(np.array((0.0, 0.1, 0.2, 0.3)), q, X_WF)
    found = places_of(parse_bvh(write_bvh(motion_of(figure, clip, up=(0.0, 1.0, 0.0)))))
    X = X_WF[:, None] @ inverse_pose(figure.base) @ figure.poses(q)
    compared = 0
    for number, joint in enumerate(figure.joints):
        link = figure.links[joint.name].name
        if link in found:
            np.testing.assert_allclose(found[link], X[:, number, :3, 3], atol=1e-7)
            compared += 1
    assert compared >= 3


def test_times_are_made_even() -> None:
    figure = art.figure("jack_1995")
    q = np.zeros((4, figure.dof))
    q[:, 0] = (0.0, 0.1, 0.2, 0.4)
    clip = Clip(np.array((0.0, 0.1, 0.2, 0.4)), q, np.tile(np.eye(4), (4, 1, 1)))
    motion = motion_of(figure, clip)
    assert (len(motion.values), motion.period) == (5, pytest.approx(0.1))


def test_between_two_frames_a_bone_turns_the_short_way() -> None:
    """One posture has two sets of angles: which of them a frame tells makes no difference."""
    figure = art.figure("jack_1995")
    a, b, c = (
        figure.coordinate(f"right {name}")
        for name in ("shoulder azimuth", "shoulder elevation", "upper arm roll")
    )
    q = np.tile(figure.neutral, (4, 1))
    q[:, a], q[:, b], q[:, c] = 0.4, (0.3, 0.1, -0.1, -0.3), 0.2
    other = q.copy()
    other[2:] += np.pi * (np.eye(figure.dof)[a] + np.eye(figure.dof)[c])
    other[2:, b] *= -1.0
    times, stand = np.array((0.0, 0.1, 0.25, 0.35)), np.tile(np.eye(4), (4, 1, 1))
    found, same = (places_of(motion_of(figure, Clip(times, each, stand))) for each in (other, q))
    for name, where in found.items():
        np.testing.assert_allclose(where, same[name], atol=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("HIERARCHY", "", "line 2: a BVH has HIERARCHY here"),
        ("Frames: 2", "Frames: 1", "end before this"),
        ("Frames: 2", "Frames: 3", "not the end of the text"),
        ("0.25", "0", "no motion"),
        ("20 1", "20 nan", "line 8: 'nan' is no number"),
        ("3 Yrotation", "3 Wrotation", "line 9: a BVH has Xposition or"),
        ("MOTION", "}", "line 16: a BVH has MOTION here"),
    ],
)
def test_what_is_no_bvh_is_refused_with_its_line(old: str, new: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        parse_bvh(SMALL.replace(old, new, 1))


def test_a_bone_that_moves_is_refused() -> None:
    text = SMALL.replace("3 Yrotation Xrotation Zrotation", "3 Yrotation Xposition Zrotation")
    with pytest.raises(FormatError, match="'chest' moves in its parent by Xposition"):
        figure_of_bvh(parse_bvh(text))
