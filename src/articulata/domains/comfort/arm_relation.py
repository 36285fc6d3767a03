"""How an arm that points somewhere is held: the relation of Soechting and Flanders (1989).

In degrees, and cm from the shoulder, the upper arm's elevation and yaw and the forearm's are linear
in the distance R, the azimuth chi and the elevation psi of where the hand is:

    upper arm   elevation -4.0 + 1.10 R + 0.90 psi    yaw  13.2 + 0.86 chi
    forearm     elevation 39.4 + 0.54 R - 1.06 psi    yaw -10.0 + 1.08 chi - 0.35 psi

The upper arm's elevation is measured from straight down, the forearm's from straight up; yaw and
azimuth from straight ahead outward. Here the wrist stands for the finger that they followed.
The coefficients were not compared with the print: a proposal.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.domains.comfort.figure_angles import CHEST, Side
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.kinematics.figure import Figure

CENTIMETRE: Final = 0.01


def arm_relation(
    figure: Figure, q: npt.ArrayLike, side: Side = "right"
) -> Float64[Array, "*batch"]:
    """Return by which angle, rad, upper arm and forearm are off the relation: root mean square.

    ``q`` (*batch, dof) are postures.
    KinematicsError for figures without H-Anim names.
    """
    s = side[0]
    joints = tuple(f"{s}_{name}_flexion" for name in ("shoulder", "elbow", "radiocarpal"))
    known = {joint.name for joint in figure.joints}
    if not {CHEST, *joints} <= known:
        raise KinematicsError(
            f"figure '{figure.name}' has no joints {', '.join((CHEST, *joints))}; the relation of "
            "the arm is read from figures with H-Anim names, such as 'person'"
        )
    batch = np.shape(q)[:-1]
    q = np.asarray(q, float).reshape(-1, figure.dof)
    R_WC = figure.link_pose(q, CHEST)[:, :3, :3]
    places = [figure.link_pose(q, name)[:, :3, 3] for name in joints]
    outward = np.array([1.0 if s == "l" else -1.0, 1.0, 1.0])
    upper, fore, away = (
        (np.swapaxes(R_WC, -1, -2) @ (b - a)[..., None])[..., 0] * outward
        for a, b in ((places[0], places[1]), (places[1], places[2]), (places[0], places[2]))
    )
    distance = np.linalg.norm(away, axis=-1)
    R = distance / CENTIMETRE
    azimuth = np.degrees(np.arctan2(away[..., 0], away[..., 2]))
    elevation = np.degrees(np.arcsin(np.clip(away[..., 1] / distance, -1.0, 1.0)))
    wanted_upper = _direction(-4.0 + 1.10 * R + 0.90 * elevation, 13.2 + 0.86 * azimuth, -1.0)
    yaw = -10.0 + 1.08 * azimuth - 0.35 * elevation
    wanted_fore = _direction(39.4 + 0.54 * R - 1.06 * elevation, yaw, 1.0)
    off = _between(upper, wanted_upper) ** 2 + _between(fore, wanted_fore) ** 2
    return np.asarray(np.sqrt(0.5 * off).reshape(batch))


def _direction(elevation: Array, yaw: Array, vertical: float) -> Array:
    """Return unit vectors out, up and ahead; ``elevation`` deg is measured from ``vertical``."""
    e, a = np.radians(elevation), np.radians(yaw)
    return np.stack([np.sin(e) * np.sin(a), vertical * np.cos(e), np.sin(e) * np.cos(a)], axis=-1)


def _between(a: Array, b: Array) -> Array:
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.asarray(np.arctan2(across, (a * b).sum(axis=-1)))
