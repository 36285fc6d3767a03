"""Where a world lies on the earth: its frame W in the geocentric frame E of DIS.

E has its origin at the earth's centre, x through the equator at Greenwich, z through the north
pole (WGS 84). A world lies at a geodetic origin: x points east and what is up in it points up, so
that with z up y is north, and with y up north is -z. Reference: IEEE 1278.1-2012, 1.6.3 and
6.2.32 (Euler angles psi about z, theta about y, phi about x, each as already turned).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array, Float64

EQUATOR = 6378137.0
"""The earth's radius at the equator, m (WGS 84)."""

FLATTENING = 1.0 / 298.257223563
"""By how much the earth is flatter at the poles (WGS 84)."""


@dataclass(frozen=True, slots=True)
class GeodeticOrigin:
    """A place on the earth: ``latitude`` and ``longitude`` (rad), ``height`` (m) above WGS 84."""

    latitude: float = 0.0
    longitude: float = 0.0
    height: float = 0.0

    def __post_init__(self) -> None:
        if not (abs(self.latitude) <= 0.5 * math.pi and abs(self.longitude) <= math.pi):
            raise ArticulataError(
                f"an origin at latitude {math.degrees(self.latitude):g} and longitude"
                f" {math.degrees(self.longitude):g} deg is nowhere; give -90 to 90 and -180 to 180"
            )
        if not abs(self.height) <= 1e7:
            raise ArticulataError(f"an origin at {self.height:g} m is not on the earth")


def placed_world(origin: GeodeticOrigin, up: Array) -> Float64[Array, "4 4"]:
    """Return ``X_EW``, the frame W of a world whose up is ``up`` (3,) in the geocentric frame E.

    >>> placed_world(GeodeticOrigin(), np.array([0.0, 0.0, 1.0]))[:3, 3].tolist()
    [6378137.0, 0.0, 0.0]
    """
    sine, cosine = math.sin(origin.latitude), math.cos(origin.latitude)
    east_west, north_south = math.sin(origin.longitude), math.cos(origin.longitude)
    east = np.array((-east_west, north_south, 0.0))
    north = np.array((-sine * north_south, -sine * east_west, cosine))
    above = np.array((cosine * north_south, cosine * east_west, sine))
    squared = FLATTENING * (2.0 - FLATTENING)
    across = EQUATOR / math.sqrt(1.0 - squared * sine * sine)
    # x of W stays east; what is up in W decides which of its axes is north
    upward = np.asarray(up) / np.linalg.norm(up)
    ahead = np.cross(upward, (1.0, 0.0, 0.0))
    if float(np.linalg.norm(ahead)) < 0.5:
        raise ArticulataError("a world whose up is its x axis cannot be placed; let y or z be up")
    ahead /= np.linalg.norm(ahead)
    X_EW = np.eye(4)
    X_EW[:3, :3] = np.stack([east, north, above], axis=1) @ np.stack(
        [np.cross(ahead, upward), ahead, upward]
    )
    X_EW[:3, 3] = (across + origin.height) * above
    X_EW[2, 3] = (across * (1.0 - squared) + origin.height) * sine
    return X_EW


def euler_of(R_EB: Float64[Array, "*batch 3 3"]) -> Float64[Array, "*batch 3"]:
    """Return psi, theta and phi (rad) of an entity's axes B (x ahead, y right, z down) in E.

    At theta of +-90 deg psi takes all of the turn.
    """
    sine = np.clip(-R_EB[..., 2, 0], -1.0, 1.0)
    upright = np.hypot(R_EB[..., 0, 0], R_EB[..., 1, 0]) > 1e-9
    psi = np.where(
        upright,
        np.arctan2(R_EB[..., 1, 0], R_EB[..., 0, 0]),
        np.arctan2(-R_EB[..., 0, 1], R_EB[..., 1, 1]),
    )
    theta = np.arctan2(sine, np.hypot(R_EB[..., 0, 0], R_EB[..., 1, 0]))
    phi = np.where(upright, np.arctan2(R_EB[..., 2, 1], R_EB[..., 2, 2]), 0.0)
    return np.stack([psi, theta, phi], axis=-1)


def turn_of(angles: Float64[Array, "*batch 3"]) -> Float64[Array, "*batch 4"]:
    """Return ``q_EB`` of psi, theta and phi (rad)."""
    half = 0.5 * angles
    s, c = np.sin(half), np.cos(half)
    (s0, s1, s2), (c0, c1, c2) = np.moveaxis(s, -1, 0), np.moveaxis(c, -1, 0)
    return np.stack(
        [
            c0 * c1 * c2 + s0 * s1 * s2,
            c0 * c1 * s2 - s0 * s1 * c2,
            c0 * s1 * c2 + s0 * c1 * s2,
            s0 * c1 * c2 - c0 * s1 * s2,
        ],
        axis=-1,
    )


def body_axes(forward: Array, up: Array) -> Float64[Array, "3 3"]:
    """Return ``R_FB``: an entity's axes in a figure's frame F, which faces ``forward`` (3,)."""
    return np.stack([forward, np.cross(forward, up), -up], axis=1)
