"""Retargeting of recorded joints to a robot of another build.

The directions of upper arms and forearms, seen from the trunk, are kept. They place the robot's
elbows and hands at its own arm lengths, as near as its limits allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.kinematics.figure import Figure
from articulata.kinematics.figure_places import Places

Axis = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Build:
    """How a figure is built: the ``trunk``'s place, what is ``up`` and ``ahead`` at neutral.

    ``arms`` are places of shoulder, elbow and hand by side.
    """

    trunk: str
    up: Axis
    ahead: Axis
    arms: Mapping[str, tuple[str, str, str]]


PERSON: Final = Build(
    "vt6_rotation", (0.0, 1.0, 0.0), (0.0, 0.0, 1.0),
    MappingProxyType({
        "right": ("r_shoulder", "r_elbow", "right hand"),
        "left": ("l_shoulder", "l_elbow", "left hand"),
    }),
)  # fmt: skip

LEONARDO: Final = Build(
    "waist left/right", (0.0, 0.0, 1.0), (0.0, -1.0, 0.0),
    MappingProxyType({
        "right": ("right shoulder in/out", "right elbow", "right hand"),
        "left": ("left shoulder in/out", "left elbow", "left hand"),
    }),
)  # fmt: skip

ROUNDS: Final = (60, 10)
"""Steps of the method of Gauss and Newton for the first posture and each other, at most."""

STARTS: Final = 12
"""Postures that the first one is looked for from."""

LARGEST: Final = 0.3
"""rad, m: most that a joint moves in one of them."""

_ENOUGH: Final = 1e-4
"""Of the squares of what is missed: a step that gains less is the last."""

_CALM: Final = 5e-3
"""m for each rad: how much staying near the last posture counts beside places."""


def carried_over(
    somebody: Figure,
    q: npt.ArrayLike,
    robot: Figure,
    *,
    who: Build = PERSON,
    onto: Build = LEONARDO,
) -> tuple[Float64[Array, "n dof"], Float64[Array, "n arms 2"]]:
    """Return postures of ``robot`` that hold its arms as ``somebody`` does in ``q`` (n, dof).

    And the angles (rad) by which each upper arm and forearm point elsewhere, because of limits.
    Each posture goes on from the one before.
    """
    postures = np.atleast_2d(np.asarray(q, float))
    if postures.shape[1] != somebody.dof:
        raise KinematicsError(
            f"postures of '{somebody.name}' have {somebody.dof} values, not {postures.shape[1]}"
        )
    from articulata.kernels.chains.iterative_solvers.tip_targets import spread_shares

    sides = [side for side in who.arms if side in onto.arms]
    turned = _axes(onto) @ _axes(who).T
    wanted = np.stack([_directions(somebody, postures, who, side) for side in sides], axis=1)
    wanted = np.einsum("ij,nskj->nski", turned, wanted)  # (n, sides, 2, 3)
    columns = np.unique(np.concatenate([_columns(robot, onto.arms[side]) for side in sides]))
    places = Places(robot, [name for side in sides for name in onto.arms[side]])
    found, present = np.empty((len(postures), robot.dof)), robot.neutral.copy()
    starts = np.tile(present, (STARTS, 1))
    low, high = robot.lower[columns], robot.upper[columns]
    starts[1:, columns] = low + spread_shares(STARTS - 1, len(columns)) * (high - low)
    tried = [_held(places, wanted[0], each, columns, ROUNDS[0]) for each in starts]
    away = [np.linalg.norm(_missed(places, wanted[0], each)) for each in tried]
    found[0] = present = tried[int(np.argmin(away))]
    for number, directions in enumerate(wanted[1:], 1):
        found[number] = present = _held(places, directions, present, columns, ROUNDS[1])
    there = np.stack([_directions(robot, found, onto, side) for side in sides], axis=1)
    cosine = np.clip((there * wanted).sum(axis=3), -1.0, 1.0)
    return found, np.arccos(cosine)


def _axes(build: Build) -> Array:
    up, ahead = np.array(build.up), np.array(build.ahead)
    return np.stack([np.cross(up, ahead), up, ahead], axis=1)


def _columns(figure: Figure, arm: tuple[str, str, str]) -> IntArray:
    """Return the places in ``q`` of the joints of an arm's chain."""
    chain = next(
        (name for name in figure.chains if name.endswith("arm") and name[0] == arm[2][0]
         and "trunk" not in name), None,
    )  # fmt: skip
    if chain is None:
        raise KinematicsError(f"'{figure.name}' has no chain for the arm of '{arm[2]}'")
    return figure.chain_coordinates(chain)


def _directions(figure: Figure, q: Array, build: Build, side: str) -> Array:
    """Return where upper arm and forearm point, (n, 2, 3), in the axes of the neutral trunk."""
    trunk = figure.landmark(q, build.trunk)[:, :3, :3]
    back = figure.landmark(figure.neutral, build.trunk)[:3, :3] @ trunk.transpose(0, 2, 1)
    shoulder, elbow, hand = (figure.landmark(q, name)[:, :3, 3] for name in build.arms[side])
    both = np.stack([elbow - shoulder, hand - elbow], axis=1)
    both = np.einsum("nij,nkj->nki", back, both)
    return np.asarray(both / np.linalg.norm(both, axis=2, keepdims=True))


def _held(places: Places, directions: Array, q: Array, columns: IntArray, rounds: int) -> Array:
    """Return the posture near ``q`` whose arms point as ``directions`` (arms, 2, 3) say.

    ``places`` are shoulder, elbow and hand of each arm.
    """
    figure = places.figure
    lower, upper = figure.lower[columns], figure.upper[columns]
    last, x = q[columns], q[columns].copy()
    off = _missed(places, directions, q)
    height = float((off**2).sum())
    for _ in range(rounds):
        J = places.found(q[None])[1][0][:, :, columns].reshape(-1, 3, 3, len(columns))
        A = np.diff(J, axis=1).reshape(-1, len(columns))
        A = np.concatenate([A, _CALM * np.eye(len(columns))])
        b = np.concatenate([off.ravel(), _CALM * (last - x)])
        before, pull = height, A.T @ b
        held = ((x <= lower) & (pull < 0.0)) | ((x >= upper) & (pull > 0.0))
        # a joint at a limit that it would pass lets the others do the rest
        for free, part in ((np.ones(len(x)), 1.0), (~held, 1.0), (~held, 0.3), (~held, 0.1)):
            step = np.linalg.lstsq(A * free, b, rcond=None)[0] * free * part
            step *= min(1.0, LARGEST / max(float(np.abs(step).max()), 1e-12))
            there = q.copy()
            there[columns] = np.clip(x + step, lower, upper)
            missed = _missed(places, directions, there)
            cost = float((missed**2).sum() + ((_CALM * (there[columns] - last)) ** 2).sum())
            if cost < height:
                q, x, off, height = there, there[columns], missed, cost
                break
        if height > (1.0 - _ENOUGH) * before:
            break
    return q


def _missed(places: Places, directions: Array, q: Array) -> Array:
    """Return what elbows and hands lack, seen from shoulders and elbows, (arms, 2, 3) m."""
    bones = np.diff(places.found(q[None])[0].reshape(-1, 3, 3), axis=1)
    lengths = np.linalg.norm(bones, axis=2, keepdims=True)
    return np.asarray(lengths * directions - bones)
