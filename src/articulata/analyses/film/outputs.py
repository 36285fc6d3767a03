"""What a device with six axes puts out: speeds, a position, or the coordinates of a viewpoint.

The three outputs that Li 2011, section 3.2, takes of a 3D mouse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from articulata.analyses.film.shaping import Shaper, Shaping
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.camera_motion import moved
from articulata.geometry.rotation import Rotation
from articulata.records.device_reports import DeviceReports


@dataclass(frozen=True, slots=True, eq=False)
class DeviceOutputs:
    """Outputs of a device at even ``times`` (n,) s.

    ``speed`` (n, 6) m/s and rad/s is what it asks for, in its own axes: right, up, back and about
    these. Integrated from the origin it is ``position`` (n, 6): place in m, then angles about x, y
    and z, one after the other about moving axes, rad; or ``viewpoint`` (n, 7): place, then axis
    (a unit vector) and angle, rad, as a Viewpoint of VRML97 has them.
    """

    times: Array
    speed: Array
    position: Array
    viewpoint: Array


def device_outputs(
    reports: DeviceReports, *, shaping: Shaping | None = None, step: float = 0.01
) -> DeviceOutputs:
    """Return what recorded ``reports`` put out every ``step`` s, until the last of them."""
    if not (math.isfinite(step) and step > 0.0):
        raise KinematicsError(f"a step is a time in s, more than 0; not {step}")
    shaper = Shaper(Shaping() if shaping is None else shaping)
    times: Array = np.arange(math.floor(reports.duration / step + 1e-9) + 1.0) * step
    speed, seen = np.empty((len(times), 6)), 0
    for k, t in enumerate(times.tolist()):
        known = reports.known(t + 1e-9)
        speed[k] = shaper.rates_of(reports.axes[known - 1].tolist() if known > seen else None, step)
        seen = known
    X = np.concatenate([np.eye(4)[None], moved(np.eye(4), speed[:-1], step)])
    turned = Rotation.from_matrix(X[:, :3, :3])
    about, place = turned.to_axis_angle(), X[:, :3, 3]
    return DeviceOutputs(
        times,
        speed,
        np.hstack([place, turned.to_euler("XYZ").angles]),
        np.column_stack([place, about.axis, about.angle]),
    )
