"""An AMC motion: numbers of every bone, frame by frame, for a skeleton."""

from __future__ import annotations

import numpy as np

from articulata.errors import FormatError
from articulata.formats.asfamc.asf_skeleton import Skeleton
from articulata.formats.clip import Clip
from articulata.geometry.arrays import Array
from articulata.geometry.euler import q_from_euler
from articulata.geometry.quaternion import q_to_matrix

USUAL_RATE = 120.0
"""Frames a second of the database of Carnegie Mellon; the files themselves do not say."""


def parse_amc(text: str, skeleton: Skeleton, *, rate: float = USUAL_RATE) -> Clip:
    """Return the motion in ``text`` of ``rate`` frames a second; raise FormatError with the line.

    A joint that a frame leaves out is as in the frame before, neutral in the first.
    """
    figure, joints = skeleton.figure, skeleton.joints
    columns = {
        bone: np.array([figure.coordinate(name) for name in names], np.int64)
        for bone, names in joints.items()
    }
    postures: list[Array] = []
    bases: list[Array] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words or words[0].startswith(":"):
            continue
        if len(words) == 1 and words[0].isdigit():
            postures.append(postures[-1].copy() if postures else figure.neutral.copy())
            bases.append(bases[-1].copy() if bases else np.eye(4))
            continue
        try:
            values = np.array([float(word) for word in words[1:]])
        except ValueError:
            raise FormatError(f"line {number}: {line.strip()!r} holds no numbers") from None
        if not postures:
            raise FormatError(f"line {number}: numbers of '{words[0]}' come before the first frame")
        if words[0] == "root":
            bases[-1] = _base(values, skeleton, number)
        elif words[0] not in columns:
            raise FormatError(f"line {number}: the skeleton has no bone '{words[0]}'")
        elif len(values) != len(columns[words[0]]):
            raise FormatError(
                f"line {number}: '{words[0]}' turns by {len(columns[words[0]])} numbers, not by"
                f" {len(values)}"
            )
        else:
            postures[-1][columns[words[0]]] = np.radians(values)
    if not postures:
        raise FormatError("the text has no frames; give an Acclaim motion (.amc)")
    return Clip(np.arange(len(postures)) / rate, np.array(postures), np.array(bases))


def _base(values: Array, skeleton: Skeleton, number: int) -> Array:
    if len(values) != len(skeleton.root):
        raise FormatError(
            f"line {number}: the root has {len(skeleton.root)} numbers, not {len(values)}"
        )
    said = dict(zip((each.upper() for each in skeleton.root), values.tolist(), strict=True))
    X = np.eye(4)
    turn = [said.get(f"R{axis}", 0.0) for axis in "XYZ"]
    X[:3, :3] = q_to_matrix(q_from_euler("xyz", np.radians(turn)))
    X[:3, 3] = [skeleton.scale * said.get(f"T{axis}", 0.0) for axis in "XYZ"]
    return X
