"""REBA, the rapid entire body assessment of a posture.

Hignett and McAtamney, Rapid entire body assessment (REBA), Applied Ergonomics 31 (2000) 201-205.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from articulata.domains.comfort.body_angles import (
    NEUTRAL,
    NO_WORK,
    BodyAngles,
    PostureScore,
    WorkConditions,
    noticed,
    scored,
    whole,
)
from articulata.geometry.arrays import IntArray

BODY: Final[IntArray] = np.array(
    [
        [[1, 2, 3, 4], [2, 3, 4, 5], [2, 4, 5, 6], [3, 5, 6, 7], [4, 6, 7, 8]],
        [[1, 2, 3, 4], [3, 4, 5, 6], [4, 5, 6, 7], [5, 6, 7, 8], [6, 7, 8, 9]],
        [[3, 3, 5, 6], [4, 5, 6, 7], [5, 6, 7, 8], [6, 7, 8, 9], [7, 8, 9, 9]],
    ]
)
"""Table A: neck 1 to 3, trunk 1 to 5, legs 1 to 4."""

ARM: Final[IntArray] = np.array(
    [
        [[1, 2, 2], [1, 2, 3]],
        [[1, 2, 3], [2, 3, 4]],
        [[3, 4, 5], [4, 5, 5]],
        [[4, 5, 5], [5, 6, 7]],
        [[6, 7, 8], [7, 8, 8]],
        [[7, 8, 8], [8, 9, 9]],
    ]
)
"""Table B: upper arm 1 to 6, lower arm 1 to 2, wrist 1 to 3."""

GRAND: Final[IntArray] = np.array(
    [
        [1, 1, 1, 2, 3, 3, 4, 5, 6, 7, 7, 7],
        [1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 7, 8],
        [2, 3, 3, 3, 4, 5, 6, 7, 7, 8, 8, 8],
        [3, 4, 4, 4, 5, 6, 7, 8, 8, 9, 9, 9],
        [4, 4, 4, 5, 6, 7, 8, 8, 9, 9, 9, 9],
        [6, 6, 6, 7, 8, 8, 9, 9, 10, 10, 10, 10],
        [7, 7, 7, 8, 9, 9, 9, 10, 10, 11, 11, 11],
        [8, 8, 8, 9, 10, 10, 10, 10, 10, 11, 11, 11],
        [9, 9, 9, 10, 10, 10, 11, 11, 11, 12, 12, 12],
        [10, 10, 10, 11, 11, 11, 11, 12, 12, 12, 12, 12],
        [11, 11, 11, 11, 12, 12, 12, 12, 12, 12, 12, 12],
        [12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12],
    ]
)
"""Table C: score A 1 to 12, score B 1 to 12."""


def reba(body: BodyAngles, work: WorkConditions = NO_WORK) -> PostureScore:
    """Return the score, 1 to 15, and its level of action, 0 to 4.

    Level 0 needs nothing, 1 may need changes, 2 needs them, 3 soon, 4 now.
    """
    trunk = scored(body.trunk_flexion, (-20, -NEUTRAL, NEUTRAL, 20, 60), (3, 2, 1, 2, 3, 4))
    trunk = trunk + noticed(body.trunk_twist, body.trunk_side)
    neck = scored(body.neck_flexion, (-NEUTRAL, 20), (2, 1, 2))
    neck = neck + noticed(body.neck_twist, body.neck_side)
    legs = np.full((), 1 if work.seated or work.balanced else 2)
    if not work.seated:
        legs = legs + scored(body.knee_flexion, (30, 60), (0, 1, 2))
    upper_arm = scored(body.upper_arm, (-20, 20, 45, 90), (2, 1, 2, 3, 4))
    upper_arm = upper_arm + (body.abducted | noticed(body.shoulder_rotation)) + body.raised
    upper_arm = np.maximum(upper_arm - int(work.supported), 1)
    lower_arm = scored(body.elbow_flexion, (60, 100), (2, 1, 2))
    wrist = scored(np.abs(body.wrist_flexion), (15,), (1, 2))
    twisted = np.abs(np.asarray(body.forearm_twist, float)) > 0.5
    wrist = wrist + (noticed(body.wrist_deviation) | twisted.astype(np.int64))
    load = int(work.load >= 5.0) + int(work.load > 10.0) + int(work.shock)
    rest = BODY[neck - 1, trunk - 1, legs - 1] + load
    arm = ARM[upper_arm - 1, lower_arm - 1, wrist - 1] + work.grip
    activity = int(work.static) + int(work.repeated) + int(work.unstable)
    score = GRAND[np.minimum(rest, 12) - 1, np.minimum(arm, 12) - 1] + activity
    parts = {
        "trunk": trunk,
        "neck": neck,
        "legs": legs,
        "upper arm": upper_arm,
        "lower arm": lower_arm,
        "wrist": wrist,
        "neck, trunk and legs": rest,
        "arm and wrist": arm,
        "activity": activity,
    }
    shape = body.batch
    return PostureScore(
        whole(score, shape),
        whole(np.searchsorted([1, 3, 7, 10], score), shape),
        {name: whole(each, shape) for name, each in parts.items()},
    )
