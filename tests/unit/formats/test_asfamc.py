"""Acclaim's skeletons and motions: a small one, written here, and texts that are none."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.errors import FormatError
from articulata.formats.asf_amc import parse_amc, parse_asf

ASF = """
:version 1.10
:units
  mass 1.0
  length 0.5
  angle deg
:root
   order TX TY TZ RX RY RZ
:bonedata
  begin
     name chest
     direction 0 1 0
     length 2
     axis 0 0 0 XYZ
  end
  begin
     name rhumerus
     direction -1 0 0
     length 1
     axis 0 0 90 XYZ
     dof rx ry rz
     limits (-90.0 60.0)
            (-80 80)
            (-70 70)
  end
  begin
     name rradius
     direction -1 0 0
     length 1
     axis 0 0 90 XYZ
     dof rx
  end
:hierarchy
  begin
    root chest
    chest rhumerus
    rhumerus rradius
  end
"""
AMC = """
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 0 90 0
rhumerus 10 20 30
2
rradius 45
"""


def rotation(axis: str, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    rows = {
        "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }
    return np.array(rows[axis])


def test_bones_turn_about_their_own_axes() -> None:
    skeleton = parse_asf(ASF)
    figure = skeleton.figure
    clip = parse_amc(AMC, skeleton, rate=100.0)
    np.testing.assert_allclose(clip.times, [0.0, 0.01])
    unit = 0.0254 / 0.5
    C = rotation("z", 90)
    turned = rotation("z", 30) @ rotation("y", 20) @ rotation("x", 10)
    upper = C @ turned @ C.T
    X = figure.poses(clip.q[1])
    arm, fore = figure.index("rhumerus rx"), figure.index("rradius rx")
    np.testing.assert_allclose(X[arm, :3, :3], upper, atol=1e-12)
    np.testing.assert_allclose(X[arm, :3, 3], (0.0, 2.0 * unit, 0.0), atol=1e-12)
    elbow = X[arm, :3, 3] + upper @ (-unit, 0.0, 0.0)
    np.testing.assert_allclose(X[fore, :3, 3], elbow, atol=1e-12)
    forearm = upper @ C @ rotation("x", 45) @ C.T
    np.testing.assert_allclose(X[fore, :3, :3], forearm, atol=1e-12)
    # what a frame leaves out is as before; the root is the base
    assert clip.q[0, figure.coordinate("rradius rx")] == 0.0
    np.testing.assert_allclose(clip.X_WF[1, :3, 3], np.array((1, 2, 3)) * unit)
    np.testing.assert_allclose(clip.X_WF[1, :3, :3], rotation("y", 90), atol=1e-12)
    limits = figure.joints[figure.index("rhumerus rz")].limits
    np.testing.assert_allclose(np.degrees(limits), (-70.0, 70.0))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no bones"),
        (":bonedata\nbegin\n name a\n length long\nend\n", "line 4"),
        (":bonedata\n name a\n", "outside a bone"),
        (":units\n angle rad\n", "angles in rad"),
        (":bonedata\nbegin\nname a\ndof tx\nend\n", "rx, ry, rz"),
        (":bonedata\nbegin\nname a\nend\n:hierarchy\nb a\n", "which is no bone"),
    ],
)
def test_what_is_no_skeleton_is_refused(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        parse_asf(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no frames"),
        ("rradius 1\n", "before the first frame"),
        ("1\nnose 1\n", "no bone 'nose'"),
        ("1\nrradius 1 2\n", "1 numbers, not by 2"),
        ("1\nrradius one\n", "holds no numbers"),
        ("1\nroot 1\n", "6 numbers, not 1"),
    ],
)
def test_what_is_no_motion_is_refused(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        parse_amc(text, parse_asf(ASF))
