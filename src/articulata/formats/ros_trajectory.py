"""``trajectory_msgs/JointTrajectory`` as JSON, with the names and units of the message.

rad, rad/s, rad/s^2, metres for joints that slide; times from the start as seconds and nanoseconds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array


def write_trajectory(
    names: Sequence[str], times: Array, q: Array, rates: Array, accelerations: Array
) -> str:
    """Return the message for postures (m, dof) at ``times`` (m,) s, one point each."""
    rows = (q, rates, accelerations)
    if any(each.shape != (len(times), len(names)) for each in rows):
        raise FormatError(
            f"{len(names)} joints at {len(times)} instants have values ({len(times)}, "
            f"{len(names)}), not {[each.shape for each in rows]}"
        )
    if not all(np.isfinite(each).all() for each in (times, *rows)):
        raise FormatError("a trajectory holds finite numbers; judge the move before it is written")
    points = []
    for t, *values in zip(times.tolist(), *(each.tolist() for each in rows), strict=True):
        nanoseconds = round(t * 1e9)
        points.append(
            {
                "positions": values[0],
                "velocities": values[1],
                "accelerations": values[2],
                "effort": [],
                "time_from_start": {
                    "sec": nanoseconds // 1_000_000_000,
                    "nanosec": nanoseconds % 1_000_000_000,
                },
            }
        )
    message: dict[str, Any] = {
        "header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""},
        "joint_names": list(names),
        "points": points,
    }
    return json.dumps(message) + "\n"
