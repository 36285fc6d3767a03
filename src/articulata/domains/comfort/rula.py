"""RULA, the rapid upper limb assessment of a posture.

McAtamney and Corlett, RULA: a survey method for the investigation of work-related upper limb
disorders, Applied Ergonomics 24 (1993) 91-99. The tables are those of the worksheet in use
today (Cornell University, Human Factors and Ergonomics); older sheets differ in table A for upper
arms 2 to 4.
"""

from __future__ import annotations

import math
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

ARM: Final[IntArray] = np.array(
    [
        [
            [[1, 2], [2, 2], [2, 3], [3, 3]],
            [[2, 2], [2, 2], [3, 3], [3, 3]],
            [[2, 3], [3, 3], [3, 3], [4, 4]],
        ],
        [
            [[2, 3], [3, 3], [3, 4], [4, 4]],
            [[3, 3], [3, 3], [3, 4], [4, 4]],
            [[3, 4], [4, 4], [4, 4], [5, 5]],
        ],
        [
            [[3, 3], [4, 4], [4, 4], [5, 5]],
            [[3, 4], [4, 4], [4, 4], [5, 5]],
            [[4, 4], [4, 4], [4, 5], [5, 5]],
        ],
        [
            [[4, 4], [4, 4], [4, 5], [5, 5]],
            [[4, 4], [4, 4], [4, 5], [5, 5]],
            [[4, 4], [4, 5], [5, 5], [6, 6]],
        ],
        [
            [[5, 5], [5, 5], [5, 6], [6, 7]],
            [[5, 6], [6, 6], [6, 7], [7, 7]],
            [[6, 6], [6, 7], [7, 7], [7, 8]],
        ],
        [
            [[7, 7], [7, 7], [7, 8], [8, 9]],
            [[8, 8], [8, 8], [8, 9], [9, 9]],
            [[9, 9], [9, 9], [9, 9], [9, 9]],
        ],
    ]
)
"""Table A: upper arm 1 to 6, lower arm 1 to 3, wrist 1 to 4, wrist twist 1 to 2."""

BODY: Final[IntArray] = np.array(
    [
        [[1, 3], [2, 3], [3, 4], [5, 5], [6, 6], [7, 7]],
        [[2, 3], [2, 3], [4, 5], [5, 5], [6, 7], [7, 7]],
        [[3, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 7]],
        [[5, 5], [5, 6], [6, 7], [7, 7], [7, 7], [8, 8]],
        [[7, 7], [7, 7], [7, 8], [8, 8], [8, 8], [8, 8]],
        [[8, 8], [8, 8], [8, 8], [8, 9], [9, 9], [9, 9]],
    ]
)
"""Table B: neck 1 to 6, trunk 1 to 6, legs 1 to 2."""

GRAND: Final[IntArray] = np.array(
    [
        [1, 2, 3, 3, 4, 5, 5],
        [2, 2, 3, 4, 4, 5, 5],
        [3, 3, 3, 4, 4, 5, 6],
        [3, 3, 3, 4, 5, 6, 6],
        [4, 4, 4, 5, 6, 7, 7],
        [4, 4, 5, 6, 6, 7, 7],
        [5, 5, 6, 6, 7, 7, 7],
        [5, 5, 6, 7, 7, 7, 7],
    ]
)
"""Table C: wrist and arm 1 to 8, neck, trunk and legs 1 to 7; beyond the last is the last."""


def rula(body: BodyAngles, work: WorkConditions = NO_WORK) -> PostureScore:
    """Return the grand score, 1 to 7, and its level of action, 1 to 4.

    Level 1 is acceptable, 2 asks for a closer look, 3 for changes soon, 4 for changes now.
    """
    upper_arm = scored(body.upper_arm, (-20, 20, 45, 90), (2, 1, 2, 3, 4))
    upper_arm = upper_arm + body.raised + body.abducted
    upper_arm = np.maximum(upper_arm - int(work.supported), 1)
    lower_arm = scored(body.elbow_flexion, (60, 100), (2, 1, 2))
    lower_arm = lower_arm + np.asarray(body.across, np.int64)
    wrist = scored(np.abs(body.wrist_flexion), (NEUTRAL, 15), (1, 2, 3))
    wrist = wrist + noticed(body.wrist_deviation)
    twist = 1 + (np.abs(np.asarray(body.forearm_twist, float)) > 0.5).astype(np.int64)
    neck = scored(body.neck_flexion, (-NEUTRAL, 10, 20), (4, 1, 2, 3))
    neck = neck + noticed(body.neck_twist) + noticed(body.neck_side)
    trunk = scored(body.trunk_flexion, (-NEUTRAL, NEUTRAL, 20, 60), (2, 1, 2, 3, 4))
    if work.seated:
        carried = np.asarray(body.trunk_flexion, float) <= math.radians(NEUTRAL)
        trunk = np.where(carried & work.back_rest, 1, np.maximum(trunk, 2))
    trunk = trunk + noticed(body.trunk_twist) + noticed(body.trunk_side)
    legs = 1 if work.balanced else 2
    use = int(work.static or work.repeated) + _load(work)
    arm = ARM[upper_arm - 1, lower_arm - 1, wrist - 1, twist - 1] + use
    rest = BODY[neck - 1, trunk - 1, legs - 1] + use
    score = GRAND[np.minimum(arm, 8) - 1, np.minimum(rest, 7) - 1]
    parts = {
        "upper arm": upper_arm,
        "lower arm": lower_arm,
        "wrist": wrist,
        "wrist twist": twist,
        "neck": neck,
        "trunk": trunk,
        "legs": legs,
        "wrist and arm": arm,
        "neck, trunk and legs": rest,
    }
    shape = body.batch
    return PostureScore(
        whole(score, shape),
        whole(np.searchsorted([2, 4, 6], score) + 1, shape),
        {name: whole(each, shape) for name, each in parts.items()},
    )


def _load(work: WorkConditions) -> int:
    """Return what the load adds: the sheet's; the paper has 2 beyond 10 kg if it comes and goes."""
    if work.shock or work.load > 10.0:
        return 3
    if work.load < 2.0:
        return 0
    return 2 if work.static or work.repeated else 1
