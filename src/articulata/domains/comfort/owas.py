"""OWAS, the Ovako working posture analysing system.

Karhu, Kansi and Kuorinka, Correcting working postures in industry: a practical method for
analysis, Applied Ergonomics 8 (1977) 199-201. The table of action categories is that of WinOWAS
(Tampere University of Technology, 1996).
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from articulata.domains.comfort.body_angles import (
    NO_WORK,
    BodyAngles,
    PostureScore,
    WorkConditions,
    whole,
)
from articulata.errors import KinematicsError
from articulata.geometry.arrays import IntArray

Legs: TypeAlias = Literal[
    "sitting", "both straight", "one straight", "both bent", "one bent", "kneeling", "walking"
]

BENT: Final = np.radians(20.0)
"""rad: from here a back is bent or twisted. The paper shows pictures and no angle: a proposal."""
KNEE: Final = np.radians(30.0)
"""rad: from here a knee is bent, as in REBA: a proposal."""

CATEGORY: Final[IntArray] = np.array(
    [
        [int(each) for each in row.replace(" ", "")]
        for row in (
            "111 111 111 222 222 111 111",
            "111 111 111 222 222 111 111",
            "111 111 111 223 223 111 112",
            "223 223 223 333 333 222 233",
            "223 223 233 344 344 334 234",
            "334 223 333 344 444 444 234",
            "111 111 112 333 444 111 111",
            "223 111 112 444 444 333 111",
            "223 111 233 444 444 444 111",
            "233 223 223 444 444 444 234",
            "334 234 334 444 444 444 234",
            "444 234 334 444 444 444 234",
        )
    ]
).reshape(4, 3, 7, 3)
"""Action categories by back, arms, legs and load, each counted from 0."""


def owas(
    left: BodyAngles,
    right: BodyAngles | None = None,
    work: WorkConditions = NO_WORK,
    legs: Legs | None = None,
) -> PostureScore:
    """Return the action category of postures, 1 to 4, with the four digits of the posture's code.

    ``left`` and ``right`` are the angles read for each arm; one alone stands for both. ``legs``
    says how somebody stands where angles do not: by them a person sits, or stands on both legs or
    (``work.balanced`` is False) on one, straight or bent. Category 1 needs nothing, 2 a change
    some day, 3 soon, 4 at once.

    >>> owas(BodyAngles(trunk_flexion=1.0), work=WorkConditions(load=15.0)).level.tolist()
    2
    """
    right = left if right is None else right
    bent = np.abs(left.trunk_flexion) > BENT
    turned = (np.abs(left.trunk_side) > BENT) | (np.abs(left.trunk_twist) > BENT)
    back = 1 + bent + 2 * turned
    raised = [np.asarray(each.elevation) >= 0.5 * np.pi - 1e-9 for each in (left, right)]
    arms = 1 + raised[0].astype(np.int64) + raised[1].astype(np.int64)
    load = 1 + int(work.load >= 10.0) + int(work.load > 20.0)
    if legs is None:
        knees = np.maximum(left.knee_flexion, right.knee_flexion) > KNEE
        stands = np.where(knees, 4, 2) + int(not work.balanced)
        stance = np.full_like(stands, 1) if work.seated else stands
    elif legs in get_args(Legs):
        stance = np.asarray(1 + get_args(Legs).index(legs))
    else:
        raise KinematicsError(f"legs are '{legs}'; give one of {', '.join(get_args(Legs))}")
    category = CATEGORY[back - 1, arms - 1, stance - 1, load - 1]
    shape = np.broadcast_shapes(left.batch, right.batch)
    parts = {"back": back, "arms": arms, "legs": stance, "load": load}
    return PostureScore(
        whole(category, shape),
        whole(category, shape),
        {name: whole(each, shape) for name, each in parts.items()},
    )
