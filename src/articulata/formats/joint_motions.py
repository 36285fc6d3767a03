"""Motions of joints for other programs: OpenSim's files of numbers over time, a message of ROS.

OpenSim's motion (``.mot``) and storage (``.sto``): a header of lines, "endheader", a line of names
separated by tabs, then a line of numbers for each instant. Source: its user's guide, Storage (.sto)
and Motion (.mot) files. ``trajectory_msgs/JointTrajectory`` as JSON has the names and units of the
message: rad, rad/s, rad/s^2, metres for joints that slide; times from the start as seconds and
nanoseconds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array


def write_storage(
    name: str, times: Array, names: Sequence[str], values: Array, *, degrees: bool
) -> str:
    """Return a file of ``values`` (n, columns) at ``times`` (n,) s, called ``names``.

    ``degrees`` says that angles among them are in degrees rather than in radians.
    """
    if values.shape != (len(times), len(names)):
        raise FormatError(
            f"{len(times)} times and {len(names)} names do not belong to values of shape"
            f" {values.shape}"
        )
    if np.any(np.diff(times) <= 0.0):
        raise FormatError("times of a motion rise; leave out frames of the same instant")
    columns = [each.replace("\t", " ").replace(" ", "_") for each in names]
    lines = [
        name.replace("\n", " "),
        "version=1",
        f"nRows={len(times)}",
        f"nColumns={len(names) + 1}",
        f"inDegrees={'yes' if degrees else 'no'}",
        "endheader",
        "\t".join(("time", *columns)),
    ]
    for time, row in zip(times.tolist(), values.tolist(), strict=True):
        lines.append("\t".join(map(repr, (time, *row))))
    return "\n".join(lines) + "\n"


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
