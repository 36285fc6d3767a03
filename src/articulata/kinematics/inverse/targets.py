"""What a place of a figure is asked for: to be somewhere, to point along, to look at.

All hold one batch: places (*batch, 3) m, directions (*batch, 3), poses (*batch, 4, 4), in W. A
landmark points along its z. ``within`` (m) and ``angle`` (rad) are how near counts as met; None
takes the tolerance of the question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.inverse.chain_question import as_numbers

PLACE, POSE, POINTING, GAZE = 0, 1, 2, 3
"""Kinds of targets, as the engine knows them."""

SHORTEST: Final = 1e-12
"""Length under which a direction is none."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class At:
    """Be at a place (*batch, 3) or in a pose ``X_WP`` (*batch, 4, 4)."""

    X: Array
    within: float | None = None
    angle: float | None = None

    def __init__(
        self, X: npt.ArrayLike, within: float | None = None, angle: float | None = None
    ) -> None:
        _set(self, X=as_numbers(X, "the target of an At"), within=within, angle=angle)

    def __getitem__(self, index: Any) -> At:
        return replace(self, X=self.X[index])


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Pointing:
    """Be at ``place`` (*batch, 3) with z along ``direction`` (*batch, 3), turned about z anyhow."""

    place: Array
    direction: Array
    within: float | None = None
    angle: float | None = None

    def __init__(
        self,
        place: npt.ArrayLike,
        direction: npt.ArrayLike,
        within: float | None = None,
        angle: float | None = None,
    ) -> None:
        p, z = _together(
            as_numbers(place, "the place of a Pointing"),
            _unit(as_numbers(direction, "the direction of a Pointing")),
            "a place and a direction",
        )
        _set(self, place=p, direction=z, within=within, angle=angle)

    def __getitem__(self, index: Any) -> Pointing:
        return replace(self, place=self.place[index], direction=self.direction[index])


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Gaze:
    """Look at ``point`` (*batch, 3): z goes through it, from wherever the landmark is."""

    point: Array
    angle: float | None = None

    def __init__(self, point: npt.ArrayLike, angle: float | None = None) -> None:
        p = as_numbers(point, "the point of a Gaze")
        if p.ndim == 0 or p.shape[-1] != 3:
            raise KinematicsError(f"a gaze is at points (*batch, 3), not shape {p.shape}")
        _set(self, point=p, angle=angle)

    @property
    def within(self) -> None:
        """A gaze asks for no place."""
        return

    def __getitem__(self, index: Any) -> Gaze:
        return replace(self, point=self.point[index])


Target: TypeAlias = At | Pointing | Gaze


def target(given: Target | npt.ArrayLike, name: str) -> Target:
    """Return what is asked of ``name`` as a target: numbers are a place or a pose."""
    if isinstance(given, At | Pointing | Gaze):
        wanted = given
    else:
        wanted = At(as_numbers(given, f"the target of '{name}'"))
    if isinstance(wanted, At):
        X = wanted.X
        pose = X.ndim >= 2 and X.shape[-2:] == (4, 4)
        if not pose and (X.ndim == 0 or X.shape[-1] != 3):
            raise KinematicsError(
                f"the target of '{name}' is places (*batch, 3) or poses (*batch, 4, 4), not "
                f"shape {X.shape}"
            )
    return wanted


def kind(wanted: Target) -> int:
    """Return the kind of a target."""
    if isinstance(wanted, At):
        return POSE if wanted.X.shape[-2:] == (4, 4) and wanted.X.ndim >= 2 else PLACE
    return POINTING if isinstance(wanted, Pointing) else GAZE


def place_of(wanted: Target) -> Array:
    """Return where a target is, (*batch, 3): of a gaze the point that is looked at."""
    if isinstance(wanted, Gaze):
        return wanted.point
    if isinstance(wanted, Pointing):
        return wanted.place
    return np.asarray(wanted.X[..., :3, 3] if kind(wanted) == POSE else wanted.X)


def frames(wanted: Target) -> Array:
    """Return a target as the engine takes it, (*batch, 3, 4): only what counts is told."""
    place = place_of(wanted)
    made = np.broadcast_to(np.eye(3, 4), (*place.shape[:-1], 3, 4)).copy()
    made[..., 3] = place
    if isinstance(wanted, At) and kind(wanted) == POSE:
        made[...] = wanted.X[..., :3, :]
    if isinstance(wanted, Pointing):
        made[..., 2] = wanted.direction
    return made


def _unit(direction: Array) -> Array:
    size = np.linalg.norm(direction, axis=-1, keepdims=True)
    if direction.ndim == 0 or direction.shape[-1] != 3 or (size < SHORTEST).any():
        raise KinematicsError("a direction is three numbers, (*batch, 3), not all zero")
    return np.asarray(direction / size)


def _together(a: Array, b: Array, what: str) -> tuple[Array, Array]:
    if a.ndim == 0 or a.shape[-1] != 3:
        raise KinematicsError(f"{what} are (*batch, 3); the place has shape {a.shape}")
    try:
        first, second = np.broadcast_arrays(a, b)
    except ValueError:
        raise KinematicsError(f"{what} have one batch, not {a.shape} and {b.shape}") from None
    return first, second


def _set(wanted: Target, **values: Any) -> None:
    """Set the fields of a target that is being made, its tolerances checked."""
    for name, value in values.items():
        near = name in ("within", "angle") and value is not None
        if near and not (math.isfinite(value) and value > 0.0):
            raise KinematicsError(
                f"'{name}' of a target is how near counts as met, more than 0; not {value}"
            )
        object.__setattr__(wanted, name, value)
