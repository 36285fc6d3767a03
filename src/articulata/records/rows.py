"""Rows of recorded channels, by name, and what turns vectors of a body into those of the world."""

from __future__ import annotations

import numpy as np

from articulata.geometry.arrays import Array
from articulata.records.observed import Stretch

XYZ = ("x", "y", "z")

POSE = "geometric.pose"
JOINT = "kinematic.coordinate"
BASE = "kinematic.base"
POSITION = "dynamic.position"
ORIENTATION = "dynamic.orientation"
VELOCITY = "dynamic.velocity"
RATE = "dynamic.rate"


class AbsentError(Exception):
    """A segment does not hold what is asked."""


def row(segment: Stretch, channel: str, label: str) -> Array:
    """Return the row ``label`` of ``channel``, (n, columns) or (n,)."""
    number = segment.row(channel, label)
    if number is None:
        raise AbsentError(
            f"channel {channel} has no row {label}"
            if channel in segment.channels
            else f"there is no channel {channel}"
        )
    return np.asarray(segment.of_row(channel, number), np.float64)
