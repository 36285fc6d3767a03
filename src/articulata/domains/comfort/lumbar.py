"""Load on the lowest lumbar disc, L5/S1, of somebody who holds a posture.

The model is that of one equivalent muscle (Chaffin and Andersson, Occupational Biomechanics; NIOSH,
Work Practices Guide for Manual Lifting, 1981): weights above the disc and loads have a moment about
it, which a muscle balances whose lever is 5 cm. The disc is pressed by that muscle and by the part
of the weight above it that acts across the disc. Pressure in the abdomen, which would take some of
it, and what other muscles add by pulling against each other are left out; nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from articulata.domains.comfort.figure_angles import BACK, CHEST
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.poses import make_pose
from articulata.kinematics.figure import Figure
from articulata.kinematics.figure_places import Places
from articulata.kinematics.statics import STANDARD_GRAVITY, Load, Push

LEVER: Final = 0.05
"""m: the lever of the muscles along the spine (Chaffin and Andersson; NIOSH 1981)."""

SACRAL: Final = np.radians(40.0)
"""rad: how far the disc's normal leans ahead of the pelvis (Chaffin and Andersson)."""

ACTION_LIMIT: Final = 3400.0
"""N: compression that most workers bear without harm (NIOSH 1981)."""

UP_THE_BACK: Final = 0.2
"""Share of the way from hips to shoulders at which the disc lies: a proposal."""

_NONE = 1e-9


class DiscLoads(NamedTuple):
    """Of postures: ``compression`` (m,) N with its ``slopes`` (m, dof), ``shear`` (m,) N."""

    compression: Array
    slopes: Array
    shear: Array


def _disc(figure: Figure, back: int, shoulders: list[str]) -> tuple[int, Array]:
    """Return the number of the joint that carries the pelvis, and where the disc is in it."""
    known = {joint.name for joint in figure.joints}
    pelvis = figure.parents[back]
    X_WP = (
        figure.base if pelvis < 0 else figure.link_pose(figure.neutral, figure.joints[pelvis].name)
    )
    hips = [name for name in ("l_hip_flexion", "r_hip_flexion") if name in known]
    low = (
        np.mean([figure.link_pose(figure.neutral, name)[:3, 3] for name in hips], axis=0)
        if hips
        else X_WP[:3, 3]
    )
    high = np.mean([figure.link_pose(figure.neutral, name)[:3, 3] for name in shoulders], axis=0)
    spine = X_WP[:3, 1]
    at = low + UP_THE_BACK * float((high - low) @ spine) * spine
    X_PD = make_pose(p=X_WP[:3, :3].T @ (at - X_WP[:3, 3]))
    return pelvis, X_PD


class LumbarDisc:
    """The disc of a figure with what it carries, made ready for any number of postures.

    ``gravity`` (3,) m/s^2 in W, against the figure's ``up`` where none is given. KinematicsError
    for figures without H-Anim names or without masses above the pelvis.
    """

    def __init__(
        self,
        figure: Figure,
        *,
        loads: Iterable[Load] = (),
        pushes: Iterable[Push] = (),
        gravity: Array | None = None,
    ) -> None:
        numbers = {joint.name: number for number, joint in enumerate(figure.joints)}
        sides = [f"{s}_shoulder_rotation" for s in "lr"]
        if not {BACK, CHEST, *sides} <= set(numbers):
            raise KinematicsError(
                f"figure '{figure.name}' has no joints {BACK}, {CHEST} and shoulders; the load of "
                "the lumbar spine is read from figures with H-Anim names, such as 'person'"
            )
        g = -STANDARD_GRAVITY * figure.up if gravity is None else np.asarray(gravity, float)
        self._gravity = g
        above = self._carried(figure, numbers[BACK])
        pelvis, X_PD = _disc(figure, numbers[BACK], sides)
        # a mark 1 m along the disc's normal tells its direction
        X_PN = X_PD.copy()
        X_PN[:3, 3] += (0.0, np.cos(SACRAL), np.sin(SACRAL))
        places: list[str | tuple[int, Array]] = [(pelvis, X_PD), (pelvis, X_PN)]
        masses = []
        for number in sorted(above):
            link = figure.links[figure.joints[number].name]
            if link.mass:
                X = make_pose(p=link.center)
                places.append((number, X))
                masses.append(link.mass)
        for load in loads:
            number, X = figure.place(load.place)
            if number in above and load.mass:
                places.append((number, X))
                masses.append(load.mass)
        if not masses:
            raise KinematicsError(
                f"nothing above the pelvis of '{figure.name}' has a mass; give its links masses"
            )
        pushed = [(figure.place(push.place), push.force) for push in pushes]
        pushed = [(place, force) for place, force in pushed if place[0] in above]
        places += [place for place, _ in pushed]
        forces = [mass * g for mass in masses] + [np.asarray(force) for _, force in pushed]
        self._forces = np.array(forces)
        self._force = self._forces.sum(axis=0)
        self._places = Places(figure, places)

    def loads(self, q: Float64[Array, "m dof"]) -> DiscLoads:
        """Return the loads on the disc in postures."""
        p, J = self._places.found(q)
        disc, J_disc = p[:, 0], J[:, 0]
        normal, J_normal = p[:, 1] - disc, J[:, 1] - J_disc
        arms, J_arms = p[:, 2:] - disc[:, None], J[:, 2:] - J_disc[:, None]
        moment = np.cross(arms, self._forces).sum(axis=1)
        # d(a x F) = da x F
        J_moment = np.cross(J_arms, self._forces[None, :, :, None], axisa=2, axisb=2, axisc=2).sum(
            axis=1
        )
        along = (moment * normal).sum(axis=1)
        bending = moment - along[:, None] * normal
        size = np.maximum(np.linalg.norm(bending, axis=1), _NONE)
        pressing = -(normal @ self._force)
        # the part along the normal is across the bending: its change counts by J_normal alone
        turned = np.einsum("mi,mij->mj", bending, J_moment)
        turned -= along[:, None] * np.einsum("mi,mij->mj", bending, J_normal)
        slopes = turned / size[:, None] / LEVER - np.einsum("i,mij->mj", self._force, J_normal)
        across = self._force + pressing[:, None] * normal
        shear = np.linalg.norm(across, axis=1)
        return DiscLoads(size / LEVER + pressing, slopes, shear)

    @staticmethod
    def _carried(figure: Figure, first: int) -> set[int]:
        """Return the joints from ``first`` outward."""
        found = {first}
        for number, parent in enumerate(figure.parents):
            if parent in found:
                found.add(number)
        return found
